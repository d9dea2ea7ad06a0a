"""What fields of several bodies may hold."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field, StringConstraints, WithJsonSchema
from pydantic_core import PydanticCustomError

from hexarena.backend.runtime.sizes import SOURCE_BYTES
from hexarena.backend.submissions.languages import LANGUAGES

Id = Annotated[int, Field(strict=True, ge=1, le=2**53 - 1)]
Short = Annotated[str, StringConstraints(max_length=200)]
Level = Annotated[int, Field(strict=True, ge=1, le=99)]
"""A rules level; a game has fewer."""
TITLE_CHARACTERS = 80


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("expected a line of text without control characters")
    return text


def _one_line(text: str) -> str:
    """Without line breaks, and without the marks that turn the direction of all text behind them. Joiners may stay:
    emoji and some scripts need them.
    """
    line = " ".join(text.split())
    visible = _printable(line.replace("\u200c", "").replace("\u200d", ""))
    if not 1 <= len(visible) <= len(line) <= TITLE_CHARACTERS:
        raise ValueError(f"expected a line of 1 to {TITLE_CHARACTERS} characters")
    return line


Title = Annotated[
    str,
    StringConstraints(max_length=1000),
    AfterValidator(_one_line),
    Field(json_schema_extra={"minLength": 1, "maxLength": TITLE_CHARACTERS}),
]
"""Of an event, a class or an assignment."""
Password = Annotated[str, StringConstraints(max_length=1000)]
Note = Annotated[
    Short,
    AfterValidator(_printable),
    Field(
        description="A line of text without control characters. Everybody can read it.",
        json_schema_extra={"pattern": r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$"},
    ),
]
Tag = Annotated[
    str,
    StringConstraints(pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]{0,23})?$"),
    Field(description="Up to 24 letters, digits or . _ - that begin with a letter or digit. Everybody can read it."),
]
# Refused by other rules than these patterns, with better words: the patterns only show programs what to expect.
Name = Annotated[
    Short,
    Field(
        description="1 to 24 letters, digits, blanks or . _ + - that begin and end with a letter or digit.",
        json_schema_extra={"minLength": 1, "pattern": r"^[^\x00-\x08\x0e-\x1b!-*,/:-@\[-^`{-~]*$"},
    ),
]
LanguageId = Annotated[Short, Field(json_schema_extra={"pattern": f"^({'|'.join(LANGUAGES)})$"})]
SourceText = Annotated[
    str,
    Field(
        description=f"At most {SOURCE_BYTES:,} bytes as UTF-8, not only blanks, without NUL.",
        json_schema_extra={"minLength": 1, "maxLength": SOURCE_BYTES, "pattern": r"^[^\0]*[^\s\0][^\0]*$"},
    ),
]


FIRST_YEAR, LAST_YEAR = 2000, 2199


def _written_out(time: object) -> object:
    """A number is no time, though pydantic would take it for seconds since 1970."""
    if isinstance(time, str) and "-" not in time.removeprefix("-"):
        raise PydanticCustomError("datetime_type", "expected a time")
    return time


def _in_utc(time: datetime) -> datetime:
    """The same in UTC. Near the first and last year of all, other zones have times that Python has not."""
    if not FIRST_YEAR <= time.year <= LAST_YEAR:
        raise PydanticCustomError("year", f"a time in the years {FIRST_YEAR} to {LAST_YEAR}")
    return time.astimezone(UTC)


Time = Annotated[
    AwareDatetime,
    BeforeValidator(_written_out),
    AfterValidator(_in_utc),
    Field(
        description=f"A time with its zone, in the years {FIRST_YEAR} to {LAST_YEAR}, e.g. 2026-11-01T00:00:00Z.",
        json_schema_extra={"pattern": "^2[01][0-9][0-9]-"},
    ),
]


def _up_to(number: int) -> str:
    """A pattern for the whole numbers from 0 to this one, with leading zeros up to its length."""
    digits = str(number)
    smaller = [
        f"{digits[:place]}[0-{int(digit) - 1}][0-9]{{{len(digits) - place - 1}}}"
        for place, digit in enumerate(digits)
        if digit != "0"
    ]
    return "|".join([f"[0-9]{{1,{len(digits) - 1}}}", *smaller, digits])


SEED = rf"^-?({_up_to(2**63 - 1)})$"


def _as_text(value: object) -> object:
    """A number as text: every language but JavaScript has such large ones, and sends them as they are."""
    return str(value) if type(value) is int else value


Seed = Annotated[
    str,
    BeforeValidator(_as_text),
    Field(pattern=SEED),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "pattern": SEED},
                {"type": "integer", "minimum": 1 - 2**63, "maximum": 2**63 - 1},
            ]
        }
    ),
]
