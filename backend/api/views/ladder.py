"""Ladders, from rows to what goes over HTTP."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from hexarena.backend.accounts import owners
from hexarena.backend.api import schemas
from hexarena.backend.ladder import boards, standings
from hexarena.backend.models import Bot, League, Season, Standing, Submission, TrialState, User, UserKind
from hexarena.games.catalogue import find_game


def leagues_view(session: Session, game: str) -> list[schemas.LeagueInfo]:
    """The leagues of a ladder, lowest first, and how many bots are in each."""
    members = (
        select(Standing.league, func.count().label("bots"))
        .join(Submission, Submission.id == Standing.submission_id)
        .join(User, User.id == Submission.user_id)
        .where(standings.on_board(game))
        .group_by(Standing.league)
        .subquery()
    )
    rows = session.execute(
        select(League, Bot.name, func.coalesce(members.c.bots, 0))
        .outerjoin(Bot, Bot.id == League.boss_bot_id)
        .outerjoin(members, members.c.league == League.position)
        .where(League.game == game)
        .order_by(League.position)
    )
    return [
        schemas.LeagueInfo(
            position=league.position,
            name=league.name,
            rules_level=find_game(game).top_level,
            boss=None if league.boss_bot_id is None else schemas.BotLink(bot_id=league.boss_bot_id, name=name),
            bots=bots,
        )
        for league, name, bots in rows
    ]


def standing_view(row: boards.Row, owned: Collection[int] = ()) -> schemas.LeaderboardRow:
    """A line of the board. `owned`: by whoever looks at it."""
    submission, standing = row.submission, row.standing
    bot = submission.bot
    assert bot is not None  # noqa: S101 - only submissions with a bot have a standing
    low, high = boards.interval(standing.rating, standing.deviation)
    house = bot.owner.kind == UserKind.HOUSE
    return schemas.LeaderboardRow(
        rank=row.rank,
        bot_id=bot.id,
        bot=bot.name,
        owner_id=bot.owner_id,
        owner=bot.owner.name,
        language=submission.language,
        version=submission.version or 0,
        submission_id=submission.id,
        competitor_id=standing.competitor_id,
        rating=standing.rating,
        low=low,
        high=high,
        games=standing.games,
        wins=standing.wins,
        draws=standing.draws,
        losses=standing.losses,
        placing=standing.placing,
        provisional=row.provisional,
        all_repeat=standing.spent,
        house=house,
        guest=row.guest,
        shared_with=row.shared_with,
        league=row.league,
        league_position=standing.league,
        on_trial=standing.trial == TrialState.OPEN and standing.beats_boss is not None,
        beats_boss=standing.beats_boss,
        above_next=standing.above_next,
        games_left=standing.games_left,
        boss_of=row.boss_of,
        mine=bot.owner_id in owned,
        last_match_id=row.last_match_id,
        trend=list(row.trend),
        places=list(row.places),
        last_change=row.trend[-1] - row.trend[-2] if len(row.trend) > 1 else None,
    )


def season_view(row: Season) -> schemas.SeasonInfo:
    """A season, without its table."""
    return schemas.SeasonInfo(number=row.number, name=row.name, started_at=row.started_at, ended_at=row.ended_at)


def past_standing_view(row: boards.PastRow) -> schemas.PastStanding:
    """A line of an earlier board."""
    low, high = boards.interval(row.rating, row.deviation)
    return schemas.PastStanding(
        rank=row.rank,
        bot_id=row.bot_id,
        bot=row.bot,
        owner_id=row.owner_id,
        owner=row.owner,
        language=row.language,
        version=row.version,
        submission_id=row.submission_id,
        league=row.league,
        rating=row.rating,
        low=low,
        high=high,
        games=row.games,
        wins=row.wins,
        draws=row.draws,
        losses=row.losses,
        since=row.since,
    )


def standings_of(
    session: Session, game: str, submission_ids: Sequence[int], viewer_id: int | None
) -> list[schemas.LeaderboardRow]:
    """The board's lines of these submissions, as far as they are live."""
    if not submission_ids:
        return []
    rows = boards.leaderboard(session, game, limit=len(submission_ids), only=submission_ids)
    owned = owners.owned_by(session, viewer_id)
    return [standing_view(row, owned) for row in rows]
