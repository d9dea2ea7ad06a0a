"""`hexarena bench runner`: what a match costs besides its bots, beside a bare pipe loop and other people's engines.

All rows are measured in one run, by turns, on one core: CPU time of this process and of all that it started (the
kernel's account, `getrusage`), less what the bots used for their replies. The bots do as good as nothing, so nearly
all that is left is ours: starting two boxes, 200 prompts and replies, the referee, the replay's text.
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
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from backend.languages import LANGUAGES, Language
from backend.settings import Settings
from games.catalogue import find_game
from games.contract import Clock, Game, Json, League, Note, Outcome
from games.lines import Player
from worker.benches.tables import print_table
from worker.play import Entrant, play_match, settle
from worker.sandbox import LanguageMissing, Sandbox, SandboxError

TURNS = 100
PROMPT_LINES = 100
PROMPT = "".join(f"{line:09d}\n" for line in range(PROMPT_LINES))
SEED = 7
FLOOR = Path(__file__).with_name("floor.c")
JAR_ARGUMENTS = "-p1 {bot} -p2 {bot}"
ENGINE_MS = (1_320.0, 1_450.0)
"""CPU of a game of Ants in the original engine, bots and start included: measured once, as no jar is at hand here."""
ENGINE_RATIO = 50.0
FLOOR_RATIO_US = 30.0
EMPTY_MS = 0.65
"""CPU of starting and ending an empty program in C on the machine that the goals were set on."""
EMPTY_STARTS = 30
console = Console(stderr=True)


# --- The null game ---------------------------------------------------------------------------------------------------


class NullRules:
    """Asks both seats for a hundred turns and does nothing with what they say. The state is the turn's number."""

    def setup(self, seats: int, seed: int, league: int) -> int:
        """See Rules."""
        return 0

    def to_act(self, state: int) -> Sequence[int]:
        """See Rules."""
        return (0, 1) if state < TURNS else ()

    def step(self, state: int, moves: object, faults: object) -> int:
        """See Rules."""
        return state + 1

    def notes(self, state: int) -> Sequence[Note]:
        """See Rules."""
        return ()

    def outcome(self, state: int) -> Outcome | None:
        """See Rules."""
        return Outcome((0, 0), (0, 0), "over") if state == TURNS else None


class NullProtocol:
    """The same prompt for all turns."""

    def prompt(self, state: int, seat: int, first: bool) -> str:
        """See TextProtocol."""
        return PROMPT

    def parse(self, state: int, seat: int, reply: str) -> str:
        """See TextProtocol."""
        return reply


class NullReplay:
    """Shows nothing."""

    def header(self, state: int) -> Json:
        """See Replay."""
        return {}

    def frame(self, state: int) -> dict[str, Json]:
        """See Replay."""
        return {}


NULL_GAME = Game(
    id="null",
    title="Null game",
    summary="",
    version="1",
    rules=NullRules(),
    protocol=NullProtocol(),
    replay=NullReplay(),
    clock=Clock(first_s=1.0, turn_s=0.05),
    max_turns=TURNS,
    leagues=(League("Open", 1, ""),),
    house_bots=(),
    starters=(),
)

NULL_CPP = f"""#include <cstdio>
int main() {{
    char line[64];
    for (;;) {{
        for (int i = 0; i < {PROMPT_LINES}; i++)
            if (!fgets(line, sizeof line, stdin)) return 0;
        puts("WAIT");
        fflush(stdout);
    }}
}}
"""
NULL_PYTHON = f"""import sys
read = sys.stdin.readline
while True:
    for _ in range({PROMPT_LINES}):
        read()
    print("WAIT", flush=True)
"""
ANTS_CPP = """#include <cstdio>
int main() {
    int cells, bases, value;
    if (scanf("%d", &cells) != 1) return 1;
    for (int i = 0; i < 8 * cells && scanf("%d", &value) == 1; i++) {}
    if (scanf("%d", &bases) != 1) return 1;
    for (int i = 0; i < 2 * bases && scanf("%d", &value) == 1; i++) {}
    for (;;) {
        for (int i = 0; i < 2 + 3 * cells; i++)
            if (scanf("%d", &value) != 1) return 0;
        puts("WAIT");
        fflush(stdout);
    }
}
"""
ANTS_PYTHON = """import sys
read = sys.stdin.readline
cells = int(read())
for _ in range(cells + 3):
    read()
while True:
    for _ in range(cells + 1):
        read()
    print("WAIT", flush=True)
"""
"""Bots that read all and do nothing: with them, a match of Ants has all its hundred turns."""


# --- What is measured ------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Row:
    """A line of the table: what the matches of one kind cost. All in milliseconds of CPU time, a value a match.

    total: of everybody. own: of this process. bots: for all replies. first: for a bot's first reply, its start.
    turn_us: microseconds on the wall clock of a turn of one bot, the median of each match.
    goal_ms, with_start: what `ours` may be at most, and whether the bots' start counts as ours in that.
    """

    name: str
    bots_in: str
    goal_ms: float | None = None
    with_start: bool = False
    total: list[float] = field(default_factory=list)
    own: list[float] = field(default_factory=list)
    bots: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    turn_us: list[float] = field(default_factory=list)

    @property
    def ours(self) -> float:
        """The median of what is left when the bots' replies are paid."""
        pairs = zip(self.total, self.bots, self.first, strict=True)
        return median(total - bots + (2 * first if self.with_start else 0.0) for total, bots, first in pairs)

    @property
    def per_core_second(self) -> float:
        """Matches in a second of one core."""
        return 1000 / median(self.total)


Kind = tuple[Row, Callable[[], None]]
"""A row, and what plays one more match (or several) into it."""


def bench_runner(
    matches: Annotated[int, typer.Option(min=1, help="Of each kind.")] = 50,
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
    """Print what a match costs besides its bots, and whether that meets the goals."""
    try:
        with (
            Sandbox.open(Settings().sandbox, folder=Settings().data_folder / "local") as sandbox,
            tempfile.TemporaryDirectory(prefix=sandbox.mark) as folder,
            _on_one_core(),
        ):
            sandbox.sweep()
            sandbox.require()
            description = sandbox.describe()
            kinds = [*_ours(sandbox), *_floors(Path(folder))]
            engine = _engine(sandbox, jar, shlex.split(jar_arguments)) if jar is not None else None
            empty_ms = _empty_ms(Path(folder))
            settle()
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
    except (SandboxError, subprocess.SubprocessError) as error:
        console.print(str(error), style="red", markup=False, highlight=False)
        raise typer.Exit(2) from None
    rows = [row for row, _ in (*kinds, *([engine] if engine else []))]
    print_table(_table(rows, description))
    print_table(_verdicts(rows, engine[0] if engine else None))
    if empty_ms is not None:
        text = f"An empty program costs {empty_ms:.2f} ms here, {EMPTY_MS:.2f} ms where the goals were set."
        console.print(text, highlight=False)
    if json_file is not None:
        json_file.write_text(json.dumps([asdict(row) for row in rows]) + "\n")


@contextmanager
def _on_one_core() -> Iterator[None]:
    """As the arena's workers play: a match on one core, and what it starts with it."""
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
            entrant = _entrant(sandbox, language, source)
        except LanguageMissing as missing:
            console.print(f"Left out: {row.name} with {language.name} bots. {missing}", style="yellow", markup=False)
            continue
        yield row, _player(row, game, sandbox, entrant)


def _entrant(sandbox: Sandbox, language: Language, source: str) -> Entrant:
    return Entrant(sandbox.build(language, source.encode()), Player(bot="waits", language=language.id))


def _player(row: Row, game: Game, sandbox: Sandbox, entrant: Entrant) -> Callable[[], None]:
    league = game.levels[-1]

    def play() -> None:
        own, all_ms = _used_ms()
        record = play_match(game, sandbox, [entrant, entrant], seed=SEED, league=league).record
        own_after, all_after = _used_ms()
        if len(record.turns) != TURNS or record.faults:
            raise SandboxError(f"expected {TURNS} turns without faults of bots that wait; got {record.outcome.reason}")
        exchanges = [exchange for turn in record.turns for exchange in turn.exchanges]
        row.own.append(own_after - own)
        row.total.append(all_after - all_ms)
        row.bots.append(1000 * sum(exchange.cpu_s for exchange in exchanges))
        row.first.append(500 * sum(exchange.cpu_s for exchange in exchanges[:2]))
        row.turn_us.append(1e6 * median(exchange.wall_s for exchange in exchanges[2:]))

    return play


def _used_ms() -> tuple[float, float]:
    """CPU milliseconds so far: (of this process, with all ended children)."""
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    own_ms = 1000 * (own.ru_utime + own.ru_stime)
    return own_ms, own_ms + 1000 * (children.ru_utime + children.ru_stime)


def _floors(folder: Path) -> Iterator[Kind]:
    """The null game's bots against a loop in C, where this machine has a compiler."""
    compiler = shutil.which("gcc")
    if compiler is None:
        console.print("Left out: the bare pipe loop, which needs gcc.", style="yellow")
        return
    loop = folder / "floor"
    subprocess.run([compiler, "-O2", "-o", loop, FLOOR], check=True)
    (folder / "bot.py").write_text(NULL_PYTHON)
    (folder / "bot.cpp").write_text(NULL_CPP)
    subprocess.run([compiler, "-O2", "-o", folder / "bot", folder / "bot.cpp"], check=True)
    python = shutil.which("python3", path=os.pathsep.join(("/usr/local/bin", "/usr/bin", "/bin"))) or "python3"
    for name, command in (("C++", [str(folder / "bot")]), ("Python", [python, "-I", "-S", str(folder / "bot.py")])):
        row = Row("bare pipes, null game", name)
        yield row, _floor_player(row, [str(loop), "1", str(TURNS), str(PROMPT_LINES), *command])


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
        _, before = _used_ms()
        subprocess.run([program], check=True)
        costs.append(_used_ms()[1] - before)
    return median(costs)


def _floor_player(row: Row, command: Sequence[str]) -> Callable[[], None]:
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
    program = sandbox.build(LANGUAGES["cpp"], ANTS_CPP.encode()).order
    bot = str(program.home / program.files[0])
    row = Row(jar.name, "C++")
    command = ["java", "-jar", str(jar), *(word.replace("{bot}", bot) for word in arguments)]

    def play() -> None:
        started, (_, before) = time.monotonic(), _used_ms()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        row.total.append(_used_ms()[1] - before)
        row.own.append(0.0)
        row.bots.append(0.0)
        row.first.append(0.0)
        row.turn_us.append(1e6 * (time.monotonic() - started) / TURNS / 2)

    return row, play


# --- Tables ----------------------------------------------------------------------------------------------------------


def _table(rows: Sequence[Row], sandbox: str) -> Table:
    table = Table(title=f"A match of {TURNS} turns, two bots that wait; medians, CPU time in ms. {sandbox}")
    left = ("engine, game", "bots")
    for heading in (
        *left,
        "matches",
        "total",
        "bots",
        "of that a start",
        "our process",
        "ours",
        "a turn",
        "a core-second",
    ):
        table.add_column(heading, justify="left" if heading in left else "right")
    for row in rows:
        table.add_row(
            row.name,
            row.bots_in,
            str(len(row.total)),
            *(f"{median(figures):.1f}" for figures in (row.total, row.bots, row.first, row.own)),
            f"{row.ours:.1f}",
            f"{median(row.turn_us):.1f} µs",
            f"{row.per_core_second:.1f}",
        )
    return table


def _verdicts(rows: Sequence[Row], engine: Row | None) -> Table:
    """The goals. A row of which a part could not be measured here is left out."""
    table = Table(title="Goals")
    for heading in ("what", "goal", "got", "met"):
        table.add_column(heading, justify="left" if heading == "what" else "right")

    def add(what: str, goal: str, got: str, *, met: bool) -> None:
        table.add_row(what, goal, got, "yes" if met else "NO")

    found = {(row.name, row.bots_in): row for row in rows}
    for row in rows:
        if row.goal_ms is not None:
            what = f"{row.name}, {row.bots_in} bots: ours" + (", their start included" if row.with_start else "")
            add(what, f"≤ {row.goal_ms:g} ms", f"{row.ours:.1f} ms", met=row.ours <= row.goal_ms)
    ours, floor = found.get(("Hexarena, Null game", "C++")), found.get(("bare pipes, null game", "C++"))
    if ours is not None and floor is not None:
        over = median(ours.turn_us) - median(floor.turn_us)
        add(
            "a turn over the bare loop, C++ bots",
            f"≤ {FLOOR_RATIO_US:g} µs",
            f"{over:.1f} µs",
            met=over <= FLOOR_RATIO_US,
        )
    python = found.get(("Hexarena, Null game", "Python"))
    if python is not None:
        start = median(python.first)
        add("a Python bot's start to its first reply", "≤ 25 ms", f"{start:.1f} ms", met=start <= 25)
    ants = found.get(("Hexarena, Ants", "C++"))
    if ants is not None:
        engine_ms = ENGINE_MS[0] if engine is None else median(engine.total)
        ratio = engine_ms / median(ants.total)
        whose = "the original engine's (as measured earlier)" if engine is None else f"those of {engine.name}"
        add(
            f"Ants, matches a core-second over {whose}",
            f"≥ {ENGINE_RATIO:g}",
            f"{ratio:.0f}",
            met=ratio >= ENGINE_RATIO,
        )
    return table
