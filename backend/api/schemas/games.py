"""Bodies about games, their lessons, starters and languages."""

from __future__ import annotations

from pydantic import ConfigDict

from hexarena.backend.api.schemas.base import Schema
from hexarena.backend.api.schemas.fields import LanguageId, SourceText
from hexarena.backend.api.schemas.matches import Fault
from hexarena.backend.models import MatchState


class BotLink(Schema):
    """A bot's name and where to find it."""

    bot_id: int
    name: str


class LeagueInfo(Schema):
    """A league of the ladder, counted from 1, the lowest, and the boss to beat to leave it; the top has none."""

    position: int
    name: str
    rules_level: int
    boss: BotLink | None
    bots: int


class Best(Schema):
    """The leader of a board."""

    bot_id: int
    bot: str
    owner: str
    rating: float


class Game(Schema):
    """A game as its card shows it. `languages`: those that have a starter. `top_match`: one worth watching.

    `last_match`: the newest match of the ladder that is over.
    `in_person`: whether you can play it yourself. `both_seats`: in duels and finals each seed is played in both seats.
    """

    id: str
    title: str
    summary: str
    version: str
    topics: list[str]
    seats: list[int]
    team_seats: int
    ladder_entrants: list[int]
    both_seats: bool
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
    last_match: int | None
    in_person: bool


class HouseBot(Schema):
    """A bot that ships with the game."""

    bot_id: int
    name: str
    summary: str
    language: str


class GameDetail(Game):
    """A game with its rules as safe HTML. `next_boss`: whom a practice match of yours is against by default."""

    statement_html: str
    house_bots: list[HouseBot]
    next_boss: BotLink | None


class Lesson(Schema):
    """A step of the way into a game. `boss`: whom to beat there; null before the arena has it.

    `attempts`, `best`, `passed`: yours; `best` is the most wins of an attempt. `latest`: your newest attempt.
    """

    number: int
    title: str
    level: int
    statement_html: str
    boss: BotLink | None
    boss_summary: str
    attempts: int
    best: int
    passed: bool
    latest: int | None


class LessonList(Schema):
    """The way into a game, easiest first. An attempt plays `matches`, and `wins` of them pass the lesson."""

    items: list[Lesson]
    matches: int
    wins: int


class NewAttempt(Schema):
    """Code that tries a lesson."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"language": "python", "source": "print('4 4')"}]}
    )

    language: LanguageId
    source: SourceText


class AttemptMatch(Schema):
    """A match of an attempt. `points`: yours, 1, 0.5 or 0, once it is done. `seat`: your first one. `fault`: what
    disqualified your code.
    """

    match_id: int
    state: MatchState
    void_reason: str | None
    seat: int
    points: float | None
    fault: Fault | None


class LessonAttempt(Schema):
    """`over`: all its matches were played, or are void. `problem`, `build_log`: why your code could not be built."""

    id: int
    lesson: int
    matches: list[AttemptMatch]
    wins: int
    over: bool
    passed: bool
    problem: str | None
    build_log: str | None


class Language(Schema):
    """`ending`: how its source files usually end. `endings`: how they may end, the usual one first; upper case is the
    same. `available`: whether a worker that is up right now can run it.
    """

    id: str
    name: str
    ending: str
    endings: list[str]
    available: bool


class Starter(Schema):
    """An example bot that plays legally."""

    language: str
    file: str
    source: str
