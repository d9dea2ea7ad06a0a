"""Requests that Schemathesis makes from the description of the API, sent to the application and judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi.testclient import TestClient
from httpx2 import Response
from requests import Request
from schemathesis import Case, CheckFunction
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from hexarena.backend.app import make_app

ENDLESS = {"stream_feed", "stream_match"}
"""Streams that do not end: tests/api/streaming/test_live.py."""
DESCRIPTION: dict[str, Any] = make_app().openapi()


def send(visitor: TestClient, case: Case) -> Response:
    """The application's answer to the request."""
    kwargs = case.as_transport_kwargs(base_url="http://testserver")
    kwargs = {name: value for name, value in kwargs.items() if name in Request("GET", "http://x").__dict__}
    request = Request(**kwargs).prepare()
    headers = {name: value for name, value in request.headers.items() if name.lower() != "cookie"}
    assert request.url is not None
    return visitor.request(
        request.method or "GET", request.url, content=request.body, headers=headers, follow_redirects=False
    )


def shown(answer: Response) -> str:
    """What was sent and what came, for failing tests."""
    request = answer.request
    return f"{request.method} {request.url} {request.content!r:.500} -> {answer.status_code} {answer.text:.500}"


def checks_of(answer: Response) -> Sequence[CheckFunction]:
    """What every answer must keep to. Fails if it is none that may be given at all."""
    assert answer.status_code < 500 or answer.status_code == 503, shown(answer)
    checks = [content_type_conformance, response_schema_conformance]
    if answer.status_code != 405:  # a path that another path's made of, or a method that no operation has
        checks.append(status_code_conformance)
    return checks
