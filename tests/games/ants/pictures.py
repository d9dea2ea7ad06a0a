"""Positions of Ants as text pictures: a row of cells, or a small field.

Each word is a cell; words in a row are neighbours, and each next row is shifted half a cell to the right, so that a
cell touches the word below it and the one before that. `.` is a cell without resources, `c5` crystal, `e5` eggs, `A`
and `B` a base of seat 0 and 1; `a3` and `b2` say how many ants stand there, joined with `/`: `c5/a3/b2`. `-` is a hole.
Cells are numbered in reading order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from hexarena.games.ants.mapmaking import CRYSTAL, EGG, LEVELS, NO_CELL, Board, Place
from hexarena.games.ants.rules import Events, Move, State, opening, step

_COUNT = re.compile(r"([a-z])(\d+)")
_WAYS: tuple[tuple[int, int], ...] = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))


def position(picture: str, *, league: int = 4, points: tuple[int, int] = (0, 0), turn: int = 0) -> State:
    """The state that a picture shows."""
    words = {
        (column, row): word
        for row, line in enumerate(picture.strip().splitlines())
        for column, word in enumerate(line.split())
        if word != "-"
    }
    parts = [set(word.split("/")) for word in words.values()]
    counts = [{letter: int(number) for part in cell for letter, number in _COUNT.findall(part)} for cell in parts]
    board = _board(list(words), parts, counts)
    ants = (tuple(count.get("a", 0) for count in counts), tuple(count.get("b", 0) for count in counts))
    start = opening(board, LEVELS[league])
    return State(board, start.level, turn, board.amounts, ants, points, Events())


def after(state: State, first: Move = Move(), second: Move = Move()) -> State:  # noqa: B008
    """One turn without faults."""
    return step(state, {0: first, 1: second}, {})


def beacons(strengths: Mapping[int, int]) -> Move:
    """A move of BEACON commands."""
    return Move(beacons=tuple(strengths.items()))


def stay(state: State, seat: int) -> Move:
    """Beacons that keep all ants of a seat where they are."""
    return beacons({cell: count for cell, count in enumerate(state.ants[seat]) if count})


def _board(places: list[tuple[int, int]], parts: list[set[str]], counts: list[dict[str, int]]) -> Board:
    index = {place: cell for cell, place in enumerate(places)}
    neighbours = tuple(tuple(index.get((x + dx, y + dy), NO_CELL) for dx, dy in _WAYS) for x, y in places)
    kinds = tuple(CRYSTAL if "c" in count else EGG if "e" in count else 0 for count in counts)
    cubes: tuple[Place, ...] = tuple((x, -x - y, y) for x, y in places)
    return Board(
        places=cubes,
        neighbours=neighbours,
        links=tuple(tuple(sorted(cell for cell in near if cell != NO_CELL)) for near in neighbours),
        kinds=kinds,
        amounts=tuple(count.get("c", count.get("e", 0)) for count in counts),
        bases=(
            tuple(cell for cell, part in enumerate(parts) if "A" in part),
            tuple(cell for cell, part in enumerate(parts) if "B" in part),
        ),
        ants_per_base=0,
    )
