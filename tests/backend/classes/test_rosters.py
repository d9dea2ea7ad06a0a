"""Rosters as spreadsheets write them: encodings, separators, headings, and what is wrong with a line."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given, settings as hypothesis_settings, strategies

from hexarena.backend.classes import rosters
from hexarena.backend.classes.rosters import BadRoster, Student

TEXT = "Name,E-Mail,Group\nZoë Müller,zoe@example.org,1\nJosé Núñez,jose@example.org,2\n"
STUDENTS = [
    Student(2, "Zoë Müller", "zoe@example.org", "1"),
    Student(3, "José Núñez", "jose@example.org", "2"),
]


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (TEXT.encode(), "UTF-8"),
        (codecs.BOM_UTF8 + TEXT.encode(), "UTF-8 with a byte order mark"),
        (TEXT.encode("utf-16"), "UTF-16"),
        (codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"), "UTF-16"),
        (TEXT.encode("utf-16-le"), "UTF-16 without a byte order mark"),
        (TEXT.encode("utf-16-be"), "UTF-16 without a byte order mark"),
        (TEXT.encode("latin-1"), "Windows-1252 (Latin-1)"),
        (TEXT.replace("\n", "\r\n").encode("cp1252"), "Windows-1252 (Latin-1)"),
        (TEXT.replace("\n", "\r").encode(), "UTF-8"),
    ],
)
def test_every_usual_encoding_is_read_right(body: bytes, encoding: str) -> None:
    found = rosters.read(body)
    assert (found.students, found.encoding, found.problems) == (STUDENTS, encoding, [])


@pytest.mark.parametrize(("separator", "named"), [(",", "comma"), (";", "semicolon"), ("\t", "tab")])
def test_every_usual_separator_is_recognised(separator: str, named: str) -> None:
    found = rosters.read(TEXT.replace(",", separator).encode())
    assert (found.students, found.separator) == (STUDENTS, named)


def test_columns_may_have_other_names_and_another_order() -> None:
    text = 'Matrikelnummer;Nachname;Vorname;Note\n0042;"Müller; Söhne";Zoë;x\n\n'
    found = rosters.read(text.encode())
    assert found.students == [Student(2, "Zoë Müller; Söhne", "0042", "")]


@pytest.mark.parametrize(
    ("body", "said", "expected", "got"),
    [
        (b"", "The file is empty.", rosters.EXPECTED_HEADING, "nothing"),
        (b"\n \n", "The file is empty.", rosters.EXPECTED_HEADING, "nothing"),
        (
            b"Name, Group\nAda,1\n",
            "The column for the mail address or id is missing.",
            rosters.EXPECTED_HEADING,
            "Name, Group",
        ),
        (b"E-Mail,Group\na@b,1\n", "The column for the name is missing.", rosters.EXPECTED_HEADING, "E-Mail, Group"),
        (
            b"Ada,ada@example.org,1\n",
            "The column for the name is missing.",
            rosters.EXPECTED_HEADING,
            "Ada, ada@example.org, 1",
        ),
        (b"Name,Mail,E-Mail\nAda,a@b,a@c\n", "There are two columns for the mail.", "one of each", "'E-Mail'"),
        (b"Name,Mail\n", "The roster has no students.", "a line for each below the headings", "none"),
        (b"PK\x03\x04 rest", "This is not a CSV file.", "a spreadsheet saved as CSV", "a workbook, such as .xlsx"),
        (
            b"\xd0\xcf\x11\xe0 rest",
            "This is not a CSV file.",
            "a spreadsheet saved as CSV",
            "a workbook, such as .xlsx",
        ),
        (
            TEXT.encode("utf-16")[:-1],
            "The file's encoding is broken.",
            "CSV as UTF-8",
            f"bytes that are no UTF-16, from byte {len(TEXT.encode('utf-16')) - 2} on",
        ),
        (
            TEXT.encode() + b"\xff\n",
            "The file's encoding cannot be recognised.",
            "CSV as UTF-8",
            f"neither UTF-8 nor Windows-1252: byte {len(TEXT.encode())}, in line {TEXT.count(chr(10)) + 1}",
        ),
        (
            b'Name,Mail\n"Ada,a@b\n',
            "Line 2 is not CSV: ",
            "quotes only around whole cells, and closed",
            "something else",
        ),
        (
            b"Name,Mail\n" + b"x" * rosters.MOST_BYTES,
            "The file is too large.",
            f"at most {rosters.MOST_BYTES:,} bytes",
            f"{rosters.MOST_BYTES + 10:,}",
        ),
        (
            b"N\0ame,Mail\nAda,a@b\n",
            "The file's encoding is broken.",
            "CSV as UTF-8",
            "bytes that are no UTF-16 without a byte order mark, from byte 18 on",
        ),
        (b"\0\0\0\0name,mail\0", "This is not a text file.", "CSV as UTF-8", "bytes that are 0"),
    ],
)
def test_a_file_that_is_no_roster_is_refused_with_words(body: bytes, said: str, expected: str, got: str) -> None:
    with pytest.raises(BadRoster) as refused:
        rosters.read(body)
    assert refused.value.detail.startswith(said)
    assert (refused.value.expected, refused.value.got) == (expected, got)


@pytest.mark.parametrize("odd", ["ᚠ".encode(), "Ã¼".encode("cp1252"), "Ãž".encode("cp1252"), "Åœ".encode("cp1252")])
def test_what_is_utf_8_but_for_a_few_bytes_is_not_taken_for_something_else(odd: bytes) -> None:
    """Its letters would be read as two strange ones each."""
    with pytest.raises(BadRoster, match="cannot be recognised"):
        rosters.read(b"Name,Mail\nZo\xeb " + odd + b",zoe@example.org\n")


def test_a_delete_character_is_ascii() -> None:
    found = rosters.read(b"Name,Mail\nZo\xeb \x7f,zoe@example.org\n")
    assert found.encoding == "Windows-1252 (Latin-1)"
    assert [one.detail for one in found.problems] == ["The name has characters that cannot be printed."]


def test_a_key_that_becomes_too_long_without_its_ligatures_is_a_problem() -> None:
    """The database has no room for it: 34 characters become 612."""
    longest, longer = "\ufdfa" * 33, "\ufdfa" * 34
    found = rosters.read(f"Name,Id\nAda,{longest}\nEve,{longer}\n".encode())
    assert [len(one.folded) for one in found.students] == [594]
    expected = "at most 600 letters once its ligatures are taken apart"
    assert found.problems == [rosters.Problem(3, "The id is too long.", expected, "612")]


@pytest.mark.parametrize("odd", ["\a", "\u0378", "\ufffd"])
def test_what_is_no_text_is_no_name(odd: str) -> None:
    found = rosters.read(f"Name,Mail\nAda{odd},ada@example.org\n".encode())
    assert found.students == []
    expected, got = "text", ascii(f"Ada{odd}")
    assert found.problems == [rosters.Problem(2, "The name has characters that cannot be printed.", expected, got)]


def test_each_line_says_what_is_wrong_with_it() -> None:
    lines = [
        "Name;Mail;Group",
        "Ada;ada@example.org;1",
        ";nobody@example.org;1",
        "Bob;;1",
        "Eve;no mail;1",
        "Ada again;ADA@example.org ;1",
        "Too;many@example.org;cells;here",
        "Bell\a;bell@example.org;1",
        f"{'x' * 200};long@example.org;1",
        "Grace;grace@example.org;",
    ]
    found = rosters.read("\n".join(lines).encode())
    assert [one.name for one in found.students] == ["Ada", "Grace"]
    assert found.wrong == 7
    assert found.problems == [
        rosters.Problem(3, "The name is missing.", "the student's name", "an empty cell"),
        rosters.Problem(4, "The mail is missing.", "the student's mail", "an empty cell"),
        rosters.Problem(5, "This is not an email address.", "one like you@example.org", "no mail"),
        rosters.Problem(
            6,
            "This student is there twice.",
            "each mail address or id once",
            "ADA@example.org, which line 2 has already",
        ),
        rosters.Problem(7, "The line is not like the headings.", "3 cells", "4"),
        rosters.Problem(8, "The name has characters that cannot be printed.", "text", r"'Bell\x07'"),
        rosters.Problem(9, "The name is too long.", f"at most {rosters.MOST_NAME} characters", "x" * 80),
    ]


def test_five_thousand_rows_are_read_and_ten_thousand_and_one_refused() -> None:
    def roster(rows: int) -> bytes:
        return ("name,id\n" + "".join(f"Student {n},{n}\n" for n in range(rows))).encode()

    assert len(rosters.read(roster(5_000)).students) == 5_000
    with pytest.raises(BadRoster, match="too long"):
        rosters.read(roster(rosters.MOST_ROWS + 1))


def test_of_many_problems_only_the_first_are_listed_and_all_counted() -> None:
    found = rosters.read(b"name,id\n" + b"Ada,1\n" * 500)
    assert (found.wrong, len(found.problems), len(found.students)) == (499, rosters.MOST_PROBLEMS, 1)


@hypothesis_settings(max_examples=300, deadline=None)
@given(strategies.binary(max_size=200))
def test_no_bytes_make_it_fail_otherwise(body: bytes) -> None:
    for start in (b"", b"name,id\n", codecs.BOM_UTF16_LE):
        try:
            found = rosters.read(start + body)
        except BadRoster:
            continue
        assert all(one.name and one.key for one in found.students)
