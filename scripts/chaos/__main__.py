"""Runs it: `python -m scripts.chaos --matches 1000 --seed 7`. Exits with 1 where a check fails."""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console
from rich.table import Table

from hexarena.backend.runtime.logs import configure_logs
from scripts.chaos import faults, network as networks
from scripts.chaos.arena import DISK_BYTES, Arena
from scripts.chaos.running import NOT_ASKED, Plan, Report, Torment, judge

INSIDE = "HEXARENA_CHAOS_INSIDE"
"""Set in the process that has mounts of its own."""
HOST_SHARE = 5
"""One match in so many is played with a host that is cut off, in an arena of its own."""
SHOWN = 5
FEWEST = 10
"""Matches: with none, nothing is tried, and all checks hold."""

console = Console(width=120)


def run(plan: Plan, seed: int, *, with_host: bool, report: Report) -> None:
    """One arena, from its first match to the checks."""
    chance = random.Random(seed)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hexarena-chaos-")))
        (folder / "disk").mkdir()
        small_disk = INSIDE in os.environ
        if small_disk:
            options = ("-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=755", "none")
            subprocess.run(["mount", *options, folder / "disk"], check=True)
            stack.callback(subprocess.run, ["umount", "--lazy", folder / "disk"], check=False)
        network, environment = stack.enter_context(networks.network()) if with_host else (None, {})
        arena = Arena(folder, chance, network, environment)
        stack.callback(arena.close)
        Torment(arena, plan, chance, report, console.print, small_disk).run()
        judge(arena, report)


def show(report: Report) -> None:
    """The tables."""
    table = Table("fault", "times", "running then", "spoilt of these", title="What was done")
    for name in sorted({one.name for one in report.done} | set(report.skipped)):
        done = [one for one in report.done if one.name == name]
        if not done:
            table.add_row(name, "–", report.skipped[name], "")
            continue
        table.add_row(name, str(len(done)), str(sum(len(one.touched) for one in done)), str(report.spoilt[name]))
    console.print(table)
    matches, attempts = sum(report.states.values()), sum(report.attempts.values())
    void = report.states["void"]
    causes = ", ".join(f"{name} {count}" for name, count in sorted(report.attempts.items()) if name != "done")
    console.print(
        f"{matches} matches in {report.seconds:.0f} s: {report.states['done']} done, {void} void "
        f"({void / max(1, matches):.2%}). {attempts} attempts with an end, of these void: {causes or 'none'}."
    )
    table = Table("check", "", title="What holds")
    for name, wrong in report.wrong.items():
        table.add_row(name, "ok" if not wrong else f"failed: {len(wrong)}\n" + "\n".join(wrong[:SHOWN]))
    console.print(table)


def _matches(word: str) -> int:
    if not word.isdecimal() or int(word) < FEWEST:
        raise argparse.ArgumentTypeError(f"expected a number, {FEWEST} at least; got {word}")
    return int(word)


def _minutes(word: str) -> float:
    try:
        minutes = float(word)
    except ValueError:
        minutes = math.nan
    if not 0 <= minutes < math.inf:
        raise argparse.ArgumentTypeError(f"expected minutes, 0 or more; got {word}")
    return minutes


def main(arguments: Sequence[str]) -> int:
    """Runs it and prints the tables."""
    parser = argparse.ArgumentParser(prog="chaos", description=__doc__)
    parser.add_argument("--matches", type=_matches, default=1000, help=f"{FEWEST} at least")
    parser.add_argument(
        "--minutes", type=_minutes, default=0.0, help="post no more matches after so many; 0: all of them"
    )
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--once", action="store_true", help="each fault once, with the matches spread over them")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        choices=faults.FAULTS,
        metavar="FAULT",
        help="this fault, as the table names it; may be repeated",
    )
    parser.add_argument("--no-host", action="store_true", help="no worker on a machine elsewhere")
    parser.add_argument("--json", type=Path, default=None, help="write the figures to this file")
    asked = parser.parse_args(arguments)
    if os.geteuid() == 0 and INSIDE not in os.environ and shutil.which("unshare"):
        command = ["unshare", "--mount", sys.executable, "-m", "scripts.chaos", *arguments]
        os.execvpe(command[0], command, {**os.environ, INSIDE: "1"})  # noqa: S606 - itself, with mounts of its own
    configure_logs()
    seed = random.SystemRandom().getrandbits(31) if asked.seed is None else asked.seed
    console.print(f"SEED={seed}")
    report = Report()
    why = NOT_ASKED if asked.no_host else networks.why_none()
    far = 0 if why else asked.matches // HOST_SHARE
    only = tuple(asked.only)
    run(Plan(asked.matches - far, asked.minutes, asked.once, only), seed, with_host=False, report=report)
    if why:
        report.skipped[faults.CUT_OFF] = why
    else:
        run(Plan(far, asked.minutes / HOST_SHARE, asked.once, only), seed + 1, with_host=True, report=report)
    show(report)
    if asked.json is not None:
        asked.json.write_text(json.dumps(_figures(report, seed)))
    return int(report.failed)


def _figures(report: Report, seed: int) -> dict[str, object]:
    return {
        "seed": seed,
        "faults": Counter(one.name for one in report.done),
        "skipped": report.skipped,
        "states": report.states,
        "attempts": report.attempts,
        "wrong": report.wrong,
    }


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
