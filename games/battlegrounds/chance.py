"""Chance from the match's seed: a stream for each purpose, so that no draw depends on how many others there were.

Only `Random.random` is used, the one method whose numbers Python promises to keep from version to version.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import TypeVar

T = TypeVar("T")


def stream(seed: int, purpose: str) -> Random:
    """The stream for a purpose, e.g. "order/17". It is made of text, so hash seeds and machines do not matter."""
    return Random(f"{seed}/{purpose}")


def below(chance: Random, bound: int) -> int:
    """An integer from 0 to bound - 1."""
    return int(chance.random() * bound)


def shuffled(chance: Random, items: Iterable[T]) -> list[T]:
    """The items in an order that is drawn."""
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        other = below(chance, last + 1)
        order[last], order[other] = order[other], order[last]
    return order
