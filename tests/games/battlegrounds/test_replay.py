"""A replay is complete: a reader that knows nothing but the format rebuilds every board of a match from it."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64decode
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hexarena.games.battlegrounds import replay, rules
from hexarena.games.battlegrounds.state import Move, Phase, Plan, State
from hexarena.games.contract import BotFault, IllegalMove, TimedOut
from tests.games.battlegrounds.pictures import cells_of
from tests.games.battlegrounds.test_life import slow_generation

STEPS = {1: (-1, -1), 2: (0, -1), 3: (1, -1), 4: (-1, 0), 6: (1, 0), 7: (-1, 1), 8: (0, 1), 9: (1, 1)}
Place = tuple[int, int]


class Reader:
    """What games/battlegrounds/replay.md says, and nothing of the game's own code."""

    def __init__(self, init: Mapping[str, Any], seats: int) -> None:
        self.size, self.phases = init["size"], (1 + init["chute"], init["start"])
        self.alive = self.unpacked(init["grid"])
        self.bots: dict[int, Place] = {}
        self.hp = dict.fromkeys(range(seats), 4)

    def unpacked(self, grid: str) -> set[Place]:
        bits = b64decode(grid)
        cells = range(self.size**2)
        return {(cell % self.size, cell // self.size) for cell in cells if bits[cell >> 3] >> (cell & 7) & 1}

    def read(self, turn: int, frame: Mapping[str, Any]) -> None:
        for seat in frame.get("rm", ()):
            self.alive.discard(self.bots.pop(seat, (-1, -1)))
        for seat, x, y in frame.get("land", ()):
            self.bots[seat] = (x, y)
            self.alive.add((x, y))
        for number in range(3):
            for seat, *actions in frame.get("a", ()):
                self.act(seat, actions[number] if number < len(actions) else 0)
        if turn > sum(self.phases):
            self.live(frame)

    def act(self, seat: int, action: int) -> None:
        if action == 0:
            return
        right, down = STEPS[abs(action)]
        x, y = self.bots[seat]
        target = ((x + right) % self.size, (y + down) % self.size)
        if action > 0:
            self.alive.discard((x, y))
            self.bots[seat] = target
        else:
            assert target not in self.alive
        self.alive.add(target)

    def live(self, frame: Mapping[str, Any]) -> None:
        self.alive = slow_generation(self.alive, self.size) | set(self.bots.values())
        for seat, x, y in frame.get("mv", ()):
            self.alive.discard(self.bots[seat])
            self.bots[seat] = (x, y)
        for seat, hp in frame.get("hp", ()):
            self.hp[seat] = hp
            if hp == 0:
                self.alive.discard(self.bots.pop(seat))
        self.alive |= {(x, y) for x, y in frame.get("g", ())}


def settlers(state: State, chance: Random) -> tuple[dict[int, Move], dict[int, BotFault]]:
    """Most sit in the middle of blinkers, others are lively; some replies are nonsense, and one bot is lost."""
    phase, number = state.plan.phase(state.turn)
    moves: dict[int, Move] = {}
    faults: dict[int, BotFault] = {}
    for seat in rules.to_act(state):
        if phase is Phase.PARACHUTE:
            moves[seat] = Move(aim=None if seat == 7 else (8 * seat % state.plan.size, 20 * (seat % 3)))
        elif seat in {1, 6} or phase is Phase.INIT:
            actions = tuple(chance.choice([-1, -2, -3, -4, -6, 1, 2, 3, 9, 0]) for _ in range(3))
            moves[seat] = Move(actions=actions, chat=chance.choice(["", "1", "hello"]))
        elif phase is Phase.START and number < 2:
            moves[seat] = Move(actions=(-4, -6))
        elif chance.random() < 0.1:
            faults[seat] = IllegalMove("nonsense")
        else:
            moves[seat] = Move()
    if phase is Phase.MAIN and number == 40 and 2 in moves:
        del moves[2]
        faults[2] = TimedOut("late")
    return moves, faults


def rebuilt(seed: int) -> set[str]:
    """Plays a match and rebuilds it; returns the keys that its frames had."""
    plan, chance = Plan(8, seed, 60, 3, 320), Random(seed)
    state = rules.opening(plan, bytes(chance.random() < 0.02 for _ in range(60 * 60)))
    reader = Reader(json.loads(json.dumps(replay.header(state))), 8)
    seen: set[str] = set()
    while rules.to_act(state):
        state = rules.step(state, *settlers(state, chance))
        frame = json.loads(json.dumps(replay.frame(state)))
        seen |= frame.keys()
        reader.read(state.turn, frame)
        assert len(reader.alive) == frame["pop"]
        assert {plan.cell(x, y) for x, y in reader.alive} == {
            cell for cell, alive in enumerate(cells_of(state)) if alive
        }
        assert reader.bots == {seat: plan.place(cell) for seat, cell in enumerate(state.places) if cell is not None}
        if "k" in frame:
            assert reader.unpacked(frame["k"]["grid"]) == reader.alive
            assert frame["k"]["bots"] == [
                [*reader.bots[seat], reader.hp[seat]] if seat in reader.bots else None for seat in range(8)
            ]
    return seen


@pytest.mark.long
def test_every_board_can_be_rebuilt_from_the_frames() -> None:
    seen = set().union(*(rebuilt(seed) for seed in range(6)))
    everything = {"aim", "land", "a", "mv", "hp", "rm", "z", "g", "c", "pop", "k"}
    assert seen == everything, "these matches show all that frames can hold"


def test_a_choice_that_is_withdrawn_is_shown_as_null() -> None:
    state = rules.step(rules.setup(8, 1, 1, size=30), {}, {})
    chosen = rules.step(state, {3: Move(aim=(4, 5)), 2: Move()}, {})
    assert replay.frame(chosen)["aim"] == [[3, 4, 5]]
    assert "aim" not in replay.frame(rules.step(chosen, {3: Move(aim=(4, 5))}, {}))
    assert replay.frame(rules.step(chosen, {3: Move()}, {}))["aim"] == [[3, None, None]]


ELSEWHERE = """
import hashlib, json
from random import Random
from hexarena.games.battlegrounds import protocol, replay, rules
from hexarena.games.battlegrounds.board import first_board
from hexarena.games.battlegrounds.state import Plan
from tests.games.battlegrounds.test_replay import settlers
chance, digest = Random(0), hashlib.sha256(first_board(21, 500))
state = rules.opening(Plan(8, 0, 60, 3, 130), bytes(chance.random() < 0.02 for _ in range(60 * 60)))
while rules.to_act(state):
    for seat in rules.to_act(state):
        digest.update(protocol.prompt(state, seat, state.turn == 0).encode())
    state = rules.step(state, *settlers(state, chance))
    digest.update(json.dumps([replay.frame(state), rules.outcome(state) is None]).encode())
print(state.turn, digest.hexdigest())
"""


@pytest.mark.long
def test_other_hash_seeds_give_the_same_match() -> None:
    """Boards, landings, orders, red zones and prompts: nothing depends on how a process hashes."""
    seen = {
        subprocess.run(
            [sys.executable, "-c", ELSEWHERE],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(Path(__file__).parents[3])},
        ).stdout
        for hash_seed in ("0", "1", "7")
    }
    (line,) = seen
    assert int(line.split()[0]) == 144, "to the last turn, with a red zone"
