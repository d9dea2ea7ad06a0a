"""From sources to a Program: compiled, or only checked, inside a sandbox; cached by content.

The output leaves the sandbox through a pipe, with a size limit. Nothing that the sources control can touch the worker's
folders: only the worker writes the artefact's file. The key of a cached build is the hash of everything it depends on.
"""

from __future__ import annotations

import hashlib
import os
import select
import subprocess
import tarfile
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TypeAlias

from hexarena.backend.submissions.languages import Language, Preparation
from hexarena.backend.submissions.sources import Files
from hexarena.worker.sandbox import toolchains
from hexarena.worker.sandbox.bubblewrap import proc_links
from hexarena.worker.sandbox.errors import BotKilled, BuildFailed, HostOverloaded
from hexarena.worker.sandbox.lag import Lag
from hexarena.worker.sandbox.limits import KIB, MIB, PREPARATION_LIMITS, BuildLimits
from hexarena.worker.sandbox.rules import BUILDS, BUILDS_THAT_RUN_CODE
from hexarena.worker.sandbox.sandboxed import Command, Launcher, SandboxedProcess
from hexarena.worker.sandbox.tree import Tree

READ_BYTES = 64 * KIB
OUT_OF_MEMORY = (
    "out of memory",
    "outofmemoryerror",
    "insufficient memory",
    "virtual memory exhausted",
    "memory allocation of",
    "more memory than available",
    "could not allocate",
)
OUT_OF_STACK = (
    "segmentation fault",
    "stackoverflowerror",
    "goroutine stack exceeds",
    "maximum call stack size exceeded",
)
OUT_OF_SPACE = ("no space left on device", "file size limit exceeded")
"""What toolchains print, compared in lower case, when they run out of something."""
LOOK_S = 0.1
"""How often a build's CPU time is checked."""
MOST_WAITS = 4
"""The wall limit of a build does not count time spent waiting for a CPU, but the build ends at this multiple of it."""
SEND_FOLDER = 'out=$0; "$@" 1>&2 && exec tar --create --directory "$out" .'
"""Runs a preparation likewise, and sends all that it made, as a tar file."""
SEND_ARTEFACT = '"$@" 1>&2 && exec cat "$0"'
"""Runs the build with its output on stderr, then sends the file that is named first through stdout."""


@dataclass(frozen=True, slots=True)
class Program:
    """Something that can be started in a sandbox, any number of times. Made by `Sandbox` only."""

    name: str
    command: Command
    memory_bytes: int


RunCommand: TypeAlias = Callable[[Command, BuildLimits], AbstractContextManager[tuple[SandboxedProcess, Tree]]]
"""Runs a command in a free slot, under its limits, until the context ends."""


def key_of(language: Language, version: str, files: Files, beside: Files) -> str:
    """The cache key of a build: equal only if everything that matters is. `beside`: files of ours that go with it."""
    parts = [language.id, version, language.artefact_name, *language.build]
    for group in (files, beside):
        parts.append(str(len(group)))
        for name, content in sorted(group.items()):
            parts += [name, hashlib.sha256(content).hexdigest()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def build_files(
    language: Language,
    files: Files,
    beside: Files,
    home: Path,
    *,
    launcher: Launcher,
    run: RunCommand,
    limits: BuildLimits,
    prepared: Path | None = None,
) -> Files:
    """Everything in the folder of a running bot: path -> content.

    That is the artefact, and what was uploaded with the sources; the sources themselves only where they are needed.
    home: an empty folder of the worker for this build. beside: files of ours that are put there too.
    prepared: the folder with the language's preparation.
    Raises: BuildFailed. HostOverloaded.
    """
    for name in (*beside, *([language.artefact_name] if language.compiled else [])):
        if taken := [path for path in files if path.split("/")[0] == name]:
            raise BuildFailed(f"expected no file or folder named {name}, which is ours; got {taken[0]}")
    for name, content in {**files, **beside}.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(content)
    sender = ("/bin/sh", "-c", SEND_ARTEFACT, f"{{out}}/{language.artefact_name}") if language.compiled else ()
    argv = (*sender, *language.build_command((*files, *beside)))
    command = _command(language, argv, home, names=(*files, *beside), launcher=launcher, prepared=prepared)
    made = _output(command, run, limits, quoted=files)
    if not language.compiled:
        return files
    kept = (name for name in files if language.keeps_sources or not language.is_source(name))
    return {language.artefact_name: made, **{name: files[name] for name in kept}}


def prepare_files(
    language: Language, preparation: Preparation, home: Path, *, launcher: Launcher, run: RunCommand
) -> Files:
    """What a language's preparation makes: path -> content. `home`: an empty folder of the worker.

    Raises: BuildFailed. HostOverloaded.
    """
    (home / ".empty").touch()
    argv = ("/bin/sh", "-c", SEND_FOLDER, "{out}", *preparation.build)
    command = _command(language, argv, home, names=(".empty",), launcher=launcher)
    with tarfile.open(fileobj=BytesIO(_output(command, run, PREPARATION_LIMITS, quoted={}))) as archive:
        members = [member for member in archive if member.isfile()]
        return {member.name.removeprefix("./"): _content(archive, member) for member in members}


def run_tool(
    language: Language,
    argv: Sequence[str],
    files: Files,
    home: Path,
    *,
    launcher: Launcher,
    run: RunCommand,
    limits: BuildLimits,
) -> bytes:
    """What a program of ours writes to stdout, run in a language's interpreter on these files, as a build is.

    `argv`: its arguments, with `{bot}` for the folder of the files. `home`: an empty folder of the worker.
    Raises: BuildFailed. HostOverloaded. LanguageMissing.
    """
    for name, content in files.items():
        (home / name).write_bytes(content)
    argv = (str(toolchains.locate(language, launcher)[0]), *argv)
    command = _command(language, argv, home, names=tuple(files), launcher=launcher)
    return _output(command, run, limits, quoted=files)


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member)
    return b"" if file is None else file.read()


def _command(
    language: Language,
    argv: Sequence[str],
    home: Path,
    *,
    names: Sequence[str],
    launcher: Launcher,
    prepared: Path | None = None,
) -> Command:
    out = home / ".out"
    if not launcher.isolates:
        out.mkdir()
    return Command(
        tuple(argv),
        home,
        files=tuple(names),
        out=out,
        tools=toolchains.outside(language, launcher),
        links=proc_links(language, launcher.root),
        use=BUILDS_THAT_RUN_CODE if language.builds_run_code else BUILDS,
        prepared=prepared,
    )


def _output(command: Command, run: RunCommand, limits: BuildLimits, *, quoted: Files) -> bytes:
    """Runs a build. Returns what it sends: the artefact, nothing after a mere check.

    `quoted`: what its log may quote.
    """
    with run(command, limits) as (process, tree):
        build = _Build(process, tree, limits)
        code = build.watch()
        if code not in (0, None):
            process.require_gate_passed(build.log_text())
        stopped = build.stopped or (_ended_by_limit(tree, build.log_text(), limits, quoted) if code != 0 else None)
        if stopped is None and code not in (0, None):
            _require_own_end(process, tree)
    text = build.log_text().replace("/bot/", "").replace(f"{command.home}/", "").strip()
    if stopped is not None:
        raise BuildFailed(f"The build was stopped: {stopped}.\n{text}".strip(), stopped=True)
    if code != 0:
        raise BuildFailed(text or f"The build ended with exit code {code} and no output.")
    return bytes(build.output)


class _Build:
    """A running build: reads its output, and stops it at its limits."""

    def __init__(self, process: SandboxedProcess, tree: Tree, limits: BuildLimits) -> None:
        self._process, self._tree, self._limits = process, tree, limits
        self._started_at = self._looked_at = time.monotonic()
        self._lag = Lag(counts_ended=True)  # a build that delays itself on purpose gains nothing
        self._log = bytearray()
        self._log_bytes = 0
        self.output = bytearray()
        self.stopped: str | None = None
        """Which limit stopped it."""

    def watch(self) -> int | None:
        """Waits for its end. Returns its exit code, or None if it was stopped. Raises: HostOverloaded."""
        poll = select.poll()
        waiting = {self._process.stdout, self._process.stderr}
        for descriptor in waiting:
            poll.register(descriptor, select.POLLIN)
        while waiting:
            for descriptor, _ in poll.poll(LOOK_S * 1000):
                data = os.read(descriptor, READ_BYTES)
                if not data:
                    poll.unregister(descriptor)
                    waiting.remove(descriptor)
                elif descriptor == self._process.stdout:
                    self.output += data
                else:
                    self._log += data[: self._limits.log_bytes - len(self._log)]
                    self._log_bytes += len(data)
            self._check_clocks()
            self.stopped = self._over_limit()
            if self.stopped is not None:
                return None
        try:
            return self._process.process.wait(LOOK_S + max(0.0, self._limits.wall_s - self._elapsed_s()))
        except subprocess.TimeoutExpired:
            self.stopped = self._over_wall_limit()
            return None

    def log_text(self) -> str:
        """The compiler's output, cut to the limit, with a note if it was cut."""
        text = self._log.decode("utf-8", "replace")
        if self._log_bytes > len(self._log):
            kept, said = self._limits.log_bytes / KIB, self._log_bytes / KIB
            text += f"\n[The log was cut here: expected at most {kept:.3g} KiB; got {said:.0f} KiB.]"
        return text

    def _over_limit(self) -> str | None:
        used_s, limits = self._tree.cpu_s(), self._limits
        if used_s > limits.cpu_s:
            return f"expected at most {limits.cpu_s:g} s of CPU time; used {used_s:.1f} s"
        if self._elapsed_s() > limits.wall_s and self._elapsed_s() - self._lag_s() > limits.wall_s:
            return self._over_wall_limit()
        if len(self.output) > limits.artefact_bytes:
            return f"expected a program of at most {limits.artefact_bytes // MIB} MiB; it is larger"
        return None

    def _lag_s(self) -> float:
        """How long the machine kept the build from running, which is not its fault.

        Raises: HostOverloaded when that lasts too long.
        """
        passed_s, lag_s = self._elapsed_s(), self._lag.longest_s()
        if passed_s > MOST_WAITS * self._limits.wall_s:
            raise HostOverloaded(f"expected CPU time for a build; it waited for {lag_s:.0f} of {passed_s:.0f} s")
        return lag_s

    def _check_clocks(self) -> None:
        """Samples the lag at most every LOOK_S: a build that writes much would otherwise cause many samples."""
        now = time.monotonic()
        if now - self._looked_at >= LOOK_S:
            self._looked_at = now
            self._lag.look(self._tree.pids(), now)

    def _elapsed_s(self) -> float:
        return time.monotonic() - self._started_at

    def _over_wall_limit(self) -> str:
        used_s = self._tree.cpu_s()
        return f"expected an end within {self._limits.wall_s:g} s; still running after {used_s:.1f} s of CPU time"


def _require_own_end(process: SandboxedProcess, tree: Tree) -> None:
    """Raises BotKilled where somebody outside ended the build, or a part of it, of which compilers only say that it
    failed: none ends itself by SIGKILL.
    """
    if tree.was_sacrificed():
        raise BotKilled("the machine had no memory left, while its code was built")
    end = process.end(0)
    if end is not None and end.killed and tree.counts_kills:
        raise BotKilled("SIGKILL, while its code was built")


def _ended_by_limit(tree: Tree, log: str, limits: BuildLimits, quoted: Files) -> str | None:
    """The limit that made a build fail, if one did: by the kernel's count, or by the compiler's own message.

    Words that the sources have, too, say nothing: a compiler quotes the lines that it finds wrong.
    """
    if tree.ran_out_of_memory() or _says(log, OUT_OF_MEMORY, quoted):
        return f"expected at most {limits.memory_bytes // MIB} MiB of memory; it needed more"
    if _says(log, OUT_OF_SPACE, quoted):
        return f"expected files of at most {limits.tmp_bytes // MIB} MiB together; it needed more"
    if _says(log, OUT_OF_STACK, quoted):
        return "expected code that the compiler can read; it is nested too deeply, e.g. thousands of nested brackets"
    return None


def _says(log: str, words: Sequence[str], quoted: Files) -> bool:
    said = log.lower()
    found = [one for one in words if one in said]
    sources = [content.lower() for content in quoted.values()] if found else []
    return any(not any(one.encode() in source for source in sources) for one in found)
