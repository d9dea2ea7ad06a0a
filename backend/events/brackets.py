"""Knockout brackets, with one life or two. Pure.

Theory of operation. A bracket is a list of nodes; each takes its two entrants from the seeding or from the winner or
loser of an earlier node. Missing entrants are byes, which run through the bracket as `None`. What a node holds follows
from the winners so far, so that a bracket is never stored: it is computed anew whenever a winner is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

Part = Literal["main", "lower", "final", "third"]


class Source(NamedTuple):
    """Where an entrant comes from. `at`: a place in the seeding, from 0, or the number of a node.

    "again": both of that node play once more, if the one who came from the lower part won it.
    """

    kind: Literal["seed", "winner", "loser", "again"]
    at: int


@dataclass(frozen=True, slots=True)
class Node:
    """One pairing of the bracket. `round`: within its part, from 1."""

    number: int
    part: Part
    round: int
    first: Source
    second: Source


@dataclass(frozen=True, slots=True)
class Held:
    """Whom a node holds by now. `known`: whether each of the two is known, be it as a bye, which is None."""

    first: int | None = None
    second: int | None = None
    known: tuple[bool, bool] = (False, False)

    @property
    def is_pairing(self) -> bool:
        """Whether two entrants meet."""
        return self.first is not None and self.second is not None

    @property
    def walks_over(self) -> bool:
        """Whether nothing is to be played, because somebody is missing."""
        return all(self.known) and not self.is_pairing

    @property
    def alone(self) -> int | None:
        """Who advances without playing."""
        return self.first if self.second is None else self.second


Add: TypeAlias = Callable[[Part, int, Source, Source], int]
"""Adds a node (part, round, its two sources) and returns its number."""


def seeding(size: int) -> list[int]:
    """The places of the seeding, down the first round: 1 and 2 meet only in the final. `size`: a power of two."""
    order = [0]
    while len(order) < size:
        last = 2 * len(order) - 1
        order = [place for one in order for place in (one, last - one)]
    return order


def bracket(entrants: int, *, lives: int = 1, third_place: bool = False) -> list[Node]:
    """The nodes for so many entrants, 2 or more, in an order in which they can be played."""
    size = 1 << max(1, (entrants - 1).bit_length())
    nodes: list[Node] = []

    def add(part: Part, number: int, first: Source, second: Source) -> int:
        nodes.append(Node(len(nodes), part, number, first, second))
        return len(nodes) - 1

    order = [Source("seed", place) for place in seeding(size)]
    rounds: list[list[int]] = []
    number = 1
    while len(order) > 1:
        made = [add("main", number, *order[at : at + 2]) for at in range(0, len(order), 2)]
        rounds.append(made)
        order = [Source("winner", one) for one in made]
        number += 1
    if lives == 2:
        _add_second_life(rounds, add)
    elif third_place and len(rounds) > 1:
        semifinals = rounds[-2]
        add("third", 1, *(Source("loser", one) for one in semifinals))
    return nodes


def _add_second_life(rounds: Sequence[Sequence[int]], add: Add) -> None:
    """The lower part: who falls out of a main round meets a survivor of the lower one, in turned order against early
    rematches.
    """
    alive = [Source("loser", one) for one in rounds[0]]
    number = 0
    for index, made in enumerate(rounds[1:]):
        if len(alive) > 1:
            number += 1
            pairs = zip(alive[::2], alive[1::2], strict=True)
            alive = [Source("winner", add("lower", number, *pair)) for pair in pairs]
        number += 1
        fallen = [Source("loser", one) for one in (reversed(made) if index % 2 == 0 else made)]
        alive = [Source("winner", add("lower", number, *pair)) for pair in zip(fallen, alive, strict=True)]
    final = add("final", 1, Source("winner", rounds[-1][-1]), alive[0])
    add("final", 2, Source("again", final), Source("again", final))


def resting_on(nodes: Sequence[Node], number: int) -> frozenset[int]:
    """The nodes whose entrants depend on who wins this one: those that take somebody from it, from these, and so on."""
    found = {number}
    for node in nodes:  # each comes after those from which it takes its entrants
        if any(source.kind != "seed" and source.at in found for source in (node.first, node.second)):
            found.add(node.number)
    return frozenset(found - {number})


def resolve(nodes: Sequence[Node], entrants: Sequence[int], winners: Mapping[int, int]) -> dict[int, Held]:
    """Node -> whom it holds. `entrants`: in the order of the seeding. `winners`: node -> who won it."""
    held: dict[int, Held] = {}
    for node in nodes:
        first, first_known = _entrant(node.first, 0, held, winners, entrants)
        second, second_known = _entrant(node.second, 1, held, winners, entrants)
        held[node.number] = Held(first, second, (first_known, second_known))
    return held


def _entrant(
    source: Source, side: int, held: Mapping[int, Held], winners: Mapping[int, int], entrants: Sequence[int]
) -> tuple[int | None, bool]:
    """(who, whether that is known)."""
    if source.kind == "seed":
        return (entrants[source.at], True) if source.at < len(entrants) else (None, True)
    before = held[source.at]
    if before.walks_over:
        return (before.alone if source.kind == "winner" else None), True
    winner = winners.get(source.at)
    if winner is None:
        return None, False
    if source.kind == "again":
        again = (before.first, before.second) if winner == before.second else (None, None)
        return again[side], True
    loser = before.second if winner == before.first else before.first
    return (winner if source.kind == "winner" else loser), True


def places(nodes: Sequence[Node], entrants: Sequence[int], winners: Mapping[int, int]) -> list[int]:
    """The entrants by how far they came; those who came equally far, in the order of the seeding."""
    held = resolve(nodes, entrants, winners)
    rank = {one: index for index, one in enumerate(entrants)}
    reached: dict[int, tuple[float, int]] = dict.fromkeys(entrants, (0.0, 0))
    for node in nodes:
        here, winner = held[node.number], winners.get(node.number)
        if not here.is_pairing:
            continue
        for entrant in (here.first, here.second):
            if entrant is not None:
                came = (_depth(node, nodes), 0 if winner is None else 1 if winner == entrant else -1)
                reached[entrant] = max(reached[entrant], came) if node.part != "third" else came
    return sorted(entrants, key=lambda one: (-reached[one][0], -reached[one][1], rank[one]))


def _depth(node: Node, nodes: Sequence[Node]) -> float:
    """How far somebody came who played here last. With two lives only the lower part and the final put anybody out."""
    last = max(one.round for one in nodes if one.part == "main")
    lower = any(one.part == "lower" for one in nodes)
    if node.part == "main":
        return node.round if not lower else 0.5 * node.round / (last + 1)
    if node.part == "third":
        return last - 0.5
    return node.round if node.part == "lower" else 1000.0 + node.round
