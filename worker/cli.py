"""`hexarena …`: the command line. `up` runs the arena; `match`, `duel`, `verify` and `watch` need no server.

It lives on the top floor, the only one from which all others can be seen (docs/decisions/0004). Commands that need web
server, database or queue import them when they run, since that takes seconds (docs/decisions/0015).
"""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Annotated

import typer
from pydantic import ValidationError
from rich.console import Console

from backend.settings import Settings
from worker import benches, ladder
from worker.doctor import doctor
from worker.duel import duel
from worker.local_match import match
from worker.sandbox import SandboxError
from worker.verifying import verify
from worker.watching import watch

app = typer.Typer(
    name="hexarena",
    help="An open arena for game bots.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
database_app = typer.Typer(help="The database's schema.", no_args_is_help=True)
app.add_typer(database_app, name="db")
app.add_typer(benches.app, name="bench")
app.add_typer(ladder.app, name="ladder")
console = Console()


def _failed(message: str) -> typer.Exit:
    """Says what is wrong, for `raise _failed(…)`."""
    Console(stderr=True).print(message, style="red", markup=False, highlight=False)
    return typer.Exit(2)


def _settings() -> Settings:
    """What the environment says. Raises: Exit, with what is wrong with it."""
    try:
        return Settings()
    except ValidationError as error:
        wrong = (f"HEXARENA_{str(one['loc'][0]).upper()}: {one['msg']}; got {one['input']!r}" for one in error.errors())
        raise _failed("\n".join(wrong)) from None


@app.callback()
def check_environment() -> None:
    """Before any command."""
    _settings()


def _connected() -> Settings:
    """Settings with the addresses of both servers. Raises: Exit."""
    settings = _settings()
    if not (settings.database_url and settings.redis_url):
        raise _failed("Set DATABASE_URL and REDIS_URL, or use `hexarena up`, which brings its own servers.")
    return settings


@app.command()
def up() -> None:
    """Run the whole arena on this machine. Ctrl-C stops it; nothing is lost."""
    from backend.local import LocalServersError
    from worker import supervisor

    try:
        supervisor.up(_settings(), console)
    except (LocalServersError, supervisor.PortTaken, SandboxError) as error:
        raise _failed(str(error)) from None


app.command()(match)
app.command()(duel)
app.command()(watch)
app.command()(verify)
app.command()(doctor)


@app.command()
def api() -> None:
    """Run the API and the pages alone (DATABASE_URL and REDIS_URL say where the servers are)."""
    from backend.serve import serve

    serve(_connected())


@app.command("dispatch")
def run_dispatcher() -> None:
    """Run a dispatcher alone: it sends queued matches to the workers."""
    from worker.dispatcher import dispatch

    dispatch(_connected())


@app.command("worker")
def worker_command() -> None:
    """Run a worker alone: it plays matches."""
    from worker.app import run_worker

    try:
        run_worker(_connected())
    except SandboxError as error:
        raise _failed(str(error)) from None


@app.command()
def openapi() -> None:
    """Print the API's description as JSON."""
    from backend.app import make_app

    typer.echo(json.dumps(make_app().openapi(), indent=1, ensure_ascii=False))


@app.command("version")
def show_version() -> None:
    """Print the version."""
    typer.echo(version("hexarena"))


@database_app.command("upgrade")
def upgrade_database() -> None:
    """Bring the database to the newest schema, and seed games, leagues and house bots."""
    from backend import migrate
    from backend.db import Database

    database = Database(_connected().sqlalchemy_url())
    console.print(f"The schema is up to date; {migrate.prepare(database)} house bots are new.")


@database_app.command("downgrade")
def downgrade_database(
    revision: Annotated[str, typer.Argument(help="A revision; one step back if left out.")] = "-1",
) -> None:
    """Take the database back to an older schema. Columns and tables that it lacks are lost."""
    from alembic import command

    from backend import migrate
    from backend.db import Database

    database = Database(_connected().sqlalchemy_url())
    config = migrate.alembic_config()
    with database.engine.connect() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, revision)


if __name__ == "__main__":
    app()
