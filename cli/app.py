"""`hexarena …`: the command line. `up` runs the arena; `match`, `duel`, `verify` and `watch` need no server.

Commands that need web server, database or queue import them when they run: that takes seconds (docs/decisions/0015),
and the base install has none of them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated, NoReturn

import typer
from pydantic import ValidationError
from pydantic_settings import SettingsError
from rich.console import Console

from hexarena.backend.runtime.settings import Settings, UnreadableSecret
from hexarena.cli import bench, classes, hosts, ladder, store, user
from hexarena.cli.backup import backup, restore
from hexarena.cli.check.command import check
from hexarena.cli.connection import errors_printed, failed, open_database, problem_of_database
from hexarena.cli.dev.command import dev
from hexarena.cli.doctor import doctor
from hexarena.cli.duel.command import duel
from hexarena.cli.import_battle import import_battle
from hexarena.cli.match import match
from hexarena.cli.new_game.command import new_game
from hexarena.cli.pool import command as pool
from hexarena.cli.rerun import fork, rerun
from hexarena.cli.status import status
from hexarena.cli.verify import verify
from hexarena.cli.verify_event import verify_event
from hexarena.cli.watch import watch
from hexarena.worker.sandbox import SandboxError

app = typer.Typer(
    name="hexarena",
    help="An open arena for game bots.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
database_app = typer.Typer(help="The database's schema.", no_args_is_help=True)
app.add_typer(database_app, name="db")
app.add_typer(pool.app, name="pool")
app.add_typer(bench.app, name="bench")
app.add_typer(ladder.app, name="ladder")
app.add_typer(user.app, name="user")
app.add_typer(classes.app, name="class")
app.add_typer(store.app, name="store")
app.add_typer(hosts.app, name="host")
console = Console()
NOT_SHOWN = re.compile(r"oidc|join_.*|.*(secret|token|password).*")
"""Settings whose values may have secrets."""


def _settings() -> Settings:
    """What the environment says. Raises: Exit, with what is wrong with it."""
    try:
        return Settings()
    except ValidationError as error:
        wrong = (_wrong(one["loc"], one["msg"], one["input"]) for one in error.errors())
        raise failed("\n".join(wrong)) from None
    except SettingsError as error:
        # It names the field only in words.
        named = re.search(r'field "(\w+)"', str(error))
        where = f"HEXARENA_{named[1].upper()}" if named else str(error)
        raise failed(f"{where}: expected JSON; {error.__cause__}") from None


def _wrong(where: Sequence[int | str], why: str, got: object) -> str:
    """`where`: the setting, then the place within it."""
    name, *within = map(str, where)
    variable = ".".join([f"HEXARENA_{name.upper()}", *within])
    return f"{variable}: {why}" + ("" if NOT_SHOWN.fullmatch(name.lower()) else f"; got {got!r}")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(version("hexarena"))
        raise typer.Exit


@app.callback()
def check_environment(
    show_version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """An open arena for game bots."""
    _settings()


def _connected() -> Settings:
    """Settings with the addresses of both servers. Raises: Exit."""
    settings = _settings()
    if not (settings.database_url and settings.redis_url):
        raise failed("Set DATABASE_URL and REDIS_URL, or use `hexarena up`, which brings its own servers.")
    return settings


@app.command()
def up() -> None:
    """Run the whole arena on this machine. Ctrl-C stops it; nothing is lost."""
    from hexarena.backend.matches.blobs import StoreError
    from hexarena.backend.matches.store import WrongStore
    from hexarena.backend.runtime.local import LocalServersError
    from hexarena.cli import supervisor

    try:
        supervisor.up(_settings(), console)
    except (LocalServersError, supervisor.PortTaken, SandboxError, WrongStore, StoreError) as error:
        raise failed(str(error)) from None


app.command()(match)
app.command()(new_game)
app.command()(check)
app.command()(dev)
app.command()(rerun)
app.command()(fork)
app.command()(duel)
app.command()(watch)
app.command()(verify)
app.command()(verify_event)
app.command()(import_battle)
app.command()(doctor)
app.command()(status)
app.command()(backup)
app.command()(restore)


@app.command(add_help_option=False, context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def referee(context: typer.Context) -> None:
    """Play one match for brutaltester, psyleague and their like: hexarena referee ants -p1 CMD -p2 CMD -d seed=N."""
    from hexarena.cli.referee.command import main

    raise typer.Exit(main(context.args))


@app.command()
def api() -> None:
    """Run the API and the pages alone (DATABASE_URL and REDIS_URL say where the servers are)."""
    from hexarena.backend.serve import serve

    serve(_connected())


@app.command("dispatch")
def run_dispatcher() -> None:
    """Run a dispatcher alone: it sends queued matches to the workers."""
    from hexarena.worker.dispatcher import dispatch

    dispatch(_connected())


@app.command("schedule")
def run_scheduler() -> None:
    """Run a scheduler alone: it decides which matches the ladders play."""
    from hexarena.worker.scheduler import schedule

    schedule(_connected())


@app.command("rate")
def run_ratings_alone() -> None:
    """Run a ratings process alone: it refits the ladders when results have come."""
    from hexarena.worker.ratings import run_ratings

    run_ratings(_connected())


@app.command("webhooks")
def run_webhooks_alone() -> None:
    """Run a webhooks process alone: it posts notices to the addresses that accounts have set."""
    from hexarena.worker.webhooks import run_webhooks

    run_webhooks(_connected())


@app.command("worker")
def worker_command(
    address: Annotated[
        str | None, typer.Option("--join", metavar="URL", help="Join the arena at this address, from any machine.")
    ] = None,
    token: Annotated[
        str,
        typer.Argument(
            envvar="HEXARENA_JOIN_TOKEN",
            help="The token of this host, for --join. The variable keeps it out of the list of processes.",
        ),
    ] = "",
) -> None:
    """Run a worker alone: it plays matches. With --join URL TOKEN it needs no other settings."""
    from hexarena.worker.app import run_worker
    from hexarena.worker.joining import JoinFailed, Membership, join

    # The variable may be set for others, an argument is meant.
    if address is None and token not in {"", os.environ.get("HEXARENA_JOIN_TOKEN")}:
        raise failed("Expected --join URL with the token; got a token alone.")
    try:
        if address is None:
            run_worker(_connected())
        elif not token:
            raise failed("Expected the token that `hexarena host add` printed, as argument or in HEXARENA_JOIN_TOKEN.")
        else:
            joined, identity = join(address, token, _settings())
            run_worker(joined, identity, Membership(address, token, joined))
    except (SandboxError, JoinFailed) as error:
        raise failed(str(error)) from None


@app.command()
def openapi() -> None:
    """Print the API's description as JSON."""
    from hexarena.backend.app import make_app

    typer.echo(json.dumps(make_app().openapi(), indent=1, ensure_ascii=False))


@app.command("version")
def print_version() -> None:
    """Print the version."""
    typer.echo(version("hexarena"))


@database_app.command("upgrade")
def upgrade_database() -> None:
    """Bring the database to the newest schema, and seed games, leagues and house bots."""
    from alembic.util import CommandError

    from hexarena.backend.submissions import seeding
    from hexarena.games.catalogue import broken_games

    try:
        with errors_printed():
            new = seeding.prepare(open_database())
    except CommandError as error:
        raise failed(f"The schema stays as it is: {error}") from None
    console.print(f"The schema is up to date; {new} house bots are new.")
    for broken in broken_games():
        console.print(str(broken), style="yellow", markup=False, highlight=False)


@database_app.command("downgrade")
def downgrade_database(
    revision: Annotated[str, typer.Argument(help="A revision; one step back if left out.")] = "-1",
) -> None:
    """Take the database back to an older schema. Columns and tables that it lacks are lost."""
    from alembic import command
    from alembic.util import CommandError

    from hexarena.backend.runtime import migrate

    config = migrate.alembic_config()
    try:
        with errors_printed(), open_database().engine.connect() as connection:
            config.attributes["connection"] = connection
            command.downgrade(config, revision)
    except CommandError as error:
        raise failed(f"The schema stays as it is: {error}") from None


def main() -> None:
    """Runs the command line. A command that needs more than the base install says which extra has it.

    What only its user can mend is said in a sentence: a secret that cannot be read, a database that is not there.
    """
    try:
        app()
    except UnreadableSecret as error:
        _print_and_exit(str(error))
    except ModuleNotFoundError as missing:
        name = (missing.name or "").partition(".")[0]
        if name == "hexarena":
            raise
        raise SystemExit(
            f"This command needs the package {name}. Install the arena: pip install 'hexarena[server,embedded]'"
        ) from None
    except Exception as error:
        said = problem_of_database(error)
        if said is None:
            raise
        _print_and_exit(said)


def _print_and_exit(said: str) -> NoReturn:
    raise SystemExit(failed(said).exit_code) from None


if __name__ == "__main__":
    main()
