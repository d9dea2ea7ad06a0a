"""A replay as text: JSON lines, the same on disk, over HTTP and live. docs/replay-format.md is the full description.

Public: one header, one line a turn, one end line. Private: one line a turn for each seat, for its bot's owner only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import orjson

from hexarena.games.contract import Game, GameError, Json, Outcome, Seat
from hexarena.games.referee import HIDDEN, Exchange, Turn

FORMAT = 1
IO_TURN_CHARACTERS = 2_000
STDERR_END_CHARACTERS = 800
IO_MATCH_CHARACTERS = 256_000
AT_THE_END = "is shown at the end"
"""Instead of a fault's words, which may give away what the seat knows."""
_CUT = re.compile(r"… \([0-9]+ characters cut\)\Z")


@dataclass(frozen=True, slots=True)
class Player:
    """Who has a seat, as in the replay's header. `version` and `rating` are None outside the arena."""

    bot: str
    owner: str = ""
    language: str = ""
    version: int | None = None
    rating: float | None = None


def parsed_lines(text: str) -> Iterator[Any]:
    """The lines of a replay or of a seat's log. A text in one may have U+2028, at which `splitlines` would split it."""
    return (orjson.loads(line) for line in text.split("\n") if line)


def header_line(
    game: Game, header: Json, *, seed: int, league: int, players: Sequence[Player], match_id: str | None = None
) -> str:
    """The first line. Seeds are text, as JavaScript cannot hold all 64-bit integers."""
    return _line(
        {
            "v": FORMAT,
            "game": game.id,
            "rules": game.version,
            "match": match_id,
            "seed": str(seed),
            "league": league,
            "turns": game.max_turns,
            "ms": round(game.clock.turn_s * 1000),
            "first_ms": round(game.clock.first_s * 1000),
            **({"team_seats": game.team_seats} if game.team_seats > 1 else {}),
            "players": [asdict(player) for player in players],
            "init": header,
        }
    )


def seen_by(seat: Seat | None, line: str) -> str:
    """A line of a game that hides something, as this seat sees it while the match is played; None: as those who watch.

    What is hidden from it is left out; so are notes to other seats, the words of their faults, and the seed, from which
    the rules deal.
    """
    parsed = orjson.loads(line)
    if "seed" in parsed and "init" in parsed:
        parsed["seed"] = None
    for holder in (parsed, parsed.get("init")):
        if isinstance(holder, dict) and HIDDEN in holder:
            own = {key: value for key, value in holder.pop(HIDDEN).items() if key == str(seat)}
            holder.update({HIDDEN: own} if own else {})
    if notes := [note for note in parsed.pop("notes", ()) if note[0] == seat]:
        parsed["notes"] = notes
    for fault in parsed.get("faults", ()):
        if fault[0] != seat:
            fault[2] = AT_THE_END
    return _line(parsed)


def without_names(header: str, seats: Collection[int]) -> str:
    """A header in which the bots of these seats and their owners are called "deleted"."""
    parsed = orjson.loads(header)
    for seat in seats:
        parsed["players"][seat] |= {"bot": "deleted", "owner": "deleted"}
    return _line(parsed)


def turn_line(turn: Turn) -> str:
    """A turn's frame, with the faults that the referee recorded in it, and the CPU time of each seat."""
    line = dict(turn.frame)
    if turn.faults:
        line["faults"] = [[fault.seat, fault.kind, fault.message] for fault in turn.faults]
    cpu = _cpu_ms(turn)
    if any(cpu):
        line["cpu"] = cpu
    return _line(line)


def end_line(outcome: Outcome) -> str:
    """The last line."""
    return _line({"end": True, "scores": outcome.scores, "ranks": outcome.ranks, "reason": outcome.reason})


def void_line(why: str) -> str:
    """The last line of a match that does not count."""
    return _line({"end": True, "void": why})


def _cpu_ms(turn: Turn) -> list[float | None]:
    """Seat -> CPU milliseconds, None for those that were not asked; up to the last one that was."""
    used = {exchange.seat: round(exchange.cpu_s * 1000, 1) for exchange in turn.exchanges}
    return [used.get(seat) for seat in range(max(used, default=-1) + 1)]


class SeatLog:
    """One seat's private lines. Each text is cut at 2,000 characters a turn, and says so. A long stderr keeps its end:
    when a bot crashes, its traceback is there.

    All prompts of a match are cut at 256,000 together. Replies have a limit of the same size, and so has stderr:
    without its replies, a match cannot be played again.
    """

    def __init__(self) -> None:
        self._read = _Allowance(IO_MATCH_CHARACTERS)
        self._replied = _Allowance(IO_MATCH_CHARACTERS)
        self._logged = _Allowance(IO_MATCH_CHARACTERS)

    def line(self, number: int, exchange: Exchange) -> str:
        """`i` prompt, `o` reply or null, `e` stderr, `cpu` and `ms`: CPU and wall milliseconds."""
        return _line(
            {
                "t": number,
                "i": self._read.cut(exchange.prompt),
                "o": None if exchange.reply is None else self._replied.cut(exchange.reply),
                "e": self._logged.cut(exchange.stderr, end=STDERR_END_CHARACTERS),
                "cpu": round(exchange.cpu_s * 1000, 3),
                "ms": round(exchange.wall_s * 1000, 3),
            }
        )


def is_cut(text: str) -> bool:
    """Whether a seat's log has only the beginning of this text. One that a bot wrote may look as if it were cut."""
    return _CUT.search(text) is not None


class _Allowance:
    """How many more characters of a match may be kept."""

    def __init__(self, characters: int) -> None:
        self._left = characters

    def cut(self, text: str, *, end: int = 0) -> str:
        """The part of a text that is kept: its beginning and, where there is room for both, its last characters."""
        room = IO_TURN_CHARACTERS if self._left > IO_TURN_CHARACTERS else self._left
        if len(text) <= room:
            self._left -= len(text)
            return text
        self._left -= room
        end = end if room > 2 * end else 0
        dropped = f"… ({len(text) - room} characters cut)"
        return f"{text[: room - end]}{dropped}" + (f" …{text[-end:]}" if end else "")


def _line(value: Mapping[str, Json]) -> str:
    """Written by orjson: most of a match's output is text, and the standard library takes ten times as long.

    Raises: GameError.
    """
    try:
        return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE).decode()
    except TypeError as error:
        # What the arena adds are texts and numbers; the rest is the game's.
        raise GameError(f"expected what JSON can hold, in the game's header, frames and texts: {error}") from error
