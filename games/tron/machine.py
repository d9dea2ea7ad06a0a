"""Tron in numbers: an action for each direction, and the board as the seat sees it.

Seats are counted from the one that looks: it is 0 itself, the next seat is 1, and so on in a circle, so that one policy
can ride every cycle.
"""

from __future__ import annotations

from collections.abc import Sequence

from hexarena.games.contract import Json, Seat
from hexarena.games.shapes import Fields, Grid, Shape, Whole
from hexarena.games.tron.rules import FREE, WAYS, State, to_act

ACTIONS = tuple(WAYS)
NOWHERE = -1


def actions(state: State) -> Sequence[str]:
    """UP, DOWN, LEFT, RIGHT."""
    return ACTIONS


def legal(state: State, seat: Seat) -> Sequence[int]:
    """Every direction: riding into a wall is a bad move, not a fault."""
    return range(len(ACTIONS)) if seat in to_act(state) else ()


def shape(state: State) -> Shape:
    """`board`: [y][x] -> 0 free, 1 own trail, 2 the next seat's … `heads`: [seat] -> x and y, or twice NOWHERE for
    those who are out. `turn`: turns played. `seat`: the number of the one that looks, as texts have it.
    """
    seats = len(state.heads)
    longest = max(state.width, state.height)
    return Fields(
        {
            "board": Grid((state.height, state.width), 0, seats),
            "heads": Grid((seats, 2), NOWHERE, longest - 1),
            "turn": Whole(0, len(state.board) // 2),
            "seat": Whole(0, seats - 1),
        }
    )


def observation(state: State, seat: Seat) -> Json:
    """Everything: nothing is hidden."""
    seats = len(state.heads)
    around = [(seat + step) % seats for step in range(seats)]
    board = state.board.translate(_seen_from(seat, seats))
    rows = range(0, len(board), state.width)
    return {
        "board": [list(board[start : start + state.width]) for start in rows],
        "heads": [list(state.heads[one]) if state.out[one] is None else [NOWHERE, NOWHERE] for one in around],
        "turn": state.turn,
        "seat": seat,
    }


def out(state: State) -> Sequence[Seat]:
    """Who has crashed."""
    return [seat for seat, turn in enumerate(state.out) if turn is not None]


def _seen_from(seat: Seat, seats: int) -> bytes:
    """A table for `bytes.translate`: a seat plus 1 becomes its distance from the seat that looks, plus 1."""
    return bytes(FREE if not 1 <= value <= seats else (value - 1 - seat) % seats + 1 for value in range(256))
