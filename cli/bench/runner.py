"""`hexarena bench runner`: the cost of a match without its bots, beside a bare pipe loop and other engines.

All rows are measured in one run, in alternation, on one core: CPU time of this process and of its children (the
kernel's account, `getrusage`), less what the bots used for their replies. The bots do as good as nothing, so nearly
all that is left is ours: starting two sandboxes, 200 prompts and replies, the referee, the replay's text.
"""

from __future__ import annotations

import json
import os
import resource
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from hexarena.backend.submissions.languages import LANGUAGES, Language
from hexarena.cli.bench.null_game import ANTS_CPP, ANTS_PYTHON, NULL_CPP, NULL_GAME, NULL_PYTHON, PROMPT_LINES, TURNS
from hexarena.cli.bench.runner_report import PIPES, Row, cost_table, goals_table
from hexarena.cli.bench.tables import check_json, print_table
from hexarena.cli.sandboxes import open_sandbox
from hexarena.games.catalogue import find_game
from hexarena.games.contract import Game
from hexarena.games.lines import Player
from hexarena.worker.play import ReadyBot, freeze_garbage_collector, play_match
from hexarena.worker.sandbox import LanguageMissing, Sandbox, SandboxError, require_self_test

SEED = 7
PIPES_SOURCE = Path(__file__).with_name("pipes.c")
JAR_ARGUMENTS = "-p1 {bot} -p2 {bot}"
EMPTY_MS = 0.65
"""CPU of starting and ending an empty program in C on the machine that the goals were set on."""
EMPTY_STARTS = 30
console = Console(stderr=True)


Kind = tuple[Row, Callable[[], None]]
"""A row, and what plays one more match (or several) into it."""


def bench_runner(
    matches: Annotated[int, typer.Option(min=1, help="Matches of each kind.")] = 50,
    jar: Annotated[
        Path | None,
        typer.Option(help="A referee in a jar: each match starts a JVM of its own.", exists=True, dir_okay=False),
    ] = None,
    jar_arguments: Annotated[
        str, typer.Option(help="What follows the jar; {bot} is a bot of Ants in C++ that waits.")
    ] = JAR_ARGUMENTS,
    jar_matches: Annotated[int, typer.Option(min=1, help="With the jar, which is slow.")] = 5,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write all figures as JSON to this file.")] = None,
) -> None:
    """Print what a match costs without its bots, and whether that meets the goals."""
    check_json(json_file, [] if jar is None else [jar])
    try:
        with (
            open_sandbox() as sandbox,
            tempfile.TemporaryDirectory(prefix=sandbox.mark) as folder,
            on_one_core(),
        ):
            sandbox.sweep()
            require_self_test(sandbox)
            description = sandbox.describe()
            kinds = [*_ours(sandbox), *_pipes(Path(folder))]
            engine = _engine(sandbox, jar, shlex.split(jar_arguments)) if jar is not None else None
            empty_ms = _empty_ms(Path(folder))
            freeze_garbage_collector()
            _play_all(kinds, matches, engine, jar_matches)
    except (SandboxError, subprocess.SubprocessError) as error:
        console.print(str(error), style="red", markup=False, highlight=False)
        raise typer.Exit(2) from None
    rows = [row for row, _ in (*kinds, *([engine] if engine else []))]
    print_table(cost_table(rows, description))
    print_table(goals_table(rows, engine[0] if engine else None))
    if empty_ms is not None:
        text = f"An empty program costs {empty_ms:.2f} ms here, {EMPTY_MS:.2f} ms where the goals were set."
        console.print(text, highlight=False)
    if json_file is not None:
        json_file.write_text(json.dumps([asdict(row) for row in rows]) + "\n")


def _play_all(kinds: Sequence[Kind], matches: int, engine: Kind | None, jar_matches: int) -> None:
    """All kinds in alternation, so that a change of the machine's load meets all of them."""
    # It draws between matches only: a thread of its own would draw at their expense.
    with Progress(console=console, transient=True, auto_refresh=False) as progress:
        task = progress.add_task("matches", total=matches * len(kinds))
        for _ in range(matches):
            for _, play in kinds:
                play()
            progress.update(task, advance=len(kinds), refresh=True)
        if engine is not None:
            for _ in progress.track(range(jar_matches), description="the jar's matches"):
                engine[1]()


@contextmanager
def on_one_core() -> Iterator[None]:
    """Pins this process and its children to one core, as the arena's workers do."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _ours(sandbox: Sandbox) -> Iterator[Kind]:
    ants = find_game("ants")
    for game, language, source, goal_ms in (
        (NULL_GAME, LANGUAGES["cpp"], NULL_CPP, 12.0),
        (NULL_GAME, LANGUAGES["python"], NULL_PYTHON, 25.0),
        (ants, LANGUAGES["cpp"], ANTS_CPP, None),
        (ants, LANGUAGES["python"], ANTS_PYTHON, None),
    ):
        row = Row(f"Hexarena, {game.title}", language.name, goal_ms, with_start=language.id == "python")
        try:
            bot = _ready_bot(sandbox, language, source)
        except LanguageMissing as missing:
            console.print(f"Left out: {row.name} with {language.name} bots. {missing}", style="yellow", markup=False)
            continue
        yield row, _player(row, game, sandbox, bot)


def _ready_bot(sandbox: Sandbox, language: Language, source: str) -> ReadyBot:
    return ReadyBot(sandbox.build(language, source.encode()), Player(bot="waits", language=language.id))


def _player(row: Row, game: Game, sandbox: Sandbox, bot: ReadyBot) -> Callable[[], None]:
    league = game.top_level

    def play() -> None:
        own, all_ms = used_ms()
        record = play_match(game, sandbox, [bot, bot], seed=SEED, league=league).record
        own_after, all_after = used_ms()
        if len(record.turns) != TURNS or record.faults:
            raise SandboxError(f"expected {TURNS} turns without faults of bots that wait; got {record.outcome.reason}")
        exchanges = [exchange for turn in record.turns for exchange in turn.exchanges]
        row.own.append(own_after - own)
        row.total.append(all_after - all_ms)
        row.bots.append(1000 * sum(exchange.cpu_s for exchange in exchanges))
        row.first.append(500 * sum(exchange.cpu_s for exchange in exchanges[:2]))
        row.turn_us.append(1e6 * median(exchange.wall_s for exchange in exchanges[2:]))

    return play


def used_ms() -> tuple[float, float]:
    """CPU milliseconds so far: (of this process, with all ended children)."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    own_ms = 1000 * (own.ru_utime + own.ru_stime)
    return own_ms, own_ms + 1000 * (children.ru_utime + children.ru_stime)


def _pipes(folder: Path) -> Iterator[Kind]:
    """The null game's bots against a loop in C, where this machine has a compiler."""
    compiler = shutil.which("gcc")
    if compiler is None:
        console.print("Left out: the bare pipe loop, which needs gcc.", style="yellow")
        return
    loop = folder / "pipes"
    subprocess.run([compiler, "-O2", "-o", loop, PIPES_SOURCE], check=True)
    (folder / "bot.py").write_text(NULL_PYTHON)
    (folder / "bot.cpp").write_text(NULL_CPP)
    subprocess.run([compiler, "-O2", "-o", folder / "bot", folder / "bot.cpp"], check=True)
    python = shutil.which("python3", path=os.pathsep.join(("/usr/local/bin", "/usr/bin", "/bin"))) or "python3"
    for name, command in (("C++", [str(folder / "bot")]), ("Python", [python, "-I", "-S", str(folder / "bot.py")])):
        row = Row(PIPES, name)
        yield row, _pipes_player(row, [str(loop), "1", str(TURNS), str(PROMPT_LINES), *command])


def _empty_ms(folder: Path) -> float | None:
    """What this machine asks for a process: CPU milliseconds from its start to its end; None without a compiler."""
    compiler = shutil.which("gcc")
    if compiler is None:
        return None
    source, program = folder / "empty.c", folder / "empty"
    source.write_text("int main(void) { return 0; }\n")
    subprocess.run([compiler, "-O2", "-o", program, source], check=True)
    costs = []
    for _ in range(EMPTY_STARTS):
        _, before = used_ms()
        subprocess.run([program], check=True)
        costs.append(used_ms()[1] - before)
    return median(costs)


def _pipes_player(row: Row, command: Sequence[str]) -> Callable[[], None]:
    def play() -> None:
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        own_us, bots_us, turn_ns = map(int, said.split())
        row.own.append(own_us / 1000)
        row.bots.append(bots_us / 1000)
        row.total.append((own_us + bots_us) / 1000)
        row.first.append(0.0)
        row.turn_us.append(turn_ns / 1000)

    return play


def _engine(sandbox: Sandbox, jar: Path, arguments: Sequence[str]) -> Kind:
    """A referee that starts a JVM a match, with our bots of Ants."""
    program = sandbox.build(LANGUAGES["cpp"], ANTS_CPP.encode()).command
    bot = str(program.home / program.files[0])
    row = Row(jar.name, "C++")
    command = ["java", "-jar", str(jar), *(word.replace("{bot}", bot) for word in arguments)]

    def play() -> None:
        started, (_, before) = time.monotonic(), used_ms()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        row.total.append(used_ms()[1] - before)
        row.own.append(0.0)
        row.bots.append(0.0)
        row.first.append(0.0)
        row.turn_us.append(1e6 * (time.monotonic() - started) / TURNS / 2)

    return row, play
