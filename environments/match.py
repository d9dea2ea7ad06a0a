"""A match of actions and observations: the referee's own turns, with an action in place of a bot's line.

An action is the reply that it stands for: the game's `parse` reads it, and what is wrong with it is a fault with all
consequences. The record of a match is that of `hexarena match` with the same replies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from typing import SupportsIndex

from hexarena.environments.setting import Setting
from hexarena.games.contract import Channel, Json, Outcome, Reply, Seat
from hexarena.games.lines import Player, end_line, header_line, turn_line
from hexarena.games.referee import OpenMatch, Record, Turn
from hexarena.games.rewards import of_leaving, of_the_end


class Directed:
    """A seat whose reply is set before it is asked."""

    line = ""

    def ask(self, prompt: str, seconds: float) -> Reply:
        """The line, which took no time."""
        return Reply(self.line)

    def log(self) -> str:
        """Nothing."""
        return ""


class TypedMatch:
    """One match. `acting`: who acts next, nobody after the end. `left`: seat -> its reward, of all who are out."""

    def __init__(self, setting: Setting, *, seed: int, bots: Mapping[Seat, Channel] | None = None) -> None:
        """`bots`: seats that reply by themselves; all others are directed by `play`."""
        self._setting, self.seed = setting, seed
        self._directed = {seat: Directed() for seat in range(setting.seats) if seat not in (bots or {})}
        channels: list[Channel] = [{**self._directed, **(bots or {})}[seat] for seat in range(setting.seats)]
        self._match = OpenMatch(setting.game, channels, seed=seed, league=setting.level)
        self.acting: tuple[Seat, ...] = tuple(self._match.to_act())
        self.turns: list[Turn] = []
        self.left: dict[Seat, float] = {}
        self.outcome: Outcome | None = None

    def play(self, actions: Mapping[Seat, SupportsIndex]) -> Mapping[Seat, float]:
        """Plays a turn. `actions`: of each directed seat in `acting`, no others. Seat -> reward, of all who leave.

        Raises: ValueError, for a missing action or a number that is none; BadOutcome, where the game's `out` placed a
        seat otherwise than its outcome.
        """
        for seat in self.acting:
            if seat in self._directed:
                self._directed[seat].line = self._reply(seat, actions)
        self.turns.append(self._match.play_turn(self.acting))
        self.acting = tuple(self._match.to_act())
        game, state = self._setting.game, self._match.state
        leaving = of_leaving(game, state, self.left, self._setting.seats) if self.acting else self._ended()
        self.left |= leaving
        return leaving

    def _reply(self, seat: Seat, actions: Mapping[Seat, SupportsIndex]) -> str:
        if seat not in actions:
            raise ValueError(f"expected an action for seat {seat}, which acts; got none")
        replies, action = self._setting.actions, actions[seat]
        try:
            number = index(action)
        except TypeError:
            number = -1
        if not 0 <= number < len(replies):
            raise ValueError(f"expected an action from 0 to {len(replies) - 1} for seat {seat}; got {action!r}")
        return replies[number]

    def _ended(self) -> dict[Seat, float]:
        self.outcome = self._match.outcome()
        return of_the_end(self._setting.game, self.outcome, self.left)

    def observation(self, seat: Seat) -> Json:
        """What the seat knows."""
        return self._setting.machine.observation(self._match.state, seat)

    def legal(self, seat: Seat) -> Sequence[int]:
        """Its legal actions; none where it does not act."""
        return self._setting.machine.legal(self._match.state, seat)

    def faults(self) -> Mapping[Seat, str]:
        """What was wrong in the last turn: seat -> message, warnings included."""
        return {fault.seat: fault.message for fault in self.turns[-1].faults} if self.turns else {}

    def record(self) -> Record | None:
        """All that the referee wrote down, once the match is over."""
        if self.outcome is None:
            return None
        game, header = self._setting.game, self._match.header
        seats, level = self._setting.seats, self._setting.level
        return Record(game.id, game.version, self.seed, level, seats, header, tuple(self.turns), self.outcome)

    def lines(self, players: Sequence[Player]) -> list[str]:
        """The replay so far."""
        game, level = self._setting.game, self._setting.level
        opening = header_line(game, self._match.header, seed=self.seed, league=level, players=players)
        ending = [] if self.outcome is None else [end_line(self.outcome)]
        return [opening, *map(turn_line, self.turns), *ending]

    def last_lines(self, players: Sequence[Player]) -> list[str]:
        """The replay's lines since the last turn began: the header, before the first one."""
        ending = [] if self.outcome is None else [end_line(self.outcome)]
        return [turn_line(self.turns[-1]), *ending] if self.turns else self.lines(players)
