"""The last hour of the queue, in the memory of one process: it begins when the process does."""

from __future__ import annotations

from collections import deque

from hexarena.backend.status.arena import ArenaStatus, Moment
from hexarena.backend.status.figures import Figures

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

    def add(self, found: ArenaStatus) -> None:
        """A database that is away leaves a gap."""
        if found.figures is not None:
            self._moments.append(_moment(found.figures))


def _moment(of: Figures) -> Moment:
    return Moment(
        at=of.at,
        waiting=sum(one.waiting for one in of.queue),
        playing=sum(one.playing for one in of.queue),
        oldest_s=max((one.oldest_s or 0.0 for one in of.queue), default=0.0),
    )
