"""The database roles of hosts: who they are, and what they may do.

Theory of operation. Each host has a role of its own, made when its first worker joins, which may do what a worker does
and no more: GRANTS is the list. Its password follows from the arena's secret key, so that nothing of it is stored, and
all workers of a host get the same one. The grants are renewed at each join, in one transaction, so a new version of
Hexarena needs no other step. Roles belong to the server, not to a database, so their names have the database's number.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Mapping

import psycopg
from psycopg import errors, sql
from sqlalchemy import text
from sqlalchemy.orm import Session

from hexarena.backend.errors import Conflict
from hexarena.backend.models import Host
from hexarena.backend.runtime.locks import AdvisoryLock, hold

GRANTS: Mapping[str, str] = {
    "arena_identity": "SELECT",
    "bot": "SELECT, UPDATE (id)",
    "change": "SELECT, INSERT",
    "class_member": "SELECT (team_id, user_id)",
    "erasure": "INSERT",
    "event_entry": "SELECT (id, submission_id)",
    "in_person": "SELECT, UPDATE (header, turn, prompt, until, reply)",
    "in_person_turn": "SELECT, INSERT, DELETE",
    "job": "SELECT, UPDATE, DELETE",
    "ladder": "SELECT (game), UPDATE (game)",
    "league": "SELECT",
    "match": "SELECT, UPDATE (state, started_at, finished_at, void_reason)",
    "match_count": "SELECT, INSERT, UPDATE (matches)",
    "match_seat": "SELECT",
    "notice": "SELECT (id, at, seen), INSERT",
    "pending_result": "INSERT",
    "result": "SELECT, INSERT",
    "seat_result": "INSERT",
    "source": "SELECT",
    "standing": "SELECT, INSERT, UPDATE (consecutive_faults, settled)",
    "standing_history": "SELECT, INSERT",
    "submission": "SELECT, UPDATE (state, problem, build_log)",
    "usage": "SELECT, INSERT, UPDATE (slot_s, cpu_s)",
    "user": "SELECT (id, kind, name, was_guest)",
    "void_attempt": "SELECT, INSERT",
    "webhook": "SELECT (user_id, kinds, disabled_at)",
    "webhook_delivery": "SELECT (id), INSERT",
    "worker": "SELECT, INSERT, UPDATE",
}
"""Table -> what a worker may do with it. Whoever locks rows needs the right to change a column of them: where a worker
changes none, it has that of the key, which other rows hold fast. Not in it: passwords, mail addresses, sessions,
tokens, invitations, names on rosters, events with their secret seeds, ratings, the audit log."""
SEQUENCES = ("standing_history_id_seq",)
"""Where ids come from that a worker hands out, unless the column has the right to them."""
UNABLE = "The database role of this arena may not make roles for its hosts."


def name_of(session: Session, host_id: int) -> str:
    """The role of a host: a name that no other arena of the same server uses."""
    number = session.execute(text("SELECT oid FROM pg_database WHERE datname = current_database()")).scalar_one()
    return f"hexarena_host_{number}_{host_id}"


def password_of(key: str, host: Host) -> str:
    """The password of a host's role and of its broker user. `key`: the arena's secret key."""
    made = hmac.new(key.encode(), f"host {host.id} {host.secret_sha256}".encode(), hashlib.sha256).digest()
    return base64.urlsafe_b64encode(made).decode().rstrip("=")


def admit(session: Session, host_id: int, password: str) -> str:
    """Makes the host's role, or brings it up to date. Returns its name. Raises: Conflict."""
    role = name_of(session, host_id)
    connection = _connection(session)
    hold(session, AdvisoryLock.HOST_ROLES)  # two who change the grants of one table at once would fail
    # The server gets a hash only, since it may log statements.
    hashed = connection.pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256").decode()
    named = sql.Identifier(role)
    verb = "ALTER" if _exists(session, role) else "CREATE"
    options = "LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS" if verb == "CREATE" else ""
    try:
        connection.execute(sql.SQL(f"{verb} ROLE {{}} {options} PASSWORD {{}}").format(named, sql.Literal(hashed)))
        if verb == "CREATE":
            # Whoever is no superuser may end the role's connections and drop it only as a member of it.
            connection.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(named))
        _revoke_what_everybody_has(connection)
        connection.execute(sql.SQL("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {}").format(named))
        for table, granted in GRANTS.items():
            connection.execute(sql.SQL(f"GRANT {granted} ON {{}} TO {{}}").format(sql.Identifier(table), named))
        for sequence in SEQUENCES:
            connection.execute(sql.SQL("GRANT USAGE ON SEQUENCE {} TO {}").format(sql.Identifier(sequence), named))
    except errors.InsufficientPrivilege as error:
        expected = "a role with CREATEROLE that owns the tables: ALTER ROLE … CREATEROLE"
        raise Conflict(UNABLE, expected=expected, got=str(error).splitlines()[0]) from None
    return role


def drop(session: Session, host_id: int) -> None:
    """Ends the role and its connections, where there is one. Raises: Conflict."""
    role = name_of(session, host_id)
    connection = _connection(session)
    hold(session, AdvisoryLock.HOST_ROLES)  # two who change the grants of one table at once would fail
    if not _exists(session, role):
        return
    named = sql.Identifier(role)
    try:
        connection.execute(sql.SQL("ALTER ROLE {} NOLOGIN").format(named))
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s", [role])
        connection.execute(sql.SQL("DROP OWNED BY {}").format(named))
        connection.execute(sql.SQL("DROP ROLE {}").format(named))
    except errors.InsufficientPrivilege as error:
        expected = f"a role that may: DROP ROLE {role}"
        raise Conflict(UNABLE, expected=expected, got=str(error).splitlines()[0]) from None


def _revoke_what_everybody_has(connection: psycopg.Connection) -> None:
    """Every role may make temporary tables, and before PostgreSQL 15 tables, that fill the server's disk. Only who owns
    database and schema can change that; of others the server keeps it as it is, with a warning.
    """
    database = sql.Identifier(connection.info.dbname)
    connection.execute(sql.SQL("REVOKE TEMPORARY ON DATABASE {} FROM PUBLIC").format(database))
    connection.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")


def _connection(session: Session) -> psycopg.Connection:
    """The one under the session's transaction: names and passwords cannot be parameters of these statements."""
    driver = session.connection().connection.driver_connection
    if not isinstance(driver, psycopg.Connection):
        raise TypeError(f"expected a connection of psycopg; got {type(driver)}")
    return driver


def _exists(session: Session, role: str) -> bool:
    return session.scalar(text("SELECT 1 FROM pg_roles WHERE rolname = :role"), {"role": role}) is not None
