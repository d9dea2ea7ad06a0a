"""What bots read, line by line, and what is made of what they write."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st

from hexarena.games.battlegrounds import protocol, rules
from hexarena.games.battlegrounds.life import is_alive, revive
from hexarena.games.battlegrounds.state import Events, Move, State, id_of, team_of
from hexarena.games.contract import BadReply, Crashed, IllegalMove
from tests.games.battlegrounds.pictures import cells_of, position

SIZE = 30
ANYTHING = st.text(st.characters(exclude_categories=()), max_size=80)
WORDS = st.sampled_from(
    ["1", "-9", "10", "none", "ok", "say", "fault", "5000", "-0", "٣", "+1", "", "\x00", "é", "\ud800"]
)
LINES = st.one_of(ANYTHING, st.lists(st.one_of(WORDS, st.integers().map(str)), max_size=8).map(" ".join))
LINES_A_TEST = 50
"""Hypothesis runs a test a hundred times; each time with this many lines, so 20,000 over four phases."""


def at(turn: int) -> State:
    state = rules.setup(8, 5, 1, size=SIZE, start_turns=2, main_turns=40)
    for _ in range(turn):
        state = rules.step(state, {seat: Move(aim=(seat, 29)) for seat in rules.to_act(state)}, {})
    return state


INIT, PARACHUTE, START, MAIN = at(0), at(3), at(11), at(13)


# --- Prompts ------------------------------------------------------------------------------------------------------


def test_the_first_block_is_the_whole_board() -> None:
    lines = protocol.prompt(INIT, 6, True).split("\n")
    assert lines[0] == f"init 4 {SIZE}"
    assert len(lines) == SIZE + 2
    assert lines[-1] == ""
    assert "".join(lines[1:-1]) == "".join(map(str, cells_of(INIT)))


def test_parachuting_shows_the_choices_of_the_team() -> None:
    moves = {4: Move(aim=(1, 2)), 5: Move(), 6: Move(aim=(29, 0)), 0: Move(aim=(7, 7)), 7: Move(aim=(3, 3))}
    state = rules.step(at(1), moves, {})
    assert protocol.prompt(state, 5, False) == "parachute 1\n2 1 2\n3 -1 -1\n4 29 0\n5 3 3\n"
    gone = rules.step(state, {4: Move(aim=(9, 9))}, {7: Crashed("ended")})
    assert protocol.prompt(gone, 4, False) == "parachute 2\n2 9 9\n3 -1 -1\n4 29 0\n5 -1 -1\n"


EXAMPLE = """
....................................
....................................
....................................
..e.................................
....................................
....................................
....................................
....................................
....................................
....................................
....................................
....................................
.............##.....................
.............#a.....................
................b...................
....................................
....................................
....................................
....................................
....................................
....................................
....................................
....................................
....................................
....................................
...........................g........
....................................
....................................
....................................
....................................
....................................
....................................
....................................
....................................
....................................
c...................................
"""


def test_the_main_phase_shows_a_fragment_the_team_and_its_messages() -> None:
    state = position(EXAMPLE, number=7, hp={"a": 2})
    state = replace(state, events=Events(chats=((0, "me"), (1, "1"), (2, "Come to 3 4 "), (4, "not for you"))))
    assert protocol.prompt(state, 0, False) == (
        "main 7 2\n"
        "14 13\n"
        + 2 * f"{'0' * 25}\n"
        + f"x{'0' * 24}\n"
        + 8 * f"{'0' * 25}\n"
        + "0000000000011000000000000\n"
        + "0000000000012000000000000\n"
        + "0000000000000030000000000\n"
        + 11 * f"{'0' * 25}\n"
        + "3\n2 14 13\n3 16 14\n4 0 35\n"
        "2\n3 1\n4 Come to 3 4 \n"
    )


def test_the_starting_phase_shows_the_same_without_the_team_and_hp() -> None:
    state = replace(position(EXAMPLE, phase="start", number=1), events=Events(chats=((6, "5"),)))
    lines = protocol.prompt(state, 4, False).split("\n")
    assert lines[:2] == ["start 1", "2 3"]
    assert lines[27:] == ["1", "4 5", ""]


def slow_view(state: State, seat: int) -> list[str]:
    """A fragment cell by cell."""
    cell = state.places[seat]
    assert cell is not None
    x, y = state.plan.place(cell)
    rows = []
    for down in range(-12, 13):
        row = ""
        for right in range(-12, 13):
            target = state.plan.cell(x + right, y + down)
            if target in state.places:
                other = state.places.index(target)
                row += str(id_of(other)) if team_of(other) == team_of(seat) else "x"
            else:
                row += str(int(is_alive(state.cells, target)))
        rows.append(row)
    return rows


@settings(max_examples=60, deadline=None)
@given(st.integers(25, 40), st.integers(0, 2**32), st.lists(st.integers(0, 624), min_size=8, max_size=8, unique=True))
def test_fragments_go_over_the_edges(size: int, seed: int, places: list[int]) -> None:
    state = rules.setup(8, seed, 1, size=size, start_turns=2, main_turns=40)
    cells = bytearray(state.cells)
    for cell in places:
        revive(cells, cell)
    state = replace(state, turn=12, places=tuple(places), cells=bytes(cells))
    for seat in range(8):
        assert protocol.prompt(state, seat, False).split("\n")[2:27] == slow_view(state, seat)


# --- Replies ------------------------------------------------------------------------------------------------------


def test_the_first_reply_is_ok() -> None:
    assert protocol.parse(INIT, 0, "ok") == Move()


@pytest.mark.parametrize(
    ("reply", "aim"),
    [
        ("3 4", (3, 4)),
        ("none", None),
        ("-1 -31", (29, 29)),
        ("30 61", (0, 1)),
        ("-0 -30", (0, 0)),
        (" 999999999999999999 0 ", (9, 0)),
        ("9223372036854775807 -9223372036854775808", (7, 22)),
        ("1" + 4_900 * "0" + "7 -1" + 4_900 * "0" + "7", (17, 13)),
    ],
)
def test_a_choice_is_wrapped_onto_the_board(reply: str, aim: tuple[int, int] | None) -> None:
    assert protocol.parse(PARACHUTE, 0, reply) == Move(aim=aim)


@pytest.mark.parametrize(
    ("reply", "move"),
    [
        ("", Move()),
        ("1", Move(actions=(1,))),
        ("1 -3 0", Move(actions=(1, -3, 0))),
        ("  5   -5 ", Move(actions=(5, -5))),
        ("say hello there ", Move(chat="hello there ")),
        ("9 say 10", Move(actions=(9,), chat="10")),
        ("9 say say 1", Move(actions=(9,), chat="say 1")),
        ("say ", Move()),
        ("say " + 40 * "é", Move(chat=32 * "é")),
        ("say a\x00b\u2028c", Move(chat="abc")),
    ],
)
def test_a_turn_is_actions_and_perhaps_a_message(reply: str, move: Move) -> None:
    assert protocol.parse(START, 0, reply) == move
    assert protocol.parse(MAIN, 0, reply) == move


@pytest.mark.parametrize(
    ("state", "reply"),
    [
        (INIT, ""),
        (INIT, "yes"),
        (PARACHUTE, ""),
        (PARACHUTE, "None"),
        (PARACHUTE, "1"),
        (PARACHUTE, "1 2 3"),
        (PARACHUTE, "1.0 2"),
        (PARACHUTE, "1  2"),
        (PARACHUTE, "٣ 4"),
        (MAIN, "10"),
        (MAIN, "+1"),
        (MAIN, "01"),
        (MAIN, "1 2 3 4"),
        (MAIN, "0 0 0 0"),
        (MAIN, "1,2"),
        (MAIN, "say"),
        (MAIN, "1say 1"),
        (MAIN, "SAY 1"),
        (MAIN, "ok"),
        (START, "none"),
    ],
)
def test_anything_else_is_refused_and_quoted(state: State, reply: str) -> None:
    with pytest.raises(BadReply, match=r"expected .* got ") as refused:
        protocol.parse(state, 0, reply)
    assert refused.value.partial is None
    assert repr(reply)[:200] in refused.value.message


@pytest.mark.parametrize("reply", ["10", "-10", "1 2 3 4", "0 0 0 0", "01", "+1", "1 99 say me"])
def test_numbers_that_are_no_actions_are_forgiven(reply: str) -> None:
    with pytest.raises(IllegalMove):
        protocol.parse(MAIN, 0, reply)


@pytest.mark.parametrize("reply", ["hello", "1 two", "1,2", "say", "MOVE 1", "1.0", "ok", "\x00"])
def test_other_words_break_the_protocol(reply: str) -> None:
    with pytest.raises(BadReply) as refused:
        protocol.parse(MAIN, 0, reply)
    assert not isinstance(refused.value, IllegalMove)


@pytest.mark.parametrize("state", [INIT, PARACHUTE, START, MAIN])
def test_the_harness_can_say_what_the_bot_did_wrong(state: State) -> None:
    with pytest.raises(IllegalMove) as refused:
        protocol.parse(state, 0, "fault main raised ValueError: \x07no " + 300 * "x")
    assert refused.value.message == ("main raised ValueError: no " + 300 * "x")[:200]
    with pytest.raises(BadReply, match="not explained"):
        protocol.parse(state, 0, "fault ")


def read(state: State, line: str) -> Move | str:
    """The move, or why there is none."""
    try:
        return protocol.parse(state, 0, line)
    except BadReply as fault:
        return fault.message


@pytest.mark.long
@pytest.mark.parametrize("state", [INIT, PARACHUTE, START, MAIN])
@given(st.lists(LINES, min_size=LINES_A_TEST, max_size=LINES_A_TEST))
@settings(deadline=None)
def test_any_line_is_a_move_or_a_bad_reply(state: State, lines: list[str]) -> None:
    for line in lines:
        move = read(state, line)
        if isinstance(move, str):
            assert move
            continue
        assert move.aim is None or all(0 <= number < SIZE for number in move.aim)
        assert len(move.actions) <= 3
        assert all(-9 <= action <= 9 for action in move.actions)
        assert len(move.chat) <= 32
        assert move.chat == "" or move.chat.isprintable()
