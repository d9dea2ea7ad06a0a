"""The rules page says what the code does: its examples, its pictures and its figures, taken from the page itself."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from hexarena.games.battlegrounds import GAME, protocol, rules
from hexarena.games.battlegrounds.board import GLIDER, HEADINGS, live_places, turned
from hexarena.games.battlegrounds.state import NO_MOVE, STEPS, VIEW, Events, Move, Plan, State, seats_of
from hexarena.games.battlegrounds.turn import FIRST_GLIDER, HEALED_HP, LATER_GLIDERS, REACH
from hexarena.games.catalogue import game_file
from hexarena.games.contract import BadReply, IllegalMove
from hexarena.games.referee import play
from tests.games.battlegrounds.pictures import LETTERS, after, assert_shows, hp_of, position
from tests.games.pipes import command_of, piped

TEXT = game_file(GAME, "statement.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```([a-z-]+)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
HARNESS = game_file(GAME, GAME.harness["python"])
SIZE = 30
SECONDS = 5.0


def block(name: str) -> str:
    """The only block of this kind."""
    (found,) = (text for kind, text in BLOCKS if kind == name)
    return str(found)


def svg(name: str) -> ElementTree.Element:
    return ElementTree.fromstring(game_file(GAME, "pictures", name).read_text(encoding="utf-8"))  # noqa: S314 - our own


def parts(root: ElementTree.Element, kind: str, of_class: str) -> list[ElementTree.Element]:
    return [part for part in root.iter(f"{{http://www.w3.org/2000/svg}}{kind}") if part.get("class") == of_class]


def test_it_begins_with_the_title_of_the_game() -> None:
    assert TEXT.startswith(f"# {GAME.title}\n")


def test_every_picture_is_shown_and_there() -> None:
    shown = re.findall(r"!\[.+\]\(pictures/([a-z]+\.svg)\)", TEXT)
    assert sorted(shown) == sorted(path.name for path in game_file(GAME, "pictures").iterdir())


# --- Turns ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [text for kind, text in BLOCKS if kind == "board"])
def test_boards_become_what_the_page_shows(text: str) -> None:
    lines = [re.findall(r"^[.#a-h]+|(?<=  )[.#a-h]{5,}", line) for line in text.splitlines()]
    said = re.findall(r"\b([a-h]): (-?\d(?: -?\d)*)(?=  |$)", text, re.MULTILINE)
    actions = {letter: tuple(map(int, words.split())) for letter, words in said}
    changes = {letter: (int(was), int(now)) for letter, was, now in re.findall(r"\b([a-h]): (\d) hp to (\d)", text)}
    assert actions
    before = position("\n".join(left for left, _ in lines))
    moves = {LETTERS.index(letter): Move(actions=steps) for letter, steps in actions.items()}
    done = rules.step(before, moves, {})
    assert_shows(done, "\n".join(right for _, right in lines))
    hp = {letter: (hp_of(before, letter), hp_of(done, letter)) for letter in LETTERS if hp_of(before, letter)}
    assert {letter: change for letter, change in hp.items() if change[0] != change[1]} == changes


def test_the_page_shows_two_turns() -> None:
    assert [kind for kind, _ in BLOCKS].count("board") == 2


@pytest.mark.parametrize(("name", "count"), [("life.svg", 2), ("bots.svg", 4)])
def test_pictures_show_what_a_generation_does(name: str, count: int) -> None:
    cases = [group for group in svg(name).iter() if group.get("data-before")]
    assert len(cases) == count
    for case in cases:
        before, following = case.attrib["data-before"], case.attrib["data-after"]
        hp = [int(word) for word in case.get("data-hp", "4 4").split()]
        done = after(position(before, hp={"a": hp[0]}))
        assert_shows(done, following)
        assert hp_of(done, "a") == hp[1]
        assert len(parts(case, "rect", "live")) == (before + following).count("#")
        assert len(parts(case, "circle", "you")) == sum(mark in "abcd" for mark in before + following)


def test_the_picture_of_the_directions_is_right() -> None:
    labels = {part.text: part for part in svg("directions.svg").iter() if part.text and part.get("x")}
    middle = labels["you"]
    for direction, step in STEPS.items():
        away = [float(labels[str(direction)].attrib[axis]) - float(middle.attrib[axis]) for axis in ("x", "y")]
        assert tuple((distance > 0) - (distance < 0) for distance in away) == step


def test_the_picture_of_the_zone_has_the_five_gliders_where_they_begin() -> None:
    (zone,) = parts(svg("zone.svg"), "rect", "red")
    corner = [float(zone.attrib[axis]) for axis in ("x", "y")]
    side = float(zone.attrib["width"]) / VIEW
    cells = {
        tuple(round((float(part.attrib[axis]) - start) / side) for axis, start in zip(("x", "y"), corner, strict=True))
        for part in parts(svg("zone.svg"), "rect", "live")
    }
    begins = [(heading, LATER_GLIDERS) for heading in range(4)] + [(3, FIRST_GLIDER)]
    assert cells == {
        (VIEW // 2 + away * HEADINGS[heading][0] - 1 + x, VIEW // 2 + away * HEADINGS[heading][1] - 1 + y)
        for heading, away in begins
        for x, y in live_places(turned(GLIDER, heading))
    }


def test_the_table_of_what_happens_to_a_bot_is_whole() -> None:
    """Every number of neighbours that surround a lone bot without a birth: hurt, unless there are 2 or 3."""
    lonely = after(position("..... ..... ..a.. ..... ....."))
    assert hp_of(lonely, "a") == 3
    for hp in range(1, 5):
        healed = after(position("..... .ab.. .##.. ..... .....", hp={"a": hp}))
        assert hp_of(healed, "a") == (hp + 1 if hp < HEALED_HP else hp)


# --- The line protocol ------------------------------------------------------------------------------------------------


def in_the_example() -> State:
    """The state that the page's block of the main phase describes."""
    lines = block("main").splitlines()
    _, number, hp = lines[0].split()
    x, y = map(int, lines[1].split())
    members = {int(word[0]): tuple(map(int, word[1:])) for word in (line.split() for line in lines[28:31])}
    board = [["."] * SIZE for _ in range(SIZE)]
    for down, row in enumerate(lines[2:27]):
        for right, mark in enumerate(row):
            if mark in "1x":
                board[(y + down - 12) % SIZE][(x + right - 12) % SIZE] = {"1": "#", "x": "e"}[mark]
    for bot, (right, down) in members.items():
        board[down][right] = LETTERS[bot - 2]
    state = position("\n".join("".join(row) for row in board), number=int(number), hp={"a": int(hp)})
    author, _, said = lines[-1].partition(" ")
    return replace(state, events=Events(chats=((int(author) - 2, said),)))


def test_the_first_block() -> None:
    *shown, left_out = block("init").splitlines()
    cells = bytes(mark == "1" for mark in "".join(shown[1:])).ljust(SIZE * SIZE, b"\0")
    state = rules.opening(Plan(8, 0, SIZE, 25, 2_000), cells)
    lines = protocol.prompt(state, 0, True).splitlines()
    assert lines[: len(shown)] == shown
    assert left_out == "…"
    assert f"({len(lines) - len(shown)} of {SIZE} rows are left out" in TEXT
    assert protocol.parse(state, 0, block("init-reply").removesuffix("\n")) == Move()


def test_the_block_of_parachuting() -> None:
    state = rules.step(rules.setup(8, 0, 1, size=SIZE), {}, {})
    for _ in range(2):
        state = rules.step(state, {0: Move(aim=(11, 12)), 1: Move(aim=(10, 12))}, {})
    assert protocol.prompt(state, 0, False) == block("parachute")
    assert protocol.parse(state, 0, block("parachute-reply").removesuffix("\n")) == Move(aim=(11, 12))


def test_the_block_of_the_main_phase() -> None:
    state = in_the_example()
    assert protocol.prompt(state, 0, False) == block("main")
    move = protocol.parse(state, 0, block("main-reply").removesuffix("\n"))
    assert move == Move(actions=(3, -2), chat="5")
    assert rules.step(state, {0: move}, {}).events.acted == ((0, (3, -2)),)


@pytest.mark.parametrize("reply", ["10", "1 2 3 4", "1 99", "fault my own"])
def test_numbers_that_are_no_actions_are_forgiven(reply: str) -> None:
    state = in_the_example()
    with pytest.raises(IllegalMove) as fault:
        protocol.parse(state, 0, reply)
    ignored = rules.step(state, {}, {0: fault.value})
    assert ignored.places[0] is not None
    assert ignored.events.ignored[0][0] == 0


@pytest.mark.parametrize("reply", ["hello", "1, 2", "say", "1.0", "ok"])
def test_other_lines_put_the_bot_out(reply: str) -> None:
    state = in_the_example()
    with pytest.raises(BadReply) as fault:
        protocol.parse(state, 0, reply)
    assert rules.step(state, {}, {0: fault.value}).places[0] is None


WITNESS = """
class Witness:
    def __init__(self, num, area):
        self.num = num
    def parachute(self, team):
        return (-1, 500)
    def start(self, area, turn, chat):
        return ()
    def main(self, area, team, turn, hp, chat):
        me = team[self.num]
        assert me == (12, 13) and area[me] == self.num == 2 and area[11, 13] == 3 and area[21, 10] == -1
        assert list(area)[0] == (0, 1) and len(area) == 625
        assert team == {2: (12, 13), 3: (11, 13), 4: (27, 28)}
        assert (turn, hp, chat) == (7, 3, [(4, "help is near")])
        return [3, "5", -2]
"""


def test_the_harness_makes_the_calls_of_it(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text(WITNESS, encoding="utf-8")
    state = in_the_example()
    with piped([command_of(file, tmp_path, HARNESS)]) as (bot,):
        opening = rules.opening(state.plan, bytes(SIZE * SIZE))
        assert bot.ask(protocol.prompt(opening, 0, True), SECONDS).line == "ok"
        assert f"{bot.ask(protocol.prompt(state, 0, False), SECONDS).line}\n" == block("main-reply")


def test_the_first_bot_plays_without_a_fault(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text(block("python"), encoding="utf-8")
    with piped([command_of(file, tmp_path, HARNESS)] * 8) as channels:
        record = play(GAME.with_options(**GAME.quick), channels, seed=1, league=1)
    assert record.faults == ()
    assert any("say 7" in exchange.reply for turn in record.turns for exchange in turn.exchanges if exchange.reply)


# --- Figures ----------------------------------------------------------------------------------------------------------


def test_the_figures_are_those_of_the_game() -> None:
    size, starts, turns = (GAME.options[name] for name in ("size", "start_turns", "main_turns"))
    for said in (
        f"{size} × {size} cells without edges",
        f"each from 0 to {size - 1};",
        f"`turn` 0 to {starts - 1} |",
        f"at most {turns:,} times |",
        f"after {turns:,} turns of the main phase",
        f"the {VIEW} × {VIEW} cells with you in the middle",
        f"a random cell of the {2 * REACH + 1} × {2 * REACH + 1} around your choice",
        f"at most {protocol.CHAT_CHARACTERS} characters",
        f"CPU time: {GAME.clock.first_s * 1000:,.0f} ms for start-up",
        f"{GAME.clock.turn_s * 1000:.0f} ms for each later call",
        f"at most {GAME.reply_bytes:,} bytes",
        f"| teams | {min(GAME.seats) // 4} to {max(GAME.seats) // 4}, of {GAME.team_seats} bots each |",
        f"| calls of `parachute`, `start`, `main` | 10, {starts}, at most {turns:,} |",
        f"healing stops at {HEALED_HP}.",
    ):
        assert said in TEXT


def test_the_smallest_board_that_can_be_practised_on() -> None:
    assert "| board | 500 × 500; at practice 25 to 500 |" in TEXT
    rules.setup(8, 1, 1, size=25)
    with pytest.raises(ValueError, match="expected size"):
        rules.setup(8, 1, 1, size=24)


# --- Questions --------------------------------------------------------------------------------------------------------


def test_places_beyond_the_board_are_wrapped() -> None:
    state = rules.step(rules.setup(8, 0, 1), {}, {})
    assert "`(-1, 500)` is `(499, 0)`" in TEXT
    assert protocol.parse(state, 0, "-1 500") == Move(aim=(499, 0))


def test_nothing_delays_the_next_action_to_a_later_round() -> None:
    """Only after e has gone, in the first round, a can step where it was: in the second."""
    for seed in range(8):
        state = position("..... ..... .ae.. ..... .....", phase="start", seed=seed)
        assert_shows(after(state, a=(0, 6), e=(6,)), "..... ..... ..ae. ..... .....")


def test_a_step_there_and_back_removes_a_live_cell() -> None:
    state = position("..... ..... .a#.. ..... .....", phase="start")
    assert_shows(after(state, a=(6, 4)), "..... ..... .a... ..... .....")


def test_what_a_bot_said_in_its_last_turn_is_heard() -> None:
    state = position("..... ..... .a... ..... ....b", hp={"a": 1}, number=3)
    said = rules.step(state, {0: Move(chat="1"), 1: NO_MOVE}, {})
    assert said.places[0] is None
    assert protocol.prompt(said, 1, False).endswith("\n1\n2 1\n")


def test_a_fault_leaves_the_choice_but_not_in_the_tenth_call() -> None:
    fault = IllegalMove("expected (x, y) or None")
    state = rules.step(rules.setup(8, 0, 1, size=SIZE), {}, {})
    aims = {seat: Move(aim=(1, 1)) for seat in range(8)}
    chosen = rules.step(state, aims, {})
    assert rules.step(chosen, {}, {0: fault}).aims[0] == (1, 1)
    assert rules.step(chosen, {0: NO_MOVE}, {}).aims[0] is None
    for _ in range(8):
        chosen = rules.step(chosen, aims, {})
    others = {seat: move for seat, move in aims.items() if seat}
    assert rules.step(chosen, others, {0: fault}).events.removed[0][0] == 0


def test_submissions_play_for_one_team_only() -> None:
    for entrants in (2, 3, 5, 9, 16):
        dealt = rules.deal(entrants, 7)
        teams = [{dealt[seat] for seat in seats_of(team)} for team in range(len(dealt) // 4)]
        assert sum(map(len, teams)) == len(set().union(*teams)) == entrants
