"""The random numbers of map making: `java.util.Random`, with a quick way to draw thousands of places.

Source: the spec, section 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from hexarena.games.javarandom import Draws

_FACTOR = 0x5DEECE66D
_STEP = 0xB
_MASK = 2**48 - 1


class Stream:
    """The generator of one seed. Only the low 48 bits of the seed count. `state` changes with each draw."""

    def __init__(self, seed: int) -> None:
        self.state = (seed ^ _FACTOR) & _MASK
        self.draws = Draws(self._bits)

    def pairs(self, below: tuple[int, int]) -> Iterator[tuple[int, int]]:
        """Pairs of `nextInt` with these two bounds, no powers of two, each drawn when it is asked for.

        Whoever draws anything else must be done with the pairs.
        """
        first_below, second_below = below
        # `nextInt` throws away the draws above the last whole multiple of its bound.
        first_end, second_end = (2**31 // bound * bound for bound in below)
        state = self.state
        while True:
            state = (state * _FACTOR + _STEP) & _MASK
            while (first := state >> 17) >= first_end:
                state = (state * _FACTOR + _STEP) & _MASK
            state = (state * _FACTOR + _STEP) & _MASK
            while (second := state >> 17) >= second_end:
                state = (state * _FACTOR + _STEP) & _MASK
            self.state = state
            yield first % first_below, second % second_below

    def _bits(self, count: int) -> int:
        self.state = (self.state * _FACTOR + _STEP) & _MASK
        return self.state >> (48 - count)
