"""Maps: what every one of them keeps. The reference's own maps are compared by the verifier's tests."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from hexarena.games.ants import mapmaking
from hexarena.games.ants.mapmaking import CRYSTAL, EGG, NO_CELL, Board, distances_from, make_board
from hexarena.games.javarandom import Draws


def contents(board: Board) -> tuple[object, ...]:
    return board.places, board.kinds, board.amounts, board.bases, board.ants_per_base


@settings(max_examples=60, deadline=None)
@given(st.integers(-(2**63), 2**63 - 1), st.sampled_from([1, 2, 3, 4]))
def test_every_map_is_connected_and_the_same_from_both_sides(seed: int, league: int) -> None:
    board = make_board(seed, league)
    index = {place: cell for cell, place in enumerate(board.places)}
    opposite = [index[-x, -y, -z] for x, y, z in board.places]
    assert min(distances_from(board, 0)) == 0
    assert [board.amounts[cell] for cell in opposite] == list(board.amounts)
    assert [opposite[base] for base in board.bases[0]] == list(board.bases[1])
    assert CRYSTAL in board.kinds
    assert (EGG in board.kinds) <= (league > 1)
    assert all(cell in board.neighbours[near] for cell, links in enumerate(board.links) for near in links)
    assert all(len(near) == 6 and min(near) >= NO_CELL for near in board.neighbours)


def test_seed_0_has_one_map_of_its_own() -> None:
    make_board.cache_clear()
    first = make_board(0, 4)
    make_board.cache_clear()
    assert contents(make_board(0, 4)) == contents(first)
    assert contents(first) != contents(make_board(1, 4))


@pytest.mark.parametrize("seed", [1, -1, 2**63 - 1, -(2**63)])
def test_a_seed_counts_as_its_low_64_bits(seed: int) -> None:
    for same in (seed + 2**64, seed - 2**64, seed + 2**80):
        assert contents(make_board(same, 3)) == contents(make_board(seed, 3))


def test_leagues_3_and_4_have_the_same_maps() -> None:
    assert contents(make_board(99, 3)) == contents(make_board(99, 4))


def dealing(*numbers: int) -> Draws:
    """Draws whose bits are these numbers over and over."""
    left = list(numbers)

    def bits(count: int) -> int:
        left.append(left.pop(0))
        return left[-1] % 2**count

    return Draws(bits)


def test_bases_that_find_no_place_are_the_outermost_cells() -> None:
    places = [(0, 0, 0), (1, 0, -1), (-1, 0, 1), (2, 0, -2), (-2, 0, 2)]
    level = mapmaking.LEVELS[4]
    assert mapmaking._base_places(dealing(0), level, [(1, 0, -1)], places, 2) == [(2, 0, -2), (-2, 0, 2)]
    assert mapmaking._base_places(dealing(0), level, [(1, 0, -1)], places, 3) == [(0, 0, 0), (1, 0, -1)]


def test_a_map_of_separate_parts_is_not_connected() -> None:
    assert not mapmaking._connected([(0, 0, 0), (2, 0, -2), (-2, 0, 2)])
    assert mapmaking._connected([(0, 0, 0), (1, 0, -1), (-1, 0, 1)])
