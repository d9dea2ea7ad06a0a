"""The life of an event until its deadline, and what organisers do to it afterwards.

Theory of operation. An event is open until its deadline; then `playing.advance_all` freezes the versions and plays the
final. Everything that people ask for locks the event's row first, as the final does, so that no two of them act on what
the other has just changed. What an organiser does is noted in the audit log in the same transaction.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.orm import Session, joinedload

from hexarena.backend import audit, notices
from hexarena.backend.accounts import owners
from hexarena.backend.accounts.names import key_of
from hexarena.backend.accounts.secrets import new_code, sha256_of
from hexarena.backend.errors import Conflict, Forbidden, Invalid, NotFound
from hexarena.backend.events import draws, playing, stages
from hexarena.backend.events.forms import MOST_ENTRANTS, BadStage, Stage, TooLong
from hexarena.backend.matches import life as matches, live
from hexarena.backend.models import (
    Bot,
    EntryState,
    Event,
    EventEntry,
    EventPairing,
    EventState,
    Match,
    PairingState,
    User,
)
from hexarena.backend.runtime.db import notify
from hexarena.games.catalogue import all_games, find_game
from hexarena.games.contract import Game

CHANGEABLE = frozenset(
    {"name", "about", "opens_at", "deadline", "listed", "bots_each", "languages", "stages", "prizes", "held"}
    | {"versions_a_day", "source_bytes", "ladder"}
)


CANCELLED = "The event was cancelled."
MOST_REASON = 400
"""Characters of a reason that an entry and a notice keep."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an organiser asks for; see `models.Event`. `invited`: one needs a code to enter. `opens_at`: None: now.
    `listed`: the names of those who may enter. `versions_a_day`, `source_bytes`: None: no limit of its own. `ladder`:
    entrants have a ladder of their own while it is open.
    """

    name: str
    about: str
    opens_at: datetime | None
    deadline: datetime
    invited: bool
    bots_each: int
    languages: Sequence[str] | None
    stages: Sequence[Stage]
    prizes: int
    held: bool
    listed: Sequence[str] | None = None
    versions_a_day: int | None = None
    source_bytes: int | None = None
    ladder: bool = True


def create(session: Session, user: User, game: Game, plan: Plan) -> tuple[Event, str | None]:
    """A new event and the code to enter it, if one needs one. The code is shown only now. Raises: Invalid."""
    _check_times(plan.opens_at, plan.deadline)
    _check_stages(game, plan.stages)
    listed = _names(plan.listed)
    if plan.invited and listed is not None:
        expected = "everybody, a code, or a list"
        raise Invalid("An event has a code or a list.", expected=expected, got="both of the latter")
    code = new_code() if plan.invited else None
    event = Event(
        game=game.id,
        name=plan.name,
        about=plan.about,
        created_by_id=user.id,
        opens_at=plan.opens_at or func.now(),
        deadline=plan.deadline,
        code_sha256=None if code is None else sha256_of(code),
        listed=listed,
        bots_each=plan.bots_each,
        languages=None if plan.languages is None else list(plan.languages),
        versions_a_day=plan.versions_a_day,
        source_bytes=plan.source_bytes,
        stages=[one.as_json() for one in plan.stages],
        prizes=plan.prizes,
        held=plan.held,
        ladder=plan.ladder,
        secret=secrets.token_bytes(draws.SECRET_BYTES),
        league=game.top_level,
    )
    session.add(event)
    session.flush()
    session.refresh(event)
    audit.record(session, user, "create event", event.id, name=event.name, deadline=event.deadline.isoformat())
    live.publish(session, event.game, "event", event.id)
    return event, code


def _names(listed: Sequence[str] | None) -> list[str] | None:
    """Each name once, in their order."""
    if listed is None:
        return None
    return list({key_of(name): name for name in reversed(listed)}.values())[::-1]


def _check_times(opens_at: datetime | None, deadline: datetime) -> None:
    now = datetime.now(UTC)
    if deadline <= now:
        raise Invalid(
            "The deadline is over.",
            expected=f"a time after {now:%Y-%m-%d %H:%M} UTC",
            got=f"{deadline:%Y-%m-%d %H:%M %Z}",
        )
    if opens_at is not None and opens_at >= deadline:
        expected = f"a time before the deadline, {deadline:%Y-%m-%d %H:%M %Z}"
        raise Invalid(
            "The event would open after its deadline.", expected=expected, got=f"{opens_at:%Y-%m-%d %H:%M %Z}"
        )


def _check_stages(game: Game, asked: Sequence[Stage]) -> None:
    try:
        stages.check(asked, sizes=game.ladder_entrants, team_seats=game.team_seats)
    except BadStage as error:
        raise Invalid(str(error), expected=error.expected, got=error.got) from None


def locked(session: Session, event_id: int) -> Event:
    """The event, for a change. Raises: NotFound."""
    query = select(Event).where(Event.id == event_id).with_for_update()
    event = session.scalar(query.execution_options(populate_existing=True))
    if event is None:
        raise NotFound(f"There is no event {event_id}.")
    return event


def change(session: Session, user: User, event_id: int, changes: Mapping[str, Any]) -> Event:
    """Changes an event before its versions are frozen. `changes`: of CHANGEABLE. Raises: NotFound, Conflict."""
    event = locked(session, event_id)
    _check_open(event, "changed")
    if "stages" in changes and event.game in all_games():
        _check_stages(find_game(event.game), changes["stages"])
    if {"deadline", "opens_at"} & set(changes):
        _check_times(changes.get("opens_at", event.opens_at), changes.get("deadline", event.deadline))
    if changes.get("listed") is not None and event.code_sha256 is not None:
        raise Conflict("An event has a code or a list.", expected="an event without a code", got="one with a code")
    for name in CHANGEABLE & set(changes):
        setattr(event, name, _stored(name, changes[name]))
    if {"stages", "prizes"} & set(changes):
        _check_length(session, event)
    if "deadline" in changes:
        event.problem = None  # what kept the versions from being frozen at the earlier one
    session.flush()
    moved = {"deadline": event.deadline.isoformat()} if "deadline" in changes else {}
    audit.record(session, user, "change event", event.id, changed=sorted(CHANGEABLE & set(changes)), **moved)
    _published(session, event)
    return event


def _stored(name: str, value: Any) -> Any:
    """As the column has it."""
    if name == "stages":
        return [one.as_json() for one in value]
    return _names(value) if name == "listed" else value


def renew_code(session: Session, user: User, event_id: int) -> str:
    """A new code to enter with; the old one is no longer valid. Raises: NotFound, Conflict."""
    event = locked(session, event_id)
    _check_open(event, "changed")
    if event.code_sha256 is None:
        raise Conflict("This event has no code.", expected="an event that one enters by a code", got="one without")
    code = new_code()
    event.code_sha256 = sha256_of(code)
    audit.record(session, user, "renew code", event.id)
    session.flush()
    return code


def _check_open(event: Event, done: str) -> None:
    if event.state != EventState.OPEN:
        expected = "an event whose versions are not frozen yet"
        raise Conflict(f"This event can no longer be {done}.", expected=expected, got=f"one that is {event.state}")


def _published(session: Session, event: Event) -> None:
    live.publish(session, event.game, "event", event.id)
    notify(session, "hexarena_jobs")


# --- Entering ---------------------------------------------------------------------------------------------------------


def enter(
    session: Session, user: User, event_id: int, bot_id: int, code: str | None, *, organises: bool = False
) -> EventEntry:
    """Enters a bot. Idempotent. `organises`: any bot may be entered, without a code.

    Raises: NotFound, Forbidden, Conflict.
    """
    event = locked(session, event_id)
    _check_entering(session, event)
    # Locked, so that its owner is not banned, and it is neither deleted nor given to a team, until it is entered.
    shared = {"key_share": True, "read": True}
    owner_id = session.scalar(select(Bot.owner_id).where(Bot.id == bot_id))
    owner = None if owner_id is None else session.get(User, owner_id, with_for_update=shared, populate_existing=True)
    bot = session.get(Bot, bot_id, with_for_update=shared, populate_existing=True)
    if bot is None or owner is None or bot.game != event.game or bot.is_deleted:
        raise NotFound(f"There is no bot {bot_id} in this game.", expected=f"a bot that plays {event.game}")
    own = owners.owns(session, user.id, bot.owner_id)
    if not own and not organises:
        raise Forbidden("Only its owner may enter a bot.", expected="a bot of yours", got=bot.name)
    if bot.owner_id != owner.id:
        raise Conflict("This bot has just got another owner.", expected="to try again", got=bot.name)
    if owner.banned_at is not None:
        expected = "a bot whose owner may take part"
        raise Conflict("The owner of this bot is banned.", expected=expected, got=bot.name)
    _check_code(event, code, organises=organises)
    if not organises and not is_listed(session, event, user.id):
        expected = "somebody on the list of its organisers"
        raise Forbidden("Not everybody may enter this event.", expected=expected, got=user.name)
    entry = session.scalar(
        select(EventEntry).where(EventEntry.event_id == event.id, EventEntry.bot_id == bot.id).with_for_update()
    )
    if entry is not None and entry.state == EntryState.OUT:
        raise Conflict("This bot was disqualified.", expected="a bot that may take part", got=entry.reason)
    if entry is None or entry.state == EntryState.WITHDRAWN:
        _check_count(session, event, bot)
        entry = entry or EventEntry(event_id=event.id, bot_id=bot.id, user_id=bot.owner_id)
        entry.state, entry.outside_prizes = EntryState.ENTERED, _is_house(session, bot)
        session.add(entry)
        session.flush()
        if not own:
            audit.record(session, user, "enter bot", event.id, bot=bot.name, bot_id=bot.id)
        _published(session, event)
    return entry


def _check_entering(session: Session, event: Event) -> None:
    _check_open(event, "entered")
    opens, over = session.execute(
        select(Event.opens_at > func.now(), Event.deadline <= func.now()).where(Event.id == event.id)
    ).one()
    if opens or over:
        expected = f"a time from {event.opens_at:%Y-%m-%d %H:%M} to {event.deadline:%Y-%m-%d %H:%M} UTC"
        raise Conflict(
            "Bots cannot be entered now.", expected=expected, got="after the deadline" if over else "before it opens"
        )


def _check_code(event: Event, code: str | None, *, organises: bool) -> None:
    if event.code_sha256 is None or organises:
        return
    given = sha256_of((code or "").strip().lower())
    if not hmac.compare_digest(given, event.code_sha256):
        expected = "the code that the organiser gave out"
        raise Forbidden(
            "You need a code to enter this event.", expected=expected, got="another one" if code else "none"
        )


def is_listed(session: Session, event: Event, user_id: int | None) -> bool:
    """Whether somebody is on the event's list; everybody is where it has none."""
    if event.listed is None:
        return True
    key = None if user_id is None else session.scalar(select(User.name_key).where(User.id == user_id))
    return key is not None and key in _keys(tuple(event.listed))


@lru_cache(maxsize=32)
def _keys(names: tuple[str, ...]) -> frozenset[str]:
    """Of a list that is asked for with each visit of its event."""
    return frozenset(map(key_of, names))


def _check_count(session: Session, event: Event, bot: Bot) -> None:
    everybody = _entered(session, event)
    if everybody >= MOST_ENTRANTS:
        raise Conflict("This event is full.", expected=f"at most {MOST_ENTRANTS} bots", got=str(everybody))
    _check_length(session, event, entering=bot)
    count = _entered(session, event, EventEntry.user_id == bot.owner_id)
    if count >= event.bots_each and not _is_house(session, bot):
        expected = f"at most {event.bots_each} of one person: withdraw another one first"
        raise Conflict("This is one bot too many.", expected=expected, got=f"{count} entered")


def _entered(session: Session, event: Event, *where: ColumnElement[bool]) -> int:
    """How many bots take part, of those."""
    there = (EventEntry.event_id == event.id) & (EventEntry.state == EntryState.ENTERED)
    return session.scalar(select(func.count()).select_from(EventEntry).where(there, *where)) or 0


def _check_length(session: Session, event: Event, entering: Bot | None = None) -> None:
    """Refuses more bots than its stages can have. `entering`: one that comes to those there are. Raises: Conflict."""
    entrants, outside = _entered(session, event), _entered(session, event, EventEntry.outside_prizes.is_(True))
    if entering is not None:
        entrants, outside = entrants + 1, outside + _is_house(session, entering)
    if event.game in all_games():
        try:
            playing.most_games(event, entrants, outside)
        except TooLong as error:
            raise Conflict(
                "Its stages are too long for so many bots.", expected=error.expected, got=error.got
            ) from None


def _is_house(session: Session, bot: Bot) -> bool:
    return session.scalar(select(User.kind).where(User.id == bot.owner_id)) == "house"


def find_entry(session: Session, event: Event, entry_id: int) -> EventEntry:
    """Raises: NotFound."""
    query = select(EventEntry).where(EventEntry.id == entry_id, EventEntry.event_id == event.id)
    entry = session.scalar(query.options(joinedload(EventEntry.bot)).with_for_update(of=EventEntry))
    if entry is None:
        raise NotFound(f"There is no entry {entry_id} in this event.")
    return entry


def withdraw(session: Session, user: User, event_id: int, entry_id: int, *, organises: bool = False) -> EventEntry:
    """Takes a bot out before the deadline, by its owner. Idempotent. `organises`: a house bot, too.

    Raises: NotFound, Forbidden, Conflict.
    """
    event = locked(session, event_id)
    entry = find_entry(session, event, entry_id)
    own = owners.owns(session, user.id, entry.user_id)
    if not own and not (organises and _is_house(session, entry.bot)):
        raise Forbidden("Only its owner may withdraw a bot; organisers may withdraw house bots.")
    if entry.state == EntryState.OUT:
        raise Conflict("This bot was disqualified.", expected="a bot that takes part", got=entry.reason)
    if entry.state != EntryState.WITHDRAWN:
        _check_open(event, "left")
        entry.state = EntryState.WITHDRAWN
        session.flush()
        if not own:
            audit.record(session, user, "withdraw bot", event.id, bot=entry.bot.name, bot_id=entry.bot_id)
        _published(session, event)
    return entry


def lock_open_events_of(session: Session, user_id: int) -> list[Event]:
    """The events that the user has bots in and whose versions are not frozen yet."""
    entered = select(EventEntry.event_id).where(EventEntry.user_id == user_id)
    found = select(Event).where(Event.id.in_(entered), Event.state == EventState.OPEN).order_by(Event.id)
    return list(session.scalars(found.with_for_update()))


def withdraw_excess(session: Session, event: Event, user_id: int) -> None:
    """Takes a person's bots out of an open event that are more than one may have. Those that came first stay."""
    entered = (EventEntry.event_id == event.id) & (EventEntry.user_id == user_id)
    first = select(EventEntry).where(entered, EventEntry.state == EntryState.ENTERED).order_by(EventEntry.id)
    for entry in list(session.scalars(first))[event.bots_each :]:
        entry.state = EntryState.WITHDRAWN
    session.flush()
    _published(session, event)


# --- What organisers do -----------------------------------------------------------------------------------------------


def disqualify(session: Session, user: User, event_id: int, entry_id: int, reason: str) -> EventEntry:
    """Takes a bot out, for a reason that everybody sees. Its opponents win the games that have not begun, and it does
    not advance.

    Raises: NotFound, Conflict.
    """
    event = locked(session, event_id)
    entry = find_entry(session, event, entry_id)
    if event.state not in {EventState.OPEN, EventState.PLAYING}:
        raise Conflict("This event is over.", expected="one that is open or playing", got=str(event.state))
    exclude(session, event, entry, reason)
    audit.record(session, user, "disqualify", event.id, bot=entry.bot.name, bot_id=entry.bot_id, reason=reason)
    return entry


def exclude(session: Session, event: Event, entry: EventEntry, reason: str) -> None:
    """The entry plays no more."""
    if entry.state == EntryState.OUT:
        return
    entry.state, entry.reason = EntryState.OUT, reason[:MOST_REASON]
    entry.out_stage = event.stage if event.state == EventState.PLAYING else None
    session.flush()
    notices.out_of_event(session, entry, entry.reason)
    _published(session, event)


def cancel(session: Session, user: User, event_id: int, reason: str) -> Event:
    """Ends an event for good, and tells its entrants. Raises: NotFound, Conflict."""
    event = locked(session, event_id)
    if event.state not in {EventState.OPEN, EventState.PLAYING}:
        raise Conflict("This event is over.", expected="one that is open or playing", got=str(event.state))
    event.state, event.problem, event.finished_at = EventState.CANCELLED, reason, func.clock_timestamp()
    session.flush()
    of_event = select(EventPairing.id).where(EventPairing.event_id == event.id)
    matches.void_queued_of_pairings(session, session.scalars(of_event).all(), CANCELLED)
    there = select(EventEntry).where(EventEntry.event_id == event.id, EventEntry.state == EntryState.ENTERED)
    for entry in session.scalars(there.order_by(EventEntry.id)):
        notices.out_of_event(session, entry, f"{CANCELLED} {reason}"[:MOST_REASON])
    audit.record(session, user, "cancel event", event.id, reason=reason)
    _published(session, event)
    return event


def release(session: Session, user: User, event_id: int) -> Event:
    """Shows the results that were held back. Idempotent. Raises: NotFound."""
    event = locked(session, event_id)
    if event.held:
        event.held = False
        session.flush()
        if event.state == EventState.DONE:
            playing.tell_places(session, event)
        of_event = select(EventPairing.id).where(EventPairing.event_id == event.id)
        session.execute(update(Match).where(Match.pairing_id.in_(of_event), Match.held).values(held=False))
        audit.record(session, user, "release results", event.id)
        _published(session, event)
    return event


def resume(session: Session, user: User, event_id: int, pairing_id: int) -> EventPairing:
    """Plays a pairing on that was stuck. Raises: NotFound, Conflict."""
    event = locked(session, event_id)
    query = select(EventPairing).where(EventPairing.id == pairing_id, EventPairing.event_id == event.id)
    pairing = session.scalar(query.with_for_update())
    if pairing is None:
        raise NotFound(f"There is no pairing {pairing_id} in this event.")
    if pairing.state != PairingState.STUCK:
        raise Conflict("This pairing is not stuck.", expected="one that is stuck", got=str(pairing.state))
    pairing.state, pairing.resumed_at = PairingState.PLAYING, func.clock_timestamp()
    session.flush()
    stuck = select(EventPairing.id).where(EventPairing.event_id == event.id, EventPairing.state == PairingState.STUCK)
    if session.scalar(stuck.limit(1)) is None:
        event.problem = None
        session.flush()
    audit.record(session, user, "resume pairing", event.id, pairing=pairing.number, stage=pairing.stage)
    _published(session, event)
    return pairing


def lock_unfinished_of_bots(session: Session, bot_ids: Collection[int]) -> None:
    """Locks the events that these bots have entered and that are not over: a version is frozen before or after what the
    caller does, not meanwhile. After ladders, and before bots and submissions.
    """
    _lock_unfinished(session, EventEntry.bot_id.in_(bot_ids))


def lock_unfinished_of_version(session: Session, submission_id: int) -> None:
    """The same with the events that have frozen this version."""
    _lock_unfinished(session, EventEntry.submission_id == submission_id)


def _lock_unfinished(session: Session, which: ColumnElement[bool]) -> None:
    if _is_any(session, which):
        entered = Event.id.in_(select(EventEntry.event_id).where(which)) & _is_unfinished()
        session.execute(select(Event.id).where(entered).order_by(Event.id).with_for_update())


def _is_any(session: Session, which: ColumnElement[bool]) -> bool:
    """Whether there are such entries. It does not read the events, which have the secrets of their seeds: workers
    elsewhere may not.
    """
    return session.scalar(select(EventEntry.id).where(which).limit(1)) is not None


def _is_unfinished() -> ColumnElement[bool]:
    return Event.state.in_((EventState.OPEN, EventState.PLAYING))


def end_for_deleted_code(session: Session, submission_ids: Collection[int]) -> None:
    """The entries with these versions are out, because their owner deleted their code."""
    _exclude_all(session, EventEntry.submission_id.in_(submission_ids), "Its owner deleted its code.")


def end_for_failed_build(session: Session, submission_id: int, problem: str) -> None:
    """The entries with this version are out, because it can no longer be built."""
    _exclude_all(session, EventEntry.submission_id == submission_id, f"It can no longer be built. {problem}")


def check_not_playing(session: Session, submission_id: int) -> None:
    """Raises: Conflict, if this version plays in the final of an event."""
    in_final = (EventEntry.submission_id == submission_id) & (Event.state == EventState.PLAYING)
    query = select(Event.name).join(EventEntry, EventEntry.event_id == Event.id).where(in_final)
    name = session.scalar(query.where(EventEntry.state == EntryState.ENTERED).limit(1))
    if name is not None:
        expected = "a version that no running event has frozen"
        raise Conflict("The code of this version is in use: it plays in an event.", expected=expected, got=name)


def _exclude_all(session: Session, which: ColumnElement[bool], reason: str) -> None:
    """The caller has locked their events."""
    if not _is_any(session, which):
        return
    query = select(EventEntry, Event).join(Event, Event.id == EventEntry.event_id)
    for entry, event in session.execute(query.where(which, _is_unfinished()).order_by(EventEntry.id)).all():
        exclude(session, event, entry, reason)


def forget_bots(session: Session, bot_ids: Collection[int]) -> None:
    """Withdraws deleted bots from events that are still open, and that the caller has locked.

    Those that were disqualified stay so.
    """
    open_events = select(Event.id).where(Event.state == EventState.OPEN)
    entered = EventEntry.bot_id.in_(bot_ids) & (EventEntry.state == EntryState.ENTERED)
    left = update(EventEntry).where(entered, EventEntry.event_id.in_(open_events)).values(state=EntryState.WITHDRAWN)
    ids = session.scalars(left.returning(EventEntry.event_id)).all()
    for event in session.scalars(select(Event).where(Event.id.in_(ids)).order_by(Event.id)):
        _published(session, event)
