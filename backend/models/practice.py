"""Practice: lessons, batches, and matches in person."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CheckConstraint, ForeignKey, SmallInteger
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from hexarena.backend.models.base import Base


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
