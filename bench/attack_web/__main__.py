"""Starts arenas on loopback, attacks them, and prints what happened: `python -m hexarena.bench.attack_web`."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from urllib.error import URLError
from urllib.request import urlopen

from rich.console import Console
from rich.table import Table

from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.local import LocalServers
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import seeding
from hexarena.bench.attack_web import accounts, busy, collusion, duels, flood, rebinding, sleep, slow, zips
from hexarena.bench.attack_web.attacks import TRUSTED, Attack, Outcome, Target

MODULES = (rebinding, slow)
CROWDS = (sleep, busy, flood, accounts, duels, zips, collusion)
START_S = 600.0
IDLE_S = 60.0
DESCRIPTORS = 4_096


@contextmanager
def servers() -> Iterator[dict[str, str]]:
    """PostgreSQL and Valkey, prepared; the environment of an API that uses them."""
    with tempfile.TemporaryDirectory() as name, LocalServers(Path(name)) as own:
        url = Settings(DATABASE_URL=own.database_url).sqlalchemy_url()
        database = Database(url, pool_size=1, idle_s=IDLE_S)
        seeding.prepare(database)
        database.close()
        yield {
            **{key: value for key, value in os.environ.items() if not key.startswith("HEXARENA_")},
            "DATABASE_URL": own.database_url,
            "REDIS_URL": own.redis_url,
            "HEXARENA_DATA_FOLDER": name,
            "HEXARENA_TRANSACTION_IDLE_S": str(IDLE_S),
            "HEXARENA_PROXIES": TRUSTED,
        }


@contextmanager
def api(environment: dict[str, str], source: Path | None) -> Iterator[int]:
    """An API; its port. `source`: another checkout, whose code runs instead of this one's."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    path = {} if source is None else {"PYTHONPATH": str(source / "src")}
    # In a shell, for its limit of open files: as many as a process has by default on most systems.
    command = ["sh", "-c", f"ulimit -S -n 1024; exec {sys.executable} -m hexarena.backend.serve"]
    with (Path(environment["HEXARENA_DATA_FOLDER"]) / "api.log").open("ab") as log:
        process = subprocess.Popen(
            command, env={**environment, **path, "HEXARENA_PORT": str(port)}, stdout=log, stderr=log
        )
    try:
        if not _is_up(process, port):
            raise SystemExit("The API did not start:\n" + (Path(log.name).read_text()[-2000:]))
        yield port
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _is_up(process: subprocess.Popen[bytes], port: int) -> bool:
    end = time.monotonic() + START_S
    while time.monotonic() < end and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return True
        time.sleep(0.1)
    return False


def _tried(attack: Attack, environment: dict[str, str], source: Path | None) -> Outcome:
    """Each attack meets a server that no other one has met."""
    with api(environment, source) as port:
        target = Target(port)
        try:
            return attack.run(target)
        finally:
            target.close()


@contextmanager
def arena(source: Path | None) -> Iterator[str]:
    """A whole arena of its own, as `hexarena up` starts it; its address."""
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
        probe.close()
        ours = {key: value for key, value in os.environ.items() if not key.startswith("HEXARENA_")}
        own = {"DATABASE_URL": "", "REDIS_URL": "", "HEXARENA_DATA_FOLDER": folder, "HEXARENA_PORT": str(port)}
        path = {} if source is None else {"PYTHONPATH": str(source / "src")}
        with (Path(folder) / "up.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "hexarena.cli.app", "up"], env={**ours, **own, **path}, stdout=log, stderr=log
            )
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_for_health(process, url)
            yield url
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_for_health(process: subprocess.Popen[bytes], url: str) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end and process.poll() is None:
        with suppress(URLError, OSError), urlopen(f"{url}/api/v1/health", timeout=10) as answer:  # noqa: S310 - loopback
            if json.load(answer)["ok"]:
                return
        time.sleep(0.5)
    raise SystemExit("The arena did not start.")


def _crowded(module: ModuleType, source: Path | None) -> Outcome:
    """Each attack meets an arena that no other one has met: they would share the limits of an address."""
    with arena(source) as url:
        outcome: Outcome = asyncio.run(module.run(url))
        return outcome


def main() -> int:
    """Runs all attacks, or those whose name contains a word. Fails if one misses its goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="only attacks whose name contains one of these")
    parser.add_argument("--source", type=Path, metavar="FOLDER", help="another checkout to attack, for comparison")
    chosen = parser.parse_args()
    attacks: list[Attack] = [attack for module in MODULES for attack in module.ATTACKS]

    def is_chosen(name: str) -> bool:
        return not chosen.words or any(word in name for word in chosen.words)

    if not any(is_chosen(name) for name in (*(one.name for one in attacks), *(one.NAME for one in CROWDS))):
        parser.error(f"expected words of an attack's name; got {', '.join(chosen.words)}")
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS if hard < 0 else min(DESCRIPTORS, hard), hard))
    table = Table("attack", "before", "now", "goal", "pass")
    passed = True

    def add(name: str, before: str, goal: str, outcome: Outcome) -> None:
        nonlocal passed
        passed &= outcome.passed
        table.add_row(name, before, outcome.now, goal, "yes" if outcome.passed else "NO")
        print(f"{name}: {outcome.now}", file=sys.stderr, flush=True)

    with servers() as environment:
        for attack in attacks:
            if is_chosen(attack.name):
                add(attack.name, attack.before, attack.goal, _tried(attack, environment, chosen.source))
    for module in CROWDS:
        if is_chosen(module.NAME):
            add(module.NAME, module.BEFORE, module.GOAL, _crowded(module, chosen.source))
    Console().print(table)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
