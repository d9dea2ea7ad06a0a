"""The words of one command: which command it is and its numbers, before anybody asks whether it can be done.

Bots write the same commands over and over, so what short ones say is kept.
Source: the spec, section 7.3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from hexarena.games.text import INT_MAX, small_int
from hexarena.games.tryangle.board import Kind

HOUSES_NAMED: Mapping[Kind, int] = {
    Kind.MOVE: 2,
    Kind.SPAWN: 3,
    Kind.ATTACK: 4,
    Kind.ADD_PATH: 4,
    Kind.REMOVE_PATH: 4,
}
"""How many of a command's numbers are houses: they come first and have no minus."""

_NUMBERS: Mapping[Kind, int] = {**HOUSES_NAMED, Kind.MOVE: 3}
_DRAWINGS: Mapping[str, int] = {"LINE": 4, "RECT": 4, "CIRCLE": 3, "TEXT": 2}
"""Commands that draw in the original's viewer and do nothing here -> how many numbers they have."""

_SURELY_SMALL = 10
"""Words with fewer characters fit a signed 32-bit integer."""

_LONGEST_KEPT = 40
_WORDS = re.compile(r"\s*(?!TEXT\s)([A-Z_]+)((?:\s+-?[0-9]+)*)\s*", re.IGNORECASE | re.ASCII)
_TEXT = re.compile(
    r"\s*(TEXT)(\s+-?[0-9]+\s+-?[0-9]+)\s[^\n\r\x85\u2028\u2029]+",
    re.IGNORECASE | re.ASCII,
)


class Words(NamedTuple):
    """`kind`: None for a drawing. `words`: the numbers as written; `numbers`: those before the first too large one."""

    kind: Kind | None
    words: tuple[str, ...]
    numbers: tuple[int, ...]


def read_words(part: str) -> Words | None:
    """What a part of a line says; None if it has not the form of a command, or is a drawing with too large a number."""
    return _kept(part) if len(part) <= _LONGEST_KEPT else _read(part)


@lru_cache(maxsize=8192)
def _kept(part: str) -> Words | None:
    return _read(part)


def _read(part: str) -> Words | None:
    matched = _WORDS.fullmatch(part) or _TEXT.fullmatch(part)
    if matched is None:
        return None
    name, words = matched[1].upper(), tuple(matched[2].split())
    numbers = _numbers(words)
    if name in _DRAWINGS:
        return Words(None, words, numbers) if len(numbers) == len(words) == _DRAWINGS[name] else None
    kind = Kind.__members__.get(name)
    if kind is None or len(words) != _NUMBERS[kind] or any(word[0] == "-" for word in words[: HOUSES_NAMED[kind]]):
        return None
    return Words(kind, words, numbers)


def _numbers(words: tuple[str, ...]) -> tuple[int, ...]:
    numbers: list[int] = []
    for word in words:
        number = _number(word)
        if number is None:
            break
        numbers.append(number)
    return tuple(numbers)


def _number(word: str) -> int | None:
    """A signed 32-bit integer, or None."""
    if len(word) < _SURELY_SMALL:
        return int(word)
    if word[0] != "-":
        return small_int(word)
    if word[1:].lstrip("0") == str(INT_MAX + 1):
        return -INT_MAX - 1
    value = small_int(word[1:])
    return None if value is None else -value
