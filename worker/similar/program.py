"""The program in the sandbox: `read LANGUAGE FILE` and `compare FILE`. Prints one JSON document.

Becomes `__main__.py` of a zip that also has `matching`, under its usual name, and Pygments.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from hexarena.worker.similar import matching

LEXERS = {
    "python": "python.PythonLexer",
    "c": "c_cpp.CppLexer",
    "cpp": "c_cpp.CppLexer",
    "javascript": "javascript.TypeScriptLexer",
    "typescript": "javascript.TypeScriptLexer",
    "java": "jvm.JavaLexer",
    "rust": "rust.RustLexer",
    "go": "go.GoLexer",
    "csharp": "dotnet.CSharpLexer",
    "ruby": "ruby.RubyLexer",
    "php": "php.PhpLexer",
    "kotlin": "jvm.KotlinLexer",
    "lua": "scripting.LuaLexer",
    "perl": "perl.PerlLexer",
    "bash": "shell.BashLexer",
    "haskell": "haskell.HaskellLexer",
    "ocaml": "ml.OcamlLexer",
    "d": "d.DLexer",
    "pascal": "pascal.DelphiLexer",
}
"""Language -> Pygments' lexer. Languages with the same one are compared with each other."""


def read(language: str, text: str) -> tuple[list[str], list[int]]:
    """(kinds, lines) of a source's tokens: without comments and layout; all names, types, numbers and texts alike."""
    # Pygments takes long to import, and only workers that compare sources need it.
    from pygments.token import Comment, Keyword, Name, Number, Punctuation, String, Whitespace  # noqa: PLC0415 - see above

    module, name = LEXERS[language].split(".")
    lexer = getattr(importlib.import_module("pygments.lexers." + module), name)()
    kinds: list[str] = []
    lines: list[int] = []
    line = 1
    for _, kind, value in lexer.get_tokens_unprocessed(text):
        begins, line = line, line + value.count("\n")
        if kind in Comment or kind in Whitespace or kind in String.Doc or not value.strip():
            continue
        if kind in String:
            if kinds and kinds[-1] == "S":
                continue  # lexers cut a text at each escape
            names = ["S"]
        elif kind in Number:
            names = ["0"]
        elif kind in Name:
            names = ["N"]
        elif kind in Keyword.Type:
            names = ["T"]
        elif kind in Punctuation:
            names = list(re.sub(r"\s", "", value))
        else:
            names = [value.strip()[:40]]
        kinds += names
        lines += [begins] * len(names)
        if len(kinds) > matching.MOST_TOKENS:
            break
    return kinds, lines


def answer(arguments: list[str]) -> Iterator[str]:
    """What to print."""
    if arguments[0] == "read":
        kinds, lines = read(arguments[1], Path(arguments[2]).read_text(encoding="utf-8"))
        yield json.dumps({"kinds": kinds, "lines": lines})
        return
    task = json.loads(Path(arguments[1]).read_text(encoding="utf-8"))
    sources = [matching.Source(one["kinds"], one["lines"], one["group"]) for one in task["sources"]]
    own, pairs = matching.compare(sources, task["base"])
    yield json.dumps({"own": own, "pairs": pairs})


if __name__ == "__main__":
    sys.stdout.writelines(answer(sys.argv[1:]))
