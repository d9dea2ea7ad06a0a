"""A whole arena, started as a user would start it, and a real browser."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Response, expect, sync_playwright

from hexarena.backend.runtime.parent import ends_with_parent
from tests.conftest import PATIENCE_S, TRANSACTION_IDLE_S, free_port, wait_until

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


class Arena:
    """`hexarena up` in a data folder of its own. `settings`: more variables, e.g. HEXARENA_GUESTS."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.settings = settings
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it and waits for the first page."""
        own = {"HEXARENA_PORT": str(self.port), "HEXARENA_TRANSACTION_IDLE_S": str(TRANSACTION_IDLE_S)}
        environment = {**self.environment(), **own, **self.settings}
        self.folder.mkdir(exist_ok=True)
        with (self.folder / "up.log").open("ab") as log:
            command = [*ends_with_parent("TERM"), sys.executable, "-m", "hexarena.cli.app", "up"]
            self.process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
        wait_until(self.answers, "the first page is served")

    def environment(self) -> dict[str, str]:
        """For commands that are about this arena."""
        inherited = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
        return {**inherited, "HEXARENA_DATA_FOLDER": str(self.folder)}

    def answers(self) -> bool:
        """Whether the pages are there."""
        assert self.process is not None
        assert self.process.poll() is None, self.said()
        try:
            with urlopen(self.url, timeout=5) as page:
                return bool(page.status == 200)
        except (URLError, OSError):
            return False

    def stop(self) -> None:
        """Ctrl-C, and wait."""
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGINT)
            self.process.wait(PATIENCE_S)
            self.process = None

    def said(self) -> str:
        """What it printed."""
        return (self.folder / "up.log").read_text()

    def left_over(self) -> list[str]:
        """Command lines of processes that still belong to it."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
            except OSError:
                continue
            if str(self.folder).encode() in words and int(folder.name) != os.getpid():
                found.append(words.replace(b"\0", b" ").decode(errors="replace")[:200])
        return found


@pytest.fixture(scope="module")
def arena(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    """An arena that the tests of a file share. Its ladder plays on and on, so it stops before other tests begin.

    A file whose tests need no matches but their own says LADDER_RESTS = True: then the CPU is theirs.
    """
    settings = {"HEXARENA_FILL_IN_S": "0"} if getattr(request.module, "LADDER_RESTS", False) else {}
    running = Arena(tmp_path_factory.mktemp("arena"), **settings)
    running.start()
    yield running
    running.stop()
    print(running.said())


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The machine's own Chromium."""
    program = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if program is None:
        pytest.fail(f"expected a browser, one of {', '.join(BROWSERS)}; `make setup-test` installs one")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=QUIET)
        expect.set_options(timeout=1000 * PATIENCE_S)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser, arena: Arena) -> Iterator[Page]:
    """A new visitor. Whatever the browser complains about fails the test."""
    complaints: list[str] = []
    context = browser.new_context(base_url=arena.url, viewport={"width": 1280, "height": 800})
    context.set_default_timeout(1000 * PATIENCE_S)
    visited = context.new_page()
    visited.on("pageerror", lambda error: complaints.append(f"exception: {error}"))
    visited.on("console", lambda line: complaints.append(f"console: {line.text}") if _is_complaint(line) else None)
    visited.on(
        "response", lambda answer: complaints.append(f"{answer.status} {answer.url}") if _failed(answer) else None
    )
    yield visited
    context.close()
    assert complaints == []


def wait_in_page(page: Page, expression: str, arg: object = None) -> None:
    """Waits until it is true. Playwright's own way would evaluate it inside the page, which the policy forbids."""
    wait_until(lambda: page.evaluate(expression, arg), f"{expression} in {page.url}")


def _failed(answer: Response) -> bool:
    return answer.status >= HTTPStatus.BAD_REQUEST


def _is_complaint(line: ConsoleMessage) -> bool:
    """Failed loads are heard of as responses, with their addresses; a stream may end with its server."""
    return line.type == "error" and not line.text.startswith("Failed to load resource")
