"""Builds: what an author gets to read, what is kept, and what a hostile source cannot do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from backend.languages import CPP, JAVASCRIPT, PYTHON, Language
from worker.sandbox import BuildFailed, LanguageMissing, Sandbox
from worker.sandbox.build import BuildCache, key_of

ECHO_CPP = b"""#include <iostream>
#include <string>
int main() { for (std::string s; std::cin >> s;) std::cout << s << "!" << std::endl; }
"""
ECHO_JS = b"require('readline').createInterface({input: process.stdin}).on('line', line => console.log(line + '!'))\n"
ECHO_PY = b"while True:\n    print(input() + '!')\n"


def need(sandbox: Sandbox, language: Language) -> None:
    try:
        sandbox.tool(language)
    except LanguageMissing as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize(("language", "source"), [(PYTHON, ECHO_PY), (CPP, ECHO_CPP), (JAVASCRIPT, ECHO_JS)])
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
    ],
)
def test_the_author_reads_what_the_compiler_says(jail: Sandbox, language: Language, source: bytes, says: str) -> None:
    need(jail, language)
    with pytest.raises(BuildFailed) as failure:
        jail.build(language, source)
    assert says in failure.value.log.replace("‘", "'").replace("’", "'")
    assert "/bot/" not in failure.value.log


def test_an_equal_source_is_built_once(jail: Sandbox) -> None:
    first = jail.build(PYTHON, b"print(1)\n")
    assert jail.build(PYTHON, b"print(1)\n") == first
    assert jail.build(PYTHON, b"print(2)\n") != first


def test_the_key_of_a_build_is_everything_that_matters() -> None:
    keys = {
        key_of(PYTHON, "3.11", b"a"),
        key_of(PYTHON, "3.12", b"a"),
        key_of(PYTHON, "3.11", b"b"),
        key_of(JAVASCRIPT, "3.11", b"a"),
    }
    assert len(keys) == 4


def test_two_workers_may_keep_the_same_build(tmp_path: Path) -> None:
    cache = BuildCache(tmp_path)
    assert cache.keep("key", "bot", b"program") == cache.keep("key", "bot", b"program")
    assert cache.find("key", "bot") == tmp_path / "key"
    assert [path.name for path in tmp_path.iterdir()] == ["key"], "nothing half done is left"
    cache.sweep()
    assert (tmp_path / "key" / "bot").read_bytes() == b"program"


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
    builds = jail.folder / "builds"
    assert not list(builds.glob("new-*")), "no source is left"


def test_a_build_cannot_leave_anything_in_the_workers_folders(jail: Sandbox, tmp_path: Path) -> None:
    need(jail, CPP)
    before = sorted(path for path in jail.folder.rglob("*"))
    tmp_path.chmod(0o777)
    with pytest.raises(BuildFailed):
        jail.build(CPP, f'asm(".incbin \\"{tmp_path}\\"");\n#include "{tmp_path}"\n'.encode())
    assert sorted(jail.folder.rglob("*")) == before
