"""`hexarena up`: all of the arena on one machine, as children of one process.

Starts the servers (unless their addresses are given), migrates, seeds, then runs worker, dispatcher, scheduler,
ratings, webhooks and API, and starts again what dies. Ctrl-C stops the children in order; matches that were running are
played again after the next start.
"""

from __future__ import annotations

import math
import os
import signal
import socket
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from rich.console import Console

from hexarena.backend.matches import workers
from hexarena.backend.matches.store import checked_store
from hexarena.backend.runtime import metrics, pages
from hexarena.backend.runtime.checkout import is_checkout
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.local import FolderLock, LocalServers, LocalServersError, Stopped
from hexarena.backend.runtime.parent import STOP_S
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.runtime.stopping import stopped_by
from hexarena.backend.submissions import seeding
from hexarena.cli import log_files, parts
from hexarena.games.catalogue import broken_games
from hexarena.worker.sandbox.root import open_root
from hexarena.worker.unsandboxed import refuse_other_users

LOOK_S = 0.1
WATCH_S = 0.5
"""How soon Ctrl-C, a part's next start, and the end of a server are noticed."""
RESTART_S = 1.0
LONGEST_PAUSE_S = 30.0
MOST_DOUBLINGS = 10
EARLY_S = 10.0
"""A child that ends sooner than this after its start will probably do so again."""
TAIL_LINES = 8


class PortTaken(Exception):
    """Another program listens on the port."""


@dataclass
class Child:
    """One part of the arena, as a process of its own."""

    name: str
    process: BaseProcess
    started_at: float = 0.0
    restart_at: float | None = None
    early_ends: int = 0


class ServerKeeper:
    """Starts our own servers again when they end, as PostgreSQL does on a full disk."""

    def __init__(self, servers: LocalServers, console: Console) -> None:
        self._servers = servers
        self._console = console
        self._started_at = -math.inf
        self._restart_at: float | None = None
        self._early_ends = 0

    def look(self) -> None:
        """Restarts a server that ended, after a growing pause if it keeps ending."""
        if (name := self._servers.died()) is None:
            return
        now = time.monotonic()
        if self._restart_at is None:
            self._early_ends = self._early_ends + 1 if now - self._started_at < EARLY_S else 0
            pause = _pause_s(self._early_ends)
            self._restart_at = now + pause
            log = self._servers.folder / f"{name}.log"
            self._say(f"{name} has stopped unexpectedly; see {log}. It starts again in {pause:g} s.")
        elif now >= self._restart_at:
            try:
                self._servers.restart(name)
                self._say(f"{name} runs again.")
            except Stopped:
                return
            except (LocalServersError, OSError) as error:
                self._say(str(error).splitlines()[-1])
            self._started_at, self._restart_at = time.monotonic(), None

    def _say(self, text: str) -> None:
        self._console.print(text, style="yellow", markup=False, highlight=False, soft_wrap=True)


def _pause_s(early_ends: int) -> float:
    """Before the next start of what ended early so many times in a row."""
    # What ends for days must not come to a number that no float can hold.
    return min(RESTART_S * float(2 ** min(early_ends, MOST_DOUBLINGS)), LONGEST_PAUSE_S)


def up(settings: Settings, console: Console) -> None:
    """Runs the arena until Ctrl-C or SIGTERM.

    Raises: LocalServersError, PortTaken, SandboxError, WrongStore, StoreError.
    """
    started = time.monotonic()
    stopping = threading.Event()
    with ExitStack() as stack, stopped_by(stopping, signal.SIGINT, signal.SIGTERM):
        stack.enter_context(FolderLock(settings.data_folder))
        _check_port(settings)
        parts.preload()
        open_root(settings.toolchains, isolated=settings.sandbox != "none")
        try:
            servers, environment = _servers(settings, stack, console, stopping)
        except Stopped:
            console.print("Stopped.")
            return
        _prepare(settings, environment, console)
        metrics.forget_all(settings.data_folder)
        children = [_start(name, environment) for name in parts.PARTS]
        stack.callback(_stop_all, children, console)
        _wait_for_page(settings, children, stopping)
        _wait_for_worker(environment, children[0].process, stopping)
        if not stopping.is_set():
            _print_address(settings, time.monotonic() - started, console)
        keeper = None if servers is None else ServerKeeper(servers, console)
        rotated_at = time.monotonic()
        while not stopping.is_set():
            wait([one.process.sentinel for one in children if one.restart_at is None], WATCH_S)
            _restart_ended(children, environment, console)
            if time.monotonic() - rotated_at > log_files.LOOK_S:
                rotated_at = time.monotonic()
                log_files.rotate(settings.data_folder)
            if keeper is not None:
                keeper.look()
        console.print("Stopping …")


def _print_address(settings: Settings, took_s: float, console: Console) -> None:
    """Where the page is; without isolation, with the token that lets it write (`backend/api/middleware/guard.py`)."""
    token = f"/#local={settings.local_token()}" if settings.sandbox == "none" else ""
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.host, settings.host)  # noqa: S104 - nothing listens here
    host = f"[{host}]" if ":" in host and not host.startswith("[") else host
    console.print(
        f"[bold]Hexarena is up at http://{host}:{settings.port}{token}[/bold]  ({took_s:.1f} s)  Ctrl-C stops it.",
        soft_wrap=True,
    )
    if token:
        console.print("Bots run without isolation: only a page that was opened at this address may write.")


def _check_port(settings: Settings) -> None:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            raise PortTaken(
                f"Cannot listen at {settings.host}:{settings.port}: {error.strerror}.\n"
                "Choose another port with HEXARENA_PORT, e.g. HEXARENA_PORT=8001."
            ) from None


def _servers(
    settings: Settings, stack: ExitStack, console: Console, stopping: threading.Event
) -> tuple[LocalServers | None, dict[str, str]]:
    """Our own servers unless both addresses are given; and the children's environment. Raises: Stopped."""
    environment = {**os.environ, "HEXARENA_DATA_FOLDER": str(settings.data_folder.resolve())}
    if settings.database_url and settings.redis_url:
        console.print("Using the database and broker of DATABASE_URL and REDIS_URL.")
        return None, environment
    servers = stack.enter_context(LocalServers(settings.data_folder, stopping=stopping))
    console.print(f"PostgreSQL and Valkey run in {settings.data_folder}/.")
    return servers, {
        **environment,
        "DATABASE_URL": settings.database_url or servers.database_url,
        "REDIS_URL": settings.redis_url or servers.redis_url,
    }


def _prepare(settings: Settings, environment: dict[str, str], console: Console) -> None:
    url = Settings(DATABASE_URL=environment["DATABASE_URL"]).sqlalchemy_url()
    database = Database(url, pool_size=1, idle_s=settings.transaction_idle_s)
    new = seeding.prepare(database)
    refuse_other_users(settings, database)
    checked_store(settings, database)
    database.close()
    console.print(f"The schema is up to date{f'; {new} house bots are new' if new else ''}.")
    for broken in broken_games():
        console.print(str(broken), style="yellow", markup=False, highlight=False)
    for title in pages.without_viewer(pages.pages_folder()):
        console.print(_without_viewer(title), style="yellow", markup=False, highlight=False)


def _without_viewer(title: str) -> str:
    """What helps where a game has no viewer: in a checkout, the start builds it from its source."""
    problem = f"{title} cannot be watched: expected a viewer.js in its folder"
    if is_checkout():
        return f"{problem}, or a viewer.ts and a start by `make run`."
    return f"{problem}. In a checkout of Hexarena, `python frontend/build.py` makes it from a viewer.ts."


def _start(name: str, environment: dict[str, str]) -> Child:
    return Child(name, parts.start(name, environment, _log_of(name, environment)), started_at=time.monotonic())


def _restart_ended(children: list[Child], environment: dict[str, str], console: Console) -> None:
    """Restarts children that ended, after a growing pause if they keep ending, and shows the end of their logs."""
    now = time.monotonic()
    for child in children:
        if child.process.exitcode is None:
            continue
        if child.restart_at is None:
            child.early_ends = child.early_ends + 1 if now - child.started_at < EARLY_S else 0
            pause = _pause_s(child.early_ends)
            child.restart_at = now + pause
            _kill_session(child.process)
            _print_exit(child, environment, pause, console)
        elif now >= child.restart_at:
            fresh = _start(child.name, environment)
            child.process, child.started_at, child.restart_at = fresh.process, fresh.started_at, None


def _print_exit(child: Child, environment: dict[str, str], pause: float, console: Console) -> None:
    log = _log_of(child.name, environment)
    tail: Sequence[str] = ()
    with suppress(OSError):  # it may have ended before it had a log, or the disk does not answer
        tail = log.read_text(errors="replace").splitlines()[-TAIL_LINES:]
    code = child.process.exitcode
    console.print(f"{child.name} ended with {code}; it starts again in {pause:g} s.", style="yellow")
    console.print(f"The end of {log}:\n" + "\n".join(tail), style="dim", markup=False, highlight=False)


def _log_of(name: str, environment: dict[str, str]) -> Path:
    return Path(environment["HEXARENA_DATA_FOLDER"]) / f"{name}.log"


def _wait_for_page(settings: Settings, children: list[Child], stopping: threading.Event) -> None:
    api = children[-1].process
    while not stopping.wait(LOOK_S) and api.exitcode is None:
        with socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET) as probe:
            if probe.connect_ex((settings.host, settings.port)) == 0:
                return


def _wait_for_worker(environment: dict[str, str], worker: BaseProcess, stopping: threading.Event) -> None:
    """An arena that cannot play yet would keep its first visitor waiting. Ends, too, if the worker does."""
    database = Database.of(Settings(DATABASE_URL=environment["DATABASE_URL"]), pool_size=1)
    while not stopping.wait(LOOK_S) and worker.exitcode is None:
        with database.transaction() as session:
            if workers.is_up(session, socket.gethostname(), worker.pid or 0):
                break
    database.close()


def _stop_all(children: list[Child], console: Console) -> None:
    """SIGTERM to all children, a grace period, then SIGKILL to their sessions."""
    for child in reversed(children):
        if child.process.exitcode is None:
            child.process.terminate()
    end = time.monotonic() + STOP_S
    for child in reversed(children):
        child.process.join(max(0.1, end - time.monotonic()))
        if child.process.exitcode is None:
            console.print(f"{child.name} took too long to stop and was killed; its work will be repeated.")
        _kill_session(child.process)
        child.process.join()
    console.print("Stopped. Nothing is lost; the next start continues from here.")


def _kill_session(process: BaseProcess) -> None:
    if process.pid is not None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
