"""One turn of Conway's Battlegrounds, in the order of the spec's section "One turn".

`Turn` holds the parts of the next state while they change; the state that it began with is never touched.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from hexarena.games.battlegrounds.board import GLIDER, HEADINGS, live_places, turned
from hexarena.games.battlegrounds.chance import below, shuffled, stream
from hexarena.games.battlegrounds.life import emptiest_windows, generation, is_alive, kill, revive
from hexarena.games.battlegrounds.state import NO_MOVE, VIEW, Cell, Events, Move, State, Zone, team_of
from hexarena.games.contract import Seat

ROUNDS = 3
REACH = 4
"""Bots land in a square of 9 x 9 cells: at most this far from their choice."""
HEALED_HP = 3
"""A bot with this many hp, or more, gains none."""
ZONE_EVERY, ZONE_TURNS, GLIDER_EVERY = 100, 10, 2
FIRST_GLIDER, LATER_GLIDERS = 9, 3
"""How far from the middle of the red zone its gliders begin, in cells to the side and up or down: apart, or they would
destroy each other."""
NO_POSITION = "did not return a position in its tenth call of parachute"


class Turn:
    """A turn in progress. Call what the phase needs, then `after`."""

    def __init__(self, state: State) -> None:
        self._state, self._plan = state, state.plan
        self._number = state.turn + 1
        self._cells = bytearray(state.cells)
        self._aims, self._places = list(state.aims), list(state.places)
        self._hp, self._gone = list(state.hp), list(state.gone)
        self._seat_at = {cell: seat for seat, cell in enumerate(state.places) if cell is not None}
        self._zone: Zone | None = None
        order = shuffled(stream(self._plan.seed, f"order/{self._number}"), range(self._plan.seats))
        self._order = [seat for seat in order if state.places[seat] is not None]
        self._landed: list[tuple[Seat, Cell]] = []
        self._acted: list[tuple[Seat, tuple[int, ...]]] = []
        self._carried: list[tuple[Seat, Cell]] = []
        self._removed: list[tuple[Seat, str]] = []
        self._ignored: list[tuple[Seat, str]] = []
        self._born: list[Cell] = []
        self._chats: list[tuple[Seat, str]] = []

    def remove(self, seat: Seat, why: str) -> None:
        """Takes a bot out of the match; its cell becomes dead."""
        self._removed.append((seat, why))
        self._leave(seat)

    def ignore(self, seat: Seat, why: str) -> None:
        """Notes that a reply could not be used."""
        self._ignored.append((seat, why))

    def choose(self, moves: Mapping[Seat, Move]) -> None:
        """A choice replaces the one before; where there is no readable reply, that one stays."""
        for seat, move in moves.items():
            self._aims[seat] = move.aim

    def land(self, moves: Mapping[Seat, Move]) -> None:
        """Bots come down near their choices, on cells without bots, in an order that is drawn."""
        chance = stream(self._plan.seed, "landing")
        for seat in shuffled(chance, range(self._plan.seats)):
            if self._gone[seat] is not None:
                continue
            aim = moves.get(seat, NO_MOVE).aim
            if aim is None:
                self.remove(seat, NO_POSITION)
                continue
            x, y = aim
            near = range(-REACH, REACH + 1)
            square = [self._plan.cell(x + right, y + down) for down in near for right in near]
            free = [cell for cell in square if cell not in self._seat_at]
            cell = free[below(chance, len(free))]
            self._landed.append((seat, cell))
            self._stand(seat, cell)

    def act(self, moves: Mapping[Seat, Move]) -> None:
        """Everyone's first action, everyone's second, everyone's third."""
        done: dict[Seat, list[int]] = {seat: [] for seat in self._order}
        for number in range(ROUNDS):
            for seat, did in done.items():
                actions = moves.get(seat, NO_MOVE).actions
                if number < len(actions):
                    did.append(actions[number] if self._do(seat, actions[number]) else 0)
        self._acted = [(seat, _without_last_zeros(did)) for seat, did in done.items() if any(did)]
        self._chats = [(seat, moves[seat].chat) for seat in sorted(moves) if moves[seat].chat]

    def live(self) -> None:
        """One generation. What becomes of a bot depends on its neighbours before, and on births beside it."""
        before, following = self._cells, generation(self._cells, self._plan.size)
        wishes: list[tuple[Seat, Cell]] = []
        for seat, cell in self._standing():
            around = self._plan.around(cell)
            alive = sum(is_alive(before, other) for other in around)
            if alive == 3 and self._hp[seat] < HEALED_HP and self._beside_teammate(seat, around):
                self._hp[seat] += 1
            elif alive not in {2, 3}:
                births = [other for other in around if is_alive(following, other) and not is_alive(before, other)]
                if len(births) == 1:
                    wishes.append((seat, births[0]))
                elif not births:
                    self._hp[seat] -= 1
        for cell in self._seat_at:
            revive(following, cell)
        self._cells = following
        for seat, target in wishes:
            if target not in self._seat_at:
                self._stand(seat, target)
                self._carried.append((seat, target))
        for seat, _ in self._standing():
            if self._hp[seat] == 0:
                self._leave(seat)

    def redden(self, generations: int) -> None:
        """The red zone after this many generations: where it is, and the glider that it spawns. [One turn, 4]"""
        age = generations % ZONE_EVERY
        if generations < ZONE_EVERY or age >= ZONE_TURNS:
            return
        zone = self._state.zone
        middle = self._emptiest(generations) if age == 0 or zone is None else zone.middle
        self._zone = Zone(middle, age)
        if age % GLIDER_EVERY == 0:
            heading, away = self._glider(generations, age)
            right, down = HEADINGS[heading]
            left, top = self._plan.place(middle)
            left, top = left + away * right - 1, top + away * down - 1
            for x, y in live_places(turned(GLIDER, heading)):
                self._spawn(self._plan.cell(left + x, top + y))

    def after(self) -> State:
        """The state that the turn led to."""
        before = self._state
        events = Events(
            aimed=tuple(seat for seat, aim in enumerate(self._aims) if aim != before.aims[seat]),
            landed=tuple(self._landed),
            acted=tuple(self._acted),
            carried=tuple(self._carried),
            hurt=tuple(seat for seat, hp in enumerate(self._hp) if hp != before.hp[seat]),
            removed=tuple(sorted(self._removed)),
            born=tuple(self._born),
            chats=tuple(self._chats),
            ignored=tuple(self._ignored),
        )
        return State(
            self._plan,
            self._number,
            bytes(self._cells),
            tuple(self._aims),
            tuple(self._places),
            tuple(self._hp),
            tuple(self._gone),
            self._zone,
            events,
        )

    # --- Parts ---------------------------------------------------------------------------------------------------

    def _standing(self) -> list[tuple[Seat, Cell]]:
        """The bots on the board and their cells, in this turn's order."""
        return [(seat, cell) for seat in self._order if (cell := self._places[seat]) is not None]

    def _do(self, seat: Seat, action: int) -> bool:
        """Whether the action had an effect. [What a call may return]"""
        cell = self._places[seat]
        if cell is None or abs(action) in {0, 5}:
            return False
        target = self._plan.beside(cell, abs(action))
        if action < 0:
            possible = not is_alive(self._cells, target)
            revive(self._cells, target)
        else:
            possible = target not in self._seat_at
            if possible:
                self._stand(seat, target)
        return possible

    def _stand(self, seat: Seat, target: Cell) -> None:
        """Puts a bot on a cell; the one that it leaves becomes dead."""
        before = self._places[seat]
        if before is not None:
            kill(self._cells, before)
            del self._seat_at[before]
        self._places[seat] = target
        self._seat_at[target] = seat
        revive(self._cells, target)

    def _leave(self, seat: Seat) -> None:
        cell = self._places[seat]
        if cell is not None:
            kill(self._cells, cell)
            del self._seat_at[cell]
        self._places[seat] = None
        self._gone[seat] = self._number

    def _beside_teammate(self, seat: Seat, around: Collection[Cell]) -> bool:
        others = (self._seat_at.get(cell) for cell in around)
        return any(other is not None and team_of(other) == team_of(seat) for other in others)

    def _emptiest(self, generations: int) -> Cell:
        middles = emptiest_windows(self._cells, self._plan.size, VIEW)
        return middles[below(stream(self._plan.seed, f"zone/{generations}"), len(middles))]

    def _glider(self, generations: int, age: int) -> tuple[int, int]:
        """The heading of the zone's next glider, in quarter turns, and how far from the middle it begins."""
        if age == 0:
            return below(stream(self._plan.seed, f"glider/{generations}"), 4), FIRST_GLIDER
        order = shuffled(stream(self._plan.seed, f"gliders/{generations - age}"), range(len(HEADINGS)))
        return order[age // GLIDER_EVERY - 1], LATER_GLIDERS

    def _spawn(self, cell: Cell) -> None:
        """Makes a cell live, unless it is, or holds a bot."""
        if not is_alive(self._cells, cell):
            revive(self._cells, cell)
            self._born.append(cell)


def _without_last_zeros(actions: Sequence[int]) -> tuple[int, ...]:
    last = max(number for number, action in enumerate(actions) if action)
    return tuple(actions[: last + 1])
