"""Tables of groups: points, and what decides between equal points, in a written order. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from hexarena.backend.events.forms import MOST_PLAYOFFS, Outcome, Pairing

ROBIN_TIES = ("points", "direct encounters", "Sonneborn-Berger", "games won", "play-off", "seeding")
LADDER_TIES = ("strength, by the ladder at the deadline and these games", "seeding")
SWISS_TIES = ("points", "Buchholz", "Sonneborn-Berger", "games won", "play-off", "seeding")
"""In this order. Sonneborn-Berger: the points against each opponent, times that opponent's points. Buchholz: the
points of all opponents."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table. `points`, `second` (direct encounters or Buchholz) and `berger` are in half points.

    `playoffs`: half points in each play-off. `decided_by`: what put it above the next line; None where points did.
    `rating`, `deviation`: in Elo, where the ladder is played on; `sure`: P(all from here upwards are stronger than each
    one below), None in the last line.
    """

    entrant: int
    place: int
    played: int
    won: int
    drawn: int
    lost: int
    points: int
    second: int
    berger: int
    playoffs: tuple[int, ...]
    decided_by: str | None = None
    rating: float | None = None
    deviation: float | None = None
    sure: float | None = None


@dataclass(slots=True)
class _Count:
    points: int = 0
    wins: int = 0
    losses: int = 0
    games: int = 0


def table(
    entrants: Sequence[int],
    pairings: Sequence[Pairing],
    outcomes: Mapping[int, Outcome],
    *,
    swiss: bool = False,
    byes: Mapping[int, int] | None = None,
) -> list[Row]:
    """The lines, the best first. `entrants`: in the order of the seeding. `byes`: entrant -> half points for them."""
    counts = {one: _Count() for one in entrants}
    against: dict[int, dict[int, int]] = {one: defaultdict(int) for one in entrants}
    playoffs: dict[int, list[int]] = {one: [0] * MOST_PLAYOFFS for one in entrants}
    for pairing in pairings:
        outcome = outcomes.get(pairing.number)
        if outcome is None or pairing.first not in counts or pairing.second not in counts:
            continue
        if pairing.playoff:
            playoffs[pairing.first][pairing.playoff - 1] += outcome.first
            playoffs[pairing.second][pairing.playoff - 1] += outcome.second
            continue
        _add(counts[pairing.first], outcome.first, outcome.first_wins, outcome.second_wins, outcome)
        _add(counts[pairing.second], outcome.second, outcome.second_wins, outcome.first_wins, outcome)
        against[pairing.first][pairing.second] += outcome.first
        against[pairing.second][pairing.first] += outcome.second
    for entrant, half_points in (byes or {}).items():
        counts[entrant].points += half_points
    points = {one: count.points for one, count in counts.items()}
    seconds = {one: _buchholz(one, against, points) if swiss else _direct(one, against, points) for one in entrants}
    bergers = {one: sum(own * points[other] for other, own in against[one].items()) for one in entrants}
    keys = {one: (points[one], seconds[one], bergers[one], counts[one].wins, tuple(playoffs[one])) for one in entrants}
    seeding = {one: index for index, one in enumerate(entrants)}
    ranked = sorted(entrants, key=lambda one: (*(_negated(part) for part in keys[one]), seeding[one]))
    names = SWISS_TIES if swiss else ROBIN_TIES
    return [
        Row(
            entrant=one,
            place=index + 1,
            played=counts[one].games,
            won=counts[one].wins,
            drawn=counts[one].games - counts[one].wins - counts[one].losses,
            lost=counts[one].losses,
            points=points[one],
            second=seconds[one],
            berger=bergers[one],
            playoffs=tuple(playoffs[one]),
            decided_by=_decider(keys, ranked, index, names),
        )
        for index, one in enumerate(ranked)
    ]


def _add(count: _Count, points: int, wins: int, losses: int, outcome: Outcome) -> None:
    count.points += points
    count.wins += wins
    count.losses += losses
    count.games += (outcome.first + outcome.second) // 2


def _negated(part: int | tuple[int, ...]) -> int | tuple[int, ...]:
    return tuple(-one for one in part) if isinstance(part, tuple) else -part


def _buchholz(one: int, against: Mapping[int, Mapping[int, int]], points: Mapping[int, int]) -> int:
    return sum(points[other] for other in against[one])


def _direct(one: int, against: Mapping[int, Mapping[int, int]], points: Mapping[int, int]) -> int:
    """Half points against those with as many points."""
    return sum(own for other, own in against[one].items() if points[other] == points[one])


def _decider(
    keys: Mapping[int, tuple[object, ...]], ranked: Sequence[int], index: int, names: Sequence[str]
) -> str | None:
    """What put this line above the next; None where points did, and for the last."""
    if index + 1 == len(ranked):
        return None
    own, other = keys[ranked[index]], keys[ranked[index + 1]]
    name = next((name for name, one, two in zip(names, own, other, strict=False) if one != two), names[-1])
    return None if name == names[0] else name


def ties(rows: Sequence[Row], boundaries: Collection[int]) -> list[list[int]]:
    """Those that only the seeding separates at a boundary. `boundaries`: 3 is the one between the places 3 and 4."""
    keys = [(row.entrant, (row.points, row.second, row.berger, row.won, row.playoffs)) for row in rows]
    return equals(keys, boundaries)


def equals(ranked: Sequence[tuple[int, tuple[object, ...]]], boundaries: Collection[int]) -> list[list[int]]:
    """The entrants with the same key around a boundary. `ranked`: (entrant, what was played), the best first."""
    found: list[list[int]] = []
    start = 0
    for end in range(1, len(ranked) + 1):
        if end < len(ranked) and ranked[end - 1][1] == ranked[end][1]:
            continue
        if any(start < boundary < end for boundary in boundaries):
            found.append([entrant for entrant, _ in ranked[start:end]])
        start = end
    return found
