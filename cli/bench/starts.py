"""`hexarena bench starts`: what a start of a Python bot costs with the machine's programs, and with those of a root.

One run, in alternation, on one core. A start is all from the call that makes a sandbox until the bot's first reply;
its end is not part of the wall time, but of the CPU time, which the kernel counts when a process has ended.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median, quantiles
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions.languages import PYTHON
from hexarena.cli.bench.runner import on_one_core, used_ms
from hexarena.cli.bench.tables import check_json, print_table
from hexarena.worker.play import freeze_garbage_collector
from hexarena.worker.sandbox import Program, Sandbox, SandboxError, require_self_test

SOURCE = b"while True:\n    print(input())\n"
REPLY_S = 30.0
console = Console(stderr=True)


@dataclass(frozen=True, slots=True)
class Row:
    """Milliseconds of each start, by the wall clock and of CPU time."""

    programs: str
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)


def bench_starts(
    starts: Annotated[int, typer.Option(min=2, help="Starts of each kind.")] = 300,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all figures as JSON to this file.")] = None,
) -> None:
    """Print what a start of a Python bot costs, with and without HEXARENA_TOOLCHAINS."""
    check_json(json_file)
    settings = Settings()
    roots = [None, *([settings.toolchains] if settings.toolchains else [])]
    rows: list[Row] = []
    try:
        with ExitStack() as stack:
            kinds: list[Callable[[], None]] = []
            for number, root in enumerate(roots):
                folder = settings.data_folder / f"starts{number}"
                sandbox = stack.enter_context(Sandbox.open(settings.sandbox, folder=folder, toolchains=root))
                sandbox.sweep()
                require_self_test(sandbox)
                rows.append(Row(sandbox.root.describe()))
                kinds.append(_starter(sandbox, sandbox.build(PYTHON, SOURCE), rows[-1]))
            stack.enter_context(on_one_core())
            freeze_garbage_collector()
            _measure(kinds, starts)
    except SandboxError as error:
        console.print(str(error), style="red", markup=False, highlight=False)
        raise typer.Exit(2) from None
    print_table(_table(rows))
    if json_file is not None:
        json_file.write_text(json.dumps([asdict(row) for row in rows]) + "\n")


def _measure(kinds: Sequence[Callable[[], None]], starts: int) -> None:
    """All kinds in alternation; who is first changes, as the second may find caches warm."""
    with Progress(console=console, transient=True, auto_refresh=False) as progress:
        task = progress.add_task("starts", total=starts * len(kinds))
        for number in range(starts):
            for start in kinds if number % 2 else reversed(kinds):
                start()
            progress.update(task, advance=len(kinds), refresh=number % 20 == 0)


def _starter(sandbox: Sandbox, program: Program, row: Row) -> Callable[[], None]:
    def start() -> None:
        _, used = used_ms()
        began = time.perf_counter()
        with sandbox.start(program, reply_bytes=9) as bot:
            bot.ask("1\n", REPLY_S)
            row.wall.append(1000 * (time.perf_counter() - began))
        row.cpu.append(used_ms()[1] - used)

    return start


def _table(rows: Sequence[Row]) -> Table:
    table = Table(title=f"{len(rows[0].wall)} starts of a Python bot each, in ms")
    for heading in ("programs", "median", "quartiles", "CPU median", "CPU quartiles"):
        table.add_column(heading, justify="left" if heading == "programs" else "right")
    for row in rows:
        cells = (cell for figures in (row.wall, row.cpu) for cell in _cells(figures))
        table.add_row(row.programs, *cells)
    return table


def _cells(figures: Sequence[float]) -> tuple[str, str]:
    low, _, high = quantiles(figures, n=4)
    return f"{median(figures):.2f}", f"{low:.2f} to {high:.2f}"
