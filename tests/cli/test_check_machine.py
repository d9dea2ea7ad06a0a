"""`hexarena check` on machine views: sound ones pass, and each kind of mistake is found and named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from hexarena.cli.check.machine import machine
from hexarena.cli.check.subject import CheckFailed, CheckSkipped, Subject
from hexarena.games.catalogue import find_game, game_folder
from hexarena.games.contract import BotFault, Game, Json, Note, Seat
from hexarena.games.manifest import problems
from hexarena.games.shapes import Shape, Whole
from tests.environments.countdown import GAME, Countdown, State


def check(game: Game) -> None:
    machine(Subject(game, Path(), Path()))


@pytest.mark.parametrize("game", [find_game("yavalath"), find_game("tron"), GAME], ids=lambda one: one.id)
def test_sound_views_pass(game: Game) -> None:
    check(game)


def test_a_game_without_a_view_is_not_said_to_pass() -> None:
    with pytest.raises(CheckSkipped, match="no machine view"):
        check(find_game("ants"))


class OneMore(Countdown):
    def legal(self, state: State, seat: Seat) -> Sequence[int]:
        return range(3) if seat in self.to_act(state) else ()


class OneLess(Countdown):
    def legal(self, state: State, seat: Seat) -> Sequence[int]:
        return range(min(2, state.counts[seat])) if seat in self.to_act(state) else ()


class AlwaysLegal(Countdown):
    def legal(self, state: State, seat: Seat) -> Sequence[int]:
        return range(min(3, state.counts[seat]))


class NeverLegal(Countdown):
    def legal(self, state: State, seat: Seat) -> Sequence[int]:
        return ()


class Falling(Countdown):
    def legal(self, state: State, seat: Seat) -> Sequence[int]:
        return [*super().legal(state, seat)][::-1]


class Beyond(Countdown):
    def legal(self, state: State, seat: Seat) -> Sequence[int]:
        return [*super().legal(state, seat), 3] if seat in self.to_act(state) else ()


class Twice(Countdown):
    def actions(self, state: State) -> Sequence[str]:
        return ("1", "2", "3", "1")


class TwoLines(Countdown):
    def actions(self, state: State) -> Sequence[str]:
        return ("1\n", "2", "3")


class Fewer(Countdown):
    def actions(self, state: State) -> Sequence[str]:
        return ("1", "2", "3")[: 3 - state.turn]


class Narrow(Countdown):
    def shape(self, state: State) -> Shape:
        shape = super().shape(state)
        return replace(shape, parts={**shape.parts, "own": Whole(0, 4)})


class OfTheSeed(Countdown):
    def shape(self, state: State) -> Shape:
        shape = super().shape(state)
        return replace(shape, parts={**shape.parts, "own": Whole(0, max(state.counts[0], 6) + state.counts[0] % 2)})


class NoNumber(Countdown):
    def observation(self, state: State, seat: Seat) -> Json:
        return {**super().observation(state, seat), "own": float(state.counts[seat])}


class FirstOut(Countdown):
    """A seat that has little left is called out, but may come back into it."""

    def out(self, state: State) -> Sequence[Seat]:
        return [seat for seat, count in enumerate(state.counts) if count < 4]


class Warned(Countdown):
    """The rules forgive what the view calls legal."""

    def step(self, state: State, moves: Mapping[Seat, int], faults: Mapping[Seat, BotFault]) -> State:
        self.warned = [seat for seat, move in moves.items() if move == 3]
        return super().step(state, moves, faults)

    def notes(self, state: State) -> Sequence[Note]:
        return [Note(seat, "too greedy", "warning") for seat in self.warned]


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (OneMore, "'3', is legal, but parse refuses it: expected at most"),
        (OneLess, "the action 2, '3', is not legal, but is played without a fault"),
        (AlwaysLegal, "does not act: expected no legal actions; got [0, 1, 2]"),
        (NeverLegal, "seat 0 acts: expected legal actions; got none"),
        (Falling, "expected legal actions that rise, from 0 on; got [2, 1, 0]"),
        (Beyond, "expected legal actions that rise, from 0 on; got [0, 1, 2, 3]"),
        (Twice, "expected each action once"),
        (TwoLines, r"expected actions that are lines of at most 9999 bytes; got '1\n'"),
        (Fewer, "after turn 1: expected the actions and the shape of all matches of 2 seats"),
        (Narrow, "seat 0: expected the observation.own to be an integer from 0 to 4; got 6"),
        (OfTheSeed, "expected the actions and the shape of all matches"),
        (NoNumber, "expected the observation.own to be an integer from 0 to 6; got 6.0"),
        (FirstOut, "countdown said that seat"),
        (Warned, "the action 2, '3', is legal, but costs a fault: too greedy"),
    ],
)
def test_a_broken_view_is_found(broken: type[Countdown], says: str) -> None:
    game = broken()
    with pytest.raises(CheckFailed) as found:
        check(replace(GAME, rules=game, protocol=game, replay=game, machine=game))
    assert says in str(found.value)


def test_a_view_that_lacks_a_function_is_a_problem_of_the_manifest() -> None:
    tron = find_game("tron")
    half = replace(tron, machine=tron.rules)
    found = problems(half, "tron", game_folder("tron"))
    assert found == [
        f"expected machine.{name}, a function; got none" for name in ("actions", "legal", "shape", "observation", "out")
    ]
