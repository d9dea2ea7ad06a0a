"""What a bot of Yavalath reads, and how strictly it is read."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from hexarena.games.contract import BadReply, IllegalMove, Note, Outcome
from hexarena.games.yavalath import protocol, rules
from hexarena.games.yavalath.rules import CELL_AT, PLACES, Forbidden, Unreadable
from tests.games.yavalath.pictures import played

EMPTY_ROWS = ["00000", "000000", "0000000", "00000000", "000000000", "00000000", "0000000", "000000", "00000"]
START = rules.setup(2, 1, 1)


def test_the_first_prompt_begins_with_the_id() -> None:
    assert protocol.prompt(START, 0, True) == "\n".join(["1", "9", *EMPTY_ROWS, "-1 -1", ""])


def test_a_seat_sees_its_own_stones_as_1_and_the_opponents_last_move() -> None:
    state = played((4, 4), (0, 0))
    assert protocol.prompt(state, 0, False).splitlines() == [
        "9", "20000", *EMPTY_ROWS[1:4], "000010000", *EMPTY_ROWS[5:], "0 0",
    ]  # fmt: skip
    assert protocol.prompt(played((4, 4)), 1, True).splitlines() == [
        "2", "9", *EMPTY_ROWS[:4], "000020000", *EMPTY_ROWS[5:], "4 4",
    ]  # fmt: skip


def test_after_a_steal_seat_0_reads_its_own_cell_as_the_opponents_last_move() -> None:
    lines = protocol.prompt(played((4, 4), (4, 4)), 0, False).splitlines()
    assert lines[5] == "000020000"
    assert lines[-1] == "4 4"


@pytest.mark.parametrize(
    ("reply", "place"),
    [
        ("4 4", (4, 4)),
        ("4 4 This is a message/This is another message", (4, 4)),
        ("4 4    ", (4, 4)),
        ("4\t4", (4, 4)),
        ("4\r4\v", (4, 4)),
        ("+4 04", (4, 4)),
        ("-0 0000000000000000", (0, 0)),
        ("0" * 9_000 + "3 2", (3, 2)),
        ("\u0664 \uff14", (4, 4)),
        ("\u0660" * 20 + "\u0664 4", (4, 4)),
        ("4 4 \x00\ud800", (4, 4)),
    ],
)
def test_two_whole_numbers_name_a_cell(reply: str, place: tuple[int, int]) -> None:
    assert PLACES[protocol.parse(START, 0, reply)] == place


@pytest.mark.parametrize(
    ("reply", "cause", "action"),
    [
        ("", "not a number", ""),
        (" ", "only one number", ""),
        (" \t \r", "only one number", ""),
        ("4", "only one number", "4"),
        ("4 ", "only one number", "4"),
        ("b", "not a number", "b"),
        (" 4 4", "not a number", " 4 4"),
        ("4  4", "not a number", "4  4"),
        ("4\xa04", "not a number", "4\xa04"),
        ("4,4", "not a number", "4,4"),
        ("4.0 4", "not a number", "4.0 4"),
        ("0x4 4", "not a number", "0x4 4"),
        ("+ 4", "not a number", "+ 4"),
        ("--4 4", "not a number", "--4 4"),
        ("4 \U0001d7dc", "not a number", "4 \U0001d7dc"),
        ("2147483648 0", "not a number", "2147483648 0"),
        ("-2147483649 0", "not a number", "-2147483649 0"),
        ("9" * 5_000 + " 0", "not a number", "9" * 5_000 + " 0"),
    ],
)
def test_anything_else_cannot_be_read(reply: str, cause: str, action: str) -> None:
    with pytest.raises(Unreadable, match=r"^expected ") as caught:
        protocol.parse(START, 0, reply)
    assert caught.value.cause == cause
    assert caught.value.action == action


@pytest.mark.parametrize("reply", ["0 9", "-1 -1", "5 0", "9 4", "2147483647 0", "-2147483648 0", "-00002147483648 1"])
def test_a_cell_must_be_on_the_board(reply: str) -> None:
    with pytest.raises(Forbidden, match="expected a cell of the board") as caught:
        protocol.parse(START, 0, reply)
    assert caught.value.cause == "out of bounds"


def test_a_cell_must_be_empty_unless_it_is_stolen() -> None:
    assert protocol.parse(played((4, 4)), 1, "4 4") == CELL_AT[4, 4]
    with pytest.raises(IllegalMove, match="expected an empty cell, got '4 4 hi', which holds a stone"):
        protocol.parse(played((4, 4), (4, 4)), 0, "4 4 hi")


def test_the_rules_tell_a_bad_reply_in_the_references_own_words() -> None:
    with pytest.raises(IllegalMove) as caught:
        protocol.parse(START, 0, "0 9")
    state = rules.step(START, {}, {0: caught.value})
    assert rules.notes(state) == (
        Note(0, "Player $0 played an illegal action (out of bounds move).", "fault"),
        Note(0, "Action was: 0 9", "fault"),
    )
    assert rules.outcome(state) == Outcome((1, 0), (-1, 0), "seat 0 named a cell outside the board")


numbers = st.one_of(st.integers(-3, 12).map(str), st.integers().map(str), st.text("0123456789+-٠٤４𝟜²", max_size=12))
blanks = st.text(" \t\r\v\f\n\x00\u2003", min_size=1, max_size=3)
anything = st.text(st.characters(exclude_categories=()), max_size=30)


@given(st.one_of(anything, st.builds("".join, st.tuples(numbers, blanks, numbers, anything))))
def test_no_text_raises_anything_but_a_bad_reply(reply: str) -> None:
    for state in (START, played((4, 4)), played((4, 4), (0, 0))):
        (seat,) = rules.to_act(state)
        try:
            cell = protocol.parse(state, seat, reply)
        except BadReply as fault:
            rules.notes(rules.step(state, {}, {seat: fault}))
        else:
            assert rules.may_take(state, cell)


@pytest.mark.parametrize(
    ("reply", "played"),
    [
        ("4 4", "4 4"),
        ("4 4 12 nodes", "4 4"),
        ("+4 -4 x", "+4 -4"),
        ("4 4 ", "4 4"),
        ("4  4 x", "4  4 x"),
        ("x 4 y", "x 4 y"),
        ("", ""),
    ],
)
def test_a_message_makes_no_other_match(reply: str, played: str) -> None:
    assert protocol.without_message(reply) == played
