"""Duels, from rows to what goes over HTTP."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache

from sqlalchemy import SmallInteger, func, select, type_coerce
from sqlalchemy.orm import Session, joinedload

from hexarena.backend.accounts import owners
from hexarena.backend.api import schemas
from hexarena.backend.api.views.matches import shown_seed
from hexarena.backend.errors import NotFound
from hexarena.backend.models import Bot, Duel, DuelState, Match, MatchSeat, MatchState, SeatResult, Submission
from hexarena.backend.rating import sprt

FULL_DUEL = (
    joinedload(Duel.candidate).joinedload(Submission.bot).joinedload(Bot.owner),
    joinedload(Duel.baseline).joinedload(Submission.bot).joinedload(Bot.owner),
)
DUEL_MATCHES_SHOWN = 20


def duel_by_id(session: Session, duel_id: int, viewer_id: int | None) -> schemas.DuelStatus:
    """Raises: NotFound."""
    query = select(Duel).where(Duel.id == duel_id).options(*FULL_DUEL)
    found = session.scalar(query.execution_options(populate_existing=True))
    if found is None:
        raise NotFound(f"There is no duel {duel_id}.")
    return duel_view(session, found, viewer_id)


def duel_view(session: Session, row: Duel, viewer_id: int | None) -> schemas.DuelStatus:
    """The current state of a duel. Needs `FULL_DUEL`."""
    question = sprt.QUESTIONS[row.preset]
    reached = _standing_of(tuple(row.counts), question, row.repeats)
    # It may have been decided by an earlier version of the test.
    reached = replace(reached, verdict=row.verdict or reached.verdict)
    owned = owners.owned_by(session, viewer_id)
    candidate, baseline = _side_view(row.candidate, owned), _side_view(row.baseline, owned)
    names = [f"{side.bot} v{side.version}" for side in (candidate, baseline)]
    running = row.state == DuelState.RUNNING
    return schemas.DuelStatus(
        id=row.id,
        game=row.game,
        league=row.league,
        candidate=candidate,
        baseline=baseline,
        one=candidate,
        other=baseline,
        preset=row.preset,
        margin_elo=question.margin_elo,
        paired=row.paired,
        seed=shown_seed(row.game, row.seed, over=not running),
        state=row.state,
        games=row.games,
        most_games=row.most_games,
        won=row.wins,
        drawn=row.draws,
        lost=row.losses,
        counts=row.counts,
        score=reached.score,
        llr=reached.llr,
        llr_decides=question.decided,
        elo=finite(reached.elo),
        elo_low=finite(reached.elo_low),
        elo_high=finite(reached.elo_high),
        verdict=reached.verdict,
        sentence=row.void_reason
        or (
            sprt.repeats_in_words(row.games, len(row.digests))
            if row.repeats
            else sprt.in_words(reached, names[0], names[1], question)
        ),
        repeats=row.repeats,
        progress=sprt.progress(reached, question, row.games, row.most_games) if running else 1.0,
        mine=row.requested_by_id == viewer_id,
        void_reason=row.void_reason,
        created_at=row.created_at,
        finished_at=row.finished_at,
        paused_until=row.paused_until,
        matches=_duel_matches(session, row),
        field=_field(session, row.field),
        events_url=f"/api/v1/feed?game={row.game}",
    )


@lru_cache(maxsize=256)
def _standing_of(counts: tuple[int, ...], question: sprt.Question, repeats: bool) -> sprt.Estimate:
    """Cached: everybody who watches a duel sees the same."""
    return sprt.estimate(counts, question, repeats=repeats)


def finite(number: float) -> float | None:
    """The number; null, as JSON has nothing else, for an infinite one."""
    return number if math.isfinite(number) else None


def _side_view(version: Submission, owned: Collection[int]) -> schemas.DuelSide:
    bot = version.bot
    assert bot is not None  # noqa: S101 - drafts are in no duel
    return schemas.DuelSide(
        submission_id=version.id,
        bot_id=bot.id,
        bot=bot.name,
        version=version.version or 0,
        owner=bot.owner_name,
        language=version.language,
        mine=version.user_id in owned,
    )


def _field(session: Session, submission_ids: Sequence[int]) -> list[schemas.FieldBot]:
    """In this order."""
    query = select(Submission).where(Submission.id.in_(submission_ids)).options(joinedload(Submission.bot))
    found = {row.id: row for row in session.scalars(query)}
    return [
        schemas.FieldBot(submission_id=row.id, bot_id=row.bot_id or 0, bot=row.title, version=row.version or 0)
        for row in (found[one] for one in submission_ids)
    ]


def _duel_matches(session: Session, row: Duel) -> list[schemas.DuelMatch]:
    newest = (
        select(Match.id)
        .where(Match.duel_id == row.id, Match.state == MatchState.DONE)
        .order_by(Match.duel_game.desc())
        .limit(DUEL_MATCHES_SHOWN)
    )
    number = type_coerce(Match.duel_game, SmallInteger)  # never null in a duel's match
    query = (
        select(
            Match.id,
            number,
            func.min(SeatResult.rank).filter(MatchSeat.submission_id == row.candidate_id),
            func.min(SeatResult.rank).filter(MatchSeat.submission_id == row.baseline_id),
        )
        .join(MatchSeat, MatchSeat.match_id == Match.id)
        .join(SeatResult, (SeatResult.match_id == MatchSeat.match_id) & (SeatResult.seat == MatchSeat.seat))
        .where(Match.id.in_(newest))
        .group_by(Match.id)
        .order_by(number.desc())
    )
    return [
        schemas.DuelMatch(
            match_id=match_id, number=game + 1, points=sprt.points(rank, other_rank), counted=game < row.games
        )
        for match_id, game, rank, other_rank in session.execute(query)
    ]
