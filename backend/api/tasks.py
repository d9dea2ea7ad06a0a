"""Waiting for a server's answer, no longer than somebody has patience, and ending what waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from redis.asyncio import Redis
from redis.exceptions import RedisError

T = TypeVar("T")
AGAIN_S = 0.2
PATIENCE_S = 5.0
"""How long a question about the arena waits for the database or the broker. A frozen one never answers."""


class Shared(Generic[T]):
    """What one thread finds out for all who ask meanwhile: who asks a frozen server must not use up all threads."""

    def __init__(self) -> None:
        self._task: asyncio.Task[T] | None = None

    async def ask(self, find: Callable[[], T]) -> T:
        """What `find` returns. Raises: TimeoutError, after PATIENCE_S; and what `find` raises."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(asyncio.to_thread(find))
            self._task.add_done_callback(_take_note)
        return await asyncio.wait_for(asyncio.shield(self._task), PATIENCE_S)


async def answers(redis: Redis) -> bool:
    """Whether the broker does, within PATIENCE_S."""
    try:
        return bool(await asyncio.wait_for(redis.ping(), PATIENCE_S))
    except (RedisError, TimeoutError):
        return False


def _take_note(task: asyncio.Task[T]) -> None:
    """Of an error that nobody waits for any more, so that it is not reported as forgotten."""
    if not task.cancelled():
        task.exception()


async def outlast(task: asyncio.Task[T]) -> T:
    """Waits for the task, which continues when this is cancelled; then the cancellation counts after the task's end.

    For what runs in a thread, which nothing can cancel: `end` cancels more than once.
    """
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
    return task.result()


async def end(*tasks: asyncio.Task[None]) -> None:
    """Cancels the tasks and waits for their end.

    Libraries sometimes turn a cancellation into an error of theirs, after which a task that tries again would go on for
    ever. So it is cancelled until it ends.
    """
    left = {task for task in tasks if not task.done()}
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=AGAIN_S)
    await asyncio.gather(*tasks, return_exceptions=True)
