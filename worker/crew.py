"""Processes that play matches side by side, each on a core of its own.

Theory of operation: all processes are forked from the main thread, which lives as long as they do, after whatever they
play with has been built. Each takes a core to itself, since a bot on another core than its referee costs it 40 µs a
turn; opens a sandbox of its own, whose boxes end with it; and gets its jobs through a pipe, always one ahead. It is in
a process group of its own, so that Ctrl-C at a terminal reaches only the main process, which then tells the others to
leave: they do after the turn that they play, since a bot's box must not be left half made. If the main process is
killed, they notice and leave too.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from types import FrameType, TracebackType
from typing import Generic, Self, TypeAlias, TypeVar

from backend.parent import PARENT, follow_parent
from worker.play import Watch, settle
from worker.sandbox import Sandbox, SandboxError, SandboxFailed

TICK_S = 0.25
STOP_S = 5.0
"""How long a process may take to leave before it is killed, which ends its bots too."""
IN_HAND = 2
"""Jobs that a process has: the one that it plays, and the next."""
AHEAD = 8
"""So many jobs for each process may be begun before the oldest has its result."""

Job = TypeVar("Job")
Result = TypeVar("Result")
Play: TypeAlias = Callable[[Sandbox, Job, Watch], Result]
"""Plays a job. `Watch` is for `play_match`; it raises when it is time to leave."""


def usable_cores() -> list[int]:
    """The numbers of the cores that this process may use."""
    return sorted(os.sched_getaffinity(0))


class Crew(Generic[Job, Result]):
    """A context manager: the processes run while it is entered, and none of them afterwards."""

    def __init__(self, cores: Sequence[int], open_sandbox: Callable[[], Sandbox], play: Play[Job, Result]) -> None:
        """`cores`: one process on each. `play`: called in the processes; it may be any function, jobs are pickled.

        Enter it in the main thread, before any other thread starts.
        """
        self._cores, self._open_sandbox, self._play = cores, open_sandbox, play
        self._members: list[_Member[Job, Result]] = []

    def __enter__(self) -> Self:
        fork = get_context("fork")
        for core in self._cores:
            ours, theirs = fork.Pipe()
            work = (os.getpid(), core, theirs, self._open_sandbox, self._play)
            process = fork.Process(target=_work, args=work, name=f"player on core {core}", daemon=True)
            process.start()
            theirs.close()
            self._members.append(_Member(process, ours))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for member in self._members:
            member.process.terminate()
        for member in self._members:
            member.process.join(STOP_S)
            member.process.kill()
            member.process.join()
            member.pipe.close()

    def in_order(self, jobs: Iterable[Job], *, tick: Callable[[], None]) -> Iterator[Result]:
        """The results, each in its job's turn. `tick` is called every quarter of a second that brings none.

        Raises: SandboxError when a job ends with it, or a process ends by itself.
        """
        waiting = enumerate(jobs)
        results: dict[int, Result] = {}
        handed_out = following = 0
        while True:
            while handed_out < following + AHEAD * len(self._members) and (member := self._idlest()) is not None:
                job = next(waiting, None)
                if job is None:
                    break
                member.give(job)
                handed_out += 1
            if following in results:
                yield results.pop(following)
                following += 1
            elif following == handed_out:
                return
            elif not self._collect(results):
                tick()

    def _idlest(self) -> _Member[Job, Result] | None:
        member = min(self._members, key=lambda one: one.in_hand)
        return member if member.in_hand < IN_HAND else None

    def _collect(self, results: dict[int, Result]) -> bool:
        """Takes what has arrived, after waiting for it for a while. Returns whether anything has."""
        ready = wait([member.pipe for member in self._members], TICK_S)
        for member in self._members:
            if member.pipe in ready:
                number, result = member.take()
                results[number] = result
        return bool(ready)


class _Member(Generic[Job, Result]):
    """One process, and how many jobs it has."""

    def __init__(
        self, process: ForkProcess, pipe: Connection[tuple[int, Job], tuple[int, Result | SandboxError]]
    ) -> None:
        self.process, self.pipe = process, pipe
        self.in_hand = 0

    def give(self, job: tuple[int, Job]) -> None:
        """Raises: SandboxFailed when the process has ended."""
        try:
            self.pipe.send(job)
        except ConnectionError:
            raise self._ended() from None
        self.in_hand += 1

    def take(self) -> tuple[int, Result]:
        """Raises: SandboxError when the job ended with it, or the process by itself."""
        try:
            number, result = self.pipe.recv()
        except (EOFError, ConnectionError):
            raise self._ended() from None
        if isinstance(result, SandboxError):
            raise result
        self.in_hand -= 1
        return number, result

    def _ended(self) -> SandboxFailed:
        self.process.join(STOP_S)
        return SandboxFailed(f"expected the {self.process.name} to play on; it ended with {self.process.exitcode}")


def _work(
    parent: int,
    core: int,
    pipe: Connection[tuple[int, Result | SandboxError], tuple[int, Job]],
    open_sandbox: Callable[[], Sandbox],
    play: Play[Job, Result],
) -> None:
    """What a process does until it is told to end."""
    os.setpgid(0, 0)
    shift = _Shift()
    signal.signal(signal.SIGTERM, shift.end)
    os.environ[PARENT] = str(parent)
    follow_parent()
    os.sched_setaffinity(0, {core})
    settle()
    with suppress(_Leaving), open_sandbox() as sandbox:
        while True:
            shift.idle = True
            shift.go_on("")
            number, job = pipe.recv()
            shift.idle = False
            try:
                pipe.send((number, play(sandbox, job, shift.go_on)))
            except SandboxError as error:
                pipe.send((number, error))


class _Leaving(Exception):
    """It is time to leave."""


class _Shift:
    """Whether a process may go on. While it is idle, in the end of its shift it leaves at once."""

    def __init__(self) -> None:
        self.idle = self._over = False

    def end(self, number: int, frame: FrameType | None) -> None:
        """The handler of the signal that ends it."""
        self._over = True
        if self.idle:
            self.idle = False
            raise _Leaving

    def go_on(self, line: str) -> None:
        """A Watch. Raises: _Leaving."""
        if self._over:
            raise _Leaving
