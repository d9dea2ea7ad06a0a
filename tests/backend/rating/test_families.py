"""Versions that follow each other, and nodes of which something was known: the prior, and what is estimated of it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from hexarena.backend.rating import fit as fit_module, newton
from hexarena.backend.rating.counts import IntArray
from hexarena.backend.rating.elo import ELO_PER_LOGIT, square_logits
from hexarena.backend.rating.families import DRIFT_LINKS, WIDER, Family, Prior
from hexarena.backend.rating.fit import Counts, Earlier, Model, Rankings, fit, fit_teams
from hexarena.backend.rating.influences import changes, influences
from tests.backend.rating.played import PLAIN, in_elo

# Versions of a bot: 0 and 3 are first ones, 1 and 2 follow 0, and 4 follows 2.

LINEAGE = np.array([-1, 0, 0, -1, 2])


@pytest.mark.parametrize("seat", [False, True])
def test_the_prior_is_that_of_first_versions_of_jumps_and_of_the_seat(seat: bool) -> None:
    prior = Family.of(5, LINEAGE, Model(drift_elo=90.0)).precision(Prior(1.5, np.full(3, square_logits(90.0))), seat)
    at = np.array([0.3, -0.5, 0.7, 1.1, 0.2, -0.4][: 5 + seat])
    jumps = np.array([-0.5 - 0.3, 0.7 - 0.3, 0.2 - 0.7])
    weighed = (0.3**2 + 1.1**2) / 1.5 + (jumps**2).sum() / square_logits(90.0) + 25 * 0.4**2 * seat
    assert -prior.pull(at) @ at == pytest.approx(weighed)
    assert (prior.row < prior.column).all()


def test_the_prior_s_width_is_estimated_from_first_versions_and_two_made_up_ones() -> None:
    """Surely known strengths: nothing is left to be found out about them."""
    family, before = Family.of(5, LINEAGE, Model()), Prior(1.0, np.full(3, square_logits(120.0)))
    estimate = family.fitted(np.array([1.0, 9.0, 9.0, -2.0, 9.0, 9.0]), np.full(6, 1e9), before)
    assert estimate.first == pytest.approx(WIDER * (1 + 4 + 2 * square_logits(300.0)) / 4, rel=1e-3)
    far = family.fitted(np.array([9.0, 9.0, 9.0, -2.0, 9.0, 9.0]), np.full(6, 1e9), before)
    assert far.first == pytest.approx((81 + 4 + 2 * square_logits(300.0)) / 4, rel=1e-3), "no wider than 400 Elo"
    between = family.fitted(np.array([3.2, 9.0, 9.0, -3.2, 9.0, 9.0]), np.full(6, 1e9), before)
    assert between.first == pytest.approx(
        max((2 * 3.2**2 + 2 * square_logits(300.0)) / 4, square_logits(400.0)), rel=1e-3
    )


def test_what_versions_change_is_estimated_for_each_family() -> None:
    """Surely known strengths; in one family all versions are alike, in the other each is another bot."""
    parents = np.array([-1, 0, 1, 2, -1, 4, 5, 6])
    at = np.array([1.0, 1.01, 1.0, 1.01, -1.0, 2.0, -1.0, 2.0])
    family = Family.of(8, parents, Model())
    drift = family.fitted(at, np.full(8, 1e9), Prior(1.0, np.full(6, square_logits(120.0)))).drift
    usual, weight = DRIFT_LINKS * square_logits(120.0), 3 + DRIFT_LINKS
    assert drift[:3] == pytest.approx(max((3 * 0.01**2 + usual) / weight, square_logits(5.0)), rel=1e-3)
    assert drift[3:] == pytest.approx((3 * 3.0**2 + usual) / weight, rel=1e-3)


def test_variances_among_relatives_are_those_of_the_whole_matrix() -> None:
    """A chain, a star, a bot with one version only and a tree, each node known to itself with some precision."""
    parents = np.array([-1, 0, 1, -1, 3, 3, 3, -1, -1, 8, 8, 9, 11, 9])
    random = np.random.default_rng(5)
    family = Family.of(14, parents, Model())
    alone, drift = random.uniform(0.1, 9, 14), random.uniform(0.01, 3, len(family.child))
    matrix = np.diag(alone)
    for child, parent, one in zip(family.child, family.parent, drift, strict=True):
        matrix[[child, parent], [child, parent]] += 1 / one
        matrix[child, parent] = matrix[parent, child] = -1 / one
    known, variances = family._messages(alone, drift)
    assert variances == pytest.approx(np.linalg.inv(matrix).diagonal())
    for step, (child, parent, one) in enumerate(zip(family.child, family.parent, drift, strict=True)):
        both = np.linalg.inv(matrix)[np.ix_([child, parent], [child, parent])]
        difference = both[0, 0] + both[1, 1] - 2 * both[0, 1]
        assert known[step] == pytest.approx(1 / difference - 1 / one), "what is known of a step without its own prior"


def some_versions(change: float, *, games: int = 60) -> tuple[Counts, IntArray]:
    """Ten versions of one bot, every second one stronger by so many logits, against twenty others."""
    random = np.random.default_rng(3)
    strengths = np.append(random.normal(0, 1.0, 20), change * (np.arange(10) % 2))
    first = np.concatenate([np.repeat(np.arange(20, 30), games), random.integers(0, 20, 600)])
    second = np.concatenate([random.integers(0, 20, 10 * games), random.integers(0, 20, 600)])
    first, second = first[first != second], second[first != second]
    points = (random.random(len(first)) < expit(strengths[first] - strengths[second])).astype(float)
    return Counts.of(first, second, points), np.append(np.full(21, -1), np.arange(20, 29))


def test_versions_that_seem_alike_share_their_games_but_not_all_of_their_certainty() -> None:
    """A strength is where the likeliest change has it; an interval allows for a larger one."""
    counts, parents = some_versions(0.0)
    found = fit(30, counts, parents)
    assert found.extra_variances is not None
    assert found.covariance is not None
    assert (found.extra_variances[:20] == 0).all(), "of bots with one version nothing is to be known about changes"
    assert (found.extra_variances[20:] > 0.1 * found.given_variances[20:]).all()
    assert found.given_variances == pytest.approx(found.covariance.diagonal())
    alike = replace(found, variances=found.given_variances, extra_variances=None)
    assert (found.deviations()[20:] > 1.05 * alike.deviations()[20:]).all()
    assert found.deviations()[:20] == pytest.approx(alike.deviations()[:20])
    assert found.deviation_of_difference(25, 5) > alike.deviation_of_difference(25, 5)
    lone = fit(30, counts)
    assert lone.extra_variances is None
    assert (found.deviations()[20:] < lone.deviations()[20:]).all(), "still, relatives make a version surer"


def test_versions_that_surely_change_are_known_to() -> None:
    """What is added for not knowing how much versions change goes as this becomes known."""
    alike, changing = (fit(30, *some_versions(change)) for change in (0.0, 1.2))
    assert alike.extra_variances is not None
    assert changing.extra_variances is not None
    assert changing.drifts[21:].min() > 20 * alike.drifts[21:].max()
    assert changing.extra_variances[20:].mean() < 0.2 * alike.extra_variances[20:].mean()


def test_of_many_nodes_versions_are_no_surer_than_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a covariance, a version's relatives are not taken for known."""
    counts, parents = some_versions(0.0, games=8)
    few = fit(30, counts, parents)
    monkeypatch.setattr(newton, "DENSE_NODES", 5)
    monkeypatch.setattr(fit_module, "DENSE_NODES", 5)
    many = fit(30, counts, parents)
    assert many.covariance is None
    assert many.strengths == pytest.approx(few.strengths, abs=1e-6)
    ratio = many.deviations() / few.deviations()
    assert 0.8 < ratio[20:].min() < ratio[20:].max() < 1.25
    assert many.given_variances[20:].min() > 5 * square_logits(5.0), "though each is tied to the next within 5 Elo"


def test_a_jump_amid_versions_that_are_alike_is_found() -> None:
    """Fifteen alike, then fifteen that are stronger by 400 Elo: what is known of a step counts all on either side."""
    random = np.random.default_rng(8)
    strengths = np.append(random.normal(0, 1.0, 20), np.repeat([-1.15, 1.15], 15))
    first, second = np.repeat(np.arange(20, 50), 30), random.integers(0, 20, 30 * 30)
    points = (random.random(900) < expit(strengths[first] - strengths[second])).astype(float)
    found = in_elo(fit(50, Counts.of(first, second, points), np.append(np.full(21, -1), np.arange(20, 49))).strengths)
    assert found[35:].mean() - found[20:35].mean() > 320
    assert found[36] - found[33] > 150


def test_influences_hold_a_rating_away_from_its_prior_where_versions_follow_each_other() -> None:
    counts, parents = some_versions(0.3)
    found = fit(30, counts, parents, model=Model(seat=False, dispersion=False, matchup=False))
    family = Family.of(30, parents, Model())
    prior = family.precision(Prior(found.prior_variance, found.drifts[family.child]), seat=False)
    assert found.covariance is not None
    for node in (3, 20, 27):
        pull = found.covariance[node] @ -prior.pull(found.strengths) * ELO_PER_LOGIT
        assert influences(found, counts, node).elo.sum() == pytest.approx(pull, abs=1e-6)
    first, second, points = np.array([27]), np.array([3]), np.array([1.0])
    more = counts.plus(Counts.of(first, second, points))
    moved = changes(fit(30, more, parents, start=found), more, first, second, points)[0]
    assert moved[0] > 0 > moved[1]


# What was known earlier

KNOWN = Earlier(np.array([0.8, np.nan, -0.3, np.nan, np.nan]), np.array([0.05, np.nan, 0.2, np.nan, np.nan]))


def test_without_games_a_node_is_as_it_was_and_its_children_follow_it() -> None:
    """Node 2 follows 0 in the lineage, and no longer does: what 0 said of it is in what is known of it."""
    for found in (
        fit(5, Counts.empty(), LINEAGE, earlier=KNOWN),
        fit_teams(5, Rankings.of([]), LINEAGE, earlier=KNOWN),
    ):
        assert found.strengths == pytest.approx([0.8, 0.8, -0.3, 0.0, -0.3])
        drift = square_logits(120.0)
        assert found.variances[[0, 1, 2, 4]] == pytest.approx([0.05, 0.05 + drift, 0.2, 0.2 + drift])
        assert found.deviation_of_difference(0, 2) == pytest.approx(math.sqrt(0.25) * ELO_PER_LOGIT)
        assert found.seat == 0


def test_the_earlier_weighs_as_much_as_it_was_sure() -> None:
    """A game is won by the one that was weaker: who was known better moves less."""
    counts = Counts.of(np.array([2]), np.array([0]), np.array([1.0]))
    found = fit(5, counts, LINEAGE, earlier=KNOWN, model=PLAIN)
    moved = found.strengths[[0, 2]] - KNOWN.means[[0, 2]]
    gap = found.strengths[2] - found.strengths[0]
    pull = 1 - expit(gap)
    assert moved == pytest.approx([-0.05 * pull, 0.2 * pull])


def test_the_width_of_first_versions_is_not_estimated_from_what_was_known() -> None:
    family = Family.of(5, LINEAGE, Model(), KNOWN)
    estimate = family.fitted(np.array([9.0, 9.0, 9.0, 2.0, 9.0, 9.0]), np.full(6, 1e9), Prior(1.0, np.ones(2)))
    assert estimate.first == pytest.approx(WIDER * (4 + 2 * square_logits(300.0)) / 3, rel=1e-3)


def test_what_was_known_of_guests_is_kept_apart_as_well() -> None:
    guests = np.array([False, True, True, False, False])
    counts = Counts.of(np.array([2, 0, 3]), np.array([0, 3, 1]), np.array([1.0, 0.0, 0.5]))
    found = fit(5, counts, LINEAGE, earlier=KNOWN, guests=guests)
    alone = fit(3, counts.among(~guests), np.array([-1, -1, -1]), earlier=KNOWN.among(~guests))
    assert np.array_equal(found.strengths[~guests], alone.strengths)
    assert found.strengths[2] > KNOWN.means[2]


def test_a_guest_s_game_moves_him_from_where_he_was_known() -> None:
    guests = np.array([False, False, True, False, False])
    counts = Counts.of(np.array([2]), np.array([0]), np.array([1.0]))
    won = Rankings.of([[([2], 0), ([0], 1)]])
    for found in (
        fit(5, counts, earlier=KNOWN, guests=guests, model=PLAIN),
        fit_teams(5, won, earlier=KNOWN, guests=guests, model=PLAIN),
    ):
        assert found.strengths[0] == pytest.approx(KNOWN.means[0]), "of a guest's game nobody else learns anything"
        pull = 1 - expit(found.strengths[2] - found.strengths[0])
        assert found.strengths[2] - KNOWN.means[2] == pytest.approx(0.2 * pull)


def test_what_was_known_is_of_each_node() -> None:
    with pytest.raises(ValueError, match="each of 3 nodes"):
        fit(3, Counts.empty(), earlier=KNOWN)


def test_the_luckiest_of_many_equal_versions_is_hardly_better() -> None:
    """Ten versions of a bot, all alike; 60 games each against the same 20 others."""
    gains, usual = [], []
    for seed in range(12):
        random = np.random.default_rng(seed)
        strengths = np.append(random.normal(0, 1.5, 20), np.zeros(10))
        first = np.concatenate([np.repeat(np.arange(20, 30), 60), random.integers(0, 20, 600)])
        second = np.concatenate([random.integers(0, 20, 600), random.integers(0, 20, 600)])
        first, second = first[first != second], second[first != second]
        points = (random.random(len(first)) < expit(strengths[first] - strengths[second])).astype(float)
        counts, parents = Counts.of(first, second, points), np.append(np.full(21, -1), np.arange(20, 29))
        related, strangers = fit(30, counts, parents), fit(30, counts)
        gains.append(in_elo(related.strengths)[20:].max() - in_elo(related.strengths)[20:].mean())
        usual.append(in_elo(strangers.strengths)[20:].max() - in_elo(strangers.strengths)[20:].mean())
    assert np.mean(gains) < 0.4 * np.mean(usual)


def test_an_earlier_fit_s_prior_is_kept_and_its_first_versions_may_have_parents_now() -> None:
    family, earlier = Family.of(5, LINEAGE, Model()), fit(3, Counts.empty(), np.array([-1, 0, -1]))
    kept = family.prior(Model(), replace(earlier, prior_variance=0.5, drifts=np.array([0.0, 0.25, 0.0])))
    assert kept.first == 0.5
    assert kept.drift == pytest.approx([0.25, square_logits(120.0), square_logits(120.0)])


def test_a_climb_begins_where_the_earlier_fit_was_and_new_versions_where_their_parents_are() -> None:
    family, before = Family.of(5, LINEAGE, Model()), fit(2, Counts.empty())
    earlier = replace(before, strengths=np.array([0.25, -1.0]), seat=0.125)
    assert family.guess(earlier, True).tolist() == [0.25, -1, 0.25, 0, 0.25, 0.125]
    assert family.guess(earlier, False).tolist() == [0.25, -1, 0.25, 0, 0.25]
    assert family.guess(None, True).tolist() == [0] * 6
    everyone = replace(before, strengths=np.arange(5) / 4)
    assert family.guess(everyone, False).tolist() == [0, 0.25, 0.5, 0.75, 1]
