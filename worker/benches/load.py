"""`hexarena bench load`: what a crowded machine does to a fair bot, judged by CPU time and by the wall clock."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from backend.languages import find_language
from backend.settings import Settings
from games.contract import BotFault
from worker.benches.tables import print_table
from worker.sandbox import HostOverloaded, LanguageMissing, Program, Sandbox, SandboxError

LIMIT_S = 0.05
FIRST_S = 1.0
BUSY = "print(flush=True)\nwhile True: pass"
CPP = """#include <cstdio>
#include <ctime>
int main() {{
    for (int turn; scanf("%d", &turn) == 1;) {{
        timespec begun, now;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begun);
        do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        while ((now.tv_sec - begun.tv_sec) * 1000000000LL + (now.tv_nsec - begun.tv_nsec) < {ns}LL);
        printf("%d\\n", turn);
        fflush(stdout);
    }}
}}
"""
PYTHON = """import time
while True:
    turn = input()
    end = time.process_time_ns() + {ns}
    while time.process_time_ns() < end:
        pass
    print(turn)
"""
console = Console(stderr=True)


def bench_load(
    turns: Annotated[int, typer.Option(min=1, help="How often the bot is asked.")] = 1_000,
    busy: Annotated[int, typer.Option(min=0, help="Processes that compute beside it without end.")] = 6,
    use_ms: Annotated[float, typer.Option(min=0.1, help="CPU milliseconds that the bot uses a turn, of 50.")] = 20.0,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all figures as JSON to this file.")] = None,
) -> None:
    """Print how often a fair bot is late on a crowded machine, by either clock."""
    try:
        with Sandbox.open(Settings().sandbox, folder=Settings().data_folder / "local") as sandbox:
            sandbox.sweep()
            sandbox.require()
            figures = _measure(sandbox, _bot(sandbox, use_ms), turns, busy)
    except SandboxError as error:
        console.print(str(error), style="red", markup=False, highlight=False)
        raise typer.Exit(2) from None
    print_table(_table(figures, turns, busy, use_ms))
    if json_file is not None:
        json_file.write_text(json.dumps(figures) + "\n")


def _bot(sandbox: Sandbox, use_ms: float) -> Program:
    nanoseconds = str(round(use_ms * 1e6))
    try:
        return sandbox.build(find_language("cpp"), CPP.format(ns=nanoseconds).encode())
    except LanguageMissing:
        return sandbox.build(find_language("python"), PYTHON.format(ns=nanoseconds).encode())


def _measure(sandbox: Sandbox, bot: Program, turns: int, busy: int) -> dict[str, list[float]]:
    """Milliseconds of each turn: `cpu` and `wall`; `late`: the used CPU time of turns that were judged as late.

    no_verdict: one for each time that the machine was found to be at fault.
    """
    figures: dict[str, list[float]] = {"cpu": [], "wall": [], "late": [], "no_verdict": []}
    with crowd(busy), Progress(console=console, transient=True) as progress, ExitStack() as stack:
        running = None
        for turn in progress.track(range(turns), description="turns"):
            if running is None:
                running = stack.enter_context(sandbox.start(bot, reply_bytes=20))
                running.ask("0\n", FIRST_S)
            begun = time.monotonic()
            try:
                reply = running.ask(f"{turn}\n", LIMIT_S)
            except BotFault as fault:
                figures["late"].append(1000 * fault.cpu_s)
            except HostOverloaded:
                figures["no_verdict"].append(1.0)
            else:
                figures["cpu"].append(1000 * reply.cpu_s)
                figures["wall"].append(1000 * reply.wall_s)
                continue
            figures["wall"].append(1000 * (time.monotonic() - begun))
            running.close()
            running = None
    return figures


@contextmanager
def crowd(size: int) -> Iterator[None]:
    """So many busy processes, each in a session of its own, as bots are: the kernel shares its cores among sessions."""
    with ExitStack() as stack:
        for _ in range(size):
            process = subprocess.Popen(
                [sys.executable, "-I", "-c", BUSY], stdout=subprocess.PIPE, start_new_session=True
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            if process.stdout is not None:
                process.stdout.readline()
        yield


def _table(figures: dict[str, list[float]], turns: int, busy: int, use_ms: float) -> Table:
    cores = len(os.sched_getaffinity(0))
    limit_ms = 1000 * LIMIT_S
    table = Table(title=f"A bot that uses {use_ms:g} of {limit_ms:g} ms, beside {busy} busy processes on {cores} cores")
    for heading in ("judged by", "turns", "median", "worst", "late", "share"):
        table.add_column(heading, justify="left" if heading == "judged by" else "right")
    by_wall = sum(wall > limit_ms for wall in figures["wall"])
    for name, values, late in (
        ("CPU time (ours)", figures["cpu"] + figures["late"], len(figures["late"])),
        ("wall clock", figures["wall"], by_wall),
    ):
        spread = (f"{median(values):.1f} ms", f"{max(values):.1f} ms") if values else ("", "")
        table.add_row(name, f"{turns:,}", *spread, f"{late:,}", f"{late / turns:.1%}")
    if figures["no_verdict"]:
        table.caption = (
            f"{len(figures['no_verdict'])} times there was no verdict: the machine was found to be at fault."
        )
    return table
