"""The referee: the only turn loop in the project. It plays a match of any game through the game interface.

Theory of operation: ask the rules who acts; prompt each of those seats, one after the other (a seat that waits is
frozen by its channel, so bots never compete for the CPU); read the replies; give moves and faults to the rules
together; repeat until nobody acts. A `BotFault` is recorded as the bot's. Any other exception propagates: the
caller then makes the match void.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from hexarena.games.contract import BadReply, BotFault, Channel, FaultKind, Game, Json, Note, Outcome, Seat


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in the match's record. `kind` "warning": an error that the rules forgave."""

    seat: Seat
    turn: int
    kind: FaultKind | Literal["warning"]
    message: str


class Exchange(NamedTuple):
    """One seat's part of one turn. `reply` None: there was none in time; its times are those until the fault."""

    seat: Seat
    prompt: str
    reply: str | None
    stderr: str = ""
    cpu_s: float = 0.0
    wall_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Turn:
    """One round of asking: `number` counts from 1; `frame` is its picture, with `t` and the messages of the rules."""

    number: int
    exchanges: tuple[Exchange, ...]
    faults: tuple[Fault, ...]
    frame: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Record:
    """Everything that the referee recorded. Seed, league and replies are enough to recompute every frame."""

    game: str
    version: str
    seed: int
    league: int
    seats: int
    header: Json
    turns: tuple[Turn, ...]
    outcome: Outcome

    @property
    def faults(self) -> tuple[Fault, ...]:
        """All faults in order, warnings included."""
        return tuple(fault for turn in self.turns for fault in turn.faults)

    @property
    def digest(self) -> str:
        """A hash that is equal for matches that are equal, reply by reply: 64 hexadecimal digits."""
        replies = [[exchange.reply for exchange in turn.exchanges] for turn in self.turns]
        return hashlib.sha256(json.dumps([self.header, replies]).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Opening:
    """The first thing that `rounds` yields: the replay's header, before anybody was asked."""

    header: Json


Event: TypeAlias = Opening | Turn | Outcome


class EndlessGame(RuntimeError):
    """The rules exceed the game's own `max_turns`: a bug in the game, never a bot's fault."""


class BadOutcome(RuntimeError):
    """The rules' outcome is none that the arena can count: a bug in the game."""


def play(
    game: Game, channels: Sequence[Channel], *, seed: int, league: int, watch: Callable[[Event], None] | None = None
) -> Record:
    """Plays one match to its end. `watch` sees each event as it happens.

    Raises: any exception that is our own fault; never for what a bot does.
    """
    header: Json = None
    turns: list[Turn] = []
    for event in rounds(game, channels, seed=seed, league=league):
        if watch is not None:
            watch(event)
        if isinstance(event, Opening):
            header = event.header
        elif isinstance(event, Turn):
            turns.append(event)
        else:
            return Record(game.id, game.version, seed, league, len(channels), header, tuple(turns), event)
    raise EndlessGame(f"{game.id} stopped without an outcome")


def rounds(game: Game, channels: Sequence[Channel], *, seed: int, league: int) -> Iterator[Event]:
    """A match as it happens: an Opening, then the turns, then the Outcome."""
    rules = game.rules
    state = rules.setup(len(channels), seed, league)
    yield Opening(game.replay.header(state))
    asked: set[Seat] = set()
    number = 0
    while seats := rules.to_act(state):
        number += 1
        if number > game.max_turns:
            raise EndlessGame(f"{game.id} asks for turn {number}, but says that {game.max_turns} is the last")
        exchanges, moves, faults = _ask_all(game, channels, state, seats, asked)
        asked.update(seats)
        state = rules.step(state, moves, faults)
        notes = rules.notes(state)
        yield Turn(number, exchanges, _written_down(notes, number, faults), _frame(game, state, number, notes))
    outcome = rules.outcome(state)
    if outcome is None:
        raise EndlessGame(f"{game.id} asks nobody, but has no outcome")
    _check_outcome(game, outcome, len(channels))
    yield outcome


def _check_outcome(game: Game, outcome: Outcome, seats: int) -> None:
    """Raises: BadOutcome. Ratings and tables could not count it."""
    if not len(outcome.ranks) == len(outcome.scores) == seats:
        raise BadOutcome(f"{game.id} has an outcome of {len(outcome.ranks)} ranks and {len(outcome.scores)} scores")
    if not all(math.isfinite(score) for score in outcome.scores):
        raise BadOutcome(f"{game.id} has an outcome with the scores {outcome.scores}: expected finite numbers")
    if min(outcome.ranks) != 0 or max(outcome.ranks) >= seats:
        raise BadOutcome(f"{game.id} has an outcome with the ranks {outcome.ranks}: expected places from 0")


def _ask_all(
    game: Game, channels: Sequence[Channel], state: Any, seats: Sequence[Seat], asked: set[Seat]
) -> tuple[tuple[Exchange, ...], dict[Seat, Any], dict[Seat, BotFault]]:
    """All prompts are of the state at the start of the turn; replies are parsed after all were asked."""
    exchanges: list[Exchange] = []
    replies: dict[Seat, str] = {}
    faults: dict[Seat, BotFault] = {}
    for seat in seats:
        first = seat not in asked
        prompt = game.protocol.prompt(state, seat, first)
        try:
            reply = channels[seat].ask(prompt, game.clock.first_s if first else game.clock.turn_s)
        except BotFault as fault:
            faults[seat] = fault
            exchanges.append(Exchange(seat, prompt, None, channels[seat].log(), fault.cpu_s, fault.wall_s))
        else:
            replies[seat] = reply.line
            exchanges.append(Exchange(seat, prompt, reply.line, reply.stderr, reply.cpu_s, reply.wall_s))
    moves, bad_replies = read_replies(game, state, replies)
    return tuple(exchanges), moves, faults | bad_replies


def replayed(game: Game, channels: Sequence[Channel], turns: int, *, seed: int, league: int) -> Any:
    """The rules' state after so many turns, in which the channels reply as they did."""
    state = game.rules.setup(len(channels), seed, league)
    asked: set[Seat] = set()
    for _ in range(turns):
        seats = game.rules.to_act(state)
        _, moves, faults = _ask_all(game, channels, state, seats, asked)
        asked.update(seats)
        state = game.rules.step(state, moves, faults)
    return state


def read_replies(game: Game, state: Any, replies: Mapping[Seat, str]) -> tuple[dict[Seat, Any], dict[Seat, BotFault]]:
    """What lines mean: moves, and faults of lines that cannot be read. A seat is in both if part of its line acts."""
    moves: dict[Seat, Any] = {}
    faults: dict[Seat, BotFault] = {}
    for seat, line in replies.items():
        try:
            moves[seat] = game.protocol.parse(state, seat, line)
        except BadReply as fault:
            faults[seat] = fault
            if fault.partial is not None:
                moves[seat] = fault.partial
    return moves, faults


def _written_down(notes: Sequence[Note], number: int, faults: Mapping[Seat, BotFault]) -> tuple[Fault, ...]:
    """A fault that the rules repeat as a warning is one that they forgave."""
    if not notes and not faults:
        return ()
    warnings = [note for note in notes if note.kind == "warning"]
    forgiven = {(note.seat, note.message) for note in warnings}
    fatal = tuple(
        Fault(seat, number, fault.kind, fault.message)
        for seat, fault in sorted(faults.items())
        if (seat, fault.message) not in forgiven
    )
    return fatal + tuple(Fault(note.seat, number, "warning", note.message) for note in warnings)


def _frame(game: Game, state: Any, number: int, notes: Sequence[Note]) -> Mapping[str, Json]:
    frame: dict[str, Json] = {"t": number, **game.replay.frame(state)}
    if notes:
        frame["notes"] = [[note.seat, note.kind, note.message] for note in notes]
    return frame
