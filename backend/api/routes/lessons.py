"""Learn the game: the lessons of a game, and attempts at them."""

from __future__ import annotations

from functools import cache
from typing import Annotated

from fastapi import APIRouter, Path, Response
from sqlalchemy.orm import Session

from hexarena.backend.api import schemas
from hexarena.backend.api.deps import CurrentUserId, InArena, find_viewer_id, require_user
from hexarena.backend.api.middleware.limits import ClientNetwork
from hexarena.backend.api.parameters import IdPath
from hexarena.backend.api.routes.games import game_html
from hexarena.backend.practice import lessons
from hexarena.backend.submissions.life import encode_source, game_named
from hexarena.games.catalogue import game_file
from hexarena.games.contract import Game, Lesson
from hexarena.games.house import house_bots

router = APIRouter(prefix="/games/{game_id}/lessons", tags=["lessons"])
LessonPath = Annotated[int, Path(ge=1, le=99)]


@router.get("")
def list_lessons(arena: InArena, user_id: CurrentUserId, game_id: str) -> schemas.LessonList:
    """The way into a game, and how far you came."""
    game = game_named(game_id)
    with arena.database.transaction() as session:
        viewer_id = find_viewer_id(session, arena, user_id)
        made = lessons.progress(session, viewer_id, game)
        items = [_lesson(session, game, number, made[number]) for number, _ in enumerate(game.lessons, start=1)]
    return schemas.LessonList(items=items, matches=lessons.MATCHES, wins=lessons.WINS)


@router.post("/{number}/attempts", status_code=201)
def create_attempt(
    arena: InArena,
    user_id: CurrentUserId,
    response: Response,
    network: ClientNetwork,
    game_id: str,
    number: LessonPath,
    new: schemas.NewAttempt,
) -> schemas.LessonAttempt:
    """Plays your code in five practice matches against the lesson's boss; three wins pass the lesson."""
    game = game_named(game_id)
    source = encode_source(new.source)
    lessons.lesson_of(game, number)
    with arena.database.transaction() as session:
        user = require_user(session, arena, user_id, response, network)
        begun = lessons.attempt(
            session, user, game=game, number=number, language=new.language, source=source, quotas=arena.quotas
        )
        return _attempt(begun)


@router.get("/{number}/attempts/{attempt_id}")
def get_attempt(
    arena: InArena, user_id: CurrentUserId, game_id: str, number: LessonPath, attempt_id: IdPath
) -> schemas.LessonAttempt:
    """An attempt of yours. Its matches are in your match history, too."""
    game = game_named(game_id)
    with arena.database.transaction() as session:
        viewer_id = find_viewer_id(session, arena, user_id)
        return _attempt(lessons.attempt_by_id(session, viewer_id, game, number, attempt_id))


def _lesson(session: Session, game: Game, number: int, made: lessons.Progress) -> schemas.Lesson:
    lesson = game.lessons[number - 1]
    boss = lessons.boss_of(session, game, lesson)
    return schemas.Lesson(
        number=number,
        title=lesson.title,
        level=lesson.level,
        statement_html=lesson_html(game, number),
        boss=None if boss is None else schemas.BotLink(bot_id=boss.id, name=boss.name),
        boss_summary=_summary(game, lesson),
        attempts=made.attempts,
        best=made.best,
        passed=made.passed,
        latest=made.latest,
    )


def _summary(game: Game, lesson: Lesson) -> str:
    return next(bot.summary for bot in house_bots(game) if bot.name == lesson.boss)


@cache
def lesson_html(game: Game, number: int) -> str:
    """A lesson's text as HTML that is safe to show."""
    text = game_file(game, "lessons", f"{number}.md").read_text()
    return game_html(game, text.replace("](../pictures/", "](pictures/"))


def _attempt(one: lessons.Attempt) -> schemas.LessonAttempt:
    played = [
        schemas.AttemptMatch(
            match_id=match.match_id,
            state=match.state,
            void_reason=match.void_reason,
            seat=match.seat,
            points=match.points,
            fault=None if match.why is None else schemas.Fault(**match.why),
        )
        for match in one.matches
    ]
    return schemas.LessonAttempt(
        id=one.id,
        lesson=one.lesson,
        matches=played,
        wins=one.wins,
        over=one.over,
        passed=one.passed,
        problem=one.problem,
        build_log=one.build_log,
    )
