"""Strict reading of bot text, shared by the protocols: Java's String methods, where a reference relies on them."""

from __future__ import annotations

INT_MAX = 2**31 - 1


def java_split(text: str, separator: str) -> list[str]:
    """`String.split` for a plain character: drops trailing empty pieces, but an empty text gives one empty piece."""
    if not text:
        return [""]
    pieces = text.split(separator)
    while pieces and not pieces[-1]:
        pieces.pop()
    return pieces


_TRIMMED = "".join(map(chr, range(0x21)))


def java_trim(text: str) -> str:
    """`String.trim`: drops all characters up to U+0020 at both ends, and no other blanks."""
    return text.strip(_TRIMMED)


def small_int(digits: str) -> int | None:
    """The value of ASCII digits if it fits a signed 32-bit integer, else None. Any length; leading zeros are fine."""
    significant = digits.lstrip("0")
    if len(significant) > 10:
        return None
    value = int(significant or "0")
    return value if value <= INT_MAX else None


def without_commands(reply: str, name: str) -> str:
    """A line of commands between semicolons without those that begin with `name` and a blank; as it was without any.

    >>> without_commands("WAIT; message 12 nodes;", "MESSAGE")
    'WAIT;'
    >>> without_commands("MESSAGES 1; WAIT", "MESSAGE")
    'MESSAGES 1; WAIT'
    """
    pieces = reply.split(";")
    kept = [piece for piece in pieces if not java_trim(piece).upper().startswith(f"{name} ")]
    return reply if len(kept) == len(pieces) else ";".join(kept)
