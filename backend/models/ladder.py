"""Ladders: leagues, what is counted, standings and their history, seasons."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from sqlalchemy import (
    ARRAY,
    BigInteger,
    CheckConstraint,
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
from sqlalchemy.orm import Mapped, mapped_column

from hexarena.backend.models.base import Base, one_of


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


class Ladder(Base):
    """A game's ladder: a refit locks its row. The model's parameters are those of the last refit.

    `stale`: the tallies must be rebuilt from the results. `refit_s`: CPU time of the last refit. `results`: how many
    rated results the ratings are based on. `refits`: how many there were. `recount`: the number of the last one that
    rebuilt all tallies. `seat_elo`: the advantage of the first seat. `draw_nu`: Davidson's draw parameter.
    `dispersion`: of the results; a coin's is 1. Variances in squared logits. `frozen_at`: no rated matches are
    scheduled since then. `level`: of the rules whose results it counts; None before that was known.
    """

    __tablename__ = "ladder"

    game: Mapped[str] = mapped_column(String(40), primary_key=True)
    level: Mapped[int | None]
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

    `arrays`: see `ladder.stored_fits`.
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
    `parent_id`: the owner's version before it. `deviation`: of the rating against the board's mean, in Elo.
    `variance`: of the strength itself, in squared logits; pairing uses it. `league`: a position. `league_from`: the
    games it had when it entered that league. `beats_boss`, `above_next`: P(stronger than the league's boss, than the
    next on the board). `games_left`: about how many more until it is placed, or can be distinguished from the next.
    `spent`: it has games, and more against anybody on the board would only repeat them. `entered_with`: the games that
    it had when it came onto the ladder, or back to it. `consecutive_faults`: consecutive matches in which it was
    disqualified. `active_at`: when its owner was last here (`accounts.presence`). `settled`: it was not on the board
    when this season began, and has not come back; no result can move it, and refits leave it as it is
    (`moderation.seasons`). `code_sha256`: what its code was, also once that is deleted: the same bytes again are the
    same competitor.
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
    trial: Mapped[TrialState] = mapped_column(one_of(TrialState, "trial"), server_default="open")
    beats_boss: Mapped[float | None]
    above_next: Mapped[float | None]
    games_left: Mapped[int | None]
    consecutive_faults: Mapped[int] = mapped_column(SmallInteger, server_default="0")
    active_at: Mapped[datetime] = mapped_column(server_default=func.now())
    settled: Mapped[bool] = mapped_column(server_default="false")
    code_sha256: Mapped[str | None] = mapped_column(String(64))

    __table_args__ = (
        ForeignKeyConstraint(["submission_id", "game"], ["submission.id", "submission.game"]),
        ForeignKeyConstraint(["competitor_id", "game"], ["submission.id", "submission.game"]),
        ForeignKeyConstraint(["parent_id", "game"], ["submission.id", "submission.game"]),
        CheckConstraint("games = wins + draws + losses", name="games_add_up"),
        CheckConstraint("league > 0", name="league_counts_from_one"),
        CheckConstraint("deviation >= 0", name="deviation"),
        Index("ix_standing_game_rating", "game", text("league DESC"), text("rating DESC"), text("submission_id DESC")),
        Index("ix_standing_competitor_id", "competitor_id"),
        Index("ix_standing_code_sha256", "code_sha256"),
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
    """A standing at the end of a season. `rank`: its line on the board; None of those that were not on it."""

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
