"""What our own rater and pairer cost on a large ladder, in CPU time of one core."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from time import thread_time

import numpy as np

from hexarena.backend.ladder import pairing
from hexarena.bench.ladder.jobs import OURS, Job, Outcome, Setting
from hexarena.bench.ladder.product import Product
from hexarena.bench.ladder.rivals import rival
from hexarena.bench.ladder.world import World

BOTS = 1000
GAMES = 1_000_000
NEW_GAMES = 500
PAIRINGS = 100
ROUNDS = 5


def jobs(setting: Setting, quick: bool) -> Iterator[Job]:
    """Only ours: the other products' raters are reimplemented here, so their cost would mean nothing."""
    yield Job("cost", OURS, measure, (setting,))


def measure(setting: Setting, bots: int = BOTS, games: int = GAMES) -> Outcome:
    """cold_s, refit_s: a fit from scratch, and one with NEW_GAMES more games. pairings_ms: of PAIRINGS."""
    world, ladder = World(bots, setting.seed, setting.parameters), Product(bots, setting.seed)
    anybody, everybody = rival("psyleague", bots, setting.seed), np.arange(bots)
    ladder.learn(world.play(anybody.pairs(everybody, games)))
    started = thread_time()
    ladder.known()
    cold_s = thread_time() - started
    refits_s, pairings_s = list[float](), list[float]()
    for _ in range(ROUNDS):
        more = world.play(anybody.pairs(everybody, NEW_GAMES))
        started = thread_time()
        ladder.learn(more)
        ladder.known()
        refits_s.append(thread_time() - started)
        field, random = ladder.field(everybody), np.random.default_rng(setting.seed)
        started = thread_time()
        pairing.pairs(field, PAIRINGS, random)
        pairings_s.append(thread_time() - started)
    return {"cold_s": cold_s, "refit_s": median(refits_s), "pairings_ms": 1000 * median(pairings_s)}
