"""`hexarena bench referees`: CPU time of pure rules and protocol, a turn, on recorded matches; and of making maps.

A turn is what the referee does without its bots: all prompts, all replies read, one step. No frames are drawn and
nothing is compared. Each match is replayed several times, each time from a newly made map, whose making is not
counted; of each turn the median counts.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from statistics import fmean, median, quantiles
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from hexarena.cli.bench.recordings import GOLDEN, Script, prompts, read_files, recorded_game, scripts_of, step_turn
from hexarena.cli.bench.tables import check_json, print_table
from hexarena.cli.entrants import ready_bot
from hexarena.cli.sandboxes import open_sandbox
from hexarena.games.catalogue import all_games, find_game
from hexarena.games.contract import Game
from hexarena.games.verify import Recording
from hexarena.worker.play import play_match
from hexarena.worker.sandbox import require_self_test

FAULTY = "fault"
"""Part of the names of recorded bots that break rules on purpose."""
UNRECORDED_MAIN_TURNS = 300
UNRECORDED_SEED = 1
MOST_MAPS = 100
console = Console(stderr=True)


@dataclass(frozen=True, slots=True)
class Kind:
    """A sort of turns. `fits`: whether a match is of it. `first_word`: of the prompts of its turns, "" for all.

    seats: that are asked in its turns, None for any number. goal: in the unit of its figures.
    """

    game: str
    name: str
    goal: float | None = None
    fits: Callable[[Script], bool] = lambda script: True
    first_word: str = ""
    seats: int | None = None

    def holds(self, texts: Sequence[str]) -> bool:
        """Whether a turn with these prompts is of this kind."""
        return self.seats in (None, len(texts)) and all(text.startswith(self.first_word) for text in texts)


def _clean(*names: str) -> Callable[[Script], bool]:
    """Matches of bots that all have these names, up to the first comma."""
    return lambda script: all(bot.split(",")[0] in names and "contest" not in bot for bot in script.bots)


def _contested(script: Script) -> bool:
    """Both harvest, and at least one contests the other's resources."""
    return all(bot.startswith("greedy") for bot in script.bots) and any("contest" in bot for bot in script.bots)


def _swarms(script: Script) -> bool:
    """At least one has beacons all over the map, and none breaks rules on purpose."""
    return any("swarm" in bot for bot in script.bots) and not any(FAULTY in bot for bot in script.bots)


def _on(level: int) -> Callable[[Script], bool]:
    return lambda script: script.level == level


def _greedy_on_4(script: Script) -> bool:
    return script.level == 4 and _clean("greedy")(script)


def _custom(script: Script) -> bool:
    return "params" in script.recording


KINDS = (
    Kind("ants", "league 4, greedy against greedy", 475, _greedy_on_4),
    Kind("ants", "greedy against greedy, all leagues", 475, _clean("greedy")),
    Kind("ants", "contested", 125, _contested),
    Kind("ants", "swarms", 700, _swarms),
    Kind("ants", "WAIT", 60, _clean("wait")),
    *(Kind("ants", f"league {level}, all", None, _on(level)) for level in (1, 2, 3, 4)),
    Kind("tryangle", "maps of the seed", 400, lambda one: not _custom(one)),
    *(Kind("tryangle", f"league {level}, all", 400, _on(level)) for level in (1, 2, 3, 4)),
    Kind("tryangle", "custom maps", 400, _custom),
    Kind("yavalath", "all", 25),
    Kind("battlegrounds", "main phase, 8 bots", 1500, first_word="main ", seats=8),
    Kind("battlegrounds", "starting phase, 8 bots", first_word="start ", seats=8),
)
MAP_GOALS_MS = {"tryangle": 60.0}
"""Game -> milliseconds for a map; the other games have no goal."""


@dataclass(slots=True)
class Figures:
    """What was measured of one kind. `turns`: medians, in microseconds."""

    matches: int = 0
    turns: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table; `figures` and `goal` in `unit`."""

    game: str
    name: str
    matches: int
    figures: Sequence[float]
    unit: str
    goal: float | None

    @property
    def met(self) -> bool:
        """Whether the mean is within the goal."""
        return self.goal is None or fmean(self.figures) <= self.goal


def bench_referees(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Recordings, .jsonl or .jsonl.gz; those of the tests if left out.", exists=True, dir_okay=False
        ),
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="How often each match is replayed.")] = 5,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all figures as JSON to this file.")] = None,
) -> None:
    """Print what a turn costs the referee, without bots, and whether that meets the goals."""
    check_json(json_file, files or ())
    chosen = files or sorted(GOLDEN.glob("*.jsonl.gz"))
    if not chosen:
        console.print(f"expected files of recordings: there are none in {GOLDEN}", style="red", markup=False)
        raise typer.Exit(2)
    turns: dict[Kind, Figures] = {}
    maps: dict[str, list[float]] = {}
    with Progress(console=console, transient=True) as progress:
        for file, recordings in read_files(chosen):
            scripts = list(scripts_of(file, recordings))
            task = progress.add_task(file.name, total=repeats * len(scripts))
            _add(turns, measure(scripts, repeats, partial(progress.advance, task)))
            drawn = [one for one in recordings if "init" in one and "turns" not in one]
            for recording in progress.track(drawn[:: max(1, len(drawn) // MOST_MAPS)], description=file.name):
                game = recorded_game(file, recording)
                if game is not None:
                    maps.setdefault(game.id, []).append(_map_ms(game, recording))
        for game in all_games().values():
            if game.trace is None and files is None:
                progress.add_task(f"a match of {game.title}", total=None)
                _add(turns, measure([_played(game)], repeats, lambda: None))
    rows = list(_rows(turns, maps))
    print_table(_table(rows))
    if json_file is not None:
        figures = [asdict(row) | {"mean": fmean(row.figures), "met": row.met} for row in rows]
        json_file.write_text(json.dumps(figures) + "\n")


def measure(scripts: Sequence[Script], repeats: int, progress: Callable[[], None]) -> dict[Kind, Figures]:
    """What the turns of these matches cost, each the median of the repeats.

    A repeat plays all of them, one after the other: what the rules keep of one map is gone when it comes again.
    """
    measured = [
        _Measured(script, [kind for kind in KINDS if kind.game == script.game.id and kind.fits(script)])
        for script in scripts
    ]
    for _ in range(repeats):
        for one in measured:
            one.replay()
            progress()
    found: dict[Kind, Figures] = {}
    for one in measured:
        for kind in one.kinds:
            figures = found.setdefault(kind, Figures())
            figures.matches += 1
            figures.turns += [median(used) / 1000 for kinds, used in one.turns if kind in kinds]
    return found


@dataclass(slots=True)
class _Measured:
    """A match and what its turns cost: (the kinds that a turn is of, nanoseconds in each repeat)."""

    script: Script
    kinds: Sequence[Kind]
    turns: list[tuple[Sequence[Kind], list[int]]] = field(default_factory=list)

    def replay(self) -> None:
        """Replays it once more."""
        for index, (texts, used) in enumerate(_one_run(self.script)):
            if index == len(self.turns):
                self.turns.append(([kind for kind in self.kinds if kind.holds(texts)], []))
            self.turns[index][1].append(used)


def _one_run(script: Script) -> Iterator[tuple[list[str], int]]:
    """(prompts, nanoseconds) of each turn."""
    game, state, seen = script.game, script.start(), set[int]()
    for replies in script.turns:
        started = time.thread_time_ns()
        texts = prompts(game, state, game.rules.to_act(state), seen)
        state = step_turn(game, state, replies)
        yield texts, time.thread_time_ns() - started


def _add(turns: dict[Kind, Figures], found: Mapping[Kind, Figures]) -> None:
    for kind, more in found.items():
        figures = turns.setdefault(kind, Figures())
        figures.matches += more.matches
        figures.turns += more.turns


def _played(game: Game) -> Script:
    """A real match of the two strongest house bots, or of one with itself, for a game that has no recordings."""
    shorter = game.with_options(main_turns=UNRECORDED_MAIN_TURNS) if "main_turns" in game.options else game
    strongest = [bot.name for bot in game.house_bots[-2:]]
    names = list(islice(cycle(strongest), max(2, min(game.ladder_entrants))))
    with open_sandbox() as sandbox:
        require_self_test(sandbox)
        entrants = game.side_by_side([ready_bot(game, sandbox, name) for name in names])
        record = play_match(shorter, sandbox, entrants, seed=UNRECORDED_SEED, league=game.top_level).record
    turns = tuple({one.seat: one.reply for one in turn.exchanges} for turn in record.turns)
    return Script(shorter, tuple(names), record.league, turns, {"seats": record.seats, "seed": record.seed})


def _map_ms(game: Game, recording: Recording) -> float:
    started = time.thread_time_ns()
    Script(game, (), 0, (), recording).start()
    return (time.thread_time_ns() - started) / 1e6


def _rows(turns: Mapping[Kind, Figures], maps: Mapping[str, Sequence[float]]) -> Iterator[Row]:
    for kind in KINDS:
        if kind in turns and turns[kind].turns:
            found = turns[kind]
            yield Row(kind.game, kind.name, found.matches, found.turns, "µs", kind.goal)
    for game_id, figures in sorted(maps.items()):
        yield Row(game_id, "making a map", len(figures), figures, "ms", MAP_GOALS_MS.get(game_id))


def _table(rows: Sequence[Row]) -> Table:
    table = Table(title="CPU time of rules and protocol, a turn or a map; goals are for the mean")
    for heading in ("game", "kind", "matches", "turns", "mean", "median", "99 %", "goal", "met"):
        table.add_column(heading, justify="left" if heading in ("game", "kind") else "right", no_wrap=True)
    for row in rows:
        most_of = quantiles(row.figures, n=100, method="inclusive")[-1] if len(row.figures) > 1 else row.figures[0]
        figures = (f"{value:,.1f} {row.unit}" for value in (fmean(row.figures), median(row.figures), most_of))
        table.add_row(
            find_game(row.game).title,
            row.name,
            f"{row.matches:,}",
            f"{len(row.figures):,}",
            *figures,
            "" if row.goal is None else f"{row.goal:,.0f} {row.unit}",
            "" if row.goal is None else ("yes" if row.met else "NO"),
        )
    return table
