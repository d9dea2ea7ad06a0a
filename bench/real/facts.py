"""Figures of a round robin: of each bot, and of the game: draws, seats, spread, and the effect of swapping seats."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import kendalltau

from hexarena.bench.real import variants
from hexarena.bench.real.fit import Fit, fit
from hexarena.bench.real.games_played import PlayedGame, games, halves, shares
from hexarena.games.contract import Game

TWO_SIGMA = 1.96


@dataclass(frozen=True, slots=True)
class Line:
    """A bot: its mean score, its rating with the half of its 95 % interval, matches, and those with a fault of its."""

    bot: str
    score: float
    elo: float
    reach: float
    games: int
    faulty: int


@dataclass(frozen=True, slots=True)
class Mirror:
    """What the same pair does on the same seed with its seats swapped.

    pairs: how many such pairs of matches. same: the share in which the same bot did equally well in both.
    chance: the same, if the two were independent, from the fitted ratings (draws left out of account).
    correlation: of what is left of the two scores when the expected ones are taken away.
    """

    pairs: int
    same: float
    chance: float
    correlation: float


def lines(played: Sequence[PlayedGame], names: Sequence[str]) -> list[Line]:
    """All bots, best score first. Raises: ValueError without any match."""
    fitted, score, counts = fit(played, names), shares(played, names), games(played, names)
    faulty = {name: sum(name in one.faults for one in played) for name in names}
    found = [
        Line(name, score[name], elo, TWO_SIGMA * error, counts[name], faulty[name])
        for name, elo, error in zip(names, fitted.ratings, fitted.errors, strict=True)
    ]
    return sorted(found, key=lambda line: -line.score)


def mirror(played: Sequence[PlayedGame], names: Sequence[str], fitted: Fit) -> Mirror | None:
    """Of all pairs of two-team matches with one seed and swapped seats; None if there is none."""
    twins: dict[tuple[int, frozenset[tuple[str, ...]]], list[PlayedGame]] = defaultdict(list)
    for one in played:
        twins[one.seed, frozenset(one.teams)].append(one)
    number = {name: index for index, name in enumerate(names)}
    rest, same, chance = [], [], []
    for twin in twins.values():
        if len(twin) == 2 and twin[0].teams == twin[1].teams[::-1]:
            (first,), (second,) = twin[0].teams
            left_bot, right_bot = number[first], number[second]
            scores = (twin[0].share(0), twin[1].share(1))
            expected = (fitted.expected(left_bot, right_bot), 1 - fitted.expected(right_bot, left_bot))
            rest.append([got - hoped for got, hoped in zip(scores, expected, strict=True)])
            same.append(scores[0] == scores[1])
            chance.append(expected[0] * expected[1] + (1 - expected[0]) * (1 - expected[1]))
    if not rest:
        return None
    left, right = np.array(rest).T
    correlation = float(left @ right / np.sqrt((left @ left) * (right @ right)))
    return Mirror(len(rest), float(np.mean(same)), float(np.mean(chance)), correlation)


def split_tau(played: Sequence[PlayedGame], names: Sequence[str]) -> float:
    """Kendall's tau between the scores of two halves of the matches: how sure the round robin's own order is."""
    one, other = (shares(half, names) for half in halves(played))
    return float(kendalltau([one[name] for name in names], [other[name] for name in names]).statistic)


def sentences(game: Game, played: Sequence[PlayedGame]) -> list[str]:
    """The figures of a game, in sentences. Raises: ValueError without any match."""
    names = variants.names(game)
    fitted = fit(played, names)
    ties = np.mean([len(set(one.ranks)) < len(one.ranks) for one in played])
    found = [
        f"Matches with a tie {ties:.1%}; turns {np.mean([one.turns for one in played]):.0f}; "
        f"bots' CPU {np.mean([one.cpu_s for one in played]):.2f} s a match; matches with a fault "
        f"{np.mean([bool(one.faults) for one in played]):.1%}.",
        f"Spread: sd {np.std(fitted.ratings):.0f} Elo, from {fitted.ratings.min():+.0f} to "
        f"{fitted.ratings.max():+.0f}; typical error {np.median(fitted.errors):.0f} Elo. "
        f"Tau between halves of the matches {split_tau(played, names):.3f}.",
    ]
    if all(len(one.teams) == 2 for one in played):
        first = [one.share(0) for one in played]
        found.append(
            f"The first seat scores {np.mean(first):.3f} ± {TWO_SIGMA * np.std(first) / len(first) ** 0.5:.3f} "
            f"({fitted.seat:+.0f} Elo in the fit)."
        )
        plain = [one for one in played if all(variants.is_plain(game, bot) for bots in one.teams for bot in bots)]
        for what, some in (("all pairs", played), ("pairs that leave nothing to chance", plain)):
            if (seen := mirror(some, names, fitted)) is not None:
                found.append(
                    f"Seats swapped on one seed, {what}: {seen.pairs} times, the same bot did as well in "
                    f"{seen.same:.1%} (independent: {seen.chance:.1%}), correlation {seen.correlation:.2f}."
                )
    return found
