"""Marks: how sure it is that somebody's version of the deadline is stronger than each rung.

Theory of operation. A mark is about the version that was live at somebody's own deadline. Its strength follows from the
rated results until then, and from matches that were played for the mark; nothing that happened later on the ladder
changes it. So marks can be made again, by whoever does it and whenever, with the same outcome. For each deadline there
is one fit of the whole ladder (`ladder.past`), made while no transaction is open.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from random import Random
from typing import TYPE_CHECKING, cast

from sqlalchemy import ColumnElement, delete, exists, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from hexarena.backend import audit, notices
from hexarena.backend.classes import assignments, life
from hexarena.backend.classes.assignments import MarkedOwner
from hexarena.backend.duels.fixtures import draw, is_paired, seating
from hexarena.backend.errors import Conflict, Invalid
from hexarena.backend.ladder import boards, standings
from hexarena.backend.matches import life as matches
from hexarena.backend.models import (
    PENDING,
    Assignment,
    AssignmentRung,
    Bot,
    Class,
    ClassMember,
    Job,
    Mark,
    Match,
    MatchKind,
    MatchState,
    Standing,
    Submission,
    SubmissionState,
    User,
)
from hexarena.backend.rating.elo import ELO_PER_LOGIT
from hexarena.backend.runtime import locks
from hexarena.backend.runtime.db import Database
from hexarena.games.catalogue import find_game

if TYPE_CHECKING:
    from hexarena.backend.ladder.past import More, PastLadder
    from hexarena.backend.rating.fit import Fit

MOST_GAMES_EACH = 200
MOST_GAMES = 50_000
DIGITS = 6
NO_BOT = "No bot of this game."
NOT_LIVE = "No version of it was on the ladder at the deadline."
CHECKED = "An upload that came in time is still being checked."
BEEN_LIVE = (SubmissionState.LIVE, SubmissionState.SUPERSEDED, SubmissionState.DISABLED)


@dataclass(frozen=True, slots=True)
class RungMark:
    """One version against one rung. `stronger`: the probability that it is stronger.

    `elo`: by how much, with its 95 % interval `low`, `high`. `games`: counted ones between the two.
    """

    position: int
    name: str
    stronger: float
    elo: float
    low: float
    high: float
    games: int


@dataclass(frozen=True, slots=True)
class _Due:
    """An owner whose deadline is over. `versions`: those of their bots that count; `problem`: why there are none."""

    owner: MarkedOwner
    due_at: datetime
    versions: tuple[int, ...]
    problem: str | None


@dataclass(frozen=True, slots=True)
class _Work:
    """All that marks are made from. `ladders`: deadline -> the ladder then.

    `extra`: owner -> what was played for their mark, also by versions of other deadlines. `next_at`: the assignment's,
    when it was read. `anew`: by the roster of now.
    """

    rungs: Sequence[AssignmentRung]
    due: Sequence[_Due]
    ladders: Mapping[datetime, PastLadder]
    extra: Mapping[int, More]
    next_at: datetime | None
    anew: bool


def is_any_due() -> ColumnElement[bool]:
    """Whether a deadline of some assignment is over and its marks are not made yet."""
    return exists(select(Assignment.id).where(Assignment.next_at <= func.now()))


def due(session: Session) -> list[int]:
    """The assignments whose marks are to be made now."""
    playing = select(Job.match_id).join(Match, Match.id == Job.match_id).join(Mark, Mark.id == Match.mark_id)
    whose = or_(Submission.user_id == ClassMember.user_id, Submission.user_id == ClassMember.team_id)
    checked = select(Submission.id).join(ClassMember, whose).where(ClassMember.class_id == Assignment.class_id)
    waiting = checked.where(Submission.state.in_(PENDING), Submission.created_at <= Assignment.next_at)
    query = select(Assignment.id).where(
        Assignment.next_at <= func.now(),
        ~playing.where(Mark.assignment_id == Assignment.id).exists(),
        ~waiting.exists(),
        ~locks.is_held_since(locks.AdvisoryLock.UPLOADS, Assignment.next_at),
    )
    return list(session.scalars(query.order_by(Assignment.id)))


def mark(database: Database, assignment_id: int, *, anew: bool = False) -> int:
    """Makes the marks of everybody whose deadline is over. Returns how many it made or deleted; 0 if the assignment is
    gone.

    `anew`: by the roster of now, also where somebody left a team or the class since their mark was made.
    """
    with database.transaction() as session:
        work = _read(session, assignment_id, anew=anew)
    if work is None:
        return 0
    made = [row for due_at, ladder in work.ladders.items() for row in _marks(work, due_at, ladder)]
    with database.transaction() as session:
        return _write(session, assignment_id, work, made)


# --- Which version ----------------------------------------------------------------------------------------------------


def _read(session: Session, assignment_id: int, *, anew: bool = False) -> _Work | None:
    from hexarena.backend.ladder import past  # noqa: PLC0415 - scipy takes long to load, and few processes mark

    row = session.get(Assignment, assignment_id, populate_existing=True)
    if row is None:
        return None
    found, now = session.get_one(Class, row.class_id), session.execute(select(func.now())).scalar_one()
    game, rungs = find_game(found.game), assignments.rungs(session, row.id)
    owners = _owners(session, row, anew=anew)
    due_at = _deadlines(session, row, owners)
    over = [_due(session, game.id, one, due_at[one.owner_id]) for one in owners if due_at[one.owner_id] <= now]
    of_rungs = {one.submission_id for one in rungs}
    ladders = {
        moment: past.read(session, game, moment, also=of_rungs.union(*(one.versions for one in over)))
        for moment in sorted({one.due_at for one in over})
    }
    marks = session.scalars(select(Mark).where(Mark.assignment_id == row.id)).all()
    extra = {one.owner_id: past.for_mark(session, game, one.id) for one in marks}
    played = {owner_id: more for owner_id, more in extra.items() if len(more.played)}
    return _Work(rungs, over, ladders, played, row.next_at, anew)


def _owners(session: Session, row: Assignment, *, anew: bool) -> list[MarkedOwner]:
    """Whose marks are made. Unless `anew`, who has a mark already keeps it, whatever team they are in by now."""
    today = assignments.marked_owners(session, row.class_id)
    if anew:
        return today
    query = select(Mark.owner_id, Mark.members).where(Mark.assignment_id == row.id)
    before: dict[int, list[int]] = dict(session.execute(query).all())
    marked = {member for members in before.values() for member in members}
    joined = {
        one.owner_id: (*before.get(one.owner_id, ()), *(member for member in one.members if member not in marked))
        for one in today
    }
    return [MarkedOwner(owner_id, members) for owner_id, members in joined.items() if members]


def _deadlines(session: Session, row: Assignment, owners: Sequence[MarkedOwner]) -> Mapping[int, datetime]:
    """Owner -> their own deadline."""
    hours = assignments.extensions(session, row.id)
    return {one.owner_id: row.deadline + timedelta(hours=hours.get(one.owner_id, 0)) for one in owners}


def _due(session: Session, game: str, owner: MarkedOwner, due_at: datetime) -> _Due:
    bots = session.scalars(
        select(Bot.id).where(Bot.owner_id == owner.owner_id, Bot.game == game, Bot.name_key.is_not(None))
    ).all()
    if not bots:
        return _Due(owner, due_at, (), NO_BOT)
    in_time = Submission.bot_id.in_(bots) & (Submission.created_at <= due_at)
    pending = session.scalar(select(Submission.id).where(in_time, Submission.state.in_(PENDING)).limit(1))
    versions = tuple(found for bot in bots if (found := version_at(session, bot, due_at)) is not None)
    if pending is not None:
        return _Due(owner, due_at, (), CHECKED)
    return _Due(owner, due_at, versions, None if versions else NOT_LIVE)


def version_at(session: Session, bot_id: int, moment: datetime) -> int | None:
    """The version of a bot that was on the ladder then, or the newest that was received by then and came onto it.

    An upload counts that was received in time, however long its check took.
    """
    # Of those that were received by then and came onto the ladder later, none was on the board, but they count.
    counts = func.coalesce(standings.was_on_board(moment), True)
    query = (
        select(Submission.id)
        .join(Standing, Standing.submission_id == Submission.id)
        .where(Submission.bot_id == bot_id, Submission.created_at <= moment, Submission.state.in_(BEEN_LIVE))
        # Whose owner is away leaves the board, but not the ladder.
        .where(counts | (Submission.state == SubmissionState.LIVE))
        .order_by(counts.desc(), Submission.version.desc())
    )
    return session.scalar(query.limit(1))


# --- How strong -------------------------------------------------------------------------------------------------------


def _marks(work: _Work, due_at: datetime, ladder: PastLadder) -> list[dict[str, object]]:
    """The rows of those with this deadline."""
    mine = [one for one in work.due if one.due_at == due_at]
    before = ladder.games()
    for one in mine:
        if one.owner.owner_id in work.extra:
            ladder = ladder.with_more(work.extra[one.owner.owner_id])
    fitted, games = ladder.fitted(), ladder.games()
    elo, deviations = ladder.ratings(fitted)
    rows: list[dict[str, object]] = []
    for one in mine:
        row: dict[str, object] = {
            "owner_id": one.owner.owner_id,
            "members": list(one.owner.members),
            "due_at": due_at,
            "submission_id": None,
            "problem": one.problem,
            "rating": None,
            "deviation": None,
            "games": 0,
            "extra_games": 0,
            "rungs": [],
        }
        if one.versions:
            best = max(one.versions, key=lambda version: (elo[ladder.index[version]], -version))
            node = ladder.index[best]
            total, of_ladder = games[frozenset({node})], before[frozenset({node})]
            row |= {
                "submission_id": best,
                "rating": round(float(elo[node]), DIGITS),
                "deviation": round(float(deviations[node]), DIGITS),
                "games": of_ladder,
                "extra_games": total - of_ladder,
            }
            row["rungs"] = [asdict(_rung_mark(ladder, fitted, node, rung, games)) for rung in work.rungs]
        rows.append(row)
    return rows


def _rung_mark(
    ladder: PastLadder,
    fitted: Fit,
    node: int,
    rung: AssignmentRung,
    games: Mapping[frozenset[int], int],
) -> RungMark:
    other = ladder.index[rung.submission_id]
    elo = float(fitted.strengths[node] - fitted.strengths[other]) * ELO_PER_LOGIT
    low, high = boards.interval(elo, fitted.deviation_of_difference(node, other))
    return RungMark(
        position=rung.position,
        name=rung.name,
        stronger=round(fitted.stronger(node, other), DIGITS),
        elo=round(elo, DIGITS),
        low=round(low, DIGITS),
        high=round(high, DIGITS),
        games=0 if node == other else games.get(frozenset({node, other}), 0),
    )


def _write(session: Session, assignment_id: int, work: _Work, made: Sequence[dict[str, object]]) -> int:
    """Stores the marks of those whose deadline is the same as when it was read: a fit takes its time."""
    query = select(Assignment).where(Assignment.id == assignment_id).with_for_update()
    row = session.scalar(query.execution_options(populate_existing=True))
    if row is None:
        return 0
    # An owner who got late days after being marked keeps the mark until the next one.
    due_at = _deadlines(session, row, _owners(session, row, anew=work.anew))
    deleted = 0
    if work.anew:
        gone = (Mark.assignment_id == row.id) & Mark.owner_id.not_in(due_at)
        life.end_games(session, gone)
        deleted = len(session.scalars(delete(Mark).where(gone).returning(Mark.id)).all())
    made = [one for one in made if due_at.get(cast(int, one["owner_id"])) == one["due_at"]]
    first = _without_a_mark(session, row.id, made)
    if made:
        new = insert(Mark)
        kept = {name: new.excluded[name] for name in made[0] if name != "owner_id"}
        session.execute(
            new.on_conflict_do_update(
                index_elements=["assignment_id", "owner_id"], set_={**kept, "marked_at": func.now()}
            ),
            [{"assignment_id": row.id, **one} for one in made],
        )
    if made:
        row.marked_at = func.now()
    # Otherwise somebody asked for something meanwhile, and the marks are made again for it.
    if row.next_at == work.next_at:
        written = {one["owner_id"] for one in made}
        waits = any(one["problem"] == CHECKED for one in made)
        later = min((moment for owner, moment in due_at.items() if owner not in written), default=None)
        row.next_at = func.now() if waits else later
    session.flush()
    notices.marked(session, first, session.get_one(Class, row.class_id).game, row.id)
    return len(made) + deleted


def _without_a_mark(session: Session, assignment_id: int, made: Sequence[dict[str, object]]) -> Sequence[int]:
    """The users among these who have had no mark of the assignment until now."""
    query = select(Mark.owner_id).where(Mark.assignment_id == assignment_id, Mark.problem.is_distinct_from(CHECKED))
    marked = set(session.scalars(query))
    new = (one for one in made if one["problem"] != CHECKED and one["owner_id"] not in marked)
    members = [member for one in new for member in cast(list[int], one["members"])]
    return session.scalars(select(ClassMember.user_id).where(ClassMember.id.in_(members))).all()


# --- More games -------------------------------------------------------------------------------------------------------


def play_more(session: Session, user: User, class_id: int, assignment_id: int, *, games: int) -> int:
    """Queues matches of each marked version against each rung; when they are over, marks are made again.

    `games`: of each two, in whole trials. Returns how many matches were queued. Raises: NotFound, Conflict, Invalid.
    """
    found = life.own(session, user, class_id, lock=True)
    row = assignments.by_id(session, found, assignment_id, lock=True)
    if row.marked_at is None:
        raise Conflict("There are no marks yet.", expected="an assignment with marks", got=row.name)
    if not 1 <= games <= MOST_GAMES_EACH:
        raise Invalid("Too many games.", expected=f"1 to {MOST_GAMES_EACH} against each rung", got=str(games))
    game, rungs = find_game(found.game), assignments.rungs(session, row.id)
    paired = is_paired(game)
    fixtures = games + games % 2 if paired else games
    competitor = _competitors(session, row)
    with_code = Submission.id.in_([one.submission_id for one in rungs]) & Submission.source_sha256.is_not(None)
    targets = session.scalars(select(Submission.id).where(with_code).order_by(Submission.id)).all()
    planned = [
        (mark_id, version, rung_id)
        for mark_id, version in _playable(session, row)
        for rung_id in targets
        if competitor.get(version) != competitor.get(rung_id)
    ]
    if len(planned) * fixtures > MOST_GAMES:
        got = f"{len(planned) * fixtures:,}"
        raise Invalid("This is too many matches.", expected=f"at most {MOST_GAMES:,} at once", got=got)
    random = Random(secrets.randbits(64))
    for mark_id, version, rung_id in planned:
        for fixture in draw(seed=random.getrandbits(63), paired=paired, games=fixtures):
            sides = seating(game, fixture)
            matches.schedule(
                session,
                game=game.id,
                kind=MatchKind.MARKING,
                submission_ids=[(version, rung_id)[side] for side in sides],
                seed=fixture.seed,
                league=game.top_level,
                mark_id=mark_id,
            )
    if planned:
        assignments.request_marks(session, row.id)
    audit.record(
        session, user, "play for marks", None, class_id=found.id, assignment=row.id, matches=len(planned) * fixtures
    )
    return len(planned) * fixtures


def _playable(session: Session, row: Assignment) -> list[tuple[int, int]]:
    """(mark, its version), of all whose code is still there."""
    query = (
        select(Mark.id, Submission.id)
        .join(Submission, Submission.id == Mark.submission_id)
        .where(Mark.assignment_id == row.id, Submission.source_sha256.is_not(None))
        .order_by(Mark.id)
    )
    return [(mark_id, version) for mark_id, version in session.execute(query)]


def _competitors(session: Session, row: Assignment) -> Mapping[int, int]:
    of_marks = select(Mark.submission_id).where(Mark.assignment_id == row.id)
    of_rungs = select(AssignmentRung.submission_id).where(AssignmentRung.assignment_id == row.id)
    query = select(Standing.submission_id, Standing.competitor_id)
    query = query.where(Standing.submission_id.in_(of_marks) | Standing.submission_id.in_(of_rungs))
    return dict(session.execute(query).all())


def marks(session: Session, assignment_id: int) -> Sequence[Mark]:
    """All, the strongest first, then those without a version."""
    query = select(Mark).where(Mark.assignment_id == assignment_id)
    return session.scalars(query.order_by(Mark.rating.desc().nulls_last(), Mark.id)).all()


def playing(session: Session, assignment_id: int) -> int:
    """How many matches for the marks are not over."""
    query = select(func.count()).select_from(Match).join(Mark, Mark.id == Match.mark_id)
    unfinished = Match.state.in_((MatchState.QUEUED, MatchState.RUNNING))
    return session.scalar(query.where(Mark.assignment_id == assignment_id, unfinished)) or 0


def postpone(session: Session, assignment_id: int) -> None:
    """Marks that could not be made are not tried again until somebody asks for it."""
    session.execute(update(Assignment).where(Assignment.id == assignment_id).values(next_at=None))
