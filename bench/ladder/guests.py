"""Guests who throw their games to a bot of an account: how many places does it gain, and by a fit without the cut?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hexarena.bench.ladder.jobs import OURS, Job, Outcome, Repetitions, Setting
from hexarena.bench.ladder.product import Product
from hexarena.bench.ladder.world import Floats, Indices, Results, World

BOTS = 60
"""Of accounts, each of another one."""
GUESTS = 49
SETTLED_GAMES = 100
"""Of each bot, before the guests come."""
GAMES = 60
"""Of each bot and guest, after that."""
MEETINGS = 4
"""Of each guest with the bot that gains, besides those that the ladder pairs: more than a ladder would give it."""
REPETITIONS = Repetitions(20, 4)


def jobs(setting: Setting, quick: bool) -> Iterator[Job]:
    """Ladders with guests, and the same ones without."""
    for repetition in REPETITIONS.of(quick):
        yield Job("guests", OURS, play, (setting, repetition))


def play(setting: Setting, repetition: int, *, settled: int = SETTLED_GAMES, games: int = GAMES) -> Outcome:
    """gained: how many places higher the bot in the middle is shown, among the accounts, than without guests.

    plain: the same by a fit in which guests rate others like anybody. thrown: games of the bot with the guests.
    The guests play like the best bot, but lose to that one.
    """
    seed = setting.seed + repetition
    world, ladder, accounts = World(BOTS, seed, setting.parameters), Product(BOTS, seed), np.arange(BOTS)
    order = np.argsort(-world.truth())
    best, target = int(order[0]), int(order[BOTS // 2])
    for _ in range(settled):
        ladder.learn(world.play(ladder.pairs(accounts, BOTS // 2)))
    random = [np.random.default_rng([seed, stream]) for stream in (17, 18)]
    there, honest = world.branch(random[0]), ladder.branch(random[1])
    for _ in range(games):
        honest.learn(there.play(honest.pairs(accounts, BOTS // 2)))
    for _ in range(GUESTS):
        world.enter(float(world.strengths[best]), parent=best)
        ladder.enter(guest=True)
    everybody = np.arange(len(world))
    met = np.stack([np.tile(everybody[BOTS:], MEETINGS), np.full(MEETINGS * GUESTS, target)], 1)
    ladder.learn(_thrown(world.play(met), target, everybody[BOTS:]))
    for _ in range(games):
        ladder.learn(_thrown(world.play(ladder.pairs(everybody, len(everybody) // 2)), target, everybody[BOTS:]))
    before = _place(honest.board(), target)
    return {
        "gained": float(before - _place(ladder.board(), target)),
        "plain": float(before - _place(ladder.plain().strengths, target)),
        "thrown": float(ladder.met(target)[BOTS:].sum()),
    }


def _thrown(results: Results, target: int, guests: Indices) -> Results:
    """The guests lose to the bot."""
    points = results.points.copy()
    points[(results.first == target) & np.isin(results.second, guests)] = 1.0
    points[(results.second == target) & np.isin(results.first, guests)] = 0.0
    return replace(results, points=points)


def _place(board: Floats, bot: int) -> int:
    """How many accounts are shown above it."""
    return int((board[:BOTS] > board[bot]).sum())
