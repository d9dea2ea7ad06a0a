"""A second roll of the dice: what is it worth to keep the luckiest of ten nearly equal versions, or of ten names?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hexarena.bench.ladder.catalogue import contestant
from hexarena.bench.ladder.jobs import OURS, Job, Outcome, Repetitions, Setting
from hexarena.bench.ladder.rivals import RIVALS
from hexarena.bench.ladder.world import World

BOTS = 100
SETTLED_GAMES = 100
TRIES = 10
GAMES = 60
"""Of each try."""
STEP = 6
"""Games between two fits."""
DIFFERENCE_ELO = 5.0
"""How much the tries differ."""
REPETITIONS = Repetitions(120, 6)


def jobs(setting: Setting, quick: bool) -> Iterator[Job]:
    """ "versions": each follows the one before it. "names": each is another bot of the same owner."""
    for experiment in ("versions", "names"):
        for name in (OURS, *RIVALS):
            for repetition in REPETITIONS.of(quick):
                yield Job(experiment, name, play, (setting, name, repetition, experiment == "names"))


def play(setting: Setting, name: str, repetition: int, names: bool) -> Outcome:
    """gained: places of the luckiest try above its true one, less those of the first try.

    The first try is there from the beginning and has as many games as anybody; all others come one after another.
    """
    seed = setting.seed + repetition
    world, ladder = World(BOTS, seed, setting.parameters), contestant(name, BOTS, seed, live=True)
    for _ in range(SETTLED_GAMES):
        ladder.learn(world.play(ladder.pairs(np.arange(BOTS), BOTS // 2)))
    random = np.random.default_rng([setting.seed, repetition, 11])
    first = int(random.integers(BOTS // 4, 3 * BOTS // 4))
    others = np.array([bot for bot in range(BOTS) if bot != first])
    honest = int((ladder.board()[others] > ladder.board()[first]).sum())
    tries = [first]
    for _ in range(TRIES - 1):
        world.enter(float(world.strengths[first] + random.normal(0, DIFFERENCE_ELO)), parent=first)
        ladder.enter(first if names else tries[-1])
        one = len(world) - 1
        for _ in range(GAMES // STEP):
            opponents = ladder.opponents(one, others, STEP)
            ladder.learn(world.play(np.stack([np.full(STEP, one), opponents], 1)))
        tries.append(one)
    board = ladder.board()
    luckiest = max(tries, key=lambda one: board[one])
    truth = world.truth(np.append(others, [first, luckiest]))
    true_places = [int((truth[:-2] > truth[at]).sum()) for at in (-2, -1)]
    shown = int((board[others] > board[luckiest]).sum())
    return {"gained": float((true_places[1] - shown) - (true_places[0] - honest))}
