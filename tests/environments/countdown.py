"""A small game for what Yavalath and Tron have not: seats that alternate and leave, several in a turn, levels, options.

A reply is 1, 2 or 3, and takes as much from the seat's own count; more than is left is illegal, and costs the match.
Whoever has nothing left is out. On level 1 the seats take turns; on level 2, every fourth turn is one of all seats.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hexarena.games.contract import BadReply, BotFault, Clock, Game, IllegalMove, Json, League, Note, Outcome, Seat
from hexarena.games.shapes import Fields, Grid, Shape, Whole


@dataclass(frozen=True, slots=True)
class State:
    """`out`: seat -> the turn in which it went out, or None."""

    counts: tuple[int, ...]
    level: int
    highest: int
    turn: int = 0
    next: Seat = 0
    out: tuple[int | None, ...] = ()


class Countdown:
    """Rules, protocol, replay and machine view."""

    def setup(self, seats: int, seed: int, league: int, start: int = 5) -> State:
        if start < 1:
            raise ValueError(f"expected a start of 1 or more; got {start}")
        counts = tuple(start + (seed + seat) % 2 for seat in range(seats))
        return State(counts, league, start + 1, out=(None,) * seats)

    def to_act(self, state: State) -> Sequence[Seat]:
        still = [seat for seat, turn in enumerate(state.out) if turn is None]
        if len(still) < 2:
            return ()
        if state.level == 2 and state.turn % 4 == 3:
            return still
        return [min(still, key=lambda seat: (seat - state.next) % len(state.out))]

    def step(self, state: State, moves: Mapping[Seat, int], faults: Mapping[Seat, BotFault]) -> State:
        counts = tuple(0 if seat in faults else count - moves.get(seat, 0) for seat, count in enumerate(state.counts))
        turn = state.turn + 1
        out = tuple(
            turn if before is None and count == 0 else before for before, count in zip(state.out, counts, strict=True)
        )
        after = (self.to_act(state)[-1] + 1) % len(counts)
        return State(counts, state.level, state.highest, turn, after, out)

    def notes(self, state: State) -> Sequence[Note]:
        return ()

    def outcome(self, state: State) -> Outcome | None:
        if self.to_act(state):
            return None
        lasted = tuple(99 if turn is None else turn for turn in state.out)
        return Outcome(tuple(sum(other > own for other in lasted) for own in lasted), lasted, "counted down")

    def prompt(self, state: State, seat: Seat, first: bool) -> str:
        return " ".join(map(str, state.counts)) + "\n"

    def parse(self, state: State, seat: Seat, reply: str) -> int:
        if reply not in {"1", "2", "3"}:
            raise BadReply(f"expected 1, 2 or 3, got {reply!r}")
        if int(reply) > state.counts[seat]:
            raise IllegalMove(f"expected at most {state.counts[seat]}, got {reply}")
        return int(reply)

    def header(self, state: State) -> Json:
        return {"counts": list(state.counts)}

    def frame(self, state: State) -> Mapping[str, Json]:
        return {"counts": list(state.counts)}

    def actions(self, state: State) -> Sequence[str]:
        return ("1", "2", "3")

    def legal(self, state: State, seat: Seat) -> Sequence[int]:
        return range(min(3, state.counts[seat])) if seat in self.to_act(state) else ()

    def shape(self, state: State) -> Shape:
        return Fields({"counts": Grid((len(state.counts),), 0, state.highest), "own": Whole(0, state.highest)})

    def observation(self, state: State, seat: Seat) -> Json:
        return {"counts": list(state.counts), "own": state.counts[seat]}

    def out(self, state: State) -> Sequence[Seat]:
        return [seat for seat, turn in enumerate(state.out) if turn is not None]


COUNTDOWN = Countdown()
GAME = Game(
    id="countdown",
    title="Countdown",
    summary="Whoever counts down last wins.",
    version="1",
    rules=COUNTDOWN,
    protocol=COUNTDOWN,
    replay=COUNTDOWN,
    clock=Clock(1.0, 0.1),
    max_turns=80,
    leagues=(League("Wood"),),
    house_bots=(),
    starters=("starter.py",),
    levels=(1, 2),
    seats=(2, 3, 4),
    ladder_entrants=(3, 2),
    options={"start": 5},
    machine=COUNTDOWN,
)
