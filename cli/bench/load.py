"""`hexarena bench load`: how often a bot is late on a busy machine, judged by CPU time and by the wall clock; and how
far both clocks are apart for bots whose matches have a core each, as a worker's have."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from hexarena.backend.submissions.languages import find_language
from hexarena.cli.bench.tables import check_json, print_table
from hexarena.cli.sandboxes import open_sandbox
from hexarena.games.contract import BotFault
from hexarena.worker.sandbox import (
    BotProcess,
    HostOverloaded,
    LanguageMissing,
    Program,
    Sandbox,
    SandboxError,
    require_self_test,
)

LIMIT_S = 0.05
FIRST_S = 1.0
BUSY = "print(flush=True)\nwhile True: pass"
CPP = """#include <cstdio>
#include <ctime>
long long used() {{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}}
int main() {{
    for (int turn; scanf("%d", &turn) == 1;) {{
        long long begun = used(), before = begun;
        for (long long now = begun; now - begun < {ns}LL; before = now) {{
            now = used();
            if (now - before > {jump_ns}LL) fprintf(stderr, "%lld\\n", now - before);
        }}
        printf("%d\\n", turn);
        fflush(stdout);
    }}
}}
"""
PYTHON = """import sys, time
while True:
    turn = input()
    now = begun = time.process_time_ns()
    while now - begun < {ns}:
        before, now = now, time.process_time_ns()
        if now - before > {jump_ns}:
            print(now - before, file=sys.stderr)
    print(turn)
"""
JUMP_S = 0.005
"""A bot that only reads its CPU clock sees it advance in steps of a microsecond. A step this long is time that the
hypervisor took and charged to the bot."""
console = Console(stderr=True)


def bench_load(
    turns: Annotated[int, typer.Option(min=1, help="How often the bot is asked.")] = 1_000,
    busy: Annotated[int, typer.Option(min=0, help="Busy processes beside it.")] = 6,
    use_ms: Annotated[float, typer.Option(min=0.1, help="CPU milliseconds that the bot uses a turn, of 50.")] = 20.0,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all figures as JSON to this file.")] = None,
) -> None:
    """Print how often a bot within its limits is judged late on a busy machine, by either clock."""
    check_json(json_file)
    try:
        with open_sandbox() as sandbox:
            sandbox.sweep()
            require_self_test(sandbox)
            bot = _bot(sandbox, use_ms)
            figures = _measure(sandbox, bot, turns, busy)
            figures["ratios"] = _ratios(sandbox, bot, turns)
    except SandboxError as error:
        console.print(str(error), style="red", markup=False, highlight=False)
        raise typer.Exit(2) from None
    print_table(_table(figures, turns, busy, use_ms))
    if json_file is not None:
        json_file.write_text(json.dumps(figures) + "\n")


def _bot(sandbox: Sandbox, use_ms: float) -> Program:
    nanoseconds = {"ns": round(use_ms * 1e6), "jump_ns": round(JUMP_S * 1e9)}
    try:
        return sandbox.build(find_language("cpp"), CPP.format(**nanoseconds).encode())
    except LanguageMissing:
        return sandbox.build(find_language("python"), PYTHON.format(**nanoseconds).encode())


def _measure(sandbox: Sandbox, bot: Program, turns: int, busy: int) -> dict[str, list[float]]:
    """Milliseconds of each turn: `cpu` and `wall`; `late`: the used CPU time of turns that were judged as late.

    no_verdict: one for each time that the machine was at fault. jumps: of the bot's CPU clock, as the bot
    saw them; late_by_jumps: as `late`, of turns that would have been in time without.
    """
    names = ("cpu", "wall", "late", "no_verdict", "jumps", "late_by_jumps")
    figures: dict[str, list[float]] = {name: [] for name in names}
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
                jumps = _jumps_ms(running.log())
                figures["jumps"] += jumps
                if fault.cpu_s - sum(jumps) / 1000 <= LIMIT_S:
                    figures["late_by_jumps"].append(1000 * fault.cpu_s)
            except HostOverloaded:
                figures["no_verdict"].append(1.0)
            else:
                figures["cpu"].append(1000 * reply.cpu_s)
                figures["wall"].append(1000 * reply.wall_s)
                figures["jumps"] += _jumps_ms(reply.stderr)
                continue
            figures["wall"].append(1000 * (time.monotonic() - begun))
            running.close()
            running = None
    return figures


def _ratios(sandbox: Sandbox, bot: Program, turns: int) -> list[float]:
    """Wall over CPU time of each turn, while every core plays a match of two bots that are asked in turns."""
    cores = len(os.sched_getaffinity(0))
    with ExitStack() as stack, ThreadPoolExecutor(cores) as pool:
        # Bots belong to the thread that starts them, so all are started here, and only asked by the others.
        pairs = [[stack.enter_context(sandbox.start(bot, reply_bytes=20)) for _ in range(2)] for _ in range(cores)]
        return [ratio for ratios in pool.map(lambda pair: _played(pair, turns), pairs) for ratio in ratios]


def _played(pair: Sequence[BotProcess], turns: int) -> list[float]:
    """The ratios of one match, as far as it gets: it ends with a turn that has no verdict."""
    ratios: list[float] = []
    try:
        for bot in pair:
            bot.ask("0\n", FIRST_S)
        for turn in range(turns):
            reply = pair[turn % 2].ask(f"{turn}\n", LIMIT_S)
            ratios.append(reply.wall_s / reply.cpu_s)
    except (BotFault, HostOverloaded):
        pass
    return ratios


def _jumps_ms(log: str) -> list[float]:
    """What the bot wrote in a turn: nanoseconds, a line each."""
    return [int(line) / 1e6 for line in log.split() if line.isdigit()]


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
    table.caption = " ".join(_remarks(figures))
    return table


def _remarks(figures: dict[str, list[float]]) -> Iterator[str]:
    """What else happened, sentence by sentence."""
    if ratios := sorted(figures["ratios"]):
        yield (
            f"Without the busy processes, with a match on every core, a turn took {median(ratios):.2f} times its CPU "
            f"time by the wall clock in the median, {ratios[int(0.95 * len(ratios))]:.2f} times at the 95th percentile "
            f"({len(ratios):,} turns; goal 1.2)."
        )
    if figures["no_verdict"]:
        yield f"{len(figures['no_verdict'])} times there was no verdict, as the machine was at fault."
    if jumps := figures["jumps"]:
        late = len(figures["late_by_jumps"])
        yield (
            f"{len(jumps)} times the bot's CPU clock jumped by {1000 * JUMP_S:g} ms or more between two readings, by "
            f"{max(jumps):.1f} ms at worst, which is the machine's doing; {late} turns were late for no other reason."
        )
