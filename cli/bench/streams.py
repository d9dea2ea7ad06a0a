"""`hexarena bench streams`: how late events are when thousands watch, and what that costs everybody else.

Starts a database, a broker and one API process in a folder of its own, opens event streams from many loopback
addresses, then publishes events and the lines of a running match, as the arena's own parts would. A delay is the time
from the start of the transaction that publishes, or from the call that sends a line, until the client has it.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from hexarena.cli.bench.tables import check_json, print_table


def bench_streams(
    streams: Annotated[int, typer.Option(min=1, help="Event streams.")] = 2_000,
    live_streams: Annotated[int, typer.Option("--live", min=0, help="Streams of one running match.")] = 500,
    seconds: Annotated[float, typer.Option(min=1.0, help="How long events are published.")] = 30.0,
    rate: Annotated[float, typer.Option(min=0.1, help="Events a second.")] = 5.0,
    patience: Annotated[float, typer.Option(min=1.0, help="Seconds that the last events may take.")] = 20.0,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all figures as JSON to this file.")] = None,
) -> None:
    """Print how late events and live lines are, and what other requests and the API process pay for them."""
    check_json(json_file)
    from hexarena.cli.bench.stream_arena import measured, table_of

    found = measured(streams, live_streams, seconds, rate, patience)
    print_table(table_of(found))
    if json_file is not None:
        json_file.write_text(json.dumps(asdict(found)) + "\n")
