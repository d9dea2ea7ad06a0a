"""Drawing a moment of a match, in Node, with the code of the pages.

Theory of operation: a picture takes a process half a second, and whoever shares a link asks for one. So one is drawn at
a time, with low priority; a few more wait, and who comes then is asked to come again. The newest pictures are kept in
memory. An arena without Node or its canvas has no pictures, and its pages do not name any.
"""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool

from hexarena.backend.errors import NotFound, Unavailable
from hexarena.backend.runtime.pages import pages_folder, viewer_file
from hexarena.games.discovery import outside

KEPT = 64
MOST_WAITING = 16
DRAWING_S = 20.0
"""Of time; a twentieth of that is usual."""
CPU_S = 10
NICE = 10
MOST_SAID = 2_000


class CannotDraw(Exception):
    """The program failed; the message is what it said."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What to draw. `turn`: after which one, None being the last. `nameless`: seats whose bots were deleted."""

    game: str
    replay_key: str
    nameless: frozenset[int]
    turn: int | None


class Pictures:
    """Draws matches, one at a time, and keeps what it drew. Used by its process's event loop only."""

    def __init__(self, command: Sequence[str] | None, cpu_s: int = CPU_S) -> None:
        """`command`: see node.drawing_command; None where there are no pictures. `cpu_s`: that one may take."""
        self._command, self._cpu_s = command, cpu_s
        self._kept: OrderedDict[Moment, bytes] = OrderedDict()
        self._drawing = asyncio.Lock()
        self._waiting = 0

    @property
    def can_draw(self) -> bool:
        """Whether this arena has pictures."""
        return self._command is not None

    async def of(self, moment: Moment, replay: Callable[[], bytes | None]) -> bytes | None:
        """The picture as a PNG. `replay`: reads its lines, in a thread; without them there is no picture.

        Raises: NotFound, Unavailable, CannotDraw.
        """
        if moment not in self._kept:
            if self._waiting >= MOST_WAITING:
                raise Unavailable("Many pictures are being drawn. Try again in a moment.")
            self._waiting += 1
            try:
                async with self._drawing:
                    if moment not in self._kept:
                        lines = await run_in_threadpool(replay)
                        if lines is None:
                            return None
                        self._kept[moment] = await self._draw(moment, lines)
            finally:
                self._waiting -= 1
        self._kept.move_to_end(moment)
        picture = self._kept[moment]
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return picture

    async def _draw(self, moment: Moment, lines: bytes) -> bytes:
        if self._command is None:
            raise NotFound("This arena draws no pictures of matches: Node or its canvas is missing.")
        viewer = viewer_file(pages_folder(), moment.game) if moment.game in outside() else None
        turn = "last" if moment.turn is None else str(moment.turn)
        return await _output((*self._command, turn, *(() if viewer is None else (str(viewer),))), lines, self._cpu_s)


async def _output(command: Sequence[str], given: bytes, cpu_s: int) -> bytes:
    """What the command prints, with little CPU time and the lowest priority. Raises: CannotDraw."""
    process = await asyncio.create_subprocess_exec(
        *("sh", "-c", f'ulimit -t {cpu_s}; exec nice -n {NICE} "$@"', "sh", *command),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"PATH": os.environ.get("PATH", os.defpath)},
        cwd="/",
    )
    try:
        out, error = await asyncio.wait_for(process.communicate(given), DRAWING_S)
    except TimeoutError:
        raise CannotDraw(f"it took longer than {DRAWING_S:.0f} s") from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        raise CannotDraw(error.decode(errors="replace")[-MOST_SAID:].strip())
    return out
