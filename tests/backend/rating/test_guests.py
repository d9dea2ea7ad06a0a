"""Guests are rated by their games, and rate nobody else."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from hexarena.backend.rating import fit as rating, influences
from hexarena.backend.rating.counts import Counts, FloatArray, Rankings
from hexarena.backend.rating.fit import Fit, Model
from hexarena.backend.rating.guests import Held
from hexarena.backend.rating.newton import Matrix

NODES = 12
GUESTS = np.arange(NODES) >= 8


def some_games(seed: int, guests_lose_to: int | None = None) -> Counts:
    """Everybody against everybody. `guests_lose_to`: a node that guests throw 50 games to."""
    random = np.random.default_rng(seed)
    first = random.integers(NODES, size=600)
    second = (first + random.integers(1, NODES, size=600)) % NODES
    won = random.random(600) < 1 / (1 + np.exp((second - first) / 4))
    counts = Counts.of(first, second, won.astype(float))
    if guests_lose_to is None:
        return counts
    thrown = np.repeat(np.flatnonzero(GUESTS), 50)
    return counts.plus(Counts.of(np.full(len(thrown), guests_lose_to), thrown, np.ones(len(thrown))))


def test_no_game_of_a_guest_moves_an_account() -> None:
    honest = rating.fit(NODES, some_games(1), guests=GUESTS)
    thrown = rating.fit(NODES, some_games(1, guests_lose_to=0), guests=GUESTS)
    alone = rating.fit(8, some_games(1).among(~GUESTS))
    for fitted in (honest, thrown):
        assert np.array_equal(fitted.strengths[:8], alone.strengths)
        assert np.array_equal(fitted.variances[:8], alone.variances)
        assert fitted.covariance is not None
        assert alone.covariance is not None
        assert np.array_equal(fitted.covariance[:8, :8], alone.covariance)
        assert (fitted.seat, fitted.dispersion, fitted.prior_variance) == (
            alone.seat,
            alone.dispersion,
            alone.prior_variance,
        )
    assert (thrown.strengths[8:] < honest.strengths[8:] - 0.2).all(), "those who throw games fall"


def test_what_accounts_versions_may_have_changed_is_inferred_as_without_guests() -> None:
    """Node 7 follows 6, and 11, a guest's, follows 10."""
    parents = np.full(NODES, -1)
    parents[7], parents[11] = 6, 10
    fitted, alone = (
        rating.fit(NODES, some_games(1), parents, guests=GUESTS),
        rating.fit(8, some_games(1).among(~GUESTS), parents[:8]),
    )
    assert fitted.extra_variances is not None
    assert alone.extra_variances is not None
    assert np.array_equal(fitted.extra_variances[:8], alone.extra_variances)
    assert alone.extra_variances[7] > 0
    assert (fitted.extra_variances[8:] == 0).all()
    assert np.array_equal(fitted.variances[:8], alone.variances)


def test_guests_go_with_accounts_where_the_prior_pulls_these() -> None:
    """Nobody but account 1 has met guest 2, often: what is wrong about the one is wrong about the other."""
    few = Counts.of([0, 0, 0, 1], [1, 1, 1, 0], [1.0, 1.0, 1.0, 0.0])
    many = Counts.of(np.full(4000, 1), np.full(4000, 2), np.tile([1.0, 0.0], 2000))
    guests = np.array([False, False, True])
    fitted, alone = rating.fit(3, few.plus(many), guests=guests), rating.fit(2, few)
    assert fitted.pulled is not None
    assert alone.pulled is not None
    assert np.array_equal(fitted.pulled[:2], alone.pulled)
    assert alone.pulled[1] > 0.1
    assert fitted.pulled[2] == pytest.approx(fitted.pulled[1], rel=0.05)


def test_guests_are_about_as_strong_as_a_fit_of_everybody_says() -> None:
    """Where nobody cheats, the two ways tell nearly the same."""
    counts = some_games(2)
    together, apart = rating.fit(NODES, counts), rating.fit(NODES, counts, guests=GUESTS)
    distances = apart.strengths - together.strengths
    assert np.allclose(distances, distances.mean(), atol=0.3)
    assert np.allclose(apart.deviations(), together.deviations(), rtol=0.3)


def test_the_uncertainty_of_accounts_is_part_of_that_of_guests() -> None:
    """A guest that has met nobody but one account cannot be surer than it, and moves with it."""
    counts = Counts.of([0, 0, 1, 1], [1, 1, 2, 2], [1.0, 0.0, 1.0, 0.0])
    many = Counts.of(np.full(400, 1), np.full(400, 2), np.tile([1.0, 0.0], 200))
    model = Model(prior_elo=300.0, matchup=False, dispersion=False)
    fitted = rating.fit(3, counts.plus(many), model=model, guests=np.array([False, False, True]))
    assert fitted.covariance is not None
    assert fitted.variances[1] > 0.3
    assert fitted.variances[2] == pytest.approx(fitted.variances[1], rel=0.1)
    assert fitted.covariance[1, 2] == pytest.approx(fitted.variances[1], rel=0.1)
    assert fitted.deviation_of_difference(1, 2) < 50


def test_only_guests_still_have_an_order() -> None:
    counts = some_games(3)
    fitted = rating.fit(NODES, counts, guests=np.ones(NODES, np.bool_))
    assert np.corrcoef(fitted.strengths, np.arange(NODES))[0, 1] > 0.9


def test_no_guests_is_the_usual_fit() -> None:
    counts = some_games(4)
    plain = rating.fit(NODES, counts)
    assert np.array_equal(rating.fit(NODES, counts, guests=np.zeros(NODES, np.bool_)).strengths, plain.strengths)


def test_many_nodes_have_variances_without_a_covariance(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = some_games(5)
    dense = rating.fit(NODES, counts, guests=GUESTS)
    for module in ("newton", "plackett_luce"):
        monkeypatch.setattr(f"hexarena.backend.rating.{module}.DENSE_NODES", 3)
    sparse = rating.fit(NODES, counts, guests=GUESTS)
    assert sparse.covariance is None
    assert np.allclose(sparse.strengths, dense.strengths, atol=1e-5)
    assert sparse.pulled is not None
    assert dense.pulled is not None
    assert np.allclose(sparse.pulled, dense.pulled, atol=1e-5)
    assert np.allclose(sparse.deviations(), dense.deviations(), rtol=0.35)


def test_in_teams_no_guest_moves_an_account() -> None:
    games = [([([0], 0), ([1], 1), ([2], 2)]), ([([1], 0), ([0], 1), ([2], 2)]), ([([0], 0), ([1], 1)])]
    thrown = [([([0], 0), ([2], 1)]) for _ in range(30)]
    guests = np.array([False, False, True])
    honest, cheated = (
        rating.fit_teams(3, Rankings.of(all_games), guests=guests) for all_games in (games, games + thrown)
    )
    assert np.array_equal(honest.strengths[:2], cheated.strengths[:2])
    assert cheated.strengths[2] < honest.strengths[2] - 0.5
    alone = rating.fit_teams(2, Rankings.of(games).among(~guests))
    assert np.array_equal(honest.strengths[:2], alone.strengths)


def test_games_with_guests_neither_move_nor_would_move_an_account() -> None:
    counts = some_games(6)
    fitted: Fit = rating.fit(NODES, counts, guests=GUESTS)
    with_guests = GUESTS[counts.first] | GUESTS[counts.second]
    for node in (0, 9):
        found = influences.influences(fitted, counts, node)
        assert (found.elo[with_guests] != 0).any() == bool(GUESTS[node])
        assert (found.next_game[with_guests] != 0).any() == bool(GUESTS[node])
        assert (found.elo[~with_guests] != 0).any()
    moved = influences.changes(fitted, counts, counts.first, counts.second, np.ones(len(counts.first)))
    assert (moved[:, 0][with_guests & ~GUESTS[counts.first]] == 0).all()
    assert (moved[:, 1][with_guests & ~GUESTS[counts.second]] == 0).all()
    assert (moved[:, 0][with_guests & GUESTS[counts.first]] > 0).all()


def test_no_game_of_many_with_a_guest_changes_an_account() -> None:
    games = [([([0], 0), ([1], 1)]), ([([1], 0), ([2], 1)]), ([([2], 0), ([0], 1)])] * 5
    rankings = Rankings.of(games)
    fitted = rating.fit_teams(3, rankings, guests=np.array([False, False, True]))
    moved = influences.changes_of_many(fitted, rankings).reshape(-1, 2)
    entrants = rankings.entrant.reshape(-1, 2)
    with_guest = (entrants == 2).any(1)
    assert with_guest.sum() == 10
    assert (moved[~with_guest] != 0).all(), "of two accounts"
    assert ((moved[with_guest] != 0) == (entrants[with_guest] == 2)).all()


@pytest.mark.parametrize("dense", [True, False])
def test_what_is_held_is_sure(dense: bool) -> None:
    matrix = np.array([[4.0, 1.0, 0.5], [1.0, 5.0, 2.0], [0.5, 2.0, 6.0]])

    class Look:
        def gradient(self) -> FloatArray:
            return np.array([1.0, 2.0, 3.0])

        def curvature(self) -> Matrix:
            return matrix.copy() if dense else sparse.csr_array(matrix)

        def information(self) -> Matrix:
            return self.curvature()

        def diagonal(self) -> FloatArray:
            return matrix.diagonal()

    held = Held(Look(), np.array([False, True, False]))
    whole = np.array([[4.0, 0.0, 0.5], [0.0, 1.0, 0.0], [0.5, 0.0, 6.0]])
    for found in (held.curvature(), held.information()):
        assert found.shape == (3, 3)
        np.testing.assert_array_equal(found if dense else found.toarray(), whole)
    np.testing.assert_array_equal(held.diagonal(), whole.diagonal())
    np.testing.assert_array_equal(held.gradient(), [1.0, 0.0, 3.0])
