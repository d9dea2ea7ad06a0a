"""What the matches of a made-up ladder leave behind: counts of games, and ratings on their way to the true strength."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hexarena.backend.models import RATED
from hexarena.backend.rating.elo import ELO_PER_LOGIT
from hexarena.bench.web.world import BoolArray, FloatArray, IntArray, Ladder

START_ELO, KNOWN_AFTER, NOISE_ELO = 1000.0, 15.0, 150.0
"""Where a rating begins, after how many games it is near its end, and its scatter after the first game."""
WIDE_ELO, NARROW_ELO = 300.0, 15.0


@dataclass(frozen=True, slots=True)
class Track:
    """A rated entrant of a match with a result, in order of time; shape (k,).

    `match`: index in the ladder; `entrant`, `version`; `games`, `wins`, `draws`, `losses`, `rating`, `deviation`: of
    the version afterwards.
    """

    match: IntArray
    entrant: IntArray
    version: IntArray
    games: IntArray
    wins: IntArray
    draws: IntArray
    losses: IntArray
    rating: FloatArray
    deviation: FloatArray

    def last(self, versions: int) -> IntArray:
        """The newest row of each version, -1 where there is none; shape (versions,)."""
        rows = np.full(versions, -1)
        rows[self.version] = np.arange(len(self.version))
        return rows


def track_of(ladder: Ladder, counted: BoolArray, random: np.random.Generator) -> Track:
    """`counted`: which matches have a result, shape (m,)."""
    match = np.flatnonzero(counted & ladder.of_kind(*RATED))
    ranks, entrants = ladder.ranks[match], ladder.entrants[match]
    size = entrants.shape[1]
    shared = ((ranks == 0).sum(1) > 1)[:, None] & (ranks == 0)
    version, lost, drawn = entrants.ravel(), (ranks > 0).ravel(), shared.ravel()
    order = np.argsort(version, kind="stable")
    games, losses, draws = (_so_far(version, one, order) for one in (np.ones_like(lost), lost, drawn))
    known = 1 - np.exp(-games / KNOWN_AFTER)
    noise = random.normal(0, NOISE_ELO, len(games)) / np.sqrt(games)
    rating = START_ELO + ladder.versions.strength[version] * ELO_PER_LOGIT * known + noise
    deviation = np.maximum(WIDE_ELO / np.sqrt(1 + games / 2), NARROW_ELO)
    entrant = np.tile(np.arange(size), len(match))
    return Track(
        np.repeat(match, size), entrant, version, games, games - losses - draws, draws, losses, rating, deviation
    )


def _so_far(version: IntArray, happened: BoolArray, order: IntArray) -> IntArray:
    """How often it has happened to each row's version up to this row. `order`: rows sorted by version, then time."""
    if len(order) == 0:
        return np.zeros(0, np.int64)
    sorted_versions, total = version[order], np.cumsum(happened[order])
    begins = np.append(True, sorted_versions[1:] != sorted_versions[:-1])
    before: IntArray = (total - happened[order])[begins]
    counts = np.empty(len(order), np.int64)
    counts[order] = total - np.repeat(before, np.diff(np.append(np.flatnonzero(begins), len(order))))
    return counts
