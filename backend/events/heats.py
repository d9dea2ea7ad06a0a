"""Heats: who meets whom in matches of more than two, who sits where, what a heat ends with, and the table. Pure.

Theory of operation. A round deals everybody into as few heats as possible, of sizes that differ by one at most. In the
first round the seeding goes through the heats to and fro, so that they are equally strong; later ones go by points.
In a game an entrant has the share of the others that it beat, where a tie is half: a win is 1 in every heat, and the
average ½, so nobody gains by a small heat. In mixed teams an entrant has its team's place, and ties with teammates;
who is whose teammate is drawn anew in each game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, pairwise

from hexarena.backend.events import tables
from hexarena.backend.events.forms import MOST_PLAYOFFS, Heat, HeatOutcome, Stage
from hexarena.games.contract import Game

NOBODY: frozenset[int] = frozenset()
NOTHING = Fraction(0)
TIES = ("points", "points of those met", "games won", "play-off", "seeding")
"""In this order. Points of those met: in each heat the mean of the others' points in all heats."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table. `points`: shares of the others that were beaten, over all games. `met`: points of those met.

    `won`: games in which it, or its team, had the first place. `playoffs`: points in each play-off. `decided_by`: what
    put it above the next line; None where points did.
    """

    entrant: int
    place: int
    played: int
    won: int
    points: Fraction
    met: Fraction
    playoffs: tuple[Fraction, ...]
    decided_by: str | None = None

    @property
    def key(self) -> tuple[object, ...]:
        """What was played, in the order of `TIES`."""
        return (self.points, self.met, self.won, self.playoffs)


# --- Who meets whom ---------------------------------------------------------------------------------------------------


def most(stage: Stage, in_heat: int, team_seats: int) -> int:
    """How many may play in a heat. `in_heat`: teams, each of one entrant, or of several where they are mixed."""
    return in_heat * team_seats if stage.mixed else in_heat


def sizes(entrants: int, most: int) -> list[int]:
    """The sizes of a round's heats, the larger ones first. `entrants`: 2 or more. `most`: of a heat, 3 or more.

    With `most` of 3 or more none is smaller than 2.
    """
    count = -(-entrants // most)
    return [entrants // count + (index < entrants % count) for index in range(count)]


def dealt(entrants: Sequence[int], most: int) -> list[tuple[int, ...]]:
    """Heats of about the same strength: the order of the entrants goes through them to and fro."""
    wanted = sizes(len(entrants), most)
    found: list[list[int]] = [[] for _ in wanted]
    rest, lap = iter(entrants), 0
    while any(len(heat) < size for heat, size in zip(found, wanted, strict=True)):
        open_heats = [heat for heat, size in zip(found, wanted, strict=True) if len(heat) < size]
        for heat in open_heats if lap % 2 == 0 else reversed(open_heats):
            heat.append(next(rest))
        lap += 1
    return [tuple(heat) for heat in found]


def by_points(standing: Sequence[int], met: Mapping[frozenset[int], int], most: int) -> list[tuple[int, ...]]:
    """Heats of those whose points are near each other. `standing`: the best first. `met`: pair -> heats together.

    From the top downwards, each heat takes its first entrant and then the next ones. One is passed over for as many
    places as a heat has entrants, for each time that it met one that is in the heat.
    """
    rest = list(standing)
    found = []
    for size in sizes(len(standing), most):
        heat = [rest.pop(0)]
        while len(heat) < size:
            again = [sum(met.get(frozenset((one, other)), 0) for other in heat) for one in rest]
            heat.append(rest.pop(min(range(len(rest)), key=lambda place: place + size * again[place])))
        found.append(tuple(heat))
    return found


def meetings(heats: Collection[Heat]) -> Counter[frozenset[int]]:
    """Pair -> how many heats the two were in together."""
    return Counter(frozenset(pair) for heat in heats for pair in combinations(heat.entrants, 2))


# --- The games of a heat ----------------------------------------------------------------------------------------------


def trial_of(heat: Heat, game: int, *, paired: bool) -> int:
    """The number of the seed that a game is played on. `game`: from 0. `paired`: seats differ, so that as many games
    as there are entrants are played on each seed.
    """
    return game // len(heat.entrants) if paired else game


def seated(game: Game, stage: Stage, order: Sequence[int], seed: int) -> tuple[int, ...]:
    """Seat -> who sits there. `order`: the entrants; the seed deals them to mixed teams."""
    return game.seated(order, seed) if stage.mixed else game.side_by_side(order)


def order(heat: Heat, game: int, present: Collection[int]) -> tuple[int, ...]:
    """Who sits first, second, … in a game. `present`: the heat's entrants that can still play.

    In as many games as there are entrants everybody sits in each seat once; then the order is turned round, so that
    neighbours change, too.
    """
    there = [one for one in heat.entrants if one in present]
    if (game // len(there)) % 2:
        there.reverse()
    turn = (game + heat.number) % len(there)
    return (*there[turn:], *there[:turn])


def outcome(
    heat: Heat,
    results: Sequence[Mapping[int, int]],
    *,
    games: int,
    mixed: bool = False,
    out: frozenset[int] = NOBODY,
) -> HeatOutcome | None:
    """How a heat ended; None while it is played.

    `results`: entrant -> rank in each game, in order, up to the first that is not over. Who is missing there was out,
    and is beaten by all who played. `mixed`: ranks are those of teams. `out`: who is out by now: the last one who is
    left wins what was not played.
    """
    left = [one for one in heat.entrants if one not in out]
    if len(results) < games and len(left) > 1:
        return None
    points, wins = Counter[int](), Counter[int]()
    size = len(heat.entrants)
    for ranks in results[:games]:
        for one, rank in ranks.items():
            others = [other for who, other in ranks.items() if who != one]
            beaten = sum(rank < other for other in others) + size - len(ranks)
            points[one] += 2 * beaten + others.count(rank)
            wins[one] += beaten > 0 and rank <= min(others, default=rank) if mixed else beaten == size - 1
    for one in left:
        points[one] += 2 * (size - 1) * max(0, games - len(results))
        wins[one] += max(0, games - len(results))
    return HeatOutcome(tuple(points[one] for one in heat.entrants), tuple(wins[one] for one in heat.entrants))


def share(heat: Heat, half_points: int) -> Fraction:
    """What half points of a heat are worth: for each game from 0 to 1."""
    return Fraction(half_points, 2 * (len(heat.entrants) - 1))


def places(done: HeatOutcome) -> list[int]:
    """The place that each has in its heat, from 1; equal points share it."""
    return [1 + sum(other > one for other in done.points) for one in done.points]


# --- Its state --------------------------------------------------------------------------------------------------------


def table(
    entrants: Sequence[int], heats: Sequence[Heat], outcomes: Mapping[int, HeatOutcome], *, games: int
) -> list[Row]:
    """The lines, the best first. `entrants`: in the order of the seeding. `games`: of a heat."""
    points, won, played = dict.fromkeys(entrants, NOTHING), Counter[int](), Counter[int]()
    playoffs = {one: [NOTHING] * MOST_PLAYOFFS for one in entrants}
    done = [(heat, outcomes[heat.number]) for heat in heats if heat.number in outcomes]
    for heat, ended in done:
        for one, half_points, wins in zip(heat.entrants, ended.points, ended.wins, strict=True):
            if heat.playoff:
                playoffs[one][heat.playoff - 1] += share(heat, half_points)
                continue
            points[one] += share(heat, half_points)
            won[one] += wins
            played[one] += games
    met = dict.fromkeys(entrants, NOTHING)
    for heat, _ in done:
        if not heat.playoff:
            for one in heat.entrants:
                met[one] += sum((points[other] for other in heat.entrants if other != one), NOTHING) / (
                    len(heat.entrants) - 1
                )
    rows = [Row(one, 0, played[one], won[one], points[one], met[one], tuple(playoffs[one])) for one in entrants]
    # Sorting is stable: where nothing else decides, the seeding does.
    rows.sort(key=lambda row: row.key, reverse=True)
    above = [*(_decider(one, other) for one, other in pairwise(rows)), None]
    return [replace(row, place=index + 1, decided_by=above[index]) for index, row in enumerate(rows)]


def _decider(row: Row, below: Row) -> str | None:
    found = next((name for name, one, two in zip(TIES, row.key, below.key, strict=False) if one != two), TIES[-1])
    return None if found == TIES[0] else found


def tied(rows: Sequence[Row], boundaries: Collection[int]) -> list[list[int]]:
    """Those that only the seeding separates at a boundary. `boundaries`: 3 is the one between the places 3 and 4."""
    return tables.equals([(row.entrant, row.key) for row in rows], boundaries)
