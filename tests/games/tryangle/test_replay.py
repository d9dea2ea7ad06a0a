"""Replays: a reader that knows only what games/tryangle/replay.md says finds every state."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from hexarena.games.contract import Seat
from hexarena.games.tryangle import replay, rules
from hexarena.games.tryangle.board import NOBODY
from hexarena.games.tryangle.land import Pair, Pairs, members
from hexarena.games.tryangle.rules import State
from tests.games.tryangle.pictures import BOWTIE, after, bowtie, bowtie_picture, figure


class Reader:
    """A board that is drawn from a header and frames."""

    def __init__(self, header: Any) -> None:
        self.paths = {tuple(path) for path in header["paths"]}
        self.units = [list(counts) for counts in header["units"]]
        self.codes = {tuple(corners): code for *corners, code in header["triangles"]}
        self.scores = list(header["s"])

    def read(self, frame: Any) -> None:
        before = sorted(self.codes)
        neighbours = [self._neighbours(house) for house in range(len(self.units[0]))]
        for seat, triangle, house, killed in frame.get("a", []):
            self._pay(seat, before[triangle])
            assert self.units[1 - seat][house] == killed
            self.units[1 - seat][house] = 0
        for seat, text in enumerate(frame.get("m", [])):
            arrived = [0] * len(self.units[seat])
            for house, group in enumerate(text.split(",")):
                for character in group:
                    self.units[seat][house] -= 1
                    arrived[neighbours[house][ord(character) - 48]] += 1
                assert self.units[seat][house] >= 0
            self.units[seat] = [a + b for a, b in zip(self.units[seat], arrived, strict=True)]
        for seat, _, house in frame.get("n", []):
            self.units[seat][house] += 1
        for key, change in (("p", self.paths.add), ("r", self.paths.discard)):
            for seat, triangle, a, b in frame.get(key, []):
                self._pay(seat, before[triangle])
                change((min(a, b), max(a, b)))
        for seat, house, units in frame.get("k", []):
            assert self.units[seat][house] == units
            self.units[seat][house] = 0
        for position in frame.get("g", []):
            del self.codes[before[position]]
        self.codes |= {tuple(corners): 3 for corners in frame.get("w", [])}
        now = sorted(self.codes)
        changed = frame.get("o", "")
        for position, code in zip(changed[::2], changed[1::2], strict=True):
            self.codes[now[ord(position) - 48]] = int(code)
        self.scores = [a + b for a, b in zip(self.scores, frame.get("s", [0, 0]), strict=True)]

    def _neighbours(self, house: int) -> list[int]:
        return sorted({a + b - house for a, b in self.paths if house in (a, b)})

    def _pay(self, seat: Seat, corners: tuple[int, ...]) -> None:
        for corner in corners:
            self.units[seat][corner] -= min(1, self.units[seat][corner])

    def assert_shows(self, state: State) -> None:
        assert sorted(path for path in self.paths if path[0] != path[1]) == pairs(state, state.network.paths)
        assert self.units == [list(counts) for counts in state.units]
        assert list(self.scores) == list(state.scores)
        assert sorted(self.codes) == [one.corners for one in state.triangles]
        for one in state.triangles:
            code = self.codes[one.corners]
            owner, may_capture = (code - 4, 2 if code == 4 else 1) if code >= 4 else (NOBODY, code)
            assert (owner, may_capture) == (one.owner, one.may_capture)


def through_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


def pairs(state: State, chosen: Pairs) -> list[Pair]:
    return [state.land.pairs[index] for index in members(chosen)]


def some_line(state: State, seat: Seat, random: Random) -> str:
    """Commands that are often possible: moves of what is there, uses of what is owned."""
    commands = []
    for one in state.triangles:
        if one.owner == seat and random.random() < 0.7:
            a, b, c = random.sample(one.corners, 3)
            linkable = [sum(pair) - a for pair in pairs(state, state.network.linkable) if a in pair]
            house = random.choice([*members(state.network.neighbours[a]), *linkable, a])
            kind = random.choice(["SPAWN", "ATTACK", "ADD_PATH", "REMOVE_PATH"])
            commands.append(f"{kind} {a} {b} {c}" + f" {house}" * (kind != "SPAWN"))
    for house, count in enumerate(state.units[seat]):
        for _ in range(count):
            if random.random() < 0.3 and state.network.neighbours[house]:
                near = random.choice(list(members(state.network.neighbours[house])))
                commands.append(f"MOVE {house} {near} {random.randint(1, 2)}")
    random.shuffle(commands)
    return ";".join(commands) or "MSG nothing to do"


def watch(state: State, random: Random) -> set[str]:
    """Plays to the end and reads every frame. Returns the keys that there were."""
    reader = Reader(through_json(replay.header(state)))
    reader.assert_shows(state)
    keys: set[str] = set()
    while rules.to_act(state):
        state = after(state, *(some_line(state, seat, random) for seat in (0, 1)))
        frame = through_json(replay.frame(state))
        keys |= frame.keys()
        reader.read(frame)
        reader.assert_shows(state)
    return keys


@pytest.mark.long
def test_a_reader_of_the_format_finds_every_state() -> None:
    """On real maps, and where units are so many that attacks and paths are paid for all the time."""
    crowded = figure(bowtie_picture("a5/b4 b5 a9 b9/a2 a5 b5"), BOWTIE)
    keys: set[str] = set()
    for seed in range(10):
        keys |= watch(rules.setup(2, seed, 4), Random(seed))
        keys |= watch(rules.opening(crowded, 4), Random(seed))
    assert keys == {"a", "m", "n", "p", "r", "k", "g", "w", "o", "s", "msg"}


def test_quiet_turns_are_small() -> None:
    state = after(after(bowtie("a1 b1 a1 b1 a1 b1")))
    assert replay.frame(state) == {"s": [1, 1]}


def test_moves_are_positions_among_the_neighbours() -> None:
    """One unit to the lowest neighbour and one to the next, from house 2."""
    state = after(bowtie("a1 b1 a3 b1 a1 b1"), "MOVE 2 0 1;MOVE 2 3 1", "MSG hello")
    assert replay.frame(state) == {
        "m": [",,01", ""],
        "o": "04",
        "s": [1, 0],
        "msg": ["", "hello"],
    }
