"""`hexarena status`: how an arena is doing, as tables in a terminal. The same figures as on the organisers' page."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from http.client import HTTPException
from typing import TYPE_CHECKING, Annotated
from urllib.error import HTTPError, URLError
from urllib.request import Request, build_opener

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from hexarena.backend.runtime.local import running_redis_url
from hexarena.backend.runtime.settings import Settings
from hexarena.cli.connection import failed, open_database
from hexarena.cli.output import visible

if TYPE_CHECKING:
    from hexarena.backend.status.arena import ArenaStatus
    from hexarena.backend.status.figures import Figures, QueueStatus, RecentMatches, WorkerStatus

EVERY_S = 2.0
PATIENCE_S = 10.0
CAUSES: Mapping[str, str] = {
    "overload": "machine overloaded",
    "sandbox": "no sandbox",
    "store": "database or store away",
    "game": "game missing or failed",
    "disk": "disk full",
    "bug": "our bug",
    "silence": "worker silent",
    "withdrawn": "withdrawn",
}
"""What the figures call a cause -> what people read."""


class NotAsked(Exception):
    """The API did not say how the arena is. The message says why."""


def status(
    url: Annotated[str | None, typer.Option(help="Ask the arena at this address instead of the database.")] = None,
    token: Annotated[
        str | None, typer.Option(envvar="HEXARENA_TOKEN", help="A personal token with the scope organise, for --url.")
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Look again every 2 s, until Ctrl-C.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print all figures as JSON.")] = False,
) -> None:
    """Show how an arena is doing: queue, workers, ladders, the last hour. Exits with code 1 if it is not ready.

    It looks at the database of DATABASE_URL, or of the arena that runs in the data folder; with --url, over HTTP.
    """
    if as_json and watch:
        raise failed("Expected --json or --watch; got both.")
    look = _local() if url is None else lambda: _asked(url, token)
    try:
        found = look()
        if as_json:
            typer.echo(json.dumps(_as_json(found), indent=1, ensure_ascii=False))
        elif watch:
            found = _watch(found, look)
        else:
            Console().print(shown(found))
    except NotAsked as error:
        raise failed(str(error)) from None
    if not found.ready:
        raise typer.Exit(1)


def _watch(found: ArenaStatus, look: Callable[[], ArenaStatus]) -> ArenaStatus:
    """Until Ctrl-C. Returns what the last look found. An arena that does not answer for a moment is asked again.

    Raises: NotAsked, if it did not answer at the end.
    """
    console, lost = Console(), None
    live = Live(shown(found), console=console, auto_refresh=False, screen=console.is_terminal)
    with suppress(KeyboardInterrupt), live:
        while True:
            time.sleep(EVERY_S)
            try:
                found, lost = look(), None
            except NotAsked as error:
                lost = error
            problem = [] if lost is None else [Text(visible(str(lost)), style="red")]
            live.update(Group(*problem, shown(found)), refresh=True)
    if lost is not None:
        raise lost
    return found


def _local() -> Callable[[], ArenaStatus]:
    """Looks at the database and the broker themselves. Raises: Exit, if there is no arena."""
    from redis import Redis
    from redis.exceptions import RedisError

    from hexarena.backend.matches.store import blobs_of
    from hexarena.backend.status import arena
    from hexarena.backend.status.store_watch import PATIENCE_S, StoreWatch

    settings, database = Settings(), open_database()
    redis_url = settings.redis_url or running_redis_url(settings.data_folder)
    redis = Redis.from_url(redis_url, socket_timeout=5, socket_connect_timeout=5) if redis_url else None

    # A folder is no question; the address of a bucket, and its keys, may be known to the arena's parts only.
    watch = StoreWatch(blobs_of(settings)) if settings.store else None
    if watch is not None:
        watch.start(first_s=PATIENCE_S)

    def look() -> ArenaStatus:
        try:
            broker = redis is not None and bool(redis.ping())
        except RedisError:
            broker = False
        return arena.look(
            database,
            settings.data_folder,
            broker=broker,
            store=watch is None or watch.answers,
            reserve_bytes=settings.disk_reserve_bytes,
        )

    return look


def _asked(url: str, token: str | None) -> ArenaStatus:
    """What the API says. Raises: NotAsked, if it says nothing; Exit, for what is no address."""
    from pydantic import TypeAdapter, ValidationError

    from hexarena.backend.status.arena import ArenaStatus
    from hexarena.worker.joining import NoRedirects

    address = f"{url.rstrip('/')}/api/v1/status"
    if not address.startswith(("http://", "https://")):
        raise failed(f"Expected an address such as https://arena.example.org; got {url}")
    token = (token or "").strip()
    if not (token.isascii() and token.isprintable()):
        raise failed("Expected a token as your account's page shows it; got one with other characters, such as a “…”.")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        request = Request(address, headers=headers)  # noqa: S310 - checked above
        with build_opener(NoRedirects).open(request, timeout=PATIENCE_S) as answer:
            return TypeAdapter(ArenaStatus).validate_json(answer.read())
    except HTTPError as error:
        raise NotAsked(f"{address} answered {error.code}: {_problem(error)}") from None
    except (URLError, OSError, HTTPException, ValidationError) as error:
        raise NotAsked(f"{address} cannot be read: {error}") from None
    except ValueError:
        raise failed(f"Expected an address such as https://arena.example.org; got {url}") from None


def _problem(error: HTTPError) -> str:
    try:
        found = json.loads(error.read())
        hint = " Make a token with the scope organise on your account's page." if error.code in {401, 403} else ""
        return f"{found['detail']}{hint}"
    except (ValueError, KeyError, TypeError):
        return str(error.reason)


def _as_json(found: ArenaStatus) -> object:
    from pydantic import TypeAdapter

    return TypeAdapter(type(found)).dump_python(found, mode="json")


# --- For people ------------------------------------------------------------------------------------------------------


def shown(found: ArenaStatus) -> RenderableType:
    """All figures, for 80 columns and more."""
    free = found.disk_free_bytes / max(1, found.disk_size_bytes)
    lines: list[RenderableType] = [
        Text.assemble(
            (f"Hexarena {found.version}: ", "bold"),
            ("ready", "bold green") if found.ready else ("not ready", "bold red"),
            f"   {datetime.now(UTC):%H:%M:%S} UTC",
        ),
        *(Text(one, style="red") for one in found.missing),
        *(Text(visible(one), style="yellow") for one in found.troubles),
        *(Text(visible(one), style="yellow") for one in found.left_out),
    ]
    figures = found.figures
    if figures is not None:
        lines += _headline(figures.recent)
    machine = (
        f"{found.disk_free_bytes / 1e9:.1f} GB of the disk free ({free:.0%}), {_count(found.streams, 'stream')} open"
    )
    if figures is not None:
        machine += f", events {figures.event_lag_s:.1f} s late"
    lines.append(Text(machine, style="yellow" if free < 0.1 else ""))
    if figures is not None:
        lines += [_queue_table(figures), _worker_table(figures), *_differing(figures), _ladder_table(figures)]
    return Group(*lines)


def _headline(recent: RecentMatches) -> list[RenderableType]:
    ended = sum(one.done + one.void for one in recent.games)
    rate = "none ended" if recent.void_rate is None else f"{recent.void_rate:.1%} of {ended:,} void"
    minutes = max(1, round(recent.window_s / 60))
    first = f"{recent.per_minute:.1f} matches a minute; in the last {minutes} min {rate}"
    lines: list[RenderableType] = [Text(first, style="yellow" if (recent.void_rate or 0) > 0.05 else "")]
    attempts = _counts(recent.void_attempts, CAUSES)
    faults = _counts(recent.faults, {})
    lines += [Text(f"attempts that did not count: {attempts}", style="yellow")] if attempts else []
    lines += [Text(f"faults of bots: {faults}")] if faults else []
    return lines


def _queue_table(figures: Figures) -> Table:
    table = _table("queue", "waiting", "playing", "paused", "oldest", "games")
    by_kind: dict[str, list[QueueStatus]] = {}
    for one in figures.queue:
        by_kind.setdefault(one.kind, []).append(one)
    for kind, rows in by_kind.items():
        oldest = max((one.oldest_s or 0.0 for one in rows), default=0.0)
        table.add_row(
            kind,
            *(str(sum(getattr(one, what) for one in rows)) for what in ("waiting", "playing", "paused")),
            ago(oldest) if any(one.oldest_s is not None for one in rows) else "",
            ", ".join(one.game for one in rows),
        )
    if not by_kind:
        table.add_row("empty", *[""] * 5)
    return table


def _worker_table(figures: Figures) -> Table:
    table = _table("worker", "slots", "seen", "late", "CPU wait", "clock", "room")
    for one in figures.workers:
        table.add_row(
            Text(visible(f"{one.host}:{one.process}"), style="" if one.up else "red"),
            f"{one.slots}+{one.spare}",
            f"{ago(one.seen_s)} ago" if one.up else f"down, {ago(one.seen_s)}",
            f"{one.late_s * 1000:.0f} ms",
            "" if one.cpu_wait is None else f"{one.cpu_wait:.0%}",
            Text(f"{round(one.clock_off_s):+d} s", style="red" if one.clock_wrong else ""),
            _disk(one),
        )
    if not figures.workers:
        table.add_row(Text("none", style="red"), *[""] * 6)
    return table


def _disk(one: WorkerStatus) -> Text:
    if one.disk_free_bytes is None:
        return Text("")
    free = one.disk_free_bytes / 1e9
    return Text(f"{free:.{1 if free < 10 else 0}f} GB", style="red" if one.disk_full else "")


def _differing(figures: Figures) -> list[RenderableType]:
    """A line for each language that workers have in several versions."""
    return [
        Text(visible(f"{one.language} differs: {'; '.join(map(_in_words, one.versions.items()))}"), style="yellow")
        for one in figures.differing
    ]


def _in_words(version: tuple[str, Sequence[str]]) -> str:
    return f"{version[0]} on {', '.join(version[1])}"


def _ladder_table(figures: Figures) -> Table:
    table = _table("ladder", "bots", "placing", "uncounted", "refitted", "CPU")
    for one in figures.ladders:
        table.add_row(
            one.game,
            f"{one.competitors:,}",
            str(one.placing),
            str(one.pending),
            "never" if one.refitted_s is None else f"{ago(one.refitted_s)} ago",
            f"{one.refit_s:.2f} s",
        )
    return table


def _table(first: str, *others: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
    table.add_column(first, min_width=14)
    for heading in others:
        table.add_column(heading, justify="left" if heading == "games" else "right", no_wrap=heading != "games")
    return table


def ago(seconds: float) -> str:
    """A time in few characters: 12 s, 3 min, 5 h, 2 d."""
    for unit, length, most in (("s", 1, 120), ("min", 60, 7200), ("h", 3600, 172_800)):
        if seconds < most:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds / 86_400:.0f} d"


def _counts(counts: Mapping[str, int], names: Mapping[str, str]) -> str:
    found: Sequence[str] = [f"{names.get(name, name)} {count}" for name, count in counts.items() if count]
    return ", ".join(found)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
