"""The game that docs/adding-a-game.md builds passes the checks, as it stands there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "adding-a-game.md"
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
)
"""Of the guide's blocks, in order; None is how a person plays, which the game can do without."""


def test_the_game_of_the_guide_passes_every_check(tmp_path: Path) -> None:
    text = GUIDE.read_text()
    blocks = [found[3] for found in BLOCK.finditer(text[text.index("## A game in modules") :])]
    assert len(blocks) == len(FILES)
    folder = tmp_path / "nim"
    (folder / "bots").mkdir(parents=True)
    for file, block in zip(FILES, blocks, strict=True):
        if file is not None:
            (folder / file).write_text(block)
    environment = {name: value for name, value in os.environ.items() if name != "HEXARENA_GAMES"}
    done = subprocess.run(
        [sys.executable, "-m", "hexarena.cli", "check", str(folder), "--json"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    assert {one["check"]: one["told"] for one in json.loads(done.stdout) if one["result"] != "passed"} == {}
