"""What our own rater, pairer and scheduler cost on a large ladder, in CPU time of one core."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from random import Random
from statistics import median
from time import thread_time

import numpy as np

from hexarena.backend.ladder import pairing, placement, scheduling
from hexarena.backend.ladder.roster import Contender, Meetings, Roster, Rung
from hexarena.backend.models import TrialState
from hexarena.bench.ladder.jobs import OURS, Job, Outcome, Setting
from hexarena.bench.ladder.product import Product
from hexarena.bench.ladder.rivals import rival
from hexarena.bench.ladder.world import ELO_PER_LOGIT, World
from hexarena.games.catalogue import find_game

BOTS = 1000
GAMES = 1_000_000
NEW_GAMES = 500
FIRST_GAMES = 10
"""Of each bot, after which the places of all are looked at, as when a season begins."""
PAIRINGS = 100
ROUNDS = 5
CROWD = 6257
"""Bots on the ladder whose matches are decided one by one, and the pairs of them that have met."""
CROWD_PAIRS = 300_000
LEAGUES = 5
NEWCOMERS = 50
DECISIONS = 200


def jobs(setting: Setting, quick: bool) -> Iterator[Job]:
    """Only ours: the other products' raters are reimplemented here, so their cost would mean nothing."""
    yield Job("cost", OURS, measure, (setting,))
    yield Job("schedule", OURS, decide, (setting,))


def measure(setting: Setting, bots: int = BOTS, games: int = GAMES) -> Outcome:
    """cold_s, refit_s: a fit from scratch, and one with NEW_GAMES more games. pairings_ms: of PAIRINGS.

    placing_s: how sure the places of all are after FIRST_GAMES of each.
    """
    world, ladder = World(bots, setting.seed, setting.parameters), Product(bots, setting.seed)
    anybody, everybody = rival("psyleague", bots, setting.seed), np.arange(bots)
    ladder.learn(world.play(anybody.pairs(everybody, games)))
    started = thread_time()
    ladder.known()
    cold_s = thread_time() - started
    refits_s, pairings_s = list[float](), list[float]()
    for _ in range(ROUNDS):
        more = world.play(anybody.pairs(everybody, NEW_GAMES))
        started = thread_time()
        ladder.learn(more)
        ladder.known()
        refits_s.append(thread_time() - started)
        field, random = ladder.field(everybody), np.random.default_rng(setting.seed)
        started = thread_time()
        pairing.pairs(field, PAIRINGS, random)
        pairings_s.append(thread_time() - started)
    return {
        "cold_s": cold_s,
        "refit_s": median(refits_s),
        "pairings_ms": 1000 * median(pairings_s),
        "placing_s": _placing_s(setting, bots),
    }


def _placing_s(setting: Setting, bots: int) -> float:
    world, ladder, everybody = (
        World(bots, setting.seed, setting.parameters),
        Product(bots, setting.seed),
        np.arange(bots),
    )
    ladder.learn(world.play(rival("psyleague", bots, setting.seed).pairs(everybody, bots * FIRST_GAMES // 2)))
    fitted = ladder.known()
    uncertainty = fitted.variances if fitted.covariance is None else fitted.covariance
    started = thread_time()
    placement.placements(fitted.strengths, uncertainty, everybody, dispersion=fitted.dispersion)
    return thread_time() - started


def decide(setting: Setting, bots: int = CROWD, pairs: int = CROWD_PAIRS) -> Outcome:
    """ladder_ms, needed_ms: a decision about a ladder match, or one that somebody needs. read_ms: after a refit.

    memory_mb: what a ladder takes at most, with its decisions.
    """
    random = np.random.default_rng(setting.seed)
    strengths = np.sort(random.normal(0, setting.parameters.spread, bots)) / ELO_PER_LOGIT
    first, second = np.unique(random.integers(0, bots, (2, pairs)), axis=1)
    met = first != second
    games, known = random.integers(1, 5, met.sum()), random.random(met.sum()) < 0.01
    entrants = tuple(_contender(index, strength, bots) for index, strength in enumerate(strengths.tolist()))
    rungs = tuple(Rung(league + 1, (league + 1) * bots // LEAGUES - 1) for league in range(LEAGUES))

    def read() -> Roster:
        meetings = Meetings(bots, first[met], second[met], games, known)
        return Roster(find_game("yavalath"), entrants, rungs, meetings, 1.2, 0.05)

    tracemalloc.start()
    everybody, chance = read(), Random(setting.seed)
    _ = everybody.pressing, [scheduling.plan_ladder(everybody, chance) for _ in range(DECISIONS)]
    memory = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    everybody, begun = read(), thread_time()
    _ = everybody.pressing
    read_s, begun = thread_time() - begun, thread_time()
    for _ in range(DECISIONS):
        scheduling.plan_ladder(everybody, chance)
    ladder_s, begun = thread_time() - begun, thread_time()
    needed = scheduling.plan_needed(everybody, chance, most=DECISIONS)
    needed_s = thread_time() - begun
    return {
        "ladder_ms": 1000 * ladder_s / DECISIONS,
        "needed_ms": 1000 * needed_s / max(len(needed), 1),
        "read_ms": 1000 * read_s,
        "memory_mb": memory / 2**20,
    }


def _contender(index: int, strength: float, bots: int) -> Contender:
    """The weakest ones are newcomers."""
    new = index < NEWCOMERS
    league = min(LEAGUES, 1 + index * LEAGUES // bots)
    boss = (index + 1) * LEAGUES % bots < LEAGUES and index > 0
    return Contender(
        submission_id=index + 1,
        competitor_id=index + 1,
        owner_id=index + 1,
        rating=strength * ELO_PER_LOGIT,
        deviation=100.0 if new else 30.0,
        variance=(100.0 if new else 30.0) ** 2 / ELO_PER_LOGIT**2,
        games=0 if new else 96,
        league=league,
        league_games=0 if new else 50,
        placing=new,
        provisional=new,
        trial=TrialState.OPEN if new else TrialState.STAYS,
        boss=boss,
    )
