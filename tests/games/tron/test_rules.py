"""The rules of Tron, on small boards."""

from __future__ import annotations

from itertools import product

import pytest

from hexarena.games.contract import BadReply, Note, Outcome, Resigned, TimedOut
from hexarena.games.tron import GAME, replay, rules
from hexarena.games.tron.rules import FROM_SIDE, HEIGHT, WIDTH, State
from tests.games.tron.pictures import after, picture, position

ROOM = """
......
.aA.Bb
......
.cC...
"""


def shows(state: State, expected: str) -> bool:
    return picture(state) == "\n".join(expected.split())


# --- Starts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", GAME.seats)
def test_cycles_start_on_mirrored_cells_away_from_the_walls(seats: int) -> None:
    for seed in range(200):
        starts = rules.setup(seats, seed, 1).starts
        assert len(set(starts)) == seats
        (x, y), *others = starts
        for other in others:
            assert other in set(product((x, WIDTH - 1 - x), (y, HEIGHT - 1 - y)))
        for x, y in starts:
            assert FROM_SIDE <= x <= WIDTH - 1 - FROM_SIDE
            assert FROM_SIDE <= y <= HEIGHT - 1 - FROM_SIDE


def test_two_start_opposite_each_other() -> None:
    for seed in range(50):
        (x, y), other = rules.setup(2, seed, 1).starts
        assert other == (WIDTH - 1 - x, HEIGHT - 1 - y)


def test_each_seat_starts_in_each_quarter_some_time() -> None:
    firsts = [rules.setup(4, seed, 1).starts[0] for seed in range(100)]
    assert {(x < WIDTH // 2, y < HEIGHT // 2) for x, y in firsts} == set(product((True, False), repeat=2))


# --- Riding ----------------------------------------------------------------------------------------------------------


def test_all_ride_at_once_and_leave_trails() -> None:
    before = position(ROOM)
    done = after(before, A="UP", B="DOWN", C="RIGHT")
    assert shows(
        done,
        """
        ..A...
        .aa.bb
        ....B.
        .ccC..
        """,
    )
    assert (done.turn, done.crashes, rules.outcome(done)) == (before.turn + 1, (), None)
    assert replay.frame(done) == {"m": "UDR"}


@pytest.mark.parametrize(
    ("picture", "way", "at"),
    [("aA...B", "UP", "1 -1"), ("aA...B", "DOWN", "1 1"), ("Aa...B", "LEFT", "-1 0"), ("..B.aA", "RIGHT", "6 0")],
)
def test_the_wall_is_a_crash(picture: str, way: str, at: str) -> None:
    done = after(position(picture), A=way, B="LEFT")
    assert rules.notes(done) == [Note(0, f"rode into the wall at {at}")]
    assert replay.frame(done)["x"] == [{"p": 0, "by": "wall"}]


def test_a_trail_is_a_crash_and_the_crashed_trail_vanishes() -> None:
    done = after(position("...b..\n.aAb..\n...B..\n.cC..."), A="RIGHT", B="RIGHT", C="RIGHT")
    assert shows(done, "...b..\n...b..\n...bB.\n.ccC..")
    assert rules.notes(done) == [Note(0, "rode into the trail of seat 1 at 3 1")]
    assert replay.frame(done) == {"m": "RRR", "x": [{"p": 0, "by": "trail", "of": [1]}]}
    assert rules.to_act(done) == (1, 2)


def test_turning_back_is_a_crash_into_the_own_trail() -> None:
    done = after(position(ROOM), A="LEFT", B="UP", C="RIGHT")
    assert rules.notes(done) == [Note(0, "rode into its own trail at 1 1")]


def test_three_meet_on_one_cell() -> None:
    done = after(position("......\n.aA.Bb\n...C..\n...c.."), A="RIGHT", B="LEFT", C="UP")
    assert [(crash.seat, crash.cause, crash.others) for crash in done.crashes] == [
        (0, "meeting", (1, 2)),
        (1, "meeting", (0, 2)),
        (2, "meeting", (0, 1)),
    ]
    assert rules.said(done.crashes[0]) == "met seat 1 and seat 2 on the cell 3 1"
    assert set(picture(done)) == {".", "\n"}
    assert rules.outcome(done) == Outcome((0, 0, 0), (9, 9, 9), "seat 0 and seat 1 and seat 2 crashed in the same turn")


def test_changing_places_is_a_crash_for_both() -> None:
    done = after(position("......\n.aABb.\n......\n.cC..."), A="RIGHT", B="LEFT", C="UP")
    assert [(crash.seat, crash.others) for crash in done.crashes] == [(0, (1,)), (1, (0,))]
    assert rules.outcome(done) == Outcome((1, 1, 0), (9, 9, 10), "seat 2 is the last one riding")


def test_a_trail_that_vanishes_in_this_turn_is_still_there() -> None:
    """Seat 2 crashes into the wall, and seat 0 into the trail that seat 2 leaves behind."""
    done = after(position("..aAcC\n......\n.bB..."), A="RIGHT", B="RIGHT", C="RIGHT")
    assert [(crash.seat, crash.cause) for crash in done.crashes] == [(0, "trail"), (2, "wall")]


def test_a_cell_of_a_cycle_that_moves_on_is_not_free() -> None:
    done = after(position("......\n.aABb.\n......\n.cC..."), A="RIGHT", B="UP", C="UP")
    assert [(crash.seat, crash.cause, crash.others) for crash in done.crashes] == [(0, "trail", (1,))]


def test_freed_cells_can_be_ridden_on_in_the_next_turn() -> None:
    """Seat 1 crashes into the wall; seat 0 rides to where its head was."""
    crashed = after(position("..aAB\n.....\n.cC.."), A="DOWN", B="UP", C="UP")
    assert [crash.seat for crash in crashed.crashes] == [1]
    ridden = after(after(crashed, A="RIGHT", C="LEFT"), A="UP", C="LEFT")
    assert ridden.crashes == ()
    assert shows(ridden, "..aaA\nCccaa\n.cc..")


# --- Faults ----------------------------------------------------------------------------------------------------------


def test_a_fault_is_a_crash_without_a_move() -> None:
    late, wrong = TimedOut("expected a reply within 100 ms"), BadReply("expected UP, DOWN, LEFT or RIGHT, got 'up'")
    done = after(position(ROOM), {0: late, 2: wrong}, B="UP")
    assert rules.notes(done) == [Note(0, late.message, "fault"), Note(2, wrong.message, "fault")]
    assert replay.frame(done) == {"m": ".U.", "x": [{"p": 0, "by": "fault"}, {"p": 2, "by": "fault"}]}
    assert rules.outcome(done) == Outcome((1, 0, 1), (9, 10, 9), "seat 1 is the last one riding")


def test_the_reason_says_who_resigned() -> None:
    done = after(position("aA..Bb"), {1: Resigned("gave the match up")}, A="RIGHT")
    result = rules.outcome(done)
    assert result == Outcome((0, 1), (10, 9), "seat 0 is the last one riding: seat 1 resigned")


def test_nobody_meets_a_cycle_that_did_not_move() -> None:
    """Seat 1 was to ride to the same cell, and failed."""
    done = after(position("......\n.aA.Bb\n......\n.cC..."), {1: TimedOut("late")}, A="RIGHT", C="UP")
    assert [crash.seat for crash in done.crashes] == [1]


# --- The end ---------------------------------------------------------------------------------------------------------


def test_places_follow_the_turns_that_seats_survived() -> None:
    first = after(position("bB....\n....aA\n....cC\n....dD"), A="RIGHT", B="RIGHT", C="LEFT", D="DOWN")
    assert [crash.seat for crash in first.crashes] == [0, 2, 3]
    assert rules.outcome(first) == Outcome((1, 0, 1, 1), (9, 10, 9, 9), "seat 1 is the last one riding")
    two = after(position("bB....\n....aA\n...cC.\n...dD."), A="RIGHT", B="RIGHT", C="RIGHT", D="DOWN")
    assert rules.outcome(two) is None
    last = after(two, B="UP", C="DOWN")
    assert last.out == (10, 11, None, 10)
    assert rules.outcome(last) == Outcome((2, 1, 0, 2), (9, 10, 11, 9), "seat 2 is the last one riding")


def test_two_cycles_that_fill_the_board_are_done_before_the_most_turns() -> None:
    """The longest match there can be: two cycles that never crash before all is full."""
    cells = WIDTH * HEIGHT
    most_cells_each = cells // 2
    assert most_cells_each - 1 < GAME.max_turns <= most_cells_each
