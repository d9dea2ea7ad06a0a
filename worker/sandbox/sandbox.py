"""The sandbox as the rest of the worker sees it: open it once, build sources, start programs.

A sandbox belongs to the thread that opened it: boxes end with the thread that started them, so open it in the main
thread of a worker, after any fork.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, TypeAlias

from backend.languages import LANGUAGES, Language
from backend.sources import BadArchive, Files, unpack
from worker.sandbox import selftest, toolchains
from worker.sandbox.box import Box, Launcher, Order
from worker.sandbox.build import Program, build_files, key_of
from worker.sandbox.cache import BuildCache
from worker.sandbox.errors import BuildFailed, LanguageMissing, SandboxFailed, SandboxUnsafe
from worker.sandbox.jail import Jail, links_of
from worker.sandbox.limits import BuildLimits, Limits
from worker.sandbox.plain import Plain
from worker.sandbox.process import BotProcess
from worker.sandbox.selftest import Check
from worker.sandbox.slots import Slots
from worker.sandbox.tree import Tree

Mode: TypeAlias = Literal["bwrap", "none"]
Promise: TypeAlias = Literal["walls", "memory", "processes", "cpu", "freezer"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Starts bots behind walls. `limits` are those of every bot, but for the memory, which is the language's.

    Made by `Sandbox.open`; a context manager that gives everything back at its end.
    """

    mode: Mode
    folder: Path
    limits: Limits
    build_limits: BuildLimits
    _launcher: Launcher
    _slots: Slots
    _builds: BuildCache

    @classmethod
    def open(
        cls, mode: Mode, *, folder: Path, limits: Limits | None = None, build_limits: BuildLimits | None = None
    ) -> Self:
        """`folder`: the worker's own, for builds and locks; several workers may share it.

        Raises: SandboxUnsafe when a tool is missing, or the machine is of a kind that nobody has looked at.
        """
        folder = folder.resolve()
        folder.mkdir(parents=True, exist_ok=True)
        slots = Slots(folder, groups=mode == "bwrap")
        builds = BuildCache(folder / "builds", slots.scratch)
        made_by = Jail if mode == "bwrap" else Plain
        launcher: Launcher = made_by(memory_limited=slots.hierarchies is not None, mark=slots.mark)
        return cls(mode, folder, limits or Limits(), build_limits or BuildLimits(), launcher, slots, builds)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Gives everything back. Close the bots first."""
        self._builds.close()
        self._slots.close()

    def sweep(self) -> None:
        """Removes what killed predecessors on this folder left: processes, groups, half-done builds, old builds."""
        self._slots.sweep()
        self._builds.sweep()

    # --- What it promises ----------------------------------------------------------------------------------------

    @property
    def promises(self) -> frozenset[Promise]:
        """What holds here for all processes of a bot together.

        walls: it sees and reaches nothing that is not its own. memory, cpu: limited and counted for all of its
        processes as one. processes: their number is limited. freezer: they all stand still between turns.
        """
        groups: set[Promise] = {"memory", "processes", "cpu", "freezer"} if self._slots.hierarchies else set()
        return frozenset(groups | ({"walls", "processes", "freezer"} if self._launcher.has_walls else set()))

    @property
    def mark(self) -> str:
        """Begins the names of whatever it leaves outside of its folder, so that a later sweep finds it."""
        return self._slots.mark

    def describe(self) -> str:
        """For people: one line."""
        groups = self._slots.hierarchies
        return f"{self._launcher.describe()}; " + (
            groups.describe() if groups else "no control groups: memory is limited for each process on its own"
        )

    def self_test(self) -> list[Check]:
        """Tries to break out. Every check must have passed before other people's bots may run here."""
        return selftest.run(self)

    def require(self) -> None:
        """The self-test as a gate.

        Raises: SandboxUnsafe, which names the checks that failed. In mode "none" it only warns.
        """
        if self.mode == "none":
            log.warning("HEXARENA_SANDBOX=none: %s. Run only bots that you trust.", self._launcher.describe())
            return
        failed = [check for check in self.self_test() if not check.passed]
        if failed:
            found = "\n".join(f"  {check.name}: {check.detail}" for check in failed)
            raise SandboxUnsafe(f"The sandbox does not hold on this machine ({self.describe()}):\n{found}")

    # --- Languages and builds ------------------------------------------------------------------------------------

    def version(self, language: Language) -> str:
        """What the toolchain says about itself, in one line.

        Raises: LanguageMissing, which says what to install.
        """
        return toolchains.version(language, self._launcher)

    def toolchains(self) -> list[tuple[Language, str | None]]:
        """All languages of the table with their versions here; None where the tools are missing."""
        return [(language, self._version_or_none(language)) for language in LANGUAGES.values()]

    def languages(self) -> list[Language]:
        """The languages that this worker can build and run."""
        return [language for language, version in self.toolchains() if version is not None]

    def build(self, language: Language, upload: bytes, *, harness: Path | None = None) -> Program:
        """Compiles or checks an upload, a source file or a zip, or finds the same one built before.

        harness: a file of ours that is put beside the bot's and run in its place, with the bot's as its argument.
        Raises: BuildFailed with the log for its author. LanguageMissing.
        """
        try:
            files = unpack(language, upload)
        except BadArchive as bad:
            raise BuildFailed(str(bad)) from None
        beside = {name: text.encode() for name, text in language.beside}
        if harness is not None:
            beside[harness.name] = harness.read_bytes()
        key = key_of(language, self.version(language), files, beside)
        home = self._builds.find(key)
        if home is None:
            home = self._builds.keep(key, {**self._built(language, files, beside), **beside})
        order = Order(
            language.run if harness is None else _run_by(harness.name, language),
            home,
            files=tuple(_files_in(home)),
            tools=toolchains.outside(language, self._launcher),
            links=links_of(language),
            settings=language.settings,
        )
        return Program(language.name, order, language.memory_bytes)

    def command(self, argv: Sequence[str], folder: Path) -> Program:
        """A user's own bot on a user's own machine: any command line, run in `folder`, which it can only read."""
        order = Order(tuple(argv), folder.resolve(), out=self.folder)
        return Program(" ".join(argv), order, self.limits.memory_bytes)

    def _version_or_none(self, language: Language) -> str | None:
        try:
            return self.version(language)
        except LanguageMissing:
            return None

    def _built(self, language: Language, files: Files, beside: Files) -> Files:
        with self._builds.scratch() as scratch:
            return build_files(
                language,
                files,
                beside,
                scratch,
                launcher=self._launcher,
                room=self._room,
                limits=self.build_limits,
            )

    @contextmanager
    def _room(self, order: Order, limits: BuildLimits) -> Iterator[tuple[Box, Tree]]:
        slot = self._slots.take()
        try:
            tree = self._slots.tree(slot, memory_bytes=limits.memory_bytes, processes=limits.processes)
            box = self._launch(order, limits, slot)
            try:
                box.admit(tree)
                yield box, tree
            finally:
                box.close()
        finally:
            self._slots.give_back(slot)

    def _launch(self, order: Order, limits: Limits | BuildLimits, slot: int) -> Box:
        try:
            return self._launcher.launch(order, limits, self._slots.user(slot))
        except OSError as error:
            raise SandboxFailed(f"expected to launch a box; got {error}") from error

    # --- Bots ----------------------------------------------------------------------------------------------------

    def start(self, program: Program, *, reply_bytes: int) -> BotProcess:
        """Launches a bot, which runs nothing of its own before it is first asked. Close it when the match is over.

        reply_bytes: the longest line that counts.
        Raises: SandboxFailed, here or at the first `ask`.
        """
        limits = _with_memory(self.limits, program.memory_bytes)
        slot = self._slots.take()
        try:
            tree = self._slots.tree(slot, memory_bytes=limits.memory_bytes, processes=limits.processes)
            box = self._launch(program.order, limits, slot)
        except BaseException:
            self._slots.give_back(slot)
            raise
        return BotProcess(
            box,
            tree,
            limits,
            reply_bytes=reply_bytes,
            closed=functools.partial(self._slots.give_back, slot),
        )


@functools.cache
def _with_memory(limits: Limits, memory_bytes: int) -> Limits:
    return replace(limits, memory_bytes=memory_bytes)


def _run_by(harness: str, language: Language) -> tuple[str, ...]:
    """The command that runs the harness, which gets the bot's file as its last argument."""
    bot = f"{{bot}}/{language.source_name}"
    if bot not in language.run:
        raise ValueError(f"expected a harness for a language that runs sources; got one for {language.name}")
    return (*(word.replace(bot, f"{{bot}}/{harness}") for word in language.run), bot)


def _files_in(home: Path) -> list[str]:
    """Relative paths, in the order in which a box gets them."""
    return sorted(path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file())
