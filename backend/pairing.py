"""Who plays whom. Values in, values out; chance enters as an argument."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

SPREAD_ELO = 150.0
"""How far away an opponent may be before it is half as likely to be drawn."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A live submission on a game's ladder. Entrants of one owner meet only if the owner is the house."""

    submission_id: int
    owner_id: int
    rating: float
    games: int
    house: bool = False


def may_meet(one: Entrant, other: Entrant) -> bool:
    """Nobody plays himself or his own other bot; house bots are there to be met."""
    return one.submission_id != other.submission_id and (one.owner_id != other.owner_id or one.house)


def opponents(newcomer: Entrant, field: Sequence[Entrant], count: int, random: Random) -> list[Entrant]:
    """`count` opponents for placing a newcomer: all over the field, each as often as the others, nearest first.

    Empty when nobody may be met.
    """
    able = sorted((one for one in field if may_meet(newcomer, one)), key=lambda one: abs(one.rating - newcomer.rating))
    if not able:
        return []
    rounds, rest = divmod(count, len(able))
    return able * rounds + random.sample(able, rest)


def next_match(field: Sequence[Entrant], sizes: Sequence[int], random: Random) -> tuple[Entrant, ...]:
    """The next ladder match: whoever has played least, with others who are near. In random order; empty if none can be.

    `sizes`: how many entrants a match may have, best first; the first number that can be reached is taken.
    """
    for first in sorted(field, key=lambda one: (one.games, random.random())):
        chosen = [first]
        while len(chosen) < max(sizes) and (able := [one for one in field if _fits(one, chosen)]):
            weights = [0.5 ** (abs(one.rating - first.rating) / SPREAD_ELO) + 0.05 for one in able]
            chosen += random.choices(able, weights)
        size = next((size for size in sizes if size <= len(chosen)), None)
        if size is not None:
            return tuple(random.sample(chosen[:size], size))
    return ()


def random_seed(random: Random) -> int:
    """A match's seed: positive and small enough to be read aloud; never 0, which some games cannot repeat."""
    return random.randrange(1, 2**40)


def _fits(one: Entrant, chosen: Sequence[Entrant]) -> bool:
    return all(may_meet(other, one) for other in chosen)
