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
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest
from typing import Any

import numpy as np
import structlog
from numpy.typing import NDArray
from sqlalchemy import func, select, text, true
from sqlalchemy.orm import Session

from hexarena.backend import notices
from hexarena.backend.errors import NotFound
from hexarena.backend.ladder import columns, fits, placement, priors, rules, standings, tallies
from hexarena.backend.ladder.lines import Line, Lines, record_histories
from hexarena.backend.ladder.notifying import Place, notify_owners
from hexarena.backend.ladder.played import Pairs, Played, Tally, as_they_are, rankings
from hexarena.backend.matches import live
from hexarena.backend.models import (
    Bot,
    Ladder,
    League,
    MatchSeat,
    NoticeKind,
    SeatResult,
    Standing,
    StandingHistory,
    Submission,
    SubmissionState,
    TrialState,
    User,
    UserKind,
)
from hexarena.backend.rating import fit as rating, influences
from hexarena.backend.rating.elo import ELO_PER_LOGIT
from hexarena.backend.runtime.db import allow_long_transaction
from hexarena.games.contract import Game
from hexarena.games.house import STARTER_BOT

log = structlog.get_logger()
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
class Shown:
    """A submission that the board shows."""

    id: int
    bot_id: int | None
    user_id: int


@dataclass(frozen=True, slots=True)
class Known:
    """What all certainly know of a league's boss, shape (n,): of each competitor its games against it, either way.

    `beaten`: P(the competitor is stronger); `exhausted`: more games would only repeat earlier ones, whoever begins.
    """

    beaten: rating.FloatArray
    games: rating.IntArray
    exhausted: rating.BoolArray


@dataclass(frozen=True, slots=True)
class Rated:
    """A game's ladder with its fit. `index`: submission -> place of its competitor in the fit's arrays.

    `weighed`: the counts as the fit sees them; `repeats`: matches that were not counted, in rows as in the counts.
    `spent`: competitors whose matches against everybody on the board would only repeat earlier ones.
    `on_board`: the submissions that it shows, from the top. `bosses`: league -> boss, where it has one.
    """

    game: Game
    standings: Mapping[int, Line]
    competitors: tuple[int, ...]
    counts: rating.Counts
    weighed: rating.Counts
    repeats: rating.IntArray
    spent: rating.BoolArray
    fit: rating.Fit
    anchor: int | None
    on_board: tuple[Shown, ...]
    bosses: Mapping[int, Shown]
    top_league: int
    index: Mapping[int, int]

    def stronger(self, one: int, other: int) -> float:
        """P(submission `one` is stronger than `other`)."""
        return self.fit.stronger(self.index[one], self.index[other])

    def met(self, boss: int) -> Known:
        """What is known of the submission `boss`."""
        them, counts, nodes = self.index[boss], self.counts, len(self.competitors)
        games, known = np.zeros(nodes, np.int64), np.ones(nodes, np.bool_)
        for mine, theirs in ((counts.first, counts.second), (counts.second, counts.first)):
            rows = np.flatnonzero(theirs == them)
            played, repeats = counts.games[rows], self.repeats[rows]
            games[mine[rows]] += played.astype(np.int64)
            repeated = np.zeros(nodes, np.bool_)
            repeated[mine[rows]] = rules.only_repeats_each(played, repeats)
            known &= repeated
        everybody = np.arange(nodes)
        return Known(self.fit.stronger_each(everybody, np.full(nodes, them)), games, known)

    def certainty(self, members: rating.IntArray) -> tuple[rating.FloatArray, rating.FloatArray]:
        """The strengths of some competitors, and their covariance, or their variances where there is none."""
        variances, covariance = self.fit.variances[members], self.fit.covariance
        if covariance is None:
            return self.fit.strengths[members], variances
        among = covariance[np.ix_(members, members)]
        among[np.diag_indices(len(members))] = variances
        return self.fit.strengths[members], among

    def league(self, position: int) -> list[Line]:
        """The live standings of a league, from its top."""
        found = [self.standings[one.id] for one in self.on_board if self.standings[one.id].league == position]
        return sorted(found, key=lambda one: (one.rating, one.submission_id), reverse=True)


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
    lines = Lines.read(session, game.id)
    before = None if memory is None else memory.counted(row)
    row.refits += 1
    if row.stale:
        row.recount = row.refits
        tallies.reset_counts(lines.by_id.values())
        played, fresh = tallies.reset_and_list_all(session, game)
        new = np.isin(played.match_id, np.fromiter(fresh, np.int64, len(fresh)))
    else:
        played = tallies.pop_pending(session, game)
        new = np.ones(len(played), np.bool_)
    played = tallies.mark_repeats(session, game, played, anew=row.stale)
    tally = Tally.of(game, played)
    tallies.add_pairs(session, game, tally, anew=row.stale, refit=row.refits)
    tally, everything = _everything(session, game, before, tally, played, anew=row.stale)
    tallies.add_games(game, lines.by_id, played)
    tallies.add_places(session, game, played)
    counted, played = len(played), played.only(new)
    tallies.add_faults(lines.by_id, played)
    ratings = {line.submission_id: line.rating for line in lines.by_id.values()}
    rated = _rate(session, game, lines.by_id, tally, everything)
    places = _places(rated)
    _write_ratings(rated)
    fits.store(session, game.id, fits.Fitted.of(rated.fit, rated.competitors))
    _store_rating_changes(session, rated, played, ratings)
    promoted = _apply_rules(session, rated)
    lines.store(session)
    notify_owners(session, game, places, _places(rated))
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


def rate(session: Session, game: Game, *, known: rating.Fit | None = None) -> Rated:
    """Fits the model to the current tallies. Writes nothing. `known`: a fit, used if it has as many competitors."""
    session.flush()
    lines = Lines.read(session, game.id)
    competitors = sum(one.competitor_id == one.submission_id for one in lines.by_id.values())
    fitted = known if known is not None and len(known.strengths) == competitors else None
    everything = tallies.results(session, game) if fitted is None and not game.for_two else None
    return _rate(session, game, lines.by_id, tallies.read(session, game), everything, known=fitted)


def _everything(
    session: Session, game: Game, before: _Counted | None, tally: Tally, played: Played, *, anew: bool
) -> tuple[Tally, Played | None]:
    """All that is counted now: tallies, and of a game of many the results. `tally`, `played`: what this refit adds."""
    if anew:
        return tally.only(tally.games > 0), None if game.for_two else played
    if before is not None:
        return before.tally.plus(tally), None if before.played is None else before.played.plus(played)
    return tallies.read(session, game), None if game.for_two else tallies.results(session, game)


def _rate(
    session: Session,
    game: Game,
    everybody: Mapping[int, Line],
    tally: Tally,
    everything: Played | None,
    *,
    known: rating.Fit | None = None,
) -> Rated:
    competitors = tuple(one.submission_id for one in everybody.values() if one.competitor_id == one.submission_id)
    place = {competitor: index for index, competitor in enumerate(competitors)}
    parents = np.array(
        [place.get(everybody[competitor].parent_id or 0, -1) for competitor in competitors], dtype=np.int64
    )
    counts = counts_of(tally, place)
    bots, owners, guests = owners_of(session, game, place, everybody)
    parents = with_siblings(parents, owners)
    weighed = counts.shared_out(bots, owners)
    earlier = priors.of_season_before(session, game.id, competitors)
    if known is not None:
        fitted = known
    elif everything is not None:
        ranked = rankings(game, everything, places_of(place, everything.competitor))
        fitted = rating.fit_teams(len(competitors), ranked, parents, guests=guests, earlier=earlier)
    else:
        fitted = rating.fit(len(competitors), weighed, parents, guests=guests, earlier=earlier)
    # A caller without the ladder's lock may see a version that came after the standings were read.
    on_board = tuple(one for one in _board(session, game) if one.id in everybody)
    leagues = select(League.boss_bot_id, League.position).where(League.game == game.id)
    guarded: dict[int | None, int] = dict(session.execute(leagues).all())
    bosses = {guarded[one.bot_id]: one for one in on_board if one.bot_id in guarded}
    shown = np.array(sorted({place[everybody[one.id].competitor_id] for one in on_board}), np.int64)
    return Rated(
        game,
        everybody,
        competitors,
        counts,
        weighed,
        tally.repeats,
        _spent(counts, tally.repeats, owners, shown),
        fitted,
        anchor_of(session, game, place),
        on_board,
        bosses,
        max(guarded.values(), default=1),
        {one.submission_id: place[one.competitor_id] for one in everybody.values()},
    )


def with_siblings(parents: rating.IntArray, owners: rating.IntArray) -> rating.IntArray:
    """An owner's later bots follow his first one, so that a new name is no new roll of the dice. -1: the house's."""
    first: dict[int, int] = {}
    found = parents.copy()
    for node, owner in enumerate(owners.tolist()):
        oldest = first.setdefault(owner, node)
        if parents[node] < 0 and owner != rules.HOUSE and oldest != node:
            found[node] = oldest
    return found


def _spent(
    counts: rating.Counts, repeats: rating.IntArray, owners: rating.IntArray, board: rating.IntArray
) -> rating.BoolArray:
    """Who on the board has nothing new to show against anybody whom it may meet there. `owners`: -1 is the house."""
    known = rules.only_repeats_each(counts.games, repeats)
    nodes, there = len(owners), np.zeros(len(owners), np.bool_)
    there[board] = True
    house = owners == rules.HOUSE
    of_owner = np.unique(owners, return_inverse=True)[1]
    # It meets neither itself nor others of its owner; the house's bots meet each other.
    own = np.where(house, 1, np.bincount(of_owner[board], minlength=nodes)[of_owner])
    one, other = counts.first[known], counts.second[known]
    both_ways = np.isin(one * nodes + other, other * nodes + one)
    may_meet = there[one] & there[other] & ((owners[one] != owners[other]) | house[one])
    left = len(board) - own - np.bincount(one[both_ways & may_meet], minlength=nodes)
    spent = np.zeros(len(owners), np.bool_)
    # Alone on the board, a bot has nobody to learn from yet.
    if len(board) > 1:
        spent[board] = left[board] <= 0
    return spent


def owners_of(
    session: Session, game: Game, place: Mapping[int, int], everybody: Mapping[int, Line]
) -> tuple[rating.IntArray, rating.IntArray, rating.BoolArray]:
    """Of each competitor: its bot, its owner (-1: the house), and whether all that share it are guests."""
    bots, owners = np.zeros((2, len(place)), np.int64)
    guests = np.ones(len(place), np.bool_)
    rows = session.execute(
        select(Submission.id, Submission.bot_id, User.id, User.kind, User.was_guest)
        .join(User, User.id == Submission.user_id)
        .where(Submission.id.in_(select(Standing.submission_id).where(Standing.game == game.id)))
        .order_by(Submission.id.desc())
    )
    for submission_id, bot_id, user_id, kind, was_guest in rows:
        if submission_id not in everybody:
            continue
        node = place[everybody[submission_id].competitor_id]
        # In descending order: the first submission of a code comes last, and its owner stays.
        bots[node], owners[node] = bot_id or 0, rules.HOUSE if kind == UserKind.HOUSE else user_id
        guests[node] &= kind == UserKind.GUEST or was_guest
    return np.unique(bots, return_inverse=True)[1], owners, guests


def _board(session: Session, game: Game) -> list[Shown]:
    """Who is on the board, from its top."""
    rows = session.execute(
        select(Submission.id, Submission.bot_id, Submission.user_id)
        .join(Standing, Standing.submission_id == Submission.id)
        .join(User, User.id == Submission.user_id)
        .where(standings.on_board(game.id))
        .order_by(Standing.league.desc(), Standing.rating.desc(), Submission.id.desc())
    )
    return [Shown(*row) for row in rows]


def tallied(
    session: Session, game: Game, place: Mapping[int, int], only: Collection[int] | None = None
) -> tuple[rating.Counts, rating.IntArray]:
    """The tallies, and how many repeats each of their rows has. `only`: those of these competitors."""
    tally = tallies.read(session, game, only)
    return counts_of(tally, place), tally.repeats


def counts_of(tally: Tally, place: Mapping[int, int]) -> rating.Counts:
    return rating.Counts(
        places_of(place, tally.first),
        places_of(place, tally.second),
        tally.games.astype(np.float64),
        tally.half_points.astype(np.float64) / 2,
        tally.draws.astype(np.float64),
    )


def places_of(place: Mapping[int, int], ids: NDArray[Any]) -> rating.IntArray:
    """Raises: KeyError, for a competitor that has no place."""
    different, row = np.unique(ids, return_inverse=True)
    return np.array([place[one] for one in different.tolist()], np.int64)[row]


def anchor_of(session: Session, game: Game, place: Mapping[int, int]) -> int | None:
    """The first version of the house's starter: its rating is 1000 for ever, so that numbers keep their meaning."""
    first = session.scalar(
        select(func.min(Submission.id))
        .join(Bot, Bot.id == Submission.bot_id)
        .join(Standing, Standing.submission_id == Submission.id)
        .where(
            Bot.game == game.id,
            Bot.name == STARTER_BOT,
            Standing.game == game.id,
            Standing.competitor_id == Submission.id,
        )
    )
    return None if first is None else place[first]


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
        ranked, seat = as_they_are(played, places_of(rated.index, played.competitor))
        found[seat] = influences.changes_of_many(rated.fit, ranked)
        return np.asarray(np.where(counted, found, np.nan))
    if not rated.game.for_two:
        return found
    pairs = Pairs.of(rated.game, played)
    counted = ~played.repeat[pairs.match]
    first_id, second_id = pairs.first[counted], pairs.second[counted]
    first, second = places_of(rated.index, first_id), places_of(rated.index, second_id)
    moved = influences.changes(rated.fit, rated.weighed, first, second, pairs.half_points[counted] / 2)
    match = played.match
    for who, elo in ((first_id, moved[:, 0]), (second_id, moved[:, 1])):
        of_match, by = np.zeros(len(played), np.int64), np.full(len(played), np.nan)
        of_match[pairs.match[counted]], by[pairs.match[counted]] = who, elo
        found = np.where(played.competitor == of_match[match], by[match], found)
    return found


def _apply_rules(session: Session, rated: Rated) -> int:
    """Ends placements, promotes and disables as the ratings require. Returns how many moved up."""
    promoted = 0
    known = {league: rated.met(boss.id) for league, boss in rated.bosses.items()}
    for position in range(1, rated.top_league + 1):
        league = rated.league(position)
        members = np.array([rated.index[one.submission_id] for one in league], dtype=np.int64)
        _update_placements(rated, league, members)
        for standing in league:
            promoted += _update_league(rated, known, standing)
    board = sorted((rated.standings[one.id] for one in rated.on_board), key=_board_order, reverse=True)
    _update_comparisons(rated, known, board)
    for submission in rated.on_board:
        standing = rated.standings[submission.id]
        if rules.must_be_disabled(standing.consecutive_faults):
            problem = rules.disabled_problem(standing.consecutive_faults, _last_fault(session, submission.id))
            record_histories(session, rated.game.id, [(standing, False)])
            standings.disable(session, submission.id, problem)
            notices.stopped(session, submission.id, NoticeKind.DISABLED)
    return promoted


def _places(rated: Rated) -> list[Place]:
    """The lines of the board, in the order of what the standings say now."""
    owners = {one.id: one.user_id for one in rated.on_board}
    board = sorted((rated.standings[one] for one in owners), key=_board_order, reverse=True)
    return [Place(one.submission_id, owners[one.submission_id], one.league, one.placing) for one in board]


def _board_order(standing: Line) -> tuple[int, float, int]:
    """A sort key: the board's order, ascending."""
    return standing.league, standing.rating, standing.submission_id


def _last_fault(session: Session, submission_id: int) -> str:
    """The kind of the newest fault."""
    query = (
        select(SeatResult.fault)
        .join(MatchSeat, (MatchSeat.match_id == SeatResult.match_id) & (MatchSeat.seat == SeatResult.seat))
        .where(MatchSeat.submission_id == submission_id, SeatResult.fault.is_not(None))
        .order_by(SeatResult.match_id.desc())
        .limit(1)
    )
    return session.scalar(query) or "fault"


def _update_placements(rated: Rated, league: Sequence[Line], members: rating.IntArray) -> None:
    """Updates who is placed, and of the others, about how many games are left until they are. `members`: as nodes."""
    guards = {(position, boss.id) for position, boss in rated.bosses.items()}
    who = [at for at, one in enumerate(league) if one.placing and (one.league, one.submission_id) not in guards]
    if not who:
        return
    strengths, uncertainty = rated.certainty(members)
    found = placement.placements(strengths, uncertainty, np.array(who), dispersion=rated.fit.dispersion)
    for at, probability, games in zip(who, *[one.tolist() for one in found], strict=True):
        standing = league[at]
        standing.placing = not (rules.placed(probability, standing.games) or standing.spent)
        standing.games_left = games


def _update_comparisons(rated: Rated, known: Mapping[int, Known], board: Sequence[Line]) -> None:
    """Updates the comparisons with its boss and with the next on the board, after promotions. `board`: from the top."""
    nodes = np.array([rated.index[one.submission_id] for one in board], np.int64)
    above_next = rated.fit.stronger_each(nodes[:-1], nodes[1:]).tolist()
    apart = placement.games_to_tell_each_apart(rated.fit, nodes[:-1], nodes[1:]).tolist()
    beaten = {league: one.beaten.tolist() for league, one in known.items()}
    for standing, node, above, games in zip_longest(board, nodes.tolist(), above_next, apart):
        boss = rated.bosses.get(standing.league)
        standing.beats_boss = None if boss is None else beaten[standing.league][node]
        standing.above_next = above
        if not standing.placing or (boss is not None and boss.id == standing.submission_id):
            standing.games_left = games


def _update_league(rated: Rated, known: Mapping[int, Known], standing: Line) -> int:
    """Applies the rules of leagues and trials. Returns 1 if it moves up, else 0."""
    me, node = standing.submission_id, rated.index[standing.submission_id]
    if any(boss.id == me for boss in rated.bosses.values()):
        return 0
    climber = rules.Climber(
        league=standing.league,
        league_games=rules.MOST_GAMES if standing.spent else standing.games - standing.league_from,
        placing=standing.placing,
        trial="open" if standing.trial == TrialState.OPEN else "stays",
        bosses={
            league: rules.Boss(float(boss.beaten[node]), int(boss.games[node]), bool(boss.exhausted[node]))
            for league, boss in known.items()
        },
    )
    league = min(rules.league_after(climber), rated.top_league)
    if league == standing.league:
        standing.trial = TrialState.OPEN if rules.trial_after(climber) == "open" else TrialState.STAYS
        return 0
    log.info("league changed", game=rated.game.id, submission=me, old=standing.league, new=league)
    promoted = league > standing.league
    standing.league, standing.league_from, standing.trial = league, standing.games, TrialState.OPEN
    return int(promoted)


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
