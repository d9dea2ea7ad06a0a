"""Tron in numbers: what a machine reads of a position, seen from each seat."""

from __future__ import annotations

from itertools import chain

from hexarena.games.shapes import misfits
from hexarena.games.tron import machine, protocol
from tests.games.tron.pictures import after, position

ROOM = """
......
.aAB..
...b..
.cC...
"""


def test_a_seat_sees_itself_as_1_and_the_next_seats_as_2_and_3() -> None:
    state = position(ROOM)
    seen = [machine.observation(state, seat) for seat in range(3)]
    assert [one["board"][1] for one in seen] == [[0, 1, 1, 2, 0, 0], [0, 3, 3, 1, 0, 0], [0, 2, 2, 3, 0, 0]]
    assert [one["board"][3] for one in seen] == [[0, 3, 3, 0, 0, 0], [0, 2, 2, 0, 0, 0], [0, 1, 1, 0, 0, 0]]
    assert [one["heads"] for one in seen] == [
        [[2, 1], [3, 1], [2, 3]],
        [[3, 1], [2, 3], [2, 1]],
        [[2, 3], [2, 1], [3, 1]],
    ]
    assert [(one["seat"], one["turn"]) for one in seen] == [(0, 9), (1, 9), (2, 9)]
    assert [list(misfits(machine.shape(state), one)) for one in seen] == [[], [], []]


def test_whoever_is_out_has_no_head_no_trail_and_nothing_to_do() -> None:
    state = after(position(ROOM), A="UP", B="DOWN", C="RIGHT")
    assert machine.out(state) == [1]
    for seat in range(3):
        seen = machine.observation(state, seat)
        assert seen["heads"][(1 - seat) % 3] == [-1, -1]
        assert sum(map(bool, chain(*seen["board"]))) == 6
        assert list(misfits(machine.shape(state), seen)) == []
    assert [list(machine.legal(state, seat)) for seat in range(3)] == [[0, 1, 2, 3], [], [0, 1, 2, 3]]


def test_every_direction_is_legal_even_into_a_wall_until_the_end() -> None:
    state = position("A...B")
    assert [protocol.parse(state, 0, reply) for reply in machine.actions(state)] == ["UP", "DOWN", "LEFT", "RIGHT"]
    assert list(machine.legal(state, 0)) == [0, 1, 2, 3]
    done = after(state, A="UP", B="LEFT")
    assert [list(machine.legal(done, seat)) for seat in (0, 1)] == [[], []]


def test_the_shape_is_that_of_the_board_and_the_seats() -> None:
    shape = machine.shape(position(ROOM))
    assert {name: getattr(part, "size", None) for name, part in shape.parts.items()} == {
        "board": (4, 6),
        "heads": (3, 2),
        "turn": None,
        "seat": None,
    }
