"""What `hexarena bench runner` prints: a line for each kind of match, and the goals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from rich.table import Table

from hexarena.cli.bench.null_game import TURNS

ENGINE_MS = 1_320.0
"""CPU of a game of Ants in the original engine, bots and start included: measured once, as no jar is at hand here."""
ENGINE_RATIO = 50.0
TURN_OVER_PIPES_US = 30.0
PYTHON_START_MS = 25.0
OURS, PIPES, ANTS = "Hexarena, Null game", "bare pipes, null game", "Hexarena, Ants"


@dataclass(slots=True)
class Row:
    """A line of the table: what the matches of one kind cost. All in milliseconds of CPU time, a value a match.

    total: of everybody. own: of this process. bots: for all replies. first: for a bot's first reply, its start.
    turn_us: microseconds on the wall clock of a turn of one bot, the median of each match.
    goal_ms, with_start: what `ours` may be at most, and whether the bots' start counts as ours in that.
    """

    name: str
    bots_in: str
    goal_ms: float | None = None
    with_start: bool = False
    total: list[float] = field(default_factory=list)
    own: list[float] = field(default_factory=list)
    bots: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    turn_us: list[float] = field(default_factory=list)

    @property
    def ours(self) -> float:
        """The median cost, less the CPU time of the bots' replies."""
        pairs = zip(self.total, self.bots, self.first, strict=True)
        return median(total - bots + (2 * first if self.with_start else 0.0) for total, bots, first in pairs)

    @property
    def per_core_second(self) -> float:
        """Matches in a second of one core."""
        return 1000 / median(self.total)


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal, what was reached, and whether that meets it."""

    what: str
    goal: str
    got: str
    met: bool


def cost_table(rows: Sequence[Row], sandbox: str) -> Table:
    """What was measured, a line a kind."""
    table = Table(title=f"A match of {TURNS} turns, two bots that wait; medians, CPU time in ms. {sandbox}")
    left = ("engine, game", "bots")
    for heading in (
        *left,
        "matches",
        "total",
        "bots",
        "of that a start",
        "our process",
        "ours",
        "a turn",
        "a core-second",
    ):
        table.add_column(heading, justify="left" if heading in left else "right")
    for row in rows:
        table.add_row(
            row.name,
            row.bots_in,
            str(len(row.total)),
            *(f"{median(figures):.1f}" for figures in (row.total, row.bots, row.first, row.own)),
            f"{row.ours:.1f}",
            f"{median(row.turn_us):.1f} µs",
            f"{row.per_core_second:.1f}",
        )
    return table


def goals_table(rows: Sequence[Row], engine: Row | None) -> Table:
    """The goals. A row that could not be measured completely is left out."""
    table = Table(title="Goals")
    for heading in ("what", "goal", "got", "met"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    found = {(row.name, row.bots_in): row for row in rows}
    for goal in (*_match_goals(rows), *_turn_goal(found), *_start_goal(found), *_engine_goal(found, engine)):
        table.add_row(goal.what, goal.goal, goal.got, "yes" if goal.met else "NO")
    return table


Found = Mapping[tuple[str, str], Row]


def _match_goals(rows: Sequence[Row]) -> Iterator[Goal]:
    for row in rows:
        if row.goal_ms is not None:
            what = f"{row.name}, {row.bots_in} bots: ours" + (", their start included" if row.with_start else "")
            yield Goal(what, f"≤ {row.goal_ms:g} ms", f"{row.ours:.1f} ms", row.ours <= row.goal_ms)


def _turn_goal(found: Found) -> Iterator[Goal]:
    ours, pipes = found.get((OURS, "C++")), found.get((PIPES, "C++"))
    if ours is not None and pipes is not None:
        over_us = median(ours.turn_us) - median(pipes.turn_us)
        goal = f"≤ {TURN_OVER_PIPES_US:g} µs"
        yield Goal("a turn over bare pipes, C++ bots", goal, f"{over_us:.1f} µs", over_us <= TURN_OVER_PIPES_US)


def _start_goal(found: Found) -> Iterator[Goal]:
    python = found.get((OURS, "Python"))
    if python is not None:
        start_ms, goal = median(python.first), f"≤ {PYTHON_START_MS:g} ms"
        what = "a Python bot's start to its first reply"
        yield Goal(what, goal, f"{start_ms:.1f} ms", start_ms <= PYTHON_START_MS)


def _engine_goal(found: Found, engine: Row | None) -> Iterator[Goal]:
    ants = found.get((ANTS, "C++"))
    if ants is not None:
        ratio = (ENGINE_MS if engine is None else median(engine.total)) / median(ants.total)
        whose = "the original engine's (as measured earlier)" if engine is None else f"those of {engine.name}"
        what = f"Ants, matches a core-second over {whose}"
        yield Goal(what, f"≥ {ENGINE_RATIO:g}", f"{ratio:.0f}", ratio >= ENGINE_RATIO)
