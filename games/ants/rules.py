"""The rules of Ants: beacons, allocation, movement, harvest, and how a match ends.

A turn is one pure function of the state and the two moves, in the order of the spec's section 6. Ants never die and
never block each other, so the two seats meet in two places only: where attack chains break harvest chains, and where
both take from the same resource.
Source: the spec, sections 6 to 12; numbers in brackets are its sections.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from heapq import heapify, heappop, heappush
from typing import NamedTuple, TypeAlias

from hexarena.games.ants.mapmaking import (
    CRYSTAL,
    EGG,
    LEVELS,
    Board,
    Cell,
    Level,
    make_board,
    shortest_path,
)
from hexarena.games.ants.marching import Ants, Strengths, Walk, walks_of
from hexarena.games.contract import BadReply, BotFault, FaultKind, Note, Outcome, Seat

SEATS: tuple[Seat, Seat] = (0, 1)
LAST_TURN = 100
ELIMINATED = -1
"""The final score of a disqualified seat."""

Line: TypeAlias = tuple[Cell, Cell, int]
"""From, to, strength, as written: cells may be missing from the board, a strength of 0 counts as 1."""

Beacon: TypeAlias = tuple[Cell, int]
"""Cell and strength, as written."""

Chains: TypeAlias = Mapping[Cell, int]
"""Cell -> the value of a seat's best chain from there to a base; only cells that have one."""


@dataclass(frozen=True, slots=True)
class Move:
    """What a line asks for. `unread`: in the reference's words, why its rest could not be read."""

    lines: tuple[Line, ...] = ()
    beacons: tuple[Beacon, ...] = ()
    message: str = ""
    unread: str | None = None


NO_MOVE = Move()


class Harvest(NamedTuple):
    """What a seat gets from a cell: more than it holds, if the other seat takes from it too."""

    seat: Seat
    cell: Cell
    amount: int


class End(StrEnum):
    """The rule that ended the match [11], in the words of the recordings."""

    NO_CRYSTAL = "no_crystal_left"
    LEAD_OF_0 = "unreachable_lead_p0"
    LEAD_OF_1 = "unreachable_lead_p1"
    LAST_TURN = "max_turns"


_END_REASONS: Mapping[End, str] = {
    End.NO_CRYSTAL: "no crystal left",
    End.LEAD_OF_0: "seat 0's lead cannot be caught",
    End.LEAD_OF_1: "seat 1's lead cannot be caught",
    End.LAST_TURN: f"{LAST_TURN} turns played",
}
_FAULT_REASONS: Mapping[FaultKind, str] = {
    "timeout": "did not reply in time",
    "crash": "stopped without a reply",
    "flood": "wrote too much",
    "resigned": "resigned",
    "invalid": "wrote an invalid command",
    "illegal": "wrote an invalid command",
}


@dataclass(frozen=True, slots=True)
class Events:
    """What the last step did, by seat where a tuple has two entries.

    `beacons`: cell -> strength. `eggs` and `crystal`: seat 0's first. `new_ants`: on each base of the seat.
    `failed`: the fault that disqualified the seat, or None.
    """

    beacons: tuple[Strengths, Strengths] = ({}, {})
    walks: tuple[Walk, ...] = ()
    eggs: tuple[Harvest, ...] = ()
    crystal: tuple[Harvest, ...] = ()
    new_ants: tuple[int, int] = (0, 0)
    messages: tuple[str, str] = ("", "")
    notes: tuple[Note, ...] = ()
    failed: tuple[FaultKind | None, FaultKind | None] = (None, None)


@dataclass(frozen=True, slots=True)
class State:
    """The match after `turn` turns. `amounts`: what is left on each cell. `end`: the rule that ended it, if one did."""

    board: Board
    level: Level
    turn: int
    amounts: tuple[int, ...]
    ants: tuple[Ants, Ants]
    points: tuple[int, int]
    events: Events
    end: End | None = None


def setup(seats: int, seed: int, league: int) -> State:
    """The map of the seed with all ants on the bases. Leagues above 4 play as 4.

    Raises: ValueError for anything but 2 seats, KeyError for a league below 1.
    """
    if seats != len(SEATS):
        raise ValueError(f"expected 2 seats, got {seats}")
    level = LEVELS[min(league, max(LEVELS))]
    return opening(make_board(seed, league), level)


def opening(board: Board, level: Level) -> State:
    """The state before the first turn on a given board."""
    first, second = (
        tuple(board.ants_per_base if cell in bases else 0 for cell in range(len(board.kinds))) for bases in board.bases
    )
    return State(board, level, 0, board.amounts, (first, second), (0, 0), Events())


def to_act(state: State) -> Sequence[Seat]:
    """Both seats, until the match is over."""
    return () if is_over(state) else SEATS


def is_over(state: State) -> bool:
    """Whether a rule ended the match, or a seat was disqualified."""
    return state.end is not None or any(state.events.failed)


def step(state: State, moves: Mapping[Seat, Move], faults: Mapping[Seat, BotFault]) -> State:
    """One turn [6]. It is played to its end even if a seat is disqualified."""
    board, level = state.board, state.level
    beacons, complaints = _place_beacons(board, moves)
    walks = (*walks_of(board, 0, state.ants[0], beacons[0]), *walks_of(board, 1, state.ants[1], beacons[1]))
    ants = _after_walks(state.ants, walks)
    amounts = state.amounts

    chains = harvest_chains(board, level, ants)
    eggs = _harvests(board, EGG, amounts, chains)
    new_ants = _sums(eggs)
    if eggs:
        amounts = _after_harvests(amounts, eggs)
        ants = _with_new_ants(board, ants, new_ants)
        chains = harvest_chains(board, level, ants)
    crystal = _harvests(board, CRYSTAL, amounts, chains)
    scored = _sums(crystal)
    if crystal:
        amounts = _after_harvests(amounts, crystal)

    points = (state.points[0] + scored[0], state.points[1] + scored[1])
    events = Events(
        beacons=beacons,
        walks=walks,
        eggs=eggs,
        crystal=crystal,
        new_ants=new_ants,
        messages=(moves.get(0, NO_MOVE).message, moves.get(1, NO_MOVE).message),
        notes=_notes(moves, faults, complaints),
        failed=(_kind(faults.get(0)), _kind(faults.get(1))),
    )
    turn = state.turn + 1
    return State(board, level, turn, amounts, ants, points, events, _end(board, turn, amounts, points))


def notes(state: State) -> Sequence[Note]:
    """Why seats were disqualified, then the commands that named no cell, each in the reference's words [12]."""
    return state.events.notes


def outcome(state: State) -> Outcome | None:
    """Ranks by final score. The reason names disqualified seats before any other rule."""
    if not is_over(state):
        return None
    first, second = scores = final_scores(state)
    reasons = [f"seat {seat} {_FAULT_REASONS[kind]}" for seat, kind in enumerate(state.events.failed) if kind]
    if not reasons and state.end:
        reasons = [_END_REASONS[state.end]]
    return Outcome((int(first < second), int(second < first)), scores, " and ".join(reasons))


def final_scores(state: State) -> tuple[int, int]:
    """Points, but -1 for a disqualified seat; equal points become numbers of ants [11]."""
    failed = state.events.failed
    if not any(failed) and state.points[0] == state.points[1]:
        return sum(state.ants[0]), sum(state.ants[1])
    return ELIMINATED if failed[0] else state.points[0], ELIMINATED if failed[1] else state.points[1]


# --- Beacons [6.1 to 6.3] --------------------------------------------------------------------------------------------


def _place_beacons(
    board: Board, moves: Mapping[Seat, Move]
) -> tuple[tuple[Strengths, Strengths], tuple[list[Cell], list[Cell]]]:
    """By seat: the beacons, and the cells that were named but do not exist, in the order of processing."""
    complaints: tuple[list[Cell], list[Cell]] = ([], [])
    first, second = (_beacons(board, moves.get(seat, NO_MOVE), complaints[seat]) for seat in SEATS)
    return (first, second), complaints


def _beacons(board: Board, move: Move, complaints: list[Cell]) -> Strengths:
    """All LINEs come before all BEACONs; the last command for a cell counts."""
    cells = len(board.kinds)
    strengths: dict[Cell, int] = {}
    for start, end, strength in move.lines:
        if start >= cells or end >= cells:
            complaints.append(start if start >= cells else end)
            continue
        for cell in shortest_path(board, start, end):
            strengths[cell] = max(1, strength)
    for cell, strength in move.beacons:
        if cell >= cells:
            complaints.append(cell)
        else:
            strengths[cell] = max(1, strength)
    return strengths


# --- Movement [8] ----------------------------------------------------------------------------------------------------


def _after_walks(ants: tuple[Ants, Ants], walks: Iterable[Walk]) -> tuple[Ants, Ants]:
    counts = [list(ants[0]), list(ants[1])]
    for seat, start, end, count in walks:
        counts[seat][start] -= count
        counts[seat][end] += count
    return tuple(counts[0]), tuple(counts[1])


# --- Harvest [9, 10] -------------------------------------------------------------------------------------------------


def harvest_chains(board: Board, level: Level, ants: tuple[Ants, Ants]) -> tuple[Chains, Chains]:
    """By seat, the chains over cells that the seat can use.

    A cell where the other seat's attack value is larger cannot be used. Attack values are chains over all cells with
    own ants, so where nothing is broken they are the harvest chains too.
    """
    first, second = attacks = (
        _chains(board.links, board.bases[0], ants[0]),
        _chains(board.links, board.bases[1], ants[1]),
    )
    if not level.attacks or first.keys().isdisjoint(second):
        return attacks
    return _unbroken(board, 0, ants[0], first, second), _unbroken(board, 1, ants[1], second, first)


def _unbroken(board: Board, seat: Seat, ants: Ants, own: Chains, other: Chains) -> Chains:
    broken = [cell for cell, value in own.items() if other.get(cell, 0) > value]
    if not broken:
        return own
    usable = list(ants)
    for cell in broken:
        usable[cell] = 0
    return _chains(board.links, board.bases[seat], usable)


def _chains(links: Sequence[Sequence[Cell]], bases: Iterable[Cell], ants: Sequence[int]) -> dict[Cell, int]:
    """The widest way from each cell to one of the bases: the largest possible smallest number of ants on it.

    Best first, so the first value of a cell is its best. The queue holds negative values.
    """
    found: dict[Cell, int] = {}
    queue = [(-ants[base], base) for base in bases if ants[base]]
    heapify(queue)
    while queue:
        value, cell = heappop(queue)
        if cell in found:
            continue
        found[cell] = -value
        for near in links[cell]:
            if near not in found and (there := ants[near]):
                heappush(queue, (value if value > -there else -there, near))
    return found


def _harvests(board: Board, kind: int, amounts: Sequence[int], chains: tuple[Chains, Chains]) -> tuple[Harvest, ...]:
    """Each seat's harvests of a kind. Neither sees the other's."""
    kinds = board.kinds
    return tuple(
        Harvest(seat, cell, min(value, amounts[cell]))
        for seat in SEATS
        for cell, value in chains[seat].items()
        if kinds[cell] == kind and amounts[cell]
    )


def _after_harvests(amounts: Sequence[int], harvests: Iterable[Harvest]) -> tuple[int, ...]:
    left = list(amounts)
    for _, cell, amount in harvests:
        left[cell] = max(0, left[cell] - amount)
    return tuple(left)


def _sums(harvests: Iterable[Harvest]) -> tuple[int, int]:
    sums = [0, 0]
    for seat, _, amount in harvests:
        sums[seat] += amount
    return sums[0], sums[1]


def _with_new_ants(board: Board, ants: tuple[Ants, Ants], new_ants: tuple[int, int]) -> tuple[Ants, Ants]:
    """Each base of a seat gets all the new ants."""
    counts = [list(ants[0]), list(ants[1])]
    for seat in SEATS:
        for base in board.bases[seat]:
            counts[seat][base] += new_ants[seat]
    return tuple(counts[0]), tuple(counts[1])


# --- End and messages [11, 12] ---------------------------------------------------------------------------------------


def _end(board: Board, turn: int, amounts: Sequence[int], points: tuple[int, int]) -> End | None:
    left = sum([amount for amount, kind in zip(amounts, board.kinds, strict=True) if amount and kind == CRYSTAL])
    if not left:
        return End.NO_CRYSTAL
    if points[0] >= points[1] + left:
        return End.LEAD_OF_0
    if points[1] >= points[0] + left:
        return End.LEAD_OF_1
    return End.LAST_TURN if turn >= LAST_TURN else None


def _kind(fault: BotFault | None) -> FaultKind | None:
    return fault.kind if fault else None


def _notes(
    moves: Mapping[Seat, Move], faults: Mapping[Seat, BotFault], complaints: Sequence[Sequence[Cell]]
) -> tuple[Note, ...]:
    fatal = [Note(seat, _fatal_words(moves.get(seat, NO_MOVE), faults[seat]), "fault") for seat in sorted(faults)]
    warnings = [Note(seat, _warning_words(cells), "warning") for seat, cells in enumerate(complaints) if cells]
    return (*fatal, *warnings)


def _fatal_words(move: Move, fault: BotFault) -> str:
    if isinstance(fault, BadReply):
        return move.unread or fault.message
    return "Resigned" if fault.kind == "resigned" else "Timeout!"


def objections(state: State, seat: Seat, move: Move) -> Sequence[str]:
    """Which cells of a move do not exist: such commands are ignored."""
    missing: list[Cell] = []
    _beacons(state.board, move, missing)
    cells = len(state.board.kinds)
    return [f"expected a cell from 0 to {cells - 1}, got {cell}" for cell in missing]


def _warning_words(missing: Sequence[Cell]) -> str:
    words = f"cannot find cell {missing[0]}"
    others = len(missing) - 1
    if not others:
        return words
    return f"{words} + {others} other error{'s' if others > 1 else ''}"
