"""Processes that play matches side by side, each on a core of its own.

Theory of operation: all processes are forked from the main thread, which lives as long as they do, after the bots have
been built. Each is pinned to a core, since a bot on another core than its referee costs 40 µs a turn; opens a sandbox
of its own, whose processes end with it; and gets its jobs through a pipe, always one ahead. It is in a process group of
its own, so that Ctrl-C at a terminal reaches only the main process, which then stops the others: they end after the
current turn, since a sandbox must not be left half set up. If the main process is killed, they notice and end, too.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from types import FrameType, TracebackType
from typing import Generic, Self, TypeAlias, TypeVar

from hexarena.backend.runtime.parent import PARENT, follow_parent
from hexarena.games.catalogue import failed_in_game
from hexarena.worker.play import Watch, freeze_garbage_collector
from hexarena.worker.sandbox import Sandbox, SandboxError, SandboxFailed
from hexarena.worker.sandbox.slots import MOST_SANDBOXES

TICK_S = 0.25
STOP_S = 5.0
"""How long a process may take to end before it is killed, which ends its bots, too."""
MOST_PENDING = 2
"""Jobs that a process has: the one that it plays, and the next."""
AHEAD = 8
"""How many jobs for each process may be started before the oldest has its result."""

Job = TypeVar("Job")
Result = TypeVar("Result")
Play: TypeAlias = Callable[[Sandbox, Job, Watch], Result]
"""Plays a job. `Watch` is for `play_match`; it raises when the process must end."""


def usable_cores() -> list[int]:
    """The numbers of the cores that this process may use: as many as there may be sandboxes, one on each."""
    return sorted(os.sched_getaffinity(0))[:MOST_SANDBOXES]


class GameFailed(SandboxError):
    """The game's own code failed. No bot is to blame, and further matches would fail as well."""


@contextmanager
def naming_faults_of(game_id: str) -> Iterator[None]:
    """Has errors in this game's code reach the main process in words. Raises: GameFailed."""
    try:
        yield
    except SandboxError:
        raise
    except Exception as error:
        # A bug of ours keeps its traceback.
        if (what := failed_in_game(error, game_id)) is None:
            raise
        raise GameFailed(f"The game's own code failed: {what}") from None


class ProcessPool(Generic[Job, Result]):
    """A context manager: the processes run while it is entered, and none of them afterwards."""

    def __init__(self, cores: Sequence[int], open_sandbox: Callable[[], Sandbox], play: Play[Job, Result]) -> None:
        """`cores`: one process on each. `play`: called in the processes; it may be any function, jobs are pickled.

        Enter it in the main thread, before any other thread starts.
        """
        self._cores, self._open_sandbox, self._play = cores, open_sandbox, play
        self._players: list[_PlayerProcess[Job, Result]] = []

    def __enter__(self) -> Self:
        fork = get_context("fork")
        for core in self._cores:
            ours, theirs = fork.Pipe()
            work = (os.getpid(), core, theirs, self._open_sandbox, self._play)
            process = fork.Process(target=_work, args=work, name=f"player on core {core}", daemon=True)
            process.start()
            theirs.close()
            self._players.append(_PlayerProcess(process, ours))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for player in self._players:
            player.process.terminate()
        for player in self._players:
            player.process.join(STOP_S)
            player.process.kill()
            player.process.join()
            player.pipe.close()

    def in_order(self, jobs: Iterable[Job], *, tick: Callable[[], None]) -> Iterator[Result]:
        """The results, in the order of their jobs. `tick` is called every quarter of a second without one.

        Raises: SandboxError when a job raises it, or a process ends unexpectedly.
        """
        waiting = enumerate(jobs)
        results: dict[int, Result] = {}
        sent = following = 0
        while True:
            while sent < following + AHEAD * len(self._players) and (player := self._least_busy()) is not None:
                job = next(waiting, None)
                if job is None:
                    break
                player.send(job)
                sent += 1
            if following in results:
                yield results.pop(following)
                following += 1
            elif following == sent:
                return
            elif not self._collect(results):
                tick()

    def _least_busy(self) -> _PlayerProcess[Job, Result] | None:
        player = min(self._players, key=lambda one: one.pending)
        return player if player.pending < MOST_PENDING else None

    def _collect(self, results: dict[int, Result]) -> bool:
        """Waits for a while and stores the results that arrive. Returns whether any has."""
        ready = wait([player.pipe for player in self._players], TICK_S)
        for player in self._players:
            if player.pipe in ready:
                number, result = player.receive()
                results[number] = result
        return bool(ready)


class _PlayerProcess(Generic[Job, Result]):
    """One process, and how many jobs it has."""

    def __init__(
        self, process: ForkProcess, pipe: Connection[tuple[int, Job], tuple[int, Result | SandboxError]]
    ) -> None:
        self.process, self.pipe = process, pipe
        self.pending = 0

    def send(self, job: tuple[int, Job]) -> None:
        """Raises: SandboxFailed when the process has ended."""
        try:
            self.pipe.send(job)
        except ConnectionError:
            raise self._ended() from None
        self.pending += 1

    def receive(self) -> tuple[int, Result]:
        """Raises: SandboxError when the job raised it, or the process ended unexpectedly."""
        try:
            number, result = self.pipe.recv()
        except (EOFError, ConnectionError):
            raise self._ended() from None
        if isinstance(result, SandboxError):
            raise result
        self.pending -= 1
        return number, result

    def _ended(self) -> SandboxFailed:
        self.process.join(STOP_S)
        return SandboxFailed(f"expected the {self.process.name} to keep running; it ended with {self.process.exitcode}")


def _work(
    parent: int,
    core: int,
    pipe: Connection[tuple[int, Result | SandboxError], tuple[int, Job]],
    open_sandbox: Callable[[], Sandbox],
    play: Play[Job, Result],
) -> None:
    """What a process does until it is stopped."""
    os.setpgid(0, 0)
    stop_flag = _StopFlag()
    signal.signal(signal.SIGTERM, stop_flag.end)
    os.environ[PARENT] = str(parent)
    follow_parent()
    os.sched_setaffinity(0, {core})
    freeze_garbage_collector()
    with suppress(_Leaving), open_sandbox() as sandbox:
        while True:
            stop_flag.idle = True
            stop_flag.check("")
            number, job = pipe.recv()
            stop_flag.idle = False
            try:
                pipe.send((number, play(sandbox, job, stop_flag.check)))
            except SandboxError as error:
                pipe.send((number, error))


class _Leaving(Exception):
    """This process must end."""


class _StopFlag:
    """Whether a process must end. An idle process ends at once."""

    def __init__(self) -> None:
        self.idle = self._over = False

    def end(self, number: int, frame: FrameType | None) -> None:
        """The handler of the signal that ends it."""
        self._over = True
        if self.idle:
            self.idle = False
            raise _Leaving

    def check(self, line: str) -> None:
        """A Watch. Raises: _Leaving."""
        if self._over:
            raise _Leaving
