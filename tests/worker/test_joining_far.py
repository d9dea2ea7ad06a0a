"""Workers in network namespaces of their own: one that is cut off in mid-match, a slow line, a clock that is wrong.

The database wants passwords, the broker its users, and replays are in a bucket, as on machines that are far apart.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.request import Request, urlopen

import boto3
import pytest
from moto.server import ThreadedMotoServer
from redis import Redis
from sqlalchemy import select, text

from hexarena.backend.hosts import life as hosts
from hexarena.backend.matches import causes
from hexarena.backend.models import Match, Result, VoidAttempt, Worker
from hexarena.backend.runtime import migrate
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.local import LocalServers
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.status import figures
from hexarena.backend.submissions.seeding import seed
from tests.conftest import FORGETFUL, TRANSACTION_IDLE_S, Processes, free_port, wait_until
from tests.worker.test_arena import are_running, assert_each_counted_once, count_done, queue_slow_matches

pytestmark = pytest.mark.sandbox
EVERYWHERE = "0.0.0.0"  # noqa: S104 - for the namespaces
POSTGRES, VALKEY = 5432, 6379
DELAY_S = "0.05"
AHEAD_S = 3600
WRONG_CLOCK = r"""
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t id, struct timespec *now) {
    long failed = syscall(SYS_clock_gettime, id, now);
    if (!failed && id == CLOCK_REALTIME) now->tv_sec += AHEAD_S;
    return (int)failed;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    now->tv_sec = exact.tv_sec;
    now->tv_usec = exact.tv_nsec / 1000;
    return 0;
}
time_t time(time_t *out) {
    struct timespec exact;
    clock_gettime(CLOCK_REALTIME, &exact);
    if (out) *out = exact.tv_sec;
    return exact.tv_sec;
}
"""


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


@dataclass(frozen=True)
class Network:
    """Three namespaces, each with a line to this one, in which the servers have one address for all."""

    number: int

    @property
    def address(self) -> str:
        return f"10.213.{self.number}.1"

    def here(self, name: str) -> str:
        """This end of a line."""
        return f"10.213.{self.number}.{5 + 4 * self.names.index(name)}"

    def there(self, name: str) -> str:
        return f"10.213.{self.number}.{6 + 4 * self.names.index(name)}"

    def line(self, name: str) -> str:
        return f"hx{self.number}{name}"

    names = ("far", "slow", "clock")

    def make(self) -> None:
        ip("address", "add", f"{self.address}/32", "dev", "lo")
        for name in self.names:
            line = self.line(name)
            ip("netns", "add", line)
            ip("link", "add", line, "type", "veth", "peer", "name", "out", "netns", line)
            ip("address", "add", f"{self.here(name)}/30", "dev", line)
            ip("link", "set", line, "up")
            ip("-n", line, "address", "add", f"{self.there(name)}/30", "dev", "out")
            ip("-n", line, "link", "set", "out", "up")
            ip("-n", line, "link", "set", "lo", "up")
            ip("-n", line, "route", "add", "default", "via", self.here(name))

    def remove(self) -> None:
        for name in self.names:
            subprocess.run(["ip", "netns", "delete", self.line(name)], check=False, capture_output=True)
            subprocess.run(["ip", "link", "delete", self.line(name)], check=False, capture_output=True)
        subprocess.run(["ip", "address", "del", f"{self.address}/32", "dev", "lo"], check=False, capture_output=True)

    def inside(self, name: str) -> list[str]:
        """What comes before a command: unlike `ip netns exec` it leaves /sys, and so the control groups, alone."""
        return ["nsenter", f"--net=/run/netns/{self.line(name)}", "--"]


@pytest.fixture
def network() -> Iterator[Network]:
    made = Network(1 + os.getpid() % 250)
    if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("nsenter"):
        pytest.skip("only root makes network namespaces, with ip and nsenter")
    try:
        try:
            made.make()
        except subprocess.CalledProcessError as error:
            if "not permitted" not in error.stderr and "not supported" not in error.stderr:
                raise
            pytest.skip(f"no network namespaces here: {error.stderr.strip()}")
        yield made
    finally:
        made.remove()


@pytest.fixture
def bucket(network: Network, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A store that all namespaces see."""
    server = ThreadedMotoServer(ip_address=EVERYWHERE, port=0, verbose=False)
    server.start()
    url = f"http://{network.address}:{server.get_host_and_port()[1]}"
    own = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"}
    for name, value in {**own, "AWS_ENDPOINT_URL": url}.items():
        monkeypatch.setenv(name, value)
    urlopen(Request(f"{url}/moto-api/reset", method="POST")).close()
    boto3.client("s3", region_name="us-east-1").create_bucket(Bucket="arena")
    yield url
    server.stop()


@pytest.fixture
def own_arena(network: Network, bucket: str, tmp_path: Path) -> Iterator[Processes]:
    """An arena with servers that listen to the namespaces; its API, dispatcher and ratings run."""
    listen = ",".join([network.address, *map(network.here, network.names)])
    with LocalServers(tmp_path / "servers", postgres_settings=(*FORGETFUL, f"listen_addresses={listen}")) as servers:
        with (tmp_path / "servers" / "postgres" / "pg_hba.conf").open("a") as rules:
            rules.write("host all all 10.213.0.0/16 scram-sha-256\n")
        with Redis.from_url(servers.redis_url) as redis:
            for name, value in (("protected-mode", "no"), ("bind", listen.replace(",", " ")), ("port", str(VALKEY))):
                redis.config_set(name, value)
        settings = Settings(
            DATABASE_URL=servers.database_url,
            REDIS_URL=servers.redis_url,
            data_folder=tmp_path / "data",
            secret_key="for tests only",
            fill_in_s=0,
            lease_s=3,
            queue_lease_s=5,
            port=free_port(),
            transaction_idle_s=TRANSACTION_IDLE_S,
        )
        database = Database.of(settings, pool_size=1)
        migrate.upgrade(database)
        with database.transaction() as session:
            seed(session)
            session.query(Match).delete()
            session.execute(text("SELECT pg_reload_conf()"))
        database.close()
        parts = Processes(settings)
        parts.extra = {
            "HEXARENA_STORE": "s3://arena/x",
            "HEXARENA_HOST": EVERYWHERE,
            "HEXARENA_HOSTS": network.address,
            "HEXARENA_JOIN_DATABASE_URL": f"postgresql://{network.address}:{POSTGRES}/hexarena",
            "HEXARENA_JOIN_REDIS_URL": f"redis://{network.address}:{VALKEY}/0",
        }
        try:
            for module in ("backend.serve", "worker.dispatcher", "worker.ratings"):
                parts.start(f"hexarena.{module}")
            yield parts
        finally:
            for process in parts.running:
                parts.kill(process)
            print(parts.logs())
            print(*(f"== {path.parent.name}\n{path.read_text()}" for path in tmp_path.glob("*/joined.log")))


def start(arena: Processes, network: Network, name: str, token: str, **extra: str) -> subprocess.Popen[bytes]:
    """A worker in its namespace, once the API answers there."""
    folder = arena.settings.data_folder.parent / name
    folder.mkdir()
    foreign = ("DATABASE_URL", "REDIS_URL", "HEXARENA_", "AWS_")
    plain = {key: value for key, value in os.environ.items() if not key.startswith(foreign)}
    own = {"HEXARENA_JOIN_TOKEN": token, "HEXARENA_DATA_FOLDER": str(folder), "HEXARENA_DISK_RESERVE_BYTES": "0"}
    address = f"http://{network.address}:{arena.settings.port}"
    answers = [*network.inside(name), sys.executable, "-c", f"import urllib.request as u; u.urlopen('{address}')"]
    wait_until(lambda: subprocess.run(answers, check=False, capture_output=True).returncode == 0, "the API answers")
    command = [*network.inside(name), sys.executable, "-m", "hexarena.cli.app", "worker", "--join", address]
    with (folder / "joined.log").open("ab") as log:
        process = subprocess.Popen(
            command, env={**plain, **own, **extra}, stdout=log, stderr=log, start_new_session=True
        )
    arena.running.append(process)
    return process


def slow_line(arena: Processes, network: Network, bucket: str) -> None:
    """In its namespace the servers' address is one that passes everything on late."""
    line = network.line("slow")
    ip("-n", line, "address", "add", f"{network.address}/32", "dev", "lo")
    ports = (POSTGRES, VALKEY, arena.settings.port, int(bucket.rpartition(":")[2]))
    pairs = [f"{network.address}:{port}={network.here('slow')}:{port}" for port in ports]
    command = [*network.inside("slow"), sys.executable, "-m", "tests.worker.forwarding", DELAY_S, *pairs]
    arena.running.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True))


def wrong_clock(tmp_path: Path) -> str:
    """A library that puts the clock of a program forward."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    (tmp_path / "clock.c").write_text(WRONG_CLOCK)
    command = [compiler, "-shared", "-fPIC", f"-DAHEAD_S={AHEAD_S}", "-o", "clock.so", "clock.c"]
    subprocess.run(command, check=True, cwd=tmp_path)
    return str(tmp_path / "clock.so")


@pytest.mark.long
def test_one_is_cut_off_one_is_slow_one_has_the_wrong_clock(
    own_arena: Processes, network: Network, bucket: str, tmp_path: Path
) -> None:
    library = wrong_clock(tmp_path)
    database = Database(own_arena.settings.sqlalchemy_url(), idle_s=TRANSACTION_IDLE_S)
    with database.transaction() as session:
        tokens = {name: hosts.add(session, name)[1] for name in network.names}
    count = queue_slow_matches(database, 3)

    far = start(own_arena, network, "far", tokens["far"])
    wait_until(lambda: are_running(database), "a match runs")
    ip("link", "set", network.line("far"), "down")
    slow_line(own_arena, network, bucket)
    slow = start(own_arena, network, "slow", tokens["slow"])
    wait_until(lambda: count_done(database) == count, "another worker plays what the one that was cut off had")
    ip("link", "set", network.line("far"), "up")
    log = tmp_path / "far" / "joined.log"
    late = ("lost the lease of a match", "result discarded: lease lost")
    wait_until(lambda: any(one in log.read_text() for one in late), "it comes too late")
    assert far.poll() is None
    own_arena.kill(slow)

    queue_slow_matches(database, 1)
    wait_until(lambda: count_done(database) == count + 1, "the one that was cut off plays again")
    own_arena.kill(far)

    start(own_arena, network, "clock", tokens["clock"], LD_PRELOAD=library)
    queue_slow_matches(database, 1)
    wait_until(lambda: count_done(database) == count + 2, "the one with the wrong clock plays")

    assert_each_counted_once(database, count + 2)
    with database.transaction() as session:
        played = {worker.partition(":")[0] for worker in session.scalars(select(Result.worker))}
        assert played == {"slow", "far", "clock"}
        assert session.scalars(select(VoidAttempt.reason)).first() == causes.SILENT
        found = {one.host: one for one in figures.read(session).workers}
        hosts_of = session.scalars(select(Worker.host_id)).all()
    assert len(set(hosts_of)) == 3
    assert found["clock"].clock_wrong
    assert abs(found["clock"].clock_off_s - AHEAD_S) < 60
    assert not found["slow"].clock_wrong
    assert "this machine's clock is wrong" in (tmp_path / "clock" / "joined.log").read_text()
    database.close()
