"""Finds matches by filters, newest first, at a bounded cost however many there are and however few fit.

Theory of operation. Each filter set has a *source*: an index that yields ids of matches from the newest on, chosen by
rule (`_streams`), never by the planner's guess at how rare a filter is. At most DEPTHS candidates of it are
compared with all the other filters. If that does not fill the page, the page is short and says how far back the search
came; the next request continues there. So a page costs at most that many index probes, and nothing is left out.

`id` follows `created_at` but for transactions that overlap: SLACK is longer than any of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time, timedelta
from hashlib import blake2s
from typing import Any, Literal

from sqlalchemy import ColumnElement, CompoundSelect, Select, case, func, literal, select, text, true, union_all
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from hexarena.backend.models import (
    Job,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    Result,
    SeatResult,
    Submission,
    result_ending,
)
from hexarena.games.catalogue import all_games

DEPTHS = (150, 1_000)
"""Candidates that are looked at: at first, and if too few of them fit. Each takes about 25 µs at worst."""
SLACK = timedelta(hours=1)
LISTED = (
    MatchKind.CHECK,
    MatchKind.EVENT,
    MatchKind.EVENT_LADDER,
    MatchKind.PLACEMENT,
    MatchKind.PROMOTION,
    MatchKind.LADDER,
)
"""What everybody sees without asking for it: duels have hundreds of matches each."""
FAULTS = ("timeout", "crash", "flood", "invalid", "illegal")
FaultFilter = Literal["any", "timeout", "crash", "flood", "invalid", "illegal"]
Outcome = Literal["win", "loss", "draw"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which matches; None: all. `owner_ids`: whose bots, in order, like `bot_id` a side. `since`, `until`: days in UTC,
    both in.

    `version`, `opponent_id`, `result` and `seat` are about the side; so is `fault`, where there is one.
    """

    game: str | None = None
    kind: MatchKind | None = None
    state: MatchState | None = None
    duel_id: int | None = None
    league: int | None = None
    bot_id: int | None = None
    owner_ids: tuple[int, ...] | None = None
    version: int | None = None
    opponent_id: int | None = None
    result: Outcome | None = None
    seat: int | None = None
    reason: str | None = None
    fault: FaultFilter | None = None
    seed: int | None = None
    since: date | None = None
    until: date | None = None

    @property
    def has_side(self) -> bool:
        """Whether the matches are seen from somebody."""
        return self.bot_id is not None or self.owner_ids is not None

    def mark(self) -> str:
        """Eight characters that differ for other filters: part of a cursor, so that none is used with another list."""
        return blake2s(repr(sorted(asdict(self).items(), key=lambda item: item[0])).encode(), digest_size=4).hexdigest()


@dataclass(frozen=True, slots=True)
class Found:
    """Ids, newest first. `next_id`: continue below it; None at the end. `searched_to`: of a page that is short."""

    ids: Sequence[int]
    next_id: int | None
    searched_to: datetime | None


def find(
    session: Session,
    filters: Filters,
    *,
    viewer_id: int,
    limit: int,
    below: int | None,
    depths: Sequence[int] = DEPTHS,
) -> Found:
    """A page of matches below an id. `viewer_id`: 0 for nobody; other people's practice matches are never found."""
    # A plan that is made for any value would suit the frequent ones.
    session.execute(text("SET LOCAL plan_cache_mode = force_custom_plan"))
    span = _span(session, filters, below)
    where = _conditions(filters, viewer_id)
    ids: Sequence[int] = []
    lowest = None
    for depth in depths:
        candidates = _candidates(filters, viewer_id, span, depth)
        query = select(Match.id).where(Match.id.in_(select(candidates.c.id)), *where)
        ids = session.scalars(query.order_by(Match.id.desc()).limit(limit + 1)).all()
        if len(ids) > limit:
            return Found(ids[:limit], ids[limit - 1], None)
        count, lowest = session.execute(select(func.count(), func.min(candidates.c.id))).one()
        if count < depth:
            return Found(ids, None, None)
    return Found(ids, lowest, session.scalar(select(Match.created_at).where(Match.id == lowest)))


def _candidates(filters: Filters, viewer_id: int, span: _Span, depth: int) -> Any:
    """The newest `depth` rows of the source as a subquery with `id`; a match may be in it once for each seat."""
    streams = [one.limit(depth) for one in _streams(filters, viewer_id, span, depth)]
    rows: Select[Any] | CompoundSelect[Any] = union_all(*(select(one.subquery()) for one in streams))
    everything = rows.subquery("streams")
    return (
        select(everything.c.id)
        .order_by(everything.c.id.desc())
        .limit(depth)
        .cte("candidates")
        .prefix_with("MATERIALIZED")
    )


@dataclass(frozen=True, slots=True)
class _Span:
    """Ids between two bounds, both excluded."""

    above: int | None
    below: int | None

    def newest(self, column: InstrumentedAttribute[int], *where: ColumnElement[bool]) -> Select[Any]:
        """Ids of this column in the span, from the newest on."""
        query = select(column.label("id")).where(*where).order_by(column.desc())
        if self.above is not None:
            query = query.where(column > self.above)
        return query if self.below is None else query.where(column < self.below)


def _span(session: Session, filters: Filters, below: int | None) -> _Span:
    """The ids that the dates leave. Only a shortcut: the dates are conditions, too."""
    above = None
    if filters.since is not None:
        before = Match.created_at < _begin(filters.since) - SLACK
        above = session.scalar(select(Match.id).where(before).order_by(Match.created_at.desc()).limit(1))
    if filters.until is not None:
        after = Match.created_at > _begin(filters.until + timedelta(days=1)) + SLACK
        first = session.scalar(select(Match.id).where(after).order_by(Match.created_at).limit(1))
        below = min((one for one in (first, below) if one is not None), default=None)
    return _Span(above, below)


def _begin(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _streams(filters: Filters, viewer_id: int, span: _Span, depth: int) -> list[Select[Any]]:
    """What the candidates come from: the filter that leaves fewest matches, as a rule."""
    if filters.duel_id is not None:
        return [span.newest(Match.id, Match.duel_id == filters.duel_id)]
    if filters.state in {MatchState.QUEUED, MatchState.RUNNING}:
        return [span.newest(Job.match_id)]
    if filters.seed is not None:
        return [span.newest(Match.id, Match.seed == filters.seed)]
    if filters.has_side:
        return [_seats(filters, span, depth)]
    if filters.fault is not None:
        return [span.newest(SeatResult.match_id, SeatResult.fault == kind) for kind in _kinds_of(filters.fault)]
    if filters.reason is not None:
        return [span.newest(Result.match_id, result_ending == filters.reason)]
    return _by_kind(filters, viewer_id, span)


def _kinds_of(fault: FaultFilter) -> Sequence[str]:
    return FAULTS if fault == "any" else [fault]


def _seats(filters: Filters, span: _Span, depth: int) -> Select[Any]:
    """The matches of a side: the newest of each of its submissions."""
    of_one = span.newest(MatchSeat.match_id, MatchSeat.submission_id == Submission.id).limit(depth).lateral()
    query = select(of_one.c.id).select_from(Submission).join(of_one, true()).where(*_side(filters, Submission))
    return query.order_by(of_one.c.id.desc())


def _by_kind(filters: Filters, viewer_id: int, span: _Span) -> list[Select[Any]]:
    """Each kind that is listed, and the viewer's own practice matches."""
    game = () if filters.game is None else (Match.game == filters.game,)
    kinds = LISTED if filters.kind is None else (filters.kind,)
    found = [span.newest(Match.id, Match.kind == kind, *game) for kind in kinds if kind != MatchKind.PRACTICE]
    if viewer_id and filters.kind in {None, MatchKind.PRACTICE}:
        own = (Match.requested_by_id == viewer_id, Match.kind == MatchKind.PRACTICE)
        found.append(span.newest(Match.id, *own, *game))
    return found or [span.newest(Match.id, literal(value=False))]


def _side(filters: Filters, submission: Any) -> list[ColumnElement[bool]]:
    """Whose submissions these are."""
    where = []
    if filters.bot_id is not None:
        where.append(submission.bot_id == filters.bot_id)
    if filters.owner_ids is not None:
        where.append(submission.user_id.in_(filters.owner_ids))
    if filters.version is not None:
        where.append(submission.version == filters.version)
    return where


def _conditions(filters: Filters, viewer_id: int) -> list[ColumnElement[bool]]:
    """All filters as conditions on a match, wherever the candidates come from."""
    where: list[ColumnElement[bool]] = [
        (Match.kind != MatchKind.PRACTICE) | (Match.requested_by_id == viewer_id),
        Match.held.is_(False),
    ]
    named: tuple[tuple[InstrumentedAttribute[Any], Any], ...] = (
        (Match.game, filters.game),
        (Match.kind, filters.kind),
        (Match.state, filters.state),
        (Match.duel_id, filters.duel_id),
        (Match.league, filters.league),
        (Match.seed, filters.seed),
    )
    where += [column == value for column, value in named if value is not None]
    if filters.kind is None and filters.duel_id is None:
        where.append(Match.kind != MatchKind.DUEL)
    if filters.since is not None:
        where.append(Match.created_at >= _begin(filters.since))
    if filters.until is not None:
        where.append(Match.created_at < _begin(filters.until + timedelta(days=1)))
    if filters.reason is not None:
        where.append(_there_is(Result.match_id == Match.id, result_ending == filters.reason))
    if filters.has_side:
        where.append(_has_side(filters))
    elif filters.fault is not None:
        kinds = SeatResult.fault.in_(_kinds_of(filters.fault))
        where.append(_there_is(SeatResult.match_id == Match.id, kinds))
    return where


def _there_is(*where: ColumnElement[bool]) -> ColumnElement[bool]:
    """Whether there is such a row, looked up for each candidate.

    The offset keeps the planner from turning it into a join, which it would begin with thousands of rows of the filter.
    """
    return select(literal(1)).where(*where).offset(0).exists()


def _has_side(filters: Filters) -> ColumnElement[bool]:
    """A seat of the side that fits all that is asked of it."""
    own = aliased(MatchSeat)
    query = (
        select(own.seat)
        .join(Submission, Submission.id == own.submission_id)
        .where(own.match_id == Match.id, *_side(filters, Submission))
    )
    if filters.seat is not None:
        query = query.where(own.seat == filters.seat)
    if filters.opponent_id is not None:
        query = query.where(_met(own, filters.opponent_id))
    if filters.result is not None or filters.fault is not None:
        result = aliased(SeatResult)
        query = query.join(result, (result.match_id == own.match_id) & (result.seat == own.seat))
        if filters.fault is not None:
            query = query.where(result.fault.in_(_kinds_of(filters.fault)))
        if filters.result is not None:
            query = query.where(ended(result, own.game, filters.result))
    return query.offset(0).exists()


def _met(own: Any, opponent_id: int) -> ColumnElement[bool]:
    """Whether a bot has a seat in another team than this one."""
    other, submission = aliased(MatchSeat), aliased(Submission)
    size = team_size(own.game)
    return _there_is(
        other.match_id == own.match_id,
        other.seat // size != own.seat // size,
        submission.id == other.submission_id,
        submission.bot_id == opponent_id,
    )


def team_size(game: Any) -> ColumnElement[int]:
    """Seats of a team in the game of this column."""
    teams = {one.id: one.team_seats for one in all_games().values() if one.team_seats > 1}
    return case(teams, value=game, else_=1) if teams else literal(1)


def ended(own: Any, game: Any, result: Outcome) -> ColumnElement[bool]:
    """Whether a match ended so for a seat's result, as `ladder.played.Record` counts it. `game`: a column."""
    other, size = aliased(SeatResult), team_size(game)
    others = (other.match_id == own.match_id) & (other.seat != own.seat)
    better = _there_is(others, other.rank < own.rank)
    beside = _there_is(others, other.rank == own.rank, other.seat // size != own.seat // size)
    return {"win": ~better & ~beside, "loss": better, "draw": ~better & beside}[result]
