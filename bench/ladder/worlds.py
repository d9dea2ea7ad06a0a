"""Eight worlds that differ in one thing each: is our board anywhere worse than a simpler ladder's?

Three sets of seeds a world, for 20 and for 100 bots. Goals are relative: not worse than the best of BETTER_THAN by more
than one standard error, seed by seed. 95 % intervals are to hold the truth in 93 to 97 of 100 cases, everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from hexarena.bench.ladder.jobs import OURS, Figure, Job, Outcome, Repetitions, Setting, mean_of
from hexarena.bench.ladder.static import Size, play
from hexarena.bench.ladder.world import Parameters

BETTER_THAN = ("random-ML", "TrueSkill-near", "CodinGame-like")
OTHERS = (*BETTER_THAN, "psyleague", "cgarena")
PLAIN = Parameters(copies=0.0, nontransitive=0.0, seat=0.0, map_seat=0.0, map_style=0.0)
WORLDS: Mapping[str, Parameters] = {
    "plain": PLAIN,
    "seat": replace(PLAIN, seat=60.0),
    "cycles": replace(PLAIN, nontransitive=150.0),
    "strong cycles": replace(PLAIN, nontransitive=300.0),
    "draws": replace(PLAIN, draws=0.3),
    "tails": replace(PLAIN, tails=3.0),
    "clusters": replace(PLAIN, clusters=5),
    "crashes": replace(PLAIN, crashes=0.05),
}
"""The first seat is worth 60 Elo; match-ups of 150 and of 300 Elo rms; 30 % draws; strengths from a Student's t; five
groups of equals; 5 % of a bot's games lost by a crash."""
SEED_SETS = (200_001, 400_001, 600_001)
SIZES = {20: Size(20, 200, 200, 1, Repetitions(20, 1)), 100: Size(100, 200, 200, 1, Repetitions(4, 0))}
"""Repetitions: of each set of seeds."""
LOOKS = (50, 100, 200)
INTERVALS_AT = (20, *LOOKS)


def name_of(world: str, bots: int) -> str:
    """The experiment's."""
    return f"{world}, {bots} bots"


def jobs(setting: Setting, quick: bool) -> Iterator[Job]:
    """Every world and size. `setting` is not used: these worlds are its alternatives."""
    for world, parameters in WORLDS.items():
        for bots, size in SIZES.items():
            for name in (OURS, *OTHERS):
                for seed in SEED_SETS:
                    for repetition in size.repetitions.of(quick):
                        here = Setting(world, seed, parameters)
                        yield Job(name_of(world, bots), name, play, (here, name, size, repetition))


def furthest_covered(outcomes: Sequence[Outcome]) -> float:
    """The share of intervals that hold the truth, at the look where it is furthest from 95 %."""
    return max((mean_of(f"covered {look}")(outcomes) for look in INTERVALS_AT), key=lambda share: abs(share - 0.95))


def margin(figure: Figure, ours: Sequence[Outcome], theirs: Sequence[Outcome]) -> float:
    """One standard error of the difference of a mean, seed by seed."""
    differences = [figure([one]) - figure([other]) for one, other in zip(ours, theirs, strict=True)]
    mean = math.fsum(differences) / len(differences)
    if len(differences) < 2:
        return math.nan
    variance = math.fsum((difference - mean) ** 2 for difference in differences) / (len(differences) - 1)
    return math.sqrt(variance / len(differences))
