"""Handing in bots, and looking at them."""

from __future__ import annotations

from pathlib import PurePath
from typing import Annotated

from fastapi import APIRouter, File, Form, Path, Query, Response, UploadFile
from sqlalchemy import select
from sqlalchemy.orm import joinedload

from backend import submissions
from backend.api import schemas, views
from backend.api.deps import Arena, CookieUserId, InArena, find_user, require_user
from backend.errors import Forbidden, Invalid, NotFound
from backend.languages import UnknownLanguage, by_ending, find_language
from backend.models import Bot, Source, Submission, User
from backend.seeding import HOUSE
from backend.settings import SOURCE_BYTES
from backend.sources import ARCHIVE_BYTES, BadArchive, entry_of, is_archive, read_archive, tell_language
from backend.submissions import bad_zip, clean_name, encode_source, game_named

router = APIRouter()
IdPath = Annotated[int, Path(ge=1, le=2**53 - 1)]


@router.post("/submissions", status_code=201, tags=["submissions"])
def create_submission(
    arena: InArena, user_id: CookieUserId, response: Response, new: schemas.NewSubmission
) -> schemas.Submission:
    """Enters a bot, or a new version of it, into the ladder: it is built, plays a check match, then is placed."""
    return _submit(arena, user_id, response, new, encode_source(new.source))


@router.post("/submissions/file", status_code=201, tags=["submissions"])
def upload_submission(
    arena: InArena,
    user_id: CookieUserId,
    response: Response,
    file: Annotated[
        UploadFile,
        File(description=f"A source of at most {SOURCE_BYTES:,} bytes, or a zip of at most {ARCHIVE_BYTES:,}."),
    ],
    game: Annotated[str, Form(max_length=200)],
    bot: Annotated[str, Form(max_length=200)],
    language: Annotated[
        str | None, Form(max_length=200, description="Told from the ending of the file that starts if left out.")
    ] = None,
    note: Annotated[schemas.Note, Form()] = "",
) -> schemas.Submission:
    """The same from a file or a zip of files, e.g. `curl -F file=@bot.py -F game=ants -F bot=mine …`."""
    upload = file.file.read(ARCHIVE_BYTES + 1)
    if PurePath(file.filename or "").suffix.lower() == ".zip" and not is_archive(upload):
        raise bad_zip(BadArchive("a zip with the bot's files", "an empty one or no zip"))
    told = language or _language_of(file.filename or "", upload)
    new = schemas.NewSubmission(game=game, bot=bot, language=told, source="", note=note)
    return _submit(arena, user_id, response, new, upload)


def _language_of(name: str, upload: bytes) -> str:
    """Told from a file's ending, or from that of the file in a zip that starts."""
    try:
        if is_archive(upload):
            return tell_language(read_archive(upload)).id
        return by_ending(PurePath(name).suffix).id
    except BadArchive as bad:
        raise bad_zip(bad) from None
    except UnknownLanguage as unknown:
        raise Invalid(str(unknown), got=name) from None


def _submit(
    arena: InArena, user_id: int | None, response: Response, new: schemas.NewSubmission, source: bytes
) -> schemas.Submission:
    game = game_named(new.game)
    with arena.database.transaction() as session:
        user = require_user(session, arena, user_id, response)
        submission = submissions.submit(
            session, user, game=game, name=new.bot, language=new.language, source=source, note=new.note
        )
        return views.submission_by_id(session, submission.id, user.id)


@router.get("/submissions/{submission_id}", tags=["submissions"])
def get_submission(arena: InArena, user_id: CookieUserId, submission_id: IdPath) -> schemas.Submission:
    """How far a submission has come, and why it failed if it did."""
    with arena.database.transaction() as session:
        viewer = find_user(session, arena, user_id)
        return views.submission_by_id(session, submission_id, None if viewer is None else viewer.id)


@router.get("/submissions/{submission_id}/source", tags=["submissions"], response_class=Response)
def get_source(arena: InArena, user_id: CookieUserId, submission_id: IdPath) -> Response:
    """The code of one of your own submissions: text, or a zip."""
    _, body = _own_source(arena, user_id, submission_id)
    headers = {"Cache-Control": "private, no-store"}
    if not is_archive(body):
        return Response(body, media_type="text/plain; charset=utf-8", headers=headers)
    headers["Content-Disposition"] = f'attachment; filename="submission-{submission_id}.zip"'
    return Response(body, media_type="application/zip", headers=headers)


@router.get("/submissions/{submission_id}/files", tags=["submissions"])
def list_files(arena: InArena, user_id: CookieUserId, submission_id: IdPath, response: Response) -> schemas.SourceFiles:
    """The files of one of your own submissions, with their text, the one that starts first."""
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
        viewer = find_user(session, arena, user_id)
        row = session.execute(
            select(Submission.user_id, Submission.language, Source.body)
            .join(Source, Source.sha256 == Submission.source_sha256)
            .where(Submission.id == submission_id)
        ).one_or_none()
        if row is None:
            raise NotFound(f"There is no submission {submission_id}.")
        if viewer is None or row.user_id != viewer.id:
            raise Forbidden("Only its owner may read the code of a submission.")
        return row.language, row.body


def _shown_text(content: bytes) -> str | None:
    """A file's text, if it is text: it may be empty, but has no NUL."""
    try:
        return None if b"\0" in content else content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


@router.get("/bots", tags=["bots"])
def list_bots(
    arena: InArena,
    user_id: CookieUserId,
    game: Annotated[str | None, Query(max_length=200)] = None,
    mine: bool = False,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
) -> schemas.BotList:
    """Bots, newest first; `mine`: yours alone."""
    with arena.database.transaction() as session:
        viewer = find_user(session, arena, user_id)
        query = select(Bot).options(joinedload(Bot.owner)).order_by(Bot.id.desc()).limit(limit)
        if game is not None:
            query = query.where(Bot.game == game_named(game).id)
        if mine:
            query = query.where(Bot.owner_id == (0 if viewer is None else viewer.id))
        viewer_id = None if viewer is None else viewer.id
        return schemas.BotList(items=[views.bot_view(session, bot, viewer_id) for bot in session.scalars(query)])


@router.get("/bots/{bot_id}", tags=["bots"])
def get_bot(arena: InArena, user_id: CookieUserId, bot_id: IdPath) -> schemas.Bot:
    """A bot with its versions and its place on the board."""
    with arena.database.transaction() as session:
        viewer = find_user(session, arena, user_id)
        bot = session.scalar(select(Bot).where(Bot.id == bot_id).options(joinedload(Bot.owner)))
        if bot is None:
            raise NotFound(f"There is no bot {bot_id}.")
        return views.bot_view(session, bot, None if viewer is None else viewer.id)


@router.get("/me", tags=["me"])
def get_me(arena: InArena, user_id: CookieUserId) -> schemas.Me:
    """Who the cookie says you are."""
    with arena.database.transaction() as session:
        user = find_user(session, arena, user_id)
        if user is None:
            return schemas.Me(id=None, name="", kind="none", bots=0)
        return _me(user, session.query(Bot).filter(Bot.owner_id == user.id).count())


@router.patch("/me", tags=["me"])
def rename_me(arena: InArena, user_id: CookieUserId, response: Response, change: schemas.Rename) -> schemas.Me:
    """Takes another name."""
    name = clean_name(change.name)
    if name.casefold() == HOUSE.casefold():
        raise Invalid("This name is the house's own.", expected="another name", got=name)
    with arena.database.transaction() as session:
        user = require_user(session, arena, user_id, response)
        user.name = name
        session.flush()
        return _me(user, session.query(Bot).filter(Bot.owner_id == user.id).count())


def _me(user: User, bots: int) -> schemas.Me:
    return schemas.Me(id=user.id, name=user.name, kind=user.kind, bots=bots)
