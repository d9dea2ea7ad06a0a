"""Learn the game: lessons by simpler rules, each passed by a draft that wins 3 of 5 matches against the lesson's boss.

An attempt is a draft with five practice matches. Whether it passed follows from their results, so there is nothing to
keep in step; it moves and goes with its owner's drafts. Lessons are never required for anything.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from sqlalchemy import ColumnElement, Select, bindparam, func, select
from sqlalchemy.orm import Session, aliased

from hexarena.backend.errors import NotFound, Quota, TooMany, Unavailable
from hexarena.backend.matches import life as matches
from hexarena.backend.matches.quotas import NO_QUOTAS, Quotas
from hexarena.backend.matches.shares import share_of
from hexarena.backend.models import (
    Bot,
    Job,
    LessonAttempt,
    MatchKind,
    MatchSeat,
    SeatResult,
    Submission,
    SubmissionState,
    User,
)
from hexarena.backend.practice.played import PracticeMatch, played_by
from hexarena.backend.submissions import life as submissions
from hexarena.backend.submissions.seeding import find_house_bot
from hexarena.games.contract import Game, Lesson
from hexarena.games.seeds import random_seed

MATCHES = 5
WINS = 3
"""So many of the five pass."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """`id`: of its draft. `problem`, `build_log`: why that could not be built."""

    id: int
    lesson: int
    matches: tuple[PracticeMatch, ...]
    problem: str | None
    build_log: str | None

    @property
    def wins(self) -> int:
        """How many it has won so far."""
        return sum(one.points == 1 for one in self.matches)

    @property
    def over(self) -> bool:
        """Whether all its matches were played, or are void."""
        return all(one.over for one in self.matches)

    @property
    def passed(self) -> bool:
        """Whether it has won enough; it may still be playing."""
        return self.wins >= WINS


@dataclass(frozen=True, slots=True)
class Progress:
    """Of one user in one lesson. `latest`: the newest attempt."""

    attempts: int = 0
    best: int = 0
    latest: int | None = None

    @property
    def passed(self) -> bool:
        """Whether any attempt did."""
        return self.best >= WINS


def lesson_of(game: Game, number: int) -> Lesson:
    """Raises: NotFound."""
    if not 1 <= number <= len(game.lessons):
        expected = f"a lesson from 1 to {len(game.lessons)}" if game.lessons else "another game"
        raise NotFound(f"{game.title} has no lesson {number}.", expected=expected, got=str(number))
    return game.lessons[number - 1]


def boss_of(session: Session, game: Game, lesson: Lesson) -> Bot | None:
    """None before the arena is seeded."""
    return find_house_bot(session, game, lesson.boss)


def attempt(
    session: Session,
    user: User,
    *,
    game: Game,
    number: int,
    language: str,
    source: bytes,
    quotas: Quotas = NO_QUOTAS,
) -> Attempt:
    """Queues five practice matches of this code against the lesson's boss, in both seats in turn.

    Raises: NotFound (the lesson), TooMany (another attempt is playing), and what a practice match may raise.
    """
    lesson = lesson_of(game, number)
    boss = boss_of(session, game, lesson)
    opponent = session.scalar(
        select(Submission.id).where(
            Submission.bot_id == (0 if boss is None else boss.id), Submission.state == SubmissionState.LIVE
        )
    )
    if opponent is None:
        raise Unavailable(f"{lesson.boss} cannot play right now.", expected="a house bot that is on the ladder")
    draft = submissions.draft(session, user, game=game, language=language, source=source, quotas=quotas)
    _check_playing(session, user)
    session.add(LessonAttempt(submission_id=draft.id, lesson=number))
    random = Random(secrets.randbits(64))
    for turn in range(MATCHES):
        pair = [draft.id, opponent] if turn % 2 == 0 else [opponent, draft.id]
        matches.schedule(
            session,
            game=game.id,
            kind=MatchKind.PRACTICE,
            submission_ids=game.side_by_side(pair),
            seed=random_seed(random),
            league=lesson.level,
            requested_by_id=user.id,
            share=share_of(user),
        )
    return attempt_by_id(session, user.id, game, number, draft.id)


def _progress() -> Select[int, int, int, int]:
    """Of each lesson: how many attempts, the most wins of one, and the newest. Somebody may have made thousands."""
    own, everybody = aliased(MatchSeat), aliased(MatchSeat)
    draft = LessonAttempt.submission_id
    mine, theirs = everybody.submission_id == draft, everybody.submission_id != draft
    won = func.min(SeatResult.rank).filter(mine) < func.min(SeatResult.rank).filter(theirs)
    played = (
        select(LessonAttempt.lesson, draft.label("draft"), won.label("won"))
        .join(Submission, Submission.id == draft)
        .join(own, own.submission_id == draft)
        .join(everybody, everybody.match_id == own.match_id)
        .outerjoin(SeatResult, (SeatResult.match_id == everybody.match_id) & (SeatResult.seat == everybody.seat))
        .where(Submission.user_id == bindparam("whose"), Submission.game == bindparam("of_game"))
        .group_by(draft, own.match_id)
        .subquery()
    )
    wins = func.count().filter(played.c.won)
    attempts = select(played.c.lesson, played.c.draft, wins.label("wins")).group_by(played.c.lesson, played.c.draft)
    each = attempts.subquery()
    return select(each.c.lesson, func.count(), func.max(each.c.wins), func.max(each.c.draft)).group_by(each.c.lesson)


_PROGRESS = _progress()


def _check_playing(session: Session, user: User) -> None:
    """The user is locked."""
    mine = (
        select(LessonAttempt.lesson)
        .join(Submission, Submission.id == LessonAttempt.submission_id)
        .join(MatchSeat, MatchSeat.submission_id == LessonAttempt.submission_id)
        .join(Job, Job.match_id == MatchSeat.match_id)
        .where(Submission.user_id == user.id)
    )
    if (lesson := session.scalar(mine.limit(1))) is not None:
        raise TooMany(
            f"Wait until your attempt at lesson {lesson} is over.",
            expected="no attempt of yours that is still playing",
            got="one",
            quota=Quota("attempts-of-yours", 1, unit="concurrent-requests"),
        )


def attempt_by_id(session: Session, user_id: int | None, game: Game, number: int, attempt_id: int) -> Attempt:
    """Raises: NotFound, also for somebody else's."""
    this = (Submission.id == attempt_id) & (LessonAttempt.lesson == number)
    found = _attempts(session, user_id, game, this)
    if not found:
        raise NotFound(f"There is no attempt {attempt_id} of yours at lesson {number} of {game.title}.")
    return found[0]


def progress(session: Session, user_id: int | None, game: Game) -> Mapping[int, Progress]:
    """Lesson -> how far the user came, for all lessons of the game."""
    reached: dict[int, Progress] = {}
    if user_id is not None:
        rows = session.execute(_PROGRESS, {"whose": user_id, "of_game": game.id})
        reached = {lesson: Progress(attempts, best, latest) for lesson, attempts, best, latest in rows}
    # A later version of the game may have fewer lessons.
    return {number: reached.get(number, Progress()) for number, _ in enumerate(game.lessons, start=1)}


def _attempts(session: Session, user_id: int | None, game: Game, *which: ColumnElement[bool]) -> Sequence[Attempt]:
    """Those of the user, oldest first."""
    query = (
        select(LessonAttempt, Submission)
        .join(Submission, Submission.id == LessonAttempt.submission_id)
        .where(Submission.user_id == user_id, Submission.game == game.id, *which)
        .order_by(Submission.id)
    )
    rows = session.execute(query).all()
    played = played_by(session, [draft.id for _, draft in rows])
    return [
        Attempt(draft.id, begun.lesson, tuple(played[draft.id]), draft.problem, draft.build_log)
        for begun, draft in rows
        if draft.id in played
    ]
