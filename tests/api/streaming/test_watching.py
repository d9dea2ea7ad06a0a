"""Many watch one match: its lines are read once, and each stream gets all of them in order."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from redis import Redis
from redis.asyncio import Redis as AsyncRedis
from sqlalchemy import delete, select

from hexarena.backend.api.streaming.feed import Feed
from hexarena.backend.api.streaming.notifier import Notifier
from hexarena.backend.api.streaming.watching import CHUNK_LINES, KEPT_COPIES, Place, Watch, Watcher, Watches
from hexarena.backend.api.views import KnownPlaces
from hexarena.backend.matches import life as matches, live, queue
from hexarena.backend.matches.blobs import DAMAGED, Blobs, StoreError, replay_key
from hexarena.backend.models import Job, Match, MatchSeat, Submission
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from tests.api.streaming.test_feed import Said, Stream, events, person, schedule
from tests.backend.events import test_events as cups
from tests.conftest import new_visitor


class Process:
    """What a web process has: watches, with the feed that wakes them."""

    def __init__(self, settings: Settings, database: Database, redis: AsyncRedis, stack: AsyncExitStack) -> None:
        self.notifier = Notifier()
        places = KnownPlaces()
        self.feed = Feed(database, self.notifier, places)
        blobs = Blobs(settings.data_folder / "blobs")
        self.watches = Watches(database, blobs, redis, settings.namespace, self.feed, places)
        self._stack = stack

    async def watcher(self, match_id: int, viewer: int | None = None) -> Watcher:
        return await self._stack.enter_async_context(self.watches.watching(match_id, viewer))

    async def open(self, match_id: int, last_id: str | None = None, viewer: int | None = None) -> Stream:
        stream = Stream(self.watches.chunks(await self.watcher(match_id, viewer), Place.read(last_id)))
        self._stack.push_async_callback(stream.close)
        return stream


@asynccontextmanager
async def process(settings: Settings, database: Database) -> AsyncIterator[Process]:
    redis = AsyncRedis.from_url(settings.redis_url)
    async with AsyncExitStack() as stack:
        made = Process(settings, database, redis, stack)
        tasks = [asyncio.create_task(one) for one in (made.notifier.listen(database.url), made.feed.run())]
        yield made
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    await redis.aclose()


Scene = Callable[[Process], Coroutine[None, None, None]]


class Worker:
    """Plays a match by hand."""

    def __init__(self, settings: Settings, database: Database) -> None:
        self._settings = settings
        self._database = database
        self._redis = Redis.from_url(settings.redis_url)

    def claim(self) -> matches.ClaimedMatch:
        with self._database.transaction() as session:
            (lease,) = queue.lease(session, limit=1, seconds=60, max_attempts=4)
            claimed = queue.claim(session, lease.match_id, lease.token, seconds=60)
            assert claimed is not None
            return claimed

    def say(self, claimed: matches.ClaimedMatch, *lines: str, last: bool = False) -> None:
        stream = live.LineStream(
            self._redis, live.stream_key(self._settings.namespace, claimed.match_id, claimed.attempt)
        )
        for line in lines:
            stream.add(line)
        stream.flush(last=last)

    def finish(self, claimed: matches.ClaimedMatch, *lines: str) -> None:
        key = replay_key(claimed.match_id, claimed.attempt)
        Blobs(self._settings.data_folder / "blobs").put_match(key, "\n".join(lines) + "\n")
        with self._database.transaction() as session:
            report = matches.Report((0, 1), (1, 0), "because", 1, (), 1, "test", key, "1", "d")
            assert matches.finish(session, claimed, report)

    def hand_back(self, claimed: matches.ClaimedMatch) -> None:
        with self._database.transaction() as session:
            assert queue.hand_back(session, claimed, "It broke.", max_attempts=4)


@pytest.fixture
def worker(settings: Settings, database: Database) -> Worker:
    return Worker(settings, database)


def run(settings: Settings, database: Database, play: Scene) -> None:
    async def whole() -> None:
        async with process(settings, database) as made:
            await play(made)

    asyncio.run(whole())


async def until(stream: Stream, name: str) -> list[Said]:
    """What comes up to the first event of this name, with it."""
    found = [await stream.next()]
    while found[-1][0] != name:
        found.append(await stream.next())
    return found


def lines_of(said: list[Said]) -> list[str]:
    return [line for name, _, data in said if name == "lines" for line in data]


def owner_of_seats(database: Database) -> int:
    """The house, whose bots play."""
    seats = select(Submission.user_id).join(MatchSeat, MatchSeat.submission_id == Submission.id).limit(1)
    with database.transaction() as session:
        return session.scalars(seats).one()


def test_all_streams_of_a_match_get_its_lines_wherever_they_begin(
    settings: Settings, database: Database, worker: Worker
) -> None:
    match_id = schedule(database)

    async def play(process: Process) -> None:
        early = await process.open(match_id)
        name, _, data = await early.next()
        assert (name, data["state"]) == ("status", "queued")
        claimed = await asyncio.to_thread(worker.claim)
        worker.say(claimed, "one", "two")
        said = await until(early, "lines")
        late, resumed = await process.open(match_id), await process.open(match_id, "1-1")
        for stream in (late, resumed):
            said_now = await until(stream, "lines")
            assert said_now[0][2]["state"] == "running"
            assert lines_of(said_now) == (["one", "two"] if stream is late else ["two"])
            assert said_now[-1][1] == "1-2"
        worker.say(claimed, "three", last=True)
        await asyncio.to_thread(worker.finish, claimed, "one", "two", "three")
        whole = lines_of(said) + lines_of(await until(early, "end"))
        assert whole == ["one", "two", "three"]
        for stream in (late, resumed, await process.open(match_id, "1-2")):
            assert lines_of(await until(stream, "end")) == ["three"]

    run(settings, database, play)


def test_a_match_is_read_once_for_all_who_watch_it(settings: Settings, database: Database, worker: Worker) -> None:
    match_id = schedule(database)

    async def play(process: Process) -> None:
        watchers = [await process.watcher(match_id) for _ in range(5)]
        assert len({id(one.watch) for one in watchers}) == 1
        streams = [Stream(process.watches.chunks(one, Place(0, 0))) for one in watchers]
        claimed = await asyncio.to_thread(worker.claim)
        worker.say(claimed, "one")
        for stream in streams:
            assert lines_of(await until(stream, "lines")) == ["one"]
            await stream.close()
        places = [Place(1, 0), Place(1, 0)]
        assert watchers[0].watch.chunk(places[0]) is watchers[0].watch.chunk(places[1])

    run(settings, database, play)


def test_streams_that_begin_anywhere_keep_few_copies_of_a_match() -> None:
    watch = Watch(1, lines=[f"line {number}" for number in range(3 * CHUNK_LINES)])
    for begin in range(0, len(watch.lines), 3):
        place, got = Place(1, begin), []
        while place.lines < len(watch.lines):
            got += [line for _, _, data in events(watch.chunk(place)) for line in data]
        assert got == watch.lines[begin:]
        kept = [line for chunk in watch.chunks.values() for _, _, data in events(chunk) for line in data]
        assert len(kept) <= KEPT_COPIES * len(watch.lines)


def test_streams_share_what_follows_wherever_they_began() -> None:
    watch = Watch(1, lines=["a line"] * (2 * CHUNK_LINES + 1))
    places = [Place(1, 0), Place(1, 7)]
    for place in places:
        watch.chunk(place)
    assert watch.chunk(places[0]) is watch.chunk(places[1])
    assert str(places[1]) == f"1-{2 * CHUNK_LINES}"


def test_the_next_attempt_restarts_the_lines(settings: Settings, database: Database, worker: Worker) -> None:
    match_id = schedule(database)

    async def play(process: Process) -> None:
        stream = await process.open(match_id)
        first = await asyncio.to_thread(worker.claim)
        worker.say(first, "one", "two")
        assert lines_of(await until(stream, "lines")) == ["one", "two"]
        await asyncio.to_thread(worker.hand_back, first)
        second = await asyncio.to_thread(worker.claim)
        worker.say(second, "uno")
        said = await until(stream, "lines")
        assert "restart" in [name for name, _, _ in said]
        assert (said[-1][1], lines_of(said)) == ("2-1", ["uno"])

    run(settings, database, play)


def test_lines_that_lack_their_beginning_are_replaced_by_the_replay(
    settings: Settings, database: Database, worker: Worker
) -> None:
    """The broker was emptied in the middle of the match."""
    match_id = schedule(database)

    async def play(process: Process) -> None:
        claimed = await asyncio.to_thread(worker.claim)
        worker.say(claimed, "two")
        stream = await process.open(match_id)
        assert lines_of(await until(stream, "lines")) == ["two"]
        await asyncio.to_thread(worker.finish, claimed, "one", "two", "three")
        said = await until(stream, "end")
        assert [name for name, _, _ in said if name != "status"] == ["restart", "lines", "end"]
        assert lines_of(said) == ["one", "two", "three"]

    run(settings, database, play)


def test_an_owner_who_comes_later_sees_his_seat_as_his_own(
    settings: Settings, database: Database, worker: Worker
) -> None:
    match_id = schedule(database)
    house = owner_of_seats(database)

    async def play(process: Process) -> None:
        for viewer, mine in ((None, False), (house, True), (person(database), False)):
            _, _, data = await (await process.open(match_id, viewer=viewer)).next()
            assert [seat["mine"] for seat in data["seats"]] == [mine] * 2  # type: ignore[attr-defined]

    run(settings, database, play)


def test_an_owner_who_comes_while_the_match_is_read_sees_it_too(
    settings: Settings, database: Database, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id = schedule(database)
    worker.claim()  # while it waits, it is read again anyway
    house = owner_of_seats(database)
    reads, go_on = threading.Event(), threading.Event()
    read = Watches._status

    def held(watches: Watches, *given: Any) -> Any:
        reads.set()
        go_on.wait()
        return read(watches, *given)

    monkeypatch.setattr(Watches, "_status", held)

    async def play(process: Process) -> None:
        visitor = await process.open(match_id)
        await asyncio.to_thread(reads.wait)
        owner = await process.open(match_id, viewer=house)
        go_on.set()
        for stream, mine in ((visitor, False), (owner, True)):
            _, _, data = await stream.next()
            assert [seat["mine"] for seat in data["seats"]] == [mine] * 2  # type: ignore[attr-defined]

    run(settings, database, play)


def test_organisers_watch_a_match_whose_results_are_held_back(
    settings: Settings, database: Database, worker: Worker
) -> None:
    cups.begin(database, 2, held=True)
    cups.advance(database)

    def organiser() -> int:
        with database.transaction() as session:
            return cups.user(session, organises=True).id

    async def play(process: Process) -> None:
        claimed = await asyncio.to_thread(worker.claim)
        match_id = claimed.match_id
        first = await process.open(match_id, viewer=await asyncio.to_thread(organiser))
        assert (await first.next())[0] == "status"
        worker.say(claimed, "one", "two")
        assert lines_of(await until(first, "lines")) == ["one", "two"]
        # Another one comes when the match is being read already.
        later = await process.open(match_id, viewer=await asyncio.to_thread(organiser))
        assert lines_of(await until(later, "lines")) == ["one", "two"]
        await asyncio.to_thread(worker.finish, claimed, "one", "two", "three")
        for stream in (first, later):
            assert lines_of(await until(stream, "end")) == ["three"]

    run(settings, database, play)


@pytest.mark.long
def test_a_match_that_is_gone_ends_its_streams(settings: Settings, database: Database) -> None:
    match_id = schedule(database)

    async def play(process: Process) -> None:
        stream = await process.open(match_id)
        await stream.next()
        with database.transaction() as session:
            for table in (Job, MatchSeat):
                session.execute(delete(table).where(table.match_id == match_id))
            session.execute(delete(Match).where(Match.id == match_id))
        assert (await until(stream, "end"))[-1][0] == "end"

    run(settings, database, play)


class AwayOnce(Blobs):
    """A store that does not answer the first question."""

    asked = 0

    def text(self, key: str, seat: int | None = None) -> str | None:
        self.asked += 1
        if self.asked == 1:
            raise StoreError("it is away")
        return super().text(key, seat)


@pytest.mark.long
def test_streams_wait_for_a_store_that_is_away(settings: Settings, database: Database, worker: Worker) -> None:
    match_id = schedule(database)
    worker.finish(worker.claim(), "one", "two")

    async def play(process: Process) -> None:
        process.watches._blobs = AwayOnce(settings.data_folder / "blobs")
        assert lines_of(await until(await process.open(match_id), "end")) == ["one", "two"]

    run(settings, database, play)


def test_a_replay_that_is_damaged_says_so(settings: Settings, database: Database, worker: Worker) -> None:
    match_id = schedule(database)
    claimed = worker.claim()
    worker.finish(claimed, "one", "two")
    (settings.data_folder / "blobs" / replay_key(match_id, claimed.attempt)).write_bytes(b"no zip")

    async def play(process: Process) -> None:
        (line,) = lines_of(await until(await process.open(match_id), "end"))
        assert DAMAGED in line

    run(settings, database, play)
    with new_visitor(settings) as visitor:
        answer = visitor.get(f"/api/v1/matches/{match_id}/replay")
        assert (answer.status_code, answer.json()["detail"]) == (404, DAMAGED)


def test_nothing_is_left_of_a_match_that_nobody_watches(settings: Settings, database: Database, worker: Worker) -> None:
    match_id = schedule(database)
    worker.claim()

    async def play(process: Process) -> None:
        def readers() -> list[str]:
            names = [task.get_coro().__qualname__ for task in asyncio.all_tasks()]  # type: ignore[union-attr]
            return [name for name in names if name.startswith("Watches.")]

        for _ in range(3):
            async with process.watches.watching(match_id, None) as watcher:
                stream = Stream(process.watches.chunks(watcher, Place(0, 0)))
                await stream.next()
                await stream.close()
                assert "Watches._read" in readers()
            await process.watches.ended()
            assert readers() == []
        assert process.feed._position is None

    run(settings, database, play)


def test_streams_end_when_their_client_leaves_or_the_process_stops(settings: Settings, database: Database) -> None:
    match_id = schedule(database)

    async def play(process: Process) -> None:
        watcher = await process.watcher(match_id)
        left, stopped = Stream(process.watches.chunks(watcher, Place(0, 0))), await process.open(match_id)
        for stream in (left, stopped):
            await stream.next()
        watcher.leave()
        with pytest.raises(StopAsyncIteration):
            await until(left, "never")
        process.watches.close()
        with pytest.raises(StopAsyncIteration):
            await until(stopped, "never")

    run(settings, database, play)
