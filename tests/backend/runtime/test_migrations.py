"""The steps of the schema: they lead to what the models say, there and back, and keep the rows."""

from __future__ import annotations

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import select, text

from hexarena.backend.accounts.names import key_of
from hexarena.backend.matches import life as matches
from hexarena.backend.models import Base, Bot, Job, Match, MatchKind, Submission, User, UserKind, VoidAttempt
from hexarena.backend.runtime import migrate
from hexarena.backend.runtime.db import Database


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


def test_accounts_come_to_an_arena_that_has_names_too_near_to_each_other(database: Database) -> None:
    """The oldest of them gets the key, and nobody loses a name."""
    downgrade(database, "0006")
    with database.transaction() as session:
        for name in ("Ada", "Hexаrena", "аdа", "Grace"):
            session.execute(text("INSERT INTO \"user\" (kind, name) VALUES ('account', :name)"), {"name": name})
        guest = session.scalar(text("INSERT INTO \"user\" (kind, name) VALUES ('guest', 'Ada') RETURNING id"))
        for name in ("twin", "twіn"):
            session.execute(
                text("INSERT INTO bot (game, owner_id, name) VALUES ('ants', :owner, :name)"),
                {"owner": guest, "name": name},
            )
    migrate.upgrade(database)
    assert differences(database) == []
    with database.transaction() as session:
        users = session.execute(select(User.name, User.name_key).where(User.kind != UserKind.GUEST).order_by(User.id))
        assert [(name, key is not None) for name, key in users] == [
            ("Hexarena", True),
            ("Ada", True),
            ("Hexаrena", False),
            ("аdа", False),
            ("Grace", True),
        ]
        keys = session.scalars(select(Bot.name_key).where(Bot.owner_id == guest)).all()
        assert keys == [key_of("twin")] * 2
