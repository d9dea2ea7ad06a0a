"""The contestants by name."""

from __future__ import annotations

from bench.ladder.contestants import Contestant
from bench.ladder.jobs import OURS
from bench.ladder.product import Product
from bench.ladder.rivals import rival


def contestant(name: str, bots: int, seed: int, *, live: bool = False) -> Contestant:
    """A new ladder of so many bots: OURS or one of RIVALS. `live`: bots will come and go."""
    return Product(bots, seed) if name == OURS else rival(name, bots, seed, live=live)
