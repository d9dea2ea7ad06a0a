"""What commands share that change a running arena: its database, and errors in words."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from hexarena.backend.errors import ArenaError
from hexarena.backend.runtime.local import running_database_url
from hexarena.backend.runtime.settings import Settings

if TYPE_CHECKING:
    from hexarena.backend.runtime.db import Database

COMMAND_LINE = "the command line"
"""Who did what the log has of these commands: whoever may use the database, without an account."""


def open_database() -> Database:
    """That of DATABASE_URL, or of the arena that `hexarena up` runs in the data folder. Raises: Exit."""
    from hexarena.backend.runtime.db import Database

    settings = Settings()
    url = settings.database_url or running_database_url(settings.data_folder)
    if url is None:
        raise failed(
            f"No arena runs in {settings.data_folder}/. Start it with `hexarena up`, name its folder in "
            "HEXARENA_DATA_FOLDER, or set DATABASE_URL."
        )
    return Database.of(Settings(DATABASE_URL=url), pool_size=1)


def failed(message: str) -> typer.Exit:
    """Says what is wrong, for `raise failed(…)`."""
    Console(stderr=True).print(message, style="red", markup=False, highlight=False)
    return typer.Exit(2)


@contextmanager
def errors_printed() -> Iterator[None]:
    """Prints errors of requests instead of a traceback. Raises: Exit."""
    try:
        yield
    except ArenaError as error:
        expected = "" if error.expected is None else f" Expected {error.expected}"
        got = "" if error.expected is None or error.got is None else f"; got {error.got}"
        raise failed(f"{error}{expected}{got}") from None
    except Exception as error:
        from sqlalchemy.exc import DBAPIError

        said = problem_of_database(error)
        if said is None and isinstance(error, DBAPIError):
            said = f"The database refused: {str(error).splitlines()[0]}"
        if said is None:
            raise
        raise failed(said) from None


def problem_of_database(error: Exception) -> str | None:
    """What to say of a database that does not answer, or of an address that is none; None: it is another error."""
    if "sqlalchemy" not in sys.modules:
        return None
    from sqlalchemy.exc import ArgumentError, OperationalError

    if isinstance(error, ArgumentError):
        # Not what was got: a password may be in it.
        return "DATABASE_URL is no address of a database. Expected such as postgresql://USER:PASSWORD@HOST:5432/NAME"
    if isinstance(error, OperationalError) and isinstance(error.orig, Exception):
        why = str(error.orig).splitlines() or [type(error.orig).__name__]
        where = "" if getattr(error.orig, "sqlstate", None) else ". Expected one that answers where DATABASE_URL says"
        return f"The database refused: {why[0]}{where}"
    return None
