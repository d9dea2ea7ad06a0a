"""TryAngle Catch as text: what a bot reads, and how its line becomes a move. Source: the spec, sections 7, 8 and 11."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, auto
from functools import lru_cache
from itertools import compress

from hexarena.games.contract import BadReply, Seat, quote
from hexarena.games.text import java_split, java_trim, without_commands
from hexarena.games.tryangle.board import NOBODY, Command, Kind, is_affordable, is_free_to_move, touches
from hexarena.games.tryangle.land import House, Land, can_connect, flags, house_set
from hexarena.games.tryangle.network import Network
from hexarena.games.tryangle.rules import Complaint, Move, State
from hexarena.games.tryangle.words import HOUSES_NAMED, Words, read_words

MESSAGE_UNITS = 50
"""A message is cut after so many UTF-16 units."""

LINKING_LEAGUE = 3
"""From this league on paths can be added and removed, and prompts list where."""

LEAGUE_FROM: Mapping[Kind, int] = {
    Kind.MOVE: 1,
    Kind.SPAWN: 1,
    Kind.ATTACK: 2,
    Kind.ADD_PATH: LINKING_LEAGUE,
    Kind.REMOVE_PATH: LINKING_LEAGUE,
}
MOST_ALIKE = 3
"""Of more errors of one sort than these, only the first two are shown."""

_MESSAGE = "MSG "
_WAIT = "WAIT"
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_EXPECTED = "expected MOVE, SPAWN, ATTACK, ADD_PATH, REMOVE_PATH, MSG or WAIT with their numbers"


# --- Prompts [8] -----------------------------------------------------------------------------------------------------


def prompt(state: State, seat: Seat, first: bool) -> str:
    """The houses (first turn only), scores, units, paths, triangles and pairs that can be linked."""
    own, other = state.units[seat], state.units[1 - seat]
    lines = [f"{house} {mine} {theirs}" for house, (mine, theirs) in enumerate(zip(own, other, strict=True))]
    lines.append(_path_lines(state.land, state.network))
    lines.append(str(len(state.triangles)))
    ends = _TRIANGLE_ENDS[seat]
    names = _triangle_names(state.network)
    lines += [
        name + ends[owner][may_capture] for name, (_, owner, may_capture) in zip(names, state.triangles, strict=True)
    ]
    lines.append(_linkable_lines(state.land, state.network) if state.league >= LINKING_LEAGUE else "0\n")
    opening = _house_lines(state.land) if first else ""
    return f"{opening}{state.scores[seat]} {_shown_score(state, 1 - seat)}\n" + "\n".join(lines)


def _shown_score(state: State, seat: Seat) -> int:
    """The score of a seat as the other one reads it. Seat 0's input is made before seat 1 can be eliminated."""
    out = state.eliminated[seat]
    return out.score if out and seat == 1 else state.scores[seat]


def _triangle_ends(seat: Seat) -> tuple[tuple[str, ...], ...]:
    """[owner][may capture] -> the end of a triangle's line, as the seat sees it. The last owner is NOBODY."""
    return tuple(
        tuple(
            f" {owner if owner == NOBODY else owner ^ seat} {bits >> seat & 1} {bits >> (1 - seat) & 1}"
            for bits in range(4)
        )
        for owner in (0, 1, NOBODY)
    )


_TRIANGLE_ENDS = (_triangle_ends(0), _triangle_ends(1))


@lru_cache(maxsize=16)
def _house_lines(land: Land) -> str:
    lines = [str(len(land.places)), *(f"{house} {x} {y}" for house, (x, y) in enumerate(land.places)), ""]
    return "\n".join(lines)


@lru_cache(maxsize=16)
def _pair_names(land: Land) -> tuple[str, ...]:
    return tuple(f"{a} {b}" for a, b in land.pairs)


@lru_cache(maxsize=64)
def _path_lines(land: Land, network: Network) -> str:
    names = list(compress(_pair_names(land), flags(network.paths)))
    return "\n".join([str(len(names)), *names])


@lru_cache(maxsize=64)
def _linkable_lines(land: Land, network: Network) -> str:
    names = list(compress(_pair_names(land), flags(network.linkable)))
    return "\n".join([str(len(names)), *names, ""])


@lru_cache(maxsize=64)
def _triangle_names(network: Network) -> tuple[str, ...]:
    return tuple(f"{a} {b} {c}" for a, b, c in network.triangles)


# --- Replies [7] -----------------------------------------------------------------------------------------------------


def parse(state: State, seat: Seat, reply: str) -> Move:
    """The commands of a line that pass all checks now, and what the reference says of the others.

    A carriage return at its end is taken for a part of the line end (our decision).
    Raises: BadReply if there is an unknown command; what can be read of the line is its `partial`.
    """
    reader = _Reader(state, seat)
    for part in java_split(_well_formed(reply).removesuffix("\r"), ";"):
        reader.read(part)
    move = Move(tuple(reader.commands), reader.message, tuple(reader.complaints()))
    if reader.unknown is not None:
        raise BadReply(f"{_EXPECTED}, got {quote(reader.unknown)}", partial=move)
    return move


def _well_formed(reply: str) -> str:
    """A lone surrogate cannot be written to a replay."""
    return reply if reply.isascii() else _LONE_SURROGATE.sub("\ufffd", reply)


class _Sort(Enum):
    """Errors of one sort are counted together. UNKNOWN is fatal."""

    UNKNOWN = auto()
    LEAGUE = auto()
    HOUSE = auto()
    TRIANGLE = auto()
    NOT_NOW = auto()
    NO_LINK = auto()
    AMOUNT = auto()
    OUT_OF_REACH = auto()


class _Reader:
    """Reads one line. `unknown`: the first part that is no command, if there is one."""

    def __init__(self, state: State, seat: Seat) -> None:
        self.commands: list[Command] = []
        self.message = ""
        self.unknown: str | None = None
        self._state = state
        self._seat = seat
        self._houses = len(state.land.places)
        self._errors: dict[_Sort, list[str]] = {}

    def read(self, part: str) -> None:
        """One part between semicolons."""
        command = read_words(part)
        if command is not None:
            self._read_command(part, command)
        elif part[: len(_MESSAGE)].upper() == _MESSAGE:
            self.message = _shown(java_trim(part[len(_MESSAGE) :]))
        elif java_trim(part).upper() not in ("", _WAIT):
            self._fail_unknown(part)

    def complaints(self) -> Iterator[Complaint]:
        """By sort, in the order of the first of each. Only the first unknown command is reported."""
        for sort, errors in self._errors.items():
            if sort is _Sort.UNKNOWN:
                yield Complaint(errors[0], fatal=True)
                continue
            shown = errors if len(errors) <= MOST_ALIKE else errors[:2]
            yield from map(Complaint, shown)
            if shown is not errors:
                yield Complaint(f"{len(errors) - len(shown)} more errors of that type")

    def _fail(self, sort: _Sort, words: str) -> None:
        self._errors.setdefault(sort, []).append(words)

    def _fail_unknown(self, part: str) -> None:
        self._fail(_Sort.UNKNOWN, f"Unknown command: {part}")
        if self.unknown is None:
            self.unknown = part

    def _read_command(self, part: str, command: Words) -> None:
        """Houses are checked before numbers that are too large; only the first error is reported."""
        kind, words, numbers = command
        if kind is None:
            return
        named = numbers[: HOUSES_NAMED[kind]]
        missing = [word for word, house in zip(words, named, strict=False) if house >= self._houses]
        if missing:
            self._fail(_Sort.HOUSE, f"Invalid node: {missing[0]}")
        if len(numbers) < len(words):
            self._fail_unknown(part)
        elif not missing:
            self._check(part, kind, numbers)

    def _check(self, part: str, kind: Kind, numbers: Sequence[int]) -> None:
        """The command, whose houses are on the map, counts if nothing else is wrong with it."""
        command = self._command(kind, numbers)
        if command is None:
            return
        if self._state.league < LEAGUE_FROM[kind]:
            self._fail(_Sort.LEAGUE, f"Command not available in your league: {part}")
        elif self._is_allowed(command):
            self.commands.append(command)
        else:
            self._fail(_Sort.NOT_NOW, f"Task can't be applied: {part}")

    def _is_allowed(self, command: Command) -> bool:
        """The strict check. All units are free at this moment."""
        state, free = self._state, self._state.units[self._seat]
        if command.kind is Kind.MOVE:
            return is_free_to_move(command, free)
        corners, owner, _ = state.triangles[command.triangle]
        return is_affordable(state.land, state.network, command, corners=corners, owner=owner, free=free)

    def _command(self, kind: Kind, numbers: Sequence[int]) -> Command | None:
        """The command, or None with the error written down."""
        seat = self._seat
        if kind is Kind.MOVE:
            start, end, amount = numbers
            if amount <= 0:
                self._fail(_Sort.AMOUNT, "Amount of units to move must be positive")
                return None
            return Command(kind, seat, start, end, -1, amount)
        triangle = self._triangle(numbers[:3])
        if triangle is None:
            self._fail(_Sort.TRIANGLE, f"Invalid triangle: {' '.join(map(str, numbers[:3]))}")
            return None
        house, target = numbers[0], numbers[3] if len(numbers) > 3 else numbers[0]
        return self._aimed(Command(kind, seat, house, target, triangle))

    def _triangle(self, named: Sequence[House]) -> int | None:
        """The position of the first triangle with all these houses, which may be repeated."""
        houses = house_set(named)
        for position, corners in enumerate(self._state.network.corner_sets):
            if not houses & ~corners:
                return position
        return None

    def _aimed(self, command: Command) -> Command | None:
        """The command, if its target is where the command can reach it."""
        state, (kind, _, house, target, triangle, _) = self._state, command
        corners = state.triangles[triangle].corners
        if kind is Kind.ATTACK and not touches(state.network, corners, target):
            self._fail(_Sort.OUT_OF_REACH, f"Can't attack house {target} from given triangle")
        elif kind is Kind.ADD_PATH and not can_connect(state.land, state.network.paths, house, target):
            self._fail(_Sort.NO_LINK, f"Can't connect houses {house} and {target}")
        elif kind is Kind.REMOVE_PATH and not touches(state.network, corners, target):
            self._fail(_Sort.OUT_OF_REACH, f"House {target} isn't connected to given triangle")
        else:
            return command
        return None


def _shown(text: str) -> str:
    """A message as it is displayed. A cut through a pair of surrogates leaves U+FFFD."""
    units = text.encode("utf-16-le")
    return text if len(units) <= 2 * MESSAGE_UNITS else units[: 2 * MESSAGE_UNITS].decode("utf-16-le", "replace")


def without_message(reply: str) -> str:
    """The commands that are played."""
    return without_commands(reply, "MSG")
