"""Where the houses are, and all that follows from that alone: which pairs may be joined, and which of them cross.

A land never changes during a match. Sets of houses and sets of paths are integers with a bit for each member, so
that a question about a whole set ("does this pair cross any path?") is one operation.
Source: the spec, sections 2.2, 2.3 and 7.4e. Coordinates are integers, so every answer here is exact.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import combinations, compress
from operator import xor
from typing import TypeAlias

House: TypeAlias = int
"""A position in the list of houses."""

Houses: TypeAlias = int
"""A set of houses: bit h is house h."""

Pairs: TypeAlias = int
"""A set of pairs of houses: bit i is the pair `Land.pairs[i]`."""

Pair: TypeAlias = tuple[House, House]
Corners: TypeAlias = tuple[House, House, House]
Place: TypeAlias = tuple[int, int]

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
    lengths = {
        (a, b): squared
        for (a, (x1, y1)), (b, (x2, y2)) in combinations(enumerate(places), 2)
        if (squared := (x1 - x2) ** 2 + (y1 - y2) ** 2) <= LONGEST_PATH_SQUARED
    }
    for a, b in paths:
        lengths[a, b] = _squared(places[a], places[b])
    pairs = tuple(sorted(lengths))
    bits = {pair: 1 << index for index, pair in enumerate(pairs)}
    short = sum(bit for pair, bit in bits.items() if lengths[pair] <= LONGEST_PATH_SQUARED)
    left = tuple([_left_from(places, house) for house in range(len(places))])
    forward, backward = _crossings(pairs, left)
    there = {pair: crossed for pair, crossed in zip(pairs, forward, strict=True) if bits[pair] & short}
    back = {(b, a): crossed for (a, b), crossed in zip(pairs, backward, strict=True) if bits[a, b] & short}
    return Land(
        places=tuple(places),
        pairs=pairs,
        bits=bits | {(b, a): bit for (a, b), bit in bits.items()},
        squared_lengths=tuple([lengths[pair] for pair in pairs]),
        short=short,
        blockers=there | back,
        # Of two pairs, lower house first, either both cross each other or neither does.
        blocked=tuple([crossed & short for crossed in forward]),
        left=left,
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
    return _squared(land.places[first], land.places[target])


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


def _left_from(places: Sequence[Place], house: House) -> tuple[Houses, ...]:
    """A row of `Land.left`: a line through the house sweeps over the others, by half a turn."""
    x, y = places[house]
    ways = [(other_x - x, other_y - y) for other_x, other_y in places]
    slopes = [-right / down if down else -math.inf if right else math.inf for right, down in ways]
    if len({*slopes}) < len(slopes):  # Others are in line with it, or as good as for floats, and on neither side.
        return tuple(
            [
                house_set([c for c, (c_right, c_down) in enumerate(ways) if right * c_down > down * c_right])
                for right, down in ways
            ]
        )
    left = house_set([c for c, (right, down) in enumerate(ways) if down > 0 or (down == 0 and right > 0)])
    others = (1 << len(places)) - 1 ^ 1 << house
    row = [0] * len(places)
    for other in sorted(range(len(places)), key=slopes.__getitem__)[:-1]:  # The last one is the house itself.
        bit = 1 << other
        row[other] = left ^ bit if left & bit else others ^ left ^ bit
        left ^= bit
    return tuple(row)


def _crossings(pairs: Sequence[Pair], left: Sequence[Sequence[Houses]]) -> tuple[list[Pairs], list[Pairs]]:
    """For each pair the pairs that it crosses as paths; taken as (lower, higher), then as (higher, lower).

    The line through each has the ends of the other on different sides, and they share no end.
    """
    everyone = (1 << len(left)) - 1
    ends = [0] * len(left)
    for index, (a, b) in enumerate(pairs):
        ends[a] ^= 1 << index
        ends[b] ^= 1 << index
    left_of = _turned([left[a][b] for a, b in pairs], len(left))  # House -> the pairs that have it on their left.
    forward: list[Pairs] = []
    backward: list[Pairs] = []
    for a, b in pairs:
        cutting = (left_of[a] ^ left_of[b]) & ~(ends[a] | ends[b])
        there, back = left[a][b], left[b][a]
        forward.append(cutting & _with_one_end(ends, there))
        # Where no third house is in line, the sides only change places.
        is_clear = there | back | 1 << a | 1 << b == everyone
        backward.append(forward[-1] if is_clear else cutting & _with_one_end(ends, back))
    return forward, backward


def _with_one_end(ends: Sequence[Pairs], houses: Houses) -> Pairs:
    """The pairs with exactly one end among the houses. `ends`: house -> the pairs that end there."""
    return reduce(xor, compress(ends, flags(houses)), 0)


def _turned(rows: Sequence[int], width: int) -> list[int]:
    """The columns of a table of bits, if it has rows: bit i of column k is bit k of row i."""
    texts = [f"{row:0{width}b}" for row in reversed(rows)]
    return [int("".join(column), 2) for column in zip(*texts, strict=True)][::-1]


def _squared(one: Place, other: Place) -> int:
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2
