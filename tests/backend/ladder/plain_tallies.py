"""From results to the input of the fit, one after the other: see `plain_refits.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby

from sqlalchemy import delete, select, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.orm import Session

from hexarena.backend.models import (
    RATED,
    Match,
    MatchSeat,
    MatchState,
    PairTally,
    PendingResult,
    Result,
    SeatResult,
    Standing,
)
from hexarena.backend.rating.sprt import points
from hexarena.games.contract import Game

MOST_AT_ONCE = 10_000
"""Pending results that are counted at a time."""


@dataclass(frozen=True, slots=True)
class RatedResult:
    """A rated result. By seat: the competitor (`Standing.competitor_id`), the rank (0 is best), the fatal fault.

    `digest`: see Result. `repeat`: an earlier match of the same competitors in the same seats was equal to it.
    """

    match_id: int
    competitors: tuple[int, ...]
    ranks: tuple[int, ...]
    faults: tuple[str | None, ...]
    digest: str | None = None
    repeat: bool = False

    @property
    def identity(self) -> tuple[str | None, tuple[int, ...]]:
        """Equal for matches that repeat each other."""
        return self.digest, self.competitors

    def entrants(self) -> dict[int, int]:
        """Competitor -> the first of its seats, in the order of seats."""
        first: dict[int, int] = {}
        for seat, competitor in enumerate(self.competitors):
            first.setdefault(competitor, seat)
        return first


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
    """The rated results of a game that are not pending, or those with these ids, in the order in which they ended.

    Results by simpler rules than the full game's, which earlier versions of the ladder have left, rate nobody.
    """
    query = (
        select(
            MatchSeat.match_id,
            Standing.competitor_id,
            SeatResult.rank,
            SeatResult.fault,
            Result.digest,
            Result.repeat,
        )
        .join(Match, Match.id == MatchSeat.match_id)
        .join(SeatResult, (SeatResult.match_id == MatchSeat.match_id) & (SeatResult.seat == MatchSeat.seat))
        .join(Result, Result.match_id == MatchSeat.match_id)
        .join(Standing, Standing.submission_id == MatchSeat.submission_id)
        .where(
            Match.game == game.id,
            Match.kind.in_(RATED),
            Match.state == MatchState.DONE,
            Match.league == game.top_level,
        )
        .order_by(Match.finished_at, MatchSeat.match_id, MatchSeat.seat)
    )
    if match_ids is None:
        # Each statement sees what is committed by then: results that came after that removal stay pending.
        query = query.where(~select(PendingResult.match_id).where(PendingResult.match_id == Match.id).exists())
    else:
        query = query.where(MatchSeat.match_id.in_(match_ids))
    found = session.execute(query)
    return [_rated_result(match_id, list(seats)) for match_id, seats in groupby(found, key=lambda row: row[0])]


def _rated_result(match_id: int, seats: Sequence[tuple[int, int, int, str | None, str | None, bool]]) -> RatedResult:
    _, competitors, ranks, faults, digests, repeats = zip(*seats, strict=True)
    return RatedResult(match_id, competitors, ranks, faults, digests[0], repeats[0])


def mark_repeats(session: Session, game: Game, played: Sequence[RatedResult], *, anew: bool) -> list[RatedResult]:
    """The results with what repeats what, which is stored as well. `anew`: they are all that there are.

    Which one of equal matches counts makes no difference, so results may come in any order.
    """
    seen = set() if anew else _counted_before(session, game, played)
    marked = []
    for one in played:
        repeat = one.digest is not None and one.identity in seen
        seen.add(one.identity)
        marked.append(replace(one, repeat=repeat))
    for value in (False, True):
        ids = [new.match_id for new, old in zip(marked, played, strict=True) if new.repeat is value is not old.repeat]
        # An arena that is new to repeats may have more of them than a statement has parameters.
        for begin in range(0, len(ids), MOST_AT_ONCE):
            some = Result.match_id.in_(ids[begin : begin + MOST_AT_ONCE])
            session.execute(update(Result).where(some).values(repeat=value))
    return marked


def _counted_before(
    session: Session, game: Game, played: Sequence[RatedResult]
) -> set[tuple[str | None, tuple[int, ...]]]:
    """Identities of counted matches, of those that these results may repeat."""
    new = {one.match_id for one in played}
    digests = {one.digest for one in played if one.digest is not None}
    # Of equal matches one is counted for each pair: bots that fail at once make many that look alike.
    rivals = {competitor for one in played for competitor in one.competitors}
    seated = (
        select(MatchSeat.match_id)
        .join(Standing, Standing.submission_id == MatchSeat.submission_id)
        .where(MatchSeat.match_id == Result.match_id, Standing.competitor_id.in_(rivals))
    )
    counted = select(Result.match_id).where(Result.digest.in_(digests), ~Result.repeat, seated.exists())
    equal = session.scalars(counted).all()
    waiting = select(PendingResult.match_id).where(PendingResult.match_id.in_(equal))
    older = set(equal) - new - set(session.scalars(waiting))
    return {one.identity for one in results(session, game, sorted(older))}


def add_pairs(session: Session, game: Game, played: Iterable[RatedResult], *, refit: int) -> None:
    """Adds results to the tallies of pairs; of repeats only how many there were. `refit`: its number."""
    games: Counter[tuple[int, int]] = Counter()
    half_points: Counter[tuple[int, int]] = Counter()
    draws: Counter[tuple[int, int]] = Counter()
    repeats: Counter[tuple[int, int]] = Counter()
    for one in played:
        for pair, scored in pairs(game, one):
            if one.repeat:
                repeats[pair] += 1
                continue
            games[pair] += 1
            half_points[pair] += round(2 * scored)
            draws[pair] += scored == 0.5
    _count_repeats(session, repeats, known=games, refit=refit)
    if not games:
        return
    row = upsert(PairTally)
    added = row.on_conflict_do_update(
        index_elements=["first_id", "second_id"],
        set_={
            "games": PairTally.games + row.excluded.games,
            "half_points": PairTally.half_points + row.excluded.half_points,
            "draws": PairTally.draws + row.excluded.draws,
            "repeats": PairTally.repeats + row.excluded.repeats,
            "refit": row.excluded.refit,
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
                "repeats": repeats[first, second],
                "refit": refit,
            }
            for first, second in sorted(games)
        ],
    )


def _count_repeats(
    session: Session, repeats: Mapping[tuple[int, int], int], *, known: Collection[tuple[int, int]], refit: int
) -> None:
    """Of pairs that have no new games, so that their rows are there already."""
    for first, second in sorted(repeats.keys() - known):
        row = update(PairTally).where(PairTally.first_id == first, PairTally.second_id == second)
        session.execute(row.values(repeats=PairTally.repeats + repeats[first, second], refit=refit))


def pairs(game: Game, played: RatedResult) -> list[tuple[tuple[int, int], float]]:
    """(competitor, competitor of another team) in the order of their seats, and the points of the first: 0, ½ or 1."""
    entrants = played.entrants()
    return [
        ((one, other), points(played.ranks[entrants[one]], played.ranks[entrants[other]]))
        for one, other in combinations(entrants, 2)
        if game.team(entrants[one]) != game.team(entrants[other])
    ]


def add_games(game: Game, standings: Mapping[int, Standing], played: Iterable[RatedResult]) -> None:
    """Adds results to the standings of those that played, without repeats. `standings`: by competitor."""
    for one in played:
        if one.repeat:
            continue
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
