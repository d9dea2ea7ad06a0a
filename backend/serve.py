"""Runs the API and the pages: `hexarena api`."""

from __future__ import annotations

import gc
import signal
from types import FrameType

import uvicorn
from fastapi import FastAPI
from uvicorn.config import LOGGING_CONFIG

from hexarena.backend.api.middleware.connections import GuardedServer, Limits, protocol_of, raise_descriptors
from hexarena.backend.app import make_app
from hexarena.backend.matches import parts
from hexarena.backend.matches.store import open_or_exit
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.logs import configure_logs
from hexarena.backend.runtime.metrics import count_into
from hexarena.backend.runtime.parent import follow_parent
from hexarena.backend.runtime.settings import Settings

GRACEFUL_S = 1
"""For answers that are being given. Event streams end at once, and pages open new ones by themselves."""
COLLECT_AFTER = 10_000
"""Objects that are new, before the youngest are looked through."""


def serve(settings: Settings) -> None:
    """Runs until SIGTERM."""
    configure_logs(settings.logs)
    # One that cannot be read is said now. While the server starts, or answers, it would be a traceback.
    settings.given_key()
    settings.metrics_secret()
    follow_parent()
    count_into(settings.data_folder, "api")
    limits = Limits(
        total=min(settings.connections, raise_descriptors()),
        each=settings.connections_each,
        proxies=settings.proxies,
    )
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _exit)
    database = Database.of(settings, pool_size=1)
    try:
        with parts.beating(database, "api"):
            open_or_exit(settings, database)
            _run(settings, limits)
    finally:
        database.close()


def _exit(_: int, __: FrameType | None) -> None:
    """Ends in order. Once it has stopped, the server sends itself the signal anew, which would end us at once: as one
    that was killed, and was not stopped.
    """
    raise SystemExit


def _run(settings: Settings, limits: Limits) -> None:
    app = make_app(settings)
    build_routes(app)
    _spare_the_collector()
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=protocol_of(limits),
        ws="none",
        log_level="warning",
        log_config=None if settings.logs == "json" else LOGGING_CONFIG,
        timeout_graceful_shutdown=GRACEFUL_S,
        proxy_headers=False,  # the application reads them: backend/api/middleware/addresses.py
        server_header=False,
    )

    def end_streams() -> None:
        app.state.arena.end_streams()  # it is there once the server has started

    GuardedServer(config, before_shutdown=end_streams).run()


def build_routes(app: FastAPI) -> None:
    """Has the routes ready. FastAPI makes them when a request first passes them, which takes a second for all of ours:
    the first visitors would wait for it, and everybody else with them.
    """
    nowhere = {"type": "http", "method": "GET", "path": "/\n", "root_path": "", "query_string": b"", "headers": []}
    for route in app.router.routes:
        route.matches(nowhere)


def _spare_the_collector() -> None:
    """Thousands of open streams are a million objects, and looking through all of them takes half a second.

    What is there now stays for ever. Of the rest, little is in cycles: all of it is looked through rarely.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, 20, 100)


if __name__ == "__main__":
    serve(Settings())
