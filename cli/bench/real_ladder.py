"""`hexarena bench real-ladder` and `bench round-robin`: the ladder with real bots, and what its result should be.

Both need numpy, scipy and the database's tables, which they import only when they run.
"""

from __future__ import annotations

from http.client import HTTPException
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from hexarena.cli.bench.real_arena import ArenaFailed
from hexarena.cli.entrants import Refused, seed_and_league
from hexarena.games.catalogue import UnknownGame, find_game
from hexarena.worker.sandbox import SandboxError

console = Console(stderr=True)


def bench_round_robin(
    game: Annotated[str, typer.Argument(help="Which game, e.g. ants.")],
    rounds: Annotated[int, typer.Option(min=1, help="Matches of each pair; for teams, blocks of matches.")] = 4,
    folder: Annotated[
        Path, typer.Option(help="Where the results are, or will be: GAME.jsonl, GAME-LEVEL.jsonl for a lower level.")
    ] = Path(),
    level: Annotated[int | None, typer.Option(help="Rules level; the full game if left out.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Matches at once, each on a core of its own.")] = 2,
    only_report: Annotated[bool, typer.Option("--only-report", help="Play nothing; report what the file has.")] = False,
) -> None:
    """Play the house bots and their variants against each other, and print their scores."""
    from hexarena.cli.bench.round_robin import check_variants, round_robin

    try:
        chosen = find_game(game)
        check_variants(chosen)
        _, rules_level = seed_and_league(chosen, 1, level)
        round_robin(chosen, rules_level, rounds=rounds, folder=folder, jobs=jobs, only_report=only_report)
    except (Refused, UnknownGame, SandboxError, OSError, ValueError) as error:
        raise _failed(error) from None


def bench_real_ladder(
    minutes: Annotated[float, typer.Option(min=0.1, help="How long the ladder plays once all bots are live.")] = 60.0,
    game: Annotated[
        list[str] | None, typer.Option(help="Which game; all of Hexarena's if left out. May be repeated.")
    ] = None,
    folder: Annotated[Path, typer.Option(help="Results go here, the arena's data into `arena` below.")] = Path(
        "real-ladder"
    ),
    round_robin: Annotated[
        Path | None, typer.Option(help="The folder of `bench round-robin` that the boards are compared with.")
    ] = None,
    port: Annotated[int, typer.Option(help="Where the arena listens.")] = 8071,
    processes: Annotated[int, typer.Option(help="The arena's worker processes; one is for urgent matches.")] = 3,
    fill_in_s: Annotated[float, typer.Option(help="The arena's HEXARENA_FILL_IN_S.")] = 0.25,
    only_compare: Annotated[
        bool, typer.Option("--only-compare", help="Start nothing; compare what the folder has with the round robin.")
    ] = False,
) -> None:
    """Let the real ladder play twenty real bots a game, and compare its boards with a round robin of them."""
    from hexarena.bench.real.variants import VARIANTS
    from hexarena.cli.bench.real_board import BoardOrder, real_ladder
    from hexarena.cli.bench.round_robin import check_variants

    try:
        chosen = [find_game(name) for name in game or VARIANTS]
        for one in chosen:
            check_variants(one)
        settings = {"HEXARENA_FILL_IN_S": str(fill_in_s), "HEXARENA_WORKER_PROCESSES": str(processes)}
        order = BoardOrder(minutes, folder, round_robin, port, settings, only_compare)
        real_ladder(chosen, order)
    except (ArenaFailed, Refused, UnknownGame, HTTPException, OSError, ValueError) as error:
        raise _failed(error) from None


def _failed(error: Exception) -> typer.Exit:
    console.print(str(error), style="red", markup=False, highlight=False)
    return typer.Exit(2)
