"""An answer that is the same for everybody, worked out once in a while for all who ask."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar, cast

T = TypeVar("T")


class Kept(Generic[T]):
    """Keeps a value for some seconds. Whoever asks while it is worked out waits for it, so the work is done once."""

    def __init__(self, seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._now = now
        self._lock = threading.Lock()
        self._made_at = -math.inf
        self._value: T | None = None

    def get(self, make: Callable[[], T]) -> T:
        """The value, made anew if it is too old. What `make` raises is not kept."""
        with self._lock:
            now = self._now()
            if now - self._made_at >= self._seconds:
                self._value, self._made_at = make(), now
            return cast(T, self._value)
