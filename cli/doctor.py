"""`hexarena doctor`: what this machine can do: each check of the sandbox, what this mode leaves open, each language."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from hexarena.backend.runtime.settings import Settings
from hexarena.backend.submissions.languages import CSHARP, LANGUAGES, Language
from hexarena.games.catalogue import all_games, broken_games
from hexarena.games.discovery import BrokenGame
from hexarena.worker.sandbox import (
    BuildLimits,
    Check,
    LanguageMissing,
    Limits,
    Mode,
    Promise,
    Sandbox,
    SandboxUnsafe,
    self_test,
)
from hexarena.worker.sandbox.dotnet import why_not
from hexarena.worker.sandbox.limits import KIB, MIB
from hexarena.worker.sandbox.slots import remove_abandoned

FOLDER = "hexarena-doctor-"
"""Prefix of the name of its sandbox's temporary folder."""
LEFT_OPEN: Mapping[Promise, str] = {
    "isolation": "Isolation: a bot sees and reaches whatever this user can. Run only bots that you trust.",
    "memory": "Memory: limited for each process on its own, so a bot with children can take a multiple of it.",
    "processes": "Processes: a bot may start as many as this user may.",
    "cpu": "CPU time: of children that have ended it counts in steps of 10 ms, and only if they were waited for.",
    "freezer": "Freezing: a child that leaves its parent is not stopped between turns.",
}
"""What is not guaranteed where a promise is missing."""


@dataclass(frozen=True, slots=True)
class Report:
    """The findings.

    programs: where those of sandboxes come from.
    versions: language -> the versions of its programs, or what is missing.
    notes: what could be better, for people.
    games: the ids of those that there are; broken_games: those that are left out.
    """

    mode: Mode
    description: str
    programs: str
    checks: Sequence[Check]
    promises: frozenset[Promise]
    versions: Sequence[tuple[Language, str | LanguageMissing]]
    notes: Sequence[str]
    limits: Limits
    build_limits: BuildLimits
    games: Sequence[str]
    broken_games: Sequence[BrokenGame]

    @property
    def is_safe(self) -> bool:
        """Whether other people's bots may run here."""
        return all(check.passed for check in self.checks)

    @property
    def left_open(self) -> list[str]:
        """A sentence for each promise that this mode does not make."""
        return [sentence for promise, sentence in LEFT_OPEN.items() if promise not in self.promises]


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Write the findings as JSON, for scripts.")] = False,
) -> None:
    """Show what this machine can do: the sandbox's self-test, the languages and their versions.

    Exits with code 1 if a check of the self-test fails; a missing language is no failure.
    """
    settings = Settings()
    report = examine(settings.sandbox, settings.toolchains)
    if as_json:
        typer.echo(json.dumps(_as_json(report), indent=1, ensure_ascii=False))
    else:
        show(report, Console())
    if not report.is_safe:
        raise typer.Exit(1)


def examine(mode: Mode, toolchains: Path | None = None) -> Report:
    """Examines everything in a temporary folder: it needs no data folder, and changes none.

    toolchains: the root whose programs bots get, see `Sandbox.open`.
    """
    with _opened(mode, toolchains) as (sandbox, problem):
        return Report(
            mode,
            "no sandbox can be made here" if problem else sandbox.describe(),
            sandbox.root.describe() + (f"; {toolchains} cannot be used" if problem and toolchains else ""),
            [problem] if problem else self_test(sandbox),
            frozenset() if problem else sandbox.promises,
            [(language, _version(sandbox, language)) for language in LANGUAGES.values()],
            _notes(sandbox),
            sandbox.limits,
            sandbox.build_limits,
            list(all_games()),
            broken_games(),
        )


@contextmanager
def _opened(mode: Mode, toolchains: Path | None) -> Iterator[tuple[Sandbox, Check | None]]:
    """A sandbox; and the problem, if it is not of the wanted mode: it can still list languages."""
    remove_abandoned(FOLDER)
    with tempfile.TemporaryDirectory(prefix=FOLDER) as folder:
        problem = None
        try:
            opened = Sandbox.open(mode, folder=Path(folder), toolchains=toolchains)
        except SandboxUnsafe as unsafe:
            problem, opened = (
                Check("a sandbox can be made", False, str(unsafe)),
                Sandbox.open("none", folder=Path(folder)),
            )
        with opened as sandbox:
            yield sandbox, problem


def _version(sandbox: Sandbox, language: Language) -> str | LanguageMissing:
    try:
        return sandbox.version(language)
    except LanguageMissing as missing:
        return missing


def _notes(sandbox: Sandbox) -> list[str]:
    if sandbox.here(CSHARP) is not CSHARP:
        return []
    return [f"C# 8 and newer need .NET, which is not used here: {why_not(sandbox.root)}"]


def _name(language: Language, version: str | LanguageMissing) -> str:
    return language.name if isinstance(version, LanguageMissing) else language.called([version])


# --- For people ------------------------------------------------------------------------------------------------------


def show(report: Report, console: Console) -> None:
    """Prints a report; it needs at least 80 columns."""
    console.print(f"[bold]Sandbox[/bold]: {escape(report.description)}", highlight=False)
    console.print(f"[bold]Programs[/bold]: {escape(report.programs)}", highlight=False)
    console.print(_checks_table(report.checks))
    if not report.is_safe:
        console.print(
            "[red]The self-test failed: no worker for other people's bots starts here.[/red]", highlight=False
        )
    elif report.left_open:
        console.print("Not covered in this mode:", highlight=False)
    for sentence in report.left_open:
        console.print(f"  {escape(sentence)}", highlight=False)
    console.print(_languages_table(report))
    for note in report.notes:
        console.print(escape(note), highlight=False)
    console.print(f"[bold]Games[/bold]: {', '.join(report.games)}", highlight=False)
    for broken in report.broken_games:
        console.print(f"[red]{escape(str(broken))}[/red]", highlight=False)
    bot, build = report.limits, report.build_limits
    console.print(
        f"A bot: {bot.processes} processes and threads, {bot.tmp_bytes // MIB} MiB in /tmp. A build: {build.cpu_s:g} s "
        f"of CPU time, {build.wall_s:g} s in all, {build.memory_bytes // MIB} MiB of memory, "
        f"a program of {build.artefact_bytes // MIB} MiB, a log of {build.log_bytes // KIB} KiB.",
        highlight=False,
    )


def _checks_table(checks: Sequence[Check]) -> Table:
    """A row for each check: one of its attempts, or all that got through."""
    table = Table("check", "passed", Column("found", overflow="fold"))
    for name in dict.fromkeys(check.name for check in checks):
        tries = [check for check in checks if check.name == name]
        failed = [check for check in tries if not check.passed]
        found = "; ".join(check.detail for check in failed) or tries[0].detail
        if len(tries) > 1 and not failed:
            found += f" (and so for {len(tries) - 1} more)"
        table.add_row(name, "[red]NO[/red]" if failed else "[green]yes[/green]", escape(found))
    return table


def _languages_table(report: Report) -> Table:
    table = Table("language", "files", "memory", "version")
    for language, version in report.versions:
        found = (
            f"[red]missing[/red]: {escape(str(version))}" if isinstance(version, LanguageMissing) else _short(version)
        )
        endings = " ".join((language.ending, *language.other_endings))
        table.add_row(_name(language, version), endings, f"{language.memory_bytes // MIB} MiB", found)
    return table


def _short(version: str) -> str:
    """Without what is in brackets, unless that is the version: dates, packagers' own numbers, machines."""
    return escape(re.sub(r"\s*[(\[](?!\d+(\.\d+)+\))[^)\]]*[)\]]", "", version).replace(":;", ";"))


# --- For scripts -----------------------------------------------------------------------------------------------------


def _as_json(report: Report) -> dict[str, object]:
    checks = [asdict(check) for check in report.checks]
    return {
        "sandbox": {
            "mode": report.mode,
            "description": report.description,
            "programs": report.programs,
            "passed": report.is_safe,
            "stands": report.is_safe,  # The old name of "passed", for one more version.
            "promises": sorted(report.promises),
            "left_open": report.left_open,
        },
        "self_test": checks,
        "walls": checks,  # The old name of "self_test", for one more version.
        "languages": [_language_as_json(language, version) for language, version in report.versions],
        "notes": list(report.notes),
        "games": list(report.games),
        "broken_games": [asdict(one) for one in report.broken_games],
        "limits": {"bot": asdict(report.limits), "build": asdict(report.build_limits)},
    }


def _language_as_json(language: Language, version: str | LanguageMissing) -> dict[str, object]:
    missing = isinstance(version, LanguageMissing)
    return {
        "id": language.id,
        "name": _name(language, version),
        "endings": [language.ending, *language.other_endings],
        "memory_bytes": language.memory_bytes,
        "version": None if missing else version,
        "missing": str(version) if missing else None,
    }
