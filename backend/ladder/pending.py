"""Which ladders have results that no refit has counted yet. Apart from the refits, whose scipy takes long to load."""

from __future__ import annotations

from sqlalchemy import ColumnElement, exists, func, select
from sqlalchemy.orm import Session

from hexarena.backend.models import Ladder, PendingResult
from hexarena.games.catalogue import all_games

LEAST_PAUSE_S = 1.0
REST = 20.0
"""The pause before the next refit, as a multiple of the CPU time of the last one."""


def is_anything() -> ColumnElement[bool]:
    """Whether some ladder has something to count, now or after its pause. Those of games that are gone wait."""
    here = list(all_games())
    waits = exists(select(PendingResult.match_id).where(PendingResult.game.in_(here)))
    return waits | exists(select(Ladder.game).where(Ladder.stale, Ladder.game.in_(here)))


def due(session: Session) -> list[str]:
    """The games whose ladders have something to count, and whose pause since the last refit is over.

    If the clock went backwards, a refit is due at once.
    """
    age = func.extract("epoch", func.clock_timestamp() - Ladder.refitted_at)
    rested = Ladder.refitted_at.is_(None) | (age < 0) | (age >= func.greatest(LEAST_PAUSE_S, REST * Ladder.refit_s))
    pending = select(PendingResult.match_id).where(PendingResult.game == Ladder.game).exists()
    return list(session.scalars(select(Ladder.game).where(pending | Ladder.stale, rested).order_by(Ladder.game)))
