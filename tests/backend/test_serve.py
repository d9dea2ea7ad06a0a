"""How the API begins."""

from __future__ import annotations

import gc

from fastapi import FastAPI

from hexarena.backend.app import make_app
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.serve import build_routes

PATHS = ("/api/v1/feed", "/api/v1/games", "/api/v1/nowhere", "/metrics", "/nowhere")


def made(app: FastAPI) -> int:
    """How many routes of routers FastAPI has made."""
    gc.collect()
    return sum(type(one).__name__ == "_EffectiveRouteContext" for one in gc.get_objects())


def test_no_visitor_waits_until_the_routes_are_made(settings: Settings) -> None:
    app = make_app(settings)
    before = made(app)
    build_routes(app)
    ready = made(app)
    assert ready > before + 100
    for path in PATHS:
        asked = {"type": "http", "method": "GET", "path": path, "root_path": "", "query_string": b"", "headers": []}
        for route in app.router.routes:
            route.matches(asked)
    assert made(app) == ready
