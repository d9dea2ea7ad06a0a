"""Who plays whom."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from hexarena.backend.ladder import pairing
from hexarena.backend.ladder.pairing import (
    EXPLORE,
    HOUSE,
    STRANGERS,
    Field,
    FloatArray,
    by_lot,
    least_played,
    line_up_by_lot,
    opponents,
    pairs,
    teams,
)


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


GUESTS = np.array([True, False, True, False, True, True])
"""All but nodes 1 and 3."""


def among_guests(**terms: Any) -> Field:
    """Two accounts, 1 and 3, among four guests."""
    return replace(board([0.0, 0.1, 0.2, 0.3, 0.4, 0.5], **terms), guests=GUESTS)


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


def test_two_who_know_how_it_ends_meet_all_others() -> None:
    field = replace(board([0, 0, 0]), exhausted={0: [1], 1: [0]})
    chosen = pairs(field, 6, chance())
    assert {frozenset(pair) for pair in chosen} == {frozenset((0, 2)), frozenset((1, 2))}
    assert pairs(replace(board([0, 0]), exhausted={0: [1], 1: [0]}), 6, chance()) == []


def test_everybody_may_know_how_some_games_end_and_still_have_others_to_meet() -> None:
    field = replace(board([0, 0, 0, 0]), exhausted={0: [1], 1: [0], 2: [3], 3: [2]})
    chosen = {frozenset(pair) for pair in pairs(field, 30, chance())}
    assert chosen == {frozenset(pair) for pair in ((0, 2), (0, 3), (1, 2), (1, 3))}


def test_only_who_is_able_counts_among_those_who_played_least() -> None:
    counts = np.array([0, 3, 4, 6, 2])
    able = np.array([False, True, True, True, False])
    assert least_played(counts, able).tolist() == [False, True, True, False, False]
    assert least_played(counts, np.zeros(5, np.bool_)).tolist() == [False] * 5


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


def test_some_games_are_drawn_by_lot_so_that_far_apart_groups_meet() -> None:
    field = board([*np.linspace(-4.1, -3.9, 10), *np.linspace(3.9, 4.1, 10)])

    def across(strangers: float) -> int:
        return sum((one < 10) != (other < 10) for one, other in pairs(field, 200, chance(), strangers=strangers))

    assert across(0.0) == 0
    # Of two drawn by lot, 10 of 19 are from both groups.
    assert across(1.0) == pytest.approx(200 * 10 / 19, abs=25)
    assert across(STRANGERS) == pytest.approx(200 * 10 / 19 * STRANGERS, abs=12)


def test_a_lot_falls_on_anybody_who_may_play() -> None:
    field = board([0.0, 5.0, -5.0, 1.0], owners=[1, 1, 2, HOUSE])
    found = Counter(by_lot(field, chance(seed)) for seed in range(300))
    allowed = {(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}
    assert set(found) == allowed | {pair[::-1] for pair in allowed}
    assert by_lot(board([0.0, 1.0], owners=[1, 1]), chance()) is None


def test_line_ups_by_lot_have_everybody_equally_often_and_no_two_of_an_owner() -> None:
    """Of nodes 0 and 1 one at most; node 4 and 5 are the house's."""
    field = board([0.5 * node for node in range(6)], owners=[7, 7, 2, 3, HOUSE, HOUSE])
    found = [line_up_by_lot(field, 3, chance(seed)) for seed in range(400)]
    assert all(len(set(one)) == 3 and not {0, 1} <= set(one) for one in found)
    there = Counter(node for one in found for node in one)
    assert set(there) == set(range(6))
    others = [there[node] for node in range(2, 6)]
    assert max(others) < 1.3 * min(others)
    assert there[0] + there[1] < 1.5 * min(others)
    first = Counter(one[0] for one in found)
    assert all(0.2 < first[node] / there[node] < 0.47 for node in range(6)), "in random order"
    assert any({4, 5} <= set(one) for one in found)
    assert line_up_by_lot(field, 6, chance()) == ()
    assert line_up_by_lot(board([]), 2, chance()) == ()


def test_in_a_line_up_by_lot_are_those_who_must_be_and_nobody_whom_they_may_not_meet() -> None:
    field = board([0.0] * 6, owners=[7, 7, 2, 3, 4, 5])
    found = [line_up_by_lot(field, 3, chance(seed), must=(0, 3)) for seed in range(60)]
    assert all({0, 3} <= set(one) and len(set(one)) == 3 for one in found)
    assert {other for one in found for other in one} == {0, 2, 3, 4, 5}, "node 1 has the owner of node 0"
    assert {one.index(0) for one in found} == {0, 1, 2}, "in random order"
    assert line_up_by_lot(field, 6, chance(), must=(0,)) == ()


def test_two_who_met_in_the_same_draft_tell_less_about_each_other() -> None:
    """Nodes 1 to 3 have one owner, so that each game is one of node 0, which has most to gain."""
    field = board([0.0] * 4, variances=[1.0, 0.01, 0.01, 0.01], owners=[1, 2, 2, 2], matchup_variance=5.0)
    for seed in range(10):
        chosen = pairs(field, 6, chance(seed), explore=0.0, strangers=0.0, cap=6)
        assert Counter(frozenset(pair) for pair in chosen) == {frozenset((0, node)): 2 for node in (1, 2, 3)}


def test_far_away_the_less_sure_of_two_opponents_tells_more() -> None:
    """Nearly nothing is open against the one that is surely out of reach; the other may be much nearer."""
    field = board([0.0, 6.0, 6.0], variances=[1.0, 1e-3, 9.0])
    assert all(opponents(field, 0, 1, chance(seed)) == [2] for seed in range(20))


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


def test_whoever_nobody_is_near_to_is_not_needed_in_matches_of_many() -> None:
    """Its place is known, however unsure its strength is."""
    field = board([*np.linspace(-0.5, 0.5, 10), 30.0])
    assert all(10 not in teams(field, 4, chance(seed)) for seed in range(30))


def test_whoever_has_played_least_is_not_forgotten_in_matches_of_many() -> None:
    field = board([0.0] * 20, variances=[1.0] * 19 + [1e-6], games=[50] * 19 + [0])
    assert 5 < sum(19 in teams(field, 4, chance(seed)) for seed in range(60)) < 40


def test_whoever_has_played_nearly_as_often_as_others_is_not_neglected_in_matches_of_many() -> None:
    field = board([0.0] * 20, variances=[1.0] * 19 + [1e-6], games=[50] * 19 + [49])
    assert all(19 not in teams(field, 4, chance(seed)) for seed in range(60))


# Seats


def test_seats_are_drawn() -> None:
    firsts = Counter(pair[0] for pair in pairs(board([0.0, 0.0]), 400, chance()))
    assert 150 < firsts[0] < 250


# Written out in plain Python, as the docstrings have it: the same chance must choose the same games


def mixed_field(seed: int, size: int = 12) -> Field:
    """Competitors that differ in all that counts."""
    random = np.random.default_rng(seed)
    field = board(
        list(random.normal(0, 1.5, size)),
        variances=list(random.uniform(0.02, 0.6, size)),
        owners=[HOUSE, HOUSE, 0, 0, 0, *range(1, size - 4)],
        games=list(random.integers(0, 60, size)),
    )
    met = random.integers(0, 30, (size, size))
    return replace(field, met=(met + met.T).astype(float), dispersion=1.4, matchup_variance=0.3)


def may_meet(field: Field, one: int, other: int) -> bool:
    return one != other and (field.owners[one] != field.owners[other] or field.owners[one] == HOUSE)


def importance(field: Field, top_share: float, top: float) -> list[float]:
    size = range(len(field.owners))
    place = {node: sum(field.strengths > field.strengths[node]) for node in size}

    def confused(one: int, other: int) -> float:
        variance = field.variances[one] + field.variances[other]
        gap = field.strengths[one] - field.strengths[other]
        return 0.0 if one == other else math.exp(-(gap**2) / (2 * variance)) / math.sqrt(variance)

    everywhere = [sum(confused(one, other) for other in size) for one in size]
    at_top = [sum(confused(one, other) / (1 + min(place[one], place[other]) / top) for other in size) for one in size]
    mean, mean_at_top = (sum(values) / len(values) for values in (everywhere, at_top))
    return [
        ((1 - top_share) * everywhere[one] / mean + top_share * at_top[one] / mean_at_top + 1e-3)
        / math.sqrt(field.variances[one])
        for one in size
    ]


def gain_per_need(field: Field, one: int, other: int, variances: FloatArray, met: FloatArray) -> float:
    """w / (1 + w (v_i + v_j)), where games of a pair that met often are worth less."""
    spread = variances[one] + variances[other]
    gap = field.strengths[one] - field.strengths[other]
    chance_to_win = 1 / (1 + math.exp(-gap / math.sqrt(1 + math.pi / 8 * spread)))
    worth = chance_to_win * (1 - chance_to_win) / field.dispersion
    worth /= (1 + met[one, other] * worth * field.matchup_variance) ** 2
    return float(worth / (1 + worth * spread))


def plain_pairs(
    field: Field,
    count: int,
    random: np.random.Generator,
    *,
    top_share: float,
    top: float,
    explore: float,
    strangers: float,
    cap: int,
) -> list[tuple[int, int]]:
    size = range(len(field.owners))
    weights = importance(field, top_share, top)
    variances, met, games, used = field.variances.copy(), field.met.copy(), list(field.games), [0 for _ in size]
    chosen = []
    explored, drawn = random.random(count), random.random(count)
    for exploring, strange in zip(explored < explore, drawn < strangers, strict=True):
        if strange:
            one = int(random.choice([node for node in size if any(may_meet(field, node, other) for other in size)]))
            other = int(random.choice([node for node in size if may_meet(field, one, node)]))
        else:
            while min(used) >= cap:
                cap += 1
            free = [node for node in size if used[node] < cap]
            need = [weights[node] * variances[node] ** 2 for node in size]
            if exploring and min(games[node] for node in free) < sum(games) / len(games) / 2:
                draws = random.random(len(size))
                one = max(free, key=lambda node: -games[node] - draws[node])
            else:
                draws = random.random(len(size))
                one = max(free, key=lambda node: need[node] * (0.5 + draws[node]))
            draws = random.random(len(size))
            able = [node for node in size if may_meet(field, one, node)]
            partners = [node for node in able if used[node] < cap + 2] or able
            gains = {
                node: gain_per_need(field, one, node, variances, met) * (need[one] + need[node]) * (1.5 + draws[node])
                for node in partners
            }
            other = max(gains, key=lambda node: gains[node])
        share = gain_per_need(field, one, other, variances, met)
        for node in (one, other):
            variances[node] -= share * variances[node] ** 2
            games[node] += 1
            used[node] += 1
        met[one, other] += 1
        met[other, one] += 1
        chosen.append((one, other) if random.random() < 0.5 else (other, one))
    return chosen


@pytest.mark.parametrize("seed", range(12))
def test_a_draft_is_the_one_written_out(seed: int) -> None:
    field, top_share, explore, by_lot = mixed_field(seed), 0.3 * (seed % 4), 0.25 * (seed % 3), 0.2 * (seed % 2)
    chosen = {"top_share": top_share, "top": 3.0, "explore": explore, "strangers": by_lot, "cap": 5}
    assert pairs(field, 40, chance(seed), **chosen) == plain_pairs(field, 40, chance(seed), **chosen)


def test_of_equals_the_first_are_the_top() -> None:
    """By which sort numpy would use on this machine, their places would be any."""
    size, top = 300, 2.0
    strengths = np.array([0.0, 1.0] * (size // 2))
    place = np.concatenate([np.arange(size // 2, size), np.arange(size // 2)]).reshape(2, -1).T.ravel()
    near = np.exp(-(np.subtract.outer(strengths, strengths) ** 2) / 2) * (1 - np.eye(size))
    at_top = (near / (1 + np.minimum.outer(place, place) / top)).sum(1)
    found = pairing.importance(strengths, np.full(size, 0.5), 1.0, top)
    assert found == pytest.approx((at_top / at_top.mean() + 1e-3) / math.sqrt(0.5), rel=1e-4)
    assert len(pairing.importance(np.zeros(0), np.zeros(0))) == 0


def test_of_a_few_unsure_ones_the_top_counts_as_much_as_of_many() -> None:
    field = board([0.0, 1.0, 3.0], variances=[30.0, 60.0, 90.0])
    found = pairing.importance(field.strengths, field.variances, 0.5, 1.0)
    assert found == pytest.approx(importance(field, 0.5, 1.0), rel=1e-5)


def test_whoever_alone_can_play_with_the_others_does_so_beyond_the_cap() -> None:
    field = board([0.0] * 6, owners=[1, 1, 1, 1, 1, 2])
    for seed in range(10):
        chosen = pairs(field, 5, chance(seed), explore=0.0, strangers=0.0, cap=1)
        assert all(5 in pair for pair in chosen)


def test_an_importance_that_is_known_is_not_computed_again() -> None:
    known = np.array([1e-9] * 11 + [1.0])
    field = replace(mixed_field(2), importance=known)
    assert all(11 in pair for pair in pairs(field, 4, chance(), explore=0.0, strangers=0.0))
    assert all(11 in teams(field, 3, chance(seed)) for seed in range(10))
    other = {"top_share": 0.2, "explore": 0.0, "strangers": 0.0}
    assert pairs(field, 20, chance(), **other) == pairs(mixed_field(2), 20, chance(), **other), "it is of another share"


@pytest.mark.parametrize(("count", "cap"), [(1, 6), (30, 6), (31, 6), (36, 7), (47, 8), (48, 9)])
def test_the_cap_is_6_or_twice_the_mean(count: int, cap: int) -> None:
    field = replace(mixed_field(3), variances=np.array([0.01] * 11 + [5.0]))
    found = pairs(field, count, chance())
    assert found == plain_pairs(
        field, count, chance(), top_share=0.5, top=10.0, explore=0.1, strangers=STRANGERS, cap=cap
    )


@pytest.mark.parametrize("seed", range(12))
def test_the_opponents_are_those_written_out(seed: int) -> None:
    field, one = mixed_field(seed), seed
    draws = chance(seed).uniform(0.75, 1.25, 12)
    able = [node for node in range(12) if may_meet(field, one, node)]
    gain = [gain_per_need(field, one, node, field.variances, field.met) * draws[node] for node in range(12)]
    assert opponents(field, one, len(able), chance(seed)) == sorted(able, key=lambda node: -gain[node])


@pytest.mark.parametrize("must", [[], [5], [2, 7]])
@pytest.mark.parametrize("seed", range(12))
def test_a_match_of_many_is_the_one_written_out(seed: int, must: list[int]) -> None:
    field, random = mixed_field(seed), chance(seed)
    draws = random.uniform(0.5, 1.5, 12)
    need = [weight * field.variances[node] ** 2 * draws[node] for node, weight in enumerate(importance(field, 0.5, 10))]
    waiting = -field.games - random.random(12)
    neglected = {node for node in range(12) if field.games[node] < field.games.mean() / 2}
    chosen = list(must)
    while len(chosen) < 6:
        free = [node for node in range(12) if all(may_meet(field, node, other) for other in chosen)]
        wanted = waiting if random.random() < EXPLORE and neglected & set(free) else need
        chosen.append(max(free, key=lambda node: wanted[node]))
    assert teams(field, 6, chance(seed), must=must) == tuple(random.permutation(chosen))


# Guests


def test_accounts_choose_accounts_and_guests_choose_anybody() -> None:
    field = among_guests()
    assert opponents(field, 1, 3, chance()) == [3, 3, 3]
    assert set(opponents(field, 0, 5, chance())) == {1, 2, 3, 4, 5}
    alone = among_guests(owners=[0, 7, 2, 7, 4, 5])
    assert set(opponents(alone, 1, 4, chance())) == {0, 2, 4, 5}, "nobody else is left"


def test_a_game_with_a_guest_rates_the_guest_alone() -> None:
    field = among_guests()
    assert [one.tolist() for one in field.rated(1)] == [[0, 1, 0, 1, 0, 0], [1] * 6]
    assert [one.tolist() for one in field.rated(0)] == [[1] * 6, [1, 0, 1, 0, 1, 1]]
    assert [one.tolist() for one in board([0.0, 1.0]).rated(0)] == [[1, 1], [1, 1]]


def test_ladder_games_of_accounts_are_with_accounts_unless_a_guest_asks() -> None:
    field = among_guests(variances=[0.01, 1.0, 0.01, 1.0, 0.01, 0.01])
    chosen = pairs(field, 40, chance(), explore=0, cap=40)
    both = [{*pair} for pair in chosen]
    assert both.count({1, 3}) > 20
    lot = [{*pair} for pair in pairs(field, 200, chance(2), strangers=1.0)]
    assert {1, 3} in lot
    assert any(pair & {1, 3} and not pair <= {1, 3} for pair in lot), "a guest was drawn first"


def test_what_is_known_of_an_account_is_no_more_after_a_game_with_a_guest() -> None:
    """So it still needs as many games: the draft goes on with it."""
    field = among_guests(variances=[1.0, 1.0, 1.0, 0.01, 1.0, 1.0], owners=[0, 7, 2, 7, 4, 5])
    chosen = pairs(field, 60, chance(), explore=0, strangers=0, cap=60)
    assert played(chosen)[1] > 2 * max(played(chosen)[one] for one in (0, 2, 4, 5))
