"""A ladder of leagues whose matches have four bots: does its board agree with how all would do against all?

Who meets whom, who moves up and who is placed is decided by the product's own code; the queue is emulated. Everybody is
new when the ladder begins, as in `hexarena bench real-ladder`, and the bots are as close to each other as real ones of
Battlegrounds. Beside what a bot is worth, it does better or worse by who else is there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from scipy.special import expit
from scipy.stats import kendalltau

from hexarena.backend.ladder import placement, rules, scheduling
from hexarena.backend.ladder.roster import Contender, Meetings, Roster, Rung
from hexarena.backend.models import TrialState
from hexarena.backend.rating import fit as rating
from hexarena.backend.rating.counts import Rankings
from hexarena.bench.ladder.jobs import OURS, Job, Outcome, Repetitions, Setting
from hexarena.bench.ladder.world import LOGITS_PER_ELO, Floats, Indices
from hexarena.games.catalogue import find_game

BOTS = 20
GAME = find_game("battlegrounds")
BOSSES_AT = (0.6, 0.85, 0.75)
"""The leagues' bosses: which share of all bots is weaker than each, about as in Battlegrounds."""
SPREAD = 90
"""Elo: deviation of what bots are worth, as in a round robin of Battlegrounds."""
MATCHUP = 90
"""Elo: deviation of what three others of a kind would add. In that round robin it is 50, and may be none."""
SPARE_SHARE = 0.15
"""Of the matches while some are needed: how many are the ladder's own (`matches.queue`)."""
CHECKS = (60, 200)
REPETITIONS = Repetitions(24, 2)
BATCH = 4
"""Matches between two fits."""
LINE_UPS = 4_000
"""From which the true order is computed."""
MANY_LINE_UPS = 16_000
"""From whose results the strengths are found that intervals are about."""
WITHIN_95 = 1.96
ANOTHER_LEAGUE = 1e6
"""More logits than there are between any two."""


def jobs(setting: Setting, quick: bool) -> Iterator[Job]:
    """Ours only: of the others, none has leagues and matches of four."""
    for repetition in REPETITIONS.of(quick):
        yield Job("leagues", OURS, play, (setting, repetition))


def play(setting: Setting, repetition: int, checks: Sequence[int] = CHECKS) -> Outcome:
    """order 60, tau 60 …: of the board's order, and of the ratings, with the true order after so many games each.

    covered 60 …: share of the 95 % intervals that hold what very many games by lot show.
    """
    random = np.random.default_rng([setting.seed, repetition, 37])
    skills = Skills.drawn(BOTS, random)
    truth = skills.truth(random)
    shown = skills.shown(np.random.default_rng([setting.seed, repetition, 38]))
    order = np.argsort(truth)
    ladder = Ladder(BOTS, [int(order[int(at * BOTS)]) for at in BOSSES_AT], random)
    found = dict[str, float]()
    for check in checks:
        while ladder.games.sum() < check * BOTS:
            ladder.learn([skills.play(line_up, random) for line_up in ladder.line_ups(BATCH)])
        found[f"order {check}"] = float(kendalltau(ladder.order(), truth).statistic)
        found[f"tau {check}"] = float(kendalltau(ladder.fit.strengths, truth).statistic)
        off = (ladder.fit.strengths - ladder.fit.strengths.mean() - shown) / LOGITS_PER_ELO
        found[f"covered {check}"] = float((np.abs(off) < WITHIN_95 * ladder.fit.deviations()).mean())
    return found


@dataclass(frozen=True, slots=True)
class Skills:
    """In logits: what each bot is worth, shape (n,), and what it gains if all others are one bot, [bot, other]."""

    own: Floats
    against: Floats

    @classmethod
    def drawn(
        cls, bots: int, random: np.random.Generator, *, spread: float = SPREAD, matchup: float = MATCHUP
    ) -> Skills:
        """`spread`, `matchup`: deviations in Elo."""
        half = random.normal(0, matchup * LOGITS_PER_ELO / math.sqrt(2), (bots, bots))
        return cls(random.normal(0, spread * LOGITS_PER_ELO, bots), half - half.T)

    def of(self, line_ups: Indices) -> Floats:
        """How strong each is in these line-ups: [match, seat]."""
        gained = self.against[line_ups[:, :, None], line_ups[:, None, :]].sum(2)
        return np.asarray(self.own[line_ups] + gained / (line_ups.shape[1] - 1))

    def play(self, line_up: Indices, random: np.random.Generator) -> Indices:
        """The bots from the first place to the last, by Plackett and Luce."""
        return line_up[np.argsort(-(self.of(line_up[None])[0] + random.gumbel(size=len(line_up))))]

    def truth(self, random: np.random.Generator) -> Floats:
        """[bot] -> the mean number of others that it ends above, in line-ups that are drawn by lot."""
        bots = len(self.own)
        line_ups = random.permuted(np.tile(np.arange(bots), (LINE_UPS, 1)), axis=1)[:, : GAME.ladder_entrants[0]]
        strengths = self.of(line_ups)
        above = expit(strengths[:, :, None] - strengths[:, None, :]).sum(2) - 0.5
        there = np.bincount(line_ups.ravel(), minlength=bots)
        return np.asarray(np.bincount(line_ups.ravel(), above.ravel(), bots) / there)

    def shown(self, random: np.random.Generator) -> Floats:
        """[bot] -> how strong MANY_LINE_UPS by lot show it, around the mean; logits."""
        bots, size = len(self.own), GAME.ladder_entrants[0]
        line_ups = random.permuted(np.tile(np.arange(bots), (MANY_LINE_UPS, 1)), axis=1)[:, :size]
        noise = random.gumbel(size=line_ups.shape)
        ranked = np.take_along_axis(line_ups, np.argsort(-(self.of(line_ups) + noise), axis=1), axis=1)
        strengths = rating.fit_teams(bots, _rankings(list(ranked)), model=rating.Model(matchup=False)).strengths
        return np.asarray(strengths - strengths.mean())


def _rankings(ranked: Sequence[Indices]) -> Rankings:
    """Matches, each with its bots from the first place."""
    sizes = [len(bots) for bots in ranked]
    places = np.concatenate([np.arange(size) for size in sizes])
    return Rankings(np.concatenate(ranked), np.arange(len(places)), np.repeat(np.arange(len(sizes)), sizes), places)


class Ladder:
    """The product's ladder, without its database and queue. `bosses`: of the leagues, from the lowest one."""

    def __init__(self, bots: int, bosses: Sequence[int], random: np.random.Generator) -> None:
        self._bosses = tuple(bosses)
        self._random = Random(int(random.integers(2**32)))
        self._guarding = np.zeros(bots, np.bool_)
        self._guarding[list(bosses)] = True
        self._league, self._since = np.ones(bots, np.int64), np.zeros(bots, np.int64)
        self._league[list(bosses)] = np.arange(1, len(bosses) + 1)
        self._placing, self._on_trial = ~self._guarding, np.ones(bots, np.bool_)
        self._met, self._above = (np.zeros((bots, bots), np.int64) for _ in range(2))
        self._played: list[Indices] = []
        self.games = np.zeros(bots, np.int64)
        self.fit = rating.fit_teams(bots, Rankings.of([]))

    def order(self) -> Floats:
        """[bot] -> what the board is sorted by: leagues first."""
        return self._league * ANOTHER_LEAGUE + self.fit.strengths

    def line_ups(self, count: int) -> list[Indices]:
        """The next matches: those that are needed, and the ladder's own."""
        roster = self._roster()
        own = sum(self._random.random() < SPARE_SHARE for _ in range(count))
        planned = scheduling.plan_needed(roster, self._random, most=count - own)
        while len(planned) < count and (match := scheduling.plan_ladder(roster, self._random)):
            planned.append(match)
        return [np.array(list(dict.fromkeys(one.submission_ids))) for one in planned]

    def learn(self, ranked: Sequence[Indices]) -> None:
        """Rates the bots anew after these matches, each with its bots from the first place, and applies the rules."""
        self._played += ranked
        for bots in ranked:
            self.games[bots] += 1
            self._met[np.ix_(bots, bots)] += 1 - np.eye(len(bots), dtype=np.int64)
            self._above[np.ix_(bots, bots)] += np.triu(np.ones((len(bots), len(bots)), np.int64), 1)
        self.fit = rating.fit_teams(len(self.games), _rankings(self._played), start=self.fit)
        for position in range(1, len(self._bosses) + 2):
            self._end_placements(np.flatnonzero(self._league == position))
        self._move()

    def _roster(self) -> Roster:
        first, second = np.nonzero(np.triu(self._met))
        known = np.zeros(len(first), np.bool_)
        meetings = Meetings(len(self.games), first, second, self._met[first, second], known)
        rungs = tuple(Rung(place, boss) for place, boss in enumerate((*self._bosses, None), 1))
        elo, deviations = self.fit.elo(None).tolist(), self.fit.deviations().tolist()
        entrants = [self._contender(bot, elo[bot], deviations[bot]) for bot in range(len(self.games))]
        return Roster(
            GAME,
            tuple(entrants),
            rungs,
            meetings,
            dispersion=self.fit.dispersion,
            matchup_variance=self.fit.matchup_variance,
        )

    def _contender(self, bot: int, elo: float, deviation: float) -> Contender:
        games, placing, boss = int(self.games[bot]), bool(self._placing[bot]), bool(self._guarding[bot])
        return Contender(
            submission_id=bot,
            competitor_id=bot,
            owner_id=rules.HOUSE if boss else bot,
            rating=elo,
            deviation=deviation,
            variance=float(self.fit.variances[bot]),
            games=games,
            league=int(self._league[bot]),
            league_games=games - int(self._since[bot]),
            placing=placing,
            provisional=rules.provisional(placing, games, spent=False),
            trial=TrialState.OPEN if self._on_trial[bot] else TrialState.STAYS,
            boss=boss,
        )

    def _end_placements(self, members: Indices) -> None:
        """`members`: of one league."""
        covariance, who = self.fit.covariance, np.flatnonzero(self._placing[members])
        if covariance is None or not len(who):
            return
        among = covariance[np.ix_(members, members)]
        chances, _ = placement.placements(self.fit.strengths[members], among, who)
        for bot, chance in zip(members[who].tolist(), chances.tolist(), strict=True):
            self._placing[bot] = not rules.placed(chance, int(self.games[bot]))

    def _boss(self, bot: int, boss: int) -> rules.Boss:
        """A boss as a bot sees it."""
        met, won = int(self._met[bot, boss]), float(self._above[bot, boss])
        return rules.Boss(self.fit.stronger(bot, boss), met, lost=rules.surely_lost(met, won))

    def _move(self) -> None:
        """Between the leagues."""
        for bot in np.flatnonzero(~self._guarding).tolist():
            bosses = {position: self._boss(bot, boss) for position, boss in enumerate(self._bosses, 1)}
            climber = rules.Climber(
                league=int(self._league[bot]),
                league_games=int(self.games[bot] - self._since[bot]),
                placing=bool(self._placing[bot]),
                trial="open" if self._on_trial[bot] else "stays",
                bosses=bosses,
            )
            league = rules.league_after(climber)
            self._on_trial[bot] = league != climber.league or rules.trial_after(climber) == "open"
            if league != climber.league:
                self._league[bot], self._since[bot] = league, self.games[bot]
