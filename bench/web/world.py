"""A made-up arena: bots that get better, matches between equals, results that follow strength. Seeded and pure.

One `Ladder` a game. Bots and their versions arrive over the whole time; each match is played by versions that were live
then. Opponents are the nearest of a few, as pairing chooses them, and results follow Plackett and Luce, so that a refit
finds the strengths again. Times are seconds since the beginning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hexarena.backend.models import MatchKind
from hexarena.backend.rating.elo import ELO_PER_LOGIT
from hexarena.games.contract import Game

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
DAY_S = 86_400.0
TEAM_GAME_SHARE = 0.05
"""Of all matches, for each game whose matches have many seats."""
FIRST_BOTS = 16
"""There from the beginning, house bots among them."""
ONE_VERSION = 0.8
"""The share of bots that stop after each version."""
STRENGTHS_ELO, BETTER_ELO, DIFFERENT_ELO = 300.0, 20.0, 60.0
"""Deviation of bots; mean and deviation of what a new version adds."""
LOOKED_AT = 8
"""Possible opponents, the nearest of which is met."""
DRAWS = 0.05
HOUSE_SHARE = 0.03
"""Of matches that a house bot is chosen for first."""
KINDS = {
    MatchKind.LADDER: 0.77,
    MatchKind.PLACEMENT: 0.09,
    MatchKind.PROMOTION: 0.02,
    MatchKind.PRACTICE: 0.05,
    MatchKind.CHECK: 0.025,
    MatchKind.DUEL: 0.025,
    MatchKind.EVENT: 0.01,
    MatchKind.EVENT_LADDER: 0.005,
    MatchKind.MARKING: 0.005,
}
NAMES = tuple(KINDS)
DUEL_GAMES = 100
EVENT_PAIRS = np.stack(np.triu_indices(FIRST_BOTS, 1), axis=1)
"""Of the first bots, shape (pairs, 2): an event in which everybody met everybody, with their first versions."""
VOID = 0.003


@dataclass(frozen=True, slots=True)
class Plan:
    """How much, and over how long. `bots`: of all games, house bots included.

    `shares`: of the matches, by game, where it is not to be the usual ones; a game that is not there has none.
    """

    matches: int = 1_000_000
    bots: int = 20_000
    days: int = 180
    seed: int = 1
    shares: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Versions:
    """All versions of a game, bot by bot, shape (v,). `bot`, `number`: from 0 and 1. `at`, `until`: live between these.

    `strength`: logits.
    """

    bot: IntArray
    number: IntArray
    at: FloatArray
    until: FloatArray
    strength: FloatArray


@dataclass(frozen=True, slots=True)
class Ladder:
    """A game's bots and matches in order of time. `kind`: index into NAMES. `void`: without a result.

    `at`, `kind`, `void`: shape (m,); `entrants`: versions in the order of seats, `ranks`: from 0; shape (m, e).
    `duel`: the number of the match's duel, from 0, or -1; all games of a duel have the same entrants. `pairing`: the
    match's row in EVENT_PAIRS, or -1.
    """

    game: Game
    versions: Versions
    at: FloatArray
    kind: IntArray
    void: BoolArray
    entrants: IntArray
    ranks: IntArray
    duel: IntArray
    pairing: IntArray

    def of_kind(self, *kinds: MatchKind) -> BoolArray:
        """Which matches are of these kinds, shape (m,)."""
        return np.isin(self.kind, [NAMES.index(one) for one in kinds])


def ladders(plan: Plan, games: Sequence[Game], house_bots: Sequence[int]) -> list[Ladder]:
    """A ladder for each game. `house_bots`: of each, how many of its bots are the house's."""
    random = np.random.default_rng(plan.seed)
    shares = _shares(games) if plan.shares is None else np.array([plan.shares.get(game.id, 0.0) for game in games])
    span_s = plan.days * DAY_S
    times, which = np.sort(random.uniform(0, span_s, plan.matches)), random.choice(len(games), plan.matches, p=shares)
    made = []
    for number, (game, house) in enumerate(zip(games, house_bots, strict=True)):
        bots = max(plan.bots // len(games), house, FIRST_BOTS)
        made.append(_ladder(random, game, house, _versions(random, bots, house, span_s), times[which == number]))
    return made


def _shares(games: Sequence[Game]) -> FloatArray:
    """The usual share of the matches of each game."""
    shares = np.array([TEAM_GAME_SHARE if max(game.ladder_entrants) > 2 else 0.0 for game in games])
    shares[shares == 0.0] = (1 - shares.sum()) / (shares == 0.0).sum()
    return shares


def _versions(random: np.random.Generator, bots: int, house: int, span_s: float) -> Versions:
    """The first `house` bots are the house's, with one version each."""
    began = np.sort(random.uniform(0, 0.98 * span_s, bots))
    began[:FIRST_BOTS] = 0.0
    count = random.geometric(ONE_VERSION, bots)
    count[:house] = 1
    bot = np.repeat(np.arange(bots), count)
    first = np.cumsum(count) - count
    number = np.arange(len(bot)) - first[bot] + 1
    later = random.uniform(0, 1, len(bot)) * (span_s - began[bot])
    at = np.where(number == 1, 0.0, later) + began[bot]
    at = at[np.lexsort((at, bot))]
    last = np.append(bot[1:] != bot[:-1], True)
    until = np.where(last, np.inf, np.append(at[1:], np.inf))
    added = np.where(
        number == 1, random.normal(0, STRENGTHS_ELO, len(bot)), random.normal(BETTER_ELO, DIFFERENT_ELO, len(bot))
    )
    total = np.cumsum(added)
    strength = total - (total - added)[first][bot]
    return Versions(bot, number, at, until, strength / ELO_PER_LOGIT)


def _ladder(random: np.random.Generator, game: Game, house: int, versions: Versions, at: FloatArray) -> Ladder:
    kind = random.choice(len(NAMES), len(at), p=list(KINDS.values()))
    if max(game.ladder_entrants) > 2:
        of_two = (MatchKind.DUEL, MatchKind.CHECK, MatchKind.EVENT, MatchKind.EVENT_LADDER)
        kind[np.isin(kind, [NAMES.index(one) for one in of_two])] = 0
    if not (kind == NAMES.index(MatchKind.EVENT)).any():
        kind[kind == NAMES.index(MatchKind.EVENT_LADDER)] = 0
    first = np.flatnonzero(versions.number == 1)
    active = np.searchsorted(versions.at[first], at, side="right")
    chosen = (random.uniform(0, 1, len(at)) * active).astype(np.int64)
    by_house = random.uniform(0, 1, len(at)) < HOUSE_SHARE
    chosen[by_house] = random.integers(0, house, by_house.sum())
    bots = _with_opponents(random, versions.strength[first], chosen, active, max(game.ladder_entrants))
    against_starter = kind == NAMES.index(MatchKind.CHECK)
    bots[against_starter, 0] = np.maximum(chosen[against_starter], 1)
    bots[against_starter, 1] = 0
    entrants = _live_at(versions, first, bots, at)
    duel = np.full(len(at), -1)
    of_duel = np.flatnonzero(kind == NAMES.index(MatchKind.DUEL))
    duel[of_duel] = np.arange(len(of_duel)) // DUEL_GAMES
    entrants[of_duel] = entrants[of_duel[duel[of_duel] * DUEL_GAMES]]
    pairing = np.full(len(at), -1)
    of_event = np.flatnonzero(kind == NAMES.index(MatchKind.EVENT))
    pairing[of_event] = np.arange(len(of_event)) % len(EVENT_PAIRS)
    before = np.flatnonzero(kind == NAMES.index(MatchKind.EVENT_LADDER))
    for seat in range(2):
        entrants[of_event, seat] = first[EVENT_PAIRS[pairing[of_event], seat]]
        entrants[before, seat] = first[EVENT_PAIRS[np.arange(len(before)) % len(EVENT_PAIRS), seat]]
    void = (random.uniform(0, 1, len(at)) < VOID) & (duel < 0) & (pairing < 0)
    ranks = _ranks(random, versions.strength[entrants])
    return Ladder(game, versions, at, kind, void, entrants, ranks, duel, pairing)


def _with_opponents(
    random: np.random.Generator, strength: FloatArray, bots: IntArray, active: IntArray, entrants: int
) -> IntArray:
    """Each bot with its opponents in any order, shape (m, e): of each part of the field, the nearest of LOOKED_AT."""
    found = [bots]
    width = (active - 1) // (entrants - 1)
    for part in range(entrants - 1):
        steps = (random.uniform(0, 1, (len(bots), LOOKED_AT)) * width[:, None]).astype(np.int64)
        looked_at = (bots[:, None] + 1 + part * width[:, None] + steps) % active[:, None]
        nearest = np.abs(strength[looked_at] - strength[bots][:, None]).argmin(1)
        found.append(looked_at[np.arange(len(bots)), nearest])
    return random.permuted(np.stack(found, axis=1), axis=1)


def _live_at(versions: Versions, first: IntArray, bots: IntArray, at: FloatArray) -> IntArray:
    """The versions of these bots that were live then, shape (m, e)."""
    found = first[bots]
    for _ in range(int(versions.number.max())):
        found = np.where(versions.until[found] <= at[:, None], found + 1, found)
    return found


def _ranks(random: np.random.Generator, strength: FloatArray) -> IntArray:
    """Places from 0 by strength and chance, shape (m, e); of two, a few share the first."""
    shown = strength + random.gumbel(size=strength.shape)
    ranks = (-shown).argsort(1).argsort(1)
    if strength.shape[1] == 2:
        ranks[random.uniform(0, 1, len(ranks)) < DRAWS] = 0
    return ranks
