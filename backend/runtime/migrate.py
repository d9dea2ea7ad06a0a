"""Brings a database to the newest schema. Safe to call from several processes at once.

Alembic is imported when it is used: it takes 7 MB and a sixth of a second, and most processes change no schema.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, text
from sqlalchemy.orm import Session

from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.locks import AdvisoryLock, hold

if TYPE_CHECKING:
    from alembic.config import Config

SCRIPTS = Path(__file__).parents[2] / "migrations"
"""Found by path, not imported: migrations know the tables, which this package must not import."""

REVISION = re.compile(r'^(down_)?revision = "(.+)"$', re.MULTILINE)
"""What a step says of itself, and of the step before it."""


def alembic_config() -> Config:
    """Alembic's configuration, wherever the package is installed."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    return config


def upgrade(database: Database, revision: str = "head") -> None:
    """Runs the migrations that are missing."""
    with database.engine.connect() as connection:
        upgrade_on(connection, revision)


def upgrade_on(connection: Connection, revision: str = "head") -> None:
    """The same, inside the connection's transaction if it has one."""
    from alembic import command

    config = alembic_config()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def lock(connection: Connection) -> None:
    """Waits until nobody else changes the schema, to the end of the transaction."""
    hold(connection, AdvisoryLock.SCHEMA)


def empty(connection: Connection) -> None:
    """Removes all tables, inside the connection's transaction if it has one."""
    from alembic import command

    config = alembic_config()
    config.attributes["connection"] = connection
    command.downgrade(config, "base")


def is_known(revision: str) -> bool:
    """Whether this code has the revision."""
    return revision in _revisions()[0]


@cache
def newest_revision() -> str:
    """The revision that this code needs: the one that is before no other."""
    known, former = _revisions()
    newest = known - former
    if len(newest) != 1:
        raise FileNotFoundError(f"There are no migrations in {SCRIPTS}, or they do not form a single chain.")
    return newest.pop()


def _revisions() -> tuple[set[str], set[str]]:
    """All revisions, and those that are before another one, as the files of the steps have them."""
    known: set[str] = set()
    former: set[str] = set()
    for file in (SCRIPTS / "versions").glob("*.py"):
        for before, revision in REVISION.findall(file.read_text()):
            (former if before else known).add(revision)
    return known, former


def current_revision(session: Session) -> str | None:
    """The revision that the database has; None if it has no tables of ours."""
    if session.scalar(text("SELECT to_regclass('alembic_version')")) is None:
        return None
    revision: str | None = session.scalar(text("SELECT version_num FROM alembic_version LIMIT 1"))
    return revision
