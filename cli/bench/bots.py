"""`hexarena bench bots`: how much stronger one bot is than another, and what its turns cost.

Real matches in real sandboxes, one for each seed; the two bots change seats from seed to seed. In a free-for-all one of
the first bot plays among several of the second, as many as on the ladder: who is good in duels need not be so in those.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import NormalDist, median, quantiles
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from hexarena.cli.bench.tables import check_json, print_table
from hexarena.cli.entrants import Refused, files_of, ready_bot, with_options
from hexarena.cli.sandboxes import open_sandbox
from hexarena.games.catalogue import UnknownGame, bot_file, find_game
from hexarena.games.contract import Game
from hexarena.games.house import STARTER_BOT
from hexarena.games.referee import Record
from hexarena.worker.play import ReadyBot, play_match
from hexarena.worker.sandbox import Sandbox, SandboxError, require_self_test

CONFIDENCE = 0.95
console = Console(stderr=True)


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two bots, as the user names them, and the rules level that they meet on."""

    first: str
    second: str
    level: int


@dataclass(slots=True)
class Side:
    """What one bot of a pairing did. `cpu_ms`: of each turn but the first; `first_ms`: of first turns."""

    cpu_ms: list[float] = field(default_factory=list)
    first_ms: list[float] = field(default_factory=list)
    faults: int = 0
    warnings: int = 0

    def spread_ms(self) -> tuple[float, float, float]:
        """Median, 99th percentile and maximum of the turns after the first."""
        if len(self.cpu_ms) < 2:
            only = self.cpu_ms[0] if self.cpu_ms else 0.0
            return only, only, only
        return median(self.cpu_ms), quantiles(self.cpu_ms, n=100, method="inclusive")[-1], max(self.cpu_ms)


@dataclass(slots=True)
class Score:
    """A pairing's matches so far, from the first bot's side. `seen`: the different ones of them, as digests.

    `wins`, `draws`, `losses`: for each of the second bot's `others` in a match, whether the first one ended before it.
    """

    wins: int = 0
    draws: int = 0
    losses: int = 0
    others: int = 1
    sides: tuple[Side, Side] = field(default_factory=lambda: (Side(), Side()))
    seen: set[str] = field(default_factory=set)

    @property
    def matches(self) -> int:
        """How many were played."""
        return (self.wins + self.draws + self.losses) // self.others

    @property
    def share(self) -> float:
        """Wins plus half the draws, as a share of all."""
        return (self.wins + self.draws / 2) / (self.matches * self.others) if self.matches else 0.0


def bench_bots(
    game: Annotated[str, typer.Argument(help="Which game, e.g. ants.")],
    level: Annotated[
        int | None, typer.Option(help="Rules level of all pairs; else that of the higher boss's league.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Matches of each pair, one for each seed.")] = 200,
    first_seed: Annotated[int, typer.Option(help="The first seed; the next ones follow it.")] = 1,
    pair: Annotated[
        list[str] | None,
        typer.Option(
            help="A:B, each a house bot's name, a starter's file (starter.cpp) or a source file. May be repeated. "
            "Left out: each boss against the next lower one and against the first starter."
        ),
    ] = None,
    entrants: Annotated[
        int | None,
        typer.Option(min=2, help="How many play in a match, the first bot once. Left out: as many as on the ladder."),
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(help="name=value, for games that have options. May be repeated.")
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all figures as JSON to this file.")] = None,
) -> None:
    """Play bots against each other; print how often each wins and what a turn costs. Ctrl-C prints partial results."""
    try:
        chosen = with_options(find_game(game), option or ())
        pairings = _pairings(chosen, pair or (), level)
        check_json(json_file, files_of(chosen, [bot for one in pairings for bot in (one.first, one.second)]))
        count = _entrants(chosen, entrants)
        scores = [Score(others=count - 1) for _ in pairings]
        stopped = False
        try:
            _play_all(chosen, pairings, scores, range(first_seed, first_seed + seeds))
        except KeyboardInterrupt:
            stopped = True
        print_table(_table(chosen, pairings, scores))
        if json_file is not None:
            json_file.write_text(json.dumps(list(map(_figures, pairings, scores)), indent=1) + "\n")
    except (Refused, UnknownGame, SandboxError, OSError) as error:
        console.print(str(error), style="red", markup=False, highlight=False)
        raise typer.Exit(2) from None
    if stopped:
        raise typer.Exit(130)


def interval(share: float, matches: int) -> tuple[float, float]:
    """Wilson's interval for a share of so many matches; a little wide where draws are counted half."""
    if not matches:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    middle = (share + z * z / (2 * matches)) / (1 + z * z / matches)
    reach = z / (1 + z * z / matches) * (share * (1 - share) / matches + z * z / (4 * matches * matches)) ** 0.5
    return max(0.0, middle - reach), min(1.0, middle + reach)


def default_pairings(game: Game) -> list[Pairing]:
    """Each league's boss against the next lower boss and against the first starter."""
    pairings: list[Pairing] = []
    lower = None
    for league in game.leagues:
        if league.boss is None:
            continue
        if lower is not None:
            pairings.append(Pairing(league.boss, lower, game.top_level))
        pairings.append(Pairing(league.boss, STARTER_BOT, game.top_level))
        lower = league.boss
    return pairings


def _entrants(game: Game, wanted: int | None) -> int:
    """How many play in a match. Raises: Refused."""
    possible = sorted(seats // game.team_seats for seats in game.seats) if game.free_for_all else [2]
    if wanted is not None and wanted not in possible:
        raise Refused(f"expected {' or '.join(map(str, possible))} entrants of {game.title}; got {wanted}")
    return wanted or (game.ladder_entrants[0] if game.free_for_all else 2)


def _pairings(game: Game, pairs: Sequence[str], level: int | None) -> list[Pairing]:
    if level is not None and level not in game.levels:
        raise Refused(f"expected a level of {', '.join(map(str, game.levels))}; got {level}")
    if not pairs:
        found = default_pairings(game)
        return found if level is None else [Pairing(one.first, one.second, level) for one in found]
    split = [pair.split(":") for pair in pairs]
    for pair, names in zip(pairs, split, strict=True):
        if len(names) != 2 or not all(names):
            raise Refused(f"expected a pair as A:B; got {pair}")
    return [Pairing(first, second, level or game.top_level) for first, second in split]


def _play_all(game: Game, pairings: Sequence[Pairing], scores: Sequence[Score], seeds: Sequence[int]) -> None:
    """Fills `scores`, so that partial results remain after an interruption."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with (
        open_sandbox() as sandbox,
        Progress(*columns, console=console, transient=True) as progress,
    ):
        sandbox.sweep()
        require_self_test(sandbox)
        ready = {name: _ready(game, sandbox, name) for one in pairings for name in (one.first, one.second)}
        for pairing, score in zip(pairings, scores, strict=True):
            task = progress.add_task(f"{pairing.first} : {pairing.second}", total=len(seeds))
            bots = (ready[pairing.first], ready[pairing.second])
            for order, seed, record in _matches(game, sandbox, bots, score.others, pairing.level, seeds):
                _count(score, record, game.seated(order, seed))
                wins = f"{score.wins}-{score.draws}-{score.losses}"
                progress.update(task, advance=1, description=f"{pairing.first} : {pairing.second}  {wins}")


def _ready(game: Game, sandbox: Sandbox, name: str) -> ReadyBot:
    shipped = bot_file(game, name)
    return ready_bot(game, sandbox, str(shipped) if name in game.starters else name)


def _matches(
    game: Game, sandbox: Sandbox, bots: tuple[ReadyBot, ReadyBot], others: int, level: int, seeds: Sequence[int]
) -> Iterator[tuple[Sequence[int], int, Record]]:
    """(entrant -> 0 for the first bot, 1 for the second; seed; record) of each match."""
    for index, seed in enumerate(seeds):
        order = [1] * (1 + others)
        order[index % len(order)] = 0
        entrants = game.seated([bots[bot] for bot in order], seed)
        yield order, seed, play_match(game, sandbox, entrants, seed=seed, league=level).record


def _count(score: Score, record: Record, seats: Sequence[int]) -> None:
    """`seats`: seat -> 0 for the pairing's first bot, 1 for its second."""
    ranks = record.outcome.ranks
    ours = ranks[seats.index(0)]
    theirs_all = [rank for rank, bot in zip(ranks, seats, strict=True) if bot == 1]
    for theirs in theirs_all[: score.others]:  # the seats of a team share a rank
        score.wins += ours < theirs
        score.draws += ours == theirs
        score.losses += ours > theirs
    for fault in record.faults:
        side = score.sides[seats[fault.seat]]
        side.warnings += fault.kind == "warning"
        side.faults += fault.kind != "warning"
    asked: set[int] = set()
    for turn in record.turns:
        for exchange in turn.exchanges:
            side = score.sides[seats[exchange.seat]]
            (side.cpu_ms if exchange.seat in asked else side.first_ms).append(1000 * exchange.cpu_s)
            asked.add(exchange.seat)
    replies = [[exchange.reply for exchange in turn.exchanges] for turn in record.turns]
    score.seen.add(hashlib.sha256(json.dumps(replies).encode()).hexdigest())


def _table(game: Game, pairings: Sequence[Pairing], scores: Sequence[Score]) -> Table:
    among = {score.others for score in scores} - {1}
    field = "".join(f"; each first bot among {others} of the second" for others in among)
    table = Table(title=f"{game.title}: CPU times in ms, those of a turn without the first ones{field}")
    for heading in ("bots", "level", "W-D-L", "share", "95 %", "median", "99 %", "most", "first turn", "faults"):
        table.add_column(heading, justify="left" if heading == "bots" else "right", no_wrap=True)
    for pairing, score in zip(pairings, scores, strict=True):
        spreads = list(zip(*(side.spread_ms() for side in score.sides), strict=True))
        table.add_row(
            f"{pairing.first}\n{pairing.second}",
            str(pairing.level),
            f"{score.wins}-{score.draws}-{score.losses}",
            f"{score.share:.1%}",
            "{:.0%}-{:.0%}".format(*interval(score.share, score.matches)),
            *("\n".join(f"{value:.1f}" for value in values) for values in spreads),
            "\n".join(f"{max(side.first_ms, default=0.0):.0f}" for side in score.sides),
            "\n".join(str(side.faults) for side in score.sides),
            end_section=True,
        )
    alike = [
        f"{one.first}:{one.second} {score.matches - len(score.seen)}"
        for one, score in zip(pairings, scores, strict=True)
    ]
    if any(len(score.seen) < score.matches for score in scores):
        table.caption = f"Matches that only repeat an earlier one, reply by reply: {', '.join(alike)}."
    return table


def _figures(pairing: Pairing, score: Score) -> dict[str, object]:
    low, high = interval(score.share, score.matches)
    sides = []
    for name, side in zip((pairing.first, pairing.second), score.sides, strict=True):
        middle, most_of, most = side.spread_ms()
        cpu = {"median": middle, "p99": most_of, "max": most, "first_max": max(side.first_ms, default=0.0)}
        sides.append({"bot": name, "faults": side.faults, "warnings": side.warnings, "cpu_ms": cpu})
    return {
        "level": pairing.level,
        "matches": score.matches,
        "entrants": 1 + score.others,
        "different": len(score.seen),
        "wins": score.wins,
        "draws": score.draws,
        "losses": score.losses,
        "share": score.share,
        "low": low,
        "high": high,
        "bots": sides,
    }
