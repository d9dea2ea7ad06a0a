"""Which errors the API's description names."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from hexarena.backend.api.description import DOCUMENTED, NO_NUL
from hexarena.backend.app import make_app
from hexarena.backend.matches.live import EventKind
from tests.documented import statuses

ANYWHERE = {400, 401, 403, 421, 429, 503, 507}


@pytest.mark.parametrize(
    ("method", "path", "more"),
    [
        ("GET", "/health", set()),
        ("GET", "/matches", {404, 422}),
        ("GET", "/matches/1/picture", {404, 422, 409}),
        ("DELETE", "/me/sessions/1", {404, 422, 409}),
        ("POST", "/sign-out", {404, 409}),
        ("POST", "/matches", {404, 422, 409, 408, 413}),
    ],
)
def test_an_operation_names_the_errors_that_it_can_answer_with(method: str, path: str, more: set[int]) -> None:
    found = statuses(method, f"/api/v1{path}")
    assert found is not None
    assert {one for one in found if one >= 400} == ANYWHERE | more


@pytest.mark.parametrize(
    ("schema", "field", "its"),
    [("NewClass", "name", NO_NUL), ("NewSubmission", "bot", None), ("NewSubmission", "game", NO_NUL)],
)
def test_no_text_of_a_request_has_a_nul(schema: str, field: str, its: str | None) -> None:
    """Where a text has a pattern of its own, this one says it."""
    text = make_app().openapi()["components"]["schemas"][schema]["properties"][field]
    pattern = text["pattern"]
    assert re.search(pattern, "Ada")
    assert not re.search(pattern, "A\0da")
    assert its is None or pattern == its


def test_too_much_says_when_to_try_again() -> None:
    description = make_app().openapi()
    named = description["paths"]["/api/v1/duels"]["post"]["responses"]["429"]["headers"]
    assert set(named) == {"Retry-After", "RateLimit", "RateLimit-Policy"}
    for name, reference in named.items():
        assert reference == {"$ref": f"#/components/headers/{name}"}
        assert description["components"]["headers"][name]["description"]


def test_the_stream_of_changes_names_all_that_it_carries() -> None:
    description = make_app().openapi()["paths"]["/api/v1/feed"]["get"]["description"]
    for kind in (*get_args(EventKind), "arena", "hello", "alive", "reload"):
        assert f"`{kind}`" in description, kind


def test_a_page_is_no_operation() -> None:
    assert statuses("GET", "/games/ants") is None


@pytest.mark.long
def test_a_route_says_what_no_other_of_its_kind_answers() -> None:
    answers = make_app().openapi()["paths"]["/api/v1/matches/{match_id}/picture"]["get"]["responses"]
    assert answers["409"]["description"] == "The game's viewer fails with this replay"
    assert answers["404"]["description"] == DOCUMENTED[404]["description"]
