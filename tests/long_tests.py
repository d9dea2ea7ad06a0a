"""The long tests take turns: a run that should take minutes has a part of them, and another part the next time.

A test is `long` that takes more than a second on a busy machine, or whose cases together do; these are spread over the
parts. A file is `long` (by its `pytestmark`) whose tests share an arena: its turn is that of the whole file.
`pytest` runs all of them, `pytest --long 3/12` the third of twelve parts, beside all other tests: decision 0065.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable

import pytest

OPTION, EVERY = "--long", "all"


def add_option(parser: pytest.Parser) -> None:
    """Adds `--long`."""
    parser.addoption(OPTION, default=EVERY, metavar="K/N", help="of the tests marked `long`, the K-th of N parts (all)")


def part_of(text: str) -> tuple[int, int] | None:
    """`3/8` as (3, 8); None for all. Raises `pytest.UsageError` for what is neither."""
    if text == EVERY:
        return None
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    part, of = map(int, found.groups()) if found else (0, 0)
    if not 1 <= part <= of:
        raise pytest.UsageError(f"{OPTION}: expected all, or the part and their number like 3/8; got {text}")
    return part, of


def whose_turn_it_is(names: Iterable[str], part: int, of: int, *, files: Collection[str] = ()) -> set[str]:
    """Those of long tests (node ids) that are in this part. `files`: those whose tests have their turn together."""
    first: dict[str, int] = {}  # file or test -> the part of its first case
    cases: Counter[str] = Counter()
    chosen = set()
    for name in names:
        file, test = name.split("::")[0], name.split("[")[0]
        key = file if file in files else test
        case = 0 if file in files else cases[test]
        if (first.setdefault(key, len(first)) + case) % of == part - 1:
            chosen.add(name)
        cases[test] += 1
    return chosen


def leave_others_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Removes the long tests whose turn it is not."""
    part = part_of(config.getoption(OPTION))
    if part is None:
        return
    long = {item.nodeid: item for item in items if item.get_closest_marker("long")}
    files = {name.split("::")[0] for name, item in long.items() if _is_long_as_a_whole(item)}
    left_out = long.keys() - whose_turn_it_is(long, *part, files=files)
    config.hook.pytest_deselected(items=[long[name] for name in left_out])
    items[:] = [item for item in items if item.nodeid not in left_out]


def _is_long_as_a_whole(item: pytest.Item) -> bool:
    module = item.getparent(pytest.Module)
    return module is not None and any(mark.name == "long" for mark in module.own_markers)


def headline(config: pytest.Config) -> str | None:
    """What a run says about them at its beginning."""
    part = part_of(config.getoption(OPTION))
    return None if part is None else f"long tests: part {part[0]} of {part[1]} (make test-all runs all of them)"
