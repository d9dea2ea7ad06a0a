"""The parts of an experiment: jobs that run in any process in any order, and their outcomes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import get_context
from time import process_time
from typing import Any, TypeAlias

from hexarena.bench.ladder.world import Parameters

OURS = "hexarena"
Outcome: TypeAlias = Mapping[str, float]
"""What one job found: name of the figure -> its value."""
Figure: TypeAlias = Callable[[Sequence[Outcome]], float]
"""From the outcomes of all repetitions to the figure of the table."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A world, and the first of the seeds."""

    name: str
    seed: int
    parameters: Parameters


PUBLISHED = Setting("published", 1, Parameters())
"""The world in which raters and pairers were chosen and goals set."""
HELD_OUT = Setting(
    "held-out",
    70_001,
    Parameters(
        spread=200.0,
        copies=0.25,
        nontransitive=90.0,
        draws=0.15,
        seat=80.0,
        map_seat=0.0,
        map_style=70.0,
        version_gain=15.0,
        version_spread=90.0,
    ),
)
"""For the final figures only: bots closer together, more copies, draws, cycles and advantage of the first seat."""
SETTINGS = {setting.name: setting for setting in (PUBLISHED, HELD_OUT)}


@dataclass(frozen=True, slots=True)
class Repetitions:
    """How often something is repeated, in a full and in a quick run."""

    full: int
    quick: int

    def of(self, quick: bool) -> range:
        """The repetitions' numbers."""
        return range(self.quick if quick else self.full)


@dataclass(frozen=True, slots=True)
class Job:
    """One repetition of an experiment for one contestant. `run`: a module's function, which other processes find."""

    experiment: str
    contestant: str
    run: Callable[..., Outcome]
    arguments: Sequence[Any] = ()


@dataclass(slots=True)
class Found:
    """What the jobs of an experiment found. outcomes: contestant -> [repetition]; cpu_s: their CPU time together."""

    outcomes: dict[str, list[Outcome]] = field(default_factory=dict)
    cpu_s: dict[str, float] = field(default_factory=dict)


def run_all(jobs: Sequence[Job], processes: int, progress: Callable[[Job], None]) -> dict[str, Found]:
    """Experiment -> what was found, the same for any number of processes. `progress`: called after each job."""
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        running = {pool.submit(_run, job): job for job in jobs}
        for done in as_completed(running):
            done.result()
            progress(running[done])
    found: dict[str, Found] = {}
    for future, job in running.items():
        outcome, cpu_s = future.result()
        of_experiment = found.setdefault(job.experiment, Found())
        of_experiment.outcomes.setdefault(job.contestant, []).append(outcome)
        of_experiment.cpu_s[job.contestant] = of_experiment.cpu_s.get(job.contestant, 0.0) + cpu_s
    return found


def standard_error(figure: Figure, outcomes: Sequence[Outcome]) -> float:
    """The standard error of the figure over the repetitions; not a number if there is only one.

    Source: the jackknife: the figure is computed once without each of the repetitions.
    """
    count = len(outcomes)
    if count < 2:
        return math.nan
    without = [figure([*outcomes[:one], *outcomes[one + 1 :]]) for one in range(count)]
    mean = math.fsum(without) / count
    return math.sqrt((count - 1) / count * math.fsum((value - mean) ** 2 for value in without))


def mean_of(name: str) -> Figure:
    """The figure that is the mean of one value."""
    return lambda outcomes: math.fsum(outcome[name] for outcome in outcomes) / len(outcomes)


def _run(job: Job) -> tuple[Outcome, float]:
    started = process_time()
    return job.run(*job.arguments), process_time() - started
