"""The likelihood of games of two beside its definition: single games, fractions, and slopes by differences."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from hexarena.backend.rating import newton
from hexarena.backend.rating.bradley_terry import (
    DRAW_NU,
    Likelihood,
    Pairs,
    Seen,
    Spread,
    _draw_nu,
    draw_share,
    spread_of,
)
from hexarena.backend.rating.counts import Counts, FloatArray
from hexarena.backend.rating.elo import square_logits
from hexarena.backend.rating.newton import Precision

GAMES = [(0, 1, 1.0)] * 3 + [(1, 0, 1.0)] * 2 + [(2, 0, 0.5), (2, 0, 0.0), (3, 1, 0.0), (1, 3, 0.5), (3, 2, 1.0)]
"""Of 4 nodes, of which 0 and 3 never met, nor 1 and 2."""
AT = np.array([0.4, -0.3, 0.9, -1.1])
LINKED = Precision(np.array([2.0, 1.5, 1.0, 3.0]), np.array([0, 0]), np.array([2, 3]), np.array([-0.5, -0.25]))
LINKED_SEATED = Precision(np.append(LINKED.diagonal, 25.0), LINKED.row, LINKED.column, LINKED.value)
ELO_40, ELO_600 = square_logits(40.0), square_logits(600.0)


def pairs_of(games: list[tuple[int, int, float]], nodes: int = 4) -> Pairs:
    return Pairs.of(nodes, Counts.of(*([game[column] for game in games] for column in range(3))))


def one_pair(games: float, points: float, draws: float = 0.0) -> Pairs:
    """Node 0 against node 1, always node 0 first."""
    node = np.zeros(1, np.int64)
    return Pairs(node, node + 1, *(np.array([[number], [0.0]]) for number in (games, points, draws)), np.ones(1))


def alone(*diagonal: float) -> Precision:
    """A prior without links."""
    nobody = np.zeros(0, np.int64)
    return Precision(np.array(diagonal), nobody, nobody, np.zeros(0))


def slopes(function: Callable[[FloatArray], FloatArray], at: FloatArray) -> FloatArray:
    """The derivatives, by differences; the last axis is that of `at`."""
    steps = 1e-5 * np.eye(len(at))
    return np.stack([(function(at + step) - function(at - step)) / 2e-5 for step in steps], axis=-1)


def symmetric(above: FloatArray) -> FloatArray:
    return above + np.triu(above, 1).T


# Pairs


@pytest.mark.parametrize("nodes", [4, 100])
def test_results_are_put_together_whoever_was_first(nodes: int) -> None:
    """Of 4 nodes there is a table of all pairs, of 100 only a list of those that met."""
    pairs = pairs_of(GAMES, nodes)
    assert list(zip(pairs.low.tolist(), pairs.high.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 3), (2, 3)]
    assert pairs.games.tolist() == [[3, 0, 1, 0], [2, 2, 1, 1]]
    assert pairs.points.tolist() == [[3, 0, 0.5, 0], [2, 0.5, 0, 1]]
    assert pairs.draws.tolist() == [[0, 0, 1, 0], [0, 1, 0, 0]]


def test_no_games_are_those_of_no_pairs() -> None:
    for nodes in (0, 3):
        pairs = Pairs.of(nodes, Counts.empty())
        assert pairs.low.tolist() == pairs.high.tolist() == []
        assert pairs.games.shape == pairs.points.shape == pairs.draws.shape == (2, 0)


# What strengths expect


def test_the_first_seat_multiplies_the_odds() -> None:
    """Odds of 1 to 3, doubled for the first: 2 to 3, and for the other 6 to 1."""
    pairs = pairs_of([(0, 1, 1.0)] * 5 + [(1, 0, 1.0)] * 6 + [(1, 0, 0.5)], 2)
    seen = Seen.of(pairs, np.log([1.0, 3.0]), math.log(2))
    np.testing.assert_allclose(seen.share, [[2 / 5], [6 / 7]])
    np.testing.assert_allclose(seen.known, [[5 * 6 / 25], [7 * 6 / 49]])
    np.testing.assert_allclose(seen.surprise, [[3.0], [0.5]])


def test_large_strengths_keep_their_differences() -> None:
    pairs = one_pair(10, 5)
    share = Seen.of(pairs, np.array([5000.0, 5000 + math.log(3)]), 0.0).share
    assert share[:, 0] == pytest.approx([1 / 4, 3 / 4])
    assert Seen.of(pairs, np.array([4000.0, -4000.0]), 0.0).share.tolist() == [[1.0], [0.0]]


def test_games_count_less_with_dispersion_and_the_more_of_them_the_less() -> None:
    """12 even games know 3, 4 from either seat 2."""
    spread = Spread(dispersion=0.5, matchup_variance=0.25)
    assert Seen.of(one_pair(12, 6), np.zeros(2), 0.0).weight(spread).tolist() == [1 / 1.25]
    both = pairs_of([(0, 1, 1.0)] * 4 + [(1, 0, 1.0)] * 4, 2)
    assert Seen.of(both, np.zeros(2), 0.0).weight(spread).tolist() == [1.0]


# The posterior


def test_without_corrections_the_gradient_is_that_of_the_log_posterior() -> None:
    posterior = Likelihood(pairs_of(GAMES), LINKED_SEATED, True, Spread())
    whole = symmetric(LINKED_SEATED.matrix(LINKED.row, LINKED.column, np.zeros(2), np.zeros(5)))

    def log_posterior(at: FloatArray) -> FloatArray:
        gaps = [(at[first] - at[second] + at[4], points) for first, second, points in GAMES]
        likelihood = sum(points * gap - math.log1p(math.exp(gap)) for gap, points in gaps)
        return np.asarray(likelihood - at @ whole @ at / 2)

    at = np.append(AT, 0.3)
    np.testing.assert_allclose(posterior.look(at).gradient(), slopes(log_posterior, at), atol=1e-8)


def test_without_corrections_curvature_and_information_are_the_second_derivative() -> None:
    posterior = Likelihood(pairs_of(GAMES), LINKED_SEATED, True, Spread())
    at = np.append(AT, 0.3)
    second = -slopes(lambda at: posterior.look(at).gradient(), at)
    look = posterior.look(at)
    np.testing.assert_allclose(symmetric(look.curvature()), second, atol=1e-8)
    np.testing.assert_allclose(symmetric(look.information()), second, atol=1e-8)
    np.testing.assert_allclose(look.diagonal(), second.diagonal(), atol=1e-8)


def test_without_a_seat_the_curvature_follows_the_weights_too() -> None:
    posterior = Likelihood(pairs_of(GAMES), LINKED, False, Spread(0.7, 0.3))
    np.testing.assert_allclose(
        symmetric(posterior.look(AT).curvature()), -slopes(lambda at: posterior.look(at).gradient(), AT), atol=1e-8
    )


@pytest.mark.parametrize("seat", [False, True])
def test_a_pair_s_games_pull_and_tell_as_much_as_their_weight(seat: bool) -> None:
    """Odds of 1 to 3 in 12 games, of which half were won: 3 points too many, and 12 * 3 / 16 known."""
    weight = 1 / (0.5 + 9 / 4 * 2)
    at, signs = np.array([0.0, math.log(3), 0.0][: 2 + seat]), np.array([1.0, -1.0, 1.0][: 2 + seat])
    look = Likelihood(one_pair(12, 6), alone(*[4.0] * len(at)), seat, Spread(0.5, 2.0)).look(at)
    np.testing.assert_allclose(look.gradient(), 3 * weight * signs - 4 * at)
    reported = 4 * np.eye(len(at)) + weight * 9 / 4 * np.outer(signs, signs)
    np.testing.assert_allclose(symmetric(look.information()), reported)
    np.testing.assert_allclose(look.diagonal(), reported.diagonal())


def test_a_step_takes_a_pair_s_curvature_for_a_thousandth_of_its_information_at_least() -> None:
    """Of equals the first scores 9 times in 10, but node 0 wins 2000 games as first and 1000 as second.

    180 and 90 are known, 200 and 900 points are too many. A stronger node 0 would know less, at a rate of 0.8 * 90, so
    that its games would weigh more; that undoes the information 1.08 times.
    """
    node = np.zeros(1, np.int64)
    pairs = Pairs(
        node, node + 1, np.array([[2000.0], [1000.0]]), np.array([[2000.0], [0.0]]), np.zeros((2, 1)), np.ones(1)
    )
    look = Likelihood(pairs, alone(1.0, 1.0, 1.0), True, Spread(1.0, 1.0)).look(np.array([0.0, 0.0, math.log(9)]))
    least = 0.001 / 271
    above = [[1 + 270 * least, -270 * least, 90 * least], [0, 1 + 270 * least, -90 * least], [0, 0, 1 + 270 * least]]
    np.testing.assert_allclose(look.curvature(), above)


def test_a_pair_of_which_nothing_is_known_bends_nothing() -> None:
    look = Likelihood(one_pair(3, 3), alone(1.0, 1.0), False, Spread(1.0, 1.0)).look(np.array([0.0, -5000.0]))
    np.testing.assert_array_equal(look.curvature(), np.eye(2))


def test_the_posterior_of_many_nodes_has_the_same_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    look = Likelihood(pairs_of(GAMES), LINKED_SEATED, True, Spread(0.7, 0.3)).look(np.append(AT, 0.3))
    dense = symmetric(look.curvature()), symmetric(look.information())
    monkeypatch.setattr(newton, "DENSE_NODES", 4)
    for few, many in zip(dense, (look.curvature(), look.information()), strict=True):
        np.testing.assert_allclose(many.toarray(), few)


# How results scatter


def spread_one_by_one(
    games: list[tuple[int, int, float]], variances: FloatArray, before: Spread, *, dispersion: bool, matchup: bool
) -> tuple[float, float]:
    """Dispersion and match-up variance, from single games."""
    scatter, known_of_all = 0.0, 0.0
    by_pair: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for first, second, points in games:
        share = 1 / (1 + math.exp(AT[second] - AT[first] - 0.3))
        off = points - share if first < second else share - points
        by_pair.setdefault((min(first, second), max(first, second)), []).append((share * (1 - share), off))
    unknowns = {
        (low, high): min(
            variances[low] + variances[high],
            before.dispersion / sum(known for known, _ in seen) + before.matchup_variance,
        )
        for (low, high), seen in by_pair.items()
    }
    for pair, seen in by_pair.items():
        scatter += sum(off**2 + known**2 * (unknowns[pair] - before.matchup_variance) for known, off in seen)
        known_of_all += sum(known for known, _ in seen)
    by_draws = 1 - sum(points == 0.5 for _, _, points in games) / 4 / known_of_all
    found = min(max((scatter + 50 * by_draws) / (known_of_all + 50), 0.3), 3.0) if dispersion else 1.0
    excess, squares = 200 * ELO_40, 200.0
    for pair, seen in by_pair.items():
        if len(seen) > 1:
            known = sum(known for known, _ in seen)
            excess += sum(off for _, off in seen) ** 2 - found * known + known**2 * unknowns[pair]
            squares += known**2
    return found, min(max(excess / squares, 0.0), ELO_600) if matchup else 0.0


@pytest.mark.parametrize("dispersion", [False, True])
@pytest.mark.parametrize("matchup", [False, True])
@pytest.mark.parametrize("unsure", [0.01, 0.6, 9.0])
def test_the_spread_is_that_of_single_games(dispersion: bool, matchup: bool, unsure: float) -> None:
    """9 logits squared are more than any pair's games leave."""
    games, variances, before = GAMES * 7, unsure * np.array([1.0, 2.0, 0.5, 1.5]), Spread(0.8, 0.05)
    pairs = pairs_of(games)
    found = spread_of(pairs, Seen.of(pairs, AT, 0.3), variances, before, model=(dispersion, matchup))
    wanted = spread_one_by_one(games, variances, before, dispersion=dispersion, matchup=matchup)
    assert (found.dispersion, found.matchup_variance) == pytest.approx(wanted)


def spread_of_equals(pairs: Pairs) -> Spread:
    """Of strengths that are equal and known."""
    return spread_of(pairs, Seen.of(pairs, np.zeros(2), 0.0), np.zeros(2), Spread(), model=(True, True))


def test_coins_scatter_like_coins_and_draws_do_not_scatter() -> None:
    """Games without draws are expected to scatter like coins, those with draws by so much less."""
    assert spread_of_equals(one_pair(200, 100)).dispersion == pytest.approx(1)
    assert spread_of_equals(one_pair(200, 100, 200)).dispersion == 0.3, "all were drawn"
    assert spread_of_equals(one_pair(200, 100, 100)).dispersion == pytest.approx(1 / 2)


def test_what_is_expected_of_a_dispersion_weighs_as_much_as_200_games_of_equals() -> None:
    """The stronger one won half of 200 games: each is .7 ** 2 from 1, or .3 ** 2, and is expected at .21."""
    pairs, gap = one_pair(200, 100), math.log(0.7 / 0.3)
    seen = Seen.of(pairs, np.array([gap, 0.0]), 0.0)
    found = spread_of(pairs, seen, np.zeros(2), Spread(), model=(True, False))
    assert found.dispersion == pytest.approx((200 * (0.49 + 0.09) / 2 + 50) / (200 * 0.21 + 50))


def test_more_draws_than_the_strengths_allow_explain_all_of_the_scatter() -> None:
    """Of very unequal bots all 400 games are drawn: no scatter is expected, and none below it."""
    pairs, seen_as = one_pair(400, 200, 400), np.array([2.0, 0.0])
    seen = Seen.of(pairs, seen_as, 0.0)
    share = 1 / (1 + math.exp(-2.0))
    known = 400 * share * (1 - share)
    assert known < 400 / 4
    found = spread_of(pairs, seen, np.zeros(2), Spread(), model=(True, False))
    assert found.dispersion == pytest.approx(max(400 * (share - 0.5) ** 2 / (known + 50), 0.3))
    nothing = pairs_of([])
    assert spread_of(nothing, Seen.of(nothing, AT, 0.3), np.zeros(4), Spread(), model=(True, True)).dispersion == 1


def test_a_dispersion_is_from_three_tenths_to_three() -> None:
    assert spread_of_equals(one_pair(20_000, 10_000, 20_000)).dispersion == 0.3
    pairs = one_pair(10_000, 10_000)
    upset = spread_of(pairs, Seen.of(pairs, np.array([0.0, 3.0]), 0.0), np.zeros(2), Spread(), model=(True, False))
    assert upset.dispersion == 3.0


def test_a_match_up_is_what_a_pair_scores_beyond_coins() -> None:
    """80 games of equals know 20, 400 squared: twice the evidence. 10 points too many are 5 coins' worth squared."""
    assert spread_of_equals(one_pair(80, 50)).matchup_variance == pytest.approx((100 - 20 + 200 * ELO_40) / 600)


def test_a_match_up_is_from_0_to_600_elo() -> None:
    assert spread_of_equals(one_pair(800, 400)).matchup_variance == 0.0
    assert spread_of_equals(one_pair(800, 700)).matchup_variance == pytest.approx(square_logits(260.0), rel=0.01)
    pairs = one_pair(8000, 8000)
    upset = spread_of(pairs, Seen.of(pairs, np.array([0.0, 3.0]), 0.0), np.zeros(2), Spread(), model=(False, True))
    assert upset.matchup_variance == ELO_600


def test_one_game_says_nothing_about_a_match_up() -> None:
    once, twice = pairs_of([(0, 1, 1.0)], 2), pairs_of([(0, 1, 1.0), (1, 0, 0.0)], 2)
    assert spread_of_equals(once).matchup_variance == pytest.approx(ELO_40)
    assert spread_of_equals(twice).matchup_variance == pytest.approx((1 - 0.5 + 200 * ELO_40) / 200.25)


# Draws


def test_draws_are_what_davidson_says() -> None:
    score = np.linspace(0.005, 0.995, 100)
    for nu in (0.01, 0.3, 2.0, 50.0):
        draw = draw_share(score, nu)
        np.testing.assert_allclose(draw, nu * np.sqrt((score - draw / 2) * (1 - score - draw / 2)), rtol=1e-6)
        assert draw_share(np.array(0.5), nu) == pytest.approx(nu / (nu + 2))


def test_who_always_or_never_wins_never_draws() -> None:
    assert draw_share(np.array([0.0, 1.0]), 0.5).tolist() == [0.0, 0.0]


def test_before_the_first_game_one_in_twenty_is_drawn() -> None:
    found = _draw_nu(np.zeros((2, 0)), np.zeros((2, 0)), 0.0)
    assert found == pytest.approx(DRAW_NU)
    assert draw_share(np.array(0.5), found) == pytest.approx(0.05)


def test_as_many_draws_are_expected_as_there_were() -> None:
    """Scores are taken in 400 bins, hence the tolerance; the prior adds 2 even games and a tenth of a draw."""
    share = np.array([[0.5, 0.9, 0.2], [0.25, 1.0, 0.0]])
    games = np.array([[30.0, 40.0, 0.0], [20.0, 9.0, 7.0]])
    for draws in (0.0, 12.0, 30.0):
        nu = _draw_nu(share, games, draws)
        expected = (games * draw_share(share, nu)).sum() + 2 * draw_share(np.array(0.5), nu)
        assert expected == pytest.approx(draws + 0.1, rel=0.02)
