"""A database that came from another cluster, where transactions had other numbers: pages stay where they are."""

from __future__ import annotations

from sqlalchemy import text

from hexarena.backend.matches import live
from hexarena.backend.runtime.db import Database
from hexarena.backend.status import figures

GAME = "yavalath"


def test_changes_go_on_where_they_were(database: Database) -> None:
    with database.transaction() as session:
        live.publish(session, GAME, "match", 6)
    with database.transaction() as session:
        place = live.now(session)
        # As pg_dump writes it.
        session.execute(text("SELECT setval('change_id_seq', :last)"), {"last": place.id})
        assert live.now(session) == place
    with database.transaction() as session:
        live.publish(session, GAME, "match", 7)
    with database.transaction() as session:
        assert [one.subject_id for one in live.changes_since(session, place, game=GAME)] == [7]
        assert not live.is_pruned(session, place)
        assert figures.read(session).event_lag_s == 0
