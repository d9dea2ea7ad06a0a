"""Results become ratings: count pending results, fit the model to everything, apply the ladder's rules.

Theory of operation. Ratings are a function of the season's results and of the final table of the season before
(`ladder.seasons`), and of nothing else: a refit begins from the same start whatever the board was before, so
`recompute`, which counts all results again, gives the same numbers to the last bit. A finished match leaves a row in
`pending_result`. A refit, alone on its ladder by the lock on its row, takes these rows and adds them to the tallies in
one transaction: each result counts once, even if processes die or messages are repeated. Leagues and trials are
decisions: they are made once, when the ratings say so, and are not reversed.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from sqlalchemy import func, select, text, true
from sqlalchemy.orm import Session

from hexarena.backend.errors import NotFound
from hexarena.backend.ladder import columns, standings, stored_fits, tallies
from hexarena.backend.ladder.decisions import apply_rules, places_of_board
from hexarena.backend.ladder.fitting import Rated, nodes_of, rate_counted
from hexarena.backend.ladder.lines import Line, Lines, record_histories
from hexarena.backend.ladder.notifying import notify_owners
from hexarena.backend.ladder.played import Pairs, Played, Tally, as_they_are
from hexarena.backend.ladder.rules import HOUSE
from hexarena.backend.matches import live
from hexarena.backend.models import Ladder, SeatResult, StandingHistory, Submission, SubmissionState
from hexarena.backend.rating import fit as rating, influences
from hexarena.backend.rating.elo import ELO_PER_LOGIT
from hexarena.backend.runtime.db import allow_long_transaction
from hexarena.games.contract import Game

DIGITS = 6
"""Decimals of a rating in Elo: further ones depend on the machine's arithmetic."""
HISTORY_STEP_ELO = 1.0
"""The history gets a new line when a rating has moved this far."""


@dataclass(frozen=True, slots=True)
class Refit:
    """What a refit did. `counted`: results that it counted; `results`: those that the ratings are now based on.

    `seconds`: wall time.
    """

    counted: int
    results: int
    competitors: int
    seconds: float
    promoted: int


@dataclass(frozen=True, slots=True)
class _Counted:
    """What is counted: `tally`, and of a game of many all results. `token`: of the refit that left it so."""

    token: _Token
    tally: Tally
    played: Played | None


class Memory:
    """What a process remembers of a ladder's results from one refit to the next; it gives the same ratings without it.

    Each refit has a number and a moment, and one that was rolled back left none: what is remembered is used only if
    the ladder's row still says that the refit which left it was the last. Not for several threads.
    """

    def __init__(self) -> None:
        self._counted: dict[str, _Counted] = {}

    def counted(self, row: Ladder) -> _Counted | None:
        """What is counted on this ladder, if it is known."""
        found = self._counted.get(row.game)
        return found if found is not None and found.token == _token(row) and not row.stale else None

    def keep(self, row: Ladder, tally: Tally, played: Played | None) -> None:
        """After a refit, before its transaction ends."""
        self._counted[row.game] = _Counted(_token(row), tally, played)


_Token = tuple[int, int, datetime | None]


def _token(row: Ladder) -> _Token:
    return row.refits, row.recount, row.refitted_at


def refit(session: Session, game: Game, memory: Memory | None = None) -> Refit | None:
    """Counts pending results and refits all ratings. None while another process refits this ladder.

    `memory`: of this process; it saves reading what is counted already.
    """
    row = session.scalar(
        select(Ladder)
        .where(Ladder.game == game.id)
        .with_for_update(skip_locked=True)
        .execution_options(populate_existing=True)
    )
    return None if row is None else _refit(session, game, row, memory)


def recompute(session: Session, game: Game) -> Refit:
    """The same from all results: rebuilds tallies, counts and ratings. Waits for a running refit.

    Raises: NotFound, when the game has no ladder yet.
    """
    row = session.scalar(select(Ladder).where(Ladder.game == game.id).with_for_update())
    if row is None:
        raise NotFound(f"There is no ladder of {game.title} yet: `hexarena db upgrade` makes it.")
    row.stale = True
    return _refit(session, game, row)


def _refit(session: Session, game: Game, row: Ladder, memory: Memory | None = None) -> Refit:
    started_s, cpu_before_s = time.perf_counter(), time.process_time()
    allow_long_transaction(session)
    session.flush()
    before = None if memory is None else memory.counted(row)
    row.refits += 1
    if row.stale:
        row.recount = row.refits
        played, fresh = tallies.reset_and_list_all(session, game)
        new = np.isin(played.match_id, np.fromiter(fresh, np.int64, len(fresh)))
    else:
        played = tallies.pop_pending(session, game)
        new = np.ones(len(played), np.bool_)
    # Whoever has a result in this season is not settled, whatever made it so.
    standings.resume(session, np.unique(played.competitor).tolist())
    lines = Lines.read(session, game.id)
    if row.stale:
        tallies.reset_counts(lines.by_id.values())
    played = tallies.mark_repeats(session, game, played, anew=row.stale)
    tally = Tally.of(game, played)
    tallies.add_pairs(session, game, tally, anew=row.stale, refit=row.refits)
    tally, everything = _everything(session, game, before, tally, played, anew=row.stale)
    tallies.add_games(game, lines.by_id, played)
    if row.stale:
        tallies.clamp_marks(lines.by_id)
    tallies.add_places(session, game, played)
    counted, played = len(played), played.only(new)
    tallies.add_faults(lines.by_id, played)
    ratings = {line.submission_id: line.rating for line in lines.by_id.values()}
    rated = rate_counted(session, game, lines.by_id, tally, everything)
    places = places_of_board(rated)
    _write_ratings(rated)
    stored_fits.store(session, game.id, stored_fits.Fitted.of(rated.fit, rated.competitors))
    _store_rating_changes(session, rated, played, ratings)
    promoted = apply_rules(session, rated)
    lines.store(session)
    notify_owners(session, game, places, places_of_board(rated))
    _write_history(session, rated)
    _publish(session, rated, played)
    row.results = counted + (0 if row.stale else row.results)
    row.stale = False
    row.seat_elo = rated.fit.seat * ELO_PER_LOGIT
    row.draw_nu, row.dispersion = rated.fit.draw_nu, rated.fit.dispersion
    row.matchup_variance, row.prior_variance = rated.fit.matchup_variance, rated.fit.prior_variance
    row.refitted_at = session.scalar(select(func.clock_timestamp()))
    # The ladder rests for a multiple of it: a machine that slept in the middle, or was busy, must not prolong that.
    row.refit_s = time.process_time() - cpu_before_s
    session.flush()
    if memory is not None:
        memory.keep(row, tally, everything)
    return Refit(counted, row.results, len(rated.competitors), time.perf_counter() - started_s, promoted)


def _everything(
    session: Session, game: Game, before: _Counted | None, tally: Tally, played: Played, *, anew: bool
) -> tuple[Tally, Played | None]:
    """All that is counted now: tallies, and of a game of many the results. `tally`, `played`: what this refit adds."""
    if anew:
        return tally.only(tally.games > 0), None if game.for_two else played
    if before is not None:
        return before.tally.plus(tally), None if before.played is None else before.played.plus(played)
    return tallies.read(session, game), None if game.for_two else tallies.results(session, game)


def _write_ratings(rated: Rated) -> None:
    elo = np.round(rated.fit.elo(rated.anchor, standings.STARTER_RATING), DIGITS)
    on_board = {rated.index[one.id] for one in rated.on_board}
    guests = rated.fit.guests
    if guests is not None and not guests[list(on_board)].all():
        # Whoever is no guest must not see an interval that guests change.
        on_board = {index for index in on_board if not guests[index]}
    deviations = np.round(rated.fit.deviations(np.array(sorted(on_board), dtype=np.int64)), DIGITS)
    all_elo, all_deviations, spent = elo.tolist(), deviations.tolist(), rated.spent.tolist()
    variances = np.round(rated.fit.variances, DIGITS).tolist()
    for submission_id, standing in rated.standings.items():
        index = rated.index[submission_id]
        standing.rating, standing.deviation = all_elo[index], all_deviations[index]
        standing.variance, standing.spent = variances[index], spent[index]
        competitor = rated.standings[standing.competitor_id]
        if competitor is not standing:
            standing.games, standing.wins, standing.draws = competitor.games, competitor.wins, competitor.draws
            standing.losses, standing.consecutive_faults = competitor.losses, competitor.consecutive_faults


def _store_rating_changes(session: Session, rated: Rated, played: Played, before: Mapping[int, float]) -> None:
    """Stores for each seat the rating that it had, and the effect of this match alone on it."""
    if not len(played):
        return
    match = played.match
    seat = np.arange(len(match)) - played.begin[match]
    columns.stage(
        session,
        "staged_change",
        SeatResult,
        {
            "match_id": played.match_id[match],
            "seat": seat,
            "rating": np.array([before[one] for one in played.competitor.tolist()]),
            "rating_change": _changes(rated, played),
        },
    )
    session.execute(
        text(
            "UPDATE seat_result SET rating = new.rating, rating_change = NULLIF(new.rating_change, 'NaN'), "
            "submission_id = CASE WHEN new.rating_change <> 'NaN' THEN match_seat.submission_id END "
            "FROM staged_change new JOIN match_seat USING (match_id, seat) "
            "WHERE seat_result.match_id = new.match_id AND seat_result.seat = new.seat"
        )
    )


def _changes(rated: Rated, played: Played) -> rating.FloatArray:
    """Of each seat, Elo. NaN of repeats, and in games of teams: members share what theirs did."""
    found = np.full(len(played.competitor), np.nan)
    if rated.game.free_for_all:
        counted = ~played.repeat[played.match]
        ranked, seat = as_they_are(played, nodes_of(rated.index, played.competitor))
        found[seat] = influences.changes_of_many(rated.fit, ranked, rated.ranked)
        found[_beside_own(rated, played)] = 0
        return np.asarray(np.where(counted, found, np.nan))
    if not rated.game.for_two:
        return found
    pairs = Pairs.of(rated.game, played)
    counted = ~played.repeat[pairs.match]
    first_id, second_id = pairs.first[counted], pairs.second[counted]
    first, second = nodes_of(rated.index, first_id), nodes_of(rated.index, second_id)
    moved = influences.changes(
        rated.fit, rated.counts, first, second, pairs.half_points[counted] / 2, weighed=rated.weighed
    )
    match = played.match
    for who, elo in ((first_id, moved[:, 0]), (second_id, moved[:, 1])):
        of_match, by = np.zeros(len(played), np.int64), np.full(len(played), np.nan)
        of_match[pairs.match[counted]], by[pairs.match[counted]] = who, elo
        found = np.where(played.competitor == of_match[match], by[match], found)
    return found


def _beside_own(rated: Rated, played: Played) -> rating.BoolArray:
    """Seats of matches in which another bot of the same owner played: they weigh nothing for either."""
    owners = rated.owners[nodes_of(rated.index, played.competitor)]
    _, at, many = np.unique(np.stack((played.match, owners)), axis=1, return_inverse=True, return_counts=True)
    beside: rating.BoolArray = (many[at.ravel()] > 1) & (owners != HOUSE)
    return beside


def _write_history(session: Session, rated: Rated) -> None:
    """Adds a line for each version on the board whose last line is out of date, and for those that left it."""
    last = _last_lines(session, rated.game)
    ids = [one.id for one in rated.on_board if one.id in last]
    new: list[tuple[Line, bool]] = []
    for submission_id in ids:
        standing, (was_live, league, elo, deviation) = rated.standings[submission_id], last[submission_id]
        if not was_live or league != standing.league or _moved(standing, elo, deviation):
            new.append((standing, True))
    left = sorted(last.keys() - set(ids))
    new += [(rated.standings[one], False) for one in left if last[one][0]]
    record_histories(session, rated.game.id, new)


def _last_lines(session: Session, game: Game) -> dict[int, tuple[bool | None, int, float, float]]:
    """Live submission -> whether its last line of history was live, league, rating, deviation; all null without one."""
    newest = (
        select(StandingHistory.live, StandingHistory.league, StandingHistory.rating, StandingHistory.deviation)
        .where(StandingHistory.submission_id == Submission.id)
        .order_by(StandingHistory.id.desc())
        .limit(1)
        .lateral()
    )
    live_now = (Submission.game == game.id) & (Submission.state == SubmissionState.LIVE)
    rows = session.execute(select(Submission.id, newest).outerjoin(newest, true()).where(live_now))
    return {row[0]: (row[1], row[2], row[3], row[4]) for row in rows}


def _moved(standing: Line, elo: float, deviation: float) -> bool:
    return max(abs(standing.rating - elo), abs(standing.deviation - deviation)) >= HISTORY_STEP_ELO


def _publish(session: Session, rated: Rated, played: Played) -> None:
    """Publishes which lines of the board changed: those of the versions that played."""
    competitors = set(played.competitor.tolist())
    changed = [one.id for one in rated.on_board if rated.standings[one.id].competitor_id in competitors]
    live.publish_all(session, rated.game.id, "standing", changed)
