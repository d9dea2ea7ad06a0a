"""Duels: is one version stronger than another? Start one, follow it, cancel it."""

from __future__ import annotations

import secrets
from random import Random
from typing import Annotated

from fastapi import APIRouter, Query, Response
from sqlalchemy import select

from hexarena.backend.api import schemas, views
from hexarena.backend.api.deps import CurrentUserId, InArena, find_viewer_id, require_user
from hexarena.backend.api.middleware.limits import ClientNetwork
from hexarena.backend.api.parameters import AfterId, IdPath, page
from hexarena.backend.api.routes.matches import rules_level
from hexarena.backend.duels import life as duels
from hexarena.backend.models import Duel
from hexarena.backend.submissions.life import game_named
from hexarena.games.seeds import random_seed

router = APIRouter(prefix="/duels", tags=["duels"])


@router.post("", status_code=201)
def create_duel(
    arena: InArena, user_id: CurrentUserId, response: Response, network: ClientNetwork, new: schemas.NewDuel
) -> schemas.DuelStatus:
    """Plays two versions of any bots until it is known whether the candidate is stronger. Not rated; everybody can
    watch its matches. Follow it at `events_url`.
    """
    game = game_named(new.game)
    league = rules_level(game, new.league)
    with arena.database.transaction() as session:
        user = require_user(session, arena, user_id, response, network)
        begun = duels.start(
            session,
            user,
            game=game,
            candidate_id=new.candidate,
            baseline_id=new.baseline,
            preset=new.preset,
            games=new.games,
            league=league,
            seed=random_seed(Random(secrets.randbits(64))),
            quotas=arena.quotas,
        )
        return views.duel_by_id(session, begun.id, user.id)


@router.get("")
def list_duels(
    arena: InArena,
    user_id: CurrentUserId,
    game: Annotated[str | None, Query(max_length=200)] = None,
    mine: bool = False,
    limit: Annotated[int, Query(ge=1, le=50)] = 20,
    after: AfterId = None,
) -> schemas.DuelList:
    """Duels, newest first; `mine`: those that you started."""
    with arena.database.transaction() as session:
        viewer_id = find_viewer_id(session, arena, user_id)
        query = select(Duel).options(*views.FULL_DUEL).order_by(Duel.id.desc()).limit(limit + 1)
        if game is not None:
            query = query.where(Duel.game == game_named(game).id)
        if mine:
            query = query.where(Duel.requested_by_id == (viewer_id or 0))
        if after is not None:
            query = query.where(Duel.id < after)
        shown, following = page(session.scalars(query).all(), limit, lambda one: one.id)
        items = [views.duel_view(session, one, viewer_id) for one in shown]
        return schemas.DuelList(items=items, next=following)


@router.get("/{duel_id}")
def get_duel(arena: InArena, user_id: CurrentUserId, duel_id: IdPath) -> schemas.DuelStatus:
    """The current state of a duel."""
    with arena.database.transaction() as session:
        viewer_id = find_viewer_id(session, arena, user_id)
        return views.duel_by_id(session, duel_id, viewer_id)


@router.post("/{duel_id}/cancel")
def cancel_duel(
    arena: InArena, user_id: CurrentUserId, response: Response, network: ClientNetwork, duel_id: IdPath
) -> schemas.DuelStatus:
    """Ends a duel of yours before it is decided. Its counts stay. Idempotent."""
    with arena.database.transaction() as session:
        user = require_user(session, arena, user_id, response, network)
        duels.cancel(session, user, duel_id)
        return views.duel_by_id(session, duel_id, user.id)
