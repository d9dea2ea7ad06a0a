"""Builds: what an author gets to read, what is kept, and what a hostile source cannot do."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from hexarena.backend.submissions.languages import (
    CPP,
    CSHARP,
    GO,
    HASKELL,
    JAVA,
    JAVASCRIPT,
    PERL,
    PYTHON,
    RUBY,
    RUST,
    TYPESCRIPT,
    C,
    Language,
)
from hexarena.backend.submissions.sources import pack
from hexarena.games.contract import Crashed
from hexarena.worker.sandbox import BuildFailed, BuildLimits, Sandbox
from hexarena.worker.sandbox.build import key_of
from tests.worker.sandbox.conftest import need, need_mono


def built(sandbox: Sandbox) -> int:
    """How many builds its folder holds."""
    return len(list((sandbox.folder / "builds").iterdir()))


def test_an_equal_source_is_built_once(isolated: Sandbox) -> None:
    first = isolated.build(PYTHON, b"print(1)\n")
    count = built(isolated)
    assert isolated.build(PYTHON, b"print(1)\n") == first
    assert isolated.build(PYTHON, pack({"main.py": b"print(1)\n"})) == first, "packed or not"
    assert built(isolated) == count
    assert isolated.build(PYTHON, b"print(2)\n") != first
    assert isolated.build(PYTHON, pack({"main.py": b"print(1)\n", "book.txt": b""})) != first
    assert built(isolated) == count + 2


def test_another_version_of_the_toolchain_builds_anew(tmp_path: Path) -> None:
    """The shell stands for a toolchain that is updated between two builds of the same source."""
    source = b"echo $VERSION\n"
    with Sandbox.open("none", folder=tmp_path) as sandbox:
        for number in ("1", "2"):
            shell = replace(RUBY, id="sh", build=("sh", "-n", "{sources}"), version_commands=(("echo", number),))
            for _ in range(2):
                sandbox.build(shell, source)
            assert built(sandbox) == int(number)


def test_the_key_of_a_build_is_everything_that_matters() -> None:
    one = {"bot.py": b"a"}
    keys = {
        key_of(PYTHON, "3.11", one, {}),
        key_of(PYTHON, "3.12", one, {}),
        key_of(replace(PYTHON, build=("true",)), "3.11", one, {}),
        key_of(PYTHON, "3.11", {"bot.py": b"b"}, {}),
        key_of(PYTHON, "3.11", {**one, "book.txt": b"a"}, {}),
        key_of(PYTHON, "3.11", {**one, "book.txt": b"b"}, {}),
        key_of(PYTHON, "3.11", {**one, "other.txt": b"a"}, {}),
        key_of(JAVASCRIPT, "3.11", one, {}),
        key_of(PYTHON, "3.11", one, {"harness.py": b"a"}),
        key_of(PYTHON, "3.11", one, {"harness.py": b"b"}),
        key_of(PYTHON, "3.11", one, {"other.py": b"a"}),
    }
    assert len(keys) == 11


HARNESS = """import runpy, sys
bot = runpy.run_path(sys.argv[1])
while line := sys.stdin.readline():
    print(GREETING, bot["answer"](line.strip()))
"""


def test_a_harness_runs_in_place_of_the_bot_and_is_given_its_file(sandbox: Sandbox, tmp_path: Path) -> None:
    bot, harness = b"def answer(line):\n    return line + '!'\n", tmp_path / "harness.py"
    for greeting in ("first:", "changed:"):
        harness.write_text(HARNESS.replace("GREETING", repr(greeting)))
        with sandbox.start(sandbox.build(PYTHON, bot, harness=harness), reply_bytes=100) as process:
            assert process.ask("hello\n", 5.0).line == f"{greeting} hello!"
    with (
        sandbox.start(sandbox.build(PYTHON, bot), reply_bytes=100) as process,
        pytest.raises(Crashed, match="ended with exit code 0"),
    ):
        process.ask("hello\n", 5.0)


def test_a_bot_cannot_change_its_harness(isolated: Sandbox, tmp_path: Path) -> None:
    bot = b"""
import os
def answer(line):
    problems = []
    for attempt in (lambda: open("/bot/harness.py", "w"), lambda: os.remove("/bot/harness.py")):
        try:
            attempt()
        except OSError as error:
            problems.append(error.strerror)
    return problems
"""
    harness = tmp_path / "harness.py"
    harness.write_text(HARNESS.replace("GREETING", "len(bot)"))
    with isolated.start(isolated.build(PYTHON, bot, harness=harness), reply_bytes=100) as process:
        assert process.ask("hello\n", 5.0).line.endswith("['Read-only file system', 'Read-only file system']")


def test_an_upload_cannot_take_the_harness_s_place(isolated: Sandbox, tmp_path: Path) -> None:
    harness = tmp_path / "harness.py"
    harness.write_text("print(1)\n")
    with pytest.raises(BuildFailed, match=r"expected no file or folder named harness.py, which is ours"):
        isolated.build(PYTHON, pack({"bot.py": b"print(2)\n", "harness.py": b"print(3)\n"}), harness=harness)


def test_compiled_languages_have_no_harness(isolated: Sandbox) -> None:
    need(isolated, CPP)
    with pytest.raises(ValueError, match=r"that runs sources; got one for C\+\+"):
        isolated.build(CPP, b"int main() {}\n", harness=Path(__file__))


# --- Limits ----------------------------------------------------------------------------------------------------------


def doubled(first: str, line: str) -> str:
    """Lines, each of which makes something four times as large as the one before: `{n}` and `{m}` are its number."""
    return first + "".join(line.replace("{n}", str(n)).replace("{m}", str(n - 1)) for n in range(1, 15))


MEMORY, CPU, SPACE = (
    "at most 512 MiB of memory",
    "at most 3 s of CPU time; used ",
    "files of at most 256 MiB together",
)
STOPPED = "The build was stopped: expected "
BOMBS: Mapping[str, tuple[Language, str, str]] = {
    "C: a file without an end": (C, '#include "/dev/zero"\nint main(void) {}', f"{MEMORY}|{CPU}"),
    "C: a huge array": (C, "int a[1ull << 31] = {1};\nint main(void) {}", f"{SPACE}|{MEMORY}"),
    "C: a program that is too large": (C, "char a[6 << 20] = {1};\nint main(void) {}", "a program of at most 4 MiB"),
    "C: macros of macros": (
        C,
        doubled("#define A0 +1\n", "#define A{n} A{m} A{m} A{m} A{m}\n") + "int main(void) { return 0 A14; }",
        f"{MEMORY}|{CPU}",
    ),
    "C: an assembler that writes without an end": (
        C,
        'asm(".fill 1 << 30, 1, 1");\nint main(void) {}',
        f"{SPACE}|{MEMORY}|{CPU}",
    ),
    "C: an assembler that reads without an end": (
        C,
        'asm(".rept 1000000000\\n nop\\n .endr");\nint main(void) {}',
        f"{MEMORY}|{CPU}",
    ),
    "C: brackets in brackets": (
        C,
        "int main(void) { return " + "(" * 49_000 + "1" + ")" * 49_000 + "; }",
        "is nested too deeply",
    ),
    "C++: templates in two dimensions": (
        CPP,
        "template<int N,int M> struct A { static const unsigned v = A<N-1,M>::v + A<N-1,M+1>::v + A<N,M-1>::v; };"
        "template<int M> struct A<0,M> { static const unsigned v = 1; };"
        "template<int N> struct A<N,0> { static const unsigned v = 1; };"
        "int main() { return A<400,400>::v; }",
        f"{CPU}|{MEMORY}",
    ),
    "C++: a long computation at compile time": (
        CPP,
        "constexpr long f(long n) { long s = 0; for (long i = 0; i < n; i++) for (long j = 0; j < n; j++) s += i ^ j;"
        " return s; }\nconstexpr long a = f(5000), b = f(5001), c = f(5002), d = f(5003);\n"
        "int main() { return a + b + c + d; }",
        CPU,
    ),
    "Rust: a file without an end": (
        RUST,
        'static A: &[u8] = include_bytes!("/dev/zero");\nfn main() { println!("{}", A.len()); }',
        f"{MEMORY}|{CPU}",
    ),
    "Rust: macros of macros": (
        RUST,
        '#![recursion_limit="1000000"]\nmacro_rules! m { ($($t:tt)*) => { m!{$($t)* $($t)*} } }\nm!{a b}\nfn main() {}',
        f"{MEMORY}|{CPU}",
    ),
    "Rust: a huge array": (
        RUST,
        "static A: [u8; 1 << 31] = [1; 1 << 31];\nfn main() { println!(\"{}\", A[3]); }",
        f"{MEMORY}|{CPU}",
    ),
    "Go: a huge array": (
        GO,
        "package main\nvar a = [1<<28]int64{1<<28-1: 1}\nfunc main() { println(a[5]) }",
        f"{MEMORY}|{CPU}|a program of at most 4 MiB",
    ),
    "Go: texts of texts": (
        GO,
        doubled('package main\nconst s0 = "0123456789"\n', "const s{n} = s{m} + s{m} + s{m} + s{m}\n")
        + "func main() { println(s14) }",
        f"{MEMORY}|{CPU}",
    ),
    "Java: texts of texts": (
        JAVA,
        "class Player {"
        + doubled('static final String S0 = "0123456789";', "static final String S{n} = S{m} + S{m} + S{m} + S{m};")
        + "public static void main(String[] a) { System.out.println(S14); } }",
        f"{MEMORY}|{CPU}",
    ),
    "Java: brackets in brackets": (
        JAVA,
        "class Player { int x = " + "(" * 9000 + "1" + ")" * 9000 + "; public static void main(String[] a) {} }",
        "is nested too deeply",
    ),
    "TypeScript: a file without an end": (TYPESCRIPT, 'import x from "/dev/zero";\nconsole.log(x);', f"{MEMORY}|{CPU}"),
    "C#: texts of texts": (
        CSHARP,
        "class Player {"
        + doubled('const string S0 = "0123456789";', "const string S{n} = S{m} + S{m} + S{m} + S{m};")
        + "static void Main() { System.Console.WriteLine(S14); } }",
        f"{MEMORY}|{CPU}",
    ),
    "C#: functions of functions": (
        CSHARP,
        "using System; class Player { static int M(Func<int, int> f) { return 0; }"
        "static int M(Func<string, int> f) { return 0; } static void Main() { "
        + "".join(f"M(a{n} => " for n in range(16))
        + "a1.Length"
        + ")" * 16
        + "; } }",
        f"{CPU}|{MEMORY}",
    ),
    "C#: brackets in brackets": (
        CSHARP,
        "class Player { static void Main() { int x = " + "(" * 40_000 + "1" + ")" * 40_000 + "; } }",
        "is nested too deeply",
    ),
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(("language", "source", "says"), BOMBS.values(), ids=BOMBS)
def test_a_bomb_only_harms_its_own_build_which_says_at_which_limit_it_ended(
    isolated: Sandbox, language: Language, source: str, says: str, descriptors: Callable[[], set[str]]
) -> None:
    need(isolated, language)
    if language is CSHARP:
        need_mono(isolated)
    before = descriptors()
    with pytest.raises(BuildFailed) as failure:
        isolated.build(language, source.encode())
    first = failure.value.log.splitlines()[0]
    assert first.startswith(STOPPED), failure.value.log
    assert any(part in first for part in says.split("|")), failure.value.log
    assert len(failure.value.log) < 3000
    assert descriptors() == before
    assert not list((isolated.folder / "scratch").glob("*/*")), "no source is left"


GO_EMBEDS = 'package main\nimport _ "embed"\n//go:embed FILE\nvar s string\nfunc main() {}'


@pytest.mark.parametrize(
    ("language", "source", "says"),
    [
        (C, '#include "/etc/passwd"\nint main(void) {}', "No such file"),
        (C, 'asm(".incbin \\"/etc/passwd\\"");\nint main(void) {}', "file not found: /etc/passwd"),
        (CPP, '#include "bot.cpp"\n#include "bot.cpp"\n', "from bot.cpp:1"),
        (RUST, 'fn main() { print!("{}", include_str!("/etc/passwd")); }',
         "couldn't read /etc/passwd|couldn't read `/etc/passwd`"),
        (RUST, 'fn main() { print!("{}", env!("DATABASE_URL")); }', "not defined"),
        (RUST, "const fn f(n: u64) -> u64 { let mut i = 0; while i < n { i += 1 } i }\nconst A: u64 = f(1 << 60);"
         "\nfn main() { print!(\"{}\", A); }",
         "any use of this value will cause an error|taking too long|a while|a long time"),
        (GO, GO_EMBEDS.replace("FILE", "/etc/passwd"), "invalid pattern"),
        (GO, GO_EMBEDS.replace("FILE", "../etc/passwd"), "invalid pattern"),
        (GO, "package main\n// #cgo LDFLAGS: -Wl,-T/etc/passwd\nimport \"C\"\nfunc main() {}", "no Go source files|C"),
        (TYPESCRIPT, 'import x from "/etc/passwd";\nconsole.log(x);', 'Could not resolve "/etc/passwd"'),
        (RUBY, "BEGIN { $stderr.puts File.read('/etc/passwd') }\nputs (\n", "syntax error"),
    ],
)  # fmt: skip
def test_a_build_reads_nothing_of_the_machine_s(isolated: Sandbox, language: Language, source: str, says: str) -> None:
    need(isolated, language)
    with pytest.raises(BuildFailed) as failure:
        isolated.build(language, source.encode())
    assert any(part in failure.value.log for part in says.split("|")), failure.value.log
    assert "root:x:0" not in failure.value.log


def test_a_log_is_cut_and_says_so(isolated: Sandbox) -> None:
    need(isolated, C)
    warnings = "".join(f"int unused{number};\n" for number in range(3000))
    with pytest.raises(BuildFailed) as failure:
        isolated.build(C, f"int main(void) {{ {warnings} return x; }}".encode())
    kept, _, rest = failure.value.log.rpartition("\n")
    assert re.fullmatch(r"\[The log was cut here: expected at most 1\.95 KiB; got \d+ KiB\.\]", rest)
    assert len(kept.encode()) <= 2000


def test_a_build_that_sleeps_is_stopped_by_the_wall_clock(tmp_path: Path) -> None:
    """No source makes a compiler sleep; a compiler that does is taken for all of them."""
    limits = BuildLimits(wall_s=0.5)
    sleeping = replace(RUBY, build=("sh", "-c", "sleep 60", "{sources}"))
    with (
        Sandbox.open("none", folder=tmp_path, build_limits=limits) as sandbox,
        pytest.raises(
            BuildFailed, match=r"^The build was stopped: expected an end within 0\.5 s; still running"
        ) as failure,
    ):
        sandbox.build(sleeping, b"")
    assert failure.value.stopped


@pytest.mark.parametrize(
    ("source", "says", "first"),
    [
        (b'puts "Out of memory', "", 'puts "Out of memory'),
        (b"rescue StackOverflowError # no space left on device", "", "rescue StackOverflowError"),
        (b"puts 1", "cc1: out of memory allocating 65536 bytes", "The build was stopped: expected at most"),
        (b'puts "Out of memory"', "LLVM ERROR: no space left on device", "The build was stopped: expected files of"),
        (b'puts "Out of memory"', "sh: Segmentation fault", "The build was stopped: expected code that the compiler"),
    ],
)
def test_a_line_that_a_compiler_quotes_is_no_message_of_its_own(
    tmp_path: Path, source: bytes, says: str, first: str
) -> None:
    """It told authors of code that checks for these itself that the build needed too much."""
    quoting = replace(RUBY, build=("sh", "-c", f'cat "$0" >&2; echo "{says}" >&2; exit 1', "{sources}"))
    with Sandbox.open("none", folder=tmp_path) as sandbox, pytest.raises(BuildFailed) as failure:
        sandbox.build(quoting, source)
    assert failure.value.log.startswith(first)


def test_code_with_a_mistake_was_not_stopped(tmp_path: Path) -> None:
    wrong = replace(RUBY, build=("sh", "-c", "echo a mistake; exit 1", "{sources}"))
    with Sandbox.open("none", folder=tmp_path) as sandbox, pytest.raises(BuildFailed) as failure:
        sandbox.build(wrong, b"")
    assert not failure.value.stopped


PERL_BEGINS = """BEGIN {
    open(my $file, "<", "/usr/bin/env");
    print STDERR "lock: ", flock($file, 2) ? "held" : $! + 0, "\\n";
    for my $name (qw(sysinfo statfs mincore)) {
        my $result = syscall({sysinfo => 99, statfs => 137, mincore => 27}->{$name}, 0, 0, 0);
        print STDERR "$name: ", $result == -1 ? $! + 0 : "worked", "\\n";
    }
    kill 9, $$;
    print STDERR "alive\\n";
    exit 1;
}
"""
"""The numbers are those of x86-64; elsewhere they are other calls that are refused, or missing, as well."""
HASKELL_RUNS = """{-# LANGUAGE TemplateHaskell #-}
module Main where
import Language.Haskell.TH
import System.Process
main :: IO ()
main = print $(runIO (rawSystem "flock" ["--nonblock", "/usr/bin/env", "true"]) >>= fail . show)
"""


@pytest.mark.parametrize(
    ("language", "source", "says"),
    [
        (
            PERL,
            PERL_BEGINS,
            f"lock: {errno.ENOLCK}\nsysinfo: {errno.EPERM}\nstatfs: {errno.EPERM}\nmincore: {errno.EPERM}\nalive",
        ),
        (HASKELL, HASKELL_RUNS, os.strerror(errno.ENOLCK)),
    ],
    ids=["perl", "haskell"],
)
def test_code_that_a_compiler_runs_may_do_what_a_bot_may(
    isolated: Sandbox, language: Language, source: str, says: str
) -> None:
    """`perl -c` runs BEGIN blocks, and GHC what it needs at compile time."""
    need(isolated, language)
    with pytest.raises(BuildFailed) as failure:
        isolated.build(language, source.encode())
    assert says in failure.value.log


def test_a_build_cannot_leave_anything_in_the_workers_folders(isolated: Sandbox, tmp_path: Path) -> None:
    need(isolated, CPP)
    before = sorted(path for path in isolated.folder.rglob("*"))
    tmp_path.chmod(0o777)
    with pytest.raises(BuildFailed):
        isolated.build(CPP, f'asm(".incbin \\"{tmp_path}\\"");\n#include "{tmp_path}"\n'.encode())
    assert sorted(isolated.folder.rglob("*")) == before
