"""`hexarena host …`: machines elsewhere whose workers may join."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from hexarena.backend.runtime.local import running_redis_url
from hexarena.backend.runtime.settings import Settings
from hexarena.cli.connection import errors_printed, failed, open_database

app = typer.Typer(help="Hosts: machines elsewhere whose workers may join.", no_args_is_help=True)
console = Console()
NameArgument = Annotated[str, typer.Argument(help="The host's name: a-z, 0-9, . and -.")]


@app.command()
def add(name: NameArgument) -> None:
    """Make a token with which the workers of a machine may join, and print it. It is shown only once."""
    from hexarena.backend.hosts import life as hosts

    with errors_printed(), open_database().transaction() as session:
        host, token = hosts.add(session, name)
    console.print(f"{token}  for workers of {host.name}. There:", highlight=False, markup=False, soft_wrap=True)
    console.print("HEXARENA_JOIN_TOKEN=… hexarena worker --join URL", highlight=False, markup=False)


@app.command("list")
def list_hosts() -> None:
    """Print all hosts."""
    from hexarena.backend.hosts import life as hosts

    with errors_printed(), open_database().transaction() as session:
        table = Table("name", "since", "last joined", "version", "workers up")
        for one in hosts.list_all(session):
            joined = "never" if one.host.joined_at is None else f"{one.host.joined_at:%Y-%m-%d %H:%M}"
            table.add_row(
                one.host.name, f"{one.host.created_at:%Y-%m-%d}", joined, one.host.version or "", str(one.up)
            )  # fmt: skip
    console.print(table)


@app.command()
def rm(
    name: NameArgument,
    without_broker: Annotated[
        bool, typer.Option("--without-broker", help="Also where the broker does not answer: its user there stays.")
    ] = False,
) -> None:
    """End a host: its token, its database role, its connections. Its matches are played again."""
    from redis import Redis
    from redis.exceptions import RedisError

    from hexarena.backend.hosts import life as hosts

    settings = Settings()
    redis_url = settings.redis_url or running_redis_url(settings.data_folder)
    redis = Redis.from_url(redis_url, socket_timeout=5, socket_connect_timeout=5) if redis_url else None
    try:
        if redis is not None:
            redis.ping()
    except RedisError:
        redis = None
    if redis is None and not without_broker:
        raise failed(
            "The broker does not answer, so the host's user there cannot be removed. Expected the one of REDIS_URL, or "
            "--without-broker to remove everything else now"
        )
    with errors_printed(), open_database().transaction() as session:
        user = hosts.remove(session, redis, name)
    left = "" if redis else f" If the broker comes back without a restart, remove its user there: ACL DELUSER {user}"
    console.print(f"{name} is no longer a host.{left}", highlight=False, markup=False)
