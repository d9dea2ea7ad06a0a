"""The rulebook of Yavalath; the examples of the public statement come first."""

from __future__ import annotations

import pytest

from hexarena.games.contract import Crashed, Note, Outcome, TimedOut, TooMuchOutput
from hexarena.games.yavalath import replay, rules
from hexarena.games.yavalath.rules import CELL_AT, PLACES, Cause, State
from tests.games.yavalath.pictures import played, position, with_stones

Place = tuple[int, int]


def after(state: State, place: Place) -> State:
    (seat,) = rules.to_act(state)
    return rules.step(state, {seat: CELL_AT[place]}, {})


@pytest.mark.parametrize(
    ("move", "line"),
    [
        ((2, 2), [(0, 0), (1, 1), (2, 2), (3, 3)]),
        ((4, 2), [(4, 0), (4, 1), (4, 2), (4, 3)]),
        ((5, 3), [(3, 3), (4, 3), (5, 3), (6, 3), (7, 3)]),
        ((5, 4), [(3, 2), (4, 3), (5, 4), (5, 5)]),
        ((4, 4), [(4, 3), (4, 4), (3, 5), (2, 6)]),
        ((2, 3), [(1, 3), (2, 3), (3, 3), (4, 3)]),
    ],
)
def test_a_line_of_four_or_five_wins(move: Place, line: list[Place]) -> None:
    state = after(with_stones(*(place for place in line if place != move)), move)
    assert [PLACES[cell] for cell in state.line] == line
    assert rules.outcome(state) == Outcome((0, 1), (1, 0), f"seat 0 made a line of {len(line)}")


@pytest.mark.parametrize(
    ("move", "line"),
    [
        ((2, 3), [(2, 3), (3, 3), (4, 3)]),
        ((2, 2), [(2, 2), (3, 3), (4, 4)]),
        ((4, 2), [(4, 2), (4, 3), (4, 4)]),
        ((4, 5), [(3, 3), (4, 4), (4, 5)]),
        ((3, 4), [(3, 3), (3, 4), (2, 5)]),
    ],
)
def test_a_line_of_three_loses(move: Place, line: list[Place]) -> None:
    state = after(with_stones(*(place for place in line if place != move)), move)
    outcome = rules.outcome(state)
    assert sorted(state.line) == sorted(CELL_AT[place] for place in line)
    assert outcome == Outcome((1, 0), (0, 1), "seat 0 made a line of 3 and loses")


def test_a_four_beats_a_three_made_by_the_same_stone() -> None:
    state = after(with_stones((1, 3), (3, 3), (4, 3), (2, 4), (1, 5)), (2, 3))
    assert state.end is not None
    assert state.end.cause is Cause.WINNING_LINE


def test_two_threes_lose_once() -> None:
    state = after(with_stones((3, 4), (2, 4), (4, 5), (4, 6)), (4, 4))
    assert rules.scores(state) == (0, 1)
    assert [PLACES[cell] for cell in state.line] == [(2, 4), (3, 4), (4, 4)]


def test_a_line_of_two_ends_nothing() -> None:
    state = after(with_stones((4, 4)), (5, 4))
    assert state.line == ()
    assert rules.outcome(state) is None
    assert rules.to_act(state) == (1,)


def test_stones_of_the_opponent_break_a_line() -> None:
    state = position(
        """
            . . . . .
           . . . . . .
          . . . . . . .
         . . . . . . . .
        X X O . X . . . .
         . . . . . . . .
          . . . . . . .
           . . . . . .
            . . . . .
        """,
        turn=6,
    )
    assert rules.outcome(after(state, (3, 4))) is None


def test_a_line_does_not_run_on_from_the_end_of_a_row_to_the_next() -> None:
    assert rules.outcome(after(with_stones((3, 0), (0, 1), (1, 1)), (4, 0))) is None


def test_seat_0_begins_and_the_seats_take_turns() -> None:
    assert [tuple(rules.to_act(state)) for state in (played(), played((4, 4)), played((4, 4), (0, 0)))] == [
        (0,),
        (1,),
        (0,),
    ]


def test_seat_1_may_steal_the_first_stone() -> None:
    state = played((4, 4), (4, 4))
    assert state.board.count("2") == 1
    assert state.board.count("1") == 0
    assert state.stolen
    assert rules.to_act(state) == (0,)
    assert replay.frame(state) == {"p": 1, "x": 4, "y": 4, "steal": True}


def test_only_the_first_stone_may_be_stolen_and_only_at_once() -> None:
    assert rules.may_take(played((4, 4)), CELL_AT[4, 4])
    assert not rules.may_take(played((4, 4), (0, 0)), CELL_AT[0, 0])
    assert not rules.may_take(played((4, 4), (4, 4)), CELL_AT[4, 4])
    assert not rules.may_take(played((4, 4), (0, 0), (8, 4)), CELL_AT[4, 4])


FULL_BUT_ONE = """
        . X O X O
       X O X O X O
      O O X X O O X
     X X O O X X O O
    X O X O X O X O X
     O O X X O O X X
      X X O O X X O
       O X O X O X
        O X X O X
"""


def test_a_full_board_is_a_draw() -> None:
    state = after(position(FULL_BUT_ONE, turn=61), (0, 0))
    assert rules.outcome(state) == Outcome((0, 0), (0, 0), "the board is full")
    assert rules.notes(state) == (Note(1, "No more moves, it's a tie!"),)
    assert rules.to_act(state) == ()


def test_a_line_on_the_last_cell_counts_before_the_draw() -> None:
    picture = FULL_BUT_ONE.replace(". X O X O", ". O O X O")
    assert rules.scores(after(position(picture, turn=61), (0, 0))) == (1, 0)


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (TimedOut("late"), "seat 1 did not reply in time"),
        (Crashed("gone"), "seat 1 stopped without a reply"),
        (TooMuchOutput("long"), "seat 1 wrote too much"),
    ],
)
def test_no_reply_loses_with_minus_one(fault: TimedOut | Crashed | TooMuchOutput, reason: str) -> None:
    state = rules.step(played((4, 4)), {}, {1: fault})
    assert rules.outcome(state) == Outcome((0, 1), (0, -1), reason)
    assert rules.notes(state) == (Note(1, "$1 did not output in time!", "fault"),)
    assert (state.board, state.turn) == (played((4, 4)).board, 2)
    assert replay.frame(state) == {"p": 1, "bad": reason.removeprefix("seat 1 ")}


def test_the_frame_of_a_decisive_stone_shows_its_line() -> None:
    state = after(with_stones((4, 4), (6, 4)), (5, 4))
    assert replay.frame(state) == {"p": 0, "x": 5, "y": 4, "line": [[4, 4], [5, 4], [6, 4]]}
    assert replay.header(state) == {}
