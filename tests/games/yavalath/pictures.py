"""Positions as text: X are the stones of seat 0, O those of seat 1, dots are empty."""

from __future__ import annotations

from hexarena.games.yavalath import rules
from hexarena.games.yavalath.rules import CELL_AT, PLACES, State

_STONES = str.maketrans(".XO", "012")


def position(picture: str, *, turn: int, last: tuple[int, int] | None = None) -> State:
    """`turn` says who is to move: seat 0 in even turns."""
    board = "".join(picture.split()).translate(_STONES)
    assert len(board) == len(PLACES)
    return State(board, turn, None if last is None else CELL_AT[last])


def with_stones(*places: tuple[int, int], turn: int = 6) -> State:
    """Stones of seat 0 on an otherwise empty board, with seat 0 to move."""
    board = ["0"] * len(PLACES)
    for place in places:
        board[CELL_AT[place]] = "1"
    return State("".join(board), turn)


def played(*places: tuple[int, int]) -> State:
    """The match after these moves, from the start."""
    state = State()
    for place in places:
        state = rules.step(state, {rules.to_act(state)[0]: CELL_AT[place]}, {})
    return state
