"""`hexarena pool`, run as a user runs it: bots come, change and go, pools are killed, and files are torn."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hexarena.backend.submissions.languages import Language
from hexarena.cli.pool import run
from hexarena.cli.pool.log import FILE, PoolError, PoolLog
from hexarena.cli.pool.ranking import Ranking
from hexarena.cli.pool.run import Pool
from hexarena.cli.pool.state import PoolState
from hexarena.worker.sandbox import LanguageMissing, Sandbox, toolchains
from hexarena.worker.sandbox.sandboxed import Launcher
from tests.cli.test_cli import hexarena
from tests.conftest import wait_until

BOTS = Path(__file__).parents[2] / "games" / "yavalath" / "bots"
CELL = """
import sys
input()
while True:
    cells = [(x, y) for y in range(int(input())) for x, cell in enumerate(input()) if cell == "0"]
    input()
    MORE
    print(*cells[WHERE])
"""


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))


def bot(where: str, more: str = "pass") -> str:
    """The source of a bot that takes this one of the free cells."""
    return CELL.replace("WHERE", where).replace("MORE", more)


RANDOM = bot("__import__('random').randrange(len(cells))")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A pool for Yavalath with two bots that play at random."""
    assert hexarena(tmp_path, "pool", "init", "my", "yavalath").returncode == 0
    for name in ("one", "two"):
        (tmp_path / "my" / f"{name}.py").write_text(RANDOM)
    return tmp_path


def pool(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs a command of the pool in `my`."""
    more = ("--no-sandbox",) if words[0] in {"run", "add", "duel"} else ()
    return hexarena(folder, "pool", words[0], "my", *words[1:], *more)


def lines(folder: Path) -> list[dict[str, Any]]:
    """The lines of the pool that are whole."""
    text = (folder / "my" / FILE).read_bytes()
    return [json.loads(line) for line in text[: text.rfind(b"\n") + 1].splitlines()]


def matches(folder: Path) -> list[dict[str, Any]]:
    """The results."""
    return [line for line in lines(folder) if "match" in line]


def board(folder: Path) -> dict[str, dict[str, Any]]:
    """Bot -> its row."""
    return {row["name"]: row for row in json.loads(pool(folder, "board", "--json", "-").stdout)["board"]}


@contextmanager
def running(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A pool that plays, and has played a match since it was started."""
    before = len(matches(folder))
    environment = {**os.environ, "HEXARENA_DATA_FOLDER": str(folder / "data"), "COLUMNS": "200"}
    command = [sys.executable, "-m", "hexarena.cli", "pool", "run", "my", "--no-sandbox"]
    given = {"cwd": folder, "env": environment, "text": True}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **given) as process:
        try:
            wait_until(lambda: len(matches(folder)) > before or process.poll() is not None, "a match")
            assert process.poll() is None, process.stdout and process.stdout.read()
            yield process
        finally:
            process.kill()


# --- Playing --------------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.sandbox
def test_bots_of_all_kinds_play_and_the_board_is_printed(folder: Path) -> None:
    (folder / "my" / "parts").mkdir()
    (folder / "my" / "parts" / "main.py").write_text("from where import pick\n" + bot("pick(cells)"))
    (folder / "my" / "parts" / "where.py").write_text("def pick(cells): return len(cells) // 3\n")
    program = folder / "friend.exe"
    program.write_text("#!/usr/bin/env python3" + bot("len(cells) // 2"))
    program.chmod(0o755)
    assert "friend is in the pool, version 1." in hexarena(folder, "pool", "add", "my", "friend.exe").stdout
    assert hexarena(folder, "pool", "add", "my", "Pebble", "--name", "the house's").returncode == 0
    (folder / "my" / "notes.txt").write_text("no bot")
    done = hexarena(folder, "pool", "run", "my", "--games", "12")
    assert done.returncode == 0, done.stderr
    assert "12 matches, 12 of them now." in done.stdout
    rows = board(folder)
    assert set(rows) == {"one", "two", "parts", "friend", "the house's"}
    assert sum(row["games"] for row in rows.values()) == 24
    assert all(row["games"] == row["won"] + row["drawn"] + row["lost"] for row in rows.values())
    assert all(fault is None for match in matches(folder) for fault in match["faults"])


def test_a_later_run_continues(folder: Path) -> None:
    pool(folder, "run", "--games", "3")
    done = pool(folder, "run", "--games", "4")
    assert "7 matches, 4 of them now." in done.stdout
    assert [match["match"] for match in matches(folder)] == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.long
def test_a_changed_file_is_a_new_version_and_the_old_ones_number_comes_back(folder: Path) -> None:
    pool(folder, "run", "--games", "4")
    (folder / "my" / "one.py").write_text(bot("0"))
    pool(folder, "run", "--games", "2")
    row = board(folder)["one"]
    assert (row["version"], row["games"]) == (2, 2)
    (folder / "my" / "one.py").write_text(RANDOM)
    pool(folder, "run", "--games", "1")
    row = board(folder)["one"]
    assert (row["version"], row["games"]) == (1, 5)


@pytest.mark.long
def test_bots_are_added_removed_and_changed_while_the_pool_runs(folder: Path) -> None:
    with running(folder):
        assert pool(folder, "add", "starter").returncode == 0
        assert pool(folder, "rm", "one").returncode == 0
        (folder / "my" / "two.py").write_text(bot("-1"))
        wait_until(lambda: {("starter", 1), ("two", 2)} == set(map(tuple, matches(folder)[-1]["bots"])), "new bots")
    assert set(board(folder)) == {"two", "starter"}
    assert board(folder)["starter"]["rating"] == 1000


def test_a_bot_that_replaces_another_between_two_looks_plays(folder: Path, tmp_path: Path) -> None:
    log = PoolLog(folder / "my")
    running_pool = Pool(log, PoolState.of(log.new_lines()), lambda: Sandbox.open("none", folder=tmp_path / "sandbox"))
    running_pool.look_after_bots(at_once=True)
    assert pool(folder, "add", "starter").returncode == 0
    assert pool(folder, "rm", "one").returncode == 0
    running_pool.follow()
    running_pool._looked = time.monotonic()
    job = next(running_pool._jobs(1))
    assert {name for name, _ in job.bots} == {"starter", "two"}


def test_a_file_that_is_being_saved_is_no_version(folder: Path, tmp_path: Path) -> None:
    """Editors empty a file before they fill it again."""
    log = PoolLog(folder / "my")
    running_pool = Pool(log, PoolState.of(log.new_lines()), lambda: Sandbox.open("none", folder=tmp_path / "sandbox"))
    running_pool.look_after_bots(at_once=True)
    two = folder / "my" / "two.py"
    for code, versions in (("", [1]), (bot("-1"), [1]), (bot("-1"), [1, 2])):
        two.write_text(code)
        running_pool.look_after_bots()
        assert [line["version"] for line in lines(folder) if line.get("enter") == "two"] == versions
    assert len(running_pool.playable()) == 2


def test_a_bot_that_was_broken_plays_again_in_its_earlier_version(folder: Path, tmp_path: Path) -> None:
    log = PoolLog(folder / "my")
    running_pool = Pool(log, PoolState.of(log.new_lines()), lambda: Sandbox.open("none", folder=tmp_path / "sandbox"))
    two = folder / "my" / "two.py"
    for code, broken in ((RANDOM, set()), ("def", {"two"}), (RANDOM, set())):
        two.write_text(code)
        running_pool.look_after_bots(at_once=True)
        assert set(running_pool.broken) == broken
        assert len(running_pool.playable()) == 2 - len(broken)


def test_builds_of_a_pool_that_runs_for_days_stay_and_those_of_old_versions_go(folder: Path, tmp_path: Path) -> None:
    log, where = PoolLog(folder / "my"), tmp_path / "sandbox"
    running_pool = Pool(log, PoolState.of(log.new_lines()), lambda: Sandbox.open("none", folder=where))

    def builds_after_a_day() -> int:
        running_pool.look_after_bots(at_once=True)
        for home in (where / "builds").iterdir():
            os.utime(home, (0, 0))
        with Sandbox.open("none", folder=where) as another_command:
            another_command.sweep()
        return len(list((where / "builds").iterdir()))

    assert builds_after_a_day() == 1, "both have the same code"
    (folder / "my" / "two.py").write_text(RANDOM + "# better\n")
    assert builds_after_a_day() == 2
    running_pool._count_running((1, 2), 1)
    (folder / "my" / "two.py").write_text(RANDOM + "# worse\n")
    assert builds_after_a_day() == 3, "a match of the old version still runs"
    running_pool._count_running((1, 2), -1)
    assert builds_after_a_day() == 2
    assert len(running_pool.playable()) == 2


def test_what_a_program_plays_that_is_another_one_by_now_is_not_written_down(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It runs from its own file, so the old version's number would stand for the new one's results."""
    (folder / "my" / "two.py").unlink()
    program = folder / "my" / "program"
    program.write_text("#!/usr/bin/env python3" + RANDOM)
    program.chmod(0o755)

    class OneByOne:
        def __init__(self, *_: object) -> None: ...

        def __enter__(self) -> OneByOne:
            return self

        def __exit__(self, *_: object) -> None: ...

        def in_order(self, jobs: Iterator[run.Job], *, tick: object) -> Iterator[dict[str, Any]]:
            for job in jobs:
                if job.number == 2:
                    program.write_text("#!/usr/bin/env python3" + RANDOM + "# better\n")
                names = [(name, version) for name, version in job.bots]
                yield played(job.number, "", "", digest=str(job.number)) | {"bots": names}

    monkeypatch.setattr(run, "ProcessPool", OneByOne)
    monkeypatch.setattr(run, "LOOK_S", 1e9)
    log = PoolLog(folder / "my")
    running_pool = Pool(log, PoolState.of(log.new_lines()), lambda: Sandbox.open("none", folder=tmp_path / "sandbox"))
    running_pool.run([0], 3, lambda _: None)
    assert ([one["match"] for one in matches(folder)], running_pool.played) == ([1], 1)


def test_a_bot_whose_language_is_missing_is_named_and_the_others_play(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locate(program: str, language: Language, launcher: Launcher) -> Path:
        if language.id == "ruby":
            raise LanguageMissing("expected ruby for Ruby; install ruby")
        return found(program, language, launcher)

    found = toolchains._locate
    monkeypatch.setattr(toolchains, "_locate", locate)
    (folder / "my" / "gem.rb").write_text("puts 1\n")
    log = PoolLog(folder / "my")
    running_pool = Pool(log, PoolState.of(log.new_lines()), lambda: Sandbox.open("none", folder=tmp_path / "sandbox"))
    running_pool.look_after_bots(at_once=True)
    assert running_pool.broken == {"gem": "expected ruby for Ruby; install ruby"}
    assert len(running_pool.playable()) == 2


@pytest.mark.long
def test_a_bot_that_was_removed_can_come_back(folder: Path) -> None:
    assert pool(folder, "rm", "one").returncode == 0
    assert "expected two bots that can play; got 1" in pool(folder, "run", "--games", "1").stderr
    assert "one is in the pool, version 1." in pool(folder, "add", "my/one.py").stdout
    assert pool(folder, "run", "--games", "1").returncode == 0


def test_a_duel_of_two_bots_is_played_by_their_names(folder: Path) -> None:
    done = pool(folder, "duel", "two", "one", "--games", "2", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    assert "two.py against one.py: Yavalath" in done.stdout
    assert matches(folder) == []


def test_house_bots_that_duel_are_not_among_the_others_of_their_matches(tmp_path: Path) -> None:
    assert hexarena(tmp_path, "pool", "init", "my", "tron").returncode == 0
    for name in ("Drifter", "Sprinter"):
        assert pool(tmp_path, "add", name).returncode == 0
    done = pool(tmp_path, "duel", "Drifter", "Sprinter", "--games", "1", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    assert "Drifter against Sprinter: Tron" in done.stdout
    assert "others: Hugger, " in done.stdout


def test_bots_that_only_repeat_their_matches_are_not_played_for_ever(folder: Path) -> None:
    for name, where in (("one", "0"), ("two", "-1")):
        (folder / "my" / f"{name}.py").write_text(bot(where))
    done = pool(folder, "run", "--games", "100")
    assert "these bots repeat their matches" in done.stdout
    assert len(matches(folder)) < 40


@pytest.mark.long
def test_teams_play_where_the_game_has_teams(tmp_path: Path) -> None:
    small = ("--option", "size=40", "--option", "main_turns=3")
    assert hexarena(tmp_path, "pool", "init", "my", "battlegrounds", *small).returncode == 0
    for name in ("a", "b", "c"):
        pool(tmp_path, "add", "Drifter", "--name", name)
    assert pool(tmp_path, "run", "--games", "2").returncode == 0
    assert [len(match["bots"]) for match in matches(tmp_path)] == [3, 3]
    assert {row["games"] for row in board(tmp_path).values()} == {2}


# --- Killed, stopped, twice -----------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_pool_that_is_killed_continues_and_its_torn_line_does_not_matter(folder: Path) -> None:
    with running(folder) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    before = len(matches(folder))
    with (folder / "my" / FILE).open("ab") as file:
        file.write(b'{"match": 99, "seed": 1, "bo')
    assert len(board(folder)) == 2
    done = pool(folder, "run", "--games", "2")
    assert done.returncode == 0, done.stderr
    numbers = [match["match"] for match in matches(folder)]
    assert numbers[before:] == [numbers[before - 1] + 1, numbers[before - 1] + 2]
    assert (folder / "my" / FILE).read_bytes().endswith(b"}\n")


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_pool_that_is_stopped_prints_its_board_and_ends_with_0(folder: Path, number: signal.Signals) -> None:
    with running(folder) as process:
        process.send_signal(number)
        said, _ = process.communicate()
    assert process.returncode == 0, said
    assert "stopped; the next run continues" in said
    assert "Traceback" not in said


@pytest.mark.long
def test_two_pools_cannot_run_in_one_folder(folder: Path) -> None:
    with running(folder) as process:
        done = pool(folder, "run", "--games", "1")
        assert done.returncode == 2
        assert f"expected no other pool in my; one runs there, process {process.pid}" in done.stderr
        assert len(board(folder)) == 2


# --- Bad bots, bad input --------------------------------------------------------------------------------------------


def test_a_bot_that_cannot_be_built_is_named_and_the_others_play(folder: Path) -> None:
    (folder / "my" / "bad.py").write_text("def")
    (folder / "my" / "nothing").mkdir()
    done = pool(folder, "run", "--games", "2")
    assert done.returncode == 0, done.stderr
    assert "bad does not play: The build of my/bad.py failed:" in done.stdout
    assert "nothing does not play: " in done.stdout
    (folder / "my" / "bad.py").write_text(RANDOM)
    done = pool(folder, "run", "--games", "6")
    assert "bad does not play" not in done.stdout
    assert board(folder)["bad"]["games"] > 0


def test_a_program_that_is_named_like_a_house_bot_does_not_play_as_the_house_bot(folder: Path) -> None:
    program = folder / "my" / "Pebble"
    program.write_text("#!/usr/bin/env python3" + RANDOM)
    program.chmod(0o755)
    done = pool(folder, "run", "--games", "1")
    assert "Pebble does not play: Pebble: expected a name that no house bot has; rename it" in done.stdout
    assert set(board(folder)) == {"one", "two"}


def test_what_lies_in_the_folder_and_is_no_bot_can_be_removed(folder: Path) -> None:
    (folder / "my" / "nothing").mkdir()
    assert pool(folder, "rm", "nothing").returncode == 0
    assert "nothing does not play" not in pool(folder, "run", "--games", "1").stdout


@pytest.mark.long
def test_a_bot_whose_file_is_gone_does_not_play(folder: Path) -> None:
    pool(folder, "add", "starter")
    pool(folder, "run", "--games", "1")
    (folder / "my" / "one.py").unlink()
    done = pool(folder, "run", "--games", "3")
    assert "one does not play: one.py: No such file or directory" in done.stdout
    assert all("one" not in dict(match["bots"]) for match in matches(folder)[1:])


def test_faults_are_counted_and_a_flood_of_statistics_is_harmless(folder: Path) -> None:
    flood = "print(*(f'[TDATA] k{n} = {n}' for n in range(2000)), sep='\\n', file=sys.stderr)"
    (folder / "my" / "one.py").write_text(bot("0", flood))
    (folder / "my" / "two.py").write_text("input()\n")
    pool(folder, "run", "--games", "2")
    rows = board(folder)
    assert (rows["one"]["faults"], rows["two"]["faults"]) == (0, 2)
    assert (rows["one"]["won"], rows["two"]["lost"]) == (2, 2)


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("run", "--games", "1"), "expected two bots that can play; got 0. Put one into my, or: hexarena pool add my"),
        (("run", "--jobs", "999"), "expected at most"),
        (("add", "gone.py"), "expected a source file, zip, folder, program or house bot"),
        (("add", "empty"), "empty: expected"),
        (("add", "starter", "--name", " "), "expected a name of 1 to 40 printable characters"),
        (("add", "starter", "--name", "a\x1bb"), "expected a name of 1 to 40 printable characters"),
        (("rm", "nobody"), "expected a bot of the pool: none; got 'nobody'"),
        (("duel", "nobody", "starter"), "expected a bot of the pool: none; got 'nobody'"),
        (("init", "yavalath"), "expected a folder without a pool; my has one"),
    ],
)
def test_bad_input_is_one_clear_message(tmp_path: Path, words: tuple[str, ...], complaint: str) -> None:
    hexarena(tmp_path, "pool", "init", "my", "yavalath")
    (tmp_path / "empty").mkdir()
    done = pool(tmp_path, *words)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("file", ["my/pool.jsonl", "my/one.py", "my/new.py", "elsewhere.py", "removed.py"])
def test_a_board_is_not_written_over_the_pool_or_its_bots(tmp_path: Path, file: str) -> None:
    header = {"pool": 1, "game": "yavalath", "league": 1, "options": {}}
    there = [
        {"enter": bot, "bot": bot, "version": 1, "digest": "0"} for bot in ("one.py", str(tmp_path / "elsewhere.py"))
    ]
    gone = [{"enter": "x", "bot": str(tmp_path / "removed.py"), "version": 1, "digest": "0"}, {"leave": "x"}]
    (tmp_path / "my").mkdir()
    (tmp_path / "my" / "pool.jsonl").write_text("".join(json.dumps(one) + "\n" for one in (header, *there, *gone)))
    for name in ("my/one.py", "my/new.py", "elsewhere.py", "removed.py"):
        (tmp_path / name).write_text(RANDOM)
    before = (tmp_path / file).read_text()
    done = pool(tmp_path, "board", "--json", file)
    said = f"--json: expected another file than the file that is read; got {file}"
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert (tmp_path / file).read_text() == before


@pytest.mark.parametrize("command", ["run", "board"])
def test_a_folder_without_a_pool_is_refused(tmp_path: Path, command: str) -> None:
    done = hexarena(tmp_path, "pool", command, "nowhere")
    assert done.returncode == 2
    assert (
        "expected a pool in nowhere; there is no pool.jsonl. Make one: hexarena pool init nowhere GAME" in done.stderr
    )


def test_the_same_name_is_not_taken_twice(folder: Path) -> None:
    pool(folder, "add", "starter")
    (folder / "starter.py").write_text(RANDOM)
    assert "expected a name that is free; 'starter' is starter" in pool(folder, "add", "starter.py").stderr
    assert "is in the pool already" in pool(folder, "add", "starter").stderr


# --- The file -------------------------------------------------------------------------------------------------------

HEADER = {"pool": 1, "game": "yavalath", "league": 1, "options": {}}


def entering(name: str, version: int = 1) -> dict[str, Any]:
    """The line of a bot that enters."""
    return {"enter": name, "bot": f"{name}.py", "version": version, "digest": f"{name}{version}"}


def played(number: int, first: str, second: str, ranks: tuple[int, int] = (0, 1), digest: str = "") -> dict[str, Any]:
    """The line of a match between first versions."""
    bots = [[first, 1], [second, 1]]
    line = {"match": number, "seed": 1, "bots": bots, "ranks": ranks, "faults": [None, None], "turns": 9}
    return {**line, "cpu_s": 0.1, "digest": digest or str(number)}


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("nonsense", "line 2: expected a JSON object; got 'nonsense'"),
        ('{"what": 1}', "expected a match, or a bot that enters or leaves"),
        ('{"enter": "nobody"}', "expected a match, or a bot that enters or leaves"),
        (json.dumps(played(1, "a", "b")), "expected a match, or a bot that enters or leaves"),
    ],
)
def test_a_damaged_file_is_refused_with_the_line(tmp_path: Path, line: str, complaint: str) -> None:
    (tmp_path / FILE).write_text(f"{json.dumps(HEADER)}\n{line}\n")
    with pytest.raises(PoolError, match=complaint):
        PoolState.of(PoolLog(tmp_path).new_lines())


def test_repeated_matches_do_not_count_for_the_rating() -> None:
    once = [HEADER, entering("a"), entering("b"), played(1, "a", "b", digest="same")]
    often = [*once, *(played(number, "a", "b", digest="same") for number in range(2, 20))]
    one, many = (Ranking(PoolState.of(lines)).board(exact=True) for lines in (once, often))
    assert [row.rating for row in one] == [row.rating for row in many]
    assert [row.games for row in many] == [19, 19]


def test_ratings_are_a_function_of_the_results(tmp_path: Path) -> None:
    """Whether they were read at once or as they came."""
    results = [played(n, *("ab" if n % 3 else "bc"), ranks=(n % 2, 1 - n % 2)) for n in range(1, 60)]
    everything = [HEADER, *map(entering, "abc"), *results]
    state = PoolState.of(everything[:4])
    growing = Ranking(state)
    for line in results:
        state.apply(line)
        growing.fit()
    assert growing.board(exact=True) == Ranking(PoolState.of(everything)).board(exact=True)


def test_a_new_version_begins_where_the_old_one_is() -> None:
    results = [played(n, "a", "b") for n in range(1, 40)]
    lines = [HEADER, entering("a"), entering("b"), *results, entering("a", 2), entering("c")]
    rows = {row.name: row for row in Ranking(PoolState.of(lines)).board(exact=True)}
    assert rows["a"].rating > rows["c"].rating > rows["b"].rating
    assert (rows["a"].version, rows["a"].games) == (2, 0)


def test_everybody_plays_and_the_newcomer_first() -> None:
    results = [played(n, "a", "b", ranks=(n % 2, 1 - n % 2)) for n in range(1, 60)]
    state = PoolState.of([HEADER, entering("a"), entering("b"), *results, entering("c")])
    random = np.random.default_rng(1)
    chosen = Counter(
        name
        for _ in range(100)
        for name in ("abc"[node] for node in Ranking(state).next_match([0, 1, 2], Counter(), random))
    )
    assert set(chosen) == set("abc")
    assert chosen["c"] > chosen["a"]


BARE = """
import sys
sys.modules["scipy"] = None
sys.argv = ["hexarena", "pool", *sys.argv[1:]]
from hexarena.cli.__main__ import main
main()
"""
"""The command line where scipy is not installed."""


@pytest.mark.parametrize("words", [("init", "new", "yavalath"), ("run", "my"), ("board", "my")])
def test_without_the_extra_a_pool_is_refused_before_there_is_one(folder: Path, words: tuple[str, ...]) -> None:
    program = [sys.executable, "-c", BARE, *words]
    done = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == (
        "This command needs the package scipy. Install the arena: pip install 'hexarena[server,embedded]'\n"
    )
    assert not (folder / "new").exists()
