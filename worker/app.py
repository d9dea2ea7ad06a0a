"""The Celery worker: tests the sandbox, then plays matches in its pool processes and sends heartbeats."""

from __future__ import annotations

import multiprocessing
import os
import socket
import threading
import warnings
from typing import Any
from uuid import UUID

import structlog
from celery import Celery
from celery.platforms import SecurityWarning
from celery.signals import worker_process_init, worker_process_shutdown, worker_ready
from sqlalchemy.exc import SQLAlchemyError

from hexarena.backend.matches import broker, store, workers
from hexarena.backend.runtime import metrics
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.disk import Disk
from hexarena.backend.runtime.logs import configure_logs
from hexarena.backend.runtime.metrics_server import serve_metrics
from hexarena.backend.runtime.parent import follow_parent
from hexarena.backend.runtime.settings import Settings
from hexarena.worker import tasks
from hexarena.worker.lending import MatchSlots
from hexarena.worker.load import is_high, measure
from hexarena.worker.play import freeze_garbage_collector
from hexarena.worker.sandbox import Sandbox, require_self_test
from hexarena.worker.unsandboxed import refuse_other_users

log = structlog.get_logger()
HEARTBEAT_S = 5.0


class PoolProcess:
    """What one pool process plays with; empty in the main process."""

    context: tasks.WorkerContext | None = None


def make_worker(settings: Settings, sandbox: str, languages: list[str]) -> Celery:
    """The Celery app with its task. `sandbox`, `languages`: what the worker's heartbeats report."""
    app = broker.make_celery(settings.redis_url, settings.namespace)
    slots, kept = MatchSlots(settings.worker_processes), MatchSlots(settings.spare_processes)

    def play(match_id: int, token: str) -> None:
        if PoolProcess.context is None:
            raise RuntimeError("a task ran outside a pool process")
        tasks.run(PoolProcess.context, match_id, UUID(token))

    def compare(report_id: int) -> None:
        if PoolProcess.context is None:
            raise RuntimeError("a task ran outside a pool process")
        tasks.compare(PoolProcess.context, report_id)

    app.task(name=broker.PLAY)(play)
    app.task(name=broker.COMPARE)(compare)

    def open_context(**_: Any) -> None:
        metrics.count_into(settings.data_folder, "worker")
        PoolProcess.context = tasks.WorkerContext.open(settings, slots, kept)
        freeze_garbage_collector()

    def close_context(**_: Any) -> None:
        if PoolProcess.context is not None:
            PoolProcess.context.close()

    def start_heartbeats(**_: Any) -> None:
        serve_metrics(settings)  # after the forks, or pool processes would hold its port
        threading.Thread(
            target=_send_heartbeats, args=(settings, sandbox, languages), name="heartbeat", daemon=True
        ).start()

    worker_process_init.connect(open_context, weak=False)
    worker_process_shutdown.connect(close_context, weak=False)
    worker_ready.connect(start_heartbeats, weak=False)
    return app


def run_worker(settings: Settings) -> None:
    """Runs a worker until it is stopped. Raises: SandboxUnsafe."""
    configure_logs(settings.logs)
    follow_parent()
    _check_store(settings)
    database = Database(settings.sqlalchemy_url(), pool_size=1, idle_s=settings.transaction_idle_s)
    refuse_other_users(settings, database)
    database.close()
    with Sandbox.open(
        settings.sandbox, folder=settings.data_folder / "worker", toolchains=settings.toolchains
    ) as sandbox:
        sandbox.sweep()
        require_self_test(sandbox)
        languages = [language.id for language in sandbox.languages()]
        description = sandbox.describe()
    log.info("sandbox self-test passed", sandbox=description, languages=languages)
    warnings.filterwarnings("ignore", category=SecurityWarning)  # bots never run as the worker's user
    make_worker(settings, description, languages).worker_main(
        [
            "--quiet",
            "worker",
            "--pool=prefork",
            f"--concurrency={settings.worker_processes + settings.spare_processes}",
            "--loglevel=WARNING",
            "--without-gossip",
            "--without-mingle",
            f"--hostname=hexarena-{os.getpid()}@%h",
        ]
    )


def _check_store(settings: Settings) -> None:
    """Ends this process, and says why, where the store of replays is not this database's.

    In a process of its own: the store's client has threads, which pool processes that are forked from here would lack.
    """

    def check() -> None:
        database = Database(settings.sqlalchemy_url(), pool_size=1)
        store.open_or_exit(settings, database)

    checking = multiprocessing.get_context("fork").Process(target=check)
    checking.start()
    checking.join()
    if checking.exitcode:
        raise SystemExit(checking.exitcode)


def _send_heartbeats(settings: Settings, sandbox: str, languages: list[str]) -> None:
    database = Database(settings.sqlalchemy_url(), pool_size=1, idle_s=settings.transaction_idle_s)
    name = f"{socket.gethostname()}:{os.getpid()}"
    load, was_high = workers.Load(), False
    disk = Disk(settings.data_folder, settings.disk_reserve_bytes)
    while True:
        try:
            with database.transaction() as session:
                workers.record_heartbeat(
                    session,
                    name,
                    slots=0 if disk.is_full else settings.worker_processes,
                    spare=settings.spare_processes,
                    sandbox=sandbox,
                    languages=languages,
                    load=load,
                )
        except SQLAlchemyError as error:
            log.warning("could not send a heartbeat", error=str(error))
        load = measure(HEARTBEAT_S)
        if is_high(load) and not was_high:
            log.warning(
                "this machine is overloaded", late_s=round(load.late_s, 3), cpu_wait=round(load.cpu_wait or 0.0, 3)
            )
        was_high = is_high(load)


if __name__ == "__main__":
    run_worker(Settings())
