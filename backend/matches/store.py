"""The store of replays that belongs to this database.

API, dispatcher and workers may run on several hosts. Each must see the same store, or replays would be written where
nobody looks for them. So the database has an id, the store has it in a marker, and every part compares them at start.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar
from uuid import uuid4

import structlog
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.orm import Session

from hexarena.backend.matches.blobs import Blobs, Readers, StoreError
from hexarena.backend.models import ArenaIdentity, Match, MatchState, Result
from hexarena.backend.runtime.db import Database, is_away
from hexarena.backend.runtime.settings import Settings

log = structlog.get_logger()
T = TypeVar("T")
MARKER = "arena-id"
PROBED = 20
"""The newest results of which one must have its replay in a store without a marker."""


def is_out_of_reach(error: BaseException) -> bool:
    """Whether the store or the database does not answer now: nothing is wrong with what they were asked."""
    return isinstance(error, StoreError) or is_away(error)


class WrongStore(Exception):
    """The store is not the one that this database's replays are in."""


class Marker:
    """Compares a store's marker with the database's id while a part runs. A folder that was removed, or whose mount is
    gone, has none: nothing must be written there, nor be taken for deleted. A bucket does not get lost by itself: that
    it answers is enough. `database`: None where the store is only asked whether it answers.
    """

    def __init__(self, blobs: Blobs, database: Database | None) -> None:
        self._blobs = blobs
        self._database = database
        self._own: str | None = None

    def check(self) -> None:
        """Raises: StoreError, if the store does not answer, or is not this database's."""
        found = self._blobs.read_note(MARKER)
        if self._blobs.is_folder and (own := self._known()) is not None and found != own:
            got = "a folder without marker" if found is None else f"arena {found[:40]}"
            raise StoreError(
                f"{self._blobs.place} is another store now: expected arena {own}, got {got}. Mount it again, or "
                "put the folder back; if its replays are gone for good: `hexarena store adopt`"
            )

    def _known(self) -> str | None:
        """The database's id. None if it has none, or is away, when nothing that was stored would count anyhow."""
        if self._own is None and self._database is not None:
            with suppress(SQLAlchemyError), self._database.transaction() as session:
                self._own = session.scalar(select(ArenaIdentity.id))
        return self._own


def blobs_of(settings: Settings, *, at_once: int | None = None) -> Blobs:
    """The store of the settings, unchecked. `at_once`: how many threads may read it. Raises: StoreError."""
    readers = None if at_once is None else Readers(at_once)
    return Blobs(settings.store or settings.data_folder / "blobs", readers)


def checked_store(settings: Settings, database: Database, *, marks: bool = True) -> Blobs:
    """The store, which has this database's replays. The first look at an empty one marks it.

    `marks`: False on a machine elsewhere, where an empty folder is another folder.
    Raises: WrongStore, StoreError, OperationalError.
    """
    blobs = blobs_of(settings)
    with database.transaction() as session:
        own = identity(session)
    marker = blobs.read_note(MARKER)
    if marker is None and not marks:
        raise WrongStore(
            f"The store of replays at {blobs.place} is not the arena's: it has no marker. Expected a store that all "
            f"machines see, such as HEXARENA_STORE=s3://bucket/arena on the arena, or the arena's own data folder, "
            f"mounted here as HEXARENA_DATA_FOLDER."
        )
    if marker is None:
        with database.transaction() as session:
            keys = _newest_keys(session)
        if keys and not any(blobs.gzipped(key) for key in keys):
            raise WrongStore(
                f"The store of replays at {blobs.place} has no replay of this database, which has results. "
                f"Expected the store that its matches were written to: set HEXARENA_STORE or HEXARENA_DATA_FOLDER as "
                f"on the other hosts. If those replays are gone for good: `hexarena store adopt`."
            )
        blobs.write_note(MARKER, own)
    elif marker != own:
        raise WrongStore(
            f"The store of replays at {blobs.place} belongs to another database: expected arena {own}, got {marker}. "
            f"Set HEXARENA_STORE or HEXARENA_DATA_FOLDER to this arena's own place. "
            f"If the other database is gone for good: `hexarena store adopt`."
        )
    return blobs


def open_or_exit(settings: Settings, database: Database, *, marks: bool = True) -> Blobs:
    """The checked store, at the start of a part. Without it the part ends, and says why.

    While the database is away nobody can know, and nothing is played: the store is taken as it is.
    """
    try:
        return checked_store(settings, database, marks=marks)
    except (WrongStore, StoreError) as error:
        raise SystemExit(str(error)) from None
    except OperationalError as error:
        log.warning("the store of replays is not checked: no database", error=str(error).splitlines()[0])
        return blobs_of(settings)


def adopt(settings: Settings, database: Database) -> str:
    """Makes the store this database's, whatever it was before. Returns the id. Raises: StoreError, OperationalError."""
    blobs = blobs_of(settings)
    with database.transaction() as session:
        own = identity(session)
    blobs.write_note(MARKER, own)
    return own


def refused(blobs: Blobs, items: Sequence[T], erase: Callable[[T], None]) -> list[T]:
    """Erases each. Returns those that the store has refused, which keep no others.

    Raises: StoreError, if it is away.
    """
    found: list[T] = []
    for item in items:
        try:
            erase(item)
        except StoreError as error:
            blobs.read_note(MARKER)  # raises where it does not answer at all
            log.warning("an object cannot be deleted", error=str(error))
            found.append(item)
    return found


def identity(session: Session) -> str:
    """The id of this database, made at the first call."""
    found: str | None = session.scalar(select(ArenaIdentity.id))
    if found is not None:
        return found
    new = insert(ArenaIdentity).values(one=True, id=str(uuid4()))
    session.execute(new.on_conflict_do_nothing())
    return session.scalars(select(ArenaIdentity.id)).one()


def _newest_keys(session: Session) -> list[str]:
    newest = select(Match.id).where(Match.state == MatchState.DONE).order_by(Match.id.desc()).limit(PROBED)
    ids = session.scalars(newest).all()
    return list(session.scalars(select(Result.replay_key).where(Result.match_id.in_(ids))))
