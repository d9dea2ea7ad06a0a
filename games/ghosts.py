"""Playing on from a turn of a played match: a ghost gives recorded replies, then the bot behind it takes over.

Theory of operation. Until the turn of the fork each seat's recorded reply counts, so the match repeats itself exactly.
A bot behind a ghost gets every prompt meanwhile and answers it, so that it knows the match; its answers count from the
next turn on. Whether the match did repeat itself is checked against the recorded frames: rules that have changed since,
or replies that were stored cut, are noticed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from hexarena.games.contract import (
    BotFault,
    Channel,
    Crashed,
    FaultKind,
    Json,
    Reply,
    Resigned,
    Seat,
    TimedOut,
    TooMuchOutput,
)
from hexarena.games.lines import is_cut, parsed_lines, turn_line
from hexarena.games.referee import Event, Turn

_FAULTS: Mapping[FaultKind, type[BotFault]] = {
    "timeout": TimedOut,
    "crash": Crashed,
    "flood": TooMuchOutput,
    "resigned": Resigned,
}
_MEASURED = frozenset({"cpu"})
"""Keys of a frame that no two playings have in common."""


class NotRepeated(ValueError):
    """The match did not repeat itself. `turn`: where it did not."""

    def __init__(self, turn: int, why: str) -> None:
        super().__init__(why)
        self.turn = turn


@dataclass(frozen=True, slots=True)
class Said:
    """What a seat replied when it was asked: a line, or the fault that it made instead; and what went with it."""

    line: str | None
    kind: FaultKind = "crash"
    message: str = ""
    cpu_s: float = 0.0
    stderr: str = ""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A played match up to a turn. `said`: seat -> its replies in order. `frames`: of these turns, as in the replay.
    `cut`: the first turn with a reply that was stored cut.
    """

    turn: int
    said: tuple[tuple[Said, ...], ...]
    frames: tuple[Mapping[str, Json], ...]
    cut: int | None = None


@dataclass(slots=True)
class Ghost:
    """A Channel with recorded replies. `bot`: takes over behind them; None where the record has the whole match."""

    said: Sequence[Said]
    bot: Channel | None = None
    _asked: int = 0
    _fault: BotFault | None = None
    _log: str = ""

    def ask(self, prompt: str, seconds: float) -> Reply:
        """See Channel. What the bot logs and uses while it catches up is its own."""
        if self._asked >= len(self.said):
            return self._take_over(prompt, seconds)
        said = self.said[self._asked]
        self._asked += 1
        own = Reply("", said.cpu_s, 0.0, said.stderr) if self.bot is None else self._follow(self.bot, prompt, seconds)
        if said.line is None:
            fault = _FAULTS.get(said.kind, Crashed)(said.message)
            fault.cpu_s, self._log = own.cpu_s, own.stderr
            raise fault
        return Reply(said.line, own.cpu_s, own.wall_s, own.stderr)

    def _follow(self, bot: Channel, prompt: str, seconds: float) -> Reply:
        """The bot's own answer, which does not count. Its fault counts once it has taken over."""
        if self._fault is not None:
            return Reply("")
        try:
            return bot.ask(prompt, seconds)
        except BotFault as fault:
            self._fault = fault
            return Reply("", fault.cpu_s, fault.wall_s, bot.log())

    def _take_over(self, prompt: str, seconds: float) -> Reply:
        if self.bot is None:
            raise NotRepeated(0, "expected a reply in the record; it has no more of this seat")
        if self._fault is not None:
            raise self._fault
        return self.bot.ask(prompt, seconds)

    def log(self) -> str:
        """See Channel."""
        log, self._log = self._log, ""
        return log if self.bot is None else log + self.bot.log()


class Check:
    """Watches a match, and raises NotRepeated in the first turn that differs from the recorded one."""

    def __init__(self, recorded: Recorded) -> None:
        self._frames = iter(recorded.frames)
        self._cut = recorded.cut

    def __call__(self, event: Event) -> None:
        """Gets each event of the referee."""
        if not isinstance(event, Turn) or (frame := next(self._frames, None)) is None:
            return
        if _content(orjson.loads(turn_line(event))) != _content(frame):
            is_cut_before = self._cut is not None and self._cut <= event.number
            why = f": a reply in turn {self._cut} was too long to be kept whole" if is_cut_before else ""
            raise NotRepeated(event.number, f"turn {event.number} did not come out as it was recorded{why}")


def _content(frame: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in frame.items() if name not in _MEASURED}


def recorded(replay: str, seat_logs: Sequence[str], turn: int) -> Recorded:
    """A match as the arena stores it, up to this turn. `seat_logs`: seat -> its private lines.

    Raises: NotRepeated (it has no such turn), ValueError (no replay).
    """
    frames = [line for line in parsed_lines(replay) if "t" in line]
    if turn > len(frames):
        raise NotRepeated(turn, f"expected a turn up to {len(frames)}, the last one of the match; got {turn}")
    said = tuple(tuple(_said(seat, log, frames, turn)) for seat, log in enumerate(seat_logs))
    return Recorded(turn, said, tuple(frames[:turn]), _first_cut(seat_logs, turn))


def _first_cut(seat_logs: Sequence[str], turn: int) -> int | None:
    cut = (line["t"] for log in seat_logs for line in parsed_lines(log) if line["o"] is not None and is_cut(line["o"]))
    return min((number for number in cut if number <= turn), default=None)


def _said(seat: Seat, log: str, frames: Sequence[Mapping[str, Any]], turn: int) -> Iterable[Said]:
    for line in parsed_lines(log):
        if line["t"] > turn:
            return
        if line["o"] is not None:
            yield Said(line["o"])
            continue
        faults = [found for found in frames[line["t"] - 1].get("faults", ()) if found[0] == seat]
        yield Said(None, faults[0][1], faults[0][2]) if faults else Said(None)
