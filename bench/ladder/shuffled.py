"""The same games in another order: do ratings move?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hexarena.bench.ladder.catalogue import contestant
from hexarena.bench.ladder.jobs import OURS, Job, Outcome, Repetitions, Setting
from hexarena.bench.ladder.pairers import places
from hexarena.bench.ladder.rivals import RIVALS, rival
from hexarena.bench.ladder.world import World

BOTS = 100
GAMES = 5000
BATCHES = 10
ORDERS = Repetitions(20, 4)


def jobs(setting: Setting, quick: bool) -> Iterator[Job]:
    """The games of one round robin, in many orders."""
    for name in (OURS, *RIVALS):
        yield Job("shuffled", name, play, (setting, name, len(ORDERS.of(quick))))


def play(setting: Setting, name: str, orders: int) -> Outcome:
    """elo: the most that a rating moves between two orders. places: how far a bot moves on the board, on average."""
    world = World(BOTS, setting.seed, setting.parameters)
    pairs = rival("AI-Arena-like", BOTS, setting.seed).pairs(np.arange(BOTS), GAMES)
    results = world.play(pairs)
    random = np.random.default_rng([setting.seed, 5])
    ratings, boards = [], []
    for _ in range(orders):
        ladder = contestant(name, BOTS, setting.seed)
        for batch in np.array_split(random.permutation(GAMES), BATCHES):
            ladder.learn(results.of(batch))
            ratings_now = ladder.elo()
        ratings.append(ratings_now)
        boards.append(places(ladder.board()))
    return {
        "elo": float(np.ptp(ratings, axis=0).max()),
        "places": float(np.abs(np.diff(boards, axis=0)).mean()),
    }
