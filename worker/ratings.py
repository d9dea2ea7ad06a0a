"""The ratings process: a Celery worker of its own queue, which refits ladders and marks assignments.

A refit of a large ladder takes seconds: here it takes no slot of those that play matches. The marks of an assignment
are made here, too, as they are refits of the ladder as it was. Several may run at once; a
ladder is refitted by one of them at a time, by the lock on its row.
"""

from __future__ import annotations

import os
import time

import structlog
from celery import Celery

from hexarena.backend.classes import marking
from hexarena.backend.ladder import refits
from hexarena.backend.matches import broker, parts
from hexarena.backend.runtime import metrics
from hexarena.backend.runtime.db import Database, is_away
from hexarena.backend.runtime.logs import configure_logs
from hexarena.backend.runtime.metrics_server import serve_metrics
from hexarena.backend.runtime.parent import follow_parent
from hexarena.backend.runtime.settings import Settings
from hexarena.games.catalogue import find_game
from hexarena.worker.celery_words import log_words
from hexarena.worker.reconnecting import watch_connection

log = structlog.get_logger()


def refit(database: Database, game_id: str, memory: refits.Memory | None = None) -> None:
    """Refits a game's ladder with its pending results, unless another process is doing so."""
    began = time.monotonic()
    with database.transaction() as session:
        done = refits.refit(session, find_game(game_id), memory)
    if done is not None:
        metrics.meters().refit_seconds.labels(game_id).observe(time.monotonic() - began)
        log.info(
            "refitted",
            game=game_id,
            counted=done.counted,
            results=done.results,
            competitors=done.competitors,
            seconds=round(done.seconds, 3),
            promoted=done.promoted,
        )


def mark(database: Database, assignment_id: int) -> None:
    """Makes the marks of an assignment, if they are still due. What cannot be marked waits for its organiser."""
    began = time.monotonic()
    with database.transaction() as session:
        if assignment_id not in marking.due(session):
            return
    try:
        made = marking.mark(database, assignment_id)
    except Exception as error:
        if is_away(error):
            raise
        log.exception("an assignment cannot be marked", assignment=assignment_id)
        with database.transaction() as session:
            marking.postpone(session, assignment_id)
        return
    log.info("marked", assignment=assignment_id, marks=made, seconds=round(time.monotonic() - began, 3))


def make_ratings(settings: Settings, database: Database) -> Celery:
    """The Celery app with its tasks."""
    app = broker.make_celery(settings.redis_url, settings.namespace)
    watch_connection(app)
    memory = refits.Memory()

    def refit_ladder(game: str) -> None:
        refit(database, game, memory)

    def mark_assignment(assignment_id: int) -> None:
        mark(database, assignment_id)

    app.task(name=broker.REFIT)(refit_ladder)
    app.task(name=broker.MARK)(mark_assignment)
    return app


def run_ratings(settings: Settings) -> None:
    """Refits ladders until SIGTERM. One that was begun is finished."""
    configure_logs(settings.logs)
    log_words(settings.logs)
    follow_parent()
    metrics.count_into(settings.data_folder, "ratings")
    serve_metrics(settings)
    database = Database.of(settings, pool_size=1, max_overflow=1)
    with parts.beating(database, "ratings"):
        make_ratings(settings, database).worker_main(
            [
                "--quiet",
                "worker",
                "--pool=solo",
                f"--queues={settings.namespace}{broker.RATINGS}",
                "--loglevel=WARNING",
                "--without-gossip",
                "--without-mingle",
                "--without-heartbeat",
                f"--hostname=ratings-{os.getpid()}@%h",
            ]
        )


if __name__ == "__main__":
    run_ratings(Settings())
