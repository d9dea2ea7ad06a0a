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

from hexarena.games.contract import (
    BadReply,
    BotFault,
    Channel,
    FaultKind,
    Game,
    GameError,
    Json,
    Note,
    Outcome,
    Seat,
    all_of_it,
    none_left,
    tells_nothing,
)

HIDDEN = "hidden"
"""The key, in a frame or in a header, of what not everybody may see before the end: seat, or NOBODY -> value."""
NOBODY = "nobody"
RESERVED = frozenset(("t", "notes", "faults", "cpu", "left", HIDDEN, "end", "v"))
"""Keys of a frame that are the arena's own."""


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
        return self._digest(all_of_it)

    def moves_digest(self, game: Game) -> str:
        """A hash that is equal for matches that are equal but for what bots only show: 64 hexadecimal digits."""
        return self._digest(game.without_message)

    def _digest(self, of_reply: Callable[[str], str]) -> str:
        replies = [
            [None if exchange.reply is None else of_reply(exchange.reply) for exchange in turn.exchanges]
            for turn in self.turns
        ]
        return hashlib.sha256(json.dumps([self.header, replies]).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Opening:
    """The first thing that `rounds` yields: the replay's header, before anybody was asked."""

    header: Json


Event: TypeAlias = Opening | Turn | Outcome


class EndlessGame(GameError):
    """The rules exceed the game's own `max_turns`."""


class BadFrame(GameError):
    """The game's frame has a key that the arena uses itself: a bug in the game."""


class BadText(GameError):
    """What the game's `prompt` or `tell` gives is no text of whole lines: a bug in the game."""


class BadSeat(GameError):
    """The rules ask a seat that the match does not have: a bug in the game."""


class BadOutcome(GameError):
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
    match = OpenMatch(game, channels, seed=seed, league=league)
    yield Opening(match.header)
    while seats := match.to_act():
        yield match.play_turn(seats)
    yield match.outcome()


class OpenMatch:
    """A match before its next turn, for callers that do something between the turns. `rounds` is its only loop.

    `state`: the rules' own. `number`: turns played.
    """

    def __init__(self, game: Game, channels: Sequence[Channel], *, seed: int, league: int) -> None:
        self._game = game
        self._seats = len(channels)
        self._asking = _Asking(game, channels)
        self._left: dict[Seat, int] = {}
        self.state: Any = game.rules.setup(self._seats, seed, league)
        self.header: Json = _header(game, self.state)
        self.number = 0

    def to_act(self) -> Sequence[Seat]:
        """Who is asked in the next turn; nobody, once the match is over."""
        return self._game.rules.to_act(self.state)

    def play_turn(self, seats: Sequence[Seat]) -> Turn:
        """Asks these seats, which are those of `to_act`. Raises: GameError."""
        game = self._game
        self.number += 1
        if self.number > game.max_turns:
            raise EndlessGame(f"{game.id} asks for turn {self.number}, but says that {game.max_turns} is the last")
        exchanges, moves, faults = self._asking.ask_all(self.state, seats)
        self.state = game.rules.step(self.state, moves, faults)
        self._asking.tell_all(self.state)
        notes = game.rules.notes(self.state)
        frame = _frame(game, self.state, self.number, notes, _newly_left(game, self.state, self._left))
        return Turn(self.number, exchanges, _written_down(notes, self.number, faults), frame)

    def outcome(self) -> Outcome:
        """How the match ended. Raises: EndlessGame, if it has not, and BadOutcome."""
        outcome = self._game.rules.outcome(self.state)
        if outcome is None:
            raise EndlessGame(f"{self._game.id} asks nobody, but has no outcome")
        _check_outcome(self._game, outcome, self._seats, self._left)
        return outcome


def _newly_left(game: Game, state: Any, left: dict[Seat, int]) -> dict[Seat, int]:
    """Seats that left in the last step, with their places. Adds them to `left`. Raises: BadOutcome."""
    if game.left is none_left:
        return {}
    now = game.left(state)
    if moved := [seat for seat, place in left.items() if now.get(seat) != place]:
        raise BadOutcome(f"{game.id} changes the settled place of seat {moved[0]}")
    if asked := sorted(now.keys() & set(game.rules.to_act(state))):
        raise BadOutcome(f"{game.id} asks seat {asked[0]}, which has left the match")
    new = {seat: place for seat, place in sorted(now.items()) if seat not in left}
    left |= new
    return new


def _check_outcome(game: Game, outcome: Outcome, seats: int, left: Mapping[Seat, int]) -> None:
    """Raises: BadOutcome. Ratings and tables could not count it, or a place was settled otherwise."""
    if not len(outcome.ranks) == len(outcome.scores) == seats:
        raise BadOutcome(f"{game.id} has an outcome of {len(outcome.ranks)} ranks and {len(outcome.scores)} scores")
    if not all(math.isfinite(score) for score in outcome.scores):
        raise BadOutcome(f"{game.id} has an outcome with the scores {outcome.scores}: expected finite numbers")
    if min(outcome.ranks) != 0 or max(outcome.ranks) >= seats:
        raise BadOutcome(f"{game.id} has an outcome with the ranks {outcome.ranks}: expected places from 0")
    for seat, place in left.items():
        if outcome.ranks[seat] != place:
            raise BadOutcome(
                f"{game.id} gives seat {seat} the rank {outcome.ranks[seat]}, but it had left with {place}"
            )


class _Asking:
    """Asks seats, and keeps what they must learn meanwhile: lines that come before their next prompt."""

    def __init__(self, game: Game, channels: Sequence[Channel]) -> None:
        self._game = game
        self._channels = channels
        self._asked: set[Seat] = set()
        self._told = [""] * len(channels)

    def tell_all(self, state: Any) -> None:
        """Keeps what each seat must learn about the last step. Raises: BadText."""
        if self._game.tell is not tells_nothing:
            for seat in range(len(self._channels)):
                self._told[seat] += _whole_lines(self._game, "tell", self._game.tell(state, seat))

    def ask_all(
        self, state: Any, seats: Sequence[Seat]
    ) -> tuple[tuple[Exchange, ...], dict[Seat, Any], dict[Seat, BotFault]]:
        """All prompts are of the state at the start of the turn; replies are parsed after all were asked."""
        exchanges: list[Exchange] = []
        replies: dict[Seat, str] = {}
        faults: dict[Seat, BotFault] = {}
        clock = self._game.clock
        for seat in seats:
            if not 0 <= seat < len(self._channels):
                raise BadSeat(f"{self._game.id} asks seat {seat}: expected one from 0 to {len(self._channels) - 1}")
            first = seat not in self._asked
            # Without its line end a bot waits for the rest of a line, and seems to be what is wrong.
            prompt = self._told[seat] + _whole_lines(
                self._game, "prompt", self._game.protocol.prompt(state, seat, first)
            )
            self._told[seat] = ""
            try:
                reply = self._channels[seat].ask(prompt, clock.first_s if first else clock.turn_s)
            except BotFault as fault:
                faults[seat] = fault
                log = self._channels[seat].log()
                exchanges.append(Exchange(seat, prompt, None, log, fault.cpu_s, fault.wall_s))
            else:
                replies[seat] = reply.line
                exchanges.append(Exchange(seat, prompt, reply.line, reply.stderr, reply.cpu_s, reply.wall_s))
        self._asked.update(seats)
        moves, bad_replies = read_replies(self._game, state, replies)
        return tuple(exchanges), moves, faults | bad_replies


def _whole_lines(game: Game, function: str, text: object) -> str:
    """Raises: BadText."""
    if isinstance(text, str) and (not text or text.endswith("\n")):
        return text
    got = f"{text[-40:]!r}" if isinstance(text, str) else f"{text!r}"[:80]
    raise BadText(f"expected `{function}` of {game.id} to give lines, each with its line end, or ''; got {got}")


def replayed(game: Game, channels: Sequence[Channel], turns: int, *, seed: int, league: int) -> Any:
    """The rules' state after so many turns, in which the channels reply as they did."""
    state = game.rules.setup(len(channels), seed, league)
    asking = _Asking(game, channels)
    for _ in range(turns):
        _, moves, faults = asking.ask_all(state, game.rules.to_act(state))
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


def _header(game: Game, state: Any) -> Json:
    header = game.replay.header(state)
    if isinstance(header, Mapping) and HIDDEN in header:
        raise BadFrame(f"{game.id} has a header with the key {HIDDEN!r}, which is the arena's")
    hidden = {} if game.hidden is None else game.hidden.hidden_header(state)
    return {**header, HIDDEN: _by_viewer(hidden)} if hidden else header


def _frame(game: Game, state: Any, number: int, notes: Sequence[Note], left: Mapping[Seat, int]) -> Mapping[str, Json]:
    own = game.replay.frame(state)
    if clash := RESERVED & own.keys():
        raise BadFrame(f"{game.id} has a frame with the key {min(clash)!r}, which is the arena's")
    frame: dict[str, Json] = {"t": number, **own}
    if notes:
        frame["notes"] = [[note.seat, note.kind, note.message] for note in notes]
    if left:
        frame["left"] = [[seat, place] for seat, place in left.items()]
    hidden = {} if game.hidden is None else game.hidden.hidden_frame(state)
    if hidden:
        frame[HIDDEN] = _by_viewer(hidden)
    return frame


def _by_viewer(hidden: Mapping[Seat | None, Json]) -> dict[str, Json]:
    """JSON has text as keys."""
    return {NOBODY if seat is None else str(seat): value for seat, value in hidden.items()}
