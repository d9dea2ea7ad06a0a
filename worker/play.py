"""From code to a played match: builds the seats' code, starts the bots in their sandboxes, lets the referee play.

The same code plays for the arena (`tasks`) and for the command line (`hexarena match`).
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from backend.languages import Language
from games.catalogue import game_file
from games.contract import Game, Outcome
from games.lines import Player, SeatLog, end_line, header_line, turn_line
from games.referee import Event, Opening, Record, play
from worker.sandbox import Program, Sandbox, SandboxFailed

Watch = Callable[[str], None]
"""Gets each line of the replay as it is played."""
ATTEMPTS = 3
"""Of a match at home that our side spoils."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot that is ready to be started."""

    program: Program
    player: Player


@dataclass(frozen=True, slots=True)
class Played:
    """A played match: the referee's record, the replay's text, and each seat's private lines."""

    record: Record
    replay: str
    seat_logs: tuple[str, ...]

    @property
    def cpu_ms(self) -> float:
        """CPU milliseconds that all bots used, turns that ended in a fault included."""
        return 1000 * sum(exchange.cpu_s for turn in self.record.turns for exchange in turn.exchanges)


def build_bot(game: Game, sandbox: Sandbox, language: Language, source: bytes) -> Program:
    """A bot's source as the game runs it: on its own, or by the game's harness for the language.

    Raises: BuildFailed, LanguageMissing.
    """
    harness = game.harness.get(language.id)
    return sandbox.build(language, source, harness=game_file(game, harness) if harness else None)


def play_match(
    game: Game,
    sandbox: Sandbox,
    entrants: Sequence[Entrant],
    *,
    seed: int,
    league: int,
    match_id: int | None = None,
    watch: Watch | None = None,
) -> Played:
    """Plays one match. `entrants`: seat -> bot.

    Raises: SandboxError and whatever else is our own fault; nothing for what a bot does.
    """
    scribe = _Scribe(game, entrants, seed=seed, league=league, match_id=match_id, watch=watch)
    with ExitStack() as running:
        bots = [
            running.enter_context(sandbox.start(entrant.program, reply_bytes=game.reply_bytes)) for entrant in entrants
        ]
        record = play(game, bots, seed=seed, league=league, watch=scribe.take)
    return Played(record, scribe.text(), _seat_logs(record))


def _seat_logs(record: Record) -> tuple[str, ...]:
    """Seat -> its private lines. Nobody reads them before the end, and written in one go they cost a third."""
    logs = [SeatLog() for _ in range(record.seats)]
    lines: list[list[str]] = [[] for _ in logs]
    for turn in record.turns:
        for exchange in turn.exchanges:
            lines[exchange.seat].append(logs[exchange.seat].line(turn.number, exchange))
    return tuple(map("".join, lines))


def settle() -> None:
    """Takes all that exists by now out of the garbage collector's sight, for a process that will play many matches."""
    gc.collect()
    gc.freeze()


def play_until_it_counts(
    play: Callable[[], Played], spoilt: Callable[[SandboxFailed], None], *, attempts: int = ATTEMPTS
) -> Played:
    """Plays a match, and plays it again where our side spoils it; `spoilt` hears of each time before the last.

    Raises: SandboxFailed when no attempt counts, and whatever `play` raises.
    """
    for _ in range(attempts - 1):
        try:
            return play()
        except SandboxFailed as failure:
            spoilt(failure)
    try:
        return play()
    except SandboxFailed as failure:
        told = f"The match did not count {attempts} times, at last because: {failure}"
        raise type(failure)(told) from failure


class _Scribe:
    """Writes the replay: while the referee plays if somebody watches, else when the match is over, in one go."""

    def __init__(
        self,
        game: Game,
        entrants: Sequence[Entrant],
        *,
        seed: int,
        league: int,
        match_id: int | None,
        watch: Watch | None,
    ) -> None:
        self._lines: list[str] = []
        self._unwritten: list[Event] = []
        self._game = game
        self._players = [entrant.player for entrant in entrants]
        self._seed = seed
        self._league = league
        self._match_id = None if match_id is None else str(match_id)
        self._watch = watch

    def take(self, event: Event) -> None:
        """Takes one event down."""
        if self._watch is None:
            self._unwritten.append(event)
            return
        line = self._line(event)
        self._lines.append(line)
        self._watch(line)

    def text(self) -> str:
        """The whole replay."""
        return "".join([*self._lines, *map(self._line, self._unwritten)])

    def _line(self, event: Event) -> str:
        if isinstance(event, Opening):
            return header_line(
                self._game,
                event.header,
                seed=self._seed,
                league=self._league,
                players=self._players,
                match_id=self._match_id,
            )
        if isinstance(event, Outcome):
            return end_line(event)
        return turn_line(event)
