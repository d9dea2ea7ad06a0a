"""Whether this is a checkout, in which `make` has its targets, or an installed package."""

from __future__ import annotations

from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
"""The top of the tree; of an installed package, the package."""


def is_checkout(top: Path = TOP) -> bool:
    """Whether messages can advise a target of the Makefile."""
    return (top / "Makefile").is_file()


def make_target(target: str, top: Path = TOP) -> str:
    """A target as a message names it. Where this is no checkout, it says that one has it."""
    return f"`make {target}`" if is_checkout(top) else f"`make {target}` in a checkout of Hexarena"
