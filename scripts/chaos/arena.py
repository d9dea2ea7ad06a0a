"""The arena that is tormented: its disk, servers and parts, what is posted to it, and what of it is running."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2 as httpx
from redis import Redis, RedisError
from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError

from hexarena.backend.hosts import life as hosts
from hexarena.backend.matches import life as matches
from hexarena.backend.models import (
    Bot,
    Job,
    Match,
    MatchKind,
    MatchState,
    PendingResult,
    Result,
    Standing,
    Submission,
    SubmissionState,
    User,
    UserKind,
    Worker,
)
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.local import LocalServers
from hexarena.backend.runtime.parent import PARENT
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions import seeding
from hexarena.games.catalogue import bot_file, find_game
from scripts.chaos.network import HOST, VALKEY, Network

PATIENCE_S = 600.0
"""With whatever must come true. Only what is broken takes so long."""
LOOK_S = 0.1
LEASE_S, QUEUE_LEASE_S = 3.0, 5.0
IDLE_S = 60.0
DISK_BYTES, RESERVE_BYTES = 1 << 30, 32 << 20
PAGE_BYTES = 4096
HEARD_OF = timedelta(seconds=8)
WORKERS = ("worker 1", "worker 2")
MODULES = {
    **dict.fromkeys(WORKERS, "hexarena.worker.app"),
    "dispatcher": "hexarena.worker.dispatcher",
    "scheduler": "hexarena.worker.scheduler",
    "ratings": "hexarena.worker.ratings",
    "webhooks": "hexarena.worker.webhooks",
    "api": "hexarena.backend.serve",
}
"""Name of a part -> its module."""
GAMES = ("yavalath", "yavalath", "tron", "tron", "tryangle", "ants")
"""What is played, in these proportions: what costs least most often."""
WAITING = 8
"""Matches that are in the queue as long as there are some to post."""
UNDER_WAY = (SubmissionState.QUEUED, SubmissionState.BUILDING, SubmissionState.CHECKING)
POSTGRES_SETTINGS = ("full_page_writes=off",)


@dataclass
class Posted:
    """What was asked for.

    `accepted`: matches that the API has promised. `answers`: status -> how often; 0: none. `said`: status -> the body
    of its last answer, where nothing was accepted.
    """

    matches: int = 0
    accepted: list[int] = field(default_factory=list)
    uploads: list[int] = field(default_factory=list)
    answers: dict[int, int] = field(default_factory=dict)
    said: dict[int, str] = field(default_factory=dict)


class Arena:
    """Everything of it. `network`: where a host joins from; None: nobody does."""

    uploads = 3
    """How many of what is posted are submissions, which are checked and placed."""

    def __init__(
        self, folder: Path, chance: random.Random, network: Network | None, environment: Mapping[str, str]
    ) -> None:
        self.disk = folder / "disk"
        self.network = network
        self.posted = Posted()
        self.parts: dict[str, subprocess.Popen[bytes]] = {}
        self.restarts: dict[str, int] = {}
        self._chance = chance
        self._folder = folder
        self._extra = dict(environment)
        self._down: set[str] = set()
        listen = [] if network is None else [f"listen_addresses={network.listen}"]
        self.servers = LocalServers(self.disk / "servers", postgres_settings=(*POSTGRES_SETTINGS, *listen))

    def start(self) -> None:
        """Servers, schema, house bots and parts."""
        self.servers.__enter__()
        if self.network is not None:
            with (self.servers.folder / "postgres" / "pg_hba.conf").open("a") as rules:
                rules.write(self.network.trusted)
            self._open_broker()
        self.settings = Settings(
            DATABASE_URL=self.servers.database_url,
            REDIS_URL=self.servers.redis_url,
            data_folder=self.disk / "data",
            secret_key="of an arena that is gone afterwards",  # noqa: S106
            store=self._extra.get("HEXARENA_STORE", ""),
            port=free_port(),
        )
        self.settings.data_folder.mkdir()
        self.database = Database(self.settings.sqlalchemy_url(), idle_s=IDLE_S)
        seeding.prepare(self.database)
        with self.database.transaction() as session:
            session.execute(text("DELETE FROM match"))
            session.execute(text("SELECT pg_reload_conf()"))
        for name in MODULES:
            self._start(name)
        if self.network is not None:
            with self.database.transaction() as session:
                self._token = hosts.add(session, "far")[1]
            self._start(HOST)
        self.wait(lambda: self.count(Match.state == MatchState.RUNNING) or self.api_answers(), "the API answers")

    # --- Parts -------------------------------------------------------------------------------------------------------

    def _start(self, name: str) -> None:
        command = self._command(name)
        with (self._folder / f"{name}.log").open("ab") as log:
            self.parts[name] = subprocess.Popen(
                command, env=self._environment(name), stdout=log, stderr=log, start_new_session=True
            )

    def _command(self, name: str) -> list[str]:
        if name != HOST or self.network is None:
            return [sys.executable, "-m", MODULES[name]]
        address = f"http://{self.network.address}:{self.settings.port}"
        join = [sys.executable, "-m", "hexarena.cli.app", "worker", "--join", address]
        return [*self.network.inside, *join]

    def _environment(self, name: str) -> dict[str, str]:
        plain = {key: value for key, value in os.environ.items() if not key.startswith("HEXARENA_")}
        common = {PARENT: str(os.getpid()), "HEXARENA_WORKER_PROCESSES": "1", "HEXARENA_SPARE_PROCESSES": "1"}
        if name == HOST:
            plain = {key: value for key, value in plain.items() if not key.startswith(("AWS_", "DATABASE_", "REDIS_"))}
            own = {"HEXARENA_JOIN_TOKEN": self._token, "HEXARENA_DATA_FOLDER": str(self._folder / HOST)}
            return {**plain, **common, **own, "HEXARENA_DISK_RESERVE_BYTES": "0"}
        return {
            **plain,
            **common,
            "DATABASE_URL": self.settings.database_url,
            "REDIS_URL": self.settings.redis_url,
            "HEXARENA_DATA_FOLDER": str(self.settings.data_folder),
            "HEXARENA_SECRET_KEY": self.settings.secret_key,
            "HEXARENA_PORT": str(self.settings.port),
            "HEXARENA_DISK_RESERVE_BYTES": str(RESERVE_BYTES),
            "HEXARENA_LEASE_S": str(LEASE_S),
            "HEXARENA_QUEUE_LEASE_S": str(QUEUE_LEASE_S),
            "HEXARENA_TRANSACTION_IDLE_S": str(IDLE_S),
            "HEXARENA_FILL_IN_S": "0",
            **dict.fromkeys(("HEXARENA_BOTS_EACH", "HEXARENA_VERSIONS_A_DAY", "HEXARENA_QUEUE_PER_NETWORK"), "0"),
            **dict.fromkeys(("HEXARENA_GUESTS_PER_MINUTE", "HEXARENA_GUEST_CPU_S", "HEXARENA_NETWORK_BYTES"), "0"),
            "HEXARENA_GUEST_BYTES": "0",
            **self._extra,
        }

    def revive(self) -> None:
        """Starts again what ended, as the supervisor does; servers, too, but for those that a fault keeps down."""
        for name, process in list(self.parts.items()):
            if process.poll() is not None and name not in self._down:
                _kill_session(process)
                self.restarts[name] = self.restarts.get(name, 0) + 1
                self._start(name)
        for name, server in list(self.servers.children.items()):
            if server.poll() is not None and name not in self._down:
                self.start_server(name)

    def start_server(self, name: str) -> None:
        """PostgreSQL or Valkey, after it has ended."""
        if name == "postgres":
            self.servers.start_postgres()
        else:
            self.servers.start_valkey()
            self._open_broker()

    @contextmanager
    def down(self, name: str) -> Iterator[None]:
        """Nobody starts it again within the block."""
        self._down.add(name)
        try:
            yield
        finally:
            self._down.discard(name)

    def retire(self, name: str) -> None:
        """Stops a part for good."""
        self._down.add(name)
        self.parts[name].terminate()
        self.parts[name].wait(PATIENCE_S)
        _kill_session(self.parts[name])

    def _open_broker(self) -> None:
        """To the namespace, as it listens on a socket only."""
        if self.network is None:
            return
        with Redis.from_url(self.servers.redis_url) as redis:
            listen = self.network.listen.replace(",", " ")
            for key, value in (("protected-mode", "no"), ("bind", listen), ("port", str(VALKEY))):
                redis.config_set(key, value)

    def stop(self) -> None:
        """The parts, as the supervisor does; the servers stay."""
        for name in reversed(list(self.parts)):
            self._down.add(name)
            self.parts[name].terminate()
        for process in self.parts.values():
            with suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE_S)
            _kill_session(process)

    def close(self) -> None:
        """What is left, at once."""
        for process in self.parts.values():
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGCONT)
            _kill_session(process)
        with suppress(AttributeError):
            self.database.close()
        self.servers.stop()

    # --- Waiting -----------------------------------------------------------------------------------------------------

    def wait(self, is_true: Callable[[], object], what: str, patience_s: float = PATIENCE_S) -> None:
        """Keeps the arena going until it is true. Exits where it never is."""
        end = time.monotonic() + patience_s
        while True:
            self.revive()
            with suppress(DBAPIError, RedisError, httpx.HTTPError):
                if is_true():
                    return
            if time.monotonic() > end:
                raise SystemExit(f"In {patience_s:.0f} s it never came true: {what}\n{self.logs()}")
            time.sleep(LOOK_S)

    def pause(self, seconds: float) -> None:
        """Lets it run for so long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.revive()
            time.sleep(LOOK_S)

    def logs(self) -> str:
        """The ends of what its parts have said."""
        tails = ((path.name, path.read_text(errors="replace")[-3000:]) for path in sorted(self._folder.glob("*.log")))
        return "\n".join(f"== {name}\n{tail}" for name, tail in tails)

    # --- What it has -------------------------------------------------------------------------------------------------

    def count(self, *where: object) -> int:
        """How many matches are so. Raises: DBAPIError."""
        with self.database.transaction() as session:
            return session.scalar(select(func.count()).select_from(Match).where(*where)) or 0  # type: ignore[arg-type]

    def done(self) -> int:
        """How many results there are. Raises: DBAPIError."""
        with self.database.transaction() as session:
            return session.scalar(select(func.count()).select_from(Result)) or 0

    def running(self) -> list[int]:
        """The matches that are being played; none while the database is away."""
        with suppress(DBAPIError), self.database.transaction() as session:
            return list(session.scalars(select(Match.id).where(Match.state == MatchState.RUNNING)))
        return []

    def has_groups(self) -> bool:
        """Whether its workers have control groups."""
        with self.database.transaction() as session:
            modes = session.scalars(select(Worker.sandbox)).all()
        return bool(modes) and not any("no control groups" in one for one in modes)

    def host_is_there(self) -> bool:
        """Whether a worker of the joined host has just reported how it is. Raises: DBAPIError."""
        recent = Worker.seen_at > func.now() - HEARD_OF
        with self.database.transaction() as session:
            joined = select(Worker.name).where(Worker.host_id.is_not(None), recent)
            return session.scalar(joined.limit(1)) is not None

    def leases(self) -> set[str]:
        """All tokens now. Raises: DBAPIError."""
        with self.database.transaction() as session:
            return set(map(str, session.scalars(select(Job.token).where(Job.token.is_not(None)))))

    def waiting(self) -> int:
        """How many matches are not over. Raises: DBAPIError."""
        return self.count(Match.state.in_((MatchState.QUEUED, MatchState.RUNNING)))

    def now(self) -> datetime:
        """By the database's clock, or ours while it is away."""
        with suppress(DBAPIError), self.database.transaction() as session:
            return session.execute(select(func.clock_timestamp())).scalar_one()  # type: ignore[no-any-return]
        return datetime.now(UTC)

    def is_quiet(self) -> bool:
        """Whether nothing is queued, played, checked or to be counted. Raises: DBAPIError."""
        with self.database.transaction() as session:
            jobs = select(Job.match_id).limit(1)
            pending = select(PendingResult.match_id).limit(1)
            busy = any(session.scalar(query) for query in (jobs, pending))
        return not busy and not self.is_checking()

    def is_checking(self) -> bool:
        """Whether an upload is not live yet. Raises: DBAPIError."""
        with self.database.transaction() as session:
            checked = select(Submission.id).where(Submission.state.in_(UNDER_WAY)).limit(1)
            return session.scalar(checked) is not None

    def all_have_played(self) -> bool:
        """Whether every uploaded bot that is live has a counted game: until then its rating is no refit's.

        House bots play only if they are drawn. Raises: DBAPIError.
        """
        uploaded = select(Submission.id).join(Submission.bot).join(Bot.owner)
        uploaded = uploaded.where(Submission.state == SubmissionState.LIVE, User.kind != UserKind.HOUSE)
        new = uploaded.join(Standing, Standing.submission_id == Submission.id).where(Standing.games == 0)
        with self.database.transaction() as session:
            return session.scalar(new.limit(1)) is None

    def api_answers(self) -> bool:
        """Whether it does. Raises: httpx.HTTPError."""
        return httpx.get(f"{self._url}/health", timeout=10).status_code == httpx.codes.OK

    # --- Posting -----------------------------------------------------------------------------------------------------

    @property
    def _url(self) -> str:
        return f"{self._address}/api/v1"

    @property
    def _address(self) -> str:
        return f"http://127.0.0.1:{self.settings.port}"

    def top_up(self, most: int) -> None:
        """Posts matches until enough wait, or so many were posted. What is refused now is not posted."""
        with suppress(DBAPIError):
            for _ in range(min(WAITING - self.waiting(), most - self.posted.matches)):
                self._post_one()

    def _post_one(self) -> None:
        game = self._chance.choice(GAMES)
        if len(self.posted.uploads) < self.uploads and self._chance.random() < 0.2:
            name = f"bot {self._chance.getrandbits(60):x}"
            made = self._post("submissions", {**self._source("yavalath"), "bot": name})
            self.posted.uploads += made
            self.posted.matches += len(made)
        elif self._chance.random() < 0.5:
            made = self._post("matches", self._source(game))
            self.posted.accepted += made
            self.posted.matches += len(made)
        else:
            self._queue_rated(game)
            self.posted.matches += 1

    def _source(self, game_id: str) -> dict[str, str]:
        game = find_game(game_id)
        starter = next(name for name in game.starters if name.endswith(".py"))
        source = f"{bot_file(game, starter).read_text()}\n# {self._chance.random()}\n"
        return {"game": game_id, "language": "python", "source": source}

    def _post(self, what: str, body: Mapping[str, str]) -> list[int]:
        """The id of what was accepted. A request that got no answer may have been accepted all the same."""
        try:
            answer = httpx.post(f"{self._url}/{what}", json=dict(body), headers={"Origin": self._address}, timeout=60)
            status = answer.status_code
        except httpx.HTTPError:
            status = 0
        self.posted.answers[status] = self.posted.answers.get(status, 0) + 1
        if status == httpx.codes.CREATED:
            return [int(answer.json()["id"])]
        if status:
            self.posted.said[status] = answer.text
        return []

    def _queue_rated(self, game_id: str) -> None:
        """As the scheduler does. Raises: DBAPIError."""
        game = find_game(game_id)
        seats = self._chance.choice(game.seats)
        with self.database.transaction() as session:
            live = select(Submission.id).where(Submission.game == game_id, Submission.state == SubmissionState.LIVE)
            competitors = self._chance.sample(list(session.scalars(live.order_by(Submission.id))), seats)
            matches.schedule(
                session,
                game=game_id,
                kind=MatchKind.LADDER,
                submission_ids=competitors,
                seed=self._chance.getrandbits(40),
                league=game.top_level,
            )

    # --- The disk ----------------------------------------------------------------------------------------------------

    def fill_disk(self) -> Path:
        """Takes all that is left of it. Returns the file to delete."""
        filler = self.disk / "filler"
        with filler.open("wb") as file:
            taken, piece = 0, DISK_BYTES
            while piece >= PAGE_BYTES:
                try:
                    os.posix_fallocate(file.fileno(), taken, piece)
                except OSError:  # others write as well
                    piece //= 2
                else:
                    taken += piece
        return filler


def free_port() -> int:
    """A port that nobody uses right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def children(pid: int) -> list[int]:
    """Of the main thread of a process."""
    with suppress(OSError):
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def descendants(pid: int) -> list[int]:
    """All processes below this one."""
    return [one for child in children(pid) for one in (child, *descendants(child))]


def kill(pids: Collection[int]) -> None:
    """SIGKILL to those that still exist."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def _kill_session(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
