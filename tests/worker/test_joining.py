"""Workers join an arena from elsewhere: over TCP, with a token, as a database role that may do nothing else."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from fastapi.testclient import TestClient
from redis import Redis
from sqlalchemy import func, select

from hexarena.backend.hosts import life as hosts
from hexarena.backend.matches import causes, workers
from hexarena.backend.models import (
    PENDING,
    Host,
    Match,
    MatchSeat,
    MatchState,
    Result,
    Source,
    Submission,
    SubmissionState,
    VoidAttempt,
    Worker,
)
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.worker import joining
from hexarena.worker.identity import Identity
from hexarena.worker.joining import Membership
from tests.conftest import PATIENCE_S, Processes, Servers, free_port, wait_until
from tests.worker.test_arena import are_running, queue_slow_matches
from tests.worker.test_in_person import begin, play_on

pytestmark = pytest.mark.sandbox
API = "/api/v1"


def test_workers_with_equal_names_and_numbers_are_distinguished() -> None:
    one, other = Identity.of_this_process("lab-7", 1), Identity.of_this_process("lab-7", 1)
    assert one.name != other.name
    assert one.name.startswith(f"lab-7:{os.getpid()}-")
    own = Identity.of_this_process()
    assert (own.is_elsewhere, one.is_elsewhere, own.name.count(":")) == (False, True, 1)


@pytest.fixture
def network(settings: Settings, tmp_path: Path) -> Iterator[Settings]:
    """The arena with servers that TCP reaches: what passes their bytes on is on loopback."""
    sockets = parse_qs(urlsplit(settings.database_url).query)["host"][0]
    database, broker = free_port(), free_port()
    valkey = unquote(urlsplit(settings.redis_url).path)
    pairs = [f"127.0.0.1:{database}={sockets}/.s.PGSQL.5432", f"127.0.0.1:{broker}={valkey}"]
    command = [sys.executable, "-m", "tests.worker.forwarding", "0", *pairs]
    forwarding = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert forwarding.stdout is not None
    assert forwarding.stdout.readline() == b"ready\n"
    name = urlsplit(settings.database_url).path
    yield settings.model_copy(
        update={
            "join_database_url": f"postgresql://127.0.0.1:{database}{name}",
            "join_redis_url": f"redis://127.0.0.1:{broker}/0",
            "port": free_port(),
        }
    )
    forwarding.kill()
    forwarding.wait()
    forwarding.stdout.close()


@pytest.fixture
def arena(network: Settings, processes: Processes, database: Database, servers: Servers) -> Iterator[Processes]:
    """Its API and its dispatcher run."""
    processes.settings = network
    processes.extra = {
        "HEXARENA_JOIN_DATABASE_URL": network.join_database_url,
        "HEXARENA_JOIN_REDIS_URL": network.join_redis_url,
    }
    processes.start("hexarena.backend.serve")
    processes.start("hexarena.worker.dispatcher")
    yield processes
    with database.transaction() as session, Redis.from_url(servers.redis_url) as redis:
        for name in session.scalars(select(Host.name)).all():
            hosts.remove(session, redis, name)


def token_of(database: Database, name: str = "lab-7") -> str:
    with database.transaction() as session:
        return hosts.add(session, name)[1]


def join(arena: Processes, token: str, folder: Path, **extra: str) -> subprocess.Popen[bytes]:
    """Starts a worker with nothing but an address and a token. Its log is in its folder."""
    folder.mkdir(exist_ok=True)
    address = extra.pop("address", f"http://127.0.0.1:{arena.settings.port}")
    foreign = ("DATABASE_URL", "REDIS_URL", "HEXARENA_", "AWS_")
    plain = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    own = {"HEXARENA_JOIN_TOKEN": token, "HEXARENA_DATA_FOLDER": str(folder), "HEXARENA_DISK_RESERVE_BYTES": "0"}
    with (folder / "joined.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "hexarena.cli.app", "worker", "--join", address],
            env={**plain, **own, **extra},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    arena.running.append(process)
    return process


def refusal(process: subprocess.Popen[bytes], folder: Path) -> str:
    """What a worker says that cannot join."""
    assert process.wait(PATIENCE_S) == 2
    return " ".join((folder / "joined.log").read_text().split())


def is_served(arena: Processes) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", arena.settings.port), 1):
        return True
    return False


def logs(arena: Processes, folder: Path) -> str:
    return arena.logs() + (folder / "joined.log").read_text()


# --- It plays --------------------------------------------------------------------------------------------------------

NO_LOOP = "while True print()"
"""No Python."""


def submitted(client: TestClient, source: str, name: str) -> int:
    body = {"game": "yavalath", "bot": name, "language": "python", "source": source}
    answer = client.post(f"{API}/submissions", json=body)
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


@pytest.mark.long
def test_a_joined_worker_does_all_that_a_worker_does_with_its_own_role(
    arena: Processes, client: TestClient, database: Database, settings: Settings
) -> None:
    wait_until(lambda: is_served(arena), "the API answers")
    token = token_of(database)
    folder = settings.data_folder  # mounted there, so that it sees the same store
    worker = join(arena, token, folder)
    good = submitted(client, find_starter(client), "good")
    crashing = submitted(client, "raise SystemExit(1)", "crashing")
    broken = submitted(client, NO_LOOP, "broken")
    wait_until(lambda: states(database, [good, crashing, broken]).isdisjoint(PENDING), "all are judged")
    with database.transaction() as session:
        found = {one.id: one for one in session.scalars(select(Submission))}
    assert found[good].state == SubmissionState.LIVE
    assert found[crashing].state == found[broken].state == SubmissionState.FAILED
    assert "SyntaxError" in str(found[broken].build_log)
    next_version = submitted(client, find_starter(client) + "\n", "good")
    wait_until(lambda: states(database, [next_version]) == {SubmissionState.LIVE}, "a version replaces another one")
    practice = {"game": "yavalath", "language": "python", "source": NO_LOOP}
    unbuilt = client.post(f"{API}/matches", json=practice).json()["id"]
    wait_until(lambda: client.get(f"{API}/matches/{unbuilt}").json()["state"] == "void", "it cannot be built")
    assert "could not be built" in client.get(f"{API}/matches/{unbuilt}").json()["void_reason"]
    person = begin(client)["id"]
    play_on(client, person, 2)
    client.post(f"{API}/in-person/{person}/resign")
    wait_until(lambda: client.get(f"{API}/matches/{person}").json()["state"] == "done", "the person resigned")
    with database.transaction() as session:
        (row,) = session.scalars(select(Worker))
        results = session.scalars(select(Result)).all()
        assert {result.worker for result in results} == {row.name}
        assert all(result.toolchains == {"python": row.toolchains["python"]} for result in results)
        assert row.name.startswith(f"lab-7:{worker.pid}-")
        assert (row.host_id is not None, abs(row.clock_off_s) < 5) == (True, True)
        assert session.scalar(select(func.count()).select_from(VoidAttempt)) == 0
    said = logs(arena, folder)
    assert "permission denied" not in said
    assert token not in said
    assert "hexarena_host_" not in said
    assert token.encode() not in Path(f"/proc/{worker.pid}/cmdline").read_bytes()


def find_starter(client: TestClient) -> str:
    starters = client.get(f"{API}/games/yavalath/starters").json()
    return str(next(one["source"] for one in starters if one["language"] == "python"))


def states(database: Database, ids: list[int]) -> set[SubmissionState]:
    with database.transaction() as session:
        return set(session.scalars(select(Submission.state).where(Submission.id.in_(ids))))


@pytest.mark.long
def test_a_build_that_fails_elsewhere_condemns_no_version_that_is_on_the_ladder(
    arena: Processes, database: Database, settings: Settings
) -> None:
    wait_until(lambda: is_served(arena), "the API answers")
    queue_slow_matches(database, 1)
    with database.transaction() as session:
        seat = session.scalars(select(MatchSeat.submission_id).where(MatchSeat.seat == 0)).one()
        digest = hashlib.sha256(NO_LOOP.encode()).hexdigest()
        session.add(Source(sha256=digest, body=NO_LOOP.encode()))
        session.flush()
        session.get_one(Submission, seat).source_sha256 = digest
    join(arena, token_of(database), settings.data_folder)

    def reasons() -> list[str]:
        with database.transaction() as session:
            return list(session.scalars(select(VoidAttempt.reason)))

    wait_until(reasons, "an attempt is void")
    with database.transaction() as session:
        assert session.scalar(select(Submission.state).where(Submission.id == seat)) == SubmissionState.LIVE
        assert set(session.scalars(select(Match.state))) == {MatchState.QUEUED}
    assert set(reasons()) == {causes.NOT_BUILT_ELSEWHERE}


# --- It cannot join --------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_what_keeps_a_worker_from_joining_is_said(arena: Processes, database: Database, tmp_path: Path) -> None:
    wait_until(lambda: is_served(arena), "the API answers")
    token = token_of(database)
    wrong = join(arena, "hxh_" + "a" * 43, tmp_path / "wrong")
    nobody = join(arena, token, tmp_path / "nobody", address=f"http://127.0.0.1:{free_port()}")
    no_address = join(arena, token, tmp_path / "no_address", address="arena.example.org")
    local = join(arena, token, tmp_path / "local")
    assert "This token does not exist." in refusal(wrong, tmp_path / "wrong")
    assert "No arena answers at" in refusal(nobody, tmp_path / "nobody")
    assert "Expected the address of an arena" in refusal(no_address, tmp_path / "no_address")
    assert local.wait(PATIENCE_S) != 0
    said = (tmp_path / "local" / "joined.log").read_text()
    assert "is not the arena's: it has no marker" in said
    assert not (tmp_path / "local" / "blobs" / "arena-id").exists()
    arena.extra["HEXARENA_JOIN_DATABASE_URL"] = f"postgresql://127.0.0.1:{free_port()}/arena"
    arena.settings = arena.settings.model_copy(update={"port": free_port()})
    arena.start("hexarena.backend.serve")
    wait_until(lambda: is_served(arena), "the other API answers")
    unreachable = refusal(join(arena, token, tmp_path / "unreachable"), tmp_path / "unreachable")
    assert "The arena's database at 127.0.0.1:" in unreachable
    assert "HEXARENA_JOIN_DATABASE_URL" in unreachable
    everything = "".join(path.read_text() for path in tmp_path.glob("*/joined.log")) + arena.logs()
    assert token not in everything
    assert "hexarena_host_" not in everything


@pytest.mark.long
def test_a_worker_whose_host_was_removed_ends_and_says_why(
    arena: Processes, database: Database, servers: Servers, tmp_path: Path
) -> None:
    wait_until(lambda: is_served(arena), "the API answers")
    folder = arena.settings.data_folder
    worker = join(arena, token_of(database), folder)
    wait_until(lambda: workers_up(database), "it is up")
    queue_slow_matches(database, 1)
    wait_until(lambda: are_running(database), "it plays")
    with database.transaction() as session, Redis.from_url(servers.redis_url) as redis:
        hosts.remove(session, redis, "lab-7")
    said = refusal(worker, folder)
    assert "this worker no longer belongs to the arena: it ends" in said
    assert "This token does not exist." in said


@pytest.mark.parametrize(
    ("address", "token", "said"),
    [
        ("http://127.0.0.1:1", "hxh_abc…", "Expected the token as `hexarena host add` printed it"),
        ("http://127.0.0.1:1", "hxh_a\nb", "Expected the token as `hexarena host add` printed it"),
        ("http://[::1", "hxh_abc", "Expected the address of an arena, such as https://arena.example.org; got http://["),
        (f"http://{'a' * 70}.example", "hxh_abc", "Expected the address of an arena"),
        ("http://127.0.0.1:1", " hxh_abc\n", "No arena answers at http://127.0.0.1:1"),
    ],
)
def test_an_address_or_token_that_is_none_is_refused(address: str, token: str, said: str, settings: Settings) -> None:
    with pytest.raises(joining.JoinFailed, match=re.escape(said)):
        joining.join(address, token, settings)


def test_an_arena_that_does_not_answer_has_not_said_that_a_worker_does_not_belong_to_it(settings: Settings) -> None:
    membership = Membership(f"http://127.0.0.1:{free_port()}", "hxh_" + "a" * 43, settings)
    assert membership.ask() == membership.left == ""


def workers_up(database: Database) -> int:
    with database.transaction() as session:
        return workers.count(session)
