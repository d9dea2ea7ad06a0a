"""The self-test: it finds the walls standing here, and says so when they do not."""

from __future__ import annotations

import gc
import os
import select
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from backend.languages import LANGUAGES
from worker.sandbox import LanguageMissing, Sandbox, SandboxUnsafe, cgroup, slots
from worker.sandbox.jail import Jail


def test_the_walls_stand_here(jail: Sandbox) -> None:
    checks = jail.self_test()
    assert [check for check in checks if not check.passed] == []
    assert {check.name for check in checks} == {
        "no network",
        "no unix sockets",
        "no foreign files",
        "read-only root",
        "no new namespaces",
        "no other processes",
        "clean environment",
        "no inherited descriptors",
        "small /tmp",
        "few processes",
        "system calls filtered",
        "no new privileges",
        "no capabilities",
        "an unprivileged user",
        "own namespaces",
        "CPU time is counted",
        "little memory",
    }
    jail.require()


def test_a_sandbox_says_what_it_is(jail: Sandbox, plain: Sandbox) -> None:
    assert jail.describe().startswith("bubblewrap ")
    assert "walls" in jail.promises
    assert plain.describe().startswith("NO WALLS")
    assert "walls" not in plain.promises


def test_mode_none_never_passes_but_only_warns(plain: Sandbox, caplog: pytest.LogCaptureFixture) -> None:
    assert [check.passed for check in plain.self_test()] == [False]
    plain.require()
    assert "NO WALLS" in caplog.text


class Gaps:
    """A launcher with a gap: it does everything that the jail does, but for some words of the command."""

    has_walls = True

    def __init__(self, jail: Jail, without: str) -> None:
        jail._before = tuple(word for word in jail._before if word != without)
        self.jail = jail

    def __getattr__(self, name: str) -> object:
        return getattr(self.jail, name)


@pytest.mark.parametrize(
    ("without", "found"), [("--unshare-net", "own namespaces: net"), ("--unshare-pid", "can be set up")]
)
def test_a_wall_that_is_missing_is_found(jail: Sandbox, without: str, found: str) -> None:
    memory_limited = "memory" in jail.promises
    broken = replace(jail, _launcher=Gaps(Jail(memory_limited=memory_limited), without))
    with pytest.raises(SandboxUnsafe, match=f"does not hold on this machine(.|\n)*{found}"):
        broken.require()


def test_a_language_without_its_tools_is_said_to_be_missing(jail: Sandbox) -> None:
    cobol = replace(LANGUAGES["cpp"], name="COBOL", probe="no-such-compiler", install="gnucobol")
    with pytest.raises(LanguageMissing, match="expected no-such-compiler for COBOL; install gnucobol"):
        jail.tool(cobol)
    assert set(jail.languages()) <= set(LANGUAGES.values())
    assert [language for language, _ in jail.toolchains()] == list(LANGUAGES.values())


ROOT = Path(__file__).parents[3]

KILLED_WORKER = """
import sys
from pathlib import Path
from backend.languages import PYTHON
from worker.sandbox import Sandbox

SPIN = b"import signal\\nsignal.signal(15, signal.SIG_IGN)\\nprint(1)\\nwhile True: pass\\n"
sandbox = Sandbox.open("bwrap", folder=Path(sys.argv[1]))
program = sandbox.build(PYTHON, SPIN)
frozen, running, waiting = (sandbox.start(program, reply_bytes=9) for _ in range(3))
frozen.ask("\\n", 5.0)
running.ask("\\n", 5.0)
print(frozen.pid, running.pid, flush=True)
running.ask("\\n", 100.0)
"""


def test_a_killed_worker_takes_its_bots_with_it(jail: Sandbox, tmp_path: Path) -> None:
    worker = subprocess.Popen(
        [sys.executable, "-c", KILLED_WORKER, str(tmp_path)], stdout=subprocess.PIPE, cwd=ROOT, text=True
    )
    assert worker.stdout is not None
    with worker, worker.stdout as output:
        bots = [os.pidfd_open(int(pid)) for pid in output.readline().split()]
        worker.kill()
    assert len(bots) == 2
    for bot in bots:
        assert select.select([bot], [], [], 30.0)[0], "the kernel ended it"
        os.close(bot)
    with Sandbox.open("bwrap", folder=tmp_path) as successor:
        successor.sweep()
        if hierarchies := successor._slots.hierarchies:
            prefix = successor._slots.prefix
            assert not [group for group in hierarchies.folders("any") for group in group.parent.glob(f"{prefix}*")]
        assert not list((tmp_path / "builds").glob("new-*"))


def test_workers_on_one_folder_leave_each_other_alone(jail: Sandbox) -> None:
    with Sandbox.open("bwrap", folder=jail.folder) as other:
        program = other.command(["cat"], jail.folder)
        with other.start(program, reply_bytes=9) as bot:
            bot.ask("1\n", 5.0)
            jail.sweep()
            assert bot.ask("2\n", 5.0).line == "2"


KILLED_OWNER = """
import os, subprocess, sys
from worker.sandbox import cgroup
hierarchies = cgroup.find_hierarchies(sys.argv[1] + "try")
group = cgroup.Group(hierarchies, sys.argv[1] + "0")
sleeper = subprocess.Popen(["sleep", "1000"])
group.admit(sleeper.pid)
group.freeze()
print(sleeper.pid, flush=True)
os.kill(os.getpid(), 9)
"""


def test_what_a_killed_owner_left_in_its_groups_is_swept(jail: Sandbox) -> None:
    hierarchies = jail._slots.hierarchies
    if hierarchies is None:
        pytest.skip("needs control groups")
    prefix = f"{slots.PREFIX}test.{os.getpid()}."
    arguments = [sys.executable, "-c", KILLED_OWNER, prefix]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, cwd=ROOT, text=True) as owner:
        assert owner.stdout is not None
        sleeper = os.pidfd_open(int(owner.stdout.readline()))
    cgroup.sweep(hierarchies, prefix)
    assert select.select([sleeper], [], [], 30.0)[0], "the kernel ended it"
    os.close(sleeper)


def test_what_has_an_owner_is_not_swept(jail: Sandbox) -> None:
    hierarchies = jail._slots.hierarchies
    if hierarchies is None:
        pytest.skip("needs control groups")
    prefix = f"{slots.PREFIX}test.{os.getpid()}."
    group = cgroup.Group(hierarchies, f"{prefix}1")
    cgroup.sweep(hierarchies, prefix)
    assert all(folder.exists() for folder in hierarchies.folders(f"{prefix}1"))
    group.close()
    assert not [folder for folder in hierarchies.folders(f"{prefix}1") if folder.exists()]


def test_a_forgotten_sandbox_gives_everything_back(tmp_path: Path, descriptors: Callable[[], set[str]]) -> None:
    before = descriptors()
    for _ in range(3):
        Sandbox.open("bwrap", folder=tmp_path)
    gc.collect()
    assert descriptors() == before
    assert [lock.name for lock in (tmp_path / "locks").iterdir()] == ["0"]
