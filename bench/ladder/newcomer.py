"""One more bot on a converged ladder: how soon does it reach its true place?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hexarena.bench.ladder.catalogue import contestant
from hexarena.bench.ladder.contestants import Contestant
from hexarena.bench.ladder.jobs import OURS, Job, Outcome, Repetitions, Setting
from hexarena.bench.ladder.rivals import RIVALS
from hexarena.bench.ladder.world import Indices, World

BOTS = 100
SETTLED_GAMES = 200
NEWCOMERS = 20
"""Newcomers on each converged ladder, one at a time."""
REPETITIONS = Repetitions(20, 3)
STEP = 2
"""Games between two fits."""
WITHIN = 0.05
"""Share of the field: a bot this close to its true place counts as placed correctly."""
CHECKS = (20, 50, 100)
VERSION_CHECKS = (20,)


def jobs(setting: Setting, quick: bool) -> Iterator[Job]:
    """ "newcomer": unknown bots. "version": new versions of bots of the field, whose place they take."""
    for experiment, checks in (("newcomer", CHECKS), ("version", VERSION_CHECKS)):
        for name in (OURS, *RIVALS):
            for repetition in REPETITIONS.of(quick):
                arguments = (setting, name, repetition, checks, experiment == "version")
                yield Job(experiment, name, play, arguments)


def play(setting: Setting, name: str, repetition: int, checks: tuple[int, ...], versions: bool) -> Outcome:
    """ "within 20, within 50 …: share of the newcomers that are near their final places after 20 games of theirs."""
    seed = setting.seed + repetition
    world, ladder = World(BOTS, seed, setting.parameters), contestant(name, BOTS, seed)
    for _ in range(SETTLED_GAMES):
        ladder.learn(world.play(ladder.pairs(np.arange(BOTS), BOTS // 2)))
    random = np.random.default_rng([setting.seed, repetition, 7])
    near = np.zeros(len(checks))
    for newcomer in range(NEWCOMERS):
        luck = [setting.seed, repetition, newcomer]
        parent = int(random.integers(BOTS)) if versions else None
        one = _enter(world, ladder, parent, _strength(world, parent, random), luck)
        near += np.array(one.errors(checks)) <= WITHIN + 1e-9
    return {f"within {check}": share for check, share in zip(checks, (near / NEWCOMERS).tolist(), strict=True)}


def _strength(world: World, parent: int | None, random: np.random.Generator) -> float:
    parameters = world.parameters
    if parent is None:
        return random.normal(0, parameters.spread)
    return float(world.strengths[parent] + random.normal(parameters.version_gain, parameters.version_spread))


@dataclass(frozen=True, slots=True)
class _Newcomer:
    """The bot BOTS on a ladder of its own. others: who stays on it. place: the newcomer's final one among them."""

    world: World
    ladder: Contestant
    others: Indices
    place: int

    def errors(self, checks: Sequence[int]) -> list[float]:
        """[check] -> how far its place is from the final one after so many games, as a share of the field."""
        found = list[float]()
        for games in range(STEP, checks[-1] + 1, STEP):
            opponents = self.ladder.opponents(BOTS, self.others, STEP)
            self.ladder.learn(self.world.play(np.stack([np.full(STEP, BOTS), opponents], 1)))
            if games in checks:
                board = self.ladder.board()
                found.append(abs(int((board[self.others] > board[BOTS]).sum()) - self.place) / BOTS)
        return found


def _enter(settled: World, ladder: Contestant, parent: int | None, strength: float, luck: list[int]) -> _Newcomer:
    world = settled.branch(np.random.default_rng([*luck, 5]))
    world.enter(strength, parent)
    world.random = np.random.default_rng([*luck, 3])
    entered = ladder.branch(np.random.default_rng([*luck, 4]))
    entered.enter(parent)
    others = np.array([bot for bot in range(BOTS) if bot != parent])
    truth = settled.truth()[others]
    place = int((truth > world.rating_among(BOTS, others, truth)).sum())
    return _Newcomer(world, entered, others, place)
