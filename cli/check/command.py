"""`hexarena check GAME`: everything that a game must keep, of this game alone."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.markup import escape

from hexarena.cli.check.subject import CheckFailed, CheckSkipped, Subject
from hexarena.cli.check.suite import SUITE
from hexarena.cli.check.tools import TOOLS
from hexarena.cli.connection import failed
from hexarena.games.catalogue import UnknownGame, find_game, game_folder
from hexarena.games.discovery import MANIFESTS, VARIABLE

CHECKS = {**SUITE, **TOOLS}


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check came to. `told`: the problem, or why it was not made."""

    check: str
    result: Literal["passed", "failed", "skipped"]
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
    findings = examine(id_of(game), wanted)
    if as_json:
        typer.echo(json.dumps([asdict(one) for one in findings], indent=1, ensure_ascii=False))
    else:
        _show(findings, Console())
    if any(one.result == "failed" for one in findings):
        raise typer.Exit(1)


def id_of(game: str) -> str:
    """The game's id. A folder is added to HEXARENA_GAMES, for this process and those that it starts."""
    folder = Path(game).expanduser().absolute()
    is_game = any((folder / name).is_file() for name in MANIFESTS)
    if not folder.is_dir() or not ("/" in game or is_game):
        return game
    os.environ[VARIABLE] = os.pathsep.join([str(folder), os.environ.get(VARIABLE, "")]).strip(os.pathsep)
    return folder.name


def examine(game_id: str, checks: Sequence[str]) -> list[Finding]:
    """Makes the checks, programs beside the rest. A game that cannot be loaded fails `manifest`."""
    try:
        whole = find_game(game_id)
        game = whole.with_options(**whole.quick)
    except (UnknownGame, ValueError) as error:
        return [Finding("manifest", "failed", str(error))]
    with tempfile.TemporaryDirectory(prefix="hexarena-check-") as folder, ThreadPoolExecutor() as beside:
        subject = Subject(game, game_folder(game_id), Path(folder))
        own = Subject(game, game_folder(game_id), Path(folder, "tools"))
        own.build.mkdir()
        running = {name: beside.submit(_made, name, TOOLS[name], own) for name in checks if name in TOOLS}
        found = [_made(name, SUITE[name], subject) for name in checks if name in SUITE]
        return [*found, *(one.result() for one in running.values())]


def _made(name: str, what: Callable[[Subject], None], subject: Subject) -> Finding:
    try:
        what(subject)
    except CheckFailed as found:
        return Finding(name, "failed", str(found))
    except CheckSkipped as why:
        return Finding(name, "skipped", str(why))
    except Exception as error:  # noqa: BLE001 - whatever the code of a game does
        return Finding(name, "failed", f"the game raises {type(error).__name__}: {error}")
    return Finding(name, "passed")


def _show(findings: Sequence[Finding], console: Console) -> None:
    colours = {"passed": "green", "failed": "red", "skipped": "yellow"}
    for one in findings:
        told = f": {escape(one.told)}" if one.told else ""
        console.print(f"[{colours[one.result]}]{one.result}[/] {one.check}{told}", highlight=False, soft_wrap=True)
