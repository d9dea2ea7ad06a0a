"""Which game an environment plays, with how many seats, on which rules level and with which options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import index
from typing import Any

from hexarena.games.catalogue import all_games, find_game
from hexarena.games.contract import Game, MachineView
from hexarena.games.shapes import Shape

ANY_SEED = 1
"""For the state that is asked for actions and shape, which no seed changes."""


class Refused(ValueError):
    """A wish that the game cannot fulfil. The message says what was expected and what was got."""


CLOSED = "expected an environment that is open; this one was closed"


def require_render_mode(mode: object) -> None:
    """Raises: Refused."""
    if mode not in (None, "ansi"):
        raise Refused(f"expected the render_mode 'ansi' or None; got {mode!r}")


def seed_of(given: object) -> int:
    """A seed as the match has it. Raises: Refused."""
    try:
        return index(given)  # type: ignore[arg-type]
    except TypeError:
        raise Refused(f"expected a whole number as the seed; got {given!r}") from None


@dataclass(frozen=True, slots=True)
class Setting:
    """`game`: with its options. `actions`, `shape`: of every match of this setting."""

    game: Game
    seats: int
    level: int
    machine: MachineView[Any]
    actions: tuple[str, ...]
    shape: Shape

    def __deepcopy__(self, memo: object) -> Setting:
        """Itself: it never changes, and the game's view, which may be a module, cannot be copied."""
        return self

    def changed(self, options: Mapping[str, Any] | None) -> Setting:
        """For one match: `options` of a reset, of which "level" and "game_options" count and all others are ignored.

        Raises: Refused, also where actions or observations would become others.
        """
        wishes = options or {}
        if not wishes.keys() & {"level", "game_options"}:
            return self
        wanted = setting_of(
            self.game,
            seats=self.seats,
            level=wishes.get("level", self.level),
            game_options=wishes.get("game_options"),
        )
        if (wanted.actions, wanted.shape) != (self.actions, self.shape):
            raise Refused("expected options that leave actions and observations as they are; make another environment")
        return wanted


def setting_of(
    game: str | Game,
    *,
    seats: int | None = None,
    level: int | None = None,
    game_options: Mapping[str, int | str] | None = None,
) -> Setting:
    """`seats`: as many as on the ladder, if left out. `level`: the full game.

    Raises: UnknownGame, Refused.
    """
    whole = find_game(game) if isinstance(game, str) else game
    machine = whole.machine
    if machine is None:
        able = ", ".join(one.id for one in all_games().values() if one.machine is not None)
        raise Refused(f"expected a game with a machine view, one of {able}; got {whole.id}")
    chosen_seats = whole.ladder_entrants[0] * whole.team_seats if seats is None else seats
    if chosen_seats not in whole.seats:
        raise Refused(f"expected {' or '.join(map(str, whole.seats))} seats for {whole.title}; got {chosen_seats!r}")
    chosen_level = whole.top_level if level is None else level
    if chosen_level not in whole.levels:
        raise Refused(f"expected a level of {', '.join(map(str, whole.levels))}; got {chosen_level!r}")
    try:
        ready = whole.with_options(**(game_options or {}))
    except (TypeError, ValueError) as error:
        raise Refused(str(error)) from None
    state = ready.rules.setup(chosen_seats, ANY_SEED, chosen_level)
    return Setting(ready, chosen_seats, chosen_level, machine, tuple(machine.actions(state)), machine.shape(state))
