"""A tormented arena from its first match to the checks: the plan, the faults in turn, and what is left at the end."""

from __future__ import annotations

import fcntl
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from select import select as select_ready

from sqlalchemy import func, select

from hexarena.backend.matches.store import blobs_of
from hexarena.backend.models import Match, VoidAttempt
from hexarena.worker.sandbox import cgroup
from scripts.chaos import checks, faults
from scripts.chaos.arena import Arena, descendants
from scripts.chaos.faults import Fault

MOST_PAUSE_S = 2.0
NOT_ASKED = "not asked for"
UPLOADS_ONCE = 1
SOON = timedelta(seconds=60)
"""An attempt that ends so soon after a fault was spoilt by it."""
LEFT_S = 10.0
"""How long the kernel may take to end what was killed."""


@dataclass
class Done:
    """A fault that was done: when, and which matches were running."""

    name: str
    at: datetime
    touched: list[int]


@dataclass
class Report:
    """Of one or more arenas."""

    done: list[Done] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    spoilt: Counter[str] = field(default_factory=Counter)
    attempts: Counter[str] = field(default_factory=Counter)
    states: Counter[str] = field(default_factory=Counter)
    wrong: dict[str, list[str]] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def failed(self) -> bool:
        """Whether any check did."""
        return any(self.wrong.values())


@dataclass(frozen=True, slots=True)
class Plan:
    """How much. `minutes`: no more matches are posted after so many; 0: until all are. `once`: each fault only once.

    `only`: these faults; empty for all.
    """

    matches: int
    minutes: float = 0.0
    once: bool = False
    only: tuple[str, ...] = ()

    def most(self, faults_done: int, faults_in_all: int, posted: int) -> int:
        """How many matches may be posted by now: where each fault is done once, some for each of them."""
        if not self.once:
            return self.matches
        return max(posted + 2, round(self.matches * (faults_done + 1) / faults_in_all))


@dataclass
class Torment:
    """Posts matches and does faults until all matches are over. `say`: gets a line for each fault."""

    arena: Arena
    plan: Plan
    chance: random.Random
    report: Report
    say: Callable[[str], None]
    small_disk: bool
    began: float = field(default_factory=time.monotonic)

    def run(self) -> None:
        """All of it. The arena is quiet then."""
        arena = self.arena
        arena.uploads = UPLOADS_ONCE if self.plan.once else arena.uploads
        arena.start()
        self._wait(arena.done, self.plan.most(0, 99, 0), "a match is done")
        known = faults.all_faults(arena, small_disk=self.small_disk)
        if self.plan.only:
            known = [one if one.name in self.plan.only else replace(one, why_not=NOT_ASKED) for one in known]
        self.report.skipped.update({one.name: one.why_not for one in known if one.why_not})
        deck, count = faults.shuffled(known, self.chance), 0
        size = len(deck)
        while deck and not self._is_over():
            self._do(deck.pop(), self.plan.most(count, size, arena.posted.matches))
            count += 1
            if self.plan.minutes and self._seconds() > 60 * self.plan.minutes:
                self.plan = replace(self.plan, matches=arena.posted.matches, minutes=0.0)
            if not deck and not self.plan.once:
                deck = faults.shuffled(known, self.chance)
        self._wait(lambda: arena.posted.matches >= self.plan.matches, self.plan.matches, "all are posted")
        arena.wait(lambda: not arena.is_checking() and arena.all_have_played(), "all bots have played")
        arena.retire("scheduler")  # which would play its ladders on
        arena.wait(arena.is_quiet, "all matches are over and counted")
        self.report.seconds += self._seconds()

    def _is_over(self) -> bool:
        """Whether there is nothing left to do faults to."""
        if self.plan.once or self.arena.posted.matches < self.plan.matches:
            return False
        found: list[int] = []
        self.arena.wait(lambda: not found.append(self.arena.waiting()), "the database answers")
        return not found[-1]

    def _do(self, fault: Fault, most: int) -> None:
        """A fault while matches run, and on until one of those after it is done."""
        arena = self.arena
        self._wait(lambda: arena.running() or arena.is_quiet(), most, "a match runs")
        before = arena.done()
        self.report.done.append(Done(fault.name, arena.now(), arena.running()))
        self.say(f"{self._seconds():6.1f} s  {before:4} done  {fault.name}")
        fault.do(arena, self.chance)
        self._wait(lambda: arena.done() > before or arena.is_quiet(), most, "a match is done after it")
        arena.pause(self.chance.uniform(0, MOST_PAUSE_S))

    def _wait(self, is_true: Callable[[], object], most: int, what: str) -> None:
        """Posts matches meanwhile."""

        def look() -> object:
            self.arena.top_up(most)
            return is_true()

        self.arena.wait(look, what)

    def _seconds(self) -> float:
        return time.monotonic() - self.began


def judge(arena: Arena, report: Report) -> None:
    """Stops the arena and checks what it left."""
    watched = _pidfds(pid for process in arena.parts.values() for pid in descendants(process.pid))
    token = faults.arena_token(arena.settings.data_folder)
    arena.stop()
    found = checks.Found(
        arena.database,
        blobs_of(arena.settings),
        arena.posted.accepted,
        arena.posted.uploads,
        arena.posted.answers,
        arena.posted.said,
        None if arena.network else arena.settings.data_folder / "blobs",
    )
    wrong = checks.run(found)
    wrong["no process, group, lock or file is left"] = _left(arena, token, watched)
    for name, what in wrong.items():
        report.wrong.setdefault(name, []).extend(what)
    with arena.database.transaction() as session:
        report.attempts += checks.attempts(session)
        report.states += Counter(dict(session.execute(select(Match.state, func.count()).group_by(Match.state)).all()))
        for one in report.done:
            soon = VoidAttempt.ended_at.between(one.at, one.at + SOON)
            query = select(func.count(VoidAttempt.match_id.distinct())).where(
                VoidAttempt.match_id.in_(one.touched), soon
            )
            report.spoilt[one.name] += session.scalar(query) or 0


def _left(arena: Arena, token: str, watched: Sequence[int]) -> list[str]:
    """Of the parts' processes, and of the sandboxes of workers that were killed."""
    wrong = [f"process {pid} of a sandbox still runs" for pid in faults.sandboxed(arena.settings.data_folder)]
    wrong += ["a process below a part still runs" for process in watched if _is_alive(process)]
    places = [folder for place in cgroup.places() for folder in place.glob(f"{token}*")]
    wrong += [f"control group {folder}" for folder in places]
    worker = arena.settings.data_folder / "worker"
    wrong += [f"{path} is left" for path in sorted((worker / "scratch").glob("*"))]
    wrong += [f"{path} is locked" for path in sorted((worker / "locks").glob("*")) if _is_held(path)]
    return wrong


def _pidfds(pids: Iterable[int]) -> list[int]:
    found = []
    for pid in pids:
        with suppress(ProcessLookupError):
            found.append(os.pidfd_open(pid))
    return found


def _is_alive(process: int) -> bool:
    return not select_ready([process], [], [], LEFT_S)[0]


def _is_held(path: Path) -> bool:
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
