"""Play it yourself: matches in which you have a seat, unrated and without a clock."""

from __future__ import annotations

from datetime import datetime

from fastapi import APIRouter, Response
from pydantic import ConfigDict, Field
from sqlalchemy.orm import Session

from hexarena.backend.api import schemas, views
from hexarena.backend.api.deps import CurrentUserId, InArena, find_user, require_user
from hexarena.backend.api.middleware.limits import ClientNetwork
from hexarena.backend.api.parameters import IdPath
from hexarena.backend.api.routes.matches import find_opponent, read_seat, read_seed, rules_level
from hexarena.backend.api.schemas import Id, Level, Schema, Seed, Short
from hexarena.backend.errors import NotFound
from hexarena.backend.models import MatchState, User
from hexarena.backend.practice import in_person
from hexarena.backend.submissions.life import game_named

router = APIRouter(prefix="/in-person", tags=["in person"])
LINE_CHARACTERS = 10_000


class NewInPerson(Schema):
    """A match of your own against a bot (the boss, if you name none). It is not rated."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"game": "yavalath", "seat": 0}]})

    game: Short
    opponent: Id | None = Field(default=None, description="A bot's id.")
    seat: int = Field(default=0, strict=True, ge=0, le=99)
    seed: Seed | None = Field(default=None, description="A signed 64-bit integer, as text or as a number.")
    league: Level | None = Field(default=None, description="A rules level of the game; the full game if left out.")


class InPerson(Schema):
    """Your seat in a match. `turn`: the turn that you are asked for; null while the bots think, and at the end.

    `prompt`: what a bot in your seat would read. `until`: when the match is abandoned if you do not reply.
    `replied`: you did, and the worker has not played the turn yet.
    """

    match_id: int
    state: MatchState
    seat: int
    turn: int | None
    prompt: str | None
    until: datetime | None
    replied: bool
    resigned: bool


class OpenInPerson(Schema):
    """Your matches in person that are not over, newest first. `most`: how many you may have open."""

    items: list[schemas.Match]
    most: int


class NewReply(Schema):
    """What you do in a turn, as a bot would write it."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"turn": 1, "line": "4 4"}]})

    turn: int = Field(strict=True, ge=1, le=32_767)
    line: str = Field(max_length=LINE_CHARACTERS)


@router.post("", status_code=201)
def create_in_person(
    arena: InArena, user_id: CurrentUserId, response: Response, network: ClientNetwork, new: NewInPerson
) -> schemas.Match:
    """Starts a match in which you have a seat. Follow it at `live_url`; its `person.turn` says when you are asked."""
    game = game_named(new.game)
    seed, league, seat = read_seed(new.seed), rules_level(game, new.league), read_seat(game, new.seat, game.seats[0])
    with arena.database.transaction() as session:
        opponent_id = find_opponent(session, game, new.opponent, find_user(session, arena, user_id))
        user = require_user(session, arena, user_id, response, network)
        match = in_person.start(
            session, user, game=game, opponent_id=opponent_id, seat=seat, seed=seed, league=league, quotas=arena.quotas
        )
        return views.match_by_id(session, match.id, user.id, arena.places)


@router.get("")
def list_in_person(arena: InArena, user_id: CurrentUserId) -> OpenInPerson:
    """Your matches in person that are not over."""
    with arena.database.transaction() as session:
        user = find_user(session, arena, user_id)
        ids = [] if user is None else in_person.open_matches(session, user.id)
        items = [] if user is None else views.match_views(session, ids, user.id, arena.places)
    return OpenInPerson(items=items, most=in_person.OPEN_EACH)


@router.get("/{match_id}")
def get_in_person(arena: InArena, user_id: CurrentUserId, match_id: IdPath) -> InPerson:
    """What the match asks you now."""
    with arena.database.transaction() as session:
        return _view(session, find_user(session, arena, user_id), match_id)


@router.post("/{match_id}/reply")
def reply_in_person(arena: InArena, user_id: CurrentUserId, match_id: IdPath, new: NewReply) -> InPerson:
    """Replies for your seat, once a turn. A line that would be a fault is refused, and you may send another one."""
    with arena.database.transaction() as session:
        user = _user(find_user(session, arena, user_id), match_id)
        in_person.reply(session, user, match_id, new.turn, new.line, quotas=arena.quotas)
        return _view(session, user, match_id)


@router.post("/{match_id}/resign")
def resign_in_person(arena: InArena, user_id: CurrentUserId, match_id: IdPath) -> InPerson:
    """Gives the match up: you lose it. Idempotent, until it is over."""
    with arena.database.transaction() as session:
        user = _user(find_user(session, arena, user_id), match_id)
        in_person.resign(session, user, match_id)
        return _view(session, user, match_id)


def _user(user: User | None, match_id: int) -> User:
    if user is None:
        raise NotFound(f"You play no match {match_id} in person.")
    return user


def _view(session: Session, user: User | None, match_id: int) -> InPerson:
    match, row = in_person.own_match(session, user, match_id)
    return InPerson(
        match_id=match.id,
        state=match.state,
        seat=row.seat,
        turn=row.turn,
        prompt=row.prompt,
        until=row.until,
        replied=row.reply is not None,
        resigned=row.resigned,
    )
