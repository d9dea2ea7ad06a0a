"""Yavalath in numbers: an action for each cell, and the board as the seat sees it."""

from __future__ import annotations

from collections.abc import Sequence

from hexarena.games.contract import Json, Seat
from hexarena.games.shapes import Fields, Grid, Shape, Whole
from hexarena.games.yavalath.protocol import seen_by
from hexarena.games.yavalath.rules import PLACES, State, may_take, to_act

ACTIONS = tuple(f"{x} {y}" for x, y in PLACES)
NO_CELL = -1
MOST_TURNS = len(PLACES) + 1
"""A stone on each cell, and one that was taken over."""
SHAPE = Fields(
    {
        "board": Grid((len(PLACES),), 0, 2),
        "last": Whole(NO_CELL, len(PLACES) - 1),
        "turn": Whole(0, MOST_TURNS),
        "seat": Whole(0, 1),
    }
)


def actions(state: State) -> Sequence[str]:
    """Action i names the cell i."""
    return ACTIONS


def legal(state: State, seat: Seat) -> Sequence[int]:
    """The cells that the seat to act may name, in turn 1 the stone just placed, too."""
    return [cell for cell in range(len(PLACES)) if may_take(state, cell)] if seat in to_act(state) else ()


def shape(state: State) -> Shape:
    """`board`: cell -> 0 empty, 1 own stone, 2 the other's. `last`: the cell named last, or NO_CELL.

    `turn`: turns played. `seat`: the one that looks.
    """
    return SHAPE


def observation(state: State, seat: Seat) -> Json:
    """Everything: nothing is hidden."""
    return {
        "board": [int(stone) for stone in seen_by(seat, state.board)],
        "last": NO_CELL if state.last is None else state.last,
        "turn": state.turn,
        "seat": seat,
    }


def out(state: State) -> Sequence[Seat]:
    """Nobody before the end."""
    return ()
