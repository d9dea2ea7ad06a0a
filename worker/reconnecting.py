"""Noticing that a Celery process no longer listens to the broker, so that it connects again.

If the broker dies while a message is acknowledged, Celery logs that and continues. But kombu then counts the message as
one in hand, for ever: a process that takes one at a time polls no more, and so never sees that its connection is gone.
It waits in its loop until somebody restarts it, whatever is in its queue. (Seen with Celery and kombu 5.7.)
"""

from __future__ import annotations

from typing import Any

from celery import Celery, bootsteps
from celery.worker import state

LOOK_S = 2.0


class NotListening(ConnectionError):
    """Nothing is polled although nothing is in hand. Celery connects again, as after any lost connection."""


class Watch(bootsteps.StartStopStep):  # type: ignore[misc]
    """Looks at the consumer's connection from time to time. The first look that finds nothing may be too early."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def __init__(self, consumer: Any, **options: Any) -> None:
        super().__init__(consumer, **options)
        self._timer: Any = None
        self._unpolled = False

    def start(self, consumer: Any) -> None:
        """When the consumer has connected."""
        self._unpolled = False
        if consumer.hub is not None:
            self._timer = consumer.hub.call_repeatedly(LOOK_S, self._look, consumer)

    def stop(self, consumer: Any) -> None:
        """Before it connects again, and at the end."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self, consumer: Any) -> None:
        """Raises: NotListening."""
        polled = consumer.connection.transport.cycle.fds
        unpolled = not polled and not state.reserved_requests
        if unpolled and self._unpolled:
            raise NotListening("the broker went away while a message was acknowledged")
        self._unpolled = unpolled


def watch_connection(app: Celery) -> None:
    """Has the app's workers notice it."""
    app.steps["consumer"].add(Watch)
