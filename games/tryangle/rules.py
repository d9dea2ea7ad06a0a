"""The rules of TryAngle Catch: when seats are asked, when they are eliminated, and how a match ends.

A step begins with the commands of both seats. It then continues as the reference does, frame by frame: one group of
commands, or one resolving round, until nothing is left to do; then points are given, and the next turn begins. What a
frame does is on the `Board`. A seat may be eliminated at the beginning of a turn; the other is then still asked.
Source: the spec, sections 3 to 6 and 9; numbers in brackets are its sections.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from hexarena.games.contract import BadReply, BotFault, FaultKind, Note, Outcome, Seat
from hexarena.games.tryangle.board import (
    SEATS,
    Board,
    Command,
    Counts,
    Surrounded,
    Triangle,
    Use,
    Walk,
)
from hexarena.games.tryangle.land import Land
from hexarena.games.tryangle.mapmaking import Map, make_map
from hexarena.games.tryangle.network import Network

LAST_TURN = 200
HIGHEST_LEAGUE = 4
ELIMINATED_SCORE = -1
DOMINATING_SHARE = 0.8

NO_ANSWER = "timeout"
NOTHING_LEFT = "no units or triangles left"
NO_HOPE = "can't score any more points"
DOMINATED = "is dominated"

_REASONS: Mapping[str, str] = {
    NOTHING_LEFT: "has no units and no triangles left",
    NO_HOPE: "cannot score any more points",
    DOMINATED: "is dominated",
}
_NO_ANSWER: Mapping[FaultKind, str] = {"resigned": "resigned"}
_FAULT_REASONS: Mapping[FaultKind, str] = {
    "timeout": "did not reply in time",
    "crash": "stopped without a reply",
    "flood": "wrote too much",
    "resigned": "resigned",
    "invalid": "wrote an unknown command",
    "illegal": "wrote an unknown command",
}


class Complaint(NamedTuple):
    """An error in a line, in the reference's words. `fatal`: it eliminates the seat."""

    words: str
    fatal: bool = False


@dataclass(frozen=True, slots=True)
class Move:
    """What a line asks for: commands in written order. `message`: the text to show, or ""."""

    commands: tuple[Command, ...] = ()
    message: str = ""
    complaints: tuple[Complaint, ...] = ()


NO_MOVE = Move()


def objections(state: State, seat: Seat, move: Move) -> Sequence[str]:
    """Which commands of a move are ignored, in the reference's words."""
    return [complaint.words for complaint in move.complaints]


@dataclass(frozen=True, slots=True)
class Elimination:
    """Why a seat is out. `words`: the reference's. `fault`: what the bot did, or None if a rule eliminated it.

    `turn`: the turns played until then, but for a fault those before the one it was made in. `score`: before that.
    """

    words: str
    fault: FaultKind | None
    turn: int
    score: int


@dataclass(frozen=True, slots=True)
class Events:
    """What the last step did. `network`, `triangles`, `points`: as they were before it; `uses` name those triangles.

    `scores`: when the turn's own frame was over, before the points for it. `notes`: about the replies, then about seats
    that were eliminated before the next turn.
    """

    network: Network
    triangles: tuple[Triangle, ...]
    points: tuple[int, int] = (0, 0)
    walks: tuple[Walk, ...] = ()
    uses: tuple[Use, ...] = ()
    surrounded: tuple[Surrounded, ...] = ()
    messages: tuple[str, str] = ("", "")
    scores: tuple[int, int] = (0, 0)
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """The match before a turn, after `turn` turns.

    `units`: [seat][house] -> count; all of them are free to move at this moment. `triangles`: in order of their
    corners. `eliminated`: by seat. `over`: no seat is asked again. `frames`: as the reference counts them.
    """

    land: Land
    network: Network
    league: int
    turn: int
    units: tuple[Counts, Counts]
    triangles: tuple[Triangle, ...]
    scores: tuple[int, int]
    eliminated: tuple[Elimination | None, Elimination | None]
    over: bool
    frames: int
    events: Events


def setup(seats: int, seed: int, league: int) -> State:
    """The map of the seed, resolved. Leagues above 4 play as 4.

    Raises: ValueError for anything but 2 seats, or for a league below 1.
    """
    if seats != len(SEATS):
        raise ValueError(f"expected 2 seats, got {seats}")
    if league < 1:
        raise ValueError(f"expected a league from 1 to {HIGHEST_LEAGUE}, got {league}")
    return opening(make_map(seed), league)


def opening(start: Map, league: int) -> State:
    """The state before the first turn on a map [4]: points are given twice, for the setup and for frame 1."""
    triangles = [Triangle(corners) for corners in start.network.triangles]
    board = Board(start.land, start.network, units=start.units, triangles=triangles, scores=(0, 0))
    while board.resolve_once():
        pass
    seats = _Seats(turn=0)
    frames = _play_to_turn(board, [], seats, frames=0)
    events = Events(start.network, tuple(triangles), notes=tuple(seats.notes))
    return _state(start.land, min(league, HIGHEST_LEAGUE), board, seats, frames=frames, events=events)


def to_act(state: State) -> Sequence[Seat]:
    """Both seats; one if the other was eliminated as this turn began; nobody when the match is over."""
    return () if state.over else tuple(seat for seat in SEATS if state.eliminated[seat] is None)


def step(state: State, moves: Mapping[Seat, Move], faults: Mapping[Seat, BotFault]) -> State:
    """One turn: its first group of commands, and then all frames up to the next turn, unless a seat is out [4]."""
    board = Board(state.land, state.network, units=state.units, triangles=state.triangles, scores=state.scores)
    seats = _Seats(turn=state.turn, eliminated=list(state.eliminated))
    seats.judge_replies(board, moves, faults)
    pending = [command for seat in SEATS for command in moves.get(seat, NO_MOVE).commands]
    pending = board.run_group(board.still_allowed(pending))
    scores = (board.scores[0], board.scores[1])

    seats.turn += 1
    frames = state.frames
    if seats.all_in() and seats.turn < LAST_TURN:
        frames = _play_to_turn(board, pending, seats, frames=frames)
    else:
        seats.over = True
    messages = (moves.get(0, NO_MOVE).message, moves.get(1, NO_MOVE).message)
    log = board.log
    events = Events(
        network=state.network,
        triangles=state.triangles,
        points=state.scores,
        walks=tuple(log.walks),
        uses=tuple(log.uses),
        surrounded=tuple(log.surrounded),
        messages=messages,
        scores=scores,
        notes=tuple(seats.notes),
    )
    return _state(state.land, state.league, board, seats, frames=frames, events=events)


def notes(state: State) -> Sequence[Note]:
    """The reference's messages to the seats: about their replies, then about eliminations before the next turn."""
    return state.events.notes


def outcome(state: State) -> Outcome | None:
    """The higher score wins; an eliminated seat has -1."""
    if not state.over:
        return None
    first, second = state.scores
    reasons = [f"seat {seat} {_reason(out)}" for seat, out in enumerate(state.eliminated) if out]
    reason = " and ".join(reasons) or f"{LAST_TURN} turns played"
    return Outcome((int(first < second), int(second < first)), state.scores, reason)


# --- Frames ----------------------------------------------------------------------------------------------------------


def _play_to_turn(board: Board, pending: list[Command], seats: _Seats, *, frames: int) -> int:
    """Plays frames until one is a turn, and begins that turn. Returns how many frames there have been."""
    while True:
        frames += 1
        pending = board.still_allowed(pending)
        if pending:
            pending = board.run_group(pending)
        elif not board.resolve_once():
            seats.judge_position(board)
            return frames


@dataclass(slots=True)
class _Seats:
    """Which seats are out, and the notes to them."""

    turn: int
    eliminated: list[Elimination | None] = field(default_factory=lambda: [None, None])
    notes: list[Note] = field(default_factory=list)
    over: bool = False

    def all_in(self) -> bool:
        return self.eliminated == [None, None]

    def judge_replies(self, board: Board, moves: Mapping[Seat, Move], faults: Mapping[Seat, BotFault]) -> None:
        """Eliminates seats without a reply, and those with a fatal complaint [4, 7]."""
        for seat in SEATS:
            fault = faults.get(seat)
            complaints: Sequence[Complaint] = moves.get(seat, NO_MOVE).complaints
            if fault and not any(complaint.fatal for complaint in complaints):
                words = fault.message if isinstance(fault, BadReply) else _NO_ANSWER.get(fault.kind, NO_ANSWER)
                complaints = [Complaint(words, fatal=True), *complaints]
            for words, fatal in complaints:
                if fatal:
                    self._eliminate(board, seat, words, fault.kind if fault else "invalid")
                else:
                    self.notes.append(Note(seat, words, "warning"))

    def judge_position(self, board: Board) -> None:
        """The tests at the beginning of a turn [4.3]: seat 0 may be out by the time that seat 1 is tested."""
        owners = board.owners()
        for seat in SEATS:
            if words := _lost(board, owners, seat):
                self._eliminate(board, seat, words, None)
        self.over = None not in self.eliminated

    def _eliminate(self, board: Board, seat: Seat, words: str, fault: FaultKind | None) -> None:
        if self.eliminated[seat]:
            return
        self.eliminated[seat] = Elimination(words, fault, self.turn, board.scores[seat])
        board.scores[seat] = ELIMINATED_SCORE
        self.notes.append(Note(seat, words, "fault" if fault else "info"))


def _lost(board: Board, owners: list[int], seat: Seat) -> str | None:
    """The rule that eliminates the seat in this position, in the reference's words."""
    units = board.unit_count(seat)
    owned = owners.count(seat)
    if not units and not owned:
        return NOTHING_LEFT
    if units == 1 and not owned and board.scores[seat] < board.scores[1 - seat]:
        return NO_HOPE
    if owners.count(1 - seat) >= DOMINATING_SHARE * len(owners):
        return DOMINATED
    return None


def _reason(out: Elimination) -> str:
    return _FAULT_REASONS[out.fault] if out.fault else _REASONS[out.words]


def _state(land: Land, league: int, board: Board, seats: _Seats, *, frames: int, events: Events) -> State:
    return State(
        land=land,
        network=board.network,
        league=league,
        turn=seats.turn,
        units=board.units,
        triangles=board.triangles,
        scores=(board.scores[0], board.scores[1]),
        eliminated=(seats.eliminated[0], seats.eliminated[1]),
        over=seats.over,
        frames=frames,
        events=events,
    )
