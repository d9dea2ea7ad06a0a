"""People: whose bots these are, and the notices about them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter
from pydantic import Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from hexarena.backend import notices
from hexarena.backend.api import schemas, views
from hexarena.backend.api.deps import CurrentUserId, InArena, find_user, find_viewer_id
from hexarena.backend.api.parameters import IdPath
from hexarena.backend.api.schemas import Schema
from hexarena.backend.api.views.notices import NoticeView, notice_view
from hexarena.backend.errors import NotFound, SignInNeeded
from hexarena.backend.models import (
    Bot,
    Submission,
    SubmissionState,
    User,
    UserKind,
)
from hexarena.games.catalogue import all_games

router = APIRouter()


# --- Whose bots these are ---------------------------------------------------------------------------------------------


class RestingBot(Schema):
    """A bot that is on no board. `state`: of its newest version."""

    bot_id: int
    bot: str
    state: SubmissionState


class PersonGame(Schema):
    """Somebody's bots in one game: those on its board, from the top, and the others, newest first."""

    game: str
    title: str
    board: list[schemas.LeaderboardRow]
    resting: list[RestingBot]


class Person(Schema):
    """Somebody who has bots. `since`: first seen by the arena."""

    id: int
    name: str
    kind: UserKind
    since: datetime
    mine: bool
    games: list[PersonGame]


@router.get("/people/{person_id}", tags=["people"])
def get_person(arena: InArena, user_id: CurrentUserId, person_id: IdPath) -> Person:
    """Somebody with bots, and their places in each game. A user without bots is visible to themselves alone."""
    with arena.database.transaction() as session:
        viewer_id = find_viewer_id(session, arena, user_id)
        person = session.get(User, person_id)
        games = [] if person is None else _games_of(session, person_id, viewer_id)
        if person is None or person.kind == UserKind.DELETED or not (games or person_id == viewer_id):
            raise NotFound(f"There is nobody {person_id} with bots.")
        return Person(
            id=person.id,
            name=person.name,
            kind=person.kind,
            since=person.created_at,
            mine=person_id == viewer_id,
            games=games,
        )


def _games_of(session: Session, person_id: int, viewer_id: int | None) -> list[PersonGame]:
    kept = session.scalars(select(Bot).where(Bot.owner_id == person_id, Bot.name_key.is_not(None)))
    bots = {bot.id: bot for bot in kept}
    newest: dict[int, Submission] = {}
    live: dict[int, Submission] = {}
    versions = select(Submission).where(Submission.bot_id.in_(bots)).order_by(Submission.version.desc())
    for version in session.scalars(versions):
        assert version.bot_id is not None  # noqa: S101 - chosen by it
        newest.setdefault(version.bot_id, version)
        if version.state == SubmissionState.LIVE:
            live[version.bot_id] = version
    found = []
    for game in all_games().values():
        mine = [one for one in sorted(bots, reverse=True) if bots[one].game == game.id]
        board = views.standings_of(session, game.id, [live[one].id for one in mine if one in live], viewer_id)
        shown = {row.bot_id for row in board}
        resting = [
            RestingBot(bot_id=one, bot=bots[one].name, state=newest[one].state)
            for one in mine
            if one not in shown and one in newest
        ]
        if board or resting:
            found.append(PersonGame(game=game.id, title=game.title, board=board, resting=resting))
    return found


# --- Notices ----------------------------------------------------------------------------------------------------------


class NoticeList(Schema):
    """The newest 50, newest first. `unseen`: how many of all you have not seen."""

    items: list[NoticeView]
    unseen: int


class Seen(Schema):
    """`up_to`: the newest notice that was seen."""

    up_to: Annotated[int, Field(ge=1, le=2**53 - 1)]


@router.get("/me/notices", tags=["me"])
def list_notices(arena: InArena, user_id: CurrentUserId) -> NoticeList:
    """What happened to your bots (promoted, overtaken, disabled, in events …), to duels of yours, and new marks."""
    with arena.database.transaction() as session:
        return _list_of(session, _known(find_user(session, arena, user_id)))


@router.post("/me/notices/seen", tags=["me"])
def mark_notices_seen(arena: InArena, user_id: CurrentUserId, seen: Seen) -> NoticeList:
    """Marks your notices as seen, up to one of them. Idempotent."""
    with arena.database.transaction() as session:
        user = _known(find_user(session, arena, user_id))
        notices.mark_seen(session, user.id, seen.up_to)
        return _list_of(session, user)


def _known(user: User | None) -> User:
    if user is None:
        raise SignInNeeded("Nobody is signed in.", expected="somebody who has bots or an account")
    return user


def _list_of(session: Session, user: User) -> NoticeList:
    items = [notice_view(one) for one in notices.newest(session, user.id)]
    return NoticeList(items=items, unseen=notices.count_unseen(session, user.id))
