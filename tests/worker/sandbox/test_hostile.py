"""Hostile bots: each folder of `hostile/` is a promise, stated in `attacks.py`.

Whatever the bot does, its neighbour in the same match answers every turn and pays for itself alone, nothing of the
bot is left when the match is over, and the worker plays the next match. Each attack is played in each mode that this
machine can do.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
import redis

from hexarena.backend.submissions.languages import PYTHON
from hexarena.games.catalogue import find_game
from hexarena.games.contract import BotFault
from hexarena.games.lines import Player
from hexarena.worker.play import ReadyBot, play_match
from hexarena.worker.sandbox import BotProcess, BuildLimits, HostOverloaded, LanguageMissing, Limits, Program, Sandbox
from hexarena.worker.sandbox.bubblewrap import DEVICES, BubblewrapLauncher
from hexarena.worker.sandbox.cache import BuildCache
from hexarena.worker.sandbox.cgroup import Group
from hexarena.worker.sandbox.limits import MIB
from hexarena.worker.sandbox.root import open_root
from hexarena.worker.sandbox.slots import Slots
from hexarena.worker.sandbox.users import FIRST_USER, RANGES, USERS_EACH
from tests.conftest import Servers, free_port, wait_until
from tests.worker.sandbox.attacks import MODES, PAGE, STOPPERS, Attack, attacks, page
from tests.worker.sandbox.conftest import TOOLCHAINS

CPU_S = 0.6
PLENTY_S = 6.0
"""Where it does not matter how long an attack takes."""
TRIES = 5
"""Of a match that does not count because the machine was too busy."""
QUICK = Limits(
    stderr_turn_bytes=200,
    stderr_match_bytes=500,
    stderr_flood_bytes=200_000,
    wall_factor=8.0,
    wall_first_s=2.0,
    wall_turn_s=0.3,
)
NEIGHBOUR = b"""
import _thread
import os
import time

started = _thread.allocate_lock()
started.acquire()
while True:
    thinks_s = float(input())
    _thread.start_new_thread(started.release, ())
    started.acquire()
    for descriptor in os.pipe():
        os.close(descriptor)
    end = time.process_time() + thinks_s
    while time.process_time() < end:
        pass
    print("unharmed")
"""
"""It needs a thread and descriptors in each turn, which others must not have taken from it."""
NO_CHILDREN = "Operation not permitted"
"""What a bot writes where it may have no child."""
NEIGHBOUR_OWN_S = 0.3
"""CPU time that the neighbour needs in a match besides what it is told to use: its start, mostly."""
ROUGHLY_BYTES = 1536 * MIB
"""What others on this machine may take meanwhile. All attacks on memory together take more than that."""
SHARED_FOLDERS = tuple(map(Path, ("/tmp", "/var/tmp", "/dev/shm")))
FOLDERS = (*SHARED_FOLDERS, *map(Path, ("/", "/usr", "/usr/bin", "/etc", "/dev", "/lib")))
"""Where attacks try to write. They put their mark, the last word of their command line, into each name."""


# --- Sandboxes, one for each mode --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def modes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Sandbox]]:
    """They share a folder, as workers do, so that each bot is built once."""
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap")
    folder = tmp_path_factory.mktemp("hostile")
    with (
        Sandbox.open("bwrap", folder=folder, toolchains=TOOLCHAINS, limits=QUICK) as full,
        without_groups(folder) as without,
        Sandbox.open("none", folder=folder, limits=QUICK) as plain,
    ):
        yield {"full": full, "no control groups": without, "no isolation": plain}


def without_groups(folder: Path) -> Sandbox:
    """As on a machine that lets this user make none: in most containers, or for an ordinary user."""
    slots = Slots(folder, groups=False)
    builds = BuildCache(folder / "builds", slots.scratch)
    launcher = BubblewrapLauncher(memory_limited=False, mark=slots.mark, root=open_root(TOOLCHAINS))
    return Sandbox("bwrap", folder, QUICK, BuildLimits(), launcher, slots, builds)


@pytest.fixture(params=MODES)
def sandbox(request: pytest.FixtureRequest, modes: Mapping[str, Sandbox]) -> Sandbox:
    """In this mode, with all that it promises."""
    opened = modes[request.param]
    if opened.promises != MODES[request.param]:
        pytest.skip(f"this machine cannot do it: {opened.describe()}")
    return opened


@pytest.fixture(scope="module", autouse=True)
def all_memory_comes_back() -> Iterator[None]:
    """Whatever was played here, the machine has its memory again afterwards. That of processes is not looked at: other
    tests have browsers and arenas, and that no process of ours is left is tested elsewhere.
    """
    before = ownerless_bytes()
    yield
    wait_until(lambda: ownerless_bytes() < before + ROUGHLY_BYTES, "the machine's memory is available again")


# --- What must still hold for the platform ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Traces:
    """What a bot may leave behind, but for files that only their names tell from other people's: see `files_of`."""

    descriptors: frozenset[str]
    children: frozenset[str]
    kept_files: frozenset[Path]
    shared_files: frozenset[Path]


def traces(sandbox: Sandbox, descriptors: Callable[[], set[str]]) -> Traces:
    """Those that there are now."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    shared = {file for folder in SHARED_FOLDERS for file in folder.iterdir() if is_a_bots(file)}
    return Traces(
        frozenset(descriptors()), frozenset(children), frozenset(sandbox.folder.rglob("*")), frozenset(shared)
    )


def is_a_bots(file: Path) -> bool:
    """Whether it belongs to one of the slots' users. An ordinary user's bots are, seen from outside, that user."""
    try:
        owner = file.lstat().st_uid
    except FileNotFoundError:
        return False
    return FIRST_USER <= owner < FIRST_USER + RANGES * USERS_EACH


def files_of(mark: str) -> list[Path]:
    """Those that have this word in their name. Whoever else works on this machine has other names."""
    return [file for folder in FOLDERS for file in folder.iterdir() if mark in file.name]


def writable_from_outside(bot: BotProcess) -> set[str]:
    """Places of the bot's that are not its own alone and that it can write to: what it puts there would outlive it.

    Devices keep nothing. Nothing is found of a bot that has ended, or that lives where this process lives.
    """
    if not namespace_of(bot):
        return set()
    ours = {device for device, _, _ in mounts("self")}
    found = {place for device, place, options in mounts(bot.pid) if device in ours and "ro" not in options}
    return found - set(DEVICES)


def mounts(pid: int | str) -> Iterator[tuple[str, str, list[str]]]:
    """(number of the device, place, options) of all that a process has mounted."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/mountinfo").read_text().splitlines():
            device, _, place, options = line.split()[2:6]
            yield device, place, options.split(",")


def processes_of(mark: str, namespace: str) -> set[int]:
    """Those that have this word in their command line, or that live in this process namespace."""
    found = set()
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            marked = mark.encode() in (folder / "cmdline").read_bytes().split(b"\0")
            if marked or (namespace and os.readlink(folder / "ns/pid") == namespace):  # noqa: PTH115 - often absent
                found.add(int(folder.name))
        except OSError:
            continue
    return found


def namespace_of(bot: BotProcess) -> str:
    """The bot's process namespace; "" once it has ended, or where it has none of its own."""
    try:
        theirs, ours = (str(Path(f"/proc/{pid}/ns/pid").readlink()) for pid in (bot.pid, "self"))
    except OSError:
        return ""
    return "" if theirs == ours else theirs


def memory_bytes(group: Group) -> int:
    """What the group uses; without the system's files, which stay in memory for whoever reads them next."""
    usage, files = ("memory.current", "file") if group._version_2 else ("memory.usage_in_bytes", "cache")
    used = dict(line.split() for line in (group._memory / "memory.stat").read_text().splitlines())
    return int((group._memory / usage).read_text()) - int(used[files]) + int(used["shmem"])


def ownerless_bytes() -> int:
    """Memory that outlasts processes: files in memory, shared memory, and what the kernel keeps for itself."""
    found = re.findall(r"^(?:Shmem|SUnreclaim):\s+(\d+) kB$", Path("/proc/meminfo").read_text(), re.MULTILINE)
    assert len(found) == 2
    return sum(int(one) for one in found) * 1024


# --- Each attack in each mode --------------------------------------------------------------------------------------


class Match:
    """Two seats, asked in turns: the attacker first."""

    def __init__(self, attack: Attack, bot: BotProcess, neighbour: BotProcess) -> None:
        self.attack, self.bot, self.neighbour = attack, bot, neighbour
        self.neighbours_turns, self.neighbours_cpu_s = 0, 0.0
        self.log = ""
        self.namespace = ""
        self.writable: set[str] = set()
        self.started = False

    def end_without_children(self, prompt: str) -> None:
        """Plays until the attack wants its first child, which it does not get."""
        replies: list[str] = []
        with pytest.raises(BotFault) as fault:
            replies.extend(self.bot.ask(prompt, CPU_S).line for _ in (*self.attack.replies, "one too many"))
        assert fault.value.kind == "crash"
        assert NO_CHILDREN in fault.value.message
        self.neighbour_plays()

    def play(self, prompt: str) -> None:
        """Plays the turns that the attack tells of."""
        for expected in self.attack.replies:
            reply = self.bot.ask(prompt, self.attack.turn_s if self.started else CPU_S)
            self.log += reply.stderr
            self.started = True
            assert reply.line == expected
            assert reply.cpu_s >= self.attack.costs_s
            self.namespace = self.namespace or namespace_of(self.bot)
            self.writable |= writable_from_outside(self.bot)
            self.neighbour_plays()
        if self.attack.fault:
            with pytest.raises(BotFault) as fault:
                self.bot.ask(prompt, self.attack.turn_s if self.started else CPU_S)
            assert fault.value.kind in self.attack.fault
            assert self.attack.says in fault.value.message
            self.neighbour_plays()
        self.log += self.bot.log()
        assert self.attack.log in self.log

    def neighbour_plays(self) -> None:
        """The other seat's turn, as if nothing had happened."""
        reply = self.neighbour.ask(f"{self.attack.neighbour_s}\n", CPU_S)
        assert reply.line == "unharmed"
        self.writable |= writable_from_outside(self.neighbour)
        self.neighbours_turns += 1
        self.neighbours_cpu_s += reply.cpu_s

    def neighbour_is_unharmed(self) -> None:
        """It pays for itself alone."""
        told_s = self.neighbours_turns * self.attack.neighbour_s
        assert told_s <= self.neighbours_cpu_s < told_s + NEIGHBOUR_OWN_S


@pytest.mark.long
@pytest.mark.parametrize("attack", attacks(), ids=lambda attack: attack.name)
def test_the_platform_holds(
    sandbox: Sandbox, attack: Attack, targets: dict[str, object], descriptors: Callable[[], set[str]]
) -> None:
    missing = set(attack.needs) - sandbox.promises
    if missing:
        pytest.skip(f"not covered here: it needs {', '.join(sorted(missing))}")
    neighbours = sandbox.build(PYTHON, NEIGHBOUR)
    built = build(sandbox, attack)
    for last in (False,) * (TRIES - 1) + (True,):
        before = traces(sandbox, descriptors)
        try:
            play_out(sandbox, attack, built, neighbours, targets)
            break
        except HostOverloaded:
            if last:
                raise
        finally:
            assert traces(sandbox, descriptors) == before


def play_out(sandbox: Sandbox, attack: Attack, built: Program, neighbours: Program, targets: dict[str, object]) -> None:
    """One match, what is left of it, and the next match."""
    mark = f"mark-{uuid.uuid4()}"
    program = Program(attack.name, replace(built.command, argv=(*built.command.argv, mark)), attack.memory_bytes)
    with ExitStack() as stack:
        neighbour = stack.enter_context(sandbox.start(neighbours, reply_bytes=100))
        bot = stack.enter_context(sandbox.start(program, reply_bytes=1000))
        match = Match(attack, bot, neighbour)
        match.neighbour_plays()
        play = match.play if sandbox.use.processes or not attack.children else match.end_without_children
        play(prompt(sandbox, attack, built, neighbours, neighbour, targets=targets))
        bot.close()
        if sandbox.promises & {"isolation", "processes"}:
            assert processes_of(mark, match.namespace) == set(), "nothing of it is left"
            assert match.writable == set(), "what it writes goes with it"
        assert files_of(mark) == []
        match.neighbour_plays()
        match.neighbour_is_unharmed()
    groups = sandbox._slots._groups.values()
    assert not any(group.pids() for group in groups)
    wait_until(lambda: all(memory_bytes(group) < 4 * MIB for group in groups), "its memory is back")
    with sandbox.start(neighbours, reply_bytes=100) as next_bot:
        assert next_bot.ask("0\n", CPU_S).line == "unharmed"


def build(sandbox: Sandbox, attack: Attack) -> Program:
    """The attacker, compiled where it must be."""
    try:
        return sandbox.build(attack.language, attack.source)
    except LanguageMissing as error:
        pytest.skip(str(error))


def prompt(
    sandbox: Sandbox,
    attack: Attack,
    built: Program,
    neighbours: Program,
    neighbour: BotProcess,
    *,
    targets: dict[str, object],
) -> str:
    """What the attacker is told: where everything lies that it must not reach, and what holds here."""
    files = {
        "opponent": str(neighbours.command.home / "bot.py"),
        "builds": str(built.command.home.parents[1]),
        "secret": targets["secret"],
    }
    pids, promises = [os.getpid(), neighbour.pid], sorted(sandbox.promises)
    reported = {"files": files, "pids": pids, "servers": targets["servers"], "promises": promises}
    reported["single"] = not sandbox.use.processes
    return json.dumps(reported).ljust(attack.prompt_bytes) + "\n"


# --- What attacks aim at -------------------------------------------------------------------------------------------


@pytest.fixture
def targets(attack: Attack, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[dict[str, object]]:
    """Real things to be reached: a secret, a socket without a file, and the arena's servers where they are the aim."""
    secret = tmp_path / "secret"
    secret.write_text("the worker's own")
    abstract = f"hexarena-{uuid.uuid4()}"
    servers: dict[str, object] = {"abstract": abstract, "unix": [], "tcp": []}
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind("\0" + abstract)
        listener.listen()
        if attack.servers:
            servers |= stack.enter_context(listening(request.getfixturevalue("servers")))
        yield {"secret": str(secret), "servers": servers}


@contextmanager
def listening(servers: Servers) -> Iterator[dict[str, object]]:
    """Where PostgreSQL and Valkey listen; for as long as this lasts, Valkey on a port of this machine too."""
    unix, tcp = [], []
    for url, name in ((servers.database_url, ".s.PGSQL.5432"), (servers.redis_url, "")):
        parts = urlsplit(url)
        if parts.hostname:
            tcp.append((parts.hostname, parts.port))
        else:
            unix.append(unquote(parse_qs(parts.query).get("host", [""])[0] + f"/{name}" if name else parts.path))
    port = free_port()
    with closing(redis.Redis.from_url(servers.redis_url)) as client:
        given = str(client.config_get("port")["port"])
        client.config_set("port", port)
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            yield {"unix": unix, "tcp": [*tcp, ("127.0.0.1", port)]}
        finally:
            client.config_set("port", given)


@pytest.mark.parametrize("attack", [attack for attack in attacks() if attack.control], ids=lambda attack: attack.name)
def test_without_isolation_the_same_attack_works(
    modes: Mapping[str, Sandbox], attack: Attack, targets: dict[str, object]
) -> None:
    """So that none of them fails for a reason of its own."""
    if attack.control == "root" and os.geteuid() != 0:
        pytest.skip("only root could do it")
    plain = modes["no isolation"]
    neighbours, built = plain.build(PYTHON, NEIGHBOUR), build(plain, attack)
    with plain.start(neighbours, reply_bytes=100) as neighbour, plain.start(built, reply_bytes=1000) as bot:
        neighbour.ask("0\n", CPU_S)
        asked = prompt(plain, attack, built, neighbours, neighbour, targets=targets)
        assert bot.ask(asked, PLENTY_S).line != "held"


# --- Verdicts of games, and the page --------------------------------------------------------------------------------


@pytest.mark.parametrize("attack", [attack for attack in attacks() if attack.verdict], ids=lambda attack: attack.name)
def test_a_game_refuses_what_is_no_text(modes: Mapping[str, Sandbox], attack: Attack) -> None:
    """The record says so, the bot's owner reads what it wrote, and the other seat has won."""
    full, game = modes["full"], find_game("yavalath")
    entrants = [
        ReadyBot(full.build(PYTHON, source), Player(name))
        for name, source in (("attacker", attack.source), ("fair", b"input()\n"))
    ]
    played = play_match(game, full, entrants, seed=1, league=game.top_level)
    (fault,) = played.record.faults
    assert (fault.seat, fault.kind) == (0, attack.verdict)
    assert played.record.outcome.ranks == (1, 0)
    (line,) = played.seat_logs[0].splitlines()
    assert json.loads(line)["o"] == attack.replies[0]
    assert attack.log in json.loads(line)["e"]


def test_every_attack_has_a_stopper_that_the_page_knows() -> None:
    assert {attack.stopped_by for attack in attacks()} == set(STOPPERS)


def test_the_page_of_attacks_is_up_to_date() -> None:
    """Made by `python -m tests.worker.sandbox.attacks`."""
    assert PAGE.read_text() == page(PAGE.read_text())
