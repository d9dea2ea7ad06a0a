"""The rules page of Tron says what the code does: its pictures and figures, taken from the page itself."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from hexarena.games.catalogue import game_file
from hexarena.games.contract import BadReply
from hexarena.games.tron import GAME, protocol, rules
from hexarena.games.tron.rules import FROM_SIDE, HEIGHT, WIDTH
from tests.games.tron.pictures import after, picture, position

TEXT = game_file(GAME, "statement.md").read_text(encoding="utf-8")


def svg(name: str) -> ElementTree.Element:
    return ElementTree.fromstring(game_file(GAME, "pictures", name).read_text(encoding="utf-8"))  # noqa: S314 - our own


CASES = [group for group in svg("crashes.svg").iter() if group.get("data-before")]


def test_every_picture_is_shown_and_there() -> None:
    shown = re.findall(r"!\[.+\]\(pictures/([a-z]+\.svg)\)", TEXT)
    assert sorted(shown) == sorted(path.name for path in game_file(GAME, "pictures").iterdir())


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.attrib["data-moves"]))
def test_crashes_are_those_of_the_picture(case: ElementTree.Element) -> None:
    moves = dict(word.split(":") for word in case.attrib["data-moves"].split())
    done = after(position(case.attrib["data-before"]), **moves)
    assert picture(done).split() == case.attrib["data-after"].split()
    assert done.crashes


def test_the_picture_shows_each_cause() -> None:
    causes = set()
    for case in CASES:
        moves = dict(word.split(":") for word in case.attrib["data-moves"].split())
        causes |= {crash.cause for crash in after(position(case.attrib["data-before"]), **moves).crashes}
    assert len(CASES) == 4
    assert causes == {"wall", "trail", "meeting"}


def test_the_board_is_that_of_its_seed() -> None:
    board = svg("board.svg")
    starts = rules.setup(4, int(board.attrib["data-seed"]), 1).starts
    assert board.attrib["data-starts"] == "; ".join(f"{x} {y}" for x, y in starts)


def test_the_figures_are_the_codes() -> None:
    assert f"{WIDTH} × {HEIGHT} cells" in TEXT
    assert f"from 0 at the left to {WIDTH - 1} at the right" in TEXT
    assert f"0 at the top to {HEIGHT - 1} at\nthe **bottom**" in TEXT
    assert f"at least {FROM_SIDE} cells from the nearest walls" in TEXT
    assert f"{GAME.clock.first_s * 1000:.0f} ms of CPU time for your first reply" in TEXT
    assert f"{GAME.clock.turn_s * 1000:.0f} ms for each later one" in TEXT
    assert f"at most {GAME.reply_bytes} bytes" in TEXT
    assert f"{GAME.max_turns} turns at most" in TEXT


def test_places_of_the_example_of_ties() -> None:
    """Two of four in turn 30, the others in turn 41."""
    state = position("A.B.C.D", turn=41)
    ended = type(state)(state.width, state.board, state.starts, state.heads, (30, 41, 30, 41), 41)
    result = rules.outcome(ended)
    assert result is not None
    assert sorted(result.ranks) == [0, 0, 2, 2]
    assert "the places are 1st, 1st, 3rd and 3rd" in TEXT


def test_words_are_capital_letters() -> None:
    assert "in capital letters. Blanks around the word do not count" in TEXT
    assert protocol.parse(position("A.B"), 0, " UP ") == "UP"
    with pytest.raises(BadReply):
        protocol.parse(position("A.B"), 0, "up")
