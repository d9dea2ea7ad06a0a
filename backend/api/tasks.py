"""Ending tasks that wait for a server's answer."""

from __future__ import annotations

import asyncio

AGAIN_S = 0.2


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
