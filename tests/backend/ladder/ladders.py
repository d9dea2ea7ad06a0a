"""Ladders to test with: bots that enter, results that are as they should be, and refits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import count
from random import Random

from sqlalchemy import func, select, text, update
from sqlalchemy.orm import Session

from hexarena.backend.api.schemas import LeaderboardRow
from hexarena.backend.api.views import standing_view
from hexarena.backend.ladder import boards, refits
from hexarena.backend.matches import life as matches, queue
from hexarena.backend.models import (
    League,
    MatchKind,
    Source,
    Standing,
    Submission,
    SubmissionState,
    TrialState,
    User,
    UserKind,
)
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions import life as submissions
from hexarena.games.catalogue import find_game
from hexarena.games.referee import Fault

GAME = find_game("yavalath")
CRASH = "It ended in the middle of the match."
numbers = count(1)


def user(session: Session) -> User:
    somebody = User(kind=UserKind.ACCOUNT, name=f"user {next(numbers)}")
    session.add(somebody)
    session.flush()
    return somebody


def enter(session: Session, owner: User, name: str, body: str = "", game: str = GAME.id) -> int:
    """A version of the owner's bot that is live: a submission's id."""
    source = (body or f"print({next(numbers)})").encode()
    submission = submissions.submit(session, owner, game=find_game(game), name=name, language="python", source=source)
    session.execute(text("DELETE FROM match"))
    submissions.go_live(session, submission.id)
    return submission.id


def code_of(session: Session, submission_id: int) -> str:
    """The text of a version."""
    return session.get_one(Source, session.get_one(Submission, submission_id).source_sha256).body.decode()


def now(session: Session) -> datetime:
    return session.scalars(select(func.clock_timestamp())).one()


def newcomers(database: Database, how_many: int) -> list[int]:
    with database.transaction() as session:
        return [enter(session, user(session), f"bot {next(numbers)}") for _ in range(how_many)]


def play(
    database: Database,
    pair: Sequence[int],
    ranks: Sequence[int] = (0, 1),
    *,
    faults: Sequence[Fault] = (),
    kind: MatchKind = MatchKind.LADDER,
    digest: str = "",
) -> int:
    """A finished match: its id."""
    with database.transaction() as session:
        match_id = matches.schedule(
            session, game=GAME.id, kind=kind, submission_ids=pair, seed=next(numbers), league=1, priority=0
        ).id
    finish(database, match_id, ranks, faults, digest)
    return match_id


def finish(
    database: Database, match_id: int, ranks: Sequence[int], faults: Sequence[Fault] = (), digest: str = ""
) -> None:
    """`digest`: of the record; one that no other match has where it is left out."""
    with database.transaction() as session:
        (lease,) = (
            one for one in queue.lease(session, limit=1000, seconds=60, max_attempts=3) if one.match_id == match_id
        )
        order = queue.claim(session, match_id, lease.token, seconds=60)
        assert order is not None
        report = matches.Report(
            tuple(ranks), tuple(1.0 - rank for rank in ranks), "because", 9, tuple(faults), 1.0, "test", "x", "1",
            digest or str(next(numbers)),
        )  # fmt: skip
        assert matches.finish(session, order, report)


def refit(database: Database) -> refits.Refit:
    with database.transaction() as session:
        done = refits.refit(session, GAME)
    assert done is not None
    return done


def recompute(database: Database) -> refits.Refit:
    with database.transaction() as session:
        return refits.recompute(session, GAME)


def board(database: Database) -> dict[int, tuple[float, float, int, int, int, int]]:
    """Submission -> everything that follows from the results."""
    with database.transaction() as session:
        rows = session.scalars(select(Standing).where(Standing.game == GAME.id).order_by(Standing.submission_id))
        return {
            row.submission_id: (row.rating, row.deviation, row.games, row.wins, row.draws, row.losses) for row in rows
        }


def standing(database: Database, submission_id: int) -> Standing:
    with database.transaction() as session:
        return session.get_one(Standing, submission_id)


def season(database: Database, bots: Sequence[int], games: int, seed: int = 1) -> None:
    """Matches in which bots further on in the list are better, with refits in between."""
    random = Random(seed)
    for number in range(games):
        one, other = random.sample(range(len(bots)), 2)
        won = random.random() < 0.5 + 0.4 * (one - other) / len(bots)
        ranks = (0, 0) if random.random() < 0.1 else (0, 1) if won else (1, 0)
        play(database, (bots[one], bots[other]), ranks)
        if number % 7 == 6:
            refit(database)


def climb(database: Database, bot: int, boss: int, games: int) -> None:
    for number in range(games):
        pair, ranks = ((bot, boss), (0, 1)) if number % 2 else ((boss, bot), (1, 0))
        play(database, pair, ranks)
    refit(database)


def boss_of(database: Database, position: int) -> int:
    with database.transaction() as session:
        return session.scalars(
            select(Submission.id)
            .join(League, League.boss_bot_id == Submission.bot_id)
            .where(League.game == GAME.id, League.position == position, Submission.state == SubmissionState.LIVE)
        ).one()


def in_league_2(database: Database, *bots: int) -> None:
    """Placed there, their trials over."""
    with database.transaction() as session:
        rows = update(Standing).where(Standing.submission_id.in_(bots))
        session.execute(rows.values(league=2, placing=False, trial=TrialState.STAYS))


def shown(database: Database, submission_id: int) -> LeaderboardRow:
    with database.transaction() as session:
        (row,) = boards.leaderboard(session, GAME.id, limit=1, only=[submission_id])
        return standing_view(row, frozenset())
