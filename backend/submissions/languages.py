"""The table of languages: what a bot may be written in, and how it is built and run.

Pure data. The worker's sandbox acts on it, the API and the pages list it; adding a language is adding a row.
In commands, `{bot}` stands for the folder that holds the bot's files (read-only), `{out}` for the folder that a build
writes its artefact to, and a word that is just `{sources}` for all files with the language's endings, the entry first.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

MIB = 1024 * 1024
Pairs: TypeAlias = tuple[tuple[str, str], ...]
ALTERNATIVES = "/etc/alternatives"
"""Which of several installed programs or libraries is meant; numpy's are found there as well."""
SETTINGS = (ALTERNATIVES, "/etc/java*")
"""The only files of /etc in a sandbox, besides the index of libraries; Java does not start without its own. Each
costs a start 0.1 ms."""
OWN_PLACE: Pairs = (("/proc/self/exe", "{program}"),)
"""For programs that look for their libraries beside themselves."""


class UnknownLanguage(LookupError):
    """The table has no such language. The message says what was expected and what was got."""


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

    @property
    def compiled(self) -> bool:
        """Whether the build makes a new file, which is then what runs."""
        return self.artefact_name != self.source_name

    @property
    def programs(self) -> tuple[str, ...]:
        """What must be installed: the compiler, or else the interpreter, comes first."""
        return tuple(command[0] for command in self.version_commands)

    def is_source(self, name: str) -> bool:
        """Whether a file's name ends as this language's sources do."""
        return name.endswith((self.ending, *self.other_endings))

    def build_command(self, names: Iterable[str]) -> list[str]:
        """The build of an upload with files of these names: `{sources}` is filled in."""
        sources = [f"{{bot}}/{name}" for name in names if self.is_source(name)]
        return [word for part in self.build for word in (sources if part == "{sources}" else [part])]


def check_each(*command: str) -> tuple[str, ...]:
    """The build of a language whose checker takes one file at a time: all files are checked, also after a bad one."""
    loop = f'bad=0; for file; do {shlex.join(command)} "$file" || bad=1; done; exit $bad'
    return ("sh", "-c", loop, "check", "{sources}")


PYTHON_START = """
def start(codes):
    import _frozen_importlib_external, _imp, builtins, marshal, sys
    from _sitebuiltins import Quitter

    def kept(file):
        code = codes.get(file.removeprefix(folder + "/"))
        if code is not None:
            code = marshal.loads(code)
            _imp._fix_co_filename(code, file)
        return code

    def get_code(loader, name):
        return kept(loader.path) or compiled_now(loader, name)

    loaders = _frozen_importlib_external.SourceFileLoader
    compiled_now, loaders.get_code = loaders.get_code, get_code
    builtins.exit, builtins.quit = Quitter("exit", "Ctrl-D"), Quitter("quit", "Ctrl-D")
    del sys.argv[0]
    file = sys.argv[0]
    folder = file.rpartition("/")[0]
    sys.path.insert(0, folder)
    version = "python%d.%d" % sys.version_info[:2]
    for place in ("/usr/local/lib/" + version, "/usr/lib/python3"):
        sys.path += [place + "/dist-packages", place + "/site-packages"]
    return file, kept(file)
__file__, code = start(codes)
del start, codes
exec(globals().pop("code"))
"""
"""Runs the file that is its first argument, from the code that the build made of it and of the files beside it: reading
source costs a start a millisecond. `codes`: relative path -> code, put before it by the build.

Then what Python's own `site` does for a bot, without the rest: it costs a quarter of a start, and runs what packages
of the system left in .pth files. A bot finds the files beside it, exit(), and packages of the system such as numpy."""

PYTHON_BUILD = """
import marshal, sys, traceback
from importlib.util import MAGIC_NUMBER

out, folder, start, *files = sys.argv[1:]
codes = {}
for file in files:
    try:
        with open(file, "rb") as source:
            codes[file.removeprefix(folder + "/")] = marshal.dumps(compile(source.read(), file, "exec"))
    except Exception as error:
        place = "" if isinstance(error, SyntaxError) else f'  File "{file}"\\n'
        sys.stderr.write(place + "".join(traceback.format_exception_only(error)))
if len(codes) < len(files):
    sys.exit(1)
started = compile(f"codes = {codes!r}\\n{start}", "<start>", "exec")
with open(out, "wb") as program:
    program.write(MAGIC_NUMBER + bytes(12) + marshal.dumps(started))
"""
"""All files are read, also after a bad one. The program is a .pyc, whose header here says nothing of its sources."""

PYTHON = Language(
    id="python",
    name="Python",
    ending=".py",
    source_name="bot.py",
    artefact_name=".start.pyc",
    keeps_sources=True,
    build=(
        *("python3", "-I", "-S", "-c", PYTHON_BUILD, "{out}/.start.pyc", "{bot}", PYTHON_START),
        "{sources}",
    ),
    # Unbuffered (-u), because bots that print without flush=True would otherwise wait for an answer they never sent.
    run=("python3", "-I", "-S", "-B", "-u", "{bot}/.start.pyc", "{bot}/bot.py"),
    version_commands=(("python3", "--version"),),
    install="python3 from the system's packages",
)

C = Language(
    id="c",
    name="C",
    ending=".c",
    source_name="bot.c",
    artefact_name="bot",
    # GNU's C17, as CodinGame has it: plain C17 lacks strdup, getline, M_PI and clock_gettime.
    build=(
        *("gcc", "-std=gnu17", "-O2", "-Wall", "-fmax-errors=20", "-pthread", "-I", "{bot}", "-o", "{out}/bot"),
        *("{sources}", "-lm"),
    ),
    run=("{bot}/bot",),
    version_commands=(("gcc", "--version"),),
    install="gcc from the system's packages",
    settings=(),
)

CPP = Language(
    id="cpp",
    name="C++",
    ending=".cpp",
    source_name="bot.cpp",
    artefact_name="bot",
    build=(
        *("g++", "-std=c++20", "-O2", "-Wall", "-fmax-errors=20", "-pthread", "-I", "{bot}", "-o", "{out}/bot"),
        "{sources}",
    ),
    run=("{bot}/bot",),
    version_commands=(("g++", "--version"),),
    install="g++ from the system's packages",
    settings=(),
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

NODE = ("node", "--max-old-space-size=640", "--require", "{bot}/.prelude.cjs")
"""The collector's old space is most of what a bot may use; the runtime itself and its young objects take 90 MiB."""
NODE_VERSION = ("node", "--version")
INSTALL_NODE = "nodejs from the system's packages, or Hexarena's own extra: pip install 'hexarena[node]'"

JAVASCRIPT = Language(
    id="javascript",
    name="JavaScript",
    ending=".js",
    source_name="bot.js",
    artefact_name="bot.js",
    build=check_each("node", "--check"),
    run=(*NODE, "{bot}/bot.js"),
    version_commands=(NODE_VERSION,),
    install=INSTALL_NODE,
    beside=((".prelude.cjs", CODINGAME_JAVASCRIPT),),
)

TYPESCRIPT = Language(
    id="typescript",
    name="TypeScript",
    ending=".ts",
    source_name="bot.ts",
    artefact_name="bot.js",
    # Types are taken away, not checked. Files that are imported become part of the one that runs.
    build=(
        *("esbuild", "{bot}/bot.ts", "--bundle", "--platform=node", "--format=cjs", "--target=node18"),
        *("--sourcemap=inline", "--sources-content=false", "--log-level=warning", "--color=false"),
        "--outfile={out}/bot.js",
    ),
    # The places in messages are then those of the source; it costs nothing until there is a message.
    run=(*NODE, "--enable-source-maps", "{bot}/bot.js"),
    version_commands=(("esbuild", "--version"), NODE_VERSION),
    install=f"esbuild from the system's packages, and {INSTALL_NODE}",
    beside=((".prelude.cjs", CODINGAME_JAVASCRIPT),),
)

JAVA_BUILD = r"""
out=$0; bot=$1; shift
mkdir "$out/source" "$out/classes" && cd "$out/source" || exit
kind='((final|abstract|sealed|non-sealed|strictfp) +)*(class|enum|interface|record)'
before='(((package|import) [^;]*;|@[A-Za-z.]+([(][^)]*[)])?)[[:space:]]*)'
for file; do
    place=$(dirname "${file#"$bot/"}")
    name=$(sed -nE "s/^$before*public +$kind +([A-Za-z0-9_]+).*/\8/p" "$file" | head -n 1)
    mkdir -p "$place" && cp "$file" "$place/${name:-$(basename "$file" .java)}.java" || exit
done
quick='-J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1'
find . -name '*.java' | sed 's#^[.]/##' | sort > ../files
javac $quick -encoding UTF-8 -proc:none -g -d "$out/classes" @../files || exit
cd "$out/classes" || exit
found=$(grep -rlF '([Ljava/lang/String;)V' . | xargs -r grep -lF main | sed -E 's#^[.]/##; s#[.]class$##' | sort)
main=$(printf '%s\n' "$found" | grep -x Player || printf '%s\n' "$found" | head -n 1)
[ -n "$main" ] || { echo 'expected a class with public static void main(String[] args); got none' >&2; exit 1; }
jar $quick --create --no-compress --file "$out/bot.jar" --main-class "$(echo "$main" | tr / .)" .
"""
"""A file may have any name in Java unless its class is public. The class that has main starts, Player before others."""

JAVA = Language(
    id="java",
    name="Java",
    ending=".java",
    source_name="bot.java",
    artefact_name="bot.jar",
    build=("sh", "-c", JAVA_BUILD, "{out}", "{bot}", "{sources}"),
    # All threads are charged to the bot, so: one collector, in its own thread; the quick compiler only, whose work
    # is small; and that in the foreground, so that a bot that looks at the clock sees what it will pay for. The heap's
    # young part is small, or a third of the memory could not be used for what stays; its first size does not
    # depend on the machine's memory, which a sandbox does not tell. Warnings are no replies.
    run=(
        *("java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-BackgroundCompilation", "-XX:-UsePerfData"),
        *("-XX:+DisplayVMOutputToStderr", "-XX:+SuppressFatalErrorMessage"),
        *("-Xms384m", "-Xmx680m", "-XX:MaxNewSize=48m", "-Xss8m", "-jar", "{bot}/bot.jar"),
    ),
    version_commands=(("javac", "-version"),),
    install="default-jdk-headless from the system's packages",
    links=OWN_PLACE,
    settings=SETTINGS,
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
    version_commands=(("rustc", "--version"),),
    install="rustc from the system's packages; one in a home folder (rustup) cannot be reached from inside a sandbox",
    links=OWN_PLACE,
    settings=(),
)

GO_BUILD = r"""
cd "$1" || exit
export GOCACHE="$0/cache" GOPATH="$0/path" GOENV=off GOPROXY=off GOTOOLCHAIN=local GOFLAGS=-buildvcs=false
export CGO_ENABLED=0 GOMAXPROCS=2
if [ -f go.mod ]; then
    set -- .
else
    set -- *.go
    for file; do shift; case $file in *_test.go) ;; *) set -- "$@" "$file" ;; esac; done
fi
go build -o "$0/bot" "$@" || exit
[ "$(head -c 4 "$0/bot" | tail -c 3)" = ELF ] && exit
echo 'expected package main; got another, which is no program' >&2
exit 1
"""
"""With a go.mod, the module: folders in it are packages. Else all files of the folder, which are one package."""

GO = Language(
    id="go",
    name="Go",
    ending=".go",
    source_name="bot.go",
    artefact_name="bot",
    build=("sh", "-c", GO_BUILD, "{out}", "{bot}"),
    # One thread for goroutines: what runs beside another is charged all the same, and idle threads would spin.
    run=("env", "GOMAXPROCS=1", "GOMEMLIMIT=704MiB", "{bot}/bot"),
    version_commands=(("go", "version"),),
    install="golang-go from the system's packages",
    settings=(),
)

MONO_MAPS = """\
0-7ff000000000 ---p 00000000 00:00 0
7ff000000000-7ffffffff000 rw-p 00000000 00:00 0
7ffffffff000-fff000000000 ---p 00000000 00:00 0
fff000000000-1000000000000 rw-p 00000000 00:00 0
"""
"""Where the stack of the first thread is: Mono does not start before it read that. True for every process, for it says
only where Linux puts stacks on x86-64 and on ARM; that is why endless recursion ends in a SIGSEGV, not in an
exception."""
MONO_SETTINGS = """\
<configuration>
  <dllmap dll="libc" target="libc.so.6"/>
  <dllmap dll="System.Native" target="libmono-native.so"/>
  <dllmap dll="MonoPosixHelper" target="libMonoPosixHelper.so"/>
</configuration>
"""
"""Mono's only settings in a sandbox: the libraries behind System.Random, files and the clock."""

# Mono would warn on stdout, where a bot's replies are, that threads may not choose how they are scheduled.
MONO = ("env", "MONO_LOG_DEST=/dev/null")

CSHARP = Language(
    id="csharp",
    name="C#",
    ending=".cs",
    source_name="bot.cs",
    artefact_name="bot.exe",
    build=(
        *(*MONO, "MONO_OPTIONS=--config {bot}/.mono", "mcs", "-optimize+", "-unsafe", "-langversion:latest"),
        *("-r:System.Numerics.dll", "-out:{out}/bot.exe", "{sources}"),
    ),
    run=(*MONO, "MONO_GC_PARAMS=max-heap-size=704m", "mono", "--config", "{bot}/.mono", "{bot}/bot.exe"),
    version_commands=(("mcs", "--version"), ("mono", "--version")),
    install="mono-mcs and mono-runtime from the system's packages",
    beside=((".maps", MONO_MAPS), (".mono", MONO_SETTINGS)),
    links=(("/proc/self/maps", "{bot}/.maps"),),
)

RUBY_PRELUDE = """
$stdout.sync = true
$LOAD_PATH.push(*Dir["/usr/lib/ruby/gems/*/gems/{matrix,prime}-*/lib"])
"""
"""Lines go out at once, also from bots that do not ask for it. `matrix` and `prime` are found without loading gems."""

RUBY = Language(
    id="ruby",
    name="Ruby",
    ending=".rb",
    source_name="bot.rb",
    artefact_name="bot.rb",
    build=check_each("ruby", "--disable-gems", "-c"),
    # Loading the package manager takes five times as long as everything else: 38 ms instead of 6.
    run=("ruby", "--disable-gems", "-r", "{bot}/.prelude.rb", "{bot}/bot.rb"),
    version_commands=(("ruby", "--version"),),
    install="ruby from the system's packages",
    beside=((".prelude.rb", RUBY_PRELUDE),),
)

# Without the system's settings, which differ from one machine to the next and cost 3 ms a start. Messages go to
# stderr, since on stdout they would be taken for replies.
PHP_COMMAND = ("php", "-n", "-d", "display_errors=stderr", "-d", "log_errors=0")

PHP = Language(
    id="php",
    name="PHP",
    ending=".php",
    source_name="bot.php",
    artefact_name="bot.php",
    build=check_each(*PHP_COMMAND, "-l"),
    run=(*PHP_COMMAND, "-d", "memory_limit=720M", "-d", "extension=ctype", "{bot}/bot.php"),
    version_commands=(("php", "--version"),),
    install="php-cli from the system's packages",
)

LANGUAGES: Mapping[str, Language] = MappingProxyType(
    {row.id: row for row in (PYTHON, C, CPP, JAVASCRIPT, TYPESCRIPT, JAVA, RUST, GO, CSHARP, RUBY, PHP)}
)
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
