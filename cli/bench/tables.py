"""Output of the benches: tables, and the file of --json."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from hexarena.cli.connection import failed
from hexarena.cli.entrants import Refused, check_folders, check_outputs

FILE_WIDTH = 200
"""The width of a line where the output is not a terminal."""


def print_table(table: Table) -> None:
    """Prints to standard output."""
    console = Console()
    if not console.is_terminal:
        console.width = FILE_WIDTH
    console.print(table)


def check_json(file: Path | None, inputs: Iterable[Path] = ()) -> None:
    """Nothing is measured for figures that cannot be written, or would be over what is read. Raises: Exit."""
    files = {"--json": file}
    try:
        check_folders(files)
        check_outputs(inputs, files)
    except Refused as error:
        raise failed(str(error)) from None
