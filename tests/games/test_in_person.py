"""What the games do for people who play: they end when somebody resigns, and say what they would ignore."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from hexarena.games.catalogue import all_games, find_game
from hexarena.games.contract import Game, Reply, Resigned, Seat
from hexarena.games.ghosts import Ghost, Said
from hexarena.games.referee import play, replayed

LINES = {"ants": "WAIT", "tron": "UP", "tryangle": "WAIT", "yavalath": ""}
CELLS = ("0 0", "2 0", "4 0", "0 2", "6 2", "0 4")
PLAYED = [game for game in all_games().values() if game.in_person]


@dataclass
class Person:
    """Replies so often, then resigns."""

    lines: list[str]

    def ask(self, prompt: str, seconds: float) -> Reply:
        """See Channel."""
        if not self.lines:
            raise Resigned("gave the match up")
        return Reply(self.lines.pop(0))

    def log(self) -> str:
        """See Channel."""
        return ""


def lines_of(game: Game, seat: Seat, turns: int) -> list[str]:
    return list(CELLS[seat::2])[:turns] if game.id == "yavalath" else [LINES[game.id]] * turns


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("game", PLAYED, ids=lambda game: game.id)
def test_whoever_resigns_loses(game: Game, seat: Seat) -> None:
    people = [Person(lines_of(game, one, 2 if one == seat else 999)) for one in (0, 1)]
    record = play(game, people, seed=1, league=game.top_level)
    assert f"seat {seat} resigned" in record.outcome.reason
    assert record.outcome.ranks[seat] == 1
    assert [(fault.seat, fault.kind, fault.message) for fault in record.faults] == [
        (seat, "resigned", "gave the match up")
    ]
    assert "imeout" not in str(record.turns[-1].frame)


@pytest.mark.parametrize("game", all_games().values(), ids=lambda game: game.id)
def test_a_game_is_played_in_person_where_its_viewer_asks(game: Game) -> None:
    viewer = Path(f"games/{game.id}/viewer.ts").read_text()
    assert ("import { ask } from './ask'" in viewer) is game.in_person


@pytest.mark.parametrize(
    ("name", "line", "why"),
    [
        ("ants", "BEACON 998 1;LINE 0 999 1;BEACON 1 1", ["998", "999"]),
        ("ants", "BEACON 1 1", []),
        ("tryangle", "MOVE 1 1 1", ["Task can't be applied: MOVE 1 1 1"]),
        ("tryangle", "WAIT", []),
        ("yavalath", "4 4", []),
    ],
)
def test_what_would_be_ignored_is_named(name: str, line: str, why: list[str]) -> None:
    game = find_game(name)
    state = game.rules.setup(2, 1, game.top_level)
    found = game.objections(state, 0, game.protocol.parse(state, 0, line))
    assert len(found) == len(why)
    assert all(part in message for part, message in zip(sorted(why), sorted(found), strict=True))


@pytest.mark.parametrize("game", PLAYED, ids=lambda game: game.id)
def test_the_state_follows_from_what_was_said(game: Game) -> None:
    said = [[Said(line) for line in lines_of(game, seat, 3)] for seat in (0, 1)]
    turns = 6 if game.id == "yavalath" else 3
    states = [replayed(game, [Ghost(one) for one in said], turns, seed=7, league=game.top_level) for _ in range(2)]
    assert states[0] == states[1]
    assert states[0].turn == turns
