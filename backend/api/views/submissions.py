"""Bots and submissions, from rows to what goes over HTTP."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import ColumnElement, func, select, true
from sqlalchemy.orm import Session, joinedload

from hexarena.backend.accounts import owners
from hexarena.backend.api import schemas
from hexarena.backend.api.parameters import page
from hexarena.backend.api.views.ladder import standings_of
from hexarena.backend.errors import NotFound
from hexarena.backend.models import Bot, Source, Submission, SubmissionState, UserKind
from hexarena.backend.submissions.sources import LOCAL_MAGIC

IS_ARCHIVE = func.substring(Source.body, 1, len(LOCAL_MAGIC)) == LOCAL_MAGIC
MOST_VERSIONS = 100
"""Of a bot, the newest ones."""
_STOPPED = (SubmissionState.FAILED, SubmissionState.DISABLED)
"""Everybody may know why; what else a check match showed is for the owner."""


def submission_views(
    session: Session, where: ColumnElement[bool], viewer_id: int | None, *, limit: int = MOST_VERSIONS
) -> list[schemas.Submission]:
    """Submissions, newest first."""
    rows = session.execute(
        select(Submission, func.octet_length(Source.body), IS_ARCHIVE)
        .outerjoin(Source, Source.sha256 == Submission.source_sha256)
        .where(where)
        .options(joinedload(Submission.bot).joinedload(Bot.owner), joinedload(Submission.standing))
        .order_by(Submission.id.desc())
        .limit(limit)
        .execution_options(populate_existing=True)
    ).all()
    owned = owners.owned_by(session, viewer_id)
    return [_submission_view(row, size, archive=archive, mine=row.user_id in owned) for row, size, archive in rows]


def _submission_view(row: Submission, size: int | None, *, archive: bool | None, mine: bool) -> schemas.Submission:
    return schemas.Submission(
        id=row.id,
        game=row.game,
        bot_id=row.bot_id,
        bot=None if row.bot is None else row.bot.name,
        version=row.version,
        language=row.language,
        note=row.note,
        tag=row.tag or "",
        state=row.state,
        problem=row.problem if mine or row.state in _STOPPED else None,
        build_log=row.build_log if mine else None,
        check_match_id=row.check_match_id,
        created_at=row.created_at,
        bytes=size or 0,
        archive=bool(archive),
        deleted=row.source_sha256 is None,
        rating=None if row.standing is None else row.standing.rating,
    )


def submission_by_id(session: Session, submission_id: int, viewer_id: int | None) -> schemas.Submission:
    """Raises: NotFound; drafts are there for their owner only."""
    visible = (Submission.state != SubmissionState.DRAFT) | Submission.user_id.in_(owners.owned_by(session, viewer_id))
    found = submission_views(session, (Submission.id == submission_id) & visible, viewer_id)
    if not found:
        raise NotFound(f"There is no submission {submission_id}.")
    return found[0]


def bot_views(session: Session, bots: Sequence[Bot], viewer_id: int | None) -> list[schemas.Bot]:
    """Bots, each with its newest versions and the live one. Need `bot.owner`."""
    newest = (
        select(Submission.id)
        .where(Submission.bot_id == Bot.id)
        .order_by(Submission.id.desc())
        .limit(MOST_VERSIONS + 1)
        .correlate(Bot)
        .lateral()
    )
    bot_ids = [bot.id for bot in bots]
    ids = select(newest.c.id).select_from(Bot).join(newest, true()).where(Bot.id.in_(bot_ids))
    # Whoever went back to an old version may have uploaded many since.
    live_ids = select(Submission.id).where(Submission.bot_id.in_(bot_ids), Submission.state == SubmissionState.LIVE)
    shown = Submission.id.in_(ids.union(live_ids))
    found = submission_views(session, shown, viewer_id, limit=(MOST_VERSIONS + 2) * len(bots))
    versions: dict[int | None, list[schemas.Submission]] = {}
    for one in found:
        versions.setdefault(one.bot_id, []).append(one)
    live = {one.bot_id: one for one in found if one.state == SubmissionState.LIVE}
    lines: dict[int | None, schemas.LeaderboardRow] = {}
    for game in sorted({bot.game for bot in bots}):
        its = [one.id for one in live.values() if one.game == game]
        lines |= {row.bot_id: row for row in standings_of(session, game, its, viewer_id)}
    owned = owners.owned_by(session, viewer_id)
    return [_bot_view(bot, versions.get(bot.id, []), live.get(bot.id), lines.get(bot.id), owned) for bot in bots]


def versions_of(
    session: Session, bot_id: int, viewer_id: int | None, *, after: int | None, limit: int
) -> schemas.SubmissionList:
    """A bot's versions, newest first. `after`: those before this submission."""
    where = Submission.bot_id == bot_id
    if after is not None:
        where &= Submission.id < after
    found = submission_views(session, where, viewer_id, limit=limit + 1)
    items, following = page(found, limit, lambda one: one.id)
    return schemas.SubmissionList(items=list(items), next=following)


def _bot_view(
    bot: Bot,
    versions: list[schemas.Submission],
    live: schemas.Submission | None,
    standing: schemas.LeaderboardRow | None,
    owned: Collection[int],
) -> schemas.Bot:
    newest, older = versions[:MOST_VERSIONS], versions[MOST_VERSIONS:]
    return schemas.Bot(
        id=bot.id,
        game=bot.game,
        name=bot.name,
        owner_id=0 if bot.is_deleted else bot.owner_id,
        owner=bot.owner_name,
        house=bot.owner.kind == UserKind.HOUSE,
        mine=bot.owner_id in owned,
        language=None if live is None else live.language,
        live_submission_id=None if live is None else live.id,
        standing=standing,
        submissions=newest + [one for one in older if one is live],
        next=str(newest[-1].id) if older else None,
        created_at=bot.created_at,
    )
