"""An arena of its own for a bench: `hexarena up` as a child process, and users who talk to it over HTTP."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from hexarena.backend.runtime.parent import STOP_S, ends_with_parent

START_S = 300.0
LOOK_S = 0.5
ANSWER_S = 60.0
TOO_MANY = 429
HOST = "127.0.0.1"


class ArenaFailed(Exception):
    """The arena did not do what was expected. The message includes its answer."""


@dataclass
class Visitor:
    """A user with a cookie of its own, from signing up or the first upload on."""

    port: int
    cookie: str = ""

    def get(self, path: str, **query: object) -> Any:
        """The JSON at a path below /api/v1. Raises: ArenaFailed for any answer but 200."""
        words = {name: value for name, value in query.items() if value is not None}
        status, answer = self._ask("GET", f"{path}?{urlencode(words)}" if words else path)
        if status != 200:
            raise ArenaFailed(f"expected 200 from GET {path}; got {status}: {answer}")
        return answer

    def pages(self, path: str, **query: object) -> Iterator[Any]:
        """All items of a list that comes in pages, in its order. Raises: ArenaFailed."""
        page = self.get(path, **query)
        yield from page["items"]
        while page["next"] is not None:
            page = self.get(path, **{**query, "after": page["next"]})
            yield from page["items"]

    def sign_up(self, name: str) -> Any:
        """Makes an account: results of guests rate nobody else. Raises: ArenaFailed."""
        return self._post("/sign-up", {"name": name, "password": secrets.token_urlsafe()}, name)

    def submit(self, body: Mapping[str, str]) -> Any:
        """Submits a bot; waits while earlier submissions of the same user are pending. Raises: ArenaFailed."""
        return self._post("/submissions", body, f"{body['bot']} in {body['game']}")

    def _post(self, path: str, body: Mapping[str, str], what: str) -> Any:
        """The answer, once there were not too many requests. Raises: ArenaFailed."""
        while True:
            status, answer = self._ask("POST", path, json.dumps(body))
            if status == 201:
                return answer
            if status != TOO_MANY:
                raise ArenaFailed(f"expected 201 for {what}; got {status}: {answer}")
            time.sleep(LOOK_S)

    def _ask(self, method: str, path: str, body: str | None = None) -> tuple[int, Any]:
        """(status, JSON)"""
        headers = {"Content-Type": "application/json", **({"Cookie": self.cookie} if self.cookie else {})}
        connection = HTTPConnection(HOST, self.port, timeout=ANSWER_S)
        try:
            connection.request(method, f"/api/v1{path}", body, headers)
            response = connection.getresponse()
            if (cookie := response.getheader("Set-Cookie")) is not None:
                self.cookie = cookie.partition(";")[0]
            return response.status, json.loads(response.read())
        finally:
            connection.close()


@contextmanager
def real_arena(folder: Path, port: int, settings: Mapping[str, str]) -> Iterator[Visitor]:
    """Runs `hexarena up` on a data folder, its output in `up.log` there; stops it at the end. Yields a reader.

    settings: names of environment variables and their values. Raises: ArenaFailed when it does not come up.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    own = {"HEXARENA_DATA_FOLDER": str(folder.resolve()), "HEXARENA_HOST": HOST, "HEXARENA_PORT": str(port)}
    own["HEXARENA_NEW_ACCOUNT_DAYS"] = "0"  # All players are on this machine.
    command = [*ends_with_parent("TERM"), sys.executable, "-m", "hexarena.cli.app", "up"]
    with (folder / "up.log").open("ab") as log:
        process = subprocess.Popen(
            command,
            env={**os.environ, **own, **settings},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        _wait(process, Visitor(port), folder)
        yield Visitor(port)
    finally:
        process.terminate()
        try:
            process.wait(3 * STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(process: subprocess.Popen[bytes], visitor: Visitor, folder: Path) -> None:
    """Waits until a worker has sent a heartbeat."""
    end = time.monotonic() + START_S
    while time.monotonic() < end and process.poll() is None:
        try:
            if visitor.get("/health")["workers"]:
                return
        except (ArenaFailed, OSError, HTTPException):
            pass
        time.sleep(LOOK_S)
    tail = (folder / "up.log").read_text(errors="replace")[-2000:]
    raise ArenaFailed(f"expected an arena at port {visitor.port}; the end of its log:\n{tail}")
