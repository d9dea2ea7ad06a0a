"""What goes over HTTP. The frontend's types are made from these, by way of openapi.json."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from backend.models import MatchKind, MatchState, SubmissionState, UserKind
from backend.settings import SOURCE_BYTES

Id = Annotated[int, Field(ge=1, le=2**53 - 1)]
Short = Annotated[str, StringConstraints(max_length=200)]


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("expected a line of text without control characters")
    return text


Note = Annotated[Short, AfterValidator(_printable)]


class Schema(BaseModel):
    """Unknown keys are an error: a misspelt option is never silently ignored."""

    model_config = ConfigDict(extra="forbid")


class FieldError(Schema):
    """One wrong field of a request."""

    where: str
    message: str


class Problem(Schema):
    """RFC 9457: what went wrong, what was expected and what was got."""

    type: str = Field(examples=["urn:hexarena:problem:not-found"])
    title: str
    status: int
    detail: str
    expected: str | None = None
    got: str | None = None
    errors: list[FieldError] | None = None


class Player(Schema):
    """Who sits in a seat. A practice run's code has no bot."""

    bot_id: int | None
    bot: str
    owner: str
    language: str
    version: int | None
    submission_id: int
    rating: float | None
    mine: bool


class MatchSeat(Player):
    """`rank`: 0 is best, equal ranks tie. `fault`: the kind of the seat's first fault that cost it the match.

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
    """A start of a match that does not count, because the arena failed. `attempt` counts from 1."""

    attempt: int
    reason: str = Field(examples=["The machine was overloaded: a bot waited 1.9 of 2 s for a CPU."])
    ended_at: datetime


class Match(Schema):
    """One playing of a game. `seed` is text, as it may be too large for JavaScript.

    `void_attempts`: earlier starts of it, oldest first; it is played again after each.
    """

    id: int
    game: str
    kind: MatchKind
    state: MatchState
    seed: str = Field(examples=["8123456789"])
    league: int
    seats: list[MatchSeat]
    reason: str | None = Field(examples=["no crystal left"])
    turns: int | None
    faults: list[Fault]
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    void_reason: str | None
    void_attempts: list[VoidAttempt]
    queue_place: int | None
    replay_url: str | None
    live_url: str


class MatchPage(Schema):
    """`next`: the cursor for `after`, null on the last page."""

    items: list[Match]
    next: str | None


class BotLink(Schema):
    """A bot's name and where to find it."""

    bot_id: int
    name: str


class LeagueInfo(Schema):
    """A rung of the ladder and the boss that guards it."""

    name: str
    rules_level: int
    boss: BotLink


class Best(Schema):
    """The leader of a board."""

    bot_id: int
    bot: str
    owner: str
    rating: float


class Game(Schema):
    """A game as a card shows it. `languages`: those that have a starter. `top_match`: one worth watching."""

    id: str
    title: str
    summary: str
    version: str
    topics: list[str]
    seats: list[int]
    team_seats: int
    levels: list[int]
    first_ms: int
    turn_ms: int
    max_turns: int
    leagues: list[LeagueInfo]
    languages: list[str]
    bots: int
    matches: int
    best: Best | None
    top_match: int | None


class HouseBot(Schema):
    """A bot that ships with the game."""

    bot_id: int
    name: str
    summary: str
    language: str


class GameDetail(Game):
    """A game with its rules as safe HTML."""

    statement_html: str
    house_bots: list[HouseBot]


class Language(Schema):
    """`available`: whether a worker that is up right now can run it."""

    id: str
    name: str
    ending: str
    available: bool


class Starter(Schema):
    """Code that plays already."""

    language: str
    file: str
    source: str


class Standing(Schema):
    """A line of the leaderboard. `low`, `high`: the rating's 95 % interval. `placing`: still finding its place."""

    rank: int
    bot_id: int
    bot: str
    owner: str
    language: str
    version: int
    submission_id: int
    rating: float
    low: float
    high: float
    games: int
    wins: int
    draws: int
    losses: int
    placing: bool
    house: bool
    boss_of: str | None
    mine: bool
    last_match_id: int | None


class Leaderboard(Schema):
    """`next`: the cursor for `after`, null on the last page."""

    items: list[Standing]
    next: str | None
    as_of: datetime


class Submission(Schema):
    """One upload. `build_log` is for its owner only. `draft`: code of a practice run, never on the ladder.

    archive: whether it is a zip of several files; `bytes` are then those of the zip.
    """

    id: int
    game: str
    bot_id: int | None
    bot: str | None
    version: int | None
    language: str
    note: str
    state: SubmissionState
    problem: str | None
    build_log: str | None
    check_match_id: int | None
    created_at: datetime
    bytes: int
    archive: bool
    rating: float | None


class SourceFile(Schema):
    """A file of a submission. `starts`: it is the one that is run. `text`: null where it is not UTF-8 text."""

    path: str
    bytes: int
    starts: bool
    text: str | None


class SourceFiles(Schema):
    """The files of a submission: one, or those of its zip. The one that starts comes first."""

    items: list[SourceFile]


class Bot(Schema):
    """A user's entrant in one game. `submissions`: newest first."""

    id: int
    game: str
    name: str
    owner: str
    house: bool
    mine: bool
    language: str | None
    live_submission_id: int | None
    standing: Standing | None
    submissions: list[Submission]
    created_at: datetime


class BotList(Schema):
    """Bots, newest first."""

    items: list[Bot]


class Me(Schema):
    """Who the cookie says you are. `none`: nobody yet; the first upload makes a guest of you."""

    id: int | None
    name: str
    kind: UserKind | Literal["none"]
    bots: int


class Rename(Schema):
    """A new name for oneself."""

    name: Short


class Health(Schema):
    """What is up. `workers`: those that gave a sign of life in the last 30 s.

    `late_ms`: how late a timer fired at worst on a worker's machine in the last seconds. `cpu_wait`: the share of that
    time, 0 to 1, in which something there waited for a CPU; null where no kernel says so.
    """

    ok: bool
    database: bool
    broker: bool
    workers: int
    late_ms: float
    cpu_wait: float | None


class NewSubmission(Schema):
    """Code that shall enter the ladder as `bot`: a new name, or one of your own bots."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"game": "yavalath", "bot": "my first", "language": "python", "source": "print('4 4')"}]
        },
    )

    game: Short
    bot: Short
    language: Short
    source: str = Field(description=f"At most {SOURCE_BYTES:,} bytes as UTF-8.")
    note: Note = ""


class NewMatch(Schema):
    """A practice match of your code against a bot (the boss, if you name none). It is not rated."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"game": "yavalath", "language": "python", "source": "print('4 4')"}]},
    )

    game: Short
    language: Short
    source: str = Field(description=f"At most {SOURCE_BYTES:,} bytes as UTF-8.")
    opponent: Id | None = Field(default=None, description="A bot's id.")
    seat: int = Field(default=0, ge=0, description="Where teams play, your code fills all seats of this one's team.")
    seed: str | None = Field(default=None, pattern=r"^-?[0-9]{1,19}$")
    league: int | None = None


class StandingChange(Schema):
    """Lines of a leaderboard that changed."""

    game: str
    items: list[Standing]
