"""A bot's results, summed up."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from sqlalchemy import select

from hexarena.backend.api.deps import InArena
from hexarena.backend.api.schemas import Schema
from hexarena.backend.errors import NotFound
from hexarena.backend.matches import opponents
from hexarena.backend.models import Bot, Submission

router = APIRouter(tags=["bots"])


class OpponentResult(Schema):
    """Rated results against one opponent from one seat; where teams play, from the team's first one.

    `repeats`: matches that were equal to an earlier one, and are not in the other figures.
    """

    opponent_id: int
    opponent: str
    seat: int
    won: int
    drawn: int
    lost: int
    repeats: int


class OpponentResults(Schema):
    """By opponent and seat. `version`: the one whose results these are; null: all. At most 5,000 matches of each."""

    version: int | None
    items: list[OpponentResult]


@router.get("/bots/{bot_id}/opponents")
def list_opponents(
    arena: InArena,
    bot_id: Annotated[int, Path(ge=1, le=2**53 - 1)],
    version: Annotated[int | None, Query(ge=1, le=2**31 - 1, description="All versions if left out.")] = None,
) -> OpponentResults:
    """How a bot did against each other one, from each seat: of its newest rated matches."""
    with arena.database.transaction() as session:
        if session.get(Bot, bot_id) is None:
            raise NotFound(f"There is no bot {bot_id}.")
        which = Submission.bot_id == bot_id
        if version is not None:
            which &= Submission.version == version
            if session.scalar(select(Submission.id).where(which)) is None:
                raise NotFound(f"Bot {bot_id} has no version {version}.")
        found = opponents.against(session, which)
    return OpponentResults(version=version, items=[OpponentResult(**_fields(one)) for one in found])


def _fields(one: opponents.Against) -> dict[str, int | str]:
    return {name: getattr(one, name) for name in OpponentResult.model_fields}
