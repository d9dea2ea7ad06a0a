"""Guests, who are rated by their games and rate nobody else. Values in, values out.

Theory of operation. Identity is free for guests, so their results must not move others. The posterior is cut in two:
what the accounts' games say of the accounts, `p(a)`, is taken as it is, and what all games say of the guests is found
given that, `p(g | a)`. With H the information of all games, J = -H_gg^-1 H_ga says how guests follow accounts, and the
guests' covariance is H_gg^-1 + J C_aa J'.

Source: M. Plummer, "Cuts in Bayesian graphical models"; the Gaussian form is ours.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from hexarena.backend.rating.counts import BoolArray, FloatArray
from hexarena.backend.rating.newton import Look, Matrix, climb, inverse, moved


@dataclass(frozen=True, slots=True)
class Held:
    """A log-posterior of which some unknowns are given: the others are found as if these were known for sure.

    `held`: which ones, shape (k,).
    """

    look: Look
    held: BoolArray

    def gradient(self) -> FloatArray:
        """Its derivative, 0 in what is held."""
        return np.where(self.held, 0.0, self.look.gradient())

    def curvature(self) -> Matrix:
        """As of the whole, with the unit matrix where something is held."""
        return self._hold(self.look.curvature())

    def information(self) -> Matrix:
        """As of the whole, with the unit matrix where something is held."""
        return self._hold(self.look.information())

    def diagonal(self) -> FloatArray:
        """Of the information."""
        return np.where(self.held, 1.0, self.look.diagonal())

    def _hold(self, matrix: Matrix) -> Matrix:
        free = np.where(self.held, 0.0, 1.0)
        if isinstance(matrix, np.ndarray):
            matrix *= free[:, None]
            matrix *= free
            matrix[self.held, self.held] = 1.0
            return matrix
        whole = sparse.csr_array(matrix)
        row = np.repeat(np.arange(len(free)), np.diff(whole.indptr))
        data = whole.data * free[row] * free[whole.indices]
        # A prior is on each diagonal entry, so all of them are there.
        data[row == whole.indices] += 1.0 - free
        return sparse.csr_array((data, whole.indices, whole.indptr), whole.shape)


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the accounts: all unknowns at their strengths, guests' at 0, shape (k,); and their certainty.

    `guests`: which nodes are guests, shape (n,); what follows the nodes, like a seat's advantage, is known as well.
    `covariance`: of the accounts, (a, a), or None; `variances`, `pulled`: (a,), as in a Fit.
    """

    at: FloatArray
    guests: BoolArray
    covariance: FloatArray | None
    variances: FloatArray
    pulled: FloatArray | None


@dataclass(frozen=True, slots=True)
class WithGuests:
    """`at`: all unknowns, the guests at their most likely strengths. The others as in a Fit, of all nodes."""

    at: FloatArray
    covariance: FloatArray | None
    variances: FloatArray
    pulled: FloatArray | None


def fit_guests(
    known: Known, posterior: Callable[[FloatArray], Look], pull: Callable[[FloatArray], FloatArray]
) -> WithGuests:
    """What is known of accounts and guests. `pull`: the prior's, at all unknowns; see Fit's `pulled`."""
    guests, nodes = known.guests, len(known.guests)
    held = np.append(~guests, np.ones(len(known.at) - nodes, np.bool_))
    at, _ = climb(known.at, lambda here: Held(posterior(here), held))
    # Looked at anew, since a matrix may have been changed in place.
    whole, alone = posterior(at).information(), Held(posterior(at), held).information()
    given, variances = inverse(alone)
    symmetric = np.triu(whole) + np.triu(whole, 1).T if isinstance(whole, np.ndarray) else whole
    pulled = None if known.pulled is None else _pulled(known, symmetric, alone, given, pull(at))
    if given is None or known.covariance is None:
        return WithGuests(at, None, _sparse_variances(known, whole, variances[:nodes]), pulled)
    own = given[:nodes, :nodes][np.ix_(guests, guests)]
    follows = -own @ symmetric[:nodes, :nodes][np.ix_(guests, ~guests)]
    shared = follows @ known.covariance
    covariance = np.zeros((nodes, nodes))
    covariance[np.ix_(~guests, ~guests)] = known.covariance
    covariance[np.ix_(guests, ~guests)] = shared
    covariance[np.ix_(~guests, guests)] = shared.T
    covariance[np.ix_(guests, guests)] = own + shared @ follows.T
    return WithGuests(at, covariance, covariance.diagonal().copy(), pulled)


def _pulled(known: Known, whole: Matrix, alone: Matrix, given: FloatArray | None, pull: FloatArray) -> FloatArray:
    """How far a prior's pull moves each node. The guests follow what they play, and feel it themselves."""
    nodes, of_accounts = len(known.guests), np.zeros(len(pull))
    of_accounts[:nodes][~known.guests] = known.pulled
    of_guests = np.zeros_like(pull)
    of_guests[:nodes][known.guests] = (pull - whole @ of_accounts)[:nodes][known.guests]
    return (of_accounts + moved(alone, given, of_guests))[:nodes]


def _sparse_variances(known: Known, whole: Matrix, alone: FloatArray) -> FloatArray:
    """Guests' own, as in `inverse`, plus what they take over from the accounts that they met."""
    guests, nodes = known.guests, len(known.guests)
    variances = np.zeros(nodes)
    variances[~guests] = known.variances
    to_accounts = sparse.csr_array(whole)[:nodes, :nodes][guests][:, ~guests]
    follows = sparse.diags_array(alone[guests]) @ to_accounts
    variances[guests] = alone[guests] + follows.power(2) @ known.variances
    return variances
