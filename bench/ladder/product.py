"""Our own ladder in the simulator: the model of `backend.rating`, the pairings of `ladder.pairing`."""

from __future__ import annotations

import copy

import numpy as np

from hexarena.backend.ladder import pairing
from hexarena.backend.rating import fit as rating
from hexarena.backend.rating.counts import Counts
from hexarena.bench.ladder.world import ELO_PER_LOGIT, Floats, Indices, Pairs, Results

PAIRER_STREAM = 202


class Product:
    """See Contestant. Every bot has an owner of its own.

    What is shown is fitted from nothing, as the arena's refits are, and is a function of the results alone. Pairings
    in between use a fit that starts from the last one: it is as good for that and takes less time.
    """

    def __init__(self, bots: int, seed: int) -> None:
        self.games: Indices = np.zeros(bots, dtype=np.int64)
        self._counts = Counts.empty()
        self._parents: Indices = np.full(bots, -1)
        self._guests = np.zeros(bots, dtype=np.bool_)
        self._met: Floats = np.zeros((bots, bots))
        self._random = np.random.default_rng([seed, PAIRER_STREAM])
        self._last: rating.Fit | None = None
        self._known: rating.Fit | None = None
        self._shown: rating.Fit | None = None

    def enter(self, parent: int | None = None, *, guest: bool = False) -> None:
        """See Contestant. `guest`: whose games rate nobody else."""
        self.games = np.append(self.games, 0)
        self._parents = np.append(self._parents, -1 if parent is None else parent)
        self._guests = np.append(self._guests, guest)
        self._met = np.pad(self._met, (0, 1))
        self._known = self._shown = None

    def learn(self, results: Results) -> None:
        """See Contestant."""
        for one, other in ((results.first, results.second), (results.second, results.first)):
            np.add.at(self.games, one, 1)
            np.add.at(self._met, (one, other), 1)
        self._counts = self._counts.plus(Counts.of(results.first, results.second, results.points))
        self._known = self._shown = None

    @property
    def counts(self) -> Counts:
        """All results so far."""
        return self._counts

    def met(self, one: int) -> Floats:
        """Its games against each."""
        return np.asarray(self._met[one])

    def shown(self) -> rating.Fit:
        """The model fitted to all results so far."""
        if self._shown is None:
            self._shown = rating.fit(len(self.games), self._counts, self._parents, guests=self._guests)
        return self._shown

    def plain(self) -> rating.Fit:
        """The same as if guests rated others."""
        return rating.fit(len(self.games), self._counts, self._parents)

    def known(self) -> rating.Fit:
        """The same but for hyper-parameters, which may be older; quicker."""
        if self._known is None:
            self._known = rating.fit(
                len(self.games), self._counts, self._parents, start=self._last, guests=self._guests
            )
            self._last = self._known
        return self._known

    def pairs(self, active: Indices, count: int) -> Pairs:
        """See Contestant."""
        return np.asarray(active[np.array(pairing.pairs(self.field(active), count, self._random))])

    def opponents(self, newcomer: int, active: Indices, count: int) -> Indices:
        """See Contestant."""
        field = self.field(np.append(active, newcomer))
        return np.asarray(active[np.array(pairing.opponents(field, len(active), count, self._random))])

    def board(self) -> Floats:
        """See Contestant."""
        return self.elo()

    def elo(self) -> Floats:
        """See Contestant."""
        return self.shown().strengths * ELO_PER_LOGIT

    def deviations(self) -> Floats:
        """See Contestant."""
        return self.shown().deviations()

    def stronger(self, one: int, other: int) -> float:
        """P(one is stronger than the other)."""
        return self.shown().stronger(one, other)

    def branch(self, random: np.random.Generator) -> Product:
        """See Contestant."""
        other = copy.copy(self)
        other.games, other._met, other._random = self.games.copy(), self._met.copy(), random
        return other

    def field(self, active: Indices) -> pairing.Field:
        """What the pairer sees of these bots."""
        fit = self.known()
        return pairing.Field(
            strengths=fit.strengths[active],
            variances=fit.variances[active],
            met=self._met[np.ix_(active, active)],
            owners=np.arange(len(active)),
            games=self.games[active],
            dispersion=fit.dispersion,
            matchup_variance=fit.matchup_variance,
            guests=self._guests[active] if self._guests[active].any() else None,
        )
