"""How the API begins."""

from __future__ import annotations

import gc

from hexarena.backend.app import make_app
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.serve import build_routes

PATHS = ("/api/v1/feed", "/api/v1/games", "/api/v1/nowhere", "/metrics", "/nowhere")


def made() -> list[object]:
    """The routes of routers that FastAPI has made, for all applications of this process."""
    gc.collect()
    return [one for one in gc.get_objects() if type(one).__name__ == "_EffectiveRouteContext"]


def new_among(routes: list[object], before: list[object]) -> int:
    """How many of them were not there before. Those of other tests' applications may be gone meanwhile."""
    known = set(map(id, before))
    return sum(id(one) not in known for one in routes)


def test_no_visitor_waits_until_the_routes_are_made(settings: Settings) -> None:
    app = make_app(settings)
    before = made()
    build_routes(app)
    ready = made()
    assert new_among(ready, before) > 100
    for path in PATHS:
        asked = {"type": "http", "method": "GET", "path": path, "root_path": "", "query_string": b"", "headers": []}
        for route in app.router.routes:
            route.matches(asked)
    assert new_among(made(), ready) == 0
