"""Duels of two versions."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from sqlalchemy import (
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
    Identity,
    Index,
    SmallInteger,
    String,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column, relationship

from hexarena.backend.models.base import Base, one_of
from hexarena.backend.rating.sprt import MOST_GAMES, Preset, Verdict, only_repeats

if TYPE_CHECKING:
    from hexarena.backend.models.submissions import Submission


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
    state: Mapped[DuelState] = mapped_column(one_of(DuelState, "state"), server_default="running")
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
