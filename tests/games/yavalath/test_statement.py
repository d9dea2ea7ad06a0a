"""The rules page of Yavalath says what the code does: its examples, tables and figures, taken from the page itself."""

from __future__ import annotations

import re

import pytest

from hexarena.games.catalogue import game_file
from hexarena.games.contract import BadReply, TimedOut
from hexarena.games.yavalath import GAME, protocol, rules
from hexarena.games.yavalath.rules import CELL_AT, PLACES, ROW_LENGTHS, State
from tests.games.yavalath.pictures import played, with_stones

TEXT = game_file(GAME, "statement.md").read_text(encoding="utf-8")
BLOCKS = [text for _, text in re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)]
START = played()


def block(start: str) -> str:
    """The block that begins so."""
    (found,) = (text for text in BLOCKS if text.startswith(start))
    return str(found)


def row_of(name: str) -> list[str]:
    """The cells of the table row that begins with this name."""
    found = re.search(rf"^\| {re.escape(name)} \|(.*)\|$", TEXT, re.MULTILINE)
    assert found, f"no table has a row {name!r}"
    return [cell.strip() for cell in found[1].split("|")]


def answer(question: str) -> str:
    """The paragraph that answers a question."""
    found = re.search(rf"\*\*{re.escape(question)}\*\*(.*?)(?:\n\n|\Z)", TEXT, re.DOTALL)
    assert found, f"nobody asks {question!r}"
    return found[1].replace("\n", " ").strip()


def after(state: State, *place: int) -> State:
    (seat,) = rules.to_act(state)
    return rules.step(state, {seat: CELL_AT[place[0], place[1]]}, {})


# --- The board -------------------------------------------------------------------------------------------------------


def test_the_picture_of_the_board_has_its_rows() -> None:
    rows = re.findall(r"y = (\d) +([. ]+?) +x = 0\.\.(\d)", block("y = 0"))
    assert [(int(y), dots.count(".")) for y, dots, _ in rows] == list(enumerate(ROW_LENGTHS))
    assert [int(last) + 1 for _, _, last in rows] == list(ROW_LENGTHS)
    assert f"{len(PLACES)} cells in {len(ROW_LENGTHS)} rows" in TEXT


def offsets(direction: str, half: int) -> tuple[tuple[tuple[int, int], ...], range]:
    """The two steps that the table of neighbours gives for a half of the board, and the rows that they are for."""
    text = row_of(direction)[half]
    steps = tuple((int(x or 0), int(y or 0)) for x, y in re.findall(r"`x([+-]\d)? y([+-]\d)?`", text))
    found = re.search(r"where y is (\d) to (\d)", text)
    return steps, range(int(found[1]), int(found[2]) + 1) if found else range(len(ROW_LENGTHS))


def test_three_in_a_line_through_the_tables_neighbours_lose() -> None:
    """Each step and its continuation by the same table make a line, anywhere on the board."""

    def onwards(place: tuple[int, int], name: str, index: int) -> tuple[int, int] | None:
        for half in (0,) if name == "left, right" else (0, 1):
            steps, rows = offsets(name, half)
            if place[1] in rows:
                there = place[0] + steps[index][0], place[1] + steps[index][1]
                return there if there in CELL_AT else None
        return None

    lines = 0
    for place in PLACES:
        for name in ("left, right", "down-left, down-right", "up-left, up-right"):
            for index in (0, 1):
                second = onwards(place, name, index)
                third = onwards(second, name, index) if second else None
                if second and third:
                    lines += 1
                    assert rules.scores(after(with_stones(place, second), *third)) == (0, 1)
    assert lines == 6 * sum(length - 2 for length in ROW_LENGTHS)


@pytest.mark.parametrize(("before", "star", "scores"), [((0, 1, 3), 2, (1, 0)), ((0, 1), 2, (0, 1))])
def test_the_examples_of_a_four_and_a_three(before: tuple[int, ...], star: int, scores: tuple[int, int]) -> None:
    shown = block("        X X * X").split("   ")
    picture = next(part.split() for part in shown if ("*" if len(before) == 3 else "-") in part)
    assert [cell for cell, mark in enumerate(picture) if mark == "X"] == list(before)
    assert rules.scores(after(with_stones(*((cell, 4) for cell in before)), star, 4)) == scores


# --- Tables ----------------------------------------------------------------------------------------------------------


def test_the_table_of_scores() -> None:
    four = after(with_stones((0, 4), (1, 4), (3, 4)), 2, 4)
    three = after(with_stones((0, 4), (1, 4)), 2, 4)
    late = rules.step(START, {}, {0: TimedOut("expected a reply, got none")})
    for name, state in (("line of 4 or more", four), ("line of 3", three), ("bad reply, or none", late)):
        assert tuple(map(int, row_of(name))) == rules.scores(state)
    assert row_of("full board") == ["0", "0"]


def test_the_limits_are_the_codes() -> None:
    assert f"{GAME.clock.first_s * 1000:.0f} ms of CPU time for your first reply" in TEXT
    assert f"{GAME.clock.turn_s * 1000:.0f} ms for each later one" in TEXT
    assert f"at most {GAME.reply_bytes:,} bytes" in TEXT
    assert f"{len(PLACES) + 1} turns at most" in TEXT


# --- Input and output ------------------------------------------------------------------------------------------------


def test_the_example_of_an_input_is_what_a_bot_reads() -> None:
    assert protocol.prompt(played((4, 4)), 1, True) == block("2\n")


def test_the_example_of_an_output_is_read() -> None:
    assert PLACES[protocol.parse(START, 0, block("4 4 mine").removesuffix("\n"))] == (4, 4)


# --- Questions -------------------------------------------------------------------------------------------------------


def test_seat_0_sees_a_steal_as_the_page_says() -> None:
    lines = protocol.prompt(played((4, 4), (4, 4)), 0, False).splitlines()
    assert "".join(lines[1:-1]).strip("0") == "2"
    assert lines[-1] == "4 4"
    assert "your only stone is now a `2`" in answer("How do I see that my stone was stolen?")


def test_a_stone_that_makes_two_threes_loses_and_a_four_beats_a_three() -> None:
    assert rules.scores(after(with_stones((3, 4), (2, 4), (4, 5), (4, 6)), 4, 4)) == (0, 1)
    assert rules.scores(after(with_stones((1, 3), (3, 3), (4, 3), (2, 4), (1, 5)), 2, 3)) == (1, 0)
    assert answer("What if one stone makes two threes?").startswith("It loses, once. A three and a four: it wins")


def test_two_blanks_lose_and_blanks_at_the_end_do_not() -> None:
    assert answer("What happens with `4  4`, with two blanks?").startswith("You lose")
    for reply in ("4  4", " 4 4"):
        with pytest.raises(BadReply):
            protocol.parse(START, 0, reply)
    assert PLACES[protocol.parse(START, 0, "4 4   ")] == (4, 4)


def test_which_numbers_can_be_read() -> None:
    text = answer("Which numbers can be read?")
    wrong = re.findall(r"`([^`]+)`", text.split("is 0.")[1])
    assert wrong == ["4.0", "0x4", "4,4"]
    for number in wrong:
        with pytest.raises(BadReply):
            protocol.parse(START, 0, f"{number} 4")
    assert PLACES[protocol.parse(START, 0, "+04 -0")] == (4, 0)


def test_the_seed_does_not_matter() -> None:
    assert rules.setup(2, 1, 1) == rules.setup(2, 2, 1)
    assert answer("Does the seed matter?").startswith("No")
