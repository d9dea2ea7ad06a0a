"""Learn the game: lessons by simpler rules, each passed by a draft that wins 3 of 5 matches against the lesson's boss.

An attempt is a draft with five practice matches. Whether it passed follows from their results, so there is nothing to
keep in step; it moves and goes with its owner's drafts. Lessons are never required for anything.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from random import Random
from typing import TypeAlias

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session, aliased

from hexarena.backend.errors import NotFound, Unavailable
from hexarena.backend.matches import life as matches
from hexarena.backend.matches.quotas import NO_QUOTAS, Quotas
from hexarena.backend.matches.shares import share_of
from hexarena.backend.models import (
    Bot,
    LessonAttempt,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    SeatResult,
    Submission,
    SubmissionState,
    User,
)
from hexarena.backend.rating.sprt import points
from hexarena.backend.submissions import life as submissions
from hexarena.backend.submissions.seeding import find_house_bot
from hexarena.games.contract import Game, Lesson
from hexarena.games.seeds import random_seed

MATCHES = 5
WINS = 3
"""So many of the five pass."""
OVER = (MatchState.DONE, MatchState.VOID)
_Columns: TypeAlias = tuple[LessonAttempt, Submission, Match, int, int | None, int | None]


@dataclass(frozen=True, slots=True)
class AttemptMatch:
    """A match of an attempt, as its author sees it. `points`: 1, ½ or 0 once it is done. `seat`: his first one."""

    match_id: int
    state: MatchState
    void_reason: str | None
    seat: int
    points: float | None


@dataclass(frozen=True, slots=True)
class Attempt:
    """`id`: of its draft. `problem`, `build_log`: why that could not be built."""

    id: int
    lesson: int
    matches: tuple[AttemptMatch, ...]
    problem: str | None
    build_log: str | None

    @property
    def wins(self) -> int:
        """How many it has won so far."""
        return sum(one.points == 1 for one in self.matches)

    @property
    def over(self) -> bool:
        """Whether all its matches were played, or are void."""
        return all(one.state in OVER for one in self.matches)

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
    """Queues five practice matches of this code against the lesson's boss, in both seats by turns.

    Raises: NotFound (the lesson), and what a practice match may raise.
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


def attempt_by_id(session: Session, user_id: int | None, game: Game, number: int, attempt_id: int) -> Attempt:
    """Raises: NotFound, also for somebody else's."""
    this = (Submission.id == attempt_id) & (Submission.game == game.id) & (LessonAttempt.lesson == number)
    found = list(_attempts(session.execute(_played().where(Submission.user_id == user_id, this))))
    if not found:
        raise NotFound(f"There is no attempt {attempt_id} of yours at lesson {number} of {game.title}.")
    return found[0]


def progress(session: Session, user_id: int | None, game: Game) -> Mapping[int, Progress]:
    """Lesson -> how far the user came, for all lessons of the game."""
    of_lessons = {number: Progress() for number, _ in enumerate(game.lessons, start=1)}
    if user_id is None:
        return of_lessons
    mine = _played().where(Submission.user_id == user_id, Submission.game == game.id)
    for one in _attempts(session.execute(mine)):
        # A lesson that a later version of the game does not have any more.
        if (was := of_lessons.get(one.lesson)) is not None:
            of_lessons[one.lesson] = Progress(was.attempts + 1, max(was.best, one.wins), one.id)
    return of_lessons


def _played() -> Select[LessonAttempt, Submission, Match, int, int | None, int | None]:
    """A row for each match of each attempt, oldest first: with the draft's first seat, its rank and the boss's."""
    boss, its_result = aliased(MatchSeat), aliased(SeatResult)
    boss_rank = (
        select(func.min(its_result.rank))
        .join(boss, (boss.match_id == its_result.match_id) & (boss.seat == its_result.seat))
        .where(boss.match_id == Match.id, boss.submission_id != LessonAttempt.submission_id)
        .correlate(Match, LessonAttempt)
        .scalar_subquery()
    )
    return (
        select(LessonAttempt, Submission, Match, func.min(MatchSeat.seat), func.min(SeatResult.rank), boss_rank)
        .join(Submission, Submission.id == LessonAttempt.submission_id)
        .join(MatchSeat, MatchSeat.submission_id == LessonAttempt.submission_id)
        .join(Match, Match.id == MatchSeat.match_id)
        .outerjoin(SeatResult, (SeatResult.match_id == MatchSeat.match_id) & (SeatResult.seat == MatchSeat.seat))
        .group_by(LessonAttempt.submission_id, Submission.id, Match.id)
        .order_by(LessonAttempt.submission_id, Match.id)
    )


def _attempts(rows: Iterable[_Columns]) -> Iterable[Attempt]:
    for _, of_one in groupby(rows, key=lambda row: row[0].submission_id):
        listed = list(of_one)
        begun, draft = listed[0][0], listed[0][1]
        played = tuple(
            AttemptMatch(
                match_id=match.id,
                state=match.state,
                void_reason=match.void_reason,
                seat=seat,
                points=None if rank is None or other is None else points(rank, other),
            )
            for _, _, match, seat, rank, other in listed
        )
        yield Attempt(draft.id, begun.lesson, played, draft.problem, draft.build_log)
