"""`hexarena match`: one match on this machine, without any server, in the same sandboxes as the arena's."""

from __future__ import annotations

import json
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from statistics import median
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from hexarena.cli.entrants import (
    Refused,
    as_text,
    bots_by_seat,
    check_folders,
    check_outputs,
    files_of,
    found_through,
    named_game,
    ready_bot,
    seed_and_league,
    with_options,
)
from hexarena.cli.output import turns_text, visible, write_to
from hexarena.cli.sandboxes import open_sandbox
from hexarena.cli.statistics import match_json, print_match_statistics
from hexarena.games.catalogue import UnknownGame, failed_in_game, find_game
from hexarena.games.contract import Game
from hexarena.games.ghosts import Recorded
from hexarena.games.records import to_text
from hexarena.games.referee import Record
from hexarena.games.statistics import seat_statistics
from hexarena.worker.play import PlayedMatch, play_match, play_with_retries
from hexarena.worker.sandbox import BotKilled, HostOverloaded, SandboxError, SandboxFailed, require_self_test

console = Console(stderr=True)


def match(
    game: Annotated[str, typer.Argument(help="A game's id, e.g. ants, or the folder of one.")],
    bot: Annotated[
        list[str],
        typer.Option(
            help="A source file (the language by its ending), a zip or folder of several, a house bot by name, or a "
            "command line in quotes. Once for each seat, in order; fewer where teams play, which the seed then fills."
        ),
    ],
    seed: Annotated[int | None, typer.Option(help="The same seed, the same map. Drawn if left out.")] = None,
    league: Annotated[
        int | None, typer.Option("--level", "--league", help="Rules level; the full game if left out.")
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(help="name=value, for games that have options, e.g. size=60 for a small board. May be repeated."),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the result as JSON to this file; - for standard output.")
    ] = None,
    replay: Annotated[Path | None, typer.Option(help="Write the replay to this file (see `hexarena watch`).")] = None,
    record: Annotated[
        Path | None, typer.Option(help="Write all replies to this file (see `hexarena rerun` and `hexarena fork`).")
    ] = None,
    stderr: Annotated[
        Path | None,
        typer.Option(help="Write what the bots wrote to standard error to this file, turn by turn; - for the screen."),
    ] = None,
    no_sandbox: Annotated[
        bool, typer.Option("--no-sandbox", help="Run the bots without isolation. For your own code only.")
    ] = False,
) -> None:
    """Play one match here and print its result. No server is needed."""
    chosen: Game | None = None
    try:
        chosen = with_options(named_game(game), option or ())
        files = {"--replay": replay, "--record": record, "--stderr": stderr, "--json": json_file}
        check_folders(files, or_output=("--stderr", "--json"))
        check_outputs(files_of(chosen, bot), files)
        played, seated = _play(chosen, bot, seed=seed, league=league, no_sandbox=no_sandbox)
        result = result_json(played, seated)
        if replay is not None:
            replay.write_text(played.replay)
        if record is not None:
            record.write_text(record_text(chosen, played, seated))
        if stderr is not None:
            if str(stderr) == str(json_file) == "-":
                sys.stderr.write(stderr_text(played.record))  # standard output is the JSON's
            else:
                write_to(stderr, stderr_text(played.record))
        if json_file is not None:
            write_to(json_file, json.dumps(result, ensure_ascii=False) + "\n")
    except (HostOverloaded, BotKilled) as failure:
        console.print(_no_result(failure), style="red", markup=False, highlight=False)
        raise typer.Exit(2) from None
    except (Refused, UnknownGame, SandboxError, OSError) as error:
        console.print(str(error), style="red", markup=False, highlight=False)
        raise typer.Exit(2) from None
    except Exception as error:
        # What a game's author reads, who needs none of our own frames; a bug of ours keeps its traceback.
        if chosen is None or (what := failed_in_game(error, chosen.id)) is None:
            raise
        message = f"The game's own code failed: {what}"
        console.print(message, style="red", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(2) from None
    if json_file is None or str(json_file) != "-":
        show(played, seated, replay)


def result_json(played: PlayedMatch, seated: Sequence[str]) -> dict[str, object]:
    """The result as scripts read it. `seated`: seat -> bot as the user wrote it."""
    record = played.record
    return {
        "game": record.game,
        "seed": record.seed,
        "league": record.league,
        "bots": list(map(as_text, seated)),
        "ranks": list(record.outcome.ranks),
        "scores": list(record.outcome.scores),
        "reason": record.outcome.reason,
        "turns": len(record.turns),
        "faults": [
            {"seat": fault.seat, "turn": fault.turn, "kind": fault.kind, "message": fault.message}
            for fault in record.faults
        ],
        **match_json(seat_statistics(record)),
    }


def stderr_text(record: Record) -> str:
    """What the bots logged, each turn of a seat under a line that names it; without what a terminal would obey."""
    return "".join(
        f"turn {turn.number}, seat {one.seat}:\n" + "".join(f"{_shown(line)}\n" for line in one.stderr.splitlines())
        for turn in record.turns
        for one in turn.exchanges
        if one.stderr
    )


def _shown(line: str) -> str:
    return "\t".join(map(visible, line.split("\t")))


def record_text(game: Game, played: PlayedMatch, seated: Sequence[str]) -> str:
    """The match as a file from which it can be played again."""
    return to_text(played.record, options=game.option_values, bots=list(map(as_text, seated)), players=played.players)


def _play(
    game: Game, bots: Sequence[str], *, seed: int | None, league: int | None, no_sandbox: bool
) -> tuple[PlayedMatch, Sequence[str]]:
    """The match, and seat -> bot as the user wrote it."""
    chosen_seed, chosen_league = seed_and_league(game, seed, league)
    seated = bots_by_seat(game, bots, chosen_seed)
    return play_here(game, seated, seed=chosen_seed, league=chosen_league, no_sandbox=no_sandbox), seated


def play_here(
    game: Game,
    seated: Sequence[str],
    *,
    seed: int,
    league: int,
    no_sandbox: bool,
    past: Recorded | None = None,
) -> PlayedMatch:
    """Builds these bots and plays the match, with a progress bar in a terminal. `past`: what it plays on from.

    Raises: Refused, SandboxError, NotRepeated (by a past).
    """
    with open_sandbox(no_sandbox=no_sandbox) as sandbox:
        sandbox.sweep()
        require_self_test(sandbox)
        entrants = [ready_bot(game, sandbox, bot) for bot in seated]
        with _progress() if sys.stderr.isatty() else nullcontext() as progress:
            task = None if progress is None else progress.add_task(game.title, total=game.max_turns)

            def watch(_: str) -> None:
                if progress is not None and task is not None:
                    progress.advance(task)

            def play() -> PlayedMatch:
                if progress is not None and task is not None:
                    progress.reset(task)
                return play_match(game, sandbox, entrants, seed=seed, league=league, watch=watch, past=past)

            return play_with_retries(play, _print_void_attempt)


def _print_void_attempt(failure: SandboxFailed) -> None:
    message = f"Void attempt: {_cause(failure)}: {failure}. The match is played again."
    console.print(message, style="yellow", markup=False, highlight=False)


def _no_result(failure: HostOverloaded | BotKilled) -> str:
    """Why there is none, by the last attempt: those before may have failed for another reason."""
    advice = " Close other programs first." if isinstance(failure, HostOverloaded) else ""
    return f"There is no fair result: {_cause(failure)}: {failure}.{advice}"


def _cause(failure: SandboxFailed) -> str:
    if isinstance(failure, HostOverloaded):
        return "the machine was overloaded"
    return "a bot was ended from outside" if isinstance(failure, BotKilled) else "a bot could not be started"


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("turns"))
    return Progress(*columns, TimeElapsedColumn(), console=console, transient=True)


def show(played: PlayedMatch, seated: Sequence[str], replay: Path | None) -> None:
    """Prints the result for people: a line a seat or a team, then the faults. `seated`: seat -> bot as it was given."""
    out = Console()
    record, game = played.record, find_game(played.record.game)
    title = f"{record.game}, seed {record.seed}, rules level {record.league}: {turns_text(len(record.turns))}"
    out.print(_teams(game, record, seated, title) if game.team_seats > 1 else _seats(record, seated, title))
    out.print(record.outcome.reason, markup=False)
    for style, line in _fault_lines(record, counted=game.team_seats > 1):
        out.print(visible(line), style=style, markup=False, highlight=False, soft_wrap=True)
    print_match_statistics(out, seated, seat_statistics(record))
    if replay is not None:
        command = f"{found_through(game)}hexarena watch {shlex.quote(str(replay))}"
        out.print(f"Watch it with: {command}", markup=False, highlight=False, soft_wrap=True)


def _seats(record: Record, seated: Sequence[str], title: str) -> Table:
    table = Table(title=title)
    for heading in ("place", "seat", "bot", "score", "CPU first turn", "CPU median", "CPU worst"):
        # A path is folded: its end says which bot it is.
        table.add_column(heading, justify="left" if heading == "bot" else "right", overflow="fold")
    for seat in sorted(range(record.seats), key=lambda one: record.outcome.ranks[one]):
        used = [exchange.cpu_s * 1000 for turn in record.turns for exchange in turn.exchanges if exchange.seat == seat]
        later = used[1:] or [0.0]
        times = [f"{milliseconds:.1f} ms" for milliseconds in (used[0] if used else 0.0, median(later), max(later))]
        place = str(record.outcome.ranks[seat] + 1)
        table.add_row(place, str(seat), escape(visible(seated[seat])), f"{record.outcome.scores[seat]:g}", *times)
    return table


def _teams(game: Game, record: Record, seated: Sequence[str], title: str) -> Table:
    """A row a team, which fits into 80 columns. Its score is its best member's, its CPU time its slowest's."""
    table = Table(title=title)
    for heading in ("place", "team", "bots", "score", "faults", "CPU worst"):
        table.add_column(heading, justify="left" if heading == "bots" else "right", overflow="fold")
    faults = Counter(fault.seat for fault in record.faults)
    worst = [0.0] * record.seats
    for exchange in (exchange for turn in record.turns[1:] for exchange in turn.exchanges):
        worst[exchange.seat] = max(worst[exchange.seat], exchange.cpu_s)
    teams = [range(first, first + game.team_seats) for first in range(0, record.seats, game.team_seats)]
    for seats in sorted(teams, key=lambda one: record.outcome.ranks[one[0]]):
        bots = Counter(Path(seated[seat]).stem or seated[seat] for seat in seats)
        names = ", ".join(name if count == 1 else f"{name} ×{count}" for name, count in bots.items())
        table.add_row(
            str(record.outcome.ranks[seats[0]] + 1),
            str(game.team(seats[0])),
            escape(visible(names)),
            f"{max(record.outcome.scores[seat] for seat in seats):g}",
            str(sum(faults[seat] for seat in seats)),
            f"{max(worst[seat] for seat in seats) * 1000:.1f} ms",
        )
    return table


def _fault_lines(record: Record, *, counted: bool) -> Iterator[tuple[str, str]]:
    """(style, line) of each fault; `counted`: of each different one of a seat, with how often and since when."""
    times = Counter((fault.seat, fault.kind, fault.message) for fault in record.faults)
    for fault in record.faults:
        often = times[fault.seat, fault.kind, fault.message]
        if counted and often == 0:
            continue
        if counted:
            times[fault.seat, fault.kind, fault.message] = 0
        since = f"{often} times since turn {fault.turn}" if counted and often > 1 else f"turn {fault.turn}"
        # An exception's text may have several lines.
        message = " ".join(fault.message.split())
        yield "yellow" if fault.kind == "warning" else "red", f"{since}, seat {fault.seat}: {fault.kind}: {message}"
