"""Similarity reports over HTTP: who may see them, and what is in them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from textwrap import dedent
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from hexarena.backend import audit
from hexarena.backend.classes import similarity
from hexarena.backend.models import User, UserRole
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import life as submissions
from hexarena.worker.sandbox import Sandbox
from hexarena.worker.similar import job
from tests.api.test_classes_api import NAMES, new_class, organiser, signed_in
from tests.conftest import new_visitor
from tests.worker.test_similar import LOOP, sandbox, set_source

pytestmark = pytest.mark.sandbox
__all__ = ["organiser", "sandbox"]  # fixtures
API = "/api/v1"
OTHER = dedent(
    """
    class Board:
        def __init__(self, size):
            self.size, self.cells = size, {}
        def neighbours(self, cell):
            yield from (cell + step for step in (-1, 1, -self.size, self.size) if cell + step in self.cells)
    """
)


def submitted(settings: Settings, database: Database, codes: Sequence[dict[str, Any]], sources: Sequence[str]) -> None:
    """Each student has a bot with one of the sources on the ladder."""
    for number, (code, source) in enumerate(zip(codes, sources, strict=True)):
        with signed_in(settings, code) as student:
            bot = {"game": "yavalath", "bot": f"Bot {number}", "language": "python", "source": "print('4 4')"}
            answer = student.post(f"{API}/submissions", json=bot)
            assert answer.status_code == 201, answer.text
        set_live(database, answer.json()["id"], source)


def set_live(database: Database, submission_id: int, source: str) -> None:
    set_source(database, submission_id, source)
    with database.transaction() as session:
        submissions.go_live(session, submission_id)


@pytest.mark.long
def test_an_organiser_compares_a_class_and_reads_a_pair(
    organiser: TestClient, settings: Settings, database: Database, sandbox: Sandbox
) -> None:
    class_id, codes = new_class(organiser)
    submitted(settings, database, codes, [LOOP, OTHER, LOOP.replace("found", "kept")])
    reports = f"{API}/classes/{class_id}/similarity"
    asked = organiser.post(reports, json={})
    assert (asked.status_code, asked.json()["state"]) == (202, "queued")
    again = organiser.post(reports, json={})
    assert (again.status_code, again.json()["detail"]) == (409, "A report of this class is being made.")
    report = asked.json()["id"]
    assert organiser.get(f"{reports}/{report}").json()["pairs"] == []
    assert job.make(database, sandbox, report) == "done"

    found = organiser.get(f"{reports}/{report}").json()
    assert (found["state"], found["done"], found["sources"], found["left_out"]) == ("done", 3, 3, [])
    (pair,) = found["pairs"]
    assert (pair["one"]["names"], pair["other"]["names"]) == ([NAMES[0]], [NAMES[2]])
    assert (pair["one"]["bot"], pair["one"]["version"]) == ("Bot 0", 1)
    assert (pair["share_one"], pair["share_other"], pair["similarity"]) == (1.0, 1.0, 1.0)
    lines = list(csv.reader(io.StringIO(organiser.get(f"{reports}/{report}?format=csv").text)))
    assert len(lines) == 2
    assert lines[1][:6] == [NAMES[0], "Bot 0 v1", NAMES[2], "Bot 2 v1", "1.0", "1.0"]

    answer = organiser.get(f"{reports}/{report}/pairs/1")
    assert answer.headers["Cache-Control"] == "private, no-store"
    shown = answer.json()
    assert (shown["text_one"], shown["text_other"]) == (LOOP, LOOP.replace("found", "kept"))
    assert [(run["one"], run["other"]) for run in shown["runs"]] == [([2, 7], [2, 7])]
    assert organiser.get(f"{reports}/{report}/pairs/2").status_code == 404
    assert organiser.get(f"{reports}").json()["items"][0]["id"] == report
    with database.transaction() as session:
        assert "compare sources" in {entry.action for entry, _ in audit.entries(session)}


def test_nobody_else_sees_a_report(organiser: TestClient, settings: Settings, database: Database) -> None:
    class_id, codes = new_class(organiser)
    reports = f"{API}/classes/{class_id}/similarity"
    report = organiser.post(reports, json={}).json()["id"]
    paths = (reports, f"{reports}/{report}", f"{reports}/{report}?format=csv", f"{reports}/{report}/pairs/1")
    with new_visitor(settings) as visitor, signed_in(settings, codes[0]) as student, new_visitor(settings) as other:
        other.post(f"{API}/sign-up", json={"name": "Grace", "password": "correct horse"})
        with database.transaction() as session:
            session.execute(update(User).where(User.name == "Grace").values(role=UserRole.ORGANISER))
        for client, status in ((visitor, 401), (student, 404), (other, 404)):
            assert {client.get(path).status_code for path in paths} == {status}
            assert client.post(reports, json={}).status_code == status


def test_earlier_classes_are_ones_own_of_the_same_game(organiser: TestClient, database: Database) -> None:
    class_id, _ = new_class(organiser)
    reports = f"{API}/classes/{class_id}/similarity"
    ants = organiser.post(f"{API}/classes", json={"game": "ants", "name": "Ants"}).json()["id"]
    assert organiser.post(reports, json={"earlier": [class_id]}).status_code == 422
    assert organiser.post(reports, json={"earlier": [ants]}).status_code == 422
    assert organiser.post(reports, json={"earlier": [999]}).status_code == 404
    assert organiser.post(reports, json={"assignment": 999}).status_code == 404
    assert organiser.post(reports, json={"earlier": list(range(1, 30))}).status_code == 422
    last = organiser.post(f"{API}/classes", json={"game": "yavalath", "name": "Last year"}).json()["id"]
    report = organiser.post(reports, json={"earlier": [last, last]})
    assert (report.status_code, report.json()["earlier"]) == (202, [last])
    assert organiser.delete(f"{API}/classes/{class_id}").status_code == 204
    with database.transaction() as session:
        assert similarity.due(session) is None
