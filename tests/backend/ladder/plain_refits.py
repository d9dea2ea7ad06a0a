"""What a refit does, computed the plain way: one row after the other, by the rules as they are written.

Slow, and nothing but a yardstick: `test_refits.py` holds that the ladder's own refit changes the same rows likewise.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from sqlalchemy import BigInteger, Float, SmallInteger, bindparam, func, select, update
from sqlalchemy.orm import Session, joinedload

from hexarena.backend import notices
from hexarena.backend.ladder import placement, rules, standings, stored_fits
from hexarena.backend.ladder.notifying import Place, notify_owners
from hexarena.backend.matches import live
from hexarena.backend.models import (
    Bot,
    Ladder,
    League,
    MatchSeat,
    NoticeKind,
    PairTally,
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
from hexarena.games.contract import Game
from hexarena.games.house import STARTER_BOT
from tests.backend.ladder import plain_tallies as tallies
from tests.backend.ladder.plain_tallies import RatedResult

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
class Rated:
    """A game's ladder with its fit. `index`: submission -> place of its competitor in the fit's arrays.

    `weighed`: the counts as the fit sees them; `repeats`: matches that were not counted, in rows as in the counts.
    `spent`: competitors whose matches against everybody on the board would only repeat earlier ones.
    `on_board`: the submissions that it shows, from the top. `bosses`: league -> boss, where it has one.
    """

    game: Game
    standings: Mapping[int, Standing]
    competitors: tuple[int, ...]
    counts: rating.Counts
    weighed: rating.Counts
    repeats: rating.IntArray
    owners: rating.IntArray
    spent: rating.BoolArray
    fit: rating.Fit
    anchor: int | None
    on_board: tuple[Submission, ...]
    bosses: Mapping[int, Submission]
    top_league: int
    index: Mapping[int, int]

    def stronger(self, one: int, other: int) -> float:
        """P(submission `one` is stronger than `other`)."""
        return self.fit.stronger(self.index[one], self.index[other])

    def between(self, one: int, other: int) -> tuple[int, float]:
        """Counted games of two submissions against each other, and the points of the first of them."""
        me, them, counts = self.index[one], self.index[other], self.counts
        first, second = ((counts.first == a) & (counts.second == b) for a, b in ((me, them), (them, me)))
        games = counts.games[first].sum() + counts.games[second].sum()
        points = counts.points[first].sum() + counts.games[second].sum() - counts.points[second].sum()
        return int(games), float(points)

    def exhausted(self, one: int, other: int) -> bool:
        """Whether more matches of two submissions would only repeat earlier ones, whoever begins."""
        me, them, counts = self.index[one], self.index[other], self.counts
        rows = [(counts.first == a) & (counts.second == b) for a, b in ((me, them), (them, me))]
        return all(rules.only_repeats(counts.games[row].sum(), self.repeats[row].sum()) for row in rows)

    def certainty(self, members: rating.IntArray) -> tuple[rating.FloatArray, rating.FloatArray]:
        """The strengths of some competitors, and their covariance, or their variances where there is none."""
        covariance = self.fit.covariance
        variances = self.fit.variances[members]
        if covariance is None:
            return self.fit.strengths[members], variances
        among = covariance[np.ix_(members, members)]
        return self.fit.strengths[members], among - np.diag(among.diagonal()) + np.diag(variances)

    def league(self, position: int) -> list[Standing]:
        """The live standings of a league, from its top."""
        found = [self.standings[one.id] for one in self.on_board if self.standings[one.id].league == position]
        return sorted(found, key=lambda one: (one.rating, one.submission_id), reverse=True)


def refit(session: Session, game: Game) -> Refit:
    """Counts pending results, or all of them if the ladder is stale, and refits all ratings."""
    return _refit(session, game, session.get_one(Ladder, game.id))


def _refit(session: Session, game: Game, row: Ladder) -> Refit:
    started_s, cpu_before_s = time.perf_counter(), time.process_time()
    everybody = _standings(session, game)
    row.refits += 1
    if row.stale:
        row.recount = row.refits
        tallies.reset_counts(everybody.values())
        played, fresh = tallies.reset_and_list_all(session, game)
        new = [one for one in played if one.match_id in fresh]
    else:
        new = played = tallies.pop_pending(session, game)
    played = tallies.mark_repeats(session, game, played, anew=row.stale)
    tallies.add_pairs(session, game, played, refit=row.refits)
    tallies.add_games(game, everybody, played)
    for one in everybody.values() if row.stale else ():
        games = everybody[one.competitor_id].games
        one.league_from, one.entered_with = min(one.league_from, games), min(one.entered_with, games)
    tallies.add_faults(everybody, new)
    before = {standing.submission_id: standing.rating for standing in everybody.values()}
    rated = rate(session, game)
    places = _places(rated)
    _write_ratings(rated)
    stored_fits.store(session, game.id, stored_fits.Fitted.of(rated.fit, rated.competitors))
    repeats = {one.match_id for one in played if one.repeat}
    _store_rating_changes(session, rated, [replace(one, repeat=one.match_id in repeats) for one in new], before)
    promoted = _apply_rules(session, rated)
    notify_owners(session, game, places, _places(rated))
    _write_history(session, rated)
    _publish(session, rated, new)
    row.results = len(played) + (0 if row.stale else row.results)
    row.stale = False
    row.seat_elo = rated.fit.seat * ELO_PER_LOGIT
    row.draw_nu, row.dispersion = rated.fit.draw_nu, rated.fit.dispersion
    row.matchup_variance, row.prior_variance = rated.fit.matchup_variance, rated.fit.prior_variance
    row.refitted_at = session.scalar(select(func.clock_timestamp()))
    # The ladder rests for a multiple of it: a machine that slept in the middle, or was busy, must not prolong that.
    row.refit_s = time.process_time() - cpu_before_s
    session.flush()
    return Refit(len(played), row.results, len(rated.competitors), time.perf_counter() - started_s, promoted)


def _standings(session: Session, game: Game) -> dict[int, Standing]:
    rows = session.scalars(
        select(Standing)
        .where(Standing.game == game.id, ~Standing.settled)
        .order_by(Standing.submission_id)
        .execution_options(populate_existing=True)
    )
    return {row.submission_id: row for row in rows}


def rate(session: Session, game: Game) -> Rated:
    """Fits the model to the current tallies. Writes nothing."""
    session.flush()
    everybody = _standings(session, game)
    competitors = tuple(one.submission_id for one in everybody.values() if one.competitor_id == one.submission_id)
    place = {competitor: index for index, competitor in enumerate(competitors)}
    counts, repeats = tallied(session, game, place)
    bots, owners, guests = _owners(session, game, place, everybody)
    parents = _parents(everybody, place, owners)
    weighed = counts.shared_out(bots, owners)
    if not game.for_two:
        ranked = _rankings(session, game, place).shared_out(bots, owners)
        fitted = rating.fit_teams(len(competitors), ranked, parents, guests=guests)
    else:
        fitted = rating.fit(len(competitors), weighed, parents, guests=guests)
    # A caller without the ladder's lock may see a version that came after the standings were read.
    on_board = tuple(one for one in _board(session, game) if one.id in everybody)
    guarded = dict(session.execute(select(League.boss_bot_id, League.position).where(League.game == game.id)).all())
    bosses = {guarded[one.bot_id]: one for one in on_board if one.bot_id in guarded}
    return Rated(
        game,
        everybody,
        competitors,
        counts,
        weighed,
        repeats,
        owners,
        _spent(counts, repeats, owners, np.array(sorted({place[everybody[one.id].competitor_id] for one in on_board}))),
        fitted,
        _anchor(session, game, place),
        on_board,
        bosses,
        max(guarded.values(), default=1),
        {one.submission_id: place[one.competitor_id] for one in everybody.values()},
    )


def _parents(everybody: Mapping[int, Standing], place: Mapping[int, int], owners: rating.IntArray) -> rating.IntArray:
    """The version before, where its code is the owner's too; else the owner's first bot, but for the house (-1)."""
    found = []
    for competitor, node in place.items():
        before = everybody.get(everybody[competitor].parent_id or 0)
        parent = None if before is None else place[before.competitor_id]
        mine = [other for other in range(len(place)) if owners[other] == owners[node]]
        if parent is not None and parent in mine:
            found.append(parent)
        else:
            found.append(-1 if mine[0] == node or owners[node] == rules.HOUSE else mine[0])
    return np.array(found, dtype=np.int64)


def _spent(
    counts: rating.Counts, repeats: rating.IntArray, owners: rating.IntArray, board: rating.IntArray
) -> rating.BoolArray:
    """Who on the board has nothing new to show against anybody whom it may meet there. `owners`: -1 is the house."""
    known = [rules.only_repeats(*row) for row in zip(counts.games.tolist(), repeats.tolist(), strict=True)]
    found = set(zip(counts.first[known].tolist(), counts.second[known].tolist(), strict=True))
    left = np.zeros(len(owners), np.int64)
    there = set(board.tolist())
    for one in there:
        mine = int((owners[board] == owners[one]).sum())
        left[one] = len(there) - (1 if owners[one] == rules.HOUSE else mine)
    for one, other in found:
        may_meet = owners[one] != owners[other] or owners[one] == rules.HOUSE
        if (other, one) in found and one in there and other in there and may_meet:
            left[one] -= 1
    spent = np.zeros(len(owners), np.bool_)
    # Alone on the board, a bot has nobody to learn from yet; without games, it has shown nothing.
    played = {*counts.first.tolist(), *counts.second.tolist()}
    for one in there:
        spent[one] = len(there) > 1 and left[one] <= 0 and one in played
    return spent


def _owners(
    session: Session, game: Game, place: Mapping[int, int], everybody: Mapping[int, Standing]
) -> tuple[rating.IntArray, rating.IntArray, rating.BoolArray]:
    """Of each competitor: its bot, its owner (-1: the house), and whether all that share it are guests."""
    by_competitor: dict[int, list[tuple[Submission, User]]] = {competitor: [] for competitor in place}
    rows = session.execute(select(Submission, User).join(User, User.id == Submission.user_id).order_by(Submission.id))
    for submission, user in rows:
        if submission.id in everybody:
            by_competitor[everybody[submission.id].competitor_id].append((submission, user))
    bots, owners, guests = [], [], []
    for competitor, node in place.items():
        sharing = by_competitor[competitor]
        house = [one for one in sharing if one[1].kind == UserKind.HOUSE]
        accounts = [one for one in sharing if one[1].kind != UserKind.GUEST and not one[1].was_guest]
        submission, user = (house or accounts or sharing)[0]
        live = [one.bot_id for one, _ in sharing if one.state == SubmissionState.LIVE]
        bots.append(-1 - node if live and submission.bot_id not in live else submission.bot_id or 0)
        owners.append(rules.HOUSE if house else user.id)
        guests.append(not accounts)
    return np.unique(bots, return_inverse=True)[1], np.array(owners), np.array(guests)


def _board(session: Session, game: Game) -> Sequence[Submission]:
    """Who is on the board, from its top."""
    return session.scalars(
        select(Submission)
        .options(joinedload(Submission.user))
        .join(Standing, Standing.submission_id == Submission.id)
        .join(User, User.id == Submission.user_id)
        .where(standings.on_board(game.id))
        .order_by(Standing.league.desc(), Standing.rating.desc(), Submission.id.desc())
    ).all()


def tallied(session: Session, game: Game, place: Mapping[int, int]) -> tuple[rating.Counts, rating.IntArray]:
    """The tallies, and how many repeats each of their rows has."""
    tally = (PairTally.first_id, PairTally.second_id, PairTally.games, PairTally.half_points, PairTally.draws)
    query = select(*tally, PairTally.repeats).where(PairTally.game == game.id)
    rows = session.execute(query.order_by(PairTally.first_id, PairTally.second_id)).all()
    if not rows:
        return rating.Counts.empty(), np.zeros(0, np.int64)
    first, second, games, half_points, draws, repeats = zip(*rows, strict=True)
    counts = rating.Counts(
        np.array([place[one] for one in first], dtype=np.int64),
        np.array([place[one] for one in second], dtype=np.int64),
        np.array(games, dtype=np.float64),
        np.array(half_points, dtype=np.float64) / 2,
        np.array(draws, dtype=np.float64),
    )
    return counts, np.array(repeats, dtype=np.int64)


def _rankings(session: Session, game: Game, place: Mapping[int, int]) -> rating.Rankings:
    """All counted results as teams and their places. Nothing is pending at this point."""
    games = []
    for one in sorted(tallies.results(session, game), key=lambda one: one.match_id):
        if one.repeat:
            continue
        teams: dict[int, tuple[list[int], int]] = {}
        for seat, competitor in enumerate(one.competitors):
            teams.setdefault(game.team(seat), ([], one.ranks[seat]))[0].append(place[competitor])
        games.append(list(teams.values()))
    return rating.Rankings.of(games)


def _anchor(session: Session, game: Game, place: Mapping[int, int]) -> int | None:
    """The first version of the house's starter: its rating is 1000 for ever, so that numbers keep their meaning."""
    first = session.scalar(
        select(func.min(Submission.id))
        .join(Bot, Bot.id == Submission.bot_id)
        .where(Bot.game == game.id, Bot.name == STARTER_BOT, Submission.id.in_(list(place)))
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
    for submission_id, standing in rated.standings.items():
        index = rated.index[submission_id]
        standing.rating, standing.deviation = float(elo[index]), float(deviations[index])
        standing.variance = float(np.round(rated.fit.variances[index], DIGITS))
        standing.spent = bool(rated.spent[index])
        competitor = rated.standings[standing.competitor_id]
        if competitor is not standing:
            standing.games, standing.wins, standing.draws = competitor.games, competitor.wins, competitor.draws
            standing.losses, standing.consecutive_faults = competitor.losses, competitor.consecutive_faults


def _store_rating_changes(
    session: Session, rated: Rated, played: Sequence[RatedResult], before: Mapping[int, float]
) -> None:
    """Stores for each seat the rating that it had, and the effect of this match alone on it."""
    changes = _changes(rated, played)
    of_played = MatchSeat.match_id.in_([one.match_id for one in played])
    seats = session.execute(select(MatchSeat.match_id, MatchSeat.seat, MatchSeat.submission_id).where(of_played))
    sat = {(match_id, seat): submission_id for match_id, seat, submission_id in seats}
    rows = [
        {
            "of_match": one.match_id,
            "of_seat": seat,
            "new_rating": before[competitor],
            "new_change": changes.get((one.match_id, competitor)),
            "new_submission": sat[one.match_id, seat] if (one.match_id, competitor) in changes else None,
        }
        for one in played
        for seat, competitor in enumerate(one.competitors)
    ]
    if rows:
        mine = (SeatResult.match_id == bindparam("of_match")) & (
            SeatResult.seat == bindparam("of_seat", type_=SmallInteger)
        )
        values = {
            "rating": bindparam("new_rating", type_=Float),
            "rating_change": bindparam("new_change", type_=Float),
            "submission_id": bindparam("new_submission", type_=BigInteger),
        }
        session.connection().execute(update(SeatResult).where(mine).values(values), rows)


def _changes(rated: Rated, played: Iterable[RatedResult]) -> dict[tuple[int, int], float]:
    """(match, competitor) -> Elo. Repeats have none; nor have free-for-alls: a team's members share what it did."""
    if max(rated.game.ladder_entrants) > 2:
        return {}
    pairs = [(one.match_id, *pair) for one in played if not one.repeat for pair in tallies.pairs(rated.game, one)]
    first = np.array([rated.index[pair[0]] for _, pair, _ in pairs], dtype=np.int64)
    second = np.array([rated.index[pair[1]] for _, pair, _ in pairs], dtype=np.int64)
    points = np.array([points for *_, points in pairs])
    moved = influences.changes(rated.fit, rated.counts, first, second, points, weighed=rated.weighed)
    return {
        (match_id, competitor): float(elo)
        for (match_id, pair, _), both in zip(pairs, moved, strict=True)
        for competitor, elo in zip(pair, both, strict=True)
    }


def _apply_rules(session: Session, rated: Rated) -> int:
    """Ends placements, promotes and disables as the ratings require. Returns how many moved up."""
    promoted = 0
    for position in range(1, rated.top_league + 1):
        league = rated.league(position)
        different = list(dict.fromkeys(rated.index[one.submission_id] for one in league))
        members = np.array(different, dtype=np.int64)
        for standing in league:
            _update_placement(rated, standing, members, different.index(rated.index[standing.submission_id]))
            promoted += _update_league(rated, standing)
    for submission in rated.on_board:
        standing, played = rated.standings[submission.id], _copied(rated, submission)
        if played is not None:
            standing.league, standing.league_from, standing.trial = played.league, played.league_from, played.trial
    board = sorted((rated.standings[one.id] for one in rated.on_board), key=_board_order, reverse=True)
    for place, standing in enumerate(board):
        others = (one for one in board[place:] if one.competitor_id != standing.competitor_id)
        _update_comparisons(rated, standing, next(others, None))
    for submission in rated.on_board:
        standing = rated.standings[submission.id]
        if rules.must_be_disabled(standing.consecutive_faults):
            fault, by = _last_fault(session, standing.competitor_id)
            problem = rules.disabled_problem(standing.consecutive_faults, fault, copy=by not in (None, submission.id))
            standings.record_history(session, standing, live_now=False)
            standings.disable(session, submission.id, problem)
            notices.stopped(session, submission.id, NoticeKind.DISABLED)
    return promoted


def _copied(rated: Rated, submission: Submission) -> Standing | None:
    """The line of the house bot that it is a copy of, the boss's if one is a boss."""
    if submission.user.kind == UserKind.HOUSE:
        return None
    competitor, bosses = rated.standings[submission.id].competitor_id, [boss.id for boss in rated.bosses.values()]
    house = [one.id for one in rated.on_board if one.user.kind == UserKind.HOUSE]
    same = [rated.standings[one] for one in house if rated.standings[one].competitor_id == competitor]
    guards = [one for one in same if one.submission_id in bosses]
    found = guards or same
    return found[-1] if found else None


def _places(rated: Rated) -> list[Place]:
    """The lines of the board, in the order of what the standings say now."""
    owners = {one.id: one.user_id for one in rated.on_board}
    board = sorted((rated.standings[one] for one in owners), key=_board_order, reverse=True)
    return [
        Place(one.submission_id, one.competitor_id, owners[one.submission_id], one.league, one.placing) for one in board
    ]


def _board_order(standing: Standing) -> tuple[int, float, int]:
    """A sort key: the board's order, ascending."""
    return standing.league, standing.rating, standing.submission_id


def _last_fault(session: Session, competitor_id: int) -> tuple[str, int | None]:
    """The kind of the newest fault of this code, and whose it was: a submission."""
    same = select(Standing.submission_id).where(Standing.competitor_id == competitor_id)
    query = (
        select(SeatResult.fault, MatchSeat.submission_id)
        .join(MatchSeat, (MatchSeat.match_id == SeatResult.match_id) & (MatchSeat.seat == SeatResult.seat))
        .where(MatchSeat.submission_id.in_(same), SeatResult.fault.is_not(None))
        .order_by(SeatResult.match_id.desc())
        .limit(1)
    )
    found = session.execute(query).one_or_none()
    return ("fault", None) if found is None else (found.fault or "fault", found.submission_id)


def _update_placement(rated: Rated, standing: Standing, members: rating.IntArray, rank: int) -> None:
    """Updates whether it is placed, and if not, about how many games are left until it is."""
    boss = rated.bosses.get(standing.league)
    if not standing.placing or (boss is not None and boss.id == standing.submission_id):
        return
    strengths, uncertainty = rated.certainty(members)
    probability = placement.placed_probability(strengths, uncertainty, rank)
    standing.placing = not (rules.placed(probability, standing.games) or standing.spent)
    standing.games_left = placement.games_to_place(strengths, uncertainty, rank, dispersion=rated.fit.dispersion)


def _update_comparisons(rated: Rated, standing: Standing, below: Standing | None) -> None:
    """Updates the comparisons with its boss and with the next on the board, after promotions."""
    me, boss = standing.submission_id, rated.bosses.get(standing.league)
    standing.beats_boss = None if boss is None else rated.stronger(me, boss.id)
    standing.above_next = None if below is None else rated.stronger(me, below.submission_id)
    if standing.placing and not (boss is not None and boss.id == me):
        return
    if below is None:
        standing.games_left = None
    else:
        standing.games_left = placement.games_to_tell_apart(
            rated.fit, rated.index[me], rated.index[below.submission_id]
        )


def _update_league(rated: Rated, standing: Standing) -> int:
    """Applies the rules of leagues and trials. Returns 1 if it moves up, else 0."""
    me = standing.submission_id
    bosses = [boss.id for boss in rated.bosses.values()]
    (shown,) = (one for one in rated.on_board if one.id == me)
    if me in bosses or _copied(rated, shown) is not None:
        return 0
    earlier: list[Standing] = []
    before, live = rated.standings.get(standing.parent_id or 0), [one.id for one in rated.on_board]
    while before is not None and before.league == standing.league and before.submission_id not in live:
        owners = [rated.owners[rated.index[one.submission_id]] for one in (before, standing)]
        if owners[0] != owners[1]:
            break
        known = {one.competitor_id for one in (standing, *earlier)}
        if before.competitor_id not in known:
            earlier.append(before)
        before = rated.standings.get(before.parent_id or 0)
    climber = rules.Climber(
        league=standing.league,
        league_games=rules.MOST_GAMES if standing.spent else standing.games - standing.league_from,
        placing=standing.placing,
        trial="open" if standing.trial == TrialState.OPEN else "stays",
        bosses={
            league: _boss(rated, me, boss.id, earlier if league < standing.league else [])
            for league, boss in rated.bosses.items()
        },
        earlier_games=sum(one.games - one.league_from for one in earlier),
    )
    league = min(rules.league_after(climber), rated.top_league)
    if league == standing.league:
        standing.trial = TrialState.OPEN if rules.trial_after(climber) == "open" else TrialState.STAYS
        return 0
    promoted = league > standing.league
    standing.league, standing.league_from, standing.trial = league, standing.games, TrialState.OPEN
    return int(promoted)


def _boss(rated: Rated, me: int, boss_id: int, earlier: Sequence[Standing]) -> rules.Boss:
    """A league's boss as the submission `me` sees it."""
    games, points = rated.between(me, boss_id)
    of_earlier = [rated.between(one.submission_id, boss_id) for one in earlier]
    before = sum(count for count, _ in of_earlier)
    lost = points < games / 2 and rules.surely_lost(games + before, points + sum(won for _, won in of_earlier))
    return rules.Boss(rated.stronger(me, boss_id), games, rated.exhausted(me, boss_id), lost, before)


def _write_history(session: Session, rated: Rated) -> None:
    """Adds a line for each version on the board whose last line is out of date, and for those that left it."""
    playing = (Submission.game == rated.game.id) & (Submission.state == SubmissionState.LIVE)
    live_ids = set(session.scalars(select(Submission.id).where(playing)))
    ids = [one.id for one in rated.on_board if one.id in live_ids]
    newest = select(func.max(StandingHistory.id)).where(StandingHistory.submission_id.in_(live_ids))
    last = {
        row.submission_id: row
        for row in session.scalars(
            select(StandingHistory).where(StandingHistory.id.in_(newest.group_by(StandingHistory.submission_id)))
        )
    }
    for submission_id in ids:
        standing, was = rated.standings[submission_id], last.get(submission_id)
        if was is None or not was.live or was.league != standing.league or _moved(standing, was):
            standings.record_history(session, standing, live_now=True)
    for submission_id in sorted(live_ids - set(ids)):
        if submission_id in last and last[submission_id].live:
            standings.record_history(session, rated.standings[submission_id], live_now=False)


def _moved(standing: Standing, was: StandingHistory) -> bool:
    step = max(abs(standing.rating - was.rating), abs(standing.deviation - was.deviation))
    return step >= HISTORY_STEP_ELO


def _publish(session: Session, rated: Rated, played: Sequence[RatedResult]) -> None:
    """Publishes which lines of the board changed: those of the versions that played."""
    competitors = {competitor for one in played for competitor in one.competitors}
    for submission in rated.on_board:
        if rated.standings[submission.id].competitor_id in competitors:
            live.publish(session, rated.game.id, "standing", submission.id)
