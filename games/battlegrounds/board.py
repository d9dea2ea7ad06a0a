"""The first board, from the seed alone: patches of random soup, still lifes and oscillators, gliders.

Smaller boards get fewer of everything, in proportion to their area, but at least one of each kind of thing.
Source: the spec, "Board generation"; how it is made smaller is our decision.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isqrt
from random import Random
from typing import TypeAlias

from hexarena.games.battlegrounds.chance import below, stream

Place: TypeAlias = tuple[int, int]
"""Column x and row y."""

FULL_SIZE = 500
PATCHES = 60
PATCH_SIDES = (20, 60)
DENSITIES = (0.15, 0.40)
STILL_LIFES = 300
GLIDERS = 60
MARGIN = 2
"""Dead cells between a thing that is placed and whatever stands around it."""
TRIES = 400
"""To find room for one thing. A board without room goes without the thing."""

Pattern: TypeAlias = tuple[str, ...]
BOAT: Pattern = ("##.", "#.#", ".#.")
BLOCK: Pattern = ("##", "##")
BEEHIVE: Pattern = (".##.", "#..#", ".##.")
BLINKER: Pattern = ("...", "###", "...")
GLIDER: Pattern = (".#.", "..#", "###")
HEADINGS = ((1, 1), (-1, 1), (-1, -1), (1, -1))
"""Where a glider that was turned so many quarters goes, in columns and rows."""
QUIET = (BOAT, BLOCK, BEEHIVE, BLINKER)


def first_board(seed: int, size: int) -> bytes:
    """A byte a cell, row after row: 1 is alive."""
    chance = stream(seed, "board")
    share = (size / FULL_SIZE) ** 2
    cells = bytearray(size * size)
    for _ in range(_scaled(PATCHES, share)):
        _add_soup(cells, size, chance)
    taken = bytearray(cells)
    for number in range(_scaled(STILL_LIFES, share)):
        # Every third is a boat, so that at least a third are.
        pattern = BOAT if number % 3 == 0 else QUIET[below(chance, len(QUIET))]
        _add(cells, taken, turned(pattern, below(chance, 4)), chance)
    for _ in range(_scaled(GLIDERS, share)):
        _add(cells, taken, turned(GLIDER, below(chance, 4)), chance)
    return bytes(cells)


def turned(pattern: Pattern, quarters: int) -> Pattern:
    """The pattern after some quarter turns."""
    for _ in range(quarters):
        pattern = tuple("".join(column) for column in zip(*reversed(pattern), strict=True))
    return pattern


def live_places(pattern: Pattern) -> Iterator[Place]:
    """Where the pattern is alive, from its top left corner."""
    return ((x, y) for y, row in enumerate(pattern) for x, mark in enumerate(row) if mark == "#")


def _scaled(count: int, share: float) -> int:
    return max(1, round(count * share))


def _add_soup(cells: bytearray, size: int, chance: Random) -> None:
    """A square of noise. It replaces what was there."""
    least, most = PATCH_SIDES
    side = min(least + below(chance, most - least + 1), size // 2)
    density = DENSITIES[0] + (DENSITIES[1] - DENSITIES[0]) * chance.random()
    left, top = below(chance, size), below(chance, size)
    for y in range(top, top + side):
        row = y % size * size
        for x in range(left, left + side):
            cells[row + x % size] = chance.random() < density


def _add(cells: bytearray, taken: bytearray, pattern: Pattern, chance: Random) -> None:
    """Puts the pattern where its box and a margin around it are free, if such a place is found.

    taken: live cells, and all of the boxes of what was placed before: a blinker needs all of its own.
    """
    size = isqrt(len(cells))
    width, height = len(pattern[0]), len(pattern)
    for _ in range(TRIES):
        left, top = below(chance, size), below(chance, size)
        around = _box(size, (left - MARGIN, top - MARGIN), (width + 2 * MARGIN, height + 2 * MARGIN))
        if not any(taken[cell] for cell in around):
            for cell in _box(size, (left, top), (width, height)):
                taken[cell] = 1
            for x, y in live_places(pattern):
                cells[(top + y) % size * size + (left + x) % size] = 1
            return


def _box(size: int, corner: Place, extent: Place) -> list[int]:
    (left, top), (width, height) = corner, extent
    columns = [x % size for x in range(left, left + width)]
    return [y % size * size + x for y in range(top, top + height) for x in columns]
