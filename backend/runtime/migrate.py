"""Brings a database to the newest schema. Safe to call from several processes at once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, text
from sqlalchemy.orm import Session

from hexarena.backend.runtime.db import Database

SCRIPTS = Path(__file__).parents[2] / "migrations"
"""Found by path, not imported: migrations know the tables, which this package must not import."""

LOCK_KEY = 0x68657861
"""Two processes that upgrade at once take turns."""


def alembic_config() -> Config:
    """Alembic's configuration, wherever the package is installed."""
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    return config


def upgrade(database: Database, revision: str = "head") -> None:
    """Runs the migrations that are missing."""
    with database.engine.connect() as connection:
        upgrade_on(connection, revision)


def upgrade_on(connection: Connection, revision: str = "head") -> None:
    """The same, inside the connection's transaction if it has one."""
    config = alembic_config()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def lock(connection: Connection) -> None:
    """Waits until nobody else changes the schema, to the end of the transaction."""
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK_KEY})


def empty(connection: Connection) -> None:
    """Removes all tables, inside the connection's transaction if it has one."""
    config = alembic_config()
    config.attributes["connection"] = connection
    command.downgrade(config, "base")


def is_known(revision: str) -> bool:
    """Whether this code has the revision."""
    try:
        return ScriptDirectory.from_config(alembic_config()).get_revision(revision) is not None
    except CommandError:
        return False


@cache
@cache
def newest_revision() -> str:
    """The revision that this code needs. To find it, all migrations are loaded."""
    head = ScriptDirectory.from_config(alembic_config()).get_current_head()
    if head is None:
        raise FileNotFoundError(f"There are no migrations in {SCRIPTS}.")
    return head


def current_revision(session: Session) -> str | None:
    """The revision that the database has; None if it has no tables of ours."""
    if session.scalar(text("SELECT to_regclass('alembic_version')")) is None:
        return None
    revision: str | None = session.scalar(text("SELECT version_num FROM alembic_version LIMIT 1"))
    return revision
