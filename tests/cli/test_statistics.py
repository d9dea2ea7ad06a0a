"""Statistics of bots in what `hexarena match` and `hexarena duel` print and write."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from hexarena.cli.statistics import add_up, duel_json, print_match_statistics, sums_of
from hexarena.games.statistics import KEYS, statistics_of
from tests.cli.test_cli import hexarena

REPORTS = """
import sys
me, turn = int(input()), 0
while True:
    cells = [(x, y) for y in range(int(input())) for x, cell in enumerate(input()) if cell == "0"]
    input()
    turn += 1
    print(f"[TDATA] free = {len(cells)}\\n[PDATA] turns = {turn}\\n[PDATA] kind = greedy", file=sys.stderr)
    FLOOD
    print(*cells[len(cells) // 3])
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With a bot that reports, and one that floods."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    (tmp_path / "reports.py").write_text(REPORTS.replace("FLOOD", ""))
    flood = 'print(*(f"[TDATA] key{n} = {n}" for n in range(2_000)), sep="\\n", file=sys.stderr)'
    (tmp_path / "floods.py").write_text(REPORTS.replace("FLOOD", flood))
    return tmp_path


def test_a_match_has_the_statistics_of_each_seat(folder: Path) -> None:
    bots = ("--bot", "reports.py", "--bot", "starter")
    done = hexarena(folder, "match", "yavalath", *bots, "--seed", "3", "--json", "-", "--no-sandbox")
    result = json.loads(done.stdout)
    own, other = result["player_data"]
    assert (own["kind"], other) == ("greedy", {})
    free = result["turn_data"][0]["free"]
    assert free[:2] == [[1, 61], [3, 59]]
    assert len(free) == own["turns"]
    assert result["data_ignored"] == [0, 0]


def test_a_match_shows_them_and_says_what_a_flood_lost(folder: Path) -> None:
    bots = ("--bot", "reports.py", "--bot", "floods.py")
    done = hexarena(folder, "match", "yavalath", *bots, "--seed", "3", "--no-sandbox")
    assert "[TDATA] free" in done.stdout
    assert "greedy" in done.stdout
    assert "lines of statistics were ignored: expected [TDATA] key = value, at most 64 keys" in done.stdout
    assert f"key{KEYS}" not in done.stdout


@pytest.mark.long
def test_a_duel_has_the_means_of_each_bot(folder: Path) -> None:
    words = ("--games", "4", "--no-early-stop", "--jobs", "1", "--no-sandbox", "--seed", "1")
    done = hexarena(folder, "duel", "yavalath", "reports.py", "floods.py", *words, "--json", "out.json")
    assert done.returncode == 0, done.stderr
    result = json.loads((folder / "out.json").read_text())
    own, other = result["player_data"]
    assert set(own) == set(other) == {"turns"}
    assert own["turns"] > 1
    assert set(result["turn_data"][0]) == {"free"}
    assert len(result["turn_data"][1]) == KEYS
    assert "[PDATA] turns" in done.stdout


def test_means_are_over_matches_or_over_all_turns() -> None:
    sums = sums_of([statistics_of([(1, "[TDATA] d = 2\n[PDATA] n = 10"), (2, "[TDATA] d = 4")])])
    add_up(sums, sums_of([statistics_of([(1, "[TDATA] d = 12\n[PDATA] n = 20\n[PDATA] who = me")])]))
    assert duel_json([sums, {}]) == {"player_data": [{"n": 15.0}, {}], "turn_data": [{"d": 6.0}, {}]}


@pytest.mark.parametrize("sign", ["", "-"])
def test_numbers_whose_sum_is_beyond_all_numbers_have_no_mean(sign: str) -> None:
    most = f"[TDATA] best = {sign}1.79769e+308\n[PDATA] n = 1"
    found = statistics_of([(1, most), (2, most)])
    assert duel_json([sums_of([found])]) == {"player_data": [{"n": 1.0}], "turn_data": [{"best": None}]}
    print_match_statistics(Console(file=StringIO()), ["a"], [found])


def test_a_duel_does_not_grow_with_new_keys() -> None:
    sums = sums_of([])
    for match in range(100):
        add_up(sums, sums_of([statistics_of([(1, f"[PDATA] key{match}-{n} = 1") for n in range(KEYS)])]))
    assert len(sums) == 2 * KEYS


def test_a_bots_control_characters_do_not_reach_the_terminal() -> None:
    out = StringIO()
    print_match_statistics(Console(file=out), ["a"], [statistics_of([(1, "[PDATA] \x1b[2J = \x1b[31m[bold]")])])
    assert "\x1b" not in out.getvalue()
    assert "[bold]" in out.getvalue()
