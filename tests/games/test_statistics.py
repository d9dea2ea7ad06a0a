"""`[TDATA]` and `[PDATA]` on stderr. The page's parser is tested with the same cases: statistics.test.ts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hexarena.games.statistics import KEYS, statistics_of

CASES = json.loads((Path(__file__).with_name("statistics.json")).read_text())


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_statistics_are_read_as_the_cases_say(case: dict[str, Any]) -> None:
    found = statistics_of((turn, stderr) for turn, stderr in case["turns"])
    assert found.player == case["player"]
    assert {key: [list(one) for one in values.items()] for key, values in found.turns.items()} == case["turn_data"]
    assert found.ignored == case["ignored"]


def test_a_flood_of_keys_is_ignored_but_for_the_first_ones() -> None:
    flood = "".join(f"[TDATA] key{number} = {number}\n[PDATA] key{number} = 1\n" for number in range(10_000))
    found = statistics_of([(1, flood), (2, "[TDATA] key3 = 5\n")])
    assert len(found.turns) == len(found.player) == KEYS
    assert found.ignored == 2 * (10_000 - KEYS)
    assert found.turns["key3"] == {1: 3, 2: 5}


def test_a_long_line_of_blanks_takes_no_time() -> None:
    assert statistics_of([(1, "[TDATA] a" + " " * 1_000_000 + "b = 1\n[TDATA] c = 1" + " \t" * 500_000)]).ignored == 1
