"""`hexarena duel`, run as a user runs it, and the rooms that it is made of."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from io import StringIO
from itertools import islice
from pathlib import Path

import pytest
from rich.console import Console

from hexarena.backend.duels.fixtures import Fixture
from hexarena.cli.duel import command
from hexarena.cli.duel.command import fixtures, short_names
from hexarena.cli.duel.score import Faults, LocalDuel, Result, Score, as_json, result_of
from hexarena.cli.duel.view import print_duel
from hexarena.cli.process_pool import ProcessPool, usable_cores
from hexarena.games.catalogue import find_game
from hexarena.games.contract import Outcome
from hexarena.games.referee import Exchange, Fault, Record, Turn
from hexarena.worker.play import PlayedMatch, Watch, play_with_retries
from hexarena.worker.sandbox import HostOverloaded, Sandbox, SandboxFailed
from hexarena.worker.sandbox.slots import MOST_SANDBOXES
from tests.cli.test_cli import hexarena
from tests.conftest import PATIENCE_S, wait_until

YAVALATH = find_game("yavalath")
CELLS = """
import sys
input()
while True:
    rows = [input() for _ in range(int(input()))]
    input()
    cells = [(x, y) for y, row in enumerate(rows) for x, stone in enumerate(row) if stone == "0"]
    print(*cells[len(cells) // {part}])
"""


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))


def make_duel(**changes: object) -> LocalDuel:
    """Of two bots named New and Old at Yavalath."""
    usual = LocalDuel(YAVALATH, 1, 7, ("New", "Old"), ("New", "Old"), "quick", 2000, True)
    return replace(usual, **changes)  # type: ignore[arg-type]


def make_result(number: int, *, points: float = 0.5, digest: str = "", faults: tuple[Fault, ...] = ()) -> Result:
    """The match with this number, of a duel that swaps seats: even ones are swapped."""
    swapped = number % 2 == 0
    fixture = Fixture(number, 1000 + (number - 1) // 2, swapped)
    seats = (1, 0) if swapped else (0, 1)
    summed = tuple(Faults(seats[fault.seat], 1, 1, fixture, fault) for fault in faults)
    return Result(fixture, seats, points, "it ended", 9, summed, digest or str(number), ())


def pairs(*results: Result) -> Iterator[list[Result]]:
    """Results by twos."""
    return (list(results[at : at + 2]) for at in range(0, len(results), 2))


# --- Rooms -----------------------------------------------------------------------------------------------------------


def test_each_seed_is_played_on_both_seats_where_seats_differ() -> None:
    first, second, third, fourth = islice(fixtures(make_duel()), 4)
    assert (first.seed, first.swapped, first.number) == (second.seed, False, 1)
    assert (second.swapped, second.number) == (True, 2)
    assert (third.seed, third.swapped, fourth.seed, fourth.swapped) == (fourth.seed, False, third.seed, True)
    assert third.seed != first.seed


def test_where_seats_mirror_each_match_has_a_seed_of_its_own() -> None:
    matches = list(fixtures(make_duel(game=find_game("ants"), games=5)))
    assert [one.swapped for one in matches] == [False, True, False, True, False]
    assert len({one.seed for one in matches}) == 5


def test_the_same_seed_is_the_same_list() -> None:
    assert list(fixtures(make_duel(games=20))) == list(fixtures(make_duel(games=20)))
    assert next(fixtures(make_duel(seed=8))) != next(fixtures(make_duel(seed=7)))


@pytest.mark.parametrize(
    ("bots", "names"),
    [
        (("old/bot.py", "new/bot2.py"), ("bot.py", "bot2.py")),
        (("old/bot.py", "new/bot.py"), ("old/bot.py", "new/bot.py")),
        (("Pebble", "Pebble"), ("Pebble (A)", "Pebble (B)")),
    ],
)
def test_bots_have_short_names_that_differ(bots: tuple[str, str], names: tuple[str, str]) -> None:
    assert short_names(*bots) == names


def test_a_result_tells_who_sat_where_and_which_matches_are_the_same() -> None:
    def record(reply: str) -> Record:
        turn = Turn(1, (Exchange(0, "prompt", reply),), (), {})
        return Record("yavalath", "1", 5, 1, 2, {}, (turn,), Outcome((0, 1), (1, 0), "seat 0 won"))

    one, same, other = (result_of(YAVALATH, Fixture(1, 5, False), (0, 1), record(reply), ()) for reply in "aab")
    assert (one.points, one.turns, one.reason) == (1.0, 1, "seat 0 won")
    assert one.digest == same.digest != other.digest
    assert result_of(YAVALATH, Fixture(2, 5, True), (1, 0), record("a"), ()).points == 0.0


def test_a_duel_ends_when_it_is_decided() -> None:
    score = Score(make_duel())
    endings = [score.add(pair) for pair in pairs(*(make_result(number, points=1) for number in range(1, 101)))]
    assert endings.index("decided") == 15  # 16 pairs: .6175 / .5 to the 16th is more than 24
    assert score.add([make_result(1), make_result(2)]) == "decided"
    assert Score(make_duel(early_stop=False)).add([make_result(1), make_result(2)]) is None


def test_a_duel_ends_when_it_only_repeats_itself() -> None:
    score = Score(make_duel())
    matches = [make_result(number, points=1, digest="ab"[number % 2]) for number in range(1, 17)]
    assert [score.add(pair) for pair in pairs(*matches)] == [None] * 7 + ["repeats"]
    assert "only 2 different" in score.sentence()
    assert as_json(score, "repeats")["different"] == 2
    assert as_json(score, "repeats")["elo_low"] < 0 < score.estimate().elo, "two games make nobody sure"


def test_faults_are_summed_up_by_bot_and_kind_with_an_example() -> None:
    late, bad = Fault(0, 4, "timeout", "expected a line sooner"), Fault(1, 2, "warning", "expected less")
    turns = tuple(Turn(number, (), faults, {}) for number, faults in enumerate([(bad, bad), (late, bad)], start=1))
    record = Record("yavalath", "1", 5, 1, 2, {}, turns, Outcome((0, 1), (1, 0), "seat 0 won"))
    score = Score(make_duel())
    score.add(
        [
            result_of(YAVALATH, Fixture(1, 5, False), (0, 1), record, ()),
            result_of(YAVALATH, Fixture(2, 5, True), (1, 0), record, ()),
        ]
    )
    assert score.faults() == [
        Faults(0, 3, 1, Fixture(2, 5, True), bad),
        Faults(0, 1, 1, Fixture(1, 5, False), late),
        Faults(1, 3, 1, Fixture(1, 5, False), bad),
        Faults(1, 1, 1, Fixture(2, 5, True), late),
    ]
    score.add([result_of(YAVALATH, Fixture(3, 6, False), (0, 1), record, ()), make_result(4)])
    assert score.faults()[2] == Faults(1, 6, 2, Fixture(1, 5, False), bad)


def test_what_our_side_spoils_is_played_again_and_reported() -> None:
    played = PlayedMatch(Record("yavalath", "1", 5, 1, 2, {}, (), Outcome((0, 0), (0, 0), "drawn")), "", ())
    attempts: list[PlayedMatch | SandboxFailed] = [SandboxFailed("no sandbox"), HostOverloaded("too busy"), played]

    def attempt() -> PlayedMatch:
        following = attempts.pop(0)
        if isinstance(following, SandboxFailed):
            raise following
        return following

    voids: list[str] = []
    assert play_with_retries(attempt, lambda failure: voids.append(str(failure))) == played
    assert voids == ["no sandbox", "too busy"]
    score = Score(make_duel())
    score.add([replace(make_result(1), voids=tuple(voids)), make_result(2)])
    assert score.won_drawn_lost() == (0, 2, 0)
    out = StringIO()
    print_duel(Console(file=out, width=200), score, "games", again=[], replays=None)
    assert "2 void attempts were repeated, e.g.: no sandbox" in out.getvalue()
    attempts += [SandboxFailed("no sandbox")] * 5
    with pytest.raises(SandboxFailed, match="All 5 attempts were void; the last one because: no sandbox"):
        play_with_retries(attempt, lambda _: None, attempts=5)


def test_people_read_the_verdict_the_numbers_and_how_to_see_a_fault() -> None:
    crash = Fault(1, 1, "crash", "it ended\x1b[2J")
    score = Score(make_duel(bots=("new bot.py", "Old")))
    score.add([make_result(1, points=1, faults=(crash,)), make_result(2, points=1)])
    for width in (44, 120):
        out = StringIO()
        print_duel(Console(file=out, width=width), score, "games", again=["--option", "size=9"], replays=None)
        text = out.getvalue()
        assert "Not decided" in text
        assert "2 won, 0 drawn, 0 lost" in " ".join(text.split())
        command = "hexarena match yavalath --bot 'new bot.py' --bot Old --seed 1000 --level 1 --option size=9"
        assert command in text
        assert "it ended\\x1b[2J" in text
    out = StringIO()
    print_duel(Console(file=out), score, "games", again=[], replays=Path("kept"))
    assert "hexarena watch kept/0001-seed-1000.jsonl" in out.getvalue()


def test_numbers_that_are_infinite_are_null_in_json() -> None:
    score = Score(make_duel())
    score.add([make_result(1, points=1), make_result(2, points=1)])
    figures = json.loads(json.dumps(as_json(score, "games"), allow_nan=False))
    assert (figures["elo"], figures["elo_high"]) == (None, None)
    assert figures["elo_low"] < 0


# --- The pool --------------------------------------------------------------------------------------------------------


@contextmanager
def crew(tmp_path: Path, play: object, processes: int = 2) -> Iterator[ProcessPool[int, object]]:
    """A pool without isolation; several of its processes may share a core."""
    cores = (usable_cores() * processes)[:processes]
    with ProcessPool(cores, lambda: Sandbox.open("none", folder=tmp_path), play) as entered:  # type: ignore[arg-type]
        yield entered


def test_results_come_in_order_and_every_process_plays_on_its_own_core(tmp_path: Path) -> None:
    def play(sandbox: Sandbox, job: int, watch: Watch) -> tuple[int, int, set[int]]:
        time.sleep(0.02 if job % 3 == 0 else 0)
        return job, os.getpid(), os.sched_getaffinity(0)

    with crew(tmp_path, play, 3) as running:
        done: list[tuple[int, int, set[int]]] = list(running.in_order(range(60), tick=lambda: None))  # type: ignore[arg-type]
    assert [job for job, _, _ in done] == list(range(60))
    assert len({process for _, process, _ in done}) == 3
    assert all(len(cores) == 1 for _, _, cores in done)


@pytest.mark.long
def test_an_internal_failure_and_a_process_that_dies_are_reported(tmp_path: Path) -> None:
    def fail(sandbox: Sandbox, job: int, watch: Watch) -> int:
        raise SandboxFailed("no sandbox")

    def die(sandbox: Sandbox, job: int, watch: Watch) -> int:
        os.kill(os.getpid(), signal.SIGKILL)
        return job

    for play, output in ((fail, "no sandbox"), (die, "it ended with -9")):
        with crew(tmp_path, play) as running, pytest.raises(SandboxFailed, match=output):
            list(running.in_order(range(3), tick=lambda: None))


@pytest.mark.long
def test_a_process_leaves_after_the_turn_that_it_plays(tmp_path: Path) -> None:
    def play(sandbox: Sandbox, job: int, watch: Watch) -> int:
        (tmp_path / f"begun-{job}").touch()
        try:
            while True:
                watch("a line")
                time.sleep(0.01)
        finally:
            (tmp_path / f"tidied-{job}").touch()

    def is_begun() -> None:
        if (tmp_path / "begun-0").exists() and (tmp_path / "begun-1").exists():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), crew(tmp_path, play) as running:
        list(running.in_order(range(2), tick=is_begun))
    assert (tmp_path / "tidied-0").exists()
    assert (tmp_path / "tidied-1").exists()


def test_builds_stay_for_as_long_as_a_duel_lasts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = 0

    class LongPool:
        def __init__(self, *_: object) -> None:
            nonlocal left
            for home in (tmp_path / "builds").iterdir():
                os.utime(home, (0, 0))
            with Sandbox.open("none", folder=tmp_path) as another_command:
                another_command.sweep()
            left = len(list((tmp_path / "builds").iterdir()))
            raise KeyboardInterrupt

    monkeypatch.setattr(command, "ProcessPool", LongPool)
    duel = make_duel(bots=("Keystone", "starter"))
    opens = partial(Sandbox.open, "none", folder=tmp_path)
    assert command._play(duel, Score(duel), [0], opens=opens, replays=None) == "interrupted"
    assert left == 2


# --- The command -----------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.sandbox
def test_two_bots_are_compared_on_both_seats(tmp_path: Path) -> None:
    done = hexarena(
        tmp_path, "duel", "yavalath", "Keystone", "starter", "--games", "5", "--seed", "3", "--json", "out.json"
    )
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "out.json").read_text())
    assert (found["games"], found["won"], found["lost"], found["verdict"]) == (6, 6, 0, "open")
    assert found["elo_low"] > 0
    assert [match["seats"] for match in found["matches"]] == [[0, 1], [1, 0]] * 3
    assert "Keystone against starter: Yavalath, rules level 1, seed 3" in done.stdout
    assert "6 won, 0 drawn, 0 lost" in done.stdout


def test_no_more_cores_are_used_than_there_may_be_sandboxes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(MOST_SANDBOXES + 9)))
    assert usable_cores() == list(range(MOST_SANDBOXES))


@pytest.mark.long
@pytest.mark.sandbox
def test_the_same_seed_gives_the_same_result_on_one_core_and_on_all(tmp_path: Path) -> None:
    for name, order in (("near.py", "min"), ("far.py", "max")):
        (tmp_path / name).write_text(f"""
import sys
def line(): return list(map(int, input().split()))
cells = [line() for _ in range(int(input()))]
bases = line()
mine, theirs = line(), line()
while True:
    rows = [line() for _ in cells]
    wanted = [cell for cell in range(len(cells)) if rows[cell][0] and cells[cell][0]]
    print(f"LINE {{mine[0]}} {{{order}(wanted, key=lambda cell: rows[cell][0])}} 1" if wanted else "WAIT")
""")
    said = []
    for jobs in {1, len(usable_cores())}:
        words = ("--games", "6", "--seed", "5", "--league", "1", "--no-early-stop", "--jobs", str(jobs), "--json", "-")
        done = hexarena(tmp_path, "duel", "ants", "near.py", "far.py", *words)
        assert done.returncode == 0, done.stderr
        said.append(done.stdout)
    assert json.loads(said[0])["games"] == 6
    assert json.loads(said[0])["faults"] == []
    assert len(set(said)) == 1


@pytest.mark.sandbox
def test_bots_that_leave_nothing_to_chance_are_found_out(tmp_path: Path) -> None:
    (tmp_path / "third.py").write_text(CELLS.format(part=3))
    (tmp_path / "half.py").write_text(CELLS.format(part=2))
    done = hexarena(tmp_path, "duel", "yavalath", "third.py", "half.py", "--json", "out.json")
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "out.json").read_text())
    assert (found["ending"], found["games"], found["different"]) == ("repeats", 16, 2)
    assert "These bots repeat themselves" in done.stdout


@pytest.mark.sandbox
def test_a_bot_that_always_crashes_loses_and_its_faults_can_be_watched(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("raise SystemExit('no idea')\n")
    done = hexarena(tmp_path, "duel", "yavalath", "bad.py", "starter", "--games", "8", "--replays", "kept")
    assert done.returncode == 0, done.stderr
    assert "bad.py: crash, 8 in 8 matches" in done.stdout
    assert "last stderr: no idea" in done.stdout
    replays = sorted((tmp_path / "kept").iterdir())
    assert len(replays) == 8
    assert f"hexarena watch kept/{replays[0].name}" in done.stdout
    assert json.loads(replays[0].read_text().splitlines()[-1])["end"] is True


@pytest.mark.sandbox
def test_teams_of_two_bots_meet(tmp_path: Path) -> None:
    words = ("--option", "size=40", "--option", "start_turns=2", "--option", "main_turns=2", "--games", "2")
    done = hexarena(tmp_path, "duel", "battlegrounds", "Drifter", "Drifter", *words, "--json", "out.json")
    assert done.returncode == 0, done.stderr
    first, second = json.loads((tmp_path / "out.json").read_text())["matches"]
    assert sorted(first["seats"]) == [0, 0, 0, 0, 1, 1, 1, 1]
    assert second["seats"] == [1 - seat for seat in first["seats"]]
    assert "Drifter (A) against Drifter (B)" in done.stdout


@pytest.mark.long
@pytest.mark.sandbox
@pytest.mark.parametrize(
    ("words", "output"),
    [
        (["chess", "a", "b"], "expected a game"),
        (["yavalath", "starter", "nowhere.py"], "there is no file nowhere.py"),
        (["yavalath", "bad.cpp", "starter"], "bad.cpp failed:"),
        (["yavalath", "starter", "starter", "--league", "9"], "expected a rules level"),
        (["yavalath", "starter", "starter", "--games", "0"], "Invalid value for '--games'"),
        (["yavalath", "starter", "starter", "--jobs", "0"], "Invalid value for '--jobs'"),
        (["yavalath", "starter", "starter", "--jobs", "9999"], "one for each core; got 9999"),
        (["yavalath", "starter", "starter", "--preset", "huge"], "Invalid value for '--preset'"),
        (["yavalath", "starter", "starter", "--replays", "bad.cpp"], "bad.cpp"),
        (["yavalath", "bad.cpp", "starter", "--json", "bad.cpp"], "--json: expected another file than the file that"),
        (["tron", "Drifter", "Hunter", "--field", "bad.cpp", "--json", "bad.cpp"], "--json: expected another file"),
        (["yavalath", "bot", "starter", "--replays", "bot"], "--replays: expected a path outside "),
        (["yavalath", "bot", "starter", "--json", "bot/new"], "--json: expected a path outside "),
    ],
)
def test_requests_that_make_no_sense_say_what_was_expected(tmp_path: Path, words: list[str], output: str) -> None:
    (tmp_path / "bad.cpp").write_text("int main({")
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "main.cpp").write_text("int main({")
    done = hexarena(tmp_path, "duel", *words)
    assert done.returncode == 2
    assert (tmp_path / "bad.cpp").read_text() == "int main({"
    assert output in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.long
@pytest.mark.sandbox
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_whatever_ends_it_leaves_no_process(tmp_path: Path, how: signal.Signals) -> None:
    command = [sys.executable, "-m", "hexarena.cli.app", "duel", "yavalath", "starter", "starter", "--no-early-stop"]
    environment = {**os.environ, "HEXARENA_DATA_FOLDER": str(tmp_path / "data"), "COLUMNS": "100"}
    with (tmp_path / "out").open("w") as out:
        running = subprocess.Popen(
            [*command, "--replays", "kept"], cwd=tmp_path, env=environment, stdout=out, stderr=out
        )
    try:
        wait_until(lambda: (tmp_path / "kept").exists() and len(list((tmp_path / "kept").iterdir())) > 5, "it plays")
        assert len(_processes_of(tmp_path)) > len(usable_cores())
        running.send_signal(how)
        code = running.wait(PATIENCE_S)
    finally:
        running.kill()
        running.wait()
    wait_until(lambda: not _processes_of(tmp_path), "all of its processes end")
    if how == signal.SIGINT:
        assert code == 130
        assert "Interrupted; this is what is known so far." in (tmp_path / "out").read_text()
        assert "won," in (tmp_path / "out").read_text()


def _processes_of(folder: Path) -> list[str]:
    """Those that work in the folder, and those whose command line or open files tell of it."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            links = [process / "cwd", *(process / "fd").iterdir()]
            if any(str(folder) in str(link.readlink()) for link in links):
                found.append((process / "cmdline").read_text())
        except OSError:
            continue
    return found
