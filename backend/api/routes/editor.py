"""The code in the editor, kept for accounts so that another computer continues."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field
from sqlalchemy.orm import Session

from hexarena.backend.api.deps import Arena, CurrentUserId, InArena, find_user
from hexarena.backend.api.schemas import Schema
from hexarena.backend.errors import NotFound, SignInNeeded
from hexarena.backend.models import User
from hexarena.backend.runtime.sizes import SOURCE_BYTES
from hexarena.backend.submissions import editor
from hexarena.backend.submissions.languages import UnknownLanguage, find_language
from hexarena.backend.submissions.life import game_named

router = APIRouter()
GamePath = Annotated[str, Path(max_length=40)]
LanguagePath = Annotated[str, Path(max_length=20)]


class KeptDraft(Schema):
    """The code in the editor as the arena keeps it. `revision`: 0 if there never was any. `source`: null: discarded.

    `stored`: false if it was changed elsewhere in the meantime, and what you sent was not stored.
    """

    source: str | None
    revision: int
    stored: bool


class NewDraft(Schema):
    """`based_on`: the revision that was changed. `source`: null discards the draft."""

    source: Annotated[str, Field(max_length=SOURCE_BYTES)] | None
    based_on: Annotated[int, Field(ge=0, lt=2**53)]


@router.get("/me/drafts/{game_id}/{language}", tags=["me"])
def get_draft(arena: InArena, user_id: CurrentUserId, game_id: GamePath, language: LanguagePath) -> KeptDraft:
    """What you are writing in a game's editor, on whichever computer."""
    with arena.database.transaction() as session:
        user = _account(session, arena, user_id)
        kept = editor.read(session, user, game_named(game_id).id, _language(language))
    return KeptDraft(source=kept.source, revision=kept.revision, stored=kept.stored)


@router.put("/me/drafts/{game_id}/{language}", tags=["me"])
def save_draft(
    arena: InArena, user_id: CurrentUserId, game_id: GamePath, language: LanguagePath, draft: NewDraft
) -> KeptDraft:
    """Keep it. Answers what is kept afterwards: yours, or what was saved elsewhere since the revision you changed."""
    with arena.database.transaction() as session:
        kept = editor.save(
            session,
            _account(session, arena, user_id),
            game_named(game_id).id,
            _language(language),
            source=draft.source,
            based_on=draft.based_on,
            quotas=arena.quotas,
        )
    return KeptDraft(source=kept.source, revision=kept.revision, stored=kept.stored)


def _language(language: str) -> str:
    try:
        return find_language(language).id
    except UnknownLanguage as unknown:
        raise NotFound(f"There is no language {language!r}.") from unknown


def _account(session: Session, arena: Arena, user_id: int | None) -> User:
    user = find_user(session, arena, user_id)
    if user is None:
        raise SignInNeeded("Drafts are kept for those who have signed in.")
    return user
