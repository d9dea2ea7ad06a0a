"""The filters of a list of matches, as a request names them: read, checked, and turned into `history.Filters`."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field
from pydantic_core import PydanticCustomError
from sqlalchemy import Select, func, select, true
from sqlalchemy.orm import Session

from hexarena.backend.accounts import owners
from hexarena.backend.api.schemas import SEED, Schema
from hexarena.backend.errors import Invalid, NotFound
from hexarena.backend.matches import history
from hexarena.backend.models import Bot, Match, MatchKind, MatchState, Result, Submission, result_ending
from hexarena.backend.submissions.life import game_named

CURSOR = re.compile(r"^([0-9]{1,18})(?:_([0-9a-f]{8}))?$")
"""Until 0.3 a plain id, the cursor of 0.2, is accepted as well: the page begins below it, whatever the filters."""
DAY = r"^2[0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"
ENDINGS_READ = 2_000
"""The newest results of a game that its list of endings is made of."""
Id = Annotated[int | None, Field(ge=1, le=2**53 - 1)]


def _written_out(value: object) -> object:
    """Pydantic would take a number for days or seconds since 1970."""
    if isinstance(value, str) and not re.fullmatch(DAY, value):
        raise PydanticCustomError("day", "expected a day such as 2026-11-01")
    return value


def _seed(value: str | None) -> str | None:
    if value is not None and not re.fullmatch(SEED, value):
        raise PydanticCustomError("seed", "expected a signed 64-bit integer")
    return value


Day = Annotated[
    date | None,
    BeforeValidator(_written_out),
    Field(description="A day in UTC, e.g. 2026-11-01."),
]


class MatchQuery(BaseModel):
    """What a list of matches may be asked for."""

    game: Annotated[str | None, Field(max_length=200)] = None
    bot: Id = None
    mine: bool = False
    opponent: Annotated[Id, Field(description="Needs `bot` or `mine`: a bot that was in another team.")] = None
    version: Annotated[int | None, Field(ge=1, le=2**31 - 1, description="Needs `bot`: a version of it.")] = None
    seat: Annotated[int | None, Field(ge=0, le=99, description="Needs `bot` or `mine`: the seat, from 0.")] = None
    result: Annotated[
        Literal["win", "loss", "draw", "fault"] | None,
        Field(description="Needs `bot` or `mine`: the result for it. `fault` is the former name of `fault=any`."),
    ] = None
    fault: Annotated[
        history.FaultFilter | None,
        Field(description="A fault that disqualified the side of `bot` or `mine`; without one, anybody."),
    ] = None
    reason: Annotated[
        str | None,
        Field(max_length=200, pattern=r"^[^\x00]*$", description="How it ended, without seats: `made a line of 4`."),
    ] = None
    seed: Annotated[
        str | None,
        AfterValidator(_seed),
        Field(description="A signed 64-bit integer, as text.", json_schema_extra={"pattern": SEED}),
    ] = None
    league: Annotated[int | None, Field(ge=1, le=99, description="The rules level.")] = None
    since: Day = None
    until: Day = None
    kind: MatchKind | None = None
    duel: Annotated[Id, Field(description="The matches of this duel.")] = None
    state: MatchState | None = None
    limit: Annotated[int, Field(ge=1, le=100)] = 30
    after: Annotated[
        str | None,
        Field(
            max_length=80,
            description="The `next` of an earlier page with the same filters.",
            json_schema_extra={"pattern": CURSOR.pattern},
        ),
    ] = None


class Ending(Schema):
    """A way in which matches of a game end, for the filter `reason`. `matches`: how many of the newest 2,000 did."""

    reason: str
    matches: int


class EndingList(Schema):
    """The most frequent first."""

    items: list[Ending]


def read(session: Session, query: MatchQuery, viewer_id: int) -> history.Filters:
    """The filters of a request. Raises: NotFound (game, bot, version), Invalid (a filter without what it needs)."""
    _check_needs(query)
    if query.since is not None and query.until is not None and query.since > query.until:
        raise Invalid(
            "There is no day between these dates.",
            expected="`since` before `until`",
            got=f"{query.since}, {query.until}",
        )
    for bot_id in (query.bot, query.opponent):
        if bot_id is not None and session.get(Bot, bot_id) is None:
            raise NotFound(f"There is no bot {bot_id}.")
    if query.version is not None and session.scalar(_version(query)) is None:
        raise NotFound(f"Bot {query.bot} has no version {query.version}.")
    former = query.result == "fault"
    return history.Filters(
        game=None if query.game is None else game_named(query.game).id,
        kind=query.kind,
        state=query.state,
        duel_id=query.duel,
        league=query.league,
        bot_id=query.bot,
        owner_ids=tuple(sorted(owners.owned_by(session, viewer_id))) if query.mine else None,
        version=query.version,
        opponent_id=query.opponent,
        result=None if query.result == "fault" else query.result,
        seat=query.seat,
        reason=query.reason,
        fault="any" if former and query.fault is None else query.fault,
        seed=None if query.seed is None else int(query.seed),
        since=query.since,
        until=query.until,
    )


def _check_needs(query: MatchQuery) -> None:
    """Raises: Invalid for a filter that is about a side, where no side is named."""
    if query.bot is None and query.version is not None:
        raise Invalid("A version needs its bot.", expected="`bot` beside `version`", got=str(query.version))
    if query.bot is not None or query.mine:
        return
    for name in ("result", "opponent", "seat"):
        value = getattr(query, name)
        if value is not None:
            article = "An" if name[0] == "o" else "A"
            raise Invalid(
                f"{article} {name} needs a side.", expected=f"`bot` or `mine` beside `{name}`", got=str(value)
            )


def _version(query: MatchQuery) -> Select[int]:
    return select(Submission.id).where(Submission.bot_id == query.bot, Submission.version == query.version)


def read_cursor(session: Session, after: str | None, filters: history.Filters) -> int | None:
    """The id below which a page begins. Raises: Invalid."""
    if after is None:
        return None
    found = CURSOR.fullmatch(after)
    if found is None:
        raise _invalid_cursor("This cursor is not one of ours.", after)
    if found[2] not in {None, filters.mark()}:
        raise _invalid_cursor("This cursor belongs to other filters.", after)
    # Its page would be the newest one, which somebody who pages on would take for older matches.
    if int(found[1]) > (session.scalar(select(func.max(Match.id))) or 0):
        raise _invalid_cursor("This cursor is of the future: no match has its id yet.", after)
    return int(found[1])


def _invalid_cursor(detail: str, after: str) -> Invalid:
    return Invalid(detail, expected="the `next` of an earlier page with the same filters", got=after)


def cursor(next_id: int | None, filters: history.Filters) -> str | None:
    """For `read_cursor`."""
    return None if next_id is None else f"{next_id}_{filters.mark()}"


def endings(session: Session, game: str) -> EndingList:
    """How the newest matches of a game ended."""
    newest = (
        select(Match.id)
        .where(Match.game == game, Match.kind.in_(history.LISTED), Match.held.is_(False))
        .order_by(Match.id.desc())
        .limit(ENDINGS_READ)
        .cte("newest")
    )
    # With the offset the planner looks each of them up.
    ended = select(result_ending.label("how")).where(Result.match_id == newest.c.id).offset(0).lateral()
    found = Counter(session.scalars(select(ended.c.how).select_from(newest).join(ended, true())))
    return EndingList(items=[Ending(reason=reason, matches=count) for reason, count in found.most_common(50)])
