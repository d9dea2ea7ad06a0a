"""What sources have in common: fingerprints find the pairs, tiles say how much and where.

Runs in the sandbox under the machine's own Python, so with nothing but the standard library.

A source is a list of kinds of tokens, in which all names are alike. Its fingerprints are the hashes of GRAM tokens in a
row that winnowing keeps: at least one of each WINDOW neighbours (Schleimer, Wilkerson, Aiken: Winnowing, SIGMOD 2003).
Pairs with common fingerprints are compared in full: the longest common run of tokens is marked in both, then the next
one among what is left, as long as GRAM tokens are (greedy string tiling, Wise 1993). What is in the base code belongs
to nobody, and ends a run.
"""

from __future__ import annotations

import heapq
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

GRAM = 24
"""The shortest run of tokens that counts as common."""
WINDOW = 8
BASE_GRAM = 12
"""The shortest run that counts as base code: shorter, as students change single lines of it."""
MOST_TOKENS = 60_000
"""Of a source; larger ones are data, not code."""
MOST_SHARING = 100
"""A fingerprint that more sources have does not make a pair; in pairs that others make, it counts."""
MOST_PLACES = 8
"""Of one run within one source: a table of numbers is thousands of equal runs."""
MOST_COMPARED = 2000
MOST_PAIRS = 300
MOST_TILES = 100
TOKEN_BYTES = 4
MODULUS = (1 << 61) - 1
FACTOR = 1_000_003


@dataclass(frozen=True)
class Source:
    """`kinds`: of its tokens; `lines`: the line of each, from 1. `group`: pairs within one are left out."""

    kinds: Sequence[str]
    lines: Sequence[int]
    group: int


@dataclass(frozen=True)
class Coded:
    """A source as numbers. `own`: token -> 1 if it counts. `grams`: first token -> hash, of its runs of GRAM.

    `text`: the numbers as bytes, TOKEN_BYTES each: slices of bytes are compared at the speed of memory, and two tables
    of numbers agree wherever one is laid over the other.
    """

    own: bytes
    grams: Mapping[int, int]
    text: bytes


@dataclass(frozen=True)
class Tile:
    """A common run: where it begins in either source, in tokens, and how many it has."""

    one: int
    other: int
    length: int


def compare(sources: Sequence[Source], base: Iterable[Sequence[str]]) -> tuple[list[int], list[dict[str, object]]]:
    """Source -> tokens of its own; and the most similar pairs, the most similar first.

    A pair: indices `one` < `other`, `shares` of each one's own tokens that are common, `similarity` (twice the common
    tokens by all own ones of both), `common`, `longest` (tokens), `tiles` as [first line, last line] of one and other
    and their tokens, in the order of the first.
    """
    numbers: dict[str, int] = {}
    coded = [[numbers.setdefault(kind, len(numbers) + 1) for kind in source.kinds] for source in sources]
    given = [[numbers.setdefault(kind, len(numbers) + 1) for kind in kinds] for kinds in base]
    known = {value for codes in given for value in grams(codes, BASE_GRAM)}
    found = [_coded(codes, known) for codes in coded]
    counts = [sum(one.own) for one in found]
    pairs: list[dict[str, object]] = []
    for one, other in candidates(sources, [one.grams for one in found]):
        tiles = tile(found[one], found[other])
        if tiles:
            pairs.append(_pair(one, other, tiles, sources, counts))
    pairs.sort(key=lambda pair: (-pair["similarity"], -pair["longest"], pair["one"], pair["other"]))  # type: ignore[operator]
    return counts, pairs[:MOST_PAIRS]


def _coded(codes: Sequence[int], known: set[int]) -> Coded:
    own = own_tokens(codes, known)
    return Coded(bytes(own), own_grams(codes, own), array("I", codes).tobytes())


def _pair(
    one: int, other: int, tiles: Sequence[Tile], sources: Sequence[Source], counts: Sequence[int]
) -> dict[str, object]:
    common = sum(found.length for found in tiles)
    shown = sorted(sorted(tiles, key=lambda found: -found.length)[:MOST_TILES], key=lambda found: found.one)
    return {
        "one": one,
        "other": other,
        "shares": [common / counts[one], common / counts[other]],
        "similarity": 2 * common / (counts[one] + counts[other]),
        "common": common,
        "longest": max(found.length for found in tiles),
        "tiles": [
            [*_span(sources[one].lines, found.one, found.length),
             *_span(sources[other].lines, found.other, found.length), found.length]
            for found in shown
        ],
    }  # fmt: skip


def _span(lines: Sequence[int], start: int, length: int) -> tuple[int, int]:
    return lines[start], lines[start + length - 1]


def grams(codes: Sequence[int], length: int) -> list[int]:
    """The hashes of all runs of so many tokens, by a rolling polynomial."""
    if len(codes) < length:
        return []
    oldest, value, found = pow(FACTOR, length - 1, MODULUS), 0, []
    for index, code in enumerate(codes):
        if index >= length:
            value -= codes[index - length] * oldest
        value = (value * FACTOR + code) % MODULUS
        if index >= length - 1:
            found.append(value)
    return found


def own_tokens(codes: Sequence[int], known: set[int]) -> list[bool]:
    """Token -> whether it is in no run that the base code has."""
    own = [True] * len(codes)
    covered = 0
    for start, value in enumerate(grams(codes, BASE_GRAM)):
        if value in known:
            for index in range(max(start, covered), start + BASE_GRAM):
                own[index] = False
            covered = start + BASE_GRAM
    return own


def own_grams(codes: Sequence[int], own: Sequence[bool]) -> Mapping[int, int]:
    """First token -> hash, of all runs of GRAM tokens that are nobody else's."""
    foreign_at, found = -1, {}
    for start, value in enumerate(grams(codes, GRAM)):
        if start == 0:
            foreign_at = max((index for index in range(GRAM) if not own[index]), default=-1)
        elif not own[start + GRAM - 1]:
            foreign_at = start + GRAM - 1
        if foreign_at < start:
            found[start] = value
    return found


def winnow(hashes: Iterable[int]) -> set[int]:
    """The fingerprints among the hashes of a source's runs, in their order: the least of each WINDOW in a row."""
    values = list(hashes)
    if len(values) < WINDOW:
        return {min(values)} if values else set()
    heap: list[tuple[int, int]] = []
    kept = set()
    for index, value in enumerate(values):
        heapq.heappush(heap, (value, -index))
        if index >= WINDOW - 1:
            while -heap[0][1] <= index - WINDOW:
                heapq.heappop(heap)
            kept.add(heap[0][0])
    return kept


def candidates(sources: Sequence[Source], hashes: Sequence[Mapping[int, int]]) -> list[tuple[int, int]]:
    """The pairs of different groups with common fingerprints, the largest part first."""
    prints = [winnow(found.values()) for found in hashes]
    having: defaultdict[int, list[int]] = defaultdict(list)
    for index, found in enumerate(prints):
        for value in found:
            having[value].append(index)
    shared: Counter[tuple[int, int]] = Counter()
    for those in having.values():
        if len(those) > MOST_SHARING:
            continue
        for place, one in enumerate(those):
            shared.update((one, other) for other in those[place + 1 :] if sources[one].group != sources[other].group)

    def part(pair: tuple[int, int]) -> tuple[float, tuple[int, int]]:
        return -shared[pair] / min(len(prints[pair[0]]), len(prints[pair[1]])), pair

    return heapq.nsmallest(MOST_COMPARED, shared, key=part)


def tile(one: Coded, other: Coded) -> list[Tile]:
    """Common runs that do not overlap, the longest first."""
    places: defaultdict[int, list[int]] = defaultdict(list)
    for start, value in other.grams.items():
        if len(places[value]) < MOST_PLACES:
            places[value].append(start)
    reached: dict[int, int] = {}
    diagonal = 0  # of the last match: code often continues where it was, however many places there are
    heap: list[tuple[int, int, int]] = []
    for start, value in one.grams.items():
        last = start - diagonal
        again = (last,) if other.grams.get(last) == value else ()
        for there in (*again, *places.get(value, ())):
            if reached.get(start - there, -1) >= start + GRAM:
                continue
            length = _common(one, other, start, there)
            diagonal = start - there
            reached[diagonal] = start + length
            if length >= GRAM:
                heap.append((-length, start, there))
    heapq.heapify(heap)
    free_one, free_other = bytearray(one.own), bytearray(other.own)
    found = []
    while heap:
        negative, start, there = heapq.heappop(heap)
        runs = _free_runs(free_one, free_other, start, there, -negative)
        if len(runs) == 1 and runs[0][1] == -negative:
            found.append(Tile(start, there, -negative))
            free_one[start : start - negative] = free_other[there : there - negative] = bytes(-negative)
            continue
        for offset, length in runs:
            if length >= GRAM:
                heapq.heappush(heap, (-length, start + offset, there + offset))
    return found


def _common(one: Coded, other: Coded, start: int, there: int) -> int:
    """How many tokens from here on are equal and count."""
    most = min(
        _find(one.own, 0, start, len(one.own)) - start,
        _find(other.own, 0, there, len(other.own)) - there,
    )
    reached, step = 0, GRAM
    while reached < most:
        ahead = min(step, most - reached)
        if _equal(one, other, start + reached, there + reached, ahead):
            reached, step = reached + ahead, 2 * step
            continue
        while ahead > 1:
            half = ahead // 2
            if _equal(one, other, start + reached, there + reached, half):
                reached, ahead = reached + half, ahead - half
            else:
                ahead = half
        break
    return reached


def _equal(one: Coded, other: Coded, start: int, there: int, length: int) -> bool:
    here = one.text[TOKEN_BYTES * start : TOKEN_BYTES * (start + length)]
    return here == other.text[TOKEN_BYTES * there : TOKEN_BYTES * (there + length)]


def _free_runs(one: bytearray, other: bytearray, start: int, there: int, length: int) -> list[tuple[int, int]]:
    """(offset, length) of the runs within a common one that no tile has yet: where both have a 1."""
    runs, begin = [], 0
    while begin < length:
        free = one.find(1, start + begin, start + length), other.find(1, there + begin, there + length)
        if min(free) < 0:
            break
        begin, later = sorted((free[0] - start, free[1] - there))
        if begin < later:
            begin = later
            continue
        end = min(
            _find(one, 0, start + begin, start + length) - start,
            _find(other, 0, there + begin, there + length) - there,
        )
        runs.append((begin, end - begin))
        begin = end
    return runs


def _find(where: bytes | bytearray, value: int, start: int, end: int) -> int:
    """The first place of the value from `start` on, or `end`."""
    found = where.find(value, start, end)
    return end if found < 0 else found
