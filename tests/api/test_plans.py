"""Every query that a page sends has a plan that does not read a table that grows from end to end."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event, select

from hexarena.backend.accounts import tokens
from hexarena.backend.accounts.permissions import Scope
from hexarena.backend.api.requests import current_id
from hexarena.backend.matches import retention
from hexarena.backend.models import MatchKind, User
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.partitions import PARTITIONED
from hexarena.backend.status import faults, figures
from hexarena.bench.web import loading, pages
from hexarena.bench.web.world import Plan
from tests.conftest import Servers, new_arena, new_visitor
from tests.partitioned import cut

LARGE = Plan(matches=20_000, bots=600)
"""Enough that the planner has a choice."""
GROWING = re.compile(rf"Seq Scan on ({'|'.join(PARTITIONED)})(_from_\d+)?\b")
CUTS = (10_000,)
"""Ids of matches at which a partition begins; of the history, three times as many. Small ones would be read at once."""
ANYTHING = pages.Known("", 0, 0, [0], [0], [0], [0], [0], [0], [0], 0, 0, "", [""] * 9)
NAMES = [kind.name for kind in pages.kinds(ANYTHING)]
OWN = (
    "/matches?mine=true",
    "/matches?mine=true&kind=practice",
    "/matches?mine=true&result=loss",
    "/matches?mine=true&fault=any",
    "/bots?mine=true",
    "/duels?mine=true",
    "/me",
    "/me/notices",
)


@dataclass(slots=True)
class Large:
    """An arena with many matches, a visitor of it, and the statements that were sent."""

    client: TestClient
    database: Database
    kinds: Sequence[pages.Kind]
    person: dict[str, str]
    sent: list[tuple[str, Any]] = field(default_factory=list)

    def scans(self, path: str, headers: dict[str, str] | None = None) -> list[str]:
        """Asks for it; the lines of plans that read a growing table from end to end."""
        self.sent.clear()
        answer = self.client.get(f"/api/v1{path}", headers=headers)
        assert answer.status_code == 200, (path, answer.text)
        return self.scans_of_sent(path)

    def scans_of_sent(self, path: str) -> list[str]:
        """Of the statements that were sent since the list of them was cleared."""
        queries = [one for one in self.sent if one[0].lstrip().startswith(("SELECT", "WITH"))]
        with self.database.engine.connect() as connection:
            plans = [
                connection.exec_driver_sql(f"EXPLAIN {query}", values).scalars().all() for query, values in queries
            ]
        return [f"{path}: {line.strip()}" for plan in plans for line in plan if GROWING.search(line)]


@pytest.fixture(scope="module")
def large(servers: Servers, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Large]:
    """One for all tests of this file, which change nothing."""
    with new_arena(servers, template, tmp_path_factory.mktemp("large")) as settings:
        database = Database.of(settings)
        cut(database, CUTS, [3 * one for one in CUTS])
        loading.load(database, LARGE)
        with database.transaction() as session:
            kinds = pages.kinds(pages.known(session))
            owner = session.scalars(select(User).where(User.kind == "account").limit(1)).one()
            _, secret = tokens.create(session, owner, "test", [Scope.READ])
        with new_visitor(settings) as client:
            found = Large(client, database, kinds, {"Authorization": f"Bearer {secret}"})
            engine = client.app.state.arena.database.engine  # type: ignore[attr-defined]

            def note(_connection: Any, _cursor: Any, query: str, values: Any, *_: Any) -> None:
                # What the app reads by itself every few seconds has nothing to do with the page.
                if current_id() is not None or threading.current_thread() is threading.main_thread():
                    found.sent.append((query, values))

            event.listen(engine, "after_cursor_execute", note)
            yield found
        database.close()


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_no_page_reads_a_growing_table_from_end_to_end(large: Large, name: str) -> None:
    (kind,) = (one for one in large.kinds if one.name == name)
    assert [scan for path in dict.fromkeys(kind.paths) for scan in large.scans(path)] == []


def test_nor_does_a_page_of_ones_own(large: Large) -> None:
    assert [scan for path in OWN for scan in large.scans(path, large.person)] == []


def test_nor_do_the_arenas_figures(large: Large) -> None:
    """Those of the organisers' page and of Prometheus, read every few seconds."""
    large.sent.clear()
    with large.client.app.state.arena.database.transaction() as session:  # type: ignore[attr-defined]
        found = figures.read(session, newest=1000)  # a part of them, as of a million
    assert found.recent.window_s > 0
    assert len(large.sent) > 8
    assert large.scans_of_sent("figures") == []


def test_nor_do_the_faults_of_the_day(large: Large) -> None:
    large.sent.clear()
    with large.client.app.state.arena.database.transaction() as session:  # type: ignore[attr-defined]
        found = faults.read(session, most_each=50)  # a part of them, as of a million
    assert found.at is not None
    assert len(large.sent) > 4
    assert large.scans_of_sent("faults") == []


def test_nor_does_retention(large: Large) -> None:
    large.sent.clear()
    rule = retention.Rule("replays", frozenset(MatchKind), days=1)
    with large.client.app.state.arena.database.transaction() as session:  # type: ignore[attr-defined]
        retention.next_matches(session, rule)
        retention.passed_matches(session, rule)
    assert len(large.sent) == 5
    assert large.scans_of_sent("retention") == []


def test_what_a_page_sends_is_seen(large: Large) -> None:
    assert large.scans("/matches?kind=check") == []
    assert any("FROM match" in query for query, _ in large.sent)


def test_such_a_scan_would_be_found(large: Large) -> None:
    large.sent.clear()
    with large.database.engine.connect() as connection:
        plan = connection.exec_driver_sql("EXPLAIN SELECT count(*) FROM match_seat WHERE seat = 1").scalars().all()
    assert sum(GROWING.search(line) is not None for line in plan) == len(CUTS) + 1, "in each partition"
