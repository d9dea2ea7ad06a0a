"""Which matches the ladder schedules: placements, trials against bosses, and the most informative ladder matches.

Theory of operation. People's versions in placement, on trial, or in doubt about the boss below their league always have
a few matches in the queue, so that they advance as fast as workers allow; opponents are chosen anew after each. When
nobody waits for anything, the ladder schedules further matches: it draws a league by its size, and in it picks the pair
whose match tells most about the order. Queued matches count as played, so that many can run at once.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from random import Random
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from hexarena.backend.ladder import pairing, standings
from hexarena.backend.ladder.rules import LEAST_BOSS_GAMES, meets_boss_next, must_defend, only_repeats, provisional
from hexarena.backend.matches import life as matches, workers
from hexarena.backend.models import (
    RATED,
    Job,
    Ladder,
    League,
    Match,
    MatchKind,
    MatchSeat,
    PairTally,
    Standing,
    Submission,
    SubmissionState,
    TrialState,
    User,
    UserKind,
)
from hexarena.backend.rating.elo import ELO_PER_LOGIT
from hexarena.games.contract import Game
from hexarena.games.seeds import random_seed

AT_ONCE = 4
"""Matches of one version in the queue while it is in placement, on trial, or has to defend its league."""
FIRST_MATCHES = 3
"""How many matches a house bot plays before it gets only ladder matches."""
LIKELY = 0.9
"""P(stronger than a boss) above which a bot on trial meets it as often as passing requires."""
LINK_SHARE = 0.04
"""The share of a league's matches that includes the boss of the league below, so that ratings stay comparable."""
FEW = 4
"""A league with fewer entrants plays with the league below."""
SCHEDULING_LOCK = 0x68657863


@dataclass(frozen=True, slots=True)
class Contender:
    """A live version on a game's ladder."""

    submission_id: int
    competitor_id: int
    owner_id: int
    rating: float
    deviation: float
    variance: float
    games: int
    league: int
    league_games: int
    placing: bool
    provisional: bool
    trial: TrialState
    boss: bool

    @property
    def house(self) -> bool:
        """Whether it is a house bot."""
        return self.owner_id == pairing.HOUSE


@dataclass(frozen=True, slots=True)
class Rung:
    """A league as the scheduler sees it. `boss`: the index of its boss among the entrants."""

    position: int
    boss: int | None


@dataclass(frozen=True, slots=True)
class Roster:
    """All contenders. `met[i, j]`: games between them, queued ones included; `firsts[i, j]`: those that i began.

    `known[i, j]`: those that i begins only repeat earlier ones. `busy`: rated matches of each in the queue.
    """

    game: Game
    entrants: tuple[Contender, ...]
    rungs: tuple[Rung, ...]
    met: NDArray[np.float64]
    firsts: NDArray[np.float64]
    known: NDArray[np.bool_]
    busy: list[int]
    dispersion: float
    matchup_variance: float

    @property
    def for_two(self) -> bool:
        """Whether two entrants meet in a match."""
        return max(self.game.ladder_entrants) == 2

    def on_trial(self, one: int) -> bool:
        """Whether an entrant tries to pass its league's boss."""
        entrant = self.entrants[one]
        boss = self.rungs[entrant.league - 1].boss
        return entrant.trial == TrialState.OPEN and boss is not None and boss != one

    def wants_more(self, one: int) -> bool:
        """Whether an entrant should get more matches now, instead of waiting for ladder matches."""
        entrant = self.entrants[one]
        if entrant.house:
            return entrant.games + self.busy[one] < FIRST_MATCHES
        return self.busy[one] < AT_ONCE and (entrant.provisional or self.on_trial(one) or self.must_defend(one))

    def must_defend(self, one: int) -> bool:
        """Whether an entrant has to meet the boss of the league below its own."""
        entrant = self.entrants[one]
        boss = self.rungs[entrant.league - 2].boss if entrant.league > 1 else None
        if boss is None or entrant.boss:
            return False
        return not self.exhausted[one, boss] and must_defend(self.beaten(one, boss), int(self.met[one, boss]))

    @property
    def exhausted(self) -> NDArray[np.bool_]:
        """Pairs whose matches only repeat earlier ones, whoever begins."""
        return np.asarray(self.known & self.known.T)

    def beaten(self, one: int, other: int) -> float:
        """About P(`one` is stronger than `other`)."""
        mine, theirs = self.entrants[one], self.entrants[other]
        spread = max(math.hypot(mine.deviation, theirs.deviation), 1.0)
        return NormalDist().cdf((mine.rating - theirs.rating) / spread)

    def count(self, players: Sequence[int]) -> None:
        """Counts a match that was queued just now."""
        for place, one in enumerate(players):
            self.busy[one] += 1
            for other in players[place + 1 :]:
                self.met[one, other] += 1
                self.met[other, one] += 1
                self.firsts[one, other] += 1

    def part(self, members: Sequence[int]) -> pairing.Field:
        """The field for pairing: some of the contenders."""
        chosen = [self.entrants[index] for index in members]
        rows = np.array(members, dtype=np.int64)
        return pairing.Field(
            strengths=np.array([one.rating for one in chosen]) / ELO_PER_LOGIT,
            variances=np.array([one.variance for one in chosen]),
            met=self.met[np.ix_(rows, rows)],
            owners=np.array([one.owner_id for one in chosen], dtype=np.int64),
            games=np.array([one.games for one in chosen], dtype=np.int64),
            dispersion=self.dispersion,
            matchup_variance=self.matchup_variance,
            exhausted=self.exhausted[np.ix_(rows, rows)] if self.known.any() else None,
        )

    def league(self, rung: Rung) -> list[int]:
        """Who plays in a league: its members, plus those of leagues below while they are too few."""
        found = [index for index, one in enumerate(self.entrants) if one.league == rung.position]
        for lower in range(rung.position - 1, 0, -1):
            if len(found) >= FEW:
                break
            found += [index for index, one in enumerate(self.entrants) if one.league == lower]
        return found


def roster(session: Session, game: Game) -> Roster:
    """The current ladder, without bots that left the board and bots whose language no worker can run."""
    contenders = _contenders(session, game)
    met, firsts, known = _met(session, game, {one.competitor_id: place for place, one in enumerate(contenders)})
    index = {one.submission_id: place for place, one in enumerate(contenders)}
    busy = [0] * len(contenders)
    for seats in _queued(session, game):
        players = [index[one] for one in seats if one in index]
        for one in players:
            busy[one] += 1
        for first, second in permutations(players, 2):
            met[first, second] += 1
    terms = session.get(Ladder, game.id)
    return Roster(
        game,
        tuple(contenders),
        _rungs(session, game, {one.submission_id: place for place, one in enumerate(contenders) if one.boss}),
        met,
        firsts,
        known,
        busy,
        1.0 if terms is None else terms.dispersion,
        0.0 if terms is None else terms.matchup_variance,
    )


def _met(
    session: Session, game: Game, index: Mapping[int, int]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Games between contenders, repeats included, how many of them each began, and whether these only repeat others.

    `index`: competitor -> contender.
    """
    met = np.zeros((len(index), len(index)))
    firsts, known = np.zeros_like(met), np.zeros_like(met, np.bool_)
    columns = (PairTally.first_id, PairTally.second_id, PairTally.games, PairTally.repeats)
    for first_id, second_id, games, repeats in session.execute(select(*columns).where(PairTally.game == game.id)):
        first, second = index.get(first_id), index.get(second_id)
        if first is not None and second is not None:
            firsts[first, second] += games + repeats
            met[first, second] += games + repeats
            met[second, first] += games + repeats
            known[first, second] = only_repeats(games, repeats)
    return met, firsts, known


def _rungs(session: Session, game: Game, bosses: Mapping[int, int]) -> tuple[Rung, ...]:
    """The leagues from the lowest. `bosses`: submission -> contender."""
    rows = session.execute(
        select(League.position, Submission.id)
        .outerjoin(Submission, (Submission.bot_id == League.boss_bot_id) & (Submission.state == SubmissionState.LIVE))
        .where(League.game == game.id)
        .order_by(League.position)
    )
    return tuple(Rung(position, bosses.get(boss or 0)) for position, boss in rows)


def _contenders(session: Session, game: Game) -> list[Contender]:
    query = (
        select(
            Submission.id,
            Submission.user_id,
            Standing.competitor_id,
            Standing.rating,
            Standing.deviation,
            Standing.variance,
            Standing.games,
            Standing.league,
            Standing.league_from,
            Standing.entered_with,
            Standing.spent,
            Standing.placing,
            Standing.trial,
            User.kind,
            League.position.label("boss_of"),
        )
        .join(Standing, Standing.submission_id == Submission.id)
        .join(User, User.id == Submission.user_id)
        .outerjoin(League, (League.boss_bot_id == Submission.bot_id) & (League.game == game.id))
        .where(standings.on_board(game.id))
        .order_by(Submission.id)
    )
    if able := workers.languages(session):
        query = query.where(Submission.language.in_(able))
    by_competitor: dict[int, Contender] = {}
    for row in session.execute(query):
        known = by_competitor.get(row.competitor_id)
        if known is not None and (known.house or known.boss):
            # Whoever has submitted a house bot's code shares its games; bosses must stay what they are.
            continue
        by_competitor[row.competitor_id] = Contender(
            row.id,
            row.competitor_id,
            pairing.HOUSE if row.kind == UserKind.HOUSE else row.user_id,
            row.rating,
            row.deviation,
            row.variance,
            row.games,
            row.league,
            row.games - row.league_from,
            row.placing,
            provisional(row.placing, row.games - row.entered_with, spent=row.spent),
            row.trial,
            row.boss_of is not None,
        )
    return list(by_competitor.values())


def _queued(session: Session, game: Game) -> list[set[int]]:
    """The submissions of each rated match that is not over."""
    rows = session.execute(
        select(MatchSeat.match_id, func.array_agg(MatchSeat.submission_id.distinct()))
        .join(Job, Job.match_id == MatchSeat.match_id)
        .join(Match, Match.id == Job.match_id)
        .where(MatchSeat.game == game.id, Match.kind.in_(RATED))
        .group_by(MatchSeat.match_id)
    )
    return [set(submissions) for _, submissions in rows]


def try_scheduling_lock(session: Session) -> bool:
    """Whether this transaction may schedule: only one of several dispatchers may at a time."""
    return bool(session.scalar(select(func.pg_try_advisory_xact_lock(SCHEDULING_LOCK))))


def change_tokens(session: Session) -> dict[str, Hashable]:
    """Game -> a value that differs whenever somebody on its ladder may need a match."""
    jobs = (
        select(Match.game, func.count().label("queued"), func.max(Job.match_id).label("newest"))
        .join(Job, Job.match_id == Match.id)
        .where(Match.kind.in_(RATED))
        .group_by(Match.game)
        .subquery()
    )
    live = (
        select(Submission.game, func.count().label("bots"), func.max(Submission.id).label("newest"))
        .where(Submission.state == SubmissionState.LIVE)
        .group_by(Submission.game)
        .subquery()
    )
    query = (
        select(Ladder.game, Ladder.refitted_at, jobs.c.queued, jobs.c.newest, live.c.bots, live.c.newest)
        .outerjoin(jobs, jobs.c.game == Ladder.game)
        .outerjoin(live, live.c.game == Ladder.game)
    )
    able = frozenset(workers.languages(session))
    return {row[0]: (able, *row[1:]) for row in session.execute(query)}


def schedule_needed(session: Session, game: Game, random: Random, *, house: bool = True) -> int:
    """Queues matches of versions in placement or on trial. Returns how many.

    `house`: also schedule the first matches of house bots.
    """
    everybody = roster(session, game)
    scheduled = 0
    for one, entrant in enumerate(everybody.entrants):
        while (
            (house or not entrant.house)
            and everybody.wants_more(one)
            and _schedule_for(session, everybody, one, random)
        ):
            scheduled += 1
    return scheduled


def _schedule_for(session: Session, everybody: Roster, one: int, random: Random) -> bool:
    """The next match of an entrant. False when there is nobody whom it may meet."""
    entrant = everybody.entrants[one]
    rung = everybody.rungs[entrant.league - 1]
    on_trial = everybody.on_trial(one)
    kind = MatchKind.PLACEMENT if entrant.placing else MatchKind.PROMOTION
    priority = matches.HOUSE_PRIORITY if entrant.house else None
    lowest = entrant.league - (2 if everybody.must_defend(one) else 1)
    highest = len(everybody.rungs) if on_trial else entrant.league - 1
    guarded = [
        rung
        for rung in everybody.rungs[lowest:highest]
        if rung.boss is not None and not everybody.exhausted[one, rung.boss]
    ]
    with_bosses = sum(int(everybody.met[one, rung.boss]) for rung in guarded if rung.boss is not None)
    must = [one]
    if guarded and meets_boss_next(entrant.league_games + everybody.busy[one], with_bosses):
        boss = _boss_to_meet(everybody, one, guarded, random).boss
        must = [one] if boss is None else [one, boss]
    if not everybody.for_two:
        players = _free_for_all(everybody, everybody.league(rung), must, random)
    elif len(must) == 2:
        players = must
    else:
        players = _with_opponent(everybody, one, random)
    return _schedule(session, everybody, players, kind, random=random, priority=priority)


def _boss_to_meet(everybody: Roster, one: int, rungs: Sequence[Rung], random: Random) -> Rung:
    """One of these leagues: its own, those above, and the one below while it has to defend its own.

    First the highest one whose boss is probably beaten, until they have met often enough for passing it; otherwise the
    boss against which the outcome is least certain is the most likely choice.
    """

    def beaten(rung: Rung) -> float:
        return everybody.beaten(one, rung.boss or 0)

    likely = [rung for rung in rungs if beaten(rung) >= LIKELY]
    if likely and everybody.met[one, likely[-1].boss or 0] < LEAST_BOSS_GAMES:
        return likely[-1]
    return random.choices(rungs, [beaten(rung) * (1 - beaten(rung)) + 1e-6 for rung in rungs])[0]


def _with_opponent(everybody: Roster, one: int, random: Random) -> list[int]:
    rung = everybody.rungs[everybody.entrants[one].league - 1]
    members = everybody.league(rung)
    if one not in members:
        members.append(one)
    chosen = pairing.opponents(everybody.part(members), members.index(one), 1, _generator(random))
    return [one, members[chosen[0]]] if chosen else []


def _free_for_all(everybody: Roster, members: Sequence[int], must: Sequence[int], random: Random) -> list[int]:
    """A line-up of the game's preferred size that is possible, including `must`."""
    listed = list(dict.fromkeys([*must, *members]))
    part = everybody.part(listed)
    for size in everybody.game.ladder_entrants:
        if len(must) <= size <= len(listed):
            chosen = pairing.teams(part, size, _generator(random), must=range(len(must)))
            if chosen:
                return [listed[index] for index in chosen]
    return []


def schedule_ladder(session: Session, game: Game, random: Random, *, priority: int | None = None) -> bool:
    """Queues the most informative ladder match, or one of two strangers. False when nobody may meet anybody."""
    everybody = roster(session, game)
    if everybody.for_two and random.random() < pairing.STRANGERS:
        # From any leagues, so that they stay comparable.
        met = pairing.by_lot(everybody.part(range(len(everybody.entrants))), _generator(random))
        return _schedule(session, everybody, met or (), MatchKind.LADDER, random=random, priority=priority)
    sizes = [sum(one.league == rung.position for one in everybody.entrants) for rung in everybody.rungs]
    if not any(sizes):
        return False
    rung = random.choices(everybody.rungs, sizes)[0]
    members = everybody.league(rung)
    if everybody.for_two:
        below = everybody.rungs[rung.position - 2].boss if rung.position > 1 else None
        if below is not None and below not in members and random.random() < LINK_SHARE:
            chosen = pairing.opponents(everybody.part([below, *members]), 0, 1, _generator(random))
            players = [below, [below, *members][chosen[0]]] if chosen else []
        else:
            pairs = pairing.pairs(everybody.part(members), 1, _generator(random), strangers=0.0)
            players = [members[index] for index in pairs[0]] if pairs else []
    else:
        players = _free_for_all(everybody, members, [], random)
    return _schedule(session, everybody, players, MatchKind.LADDER, random=random, priority=priority)


def _schedule(
    session: Session,
    everybody: Roster,
    players: Sequence[int],
    kind: MatchKind,
    *,
    random: Random,
    priority: int | None = None,
) -> bool:
    if len(players) < 2:
        return False
    game, seed = everybody.game, random_seed(random)
    if everybody.for_two:
        # The one that began less often begins, unless it is known how that ends.
        one, other = random.sample(players, 2)
        lead = everybody.firsts[one, other] - everybody.firsts[other, one]
        told = int(everybody.known[one, other]) - int(everybody.known[other, one])
        players = [other, one] if (told, lead) > (0, 0) else [one, other]
    matches.schedule(
        session,
        game=game.id,
        kind=kind,
        submission_ids=game.side_by_side([everybody.entrants[index].submission_id for index in players]),
        seed=seed,
        league=game.top_level,
        priority=priority,
    )
    everybody.count(players)
    return True


def _generator(random: Random) -> np.random.Generator:
    return np.random.default_rng(random.getrandbits(64))
