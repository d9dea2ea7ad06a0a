"""A moment of a match as a picture, for the previews of links."""

from __future__ import annotations

import gzip
from functools import partial
from typing import Annotated, Any

import structlog
from fastapi import APIRouter, Query, Response
from starlette.concurrency import run_in_threadpool

from hexarena.backend.api import views
from hexarena.backend.api.deps import Arena, CurrentUserId, InArena, find_viewer_id
from hexarena.backend.api.description import DOCUMENTED
from hexarena.backend.api.parameters import IdPath
from hexarena.backend.api.routes.matches import no_longer_stored, replay_key_of
from hexarena.backend.api.views.drawing import CannotDraw, Moment
from hexarena.backend.errors import Conflict, NotFound
from hexarena.backend.matches import retention
from hexarena.backend.matches.blobs import Blobs
from hexarena.backend.models import Match

log = structlog.get_logger()
router = APIRouter(prefix="/matches", tags=["matches"])
PNG = "image/png"
KEPT_S = 86_400
"""By whoever asked for it."""
ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"content": {PNG: {}}},
    409: {**DOCUMENTED[409], "description": "The game's viewer fails with this replay"},
}
TurnQuery = Annotated[int | None, Query(ge=0, le=9_999, description="After which turn; the last one if left out.")]


@router.get("/{match_id}/picture", response_class=Response, responses=ANSWERS)
async def draw_match(
    arena: InArena,
    user_id: CurrentUserId,
    match_id: IdPath,
    turn: TurnQuery = None,
) -> Response:
    """A moment of a match as a picture, 1200 × 630: who plays, the scores, the board. For the previews of links."""
    moment, match = await run_in_threadpool(_moment, arena, match_id, user_id, turn)
    try:
        picture = await arena.pictures.of(moment, partial(_replay, moment, arena.blobs))
    except CannotDraw as error:
        log.error("a match cannot be drawn", match=match_id, turn=turn, problem=str(error))
        raise Conflict(f"Match {match_id} cannot be drawn: the game's viewer fails with its replay.") from None
    if picture is None:
        raise NotFound(no_longer_stored("This replay", retention.days_kept(arena.settings, match.kind)))
    return Response(picture, media_type=PNG, headers={"Cache-Control": views.cache_control(match, KEPT_S)})


def _moment(arena: Arena, match_id: int, user_id: int | None, turn: int | None) -> tuple[Moment, Match]:
    """Raises: NotFound."""
    with arena.database.reading() as session:
        viewer_id = find_viewer_id(session, arena, user_id)
        match = views.match_row(session, match_id, viewer_id)
        return Moment(match.game, replay_key_of(match), frozenset(views.nameless_seats(match)), turn), match


def _replay(moment: Moment, blobs: Blobs) -> bytes | None:
    """Its lines; None if they are no longer stored."""
    packed = blobs.gzipped(moment.replay_key)
    if packed is None:
        return None
    lines = gzip.decompress(packed)
    return views.without_names(lines.decode(), moment.nameless).encode() if moment.nameless else lines
