"""A ladder as it was at some moment: all ratings, from the results until then. Read in a transaction, fitted outside.

The history of standings has ratings with their deviations, but not how the errors of two of them depend on each other,
which decides who is stronger. Ratings are a function of the results (`ladder.refits`), so the fit is made again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import combinations

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from hexarena.backend.ladder import fitting, priors, standings, tallies
from hexarena.backend.ladder.lines import Lines
from hexarena.backend.ladder.played import Played, Tally, rankings, repeats
from hexarena.backend.models import Standing, Submission
from hexarena.backend.rating import fit as rating
from hexarena.games.contract import Game


@dataclass(frozen=True, slots=True)
class More:
    """Results that are added to a ladder. `digests`: by match, where it has one."""

    played: Played
    digests: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class PastLadder:
    """What a fit is made from. `index`: submission -> its competitor's node. The arrays are by node, shape (n,)."""

    game: Game
    index: Mapping[int, int]
    parents: rating.IntArray
    bots: rating.IntArray
    owners: rating.IntArray
    guests: rating.BoolArray
    earlier: rating.Earlier | None
    anchor: int | None
    played: Played
    digests: Mapping[int, str]

    def with_more(self, more: More) -> PastLadder:
        """The same with more results of the same competitors. Those with others, who came later, do not count."""
        known = {**self.digests, **more.digests}
        played = self.played.plus(_among(self.index, more.played))
        return replace(self, played=_without_repeats(played, known), digests=known)

    def fitted(self) -> rating.Fit:
        """All strengths. Takes as long as a refit of the ladder."""
        nodes = len(self.parents)
        if not self.game.for_two:
            node = fitting.nodes_of(self.index, self.played.competitor)
            ranked = rankings(self.game, self.played, node).shared_out(self.bots, self.owners)
            return rating.fit_teams(nodes, ranked, self.parents, guests=self.guests, earlier=self.earlier)
        counts = fitting.counts_of(Tally.of(self.game, self.played), self.index)
        weighed = counts.shared_out(self.bots, self.owners)
        return rating.fit(nodes, weighed, self.parents, guests=self.guests, earlier=self.earlier)

    def ratings(self, fitted: rating.Fit) -> tuple[rating.FloatArray, rating.FloatArray]:
        """Elo, and its standard deviation against the mean of all; of each node, shape (n,)."""
        return fitted.elo(self.anchor, standings.STARTER_RATING), fitted.deviations()

    def games(self) -> Counter[frozenset[int]]:
        """How many games count: of each node, {node}, and of each two nodes, {node, other}."""
        found: Counter[frozenset[int]] = Counter()
        for competitors in self.played.entrants(np.arange(len(self.played))):
            nodes = sorted({self.index[competitor] for competitor in competitors})
            found.update(frozenset({node}) for node in nodes)
            found.update(frozenset(pair) for pair in combinations(nodes, 2))
        return found


def read(session: Session, game: Game, until: datetime, *, also: Collection[int] = ()) -> PastLadder:
    """The ladder with what was submitted and played until then. `also`: submissions that are part of it anyway."""
    everybody = Lines.read(session, game.id, settled=True).by_id
    of_game = select(Submission.id, Submission.created_at).join(Standing, Standing.submission_id == Submission.id)
    at = dict(session.execute(of_game.where(Standing.game == game.id)).all())
    there = {one: line for one, line in everybody.items() if at[one] <= until or one in also}
    for row in list(there.values()):
        there.setdefault(row.competitor_id, everybody[row.competitor_id])
    played = _among(there, tallies.results_until(session, game, until))
    digests = tallies.digests(session, played)
    competitors = sorted(one for one, row in there.items() if row.competitor_id == one)
    node_of = {competitor: node for node, competitor in enumerate(competitors)}
    bots, owners, guests = fitting.owners_of(session, node_of, {one: row.competitor_id for one, row in there.items()})
    return PastLadder(
        game=game,
        index={one: node_of[row.competitor_id] for one, row in there.items()},
        parents=fitting.parents_of(there, node_of, owners),
        bots=bots,
        owners=owners,
        guests=guests,
        earlier=priors.of_season_before(session, game.id, competitors, until),
        anchor=fitting.anchor_of(session, game, node_of),
        played=_without_repeats(played, digests),
        digests=digests,
    )


def for_mark(session: Session, game: Game, mark_id: int) -> More:
    """What was played for a mark."""
    played = tallies.results_for_marks(session, game, [mark_id])
    return More(played, tallies.digests(session, played))


def _among(there: Collection[int], played: Played) -> Played:
    """The results of matches in which only these competitors played."""
    strange = ~np.isin(played.competitor, np.fromiter(there, np.int64, len(there)))
    return played.only(np.bincount(played.match, strange, len(played)) == 0)


def _without_repeats(played: Played, digests: Mapping[int, str]) -> Played:
    """The results but those that repeat an earlier one. `digests`: by match. Stores nothing."""
    again = repeats(played, digests)
    return played.marked(again).only(~again)
