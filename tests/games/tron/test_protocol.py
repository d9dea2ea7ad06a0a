"""What bots of Tron read and write."""

from __future__ import annotations

import pytest

from hexarena.games.contract import BadReply
from hexarena.games.tron import protocol, rules
from tests.games.tron.pictures import after, position


def test_a_bot_reads_where_each_trail_begins_and_ends() -> None:
    start = rules.opening(30, 20, [(3, 4), (26, 15), (3, 15)])
    assert protocol.prompt(start, 1, True) == "3 1\n3 4 3 4\n26 15 26 15\n3 15 3 15\n"
    state = after(after(start, A="UP", B="LEFT", C="UP"), A="UP", B="LEFT", C="DOWN")
    assert protocol.prompt(state, 0, False) == "3 0\n3 4 3 2\n26 15 24 15\n-1 -1 -1 -1\n"


@pytest.mark.parametrize("reply", ["UP", "DOWN", "LEFT", "RIGHT"])
@pytest.mark.parametrize("around", ["{}", " {}", "{}  ", "\t{}\r"])
def test_blanks_around_a_direction_do_not_count(reply: str, around: str) -> None:
    assert protocol.parse(position("A.B"), 0, around.format(reply)) == reply


@pytest.mark.parametrize(
    "reply", ["", "up", "U", "UP UP", "UP!", "UP left", "\ufeffUP", "UP\x00", "0", "\u00a0UP", "\uff35\uff30"]
)
def test_all_else_is_no_direction(reply: str) -> None:
    with pytest.raises(BadReply, match="expected UP, DOWN, LEFT or RIGHT, got "):
        protocol.parse(position("A.B"), 0, reply)
