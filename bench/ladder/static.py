"""A fixed field of bots: how many games until the board is accurate?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import kendalltau

from hexarena.bench.ladder.catalogue import contestant
from hexarena.bench.ladder.contestants import Contestant
from hexarena.bench.ladder.jobs import OURS, Figure, Job, Outcome, Repetitions, Setting, mean_of
from hexarena.bench.ladder.pairers import places
from hexarena.bench.ladder.rivals import RIVALS
from hexarena.bench.ladder.world import Floats, Indices, World

CHECKS = (5, 10, 20, 30, 40, 50, 70, 100, 140, 200, 280, 400, 560)
"""Games of each bot after which the board is measured."""
TOP = 10
WITHIN_95 = 1.96


@dataclass(frozen=True, slots=True)
class Size:
    """A field of bots. our_games, games: of each bot at most, on our ladder and on others, which take longer.

    round_games: games of a bot between two fits.
    """

    bots: int
    our_games: int
    games: int
    round_games: int
    repetitions: Repetitions


SIZES = {
    "static-20": Size(20, 280, 280, 1, Repetitions(60, 15)),
    "static-100": Size(100, 400, 560, 1, Repetitions(20, 4)),
    "static-1000": Size(1000, 400, 560, 2, Repetitions(3, 0)),
}


def jobs(setting: Setting, quick: bool) -> Iterator[Job]:
    """All sizes, the largest first; a quick run leaves a thousand bots out."""
    for experiment, size in reversed(SIZES.items()):
        for name in (OURS, *RIVALS):
            for repetition in size.repetitions.of(quick):
                yield Job(experiment, name, play, (setting, name, size, repetition))


def play(setting: Setting, name: str, size: Size, repetition: int) -> Outcome:
    """One field, played to the end. The outcome: "tau 100", "top 100", "covered 100" … for each of CHECKS."""
    seed = setting.seed + repetition
    world = World(size.bots, seed, setting.parameters)
    ladder = contestant(name, size.bots, seed)
    truth, everybody = world.truth(), np.arange(size.bots)
    round_of, played, found = max(1, size.round_games * size.bots // 2), 0, dict[str, float]()
    most = size.our_games if name == OURS else size.games
    for check in (check for check in CHECKS if check <= most):
        while played * 2 < check * size.bots:
            ladder.learn(world.play(ladder.pairs(everybody, round_of)))
            played += round_of
        found |= {f"{figure} {check}": value for figure, value in judge(ladder, truth, everybody).items()}
    return found


def judge(ladder: Contestant, truth: Floats, bots: Indices) -> Outcome:
    """The accuracy of a board. tau: Kendall's, against the true order. top: how many places the true top ten are off.

    covered: share of the 95 % intervals, around the mean rating, that hold the truth; not a number without intervals.
    `bots`: who is on the board; `truth`: their true ratings.
    """
    board = ladder.board()[bots]
    shown, true_place = places(board), places(truth)
    top = true_place < TOP
    deviations = ladder.deviations()
    covered = math.nan
    if deviations is not None:
        rating = ladder.elo()[bots]
        off = rating - rating.mean() - (truth - truth.mean())
        covered = float((np.abs(off) < WITHIN_95 * deviations[bots]).mean())
    return {
        "tau": float(kendalltau(board, truth).statistic),
        "top": float(np.abs(shown[top] - true_place[top]).mean()),
        "covered": covered,
    }


def games_to(tau: float) -> Figure:
    """Games of a bot until the mean tau reaches this, between two checks on a log scale; infinite if it never does."""

    def figure(outcomes: Sequence[Outcome]) -> float:
        last = (0, 0.0)
        for check in sorted(int(name.split()[1]) for name in outcomes[0] if name.startswith("tau ")):
            reached = mean_of(f"tau {check}")(outcomes)
            if reached >= tau:
                share = (tau - last[1]) / (reached - last[1])
                return float(check if not last[0] else last[0] * (check / last[0]) ** share)
            last = (check, reached)
        return math.inf

    return figure
