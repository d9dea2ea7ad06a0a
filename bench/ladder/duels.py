"""Duels: how often is the verdict wrong, and how many games does it take?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.optimize import brentq

from hexarena.backend.rating.sprt import MOST_GAMES, QUESTIONS, no_trials, verdict, with_trial
from hexarena.bench.ladder.jobs import OURS, Job, Outcome, Repetitions, Setting
from hexarena.bench.ladder.world import ELO_PER_LOGIT, World

STRONGER_ELO = 37
"""Difference in strength, by the expected score, draws and luck included."""
CASES = (0, STRONGER_ELO)
DUELS = 100
REPETITIONS = Repetitions(9, 2)
PAIRED = True


def jobs(setting: Setting, quick: bool) -> Iterator[Job]:
    """Other products have no duels."""
    for repetition in REPETITIONS.of(quick):
        yield Job("duel", OURS, play, (setting, repetition))


def play(setting: Setting, repetition: int, duels: int = DUELS) -> Outcome:
    """stronger 0, games 0, stronger 37, games 37: share of the verdicts "stronger", and mean games of a duel."""
    alone = replace(setting.parameters, spread=0.0, nontransitive=0.0, map_style=0.0)
    world = World(2, setting.seed + repetition, alone)
    found = dict[str, float]()
    for elo in CASES:
        _set_apart(world, elo)
        decided = [_duel(world) for _ in range(duels)]
        found[f"stronger {elo}"] = float(np.mean([stronger for stronger, _ in decided]))
        found[f"games {elo}"] = float(np.mean([games for _, games in decided]))
    return found


def _duel(world: World) -> tuple[bool, int]:
    """(found stronger, games) of the preset "normal", on pairs."""
    counts, games = no_trials(PAIRED), 0
    scored = world.play_swapped(np.tile([0, 1], (MOST_GAMES // 2, 1)))
    for points in scored.tolist():
        counts, games = with_trial(counts, (points,)), games + 2
        reached = verdict(counts, QUESTIONS["normal"])
        if reached != "open":
            return reached == "stronger", games
    return False, games


def _set_apart(world: World, elo: float) -> None:
    """Makes the first bot stronger, so that its expected score corresponds to this difference in Elo."""

    def too_far(strength: float) -> float:
        world.strengths[:] = (strength / 2, -strength / 2)
        score = world.expected(np.array([0]), np.array([1]))[0, 0]
        return float(np.log(score / (1 - score)) * ELO_PER_LOGIT - elo)

    apart = float(brentq(too_far, -1000, 1000))
    world.strengths[:] = (apart / 2, -apart / 2)
