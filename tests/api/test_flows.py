"""Requests that build on each other: what an answer names is read, changed, deleted and asked for again.

Schemathesis draws walks along links, from fixed seeds. Each walk is a new guest's, who may sign up on the way. No
answer may be one that the description does not know, what was just made must be there, and what was deleted must not.

What Hypothesis draws from a seed also depends on its version and on the constants in our code. So there are a few
rounds of walks, until they came to all the answers that they must come to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from copy import deepcopy
from itertools import count
from typing import Any, ClassVar, NamedTuple

import pytest
import schemathesis
from fastapi.testclient import TestClient
from httpx2 import Response as Answer
from hypothesis import HealthCheck, Phase, seed, settings as hypothesis_settings
from schemathesis import Case, CheckFunction, GenerationMode
from schemathesis.core.transport import Response
from schemathesis.generation.stateful.state_machine import APIStateMachine, StepInput, normalize_name
from schemathesis.specs.openapi.checks import ensure_resource_availability, use_after_free

from tests.api.described import DESCRIPTION, ENDLESS, checks_of, send, shown
from tests.conftest import Servers, new_arena, new_visitor

ROUNDS, WALKS, STEPS = 6, 4, 12
ROOTS = {"GET /api/v1/games", "GET /api/v1/me"}
OFTEN = 4
"""So often a walk goes from one operation to the same other one."""
API = "/api/v1"
SOURCE, PASSWORD = "print('4 4')", "correct horse battery"
BOT = {"game": "yavalath", "bot": "walker", "language": "python", "source": SOURCE}
PRACTICE = {"game": "yavalath", "language": "python", "source": SOURCE}
ACCOUNT = {"name": "walker", "password": PASSWORD}
TOKEN = {"name": "walker", "scopes": ["read"]}
DUEL = {
    "game": "$request.path.game_id",
    "candidate": "$response.body#/items/0/submission_id",
    "baseline": "$response.body#/items/1/submission_id",
}


walks = count(1)
FEW = hypothesis_settings(
    max_examples=WALKS,
    stateful_step_count=STEPS,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


Beginning = list[tuple[str, dict[str, Any] | None]]
"""Operations and their bodies; None: of a duel."""


class Link(NamedTuple):
    """From a successful answer to the next request. `path`: where its parameters stand. `body`: None, a drawn one."""

    source: str
    target: str
    path: dict[str, str] = {}  # noqa: RUF012 - never changed
    body: dict[str, Any] | None = None


def fan(source: str, targets: str, **path: str) -> list[Link]:
    """Links to several operations that need the same."""
    return [Link(source, target, path) for target in targets.split()]


OF_SUBMISSION = (
    "get_submission get_source list_files explain_rating describe_submission restore_submission delete_source"
)
OF_BOT = "get_bot get_history delete_bot"
OF_MATCH = "get_match get_replay"
BOTS = [
    Link("list_games", "create_submission", body=BOT),
    Link("create_submission", "create_submission", body=BOT | {"bot": "$response.body#/bot"}),
    *fan("create_submission", "get_bot delete_bot", bot_id="$response.body#/bot_id"),
    *fan("create_submission", "get_source list_files", submission_id="$response.body#/id"),
    *fan("delete_bot", "get_bot delete_bot", bot_id="$request.path.bot_id"),
    *fan("get_bot", "get_source delete_source", submission_id="$response.body#/submissions/0/id"),
    *fan("delete_source", "get_source delete_source", submission_id="$response.body#/id"),
]
VERSIONS = [
    Link("list_games", "create_submission", body=BOT),
    *fan("create_submission", OF_BOT, bot_id="$response.body#/bot_id"),
    Link("create_submission", "list_matches", {"bot": "$response.body#/bot_id"}),
    *fan("create_submission", OF_SUBMISSION, submission_id="$response.body#/id"),
    *fan("create_submission", OF_MATCH, match_id="$response.body#/check_match_id"),
    *fan("get_bot", OF_SUBMISSION, submission_id="$response.body#/submissions/0/id"),
    Link("get_bot", "create_submission", body=BOT | {"bot": "$response.body#/name"}),
]
MATCHES = [
    Link("list_games", "create_match", body=PRACTICE),
    *fan("list_games", "get_leaderboard get_ladder get_matchups", game_id="$response.body#/0/id"),
    Link("get_leaderboard", "create_duel", {}, DUEL),
    *fan("get_leaderboard", OF_SUBMISSION, submission_id="$response.body#/items/0/submission_id"),
    Link("create_duel", "create_duel", body={name: f"$request.body#/{name}" for name in DUEL}),
    *fan("create_duel", "get_duel cancel_duel", duel_id="$response.body#/id"),
    *fan("cancel_duel", "get_duel cancel_duel", duel_id="$response.body#/id"),
    *fan("create_match", OF_MATCH, match_id="$response.body#/id"),
    *fan("create_match", OF_SUBMISSION, submission_id="$response.body#/seats/0/submission_id"),
    Link("create_match", "get_seat_io", {"match_id": "$response.body#/id", "seat": "$response.body#/seats/0/seat"}),
]
ACCOUNTS = [
    Link("get_me", "sign_up", body={"name": "Stroller {$response.body#/id}", "password": PASSWORD}),
    Link("sign_up", "sign_up", body={"name": "$response.body#/name", "password": PASSWORD}),
    Link("sign_up", "sign_in", body={"name": "$response.body#/name", "password": PASSWORD}),
    Link("sign_up", "change_password", body={"old": PASSWORD, "new": f"{PASSWORD} staple"}),
    Link("sign_up", "delete_me", body={"name": "$response.body#/name", "password": PASSWORD}),
    Link("sign_up", "create_token", body=TOKEN),
    *fan("sign_up", "list_tokens list_sessions export_me end_other_sessions sign_out"),
    Link("sign_in", "create_token", body=TOKEN),
    *fan("sign_in", "list_sessions sign_out list_users list_invites"),
    *fan("create_token", "revoke_token", token_id="$response.body#/id"),
    *fan("revoke_token", "revoke_token", token_id="$request.path.token_id"),
    *fan("list_sessions", "end_session", session_id="$response.body#/items/0/id"),
    *fan("delete_me", "get_me sign_out"),
    Link("delete_me", "create_match", body=PRACTICE),
]
RESULTS_STAY = {"get_bot", "get_history"}
"""A deleted bot's results stay, of a bot without a name."""
NOT_YET = {"explain_rating", "get_replay", "get_seat_io"}
"""There is nothing before a match was played."""
FAMILIES: dict[str, tuple[list[Link], Beginning, str]] = {
    "bots": (BOTS, [("create_submission", BOT)], "get_bot 200, delete_bot 204, get_source 200"),
    "versions": (VERSIONS, [("create_submission", BOT)], "get_submission 200, get_match 200"),
    "matches": (MATCHES, [("create_match", PRACTICE), ("create_duel", None)], "get_duel 200, cancel_duel 200"),
    "accounts": (ACCOUNTS, [("sign_up", ACCOUNT), ("create_token", TOKEN)], "revoke_token 204, list_sessions 200"),
}
"""Links, how a walk begins, and the answers that walks must come to, or else they do not go far enough."""


@pytest.fixture(scope="module")
def visitor(servers: Servers, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Of an arena for these tests alone, where guests and their matches are not limited."""
    with new_arena(servers, template, tmp_path_factory.mktemp("flows")) as settings:
        unlimited = settings.model_copy(update={"guests_per_minute": 0, "queue_per_network": 0, "network_bytes": 0})
        with new_visitor(unlimited) as client:
            yield client


def linked(links: list[Link]) -> dict[str, Any]:
    """The description with these links, and without what does not end."""
    description = deepcopy(DESCRIPTION)
    operations = {}
    for path in description["paths"].values():
        for method, one in list(path.items()):
            if one["operationId"] in ENDLESS:
                del path[method]
            operations[one["operationId"]] = one
    for number, link in enumerate(links):
        written: dict[str, Any] = {"operationId": link.target, "parameters": link.path}
        if link.body is not None:
            written |= {"requestBody": link.body, "x-schemathesis": {"merge_body": False}}
        answers = operations[link.source]["responses"]
        success = next(answer for status, answer in answers.items() if status.startswith("2"))
        success.setdefault("links", {})[f"{link.target}{number}"] = written
    return description


def make_machine(visitor: TestClient, links: list[Link], beginning: Beginning) -> type[APIStateMachine]:
    """Walks of one visitor each, who begins with these requests. `seen`: (operation, status) -> how often it came."""
    schema = schemathesis.openapi.from_dict(linked(links))
    schema.config.phases.stateful.inference.algorithms = []
    schema.config.phases.stateful.generation.update(modes=[GenerationMode.POSITIVE])
    drawn: Any = schema.as_state_machine()
    start_at(ROOTS, drawn)

    class Walk(drawn):  # type: ignore[misc]
        seen: ClassVar[Counter[tuple[str, int]]] = Counter()

        def setup(self) -> None:
            self.control.max_operations_per_source = OFTEN
            self.deleted: set[int] = set()
            self.bot_of: dict[int, int] = {}
            self.walk = next(walks)
            visitor.cookies.clear()
            assert visitor.post(f"{API}/matches", json=PRACTICE).status_code == 201
            for name, body in beginning:
                self.begin(schema.find_operation_by_id(name), body or house_duel(visitor))

        def teardown(self) -> None:
            # Only so many may run, and the next walk begins one, too.
            for duel in visitor.get(f"{API}/duels", params={"mine": True, "limit": 50}).json()["items"]:
                if duel["state"] == "running":
                    visitor.post(f"{API}/duels/{duel['id']}/cancel")
            super().teardown()

        def begin(self, operation: Any, body: dict[str, Any]) -> None:
            # Names are free once only.
            own = {name: f"walker {self.walk}" for name, value in body.items() if value == "walker"}
            case = operation.Case(body=body | own, media_type="application/json")
            self.recorder.record_case(case=case)
            output = self._step(StepInput.initial(case))
            assert output.response.status_code == 201, output.response.text
            self._add_results_to_targets(("catch_all",), [output])

        def call(self, case: Case, **_: Any) -> Response:
            answer = send(visitor, case)
            self.checks = [*checks_of(answer), *checks_of_walk(case, deleted=bool(self.deleted))]
            name = case.operation.definition.raw["operationId"]
            self.seen[name, answer.status_code] += 1
            if answer.is_success:
                self.note(name, case.path_parameters or {}, answer)
            return Response.from_any(answer)

        def note(self, name: str, path: Mapping[str, Any], answer: Answer) -> None:
            """What Schemathesis does not know: with a bot go its name and the code of all its versions."""
            if name == "create_submission":
                self.bot_of[answer.json()["id"]] = answer.json()["bot_id"]
            if name == "delete_bot":
                self.deleted.add(path["bot_id"])
            if name == "get_bot" and path["bot_id"] in self.deleted:
                assert answer.json()["name"] == f"deleted #{path['bot_id']}", shown(answer)
            if name in {"get_source", "list_files"}:
                assert self.bot_of.get(path["submission_id"]) not in self.deleted, shown(answer)

        def validate_response(self, response: Response, case: Case, *_: Any, **__: Any) -> None:
            case.validate_response(response, checks=self.checks, recorder=self.recorder)

    return Walk


def house_duel(visitor: TestClient) -> dict[str, Any]:
    """Of the two bots at the top of a board."""
    one, other, *_ = visitor.get(f"{API}/games/yavalath/leaderboard").json()["items"]
    return {"game": "yavalath", "candidate": one["submission_id"], "baseline": other["submission_id"]}


def checks_of_walk(case: Case, *, deleted: bool) -> list[CheckFunction]:
    """What an answer must keep to because of those before it. `deleted`: a bot was, with all that belongs to it."""
    name = case.operation.definition.raw["operationId"]
    checks = [] if name in RESULTS_STAY else [use_after_free]
    if case.operation.method == "get" and name not in NOT_YET and not deleted:
        checks.append(ensure_resource_availability)
    return checks


def start_at(roots: set[str], machine: Any) -> None:
    """Removes the rules that begin elsewhere, with something drawn: tests/api/test_schema.py has all of those."""
    allowed = {normalize_name(f"RANDOM -> {root}") for root in roots}
    for name in machine.root_rules - allowed:
        delattr(machine, name)
    machine.root_rules &= allowed
    machine._root_labels &= roots


@pytest.mark.long
@pytest.mark.parametrize("family", FAMILIES)
def test_walks_find_what_was_made_and_nothing_that_was_deleted(visitor: TestClient, family: str) -> None:
    links, beginning, answers = FAMILIES[family]
    expected = {(name, int(status)) for name, *codes in map(str.split, answers.split(",")) for status in codes}
    machine: Any = make_machine(visitor, links, beginning)
    for number in range(ROUNDS):
        seed(number)(machine).run(settings=FEW)
        if machine.seen.keys() >= expected:
            return
    pytest.fail(f"never came: {sorted(expected - machine.seen.keys())}")
