"""`hexarena backup` and `hexarena restore`: an arena in one file, and back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

from hexarena.backend.runtime.local import FolderLock, LocalServers, LocalServersError, running_database_url
from hexarena.backend.runtime.settings import Settings
from hexarena.cli.connection import errors_printed, failed, open_database

if TYPE_CHECKING:
    from hexarena.backend.backup.manifest import Manifest, Report
    from hexarena.backend.runtime.db import Database

console = Console()


def backup(
    file: Annotated[Path, typer.Argument(help="The backup, such as arena.zip: a new file, except with --check.")],
    check: Annotated[bool, typer.Option("--check", help="Only read the file, and say whether it is whole.")] = False,
    without_replays: Annotated[bool, typer.Option("--without-replays", help="Leave the replays out.")] = False,
) -> None:
    """Write the arena into one file, while it runs: database, replays and key. Keep it like a password."""
    from hexarena.backend.backup.files import Backup
    from hexarena.backend.backup.making import make

    if check:
        with _failures_printed(), Backup(file) as found, _progress() as report:
            found.check(report)
        _print(f"{file} is whole.", found.manifest)
        return
    with _failures_printed(), _arena() as database, _progress() as report:
        done = make(Settings(), database, file, replays=not without_replays, report=report)
    _print(f"Wrote {file}, {_size(file.stat().st_size)}.", done)


def restore(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="A file that `hexarena backup` wrote.")],
    without_replays: Annotated[bool, typer.Option("--without-replays", help="Leave the replays in the file.")] = False,
    same_store: Annotated[
        bool,
        typer.Option("--same-store", help="Use the replays already in the store; no other arena may use it any more."),
    ] = False,
) -> None:
    """Fill an empty arena from a backup: the database of DATABASE_URL, or a data folder that `hexarena up` will use."""
    from hexarena.backend.backup import restoring

    settings = Settings()
    with _failures_printed(), _empty_arena(settings) as database, _progress() as report:
        done = restoring.restore(
            settings, database, file, replays=not without_replays, same_store=same_store, report=report
        )
    _print(f"Restored {file}.", done.manifest)
    if not done.replays:
        _say("The replays were not restored. Matches of before have none, unless the store has them.")
    if done.other_key:
        _say("HEXARENA_SECRET_KEY is not the backup's key: guests lose their identity, webhooks need new secrets.")
    if settings.redis_url and not restoring.forget_lines(settings):
        _say("The broker does not answer. If the old arena used it, too, give this one another HEXARENA_NAMESPACE.")


def _print(said: str, found: Manifest) -> None:
    from hexarena.backend.backup.manifest import counted

    replays = "without replays" if found.replays is None else counted(found.objects(), "replay", "replays")
    _say(said)
    _say(f"Arena {found.arena}, of {found.made_at}, by Hexarena {found.version}, schema {found.revision}:")
    counts = [
        counted(found.rows("user"), "user", "users"),
        counted(found.rows("bot"), "bot", "bots"),
        counted(found.rows("match"), "match", "matches"),
        f"{found.rows('job'):,} of them not over",
        replays,
    ]
    _say(f"{', '.join(counts)}.")
    if found.missing:
        _say(f"{counted(found.missing, 'result has', 'results have')} no replay in the store any more.")


def _say(line: str) -> None:
    console.print(line, markup=False, highlight=False, soft_wrap=True)


def _size(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= 100_000 else f"{size / 1e3:,.1f} kB"


@contextmanager
def _arena() -> Iterator[Database]:
    """The database of an arena, running or not. Raises: Exit, LocalServersError."""
    settings = Settings()
    stopped = not settings.database_url and running_database_url(settings.data_folder) is None
    if stopped and (settings.data_folder / "postgres" / "PG_VERSION").exists():
        with _started(settings) as database:
            yield database
        return
    database = open_database()
    try:
        yield database
    finally:
        database.close()


@contextmanager
def _empty_arena(settings: Settings) -> Iterator[Database]:
    """The database to fill. Raises: LocalServersError."""
    if not settings.database_url:
        with _started(settings) as database:
            yield database
        return
    database = open_database()
    try:
        yield database
    finally:
        database.close()


@contextmanager
def _started(settings: Settings) -> Iterator[Database]:
    """A database in the data folder, for the time of the block."""
    from hexarena.backend.runtime.db import Database

    with FolderLock(settings.data_folder):
        servers = LocalServers(settings.data_folder.resolve())
        try:
            url = Settings(DATABASE_URL=servers.start_postgres()).sqlalchemy_url()
            database = Database(url, pool_size=1, idle_s=settings.transaction_idle_s)
            yield database
            database.close()
        finally:
            servers.stop()


@contextmanager
def _progress() -> Iterator[Report]:
    """Shows on a terminal what is being done."""
    columns = (TextColumn("{task.description:<24}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("")

        def report(what: str, done: int, total: int | None) -> None:
            progress.update(task, description=what, completed=done, total=total)

        yield report


@contextmanager
def _failures_printed() -> Iterator[None]:
    """Prints what went wrong instead of a traceback. Raises: Exit."""
    import psycopg
    from sqlalchemy.exc import DBAPIError

    from hexarena.backend.matches.blobs import StoreError
    from hexarena.backend.matches.store import WrongStore

    try:
        with errors_printed():
            yield
    except (LocalServersError, StoreError, WrongStore) as error:
        raise failed(str(error)) from None
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        raise failed(f"{where}{error.strerror or error}") from None
    except (psycopg.Error, DBAPIError) as error:
        raise failed(f"The database refused: {str(error).splitlines()[0]}") from None
