"""`hexarena verify-event`: checks the published file of an event."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from hexarena.cli.output import visible

if TYPE_CHECKING:
    from hexarena.backend.events import checking

WRONG, REFUSED = 1, 2
SHOWN = 20

console = Console(stderr=True)


def verify_event(
    file: Annotated[Path, typer.Argument(help="What the event's page offers once it is over.", dir_okay=False)],
    commitment: Annotated[
        str | None, typer.Option(help="The SHA-256 that the event's page showed before the final.")
    ] = None,
) -> None:
    """Check a final: seeds, pairings, results, ties and places, each computed anew from the records of its matches.

    Exit codes: 0 if everything comes out as it was published, 1 if anything does not, 2 if this is not such a file
    or its game is not here.
    """
    from hexarena.backend.events import checking

    try:
        opened = checking.EventFile(file)
        with Progress(console=console, transient=True) as progress:
            bar = progress.add_task("Playing the matches again …", total=None)
            found = checking.check(
                opened,
                commitment=commitment,
                progress=lambda done, of: progress.update(bar, completed=done, total=of),
            )
        opened.close()
    except checking.NoEventFile as error:
        console.print(f"{file}: {error}", style="red", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(REFUSED) from None
    _print(found)
    if found.wrong:
        raise typer.Exit(WRONG)


def _print(found: checking.Findings) -> None:
    for why in found.wrong[:SHOWN]:
        console.print(why, style="red", markup=False, highlight=False, soft_wrap=True)
    if len(found.wrong) > SHOWN:
        console.print(f"… and {len(found.wrong) - SHOWN} more.", style="red")
    if found.unchecked:
        why = "a bot's owner deleted it, or a reply was too long to keep"
        text = f"{len(found.unchecked)} matches have no record: {why}."
        console.print(text, style="yellow", highlight=False, soft_wrap=True)
    for first, again, reason in found.reruns:
        text = f"Match {again} was played in place of match {first}: {visible(reason)}"
        console.print(text, markup=False, highlight=False, soft_wrap=True)
    counts = [(found.stages, "stage"), (found.pairings, "pairing"), (found.games, "game")]
    checked = ", ".join([*(_counted(*one) for one in counts), f"{found.replayed} played again"])
    verdict = _counted(len(found.wrong), "difference") if found.wrong else "everything as published"
    typer.echo(f"{found.name}: {checked}: {verdict}. Commitment {found.commitment}")


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
