"""Hosts elsewhere: their tokens, what they receive, and what their database roles and broker users may not do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from fastapi.testclient import TestClient
from redis import Redis
from redis.exceptions import AuthenticationError, NoPermissionError
from sqlalchemy import delete, func, make_url, select, text, update

from hexarena.backend.errors import Conflict, Invalid, NotFound
from hexarena.backend.hosts import broker_users, joining, life as hosts, roles
from hexarena.backend.ladder import standings
from hexarena.backend.matches import broker
from hexarena.backend.models import (
    AuditEntry,
    Base,
    Host,
    Job,
    Ladder,
    Match,
    MatchState,
    Submission,
    SubmissionState,
    Worker,
)
from hexarena.backend.runtime import migrate
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.locks import AdvisoryLock
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import life as submissions
from hexarena.worker.dispatcher import HOSTS_S, Dispatcher
from tests.backend.ladder.ladders import GAME, enter, user
from tests.conftest import Servers, new_visitor

JOIN = "/api/v1/hosts/join"
THIS = {"version": version("hexarena"), "revision": migrate.newest_revision()}


@pytest.fixture
def joinable(settings: Settings) -> Settings:
    """Those of an arena whose servers other machines know by an address. Here they are reached by their sockets."""
    own = {"join_database_url": "postgresql://db.example:5432/arena?sslmode=require"}
    return settings.model_copy(update=own | {"join_redis_url": "redis://broker.example:6379/0"})


@pytest.fixture
def visitor(joinable: Settings) -> Iterator[TestClient]:
    """Somebody at that arena's API."""
    with new_visitor(joinable) as client:
        yield client


@pytest.fixture
def token(database: Database, servers: Servers, joinable: Settings) -> Iterator[str]:
    """That of the host lab-7, which is gone after the test: roles belong to the server, not to the test's database."""
    with database.transaction() as session:
        _, secret = hosts.add(session, "lab-7")
    yield secret
    with database.transaction() as session, Redis.from_url(servers.redis_url) as redis:
        for name in session.scalars(select(Host.name)).all():
            hosts.remove(session, redis, name)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def joined(client: TestClient, token: str) -> dict[str, str]:
    answer = client.post(JOIN, json=THIS, headers=bearer(token))
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def credentials(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.username or "", parts.password or ""


def as_worker(settings: Settings, reported: dict[str, str]) -> psycopg.Connection:
    """A connection with the credentials that a worker received, over the socket of the tests' server."""
    user, password = credentials(reported["database_url"])
    return psycopg.connect(settings.database_url, user=user, password=password, autocommit=True)


# --- Tokens ----------------------------------------------------------------------------------------------------------


def test_a_host_has_a_name_of_its_own_and_a_token_of_which_only_the_hash_is_kept(database: Database) -> None:
    with database.transaction() as session:
        host, token = hosts.add(session, "lab-7")
        assert token.startswith(hosts.PREFIX)
        assert token not in str([value for value in vars(host).values() if isinstance(value, str)])
        assert session.scalars(select(AuditEntry.detail)).all() == [{"host": "lab-7"}]
        with pytest.raises(Conflict):
            hosts.add(session, "lab-7")
        for name in ("", "Lab", "a b", "-a", "a" * 41, "a:1", "ä"):
            with pytest.raises(Invalid):
                hosts.add(session, name)
        with pytest.raises(NotFound):
            hosts.remove(session, None, "lab-8")


@pytest.mark.parametrize("wrong", ["", "hxh_", "hxh_" + "a" * 43, "hxt_" + "a" * 43, "\N{SNOWMAN}"])
def test_without_the_token_nobody_joins(visitor: TestClient, wrong: str) -> None:
    answer = visitor.post(JOIN, json=THIS, headers={"Authorization": f"Bearer {wrong}".encode()})
    assert answer.status_code == 401, answer.text
    assert "password" not in answer.text


def test_neither_guest_nor_user_joins(visitor: TestClient) -> None:
    visitor.post("/api/v1/sign-up", json={"name": "Ada", "password": "correct horse"})
    assert visitor.post(JOIN, json=THIS).status_code == 401


def test_a_token_may_be_used_again_by_every_worker_of_its_host(visitor: TestClient, token: str) -> None:
    first, second = joined(visitor, token), joined(visitor, token)
    assert first == second, "the workers that run already keep their credentials"


def test_a_host_joins_while_others_hold_all_the_other_locks(
    visitor: TestClient, token: str, database: Database
) -> None:
    """A running arena has a scheduler, which holds its lock for as long as it lives."""
    others = [lock for lock in AdvisoryLock if lock != AdvisoryLock.HOST_ROLES]
    with ExitStack() as held:
        assert all(held.enter_context(database.lock(lock)) for lock in others)
        assert joined(visitor, token)["host"] == "lab-7"


def test_who_joins_waits_not_for_ever_for_another(
    visitor: TestClient, token: str, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hexarena.backend.api.routes.hosts.LOCK_PATIENCE_S", 0.05)
    with database.lock(AdvisoryLock.HOST_ROLES):
        refused = visitor.post(JOIN, json=THIS, headers=bearer(token))
    assert (refused.status_code, refused.json()["detail"]) == (
        503,
        "Another worker is joining right now. Try again in a moment.",
    )
    joined(visitor, token)


def test_a_worker_that_was_cut_off_during_its_report_keeps_nobody_from_joining(
    visitor: TestClient, token: str, database: Database
) -> None:
    """Its open transaction has the row of its host locked against deletion."""
    with database.transaction() as session:
        host_id = session.scalars(select(Host.id)).one()
        session.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        session.add(Worker(name="cut off", slots=1, sandbox="", languages=[], host_id=host_id))
        session.flush()
        joined(visitor, token)


def test_a_host_that_was_removed_is_out_at_once(
    visitor: TestClient, token: str, database: Database, settings: Settings, servers: Servers
) -> None:
    reported = joined(visitor, token)
    with closing(as_worker(settings, reported)) as worker, Redis.from_url(servers.redis_url) as redis:
        with database.transaction() as session:
            hosts.remove(session, redis, "lab-7")
        with pytest.raises(psycopg.OperationalError):
            worker.execute("SELECT 1")
        user, password = credentials(reported["redis_url"])
        with (
            pytest.raises(AuthenticationError),
            Redis.from_url(servers.redis_url, username=user, password=password) as his,
        ):
            his.ping()
    with pytest.raises(psycopg.OperationalError):
        as_worker(settings, reported)
    assert visitor.post(JOIN, json=THIS, headers=bearer(token)).status_code == 401


# --- What it receives -----------------------------------------------------------------------------------------------


def test_a_host_learns_where_everything_is(visitor: TestClient, token: str, joinable: Settings) -> None:
    reported = joined(visitor, token)
    user, password = credentials(reported["database_url"])
    assert reported["database_url"] == f"postgresql://{user}:{password}@db.example:5432/arena?sslmode=require"
    assert reported["redis_url"] == f"redis://{user}:{password}@broker.example:6379/0"
    assert (reported["host"], reported["limited"]) == ("lab-7", True)
    assert reported["settings"]["namespace"] == joinable.namespace  # type: ignore[index]
    assert reported["store_variables"] == {}
    assert joinable.signing_key() not in str(reported)


@pytest.mark.parametrize("other", [{"version": "0.0.1"}, {"revision": "0001"}, {"version": "9" * 40}])
def test_a_worker_of_another_version_is_refused(visitor: TestClient, token: str, other: dict[str, str]) -> None:
    answer = visitor.post(JOIN, json=THIS | other, headers=bearer(token))
    assert answer.status_code == 409
    assert version("hexarena") in answer.json()["expected"]


def test_an_arena_whose_servers_listen_on_sockets_says_so(client: TestClient, token: str) -> None:
    answer = client.post(JOIN, json=THIS, headers=bearer(token))
    assert answer.status_code == 409
    assert "HEXARENA_JOIN_DATABASE_URL" in answer.json()["expected"]


def test_variables_of_the_store_are_those_that_were_set_for_hosts() -> None:
    bucket = Settings(store="s3://arena/x", join_store={"AWS_ACCESS_KEY_ID": "theirs"})
    assert joining.store_variables(bucket) == {"AWS_ACCESS_KEY_ID": "theirs"}
    assert joining.store_variables(Settings(join_store={"AWS_ACCESS_KEY_ID": "theirs"})) == {}


# --- What it may not do ----------------------------------------------------------------------------------------------

FORBIDDEN = [
    """UPDATE "user" SET password_hash = 'x'""",
    """SELECT password_hash FROM "user" """,
    """SELECT email FROM "user" """,
    "SELECT * FROM token",
    "SELECT * FROM user_session",
    "SELECT * FROM invite",
    "SELECT * FROM host",
    "SELECT salt FROM webhook",
    "SELECT name FROM class_member",
    "SELECT * FROM event",
    "SELECT * FROM audit_entry",
    "INSERT INTO audit_entry (action, detail) VALUES ('x', '{}')",
    "UPDATE standing SET rating = 3000",
    "UPDATE result SET reason = 'x'",
    "UPDATE seat_result SET rank = 0",
    "DELETE FROM result",
    "DELETE FROM worker",
    "UPDATE match_seat SET submission_id = 1",
    "UPDATE match SET seed = 1",
    "UPDATE submission SET source_sha256 = NULL",
    "INSERT INTO match (game, kind, state, seed, league) VALUES ('ants', 'ladder', 'queued', 1, 1)",
    "UPDATE source SET body = ''",
    "UPDATE arena_identity SET id = 'x'",
    "UPDATE alembic_version SET version_num = '0001'",
    "TRUNCATE job",
    "CREATE TABLE mine (id int)",
    "CREATE TEMPORARY TABLE mine (id int)",
    "CREATE SCHEMA mine",
    "DROP TABLE job",
    "CREATE ROLE another LOGIN",
    "ALTER ROLE CURRENT_USER CREATEROLE",
    "COPY job TO PROGRAM 'true'",
    "SELECT pg_read_file('/etc/passwd')",
    "SET ROLE hexarena",
]


def is_refused(worker: psycopg.Connection, statement: str) -> bool:
    """Whether the role has no right to do it."""
    try:
        worker.execute(statement.encode())
    except psycopg.errors.InsufficientPrivilege:
        return True
    return False


def test_a_workers_role_may_not_do_what_no_worker_does(visitor: TestClient, token: str, settings: Settings) -> None:
    with closing(as_worker(settings, joined(visitor, token))) as worker:
        assert [one for one in FORBIDDEN if not is_refused(worker, one)] == []
        assert worker.execute("SELECT count(*) FROM job").fetchone() == (0,)
        history = worker.execute(
            "INSERT INTO standing_history (submission_id, game, rating, deviation, games, wins, draws, losses, league, "
            "live) SELECT submission_id, game, 1, 1, 0, 0, 0, 0, 1, false FROM standing LIMIT 1 RETURNING id"
        )
        assert history.fetchone() is not None, "ids come from a sequence"


def test_a_workers_role_can_bring_versions_onto_the_ladder_and_take_them_off(
    visitor: TestClient, token: str, database: Database, settings: Settings
) -> None:
    with database.transaction() as session:
        owner, other = user(session), user(session)
        known = enter(session, other, "known", "print('known')")
        enter(session, owner, "mine")
        uploads = (("mine", b"print('known')"), ("broken", b"print(1, 2)"), ("void", b"print(3)"))
        copy, broken, void = [
            submissions.submit(session, owner, game=GAME, name=name, language="python", source=source).id
            for name, source in uploads
        ]
        check = session.get_one(Match, session.get_one(Submission, void).check_match_id)
        session.execute(delete(Job).where(Job.match_id == check.id))
        check.state, check.void_reason, check.finished_at = MatchState.VOID, "It broke.", func.now()
    name, password = credentials(joined(visitor, token)["database_url"])
    url = make_url(settings.sqlalchemy_url()).set(username=name, password=password)
    elsewhere = Database(url.render_as_string(hide_password=False), pool_size=1)
    with elsewhere.transaction() as session:
        submissions.go_live(session, copy)
        submissions.fail(session, broken, "Build failed.", build_log="bot.py:1")
        standings.disable(session, known, "It crashes.")
        submissions.fail_void_checks(session)
    elsewhere.close()
    with database.transaction() as session:
        states = [session.get_one(Submission, one).state for one in (copy, broken, known, void)]
    assert states == [*(SubmissionState.LIVE, SubmissionState.FAILED, SubmissionState.DISABLED), SubmissionState.FAILED]


def test_grants_name_tables_that_there_are() -> None:
    assert set(roles.GRANTS) <= set(Base.metadata.tables)


def test_a_grant_that_is_no_longer_in_the_list_is_gone_after_the_next_join(
    visitor: TestClient, token: str, database: Database, settings: Settings
) -> None:
    reported = joined(visitor, token)
    user, _ = credentials(reported["database_url"])
    with database.transaction() as session:
        session.execute(text(f'GRANT SELECT ON token TO "{user}"'))
    joined(visitor, token)
    with closing(as_worker(settings, reported)) as worker, pytest.raises(psycopg.errors.InsufficientPrivilege):
        worker.execute("SELECT * FROM token")


def test_a_workers_user_of_the_broker_reaches_the_arenas_queue_and_lines_only(
    visitor: TestClient, token: str, settings: Settings, servers: Servers
) -> None:
    user, password = credentials(joined(visitor, token)["redis_url"])
    queue = settings.namespace
    with Redis.from_url(servers.redis_url, username=user, password=password) as worker:
        worker.lpush(queue, "x")
        worker.delete(queue)
        worker.xadd(f"{queue}:match:1:1", {"line": "x"})
        worker.delete(f"{queue}:match:1:1")
        for refused in (
            lambda: worker.get("another"),
            lambda: worker.lpush(f"{queue}-ratings", "x"),
            lambda: worker.lpush(f"{queue}x", "x"),
            lambda: worker.publish("/0.celery.pidbox", "x"),
            worker.flushall,
            worker.function_flush,
            worker.keys,
            worker.config_get,
            worker.acl_list,
            worker.shutdown,
        ):
            with pytest.raises(NoPermissionError):
                refused()  # type: ignore[operator]


def test_users_that_the_broker_has_forgotten_are_made_again(
    visitor: TestClient, token: str, database: Database, joinable: Settings, servers: Servers
) -> None:
    user, password = credentials(joined(visitor, token)["redis_url"])
    with Redis.from_url(servers.redis_url) as redis:
        with database.transaction() as session:
            assert joining.keep_known(session, redis, joinable) == 0
        broker_users.drop(redis, user)
        with database.transaction() as session:
            assert joining.keep_known(session, redis, joinable) == 1
    with Redis.from_url(servers.redis_url, username=user, password=password) as worker:
        assert worker.ping()


def test_no_user_is_made_again_of_a_host_that_is_being_removed(
    visitor: TestClient, token: str, database: Database, joinable: Settings, servers: Servers
) -> None:
    user, _ = credentials(joined(visitor, token)["redis_url"])
    with Redis.from_url(servers.redis_url) as redis:
        broker_users.drop(redis, user)
        with database.transaction() as removing, database.transaction() as session:
            removing.scalars(select(Host.id).with_for_update()).all()
            assert joining.keep_known(session, redis, joinable) == 0
        assert not broker_users.knows(redis, user)


def test_a_dispatcher_makes_them_again_while_it_rests(
    visitor: TestClient, token: str, database: Database, joinable: Settings, servers: Servers
) -> None:
    user, _ = credentials(joined(visitor, token)["redis_url"])
    with database.transaction() as session:
        session.execute(update(Ladder).values(stale=False))
    dispatcher = Dispatcher(joinable, database, broker.make_celery(joinable.redis_url, joinable.namespace))
    with database.listen("hexarena_jobs") as listener, Redis.from_url(servers.redis_url) as redis:
        assert dispatcher.look(listener, 0.0) is not None
        dispatcher.tick(0.0)
        dispatcher.wait(listener, 0.0)
        broker_users.drop(redis, user)
        assert dispatcher.look(listener, HOSTS_S - 1) is None
        assert not broker_users.knows(redis, user)
        assert dispatcher.look(listener, HOSTS_S + 1) is None
        assert broker_users.knows(redis, user)


def admit_as(database: Database, role: str) -> None:
    """What a join does, where the arena has this role."""
    with database.transaction() as session:
        session.execute(text(f'SET LOCAL ROLE "{role}"'))
        roles.admit(session, session.scalars(select(Host.id)).one(), "secret")


def test_an_arena_that_may_make_no_roles_says_what_it_needs(
    token: str, database: Database, joinable: Settings, servers: Servers
) -> None:
    plain = f"plain_{joinable.namespace[-12:]}"
    with database.transaction() as session:
        session.execute(text(f'CREATE ROLE "{plain}"'))
        session.execute(text(f'GRANT SELECT, UPDATE ON host TO "{plain}"'))
    try:
        with pytest.raises(Conflict) as refused:
            admit_as(database, plain)
        assert "CREATEROLE" in str(refused.value.expected)
    finally:
        with database.transaction() as session:
            session.execute(text(f'DROP OWNED BY "{plain}"'))
            session.execute(text(f'DROP ROLE "{plain}"'))


def test_passwords_follow_from_the_key_and_the_token(database: Database, tmp_path: Path) -> None:
    with database.transaction() as session:
        one, _ = hosts.add(session, "one")
        other, _ = hosts.add(session, "other")
        made = {roles.password_of(key, host) for key in ("k", "l") for host in (one, other)}
        session.execute(delete(Host))
    assert len(made) == 4
    assert all(len(password) == 43 for password in made)
