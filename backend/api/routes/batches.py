"""Batches: your code against several bots at once, unrated, as a table that fills."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import ConfigDict, Field

from hexarena.backend.api.deps import CurrentUserId, InArena, find_user, find_viewer_id, require_user
from hexarena.backend.api.middleware.limits import ClientNetwork
from hexarena.backend.api.parameters import IdPath
from hexarena.backend.api.routes.matches import rules_level
from hexarena.backend.api.schemas import Id, LanguageId, Level, Schema, Short, SourceText
from hexarena.backend.api.views import finite
from hexarena.backend.models import MatchState
from hexarena.backend.practice import batches
from hexarena.backend.practice.played import PracticeMatch
from hexarena.backend.submissions.life import encode_source, game_named

router = APIRouter(prefix="/batches", tags=["batches"])


class NewBatch(Schema):
    """Your code against each of these bots, each seed once in each seat. Not rated."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"game": "yavalath", "language": "python", "source": "print('4 4')", "opponents": [1, 2], "seeds": 5}
            ]
        },
    )

    game: Short
    language: LanguageId
    source: SourceText
    opponents: list[Id] = Field(min_length=1, max_length=batches.MOST_OPPONENTS, description="Ids of bots.")
    seeds: int = Field(default=5, strict=True, ge=1, le=batches.MOST_SEEDS)
    league: Level | None = Field(default=None, description="A rules level of the game; the full game if left out.")


class BatchMatch(Schema):
    """A match of a batch. `points`: yours, 1, 0.5 or 0, once it is done. `seat`: your first one.

    `repeat`: its record equals an earlier one of these two. `cpu_ms`: of all its bots together.
    """

    match_id: int
    state: MatchState
    void_reason: str | None
    seed: str
    seat: int
    points: float | None
    fault: str | None
    turns: int | None
    cpu_ms: float | None
    repeat: bool


class BatchScore(Schema):
    """What matches come to, as you see them. `waiting`: not over yet. `different`: without repeats.

    `elo`, with its 95 % interval: the difference in strength, from the different games; null where infinite.
    """

    wins: int
    draws: int
    losses: int
    faults: int
    void: int
    waiting: int
    different: int
    elo: float | None
    elo_low: float | None
    elo_high: float | None
    mean_turns: float | None
    mean_cpu_ms: float | None


class BatchRow(Schema):
    """Your matches against one bot."""

    bot_id: int
    bot: str
    score: BatchScore
    matches: list[BatchMatch]


class Batch(Schema):
    """`over`: all its matches were played, or are void. `problem`, `build_log`: why your code could not be built."""

    id: int
    game: str
    language: str
    seeds: int
    created_at: datetime
    over: bool
    rows: list[BatchRow]
    score: BatchScore
    problem: str | None
    build_log: str | None


class BatchList(Schema):
    """Your batches, newest first. `most_matches`: how many one batch of yours may have."""

    items: list[Batch]
    most_matches: int


@router.post("", status_code=201)
def create_batch(
    arena: InArena, user_id: CurrentUserId, response: Response, network: ClientNetwork, new: NewBatch
) -> Batch:
    """Plays your code against each of these bots. One batch at a time; your other matches go first."""
    game = game_named(new.game)
    league = rules_level(game, new.league)
    source = encode_source(new.source)
    with arena.database.transaction() as session:
        user = require_user(session, arena, user_id, response, network)
        begun = batches.start(
            session,
            user,
            game=game,
            language=new.language,
            source=source,
            opponents=new.opponents,
            seeds=new.seeds,
            league=league,
            quotas=arena.quotas,
        )
        return _view(begun)


@router.get("")
def list_batches(
    arena: InArena,
    user_id: CurrentUserId,
    game: Annotated[str, Query(max_length=200)],
    limit: Annotated[int, Query(ge=1, le=20)] = 5,
) -> BatchList:
    """Your batches in a game, newest first."""
    played = game_named(game)
    with arena.database.transaction() as session:
        viewer = find_user(session, arena, user_id)
        items = [] if viewer is None else batches.latest(session, viewer.id, played, limit)
        return BatchList(items=[_view(one) for one in items], most_matches=batches.most_matches(viewer))


@router.get("/{batch_id}")
def get_batch(arena: InArena, user_id: CurrentUserId, batch_id: IdPath) -> Batch:
    """A batch of yours. Its matches are in your match history, too."""
    with arena.database.transaction() as session:
        viewer_id = find_viewer_id(session, arena, user_id)
        return _view(batches.by_id(session, viewer_id, batch_id))


@router.post("/{batch_id}/stop")
def stop_batch(
    arena: InArena, user_id: CurrentUserId, response: Response, network: ClientNetwork, batch_id: IdPath
) -> Batch:
    """Ends a batch of yours. What was played stays. Idempotent."""
    with arena.database.transaction() as session:
        user = require_user(session, arena, user_id, response, network)
        return _view(batches.stop(session, user, batch_id))


def _view(one: batches.BatchProgress) -> Batch:
    return Batch(
        id=one.id,
        game=one.game,
        language=one.language,
        seeds=one.seeds,
        created_at=one.created_at,
        over=one.over,
        rows=[
            BatchRow(bot_id=row.bot_id, bot=row.bot, score=_score(row.score), matches=_matches(row.matches))
            for row in one.rows
        ],
        score=_score(one.score),
        problem=one.problem,
        build_log=one.build_log,
    )


def _score(score: batches.Score) -> BatchScore:
    return BatchScore(
        wins=score.wins,
        draws=score.draws,
        losses=score.losses,
        faults=score.faults,
        void=score.void,
        waiting=score.waiting,
        different=score.different,
        elo=finite(score.elo),
        elo_low=finite(score.elo_low),
        elo_high=finite(score.elo_high),
        mean_turns=score.mean_turns,
        mean_cpu_ms=score.mean_cpu_ms,
    )


def _matches(listed: tuple[PracticeMatch, ...]) -> list[BatchMatch]:
    seen: set[tuple[str, int]] = set()
    views = []
    for one in listed:
        record = (one.digest, one.seat)
        views.append(
            BatchMatch(
                match_id=one.match_id,
                state=one.state,
                void_reason=one.void_reason,
                seed=str(one.seed),
                seat=one.seat,
                points=one.points,
                fault=one.fault,
                turns=one.turns,
                cpu_ms=one.cpu_ms,
                repeat=one.points is not None and record in seen,
            )
        )
        if one.points is not None:
            seen.add(record)
    return views
