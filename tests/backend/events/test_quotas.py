"""What an event allows its entrants while it is open, and nobody else at any other time."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from hexarena.backend.errors import TooLarge, TooMany
from hexarena.backend.events import life
from hexarena.backend.models import Bot, Event, EventState, Match, MatchKind, Submission, User
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions import life as submissions
from tests.backend.events.test_events import (
    GAME,
    advance,
    bot,
    entries,
    event,
    numbers,
    opened,
    pass_deadline,
    upload,
    user,
)


def version(session: Session, bot_id: int, source: bytes | None = None) -> Submission:
    """The bot's next version, which is live at once."""
    mine = session.get_one(Bot, bot_id)
    owner = session.get_one(User, mine.owner_id)
    if source is None:
        found = upload(session, owner, mine.name)
    else:
        found = submissions.submit(session, owner, game=GAME, name=mine.name, language="python", source=source)
        session.execute(delete(Match).where(Match.kind == MatchKind.CHECK))
    submissions.go_live(session, found.id)
    return found


def entered(database: Database, **changes: int) -> tuple[int, int]:
    """An event with such quotas, and a bot that has entered it."""
    event_id, _ = opened(database, **changes)
    with database.transaction() as session:
        owner = user(session)
        mine = bot(session, owner)
        life.enter(session, owner, event_id, mine, None)
        # Its first version was sent before the event opened.
        session.execute(update(Submission).where(Submission.bot_id == mine).values(created_at=func.now() - HOUR))
        return event_id, mine


HOUR = timedelta(hours=1)


def test_an_entrant_sends_so_many_versions_a_day_while_the_event_is_open(database: Database) -> None:
    event_id, mine = entered(database, versions_a_day=2)
    with database.transaction() as session:
        row = session.get_one(Bot, mine)
        failed = upload(session, session.get_one(User, row.owner_id), row.name)
        submissions.fail(session, failed.id, "It crashed.")
        version(session, mine)
        version(session, mine)
    with pytest.raises(TooMany, match="the event Cup allows") as refused, database.transaction() as session:
        version(session, mine)
    assert (refused.value.expected, refused.value.got) == (
        "at most 2 versions in 24 hours while this bot takes part",
        "3",
    )
    assert 23 * 3600 < (refused.value.retry_s or 0) <= 24 * 3600
    with database.transaction() as session:
        session.execute(update(Event).where(Event.id == event_id).values(opens_at=func.now() - 30 * HOUR))
        session.execute(update(Submission).where(Submission.bot_id == mine).values(created_at=func.now() - 25 * HOUR))
        version(session, mine)


def test_a_source_is_as_large_as_the_event_allows(database: Database) -> None:
    _, mine = entered(database, source_bytes=20)
    with database.transaction() as session:
        assert version(session, mine, b"print('0123456789')\n"[:20]).version == 2
    with pytest.raises(TooLarge, match="the event Cup allows") as refused, database.transaction() as session:
        version(session, mine, b"print('0123456789 ')\n")
    assert (refused.value.expected, refused.value.got) == ("at most 20 bytes while this bot takes part", "21 bytes")


def test_quotas_hold_for_entrants_only_and_until_the_deadline(database: Database) -> None:
    event_id, mine = entered(database, versions_a_day=1, source_bytes=20)
    large = b"print('this is longer than twenty bytes')"
    with database.transaction() as session:
        stranger = bot(session, user(session))
        for number in range(3):
            version(session, stranger, large + str(number).encode())
        version(session, mine)
        entry = entries(database, event_id)[0]
        life.withdraw(session, session.get_one(User, session.get_one(Bot, mine).owner_id), event_id, entry.id)
        version(session, mine, large)
    with database.transaction() as session:
        life.enter(session, session.get_one(User, session.get_one(Bot, mine).owner_id), event_id, mine, None)
    with pytest.raises((TooMany, TooLarge)), database.transaction() as session:
        version(session, mine, large + b"#")
    with database.transaction() as session:
        pass_deadline(session, event_id)
    with database.transaction() as session:
        version(session, mine, large + b"##")


def test_quotas_end_with_the_event_and_begin_when_it_opens(database: Database) -> None:
    event_id, mine = entered(database, source_bytes=20)
    large = b"print('this is longer than twenty bytes')"
    later = update(Event).where(Event.id == event_id)
    with database.transaction() as session:
        session.execute(later.values(opens_at=func.now() + HOUR / 2))
        version(session, mine, large)
        session.execute(later.values(opens_at=func.now() - HOUR))
    with pytest.raises(TooLarge), database.transaction() as session:
        version(session, mine, large + b"#")
    with database.transaction() as session:
        session.execute(later.values(state=EventState.CANCELLED, finished_at=func.now()))
        version(session, mine, large + b"##")


def test_a_version_that_is_too_large_is_not_frozen(database: Database) -> None:
    """It may have been sent before its bot was entered."""
    event_id, _ = opened(database, source_bytes=20)
    with database.transaction() as session:
        large, small = user(session), user(session)
        of_large, of_small = bot(session, large), bot(session, small)
        first = _newest(session, of_large)
        version(session, of_large, b"print('this is longer than twenty bytes')%d" % next(numbers))
        only_large = bot(session, user(session))
        session.execute(delete(Match))
        session.execute(
            update(Submission)
            .where(Submission.bot_id == only_large)
            .values(source_sha256=session.get_one(Submission, _newest(session, of_large)).source_sha256)
        )
        exact = version(session, of_small, b"print('0123456789')\n"[:20]).id
        session.execute(delete(Match))
        for owner, mine in ((large, of_large), (small, of_small)):
            life.enter(session, owner, event_id, mine, None)
        life.enter(session, user(session, organises=True), event_id, only_large, None, organises=True)
        pass_deadline(session, event_id)
    advance(database)
    assert event(database, event_id).state == EventState.PLAYING
    frozen = {one.bot_id: one.submission_id for one in entries(database, event_id)}
    assert frozen[of_large] == first
    assert frozen[of_small] == exact, "as large as is allowed"
    assert frozen[only_large] is None


def _newest(session: Session, bot_id: int) -> int:
    newest = select(Submission.id).where(Submission.bot_id == bot_id).order_by(Submission.id.desc())
    return session.scalars(newest.limit(1)).one()
