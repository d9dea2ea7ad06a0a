"""The interface of a ladder that is measured here."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from hexarena.bench.ladder.world import Floats, Indices, Pairs, Results


class Contestant(Protocol):
    """A rater and a pairer together. Bots are numbered from 0 in the order in which they entered."""

    @property
    def games(self) -> Indices:
        """[bot] -> rated games so far."""
        ...

    def enter(self, parent: int | None = None) -> None:
        """Adds a bot. `parent`: the bot that it is a new version of."""
        ...

    def learn(self, results: Results) -> None:
        """Adds the results of more games."""
        ...

    def pairs(self, active: Indices, count: int) -> Pairs:
        """The next games of a ladder with these bots, in any seats."""
        ...

    def opponents(self, newcomer: int, active: Indices, count: int) -> Indices:
        """The next opponents of a bot that is being placed, out of `active`, to which it does not belong."""
        ...

    def board(self) -> Floats:
        """[bot] -> what the board is sorted by, descending."""
        ...

    def elo(self) -> Floats:
        """[bot] -> its rating in Elo, up to a constant."""
        ...

    def deviations(self) -> Floats | None:
        """[bot] -> standard deviation of its rating less the mean one, in Elo; None where ratings have no intervals."""
        ...

    def branch(self, random: np.random.Generator) -> Contestant:
        """An independent copy, with other random numbers."""
        ...
