"""Plays for a bot that is a Python class: turns the protocol's blocks into calls, and what they return into lines.

Runs as `python3 harness.py bot.py` in the bot's own process, with the standard library only. The protocol moves to
descriptors of its own first: what the bot prints, or writes to descriptor 1, goes to the log, and what it
reads from standard input is empty. An exception in a call costs that call; a bot that cannot be imported or made,
or that ends its process, is out.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import sys
from collections.abc import Iterable, Iterator, ValuesView
from itertools import chain, islice, repeat
from operator import index

TYPE_CHECKING = False
if TYPE_CHECKING:  # without `typing`, which takes a tenth of a bot's start
    from types import ModuleType
    from typing import Any, TextIO

VIEW = 25
CHAT_CHARACTERS = 32
FAULT_CHARACTERS = 200
TRACEBACK_CHARACTERS = 2_000
MARKS, CELLS = b"012345x", b"\x00\x01\x02\x03\x04\x05\xff"
"""What a cell is in the protocol, and the signed byte that it means: dead, alive, four members, -1 an opponent."""

LOOKS = 20_000
"""Single cells that cost about as much to look up as a tenth of all entries costs to make."""
NO_CLASS = "expected a class with the methods parachute, start and main;"

_MEANINGS = bytes.maketrans(MARKS, CELLS)

Area = dict[tuple[int, int], int]
Chat = list[tuple[int, str]]
Team = dict[int, tuple[int, int]]


class Nonsense(Exception):
    """A return value that the rules do not allow. The message says what was expected and what was got."""


def main(source: str) -> None:
    """Plays one match: a line for each block, until there are no more."""
    blocks, replies = _private_streams()
    try:
        make = _find_class(_imported(source))
        bot, size = None, 0
        while words := blocks.readline().split():
            call, numbers = words[0], [int(word) for word in words[1:]]
            if call == "init":
                size = numbers[1]
                board, unkept = _read_board(blocks, size), object()
                bot = make(numbers[0], board)
                if sys.getrefcount(board) > sys.getrefcount(unkept):
                    board.fill()  # on the time for start-up: a later call has far less
                del board
                reply = "ok"
            else:
                reply = _answer(bot, call, _read_arguments(blocks, call, numbers, size), size)
            replies.write(f"{reply}\n")
            replies.flush()
    except BaseException as error:  # noqa: BLE001 - the end of the process, whatever it is
        _log(error)
        os._exit(1)
    os._exit(0)


def _private_streams() -> tuple[TextIO, TextIO]:
    """Where blocks come from and replies go to, on descriptors that only the harness knows."""
    blocks = os.fdopen(os.dup(0), "r", encoding="utf-8", newline="\n")
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return blocks, replies


# --- The bot ---------------------------------------------------------------------------------------------------------


def _imported(source: str) -> ModuleType:
    """The bot's file as the module `bot`. It may import those beside it."""
    folder = os.path.dirname(os.path.abspath(source))  # noqa: PTH100, PTH120 - `pathlib` takes long to import
    if folder not in sys.path:
        sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location("bot", source)
    if spec is None or spec.loader is None:
        raise ImportError(f"expected a Python file, got {source}")
    module = importlib.util.module_from_spec(spec)
    sys.modules["bot"] = module
    try:
        spec.loader.exec_module(module)
    except EOFError as error:
        raise LookupError(f"{NO_CLASS} got a program that reads standard input, which is empty") from error
    return module


def _find_class(module: ModuleType) -> Any:
    """The only class that the file defines; of several, or of those that it only imports, the last that has `main`."""
    classes = [thing for thing in vars(module).values() if isinstance(thing, type)]
    found = [thing for thing in classes if thing.__module__ == "bot"]
    if len(found) != 1:
        found = [thing for thing in found or classes if hasattr(thing, "main")][-1:]
    if not found:
        raise LookupError(f"{NO_CLASS} found none")
    return found[0]


def _answer(bot: object, call: str, arguments: list[Any], size: int) -> str:
    """One call, as a line. Only `sys.exit` gets through: a bot that wants to leave may."""
    try:
        returned = getattr(bot, call)(*arguments)
        return _choice(returned, size) if call == "parachute" else _turn(returned)
    except SystemExit:
        raise
    except Nonsense as error:
        return _fault(f"{call} returned nonsense: {error}")
    except BaseException as error:  # noqa: BLE001 - whatever it is, the match continues
        _log(error)
        return _fault(f"{call} raised {_words(error)}")


# --- Blocks into arguments -------------------------------------------------------------------------------------------


def _read_arguments(blocks: TextIO, call: str, numbers: list[int], size: int) -> list[Any]:
    """New objects for each call: what the bot does to them is its own business."""
    if call == "parachute":
        return [{bot: place if place != (-1, -1) else None for bot, place in _read_places(blocks, 4)}]
    x, y = map(int, blocks.readline().split())
    area = _read_area(blocks, VIEW, VIEW, (x - VIEW // 2, y - VIEW // 2), size)
    if call == "start":
        return [area, numbers[0], _read_chat(blocks)]
    team: Team = dict(_read_places(blocks, int(blocks.readline())))
    return [area, team, numbers[0], numbers[1], _read_chat(blocks)]


def _read_board(blocks: TextIO, size: int) -> Board:
    """The whole board."""
    return LazyBoard(_read_cells(blocks, size, size), size)


def _read_area(blocks: TextIO, width: int, height: int, corner: tuple[int, int], size: int) -> Area:
    """Rows of cells as a dictionary, row after row from the corner, with the board's own coordinates."""
    cells = memoryview(_read_cells(blocks, width, height)).cast("b")
    return dict(zip(_places(width, height, corner, size), cells, strict=True))


def _read_cells(blocks: TextIO, width: int, height: int) -> bytes:
    return "".join([blocks.readline()[:width] for _ in range(height)]).encode().translate(_MEANINGS)


def _places(width: int, height: int, corner: tuple[int, int], size: int) -> Iterator[tuple[int, int]]:
    """Row after row from the corner."""
    left, top = corner
    columns = [x % size for x in range(left, left + width)]
    return chain.from_iterable([zip(columns, repeat(y % size)) for y in range(top, top + height)])


def _read_places(blocks: TextIO, count: int) -> Iterator[tuple[int, tuple[int, int]]]:
    for _ in range(count):
        bot, x, y = map(int, blocks.readline().split())
        yield bot, (x, y)


def _read_chat(blocks: TextIO) -> Chat:
    messages: Chat = []
    for _ in range(int(blocks.readline())):
        author, _, text = blocks.readline().removesuffix("\n").partition(" ")
        messages.append((int(author), text))
    return messages


# --- The whole board -------------------------------------------------------------------------------------------------


class Board(dict[tuple[int, int], int]):
    """The whole board as a dictionary: with all its entries, unless it is a `LazyBoard`."""

    __slots__ = ("cells", "looks", "size")

    def fill(self) -> None:
        """Makes the entries, unless they are there."""


class LazyBoard(Board):
    """A board that makes its 250,000 entries only where a bot needs them all, since this is most of what a start costs.

    Most bots only look at a board, which needs none: each question that `dict` answers is answered from the cells. Its
    first change, and whatever else there is, fills it and makes it a `Board`, which is `dict` in all but its name.
    `cells`: row after row; `looks`: how many more single ones are looked at before entries are the cheaper way.
    """

    __slots__ = ()

    def __init__(self, cells: bytes, size: int) -> None:
        self.cells, self.size, self.looks = cells, size, LOOKS

    def fill(self) -> None:
        """The garbage collector never looks through the entries: it would find nothing there."""
        gc.disable()
        self.__class__ = Board  # type: ignore[assignment]  # of the same slots
        self.update(zip(_places(self.size, self.size, (0, 0), self.size), self.cells, strict=True))
        gc.freeze()
        gc.enable()

    def __missing__(self, key: Any) -> int:
        if type(key) is tuple and len(key) == 2:
            x, y = key
            if type(x) is type(y) is int and 0 <= x < self.size and 0 <= y < self.size and self.looks:
                self.looks -= 1
                return self.cells[y * self.size + x]
        self.fill()
        return self[key]

    def get(self, key: Any, default: Any = None) -> Any:
        try:
            return self[key]
        except KeyError:
            return default

    def __contains__(self, key: object) -> bool:
        try:
            return self[key] >= 0  # type: ignore[index]  # any object may be asked for
        except KeyError:
            return False

    def __len__(self) -> int:
        return len(self.cells)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return _places(self.size, self.size, (0, 0), self.size)

    def values(self) -> Any:
        return Values(self)


class Values(ValuesView[int]):
    """Those of a board that was lazy when it was asked for them."""

    __slots__ = ()
    _mapping: Board

    def __contains__(self, value: object) -> bool:
        return value in list(self)

    def __iter__(self) -> Iterator[int]:
        return iter(self._mapping.cells if type(self._mapping) is LazyBoard else self._mapping.values())

    def __reversed__(self) -> Iterator[int]:
        self._mapping.fill()
        return reversed(self._mapping.values())

    def __repr__(self) -> str:
        self._mapping.fill()
        return repr(self._mapping.values())


def _filled(name: str) -> Any:
    """A method of `dict` that needs all entries."""
    method = getattr(dict, name)

    def on_all(self: Board, *arguments: Any, **named: Any) -> Any:
        self.fill()
        return method(self, *arguments, **named)

    on_all.__name__ = name
    return on_all


for _name in (
    *("__eq__", "__ne__", "__repr__", "__reversed__", "__or__", "__ror__", "__ior__", "__setitem__", "__delitem__"),
    *("clear", "copy", "items", "keys", "pop", "popitem", "setdefault", "update", "__reduce_ex__", "__sizeof__"),
):
    setattr(LazyBoard, _name, _filled(_name))

# --- What a call returned, into lines --------------------------------------------------------------------------------


def _choice(returned: Any, size: int) -> str:
    if returned is None:
        return "none"
    if not isinstance(returned, tuple | list) or len(returned) != 2:
        raise Nonsense(f"expected (x, y) or None, got {_shown(returned)}")
    x, y = (_whole(number) % size for number in returned)
    return f"{x} {y}"


def _turn(returned: Any) -> str:
    """At most three actions and one message, in any order."""
    items = list(islice(returned, 5)) if isinstance(returned, tuple | list) else [_single(returned)]
    texts = [item for item in items if isinstance(item, str)]
    actions = [_action(item) for item in items if not isinstance(item, str)]
    if len(actions) > 3 or len(texts) > 1:
        raise Nonsense(f"expected at most three actions and one string, got {_shown(returned)}")
    return " ".join([*actions, *(f"say {_printable(text, CHAT_CHARACTERS)}" for text in texts)])


def _single(returned: Any) -> Any:
    """A bare int, string or None stands for a list of that one item."""
    if returned is None or isinstance(returned, str) or hasattr(returned, "__index__"):
        return returned
    raise Nonsense(f"expected a tuple or a list, got {_shown(returned)}")


def _action(item: Any) -> str:
    number = _whole(item) if item else 0
    if not -9 <= number <= 9:
        raise Nonsense(f"expected actions from -9 to 9, got {_shown(item)}")
    return str(number)


def _whole(number: Any) -> int:
    """Whatever Python takes for a whole number: booleans too, but no floats."""
    try:
        return int(index(number))
    except TypeError:
        raise Nonsense(f"expected an int, got {_shown(number)}") from None


# --- Words -----------------------------------------------------------------------------------------------------------


def _fault(why: str) -> str:
    in_a_line = (" " if character in "\r\n" else character for character in why)
    return f"fault {_printable(in_a_line, FAULT_CHARACTERS)}"


def _words(error: BaseException) -> str:
    """The exception in a line; its own words may raise, too."""
    try:
        return f"{type(error).__name__}: {error}"
    except BaseException:  # noqa: BLE001
        return type(error).__name__


def _shown(value: Any) -> str:
    """A value in a few characters, with its type."""
    kind = type(value).__name__
    if isinstance(value, tuple | list):
        return f"a {kind} of {len(value)}"
    try:
        return f"{kind} {_printable(repr(value), 40)}" if isinstance(value, int | float | str) else kind
    except BaseException:  # noqa: BLE001
        return kind


def _printable(text: Iterable[str], most: int) -> str:
    return "".join(islice((character for character in text if character.isprintable()), most))


def _log(error: BaseException) -> None:
    """What happened goes to the bot's log."""
    try:
        os.write(2, f"{_traceback(error)}\n".encode("utf-8", "replace"))
    except BaseException:  # noqa: BLE001
        return


def _traceback(error: BaseException) -> str:
    """Its end. Where there is nothing left to make it with, memory or files to open, only what the exception says."""
    try:
        # Most bots never raise, and this is a third of a start.
        from traceback import format_exception  # noqa: PLC0415

        return "".join(format_exception(error))[-TRACEBACK_CHARACTERS:]
    except BaseException:  # noqa: BLE001
        return _words(error)


if __name__ == "__main__":
    main(sys.argv[1])
