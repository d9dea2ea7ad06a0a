"""Output of the benches."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

FILE_WIDTH = 200
"""The width of a line where the output is not a terminal."""


def print_table(table: Table) -> None:
    """Prints to standard output."""
    console = Console()
    if not console.is_terminal:
        console.width = FILE_WIDTH
    console.print(table)
