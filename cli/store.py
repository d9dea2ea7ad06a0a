"""`hexarena store …`: where replays are, and whose they are."""

from __future__ import annotations

import typer
from rich.console import Console

from hexarena.backend.runtime.settings import Settings
from hexarena.cli.connection import failed, open_database

app = typer.Typer(help="The store of replays: whether it is this database's, and making it so.", no_args_is_help=True)
console = Console()


@app.command()
def check() -> None:
    """Say where the replays are, and whether they are those of this database."""
    from hexarena.backend.matches.blobs import StoreError
    from hexarena.backend.matches.store import WrongStore, checked_store

    try:
        blobs = checked_store(Settings(), open_database())
    except (WrongStore, StoreError) as error:
        raise failed(str(error)) from None
    console.print(f"The store at {blobs.place} has the replays of this database.", highlight=False, soft_wrap=True)


@app.command()
def adopt() -> None:
    """Make the store this database's, when the database or the replays that belonged together are gone for good."""
    from hexarena.backend.matches import store
    from hexarena.backend.matches.blobs import StoreError

    try:
        own = store.adopt(Settings(), open_database())
    except StoreError as error:
        raise failed(str(error)) from None
    console.print(f"The store of replays belongs to arena {own} now.", highlight=False)
