"""Duels on the server: started by a user, advanced by the dispatcher, decided by `rating.sprt`.

Theory of operation. A duel's fixtures follow from its seed (`duels.fixtures`). A few of them are always in the queue,
the next ones first. Trials are counted strictly in order, and the first one after which the test decides ends the duel,
so the verdict follows from the results alone, not from the order in which they came in. Only `advance_all` counts: it
locks the duel's row, sees everything that is committed, and can be called at any time and repeated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice, zip_longest

import structlog
from sqlalchemy import ColumnElement, SmallInteger, exists, func, or_, select, type_coerce
from sqlalchemy.orm import InstrumentedAttribute, Session, joinedload

from hexarena.backend import notices
from hexarena.backend.accounts.locks import lock
from hexarena.backend.duels.fixtures import Fixture, draw, entrants_of, in_whole_trials, is_paired, seating
from hexarena.backend.errors import Conflict, Forbidden, Invalid, NotFound, Quota, TooMany, Unavailable
from hexarena.backend.ladder.field import nearest
from hexarena.backend.matches import life as matches, live, workers
from hexarena.backend.matches.quotas import NO_QUOTAS, Quotas, check_budget, lock_network
from hexarena.backend.matches.shares import Budgets, share_of, spent
from hexarena.backend.models import (
    Duel,
    DuelState,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    Result,
    SeatResult,
    Submission,
    SubmissionState,
    User,
)
from hexarena.backend.rating import sprt
from hexarena.backend.rating.sprt import Preset
from hexarena.backend.runtime.db import notify
from hexarena.games.catalogue import all_games, find_game
from hexarena.games.contract import Game

log = structlog.get_logger()
FIELD = 8
"""Bots of the ladder among which the versions of a free-for-all play: those whose ratings are nearest to theirs."""
RUNNING_PER_USER = 2
RUNNING_PER_SHARE = 10
"""Running duels of one share: of all guests and new accounts of one network."""
RUNNING_AT_ALL = 200
"""Running duels in the whole arena. They keep nobody waiting (`matches.fair`), but each has matches in the queue."""
FIRST_ONES = 600
"""Running duels up to which somebody of whose share none is running may still start one: a few addresses that have as
many as they may keep nobody else from a first one."""
PLAYING = (SubmissionState.LIVE, SubmissionState.SUPERSEDED)
"""States in which a version may be in a new duel."""
LEAST_AHEAD = 4
"""Matches of a duel in the queue, at least, however few workers there are."""
AHEAD_PER_SLOT = 2
MOST_VOIDS = 3
"""Void matches of one fixture before the duel becomes void."""


@dataclass(frozen=True, slots=True)
class DuelMatch:
    """A match of a duel. `game`: its number there, from 0. `points`: of the candidate, once it is done."""

    game: int
    state: MatchState
    void_reason: str | None
    points: float | None
    digest: str


def start(
    session: Session,
    user: User,
    *,
    game: Game,
    candidate_id: int,
    baseline_id: int,
    preset: Preset,
    games: int,
    league: int,
    seed: int,
    quotas: Quotas = NO_QUOTAS,
) -> Duel:
    """Starts a duel of any two versions. `games`: at most, 1 to `sprt.MOST_GAMES`. `league`: rules level.

    Raises: Invalid, NotFound, Conflict (a version that was never on the ladder), TooMany, Unavailable.
    """
    if candidate_id == baseline_id:
        raise Invalid("A duel takes two.", expected="two different versions", got=f"submission {candidate_id} twice")
    for submission_id in (candidate_id, baseline_id):
        _check_entrant(session, game, submission_id)
    field = list(nearest(session, game, (candidate_id, baseline_id), FIELD)) if game.free_for_all else []
    try:
        entrants_of(game, len(field))
    except ValueError as error:
        raise Conflict("The ladder has too few other bots for a duel.", expected=str(error)) from None
    _limit(session, user)
    check_budget(session, user, quotas)
    paired = is_paired(game)
    begun = Duel(
        game=game.id,
        requested_by_id=user.id,
        candidate_id=candidate_id,
        baseline_id=baseline_id,
        league=league,
        preset=preset,
        paired=paired,
        seed=seed,
        most_games=in_whole_trials(games, paired=paired),
        field=field,
        state=DuelState.RUNNING,
        counts=list(sprt.no_trials(paired)),
    )
    session.add(begun)
    session.flush()
    live.publish(session, game.id, "duel", begun.id)
    notify(session, "hexarena_jobs")
    return begun


def _check_entrant(session: Session, game: Game, submission_id: int) -> None:
    found = session.scalar(select(Submission).where(Submission.id == submission_id).options(joinedload(Submission.bot)))
    if found is None or found.state == SubmissionState.DRAFT:
        raise NotFound(f"There is no version with the submission number {submission_id}.")
    if found.game != game.id:
        other = all_games().get(found.game)
        got = f"a version of {found.title}, which plays {found.game if other is None else other.title}"
        raise Invalid("This version plays another game.", expected=f"one that plays {game.title}", got=got)
    if found.source_sha256 is None:
        expected = "a version whose code its owner has not deleted"
        raise Conflict("This version cannot play any more.", expected=expected, got=f"version {found.version}")
    if found.state not in PLAYING:
        expected = "a version that is live, or was superseded"
        got = f"version {found.version} of {found.title}, which is {found.state}"
        raise Conflict("This version cannot be in a duel.", expected=expected, got=got)
    able = workers.languages(session)
    if able and found.language not in able:
        expected = f"one of {', '.join(sorted(able))}"
        raise Unavailable("No running worker can run this version.", expected=expected, got=found.language)


def _limit(session: Session, user: User) -> None:
    """Serialises the requests of a user and of a network, so that many at once cannot exceed the limit together."""
    lock(session, user)
    mine = (Duel.requested_by_id == user.id) & (Duel.state == DuelState.RUNNING)
    count = session.scalar(select(func.count()).select_from(Duel).where(mine)) or 0
    if count >= RUNNING_PER_USER:
        expected = f"fewer than {RUNNING_PER_USER} running duels of yours"
        raise TooMany(
            "Wait until an earlier duel is over, or cancel it.",
            expected=expected,
            got=str(count),
            quota=_at_once("duels-of-yours", RUNNING_PER_USER),
        )
    lock_network(session, user)
    share = share_of(user)
    running = _running_users(session)
    of_share = [one for one in running if share_of(one) == share]
    if len(of_share) >= RUNNING_PER_SHARE:
        expected = f"fewer than {RUNNING_PER_SHARE} running duels of your network"
        quota = _at_once("duels-of-network", RUNNING_PER_SHARE)
        raise TooMany("Wait until some duels are over.", expected=expected, got=str(len(of_share)), quota=quota)
    most = RUNNING_AT_ALL if of_share else FIRST_ONES
    if len(running) >= most:
        whose = "while others of your network are running" if of_share else "in the arena"
        raise TooMany(
            "Wait until some duels are over.",
            expected=f"fewer than {most} duels {whose}",
            got=str(len(running)),
            quota=_at_once("duels-of-arena", most),
        )


def _at_once(name: str, most: int) -> Quota:
    return Quota(name, most, unit="concurrent-requests")


def _running_users(session: Session) -> Sequence[User]:
    """Who asked for the running duels, once for each duel."""
    query = select(User).join(Duel, Duel.requested_by_id == User.id).where(Duel.state == DuelState.RUNNING)
    return session.scalars(query).all()


def cancel(session: Session, user: User, duel_id: int) -> Duel:
    """Ends a duel before it is decided; its counts stay. Idempotent.

    Raises: NotFound, Forbidden (somebody else's), Conflict (it is over).
    """
    found = _locked(session, duel_id)
    if found is None:
        raise NotFound(f"There is no duel {duel_id}.")
    if found.requested_by_id != user.id:
        raise Forbidden("Only the user who started a duel can cancel it.")
    if found.state == DuelState.RUNNING:
        _end(session, found, DuelState.CANCELLED, "The duel was cancelled.")
    elif found.state != DuelState.CANCELLED:
        raise Conflict(
            "This duel is over.", expected="one that is running", got=f"duel {duel_id}, which is {found.state}"
        )
    return found


def cancel_all_of(session: Session, user_id: int) -> None:
    """Cancels the running duels of somebody who goes. Whoever locks the user as well does this first, as rounds do."""
    running = (Duel.requested_by_id == user_id) & (Duel.state == DuelState.RUNNING)
    locked = select(Duel).where(running).order_by(Duel.id).with_for_update()
    for one in session.scalars(locked.execution_options(populate_existing=True)).all():
        _end(session, one, DuelState.CANCELLED, "The duel was cancelled.")


def lock_all_of(session: Session, user_id: int) -> None:
    """Locks the running duels of somebody whose row is locked next: a round that ends one of them tells its owner."""
    running = (Duel.requested_by_id == user_id) & (Duel.state == DuelState.RUNNING)
    session.scalars(select(Duel.id).where(running).order_by(Duel.id).with_for_update()).all()


def end_for_failed_build(session: Session, match_id: int, submission_id: int, problem: str) -> None:
    """Ends the duel that a match belongs to, if any, because the build of a seat's code failed.

    It continues without a bot of its field.
    """
    duel_id = session.scalar(select(Match.duel_id).where(Match.id == match_id))
    found = None if duel_id is None else _locked(session, duel_id)
    if found is None or found.state != DuelState.RUNNING:
        return
    if submission_id in found.field:
        _leave_out(session, found, {submission_id})
        return
    version = session.scalars(
        select(Submission).where(Submission.id == submission_id).options(joinedload(Submission.bot))
    ).one()
    _end_void(session, found, f"Version {version.version} of {version.title} can no longer be built. {problem}")


def end_for_deleted_code(session: Session, submission_ids: Collection[int]) -> None:
    """Ends the running duels of these versions, whose owner deleted their code; others continue without them."""
    theirs = Duel.candidate_id.in_(submission_ids) | Duel.baseline_id.in_(submission_ids)
    running = select(Duel).where(Duel.state == DuelState.RUNNING, theirs).order_by(Duel.id).with_for_update()
    for found in session.scalars(running.execution_options(populate_existing=True)).all():
        _end_void(session, found, "The code of one of its versions was deleted by its owner.")
    among = or_(*[Duel.field.contains([one]) for one in submission_ids])
    rest = select(Duel).where(Duel.state == DuelState.RUNNING, among).order_by(Duel.id).with_for_update()
    for found in session.scalars(rest.execution_options(populate_existing=True)).all():
        _leave_out(session, found, submission_ids)


def _leave_out(session: Session, one: Duel, submission_ids: Collection[int]) -> None:
    """Continues without some bots of the field, while there are enough of them."""
    one.field = [submission_id for submission_id in one.field if submission_id not in submission_ids]
    try:
        entrants_of(find_game(one.game), len(one.field))
    except ValueError as error:
        _end_void(session, one, f"Too few bots of its field can still play: {error}.")


def _locked(session: Session, duel_id: int) -> Duel | None:
    query = select(Duel).where(Duel.id == duel_id).with_for_update()
    return session.scalar(query.execution_options(populate_existing=True))


# --- What the dispatcher does ----------------------------------------------------------------------------------------


def is_any_running() -> ColumnElement[bool]:
    """Whether there is a duel to advance."""
    return exists(select(Duel.id).where(Duel.state == DuelState.RUNNING))


def advance_all(session: Session, slots: int, budgets: Budgets | None = None) -> int:
    """Counts new results, ends decided duels, and queues their next matches. Returns how many matches it queued.

    Only one of several callers at a time handles a duel. `slots`: how many matches the workers can play at once.
    `budgets`: duels of those who used up theirs are paused until there is more.
    """
    locked = select(Duel).where(Duel.state == DuelState.RUNNING).order_by(Duel.id).with_for_update(skip_locked=True)
    running = session.scalars(locked.execution_options(populate_existing=True)).all()
    if not running:
        return 0
    played = _uncounted(session, [one.id for one in running])
    ahead = max(LEAST_AHEAD, AHEAD_PER_SLOT * slots)
    wanted: list[list[tuple[Duel, Fixture]]] = []
    for one in running:
        if one.game not in all_games():
            _end_void(session, one, "Its game is no longer part of this arena.")
            continue
        _count(session, one, played[one.id])
        _end_if_often_void(session, one, played[one.id])
        if one.state == DuelState.RUNNING:
            wanted.append([(one, fixture) for fixture in _missing(one, played[one.id], ahead)])
    in_turn = [found for found in chain.from_iterable(zip_longest(*wanted)) if found is not None]
    shares = _shares(session, {one.requested_by_id for one, _ in in_turn}, budgets or Budgets())
    waiting = {one.id: shares[one.requested_by_id].again_at for one, _ in in_turn}
    for one in running:
        _pause(session, one, waiting.get(one.id))
    able = [(one, fixture) for one, fixture in in_turn if one.paused_until is None]
    queued = 0
    for one, fixture in able:
        if one.state == DuelState.RUNNING:
            queued += _schedule(session, one, fixture, shares[one.requested_by_id].name)
    return queued


def _uncounted(session: Session, duel_ids: Collection[int]) -> dict[int, list[DuelMatch]]:
    """Duel -> its matches from the first uncounted one on, by number."""

    def rank_of(submission_id: InstrumentedAttribute[int]) -> ColumnElement[int]:
        return func.min(SeatResult.rank).filter(MatchSeat.submission_id == submission_id)

    number = type_coerce(Match.duel_game, SmallInteger)  # never null in a duel's match
    query = (
        select(
            Duel.id,
            number,
            Match.state,
            Match.void_reason,
            rank_of(Duel.candidate_id),
            rank_of(Duel.baseline_id),
            Result.digest,
        )
        .join(Duel, Duel.id == Match.duel_id)
        .join(MatchSeat, MatchSeat.match_id == Match.id)
        .outerjoin(SeatResult, (SeatResult.match_id == MatchSeat.match_id) & (SeatResult.seat == MatchSeat.seat))
        .outerjoin(Result, Result.match_id == Match.id)
        .where(Duel.id.in_(duel_ids), number >= Duel.wins + Duel.draws + Duel.losses)
        .group_by(Match.id, Duel.id, Result.match_id)
        .order_by(number, Match.id)
    )
    found: dict[int, list[DuelMatch]] = {duel_id: [] for duel_id in duel_ids}
    for duel_id, game, state, void_reason, rank, other_rank, digest in session.execute(query):
        points = None if rank is None or other_rank is None else sprt.points(rank, other_rank)
        found[duel_id].append(DuelMatch(game, state, void_reason, points, digest or ""))
    return found


def _count(session: Session, one: Duel, played: Sequence[DuelMatch]) -> None:
    """Counts whole trials in their order, up to the first that is not over or that ends the duel."""
    points = {match.game: match.points for match in played if match.points is not None}
    digests = {match.game: match.digest for match in played if match.points is not None}
    counted_before = one.trials
    while one.state == DuelState.RUNNING:
        numbers = range(one.games, one.games + len(sprt.trial_seats(one.paired, one.trials)))
        if any(number not in points for number in numbers):
            break
        _add_trial(one, [points[number] for number in numbers], [digests[number] for number in numbers])
        verdict = sprt.verdict(one.counts, sprt.QUESTIONS[one.preset], repeats=one.repeats)
        if verdict != "open" or one.repeats or one.games >= one.most_games:
            one.verdict = verdict
            _end(session, one, DuelState.DONE, "The duel was decided without this match.")
            return
    if one.trials > counted_before:
        session.flush()
        live.publish(session, one.game, "duel", one.id)


def _add_trial(one: Duel, points: Sequence[float], digests: Sequence[str]) -> None:
    """`points`: of the candidate in each of the trial's matches; `digests`: of these matches."""
    one.counts = list(sprt.with_trial(one.counts, points))
    one.trials += 1
    one.wins += points.count(1.0)
    one.draws += points.count(0.5)
    one.losses += points.count(0.0)
    one.digests = list(dict.fromkeys([*one.digests, *digests]))[: sprt.FEW + 1]


def _end_if_often_void(session: Session, one: Duel, played: Sequence[DuelMatch]) -> None:
    """Ends the duel if a fixture was void too often; the first such one gives the reason."""
    if one.state != DuelState.RUNNING:
        return
    there = _not_void(played)
    voids = Counter(match.game for match in played if match.game not in there)
    worst = next((game for game in sorted(voids) if voids[game] > MOST_VOIDS), None)
    if worst is not None:
        *_, last = (match for match in played if match.game == worst)
        _end_void(session, one, f"Match {worst + 1} was void {voids[worst]} times. {last.void_reason}")


def _not_void(played: Sequence[DuelMatch]) -> set[int]:
    """The fixtures that need not be played again."""
    return {match.game for match in played if match.state != MatchState.VOID}


def _missing(one: Duel, played: Sequence[DuelMatch], ahead: int) -> list[Fixture]:
    """What to queue so that `ahead` matches are in the queue, as long as there are enough fixtures."""
    there = _not_void(played)
    waiting = sum(match.state in {MatchState.QUEUED, MatchState.RUNNING} for match in played)
    rest = islice(draw(seed=one.seed, paired=one.paired, games=one.most_games), one.games, None)
    return list(islice((fixture for fixture in rest if fixture.number - 1 not in there), max(0, ahead - waiting)))


@dataclass(frozen=True, slots=True)
class _Share:
    """Whom a user's matches count for. `again_at`: when it may play again; None: now."""

    name: str
    again_at: datetime | None


def _shares(session: Session, user_ids: Collection[int], budgets: Budgets) -> dict[int, _Share]:
    """User -> share."""
    users = session.scalars(select(User).where(User.id.in_(user_ids))).all()
    named = {user: share_of(user) for user in users}
    return {user.id: _Share(name, spent(session, name, budgets.of(user)).again_at) for user, name in named.items()}


def _pause(session: Session, one: Duel, until: datetime | None) -> None:
    """Says until when the duel waits for its user's CPU time; None: it continues."""
    if one.paused_until != until:
        one.paused_until = until
        session.flush()
        live.publish(session, one.game, "duel", one.id)


def _schedule(session: Session, one: Duel, fixture: Fixture, share: str) -> bool:
    """Whether it could: the game may be another version than the one that the duel was begun with."""
    versions = (one.candidate_id, one.baseline_id, *one.field)
    try:
        seats = seating(find_game(one.game), fixture, len(one.field))
    except Exception as error:
        # Neither other duels nor the arena's matches wait for it.
        log.exception("a duel cannot continue", duel_id=one.id)
        _end_void(session, one, f"The current version of the game cannot seat its bots: {str(error).rstrip('.')}.")
        return False
    matches.schedule(
        session,
        game=one.game,
        kind=MatchKind.DUEL,
        submission_ids=[versions[bot] for bot in seats],
        seed=fixture.seed,
        league=one.league,
        duel_id=one.id,
        duel_game=fixture.number - 1,
        share=share,
    )
    return True


def _end_void(session: Session, one: Duel, why: str) -> None:
    one.void_reason = why
    _end(session, one, DuelState.VOID, "The duel could not continue.")


def _end(session: Session, one: Duel, state: DuelState, why: str) -> None:
    """`why`: the void reason of its queued matches. Whoever began it gets a notice, unless it was cancelled."""
    one.state = state
    one.finished_at = func.clock_timestamp()
    one.paused_until = None
    session.flush()
    matches.void_queued_of_duel(session, one.id, why)
    live.publish(session, one.game, "duel", one.id)
    if state != DuelState.CANCELLED:
        notices.decided(session, one)
