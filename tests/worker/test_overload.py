"""What becomes of matches on a machine that has too much to do. The sandbox is real; that it lags is scripted."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast
from urllib.request import urlopen

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update

from hexarena.backend.matches import life as matches, queue
from hexarena.backend.matches.blobs import Blobs
from hexarena.backend.matches.workers import Load
from hexarena.backend.models import (
    Job,
    Match,
    MatchKind,
    MatchState,
    PendingResult,
    Standing,
    Submission,
    SubmissionState,
    VoidAttempt,
)
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.games.catalogue import bot_file, find_game
from hexarena.games.contract import Outcome, Reply
from hexarena.games.referee import Record
from hexarena.worker import ratings, tasks
from hexarena.worker.lending import MatchSlots
from hexarena.worker.load import is_high, measure
from hexarena.worker.play import PlayedMatch, play_with_retries
from hexarena.worker.sandbox import BotProcess, HostOverloaded, Naps, Program, Sandbox, SandboxFailed
from tests.conftest import PATIENCE_S, Processes, free_port, wait_until

FIGURES = "expected a line within 2 s, but the machine held the bot up for 1.9 s"
REASON = f"The machine was overloaded: {FIGURES}."
API = "/api/v1"


class Starved:
    """A bot that the machine keeps from running from its third turn on."""

    def __init__(self, bot: BotProcess) -> None:
        self._bot, self._turns = bot, 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bot.close()

    def ask(self, prompt: str, seconds: float) -> Reply:
        self._turns += 1
        if self._turns == 3:
            raise HostOverloaded(FIGURES)
        return self._bot.ask(prompt, seconds)

    def log(self) -> str:
        return self._bot.log()


@dataclass
class Machine:
    """It lags for the next `bad_starts` bots; `broken`, it cannot start any."""

    bad_starts: int = 0
    broken: bool = False

    def crowd(self, *, attempts: int) -> None:
        """So many attempts at a match of two bots fail."""
        self.bad_starts = 2 * attempts


@pytest.fixture
def machine() -> Machine:
    """All is well as yet."""
    return Machine()


@pytest.fixture
def context(settings: Settings, machine: Machine) -> Iterator[tasks.WorkerContext]:
    """A worker's, without isolation, on that machine."""

    class Crowded(Sandbox):
        def start(self, program: Program, *, reply_bytes: int, naps: Naps | None = None) -> BotProcess:
            if machine.broken:
                raise SandboxFailed("/secret/path: no")
            bot = super().start(program, reply_bytes=reply_bytes, naps=naps)
            if machine.bad_starts == 0:
                return bot
            machine.bad_starts -= 1
            return cast(BotProcess, Starved(bot))

    whole = tasks.WorkerContext.open(settings.model_copy(update={"sandbox": "none"}), MatchSlots(1), MatchSlots(0))
    whole.sandbox.close()
    with Crowded.open("none", folder=settings.data_folder / "crowded") as crowded:
        yield replace(whole, sandbox=crowded)
    whole.close()


def queue_match(database: Database, kind: MatchKind = MatchKind.LADDER) -> int:
    with database.transaction() as session:
        live = select(Submission.id).where(Submission.game == "yavalath", Submission.state == SubmissionState.LIVE)
        pair = list(session.scalars(live.order_by(Submission.id).limit(2)))
        return matches.schedule(session, game="yavalath", kind=kind, submission_ids=pair, seed=1, league=1).id


def play(context: tasks.WorkerContext) -> None:
    """One attempt, as the dispatcher would send it once the pause is over."""
    with context.database.transaction() as session:
        session.execute(update(Job).values(not_before=None))
        (lease,) = queue.lease(session, limit=1, seconds=60, max_attempts=context.settings.max_attempts)
    tasks.run(context, lease.match_id, lease.token)


def test_only_what_failed_attempts_stored_since_the_last_pause_is_removed_and_under_a_lease_that_is_kept(
    context: tasks.WorkerContext, settings: Settings
) -> None:
    match_id = queue_match(context.database)
    removed: list[tuple[int, bool]] = []

    class Counting(Blobs):
        def forget(self, match_id: int, attempt: int) -> None:
            kept = f"lease of match {match_id}" in {one.name for one in threading.enumerate()}
            removed.append((attempt, kept))

    with context.database.transaction() as session:
        session.execute(update(Job).values(attempts=99, paused_attempt=97))
    play(replace(context, blobs=Counting(settings.data_folder / "counted")))
    assert removed == [(98, True), (99, True)]
    with context.database.transaction() as session:
        assert session.get_one(Match, match_id).state == MatchState.DONE


def test_a_match_that_an_overload_spoilt_is_played_again_and_says_so(
    context: tasks.WorkerContext, machine: Machine, client: TestClient
) -> None:
    match_id = queue_match(context.database)
    machine.crowd(attempts=1)
    play(context)
    seen = client.get(f"{API}/matches/{match_id}").json()
    assert (seen["state"], seen["void_reason"]) == ("queued", None)
    assert [(one["attempt"], one["reason"]) for one in seen["void_attempts"]] == [(1, REASON)]
    with context.database.transaction() as session:
        pause = select(func.extract("epoch", Job.not_before - VoidAttempt.ended_at))
        paused_s = session.scalar(pause.join(VoidAttempt, VoidAttempt.match_id == Job.match_id))
        assert float(paused_s or 0) == pytest.approx(queue.overload_pause_s(1), abs=2)
    play(context)
    seen = client.get(f"{API}/matches/{match_id}").json()
    assert seen["state"] == "done"
    assert [one["attempt"] for one in seen["void_attempts"]] == [1]
    assert seen["void_attempts"][0]["ended_at"] < seen["finished_at"]
    ratings.refit(context.database, "yavalath")
    with context.database.transaction() as session:
        assert session.scalar(select(func.sum(Standing.games))) == 2, "it counts once, for each of the two"


def test_a_match_that_is_overloaded_each_time_is_void_with_that_reason(
    context: tasks.WorkerContext, machine: Machine, client: TestClient
) -> None:
    match_id = queue_match(context.database)
    attempts = context.settings.max_attempts
    machine.crowd(attempts=attempts)
    for _ in range(attempts):
        play(context)
    seen = client.get(f"{API}/matches/{match_id}").json()
    assert (seen["state"], seen["void_reason"]) == ("void", f"{REASON} It was tried {attempts} times.")
    assert [one["attempt"] for one in seen["void_attempts"]] == list(range(1, attempts + 1))
    with context.database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(Job)) == 0
        assert session.scalar(select(func.count()).select_from(PendingResult)) == 0


def test_a_worker_that_cannot_start_bots_keeps_its_details_to_itself(
    context: tasks.WorkerContext, machine: Machine, client: TestClient
) -> None:
    match_id = queue_match(context.database)
    machine.broken = True
    play(context)
    (attempt,) = client.get(f"{API}/matches/{match_id}").json()["void_attempts"]
    assert attempt["reason"] == "The worker could not run its bots."


def test_a_check_that_is_overloaded_each_time_fails_the_submission_with_that_reason(
    context: tasks.WorkerContext, machine: Machine, client: TestClient
) -> None:
    game = find_game("yavalath")
    source = bot_file(game, game.starters[0]).read_text()
    body = {"game": "yavalath", "bot": "patient", "language": "python", "source": source}
    submission_id = client.post(f"{API}/submissions", json=body).json()["id"]
    attempts = context.settings.max_attempts
    machine.crowd(attempts=attempts)
    for _ in range(attempts):
        play(context)
    seen = client.get(f"{API}/submissions/{submission_id}").json()
    assert seen["state"] == "failed"
    assert seen["problem"] == f"The check match could not be played: {REASON} It was tried {attempts} times."


class Page:
    """Follows a match's stream of a real server, as a browser does."""

    def __init__(self, url: str) -> None:
        self.events: list[tuple[str, str, Any]] = []
        self._url = url
        self.following = threading.Thread(target=self._follow, daemon=True)
        self.following.start()

    def _follow(self) -> None:
        with urlopen(self._url, timeout=PATIENCE_S) as stream:
            fields: dict[str, str] = {}
            for line in stream:
                key, _, value = line.decode().rstrip("\n").partition(": ")
                if key:
                    fields[key] = value
                elif "event" in fields:
                    self.events.append((fields["event"], fields.get("id", ""), json.loads(fields["data"])))
                    fields = {}

    def heard(self, kind: str, attempt: int | None = None) -> int | None:
        """The place of the first such event, and of that attempt if one is given; None as long as there is none."""
        start = "" if attempt is None else f"{attempt}-"
        found = (at for at, (one, place, _) in enumerate(self.events) if one == kind and place.startswith(start))
        return next(found, None)

    def statuses(self) -> list[tuple[str, int]]:
        """(state of the match, number of attempts that do not count)."""
        return [(data["state"], len(data["void_attempts"])) for kind, _, data in self.events if kind == "status"]


@pytest.fixture
def server(settings: Settings) -> Iterator[str]:
    """The address of a real one."""
    parts = Processes(settings.model_copy(update={"port": free_port()}))
    parts.start("hexarena.backend.serve")
    url = f"http://127.0.0.1:{parts.settings.port}{API}"

    def answers() -> bool:
        try:
            return bool(urlopen(f"{url}/health", timeout=5).status == 200)
        except OSError:
            return False

    wait_until(answers, "the server is up")
    yield url
    for process in parts.running:
        parts.kill(process)


@pytest.mark.long
def test_a_page_that_watched_hears_that_the_attempt_does_not_count_and_goes_on_with_the_next(
    context: tasks.WorkerContext, machine: Machine, server: str
) -> None:
    match_id = queue_match(context.database)
    page = Page(f"{server}/matches/{match_id}/live")
    wait_until(lambda: page.statuses() == [("queued", 0)], "the page follows")
    machine.crowd(attempts=1)
    play(context)
    wait_until(lambda: ("queued", 1) in page.statuses(), "it hears that the attempt does not count")
    play(context)
    page.following.join(PATIENCE_S)
    assert page.events[-1][0] == "end"
    first, restart, second = page.heard("lines", 1), page.heard("restart"), page.heard("lines", 2)
    assert first is not None
    assert restart is not None
    assert second is not None
    assert first < restart < second
    assert page.statuses()[-1] == ("done", 1)
    assert '"end":true' in [data for kind, _, data in page.events if kind == "lines"][-1][-1]


# --- On one's own machine ------------------------------------------------------------------------------------------


def played() -> PlayedMatch:
    return PlayedMatch(Record("toy", "1", 1, 1, 1, None, (), Outcome((0,), (1.0,), "over")), "", ())


@pytest.mark.parametrize("bad", [0, 1, 2])
def test_a_local_match_is_played_again_twice(bad: int) -> None:
    left = [HostOverloaded(str(number)) for number in range(bad)]
    reported: list[str] = []

    def play_one() -> PlayedMatch:
        if left:
            raise left.pop(0)
        return played()

    assert play_with_retries(play_one, lambda overload: reported.append(str(overload))) == played()
    assert reported == [str(number) for number in range(bad)]


def test_a_local_match_that_is_overloaded_three_times_has_no_result() -> None:
    starts: list[int] = []

    def play_one() -> PlayedMatch:
        starts.append(1)
        raise HostOverloaded(f"time {len(starts)}")

    with pytest.raises(HostOverloaded, match="time 3"):
        play_with_retries(play_one, lambda _: None)


# --- The load that a worker tells of -------------------------------------------------------------------------------


class Clock:
    """Time that passes only in `sleep`, which wakes up late by these amounts."""

    def __init__(self, *late_s: float) -> None:
        self.now, self._late_s = 0.0, list(late_s)

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds + (self._late_s.pop(0) if self._late_s else 0.0)


def test_the_latest_timer_counts() -> None:
    clock = Clock(0.0, 0.25, 0.05)
    load = measure(1.0, clock=clock, sleep=clock.sleep, pressure=Path("/nowhere"))
    assert round(load.late_s, 6) == 0.25
    assert load.cpu_wait is None
    assert is_high(load)


def test_the_share_of_time_in_which_something_waited_is_the_kernels(tmp_path: Path) -> None:
    pressure = tmp_path / "cpu"
    clock = Clock()

    def write(waited_us: int) -> None:
        pressure.write_text(f"some avg10=1.00 avg60=1.00 avg300=1.00 total={waited_us}\nfull avg10=0.00 total=0\n")

    def sleep(seconds: float) -> None:
        clock.sleep(seconds)
        write(1_000_000 + round(clock.now * 400_000))

    write(1_000_000)
    load = measure(1.0, clock=clock, sleep=sleep, pressure=pressure)
    assert round(load.cpu_wait or 0.0, 6) == 0.4
    assert not is_high(load)


@pytest.mark.parametrize(("waited", "steps"), [(None, 16), (0.5, 16), (0.0, 1)])
def test_an_idle_machine_is_not_woken_to_see_whether_it_stalls(waited: float | None, steps: int) -> None:
    clock, slept = Clock(0.46), list[float]()

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        clock.sleep(seconds)

    load = measure(2.0, Load(cpu_wait=waited), clock=clock, sleep=sleep, pressure=Path("/nowhere"))
    assert len(slept) == steps
    assert round(load.late_s, 6) == 0.46, "a long step can be late, too"
