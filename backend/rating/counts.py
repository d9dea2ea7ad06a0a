"""A game's results as the rating sees them: counts of games of two, rankings of games of teams. Values in, values out.

The same games give the same values, bit for bit, in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
ROUNDED = 1e-12
"""By this share of the games, sums may differ from those of wins, draws and losses."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Results of games of two, counted by ordered pair and sorted by it.

    `first`, `second`: nodes, shape (m,); `games`, `points` of the first with draws as halves, and `draws`, shape (m,).
    `share`: how much each game counts in these sums, in 0..1, shape (m,); None: each counts in full.
    """

    first: IntArray
    second: IntArray
    games: FloatArray
    points: FloatArray
    draws: FloatArray
    share: FloatArray | None = None

    @classmethod
    def of(cls, first: ArrayLike, second: ArrayLike, points: ArrayLike) -> Counts:
        """Counts single games. `points` of the first: 1, ½ or 0.

        Raises:
            ValueError: a game against oneself, a negative node, other points, or arrays of different lengths.
        """
        one, two, won = np.asarray(first, np.int64), np.asarray(second, np.int64), np.asarray(points, np.float64)
        if not one.shape == two.shape == won.shape or one.ndim != 1:
            raise ValueError(f"expected three lists of one length; got shapes {one.shape}, {two.shape}, {won.shape}")
        if len(one) == 0:
            return cls.empty()
        if (wrong := ~np.isin(won, (0.0, 0.5, 1.0))).any():
            raise ValueError(f"expected 0, 0.5 or 1 points; got {won[wrong][0]}")
        _check_nodes(one, two)
        size = int(max(one.max(), two.max())) + 1
        keys, which = np.unique(one * size + two, return_inverse=True)
        games, total, draws = (
            np.bincount(which, weights).astype(np.float64, copy=False)
            for weights in (np.ones_like(won), won, won == 0.5)
        )
        return cls(keys // size, keys % size, games, total, draws)

    @classmethod
    def empty(cls) -> Counts:
        """No games."""
        nodes, sums = np.zeros(0, np.int64), np.zeros(0)
        return cls(nodes, nodes, sums, sums, sums)

    def plus(self, other: Counts) -> Counts:
        """Both together, of games that count in full. Quick when `other` is small."""
        if len(self.first) == 0 or len(other.first) == 0:
            return self if len(other.first) == 0 else other
        size = int(max(one.max() for one in (self.first, self.second, other.first, other.second))) + 1
        keys, more = self.first * size + self.second, other.first * size + other.second
        at = np.searchsorted(keys, more)
        known = keys[np.minimum(at, len(keys) - 1)] == more
        sums = []
        for mine, theirs in ((self.games, other.games), (self.points, other.points), (self.draws, other.draws)):
            total = mine.copy()
            total[at[known]] += theirs[known]
            sums.append(np.insert(total, at[~known], theirs[~known]))
        keys = np.insert(keys, at[~known], more[~known])
        return Counts(keys // size, keys % size, *sums)

    def among(self, members: BoolArray) -> Counts:
        """The games between members alone, numbered in their order. `members`: of all nodes, shape (n,)."""
        number = np.cumsum(members) - 1
        kept = members[self.first] & members[self.second]
        return Counts(
            number[self.first[kept]],
            number[self.second[kept]],
            self.games[kept],
            self.points[kept],
            self.draws[kept],
            None if self.share is None else self.share[kept],
        )

    def shared_out(self, bots: IntArray, owners: IntArray) -> Counts:
        """The same results, so weighted that all bots of one owner weigh as much for an opponent as one of them.

        That one is the bot that the opponent met most often. Games between bots of one owner count for nothing.
        `bots`, `owners`: of each node, numbers from 0, shape (n,); versions of a bot are nodes of one bot. Owner -1:
        whose bots all count in full, among themselves as well, like the house's.
        """
        if len(self.first) == 0:
            return self
        mine, theirs = np.concatenate((self.first, self.second)), np.concatenate((self.second, self.first))
        shares = _shares_of_owners(mine, theirs, np.concatenate((self.games, self.games)), bots, owners)
        of_second, of_first = np.split(shares, 2)
        weight = np.where(_of_one_owner(owners[self.first], owners[self.second]), 0.0, np.minimum(of_second, of_first))
        return Counts(self.first, self.second, self.games * weight, self.points * weight, self.draws * weight, weight)

    def without_own(self, owners: IntArray) -> Counts:
        """Those of bots that may move each other's ratings: not of one owner. `owners`: as for `shared_out`."""
        kept = ~_of_one_owner(owners[self.first], owners[self.second])
        return Counts(self.first[kept], self.second[kept], self.games[kept], self.points[kept], self.draws[kept])

    def check(self, nodes: int) -> None:
        """Refuses what no games can give.

        Raises:
            ValueError: a node outside 0..nodes - 1, a game against oneself, rows that are not sorted or come twice,
                or sums that are not those of wins, draws and losses; NaN is none.
        """
        _check_nodes(self.first, self.second)
        if len(self.first) == 0:
            return
        if (most := int(max(self.first.max(), self.second.max()))) >= nodes:
            raise ValueError(f"expected nodes below {nodes}; got {most}")
        if (np.diff(self.first * nodes + self.second) <= 0).any():
            raise ValueError("expected each ordered pair once, sorted; got others")
        wins, losses = self.points - self.draws / 2, self.games - self.points - self.draws / 2
        # Weighted sums may miss 0 by a rounding.
        least = -ROUNDED * self.games
        fine = (wins >= least) & (self.draws >= 0) & (losses >= least) & (self.games < np.inf)
        if not fine.all():
            row = int(np.argmin(fine))
            raise ValueError(
                f"expected wins, draws and losses from 0; got {wins[row]}, {self.draws[row]}, {losses[row]} "
                f"of {self.first[row]} against {self.second[row]}"
            )


def _joined(parts: Sequence[Rankings]) -> Rankings:
    """All games of these, which have weights and origins."""
    teams = np.cumsum([0, *(len(one.rank) for one in parts)])
    games = np.cumsum([0, *(int(one.game[-1]) + 1 for one in parts)])
    return Rankings(
        np.concatenate([one.entrant for one in parts]),
        np.concatenate([one.team + before for one, before in zip(parts, teams, strict=False)]),
        np.concatenate([one.game + before for one, before in zip(parts, games, strict=False)]),
        np.concatenate([one.rank for one in parts]),
        np.concatenate([one.weight for one in parts if one.weight is not None]),
        np.concatenate([one.origin for one in parts if one.origin is not None]),
    )


def _shares_of_owners(
    mine: IntArray, theirs: IntArray, games: FloatArray, bots: IntArray, owners: IntArray
) -> FloatArray:
    """Of each row, games of a node with another: of all its games with bots of the other's owner, the share of the one
    that it met most often; 1 for owner -1.
    """
    many_bots, many_owners = int(bots.max()) + 1, int(owners.max()) + 2
    by_bot, row = np.unique(mine * many_bots + bots[theirs], return_inverse=True)
    of_bot = np.bincount(row, games)
    owner_of_bot = np.zeros(many_bots, np.int64)
    owner_of_bot[bots] = owners + 1
    keys, row = np.unique(by_bot // many_bots * many_owners + owner_of_bot[by_bot % many_bots], return_inverse=True)
    total, most = np.bincount(row, of_bot), np.zeros(len(keys))
    np.maximum.at(most, row, of_bot)
    at = np.searchsorted(keys, mine * many_owners + owners[theirs] + 1)
    return np.where(owners[theirs] < 0, 1.0, (most / total)[at])


def _of_one_owner(one: IntArray, other: IntArray) -> BoolArray:
    """By the owners of both; -1 is the house, whose bots are as good opponents for each other as any."""
    same: BoolArray = (one == other) & (one >= 0)
    return same


def _check_nodes(first: IntArray, second: IntArray) -> None:
    if len(first) and (least := int(min(first.min(), second.min()))) < 0:
        raise ValueError(f"expected nodes from 0; got {least}")
    if (same := first == second).any():
        raise ValueError(f"expected two different nodes in a game; got {first[same][0]} against itself")


@dataclass(frozen=True, slots=True)
class Rankings:
    """Games of two or more teams, flattened.

    `entrant`, `team`: one per member, its node and the number of its team; `game`, `rank`: one per team, number of the
    game and place, 0 the best, equal places tie. Numbers are from 0; teams are sorted by game, then by place.
    `weight`: of each game, in 0..1; None: each counts in full. `origin`: the number of the game that each is a part
    of; None: each is one.
    """

    entrant: IntArray
    team: IntArray
    game: IntArray
    rank: IntArray
    weight: FloatArray | None = None
    origin: IntArray | None = None

    @property
    def games(self) -> float:
        """How many there are, or how much they weigh together."""
        if self.weight is not None:
            return float(self.weight.sum())
        return float(self.game[-1] + 1) if len(self.game) else 0.0

    def shared_out(self, bots: IntArray, owners: IntArray) -> Rankings:
        """The same results, so weighted that all bots of one owner weigh as much for an opponent as one of them.

        `bots`, `owners`: as `Counts.shared_out`. A game in which a team counts for less than the others is taken apart:
        it counts in part as it was, and for the rest without that team, which is no less a game of those who are left
        (Plackett-Luce). A team of several owners counts in full.
        """
        weight = self._weights(bots, owners)
        if (weight == 1).all():
            return self
        parts: list[Rankings] = []
        level = np.zeros(int(self.game[-1]) + 1)
        while True:
            # The teams that still count beyond this level of their games, up to the least of their weights.
            left = weight > level[self.game]
            left &= (np.bincount(self.game[left], minlength=len(level)) >= 2)[self.game]
            if not left.any():
                return _joined(parts) if parts else Rankings.of([])
            least = np.full(len(level), np.inf)
            np.minimum.at(least, self.game[left], weight[left])
            part = self._only(left)
            taken = np.isfinite(least)
            parts.append(replace(part, weight=least[taken] - level[taken], origin=np.flatnonzero(taken)))
            level[taken] = least[taken]
            level[~taken] = np.inf

    def _weights(self, bots: IntArray, owners: IntArray) -> FloatArray:
        """Of each team: the least share of its owner's most frequent bot, among those whom its opponents have met.

        0 where another team of the game has the same owner.
        """
        node = self.entrant[np.searchsorted(self.team, np.arange(len(self.rank)))]
        owner = owners[node]
        mixed = np.zeros(len(self.rank), np.bool_)
        np.logical_or.at(mixed, self.team, owners[self.entrant] != owner[self.team])
        one, other = _two_of_each(self.game)
        kept = (one != other) & ~mixed[one] & ~mixed[other] & (node[one] != node[other])
        one, other = one[kept], other[kept]
        weight = np.ones(len(node))
        if len(one):
            shares = _shares_of_owners(node[one], node[other], np.ones(len(one)), bots, owners)
            np.minimum.at(weight, other, shares)
            weight[other[_of_one_owner(owner[one], owner[other])]] = 0.0
        return weight

    def of_single_nodes(self) -> Rankings:
        """The games in which each team is one node, perhaps several times, with it once."""
        first = np.searchsorted(self.team, np.arange(len(self.rank)))
        single = np.ones(len(self.rank), np.bool_)
        np.logical_and.at(single, self.team, self.entrant == self.entrant[first][self.team])
        whole = np.ones(int(self.game.max(initial=-1)) + 1, np.bool_)
        np.logical_and.at(whole, self.game, single)
        kept = whole[self.game]
        games = np.unique(self.game[kept], return_inverse=True)[1]
        weight = None if self.weight is None else self.weight[whole]
        origin = None if self.origin is None else self.origin[whole]
        return Rankings(self.entrant[first][kept], np.arange(len(games)), games, self.rank[kept], weight, origin)

    def pairs(self) -> Counts:
        """What each two did against each other: a point for ending above, a half each for a tie.

        Only of games in which each team is one node. By Plackett-Luce that is Bradley-Terry for any two of a game,
        whoever else is in it.
        """
        single = self.of_single_nodes()
        one, other = _two_of_each(single.game)
        kept = (one < other) & (single.entrant[one] != single.entrant[other])
        one, other = one[kept], other[kept]
        points = (1 + np.sign(single.rank[other] - single.rank[one])) / 2
        return Counts.of(single.entrant[one], single.entrant[other], points)

    def _only(self, teams: BoolArray) -> Rankings:
        """These teams, in games that are numbered anew; all of a game's, or at least two."""
        entrants = teams[self.team]
        games = np.unique(self.game[teams], return_inverse=True)[1]
        return Rankings(self.entrant[entrants], (np.cumsum(teams) - 1)[self.team[entrants]], games, self.rank[teams])

    @classmethod
    def of(cls, games: Sequence[Sequence[tuple[Sequence[int], int]]]) -> Rankings:
        """From (members, place) per game and team. A node that is twice in a team counts twice.

        Raises:
            ValueError: a game of fewer than two teams, a team of nobody, or a negative node.
        """
        sorted_games = sorted([sorted((place, sorted(members)) for members, place in game) for game in games])
        for game in sorted_games:
            if len(game) < 2:
                raise ValueError(f"expected at least 2 teams in a game; got {len(game)}")
        teams = [(number, *team) for number, game in enumerate(sorted_games) for team in game]
        for *_, members in teams:
            if not members or members[0] < 0:
                raise ValueError(f"expected a team of one or more nodes from 0; got {members}")
        return cls(
            entrant=np.array([node for *_, members in teams for node in members], np.int64),
            team=np.repeat(np.arange(len(teams)), [len(members) for *_, members in teams]),
            game=np.array([number for number, *_ in teams], np.int64),
            rank=np.array([place for _, place, _ in teams], np.int64),
        )

    def among(self, members: BoolArray) -> Rankings:
        """Games of the teams that have only members, numbered in their order; a game needs two such teams."""
        number = np.cumsum(members) - 1
        whole = np.ones(len(self.rank), np.bool_)
        np.logical_and.at(whole, self.team, members[self.entrant])
        left = np.bincount(self.game[whole], minlength=int(self.game.max(initial=-1)) + 1) >= 2
        kept = whole & left[self.game] if len(self.game) else whole
        weight = None if self.weight is None else self.weight[left]
        origin = None if self.origin is None else self.origin[left]
        found = self._only(kept)
        return replace(found, entrant=number[found.entrant], weight=weight, origin=origin)


def _two_of_each(game: IntArray) -> tuple[IntArray, IntArray]:
    """Each team with each of its game, itself included. `game`: of each team, sorted."""
    begin = np.searchsorted(game, game)
    size = np.bincount(game)[game] if len(game) else game
    one = np.repeat(np.arange(len(game)), size)
    return one, np.arange(len(one)) - np.repeat(np.cumsum(size) - size, size) + np.repeat(begin, size)
