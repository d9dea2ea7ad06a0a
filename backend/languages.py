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
    needs_own_place: whether its programs find their libraries by asking the system where they lie themselves.
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
    needs_own_place: bool = False

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

JAVA_BUILD = r"""
mkdir "$1/source" "$1/classes" || exit
kind='((final|abstract|sealed|strictfp) +)*(class|enum|interface|record)'
name=$(sed -nE "s/^public +$kind +([A-Za-z0-9_]+).*/\4/p" "$0" | head -n 1)
cp "$0" "$1/source/${name:-bot}.java" && cd "$1/source" || exit
set -- "$1" -J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1
javac "$2" "$3" -encoding UTF-8 -proc:none -g -d "$1/classes" "${name:-bot}.java" || exit
cd "$1/classes" || exit
found=$(grep -rlF '([Ljava/lang/String;)V' . | xargs -r grep -lF main | sed -E 's#^[.]/##; s#[.]class$##' | sort)
main=$(printf '%s\n' "$found" | grep -x Player || printf '%s\n' "$found" | head -n 1)
[ -n "$main" ] || { echo 'expected a class with public static void main(String[] args); got none' >&2; exit 1; }
jar "$2" "$3" --create --no-compress --file "$1/bot.jar" --main-class "$(echo "$main" | tr / .)" .
"""
"""A file may have any name in Java unless its class is public. The class that has main starts, Player before others."""

JAVA = Language(
    id="java",
    name="Java",
    ending=".java",
    source_name="bot.java",
    artefact_name="bot.jar",
    build=("sh", "-c", JAVA_BUILD, "{bot}/bot.java", "{out}"),
    # All threads are charged to the bot, so: one collector, in its own thread; the quick compiler only, whose work
    # is small; and that in the foreground, so that a bot that looks at the clock sees what it will pay for.
    run=(
        *("java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-BackgroundCompilation", "-XX:-UsePerfData"),
        *("-Xmx512m", "-Xss8m", "-jar", "{bot}/bot.jar"),
    ),
    probe="javac",
    version_command=("javac", "-version"),
    install="default-jdk-headless from the system's packages",
    needs_own_place=True,
)

RUST = Language(
    id="rust",
    name="Rust",
    ending=".rs",
    source_name="bot.rs",
    artefact_name="bot",
    build=(
        *("rustc", "--edition", "2021", "-O", "-C", "codegen-units=1", "-C", "strip=debuginfo"),
        *("-o", "{out}/bot", "{bot}/bot.rs"),
    ),
    run=("{bot}/bot",),
    probe="rustc",
    version_command=("rustc", "--version"),
    install="rustc from the system's packages; one in a home folder (rustup) cannot be reached from inside a box",
    needs_own_place=True,
)

GO = Language(
    id="go",
    name="Go",
    ending=".go",
    source_name="bot.go",
    artefact_name="bot",
    build=(
        *("env", "GOCACHE={out}/cache", "GOPATH={out}/path", "GOENV=off", "GOPROXY=off", "GOTOOLCHAIN=local"),
        *("CGO_ENABLED=0", "GOMAXPROCS=2", "go", "build", "-o", "{out}/bot", "{bot}/bot.go"),
    ),
    # One thread for goroutines: what runs beside another is charged all the same, and idle threads would spin.
    run=("env", "GOMAXPROCS=1", "GOMEMLIMIT=640MiB", "{bot}/bot"),
    probe="go",
    version_command=("go", "version"),
    install="golang-go from the system's packages",
)

LANGUAGES: Mapping[str, Language] = MappingProxyType({row.id: row for row in (PYTHON, CPP, JAVASCRIPT, JAVA, RUST, GO)})
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
