"""`hexarena bench replays`: how large stored replays are, on real matches of the strongest house bots of each game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from statistics import median
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from hexarena.cli.bench.tables import print_table
from hexarena.cli.entrants import ready_bot
from hexarena.cli.sandboxes import open_sandbox
from hexarena.games.catalogue import UnknownGame, all_games, find_game
from hexarena.games.contract import Game
from hexarena.worker.play import play_match
from hexarena.worker.sandbox import SandboxError, require_self_test

GOALS_BYTES: Mapping[str, int] = {
    "ants": 6_000,
    "tryangle": 10_000,
    "yavalath": 1_000,
    "battlegrounds": 250_000,
    "tron": 2_000,
}
console = Console(stderr=True)


def bench_replays(
    games: Annotated[list[str] | None, typer.Argument(help="Which games; all if left out.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Matches of each game, with the seeds 1, 2, …")] = 5,
) -> None:
    """Play matches and print how large their replays are, gzipped as they are stored. Ctrl-C prints partial results."""
    table = Table(title="Replays, gzipped, in bytes; goals are for the largest")
    for heading in ("game", "matches", "turns", "smallest", "median", "largest", "goal", "met"):
        table.add_column(heading, justify="left" if heading == "game" else "right", no_wrap=True)
    try:
        chosen = [find_game(name) for name in games] if games else list(all_games().values())
        with Progress(console=console, transient=True) as progress, suppress(KeyboardInterrupt):
            for game in chosen:
                sizes = list(progress.track(_sizes(game, seeds), total=seeds, description=game.title))
                table.add_row(*_row(game, sizes))
    except (UnknownGame, SandboxError, OSError) as error:
        console.print(str(error), style="red", markup=False, highlight=False)
        raise typer.Exit(2) from None
    print_table(table)


def _sizes(game: Game, seeds: int) -> Iterator[tuple[int, int]]:
    """(turns, bytes) of each match. Matches are played with all of the game's turns."""
    from hexarena.backend.matches.blobs import packed

    names = [bot.name for bot in (*game.house_bots, *game.house_bots)[-2:]]
    with open_sandbox() as sandbox:
        require_self_test(sandbox)
        entrants = game.side_by_side([ready_bot(game, sandbox, name) for name in names])
        for seed in range(1, seeds + 1):
            played = play_match(game, sandbox, entrants, seed=seed, league=game.top_level)
            yield len(played.record.turns), len(packed(played.replay))


def _row(game: Game, sizes: list[tuple[int, int]]) -> Iterator[str]:
    turns, stored = zip(*sizes, strict=True)
    goal = GOALS_BYTES.get(game.id)
    yield game.title
    yield f"{len(sizes):,}"
    yield f"{min(turns):,}-{max(turns):,}"
    yield from (f"{value:,.0f}" for value in (min(stored), median(stored), max(stored)))
    yield "" if goal is None else f"{goal:,}"
    yield "" if goal is None else ("yes" if max(stored) <= goal else "NO")
