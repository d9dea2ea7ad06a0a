"""From results to the input of the fit: who met whom, how often, and how it ended. Each result counts once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.orm import Session

from hexarena.backend.models import (
    RATED,
    Ladder,
    Match,
    MatchSeat,
    MatchState,
    PairTally,
    PendingResult,
    SeatResult,
    Standing,
)
from hexarena.backend.rating.sprt import points
from hexarena.games.contract import Game

MOST_AT_ONCE = 10_000
"""Pending results that are counted at a time."""
LEAST_PAUSE_S = 1.0
REST = 20.0
"""The pause before the next refit, as a multiple of the duration of the last one."""


@dataclass(frozen=True, slots=True)
class RatedResult:
    """A rated result. By seat: the competitor (`Standing.competitor_id`), the rank (0 is best), the fatal fault."""

    match_id: int
    competitors: tuple[int, ...]
    ranks: tuple[int, ...]
    faults: tuple[str | None, ...]

    def entrants(self) -> dict[int, int]:
        """Competitor -> the first of its seats, in the order of seats."""
        first: dict[int, int] = {}
        for seat, competitor in enumerate(self.competitors):
            first.setdefault(competitor, seat)
        return first


def due(session: Session) -> list[str]:
    """The games whose ladders have something to count, and whose pause since the last refit is over.

    If the clock went backwards, a refit is due at once.
    """
    age = func.extract("epoch", func.clock_timestamp() - Ladder.refitted_at)
    rested = Ladder.refitted_at.is_(None) | (age < 0) | (age >= func.greatest(LEAST_PAUSE_S, REST * Ladder.refit_s))
    pending = select(PendingResult.match_id).where(PendingResult.game == Ladder.game).exists()
    return list(session.scalars(select(Ladder.game).where(pending | Ladder.stale, rested).order_by(Ladder.game)))


def pop_pending(session: Session, game: Game) -> list[RatedResult]:
    """Removes and returns the oldest pending results. If the transaction rolls back, they stay pending."""
    oldest = (
        select(PendingResult.match_id)
        .where(PendingResult.game == game.id)
        .order_by(PendingResult.match_id)
        .limit(MOST_AT_ONCE)
    )
    taken = session.scalars(
        delete(PendingResult).where(PendingResult.match_id.in_(oldest)).returning(PendingResult.match_id)
    )
    return results(session, game, list(taken))


def reset_and_list_all(session: Session, game: Game) -> tuple[list[RatedResult], set[int]]:
    """Deletes all tallies. Returns all results, and the ids of those that were still pending."""
    pending = delete(PendingResult).where(PendingResult.game == game.id).returning(PendingResult.match_id)
    fresh = set(session.scalars(pending))
    session.execute(delete(PairTally).where(PairTally.game == game.id))
    return results(session, game), fresh


def results(session: Session, game: Game, match_ids: Sequence[int] | None = None) -> list[RatedResult]:
    """The rated results of a game that are not pending, or those with these ids, in the order in which they ended."""
    query = (
        select(MatchSeat.match_id, Standing.competitor_id, SeatResult.rank, SeatResult.fault)
        .join(Match, Match.id == MatchSeat.match_id)
        .join(SeatResult, (SeatResult.match_id == MatchSeat.match_id) & (SeatResult.seat == MatchSeat.seat))
        .join(Standing, Standing.submission_id == MatchSeat.submission_id)
        .where(Match.game == game.id, Match.kind.in_(RATED), Match.state == MatchState.DONE)
        .order_by(Match.finished_at, MatchSeat.match_id, MatchSeat.seat)
    )
    if match_ids is None:
        # Each statement sees what is committed by then: results that came after that removal stay pending.
        query = query.where(~select(PendingResult.match_id).where(PendingResult.match_id == Match.id).exists())
    else:
        query = query.where(MatchSeat.match_id.in_(match_ids))
    found = session.execute(query)
    return [_rated_result(match_id, list(seats)) for match_id, seats in groupby(found, key=lambda row: row[0])]


def _rated_result(match_id: int, seats: Sequence[tuple[int, int, int, str | None]]) -> RatedResult:
    _, competitors, ranks, faults = zip(*seats, strict=True)
    return RatedResult(match_id, competitors, ranks, faults)


def add_pairs(session: Session, game: Game, played: Iterable[RatedResult]) -> None:
    """Adds results to the tallies of pairs."""
    games: Counter[tuple[int, int]] = Counter()
    half_points: Counter[tuple[int, int]] = Counter()
    draws: Counter[tuple[int, int]] = Counter()
    for one in played:
        for pair, scored in pairs(game, one):
            games[pair] += 1
            half_points[pair] += round(2 * scored)
            draws[pair] += scored == 0.5
    if not games:
        return
    row = upsert(PairTally)
    added = row.on_conflict_do_update(
        index_elements=["first_id", "second_id"],
        set_={
            "games": PairTally.games + row.excluded.games,
            "half_points": PairTally.half_points + row.excluded.half_points,
            "draws": PairTally.draws + row.excluded.draws,
        },
    )
    session.execute(
        added,
        [
            {
                "game": game.id,
                "first_id": first,
                "second_id": second,
                "games": games[first, second],
                "half_points": half_points[first, second],
                "draws": draws[first, second],
            }
            for first, second in sorted(games)
        ],
    )


def pairs(game: Game, played: RatedResult) -> list[tuple[tuple[int, int], float]]:
    """(competitor, competitor of another team) in the order of their seats, and the points of the first: 0, ½ or 1."""
    entrants = played.entrants()
    return [
        ((one, other), points(played.ranks[entrants[one]], played.ranks[entrants[other]]))
        for one, other in combinations(entrants, 2)
        if game.team(entrants[one]) != game.team(entrants[other])
    ]


def add_games(game: Game, standings: Mapping[int, Standing], played: Iterable[RatedResult]) -> None:
    """Adds results to the standings of those that played. `standings`: by competitor."""
    for one in played:
        for competitor, seat in one.entrants().items():
            standing, rank = standings[competitor], one.ranks[seat]
            lost, tied = any(other < rank for other in one.ranks), one.ranks.count(rank) > game.team_seats
            standing.games += 1
            standing.losses += lost
            standing.draws += tied and not lost
            standing.wins += not (lost or tied)


def add_faults(standings: Mapping[int, Standing], played: Iterable[RatedResult]) -> None:
    """Counts consecutive faults; a match without one resets the count. `standings`: by competitor.

    Each result only once: a recount keeps the counts, as it is not known when an owner restored a version.
    """
    for one in played:
        for competitor in one.entrants():
            standing = standings[competitor]
            disqualified = all(
                fault is not None for fault, who in zip(one.faults, one.competitors, strict=True) if who == competitor
            )
            standing.consecutive_faults = standing.consecutive_faults + 1 if disqualified else 0


def reset_counts(standings: Iterable[Standing]) -> None:
    """Sets the counts to 0, before all results are counted again. Decisions about leagues stay."""
    for standing in standings:
        standing.games = standing.wins = standing.draws = standing.losses = 0
