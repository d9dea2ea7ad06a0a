"""A roster as a spreadsheet writes it: bytes in, students out, and what is wrong with each line that cannot be read."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

MOST_BYTES = 4_000_000
MOST_ROWS = 10_000
MOST_PROBLEMS = 100
"""Problems that are listed; all are counted."""
MOST_NAME, MOST_KEY, MOST_GROUP = 120, 254, 60
MOST_FOLDED = 600
"""Characters of a folded key, which may have more: one character may stand for a whole phrase."""
SEPARATORS: Mapping[str, str] = {",": "comma", ";": "semicolon", "\t": "tab"}
HEADINGS: Mapping[str, frozenset[str]] = {
    "name": frozenset({"name", "student", "full name", "student name"}),
    "first name": frozenset({"first name", "firstname", "given name", "vorname"}),
    "last name": frozenset({"last name", "lastname", "surname", "family name", "nachname"}),
    "mail": frozenset({"mail", "email", "e-mail", "mail address", "email address", "e-mail address"}),
    "id": frozenset({"id", "student id", "id number", "number", "matriculation number", "matrikelnummer"}),
    "group": frozenset({"group", "team", "gruppe", "section"}),
}
"""Column -> what a spreadsheet may call it, in any case."""
EXPECTED_HEADING = "a first line with the columns name, mail (or id) and perhaps group"
MAIL = re.compile(r"[^@\s]{1,64}@[^@\s]{1,189}")
_PUNCTUATION = frozenset("'’‘`´.-–,/()&·")
"""What names have beside letters, in Windows-1252."""


class BadRoster(Exception):
    """A file that cannot be read as a whole."""

    def __init__(self, detail: str, *, expected: str, got: str) -> None:
        super().__init__(detail)
        self.detail, self.expected, self.got = detail, expected, got


@dataclass(frozen=True, slots=True)
class Student:
    """A line of a roster. `key`: the student's mail address or number."""

    line: int
    name: str
    key: str
    group: str

    @property
    def folded(self) -> str:
        """Equal for keys that are the same to people."""
        return folded(self.key)


@dataclass(frozen=True, slots=True)
class Problem:
    """A line that cannot be used."""

    line: int
    detail: str
    expected: str
    got: str


@dataclass(slots=True)
class Roster:
    """What a file says. `encoding`, `separator`: how it was read. `wrong`: how many lines have a problem."""

    encoding: str
    separator: str
    students: list[Student] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    wrong: int = 0

    def add_problem(self, line: int, detail: str, *, expected: str, got: str) -> None:
        """Counts it, and lists it among the first ones."""
        self.wrong += 1
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(Problem(line, detail, expected, got[:80]))


def folded(key: str) -> str:
    """A key without regard to case and to how its letters are composed."""
    return unicodedata.normalize("NFKC", key).casefold().strip()


def read(body: bytes) -> Roster:
    """The students of a file. Blank lines are skipped. Raises: BadRoster."""
    if len(body) > MOST_BYTES:
        raise BadRoster("The file is too large.", expected=f"at most {MOST_BYTES:,} bytes", got=f"{len(body):,}")
    text, encoding = decoded(body)
    if not text.strip():
        raise BadRoster("The file is empty.", expected=EXPECTED_HEADING, got="nothing")
    heading_line = text.lstrip().partition("\n")[0]
    separator = max(SEPARATORS, key=heading_line.count)
    found = Roster(encoding, SEPARATORS[separator])
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    columns: dict[str, int] | None = None
    width = 0
    seen: dict[str, int] = {}
    try:
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if columns is None:
                columns, width = _columns(row), len(row)
                continue
            student = _student(found, rows.line_num, row, columns, width)
            if student is None:
                continue
            first = seen.setdefault(student.folded, student.line)
            if first != student.line:
                expected = "each mail address or id once"
                got = f"{student.key}, which line {first} has already"
                found.add_problem(student.line, "This student is there twice.", expected=expected, got=got)
                continue
            found.students.append(student)
            if len(found.students) > MOST_ROWS:
                raise BadRoster("The roster is too long.", expected=f"at most {MOST_ROWS:,} students", got="more")
    except csv.Error as error:
        expected = "quotes only around whole cells, and closed"
        raise BadRoster(f"Line {rows.line_num} is not CSV: {error}.", expected=expected, got="something else") from None
    if not found.students and not found.wrong:
        raise BadRoster("The roster has no students.", expected="a line for each below the headings", got="none")
    return found


# --- Encodings --------------------------------------------------------------------------------------------------------


def decoded(body: bytes) -> tuple[str, str]:
    """The text of a file, and its encoding in words. Raises: BadRoster."""
    for mark, codec, name in (
        (b"\xef\xbb\xbf", "utf-8-sig", "UTF-8 with a byte order mark"),
        (b"\xff\xfe", "utf-16", "UTF-16"),
        (b"\xfe\xff", "utf-16", "UTF-16"),
    ):
        if body.startswith(mark):
            return _strictly(body, codec, name), name
    if body.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise BadRoster(
            "This is not a CSV file.", expected="a spreadsheet saved as CSV", got="a workbook, such as .xlsx"
        )
    if b"\0" in body[:2000]:
        codec = "utf-16-le" if body[1:2] == b"\0" else "utf-16-be"
        text = _strictly(body, codec, "UTF-16 without a byte order mark")
        if "\0" in text:
            raise BadRoster("This is not a text file.", expected="CSV as UTF-8", got="bytes that are 0")
        return text, "UTF-16 without a byte order mark"
    try:
        return body.decode("utf-8"), "UTF-8"
    except UnicodeDecodeError as error:
        return _western(body, error.start), "Windows-1252 (Latin-1)"


def _strictly(body: bytes, codec: str, name: str) -> str:
    try:
        return body.decode(codec)
    except UnicodeDecodeError as error:
        got = f"bytes that are no {name}, from byte {error.start:,} on"
        raise BadRoster("The file's encoding is broken.", expected="CSV as UTF-8", got=got) from None


def _western(body: bytes, wrong_at: int) -> str:
    """Text in Windows-1252, if all that is not ASCII in it is what names are made of.

    What is UTF-8 but for some broken bytes is no such text: its letters would become two strange ones each.
    """
    line = body.count(b"\n", 0, wrong_at) + 1
    got = f"neither UTF-8 nor Windows-1252: byte {wrong_at:,}, in line {line}"
    text = body.decode("cp1252", "replace")
    strange = [one for one in text if ord(one) > 127 and not (one.isalpha() or one in _PUNCTUATION)]
    if strange or re.search("[ÃÄÅ][\u0080-\u00bf‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]", text):
        raise BadRoster("The file's encoding cannot be recognised.", expected="CSV as UTF-8", got=got)
    return text


# --- Lines ------------------------------------------------------------------------------------------------------------


def _columns(row: Sequence[str]) -> dict[str, int]:
    """Column -> its place. Raises: BadRoster."""
    columns: dict[str, int] = {}
    for place, cell in enumerate(row):
        title = " ".join(cell.replace("_", " ").split()).casefold()
        column = next((name for name, titles in HEADINGS.items() if title in titles), None)
        if column in columns:
            raise BadRoster(f"There are two columns for the {column}.", expected="one of each", got=repr(cell[:60]))
        if column is not None:
            columns[column] = place
    named = "name" in columns or {"first name", "last name"} <= columns.keys()
    if not named or not columns.keys() & {"mail", "id"}:
        missing = "the name" if not named else "the mail address or id"
        shown = ", ".join(cell.strip() for cell in row)[:160]
        raise BadRoster(f"The column for {missing} is missing.", expected=EXPECTED_HEADING, got=shown)
    return columns


def _student(found: Roster, line: int, row: Sequence[str], columns: Mapping[str, int], width: int) -> Student | None:
    """The student of a line; None if it has a problem."""
    if len(row) != width:
        found.add_problem(line, "The line is not like the headings.", expected=f"{width} cells", got=f"{len(row)}")
        return None

    def cell(column: str) -> str:
        place = columns.get(column)
        return "" if place is None else " ".join(unicodedata.normalize("NFC", row[place]).split())

    name = cell("name") if "name" in columns else f"{cell('first name')} {cell('last name')}".strip()
    # A mail address is the better key where there are both: it identifies the student, too.
    by = "mail" if "mail" in columns else "id"
    key, group = cell(by), cell("group")
    for what, text, most in (("name", name, MOST_NAME), (by, key, MOST_KEY), ("group", group, MOST_GROUP)):
        if not text and what != "group":
            found.add_problem(line, f"The {what} is missing.", expected=f"the student's {what}", got="an empty cell")
            return None
        if len(text) > most:
            found.add_problem(line, f"The {what} is too long.", expected=f"at most {most} characters", got=text)
            return None
        if any(unicodedata.category(one) in {"Cc", "Cn"} or one == "\ufffd" for one in text):
            found.add_problem(
                line, f"The {what} has characters that cannot be printed.", expected="text", got=ascii(text)
            )
            return None
    if len(folded(key)) > MOST_FOLDED:
        expected, got = f"at most {MOST_FOLDED} letters once its ligatures are taken apart", f"{len(folded(key))}"
        found.add_problem(line, f"The {by} is too long.", expected=expected, got=got)
        return None
    if by == "mail" and not MAIL.fullmatch(key):
        found.add_problem(line, "This is not an email address.", expected="one like you@example.org", got=key)
        return None
    return Student(line, name, key, group)
