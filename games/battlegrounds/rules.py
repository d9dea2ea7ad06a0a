"""The rules of Conway's Battlegrounds: teams of four bots that live, build and die on a board of Life.

A match has four phases, and every turn of the referee is one call of each bot that is in: turn 1 is the start-up,
turns 2 to 11 are the ten calls of parachuting, then come the turns of the starting phase and those of the main phase.
`state` says what a match is made of, `turn` what happens in one; here are the five functions of the game interface.
Source: the spec; what it leaves open is listed in the game's statement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hexarena.games.battlegrounds.board import FULL_SIZE, first_board
from hexarena.games.battlegrounds.chance import shuffled, stream
from hexarena.games.battlegrounds.life import packed
from hexarena.games.battlegrounds.state import (
    FULL_HP,
    PARACHUTE_CALLS,
    TEAM_SEATS,
    VIEW,
    Move,
    Phase,
    Plan,
    State,
    seats_of,
    team_of,
)
from hexarena.games.battlegrounds.turn import Turn
from hexarena.games.contract import BotFault, FaultKind, IllegalMove, Note, Outcome, Seat

MOST_SEATS = 64
START_TURNS = 25
MAIN_TURNS = 2_000
LAST_TURN = 1 + PARACHUTE_CALLS + START_TURNS + MAIN_TURNS

_WHY_REMOVED: Mapping[FaultKind, str] = {
    "timeout": "did not reply in time",
    "crash": "stopped without a reply",
    "flood": "wrote too much",
    "resigned": "resigned",
    "invalid": "broke the protocol",
}


def setup(
    seats: int,
    seed: int,
    league: int,
    *,
    size: int = FULL_SIZE,
    start_turns: int = START_TURNS,
    main_turns: int = MAIN_TURNS,
) -> State:
    """The board of the seed, nobody on it. All leagues play by the same rules.

    Raises: ValueError, which says what was expected.
    """
    _expect("size", size, VIEW, FULL_SIZE)
    _expect("start_turns", start_turns, 0, START_TURNS)
    _expect("main_turns", main_turns, 1, MAIN_TURNS)
    if seats % TEAM_SEATS or not 2 * TEAM_SEATS <= seats <= MOST_SEATS:
        raise ValueError(f"expected seats for teams of {TEAM_SEATS}, from 8 to {MOST_SEATS}; got {seats}")
    return opening(Plan(seats, seed, size, start_turns, main_turns), first_board(seed, size))


def opening(plan: Plan, cells: bytes) -> State:
    """The state before the first turn on a given board. `cells`: a byte each, 1 is alive."""
    nobody = (None,) * plan.seats
    return State(plan, 0, packed(cells), nobody, nobody, (FULL_HP,) * plan.seats, nobody)


def to_act(state: State) -> Sequence[Seat]:
    """All seats that are in, until the match is over."""
    return () if _is_over(state) else _seats_in(state)


def step(state: State, moves: Mapping[Seat, Move], faults: Mapping[Seat, BotFault]) -> State:
    """One call of every bot. What the rules forbid has no effect; a bot that is late or breaks the protocol is out."""
    turn = Turn(state)
    for seat, fault in sorted(faults.items()):
        if isinstance(fault, IllegalMove):
            turn.ignore(seat, fault.message)
        else:
            turn.remove(seat, _WHY_REMOVED[fault.kind])
    phase, number = state.plan.phase(state.turn)
    if phase is Phase.PARACHUTE:
        turn.choose(moves)
        if number == PARACHUTE_CALLS - 1:
            turn.land(moves)
    elif phase is not Phase.INIT:
        turn.act(moves)
        if phase is Phase.MAIN:
            turn.live()
            turn.redden(number + 1)
    return turn.after()


def notes(state: State) -> Sequence[Note]:
    """Who was removed, whose reply was ignored, and why."""
    removed = tuple(Note(seat, f"removed: {why}", "fault") for seat, why in state.events.removed)
    return removed + tuple(Note(seat, why, "warning") for seat, why in state.events.ignored)


def outcome(state: State) -> Outcome | None:
    """Teams by the turn in which their last bot went out; those that are left by bots, then hp.

    A seat's score is the number of turns for which its bot was on the board.
    Source: the spec, "End"; the score is our decision.
    """
    if not _is_over(state):
        return None
    strengths = [_strength(state, team) for team in range(state.plan.seats // TEAM_SEATS)]
    places = [sum(other > strength for other in strengths) for strength in strengths]
    scores = tuple(max(0, (state.turn if gone is None else gone) - 1 - PARACHUTE_CALLS) for gone in state.gone)
    return Outcome(tuple(places[team_of(seat)] for seat in range(state.plan.seats)), scores, _reason(state))


def deal(entrants: int, seed: int) -> tuple[int, ...]:
    """Seat -> entrant: the fewest teams that give each entrant a seat, filled with duplicates.

    Raises: ValueError for fewer than 2 entrants. Source: the spec, "Field and players".
    """
    if entrants < 2:
        raise ValueError(f"expected at least 2 entrants; got {entrants}")
    teams = max(2, -(-entrants // TEAM_SEATS))
    order = shuffled(stream(seed, "deal"), range(entrants))
    members = [order[team::teams] for team in range(teams)]
    return tuple(team[place % len(team)] for team in members for place in range(TEAM_SEATS))


def _expect(name: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise ValueError(f"expected {name} from {least} to {most}; got {value}")


def _seats_in(state: State) -> tuple[Seat, ...]:
    return tuple(seat for seat, gone in enumerate(state.gone) if gone is None)


def _teams_in(state: State) -> list[int]:
    return sorted({team_of(seat) for seat in _seats_in(state)})


def _is_over(state: State) -> bool:
    phase, number = state.plan.phase(state.turn)
    return len(_teams_in(state)) <= 1 or (phase is Phase.MAIN and number >= state.plan.main_turns)


def _strength(state: State, team: int) -> tuple[int, int, int]:
    """What ranks a team: the turn in which it went out (later than any while it is in), its bots, their hp."""
    left = [seat for seat in seats_of(team) if state.gone[seat] is None]
    if left:
        return state.turn + 1, len(left), sum(state.hp[seat] for seat in left)
    return max(gone for seat in seats_of(team) if (gone := state.gone[seat]) is not None), 0, 0


def _reason(state: State) -> str:
    teams = _teams_in(state)
    if not teams:
        return "no team is left"
    return f"team {teams[0]} outlived all others" if len(teams) == 1 else f"{state.plan.main_turns} main turns played"
