"""How a duel looks: the running score while it is played, on a terminal or in a log, and its end."""

from __future__ import annotations

import math
import shlex
import time
from pathlib import Path

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from backend.duel import DECIDED
from worker.duel_score import Ending, Fixture, Score
from worker.local_match import visible

LINE_S = 10.0
"""How often a log gets a line."""
FRAME_S = 0.1
SHOWN_CHARACTERS = 300
"""Of a bot's message."""
HARD_SPACE = "\u00a0"


class Scoreboard:
    """Shows the running score: a bar that stays in place on a terminal, elsewhere a line every ten seconds."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._started = self._shown = time.monotonic()
        self._live = Live(console=console, auto_refresh=False, transient=True) if console.is_terminal else None

    def __enter__(self) -> Scoreboard:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, score: Score) -> None:
        """To be called often; it looks at the clock itself."""
        now = time.monotonic()
        if now - self._shown < (LINE_S if self._live is None else FRAME_S):
            return
        self._shown = now
        parts = [*_parts(score), f"{len(score.results) / (now - self._started):.1f} matches/s"]
        if self._live is None:
            line = f"{len(score.results)} matches: {', '.join(parts)}"
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)
        else:
            self._live.update(_board(score, parts, now - self._started), refresh=True)


def print_duel(console: Console, score: Score, ending: Ending, *, again: list[str], replays: Path | None) -> None:
    """The end of a duel for people. `again`: words of the options with which a single match is played again."""
    of, standing = score.duel, score.standing
    title = f"{of.names[0]} against {of.names[1]}: {of.game.title}, league {of.league}, seed {of.seed}"
    console.print(visible(title), markup=False, highlight=False, style="bold")
    console.print(visible(score.sentence()), markup=False, highlight=False, style=_style(score))
    if ending == "interrupted":
        console.print("Interrupted; this is what is known so far.", style="yellow")
    rows = Table.grid(padding=(0, 2))
    rows.add_column(justify="right", style="dim", no_wrap=True)
    rows.add_column(overflow="fold")
    matches = f"{len(score.results)}{f' in {len(score.results) // 2} pairs' if of.paired else ''}"
    rows.add_row("matches", f"{matches}: {'{} won, {} drawn, {} lost'.format(*score.won_drawn_lost())}")
    seats = " and ".join(
        f"{'-'.join(map(str, score.won_drawn_lost(seat_0=first)))} {place}"
        for first, place in ((True, "in seat 0"), (False, "elsewhere" if len(of.game.seats) > 1 else "in seat 1"))
    )
    rows.add_row("seats", seats)
    interval = f"95 % interval {_elo(standing.elo_low)} to {_elo(standing.elo_high)}"
    rows.add_row("strength", f"{_elo(standing.elo)} Elo, {interval}; {standing.score:.1%} of the points")
    question = f"log-likelihood ratio {standing.llr:+.2f} of +{of.margin_elo:g} Elo to 0"
    rows.add_row("test", f"{question}; ±{DECIDED:.2f} decides")
    for note in _notes(score):
        rows.add_row("note", Text(visible(note), style="yellow"))
    for bot in (0, 1):
        for fault in _faults(score, bot, again, replays):
            rows.add_row("faults", fault)
    console.print(rows)


def replay_name(fixture: Fixture) -> str:
    """The file of a match in the folder of replays."""
    return f"{fixture.number:04}-seed-{fixture.seed}{'-swapped' if fixture.swapped else ''}.jsonl"


def _parts(score: Score) -> list[str]:
    standing = score.standing
    won, drawn, lost = score.won_drawn_lost()
    parts = [
        f"{won} won {drawn} drawn {lost} lost",
        f"{_elo(standing.elo)} Elo ({_elo(standing.elo_low)} to {_elo(standing.elo_high)})",
        f"LLR {standing.llr:+.2f} of ±{DECIDED:.2f}",
    ]
    return [*parts, f"{len(score.voids())} void"] if score.voids() else parts


def _board(score: Score, parts: list[str], passed_s: float) -> Group:
    bar = Table.grid(padding=(0, 1), expand=True)
    bar.add_column(overflow="ellipsis", no_wrap=True, max_width=40)
    bar.add_column(ratio=1)
    bar.add_column(no_wrap=True)
    played, most = len(score.results), score.duel.games
    minutes, seconds = divmod(int(passed_s), 60)
    progress = ProgressBar(total=most, completed=played)
    bar.add_row(visible(" : ".join(score.duel.names)), progress, f"{played:,}/{most:,} {minutes}:{seconds:02}")
    return Group(bar, Text("   ".join(part.replace(" ", HARD_SPACE) for part in parts)))


def _notes(score: Score) -> list[str]:
    repeated = len(score.results) - score.different
    notes = []
    if repeated and not score.only_repeats:
        told = f"{repeated} matches only repeat an earlier one, reply by reply"
        notes.append(f"{told}: the interval is narrower than it should be.")
    voids = score.voids()
    if voids:
        notes.append(f"Played again {len(voids)} times, because it did not count: e.g. {voids[0]}")
    return notes


def _faults(score: Score, bot: int, again: list[str], replays: Path | None) -> list[Text]:
    """A text for each kind of fault, with how to see an example."""
    texts = []
    for found in score.faults(bot):
        fixture = found.fixture
        bots = score.duel.bots[::-1] if fixture.swapped else score.duel.bots
        if replays is None:
            words = ["hexarena", "match", score.duel.game.id, *(word for one in bots for word in ("--bot", one))]
            words += ["--seed", str(fixture.seed), "--league", str(score.duel.league), *again]
            see = f"play it again: {shlex.join([*words, '--replay', 'again.jsonl'])}"
        else:
            see = shlex.join(["hexarena", "watch", str(replays / replay_name(fixture))])
        head = f"{score.duel.names[bot]}: {found.example.kind} {found.count:,} times in {found.matches:,} matches"
        message = visible(found.example.message[:SHOWN_CHARACTERS])
        example = f"e.g. match {fixture.number}, turn {found.example.turn}: {message}"
        style = "yellow" if found.example.kind == "warning" else "red"
        texts.append(Text.assemble((f"{visible(head)}\n", style), f"{example}\n", (visible(see), "dim")))
    return texts


def _style(score: Score) -> str:
    return "yellow" if score.only_repeats or score.standing.verdict == "open" else "green"


def _elo(elo: float) -> str:
    return f"{round(elo):+d}" if math.isfinite(elo) else f"{elo:+}".replace("inf", "∞")
