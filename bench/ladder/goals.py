"""The table of goals: the target, our figure, and the others' figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType

from hexarena.bench.ladder import (
    cost,
    duels,
    guests,
    leagues,
    newcomer,
    promotion,
    rerolls,
    season,
    shuffled,
    static,
    suspects,
    teams,
    worlds,
)
from hexarena.bench.ladder.jobs import OURS, PUBLISHED, Figure, Found, Job, Setting, mean_of, standard_error
from hexarena.bench.ladder.static import games_to

EXPERIMENTS: Sequence[ModuleType] = (
    static,
    worlds,
    season,
    rerolls,
    newcomer,
    promotion,
    suspects,
    guests,
    leagues,
    teams,
    duels,
    cost,
    shuffled,
)
"""The experiments, those with the longest jobs first. Each has `jobs(setting, quick)`."""


@dataclass(frozen=True, slots=True)
class Goal:
    """`least` <= the figure <= `most`, after rounding to `digits`; without either, any figure but "never"."""

    digits: int
    least: float = -math.inf
    most: float = math.inf

    def met(self, figure: float) -> bool:
        """Whether a figure is good enough. One that is infinite or not a number is not."""
        return math.isfinite(figure) and self.least <= round(figure, self.digits) <= self.most

    def missed_by(self, figure: float) -> float:
        """How far a figure is from being good enough; 0 if it is, infinite if it is not a number."""
        if not math.isfinite(figure):
            return math.inf
        return 0.0 if self.met(figure) else max(self.least - figure, figure - self.most, 0.0)

    def __str__(self) -> str:
        low, high = (f"{edge:,.{self.digits}f}" for edge in (self.least, self.most))
        if math.isinf(self.least):
            return "at all" if math.isinf(self.most) else f"<= {high}"
        return f">= {low}" if math.isinf(self.most) else f"{low} to {high}"

    def as_good_as(self, figures: Sequence[float]) -> Goal:
        """A goal in the same direction: no worse than the best of these."""
        known = [round(figure, self.digits) for figure in figures if not math.isnan(figure)]
        if not known:
            return self
        if math.isinf(self.least):
            return Goal(self.digits, most=min(known))
        return Goal(self.digits, least=max(known))


@dataclass(frozen=True, slots=True)
class Kind:
    """A line to be measured. of_world: the best possible figure depends on the world.

    Such goals hold in the published world, where they were found; in another one the best of the others is the goal.
    """

    experiment: str
    name: str
    figure: Figure
    goal: Goal
    of_world: bool = True
    relative: bool = False
    """The goal follows from the best of worlds.BETTER_THAN, less one standard error."""


KINDS = (
    Kind("static-20", "20 bots: games of each to tau .90", games_to(0.90), Goal(0, most=78)),
    Kind("static-100", "100 bots: games of each to tau .90", games_to(0.90), Goal(0, most=69)),
    Kind("static-100", "100 bots: games of each to tau .95", games_to(0.95), Goal(0, most=300)),
    Kind("static-100", "100 bots: tau after 200 games", mean_of("tau 200"), Goal(3, least=0.94)),
    Kind("static-100", "100 bots: top ten, places off after 100", mean_of("top 100"), Goal(2, most=1.37)),
    Kind(
        "static-100",
        "100 bots: 95 % intervals that hold, after 100",
        mean_of("covered 100"),
        Goal(2, 0.93, 0.97),
        False,
    ),
    Kind("static-1000", "1,000 bots: games of each to tau .90", games_to(0.90), Goal(0, most=70)),
    Kind("static-1000", "1,000 bots: games of each to tau .95", games_to(0.95), Goal(0, most=277)),
    Kind("newcomer", "newcomer in its place (5 %) after 20 games", mean_of("within 20"), Goal(2, least=0.53)),
    Kind("newcomer", "newcomer in its place (5 %) after 50 games", mean_of("within 50"), Goal(2, least=0.69)),
    Kind("newcomer", "newcomer in its place (5 %) after 100 games", mean_of("within 100"), Goal(2, least=0.81)),
    Kind("version", "new version in its place (5 %) after 20 games", mean_of("within 20"), Goal(2, least=0.66)),
    Kind("season", "season: mean tau", mean_of("tau"), Goal(3, least=0.941)),
    Kind("season", "season: worst tau", mean_of("worst"), Goal(3, least=0.923)),
    Kind("shuffled", "games shuffled: a rating moves, at most, Elo", mean_of("elo"), Goal(3, most=0.1), False),
    Kind("shuffled", "games shuffled: a bot moves, on average, places", mean_of("places"), Goal(2, most=0.0), False),
    Kind("promotion", "40 Elo under the boss: promoted", mean_of("promoted -40"), Goal(2, most=0.03), False),
    Kind("promotion", "80 Elo above the boss: promoted", mean_of("promoted 80"), Goal(2, least=0.86), False),
    Kind("promotion", "as strong as the boss: games of the trial", mean_of("games 0"), Goal(0, most=138), False),
    Kind("falling", "as strong as the boss below: falls within 60", mean_of("fell 0"), Goal(2, most=0.03), False),
    Kind("falling", "250 Elo weaker than the boss below: falls", mean_of("fell 250"), Goal(2, least=0.95), False),
    Kind("falling", "800 Elo weaker than the boss below: falls", mean_of("fell 800"), Goal(2, least=0.95), False),
    Kind("versions", "ten equal versions: places that the luckiest gains", mean_of("gained"), Goal(1, most=2.0), False),
    Kind("names", "ten new names: places that the luckiest gains", mean_of("gained"), Goal(1, most=2.0), False),
    Kind("guests", "49 guests throw games: places that a bot gains", mean_of("gained"), Goal(1, -2.0, 2.0), False),
    Kind("guests", "the same, if guests rated others", mean_of("plain"), Goal(1), False),
    Kind("suspects", "an honest ladder is reported", mean_of("alarm"), Goal(2, most=0.05), False),
    Kind("suspects", "14 throw games: the bot that gains is found", mean_of("found"), Goal(2, least=0.95), False),
    Kind("suspects", "throwers that are named", mean_of("named"), Goal(2, least=0.7), False),
    Kind("suspects", "honest bots among the named", mean_of("wrong"), Goal(2, most=0.25), False),
    Kind("suspects-many", "4 a match: an honest ladder is reported", mean_of("alarm"), Goal(2, most=0.05), False),
    Kind(
        "suspects-many",
        "4 a match, 14 throw games: the bot that gains is found",
        mean_of("found"),
        Goal(2, least=0.95),
        False,
    ),
    Kind("suspects-many", "4 a match: throwers that are named", mean_of("named"), Goal(2, least=0.7), False),
    Kind("suspects-many", "4 a match: honest bots among the named", mean_of("wrong"), Goal(2, most=0.25), False),
    Kind("duel", "equals: wrongly found stronger", mean_of("stronger 0"), Goal(3, most=0.06), False),
    Kind("duel", "37 Elo stronger: found", mean_of("stronger 37"), Goal(3, least=0.94), False),
    Kind("duel", "37 Elo stronger: games of the duel", mean_of("games 37"), Goal(0, most=407), False),
    Kind("teams", "4 teams: games of each to tau .90", games_to(0.90), Goal(0, most=25)),
    Kind("teams", "4 teams: 95 % intervals that hold, after 20", mean_of("covered 20"), Goal(2, 0.92, 0.97), False),
    Kind("teams", "4 teams: 95 % intervals that hold, after 40", mean_of("covered 40"), Goal(2, 0.93, 0.97), False),
    Kind(
        "leagues", "leagues, 4 a match: order of 20 bots after 60 games", mean_of("order 60"), Goal(3, least=0.8), False
    ),
    Kind("leagues", "leagues, 4 a match: order of 20 bots after 200", mean_of("order 200"), Goal(3, least=0.8), False),
    Kind("leagues", "leagues: 95 % intervals that hold, after 60", mean_of("covered 60"), Goal(2, 0.93, 0.97), False),
    Kind("leagues", "leagues: 95 % intervals that hold, after 200", mean_of("covered 200"), Goal(2, 0.93, 0.97), False),
    Kind("cost", "1,000 bots, 1,000,000 games: refit after 500, s", mean_of("refit_s"), Goal(3, most=0.1), False),
    Kind("cost", "1,000 bots: 100 pairings, ms", mean_of("pairings_ms"), Goal(1, most=15.0), False),
    Kind("cost", "1,000 bots after 10 games: how sure places are, s", mean_of("placing_s"), Goal(2, most=0.5), False),
    Kind("schedule", "6,257 bots: a ladder match is decided, ms", mean_of("ladder_ms"), Goal(2, most=2.0), False),
    Kind("schedule", "6,257 bots: a newcomer's match is decided, ms", mean_of("needed_ms"), Goal(2, most=2.0), False),
    Kind("schedule", "6,257 bots: taken in after a refit, ms", mean_of("read_ms"), Goal(0, most=250.0), False),
    Kind("schedule", "6,257 bots: memory of the ladder, MB", mean_of("memory_mb"), Goal(0, most=50.0), False),
)
OF_WORLDS = tuple(
    kind
    for world in worlds.WORLDS
    for bots in worlds.SIZES
    for experiment in (worlds.name_of(world, bots),)
    for kind in (
        *(
            Kind(experiment, f"{experiment}: tau after {look}", mean_of(f"tau {look}"), Goal(3, least=0.0), False, True)
            for look in worlds.LOOKS
        ),
        *(
            Kind(
                experiment,
                f"{experiment}: top, off after {look}",
                mean_of(f"top {look}"),
                Goal(2, most=0.0),
                False,
                True,
            )
            for look in worlds.LOOKS
        ),
        Kind(
            experiment,
            f"{experiment}: intervals that hold, at worst",
            worlds.furthest_covered,
            Goal(2, 0.93, 0.97),
            False,
        ),
    )
)
WORLDS = "worlds"
"""The name of all of them together."""
NAMES = (*dict.fromkeys(kind.experiment for kind in KINDS), WORLDS)
"""The experiments, as `--only` knows them."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table. figures: contestant -> figure. error: standard error of ours. cpu_s: CPU time of ours."""

    experiment: str
    name: str
    goal: Goal
    figures: Mapping[str, float]
    error: float
    cpu_s: float

    @property
    def met(self) -> bool:
        """Whether ours is good enough."""
        return self.goal.met(self.figures[OURS])

    @property
    def verdict(self) -> str:
        """pass; near: misses the goal by less than its standard error, so that chance may have decided; or FAIL."""
        if self.met:
            return "pass"
        return "near" if self.goal.missed_by(self.figures[OURS]) < self.error else "FAIL"


def jobs(setting: Setting, quick: bool, only: Sequence[str]) -> list[Job]:
    """All jobs of the experiments with these names; of all experiments if there are none."""
    of_worlds = {kind.experiment for kind in OF_WORLDS}
    every = (job for experiment in EXPERIMENTS for job in experiment.jobs(setting, quick))
    return [job for job in every if not only or (WORLDS if job.experiment in of_worlds else job.experiment) in only]


def rows(found: Mapping[str, Found], setting: Setting) -> list[Row]:
    """The table, without the lines of experiments that were not run."""
    return [_row(kind, found[kind.experiment], setting) for kind in (*KINDS, *OF_WORLDS) if kind.experiment in found]


def _row(kind: Kind, found: Found, setting: Setting) -> Row:
    figures = {name: kind.figure(outcomes) for name, outcomes in found.outcomes.items()}
    goal = kind.goal
    if kind.of_world and setting != PUBLISHED:
        goal = goal.as_good_as([figure for name, figure in figures.items() if name != OURS])
    if kind.relative:
        goal = _not_worse_by_an_error(kind, found, figures)
    error = standard_error(kind.figure, found.outcomes[OURS])
    return Row(kind.experiment, kind.name, goal, figures, error, found.cpu_s[OURS])


def _not_worse_by_an_error(kind: Kind, found: Found, figures: Mapping[str, float]) -> Goal:
    fewer_is_better = math.isinf(kind.goal.least)
    best = (min if fewer_is_better else max)(worlds.BETTER_THAN, key=lambda name: figures[name])
    allowed = worlds.margin(kind.figure, found.outcomes[OURS], found.outcomes[best])
    if fewer_is_better:
        return Goal(kind.goal.digits, most=figures[best] + allowed)
    return Goal(kind.goal.digits, least=figures[best] - allowed)
