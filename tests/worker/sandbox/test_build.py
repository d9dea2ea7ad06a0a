"""Builds: what an author gets to read, what is kept, and what a hostile source cannot do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from backend.languages import CPP, GO, JAVA, JAVASCRIPT, LANGUAGES, PYTHON, RUST, Language
from games.contract import Crashed
from worker.sandbox import BuildFailed, LanguageMissing, Sandbox
from worker.sandbox.build import key_of

ECHO_CPP = b"""#include <iostream>
#include <string>
int main() { for (std::string s; std::cin >> s;) std::cout << s << "!" << std::endl; }
"""
ECHO_JS = b"require('readline').createInterface({input: process.stdin}).on('line', line => console.log(line + '!'))\n"
ECHO_JAVA = b"""import java.util.*;
class Echo { static String of(String text) { return text + "!"; } }
class Player {
    public static void main(String args[]) {
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) System.out.println(Echo.of(in.nextLine()));
    }
}
"""
ECHO_RUST = b"""use std::io::{self, BufRead};
fn main() { for line in io::stdin().lock().lines() { println!("{}!", line.unwrap()); } }
"""
ECHO_GO = b"""package main

import ("bufio"; "fmt"; "os")

func main() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() { fmt.Println(in.Text() + "!") }
}
"""
ECHO_PY = b"while True:\n    print(input() + '!')\n"


def need(sandbox: Sandbox, language: Language) -> None:
    try:
        sandbox.tool(language)
    except LanguageMissing as missing:
        pytest.skip(str(missing))


ECHOES = [
    (PYTHON, ECHO_PY), (CPP, ECHO_CPP), (JAVASCRIPT, ECHO_JS), (JAVA, ECHO_JAVA), (RUST, ECHO_RUST), (GO, ECHO_GO)
]  # fmt: skip


def test_every_language_is_tried_here() -> None:
    assert [language for language, _ in ECHOES] == list(LANGUAGES.values())


@pytest.mark.parametrize(("language", "source"), ECHOES)
def test_each_language_builds_and_answers(sandbox: Sandbox, language: Language, source: bytes) -> None:
    need(sandbox, language)
    with sandbox.start(sandbox.build(language, source), reply_bytes=100) as bot:
        assert bot.ask("hello\n", 5.0).line == "hello!"
        assert bot.ask("again\n", 5.0).line == "again!"


@pytest.mark.parametrize(
    ("language", "source", "says"),
    [
        (PYTHON, b"input()\nprint('a' 1)\n", 'File "bot.py", line 2'),
        (PYTHON, b"\xff\xfe", "SyntaxError: (unicode error) 'utf-8' codec can't decode"),
        (PYTHON, b"a\x00b", "null bytes"),
        (CPP, b"int main() { return x; }\n", "bot.cpp:1:21: error: 'x' was not declared"),
        (JAVASCRIPT, b"let a = ;\n", "SyntaxError: Unexpected token"),
        (JAVA, b"class Player {\n    int a = x;\n}\n", "bot.java:2: error: cannot find symbol"),
        (JAVA, b"public class Mine {\n    int a = x;\n}\n", "Mine.java:2: error: cannot find symbol"),
        (JAVA, b"class Player {}\n", "expected a class with public static void main(String[] args); got none"),
        (RUST, b"fn main() {\n    x();\n}\n", "bot.rs:2:5"),
        (GO, b"package main\n\nfunc main() {\n\tx()\n}\n", "bot.go:4:2: undefined: x"),
    ],
)
def test_the_author_reads_what_the_compiler_says(jail: Sandbox, language: Language, source: bytes, says: str) -> None:
    need(jail, language)
    with pytest.raises(BuildFailed) as failure:
        jail.build(language, source)
    assert says in failure.value.log.replace("‘", "'").replace("’", "'")
    assert "/bot/" not in failure.value.log


@pytest.mark.parametrize(
    "source",
    [
        "public class Player { MAIN }",
        "public final class Mine { interface Inner { int one(); } MAIN }",
        "class Other { static void stop(String[] words) {} } class Mine { MAIN }",
        "class Other { MAIN } class Player { MAIN }",
        "package a.b; class Mine { MAIN }",
        "public enum Mine { ONE; MAIN }",
    ],
)
def test_the_java_class_that_has_main_is_started(jail: Sandbox, source: str) -> None:
    need(jail, JAVA)
    main = """public static void main(String... args) {
        System.out.println(java.lang.invoke.MethodHandles.lookup().lookupClass().getName());
    }"""
    with jail.start(jail.build(JAVA, source.replace("MAIN", main).encode()), reply_bytes=100) as bot:
        assert bot.ask("\n", 5.0).line in ("Player", "Mine", "a.b.Mine")


def test_a_program_that_asks_where_it_lies_learns_nothing_else(jail: Sandbox) -> None:
    need(jail, JAVA)
    source = b"""class Player { public static void main(String[] args) throws Exception {
        java.nio.file.Path proc = java.nio.file.Path.of("/proc");
        try (java.util.stream.Stream<java.nio.file.Path> found = java.nio.file.Files.walk(proc)) {
            System.out.println(found.map(Object::toString).collect(java.util.stream.Collectors.joining(" ")));
        }
    } }"""
    with jail.start(jail.build(JAVA, source), reply_bytes=1000) as bot:
        assert bot.ask("\n", 5.0).line == "/proc /proc/self /proc/self/exe"


def test_an_equal_source_is_built_once(jail: Sandbox) -> None:
    first = jail.build(PYTHON, b"print(1)\n")
    assert jail.build(PYTHON, b"print(1)\n") == first
    assert jail.build(PYTHON, b"print(2)\n") != first


def test_the_key_of_a_build_is_everything_that_matters() -> None:
    keys = {
        key_of(PYTHON, "3.11", b"a", {}),
        key_of(PYTHON, "3.12", b"a", {}),
        key_of(PYTHON, "3.11", b"b", {}),
        key_of(JAVASCRIPT, "3.11", b"a", {}),
        key_of(PYTHON, "3.11", b"a", {"harness.py": b"a"}),
        key_of(PYTHON, "3.11", b"a", {"harness.py": b"b"}),
        key_of(PYTHON, "3.11", b"a", {"other.py": b"a"}),
    }
    assert len(keys) == 7


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


def test_a_bot_cannot_change_its_harness(jail: Sandbox, tmp_path: Path) -> None:
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
    with jail.start(jail.build(PYTHON, bot, harness=harness), reply_bytes=100) as process:
        assert process.ask("hello\n", 5.0).line.endswith("['Read-only file system', 'Read-only file system']")


def test_compiled_languages_have_no_harness(jail: Sandbox) -> None:
    need(jail, CPP)
    with pytest.raises(ValueError, match=r"without a compiler, got one for C\+\+"):
        jail.build(CPP, ECHO_CPP, harness=Path(__file__))


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ('#include "/dev/zero"\nint main(){}', "memory|CPU time"),
        ("int a[1ull<<31]={1};int main(){}", "File size limit exceeded|No space left|memory"),
        (
            "template<int N,int M>struct A{static const int v=A<N-1,M>::v+A<N-1,M+1>::v+A<N,M-1>::v;};"
            "template<int M>struct A<0,M>{static const int v=1;};template<int N>struct A<N,0>{static const int v=1;};"
            "int main(){return A<400,400>::v;}",
            "recursively required from|CPU time",
        ),
        (
            "constexpr long f(long n){long s=0;for(long i=0;i<n;i++)for(long j=0;j<n;j++)s+=i^j;return s;}"
            "constexpr long a=f(5000),b=f(5001),c=f(5002),d=f(5003);int main(){return a+b+c+d;}",
            "expected the build to take at most 3 s of CPU time",
        ),
        ('#include "/etc/passwd"\nint main(){}', "No such file"),
        ('asm(".incbin \\"/etc/passwd\\"");int main(){}', "file not found: /etc/passwd"),
        ('#include "bot.cpp"\n#include "bot.cpp"\n', "from bot.cpp:1"),
        ("char a[6<<20]={1};int main(){return a[5];}", "expected a program of at most 4 MiB"),
    ],
)
def test_a_hostile_source_only_harms_its_own_build(
    jail: Sandbox, source: str, says: str, descriptors: Callable[[], set[str]]
) -> None:
    need(jail, CPP)
    before = descriptors()
    with pytest.raises(BuildFailed) as failure:
        jail.build(CPP, source.encode())
    assert any(part in failure.value.log for part in says.split("|")), failure.value.log
    assert "root:x:0" not in failure.value.log
    assert len(failure.value.log) < 3000
    assert descriptors() == before
    assert not list((jail.folder / "scratch").glob("*/*")), "no source is left"


def test_a_build_cannot_leave_anything_in_the_workers_folders(jail: Sandbox, tmp_path: Path) -> None:
    need(jail, CPP)
    before = sorted(path for path in jail.folder.rglob("*"))
    tmp_path.chmod(0o777)
    with pytest.raises(BuildFailed):
        jail.build(CPP, f'asm(".incbin \\"{tmp_path}\\"");\n#include "{tmp_path}"\n'.encode())
    assert sorted(jail.folder.rglob("*")) == before
