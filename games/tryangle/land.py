"""Where the houses are, and all that follows from that alone: which pairs may be joined, and which of them cross.

A land never changes during a match. Sets of houses and sets of paths are integers with a bit for each member, so
that a question about a whole set ("does this pair cross any path?") is one operation.
Source: the spec, sections 2.2, 2.3 and 7.4e. Coordinates are integers, so every answer here is exact.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

House: TypeAlias = int
"""A position in the list of houses."""

Houses: TypeAlias = int
"""A set of houses: bit h is house h."""

Pairs: TypeAlias = int
"""A set of pairs of houses: bit i is the pair `Land.pairs[i]`."""

Pair: TypeAlias = tuple[House, House]
Corners: TypeAlias = tuple[House, House, House]
Place: TypeAlias = tuple[int, int]
Flags: TypeAlias = NDArray[np.bool_]

LONGEST_PATH_SQUARED = 400 * 400


@dataclass(frozen=True, slots=True, eq=False)
class Land:
    """Houses and tables about them. A pair in `pairs` has its lower house first.

    `pairs`: all that may ever be paths, in order: short ones (400 at most) and those that a custom map begins with.
    `bits`: pair, in either order -> the set of it alone. `squared_lengths`: by the pair's position.
    `short`: the pairs that may be built. `blockers`: (first, target), in either order, of a short pair -> the pairs
    that it crosses. `blocked`: position of a pair -> the short pairs, lower house first, that it blocks as a path.
    `left`: [a][b] -> the houses c for which a, b, c turn to the left in the reference's sense; never those in line.
    """

    places: tuple[Place, ...]
    pairs: tuple[Pair, ...] = field(repr=False)
    bits: Mapping[Pair, Pairs] = field(repr=False)
    squared_lengths: tuple[int, ...] = field(repr=False)
    short: Pairs = field(repr=False)
    blockers: Mapping[Pair, Pairs] = field(repr=False)
    blocked: tuple[Pairs, ...] = field(repr=False)
    left: tuple[tuple[Houses, ...], ...] = field(repr=False)


def survey(places: Sequence[Place], *, paths: Collection[Pair] = ()) -> Land:
    """The tables of a land. `paths`: pairs, lower house first, that may be paths whatever their length."""
    x, y = (np.array([place[axis] for place in places], dtype=np.int64) for axis in (0, 1))
    dx, dy = x[None, :] - x[:, None], y[None, :] - y[:, None]
    squared = dx * dx + dy * dy
    left = dx[:, :, None] * dy[:, None, :] > dy[:, :, None] * dx[:, None, :]

    wanted = np.triu(squared <= LONGEST_PATH_SQUARED, 1)
    for path in paths:
        wanted[path] = True
    first, second = np.nonzero(wanted)
    lengths = squared[first, second]
    short = lengths <= LONGEST_PATH_SQUARED
    forward, backward = _crossings(left, first, second)

    pairs = tuple(zip(first.tolist(), second.tolist(), strict=True))
    bits = {pair: 1 << index for index, pair in enumerate(pairs)}
    there = {pair: crossed for pair, crossed, keep in zip(pairs, _sets(forward), short, strict=True) if keep}
    back = {(b, a): crossed for (a, b), crossed, keep in zip(pairs, _sets(backward), short, strict=True) if keep}
    return Land(
        places=tuple(places),
        pairs=pairs,
        bits=bits | {(b, a): bit for (a, b), bit in bits.items()},
        squared_lengths=tuple(lengths.tolist()),
        short=_sets(short[None, :])[0] if pairs else 0,
        blockers=there | back,
        blocked=tuple(_sets(forward.T & short)),
        left=tuple(tuple(_sets(row)) for row in left),
    )


def can_connect(land: Land, paths: Pairs, first: House, target: House) -> bool:
    """Whether the pair is short enough and crosses none of the paths. A pair that is a path itself passes.

    Where three houses are in line, the answer may depend on which house is first.
    """
    if first == target:
        return True
    crossed = land.blockers.get((first, target))
    return crossed is not None and not crossed & paths


def is_empty(land: Land, corners: Corners) -> bool:
    """Whether no house is inside. `corners`: ascending; a house exactly on a side counts for one orientation only."""
    i, j, k = corners
    ij, jk, ki = land.left[i][j], land.left[j][k], land.left[k][i]
    outside_all = ~(ij | jk | ki) & ((1 << len(land.places)) - 1)
    return not (ij & jk & ki) and not outside_all & ~house_set(corners)


def squared_length(land: Land, first: House, target: House) -> int:
    """The squared distance of two houses."""
    (x1, y1), (x2, y2) = land.places[first], land.places[target]
    return (x1 - x2) ** 2 + (y1 - y2) ** 2


def house_set(houses: Collection[House]) -> Houses:
    """The houses as a set of bits."""
    mask = 0
    for house in houses:
        mask |= 1 << house
    return mask


def members(mask: int) -> Iterator[int]:
    """The positions of the bits that are set, ascending."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def flags(mask: int) -> bytes:
    """Bit i of the set as byte i, 0 or 1, up to the highest bit set: selectors for `itertools.compress`."""
    return f"{mask:b}"[::-1].encode().translate(_DIGIT_VALUES)


_DIGIT_VALUES = bytes(value - ord("0") if value in b"01" else value for value in range(256))


def _crossings(left: Flags, first: NDArray[np.int64], second: NDArray[np.int64]) -> tuple[Flags, Flags]:
    """[p, q]: whether pair p crosses the path q; p taken as (lower, higher), then as (higher, lower)."""
    separated = _separated(left[first, second], first, second)
    separated_back = _separated(left[second, first], first, second)
    apart = (
        (first[:, None] != first)
        & (first[:, None] != second)
        & (second[:, None] != first)
        & (second[:, None] != second)
    )
    cut = separated.T & apart
    return separated & cut, separated_back & cut


def _separated(left_of: Flags, first: NDArray[np.int64], second: NDArray[np.int64]) -> Flags:
    """[p, q]: whether the line through pair p has the ends of pair q on different sides."""
    separated: Flags = left_of[:, first] != left_of[:, second]
    return separated


def _sets(rows: Flags) -> list[int]:
    """Each row as a set of bits."""
    packed = np.packbits(rows, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]
