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
    ("body", "said"),
    [
        (b"", "The file is empty."),
        (b"\n \n", "The file is empty."),
        (b"Name,Group\nAda,1\n", "The column for the mail address or id is missing."),
        (b"E-Mail,Group\na@b,1\n", "The column for the name is missing."),
        (b"Ada,ada@example.org,1\n", "The column for the name is missing."),
        (b"Name,Mail,E-Mail\nAda,a@b,a@c\n", "two columns for the mail"),
        (b"Name,Mail\n", "has no students"),
        (b"PK\x03\x04 rest", "no CSV"),
        (TEXT.encode("utf-16")[:-1], "encoding is broken"),
        (TEXT.encode() + b"\xff\n", "encoding cannot be recognised"),
        (TEXT.replace("ü", "ᚠ").encode() + "ü".encode("latin-1"), "encoding cannot be recognised"),
        (b'Name,Mail\n"Ada,a@b\n', "is no CSV"),
        (b"Name,Mail\n" + b"x" * rosters.MOST_BYTES, "too large"),
        (b"N\0ame,Mail\nAda,a@b\n", "encoding is broken"),
        (b"\0\0\0\0name,mail\0", "no text"),
    ],
)
def test_a_file_that_is_no_roster_is_refused_with_words(body: bytes, said: str) -> None:
    with pytest.raises(BadRoster) as refused:
        rosters.read(body)
    assert said in refused.value.detail
    assert refused.value.expected
    assert refused.value.got


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
    said = {one.line: (one.detail, one.got) for one in found.problems}
    assert sorted(said) == [3, 4, 5, 6, 7, 8, 9]
    assert said[3][0] == "The name is missing."
    assert said[4][0] == "The mail is missing."
    assert said[5] == ("This is no mail address.", "no mail")
    assert said[6] == ("This student is there twice.", "ADA@example.org, which line 2 has already")
    assert said[7] == ("The line is not like the headings.", "4")
    assert "no text" in said[8][0]
    assert "too long" in said[9][0]


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
