"""How ants answer beacons: which ants go for which beacon, and the first step of their ways.

Source: the spec, sections 7 and 8.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from hexarena.games.ants.mapmaking import Board, Cell, distances_from
from hexarena.games.contract import Seat

Ants: TypeAlias = tuple[int, ...]
"""Cell -> a seat's ants there."""

Strengths: TypeAlias = Mapping[Cell, int]
"""Cell -> the strength of a seat's beacon there, 1 or more; only cells that have one."""


class Walk(NamedTuple):
    """Ants of a seat that go one cell on."""

    seat: Seat
    start: Cell
    end: Cell
    ants: int


def walks_of(board: Board, seat: Seat, ants: Ants, beacons: Strengths) -> tuple[Walk, ...]:
    """A seat's ants that move, the same way put together."""
    totals: dict[tuple[Cell, Cell], int] = {}
    for start, beacon, count in _allocations(board, ants, beacons):
        ways = _ways(board, start, beacon)
        way = start, ways[0] if len(ways) == 1 else _best(ways, ants, beacons)
        totals[way] = totals.get(way, 0) + count
    return tuple([Walk(seat, start, end, count) for (start, end), count in totals.items()])


def _allocations(board: Board, ants: Ants, beacons: Strengths) -> list[tuple[Cell, Cell, int]]:
    """Which ants of a cell go for which other cell's beacon: (ant cell, beacon cell, number).

    Two rounds: the second lets each beacon have one more, if its share was no whole number. The arithmetic is that of
    doubles, with both roundings; a fraction gives other results.
    """
    left = {cell: count for cell, count in enumerate(ants) if count}
    if not left or not beacons:
        return []
    ants_per_strength = sum(left.values()) / sum(beacons.values())
    room: dict[Cell, int] = {}
    extra: dict[Cell, int] = {}
    for cell, strength in beacons.items():
        share = strength * ants_per_strength
        wanted = int(share) or 1
        room[cell] = wanted
        if share > wanted:
            extra[cell] = 1
    taken = _fill(board, left, room)
    if left:
        for cell in extra:
            room[cell] = room.get(cell, 0) + 1
        taken += _fill(board, left, room)
    return taken


def _fill(board: Board, left: dict[Cell, int], room: dict[Cell, int]) -> list[tuple[Cell, Cell, int]]:
    """Nearest pairs of ants and beacons first, then by ant cell, then by beacon cell. Uses up `left` and `room`.

    Pairs on one cell are the nearest of all. Taking them first leaves few others to be sorted.
    """
    for cell in room.keys() & left.keys():
        _take(left, room, start=cell, beacon=cell)
    if not left or not room:
        return []
    cells = len(board.links)
    pairs: list[int] = []
    # The first cell once more, as a getter of one thing gives no tuple. A pair that comes again finds nothing left.
    of_those_left = itemgetter(*left, next(iter(left)))
    for beacon in room:
        pairs += of_those_left(_ranks(board, beacon))
    pairs.sort()
    taken: list[tuple[Cell, Cell, int]] = []
    for rank in pairs:
        rest, beacon = divmod(rank, cells)
        start = rest % cells
        if start in left and beacon in room:
            taken.append((start, beacon, _take(left, room, start=start, beacon=beacon)))
            if not (left and room):
                break
    return taken


@lru_cache(maxsize=2048)
def _ranks(board: Board, beacon: Cell) -> tuple[int, ...]:
    """Cell -> what the pair of its ants and the beacon is sorted by: distance, cell and beacon in one number."""
    cells = len(board.links)
    return tuple([(steps * cells + cell) * cells + beacon for cell, steps in enumerate(distances_from(board, beacon))])


def _take(left: dict[Cell, int], room: dict[Cell, int], *, start: Cell, beacon: Cell) -> int:
    """As many ants as there are and the beacon wants. What is used up is dropped."""
    there, wanted = left[start], room[beacon]
    if there > wanted:
        left[start] = there - wanted
        del room[beacon]
        return wanted
    del left[start]
    if there == wanted:
        del room[beacon]
    else:
        room[beacon] = wanted - there
    return there


def _best(ways: tuple[Cell, ...], ants: Ants, beacons: Strengths) -> Cell:
    """The second cell of the path. More own ants come first, then the stronger own beacon, then the lower cell.

    The reference searches breadth-first in that order. The path that it finds begins with the first neighbour, in
    the same order, that is nearer to the goal: cells found earlier keep what comes after them earlier too.
    """
    return min(ways, key=lambda near: (-ants[near], -beacons.get(near, 0)))


@lru_cache(maxsize=4096)
def _ways(board: Board, start: Cell, goal: Cell) -> tuple[Cell, ...]:
    """The neighbours of `start` that are nearer to the goal, by index."""
    steps = distances_from(board, goal)
    nearer = steps[start] - 1
    return tuple([near for near in board.links[start] if steps[near] == nearer])
