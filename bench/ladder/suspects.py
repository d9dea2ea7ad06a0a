"""Bots that throw their games to one of the middle: does the organisers' report name them, and nobody who is honest?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hexarena.backend.rating.suspicion import suspicions
from hexarena.bench.ladder.jobs import OURS, Job, Outcome, Repetitions, Setting
from hexarena.bench.ladder.product import Product
from hexarena.bench.ladder.world import Indices, Results, World

BOTS = 60
THROWERS = 14
GAMES = 300
"""Of each bot."""
REPETITIONS = Repetitions(20, 4)


def jobs(setting: Setting, quick: bool) -> Iterator[Job]:
    """Honest ladders, and ladders with throwers."""
    for repetition in REPETITIONS.of(quick):
        yield Job("suspects", OURS, play, (setting, repetition))


def play(setting: Setting, repetition: int, *, games: int = GAMES) -> Outcome:
    """alarm: 1 if an honest ladder is reported. found: 1 if the bot that games are thrown to is.

    named: the share of the throwers that it met which are named; wrong: of those that are named, who are honest.
    """
    seed = setting.seed + repetition
    honest, _, _ = _ladder(setting, seed, throwers=0, games=games)
    ladder, target, crew = _ladder(setting, seed, throwers=THROWERS, games=games)
    reported = suspicions(ladder.shown(), ladder.counts)
    named = {other for one in reported if one.target == target for other in one.others}
    met = set(np.flatnonzero(ladder.met(target)).tolist()) & crew
    return {
        "alarm": float(bool(suspicions(honest.shown(), honest.counts))),
        "found": float(bool(named)),
        "named": len(named & crew) / max(len(met), 1),
        "wrong": len(named - crew) / max(len(named), 1),
    }


def _ladder(setting: Setting, seed: int, *, throwers: int, games: int) -> tuple[Product, int, set[int]]:
    world, ladder = World(BOTS, seed, setting.parameters), Product(BOTS, seed)
    everybody = np.arange(BOTS)
    target = int(np.argsort(-world.truth())[BOTS // 2])
    others = np.setdiff1d(everybody, [target])
    crew = np.random.default_rng([seed, 13]).choice(others, throwers, replace=False)
    for _ in range(games):
        ladder.learn(_thrown(world.play(ladder.pairs(everybody, BOTS // 2)), target, crew))
    return ladder, target, set(crew.tolist())


def _thrown(results: Results, target: int, crew: Indices) -> Results:
    points = results.points.copy()
    points[(results.first == target) & np.isin(results.second, crew)] = 1.0
    points[(results.second == target) & np.isin(results.first, crew)] = 0.0
    return replace(results, points=points)
