"""Yavalath in numbers: what a machine reads of a position, and which cells it may name."""

from __future__ import annotations

import pytest

from hexarena.games.contract import TimedOut
from hexarena.games.shapes import misfits
from hexarena.games.yavalath import machine, protocol, rules
from hexarena.games.yavalath.rules import CELL_AT, State
from tests.games.yavalath.pictures import played, position

PICTURE = """
    X....
   .O....
  ..X....
 ........
.........
 ........
  .......
   ......
    ....O
"""


@pytest.mark.parametrize(("seat", "own", "other"), [(0, 1, 2), (1, 2, 1)])
def test_a_seat_sees_its_own_stones_as_1_and_the_others_as_2(seat: int, own: int, other: int) -> None:
    state = position(PICTURE, turn=4, last=(4, 8))
    seen = machine.observation(state, seat)
    assert seen["board"][:5] == [own, 0, 0, 0, 0]
    assert seen["board"][5:11] == [0, other, 0, 0, 0, 0]
    assert (seen["board"][13], seen["board"][60], sum(map(bool, seen["board"]))) == (own, other, 4)
    assert (seen["last"], seen["turn"], seen["seat"]) == (60, 4, seat)


def test_an_action_names_its_cell() -> None:
    state = State()
    for cell, reply in enumerate(machine.actions(state)):
        assert protocol.parse(state, 0, reply) == cell


def test_only_the_seat_to_act_has_legal_actions_the_empty_cells() -> None:
    state = position(PICTURE, turn=4)
    taken = {CELL_AT[place] for place in ((0, 0), (1, 1), (2, 2), (4, 8))}
    assert set(machine.legal(state, 0)) == set(range(61)) - taken
    assert machine.legal(state, 1) == ()


def test_in_turn_1_the_stone_just_placed_may_be_taken_over() -> None:
    assert len(machine.legal(played((4, 4)), 1)) == 61
    assert len(machine.legal(played((4, 4), (0, 0)), 0)) == 59


def test_after_the_end_there_is_a_view_and_nothing_to_do() -> None:
    state = rules.step(played((4, 4)), {}, {1: TimedOut("expected a reply")})
    assert rules.outcome(state) is not None
    for seat in (0, 1):
        seen = machine.observation(state, seat)
        assert list(misfits(machine.shape(state), seen)) == []
        assert (seen["last"], seen["turn"], list(machine.legal(state, seat)), machine.out(state)) == (-1, 2, [], ())
