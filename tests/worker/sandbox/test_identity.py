"""Becoming a slot's user: in one thread, for a moment, and its children for good."""

from __future__ import annotations

import os
import subprocess
import threading
from pathlib import Path

import pytest

from hexarena.worker.sandbox.identity import acting_as
from hexarena.worker.sandbox.root import MACHINE

USER = 61_999
only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
WAYS_BACK = """
import os, sys
problems = []
for attempt in (os.setuid, os.seteuid, os.setgid, lambda root: os.setresuid(root, root, root)):
    try:
        attempt(0)
    except PermissionError:
        continue
    problems.append("it became root")
capabilities = [line.split()[1] for line in open("/proc/self/status") if line.startswith(("CapPrm", "CapEff"))]
print(os.getresuid(), os.getresgid(), os.getgroups(), problems, {int(one, 16) for one in capabilities})
"""


def own_thread() -> dict[str, str]:
    """What the kernel says of this thread."""
    lines = Path(f"/proc/self/task/{threading.get_native_id()}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


@only_root
def test_a_child_is_somebody_else_for_good() -> None:
    python = MACHINE.find("python3")
    assert python is not None
    with acting_as(USER):
        said = subprocess.run([python, "-c", WAYS_BACK], capture_output=True, text=True, check=False, cwd="/")
    assert said.stdout == f"({USER}, {USER}, {USER}) ({USER}, {USER}, {USER}) [] [] {{0}}\n", said.stderr


@only_root
def test_only_this_thread_and_only_within_the_block() -> None:
    before, others = own_thread(), list[dict[str, str]]()
    look, over = threading.Event(), threading.Event()

    def watch() -> None:
        look.wait()
        others.append(own_thread())
        over.set()

    other = threading.Thread(target=watch)
    other.start()
    with acting_as(USER):
        within = own_thread()
        look.set()
        over.wait()
    other.join()
    after = own_thread()
    assert within["Uid"].split() == [str(USER), str(USER), "0", str(USER)]
    assert within["Groups"] == ""
    for name in ("Uid", "Gid", "Groups", "CapPrm", "CapEff"):
        assert others[0][name] == after[name] == before[name]


@only_root
def test_the_way_back_is_taken_after_an_error_too() -> None:
    with pytest.raises(ZeroDivisionError), acting_as(USER):
        raise ZeroDivisionError
    assert os.geteuid() == 0
    assert own_thread()["Uid"].split() == ["0", "0", "0", "0"]


def test_nobody_is_no_change() -> None:
    with acting_as(None):
        assert own_thread()["Uid"].split()[0] == str(os.getuid())


def test_others_than_root_may_not() -> None:
    if os.geteuid() == 0:
        with acting_as(USER), pytest.raises(PermissionError), acting_as(USER + 1):
            pass
        return
    with pytest.raises(PermissionError), acting_as(USER):
        pass
