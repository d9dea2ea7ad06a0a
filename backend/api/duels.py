"""Duels: is one version stronger than another? Begin one, follow it, cancel it."""

from __future__ import annotations

import secrets
from random import Random
from typing import Annotated

from fastapi import APIRouter, Query, Response
from sqlalchemy import select

from backend import duels, pairing
from backend.api import schemas, views
from backend.api.deps import CookieUserId, InArena, find_user, require_user
from backend.api.matches import rules_level
from backend.api.submissions import IdPath
from backend.models import Duel
from backend.submissions import game_named

router = APIRouter(prefix="/duels", tags=["duels"])


@router.post("", status_code=201)
def create_duel(arena: InArena, user_id: CookieUserId, response: Response, new: schemas.NewDuel) -> schemas.Duel:
    """Plays two versions of bots, anybody's, until it is known whether the first is stronger. Not rated; its matches
    can be watched by everybody. Follow it at `events_url`.
    """
    game = game_named(new.game)
    league = rules_level(game, new.league)
    with arena.database.transaction() as session:
        user = require_user(session, arena, user_id, response)
        begun = duels.start(
            session,
            user,
            game=game,
            one_id=new.one,
            other_id=new.other,
            preset=new.preset,
            games=new.games,
            league=league,
            seed=pairing.random_seed(Random(secrets.randbits(64))),
        )
        return views.duel_by_id(session, begun.id, user.id)


@router.get("")
def list_duels(
    arena: InArena,
    user_id: CookieUserId,
    game: Annotated[str | None, Query(max_length=200)] = None,
    mine: bool = False,
    limit: Annotated[int, Query(ge=1, le=50)] = 20,
) -> schemas.DuelList:
    """Duels, newest first; `mine`: those that you began."""
    with arena.database.transaction() as session:
        viewer = find_user(session, arena, user_id)
        viewer_id = None if viewer is None else viewer.id
        query = select(Duel).options(*views.FULL_DUEL).order_by(Duel.id.desc()).limit(limit)
        if game is not None:
            query = query.where(Duel.game == game_named(game).id)
        if mine:
            query = query.where(Duel.requested_by_id == (viewer_id or 0))
        return schemas.DuelList(items=[views.duel_view(session, one, viewer_id) for one in session.scalars(query)])


@router.get("/{duel_id}")
def get_duel(arena: InArena, user_id: CookieUserId, duel_id: IdPath) -> schemas.Duel:
    """How a duel stands."""
    with arena.database.transaction() as session:
        viewer = find_user(session, arena, user_id)
        return views.duel_by_id(session, duel_id, None if viewer is None else viewer.id)


@router.post("/{duel_id}/cancel")
def cancel_duel(arena: InArena, user_id: CookieUserId, response: Response, duel_id: IdPath) -> schemas.Duel:
    """Ends a duel of yours before it is decided. What was counted stays; doing it again changes nothing."""
    with arena.database.transaction() as session:
        user = require_user(session, arena, user_id, response)
        duels.cancel(session, user, duel_id)
        return views.duel_by_id(session, duel_id, user.id)
