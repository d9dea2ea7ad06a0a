"""A ladder's board beside a round robin of the same bots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import kendalltau

from hexarena.bench.real.facts import TWO_SIGMA, split_tau
from hexarena.bench.real.fit import fit
from hexarena.bench.real.games_played import PlayedGame, shares

TOP = 5
DRAWS = 20
"""Random samples of matches, whose mean tau is reported."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a board. `low`, `high`: the rating's 95 % interval. `league`: empty where the board names none."""

    bot: str
    rating: float
    low: float
    high: float
    games: int
    league: str = ""
    placing: bool = False

    @property
    def error(self) -> float:
        """The standard error behind the interval."""
        return (self.high - self.low) / 2 / TWO_SIGMA


@dataclass(frozen=True, slots=True)
class Comparison:
    """How well a board agrees with a round robin, over the bots that both have.

    tau_rating, tau_order: Kendall's tau-b between the board's ratings, or its order, and the round robin's mean scores.
    tau_fit: between the board's ratings and a Plackett-Luce fit of the round robin.
    tau_halves: between the scores of two halves of the round robin.
    top: how many of the best five by score are among the first five of the board.
    covered: the share of bots whose fitted rating is in the board's interval, after both have the same mean;
    covered_both: the same with the fit's own error added. rmse, width: Elo; `width` is the mean half-width.
    """

    bots: int
    tau_rating: float
    tau_order: float
    tau_fit: float
    tau_halves: float
    top: int
    games_mean: float
    games_least: int
    games_most: int
    covered: float
    covered_both: float
    rmse: float
    width: float


@dataclass(frozen=True, slots=True)
class Refit:
    """What the matches that a ladder played say by this bench's own fit.

    tau: of its ratings with the round robin's scores; tau_board: with the board's ratings. tau_random: what as many
    matches of the round robin, drawn at random, say of the scores in the rest of it; NaN where too few are left.
    """

    tau: float
    tau_board: float
    tau_random: float


def read_row(line: dict[str, Any]) -> Row:
    """A line of the leaderboard as the API gives it; `league` may be missing, a name, or an object with a name."""
    league = line.get("league") or ""
    name = league.get("name", "") if isinstance(league, dict) else str(league)
    return Row(line["bot"], line["rating"], line["low"], line["high"], line["games"], name, bool(line.get("placing")))


def compare(board: Sequence[Row], played: Sequence[PlayedGame], names: Sequence[str]) -> Comparison:
    """`board`: from the top. `played`: the round robin of `names`.

    Raises: ValueError when fewer than two bots are in both, or nothing was played.
    """
    fitted = fit(played, names)
    score = shares(played, names)
    column = {name: index for index, name in enumerate(names)}
    rows = [row for row in board if row.bot in column]
    if len(rows) < 2:
        raise ValueError(f"expected a board with two bots of the round robin or more; got {len(rows)}")
    scores = [score[row.bot] for row in rows]
    ratings = np.array([row.rating for row in rows])
    true = np.array([fitted.ratings[column[row.bot]] for row in rows])
    off = ratings - ratings.mean() - (true - true.mean())
    errors = np.array([row.error for row in rows])
    both = np.hypot(errors, [fitted.errors[column[row.bot]] for row in rows])
    best = sorted(rows, key=lambda row: -score[row.bot])[:TOP]
    counts = [row.games for row in rows]
    return Comparison(
        bots=len(rows),
        tau_rating=tau(ratings, scores),
        tau_order=tau(range(len(rows), 0, -1), scores),
        tau_fit=tau(ratings, true),
        tau_halves=split_tau(played, names),
        top=len({row.bot for row in best} & {row.bot for row in rows[:TOP]}),
        games_mean=float(np.mean(counts)),
        games_least=min(counts),
        games_most=max(counts),
        covered=float(np.mean(np.abs(off) <= TWO_SIGMA * errors)),
        covered_both=float(np.mean(np.abs(off) <= TWO_SIGMA * both)),
        rmse=float(np.sqrt(np.mean(off**2))),
        width=float(TWO_SIGMA * errors.mean()),
    )


def refit(
    board: Sequence[Row], ladder: Sequence[PlayedGame], truth: Sequence[PlayedGame], names: Sequence[str]
) -> Refit:
    """`ladder`: what was played there by bots of `names`; `truth`: their round robin. Raises: ValueError if empty."""
    score = shares(truth, names)
    fitted = dict(zip(names, fit(ladder, names).ratings, strict=True))
    rows = [row for row in board if row.bot in fitted]
    return Refit(
        tau=tau([fitted[name] for name in names], [score[name] for name in names]),
        tau_board=tau([fitted[row.bot] for row in rows], [row.rating for row in rows]),
        tau_random=_random_tau(truth, len(ladder), names),
    )


def _random_tau(truth: Sequence[PlayedGame], matches: int, names: Sequence[str]) -> float:
    if len(truth) < 2 * matches:
        return float("nan")
    found = []
    for draw in range(DRAWS):
        order = np.random.default_rng(draw).permutation(len(truth))
        drawn, rest = ([truth[index] for index in part] for part in (order[:matches], order[matches:]))
        score = shares(rest, names)
        found.append(tau(fit(drawn, names).ratings, [score[name] for name in names]))
    return float(np.mean(found))


def tau(one: Any, other: Any) -> float:
    """Kendall's tau-b; NaN where one side is all the same."""
    return float(kendalltau(one, other).statistic)
