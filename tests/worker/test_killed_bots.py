"""What becomes of a match one of whose bots somebody kills from outside of its sandbox."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from hexarena.backend.matches import causes
from hexarena.backend.runtime.settings import Settings
from hexarena.worker import tasks
from hexarena.worker.lending import MatchSlots
from hexarena.worker.sandbox import BotProcess, Naps, Program, Sandbox
from tests.worker.sandbox.test_endings import TELLS
from tests.worker.test_overload import API, play, queue_match

pytestmark = [pytest.mark.sandbox, TELLS]
REASON = f"{causes.KILLED}: SIGKILL, which nobody in its sandbox can send."


@dataclass
class Killer:
    """It kills so many bots, each before its second turn, and has killed so many."""

    left: int = 0


@pytest.fixture
def killer() -> Killer:
    """It does nothing yet."""
    return Killer()


@pytest.fixture
def context(settings: Settings, killer: Killer, tmp_path: Path) -> Iterator[tasks.WorkerContext]:
    """A worker's, with isolation, on a machine with that killer."""
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap")

    class Watched(Sandbox):
        def start(self, program: Program, *, reply_bytes: int, naps: Naps | None = None) -> BotProcess:
            bot = super().start(program, reply_bytes=reply_bytes, naps=naps)
            ask = bot.ask

            def killed_first(prompt: str, seconds: float):  # type: ignore[no-untyped-def]
                if bot.pid and killer.left:
                    killer.left -= 1
                    os.kill(bot.pid, signal.SIGKILL)
                return ask(prompt, seconds)

            bot.ask = killed_first  # type: ignore[method-assign]
            return bot

    whole = tasks.WorkerContext.open(settings, MatchSlots(1), MatchSlots(0))
    whole.sandbox.close()
    with Watched.open("bwrap", folder=tmp_path / "watched") as watched:
        if watched._slots.hierarchies is None:
            pytest.skip("needs control groups")
        yield replace(whole, sandbox=watched)
    whole.close()


def test_it_is_played_again_and_says_so(context: tasks.WorkerContext, killer: Killer, client: TestClient) -> None:
    match_id = queue_match(context.database)
    killer.left = 1
    play(context)
    seen = client.get(f"{API}/matches/{match_id}").json()
    assert (seen["state"], [one["reason"] for one in seen["void_attempts"]]) == ("queued", [REASON])
    play(context)
    seen = client.get(f"{API}/matches/{match_id}").json()
    assert (seen["state"], seen["faults"]) == ("done", [])


@pytest.mark.long
def test_it_is_not_played_again_for_ever(context: tasks.WorkerContext, killer: Killer, client: TestClient) -> None:
    match_id = queue_match(context.database)
    killer.left = attempts = context.settings.max_attempts
    for _ in range(attempts):
        play(context)
    seen = client.get(f"{API}/matches/{match_id}").json()
    assert (seen["state"], seen["void_reason"]) == ("void", f"{REASON} It was tried {attempts} times.")
    assert killer.left == 0
