"""Bots that throw their games to one of the middle: does the organisers' report name them, and nobody who is honest?

In games of two, and in matches of four, in which whoever throws ends below the target and all others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from hexarena.backend.ladder.pairing import STRANGERS_OF_MANY
from hexarena.backend.rating import fit as rating
from hexarena.backend.rating.counts import Rankings
from hexarena.backend.rating.suspicion import Suspicion, suspicions
from hexarena.bench.ladder.jobs import OURS, Job, Outcome, Repetitions, Setting
from hexarena.bench.ladder.leagues import Skills
from hexarena.bench.ladder.product import Product
from hexarena.bench.ladder.world import Indices, Results, World

BOTS = 60
THROWERS = 14
GAMES = 300
"""Of each bot."""
GAMES_OF_MANY = 200
SPREAD_OF_MANY, MATCHUP_OF_MANY = 200.0, 60.0
"""Elo: deviations of what bots are worth, and of what three others of a kind would add."""
NEAR = 5.0
"""Half of the line-ups of many are of bots that are near each other in order: so many places."""
REPETITIONS = Repetitions(20, 4)


def jobs(setting: Setting, quick: bool) -> Iterator[Job]:
    """Honest ladders, and ladders with throwers."""
    for repetition in REPETITIONS.of(quick):
        yield Job("suspects", OURS, play, (setting, repetition))
        yield Job("suspects-many", OURS, play_many, (setting, repetition))


def play(setting: Setting, repetition: int, *, games: int = GAMES) -> Outcome:
    """alarm: 1 if an honest ladder is reported. found: 1 if the bot that games are thrown to is.

    named: the share of the throwers that it met which are named; wrong: of those that are named, who are honest.
    """
    seed = setting.seed + repetition
    honest, _, _ = _ladder(setting, seed, throwers=0, games=games)
    ladder, target, crew = _ladder(setting, seed, throwers=THROWERS, games=games)
    met = set(np.flatnonzero(ladder.met(target)).tolist())
    return _outcome(
        suspicions(honest.shown(), honest.counts), suspicions(ladder.shown(), ladder.counts), target, crew, met
    )


def play_many(setting: Setting, repetition: int, *, games: int = GAMES_OF_MANY) -> Outcome:
    """The same in matches of four bots: see `play`."""
    seed = setting.seed + repetition
    honest, _, _ = _played_by_four(seed, throwers=0, games=games)
    thrown, target, crew = _played_by_four(seed, throwers=THROWERS, games=games)
    counts = thrown.pairs()
    rows = (counts.first == target) | (counts.second == target)
    met = set(np.concatenate((counts.first[rows], counts.second[rows])).tolist())

    def reported(ranked: Rankings) -> list[Suspicion]:
        return suspicions(rating.fit_teams(BOTS, ranked), ranked.pairs())

    return _outcome(reported(honest), reported(thrown), target, crew, met)


def _outcome(
    honest: Sequence[Suspicion], thrown: Sequence[Suspicion], target: int, crew: set[int], met: set[int]
) -> Outcome:
    """`met`: whom the target met."""
    named = {other for one in thrown if one.target == target for other in one.others}
    return {
        "alarm": float(bool(honest)),
        "found": float(bool(named)),
        "named": len(named & crew) / max(len(met & crew), 1),
        "wrong": len(named - crew) / max(len(named), 1),
    }


def _played_by_four(seed: int, *, throwers: int, games: int) -> tuple[Rankings, int, set[int]]:
    """All matches, the bot that gains, and those who throw."""
    random = np.random.default_rng([seed, 5])
    skills = Skills.drawn(BOTS, random, spread=SPREAD_OF_MANY, matchup=MATCHUP_OF_MANY)
    place = np.argsort(np.argsort(-skills.own))
    target = int(np.flatnonzero(place == BOTS // 2)[0])
    crew = set(random.choice(np.setdiff1d(np.arange(BOTS), [target]), throwers, replace=False).tolist())
    matches = []
    for _ in range(games * BOTS // 4):
        ranked = skills.play(_line_up(place, random), random).tolist()
        if target in ranked:
            ranked.sort(key=lambda bot: bot in crew)
        matches.append([([bot], rank) for rank, bot in enumerate(ranked)])
    return Rankings.of(matches), target, crew


def _line_up(place: Indices, random: np.random.Generator) -> Indices:
    if random.random() < STRANGERS_OF_MANY:
        return random.permutation(BOTS)[:4]
    one = int(random.integers(BOTS))
    away = np.abs(place + random.normal(0, NEAR, BOTS) - place[one])
    away[one] = -1
    return random.permutation(np.argsort(away)[:4])


def _ladder(setting: Setting, seed: int, *, throwers: int, games: int) -> tuple[Product, int, set[int]]:
    world, ladder = World(BOTS, seed, setting.parameters), Product(BOTS, seed)
    everybody = np.arange(BOTS)
    target = int(np.argsort(-world.truth())[BOTS // 2])
    others = np.setdiff1d(everybody, [target])
    crew = np.random.default_rng([seed, 13]).choice(others, throwers, replace=False)
    for _ in range(games):
        ladder.learn(_thrown(world.play(ladder.pairs(everybody, BOTS // 2)), target, crew))
    return ladder, target, set(crew.tolist())


def _thrown(results: Results, target: int, crew: Indices) -> Results:
    points = results.points.copy()
    points[(results.first == target) & np.isin(results.second, crew)] = 1.0
    points[(results.second == target) & np.isin(results.first, crew)] = 0.0
    return replace(results, points=points)
