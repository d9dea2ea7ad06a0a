"""The matches of a duel: which seeds, and who comes first. Values in, values out; the same wherever it is played."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from random import Random

from backend.duel import trial_seats
from backend.pairing import random_seed
from games.contract import Game


@dataclass(frozen=True, slots=True)
class Fixture:
    """A match that is to be played. `swapped`: the second bot comes first. `number` counts from 1."""

    number: int
    seed: int
    swapped: bool


def is_paired(game: Game) -> bool:
    """Whether a trial is two matches, so that each seed is played on both seats."""
    return not game.mirrored_seats


def in_whole_trials(games: int, *, paired: bool) -> int:
    """So many matches, or one more where a trial would be left half."""
    return games + games % 2 if paired else games


def draw(*, seed: int, paired: bool, games: int) -> Iterator[Fixture]:
    """All matches, in order. They depend on nothing but the duel's seed."""
    return islice(_endless(seed, paired), games)


def _endless(seed: int, paired: bool) -> Iterator[Fixture]:
    random, numbers = Random(seed), count(1)
    for trial in count():
        fresh = random_seed(random)
        for swapped in trial_seats(paired, trial):
            yield Fixture(next(numbers), fresh, swapped)


def seating(game: Game, fixture: Fixture) -> tuple[int, ...]:
    """Seat -> 0 for the first bot, 1 for the second.

    Where teams play, each bot fills a team of its own, on the fewest seats that two entrants can have.
    """
    return game.seated((1, 0) if fixture.swapped else (0, 1), fixture.seed)
