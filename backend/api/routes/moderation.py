"""What organisers do to an arena that runs: announce, freeze, ban, annul, rerun; and what all of them have done."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import ConfigDict, StringConstraints
from sqlalchemy import func, select

from hexarena.backend import audit
from hexarena.backend.api import schemas, views
from hexarena.backend.api.deps import CurrentVisitor, InArena, organiser
from hexarena.backend.api.parameters import IdPath
from hexarena.backend.api.routes.accounts import user_view
from hexarena.backend.api.routes.events import event_detail, event_organiser
from hexarena.backend.api.schemas import Id, Schema, Time
from hexarena.backend.api.schemas.events import EventDetail
from hexarena.backend.models import Announcement, Bot, Ladder
from hexarena.backend.moderation import announcements, annulments, bans, freezing, reruns, seasons
from hexarena.backend.submissions.life import game_named

router = APIRouter(tags=["organisers"])
Said = Annotated[str, StringConstraints(min_length=1, max_length=400, strip_whitespace=True)]
UNKNOWN = 2**53 - 1


class NewAnnouncement(Schema):
    """An announcement. `until`: null: until it is withdrawn. `event`: only on the page of this event."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"message": "The final begins at 18:00 in the great hall."}]}
    )

    message: Said
    until: Time | None = None
    event: Id | None = None


class AnnouncementInfo(Schema):
    """`event_id`: of one that only an event's page shows."""

    id: int
    message: str
    event_id: int | None
    until: datetime | None
    created_at: datetime


class AnnouncementList(Schema):
    """Newest first."""

    items: list[AnnouncementInfo]


class Because(Schema):
    """A reason for those whom it concerns."""

    model_config = ConfigDict(extra="forbid")

    reason: Said


class LadderFreeze(Schema):
    """Whether a ladder is frozen, since when and why."""

    game: str
    frozen_at: datetime | None
    frozen_reason: str | None


class NewSeason(Schema):
    """`name`: null: "Season 2", as it counts."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"name": "Spring 2027"}]})

    name: Annotated[str, StringConstraints(min_length=1, max_length=60, strip_whitespace=True)] | None = None


class AuditItem(Schema):
    """What an organiser did. `by`: null if the arena did it by itself."""

    id: int
    at: datetime
    by: str | None
    action: str
    event_id: int | None
    detail: dict[str, Any]


class AuditLog(Schema):
    """Newest first."""

    items: list[AuditItem]


def announcement_view(row: Announcement) -> AnnouncementInfo:
    """An announcement, for pages."""
    names = ("id", "message", "event_id", "until", "created_at")
    return AnnouncementInfo.model_validate({name: getattr(row, name) for name in names})


@router.get("/announcements")
def list_announcements(arena: InArena) -> AnnouncementList:
    """The current announcements, newest first."""
    with arena.database.transaction() as session:
        return AnnouncementList(items=[announcement_view(row) for row in announcements.shown(session)])


@router.post("/announcements", status_code=201)
def create_announcement(arena: InArena, visitor: CurrentVisitor, new: NewAnnouncement) -> AnnouncementInfo:
    """Announces something, at the top of all pages that are open, or on an event's page."""
    with arena.database.transaction() as session:
        user = event_organiser(session, arena, visitor, new.event)
        row = announcements.announce(session, user, new.message, until=new.until, event_id=new.event)
        return announcement_view(row)


@router.delete("/announcements/{announcement_id}", status_code=204)
def withdraw_announcement(arena: InArena, visitor: CurrentVisitor, announcement_id: IdPath) -> None:
    """Shows it no longer. Idempotent."""
    with arena.database.transaction() as session:
        row = announcements.find(session, announcement_id)
        announcements.withdraw(session, event_organiser(session, arena, visitor, row.event_id), announcement_id)


@router.post("/games/{game_id}/ladder/freeze")
def freeze_ladder(arena: InArena, visitor: CurrentVisitor, game_id: str, why: Because) -> LadderFreeze:
    """Freezes a ladder: no more rated matches are scheduled. Those that run still count. Practice and duels continue.

    Idempotent.
    """
    game = game_named(game_id)
    with arena.database.transaction() as session:
        user = organiser(session, arena, visitor)
        return _freeze_view(freezing.freeze_ladder(session, user, game.id, why.reason))


@router.post("/games/{game_id}/ladder/thaw")
def thaw_ladder(arena: InArena, visitor: CurrentVisitor, game_id: str) -> LadderFreeze:
    """Resumes a frozen ladder. Idempotent."""
    game = game_named(game_id)
    with arena.database.transaction() as session:
        return _freeze_view(freezing.thaw_ladder(session, organiser(session, arena, visitor), game.id))


@router.post("/games/{game_id}/seasons", status_code=201)
def start_season(arena: InArena, visitor: CurrentVisitor, game_id: str, new: NewSeason) -> schemas.SeasonInfo:
    """Keeps the final table of the current season and begins the next one, in which everybody climbs again."""
    game = game_named(game_id)
    with arena.database.transaction() as session:
        user = organiser(session, arena, visitor)
        return views.season_view(seasons.start_season(session, user, game, new.name))


def _freeze_view(row: Ladder) -> LadderFreeze:
    return LadderFreeze(game=row.game, frozen_at=row.frozen_at, frozen_reason=row.frozen_reason)


@router.post("/events/{event_id}/pause")
def pause_event(arena: InArena, visitor: CurrentVisitor, event_id: IdPath, why: Because) -> EventDetail:
    """Begins no new games of an event, for a reason that everybody sees; queued ones are played. Idempotent."""
    with arena.database.transaction() as session:
        event = freezing.pause_event(session, event_organiser(session, arena, visitor, event_id), event_id, why.reason)
        return event_detail(session, arena, visitor, event)


@router.post("/events/{event_id}/continue")
def continue_event(arena: InArena, visitor: CurrentVisitor, event_id: IdPath) -> EventDetail:
    """Resumes a paused event. Idempotent."""
    with arena.database.transaction() as session:
        event = freezing.continue_event(session, event_organiser(session, arena, visitor, event_id), event_id)
        return event_detail(session, arena, visitor, event)


@router.post("/users/{user_id}/ban")
def ban_user(arena: InArena, visitor: CurrentVisitor, user_id: IdPath, why: Because) -> schemas.UserInfo:
    """A user may no longer play or submit, and learns why. Their bots leave the ladders and events; results stay."""
    with arena.database.transaction() as session:
        user = bans.ban(session, organiser(session, arena, visitor), user_id, why.reason)
        return user_view(user, _bots(session, user.id), None)


@router.post("/users/{user_id}/unban")
def unban_user(arena: InArena, visitor: CurrentVisitor, user_id: IdPath) -> schemas.UserInfo:
    """A banned user may take part again, and can restore their versions. Idempotent."""
    with arena.database.transaction() as session:
        user = bans.unban(session, organiser(session, arena, visitor), user_id)
        return user_view(user, _bots(session, user.id), None)


def _bots(session: Any, user_id: int) -> int:
    return session.scalar(select(func.count()).where(Bot.owner_id == user_id, Bot.name_key.is_not(None))) or 0


@router.post("/matches/{match_id}/annul")
def annul_match(arena: InArena, visitor: CurrentVisitor, match_id: IdPath, why: Because) -> schemas.Match:
    """Makes a finished match void, for a reason that its page shows. The next refit rates its ladder without it; a duel
    or an event plays it again.
    """
    with arena.database.transaction() as session:
        user = event_organiser(session, arena, visitor, annulments.event_of(session, match_id))
        annulments.annul(session, user, match_id, why.reason)
        return views.match_views(session, [match_id], user.id, arena.places)[0]


@router.post("/matches/{match_id}/rerun", status_code=201)
def rerun_match(arena: InArena, visitor: CurrentVisitor, match_id: IdPath, why: Because) -> schemas.Match:
    """Plays a match again with the same versions, seats and seed, for a reason that both pages show. The first one is
    void, and its ladder, duel or event counts the rerun instead, which is the answer. Once for each match.
    """
    with arena.database.transaction() as session:
        user = event_organiser(session, arena, visitor, annulments.event_of(session, match_id))
        again = reruns.rerun(session, user, match_id, why.reason)
        return views.match_views(session, [again.id], user.id, arena.places)[0]


@router.get("/audit")
def get_audit_log(
    arena: InArena,
    visitor: CurrentVisitor,
    event: Annotated[int | None, Query(ge=1, le=UNKNOWN)] = None,
    before: Annotated[int | None, Query(ge=1, le=UNKNOWN)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> AuditLog:
    """What organisers did, newest first. `before`: an id; what is older. Nobody can change or delete it.

    With `event`, its own organisers may read it as well.
    """
    with arena.database.transaction() as session:
        event_organiser(session, arena, visitor, event)
        found = audit.entries(session, event_id=event, below=before, limit=limit)
        items = [
            AuditItem(id=one.id, at=one.at, by=name, action=one.action, event_id=one.event_id, detail=one.detail)
            for one, name in found
        ]
    return AuditLog(items=items)
