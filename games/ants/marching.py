"""How ants answer beacons: which ants go for which beacon, and the first step of their ways.

Source: the spec, sections 7 and 8.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import ceil, floor
from typing import NamedTuple, TypeAlias

from games.ants.mapmaking import Board, Cell, distances_from
from games.contract import Seat

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
        way = start, _next_cell(board, ants, beacons, start=start, goal=beacon)
        totals[way] = totals.get(way, 0) + count
    return tuple(Walk(seat, start, end, count) for (start, end), count in totals.items())


def _allocations(board: Board, ants: Ants, beacons: Strengths) -> Iterator[tuple[Cell, Cell, int]]:
    """Which ants of a cell go for which other cell's beacon: (ant cell, beacon cell, number).

    Two rounds: the second lets each beacon have one more, if its share was no whole number. The arithmetic is that of
    doubles, with both roundings; a fraction gives other results.
    """
    left = {cell: count for cell, count in enumerate(ants) if count}
    if not left or not beacons:
        return
    ants_per_strength = sum(left.values()) / sum(beacons.values())
    wanted = {cell: strength * ants_per_strength for cell, strength in beacons.items()}
    room = {cell: max(1, floor(share)) for cell, share in wanted.items()}
    extra = {cell: ceil(share) - room[cell] for cell, share in wanted.items()}
    yield from _fill(board, left, room)
    if left:
        yield from _fill(board, left, {cell: room.get(cell, 0) + more for cell, more in extra.items()})


def _fill(board: Board, left: dict[Cell, int], room: dict[Cell, int]) -> Iterator[tuple[Cell, Cell, int]]:
    """Nearest pairs of ants and beacons first, then by ant cell, then by beacon cell. Uses up `left` and `room`.

    Pairs on one cell are the nearest of all. Taking them first leaves few others to be sorted.
    """
    for cell in room.keys() & left.keys():
        _take(left, room, start=cell, beacon=cell)
    pairs: list[tuple[int, Cell, Cell]] = []
    for beacon, places in room.items():
        if places > 0:
            steps = distances_from(board, beacon)
            pairs += [(steps[start], start, beacon) for start in left]
    for _, start, beacon in sorted(pairs):
        if start in left and beacon in room and (count := _take(left, room, start=start, beacon=beacon)):
            yield start, beacon, count


def _take(left: dict[Cell, int], room: dict[Cell, int], *, start: Cell, beacon: Cell) -> int:
    """As many ants as there are and the beacon wants. What is used up is dropped."""
    count = min(left[start], room[beacon])
    if count <= 0:
        return 0
    left[start] -= count
    room[beacon] -= count
    if not left[start]:
        del left[start]
    if not room[beacon]:
        del room[beacon]
    return count


def _next_cell(board: Board, ants: Ants, beacons: Strengths, *, start: Cell, goal: Cell) -> Cell:
    """The second cell of the path. More own ants come first, then the stronger own beacon, then the lower cell.

    The reference searches breadth-first in that order. The path that it finds begins with the first neighbour, in
    the same order, that is nearer to the goal: cells found earlier keep what comes after them earlier too.
    """
    steps = distances_from(board, goal)
    nearer = steps[start] - 1
    return min(
        (near for near in board.links[start] if steps[near] == nearer),
        key=lambda near: (-ants[near], -beacons.get(near, 0)),
    )
