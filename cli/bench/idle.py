"""`hexarena bench idle`: what an arena takes of a core while nobody asks it for anything.

Starts an arena in a folder of its own whose ladder is at rest, waits until it has settled, and counts the CPU time of
all its processes, those that end meanwhile included.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from hexarena.cli.bench.api_process import console, cpu_s, free_port, parent_of, reaped_cpu_s
from hexarena.cli.bench.real_arena import ArenaFailed, real_arena
from hexarena.cli.bench.tables import check_json, print_table

GOAL = 1.0
"""Percent of a core, of all processes together."""
REST = {"DATABASE_URL": "", "REDIS_URL": "", "HEXARENA_FILL_IN_S": "0"}
"""Settings of an arena with servers of its own, whose ladder plays no further matches."""
NAMED = ("postgres", "valkey-server", "redis-server")
OTHERS = "hexarena up"


def bench_idle(
    settle: Annotated[float, typer.Option(min=0.0, help="Seconds before the measurement.")] = 30.0,
    seconds: Annotated[float, typer.Option(min=5.0, help="How long it is measured.")] = 60.0,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all figures as JSON to this file.")] = None,
) -> None:
    """Print what each part of an arena without visitors takes of a core."""
    check_json(json_file)
    try:
        with (
            tempfile.TemporaryDirectory(prefix="hexarena-idle-") as folder,
            real_arena(Path(folder), free_port(), REST),
        ):
            _wait("settling", settle)
            before, began = used_s(folder), time.monotonic()
            _wait("measuring", seconds)
            after, took_s = used_s(folder), time.monotonic() - began
    except ArenaFailed as error:
        console.print(str(error), style="red", markup=False, highlight=False)
        raise typer.Exit(2) from None
    percent = {part: 100 * (used - before.get(part, 0.0)) / took_s for part, used in after.items()}
    print_table(_table(percent, took_s))
    if json_file is not None:
        json_file.write_text(json.dumps({"seconds": took_s, "percent": percent}) + "\n")


def _wait(what: str, seconds: float) -> None:
    with console.status(f"{what}: {seconds:.0f} s"):
        time.sleep(seconds)


def used_s(folder: str) -> dict[str, float]:
    """Part -> CPU seconds of its processes, and of their children that have ended."""
    parents = {int(one.name): parent_of(int(one.name)) for one in Path("/proc").iterdir() if one.name.isdigit()}
    own = {pid for pid in parents if os.fsencode(folder) in _read(pid, "environ") + _read(pid, "cmdline")}
    while more := {pid for pid, parent in parents.items() if parent in own} - own:
        own |= more
    used: defaultdict[str, float] = defaultdict(float)
    for pid in own:
        name = _read(pid, "comm").decode().strip()
        used[name if name in NAMED or name.startswith("arena-") else OTHERS] += cpu_s(pid) + reaped_cpu_s(pid)
    return used


def _read(pid: int, file: str) -> bytes:
    """Empty if the process has ended."""
    try:
        return Path(f"/proc/{pid}/{file}").read_bytes()
    except OSError:
        return b""


def _table(percent: Mapping[str, float], took_s: float) -> Table:
    table = Table(title=f"An arena at rest: percent of a core, over {took_s:.0f} s", show_footer=True)
    table.add_column("part", f"all (goal {GOAL:g})")
    table.add_column("%", f"{sum(percent.values()):.2f}", justify="right")
    for part, share in sorted(percent.items(), key=lambda item: -item[1]):
        table.add_row(part, f"{share:.2f}")
    return table
