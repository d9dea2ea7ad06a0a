"""Ratings of a pool's bots, and the next pairings, by the arena's own code (`rating/fit.py`, `ladder/pairing.py`)."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from hexarena.backend.ladder import pairing
from hexarena.backend.ladder.rules import HOUSE, only_repeats
from hexarena.backend.rating import fit as rating
from hexarena.cli.pool.state import PoolState, Result
from hexarena.games.house import STARTER_BOT

TWO_SIGMA = 1.96
FIT_SHARE = 0.05
"""Of the time: a fit waits for more results as long as fits take more than this."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the board. `reach`: half the width of the 95 % interval, in Elo."""

    name: str
    version: int
    rating: float
    reach: float
    games: int
    won: int
    drawn: int
    lost: int
    faults: int


class Ranking:
    """The fit of a pool's results, kept up to date. A match that only repeats an earlier one counts for nothing."""

    def __init__(self, state: PoolState) -> None:
        self._state = state
        self._for_two = state.game.for_two
        self._counts = rating.Counts.empty()
        self._read = 0
        self._met: Counter[tuple[int, int]] = Counter()
        self._different: Counter[tuple[int, int]] = Counter()
        self._repeats: Counter[tuple[int, int]] = Counter()
        self._fit: rating.Fit | None = None
        self._fitted = self._took_s = 0.0
        self._rankings: list[list[tuple[Sequence[int], int]]] = []

    def fit(self, *, exact: bool = False) -> rating.Fit:
        """That of all results, or of those when the last fit was made, unless `exact`; of all bots in any case."""
        now = time.monotonic()
        known = self._fit if self._fit is not None and len(self._fit.strengths) == len(self._state.versions) else None
        is_new = self._read < len(self._state.results)
        if known is not None and not exact and (not is_new or now - self._fitted < self._took_s / FIT_SHARE):
            return known
        self._read_results()
        self._fit = self._fit_of(None if exact else self._fit)
        self._fitted = time.monotonic()
        self._took_s = self._fitted - now
        return self._fit

    def _fit_of(self, start: rating.Fit | None) -> rating.Fit:
        parents = np.array([version.parent for version in self._state.versions], np.int64)
        if self._for_two:
            return rating.fit(len(parents), self._counts, parents, start=start)
        return rating.fit_teams(len(parents), rating.Rankings.of(self._rankings), parents, start=start)

    def _read_results(self) -> None:
        new = self._state.results[self._read :]
        self._read += len(new)
        for one in new:
            for pair in permutations(one.nodes, 2):
                self._met[pair] += 1
            if len(one.nodes) == 2:
                (self._repeats if one.repeat else self._different)[one.nodes[0], one.nodes[1]] += 1
        counted = [one for one in new if not one.repeat]
        if not self._for_two:
            self._rankings += [
                [((node,), rank) for node, rank in zip(one.nodes, one.ranks, strict=True)] for one in counted
            ]
        elif counted:
            self._counts = self._counts.plus(_counts(counted))

    def next_match(
        self, playable: Sequence[int], running: Counter[tuple[int, int]], random: np.random.Generator
    ) -> tuple[int, ...]:
        """The nodes of the next match, in the order of their seats, of those that can play; () if none is informative.

        `running`: ordered pairs of nodes that play each other now.
        """
        field = self._field(playable, running)
        if self._for_two:
            pairs = pairing.pairs(field, 1, random)
            return tuple(playable[index] for index in pairs[0]) if pairs else ()
        for size in self._state.game.ladder_entrants:
            if chosen := pairing.teams(field, size, random):
                return tuple(playable[index] for index in chosen)
        return ()

    def _field(self, nodes: Sequence[int], running: Counter[tuple[int, int]]) -> pairing.Field:
        fitted = self.fit()
        self._read_results()
        at = list(nodes)
        met = np.array([[self._met[one, other] + running[one, other] for other in at] for one in at], np.float64)
        games = [self._state.tallies[node].games + sum(running[node, other] for other in at) for node in at]
        exhausted = {
            place: [there for there, other in enumerate(at) if self._is_exhausted(one, other)]
            for place, one in enumerate(at)
        }
        return pairing.Field(
            strengths=fitted.strengths[at],
            variances=fitted.variances[at],
            met=met,
            owners=np.full(len(at), HOUSE, np.int64),
            games=np.array(games, np.int64),
            dispersion=fitted.dispersion,
            matchup_variance=fitted.matchup_variance,
            exhausted={one: others for one, others in exhausted.items() if others} or None,
        )

    def _is_exhausted(self, one: int, other: int) -> bool:
        """Whether the two only repeat themselves, whoever begins."""
        orders = ((one, other), (other, one))
        return all(only_repeats(self._different[order], self._repeats[order]) for order in orders)

    def board(self, *, exact: bool = False) -> list[Row]:
        """The members in their newest versions, best first. The starter has 1000; without it, the prior's mean has."""
        state = self._state
        if not state.members:
            return []
        fitted = self.fit(exact=exact)
        at = np.array([member.node for member in state.members.values()], np.int64)
        starter = state.members.get(STARTER_BOT)
        elo = fitted.elo(starter.node if starter is not None and starter.bot == STARTER_BOT else None)
        reach = fitted.deviations(at) * TWO_SIGMA
        rows = []
        for member in state.members.values():
            tally, node = state.tallies[member.node], member.node
            counts = (tally.games, tally.won, tally.drawn, tally.lost, tally.faults)
            rows.append(Row(member.name, member.version, float(elo[node]), float(reach[node]), *counts))
        return sorted(rows, key=lambda row: (-row.rating, row.name))


def _counts(results: Sequence[Result]) -> rating.Counts:
    first, second = ([one.nodes[seat] for one in results] for seat in (0, 1))
    points = [(1 + (one.ranks[0] < one.ranks[1]) - (one.ranks[0] > one.ranks[1])) / 2 for one in results]
    return rating.Counts.of(first, second, points)
