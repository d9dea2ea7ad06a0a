"""From a source to a Program: compiled, or only checked, inside a box; kept by content.

What leaves the box leaves through a pipe, with a cap; nothing that the source can influence ever touches a folder of
the worker, which alone writes the artefact's file. The key of a kept build is the hash of all that it depends on.
"""

from __future__ import annotations

import hashlib
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from backend.languages import Language
from worker.sandbox.box import Box, Launcher, Order
from worker.sandbox.errors import BuildFailed
from worker.sandbox.jail import own_place
from worker.sandbox.limits import KIB, MIB, BuildLimits
from worker.sandbox.tree import Tree

READ_BYTES = 64 * KIB
LOOK_S = 0.1
"""How often a build's CPU time is looked at."""
KEPT_BYTES = 2048 * MIB
"""Of builds in a folder; at the sweep the ones that were not used for longest go first."""
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


class BuildCache:
    """Builds under one folder: `<key>/<artefact>` and what goes with it, each folder put there whole by one rename."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def find(self, key: str, name: str) -> Path | None:
        """The folder of a kept build."""
        home = self._folder / key
        if not (home / name).is_file():
            return None
        os.utime(home)
        return home

    def keep(self, key: str, files: Mapping[str, bytes]) -> Path:
        """Writes a build: file name -> content. Two workers that do the same at once both succeed."""
        home = self._folder / key
        with tempfile.TemporaryDirectory(prefix="new-", dir=self._folder) as folder:
            made = Path(folder) / key
            made.mkdir(mode=0o755)
            for name, content in files.items():
                (made / name).write_bytes(content)
                (made / name).chmod(0o755)
            try:
                made.rename(home)
            except OSError:
                if not all((home / name).is_file() for name in files):
                    raise
        return home

    def scratch(self) -> tempfile.TemporaryDirectory[str]:
        """A folder for one build."""
        return tempfile.TemporaryDirectory(prefix="new-", dir=self._folder)

    def sweep(self) -> None:
        """Removes what a killed worker left half done an hour ago or earlier, and old builds that are too many."""
        room = KEPT_BYTES
        for home in sorted(self._folder.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True):
            if home.name.startswith("new-"):
                if home.stat().st_mtime < time.time() - 3600:
                    shutil.rmtree(home, ignore_errors=True)
                continue
            room -= sum(file.stat().st_size for file in home.iterdir())
            if room < 0:
                shutil.rmtree(home, ignore_errors=True)


def key_of(language: Language, version: str, source: bytes, beside: Mapping[str, bytes]) -> str:
    """The name of a build: equal only if everything that matters is. `beside`: the files that go with the artefact."""
    parts = [language.id, version, language.artefact_name, *(language.build or ()), hashlib.sha256(source).hexdigest()]
    for name, content in sorted(beside.items()):
        parts += [name, hashlib.sha256(content).hexdigest()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def compile_source(
    language: Language, command: tuple[str, ...], home: Path, *, launcher: Launcher, room: Room, limits: BuildLimits
) -> bytes:
    """Runs the language's build command on the source in `home`. The artefact; nothing where there is only a check.

    Raises: BuildFailed.
    """
    sender = ("/bin/sh", "-c", SEND_ARTEFACT, f"{{out}}/{language.artefact_name}") if language.compiled else ()
    out = home / "out"
    if not launcher.has_walls:
        out.mkdir()
    argv, itself = (*sender, *command), own_place(language)
    order = Order(argv, home, files=(language.source_name,), out=out, itself=itself)
    with room(order, limits) as (box, tree):
        output, log, code = _collect(box, tree, limits)
        out_of_memory = tree.ran_out_of_memory()
    text = log.decode("utf-8", "replace").replace("/bot/", "").replace(f"{home}/", "").strip()
    if code != 0:
        if out_of_memory:
            text += f"\nThe build used more than {limits.memory_bytes // MIB} MiB of memory."
        raise BuildFailed(text or f"the build ended with exit code {code} and said nothing")
    return output


def _collect(box: Box, tree: Tree, limits: BuildLimits) -> tuple[bytes, bytes, int]:
    """(stdout, stderr up to its cap, exit code)."""
    output, log = bytearray(), bytearray()
    poll = select.poll()
    sinks = {box.stdout: output, box.stderr: log}
    for descriptor in sinks:
        poll.register(descriptor, select.POLLIN)
    ends_at = time.monotonic() + limits.wall_s
    while sinks:
        for descriptor, _ in poll.poll(LOOK_S * 1000):
            data = os.read(descriptor, READ_BYTES)
            if not data:
                poll.unregister(descriptor)
                del sinks[descriptor]
            elif sinks[descriptor] is output:
                output += data
            else:
                log += data[: limits.log_bytes - len(log)]
        _check_limits(tree, limits, bytes(log), len(output), time.monotonic() - ends_at)
    try:
        code = box.process.wait(LOOK_S + max(0.0, ends_at - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise BuildFailed(f"expected the build to take at most {limits.wall_s:g} s") from None
    return bytes(output), bytes(log), code


def _check_limits(tree: Tree, limits: BuildLimits, log: bytes, output_bytes: int, late_s: float) -> None:
    used_s = tree.cpu_s()
    if used_s > limits.cpu_s:
        problem = f"expected the build to take at most {limits.cpu_s:g} s of CPU time; used {used_s:.1f} s"
    elif late_s > 0:
        problem = f"expected the build to take at most {limits.wall_s:g} s; it took longer"
    elif output_bytes > limits.artefact_bytes:
        problem = f"expected a program of at most {limits.artefact_bytes // MIB} MiB; it is larger"
    else:
        return
    raise BuildFailed(f"{log.decode('utf-8', 'replace')}\n{problem}".strip())
