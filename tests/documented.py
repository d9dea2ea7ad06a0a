"""A visitor who trusts the API's description: an answer that it does not name fails the test."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from fastapi.testclient import TestClient
from httpx2 import Request, Response

from hexarena.backend.app import make_app

UNDESCRIBED = {405, 500}
"""A method that the path has not; our own mistakes, which tests that mean to make one look for."""


class Visitor(TestClient):
    """Asks for what the description names, or for pages."""

    def send(self, request: Request, **options: Any) -> Response:
        """The answer. Fails if the operation does not document its status."""
        answer: Response = super().send(request, **options)
        documented = statuses(request.method, request.url.path)
        if documented is not None and answer.status_code not in UNDESCRIBED:
            asked = f"{request.method} {request.url.path}"
            assert answer.status_code in documented, f"{asked} answered {answer.status_code}, which is not documented"
        return answer


def statuses(method: str, path: str) -> frozenset[int] | None:
    """Those that the description names; None if it is no operation of the API."""
    return next((found for its, pattern, found in _operations() if its == method and pattern.fullmatch(path)), None)


@cache
def _operations() -> list[tuple[str, re.Pattern[str], frozenset[int]]]:
    """Method, path, statuses. Paths with fewer parameters come first: `/matches/endings` is no match."""
    paths = make_app().openapi()["paths"]
    return [
        (method.upper(), re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), frozenset(map(int, operation["responses"])))
        for path in sorted(paths, key=lambda path: path.count("{"))
        for method, operation in paths[path].items()
    ]
