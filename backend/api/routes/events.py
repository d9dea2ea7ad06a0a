"""Events: contests with a deadline and a final. Enter one, follow it, organise one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse
from sqlalchemy import false, select, tuple_
from sqlalchemy.orm import Session, joinedload

from hexarena.backend.accounts.permissions import Role
from hexarena.backend.api.deps import Arena, CurrentVisitor, InArena, Visitor, find_viewer_id, organiser, require_user
from hexarena.backend.api.middleware.limits import ClientNetwork
from hexarena.backend.api.parameters import AfterId, IdPath, page
from hexarena.backend.api.schemas import events as schemas
from hexarena.backend.api.views import event_stages, events as views
from hexarena.backend.api.views.tables import csv_response, wants_csv
from hexarena.backend.duels.fixtures import is_paired
from hexarena.backend.errors import Forbidden, Invalid, NotFound
from hexarena.backend.events import certificate, certificate_pdf, draws, estimate, life, organisers, published, stages
from hexarena.backend.events.forms import BadStage, Stage
from hexarena.backend.models import Bot, Event, EventEntry, EventState, User
from hexarena.backend.submissions.languages import UnknownLanguage, find_language
from hexarena.backend.submissions.life import game_named
from hexarena.games.catalogue import all_games, find_game

router = APIRouter(prefix="/events", tags=["events"])
COLUMNS = ("place", "bot", "owner", "version", "language", "seed", "rating", "state", "reason")
SINCE_ADDED = ("prize_place", "outside_prizes", "low", "high")
"""Columns of the table that came later: at its end, for those who count columns."""
PDF = "application/pdf"
UNFINISHED = (EventState.OPEN, EventState.PLAYING)


def organises(session: Session, visitor: Visitor, event_id: int) -> bool:
    """Whether somebody may organise an event: as every organiser of the arena, or because they were named for it."""
    return visitor.role == Role.ORGANISER or event_id in _organised_by(session, visitor)


def _organised_by(session: Session, visitor: Visitor) -> Collection[int]:
    """The events that they were named for."""
    return organisers.organised_by(session, visitor.user_id) if visitor.may_organise else ()


def event_organiser(session: Session, arena: Arena, visitor: Visitor, event_id: int | None) -> User:
    """Who does what only organisers of an event may do; of the arena, if it concerns no event.

    Raises: NotFound, Forbidden, SignInNeeded.
    """
    event = None if event_id is None else views.find(session, event_id)
    if event is None and visitor.role != Role.ORGANISER:
        raise Forbidden("Only organisers may do this.", expected="an organiser of the arena", got=f"a {visitor.role}")
    if event is not None and not organises(session, visitor, event.id):
        expected = "an organiser of the arena, or one who was named for this event"
        raise Forbidden("Only its organisers may do this.", expected=expected, got=f"a {visitor.role}")
    return organiser(session, arena, visitor)


def _read_stages(written: Sequence[schemas.EventStage]) -> list[Stage]:
    return [Stage.read(one.model_dump()) for one in written]


def _check_languages(asked: Sequence[str] | None) -> None:
    """Nobody could play in a language that there is not. Raises: Invalid."""
    for one in asked or ():
        try:
            find_language(one)
        except UnknownLanguage as unknown:
            raise Invalid(str(unknown), got=one) from None


def event_detail(session: Session, arena: Arena, visitor: Visitor, event: Event) -> schemas.EventDetail:
    """An event, as this visitor sees it."""
    viewer_id = find_viewer_id(session, arena, visitor.user_id)
    return views.detail(session, event, viewer_id, organises=organises(session, visitor, event.id))


@router.get("")
def list_events(
    arena: InArena,
    visitor: CurrentVisitor,
    game: Annotated[str | None, Query(max_length=200)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    after: AfterId = None,
) -> schemas.EventList:
    """Events: those that are not over, the next deadline first; then the others, newest first.

    Until version 0.4 this is also the former address of the stream `/feed`, for clients that accept
    `text/event-stream`.
    """
    with arena.database.transaction() as session:
        where = () if game is None else (Event.game == game_named(game).id,)
        ahead = select(Event).where(Event.state.in_(UNFINISHED), *where).order_by(Event.deadline, Event.id)
        over = select(Event).where(Event.state.not_in(UNFINISHED), *where).order_by(Event.deadline.desc(), Event.id)
        if after is not None:
            last = views.find(session, after)
            here, is_ahead = (Event.deadline, Event.id), last.state in UNFINISHED
            ahead = ahead.where(tuple_(*here) > (last.deadline, last.id) if is_ahead else false())
            older = (Event.deadline < last.deadline) | ((Event.deadline == last.deadline) & (Event.id > last.id))
            over = over if is_ahead else over.where(older)
        most = limit + 1
        everybody = [*session.scalars(ahead.limit(most)), *session.scalars(over.limit(most))]
        found, following = page(everybody, limit, lambda one: one.id)
        everything = visitor.role == Role.ORGANISER
        organised = [one.id for one in found] if everything else _organised_by(session, visitor)
        return schemas.EventList(items=views.infos(session, found, organised), next=following)


@router.post("", status_code=201)
def create_event(arena: InArena, visitor: CurrentVisitor, new: schemas.NewEvent) -> schemas.CreatedEvent:
    """A new event. Its versions are frozen at the deadline, and its final is played at once."""
    game = game_named(new.game)
    _check_languages(new.languages)
    fields = new.model_dump(exclude={"game", "stages"})
    with arena.database.transaction() as session:
        user = organiser(session, arena, visitor)
        plan = life.Plan(**fields, stages=_read_stages(new.stages))
        event, code = life.create(session, user, game, plan)
        return schemas.CreatedEvent(event=event_detail(session, arena, visitor, event), code=code)


@router.post("/preview")
def preview_event(arena: InArena, asked: schemas.NewEventPreview) -> schemas.EventPreview:
    """What a final would cost: games, CPU hours, and minutes on the workers that are up."""
    game = game_named(asked.game)
    wanted = _read_stages(asked.stages)
    try:
        stages.check(wanted, sizes=game.ladder_entrants, team_seats=game.team_seats)
        counts = stages.most_games(
            wanted,
            asked.entrants,
            paired=is_paired(game),
            prizes=asked.prizes,
            in_heat=max(game.ladder_entrants),
            team_seats=game.team_seats,
        )
    except BadStage as error:
        raise Invalid(str(error), expected=error.expected, got=error.got) from None
    with arena.database.transaction() as session:
        cost = estimate.cost(session, game.id, sum(counts))
    return schemas.EventPreview(games=counts, cpu_hours=cost.cpu_hours, minutes=cost.minutes, slots=cost.slots)


@router.get("/{event_id}")
def get_event(arena: InArena, visitor: CurrentVisitor, event_id: IdPath) -> schemas.EventDetail:
    """An event: its rules, who takes part, how far it is."""
    with arena.database.transaction() as session:
        return event_detail(session, arena, visitor, views.find(session, event_id))


@router.patch("/{event_id}")
def change_event(
    arena: InArena, visitor: CurrentVisitor, event_id: IdPath, changed: schemas.EventChange
) -> schemas.EventDetail:
    """Changes an event until its versions are frozen."""
    asked = {name: value for name, value in changed.model_dump(exclude_unset=True).items() if _may_be(name, value)}
    _check_languages(changed.languages)
    if changed.stages is not None:
        asked["stages"] = _read_stages(changed.stages)
    with arena.database.transaction() as session:
        event = life.change(session, event_organiser(session, arena, visitor, event_id), event_id, asked)
        return event_detail(session, arena, visitor, event)


def _may_be(name: str, value: object) -> bool:
    """Null means "all languages", "everybody" and "no limit"; of everything else, for what is left out."""
    return value is not None or name in {"languages", "listed", "versions_a_day", "source_bytes"}


@router.post("/{event_id}/code")
def renew_event_code(arena: InArena, visitor: CurrentVisitor, event_id: IdPath) -> schemas.EventCode:
    """A new code to enter with. The one before it is no longer valid; who entered stays."""
    with arena.database.transaction() as session:
        return schemas.EventCode(
            code=life.renew_code(session, event_organiser(session, arena, visitor, event_id), event_id)
        )


@router.post("/{event_id}/cancel")
def cancel_event(
    arena: InArena, visitor: CurrentVisitor, event_id: IdPath, why: schemas.EventReason
) -> schemas.EventDetail:
    """Ends an event for good, for a reason that everybody sees."""
    with arena.database.transaction() as session:
        event = life.cancel(session, event_organiser(session, arena, visitor, event_id), event_id, why.reason)
        return event_detail(session, arena, visitor, event)


@router.post("/{event_id}/release")
def release_event(arena: InArena, visitor: CurrentVisitor, event_id: IdPath) -> schemas.EventDetail:
    """Shows everybody the results that were held back. Idempotent."""
    with arena.database.transaction() as session:
        event = life.release(session, event_organiser(session, arena, visitor, event_id), event_id)
        return event_detail(session, arena, visitor, event)


@router.post("/{event_id}/organisers")
def name_event_organiser(
    arena: InArena, visitor: CurrentVisitor, event_id: IdPath, new: schemas.NewEventOrganiser
) -> schemas.EventDetail:
    """Lets somebody organise this event, and nothing else of the arena. Idempotent."""
    with arena.database.transaction() as session:
        organisers.name(session, event_organiser(session, arena, visitor, event_id), event_id, new.name)
        return event_detail(session, arena, visitor, views.find(session, event_id))


@router.delete("/{event_id}/organisers/{user_id}")
def remove_event_organiser(
    arena: InArena, visitor: CurrentVisitor, event_id: IdPath, user_id: IdPath
) -> schemas.EventDetail:
    """Somebody organises this event no longer. Idempotent."""
    with arena.database.transaction() as session:
        organisers.remove(session, event_organiser(session, arena, visitor, event_id), event_id, user_id)
        return event_detail(session, arena, visitor, views.find(session, event_id))


# --- Entries ----------------------------------------------------------------------------------------------------------


@router.post("/{event_id}/entries")
def enter_event(
    arena: InArena,
    visitor: CurrentVisitor,
    response: Response,
    network: ClientNetwork,
    event_id: IdPath,
    new: schemas.NewEntry,
) -> schemas.EventDetail:
    """Enters a bot of yours; organisers may enter any. It takes part with its version on the ladder at the
    deadline. Idempotent.
    """
    with arena.database.transaction() as session:
        user = require_user(session, arena, visitor.user_id, response, network)
        life.enter(session, user, event_id, new.bot, new.code, organises=organises(session, visitor, event_id))
        return event_detail(session, arena, visitor, views.find(session, event_id))


@router.delete("/{event_id}/entries/{entry_id}")
def leave_event(
    arena: InArena,
    visitor: CurrentVisitor,
    response: Response,
    network: ClientNetwork,
    event_id: IdPath,
    entry_id: IdPath,
) -> schemas.EventDetail:
    """Withdraws a bot of yours, until the versions are frozen; organisers may withdraw house bots. Idempotent."""
    with arena.database.transaction() as session:
        user = require_user(session, arena, visitor.user_id, response, network)
        life.withdraw(session, user, event_id, entry_id, organises=organises(session, visitor, event_id))
        return event_detail(session, arena, visitor, views.find(session, event_id))


@router.post("/{event_id}/entries/{entry_id}/disqualify")
def disqualify_entry(
    arena: InArena, visitor: CurrentVisitor, event_id: IdPath, entry_id: IdPath, why: schemas.EventReason
) -> schemas.EventDetail:
    """Takes a bot out, for a reason that everybody sees. Its opponents win what it has not played."""
    with arena.database.transaction() as session:
        user = event_organiser(session, arena, visitor, event_id)
        life.disqualify(session, user, event_id, entry_id, why.reason)
        return event_detail(session, arena, visitor, views.find(session, event_id))


# --- Its own ladder ---------------------------------------------------------------------------------------------------


@router.get("/{event_id}/ladder")
def get_event_ladder(arena: InArena, event_id: IdPath) -> schemas.EventLadder:
    """The entrants' ratings on the event's ladder, which they play while it is open."""
    with arena.database.transaction() as session:
        return views.ladder(session, views.find(session, event_id))


# --- The final --------------------------------------------------------------------------------------------------------


@router.get("/{event_id}/stages/{index}")
def get_event_stage(
    arena: InArena, visitor: CurrentVisitor, event_id: IdPath, index: Annotated[int, views.StagePath]
) -> schemas.EventStageState:
    """The state of a stage: tables or bracket, and its pairings. `index`: from 0."""
    with arena.database.transaction() as session:
        event = views.find(session, event_id)
        return event_stages.stage_state(session, event, index, organises=organises(session, visitor, event_id))


@router.get("/{event_id}/pairings/{pairing_id}")
def get_event_pairing(
    arena: InArena, visitor: CurrentVisitor, event_id: IdPath, pairing_id: IdPath
) -> schemas.EventPairingDetail:
    """A pairing and its games."""
    with arena.database.transaction() as session:
        event = views.find(session, event_id)
        return event_stages.pairing_detail(session, event, pairing_id, organises=organises(session, visitor, event_id))


@router.post("/{event_id}/pairings/{pairing_id}/resume")
def resume_event_pairing(
    arena: InArena, visitor: CurrentVisitor, event_id: IdPath, pairing_id: IdPath
) -> schemas.EventPairingDetail:
    """Plays a pairing on that is stuck because its matches were void too often."""
    with arena.database.transaction() as session:
        life.resume(session, event_organiser(session, arena, visitor, event_id), event_id, pairing_id)
        event = views.find(session, event_id)
        return event_stages.pairing_detail(session, event, pairing_id, organises=True)


@router.get("/{event_id}/heats/{heat_id}")
def get_event_heat(
    arena: InArena, visitor: CurrentVisitor, event_id: IdPath, heat_id: IdPath
) -> schemas.EventHeatDetail:
    """A heat and its games."""
    with arena.database.transaction() as session:
        event = views.find(session, event_id)
        return event_stages.heat_detail(session, event, heat_id, organises=organises(session, visitor, event_id))


@router.post("/{event_id}/heats/{heat_id}/resume")
def resume_event_heat(
    arena: InArena, visitor: CurrentVisitor, event_id: IdPath, heat_id: IdPath
) -> schemas.EventHeatDetail:
    """Plays a heat on that is stuck because its matches were void too often."""
    with arena.database.transaction() as session:
        life.resume(session, event_organiser(session, arena, visitor, event_id), event_id, heat_id)
        event = views.find(session, event_id)
        return event_stages.heat_detail(session, event, heat_id, organises=True)


@router.get("/{event_id}/file", response_class=FileResponse, responses={200: {"content": {"application/zip": {}}}})
async def get_event_file(arena: InArena, visitor: CurrentVisitor, event_id: IdPath) -> FileResponse:
    """The published file of an event that is over: `hexarena verify-event FILE` checks its final."""
    file = await run_in_threadpool(_published_file, arena, visitor, event_id)
    if not file.exists():
        # One is written at a time; whoever waits for that keeps no thread, and finds it there.
        async with arena.event_files:
            file = await run_in_threadpool(_published_file, arena, visitor, event_id, write=True)
    return FileResponse(file, media_type="application/zip", filename=f"event-{event_id}.zip")


def _published_file(arena: Arena, visitor: Visitor, event_id: int, *, write: bool = False) -> Path:
    """Where the file of an event is. `write`: it is there then. Raises: NotFound."""
    with arena.database.transaction() as session:
        event = views.find(session, event_id)
        if event.state != EventState.DONE or views.is_hidden(event, organises(session, visitor, event_id)):
            expected = "an event that is over and whose results are shown"
            raise NotFound("This event has no published file yet.", expected=expected, got=views.phase_now(event))
        folder = arena.settings.data_folder / "published"
        file = folder / f"event-{event_id}-{published.stamp(session, event)}.zip"
        if not write or file.exists():
            return file
        described, keys = published.describe(session, event), published.keys_of(session, event)
    published.write(file, described, keys, arena.blobs)
    for older in folder.glob(f"event-{event_id}-*.zip"):
        if older != file:
            older.unlink(missing_ok=True)
    return file


@router.get("/{event_id}/table", response_model=schemas.EventTable)
def get_event_table(
    arena: InArena,
    visitor: CurrentVisitor,
    event_id: IdPath,
    file_format: Annotated[str | None, Query(alias="format", pattern="^(json|csv)$")] = None,
    accept: Annotated[str, Header()] = "",
) -> Response | schemas.EventTable:
    """The final table, also as CSV (`format=csv`). Before the end: who takes part."""
    with arena.database.transaction() as session:
        event = views.find(session, event_id)
        items = views.entrants(
            session, event, None, hidden=views.is_hidden(event, organises(session, visitor, event_id))
        )
    if wants_csv(file_format, accept):
        return csv_response(items, COLUMNS + SINCE_ADDED, f"event-{event_id}.csv")
    return schemas.EventTable(items=items)


@router.get(
    "/{event_id}/entries/{entry_id}/certificate",
    response_class=Response,
    responses={200: {"content": {"image/svg+xml": {}, PDF: {}}}},
)
def get_event_certificate(
    arena: InArena,
    visitor: CurrentVisitor,
    event_id: IdPath,
    entry_id: IdPath,
    request: Request,
    file_format: Annotated[str, Query(alias="format", pattern="^(svg|pdf)$")] = "svg",
) -> Response:
    """An entrant's place in an event that is over, to print: as a picture (SVG), or as a PDF with its fonts in it.

    House bots have none, and are left out of the places. Who was disqualified has none.
    """
    with arena.database.transaction() as session:
        event = views.find(session, event_id)
        hidden = views.is_hidden(event, organises(session, visitor, event_id))
        found = [] if hidden else _certificates(session, event, request, entry_id)
        if not found:
            expected = (
                "an entrant with a place, no house bot and not out, in an event that is over, with its results shown"
            )
            raise NotFound("There is no such certificate.", expected=expected, got=views.phase_now(event))
    if file_format == "svg":
        return Response(certificate.render(found[0]), media_type="image/svg+xml")
    return _pdf(found, f"certificate-{event_id}-{entry_id}.pdf", "inline")


@router.get("/{event_id}/certificates", response_class=Response, responses={200: {"content": {PDF: {}}}})
def get_event_certificates(arena: InArena, visitor: CurrentVisitor, event_id: IdPath, request: Request) -> Response:
    """The certificates of all entrants of an event that is over, best first, as one PDF for its organisers.

    House bots have none, nor has who was disqualified.
    """
    with arena.database.transaction() as session:
        event_organiser(session, arena, visitor, event_id)
        event = views.find(session, event_id)
        found = _certificates(session, event, request)
        if not found:
            expected = "an event that is over, with entrants"
            raise NotFound("There are no certificates yet.", expected=expected, got=views.phase_now(event))
    return _pdf(found, f"certificates-{event_id}.pdf", "attachment")


def _pdf(found: Sequence[certificate.Certificate], name: str, how: str) -> Response:
    headers = {"Content-Disposition": f'{how}; filename="{name}"'}
    return Response(certificate_pdf.render(found), media_type=PDF, headers=headers)


def _certificates(
    session: Session, event: Event, request: Request, entry_id: int | None = None
) -> list[certificate.Certificate]:
    """Those of all entrants with a place but house bots, best first, or that of one; none before the event is over."""
    if event.state != EventState.DONE or event.finished_at is None:
        return []
    query = (
        select(EventEntry)
        .where(EventEntry.event_id == event.id, views.PLACED)
        .order_by(EventEntry.place, EventEntry.seed)
    )
    query = query.options(joinedload(EventEntry.bot).joinedload(Bot.owner), joinedload(EventEntry.submission))
    entries = session.scalars(query).all()
    prizes = views.prize_places(entries)
    return [
        certificate.Certificate(
            event=event.name,
            game=find_game(event.game).title if event.game in all_games() else event.game,
            place=prizes[entry.id],
            of=len(prizes),
            without=len(entries) - len(prizes),
            bot=entry.bot.name,
            owner=entry.bot.owner_name,
            version=0 if entry.submission is None else entry.submission.version or 0,
            ended=event.finished_at,
            address=str(request.url.replace(path=f"/events/{event.id}", query="")),
            commitment=draws.commitment(event.secret),
        )
        for entry in entries
        if entry.id in prizes and entry_id in {None, entry.id}
    ]
