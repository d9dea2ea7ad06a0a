"""What the tools say to a referee program: `-p1 CMD -p2 CMD -d seed=N -l FILE`, and our own options.

Source: the command line that cg-brutaltester's README describes, and which referees for it have in common.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hexarena.cli.entrants import Refused, as_text, bots_by_seat, named_game, seed_and_league, with_options
from hexarena.games.contract import Game

MOST_PLAYERS = 8
EXAMPLE = """\
example:
  hexarena referee ants -p1 "./a.out" -p2 "python3 my.py" -d seed=42 -l log.json

It prints a score for each player, then seed=42. A player is a command line, run in the current folder, or a bot as
for `hexarena match`: a source file, a zip, a folder, a house bot. The log has CodinGame's keys: scores, errors,
outputs, summaries, uinput; errors is stderr. With --psyleague it prints what psyleague's cmd_play_game reads:
  cmd_play_game = "hexarena referee ants -p1 %DIR%/%P1%.exe -p2 %DIR%/%P2%.exe --psyleague"
"""


@dataclass(frozen=True, slots=True)
class Order:
    """A match that was asked for. `bots`: seat -> bot as the user wrote it; `names`: their names in the log."""

    game: Game
    bots: Sequence[str]
    names: Sequence[str]
    seed: int
    league: int
    log: Path | None
    replay: Path | None
    psyleague: bool
    no_sandbox: bool


def read_order(words: Sequence[str]) -> Order:
    """Raises: Refused, UnknownGame. Ends the process after `-h`, and with code 2 for options that do not exist."""
    given = _parser().parse_args(words)
    game = with_options(named_game(given.game), given.option)
    players = _players(given, game)
    seed, league = seed_and_league(game, _seed(given), given.league)
    if given.server:
        raise Refused("-s, the game engine's own viewer, is not offered: use --replay FILE, then `hexarena watch FILE`")
    bots = bots_by_seat(game, [command for command, _ in players], seed)
    names = bots_by_seat(game, [name for _, name in players], seed)
    log = given.log and Path(given.log)
    replay = given.replay and Path(given.replay)
    return Order(game, bots, names, seed, league, log, replay, given.psyleague, given.no_sandbox)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "hexarena referee",
        description="Play one match for another tool: the command line of CodinGame's game engine.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("game", metavar="GAME", help="a game's id, e.g. ants, or the folder of one")
    for number in range(1, MOST_PLAYERS + 1):
        text = f"the players' command lines: -p1 CMD -p2 CMD … -p{MOST_PLAYERS}" if number == 1 else argparse.SUPPRESS
        parser.add_argument(f"-p{number}", metavar="CMD", dest=f"p{number}", help=text)
        parser.add_argument(f"-p{number}n", metavar="NAME", dest=f"p{number}n", help=argparse.SUPPRESS)
    parser.add_argument("-d", metavar="seed=N", dest="data", help="the seed; drawn if left out")
    parser.add_argument("-seed", "--seed", metavar="N", help="the same")
    parser.add_argument("-l", metavar="FILE", dest="log", help="write the log to this file, as JSON")
    parser.add_argument("-s", dest="server", action="store_true", help=argparse.SUPPRESS)
    level = "rules level; the full game if left out"
    parser.add_argument("-level", "--level", "-league", "--league", metavar="N", type=int, dest="league", help=level)
    parser.add_argument("--option", metavar="NAME=N", action="append", default=[], help="for games that have options")
    parser.add_argument("--replay", metavar="FILE", help="write the replay to this file (see `hexarena watch`)")
    parser.add_argument("--psyleague", action="store_true", help="print a line of JSON as psyleague reads it")
    parser.add_argument("--no-sandbox", action="store_true", help="run the bots without isolation: your own code only")
    return parser


def _players(given: argparse.Namespace, game: Game) -> list[tuple[str, str]]:
    """(command, name) of each player. Raises: Refused when one is missing before another."""
    players = [(getattr(given, f"p{number}"), number) for number in range(1, MOST_PLAYERS + 1)]
    there = [number for command, number in players if command is not None]
    if there != list(range(1, len(there) + 1)):
        raise Refused(f"expected the players -p1, -p2, … without a gap; got {', '.join(f'-p{one}' for one in there)}")
    if len(there) < 2:
        got = "only -p1" if there else "none"
        raise Refused(f"expected a command for each player, -p1 CMD -p2 CMD; got {got}. {game.title} needs at least 2.")
    return [(command, as_text(getattr(given, f"p{number}n") or command)) for command, number in players[: len(there)]]


def _seed(given: argparse.Namespace) -> int | None:
    """The seed of `-d seed=N` or `--seed N`. Raises: Refused."""
    if given.data is None and given.seed is None:
        return None
    name, _, number = ("seed", "", given.seed) if given.data is None else given.data.strip().partition("=")
    try:
        if name.strip() != "seed":
            raise ValueError
        return int(number)
    except ValueError:
        raise Refused(f"expected -d seed=N with a number; got {given.data or given.seed!r}") from None
