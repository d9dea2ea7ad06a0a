"""How many event streams one client may have open.

A stream lasts for as long as its page does, and wakes up for each change in the arena. Behind a proxy all connections
are the proxy's, so streams are counted by the client's address, as for the other limits. Each web process counts its
own streams: a client has as many places in each of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from hexarena.backend.errors import Quota, TooMany
from hexarena.backend.runtime import metrics

RETRY_S = 10.0
"""When another page of the client may have been closed."""


class Streams:
    """The open streams of a web process. Used by its event loop only. `most`: for one client; 0: no limit."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: Counter[str] = Counter()

    @contextmanager
    def place(self, network: str) -> Iterator[None]:
        """A place for a stream until the end of the block. Raises: TooMany."""
        if self._most and self._open[network] >= self._most:
            raise TooMany(
                "Too many live pages are open at your address. Close some, or wait until others do.",
                expected=f"at most {self._most} event streams of one address at once",
                got="one more",
                retry_s=RETRY_S,
                quota=Quota("event-streams", self._most, unit="concurrent-requests"),
            )
        self._open[network] += 1
        metrics.meters().streams.inc()
        try:
            yield
        finally:
            metrics.meters().streams.dec()
            self._open[network] -= 1
            if not self._open[network]:
                del self._open[network]
