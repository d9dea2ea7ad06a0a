"""The place in the queue that a page shows."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event

from hexarena.backend.api.deps import Arena
from hexarena.backend.matches import backlog

CODE = {"game": "yavalath", "language": "python", "source": "print('4 4')"}


def test_a_long_queue_is_not_read_again_for_each_match_that_joins_it(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hexarena.backend.api.views.matches.PLACES_KEPT_S", 10.0**9)
    arena: Arena = client.app.state.arena  # type: ignore[attr-defined]
    sent: list[str] = []
    event.listen(arena.database.engine, "before_cursor_execute", lambda *all_: sent.append(all_[2]))
    places = [client.post("/api/v1/matches", json=CODE).json()["queue_place"] for _ in range(3)]
    assert places == [1, 2, 3]
    of_queue = [one for one in sent if one.startswith("SELECT job.match_id, job.share") and "is_free" in one]
    assert ["these" in one or "IN (" in one for one in of_queue] == [False, True, True]
    with arena.database.transaction() as session:
        assert sorted(one.number for one in backlog.Snapshot.read(session, 1).places().values()) == places
