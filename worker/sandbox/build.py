"""From a source to a Program: compiled, or only checked, inside a box; kept by content.

What leaves the box leaves through a pipe, with a cap; nothing that the source can influence ever touches a folder of
the worker, which alone writes the artefact's file. The key of a kept build is the hash of all that it depends on.
"""

from __future__ import annotations

import hashlib
import os
import select
import subprocess
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
