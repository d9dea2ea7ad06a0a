"""A full round robin: who meets whom at which seed, in an order of which every beginning is nearly balanced.

Two seats: a round has each pair once, with the seats changed from round to round. The first two rounds have the same
seeds, so that they show what swapping the seats on one map teaches; all later ones have fresh seeds.
Many: as many meet as on the ladder. A block has every bot equally often, e.g. four times in twenty matches of four.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

from hexarena.games.contract import Game
from hexarena.games.seeds import random_seed

SAME_SEEDS = 2
"""So many rounds, the first ones, are played on the same seeds."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """A match that is to be played. `entrants` in the order of their seats."""

    number: int
    entrants: tuple[str, ...]
    seed: int


def entrants_of(game: Game, bots: int) -> int:
    """How many of so many bots meet in a match of the ladder."""
    return next(size for size in game.ladder_entrants if size <= bots)


def fixtures(game: Game, names: Sequence[str], rounds: int, *, seed: int = 1) -> list[Fixture]:
    """`rounds`: matches of each pair where two meet, else blocks in which each bot sits out equally often."""
    random = Random(seed)
    size = entrants_of(game, len(names))
    lists = _pairs(names, rounds, random) if size == 2 else _groups(names, size, rounds, random)
    return [Fixture(number, entrants, one_seed) for number, (entrants, one_seed) in enumerate(lists)]


def _pairs(names: Sequence[str], rounds: int, random: Random) -> list[tuple[tuple[str, ...], int]]:
    pairs = list(combinations(names, 2))
    turned = {pair: random.random() < 0.5 for pair in pairs}
    first_seeds = {pair: random_seed(random) for pair in pairs}
    found: list[tuple[tuple[str, ...], int]] = []
    for number in range(rounds):
        random.shuffle(pairs)
        for pair in pairs:
            entrants = pair[::-1] if turned[pair] != bool(number % 2) else pair
            found.append((entrants, first_seeds[pair] if number < SAME_SEEDS else random_seed(random)))
    return found


def _groups(names: Sequence[str], size: int, rounds: int, random: Random) -> list[tuple[tuple[str, ...], int]]:
    """Each block deals all bots into those that sit out, time after time: `len(names)` turns for `size` seats."""
    found: list[tuple[tuple[str, ...], int]] = []
    for _ in range(rounds):
        order = random.sample(list(names), len(names))
        absent = len(names) - size
        starts = range(0, len(names), absent) if absent and len(names) % absent == 0 else range(len(names))
        for start in starts:
            out = {order[(start + step) % len(names)] for step in range(absent)}
            found.append((tuple(name for name in order if name not in out), random_seed(random)))
    return found
