"""The check of a game's machine view: random matches, of which every turn is looked at, action by action."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from hexarena.cli.check.subject import SEED, CheckFailed, CheckSkipped, Subject, expect
from hexarena.games.contract import BadReply, Game, MachineView, Seat
from hexarena.games.referee import BadOutcome
from hexarena.games.rewards import of_leaving, of_the_end
from hexarena.games.shapes import Shape, misfits

SEEDS = (SEED, SEED + 1)
MOST_TRIED = 100
"""Actions of each kind, legal and not, that are tried of a seat in a turn."""


def machine(subject: Subject) -> None:
    """Legal actions are those that `parse` reads and `step` plays without a fault; observations fit their shape.

    Raises: CheckSkipped for a game without the view.
    """
    game = subject.game
    if game.machine is None:
        raise CheckSkipped("the game has no machine view")
    for seats in game.seats:
        for level in game.levels:
            first = game.rules.setup(seats, SEED, level)
            actions, shape = tuple(game.machine.actions(first)), game.machine.shape(first)
            _expect_replies(game, actions)
            for seed in SEEDS:
                _Match(game, game.machine, seats, level, seed, actions, shape).play()


def _expect_replies(game: Game, actions: Sequence[str]) -> None:
    expect(bool(actions), "expected actions; got none")
    expect(len(set(actions)) == len(actions), "expected each action once; some are there twice")
    for reply in actions:
        fits = isinstance(reply, str) and "\n" not in reply and len(reply.encode()) <= game.reply_bytes
        expect(fits, f"expected actions that are lines of at most {game.reply_bytes} bytes; got {reply!r}")


@dataclass
class _Match:
    """A match of random legal actions."""

    game: Game
    view: MachineView[Any]
    seats: int
    level: int
    seed: int
    actions: Sequence[str]
    shape: Shape
    left: dict[Seat, float] = field(default_factory=dict)

    def play(self) -> None:
        """Raises: CheckFailed."""
        random, rules = Random(self.seed), self.game.rules
        state = rules.setup(self.seats, self.seed, self.level)
        for turn in range(self.game.max_turns + 1):
            self._look(state, turn)
            acting = rules.to_act(state)
            if not acting:
                break
            legal = {seat: self.view.legal(state, seat) for seat in acting}
            chosen = {seat: self._read(state, seat, random.choice(legal[seat]), turn) for seat in acting}
            for seat in acting:
                self._try_all(state, seat, chosen, random, turn)
            state = rules.step(state, chosen, {})
            if rules.to_act(state):
                self.left |= of_leaving(self.game, state, self.left, self.seats)
        self._expect_places(state)

    def _look(self, state: Any, turn: int) -> None:
        """At the view of every seat, which changes nothing."""
        before, acting = pickle.dumps(state), self.game.rules.to_act(state)
        same = tuple(self.view.actions(state)) == tuple(self.actions) and self.view.shape(state) == self.shape
        expect(same, f"{self._where(turn)}: expected the actions and the shape of all matches of {self.seats} seats")
        for seat in range(self.seats):
            who = f"{self._where(turn)}, seat {seat}"
            for misfit in misfits(self.shape, self.view.observation(state, seat)):
                raise CheckFailed(f"{who}: {misfit}")
            legal = list(self.view.legal(state, seat))
            if seat not in acting:
                expect(not legal, f"{who} does not act: expected no legal actions; got {legal[:5]}")
                continue
            proper = sorted({action for action in legal if 0 <= action < len(self.actions)})
            expect(bool(legal), f"{who} acts: expected legal actions; got none")
            expect(legal == proper, f"{who}: expected legal actions that rise, from 0 on; got {legal[:5]}")
        expect(pickle.dumps(state) == before, f"{self._where(turn)}: the machine view changed the state")

    def _try_all(self, state: Any, seat: Seat, chosen: Mapping[Seat, Any], random: Random, turn: int) -> None:
        legal = set(self.view.legal(state, seat))
        others = [action for action in range(len(self.actions)) if action not in legal]
        for action in _some(sorted(legal), random):
            move = self._read(state, seat, action, turn)
            for objection in self._objections(state, seat, {**chosen, seat: move}):
                raise CheckFailed(f"{self._described(seat, action, turn)} is legal, but costs a fault: {objection}")
        for action in _some(others, random):
            try:
                move = self.game.protocol.parse(state, seat, self.actions[action])
            except BadReply:
                continue
            bad = any(self._objections(state, seat, {**chosen, seat: move}))
            expect(bad, f"{self._described(seat, action, turn)} is not legal, but is played without a fault")

    def _read(self, state: Any, seat: Seat, action: int, turn: int) -> Any:
        """The move of a legal action. Raises: CheckFailed."""
        try:
            return self.game.protocol.parse(state, seat, self.actions[action])
        except BadReply as bad:
            described = self._described(seat, action, turn)
            raise CheckFailed(f"{described} is legal, but parse refuses it: {bad.message}") from None

    def _objections(self, state: Any, seat: Seat, moves: Mapping[Seat, Any]) -> Iterator[str]:
        """What the rules report to the seat about its move: faults and warnings."""
        after = self.game.rules.step(state, moves, {})
        notes = self.game.rules.notes(after)
        yield from (note.message for note in notes if note.seat == seat and note.kind != "info")

    def _expect_places(self, state: Any) -> None:
        """Who was out is placed as it was reported."""
        outcome = self.game.rules.outcome(state)
        if outcome is None:
            raise CheckFailed(f"with {self.seats} seats, random actions come to no end in {self.game.max_turns} turns")
        try:
            of_the_end(self.game, outcome, self.left)
        except BadOutcome as bad:
            raise CheckFailed(f"with {self.seats} seats: {bad}") from None

    def _where(self, turn: int) -> str:
        return f"with {self.seats} seats, after turn {turn}"

    def _described(self, seat: Seat, action: int, turn: int) -> str:
        return f"{self._where(turn)}, seat {seat}: the action {action}, {self.actions[action]!r},"


def _some(actions: Sequence[int], random: Random) -> Sequence[int]:
    return actions if len(actions) <= MOST_TRIED else random.sample(actions, MOST_TRIED)
