"""The field of a free-for-all: the bots of the ladder that others are played with outside it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from hexarena.backend.ladder.standings import on_board
from hexarena.backend.models import Standing, Submission, User, UserKind
from hexarena.games.contract import Game


def nearest(session: Session, game: Game, to: Collection[int], most: int) -> Sequence[int]:
    """The submissions on the board whose ratings are nearest to the mean of these, the nearest first.

    Each is the only one of its code. Bots of guests and those of `to` are left out. Where nothing is known of `to`,
    these are the nearest to the middle of the board.
    """
    rating = select(func.avg(Standing.rating)).where(Standing.game == game.id)
    middle = func.coalesce(rating.where(Standing.submission_id.in_(to)).scalar_subquery(), rating.scalar_subquery())
    known = select(Submission.bot_id).where(Submission.id.in_(to), Submission.bot_id.is_not(None))
    same = select(Standing.competitor_id).where(Standing.submission_id.in_(to))
    distance = func.min(func.abs(Standing.rating - middle))
    query = (
        select(func.min(Standing.submission_id))
        .join(Submission, Submission.id == Standing.submission_id)
        .join(User, User.id == Submission.user_id)
        .where(on_board(game.id), User.kind != UserKind.GUEST, Submission.source_sha256.is_not(None))
        .where(Submission.bot_id.not_in(known), Standing.competitor_id.not_in(same))
        .group_by(Standing.competitor_id)
        .order_by(distance, Standing.competitor_id)
        .limit(most)
    )
    return session.scalars(query).all()
