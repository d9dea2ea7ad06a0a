"""Starts the arena's parts and its command line in a moment: by forks of a process that has imported them already.

Theory of operation. Importing a part takes one to three seconds of CPU, and the tests start more than a thousand of
them. So each process of pytest starts, when it first needs it, one *template process*, which imports all modules and
then waits for orders at a socket. An order names a module, its arguments, folder and environment, and brings the files
for standard input, output and errors. The template forks; the child takes all of that over and runs the module as
`python -m` does. When the child ends, the template tells its exit status through a pipe that came with the order.

A child differs from a fresh process in what `/proc/PID/cmdline` and `environ` say, and in modules that read the
environment while they are imported. Where that matters, a test starts a process of its own.
"""

from __future__ import annotations

import atexit
import functools
import gc
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from rich.console import Console

from hexarena import backend, cli, worker
from hexarena.worker.sandbox import Mode, Sandbox

ROOT = Path(__file__).parents[1]
LONGEST_ORDER = 1 << 20
FILES = 4
"""That come with an order: standard input, output, errors, and the pipe for the exit status."""


class Forked(subprocess.Popen[bytes]):
    """A process that the template has started. Behaves as one that `subprocess.Popen` has started without pipes."""

    def __init__(
        self,
        module: str,
        *words: str,
        env: Mapping[str, str],
        stdin: IO[Any] | None = None,
        stdout: IO[Any] | None = None,
        stderr: IO[Any] | None = None,
        cwd: str | os.PathLike[str] | None = None,
        start_new_session: bool = False,
    ) -> None:
        """Runs `python -m MODULE WORDS…`. A file that is None is the null device."""
        self.args: Any = [sys.executable, "-m", module, *words]
        self.stdin = self.stdout = self.stderr = None
        self.returncode: int | None = None  # type: ignore[assignment] - typeshed hides that it may be None
        order = {
            "module": module,
            "words": words,
            "env": dict(env),
            "cwd": str(cwd or Path.cwd()),
            "session": start_new_session,
        }
        self._status, write = os.pipe()
        with Path(os.devnull).open("r+b") as null:
            files = [(file or null).fileno() for file in (stdin, stdout, stderr)]
            self.pid = _template().fork(order, [*files, write])
        os.close(write)

    def poll(self) -> int | None:
        return self._look(0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._look(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return code

    def _look(self, timeout_s: float | None) -> int | None:
        if self.returncode is None and select.select([self._status], [], [], timeout_s)[0]:
            reported = os.read(self._status, 16)
            os.close(self._status)
            if not reported:
                raise RuntimeError("the template process of the tests has ended, and all its children with it")
            self.returncode = int(reported)
        return self.returncode

    def __del__(self, *_: object) -> None:
        """Nothing to warn of: the template ends whatever still runs."""
        if self.returncode is None:
            with suppress(OSError):
                os.close(self._status)


def run(
    module: str,
    *words: str,
    env: Mapping[str, str],
    cwd: str | os.PathLike[str] | None = None,
    input: str | bytes = b"",
) -> subprocess.CompletedProcess[str]:
    """Runs `python -m MODULE WORDS…` to its end and keeps what it printed."""
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        stdin.write(input.encode() if isinstance(input, str) else input)
        stdin.seek(0)
        process = Forked(module, *words, env=env, stdin=stdin, stdout=stdout, stderr=stderr, cwd=cwd)
        code = process.wait()
        said = []
        for file in (stdout, stderr):
            file.seek(0)
            said.append(file.read().decode())
    return subprocess.CompletedProcess(process.args, code, *said)


class _Template:
    """Our end of the socket to a template process."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.forking", str(theirs.fileno())],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        atexit.register(self.close)

    def fork(self, order: Mapping[str, Any], files: Sequence[int]) -> int:
        """The new process' id."""
        socket.send_fds(self._socket, [json.dumps(order).encode()], files)
        reported = self._socket.recv(16)
        if not reported:
            raise RuntimeError("the template process of the tests has ended")
        return int(reported)

    def close(self) -> None:
        self._socket.close()
        self._process.wait()


class _Only:
    """The template of this process, once it is needed."""

    template: _Template | None = None
    owner = 0


def _template() -> _Template:
    if _Only.template is None or _Only.owner != os.getpid():
        _Only.template, _Only.owner = _Template(), os.getpid()
    return _Only.template


def _import_all() -> None:
    for package in (backend, cli, worker):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__"):
                import_module(module.name)
    gc.collect()
    gc.freeze()


@functools.cache
def _ask_versions(mode: Mode) -> None:
    """Each worker asks all compilers for their versions as it starts, Kotlin's for three seconds: once is enough."""
    with tempfile.TemporaryDirectory() as folder, Sandbox.open(mode, folder=Path(folder)) as sandbox:
        sandbox.toolchains()


def _serve(orders: socket.socket) -> dict[str, Any]:
    """Forks for each order. Returns in the child only; the template itself ends when nobody gives orders any more."""
    children: dict[int, int] = {}
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_read, False)
    os.set_blocking(wake_write, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    while True:
        ready, _, _ = select.select([orders, wake_read], [], [])
        if wake_read in ready:
            os.read(wake_read, 4096)
            _tell_ends(children)
        if orders not in ready:
            continue
        reported, files, _, _ = socket.recv_fds(orders, LONGEST_ORDER, FILES)
        if not reported:
            break
        order: dict[str, Any] = json.loads(reported)
        if order["module"] == "hexarena.worker.app":
            _ask_versions(order["env"].get("HEXARENA_SANDBOX") or "bwrap")
        child = os.fork()
        if child == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for number in (orders.detach(), wake_read, wake_write, files[-1], *children.values()):
                os.close(number)
            _take_over(order, files[:-1])
            return order
        children[child] = files[-1]
        for number in files[:-1]:
            os.close(number)
        orders.send(b"%d" % child)
    for child in children:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    sys.exit()


def _tell_ends(children: dict[int, int]) -> None:
    while children:
        child, status = os.waitpid(-1, os.WNOHANG)
        if child == 0:
            return
        pipe = children.pop(child)
        with suppress(BrokenPipeError):
            os.write(pipe, b"%d" % os.waitstatus_to_exitcode(status))
        os.close(pipe)


def _take_over(order: Mapping[str, Any], files: Sequence[int]) -> None:
    """Makes this process what a fresh one would be."""
    if order["session"]:
        os.setsid()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    sys.path[:0] = [folder for folder in order["env"].get("PYTHONPATH", "").split(os.pathsep) if folder]
    if width := order["env"].get("COLUMNS"):  # which consoles read when they are made
        for module in [one for name, one in sys.modules.items() if name.startswith("hexarena.cli")]:
            for console in [one for one in vars(module).values() if isinstance(one, Console)]:
                console.width = int(width)
    sys.argv[1:] = order["words"]
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr] - so that a killed child has said it


if __name__ == "__main__":
    _import_all()
    with socket.socket(fileno=int(sys.argv[1])) as given:
        order = _serve(given)
    sys.modules.pop(order["module"], None)  # as in a fresh process, where it is imported under another name only
    runpy.run_module(order["module"], run_name="__main__", alter_sys=True)
