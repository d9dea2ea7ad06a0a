"""The advisory locks of the database, all in one place: two things that share a number would wait for each other."""

from __future__ import annotations

from datetime import datetime
from enum import IntEnum, unique

from sqlalchemy import Connection, Exists, SQLColumnExpression, column, exists, func, select, table, text
from sqlalchemy.orm import Session

LOCKS = table("pg_locks", *map(column, ("pid", "locktype", "classid", "objid", "objsubid")))
ACTIVITY = table("pg_stat_activity", *map(column, ("pid", "datname", "xact_start")))


@unique
class AdvisoryLock(IntEnum):
    """What only one at a time may do in a database. Old and new parts run side by side, so no number changes its
    meaning.

    SCHEMA: change the schema. SEEDING: make house bots. SCHEDULING: be the scheduler, for as long as it runs.
    HOST_ROLES: change what hosts' roles may do. UPKEEP: be the dispatcher that deletes what is old. RESTORING: fill
    the database from a backup. NAMES: take a name. CHANGES is shared: a trigger takes it for a transaction that writes
    rows of `change`, with a second number; see `matches.live`. UPLOADS is shared by all transactions that store a new
    version, so that a deadline can see those that came before it and are not committed yet.
    """

    SCHEMA = 0x68657861
    SEEDING = 0x68657862
    SCHEDULING = 0x68657863
    HOST_ROLES = 0x68657864
    UPKEEP = 0x68657865
    RESTORING = 0x68657866
    CHANGES = 0x68657867
    UPLOADS = 0x68657868
    NAMES = 0x6E616D65


def hold(where: Session | Connection, lock: AdvisoryLock) -> None:
    """Waits for the lock and keeps it until the transaction ends."""
    where.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": int(lock)})


def share(where: Session | Connection, lock: AdvisoryLock) -> None:
    """Takes the lock beside others who share it and keeps it until the transaction ends."""
    where.execute(text("SELECT pg_advisory_xact_lock_shared(:number)"), {"number": int(lock)})


def is_held_since(lock: AdvisoryLock, moment: SQLColumnExpression[datetime | None]) -> Exists:
    """Whether a transaction has the lock that began at this moment or before it."""
    whole = (LOCKS.c.locktype == "advisory") & (LOCKS.c.classid == 0) & (LOCKS.c.objsubid == 1)
    holders = select(LOCKS.c.pid).join(ACTIVITY, ACTIVITY.c.pid == LOCKS.c.pid)
    holders = holders.where(whole, LOCKS.c.objid == int(lock), ACTIVITY.c.datname == func.current_database())
    return exists(holders.where(ACTIVITY.c.xact_start <= moment))
