"""The rulebook of TryAngle Catch, in the order of a turn. Rules that recordings hardly test have the most tests."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hexarena.games.contract import BadReply, BotFault, Crashed, Note, Outcome, Seat, TimedOut, TooMuchOutput
from hexarena.games.tryangle import protocol, rules
from hexarena.games.tryangle.board import SPAWN, Surrounded, Triangle, Use, Walk
from hexarena.games.tryangle.mapmaking import make_map
from hexarena.games.tryangle.rules import Complaint, Elimination, Events, Move, State
from tests.games.tryangle.pictures import (
    BOWTIE,
    after,
    bowtie,
    bowtie_picture,
    figure,
    houses,
    owners,
    paths,
    position,
    said,
)

FULL = "a1 b1 a1 b1 a1 b1"
RICH = "a5 b5 a5 b5 a5 b5"
BOTH_OWNED = "024=a 135=b"


def both_rich() -> State:
    return bowtie(RICH, owners=BOTH_OWNED)


# --- Points and captures ---------------------------------------------------------------------------------------------


def test_a_triangle_is_captured_by_owning_its_corners_and_gives_its_first_point_at_once() -> None:
    state = after(bowtie(FULL))
    assert owners(state) == BOTH_OWNED
    assert state.scores == (1, 1)
    assert after(state).scores == (2, 2)


def test_a_triangle_owned_before_the_first_turn_has_given_two_points() -> None:
    assert rules.opening(figure(bowtie_picture(FULL), BOWTIE), 4).scores == (2, 2)


def test_a_triangle_owned_from_the_start_to_the_end_gives_201_points() -> None:
    state = rules.opening(figure(bowtie_picture(FULL), BOWTIE), 4)
    turns = 0
    while rules.to_act(state):
        state = after(state)
        turns += 1
    assert turns == rules.LAST_TURN
    assert rules.outcome(state) == Outcome((0, 0), (201, 201), "200 turns played")


@pytest.mark.parametrize(("corner", "owner"), [("a1", "a"), ("a2/b1", "a"), ("a1/b1", "3"), (".", "3"), ("b1", "3")])
def test_a_corner_is_owned_with_strictly_more_units(corner: str, owner: str) -> None:
    state = after(bowtie(f"a9 b1 {corner} b1 a1 b1"))
    assert owners(state).split()[0] == f"024={owner}"


def test_an_empty_corner_belongs_to_whoever_has_the_majority_all_around() -> None:
    state = after(bowtie(FULL.replace("a1", ".", 1)))
    assert owners(state) == BOTH_OWNED


def test_a_triangle_stays_owned_when_the_units_leave() -> None:
    state = bowtie(". b1 . b1/a3 . b1", owners="024=a")
    state = after(after(state))
    assert owners(state) == "024=a 135=3"
    assert state.scores == (2, 0)


def test_an_opponents_triangle_is_captured_and_may_be_captured_back_at_once() -> None:
    state = after(bowtie(FULL, owners="024=b 135=b", points=(9, 9)))
    assert owners(state) == BOTH_OWNED
    assert [one.may_capture for one in state.triangles] == [2, 1]


def test_who_used_a_triangle_captures_it_again_only_after_leaving_all_corners() -> None:
    words = ". b1 a1 . . b1"
    state = after(bowtie(words, owners=BOTH_OWNED), "SPAWN 2 2 2")
    assert (houses(state), owners(state)) == (". b1 a2 . . b1", "024=2 135=b")
    state = after(state, "MOVE 2 0 1;MOVE 2 4 1")
    assert (houses(state), owners(state)) == ("a1 b1 . . a1 b1", "024=2 135=b")
    state = after(after(state, "MOVE 0 2 1;MOVE 4 2 1"), "MOVE 2 3 2")
    assert (houses(state), owners(state)) == (". b1 . a2 . b1", "024=3 135=b")


def test_the_other_seat_may_capture_a_used_triangle() -> None:
    state = after(bowtie(FULL, owners="024=2 135=b"))
    assert owners(state) == "024=2 135=b"
    state = after(bowtie(FULL, owners="024=1 135=b"))
    assert owners(state) == BOTH_OWNED


# --- Surrounded units ------------------------------------------------------------------------------------------------


def test_units_with_the_opponents_majority_on_all_neighbours_are_killed() -> None:
    state = after(bowtie("a1 b1 b2/a1 b1 b1 b1"))
    assert houses(state) == ". b1 a1/b2 b1 b1 b1"


@pytest.mark.parametrize("neighbour", [".", "a1/b1", "a2/b1"])
def test_one_neighbour_without_that_majority_saves_them(neighbour: str) -> None:
    words = f"a1 b1 b2/a1 b1 {neighbour} b1"
    assert houses(after(bowtie(words))).startswith("a1 b1 ")


def test_both_seats_are_judged_on_the_majorities_before_any_kill() -> None:
    state = after(bowtie("b1 a1 a1 b1 b1 a1"))
    assert houses(state) == "b1 a1 . . b1 a1"


def test_kills_come_once_a_turn_and_before_captures() -> None:
    state = after(bowtie("a2/b1 b1 a1 b1 a1/b1 b1"))
    assert houses(state) == "a2/b1 b1 a1 b1 a1 b1"
    assert owners(state) == BOTH_OWNED
    assert houses(after(state)) == "a2 b1 a1 b1 a1 b1"


# --- Moves -----------------------------------------------------------------------------------------------------------

SQUARE = "a3  .\n.   .\n                        b1\n                        b1"


def test_units_go_by_the_lowest_of_equally_near_neighbours() -> None:
    state = after(position(SQUARE, "01 02 13 23 45"), "MOVE 0 3 2")
    assert houses(state).startswith("a1 a2 . .")


def test_a_long_way_is_one_step_a_turn() -> None:
    state = after(bowtie(FULL), "MOVE 0 1 1")
    assert houses(state) == ". b1 a2 b1 a1 b1"


def test_moves_run_in_written_order_and_send_what_is_left() -> None:
    state = after(position(SQUARE, "01 02 13 23 45"), "MOVE 0 1 1;MOVE 0 2 5")
    assert houses(state).startswith(". a1 a2 .")


def test_no_unit_moves_twice_a_turn() -> None:
    state = after(position(SQUARE.replace(".", "a1", 1), "01 02 13 23 45"), "MOVE 0 1 2;MOVE 1 3 9")
    assert houses(state).startswith("a1 a2 . a1")


def test_units_of_the_opponent_do_not_block() -> None:
    state = after(bowtie(FULL), "MOVE 2 3 1", "MOVE 3 2 1")
    assert state.events.walks == (Walk(0, 2, 3, 1), Walk(1, 3, 2, 1))


def test_nothing_moves_where_there_is_no_way_and_nobody_complains() -> None:
    state = after(position(bowtie_picture(FULL), APART), "MOVE 2 3 1")
    assert (houses(state), said(state)) == ("a1 b1 a1 b1 a1 b1", [])


# --- Using triangles -------------------------------------------------------------------------------------------------


def test_a_spawn_needs_no_units_and_costs_none_and_its_unit_does_not_move_this_turn() -> None:
    state = bowtie(". b1 . a9 . b1", owners="024=a")
    state = after(state, "SPAWN 4 0 2;MOVE 4 0 1")
    assert houses(state) == ". b1 . a9 a1 b1"
    assert said(state) == ["$0: Task can't be applied: MOVE 4 0 1"]


def test_an_attack_kills_all_units_of_the_opponent_next_to_the_triangle_and_costs_one_unit_a_corner() -> None:
    state = after(both_rich(), "ATTACK 0 2 4 3")
    assert houses(state) == "a4 b5 a4 . a4 b5"
    assert owners(state) == "024=2 135=b"


def test_a_corner_of_the_triangle_itself_can_be_attacked() -> None:
    state = bowtie("a5 b5 a5/b9 b5 a5 b5", owners=BOTH_OWNED)
    assert houses(after(state, "ATTACK 0 2 4 2")) == "a4 b5 a4 b5 a4 b5"


def test_attacked_units_do_not_move_any_more() -> None:
    state = after(both_rich(), "ATTACK 0 2 4 3", "MOVE 3 1 5")
    assert houses(state) == "a4 b5 a4 . a4 b5"


def test_both_first_attacks_happen_and_the_second_pays_with_what_is_left() -> None:
    state = after(both_rich(), "ATTACK 0 2 4 3", "ATTACK 1 3 5 2")
    assert houses(state) == "a4 b4 . . a4 b4"


def test_a_second_attack_of_a_seat_comes_after_the_others_first() -> None:
    """Seat 1's attack leaves nothing on house 2 for seat 0's second one, which is lost without a word."""
    picture = """
a5              a5/b5
        a5              b5      .
a5              a5/b5
"""
    state = position(picture, FAN_PATHS, owners="025=a 126=a 136=b")
    state = after(state, "ATTACK 0 2 5 1;ATTACK 1 2 6 3", "ATTACK 1 3 6 2")
    assert (houses(state), said(state)) == ("a4 a5 . b4 . a4 a5/b4", [])


def test_the_first_triangle_with_all_named_houses_is_used_and_houses_may_repeat() -> None:
    state = after(both_rich(), "SPAWN 4 4 4", "SPAWN 5 3 5")
    assert houses(state) == "a5 b5 a5 b5 a6 b6"


def test_a_triangle_is_used_once_a_turn_and_the_rest_is_dropped_without_a_word() -> None:
    state = after(both_rich(), "SPAWN 0 2 4;ATTACK 0 2 4 3;SPAWN 2 0 4")
    assert (houses(state), said(state)) == ("a4 b5 a4 . a4 b5", [])


# --- Paths -----------------------------------------------------------------------------------------------------------

APART = "02 04 24 13 15 35"
NEARER = """
a5                    b5
        a5      b5
a5                      b5
"""


def test_a_new_path_costs_one_unit_a_corner_and_makes_a_new_triangle() -> None:
    state = after(both_rich(), "ADD_PATH 0 2 4 3")
    assert houses(state) == "a4 b5 a4 b5 a4 b5"
    assert paths(state) == "02 03 04 13 15 23 24 35"
    assert owners(state) == "023=3 024=2 135=b"


def test_of_two_paths_that_cross_the_shorter_one_is_built_and_the_other_costs_nothing() -> None:
    state = after(position(NEARER, BOWTIE, owners=BOTH_OWNED), "ADD_PATH 0 2 4 3", "ADD_PATH 1 3 5 2")
    assert paths(state) == "02 04 12 13 15 23 24 35"
    assert houses(state) == "a5 b4 a5 b4 a5 b4"
    assert owners(state) == "024=a 123=3 135=1"
    assert said(state) == []


def test_of_two_equally_long_paths_that_cross_seat_0_builds_its_own() -> None:
    state = after(both_rich(), "ADD_PATH 0 2 4 3", "ADD_PATH 1 3 5 2")
    assert paths(state) == "02 03 04 13 15 23 24 35"
    assert houses(state) == "a4 b5 a4 b5 a4 b5"


def test_the_paths_of_one_seat_are_built_shortest_first_not_as_written() -> None:
    state = position(NEARER.replace("b", "a"), BOWTIE, owners="024=a 135=a")
    state = after(state, "ADD_PATH 0 2 4 3;ADD_PATH 1 3 5 2")
    assert paths(state) == "02 04 12 13 15 23 24 35"


def test_both_pay_for_the_same_path() -> None:
    state = after(position(bowtie_picture(RICH), APART, owners=BOTH_OWNED), "ADD_PATH 2 0 4 3", "ADD_PATH 3 1 5 2")
    assert paths(state) == "02 04 13 15 23 24 35"
    assert houses(state) == "a4 b4 a4 b4 a4 b4"
    assert owners(state) == "024=2 135=1"


def test_both_pay_for_removing_the_same_path() -> None:
    state = after(both_rich(), "REMOVE_PATH 2 0 4 3", "REMOVE_PATH 3 1 5 2")
    assert paths(state) == "02 04 13 15 24 35"
    assert houses(state) == "a4 b4 a4 b4 a4 b4"


def test_a_path_between_two_corners_of_the_triangle_cannot_be_removed() -> None:
    state = after(both_rich(), "REMOVE_PATH 0 2 4 2")
    assert (paths(state), said(state)) == ("02 04 13 15 23 24 35", ["$0: Task can't be applied: REMOVE_PATH 0 2 4 2"])


FAN = """
a2              b4
        a2/b4           b4      .
a2              b4
"""
FAN_PATHS = "02 05 25 12 26 16 13 36 34"


def test_a_triangle_that_is_gone_still_serves_the_commands_that_name_it() -> None:
    """Seat 0 breaks 126 in the first frame; seat 1 uses it for its second removal."""
    state = position(FAN, FAN_PATHS, owners="025=a 126=b 136=b")
    state = after(state, "REMOVE_PATH 2 0 5 1", "REMOVE_PATH 3 1 6 4;REMOVE_PATH 2 1 6 0")
    assert paths(state) == "05 13 16 25 26 36"
    assert houses(state) == "a1 b2 a1/b3 b3 . a1 b2"
    assert owners(state) == "136=1"
    assert said(state) == []


def test_a_triangle_that_comes_back_is_new() -> None:
    state = position(bowtie_picture(RICH), BOWTIE + " 03", owners="023=1 024=a 135=b")
    state = after(state, "REMOVE_PATH 0 2 4 3")
    assert owners(state) == "024=2 135=b"
    state = replace(state, triangles=tuple(one._replace(owner=one.corners[0] & 1) for one in state.triangles))
    assert owners(after(state, "ADD_PATH 0 2 4 3")) == "023=3 024=2 135=b"


def test_a_path_from_a_house_to_itself_costs_and_is_not_shown() -> None:
    state = after(both_rich(), "ADD_PATH 0 2 4 0")
    assert (paths(state), houses(state)) == ("02 04 13 15 23 24 35", "a4 b5 a4 b5 a4 b5")
    assert state.network.neighbours[0] == 0b10101


def test_a_house_with_a_path_to_itself_is_surrounded_only_with_a_majority_on_it_too() -> None:
    words = "a1 b5 a1/b5 b5 a1/b5 b5"
    start = bowtie(words, owners="024=a")
    assert houses(after(start)).startswith(". ")
    state = after(replace(start, units=((2, 0, 9, 0, 9, 0), start.units[1])), "ADD_PATH 0 2 4 0")
    state = after(replace(state, units=((1, 0, 1, 0, 1, 0), start.units[1])))
    assert houses(state).startswith("a1 ")
    state = after(replace(state, units=((1, 0, 1, 0, 1, 0), (2, 5, 5, 5, 5, 5))))
    assert houses(state).startswith("b2 ")


def test_a_path_from_a_house_to_itself_cannot_be_added_twice_or_removed() -> None:
    state = after(both_rich(), "ADD_PATH 0 2 4 0")
    state = replace(state, triangles=both_rich().triangles)
    assert said(after(state, "ADD_PATH 0 2 4 0;REMOVE_PATH 0 2 4 0")) == [
        "$0: Task can't be applied: ADD_PATH 0 2 4 0",
        "$0: Task can't be applied: REMOVE_PATH 0 2 4 0",
    ]


# --- The order of a turn ---------------------------------------------------------------------------------------------


def test_commands_run_by_kind_whatever_the_order_in_the_line() -> None:
    """The attack first, which ends the move; the spawn needs no free units."""
    state = bowtie(RICH, owners=BOTH_OWNED)
    state = after(state, "MOVE 2 3 9;ATTACK 0 2 4 3", "SPAWN 3 1 5;MOVE 3 2 9")
    assert houses(state) == "a4 b5 . a4/b1 a4 b5"


def test_each_further_group_is_a_frame_more() -> None:
    state = both_rich()
    assert after(state).frames == state.frames + 1
    assert after(state, "MOVE 0 2 1").frames == state.frames + 1
    assert after(state, "MOVE 0 2 1", "SPAWN 1 3 5").frames == state.frames + 2


def test_after_the_last_turn_only_the_first_group_is_carried_out() -> None:
    state = bowtie(RICH, owners=BOTH_OWNED, turn=rules.LAST_TURN - 1, points=(3, 4))
    state = after(state, "MOVE 2 3 1;SPAWN 0 2 4")
    assert houses(state) == "a5 b5 a4 a1/b5 a5 b5"
    assert rules.outcome(state) == Outcome((1, 0), (3, 4), "200 turns played")


def test_what_a_turn_did_is_shown_beside_the_position_before_it() -> None:
    """Seat 0 spawns on house 2, seat 1 walks from 1 to 3, and seat 0's unit on house 5 is surrounded."""
    start = bowtie("a5 b5 a5 b5 a5 a1/b5", owners=BOTH_OWNED, points=(7, 4), turn=12)
    state = after(start, "SPAWN 2 4 0;MSG one", "MOVE 1 3 2;MSG two;REMOVE_PATH 1 3 5 3")
    assert state.events == Events(
        network=start.network,
        triangles=start.triangles,
        points=(7, 4),
        walks=(Walk(1, 1, 3, 2),),
        uses=(Use(SPAWN, 0, 0, 2, 2),),
        surrounded=(Surrounded(0, 5, 1),),
        messages=("one", "two"),
        scores=(7, 4),
        notes=(Note(1, "Task can't be applied: REMOVE_PATH 1 3 5 3", "warning"),),
    )
    assert (state.land, state.league, state.turn, state.scores) == (start.land, start.league, 13, (7, 5))


def test_messages_of_the_turn_are_kept() -> None:
    assert after(both_rich(), "MSG  hello ", "MSG one;MSG two").events.messages == ("hello", "two")


# --- Eliminated ------------------------------------------------------------------------------------------------------


def test_a_seat_without_units_and_triangles_is_eliminated_and_the_other_is_asked_once_more() -> None:
    state = after(bowtie("a1 . b2 b1 b1 .", points=(5, 3)))
    assert state.scores == (-1, 4)
    assert rules.notes(state) == (Note(0, "no units or triangles left", "info"),)
    assert rules.to_act(state) == (1,)
    assert protocol.prompt(state, 1, False).startswith("4 -1\n")
    assert rules.outcome(state) is None
    state = after(state)
    assert rules.outcome(state) == Outcome((1, 0), (-1, 4), "seat 0 has no units and no triangles left")


def test_seat_0_still_reads_the_score_of_seat_1_when_that_is_eliminated() -> None:
    state = after(bowtie("b1 . a2 a1 a1 .", points=(5, 3)))
    assert (state.scores, rules.to_act(state)) == ((6, -1), (0,))
    assert protocol.prompt(state, 0, False).startswith("6 3\n")


@pytest.mark.parametrize("reply", [None, "JUMP"])
def test_the_survivor_can_still_lose_its_points(reply: str | None) -> None:
    state = after(bowtie("a1 . b2 b1 b1 .", points=(5, 3)))
    outcome = rules.outcome(after(state, "WAIT", reply))
    assert outcome is not None
    assert (outcome.ranks, outcome.scores) == ((0, 0), (-1, -1))


def test_an_elimination_tells_why_when_and_with_how_many_points() -> None:
    """By a rule before turn 7, by its own fault in turn 7; seven turns were played before either."""
    by_rule = after(bowtie("a1 . b2 b1 b1 .", points=(5, 3), turn=6))
    assert by_rule.eliminated == (Elimination("no units or triangles left", None, 7, 5), None)
    late = after(by_rule, "WAIT", None)
    assert late.eliminated == (by_rule.eliminated[0], Elimination("timeout", "timeout", 7, 4))
    wrong = after(bowtie(RICH, owners=BOTH_OWNED, points=(2, 9), turn=7), "WAIT", "JUMP")
    assert wrong.eliminated == (None, Elimination("Unknown command: JUMP", "invalid", 7, 9))


def test_who_is_out_is_not_eliminated_again() -> None:
    complaints = (Complaint("one", fatal=True), Complaint("two", fatal=True), Complaint("three"))
    state = rules.step(both_rich(), {0: Move(complaints=complaints)}, {})
    assert state.eliminated[0] == Elimination("one", "invalid", 0, 0)
    assert rules.notes(state) == (Note(0, "one", "fault"), Note(0, "three", "warning"))


@pytest.mark.parametrize(
    ("fatal", "fault", "words", "kind"),
    [
        (False, TimedOut("slow"), ["timeout", "odd"], "timeout"),
        (False, BadReply("what"), ["what", "odd"], "invalid"),
        (True, Crashed("gone"), ["odd"], "crash"),
    ],
)
def test_a_fault_is_named_first_unless_the_line_itself_says_why(
    fatal: bool, fault: BotFault, words: list[str], kind: str
) -> None:
    state = rules.step(both_rich(), {1: Move(complaints=(Complaint("odd", fatal),))}, {1: fault})
    assert [note.message for note in rules.notes(state)] == words
    out = state.eliminated[1]
    assert out is not None
    assert (out.words, out.fault) == (words[0], kind)


@pytest.mark.parametrize("seat", [0, 1])
def test_who_is_eliminated_first_is_behind(seat: Seat) -> None:
    """Each seat has one unit and no triangle; seat 0, with 0 points to 5, is tested first and left with -1."""
    points = (0, 5) if seat == 0 else (5, 0)
    state = after(position("a1    b1\n.      .\n.      .", "02 13 04 24 15 35", points=points))
    assert said(state) == [f"${seat}: can't score any more points"]


def test_one_unit_without_a_triangle_and_behind_is_eliminated() -> None:
    words = ". b1 a1 b1 . b1"
    state = after(bowtie(words, points=(5, 5)))
    assert said(state) == ["$0: can't score any more points"]
    assert said(after(bowtie(words, points=(6, 5)))) == []
    assert said(after(bowtie(words.replace("a1", "a2"), points=(5, 5)))) == []


FIVE = """
a9                      .
    .       .       .       .
        .       .       .
"""
FIVE_PATHS = "02 03 23 26 36 37 67 34 47"


@pytest.mark.parametrize(("owned", "is_out"), [("023=b 236=b 347=b", False), ("023=b 236=b 347=b 367=b", True)])
def test_four_fifths_of_the_triangles_dominate(owned: str, is_out: bool) -> None:
    paths_of_five = FIVE_PATHS + " 14"
    assert len(figure(FIVE, paths_of_five).network.triangles) == 4
    five = position(FIVE, FIVE_PATHS + " 45 14 15", owners=owned, points=(9, 0))
    assert len(five.triangles) == 5
    state = after(five)
    assert said(state) == (["$0: is dominated"] if is_out else [])


def test_without_triangles_both_seats_are_dominated() -> None:
    state = after(position("a9    b9\n.      .", "01 02 13"))
    assert said(state) == ["$0: is dominated", "$1: is dominated"]
    assert rules.to_act(state) == ()
    assert rules.outcome(state) == Outcome((0, 0), (-1, -1), "seat 0 is dominated and seat 1 is dominated")


def test_the_match_may_be_over_before_the_first_turn() -> None:
    state = rules.opening(figure("a9    b9\n.      .", "01 02 13"), 4)
    assert rules.to_act(state) == ()
    assert state.frames == 1
    assert [note.message for note in rules.notes(state)] == ["is dominated", "is dominated"]
    assert state.eliminated == (Elimination("is dominated", None, 0, 0),) * 2
    assert rules.outcome(state) == Outcome((0, 0), (-1, -1), "seat 0 is dominated and seat 1 is dominated")


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (TimedOut("slow"), "seat 1 did not reply in time"),
        (Crashed("gone"), "seat 1 stopped without a reply"),
        (TooMuchOutput("much"), "seat 1 wrote too much"),
        (BadReply("expected another line"), "seat 1 wrote an unknown command"),
    ],
)
def test_a_seat_that_fails_loses_and_the_turn_ends_after_its_first_group(fault: BotFault, reason: str) -> None:
    state = bowtie(RICH, owners=BOTH_OWNED, points=(1, 9))
    moves = {0: protocol.parse(state, 0, "MOVE 2 3 1;SPAWN 0 2 4")}
    state = rules.step(state, moves, {1: fault})
    assert houses(state) == "a5 b5 a4 a1/b5 a5 b5"
    assert rules.outcome(state) == Outcome((0, 1), (1, -1), reason)
    assert [(note.seat, note.kind) for note in rules.notes(state)] == [(1, "fault")]


def test_an_unknown_command_ends_the_match_and_the_rest_of_the_line_still_acts() -> None:
    state = after(both_rich(), "JUMP;MOVE 2 3 1;MOVE 99 1 1", "MOVE 3 2 1")
    assert houses(state) == "a5 b5 a4/b1 a1/b4 a5 b5"
    assert said(state) == ["$0: Unknown command: JUMP", "$0: Invalid node: 99"]
    assert rules.outcome(state) == Outcome((1, 0), (-1, 0), "seat 0 wrote an unknown command")


def test_both_seats_may_fail_in_one_turn() -> None:
    state = after(both_rich(), None, "JUMP")
    assert said(state) == ["$0: timeout", "$1: Unknown command: JUMP"]
    assert rules.outcome(state) == Outcome(
        (0, 0), (-1, -1), "seat 0 did not reply in time and seat 1 wrote an unknown command"
    )


# --- Setup -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seats", "league"), [(1, 4), (3, 4), (2, 0)])
def test_a_match_has_two_seats_and_a_league(seats: int, league: int) -> None:
    with pytest.raises(ValueError, match="expected"):
        rules.setup(seats, 1, league)


@pytest.mark.parametrize(
    ("seats", "league", "words"),
    [(3, 4, r"^expected 2 seats, got 3$"), (2, 0, r"^expected a league from 1 to 4, got 0$")],
)
def test_what_is_wrong_with_a_match_is_said(seats: int, league: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        rules.setup(seats, 1, league)


def test_a_match_begins_on_the_map_of_its_seed() -> None:
    start = make_map(7)
    state = rules.setup(2, 7, 1)
    assert (state.league, state.turn, state.frames) == (1, 0, 1)
    assert (state.land, state.network) == (start.land, start.network)


def test_the_first_events_are_what_the_map_shows_before_it_is_resolved() -> None:
    start = figure(bowtie_picture("a1 b1 b2/a1 b1 b1 b1"), BOWTIE)
    state = rules.opening(start, 4)
    free = tuple(Triangle(corners) for corners in start.network.triangles)
    assert state.events == Events(start.network, free, notes=tuple(rules.notes(state)))
    assert (state.land, state.network) == (start.land, start.network)
    assert houses(state) == ". b1 a1/b2 b1 b1 b1"


def test_leagues_above_the_last_play_as_the_last() -> None:
    assert rules.setup(2, 1, 9).league == rules.HIGHEST_LEAGUE


@pytest.mark.parametrize("seed", [0, 5, -1, -(2**63), 2**63 - 1])
def test_seeds_that_share_their_low_48_bits_have_the_same_map(seed: int) -> None:
    assert protocol.prompt(rules.setup(2, seed, 4), 0, True) == protocol.prompt(
        rules.setup(2, seed + 2**48, 4), 0, True
    )
