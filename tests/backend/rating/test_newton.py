"""Newton's method beside matrices written out, and on slopes whose every step can be told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from scipy import sparse

from hexarena.backend.rating import newton
from hexarena.backend.rating.counts import FloatArray
from hexarena.backend.rating.newton import (
    DENSE_NODES,
    FACTOR_NODES,
    Layout,
    Matrix,
    Precision,
    climb,
    inverse,
    takes_factor,
)

CHAIN = Precision(np.array([2.0, 3.0, 5.0]), np.array([0, 1]), np.array([1, 2]), np.array([-1.0, -0.5]))
CHAIN_WHOLE = np.array([[2.0, -1.0, 0.0], [-1.0, 3.0, -0.5], [0.0, -0.5, 5.0]])
DEFINITE = np.array([[4.0, 2.0, -1.0], [2.0, 5.0, 0.5], [-1.0, 0.5, 3.0]])


@dataclass
class Slope:
    """A hill over one unknown. It writes down where it was looked at, and where its curvature was asked for."""

    gradient_at: Callable[[float], float]
    curvature_at: Callable[[float], float]
    looks: list[float] = field(default_factory=list)
    bends: list[float] = field(default_factory=list)

    def look(self, at: FloatArray) -> SlopeLook:
        self.looks.append(float(at[0]))
        return SlopeLook(self, float(at[0]))


@dataclass
class SlopeLook:
    slope: Slope
    at: float

    def gradient(self) -> FloatArray:
        return np.array([self.slope.gradient_at(self.at)])

    def curvature(self) -> Matrix:
        self.slope.bends.append(self.at)
        return np.array([[self.slope.curvature_at(self.at)]])

    def information(self) -> Matrix:
        raise NotImplementedError

    def diagonal(self) -> FloatArray:
        raise NotImplementedError


def parabola(top: float, curvature: float = 1.0) -> Slope:
    """`curvature`: what it says; 1 is the truth, so that each step leaves 1 - 1 / `curvature` of the way."""
    return Slope(lambda at: top - at, lambda _: curvature)


# The prior


def test_a_prior_pulls_by_its_matrix() -> None:
    at = np.array([1.0, -2.0, 4.0])
    np.testing.assert_allclose(CHAIN.pull(at), -CHAIN_WHOLE @ at)


def test_a_node_with_many_links_is_pulled_by_all() -> None:
    star = Precision(np.full(4, 6.0), np.array([0, 0, 0]), np.array([1, 2, 3]), np.array([-1.0, -1.0, -1.0]))
    assert star.pull(np.array([1.0, 2.0, 3.0, 4.0])).tolist() == [3.0, -11.0, -17.0, -23.0]
    assert star.pull(np.array([0.0, 1.0, 1.0, 1.0]))[0] == 3.0


@pytest.mark.parametrize("laid_out", [False, True])
@pytest.mark.parametrize("dense_nodes", [4, 3])
@pytest.mark.parametrize("bordered", [False, True])
def test_dense_and_sparse_matrices_have_the_same_entries(
    monkeypatch: pytest.MonkeyPatch, dense_nodes: int, bordered: bool, laid_out: bool
) -> None:
    """Entries of the prior and of the games add up where they meet, 1 and 2 here; a border fills the last column."""
    monkeypatch.setattr(newton, "DENSE_NODES", dense_nodes)
    prior = Precision(np.array([2.0, 3.0, 5.0, 7.0]), np.array([0, 1]), np.array([1, 2]), np.array([-1.0, -0.5]))
    row, column, value = np.array([0, 1]), np.array([2, 2]), np.array([-0.25, -0.125])
    border = np.array([8.0, 16.0, 32.0, 1e9]) if bordered else None
    if laid_out:
        last = (np.arange(3), np.full(3, 3)) if bordered else (np.zeros(0, int), np.zeros(0, int))
        places = (np.concatenate((row, prior.row, last[0])), np.concatenate((column, prior.column, last[1])))
        prior = replace(prior, layout=Layout.of(4, *places))
    matrix = prior.matrix(row, column, value, np.array([10.0, 20.0, 30.0, 40.0]), border)
    assert sparse.issparse(matrix) == (dense_nodes == 3)
    above = np.array([[12, -1, -0.25, 0], [0, 23, -0.625, 0], [0, 0, 35, 0], [0, 0, 0, 47]])
    if bordered:
        above[:3, 3] = 8, 16, 32
    if sparse.issparse(matrix):
        assert matrix.format == "csr"
        np.testing.assert_array_equal(matrix.toarray(), above + np.triu(above, 1).T)
    else:
        np.testing.assert_array_equal(matrix, above)


# The climb


@pytest.mark.parametrize(
    ("size", "entries", "factor"),
    [
        (FACTOR_NODES, 0, True),
        (FACTOR_NODES + 1, 16_120, False),
        (FACTOR_NODES + 1, 16_121, True),
        (DENSE_NODES, DENSE_NODES**2, True),
        (DENSE_NODES + 1, DENSE_NODES**2, False),
    ],
)
def test_a_step_takes_a_factor_where_few_are_rated_or_many_have_met(size: int, entries: int, *, factor: bool) -> None:
    assert takes_factor(size, entries) is factor


def test_one_step_reaches_the_top_of_a_parabola_and_another_look_confirms_it() -> None:
    hill = parabola(1.5)
    top, last = climb(np.zeros(1), hill.look)
    assert top.tolist() == [1.5]
    assert hill.looks == [0.0, 1.5]
    assert isinstance(last, SlopeLook)
    assert last.at == 1.5


def test_a_step_is_at_most_two_logits_long() -> None:
    hill = parabola(5.0)
    climb(np.zeros(1), hill.look)
    assert hill.looks == [0.0, 2.0, 4.0, 5.0]


def test_the_longest_component_limits_a_step_and_the_direction_stays() -> None:
    def look(at: FloatArray) -> SlopeLook:
        looks.append(at.tolist())
        return Plane(parabola(0.0), 0.0, at)

    @dataclass
    class Plane(SlopeLook):
        place: FloatArray

        def gradient(self) -> FloatArray:
            return np.array([-4.0, 1.0]) - self.place

        def curvature(self) -> Matrix:
            return np.eye(2)

    looks: list[list[float]] = []
    top, _ = climb(np.zeros(2), look)
    assert top.tolist() == [-4.0, 1.0]
    assert looks[:2] == [[0.0, 0.0], [-2.0, 0.5]]


def test_a_matrix_serves_again_after_a_step_that_is_short_and_much_shorter_than_the_last() -> None:
    """Steps of 0.97, 0.029, 0.00087, ...: the second is 3 % of the first, but longer than NEAR."""
    hill = parabola(1.0, 1 / 0.97)
    climb(np.zeros(1), hill.look)
    assert len(hill.looks) > 3
    np.testing.assert_allclose(hill.bends, [0.0, 0.97, 0.9991])


def test_a_matrix_is_made_anew_after_a_step_that_is_short_but_hardly_shorter_than_the_last() -> None:
    """Each step is a tenth of the one before, but for the first, which is compared with the longest."""
    hill = parabola(0.01, 1 / 0.9)
    climb(np.zeros(1), hill.look)
    assert len(hill.looks) > 3
    assert hill.bends == [hill.looks[0], *hill.looks[2:]]


def test_a_climb_ends_when_the_step_to_come_is_shorter_than_asked_for() -> None:
    """Steps of ½, ¼, ...; the step after one of 2 ** -n is the half of it."""
    hill = parabola(1.0, 2.0)
    top, last = climb(np.zeros(1), hill.look, within=2**-5 + 1e-9)
    assert top == pytest.approx([1 - 2**-4])
    assert isinstance(last, SlopeLook)
    assert last.at == pytest.approx(1 - 2**-3)
    assert climb(np.zeros(1), parabola(1.0, 2.0).look, within=2**-5 - 1e-9)[0] == pytest.approx([1 - 2**-5])


def test_a_first_step_is_compared_with_the_longest() -> None:
    """From 0 to 0.1: a twentieth of the longest step, so that a step of 0.005 is expected."""
    hill = parabola(0.1)
    climb(np.zeros(1), hill.look, within=0.006)
    assert hill.looks == [0.0]
    climb(np.zeros(1), hill.look, within=0.004)
    assert hill.looks == [0.0, 0.0, 0.1]


def test_a_climb_that_never_ends_is_given_up_after_200_steps() -> None:
    hill = Slope(lambda _: 1.0, lambda _: 1.0)
    top, _ = climb(np.zeros(1), hill.look)
    assert len(hill.looks) == 200
    assert top.tolist() == [200.0]


def test_nothing_to_climb_is_looked_at_once() -> None:
    looks = []

    def look(at: FloatArray) -> SlopeLook:
        looks.append(at.tolist())
        return SlopeLook(parabola(0.0), 0.0)

    assert climb(np.zeros(0), look)[0].tolist() == []
    assert looks == [[]]


# Inverses


def test_the_inverse_of_an_upper_triangle_is_that_of_the_whole() -> None:
    whole, diagonal = inverse(np.triu(DEFINITE))
    assert whole is not None
    np.testing.assert_allclose(whole @ DEFINITE, np.eye(3), atol=1e-12)
    np.testing.assert_array_equal(diagonal, whole.diagonal())
    np.testing.assert_array_equal(whole, whole.T)


def test_of_a_sparse_matrix_only_the_inverse_of_the_diagonal_is_known() -> None:
    whole, diagonal = inverse(sparse.csr_array(DEFINITE))
    assert whole is None
    np.testing.assert_allclose(diagonal, [1 / 4, 1 / 5, 1 / 3])


def test_the_inverse_of_a_number_is_its_reciprocal() -> None:
    whole, diagonal = inverse(np.array([[4.0]]))
    assert whole is not None
    assert (whole.tolist(), diagonal.tolist()) == ([[0.25]], [0.25])


def test_the_inverse_of_nothing_is_nothing() -> None:
    whole, diagonal = inverse(np.zeros((0, 0)))
    assert whole is not None
    assert whole.shape == (0, 0)
    assert diagonal.shape == (0,)


def test_a_matrix_that_is_not_positive_definite_is_refused() -> None:
    with pytest.raises(ArithmeticError, match=r"^expected a positive definite matrix; .* seen in row 2$"):
        inverse(np.array([[1.0, 2.0], [0.0, 1.0]]))


@pytest.mark.parametrize("form", [np.triu, sparse.csr_array])
def test_a_solver_undoes_its_matrix(form: Callable[[FloatArray], Matrix]) -> None:
    wanted = np.array([1.0, -2.0, 3.0])
    np.testing.assert_allclose(newton._solver(form(DEFINITE))(DEFINITE @ wanted), wanted, rtol=1e-5)


def test_a_sparse_solver_takes_large_and_small_scales_alike() -> None:
    """Scaled by its diagonal, a diagonal matrix is solved in one iteration; as it is, not in ten times its size."""
    size = 30
    scales = 10.0 ** np.linspace(-9, 9, size)
    wanted = np.linspace(1, 2, size)
    found = newton._solver(sparse.csr_array(sparse.diags_array(scales)))(scales * wanted)
    np.testing.assert_allclose(found, wanted, rtol=1e-9)


def test_a_sparse_solver_leaves_a_millionth_at_most() -> None:
    size = 200
    sides = np.full(size - 1, -1.0)
    chain = sparse.csr_array(sparse.diags_array([sides, np.full(size, 2.01), sides], offsets=[-1, 0, 1]))
    right = np.random.default_rng(1).normal(size=size)
    left = right - chain @ newton._solver(chain)(right)
    assert np.linalg.norm(left) <= 1e-6 * np.linalg.norm(right)
