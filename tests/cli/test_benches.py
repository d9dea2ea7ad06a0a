"""The benches, run as a user runs them, on little; nobody looks at the times."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hexarena.bench.real import variants
from hexarena.bench.real.games_played import PlayedGame, write_line
from hexarena.cli.bench.bots import Pairing, Score, Side, default_pairings, interval
from hexarena.cli.bench.pool import League as PoolLeague
from hexarena.cli.bench.uploads import figures_of
from hexarena.games.catalogue import find_game
from hexarena.games.contract import League
from tests.cli.test_cli import GOLDEN, hexarena

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))


def test_a_boss_meets_the_next_lower_one_and_the_starter_in_the_full_game() -> None:
    game = replace(find_game("ants"), leagues=(League("Low", "Drifter"), League("High", "Queen")))
    assert default_pairings(game) == [
        Pairing("Drifter", "starter", 4),
        Pairing("Queen", "Drifter", 4),
        Pairing("Queen", "starter", 4),
    ]


@pytest.mark.parametrize(
    ("share", "matches", "expected"),
    [(0.5, 100, (0.404, 0.596)), (1.0, 10, (0.722, 1.0)), (0.0, 10, (0.0, 0.278)), (0.75, 200, (0.686, 0.805))],
)
def test_the_interval_is_wilsons(share: float, matches: int, expected: tuple[float, float]) -> None:
    assert interval(share, matches) == pytest.approx(expected, abs=0.001)


def test_no_matches_no_knowledge() -> None:
    assert interval(0.0, 0) == (0.0, 1.0)
    assert Score().share == 0.0
    assert Side().spread_ms() == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--only", "home", "--only", "leaderbord"), "Got leaderbord"),
        (("--json", "nowhere/figures.json"), "in a folder that is there"),
        (("--matches", "1000000000", "--folder", "."), "The database would not fit: expected 4000.0 GB free"),
    ],
)
def test_what_a_measurement_of_pages_cannot_do_is_said_before_it_fills_a_database(
    tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = hexarena(tmp_path, "bench", "web", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in " ".join(done.stderr.replace("│", "").split())


WITH_JSON = (
    *("arena", "bots yavalath", "idle", "ladder", "load", "pool", "referees", "refits", "runner", "starts", "streams"),
    "uploads",
)


@pytest.mark.long
@pytest.mark.parametrize("bench", WITH_JSON)
def test_nothing_is_measured_for_a_file_that_cannot_be_written(tmp_path: Path, bench: str) -> None:
    done = hexarena(tmp_path, "bench", *bench.split(), "--json", "nowhere/figures.json")
    said = "--json: expected a file in a folder that is there; got nowhere/figures.json\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


@pytest.mark.parametrize(
    "words", [("bots", "yavalath", "--pair", "my.py:starter"), ("referees", "my.py"), ("runner", "--jar", "my.py")]
)
def test_figures_are_not_written_over_what_is_measured(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "my.py").write_text("print(4, 4)")
    done = hexarena(tmp_path, "bench", *words, "--json", "my.py")
    said = "--json: expected another file than the file that is read; got my.py\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)
    assert (tmp_path / "my.py").read_text() == "print(4, 4)"


@pytest.mark.long
@pytest.mark.sandbox
def test_bots_are_compared_on_both_seats(tmp_path: Path) -> None:
    words = ("--pair", "Keystone:starter", "--pair", "starter:Keystone", "--seeds", "2", "--json", "out.json")
    done = hexarena(tmp_path, "bench", "bots", "yavalath", *words)
    assert done.returncode == 0, done.stderr
    strong, weak = json.loads((tmp_path / "out.json").read_text())
    assert (strong["wins"], strong["draws"], strong["losses"]) == (2, 0, 0)
    assert (weak["wins"], weak["draws"], weak["losses"]) == (0, 0, 2)
    assert [bot["faults"] for bot in strong["bots"]] == [0, 0]
    assert all(bot["cpu_ms"]["first_max"] > 0 for bot in strong["bots"])
    assert "2-0-0" in done.stdout


@pytest.mark.long
@pytest.mark.sandbox
def test_a_team_of_a_bot_is_one_side(tmp_path: Path) -> None:
    words = ("--pair", "Shepherd:Drifter", "--seeds", "2", "--option", "size=40", "--option", "main_turns=3")
    done = hexarena(tmp_path, "bench", "bots", "battlegrounds", *words, "--json", "out.json")
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "out.json").read_text())[0]["matches"] == 2


@pytest.mark.long
@pytest.mark.sandbox
@pytest.mark.parametrize(("words", "entrants"), [((), 4), (("--entrants", "2"), 2)])
def test_in_a_free_for_all_one_plays_among_several(tmp_path: Path, words: tuple[str, ...], entrants: int) -> None:
    """A bot that leaves at once ends behind all others, and all others before it."""
    (tmp_path / "gone.py").write_text("raise SystemExit")
    pairs = ("--pair", "gone.py:Drifter", "--pair", "Drifter:gone.py")
    done = hexarena(tmp_path, "bench", "bots", "tron", *pairs, "--seeds", "2", "--json", "out.json", *words)
    assert done.returncode == 0, done.stderr
    behind, before = json.loads((tmp_path / "out.json").read_text())
    others = entrants - 1
    assert (behind["matches"], behind["entrants"], before["matches"]) == (2, entrants, 2)
    assert [behind[key] for key in ("wins", "draws", "losses", "share")] == [0, 0, 2 * others, 0.0]
    assert [before[key] for key in ("wins", "draws", "losses", "share")] == [2 * others, 0, 0, 1.0]
    assert [bot["faults"] for bot in behind["bots"]] == [2, 0]
    assert [bot["faults"] for bot in before["bots"]] == [0, 2 * others]


@pytest.mark.parametrize(
    "words",
    [["--pair", "Keystone"], ["--level", "9"], ["--pair", "nobody.py:starter"], ["--entrants", "3"]],
)
def test_what_cannot_be_played_is_refused(tmp_path: Path, words: list[str]) -> None:
    done = hexarena(tmp_path, "bench", "bots", "yavalath", *words)
    assert done.returncode == 2
    assert "expected" in done.stderr


def test_recorded_turns_are_measured_by_kind(tmp_path: Path) -> None:
    few = tmp_path / "yavalath_few.jsonl"
    with gzip.open(GOLDEN / "yavalath_dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        few.write_text("".join([next(lines), next(lines)]))
    done = hexarena(tmp_path, "bench", "referees", str(few), "--repeats", "2", "--json", "out.json")
    assert done.returncode == 0, done.stderr
    turns = sum(len(json.loads(line)["turns"]) for line in few.read_text().splitlines())
    (row,) = json.loads((tmp_path / "out.json").read_text())
    assert (row["game"], row["matches"], len(row["figures"])) == ("yavalath", 2, turns)
    assert min(row["figures"]) > 0


@pytest.mark.long
@pytest.mark.sandbox
def test_replays_are_weighed(tmp_path: Path) -> None:
    done = hexarena(tmp_path, "bench", "replays", "yavalath", "--seeds", "1")
    assert done.returncode == 0, done.stderr
    assert "Yavalath" in done.stdout
    assert "1,000" in done.stdout


@pytest.mark.long
@pytest.mark.sandbox
def test_the_runner_is_weighed_beside_bare_pipes(tmp_path: Path) -> None:
    done = hexarena(tmp_path, "bench", "runner", "--matches", "2", "--json", "out.json")
    assert done.returncode == 0, done.stderr
    rows = {(row["name"], row["bots_in"]): row for row in json.loads((tmp_path / "out.json").read_text())}
    ours, floor = rows["Hexarena, Null game", "Python"], rows["bare pipes, null game", "Python"]
    assert all(len(row["total"]) == 2 for row in rows.values())
    for total, bots, first in zip(ours["total"], ours["bots"], ours["first"], strict=True):
        assert total > bots > first > 0
    for total, own in zip(floor["total"], floor["own"], strict=True):
        assert total > own > 0
    assert "a turn over bare pipes" in done.stdout


REFEREE = """
import java.io.*;
class Referee {
    public static void main(String[] words) throws Exception {
        for (int seat = 0; seat < 2; seat++) {
            Process bot = new ProcessBuilder(words[2 * seat + 1]).start();
            PrintStream to = new PrintStream(bot.getOutputStream(), true);
            BufferedReader from = new BufferedReader(new InputStreamReader(bot.getInputStream()));
            to.println("0\\n0");
            for (int turn = 0; turn < 3; turn++) {
                to.println("0 0");
                if (!from.readLine().equals("WAIT")) System.exit(1);
            }
            bot.destroy();
        }
    }
}
"""


@pytest.mark.long
@pytest.mark.sandbox
@pytest.mark.skipif(shutil.which("javac") is None, reason="javac is missing: install default-jdk-headless")
def test_an_engine_in_a_jar_is_weighed_in_the_same_run(tmp_path: Path) -> None:
    (tmp_path / "Referee.java").write_text(REFEREE)
    subprocess.run(["javac", "Referee.java"], cwd=tmp_path, check=True)
    subprocess.run(["jar", "-cfe", "referee.jar", "Referee", "Referee.class"], cwd=tmp_path, check=True)
    words = ("--matches", "1", "--jar", "referee.jar", "--jar-matches", "2")
    done = hexarena(tmp_path, "bench", "runner", *words, "--json", "out.json")
    assert done.returncode == 0, done.stderr
    (row,) = [row for row in json.loads((tmp_path / "out.json").read_text()) if row["name"] == "referee.jar"]
    assert len(row["total"]) == 2
    assert "over those of referee.jar" in done.stdout
    broken = hexarena(tmp_path, "bench", "runner", "--matches", "1", "--jar", "referee.jar", "--jar-arguments", "a b")
    assert broken.returncode == 2
    assert "referee.jar" in broken.stderr


@pytest.mark.long
@pytest.mark.sandbox
def test_a_crowded_machine_costs_a_fair_bot_no_turn(tmp_path: Path) -> None:
    done = hexarena(tmp_path, "bench", "load", "--turns", "5", "--busy", "4", "--json", "out.json")
    assert done.returncode == 0, done.stderr
    figures = json.loads((tmp_path / "out.json").read_text())
    assert figures["late"] == figures["late_by_jumps"], "the machine's clock apart, never"
    assert len(figures["cpu"]) + len(figures["late"]) + len(figures["no_verdict"]) == len(figures["wall"]) == 5
    assert all(19 < used_ms < 50 for used_ms in figures["cpu"])
    assert figures["ratios"], "turns by the wall clock over turns by the CPU's"
    assert min(figures["ratios"]) > 0.9


@pytest.mark.long
@pytest.mark.sandbox
def test_starts_are_measured_with_the_machines_programs_if_there_is_no_root(tmp_path: Path) -> None:
    done = hexarena(tmp_path, "bench", "starts", "--starts", "3", "--json", "out.json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads((tmp_path / "out.json").read_text())
    assert row["programs"] == "the machine's own /usr"
    assert len(row["wall"]) == len(row["cpu"]) == 3
    assert min(row["wall"] + row["cpu"]) > 0


@pytest.mark.long
@pytest.mark.sandbox
def test_the_pool_is_measured_beside_psyleague(tmp_path: Path) -> None:
    words = ("--bots", "3", "--rounds", "2", "--games", "4", "--leagues", "1", "--league-games", "20")
    done = hexarena(tmp_path, "bench", "pool", "yavalath", *words, "--json", "out.json")
    assert done.returncode == 0, done.stderr
    figures = json.loads((tmp_path / "out.json").read_text())
    assert len(figures["bots"]) == 3
    for name in ("pool", "psyleague"):
        assert name in done.stdout
        assert figures[name]["games"] == 4
        assert len(figures[name]["games_to_tau"]) == 1


@pytest.mark.parametrize(
    ("tau", "games"), [((0.5, 0.9, 1.0), 20), ((0.9, 0.9), 10), ((1.0, 0.8, 0.9), 30), ((1.0, 0.8), None)]
)
def test_an_order_is_found_when_it_stays_right(tau: tuple[float, ...], games: int | None) -> None:
    assert PoolLeague(tau).games == games


def test_who_was_placed_before_whom_is_counted() -> None:
    """The first bot goes ahead while two others were checked; a fourth comes later and overtakes the third."""
    start = datetime(2026, 1, 1, tzinfo=UTC)

    def at(*seconds: float) -> list[datetime]:
        return [start + timedelta(seconds=one) for one in seconds]

    sent = dict(zip("abcd", at(0, 1, 2, 20), strict=True))
    checks = dict(zip("abcd", at(1, 2, 3, 21), strict=True))
    began = {
        "a": at(*range(2, 14)),  # The twelfth at 13 s.
        "b": at(4, 5, 6, 7, 14),
        "c": at(40, 41, 42, 43, 44),
        "d": at(*range(22, 34)),  # At 33 s, and c has five only at 44 s.
    }
    found = figures_of(sent, checks, began)
    assert found.checked_s == (1, 1, 1, 1)
    assert found.placed_s == (6, 13, 42, 6)
    assert (found.behind, found.overtaken) == (2, 1)

    nobody = figures_of(sent, checks, {one: times[:11] for one, times in began.items()})
    assert (nobody.behind, nobody.overtaken) == (0, 0)


@pytest.mark.long
@pytest.mark.sandbox
def test_what_matches_cost_an_arena_is_measured(tmp_path: Path) -> None:
    file = tmp_path / "arena.json"
    done = hexarena(
        tmp_path,
        "bench",
        "arena",
        "--matches",
        "4",
        "--alone",
        "2",
        "--placed",
        "1",
        "--settle",
        "0",
        "--json",
        str(file),
    )
    assert done.returncode == 0, done.stderr
    measured = json.loads(file.read_text())
    assert len(measured["first_turn_ms"]) == 2
    assert min(measured["first_turn_ms"]) > 0
    assert set(measured["matches_a_minute"]) == {"1", "2"}
    assert len(measured["beside_ms"]) == 2
    assert measured["ms"]["arena-worker"] > 0
    assert measured["ms"]["arena-dispatche"] > 0
    assert "all but the workers" in done.stdout


@pytest.mark.long
def test_streams_are_opened_and_their_events_counted(tmp_path: Path) -> None:
    file = tmp_path / "streams.json"
    few = ["--streams", "3", "--live", "2", "--seconds", "1", "--patience", "1", "--json", str(file)]
    done = hexarena(tmp_path, "bench", "streams", *few)
    assert done.returncode == 0, done.stderr
    measured = json.loads(file.read_text())
    rows = {row["what"]: row for row in measured["rows"]}
    events, lines = rows["events"], rows["lines of a match"]
    assert [(one["opened"], one["closed"]) for one in (events, lines)] == [(3, 0), (2, 0)]
    for one in (events, lines):
        assert one["expected"] >= one["opened"]
        assert one["arrived"] <= one["expected"], "an event is counted once for each stream"
    assert measured["idle_mb"] > 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("pool", "tron", "--bots", "3"), "expected a game for two; got Tron"),
        (("pool", "tricks"), "expected a game with twenty bots, one of ants, "),
        (("round-robin", "tricks"), "expected a game with twenty bots, one of ants, "),
        (("real-ladder", "--game", "tricks"), "expected a game with twenty bots, one of ants, "),
    ],
)
def test_a_game_that_lacks_what_a_bench_needs_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    monkeypatch.setenv("HEXARENA_GAMES", str(EXAMPLES))
    done = hexarena(tmp_path, "bench", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_games_from_elsewhere_are_left_out_of_the_real_ladder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEXARENA_GAMES", str(EXAMPLES))
    (tmp_path / "boards.jsonl").write_text(json.dumps({"minute": 1, "boards": {"tricks": []}}) + "\n")
    done = hexarena(tmp_path, "bench", "real-ladder", "--only-compare", "--folder", str(tmp_path))
    assert done.returncode == 2
    assert "got those of tricks" in done.stderr


def test_a_round_robin_is_reported_with_its_level(tmp_path: Path) -> None:
    names = variants.names(find_game("ants"))
    write_line(tmp_path / "ants-1.jsonl", PlayedGame(0, 1, ((names[0],), (names[1],)), (0, 1), level=1))
    done = hexarena(tmp_path, "bench", "round-robin", "ants", "--level", "1", "--only-report")
    assert done.returncode == 0, done.stderr
    assert "Ants: round robin of 20 bots, 1 matches, level 1" in done.stdout


def test_a_folder_without_boards_of_the_game_is_refused(tmp_path: Path) -> None:
    (tmp_path / "boards.jsonl").write_text(json.dumps({"minute": 1, "boards": {"yavalath": []}}) + "\n")
    words = ("real-ladder", "--only-compare", "--game", "ants", "--folder", str(tmp_path))
    refused = hexarena(tmp_path, "bench", *words)
    assert refused.returncode == 2
    assert "boards of ants" in refused.stderr
    assert "got those of yavalath" in refused.stderr
