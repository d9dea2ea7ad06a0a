"""`hexarena bench web`: what the pages of a large arena cost, over HTTP and in CPU time of the API and the database.

Uses the database of DATABASE_URL (with REDIS_URL), or one of its own in a folder. If it has no matches, it is filled
first. A real API process then answers requests at a steady rate, one kind after the other.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from hexarena.cli.bench.tables import check_json, print_table
from hexarena.cli.connection import failed


def bench_web(
    matches: Annotated[int, typer.Option(min=1_000, help="Matches of a database that is filled.")] = 1_000_000,
    bots: Annotated[int | None, typer.Option(min=100, help="Bots of it; by default, a bot per 50 matches.")] = None,
    rate: Annotated[float, typer.Option(min=1.0, help="Requests a second.")] = 50.0,
    seconds: Annotated[float, typer.Option(min=0.0, help="How long each kind is measured.")] = 10.0,
    only: Annotated[list[str] | None, typer.Option(help="Kinds whose names begin with this. May be repeated.")] = None,
    folder: Annotated[Path | None, typer.Option(help="Keep the database here, for the next time.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all figures as JSON to this file.")] = None,
) -> None:
    """Print what each kind of request of the pages takes on a large arena, beside its goal."""
    from hexarena.bench.web.pages import check_chosen
    from hexarena.bench.web.world import Plan
    from hexarena.cli.bench.web_arena import NoRoom, measured, table_of

    # Said at once: to fill the database takes a minute.
    try:
        check_chosen(only or ())
    except ValueError as error:
        raise failed(str(error)) from None
    check_json(json_file)
    plan = Plan(matches=matches, bots=bots or max(matches // 50, 100))
    try:
        found = measured(plan, rate, seconds, tuple(only or ("",)), folder)
    except NoRoom as error:
        raise failed(str(error)) from None
    print_table(table_of(found))
    if json_file is not None:
        json_file.write_text(json.dumps([asdict(one) for one in found]) + "\n")
