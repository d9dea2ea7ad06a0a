"""All starters and house bots of all games play under the filter that bots have: it refuses them nothing they need.

Elsewhere they are played without isolation (tests/games/test_conformance.py).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hexarena.backend.submissions.languages import by_ending
from hexarena.games.catalogue import all_games, find_game, game_file
from hexarena.games.contract import Clock
from hexarena.games.lines import Player
from hexarena.worker.play import ReadyBot, build_bot, play_match
from hexarena.worker.sandbox import LanguageMissing, Limits, Program, Sandbox
from tests.conftest import PATIENCE_S
from tests.worker.sandbox.conftest import patient

pytestmark = pytest.mark.sandbox
PATIENT = Limits(wall_first_s=PATIENCE_S, wall_turn_s=PATIENCE_S)
"""A machine may be slow."""


def shipped() -> list[tuple[str, str]]:
    """(game, language), of all starters and house bots."""
    found = {
        (game.id, by_ending(Path(file).suffix).id)
        for game in all_games().values()
        for file in [*game.starters, *(bot.file for bot in game.house_bots)]
    }
    return sorted(found)


def files_of(game_id: str, language: str) -> list[str]:
    """Its bots in this language."""
    game = find_game(game_id)
    files = [*game.starters, *(bot.file for bot in game.house_bots)]
    return [file for file in dict.fromkeys(files) if by_ending(Path(file).suffix).id == language]


@pytest.mark.long
@pytest.mark.parametrize(("game_id", "language"), shipped())
def test_what_comes_with_a_game_plays_in_the_sandbox_without_a_fault(
    isolated: Sandbox, game_id: str, language: str
) -> None:
    game = replace(find_game(game_id), clock=Clock(first_s=PATIENCE_S, turn_s=PATIENCE_S))
    sandbox = replace(patient(isolated), limits=PATIENT)
    programs: list[Program] = []
    for file in files_of(game_id, language):
        try:
            source = game_file(game, f"bots/{file}").read_bytes()
            programs.append(build_bot(game, sandbox, by_ending(Path(file).suffix), source))
        except LanguageMissing as missing:
            pytest.skip(str(missing))
    seats = game.seats[0]
    for first in range(0, len(programs), seats):
        playing = [programs[(first + seat) % len(programs)] for seat in range(seats)]
        entrants = [ReadyBot(program, Player(str(seat))) for seat, program in enumerate(playing)]
        record = play_match(game, sandbox, entrants, seed=1, league=game.top_level).record
        assert not record.faults
        assert record.turns
