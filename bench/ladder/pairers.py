"""The pairing of other products' ladders, reimplemented from their sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hexarena.bench.ladder.raters import Rater
from hexarena.bench.ladder.world import Floats, Indices, Pairs


@dataclass(frozen=True, slots=True)
class Seen:
    """What a pairer may look at. active: who is on the ladder. games: [bot] -> how many it has played."""

    active: Indices
    games: Indices
    rater: Rater
    random: np.random.Generator


class Pairer(Protocol):
    """See Contestant."""

    def pairs(self, seen: Seen, count: int) -> Pairs:
        """See Contestant."""
        ...

    def opponents(self, seen: Seen, newcomer: int, count: int) -> Indices:
        """See Contestant."""
        ...


def places(board: Floats) -> Indices:
    """[bot] -> its place, 0 is the best; equals in the order of their numbers."""
    found = np.empty(len(board), dtype=np.int64)
    found[np.argsort(-board, kind="stable")] = np.arange(len(board))
    return found


@dataclass(frozen=True, slots=True)
class AnyPairer:
    """psyleague's: somebody with fewer than `least_games`, if there is one, against anybody."""

    least_games: int | None

    def pairs(self, seen: Seen, count: int) -> Pairs:
        """See Pairer."""
        active, random = seen.active, seen.random
        few = active if self.least_games is None else active[seen.games[active] < self.least_games]
        one = random.choice(few if len(few) else active, count)
        other = random.choice(active, count)
        while (same := one == other).any():
            other[same] = random.choice(active, same.sum())
        return np.stack([one, other], 1)

    def opponents(self, seen: Seen, newcomer: int, count: int) -> Indices:
        """See Pairer."""
        return seen.random.choice(seen.active, count)


class RoundRobinPairer:
    """AI Arena's: whole round robins, their rounds in random order; restarted when a bot joins."""

    def __init__(self) -> None:
        self._active: tuple[int, ...] = ()
        self._queue: list[tuple[int, int]] = []

    def pairs(self, seen: Seen, count: int) -> Pairs:
        """See Pairer."""
        active = tuple(seen.active.tolist())
        if active != self._active:
            self._active, self._queue = active, []
        while len(self._queue) < count:
            self._queue += _round_robin(seen.active, seen.random)
        chosen, self._queue = self._queue[:count], self._queue[count:]
        return np.array(chosen)

    def opponents(self, seen: Seen, newcomer: int, count: int) -> Indices:
        """See Pairer."""
        return seen.random.choice(seen.active, count)


class LeastMetPairer:
    """cgarena's: always a pair that has met least."""

    def __init__(self) -> None:
        self._met = np.zeros((0, 0), dtype=np.int64)

    def pairs(self, seen: Seen, count: int) -> Pairs:
        """See Pairer."""
        missing = len(seen.games) - len(self._met)
        self._met = np.pad(self._met, (0, missing)) if missing else self._met
        one, other = np.triu_indices(len(seen.active), 1)
        met = self._met[seen.active[one], seen.active[other]] + seen.random.random(len(one))
        least = np.argpartition(met, min(count, len(met)) - 1)[:count]
        first, second = seen.active[one[least]], seen.active[other[least]]
        self._met[first, second] += 1
        self._met[second, first] += 1
        return np.stack([first, second], 1)

    def opponents(self, seen: Seen, newcomer: int, count: int) -> Indices:
        """See Pairer."""
        return seen.random.choice(seen.active, count)


@dataclass(frozen=True, slots=True)
class NeighbourPairer:
    """CodinGame's, as far as is known: the bot with the fewest games, against one within `reach` places."""

    reach: int

    def pairs(self, seen: Seen, count: int) -> Pairs:
        """See Pairer."""
        active, random = seen.active, seen.random
        order = active[np.argsort(-seen.rater.board()[active], kind="stable")]
        place = {bot: index for index, bot in enumerate(order.tolist())}
        least = np.argsort(seen.games[active] + random.random(len(active)))
        chosen = active[least][:count] if count <= len(active) else random.choice(active, count)
        found = []
        for bot in chosen.tolist():
            at = place[bot]
            drawn = random.integers(max(0, at - self.reach), min(len(order) - 1, at + self.reach))
            found.append((bot, order[drawn if drawn < at else drawn + 1]))
        return np.array(found)

    def opponents(self, seen: Seen, newcomer: int, count: int) -> Indices:
        """See Pairer."""
        place = places(seen.rater.board())
        distance = np.abs(place[seen.active] - place[newcomer])
        return seen.random.choice(seen.active[np.argsort(distance)[: 2 * self.reach]], count)


class HalitePairer:
    """Halite III's: one of those who have played least, against one of a random number of those nearest in rating."""

    def pairs(self, seen: Seen, count: int) -> Pairs:
        """See Pairer."""
        active, random = seen.active, seen.random
        ratings, games = seen.rater.elo()[active], seen.games[active].astype(float)
        found = []
        for _ in range(count):
            wish = -(0.5 + 0.5 * random.random(len(active))) / (games + 1)
            one = random.choice(np.argsort(wish)[:20])
            near = min(_halite_reach(random), len(active) - 1)
            distance = np.abs(ratings - ratings[one])
            distance[one] = np.inf
            other = random.choice(np.argpartition(distance, near - 1)[:near])
            games[one] += 1
            games[other] += 1
            found.append((active[one], active[other]))
        return np.array(found)

    def opponents(self, seen: Seen, newcomer: int, count: int) -> Indices:
        """See Pairer."""
        ratings = seen.rater.elo()
        order = seen.active[np.argsort(np.abs(ratings[seen.active] - ratings[newcomer]))]
        return np.array([seen.random.choice(order[: _halite_reach(seen.random)]) for _ in range(count)])


def _halite_reach(random: np.random.Generator) -> int:
    return int(5.0 / (0.01 + random.random()) ** 0.65)


def _round_robin(active: Indices, random: np.random.Generator) -> list[tuple[int, int]]:
    """Everybody against everybody, round by round, by the circle method."""
    circle: list[int] = random.permutation(active).tolist()
    if len(circle) % 2:
        circle.append(-1)
    size, rounds = len(circle), []
    for _ in range(size - 1):
        facing = [(circle[index], circle[size - 1 - index]) for index in range(size // 2)]
        rounds.append([pair for pair in facing if min(pair) >= 0])
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return [pair for index in random.permutation(size - 1) for pair in rounds[index]]
