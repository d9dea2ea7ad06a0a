"""Notifications: once for each channel, and only of what was committed."""

from __future__ import annotations

from collections.abc import Sequence

from hexarena.backend.runtime.db import Database, notify


def notified(database: Database, *transactions: Sequence[str]) -> list[str]:
    """The channels that a listener of all of them is notified of. A transaction that names "" is rolled back."""
    with database.listen("hexarena_jobs") as connection:
        connection.execute("LISTEN hexarena_events")
        for channels in transactions:
            try:
                with database.transaction() as session:
                    for channel in channels:
                        if not channel:
                            raise _RolledBack
                        notify(session, "hexarena_jobs" if channel == "jobs" else "hexarena_events")
            except _RolledBack:
                pass
        connection.execute("SELECT 1")
        return [one.channel for one in connection.notifies(timeout=0.0)]


class _RolledBack(Exception):
    pass


def test_a_channel_is_notified_once_however_much_has_changed(database: Database) -> None:
    assert sorted(notified(database, ["jobs", "events", "jobs", "jobs"])) == ["hexarena_events", "hexarena_jobs"]


def test_nobody_is_notified_of_what_was_rolled_back(database: Database) -> None:
    assert notified(database, ["jobs", "events", ""]) == []
    assert notified(database, ["jobs", ""], ["events"]) == ["hexarena_events"]


def test_a_savepoint_notifies_with_its_transaction(database: Database) -> None:
    with database.listen("hexarena_jobs") as connection, database.transaction() as session:
        with session.begin_nested():
            notify(session, "hexarena_jobs")
        assert not list(connection.notifies(timeout=0.0))
        session.commit()
        connection.execute("SELECT 1")
        assert [one.channel for one in connection.notifies(timeout=0.0)] == ["hexarena_jobs"]
