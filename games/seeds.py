"""A match's seed. All randomness of the referee and the rules comes from it."""

from __future__ import annotations

from random import Random


def random_seed(random: Random) -> int:
    """Positive and small enough to be read aloud; never 0, which some games cannot repeat."""
    return random.randrange(1, 2**40)
