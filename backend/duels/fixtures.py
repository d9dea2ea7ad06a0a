"""The fixtures of a duel: which seeds, and who sits first. Values in, values out; the same wherever it is played."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from random import Random

from hexarena.backend.rating.sprt import trial_seats
from hexarena.games.contract import Game
from hexarena.games.seeds import random_seed


@dataclass(frozen=True, slots=True)
class Fixture:
    """A match that is to be played. `swapped`: the baseline sits first. `number` counts from 1."""

    number: int
    seed: int
    swapped: bool


def is_paired(game: Game) -> bool:
    """Whether a trial is two matches, so that each seed is played on both seats."""
    return not game.mirrored_seats


def in_whole_trials(games: int, *, paired: bool) -> int:
    """This many matches, or one more where a trial would be incomplete."""
    return games + games % 2 if paired else games


def draw(*, seed: int, paired: bool, games: int) -> Iterator[Fixture]:
    """All fixtures, in order. They depend only on the duel's seed."""
    return islice(_endless(seed, paired), games)


def _endless(seed: int, paired: bool) -> Iterator[Fixture]:
    random, numbers = Random(seed), count(1)
    for trial in count():
        fresh = random_seed(random)
        for swapped in trial_seats(paired, trial):
            yield Fixture(next(numbers), fresh, swapped)


def seating(game: Game, fixture: Fixture) -> tuple[int, ...]:
    """Seat -> 0 for the candidate, 1 for the baseline.

    Where teams play, each bot fills a team of its own, on the fewest seats that two entrants can have.
    """
    return game.seated((1, 0) if fixture.swapped else (0, 1), fixture.seed)
