"""From source to a played match: builds the bots, starts them in their sandboxes, runs the referee.

The same code plays for the arena (`tasks`) and for the command line (`hexarena match`).
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from hexarena.backend.submissions.languages import Language
from hexarena.games.catalogue import game_file
from hexarena.games.contract import Channel, Game, Outcome
from hexarena.games.ghosts import Check, Ghost, Recorded
from hexarena.games.lines import Player, SeatLog, end_line, header_line, seen_by, turn_line
from hexarena.games.referee import Event, Opening, Record, Turn, play
from hexarena.worker.sandbox import Naps, Program, Sandbox, SandboxFailed

Watch = Callable[[str], None]
"""Gets each line of the replay as it is played, without what is hidden until the end."""
ATTEMPTS = 3
"""Attempts at a match on the command line that our side makes void."""


@dataclass(frozen=True, slots=True)
class ReadyBot:
    """A built bot, ready to be started."""

    program: Program
    player: Player


@dataclass(frozen=True, slots=True)
class Person:
    """Who plays without a program."""

    channel: Channel
    player: Player


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A played match: the referee's record, the replay's text, each seat's private lines, and who played."""

    record: Record
    replay: str
    seat_logs: tuple[str, ...]
    players: tuple[Player, ...] = ()

    @property
    def cpu_ms(self) -> float:
        """CPU milliseconds that all bots used, turns that ended in a fault included."""
        return 1000 * sum(exchange.cpu_s for turn in self.record.turns for exchange in turn.exchanges)


def build_bot(game: Game, sandbox: Sandbox, language: Language, source: bytes) -> Program:
    """Builds a bot's source as the game runs it: alone, or under the game's harness for the language.

    Raises: BuildFailed, LanguageMissing.
    """
    harness = game.harness.get(language.id)
    return sandbox.build(language, source, harness=game_file(game, harness) if harness else None)


def play_match(
    game: Game,
    sandbox: Sandbox,
    entrants: Sequence[ReadyBot | Person],
    *,
    seed: int,
    league: int,
    match_id: int | None = None,
    watch: Watch | None = None,
    naps: Naps | None = None,
    past: Recorded | None = None,
    written: Sequence[str] = (),
    see: Callable[[Event], None] = lambda _: None,
) -> PlayedMatch:
    """Plays one match. `entrants`: seat -> bot. `naps`: is notified when a bot sleeps. `past`: what it plays on from.
    `written`: the header and the lines of its first turns, which somebody has seen: they stay as they are in the
    replay, with the ratings and the CPU time of then. `see`: gets each event, also of the past.

    Raises: SandboxError, NotRepeated (by a past), and any exception that is our own fault; never for what a bot does.
    """
    writer = _ReplayWriter(game, entrants, seed=seed, league=league, match_id=match_id, watch=watch, written=written)
    with ExitStack() as running:
        bots = [
            entrant.channel
            if isinstance(entrant, Person)
            else running.enter_context(sandbox.start(entrant.program, reply_bytes=game.reply_bytes, naps=naps))
            for entrant in entrants
        ]

        def watch_all(event: Event) -> None:
            writer.add(event)
            see(event)

        if past is None:
            record = play(game, bots, seed=seed, league=league, watch=watch_all)
        else:
            record = _play_on(game, bots, past, seed=seed, league=league, watch=watch_all)
    return PlayedMatch(record, writer.text(), _seat_logs(record), tuple(one.player for one in entrants))


def _play_on(
    game: Game,
    bots: Sequence[Channel],
    past: Recorded,
    *,
    seed: int,
    league: int,
    watch: Callable[[Event], None],
) -> Record:
    check = Check(past)

    def see(event: Event) -> None:
        check(event)
        watch(event)

    ghosts = [Ghost(said, bot) for said, bot in zip(past.said, bots, strict=True)]
    return play(game, ghosts, seed=seed, league=league, watch=see)


def _seat_logs(record: Record) -> tuple[str, ...]:
    """Seat -> its private lines. Written in one go at the end, which costs a third of writing them turn by turn."""
    logs = [SeatLog() for _ in range(record.seats)]
    lines: list[list[str]] = [[] for _ in logs]
    for turn in record.turns:
        for exchange in turn.exchanges:
            lines[exchange.seat].append(logs[exchange.seat].line(turn.number, exchange))
    return tuple(map("".join, lines))


def freeze_garbage_collector() -> None:
    """Exempts every object that exists now from garbage collection, for a process that plays many matches."""
    gc.collect()
    gc.freeze()


def play_with_retries(
    play: Callable[[], PlayedMatch], on_void: Callable[[SandboxFailed], None], *, attempts: int = ATTEMPTS
) -> PlayedMatch:
    """Plays a match, and plays it again if the attempt is void; `on_void` gets the reason of each but the last.

    Raises: SandboxFailed when all attempts are void, and whatever else `play` raises.
    """
    for _ in range(attempts - 1):
        try:
            return play()
        except SandboxFailed as failure:
            on_void(failure)
    try:
        return play()
    except SandboxFailed as failure:
        message = f"All {attempts} attempts were void; the last one because: {failure}"
        raise type(failure)(message) from failure


class _ReplayWriter:
    """Writes the replay: line by line if somebody watches, else in one go when the match is over."""

    def __init__(
        self,
        game: Game,
        entrants: Sequence[ReadyBot | Person],
        *,
        seed: int,
        league: int,
        match_id: int | None,
        watch: Watch | None,
        written: Sequence[str],
    ) -> None:
        self._lines: list[str] = []
        self._written = written
        self._unwritten: list[Event] = []
        self._game = game
        self._players = [entrant.player for entrant in entrants]
        self._seed = seed
        self._league = league
        self._match_id = None if match_id is None else str(match_id)
        self._watch = watch

    def add(self, event: Event) -> None:
        """Adds one event."""
        if self._watch is None:
            self._unwritten.append(event)
            return
        line = self._line(event)
        self._lines.append(line)
        if self._game.hidden is None:
            self._watch(line)
        elif not isinstance(event, Outcome):  # whoever watches gets everything from the beginning then
            self._watch(seen_by(None, line))

    def text(self) -> str:
        """The whole replay."""
        return "".join([*self._lines, *map(self._line, self._unwritten)])

    def _line(self, event: Event) -> str:
        number = 0 if isinstance(event, Opening) else event.number if isinstance(event, Turn) else len(self._written)
        if number < len(self._written):
            return f"{self._written[number]}\n"
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
