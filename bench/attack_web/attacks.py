"""What an attack is, and what it is tried on."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

ANSWER_S = 20.0
"""How long an ordinary visitor waits for an answer."""
TRUSTED = "127.0.2.1"
"""The arena's reverse proxy, whose `X-Forwarded-For` it believes."""
VISITOR = "127.0.0.2"
"""All of 127.0.0.0/8 is this machine, so that there can be several clients."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happened, in a few words, and whether that is the goal."""

    now: str
    passed: bool


@dataclass(slots=True)
class Target:
    """An arena. `connections`: those that the attack holds; they are closed after it."""

    port: int
    connections: list[socket.socket] = field(default_factory=list)

    def connect(self, sent: bytes = b"", *, source: str = "127.0.0.1", buffer_bytes: int | None = None) -> bool:
        """Opens a connection that stays, and sends this. False if the server does not take it."""
        client = socket.socket()
        client.settimeout(ANSWER_S)
        if buffer_bytes is not None:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
        try:
            client.bind((source, 0))
            client.connect(("127.0.0.1", self.port))
            client.sendall(sent)
        except OSError:
            client.close()
            return False
        self.connections.append(client)
        return True

    def open_connections(self) -> int:
        """How many of them the server still keeps open. What it sent is read, up to a megabyte."""
        return sum(_is_open(client) for client in self.connections)

    def held_by_server(self) -> int:
        """How many connections its process has: what the client cannot see while it does not read."""
        lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        return sum(line[1].endswith(f":{self.port:04X}") and line[3] == "01" and line[9] != "0" for line in lines)

    def close(self) -> None:
        """Ends the attack."""
        while self.connections:
            self.connections.pop().close()

    def status(self, request: bytes, *, source: str = VISITOR) -> int:
        """The status of the answer to a whole request; 0 if there is none in time."""
        with suppress(OSError), socket.socket() as client:
            client.settimeout(ANSWER_S)
            client.bind((source, 0))
            client.connect(("127.0.0.1", self.port))
            client.sendall(request)
            got = b""
            while b"\r\n" not in got and (piece := client.recv(4096)):
                got += piece
            found = re.match(rb"HTTP/1\.[01] (\d{3}) ", got)
            return int(found[1]) if found else 0
        return 0

    def serves_visitors(self) -> bool:
        """Whether five visitors in a row get the list of games, out of the database."""
        request = b"GET /api/v1/games HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        return all(self.status(request) == 200 for _ in range(5))

    def gone_within(self, seconds: float) -> tuple[int, float]:
        """Waits until the server has closed all connections: how many are left, and after how long."""
        begun = time.monotonic()
        while (left := self.open_connections()) and time.monotonic() - begun < seconds:
            time.sleep(0.5)
        return left, time.monotonic() - begun


@dataclass(frozen=True, slots=True)
class Attack:
    """`before`: the outcome at version 0.2.0, measured with the same code (`--source`)."""

    name: str
    before: str
    goal: str
    run: Callable[[Target], Outcome]


def _is_open(client: socket.socket) -> bool:
    client.setblocking(False)
    try:
        for _ in range(16):
            if not client.recv(65_536):
                return False
    except BlockingIOError:
        return True
    except OSError:
        return False
    return True
