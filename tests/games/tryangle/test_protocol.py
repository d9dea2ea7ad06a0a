"""What a bot of TryAngle Catch reads, and how strictly it is read. The words of errors are the reference's."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest
from hypothesis import example, given, settings, strategies as st

from hexarena.games.contract import BadReply
from hexarena.games.referee import read_replies
from hexarena.games.tryangle import GAME, protocol, replay, rules
from hexarena.games.tryangle.board import Command, Kind
from hexarena.games.tryangle.rules import Complaint, Move, State
from tests.games.tryangle.pictures import BOWTIE, after, bowtie, bowtie_picture, position

RICH = "a5 b5 a5 b5 a5 b5"
OWNED = "024=a 135=b"
START = bowtie(RICH, owners=OWNED)


def read(reply: str, *, seat: int = 0, state: State = START) -> Move:
    """The move, unknown commands or not."""
    moves, faults = read_replies(GAME, state, {seat: reply})
    move = moves[seat]
    assert isinstance(move, Move)
    assert any(complaint.fatal for complaint in move.complaints) == (seat in faults)
    return move


def errors(reply: str, *, seat: int = 0, state: State = START) -> list[str]:
    """What is said of a line; fatal words are marked with an exclamation mark."""
    return [words + "!" * fatal for words, fatal in read(reply, seat=seat, state=state).complaints]


# --- Prompts ---------------------------------------------------------------------------------------------------------

HOUSES = ["6", "0 0 0", "1 480 0", "2 160 100", "3 320 100", "4 0 200", "5 480 200"]
PATHS = ["7", "0 2", "0 4", "1 3", "1 5", "2 3", "2 4", "3 5"]


def test_each_seat_reads_its_own_side_first() -> None:
    state = bowtie("a5 b5 a5/b1 b5 . b5", owners="024=1 135=b", points=(12, 34))
    assert protocol.prompt(state, 0, True).splitlines() == [
        *HOUSES, "12 34", "0 5 0", "1 0 5", "2 5 1", "3 0 5", "4 0 0", "5 0 5",
        *PATHS, "2", "0 2 4 -1 1 0", "1 3 5 1 1 0", "4", "0 3", "1 2", "2 5", "3 4",
    ]  # fmt: skip
    assert protocol.prompt(state, 1, False).splitlines() == [
        "34 12", "0 0 5", "1 5 0", "2 1 5", "3 5 0", "4 0 0", "5 5 0",
        *PATHS, "2", "0 2 4 -1 0 1", "1 3 5 0 0 1", "4", "0 3", "1 2", "2 5", "3 4",
    ]  # fmt: skip


@pytest.mark.parametrize(("league", "last"), [(1, "0"), (2, "0"), (3, "3 4"), (4, "3 4")])
def test_pairs_to_link_are_sent_from_league_3_on(league: int, last: str) -> None:
    assert protocol.prompt(replace(START, league=league), 0, False).endswith(f"\n{last}\n")


def test_a_map_without_paths_and_triangles_can_be_read() -> None:
    state = position("a1  b1", "")
    assert protocol.prompt(state, 0, False) == "0 0\n0 1 0\n1 0 1\n0\n0\n1\n0 1\n"


# --- Commands that are carried out -----------------------------------------------------------------------------------

MOVE = Command(Kind.MOVE, 0, 0, 2, amount=1)


@pytest.mark.parametrize(
    ("reply", "commands"),
    [
        ("MOVE 0 2 1", [MOVE]),
        ("move 0 2 1", [MOVE]),
        ("\t MoVe \v\f 000\t2 0001 \r", [MOVE]),
        (f"MOVE {'0' * 5000} 2 1", [MOVE]),
        ("MOVE 0 2 2147483647", [MOVE._replace(amount=2**31 - 1)]),
        ("MOVE 0 2 1;MOVE 0 2 1", [MOVE, MOVE]),
        ("WAIT;MOVE 0 2 1;;", [MOVE]),
        ("SPAWN 4 2 0", [Command(Kind.SPAWN, 0, 4, 4, 0)]),
        ("SPAWN 4 4 4", [Command(Kind.SPAWN, 0, 4, 4, 0)]),
        ("ATTACK 0 2 4 3", [Command(Kind.ATTACK, 0, 0, 3, 0)]),
        ("ATTACK 2 2 4 0", [Command(Kind.ATTACK, 0, 2, 0, 0)]),
        ("ADD_PATH 0 2 4 3", [Command(Kind.ADD_PATH, 0, 0, 3, 0)]),
        ("ADD_PATH 0 2 4 0", [Command(Kind.ADD_PATH, 0, 0, 0, 0)]),
        ("REMOVE_PATH 2 0 4 3", [Command(Kind.REMOVE_PATH, 0, 2, 3, 0)]),
    ],
)
def test_commands_are_read(reply: str, commands: list[Command]) -> None:
    assert protocol.parse(START, 0, reply) == Move(tuple(commands))


@pytest.mark.parametrize(
    "reply",
    ["", ";", ";;;", " ", "\t;\x00; ", "WAIT", " wait ", "\x1fWAIT\x00", "wa\u0131t", "WA\u0131T;WAIT", "\r",
     "LINE 1 2 3 4", "rect -1 -2 -3 -4", "CIRCLE 1 2 -2147483648", " TEXT -1 2 x", "TEXT 1 1  ", "text 1 1 7",
     "TEXT 1 1 7 8", "TEXT 1 1 \u0663 \x0b\u200b"],
)  # fmt: skip
def test_some_lines_ask_for_nothing(reply: str) -> None:
    assert protocol.parse(START, 0, reply) == Move()


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ("MSG hello", "hello"),
        ("msg  two  words ", "two  words"),
        ("MSG one;mSg two", "two"),
        ("MSG ", ""),
        ("M\u017fG long s", "long s"),
        ("MSG WAIT", "WAIT"),
        ("MSG 1 2 3", "1 2 3"),
        ("MSG " + "x" * 60, "x" * 50),
        ("MSG " + "x" * 48 + "\U0001f600y", "x" * 48 + "\U0001f600"),
        ("MSG " + "x" * 49 + "\U0001f600y", "x" * 49 + "\ufffd"),
        ("MSG a\ud800b", "a\ufffdb"),
    ],
)
def test_a_message_is_shown(reply: str, message: str) -> None:
    assert protocol.parse(START, 0, reply) == Move(message=message)


# --- Unknown commands ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "part",
    ["JUMP", "MSG", " MSG x", "MSG\tx", "WAIT 1", "W AIT", "WAIT\u00a0", "\u2003WAIT", "MOVE",
     "MOVE 1 2", "MOVE 1 2 3 4",
     "MOVE -1 2 1", "MOVE 1 -2 1", "MOVE +1 2 1", "MOVE 1 2 +1", "MOVE 1 2 --1", "MOVE 1 2 - 1", "MOVE 1 2 1.0",
     "MOVE 0 2 \u0661", "MOVE\u00a00 2 1", "\u212aOVE 0 2 1", "MOVE\x1c0 2 1", "MOVE0 2 1",
     "MOVE 1,2,1", "MOVE 1 2 1_0",
     "\u017fPAWN 0 2 4", "SPAWN 0 2", "SPAWN 0 2 4 3", "SPAWN 0 2 -4", "ATTACK 0 2 4", "ATTACK 0 2 4 3 1",
     "ADDPATH 0 2 4 3", "ADD PATH 0 2 4 3", "REMOVE_PATH 0 2 4", "LINE 1 2 3", "RECT 1 2 3 4 5", "CIRCLE 1 2 3 4",
     "TEXT 1 1", "TEXT 1 1 ", "TEXT 1 x", "TEXT 1 1 a\u0085b", "TEXT 1 1 a\u2028", "TEXT 1 1 \u2029b",
     "MOVE 2147483648 1 1", "MOVE 0 2 2147483648", "MOVE 0 2 -2147483649", "LINE 1 2 3 99999999999",
     "TEXT 99999999999 1 x", "9" * 40, "MOVE 0 2 " + "9" * 5000, "-", "\U0001d7db", "%s", "${seat}"],
)  # fmt: skip
def test_everything_else_is_an_unknown_command(part: str) -> None:
    with pytest.raises(BadReply, match="expected MOVE, SPAWN") as raised:
        protocol.parse(START, 0, part)
    assert raised.value.partial == Move(complaints=(Complaint(f"Unknown command: {part}", fatal=True),))


def test_reading_continues_after_an_unknown_command_and_the_first_one_is_reported() -> None:
    assert read("MOVE 0 2 1;JUMP;RUN;MOVE 0 2 1;SPAWN 0 2 4") == Move(
        (MOVE, MOVE, Command(Kind.SPAWN, 0, 0, 0, 0)), "", (Complaint("Unknown command: JUMP", fatal=True),)
    )


def test_errors_to_the_left_of_a_number_that_is_too_large_are_reported_too() -> None:
    huge = "99999999999"
    assert errors(f"MOVE 99 1 {huge}") == ["Invalid node: 99", f"Unknown command: MOVE 99 1 {huge}!"]
    assert errors(f"ATTACK 99 98 97 {huge}") == ["Invalid node: 99", f"Unknown command: ATTACK 99 98 97 {huge}!"]
    assert errors(f"MOVE {huge} 99 1") == [f"Unknown command: MOVE {huge} 99 1!"]
    assert errors(f"ATTACK 0 1 2 {huge}") == [f"Unknown command: ATTACK 0 1 2 {huge}!"]
    assert errors(f"MOVE 0 2 -{huge}") == [f"Unknown command: MOVE 0 2 -{huge}!"]


# --- Errors that cost only the command -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        ("MOVE 6 0 1", "Invalid node: 6"),
        ("MOVE 0 006 0", "Invalid node: 006"),
        ("SPAWN 7 8 9", "Invalid node: 7"),
        ("ATTACK 0 2 4 6", "Invalid node: 6"),
        ("ADD_PATH 9 2 4 0", "Invalid node: 9"),
        ("ADD_PATH 0 2 4 6", "Invalid node: 6"),
        ("ADD_PATH 0 2 9 3", "Invalid node: 9"),
        ("REMOVE_PATH 0 2 4 2147483647", "Invalid node: 2147483647"),
        ("MOVE 0 2 0", "Amount of units to move must be positive"),
        ("MOVE 0 2 -1", "Amount of units to move must be positive"),
        ("MOVE 0 0 -2147483648", "Amount of units to move must be positive"),
        ("SPAWN 0 2 3", "Invalid triangle: 0 2 3"),
        ("SPAWN 00 1 1", "Invalid triangle: 0 1 1"),
        ("ATTACK 0 1 2 5", "Invalid triangle: 0 1 2"),
        ("ATTACK 0 2 4 5", "Can't attack house 5 from given triangle"),
        ("ADD_PATH 0 2 4 1", "Can't connect houses 0 and 1"),
        ("REMOVE_PATH 0 2 4 5", "House 5 isn't connected to given triangle"),
        ("MOVE 0 0 1", "Task can't be applied: MOVE 0 0 1"),
        ("MOVE 1 3 1", "Task can't be applied: MOVE 1 3 1"),
        (" SPAWN  1 3 5 ", "Task can't be applied:  SPAWN  1 3 5 "),
        ("ATTACK 1 3 5 2", "Task can't be applied: ATTACK 1 3 5 2"),
        ("ADD_PATH 0 2 4 2", "Task can't be applied: ADD_PATH 0 2 4 2"),
        ("REMOVE_PATH 0 2 4 3", "Task can't be applied: REMOVE_PATH 0 2 4 3"),
        ("REMOVE_PATH 0 2 4 2", "Task can't be applied: REMOVE_PATH 0 2 4 2"),
    ],
)
def test_the_first_error_of_a_command_is_reported(reply: str, error: str) -> None:
    assert protocol.parse(START, 0, reply) == Move(complaints=(Complaint(error),))


def test_uses_other_than_a_spawn_need_a_free_unit_on_each_corner() -> None:
    state = bowtie("a5 b5 . b5 a5 b5", owners=OWNED)
    for use in ("ATTACK 0 2 4 3", "ADD_PATH 0 2 4 3", "REMOVE_PATH 2 0 4 3"):
        assert errors(use, state=state) == [f"Task can't be applied: {use}"]
    assert errors("SPAWN 2 0 4", state=state) == []


def test_a_crossing_path_cannot_be_added() -> None:
    state = position(bowtie_picture(RICH), BOWTIE + " 12", owners="024=a 135=b")
    assert errors("ADD_PATH 0 2 4 3", state=state) == ["Can't connect houses 0 and 3"]


@pytest.mark.parametrize(
    ("league", "refused"),
    [(1, {"ATTACK", "ADD_PATH", "REMOVE_PATH"}), (2, {"ADD_PATH", "REMOVE_PATH"}), (3, set()), (4, set())],
)
def test_commands_of_a_higher_league_are_refused(league: int, refused: set[str]) -> None:
    state = replace(START, league=league)
    for line in ("MOVE 0 2 1", "SPAWN 0 2 4", "ATTACK 0 2 4 3", "ADD_PATH 0 2 4 3", "REMOVE_PATH 2 0 4 3"):
        expected = [f"Command not available in your league: {line}"] if line.split()[0] in refused else []
        assert errors(line, state=state) == expected


def test_in_any_league_wrong_arguments_are_wrong_in_the_same_way() -> None:
    state = replace(START, league=1)
    assert errors("ATTACK 0 2 4", state=state) == ["Unknown command: ATTACK 0 2 4!"]
    assert errors("ATTACK 0 2 4 99;ATTACK 0 1 2 3", state=state) == ["Invalid node: 99", "Invalid triangle: 0 1 2"]
    assert errors("ATTACK 1 3 5 2", state=state) == ["Command not available in your league: ATTACK 1 3 5 2"]


def test_errors_are_grouped_by_sort_and_many_are_counted() -> None:
    assert errors("MOVE 9 0 1;SPAWN 0 1 2;MOVE 8 0 1;MOVE 7 0 1") == [
        "Invalid node: 9", "Invalid node: 8", "Invalid node: 7", "Invalid triangle: 0 1 2",
    ]  # fmt: skip
    assert errors("MOVE 9 0 1;MOVE 8 0 1;MOVE 0 0 1;MOVE 7 0 1;MOVE 6 0 1") == [
        "Invalid node: 9", "Invalid node: 8", "2 more errors of that type", "Task can't be applied: MOVE 0 0 1",
    ]  # fmt: skip


def test_targets_out_of_reach_are_one_sort() -> None:
    assert errors("ATTACK 0 2 4 5;REMOVE_PATH 0 2 4 5;ATTACK 0 2 4 1;ATTACK 0 2 4 5") == [
        "Can't attack house 5 from given triangle",
        "House 5 isn't connected to given triangle",
        "2 more errors of that type",
    ]


def test_warnings_keep_their_place_before_and_after_the_fatal_group() -> None:
    assert errors("MOVE 9 0 1;JUMP;MOVE 0 0 1;RUN;JUMP;JUMP") == [
        "Invalid node: 9", "Unknown command: JUMP!", "Task can't be applied: MOVE 0 0 1",
    ]  # fmt: skip


# --- Anything at all -------------------------------------------------------------------------------------------------

NAMES = ["MOVE", "SPAWN", "ATTACK", "ADD_PATH", "REMOVE_PATH", "MSG", "WAIT", "LINE", "TEXT", "CIRCLE", "move", "J"]
NUMBERS = st.one_of(st.integers(-2, 50).map(str), st.sampled_from(["2147483647", "2147483648", "-2147483648", "007"]))
PARTS = st.one_of(
    st.tuples(st.sampled_from(NAMES), st.lists(NUMBERS, max_size=5)).map(lambda part: " ".join([part[0], *part[1]])),
    st.text(max_size=12),
)
LINES = st.one_of(st.lists(PARTS, max_size=8).map(";".join), st.text())
REAL = [rules.setup(2, 17, league) for league in (1, 2, 3, 4)]


@given(LINES, LINES, st.sampled_from([START, *REAL]))
@example(" " * 9_999, "\t" * 5_000 + "MOVE" + " " * 4_990, START)
@example("MOVE 0 2 1" + " " * 9_000 + "x", "TEXT 1 1" + " " * 9_000 + "\r", START)
@example("A" * 9_999, "MOVE" + " 1" * 4_900 + "x", START)
@example(";".join(["MOVE 0 2 1"] * 900), ";" * 9_998 + "x", START)
def test_any_two_lines_make_a_turn_that_can_be_shown(first: str, second: str, state: State) -> None:
    after_turn = after(state, first, second)
    json.dumps(replay.frame(after_turn), ensure_ascii=False).encode()
    for note in rules.notes(after_turn):
        note.message.encode()
    for seat in rules.to_act(after_turn):
        assert protocol.prompt(after_turn, seat, False).endswith("\n")


BLANKS = ["", " ", " ", " ", "  ", "\t", "\x0b", "\x00", "\u00a0", "\u2028", "\x85"]
WORDS = [
    *NAMES,
    "MSG ",
    "RECT",
    "\u017fPAWN",
    "wA\u0131t",
    "0",
    "7",
    "45",
    "46",
    "-1",
    "-0",
    "+1",
    "00",
    "1_0",
    "\u0663",
    "2147483648",
]


def random_line(random: Random) -> str:
    """Words and blanks, good and bad, in parts; most numbers are houses."""
    parts = []
    for _ in range(random.randint(1, 6)):
        name = random.choice(WORDS)
        numbers = [
            random.choice(WORDS) if random.random() < 0.1 else str(random.randint(0, 46))
            for _ in range(random.randint(0, 5))
        ]
        blanks = [random.choice(BLANKS) if random.random() < 0.2 else " " for _ in numbers]
        junk = chr(random.randrange(0x110000)) if random.random() < 0.05 else ""
        parts.append(name + "".join(map("".join, zip(blanks, numbers, strict=True))) + junk)
    return ";".join(parts)


@pytest.mark.long
@settings(max_examples=100, deadline=None)
@given(st.integers())
def test_twenty_thousand_lines_are_moves_or_faults(seed: int) -> None:
    random = Random(seed)
    for _ in range(200):
        line, state = random_line(random), random.choice([START, *REAL])
        move = read(line, state=state)
        assert len(move.commands) <= line.count(";") + 1
        assert all(command.seat == 0 for command in move.commands)
        json.dumps([move.message, *move.complaints], ensure_ascii=False).encode()


@pytest.mark.parametrize(
    ("reply", "played"),
    [("WAIT", "WAIT"), ("WAIT;MSG 12 nodes", "WAIT"), ("msg hm;WAIT", "WAIT"), ("WAIT;MSGS", "WAIT;MSGS")],
)
def test_a_message_makes_no_other_match(reply: str, played: str) -> None:
    assert protocol.without_message(reply) == played
