"""Yavalath's house bots, and matches among them that ended as a test says. For tests of lists and sums."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import select, update

from hexarena.backend.matches import life as matches, queue
from hexarena.backend.matches.blobs import Blobs, replay_key
from hexarena.backend.models import Bot, Match, MatchKind, Submission, SubmissionState
from hexarena.backend.runtime.db import Database
from hexarena.games.referee import Fault

MADE_4 = "seat 0 made a line of 4"
Bots = dict[str, tuple[int, int]]
"""Name -> (bot, live submission)."""


def house_bots(database: Database) -> Bots:
    """Those of Yavalath."""
    with database.transaction() as session:
        live = select(Bot.name, Bot.id, Submission.id).join(Submission, Submission.bot_id == Bot.id)
        rows = session.execute(live.where(Bot.game == "yavalath", Submission.state == SubmissionState.LIVE))
        return {name: (bot, submission) for name, bot, submission in rows}


def play(
    database: Database,
    bots: Bots,
    one: str,
    other: str,
    *,
    ranks: tuple[int, int] = (0, 1),
    kind: MatchKind = MatchKind.LADDER,
    seed: int = 1,
    reason: str = MADE_4,
    faults: tuple[Fault, ...] = (),
    days_ago: int = 0,
    blobs: Blobs | None = None,
    replay: str = "",
) -> int:
    """A match that ended so. `blobs`: where it leaves this replay, or one of its own, and logs. Returns: its id."""
    pair = [bots[name][1] for name in (one, other)]
    with database.transaction() as session:
        match_id = matches.schedule(
            session, game="yavalath", kind=kind, submission_ids=pair, seed=seed, league=1, priority=0
        ).id
        (token,) = [one.token for one in queue.lease(session, limit=99, seconds=60, max_attempts=3)]
        claimed = queue.claim(session, match_id, token, seconds=60)
        assert claimed is not None
        key = "x" if blobs is None else replay_key(match_id, claimed.attempt)
        if blobs is not None:
            blobs.put_match(key, replay or f'{{"match":{match_id}}}\n', ["zero\n", "one\n"])
        report = matches.Report(ranks, (0, 0), reason, 9, faults, 1.0, "test", key, "1", "d")
        matches.finish(session, claimed, report)
        ago = datetime.now(UTC) - timedelta(days=days_ago)
        session.execute(update(Match).where(Match.id == match_id).values(created_at=ago))
    return match_id


def played_match(database: Database, blobs: Blobs, kind: MatchKind = MatchKind.LADDER) -> int:
    """A match between two house bots that left a replay and logs. Returns: its id."""
    bots = house_bots(database)
    one, other, *_ = sorted(bots)
    return play(database, bots, one, other, kind=kind, blobs=blobs)
