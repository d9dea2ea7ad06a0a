"""`hexarena bench refits` measures real refits of a made-up arena."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_cli import hexarena


@pytest.mark.long
def test_first_and_later_refits_are_measured(tmp_path: Path) -> None:
    words = ("--matches", "3000", "--bots", "200", "--new", "20", "--later", "2", "--json", "out.json")
    done = hexarena(tmp_path, "bench", "refits", *words)
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "out.json").read_text())
    assert [(one["game"], one["which"]) for one in rows] == [
        (game, which) for game in ("yavalath", "battlegrounds") for which in ("first", "later", "later")
    ]
    for game in ("yavalath", "battlegrounds"):
        first, *later = (one["cost"] for one in rows if one["game"] == game)
        assert first["counted"] == first["results"] > 300
        assert [one["counted"] for one in later] == [20, 20]
        assert [one["results"] for one in later] == [first["results"] + 20, first["results"] + 40]
        assert all(0 < one["cpu_s"] < 60 and 20 < one["memory_mb"] < 2000 for one in (first, *later))
    assert "CPU s" in done.stdout
