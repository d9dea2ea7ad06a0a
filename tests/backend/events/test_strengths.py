"""The ladder that is played on: who meets whom, when it ends, and whether what it calls sure is."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from hexarena.backend.events import stages
from hexarena.backend.events.forms import BadStage, Form, Outcome, Pairing, Prior, Stage
from hexarena.backend.events.strengths import ELO_PER_LOGIT, SURE, strengths

LADDER = Stage(Form.LADDER, seeds=1, rounds=30)


def begun(entrants: int, priors: dict[int, Prior], *, prizes: int = 3, stage: Stage = LADDER) -> stages.State:
    return stages.State(stage, tuple(range(entrants)), (), {}, paired=True, prizes=prizes, priors=priors)


def with_games(state: stages.State, due: list[Pairing], first_points: list[int]) -> stages.State:
    """Each pairing is two games; half points of the first in both together."""
    outcomes = dict(state.outcomes)
    for pairing, points in zip(due, first_points, strict=True):
        outcomes[pairing.number] = Outcome(points, 4 - points, points // 2, (4 - points) // 2)
    return replace(state, pairings=(*state.pairings, *due), outcomes=outcomes)


def test_what_is_sure_already_is_not_played() -> None:
    state = begun(4, {one: Prior(2000 - 500 * one, 20) for one in range(4)})
    assert stages.is_over(state)
    assert stages.ranking(state) == [0, 1, 2, 3]
    (rows,) = stages.standings(state).values()
    assert [row.sure for row in rows] == [1.0, 1.0, 1.0, None]


def test_only_what_matters_is_played() -> None:
    """Behind the prizes nobody is sure of anything, and nobody plays for it."""
    ratings = {0: Prior(2000, 30), 1: Prior(1990, 30), 2: Prior(1500, 30), 3: Prior(1000, 30), 4: Prior(1000, 30)}
    due = stages.due(begun(5, ratings, prizes=2))
    assert [(one.first, one.second) for one in due] == [(0, 1)]
    assert stages.due(begun(5, ratings, prizes=0)) == []
    doubtful = stages.due(begun(5, ratings, prizes=4))
    assert {frozenset((one.first, one.second)) for one in doubtful} == {frozenset({0, 1}), frozenset({3, 4})}


def test_nobody_plays_twice_in_a_round() -> None:
    due = stages.due(begun(9, {one: Prior(1000 + one, 200) for one in range(9)}, prizes=9))
    playing = [who for one in due for who in (one.first, one.second)]
    assert len(playing) == len(set(playing)) == 8


def test_it_ends_after_its_rounds_however_even_it_is() -> None:
    state = begun(2, {}, prizes=1, stage=replace(LADDER, rounds=7))
    while due := stages.due(state):
        state = with_games(state, due, [2] * len(due))
    assert max(one.round for one in state.pairings) == 7
    (rows,) = stages.standings(state).values()
    assert [(row.entrant, row.played, row.sure) for row in rows] == [(0, 14, 0.5), (1, 14, None)]


def test_who_has_no_rating_can_still_win() -> None:
    state = begun(3, {0: Prior(1200, 40), 1: Prior(1100, 40)}, prizes=1)
    while due := stages.due(state):
        state = with_games(state, due, [0 if one.second == 2 else 4 for one in due])
    assert stages.ranking(state)[0] == 2
    (rows,) = stages.standings(state).values()
    assert rows[0].sure is not None
    assert rows[0].sure >= SURE


def test_strengths_are_the_most_likely_ones() -> None:
    """Against a search on a grid, for two whose difference is all that games tell."""
    priors = {0: Prior(1000, 200), 1: Prior(1100, 100)}
    found = strengths([0, 1], priors, [Pairing(0, 1, "", 0, 1)], {0: Outcome(14, 6, 7, 3)})
    grid = np.linspace(300, 1900, 801)
    one, other = np.meshgrid(grid, grid, indexing="ij")
    odds = (one - other) / ELO_PER_LOGIT
    density = -7 * np.log1p(np.exp(-odds)) - 3 * np.log1p(np.exp(odds))
    density -= ((one - 1000) / 200) ** 2 / 2 + ((other - 1100) / 100) ** 2 / 2
    best = np.unravel_index(density.argmax(), density.shape)
    assert [found.ratings[0], found.ratings[1]] == pytest.approx([grid[best[0]], grid[best[1]]], abs=2.0)
    weight = np.exp(density - density.max())
    weight /= weight.sum()
    assert found.order == (0, 1)
    assert found.sure() == [pytest.approx(float(weight[one > other].sum()), abs=0.01)]
    spread = math.sqrt(float((weight * one**2).sum() - (weight * one).sum() ** 2))
    assert found.deviations[0] == pytest.approx(spread, rel=0.05)


def test_what_it_calls_sure_is_mostly_true() -> None:
    """Where strengths are as uncertain as the ladder said: 1 in 20 may be wrong."""
    random, right, sure = Random(5), 0, 0
    for _ in range(60):
        truth = [random.gauss(1000, 400) for _ in range(8)]
        ladder = {one: Prior(random.gauss(rating, 60), 60) for one, rating in enumerate(truth)}
        entrants = sorted(ladder, key=lambda one: -ladder[one].rating)
        state = replace(begun(8, ladder), entrants=tuple(entrants))
        while due := stages.due(state):
            odds = [1 / (1 + math.exp((truth[one.second] - truth[one.first]) / ELO_PER_LOGIT)) for one in due]
            state = with_games(state, due, [2 * sum(random.random() < odd for _ in range(2)) for odd in odds])
        (rows,) = stages.standings(state).values()
        for place in (1, 2, 3):
            if (rows[place - 1].sure or 0) >= SURE:
                above, below = rows[:place], rows[place:]
                sure += 1
                right += min(truth[row.entrant] for row in above) > max(truth[row.entrant] for row in below)
    assert sure > 90, "of 180 places"
    assert right / sure > 0.9


def test_a_ladder_needs_rounds_and_its_games_are_counted_beforehand() -> None:
    with pytest.raises(BadStage, match="rounds"):
        stages.check([Stage(Form.LADDER)], sizes=(2,))
    stages.check([LADDER], sizes=(2,))
    most = stages.most_games([LADDER], 64, paired=True, prizes=3)
    assert most == [30 * 3 * 2]
    assert stages.most_games([LADDER], 64, paired=True) == [0]


def test_who_had_no_rating_at_the_deadline_has_no_prior() -> None:
    assert Prior.of(1200.0, 50.0) == Prior(1200.0, 50.0)
    assert Prior.of(0.0, 0.0) == Prior(0.0, 0.0)
    assert Prior.of(None, 50.0) is None
    assert Prior.of(1200.0, None) is None
