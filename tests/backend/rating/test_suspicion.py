"""Thrown games are found, and honest ones are not accused."""

from __future__ import annotations

import numpy as np
import pytest

from hexarena.backend.rating import fit as rating
from hexarena.backend.rating.counts import Counts
from hexarena.backend.rating.suspicion import LEVEL, suspicions

NODES = 24
TARGET, CREW = 10, (12, 15, 18, 20)


def season(seed: int, *, thrown_by: tuple[int, ...] = ()) -> Counts:
    """Everybody meets everybody ten times; node n is stronger than n - 1."""
    random = np.random.default_rng(seed)
    first, second = np.meshgrid(np.arange(NODES), np.arange(NODES))
    apart = first != second
    one, other = (np.repeat(nodes[apart], 5) for nodes in (first, second))
    won = random.random(len(one)) < 1 / (1 + np.exp((other - one) / 6))
    won |= (one == TARGET) & np.isin(other, thrown_by)
    won &= ~((other == TARGET) & np.isin(one, thrown_by))
    return Counts.of(one, other, won.astype(float))


def test_those_who_throw_their_games_are_named_with_the_one_who_gains() -> None:
    counts = season(1, thrown_by=CREW)
    surest, *_ = suspicions(rating.fit(NODES, counts), counts)
    assert surest.target == TARGET
    assert set(surest.others) >= set(CREW)
    assert len(surest.others) <= len(CREW) + 2
    assert surest.games == 10 * len(surest.others)
    assert surest.points > surest.expected + 10
    assert 0 < surest.p <= LEVEL


def test_half_of_those_who_were_met_may_give() -> None:
    """What they give is in the target's rating, and makes it look too weak against all others."""
    crew = tuple(range(11, NODES))
    for seed in (1, 2, 3):
        counts = season(seed, thrown_by=crew)
        surest, *_ = suspicions(rating.fit(NODES, counts), counts)
        assert surest.target == TARGET
        assert set(surest.others) <= set(crew)
        assert len(surest.others) >= 6


def test_a_game_won_against_all_odds_is_no_gift() -> None:
    """Of a pair that met once or twice little is known, and of many pairs some will be like this."""
    games = [(first, second, float(first > second)) for first in range(12) for second in range(12) for _ in range(3)]
    games = [game for game in games if game[0] != game[1]] + [(0, 11, 1.0)]
    counts = Counts.of(*(np.array(column) for column in zip(*games, strict=True)))
    assert suspicions(rating.fit(12, counts), counts) == []


def test_a_match_up_like_others_is_no_gift() -> None:
    """Three styles, each strong against one of the others; its bots score against it what nobody else would."""
    random = np.random.default_rng(6)
    accused = 0
    for _ in range(5):
        style, strength = np.arange(NODES) % 3, random.normal(0, 1, NODES)
        one, other = (np.repeat(nodes, 10) for nodes in np.triu_indices(NODES, 1))
        turn = (style[one] - style[other]) % 3
        gap = strength[one] - strength[other] + 0.7 * (turn == 1) - 0.7 * (turn == 2)
        counts = Counts.of(one, other, (random.random(len(one)) < 1 / (1 + np.exp(-gap))).astype(float))
        accused += bool(suspicions(rating.fit(NODES, counts), counts))
    assert accused == 0


def test_one_pair_alone_is_found_too() -> None:
    counts = season(2)
    thrown = Counts.of(np.full(40, 3), np.full(40, 20), np.ones(40))
    counts = counts.plus(thrown)
    found = suspicions(rating.fit(NODES, counts), counts)
    assert any(one.target == 3 and 20 in one.others for one in found)


@pytest.mark.long
def test_honest_seasons_are_not_accused() -> None:
    accused = 0
    for seed in range(10, 22):
        counts = season(seed)
        accused += bool(suspicions(rating.fit(NODES, counts), counts))
    assert accused <= 2


def test_the_report_is_a_function_of_the_results() -> None:
    counts = season(1, thrown_by=CREW)
    fitted = rating.fit(NODES, counts)
    assert suspicions(fitted, counts) == suspicions(fitted, counts)


def test_few_or_no_games_accuse_nobody() -> None:
    assert suspicions(rating.fit(3, Counts.empty()), Counts.empty()) == []
    counts = Counts.of([0, 1], [1, 2], [1.0, 1.0])
    assert suspicions(rating.fit(3, counts), counts) == []
