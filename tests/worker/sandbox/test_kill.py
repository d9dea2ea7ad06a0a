"""Owners that are killed with SIGKILL, in any phase: after the next start nothing of theirs is left."""

from __future__ import annotations

import fcntl
import gc
import hashlib
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from hexarena.worker.sandbox import Sandbox, cgroup, slots
from hexarena.worker.sandbox.cgroup import Group, Hierarchies
from tests.conftest import PATIENCE_S, wait_until

pytestmark = pytest.mark.sandbox

ROOT = Path(__file__).parents[3]

OWNER = """
import os, sys, time
from dataclasses import replace
from pathlib import Path
from hexarena.backend.submissions.languages import PYTHON
from hexarena.worker.sandbox import Sandbox, self_test

STUBBORN = b'''
import os, signal, sys, threading
signal.signal(signal.SIGTERM, signal.SIG_IGN)
input()
try:
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        while True: pass
except PermissionError:
    pass  # without control groups it is a single process
threading.Thread(target=lambda: [0 for _ in iter(int, 1)], daemon=True).start()
while "answer" in input():
    print(1, flush=True)
while True: pass
'''
SLOW = replace(PYTHON, build=("sh", "-c", "setsid sleep 4000 & while true; do :; done"))
sandbox = Sandbox.open(sys.argv[1], folder=Path(sys.argv[2]))

def now():
    print("now", flush=True)

def bot(answers=0):
    made = sandbox.start(sandbox.build(PYTHON, STUBBORN), reply_bytes=9)
    for number in range(answers):
        made.ask("1\\nanswer\\n" if number == 0 else "answer\\n", 9.0)
    return made

"""

PHASES = {
    "in a build": "now(); sandbox.build(SLOW, b'1')",
    "at the gate": "first, second = bot(), bot(); now(); time.sleep(1000)",
    "in the first turn": "first = bot(); now(); first.ask('1\\nstay\\n', 900.0)",
    "between two turns": "first, second = bot(3), bot(1); now(); time.sleep(1000)",
    "in a turn": "first, second = bot(3), bot(1); now(); first.ask('stay\\n', 900.0)",
    "while matches end": "now()\nwhile True: bot(1).close()",
    "in the self-test": "now()\nwhile True: self_test(sandbox)",
    "in a sweep": "now()\nwhile True: sandbox.sweep()",
    "while it opens": "sandbox.close(); now()\nwhile True: Sandbox.open(sys.argv[1], folder=Path(sys.argv[2])).close()",
}
"""What a bot's owner is doing when it is killed."""
QUIET = ("at the gate", "between two turns")
"""In these, nothing of its bots comes or goes."""


def descendants(pid: int) -> set[int]:
    """All processes below this one."""
    found: set[int] = set()
    with suppress(FileNotFoundError, ProcessLookupError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            found |= {int(child)} | descendants(int(child))
    return found


def running_with(word: str, file: str) -> set[int]:
    """Processes that have this word in their command line, or in their environment."""
    found = set()
    for folder in Path("/proc").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError, PermissionError, NotADirectoryError):
            if word.encode() in (folder / file).read_bytes():
                found.add(int(folder.name))
    return found


def token(folder: Path) -> str:
    """Begins all marks on this folder."""
    return f"{slots.PREFIX}{hashlib.sha256(str(folder).encode()).hexdigest()[:10]}."


def groups(name: str) -> list[Path]:
    """Control groups whose names begin so."""
    return [folder for place in cgroup.places() for folder in place.glob(f"{name}*")]


def is_held(lock: Path) -> bool:
    """Whether somebody has locked this file."""
    with lock.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def start_next(folder: Path, mode: str = "bwrap") -> None:
    """The next start on this folder."""
    subprocess.run(
        [sys.executable, "-c", OWNER + "sandbox.sweep(); sandbox.close()", mode, folder], cwd=ROOT, check=True
    )


def assert_nothing_is_left(folder: Path, mode: str = "bwrap") -> None:
    """After the next start."""
    start_next(folder, mode)
    assert running_with(token(folder), "environ") == set()
    assert groups(token(folder)) == []
    assert list((folder / "scratch").iterdir()) == []
    assert not any(place in Path("/proc/self/mountinfo").read_text() for place in (str(folder), "newroot", "oldroot"))
    assert list(Path(tempfile.gettempdir()).glob(f"{token(folder)}*")) == []
    assert [lock.name for lock in (folder / "locks").iterdir() if is_held(lock)] == []


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Callable[[str, str], subprocess.Popen[str]]]:
    """Starts an owner that does something, and returns when it has begun."""
    started = []

    def start(doing: str, mode: str = "bwrap") -> subprocess.Popen[str]:
        command = [sys.executable, "-c", OWNER + doing, mode, str(tmp_path)]
        owner = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True)
        started.append(owner)
        assert owner.stdout is not None
        assert owner.stdout.readline() == "now\n"
        return owner

    yield start
    for owner in started:
        owner.kill()
        owner.communicate()


@pytest.mark.long
@pytest.mark.parametrize("mode", ["bwrap", "none"])
@pytest.mark.parametrize("phase", PHASES)
def test_nothing_of_a_killed_owner_is_left(
    own: Callable[[str, str], subprocess.Popen[str]], isolated: Sandbox, tmp_path: Path, phase: str, mode: str
) -> None:
    owner = own(PHASES[phase], mode)
    if phase in ("in a build", "in the first turn", "in a turn"):
        wait_until(lambda: len(running_with(token(tmp_path), "environ")) >= 2, "its bots have children")
    watched = [os.pidfd_open(pid) for pid in descendants(owner.pid)] if phase in QUIET else []
    assert watched or phase not in QUIET
    owner.kill()
    owner.wait()
    assert_nothing_is_left(tmp_path, mode)
    for process in watched:
        assert select.select([process], [], [], PATIENCE_S)[0], "the kernel ended it"
        os.close(process)


@pytest.mark.parametrize("mode", ["bwrap", "none"])
@pytest.mark.parametrize("after_ms", [0, 1, 2, 4, 8, 16])
def test_an_owner_may_be_killed_while_its_sandboxes_are_launched(
    own: Callable[[str, str], subprocess.Popen[str]], isolated: Sandbox, tmp_path: Path, after_ms: int, mode: str
) -> None:
    """Nothing of a bot has run, since nothing let it start; and nothing of its sandbox remains."""
    word = f"hexarena-kill-{os.getpid()}-{after_ms}"
    ran = tmp_path / "ran"
    bot = f"open({str(ran)!r}, 'w').close(); input('{word}'); input()"
    command = f"sandbox.command(['python3', '-c', {bot!r}], Path('/usr/share'))"
    owner = own(f"program = {command}; now()\nwhile True: sandbox.start(program, reply_bytes=9)", mode)
    select.select([], [], [], after_ms / 1000)
    owner.kill()
    owner.wait()
    assert_nothing_is_left(tmp_path, mode)
    assert running_with(word, "cmdline") == set()
    assert not ran.exists()


@pytest.mark.parametrize("after_ms", [0, 5, 20, 100])
def test_a_bot_that_is_never_asked_never_runs(sandbox: Sandbox, after_ms: int) -> None:
    """Its opponent may have lost before: then it is closed at its gate, or while its sandbox is still set up."""
    word = f"hexarena-closed-{os.getpid()}-{after_ms}"
    program = sandbox.command(["python3", "-c", f"input('{word}'); input()"], Path("/usr/share"))
    for _ in range(3):
        bot = sandbox.start(program, reply_bytes=9)
        select.select([], [], [], after_ms / 1000)
        bot.close()
        assert running_with(word, "cmdline") == set()


def test_a_bot_that_was_stopped_ends_with_its_owner(
    own: Callable[[str, str], subprocess.Popen[str]], isolated: Sandbox, tmp_path: Path
) -> None:
    """Stopped by a signal, not frozen: as where there are no control groups. Nobody sweeps."""
    owner = own(
        "from worker.sandbox import slots\nslots.Slots.tree = lambda *_, **__: slots.ProcessTree()\n"
        "first = bot(2)\nnow()\ntime.sleep(1000)",
        "bwrap",
    )
    watched = [os.pidfd_open(pid) for pid in descendants(owner.pid)]
    assert len(watched) >= 2, "its launcher and itself, or what it forked as well"
    owner.kill()
    owner.wait()
    for process in watched:
        assert select.select([process], [], [], PATIENCE_S)[0], "the kernel ended it"
        os.close(process)


def test_a_sweep_leaves_the_living_alone(
    own: Callable[[str, str], subprocess.Popen[str]], isolated: Sandbox, tmp_path: Path
) -> None:
    owner = own(
        "(sandbox._slots.scratch / 'half done').touch()\nfirst = bot(3)\nnow()\nsys.stdin.readline()\n"
        "first.ask('answer\\n', 9.0)\nnow()",
        "bwrap",
    )
    before = descendants(owner.pid)
    start_next(tmp_path)
    start_next(tmp_path, "none")
    assert descendants(owner.pid) == before
    assert (tmp_path / "scratch" / "0" / "half done").exists()
    assert owner.communicate("go on\n") == ("now\n", None)


def test_a_number_is_free_again_with_all_that_carries_it(tmp_path: Path, isolated: Sandbox) -> None:
    with Sandbox.open("none", folder=tmp_path) as first, Sandbox.open("none", folder=tmp_path) as second:
        assert (first.mark, second.mark) == (f"{token(tmp_path)}0.", f"{token(tmp_path)}1.")
        (second._slots.scratch / "half done").touch()
        os.close(second._slots._lock)
        second._slots._end.detach()
        with Sandbox.open("none", folder=tmp_path) as third:
            assert third.mark == second.mark
            assert list(third._slots.scratch.iterdir()) == []


@pytest.mark.parametrize("mode", ["bwrap", "none"])
def test_bots_that_nobody_closed_end_with_their_sandbox(
    own: Callable[[str, str], subprocess.Popen[str]], isolated: Sandbox, tmp_path: Path, mode: str
) -> None:
    owner = own("first, second = bot(2), bot(); now(); sys.exit()", mode)
    assert owner.wait(PATIENCE_S) == 0
    assert running_with(token(tmp_path), "environ") == set()
    assert groups(token(tmp_path)) == []


@pytest.mark.long
def test_a_killed_doctor_leaves_nothing_after_the_next(isolated: Sandbox, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hexarena.cli.app", "doctor", "--json"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    doctor = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    wait_until(lambda: any(map(is_held, tmp_path.glob("*/locks/0"))), "it looks around")
    doctor.kill()
    doctor.wait()
    assert list(tmp_path.iterdir())
    subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=False)
    assert list(tmp_path.iterdir()) == []


def test_groups_are_found_where_their_owner_made_them(tmp_path: Path, isolated: Sandbox) -> None:
    hierarchies = isolated._slots.hierarchies
    if hierarchies is None:
        pytest.skip("needs control groups")
    elsewhere = hierarchies.memory / f"hexarena-test-{os.getpid()}"
    elsewhere.mkdir()
    (tmp_path / "locks").mkdir()
    (tmp_path / "locks" / "7").write_text(f"{elsewhere}\n/no/such/folder\n")
    with Sandbox.open("bwrap", folder=tmp_path) as sandbox:
        left = elsewhere / f"{token(tmp_path)}7.0"
        left.mkdir()
        sandbox.sweep()
        assert not left.exists()
    elsewhere.rmdir()


def test_workers_on_one_folder_leave_each_other_alone(isolated: Sandbox) -> None:
    with Sandbox.open("bwrap", folder=isolated.folder) as other:
        program = other.command(["cat"], isolated.folder)
        with other.start(program, reply_bytes=9) as bot:
            bot.ask("1\n", 5.0)
            isolated.sweep()
            assert bot.ask("2\n", 5.0).line == "2"


def test_a_forgotten_sandbox_gives_everything_back(tmp_path: Path, descriptors: Callable[[], set[str]]) -> None:
    before = descriptors()
    for _ in range(3):
        Sandbox.open("bwrap", folder=tmp_path)
    gc.collect()
    assert descriptors() == before
    assert [lock.name for lock in (tmp_path / "locks").iterdir()] == ["0"]


# --- Control groups ------------------------------------------------------------------------------------------------

KILLED_OWNER = """
import os, subprocess, sys
from hexarena.worker.sandbox import cgroup
hierarchies = cgroup.find_hierarchies(sys.argv[1] + "try")
group = cgroup.Group(hierarchies, sys.argv[1] + "0")
sleeper = subprocess.Popen(["sleep", "1000"])
group.admit(sleeper.pid)
group.freeze()
print(sleeper.pid, flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.fixture
def hierarchies(isolated: Sandbox) -> Hierarchies:
    """This machine's."""
    if isolated._slots.hierarchies is None:
        pytest.skip("needs control groups")
    return isolated._slots.hierarchies


def test_what_a_killed_owner_left_frozen_in_its_groups_is_swept(hierarchies: Hierarchies) -> None:
    prefix = f"{slots.PREFIX}test.{os.getpid()}."
    arguments = [sys.executable, "-c", KILLED_OWNER, prefix]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, cwd=ROOT, text=True) as owner:
        assert owner.stdout is not None
        sleeper = os.pidfd_open(int(owner.stdout.readline()))
    cgroup.sweep(cgroup.places(), prefix)
    assert select.select([sleeper], [], [], PATIENCE_S)[0], "the kernel ended it"
    os.close(sleeper)
    assert groups(prefix) == []


def test_what_has_an_owner_is_not_swept(hierarchies: Hierarchies) -> None:
    prefix = f"{slots.PREFIX}test.{os.getpid()}."
    group = Group(hierarchies, f"{prefix}1")
    cgroup.sweep(cgroup.places(), prefix)
    assert all(folder.exists() for folder in hierarchies.folders(f"{prefix}1"))
    group.close()
    assert groups(prefix) == []
