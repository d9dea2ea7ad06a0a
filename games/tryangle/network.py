"""The paths between houses, and what follows from them: neighbours, triangles, pairs that can be linked.

A network never changes; adding or removing a path makes another one, and works out only what that path touches.
Source: the spec, sections 2.3, 6 and 8.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from hexarena.games.tryangle.land import Corners, House, Houses, Land, Pair, Pairs, is_empty, members


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """`paths` and `linkable`: sets of pairs of the land. `neighbours`: house -> set of houses, itself if a path leads
    from the house to itself. `triangles`: ascending corners, in ascending order; `corner_sets`: the same as sets.
    """

    paths: Pairs
    linkable: Pairs
    neighbours: tuple[Houses, ...]
    triangles: tuple[Corners, ...]
    corner_sets: tuple[Houses, ...]


def network_of(land: Land, paths: Collection[Pair]) -> Network:
    """The network of these paths, lower house first, all of them pairs of the land."""
    mask = blocked = 0
    neighbours = [0] * len(land.places)
    for a, b in paths:
        bit = land.bits[a, b]
        mask |= bit
        blocked |= land.blocked[bit.bit_length() - 1]
        neighbours[a] |= 1 << b
        neighbours[b] |= 1 << a
    triangles = [
        corners
        for a, b in paths
        for c in members(neighbours[a] & neighbours[b] & -(2 << b))
        if is_empty(land, corners := (a, b, c))
    ]
    return _network(mask, land.short & ~mask & ~blocked, neighbours, sorted(triangles))


def are_joined(network: Network, a: House, b: House) -> bool:
    """Whether there is a path between the two."""
    return bool(network.neighbours[a] >> b & 1)


def with_path(land: Land, network: Network, a: House, b: House) -> Network:
    """The network with one path more; itself if the path is there. `a` and `b` may be the same house."""
    if are_joined(network, a, b):
        return network
    neighbours = list(network.neighbours)
    neighbours[a] |= 1 << b
    neighbours[b] |= 1 << a
    if a == b:
        return replace(network, neighbours=tuple(neighbours))
    bit = land.bits[a, b]
    triangles = list(network.triangles)
    for c in members(neighbours[a] & neighbours[b] & ~(1 << a | 1 << b)):
        i, j, k = sorted((a, b, c))
        if is_empty(land, (i, j, k)):
            insort(triangles, (i, j, k))
    linkable = network.linkable & ~(bit | land.blocked[bit.bit_length() - 1])
    return _network(network.paths | bit, linkable, neighbours, triangles)


def without_path(land: Land, network: Network, a: House, b: House) -> Network:
    """The network with one path less; itself if there is no such path. `a` and `b` differ."""
    if not are_joined(network, a, b):
        return network
    neighbours = list(network.neighbours)
    neighbours[a] &= ~(1 << b)
    neighbours[b] &= ~(1 << a)
    bit = land.bits[a, b]
    paths = network.paths & ~bit
    linkable = network.linkable
    for index in members((bit | land.blocked[bit.bit_length() - 1]) & land.short & ~paths):
        if not land.blockers[land.pairs[index]] & paths:
            linkable |= 1 << index
    triangles = [corners for corners in network.triangles if a not in corners or b not in corners]
    return _network(paths, linkable, neighbours, triangles)


@lru_cache(maxsize=4096)
def next_house(network: Network, start: House, end: House) -> House | None:
    """Where units go from `start` on their way to `end`: the lowest neighbour that is nearer; None if there is no way.

    `start` and `end` differ.
    """
    neighbours = network.neighbours
    near_start = neighbours[start]
    seen = reached = 1 << end
    while reached:
        if nearer := near_start & reached:
            return next(members(nearer))
        found = 0
        for house in members(reached):
            found |= neighbours[house]
        reached = found & ~seen
        seen |= reached
    return None


def _network(paths: Pairs, linkable: Pairs, neighbours: Sequence[Houses], triangles: Sequence[Corners]) -> Network:
    corner_sets = tuple([1 << a | 1 << b | 1 << c for a, b, c in triangles])
    return Network(paths, linkable, tuple(neighbours), tuple(triangles), corner_sets)
