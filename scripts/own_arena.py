"""An arena and a browser of their own, for scripts that measure pages or take pictures of them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from playwright.sync_api import Browser, sync_playwright

from hexarena.games.catalogue import game_file
from hexarena.games.contract import Game
from hexarena.games.house import house_bots

PATIENCE_S = 300.0
GAMES = ("ants", "tryangle", "yavalath", "battlegrounds", "tron")
LANGUAGES = {".py": ("python", "#"), ".cpp": ("cpp", "//"), ".js": ("javascript", "//")}
"""By ending: the language, and how its comments begin."""


@dataclass(frozen=True, slots=True)
class OwnArena:
    """An arena that runs in a folder of its own."""

    url: str
    environment: Mapping[str, str]

    def run(self, *words: str) -> None:
        """Runs a command of `hexarena` for it. Raises: subprocess.CalledProcessError."""
        subprocess.run([sys.executable, "-m", "hexarena.cli.app", *words], env=self.environment, check=True)


@contextmanager
def own_arena(matches: int = 3, **settings: str) -> Iterator[OwnArena]:
    """An arena in an empty folder, once this many matches of each game are done. `settings`: further HEXARENA_…."""
    with tempfile.TemporaryDirectory(prefix="hexarena-pages-") as folder:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        own = {"HEXARENA_PORT": str(port), "HEXARENA_DATA_FOLDER": folder, "HEXARENA_FILL_IN_S": "0.2", **settings}
        environment = {**os.environ, "DATABASE_URL": "", "REDIS_URL": "", **own}
        command = [sys.executable, "-m", "hexarena.cli", "up"]
        with (Path(folder) / "up.txt").open("wb") as said:
            process = subprocess.Popen(command, env=environment, stdout=said, stderr=said, start_new_session=True)
        url = f"http://127.0.0.1:{port}"
        try:
            for game in GAMES:
                _wait(lambda game=game: len(finished(url, game)) >= matches, process)  # type: ignore[misc]
            yield OwnArena(url, environment)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE_S)


@contextmanager
def arena(matches: int = 3) -> Iterator[str]:
    """The address of such an arena."""
    with own_arena(matches) as running:
        yield running.url


def house_source(game: Game, number: int) -> dict[str, str]:
    """The language and source of a bot as good as a house bot, other code for each number, from 1: for a submission."""
    usable = [bot for bot in house_bots(game) if Path(bot.file).suffix in LANGUAGES]
    bot = usable[(number - 1) % len(usable)]
    language, comment = LANGUAGES[Path(bot.file).suffix]
    written = game_file(game, "bots", bot.file).read_text(encoding="utf-8")
    return {"language": language, "source": f"{written}\n{comment} entrant {number}\n"}


def finished(url: str, game: str) -> list[dict[str, Any]]:
    """The newest matches of a game that are done; none while nobody answers."""
    try:
        with urlopen(f"{url}/api/v1/matches?game={game}&state=done&limit=20", timeout=10) as answer:  # noqa: S310 - our own
            return list(json.load(answer)["items"])
    except OSError:
        return []


def _wait(is_true: Any, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not is_true():
        if process.poll() is not None or time.monotonic() > end:
            raise SystemExit(f"The arena has no matches after {PATIENCE_S:.0f} s, or has ended.")
        time.sleep(0.5)


@contextmanager
def chromium() -> Iterator[Browser]:
    """The machine's own Chromium, without a window."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()
