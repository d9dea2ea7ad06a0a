"""Positions as text pictures: `.` dead, `#` alive, a to d the bots of team 0, e to h those of team 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hexarena.games.battlegrounds import rules
from hexarena.games.battlegrounds.life import is_alive
from hexarena.games.battlegrounds.state import PARACHUTE_CALLS, Move, Plan, State
from hexarena.games.contract import BotFault, Seat

LETTERS = "abcdefgh"
START_TURNS = 2
SEED = 11


def position(
    picture: str,
    *,
    hp: Mapping[str, int] | None = None,
    phase: str = "main",
    number: int = 0,
    seed: int = SEED,
    main_turns: int = 500,
) -> State:
    """The state before call `number` of a phase. Bots that are not in the picture went out in turn 1."""
    rows = picture.split()
    assert {len(row) for row in rows} == {len(rows)}, "boards are squares"
    text = "".join(rows)
    plan = Plan(len(LETTERS), seed, len(rows), START_TURNS, main_turns)
    state = rules.opening(plan, bytes(mark != "." for mark in text))
    places = tuple(text.index(letter) if letter in text else None for letter in LETTERS)
    return replace(
        state,
        turn=1 + PARACHUTE_CALLS + number + (START_TURNS if phase == "main" else 0),
        places=places,
        hp=tuple((hp or {}).get(letter, 4) for letter in LETTERS),
        gone=tuple(1 if place is None else None for place in places),
    )


def cells_of(state: State) -> bytes:
    """The board with a byte a cell, 1 or 0."""
    return bytes(is_alive(state.cells, cell) for cell in range(state.plan.size**2))


def picture(state: State) -> str:
    """The board as a picture, a line a row."""
    marks = ["#" if cell else "." for cell in cells_of(state)]
    for letter, place in zip(LETTERS, state.places, strict=True):
        if place is not None:
            assert is_alive(state.cells, place), "bots stand on live cells"
            marks[place] = letter
    size = state.plan.size
    return "\n".join("".join(marks[row : row + size]) for row in range(0, size * size, size))


def assert_shows(state: State, expected: str) -> None:
    assert picture(state) == "\n".join(expected.split())


def after(state: State, faults: Mapping[Seat, BotFault] | None = None, **actions: tuple[int, ...]) -> State:
    """A turn in which the named bots act, e.g. `a=(1, -3)`, and the others do nothing."""
    failed = faults or {}
    moves = {
        seat: Move(actions=actions.get(letter, ()))
        for seat, letter in enumerate(LETTERS)
        if state.gone[seat] is None and seat not in failed
    }
    return rules.step(state, moves, failed)


def hp_of(state: State, letter: str) -> int:
    return state.hp[LETTERS.index(letter)]
