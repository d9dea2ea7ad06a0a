"""Bodies of requests and responses. The frontend's types are generated from these, through openapi.json."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, AliasChoices, BaseModel, ConfigDict, Field, StringConstraints, model_validator

from hexarena.backend.accounts.permissions import Scope
from hexarena.backend.models import DuelState, MatchKind, MatchState, SubmissionState, UserKind, UserRole
from hexarena.backend.rating.sprt import MOST_GAMES, Preset, Verdict
from hexarena.backend.runtime.sizes import SOURCE_BYTES
from hexarena.backend.submissions.languages import LANGUAGES

Id = Annotated[int, Field(strict=True, ge=1, le=2**53 - 1)]
Short = Annotated[str, StringConstraints(max_length=200)]
Level = Annotated[int, Field(strict=True, ge=1, le=99)]
"""A rules level; a game has fewer."""


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("expected a line of text without control characters")
    return text


Password = Annotated[str, StringConstraints(max_length=1000)]
Note = Annotated[
    Short,
    AfterValidator(_printable),
    Field(
        description="A line of text without control characters. Everybody can read it.",
        json_schema_extra={"pattern": r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$"},
    ),
]
Tag = Annotated[
    str,
    StringConstraints(pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]{0,23})?$"),
    Field(description="Up to 24 letters, digits or . _ - that begin with a letter or digit. Everybody can read it."),
]
# Refused by other rules than these patterns, with better words: the patterns only show programs what to expect.
Name = Annotated[
    Short,
    Field(
        description="1 to 24 letters, digits, blanks or . _ + - that begin and end with a letter or digit.",
        json_schema_extra={"minLength": 1, "pattern": r"^[^\x00-\x08\x0e-\x1b!-*,/:-@\[-^`{-~]*$"},
    ),
]
LanguageId = Annotated[Short, Field(json_schema_extra={"pattern": f"^({'|'.join(LANGUAGES)})$"})]
SourceText = Annotated[
    str,
    Field(
        description=f"At most {SOURCE_BYTES:,} bytes as UTF-8, not only blanks, without NUL.",
        json_schema_extra={"minLength": 1, "maxLength": SOURCE_BYTES, "pattern": r"^[^\0]*[^\s\0][^\0]*$"},
    ),
]


def _up_to(number: int) -> str:
    """A pattern for the whole numbers from 0 to this one, with leading zeros up to its length."""
    digits = str(number)
    smaller = [
        f"{digits[:place]}[0-{int(digit) - 1}][0-9]{{{len(digits) - place - 1}}}"
        for place, digit in enumerate(digits)
        if digit != "0"
    ]
    return "|".join([f"[0-9]{{1,{len(digits) - 1}}}", *smaller, digits])


SEED = rf"^-?({_up_to(2**63 - 1)})$"


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
    request_id: str | None = Field(
        default=None, description="The answer's `X-Request-Id`, which the arena's logs have."
    )


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
    played again, unless what it counts for has gone on.
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
    """A match of an attempt. `points`: yours, 1, 0.5 or 0, once it is done. `seat`: your first one."""

    match_id: int
    state: MatchState
    void_reason: str | None
    seat: int
    points: float | None


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
    """`available`: whether a worker that is up right now can run it."""

    id: str
    name: str
    ending: str
    available: bool


class Starter(Schema):
    """An example bot that plays legally."""

    language: str
    file: str
    source: str


class BoardLine(Schema):
    """The place of a bot on a board, now or then. `low`, `high`: the rating's 95 % interval."""

    rank: int
    bot_id: int
    bot: str
    owner_id: int
    owner: str
    language: str
    version: int
    submission_id: int
    league: str | None
    rating: float
    low: float
    high: float
    games: int
    wins: int
    draws: int
    losses: int


class LeaderboardRow(BoardLine):
    """A line of the leaderboard. `low`, `high`: the rating's 95 % interval. `placing`: still finding its place.
    `provisional`: placing, or a version that came, or came back, to the ladder fewer than 20 games ago.
    `all_repeat`: whoever it meets, the match is equal to an earlier one, so that it has nothing new to show.

    `beats_boss`, `above_next`: P(stronger than its league's boss, than the next on the board), 0 to 1. `games_left`:
    about how many more games until it is placed, or until it can be distinguished from the next; 0 when it can be.
    `trend`: the version's newest ratings, oldest first; `last_change`: from the last but one to the last, Elo.
    `on_trial`: plays for promotion. `guest`: its results rate no other bot. `shared_with`: how many other bots on the
    board are the same code, and so have the same rating. `places`: how many of its matches it ended first, second and
    so on; empty in games of two.
    """

    placing: bool
    provisional: bool
    all_repeat: bool
    house: bool
    guest: bool
    shared_with: int
    league_position: int
    on_trial: bool
    beats_boss: float | None
    above_next: float | None
    games_left: int | None
    boss_of: str | None
    mine: bool
    last_match_id: int | None
    trend: list[float]
    last_change: float | None
    places: list[int]


class PastStanding(BoardLine):
    """A line of the leaderboard as it was, from `since` on."""

    since: datetime


class PastLeaderboard(Schema):
    """The board as it was at `at`."""

    at: datetime
    items: list[PastStanding]


class SeasonInfo(Schema):
    """A season of a ladder. `number` counts from 1. `ended_at`: null of the one that is played now."""

    number: int
    name: str
    started_at: datetime
    ended_at: datetime | None


class SeasonList(Schema):
    """The current one first. Empty before a second season began."""

    items: list[SeasonInfo]


class SeasonTable(SeasonInfo):
    """A season with its final table, from the top; the table is empty while the season is played."""

    items: list[PastStanding]


class HistoryPoint(Schema):
    """A bot's standing from `at` on. `live`: whether the version was on the board."""

    at: datetime
    version: int
    league: str | None
    rating: float
    low: float
    high: float
    games: int
    live: bool


class History(Schema):
    """The history of a bot's rating, oldest first."""

    items: list[HistoryPoint]


class LadderInfo(Schema):
    """What the ratings of a game are based on, and the parameters of the model.

    `pending`: results that the next refit counts. `refit_s`: CPU time of the last one, seconds. `seat_elo`: the
    advantage of the first seat. `draws`: how often bots of the same strength draw, 0 to 1. `dispersion`: how much
    results scatter, 1 like a coin's. `matchup_elo`: how far pairs stray from what the ratings say, a standard
    deviation. `spread_elo`: of first versions, a standard deviation. `frozen_at`: no rated matches are scheduled since
    then, for `frozen_reason`.
    """

    game: str
    frozen_at: datetime | None
    frozen_reason: str | None
    results: int
    pending: int
    refitted_at: datetime | None
    refit_s: float
    seat_elo: float
    draws: float
    dispersion: float
    matchup_elo: float
    spread_elo: float
    leagues: list[LeagueInfo]


class Neighbour(Schema):
    """Another bot on the board. `above`: P(this one is stronger than it). `games_to_tell`: about how many more."""

    submission_id: int
    bot_id: int
    bot: str
    rating: float
    above: float
    games_to_tell: int


class Against(Schema):
    """All rated games against one opponent. `moved`: how far they move the rating, Elo; `expected`: points.

    `next_game`: by what share one more game would lower the rating's variance.
    """

    submission_id: int
    bot: str
    version: int
    games: int
    points: float
    expected: float
    moved: float
    next_game: float


class MovingMatch(Schema):
    """A match that moved the rating by itself, Elo, when it was counted."""

    match_id: int
    opponents: list[str]
    rank: int
    moved: float
    finished_at: datetime | None


class RatingExplained(Schema):
    """Why a rating is what it is. `against`: largest effect first. `inherited`: the version it began from."""

    submission_id: int
    rating: float
    low: float
    high: float
    games: int
    placing: bool
    games_left: int | None
    beats_boss: float | None
    boss: str | None
    above: Neighbour | None
    below: Neighbour | None
    inherited: int | None
    against: list[Against]
    matches: list[MovingMatch]


class MatchupBot(Schema):
    """A bot of the match-up matrix, with the version that is on the board."""

    rank: int
    bot_id: int
    bot: str
    version: int
    submission_id: int
    rating: float


class Matchup(Schema):
    """All rated games of one bot against another. `points` of the first; `expected`: by the ratings and seats.

    `next_game`: the share of the points of one more game, in a seat that is drawn, that the ratings expect, 0 to 1.
    """

    submission_id: int
    opponent_id: int
    games: int
    points: float
    expected: float
    next_game: float


class Cycle(Schema):
    """Three bots, each of which beats the next and the last the first. `submission_ids`: from the highest on the board.

    `sure`: the least of the three probabilities that one is better against the next, by their games alone.
    """

    submission_ids: list[int]
    sure: float


class Matchups(Schema):
    """The first bots of the board against each other. Bots of the same code are listed once.

    `pairs`: each ordered pair, row by row in the order of `bots`. `cycles`: surest first. `team_game`: members share
    their team's results, so pairs have no games and there are no cycles.
    """

    team_game: bool
    bots: list[MatchupBot]
    pairs: list[Matchup]
    cycles: list[Cycle]


class Leaderboard(Schema):
    """`next`: the cursor for `after`, null on the last page. `since`: the earliest time that the board is known of."""

    items: list[LeaderboardRow]
    next: str | None
    as_of: datetime
    since: datetime | None


class Submission(Schema):
    """One upload. `build_log` is for its owner only. `draft`: code of a practice match, never on the ladder.

    archive: whether it is a zip of several files; `bytes` are then those of the zip. `deleted`: its owner has deleted
    the code; it can never play again. `tag`: a short name for the version, or empty.
    """

    id: int
    game: str
    bot_id: int | None
    bot: str | None
    version: int | None
    language: str
    note: str
    tag: str
    state: SubmissionState
    problem: str | None
    build_log: str | None
    check_match_id: int | None
    created_at: datetime
    bytes: int
    archive: bool
    deleted: bool
    rating: float | None


class SourceFile(Schema):
    """A file of a submission. `starts`: it is the entry file. `text`: null where it is not UTF-8 text."""

    path: str
    bytes: int
    starts: bool
    text: str | None


class SourceFiles(Schema):
    """The files of a submission: one, or those of its zip. The entry file comes first."""

    items: list[SourceFile]


class Bot(Schema):
    """A user's entrant in one game. `submissions`: newest first."""

    id: int
    game: str
    name: str
    owner_id: int
    owner: str
    house: bool
    mine: bool
    language: str | None
    live_submission_id: int | None
    standing: LeaderboardRow | None
    submissions: list[Submission]
    created_at: datetime


class BotList(Schema):
    """Bots, newest first."""

    items: list[Bot]


class Usage(Schema):
    """What you used in the last 24 hours, and what you may use; null: no limit.

    `cpu_s`: CPU seconds of your matches, for guests of those of all guests of your network; at `cpu_again_at` there is
    more. `bytes`: stored source code, all that you submitted and the drafts of the last day.
    """

    cpu_s: float
    cpu_budget_s: float | None
    cpu_again_at: datetime | None
    bytes: int
    bytes_quota: int | None


class Me(Schema):
    """Who you are. `kind` none: nobody yet; the first upload makes a guest of you, where the arena has guests.

    `has_password`: you can sign in with one. `providers`: those that you can sign in with.
    """

    id: int | None
    name: str
    kind: UserKind | Literal["none"]
    bots: int
    role: UserRole = UserRole.USER
    email: str | None = None
    has_password: bool = False
    providers: list[str] = []
    created_at: datetime | None = None
    usage: Usage | None = None


class ChangeMe(Schema):
    """Another name or mail address; what is left out stays. An empty address removes it."""

    name: Name | None = None
    email: Short | None = None


class Retention(Schema):
    """For how many days after a match its texts are kept; null: for ever. Seat logs never outlive their replay."""

    replays: int | None
    practice_replays: int | None
    seat_logs: int | None


class SignInOptions(Schema):
    """How one gets in here. `sign_up`: who may make an account. `providers`: OpenID providers, id and title."""

    sign_up: Literal["open", "invite", "oidc", "closed"]
    guests: bool
    providers: list[Provider]


class Provider(Schema):
    """An OpenID provider. Begin at `url`."""

    id: str
    title: str
    url: str


class SignUp(Schema):
    """A new account. If you are a guest, it takes over all that is yours."""

    name: Name
    password: Password
    email: Short | None = None
    invite: Short | None = None


class SignIn(Schema):
    """If you are a guest, all that is yours moves to the account."""

    name: Short
    password: Password


class ChangePassword(Schema):
    """`old` is not needed where there was none. All other sessions end."""

    old: Password = ""
    new: Password


class DeleteMe(Schema):
    """The account's name, as a confirmation, and its password if it has one."""

    name: Short
    password: Password = ""


class SignedInSession(Schema):
    """A browser in which you are signed in. `current`: this one."""

    id: int
    browser: str
    created_at: datetime
    seen_at: datetime
    expires_at: datetime
    current: bool


class SessionList(Schema):
    """Your sessions, last seen first."""

    items: list[SignedInSession]


class NewToken(Schema):
    """`name`: what it is for. `scopes`: what it may be used for."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=60)]
    scopes: Annotated[list[Scope], Field(min_length=1, max_length=10)]


class Token(Schema):
    """A personal token. `uses`: requests that it was used for."""

    id: int
    name: str
    scopes: list[Scope]
    created_at: datetime
    used_at: datetime | None
    uses: int


class CreatedToken(Token):
    """`token` is shown only now: send it as `Authorization: Bearer …`."""

    token: str


class TokenList(Schema):
    """Your tokens, newest first."""

    items: list[Token]


class UserInfo(Schema):
    """An account, as organisers see it."""

    id: int
    name: str
    kind: UserKind
    role: UserRole
    email: str | None
    bots: int
    banned_at: datetime | None
    ban_reason: str | None
    created_at: datetime
    seen_at: datetime | None


class UserPage(Schema):
    """Accounts, newest first. `next`: for `after`."""

    items: list[UserInfo]
    next: str | None


class ChangeUser(Schema):
    """Another role for an account."""

    role: UserRole


class NewInvite(Schema):
    """A code with which so many people can sign up."""

    uses: Annotated[int, Field(ge=1, le=10_000)] = 1
    days: Annotated[int, Field(ge=1, le=365)] = 14
    note: Note = ""
    role: UserRole = UserRole.USER


class Invite(Schema):
    """An invitation that is still valid."""

    id: int
    note: str
    role: UserRole
    uses_left: int
    created_at: datetime
    expires_at: datetime


class CreatedInvite(Invite):
    """`code` is shown only now."""

    code: str


class InviteList(Schema):
    """Valid invitations, newest first."""

    items: list[Invite]


class Health(Schema):
    """What is up. `workers`: those with a heartbeat in the last 30 s.

    `late_ms`: how late a timer fired at worst on a worker's machine in the last seconds. `cpu_wait`: the share of that
    time, 0 to 1, in which something there waited for a CPU; null where no kernel reports it. `disk_free_bytes`: room on
    the disk of the data folder. `disk_full`: less than the reserve, so nothing new is taken or played.
    """

    ok: bool
    database: bool
    broker: bool
    workers: int
    late_ms: float
    cpu_wait: float | None
    disk_free_bytes: int
    disk_full: bool


class Ready(Schema):
    """The arena can play. Where it cannot, a problem says why."""

    ready: Literal[True]


class NewSubmission(Schema):
    """Code to enter the ladder as `bot`: a new name, or one of your own bots."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"game": "yavalath", "bot": "my first", "language": "python", "source": "print('4 4')"}]
        },
    )

    game: Short
    bot: Name
    language: LanguageId
    source: SourceText
    note: Note = ""


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
        "else as few as the game allows.",
    )
    seat: int = Field(
        default=0,
        strict=True,
        ge=0,
        le=99,
        description="In games with teams, your code has all seats of this seat's team.",
    )
    seed: str | None = Field(default=None, pattern=SEED, description="A signed 64-bit integer, as text.")
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
            "seat",
            "seed",
            "league",
        }:
            raise ValueError("expected either `fork`, or `opponents`, `seat`, `seed` and `league`; got both")
        if self.opponent is not None and self.opponents is not None:
            raise ValueError("expected either `opponent` or `opponents`; got both")
        return self


class DuelSide(Schema):
    """One of the two versions of a duel."""

    submission_id: int
    bot_id: int
    bot: str
    version: int
    owner: str
    language: str
    mine: bool


class FieldBot(Schema):
    """A bot of the ladder that plays along."""

    submission_id: int
    bot_id: int
    bot: str
    version: int


class DuelMatch(Schema):
    """A match of a duel that was played. `number` counts from 1. `points`: of the candidate, 1, 0.5 or 0.

    `counted`: whole trials are counted in their order, up to the one that decides.
    """

    match_id: int
    number: int
    points: float
    counted: bool


class DuelStatus(Schema):
    """Is `candidate` stronger than `baseline` by `margin_elo`, or not at all? Played until a sequential test decides.
    The preset "which" asks only which of the two to choose: is `candidate` stronger by `margin_elo`, or weaker?

    `games`: matches that were counted, of `most_games` at most; `won`, `drawn`, `lost`: of these, by `candidate`.
    `paired`: each seed is played twice, with the seats swapped. `counts`: how many trials (pairs, or single matches)
    brought `candidate` 0, ½, 1 (and 1½, 2) points. `margin_elo`: normalized Elo, which is Elo where nobody draws.
    `llr`: log-likelihood ratio of the two answers; beyond ±`llr_decides` it decides. `elo`: the difference in strength,
    with its 95 % interval; null where it is infinite. `verdict`: open until it is decided, and when all matches were
    played. `repeats`: the bots only repeat one or two matches, so that more of them would show nothing new; that ends a
    duel, too. `sentence`: the verdict for people, or why the duel is void. `progress`: 0 to 1, towards a verdict or
    towards the last match, whichever is nearer; 1 when it is over. `matches`: the newest that were played, newest
    first. `seed`: of the list of its matches, as text (null while it runs, in games that hide something);
    `hexarena duel --seed` plays the same list. `field`: in a free-for-all the bots of the ladder among which both play;
    the better place of the two is a win. `paused_until`: whoever began it used up the CPU time of a day, and has more
    then.
    """

    id: int
    game: str
    league: int
    candidate: DuelSide
    baseline: DuelSide
    one: DuelSide = Field(deprecated="The former name of `candidate`. Gone in 0.3.")
    other: DuelSide = Field(deprecated="The former name of `baseline`. Gone in 0.3.")
    preset: Preset
    margin_elo: float
    paired: bool
    seed: str | None
    state: DuelState
    games: int
    most_games: int
    won: int
    drawn: int
    lost: int
    counts: list[int]
    score: float
    llr: float
    llr_decides: float
    elo: float | None
    elo_low: float | None
    elo_high: float | None
    verdict: Verdict
    repeats: bool
    sentence: str
    progress: float
    mine: bool
    void_reason: str | None
    created_at: datetime
    finished_at: datetime | None
    paused_until: datetime | None
    matches: list[DuelMatch]
    field: list[FieldBot]
    events_url: str


class DuelList(Schema):
    """Duels, newest first."""

    items: list[DuelStatus]


class NewDuel(Schema):
    """Two versions of bots of the game, by their submissions' ids: is `candidate` stronger than `baseline`?

    `one` and `other`, their former names, are read until 0.3.
    """

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"game": "yavalath", "candidate": 12, "baseline": 7, "preset": "quick"}]},
    )

    game: Short
    candidate: Id = Field(validation_alias=AliasChoices("candidate", "one"))
    baseline: Id = Field(validation_alias=AliasChoices("baseline", "other"))
    preset: Preset = Field(default="normal", description="Look for a difference of 60, 40 or 20 Elo; or ask which.")
    games: int = Field(
        default=MOST_GAMES,
        strict=True,
        ge=1,
        le=MOST_GAMES,
        description="Matches at most; one more where seats are swapped and the number is odd.",
    )
    league: Level | None = Field(default=None, description="A rules level of the game; the full game if left out.")


class StandingChange(Schema):
    """Lines of a leaderboard that changed."""

    game: str
    items: list[LeaderboardRow]
