"""A played match as a file from which it can be played again, or played on: `hexarena match --record`.

JSON lines: what was played; then for each turn what every seat replied; then how it ended. Unlike a replay it holds the
replies as they were, and which bots they were of, as the user named them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import orjson

from hexarena.games.contract import Game, Json
from hexarena.games.ghosts import Ghost, Recorded, Said
from hexarena.games.lines import Player, end_line, header_line, turn_line
from hexarena.games.referee import Record, Turn, play

FORMAT = 1


class BadRecord(ValueError):
    """Not the record of a match. The message says what was expected and what was got."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What such a file holds. `bots`: seat -> as the user named it. `said`: seat -> (turn, reply), in order."""

    game: str
    version: str
    seed: int
    league: int
    options: Mapping[str, int | str]
    bots: tuple[str, ...]
    players: tuple[Player, ...]
    said: tuple[tuple[tuple[int, Said], ...], ...]
    frames: tuple[Mapping[str, Json], ...]
    digest: str

    @property
    def turns(self) -> int:
        """How many were played."""
        return len(self.frames)

    def until(self, turn: int) -> Recorded:
        """The match up to this turn, with its frames to compare with."""
        said = tuple(tuple(one for at, one in of_seat if at <= turn) for of_seat in self.said)
        return Recorded(turn, said, self.frames[:turn])


def to_text(record: Record, *, options: Mapping[str, int | str], bots: Sequence[str], players: Sequence[Player]) -> str:
    """The file of a match."""
    opening = {
        "record": FORMAT,
        "game": record.game,
        "version": record.version,
        "seed": str(record.seed),
        "league": record.league,
        "options": dict(options),
        "bots": list(bots),
        "players": [asdict(player) for player in players],
    }
    lines = [opening, *map(_turn, record.turns), {"digest": record.digest}]
    return "".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE).decode() for line in lines)


def _turn(turn: Turn) -> dict[str, Json]:
    fatal = {fault.seat: fault for fault in turn.faults if fault.kind != "warning"}
    said: list[Json] = []
    for one in turn.exchanges:
        fault = fatal.get(one.seat) if one.reply is None else None
        kind, message = (fault.kind, fault.message) if fault else ("crash", "")
        said.append([one.seat, one.reply, kind, message, one.cpu_s, one.stderr])
    return {"said": said, "frame": orjson.loads(turn_line(turn))}


def read(text: bytes) -> Saved:
    """Raises: BadRecord."""
    try:
        opening, *turns, end = [orjson.loads(line) for line in text.splitlines()]
        if "v" in opening and "record" not in opening:
            raise BadRecord(
                "expected a file that `hexarena match --record` wrote; got a replay, which lacks the replies"
            )
        if opening["record"] != FORMAT:
            raise BadRecord(f"expected a record of format {FORMAT}; got {opening['record']!r}")
        _check_opening(opening)
        said: list[list[tuple[int, Said]]] = [[] for _ in opening["players"]]
        for number, turn in enumerate(turns, start=1):
            for seat, line, kind, message, cpu_s, stderr in turn["said"]:
                texts = (kind, message, stderr, "" if line is None else line)
                if not all(isinstance(text, str) for text in texts) or not isinstance(cpu_s, int | float) or seat < 0:
                    raise ValueError(f"turn {number}: expected seat, reply, kind, message, CPU seconds, stderr")
                said[seat].append((number, Said(line, kind, message, cpu_s, stderr)))
        return Saved(
            game=opening["game"],
            version=opening["version"],
            seed=int(opening["seed"]),
            league=opening["league"],
            options=opening["options"],
            bots=tuple(opening["bots"]),
            players=tuple(Player(**player) for player in opening["players"]),
            said=tuple(map(tuple, said)),
            frames=tuple(turn["frame"] for turn in turns),
            digest=end["digest"],
        )
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        if isinstance(error, BadRecord):
            raise
        raise BadRecord(f"expected a file that `hexarena match --record` wrote; got another one ({error})") from None


def _check_opening(opening: Mapping[str, Json]) -> None:
    """Raises: ValueError, KeyError, AttributeError, TypeError."""
    if not all(isinstance(opening[key], str) for key in ("game", "version")):
        raise ValueError("expected texts as game and version")
    if not -(2**63) <= int(opening["seed"]) < 2**63:
        raise ValueError("expected a signed 64-bit seed")
    if not isinstance(opening["league"], int):
        raise ValueError("expected a whole number as league")
    if not all(isinstance(value, int | str) for value in opening["options"].values()):
        raise ValueError("expected texts and whole numbers as options")
    bots, players = opening["bots"], opening["players"]
    if not isinstance(bots, list) or not all(isinstance(bot, str) for bot in bots) or len(bots) != len(players):
        raise ValueError("expected a text as the bot of each player")


def check_fits(game: Game, saved: Saved) -> None:
    """Whether the game has as many seats and this rules level. Raises: BadRecord."""
    if len(saved.said) not in game.seats:
        raise BadRecord(f"expected {' or '.join(map(str, game.seats))} players; got {len(saved.said)}")
    if saved.league not in game.levels:
        raise BadRecord(f"expected a rules level of {', '.join(map(str, game.levels))}; got {saved.league}")


def play_again(game: Game, saved: Saved) -> tuple[Record, str]:
    """The same match from its replies alone, and its replay.

    Raises: NotRepeated, where it does not come out as it was; BadRecord, where the game has no such matches.
    """
    check_fits(game, saved)
    ghosts = [Ghost(said) for said in saved.until(saved.turns).said]
    record = play(game, ghosts, seed=saved.seed, league=saved.league)
    opening = header_line(game, record.header, seed=saved.seed, league=saved.league, players=saved.players)
    return record, "".join([opening, *map(turn_line, record.turns), end_line(record.outcome)])
