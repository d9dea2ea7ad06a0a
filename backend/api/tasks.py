"""Ending tasks that wait for a server's answer."""

from __future__ import annotations

import asyncio
from typing import TypeVar

T = TypeVar("T")
AGAIN_S = 0.2


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
