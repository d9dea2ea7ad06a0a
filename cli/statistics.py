"""The statistics of bots (`games/statistics.py`) as commands print and write them: of a match, and means of a duel."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from hexarena.cli.output import visible
from hexarena.games.contract import Json
from hexarena.games.statistics import KEYS, Statistics, Value

Kind: TypeAlias = Literal["player_data", "turn_data"]
Sums: TypeAlias = dict[tuple[Kind, str], tuple[float, int]]
"""(kind, key) -> the sum of the numbers, and how many they are. Text is left out."""
MARKS: Mapping[Kind, str] = {"player_data": "[PDATA]", "turn_data": "[TDATA]"}
IGNORED = f"[TDATA] key = value, at most {KEYS} keys of at most 64 characters"


def match_json(found: Sequence[Statistics]) -> dict[str, Json]:
    """Fields of a match's JSON, each a list by seat. `turn_data`: key -> [turn, value] pairs."""
    return {
        "player_data": [one.player for one in found],
        "turn_data": [{key: list(map(list, turns.items())) for key, turns in one.turns.items()} for one in found],
        "data_ignored": [one.ignored for one in found],
    }


def duel_json(sums: Sequence[Sums]) -> dict[str, Json]:
    """Fields of a duel's JSON, each a list by bot: key -> mean over its matches, or over all turns of them."""
    return {kind: [_means(of, kind) for of in sums] for kind in MARKS}


def sums_of(found: Sequence[Statistics]) -> Sums:
    """The sums of a bot's seats in one match."""
    sums: Sums = {}
    for one in found:
        numbers = {key: value for key, value in one.player.items() if not isinstance(value, str)}
        add_up(sums, {("player_data", key): (value, 1) for key, value in numbers.items()})
        for key, turns in one.turns.items():
            values = [value for value in turns.values() if not isinstance(value, str)]
            if values:
                add_up(sums, {("turn_data", key): (_sum(values), len(values))})
    return sums


def _sum(values: Sequence[float]) -> float:
    """Infinite where it is beyond all numbers."""
    try:
        return math.fsum(values)
    except OverflowError:
        return sum(values)


def add_up(sums: Sums, more: Mapping[tuple[Kind, str], tuple[float, int]]) -> None:
    """Adds sums to others; keys beyond twice KEYS are left out, so that a duel does not grow with new ones."""
    for key, (total, count) in more.items():
        if key in sums or len(sums) < 2 * KEYS:
            before, seen = sums.get(key, (0.0, 0))
            sums[key] = (before + total, seen + count)


def print_match_statistics(console: Console, names: Sequence[str], found: Sequence[Statistics]) -> None:
    """A row a key, a column a seat; of a turn's values the mean and the last one. Says what was ignored."""
    rows: dict[str, list[str]] = {}
    for seat, one in enumerate(found):
        means = _means(sums_of([one]), "turn_data")
        texts = {f"[PDATA] {key}": _short(value) for key, value in one.player.items()}
        for key, turns in one.turns.items():
            mean = means.get(key)
            before = "" if mean is None else f"{_short(mean)} mean, "
            texts[f"[TDATA] {key}"] = f"{before}{_short(turns[max(turns)])} last"
        for key, text in texts.items():
            rows.setdefault(key, [""] * len(found))[seat] = text
    _print_table(console, names, rows)
    for seat, one in enumerate(found):
        if one.ignored:
            line = f"seat {seat}: {one.ignored:,} lines of statistics were ignored: expected {IGNORED}"
            console.print(line, style="yellow", markup=False, highlight=False, soft_wrap=True)


def print_duel_statistics(console: Console, names: Sequence[str], sums: Sequence[Sums]) -> None:
    """A row a key, a column a bot: the means."""
    rows: dict[str, list[str]] = {}
    for bot, of in enumerate(sums):
        for kind, mark in MARKS.items():
            for key, mean in _means(of, kind).items():
                rows.setdefault(f"{mark} {key}", [""] * len(sums))[bot] = "" if mean is None else _short(mean)
    _print_table(console, names, rows)


def _print_table(console: Console, names: Sequence[str], rows: Mapping[str, Sequence[str]]) -> None:
    if not rows:
        return
    table = Table("statistic", *(escape(visible(name)) for name in names))
    for key, texts in rows.items():
        table.add_row(*(Text(visible(text)) for text in (key, *texts)))
    console.print(table)


def _means(sums: Sums, kind: Kind) -> dict[str, float | None]:
    """Key -> mean; null where it is beyond all numbers, as JSON has no infinite ones."""
    means = {key: total / count for (of, key), (total, count) in sums.items() if of == kind}
    return {key: mean if math.isfinite(mean) else None for key, mean in means.items()}


def _short(value: Value) -> str:
    return value if isinstance(value, str) else f"{value:.6g}"
