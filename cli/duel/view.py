"""Output of a duel: the running score while it is played, on a terminal or in a log, and its end."""

from __future__ import annotations

import math
import shlex
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from hexarena.backend.duels.fixtures import Fixture, entrants_of, seating
from hexarena.backend.rating.sprt import Estimate
from hexarena.cli.duel.score import Ending, Faults, LocalDuel, Score
from hexarena.cli.entrants import found_through
from hexarena.cli.output import visible
from hexarena.cli.statistics import print_duel_statistics

LINE_S = 10.0
"""How often a log gets a line."""
FRAME_S = 0.1
SHOWN_CHARACTERS = 300
"""Of a bot's message."""
GAP = "   "


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
        """Call it often: it prints only when enough time has passed."""
        now = time.monotonic()
        if now - self._shown < (LINE_S if self._live is None else FRAME_S):
            return
        self._shown = now
        parts = [*_parts(score), f"{len(score.results) / (now - self._started):.1f} matches/s"]
        if self._live is None:
            line = f"{len(score.results)} matches: {', '.join(parts)}"
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)
        else:
            self._live.update(_board(score, _lines(parts, self._console.width), now - self._started), refresh=True)


def print_duel(console: Console, score: Score, ending: Ending, *, again: list[str], replays: Path | None) -> None:
    """The end of a duel for people. `again`: words of the options with which a single match is played again."""
    of, estimate = score.duel, score.estimate()
    title = f"{of.names[0]} against {of.names[1]}: {of.game.title}, rules level {of.league}, seed {of.seed}"
    console.print(visible(title), markup=False, highlight=False, style="bold")
    console.print(visible(score.sentence()), markup=False, highlight=False, style=_style(score, estimate))
    if ending == "interrupted":
        console.print("Interrupted; this is what is known so far.", style="yellow")
    rows = Table.grid(padding=(0, 2))
    rows.add_column(justify="right", style="dim", no_wrap=True)
    rows.add_column(overflow="fold")
    won, drawn, lost = score.won_drawn_lost()
    pairs = f" ({len(score.results) // 2:,} with the seats swapped)" if of.paired else ""
    rows.add_row("matches", f"{len(score.results):,}{pairs}: {won:,} won, {drawn:,} drawn, {lost:,} lost")
    if of.field:
        entrants = entrants_of(of.game, len(of.field))
        rows.add_row("field", f"{entrants} in a match, the better place wins; others: {', '.join(of.field)}")
    seats = " and ".join(
        f"{'-'.join(map(str, score.won_drawn_lost(seat_0=first)))} {place}"
        for first, place in ((True, "in seat 0"), (False, "elsewhere" if len(of.game.seats) > 1 else "in seat 1"))
    )
    rows.add_row("seats", f"won-drawn-lost {seats}")
    interval = f"95 % interval {_elo(estimate.elo_low)} to {_elo(estimate.elo_high)}"
    rows.add_row("strength", f"{_elo(estimate.elo)} Elo, {interval}; {estimate.score:.1%} of the points")
    question = of.question
    hypotheses = f"+{question.margin_elo:g} Elo to {f'-{question.margin_elo:g}' if question.which else '0'}"
    rows.add_row("test", f"log-likelihood ratio {estimate.llr:+.2f} of {hypotheses}; ±{question.decided:.2f} decides")
    for note in _notes(score):
        rows.add_row("note", Text(visible(note), style="yellow"))
    console.print(rows)
    print_duel_statistics(console, of.names, score.statistics)
    for faults in score.faults():
        _print_faults(console, of, faults, see=_how_to_see(of, faults.fixture, again, replays))


def replay_name(fixture: Fixture) -> str:
    """The file of a match in the folder of replays."""
    return f"{fixture.number:04}-seed-{fixture.seed}{'-swapped' if fixture.swapped else ''}.jsonl"


def _parts(score: Score) -> list[str]:
    estimate = score.estimate()
    won, drawn, lost = score.won_drawn_lost()
    parts = [
        f"{won} won {drawn} drawn {lost} lost",
        f"{_elo(estimate.elo)} Elo ({_elo(estimate.elo_low)} to {_elo(estimate.elo_high)})",
        f"LLR {estimate.llr:+.2f} of ±{score.duel.question.decided:.2f}",
    ]
    return [*parts, f"{len(score.voids())} void"] if score.voids() else parts


def _lines(parts: list[str], width: int) -> str:
    """The parts in as many lines as they need, none broken if it fits into one."""
    lines = parts[:1]
    for part in parts[1:]:
        if len(lines[-1]) + len(GAP) + len(part) <= width:
            lines[-1] += GAP + part
        else:
            lines.append(part)
    return "\n".join(lines)


def _board(score: Score, lines: str, passed_s: float) -> Group:
    bar = Table.grid(padding=(0, 1), expand=True)
    bar.add_column(overflow="ellipsis", no_wrap=True, max_width=40)
    bar.add_column(ratio=1)
    bar.add_column(no_wrap=True)
    played, most = len(score.results), score.duel.games
    minutes, seconds = divmod(int(passed_s), 60)
    progress = ProgressBar(total=most, completed=played)
    bar.add_row(Text(visible(" : ".join(score.duel.names))), progress, f"{played:,}/{most:,} {minutes}:{seconds:02}")
    return Group(bar, Text(lines))


def _notes(score: Score) -> list[str]:
    repeated = len(score.results) - score.different
    notes = []
    if repeated and not score.only_repeats:
        note = f"{repeated} matches only repeat an earlier one, reply by reply"
        notes.append(f"{note}: the interval is narrower than it should be.")
    voids = score.voids()
    if voids:
        notes.append(f"{len(voids)} void attempts were repeated, e.g.: {voids[0]}")
    return notes


def _how_to_see(of: LocalDuel, fixture: Fixture, again: list[str], replays: Path | None) -> str:
    """The command that shows a match."""
    if replays is not None:
        return found_through(of.game) + shlex.join(["hexarena", "watch", str(replays / replay_name(fixture))])
    everybody = (*of.bots, *of.field)
    bots: Sequence[str] = of.bots[::-1] if fixture.swapped else of.bots
    if of.field:
        bots = [everybody[bot] for bot in seating(of.game, fixture, len(of.field))]
    words = ["hexarena", "match", of.game.id, *(word for bot in bots for word in ("--bot", bot))]
    words += ["--seed", str(fixture.seed), "--level", str(of.league), *again, "--replay", "again.jsonl"]
    return f"Play it again with: {found_through(of.game)}{shlex.join(words)}"


def _print_faults(console: Console, of: LocalDuel, faults: Faults, *, see: str) -> None:
    """In lines that are not broken, so that the command can be copied."""
    fault = faults.example
    lines = {
        f"{of.names[faults.bot]}: {fault.kind}, {faults.count:,} in {faults.matches:,} matches": (
            "yellow" if fault.kind == "warning" else "red"
        ),
        f"  e.g. match {faults.fixture.number}, turn {fault.turn}: {fault.message[:SHOWN_CHARACTERS]}": "",
        f"  {see}": "dim",
    }
    for line, style in lines.items():
        console.print(visible(line), style=style, markup=False, highlight=False, soft_wrap=True)


def _style(score: Score, estimate: Estimate) -> str:
    return "yellow" if score.only_repeats or estimate.verdict == "open" else "green"


def _elo(elo: float) -> str:
    return f"{round(elo):+d}" if math.isfinite(elo) else f"{elo:+}".replace("inf", "∞")
