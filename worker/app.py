"""The Celery worker: checks the walls, then plays matches in its pool processes, and shows that it lives."""

from __future__ import annotations

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

from backend import queue, workers
from backend.db import Database
from backend.logs import configure_logs
from backend.parent import follow_parent
from backend.settings import Settings
from worker import tasks
from worker.load import is_high, measure
from worker.play import settle
from worker.sandbox import Sandbox
from worker.walls import refuse_strangers

log = structlog.get_logger()
SIGN_OF_LIFE_S = 5.0


class PoolProcess:
    """What one pool process plays with; empty in the main process."""

    workshop: tasks.Workshop | None = None


def make_worker(settings: Settings, sandbox: str, languages: list[str]) -> Celery:
    """The Celery app with its tasks. `sandbox`, `languages`: what the worker says of itself."""
    app = queue.make_celery(settings.redis_url, settings.namespace)

    def play(match_id: int, token: str) -> None:
        if PoolProcess.workshop is None:
            raise RuntimeError("a task ran outside a pool process")
        tasks.run(PoolProcess.workshop, match_id, UUID(token))

    def refit(game: str) -> None:
        if PoolProcess.workshop is None:
            raise RuntimeError("a task ran outside a pool process")
        tasks.refit(PoolProcess.workshop, game)

    app.task(name=queue.PLAY)(play)
    app.task(name=queue.REFIT)(refit)

    def open_workshop(**_: Any) -> None:
        PoolProcess.workshop = tasks.Workshop.open(settings)
        settle()

    def close_workshop(**_: Any) -> None:
        if PoolProcess.workshop is not None:
            PoolProcess.workshop.close()

    def show_life(**_: Any) -> None:
        threading.Thread(
            target=_show_life, args=(settings, sandbox, languages), name="sign of life", daemon=True
        ).start()

    worker_process_init.connect(open_workshop, weak=False)
    worker_process_shutdown.connect(close_workshop, weak=False)
    worker_ready.connect(show_life, weak=False)
    return app


def run_worker(settings: Settings) -> None:
    """Runs a worker until it is told to stop. Raises: Unsafe, SandboxUnsafe."""
    configure_logs()
    follow_parent()
    database = Database(settings.sqlalchemy_url(), pool_size=1)
    refuse_strangers(settings, database)
    database.close()
    with Sandbox.open(settings.sandbox, folder=settings.data_folder / "worker") as sandbox:
        sandbox.sweep()
        sandbox.require()
        languages = [language.id for language in sandbox.languages()]
        description = sandbox.describe()
    log.info("the walls stand", sandbox=description, languages=languages)
    warnings.filterwarnings("ignore", category=SecurityWarning)  # bots never run as the worker's user
    make_worker(settings, description, languages).worker_main(
        [
            "--quiet",
            "worker",
            "--pool=prefork",
            f"--concurrency={settings.worker_processes}",
            "--loglevel=WARNING",
            "--without-gossip",
            "--without-mingle",
            f"--hostname=hexarena-{os.getpid()}@%h",
        ]
    )


def _show_life(settings: Settings, sandbox: str, languages: list[str]) -> None:
    database = Database(settings.sqlalchemy_url(), pool_size=1)
    name = f"{socket.gethostname()}:{os.getpid()}"
    load, was_high = workers.Load(), False
    while True:
        try:
            with database.transaction() as session:
                workers.show_life(
                    session,
                    name,
                    slots=settings.worker_processes,
                    sandbox=sandbox,
                    languages=languages,
                    load=load,
                )
        except SQLAlchemyError as error:
            log.warning("could not show a sign of life", error=str(error))
        load = measure(SIGN_OF_LIFE_S)
        if is_high(load) and not was_high:
            log.warning(
                "this machine has too much to do", late_s=round(load.late_s, 3), cpu_wait=round(load.cpu_wait or 0.0, 3)
            )
        was_high = is_high(load)


if __name__ == "__main__":
    run_worker(Settings())
