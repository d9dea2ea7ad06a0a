"""The harness with real bots in processes of their own: what calls get, what returns mean, what attacks achieve."""

from __future__ import annotations

import copy
import operator
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import pytest
from hypothesis import given, strategies as st

from hexarena.games.battlegrounds import harness, protocol, rules
from hexarena.games.battlegrounds.state import Events, Move, State
from hexarena.games.catalogue import find_game, game_file
from hexarena.games.contract import BadReply, Channel, Crashed
from tests.games.battlegrounds.pictures import position
from tests.games.pipes import PipeChannel, command_of, piped

SECONDS = 5.0
SIZE = 30
BOARD = "\n".join(["a" + 28 * "." + "e", *(30 * "." for _ in range(29))])
MAIN = position(BOARD)
INIT = rules.setup(8, 5, 1, size=SIZE, start_turns=2, main_turns=40)
PARACHUTE = rules.step(INIT, {}, {})

Start = Callable[[str], PipeChannel]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts bots from their source, run by the harness; all are ended afterwards."""
    game = find_game("battlegrounds")
    with ExitStack() as stack:

        def start_bot(source: str) -> PipeChannel:
            file = tmp_path / "bot.py"
            file.write_text(dedent(source), encoding="utf-8")
            command = command_of(file, tmp_path, game_file(game, game.harness["python"]))
            return stack.enter_context(piped([command]))[0]

        yield start_bot


def ask(bot: Channel, state: State, seat: int = 0) -> Move | str:
    """A call: the move, or what was wrong."""
    line = bot.ask(protocol.prompt(state, seat, state.turn == 0), SECONDS).line
    try:
        return protocol.parse(state, seat, line)
    except BadReply as fault:
        return fault.message


def returning(expression: str, *, before: str = "") -> str:
    """A bot all of whose calls return the same."""
    return f"""
import random, sys, os
{dedent(before)}
class Bot:
    def __init__(self, num, area): pass
    def parachute(self, team): return {expression}
    def start(self, area, turn, chat): return {expression}
    def main(self, area, team, turn, hp, chat): return {expression}
"""


def mean(start: Start, expression: str, state: State = MAIN, *, before: str = "") -> Move | str:
    bot = start(returning(expression, before=before))
    assert ask(bot, INIT) == Move()
    return ask(bot, state)


# --- What calls get -----------------------------------------------------------------------------------------------

WITNESS = """
class Bot:
    def __init__(self, num, area):
        self.num, self.area = num, area
    def parachute(self, team):
        assert team == {2: (1, 2), 3: None, 4: (29, 0), 5: None}, team
        return self.num, list(self.area)[31][0]
    def main(self, area, team, turn, hp, chat):
        assert type(area) is dict and len(area) == 625
        assert list(area)[:2] == [(18, 18), (19, 18)], list(area)[:2]
        assert list(area)[-1] == (12, 12)
        assert list(area)[312] == (0, 0) and area[0, 0] == 2
        assert area[29, 0] == -1 and area[1, 0] == 3 and area[5, 5] == 1 and area[6, 6] == 0
        assert team == {2: (0, 0), 3: (1, 0)}, team
        assert chat == [(3, "1"), (4, "Come to 3 4 ")], chat
        assert (turn, hp) == (7, 3)
        return []
    def start(self, area, turn, chat):
        assert turn == 1 and chat == [] and area[0, 0] == 2
        return [self.area[5, 5], -self.area[6, 6]]
"""


def test_calls_get_what_the_rules_promise(start: Start) -> None:
    rows = [list("ab" + 27 * "." + "e"), *(list(30 * ".") for _ in range(29))]
    rows[5][5] = "#"
    text = "\n".join(map("".join, rows))
    state = position(text, number=7, hp={"a": 3})
    first = replace(INIT, cells=state.cells)
    moves = {0: Move(aim=(1, 2)), 2: Move(aim=(29, 0)), 4: Move(aim=(5, 5))}
    bot = start(WITNESS)
    assert ask(bot, first) == Move()
    assert ask(bot, rules.step(PARACHUTE, moves, {})) == Move(aim=(2, 1))
    assert ask(bot, position(text, phase="start", number=1)) == Move(actions=(1, 0))
    said = Events(chats=((0, "me"), (1, "1"), (2, "Come to 3 4 "), (4, "2")))
    assert ask(bot, replace(state, events=said)) == Move()


def test_arguments_are_copies(start: Start) -> None:
    bot = start(
        """
        class Bot:
            def __init__(self, num, area): area.clear()
            def main(self, area, team, turn, hp, chat):
                fresh = (len(area), team[2], len(chat))
                area.clear(); team[2] = None; chat.append(5)
                return [3] if fresh == (625, (0, 0), 0) else [1]
        """
    )
    ask(bot, INIT)
    assert [ask(bot, MAIN), ask(bot, MAIN)] == [Move(actions=(3,))] * 2


# --- The whole board ----------------------------------------------------------------------------------------------

SIDE = 25
CELLS = bytes(seed % 3 == 0 for seed in range(SIDE * SIDE))
QUESTIONS: dict[str, Callable[[Any], object]] = {
    "len": len,
    "bool": bool,
    "list": list,
    "set": set,
    "a cell": lambda area: area[3, 0],
    "equal keys": lambda area: (area[3.0, True], area.get((False, 0))),
    "beyond it": lambda area: [area.get(key, 7) for key in [(-1, 0), (SIDE, 0), (0, SIDE), (1, 2, 3), "ab", (1, "b")]],
    "get": lambda area: (area.get((2, 1)), area.get((2, 99))),
    "in": lambda area: [(0, 0) in area, (0, SIDE) in area, (0.5, 0) in area, None in area],
    "keys": lambda area: list(area.keys()),
    "keys as a set": lambda area: area.keys() & {(1, 1), (1, -1)},
    "values": lambda area: list(area.values()),
    "bytes": lambda area: bytes(area.values()),
    "values backwards": lambda area: list(reversed(area.values())),
    "a value": lambda area: (1 in area.values(), 2 in area.values(), None in area.values(), len(area.values())),
    "values in words": lambda area: repr(area.values()),
    "items": lambda area: list(area.items()),
    "live cells": lambda area: [place for place, cell in area.items() if cell],
    "backwards": lambda area: list(reversed(area)),
    "the largest": lambda area: (max(area), max(x for x, y in area), max(area, key=area.get)),
    "sorted": sorted,
    "in words": lambda area: (repr(area), f"{area}"),
    "dict": lambda area: list(dict(area).items()),
    "unpacked": lambda area: list({(9, 9): 9, **area}.items()),
    "copy": lambda area: (type(area.copy()), area.copy()),
    "copied": lambda area: list(copy.copy(area).items()),
    "copied deeply": lambda area: list(copy.deepcopy(area).items()),
    "equal": lambda area: (area == dict(area), area != dict(area), area == {}, area == "area"),
    "or": lambda area: (list((area | {(0, 0): 5}).items()), list(({(0, 0): 5} | area).items())),
    "updating another": lambda area: _made({(0, 0): 5}, lambda other: other.update(area)),
    "from its keys": lambda area: list(dict.fromkeys(area, 3).items()),
    "hash": hash,
    "a missing cell": lambda area: area[SIDE, 0],
    "an unhashable key": lambda area: area[[1, 2]],
    "whether an unhashable key is in": lambda area: [1, 2] in area,
    "to get an unhashable key": lambda area: area.get([1, 2]),
    "no arguments": lambda area: area.pop(),
    "an unknown method": lambda area: area.first(),
}
CHANGES: dict[str, Callable[[Any], object]] = {
    "a cell": lambda area: operator.setitem(area, (1, 1), 5),
    "a new cell": lambda area: operator.setitem(area, (-1, 1), 5),
    "del": lambda area: operator.delitem(area, (1, 1)),
    "del of a missing one": lambda area: operator.delitem(area, (-1, 1)),
    "pop": lambda area: (area.pop((2, 2)), area.pop((99, 2), "none")),
    "popitem": lambda area: area.popitem(),
    "setdefault": lambda area: (area.setdefault((0, 0), 9), area.setdefault((-3, 0), 9)),
    "update": lambda area: area.update({(4, 4): 4}, a=1),
    "ior": lambda area: area.__ior__({(4, 4): 4}) is area,
    "clear": lambda area: area.clear(),
    "while its values are held": lambda area: _held(area, area.values()),
    "while its keys are held": lambda area: _held(area, area.keys()),
}


def _made(thing: Any, change: Callable[[Any], object]) -> object:
    change(thing)
    return list(thing.items())


def _held(area: Any, view: Any) -> object:
    area[5, 5] = 7
    area[-5, 5] = 8
    return (len(view), list(view))


def _outcome(question: Callable[[Any], object], area: object) -> object:
    """What it returns, or what it raises."""
    try:
        return question(area)
    except Exception as error:  # noqa: BLE001 - whatever a dictionary raises, a board is to raise
        return type(error), str(error).replace("LazyBoard", "dict").replace("Board", "dict")


def _as_dict() -> dict[tuple[int, int], int]:
    return {(x, y): CELLS[y * SIDE + x] for y in range(SIDE) for x in range(SIDE)}


@pytest.mark.parametrize("question", [*QUESTIONS.values(), *CHANGES.values()], ids=[*QUESTIONS, *CHANGES])
@pytest.mark.parametrize("looks", [0, 2, harness.LOOKS])
def test_the_whole_board_answers_as_a_dictionary_of_it(question: Callable[[Any], object], looks: int) -> None:
    board, plain = harness.LazyBoard(CELLS, SIDE), _as_dict()
    board.looks = looks
    assert _outcome(question, board) == _outcome(question, plain)
    assert isinstance(board, dict)
    assert list(board) == list(plain)
    assert list(board.items()) == list(plain.items())


@given(st.lists(st.sampled_from([*QUESTIONS.values(), *CHANGES.values()]), max_size=6))
def test_questions_and_changes_one_after_the_other(questions: list[Callable[[Any], object]]) -> None:
    board, plain = harness.LazyBoard(CELLS, SIDE), _as_dict()
    for question in questions:
        assert _outcome(question, board) == _outcome(question, plain)
    assert list(board.items()) == list(plain.items())


def test_looking_at_a_board_makes_no_entries() -> None:
    board = harness.LazyBoard(CELLS, SIDE)
    seen = [board[x, y] for x, y in board], bytes(board.values()), len(board), (3, 3) in board, board.get((4, 0))
    assert seen == ([*CELLS], CELLS, SIDE * SIDE, True, 0)
    assert dict.__len__(board) == 0
    board.looks = 1
    assert (board[0, 0], board[1, 0], dict.__len__(board)) == (1, 0, SIDE * SIDE)


def test_a_board_that_a_bot_keeps_is_filled_before_its_next_call(start: Start) -> None:
    source = """
        class Bot:
            def __init__(self, num, area):
                self.empty = dict.__len__(area)
                KEEP
            def parachute(self, team):
                return self.empty, dict.__len__(self.area) == 900
        """
    for kept in ("self.area = area", "self.values = area.values(); self.area = self.values._mapping"):
        bot = start(source.replace("KEEP", kept))
        assert ask(bot, INIT) == Move()
        assert ask(bot, PARACHUTE) == Move(aim=(0, 1))
    bot = start(source.replace("KEEP", "self.area = dict(area)"))
    assert ask(bot, INIT) == Move()


# --- What returns mean --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "move"),
    [
        ("()", Move()),
        ("[]", Move()),
        ("None", Move(actions=(0,))),
        ("False", Move(actions=(0,))),
        ("True", Move(actions=(1,))),
        ("-9", Move(actions=(-9,))),
        ("'7'", Move(chat="7")),
        ("(1, 'hello', -2, 3)", Move(actions=(1, -2, 3), chat="hello")),
        ("[None, 0, False]", Move(actions=(0, 0, 0))),
        ("[0.0, [], 4]", Move(actions=(0, 0, 4))),
        ("(1, 2, 3, '')", Move(actions=(1, 2, 3))),
        ("'say 1\\nsay 2' + 40 * 'x'", Move(chat="say 1say 2" + 22 * "x")),
        ("' 1 '", Move(chat=" 1 ")),
        ("'\\ud800ok'", Move(chat="ok")),
        ("Index(),", Move(actions=(4,))),
    ],
)
def test_returns_that_are_allowed(start: Start, expression: str, move: Move) -> None:
    assert mean(start, expression, before="class Index:\n    def __index__(self): return 4\n") == move


@pytest.mark.parametrize(
    ("expression", "complaint"),
    [
        ("10", "expected actions from -9 to 9, got int 10"),
        ("(1, 2, 3, 4)", "expected at most three actions and one string, got a tuple of 4"),
        ("[None] * 4", "expected at most three actions and one string, got a list of 4"),
        ("('a', 'b')", "expected at most three actions and one string, got a tuple of 2"),
        ("1.5", "expected a tuple or a list, got float 1.5"),
        ("[1.0]", "expected an int, got float 1.0"),
        ("{1}", "expected a tuple or a list, got set"),
        ("{}", "expected a tuple or a list, got dict"),
        ("(action for action in [1])", "expected a tuple or a list, got generator"),
        ("range(3)", "expected a tuple or a list, got range"),
        ("b'1'", "expected a tuple or a list, got bytes"),
        ("[(1,)]", "expected an int, got a tuple of 1"),
        ("[0] * 10**7", "expected at most three actions and one string, got a list of 10000000"),
        ("10 ** 5000", "expected actions from -9 to 9, got int"),
    ],
)
def test_returns_that_are_nonsense(start: Start, expression: str, complaint: str) -> None:
    assert mean(start, expression) == f"main returned nonsense: {complaint}"


@pytest.mark.parametrize(
    ("expression", "aim"),
    [("(3, 4)", (3, 4)), ("[-1, 31]", (29, 1)), ("None", None), ("(10**5000, -10**5000 + 1)", (10, 21))],
)
def test_choices_are_any_two_ints_or_none(start: Start, expression: str, aim: tuple[int, int] | None) -> None:
    assert mean(start, expression, PARACHUTE) == Move(aim=aim)


@pytest.mark.parametrize(
    ("expression", "complaint"),
    [
        ("5", "expected (x, y) or None, got int 5"),
        ("'12'", "expected (x, y) or None, got str '12'"),
        ("(1, 2, 3)", "expected (x, y) or None, got a tuple of 3"),
        ("(1.0, 2)", "expected an int, got float 1.0"),
        ("(None, 2)", "expected an int, got NoneType"),
        ("{1: 2, 3: 4}", "expected (x, y) or None, got dict"),
    ],
)
def test_choices_that_are_nonsense(start: Start, expression: str, complaint: str) -> None:
    assert mean(start, expression, PARACHUTE) == f"parachute returned nonsense: {complaint}"


def test_the_harness_knows_the_rules_as_the_protocol_does() -> None:
    """It cannot import them where it runs."""
    names = ("CHAT_CHARACTERS", "FAULT_CHARACTERS", "VIEW")
    assert [getattr(harness, name) for name in names] == [getattr(protocol, name) for name in names]


# --- Which class ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "class Only:\n def __init__(*args): pass\n def main(*args): return 7\n",
        "from random import Random\nfrom enum import Enum\n"
        "class Only:\n def __init__(*args): pass\n def main(*args): return 7\nSame = Only\n",
        "class First:\n def main(*args): return 1\n"
        "class Bot:\n def __init__(*args): pass\n def main(*args): return 7\nclass Helper: pass\n",
        "from dataclasses import dataclass\n@dataclass\nclass Base:\n num: int\n area: dict\n"
        " def main(*args): return 1\nclass Bot(Base):\n def main(*args): return 7\n",
        "class Bot:\n def __init__(*args): pass\n def main(*args): return 7\n"
        "if __name__ == '__main__': raise SystemExit('not in a match')\n",
    ],
)
def test_the_only_class_or_the_last_one_that_has_main_is_the_bot(start: Start, source: str) -> None:
    bot = start(source)
    assert ask(bot, INIT) == Move()
    assert ask(bot, MAIN) == Move(actions=(7,))


def test_a_bot_may_import_the_files_beside_its_own(start: Start, tmp_path: Path) -> None:
    (tmp_path / "orders.py").write_text("FORWARD = 7\n")
    bot = start("import orders\n" + returning("orders.FORWARD"))
    ask(bot, INIT)
    assert ask(bot, MAIN) == Move(actions=(7,))


def test_the_class_may_be_imported_where_the_file_defines_none(start: Start, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(dedent(returning("7")))
    bot = start("from pathlib import Path\nfrom mine import Bot\nfrom collections import OrderedDict\n")
    ask(bot, INIT)
    assert ask(bot, MAIN) == Move(actions=(7,))


def test_a_class_without_methods_fails_call_by_call(start: Start) -> None:
    bot = start("class Bot:\n def __init__(self, num, area): pass\n")
    ask(bot, INIT)
    for _ in range(2):
        assert ask(bot, MAIN) == "main raised AttributeError: 'Bot' object has no attribute 'main'"


@pytest.mark.parametrize(
    "source",
    [
        "",
        "def main(area): return 1\n",
        "class Bot\n",
        "import no_such_module\nclass Bot: pass\n",
        "class Bot:\n pass\n",
        "class Bot:\n def __init__(self, num, area): raise ValueError\n",
        "class A: pass\nclass B: pass\n",
        "raise SystemExit(0)\n",
    ],
)
def test_a_bot_that_cannot_be_imported_or_made_ends(
    start: Start, source: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Crashed):
        ask(start(source), INIT)
    assert ("Error" in capfd.readouterr().err) == ("SystemExit" not in source), "who leaves by himself says nothing"


def test_a_program_that_reads_lines_learns_that_a_class_was_expected(
    start: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Crashed):
        ask(start("while True:\n input()\n print(1)\n"), INIT)
    assert (
        capfd.readouterr()
        .err.rstrip()
        .endswith(
            "LookupError: expected a class with the methods parachute, start and main; "
            "got a program that reads standard input, which is empty"
        )
    )


# --- Attacks --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attack", "complaint"),
    [
        ("raise ValueError('no\\nway')", "ValueError: no way"),
        ("return self.main(*args)", "RecursionError: maximum recursion depth exceeded"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt: "),
        ("raise GeneratorExit", "GeneratorExit: "),
        ("raise Nasty", "Nasty"),
        ("raise ValueError(10**6 * 'x')", "ValueError: " + "x" * 169),
        ("return List()", "ZeroDivisionError: division by zero"),
        ("return [Liar()]", "ZeroDivisionError: division by zero"),
        ("input()", "EOFError: EOF when reading a line"),
        ("return bytearray(10**13)", "MemoryError: "),
    ],
)
def test_an_exception_costs_the_call_and_the_match_goes_on(start: Start, attack: str, complaint: str) -> None:
    bot = start(
        f"""
class Nasty(BaseException):
    def __str__(self): raise Nasty
class List(list):
    def __iter__(self): 1 / 0
class Liar:
    def __bool__(self): 1 / 0
class Bot:
    calls = 0
    def __init__(self, num, area): pass
    def main(self, *args):
        self.calls += 1
        if self.calls % 2 or {attack.startswith("return self.main")}:
            {attack}
        return [self.calls]
    def start(self, *args): return [9]
"""
    )
    ask(bot, INIT)
    reported = ask(bot, MAIN)
    assert isinstance(reported, str)
    assert reported.startswith(f"main raised {complaint}")
    assert ask(bot, position(BOARD, phase="start")) == Move(actions=(9,))


NOISE = """
print("0 0 0")
import sys, os
sys.stdout.write("fault x\\n"); sys.stdout.flush()
sys.__stdout__.write("9\\n"); sys.__stdout__.flush()
os.write(1, b"ok\\n1\\n2\\n")
os.system("echo 8")
"""


def test_nothing_that_a_bot_prints_gets_into_the_protocol(start: Start, capfd: pytest.CaptureFixture[str]) -> None:
    bot = start(returning("noise() or [6]", before=f"def noise():\n{indent(NOISE, '    ')}\nnoise()"))
    assert ask(bot, INIT) == Move()
    assert [ask(bot, MAIN) for _ in range(3)] == [Move(actions=(6,))] * 3
    logged = capfd.readouterr().err
    for words in ("0 0 0", "fault x", "9\n", "ok\n1\n2\n", "8\n"):
        assert logged.count(words) >= 4


@pytest.mark.parametrize(
    "attack",
    [
        "os.close(1)",
        "os.close(0)",
        "os.close(2)",
        "sys.stdout.close()",
        "sys.stdin.close()",
        "sys.stdout = None",
        "os.dup2(os.open('/dev/null', os.O_RDWR), 1)",
        "sys.setrecursionlimit(60)",
        "os.environ.clear()",
        "sys.modules.clear()",
        "__import__('builtins').__dict__.pop('print')",
    ],
)
def test_vandalism_at_home_changes_nothing(start: Start, attack: str) -> None:
    bot = start(
        returning(
            "vandalize() or [6]",
            before=f"def vandalize():\n    if not done: done.append({attack!r}); {attack}\ndone = []",
        )
    )
    assert ask(bot, INIT) == Move()
    assert [ask(bot, MAIN) for _ in range(3)] == [Move(actions=(6,))] * 3


@pytest.mark.parametrize(
    "attack",
    [
        "sys.exit()",
        "raise SystemExit(3)",
        "os._exit(0)",
        "os.abort()",
        "os.kill(os.getpid(), 9)",
        "os.closerange(3, 60)",
    ],
)
def test_a_bot_that_ends_itself_is_out(start: Start, attack: str) -> None:
    bot = start(returning("leave()", before=f"def leave():\n    {attack}\n    return []"))
    assert ask(bot, INIT) == Move()
    with pytest.raises(Crashed):
        ask(bot, MAIN)


def test_the_harness_ends_with_its_input(start: Start) -> None:
    """A thread of the bot's does not keep the process alive."""
    source = returning("[]", before="import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()")
    bot = start(source)
    assert ask(bot, INIT) == Move()
    bot._input.close()
    assert bot._output.readline() == ""


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("pass", "Traceback (most recent call last):"),
        ("import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))", "KeyError: 5"),
    ],
)
def test_what_a_bot_raises_goes_to_its_log(tmp_path: Path, before: str, said: str) -> None:
    file, game = tmp_path / "bot.py", find_game("battlegrounds")
    file.write_text(dedent(returning("{}[5]", before=before)), encoding="utf-8")
    command = command_of(file, tmp_path, game_file(game, game.harness["python"]))
    prompts = "".join(protocol.prompt(state, 0, state is INIT) for state in (INIT, MAIN))
    done = subprocess.run(command, input=prompts.encode(), capture_output=True, check=True, timeout=60)
    assert done.stdout == b"ok\nfault main raised KeyError: 5\n"
    lines = done.stderr.decode().rstrip().splitlines()
    assert (lines[0], lines[-1]) == (said, "KeyError: 5")
