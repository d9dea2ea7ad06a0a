"""The steps of the schema: they lead to what the models say, there and back, and keep the rows."""

from __future__ import annotations

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import select, text

from backend import matches, migrate
from backend.db import Database
from backend.models import Base, Job, Match, MatchKind, Submission, VoidAttempt


def downgrade(database: Database, revision: str) -> None:
    config = migrate.alembic_config()
    with database.engine.connect() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, revision)


def differences(database: Database) -> list[object]:
    with database.engine.connect() as connection:
        return list(compare_metadata(MigrationContext.configure(connection), Base.metadata))


def test_the_migrations_make_what_the_models_say(database: Database) -> None:
    assert differences(database) == []


def test_a_step_back_and_forth_keeps_the_matches_of_the_older_schema(database: Database) -> None:
    with database.transaction() as session:
        pair = list(session.scalars(select(Submission.id).where(Submission.game == "ants").limit(2)))
        match_id = matches.schedule(
            session, game="ants", kind=MatchKind.LADDER, submission_ids=pair, seed=1, league=4
        ).id
        session.add(VoidAttempt(match_id=match_id, attempt=1, reason="our fault"))
    downgrade(database, "0001")
    with database.transaction() as session:
        assert session.scalar(text("SELECT to_regclass('void_attempt')")) is None
        assert session.scalar(text("SELECT count(*) FROM job")) == 1
    migrate.upgrade(database)
    assert differences(database) == []
    with database.transaction() as session:
        assert session.get_one(Job, match_id).not_before is None
        assert session.get_one(Match, match_id).game == "ants"


def test_all_steps_lead_back_to_nothing(database: Database) -> None:
    downgrade(database, "base")
    with database.transaction() as session:
        tables = "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'public'"
        assert session.scalar(text(tables)) == 1, "Alembic's own"
