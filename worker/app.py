"""The Celery worker: tests the sandbox, then plays matches in its pool processes and sends heartbeats."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import structlog
from celery import Celery
from celery.platforms import SecurityWarning
from celery.signals import worker_process_init, worker_process_shutdown, worker_ready, worker_shutdown
from sqlalchemy.exc import SQLAlchemyError

from hexarena.backend.matches import broker, store, workers
from hexarena.backend.runtime import metrics
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.disk import Disk, Room
from hexarena.backend.runtime.logs import configure_logs
from hexarena.backend.runtime.metrics_server import serve_metrics
from hexarena.backend.runtime.parent import follow_parent
from hexarena.backend.runtime.settings import Settings
from hexarena.worker import tasks
from hexarena.worker.celery_words import log_words
from hexarena.worker.identity import Identity
from hexarena.worker.joining import JoinFailed, Membership
from hexarena.worker.lending import MatchSlots
from hexarena.worker.load import is_high, measure
from hexarena.worker.play import freeze_garbage_collector
from hexarena.worker.reconnecting import watch_connection
from hexarena.worker.sandbox import Sandbox, refused, require_self_test
from hexarena.worker.sandbox.users import is_sandboxed
from hexarena.worker.unsandboxed import refuse_other_users

log = structlog.get_logger()
HEARTBEAT_S = 5.0
ASK_AFTER = 3
"""Heartbeats in a row that failed, after which a worker elsewhere asks the arena whether it still belongs to it."""


REPLACED_AFTER_S = 1.0
"""Less than Celery waits for a new process."""


class PoolProcess:
    """What one pool process plays with; empty in the main process."""

    context: tasks.WorkerContext | None = None


def make_worker(
    settings: Settings,
    identity: Identity,
    sandbox: str,
    toolchains: Mapping[str, str],
    membership: Membership | None = None,
) -> Celery:
    """The Celery app with its task. `sandbox`, `toolchains`: what the worker's heartbeats report. `membership`: of one
    that has joined.
    """
    app = broker.make_celery(settings.redis_url, settings.namespace)
    watch_connection(app)
    slots, kept = MatchSlots(settings.worker_processes), MatchSlots(settings.spare_processes)

    def play(match_id: int, token: str, awaited: bool = False) -> None:
        if PoolProcess.context is None:
            raise RuntimeError("a task ran outside a pool process")
        tasks.run(PoolProcess.context, match_id, UUID(token), awaited=awaited)

    def compare(report_id: int) -> None:
        if PoolProcess.context is None:
            raise RuntimeError("a task ran outside a pool process")
        tasks.compare(PoolProcess.context, report_id)

    app.task(name=broker.PLAY)(play)
    app.task(name=broker.COMPARE)(compare)

    def open_context(**_: Any) -> None:
        metrics.count_into(settings.data_folder, "worker")
        with ending_if_failed():
            PoolProcess.context = tasks.WorkerContext.open(
                settings, slots, kept, identity=identity, languages=frozenset(toolchains)
            )
        freeze_garbage_collector()

    def close_context(**_: Any) -> None:
        if PoolProcess.context is not None:
            PoolProcess.context.close()

    stopping = threading.Event()

    def start_heartbeats(**_: Any) -> None:
        serve_metrics(settings)  # after the forks, or pool processes would hold its port
        threading.Thread(
            target=_send_heartbeats,
            args=(settings, identity, sandbox, toolchains, membership),
            kwargs={"stopping": stopping},
            name="heartbeat",
            daemon=True,
        ).start()
        if settings.log_refused_calls and settings.sandbox != "none":
            stop = threading.Event()
            threading.Thread(target=log_refused_calls, args=(stop,), name="refused calls", daemon=True).start()

    def leave(**_: Any) -> None:
        stopping.set()
        _leave(settings, identity)

    worker_process_init.connect(open_context, weak=False)
    worker_process_shutdown.connect(close_context, weak=False)
    worker_ready.connect(start_heartbeats, weak=False)
    worker_shutdown.connect(leave, weak=False)
    return app


@contextmanager
def ending_if_failed() -> Iterator[None]:
    """Ends a pool process that cannot be opened, so that another one takes its place: Celery would give it matches."""
    try:
        yield
    except Exception:
        log.exception("a process of the pool could not be opened: another one is started")
        time.sleep(REPLACED_AFTER_S)
        raise SystemExit(1) from None


def run_worker(settings: Settings, identity: Identity | None = None, membership: Membership | None = None) -> None:
    """Runs a worker until it is stopped. `identity`, `membership`: of one that has joined.

    Raises: SandboxUnsafe, JoinFailed (it no longer belongs to the arena).
    """
    configure_logs(settings.logs)
    log_words(settings.logs)
    follow_parent()
    identity = identity or Identity.of_this_process()
    _check_store(settings, marks=not identity.is_elsewhere)
    database = Database.of(settings, pool_size=1)
    refuse_other_users(settings, database)
    database.close()
    with Sandbox.open(
        settings.sandbox,
        folder=settings.data_folder / "worker",
        toolchains=settings.toolchains,
        logs_refused=settings.log_refused_calls,
    ) as sandbox:
        sandbox.sweep()
        require_self_test(sandbox)
        toolchains = {language.id: version for language, version in sandbox.toolchains() if version is not None}
        description = sandbox.describe()
    log.info("sandbox self-test passed", worker=identity.name, sandbox=description, languages=list(toolchains))
    warnings.filterwarnings("ignore", category=SecurityWarning)  # bots never run as the worker's user
    try:
        make_worker(settings, identity, description, toolchains, membership).worker_main(
            [
                "--quiet",
                "worker",
                "--pool=prefork",
                f"--concurrency={settings.worker_processes + settings.spare_processes}",
                "--loglevel=WARNING",
                "--without-gossip",
                "--without-mingle",
                "--without-heartbeat",
                f"--hostname=hexarena-{identity.process}@%h",
            ]
        )
    finally:
        if membership is not None and membership.left:
            raise JoinFailed(membership.left)


def _check_store(settings: Settings, *, marks: bool) -> None:
    """Ends this process, and says why, where the store of replays is not this database's.

    In a process of its own: the store's client has threads, which pool processes that are forked from here would lack.
    """

    def check() -> None:
        database = Database.of(settings, pool_size=1)
        store.open_or_exit(settings, database, marks=marks)

    checking = multiprocessing.get_context("fork").Process(target=check)
    checking.start()
    checking.join()
    if checking.exitcode:
        raise SystemExit(checking.exitcode)


def _leave(settings: Settings, identity: Identity) -> None:
    """Of a worker that was stopped, so that it is not listed as one that ended by itself."""
    try:
        with Database.of(settings, pool_size=1).transaction() as session:
            workers.forget(session, identity.name)
    except SQLAlchemyError as error:
        log.warning("could not record that this worker was stopped", error=str(error).splitlines()[0])


def _send_heartbeats(
    settings: Settings,
    identity: Identity,
    sandbox: str,
    toolchains: Mapping[str, str],
    membership: Membership | None,
    *,
    stopping: threading.Event,
) -> None:
    database = Database.of(settings, pool_size=1)
    load, was_high, was_wrong, was_full, failed = workers.Load(), False, False, False, 0
    disk, room = Disk(settings.data_folder, settings.disk_reserve_bytes), Room(0, is_full=False)
    while not stopping.is_set():
        try:
            room = disk.room()
        except OSError as error:  # a folder that is mounted may be away for a moment
            log.warning("the disk cannot be looked at", error=str(error))
        if room.is_full != was_full:
            _say_room(room)
        was_full = room.is_full
        try:
            with database.transaction() as session:
                off_s = workers.clock_off_s(session)
                workers.record_heartbeat(
                    session,
                    identity.name,
                    slots=0 if room.is_full else settings.worker_processes,
                    spare=settings.spare_processes,
                    sandbox=sandbox,
                    languages=list(toolchains),
                    load=load,
                    host_id=identity.host_id,
                    toolchains=toolchains,
                    clock_off_s=off_s,
                    disk_free_bytes=room.free_bytes,
                )
            if (is_wrong := abs(off_s) > workers.CLOCK_S) and not was_wrong:
                log.warning("this machine's clock is wrong", ahead_of_database_s=round(off_s, 1))
            was_wrong, failed = is_wrong, 0
        except SQLAlchemyError as error:
            log.warning("could not send a heartbeat", error=str(error))
            failed += 1
            if membership is not None and failed % ASK_AFTER == 0 and membership.ask():
                log.error("this worker no longer belongs to the arena: it ends", reason=membership.left)
                os.kill(os.getpid(), signal.SIGQUIT)  # Celery's end that waits for no match: all of them are lost
                return
        load = measure(HEARTBEAT_S, load)
        if is_high(load) and not was_high:
            log.warning(
                "this machine is overloaded", late_s=round(load.late_s, 3), cpu_wait=round(load.cpu_wait or 0.0, 3)
            )
        was_high = is_high(load)
    database.close()


def _say_room(room: Room) -> None:
    if room.is_full:
        log.error("this machine's disk is full: no match begins here until there is room", free_bytes=room.free_bytes)
    else:
        log.warning("there is room on this machine's disk again", free_bytes=room.free_bytes)


def log_refused_calls(stop: threading.Event) -> None:
    """Logs those of sandboxes, also of another arena on this machine, until it is stopped."""
    try:
        for one in refused.follow(stop):
            if is_sandboxed(one.user):
                log.warning("system call refused", call=one.call, program=one.program, user=one.user, pid=one.pid)
    except OSError as error:
        log.warning("refused system calls are in the kernel's log alone", error=str(error))


if __name__ == "__main__":
    run_worker(Settings())
