"""From sources to a Program: compiled, or only checked, inside a box; kept by content.

What leaves the box leaves through a pipe, with a cap; nothing that the sources can influence ever touches a folder of
the worker, which alone writes the artefact's file. The key of a kept build is the hash of all that it depends on.
"""

from __future__ import annotations

import hashlib
import os
import select
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from backend.languages import Language
from backend.sources import Files
from worker.sandbox import toolchains
from worker.sandbox.box import Box, Launcher, Order
from worker.sandbox.errors import BuildFailed, HostOverloaded
from worker.sandbox.jail import links_of
from worker.sandbox.lag import Lag
from worker.sandbox.limits import KIB, MIB, BuildLimits
from worker.sandbox.tree import Tree

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
"""What toolchains say, each in its own words, in upper and lower case, when they run out of something."""
LOOK_S = 0.1
"""How often a build's CPU time is looked at."""
MOST_WAITS = 4
"""A build ends by the wall clock, not counting what it waited for a CPU; but never later than this times its limit."""
SEND_ARTEFACT = '"$@" 1>&2 && exec cat "$0"'
"""Runs the build with its output on stderr, then sends the file that is named first through stdout."""


@dataclass(frozen=True, slots=True)
class Program:
    """Something that can be started in a box, as often as one likes. Made by the sandbox only."""

    name: str
    order: Order
    memory_bytes: int


Room: TypeAlias = Callable[[Order, BuildLimits], AbstractContextManager[tuple[Box, Tree]]]
"""Runs an order in a free slot with its limits on, until the context ends."""


def key_of(language: Language, version: str, files: Files, beside: Files) -> str:
    """The name of a build: equal only if everything that matters is. `beside`: files of ours that go with it."""
    parts = [language.id, version, language.artefact_name, *language.build]
    for group in (files, beside):
        parts.append(str(len(group)))
        for name, content in sorted(group.items()):
            parts += [name, hashlib.sha256(content).hexdigest()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def build_files(
    language: Language, files: Files, beside: Files, home: Path, *, launcher: Launcher, room: Room, limits: BuildLimits
) -> Files:
    """Everything that lies in the folder of a running bot: path -> content.

    That is the artefact, and what was uploaded with the sources; the sources themselves only where they are needed.
    home: an empty folder of the worker for this build. beside: files of ours that will lie there too.
    Raises: BuildFailed. HostOverloaded.
    """
    for name in (*beside, *([language.artefact_name] if language.compiled else [])):
        if taken := [path for path in files if path.split("/")[0] == name]:
            raise BuildFailed(f"expected no file or folder named {name}, which is ours; got {taken[0]}")
    for name, content in {**files, **beside}.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(content)
    made = _compile(language, (*files, *beside), home, launcher=launcher, room=room, limits=limits)
    if not language.compiled:
        return files
    kept = (name for name in files if language.keeps_sources or not language.is_source(name))
    return {language.artefact_name: made, **{name: files[name] for name in kept}}


def _compile(
    language: Language, names: Sequence[str], home: Path, *, launcher: Launcher, room: Room, limits: BuildLimits
) -> bytes:
    """Runs the language's build command on the files in `home`. The artefact; nothing where there is only a check."""
    sender = ("/bin/sh", "-c", SEND_ARTEFACT, f"{{out}}/{language.artefact_name}") if language.compiled else ()
    out = home / ".out"
    if not launcher.has_walls:
        out.mkdir()
    tools, links = toolchains.outside(language, launcher), links_of(language)
    order = Order(
        (*sender, *language.build_command(names)), home, files=tuple(names), out=out, tools=tools, links=links
    )
    with room(order, limits) as (box, tree):
        build = _Build(box, tree, limits)
        code = build.watch()
        if code not in (0, None):
            box.require_passage(build.log_text())
        stopped = build.stopped or (_ended_by_limit(tree, build.log_text(), limits) if code != 0 else None)
    text = build.log_text().replace("/bot/", "").replace(f"{home}/", "").strip()
    if stopped is not None:
        raise BuildFailed(f"The build was stopped: {stopped}.\n{text}".strip())
    if code != 0:
        raise BuildFailed(text or f"The build ended with exit code {code} and said nothing.")
    return bytes(build.output)


class _Build:
    """A build that runs: reads what it says, and ends it at its limits."""

    def __init__(self, box: Box, tree: Tree, limits: BuildLimits) -> None:
        self._box, self._tree, self._limits = box, tree, limits
        self._started_at = self._looked_at = time.monotonic()
        self._lag = Lag(counts_ended=True)  # whoever keeps a build waiting on purpose gains nothing
        self._log = bytearray()
        self._said_bytes = 0
        self.output = bytearray()
        self.stopped: str | None = None
        """Which limit ended it."""

    def watch(self) -> int | None:
        """Until its end. Its exit code, or None if it was stopped. Raises: HostOverloaded."""
        poll = select.poll()
        waiting = {self._box.stdout, self._box.stderr}
        for descriptor in waiting:
            poll.register(descriptor, select.POLLIN)
        while waiting:
            for descriptor, _ in poll.poll(LOOK_S * 1000):
                data = os.read(descriptor, READ_BYTES)
                if not data:
                    poll.unregister(descriptor)
                    waiting.remove(descriptor)
                elif descriptor == self._box.stdout:
                    self.output += data
                else:
                    self._log += data[: self._limits.log_bytes - len(self._log)]
                    self._said_bytes += len(data)
            self._look()
            self.stopped = self._over_limit()
            if self.stopped is not None:
                return None
        try:
            return self._box.process.wait(LOOK_S + max(0.0, self._limits.wall_s - self._passed_s()))
        except subprocess.TimeoutExpired:
            self.stopped = self._too_slow()
            return None

    def log_text(self) -> str:
        """What the compiler said, as far as it is kept; it says itself where it was cut."""
        text = self._log.decode("utf-8", "replace")
        if self._said_bytes > len(self._log):
            kept, said = self._limits.log_bytes / KIB, self._said_bytes / KIB
            text += f"\n[The log was cut here: expected at most {kept:.3g} KiB; got {said:.0f} KiB.]"
        return text

    def _over_limit(self) -> str | None:
        used_s, limits = self._tree.cpu_s(), self._limits
        if used_s > limits.cpu_s:
            return f"expected at most {limits.cpu_s:g} s of CPU time; used {used_s:.1f} s"
        if self._passed_s() > limits.wall_s and self._passed_s() - self._lag_s() > limits.wall_s:
            return self._too_slow()
        if len(self.output) > limits.artefact_bytes:
            return f"expected a program of at most {limits.artefact_bytes // MIB} MiB; it is larger"
        return None

    def _lag_s(self) -> float:
        """How long the machine kept it from running, which is not its fault.

        Raises: HostOverloaded when there is no end of that.
        """
        passed_s, lag_s = self._passed_s(), self._lag.longest_s()
        if passed_s > MOST_WAITS * self._limits.wall_s:
            raise HostOverloaded(f"expected CPU time for a build; in {passed_s:.0f} s it waited for it {lag_s:.0f} s")
        return lag_s

    def _look(self) -> None:
        """Now and then: a build that writes much would otherwise pay for many looks."""
        now = time.monotonic()
        if now - self._looked_at >= LOOK_S:
            self._looked_at = now
            self._lag.look(self._tree.pids(), now)

    def _passed_s(self) -> float:
        return time.monotonic() - self._started_at

    def _too_slow(self) -> str:
        used_s = self._tree.cpu_s()
        return (
            f"expected an end within {self._limits.wall_s:g} s; it still ran, and had used {used_s:.1f} s of CPU time"
        )


def _ended_by_limit(tree: Tree, log: str, limits: BuildLimits) -> str | None:
    """The limit that a failed build met, if it was one: the kernel says it, or the compiler in its own words."""
    said = log.lower()
    if tree.ran_out_of_memory() or any(words in said for words in OUT_OF_MEMORY):
        return f"expected at most {limits.memory_bytes // MIB} MiB of memory; it wanted more"
    if any(words in said for words in OUT_OF_SPACE):
        return f"expected files of at most {limits.tmp_bytes // MIB} MiB together; it wanted to write more"
    if any(words in said for words in OUT_OF_STACK):
        return "expected code that the compiler can read; it went too deep, as with thousands of brackets in each other"
    return None
