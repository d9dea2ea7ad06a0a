"""Notices in words."""

from __future__ import annotations

from datetime import datetime

from hexarena.backend.api.schemas import Schema
from hexarena.backend.models import Duel, DuelState, Notice, NoticeKind, UserKind

VERDICTS = {"stronger": "is stronger than", "not stronger": "is not stronger than", "weaker": "is weaker than"}
WEBHOOK_OFF = "Your webhook was switched off, because its address failed. Your account's page says more."


class NoticeView(Schema):
    """Something that happened to a bot or to the webhook of yours, a duel of yours that ended, or an assignment of your
    class that was marked. `text`: in words. `event_id`: of what happened to it in an event. `class_id`: of the
    assignment.

    `link`: the path of the page that has more.

    `overtaken` has the newest place; it is the same notice while the bot is overtaken again within a day.
    """

    id: int
    at: datetime
    kind: NoticeKind
    seen: bool
    text: str
    bot_id: int | None
    duel_id: int | None
    event_id: int | None
    class_id: int | None
    link: str


def notice_view(notice: Notice) -> NoticeView:
    """A notice in words. Needs what `notices.newest` loads."""
    bot = notice.submission
    return NoticeView(
        id=notice.id,
        at=notice.at,
        kind=notice.kind,
        seen=notice.seen,
        text=_text(notice),
        bot_id=None if bot is None else bot.bot_id,
        duel_id=notice.duel_id,
        event_id=notice.event_id,
        class_id=None if notice.assignment is None else notice.assignment.class_id,
        link=_link(notice),
    )


def _link(notice: Notice) -> str:
    if notice.duel_id is not None:
        return f"/duels/{notice.duel_id}"
    if notice.event_id is not None:
        return f"/events/{notice.event_id}"
    if notice.assignment is not None:
        return f"/classes/{notice.assignment.class_id}"
    return "/account" if notice.submission is None else f"/bots/{notice.submission.bot_id}"


def _text(notice: Notice) -> str:
    if notice.duel is not None:
        return _duel_text(notice.duel)
    if notice.event is not None:
        return _event_text(notice, notice.event.name)
    if notice.assignment is not None:
        return f"Your mark of {notice.assignment.name} is there."
    return WEBHOOK_OFF if notice.submission is None else _bot_text(notice)


def _event_text(notice: Notice, event: str) -> str:
    version = notice.submission
    assert version is not None  # noqa: S101 - only notices of duels, webhooks and marks have none
    match notice.kind:
        case NoticeKind.FROZEN:
            return f"{version.title} v{version.version} plays the final of {event}."
        case NoticeKind.OUT:
            return f"{version.title} is out of {event}. {notice.reason or ''}".rstrip()
        case _:
            return f"{event} is over: {version.title} v{version.version} is in place {notice.place}."


def _bot_text(notice: Notice) -> str:
    version, other = notice.submission, notice.other
    assert version is not None  # noqa: S101 - only notices of duels, webhooks and marks have none
    match notice.kind:
        case NoticeKind.PROMOTED:
            return f"{version.title} was promoted to {notice.league}."
        case NoticeKind.DEMOTED:
            return f"{version.title} fell back to {notice.league}."
        case NoticeKind.OVERTAKEN if other is not None and other.bot is not None:
            by = other.title if other.bot.owner.kind == UserKind.HOUSE else f"{other.title} by {other.bot.owner.name}"
            return f"{by} has overtaken {version.title}: now in place {notice.place}."
        case NoticeKind.DISABLED:
            return f"{version.title} v{version.version} was disabled. {version.problem or ''}".rstrip()
        case _:
            return f"{version.title} v{version.version} failed. {version.problem or ''}".rstrip()


def _duel_text(duel: Duel) -> str:
    candidate, baseline = (f"{one.title} v{one.version}" for one in (duel.candidate, duel.baseline))
    if duel.state == DuelState.VOID:
        return f"The duel of {candidate} and {baseline} could not be finished. {duel.void_reason}"
    verdict = VERDICTS.get(duel.verdict or "open")
    if verdict is None:
        return f"The duel of {candidate} and {baseline} ended undecided after {duel.games:,} games."
    return f"Duel decided after {duel.games:,} games: {candidate} {verdict} {baseline}."
