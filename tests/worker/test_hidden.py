"""A worker sends no hidden card to those who watch, and stores all of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest

from hexarena.games import discovery
from hexarena.games.catalogue import find_game
from hexarena.games.contract import Reply
from hexarena.games.lines import Player
from hexarena.worker.play import Person, play_match
from hexarena.worker.sandbox import Sandbox

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
NO_SANDBOX = cast(Sandbox, None)
"""None is needed where persons have all seats."""


class First:
    """Plays the first card of its hand."""

    def ask(self, prompt: str, seconds: float) -> Reply:
        return Reply(prompt.splitlines()[-1].split()[0])

    def log(self) -> str:
        return ""


@pytest.mark.parametrize("name", ["tricks", "tron"])
def test_lines_are_sent_without_what_is_hidden(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(discovery.VARIABLE, str(EXAMPLES))
    game, sent = find_game(name), list[str]()
    players = [Person(First(), Player(f"bot {seat}")) for seat in range(3)]
    played = play_match(game, NO_SANDBOX, players, seed=1, league=1, watch=sent.append)
    stored = played.replay.splitlines(keepends=True)
    if game.hidden is None:
        assert sent == stored
        return
    assert len(sent) == len(stored) - 1, "whoever watches reads the end in the whole replay"
    assert "hidden" in stored[0]
    for line, whole in zip(sent, stored, strict=False):
        assert "hidden" not in line
        assert json.loads(line).get("t") == json.loads(whole).get("t")
