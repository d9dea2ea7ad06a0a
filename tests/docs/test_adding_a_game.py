"""The game that docs/adding-a-game.md builds passes the checks, as it stands there."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tests import forking

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "adding-a-game.md"
TRON = ROOT / "games" / "tron"
TRICKS = ROOT / "docs" / "examples" / "tricks"
BLOCK = re.compile(r"^(`{3,})(python|ts|markdown)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
BOTS = ("bots/starter.py", "bots/counter.py")
FILES = (
    "__init__.py",
    "rules.py",
    "protocol.py",
    "replay.py",
    "viewer.ts",
    None,
    "statement.md",
    "bots/starter.py",
    "bots/counter.py",
    "machine.py",
)
"""Of the guide's blocks, in order; None is how a person plays, which the game can do without."""


@pytest.mark.parametrize(
    ("begin", "end", "folder", "blocks"),
    [("### Tron", "## Hidden information", TRON, 7), ("## Hidden information", "## A game in modules", TRICKS, 5)],
)
def test_what_the_guide_shows_of_a_game_is_its_code(begin: str, end: str, folder: Path, blocks: int) -> None:
    text = GUIDE.read_text()
    shown = BLOCK.findall(text[text.index(begin) : text.index(end)])
    code = {
        kind: "\n".join(file.read_text() for file in sorted(folder.glob(f"*.{ending}")))
        for kind, ending in (("python", "py"), ("ts", "ts"))
    }
    assert len(shown) == blocks
    assert [block for _, kind, block in shown if block not in code[kind]] == []


def _name_the_machine_view(manifest: Path) -> None:
    """As the guide says in words."""
    text = manifest.read_text()
    text = text.replace("import protocol, replay, rules", "import machine, protocol, replay, rules")
    manifest.write_text(text.replace("    replay=replay,\n", "    replay=replay,\n    machine=machine,\n"))
    assert manifest.read_text().count("machine") == 3


@pytest.mark.long
def test_the_game_of_the_guide_passes_every_check(tmp_path: Path) -> None:
    text = GUIDE.read_text()
    blocks = [found[3] for found in BLOCK.finditer(text[text.index("## A game in modules") :])]
    assert len(blocks) == len(FILES)
    folder = tmp_path / "nim"
    (folder / "bots").mkdir(parents=True)
    for file, block in zip(FILES, blocks, strict=True):
        if file is not None:
            (folder / file).write_text(block)
    _name_the_machine_view(folder / "__init__.py")
    environment = {name: value for name, value in os.environ.items() if name != "HEXARENA_GAMES"}
    done = forking.run("hexarena.cli", "check", str(folder), "--json", env=environment)
    assert done.stdout, done.stderr
    found = {one["check"]: (one["result"], one["detail"]) for one in json.loads(done.stdout)}
    assert {name: reported for name, (result, reported) in found.items() if result == "failed"} == {}
    assert {name for name, (result, _) in found.items() if result == "skipped"} == {"hidden", "tell", "in_person"}
