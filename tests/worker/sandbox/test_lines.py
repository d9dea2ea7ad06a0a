"""Bytes into lines, without any process."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from hexarena.worker.sandbox.lines import LineBuffer


def lines_of(*parts: bytes) -> list[bytes]:
    buffer = LineBuffer()
    found = []
    for part in parts:
        buffer.feed(part)
        while (line := buffer.take()) is not None:
            found.append(line)
    return found


@pytest.mark.parametrize(
    ("parts", "lines"),
    [
        ((b"a\nb\n",), [b"a", b"b"]),
        ((b"a\rb\r",), [b"a", b"b"]),
        ((b"a\r\nb\r\n",), [b"a", b"b"]),
        ((b"a\r", b"\nb\n"), [b"a", b"b"]),
        ((b"a\r", b"", b"\n", b"\n"), [b"a", b""]),
        ((b"a\n\rb\n",), [b"a", b"", b"b"]),
        ((b"\r\r\n\n",), [b"", b"", b""]),
        ((b"no end",), []),
        ((b"half ", b"and half\n"), [b"half and half"]),
    ],
)
def test_lf_cr_and_crlf_end_lines(parts: tuple[bytes, ...], lines: list[bytes]) -> None:
    assert lines_of(*parts) == lines


@given(st.text("ab\r\n"), st.data())
def test_how_the_bytes_arrive_makes_no_difference(text: str, data: st.DataObject) -> None:
    whole = text.encode()
    cut = data.draw(st.integers(0, len(whole)))
    assert lines_of(whole[:cut], whole[cut:]) == lines_of(whole)
    assert lines_of(*(whole[index : index + 1] for index in range(len(whole)))) == lines_of(whole)
