"""Submitting bots, and reading submissions."""

from __future__ import annotations

from pathlib import PurePath
from typing import Annotated

from fastapi import APIRouter, File, Form, Query, Response, UploadFile
from sqlalchemy import select
from sqlalchemy.orm import joinedload

from hexarena.backend.accounts import owners
from hexarena.backend.api import schemas, views
from hexarena.backend.api.deps import Arena, CurrentUserId, InArena, find_viewer_id, require_user
from hexarena.backend.api.middleware.limits import ClientNetwork
from hexarena.backend.api.parameters import AfterId, IdPath
from hexarena.backend.errors import Forbidden, Invalid, NotFound
from hexarena.backend.models import Bot, Source, Submission, SubmissionState
from hexarena.backend.runtime.sizes import ARCHIVE_BYTES, SOURCE_BYTES
from hexarena.backend.submissions import deletion, life as submissions
from hexarena.backend.submissions.languages import UnknownLanguage, by_ending, find_language
from hexarena.backend.submissions.life import bad_zip, encode_source, game_named
from hexarena.backend.submissions.sources import (
    BadArchive,
    entry_of,
    infer_language,
    is_archive,
    read_archive,
)

router = APIRouter()


@router.post("/submissions", status_code=201, tags=["submissions"])
def create_submission(
    arena: InArena, user_id: CurrentUserId, response: Response, network: ClientNetwork, new: schemas.NewSubmission
) -> schemas.Submission:
    """Enters a bot, or a new version of it, into the ladder: it is built, plays a check match, then is placed."""
    return _submit(arena, user_id, response, new, encode_source(new.source), network=network)


@router.post("/submissions/file", status_code=201, tags=["submissions"])
def upload_submission(
    arena: InArena,
    user_id: CurrentUserId,
    response: Response,
    network: ClientNetwork,
    file: Annotated[
        UploadFile,
        File(description=f"A source of at most {SOURCE_BYTES:,} bytes, or a zip of at most {ARCHIVE_BYTES:,}."),
    ],
    game: Annotated[str, Form(max_length=200)],
    bot: Annotated[schemas.Name, Form()],
    language: Annotated[
        schemas.LanguageId | None, Form(description="Inferred from the ending of the entry file if left out.")
    ] = None,
    note: Annotated[schemas.Note, Form()] = "",
) -> schemas.Submission:
    """The same from a file or a zip of files, e.g. `curl -F file=@bot.py -F game=ants -F bot=mine …`."""
    upload = file.file.read(ARCHIVE_BYTES + 1)
    if PurePath(file.filename or "").suffix.lower() == ".zip" and not is_archive(upload):
        raise bad_zip(BadArchive("a zip with the bot's files", "an empty one or no zip"))
    chosen = language or _infer_language(file.filename or "", upload)
    new = schemas.NewSubmission(game=game, bot=bot, language=chosen, source="", note=note)
    return _submit(arena, user_id, response, new, upload, network=network)


def _infer_language(name: str, upload: bytes) -> str:
    """Inferred from the ending of the file, or of a zip's entry file."""
    try:
        if is_archive(upload):
            return infer_language(read_archive(upload)).id
        return by_ending(PurePath(name).suffix).id
    except BadArchive as bad:
        raise bad_zip(bad) from None
    except UnknownLanguage as unknown:
        raise Invalid(str(unknown), got=name) from None


def _submit(
    arena: Arena,
    user_id: int | None,
    response: Response,
    new: schemas.NewSubmission,
    source: bytes,
    *,
    network: str,
) -> schemas.Submission:
    game = game_named(new.game)
    with arena.database.transaction() as session:
        user = require_user(session, arena, user_id, response, network)
        submission = submissions.submit(
            session,
            user,
            game=game,
            name=new.bot,
            language=new.language,
            source=source,
            note=new.note,
            quotas=arena.quotas,
        )
        return views.submission_by_id(session, submission.id, user.id)


@router.get("/submissions/{submission_id}", tags=["submissions"])
def get_submission(arena: InArena, user_id: CurrentUserId, submission_id: IdPath) -> schemas.Submission:
    """The state of a submission, and why it failed if it did."""
    with arena.database.transaction() as session:
        viewer_id = find_viewer_id(session, arena, user_id)
        return views.submission_by_id(session, submission_id, viewer_id)


@router.get("/submissions/{submission_id}/source", tags=["submissions"], response_class=Response)
def get_source(arena: InArena, user_id: CurrentUserId, submission_id: IdPath) -> Response:
    """The code of one of your own submissions: text, or a zip."""
    _, body = _own_source(arena, user_id, submission_id)
    headers = {"Cache-Control": "private, no-store"}
    if not is_archive(body):
        return Response(body, media_type="text/plain; charset=utf-8", headers=headers)
    headers["Content-Disposition"] = f'attachment; filename="submission-{submission_id}.zip"'
    return Response(body, media_type="application/zip", headers=headers)


@router.get("/submissions/{submission_id}/files", tags=["submissions"])
def list_files(
    arena: InArena, user_id: CurrentUserId, submission_id: IdPath, response: Response
) -> schemas.SourceFiles:
    """The files of one of your own submissions, with their text, the entry file first."""
    language_id, body = _own_source(arena, user_id, submission_id)
    response.headers["Cache-Control"] = "private, no-store"
    language = find_language(language_id)
    files = read_archive(body) if is_archive(body) else {language.source_name: body}
    entry = entry_of(language, files)
    paths = sorted(files, key=lambda path: (path != entry, path))
    return schemas.SourceFiles(
        items=[
            schemas.SourceFile(path=path, bytes=len(files[path]), starts=path == entry, text=_shown_text(files[path]))
            for path in paths
        ]
    )


def _own_source(arena: Arena, user_id: int | None, submission_id: int) -> tuple[str, bytes]:
    """(language, code)."""
    with arena.database.transaction() as session:
        viewer_id = find_viewer_id(session, arena, user_id)
        row = session.execute(
            select(Submission.user_id, Submission.state, Submission.language, Source.body)
            .outerjoin(Source, Source.sha256 == Submission.source_sha256)
            .where(Submission.id == submission_id)
        ).one_or_none()
        mine = row is not None and owners.owns(session, viewer_id, row.user_id)
        if row is None or (row.state == SubmissionState.DRAFT and not mine):
            raise NotFound(f"There is no submission {submission_id}.")
        if not mine:
            raise Forbidden("Only its owner may read the code of a submission.")
        if row.body is None:
            raise NotFound("You have deleted the code of this submission.")
        return row.language, row.body


def _shown_text(content: bytes) -> str | None:
    """A file's text, if it is text: it may be empty, but has no NUL."""
    try:
        return None if b"\0" in content else content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


class Description(schemas.Schema):
    """What a version's owner says of it; what is left out stays as it is."""

    note: schemas.Note | None = None
    tag: schemas.Tag | None = None


@router.patch("/submissions/{submission_id}", tags=["submissions"])
def describe_submission(
    arena: InArena,
    user_id: CurrentUserId,
    response: Response,
    network: ClientNetwork,
    submission_id: IdPath,
    said: Description,
) -> schemas.Submission:
    """Gives a version of yours another note or tag. A tag names one version of the bot."""
    with arena.database.transaction() as session:
        user = require_user(session, arena, user_id, response, network)
        submission = submissions.describe(session, user, submission_id, note=said.note, tag=said.tag)
        return views.submission_by_id(session, submission.id, user.id)


@router.delete("/submissions/{submission_id}/source", tags=["submissions"])
def delete_source(
    arena: InArena, user_id: CurrentUserId, response: Response, network: ClientNetwork, submission_id: IdPath
) -> schemas.Submission:
    """Deletes the code, note, tag and logs of an old version of yours. Its results stay; it can never play again."""
    with arena.database.transaction() as session:
        user = require_user(session, arena, user_id, response, network)
        submission = deletion.delete_source(session, user, submission_id)
        return views.submission_by_id(session, submission.id, user.id)


@router.delete("/bots/{bot_id}", status_code=204, tags=["bots"])
def delete_bot(
    arena: InArena, user_id: CurrentUserId, response: Response, network: ClientNetwork, bot_id: IdPath
) -> None:
    """Deletes a bot of yours: its name, and the code, notes and logs of all its versions. Its results stay, of a bot
    called "deleted", so that nobody else's rating changes.
    """
    with arena.database.transaction() as session:
        user = require_user(session, arena, user_id, response, network)
        deletion.delete_bot(session, user, bot_id)


@router.get("/bots", tags=["bots"])
def list_bots(
    arena: InArena,
    user_id: CurrentUserId,
    game: Annotated[str | None, Query(max_length=200)] = None,
    mine: bool = False,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
) -> schemas.BotList:
    """Bots, newest first; `mine`: yours alone."""
    with arena.database.transaction() as session:
        viewer_id = find_viewer_id(session, arena, user_id)
        kept = Bot.name_key.is_not(None)
        query = select(Bot).where(kept).options(joinedload(Bot.owner)).order_by(Bot.id.desc()).limit(limit)
        if game is not None:
            query = query.where(Bot.game == game_named(game).id)
        if mine:
            query = query.where(Bot.owner_id.in_(owners.owned_by(session, viewer_id)))
        return schemas.BotList(items=views.bot_views(session, session.scalars(query).all(), viewer_id))


@router.get("/bots/{bot_id}/submissions", tags=["bots"])
def list_versions(
    arena: InArena,
    user_id: CurrentUserId,
    bot_id: IdPath,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    after: AfterId = None,
) -> schemas.SubmissionList:
    """All versions of a bot, newest first."""
    with arena.database.transaction() as session:
        viewer_id = find_viewer_id(session, arena, user_id)
        if session.get(Bot, bot_id) is None:
            raise NotFound(f"There is no bot {bot_id}.")
        return views.versions_of(session, bot_id, viewer_id, after=after, limit=limit)


@router.get("/bots/{bot_id}", tags=["bots"])
def get_bot(arena: InArena, user_id: CurrentUserId, bot_id: IdPath) -> schemas.Bot:
    """A bot with its versions and its place on the board."""
    with arena.database.transaction() as session:
        viewer_id = find_viewer_id(session, arena, user_id)
        bot = session.scalar(select(Bot).where(Bot.id == bot_id).options(joinedload(Bot.owner)))
        if bot is None:
            raise NotFound(f"There is no bot {bot_id}.")
        return views.bot_views(session, [bot], viewer_id)[0]
