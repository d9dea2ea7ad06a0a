"""Batches: the code in the editor against several bots, with the same seeds in both seats.

In a free-for-all others play, too: bots of the ladder, as in a duel. The better place of the two is a win.

A batch is a draft with many practice matches, which wait behind matches that somebody watches (`matches.queue`). Its
table follows from their results. Of a batch whose code cannot be built the rest becomes void.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from random import Random

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session

from hexarena.backend.accounts.locks import lock
from hexarena.backend.duels.fixtures import Fixture, entrants_of, seating
from hexarena.backend.errors import Conflict, Invalid, NotFound, Quota, TooMany
from hexarena.backend.ladder.field import nearest
from hexarena.backend.matches import life as matches
from hexarena.backend.matches.quotas import NO_QUOTAS, Quotas, lock_network
from hexarena.backend.matches.shares import share_of
from hexarena.backend.models import (
    Batch,
    Bot,
    Job,
    MatchKind,
    MatchSeat,
    Submission,
    SubmissionState,
    User,
    UserKind,
)
from hexarena.backend.practice.played import PracticeMatch, played_by
from hexarena.backend.rating import sprt
from hexarena.backend.submissions import life as submissions
from hexarena.games.contract import Game
from hexarena.games.seeds import random_seed

MOST_OPPONENTS = 20
MOST_SEEDS = 50
MOST_MATCHES = 400
MOST_MATCHES_OF_GUESTS = 20
RUNNING_PER_SHARE = 10
"""Running batches of one share: of all guests and new accounts of one network."""
SEATS = 2
"""A seed is played once in each."""
STOPPED = "The batch was stopped."


@dataclass(frozen=True, slots=True)
class Score:
    """Against one bot, or all. `different`: of the games played, those whose record no earlier one equals.

    `elo`, `elo_low`, `elo_high`: the difference in strength, with its 95 % interval, from the different games;
    infinite where every game was won or lost.
    """

    wins: int
    draws: int
    losses: int
    faults: int
    void: int
    waiting: int
    different: int
    elo: float
    elo_low: float
    elo_high: float
    mean_turns: float | None
    mean_cpu_ms: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """The matches against one bot, oldest first."""

    bot_id: int
    bot: str
    score: Score
    matches: tuple[PracticeMatch, ...]


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """A batch with its results so far. `problem`, `build_log`: why its code could not be built."""

    id: int
    game: str
    language: str
    seeds: int
    created_at: datetime
    rows: tuple[Row, ...]
    score: Score
    problem: str | None
    build_log: str | None

    @property
    def over(self) -> bool:
        """Whether all its matches were played, or are void."""
        return self.score.waiting == 0


def start(
    session: Session,
    user: User,
    *,
    game: Game,
    language: str,
    source: bytes,
    opponents: Sequence[int],
    seeds: int,
    league: int,
    quotas: Quotas = NO_QUOTAS,
) -> BatchProgress:
    """Queues the matches against these bots. `opponents`: bot ids. `seeds`: of each the matches in both seats.

    Raises: Invalid, NotFound (a bot), Conflict, TooMany, and what a practice match may raise.
    """
    wanted = list(dict.fromkeys(opponents))
    _check_size(user, len(wanted), seeds)
    live = _live_versions(session, game, wanted)
    _check_running(session, user)
    field = _field(session, game, live.values())
    draft = submissions.draft(session, user, game=game, language=language, source=source, quotas=quotas)
    session.add(Batch(submission_id=draft.id, seeds=seeds, opponents=wanted if field else []))
    random = Random(secrets.randbits(64))
    drawn = [random_seed(random) for _ in range(seeds)]
    for seed in drawn:  # against everybody once, then again: the whole table fills from the start
        for bot_id in wanted:
            for swapped in (False, True):
                matches.schedule(
                    session,
                    game=game.id,
                    kind=MatchKind.PRACTICE,
                    submission_ids=_seated(game, [draft.id, live[bot_id], *field], seed, swapped=swapped),
                    seed=seed,
                    league=league,
                    requested_by_id=user.id,
                    priority=matches.PRIORITY[MatchKind.DUEL],
                    share=share_of(user),
                )
    return by_id(session, user.id, draft.id)


def _field(session: Session, game: Game, opponents: Collection[int]) -> list[int]:
    """Who else plays, in a free-for-all. `opponents`: submissions, none of which is among them. Raises: Conflict."""
    field = list(nearest(session, game, opponents, max(game.seats))) if game.free_for_all else []
    try:
        entrants_of(game, len(field))
    except ValueError as error:
        raise Conflict("The ladder has too few other bots for a batch.", expected=str(error)) from None
    return field


def _seated(game: Game, entrants: Sequence[int], seed: int, *, swapped: bool) -> Sequence[int]:
    """Seat -> submission. `entrants`: the draft, its opponent, and the field."""
    if game.free_for_all:
        fixture = Fixture(1, seed, swapped)
        return [entrants[which] for which in seating(game, fixture, len(entrants) - 2)]
    return game.side_by_side(entrants[1::-1] if swapped else entrants[:2])


def most_matches(user: User | None) -> int:
    """How many one batch may have. `user`: None for a visitor who has asked for nothing yet."""
    return MOST_MATCHES_OF_GUESTS if user is None or user.kind == UserKind.GUEST else MOST_MATCHES


def _check_size(user: User, opponents: int, seeds: int) -> None:
    count = SEATS * opponents * seeds
    most = most_matches(user)
    if count > most:
        raise Invalid(
            "This batch is too large." + (" Sign up for larger ones." if user.kind == UserKind.GUEST else ""),
            expected=f"at most {most} matches: bots × seeds × {SEATS} seats",
            got=f"{opponents} × {seeds} × {SEATS} = {count}",
        )


def _live_versions(session: Session, game: Game, bot_ids: Collection[int]) -> dict[int, int]:
    """Bot -> its version on the ladder."""
    playing = (Submission.game == game.id) & (Submission.state == SubmissionState.LIVE)
    query = select(Submission.bot_id, Submission.id).where(Submission.bot_id.in_(bot_ids), playing)
    found = {bot_id: submission_id for bot_id, submission_id in session.execute(query) if bot_id is not None}
    for bot_id in bot_ids:
        if bot_id not in found:
            raise NotFound(f"There is no bot {bot_id} on the ladder of {game.title}.")
    return found


def _check_running(session: Session, user: User) -> None:
    """Serialises the requests of a user and of a network, so that many at once cannot exceed the limit together."""
    lock(session, user)
    if running := session.scalar(_running(Submission.user_id == user.id)):
        raise TooMany(
            "Stop your batch, or wait until it is over.",
            expected="no running batch of yours",
            got=str(running),
            quota=Quota("batches-of-yours", 1, unit="concurrent-requests"),
        )
    lock_network(session, user)
    share = share_of(user)
    if (of_share := session.scalar(_running(Job.share == share)) or 0) >= RUNNING_PER_SHARE:
        expected = f"fewer than {RUNNING_PER_SHARE} running batches of your network"
        quota = Quota("batches-of-network", RUNNING_PER_SHARE, unit="concurrent-requests")
        raise TooMany("Wait until some batches are over.", expected=expected, got=str(of_share), quota=quota)


def _running(which: ColumnElement[bool]) -> Select[int]:
    """How many batches have matches that are not over."""
    return (
        select(func.count(Batch.submission_id.distinct()))
        .join(Submission, Submission.id == Batch.submission_id)
        .join(MatchSeat, MatchSeat.submission_id == Batch.submission_id)
        .join(Job, Job.match_id == MatchSeat.match_id)
        .where(which)
    )


def stop(session: Session, user: User, batch_id: int) -> BatchProgress:
    """Makes the matches void that no worker has begun; those that are played stay. Idempotent. Raises: NotFound."""
    by_id(session, user.id, batch_id)
    matches.void_queued_with(session, [batch_id], STOPPED)
    session.expire_all()
    return by_id(session, user.id, batch_id)


def by_id(session: Session, user_id: int | None, batch_id: int) -> BatchProgress:
    """Raises: NotFound, also for somebody else's."""
    found = _batches(session, user_id, Submission.id == batch_id, limit=1)
    if not found:
        raise NotFound(f"There is no batch {batch_id} of yours.")
    return found[0]


def latest(session: Session, user_id: int | None, game: Game, limit: int) -> list[BatchProgress]:
    """The user's batches, newest first."""
    return _batches(session, user_id, Submission.game == game.id, limit=limit)


def _batches(session: Session, user_id: int | None, which: ColumnElement[bool], *, limit: int) -> list[BatchProgress]:
    query = (
        select(Batch, Submission)
        .join(Submission, Submission.id == Batch.submission_id)
        .where(Submission.user_id == user_id, which)
        .order_by(Batch.submission_id.desc())
        .limit(limit)
    )
    rows = session.execute(query).all()
    played = played_by(session, [draft.id for _, draft in rows])
    bot_ids = {one.opponent_bot_id for listed in played.values() for one in listed}
    names = {bot.id: bot.name for bot in session.scalars(select(Bot).where(Bot.id.in_(bot_ids)))}
    return [_played(batch, draft, played.get(draft.id, ()), names) for batch, draft in rows]


def _played(batch: Batch, draft: Submission, listed: Sequence[PracticeMatch], names: dict[int, str]) -> BatchProgress:
    by_bot: dict[int, list[PracticeMatch]] = {}
    for one in listed:
        if one.opponent_bot_id is not None:
            by_bot.setdefault(one.opponent_bot_id, []).append(one)
    return BatchProgress(
        id=draft.id,
        game=draft.game,
        language=draft.language,
        seeds=batch.seeds,
        created_at=draft.created_at,
        rows=tuple(Row(bot_id, names[bot_id], score_of(of_bot), tuple(of_bot)) for bot_id, of_bot in by_bot.items()),
        score=score_of(listed),
        problem=draft.problem,
        build_log=draft.build_log,
    )


def score_of(listed: Sequence[PracticeMatch]) -> Score:
    """What these matches come to."""
    done = [one for one in listed if one.points is not None]
    different = list({(one.digest, one.seat): one for one in done}.values())
    counts = sprt.no_trials(paired=False)
    for one in different:
        counts = sprt.with_trial(counts, [one.points or 0.0])
    low, high = _interval(tuple(counts))
    points = [one.points for one in done]
    share = sum(one.points or 0.0 for one in different) / len(different) if different else sprt.LEVEL
    return Score(
        wins=points.count(1.0),
        draws=points.count(0.5),
        losses=points.count(0.0),
        faults=sum(one.fault is not None for one in done),
        void=sum(one.over and one.points is None for one in listed),
        waiting=sum(not one.over for one in listed),
        different=len(different),
        elo=sprt.elo_of(share),
        elo_low=sprt.elo_of(low),
        elo_high=sprt.elo_of(high),
        mean_turns=_mean([one.turns for one in done]),
        mean_cpu_ms=_mean([one.cpu_ms for one in done]),
    )


@lru_cache(maxsize=4096)
def _interval(counts: tuple[int, ...]) -> tuple[float, float]:
    """It takes some milliseconds, and a page asks for the same ones several times a second."""
    return sprt.interval(counts)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
