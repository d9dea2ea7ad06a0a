"""The table of languages: what a bot may be written in, and how it is built and run.

Pure data. The worker's sandbox acts on it, the API and the pages list it; adding a language is adding a row.
In commands, `{bot}` stands for the folder that holds the bot's files (read-only), `{entry}` for the file in it that
starts, `{out}` for the folder that a build writes its artefact to, `{prepared}` for the folder of the language's
preparation, which is missing where a build wants none, and a word that is just `{sources}` for all files with the
language's endings, the entry first.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from hexarena.backend.submissions.languages.c import CPP, C
from hexarena.backend.submissions.languages.csharp import CSHARP
from hexarena.backend.submissions.languages.go import GO
from hexarena.backend.submissions.languages.java import JAVA
from hexarena.backend.submissions.languages.javascript import JAVASCRIPT, TYPESCRIPT
from hexarena.backend.submissions.languages.kotlin import KOTLIN
from hexarena.backend.submissions.languages.language import MIB, SETTINGS, Language, Preparation
from hexarena.backend.submissions.languages.native import HASKELL, OCAML, PASCAL, D
from hexarena.backend.submissions.languages.python import PYTHON
from hexarena.backend.submissions.languages.rust import RUST
from hexarena.backend.submissions.languages.scripts import BASH, LUA, PERL, PHP, RUBY

__all__ = [
    "BASH",
    "CPP",
    "CSHARP",
    "GO",
    "HASKELL",
    "JAVA",
    "JAVASCRIPT",
    "KOTLIN",
    "LANGUAGES",
    "LUA",
    "MIB",
    "OCAML",
    "PASCAL",
    "PERL",
    "PHP",
    "PYTHON",
    "RUBY",
    "RUST",
    "SETTINGS",
    "TYPESCRIPT",
    "C",
    "D",
    "Language",
    "Preparation",
    "UnknownLanguage",
    "by_ending",
    "find_language",
]

ROWS = (
    *(PYTHON, C, CPP, JAVASCRIPT, TYPESCRIPT, JAVA, RUST, GO, CSHARP, RUBY, PHP),
    *(KOTLIN, LUA, PERL, BASH, HASKELL, OCAML, D, PASCAL),
)
LANGUAGES: Mapping[str, Language] = MappingProxyType({row.id: row for row in ROWS})
"""id -> row, in the order in which pages list them."""


class UnknownLanguage(LookupError):
    """The table has no such language. The message says what was expected and what was got."""


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
        if ending.lower() in language.endings:
            return language
    endings = ", ".join(row.ending for row in LANGUAGES.values())
    raise UnknownLanguage(
        f"expected a source file that ends in one of {endings}; got {repr(ending) if ending else 'no ending'}"
    )
