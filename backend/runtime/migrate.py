"""Brings a database to the newest schema. Safe to call from several processes at once."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config

from hexarena.backend.runtime.db import Database

SCRIPTS = Path(__file__).parents[2] / "migrations"
"""Found by path, not imported: migrations know the tables, which this package must not import."""


def alembic_config() -> Config:
    """Alembic's configuration, wherever the package is installed."""
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    return config


def upgrade(database: Database, revision: str = "head") -> None:
    """Runs the migrations that are missing."""
    config = alembic_config()
    with database.engine.connect() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
