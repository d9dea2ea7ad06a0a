"""The compose files fit together: what must be told to each part is told to all."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def services(file: str) -> dict[str, str]:
    """Name -> text of each service."""
    text = (ROOT / file).read_text().partition("\nservices:\n")[2]
    text = re.split(r"^\S", text, maxsplit=1, flags=re.MULTILINE)[0]
    named = re.split(r"^  ([a-z]+):", text, flags=re.MULTILINE)[1:]
    return dict(zip(named[::2], named[1::2], strict=True))


def test_each_part_of_the_arena_gets_the_games_from_elsewhere() -> None:
    """A part that lacked them would say that their matches' game is gone."""
    ours = {name for name, text in services("docker-compose.yml").items() if "<<: *part" in text}
    assert len(ours) > 5
    assert services("docker/compose.games.yml") == dict.fromkeys(ours, " *games\n")


def test_no_log_of_a_service_fills_the_disk() -> None:
    for file in ("docker-compose.yml", "docker/compose.monitoring.yml"):
        for name, text in services(file).items():
            limited = "<<: *part" in text or "logging:" in text or "image:" not in text
            assert limited, f"{file}: {name} has no limit for its log"
    assert "max-size" in (ROOT / "docker-compose.yml").read_text()
