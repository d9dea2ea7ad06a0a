"""Rated results as arrays: who met whom, and how it ended. Values in, values out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from itertools import combinations

import numpy as np

from hexarena.backend.rating.counts import BoolArray, IntArray, Rankings
from hexarena.games.contract import Game


@dataclass(frozen=True, slots=True)
class Played:
    """Rated results in the order in which they ended.

    By match: `match_id`; `seats`, how many it has; `repeat`: an earlier match of the same competitors in the same seats
    was equal to it; shape (m,). By seat, match after match: the `competitor` (`Standing.competitor_id`), the `rank`, 0
    the best, and whether it ended with a `fault`; shape (s,). A competitor that fills several seats is one entrant, and
    its first seat represents it.
    """

    match_id: IntArray
    seats: IntArray
    repeat: BoolArray
    competitor: IntArray
    rank: IntArray
    fault: BoolArray

    @classmethod
    def nothing(cls) -> Played:
        """No results."""
        none = np.zeros(0, np.int64)
        return cls(none, none, np.zeros(0, np.bool_), none, none, np.zeros(0, np.bool_))

    def __len__(self) -> int:
        return len(self.match_id)

    @property
    def begin(self) -> IntArray:
        """The first seat of each match, shape (m,)."""
        return np.asarray(np.cumsum(self.seats) - self.seats)

    @property
    def match(self) -> IntArray:
        """The match of each seat, as an index; shape (s,)."""
        return np.repeat(np.arange(len(self.seats)), self.seats)

    def only(self, some: BoolArray) -> Played:
        """Some matches. `some`: shape (m,)."""
        seats = np.repeat(some, self.seats)
        return Played(
            self.match_id[some],
            self.seats[some],
            self.repeat[some],
            self.competitor[seats],
            self.rank[seats],
            self.fault[seats],
        )

    def plus(self, more: Played) -> Played:
        """Both, one after the other."""
        both = [(getattr(self, one.name), getattr(more, one.name)) for one in fields(self)]
        return Played(*[np.concatenate(one) for one in both])

    def marked(self, repeat: BoolArray) -> Played:
        """The same with what repeats what."""
        return replace(self, repeat=repeat)

    def entrants(self, some: IntArray) -> list[tuple[int, ...]]:
        """The competitors of matches, by seat. `some`: their indices."""
        begin = self.begin
        return [tuple(self.competitor[begin[at] : begin[at] + self.seats[at]].tolist()) for at in some.tolist()]

    def alike(self) -> Iterator[Table]:
        """The matches as tables, one for each number of seats."""
        begin = self.begin
        for seats in np.unique(self.seats).tolist():
            match = np.flatnonzero(self.seats == seats)
            places = begin[match][:, None] + np.arange(seats)
            competitor = self.competitor[places]
            first = np.ones(competitor.shape, np.bool_)
            for seat in range(1, seats):
                first[:, seat] = (competitor[:, :seat] != competitor[:, seat : seat + 1]).all(1)
            yield Table(match, competitor, self.rank[places], self.fault[places], first)


@dataclass(frozen=True, slots=True)
class Table:
    """Matches with as many seats. `match`: their indices, shape (k,); the others: see Played, shape (k, seats).

    `first`: the first seat of its competitor in this match.
    """

    match: IntArray
    competitor: IntArray
    rank: IntArray
    fault: BoolArray
    first: BoolArray


@dataclass(frozen=True, slots=True)
class Pairs:
    """Each entrant of a match with each later one of another team. `half_points` of the first: 0, 1 or 2; shape (p,).

    `match`: an index. Sorted by match, then by the seats.
    """

    match: IntArray
    first: IntArray
    second: IntArray
    half_points: IntArray

    @classmethod
    def of(cls, game: Game, played: Played) -> Pairs:
        """All of them, those of repeats as well."""
        none = np.zeros(0, np.int64)
        found = [(none, none, none, none, none)]
        for table in played.alike():
            seats = table.competitor.shape[1]
            for number, (one, other) in enumerate(combinations(range(seats), 2)):
                if game.team(one) == game.team(other):
                    continue
                both = np.flatnonzero(table.first[:, one] & table.first[:, other])
                if len(both):
                    points = 1 + np.sign(table.rank[both, other] - table.rank[both, one])
                    entrants = table.competitor[both, one], table.competitor[both, other]
                    found.append((table.match[both], np.full(len(both), number), *entrants, points))
        match, numbers, first, second, half_points = (np.concatenate(one) for one in zip(*found, strict=True))
        order = np.lexsort((numbers, match))
        return cls(match[order], first[order], second[order], half_points[order])


@dataclass(frozen=True, slots=True)
class Tally:
    """Results of ordered pairs of competitors, summed up and sorted by pair, shape (t,); see PairTally."""

    first: IntArray
    second: IntArray
    games: IntArray
    half_points: IntArray
    draws: IntArray
    repeats: IntArray

    @classmethod
    def of(cls, game: Game, played: Played) -> Tally:
        """Of repeats only how many there were."""
        pairs = Pairs.of(game, played)
        keys, row = np.unique((pairs.first << 32) + pairs.second, return_inverse=True)
        counted = ~played.repeat[pairs.match]

        def total(values: BoolArray | IntArray) -> IntArray:
            return np.bincount(row, values, len(keys)).astype(np.int64)

        return cls(
            keys >> 32,
            keys & 0xFFFFFFFF,
            total(counted),
            total(pairs.half_points * counted),
            total((pairs.half_points == 1) & counted),
            total(~counted),
        )

    def only(self, some: BoolArray) -> Tally:
        """Some rows."""
        values = (self.first, self.second, self.games, self.half_points, self.draws, self.repeats)
        return Tally(*[one[some] for one in values])

    def plus(self, more: Tally) -> Tally:
        """Both together. Quick when `more` is small."""
        keys, theirs = (self.first << 32) + self.second, (more.first << 32) + more.second
        at = np.searchsorted(keys, theirs)
        known = np.zeros(len(at), np.bool_)
        inside = at < len(keys)
        known[inside] = keys[at[inside]] == theirs[inside]

        def together(mine: IntArray, new: IntArray) -> IntArray:
            total = mine.copy()
            total[at[known]] += new[known]
            return np.insert(total, at[~known], new[~known])

        keys = np.insert(keys, at[~known], theirs[~known])
        sums = [
            together(mine, new)
            for mine, new in (
                (self.games, more.games),
                (self.half_points, more.half_points),
                (self.draws, more.draws),
                (self.repeats, more.repeats),
            )
        ]
        return Tally(keys >> 32, keys & 0xFFFFFFFF, *sums)


@dataclass(frozen=True, slots=True)
class Record:
    """How often each competitor played, won, drew and lost, without repeats; sorted, shape (c,)."""

    competitor: IntArray
    games: IntArray
    wins: IntArray
    draws: IntArray
    losses: IntArray

    @classmethod
    def of(cls, game: Game, played: Played) -> Record:
        """Sharing the first place is a draw, but not with one's own team; whoever is not first has lost."""
        found = [(np.zeros(0, np.int64), np.zeros(0, np.bool_), np.zeros(0, np.bool_))]
        for table in played.only(~played.repeat).alike():
            lost = table.rank > table.rank.min(1, keepdims=True)
            ties = (table.rank[:, :, None] == table.rank[:, None, :]).sum(2)
            drawn = (ties > game.team_seats) & ~lost
            found.append((table.competitor[table.first], lost[table.first], drawn[table.first]))
        competitor, lost, drawn = (np.concatenate(one) for one in zip(*found, strict=True))
        who, row = np.unique(competitor, return_inverse=True)
        games, losses, draws = (
            np.bincount(row, one, len(who)).astype(np.int64) for one in (np.ones(len(row)), lost, drawn)
        )
        return cls(who, games, games - losses - draws, draws, losses)


@dataclass(frozen=True, slots=True)
class Places:
    """How often each competitor had each place, 1 the best, without repeats; sorted, shape (p,).

    Ties leave out the next places; a team has one.
    """

    competitor: IntArray
    place: IntArray
    matches: IntArray

    @classmethod
    def of(cls, game: Game, played: Played) -> Places:
        """Of all numbers of entrants together."""
        none = np.zeros(0, np.int64)
        found = [(none, none)]
        for table in played.only(~played.repeat).alike():
            teams = table.rank[:, :: game.team_seats]
            place = 1 + (teams[:, None, :] < table.rank[:, :, None]).sum(2)
            found.append((table.competitor[table.first], place[table.first]))
        competitor, place = (np.concatenate(one) for one in zip(*found, strict=True))
        rows, matches = np.unique(np.stack((competitor, place)), axis=1, return_counts=True)
        return cls(rows[0], rows[1], matches)


@dataclass(frozen=True, slots=True)
class Faults:
    """Who played, and in how many of its last matches it was disqualified; sorted, shape (c,).

    `all`: in all matches that are looked at, so that those before count on.
    """

    competitor: IntArray
    consecutive: IntArray
    all: BoolArray

    @classmethod
    def of(cls, played: Played) -> Faults:
        """An entrant is disqualified if each of its seats ended with a fault."""
        none = np.zeros(0, np.int64)
        found = [(none, none, np.zeros(0, np.bool_))]
        for table in played.alike():
            fine = np.zeros(table.competitor.shape, np.bool_)
            for seat in range(table.competitor.shape[1]):
                # Any seat of the same competitor that ended without one.
                mine = table.competitor == table.competitor[:, seat : seat + 1]
                fine[:, seat] = (mine & ~table.fault).any(1)
            match = np.broadcast_to(table.match[:, None], fine.shape)
            found.append((match[table.first], table.competitor[table.first], fine[table.first]))
        match, competitor, fine = (np.concatenate(one) for one in zip(*found, strict=True))
        who, row = np.unique(competitor, return_inverse=True)
        last_fine = np.full(len(who), -1)
        np.maximum.at(last_fine, row[fine], match[fine])
        since = ~fine & (match > last_fine[row])
        return cls(who, np.bincount(row[since], minlength=len(who)), last_fine < 0)


def repeats(played: Played, digests: Mapping[int, str]) -> BoolArray:
    """Which results repeat an earlier one: the same competitors in the same seats, the same record; shape (m,).

    `digests`: of the record, by match, where it has one.
    """
    seen, first = set(), np.ones(len(played), np.bool_)
    everybody = played.entrants(np.arange(len(played)))
    for at, (match_id, competitors) in enumerate(zip(played.match_id.tolist(), everybody, strict=True)):
        identity = digests.get(match_id, match_id), competitors
        first[at] = identity not in seen
        seen.add(identity)
    return ~first


def rankings(game: Game, played: Played, node: IntArray) -> Rankings:
    """All counted results as `Rankings.of` orders them. `node`: of each seat, shape (s,)."""
    places = replace(played, competitor=node).only(~played.repeat)
    tables = [_teams(game, table) for table in places.alike()]
    if not tables:
        return Rankings.of([])
    shape = np.max([one.shape for one in tables], axis=0)
    games = np.full((len(places), shape[1], shape[2]), NOBODY)
    begin = 0
    for table in tables:
        games[begin : begin + len(table), : table.shape[1], : table.shape[2]] = table
        begin += len(table)
    keys = games.reshape(len(games), -1)
    games = games[np.lexsort(keys.T[::-1])]
    team = games[:, :, 0] != NOBODY
    member = games[:, :, 1:] != NOBODY
    sizes = member.sum(2)[team]
    return Rankings(
        entrant=games[:, :, 1:][member],
        team=np.repeat(np.arange(len(sizes)), sizes),
        game=np.nonzero(team)[0],
        rank=games[:, :, 0][team],
    )


def as_they_are(played: Played, node: IntArray) -> tuple[Rankings, IntArray]:
    """The results of a free-for-all as rankings in the order of `played`, repeats included, and the seat of each entry.

    `node`: of each seat, shape (s,).
    """
    seat = np.lexsort((played.rank, played.match))
    return Rankings(node[seat], np.arange(len(seat)), played.match[seat], played.rank[seat]), seat


NOBODY = -1
"""Fills the place of a team that a smaller game has not, and of a member that a smaller team has not."""


def _teams(game: Game, table: Table) -> IntArray:
    """The rank and the sorted nodes of each team, teams in this order; shape (k, teams, 1 + members)."""
    seats = np.arange(table.competitor.shape[1])
    of_team = [game.team(seat) for seat in seats.tolist()]
    teams = [np.flatnonzero(np.array(of_team) == one) for one in dict.fromkeys(of_team)]
    found = np.full((len(table.match), len(teams), 1 + max(map(len, teams))), NOBODY)
    for number, mine in enumerate(teams):
        found[:, number, 0] = table.rank[:, mine[0]]
        found[:, number, 1 : 1 + len(mine)] = np.sort(table.competitor[:, mine], axis=1)
    rows = found.reshape(-1, found.shape[2])
    order = np.lexsort((*rows.T[::-1], np.repeat(np.arange(len(found)), len(teams))))
    return np.asarray(rows[order].reshape(found.shape))
