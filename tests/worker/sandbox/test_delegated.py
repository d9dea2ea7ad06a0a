"""Control groups that root gave to an ordinary user, as systemd does: that user's sandboxes have full isolation."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from hexarena.worker.sandbox import cgroup

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can give groups to somebody"),
]

ROOT = Path(__file__).parents[3]
USER = 65_530
AS_USER = """
import os, sys, tempfile
from pathlib import Path
from hexarena.worker.sandbox import Sandbox, cgroup, self_test
user, bot, *places = sys.argv[1:]
for place in places:
    Path(place, 'cgroup.procs').write_text(str(os.getpid()))
os.setgroups([])
os.setresgid(*[int(user)] * 3)
os.setresuid(*[int(user)] * 3)
"""
BOT = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
input()
reading, writing = os.pipe()
if os.fork() == 0:
    while time.process_time() < 0.1:
        pass
    os._exit(0)
os.close(writing)
os.read(reading, 1)
print(1)
"""
PLAY = """
with tempfile.TemporaryDirectory() as folder, Sandbox.open('bwrap', folder=Path(folder)) as sandbox:
    print(*sorted(sandbox.promises))
    print([check for check in self_test(sandbox) if not check.passed])
    program = sandbox.command(['python3', '-u', '-c', bot], Path('/usr/share'))
    with sandbox.start(program, reply_bytes=9) as bot:
        print(bot.ask('\\n', 5.0).cpu_s > 0.09)
"""
MAKE_ROOM = """
own = cgroup.own_places()['']
print(cgroup._enable(own, {'hugetlb'}, own=False), cgroup._enable(own, {'hugetlb'}, own=True))
print(own.joinpath('cgroup.procs').read_text().split(), Path('/proc/self/cgroup').read_text().split('0::')[1].strip())
"""


@pytest.fixture
def given() -> Iterator[list[Path]]:
    """A new group in each hierarchy that sandboxes need, which belongs to the user."""
    if not all(parent.stat().st_mode & 0o001 for parent in ROOT.parents):
        pytest.skip("other users than root cannot read this project")
    own = cgroup.own_places()
    parents = {own[name] for name in ("memory", "pids", "cpuacct", "") if name in own}
    made = []
    try:
        for parent in parents:
            group = parent / f"delegated-{uuid.uuid4().hex}"
            group.mkdir()
            made.append(group)
            for path in (group, *group.glob("cgroup.*")):
                shutil.chown(path, USER, USER)
        yield made
    except OSError as error:
        pytest.skip(f"root cannot make groups here: {error}")
    finally:
        for group in made:
            for folder in (*group.iterdir(), group):
                with suppress(OSError):
                    folder.rmdir()


def run_as_user(given: list[Path], script: str) -> list[str]:
    """What a script prints that the user runs inside the groups. It is loaded before, as root."""
    said = subprocess.run(
        [sys.executable, "-c", AS_USER + script, str(USER), BOT, *map(str, given)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 0, said.stderr
    return said.stdout.splitlines()


@contextmanager
def given_away(parent: Path, group: Path, controller: str) -> Iterator[None]:
    """Within the block, groups in `parent` have the controller."""
    before = (parent / "cgroup.subtree_control").read_text().split()
    with suppress(OSError):
        (parent / "cgroup.subtree_control").write_text(f"+{controller}")
    if controller not in (group / "cgroup.controllers").read_text().split():
        pytest.skip("the machine's own group gives no controllers away")
    yield
    if controller not in before:
        with suppress(OSError):
            (group / "cgroup.subtree_control").write_text(f"-{controller}")
            (parent / "cgroup.subtree_control").write_text(f"-{controller}")


def test_an_ordinary_user_with_groups_has_full_isolation(given: list[Path]) -> None:
    promises, failed, counted = run_as_user(given, PLAY)
    assert promises.split() == ["cpu", "freezer", "isolation", "memory", "processes"]
    assert failed == "[]"
    assert counted == "True", "the time of a child that nobody waited for"
    assert not [left for group in given for left in group.glob("hexarena.*")]


def test_a_group_with_processes_makes_room(given: list[Path]) -> None:
    """With hugetlb, since a machine with version 1 has none of the other controllers here."""
    own = cgroup.own_places().get("")
    if own is None or "hugetlb" not in (own / "cgroup.controllers").read_text().split():
        pytest.skip("needs a controller of version 2")
    (group,) = [group for group in given if group.parent == own]
    with given_away(own, group, "hugetlb"):
        answers, where = run_as_user(given, MAKE_ROOM)
    assert answers == "False True"
    left, _, place = where.partition(" ")
    assert left == "[]"
    assert place.endswith(f"/{group.name}/{cgroup.PROCESSES}")
