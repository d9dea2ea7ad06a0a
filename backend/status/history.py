"""The last hour of the queue, in the memory of one process: it begins when the process does."""

from __future__ import annotations

from collections import deque

from sqlalchemy import func, select

from hexarena.backend.runtime.db import Database
from hexarena.backend.status import figures
from hexarena.backend.status.arena import Moment

STEP_S = 15.0
MOMENTS = 240
"""An hour of them."""


class History:
    """A moment each STEP_S."""

    def __init__(self) -> None:
        self._moments: deque[Moment] = deque(maxlen=MOMENTS)

    @property
    def moments(self) -> list[Moment]:
        """Oldest first."""
        return list(self._moments)

    def add_moment(self, database: Database) -> None:
        """Adds the queue as of now. Raises: DBAPIError, and then there is a gap."""
        with database.transaction() as session:
            at = session.execute(select(func.clock_timestamp())).scalar_one()
            queue = figures.queue(session)
        self._moments.append(
            Moment(
                at=at,
                waiting=sum(one.waiting for one in queue),
                playing=sum(one.playing for one in queue),
                oldest_s=max((one.oldest_s or 0.0 for one in queue), default=0.0),
            )
        )
