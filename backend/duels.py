"""Duels on the server: begun by a user, supplied with matches and counted by the dispatcher, decided by `backend.duel`.

Theory of operation. The list of a duel's matches follows from its seed (`backend.fixtures`). A few of them are always
in the queue, next ones first. Trials are counted strictly in the order of that list, and the first one after which the
test decides ends the duel, so the verdict follows from the results alone, not from which of them came first. Only
`keep_going` counts: it holds the duel's row, sees all that is committed, and can be called at any time and repeated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest

from sqlalchemy import ColumnElement, SmallInteger, func, select, type_coerce
from sqlalchemy.orm import InstrumentedAttribute, Session, joinedload

from backend import duel, live, matches, workers
from backend.db import notify
from backend.duel import Preset
from backend.errors import Conflict, Forbidden, Invalid, NotFound, TooMany, Unavailable
from backend.fixtures import Fixture, draw, in_whole_trials, is_paired, seating
from backend.models import (
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
from games.catalogue import all_games, find_game
from games.contract import Game

RUNNING_PER_USER = 2
RUNNING_AT_ALL = 20
"""In the whole arena: anybody may be a guest."""
PLAYING = (SubmissionState.LIVE, SubmissionState.SUPERSEDED)
"""States of a version that may be in a new duel: it is on the ladder, or was."""
LEAST_AHEAD = 4
"""Matches of a duel in the queue, however few workers there are."""
AHEAD_PER_SLOT = 2
REPLAYS = 3
"""Of a match that is void, before its duel gives up."""


@dataclass(frozen=True, slots=True)
class Played:
    """A match of a duel. `game`: its number there, from 0. `points`: of the first version, once it is done."""

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
    one_id: int,
    other_id: int,
    preset: Preset,
    games: int,
    league: int,
    seed: int,
) -> Duel:
    """A duel of two versions, anybody's. `games`: at most, 1 to `duel.MOST_GAMES`. `league`: rules level.

    Raises: Invalid, NotFound, Conflict (a version that was never on the ladder), TooMany, Unavailable.
    """
    if one_id == other_id:
        raise Invalid("A duel takes two.", expected="two different versions", got=f"submission {one_id} twice")
    for submission_id in (one_id, other_id):
        _check_entrant(session, game, submission_id)
    _limit(session, user)
    paired = is_paired(game)
    begun = Duel(
        game=game.id,
        requested_by_id=user.id,
        one_id=one_id,
        other_id=other_id,
        league=league,
        preset=preset,
        paired=paired,
        seed=seed,
        most_games=in_whole_trials(games, paired=paired),
        state=DuelState.RUNNING,
        counts=list(duel.no_trials(paired)),
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
        got = f"a version of {found.title}, which plays {find_game(found.game).title}"
        raise Invalid("This version plays another game.", expected=f"one that plays {game.title}", got=got)
    if found.state not in PLAYING:
        expected = "a version that is or was on the ladder"
        got = f"version {found.version} of {found.title}, which is {found.state}"
        raise Conflict("This version cannot be in a duel.", expected=expected, got=got)
    able = workers.languages(session)
    if able and found.language not in able:
        expected = f"one of {', '.join(sorted(able))}"
        raise Unavailable("No worker that is up can run this version.", expected=expected, got=found.language)


def _limit(session: Session, user: User) -> None:
    """A user's requests take turns, so that many at once are not too many together."""
    session.execute(select(User.id).where(User.id == user.id).with_for_update())
    mine = (Duel.requested_by_id == user.id) & (Duel.state == DuelState.RUNNING)
    count = session.scalar(select(func.count()).select_from(Duel).where(mine)) or 0
    if count >= RUNNING_PER_USER:
        expected = f"fewer than {RUNNING_PER_USER} running duels of yours"
        raise TooMany("Wait until an earlier duel is over, or cancel it.", expected=expected, got=str(count))
    everybody = session.scalar(select(func.count()).where(Duel.state == DuelState.RUNNING)) or 0
    if everybody >= RUNNING_AT_ALL:
        expected = f"fewer than {RUNNING_AT_ALL} running duels in the arena"
        raise TooMany("Wait until some duels are over.", expected=expected, got=str(everybody))


def cancel(session: Session, user: User, duel_id: int) -> Duel:
    """Ends a duel before it is decided; what was counted stays. Repeating it changes nothing.

    Raises: NotFound, Forbidden (somebody else's), Conflict (it is over).
    """
    found = _locked(session, duel_id)
    if found is None:
        raise NotFound(f"There is no duel {duel_id}.")
    if found.requested_by_id != user.id:
        raise Forbidden("Only whoever began a duel can cancel it.")
    if found.state == DuelState.RUNNING:
        _end(session, found, DuelState.CANCELLED, "Its duel was cancelled.")
    elif found.state != DuelState.CANCELLED:
        raise Conflict(
            "This duel is over.", expected="one that is running", got=f"duel {duel_id}, which is {found.state}"
        )
    return found


def not_built(session: Session, match_id: int, submission_id: int, problem: str) -> None:
    """A seat's code could not be built in this match: a duel that it belongs to ends, and says why."""
    duel_id = session.scalar(select(Match.duel_id).where(Match.id == match_id))
    found = None if duel_id is None else _locked(session, duel_id)
    if found is None or found.state != DuelState.RUNNING:
        return
    version = session.scalars(
        select(Submission).where(Submission.id == submission_id).options(joinedload(Submission.bot))
    ).one()
    _give_up(session, found, f"Version {version.version} of {version.title} cannot be built any more. {problem}")


def _locked(session: Session, duel_id: int) -> Duel | None:
    query = select(Duel).where(Duel.id == duel_id).with_for_update()
    return session.scalar(query.execution_options(populate_existing=True))


# --- What the dispatcher does ----------------------------------------------------------------------------------------


def keep_going(session: Session, slots: int) -> int:
    """Counts what was played, ends what is decided, and queues what comes next. Returns how many matches it queued.

    Of several callers, one at a time looks after a duel. `slots`: how many matches the workers can play at once.
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
            _give_up(session, one, "Its game is not part of this arena any more.")
            continue
        _count(session, one, played[one.id])
        _give_up_on_voids(session, one, played[one.id])
        if one.state == DuelState.RUNNING:
            wanted.append([(one, fixture) for fixture in _missing(one, played[one.id], ahead)])
    in_turn = [found for found in chain.from_iterable(zip_longest(*wanted)) if found is not None]
    for one, fixture in in_turn:
        _schedule(session, one, fixture)
    return len(in_turn)


def _uncounted(session: Session, duel_ids: Collection[int]) -> dict[int, list[Played]]:
    """Duel -> its matches from the first one on that has not been counted, in the order of their numbers."""

    def rank_of(submission_id: InstrumentedAttribute[int]) -> ColumnElement[int]:
        return func.min(SeatResult.rank).filter(MatchSeat.submission_id == submission_id)

    number = type_coerce(Match.duel_game, SmallInteger)  # never null in a duel's match
    query = (
        select(
            Duel.id,
            number,
            Match.state,
            Match.void_reason,
            rank_of(Duel.one_id),
            rank_of(Duel.other_id),
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
    found: dict[int, list[Played]] = {duel_id: [] for duel_id in duel_ids}
    for duel_id, game, state, void_reason, rank, other_rank, digest in session.execute(query):
        points = None if rank is None or other_rank is None else duel.points(rank, other_rank)
        found[duel_id].append(Played(game, state, void_reason, points, digest or ""))
    return found


def _count(session: Session, one: Duel, played: Sequence[Played]) -> None:
    """Counts whole trials in their order, up to the first that is not over or that ends the duel."""
    points = {match.game: match.points for match in played if match.points is not None}
    digests = {match.game: match.digest for match in played if match.points is not None}
    counted_before = one.trials
    while one.state == DuelState.RUNNING:
        numbers = range(one.games, one.games + len(duel.trial_seats(one.paired, one.trials)))
        if any(number not in points for number in numbers):
            break
        trial = [points[number] for number in numbers]
        counts = duel.with_trial(one.counts, trial)
        one.counts = list(counts)
        one.trials += 1
        one.wins += trial.count(1.0)
        one.draws += trial.count(0.5)
        one.losses += trial.count(0.0)
        one.digests = list(dict.fromkeys([*one.digests, *(digests[number] for number in numbers)]))[: duel.FEW + 1]
        verdict = duel.verdict(counts, margin_elo=duel.MARGIN_ELO[one.preset])
        if verdict != "open" or one.repeats or one.games >= one.most_games:
            one.verdict = verdict
            _end(session, one, DuelState.DONE, "Its duel was decided without it.")
            return
    if one.trials > counted_before:
        session.flush()
        live.publish(session, one.game, "duel", one.id)


def _give_up_on_voids(session: Session, one: Duel, played: Sequence[Played]) -> None:
    """A match that is void again and again ends its duel; the first one in the list says why."""
    if one.state != DuelState.RUNNING:
        return
    there = _not_void(played)
    voids = Counter(match.game for match in played if match.game not in there)
    worst = next((game for game in sorted(voids) if voids[game] > REPLAYS), None)
    if worst is not None:
        *_, last = (match for match in played if match.game == worst)
        _give_up(session, one, f"Match {worst + 1} was void {voids[worst]} times. {last.void_reason}")


def _not_void(played: Sequence[Played]) -> set[int]:
    """The numbers that need not be played again."""
    return {match.game for match in played if match.state != MatchState.VOID}


def _missing(one: Duel, played: Sequence[Played], ahead: int) -> list[Fixture]:
    """What is to be queued, so that `ahead` matches are in the queue as long as there are so many in the list."""
    there = _not_void(played)
    waiting = sum(match.state in {MatchState.QUEUED, MatchState.RUNNING} for match in played)
    rest = islice(draw(seed=one.seed, paired=one.paired, games=one.most_games), one.games, None)
    return list(islice((fixture for fixture in rest if fixture.number - 1 not in there), max(0, ahead - waiting)))


def _schedule(session: Session, one: Duel, fixture: Fixture) -> None:
    versions = (one.one_id, one.other_id)
    matches.schedule(
        session,
        game=one.game,
        kind=MatchKind.DUEL,
        submission_ids=[versions[bot] for bot in seating(find_game(one.game), fixture)],
        seed=fixture.seed,
        league=one.league,
        duel_id=one.id,
        duel_game=fixture.number - 1,
    )


def _give_up(session: Session, one: Duel, why: str) -> None:
    one.void_reason = why
    _end(session, one, DuelState.VOID, "Its duel could not go on.")


def _end(session: Session, one: Duel, state: DuelState, why: str) -> None:
    """`why`: for the pages of its matches that will not be played."""
    one.state = state
    one.finished_at = func.clock_timestamp()
    session.flush()
    matches.call_off_duel(session, one.id, why)
    live.publish(session, one.game, "duel", one.id)
