"""How the benches print."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

FILE_WIDTH = 140
"""Characters of a line where the output is no terminal."""


def print_table(table: Table) -> None:
    """On standard output."""
    console = Console()
    if not console.is_terminal:
        console.width = FILE_WIDTH
    console.print(table)
