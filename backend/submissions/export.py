"""What is somebody's, as one zip; what is their team's is in the zip of each member. Its README lists it."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session, joinedload

from hexarena.backend.accounts import owners, sessions, tokens
from hexarena.backend.models import (
    Class,
    ClassMember,
    Duel,
    EditorDraft,
    Match,
    MatchKind,
    MatchSeat,
    Notice,
    OidcIdentity,
    Result,
    SeatResult,
    Source,
    StandingHistory,
    Submission,
    User,
    WebhookDelivery,
)
from hexarena.backend.runtime.db import allow_long_transaction
from hexarena.backend.submissions.languages import find_language
from hexarena.backend.submissions.sources import is_archive, read_archive
from hexarena.backend.webhooks import life as webhooks

ROWS_AT_ONCE = 500
README = """What is in this archive, of you and of the team that you are in.
Replays and logs are not; matches.csv has their addresses.

account.json     your account, your class, sessions, tokens and webhook (never their secrets)
messages.json    each message to your webhook of the last 30 days, and what became of it
versions.json    each upload: bot, team, version, language, note, tag, state, its folder
code/            the code of each version and draft, as you sent it; of equal drafts that of the first one
editor/          the code in the editor
matches.csv      each match of a bot of yours: seat, rank, score, fault, addresses of the replay and of the seat's log
ratings.csv      how the ratings of your versions changed
duels.json       each duel that you started: both versions, what was counted, the verdict
notices.json     each notice of the last 90 days: what happened to your bots, duels and webhook
"""
MATCH_COLUMNS = ("match", "game", "kind", "state", "finished_at", "submission", "seat", "rank", "score", "fault",
                 "replay", "log")  # fmt: skip
RATING_COLUMNS = ("submission", "game", "at", "rating", "deviation", "games", "wins", "draws", "losses", "league")
DUEL_COLUMNS = ("id", "game", "candidate_id", "baseline_id", "league", "preset", "state", "verdict", "trials", "wins",
                "draws", "losses", "void_reason", "created_at", "finished_at")  # fmt: skip
NOTICE_COLUMNS = ("id", "at", "kind", "seen", "submission_id", "other_id", "duel_id", "event_id", "league", "place",
                  "reason")  # fmt: skip


def archive_of(session: Session, user: User) -> bytes:
    """The zip of a user's things."""
    # It compresses for as long as there is code.
    allow_long_transaction(session)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", README)
        archive.writestr("account.json", _json(_account(session, user)))
        archive.writestr("messages.json", _json(_messages(session, user)))
        archive.writestr("versions.json", _json(_versions(session, user, archive)))
        _write_drafts(session, user, archive)
        archive.writestr("matches.csv", matches_of(session, user))
        archive.writestr("ratings.csv", _ratings(session, user))
        archive.writestr("duels.json", _json(_rows(session, Duel, Duel.requested_by_id == user.id, DUEL_COLUMNS)))
        archive.writestr("notices.json", _json(_rows(session, Notice, Notice.user_id == user.id, NOTICE_COLUMNS)))
    return packed.getvalue()


def _is_theirs(session: Session, user: User) -> ColumnElement[bool]:
    """Which submissions are somebody's own, or their team's."""
    return Submission.user_id.in_(owners.owned_by(session, user.id))


def _account(session: Session, user: User) -> dict[str, Any]:
    webhook = webhooks.find(session, user.id)
    identities = session.scalars(select(OidcIdentity).where(OidcIdentity.user_id == user.id))
    member = session.scalar(select(ClassMember).where(ClassMember.user_id == user.id))
    return {
        "id": user.id,
        "name": user.name,
        "kind": user.kind,
        "role": user.role,
        "email": user.email,
        "created_at": user.created_at,
        "class": None
        if member is None
        else {
            "name": session.get_one(Class, member.class_id).name,
            "your_name": member.name,
            "mail_or_id": member.key,
            "group": member.group,
            "signed_in_at": member.signed_in_at,
        },
        "providers": [{"provider": one.provider, "subject": one.subject} for one in identities],
        "sessions": [
            {"browser": one.browser, "created_at": one.created_at, "seen_at": one.seen_at}
            for one in sessions.list_of(session, user.id)
        ],
        "tokens": [
            {"name": one.name, "scopes": one.scopes, "created_at": one.created_at, "used_at": one.used_at}
            for one in tokens.list_of(session, user.id)
        ],
        "webhook": None
        if webhook is None
        else {
            "url": webhook.url,
            "kinds": webhook.kinds,
            "created_at": webhook.created_at,
            "disabled_at": webhook.disabled_at,
            "disabled_why": webhook.disabled_why,
        },
    }


def _messages(session: Session, user: User) -> list[dict[str, Any]]:
    rows = session.scalars(
        select(WebhookDelivery).where(WebhookDelivery.user_id == user.id).order_by(WebhookDelivery.id)
    )
    return [
        {
            "message": f"msg_{row.message_id.hex}",
            "type": row.type,
            "at": row.at,
            "state": row.state,
            "tries": row.tries,
            "tried_at": row.tried_at,
            "status": row.status,
            "problem": row.problem,
            "excerpt": row.excerpt,
            "body": None if row.body is None else json.loads(row.body),
        }
        for row in rows
    ]


def _versions(session: Session, user: User, archive: zipfile.ZipFile) -> list[dict[str, Any]]:
    query = select(Submission).where(_is_theirs(session, user)).order_by(Submission.id)
    rows = session.scalars(
        query.options(joinedload(Submission.bot), joinedload(Submission.user)).execution_options(yield_per=ROWS_AT_ONCE)
    )
    listed = []
    drafts: dict[tuple[str, str, str], str] = {}
    for row in rows:
        folder = f"code/{row.game}/{row.title if row.bot_id else 'drafts'}/{row.version or row.id}"
        is_there = row.source_sha256 is not None
        if row.source_sha256 is not None:
            draft = (row.game, row.language, row.source_sha256)
            if row.bot_id is None and draft in drafts:
                folder = drafts[draft]  # what was run a hundred times is there once
            else:
                is_there = _write_code(session, archive, folder, row.language, row.source_sha256)
            if row.bot_id is None and is_there:
                drafts[draft] = folder
        listed.append(
            {
                "submission": row.id,
                "game": row.game,
                "bot": None if row.bot is None else row.bot.name,
                "team": None if row.user_id == user.id else row.user.name,
                "version": row.version,
                "language": row.language,
                "note": row.note,
                "tag": row.tag,
                "state": row.state,
                "problem": row.problem,
                "created_at": row.created_at,
                "folder": folder if is_there else None,
            }
        )
    return listed


def _write_code(session: Session, archive: zipfile.ZipFile, folder: str, language: str, sha256: str) -> bool:
    """False where somebody of the team has deleted it since the list of versions was read."""
    body = session.scalar(select(Source.body).where(Source.sha256 == sha256))
    if body is None:
        return False
    files = read_archive(body) if is_archive(body) else {find_language(language).source_name: body}
    for path, content in files.items():
        archive.writestr(f"{folder}/{path}", content)
    return True


def _write_drafts(session: Session, user: User, archive: zipfile.ZipFile) -> None:
    kept = select(EditorDraft).where(EditorDraft.user_id == user.id, EditorDraft.source.is_not(None))
    for row in session.scalars(kept.order_by(EditorDraft.game, EditorDraft.language)):
        name = find_language(row.language).source_name
        archive.writestr(f"editor/{row.game}/{row.language}/{name}", row.source or "")


def matches_of(session: Session, user: User) -> str:
    """The user's matches as CSV: all that they may see and had a seat in."""
    rows = session.execute(
        select(Match, MatchSeat.submission_id, MatchSeat.seat, SeatResult, Result.replay_key)
        .join(MatchSeat, MatchSeat.match_id == Match.id)
        .join(Submission, Submission.id == MatchSeat.submission_id)
        .outerjoin(Result, Result.match_id == Match.id)
        .outerjoin(SeatResult, (SeatResult.match_id == Match.id) & (SeatResult.seat == MatchSeat.seat))
        .where(_is_theirs(session, user), ~Match.held)
        .where((Match.kind != MatchKind.PRACTICE) | (Match.requested_by_id == user.id))
        .order_by(Match.id, MatchSeat.seat)
        .execution_options(yield_per=ROWS_AT_ONCE)
    )
    table = [
        (
            match.id,
            match.game,
            match.kind,
            match.state,
            match.finished_at,
            submission_id,
            seat,
            None if result is None else result.rank + 1,
            None if result is None else result.score,
            None if result is None else result.fault,
            None if replay_key is None else f"/api/v1/matches/{match.id}/replay",
            None if replay_key is None else f"/api/v1/matches/{match.id}/seats/{seat}/io",
        )
        for match, submission_id, seat, result, replay_key in rows
    ]
    return _csv(MATCH_COLUMNS, table)


def _ratings(session: Session, user: User) -> str:
    rows = session.scalars(
        select(StandingHistory)
        .join(Submission, Submission.id == StandingHistory.submission_id)
        .where(_is_theirs(session, user))
        .order_by(StandingHistory.id)
    )
    columns = ("submission_id", *RATING_COLUMNS[1:])
    return _csv(RATING_COLUMNS, [tuple(getattr(row, column) for column in columns) for row in rows])


def _rows(
    session: Session, table: type[Duel] | type[Notice], whose: ColumnElement[bool], columns: tuple[str, ...]
) -> list[dict[str, Any]]:
    rows = session.scalars(select(table).where(whose).order_by(table.id))
    return [{column: getattr(row, column) for column in columns} for row in rows]


def _csv(columns: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(columns)
    writer.writerows([one.isoformat() if isinstance(one, datetime) else one for one in row] for row in rows)
    return written.getvalue()


def _json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, default=str) + "\n"
