"""The games of a pairing: their seeds and seats, and when the pairing is decided. Pure. Those of heats: `heats`."""

from __future__ import annotations

from collections.abc import Sequence

from hexarena.backend.events.forms import Form, Outcome, Pairing, Stage
from hexarena.backend.rating import sprt

NOBODY: frozenset[int] = frozenset()


def planned(stage: Stage, *, paired: bool) -> int:
    """How many games a pairing or a heat has, before a tie is broken. `paired`: each seed is played on both seats."""
    if stage.form == Form.HEATS:
        return stage.games
    games = stage.best_of if stage.form == Form.KNOCKOUT else stage.seeds * (2 if paired else 1)
    return games + games % 2 if paired else games


def most(stage: Stage, *, paired: bool) -> int:
    """How many games a pairing may take at most: a knockout plays on as long again where there is a tie."""
    return planned(stage, paired=paired) * (2 if stage.form == Form.KNOCKOUT else 1)


def trial_of(game: int, *, paired: bool) -> int:
    """The number of the seed that a game is played on. `game`: from 0."""
    return game // 2 if paired else game


def is_swapped(pairing: Pairing, game: int) -> bool:
    """Whether the second entrant sits first. Who begins alternates, and differs between pairings."""
    return (game + pairing.number) % 2 == 1


def outcome(
    stage: Stage,
    pairing: Pairing,
    points: Sequence[int],
    *,
    paired: bool,
    better_seed: int,
    forfeits: frozenset[int] = NOBODY,
) -> Outcome | None:
    """How a pairing ended; None while it is played.

    `points`: half points of the first entrant in each game, in order, up to the first game that is not over.
    `better_seed`: who advances where not even the extra games decide. `forfeits`: of the two, those that are out.
    """
    games = planned(stage, paired=paired)
    if forfeits & {pairing.first, pairing.second}:
        return _forfeited(stage, pairing, points[:games], games=games, better_seed=better_seed, forfeits=forfeits)
    if stage.form != Form.KNOCKOUT:
        return _total(points[:games]) if len(points) >= games else None
    for count in range(1, min(len(points), most(stage, paired=paired)) + 1):
        lead = 2 * sum(points[:count]) - 2 * count
        if lead and _is_decided(stage, points[:count], abs(lead), games, paired=paired):
            return _total(points[:count], pairing.first if lead > 0 else pairing.second)
    if len(points) >= most(stage, paired=paired):
        return _total(points[: most(stage, paired=paired)], better_seed)
    return None


def _is_decided(stage: Stage, points: Sequence[int], lead: int, games: int, *, paired: bool) -> bool:
    """Whether a lead, in half points, ends a knockout pairing."""
    count = len(points)
    if count < games:
        return lead > 2 * (games - count) or (stage.stop_when_sure and _is_sure(points, paired=paired))
    return count == games or not (paired and count % 2)


def _is_sure(points: Sequence[int], *, paired: bool) -> bool:
    """Whether the sequential test knows the stronger one, after a whole trial."""
    size = 2 if paired else 1
    if len(points) % size:
        return False
    counts = sprt.no_trials(paired)
    for start in range(0, len(points), size):
        counts = sprt.with_trial(counts, [one / 2 for one in points[start : start + size]])
    return sprt.verdict(counts, sprt.QUESTIONS["which"]) in {"stronger", "weaker"}


def _total(points: Sequence[int], winner: int | None = None) -> Outcome:
    first = sum(points)
    return Outcome(first, 2 * len(points) - first, points.count(2), points.count(0), winner)


def _forfeited(
    stage: Stage, pairing: Pairing, points: Sequence[int], *, games: int, better_seed: int, forfeits: frozenset[int]
) -> Outcome:
    """What was played counts, and who is still there gets the rest."""
    played, rest = _total(points), games - len(points)
    out = forfeits & {pairing.first, pairing.second}
    if len(out) == 2:
        winner = better_seed if stage.form == Form.KNOCKOUT else None
        return Outcome(played.first, played.second, played.first_wins, played.second_wins, winner)
    stays_first = pairing.second in out
    first, second = (2 * rest, 0) if stays_first else (0, 2 * rest)
    winner = (pairing.first if stays_first else pairing.second) if stage.form == Form.KNOCKOUT else None
    return Outcome(
        played.first + first,
        played.second + second,
        played.first_wins + (rest if stays_first else 0),
        played.second_wins + (0 if stays_first else rest),
        winner,
    )
