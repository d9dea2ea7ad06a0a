"""How strong a submission is. Values in, values out.

Today Elo over ranks: an entrant is compared with each one of another team, which is worth 1, ½ or 0, shared out so
that an entrant risks one K a match however many there are. The ladder's full-history model will take this file's place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

START = 1000.0
"""The rating of a first version."""
ELO_PER_FACTOR_10 = 400.0
ELO_PER_LOGIT = ELO_PER_FACTOR_10 / 2.302585092994046
PRIOR_DEVIATION = 300.0
K_NEW = 40.0
K_SETTLED = 16.0
GAMES_TO_SETTLE = 20


@dataclass(frozen=True, slots=True)
class Rated:
    """A rating and the number of games that it stands on."""

    rating: float
    games: int


def expected_score(rating: float, opponent: float) -> float:
    """The share of points that a rating is worth against another, in 0..1. Source: Elo's logistic curve."""
    return float(1.0 / (1.0 + 10.0 ** ((opponent - rating) / ELO_PER_FACTOR_10)))


def after_match(entrants: Sequence[Rated], ranks: Sequence[int], teams: Sequence[int] = ()) -> list[float]:
    """The new ratings, entrant by entrant. `ranks`: 0 is best, equal ranks tie.

    `teams`: entrant -> team; entrants of one team are not compared. Empty: everybody plays alone.
    """
    return [_after(me, entrants, ranks, teams or range(len(entrants))) for me in range(len(entrants))]


def _after(index: int, entrants: Sequence[Rated], ranks: Sequence[int], teams: Sequence[int]) -> float:
    me = entrants[index]
    others = [other for other in range(len(entrants)) if teams[other] != teams[index]]
    surprise = sum(
        _score(ranks[index], ranks[other]) - expected_score(me.rating, entrants[other].rating) for other in others
    )
    k = K_NEW if me.games < GAMES_TO_SETTLE else K_SETTLED
    return me.rating + k * surprise / max(1, len(others))


def _score(rank: int, other: int) -> float:
    return 0.5 if rank == other else float(rank < other)


def interval(rated: Rated) -> tuple[float, float]:
    """A 95 % interval: what so many games between equals can tell at most, on top of the prior.

    Source: the logistic curve's information, 1/4 of a squared logit a game; prior N(START, 300²).
    """
    information = 1 / PRIOR_DEVIATION**2 + rated.games / (2 * ELO_PER_LOGIT) ** 2
    reach = 1.96 / sqrt(information)
    return rated.rating - reach, rated.rating + reach
