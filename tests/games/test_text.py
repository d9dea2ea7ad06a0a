"""Java's String methods, as the references use them."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from hexarena.games.text import java_split, java_trim, small_int


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", [""]),
        (";", []),
        (";;", []),
        ("a", ["a"]),
        ("a;", ["a"]),
        (";a", ["", "a"]),
        ("a;;b;;", ["a", "", "b"]),
        ("a; ", ["a", " "]),
    ],
)
def test_split_drops_empty_pieces_at_the_end_only(text: str, pieces: list[str]) -> None:
    assert java_split(text, ";") == pieces


@given(st.text("a; ", max_size=20))
def test_split_never_ends_in_an_empty_piece_unless_the_text_is_empty(text: str) -> None:
    pieces = java_split(text, ";")
    assert pieces == [""] if text == "" else not pieces or pieces[-1] != ""
    assert ";".join(pieces) == text.rstrip(";")


@pytest.mark.parametrize(
    ("text", "trimmed"),
    [(" a b ", "a b"), ("\x00\t\n a\x1f", "a"), ("\xa0a\u2003", "\xa0a\u2003"), ("\x7fa", "\x7fa"), (" \r\n", "")],
)
def test_trim_drops_characters_up_to_the_blank_and_no_other_blanks(text: str, trimmed: str) -> None:
    assert java_trim(text) == trimmed


@pytest.mark.parametrize(
    ("digits", "value"),
    [
        ("0", 0),
        ("000", 0),
        ("007", 7),
        ("2147483647", 2_147_483_647),
        ("0002147483647", 2_147_483_647),
        ("2147483648", None),
        ("9999999999", None),
        ("9" * 5_000, None),
        ("0" * 9_999 + "5", 5),
    ],
)
def test_an_integer_must_fit_32_bits(digits: str, value: int | None) -> None:
    assert small_int(digits) == value


@given(st.integers(0, 2**33))
def test_an_integer_is_read_or_refused(value: int) -> None:
    assert small_int(str(value)) == (value if value < 2**31 else None)
