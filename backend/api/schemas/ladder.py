"""Bodies about ladders: boards, seasons, and what a rating is based on. Ratings in Elo."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from hexarena.backend.api.schemas.base import Schema
from hexarena.backend.api.schemas.games import LeagueInfo


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
    `on_trial`: plays for promotion. `guest`: only guests submitted its code, so its results rate no other bot.
    `shared_with`: how many other bots on the board are the same code, and so have the same `competitor_id`, rating and
    rank. `places`: how many of its matches it ended first, second and so on; empty in games of two.
    """

    competitor_id: int
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

    `next_game`: by what share one more game would lower the rating's variance. `repeats`: more games of the two would
    only repeat earlier ones, whoever begins.
    """

    submission_id: int
    bot: str
    version: int
    games: int
    points: float
    expected: float
    moved: float
    next_game: float
    repeats: bool


class MovingMatch(Schema):
    """A match that moved the rating by itself, Elo, when it was counted."""

    match_id: int
    opponents: list[str]
    rank: int
    moved: float
    finished_at: datetime | None


class RatingExplained(Schema):
    """Why a rating is what it is. `against`: largest effect first. `inherited`: the version of this
    bot that it began from; null where it began from another bot's with the same code."""

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
    `repeats`: more games of the two would only repeat earlier ones, whoever begins.
    """

    submission_id: int
    opponent_id: int
    games: int
    points: float
    expected: float
    next_game: float
    repeats: bool


class Cycle(Schema):
    """Three bots, each of which beats the next and the last the first. `submission_ids`: from the highest on the board.

    `sure`: the least of the three probabilities that one is better against the next, by their games alone.
    """

    submission_ids: list[int]
    sure: float


class Matchups(Schema):
    """The first bots of the board against each other. Bots of the same code are listed once.

    `pairs`: each ordered pair, row by row in the order of `bots`; where more than two play a match, the better place of
    two is a point. `cycles`: surest first.
    """

    team_game: bool = Field(default=False, description="False, since each bot has a team of its own. Gone in 0.4.")
    bots: list[MatchupBot]
    pairs: list[Matchup]
    cycles: list[Cycle]


class Leaderboard(Schema):
    """`next`: the cursor for `after`, null on the last page. `since`: the earliest time that the board is known of."""

    items: list[LeaderboardRow]
    next: str | None
    as_of: datetime
    since: datetime | None


class StandingChange(Schema):
    """Lines of a leaderboard that changed."""

    game: str
    items: list[LeaderboardRow]
