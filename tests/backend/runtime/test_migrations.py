"""The steps of the schema: they lead to what the models say, there and back, and keep the rows."""

from __future__ import annotations

from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import select, text

from hexarena.backend.accounts.names import key_of
from hexarena.backend.matches import life as matches
from hexarena.backend.models import (
    Base,
    Bot,
    Job,
    Ladder,
    League,
    Match,
    MatchKind,
    Standing,
    Submission,
    TrialState,
    User,
    UserKind,
    VoidAttempt,
)
from hexarena.backend.runtime import migrate, partitions
from hexarena.backend.runtime.db import Database


def downgrade(database: Database, revision: str) -> None:
    config = migrate.alembic_config()
    with database.engine.connect() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, revision)


def differences(database: Database) -> list[object]:
    with database.engine.connect() as connection:
        options = {"include_object": partitions.include_object}
        return list(compare_metadata(MigrationContext.configure(connection, opts=options), Base.metadata))


def test_the_migrations_make_what_the_models_say(database: Database) -> None:
    assert differences(database) == []


def test_the_revisions_that_we_read_are_those_that_alembic_finds() -> None:
    scripts = ScriptDirectory.from_config(migrate.alembic_config())
    assert migrate.newest_revision() == scripts.get_current_head()
    assert all(migrate.is_known(step.revision) for step in scripts.walk_revisions())
    assert not migrate.is_known("9999")
    assert not migrate.is_known("")


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


def test_existing_ladders_come_to_play_by_the_top_rules(database: Database) -> None:
    """Bots of games with simpler lower leagues are tried anew; equal code becomes one competitor."""
    downgrade(database, "0008")
    with database.transaction() as session:
        session.execute(text("UPDATE league SET rules_level = position WHERE game = 'ants'"))
        owner = session.scalar(text("INSERT INTO \"user\" (kind, name) VALUES ('account', 'Ada') RETURNING id"))
        made = {}
        for game in ("ants", "yavalath"):
            sha256 = session.scalar(
                text("SELECT source_sha256 FROM submission WHERE game = :game ORDER BY id LIMIT 1"), {"game": game}
            )
            values = {"owner": owner, "game": game, "sha": sha256}
            values["bot"] = session.scalar(
                text("INSERT INTO bot (game, owner_id, name) VALUES (:game, :owner, 'copy') RETURNING id"), values
            )
            made[game] = session.scalar(
                text(
                    "INSERT INTO submission (user_id, game, bot_id, version, language, source_sha256, state, note)"
                    " SELECT :owner, CAST(:game AS varchar), :bot, 1, language, CAST(:sha AS varchar), 'live', ''"
                    " FROM submission WHERE source_sha256 = CAST(:sha AS varchar) AND game = CAST(:game AS varchar)"
                    " LIMIT 1 RETURNING id"
                ),
                values,
            )
            session.execute(
                text(
                    "INSERT INTO standing (submission_id, game, competitor_id, rating, league, league_from, trial)"
                    " VALUES (:id, :game, :id, 1000, 3, 7, 'stays')"
                ),
                {"id": made[game], "game": game},
            )
        session.execute(text("UPDATE ladder SET stale = false"))
    migrate.upgrade(database)
    assert differences(database) == []
    with database.transaction() as session:
        for game, league_from, trial in (("ants", 0, TrialState.OPEN), ("yavalath", 7, TrialState.STAYS)):
            after = session.get_one(Standing, made[game])
            assert (after.league, after.league_from, after.trial) == (3, league_from, trial)
            assert after.competitor_id < made[game], "the house's"
        bosses = select(Standing.trial).join(Submission, Submission.id == Standing.submission_id).join(
            League, League.boss_bot_id == Submission.bot_id)  # fmt: skip
        assert set(session.scalars(bosses)) == {TrialState.STAYS}
        assert all(session.scalars(select(Ladder.stale)))
