"""People who use an arena over HTTP: each has a cookie of their own, and an address of this machine."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from datetime import datetime
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

API = "/api/v1"
ATTACKER, STRANGER = "127.0.0.1", "127.0.1.1"
"""Loopback addresses of two networks."""
TIMEOUT_S = 60.0
LOOK_S = 0.1
MOST_WAIT_S = 300.0
QUICK = "print(input())"
"""A bot whose match is over at once: its first line is no move."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer; `body` is JSON."""

    status: int
    body: Any


@dataclass
class Person:
    """A visitor at `base_url`. Without a cookie at first."""

    base_url: str
    address: str
    cookies: dict[str, str] = field(default_factory=dict)

    async def get(self, path: str) -> Answer:
        """Reads."""
        return await asyncio.to_thread(self._send, "GET", path, None, "")

    async def post(self, path: str, body: object) -> Answer:
        """Sends JSON."""
        return await asyncio.to_thread(self._send, "POST", path, json.dumps(body).encode(), "application/json")

    async def upload(self, path: str, file: bytes, **fields: str) -> Answer:
        """Sends a zip with form fields."""
        boundary = uuid4().hex
        parts = [
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
            for name, value in fields.items()
        ]
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="bot.zip"\r\n\r\n'.encode()
        body = b"".join([*parts, head, file, f"\r\n--{boundary}--\r\n".encode()])
        return await asyncio.to_thread(self._send, "POST", path, body, f"multipart/form-data; boundary={boundary}")

    async def sign_up(self, name: str) -> Answer:
        """Makes an account with a password, as anybody can."""
        return await self.post("/sign-up", {"name": name, "password": uuid4().hex})

    async def practise(self, source: str = QUICK, *, game: str = "yavalath", language: str = "python") -> Answer:
        """A practice match against the boss."""
        return await self.post("/matches", {"game": game, "language": language, "source": source})

    async def wait_to_start(self, match_id: int) -> float:
        """Seconds from the request to the start of the match, by the arena's clock; as many as were waited if none."""
        end = time.monotonic() + MOST_WAIT_S
        while time.monotonic() < end:
            match = (await self.get(f"/matches/{match_id}")).body
            if match.get("started_at"):
                begun, asked = (datetime.fromisoformat(match[one]) for one in ("started_at", "created_at"))
                return (begun - asked).total_seconds()
            await asyncio.sleep(LOOK_S)
        return MOST_WAIT_S

    async def wait_to_end(self, match_id: int) -> None:
        """Until the match is over, or it has lasted too long."""
        end = time.monotonic() + MOST_WAIT_S
        match: dict[str, Any] = {}
        while time.monotonic() < end and not match.get("finished_at"):
            await asyncio.sleep(LOOK_S)
            match = (await self.get(f"/matches/{match_id}")).body

    def _send(self, method: str, path: str, body: bytes | None, kind: str) -> Answer:
        host = urlsplit(self.base_url)
        connection = HTTPConnection(host.hostname or "", host.port, TIMEOUT_S, source_address=(self.address, 0))
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        if body is not None:
            headers["Content-Type"] = kind
        try:
            connection.request(method, API + path, body, headers)
            response = connection.getresponse()
            for name, value in response.getheaders():
                if name.lower() == "set-cookie":
                    cookie, _, _ = value.partition(";")
                    key, _, content = cookie.partition("=")
                    self.cookies[key] = content
            text = response.read()
        finally:
            connection.close()
        return Answer(response.status, json.loads(text) if text else None)
