"""What a final costs, by the newest matches of the game and the workers that are up."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from hexarena.backend.matches import workers
from hexarena.backend.models import Match, MatchState, Result

LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class Cost:
    """`cpu_hours`: of the bots; `minutes`: with `slots` matches at once. None if the game was never played here."""

    cpu_hours: float | None
    minutes: float | None
    slots: int


def cost(session: Session, game: str, matches: int) -> Cost:
    """Of so many matches."""
    slots = workers.slots(session)
    took = func.extract("epoch", Match.finished_at - Match.started_at)
    newest = (
        select(Result.cpu_ms.label("cpu_ms"), took.label("took"))
        .join(Result, Result.match_id == Match.id)
        .where(Match.game == game, Match.state == MatchState.DONE)
        .order_by(Match.id.desc())
        .limit(LOOKED_AT)
        .subquery()
    )
    cpu_ms, seconds = session.execute(select(func.avg(newest.c.cpu_ms), func.avg(newest.c.took))).one()
    if cpu_ms is None or seconds is None:
        return Cost(None, None, slots)
    minutes = float(seconds) * matches / slots / 60 if slots else None
    return Cost(float(cpu_ms) * matches / 3_600_000, minutes, slots)
