"""The table of languages: what a bot may be written in, and how it is built and run.

Pure data. The worker's sandbox acts on it, the API and the pages list it; adding a language is adding a row.
In commands, `{bot}` stands for the folder that holds the bot's files (read-only) and `{out}` for the folder that
a build writes its artefact to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

MIB = 1024 * 1024


class UnknownLanguage(LookupError):
    """The table has no such language. The message says what was expected and what was got."""


@dataclass(frozen=True, slots=True)
class Language:
    """One row.

    source_name, artefact_name: file names in the box; equal where there is nothing to compile.
    build: the command that compiles or only checks the source; its stderr is the author's build log. None: no build.
    run: the command that starts the bot.
    probe: the program that must be installed for the language to be available.
    version_command: prints the version of the toolchain; part of the key of cached builds.
    install: what to install, for the person who runs a worker where `probe` is missing.
    memory_bytes: of all processes of a bot together.
    """

    id: str
    name: str
    ending: str
    source_name: str
    artefact_name: str
    build: tuple[str, ...] | None
    run: tuple[str, ...]
    probe: str
    version_command: tuple[str, ...]
    install: str
    memory_bytes: int = 768 * MIB
    other_endings: tuple[str, ...] = ()

    @property
    def compiled(self) -> bool:
        """Whether the build makes a new file, which is then what runs."""
        return self.artefact_name != self.source_name


PYTHON = Language(
    id="python",
    name="Python",
    ending=".py",
    source_name="bot.py",
    artefact_name="bot.py",
    build=("python3", "-I", "-S", "-X", "pycache_prefix={out}", "-m", "py_compile", "{bot}/bot.py"),
    # Unbuffered (-u), because bots that print without flush=True would otherwise wait for an answer they never sent.
    # With `site`, for exit() and for packages of the system such as numpy, though it costs 2 ms a start.
    run=("python3", "-I", "-B", "-u", "{bot}/bot.py"),
    probe="python3",
    version_command=("python3", "--version"),
    install="python3 from the system's packages",
)

CPP = Language(
    id="cpp",
    name="C++",
    ending=".cpp",
    source_name="bot.cpp",
    artefact_name="bot",
    build=("g++", "-std=c++20", "-O2", "-Wall", "-fmax-errors=20", "-pthread", "-o", "{out}/bot", "{bot}/bot.cpp"),
    run=("{bot}/bot",),
    probe="g++",
    version_command=("g++", "--version"),
    install="g++ from the system's packages",
    other_endings=(".cc", ".cxx"),
)

CODINGAME_JAVASCRIPT = """
const { readSync } = require("fs");
const chunk = Buffer.alloc(65536);
let waiting = Buffer.alloc(0);
globalThis.readline = () => {
  for (;;) {
    const end = waiting.indexOf(10);
    if (end >= 0) {
      const line = waiting.toString("utf8", 0, end);
      waiting = waiting.subarray(end + 1);
      return line.endsWith("\\r") ? line.slice(0, -1) : line;
    }
    const count = readSync(0, chunk);
    if (count === 0) return null;
    waiting = Buffer.concat([waiting, chunk.subarray(0, count)]);
  }
};
globalThis.print = console.log;
globalThis.printErr = console.error;
"""
"""What CodinGame's JavaScript has besides Node's own: bots from there call readline(), print() and printErr()."""

JAVASCRIPT = Language(
    id="javascript",
    name="JavaScript",
    ending=".js",
    source_name="bot.js",
    artefact_name="bot.js",
    build=("node", "--check", "{bot}/bot.js"),
    run=("node", "--max-old-space-size=512", "--eval", CODINGAME_JAVASCRIPT + 'require("{bot}/bot.js");'),
    probe="node",
    version_command=("node", "--version"),
    install="nodejs from the system's packages, or Hexarena's own extra: pip install 'hexarena[node]'",
)

LANGUAGES: Mapping[str, Language] = MappingProxyType({row.id: row for row in (PYTHON, CPP, JAVASCRIPT)})
"""id -> row, in the order in which pages list them."""


def find_language(id: str) -> Language:
    """The row with this id.

    Raises: UnknownLanguage.
    """
    try:
        return LANGUAGES[id]
    except KeyError:
        raise UnknownLanguage(f"expected one of {', '.join(LANGUAGES)}; got {id!r}") from None


def by_ending(ending: str) -> Language:
    """The language of source files that end so, e.g. ".cpp".

    Raises: UnknownLanguage.
    """
    for language in LANGUAGES.values():
        if ending.lower() == language.ending or ending.lower() in language.other_endings:
            return language
    endings = ", ".join(row.ending for row in LANGUAGES.values())
    raise UnknownLanguage(f"expected a source file that ends in one of {endings}; got {ending!r}")
