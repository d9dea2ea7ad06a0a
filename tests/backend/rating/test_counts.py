"""Results as sums, beside a dictionary that counts them one by one."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from hexarena.backend.rating.counts import Counts, Rankings
from hexarena.backend.rating.fit import Model, fit

games_of_five = st.lists(
    st.tuples(st.integers(0, 4), st.integers(1, 4), st.sampled_from([0.0, 0.5, 1.0])), max_size=12
).map(lambda rows: [(first, (first + step) % 5, points) for first, step, points in rows])
"""Games of 5 nodes, nobody against himself: (first, second, points of the first)."""


def counted(games: list[tuple[int, int, float]]) -> Counts:
    return Counts.of(*([game[column] for game in games] for column in range(3)))


def rows(counts: Counts) -> list[tuple[float, ...]]:
    """(first, second, games, points, draws), row by row."""
    return list(zip(*(getattr(counts, column.name).tolist() for column in fields(counts)[:5]), strict=True))


def rows_one_by_one(games: list[tuple[int, int, float]]) -> list[tuple[float, ...]]:
    found: dict[tuple[int, int], list[float]] = defaultdict(lambda: [0, 0, 0])
    for first, second, points in games:
        for column, more in enumerate((1, points, points == 0.5)):
            found[first, second][column] += more
    return [(*pair, *found[pair]) for pair in sorted(found)]


def kinds(counts: Counts) -> list[str]:
    return [getattr(counts, column.name).dtype.name for column in fields(counts)[:5]]


def of_rows(*rows: tuple[int, int, float, float, float]) -> Counts:
    first, second, *sums = zip(*rows, strict=True)
    return Counts(np.array(first), np.array(second), *(np.array(column, float) for column in sums))


# Counting


def test_games_are_counted_by_who_was_first() -> None:
    counts = counted([(1, 0, 0.5), (0, 3, 1.0), (1, 0, 1.0), (0, 1, 0.0), (1, 0, 0.5)])
    assert rows(counts) == [(0, 1, 1, 0, 0), (0, 3, 1, 1, 0), (1, 0, 3, 2, 2)]


@settings(max_examples=30, deadline=None)
@given(games_of_five, games_of_five)
def test_sums_are_those_of_counting_one_by_one(
    games: list[tuple[int, int, float]], more: list[tuple[int, int, float]]
) -> None:
    assert rows(counted(games)) == rows_one_by_one(games)
    both = counted(games).plus(counted(more))
    assert rows(both) == rows_one_by_one(games + more)
    both.check(5)


def test_adding_changes_neither_summand() -> None:
    one, other = counted([(0, 1, 1.0), (2, 1, 0.5)]), counted([(0, 1, 0.5), (1, 2, 0.0)])
    before = rows(one), rows(other)
    one.plus(other)
    assert (rows(one), rows(other)) == before


def test_nothing_more_leaves_the_very_counts() -> None:
    some, nothing = counted([(0, 1, 1.0)]), Counts.empty()
    assert some.plus(nothing) is some
    assert nothing.plus(some) is some


def test_nodes_are_whole_numbers_and_sums_are_not_even_without_games() -> None:
    wanted = ["int64", "int64", "float64", "float64", "float64"]
    some = counted([(0, 1, 1.0)])
    assert [kinds(one) for one in (some, some.plus(some), Counts.empty(), Counts.of([], [], []))] == [wanted] * 4


def test_the_counts_of_no_games_have_no_rows() -> None:
    for counts in (Counts.empty(), Counts.of([], [], [])):
        assert rows(counts) == []
        assert len(fit(2, counts, model=Model(prior_elo=300.0)).strengths) == 2


@pytest.mark.parametrize(
    ("first", "second", "points", "words"),
    [
        ([0, 1], [1], [1.0], "expected three lists of one length; got shapes (2,), (1,), (1,)"),
        ([0], [1], [1.0, 0.0], "expected three lists of one length; got shapes (1,), (1,), (2,)"),
        ([[0]], [[1]], [[1.0]], "expected three lists of one length; got shapes (1, 1), (1, 1), (1, 1)"),
        (0, 1, 1.0, "expected three lists of one length; got shapes (), (), ()"),
        ([0, 0], [1, 1], [1.0, 0.25], "expected 0, 0.5 or 1 points; got 0.25"),
        ([3, 0], [1, -2], [1.0, 1.0], "expected nodes from 0; got -2"),
        ([3, -2], [1, 0], [1.0, 1.0], "expected nodes from 0; got -2"),
        ([0, 2], [1, 2], [1.0, 1.0], "expected two different nodes in a game; got 2 against itself"),
    ],
)
def test_what_is_wrong_with_games_is_said(first: object, second: object, points: object, words: str) -> None:
    with pytest.raises(ValueError, match=rf"^{re.escape(words)}$"):
        Counts.of(first, second, points)  # type: ignore[arg-type]


def test_nodes_may_be_given_as_small_numbers() -> None:
    """100 times 101 does not fit one byte."""
    first, second = np.array([100, 0], np.int8), np.array([0, 100], np.int8)
    counts = Counts.of(first, second, [1, 0])
    assert rows(counts) == [(0, 100, 1, 0, 0), (100, 0, 1, 1, 0)]
    assert kinds(counts) == kinds(counted([(0, 100, 0.0)]))


# Checking


@pytest.mark.parametrize(
    ("games", "points", "draws"),
    [(0, 0, 0), (1, 1, 0), (1, 0, 0), (1, 0.5, 1), (3, 1.5, 1), (3, 1.5, 3), (4, 3, 2), (4, 1, 2)],
)
def test_sums_of_wins_draws_and_losses_pass(games: float, points: float, draws: float) -> None:
    of_rows((0, 1, games, points, draws)).check(2)


@pytest.mark.parametrize(
    ("games", "points", "draws", "words"),
    [
        (4, 0.5, 2, "-0.5, 2.0, 2.5"),
        (4, 3.5, 2, "2.5, 2.0, -0.5"),
        (4, 2, -1, "2.5, -1.0, 2.5"),
        (math.inf, 2, 0, "2.0, 0.0, inf"),
        (4, 2, math.nan, "nan, nan, nan"),
    ],
)
def test_the_first_row_with_other_sums_is_named(games: float, points: float, draws: float, words: str) -> None:
    counts = of_rows((0, 1, 1, 1, 0), (5, 7, games, points, draws), (6, 7, -1, 0, 0))
    said = f"expected wins, draws and losses from 0; got {words} of 5 against 7"
    with pytest.raises(ValueError, match=rf"^{re.escape(said)}$"):
        counts.check(8)


@pytest.mark.parametrize(("first", "second"), [(0, 3), (3, 0)])
def test_every_node_is_below_their_number(first: int, second: int) -> None:
    of_rows((first, second, 1, 1, 0)).check(4)
    with pytest.raises(ValueError, match=r"^expected nodes below 3; got 3$"):
        of_rows((first, second, 1, 1, 0)).check(3)


@pytest.mark.parametrize(
    ("pairs", "fine"),
    [
        ([(0, 1), (0, 2), (1, 0)], True),
        ([(0, 2), (1, 0)], True),
        ([(0, 2), (0, 1)], False),
        ([(1, 0), (0, 2)], False),
        ([(0, 1), (0, 1)], False),
    ],
)
def test_rows_are_sorted_by_the_first_and_then_by_the_second(pairs: list[tuple[int, int]], fine: bool) -> None:
    counts = of_rows(*((first, second, 1, 1, 0) for first, second in pairs))
    if fine:
        counts.check(3)
    else:
        with pytest.raises(ValueError, match=r"^expected each ordered pair once, sorted; got others$"):
            counts.check(3)


def test_no_games_can_be_those_of_no_nodes() -> None:
    Counts.empty().check(0)


def test_weighted_sums_may_miss_zero_by_a_rounding() -> None:
    games, points, draws = (np.array([one / 3]) for one in (4, 3, 2))
    assert (games - points - draws / 2).item() < 0
    Counts(np.array([0]), np.array([1]), games, points, draws).check(2)


# Rankings


def test_rankings_are_flattened_by_game_and_place() -> None:
    rankings = Rankings.of([[([3], 1), ([2, 0], 0)], [([1], 0), ([4, 5, 4], 2), ([0], 0)]])
    assert rankings.entrant.tolist() == [0, 1, 4, 4, 5, 0, 2, 3]
    assert rankings.team.tolist() == [0, 1, 2, 2, 2, 3, 3, 4]
    assert rankings.game.tolist() == [0, 0, 0, 1, 1]
    assert rankings.rank.tolist() == [0, 0, 2, 0, 1]


def test_rankings_are_whole_numbers_even_without_games() -> None:
    for games in ([], [[([0], 0), ([1], 1)]]):
        rankings = Rankings.of(games)
        columns = [getattr(rankings, column.name) for column in fields(rankings)]
        assert {column.dtype.name for column in columns if column is not None} == {"int64"}


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ([([0], 0)], "expected at least 2 teams in a game; got 1"),
        ([([0], 0), ([], 1)], "expected a team of one or more nodes from 0; got []"),
        ([([0], 0), ([2, -1], 1)], "expected a team of one or more nodes from 0; got [-1, 2]"),
    ],
)
def test_what_is_wrong_with_a_ranking_is_said(game: list[tuple[list[int], int]], words: str) -> None:
    with pytest.raises(ValueError, match=rf"^{re.escape(words)}$"):
        Rankings.of([[([0], 0), ([1], 1)], game])


def test_teams_of_copies_are_one_node_each_and_games_of_others_are_left_out() -> None:
    copies = [([4, 4], 0), ([2, 2], 1), ([0], 1)]
    found = Rankings.of([copies, [([0, 1], 0), ([2, 2], 1)]]).of_single_nodes()
    assert sorted(zip(found.game.tolist(), found.rank.tolist(), found.entrant.tolist(), strict=True)) == [
        (0, 0, 4), (0, 1, 0), (0, 1, 2),
    ]  # fmt: skip
    assert found.team.tolist() == [0, 1, 2]
    assert len(Rankings.of([]).of_single_nodes().rank) == 0


def test_each_two_of_a_game_of_many_have_played_each_other() -> None:
    first = [([3, 3], 0), ([1, 1], 1), ([0, 0], 1), ([2, 2], 3)]
    again = [([1], 0), ([3], 1), ([3], 2)]
    mixed = [([0, 1], 0), ([2], 1)]
    found = Rankings.of([first, again, mixed]).pairs()
    columns = (found.first, found.second, found.games, found.points, found.draws)
    of = {(one, other): more for one, other, *more in zip(*[one.tolist() for one in columns], strict=True)}
    assert of == {
        (3, 1): [1, 1.0, 0],
        (3, 0): [1, 1.0, 0],
        (3, 2): [1, 1.0, 0],
        (0, 1): [1, 0.5, 1],
        (1, 2): [1, 1.0, 0],
        (0, 2): [1, 1.0, 0],
        (1, 3): [2, 2.0, 0],
    }
    assert len(Rankings.of([]).pairs().first) == 0
    assert len(Rankings.of([]).among(np.ones(3, np.bool_)).rank) == 0
