"""`hexarena dev` as its user starts it, on a new game of his own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable, Mapping
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from tests import forking
from tests.conftest import PATIENCE_S, wait_until


class Development:
    """The command, the game's folder, and what the page receives."""

    def __init__(self, root: Path, name: str = "claims", **variables: str) -> None:
        self.root, self.folder, self.log = root, root / name, root / "dev.log"
        inherited = {key: value for key, value in os.environ.items() if key != "HEXARENA_GAMES"}
        self.environment = {**inherited, "COLUMNS": "200", "HEXARENA_DATA_FOLDER": str(root / "data"), **variables}
        self.process: subprocess.Popen[bytes] | None = None
        if not self.folder.exists():
            words = ["new-game", name, "--seats", "2-4", "--simultaneous", "--into", str(root)]
            forking.run("hexarena.cli.app", *words, env=self.environment).check_returncode()

    def start(self, *words: str, game: str | None = None) -> None:
        """Starts it, and waits for its address."""
        with self.log.open("ab") as log:
            self.process = forking.Forked(
                "hexarena.cli.app",
                *("dev", game or str(self.folder), "--no-open", *words),
                cwd=self.root,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        wait_until(self._answers, f"it is there: {self.said()}")

    def _answers(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, self.said()
        if not re.search(r"http://\S+/dev", self.said()):
            return False
        try:
            with urlopen(self.url, timeout=5) as page:
                return bool(page.status == 200)
        except (URLError, OSError):
            return False

    @property
    def url(self) -> str:
        """Of the page."""
        return re.findall(r"http://\S+/dev", self.said())[-1]

    def said(self) -> str:
        """What is in the terminal."""
        return self.log.read_text() if self.log.exists() else ""

    def output(self) -> dict[str, Any]:
        """What the page receives now."""
        port = int(self.url.split(":")[2].partition("/")[0])
        connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        connection.request("GET", "/dev/events")
        line = connection.getresponse().readline().decode()
        connection.close()
        found: dict[str, Any] = json.loads(line.removeprefix("data: "))
        return found

    def wait(self, is_so: Callable[[Mapping[str, Any]], object], what: str) -> dict[str, Any]:
        """What the page receives once this is so, and nothing is under way."""
        last: list[dict[str, Any]] = [{}]

        def look() -> bool:
            last[0] = self.output()
            return last[0]["doing"] == "" and bool(is_so(last[0]))

        wait_until(look, what)
        return last[0]

    def replay(self, number: int) -> list[dict[str, Any]]:
        """The lines of a match."""
        with urlopen(f"{self.url}/matches/{number}") as answer:
            return [json.loads(line) for line in answer.read().decode().splitlines()]

    def edit(self, file: str, old: str, new: str) -> None:
        """Saves a change as many editors do: a new file in the place of the old one."""
        path = self.folder / file
        text = path.read_text()
        assert text.count(old) == 1, (file, old)
        fresh = path.with_name(f".{path.name}.new")
        fresh.write_text(text.replace(old, new))
        fresh.replace(path)

    def stop(self, number: int = signal.SIGINT) -> int:
        """Its exit code."""
        assert self.process is not None
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE_S)
        self.process = None
        return code

    def left_over(self) -> list[str]:
        """Command lines of processes that still belong to it."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
            except OSError:
                continue
            if str(self.root).encode() in words and int(folder.name) != os.getpid():
                found.append(words.replace(b"\0", b" ").decode(errors="replace")[:200])
        return found
