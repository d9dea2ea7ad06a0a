"""The rules page says what the code does: its example, its pictures and its tables, taken from the page itself."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from hexarena.games.catalogue import game_file
from hexarena.games.contract import BadReply
from hexarena.games.tryangle import GAME, protocol, rules
from hexarena.games.tryangle.board import Kind
from hexarena.games.tryangle.land import survey
from hexarena.games.tryangle.protocol import LEAGUE_FROM
from hexarena.games.tryangle.rules import State
from tests.games.tryangle.pictures import after, bowtie, houses, owners, paths, position, said

TEXT = game_file(GAME, "statement.md").read_text(encoding="utf-8")
INPUTS = re.findall(r"^```input\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
OUTPUTS = re.findall(r"^```output\n(.*?)\n```$", TEXT, re.MULTILINE | re.DOTALL)
EXAMPLE = ("a2        .\n     a1\nb1        b1", "01 02 12 23 24 34")
PICTURES = ("attack.svg", "capture.svg", "paths.svg", "spawn.svg", "surround.svg")


def svg(name: str) -> ElementTree.Element:
    return ElementTree.fromstring(game_file(GAME, "pictures", name).read_text(encoding="utf-8"))  # noqa: S314 - our own


def parts(root: ElementTree.Element, kind: str, *classes: str) -> list[ElementTree.Element]:
    return [part for part in root.iter(f"{{http://www.w3.org/2000/svg}}{kind}") if part.get("class") in classes]


def cases(name: str) -> list[ElementTree.Element]:
    return [group for group in svg(name).iter() if group.get("data-houses")]


def case_states(case: ElementTree.Element) -> list[State]:
    """What the panels of a picture show: the position, and what each reply makes of it."""
    picture = case.attrib["data-houses"].replace("|", "\n")
    states = [position(picture, case.attrib["data-paths"], owners=case.attrib["data-owners"])]
    for reply in case.attrib["data-replies"].split(" / "):
        states.append(after(states[-1], reply))
    return states


def test_it_begins_with_the_title_of_the_game() -> None:
    assert TEXT.startswith(f"# {GAME.title}\n")


# --- The example ------------------------------------------------------------------------------------------------------


def test_the_example_is_what_a_bot_reads_and_what_becomes_of_its_replies() -> None:
    state = position(*EXAMPLE)
    assert len(INPUTS) == len(OUTPUTS) + 1 == 3
    assert protocol.prompt(state, 0, True) == INPUTS[0]
    for reply, following in zip(OUTPUTS, INPUTS[1:], strict=True):
        state = after(state, reply)
        assert said(state) == []
        assert protocol.prompt(state, 0, False) == following


def test_the_first_input_of_the_example_holds_the_map_that_is_shown() -> None:
    lines = INPUTS[0].splitlines()
    count = int(lines[0])
    places = [(x, y) for _, x, y in (map(int, line.split()) for line in lines[1 : count + 1])]
    assert survey(places).places == position(*EXAMPLE).land.places


# --- The pictures -----------------------------------------------------------------------------------------------------


def test_every_picture_is_shown_and_there() -> None:
    shown = re.findall(r"!\[.+\]\(pictures/([a-z]+\.svg)\)", TEXT)
    assert sorted(shown) == sorted(path.name for path in game_file(GAME, "pictures").iterdir()) == list(PICTURES)


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_show_what_commands_do(name: str) -> None:
    assert cases(name)
    for case in cases(name):
        states = case_states(case)
        assert all(said(state) == [] for state in states[1:])
        shown = "; ".join(f"{houses(state)}, {owners(state)}, {paths(state)}" for state in states[1:])
        assert shown == case.attrib["data-after"]


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_draw_the_units_triangles_and_paths_that_there_are(name: str) -> None:
    for case in cases(name):
        states = case_states(case)
        units = [str(sum(here)) for state in states for here in zip(*state.units, strict=True) if any(here)]
        kinds = [("yours", "theirs", "neutral")[one.owner] for state in states for one in state.triangles]
        assert [part.text for part in parts(case, "text", "word")] == units
        assert [part.get("class") for part in parts(case, "polygon", "yours", "theirs", "neutral")] == kinds
        assert len(parts(case, "path", "path", "new")) == sum(len(paths(state).split()) for state in states)


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_drawn_for_light_and_dark(name: str) -> None:
    assert "prefers-color-scheme: dark" in "".join(svg(name).itertext())


# --- Tables and figures -----------------------------------------------------------------------------------------------


def test_the_table_of_levels_is_that_of_the_protocol() -> None:
    rows = re.findall(r"^\| ([A-Z_, ]+?)(?:, the list.*?)? \|((?: (?:yes)? ?\|){4})$", TEXT, re.MULTILINE)
    from_league = {
        name: 1 + [cell.strip() for cell in cells.split("|")].index("yes")
        for names, cells in rows
        for name in names.split(", ")
    }
    assert from_league == {kind.name: league for kind, league in LEAGUE_FROM.items()}
    assert "| level | " + " | ".join(map(str, GAME.levels)) + " |" in TEXT
    names = [league.name for league in GAME.leagues]
    assert f"{', '.join(names[:-1])} and {names[-1]}. All play the full game." in TEXT
    bosses = [league.boss for league in GAME.leagues if league.boss is not None]
    assert f"The bosses are {', '.join(bosses[:-1])} and {bosses[-1]};" in TEXT.replace("\n", " ")


def test_limits_are_those_of_the_game() -> None:
    assert f"{round(1000 * GAME.clock.first_s)} ms of CPU time for your first reply" in TEXT
    assert f"{round(1000 * GAME.clock.turn_s)} ms for each later one" in TEXT
    assert f"at most {GAME.reply_bytes:,} bytes" in TEXT
    assert f"after {rules.LAST_TURN} turns" in TEXT


def test_every_command_of_the_table_can_be_read() -> None:
    forms = re.findall(r"^\| `([A-Z_]+)(.*?)` \|", TEXT, re.MULTILINE)
    assert {name for name, _ in forms} == {kind.name for kind in Kind} | {"WAIT", "MSG"}
    state = bowtie("a3 . a3 b3 a3 b3", owners="024=a")
    for name, words in forms:
        line = " ".join([name, *("hello" if word == "text" else "0" for word in words.split())])
        protocol.parse(state, 0, line)
        with pytest.raises(BadReply):
            protocol.parse(state, 0, line.replace(name, name + "X"))


# --- Questions --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["FLY 0 1", "MOVE 0 1", "MOVE 0 1 99999999999", "MOVE -0 1 1", "WAIT; MSG hello"])
def test_what_puts_a_seat_out(line: str) -> None:
    state = after(bowtie("a1 b1 a1 b1 a1 b1"), line)
    assert rules.to_act(state) == ()
    assert state.scores[0] == -1


@pytest.mark.parametrize("line", ["MOVE 99 1 1", "SPAWN 1 3 5", "ADD_PATH 0 2 4 1", "MOVE 1 3 1", "MOVE 0 2 -1"])
def test_what_gives_a_warning_only(line: str) -> None:
    state = after(bowtie("a1 b1 a1 b1 a1 b1", owners="024=a"), line)
    assert len(said(state)) == 1
    assert rules.to_act(state) == (0, 1)


@pytest.mark.parametrize("line", ["", "move 00 2 1", "  MOVE  0  2  1 ;;", "wait", "LINE 0 0 1 1"])
def test_what_is_fine(line: str) -> None:
    state = after(bowtie("a1 b1 a1 b1 a1 b1"), line)
    assert said(state) == []
    assert rules.to_act(state) == (0, 1)


def test_moves_run_as_written_and_take_what_is_left() -> None:
    line = re.findall(r"`(MOVE 0 1 1;MOVE 0 2 5)`", TEXT)
    assert houses(after(position("a3        .\n     .\nb1        b1", EXAMPLE[1]), *line)) == ". a1 a2 b1 b1"


def test_repeated_corners_match_the_first_triangle_that_has_them() -> None:
    picture, pairs = "a1        .\n     a1\nb1        b1", EXAMPLE[1]
    assert said(after(position(picture, pairs, owners="234=a"), "SPAWN 2 2 2")) != []
    assert houses(after(position(picture, pairs, owners="012=a"), "SPAWN 2 2 2")) == "a1 . a2 b1 b1"


def test_a_path_from_a_house_to_itself_is_made_and_not_listed() -> None:
    state = position("a2        a2\n     a2\nb1        b1", EXAMPLE[1], owners="012=a")
    done = after(state, "ADD_PATH 0 1 2 0")
    assert said(done) == []
    assert houses(done) == "a1 a1 a1 b1 b1"
    assert protocol.prompt(done, 0, False).splitlines()[6:13] == protocol.prompt(state, 0, False).splitlines()[6:13]
