"""What is done to the arena. Each fault lasts until its effect is there, and ends with everything running again."""

from __future__ import annotations

import hashlib
import os
import random
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from redis import Redis, RedisError

from hexarena.worker.sandbox import marks, slots
from scripts.chaos.arena import LEASE_S, WORKERS, Arena, children, kill

DOWN_S = 3.0
"""At most so long a server is away."""
FULL_S = 5.0
"""So long the disk is full."""
FIRST_KERNEL = (6, 15)
"""The first Linux that tells a bot that was killed from one that ended (docs/decisions/0059)."""
BOT, FULL_DISK, CUT_OFF = "kill -9: a bot", "disk: full", "host: cut off"
"""Faults that cannot be done everywhere."""

Do = Callable[[Arena, random.Random], None]


@dataclass(frozen=True, slots=True)
class Fault:
    """`why_not`: why it cannot be done here."""

    name: str
    do: Do
    why_not: str | None = None


def all_faults(arena: Arena, *, small_disk: bool) -> list[Fault]:
    """One of each. `small_disk`: the arena is on a file system of its own, which may be filled."""
    why_not = {
        BOT: _why_no_bot(arena),
        FULL_DISK: None if small_disk else "only root mounts a small disk",
        CUT_OFF: None if arena.network else "no host has joined",
    }
    return [Fault(name, do, why_not.get(name)) for name, do in FAULTS.items()]


# --- Parts -----------------------------------------------------------------------------------------------------------


def _killing(name: str) -> Do:
    def do(arena: Arena, _: random.Random) -> None:
        os.killpg(arena.parts[name].pid, signal.SIGKILL)
        arena.parts[name].wait()

    return do


def _kill_main_process(arena: Arena, chance: random.Random) -> None:
    """Its pool processes and bots have to notice."""
    kill([arena.parts[chance.choice(WORKERS)].pid])


def _kill_pool_process(arena: Arena, chance: random.Random) -> None:
    if pool := children(arena.parts[chance.choice(WORKERS)].pid):
        kill([chance.choice(pool)])


def _kill_worker(arena: Arena, chance: random.Random) -> None:
    _killing(chance.choice(WORKERS))(arena, chance)


def _stop_worker(arena: Arena, chance: random.Random) -> None:
    stopped = arena.parts[chance.choice(WORKERS)]
    os.killpg(stopped.pid, signal.SIGSTOP)
    try:
        _outlast_leases(arena)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(stopped.pid, signal.SIGCONT)


def _outlast_leases(arena: Arena) -> None:
    """Waits until all matches that run now have ended or are somebody else's."""
    held: set[str] = set()

    def look() -> bool:
        held.update(arena.leases())
        return True

    arena.wait(look, "the database says who plays")
    arena.pause(LEASE_S)
    arena.wait(lambda: not held & arena.leases(), "what was leased is over or leased again")


# --- Bots ------------------------------------------------------------------------------------------------------------


def _why_no_bot(arena: Arena) -> str | None:
    kernel = tuple(map(int, os.uname().release.split("-")[0].split(".")[:2]))
    if kernel < FIRST_KERNEL:
        return "needs Linux 6.15, which shows how a bot ended"
    return None if arena.has_groups() else "needs control groups, which show why"


def _kill_bot(arena: Arena, chance: random.Random) -> None:
    found: list[int] = []

    def look() -> bool:
        found[:] = bots(arena.settings.data_folder)
        return bool(found) or arena.is_quiet()

    arena.wait(look, "a bot runs")
    if found:
        kill([chance.choice(found)])


def bots(data_folder: Path) -> list[int]:
    """The first processes of bots of this arena, no builds."""
    return [pid for pid in sandboxed(data_folder) if _is_first(pid) and b"/bot/bot." in _read(pid, "cmdline")]


def sandboxed(data_folder: Path) -> list[int]:
    """All processes that carry the mark of a sandbox of this arena."""
    wanted = f"{marks.VARIABLE}={arena_token(data_folder)}".encode()
    numbers = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [pid for pid in numbers if wanted in _read(pid, "environ")]


def arena_token(data_folder: Path) -> str:
    """Begins the marks of all sandboxes of the arena's workers."""
    folder = (data_folder / "worker").resolve()
    return f"{slots.PREFIX}{hashlib.sha256(str(folder).encode()).hexdigest()[:10]}."


def _is_first(pid: int) -> bool:
    """Whether it is process 1 of a namespace."""
    numbers = [line for line in _read(pid, "status").splitlines() if line.startswith(b"NSpid:")]
    return bool(numbers) and numbers[0].split()[-1] == b"1" and len(numbers[0].split()) > 2


def _read(pid: int, file: str) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/{file}").read_bytes()
    return b""


# --- Servers, disk, network ------------------------------------------------------------------------------------------


def _flush_broker(arena: Arena, _: random.Random) -> None:
    with suppress(RedisError), Redis.from_url(arena.servers.redis_url) as redis:
        redis.flushall()


def _kill_broker(arena: Arena, chance: random.Random, *, emptied: bool = False) -> None:
    with arena.down("valkey"):
        server = arena.servers.children["valkey"]
        server.kill()
        server.wait()
        arena.pause(chance.uniform(0, DOWN_S))
        if emptied:
            for path in (arena.servers.folder / "valkey").rglob("*.aof*"):
                path.unlink()
        arena.start_server("valkey")


def _empty_broker(arena: Arena, chance: random.Random) -> None:
    _kill_broker(arena, chance, emptied=True)


def _stop_database(arena: Arena, chance: random.Random) -> None:
    with arena.down("postgres"):
        server = arena.servers.children["postgres"]
        server.send_signal(signal.SIGQUIT)
        server.wait()
        arena.pause(chance.uniform(0, DOWN_S))
        arena.start_server("postgres")


def _fill_disk(arena: Arena, _: random.Random) -> None:
    with arena.down("postgres"), arena.down("valkey"):
        filler = arena.fill_disk()
        try:
            arena.pause(FULL_S)
        finally:
            filler.unlink()


def _cut_off(arena: Arena, _: random.Random) -> None:
    if arena.network is None:
        return
    arena.wait(arena.host_is_there, "the host has joined")
    arena.network.cut()
    try:
        _outlast_leases(arena)
    finally:
        arena.network.mend()


def shuffled(faults: Sequence[Fault], chance: random.Random) -> list[Fault]:
    """A deck of those that can be done here."""
    return chance.sample(possible := [one for one in faults if one.why_not is None], len(possible))


FAULTS: dict[str, Do] = {
    **{f"kill -9: {part}": _killing(part) for part in ("api", "dispatcher", "scheduler", "ratings", "webhooks")},
    "kill -9: a worker's main process": _kill_main_process,
    "kill -9: a worker's pool process": _kill_pool_process,
    "kill -9: all of a worker": _kill_worker,
    BOT: _kill_bot,
    "SIGSTOP: a worker, past its lease": _stop_worker,
    "broker: FLUSHALL": _flush_broker,
    "broker: kill -9": _kill_broker,
    "broker: kill -9, comes back empty": _empty_broker,
    "PostgreSQL: immediate stop": _stop_database,
    FULL_DISK: _fill_disk,
    CUT_OFF: _cut_off,
}
"""Each by the name that the tables give it."""
