"""The generators of Java: the reference's own numbers for the one, published ones for the other."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hexarena.games.javarandom import Draws, Sha1Bytes, secure_random, util_random

RECORDED = Path(__file__).parent / "golden" / "ants_rng_dev.jsonl.gz"


def vectors() -> Iterator[dict[str, Any]]:
    with gzip.open(RECORDED, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def mixed(draws: Draws, count: int) -> list[Any]:
    """A boolean, an integer below 7, a double and a shuffle of 0..5, over and over."""
    found: list[Any] = []
    while len(found) < count:
        items = list(range(6))
        found += [draws.boolean(), draws.below(7), draws.double()]
        draws.shuffle(items)
        found.append(items)
    return found


def test_secure_random_gives_the_recorded_numbers() -> None:
    seen = 0
    for vector in vectors():
        seed = vector["seed"]
        assert Sha1Bytes(seed).take(64).hex() == vector["nextBytes64_hex"]
        draws = secure_random(seed)
        assert [draws.any_int() for _ in vector["nextInt"]] == vector["nextInt"]
        draws = secure_random(seed)
        assert [[bound, draws.below(bound)] for bound, _ in vector["nextInt_bound"]] == vector["nextInt_bound"]
        draws = secure_random(seed)
        assert [draws.double() for _ in vector["nextDouble"]] == vector["nextDouble"]
        draws = secure_random(seed)
        assert [draws.boolean() for _ in vector["nextBoolean"]] == vector["nextBoolean"]
        expected = vector["mixed_boolean_int7_double_shuffle6"]
        assert mixed(secure_random(seed), len(expected)) == expected
        seen += 1
    assert seen == 65


def test_bytes_can_be_taken_in_any_portions() -> None:
    whole, parts = Sha1Bytes(42), Sha1Bytes(42)
    expected = whole.take(60)
    assert expected.hex().startswith("d50ac288b90ede2e311b02376bca7c702fb62a27ba1a100ecb1e7ec5")
    assert b"".join(parts.take(size) for size in (1, 19, 0, 25, 15)) == expected


def test_seed_0_is_a_seed_like_any_other() -> None:
    assert Sha1Bytes(0).take(40) == Sha1Bytes(0).take(40) != Sha1Bytes(1).take(40)


@pytest.mark.parametrize("seed", [0, 1, -1, 2**62, -(2**63)])
def test_a_seed_counts_as_its_low_64_bits(seed: int) -> None:
    assert Sha1Bytes(seed + 2**64).take(20) == Sha1Bytes(seed).take(20)


def test_util_random_gives_the_numbers_of_java() -> None:
    """`new Random(42)`: the first integers below 10, then from a fresh one the first `nextInt()` and `nextDouble()`."""
    draws = util_random(42)
    assert [draws.below(10) for _ in range(6)] == [0, 3, 8, 4, 0, 5]
    assert util_random(42).any_int() == -1170105035
    assert util_random(42).double() == 0.7275636800328681


def test_util_random_knows_only_48_bits_of_its_seed() -> None:
    assert util_random(-5 + 2**48).any_int() == util_random(-5).any_int()
    assert util_random(0).any_int() == -1155484576


def test_a_bound_of_1_takes_bits_and_gives_0() -> None:
    draws, other = util_random(7), util_random(7)
    assert draws.below(1) == 0
    other.any_int()
    assert draws.any_int() == other.any_int()
