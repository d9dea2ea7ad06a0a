"""Brings a database to the newest schema and seeds it. Safe to call from several processes at once."""

from __future__ import annotations

from alembic import command
from alembic.config import Config

import migrations
from backend.db import Database
from backend.seeding import seed


def alembic_config() -> Config:
    """Alembic's configuration, wherever the package is installed."""
    config = Config()
    config.set_main_option("script_location", str(next(iter(migrations.__path__))))
    return config


def upgrade(database: Database, revision: str = "head") -> None:
    """Runs the migrations that are missing."""
    config = alembic_config()
    with database.engine.connect() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


def prepare(database: Database) -> int:
    """Migrates and seeds. Returns how many house bots are new."""
    upgrade(database)
    with database.transaction() as session:
        return seed(session)
