"""Turns bytes from a bot's pipes into lines and logs. Pure: nothing here reads a descriptor."""

from __future__ import annotations

LAST_BYTES = 200


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

    def last_line(self) -> str:
        """The last line that is not empty, or "" if nothing was ever written."""
        lines = self._last.decode("utf-8", "replace").strip().splitlines()
        return lines[-1].strip() if lines else ""
