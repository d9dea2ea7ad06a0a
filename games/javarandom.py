"""The two random generators of Java that reference maps are made with.

`secure_random` is `SecureRandom` with the algorithm SHA1PRNG, `util_random` is `java.util.Random`. They differ in
where their bits come from; what is made of the bits (`Draws`) is the same. A generator changes with each draw, and
depends on nothing but its seed.
Source: specs of Ants, section 1, and of TryAngle, section 1.
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from hashlib import sha1
from typing import Any

INT_MAX = 2**31 - 1
_SEED_MASK = 2**64 - 1
_LCG_MASK = 2**48 - 1
_LCG_FACTOR = 0x5DEECE66D
_LCG_STEP = 0xB


class Draws:
    """What `java.util.Random` makes of bits. `bits(k)`: the next k bits as an unsigned integer, k from 1 to 32."""

    def __init__(self, bits: Callable[[int], int]) -> None:
        self._bits = bits

    def any_int(self) -> int:
        """`nextInt()`: a signed 32-bit integer."""
        bits = self._bits(32)
        return bits - 2**32 if bits > INT_MAX else bits

    def below(self, bound: int) -> int:
        """`nextInt(bound)`: an integer from 0 to bound - 1. `bound`: 1 to 2^31 - 1."""
        bits = self._bits(31)
        if bound & (bound - 1) == 0:
            return (bound * bits) >> 31
        while bits - bits % bound + bound - 1 > INT_MAX:
            bits = self._bits(31)
        return bits % bound

    def double(self) -> float:
        """`nextDouble()`: 0.0 to less than 1.0."""
        high = self._bits(26)
        return float((high << 27) + self._bits(27)) * 2.0**-53

    def boolean(self) -> bool:
        """`nextBoolean()`."""
        return self._bits(1) != 0

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """`Collections.shuffle`, in place."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]


class Sha1Bytes:
    """The byte stream of SHA1PRNG after one `setSeed`.

    Java ignores the seed 0 and takes one from the operating system instead. Here 0 is a seed like any other (our
    decision: a seed that gives another map each time cannot be replayed). A seed that is no signed 64-bit integer
    counts as its low 64 bits.
    """

    def __init__(self, seed: int) -> None:
        self._state = bytearray(sha1((seed & _SEED_MASK).to_bytes(8, "little"), usedforsecurity=False).digest())
        self._left = b""

    def take(self, count: int) -> bytes:
        """The next bytes."""
        while len(self._left) < count:
            self._left += self._block()
        taken, self._left = self._left[:count], self._left[count:]
        return taken

    def _block(self) -> bytes:
        """20 bytes. Java adds them to the state as signed bytes, so this is no plain 160-bit addition."""
        block = sha1(self._state, usedforsecurity=False).digest()
        before = bytes(self._state)
        carry = 1
        for index, (old, new) in enumerate(zip(before, block, strict=True)):
            total = _signed(old) + _signed(new) + carry
            self._state[index] = total & 0xFF
            carry = total >> 8
        if self._state == before:
            self._state[0] = (self._state[0] + 1) & 0xFF
        return block


def secure_random(seed: int) -> Draws:
    """`SecureRandom.getInstance("SHA1PRNG")` with `setSeed(seed)`. Seed 0: as `Sha1Bytes` says."""
    stream = Sha1Bytes(seed)

    def bits(count: int) -> int:
        size = (count + 7) // 8
        return int.from_bytes(stream.take(size), "big") >> (8 * size - count)

    return Draws(bits)


def util_random(seed: int) -> Draws:
    """`new java.util.Random(seed)`. Only the low 48 bits of the seed count."""
    state = (seed ^ _LCG_FACTOR) & _LCG_MASK

    def bits(count: int) -> int:
        nonlocal state
        state = (state * _LCG_FACTOR + _LCG_STEP) & _LCG_MASK
        return state >> (48 - count)

    return Draws(bits)


def _signed(byte: int) -> int:
    return byte - 256 if byte > 127 else byte
