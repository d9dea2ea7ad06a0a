"""Runs the API and the pages: `python -m backend.serve`, or `hexarena api`."""

from __future__ import annotations

import uvicorn

from backend.app import make_app
from backend.logs import configure_logs
from backend.parent import follow_parent
from backend.settings import Settings

GRACEFUL_S = 1
"""Open event streams would otherwise hold up the stop; pages come back by themselves."""


def serve(settings: Settings) -> None:
    """Until SIGTERM."""
    configure_logs()
    follow_parent()
    uvicorn.run(
        make_app(settings),
        host=settings.host,
        port=settings.port,
        log_level="warning",
        timeout_graceful_shutdown=GRACEFUL_S,
        proxy_headers=False,
    )


if __name__ == "__main__":
    serve(Settings())
