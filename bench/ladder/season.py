"""A season: users arrive and submit new versions all the time. How accurate is the live board?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hexarena.bench.ladder.catalogue import contestant
from hexarena.bench.ladder.contestants import Contestant
from hexarena.bench.ladder.jobs import OURS, Job, Outcome, Repetitions, Setting
from hexarena.bench.ladder.rivals import RIVALS
from hexarena.bench.ladder.static import judge
from hexarena.bench.ladder.world import Parameters, World

REPETITIONS = Repetitions(4, 1)
USERS = 100
FIRST_USERS = 30
GAMES = 40_000
VERSIONS_OF_A_USER = 3
BATCH = 20
"""Games between two fits."""
LOOK_EVERY = 1000
"""Games."""
COUNTED_FROM = 0.25
"""Of the season; before that nobody has played enough."""
ARRIVALS_UNTIL = 0.6
VERSIONS_FROM = 0.02
NEWCOMERS_BELOW = 0.2
"""How much weaker newcomers are on average, in spreads."""
VERSION_CHANGE = (40.0, 50.0)
"""Mean and deviation of what a new version adds, in Elo."""


def jobs(setting: Setting, quick: bool) -> Iterator[Job]:
    """One season a repetition."""
    for name in (OURS, *RIVALS):
        for repetition in REPETITIONS.of(quick):
            yield Job("season", name, play, (setting, name, repetition))


def play(setting: Setting, name: str, repetition: int, games: int = GAMES) -> Outcome:
    """tau, worst: mean and least tau of the board over the last three quarters of the season."""
    seed = setting.seed + repetition
    random = np.random.default_rng([seed, 21])
    world = World(FIRST_USERS, seed, setting.parameters)
    ladder = contestant(name, FIRST_USERS, seed, live=True)
    live = list(range(FIRST_USERS))
    events = _events(games, random)
    taus, played = list[float](), 0
    while played < games:
        while events and events[0][0] <= played:
            _happen(events.pop(0)[1], live, world, ladder, random)
        active = np.array(live)
        ladder.learn(world.play(ladder.pairs(active, BATCH)))
        played += BATCH
        if played % LOOK_EVERY == 0 and played > COUNTED_FROM * games:
            taus.append(judge(ladder, world.truth(active), active)["tau"])
    return {"tau": sum(taus) / len(taus), "worst": min(taus)}


def _events(games: int, random: np.random.Generator) -> list[tuple[float, str]]:
    """(after how many games, what), in order."""
    arrivals = random.uniform(0, ARRIVALS_UNTIL * games, USERS - FIRST_USERS)
    versions = random.uniform(VERSIONS_FROM * games, games, USERS * VERSIONS_OF_A_USER)
    return sorted([*((at, "new") for at in arrivals.tolist()), *((at, "version") for at in versions.tolist())])


def _happen(event: str, live: list[int], world: World, ladder: Contestant, random: np.random.Generator) -> None:
    newest, parameters = len(world), world.parameters
    if event == "new":
        world.enter(_newcomer(parameters, random))
        ladder.enter()
        live.append(newest)
        return
    parent = int(random.choice(live))
    world.enter(world.strengths[parent] + random.normal(*VERSION_CHANGE), parent)
    ladder.enter(parent)
    live[live.index(parent)] = newest


def _newcomer(parameters: Parameters, random: np.random.Generator) -> float:
    return random.normal(-NEWCOMERS_BELOW * parameters.spread, parameters.spread)
