"""`hexarena bench refits`: what refits of a large ladder cost, in CPU time and memory of the process that makes them.

Makes an arena of its own in a folder, with the database there, and fills it as `hexarena bench web` does.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from hexarena.cli.bench.tables import check_json, print_table

if TYPE_CHECKING:
    from hexarena.backend.runtime.settings import Settings
    from hexarena.bench.refits import Cost

console = Console(stderr=True)
MATCHES, BOTS, NEW = 387_000, 20_000, 500
"""Of all games: 300,000 rated results of 6,250 versions, and 50,000 of teams of 16 bots."""
SHARES = {"yavalath": 334 / 387, "battlegrounds": 53 / 387}
GOALS = {
    ("yavalath", "first"): (5.0, 500.0),
    ("yavalath", "later"): (0.1, 500.0),
    ("battlegrounds", "first"): (10.0, 500.0),
    ("battlegrounds", "later"): (10.0, 500.0),
}
"""CPU seconds and megabytes."""


@dataclass(frozen=True, slots=True)
class Row:
    """A refit that was measured. `which`: first, or later."""

    game: str
    which: str
    cost: Cost


def bench_refits(
    matches: Annotated[int, typer.Option(min=1_000, help="Matches of the arena that is made.")] = MATCHES,
    bots: Annotated[int, typer.Option(min=100, help="Bots on the ladder.")] = BOTS,
    new: Annotated[int, typer.Option(min=0, help="New results before each later refit.")] = NEW,
    later: Annotated[int, typer.Option(min=1, help="Later refits, by the same process.")] = 3,
    folder: Annotated[Path | None, typer.Option(help="Keep the database here, for the next time.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all figures as JSON to this file.")] = None,
) -> None:
    """Print what the first refit of a large ladder costs, and later ones, beside their goals."""
    check_json(json_file)
    from hexarena.backend.runtime.db import Database
    from hexarena.bench import refits
    from hexarena.bench.web import loading
    from hexarena.bench.web.world import Plan

    plan = Plan(matches=matches, bots=bots, shares=SHARES)
    with _settings(folder) as settings:
        url = settings.sqlalchemy_url()
        database = Database(url, pool_size=1)
        began = time.monotonic()
        if not loading.is_loaded(database):
            loading.load(database, plan, lambda step: console.print(f"{time.monotonic() - began:6.1f} s  {step}"))
        database.close()
        rows = []
        for game in SHARES:
            first, *others = refits.costs(url, game, (refits.ANEW, *[new] * later))
            rows += [Row(game, "first", first), *[Row(game, "later", one) for one in others]]
            console.print(f"{time.monotonic() - began:6.1f} s  measured: {game}")
    print_table(_table(rows))
    if json_file is not None:
        json_file.write_text(json.dumps([asdict(one) for one in rows]) + "\n")


@contextmanager
def _settings(folder: Path | None) -> Iterator[Settings]:
    """Of servers of their own."""
    from hexarena.backend.runtime.local import LocalServers
    from hexarena.backend.runtime.settings import Settings

    with TemporaryDirectory(prefix="hexarena-refits-") as own, LocalServers(folder or Path(own)) as servers:
        yield Settings(DATABASE_URL=servers.database_url, REDIS_URL=servers.redis_url, data_folder=Path(own) / "data")


def _table(rows: Sequence[Row]) -> Table:
    """Goals beside what was reached."""
    table = Table(title="Refits: CPU and peak memory of the process, without the database's; (goal)")
    for heading in ("game", "refit", "counted", "results", "competitors", "CPU s", "wall s", "peak MB"):
        table.add_column(heading, justify="left" if heading in ("game", "refit") else "right")
    for row in rows:
        cpu_s, memory_mb = GOALS[row.game, row.which]
        table.add_row(
            row.game,
            row.which,
            f"{row.cost.counted:,}",
            f"{row.cost.results:,}",
            f"{row.cost.competitors:,}",
            f"{row.cost.cpu_s:.2f} ({cpu_s:g})",
            f"{row.cost.wall_s:.2f}",
            f"{row.cost.memory_mb:.0f} ({memory_mb:g})",
        )
    return table
