"""`hexarena verify`: compares our referees with recordings of the original ones."""

from __future__ import annotations

import gzip
import json
import zlib
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
                first = next(lines, "")
                if not _is_recording(first):
                    got = ascii(first.strip()[:SHOWN]) if first.strip() else "nothing"
                    typer.echo(
                        f"{path}: expected a file of recordings, a JSON object in each line; got {got}", err=True
                    )
                    raise typer.Exit(2)
                for text in report(path.name, chain([first], lines), find_game, tally, maps=maps):
                    typer.echo(text.encode("utf-8", "backslashreplace").decode())
        except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
            typer.echo(f"{path}: expected a file of recordings; {error}", err=True)
            raise typer.Exit(2) from None
    typer.echo(str(tally))
    if tally.identical != tally.games or not tally.games:
        raise typer.Exit(1)


def _is_recording(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _open_text(path: Path) -> IO[str]:
    return gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")
