"""The tables. Constraints make wrong states impossible; migrations/ is the only way in which they change.

Append-only: source, submission (except for its state, and its code when that is deleted), match_seat, void_attempt,
result and seat_result (but for annulled matches), standing_history, daily_board, change. Small and changing: user,
oidc_identity, user_session, token, invite, host, erasure, bot, ladder, standing, job (the queue of record: a row for
each match that is not over), in_person, in_person_turn (until the match is over), usage, pending_result (those that no
refit has counted), duel, announcement, event, event_entry, event_pairing, event_heat_entry, class, class_team,
class_member, assignment, assignment_rung, mark, webhook, webhook_delivery, worker. Never changed at all: audit_entry,
extension. pair_tally can be made again from the results, daily_board from the history.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    BigInteger,
    CheckConstraint,
    DateTime,
    Enum,
    ForeignKey,
    ForeignKeyConstraint,
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
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship
from sqlalchemy.schema import MetaData
from sqlalchemy.types import UserDefinedType

from hexarena.backend.rating.sprt import MOST_GAMES, Preset, Verdict, only_repeats
from hexarena.backend.runtime.sizes import ARCHIVE_BYTES

NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class TransactionId(UserDefinedType[str]):
    """Postgres' xid8: the number of the transaction that wrote a row."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        """The column's type in DDL."""
        return "xid8"


class Base(DeclarativeBase):
    """What all tables share."""

    metadata = MetaData(naming_convention=NAMES)
    type_annotation_map = {int: BigInteger, datetime: DateTime(timezone=True), dict[str, Any]: JSONB}  # noqa: RUF012


class UserKind(StrEnum):
    """`local`: the only user of an arena without isolation (HEXARENA_SANDBOX=none). `deleted`: his results are left.

    `team`: of students of a class. Nobody signs in as a team: its members act for it (`accounts.owners`).
    """

    GUEST = "guest"
    LOCAL = "local"
    HOUSE = "house"
    ACCOUNT = "account"
    DELETED = "deleted"
    TEAM = "team"


class UserRole(StrEnum):
    """What an account may do beyond its own things (`accounts.permissions`)."""

    USER = "user"
    ORGANISER = "organiser"


class SubmissionState(StrEnum):
    """`draft`: code of a practice match, never on the ladder. A bot on the ladder has exactly one `live` submission.

    `disabled`: taken off the ladder after too many consecutive matches that ended in a fault of its own.
    """

    DRAFT = "draft"
    QUEUED = "queued"
    BUILDING = "building"
    CHECKING = "checking"
    LIVE = "live"
    SUPERSEDED = "superseded"
    FAILED = "failed"
    DISABLED = "disabled"


PERSON = "person"
"""In place of a language, where a person plays and no code."""
PENDING = (SubmissionState.QUEUED, SubmissionState.BUILDING, SubmissionState.CHECKING)


class MatchKind(StrEnum):
    """Only `placement`, `promotion` and `ladder` matches are rated. `marking`: for the marks of an assignment.

    `event ladder`: of an event that is open, among its entrants; `event`: of its final.
    """

    PRACTICE = "practice"
    CHECK = "check"
    DUEL = "duel"
    EVENT = "event"
    EVENT_LADDER = "event ladder"
    MARKING = "marking"
    PLACEMENT = "placement"
    PROMOTION = "promotion"
    LADDER = "ladder"


RATED = (MatchKind.PLACEMENT, MatchKind.PROMOTION, MatchKind.LADDER)


class MatchState(StrEnum):
    """`void`: does not count; docs/architecture.md lists the reasons."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    VOID = "void"

    @property
    def is_over(self) -> bool:
        """Whether nothing of it will change any more, unless somebody annuls it."""
        return self in (MatchState.DONE, MatchState.VOID)


def _one_of(kind: type[StrEnum], name: str) -> Enum:
    """Text that must be one of the values."""
    return Enum(
        kind,
        native_enum=False,
        create_constraint=True,
        length=16,
        name=name,
        values_callable=lambda members: [member.value for member in members],
    )


class User(Base):
    """Somebody who owns bots.

    `name_key`: `accounts.names.key_of` the name, unique; null for guests that never chose one, for those who are
    deleted, and for whoever had a name too near to another. `password_hash`: null where he signs in otherwise.
    `network`: the key of the network that a guest first wrote from (`matches.shares`). `was_guest`: of somebody who is
    deleted.
    """

    __tablename__ = "user"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    kind: Mapped[UserKind] = mapped_column(_one_of(UserKind, "kind"))
    role: Mapped[UserRole] = mapped_column(_one_of(UserRole, "role"), server_default="user")
    name: Mapped[str] = mapped_column(String(40))
    name_key: Mapped[str | None] = mapped_column(String(200))
    password_hash: Mapped[str | None] = mapped_column(String(200))
    email: Mapped[str | None] = mapped_column(String(254))
    network: Mapped[str | None] = mapped_column(String(32))
    was_guest: Mapped[bool] = mapped_column(server_default="false")
    banned_at: Mapped[datetime | None]
    ban_reason: Mapped[str | None] = mapped_column(String(400))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (
        CheckConstraint("role = 'user' OR kind IN ('account', 'local')", name="organisers_have_accounts"),
        CheckConstraint("(banned_at IS NULL) = (ban_reason IS NULL)", name="bans_have_reasons"),
        Index("uq_user_name_key", "name_key", unique=True),
        Index("uq_user_single_kind", "kind", unique=True, postgresql_where=text("kind IN ('house', 'local')")),
        Index("ix_user_network", "network", postgresql_where=text("network IS NOT NULL")),
    )


class OidcIdentity(Base):
    """An account's identity at an OpenID provider. `provider`: its id in the settings."""

    __tablename__ = "oidc_identity"

    provider: Mapped[str] = mapped_column(String(40), primary_key=True)
    subject: Mapped[str] = mapped_column(String(255), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (Index("ix_oidc_identity_user_id", "user_id"),)


class UserSession(Base):
    """An account that is signed in in one browser. Of its secret only the SHA-256 is kept."""

    __tablename__ = "user_session"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"))
    secret_sha256: Mapped[str] = mapped_column(String(64), unique=True)
    browser: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    seen_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]

    __table_args__ = (Index("ix_user_session_user_id", "user_id"), Index("ix_user_session_expires_at", "expires_at"))


class Token(Base):
    """A personal token for scripts. Of its secret only the SHA-256 is kept. `uses`: requests that it was used for."""

    __tablename__ = "token"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(60))
    scopes: Mapped[list[str]] = mapped_column(JSONB)
    secret_sha256: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    used_at: Mapped[datetime | None]
    uses: Mapped[int] = mapped_column(server_default="0")

    __table_args__ = (UniqueConstraint("user_id", "name"),)


class Invite(Base):
    """A code to sign up with. Of it only the SHA-256 is kept. `uses_left`: accounts that it can still make."""

    __tablename__ = "invite"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    code_sha256: Mapped[str] = mapped_column(String(64), unique=True)
    note: Mapped[str] = mapped_column(String(200), server_default="")
    role: Mapped[UserRole] = mapped_column(_one_of(UserRole, "role"), server_default="user")
    uses_left: Mapped[int]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]

    __table_args__ = (CheckConstraint("uses_left >= 0", name="uses_left"),)


class Host(Base):
    """A machine elsewhere whose workers may join with its token. Of that only the SHA-256 is kept.

    `joined_at`: when a worker of it last did, with `version` of Hexarena; null if none has.
    """

    __tablename__ = "host"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    name: Mapped[str] = mapped_column(String(40), unique=True)
    secret_sha256: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    joined_at: Mapped[datetime | None]
    version: Mapped[str | None] = mapped_column(String(40))


class Erasure(Base):
    """A stored text that must go because its owner deleted it. The dispatcher deletes it, then the row.

    `seat`: only the log of that seat; null: all that the match stored.
    """

    __tablename__ = "erasure"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    replay_key: Mapped[str] = mapped_column(String(100))
    seat: Mapped[int | None] = mapped_column(SmallInteger)


class Source(Base):
    """A source file, or a zip of several as `sources.pack` writes it, kept once for each content."""

    __tablename__ = "source"

    sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    body: Mapped[bytes] = mapped_column(LargeBinary)

    __table_args__ = (CheckConstraint(f"octet_length(body) <= {ARCHIVE_BYTES}", name="size"),)


class Bot(Base):
    """A user's entrant in one game. Its code is that of its live submission.

    `name_key`: `accounts.names.key_of` the name; null where the bot is deleted.
    """

    __tablename__ = "bot"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    owner_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    name: Mapped[str] = mapped_column(String(40))
    name_key: Mapped[str | None] = mapped_column(String(200))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    owner: Mapped[User] = relationship(lazy="raise", viewonly=True)

    __table_args__ = (
        CheckConstraint("name <> ''", name="named"),
        UniqueConstraint("id", "game"),
        Index("uq_bot_game_name", "game", text("lower(name)"), unique=True),
        Index("ix_bot_game_name_key", "game", "name_key"),
        Index("ix_bot_owner_id", "owner_id"),
    )


class Submission(Base):
    """One immutable upload of source. Only its state, the findings about it and its owner's note and tag change.

    `tag`: a short name for the version, which no other of the bot has. `source_sha256`: null once its owner has deleted
    the code; it can then never play again. `language`: PERSON for a seat that a person plays, which is a draft without
    code. `check_match_id`: its newest check match; no foreign key, since seats refer to submissions.
    """

    __tablename__ = "submission"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    game: Mapped[str] = mapped_column(String(40))
    bot_id: Mapped[int | None]
    version: Mapped[int | None]
    language: Mapped[str] = mapped_column(String(20))
    source_sha256: Mapped[str | None] = mapped_column(ForeignKey("source.sha256"))
    note: Mapped[str] = mapped_column(String(200), server_default="")
    tag: Mapped[str | None] = mapped_column(String(24))
    state: Mapped[SubmissionState] = mapped_column(_one_of(SubmissionState, "state"))
    problem: Mapped[str | None]
    build_log: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    check_match_id: Mapped[int | None]
    bot: Mapped[Bot | None] = relationship(lazy="raise", viewonly=True)
    user: Mapped[User] = relationship(lazy="raise", viewonly=True)
    source: Mapped[Source | None] = relationship(lazy="raise", viewonly=True)
    standing: Mapped[Standing | None] = relationship(
        lazy="raise", viewonly=True, primaryjoin="foreign(Standing.submission_id) == Submission.id"
    )

    @property
    def title(self) -> str:
        """What a match calls it. Needs `bot` to be loaded, and `user` for a person."""
        if self.language == PERSON:
            return self.user.name
        return "your code" if self.bot is None else self.bot.name

    __table_args__ = (
        ForeignKeyConstraint(["bot_id", "game"], ["bot.id", "bot.game"]),
        UniqueConstraint("bot_id", "version"),
        UniqueConstraint("id", "game"),
        CheckConstraint("(bot_id IS NULL) = (version IS NULL)", name="versioned"),
        CheckConstraint("(bot_id IS NULL) = (state = 'draft')", name="draft_has_no_bot"),
        CheckConstraint("version > 0", name="version_counts_from_one"),
        CheckConstraint(
            "source_sha256 IS NOT NULL OR state IN ('superseded', 'failed', 'disabled') OR language = 'person'",
            name="plays_with_its_code",
        ),
        Index("ix_submission_source_sha256", "source_sha256"),
        CheckConstraint("state NOT IN ('failed', 'disabled') OR problem IS NOT NULL", name="failure_is_explained"),
        CheckConstraint("tag <> ''", name="tagged"),
        Index("uq_submission_tag", "bot_id", text("lower(tag)"), unique=True, postgresql_where=text("tag IS NOT NULL")),
        Index("uq_submission_live", "bot_id", unique=True, postgresql_where=text("state = 'live'")),
        Index("ix_submission_user_id", "user_id", "id"),
        Index(
            "ix_submission_game_created_at",
            "game",
            "created_at",
            postgresql_include=["id"],
            postgresql_where=text("bot_id IS NOT NULL"),
        ),
    )


class LessonAttempt(Base):
    """A draft that plays the boss of a lesson: its practice matches are the attempt. `lesson`: counted from 1."""

    __tablename__ = "lesson_attempt"

    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id", ondelete="CASCADE"), primary_key=True)
    lesson: Mapped[int] = mapped_column(SmallInteger)

    __table_args__ = (CheckConstraint("lesson > 0", name="lesson_counts_from_one"),)


class Batch(Base):
    """A draft that plays several bots: its practice matches are the batch. `seeds`: played in both seats each.

    `opponents`: bot ids, in free-for-alls, where others play, too; empty where a match has two entrants.
    """

    __tablename__ = "batch"

    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id", ondelete="CASCADE"), primary_key=True)
    seeds: Mapped[int] = mapped_column(SmallInteger)
    opponents: Mapped[list[int]] = mapped_column(JSONB, server_default="[]")

    __table_args__ = (CheckConstraint("seeds > 0", name="has_seeds"),)


class League(Base):
    """A rung of a game's ladder. `position` counts from 1, the lowest. Its boss guards the way up; none at the top."""

    __tablename__ = "league"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    position: Mapped[int] = mapped_column(SmallInteger)
    name: Mapped[str] = mapped_column(String(40))
    boss_bot_id: Mapped[int | None]

    __table_args__ = (
        UniqueConstraint("game", "position"),
        UniqueConstraint("game", "name"),
        ForeignKeyConstraint(["boss_bot_id", "game"], ["bot.id", "bot.game"]),
        CheckConstraint("position > 0", name="counts_from_one"),
    )


class DuelState(StrEnum):
    """`void`: it cannot be finished, because we failed, or because the build of one of its versions fails."""

    RUNNING = "running"
    DONE = "done"
    CANCELLED = "cancelled"
    VOID = "void"


class Duel(Base):
    """Is one version stronger than the other? Played until the sequential test of `rating.sprt` decides.

    Whole trials are counted, in order. `counts`: how many gave the candidate 0, ½, 1 (and 1½, 2) points; `wins`,
    `draws`, `losses`: its matches in them. `digests`: distinct digests of these, as many as it takes to know that they
    do not only repeat each other. `seed`: of the list of fixtures. `league`: rules level.
    `field`: in a free-for-all the submissions among which both play. `paused_until`: when its user has CPU time again.
    """

    __tablename__ = "duel"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    requested_by_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    candidate_id: Mapped[int]
    baseline_id: Mapped[int]
    league: Mapped[int] = mapped_column(SmallInteger)
    preset: Mapped[Preset] = mapped_column(String(16))
    paired: Mapped[bool]
    seed: Mapped[int]
    most_games: Mapped[int]
    field: Mapped[list[int]] = mapped_column(JSONB, server_default="[]")
    state: Mapped[DuelState] = mapped_column(_one_of(DuelState, "state"), server_default="running")
    verdict: Mapped[Verdict | None] = mapped_column(String(16))
    counts: Mapped[list[int]] = mapped_column(JSONB)
    trials: Mapped[int] = mapped_column(server_default="0")
    wins: Mapped[int] = mapped_column(server_default="0")
    draws: Mapped[int] = mapped_column(server_default="0")
    losses: Mapped[int] = mapped_column(server_default="0")
    digests: Mapped[list[str]] = mapped_column(JSONB, server_default="[]")
    void_reason: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    finished_at: Mapped[datetime | None]
    paused_until: Mapped[datetime | None]
    candidate: Mapped[Submission] = relationship(
        lazy="raise", viewonly=True, primaryjoin="foreign(Duel.candidate_id) == Submission.id"
    )
    baseline: Mapped[Submission] = relationship(
        lazy="raise", viewonly=True, primaryjoin="foreign(Duel.baseline_id) == Submission.id"
    )

    @property
    def games(self) -> int:
        """How many matches were counted."""
        return self.wins + self.draws + self.losses

    @property
    def repeats(self) -> bool:
        """See sprt.only_repeats."""
        return only_repeats(self.games, len(self.digests))

    __table_args__ = (
        ForeignKeyConstraint(["candidate_id", "game"], ["submission.id", "submission.game"]),
        ForeignKeyConstraint(["baseline_id", "game"], ["submission.id", "submission.game"]),
        UniqueConstraint("id", "game"),
        CheckConstraint("candidate_id <> baseline_id", name="of_two"),
        CheckConstraint("preset IN ('quick', 'normal', 'fine', 'which')", name="preset"),
        CheckConstraint(
            f"most_games BETWEEN 1 AND {MOST_GAMES} AND NOT (paired AND most_games % 2 = 1)", name="most_games"
        ),
        CheckConstraint("verdict IN ('stronger', 'not stronger', 'weaker', 'open')", name="verdict"),
        CheckConstraint("(state = 'done') = (verdict IS NOT NULL)", name="done_has_a_verdict"),
        CheckConstraint("(state = 'void') = (void_reason IS NOT NULL)", name="void_is_explained"),
        CheckConstraint("(state = 'running') = (finished_at IS NULL)", name="over_has_an_end"),
        CheckConstraint("jsonb_array_length(counts) = CASE WHEN paired THEN 5 ELSE 3 END", name="counts"),
        CheckConstraint(
            "wins >= 0 AND draws >= 0 AND losses >= 0"
            " AND wins + draws + losses = trials * CASE WHEN paired THEN 2 ELSE 1 END"
            " AND wins + draws + losses <= most_games",
            name="games_add_up",
        ),
        Index("ix_duel_running", "id", postgresql_where=text("state = 'running'")),
        Index("ix_duel_requested_by_id", "requested_by_id", "id"),
        Index("ix_duel_game_id", "game", "id"),
    )


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
    state: Mapped[EventState] = mapped_column(_one_of(EventState, "state"), server_default="open")
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
    `outside_prizes`: it is ranked, but takes no prize: a house bot.
    """

    __tablename__ = "event_entry"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    event_id: Mapped[int] = mapped_column(ForeignKey("event.id", ondelete="CASCADE"))
    bot_id: Mapped[int] = mapped_column(ForeignKey("bot.id"))
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    state: Mapped[EntryState] = mapped_column(_one_of(EntryState, "state"), server_default="entered")
    reason: Mapped[str | None] = mapped_column(String(400))
    entered_at: Mapped[datetime] = mapped_column(server_default=func.now())
    submission_id: Mapped[int | None] = mapped_column(ForeignKey("submission.id"))
    seed: Mapped[int | None] = mapped_column(SmallInteger)
    rating: Mapped[float | None]
    deviation: Mapped[float | None]
    place: Mapped[int | None] = mapped_column(SmallInteger)
    outside_prizes: Mapped[bool] = mapped_column(server_default="false")
    bot: Mapped[Bot] = relationship(lazy="raise", viewonly=True)
    submission: Mapped[Submission | None] = relationship(lazy="raise", viewonly=True)

    __table_args__ = (
        UniqueConstraint("event_id", "bot_id"),
        CheckConstraint("(submission_id IS NULL) = (seed IS NULL)", name="frozen_is_seeded"),
        CheckConstraint("state <> 'out' OR reason IS NOT NULL", name="out_is_explained"),
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
    state: Mapped[PairingState] = mapped_column(_one_of(PairingState, "state"), server_default="waiting")
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


class Announcement(Base):
    """An announcement. `event_id`: only on the page of this event. `until`: null: until withdrawn."""

    __tablename__ = "announcement"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    message: Mapped[str] = mapped_column(String(400))
    event_id: Mapped[int | None] = mapped_column(ForeignKey("event.id", ondelete="CASCADE"))
    until: Mapped[datetime | None]
    withdrawn_at: Mapped[datetime | None]
    created_by_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (
        CheckConstraint("message <> ''", name="says_something"),
        Index("ix_announcement_not_withdrawn", "id", postgresql_where=text("withdrawn_at IS NULL")),
        Index("ix_announcement_event_id", "event_id", postgresql_where=text("event_id IS NOT NULL")),
    )


class AuditEntry(Base):
    """What an organiser did. Rows are never changed: the database refuses it.

    `user_id`: null if the arena did it by itself.
    """

    __tablename__ = "audit_entry"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    at: Mapped[datetime] = mapped_column(server_default=func.now())
    user_id: Mapped[int | None] = mapped_column(ForeignKey("user.id"))
    action: Mapped[str] = mapped_column(String(40))
    event_id: Mapped[int | None]
    detail: Mapped[dict[str, Any]] = mapped_column(server_default="{}")

    __table_args__ = (Index("ix_audit_entry_event_id", "event_id", "id"), Index("ix_audit_entry_user_id", "user_id"))


class Class(Base):
    """Students of one course who write bots for one game (`backend/classes`).

    `organiser_id`: only he, and those of `ClassOrganiser`, see who is who. `named`: so many at the top of the class's
    board are shown with their names to the whole class.
    """

    __tablename__ = "class"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    name: Mapped[str] = mapped_column(String(80))
    organiser_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    named: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (
        CheckConstraint("name <> ''", name="named"),
        CheckConstraint("named >= 0", name="counts"),
        Index("ix_class_organiser_id", "organiser_id", "id"),
    )


class ClassOrganiser(Base):
    """Who may organise a class besides whom it belongs to."""

    __tablename__ = "class_organiser"

    class_id: Mapped[int] = mapped_column(ForeignKey("class.id", ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"), primary_key=True)

    __table_args__ = (Index("ix_class_organiser_user_id", "user_id"),)


class ClassTeam(Base):
    """Students of a class who share bots. The bots' owner is the user `user_id`, of the kind `team`."""

    __tablename__ = "class_team"

    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), primary_key=True)
    class_id: Mapped[int] = mapped_column(ForeignKey("class.id", ondelete="CASCADE"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    user: Mapped[User] = relationship(lazy="raise", viewonly=True)

    __table_args__ = (UniqueConstraint("user_id", "class_id"), Index("ix_class_team_class_id", "class_id"))


class ClassMember(Base):
    """A student of a class: a line of its roster, and the account that was made for it.

    `key`: his mail address or number, as the roster has it; `key_folded`: the same for equal ones. `group`: what the
    roster says. `code_sha256`: of the code that he signs in with the first time; null once it was used.
    """

    __tablename__ = "class_member"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    class_id: Mapped[int] = mapped_column(ForeignKey("class.id", ondelete="CASCADE"))
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    team_id: Mapped[int | None]
    key: Mapped[str] = mapped_column(String(254))
    key_folded: Mapped[str] = mapped_column(String(600))
    name: Mapped[str] = mapped_column(String(120))
    group: Mapped[str] = mapped_column(String(60), server_default="")
    code_sha256: Mapped[str | None] = mapped_column(String(64), unique=True)
    code_expires_at: Mapped[datetime | None]
    signed_in_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    user: Mapped[User] = relationship(lazy="raise", viewonly=True)

    __table_args__ = (
        UniqueConstraint("class_id", "key_folded"),
        UniqueConstraint("user_id"),
        ForeignKeyConstraint(["team_id", "class_id"], ["class_team.user_id", "class_team.class_id"]),
        CheckConstraint("name <> '' AND key <> ''", name="named"),
        CheckConstraint("(code_sha256 IS NULL) = (code_expires_at IS NULL)", name="codes_expire"),
        Index("ix_class_member_team_id", "team_id", postgresql_where=text("team_id IS NOT NULL")),
    )


class Assignment(Base):
    """What a class has to reach until a deadline: rungs to be stronger than.

    `marked_at`: the last time. `next_at`: when marks are made next, unless uploads that came in time are still being
    checked, or matches for the marks are in the queue; null: when an organiser asks for it.
    """

    __tablename__ = "assignment"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    class_id: Mapped[int] = mapped_column(ForeignKey("class.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(80))
    deadline: Mapped[datetime]
    marked_at: Mapped[datetime | None]
    next_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (
        CheckConstraint("name <> ''", name="named"),
        Index("ix_assignment_class_id", "class_id", "id"),
        Index("ix_assignment_next_at", "next_at", postgresql_where=text("next_at IS NOT NULL")),
    )


class AssignmentRung(Base):
    """A version to be stronger than. It stays the same, whatever its owner submits later. `position`: from 1."""

    __tablename__ = "assignment_rung"

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    name: Mapped[str] = mapped_column(String(40))
    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"))

    __table_args__ = (
        UniqueConstraint("assignment_id", "submission_id"),
        CheckConstraint("position > 0", name="counts_from_one"),
        Index("ix_assignment_rung_submission_id", "submission_id"),
    )


class Extension(Base):
    """Late days for a student or a team: the sum of their rows counts. `owner_id`: of the bots, a user or a team."""

    __tablename__ = "extension"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id", ondelete="CASCADE"))
    owner_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    hours: Mapped[int]
    reason: Mapped[str] = mapped_column(String(400))
    by_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (
        CheckConstraint("hours <> 0 AND reason <> ''", name="says_why"),
        Index("ix_extension_assignment_id", "assignment_id", "owner_id"),
        Index("ix_extension_owner_id", "owner_id"),
        Index("ix_extension_by_id", "by_id"),
    )


class Mark(Base):
    """A student's or a team's mark of an assignment. `owner_id`: of the bots, a user or a team.

    `members`: ids of the members whose mark it is. `submission_id`: the version that was live at `due_at`, his own
    deadline; null where there was none, and `problem` says so. `rating`, `deviation`: at that time, Elo. `games`: rated
    ones until then; `extra_games`: played for the mark. `rungs`: see `classes.marking.RungMark`.
    """

    __tablename__ = "mark"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignment.id", ondelete="CASCADE"))
    owner_id: Mapped[int] = mapped_column(ForeignKey("user.id"))
    members: Mapped[list[int]] = mapped_column(JSONB)
    due_at: Mapped[datetime]
    submission_id: Mapped[int | None] = mapped_column(ForeignKey("submission.id"))
    problem: Mapped[str | None] = mapped_column(String(400))
    rating: Mapped[float | None]
    deviation: Mapped[float | None]
    games: Mapped[int] = mapped_column(server_default="0")
    extra_games: Mapped[int] = mapped_column(server_default="0")
    rungs: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, server_default="[]")
    marked_at: Mapped[datetime] = mapped_column(server_default=func.now())
    submission: Mapped[Submission | None] = relationship(lazy="raise", viewonly=True)

    __table_args__ = (
        UniqueConstraint("assignment_id", "owner_id"),
        CheckConstraint("(submission_id IS NULL) = (problem IS NOT NULL)", name="missing_is_explained"),
        CheckConstraint("(submission_id IS NULL) = (rating IS NULL)", name="rated"),
        Index("ix_mark_submission_id", "submission_id", postgresql_where=text("submission_id IS NOT NULL")),
        Index("ix_mark_owner_id", "owner_id"),
    )


class SimilarityState(StrEnum):
    """How far a similarity report is."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class SimilarityReport(Base):
    """Which sources of a class are alike. `assignment_id`: those of its deadlines; null: those on the ladder then.

    `earlier`: ids of classes whose code does not count. `token`, `lease_until`: who works on it. `done` of `total`:
    sources that were read. `sources`, `pairs`: see `classes.similarity`; without code, which stays in `source`.
    """

    __tablename__ = "similarity_report"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    class_id: Mapped[int] = mapped_column(ForeignKey("class.id", ondelete="CASCADE"))
    assignment_id: Mapped[int | None] = mapped_column(ForeignKey("assignment.id", ondelete="CASCADE"))
    earlier: Mapped[list[int]] = mapped_column(JSONB, server_default="[]")
    state: Mapped[SimilarityState] = mapped_column(_one_of(SimilarityState, "state"), server_default="queued")
    done: Mapped[int] = mapped_column(server_default="0")
    total: Mapped[int] = mapped_column(server_default="0")
    attempts: Mapped[int] = mapped_column(server_default="0")
    token: Mapped[UUID | None]
    lease_until: Mapped[datetime | None]
    problem: Mapped[str | None] = mapped_column(String(400))
    sources: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, server_default="[]")
    pairs: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, server_default="[]")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    finished_at: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint("(state = 'failed') = (problem IS NOT NULL)", name="failure_is_explained"),
        CheckConstraint("(state = 'running') = (token IS NOT NULL AND lease_until IS NOT NULL)", name="leased"),
        CheckConstraint("(state IN ('done', 'failed')) = (finished_at IS NOT NULL)", name="ends"),
        Index(
            "uq_similarity_report_unfinished",
            "class_id",
            unique=True,
            postgresql_where=text("state IN ('queued', 'running')"),
        ),
        Index("ix_similarity_report_class_id", "class_id", "id"),
        Index(
            "ix_similarity_report_assignment_id",
            "assignment_id",
            postgresql_where=text("assignment_id IS NOT NULL"),
        ),
    )


class Match(Base):
    """One playing of a game. A result exists exactly when it is done; a job while it is not over.

    `duel_game`: the number of a duel's fixture, from 0. Only void matches may be played again. `fork_of`: the match
    that it plays on from after `fork_turn`; that one may be deleted. `pairing_game`: the number of the game in an
    event's pairing, from 0. `held`: its event's results are for organisers only. `mark_id`: the mark that a `marking`
    match was played for; null once its class is deleted. `rerun_of`: the void match in whose place it is played.
    `event_id`: the event whose own ladder it is of.
    """

    __tablename__ = "match"

    id: Mapped[int] = mapped_column(primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    kind: Mapped[MatchKind] = mapped_column(_one_of(MatchKind, "kind"))
    state: Mapped[MatchState] = mapped_column(_one_of(MatchState, "state"))
    seed: Mapped[int]
    league: Mapped[int] = mapped_column(SmallInteger)
    requested_by_id: Mapped[int | None] = mapped_column(ForeignKey("user.id"))
    duel_id: Mapped[int | None]
    duel_game: Mapped[int | None] = mapped_column(SmallInteger)
    fork_of: Mapped[int | None]
    fork_turn: Mapped[int | None] = mapped_column(SmallInteger)
    pairing_id: Mapped[int | None] = mapped_column(ForeignKey("event_pairing.id"))
    pairing_game: Mapped[int | None] = mapped_column(SmallInteger)
    mark_id: Mapped[int | None] = mapped_column(ForeignKey("mark.id", ondelete="SET NULL"))
    held: Mapped[bool] = mapped_column(server_default="false")
    rerun_of: Mapped[int | None] = mapped_column(ForeignKey("match.id"))
    rerun_reason: Mapped[str | None] = mapped_column(String(400))
    event_id: Mapped[int | None] = mapped_column(ForeignKey("event.id"))
    void_reason: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    seats: Mapped[list[MatchSeat]] = relationship(lazy="raise", viewonly=True, order_by="MatchSeat.seat")
    result: Mapped[Result | None] = relationship(lazy="raise", viewonly=True)
    void_attempts: Mapped[list[VoidAttempt]] = relationship(lazy="raise", viewonly=True, order_by="VoidAttempt.attempt")
    in_person: Mapped[InPerson | None] = relationship(lazy="raise", viewonly=True)
    pairing: Mapped[EventPairing | None] = relationship(lazy="raise", viewonly=True)
    event: Mapped[Event | None] = relationship(lazy="raise", viewonly=True)
    rerun: Mapped[Match | None] = relationship(lazy="raise", viewonly=True, uselist=False, foreign_keys=[rerun_of])

    __table_args__ = (
        ForeignKeyConstraint(["duel_id", "game"], ["duel.id", "duel.game"]),
        UniqueConstraint("id", "state"),
        UniqueConstraint("id", "game"),
        CheckConstraint("(kind = 'duel') = (duel_id IS NOT NULL)", name="of_a_duel"),
        CheckConstraint("(duel_id IS NULL) = (duel_game IS NULL)", name="numbered_in_its_duel"),
        CheckConstraint("duel_game >= 0", name="duel_game_counts_from_zero"),
        CheckConstraint("(kind = 'event') = (pairing_id IS NOT NULL)", name="of_an_event"),
        CheckConstraint("(pairing_id IS NULL) = (pairing_game IS NULL)", name="numbered_in_its_pairing"),
        CheckConstraint("pairing_id IS NOT NULL OR NOT held", name="held_by_its_event"),
        CheckConstraint("kind = 'marking' OR mark_id IS NULL", name="of_a_mark"),
        CheckConstraint("(kind = 'event ladder') = (event_id IS NOT NULL)", name="of_an_events_ladder"),
        CheckConstraint("(fork_of IS NULL) = (fork_turn IS NULL)", name="forked_at_a_turn"),
        CheckConstraint("(rerun_of IS NULL) = (rerun_reason IS NULL)", name="reruns_have_reasons"),
        CheckConstraint("rerun_of < id", name="rerun_of_an_earlier_one"),
        CheckConstraint("(state = 'void') = (void_reason IS NOT NULL)", name="void_is_explained"),
        CheckConstraint("(state IN ('done', 'void')) = (finished_at IS NOT NULL)", name="over_has_an_end"),
        CheckConstraint("state NOT IN ('running', 'done') OR started_at IS NOT NULL", name="running_has_a_start"),
        Index("ix_match_game_id", "game", "id"),
        Index("ix_match_kind_id", "kind", "id"),
        Index("ix_match_game_kind_id", "game", "kind", "id"),
        Index("ix_match_seed_id", "seed", "id"),
        Index("ix_match_created_at", "created_at"),
        Index(
            "ix_match_requested_by_id", "requested_by_id", "id", postgresql_where=text("requested_by_id IS NOT NULL")
        ),
        Index("ix_match_duel_id", "duel_id", "duel_game", postgresql_where=text("duel_id IS NOT NULL")),
        Index("ix_match_pairing_id", "pairing_id", "pairing_game", postgresql_where=text("pairing_id IS NOT NULL")),
        Index("ix_match_rerun_of", "rerun_of", postgresql_where=text("rerun_of IS NOT NULL")),
        Index("ix_match_event_id", "event_id", "state", "id", postgresql_where=text("event_id IS NOT NULL")),
        Index("ix_match_mark_id", "mark_id", "state", postgresql_where=text("mark_id IS NOT NULL")),
        {"postgresql_partition_by": "RANGE (id)"},
    )


class SlotPurpose(StrEnum):
    """What at most one match is: a game of a duel or of a pairing of an event, unless it is void; a match's rerun."""

    DUEL_GAME = "duel game"
    PAIRING_GAME = "pairing game"
    RERUN = "rerun"


class MatchSlot(Base):
    """What at most one match is, kept by a trigger of `match`: its partitions can have no such constraint themselves.

    `subject_id`: the duel, the pairing, or the match that was void. `number`: of the game there, from 0.
    """

    __tablename__ = "match_slot"

    purpose: Mapped[SlotPurpose] = mapped_column(_one_of(SlotPurpose, "purpose"), primary_key=True)
    subject_id: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    match_id: Mapped[int] = mapped_column(ForeignKey("match.id", ondelete="CASCADE"))

    __table_args__ = (Index("ix_match_slot_match_id", "match_id"),)


class MatchCount(Base):
    """How many matches of a game are done that everybody may see, kept by those who end them (`matches.life`).

    The sum over `part`: matches that end at the same time seldom wait for each other's row.
    """

    __tablename__ = "match_count"

    game: Mapped[str] = mapped_column(String(40), primary_key=True)
    part: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    matches: Mapped[int]


class MatchSeat(Base):
    """Which submission has which seat. Both belong to the match's game."""

    __tablename__ = "match_seat"

    match_id: Mapped[int] = mapped_column(primary_key=True)
    seat: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    submission_id: Mapped[int]
    game: Mapped[str] = mapped_column(String(40))
    match: Mapped[Match] = relationship(lazy="raise", viewonly=True)
    submission: Mapped[Submission] = relationship(lazy="raise", viewonly=True)
    result: Mapped[SeatResult | None] = relationship(lazy="raise", viewonly=True)

    __table_args__ = (
        ForeignKeyConstraint(["match_id", "game"], ["match.id", "match.game"], ondelete="CASCADE"),
        ForeignKeyConstraint(["submission_id", "game"], ["submission.id", "submission.game"]),
        CheckConstraint("seat >= 0", name="counts_from_zero"),
        Index("ix_match_seat_submission_id", "submission_id", text("match_id DESC")),
        {"postgresql_partition_by": "RANGE (match_id)"},
    )


class Job(Base):
    """A match that is not over: the queue of record. `token` and `lease_until`: the current lease.

    `not_before`: a pause after an attempt on an overloaded machine. `share`: whom fairness counts it for, null where
    nobody asked for it. `asleep`: a bot of it sleeps, so that it has lent out its slot, or, without a lease, it is
    paused for a person's reply. `paused_attempt`: the last attempt that ended in such a pause; 0: none.
    """

    __tablename__ = "job"

    match_id: Mapped[int] = mapped_column(ForeignKey("match.id", ondelete="CASCADE"), primary_key=True)
    priority: Mapped[int] = mapped_column(SmallInteger)
    token: Mapped[UUID | None]
    lease_until: Mapped[datetime | None]
    attempts: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    not_before: Mapped[datetime | None]
    share: Mapped[str | None] = mapped_column(String(40))
    asleep: Mapped[bool] = mapped_column(server_default="false")
    paused_attempt: Mapped[int] = mapped_column(SmallInteger, server_default="0")

    __table_args__ = (
        CheckConstraint("(token IS NULL) = (lease_until IS NULL)", name="lease_has_a_holder"),
        CheckConstraint("attempts >= 0", name="attempts"),
        Index("ix_job_priority", "priority", "match_id"),
        Index("ix_job_share", "share", postgresql_where=text("share IS NOT NULL")),
    )


class InPerson(Base):
    """A match in which a person has a seat. `turn`: the turn for which the person is asked now, with this `prompt`.

    `reply`: to that prompt, until the turn is played. `until`: how long the match waits for it. `resigned`: wanted by
    the person; the referee ends the match the next time that it asks. `header`: the first line of the replay.
    """

    __tablename__ = "in_person"

    match_id: Mapped[int] = mapped_column(ForeignKey("match.id", ondelete="CASCADE"), primary_key=True)
    seat: Mapped[int] = mapped_column(SmallInteger)
    header: Mapped[str | None]
    turn: Mapped[int | None] = mapped_column(SmallInteger)
    prompt: Mapped[str | None]
    until: Mapped[datetime | None]
    reply: Mapped[str | None]
    resigned: Mapped[bool] = mapped_column(server_default="false")

    __table_args__ = (
        CheckConstraint("seat >= 0", name="counts_from_zero"),
        CheckConstraint(
            "(turn IS NULL) = (prompt IS NULL) AND (turn IS NULL) = (until IS NULL)", name="asked_with_a_prompt"
        ),
        CheckConstraint("reply IS NULL OR turn IS NOT NULL", name="replies_when_asked"),
    )


class InPersonTurn(Base):
    """A turn of a match in person, as it was played. `line`: of the replay. `said`: JSON, what each seat replied."""

    __tablename__ = "in_person_turn"

    match_id: Mapped[int] = mapped_column(ForeignKey("in_person.match_id", ondelete="CASCADE"), primary_key=True)
    turn: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    line: Mapped[str]
    said: Mapped[str]

    __table_args__ = (CheckConstraint("turn > 0", name="counts_from_one"),)


class Usage(Base):
    """What a share's matches that ended in a minute used: seconds of the workers' slots, CPU seconds of the bots."""

    __tablename__ = "usage"

    share: Mapped[str] = mapped_column(String(40), primary_key=True)
    minute: Mapped[datetime] = mapped_column(primary_key=True)
    slot_s: Mapped[float]
    cpu_s: Mapped[float]

    __table_args__ = (
        CheckConstraint("slot_s >= 0 AND cpu_s >= 0", name="seconds"),
        Index("ix_usage_minute", "minute"),
    )


class VoidAttempt(Base):
    """An attempt at a match that does not count, because we failed. `attempt` counts from 1; `reason` is public."""

    __tablename__ = "void_attempt"

    match_id: Mapped[int] = mapped_column(ForeignKey("match.id", ondelete="CASCADE"), primary_key=True)
    attempt: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    reason: Mapped[str]
    ended_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())

    __table_args__ = (CheckConstraint("attempt > 0", name="counts_from_one"),)


class Result(Base):
    """How a match ended. Its key makes it unique; its foreign key allows it only for matches that are done.

    `digest`: equal for matches that are equal, reply by reply; null for results from before there were digests.
    `repeat`: a refit found that an earlier match of the same competitors was equal, so this one counts for nothing.
    `toolchains`: language -> the versions of the programs that built and ran its bots; null before these were kept.
    """

    __tablename__ = "result"

    match_id: Mapped[int] = mapped_column(primary_key=True)
    match_state: Mapped[str] = mapped_column(String(16), server_default="done")
    reason: Mapped[str]
    turns: Mapped[int]
    faults: Mapped[list[dict[str, Any]]] = mapped_column(JSONB)
    attempt: Mapped[int] = mapped_column(SmallInteger)
    worker: Mapped[str] = mapped_column(String(100))
    cpu_ms: Mapped[float]
    replay_key: Mapped[str] = mapped_column(String(100))
    rules_version: Mapped[str] = mapped_column(String(20))
    digest: Mapped[str | None] = mapped_column(String(64))
    repeat: Mapped[bool] = mapped_column(server_default="false")
    toolchains: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))

    __table_args__ = (
        Index("ix_result_digest", "digest"),
        CheckConstraint("match_state = 'done'", name="only_of_done_matches"),
        ForeignKeyConstraint(["match_id", "match_state"], ["match.id", "match.state"], ondelete="CASCADE"),
        {"postgresql_partition_by": "RANGE (match_id)"},
    )


result_ending = func.regexp_replace(Result.reason, text(r"'(seat|team) [0-9]+(''s)? '"), text("''"), text("'g'"))
"""How a match ended, whoever it was: "made a line of 4" of "seat 1 made a line of 4"."""
Index("ix_result_ending", result_ending, Result.match_id)


class SeatResult(Base):
    """A seat's part of a result.

    `rating`: of its submission when a refit counted the match; null before that, and where it is not rated.
    `rating_change`: the effect of this match alone on the rating, Elo, to first order; null where no model gives it.
    `submission_id`: whose rating that was, as the seat says, too: an index finds the matches that moved it most.
    """

    __tablename__ = "seat_result"

    match_id: Mapped[int] = mapped_column(ForeignKey("result.match_id", ondelete="CASCADE"), primary_key=True)
    seat: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    rank: Mapped[int] = mapped_column(SmallInteger)
    score: Mapped[float]
    fault: Mapped[str | None] = mapped_column(String(16))
    rating: Mapped[float | None]
    rating_change: Mapped[float | None]
    submission_id: Mapped[int | None]

    __table_args__ = (
        ForeignKeyConstraint(["match_id", "seat"], ["match_seat.match_id", "match_seat.seat"], ondelete="CASCADE"),
        CheckConstraint("rank >= 0", name="rank_counts_from_zero"),
        Index("ix_seat_result_fault", "fault", "match_id", postgresql_where=text("fault IS NOT NULL")),
        CheckConstraint("rating_change IS NULL OR rating IS NOT NULL", name="change_of_a_rating"),
        CheckConstraint("(rating_change IS NULL) = (submission_id IS NULL)", name="change_of_a_submission"),
        Index(
            "ix_seat_result_submission_id_change",
            "submission_id",
            text("abs(rating_change) DESC"),
            "match_id",
            postgresql_where=text("rating_change IS NOT NULL"),
        ),
        {"postgresql_partition_by": "RANGE (match_id)"},
    )


class Ladder(Base):
    """A game's ladder: a refit locks its row. The model's parameters are those of the last refit.

    `stale`: the tallies must be rebuilt from the results. `refit_s`: CPU time of the last refit. `results`: how many
    rated results the ratings are based on. `refits`: how many there were. `recount`: the number of the last one that
    rebuilt all tallies. `seat_elo`: the advantage of the first seat. `draw_nu`: Davidson's draw parameter.
    `dispersion`: of the results; a coin's is 1. Variances in squared logits. `frozen_at`: no rated matches are
    scheduled since then.
    """

    __tablename__ = "ladder"

    game: Mapped[str] = mapped_column(String(40), primary_key=True)
    stale: Mapped[bool] = mapped_column(server_default="true")
    refitted_at: Mapped[datetime | None]
    refit_s: Mapped[float] = mapped_column(server_default="0")
    refits: Mapped[int] = mapped_column(server_default="0")
    recount: Mapped[int] = mapped_column(server_default="0")
    results: Mapped[int] = mapped_column(server_default="0")
    seat_elo: Mapped[float] = mapped_column(server_default="0")
    draw_nu: Mapped[float] = mapped_column(server_default="0")
    dispersion: Mapped[float] = mapped_column(server_default="1")
    matchup_variance: Mapped[float] = mapped_column(server_default="0")
    prior_variance: Mapped[float] = mapped_column(server_default="3")
    frozen_at: Mapped[datetime | None]
    frozen_reason: Mapped[str | None] = mapped_column(String(400))

    __table_args__ = (
        CheckConstraint("(frozen_at IS NULL) = (frozen_reason IS NULL)", name="frozen_ladders_have_reasons"),
    )


class LadderFit(Base):
    """The fit of a ladder's last refit, where that takes long to make again: ladders without a covariance matrix.

    `arrays`: see `ladder.fits`.
    """

    __tablename__ = "ladder_fit"

    game: Mapped[str] = mapped_column(ForeignKey("ladder.game", ondelete="CASCADE"), primary_key=True)
    arrays: Mapped[bytes] = mapped_column(LargeBinary)


class PendingResult(Base):
    """A rated result that no refit has counted yet. The transaction that counts it deletes the row: exactly once."""

    __tablename__ = "pending_result"

    match_id: Mapped[int] = mapped_column(ForeignKey("match.id", ondelete="CASCADE"), primary_key=True)
    game: Mapped[str] = mapped_column(String(40))

    __table_args__ = (Index("ix_pending_result_game", "game"),)


class PairTally(Base):
    """Counted results of one competitor in the first seat against another.

    `half_points`: of the first, 2 for a win, 1 for a draw. `repeats`: matches that were equal to a counted one, and
    were not counted. `refit`: the number of the ladder's refit that changed the row last.
    """

    __tablename__ = "pair_tally"

    first_id: Mapped[int] = mapped_column(primary_key=True)
    second_id: Mapped[int] = mapped_column(primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    games: Mapped[int]
    half_points: Mapped[int]
    draws: Mapped[int]
    repeats: Mapped[int] = mapped_column(server_default="0")
    refit: Mapped[int] = mapped_column(server_default="0")

    __table_args__ = (
        ForeignKeyConstraint(["first_id", "game"], ["submission.id", "submission.game"]),
        ForeignKeyConstraint(["second_id", "game"], ["submission.id", "submission.game"]),
        CheckConstraint("first_id <> second_id", name="of_two"),
        CheckConstraint("games > 0 AND half_points BETWEEN draws AND 2 * games - draws", name="adds_up"),
        CheckConstraint("repeats >= 0", name="repeats"),
        Index("ix_pair_tally_game_refit", "game", "refit"),
        Index("ix_pair_tally_second_id", "second_id"),
    )


class TrialState(StrEnum):
    """Whether a version is trying to pass its league's boss. `stays`: its trial is over."""

    OPEN = "open"
    STAYS = "stays"


class Standing(Base):
    """A submission's rating, the results behind it, and its league. Superseded ones keep theirs.

    `competitor_id`: the submission whose games it shares, since it is the same code; mostly itself.
    `parent_id`: the competitor whose rating it began from. `deviation`: of the rating against the board's mean, Elo.
    `variance`: of the strength itself, in squared logits; pairing uses it. `league`: a position. `league_from`: the
    games it had when it entered that league. `beats_boss`, `above_next`: P(stronger than the league's boss, than the
    next on the board). `games_left`: about how many more until it is placed, or can be distinguished from the next.
    `spent`: its matches against everybody on the board would only repeat earlier ones. `entered_with`: the games it had
    when it came onto the ladder, or back to it. `consecutive_faults`: consecutive matches in which it was disqualified.
    `active_at`: its owner's last activity.
    """

    __tablename__ = "standing"

    submission_id: Mapped[int] = mapped_column(primary_key=True)
    game: Mapped[str] = mapped_column(String(40))
    competitor_id: Mapped[int]
    parent_id: Mapped[int | None]
    rating: Mapped[float]
    deviation: Mapped[float] = mapped_column(server_default="300")
    variance: Mapped[float] = mapped_column(server_default="3")
    games: Mapped[int] = mapped_column(server_default="0")
    wins: Mapped[int] = mapped_column(server_default="0")
    draws: Mapped[int] = mapped_column(server_default="0")
    losses: Mapped[int] = mapped_column(server_default="0")
    league: Mapped[int] = mapped_column(SmallInteger, server_default="1")
    league_from: Mapped[int] = mapped_column(server_default="0")
    entered_with: Mapped[int] = mapped_column(server_default="0")
    spent: Mapped[bool] = mapped_column(server_default="false")
    placing: Mapped[bool] = mapped_column(server_default="true")
    trial: Mapped[TrialState] = mapped_column(_one_of(TrialState, "trial"), server_default="open")
    beats_boss: Mapped[float | None]
    above_next: Mapped[float | None]
    games_left: Mapped[int | None]
    consecutive_faults: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    active_at: Mapped[datetime] = mapped_column(server_default=func.now())

    __table_args__ = (
        ForeignKeyConstraint(["submission_id", "game"], ["submission.id", "submission.game"]),
        ForeignKeyConstraint(["competitor_id", "game"], ["submission.id", "submission.game"]),
        ForeignKeyConstraint(["parent_id", "game"], ["submission.id", "submission.game"]),
        CheckConstraint("games = wins + draws + losses", name="games_add_up"),
        CheckConstraint("league > 0", name="league_counts_from_one"),
        CheckConstraint("deviation >= 0", name="deviation"),
        Index("ix_standing_game_rating", "game", text("league DESC"), text("rating DESC"), text("submission_id DESC")),
        Index("ix_standing_competitor_id", "competitor_id"),
    )


class PlaceCount(Base):
    """In how many of its matches a competitor had a place; ties leave out the next ones, and teams count as one.

    Only in games in whose ladder matches more than two meet. Repeats do not count.
    """

    __tablename__ = "place_count"

    competitor_id: Mapped[int] = mapped_column(
        ForeignKey("standing.submission_id", ondelete="CASCADE"), primary_key=True
    )
    place: Mapped[int] = mapped_column(SmallInteger, primary_key=True)
    matches: Mapped[int]

    __table_args__ = (CheckConstraint("place > 0", name="counts_from_one"),)


class StandingHistory(Base):
    """A standing as it was from `at` on, written when it changed by 1 Elo or more. `live`: it was on the board."""

    __tablename__ = "standing_history"

    id: Mapped[int] = mapped_column(primary_key=True)
    submission_id: Mapped[int]
    game: Mapped[str] = mapped_column(String(40))
    at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    rating: Mapped[float]
    deviation: Mapped[float]
    games: Mapped[int]
    wins: Mapped[int]
    draws: Mapped[int]
    losses: Mapped[int]
    league: Mapped[int] = mapped_column(SmallInteger)
    live: Mapped[bool]

    __table_args__ = (
        ForeignKeyConstraint(["submission_id", "game"], ["submission.id", "submission.game"]),
        Index("ix_standing_history_submission_id", "submission_id", text("id DESC")),
        Index("ix_standing_history_game_at", "game", "at"),
        Index(
            "ix_standing_history_submission_id_at",
            "submission_id",
            text("at DESC"),
            text("id DESC"),
            postgresql_include=["league", "rating", "live"],
        ),
        {"postgresql_partition_by": "RANGE (id)"},
    )


class DailyBoard(Base):
    """The board of a game at the end of a day in UTC. `lines`: ids of its `standing_history`, from the top."""

    __tablename__ = "daily_board"

    game: Mapped[str] = mapped_column(ForeignKey("ladder.game", ondelete="CASCADE"), primary_key=True)
    at: Mapped[datetime] = mapped_column(primary_key=True)
    lines: Mapped[list[int]] = mapped_column(ARRAY(BigInteger))


class Season(Base):
    """A season of a game's ladder. A ladder that has none is in its first one.

    `number`: counts from 1. `after_match_id`: matches up to this one belong to earlier seasons. `ended_at`: None of the
    one that is played now.
    """

    __tablename__ = "season"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    game: Mapped[str] = mapped_column(ForeignKey("ladder.game", ondelete="CASCADE"))
    number: Mapped[int]
    name: Mapped[str] = mapped_column(String(60))
    after_match_id: Mapped[int]
    started_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]

    __table_args__ = (
        UniqueConstraint("game", "number"),
        CheckConstraint("number > 0", name="counts_from_one"),
        CheckConstraint("ended_at >= started_at", name="ends_later"),
        Index("uq_season_current", "game", unique=True, postgresql_where=text("ended_at IS NULL")),
    )


class SeasonStanding(Base):
    """A standing at the end of a season. `rank`: its place on the board; None of those that were not on it."""

    __tablename__ = "season_standing"

    season_id: Mapped[int] = mapped_column(ForeignKey("season.id", ondelete="CASCADE"), primary_key=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"), primary_key=True)
    rank: Mapped[int | None]
    rating: Mapped[float]
    deviation: Mapped[float]
    games: Mapped[int]
    wins: Mapped[int]
    draws: Mapped[int]
    losses: Mapped[int]
    league: Mapped[int] = mapped_column(SmallInteger)

    __table_args__ = (
        CheckConstraint("games = wins + draws + losses", name="games_add_up"),
        Index("uq_season_standing_rank", "season_id", "rank", unique=True),
        Index("ix_season_standing_submission_id", "submission_id"),
    )


class EditorDraft(Base):
    """What an account is writing in the editor, so that another computer continues. `revision`: counts changes.

    `source`: None once it was discarded.
    """

    __tablename__ = "editor_draft"

    user_id: Mapped[int] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"), primary_key=True)
    game: Mapped[str] = mapped_column(String(40), primary_key=True)
    language: Mapped[str] = mapped_column(String(20), primary_key=True)
    source: Mapped[str | None]
    revision: Mapped[int]
    changed_at: Mapped[datetime] = mapped_column(server_default=func.now())


class ArenaIdentity(Base):
    """The id of this database, in one row. The store of replays has it, too: `matches/store.py`."""

    __tablename__ = "arena_identity"

    one: Mapped[bool] = mapped_column(primary_key=True, server_default="true")
    id: Mapped[str] = mapped_column(String(36))

    __table_args__ = (CheckConstraint("one", name="one_row"),)


class Retention(Base):
    """Up to which match a rule has deleted what is old: `matches/retention.py`."""

    __tablename__ = "retention"

    rule: Mapped[str] = mapped_column(String(20), primary_key=True)
    match_id: Mapped[int]


class NoticeKind(StrEnum):
    """What happened to a bot of the user's. `duel`: to a duel that the user began. `webhook`: his was switched off.

    Of an event: `frozen`: this version plays its final. `out`: the bot is out of it. `placed`: it is over.
    """

    PROMOTED = "promoted"
    DEMOTED = "demoted"
    OVERTAKEN = "overtaken"
    DISABLED = "disabled"
    FAILED = "failed"
    DUEL = "duel"
    WEBHOOK = "webhook"
    FROZEN = "frozen"
    OUT = "out"
    PLACED = "placed"


class Notice(Base):
    """Something that happened to a user's bot, duel or webhook.

    `other_id`: the submission that overtook; `place`: the new one, or that in an event. `league`: the name of the one
    that was entered. `reason`: why it is out of an event.
    """

    __tablename__ = "notice"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"))
    at: Mapped[datetime] = mapped_column(server_default=func.now())
    kind: Mapped[NoticeKind] = mapped_column(_one_of(NoticeKind, "kind"))
    seen: Mapped[bool] = mapped_column(server_default="false")
    submission_id: Mapped[int | None] = mapped_column(ForeignKey("submission.id", ondelete="CASCADE"))
    other_id: Mapped[int | None] = mapped_column(ForeignKey("submission.id", ondelete="CASCADE"))
    duel_id: Mapped[int | None] = mapped_column(ForeignKey("duel.id", ondelete="CASCADE"))
    event_id: Mapped[int | None] = mapped_column(ForeignKey("event.id", ondelete="CASCADE"))
    league: Mapped[str | None] = mapped_column(String(40))
    place: Mapped[int | None]
    reason: Mapped[str | None] = mapped_column(String(400))
    submission: Mapped[Submission | None] = relationship(lazy="raise", viewonly=True, foreign_keys=[submission_id])
    other: Mapped[Submission | None] = relationship(lazy="raise", viewonly=True, foreign_keys=[other_id])
    duel: Mapped[Duel | None] = relationship(lazy="raise", viewonly=True)
    event: Mapped[Event | None] = relationship(lazy="raise", viewonly=True)

    __table_args__ = (
        CheckConstraint("(kind = 'duel') = (duel_id IS NOT NULL)", name="of_a_duel"),
        CheckConstraint("(kind IN ('duel', 'webhook')) = (submission_id IS NULL)", name="of_a_submission"),
        CheckConstraint("(kind = 'overtaken') = (other_id IS NOT NULL)", name="overtaken_by"),
        CheckConstraint("(kind IN ('overtaken', 'placed')) = (place IS NOT NULL)", name="has_a_place"),
        CheckConstraint("(kind IN ('frozen', 'out', 'placed')) = (event_id IS NOT NULL)", name="of_an_event"),
        CheckConstraint("(kind IN ('promoted', 'demoted')) = (league IS NOT NULL)", name="entered_a_league"),
        Index("ix_notice_user_id", "user_id", "id"),
        Index("ix_notice_event_id", "event_id", postgresql_where=text("event_id IS NOT NULL")),
        Index("ix_notice_submission_id", "submission_id", postgresql_where=text("submission_id IS NOT NULL")),
        Index("ix_notice_other_id", "other_id", postgresql_where=text("other_id IS NOT NULL")),
        Index("ix_notice_duel_id", "duel_id", postgresql_where=text("duel_id IS NOT NULL")),
        Index("ix_notice_at", "at"),
    )


class Webhook(Base):
    """An address of an account's own that its notices are posted to. `kinds`: of notices; null: all.

    The secret follows from `salt` and the arena's key (`webhooks.life`); its SHA-256 shows whether the key is still the
    same. `failing_since`: the first failure after the last success. `disabled_why`: why nothing is sent any more.
    """

    __tablename__ = "webhook"

    user_id: Mapped[int] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"), primary_key=True)
    url: Mapped[str] = mapped_column(String(2000))
    kinds: Mapped[list[str] | None] = mapped_column(JSONB(none_as_null=True))
    salt: Mapped[str] = mapped_column(String(64))
    secret_sha256: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    failing_since: Mapped[datetime | None]
    disabled_at: Mapped[datetime | None]
    disabled_why: Mapped[str | None] = mapped_column(String(200))

    __table_args__ = (CheckConstraint("(disabled_at IS NULL) = (disabled_why IS NULL)", name="disabled_for_a_reason"),)


class DeliveryState(StrEnum):
    """`pending`: it is sent at `next_at`, for the first time or again. `failed`: it was given up."""

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


class WebhookDelivery(Base):
    """A message to a webhook. `notice_id`: null for a test. `body`: written when it is first sent, then the same.

    `sending`: leased until `next_at`. `tries`: leases, by which a process that comes late is told from the one that has
    the lease now. `failures`: since it was last queued. `status`, `problem`, `excerpt`: how the last try ended.
    """

    __tablename__ = "webhook_delivery"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("webhook.user_id", ondelete="CASCADE"))
    message_id: Mapped[UUID] = mapped_column(server_default=text("gen_random_uuid()"))
    type: Mapped[str] = mapped_column(String(40))
    notice_id: Mapped[int | None] = mapped_column(ForeignKey("notice.id", ondelete="CASCADE"))
    at: Mapped[datetime] = mapped_column(server_default=func.now())
    body: Mapped[str | None]
    state: Mapped[DeliveryState] = mapped_column(_one_of(DeliveryState, "state"), server_default="pending")
    next_at: Mapped[datetime] = mapped_column(server_default=func.now())
    sending: Mapped[bool] = mapped_column(server_default="false")
    tries: Mapped[int] = mapped_column(server_default="0")
    failures: Mapped[int] = mapped_column(server_default="0")
    tried_at: Mapped[datetime | None]
    status: Mapped[int | None]
    problem: Mapped[str | None] = mapped_column(String(400))
    excerpt: Mapped[str | None] = mapped_column(String(1000))

    __table_args__ = (
        CheckConstraint("state = 'pending' OR NOT sending", name="sent_while_pending"),
        Index("ix_webhook_delivery_user_id", "user_id", "id"),
        Index("ix_webhook_delivery_notice_id", "notice_id", postgresql_where=text("notice_id IS NOT NULL")),
        Index("ix_webhook_delivery_next_at", "next_at", postgresql_where=text("state = 'pending'")),
        Index("ix_webhook_delivery_at", "at"),
    )


class ChangeRow(Base):
    """Something that changed, for pages. Readers follow (`tx`, `id`): ids alone may commit out of order."""

    __tablename__ = "change"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    tx: Mapped[str] = mapped_column(TransactionId(), server_default=text("pg_current_xact_id()"))
    at: Mapped[datetime] = mapped_column(server_default=func.now())
    game: Mapped[str] = mapped_column(String(40))
    kind: Mapped[str] = mapped_column(String(16))
    subject_id: Mapped[int]

    __table_args__ = (Index("ix_change_tx_id", "tx", "id"), Index("ix_change_at", "at"))


class Worker(Base):
    """The last heartbeat of each worker.

    `spare`: how many matches it can hold beyond its slots while bots sleep. `late_s`: how late its timer fired at worst
    in the last seconds. `cpu_wait`: the share of that time in which something on its machine waited for a CPU, 0 to 1;
    null where the kernel does not say. `host_id`: of the host that joined; null for workers of the arena's own.
    `toolchains`: language -> the versions of its programs. `clock_off_s`: how far its clock is ahead of the database's.
    """

    __tablename__ = "worker"

    name: Mapped[str] = mapped_column(String(100), primary_key=True)
    seen_at: Mapped[datetime] = mapped_column(server_default=func.now())
    slots: Mapped[int] = mapped_column(SmallInteger)
    spare: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    sandbox: Mapped[str] = mapped_column(String(200))
    languages: Mapped[list[str]] = mapped_column(JSONB)
    late_s: Mapped[float] = mapped_column(server_default="0")
    cpu_wait: Mapped[float | None]
    host_id: Mapped[int | None] = mapped_column(ForeignKey("host.id", ondelete="CASCADE"))
    toolchains: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    clock_off_s: Mapped[float] = mapped_column(server_default="0")

    __table_args__ = (Index("ix_worker_host_id", "host_id"),)


class Part(Base):
    """A dispatcher, scheduler, ratings or webhooks process of the arena on a host: `backend/matches/parts.py`.

    `starts`: how often it was started since it last lasted a minute. `seen_at`: its last heartbeat; null before the
    first since the arena has known it. `problem`: the error that ended it last, until it lasts again.
    """

    __tablename__ = "part"

    name: Mapped[str] = mapped_column(String(20), primary_key=True)
    host: Mapped[str] = mapped_column(String(100), primary_key=True)
    starts: Mapped[int]
    started_at: Mapped[datetime] = mapped_column(server_default=func.now())
    seen_at: Mapped[datetime | None]
    problem: Mapped[str | None] = mapped_column(String(300))
