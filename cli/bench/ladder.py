"""`hexarena bench ladder`: our ratings, pairings, promotions and duels in simulation, beside other ladders'.

The simulator is `bench.ladder`, which this file imports only when the command runs: it needs all of scipy.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from hexarena.cli.bench.tables import check_json, print_table

if TYPE_CHECKING:
    from hexarena.bench.ladder.goals import Row
    from hexarena.bench.ladder.jobs import Found

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What linear algebra reads when a process starts: small matrices are slower on many cores."""
console = Console(stderr=True)


def bench_ladder(
    world: Annotated[str, typer.Option(help="The world that the goals are from, `published`; or `held-out`.")] = (
        "published"
    ),
    only: Annotated[list[str] | None, typer.Option(help="An experiment, such as static-100. May be repeated.")] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer repetitions; no field of 1,000 bots, no worlds of 100.")
    ] = False,
    processes: Annotated[int | None, typer.Option(min=1, help="At a time; one a core, if left out.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all figures as JSON to this file.")] = None,
) -> None:
    """Measure the ladder in a simulated arena whose true strengths are known, against goals and other ladders.

    The same options give the same figures on any machine with any number of processes, except for the costs.
    """
    check_json(json_file)
    for name in ONE_THREAD:
        os.environ.setdefault(name, "1")
    from hexarena.bench.ladder.goals import NAMES, jobs, rows
    from hexarena.bench.ladder.jobs import SETTINGS, run_all

    for chosen, known in ((only or [], NAMES), ([world], tuple(SETTINGS))):
        for unknown in sorted(set(chosen) - set(known)):
            console.print(f"expected one of {', '.join(known)}; got {unknown}", style="red", markup=False)
            raise typer.Exit(2)
    setting, started = SETTINGS[world], time.monotonic()
    to_do = jobs(setting, quick, only or [])
    for name in only or []:
        if not jobs(setting, quick, [name]):
            console.print(
                f"expected an experiment that --quick does not leave out; got {name}", style="red", markup=False
            )
            raise typer.Exit(2)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("simulating", total=len(to_do))
        found = run_all(
            to_do,
            processes or os.cpu_count() or 1,
            lambda job: progress.update(task, advance=1, description=f"{job.experiment}, {job.contestant}"),
        )
    table = rows(found, setting)
    print_table(_table(table, f"The ladder, {world} world{', quick: few repetitions' if quick else ''}"))
    cpu_s = {name: one.cpu_s for name, one in found.items()}
    total_s = sum(sum(of_experiment.values()) for of_experiment in cpu_s.values())
    console.print(f"{total_s:,.0f} s of CPU time, {time.monotonic() - started:,.0f} s on the clock", highlight=False)
    if json_file is not None:
        json_file.write_text(json.dumps(_as_json(table, found, world, quick)) + "\n")


def _table(rows: Sequence[Row], title: str) -> Table:
    names = list(dict.fromkeys(name for row in rows for name in row.figures))
    table = Table(
        title=title,
        caption="± is one standard error of ours; near: the goal is missed by less than that; never: not in the games "
        "that were played. Goals are those of the published world; in another one, where a figure depends on the "
        "world, the best of the others is the goal.",
    )
    for heading in ("figure", "goal", names[0], "", *names[1:]):
        table.add_column(
            heading.replace("-like", "\n-like"),
            justify="left" if heading == "figure" else "right",
            no_wrap=True,
        )
    for row in rows:
        error = "" if math.isnan(row.error) else f" ± {row.error:,.{row.goal.digits}f}"
        others = (_text(row, row.figures.get(name, math.nan)) for name in names[1:])
        ours = _text(row, row.figures[names[0]]) + error
        table.add_row(row.name, str(row.goal), ours, row.verdict, *others)
    return table


def _text(row: Row, figure: float) -> str:
    if math.isnan(figure):
        return "–"
    return "never" if math.isinf(figure) else f"{figure:,.{row.goal.digits}f}"


def _as_json(rows: Sequence[Row], found: Mapping[str, Found], world: str, quick: bool) -> dict[str, Any]:
    """Numbers that JSON has no words for become null."""
    figures = [{**asdict(row), "goal": str(row.goal), "met": row.met, "verdict": row.verdict} for row in rows]
    outcomes = {name: asdict(one) for name, one in found.items()}
    everything: dict[str, Any] = {"world": world, "quick": quick, "rows": figures, "experiments": outcomes}
    return dict(_finite(everything))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
