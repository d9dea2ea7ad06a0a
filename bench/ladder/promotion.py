"""A bot so much stronger or weaker than a league's boss: is it promoted, does it fall back, after how many games?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from scipy.optimize import brentq

from hexarena.backend.ladder.rules import (
    Boss,
    Climber,
    falls_back,
    meets_boss_next,
    must_defend,
    promotion,
    surely_lost,
)
from hexarena.bench.ladder.catalogue import contestant
from hexarena.bench.ladder.contestants import Contestant
from hexarena.bench.ladder.jobs import OURS, Job, Outcome, Repetitions, Setting
from hexarena.bench.ladder.product import Product
from hexarena.bench.ladder.world import Floats, Results, World

BOTS = 60
LEAGUE_SPREAD = 0.4
"""A league's share of the spread of all bots: they are closer together."""
LEAGUE_NONTRANSITIVE = 2 / 3
BOSS_AT = 0.2
"""The boss's place, as a share of the league."""
ROUND_ROBIN_GAMES = 150
"""Games of each bot before the first submission."""
ABOVE_BOSS_ELO = (-40, 0, 80)
SUBMISSIONS = 30
"""Submissions to each league, one at a time."""
REPETITIONS = Repetitions(10, 2)
STEP = 4
"""Games between two fits."""
BELOW_BOSS_ELO = (0, 170, 250, 800)
FALL_WITHIN = 60
"""Games of a new version in which it falls back, or does not."""
CODINGAME = "CodinGame-like"
CODINGAME_GAMES = 100
CODINGAME_STEP = 2


def jobs(setting: Setting, quick: bool) -> Iterator[Job]:
    """The other products have no leagues, or none whose rule is known."""
    for name in (OURS, CODINGAME):
        for repetition in REPETITIONS.of(quick):
            yield Job("promotion", name, play, (setting, name, repetition))
    for repetition in REPETITIONS.of(quick):
        yield Job("falling", OURS, fall, (setting, repetition))


def play(
    setting: Setting,
    name: str,
    repetition: int,
    *,
    submissions: int = SUBMISSIONS,
    above: Sequence[int] = ABOVE_BOSS_ELO,
) -> Outcome:
    """promoted -40, games -40 …: share of the submissions that are promoted, and the mean number of their games."""
    seed = setting.seed + repetition * submissions
    league = replace(
        setting.parameters,
        spread=LEAGUE_SPREAD * setting.parameters.spread,
        nontransitive=LEAGUE_NONTRANSITIVE * setting.parameters.nontransitive,
    )
    world = World(BOTS, seed, league)
    truth = world.truth()
    boss = int(np.argsort(-truth)[int(BOSS_AT * BOTS)])
    ladder = _settled(world, name, seed)
    found = dict[str, float]()
    for elo in above:
        verdicts = list[tuple[bool, int]]()
        for submission in range(submissions):
            luck = [setting.seed, repetition * submissions + submission]
            there = world.branch(np.random.default_rng([*luck, 11]))
            there.enter(0.0)
            _make_so_strong(there, truth[boss] + elo, truth)
            entered = ladder.branch(np.random.default_rng([*luck, 4]))
            entered.enter()
            if isinstance(entered, Product):
                verdicts.append(_trial(there, entered, boss))
            else:
                verdicts.append(_hundred_games(there, entered, boss))
        found[f"promoted {elo}"] = float(np.mean([promoted for promoted, _ in verdicts]))
        found[f"games {elo}"] = float(np.mean([games for _, games in verdicts]))
    return found


def fall(
    setting: Setting, repetition: int, *, submissions: int = SUBMISSIONS, below: Sequence[int] = BELOW_BOSS_ELO
) -> Outcome:
    """fell 0, fell 170 …: share of new versions so much weaker than the boss below their league that fall back.

    Their predecessors are a little stronger than that boss.
    """
    seed = setting.seed + repetition * submissions
    parameters = setting.parameters
    world = World(BOTS, seed, replace(parameters, spread=LEAGUE_SPREAD * parameters.spread,
                                      nontransitive=LEAGUE_NONTRANSITIVE * parameters.nontransitive))  # fmt: skip
    truth = world.truth()
    order = np.argsort(-truth)
    place = int(BOSS_AT * BOTS)
    boss, parent = int(order[place]), int(order[place - 2])
    ladder = _settled(world, OURS, seed)
    assert isinstance(ladder, Product)  # noqa: S101 - it is ours
    found = dict[str, float]()
    for elo in below:
        fell = list[bool]()
        for submission in range(submissions):
            luck = [setting.seed, repetition * submissions + submission]
            there = world.branch(np.random.default_rng([*luck, 11]))
            there.enter(0.0)
            _make_so_strong(there, truth[boss] - elo, truth)
            entered = ladder.branch(np.random.default_rng([*luck, 4]))
            entered.enter(parent)
            fell.append(_falls(there, entered, boss))
        found[f"fell {elo}"] = float(np.mean(fell))
    return found


def _falls(world: World, ladder: Product, boss: int) -> bool:
    """Whether a new version falls back by our rule: it meets the boss below every second game until that is settled."""
    newest, others = BOTS, np.arange(BOTS)
    games = boss_games = 0
    boss_points = 0.0
    while games < FALL_WITHIN:
        chosen = list[int]()
        wanted = ladder.opponents(newest, others, STEP).tolist()
        defends = must_defend(ladder.stronger(newest, boss), boss_games)
        for _ in range(STEP):
            meets_boss = defends and meets_boss_next(games, boss_games)
            chosen.append(boss if meets_boss else wanted.pop(0))
            games, boss_games = games + 1, boss_games + (chosen[-1] == boss)
        results = world.play(_against(newest, chosen))
        ladder.learn(results)
        boss_points += _points_of(newest, boss, results)
        lost = surely_lost(boss_games, boss_points)
        below = {1: Boss(ladder.stronger(newest, boss), boss_games, lost=lost)}
        if falls_back(Climber(2, games, False, "stays", below)):
            return True
    return False


def _points_of(bot: int, other: int, results: Results) -> float:
    """What a bot has made of its games against another one."""
    first = results.points[(results.first == bot) & (results.second == other)]
    second = results.points[(results.first == other) & (results.second == bot)]
    return float(first.sum() + len(second) - second.sum())


def _settled(world: World, name: str, seed: int) -> Contestant:
    """The league after its round robin."""
    ladder, everybody = contestant(name, BOTS, seed), np.arange(BOTS)
    robin = contestant("AI-Arena-like", BOTS, seed)
    for _ in range(ROUND_ROBIN_GAMES):
        ladder.learn(world.play(robin.pairs(everybody, BOTS // 2)))
    return ladder


def _make_so_strong(world: World, rating: float, truth: Floats) -> None:
    """Gives the newest bot the strength with which it has this rating among the others."""
    newest, others = BOTS, np.arange(BOTS)

    def too_strong(strength: float) -> float:
        world.strengths[newest] = strength
        return world.rating_among(newest, others, truth) - rating

    world.strengths[newest] = brentq(too_strong, rating - 3000, rating, xtol=0.5)


def _trial(world: World, ladder: Product, boss: int) -> tuple[bool, int]:
    """(promoted, games) by our rule: every second game against the boss, the others by our pairer."""
    newest, others = BOTS, np.arange(BOTS)
    games = boss_games = 0
    while (trial := promotion(ladder.stronger(newest, boss), games)) == "open":
        chosen = list[int]()
        wanted = ladder.opponents(newest, others, STEP).tolist()
        for _ in range(STEP):
            meets_boss = meets_boss_next(games, boss_games)
            chosen.append(boss if meets_boss else wanted.pop(0))
            games, boss_games = games + 1, boss_games + (chosen[-1] == boss)
        ladder.learn(world.play(_against(newest, chosen)))
    return trial == "promoted", games


def _hundred_games(world: World, ladder: Contestant, boss: int) -> tuple[bool, int]:
    """(promoted, games) by CodinGame's rule as far as is known: who is above the boss after the placement."""
    newest, others = BOTS, np.arange(BOTS)
    for _ in range(CODINGAME_GAMES // CODINGAME_STEP):
        ladder.learn(world.play(_against(newest, ladder.opponents(newest, others, CODINGAME_STEP).tolist())))
    board = ladder.board()
    return bool(board[newest] > board[boss]), CODINGAME_GAMES


def _against(bot: int, opponents: Sequence[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.array([(bot, opponent) for opponent in opponents])
