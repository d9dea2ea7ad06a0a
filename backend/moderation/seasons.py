"""A new season of a ladder: the table of the current one is kept, and everybody begins again."""

from __future__ import annotations

from sqlalchemy import delete, func, insert, literal, or_, select, update
from sqlalchemy.orm import Session

from hexarena.backend import audit
from hexarena.backend.errors import Conflict, Invalid
from hexarena.backend.ladder import boards, standings
from hexarena.backend.ladder.rules import SEASON_ELO
from hexarena.backend.matches import life as matches, live
from hexarena.backend.models import (
    Bot,
    Ladder,
    League,
    Match,
    PairTally,
    PendingResult,
    Season,
    SeasonStanding,
    Standing,
    Submission,
    SubmissionState,
    TrialState,
    User,
    UserKind,
)
from hexarena.backend.moderation.freezing import locked_ladder
from hexarena.backend.rating.elo import square_logits
from hexarena.backend.runtime.db import notify
from hexarena.games.contract import Game

MOST_NAME = 60
KEPT = ("rating", "deviation", "games", "wins", "draws", "losses", "league")
"""What a final table says of a standing."""


def start_season(session: Session, user: User | None, game: Game, name: str | None = None) -> Season:
    """Ends the current season of a ladder and begins the next. `name`: of the new one; None: "Season 2".

    All results by now are counted first, which takes as long as a refit. Rated matches that wait are void; those that
    run belong to the season that ends, and are not counted any more. Bosses keep their leagues, all others begin in the
    lowest, with what the final table says of them as their prior. Raises: NotFound; Invalid (the name); Conflict, if
    nothing was rated yet.
    """
    if name is not None and not 1 <= len(name.strip()) <= MOST_NAME:
        raise Invalid("This is no name of a season.", expected=f"1 to {MOST_NAME} characters", got=f"{len(name)}")
    ladder = locked_ladder(session, game.id)
    matches.void_queued_rated(session, game.id, "A new season of the ladder began.")
    _count_pending(session, game, ladder)
    if not ladder.results:
        raise Conflict("No match of this season was rated yet.", expected="a season with results")
    now = session.scalars(select(func.clock_timestamp())).one()
    current = session.scalar(select(Season).where(Season.game == game.id, Season.ended_at.is_(None)))
    if current is None:
        began = select(func.coalesce(boards.recorded_since(session, game.id), now))
        started_at = session.scalars(began).one()
        current = Season(game=game.id, number=1, name="Season 1", after_match_id=0, started_at=started_at)
        session.add(current)
    current.ended_at = now
    session.flush()
    _keep_table(session, current)
    last = session.scalar(select(func.max(Match.id))) or 0
    number = current.number + 1
    fresh = Season(game=game.id, number=number, name=name or f"Season {number}", after_match_id=last, started_at=now)
    session.add(fresh)
    session.flush()
    _begin_again(session, game.id)
    ladder.stale = True
    audit.record(session, user, "start season", game=game.id, season=fresh.name)
    live.publish(session, game.id, "ladder", 0)
    notify(session, "hexarena_jobs")
    return fresh


def _count_pending(session: Session, game: Game, ladder: Ladder) -> None:
    """Refits until all results are counted that are there now, once at least: so it is known who is on the board.

    On a busy ladder others are always there by the end of a refit. They are of matches that run on, as it were.
    """
    from hexarena.backend.ladder import refits  # noqa: PLC0415 - scipy takes long to load, and seasons are few

    of_game = PendingResult.game == game.id
    newest = session.scalar(select(func.max(PendingResult.match_id)).where(of_game)) or 0
    pending = select(PendingResult.match_id).where(of_game, PendingResult.match_id <= newest).limit(1)
    while True:
        refits.refit(session, game)
        session.refresh(ladder)
        if not ladder.stale and session.scalar(pending) is None:
            return


def _keep_table(session: Session, season: Season) -> None:
    """Stores all standings, with the places of those that are on the board."""
    order = (Standing.league.desc(), Standing.rating.desc(), Standing.submission_id.desc())
    board = (
        select(Standing.submission_id, func.row_number().over(order_by=order).label("rank"))
        .join(Submission, Submission.id == Standing.submission_id)
        .join(User, User.id == Submission.user_id)
        .where(standings.on_board(season.game))
        .subquery()
    )
    table = (
        select(literal(season.id), Standing.submission_id, board.c.rank, *[getattr(Standing, name) for name in KEPT])
        .outerjoin(board, board.c.submission_id == Standing.submission_id)
        .where(Standing.game == season.game)
    )
    session.execute(insert(SeasonStanding).from_select(["season_id", "submission_id", "rank", *KEPT], table))


def _begin_again(session: Session, game: str) -> None:
    """Everybody but the bosses is in the lowest league, without games. Ratings stay until the next refit."""
    of_bosses = (
        select(Submission.id)
        .join(Bot, Bot.id == Submission.bot_id)
        .join(League, League.boss_bot_id == Bot.id)
        .where(League.game == game, Submission.state == SubmissionState.LIVE)
    )
    mine = update(Standing).where(Standing.game == game).execution_options(synchronize_session=False)
    session.execute(
        mine.values(
            games=0, wins=0, draws=0, losses=0, entered_with=0, league_from=0, spent=False,
            beats_boss=None, above_next=None, games_left=None,
        )
    )  # fmt: skip
    # Those of the last season name versions that no fit of this one has.
    session.execute(delete(PairTally).where(PairTally.game == game).execution_options(synchronize_session=False))
    climbers = mine.where(Standing.submission_id.not_in(of_bosses))
    standings.forget_places(session, game)
    session.execute(climbers.values(league=1, placing=True, trial=TrialState.OPEN))
    _settle(session, game)
    session.expire_all()


def _settle(session: Session, game: str) -> None:
    """Whoever is not on the board now has no results in the new season, as long as it does not come back.

    So what is known of it is what its prior says, and refits leave it out: they cost what the season's bots cost, and
    not what all versions there ever were would. The house's bots stay: ratings are measured from one of them.
    """
    of_game = select(Standing.competitor_id).where(Standing.game == game)
    of_submission = of_game.join(Submission, Submission.id == Standing.submission_id)
    stays = or_(standings.on_board(game), User.kind == UserKind.HOUSE)
    stay = of_submission.join(User, User.id == Submission.user_id).where(stays)
    gone = (Standing.game == game) & Standing.competitor_id.not_in(stay)
    wider = {
        "deviation": func.sqrt(Standing.deviation * Standing.deviation + SEASON_ELO**2),
        "variance": Standing.variance + square_logits(SEASON_ELO),
    }
    settled = update(Standing).where(gone).values(settled=True, **wider)
    session.execute(settled.execution_options(synchronize_session=False))
