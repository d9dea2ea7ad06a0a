"""From results to the input of the fit: who met whom, how often, and how it ended. Each result counts once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import ARRAY, BigInteger, DateTime, Select, delete, func, literal, select, text, update
from sqlalchemy.orm import Session

from hexarena.backend.ladder import columns, seasons, standings
from hexarena.backend.ladder.lines import Line
from hexarena.backend.ladder.played import Faults, Places, Played, Record, Tally
from hexarena.backend.models import (
    RATED,
    Match,
    MatchSeat,
    MatchState,
    PairTally,
    PendingResult,
    PlaceCount,
    Result,
    SeatResult,
    Standing,
)
from hexarena.games.contract import Game

MOST_AT_ONCE = 10_000
"""Pending results that are counted at a time."""
SUMS = ("games", "half_points", "draws", "repeats")


def pop_pending(session: Session, game: Game) -> Played:
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


def reset_and_list_all(session: Session, game: Game) -> tuple[Played, set[int]]:
    """Deletes all tallies and places. Returns all results, and the ids of those that were still pending."""
    pending = delete(PendingResult).where(PendingResult.game == game.id).returning(PendingResult.match_id)
    fresh = set(session.scalars(pending))
    session.execute(delete(PairTally).where(PairTally.game == game.id))
    standings.forget_places(session, game.id)
    return results(session, game), fresh


def results(session: Session, game: Game, match_ids: Sequence[int] | None = None) -> Played:
    """The rated results of a game's season that are not pending, or those with these ids.

    Results by simpler rules than the full game's, which earlier versions of the ladder have left, rate nobody.
    """
    if match_ids is not None and not match_ids:
        return Played.nothing()
    if match_ids is None:
        # Each statement sees what is committed by then: results that came after that removal stay pending.
        return _played(session, _counted_of(game))
    return _played(session, _of_season(game).where(MatchSeat.match_id.in_(match_ids)))


def _of_season(game: Game) -> Select[*tuple[Any, ...]]:
    return _results_of(game).where(Match.kind.in_(RATED), Match.id > seasons.began_after(game.id))


def _counted_of(game: Game) -> Select[*tuple[Any, ...]]:
    """Those that are not pending."""
    return _of_season(game).where(~select(PendingResult.match_id).where(PendingResult.match_id == Match.id).exists())


def results_with(session: Session, game: Game, competitor_id: int) -> Played:
    """Those of `results` in which this competitor played."""
    mine = (
        select(MatchSeat.match_id)
        .join(Standing, Standing.submission_id == MatchSeat.submission_id)
        .where(Standing.competitor_id == competitor_id)
    )
    return _played(session, _counted_of(game).where(MatchSeat.match_id.in_(mine)))


def results_until(session: Session, game: Game, until: datetime) -> Played:
    """The rated results of the season of that time by then, pending ones included.

    Which repeat what is not known of all.
    """
    of_season = Match.id > seasons.began_after(game.id, until)
    return _played(session, _results_of(game).where(Match.kind.in_(RATED), Match.finished_at <= until, of_season))


def results_for_marks(session: Session, game: Game, mark_ids: Sequence[int]) -> Played:
    """The results of matches that were played for these marks."""
    return _played(session, _results_of(game).where(Match.mark_id.in_(mark_ids)))


def results_of_event(session: Session, game: Game, event_id: int, until: datetime) -> Played:
    """The results of the ladder of an event's own by then. Which repeat what is not known of all."""
    mine = (Match.event_id == event_id) & (Match.finished_at <= until)
    return _played(session, _results_of(game).where(mine))


def _results_of(game: Game) -> Select[*tuple[Any, ...]]:
    return (
        select(
            func.coalesce(Match.finished_at, text("'infinity'::timestamptz"), type_=DateTime),
            MatchSeat.match_id,
            MatchSeat.seat,
            Standing.competitor_id,
            SeatResult.rank,
            SeatResult.fault.is_not(None),
            Result.repeat,
        )
        .select_from(MatchSeat)
        .join(Match, Match.id == MatchSeat.match_id)
        .join(SeatResult, (SeatResult.match_id == MatchSeat.match_id) & (SeatResult.seat == MatchSeat.seat))
        .join(Result, Result.match_id == MatchSeat.match_id)
        .join(Standing, Standing.submission_id == MatchSeat.submission_id)
        .where(Match.game == game.id, Match.state == MatchState.DONE, Match.league == game.top_level)
    )


def _played(session: Session, query: Select[*tuple[Any, ...]]) -> Played:
    finished_at, match_id, seat, competitor, rank, fault, repeat = columns.read(session, query)
    order = np.lexsort((seat, match_id, finished_at))
    match_id = match_id[order]
    begin = np.flatnonzero(np.diff(match_id, prepend=-1))
    return Played(
        match_id[begin].astype(np.int64),
        np.diff(begin, append=len(match_id)),
        repeat[order][begin],
        competitor[order].astype(np.int64),
        rank[order].astype(np.int64),
        fault[order],
    )


def mark_repeats(session: Session, game: Game, played: Played, *, anew: bool) -> Played:
    """The results with what repeats what, which is stored as well. `anew`: they are all that there are.

    Which one of equal matches counts makes no difference, so results may come in any order.
    """
    found = _shared_digests(session, game, played) if anew else digests(session, played)
    seen = set() if anew else _counted_before(session, game, played, found)
    repeat = np.zeros(len(played), np.bool_)
    known = np.flatnonzero(np.isin(played.match_id, np.fromiter(found, np.int64, len(found))))
    for at, competitors in zip(known.tolist(), played.entrants(known), strict=True):
        identity = found[int(played.match_id[at])], competitors
        repeat[at] = identity in seen
        seen.add(identity)
    for value in (False, True):
        ids = played.match_id[(repeat == value) & (played.repeat != value)].tolist()
        # An arena that is new to repeats may have more of them than a statement has parameters.
        for begin in range(0, len(ids), MOST_AT_ONCE):
            some = Result.match_id.in_(ids[begin : begin + MOST_AT_ONCE])
            session.execute(update(Result).where(some).values(repeat=value))
    return played.marked(repeat)


def digests(session: Session, played: Played) -> dict[int, str]:
    """Match -> its digest, where it has one."""
    # A statement has a limited number of parameters; one of them may be an array of any length.
    ids = select(func.unnest(literal(played.match_id.tolist(), ARRAY(BigInteger))))
    found = select(Result.match_id, Result.digest).where(Result.match_id.in_(ids))
    rows = session.execute(found.where(Result.digest.is_not(None)))
    return {match_id: digest for match_id, digest in rows if digest is not None}


def _shared_digests(session: Session, game: Game, played: Played) -> dict[int, str]:
    """Match -> its digest, where another match of the game has the same; those alone can repeat or be repeated."""
    shared = (
        select(Result.digest)
        .join(Match, Match.id == Result.match_id)
        .where(Match.game == game.id, Match.kind.in_(RATED), Result.digest.is_not(None))
        .group_by(Result.digest)
        .having(func.count() > 1)
    )
    found = (
        select(Result.match_id, Result.digest)
        .join(Match, Match.id == Result.match_id)
        .where(Match.game == game.id, Match.kind.in_(RATED), Result.digest.in_(shared))
    )
    return {match_id: digest for match_id, digest in session.execute(found) if digest is not None}


def _counted_before(
    session: Session, game: Game, played: Played, fresh: Mapping[int, str]
) -> set[tuple[str, tuple[int, ...]]]:
    """Identities of counted matches, of those that these results may repeat: their digests and competitors."""
    # Of equal matches one is counted for each pair: bots that fail at once make many that look alike.
    rivals = set(played.competitor.tolist())
    seated = (
        select(MatchSeat.match_id)
        .join(Standing, Standing.submission_id == MatchSeat.submission_id)
        .where(MatchSeat.match_id == Result.match_id, Standing.competitor_id.in_(rivals))
    )
    counted = select(Result.match_id).where(Result.digest.in_(set(fresh.values())), ~Result.repeat, seated.exists())
    equal = session.scalars(counted).all()
    waiting = select(PendingResult.match_id).where(PendingResult.match_id.in_(equal))
    older = results(session, game, sorted(set(equal) - set(played.match_id.tolist()) - set(session.scalars(waiting))))
    theirs, everybody = digests(session, older), older.entrants(np.arange(len(older)))
    return {
        (theirs[match_id], competitors)
        for match_id, competitors in zip(older.match_id.tolist(), everybody, strict=True)
        if match_id in theirs
    }


def read(
    session: Session, game: Game, only: Collection[int] | None = None, *, among: Collection[int] | None = None
) -> Tally:
    """The stored tallies. `only`: those of these competitors; `among`: those of two of these."""
    stored = (PairTally.first_id, PairTally.second_id, PairTally.games, PairTally.half_points, PairTally.draws)
    query = select(*stored, PairTally.repeats).where(PairTally.game == game.id)
    if only is not None:
        query = query.where(PairTally.first_id.in_(only) | PairTally.second_id.in_(only))
    if among is not None:
        query = query.where(PairTally.first_id.in_(among), PairTally.second_id.in_(among))
    found = [one.astype(np.int64) for one in columns.read(session, query)]
    order = np.lexsort((found[1], found[0]))
    return Tally(*[one[order] for one in found])


def add_pairs(session: Session, game: Game, tally: Tally, *, anew: bool, refit: int) -> None:
    """Stores new tallies, or adds them to those that are there; of repeats only how many there were.

    `refit`: its number. `anew`: there are no tallies yet.
    """
    _count_repeats(session, tally.only(tally.games == 0), refit=refit)
    new = tally.only(tally.games > 0)
    if not len(new.first):
        return
    values = {
        "first_id": new.first,
        "second_id": new.second,
        "games": new.games,
        "half_points": new.half_points,
        "draws": new.draws,
        "repeats": new.repeats,
        "refit": np.full(len(new.first), refit),
    }
    if anew:
        columns.insert(session, PairTally, {"game": game.id, **values})
        return
    columns.stage(session, "staged_tally", PairTally, values)
    sums = ", ".join(f"{name} = pair_tally.{name} + excluded.{name}" for name in SUMS)
    names = ", ".join(values)
    session.execute(
        text(
            f"INSERT INTO pair_tally (game, {names}) SELECT :game, {names} FROM staged_tally ORDER BY 2, 3 "  # noqa: S608
            f"ON CONFLICT (first_id, second_id) DO UPDATE SET {sums}, refit = excluded.refit"
        ),
        {"game": game.id},
    )


def _count_repeats(session: Session, repeated: Tally, *, refit: int) -> None:
    """Of pairs that have no new games, so that their rows are there already."""
    for first, second, repeats in zip(
        repeated.first.tolist(), repeated.second.tolist(), repeated.repeats.tolist(), strict=True
    ):
        row = update(PairTally).where(PairTally.first_id == first, PairTally.second_id == second)
        session.execute(row.values(repeats=PairTally.repeats + repeats, refit=refit))


def add_games(game: Game, lines: Mapping[int, Line], played: Played) -> None:
    """Adds results to the standings of those that played, without repeats. `lines`: by competitor."""
    record = Record.of(game, played)
    for competitor, games, wins, draws, losses in zip(
        *[one.tolist() for one in (record.competitor, record.games, record.wins, record.draws, record.losses)],
        strict=True,
    ):
        line = lines[competitor]
        line.games, line.wins = line.games + games, line.wins + wins
        line.draws, line.losses = line.draws + draws, line.losses + losses


def add_places(session: Session, game: Game, played: Played) -> None:
    """Adds the places of results, in games in which more than two meet."""
    if game.for_two:
        return
    places = Places.of(game, played)
    if not len(places.place):
        return
    values = {"competitor_id": places.competitor, "place": places.place, "matches": places.matches}
    columns.stage(session, "staged_places", PlaceCount, values)
    session.execute(
        text(
            "INSERT INTO place_count (competitor_id, place, matches)"
            " SELECT competitor_id, place, matches FROM staged_places ORDER BY 1, 2"
            " ON CONFLICT (competitor_id, place) DO UPDATE SET matches = place_count.matches + excluded.matches"
        )
    )


def add_faults(lines: Mapping[int, Line], played: Played) -> None:
    """Counts consecutive faults; a match without one resets the count. `lines`: by competitor.

    Each result only once: a recount keeps the counts, as it is not known when an owner restored a version.
    """
    faults = Faults.of(played)
    for competitor, consecutive, every in zip(
        *[one.tolist() for one in (faults.competitor, faults.consecutive, faults.all)], strict=True
    ):
        line = lines[competitor]
        line.consecutive_faults = consecutive + (line.consecutive_faults if every else 0)


def reset_counts(lines: Iterable[Line]) -> None:
    """Sets the counts to 0, before all results are counted again. Decisions about leagues stay."""
    for line in lines:
        line.games = line.wins = line.draws = line.losses = 0


def clamp_marks(lines: Mapping[int, Line]) -> None:
    """After all results were counted again: nobody came into a league, or onto the ladder, with more games than it has.

    There are fewer where some were annulled, and the games since then would be too few for as long.
    """
    for line in lines.values():
        games = lines[line.competitor_id].games
        line.league_from, line.entered_with = min(line.league_from, games), min(line.entered_with, games)
