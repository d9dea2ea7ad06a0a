"""Real workers with real servers, killed or told to stop: what they were doing ends well, and nothing of it is left."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select as query

from hexarena.backend.app import make_app
from hexarena.backend.matches.workers import listed
from hexarena.backend.models import Match, MatchState, Worker
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.parent import ends_with_parent
from hexarena.worker.sandbox.root import MACHINE
from hexarena.worker.sandbox.slots import MOST_SANDBOXES
from tests.cli.test_cli import answers
from tests.conftest import PATIENCE_S, TRANSACTION_IDLE_S, Processes, free_port, wait_until
from tests.worker.sandbox.test_kill import descendants, groups, is_held, running_with, start_next, token
from tests.worker.test_arena import assert_each_counted_once, count_done, queue_slow_matches

pytestmark = pytest.mark.sandbox


def sandboxed(processes: Processes) -> set[int]:
    """Processes of bots and builds of this arena, whoever their parents are."""
    return running_with(token(sandbox_folder(processes)), "environ")


def compilers(processes: Processes) -> set[int]:
    """Those of them that compile."""
    return sandboxed(processes) & running_with("cc1plus", "comm")


def sandbox_folder(processes: Processes) -> Path:
    """Where this arena's workers keep what is theirs."""
    return (processes.settings.data_folder / "worker").resolve()


def assert_nothing_is_left(processes: Processes) -> None:
    """When no worker runs."""
    folder = sandbox_folder(processes)
    assert sandboxed(processes) == set()
    assert groups(token(folder)) == []
    assert list((folder / "scratch").iterdir()) == []
    assert [lock.name for lock in (folder / "locks").iterdir() if is_held(lock)] == []


def count_running(database: Database) -> int:
    """Matches that are being played."""
    with database.transaction() as session:
        return session.scalar(query(func.count()).where(Match.state == MatchState.RUNNING)) or 0


KILLS: dict[str, Callable[[subprocess.Popen[bytes]], list[int]]] = {
    "a pool process": lambda worker: sorted(descendants_of_pool(worker))[:1],
    "all of it": lambda worker: [worker.pid, *descendants_of_pool(worker)],
}


def descendants_of_pool(worker: subprocess.Popen[bytes]) -> list[int]:
    """The pool processes."""
    return [int(pid) for pid in Path(f"/proc/{worker.pid}/task/{worker.pid}/children").read_text().split()]


SLOW_TO_BUILD = b"""
constexpr long spin(long n) {
    long sum = 0;
    for (long i = 0; i < n; i++) for (long j = 0; j < n; j++) sum += i ^ j;
    return sum;
}
constexpr long a = spin(5000), b = spin(5001), c = spin(5002), d = spin(5003), e = spin(5004), f = spin(5005);
int main() { return a + b + c + d + e + f; }
"""


@pytest.mark.long
@pytest.mark.parametrize("killed", ["a pool process", "all of it"])
def test_nothing_of_a_build_is_left_after_the_next_start(processes: Processes, database: Database, killed: str) -> None:
    if MACHINE.find("g++") is None:
        pytest.skip("needs g++")
    with TestClient(make_app(processes.settings)) as visitor:
        body = {"game": "yavalath", "bot": "slow", "language": "cpp", "source": SLOW_TO_BUILD.decode()}
        assert visitor.post("/api/v1/submissions", json=body).status_code == 201
    processes.start("hexarena.worker.dispatcher")
    worker = processes.start("hexarena.worker.app")
    wait_until(lambda: compilers(processes) & descendants(worker.pid), "it compiles")
    watched = watch(descendants(worker.pid))
    for pid in KILLS[killed](worker):
        os.kill(pid, signal.SIGKILL)
    if "pool" not in killed:
        worker.wait()
        worker = processes.start("hexarena.worker.app")
    wait_until(lambda: compilers(processes) & descendants(worker.pid), "it compiles again")
    for pid in KILLS["all of it"](worker):
        os.kill(pid, signal.SIGKILL)
    worker.wait()
    wait_until(lambda: not any(is_alive(process) for process in watched), "nothing of the killed one runs")
    start_next(sandbox_folder(processes))
    assert_nothing_is_left(processes)


def watch(pids: Iterable[int]) -> list[int]:
    """Pidfds of those that have not ended in the meantime."""
    found = []
    for pid in pids:
        with suppress(ProcessLookupError):
            found.append(os.pidfd_open(pid))
    return found


def is_alive(process: int) -> bool:
    """`process`: a pidfd."""
    try:
        signal.pidfd_send_signal(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.long
def test_a_worker_that_is_told_to_stop_ends_its_matches_first(processes: Processes, database: Database) -> None:
    queue_slow_matches(database, 3)
    processes.start("hexarena.worker.dispatcher")
    worker = processes.start("hexarena.worker.app")
    wait_until(lambda: count_running(database), "a match runs")
    watched = watch(descendants(worker.pid))
    done = count_done(database)
    worker.terminate()
    assert worker.wait(PATIENCE_S) == 0
    assert count_done(database) > done
    assert count_running(database) == 0
    with database.transaction() as session:
        assert not session.scalars(query(Worker.name).where(listed())).all(), "it did not end by itself"
    assert not any(is_alive(process) for process in watched)
    assert_nothing_is_left(processes)


@pytest.mark.long
@pytest.mark.parametrize(
    "signals",
    [(signal.SIGTERM, signal.SIGTERM), (signal.SIGQUIT,)],
    ids=lambda signals: ", ".join(one.name for one in signals),
)
def test_whoever_stops_a_worker_twice_or_at_once_leaves_nothing_after_the_next_start(
    processes: Processes, database: Database, signals: tuple[signal.Signals, ...]
) -> None:
    count = queue_slow_matches(database, 3)
    processes.start("hexarena.worker.dispatcher")
    processes.start("hexarena.worker.ratings")
    worker = processes.start("hexarena.worker.app")
    wait_until(lambda: count_running(database), "a match runs")
    watched = watch(descendants(worker.pid))
    for number in signals:
        worker.send_signal(number)
        select.select([], [], [], 1.0)
    worker.wait(PATIENCE_S)
    wait_until(lambda: not any(is_alive(process) for process in watched), "nothing of it runs")
    worker = processes.start("hexarena.worker.app")
    wait_until(lambda: count_done(database) == count, "all matches are done")
    assert_each_counted_once(database, count)
    worker.terminate()
    assert worker.wait(PATIENCE_S) == 0
    assert_nothing_is_left(processes)


@pytest.mark.long
def test_processes_of_the_pool_that_cannot_be_opened_are_replaced(processes: Processes) -> None:
    locks = sandbox_folder(processes) / "locks"
    locks.mkdir(parents=True)
    numbers = [locks / str(number) for number in range(MOST_SANDBOXES)]
    with ExitStack() as held:
        for number in numbers[1:]:
            fcntl.flock(held.enter_context(number.open("w")), fcntl.LOCK_EX)
        worker = processes.start("hexarena.worker.app")
        wait_until(lambda: "could not be opened" in processes.logs(), "the pool has more processes than sandboxes")
    count = processes.settings.worker_processes + processes.settings.spare_processes
    wait_until(lambda: sum(map(is_held, numbers)) == count == len(descendants_of_pool(worker)), "each has its sandbox")


# --- The arena of one machine --------------------------------------------------------------------------------------


@pytest.fixture
def start_up(tmp_path: Path) -> Iterator[Callable[[], subprocess.Popen[bytes]]]:
    """Starts `hexarena up` with servers of its own, always on the same folder; returns when it answers."""
    foreign = ("DATABASE_URL", "REDIS_URL")
    own = {
        "HEXARENA_DATA_FOLDER": str(tmp_path / "data"),
        "HEXARENA_PORT": str(free_port()),
        "HEXARENA_TRANSACTION_IDLE_S": str(TRANSACTION_IDLE_S),
    }
    environment = {**{name: value for name, value in os.environ.items() if name not in foreign}, **own}
    started = []

    def start() -> subprocess.Popen[bytes]:
        with (tmp_path / "up.log").open("ab") as log:
            command = [*ends_with_parent("TERM"), sys.executable, "-m", "hexarena.cli.app", "up"]
            up = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
        started.append(up)
        wait_until(lambda: answers(f"http://127.0.0.1:{own['HEXARENA_PORT']}/api/v1/health"), "it answers")
        return up

    yield start
    for up in started:
        if up.poll() is None:
            up.terminate()
            up.wait(PATIENCE_S)
    print((tmp_path / "up.log").read_text())


@pytest.mark.long
def test_all_parts_of_an_arena_end_with_its_main_process(
    start_up: Callable[[], subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    folder = tmp_path / "data" / "worker"
    up = start_up()
    wait_until(lambda: running_with(token(folder), "environ"), "the ladder plays")
    watched = watch(descendants(up.pid))
    up.kill()
    up.wait()
    wait_until(lambda: not any(is_alive(process) for process in watched), "all of them have ended")
    up = start_up()
    wait_until(lambda: running_with(token(folder), "environ"), "the ladder plays on")
    watched = watch(descendants(up.pid))
    up.terminate()
    assert up.wait(PATIENCE_S) == 0
    wait_until(lambda: not any(is_alive(process) for process in watched), "all of them have ended")
    start_next(folder)
    assert groups(token(folder)) == []
    assert list((folder / "scratch").iterdir()) == []
    assert running_with(str(tmp_path / "data"), "cmdline") == set()
