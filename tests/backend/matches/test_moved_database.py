"""A database that pg_dump moved to another cluster, where transactions are counted anew: events work at once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import func, select, text

from hexarena.backend.api.views.boards import Boards, Page
from hexarena.backend.matches import broker, live
from hexarena.backend.models import ChangeRow
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.status import figures
from hexarena.backend.submissions import seeding
from hexarena.worker.dispatcher import Dispatcher

GAME = "yavalath"
MOVED = text(
    "INSERT INTO change (tx, at, game, kind, subject_id) "
    "SELECT CAST(CAST(CAST(CAST(pg_current_xact_id() AS text) AS bigint) + 1000000 - hour AS text) AS xid8), "
    "now() - hour * interval '1 hour', 'yavalath', 'standing', 1 FROM generate_series(0, 30) AS hour"
)


def dispatch(settings: Settings, database: Database) -> None:
    Dispatcher(settings, database, broker.make_celery(settings.redis_url, settings.namespace)).tick(1.0)


def upgrade(_: Settings, database: Database) -> None:
    seeding.prepare(database)


def changes(database: Database) -> int:
    with database.transaction() as session:
        return session.scalar(select(func.count()).select_from(ChangeRow)) or 0


@pytest.fixture
def moved(database: Database) -> Database:
    with database.transaction() as session:
        session.execute(text("DELETE FROM change"))
        session.execute(MOVED)
    return database


@pytest.mark.parametrize("begin", [dispatch, upgrade])
def test_events_of_the_former_cluster_go_and_new_ones_are_read(
    settings: Settings, moved: Database, begin: Callable[[Settings, Database], None]
) -> None:
    with moved.transaction() as session:
        assert figures.read(session).event_lag_s > 3600
        place = live.now(session)
    begin(settings, moved)
    with moved.transaction() as session:
        live.publish(session, GAME, "match", 7)
    with moved.transaction() as session:
        live.prune(session)
    with moved.transaction() as session:
        assert 7 in [one.subject_id for one in live.changes_since(session, place, game=GAME)]
        assert live.is_pruned(session, place)
        assert not live.is_pruned(session, live.now(session))
        assert figures.read(session).event_lag_s == 0


def test_boards_are_kept_again(settings: Settings, moved: Database) -> None:
    boards, page = Boards(), Page(GAME, 10, None, None)
    dispatch(settings, moved)
    with moved.transaction() as session:
        first = boards.get(session, page)
    with moved.transaction() as session:
        assert boards.get(session, page) is first


def test_a_transaction_keeps_what_it_has_published_itself(database: Database) -> None:
    with database.transaction() as session:
        live.publish(session, GAME, "match", 7)
        assert live.forget_former_cluster(session) == 0
    before = changes(database)
    with database.transaction() as session:
        assert live.forget_former_cluster(session) == 0
    assert changes(database) == before > 0
