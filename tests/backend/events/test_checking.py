"""What the check of a published file says where it cannot be checked here."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hexarena.backend.events import checking
from hexarena.cli.verify_event import REFUSED
from hexarena.games.contract import GameError
from hexarena.games.lines import Player
from hexarena.games.records import to_text
from hexarena.games.yavalath import rules
from tests.cli.test_cli import hexarena
from tests.games.test_conformance import starter_match

MATCH = starter_match("yavalath", 1)
EVENT = {"format": 4, "commitment": "", "name": "Cup", "secret": "", "league": 1, "entries": [], "played": []}


def file_of(folder: Path, game: str) -> Path:
    """An event without matches, and a record that is none of them."""
    text = to_text(MATCH, options={}, bots=["a", "b"], players=[Player("a"), Player("b")])
    with zipfile.ZipFile(folder / "event.zip", "w") as container:
        container.writestr("event.json", json.dumps(EVENT | {"game": game}))
        container.writestr("matches/7.jsonl", text)
    return folder / "event.zip"


@contextmanager
def opened(folder: Path, game: str) -> Iterator[checking.EventFile]:
    file = checking.EventFile(file_of(folder, game))
    try:
        yield file
    finally:
        file.close()


def test_an_event_of_a_game_that_is_not_here_is_no_difference(tmp_path: Path) -> None:
    done = hexarena(tmp_path, "verify-event", file_of(tmp_path, "chess").name)
    assert (done.returncode, "Traceback" in done.stderr) == (REFUSED, False), done.stderr
    assert "got 'chess'. HEXARENA_GAMES names the folders of other games" in " ".join(done.stderr.split())


def breaks_contract(*_: object) -> Any:
    raise GameError("expected 2 ranks; got 3")


@pytest.mark.parametrize(("part", "broken"), [("outcome", breaks_contract), ("longest_line", None)])
def test_a_match_in_which_the_games_own_code_fails_is_a_difference(
    part: str, broken: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path, "yavalath") as file:
        check = checking._Check(file, None, lambda done, of: None)
        game, seed = {"match": 7, "ranks": [0, 1], "submissions": [1, 2], "digest": ""}, MATCH.seed
        monkeypatch.setattr(rules, part, broken)
        assert check._ranks("Game 1", game, (1, 2), seed) == [0, 1]
    (said,) = check._found.wrong
    assert said.startswith("Game 1: its record cannot be played again: the game's own code failed: ")
