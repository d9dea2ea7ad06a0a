"""Statistics that a bot writes to stderr: `[TDATA] key = value` of a turn, `[PDATA] key = value` of the whole match.

The spelling is psyleague's, `[PDATA+]` included, which adds up numbers. A value is the word after the equals sign. The
page parses the same lines in `frontend/src/viewer/statistics.ts`; both are tested with `tests/games/statistics.json`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from hexarena.games.referee import Record

Value: TypeAlias = int | float | str

KEYS = 64
"""Keys of each kind that a bot may have; later ones are ignored."""
WORD_CHARACTERS = 64
"""Of a key, and of a value."""
LARGEST_INTEGER = 2**53
"""Integers up to here are the same in JavaScript."""
_LINE = re.compile(r"\[(TDATA|PDATA\+?)\][ \t]+([^ \t=]+)[ \t]*=[ \t]*([^ \t]+)(?:[ \t].*)?")
_MARKS = ("[TDATA]", "[PDATA]", "[PDATA+]")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


@dataclass(slots=True)
class Statistics:
    """What one seat reported. `player`: key -> its last value, or sum. `turns`: key -> turn -> its last value there.

    `ignored`: lines that have the mark, but not the form, or that are beyond the limits.
    """

    player: dict[str, Value] = field(default_factory=dict)
    turns: dict[str, dict[int, Value]] = field(default_factory=dict)
    ignored: int = 0

    def read(self, turn: int, stderr: str) -> None:
        """Adds what a seat wrote in a turn."""
        if "DATA" not in stderr:
            return
        for line in stderr.split("\n"):
            text = line.strip(" \t\r")
            if text.startswith(_MARKS) and not self._take(turn, text):
                self.ignored += 1

    def _take(self, turn: int, text: str) -> bool:
        """Returns whether the line counts."""
        found = _LINE.fullmatch(text)
        if found is None:
            return False
        kind, key, word = found.groups()
        known: dict[str, Value] | dict[str, dict[int, Value]] = self.turns if kind == "TDATA" else self.player
        if len(key) > WORD_CHARACTERS or len(word) > WORD_CHARACTERS or (key not in known and len(known) >= KEYS):
            return False
        value = value_of(word)
        if kind == "TDATA":
            self.turns.setdefault(key, {})[turn] = value
        elif kind == "PDATA":
            self.player[key] = value
        else:
            return self._add(key, value)
        return True

    def _add(self, key: str, value: Value) -> bool:
        before = self.player.get(key, 0)
        if isinstance(value, str) or isinstance(before, str) or not math.isfinite(before + value):
            return False
        self.player[key] = before + value
        return True


def value_of(word: str) -> Value:
    """A number if the word is a finite one, else the word itself."""
    number = float(word) if _NUMBER.fullmatch(word) else math.nan
    if not math.isfinite(number):
        return word
    return int(number) if number.is_integer() and abs(number) < LARGEST_INTEGER else number


def statistics_of(stderr_by_turn: Iterable[tuple[int, str]]) -> Statistics:
    """What a seat reported in a match: (turn, stderr), in order."""
    found = Statistics()
    for turn, stderr in stderr_by_turn:
        found.read(turn, stderr)
    return found


def seat_statistics(record: Record) -> list[Statistics]:
    """Seat -> what its bot reported in a match."""
    wrote: list[list[tuple[int, str]]] = [[] for _ in range(record.seats)]
    for turn in record.turns:
        for exchange in turn.exchanges:
            wrote[exchange.seat].append((turn.number, exchange.stderr))
    return [statistics_of(one) for one in wrote]
