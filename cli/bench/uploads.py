"""`hexarena bench uploads`: many uploads within two minutes: how soon each is checked, and who gets the first matches.

Starts an arena in a folder of its own. Each bot is Yavalath's starter with a comment of its own, since equal code is
one competitor, and belongs to an account of its own. Which match began when, the API's history says.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from hexarena.cli.bench.api_process import console, free_port, percentiles
from hexarena.cli.bench.arena import GAME, NO_LIMITS
from hexarena.cli.bench.idle import REST
from hexarena.cli.bench.real_arena import ArenaFailed, Visitor, real_arena
from hexarena.cli.bench.tables import check_json, print_table
from hexarena.games.catalogue import bot_file, find_game

PATIENCE_S = 3600.0
LOOK_S = 5.0
PAGE = 100
FIRST, TWELFTH = 5, 12
"""Everybody gets so many matches of their placement before anybody gets this one."""


@dataclass(frozen=True, slots=True)
class Figures:
    """`checked_s`: of each upload, from the request until its check match was over. `placed_s`: until its `FIRST`
    matches had begun. `behind`: bots that were checked, but had fewer, when the first one began its `TWELFTH`.
    `overtaken`: bots that had fewer when one began it that was checked later. A match counts for all who play in it.
    """

    checked_s: tuple[float, ...]
    placed_s: tuple[float, ...]
    behind: int
    overtaken: int


def bench_uploads(
    uploads: Annotated[int, typer.Option(min=2, help="Bots that are uploaded, each by an account of its own.")] = 200,
    within: Annotated[float, typer.Option(min=1.0, help="Seconds in which they are uploaded.")] = 120.0,
    processes: Annotated[int, typer.Option(min=1, help="Matches that are played at once.")] = 2,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all figures as JSON to this file.")] = None,
) -> None:
    """Print how soon many uploads are checked, and whether all of them get their first matches before others go on."""
    check_json(json_file)
    settings = {**REST, **{f"HEXARENA_{name}": value for name, value in NO_LIMITS.items()}}
    settings["HEXARENA_WORKER_PROCESSES"] = str(processes)
    try:
        with (
            tempfile.TemporaryDirectory(prefix="hexarena-uploads-") as folder,
            real_arena(Path(folder), free_port(), settings) as reader,
        ):
            figures = _measured(reader, uploads, within)
    except ArenaFailed as error:
        console.print(str(error), style="red", markup=False, highlight=False)
        raise typer.Exit(2) from None
    print_table(_table(figures, uploads, within))
    if json_file is not None:
        json_file.write_text(json.dumps(asdict(figures)) + "\n")


def _measured(reader: Visitor, uploads: int, within_s: float) -> Figures:
    sent = _upload(reader, uploads, within_s)
    end = time.monotonic() + PATIENCE_S
    with console.status("until all are checked and have their first matches") as status:
        while time.monotonic() < end:
            checks, began = _checks(reader), _beginnings(reader)
            ready = sum(len(began.get(one, ())) >= FIRST for one in sent)
            status.update(f"{len(checks.keys() & sent)} of {uploads} checked, {ready} with {FIRST} matches")
            if ready == uploads and checks.keys() >= sent.keys():
                return figures_of(sent, checks, began)
            time.sleep(LOOK_S)
    raise ArenaFailed(f"expected {FIRST} matches of each of {uploads} bots within {PATIENCE_S:g} s; {ready} have them")


def _upload(reader: Visitor, uploads: int, within_s: float) -> dict[str, datetime]:
    """Bot -> when it was sent, evenly within this time. Raises: ArenaFailed."""
    game = find_game(GAME)
    source = bot_file(game, next(name for name in game.starters if name.endswith(".py"))).read_text()
    sent: dict[str, datetime] = {}
    began = time.monotonic()
    for number in range(uploads):
        time.sleep(max(0.0, began + number * within_s / uploads - time.monotonic()))
        name, user = f"bot {number}", Visitor(reader.port)
        user.sign_up(f"player {number}")
        body = {"game": GAME, "bot": name, "language": "python", "source": f"{source}\n# {number}\n"}
        sent[name] = datetime.fromisoformat(user.submit(body)["created_at"])
    return sent


def _checks(reader: Visitor) -> dict[str, datetime]:
    """Bot -> when its check match was over. Raises: ArenaFailed, where one is void."""
    found = {}
    for match in _of_kind(reader, "check"):
        if match["state"] == "void":
            raise ArenaFailed(f"expected check match {match['id']} to be played; it is void: {match['void_reason']}")
        if match["finished_at"] is not None:
            found[match["seats"][0]["bot"]] = datetime.fromisoformat(match["finished_at"])
    return found


def _beginnings(reader: Visitor) -> dict[str, list[datetime]]:
    """Bot -> when the matches of its placement began, in order."""
    found: dict[str, list[datetime]] = {}
    for match in _of_kind(reader, "placement"):
        if match["started_at"] is not None:
            for bot in {seat["bot"] for seat in match["seats"]}:
                found.setdefault(bot, []).append(datetime.fromisoformat(match["started_at"]))
    return {bot: sorted(times) for bot, times in found.items()}


def _of_kind(reader: Visitor, kind: str) -> Iterator[Mapping[str, Any]]:
    return reader.pages("/matches", game=GAME, kind=kind, limit=PAGE)


def figures_of(
    sent: Mapping[str, datetime], checks: Mapping[str, datetime], began: Mapping[str, Sequence[datetime]]
) -> Figures:
    """What was found. By bot: when it was sent, when its check match was over, when its matches began, in order."""
    ready = {one: began[one][FIRST - 1] for one in sent}
    twelfth = {one: began[one][TWELFTH - 1] for one in sent if len(began[one]) >= TWELFTH}
    first = min(twelfth.values(), default=None)
    return Figures(
        tuple((checks[one] - at).total_seconds() for one, at in sent.items()),
        tuple((ready[one] - at).total_seconds() for one, at in sent.items()),
        0 if first is None else sum(checks[one] < first < ready[one] for one in sent),
        sum(any(checks[other] > checks[one] and at < ready[one] for other, at in twelfth.items()) for one in sent),
    )


def _table(figures: Figures, uploads: int, within_s: float) -> Table:
    table = Table(title=f"{uploads} uploads in {within_s:g} s")
    for heading in ("", "p50", "p95", "longest"):
        table.add_column(heading, justify="right" if heading else "left")
    for name, seconds in (("checked, s", figures.checked_s), (f"{FIRST} matches begun, s", figures.placed_s)):
        p50, p95, _ = percentiles(seconds)
        table.add_row(name, f"{p50:.1f}", f"{p95:.1f}", f"{max(seconds):.1f}")
    table.add_section()
    table.add_row(f"fewer than {FIRST} when the first bot began its {TWELFTH}th", "", "", str(figures.behind))
    table.add_row("fewer when a bot that came later began it (goal 0)", "", "", str(figures.overtaken))
    return table
