"""What accounts are writing in the editor: one draft for each game and language, with a number that counts changes.

Whoever saves says which number the code was based on. If somebody else has saved since, nothing is stored, and the
answer is what is stored: code is never lost by two computers that write the same draft.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from hexarena.backend.accounts.locks import lock
from hexarena.backend.errors import Invalid
from hexarena.backend.matches.quotas import Quotas
from hexarena.backend.models import EditorDraft, User
from hexarena.backend.runtime.sizes import SOURCE_BYTES
from hexarena.backend.submissions import storage


@dataclass(frozen=True, slots=True)
class Kept:
    """What the arena keeps. `revision`: 0 if nothing was ever kept. `source`: None, too, if it was discarded.

    `stored`: whether it is what was to be saved.
    """

    source: str | None
    revision: int
    stored: bool = True


def read(session: Session, user: User, game: str, language: str) -> Kept:
    """The user's draft of a game in a language."""
    found = session.get(EditorDraft, (user.id, game, language), populate_existing=True)
    return Kept(None, 0) if found is None else Kept(found.source, found.revision)


def save(
    session: Session, user: User, game: str, language: str, *, source: str | None, based_on: int, quotas: Quotas
) -> Kept:
    """Stores a draft if the one that is kept is still the one it is based on; answers what is kept afterwards.

    `source`: None discards it. Raises: Invalid (too large), TooMany (the user stores too much).
    """
    size = len((source or "").encode())
    if size > SOURCE_BYTES:
        raise Invalid("The code is too large.", expected=f"at most {SOURCE_BYTES:,} bytes", got=f"{size:,} bytes")
    if "\0" in (source or ""):
        raise Invalid("The code contains a NUL character.", expected="text")
    # One at a time: of two that are based on the same draft, the second one must see the first.
    lock(session, user)
    now = read(session, user, game, language)
    if now.source == source:
        return now
    if now.revision != based_on:
        return Kept(now.source, now.revision, stored=False)
    storage.check_draft(session, user, quotas, game=game, language=language, size=size)
    values = {"source": source, "revision": now.revision + 1, "changed_at": func.now()}
    row = insert(EditorDraft).values(user_id=user.id, game=game, language=language, **values)
    session.execute(row.on_conflict_do_update(index_elements=["user_id", "game", "language"], set_=values))
    return Kept(source, now.revision + 1)
