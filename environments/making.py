"""Makes the environment that a game needs. The extra's libraries are imported only after it was looked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from hexarena.environments.extra import require_extra
from hexarena.environments.setting import ANY_SEED, require_render_mode, setting_of
from hexarena.games.contract import Game, Seat

if TYPE_CHECKING:
    from hexarena.environments.alternating import AlternatingEnv
    from hexarena.environments.opponents import Opponent
    from hexarena.environments.simultaneous import SimultaneousEnv
    from hexarena.environments.single import SeatEnv


def make_env(
    game: str | Game,
    *,
    seats: int | None,
    level: int | None,
    game_options: Mapping[str, int | str] | None,
    render_mode: Literal["ansi"] | None,
) -> AlternatingEnv | SimultaneousEnv:
    """Simultaneous where more than one seat acts in the first turn. Raises: as `hexarena.env`."""
    require_extra()
    from hexarena.environments.alternating import AlternatingEnv
    from hexarena.environments.simultaneous import SimultaneousEnv

    require_render_mode(render_mode)
    setting = setting_of(game, seats=seats, level=level, game_options=game_options)
    rules = setting.game.rules
    at_once = len(rules.to_act(rules.setup(setting.seats, ANY_SEED, setting.level))) > 1
    return (SimultaneousEnv if at_once else AlternatingEnv)(setting, render_mode=render_mode)


def make_gym_env(
    game: str | Game,
    opponent: Opponent | Sequence[Opponent],
    *,
    seat: Seat | None,
    seats: int | None,
    level: int | None,
    game_options: Mapping[str, int | str] | None,
    render_mode: Literal["ansi"] | None,
    no_sandbox: bool,
) -> SeatEnv:
    """Raises: as `hexarena.gym_env`."""
    require_extra()
    from hexarena.environments.opponents import Opponents
    from hexarena.environments.single import SeatEnv

    require_render_mode(render_mode)
    setting = setting_of(game, seats=seats, level=level, game_options=game_options)
    opponents = Opponents(setting, opponent, no_sandbox=no_sandbox)
    try:
        return SeatEnv(setting, opponents, seat=seat, render_mode=render_mode)
    except BaseException:
        opponents.close()
        raise
