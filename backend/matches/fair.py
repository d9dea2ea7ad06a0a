"""Whose match is played next, and when each that waits will probably start. Pure.

Theory of operation. A share is whom fairness counts: an account, or all guests of one network. A free slot goes to the
share that holds the fewest slots; of those that hold as many, to the one whose matches used least of the workers' time
in the last minutes; so a share that floods the queue waits behind itself. No share holds more than `most` slots at
once, but for matches that are over at once, or yield theirs: those are free again as soon as somebody else wants one.
Within a share its askers take turns, and of one asker the more urgent match goes first, then the older one.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

LENT_S = 1.5
"""About when a slot is lent to somebody who holds none (`matches.lending`)."""
SHORT_S = 0.75
"""A match of a game that usually takes no longer is over before a slot would be lent."""


class Waiting(NamedTuple):
    """A match that waits. `asker`: the user or duel that it is for. `seconds`: how long it will probably take."""

    match_id: int
    share: str
    asker: int
    priority: int
    seconds: float


class Held(NamedTuple):
    """A match that was sent or is running. `share`: None if nobody asked for it. `left_s`: until it probably ends.

    `yields`: nobody waits for it, so it lends its slot at once to a match that somebody waits for.
    """

    share: str | None
    asker: int
    left_s: float
    yields: bool = False


Key = tuple[int, float, int]


@dataclass(slots=True)
class _Line:
    """Those who wait, and what decides between them.

    `_turns`: (key, share) of shares that may be able to take a slot, as a heap; an entry counts while its key is still
    that of the share.
    """

    used_s: defaultdict[str, float]
    most: int
    queues: dict[str, deque[Waiting]] = field(default_factory=dict)
    holds: Counter[str] = field(default_factory=Counter)
    yields: Counter[str] = field(default_factory=Counter)
    _turns: list[tuple[Key, str]] = field(default_factory=list)

    def begin(self) -> None:
        """Once all is known."""
        self._turns = [(self._key(share), share) for share in self.queues if self._able(share)]
        heapq.heapify(self._turns)

    def take_next(self) -> Waiting | None:
        """Takes the match to go first out of the line; None if every share that waits holds as much as it may."""
        while self._turns:
            key, share = heapq.heappop(self._turns)
            if share in self.queues and key == self._key(share) and self._able(share):
                return self._take(share)
        return None

    def release(self, share: str) -> None:
        """One of its slots is free again."""
        self.holds[share] -= 1
        self._enter(share)

    def _take(self, share: str) -> Waiting:
        queue = self.queues[share]
        first = queue.popleft()
        if not queue:
            del self.queues[share]
        self.holds[share] += 1
        self.used_s[share] += first.seconds
        self._enter(share)
        return first

    def _enter(self, share: str) -> None:
        if share in self.queues and self._able(share):
            heapq.heappush(self._turns, (self._key(share), share))

    def _key(self, share: str) -> Key:
        """The least goes first."""
        return self.holds[share], self.used_s[share], self.queues[share][0].match_id

    def _able(self, share: str) -> bool:
        return self.holds[share] - self.yields[share] < self.most or self.queues[share][0].seconds <= SHORT_S


def _line(waiting: Iterable[Waiting], held: Iterable[Held], used_s: Mapping[str, float], most: int) -> _Line:
    line = _Line(defaultdict(float, used_s), most)
    askers: Counter[int] = Counter()
    for one in held:
        if one.share is not None:
            line.holds[one.share] += 1
            line.yields[one.share] += one.yields
            askers[one.asker] += 1
    turns: dict[int, int] = {}
    queues: defaultdict[str, list[Waiting]] = defaultdict(list)
    for match in sorted(waiting, key=lambda one: (one.priority, one.match_id)):
        turns[match.match_id] = askers[match.asker]
        askers[match.asker] += 1
        queues[match.share].append(match)
    for share, queue in queues.items():
        queue.sort(key=lambda one: (turns[one.match_id], one.priority, one.match_id))
        line.queues[share] = deque(queue)
    line.begin()
    return line


def choose(
    waiting: Sequence[Waiting], held: Sequence[Held], used_s: Mapping[str, float], *, limit: int, most: int
) -> list[Waiting]:
    """The matches to play now, the first one first: at most `limit`. `used_s`: by share. `most`: slots for a share."""
    line = _line(waiting, held, used_s, most)
    chosen: list[Waiting] = []
    while len(chosen) < limit and (one := line.take_next()) is not None:
        chosen.append(one)
    return chosen


def forecast(
    waiting: Sequence[Waiting],
    held: Sequence[Held],
    used_s: Mapping[str, float],
    *,
    slots: int,
    most: int,
    lent: int = 0,
) -> Iterator[tuple[int, float]]:
    """(match id, in how many seconds it will probably start), in the order in which slots become free.

    `waiting`: matches that somebody waits for. `lent`: so many who hold nothing have a slot lent to them before that,
    after `LENT_S`; matches that yield lend theirs at once.
    """
    line = _line(waiting, held, used_s, most)
    order = count()
    ends = [(max(0.0, one.left_s), next(order), one.share) for one in held if not (one.yields and lent)]
    heapq.heapify(ends)
    free, now = slots - len(ends), 0.0
    without = {share for share in line.queues if not line.holds[share]}
    while line.queues:
        while free > 0 and (one := line.take_next()) is not None:
            is_lent = lent > 0 and one.share in without and now > LENT_S
            lent -= is_lent
            without.discard(one.share)
            yield one.match_id, LENT_S if is_lent else now
            heapq.heappush(ends, (now + one.seconds, next(order), one.share))
            free -= 1
        if not ends:
            return
        now, _, share = heapq.heappop(ends)
        free += 1
        if share is not None:
            line.release(share)
