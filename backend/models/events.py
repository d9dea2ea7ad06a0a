"""Events: entries, pairings, heats and their tables."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    CheckConstraint,
    ForeignKey,
    Identity,
    Index,
    LargeBinary,
    SmallInteger,
    String,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column, relationship

from hexarena.backend.models.base import Base, one_of

if TYPE_CHECKING:
    from hexarena.backend.models.accounts import User
    from hexarena.backend.models.submissions import Bot, Submission


class EventState(StrEnum):
    """`open`: until its deadline, and until the versions are frozen after it. `playing`: its final."""

    OPEN = "open"
    PLAYING = "playing"
    DONE = "done"
    CANCELLED = "cancelled"


class Event(Base):
    """A contest: a game, a deadline, who may enter, and a final in stages (`backend/events`).

    `code_sha256`: of the code that one needs to enter; `listed`: the names of those who may, as they were written. Both
    null: everybody may. `bots_each`: how many of one person.
    `languages`: null: all. `stages`: see `events.forms.Stage`; `stage`: the index of the one that is played. `prizes`:
    the first places, which the seeding alone must not decide. `held`: results are for organisers only. `secret`: of
    the seeds (`events.draws`), shown when it is done. `versions_a_day`, `source_bytes`: what an entrant may send while
    it is open; null: no limit of its own. `league`: rules level. `problem`: why it cannot continue, or why
    it was cancelled. `paused_at`: no new games are begun since then. `ladder`: its entrants have a ladder of their own
    while it is open (`events.ladder`); `ladder_stamp`: what its standings were rated from, null before the first time.
    """

    __tablename__ = "event"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    name: Mapped[str] = mapped_column(String(80))
    about: Mapped[str] = mapped_column(String(4000), server_default="")
    state: Mapped[EventState] = mapped_column(one_of(EventState, "state"), server_default="open")
    created_by_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    opens_at: Mapped[datetime] = mapped_column(server_default=func.now())
    deadline: Mapped[datetime]
    code_sha256: Mapped[str | None] = mapped_column(String(64))
    listed: Mapped[list[str] | None] = mapped_column(JSONB(none_as_null=True))
    bots_each: Mapped[int] = mapped_column(SmallInteger, server_default="1")
    languages: Mapped[list[str] | None] = mapped_column(JSONB(none_as_null=True))
    versions_a_day: Mapped[int | None]
    source_bytes: Mapped[int | None]
    stages: Mapped[list[dict[str, Any]]] = mapped_column(JSONB)
    stage: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    prizes: Mapped[int] = mapped_column(SmallInteger, server_default="3")
    held: Mapped[bool] = mapped_column(server_default="false")
    secret: Mapped[bytes] = mapped_column(LargeBinary)
    league: Mapped[int] = mapped_column(SmallInteger)
    problem: Mapped[str | None]
    paused_at: Mapped[datetime | None]
    paused_reason: Mapped[str | None] = mapped_column(String(400))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    frozen_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    ladder: Mapped[bool] = mapped_column(server_default="false")
    ladder_stamp: Mapped[str | None] = mapped_column(String(64))

    __table_args__ = (
        CheckConstraint("name <> ''", name="named"),
        CheckConstraint("(paused_at IS NULL) = (paused_reason IS NULL)", name="pauses_have_reasons"),
        CheckConstraint("octet_length(secret) = 32", name="secret"),
        CheckConstraint("bots_each > 0 AND prizes >= 0 AND stage >= 0", name="counts"),
        CheckConstraint("versions_a_day > 0", name="versions_a_day"),
        CheckConstraint("source_bytes > 0", name="source_bytes"),
        CheckConstraint("jsonb_array_length(stages) > 0", name="has_stages"),
        CheckConstraint("code_sha256 IS NULL OR listed IS NULL", name="code_or_list"),
        CheckConstraint("deadline > opens_at", name="opens_before_its_deadline"),
        CheckConstraint("state NOT IN ('playing', 'done') OR frozen_at IS NOT NULL", name="plays_frozen_versions"),
        CheckConstraint("(state IN ('done', 'cancelled')) = (finished_at IS NOT NULL)", name="over_has_an_end"),
        Index("ix_event_unfinished", "id", postgresql_where=text("state IN ('open', 'playing')")),
        Index("ix_event_deadline", text("deadline DESC"), text("id DESC")),
    )


class EventOrganiser(Base):
    """Who may organise an event without being an organiser of the arena."""

    __tablename__ = "event_organiser"

    event_id: Mapped[int] = mapped_column(ForeignKey("event.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"), primary_key=True)
    user: Mapped[User] = relationship(lazy="raise", viewonly=True)

    __table_args__ = (Index("ix_event_organiser_user_id", "user_id"),)


class EntryState(StrEnum):
    """`withdrawn`: by its owner before the deadline. `out`: disqualified, or it can no longer play."""

    ENTERED = "entered"
    WITHDRAWN = "withdrawn"
    OUT = "out"


class EventEntry(Base):
    """A bot that takes part. `submission_id`, `seed`: its frozen version, and its place in the seeding from 1, which
    follows from its `rating` then; `deviation`: of the rating, Elo. `reason`: why it is out. `place`: in the end.
    `outside_prizes`: it is ranked, but takes no prize: a house bot. `out_stage`: the stage of the final that was played
    when it went out, from 0; it does not advance from there.
    """

    __tablename__ = "event_entry"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    event_id: Mapped[int] = mapped_column(ForeignKey("event.id", ondelete="CASCADE"))
    bot_id: Mapped[int] = mapped_column(ForeignKey("bot.id"))
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    state: Mapped[EntryState] = mapped_column(one_of(EntryState, "state"), server_default="entered")
    reason: Mapped[str | None] = mapped_column(String(400))
    entered_at: Mapped[datetime] = mapped_column(server_default=func.now())
    submission_id: Mapped[int | None] = mapped_column(ForeignKey("submission.id"))
    seed: Mapped[int | None] = mapped_column(SmallInteger)
    rating: Mapped[float | None]
    deviation: Mapped[float | None]
    place: Mapped[int | None] = mapped_column(SmallInteger)
    outside_prizes: Mapped[bool] = mapped_column(server_default="false")
    out_stage: Mapped[int | None] = mapped_column(SmallInteger)
    bot: Mapped[Bot] = relationship(lazy="raise", viewonly=True)
    submission: Mapped[Submission | None] = relationship(lazy="raise", viewonly=True)

    __table_args__ = (
        UniqueConstraint("event_id", "bot_id"),
        CheckConstraint("(submission_id IS NULL) = (seed IS NULL)", name="frozen_is_seeded"),
        CheckConstraint("state <> 'out' OR reason IS NOT NULL", name="out_is_explained"),
        CheckConstraint("out_stage IS NULL OR state = 'out'", name="out_in_a_stage"),
        Index("ix_event_entry_bot_id", "bot_id"),
        Index("ix_event_entry_user_id", "user_id"),
        Index("ix_event_entry_submission_id", "submission_id", postgresql_where=text("submission_id IS NOT NULL")),
    )


class EventStanding(Base):
    """A version's row on the ladder of an event's own. Elo; counts are of matches that repeat no earlier one."""

    __tablename__ = "event_standing"

    event_id: Mapped[int] = mapped_column(ForeignKey("event.id", ondelete="CASCADE"), primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"), primary_key=True)
    rating: Mapped[float]
    deviation: Mapped[float]
    games: Mapped[int]
    wins: Mapped[int]
    draws: Mapped[int]
    losses: Mapped[int]

    __table_args__ = (
        CheckConstraint("games = wins + draws + losses", name="counts"),
        Index("ix_event_standing_submission_id", "submission_id"),
    )


class PairingState(StrEnum):
    """`stuck`: a match of it was void too often; an organiser decides."""

    WAITING = "waiting"
    PLAYING = "playing"
    STUCK = "stuck"
    DONE = "done"


class EventPairing(Base):
    """Two entries who play in a stage (`events.forms.Pairing`). The four counts and the winner: once it is done.

    A heat (`events.forms.Heat`) is one without a first and a second: its entries are of `EventHeatEntry`.
    `resumed_at`: when an organiser resumed it; void matches before that are no longer counted.
    """

    __tablename__ = "event_pairing"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    event_id: Mapped[int] = mapped_column(ForeignKey("event.id", ondelete="CASCADE"))
    stage: Mapped[int] = mapped_column(SmallInteger)
    number: Mapped[int]
    round: Mapped[int] = mapped_column(SmallInteger)
    part: Mapped[str] = mapped_column(String(8))
    playoff: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    first_id: Mapped[int | None] = mapped_column(ForeignKey("event_entry.id"))
    second_id: Mapped[int | None] = mapped_column(ForeignKey("event_entry.id"))
    state: Mapped[PairingState] = mapped_column(one_of(PairingState, "state"), server_default="waiting")
    first: Mapped[int | None]
    second: Mapped[int | None]
    first_wins: Mapped[int | None]
    second_wins: Mapped[int | None]
    winner_id: Mapped[int | None] = mapped_column(ForeignKey("event_entry.id"))
    resumed_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    event: Mapped[Event] = relationship(lazy="raise", viewonly=True)

    __table_args__ = (
        UniqueConstraint("event_id", "stage", "number"),
        CheckConstraint("first_id <> second_id", name="of_two"),
        CheckConstraint("(first_id IS NULL) = (second_id IS NULL)", name="a_pair_or_a_heat"),
        CheckConstraint("first_id IS NULL OR (state = 'done') = (first IS NOT NULL)", name="done_has_an_outcome"),
        CheckConstraint("(state = 'done') = (finished_at IS NOT NULL)", name="done_has_an_end"),
        Index("ix_event_pairing_state", "event_id", "state", "stage", "number"),
        Index("ix_event_pairing_first_id", "first_id"),
        Index("ix_event_pairing_second_id", "second_id"),
    )


class EventHeatEntry(Base):
    """An entry of a heat. `position`: in the order in which they were dealt, from 0. `points`, `wins`: once it is done
    (`events.forms.HeatOutcome`).
    """

    __tablename__ = "event_heat_entry"

    pairing_id: Mapped[int] = mapped_column(ForeignKey("event_pairing.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    entry_id: Mapped[int] = mapped_column(ForeignKey("event_entry.id"))
    points: Mapped[int | None]
    wins: Mapped[int | None]

    __table_args__ = (
        UniqueConstraint("pairing_id", "entry_id"),
        CheckConstraint("(points IS NULL) = (wins IS NULL)", name="counted_together"),
        CheckConstraint("position >= 0", name="counts_from_zero"),
        Index("ix_event_heat_entry_entry_id", "entry_id"),
    )
