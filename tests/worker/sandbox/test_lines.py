"""Bytes into lines, without any process."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from hexarena.worker.sandbox.lines import BoundedLog, LineBuffer, telling_line


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


@pytest.mark.parametrize(
    ("stderr", "reported"),
    [
        ("turn 3\nTraceback (most recent call last):\n  File 'bot.py'\nKeyError: 'x'\n", "KeyError: 'x'"),
        ("TypeError: no x\n    at move (/bot/bot.js:2:15)\n\nNode.js v20.20.2\n", "TypeError: no x"),
        (
            'Exception in thread "main" java.lang.Error: 3\n\tat Player.main(bot.java:7)\n',
            'Exception in thread "main" java.lang.Error: 3',
        ),
        ("System.NullReferenceException: no\n  at Player.Main () [0x00000]\n", "System.NullReferenceException: no"),
        (
            "/bot/bot.rb:2:in `move': undefined method (NoMethodError)\n\tfrom /bot/bot.rb:8:in `<main>'\n",
            "/bot/bot.rb:2:in `move': undefined method (NoMethodError)",
        ),
        (
            "Fatal error: Uncaught E: no in /bot/bot.php:3\nStack trace:\n  thrown in /bot/bot.php on line 3\n",
            "Fatal error: Uncaught E: no in /bot/bot.php:3",
        ),
        ("panic: no\n\ngoroutine 1 [running]:\nmain.main()\n\t/bot/bot.go:7 +0x1a\n", "panic: no"),
        (
            "thread 'main' panicked at 'no', /bot/bot.rs:2:5\nnote: run with `RUST_BACKTRACE=1`\n",
            "thread 'main' panicked at 'no', /bot/bot.rs:2:5",
        ),
        (
            "lua5.4: /bot/bot.lua:3: attempt to index a nil value\nstack traceback:\n\t/bot/bot.lua:3: in main chunk\n"
            "\t[C]: in ?\n",
            "lua5.4: /bot/bot.lua:3: attempt to index a nil value",
        ),
        (
            "core.exception.ArrayIndexError@/bot/bot.d(5): index [3] is out of bounds\n----------------\n"
            "??:? _d_run_main [0x7fa74bfa27ed]\n??:? [0x55e04637d210]\n",
            "core.exception.ArrayIndexError@/bot/bot.d(5): index [3] is out of bounds",
        ),
        (
            "Runtime error 200 at $00000000004010DD\n  $00000000004010DD\n\n",
            "Runtime error 200 at $00000000004010DD",
        ),
        (
            "An unhandled exception occurred at $0000000000401:\nEDivByZero: Division by zero\n  $0000000000401\n",
            "EDivByZero: Division by zero",
        ),
        (
            "bot: no way\nCallStack (from HasCallStack):\n  error, called at bot.hs:3:5 in main:Main\n",
            "bot: no way",
        ),
        ("Error: of turn 1\nin turn 2 all was well\n", "in turn 2 all was well"),
        ("terminate called\n  what():  out of range\n", "what():  out of range"),
        ("    at nothing that was raised\n", "at nothing that was raised"),
        (" \n", ""),
    ],
)
def test_the_telling_line_is_what_was_raised_and_not_a_frame(stderr: str, reported: str) -> None:
    assert telling_line(stderr) == reported


def test_the_end_of_a_long_log_is_kept_when_asked_for() -> None:
    log = BoundedLog(turn_bytes=20, match_bytes=1000)
    log.feed(b"a line\n" * 10_000 + b"KeyError: 'x'\n")
    log.keep_end()
    kept = log.take()
    assert kept.startswith("a line\na line\n")
    assert kept.endswith("a line\nKeyError: 'x'")
    assert len(kept) < 5000
    assert log.take() == ""
    log.feed(b"short\n")
    log.keep_end()
    assert log.take() == "short\n"


@pytest.mark.parametrize(
    ("fed", "told"),
    [
        (b"", ""),
        (b"4 4\n", ""),
        (b"4 4\n5", "; got '5' without a line end"),
        (b"\xff\x1b", "; got '\ufffd\\x1b' without a line end"),
        ("é".encode() * 60, f"; got '{'é' * 40}…' without a line end"),
    ],
)
def test_a_line_that_was_begun_is_told_shortly(fed: bytes, told: str) -> None:
    lines = LineBuffer()
    lines.feed(fed)
    lines.take()
    assert lines.told_rest() == told
