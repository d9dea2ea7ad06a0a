"""The board: in which order, with what beside each line, today or on any day."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Select,
    any_,
    case,
    func,
    literal,
    select,
    true,
    tuple_,
)
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import InstrumentedAttribute, Session, joinedload

from hexarena.backend.ladder import past_boards
from hexarena.backend.ladder.rules import places, provisional
from hexarena.backend.ladder.standings import COUNTS, on_board
from hexarena.backend.models import (
    DELETED,
    RATED,
    Bot,
    League,
    Match,
    MatchSeat,
    PlaceCount,
    Result,
    SeasonStanding,
    Standing,
    StandingHistory,
    Submission,
    User,
    UserKind,
)

MOST_POINTS = 2_000
TREND_POINTS = 24
FEW = 3
"""Places are counted one by one for fewer competitors than that, and for more by numbering the whole board."""
ORDER = (Standing.league.desc(), Standing.rating.desc(), Standing.submission_id.desc())
"""Of the board, from its top."""
Key = tuple[int, float, int]
"""Where a line is on the board: its league, rating and submission; the highest one is at the top."""
REACH = 1.959963984540054
"""Standard deviations to either side of a rating that make 95 %."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the leaderboard. `submission` comes with its bot and the bot's owner. `league`: its name.

    `rank`: the place of its competitor: bots of the same code share one, that of the first of them, and those below
    count it once. `shared_with`: how many other bots on the board are the same code. `trend`: its newest ratings,
    oldest first. `places`: how many matches it ended in each, from the first on; empty in games of two. `guest`: only
    guests have submitted its code, so that it does not count for others.
    """

    rank: int
    submission: Submission
    standing: Standing
    league: str | None
    boss_of: str | None
    last_match_id: int | None
    shared_with: int
    trend: Sequence[float]
    places: Sequence[int]
    guest: bool

    @property
    def provisional(self) -> bool:
        """Whether its place is; the house's bots have theirs."""
        own, bot = self.standing, self.submission.bot
        house = bot is not None and bot.owner.kind == UserKind.HOUSE
        return not house and provisional(own.placing, own.games - own.entered_with, spent=own.spent)


@dataclass(frozen=True, slots=True)
class PastRow:
    """A line of the board as it was `since` some time. `league`: its name.

    Values, as the objects of a session would take longer for hundreds of lines than finding them does.
    """

    rank: int
    submission_id: int
    version: int
    language: str
    bot_id: int
    bot: str
    owner_id: int
    owner: str
    rating: float
    deviation: float
    games: int
    wins: int
    draws: int
    losses: int
    league: str | None
    since: datetime


def interval(rating_elo: float, deviation: float) -> tuple[float, float]:
    """A rating's 95 % interval, Elo."""
    return rating_elo - REACH * deviation, rating_elo + REACH * deviation


def board(game: str) -> Select[Standing]:
    """The standings that the board shows, from its top."""
    return (
        select(Standing)
        .join(Submission, Submission.id == Standing.submission_id)
        .join(User, User.id == Submission.user_id)
        .where(on_board(game))
        .order_by(*ORDER)
    )


def leaderboard(
    session: Session,
    game: str,
    *,
    limit: int,
    after: Key | None = None,
    only: Sequence[int] = (),
    league: int | None = None,
) -> list[Row]:
    """The board from the top, or from after a (league, rating, submission id).

    `only`: these submissions alone. `league`: the position of one.
    """
    key = tuple_(Standing.league, Standing.rating, Standing.submission_id)
    query = (
        select(Submission, Standing)
        .join(Standing, Standing.submission_id == Submission.id)
        .join(User, User.id == Submission.user_id)
        .where(on_board(game))
        .options(joinedload(Submission.bot).joinedload(Bot.owner))
        .order_by(*ORDER)
        .limit(limit)
    )
    if after is not None:
        query = query.where(key < after)
    if only:
        query = query.where(Submission.id.in_(only))
    if league is not None:
        query = query.where(Standing.league == league)
    found = session.execute(query).all()
    names, bosses = leagues(session, game)
    latest = _newest_matches(session, [submission.id for submission, _ in found])
    competitors = {standing.competitor_id for _, standing in found}
    firsts, same = _on_board_of(session, game, competitors)
    trends = _trends(session, [submission.id for submission, _ in found])
    counted = _place_counts(session, competitors)
    trusted = _beyond_guests(session, competitors)
    ranks = _ranks(session, [standing for _, standing in found], firsts, consecutive=not only)
    rows: list[Row] = []
    for rank, (submission, standing) in zip(ranks, found, strict=True):
        boss_of = None if submission.bot_id is None else bosses.get(submission.bot_id)
        shared_with = same.get(standing.competitor_id, 1) - 1
        league_name = names.get(standing.league)
        last, trend = latest.get(submission.id), trends.get(submission.id, [])
        ended = counted.get(standing.competitor_id, ())
        guest = standing.competitor_id not in trusted
        rows.append(Row(rank, submission, standing, league_name, boss_of, last, shared_with, trend, ended, guest))
    return rows


def _place_counts(session: Session, competitors: Collection[int]) -> dict[int, list[int]]:
    """Competitor -> how many of its matches it ended in each place, from the first on."""
    query = select(PlaceCount).where(PlaceCount.competitor_id.in_(competitors)).order_by(PlaceCount.place)
    found: dict[int, list[int]] = {}
    for row in session.scalars(query):
        counts = found.setdefault(row.competitor_id, [])
        counts.extend([0] * (row.place - 1 - len(counts)))
        counts.append(row.matches)
    return found


def _trends(session: Session, submission_ids: Sequence[int]) -> dict[int, list[float]]:
    """Submission -> its newest ratings, oldest first."""
    newest = (
        select(StandingHistory.id, StandingHistory.rating)
        .where(StandingHistory.submission_id == Submission.id)
        .order_by(StandingHistory.id.desc())
        .limit(TREND_POINTS)
        .lateral()
    )
    query = select(Submission.id, newest.c.rating).join(newest, true()).where(Submission.id.in_(submission_ids))
    found: dict[int, list[float]] = {}
    for submission_id, rating in session.execute(query.order_by(newest.c.id)):
        found.setdefault(submission_id, []).append(rating)
    return found


def recorded_since(session: Session, game: str) -> datetime | None:
    """The earliest time of which the board is known."""
    return session.scalar(select(func.min(StandingHistory.at)).where(StandingHistory.game == game))


def _on_board_of(session: Session, game: str, competitors: Collection[int]) -> tuple[dict[int, Key], dict[int, int]]:
    """Competitor -> the first of its lines on the board; and how many of these there are."""
    lines = (
        select(
            Standing.competitor_id, Standing.league, Standing.rating, Standing.submission_id,
            func.count().over(partition_by=Standing.competitor_id).label("lines"),
            func.row_number().over(partition_by=Standing.competitor_id, order_by=ORDER).label("line"),
        )
        .join(Submission, Submission.id == Standing.submission_id)
        .join(User, User.id == Submission.user_id)
        .where(on_board(game), Standing.competitor_id.in_(competitors))
        .subquery()
    )  # fmt: skip
    found = session.execute(select(lines).where(lines.c.line == 1)).all()
    firsts = {row.competitor_id: (row.league, row.rating, row.submission_id) for row in found}
    return firsts, {row.competitor_id: row.lines for row in found}


def _beyond_guests(session: Session, competitors: Collection[int]) -> set[int]:
    """Those of the competitors whose code somebody else than guests has submitted: their results count for others."""
    query = (
        select(Standing.competitor_id)
        .join(Submission, Submission.id == Standing.submission_id)
        .join(User, User.id == Submission.user_id)
        .where(Standing.competitor_id.in_(competitors), User.kind != UserKind.GUEST, User.was_guest.is_(False))
        .distinct()
    )
    return set(session.scalars(query))


def board_of(session: Session, game: str, at: datetime, *, limit: int) -> list[PastRow]:
    """The board at an earlier time, from the top."""
    top = past_boards.top(session, game, at, limit)
    query = (
        past_lines(StandingHistory, StandingHistory.at, Standing.competitor_id)
        .join(Standing, Standing.submission_id == Submission.id)
        .where(StandingHistory.id == any_(literal(top, ARRAY(BigInteger))))
        .order_by(StandingHistory.league.desc(), StandingHistory.rating.desc(), Submission.id.desc())
    )
    return past_rows(session, game, shared(session.execute(query).all()))


def shared(lines: Sequence[Sequence[Any]]) -> list[tuple[int, Sequence[Any]]]:
    """(rank, what else it has) of each line of a board from its top; a line's last value is its competitor."""
    ranks = places(competitor for *_, competitor in lines)
    return [(rank, values) for rank, (*values, _) in zip(ranks, lines, strict=True)]


def past_lines(was: type[StandingHistory | SeasonStanding], *more: InstrumentedAttribute[Any]) -> Select[Any]:
    """What a PastRow needs of lines of an earlier board, in its order, but for the rank; of the league its position."""
    counts, deleted = [getattr(was, name) for name in COUNTS], Bot.name_key.is_(None)
    return (
        select(
            Submission.id, Submission.version, Submission.language, Bot.id, Bot.name,
            # Nobody is told whose a deleted bot was.
            case((deleted, 0), else_=Bot.owner_id), case((deleted, DELETED), else_=User.name),
            was.rating, was.deviation, *counts, was.league, *more,
        )
        .join(was, was.submission_id == Submission.id)
        .join(Bot, Bot.id == Submission.bot_id)
        .join(User, User.id == Bot.owner_id)
    )  # fmt: skip


def past_rows(session: Session, game: str, lines: Iterable[tuple[int, Sequence[Any]]]) -> list[PastRow]:
    """`lines`: (rank, what `past_lines` finds and since when it was so)."""
    names, _ = leagues(session, game)
    return [PastRow(*(rank, *values, names.get(league), since)) for rank, (*values, league, since) in lines]


def history_of(session: Session, bot_id: int) -> list[tuple[int, StandingHistory]]:
    """(version, standing) of all versions of a bot, oldest first; of a long history the newest MOST_POINTS."""
    query = (
        select(Submission.version, StandingHistory)
        .join(Submission, Submission.id == StandingHistory.submission_id)
        .where(Submission.bot_id == bot_id)
        .order_by(StandingHistory.id.desc())
        .limit(MOST_POINTS)
    )
    return [(version or 0, row) for version, row in reversed(session.execute(query).all())]


def leagues(session: Session, game: str) -> tuple[dict[int, str], dict[int, str]]:
    """(position -> name, bot id of its boss -> name)."""
    rows = session.execute(
        select(League.position, League.name, League.boss_bot_id).where(League.game == game).order_by(League.position)
    ).all()
    return (
        {position: name for position, name, _ in rows},
        {boss: name for _, name, boss in rows if boss is not None},
    )


def _ranks(session: Session, rows: Sequence[Standing], firsts: Mapping[int, Key], *, consecutive: bool) -> list[int]:
    """Places on the board, counted from 1: equal for lines of the same competitor, and those below count it once.

    `rows`: of one game, from its top. `firsts`: competitor -> its first line. `consecutive`: no other is in between.
    """
    if not rows:
        return []
    keys = [firsts.get(row.competitor_id, _key(row)) for row in rows]
    found: dict[Key, int] = {}
    if consecutive:
        # Who is on the board from here on has the next places; shared ones may begin further up.
        begin_here = sorted({key for key in keys if key <= _key(rows[0])}, reverse=True)
        found = {key: place for place, key in enumerate(begin_here, start=_rank(session, rows[0].game, _key(rows[0])))}
    found |= _ranks_of_firsts(session, rows[0].game, set(keys) - found.keys())
    return [found[key] for key in keys]


def _ranks_of_firsts(session: Session, game: str, firsts: Collection[Key]) -> dict[Key, int]:
    """The places of competitors, by the first line of each."""
    if len(firsts) < FEW:
        return {first: _rank(session, game, first) for first in firsts}
    competitors = (
        select(Standing.league, Standing.rating, Standing.submission_id)
        .ext(distinct_on(Standing.competitor_id))
        .join(Submission, Submission.id == Standing.submission_id)
        .join(User, User.id == Submission.user_id)
        .where(on_board(game))
        .order_by(Standing.competitor_id, *ORDER)
        .subquery()
    )
    order = (competitors.c.league.desc(), competitors.c.rating.desc(), competitors.c.submission_id.desc())
    board = select(competitors.c.submission_id, func.row_number().over(order_by=order).label("rank")).subquery()
    wanted = {first[2]: first for first in firsts}
    found = session.execute(select(board).where(board.c.submission_id.in_(wanted)))
    # A line that moved in between, and is not its competitor's first any more, is counted by itself.
    ranks = {wanted[submission_id]: rank for submission_id, rank in found}
    return {first: ranks[first] if first in ranks else _rank(session, game, first) for first in firsts}


def _rank(session: Session, game: str, key: Key) -> int:
    """One more than the competitors that have a line above this one."""
    better = (
        select(func.count(Standing.competitor_id.distinct()))
        .join(Submission, Submission.id == Standing.submission_id)
        .join(User, User.id == Submission.user_id)
        .where(on_board(game), tuple_(Standing.league, Standing.rating, Standing.submission_id) > key)
    )
    return (session.scalar(better) or 0) + 1


def _key(row: Standing) -> Key:
    return row.league, row.rating, row.submission_id


def _newest_matches(session: Session, submission_ids: Sequence[int]) -> dict[int, int]:
    """Submission -> its newest rated match that has a result. Others may not see practice matches."""
    newest = (
        select(MatchSeat.match_id)
        .join(Result, Result.match_id == MatchSeat.match_id)
        .join(Match, Match.id == MatchSeat.match_id)
        .where(MatchSeat.submission_id == Submission.id, Match.kind.in_(RATED))
        .order_by(MatchSeat.match_id.desc())
        .limit(1)
        .lateral()
    )
    query = select(Submission.id, newest.c.match_id).join(newest, true()).where(Submission.id.in_(submission_ids))
    return dict(session.execute(query).all())
