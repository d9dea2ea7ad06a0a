"""`hexarena bench arena`: what matches cost each part, how soon a first turn is seen, and what a second process adds.

Starts arenas in folders of their own whose ladders are at rest. Practice matches of Yavalath's starter against a house
bot, as pages ask for them: some one after the other, each from the request to its first turn in the live stream, then
many at once.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from hexarena.cli.bench.api_process import console, free_port, percentiles
from hexarena.cli.bench.idle import REST, used_s
from hexarena.cli.bench.real_arena import HOST, ArenaFailed, Visitor, real_arena
from hexarena.cli.bench.tables import check_json, print_table
from hexarena.games.catalogue import bot_file, find_game

GAME, OPPONENT = "yavalath", "Keystone"
PLACED = ("ants", "battlegrounds")
"""Games whose matches take seconds."""
EACH = 3
"""Matches that a visitor may have waiting at once."""
LOOK_S = 0.5
FIRST_S = 60.0
PATIENCE_S = 300.0
SHARED = frozenset(
    ("arena-api", "arena-dispatche", "arena-scheduler", "arena-ratings", "arena-webhooks", "postgres", "valkey-server")
)
"""Parts that play no matches, as the kernel shortens their names."""
NO_LIMITS = dict.fromkeys(
    ("GUESTS_PER_MINUTE", "GUEST_CPU_S", "GUEST_BYTES", "NETWORK_BYTES", "QUEUE_PER_NETWORK", "REQUESTS_EACH"), "0"
)
FIRST_TURN_GOAL_MS = (80.0, 150.0)
SHARED_GOAL_MS, SPEED_UP_GOAL = 5.0, 1.9


@dataclass(frozen=True, slots=True)
class Figures:
    """`first_turn_ms`: of each match that was asked for alone. `beside_ms`: the same while bots are placed.

    `ms`: part -> CPU milliseconds a match, many at once. `matches_a_minute`: worker processes -> how many they play.
    """

    first_turn_ms: tuple[float, ...]
    beside_ms: tuple[float, ...]
    ms: Mapping[str, float]
    matches_a_minute: Mapping[int, float]

    @property
    def shared_ms(self) -> float:
        """Of all parts but the workers and the bots."""
        return sum(ms for part, ms in self.ms.items() if part in SHARED)


def bench_arena(
    matches: Annotated[int, typer.Option(min=2, help="Matches that are asked for at once.")] = 120,
    alone: Annotated[int, typer.Option(min=2, help="Matches before these, one after the other.")] = 15,
    placed: Annotated[int, typer.Option(min=1, help="Bots of each of two games that are placed meanwhile.")] = 8,
    settle: Annotated[float, typer.Option(min=0.0, help="Seconds before the measurement.")] = 30.0,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all figures as JSON to this file.")] = None,
) -> None:
    """Print what a match costs each part, how soon its first turn is seen, and what a second process adds."""
    check_json(json_file)
    try:
        figures = _measured(matches, alone, placed, settle)
    except ArenaFailed as error:
        console.print(str(error), style="red", markup=False, highlight=False)
        raise typer.Exit(2) from None
    for table in _tables(figures, matches):
        print_table(table)
    if json_file is not None:
        json_file.write_text(json.dumps(asdict(figures)) + "\n")


def _measured(matches: int, alone: int, placed: int, settle: float) -> Figures:
    speed: dict[int, float] = {}
    first: tuple[float, ...] = ()
    beside: tuple[float, ...] = ()
    costs: dict[str, float] = {}
    for processes in (1, 2):
        settings = {**REST, **{f"HEXARENA_{name}": value for name, value in NO_LIMITS.items()}}
        settings["HEXARENA_WORKER_PROCESSES"] = str(processes)
        with (
            tempfile.TemporaryDirectory(prefix="hexarena-arena-") as folder,
            console.status(f"an arena with {processes} worker process{'es' if processes > 1 else ''}"),
            real_arena(Path(folder), free_port(), settings) as reader,
        ):
            time.sleep(settle)
            body = _body(reader)
            _wait_for(_posted(reader, body, 1))  # Everything is built and warm then.
            if processes > 1:
                first = tuple(_first_turn_ms(_visitor(reader), body) for _ in range(alone))
                time.sleep(settle / 3)
            before, began = used_s(folder), time.monotonic()
            _wait_for(_posted(reader, body, matches))
            took_s, after = time.monotonic() - began, used_s(folder)
            speed[processes] = 60 * matches / took_s
            costs = {part: 1000 * (used - before.get(part, 0.0)) / matches for part, used in after.items()}
            if processes > 1:
                _begin_placing(reader, placed)
                beside = tuple(_first_turn_ms(_visitor(reader), body) for _ in range(alone))
    return Figures(first, beside, costs, speed)


def _begin_placing(reader: Visitor, bots: int) -> None:
    """Uploads so many bots of each of `PLACED`, and returns when all are checked and play. Raises: ArenaFailed."""
    for name in PLACED:
        game = find_game(name)
        source = bot_file(game, next(one for one in game.starters if one.endswith(".py"))).read_text()
        for number in range(bots):
            owner = Visitor(reader.port)
            owner.sign_up(f"{name} {number}")
            body = {"game": name, "bot": f"{name} {number}", "language": "python"}
            owner.submit({**body, "source": f"{source}\n# {number}\n"})
    end = time.monotonic() + PATIENCE_S
    while True:
        checked = [one["state"] == "done" for one in reader.pages("/matches", kind="check")]
        placed = reader.get("/matches", kind="placement")["items"]
        if len(checked) == bots * len(PLACED) and all(checked) and any(one["state"] == "running" for one in placed):
            return
        if time.monotonic() > end:
            raise ArenaFailed(f"expected {bots * len(PLACED)} bots to be checked and played within {PATIENCE_S:g} s")
        time.sleep(LOOK_S)


class _Player(Visitor):
    """A guest who asks for matches."""

    def practise(self, body: Mapping[str, Any]) -> int:
        """The match. Raises: ArenaFailed."""
        return int(self._post("/matches", body, "a practice match")["id"])


def _visitor(reader: Visitor) -> _Player:
    return _Player(reader.port)


def _body(reader: Visitor) -> dict[str, Any]:
    game = find_game(GAME)
    source = bot_file(game, next(name for name in game.starters if name.endswith(".py"))).read_text()
    opponent = next(
        row["bot_id"] for row in reader.get(f"/games/{GAME}/leaderboard")["items"] if row["bot"] == OPPONENT
    )
    return {"game": GAME, "language": "python", "source": source, "opponent": opponent}


def _posted(reader: Visitor, body: Mapping[str, Any], matches: int) -> list[tuple[_Player, int]]:
    """Matches, each with who asked for it: nobody else may see it."""
    players = [_visitor(reader) for _ in range(-(-matches // EACH))]
    return [(players[number // EACH], players[number // EACH].practise(body)) for number in range(matches)]


def _wait_for(posted: Sequence[tuple[_Player, int]]) -> None:
    """Until all are over. Raises: ArenaFailed, where one is void."""
    for player, match_id in reversed(posted):
        while (state := player.get(f"/matches/{match_id}")["state"]) not in {"done", "void"}:
            time.sleep(LOOK_S)
        if state == "void":
            raise ArenaFailed(f"expected match {match_id} to be played; it is void")


def _first_turn_ms(player: _Player, body: Mapping[str, Any]) -> float:
    """From the request for a match to its first turn in the live stream. Raises: ArenaFailed."""
    began = time.perf_counter()
    match_id = player.practise(body)
    for line in _live(player, match_id):
        if any('"t":1,' in one or '"t": 1,' in one for one in line):
            found = 1000 * (time.perf_counter() - began)
            _wait_for([(player, match_id)])
            return found
    raise ArenaFailed(f"expected a first turn of match {match_id} in its live stream; it ended before")


def _live(player: _Player, match_id: int) -> Iterator[list[str]]:
    """The replay's lines as they come."""
    connection = HTTPConnection(HOST, player.port, timeout=FIRST_S)
    try:
        connection.request("GET", f"/api/v1/matches/{match_id}/live", headers={"Cookie": player.cookie})
        event = ""
        for raw in connection.getresponse():
            name, _, value = raw.decode().rstrip("\n").partition(": ")
            if name == "event":
                event = value
            elif name == "data" and event == "lines":
                yield [one if isinstance(one, str) else json.dumps(one) for one in json.loads(value)]
            elif name == "data" and event == "end":
                return
    finally:
        connection.close()


def _tables(figures: Figures, matches: int) -> Iterator[Table]:
    p50, p95, _ = percentiles(figures.first_turn_ms)
    table = Table(title="From the request for a practice match to its first turn, ms")
    for heading in ("", "goal", "reached"):
        table.add_column(heading, justify="left" if not heading else "right")
    for name, goal, found in zip(("p50", "p95"), FIRST_TURN_GOAL_MS, (p50, p95), strict=True):
        table.add_row(name, f"{goal:g}", f"{found:.0f}")
    p50, p95, _ = percentiles(figures.beside_ms)
    for name, found in (("p50", p50), ("p95", p95)):
        table.add_row(f"{name} while bots are placed", "", f"{found:.0f}")
    yield table
    table = Table(title=f"CPU of {matches} practice matches at once, ms a match")
    table.add_column("part")
    table.add_column("ms", justify="right")
    for part, ms in sorted(figures.ms.items(), key=lambda item: -item[1]):
        table.add_row(part if part in SHARED else f"{part}: worker and bots", f"{ms:.1f}")
    table.add_row(f"all but the workers and the bots (goal {SHARED_GOAL_MS:g})", f"{figures.shared_ms:.1f}")
    yield table
    table = Table(title="Matches a minute")
    table.add_column("worker processes")
    table.add_column("matches", justify="right")
    for processes, speed in figures.matches_a_minute.items():
        table.add_row(str(processes), f"{speed:.0f}")
    one, two = figures.matches_a_minute[1], figures.matches_a_minute[2]
    table.add_row(f"two to one (goal {SPEED_UP_GOAL:g})", f"{two / one:.2f}")
    yield table
