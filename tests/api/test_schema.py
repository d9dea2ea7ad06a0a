"""The description of the API is what the server does: requests made from it by Schemathesis, right ones and wrong ones.

Each operation gets the same requests in every run, from somebody who may make them: a visitor, or an organiser with an
event and a class. Requests that build on each other: tests/api/test_flows.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing

import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, settings as hypothesis_settings
from hypothesis.errors import Unsatisfiable
from schemathesis import Case, GenerationMode
from schemathesis.specs.openapi.checks import has_only_additional_properties_in_non_body_parameters
from sqlalchemy import select

from hexarena.backend.accounts import sessions
from hexarena.backend.accounts.permissions import MAY, Role
from hexarena.backend.api.access import ACTIONS
from hexarena.backend.api.cookies import SESSION_COOKIE
from hexarena.backend.models import User, UserKind, UserRole
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from tests.api.described import DESCRIPTION, ENDLESS, checks_of, send, shown
from tests.conftest import Servers, new_arena, new_visitor

RIGHT, WRONG = 6, 14
"""Requests for each operation."""
OPERATIONS = [
    (one["operationId"], path, method)
    for path, methods in DESCRIPTION["paths"].items()
    for method, one in methods.items()
    if one["operationId"] not in ENDLESS
]
NOT_IN_A_SCHEMA = {
    "create_match": "a game's seats and rules levels",
    "create_in_person": "a game's seats and rules levels, and whether people play it",
    "reply_in_person": "what the game reads",
    "create_batch": "a game's rules levels, how large a guest's may be",
    "create_duel": "a game's rules levels",
    "create_submission": "names and what is printable, after Unicode",
    "upload_submission": "what is in the file",
    "describe_submission": "what is printable, after Unicode",
    "create_invite": "what is printable, after Unicode",
    "create_announcement": "what is printable, after Unicode; times in the future",
    "change_me": "names after Unicode, mail addresses",
    "change_password": "what can be guessed",
    "sign_up": "names after Unicode, passwords that can be guessed, mail addresses",
    "create_event": "a game's formats and rules levels, times in the future",
    "preview_event": "a game's formats and rules levels, times in the future",
    "change_event": "times in the future, what a running event allows",
    "create_class": "whether the game can be played in classes",
    "change_class": "times in the future",
    "create_assignment": "a game's bosses, times in the future",
    "import_roster": "what is in the file",
    "get_leaderboard": "cursors are ours",
    "get_past_leaderboard": "times beyond the calendar",
    "list_matches": "cursors are ours",
    "set_webhook": "which addresses are public",
}
"""Operations that may answer 422 to what the schema allows, and why."""


@pytest.fixture(scope="module")
def arena(servers: Servers, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """For these tests alone: they leave much behind."""
    with new_arena(servers, template, tmp_path_factory.mktemp("schema")) as settings:
        yield settings


@pytest.fixture(scope="module")
def people(arena: Settings) -> Iterator[Mapping[Role, TestClient]]:
    """A visitor, who becomes a guest, and an organiser, who has yet to be `signed_in`."""
    with new_visitor(arena) as visitor, new_visitor(arena) as organiser:
        yield {Role.GUEST: visitor, Role.ORGANISER: organiser}


def signed_in(client: TestClient, arena: Settings) -> TestClient:
    """An organiser with a new session, whatever earlier requests did to the one before."""
    with closing(Database.of(arena)) as database, database.transaction() as session:
        user = session.scalar(select(User).where(User.role == UserRole.ORGANISER, User.ban_reason.is_(None)).limit(1))
        if user is None:
            user = User(kind=UserKind.ACCOUNT, name="organiser", role=UserRole.ORGANISER)
            session.add(user)
            session.flush()
        client.cookies.set(SESSION_COOKIE, sessions.begin(session, user, "a test"))
    return client


def bounded(count: int) -> hypothesis_settings:
    """So many requests, the same in each run, however slow the machine is."""
    return hypothesis_settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


def check(visitor: TestClient, case: Case, mode: GenerationMode, operation: str) -> None:
    """Sends the request and compares the answer with the description."""
    answer = send(visitor, case)
    case.validate_response(answer, checks=list(checks_of(answer)))
    if mode is GenerationMode.NEGATIVE and has_only_additional_properties_in_non_body_parameters(case):
        return  # as everywhere on the web, a query may hold more than anybody asked for
    if mode is GenerationMode.NEGATIVE and any(isinstance(value, list) for value in (case.query or {}).values()):
        return  # nor is it wrong to say something twice: the last counts
    if mode is GenerationMode.NEGATIVE:
        assert answer.status_code >= 400, f"accepted: {shown(answer)}"
    elif operation not in NOT_IN_A_SCHEMA:
        assert answer.status_code not in {400, 422}, f"refused: {shown(answer)}"


@pytest.mark.parametrize("described", OPERATIONS, ids=lambda one: one[0])
@pytest.mark.parametrize(
    ("mode", "count"),
    [
        pytest.param(GenerationMode.POSITIVE, RIGHT, id="right"),
        pytest.param(GenerationMode.NEGATIVE, WRONG, id="wrong", marks=pytest.mark.long),
    ],
)
def test_the_server_does_what_its_description_says(
    arena: Settings,
    people: Mapping[Role, TestClient],
    described: tuple[str, str, str],
    mode: GenerationMode,
    count: int,
) -> None:
    name, path, method = described
    who = people[Role.GUEST] if Role.GUEST in MAY[ACTIONS[name]] else signed_in(people[Role.ORGANISER], arena)
    operation = schemathesis.openapi.from_dict(DESCRIPTION)[path][method.upper()]
    inputs = operation.definition.raw.get("parameters") or operation.definition.raw.get("requestBody")
    if mode is GenerationMode.NEGATIVE and not inputs:
        pytest.skip("nothing can be wrong about it")

    @bounded(count)
    @given(case=operation.as_strategy(generation_mode=mode))
    def run(case: Case) -> None:
        check(who, case, mode, name)

    try:
        run()
    except Unsatisfiable:
        pytest.skip("every text is right for it")
