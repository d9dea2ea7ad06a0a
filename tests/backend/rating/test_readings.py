"""What is read from a fit: ratings, chances, and why a rating is what it is. The fits are made by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from hexarena.backend.rating.counts import Counts, FloatArray
from hexarena.backend.rating.elo import ELO_PER_LOGIT
from hexarena.backend.rating.fit import Fit
from hexarena.backend.rating.influences import changes, influences

COVARIANCE = np.array([[0.5, 0.1, -0.2], [0.1, 0.4, 0.05], [-0.2, 0.05, 0.8]])
FITTED = Fit(
    strengths=np.array([0.3, -0.6, 1.1]),
    variances=COVARIANCE.diagonal(),
    covariance=COVARIANCE,
    seat=0.2,
    draw_nu=0.4,
    dispersion=0.7,
    matchup_variance=0.3,
    prior_variance=1.5,
    drifts=np.zeros(3),
    tuned_games=9.0,
)
LARGE = replace(FITTED, covariance=None)
"""A fit of so many nodes that covariances are not known."""
COUNTS = Counts(
    np.array([0, 0, 1, 2]), np.array([1, 2, 0, 1]), np.array([4.0, 3, 2, 5]), np.array([3.0, 1, 0.5, 4.5]), np.ones(4)
)
"""0 and 1 met in either order, the others in one."""


def deviation(*coefficients: float) -> float:
    """Of a sum of ratings with these coefficients."""
    of_nodes = np.array(coefficients)
    return math.sqrt(of_nodes @ COVARIANCE @ of_nodes) * ELO_PER_LOGIT


# Ratings


def test_ratings_count_from_the_anchor_or_from_the_prior_s_mean() -> None:
    assert FITTED.elo(1) == pytest.approx([1000 + 0.9 * ELO_PER_LOGIT, 1000, 1000 + 1.7 * ELO_PER_LOGIT])
    assert FITTED.elo(2, 1200.0) == pytest.approx([1200 - 0.8 * ELO_PER_LOGIT, 1200 - 1.7 * ELO_PER_LOGIT, 1200])
    assert FITTED.elo(None) == pytest.approx([1000 + strength * ELO_PER_LOGIT for strength in (0.3, -0.6, 1.1)])


def test_deviations_are_from_the_mean_of_the_field() -> None:
    of_all = [deviation(2 / 3, -1 / 3, -1 / 3), deviation(-1 / 3, 2 / 3, -1 / 3), deviation(-1 / 3, -1 / 3, 2 / 3)]
    assert replace(FITTED, matchup_variance=0.0).deviations() == pytest.approx(of_all)
    of_two = [deviation(1 / 2, 0, -1 / 2), deviation(-1 / 2, 1, -1 / 2), deviation(-1 / 2, 0, 1 / 2)]
    assert replace(FITTED, matchup_variance=0.0).deviations(np.array([0, 2])) == pytest.approx(of_two)


def test_match_ups_that_were_seen_are_no_uncertainty() -> None:
    """0.8 of their variance, spread over the others of the field; at most three quarters of a variance."""
    plain = replace(FITTED, matchup_variance=0.0).deviations() / ELO_PER_LOGIT
    seen = FITTED.deviations() / ELO_PER_LOGIT
    assert seen**2 == pytest.approx(plain**2 - 0.8 * 0.3 / 2)
    much = replace(FITTED, matchup_variance=9.0).deviations() / ELO_PER_LOGIT
    assert much == pytest.approx(plain / 2)


def test_a_far_pull_of_the_prior_makes_a_rating_less_certain() -> None:
    """By 1.25 times the variance where it is one deviation, both of the distance from the mean of the field."""
    plain = replace(FITTED, matchup_variance=0.0)
    far = replace(plain, pulled=np.array([2.0, -1.0, 5.0]))
    variances = (plain.deviations() / ELO_PER_LOGIT) ** 2
    pulled = np.array([0.0, 3.0, 3.0]) ** 2
    assert (far.deviations() / ELO_PER_LOGIT) ** 2 == pytest.approx(variances + 1.25 * pulled**2 / variances)
    of_two = np.array([0, 1])
    variances = (plain.deviations(of_two) / ELO_PER_LOGIT) ** 2
    pulled = np.array([1.5, 1.5, 4.5]) ** 2
    assert (far.deviations(of_two) / ELO_PER_LOGIT) ** 2 == pytest.approx(variances + 1.25 * pulled**2 / variances)
    large, own = replace(LARGE, pulled=np.array([0.5, 0.0, -0.5])), COVARIANCE.diagonal()
    pulled = np.array([0.25, 0.0, 0.25])
    assert (large.deviations() / ELO_PER_LOGIT) ** 2 == pytest.approx(own + 1.25 * pulled**2 / own)
    pulled = (np.array([0.5, 0.0, -0.5]) - 0.25) ** 2
    assert (large.deviations(of_two) / ELO_PER_LOGIT) ** 2 == pytest.approx(own + 1.25 * pulled**2 / own)


def test_deviations_are_from_the_prior_where_there_is_no_field_or_no_covariance() -> None:
    own = [deviation(1, 0, 0), deviation(0, 1, 0), deviation(0, 0, 1)]
    for reported in (FITTED.deviations(np.array([1])), FITTED.deviations(np.zeros(0, np.int64)), LARGE.deviations()):
        assert reported == pytest.approx(own)


def test_rounding_makes_no_deviation_of_what_is_exactly_known_to_differ() -> None:
    """Variances that came out smaller than they can be."""
    twins = replace(FITTED, variances=np.full(2, 0.5), covariance=np.full((2, 2), 0.5 + 1e-15), strengths=np.zeros(2))
    assert twins.deviations().tolist() == [0, 0]
    assert twins.deviation_of_difference(0, 1) == 0


def test_the_deviation_of_a_difference_includes_what_both_share() -> None:
    assert FITTED.deviation_of_difference(0, 2) == pytest.approx(deviation(1, 0, -1))
    assert LARGE.deviation_of_difference(0, 2) == pytest.approx(math.sqrt(0.5 + 0.8) * ELO_PER_LOGIT)
    assert FITTED.deviation_of_difference(1, 1) == LARGE.deviation_of_difference(1, 1) == 0


@pytest.mark.parametrize("fitted", [FITTED, LARGE], ids=["with covariance", "without"])
def test_differences_of_many_are_read_as_those_of_two(fitted: Fit) -> None:
    one, other = np.divmod(np.arange(9), 3)
    pairs = list(zip(one.tolist(), other.tolist(), strict=True))
    assert fitted.deviations_of_differences(one, other).tolist() == [
        fitted.deviation_of_difference(*two) for two in pairs
    ]
    assert fitted.stronger_each(one, other).tolist() == [fitted.stronger(*two) for two in pairs]


# Chances


def test_who_is_ahead_by_a_deviation_is_stronger_five_times_in_six() -> None:
    ahead = replace(LARGE, strengths=np.array([math.sqrt(0.5 + 0.4), 0, 0]))
    assert ahead.stronger(0, 1) == pytest.approx(0.841345, abs=1e-6)
    assert ahead.stronger(1, 0) == pytest.approx(0.158655, abs=1e-6)
    assert ahead.stronger(2, 2) == 0.5


def test_small_and_sure_differences_are_found() -> None:
    """A tenth of an Elo, of which a tenth is one deviation."""
    variance = (0.1 / ELO_PER_LOGIT) ** 2 / 2
    sure = replace(LARGE, strengths=np.array([0.1 / ELO_PER_LOGIT, 0]), variances=np.full(2, variance))
    assert sure.stronger(0, 1) == pytest.approx(0.841345, abs=1e-6)


def test_the_first_seat_helps_and_drawn_seats_are_the_mean_of_both() -> None:
    assert FITTED.expected(0, 1, seat=True) == pytest.approx(expit(0.9 + 0.2))
    assert FITTED.expected(0, 1, seat=False) == pytest.approx((expit(0.9 + 0.2) + expit(0.9 - 0.2)) / 2)
    assert FITTED.expected(1, 0, seat=False) == pytest.approx(1 - FITTED.expected(0, 1, seat=False))


@pytest.mark.parametrize("seat", [False, True])
def test_half_the_draws_belong_to_the_score(seat: bool) -> None:
    win, draw, loss = FITTED.outcome(0, 1, seat=seat)
    assert win + draw / 2 == pytest.approx(FITTED.expected(0, 1, seat=seat))
    assert win + draw + loss == pytest.approx(1)
    assert draw == pytest.approx(0.4 * math.sqrt(win * loss))


# Why a rating is what it is


def effects(covariance: FloatArray, node: int) -> list[tuple[float, float]]:
    """Row by row of COUNTS: by how many Elo its results move the node, and the share that a game takes.

    A pair with information K counts with K / (0.7 + 0.3 K). A game adds to K; what that adds to the information about
    all strengths is taken by a difference, and the matrix inverted anew.
    """
    found = []
    for first, second, games, points in zip(COUNTS.first, COUNTS.second, COUNTS.games, COUNTS.points, strict=True):
        shares = expit(FITTED.strengths[COUNTS.first] - FITTED.strengths[COUNTS.second] + 0.2)
        of_pair = {first, second}
        known = sum(
            games * share * (1 - share)
            for one, other, games, share in zip(COUNTS.first, COUNTS.second, COUNTS.games, shares, strict=True)
            if {one, other} == of_pair
        )
        gap = FITTED.strengths[first] - FITTED.strengths[second] + 0.2
        share = expit(gap)
        direction = np.zeros(3)
        direction[[first, second]] = 1, -1
        pull = (points - games * share) / (0.7 + 0.3 * known)
        reported = (_worth(known + 1e-6) - _worth(known - 1e-6)) / 2e-6 * share * (1 - share)
        after = np.linalg.inv(np.linalg.inv(covariance) + reported * np.outer(direction, direction))
        found.append(
            ((covariance @ direction)[node] * pull * ELO_PER_LOGIT, 1 - after[node, node] / covariance[node, node])
        )
    return found


def _worth(known: float) -> float:
    return known / (0.7 + 0.3 * known)


@pytest.mark.parametrize("node", [0, 1, 2])
@pytest.mark.parametrize("fitted", [FITTED, LARGE], ids=["with covariance", "without"])
def test_influences_are_what_the_normal_equations_say(fitted: Fit, node: int) -> None:
    covariance = np.diag(COVARIANCE.diagonal()) if fitted.covariance is None else COVARIANCE
    reported = influences(fitted, COUNTS, node)
    moved, taken = zip(*effects(covariance, node), strict=True)
    np.testing.assert_allclose(reported.elo, moved)
    np.testing.assert_allclose(reported.next_game, taken, rtol=1e-6)


def test_no_game_takes_anything_of_what_is_sure() -> None:
    sure = replace(LARGE, variances=np.zeros(3))
    assert influences(sure, COUNTS, 0).next_game.tolist() == [0] * 4


def test_a_game_changes_both_ratings_by_its_pull() -> None:
    """Of 2 against 1, whose 5 games know 5 p (1 - p)."""
    share = expit(1.1 + 0.6 + 0.2)
    pull = (0.5 - share) / (0.7 + 0.3 * 5 * share * (1 - share)) * ELO_PER_LOGIT
    game = np.array([2]), np.array([1]), np.array([0.5])
    np.testing.assert_allclose(changes(FITTED, COUNTS, *game), [[pull * (0.8 - 0.05), pull * (0.05 - 0.4)]])
    np.testing.assert_allclose(changes(LARGE, COUNTS, *game), [[pull * 0.8, pull * -0.4]])


def test_a_game_weighs_the_same_whatever_other_pairs_played() -> None:
    of_four = replace(LARGE, strengths=np.array([0.3, -0.6, 1.1, 0.0]), variances=np.ones(4))
    pairs = [(0, 3, 40.0), (1, 2, 3.0), (2, 3, 9.0)]
    both = [
        Counts(*(np.array(column) for column in zip(*((*row, 2.0, 0.0) for row in rows), strict=True)))
        for rows in (pairs, pairs[1:2])
    ]
    game = np.array([1]), np.array([2]), np.array([1.0])
    among_others, alone = (changes(of_four, counts, *game) for counts in both)
    np.testing.assert_array_equal(among_others, alone)
