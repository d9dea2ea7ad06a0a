"""Conway's Battlegrounds as pictures: the first board, then what each turn did; replay.md describes it.

The viewer runs Life itself. The population of each turn is its check, and keyframes let it jump.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping

from hexarena.games.battlegrounds.board import Place
from hexarena.games.battlegrounds.life import population
from hexarena.games.battlegrounds.state import PARACHUTE_CALLS, Cell, Phase, Plan, State
from hexarena.games.contract import Json, Seat

KEY_TURNS_A_SEAT = 18
"""Main turns from one keyframe to the next, for each seat: as dense as 250 kB for a match of 2,000 turns with active
bots allow. The more bots there are, the less space their actions leave for keyframes."""


def header(state: State) -> Json:
    """The board before anybody is on it, and how long the phases are."""
    plan = state.plan
    return {
        "size": plan.size,
        "grid": _grid(state),
        "chute": PARACHUTE_CALLS,
        "start": plan.start_turns,
        "main": plan.main_turns,
    }


def frame(state: State) -> Mapping[str, Json]:
    """What the turn did, each kind of event only if there are any; and the population."""
    plan, events = state.plan, state.events
    found: dict[str, Json] = {
        "aim": [[seat, *_choice(state.aims[seat])] for seat in events.aimed],
        "land": _placed(plan, events.landed),
        "a": [[seat, *actions] for seat, actions in events.acted],
        "mv": _placed(plan, events.carried),
        "hp": [[seat, state.hp[seat]] for seat in events.hurt],
        "rm": [seat for seat, _ in events.removed],
        "z": [] if state.zone is None else [*plan.place(state.zone.middle), state.zone.age],
        "g": [list(plan.place(cell)) for cell in events.born],
        "c": [list(chat) for chat in events.chats],
    }
    shown = {key: value for key, value in found.items() if value}
    shown["pop"] = population(state.cells)
    if _is_key(state):
        shown["k"] = {"grid": _grid(state), "bots": [_bot(state, seat) for seat in range(plan.seats)]}
    return shown


def _is_key(state: State) -> bool:
    """With 8 seats after the main turns 144, 288 and so on, but the last."""
    plan = state.plan
    phase, number = plan.phase(state.turn)
    return phase is Phase.MAIN and 0 < number < plan.main_turns and number % (KEY_TURNS_A_SEAT * plan.seats) == 0


def _grid(state: State) -> str:
    return b64encode(state.cells).decode("ascii")


def _placed(plan: Plan, seats: Iterable[tuple[Seat, Cell]]) -> list[Json]:
    return [[seat, *plan.place(cell)] for seat, cell in seats]


def _choice(aim: Place | None) -> tuple[int | None, int | None]:
    return aim or (None, None)


def _bot(state: State, seat: Seat) -> Json:
    cell = state.places[seat]
    return None if cell is None else [*state.plan.place(cell), state.hp[seat]]
