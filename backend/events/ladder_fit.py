"""How strong the entrants of an event's own ladder are: a fit of what counts, in memory. See `events.ladder`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import delete
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from hexarena.backend.events.ladder import LEAGUE, NO_LONGER, EntrantVersion, stamp_of, versions_that
from hexarena.backend.ladder import fitting, standings, tallies
from hexarena.backend.ladder.memory import Tallies
from hexarena.backend.ladder.played import Played, Record, Tally, rankings, repeats
from hexarena.backend.ladder.roster import Contender, Roster, Rung
from hexarena.backend.ladder.rules import HOUSE
from hexarena.backend.matches import life as matches, live
from hexarena.backend.models import Event, EventStanding, Submission, TrialState
from hexarena.backend.rating import fit as rating
from hexarena.games.catalogue import find_game
from hexarena.games.contract import Game

FIRST_MATCHES = 20
"""A version with fewer gets more of them at once; with more, whatever idle workers play."""


@dataclass(frozen=True, slots=True)
class Known:
    """What an event's ladder is rated from. `stamp`: of all of it, 64 hexadecimal digits."""

    game: Game
    entrants: tuple[EntrantVersion, ...]
    played: Played
    digests: Mapping[int, str]
    stamp: str


@dataclass(frozen=True, slots=True)
class Line:
    """The strength of a version, Elo."""

    submission_id: int
    rating: float
    deviation: float
    games: int
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class Rated:
    """The ladder after a fit. `roster`: whom the next matches are chosen from; one entrant of each code."""

    stamp: str
    roster: Roster
    lines: tuple[Line, ...]


def read(session: Session, event: Event, there: tuple[EntrantVersion, ...], stamp: str) -> Known:
    """All that counts. Takes longer with each match of the event."""
    game = find_game(event.game)
    everything = tallies.results_of_event(session, game, event.id, event.deadline)
    current = np.array(sorted({one.competitor_id for one in there}), np.int64)
    strange = ~np.isin(everything.competitor, current)
    played = everything.only(np.bincount(everything.match, strange, len(everything)) == 0)
    return Known(game, there, played, tallies.digests(session, played), stamp)


def rated(known: Known) -> Rated:
    """Fits all of it anew. Outside of any transaction: of a thousand entrants it takes seconds."""
    played = known.played.marked(repeats(known.played, known.digests))
    chosen: dict[int, EntrantVersion] = {}
    for one in known.entrants:
        # The same code has the same games; a house bot or else the oldest submission represents the others.
        if one.competitor_id not in chosen or one.owner_id == HOUSE:
            chosen[one.competitor_id] = one
    # A tally has its competitors in their order, which is another one than that of the submissions.
    chosen = dict(sorted(chosen.items()))
    competitors = list(chosen)
    node = {competitor: index for index, competitor in enumerate(competitors)}
    tally = Tally.of(known.game, played)
    fitted = _fit(known.game, played, tally, node, [one.owner_id for one in chosen.values()])
    elo, deviations = fitted.elo(None, standings.STARTER_RATING), fitted.deviations()
    lines = _lines(known, played, {one: (float(elo[at]), float(deviations[at])) for one, at in node.items()})
    counts = {one.submission_id: one.games for one in lines}
    contenders = [
        Contender(
            submission_id=one.submission_id,
            competitor_id=competitor,
            owner_id=one.owner_id,
            rating=float(elo[node[competitor]]),
            deviation=float(deviations[node[competitor]]),
            variance=float(fitted.variances[node[competitor]]),
            games=counts[one.submission_id],
            league=LEAGUE,
            league_games=counts[one.submission_id],
            placing=True,
            provisional=counts[one.submission_id] < FIRST_MATCHES,
            trial=TrialState.STAYS,
            boss=False,
        )
        for competitor, one in chosen.items()
    ]
    meetings = Tallies.of(
        list(zip(*(one.tolist() for one in (tally.first, tally.second, tally.games, tally.repeats)), strict=True))
    ).between(competitors)
    roster = Roster(
        known.game, tuple(contenders), (Rung(LEAGUE, None),), meetings, fitted.dispersion, fitted.matchup_variance
    )
    return Rated(known.stamp, roster, tuple(lines))


def _fit(game: Game, played: Played, tally: Tally, node: Mapping[int, int], owners: Sequence[int]) -> rating.Fit:
    whose = np.arange(len(node)), np.array(owners, np.int64)
    if not game.for_two:
        ranked = rankings(game, played, fitting.nodes_of(node, played.competitor))
        return rating.fit_teams(len(node), ranked.shared_out(*whose))
    return rating.fit(len(node), fitting.counts_of(tally, node).shared_out(*whose))


def _lines(known: Known, played: Played, strengths: Mapping[int, tuple[float, float]]) -> list[Line]:
    record = Record.of(known.game, played)
    columns = (record.games, record.wins, record.draws, record.losses)
    counts = dict(zip(record.competitor.tolist(), zip(*(one.tolist() for one in columns), strict=True), strict=True))
    return [
        Line(one.submission_id, *strengths[one.competitor_id], *counts.get(one.competitor_id, (0, 0, 0, 0)))
        for one in known.entrants
    ]


def write(session: Session, event: Event, rated_now: Rated) -> None:
    """The standings in place of the former ones. The event is locked."""
    session.execute(delete(EventStanding).where(EventStanding.event_id == event.id))
    if rated_now.lines:
        names = Line.__slots__
        rows = [{name: getattr(one, name) for name in names} | {"event_id": event.id} for one in rated_now.lines]
        session.execute(insert(EventStanding), rows)
    event.ladder_stamp = rated_now.stamp
    session.flush()
    live.publish(session, event.game, "event", event.id)


def close(session: Session, event: Event, frozen: Collection[int]) -> Mapping[int, Line]:
    """Rates the frozen versions of an event by what was played before its deadline. Returns submission -> its line.

    Empty where no match counts: then nothing is known that the game's ladder does not know. The event is locked.
    """
    matches.void_queued_of_event(session, event.id, NO_LONGER)
    there = versions_that(session, Submission.id.in_(frozen))
    rated_now = rated(read(session, event, there, stamp_of(session, event, there)))
    write(session, event, rated_now)
    known = {one.submission_id: one for one in rated_now.lines}
    return known if any(one.games for one in known.values()) else {}
