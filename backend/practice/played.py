"""The practice matches of drafts, as their authors see them. Lessons and batches are made of them.

What a draft has won follows from its matches, so there is nothing to keep in step.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ScalarSelect, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from hexarena.backend.models import Batch, Match, MatchSeat, MatchState, Result, SeatResult, Submission
from hexarena.backend.rating.sprt import points


@dataclass(frozen=True, slots=True)
class PracticeMatch:
    """A match of a draft against one bot, perhaps among others. `points`: 1, ½ or 0 once it is done.

    `seat`: the draft's first one. `fault`: the kind of the one that disqualified the draft, and `why` all of it, as the
    result has it. `cpu_ms`: what all bots used together. `digest`: of the record; empty until it is done.
    """

    match_id: int
    state: MatchState
    void_reason: str | None
    seed: int
    seat: int
    opponent_bot_id: int | None
    points: float | None
    fault: str | None
    why: Mapping[str, Any] | None
    turns: int | None
    cpu_ms: float | None
    digest: str

    @property
    def over(self) -> bool:
        """Whether it was played, or is void."""
        return self.state.is_over


def played_by(session: Session, draft_ids: Collection[int]) -> Mapping[int, Sequence[PracticeMatch]]:
    """Draft -> its matches, oldest first."""
    query = (
        select(
            MatchSeat.submission_id,
            Match,
            Result,
            func.array_agg(MatchSeat.seat),
            _of_others(Submission.bot_id),
            func.min(SeatResult.rank),
            _of_others(SeatResult.rank),
            func.min(SeatResult.fault),
        )
        .join(Match, Match.id == MatchSeat.match_id)
        .outerjoin(SeatResult, (SeatResult.match_id == MatchSeat.match_id) & (SeatResult.seat == MatchSeat.seat))
        .outerjoin(Result, Result.match_id == MatchSeat.match_id)
        .where(MatchSeat.submission_id.in_(draft_ids))
        .group_by(MatchSeat.submission_id, MatchSeat.match_id, Match.id, Result.match_id)
        .order_by(MatchSeat.submission_id, Match.id)
    )
    found: dict[int, list[PracticeMatch]] = {}
    for draft_id, match, result, seats, bot_id, rank, other_rank, fault in session.execute(query):
        one = PracticeMatch(
            match_id=match.id,
            state=match.state,
            void_reason=match.void_reason,
            seed=match.seed,
            seat=min(seats),
            opponent_bot_id=bot_id,
            points=None if rank is None or other_rank is None else points(rank, other_rank),
            fault=fault,
            why=None if result is None else _why(result, seats, fault),
            turns=None if result is None else result.turns,
            cpu_ms=None if result is None else result.cpu_ms,
            digest="" if result is None else result.digest or "",
        )
        found.setdefault(draft_id, []).append(one)
    return found


def _why(result: Result, seats: Collection[int], kind: str | None) -> Mapping[str, Any] | None:
    """The first fault of this kind in these seats."""
    return next((one for one in result.faults if one["kind"] == kind and one["seat"] in seats), None)


def _of_others(column: InstrumentedAttribute[int] | InstrumentedAttribute[int | None]) -> ScalarSelect[int | None]:
    """The least value among the seats that are not the draft's, nor of others than the opponents of its batch.

    `column`: of Submission or SeatResult.
    """
    seat = aliased(MatchSeat)
    of_batch = select(Batch.submission_id).where(Batch.submission_id == MatchSeat.submission_id)
    beside = of_batch.where(Batch.opponents != [], ~Batch.opponents.contains(func.to_jsonb(Submission.bot_id)))
    return (
        select(func.min(column))
        .select_from(seat)
        .join(Submission, Submission.id == seat.submission_id)
        .outerjoin(SeatResult, (SeatResult.match_id == seat.match_id) & (SeatResult.seat == seat.seat))
        .where(seat.match_id == MatchSeat.match_id, seat.submission_id != MatchSeat.submission_id)
        .where(~beside.correlate(MatchSeat, Submission).exists())
        .correlate(MatchSeat)
        .scalar_subquery()
    )
