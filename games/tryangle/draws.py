"""The random numbers of map making: `java.util.Random`, with thousands of draws looked at in one go.

Each state of the generator is a linear function of an earlier one, so numpy computes many of them at once.
Source: the spec, section 1.
"""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hexarena.games.javarandom import Draws

Numbers: TypeAlias = NDArray[np.int64]

_FACTOR = 0x5DEECE66D
_STEP = 0xB
_MASK = 2**48 - 1
_MOST = 2**15
"""Draws that one look ahead may show."""


class Stream:
    """The generator of one seed. Only the low 48 bits of the seed count. `state` changes with each draw taken."""

    def __init__(self, seed: int) -> None:
        self.state = (seed ^ _FACTOR) & _MASK
        self.draws = Draws(self._bits)
        self._taken = 0

    def peek(self, count: int) -> Numbers:
        """The next draws of 31 bits, as if they were taken; none is. `count`: up to 2^15."""
        factors, steps = _ahead()
        states = factors[:count] * np.uint64(self.state) + steps[:count]
        return ((states & np.uint64(_MASK)) >> np.uint64(17)).astype(np.int64)

    def skip(self, count: int) -> None:
        """Takes that many draws. `count`: up to 2^15."""
        if count:
            factors, steps = _ahead()
            self.state = (self.state * int(factors[count - 1]) + int(steps[count - 1])) & _MASK

    def pairs(self, count: int, below: tuple[int, int]) -> tuple[Numbers, Numbers, Numbers]:
        """The next pairs of `nextInt` with these two bounds, as if they were taken; none is.

        Returns the first and the second numbers, and how many draws are gone after each pair. The bounds are no powers
        of two.
        """
        raw = self.peek(2 * count)
        if not (raw >= min(2**31 // bound * bound for bound in below)).any():
            first, second = raw[0::2] % below[0], raw[1::2] % below[1]
            return first, second, np.arange(2, 2 * count + 2, 2, dtype=np.int64)
        return self._pairs_one_by_one(count, below)

    def _pairs_one_by_one(self, count: int, below: tuple[int, int]) -> tuple[Numbers, Numbers, Numbers]:
        """A draw that `nextInt` throws away shifts all that follow: about one look ahead in a hundred has one."""
        before, self._taken = self.state, 0
        numbers: list[int] = []
        gone: list[int] = []
        for _ in range(count):
            numbers += [self.draws.below(bound) for bound in below]
            gone.append(self._taken)
        self.state = before
        pairs = np.array(numbers, dtype=np.int64)
        return pairs[0::2], pairs[1::2], np.array(gone, dtype=np.int64)

    def _bits(self, count: int) -> int:
        self._taken += 1
        self.state = (self.state * _FACTOR + _STEP) & _MASK
        return self.state >> (48 - count)


@cache
def _ahead() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """(factors, steps): the state after k + 1 draws is state * factors[k] + steps[k], modulo 2^48.

    Built by doubling. The products overflow 64 bits, which does no harm to their low 48.
    """
    factors = np.array([_FACTOR], dtype=np.uint64)
    steps = np.array([_STEP], dtype=np.uint64)
    while len(factors) < _MOST:
        factor, step = factors[-1:], steps[-1:]
        factors, steps = (
            np.concatenate([factors, factors * factor]),
            np.concatenate([steps, factors * step + steps]),
        )
    return factors, steps
