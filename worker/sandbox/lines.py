"""Turns bytes from a bot's pipes into lines and logs. Pure: nothing here reads a descriptor."""

from __future__ import annotations

import re

TOLD_CHARACTERS = 200
BEGUN_CHARACTERS = 40
LAST_BYTES = 4096
"""A traceback of some depth."""
BELOW_THE_REASON = re.compile(
    r"\s+(at|from|thrown in) |\t|#\d|Stack trace:|Node\.js v\d|note: run with|goroutine \d|exit status \d"
    r"|.* \[0x[0-9a-f]+\]$|\s+\$[0-9A-F]{8}|\s+\w+, called at "
)
"""How lines begin that runtimes write below what was raised: frames, and remarks of their own."""
RAISED = re.compile(
    r"(Exception in thread|panic: |(PHP )?Fatal error: |thread '.*' panicked|[\w.]*(Error|Exception)\b|\S+:\d+:in .*: "
    r"|lua[\d.]*: |[\w.]+@\S+\(\d+\): |Runtime error \d+ |E[A-Z]\w+: |bot: )"
)


class LineBuffer:
    """Cuts a stream into lines ended by LF, CR or CRLF.

    A CR ends its line at once, since nothing more may come; an LF that follows it, however late, then ends no
    second one. Lines wait here until they are taken.
    """

    def __init__(self) -> None:
        self._bytes = b""
        self._after_cr = False

    def feed(self, data: bytes) -> None:
        """Adds what was read."""
        if self._after_cr and data:
            self._after_cr = False
            data = data.removeprefix(b"\n")
        self._bytes += data

    def take(self) -> bytes | None:
        """The next whole line without its end, or None."""
        line_feed = self._bytes.find(b"\n")
        carriage_return = self._bytes.find(b"\r", 0, None if line_feed < 0 else line_feed)
        if carriage_return >= 0:
            line, self._bytes = self._bytes[:carriage_return], self._bytes[carriage_return + 1 :]
            self._after_cr = not self._bytes
            self._bytes = self._bytes.removeprefix(b"\n")
            return line
        if line_feed < 0:
            return None
        line, self._bytes = self._bytes[:line_feed], self._bytes[line_feed + 1 :]
        return line

    @property
    def waiting_bytes(self) -> int:
        """How much has arrived that is not taken yet."""
        return len(self._bytes)

    def told_rest(self) -> str:
        """What a verdict adds where a line was begun, and nobody can know that it was not ended; else ""."""
        if not self._bytes:
            return ""
        text = self._bytes[: 4 * BEGUN_CHARACTERS].decode("utf-8", "replace")
        shown = text if len(text) <= BEGUN_CHARACTERS else text[:BEGUN_CHARACTERS] + "…"
        return f"; got {shown!r} without a line end"


class BoundedLog:
    """What a bot writes to stderr: the beginning of each turn's output is kept, the rest only counted.

    The very last bytes are kept as well, for error messages: they say why a bot crashed.
    """

    def __init__(self, *, turn_bytes: int, match_bytes: int) -> None:
        self._turn_bytes = turn_bytes
        self._match_bytes = match_bytes
        self._rule = f"at most {turn_bytes:,} a turn and {match_bytes:,} a match are kept"
        self._remarks: list[str] = []
        self._kept = b""
        self._dropped = 0
        self._last = b""
        self.total_bytes = 0

    def feed(self, data: bytes) -> None:
        """Adds what was read."""
        self.total_bytes += len(data)
        room = max(0, min(self._turn_bytes - len(self._kept), self._match_bytes))
        self._kept += data[:room]
        self._match_bytes -= min(room, len(data))
        self._dropped += max(0, len(data) - room)
        self._last = (self._last + data)[-LAST_BYTES:]

    def remark(self, text: str) -> None:
        """A line of the arena's own, below what the bot wrote."""
        self._remarks.append(text)

    def keep_end(self) -> None:
        """Keeps the last lines also of what was dropped: a traceback comes last."""
        if self._dropped:
            end = self._last[-min(self._dropped, LAST_BYTES) :].decode("utf-8", "replace").rstrip("\n")
            self._remarks.append(f"… and ended with:\n{end}")

    def take(self) -> str:
        """The output since the last call, followed by lines that say how much was dropped, and by our remarks."""
        if not (self._kept or self._dropped or self._remarks):
            return ""
        lines = [self._kept.decode("utf-8", "replace")] if self._kept else []
        if self._dropped:
            lines.append(f"… {self._dropped:,} more bytes were dropped: {self._rule}")
        lines += self._remarks
        self._kept, self._dropped, self._remarks = b"", 0, []
        return "\n".join(lines)

    def telling_line(self) -> str:
        """The line that says why the bot crashed, or "" if nothing was ever written."""
        return telling_line(self._last.decode("utf-8", "replace"))


def telling_line(text: str) -> str:
    """What was raised, if the text ends with a traceback; else its last line.

    Python ends with what was raised. Other languages end with a frame or a remark, and name it before their frames.
    """
    lines = text.rstrip().splitlines() or [""]
    if BELOW_THE_REASON.match(lines[-1]):
        lines = [line for line in lines if RAISED.match(line)][-1:] or lines
    return lines[-1].strip()[:TOLD_CHARACTERS]
