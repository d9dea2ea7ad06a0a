"""`hexarena check GAME`: everything that a game must keep, of this game alone."""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, TimeoutError as FutureTimeout
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer
from rich.console import Console
from rich.markup import escape

from hexarena.cli.check.subject import CheckFailed, CheckSkipped, Subject
from hexarena.cli.check.suite import SUITE
from hexarena.cli.check.tools import TOOLS
from hexarena.cli.connection import failed
from hexarena.cli.entrants import Refused, named_game
from hexarena.games.catalogue import UnknownGame, error_in_words, game_folder

CHECKS = {**SUITE, **TOOLS}
Result: TypeAlias = Literal["passed", "failed", "skipped"]
COLOURS: Mapping[Result, str] = {"passed": "green", "failed": "red", "skipped": "yellow"}
MOST_CPU_S = 60.0
"""Of a check, in the thread that makes it. Far more than any needs: rules that never end are stopped."""
LAST_S = 20.0
"""For programs, once a check was stopped: they may play the same rules, in threads that nothing can stop."""
LEAST_S = 0.001
"""To which the timer is set again: 0 would switch it off."""
NO_END = "no end"
LEFT = "left: it was not over long after the check that was stopped"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check came to. `detail`: the problem, why it was not made, or what it found of note."""

    check: str
    result: Result
    detail: str = ""

    def as_json(self) -> dict[str, str]:
        """With the former name of `detail` for one version more."""
        return {**asdict(self), "told": self.detail}


def check(
    game: Annotated[str, typer.Argument(help="A game's id, or the folder of one.")],
    only: Annotated[list[str] | None, typer.Option(help="Make this check alone. May be repeated.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write the findings as JSON, for scripts.")] = False,
) -> None:
    """Check a game: its rules with every number of seats, bots, statement, viewer, types and style.

    Bots run without a sandbox. Exits with code 1 if a check fails.
    """
    wanted = list(CHECKS) if only is None else only
    if unknown := [one for one in wanted if one not in CHECKS]:
        raise failed(f"expected checks, of {', '.join(CHECKS)}; got {', '.join(unknown)}")
    console, first = Console(), dict[str, str]()
    findings = []
    for one in examine(game, wanted):
        findings.append(one)
        if not as_json:
            _show(one, first, console)
    if as_json:
        typer.echo(json.dumps([one.as_json() for one in findings], indent=1, ensure_ascii=False))
    else:
        counted = Counter(one.result for one in findings)
        console.print(", ".join(f"{counted[result]} {result}" for result in COLOURS), highlight=False)
    if any(one.detail == LEFT for one in findings):
        # Python would wait for its threads.
        sys.stdout.flush()
        os._exit(1)
    if any(one.result == "failed" for one in findings):
        raise typer.Exit(1)


def examine(game: str, checks: Sequence[str]) -> Iterator[Finding]:
    """Makes the checks of a game, by its id or folder, programs beside the rest; gives each finding when it is there.

    A game that cannot be loaded fails `manifest`. In the main thread, as it stops rules that never end by a signal.
    """
    try:
        whole = named_game(game)
        quick = whole.with_options(**whole.quick)
    except UnknownGame as unknown:
        broken = unknown.broken
        yield Finding("manifest", "failed", str(unknown) if broken is None else f"{broken.problem} ({broken.where})")
        return
    except (Refused, ValueError) as error:
        yield Finding("manifest", "failed", str(error))
        return
    stopped, beside = False, ThreadPoolExecutor()
    with tempfile.TemporaryDirectory(prefix="hexarena-check-", ignore_cleanup_errors=True) as folder:
        subject = Subject(quick, game_folder(whole.id), Path(folder))
        own = Subject(quick, game_folder(whole.id), Path(folder, "tools"))
        own.build.mkdir()
        running = {name: beside.submit(_made, name, TOOLS[name], own) for name in checks if name in TOOLS}
        for name in checks:
            if name in SUITE:
                with _stopped_after(MOST_CPU_S):
                    found = _made(name, SUITE[name], subject)
                stopped |= NO_END in found.detail
                yield found
        for name, one in running.items():
            try:
                yield one.result(LAST_S if stopped else None)
            except FutureTimeout:
                yield Finding(name, "failed", LEFT)
        beside.shutdown(wait=not stopped, cancel_futures=True)


@contextmanager
def _stopped_after(cpu_s: float) -> Iterator[None]:
    """Raises a TimeoutError in what this thread does then; it must be the main one.

    In CPU time, so that a busy machine makes no difference; of this thread, so that programs beside it make none.
    """
    end_s = time.thread_time() + cpu_s

    def stop(*_: object) -> None:
        # The timer runs for the whole process, whose other threads play matches, too.
        if (left_s := end_s - time.thread_time()) > 0:
            signal.setitimer(signal.ITIMER_PROF, max(left_s, LEAST_S))
            return
        raise TimeoutError(f"{NO_END} within {cpu_s:g} s of CPU time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, cpu_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _made(name: str, what: Callable[[Subject], str | None], subject: Subject) -> Finding:
    try:
        detail = what(subject)
    except CheckFailed as found:
        return Finding(name, "failed", str(found))
    except CheckSkipped as why:
        return Finding(name, "skipped", str(why))
    except Exception as error:  # noqa: BLE001 - whatever the code of a game does
        return Finding(name, "failed", f"the game raises {error_in_words(error, subject.folder)}")
    return Finding(name, "passed", detail or "")


def _show(one: Finding, first: dict[str, str], console: Console) -> None:
    """`first`: failure -> the check that it was reported of, so that it is reported once."""
    detail = f": {escape(one.detail)}" if one.detail else ""
    if one.result == "failed" and first.setdefault(one.detail, one.check) != one.check:
        detail = f": the same as {first[one.detail]}"
    console.print(f"[{COLOURS[one.result]}]{one.result}[/] {one.check}{detail}", highlight=False, soft_wrap=True)
