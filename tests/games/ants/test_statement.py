"""The rules page of Ants says what the code does: its examples, pictures, tables and figures, taken from the page."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from hexarena.games.ants import GAME, protocol, rules
from hexarena.games.ants.mapmaking import CRYSTAL, EGG, FEWEST_RINGS, LEVELS, make_board
from hexarena.games.ants.rules import LAST_TURN, Move, State
from hexarena.games.catalogue import game_file
from hexarena.games.contract import BadReply
from hexarena.games.text import INT_MAX
from tests.games.ants.pictures import after, beacons, position, stay

TEXT = game_file(GAME, "statement.md").read_text(encoding="utf-8")
BLOCKS = dict(re.findall(r"^```([a-z]+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL))
START = position("A/a10 c210 B/b10")


def svg(name: str) -> ElementTree.Element:
    return ElementTree.fromstring(game_file(GAME, "pictures", name).read_text(encoding="utf-8"))  # noqa: S314 - our own


def numbers(text: str) -> list[int]:
    return [int(word) for word in text.split()]


def texts(picture: ElementTree.Element) -> list[str]:
    return [part.text or "" for part in picture.iter("{http://www.w3.org/2000/svg}text")]


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


def both_stay(state: State) -> State:
    return after(state, stay(state, 0), stay(state, 1))


# --- Pictures --------------------------------------------------------------------------------------------------------


def test_every_picture_is_shown_and_there() -> None:
    shown = re.findall(r"!\[.+\]\(pictures/([a-z]+\.svg)\)", TEXT)
    assert sorted(shown) == sorted(path.name for path in game_file(GAME, "pictures").iterdir())


def test_beacons_spread_the_ants_as_the_picture_shows() -> None:
    picture = svg("beacons.svg")
    state = position(picture.attrib["data-row"])
    strengths = numbers(picture.attrib["data-strengths"])
    seen = [state.ants[0][: len(strengths)]]
    for _ in range(int(picture.attrib["data-turns"])):
        state = after(state, beacons(dict(enumerate(strengths))))
        seen.append(state.ants[0][: len(strengths)])
    assert list(seen[-1]) == numbers(picture.attrib["data-ants"])
    shown = [int(text) for text in texts(picture) if text.isdigit()]
    assert shown == [*(count for counts in seen for count in counts if count), *strengths]
    assert "strength 2, 1 and 2, ten ants\nbecome 4, 2 and 4" in TEXT


@pytest.mark.parametrize("name", ["chain.svg", "eggs.svg"])
def test_chains_harvest_what_the_pictures_say(name: str) -> None:
    picture = svg(name)
    before = position(picture.attrib["data-row"])
    state = both_stay(before)
    shown = [int(text) for text in texts(picture) if text.isdigit()]
    length = len([count for count in before.ants[0] if count])
    assert shown[:length] == list(before.ants[0][:length])
    assert state.points == (int(picture.attrib["data-points"]), 0)
    if "data-ants" in picture.attrib:
        assert shown[-length:] == list(state.ants[0][:length]) == numbers(picture.attrib["data-ants"])


def test_only_the_larger_attack_chain_breaks_the_other() -> None:
    picture = svg("attack.svg")
    rows = [position(row) for row in picture.attrib["data-rows"].split(";")]
    shown = [int(text) for text in texts(picture) if text.isdigit()]
    assert shown == [count for row in rows for pair in zip(*row.ants, strict=True) for count in pair if count]
    ends = [both_stay(row) for row in rows]
    assert [end.points[0] for end in ends] == numbers(picture.attrib["data-points"])
    assert ends[-1].points == (0, 8)
    assert "In the last case the opponent harvests 8" in TEXT


def test_the_directions_lie_as_the_picture_shows() -> None:
    parts = svg("directions.svg").iter("{http://www.w3.org/2000/svg}text")
    places = {part.text: (float(part.attrib["x"]), float(part.attrib["y"])) for part in parts}
    board = make_board(1, 4)
    centre = next(cell for cell, near in enumerate(board.neighbours) if min(near) >= 0)
    x, _, z = board.places[centre]
    for way, near in enumerate(board.neighbours[centre]):
        dx, dz = board.places[near][0] - x, board.places[near][2] - z
        assert places[str(way)] == pytest.approx((52 * (dx + dz / 2), 45 * dz), abs=1)


# --- Input and output ------------------------------------------------------------------------------------------------


def test_the_example_of_an_input_is_what_a_bot_reads() -> None:
    assert protocol.prompt(START, 0, True) == BLOCKS["input"]


def test_the_example_of_an_output_is_read() -> None:
    move = protocol.parse(START, 0, BLOCKS["output"].removesuffix("\n"))
    assert move == Move(lines=((4, 17, 2),), beacons=((17, 5),), message="to the crystal")


def test_every_command_of_the_table_is_read() -> None:
    forms = re.findall(r"^\| `([A-Z].*?)` \|", TEXT, re.MULTILINE)
    assert len(forms) == 4
    for form in forms:
        assert protocol.parse(START, 0, re.sub("cell|from|to|strength", "1", form))


# --- Tables and figures ----------------------------------------------------------------------------------------------


def test_the_table_of_levels_is_the_codes() -> None:
    yes_no = {False: "no", True: "yes"}
    levels = [LEVELS[level] for level in GAME.levels]
    assert row_of("level") == [str(level) for level in GAME.levels]
    names = [league.name for league in GAME.leagues]
    assert f"{', '.join(names[:-1])} and {names[-1]}. All play the full game." in TEXT
    bosses = [league.boss for league in GAME.leagues if league.boss is not None]
    assert f"The bosses are {', '.join(bosses[:-1])} and {bosses[-1]};" in TEXT.replace("\n", " ")
    assert [numbers(cell.split()[-1])[0] for cell in row_of("rings of cells around the centre")] == [
        level.rings for level in levels
    ]
    assert {cell.split()[0] for cell in row_of("rings of cells around the centre")} == {str(FEWEST_RINGS)}
    assert row_of("eggs") == [yes_no[level.eggs] for level in levels]
    assert row_of("attack chains") == [yes_no[level.attacks] for level in levels]
    assert row_of("points in the input") == [yes_no[level.score_line] for level in levels]


def test_maps_keep_to_the_constraints() -> None:
    def within(name: str, values: list[int]) -> None:
        low, high = (int(cell) for cell in row_of(name))
        assert all(low <= value <= high for value in values)

    for level in GAME.levels:
        for seed in range(1, 61):
            board = make_board(seed, level)
            holdings = list(zip(board.kinds, board.amounts, strict=True))
            within("cells", [len(board.kinds)])
            within("bases of each seat", [len(bases) for bases in board.bases])
            within("ants on each base before the first turn", [board.ants_per_base])
            within("crystal on a cell before the first turn", [amount for kind, amount in holdings if kind == CRYSTAL])
            within("eggs on a cell before the first turn", [amount for kind, amount in holdings if kind == EGG])
    assert row_of("turns") == ["1", str(LAST_TURN)]


def test_the_limits_are_the_codes() -> None:
    assert f"{GAME.clock.first_s * 1000:.0f} ms of CPU time for your first reply" in TEXT
    assert f"{GAME.clock.turn_s * 1000:.0f} ms for each later one" in TEXT
    assert f"at most {GAME.reply_bytes:,} bytes" in TEXT
    assert f"from 0 to {INT_MAX}" in TEXT


# --- Questions -------------------------------------------------------------------------------------------------------


def test_what_puts_a_seat_out() -> None:
    quoted = re.findall(r"`(.+?)`", answer("What puts me out?"))
    assert len(quoted) == 3
    for reply in [*quoted, ""]:
        with pytest.raises(BadReply):
            protocol.parse(START, 0, reply)


def test_the_commands_before_an_error_still_act() -> None:
    with pytest.raises(BadReply) as caught:
        protocol.parse(START, 0, "BEACON 1 1;wait")
    state = rules.step(START, {0: caught.value.partial}, {0: caught.value})
    assert state.ants[0] == (0, 10, 0)
    assert rules.outcome(state)
    assert "The commands before the error still act" in answer("What puts me out?")


@pytest.mark.parametrize(
    ("words", "reply"),
    [
        ("A cell that does not exist", "BEACON 900 1"),
        ("A strength of 0", "BEACON 1 0"),
        ("A LINE from a cell to itself", "LINE 1 1 1"),
        ("A `;` at the end", "WAIT;"),
        ("Blanks around a command", "  WAIT  ;\tBEACON 1 1"),
    ],
)
def test_what_does_not_put_a_seat_out(words: str, reply: str) -> None:
    assert words in answer("And what does not?")
    assert rules.outcome(after(START, protocol.parse(START, 0, reply))) is None


def test_an_empty_reply_is_an_error_and_a_lone_semicolon_is_not() -> None:
    assert protocol.parse(START, 0, ";") == Move()
    assert "`;` alone is fine" in answer("Is an empty reply the same as `WAIT`?")


def test_more_beacons_than_ants_leave_the_far_ones_empty() -> None:
    state = after(position("A/a2 . . . B c9"), beacons({0: 5, 1: 5, 2: 5, 3: 5}))
    assert state.ants[0] == (1, 1, 0, 0, 0, 0)
    assert "the nearest ones are served first" in answer("More beacons than ants?")


def test_a_base_without_ants_ends_a_chain() -> None:
    assert both_stay(position("c9/a5 a5 A . B")).points == (0, 0)
    assert "There must be an ant of yours on the base's cell too" in answer("Does a base without ants end a chain?")


def test_both_seats_get_all_of_a_cell_that_they_empty_together() -> None:
    assert both_stay(position("A/a5 c3/a5/b5 B/b5 c90")).points == (3, 3)
    assert answer("Can I get more crystal than there is?").startswith("Yes")


def test_a_lead_as_large_as_the_rest_ends_the_match() -> None:
    assert rules.outcome(both_stay(position("c20/a10 A/a10 . B/b1")))
    assert rules.outcome(both_stay(position("c21/a10 A/a10 . B/b1"))) is None


def test_a_long_message_is_cut_as_the_page_says() -> None:
    cut, longest = numbers(" ".join(re.findall(r"\d+", answer("Can a message hold a `;`?"))))
    assert protocol.parse(START, 0, f"MESSAGE {'x' * longest}").message == "x" * longest
    assert protocol.parse(START, 0, f"MESSAGE {'x' * (longest + 1)}").message == "x" * cut + "..."
