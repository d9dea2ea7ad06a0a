"""`hexarena up`: its parts are forks of one process; whichever is killed, the arena goes on, or ends as a whole."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from hexarena.cli.parts import LONGEST_COMM, PARTS
from tests.conftest import wait_until
from tests.e2e.conftest import Arena

pytestmark = pytest.mark.sandbox


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    running = Arena(tmp_path_factory.mktemp("up"))
    running.start()
    yield running
    running.stop()
    print(running.said())


def found(arena: Arena) -> dict[str, int]:
    """Part -> the process that leads its session, of those that run."""
    names = {f"arena-{name}"[:LONGEST_COMM]: name for name in PARTS}
    there = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            name, of_ours = (folder / "comm").read_text().strip(), str(arena.folder).encode()
            leads = os.getpgid(int(folder.name)) == int(folder.name)
            if name in names and leads and of_ours in (folder / "environ").read_bytes():
                there[names[name]] = int(folder.name)
        except OSError:
            continue
    return there


def fork_server(arena: Arena) -> int:
    """The process that the parts are forked from."""
    (status,) = {Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1] for pid in found(arena).values()}
    return int(status)


@pytest.mark.long
def test_each_part_is_a_process_with_a_name_of_its_own(arena: Arena) -> None:
    wait_until(lambda: found(arena).keys() == PARTS.keys(), "all parts run")


@pytest.mark.long
def test_a_killed_part_starts_again_and_the_others_go_on(arena: Arena) -> None:
    before = found(arena)
    os.kill(before["scheduler"], signal.SIGKILL)
    wait_until(lambda: found(arena).get("scheduler", before["scheduler"]) != before["scheduler"], "it starts again")
    assert {**found(arena), "scheduler": 0} == {**before, "scheduler": 0}
    assert "scheduler ended with -9; it starts again in" in arena.said()


@pytest.mark.long
def test_without_the_process_that_they_were_forked_from_all_parts_start_again(arena: Arena) -> None:
    before, server = found(arena), fork_server(arena)
    os.kill(server, signal.SIGKILL)

    def all_are_new() -> bool:
        now = found(arena)
        return now.keys() == PARTS.keys() and not set(now.values()) & set(before.values())

    wait_until(all_are_new, "all parts start again")
    assert fork_server(arena) != server
    wait_until(arena.answers, "pages are served again")


@pytest.mark.long
def test_nothing_is_left_of_an_arena_whose_first_process_is_killed(tmp_path: Path) -> None:
    arena = Arena(tmp_path / "up")
    arena.start()
    wait_until(lambda: found(arena).keys() == PARTS.keys(), "all parts run")
    assert arena.process is not None
    arena.process.kill()
    arena.process.wait()
    wait_until(lambda: arena.left_over() == [], "all processes end")
