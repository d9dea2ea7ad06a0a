"""`hexarena verify`: compares our referees with recordings of the original ones."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import IO, Annotated

import typer

from hexarena.games.catalogue import find_game
from hexarena.games.verify import Tally, report

SHOWN = 40
"""Characters of a line that is no recording."""


def verify(
    files: Annotated[list[Path], typer.Argument(help="Recordings, .jsonl or .jsonl.gz.", exists=True, dir_okay=False)],
    maps: Annotated[bool, typer.Option("--maps", help="The files hold maps: compare the state before turn 1.")] = False,
) -> None:
    """Replay recorded games and print each difference. Exits with 1 if there is any."""
    tally = Tally()
    for path in files:
        try:
            with _open_text(path) as lines:
                # With the blank lines before it, for the numbers of those after it.
                begin = _to_first(lines)
                if (got := _mistaken(begin[-1] if begin else "")) is not None:
                    typer.echo(
                        f"{path}: expected a file of recordings, a JSON object in each line; got {got}", err=True
                    )
                    raise typer.Exit(2)
                for text in report(path.name, chain(begin, lines), find_game, tally, maps=maps):
                    typer.echo(text.encode("utf-8", "backslashreplace").decode())
        except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
            typer.echo(f"{path}: expected a file of recordings; {error}", err=True)
            raise typer.Exit(2) from None
    typer.echo(str(tally))
    if tally.identical != tally.games or not tally.games:
        raise typer.Exit(1)


def _to_first(lines: Iterator[str]) -> list[str]:
    """The blank lines at the beginning, and the first other one."""
    begin = []
    for line in lines:
        begin.append(line)
        if line.strip():
            break
    return begin


def _mistaken(line: str) -> str | None:
    """What a file with this first line is instead; None of one that may hold recordings."""
    try:
        first = json.loads(line)
    except ValueError:
        first = None
    if not isinstance(first, dict):
        return ascii(line.strip()[:SHOWN]) if line.strip() else "nothing"
    if "record" in first:
        return "a record of `hexarena match --record`, which `hexarena rerun` plays again"
    if "v" in first:
        return "a replay, which `hexarena watch` shows"
    return None


def _open_text(path: Path) -> IO[str]:
    return gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")
