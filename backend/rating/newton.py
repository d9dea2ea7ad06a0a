"""Newton's method for the strengths of many nodes: the posterior's top and its covariance. Values in, values out.

A dense matrix has its upper triangle filled and zeros below, which LAPACK, reading by columns, takes for a lower
triangle; so nothing is copied. Above DENSE_NODES matrices are sparse and whole, and so are those of single steps from
where that is quicker.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from scipy import sparse
from scipy.linalg import lapack
from scipy.sparse.linalg import cg

from hexarena.backend.rating.counts import FloatArray, IntArray

Matrix: TypeAlias = Any
"""An array, or one of scipy's sparse matrices, which have no types."""

DENSE_NODES = 2500
FACTOR_NODES, FACTOR_COST = 400, 4000
"""A step of so many unknowns, or of which `size^3` is less than FACTOR_COST entries, takes a factor less time."""
CONVERGED = 1e-10
"""Logits: the step that would come next is shorter."""
LONGEST_STEP = 2.0
MOST_STEPS = 200
NEAR = 0.02
SLOW = 0.05
"""A matrix serves for the next step as well after one that is shorter than NEAR logits, and than SLOW of the last."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the entries of a symmetric sparse matrix are, found once for all matrices of a fit.

    `place`: in the matrix's data, of each entry above the diagonal, then of their mirror images, then of the diagonal.
    """

    indices: IntArray
    begins: IntArray
    place: IntArray

    @classmethod
    def of(cls, size: int, row: IntArray, column: IntArray) -> Layout:
        """`row`, `column`: of entries above the diagonal; entries at one place are added up."""
        diagonal = np.arange(size)
        rows, columns = np.concatenate((row, column, diagonal)), np.concatenate((column, row, diagonal))
        keys, place = np.unique(rows * size + columns, return_inverse=True)
        begins = np.searchsorted(keys, np.arange(size + 1) * size)
        return cls((keys % size).astype(np.int32), begins.astype(np.int32), place)

    def filled(self, above: FloatArray, diagonal: FloatArray) -> Matrix:
        """A matrix with these values."""
        data = np.bincount(self.place, np.concatenate((above, above, diagonal)), len(self.indices))
        return sparse.csr_array((data, self.indices, self.begins), (len(diagonal), len(diagonal)))


@dataclass(frozen=True, slots=True)
class Precision:
    """A Gaussian prior's inverse covariance: a diagonal, and entries above it, each with its mirror image below.

    `layout`: of matrices with all entries that `matrix` will be given, these first, then its own, then a border's; None
    where matrices are dense, or differ in their entries. `weighed_mean`: this matrix times the mean; None: that is
    0.
    """

    diagonal: FloatArray
    row: IntArray
    column: IntArray
    value: FloatArray
    layout: Layout | None = None
    weighed_mean: FloatArray | None = None

    def pull(self, at: FloatArray) -> FloatArray:
        """The gradient of the log-prior."""
        pull = -self.diagonal * at
        if self.weighed_mean is not None:
            pull += self.weighed_mean
        np.subtract.at(pull, self.row, self.value * at[self.column])
        np.subtract.at(pull, self.column, self.value * at[self.row])
        return pull

    def matrix(
        self,
        row: IntArray,
        column: IntArray,
        value: FloatArray,
        diagonal: FloatArray,
        border: FloatArray | None = None,
        *,
        dense: bool | None = None,
    ) -> Matrix:
        """Its matrix plus a diagonal and entries above it, none of them twice. `border`: the last column, likewise.

        `dense`: None: up to DENSE_NODES.
        """
        size = len(self.diagonal)
        if size <= DENSE_NODES if dense is None else dense:
            matrix = np.zeros((size, size))
            matrix.ravel()[row * size + column] = value
            np.add.at(matrix, (self.row, self.column), self.value)
            if border is not None:
                matrix[:, -1] = border
            matrix[np.diag_indices(size)] = self.diagonal + diagonal
            return matrix
        if self.layout is not None:
            above = np.concatenate((value, self.value) if border is None else (value, self.value, border[:-1]))
            return self.layout.filled(above, self.diagonal + diagonal)
        places = (np.concatenate((row, self.row)), np.concatenate((column, self.column)))
        above = sparse.csr_array((np.concatenate((value, self.value)), places), (size, size))
        if border is not None:
            last = (np.arange(size - 1), np.full(size - 1, size - 1))
            above = above + sparse.csr_array((border[:-1], last), (size, size))
        return (above + above.T + sparse.diags_array(self.diagonal + diagonal)).tocsr()


class Look(Protocol):
    """A log-posterior around one point."""

    def gradient(self) -> FloatArray:
        """Its derivative."""
        ...

    def curvature(self) -> Matrix:
        """Minus its second derivative, or nearly."""
        ...

    def information(self) -> Matrix:
        """Its expectation over all results."""
        ...

    def diagonal(self) -> FloatArray:
        """Of the information."""
        ...


def takes_factor(size: int, entries: int) -> bool:
    """Whether a step is found by a factor of a dense matrix, and not by conjugate gradients.

    `entries`: of the matrix above its diagonal.
    """
    return size <= DENSE_NODES and (size <= FACTOR_NODES or size**3 <= FACTOR_COST * entries)


def climb(
    start: FloatArray, look: Callable[[FloatArray], Look], *, within: float = CONVERGED
) -> tuple[FloatArray, Look]:
    """The top of a concave log-posterior, and the last look, taken about the square root of `within` from it."""
    at, solve, last = start, None, LONGEST_STEP
    for _ in range(MOST_STEPS):
        around = look(at)
        if len(at) == 0:
            break
        if solve is None:
            solve = _solver(around.curvature())
        step = solve(around.gradient())
        length = float(np.abs(step).max())
        at = at + step * (LONGEST_STEP / max(length, LONGEST_STEP))
        shrinkage, last = min(length / last, 1.0), length
        if length * shrinkage < within:
            break
        if length > NEAR or shrinkage > SLOW:
            solve = None
    return at, around


def inverse(matrix: Matrix) -> tuple[FloatArray | None, FloatArray]:
    """The inverse and its diagonal. Of a sparse matrix only the inverse of its diagonal."""
    if not isinstance(matrix, np.ndarray):
        return None, 1 / matrix.diagonal()
    if len(matrix) == 0:
        return matrix, np.zeros(0)
    below, _ = lapack.dpotri(_factor(matrix), lower=1, overwrite_c=1)
    whole = below + below.T
    diagonal = below.diagonal().copy()
    whole[np.diag_indices(len(whole))] = diagonal
    return whole, diagonal


def moved(matrix: Matrix, its_inverse: FloatArray | None, push: FloatArray) -> FloatArray:
    """How far a push moves the top of a log-posterior with this information. `its_inverse`: as `inverse` gave it."""
    return np.asarray(_solver(matrix)(push) if its_inverse is None else its_inverse @ push)


def _solver(matrix: Matrix) -> Callable[[FloatArray], FloatArray]:
    if isinstance(matrix, np.ndarray):
        factor = _factor(matrix)
        return lambda right: np.asarray(lapack.dpotrs(factor, right, lower=1)[0], np.float64)
    scale = sparse.diags_array(1 / matrix.diagonal())
    return lambda right: np.asarray(cg(matrix, right, rtol=1e-6, M=scale)[0], np.float64)


def _factor(matrix: FloatArray) -> FloatArray:
    factor, wrong = lapack.dpotrf(matrix.T, lower=1, overwrite_a=1)
    if wrong:
        raise ArithmeticError(f"expected a positive definite matrix; got one that is not, seen in row {wrong}")
    return np.asarray(factor, np.float64)
