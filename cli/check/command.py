"""`hexarena check GAME`: everything that a game must keep, of this game alone."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
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
from hexarena.games.catalogue import UnknownGame, game_folder, told_error

CHECKS = {**SUITE, **TOOLS}
Result: TypeAlias = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check came to. `told`: the problem, why it was not made, or what it found of note."""

    check: str
    result: Result
    told: str = ""


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
    findings = examine(game, wanted)
    if as_json:
        typer.echo(json.dumps([asdict(one) for one in findings], indent=1, ensure_ascii=False))
    else:
        _show(findings, Console())
    if any(one.result == "failed" for one in findings):
        raise typer.Exit(1)


def examine(game: str, checks: Sequence[str]) -> list[Finding]:
    """Makes the checks of a game, by its id or folder, programs beside the rest.

    A game that cannot be loaded fails `manifest`.
    """
    try:
        whole = named_game(game)
        quick = whole.with_options(**whole.quick)
    except UnknownGame as unknown:
        broken = unknown.broken
        return [Finding("manifest", "failed", str(unknown) if broken is None else f"{broken.problem} ({broken.where})")]
    except (Refused, ValueError) as error:
        return [Finding("manifest", "failed", str(error))]
    with tempfile.TemporaryDirectory(prefix="hexarena-check-") as folder, ThreadPoolExecutor() as beside:
        subject = Subject(quick, game_folder(whole.id), Path(folder))
        own = Subject(quick, game_folder(whole.id), Path(folder, "tools"))
        own.build.mkdir()
        running = {name: beside.submit(_made, name, TOOLS[name], own) for name in checks if name in TOOLS}
        found = [_made(name, SUITE[name], subject) for name in checks if name in SUITE]
        return [*found, *(one.result() for one in running.values())]


def _made(name: str, what: Callable[[Subject], str | None], subject: Subject) -> Finding:
    try:
        told = what(subject)
    except CheckFailed as found:
        return Finding(name, "failed", str(found))
    except CheckSkipped as why:
        return Finding(name, "skipped", str(why))
    except Exception as error:  # noqa: BLE001 - whatever the code of a game does
        return Finding(name, "failed", f"the game raises {told_error(error, subject.folder)}")
    return Finding(name, "passed", told or "")


def _show(findings: Sequence[Finding], console: Console) -> None:
    colours: dict[Result, str] = {"passed": "green", "failed": "red", "skipped": "yellow"}
    first: dict[str, str] = {}
    for one in findings:
        told = f": {escape(one.told)}" if one.told else ""
        if one.result == "failed" and first.setdefault(one.told, one.check) != one.check:
            told = f": the same as {first[one.told]}"
        console.print(f"[{colours[one.result]}]{one.result}[/] {one.check}{told}", highlight=False, soft_wrap=True)
    counted = Counter(one.result for one in findings)
    console.print(", ".join(f"{counted[result]} {result}" for result in colours), highlight=False)
