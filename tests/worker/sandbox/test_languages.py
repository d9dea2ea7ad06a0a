"""Each language of the table: its bots build and answer; what their authors may rely on, and what they get to read.

A language whose tools this machine lacks is skipped with what to install, so that the report of a run names it.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from hexarena.backend.submissions.languages import (
    BASH,
    CPP,
    CSHARP,
    GO,
    HASKELL,
    JAVA,
    JAVASCRIPT,
    KOTLIN,
    LANGUAGES,
    LUA,
    OCAML,
    PASCAL,
    PERL,
    PHP,
    PYTHON,
    RUBY,
    RUST,
    TYPESCRIPT,
    C,
    D,
    Language,
)
from hexarena.backend.submissions.sources import pack
from hexarena.games.contract import Crashed
from hexarena.worker.sandbox import BuildFailed, Sandbox
from tests.worker.sandbox.conftest import need, patient

ECHOES: Mapping[str, str] = {
    "python": "while True:\n    print(input() + '!')\n",
    "c": """
        #include <stdio.h>
        int main(void) {
            char word[100];
            while (scanf("%99s", word) == 1) { printf("%s!\\n", word); fflush(stdout); }
        }
    """,
    "cpp": """
        #include <iostream>
        #include <string>
        int main() { for (std::string word; std::cin >> word;) std::cout << word << "!" << std::endl; }
    """,
    "javascript": """
        require('readline').createInterface({input: process.stdin}).on('line', line => console.log(line + '!'));
    """,
    "typescript": """
        declare function readline(): string;
        enum Mark { Bang = '!' }
        for (;;) { const line: string = readline(); console.log(line + Mark.Bang); }
    """,
    "java": """
        import java.util.*;
        class Echo { static String of(String text) { return text + "!"; } }
        class Player {
            public static void main(String args[]) {
                Scanner in = new Scanner(System.in);
                while (in.hasNextLine()) System.out.println(Echo.of(in.nextLine()));
            }
        }
    """,
    "rust": """
        use std::io::{self, BufRead};
        fn main() { for line in io::stdin().lock().lines() { println!("{}!", line.unwrap()); } }
    """,
    "go": """package main
        import ("bufio"; "fmt"; "os")
        func main() {
            in := bufio.NewScanner(os.Stdin)
            for in.Scan() { fmt.Println(in.Text() + "!") }
        }
    """,
    "csharp": """
        using System;
        class Player {
            static void Main(string[] args) {
                for (string line; (line = Console.ReadLine()) != null;) Console.WriteLine(line + "!");
            }
        }
    """,
    "ruby": "loop do\n  line = gets.chomp\n  puts line + '!'\nend\n",
    "php": '<?php\nwhile (($line = fgets(STDIN)) !== false) { echo trim($line) . "!\\n"; }\n',
    "kotlin": 'fun main() { while (true) println((readLine() ?: return) + "!") }\n',
    "lua": "for line in io.lines() do print(line .. '!') end\n",
    "perl": 'while (<STDIN>) { chomp; print "$_!\\n"; }\n',
    "bash": 'while read -r line; do echo "$line!"; done\n',
    "haskell": """
import System.IO
main = hSetBuffering stdout LineBuffering >> interact (unlines . map (++ "!") . lines)
""",
    "ocaml": 'let () = while true do print_endline (read_line () ^ "!") done\n',
    "d": 'import std.stdio;\nvoid main() { foreach (line; stdin.byLine) { writeln(line, "!"); stdout.flush(); } }\n',
    "pascal": "var s: string; begin repeat readln(s); writeln(s, '!'); flush(output); until false end.\n",
}


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)
def test_each_language_builds_and_answers(sandbox: Sandbox, language: Language) -> None:
    need(sandbox, language)
    program = patient(sandbox).build(language, ECHOES[language.id].encode())
    with sandbox.start(program, reply_bytes=100) as bot:
        assert bot.ask("hello\n", 5.0).line == "hello!"
        assert bot.ask("turn\n", 5.0).line == "turn!"


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "source", "says"),
    [
        (PYTHON, b"input()\nprint('a' 1)\n", 'File "bot.py", line 2'),
        (PYTHON, b"\xff\xfe", "SyntaxError: (unicode error) 'utf-8' codec can't decode"),
        (PYTHON, b"a\x00b", "null bytes"),
        (C, b"int main(void) { return x; }\n", "bot.c:1:25: error: 'x' undeclared"),
        (CPP, b"int main() { return x; }\n", "bot.cpp:1:21: error: 'x' was not declared"),
        (JAVASCRIPT, b"let a = ;\n", "SyntaxError: Unexpected token"),
        (TYPESCRIPT, b"let a: number = 1;\nlet b: = 2;\n", "bot.ts:2:7:"),
        (JAVA, b"class Player {\n    int a = x;\n}\n", "bot.java:2: error: cannot find symbol"),
        (JAVA, b"public class Mine {\n    int a = x;\n}\n", "Mine.java:2: error: cannot find symbol"),
        (JAVA, b"class Player {}\n", "expected a class with public static void main(String[] args); got none"),
        (RUST, b"fn main() {\n    x();\n}\n", "bot.rs:2:5"),
        (GO, b"package main\n\nfunc main() {\n\tx()\n}\n", "bot.go:4:2: undefined: x"),
        (GO, b"package board\n\nfunc main() {}\n", "expected package main; got another, which is no program"),
        (CSHARP, b"class Player {\n  static void Main() { x(); }\n}\n", "bot.cs(2,24): error CS0103: The name "),
        (RUBY, b"puts 1\nputs (2\n", "bot.rb:2: syntax error"),
        (KOTLIN, b"fun main() {\n    x()\n}\n", "bot.kt:2:5: error: unresolved reference 'x'"),
        (KOTLIN, b"fun play() {}\n", "expected one file with fun main(); got none, or several"),
        (LUA, b"x = 1\nprint(\n", "bot.lua:3: unexpected symbol near <eof>"),
        (PERL, b"use strict;\n$x = 1;\n", 'Global symbol "$x" requires explicit package name'),
        (BASH, b"if true; then\n", "bot.sh: line 2: syntax error: unexpected end of file"),
        (HASKELL, b"main = do\n  x\n", "bot.hs:2:3: error: Variable not in scope: x"),
        (OCAML, b"let () =\n  x ()\n", 'File "bot.ml", line 2, characters 2-3'),
        (D, b"void main() {\n  x();\n}\n", "bot.d(2): Error: undefined identifier `x`"),
        (PASCAL, b"begin\n  x;\nend.\n", 'bot.pas(2,3) Error: Identifier not found "x"'),
        (PHP, b"<?php\necho 1\necho 2;\n", 'unexpected token "echo", expecting "," or ";" in bot.php on line 3'),
    ],
)
def test_the_author_reads_what_the_compiler_says(
    isolated: Sandbox, language: Language, source: bytes, says: str
) -> None:
    need(isolated, language)
    with pytest.raises(BuildFailed) as failure:
        patient(isolated).build(language, source)
    assert says in failure.value.log.replace("‘", "'").replace("’", "'")
    assert "/bot/" not in failure.value.log


# --- Several files ---------------------------------------------------------------------------------------------------

BOOK = b"sicilian\n"
FOLDERS: Mapping[str, Mapping[str, str]] = {
    "python": {
        "main.py": "import lib.board\nwhile input():\n    print(lib.board.mark() + open('book.txt').read().strip())\n",
        "lib/board.py": "def mark():\n    return 'two '\n",
    },
    "c": {
        "main.c": """
            #include <stdio.h>
            #include "lib/board.h"
            int main(void) {
                char line[100], book[100];
                FILE *file = fopen("book.txt", "r");
                fgets(book, 100, file);
                while (fgets(line, 100, stdin)) { printf("%s %s", mark(), book); fflush(stdout); }
            }
        """,
        "lib/board.h": "const char *mark(void);\n",
        "lib/board.c": '#include "lib/board.h"\nconst char *mark(void) { return "two"; }\n',
    },
    "cpp": {
        "main.cpp": """
            #include <fstream>
            #include <iostream>
            #include "board.hpp"
            int main() {
                std::string line, book;
                std::getline(std::ifstream("book.txt"), book);
                while (std::getline(std::cin, line)) std::cout << mark() << " " << book << std::endl;
            }
        """,
        "board.hpp": "#include <string>\nstd::string mark();\n",
        "board.cc": '#include "board.hpp"\nstd::string mark() { return "two"; }\n',
    },
    "javascript": {
        "main.js": """
            const { mark } = require('./lib/board');
            const book = require('fs').readFileSync('book.txt', 'utf8').trim();
            while (readline() !== null) print(mark() + ' ' + book);
        """,
        "lib/board.js": "exports.mark = () => 'two';\n",
    },
    "typescript": {
        "main.ts": """
            import { mark } from './lib/board';
            import { readFileSync } from 'fs';
            declare function readline(): string | null;
            const book: string = readFileSync('book.txt', 'utf8').trim();
            while (readline() !== null) console.log(mark() + ' ' + book);
        """,
        "lib/board.ts": "export const mark = (): string => 'two';\n",
    },
    "java": {
        "Player.java": """
            import java.nio.file.*;
            import java.util.*;
            import lib.Board;
public class Player {
                public static void main(String[] args) throws Exception {
                    String book = Files.readString(Path.of("book.txt")).strip();
                    Scanner in = new Scanner(System.in);
                    while (in.hasNextLine()) { in.nextLine(); System.out.println(Board.mark() + " " + book); }
                }
            }
        """,
        "lib/Board.java": 'package lib;\npublic class Board { public static String mark() { return "two"; } }\n',
    },
    "rust": {
        "main.rs": """
            mod board;
            use std::io::BufRead;
            fn main() {
                let book = std::fs::read_to_string("book.txt").unwrap();
                for _ in std::io::stdin().lock().lines() { println!("{} {}", board::mark(), book.trim()); }
            }
        """,
        "board.rs": 'pub fn mark() -> &\'static str { "two" }\n',
    },
    "go": {
        "main.go": """package main
            import ("bufio"; "fmt"; "os"; "strings")
            func main() {
                book, _ := os.ReadFile("book.txt")
                in := bufio.NewScanner(os.Stdin)
                for in.Scan() { fmt.Println(mark(), strings.TrimSpace(string(book))) }
            }
        """,
        "board.go": 'package main\nfunc mark() string { return "two" }\n',
        "board_test.go": "package main\nthis is not compiled\n",
    },
    "csharp": {
        "Player.cs": """
            using System;
            class Player {
                static void Main() {
                    string book = System.IO.File.ReadAllText("book.txt").Trim();
                    while (Console.ReadLine() != null) Console.WriteLine(Lib.Board.Mark() + " " + book);
                }
            }
        """,
        "lib/Board.cs": 'namespace Lib { static class Board { public static string Mark() { return "two"; } } }\n',
    },
    "ruby": {
        "main.rb": "require_relative 'lib/board'\nputs \"#{mark} #{File.read('book.txt')}\" while gets\n",
        "lib/board.rb": "def mark = 'two'\n",
    },
    "php": {
        "main.php": """<?php
            require 'lib/board.php';
            while (fgets(STDIN) !== false) echo mark() . ' ' . file_get_contents('book.txt');
        """,
        "lib/board.php": "<?php\nfunction mark() { return 'two'; }\n",
    },
    "kotlin": {
        "main.kt": """
            import lib.mark
            fun main() {
                val book = java.io.File("book.txt").readText().trim()
                while (readLine() != null) println(mark() + " " + book)
            }
        """,
        "lib/board.kt": 'package lib\nfun mark() = "two"\n',
    },
    "lua": {
        "main.lua": """
            local mark = require 'lib.board'
            local book = io.open('book.txt'):read()
            for _ in io.lines() do print(mark .. ' ' .. book) end
        """,
        "lib/board.lua": "return 'two'\n",
    },
    "perl": {
        "main.pl": """
            use lib::board;
            open my $file, '<', 'book.txt';
            my $book = <$file>;
            while (<STDIN>) { print lib::board::mark() . " $book"; }
        """,
        "lib/board.pm": "package lib::board;\nsub mark { return 'two'; }\n1;\n",
    },
    "bash": {
        "main.sh": '. ./lib/board.sh\nread -r book < book.txt\nwhile read -r _; do echo "$mark $book"; done\n',
        "lib/board.sh": "mark=two\n",
    },
    "haskell": {
        "main.hs": """
import Lib.Board
import System.IO
main = do
    hSetBuffering stdout LineBuffering
    book <- readFile "book.txt"
    interact (concatMap (const (mark ++ " " ++ book)) . lines)
""",
        "Lib/Board.hs": 'module Lib.Board where\nmark = "two"\n',
    },
    "ocaml": {
        "main.ml": """
            let book = input_line (open_in "book.txt")
            let () = while true do ignore (read_line ()); print_endline (Board.mark ^ " " ^ book) done
        """,
        "lib/board.ml": 'let mark = "two"\n',
    },
    "d": {
        "main.d": """
            import std.stdio, std.file, std.string, lib.board;
            void main() {
                string book = readText("book.txt").strip;
                foreach (line; stdin.byLine) { writeln(mark(), " ", book); stdout.flush(); }
            }
        """,
        "lib/board.d": 'module lib.board;\nstring mark() { return "two"; }\n',
    },
    "pascal": {
        "main.pas": """
            uses board;
            var book: text; line: string;
            begin
                assign(book, 'book.txt'); reset(book); readln(book, line);
                repeat readln; writeln(mark, ' ', line); flush(output); until false
            end.
        """,
        "lib/board.pas": "unit board;\ninterface\nconst mark = 'two';\nimplementation\nend.\n",
    },
}


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)
def test_each_language_takes_several_files_and_bots_read_those_that_are_no_source(
    sandbox: Sandbox, language: Language
) -> None:
    need(sandbox, language)
    files = {name: text.encode() for name, text in FOLDERS[language.id].items()}
    upload = pack({f"mine/{name}": content for name, content in {**files, "book.txt": BOOK}.items()})
    with sandbox.start(patient(sandbox).build(language, upload), reply_bytes=100) as bot:
        assert bot.ask("\n" if language is not PYTHON else "go\n", 5.0).line == "two sicilian"


@pytest.mark.long
@pytest.mark.parametrize("language", [PYTHON, HASKELL], ids=lambda language: language.id)
def test_a_main_file_in_a_folder_finds_those_beside_it(sandbox: Sandbox, language: Language) -> None:
    need(sandbox, language)
    files = {f"src/{name}": text.encode() for name, text in FOLDERS[language.id].items()}
    with sandbox.start(sandbox.build(language, pack({**files, "book.txt": BOOK})), reply_bytes=100) as bot:
        assert bot.ask("\n" if language is not PYTHON else "go\n", 5.0).line == "two sicilian"


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)
def test_a_mistake_is_found_in_any_file(isolated: Sandbox, language: Language) -> None:
    need(isolated, language)
    files = {name: text.encode() for name, text in FOLDERS[language.id].items()}
    broken = next(name for name in reversed(files) if language.is_source(name) and "_test" not in name)
    # Pascal does not read what is after the end of a unit, and PHP prints what is before its tag.
    spoilt = b")(\n" + files[broken] if language is PASCAL else files[broken] + b"\n)(\n"
    with pytest.raises(BuildFailed) as failure:
        patient(isolated).build(language, pack({**files, broken: spoilt}))
    assert broken in failure.value.log


def test_a_go_module_may_have_packages(isolated: Sandbox) -> None:
    need(isolated, GO)
    files = {
        "go.mod": b"module mine\n\ngo 1.19\n",
        "main.go": b'package main\nimport ("fmt"; "mine/board")\nfunc main() { fmt.Println(board.Mark()) }\n',
        "board/board.go": b'package board\nfunc Mark() string { return "two" }\n',
    }
    with isolated.start(isolated.build(GO, pack(files)), reply_bytes=100) as bot:
        assert bot.ask("\n", 5.0).line == "two"


def test_a_zip_of_as_many_files_as_may_be_is_played(isolated: Sandbox) -> None:
    source = b"import os\nprint(sum(name[0] != '.' for _, _, files in os.walk('.') for name in files))\n"
    files = {"main.py": source, **{f"d/{n % 9}/data{n}.bin": bytes([n]) for n in range(99)}}
    with isolated.start(isolated.build(PYTHON, pack(files)), reply_bytes=100) as bot:
        assert bot.ask("\n", 5.0).line == "100"


@pytest.mark.parametrize(
    ("language", "name"), [(C, "bot"), (C, "bot/data.txt"), (JAVA, "bot.jar"), (TYPESCRIPT, "bot.js")]
)
def test_a_file_may_not_lie_where_the_program_will(isolated: Sandbox, language: Language, name: str) -> None:
    need(isolated, language)
    files = {language.source_name: ECHOES[language.id].encode(), name: b"data"}
    with pytest.raises(BuildFailed, match=rf"^expected no file or folder named bot[.a-z]*, which is ours; got {name}$"):
        isolated.build(language, pack(files))


def test_other_names_are_free(sandbox: Sandbox) -> None:
    need(sandbox, JAVA)
    names = ("out", "source/data.txt", "classes", "bot.txt", "cache/x")
    files = {"bot.java": ECHOES["java"].encode(), **dict.fromkeys(names, b"data")}
    with sandbox.start(sandbox.build(JAVA, pack(files)), reply_bytes=100) as bot:
        assert bot.ask("hello\n", 5.0).line == "hello!"


def test_a_zip_without_an_entry_does_not_build(isolated: Sandbox) -> None:
    with pytest.raises(BuildFailed, match="expected the Python file that starts"):
        isolated.build(PYTHON, pack({"a.py": b"1", "b.py": b"2"}))


# --- What authors may rely on ----------------------------------------------------------------------------------------

JAVA_MAIN = """public static void main(String... args) {
    System.out.println(java.lang.invoke.MethodHandles.lookup().lookupClass().getName());
}"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("source", "started"),
    [
        ("public class Player { MAIN }", "Player"),
        ("public final class Mine { interface Inner { int one(); } MAIN }", "Mine"),
        ("class Other { static void stop(String[] words) {} } class Mine { MAIN }", "Mine"),
        ("class Other { MAIN } class Player { MAIN }", "Player"),
        ("package a.b; class Mine { MAIN }", "a.b.Mine"),
        ("public enum Mine { ONE; MAIN }", "Mine"),
        ("import java.util.*; public class Mine { MAIN }", "Mine"),
        ("package a.b; import java.util.List;import static java.lang.Math.*;\tpublic class Mine { MAIN }", "a.b.Mine"),
        ('@SuppressWarnings("all") public record Mine(int one) { MAIN }', "Mine"),
        ("class Other { int one; public class Inner {} } class Player { MAIN }", "Player"),
    ],
)
def test_the_java_class_that_has_main_is_started(isolated: Sandbox, source: str, started: str) -> None:
    need(isolated, JAVA)
    with isolated.start(isolated.build(JAVA, source.replace("MAIN", JAVA_MAIN).encode()), reply_bytes=100) as bot:
        assert bot.ask("\n", 5.0).line == started


@pytest.mark.long
@pytest.mark.parametrize(
    ("files", "started"),
    [
        (
            {
                "Main.java": "public class Main { MAIN }",
                "Bench.java": "public class Bench { MAIN }",
                "Player.java": "public class Player { MAIN }",
            },
            "Main",
        ),
        (
            {
                "src/Main.java": "package bots; class Early { MAIN }\npublic class Main { MAIN }",
                "src/Bench.java": "package bots; class Bench { MAIN }",
            },
            "bots.Main",
        ),
        (
            {
                "bot.java": "class Shared {}",
                "Player.java": "class Player { MAIN }",
                "Bench.java": "class Bench { MAIN }",
            },
            "Player",
        ),
        (
            {
                "bot.java": "class Mine { MAIN }",
                "Args.java": 'class Args { String domain = "the main thing"; Args(String[] words) {} }',
            },
            "Mine",
        ),
        ({"bot.java": 'class Args { String domain = "main!"; Args(String[] all) {} } class Mine { MAIN }'}, "Mine"),
        ({"bot.java": "public class Robot { MAIN }", "Player.java": "class Player { MAIN }"}, "Robot"),
    ],
)
def test_the_java_class_of_the_main_file_is_started_first(
    isolated: Sandbox, files: Mapping[str, str], started: str
) -> None:
    need(isolated, JAVA)
    packed = pack({name: source.replace("MAIN", JAVA_MAIN).encode() for name, source in files.items()})
    with isolated.start(isolated.build(JAVA, packed), reply_bytes=100) as bot:
        assert bot.ask("\n", 5.0).line == started


HABITS: Mapping[str, tuple[Language, str, str]] = {
    "C, with what GNU adds to the standard": (
        C,
        """
        #include <math.h>
        #include <stdio.h>
        #include <string.h>
        #include <time.h>
        int main(void) {
            struct timespec now;
            clock_gettime(CLOCK_MONOTONIC, &now);
            printf("%s %.0f\\n", strdup("ok"), sqrt(M_PI * 0 + 4));
        }
        """,
        "ok 2",
    ),
    "JavaScript, CodinGame's functions": (JAVASCRIPT, "printErr('x'); print(readline().length);", "5"),
    "JavaScript that asks whether it is the main module": (
        JAVASCRIPT,
        "if (require.main === module) console.log('main');",
        "main",
    ),
    "JavaScript with modules of the new kind, by package.json": (
        JAVASCRIPT,
        "import { readFileSync } from 'fs'; console.log(typeof readFileSync, readline());",
        "function hello",
    ),
    "TypeScript with generics, enums, parameter properties and decorators of types": (
        TYPESCRIPT,
        """
        declare const readline: () => string;
        declare const printErr: (text: unknown) => void;
        const enum Kind { One = 1, Two }
        abstract class Shape<T extends number> { constructor(protected readonly size: T) {} }
        class Square extends Shape<3> { area = (): number => this.size ** 2; }
        printErr(readline() satisfies string);
        console.log(new Square(3).area() as number, Kind.Two, ([1, 2] as const)?.[0]!);
        """.replace(" satisfies string", ""),
        "9 2 1",
    ),
    "C#: tuples, patterns, LINQ, tasks, random numbers, whole numbers of any size": (
        CSHARP,
        """
        using System; using System.Collections.Generic; using System.Linq; using System.Numerics;
        using System.Threading.Tasks; using System.Diagnostics;
        class Player {
            static async Task<int> Later() { await Task.Delay(1); return 3; }
            static void Main(string[] args) {
                var watch = Stopwatch.StartNew();
                (int x, int y) = (new Random().Next(5, 6), Later().Result);
                object some = y;
                string text = null;
                try { text.Trim(); } catch (NullReferenceException) { text = "none"; }
                int least = new[] {3, 1}.OrderBy(v => v).First();
                if (some is int found && watch.ElapsedMilliseconds < 5000)
                    Console.WriteLine($"{x} {found} {BigInteger.Pow(2, 70)} {least} {text}");
            }
        }
        """,
        "5 3 1180591620717411303424 1 none",
    ),
    "C# prints numbers with a point, wherever it runs": (
        CSHARP,
        "class P { static void Main() { System.Console.WriteLine(1.5 + double.Parse(\"0.25\")); } }",
        "1.75",
    ),
    "Ruby's own libraries, and lines that go out without being flushed": (
        RUBY,
        "require 'set'\nrequire 'json'\nrequire 'matrix'\nrequire 'prime'\n"
        "puts [Matrix[[2]].determinant, 7.prime?, Set[1].size, JSON.dump([1])].join(' ')\nputs DATA.read\n"
        "raise unless __FILE__ == $0\nsleep\n__END__\ndata\n",
        "2 true 1 [1]",
    ),
    "PHP's warnings are not replies": (PHP, "<?php\n$a = [];\necho $a['x'], $b, ctype_digit('1'), \"\\n\";", "1"),
    "Python finds exit() and its arguments": (PYTHON, "import sys\nprint(len(sys.argv), callable(exit))\n", "1 True"),
}  # fmt: skip


@pytest.mark.parametrize(("language", "source", "line"), HABITS.values(), ids=HABITS)
def test_what_authors_are_used_to_works(isolated: Sandbox, language: Language, source: str, line: str) -> None:
    need(isolated, language)
    files = {language.source_name: source.encode()}
    if source.startswith("import {"):
        files["package.json"] = b'{"type": "module"}'
    with isolated.start(isolated.build(language, pack(files)), reply_bytes=200) as bot:
        assert bot.ask("hello\n", 5.0).line == line


def test_python_bots_and_their_modules_are_compiled_once(sandbox: Sandbox) -> None:
    """Where nothing can be compiled any more, they run all the same; their own names are free for them."""
    files = {
        "main.py": b"import builtins\ndel builtins.compile\nimport board.marks, plain\n"
        b"codes = start = code = folder = None\nprint(board.marks.mark() + plain.mark(), input())\n",
        "plain.py": b"def mark(): return 'one'\n",
        "board/__init__.py": b"",
        "board/marks.py": b"def mark(): return 'two '\n",
    }
    with sandbox.start(sandbox.build(PYTHON, pack(files)), reply_bytes=100) as bot:
        assert bot.ask("hello\n", 5.0).line == "two one hello"


def test_places_in_python_messages_are_those_of_the_source(sandbox: Sandbox) -> None:
    files = {
        "main.py": b"import board, traceback\ntry:\n    board.find(int(input()))\nexcept IndexError:\n"
        b"    print(' | '.join(traceback.format_exc().splitlines()[1:]))\n",
        "board.py": b"def find(cell):\n    return [][cell]  # nobody\n",
    }
    program = sandbox.build(PYTHON, pack(files))
    bot_folder = "/bot" if sandbox.mode == "bwrap" else program.command.home
    with sandbox.start(program, reply_bytes=1000) as bot:
        places = [line.strip() for line in bot.ask("7\n", 5.0).line.split("|")]
    assert places[:2] == [f'File "{bot_folder}/bot.py", line 3, in <module>', "board.find(int(input()))"]
    assert places[2:4] == [f'File "{bot_folder}/board.py", line 2, in find', "return [][cell]  # nobody"]


def test_a_python_bot_that_crashes_logs_its_own_frames_only(isolated: Sandbox) -> None:
    source = b"def move():\n    return {}['x']\nmove()\n"
    with isolated.start(isolated.build(PYTHON, source), reply_bytes=100) as bot:
        with pytest.raises(Crashed, match=r"last stderr: KeyError: 'x'$"):
            bot.ask("\n", 5.0)
        log = bot.log().splitlines()
    assert log[:2] == ["Traceback (most recent call last):", '  File "/bot/bot.py", line 3, in <module>']
    assert not any("<start>" in line for line in log)


def test_each_mistake_in_python_is_shown_with_its_place(isolated: Sandbox) -> None:
    with pytest.raises(BuildFailed) as failure:
        isolated.build(PYTHON, pack({"main.py": b"a = (1\nprint('b' 2)\n", "board.py": b"x\0", "good.py": b"1"}))
    assert failure.value.log.startswith('  File "bot.py", line 1\n    a = (1\n        ^\nSyntaxError: '.strip())
    assert 'File "board.py"' in failure.value.log
    assert "good.py" not in failure.value.log


def test_places_in_typescript_messages_are_those_of_the_source(isolated: Sandbox) -> None:
    need(isolated, TYPESCRIPT)
    source = (
        b"interface A {\n  x: number\n}\nfunction fail(a: A) {\n  throw new Error('no ' + a.x);\n}\nfail({x: 1});\n"
    )
    with isolated.start(isolated.build(TYPESCRIPT, source), reply_bytes=100) as bot:
        with pytest.raises(Crashed):
            bot.ask("\n", 5.0)
        assert "bot.ts:5" in bot.log()


def test_a_program_that_asks_where_it_lies_learns_nothing_else(isolated: Sandbox) -> None:
    need(isolated, JAVA)
    source = b"""class Player { public static void main(String[] args) throws Exception {
        java.nio.file.Path proc = java.nio.file.Path.of("/proc");
        try (java.util.stream.Stream<java.nio.file.Path> found = java.nio.file.Files.walk(proc)) {
            System.out.println(found.map(Object::toString).collect(java.util.stream.Collectors.joining(" ")));
        }
    } }"""
    with isolated.start(isolated.build(JAVA, source), reply_bytes=1000) as bot:
        assert bot.ask("\n", 5.0).line == "/proc /proc/self /proc/self/exe"


# --- Memory ----------------------------------------------------------------------------------------------------------

TAKERS: Mapping[str, str] = {
    "python": "n = int(input())\na = [b'x' * (1 << 20) for _ in range(n)]\nprint(len(a))\n",
    "c": """
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        int main(void) {
            int n;
            scanf("%d", &n);
            for (int i = 0; i < n; i++) memset(malloc(1 << 20), 1, 1 << 20);
            printf("%d\\n", n);
        }
    """,
    "javascript": """
        const n = Number(readline()), a = [];
        for (let i = 0; i < n; i++) a.push(new Array(131072).fill(i + 0.5));
        console.log(a.length);
    """,
    "java": """
        class Player { public static void main(String[] args) throws Exception {
            int n = new java.util.Scanner(System.in).nextInt();
            var a = new java.util.ArrayList<long[]>();
            for (int i = 0; i < n; i++) { long[] b = new long[1 << 17]; java.util.Arrays.fill(b, i); a.add(b); }
            System.out.println(a.size());
        } }
    """,
    "go": """package main
        import "fmt"
        func main() {
            var n int
            fmt.Scan(&n)
            a := [][]byte{}
            for i := 0; i < n; i++ { b := make([]byte, 1 << 20); for j := range b { b[j] = 1 }; a = append(a, b) }
            fmt.Println(len(a))
        }
    """,
    "csharp": """
        using System;
        class Player { static void Main() {
            int n = int.Parse(Console.ReadLine());
            var a = new System.Collections.Generic.List<byte[]>();
            for (int i = 0; i < n; i++) { var b = new byte[1 << 20]; Array.Clear(b, 0, 1 << 20); a.Add(b); }
            Console.WriteLine(a.Count);
        } }
    """,
    "ruby": "n = gets.to_i\na = (0...n).map { 'x' * (1 << 20) }\nputs a.size\n",
    "php": "<?php\nfscanf(STDIN, '%d', $n);\n"
    "for ($i = 0; $i < 10 * $n; $i++) $a[] = str_repeat('x', 104000);\necho count($a) / 10, \"\\n\";\n",
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("language", [LANGUAGES[id] for id in TAKERS], ids=TAKERS)
def test_a_bot_can_use_600_mib_and_what_takes_more_is_ended(isolated: Sandbox, language: Language) -> None:
    need(isolated, language)
    program = isolated.build(language, TAKERS[language.id].encode())
    with isolated.start(program, reply_bytes=100) as bot:
        assert bot.ask("600\n", 10.0).line == "600"
    with isolated.start(program, reply_bytes=100) as bot, pytest.raises(Crashed):
        bot.ask("900\n", 10.0)


def test_the_collector_of_a_d_bot_finds_the_stack(isolated: Sandbox) -> None:
    """It asks as this bot does; without /proc, glibc alone does not know."""
    need(isolated, D)
    source = b"""
        import core.sys.posix.pthread, std.stdio;
        extern(C) int pthread_getattr_np(pthread_t, pthread_attr_t*);
        void main() {
            readln();
            pthread_attr_t found;
            void* begin;
            size_t size;
            if (pthread_getattr_np(pthread_self(), &found) == 0) pthread_attr_getstack(&found, &begin, &size);
            writeln(cast(void*) &found > begin && cast(void*) &found < begin + size ? "found" : "lost");
            stdout.flush();
            readln();
        }
    """
    sandbox = patient(isolated)
    with sandbox.start(sandbox.build(D, source), reply_bytes=100) as bot:
        assert bot.ask("\n", 5.0).line == "found"
