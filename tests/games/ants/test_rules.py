"""The rulebook of Ants; the examples of the public statement come first."""

from __future__ import annotations

import pytest

from hexarena.games.ants import rules
from hexarena.games.ants.mapmaking import DIRECTIONS, build_board, shortest_path
from hexarena.games.ants.rules import Harvest, Move, Walk
from hexarena.games.contract import BadReply, Crashed, Note, Outcome, TimedOut, TooMuchOutput
from tests.games.ants.pictures import after, beacons, position, stay

# --- The statement's examples ----------------------------------------------------------------------------------------


def test_ants_keep_the_proportions_of_the_beacons() -> None:
    """Three beacons of strength 2, 1 and 2 share 10 ants."""
    state = after(position("A/a10 . . B c90"), beacons({0: 2, 1: 1, 2: 2}))
    state = after(state, beacons({0: 2, 1: 1, 2: 2}))
    assert state.ants[0] == (4, 2, 4, 0, 0)


def test_the_harvest_is_the_weakest_link_of_the_chain() -> None:
    state = position("c99/a6 a4 a9 A/a5 . B")
    state = after(state, stay(state, 0))
    assert state.events.crystal == (Harvest(0, 0, 4),)
    assert state.points == (4, 0)


@pytest.mark.parametrize(("attackers", "harvested"), [(3, 5), (5, 5), (8, 0)])
def test_a_larger_attack_chain_breaks_a_harvest_chain_and_an_equal_one_does_not(attackers: int, harvested: int) -> None:
    state = position(f"c99/a5 a5/b{attackers} A/a5\nb{attackers} . .\nB/b{attackers} . .")
    state = after(state, stay(state, 0), stay(state, 1))
    assert state.points[0] == harvested


# --- Beacons ---------------------------------------------------------------------------------------------------------


def test_a_beacon_overrides_lines_wherever_it_stands_and_the_last_word_counts() -> None:
    move = Move(lines=((0, 2, 5), (1, 3, 3)), beacons=((1, 9), (0, 0)))
    state = after(position("A/a1 . . . B c9"), move)
    assert state.events.beacons[0] == {0: 1, 1: 9, 2: 3, 3: 3}


def test_a_line_takes_the_lowest_neighbour_first_so_its_direction_matters() -> None:
    """Six cells around a hole; the ends are opposite each other."""
    start, upper, right, left, lower, end = (DIRECTIONS[way] for way in (0, 1, 2, 5, 4, 3))
    board = build_board([start, upper, left, lower, right, end], resources={}, bases=[start], ants_per_base=1)
    assert shortest_path(board, 0, 5) == (0, 1, 4, 5)
    assert shortest_path(board, 5, 0) == (5, 3, 2, 0)


def test_a_line_of_one_cell_is_legal() -> None:
    assert after(position("A/a1 . B c9"), Move(lines=((1, 1, 7),))).events.beacons[0] == {1: 7}


def test_cells_that_do_not_exist_are_noted_once_a_command_lines_first() -> None:
    move = Move(lines=((0, 4, 1), (8, 9, 1)), beacons=((7, 1), (1, 1)))
    state = after(position("A/a1 . B c9"), move, Move(beacons=((5, 1), (6, 1))))
    assert rules.notes(state) == (
        Note(0, "cannot find cell 4 + 2 other errors", "warning"),
        Note(1, "cannot find cell 5 + 1 other error", "warning"),
    )
    assert state.events.beacons == ({1: 1}, {})
    assert rules.outcome(state) is None


# --- Allocation and movement -----------------------------------------------------------------------------------------


def test_without_beacons_nothing_moves() -> None:
    state = after(position("A/a3 . B/b3 c9"))
    assert state.ants == ((3, 0, 0, 0), (0, 0, 3, 0))
    assert state.events.walks == ()


def test_ants_go_one_cell_a_turn_and_forget() -> None:
    state = after(position("A/a3 . . . B c9"), beacons({3: 1}))
    assert state.events.walks == (Walk(0, 0, 1, 3),)
    assert after(state).ants[0] == (0, 3, 0, 0, 0, 0)


def test_the_nearest_ants_answer_a_beacon() -> None:
    state = after(position("A/a1 . . a1 . B c9"), beacons({2: 1, 5: 1}))
    assert state.ants[0] == (0, 1, 1, 0, 0, 0, 0)


def test_too_many_beacons_get_one_ant_each_the_nearest_first() -> None:
    state = after(position("A/a2 . . . B c9"), beacons({0: 1, 1: 1, 2: 1, 3: 1}))
    assert state.ants[0] == (1, 1, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("picture", "strengths", "ants"),
    [
        ("- . . c9\nA/a4 . B", {1: 1}, (4, 0, 0, 0, 0, 0)),
        ("- . . c9\nA/a4 . B", {1: 3, 4: 1}, (0, 0, 0, 0, 4, 0)),
        ("- . . c9\nA/a4 a1 B", {1: 4, 0: 1}, (1, 1, 0, 0, 3, 0)),
    ],
    ids=["the lower cell", "the stronger beacon", "more own ants"],
)
def test_of_two_ways_ants_prefer(picture: str, strengths: dict[int, int], ants: tuple[int, ...]) -> None:
    """From the base, cell 3, to cell 1, by cell 0 or by cell 4."""
    assert after(position(picture), beacons(strengths)).ants[0] == ants


def test_strengths_up_to_the_largest_integer_add_up() -> None:
    largest = 2**31 - 1
    state = after(position("A/a10 . B c9"), beacons({0: largest, 1: largest}))
    assert state.ants[0] == (5, 5, 0, 0)


# --- Harvest ---------------------------------------------------------------------------------------------------------


def test_new_ants_hatch_at_once_on_each_base_and_count_for_the_crystal_of_the_same_turn() -> None:
    state = position("e9/a2 A/a2 c99/a6 a6 A/a1 . B")
    state = after(state, stay(state, 0))
    assert state.events.new_ants == (2, 0)
    assert state.ants[0] == (2, 4, 6, 6, 3, 0, 0)
    assert state.events.crystal == (Harvest(0, 2, 4),)


def test_both_seats_get_their_full_amount_from_a_cell_that_holds_less() -> None:
    state = position("A/a5 c7/a5/b5 B/b5 . c90")
    state = after(state, stay(state, 0), stay(state, 1))
    assert state.points == (5, 5)
    assert state.amounts[1] == 0


def test_the_same_ants_serve_several_chains() -> None:
    state = position("c9/a3 c9/a3 A/a3 . B c90")
    assert after(state, stay(state, 0)).points == (6, 0)


def test_ants_on_an_empty_base_harvest_nothing() -> None:
    state = position("c9/a3 a3 A . B c90")
    assert after(state, stay(state, 0)).points == (0, 0)


def test_no_chain_is_broken_below_league_3() -> None:
    picture = "c99/a5 a5/b8 A/a5\nb8 . .\nB/b8 . ."
    for league, points in ((1, 5), (2, 5), (3, 0), (4, 0)):
        state = position(picture, league=league)
        assert after(state, stay(state, 0), stay(state, 1)).points[0] == points


# --- The end ---------------------------------------------------------------------------------------------------------


def test_the_match_ends_when_no_crystal_is_left() -> None:
    state = position("c3/a3 A/a3 . B", points=(0, 9))
    state = after(state, stay(state, 0))
    assert rules.to_act(state) == ()
    assert rules.outcome(state) == Outcome((1, 0), (3, 9), "no crystal left")


@pytest.mark.parametrize(("points", "over"), [((9, 1), False), ((10, 1), True), ((1, 10), True), ((11, 1), True)])
def test_a_lead_as_large_as_what_is_left_wins(points: tuple[int, int], over: bool) -> None:
    state = after(position("A/a1 . B/b1 c9", points=points))
    assert (rules.outcome(state) is not None) == over
    if over:
        leader = int(points[1] > points[0])
        assert rules.outcome(state) == Outcome((leader, 1 - leader), points, f"seat {leader}'s lead cannot be caught")


def test_after_100_turns_the_points_decide() -> None:
    state = after(position("A/a1 . B/b1 c90", points=(3, 4), turn=99))
    assert rules.outcome(state) == Outcome((1, 0), (3, 4), "100 turns played")
    assert rules.to_act(after(position("A/a1 . B/b1 c90", points=(3, 4), turn=98))) == (0, 1)


def test_equal_points_become_numbers_of_ants() -> None:
    state = after(position("A/a7 . B/b5 c90", points=(4, 4), turn=99))
    assert rules.outcome(state) == Outcome((0, 1), (7, 5), "100 turns played")
    state = after(position("A/a7 . B/b7 c90", points=(4, 4), turn=99))
    assert rules.outcome(state) == Outcome((0, 0), (7, 7), "100 turns played")


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (TimedOut("late"), "did not reply in time"),
        (Crashed("gone"), "stopped without a reply"),
        (TooMuchOutput("long"), "wrote too much"),
    ],
)
def test_a_seat_without_a_reply_is_out_and_the_turn_is_played(fault: TimedOut, words: str) -> None:
    state = position("c9/a3 A/a3 . B/b1 c90", points=(5, 0))
    state = rules.step(state, {1: beacons({2: 1})}, {0: fault})
    assert state.points == (8, 0)
    assert state.events.walks == (Walk(1, 3, 2, 1),)
    assert rules.outcome(state) == Outcome((1, 0), (-1, 0), f"seat 0 {words}")
    assert rules.notes(state) == (Note(0, "Timeout!", "fault"),)


def test_commands_before_the_error_still_act() -> None:
    partial = Move(beacons=((1, 1),), unread="Invalid Input: Expected WAIT but got 'WAITT'")
    state = position("A/a2 . B/b1 c90")
    state = rules.step(state, {0: partial, 1: Move()}, {0: BadReply("expected WAIT", partial=partial)})
    assert state.ants[0] == (0, 2, 0, 0)
    assert rules.notes(state) == (Note(0, "Invalid Input: Expected WAIT but got 'WAITT'", "fault"),)
    assert rules.outcome(state) == Outcome((1, 0), (-1, 0), "seat 0 wrote an invalid command")


def test_two_seats_out_at_once_draw() -> None:
    state = rules.step(position("A/a2 . B/b1 c90", points=(9, 0)), {}, {0: TimedOut("late"), 1: Crashed("gone")})
    assert rules.outcome(state) == Outcome(
        (0, 0), (-1, -1), "seat 0 did not reply in time and seat 1 stopped without a reply"
    )


def test_equal_points_stay_points_when_a_seat_is_out() -> None:
    state = rules.step(position("A/a2 . B/b9 c90"), {1: Move()}, {0: TimedOut("late")})
    assert rules.final_scores(state) == (-1, 0)


# --- Setting up ------------------------------------------------------------------------------------------------------


def test_a_match_has_two_seats() -> None:
    with pytest.raises(ValueError, match="expected 2 seats, got 3"):
        rules.setup(3, 1, 4)


def test_leagues_above_4_play_as_4() -> None:
    assert rules.setup(2, 17, 9).ants == rules.setup(2, 17, 4).ants
    assert rules.setup(2, 17, 9).level is rules.setup(2, 17, 4).level
