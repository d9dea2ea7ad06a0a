"""Boards: Life against a slow twin, windows, and what the seed makes."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import product
from random import Random

import pytest
from hypothesis import assume, given, settings, strategies as st

from hexarena.games.battlegrounds import rules
from hexarena.games.battlegrounds.board import BOAT, GLIDER, QUIET, Pattern, first_board, live_places, turned
from hexarena.games.battlegrounds.life import (
    Board,
    emptiest_windows,
    fragment,
    generation,
    is_alive,
    kill,
    packed,
    population,
    revive,
)
from hexarena.games.battlegrounds.state import Plan
from hexarena.games.contract import TimedOut


def slow_generation(alive: set[tuple[int, int]], size: int) -> set[tuple[int, int]]:
    """Life as a textbook has it: sets of live cells, on a torus."""
    counts = Counter(
        ((x + right) % size, (y + down) % size)
        for x, y in alive
        for right in (-1, 0, 1)
        for down in (-1, 0, 1)
        if right or down
    )
    return {cell for cell, count in counts.items() if count == 3 or (count == 2 and cell in alive)}


def as_set(cells: bytes, size: int) -> set[tuple[int, int]]:
    return {(cell % size, cell // size) for cell, alive in enumerate(cells) if alive}


def alive_on(board: Board, size: int) -> set[tuple[int, int]]:
    return {(cell % size, cell // size) for cell in range(size * size) if is_alive(board, cell)}


@st.composite
def boards(draw: st.DrawFn) -> tuple[bytes, int]:
    """A byte a cell, and the size."""
    size = draw(st.integers(1, 20))
    return bytes(draw(st.lists(st.booleans(), min_size=size * size, max_size=size * size))), size


@pytest.mark.long
@settings(max_examples=150, deadline=None)
@given(boards())
def test_a_generation_is_that_of_the_textbook(board: tuple[bytes, int]) -> None:
    cells, size = board
    assert alive_on(generation(packed(cells), size), size) == slow_generation(as_set(cells, size), size)


@pytest.mark.parametrize("size", [7, 8, 12, 25])
def test_a_glider_comes_back_from_over_the_edges(size: int) -> None:
    """In four generations it goes a cell to the side and one up or down."""
    for quarters in range(4):
        cells = bytearray(size * size)
        for x, y in live_places(turned(GLIDER, quarters)):
            cells[y * size + x] = 1
        before = board = packed(cells)
        for age in range(1, 4 * size + 1):
            board = bytes(generation(board, size))
            assert (board == before) == (age == 4 * size)
            assert population(board) == 5


@pytest.mark.parametrize("seed", [1, 2])
def test_without_bots_the_board_of_a_match_is_life(seed: int) -> None:
    """The bots of two teams never land; the board goes on for a hundred turns, up to the first red zone."""
    size = 60
    plan = Plan(8, seed, size, 0, 200)
    state = rules.opening(plan, first_board(seed, size))
    expected = alive_on(state.cells, size)
    for seat in range(8):
        assert state.places[seat] is None
    while state.turn < 11:
        state = rules.step(state, {}, {0: TimedOut("late")} if state.turn == 0 else {})
    assert alive_on(state.cells, size) == expected
    for _ in range(99):
        state = rules.step(state, {}, {})
        expected = slow_generation(expected, size)
        assert alive_on(state.cells, size) == expected


@settings(max_examples=60, deadline=None)
@given(boards(), st.sampled_from([3, 5]))
def test_the_emptiest_windows_are_found(board: tuple[bytes, int], side: int) -> None:
    cells, size = board
    assume(size >= side)
    reach = range(-(side // 2), side // 2 + 1)
    counts = [
        sum(cells[(y + down) % size * size + (x + right) % size] for right in reach for down in reach)
        for y in range(size)
        for x in range(size)
    ]
    best = min(counts)
    assert emptiest_windows(packed(cells), size, side) == [
        middle for middle, count in enumerate(counts) if count == best
    ]


@settings(max_examples=40, deadline=None)
@given(boards())
def test_boards_are_packed_eight_cells_a_byte(board: tuple[bytes, int]) -> None:
    cells, size = board
    bits = packed(cells)
    assert len(bits) == -(-size * size // 8)
    assert [bits[cell >> 3] >> (cell & 7) & 1 for cell in range(size * size)] == list(cells)
    assert population(bits) == sum(cells)


@pytest.mark.parametrize("size", [9, 18])
def test_fragments_are_wrapped(size: int) -> None:
    """Every fragment from every column, of a board without any pattern."""
    chance = Random(size)
    cells = bytes(chance.random() < 0.5 for _ in range(size * size))
    board = packed(cells)
    for left, side in product(range(-size, size), range(1, 2 * size + 1)):
        top = chance.randrange(-size, size)
        rows = [y % size * size for y in range(top, top + side)]
        assert fragment(board, size, left, top, side) == [
            "".join([str(cells[row + x % size]) for x in range(left, left + side)]) for row in rows
        ]


@settings(max_examples=60, deadline=None)
@given(boards(), st.data())
def test_a_cell_is_revived_and_killed_alone(board: tuple[bytes, int], data: st.DataObject) -> None:
    cells, size = board
    cell = data.draw(st.integers(0, size * size - 1))
    before = alive_on(packed(cells), size)
    assert before == as_set(cells, size)
    for change, expected in (
        (revive, before | {(cell % size, cell // size)}),
        (kill, before - {(cell % size, cell // size)}),
    ):
        bits = bytearray(packed(cells))
        for _ in range(2):
            change(bits, cell)
            assert alive_on(bits, size) == expected


# --- The first board --------------------------------------------------------------------------------------------------


def test_a_seed_gives_the_same_board_on_every_machine() -> None:
    """Boards are in replays for ever: if these change, the version of the rules must."""
    seen = {
        (seed, size): hashlib.sha256(first_board(seed, size)).hexdigest()[:16]
        for seed, size in ((1, 500), (-(2**63), 500), (1, 60))
    }
    assert seen == {
        (1, 500): "3af54c6e6c17505e",
        (-(2**63), 500): "4dec97e66e79b3f6",
        (1, 60): "1afd498435426828",
    }


def oriented(pattern: Pattern) -> list[Pattern]:
    return list(dict.fromkeys(turned(pattern, quarters) for quarters in range(4)))


def alone(cells: bytes, size: int, pattern: Pattern) -> set[tuple[int, int]]:
    """Where the pattern stands with a margin of two dead cells."""
    wide = [[0] * (len(pattern[0]) + 4) for _ in range(len(pattern) + 4)]
    for x, y in live_places(pattern):
        wide[y + 2][x + 2] = 1
    alive = as_set(cells, size)
    first = next(live_places(pattern))
    found = set()
    for x, y in alive:
        left, top = x - first[0] - 2, y - first[1] - 2
        if all(
            (((left + right) % size, (top + down) % size) in alive) == bool(cell)
            for down, row in enumerate(wide)
            for right, cell in enumerate(row)
        ):
            found.add(((left + 2) % size, (top + 2) % size))
    return found


@pytest.mark.long
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_there_are_still_lifes_boats_and_gliders_to_be_found(seed: int) -> None:
    cells = first_board(seed, 500)
    quiet = {pattern: sum(len(alone(cells, 500, one)) for one in oriented(pattern)) for pattern in QUIET}
    gliders = [len(alone(cells, 500, one)) for one in oriented(GLIDER)]
    assert sum(quiet.values()) >= 300
    assert quiet[BOAT] >= 100
    assert min(quiet.values()) > 20
    assert sum(gliders) >= 60
    assert min(gliders) >= 4
    assert 15_000 < sum(cells) < 45_000


def test_small_boards_have_something_of_everything() -> None:
    for size in (25, 40, 100):
        cells = first_board(4, size)
        assert 0 < sum(cells) < size * size / 2
    assert sum(len(alone(first_board(4, 100), 100, one)) for one in oriented(BOAT)) >= 1
