"""The state of the whole arena: its figures, whether it is ready to play, and what the machine has left.

The page, `hexarena status` and `GET /api/v1/status` show the same.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from hexarena.backend.matches import parts, workers
from hexarena.backend.matches.live import Cursor
from hexarena.backend.runtime import metrics, migrate
from hexarena.backend.runtime.db import Database, is_away
from hexarena.backend.status import figures
from hexarena.backend.status.figures import Figures
from hexarena.games.catalogue import broken_games

NO_DATABASE = "The database does not answer."
NO_BROKER = "The broker does not answer."
NO_STORE = "The store of replays does not answer: results wait in their workers."
NO_WORKER = "No worker is up: matches wait until one is."
NO_SLOTS = "The disks of all workers are full: matches wait until there is room."
NO_DISPATCHER = "No dispatcher is up: matches wait until one is."
NO_ROOM = "The disk is full: nothing new begins until there is room."


@dataclass(frozen=True, slots=True)
class Moment:
    """The queue at some time: matches that waited, those that were played, and how long the first had waited."""

    at: datetime
    waiting: int
    playing: int
    oldest_s: float


@dataclass(frozen=True, slots=True)
class ArenaStatus:
    """How the arena is doing. `missing`: a sentence for each thing without which it cannot play; none if it is ready.

    `figures`: null while the database is away. `disk_free_bytes`, `disk_size_bytes`: of the data folder's disk, as this
    process sees it. `streams`: open event streams. `history`: the last hour, as the API process that answers saw it.
    `left_out`: a sentence for each game that cannot be used. `troubles`: one for each part that keeps ending or is not
    up, without which the arena plays all the same.
    """

    version: str
    ready: bool
    missing: Sequence[str]
    figures: Figures | None
    disk_free_bytes: int
    disk_size_bytes: int
    streams: int
    history: Sequence[Moment]
    left_out: Sequence[str]
    troubles: Sequence[str] = ()


def look(
    database: Database | None,
    data_folder: Path,
    *,
    broker: bool,
    store: bool = True,
    reserve_bytes: int = 0,
    position: Cursor | None = None,
    history: Sequence[Moment] = (),
) -> ArenaStatus:
    """The state as of now. `database`: None if it does not answer. `broker`, `store`: whether they do.
    `reserve_bytes`: room that must be free on the disk. `position`: how far the reader of events has come.
    """
    found, missing = None, [NO_DATABASE]
    try:
        if database is not None:
            with database.transaction() as session:
                missing = what_is_missing(session)
                if not any(one.startswith("The schema") for one in missing):
                    found = figures.read(session, position)
    except SQLAlchemyError as error:
        if not is_away(error):
            raise
        missing = [NO_DATABASE]
    if not broker:
        missing = [*missing, NO_BROKER]
    if not store:
        missing = [*missing, NO_STORE]
    disk = shutil.disk_usage(_existing(data_folder))
    if disk.free < reserve_bytes:
        missing = [*(one for one in missing if one != NO_SLOTS), NO_ROOM]
    return ArenaStatus(
        version=version("hexarena"),
        ready=not missing,
        missing=missing,
        figures=found,
        disk_free_bytes=disk.free,
        disk_size_bytes=disk.total,
        streams=round(metrics.total(metrics.counted(data_folder), "hexarena_streams")),
        history=history,
        left_out=[str(one) for one in broken_games()],
        troubles=[] if found is None else parts.troubles(found.parts),
    )


def what_is_missing(session: Session) -> list[str]:
    """What the database says that keeps the arena from playing, a sentence each. Raises: OperationalError."""
    needed, there = migrate.newest_revision(), migrate.current_revision(session)
    if there != needed:
        had = f"has revision {there}" if there else "is empty"
        return [f"The schema of the database {had}, and this version needs {needed}: run `hexarena db upgrade`."]
    dispatcher = any(one.up for one in parts.read(session) if one.name == "dispatcher")
    found = [] if workers.slots(session) else [NO_SLOTS if workers.count(session) else NO_WORKER]
    return found if dispatcher else [*found, NO_DISPATCHER]


def _existing(folder: Path) -> Path:
    """The folder, or what it will be made in."""
    return folder if folder.exists() else next(one for one in folder.absolute().parents if one.exists())
