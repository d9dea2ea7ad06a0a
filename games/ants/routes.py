"""The way that a harvest is shown to take. The rules need only its value; several ways may have it.

Source: the spec, section 10.4. The reference searches with Java's PriorityQueue, whose order of equal entries decides
between ways, so that heap is followed here step by step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from hexarena.games.ants.mapmaking import NO_CELL, Board, Cell, distances_from
from hexarena.games.ants.marching import Ants
from hexarena.games.ants.rules import SEATS, Chains, Harvest, State, harvest_chains

Route: TypeAlias = tuple[Cell, ...]
"""From the resource to the base, both included."""

_Entry: TypeAlias = tuple[tuple[int, int], Cell]
"""A cell in the queue. Its key: minus its value, then the estimated length of the whole way."""


def routes(state: State) -> Iterator[tuple[Harvest, Route]]:
    """The harvests of the last step, eggs before crystal, each with its way."""
    events = state.events
    if events.eggs:
        yield from _ways(state, _ants_before_eggs(state), events.eggs)
    if events.crystal:
        yield from _ways(state, state.ants, events.crystal)


def _ants_before_eggs(state: State) -> tuple[Ants, Ants]:
    counts = [list(state.ants[0]), list(state.ants[1])]
    for seat in SEATS:
        for base in state.board.bases[seat]:
            counts[seat][base] -= state.events.new_ants[seat]
    return tuple(counts[0]), tuple(counts[1])


def _ways(state: State, ants: tuple[Ants, Ants], harvests: Sequence[Harvest]) -> Iterator[tuple[Harvest, Route]]:
    chains = harvest_chains(state.board, state.level, ants)
    for harvest in harvests:
        seat = harvest.seat
        yield harvest, _best_route(state.board, seat, harvest.cell, ants[seat], chains[seat])


def _best_route(board: Board, seat: int, start: Cell, ants: Ants, usable: Chains) -> Route:
    """Over the bases: the highest value, then the shortest way, then the first base."""
    found = [way for base in board.bases[seat] if (way := _route(board, start, base, ants, usable))]
    return min(found, key=lambda way: (-min(ants[cell] for cell in way), len(way)))


def _route(board: Board, start: Cell, base: Cell, ants: Ants, usable: Chains) -> Route:
    """The widest way to one base, () if there is none. A cell's first value is its best, so it is queued once."""
    to_base = distances_from(board, base)
    before: dict[Cell, Cell] = {start: NO_CELL}
    steps = {start: 0}
    queue: list[_Entry] = [((-ants[start], to_base[start]), start)]
    while queue:
        (value, _), cell = _poll(queue)
        if cell == base:
            return _traced(before, base)
        for near in board.neighbours[cell]:
            if near in usable and near not in before:
                before[near] = cell
                steps[near] = steps[cell] + 1
                _add(queue, ((max(value, -ants[near]), steps[near] + to_base[near]), near))
    return ()


def _traced(before: dict[Cell, Cell], base: Cell) -> Route:
    way = [base]
    while (cell := before[way[-1]]) != NO_CELL:
        way.append(cell)
    return tuple(reversed(way))


def _add(queue: list[_Entry], entry: _Entry) -> None:
    """`PriorityQueue.offer`: to the end, then up while strictly smaller than its parent."""
    queue.append(entry)
    place = len(queue) - 1
    while place and entry[0] < queue[(place - 1) // 2][0]:
        queue[place] = queue[(place - 1) // 2]
        place = (place - 1) // 2
    queue[place] = entry


def _poll(queue: list[_Entry]) -> _Entry:
    """`PriorityQueue.poll`: the last one takes the root's place, and sinks to the smaller child; the left if equal."""
    root, last = queue[0], queue.pop()
    if not queue:
        return root
    place = 0
    while (child := 2 * place + 1) < len(queue):
        if child + 1 < len(queue) and queue[child + 1][0] < queue[child][0]:
            child += 1
        if last[0] <= queue[child][0]:
            break
        queue[place] = queue[child]
        place = child
    queue[place] = last
    return root
