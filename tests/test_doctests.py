"""The examples in docstrings are right."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[1] / "src" / "hexarena"
WITH_EXAMPLES = sorted(
    ".".join(("hexarena", *path.relative_to(SOURCES).with_suffix("").parts))
    for package in SOURCES.iterdir()
    for path in package.rglob("*.py")
    if "bots" not in path.parts and ">>> " in path.read_text()
)


def test_there_are_examples() -> None:
    assert WITH_EXAMPLES


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_the_examples_of_a_module_are_right(module: str) -> None:
    found = doctest.testmod(import_module(module), verbose=False)
    assert found.attempted > 0
    assert found.failed == 0
