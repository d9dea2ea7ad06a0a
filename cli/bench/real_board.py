"""A real arena with twenty real bots a game, and its boards beside their round robins: `hexarena bench real-ladder`.

The house bots are there from the start; their variants come in through the public API, each from an account that has
one bot a game. Each minute the boards are kept in `boards.jsonl` of the folder; the matches that were played are in
GAME.jsonl at the end, and all figures in `real-ladder.json`.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from math import nan
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from hexarena.backend.models import RATED
from hexarena.bench.real import variants
from hexarena.bench.real.comparison import Comparison, Refit, Row, compare, read_row, refit
from hexarena.bench.real.games_played import PlayedGame, by_teams, read_lines, write_line
from hexarena.cli.bench.real_arena import ArenaFailed, Visitor, real_arena
from hexarena.cli.bench.tables import print_table
from hexarena.games.contract import Game

MINUTE_S = 60.0
LIVE_S = 1800.0
"""How long the builds and checks of all submissions may take together."""
LOOK_S = 3.0
AT_ONCE = 4
"""Submissions whose state is polled at a time, so that polling does not slow down their checks."""
PAGE = 100
LAST_REFIT_S = 30.0
"""The pause at the end, for the last refit."""
Boards = Mapping[str, Sequence[Row]]
console = Console(stderr=True)


@dataclass(frozen=True, slots=True)
class BoardOrder:
    """What the user asked for. `settings`: the arena's environment."""

    minutes: float
    folder: Path
    round_robin: Path | None
    port: int
    settings: Mapping[str, str]
    only_compare: bool


def real_ladder(chosen: Sequence[Game], of: BoardOrder) -> None:
    """Plays, unless `only_compare`, then writes `real-ladder.json` and prints the table.

    Raises: ArenaFailed, OSError, ValueError when there is nothing to compare.
    """
    if not of.only_compare:
        of.folder.mkdir(parents=True, exist_ok=True)
        with real_arena(of.folder / "arena", of.port, of.settings) as reader:
            _log_line("The arena is up; submitting the bots.")
            _enter_all(chosen, of.port, reader)
            _watch(chosen, reader, of.folder, of.round_robin, of.minutes)
            _keep_matches(chosen, reader, of.folder)
    boards = [json.loads(line) for line in (of.folder / "boards.jsonl").read_text().splitlines()]
    known = boards[-1]["boards"] if boards else {}
    there = [one for one in chosen if one.id in known]
    if not there:
        wanted = ", ".join(one.id for one in chosen)
        raise ValueError(f"Expected boards of {wanted} in {of.folder}; got those of {', '.join(known) or 'no game'}")
    figures = {one.id: _figures(one, of.folder, of.round_robin, boards) for one in there}
    (of.folder / "real-ladder.json").write_text(json.dumps(figures, indent=1) + "\n")
    print_table(_table(figures))
    for name, found in figures.items():
        Console().print(_shares(name, found), markup=False, highlight=False, soft_wrap=True)


def _enter_all(games: Sequence[Game], port: int, reader: Visitor) -> None:
    """User n submits each game's variant n. Waits until all are live. Raises: ArenaFailed when one fails."""
    users = [Visitor(port) for _ in range(max(len(variants.VARIANTS[game.id]) for game in games))]
    for number, user in enumerate(users):
        user.sign_up(f"player {number}")
    waiting: dict[tuple[str, str], int] = {}
    for game in games:
        for user, variant in zip(users, variants.VARIANTS[game.id], strict=False):
            body = {
                "game": game.id,
                "bot": variant.name,
                "language": variants.language_of(game, variant),
                "source": variants.source_of(game, variant),
            }
            waiting[game.id, variant.name] = user.submit(body)["id"]
        _log_line(f"Submitted: {len(variants.VARIANTS[game.id])} bots for {game.title}.")
    end = time.monotonic() + LIVE_S
    while waiting:
        for game in games:
            for line in _board(reader, game):
                waiting.pop((game.id, line["bot"]), None)
        for (_, name), submission_id in list(waiting.items())[:AT_ONCE]:
            seen = reader.get(f"/submissions/{submission_id}")
            if seen["state"] == "failed":
                raise ArenaFailed(f"expected {name} to go live; it failed: {seen['problem']}")
        if time.monotonic() > end:
            raise ArenaFailed(f"expected all bots live after {LIVE_S:g} s; these are not: {list(waiting)}")
        time.sleep(LOOK_S)
    _log_line("All bots are live.")


def _board(reader: Visitor, game: Game) -> list[dict[str, Any]]:
    return list(reader.pages(f"/games/{game.id}/leaderboard", limit=PAGE))


def _watch(games: Sequence[Game], reader: Visitor, folder: Path, round_robin: Path | None, minutes: float) -> None:
    """Stores the boards every minute and logs progress, until the time is over. Ctrl-C ends it sooner."""
    began = time.monotonic()
    truths = {game.id: read_lines(round_robin / f"{game.id}.jsonl") if round_robin else [] for game in games}
    with suppress(KeyboardInterrupt):
        while (passed := (time.monotonic() - began) / MINUTE_S) < minutes:
            time.sleep(min(MINUTE_S, (minutes - passed) * MINUTE_S))
            _keep_boards(games, reader, folder, truths, began)
        time.sleep(LAST_REFIT_S)
    _keep_boards(games, reader, folder, truths, began)


def _keep_boards(
    games: Sequence[Game], reader: Visitor, folder: Path, truths: Mapping[str, Sequence[PlayedGame]], began: float
) -> None:
    """Appends the boards of this minute, and logs progress. `began`: on the monotonic clock."""
    minute = (time.monotonic() - began) / MINUTE_S
    kept: dict[str, object] = {}
    said = []
    for game in games:
        lines = _board(reader, game)
        kept[game.id] = lines
        rows = [read_row(line) for line in lines]
        counts = [row.games for row in rows]
        placing = sum(row.placing for row in rows)
        words = f"{game.id} {min(counts)}-{max(counts)} games a bot, {sum(counts) / len(counts):.1f} in the mean"
        words += f", {placing} placing" if placing else ""
        if truths[game.id]:
            now = compare(rows, truths[game.id], variants.names(game))
            words += f", tau {now.tau_rating:.3f}, ± {now.width:.0f}"
        said.append(words)
    with (folder / "boards.jsonl").open("a") as file:
        file.write(json.dumps({"minute": round(minute, 2), "boards": kept}) + "\n")
    _log_line(f"{minute:.1f} min: " + "; ".join(said))


def _keep_matches(games: Sequence[Game], reader: Visitor, folder: Path) -> None:
    """Writes all rated matches that are done, oldest first."""
    for game in games:
        path = folder / f"{game.id}.jsonl"
        path.unlink(missing_ok=True)
        found = [
            one for kind in RATED for one in reader.pages("/matches", game=game.id, kind=kind, state="done", limit=PAGE)
        ]
        for match in sorted(found, key=lambda match: int(match["id"])):
            write_line(path, _played(game, match))


def _played(game: Game, match: Mapping[str, Any]) -> PlayedGame:
    """A match of the API. Its number is its id, its rules level is a field of its own."""
    seats = sorted(match["seats"], key=lambda seat: int(seat["seat"]))
    teams, ranks = by_teams(game, [seat["bot"] for seat in seats], [seat["rank"] for seat in seats])
    faults = {seat["bot"]: [seat["fault"]] for seat in seats if seat["fault"]}
    return PlayedGame(
        number=match["id"],
        seed=int(match["seed"]),
        teams=tuple(teams),
        ranks=tuple(ranks),
        turns=match["turns"] or 0,
        faults=faults,
        level=match["league"],
    )


def _figures(game: Game, folder: Path, round_robin: Path | None, boards: Sequence[Any]) -> dict[str, Any]:
    """The figures of a game: the comparison, if there is a round robin, and what the ladder played.

    `boards`: of all minutes, as they were written.
    """
    played = read_lines(folder / f"{game.id}.jsonl")
    board = [read_row(line) for line in boards[-1]["boards"][game.id]]
    levels = Counter(one.level for one in played)
    found: dict[str, Any] = {
        "matches": len(played),
        "faulty_matches": sum(bool(one.faults) for one in played),
        "by_level": {level: count / len(played) for level, count in sorted(levels.items())},
        "by_league": dict(Counter(row.league for row in board if row.league)),
        "board": [asdict(row) for row in board],
    }
    truth = read_lines(round_robin / f"{game.id}.jsonl") if round_robin else []
    if truth:
        found["round_robin_matches"] = len(truth)
        found["comparison"] = asdict(compare(board, truth, variants.names(game)))
        if played:
            found["refit"] = asdict(refit(board, played, truth, variants.names(game)))
        found["course"] = [
            {"minute": one["minute"], "games": now.games_mean, "tau": now.tau_rating, "width": now.width}
            for one in boards
            for now in [_at(game, one["boards"][game.id], truth)]
        ]
    return found


def _at(game: Game, lines: Sequence[dict[str, Any]], truth: Sequence[PlayedGame]) -> Comparison:
    return compare([read_row(line) for line in lines], truth, variants.names(game))


def _table(figures: Mapping[str, dict[str, Any]]) -> Table:
    table = Table(title="The ladder's board beside the round robin")
    headings = ("game", "bots", "matches", "a bot", "tau", "order", "refit", "random", "halves", "top 5")
    for heading in (*headings, "covers", "both", "rmse", "±"):
        table.add_column(heading, justify="left" if heading == "game" else "right", no_wrap=True)
    for game, of in figures.items():
        if "comparison" not in of:
            table.add_row(game, str(len(of["board"])), str(of["matches"]), *["–"] * 10)
            continue
        now = Comparison(**of["comparison"])
        again = Refit(**of["refit"]) if "refit" in of else Refit(nan, nan, nan)
        table.add_row(
            game,
            str(now.bots),
            str(of["matches"]),
            f"{now.games_mean:.0f} ({now.games_least}-{now.games_most})",
            *(f"{tau:.3f}" for tau in (now.tau_rating, now.tau_order, again.tau)),
            *(f"{tau:.3f}" for tau in (again.tau_random, now.tau_halves)),
            str(now.top),
            f"{now.covered:.0%}",
            f"{now.covered_both:.0%}",
            f"{now.rmse:.0f}",
            f"{now.width:.0f}",
        )
    table.caption = (
        "tau, order: the board's ratings, or its order, against the round robin's scores; refit: our own fit of what "
        "the ladder played; random: of as many matches of the round robin, against its rest; halves: the round robin "
        "against itself. covers: ratings of the round robin in the board's 95 % intervals; both: with its own error "
        "added. rmse, ±: Elo."
    )
    return table


def _shares(game: str, of: Mapping[str, Any]) -> str:
    """The ladder's matches by rules level, the bots by league, and matches with a fault."""
    levels = ", ".join(f"{share:.0%} at level {level}" for level, share in of["by_level"].items())
    leagues = ", ".join(f"{count} {league}" for league, count in of["by_league"].items())
    return f"{game}: matches {levels}; {of['faulty_matches']} with a fault" + (
        f"; bots: {leagues}." if leagues else "."
    )


def _log_line(words: str) -> None:
    console.print(f"{time.strftime('%H:%M:%S')} {words}", markup=False, highlight=False, soft_wrap=True)
