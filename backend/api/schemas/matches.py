"""Bodies about matches."""

from __future__ import annotations

from datetime import datetime
from typing import Self

from pydantic import ConfigDict, Field, model_validator

from hexarena.backend.api.schemas.base import Schema
from hexarena.backend.api.schemas.fields import Id, LanguageId, Level, Seed, Short, SourceText
from hexarena.backend.models import MatchKind, MatchState


class Player(Schema):
    """Who has a seat. The code of a practice match has no bot."""

    bot_id: int | None
    bot: str
    owner: str
    language: str
    version: int | None
    submission_id: int
    rating: float | None
    mine: bool


class MatchSeat(Player):
    """`rank`: 0 is best, equal ranks tie. `fault`: the kind of the fault that disqualified the seat.

    `team`: the seats of a team share a rank; where there are no teams, each seat is one.
    """

    seat: int
    team: int
    rank: int | None
    score: float | None
    fault: str | None
    rating_change: float | None


class Fault(Schema):
    """What a bot did wrong. `kind` warning: the rules forgave it."""

    seat: int
    turn: int
    kind: str
    message: str


class VoidAttempt(Schema):
    """An attempt at a match that does not count, because the arena failed. `attempt` counts from 1."""

    attempt: int
    reason: str = Field(examples=["The machine was overloaded: a bot waited 1.9 of 2 s for a CPU."])
    ended_at: datetime


class Fork(Schema):
    """A played match of yours, and the last turn of it that stays as it was; 0 is before the first."""

    model_config = ConfigDict(extra="forbid")

    match: Id
    turn: int = Field(strict=True, ge=0, le=32767)


class OwnSeat(Schema):
    """The seat that you play yourself. `turn`: the turn that you are asked for; null while the bots think."""

    seat: int
    turn: int | None


class MatchEvent(Schema):
    """The event that a match belongs to. `pairing`: its id. `game`: the match's number in the pairing, from 1. Both
    null: it was played on the ladder of the event's own.
    """

    id: int
    name: str
    pairing: int | None
    game: int | None


class Rerun(Schema):
    """That an organiser had a match played again. `match`: the other one. `reason`: why, for everybody to read."""

    match: int
    reason: str


class Match(Schema):
    """One playing of a game. `seed` is text, as it may be too large for JavaScript; null until the end in games that
    hide something, as it would reveal what.

    `void_attempts`: earlier starts of it, oldest first; it is played again after each. `duel_id`: the duel that it
    belongs to. `queue_place`: its place among the matches that wait, from 1; `expected_wait_s`: until it probably
    starts, null for matches that nobody watches, and while no worker is up. `repeat`: it was equal, reply by reply, to
    an earlier match of the same bots, and changed no rating. `fork`: what it plays on from. `person`: of a match that
    you play yourself. `event`: the one that it belongs to. `rerun`: the match that is played in its place; `rerun_of`:
    the match in whose place it is played, with the same versions, seats and seed. `can_rerun`: organisers may have it
    played again, unless what it counts for has moved on.
    """

    id: int
    game: str
    kind: MatchKind
    duel_id: int | None
    state: MatchState
    seed: str | None = Field(examples=["8123456789"])
    league: int
    seats: list[MatchSeat]
    reason: str | None = Field(examples=["no crystal left"])
    turns: int | None
    repeat: bool
    faults: list[Fault]
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    void_reason: str | None
    void_attempts: list[VoidAttempt]
    queue_place: int | None
    expected_wait_s: int | None
    replay_url: str | None
    live_url: str
    fork: Fork | None = None
    person: OwnSeat | None = None
    event: MatchEvent | None = None
    rerun: Rerun | None = None
    rerun_of: Rerun | None = None
    can_rerun: bool


class MatchPage(Schema):
    """`next`: the cursor for `after`, null on the last page.

    `searched_to`: of a page that is short because few matches fit: up to which time it searched; the next continues.
    """

    items: list[Match]
    next: str | None
    searched_to: datetime | None = None


class NewMatch(Schema):
    """A practice match of your code against a bot (the boss, if you name none). It is not rated.

    In a free-for-all it has as many entrants as the ladder's: the others are those nearest to that bot on the board.
    """

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"game": "yavalath", "language": "python", "source": "print('4 4')"}]},
    )

    game: Short
    language: LanguageId
    source: SourceText
    opponent: Id | None = Field(default=None, description="A bot's id.")
    opponents: list[Id | None] | None = Field(
        default=None,
        min_length=1,
        max_length=63,
        description="The others in the match, as bots' ids in the order of their seats, or of their teams. The same "
        "bot may be there several times; null is the boss. In a free-for-all the arena adds those who are missing.",
    )
    entrants: int | None = Field(
        default=None,
        strict=True,
        ge=2,
        le=64,
        description="How many play, or how many teams, your code included. As many as on the ladder in a free-for-all, "
        "else as few as the game allows. In mixed teams: how many bots.",
    )
    mixed: bool = Field(
        default=False,
        strict=True,
        description="In games with teams: your code and the opponents are dealt to the teams, by the seed, instead of "
        "one bot to each team. Those who are missing are bots near the opponents on the board.",
    )
    seat: int = Field(
        default=0,
        strict=True,
        ge=0,
        le=99,
        description="In games with teams, your code has all seats of this seat's team.",
    )
    seed: Seed | None = Field(default=None, description="A signed 64-bit integer, as text or as a number.")
    league: Level | None = Field(default=None, description="A rules level of the game; the full game if left out.")
    fork: Fork | None = Field(
        default=None,
        description="Plays on from there, with the seats that you had, and the same seed and opponents, which are left "
        "out then.",
    )

    @model_validator(mode="after")
    def _says_it_once(self) -> Self:
        if self.fork is not None and self.model_fields_set & {
            "opponent",
            "opponents",
            "entrants",
            "mixed",
            "seat",
            "seed",
            "league",
        }:
            raise ValueError("expected either `fork`, or `opponents`, `seat`, `seed` and `league`; got both")
        if self.mixed and "seat" in self.model_fields_set:
            raise ValueError("expected no `seat` in mixed teams, where the seed decides on it; got one")
        if self.opponent is not None and self.opponents is not None:
            raise ValueError("expected either `opponent` or `opponents`; got both")
        return self
