"""The fixtures of a duel: which seeds, and who sits where. Values in, values out; the same wherever it is played.

In a free-for-all both versions play in the same matches, among bots of a field, and the better place is a win. That is
the question of the ladder, where a rating says who ends up before whom among others.
"""

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


def entrants_of(game: Game, field: int) -> int:
    """How many play in a match, if there are so many bots in the field: in free-for-alls as many as on the ladder.

    Raises: ValueError, for too small a field.
    """
    if not game.free_for_all:
        return 2
    for entrants in game.ladder_entrants:
        if entrants <= 2 + field:
            return entrants
    raise ValueError(f"expected at least {min(game.ladder_entrants) - 2} other bots for {game.title}; got {field}")


def seating(game: Game, fixture: Fixture, field: int = 0) -> tuple[int, ...]:
    """Seat -> 0 for the candidate, 1 for the baseline, 2 and more for the bots of the field.

    Where teams play, each bot fills a team of its own, on the fewest seats that two entrants can have. In free-for-alls
    the seed draws the seats of both and the others; swapped, the two have each other's seats, and all else is the same.
    """
    if (entrants := entrants_of(game, field)) > 2:
        random = Random(fixture.seed)
        one, other = random.sample(range(entrants), 2)
        rest = iter(random.sample(range(2, 2 + field), entrants - 2))
        both = {other: 0, one: 1} if fixture.swapped else {one: 0, other: 1}
        return tuple(both[seat] if seat in both else next(rest) for seat in range(entrants))
    return game.seated((1, 0) if fixture.swapped else (0, 1), fixture.seed)
