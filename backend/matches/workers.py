"""Which workers are up: each sends a heartbeat every few seconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import ColumnElement, Select, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from hexarena.backend.models import Worker

ALIVE = timedelta(seconds=30)
FORGOTTEN = timedelta(minutes=5)
CLOCK_S = 5.0
"""A clock that is off by more is reported: nothing of ours depends on it, but stores refuse a wrong time."""


@dataclass(frozen=True, slots=True)
class Load:
    """A machine's load: how late a timer fires at worst, and the share of time, 0 to 1, in which something waits for a
    CPU; None where that is unknown.
    """

    late_s: float = 0.0
    cpu_wait: float | None = None


def record_heartbeat(
    session: Session,
    name: str,
    *,
    slots: int,
    sandbox: str,
    languages: Sequence[str],
    load: Load,
    spare: int = 0,
    host_id: int | None = None,
    toolchains: Mapping[str, str] | None = None,
    clock_off_s: float = 0.0,
    disk_free_bytes: int | None = None,
) -> None:
    """Records that a worker is up: it can play `slots` matches at once, in these languages, and hold `spare` more
    while bots sleep.

    `host_id`: of the host that joined, None for a worker of the arena's own. `toolchains`: language -> versions.
    `disk_free_bytes`: of its data folder's disk.
    """
    values = {
        "slots": slots,
        "spare": spare,
        "sandbox": sandbox[:200],
        "languages": list(languages),
        "late_s": load.late_s,
        "cpu_wait": load.cpu_wait,
        "host_id": host_id,
        "toolchains": dict(toolchains or {}),
        "clock_off_s": clock_off_s,
        "disk_free_bytes": disk_free_bytes,
        "seen_at": func.now(),
    }
    row = insert(Worker).values(name=name, **values)
    session.execute(row.on_conflict_do_update(index_elements=["name"], set_=values))


def forget(session: Session, name: str) -> None:
    """Lists a worker no longer that was stopped. One that has joined may not delete its row."""
    session.execute(update(Worker).where(Worker.name == name).values(seen_at=func.now() - FORGOTTEN))


def listed() -> ColumnElement[bool]:
    """Whether a worker is up, or had a heartbeat in the last minutes and was not stopped."""
    return Worker.seen_at > func.now() - FORGOTTEN


def delete_silent(session: Session) -> None:
    """Deletes workers that are not listed any more."""
    session.execute(delete(Worker).where(~listed()))


def count(session: Session) -> int:
    """How many workers are up."""
    return session.scalar(select(func.count()).select_from(Worker).where(alive())) or 0


def is_up(session: Session, host: str, pid: int) -> bool:
    """Whether the worker whose main process this is can play."""
    named = Worker.name.startswith(f"{host}:{pid}-", autoescape=True)
    return session.scalar(select(Worker.name).where(named, alive())) is not None


def clock_off_s(session: Session, clock: Callable[[], float] = time.time) -> float:
    """How far this machine's clock is ahead of the database's, in seconds; as exact as a round trip is short."""
    before = clock()
    seconds = float(session.execute(select(func.extract("epoch", func.clock_timestamp()))).scalar_one())
    return (before + clock()) / 2 - seconds


def worst_load(session: Session) -> Load:
    """The worst figures of all workers that are up, each by itself."""
    row = session.execute(select(func.max(Worker.late_s), func.max(Worker.cpu_wait)).where(alive())).one()
    return Load(row[0] or 0.0, row[1])


@dataclass(frozen=True, slots=True)
class Capacity:
    """Of all workers that are up: how many there are, the matches that they can play at once, and hold beyond that."""

    workers: int
    slots: int
    spare: int


def sums() -> Select[int, int, int]:
    """How many workers are up, and the sums of their slots and of what they can hold beyond these."""
    slots, spare = (func.coalesce(func.sum(column), 0) for column in (Worker.slots, Worker.spare))
    return select(func.count().label("workers"), slots.label("slots"), spare.label("spare")).where(alive())


def capacity(session: Session) -> Capacity:
    """What can be played now."""
    return Capacity(*map(int, session.execute(sums()).one()))


def slots(session: Session) -> int:
    """How many matches they can play at once."""
    return int(session.scalar(select(func.sum(Worker.slots)).where(alive())) or 0)


def languages(session: Session) -> set[str]:
    """The languages that some worker can run."""
    return {language for known in session.scalars(select(Worker.languages).where(alive())) for language in known}


def has_all(session: Session, languages: Iterable[str]) -> bool:
    """Whether one worker can run all these languages: a match needs it, as it is played by one."""
    able = select(Worker.name).where(alive(), Worker.languages.contains(sorted(languages)))
    return session.scalar(select(able.exists())) is True


def toolchains(session: Session) -> dict[str, set[str]]:
    """What these languages are built and run with: language -> the versions that workers report, each once."""
    found: dict[str, set[str]] = {}
    for known in session.scalars(select(Worker.toolchains).where(alive())):
        for language, version in known.items():
            found.setdefault(language, set()).add(version)
    return found


def alive() -> ColumnElement[bool]:
    """Whether a worker is up."""
    return Worker.seen_at > func.now() - ALIVE
