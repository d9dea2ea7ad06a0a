"""The match that the home page shows."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from hexarena.backend.models import RATED, Match, MatchSeat, MatchState, Standing
from hexarena.backend.runtime.db import Database
from hexarena.games.catalogue import all_games
from hexarena.games.contract import Game

TOP_OF = 12
"""It is chosen from this many of the newest."""


@dataclass(frozen=True, slots=True)
class FrontMatch:
    """The match on the home page."""

    game: str
    match: int
    state: MatchState


def front_match(database: Database) -> FrontMatch | None:
    """The match on the home page: of the first game that has one worth watching."""
    with database.transaction() as session:
        for game in all_games().values():
            match = top_match(session, game)
            if match is not None:
                return FrontMatch(game.id, match, session.get_one(Match, match).state)
    return None


def top_match(session: Session, game: Game) -> int | None:
    """Of the newest ladder matches, the one between the strongest bots; a running one if there is any."""
    played = (MatchState.RUNNING, MatchState.DONE)
    rated = (Match.game == game.id, Match.kind.in_(RATED), Match.state.in_(played))
    newest = select(Match.id).where(*rated).order_by(Match.id.desc()).limit(TOP_OF).scalar_subquery()
    strongest = (
        select(MatchSeat.match_id)
        .join(Standing, Standing.submission_id == MatchSeat.submission_id)
        .where(MatchSeat.match_id.in_(newest))
        .group_by(MatchSeat.match_id)
        .order_by(func.sum(Standing.rating).desc(), MatchSeat.match_id.desc())
        .limit(1)
    )
    return session.scalar(strongest)
