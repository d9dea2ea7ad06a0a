"""Who plays whom."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.pairing import HOUSE, Field, opponents, pairs, seated, teams


def board(
    strengths: list[float],
    *,
    variances: list[float] | None = None,
    owners: list[int] | None = None,
    games: list[int] | None = None,
    matchup_variance: float = 0.05,
) -> Field:
    """A field in which nobody has met anybody."""
    size = len(strengths)
    return Field(
        strengths=np.array(strengths),
        variances=np.full(size, 0.1) if variances is None else np.array(variances),
        met=np.zeros((size, size)),
        owners=np.arange(size) if owners is None else np.array(owners),
        games=np.zeros(size, np.int64) if games is None else np.array(games),
        dispersion=1.0,
        matchup_variance=matchup_variance,
    )


def chance(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def played(chosen: list[tuple[int, int]]) -> Counter[int]:
    return Counter(node for pair in chosen for node in pair)


# Who may meet


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(HOUSE, 4), max_size=9), st.integers(0, 30), st.integers(0, 99))
def test_nobody_meets_himself_or_his_own(owners: list[int], count: int, seed: int) -> None:
    field = board([0.3 * node for node in range(len(owners))], owners=owners)
    chosen = pairs(field, count, chance(seed))
    for one, other in chosen:
        assert one != other
        assert owners[one] != owners[other] or owners[one] == HOUSE
    anybody = len(set(owners)) > 1 or owners.count(HOUSE) > 1
    assert len(chosen) == (count if anybody else 0)


def test_house_bots_meet_each_other() -> None:
    assert {frozenset(pair) for pair in pairs(board([0, 0], owners=[HOUSE, HOUSE]), 3, chance())} == {frozenset((0, 1))}


@pytest.mark.parametrize("owners", [[], [7], [7, 7], [7, 7, 7]])
def test_a_lonely_field_gives_no_games(owners: list[int]) -> None:
    field = board([0.0] * len(owners), owners=owners)
    assert pairs(field, 5, chance()) == []
    assert teams(field, 2, chance()) == ()
    assert all(opponents(field, node, 3, chance()) == [] for node in range(len(owners)))


def test_no_games_are_wanted() -> None:
    assert pairs(board([0, 0]), 0, chance()) == []
    assert opponents(board([0, 0]), 0, 0, chance()) == []


def test_the_same_chance_chooses_the_same_games() -> None:
    field = board(list(np.linspace(-2, 2, 30)))
    assert pairs(field, 40, chance(3)) == pairs(field, 40, chance(3))
    assert pairs(field, 40, chance(3)) != pairs(field, 40, chance(4))


def test_the_field_stays_as_it_was() -> None:
    field = board([0, 1, 2])
    pairs(field, 5, chance())
    assert field.met.sum() == 0
    assert field.games.sum() == 0
    assert (field.variances == 0.1).all()


# Where games tell most


def test_near_opponents_are_likelier() -> None:
    field = board([0.0, 0.1, 4.0, 4.1])
    chosen = Counter(frozenset(pair) for pair in pairs(field, 40, chance(), top_share=0, cap=100))
    near = chosen[frozenset((0, 1))] + chosen[frozenset((2, 3))]
    assert near > 30


def test_whoever_is_unsure_plays_most() -> None:
    field = board(list(np.linspace(-1, 1, 20)), variances=[0.02] * 19 + [1.0])
    most = played(pairs(field, 30, chance(), cap=50)).most_common(1)[0]
    assert most[0] == 19
    assert most[1] > 5


def test_games_under_way_count_as_played() -> None:
    field = board([0.0] * 6, variances=[0.5] * 6)
    assert set(played(pairs(field, 30, chance())).values()) <= set(range(8, 13))


def test_the_top_is_looked_at_more_closely() -> None:
    field = board(list(np.linspace(3, -3, 60)))
    evenly, top = (played(pairs(field, 300, chance(), top_share=share, cap=100)) for share in (0.0, 1.0))
    assert sum(top[node] for node in range(10)) > 1.5 * sum(evenly[node] for node in range(10))


def test_a_pair_that_met_often_tells_less() -> None:
    field = board([0.0, 0.0, 0.0], variances=[1.0, 0.1, 0.1], matchup_variance=0.1)
    field.met[0, 1] = field.met[1, 0] = 200
    assert opponents(field, 0, 1, chance()) == [2]


def test_nobody_plays_more_than_the_cap_while_others_can() -> None:
    field = board(list(np.linspace(-1, 1, 20)), variances=[0.01] * 19 + [3.0])
    counts = played(pairs(field, 25, chance(), cap=4, explore=0.0))
    assert max(counts.values()) <= 4 + 2


def test_the_cap_gives_way_before_games_are_left_out() -> None:
    assert len(pairs(board([0.0, 0.0]), 50, chance(), cap=1)) == 50


def test_whoever_has_played_least_is_not_forgotten() -> None:
    unsure = [1.0] * 19 + [1e-6]
    field = board(list(np.linspace(2, 0, 20)), variances=unsure, games=[50] * 19 + [0])
    assert played(pairs(field, 40, chance(), explore=0.0))[19] == 0
    assert played(pairs(field, 40, chance(), explore=0.25))[19] >= 4


# Placement


def test_a_newcomer_meets_its_equals_and_each_once() -> None:
    field = board([0.0, *np.linspace(-3, 3, 31)], variances=[0.3] + [0.05] * 31)
    chosen = opponents(field, 0, 8, chance())
    assert len(set(chosen)) == 8
    assert all(abs(field.strengths[node]) < 1.5 for node in chosen)


def test_opponents_come_again_when_there_are_too_few() -> None:
    met = Counter(opponents(board([0.0] * 5, owners=[1, 2, 3, 4, 1]), 0, 10, chance()))
    assert set(met) == {1, 2, 3}
    assert set(met.values()) == {3, 4}


# Matches of many


def test_a_match_of_many_has_different_owners() -> None:
    owners = [number % 5 for number in range(20)]
    for seed in range(30):
        chosen = teams(board([0.0] * 20, owners=owners), 5, chance(seed))
        assert sorted(owners[node] for node in chosen) == [0, 1, 2, 3, 4]
    assert teams(board([0.0] * 20, owners=owners), 6, chance()) == ()


def test_teams_are_mixed_anew_each_time() -> None:
    field = board(list(np.linspace(-1, 1, 8)))
    first = {teams(field, 8, chance(seed))[:4] for seed in range(20)}
    assert len(first) > 10


def test_those_who_must_play_do() -> None:
    field = board(list(np.linspace(-1, 1, 20)), variances=[1.0] * 18 + [1e-6, 1e-6])
    for seed in range(20):
        assert {18, 19} <= set(teams(field, 4, chance(seed), must=[18, 19]))


def test_whoever_is_unsure_plays_in_matches_of_many() -> None:
    field = board([0.0] * 20, variances=[0.01] * 19 + [1.0])
    assert all(19 in teams(field, 4, chance(seed)) for seed in range(20))


def test_whoever_has_played_least_is_not_forgotten_in_matches_of_many() -> None:
    field = board([0.0] * 20, variances=[1.0] * 19 + [1e-6], games=[50] * 19 + [0])
    assert 5 < sum(19 in teams(field, 4, chance(seed)) for seed in range(60)) < 40


# Seats


def test_whoever_began_less_often_begins() -> None:
    firsts = np.array([3, -1, -1])
    assert seated((0, 1), firsts) == (1, 0)
    assert seated((1, 0), firsts) == (1, 0)
    assert seated((1, 2), firsts) == (1, 2)
    assert seated((2, 1), firsts) == (2, 1)


def test_seats_are_drawn() -> None:
    firsts = Counter(pair[0] for pair in pairs(board([0.0, 0.0]), 400, chance()))
    assert 150 < firsts[0] < 250
