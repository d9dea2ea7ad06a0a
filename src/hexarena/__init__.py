"""Hexarena, an open arena for game bots.

The parts lie at the top of the repository; in this folder are only links to them, so that a checkout imports what an
installed package imports: `hexarena.games`, `hexarena.backend`, … (docs/decisions/0022).

Two functions are its own: `env` and `gym_env`, games as environments for programs that learn (docs/research.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from hexarena.environments.alternating import AlternatingEnv
    from hexarena.environments.opponents import Opponent
    from hexarena.environments.simultaneous import SimultaneousEnv
    from hexarena.environments.single import SeatEnv
    from hexarena.games.contract import Game

__all__ = ["env", "gym_env"]


def env(
    game: str | Game,
    *,
    seats: int | None = None,
    level: int | None = None,
    game_options: Mapping[str, int | str] | None = None,
    render_mode: Literal["ansi"] | None = None,
) -> AlternatingEnv | SimultaneousEnv:
    """All seats of a game, as PettingZoo's AECEnv where they alternate, and its ParallelEnv where they act at once.

    `seats`: as many as on the ladder, if left out. `level`: the rules level, the full game if left out. `game_options`:
    of games that have some.

    Raises: MissingExtra (an ImportError); UnknownGame; Refused (a ValueError), also where the game has no machine view.
    """
    from hexarena.environments.making import make_env

    return make_env(game, seats=seats, level=level, game_options=game_options, render_mode=render_mode)


def gym_env(
    game: str | Game,
    opponent: Opponent | Sequence[Opponent],
    *,
    seat: int | None = 0,
    seats: int | None = None,
    level: int | None = None,
    game_options: Mapping[str, int | str] | None = None,
    render_mode: Literal["ansi"] | None = None,
    no_sandbox: bool = False,
) -> SeatEnv:
    """One seat of a game against opponents, as an environment of Gymnasium.

    `opponent`: for all other seats, or one for each: a house bot's name, a source file or a command line, which play in
    the sandbox of `hexarena match`; or a function (observation, action mask) -> action. `seat`: the learner's; None
    draws it for each match. `no_sandbox`: bots run without isolation. All else as in `env`.

    Raises: MissingExtra (an ImportError); UnknownGame; Refused (a ValueError); SandboxError.
    """
    from hexarena.environments.making import make_gym_env

    return make_gym_env(
        game,
        opponent,
        seat=seat,
        seats=seats,
        level=level,
        game_options=game_options,
        render_mode=render_mode,
        no_sandbox=no_sandbox,
    )
