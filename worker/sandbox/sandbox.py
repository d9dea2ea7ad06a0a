"""The sandbox's public interface: open it once, build sources, start programs.

A sandbox belongs to the thread that opened it: sandboxed processes are killed when the thread that launched them ends,
so open it in the main thread of a worker, after any fork.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, TypeAlias

from hexarena.backend.submissions.languages import LANGUAGES, Language
from hexarena.backend.submissions.sources import BadArchive, Files, unpack
from hexarena.worker.sandbox import toolchains
from hexarena.worker.sandbox.bubblewrap import BubblewrapLauncher, proc_links
from hexarena.worker.sandbox.build import Program, build_files, key_of, prepare_files, run_tool
from hexarena.worker.sandbox.cache import BuildCache
from hexarena.worker.sandbox.dotnet import as_here
from hexarena.worker.sandbox.errors import BuildFailed, LanguageMissing, SandboxFailed
from hexarena.worker.sandbox.limits import BuildLimits, Limits
from hexarena.worker.sandbox.plain import PlainLauncher
from hexarena.worker.sandbox.process import BotProcess
from hexarena.worker.sandbox.rest import Naps
from hexarena.worker.sandbox.root import Root, open_root
from hexarena.worker.sandbox.rules import BOTS, SINGLE_BOTS, Use
from hexarena.worker.sandbox.sandboxed import Command, Launcher, SandboxedProcess
from hexarena.worker.sandbox.slots import Slots
from hexarena.worker.sandbox.tree import Tree

log = logging.getLogger(__name__)

VERSIONS = "versions.json"
Mode: TypeAlias = Literal["bwrap", "none"]
WatchBuild: TypeAlias = Callable[[str, float, bool], None]
"""Gets the language's id, how many seconds a build took, and whether it failed."""
Promise: TypeAlias = Literal["isolation", "memory", "processes", "cpu", "freezer"]


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Builds and starts bots in isolation. `limits`: of every bot, except for memory, which the language sets.

    Made by `Sandbox.open`; a context manager that releases everything at its end.
    """

    mode: Mode
    folder: Path
    limits: Limits
    build_limits: BuildLimits
    _launcher: Launcher
    _slots: Slots
    _builds: BuildCache
    _watch_build: WatchBuild = lambda *_: None

    @classmethod
    def open(
        cls,
        mode: Mode,
        *,
        folder: Path,
        toolchains: Path | None = None,
        limits: Limits | None = None,
        build_limits: BuildLimits | None = None,
        watch_build: WatchBuild = lambda *_: None,
        logs_refused: bool = False,
    ) -> Self:
        """`folder`: the worker's own, for builds and locks; several workers may share it.

        toolchains: the root whose programs bots are built and run with; None: the machine's own.
        logs_refused: the kernel logs refused system calls, see `refused`.
        watch_build: is called after each build that ran, not of those that the cache had.
        Raises: SandboxUnsafe when a tool is missing, the root is unusable, or the processor architecture is not
        supported.
        """
        root = open_root(toolchains, isolated=mode == "bwrap")
        folder = folder.resolve()
        folder.mkdir(parents=True, exist_ok=True)
        slots = Slots(folder, groups=mode == "bwrap")
        builds = BuildCache(folder / "builds", slots.scratch)
        limited = slots.hierarchies is not None
        launcher: Launcher = (
            BubblewrapLauncher(memory_limited=limited, mark=slots.mark, root=root, logs_refused=logs_refused)
            if mode == "bwrap"
            else PlainLauncher(memory_limited=limited, mark=slots.mark)
        )
        limits, build_limits = limits or Limits(), build_limits or BuildLimits()
        return cls(mode, folder, limits, build_limits, launcher, slots, builds, watch_build)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Releases everything. Close the bots first."""
        self._builds.close()
        self._slots.close()

    def sweep(self) -> None:
        """Removes what killed predecessors left in this folder: processes, groups, unfinished builds, old builds."""
        self._slots.sweep()
        self._builds.sweep()

    # --- What it promises ----------------------------------------------------------------------------------------

    @property
    def promises(self) -> frozenset[Promise]:
        """What this sandbox guarantees for all processes of a bot together.

        isolation: it sees and reaches nothing that is not its own. memory, cpu: limited and counted for all of its
        processes together. processes: their number is limited. freezer: all of them are stopped between turns.
        """
        groups: set[Promise] = {"memory", "processes", "cpu", "freezer"} if self._slots.hierarchies else set()
        filtered: set[Promise] = {"isolation", "processes", "cpu", "freezer"} if self._launcher.isolates else set()
        return frozenset(groups | filtered)

    @property
    def use(self) -> Use:
        """What bots that were built here may call: where the time of a child that ended is not counted, no children."""
        return BOTS if self._slots.hierarchies or not self._launcher.isolates else SINGLE_BOTS

    @property
    def mark(self) -> str:
        """Prefix of the names of everything it makes outside its folder, so that a later sweep finds it."""
        return self._slots.mark

    @property
    def root(self) -> Root:
        """Whose programs and libraries its bots get."""
        return self._launcher.root

    def describe(self) -> str:
        """For people: one line."""
        groups = self._slots.hierarchies
        return f"{self._launcher.describe()}; " + (
            groups.describe() if groups else "no control groups: memory is limited for each process on its own"
        )

    # --- Languages and builds ------------------------------------------------------------------------------------

    def here(self, language: Language) -> Language:
        """The row of the toolchain that this machine has for a language of the table: C# has two, see `dotnet`."""
        return as_here(language, self.root)

    def version(self, language: Language) -> str:
        """The versions of the toolchain's programs, in one line.

        Raises: LanguageMissing, which says what to install.
        """
        return toolchains.version(self.here(language), self._launcher, self.folder / VERSIONS)

    def toolchains(self) -> list[tuple[Language, str | None]]:
        """All languages of the table with their versions here; None where the tools are missing."""
        return [(language, self._version_or_none(language)) for language in LANGUAGES.values()]

    def languages(self) -> list[Language]:
        """The languages that this worker can build and run."""
        return [language for language, version in self.toolchains() if version is not None]

    def build(self, language: Language, upload: bytes, *, harness: Path | None = None) -> Program:
        """Compiles or checks an upload (a source file or a zip), or finds it in the build cache.

        harness: a file of ours that is put beside the bot's file and run in its place, with that file as its argument.
        Raises: BuildFailed with the log for its author. LanguageMissing.
        """
        language = self.here(language)
        try:
            files = unpack(language, upload)
        except BadArchive as bad:
            raise BuildFailed(str(bad)) from None
        beside = {name: text.encode() for name, text in language.beside}
        if harness is not None:
            beside[harness.name] = harness.read_bytes()
        entry = next(iter(files))
        key = key_of(language, self.version(language) + self.root.digest, files, beside)
        home = self._builds.find(key)
        if home is None:
            home = self._builds.store(key, {**self._watched_build(language, files, beside), **beside})
        command = Command(
            language.run_command(entry) if harness is None else _harness_command(harness.name, language, entry),
            home,
            files=tuple(_list_files(home)),
            tools=toolchains.outside(language, self._launcher),
            links=proc_links(language, self.root),
            settings=language.settings,
            use=replace(self.use, timers=language.timers and self.use.processes, cores=language.cores),
        )
        return Program(language.name, command, language.memory_bytes)

    def hold(self, program: Program) -> Callable[[], None]:
        """Keeps the build of a program until the returned function is called, even when this sandbox is closed.

        Raises: SandboxFailed when somebody removed it.
        """
        return self._builds.hold(program.command.home)

    def run_tool(self, language: Language, argv: Sequence[str], files: Files, limits: BuildLimits) -> bytes:
        """Runs a program of ours on files of others, isolated like a build. Returns what it wrote to stdout.

        argv: the arguments of the language's first program, `{bot}` being the folder of the files.
        Raises: BuildFailed with its stderr, or the limit that stopped it. HostOverloaded. LanguageMissing.
        """
        with self._builds.scratch() as scratch:
            return run_tool(language, argv, files, scratch, launcher=self._launcher, run=self._running, limits=limits)

    def command(self, argv: Sequence[str], folder: Path) -> Program:
        """A bot on its owner's machine: any command line, run in `folder`, to which it has read access only.

        It may be a script that starts a program, so it may have processes everywhere.
        """
        command = Command(tuple(argv), folder.resolve(), out=self.folder)
        return Program(" ".join(argv), command, self.limits.memory_bytes)

    def _version_or_none(self, language: Language) -> str | None:
        try:
            return self.version(language)
        except LanguageMissing:
            return None

    def _watched_build(self, language: Language, files: Files, beside: Files) -> Files:
        began, failed = time.monotonic(), True
        try:
            built = self._built(language, files, beside)
            failed = False
            return built
        finally:
            self._watch_build(language.id, time.monotonic() - began, failed)

    def _built(self, language: Language, files: Files, beside: Files) -> Files:
        prepared = self._prepared(language, files)
        with self._builds.scratch() as scratch:
            return build_files(
                language,
                files,
                beside,
                scratch,
                launcher=self._launcher,
                run=self._running,
                limits=self.build_limits,
                prepared=prepared,
            )

    def _prepared(self, language: Language, files: Files) -> Path | None:
        """The folder with the language's preparation, if these files want one. It may take half a minute at first."""
        wanted = language.preparation
        if wanted is None or not any(
            language.is_source(name) and re.search(wanted.wanted_by.encode(), text) for name, text in files.items()
        ):
            return None
        there = [str(path) for pattern in wanted.made_of for path in sorted(self.root.folder.glob(pattern))]
        parts = [language.id, self.version(language) + self.root.digest, *wanted.build, *there]
        key = "prepared-" + hashlib.sha256("\0".join(parts).encode()).hexdigest()
        home = self._builds.find(key)
        if home is not None:
            return home
        try:
            with self._builds.scratch() as scratch:
                made = prepare_files(language, wanted, scratch, launcher=self._launcher, run=self._running)
            return self._builds.store(key, made)
        except BuildFailed as failure:
            log.warning("no preparation for %s, so builds continue without it: %s", language.name, failure.log)
            return None

    @contextmanager
    def _running(self, command: Command, limits: BuildLimits) -> Iterator[tuple[SandboxedProcess, Tree]]:
        slot = self._slots.acquire()
        try:
            tree = self._tree(slot, limits, command)
            process = self._launch(command, limits, slot)
            try:
                process.admit(tree)
                yield process, tree
            finally:
                process.close()
        finally:
            self._slots.release(slot)

    def _tree(self, slot: int, limits: Limits | BuildLimits, command: Command) -> Tree:
        single = self._launcher.isolates and not command.use.processes
        return self._slots.tree(slot, memory_bytes=limits.memory_bytes, processes=limits.processes, single=single)

    def _launch(self, command: Command, limits: Limits | BuildLimits, slot: int) -> SandboxedProcess:
        try:
            user = self._slots.user(slot) if self._launcher.isolates else 0
            return self._launcher.launch(command, limits, user)
        except OSError as error:
            raise SandboxFailed(f"expected to launch a sandbox; got {error}") from error

    # --- Bots ----------------------------------------------------------------------------------------------------

    def start(self, program: Program, *, reply_bytes: int, naps: Naps | None = None) -> BotProcess:
        """Launches a bot; its code does not run before the first `ask`. Close it when the match is over.

        reply_bytes: the longest line that counts. naps: is notified when the bot sleeps.
        Raises: SandboxFailed, here or at the first `ask`.
        """
        limits = _with_memory(self.limits, program.memory_bytes)
        slot = self._slots.acquire()
        try:
            tree = self._tree(slot, limits, program.command)
            process = self._launch(program.command, limits, slot)
        except BaseException:
            self._slots.release(slot)
            raise
        return BotProcess(
            process,
            tree,
            limits,
            reply_bytes=reply_bytes,
            closed=functools.partial(self._slots.release, slot),
            naps=naps,
        )


@functools.cache
def _with_memory(limits: Limits, memory_bytes: int) -> Limits:
    return replace(limits, memory_bytes=memory_bytes)


def _harness_command(harness: str, language: Language, entry: str) -> tuple[str, ...]:
    """The command that runs the harness, which gets the bot's file as its last argument."""
    if "{entry}" not in language.run:
        raise ValueError(f"expected a harness for a language that runs sources; got one for {language.name}")
    return (*language.run_command(harness), f"{{bot}}/{entry}")


def _list_files(home: Path) -> list[str]:
    """Relative paths, in the order in which a sandbox gets them."""
    return sorted(path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file())
