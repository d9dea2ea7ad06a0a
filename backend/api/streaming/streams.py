"""Which event streams are open: how many one client may have, and whose end with a session, token or guest.

A stream lasts for as long as its page does, and wakes up for each change in the arena. Behind a proxy all connections
are the proxy's, so streams are counted by the client's address, as for the other limits. Each web process counts its
own streams: a client has as many places in each of them.

Who reads a stream is known from its beginning. So the sessions, tokens and guests of the open ones are looked up now
and then, all at once, and a stream whose own is gone ends: its client comes again, as whoever it is by now, or not at
all.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import structlog
from sqlalchemy.exc import SQLAlchemyError

from hexarena.backend.accounts import life as accounts, sessions, tokens
from hexarena.backend.api import tasks
from hexarena.backend.errors import Quota, TooMany
from hexarena.backend.runtime import metrics
from hexarena.backend.runtime.db import Database

log = structlog.get_logger()
LOOK_S = 3.0
"""A stream lasts at most about so long after its session has ended or its token was revoked."""
RETRY_S = 10.0
"""When another page of the client may have been closed."""


class SignIn(NamedTuple):
    """What an account or a guest was recognised by: one of them. `guest_id`: of a user who has no account yet."""

    session_id: int | None = None
    token_id: int | None = None
    guest_id: int | None = None


class Streams:
    """The open streams of a web process. Used by its event loop only. `most`: for one client; 0: no limit."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: Counter[str] = Counter()
        self._ends: defaultdict[SignIn, set[Callable[[], None]]] = defaultdict(set)

    @contextmanager
    def place(self, network: str) -> Iterator[None]:
        """A place for a stream until the end of the block. Raises: TooMany."""
        if self._most and self._open[network] >= self._most:
            raise TooMany(
                "Too many live pages are open at your address. Close some, or wait until others do.",
                expected=f"at most {self._most} event streams of one address at once",
                got="one more",
                retry_s=RETRY_S,
                quota=Quota("event-streams", self._most, unit="concurrent-requests"),
            )
        self._open[network] += 1
        metrics.meters().streams.inc()
        try:
            yield
        finally:
            metrics.meters().streams.dec()
            self._open[network] -= 1
            if not self._open[network]:
                del self._open[network]

    @contextmanager
    def while_valid(self, sign_in: SignIn, end: Callable[[], None]) -> Iterator[None]:
        """Until the end of the block: `end` is called when the session has ended, the token was revoked, or the guest
        is none any more.
        """
        self._ends[sign_in].add(end)
        try:
            yield
        finally:
            self._ends[sign_in].discard(end)
            if not self._ends[sign_in]:
                del self._ends[sign_in]

    async def keep_watch(self, database: Database, every_s: float = LOOK_S) -> None:
        """Ends streams whose session, token or guest is gone, for ever. At its end, it uses the database no more."""
        while True:
            await asyncio.sleep(every_s)
            known = list(self._ends)
            if not known:
                continue
            try:
                looking = asyncio.to_thread(_gone, database, known)
                gone = await tasks.outlast(asyncio.create_task(looking))
            except SQLAlchemyError as error:  # also where all connections are in use
                log.warning("the database is unavailable", error=str(error).splitlines()[0])
                continue
            for end in [end for one in gone for end in self._ends.get(one, ())]:
                end()


def _gone(database: Database, known: list[SignIn]) -> list[SignIn]:
    with database.reading() as session:
        valid_sessions = sessions.valid(session, {one.session_id for one in known if one.session_id is not None})
        valid_tokens = tokens.valid(session, {one.token_id for one in known if one.token_id is not None})
        guests = accounts.guests(session, {one.guest_id for one in known if one.guest_id is not None})
    valid = {SignIn(session_id=one) for one in valid_sessions} | {SignIn(token_id=one) for one in valid_tokens}
    valid |= {SignIn(guest_id=one) for one in guests}
    return [one for one in known if one not in valid]
