"""Our own viewers draw every turn of a match, with the fewest seats and with the most."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hexarena.cli.check import tools
from hexarena.cli.check.subject import Subject
from hexarena.games.catalogue import all_games, game_folder
from hexarena.games.contract import Game


@pytest.mark.long
@pytest.mark.parametrize("game", all_games().values(), ids=lambda game: game.id)
def test_a_viewer_draws_whole_matches(game: Game, tmp_path: Path) -> None:
    quick = replace(game.with_options(**game.quick), seats=tuple({game.seats[0]: 0, game.seats[-1]: 0}))
    tools.viewer(Subject(quick, game_folder(game.id), tmp_path))
