"""A game's ladder as the scheduler sees it: who plays, in which league, and who met whom. Values only, no database.

Who met whom is sparse: of thousands of bots, each meets a few hundred. A matrix of 6,000 by 6,000 would take longer to
make than all the decisions that are based on it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from hexarena.backend.ladder import pairing
from hexarena.backend.ladder.rules import HOUSE, must_defend
from hexarena.backend.models import TrialState
from hexarena.backend.rating.elo import ELO_PER_LOGIT
from hexarena.games.contract import Game

AT_ONCE = 4
"""Matches of one version in the queue while it is in placement, on trial, or has to defend its league."""
FIRST_MATCHES = 3
"""How many matches a house bot plays before it gets only ladder matches."""
FEW = 4
"""A league with fewer entrants plays with the league below."""
MOST_PARTS = 32
"""Parts of the ladder that are kept for the next decision; further ones are made anew."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A live version on a game's ladder. `guest`: its games rate nobody but guests."""

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
    guest: bool = False

    @property
    def house(self) -> bool:
        """Whether it is a house bot."""
        return self.owner_id == HOUSE


@dataclass(frozen=True, slots=True)
class Rung:
    """A league as the scheduler sees it. `boss`: the index of its boss among the entrants."""

    position: int
    boss: int | None


class Meetings:
    """How often each two of `size` entrants have met, queued matches included.

    `first`, `second`, `games`, `known`: for each pair in the order of their seats that has met, which come in any
    order: the entrants' indexes, their games, repeats included, and whether these only repeat earlier ones.
    """

    def __init__(
        self,
        size: int,
        first: NDArray[np.int64],
        second: NDArray[np.int64],
        games: NDArray[np.int64],
        known: NDArray[np.bool_],
    ) -> None:
        self.size = size
        keys = first * size + second
        order = np.argsort(keys)
        self._keys, self._games, self._known = keys[order], games[order], known[order]
        reverse = np.argsort(second * size + first)
        self._begun = np.searchsorted(first[order], np.arange(size + 1))
        self._met = np.searchsorted(second[reverse], np.arange(size + 1))
        self._opponents, self._firsts, self._firsts_games = second[order], first[reverse], games[reverse]
        self._queued: dict[int, Counter[int]] = defaultdict(Counter)
        self._queued_firsts: Counter[tuple[int, int]] = Counter()

    def forget_queued(self) -> None:
        """Counts queued matches anew."""
        self._queued.clear()
        self._queued_firsts.clear()

    def queue(self, players: Sequence[int]) -> None:
        """Counts a queued match of these entrants, in the order of their seats."""
        for place, one in enumerate(players):
            for other in players[place + 1 :]:
                self._queued[one][other] += 1
                self._queued[other][one] += 1
                self._queued_firsts[one, other] += 1

    def __getitem__(self, one: int) -> NDArray[np.float64]:
        """Its games against everybody. Shape (size,)."""
        row = np.zeros(self.size)
        begun, met = slice(*self._begun[one : one + 2]), slice(*self._met[one : one + 2])
        row[self._opponents[begun]] += self._games[begun]
        row[self._firsts[met]] += self._firsts_games[met]
        for other, games in self._queued.get(one, {}).items():
            row[other] += games
        return row

    def between(self, one: int, other: int) -> int:
        """Games of two."""
        queued = self._queued[one][other] if one in self._queued else 0
        return self._played(one, other) + self._played(other, one) + queued

    def lead(self, one: int, other: int) -> int:
        """How many games more `one` began of those between two."""
        queued = self._queued_firsts[one, other] - self._queued_firsts[other, one]
        return self._played(one, other) - self._played(other, one) + queued

    def known(self, one: int, other: int) -> bool:
        """Whether the games that `one` begins only repeat earlier ones."""
        at = self._find(one, other)
        return at is not None and bool(self._known[at])

    @cached_property
    def exhausted(self) -> Mapping[int, list[int]]:
        """Entrant -> those with whom it only repeats earlier games, whoever begins."""
        known = self._keys[self._known]
        first, second = np.divmod(known, max(self.size, 1))
        found: dict[int, list[int]] = defaultdict(list)
        for one, other in zip(first.tolist(), second.tolist(), strict=True):
            if self.known(other, one):
                found[one].append(other)
        return dict(found)

    def _played(self, one: int, other: int) -> int:
        at = self._find(one, other)
        return 0 if at is None else int(self._games[at])

    def _find(self, one: int, other: int) -> int | None:
        key = one * self.size + other
        at = int(np.searchsorted(self._keys, key))
        return at if at < len(self._keys) and self._keys[at] == key else None


@dataclass(frozen=True, slots=True)
class _PartOfMeetings:
    """The rows of some entrants, in this order."""

    meetings: Meetings
    members: NDArray[np.int64]

    def __getitem__(self, one: int) -> NDArray[np.float64]:
        return self.meetings[int(self.members[one])][self.members]


@dataclass(frozen=True)
class Roster:
    """All contenders, and who met whom. `busy`: rated matches of each in the queue."""

    game: Game
    entrants: tuple[Contender, ...]
    rungs: tuple[Rung, ...]
    meetings: Meetings
    dispersion: float = 1.0
    matchup_variance: float = 0.0
    busy: list[int] = field(default_factory=list)
    _parts: dict[tuple[int, ...], pairing.Field] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.busy.extend([0] * (len(self.entrants) - len(self.busy)))

    @property
    def for_two(self) -> bool:
        """Whether two entrants meet in a match."""
        return self.game.for_two

    def queue_anew(self, matches: Iterable[Sequence[int]]) -> None:
        """Counts the matches in the queue, each as its submissions in the order of their seats, and no others."""
        index = {one.submission_id: place for place, one in enumerate(self.entrants)}
        self.meetings.forget_queued()
        self.busy[:] = [0] * len(self.entrants)
        for submissions in matches:
            self.count([index[one] for one in dict.fromkeys(submissions) if one in index])

    def count(self, players: Sequence[int]) -> None:
        """Counts a match that was queued just now. `players`: entrants in the order of their seats."""
        for one in players:
            self.busy[one] += 1
        self.meetings.queue(players)

    @cached_property
    def pressing(self) -> list[int]:
        """Those of whom some may want more matches now; all others can wait for ladder matches. Fewest games first."""
        found = [
            one
            for one, entrant in enumerate(self.entrants)
            if (entrant.house and entrant.games < FIRST_MATCHES)
            or (not entrant.house and (entrant.provisional or self.on_trial(one) or self.must_defend(one)))
        ]
        return sorted(found, key=lambda one: self.entrants[one].games)

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
        return must_defend(self.beaten(one, boss), self.meetings.between(one, boss)) and not self.exhausted(one, boss)

    def exhausted(self, one: int, other: int) -> bool:
        """Whether matches of two only repeat earlier ones, whoever begins."""
        return self.meetings.known(one, other) and self.meetings.known(other, one)

    def beaten(self, one: int, other: int) -> float:
        """About P(`one` is stronger than `other`)."""
        mine, theirs = self.entrants[one], self.entrants[other]
        spread = max(math.hypot(mine.deviation, theirs.deviation), 1.0)
        return NormalDist().cdf((mine.rating - theirs.rating) / spread)

    @cached_property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """The entrants of each league, from the lowest one."""
        found: list[list[int]] = [[] for _ in self.rungs]
        for index, one in enumerate(self.entrants):
            found[one.league - 1].append(index)
        return tuple(map(tuple, found))

    def league(self, rung: Rung) -> list[int]:
        """Who plays in a league: its members, plus those of leagues below while they are too few."""
        found: list[int] = []
        for members in reversed(self.members[: rung.position]):
            if len(found) >= FEW:
                break
            found += members
        return found

    def part(self, members: Sequence[int], *, weighed: bool = False) -> pairing.Field:
        """The field for pairing: some of the contenders. `weighed`: with their importance, which takes long to find.

        Fields are kept: who met whom in them is always up to date, all else as old as the contenders.
        """
        key = tuple(members)
        found = self._parts.get(key) or self._part(key)
        if weighed and found.importance is None:
            found = replace(found, importance=pairing.importance(found.strengths, found.variances))
        while len(self._parts) >= MOST_PARTS and key not in self._parts:
            del self._parts[next(iter(self._parts))]
        self._parts[key] = found
        return found

    def _part(self, members: tuple[int, ...]) -> pairing.Field:
        chosen, rows = [self.entrants[index] for index in members], np.array(members, dtype=np.int64)
        place = {index: at for at, index in enumerate(members)}
        exhausted = {
            place[one]: [place[other] for other in others if other in place]
            for one, others in self.meetings.exhausted.items()
            if one in place
        }
        return pairing.Field(
            strengths=np.array([one.rating for one in chosen]) / ELO_PER_LOGIT,
            variances=np.array([one.variance for one in chosen]),
            met=_PartOfMeetings(self.meetings, rows),
            owners=np.array([one.owner_id for one in chosen], dtype=np.int64),
            games=np.array([one.games for one in chosen], dtype=np.int64),
            dispersion=self.dispersion,
            matchup_variance=self.matchup_variance,
            exhausted=exhausted or None,
            guests=np.array([one.guest for one in chosen]) if any(one.guest for one in chosen) else None,
        )
