"""Records which system calls bots and builds make, in every language that this machine has.

    python scripts/record_calls.py               writes tests/worker/sandbox/recorded_calls.json anew; takes minutes
    python scripts/record_calls.py --keep        adds to the file instead

Theory of operation: strace follows a worker that runs the tests of the languages, and then every starter and boss for a
few turns. A process counts from the moment when bubblewrap has loaded the filter into it, with all that it starts. Its
command line tells what it is: a bot of a language, or a build. strace knows processes by other numbers than their
parents do, so a process that is new is the child of whoever just made one. Calls that carry a command of their own are
written with it, e.g. `fcntl:F_SETLK`. The list of what is allowed (worker/sandbox/rules.py) is written by hand after
this recording, and a test compares them.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from hexarena.backend.submissions.languages import LANGUAGES, by_ending
from hexarena.games.catalogue import all_games, find_game
from hexarena.games.lines import Player
from hexarena.worker.play import ReadyBot, build_bot, play_match
from hexarena.worker.sandbox import BuildLimits, LanguageMissing, Sandbox
from hexarena.worker.sandbox.dotnet import as_here
from hexarena.worker.sandbox.root import MACHINE

ROOT = Path(__file__).parents[1]
RECORDING = ROOT / "tests" / "worker" / "sandbox" / "recorded_calls.json"
PATIENT = BuildLimits(cpu_s=600.0, wall_s=600.0)
LINES = 12
"""Of a replay, after which a match has shown what its bots call."""
TESTS = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/worker/sandbox/test_languages.py", "-k", "not none")
STRACE = ("strace", "--follow-forks", "--string-limit=200", "--signal=none")

COMMANDS = {"fcntl": 1, "ioctl": 1, "prctl": 0, "madvise": 2, "membarrier": 0, "arch_prctl": 0, "socketpair": 0}
"""Calls that are many calls, and which argument says which."""
LINE = re.compile(r"(\d+) +(?:<\.\.\. (\w+) resumed>|(\w+)\()(.*)")
BIRTHS = ("clone", "clone3", "fork", "vfork")
FILTERED = re.compile(r"PR_SET_SECCOMP, SECCOMP_MODE_FILTER.*= 0$")

Recording = dict[str, set[str]]
"""Call -> who makes it: a language's bots, or BUILD."""
BUILD = "a build"
COMPILED = "a compiled bot"


class Seen(Exception):
    """Enough of a match."""


# --- What is recorded ------------------------------------------------------------------------------------------------


def play_all(folder: Path) -> None:
    """Every starter and boss plays a few turns against itself."""
    with Sandbox.open("bwrap", folder=folder, build_limits=PATIENT) as sandbox:
        for game in all_games().values():
            for file in sorted((ROOT / "games" / game.id / "bots").glob("*.*")):
                if file.suffix == ".md":
                    continue
                try:
                    program = build_bot(game, sandbox, by_ending(file.suffix), file.read_bytes())
                except LanguageMissing as missing:
                    print(f"Left out: {file.name}. {missing}", file=sys.stderr)
                    continue
                play_some(game.id, sandbox, ReadyBot(program, Player(bot=file.stem)))


def play_some(game_id: str, sandbox: Sandbox, bot: ReadyBot) -> None:
    """The first turns of a match."""
    lines = 0

    def watch(*_: object) -> None:
        nonlocal lines
        lines += 1
        if lines > LINES:
            raise Seen

    game = find_game(game_id)
    with suppress(Seen):
        play_match(game, sandbox, [bot] * game.seats[0], seed=1, league=game.top_level, watch=watch)


# --- What strace writes ----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Process:
    """A process that strace follows. `who`: set once it is in a sandbox and has become its command. `expected`:
    children that it made and that have not been seen yet."""

    filtered: bool = False
    who: str = ""
    expected: int = 0
    pending: dict[str, str] = field(default_factory=dict)


def parse(lines: Iterable[str]) -> Recording:
    """The calls of sandboxed processes."""
    found: Recording = defaultdict(set)
    processes: dict[int, Process] = {}
    for line in lines:
        matched = LINE.match(line)
        if matched is None:
            if " +++ " in line:
                processes.pop(int(line.split()[0]), None)
            continue
        pid, resumed, begun, rest = int(matched[1]), matched[2], matched[3], matched[4].rstrip()
        process = processes.get(pid) or processes.setdefault(pid, child_of(processes.values()))
        name, begins, ends = resumed or begun, bool(begun), not rest.endswith("<unfinished ...>")
        rest = process.pending.pop(name, "") + rest.removesuffix("<unfinished ...>")
        if not ends:
            process.pending[name] = rest
        if process.filtered:
            if name == "execve" and not process.who:
                process.who = who(rest)
            if name in BIRTHS:
                process.expected += begins - (ends and "= -1 " in rest)
            if ends and process.who:
                found[label(name, rest)].add(process.who)
        elif name == "prctl" and FILTERED.search(rest):
            process.filtered = True
    return found


def child_of(processes: Iterable[Process]) -> Process:
    """A process that was not seen before. Workers make theirs when nothing runs in their sandboxes."""
    for parent in processes:
        if parent.expected:
            parent.expected -= 1
            return Process(filtered=True, who=parent.who)
    return Process()


def label(name: str, rest: str) -> str:
    """The call, with its command if it has one."""
    if name == "clone":
        return "clone:thread" if "CLONE_THREAD" in rest else "clone:process"
    if name not in COMMANDS:
        return name
    words = rest.split(", ")
    word = words[COMMANDS[name]] if len(words) > COMMANDS[name] else "?"
    return f"{name}:{re.split(r'[ )]', word)[0]}"


def who(arguments: str) -> str:
    """Whose command line this is."""
    words = re.findall(r'"((?:[^"\\]|\\.)*)"', arguments)[1:]
    for language in (as_here(row, MACHINE) for row in LANGUAGES.values()):
        run = [word.replace("{bot}", "/bot") for word in language.run]
        ours = "/bot/bot" if language.run == ("{bot}/bot",) else run[-1]
        if words[: len(run)] == run or (ours in words and words[0] == run[0]):
            return COMPILED if language.run == ("{bot}/bot",) else language.id
    return BUILD


# --- The file --------------------------------------------------------------------------------------------------------


def record(folder: Path) -> Iterator[Recording]:
    """Runs everything under strace."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HEXARENA_TEST_SLOWER": "20"}
    for name, words in (("tests", TESTS), ("bots", (__file__, "--play", str(folder / "sandbox")))):
        output = folder / f"{name}.strace"
        subprocess.run([*STRACE, f"--output={output}", sys.executable, *words], cwd=ROOT, env=environment, check=False)
        with output.open(errors="replace") as lines:
            yield parse(lines)


def main() -> None:
    """See the module."""
    if "--play" in sys.argv:
        play_all(Path(sys.argv[-1]))
        return
    found: Recording = defaultdict(set)
    if "--keep" in sys.argv:
        found.update({call: set(by.split(", ")) for call, by in json.loads(RECORDING.read_text()).items()})
    with tempfile.TemporaryDirectory() as folder:
        for part in record(Path(folder)):
            for call, by in part.items():
                found[call] |= by
    RECORDING.write_text(
        json.dumps({call: ", ".join(sorted(by)) for call, by in sorted(found.items())}, indent=1) + "\n"
    )


if __name__ == "__main__":
    main()
