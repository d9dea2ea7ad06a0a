"""One bot of one match: a games.contract.Channel over a sandboxed process.

Theory of operation: the process is launched when the match starts, but waits at its gate; the first `ask` sets the
limits and opens the gate, so the first turn's time includes the start of the bot's runtime. Each `ask` thaws the
processes, writes the prompt as far as the pipe takes it, and polls stdin, stdout and stderr until there is a whole
line; then everything is frozen until the next `ask`. The bot is charged for all CPU time since its last reply,
including anything that ran in between. Wall time only has a cap, for bots that wait for something that never comes; if
by then the machine has kept the bot, or this worker, from running for a large part of the time, there is no verdict
(`HostOverloaded`). What a bot sleeps in all of its turns has a limit, too (`rest`), and while it sleeps, its match is
asked to let another one be played (`Naps`). After a fault the bot is killed at once, so that it takes no resources from
the others.
"""

from __future__ import annotations

import math
import os
import re
import select
import time
from collections.abc import Callable
from pathlib import Path
from signal import SIGABRT, SIGSEGV
from types import TracebackType
from typing import NoReturn, Self

from hexarena.games.contract import BotFault, Crashed, Reply, TimedOut, TooMuchOutput
from hexarena.worker.sandbox.endings import End
from hexarena.worker.sandbox.errors import BotKilled, HostOverloaded
from hexarena.worker.sandbox.lag import Lag
from hexarena.worker.sandbox.limits import KIB, Limits
from hexarena.worker.sandbox.lines import BoundedLog, LineBuffer
from hexarena.worker.sandbox.rest import Naps, NoNaps, Rest, queued_s
from hexarena.worker.sandbox.sandboxed import SandboxedProcess
from hexarena.worker.sandbox.tree import Tree

READ_BYTES = 64 * KIB
LAST_READS = 16
"""Reads of stderr after a fault: enough for everything that a pipe can hold."""
EXIT_S = 2.0
"""How long to wait for the exit code of a bot whose output has ended."""
SHORTEST_WAIT_S = 0.001
SHORTEST_LOOK_S = 0.01
"""The shortest time between two checks of the clocks; more if the last check took longer. A bot with many processes and
descriptors makes checks slow, which must neither keep the worker busy nor count as the machine's lateness."""
LAG_SHARE = 0.5
"""If the machine delayed a bot for this share of the wall cap, the machine may be why there is no line."""
ASLEEP_AFTER_S = 0.5
"""A bot that has been idle for so long in its turn is asleep."""
WRITTEN_AHEAD = "… this line arrived before the prompt: it was written ahead, or the previous reply had two lines"
WAITED_FOR_NOTHING = "did it read more lines than there were, or not flush its own?"
ABORTING = re.compile(
    r"terminate called |what\(\): |.*Assertion .* failed\.|\*\*\* .* \*\*\*: terminated"
    r"|(free|malloc|realloc|munmap_chunk)\(\): |double free or corruption|corrupted "
)
"""What the libraries of C and C++ say before they abort."""
ENDED_BY_ITSELF = "a bot replies once a turn, in a loop, until it is stopped"


class BotProcess:
    """A running bot. Closing it ends all of its processes."""

    def __init__(
        self,
        process: SandboxedProcess,
        tree: Tree,
        limits: Limits,
        *,
        reply_bytes: int,
        closed: Callable[[], None],
        naps: Naps | None = None,
    ) -> None:
        """`closed` is called once, when nothing of the bot is left. `naps`: is notified when the bot sleeps."""
        self._process, self._tree, self._limits = process, tree, limits
        self._reply_bytes = reply_bytes
        self._closed: Callable[[], None] | None = closed
        self._naps: Naps = naps or NoNaps()
        self._rest = Rest(limits.sleep_match_s, lambda: queued_s(tree.pids()))
        self._lines = LineBuffer()
        self._log = BoundedLog(turn_bytes=limits.stderr_turn_bytes, match_bytes=limits.stderr_match_bytes)
        self._stdin, self._stdout, self._stderr = process.stdin, process.stdout, process.stderr
        for descriptor in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(descriptor, False)
        self._poll = select.poll()
        self._unsent = b""
        self._sending = False
        self._charged_s = 0.0
        self._running = False
        self._over: str | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The bot's first process, as the worker numbers it; 0 before the first `ask`."""
        return self._process.pid

    # --- The channel ---------------------------------------------------------------------------------------------

    def ask(self, prompt: str, seconds: float) -> Reply:
        """See Channel. Raises HostOverloaded if time ran out by the machine's fault, BotKilled if others ended it:
        the attempt is then void."""
        if self._over is not None:
            raise Crashed(f"expected a running bot; it was ended after: {self._over}")
        first = not self._running
        turn = _Turn(seconds, self._limits.wall_s(seconds, first=first), time.monotonic(), first=first)
        try:
            line = self._answer(turn, prompt.encode())
            wall_s = time.monotonic() - turn.started_at
        except BotFault as fault:
            fault.cpu_s, fault.wall_s = self._used_s(), time.monotonic() - turn.started_at
            self._over = fault.message
            self._read_last_log()
            self._process.kill()
            raise
        finally:
            if turn.asleep:
                self._naps.awake()
        return Reply(line.decode("utf-8", "replace"), turn.used_s, wall_s, self._log.take())

    def log(self) -> str:
        """See Channel."""
        return self._log.take()

    def close(self) -> None:
        """Ends all of the bot's processes and waits until they are gone. May be called more than once."""
        if self._closed is None:
            return
        self._over = self._over or "its match is over"
        self._process.close()
        self._closed()
        self._closed = None

    # --- One turn ------------------------------------------------------------------------------------------------

    def _answer(self, turn: _Turn, prompt: bytes) -> bytes:
        self._unsent += prompt
        line = None
        if self._lines.waiting_bytes:
            self._log.remark(WRITTEN_AHEAD)
            line = self._take_line()
        if line is None:
            self._send()
            self._resume()
            line = self._wait_for_line(turn)
            turn.used_s = self._used_s()
            self._tree.freeze()
        else:
            self._send()
            turn.used_s = self._used_s()
        if turn.used_s > turn.cpu_s:
            raise _timed_out(turn)
        if not turn.first:
            self._rest.add(turn.idle_s(time.monotonic()))
            self._require_sleep_left()
        self._charged_s += turn.used_s
        return line

    def _require_sleep_left(self, idle_s: float = 0.0, lag_s: float = 0.0) -> None:
        """Raises TimedOut. `idle_s`, `lag_s`: of the turn that is not over."""
        slept_s = self._rest.too_long_s(idle_s, lag_s)
        if slept_s is not None:
            allowed = f"at most {self._rest.limit_s:g} s of sleep in a match"
            raise TimedOut(f"expected {allowed}; it slept or waited for {slept_s:.1f} s in the whole match")

    def _resume(self) -> None:
        if self._running:
            self._tree.thaw()
            return
        self._process.admit(self._tree)
        self._poll.register(self._stdout, select.POLLIN)
        self._poll.register(self._stderr, select.POLLIN)
        self._running = True

    def _wait_for_line(self, turn: _Turn) -> bytes:
        """Checks the CPU clock only when the limit may have passed: the usual turn is one poll and one read."""
        wait_s = min(turn.cpu_s, turn.wall_s)
        look_at = turn.started_at + wait_s
        while True:
            for descriptor, _ in self._poll.poll(math.ceil(wait_s * 1000)):
                self._handle(descriptor, turn)
            line = self._take_line()
            if line is not None:
                return line
            now = time.monotonic()
            if now >= look_at:
                turn.late_s += now - look_at
                left_s = self._check_clocks(turn, now)
                now, began_at = time.monotonic(), now
                look_at = now + max(left_s, SHORTEST_LOOK_S, now - began_at)
            wait_s = max(look_at - now, SHORTEST_WAIT_S)

    def _check_clocks(self, turn: _Turn, now: float) -> float:
        """Returns how many seconds to wait before the next check.

        Raises: TimedOut when a limit is exceeded. Crashed when no line can come any more. HostOverloaded.
        """
        turn.used_s = self._used_s()
        if turn.used_s > turn.cpu_s:
            raise _timed_out(turn, self._lines.told_rest())
        pids = self._tree.pids()
        turn.lag = turn.lag or Lag(counts_ended=self._tree.counts_ended)
        turn.lag.look(pids, now)
        left_s = turn.started_at + turn.wall_s - now
        lag_s = max(turn.late_s, turn.lag.longest_s())
        if left_s <= 0:
            late = _timed_out(turn, self._lines.told_rest())
            raise late if lag_s < LAG_SHARE * turn.wall_s else _overloaded(turn, lag_s)
        if pids and not self._is_output_open(pids) and not self._is_output_open(left := self._tree.pids()):
            self._ended(0.0 if left else EXIT_S)  # where none is left, it has ended, and how is known in a moment
        idle_s = turn.idle_s(now)
        if not turn.first:
            self._require_sleep_left(idle_s, lag_s)
        if not turn.asleep and idle_s - lag_s >= ASLEEP_AFTER_S:
            turn.asleep = True
            self._naps.asleep()
        return min(turn.cpu_s - turn.used_s, left_s)

    def _is_output_open(self, pids: set[int]) -> bool:
        """Whether one of the processes still has the bot's output open, or that cannot be determined.

        The launcher keeps it open as long as the bot lives, so there is no end of file when a bot merely closes it.
        """
        output = Path(f"/proc/self/fd/{self._stdout}").readlink()
        try:
            return any(one.readlink() == output for pid in pids for one in Path(f"/proc/{pid}/fd").iterdir())
        except OSError:
            return True

    def _handle(self, descriptor: int, turn: _Turn) -> None:
        if descriptor == self._stdin:
            self._send()
        elif descriptor == self._stderr:
            self._read_log()
        else:
            self._read_output(turn)

    def _take_line(self) -> bytes | None:
        line = self._lines.take()
        length = self._lines.waiting_bytes if line is None else len(line)
        if length > self._reply_bytes:
            got = f"{length} bytes" + (" and no line end" if line is None else "")
            raise TooMuchOutput(f"expected a line of at most {self._reply_bytes} bytes; got {got}")
        return line

    def _used_s(self) -> float:
        """CPU seconds since the last reply, or since the start."""
        return max(0.0, self._tree.cpu_s() - self._charged_s) if self._running else 0.0

    # --- Pipes ---------------------------------------------------------------------------------------------------

    def _send(self) -> None:
        """Writes what the pipe takes. A bot that closed its stdin may still answer."""
        if not self._unsent:
            return
        try:
            sent = os.write(self._stdin, self._unsent)
        except BlockingIOError:
            sent = 0
        except BrokenPipeError:
            sent = len(self._unsent)
        self._unsent = self._unsent[sent:]
        if self._unsent:
            self._poll.register(self._stdin, select.POLLOUT)
            self._sending = True
        elif self._sending:
            self._poll.unregister(self._stdin)
            self._sending = False

    def _read_output(self, turn: _Turn) -> None:
        try:
            data = os.read(self._stdout, READ_BYTES)
        except BlockingIOError:
            return
        if not data:
            self._ended()
        self._lines.feed(data)
        turn.output_bytes += len(data)
        if turn.output_bytes > self._limits.output_turn_bytes:
            allowed = self._limits.output_turn_bytes
            raise TooMuchOutput(f"expected at most {allowed} bytes on stdout in a turn; got {turn.output_bytes}")

    def _read_log(self) -> None:
        try:
            data = os.read(self._stderr, READ_BYTES)
        except BlockingIOError:
            return
        if not data:
            self._poll.unregister(self._stderr)
        self._log.feed(data)
        if self._log.total_bytes > self._limits.stderr_flood_bytes:
            allowed = self._limits.stderr_flood_bytes
            raise TooMuchOutput(f"expected at most {allowed} bytes on stderr in a match; got {self._log.total_bytes}")

    def _read_last_log(self) -> None:
        """Reads what the bot wrote before its fault; bounded, as it may still be writing."""
        for _ in range(LAST_READS):
            try:
                data = os.read(self._stderr, READ_BYTES)
            except BlockingIOError:
                return
            if not data:
                return
            self._log.feed(data)

    def _ended(self, patience_s: float = EXIT_S) -> NoReturn:
        """Raises Crashed: the output has ended, nearly always because the process has. Or else BotKilled."""
        self._read_last_log()
        end = self._process.end(patience_s)
        self._log.keep_end()
        last = self._log.telling_line()
        if end is not None:
            self._process.require_gate_passed(last)
            self._require_own_end(end)
        out_of_memory = self._tree.ran_out_of_memory()
        cause = _cause_of_end(end, last, out_of_memory, self._limits.memory_bytes)
        message = f"expected a line; {cause} before it replied"
        rest = self._lines.told_rest()
        if last:
            rest += f"; last stderr: {last}"
        elif not rest and end is not None and end.code == 0:
            rest = f"; {ENDED_BY_ITSELF}"
        raise Crashed(message + rest)

    def _require_own_end(self, end: End) -> None:
        """Raises BotKilled where nobody in the sandbox ended it. Only control groups show who used too much memory."""
        if self._tree.was_sacrificed():
            raise BotKilled("the machine had no memory left, although the bot was within its own limit")
        if end.killed and self._tree.counts_kills and not self._tree.ran_out_of_memory():
            raise BotKilled("SIGKILL, which nobody in its sandbox can send")


class _Turn:
    """The clocks of one `ask`.

    late_s: how much later than due the clocks were checked, in total. lag: of the bot, sampled at these checks.
    asleep: the bot slept in it, and that was reported. first: the bot's runtime is loaded from disk in it, so that its
    idle time is no sleep.
    """

    __slots__ = ("asleep", "cpu_s", "first", "lag", "late_s", "output_bytes", "started_at", "used_s", "wall_s")

    def __init__(self, cpu_s: float, wall_s: float, started_at: float, *, first: bool) -> None:
        self.cpu_s, self.wall_s, self.started_at = cpu_s, wall_s, started_at
        self.used_s, self.late_s = 0.0, 0.0
        self.output_bytes = 0
        self.lag: Lag | None = None
        self.asleep = False
        self.first = first

    def idle_s(self, now: float) -> float:
        """The time so far in which the bot did not compute, but for what this process was late."""
        return now - self.started_at - self.used_s - self.late_s


def _timed_out(turn: _Turn, rest: str = "") -> TimedOut:
    message = f"expected a line within {_ms(turn.cpu_s)} of CPU time; used {_ms(turn.used_s)}"
    if turn.used_s <= turn.cpu_s:
        message += f", but {turn.wall_s:g} s passed while it slept or waited"
        rest = rest or f"; {WAITED_FOR_NOTHING}"
    return TimedOut(message + rest)


def _overloaded(turn: _Turn, lag_s: float) -> HostOverloaded:
    return HostOverloaded(
        f"expected a line within {turn.wall_s:g} s, but the machine held the bot up for {lag_s:.1f} s; "
        f"it used {_ms(turn.used_s)} of {_ms(turn.cpu_s)} of CPU time"
    )


def _ms(seconds: float) -> str:
    milliseconds = f"{seconds * 1000:.1f}".removesuffix(".0")
    return f"{milliseconds} ms"


def _cause_of_end(end: End | None, last: str, out_of_memory: bool, memory_bytes: int) -> str:
    """`last`: what the process said last."""
    if out_of_memory:
        return f"the process was killed for using more than {memory_bytes // (KIB * KIB)} MiB of memory"
    # Process 1 of a namespace gets no SIGABRT of its own; then abort() ends it by an instruction that faults.
    if end is not None and (end.by == SIGABRT or (end.by == SIGSEGV and ABORTING.match(last))):
        return "the process ended itself with abort()"
    return "the process closed its output" if end is None else str(end)
