"""A row of the table of languages: what its fields mean."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

MIB = 1024 * 1024
Pairs: TypeAlias = tuple[tuple[str, str], ...]
ALTERNATIVES = "/etc/alternatives"
"""Which of several installed programs or libraries is meant; numpy's are found there as well."""
SETTINGS = (ALTERNATIVES, "/etc/java*", "/etc/fpc*", "/etc/ldc2.conf", "/var/lib/ghc")
"""The only files outside of /usr in a sandbox, besides the index of libraries: compilers, and Java, do not start
without their own. Each costs a start 0.1 ms."""
OWN_PLACE: Pairs = (("/proc/self/exe", "{program}"),)
"""For programs that look for their libraries beside themselves."""


@dataclass(frozen=True, slots=True)
class Preparation:
    """What is made once of a toolchain, for all builds that want it: precompiled headers, libraries.

    wanted_by: a regular expression; a build gets it if it is found in one of the sources.
    build: the command that makes it. It leaves in `{out}` only what is to be kept.
    made_of: patterns of files of the system; it is made anew when others have these names.
    """

    wanted_by: str
    build: tuple[str, ...]
    made_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Language:
    """One row.

    source_name, artefact_name: file names in the sandbox; equal where there is nothing to compile.
    keeps_sources: whether what was compiled runs with its sources beside it.
    build: the command that compiles or only checks the sources; its stderr is the author's build log.
    run: the command that starts the bot.
    version_commands: one for each program that must be installed. What they print is part of the build cache's keys.
    install: what to install, for the person who runs a worker where one of those programs is missing.
    memory_bytes: of all processes of a bot together.
    beside: names and contents of files of ours beside the bot's. An upload has none called so: they begin with a dot.
    links: the links that its programs need in /proc, which no sandbox has otherwise: path -> target.
    `{program}` stands for the real path of the first program.
    settings: which of SETTINGS its bots see. A build sees all of them.
    preparation: what builds find in `{prepared}`, if they want it.
    manifest: a file of JSON that names the file that starts in its field `main`.
    timers: whether its runtime makes a timer that sends signals as it starts, and complains where it cannot.
    cores: whether its runtime asks, for each of its threads, for the cores that it has, and does not start otherwise.
    builds_run_code: whether its compiler runs code of the sources, which is then under the bots' filter.
    kinds: where machines have different toolchains for it: a regular expression that is found in what one says as its
    version, and what it is called then.
    """

    id: str
    name: str
    ending: str
    source_name: str
    artefact_name: str
    build: tuple[str, ...]
    run: tuple[str, ...]
    version_commands: tuple[tuple[str, ...], ...]
    install: str
    keeps_sources: bool = False
    memory_bytes: int = 768 * MIB
    other_endings: tuple[str, ...] = ()
    beside: Pairs = ()
    links: Pairs = ()
    settings: tuple[str, ...] = (ALTERNATIVES,)
    preparation: Preparation | None = None
    manifest: str | None = None
    timers: bool = False
    cores: bool = False
    builds_run_code: bool = False
    kinds: Pairs = ()

    @property
    def compiled(self) -> bool:
        """Whether the build makes a new file, which is then what runs."""
        return self.artefact_name != self.source_name

    @property
    def programs(self) -> tuple[str, ...]:
        """What must be installed: the compiler, or else the interpreter, comes first."""
        return tuple(command[0] for command in self.version_commands)

    @property
    def endings(self) -> tuple[str, ...]:
        """How its sources may end, the usual one first."""
        return (self.ending, *self.other_endings)

    def called(self, versions: Iterable[str]) -> str:
        """Its name with the kinds of toolchains that say these versions, e.g. `C# (.NET 8 or Mono)`."""
        said = sorted(versions)
        found = [(kind, re.search(pattern, one)) for pattern, kind in self.kinds for one in said]
        kinds = dict.fromkeys(match.expand(kind) for kind, match in found if match)
        return f"{self.name} ({' or '.join(kinds)})" if kinds else self.name

    def is_source(self, name: str) -> bool:
        """Whether a file's name ends as this language's sources do."""
        return name.endswith(self.endings)

    def build_command(self, names: Iterable[str]) -> list[str]:
        """The build of an upload with files of these names, the one that starts first."""
        names = list(names)
        sources = [f"{{bot}}/{name}" for name in names if self.is_source(name)]
        words = [word for part in self.build for word in (sources if part == "{sources}" else [part])]
        return [word.replace("{entry}", f"{{bot}}/{names[0]}") for word in words]

    def run_command(self, entry: str) -> tuple[str, ...]:
        """What starts a bot; `entry`: the file that starts."""
        return tuple(word.replace("{entry}", f"{{bot}}/{entry}") for word in self.run)


def check_each(*command: str) -> tuple[str, ...]:
    """The build of a language whose checker takes one file at a time: all files are checked, also after a bad one."""
    loop = f'bad=0; for file; do {shlex.join(command)} "$file" || bad=1; done; exit $bad'
    return ("sh", "-c", loop, "check", "{sources}")
