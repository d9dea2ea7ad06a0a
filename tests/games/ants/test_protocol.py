"""What a bot of Ants reads, and how strictly it is read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from hexarena.games.ants import protocol, replay, rules
from hexarena.games.ants.rules import Move
from hexarena.games.contract import BadReply, BotFault, Note
from tests.games.ants.pictures import after, position, stay

START = rules.setup(2, 17, 4)
LINE = "LINE <from_index> <to_index> <beacon_strength>"
BEACON = "BEACON <cell_index> <beacon_strength>"
ANY = "BEACON | LINE | MESSAGE | WAIT"


def read(reply: str) -> Move:
    return protocol.parse(START, 0, reply)


def error(reply: str) -> tuple[str, Move]:
    """What the reference says of a reply, and what of it still acts."""
    with pytest.raises(BadReply) as raised:
        read(reply)
    partial = raised.value.partial
    assert isinstance(partial, Move)
    assert partial.unread is not None
    return partial.unread, partial


# --- Prompts ---------------------------------------------------------------------------------------------------------


def test_both_seats_see_the_same_cells_and_their_own_side_first() -> None:
    state = position("A/a5 c7/a2/b3\ne4 B/b6", points=(12, 34))
    cells = ["4", "0 0 1 -1 -1 -1 -1 2", "2 7 -1 -1 -1 0 2 3", "1 4 3 1 0 -1 -1 -1", "0 0 -1 -1 1 2 -1 -1"]
    assert protocol.prompt(state, 0, True).splitlines() == [
        *cells, "1", "0", "3", "12 34", "0 5 0", "7 2 3", "4 0 0", "0 0 6",
    ]  # fmt: skip
    assert protocol.prompt(state, 1, True).splitlines() == [
        *cells, "1", "3", "0", "34 12", "0 0 5", "7 3 2", "4 0 0", "0 6 0",
    ]  # fmt: skip
    assert protocol.prompt(state, 0, False).splitlines() == ["12 34", "0 5 0", "7 2 3", "4 0 0", "0 0 6"]


@pytest.mark.parametrize("league", [1, 2, 3])
def test_there_are_no_points_to_read_below_league_4(league: int) -> None:
    state = position("A/a5 c7\n. B/b6", league=league)
    assert protocol.prompt(state, 1, False) == "0 0 5\n7 0 0\n0 0 0\n0 6 0\n"


# --- Replies ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "move"),
    [
        ("WAIT", Move()),
        ("WAIT;", Move()),
        ("WAIT;;", Move()),
        (";", Move()),
        (";;;", Move()),
        ("\t WAIT \x00", Move()),
        ("BEACON 3 4;LINE 1 2 3;BEACON 5 0", Move(lines=((1, 2, 3),), beacons=((3, 4), (5, 0)))),
        ("BEACON 0003 2147483647", Move(beacons=((3, 2147483647),))),
        (f"BEACON {'0' * 9_000}3 4", Move(beacons=((3, 4),))),
        ("MESSAGE one; MESSAGE  two ; MESSAGE three", Move(message="three")),
        ("MESSAGE  two  words ", Move(message="two  words")),
        ("WAIT\r", Move()),
        ("WAIT;\r", Move()),
    ],
)
def test_commands_are_read(reply: str, move: Move) -> None:
    assert read(reply) == move


@pytest.mark.parametrize(
    ("reply", "form", "got"),
    [
        ("", ANY, ""),
        (" ", ANY, " "),
        ("WAIT; ", ANY, " "),
        (";WAIT", ANY, ""),
        ("WAIT;;WAIT", ANY, ""),
        ("wait", "WAIT", "wait"),
        ("WAITT", "WAIT", "WAITT"),
        ("beacon 1 2", BEACON, "beacon 1 2"),
        ("BEACON  1 2", BEACON, "BEACON  1 2"),
        ("BEACON -1 2", BEACON, "BEACON -1 2"),
        ("BEACON +1 2", BEACON, "BEACON +1 2"),
        ("BEACON \u0663 4", BEACON, "BEACON \u0663 4"),
        ("BEACON 1 2\u00a0", BEACON, "BEACON 1 2\u00a0"),
        ("LINE 1 2", LINE, "LINE 1 2"),
        ("LINE 1 2 3 4", LINE, "LINE 1 2 3 4"),
        ("MESSAGE", "MESSAGE <text>", "MESSAGE"),
        ("MESSAGE   ", "MESSAGE <text>", "MESSAGE   "),
        ("MESSAGE a\u0085b", "MESSAGE <text>", "MESSAGE a\u0085b"),
        ("MESSAGE a\u2028b", "MESSAGE <text>", "MESSAGE a\u2028b"),
        ("MESSAGE a\u2029b", "MESSAGE <text>", "MESSAGE a\u2029b"),
        ("MESSAGE a\rb", "MESSAGE <text>", "MESSAGE a\rb"),
        ("MESSAGE a\nb", "MESSAGE <text>", "MESSAGE a\nb"),
        (" BEACON x 1", ANY, " BEACON x 1"),
        ("\tLINE 1 2", ANY, "\tLINE 1 2"),
        ("FOO 1 2", ANY, "FOO 1 2"),
        ("BEACON 3 2147483648", BEACON, 'java.lang.NumberFormatException: For input string: "2147483648"'),
        (
            "LINE 1 0099999999999 88888888888",
            LINE,
            'java.lang.NumberFormatException: For input string: "0099999999999"',
        ),
    ],
)
def test_an_error_has_the_references_words(reply: str, form: str, got: str) -> None:
    assert error(reply)[0] == f"Invalid Input: Expected {form} but got '{got}'"


def test_what_stands_before_the_error_is_kept() -> None:
    words, partial = error("BEACON 1 2;MESSAGE hi;LINE 1 2 3;BEACON 3 99999999999;BEACON 4 4")
    assert partial == Move(lines=((1, 2, 3),), beacons=((1, 2),), message="hi", unread=words)


def test_our_own_words_say_what_was_expected_and_quote_what_was_got() -> None:
    with pytest.raises(BadReply) as raised:
        read("WAIT;BEACON x 1")
    assert raised.value.message == "expected BEACON <cell_index> <beacon_strength>, got 'BEACON x 1'"
    with pytest.raises(BadReply) as raised:
        read("BEACON 1 4294967296")
    assert raised.value.message == "expected numbers up to 2147483647, got 'BEACON 1 4294967296'"
    with pytest.raises(BadReply) as raised:
        read("x" * 9_999)
    assert len(raised.value.message) < 300


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("x" * 48, "x" * 48),
        ("x" * 49, "x" * 46 + "..."),
        ("\U0001f41c" * 24, "\U0001f41c" * 24),
        ("\U0001f41c" * 25, "\U0001f41c" * 23 + "..."),
        ("x" + "\U0001f41c" * 24, "x" + "\U0001f41c" * 22 + "\ufffd..."),
        ("<b>&amp</b>", "<b>&amp</b>"),
    ],
)
def test_long_messages_are_cut_by_utf_16_units(text: str, shown: str) -> None:
    assert read(f"MESSAGE {text}").message == shown


def test_a_lone_surrogate_never_reaches_a_replay() -> None:
    assert read("MESSAGE a\ud800b").message == "a\ufffdb"
    assert "\ud800" not in error("\ud800")[0]


COMMANDISH = st.lists(
    st.one_of(
        st.sampled_from(["BEACON", "LINE", "MESSAGE", "WAIT", ";", " ", "0", "7", "99999999999", "-1", "\r", "\x85"]),
        st.text(max_size=3),
    ),
    max_size=20,
).map("".join)


def read_or_refuse(reply: str) -> tuple[Move, dict[int, BotFault]]:
    try:
        return read(reply), {}
    except BadReply as fault:
        return fault.partial, {0: fault}


@pytest.mark.long
@given(st.one_of(st.text(st.characters(exclude_categories=())), COMMANDISH))
def test_any_text_is_a_move_or_a_bad_reply(reply: str) -> None:
    move, faults = read_or_refuse(reply)
    assert all(len(fault.message) < 600 for fault in faults.values())
    state = rules.step(START, {0: move, 1: Move()}, faults)
    written = json.dumps([replay.frame(state), [note.message for note in rules.notes(state)]], ensure_ascii=False)
    assert json.loads(written.encode("utf-8"))[0]["s"] == [0, 0]
    assert (rules.outcome(state) is None) == (not faults)


# --- Pictures --------------------------------------------------------------------------------------------------------


def test_a_frame_tells_all_that_can_be_seen() -> None:
    state = position("e9/a2 A/a2 c99/a6/b1 b1 B/b2 .")
    state = after(state, stay(state, 0), Move(beacons=((5, 1),), message="off"))
    assert replay.frame(state) == {
        "m": ["", "2a,a,a2,"],
        "h": [[0, 0, 2, [0, 1]], [0, 2, 4, [2, 1]]],
        "b": [":2,,:6,", "5,"],
        "s": [4, 0],
        "n": [2, 0],
        "msg": ["", "off"],
    }


def test_the_texts_of_a_frame_skip_what_is_usual() -> None:
    """Two rows of three cells; ants go both ways from the middle of the upper one, one of them alone."""
    state = position("A . .\n. B/b1 c9/a3")
    state = after(state, Move(beacons=((1, 5), (2, 1), (4, 5))), Move(beacons=((0, 1), (3, 1))))
    assert {(walk.start, walk.end, walk.ants) for walk in state.events.walks if walk.seat == 0} == {
        (5, 2, 1),
        (5, 4, 2),
    }
    assert replay.frame(state)["m"][0] == "5cd2,"
    assert replay.frame(state)["b"] == ["1:5,:1,1:5,", ",2,"]


def test_a_frame_leaves_out_what_there_is_not() -> None:
    state = after(position("A/a1 . B c9"))
    assert replay.frame(state) == {"m": ["", ""], "h": [], "b": ["", ""], "s": [0, 0]}


def test_the_header_has_the_map() -> None:
    state = position("A/a5 c7\ne4 B/b6")
    assert replay.header(state) == {
        "cells": [[0, 0, 0, 0], [1, 0, 2, 7], [0, 1, 1, 4], [1, 1, 0, 0]],
        "bases": [[0], [3]],
        "ants": [[5, 0, 0, 0], [0, 0, 0, 6]],
    }


def test_notes_are_not_shown_to_be_faults_when_they_cost_nothing() -> None:
    state = after(START, read("BEACON 900 1"))
    assert rules.notes(state) == (Note(0, "cannot find cell 900", "warning"),)


@pytest.mark.parametrize(
    ("reply", "played"),
    [
        ("WAIT", "WAIT"),
        ("LINE 1 2 3; MESSAGE 12 nodes;BEACON 4 5", "LINE 1 2 3;BEACON 4 5"),
        ("MESSAGE a", ""),
        ("WAIT;MESSAGES", "WAIT;MESSAGES"),
    ],
)
def test_a_message_makes_no_other_match(reply: str, played: str) -> None:
    assert protocol.without_message(reply) == played
