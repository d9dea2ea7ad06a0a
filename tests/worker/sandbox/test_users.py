"""The users of root's bots: two arenas on one machine never share one, and a dead arena's are free again."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hexarena.backend.submissions.languages import PYTHON
from hexarena.worker.sandbox import Sandbox, SandboxFailed, users
from hexarena.worker.sandbox.slots import Slots
from hexarena.worker.sandbox.users import FIRST_USER, FOLDER, RANGES, USERS_EACH, claim

ROOT = Path(__file__).parents[3]
only_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root's bots run as other users")
HOLDER = """
import sys
from pathlib import Path
from hexarena.worker.sandbox.users import claim
first, _ = claim([Path(sys.argv[1])], set)
print(first, flush=True)
input()
"""
WHO = b"import os\ninput()\nopen('/tmp/mine', 'w').close()\nprint('ready')\ninput()\n"


@pytest.fixture
def claims(tmp_path: Path) -> Iterator[list[int]]:
    """Descriptors of ranges that the test took."""
    taken: list[int] = []
    yield taken
    for descriptor in taken:
        os.close(descriptor)


def take(place: Path, claims: list[int]) -> int:
    """The first user of another range."""
    first, descriptor = claim([place], set)
    claims.append(descriptor)
    return first


def lock_of(place: Path, number: int) -> Path:
    """The file that is locked for a range."""
    (place / FOLDER).mkdir(exist_ok=True)
    return place / FOLDER / str(number)


def test_ranges_are_disjoint_and_free_again(tmp_path: Path, claims: list[int]) -> None:
    first, second = take(tmp_path, claims), take(tmp_path, claims)
    assert (second - first) % USERS_EACH == 0
    assert second >= first + USERS_EACH
    os.close(claims.pop(0))
    assert take(tmp_path, claims) == first


def test_a_killed_holders_range_is_free_again(tmp_path: Path, claims: list[int]) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as holder:
        assert holder.stdout is not None
        held = int(holder.stdout.readline())
        assert take(tmp_path, claims) != held
        holder.kill()
        holder.wait()
    assert take(tmp_path, claims) == held


def test_there_is_an_end(tmp_path: Path, claims: list[int]) -> None:
    for number in range(RANGES):
        claims.append(os.open(lock_of(tmp_path, number), os.O_RDWR | os.O_CREAT, 0o600))
        fcntl.flock(claims[-1], fcntl.LOCK_EX)
    with pytest.raises(SandboxFailed, match=f"expected at most {RANGES} sandboxes"):
        claim([tmp_path])


def test_a_folder_of_somebody_elses_is_not_used(tmp_path: Path, claims: list[int]) -> None:
    """A link would lead to where others can lock, or to a file of root's that others chose."""
    elsewhere, place = tmp_path / "elsewhere", tmp_path / "place"
    elsewhere.mkdir()
    place.mkdir()
    (place / FOLDER).symlink_to(elsewhere)
    _, descriptor = claim([place, tmp_path], set)
    claims.append(descriptor)
    assert list(elsewhere.iterdir()) == []
    assert (tmp_path / FOLDER).is_dir()


def test_a_range_with_processes_is_passed_over(tmp_path: Path, claims: list[int]) -> None:
    first, descriptor = claim([tmp_path], lambda: {FIRST_USER + USERS_EACH - 1})
    claims.append(descriptor)
    assert first == FIRST_USER + USERS_EACH


@only_root
def test_processes_are_found_by_their_user() -> None:
    user = FIRST_USER + RANGES * USERS_EACH
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, user=user):
        assert {user, os.geteuid()} <= users.busy_users()


@only_root
@pytest.mark.sandbox
def test_bots_of_two_arenas_are_different_users(isolated: Sandbox, tmp_path: Path) -> None:
    with Sandbox.open("bwrap", folder=tmp_path) as other:
        found = []
        for sandbox in (isolated, other):
            with sandbox.start(sandbox.build(PYTHON, WHO), reply_bytes=100) as bot:
                assert bot.ask("\n", 5.0).line == "ready"
                found.append(Path(f"/proc/{bot.pid}").stat().st_uid)
    assert len(set(found)) == 2
    assert all(FIRST_USER <= user < FIRST_USER + RANGES * USERS_EACH for user in found)


@only_root
def test_a_closed_sandbox_gives_its_range_back(tmp_path: Path) -> None:
    slots = Slots(tmp_path, groups=False)
    first = slots.user(0)
    assert [slots.user(slot) for slot in (1, USERS_EACH - 1)] == [first + 1, first + USERS_EACH - 1]
    lock = (first - FIRST_USER) // USERS_EACH
    held = [link for link in Path("/proc/self/fd").iterdir() if link.exists() and link.readlink().name == str(lock)]
    assert any(users.FOLDER in str(link.readlink()) for link in held)
    slots.close()
    assert not any(users.FOLDER in str(link.readlink()) for link in held if link.is_symlink() and link.exists())
