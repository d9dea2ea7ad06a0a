"""An answer that is the same for everybody, worked out once in a while for all who ask."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar, cast

import structlog

log = structlog.get_logger()
T = TypeVar("T")


class Kept(Generic[T]):
    """Keeps a value for some seconds. After that, and for as long again, it is still given to whoever asks, while it is
    made anew beside the requests: on a large arena to make one takes longer than any page should. Where nobody has
    asked for longer, whoever asks waits for a new one, which is made once for all who wait.
    """

    def __init__(self, seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._now = now
        self._making = threading.Lock()
        self._made_at = -math.inf
        self._value: T | None = None

    def get(self, make: Callable[[], T]) -> T:
        """The value. `make` may be called in a thread of its own; what it raises is not kept."""
        age_s = self._now() - self._made_at
        if age_s >= 2 * self._seconds:
            with self._making:
                if self._now() - self._made_at >= self._seconds:
                    self._make(make)
        elif age_s >= self._seconds and self._making.acquire(blocking=False):
            try:
                threading.Thread(target=self._make_beside, args=(make,), name="kept value", daemon=True).start()
            except BaseException:
                self._making.release()
                raise
        return cast(T, self._value)

    def _make(self, make: Callable[[], T]) -> None:
        began = self._now()
        self._value, self._made_at = make(), began

    def _make_beside(self, make: Callable[[], T]) -> None:
        try:
            self._make(make)
        except Exception:  # the next one who waits for it gets the error
            log.exception("a value that pages share could not be made")
        finally:
            self._making.release()
