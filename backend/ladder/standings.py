"""The board: who is on it, in which order, today or on any day; and the standings behind it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Select,
    any_,
    case,
    delete,
    func,
    literal,
    or_,
    select,
    true,
    tuple_,
    update,
)
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import InstrumentedAttribute, Session, joinedload

from hexarena.backend.ladder import past_boards
from hexarena.backend.ladder.rules import HIDDEN_AFTER_DAYS, places, provisional
from hexarena.backend.matches import life as matches, live
from hexarena.backend.models import (
    DELETED,
    RATED,
    Bot,
    Ladder,
    League,
    Match,
    MatchSeat,
    PlaceCount,
    Result,
    SeasonStanding,
    Standing,
    StandingHistory,
    Submission,
    SubmissionState,
    TrialState,
    User,
    UserKind,
)
from hexarena.backend.rating.elo import square_logits

STARTER_RATING = 1000.0
"""The rating of the house's first starter, in every game and for ever, so that numbers keep their meaning."""
DRIFT_ELO = 120.0
"""The standard deviation of a new version's rating from its parent's; the fit assumes the same."""
KNOWN = ("rating", "deviation", "variance")
COUNTS = ("games", "wins", "draws", "losses")
RECORDED = ("submission_id", "rating", "deviation", *COUNTS, "league")
"""What the history keeps of a standing, besides its game."""
MOST_POINTS = 2_000
TREND_POINTS = 24
FEW = 3
"""Places are counted one by one for fewer competitors than that, and for more by numbering the whole board."""
ORDER = (Standing.league.desc(), Standing.rating.desc(), Standing.submission_id.desc())
"""Of the board, from its top."""
Key = tuple[int, float, int]
"""Where a line is on the board: its league, rating and submission; the highest one is at the top."""
ALWAYS_HERE = (UserKind.HOUSE, UserKind.LOCAL)
"""Owners who are never away."""
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


def enter(session: Session, submission: Submission, previous_id: int | None) -> None:
    """Gives a submission that goes live a standing: its predecessor's rating and league, or the field's mean.

    The same code is the same competitor, whoever submitted it: it shares the games that it has played already. A copy
    of somebody else's code is nobody's predecessor, since its owner has earned none of it.
    """
    previous = _own_predecessor(session, submission, previous_id)
    same = _same_code(session, submission)
    resume(session, [one.competitor_id for one in (previous, same) if one is not None])
    standing = Standing(submission_id=submission.id, game=submission.game, competitor_id=submission.id)
    standing.code_sha256 = submission.source_sha256
    if same is not None:
        same.consecutive_faults = 0
        for name in ("competitor_id", *KNOWN, *COUNTS, "placing", "trial"):
            setattr(standing, name, getattr(same, name))
        standing.league_from, standing.consecutive_faults = same.league_from, 0
        standing.league = same.league
        own = session.get_one(Submission, same.submission_id).user_id == submission.user_id
        standing.entered_with = same.games if own else same.entered_with
        # A copy of a house bot is where that one is: the scheduler plays that one, so no copy could fall or rise.
        if not _is_played_by_house(session, same.competitor_id):
            if _owner(session, same.competitor_id)[1] == UserKind.HOUSE:
                standing.league, standing.league_from, standing.trial = 1, standing.games, TrialState.OPEN
            raise_league_to(standing, 1 if previous is None else previous.league)
    elif previous is not None:
        standing.parent_id = previous.competitor_id
        standing.rating, standing.league = previous.rating, previous.league
        standing.deviation = math.hypot(previous.deviation, DRIFT_ELO)
        standing.variance = previous.variance + square_logits(DRIFT_ELO)
    else:
        standing.rating = _mean_rating(session, submission.game)
        resume_oldest(session, submission.user_id)
    boss_of = session.scalar(select(League.position).where(League.boss_bot_id == submission.bot_id))
    if boss_of is not None:
        standing.league, standing.placing, standing.trial = boss_of, False, TrialState.STAYS
    session.add(standing)
    session.flush()
    record_history(session, standing, live_now=True)
    live.publish(session, submission.game, "standing", submission.id)


def _own_predecessor(session: Session, submission: Submission, previous_id: int | None) -> Standing | None:
    """The version before, or where that is somebody else's code as well, the newest one of the bot that is not."""
    if previous_id is None:
        return None
    query = (
        select(Standing)
        .join(Submission, Submission.id == Standing.submission_id)
        .where(Submission.bot_id == submission.bot_id, Submission.id != submission.id)
        .order_by((Standing.submission_id == previous_id).desc(), Standing.submission_id.desc())
    )
    versions = session.scalars(query)
    own = (one for one in versions if _owner(session, one.competitor_id)[0] == submission.user_id)
    return next(own, None)


def _owner(session: Session, competitor_id: int) -> tuple[int, UserKind]:
    """Whose code it is: the house's, else the first's who is no guest, else the first one's (`fitting.owners_of`)."""
    query = (
        select(User.id, User.kind)
        .join(Submission, Submission.user_id == User.id)
        .join(Standing, Standing.submission_id == Submission.id)
        .where(Standing.competitor_id == competitor_id)
        .order_by(User.kind != UserKind.HOUSE, (User.kind == UserKind.GUEST) | User.was_guest, Submission.id)
        .limit(1)
    )
    user_id, kind = session.execute(query).one()
    return user_id, kind


def _is_played_by_house(session: Session, competitor_id: int) -> bool:
    """Whether a house bot on the ladder has this code."""
    theirs = select(Submission.id).join(User, User.id == Submission.user_id)
    theirs = theirs.join(Standing, Standing.submission_id == Submission.id)
    house = (User.kind == UserKind.HOUSE) & (Submission.state == SubmissionState.LIVE)
    return session.scalar(theirs.where(Standing.competitor_id == competitor_id, house).limit(1)) is not None


def return_to_ladder(session: Session, submission: Submission, standing: Standing, previous_id: int | None) -> None:
    """Of an earlier version: in the league of the one that it replaces if that is higher; its place is provisional."""
    previous = _own_predecessor(session, submission, previous_id)
    if previous is not None and not _is_played_by_house(session, standing.competitor_id):
        raise_league_to(standing, previous.league)
    standing.entered_with = standing.games


def resume(session: Session, competitor_ids: Collection[int]) -> None:
    """Refits rate these competitors again, those among them that are settled."""
    theirs = Standing.competitor_id == any_(literal(list(competitor_ids), ARRAY(BigInteger)))
    session.execute(
        update(Standing)
        .where(theirs, Standing.settled)
        .values(settled=False)
        .execution_options(synchronize_session="fetch")
    )


def resume_oldest(session: Session, owner_id: int) -> None:
    """The same for an owner's oldest bot in each game, which their bots with new names follow (`ladder.fitting`)."""
    oldest = (
        select(func.min(Standing.competitor_id))
        .join(Submission, Submission.id == Standing.competitor_id)
        .where(Submission.user_id == owner_id)
        .group_by(Standing.game)
    )
    resume(session, session.scalars(oldest).all())


def raise_league_to(standing: Standing, league: int) -> None:
    """Moves it into this league, if that is higher, with a new trial there."""
    if league > standing.league:
        standing.league, standing.league_from, standing.trial = league, standing.games, TrialState.OPEN


def _same_code(session: Session, submission: Submission) -> Standing | None:
    """The standing of the competitor: the first submission of the same code, which may have been deleted since."""
    query = (
        select(func.min(Standing.competitor_id))
        .join(Submission, Submission.id == Standing.submission_id)
        .where(
            Standing.game == submission.game,
            Standing.code_sha256 == submission.source_sha256,
            Submission.language == submission.language,
        )
    )
    first = session.scalar(query)
    return None if first is None else session.get_one(Standing, first)


def _mean_rating(session: Session, game: str) -> float:
    """The mean rating of a ladder: where a newcomer without a parent begins."""
    mean = session.scalar(select(func.avg(Standing.rating)).where(Standing.game == game, Standing.games > 0))
    return STARTER_RATING if mean is None else float(mean)


def record_history(session: Session, standing: Standing, *, live_now: bool) -> None:
    """Adds a standing to the history. `live_now`: whether it is on the board from now on."""
    values = {name: getattr(standing, name) for name in RECORDED}
    session.add(StandingHistory(**values, game=standing.game, live=live_now))


def was_on_board(moment: datetime) -> ColumnElement[bool | None]:
    """Whether a submission was on the board then; null if it only came onto the ladder later. Needs submission."""
    then = select(StandingHistory.live).where(StandingHistory.submission_id == Submission.id)
    newest_first = (StandingHistory.at.desc(), StandingHistory.id.desc())
    then = then.where(StandingHistory.at <= moment).order_by(*newest_first).limit(1)
    return then.correlate(Submission).scalar_subquery()


def forget_places(session: Session, game: str) -> None:
    """Before all results are counted again, or none."""
    of_game = select(Standing.submission_id).where(Standing.game == game)
    session.execute(delete(PlaceCount).where(PlaceCount.competitor_id.in_(of_game)))


def publish_owner(session: Session, user_id: int) -> None:
    """Publishes that the lines of a user's bots look different: the user has another name, or is no guest any more."""
    theirs = select(Submission.game, Submission.id).join(Bot, Bot.id == Submission.bot_id)
    on_ladder = theirs.where(Bot.owner_id == user_id, Submission.state == SubmissionState.LIVE)
    for game, submission_id in session.execute(on_ladder.order_by(Submission.id)).all():
        live.publish(session, game, "standing", submission_id)


def lock_ladder(session: Session, game: str) -> None:
    """Waits for a running refit: it locks the ladder's row while it changes standings and submissions."""
    session.execute(select(Ladder.game).where(Ladder.game == game).with_for_update())


def disable(session: Session, submission_id: int, problem: str) -> None:
    """Takes a live version off the ladder, with the reason for its owner. It can be restored."""
    found = select(Submission).where(Submission.id == submission_id).with_for_update()
    submission = session.scalars(found.execution_options(populate_existing=True)).one()
    if submission.state != SubmissionState.LIVE:
        return
    submission.state, submission.problem = SubmissionState.DISABLED, problem
    session.flush()
    matches.void_queued(session, submission_id, "A version of this match was disabled.")
    live.publish(session, submission.game, "submission", submission_id)


def on_board(game: str) -> ColumnElement[bool]:
    """Live submissions whose owners are not away. Needs submission, standing and user."""
    awake = or_(User.kind.in_(ALWAYS_HERE), Standing.active_at > func.now() - timedelta(days=HIDDEN_AFTER_DAYS))
    # The standing's game is the submission's; named, it lets the board be read in the order of its index.
    return (Standing.game == game) & (Submission.game == game) & (Submission.state == SubmissionState.LIVE) & awake


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
