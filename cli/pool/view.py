"""The board of a pool: in place on a terminal while it runs, a line now and then in a log, and a table at the end."""

from __future__ import annotations

import time

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from hexarena.cli.output import visible
from hexarena.cli.pool.ranking import Row
from hexarena.cli.pool.run import Pool

LINE_S = 10.0
"""How often a log gets a line."""
FRAME_S = 0.5


class Board:
    """Shows a pool that runs."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._started = self._shown = time.monotonic()
        self._live = Live(console=console, auto_refresh=False, transient=True) if console.is_terminal else None

    def __enter__(self) -> Board:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, pool: Pool) -> None:
        """Call it often: it draws only when enough time has passed."""
        now = time.monotonic()
        if now - self._shown < (LINE_S if self._live is None else FRAME_S):
            return
        self._shown = now
        rate = f"{pool.played / (now - self._started):.1f} matches/s"
        rows = pool.ranking.board()
        if self._live is not None:
            footer = Text(
                f"{pool.state.matches:,} matches, {rate}. Ctrl-C stops; the pool continues with the next run."
            )
            self._live.update(
                Group(board_table(pool.state.game.title, rows), footer, *broken_lines(pool)), refresh=True
            )
        else:
            first = f"; first: {rows[0].name}, {rows[0].rating:.0f} ± {rows[0].reach:.0f}" if rows else ""
            line = f"{pool.state.matches:,} matches, {rate}{first}"
            self._console.print(line, markup=False, highlight=False, soft_wrap=True)


def board_table(title: str, rows: list[Row]) -> Table:
    """A line a bot, best first."""
    table = Table(title=escape(title), box=SIMPLE_HEAD)
    for heading in ("", "bot", "v", "rating", "95 %", "games", "won-drawn-lost", "faults"):
        table.add_column(heading, justify="left" if heading == "bot" else "right", no_wrap=heading != "bot")
    for place, row in enumerate(rows, start=1):
        who = (str(place), escape(visible(row.name)), str(row.version))
        won = f"{row.won}-{row.drawn}-{row.lost}"
        faults = str(row.faults) if row.faults else ""
        table.add_row(*who, f"{row.rating:.0f}", f"± {row.reach:.0f}", f"{row.games:,}", won, faults)
    return table


def broken_lines(pool: Pool) -> list[Text]:
    """Which bots cannot play, and why: the first line of each reason."""
    reasons = {name: visible(reason.splitlines()[0]) for name, reason in pool.broken.items()}
    return [Text(f"{visible(name)} does not play: {reason}", style="yellow") for name, reason in reasons.items()]
