"""`hexarena bench pool`: our pool beside psyleague, with the same bots on the same cores in one run.

Two questions. Speed: both play real matches, one after the other; psyleague with our referee, as its users would. And
how many games an order takes: that depends much on luck, so it is asked many times, in leagues whose games are drawn
from those of a real round robin of the bots, instead of played. Both choose and rate with their own code: psyleague's
is imported from its package, unmodified. The order that they should find is that of the round robin's points.
"""

from __future__ import annotations

import json
import os
import random as psyleagues_random
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from hexarena.cli.bench.tables import check_json, print_table
from hexarena.cli.entrants import Refused
from hexarena.cli.process_pool import usable_cores
from hexarena.games.catalogue import UnknownGame, find_game
from hexarena.games.contract import Game

TAU = 0.9
LOOK_AT = 10
"""Games between two looks at the order."""
Outcomes = Mapping[tuple[str, str], Sequence[tuple[int, int]]]
"""(first, second) -> the ranks of their games in a round robin."""
console = Console(stderr=True)


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast games were played. `cpu_s`: CPU seconds of all processes, bots included."""

    games: int
    wall_s: float
    cpu_s: float
    cores: int

    @property
    def per_core_s(self) -> float:
        """Games in a second of one core."""
        return self.games / self.wall_s / self.cores


@dataclass(frozen=True, slots=True)
class League:
    """When an order was good. `tau`: after each LOOK_AT games."""

    tau: tuple[float, ...]

    @property
    def games(self) -> int | None:
        """The number of games after which tau is at least TAU and stays so; None if it never is."""
        bad = [index for index, tau in enumerate(self.tau) if tau < TAU]
        first = bad[-1] + 1 if bad else 0
        return (first + 1) * LOOK_AT if first < len(self.tau) else None


def bench_pool(
    game: Annotated[str, typer.Argument(help="Which game, of two seats, e.g. yavalath.")] = "yavalath",
    bots: Annotated[int, typer.Option(min=3, max=20, help="How many of the game's twenty bots.")] = 8,
    rounds: Annotated[int, typer.Option(min=2, help="Games of each pair in the round robin.")] = 8,
    games: Annotated[int, typer.Option(min=2, help="Games that each of the two plays for its speed.")] = 60,
    leagues: Annotated[int, typer.Option(min=1, help="How often each looks for the order.")] = 20,
    league_games: Annotated[int, typer.Option(min=LOOK_AT, help="Games in each of these leagues.")] = 600,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all figures as JSON to this file.")] = None,
) -> None:
    """Measure the pool beside psyleague: games per core-second, and games until the order of the bots is right."""
    check_json(json_file)
    from hexarena.bench.real import variants
    from hexarena.cli.bench.round_robin import check_variants

    try:
        chosen = find_game(game)
        check_variants(chosen)
        if not chosen.for_two:
            raise Refused(f"expected a game for two; got {chosen.title}")
        psyleague = import_module("psyleague.psyleague")
    except (Refused, UnknownGame) as error:
        console.print(str(error), style="red", markup=False)
        raise typer.Exit(2) from None
    except ModuleNotFoundError:
        console.print("expected psyleague, a development dependency: pip install psyleague", style="red")
        raise typer.Exit(2) from None
    names = variants.names(chosen)[:: len(variants.names(chosen)) // bots][:bots]
    outcomes = _round_robin(chosen, names, rounds)
    truth = _points(outcomes, names)
    console.print("Playing for speed.")
    speeds = {"pool": _pool_speed(chosen, names, games), "psyleague": _psyleague_speed(chosen, names, games)}
    console.print("Looking for the order.")
    looks: dict[str, Callable[[int], League]] = {
        "pool": partial(_pool_league, chosen, outcomes, truth, league_games),
        "psyleague": partial(_psyleague_league, psyleague, outcomes, truth, league_games),
    }
    found = {name: [look(seed) for seed in range(leagues)] for name, look in looks.items()}
    print_table(_table(chosen, speeds, found, len(names)))
    if json_file is not None:
        figures = {
            name: {**asdict(speeds[name]), "games_to_tau": [one.games for one in found[name]]} for name in speeds
        }
        json_file.write_text(json.dumps({"game": chosen.id, "bots": names, "rounds": rounds, **figures}) + "\n")


# --- The order -------------------------------------------------------------------------------------------------------


def _round_robin(game: Game, names: Sequence[str], rounds: int) -> Outcomes:
    """Plays it for real, on all cores."""
    from hexarena.bench.real.round_robin import fixtures
    from hexarena.cli.bench.round_robin import play_fixtures

    planned = fixtures(game, names, rounds)
    console.print(f"Playing a round robin of {len(planned)} games.")
    found: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for one in play_fixtures(game, game.top_level, planned, usable_cores()):
        first, second = (team[0] for team in one.teams)
        found[first, second].append((one.ranks[0], one.ranks[1]))
    return found


def _points(outcomes: Outcomes, names: Sequence[str]) -> dict[str, float]:
    """Bot -> its share of the points, the same weight for each opponent."""
    shares: dict[str, list[float]] = {name: [] for name in names}
    for (first, second), ranks in outcomes.items():
        share = sum((one < other) + (one == other) / 2 for one, other in ranks) / len(ranks)
        shares[first].append(share)
        shares[second].append(1 - share)
    return {name: sum(of) / len(of) for name, of in shares.items()}


def _tau(board: Mapping[str, float], truth: Mapping[str, float]) -> float:
    from scipy.stats import kendalltau

    return float(kendalltau([board[name] for name in truth], list(truth.values())).statistic)


def _pool_league(game: Game, outcomes: Outcomes, truth: Mapping[str, float], games: int, seed: int) -> League:
    """Pairs and rates as `hexarena pool run` does."""
    import numpy as np

    from hexarena.cli.pool.ranking import Ranking
    from hexarena.cli.pool.state import PoolState

    random, names = np.random.default_rng(seed), list(truth)
    entering = [{"enter": name, "bot": name, "version": 1, "digest": name} for name in names]
    state = PoolState.of([{"pool": 1, "game": game.id, "league": game.top_level}, *entering])
    ranking, taus = Ranking(state), []
    for number in range(1, games + 1):
        nodes = ranking.next_match(range(len(names)), Counter(), random)
        bots = [names[node] for node in nodes]
        ranks = _draw(outcomes, bots, int(random.integers(2**32)))
        line = {"match": number, "bots": [[bot, 1] for bot in bots], "ranks": ranks, "faults": [None, None]}
        state.apply({**line, "cpu_s": 0.0, "digest": str(number)})
        if number % LOOK_AT == 0:
            board = {row.name: row.rating for row in ranking.board(exact=True)}
            taus.append(_tau(board, truth))
    return League(tuple(taus))


def _psyleague_league(psyleague: Any, outcomes: Outcomes, truth: Mapping[str, float], games: int, seed: int) -> League:
    """Pairs and rates as psyleague does by its own default settings."""
    psyleague.cfg = psyleague.load_config(str(Path(psyleague.__file__).with_name("psyleague.cfg")))
    psyleagues_random.seed(seed)
    bots = {name: psyleague.Bot(name, "") for name in truth}
    taus = []
    for number in range(1, games + 1):
        players = psyleague.choose_match(bots)
        ranks = _draw(outcomes, players, psyleagues_random.getrandbits(32))
        psyleague.update_ranking(bots, psyleague.Game(players, list(ranks), [0, 0]))
        if number % LOOK_AT == 0:
            taus.append(_tau({name: bot.mu - 3 * bot.sigma for name, bot in bots.items()}, truth))
    return League(tuple(taus))


def _draw(outcomes: Outcomes, bots: Sequence[str], number: int) -> tuple[int, int]:
    """The ranks of one of their games, in these seats or, where there is none, in the others."""
    first, second = bots
    if (first, second) in outcomes:
        ranks = outcomes[first, second]
        return ranks[number % len(ranks)]
    turned = outcomes[second, first]
    one, other = turned[number % len(turned)]
    return other, one


# --- Speed -----------------------------------------------------------------------------------------------------------


def _pool_speed(game: Game, names: Sequence[str], games: int) -> Speed:
    with TemporaryDirectory(prefix="hexarena-bench-") as folder:
        path = Path(folder)
        _hexarena(path, "pool", "init", "my", game.id)
        _write_bots(game, names, path / "my")
        return _timed(games, lambda: _hexarena(path, "pool", "run", "my", "--games", str(games)))


def _psyleague_speed(game: Game, names: Sequence[str], games: int) -> Speed:
    """With our referee, which builds the bots once, and one worker for each core."""
    with TemporaryDirectory(prefix="hexarena-bench-") as folder:
        path = Path(folder)
        _write_bots(game, names, path / "bots")
        referee = f"{sys.executable} -m hexarena.cli referee {game.id} -p1 %DIR%/%P1% -p2 %DIR%/%P2% --psyleague"
        _psyleague(path, "config")
        config = path / "psyleague.cfg"
        kept = [line for line in config.read_text().splitlines() if not line.startswith("cmd_")]
        config.write_text("\n".join([*kept, 'cmd_bot_setup = "true"', f'cmd_play_game = "{referee}"']))
        for file in sorted((path / "bots").iterdir()):
            _psyleague(path, "bot", "add", file.name)
        workers = str(len(usable_cores()))
        return _timed(games, lambda: _psyleague(path, "run", "--games", str(games), "--workers", workers, "--silent"))


def _write_bots(game: Game, names: Sequence[str], folder: Path) -> None:
    from hexarena.bench.real import variants

    folder.mkdir(exist_ok=True)
    for name in names:
        source, ending = variants.code_of(game, name)
        (folder / f"{_file_name(name)}{ending}").write_text(source)


def _file_name(name: str) -> str:
    return "".join(one if one.isalnum() else "_" for one in name)


def _hexarena(folder: Path, *words: str) -> None:
    _run(folder, "-m", "hexarena.cli", *words)


def _psyleague(folder: Path, *words: str) -> None:
    _run(folder, "-m", "psyleague.psyleague", *words)


def _run(folder: Path, *words: str) -> None:
    environment = {**os.environ, "HEXARENA_DATA_FOLDER": str(folder / ".data")}
    subprocess.run([sys.executable, *words], cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)


def _timed(games: int, play: Callable[[], None]) -> Speed:
    before, began = getrusage(RUSAGE_CHILDREN), time.monotonic()
    play()
    wall_s, after = time.monotonic() - began, getrusage(RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Speed(games, wall_s, cpu_s, len(usable_cores()))


# --- The table -------------------------------------------------------------------------------------------------------


def _table(game: Game, speeds: Mapping[str, Speed], found: Mapping[str, Sequence[League]], bots: int) -> Table:
    table = Table(title=f"{game.title}: {bots} bots, on {len(usable_cores())} cores")
    for heading in ("", "games", "a core-second", "CPU s a game", f"games to tau {TAU}", "never", "tau at the end"):
        table.add_column(heading, justify="right" if heading else "left")
    for name, speed in speeds.items():
        leagues = found[name]
        reached = sorted(one.games for one in leagues if one.games is not None)
        middle = f"{median(reached):.0f} ({reached[0]} to {reached[-1]})" if reached else "–"
        never, last = sum(one.games is None for one in leagues), median(one.tau[-1] for one in leagues)
        figures = (f"{speed.per_core_s:.2f}", f"{speed.cpu_s / speed.games:.2f}", middle, f"{never} of {len(leagues)}")
        table.add_row(name, str(speed.games), *figures, f"{last:.3f}")
    table.caption = (
        "games to tau: the median of the leagues in which it was reached and kept, with the least and the most; never: "
        "leagues in which it was not. CPU s a game: of all processes, bots included."
    )
    return table
