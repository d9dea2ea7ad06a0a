"""The ladder: the board today and on any day, what ratings are based on, and restoring an earlier version."""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Path, Query, Request, Response
from sqlalchemy import func, select

from hexarena.backend.accounts import owners
from hexarena.backend.api import schemas, views
from hexarena.backend.api.deps import CurrentUserId, InArena, find_viewer_id, require_user
from hexarena.backend.api.middleware.limits import ClientNetwork
from hexarena.backend.api.views import ratings as rating_views, tables
from hexarena.backend.api.views.boards import Page, board_mark
from hexarena.backend.errors import Invalid, NotFound
from hexarena.backend.ladder import boards, seasons
from hexarena.backend.models import Bot, Ladder, PendingResult
from hexarena.backend.rating.elo import ELO_PER_LOGIT
from hexarena.backend.submissions import life as submissions
from hexarena.backend.submissions.life import game_named

router = APIRouter(tags=["ladder"])
CURSOR = re.compile(r"^[0-9]{1,5}_-?[0-9][0-9.]{0,30}(?:e[+-]?[0-9]{1,3})?_[0-9]{1,19}(?:_([0-9a-f]{8}))?$")
IdPath = Annotated[int, Path(ge=1, le=2**53 - 1)]


COLUMNS = (
    "rank", "bot", "owner", "language", "version", "league", "rating", "low", "high", "games", "wins", "draws",
    "losses", "bot_id", "submission_id",
)  # fmt: skip
"""Of a board as CSV."""
Format = Annotated[
    Literal["json", "csv"] | None, Query(alias="format", description="Else as `Accept` says: text/csv, or JSON.")
]
AS_CSV: dict[int | str, dict[str, Any]] = {200: {"content": {tables.CSV: {}}}}


CACHED: dict[int | str, dict[str, Any]] = {304: {"description": "It is as `If-None-Match` says that you have it"}}
VARY = "Cookie, Authorization, Accept"


@router.get("/games/{game_id}/leaderboard", response_model=schemas.Leaderboard, responses=AS_CSV | CACHED)
def get_leaderboard(
    arena: InArena,
    user_id: CurrentUserId,
    request: Request,
    response: Response,
    game_id: str,
    limit: Annotated[int, Query(ge=1, le=1000)] = 50,
    after: Annotated[str | None, Query(max_length=80, json_schema_extra={"pattern": CURSOR.pattern})] = None,
    league: Annotated[int | None, Query(ge=1, le=99, description="A league's position: its bots alone.")] = None,
    written: Format = None,
    accept: Annotated[str, Header(include_in_schema=False)] = "",
    if_none_match: Annotated[str | None, Header(max_length=1000)] = None,
) -> Response:
    """The ladder from the top, or from after a cursor: the highest league first, by rating in each. `as_of`: when it
    last changed. Send the answer's ETag as `If-None-Match`, and while nothing has changed you get an empty 304.
    """
    game = game_named(game_id)
    cursor = _read_cursor(after, board_mark(game.id, league))
    with arena.database.transaction() as session:
        viewer_id = find_viewer_id(session, arena, user_id)
        owned = owners.owned_by(session, viewer_id)
        if tables.wants_csv(written, accept):
            rows = boards.leaderboard(session, game.id, limit=limit, after=cursor, league=league)
            items = [views.standing_view(row, owned) for row in rows]
            return tables.csv_response(items, COLUMNS, f"{game.id}-leaderboard.csv")
        board = arena.boards.get(session, Page(game.id, limit, cursor, league))
    body, tag = board.answer(owned)
    headers = {"ETag": tag, "Vary": VARY, "Cache-Control": _who_may_keep(request, viewer_id)}
    if _has(if_none_match, tag):
        answer = Response(status_code=304, headers=headers)
    else:
        answer = Response(body, headers=headers, media_type="application/json")
    for cookie in response.headers.getlist("set-cookie"):
        answer.headers.append("set-cookie", cookie)
    return answer


def _who_may_keep(request: Request, viewer_id: int | None) -> str:
    """A board is different for everybody who has bots on it. Whoever keeps it asks each time whether it still holds."""
    known = viewer_id is not None or "cookie" in request.headers or "authorization" in request.headers
    return "private, no-cache" if known else "public, no-cache"


def _has(if_none_match: str | None, tag: str) -> bool:
    """Whether the client has this answer already. Source: RFC 9110, 13.1.2, with its weak comparison."""
    given = [one.strip().removeprefix("W/") for one in (if_none_match or "").split(",")]
    return "*" in given or tag.removeprefix("W/") in given


def _read_cursor(after: str | None, mark: str) -> tuple[int, float, int] | None:
    """Below which line a page begins. Raises: Invalid."""
    if after is None:
        return None
    detail = "This cursor is not one of ours."
    try:
        if (found := CURSOR.fullmatch(after)) is None:
            raise ValueError
        if found[1] not in {None, mark}:
            detail = "This cursor belongs to another board."
            raise ValueError
        league, rating, submission_id = after.split("_")[:3]
        cursor = int(league), float(rating), int(submission_id)
        if not math.isfinite(cursor[1]) or not 0 <= cursor[0] < 2**15 or not 0 <= cursor[2] < 2**63:
            raise ValueError
    except ValueError:
        expected = "the `next` of an earlier page of the same game and league"
        raise Invalid(detail, expected=expected, got=repr(after)) from None
    return cursor


@router.get("/games/{game_id}/leaderboard/at", response_model=schemas.PastLeaderboard, responses=AS_CSV)
def get_past_leaderboard(
    arena: InArena,
    game_id: str,
    at: Annotated[schemas.Time, Query()],
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
    written: Format = None,
    accept: Annotated[str, Header(include_in_schema=False)] = "",
) -> schemas.PastLeaderboard | Response:
    """The board as it was on any day."""
    game = game_named(game_id)
    with arena.database.transaction() as session:
        rows = boards.board_of(session, game.id, at, limit=limit)
        items = [views.past_standing_view(row) for row in rows]
    if tables.wants_csv(written, accept):
        return tables.csv_response(items, COLUMNS, f"{game.id}-leaderboard-{at:%Y-%m-%d}.csv")
    return schemas.PastLeaderboard(at=at, items=items)


@router.get("/games/{game_id}/seasons")
def list_seasons(arena: InArena, game_id: str) -> schemas.SeasonList:
    """The seasons of a game's ladder."""
    game = game_named(game_id)
    with arena.database.transaction() as session:
        return schemas.SeasonList(items=[views.season_view(row) for row in seasons.seasons_of(session, game.id)])


@router.get("/games/{game_id}/seasons/{number}", response_model=schemas.SeasonTable, responses=AS_CSV)
def get_season(
    arena: InArena,
    game_id: str,
    number: Annotated[int, Path(ge=1, le=2**53 - 1)],
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
    written: Format = None,
    accept: Annotated[str, Header(include_in_schema=False)] = "",
) -> schemas.SeasonTable | Response:
    """The final table of a season that is over."""
    game = game_named(game_id)
    with arena.database.transaction() as session:
        season = seasons.find(session, game.id, number)
        items = [views.past_standing_view(row) for row in seasons.final_table(session, season, limit=limit)]
        about = views.season_view(season).model_dump()
    if tables.wants_csv(written, accept):
        return tables.csv_response(items, COLUMNS, f"{game.id}-season-{number}.csv")
    return schemas.SeasonTable(**about, items=items)


@router.get("/games/{game_id}/ladder")
def get_ladder(arena: InArena, game_id: str) -> schemas.LadderInfo:
    """What a game's ratings are based on: results, the model's parameters, leagues and their bosses."""
    game = game_named(game_id)
    with arena.database.transaction() as session:
        row = session.get(Ladder, game.id)
        if row is None:
            raise NotFound(f"There is no ladder of {game.title} yet.")
        pending = select(func.count()).select_from(PendingResult).where(PendingResult.game == game.id)
        return schemas.LadderInfo(
            game=game.id,
            frozen_at=row.frozen_at,
            frozen_reason=row.frozen_reason,
            results=row.results,
            pending=session.scalar(pending) or 0,
            refitted_at=row.refitted_at,
            refit_s=row.refit_s,
            seat_elo=row.seat_elo,
            draws=row.draw_nu / (2 + row.draw_nu),
            dispersion=row.dispersion,
            matchup_elo=math.sqrt(row.matchup_variance) * ELO_PER_LOGIT,
            spread_elo=math.sqrt(row.prior_variance) * ELO_PER_LOGIT,
            leagues=views.leagues_view(session, game.id),
        )


@router.get("/games/{game_id}/ladder/matchups")
def get_matchups(arena: InArena, game_id: str) -> schemas.Matchups:
    """The first ten bots of the board against each other: scored and expected points, and where they go in a circle."""
    from hexarena.backend.ladder import explaining, matchups  # noqa: PLC0415 - scipy takes long to load

    game = game_named(game_id)
    with arena.database.transaction() as session:
        found = matchups.matchups(session, game)
        named = explaining.submissions_named(session, [one.standing.submission_id for one in found.bots])
        return rating_views.matchups_view(found, named)


@router.get("/bots/{bot_id}/history")
def get_history(arena: InArena, bot_id: IdPath) -> schemas.History:
    """The history of a bot's rating over all its versions."""
    with arena.database.transaction() as session:
        bot = session.get(Bot, bot_id)
        if bot is None:
            raise NotFound(f"There is no bot {bot_id}.")
        names, _ = boards.leagues(session, bot.game)
        points = []
        for version, row in boards.history_of(session, bot_id):
            low, high = boards.interval(row.rating, row.deviation)
            points.append(
                schemas.HistoryPoint(
                    at=row.at,
                    version=version,
                    league=names.get(row.league),
                    rating=row.rating,
                    low=low,
                    high=high,
                    games=row.games,
                    live=row.live,
                )
            )
        return schemas.History(items=points)


@router.get("/submissions/{submission_id}/rating")
def explain_rating(arena: InArena, submission_id: IdPath) -> schemas.RatingExplained:
    """Why a version's rating is what it is: opponents, the matches that moved it most, and how certain its place is."""
    from hexarena.backend.ladder import explaining  # noqa: PLC0415 - scipy takes long to load, and few ask

    with arena.database.transaction() as session:
        found = explaining.explain(session, submission_id)
        named = explaining.submissions_named(session, found.submission_ids())
        return rating_views.rating_explained(found, named)


@router.post("/submissions/{submission_id}/restore")
def restore_submission(
    arena: InArena, user_id: CurrentUserId, response: Response, network: ClientNetwork, submission_id: IdPath
) -> schemas.Submission:
    """Restores an earlier version of your bot: it is on the ladder again, with the games that it has played."""
    with arena.database.transaction() as session:
        user = require_user(session, arena, user_id, response, network)
        restored = submissions.restore(session, user, submission_id, quotas=arena.quotas)
        return views.submission_by_id(session, restored.id, user.id)
