"""The contestants by name."""

from __future__ import annotations

from hexarena.bench.ladder.contestants import Contestant
from hexarena.bench.ladder.jobs import OURS
from hexarena.bench.ladder.product import Product
from hexarena.bench.ladder.rivals import rival


def contestant(name: str, bots: int, seed: int, *, live: bool = False) -> Contestant:
    """A new ladder of this many bots: OURS or one of RIVALS. `live`: bots will come and go."""
    return Product(bots, seed) if name == OURS else rival(name, bots, seed, live=live)
