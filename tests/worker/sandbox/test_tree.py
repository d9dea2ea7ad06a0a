"""All processes of a bot as one thing, in each of the ways in which this machine can do it."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hexarena.worker.sandbox import Sandbox, cgroup, slots, tree as tree_of
from hexarena.worker.sandbox.cgroup import Group, Hierarchies
from hexarena.worker.sandbox.tree import ProcessTree, Tree
from tests.conftest import PATIENCE_S, wait_until

FAMILY = """
import os, sys
sys.stdin.read(1)
if os.fork() == 0:
    os.fork()
    while True: pass
print("made", flush=True)
while True: pass
"""


@pytest.fixture(params=["walked", "groups", "groups without version 2"])
def tree(request: pytest.FixtureRequest, isolated: Sandbox) -> Iterator[Tree]:
    if request.param == "walked":
        yield ProcessTree()
        return
    found = isolated._slots.hierarchies
    if found is not None and request.param == "groups without version 2":
        found = _version_1_only(found)
    if found is None:
        pytest.skip("needs control groups of this kind")
    group = Group(found, f"{slots.PREFIX}test.998.{os.getpid()}")
    group.limit(memory_bytes=1 << 28, processes=20)
    yield group
    group.close()
    assert not [folder for folder in found.folders(f"{slots.PREFIX}test.998.{os.getpid()}") if folder.exists()]


def _version_1_only(found: Hierarchies) -> Hierarchies | None:
    accounting = cgroup.own_places().get("cpuacct")
    if accounting is None or found.memory == found.unified:
        return None
    return replace(found, unified=None, accounting=accounting)


@pytest.fixture
def family(tree: Tree) -> Iterator[subprocess.Popen[bytes]]:
    """Three processes that compute without end, the first of them ours."""
    parent = subprocess.Popen([sys.executable, "-c", FAMILY], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdin is not None
    assert parent.stdout is not None
    with parent:
        tree.admit(parent.pid)
        parent.stdin.write(b"x")
        parent.stdin.close()
        parent.stdout.readline()
        yield parent
        tree.kill()


def used_while_others_compute(tree: Tree) -> float:
    """CPU seconds that the tree gets while another program uses a fifth of a second."""
    before = tree.cpu_s()
    other = "import time\nend = time.process_time() + 0.2\nwhile time.process_time() < end: pass"
    subprocess.run([sys.executable, "-S", "-c", other], check=True)
    return tree.cpu_s() - before


@pytest.mark.long
def test_mounts_are_read_whatever_others_are_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = tmp_path / "mountinfo"
    listed.write_bytes(
        b"22 1 0:20 / /tmp rw - tmpfs  rw,size=9k\n"
        b"23 1 0:21 / /media/caf\xe9 rw - vfat /dev/sdb1 rw\n"
        b"24 1 0:22 / /a\xe2\x80\xa8b rw shared:1 - tmpfs none rw\n"
        b"29 1 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n"
        b"31 1 0:28 /here /sys/fs/cgroup/memory rw - cgroup  rw,memory\n"
    )
    monkeypatch.setattr(cgroup, "_MOUNTS", listed)
    assert list(cgroup._mounts()) == [
        ("", "/", Path("/sys/fs/cgroup")),
        ("rw", "/here", Path("/sys/fs/cgroup/memory")),
        ("memory", "/here", Path("/sys/fs/cgroup/memory")),
    ]


@pytest.mark.parametrize("there", [[], ["cgroup.procs"], ["cgroup.procs", "cgroup.freeze", "cpu.stat"]])
def test_a_group_that_cannot_be_opened_keeps_no_lock(
    tmp_path: Path, there: list[str], descriptors: Callable[[], set[str]]
) -> None:
    """The next bot of its slot waited for the lock of its own process, for ever."""
    (tmp_path / "slot").mkdir()
    for name in there:
        (tmp_path / "slot" / name).touch()
    before = descriptors()
    for _ in range(2):
        with pytest.raises(FileNotFoundError):
            Group(Hierarchies(tmp_path, tmp_path, tmp_path, None), "slot")
        assert descriptors() == before


def test_a_group_whose_lock_somebody_keeps_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroup, "OWNED_AFTER_S", 0.05)
    (tmp_path / "slot").mkdir()
    kept = os.open(tmp_path / "slot", os.O_RDONLY)
    fcntl.flock(kept, fcntl.LOCK_EX)
    with pytest.raises(TimeoutError, match="expected the lock of"):
        Group(Hierarchies(tmp_path, tmp_path, tmp_path, None), "slot")
    os.close(kept)


def test_a_tree_counts_and_freezes_all_of_its_processes(tree: Tree, family: subprocess.Popen[bytes]) -> None:
    assert used_while_others_compute(tree) > 0.05
    tree.freeze()
    used_while_others_compute(tree)
    assert used_while_others_compute(tree) < 0.02
    tree.thaw()
    assert used_while_others_compute(tree) > 0.05


@pytest.mark.parametrize(("processes", "times"), [(1, 1), (2, 3)])
def test_who_wakes_the_others_up_is_stopped_again(monkeypatch: pytest.MonkeyPatch, processes: int, times: int) -> None:
    """Of those that share their cores there is always one that is about to send another SIGCONT."""
    waiting = [subprocess.Popen(["cat"], stdin=subprocess.PIPE) for _ in range(processes)]
    pids, stops = {one.pid for one in waiting}, 0

    def send_all(which: set[int], number: signal.Signals) -> None:
        nonlocal stops
        stops += 1
        for pid in which:
            os.kill(pid, number)
            if stops < times:
                os.kill(pid, signal.SIGCONT)

    monkeypatch.setattr(tree_of, "send_all", send_all)
    assert tree_of.keep_stopped(lambda: pids) == pids
    assert stops >= times
    wait_until(lambda: all(map(tree_of._is_stopped, pids)), "all are stopped")
    for one in waiting:
        with one:
            one.kill()
    assert all(map(tree_of._is_stopped, pids)), "also those that are gone"


def test_a_frozen_tree_can_be_killed(
    tree: Tree, family: subprocess.Popen[bytes], descriptors: Callable[[], set[str]]
) -> None:
    before = descriptors()
    tree.freeze()
    tree.kill()
    assert family.wait(PATIENCE_S) == -9
    assert descriptors() == before
    assert not tree.ran_out_of_memory()
