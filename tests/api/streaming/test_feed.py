"""The reader of events that all streams of a process share: nothing is lost, and nobody gets what is not his."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta

import pytest
from sqlalchemy import event, insert, select, text
from structlog.testing import capture_logs

from hexarena.backend import notices
from hexarena.backend.api import tasks, views
from hexarena.backend.api.streaming.feed import MOST_MISSED, MOST_WAITING, Feed, Subscription
from hexarena.backend.api.streaming.notifier import Notifier
from hexarena.backend.api.streaming.renderings import batch_of
from hexarena.backend.api.views import KnownPlaces
from hexarena.backend.matches import life as matches, live
from hexarena.backend.models import Bot, ChangeRow, MatchKind, Submission, SubmissionState, User, UserKind
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from tests.conftest import wait_until

GAME = "yavalath"
GONE = SubmissionState.SUPERSEDED
Said = tuple[str, str | None, dict[str, object]]
"""An event's name, id and data."""


def events(chunk: bytes) -> list[Said]:
    found = []
    for one in chunk.decode().split("\n\n")[:-1]:
        fields = dict(line.split(": ", 1) for line in one.split("\n"))
        found.append((fields["event"], fields.get("id"), json.loads(fields["data"])))
    return found


class Stream:
    """A stream's events, one after the other."""

    def __init__(self, chunks: AsyncGenerator[bytes]) -> None:
        self._chunks = chunks
        self._waiting: list[Said] = []

    async def next(self) -> Said:
        """The next event that is no sign of life."""
        while not self._waiting:
            self._waiting = [one for one in events(await anext(self._chunks)) if one[0] != "alive"]
        return self._waiting.pop(0)

    async def close(self) -> None:
        await self._chunks.aclose()


class Process:
    """What a web process has: a feed with its tasks."""

    def __init__(self, database: Database, stack: AsyncExitStack) -> None:
        self.notifier = Notifier()
        self.feed = Feed(database, self.notifier, KnownPlaces())
        self._stack = stack

    async def open(
        self,
        last_id: str | None = None,
        game: str | None = None,
        viewer: int | None = None,
        past: timedelta = timedelta(),
    ) -> Stream:
        """A stream that has begun, so that all from now on is for it."""
        subscription = await self._stack.enter_async_context(self.feed.subscribed(game, viewer))
        stream = Stream(self.feed.chunks(subscription, last_id, past))
        self._stack.push_async_callback(stream.close)
        assert (await stream.next())[0] == "hello"
        return stream


@asynccontextmanager
async def process(database: Database) -> AsyncIterator[Process]:
    async with AsyncExitStack() as stack:
        made = Process(database, stack)
        readers = [asyncio.create_task(one) for one in (made.notifier.listen(database.url), made.feed.run())]
        yield made
        for task in readers:
            task.cancel()
        await asyncio.gather(*readers, return_exceptions=True)


def run(database: Database, play: Callable[[Process], Coroutine[None, None, None]]) -> None:
    """Plays a scene in a process of its own."""

    async def whole() -> None:
        async with process(database) as made:
            await play(made)

    asyncio.run(whole())


def schedule(database: Database, *, asked_by: int | None = None, of: int | None = None) -> int:
    """A match between two bots of the house, or one of `of` against one of them; `asked_by`: practice."""
    with database.transaction() as session:
        on_ladder = select(Submission.id).where(Submission.game == GAME, Submission.state == SubmissionState.LIVE)
        pair = list(session.scalars(on_ladder.order_by(Submission.id).limit(2)))
        kind = MatchKind.LADDER if asked_by is None else MatchKind.PRACTICE
        ids = pair if of is None else [of, pair[0]]
        made = matches.schedule(
            session, game=GAME, kind=kind, submission_ids=ids, seed=1, league=1, requested_by_id=asked_by
        )
        return made.id


def publish(database: Database, match_id: int) -> None:
    with database.transaction() as session:
        live.publish(session, GAME, "match", match_id)


def person(database: Database) -> int:
    with database.transaction() as session:
        user = User(kind=UserKind.GUEST, name="guest")
        session.add(user)
        session.flush()
        return user.id


def cursor(database: Database) -> str:
    with database.transaction() as session:
        return str(live.now(session))


# --- One rendering, and whose it is ---------------------------------------------------------------------------------


def test_what_everybody_may_see_is_rendered_once_for_all_streams(database: Database) -> None:
    with database.transaction() as session:
        before = live.now(session)
    schedule(database)
    with database.transaction() as session:
        changes = live.changes_since(session, before, game=None)
        batch = batch_of(session, changes, {7, 8}, KnownPlaces())
    assert batch.chunk(None, None) is batch.chunk(None, 7) is batch.chunk(None, 8)
    assert batch.chunk(GAME, None) is batch.chunk(GAME, 7)
    assert batch.chunk("ants", None) == b""


def test_practice_reaches_nobody_but_whoever_asked_for_it(database: Database) -> None:
    owner, stranger = person(database), person(database)

    async def play(process: Process) -> None:
        own, other, nobody = [await process.open(viewer=one) for one in (owner, stranger, None)]
        practice = await asyncio.to_thread(schedule, database, asked_by=owner)
        public = await asyncio.to_thread(schedule, database)
        assert [(await own.next())[2]["id"] for _ in range(2)] == [practice, public]
        for stream in (other, nobody):
            name, _, data = await stream.next()
            assert (name, data["id"]) == ("match", public)

    run(database, play)


def test_a_stream_that_resumes_gets_no_practice_of_others(database: Database) -> None:
    owner, stranger = person(database), person(database)
    before = cursor(database)
    practice, public = schedule(database, asked_by=owner), schedule(database)

    async def play(process: Process) -> None:
        # The stranger's comes first, and what was read for him is kept: the owner must get his own all the same.
        for viewer, seen in ((stranger, [public]), (None, [public]), (owner, [practice, public]), (stranger, [public])):
            stream = await process.open(before, viewer=viewer)
            assert [(await stream.next())[2]["id"] for _ in seen] == seen

    run(database, play)


def test_a_stream_begins_with_what_changed_while_its_page_was_loaded(database: Database) -> None:
    schedule(database)
    with database.transaction() as session:
        session.execute(text("UPDATE change SET at = now() - interval '1 hour'"))
    before = cursor(database)
    lately = schedule(database)

    async def play(process: Process) -> None:
        only_new, page = await process.open(), await process.open(past=timedelta(minutes=10))
        assert (await page.next())[2]["id"] == lately, "and not what changed an hour ago"
        resumed = await process.open(before, past=timedelta(hours=2))
        assert (await resumed.next())[2]["id"] == lately, "who resumes knows better where"
        later = await asyncio.to_thread(schedule, database)
        for stream in (only_new, page, resumed):
            assert (await stream.next())[2]["id"] == later

    run(database, play)


def test_where_nothing_changed_lately_a_stream_just_begins(database: Database) -> None:
    schedule(database)
    with database.transaction() as session:
        session.execute(text("UPDATE change SET at = now() - interval '1 hour'"))

    async def play(process: Process) -> None:
        page = await process.open(past=timedelta(minutes=10))
        later = await asyncio.to_thread(schedule, database)
        assert (await page.next())[2]["id"] == later

    run(database, play)


def test_own_seats_are_mine_for_their_owner_alone(database: Database) -> None:
    match_id = schedule(database)
    with database.transaction() as session:
        house = session.scalars(select(Submission.user_id).where(Submission.game == GAME).limit(1)).one()

    async def play(process: Process) -> None:
        own, other = await process.open(viewer=house), await process.open(viewer=person(database))
        await asyncio.to_thread(publish, database, match_id)
        for stream, mine in ((own, True), (other, False)):
            _, _, data = await stream.next()
            assert [seat["mine"] for seat in data["seats"]] == [mine] * 2  # type: ignore[attr-defined]

    run(database, play)


def test_only_the_last_event_of_a_batch_has_an_id(database: Database) -> None:
    """Who gets half of a batch must get all of it again."""
    before = cursor(database)
    ids = [schedule(database) for _ in range(3)]

    async def play(process: Process) -> None:
        stream = await process.open(before)
        got = [await stream.next() for _ in ids]
        assert [data["id"] for _, _, data in got] == ids
        assert [place is None for _, place, _ in got] == [True, True, False]

    run(database, play)


# --- Resuming ---------------------------------------------------------------------------------------------------------


def test_a_stream_gets_what_happened_while_it_was_away(database: Database) -> None:
    before = cursor(database)
    missed = [schedule(database) for _ in range(2)]

    async def play(process: Process) -> None:
        stream = await process.open(before)
        assert [(await stream.next())[2]["id"] for _ in missed] == missed
        later = await asyncio.to_thread(schedule, database)
        name, place, data = await stream.next()
        assert (name, data["id"]) == ("match", later)
        again = await process.open(place)
        last = await asyncio.to_thread(schedule, database)
        for one in (stream, again):
            assert (await one.next())[2]["id"] == last, "and nothing twice"

    run(database, play)


def test_more_than_one_batch_that_was_missed_is_not_lost(database: Database) -> None:
    match_id, before = schedule(database), cursor(database)
    with database.transaction() as session:
        for _ in range(2 * live.CHANGES_AT_ONCE + 1):
            session.add(ChangeRow(game=GAME, kind="match", subject_id=match_id))
    last = schedule(database)

    async def play(process: Process) -> None:
        stream = await process.open(before)
        while (await stream.next())[2]["id"] != last:
            pass

    run(database, play)


def test_nothing_is_lost_between_two_processes(database: Database) -> None:
    """Each reads by itself; a cursor of one is good for the other, also where that one has not read so far."""

    async def play(process_one: Process) -> None:
        async with process(database) as other:
            behind = await other.open()
            stream = await process_one.open()
            first = await asyncio.to_thread(schedule, database)
            _, place, data = await stream.next()
            assert data["id"] == first
            moved = await other.open(place)
            second = await asyncio.to_thread(schedule, database)
            ids = []
            while second not in ids:
                ids.append((await moved.next())[2]["id"])
            assert set(ids) <= {first, second}
            assert [(await behind.next())[2]["id"] for _ in range(2)] == [first, second]

    run(database, play)


@pytest.mark.long
@pytest.mark.parametrize(
    "last_id",
    [
        "junk", "", "-1", "12-34", "1-", "1x", " 1", "9" * 30, "１", "900000000000000000",
    ],
)  # fmt: skip
def test_who_cannot_resume_is_told_to_reload(database: Database, last_id: str) -> None:
    async def play(process: Process) -> None:
        stream = await process.open(last_id)
        name, place, _ = await stream.next()
        assert name == "reload"
        assert place is not None
        later = await asyncio.to_thread(schedule, database)
        assert (await stream.next())[2]["id"] == later
        resumed = await process.open(place)
        assert (await resumed.next())[2]["id"] == later, "its id is one to resume by"

    run(database, play)


def test_a_cursor_before_events_that_were_pruned_is_told_to_reload(database: Database) -> None:
    long_ago = cursor(database)
    for _ in range(3):
        schedule(database)
    with database.transaction() as session:
        session.execute(text("UPDATE change SET at = now() - interval '2 days'"))
    middle = cursor(database)
    kept = schedule(database)
    with database.transaction() as session:
        live.prune(session)
        assert len(session.scalars(select(ChangeRow)).all()) == 2, "the newest of the old ones stays as a mark"

    async def play(process: Process) -> None:
        assert (await (await process.open(long_ago)).next())[0] == "reload"
        name, _, data = await (await process.open(middle)).next()
        assert (name, data["id"]) == ("match", kept)

    run(database, play)


def test_what_went_between_two_questions_is_left_out(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with database.transaction() as session:
        somebody = User(kind=UserKind.ACCOUNT, name="Ada")
        session.add(somebody)
        session.flush()
        bot = Bot(game=GAME, name="mine", name_key="mine", owner_id=somebody.id)
        session.add(bot)
        session.flush()
        version = Submission(user_id=somebody.id, game=GAME, bot_id=bot.id, version=1, language="python", state=GONE)
        session.add(version)
        session.flush()
        notices.moved(session, version.id, league="Silver", up=True)
        live.publish(session, GAME, "submission", version.id)
    match_id = schedule(database)
    monkeypatch.setattr(notices, "newest", lambda *_, **__: [])
    monkeypatch.setattr(views, "submission_views", lambda *_, **__: [])
    with database.transaction() as session:
        changes = live.changes_since(session, live.Cursor(0), game=None)
        assert {"notice", "submission"} <= {change.kind for change in changes}
        batch = batch_of(session, changes, {somebody.id}, KnownPlaces())
        said = [name for name, *_ in events(batch.chunk(None, somebody.id))]
    assert "match" in said
    assert not {"notice", "submission"} & set(said)
    assert f'"id":{match_id},' in batch.chunk(None, somebody.id).decode()


@pytest.mark.parametrize("past", [timedelta(), timedelta(minutes=1)])
def test_who_missed_too_much_is_told_to_reload(database: Database, past: timedelta) -> None:
    match_id = schedule(database)
    with database.transaction() as session:
        session.execute(text("DELETE FROM change"))
    before = None if past else cursor(database)
    add_changes(database, match_id, MOST_MISSED)

    async def play(process: Process) -> None:
        assert (await (await process.open(before, past=past)).next())[2]["id"] == match_id
        await asyncio.to_thread(add_changes, database, match_id, 1)
        stream = await process.open(before, past=past)
        name, place, _ = await stream.next()
        assert name == "reload"
        later = await asyncio.to_thread(schedule, database)
        for one in (stream, await process.open(place)):
            name, _, data = await one.next()
            while data["id"] != later:
                name, _, data = await one.next()
            assert name == "match", "its id is one to resume by"

    run(database, play)


def add_changes(database: Database, match_id: int, number: int) -> None:
    with database.transaction() as session:
        session.execute(insert(ChangeRow), [{"game": GAME, "kind": "match", "subject_id": match_id}] * number)


def test_a_young_arena_has_pruned_nothing(database: Database) -> None:
    before = cursor(database)
    first = schedule(database)
    with database.transaction() as session:
        live.prune(session)

    async def play(process: Process) -> None:
        assert (await (await process.open(before)).next())[2]["id"] == first

    run(database, play)


# --- What goes wrong ------------------------------------------------------------------------------------------------


def test_a_client_that_is_too_slow_loses_its_stream_and_nothing_else() -> None:
    async def play() -> None:
        slow, quick = Subscription(None, None), Subscription(None, None)
        for number in range(MOST_WAITING + 1):
            for stream in (slow, quick):
                stream.put(b"%d" % number)
            assert await quick.next() == b"%d" % number
        assert slow.is_over
        assert await slow.next() is None
        assert not quick.is_over

    asyncio.run(play())


@pytest.mark.long
def test_streams_go_on_when_the_database_drops_every_connection(database: Database) -> None:
    async def play(process: Process) -> None:
        stream = await process.open()
        for _ in range(2):
            with database.transaction() as session:
                session.execute(
                    text(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                    )
                )
            made = await asyncio.to_thread(schedule, database)
            assert (await stream.next())[2]["id"] == made

    run(database, play)


@pytest.mark.long
def test_streams_outlast_a_time_in_which_all_connections_are_in_use(settings: Settings, database: Database) -> None:
    small = Database(settings.sqlalchemy_url(), pool_size=1, max_overflow=0)
    small.engine.pool._timeout = 0.05  # type: ignore[attr-defined]

    async def play(process: Process) -> None:
        stream = await process.open()
        with capture_logs() as said, small.transaction() as session:
            session.execute(text("SELECT 1"))
            made = await asyncio.to_thread(schedule, database)
            await asyncio.to_thread(
                wait_until, lambda: any(one["event"] == "changes cannot be read now" for one in said), "it was tried"
            )
        assert (await stream.next())[2]["id"] == made

    run(small, play)
    small.close()


@pytest.mark.long
def test_a_bug_in_one_event_does_not_silence_the_streams(database: Database) -> None:
    async def play(process: Process) -> None:
        stream = await process.open()
        with database.transaction() as session:
            session.add(ChangeRow(game="gone", kind="standing", subject_id=2**62))
            session.execute(text("ALTER TABLE standing RENAME TO lost"))
        assert (await stream.next())[0] == "reload"
        with database.transaction() as session:
            session.execute(text("ALTER TABLE lost RENAME TO standing"))
        made = await asyncio.to_thread(schedule, database)
        while (said := await stream.next())[0] == "reload":
            pass
        assert said[2]["id"] == made

    run(database, play)


def test_nothing_is_read_while_nobody_listens(database: Database) -> None:
    asked: list[str] = []
    event.listen(database.engine, "before_cursor_execute", lambda *all_: asked.append(all_[2]))

    async def play(process: Process) -> None:
        async with process.feed.subscribed(None, None):
            pass
        woken = process.notifier.woken
        while process.notifier.woken == woken:  # until the notification is here
            await asyncio.to_thread(publish, database, 1)
        asked.clear()
        for _ in range(3):
            await process.notifier.wait(0.1)
        assert asked == []
        match_id = await asyncio.to_thread(schedule, database)
        stream = await process.open()
        await asyncio.to_thread(publish, database, match_id)
        assert (await stream.next())[2]["id"] == match_id, "and it begins anew with the next stream"

    run(database, play)


def test_streams_end_when_the_process_stops(database: Database) -> None:
    async def play(process: Process) -> None:
        stream = await process.open()
        process.feed.close()
        with pytest.raises(StopAsyncIteration):
            await stream.next()

    run(database, play)


def test_a_task_that_swallows_its_cancellation_ends_all_the_same() -> None:
    """As a library may do that takes it for an error of the connection."""

    async def play() -> None:
        swallowed = 0

        async def stubborn() -> None:
            nonlocal swallowed
            while True:
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    swallowed += 1
                    if swallowed == 3:
                        raise

        task = asyncio.create_task(stubborn())
        await asyncio.sleep(0)
        await tasks.end(task)
        assert (task.cancelled(), swallowed) == (True, 3)

    asyncio.run(play())


def test_a_task_outlasts_who_waits_for_it_however_often_he_is_cancelled() -> None:
    async def play() -> None:
        may_end, done = asyncio.Event(), []

        async def lasting() -> None:
            await may_end.wait()
            done.append("all of it")

        async def waiting() -> None:
            await tasks.outlast(asyncio.create_task(lasting()))
            done.append("more")

        waiter = asyncio.create_task(waiting())
        for _ in range(3):
            await asyncio.sleep(0)
            waiter.cancel()
        await asyncio.sleep(0)
        assert not waiter.done()
        may_end.set()
        await asyncio.wait([waiter])
        assert (waiter.cancelled(), done) == (True, ["all of it"])

    asyncio.run(play())
