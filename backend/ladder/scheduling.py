"""Which matches the ladder schedules: placements, trials against bosses, and the most informative ladder matches.

Theory of operation. People's versions in placement, on trial, or in doubt about the boss below their league always have
a few matches in the queue, so that they advance as fast as workers allow; opponents are chosen anew after each. When
nobody waits for anything, the ladder schedules further matches: it draws a league by its size, and in it picks the pair
whose match is most informative about the order. Where more than two meet, half of all these line-ups are strangers, but
for those who must be there, and all of them once the near bots have met often: a bot is as strong as its company, so
the same few bots show little of how it does against all. Queued matches count as played, so that many can run at once.

Decisions are values: `ladder/memory.py` reads what they are based on, and writes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

import numpy as np
from numpy.typing import NDArray

from hexarena.backend.ladder import pairing
from hexarena.backend.ladder.roster import AT_ONCE, Roster, Rung
from hexarena.backend.ladder.rules import LEAST_BOSS_GAMES, meets_boss_next
from hexarena.backend.models import MatchKind
from hexarena.games.seeds import random_seed

LIKELY = 0.9
"""P(stronger than a boss) above which a bot on trial meets it as often as passing requires."""
LINK_SHARE = 0.04
"""The share of a league's matches that includes the boss of the league below, so that ratings stay comparable."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A match to be queued. `submission_ids`: by seat. `for_house`: the first ones of a house bot, which can wait."""

    kind: MatchKind
    submission_ids: tuple[int, ...]
    seed: int
    for_house: bool = False


def plan_needed(everybody: Roster, random: Random, *, most: int, house: bool = True) -> list[Planned]:
    """Matches of versions in placement or on trial, at most so many: one for each of them, then the next for each.

    Whoever has fewest games comes first. They are counted in the roster. `house`: also the first matches of house bots.
    """
    planned: list[Planned] = []
    waiting = [one for one in everybody.pressing if house or not everybody.entrants[one].house]
    while waiting and len(planned) < most:
        again = []
        for one in waiting:
            if len(planned) < most and everybody.wants_more(one) and (match := _plan_for(everybody, one, random)):
                planned.append(match)
                again.append(one)
        waiting = again
    return planned


def plan_evenly(everybody: Roster, random: Random, *, most: int, enough: int) -> list[Planned]:
    """Matches for an only league without bosses in which all begin at once, at most so many: one by one for whoever has
    had the fewest, against others with few, until each has had `enough`. They are counted in the roster.

    Placement on a game's ladder chooses the most informative opponents, which are those that are known best: where all
    are placed at once, these few would meet everybody, and others hardly anybody.
    """
    planned: list[Planned] = []
    while len(planned) < most:
        counts = np.array([one.games for one in everybody.entrants], np.int64) + np.array(everybody.busy, np.int64)
        waiting = [one for one, count in enumerate(counts.tolist()) if count < enough and everybody.busy[one] < AT_ONCE]
        random.shuffle(waiting)
        waiting.sort(key=lambda one: int(counts[one]))
        found = (_plan_evenly(everybody, one, counts, random) for one in waiting)
        match = next((one for one in found if one is not None), None)
        if match is None:
            break
        planned.append(match)
    return planned


def _plan_evenly(everybody: Roster, one: int, counts: NDArray[np.int64], random: Random) -> Planned | None:
    players: list[int] = []
    if everybody.for_two:
        field, generator = everybody.part(range(len(everybody.entrants))), _generator(random)
        among = pairing.least_played(counts, field.may_meet(one))
        players = [one, *chosen] if (chosen := pairing.opponents(field, one, 1, generator, among=among)) else []
    else:
        # As many as usual, if need be with some who have had many.
        for size in everybody.game.ladder_entrants:
            for fewest in sorted(set(counts.tolist())):
                members = np.flatnonzero(counts <= fewest + pairing.SLACK).tolist()
                players = players or _free_for_all(everybody, members, [one], random, sizes=(size,))
    return _plan(everybody, players, MatchKind.PLACEMENT, random)


def _plan_for(everybody: Roster, one: int, random: Random) -> Planned | None:
    """The next match of an entrant. None when there is nobody whom it may meet."""
    entrant = everybody.entrants[one]
    rung = everybody.rungs[entrant.league - 1]
    kind = MatchKind.PLACEMENT if entrant.placing else MatchKind.PROMOTION
    must = [one]
    guarded = _bosses_to_meet(everybody, one)
    with_bosses = sum(everybody.meetings.between(one, boss) for _, boss in guarded)
    if guarded and meets_boss_next(entrant.league_games + everybody.busy[one], with_bosses):
        must = [one, _boss_to_meet(everybody, one, guarded, random)]
    if not everybody.for_two:
        near = [] if _strange(everybody, random) else _free_for_all(everybody, everybody.league(rung), must, random)
        players = near if near and not _familiar(everybody, near, must) else _with_strangers(everybody, must, random)
        players = players or near or _free_for_all(everybody, everybody.league(rung), must, random)
    elif len(must) == 2:
        players = must
    else:
        players = _with_opponent(everybody, one, random)
    return _plan(everybody, players, kind, random, for_house=entrant.house)


def _bosses_to_meet(everybody: Roster, one: int) -> list[tuple[Rung, int]]:
    """The leagues, with the bosses, that an entrant may still have to meet: its own, those above, the one below."""
    league = everybody.entrants[one].league
    lowest = league - (2 if everybody.must_defend(one) else 1)
    highest = len(everybody.rungs) if everybody.on_trial(one) else league - 1
    return [
        (rung, rung.boss)
        for rung in everybody.rungs[lowest:highest]
        if rung.boss is not None and not everybody.exhausted(one, rung.boss)
    ]


def _boss_to_meet(everybody: Roster, one: int, guarded: Sequence[tuple[Rung, int]], random: Random) -> int:
    """One of these bosses: of its own league, those above, and the one below while it has to defend its own.

    First the highest one that is probably beaten, until they have met often enough for passing it; otherwise the boss
    against which the outcome is least certain is the most likely choice.
    """
    bosses = [boss for _, boss in guarded]
    likely = [boss for boss in bosses if everybody.beaten(one, boss) >= LIKELY]
    if likely and everybody.meetings.between(one, likely[-1]) < LEAST_BOSS_GAMES:
        return likely[-1]
    chances = [everybody.beaten(one, boss) for boss in bosses]
    return random.choices(bosses, [chance * (1 - chance) + 1e-6 for chance in chances])[0]


def _with_opponent(everybody: Roster, one: int, random: Random) -> list[int]:
    rung = everybody.rungs[everybody.entrants[one].league - 1]
    members = everybody.league(rung)
    if one not in members:
        members.append(one)
    chosen = pairing.opponents(everybody.part(members), members.index(one), 1, _generator(random))
    return [one, members[chosen[0]]] if chosen else []


def _free_for_all(
    everybody: Roster, members: Sequence[int], must: Sequence[int], random: Random, *, sizes: Sequence[int] = ()
) -> list[int]:
    """A line-up of the game's preferred size that is possible, including `must`. `sizes`: others than the game's."""
    listed = [*members, *(one for one in must if one not in members)]
    part = everybody.part(listed, weighed=True)
    for size in sizes or everybody.game.ladder_entrants:
        if len(must) <= size <= len(listed):
            chosen = pairing.teams(part, size, _generator(random), must=[listed.index(one) for one in must])
            if chosen:
                return [listed[index] for index in chosen]
    return []


def plan_ladder(everybody: Roster, random: Random) -> Planned | None:
    """The most informative ladder match, or one of strangers. None when nobody may meet anybody."""
    if _strange(everybody, random):
        return _plan(everybody, _by_lot(everybody, random), MatchKind.LADDER, random)
    sizes = [len(members) for members in everybody.members]
    if not any(sizes):
        return None
    rung = random.choices(everybody.rungs, sizes)[0]
    players = _in_league(everybody, rung, random)
    return _plan(everybody, players, MatchKind.LADDER, random)


def _strange(everybody: Roster, random: Random) -> bool:
    """Whether the next match is to be one of strangers."""
    return random.random() < (pairing.STRANGERS if everybody.for_two else pairing.STRANGERS_OF_MANY)


def _familiar(everybody: Roster, players: Sequence[int], must: Sequence[int]) -> bool:
    """Whether a line-up is old company: of the first one who must be there, or, if nobody must, of all of them.

    A new version does not know those who have met each other for months. That it has met a boss often does not count.
    """
    pairs = [(must[0], one) for one in players if one not in must] if must else list(combinations(players, 2))
    return sum(everybody.meetings.between(*pair) for pair in pairs) >= pairing.FAMILIAR * max(1, len(pairs))


def _by_lot(everybody: Roster, random: Random) -> Sequence[int]:
    """Players from any leagues, so that these stay comparable."""
    if not everybody.for_two:
        return _with_strangers(everybody, [], random)
    return pairing.by_lot(everybody.part(range(len(everybody.entrants))), _generator(random)) or ()


def _with_strangers(everybody: Roster, must: Sequence[int], random: Random) -> list[int]:
    """A line-up of more than two: those who must be in it, and others from any leagues; nobody if there is none."""
    field = everybody.part(range(len(everybody.entrants)))
    sizes = (size for size in everybody.game.ladder_entrants if size >= len(must))
    line_ups = (pairing.line_up_by_lot(field, size, _generator(random), must=must) for size in sizes)
    return list(next(filter(None, line_ups), ()))


def _in_league(everybody: Roster, rung: Rung, random: Random) -> list[int]:
    """Who plays the next ladder match of a league; nobody where that is not possible."""
    members = everybody.league(rung)
    if not everybody.for_two:
        near = _free_for_all(everybody, members, [], random)
        return near if not _familiar(everybody, near, []) else _with_strangers(everybody, [], random) or near
    below = everybody.rungs[rung.position - 2].boss if rung.position > 1 else None
    if below is not None and below not in members and random.random() < LINK_SHARE:
        listed = [below, *members]
        chosen = pairing.opponents(everybody.part(listed), 0, 1, _generator(random))
        return [below, listed[chosen[0]]] if chosen else []
    pairs = pairing.pairs(everybody.part(members, weighed=True), 1, _generator(random), strangers=0.0)
    return [members[index] for index in pairs[0]] if pairs else []


def _plan(
    everybody: Roster, players: Sequence[int], kind: MatchKind, random: Random, *, for_house: bool = False
) -> Planned | None:
    """Seats the players, and counts their match in the roster."""
    if len(players) < 2:
        return None
    game, seed = everybody.game, random_seed(random)
    if everybody.for_two:
        # The one that began less often begins, unless it is known how that ends.
        one, other = random.sample(players, 2)
        lead = everybody.meetings.lead(one, other)
        known = int(everybody.meetings.known(one, other)) - int(everybody.meetings.known(other, one))
        players = [other, one] if (known, lead) > (0, 0) else [one, other]
    seats = game.side_by_side([everybody.entrants[index].submission_id for index in players])
    everybody.count(players)
    return Planned(kind, tuple(seats), seed, for_house)


def _generator(random: Random) -> np.random.Generator:
    return np.random.default_rng(random.getrandbits(64))
