"""The game under check, its bots as plain processes, and matches of them that checks share."""

from __future__ import annotations

import re
import select
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from threading import RLock
from typing import IO

from hexarena.backend.submissions.languages import by_ending
from hexarena.games.catalogue import bot_file, error_in_words, game_file
from hexarena.games.contract import MESSAGE_CHARACTERS, BotFault, Crashed, Game, GameError, Reply, Seat, TimedOut
from hexarena.games.lines import Player, end_line, header_line, turn_line
from hexarena.games.referee import Record, play

SEED = 20_240_229
PATIENCE_S = 20
"""Of real time. A fair reply takes a small part of it."""
LAST_WORDS_S = 2
"""For what a bot that has closed its output still writes."""
PIPE_BYTES = 65_536
RAISED_AT = re.compile(r'^  File ".+", line (\d+)')
"""In a traceback of Python's."""


class CheckFailed(Exception):
    """What a check found: a sentence, which says what was expected and what was got."""


class CheckSkipped(Exception):
    """Why a check is not made: the game has nothing of that kind, or this machine lacks a program."""


def expect(holds: bool, message: str) -> None:
    """Raises: CheckFailed."""
    if not holds:
        raise CheckFailed(message)


class PipeChannel:
    """A bot as a plain process: for the author's own code. No turn is timed, but a bot must not wait for ever."""

    def __init__(self, process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
        """`errors`: the file that has its standard error."""
        self._process = process
        self._errors = errors
        self._read = b""

    def ask(self, prompt: str, seconds: float) -> Reply:
        """Raises: Crashed, TimedOut."""
        assert self._process.stdin is not None  # noqa: S101 - opened as a pipe
        try:
            self._process.stdin.write(prompt.encode())
        except BrokenPipeError:
            raise Crashed(f"expected a reply, but the bot has ended{self._last_words()}") from None
        return Reply(self._line().decode(errors="replace"))

    def _line(self) -> bytes:
        """The next line without its end. What comes after it is kept. Raises: Crashed, TimedOut."""
        assert self._process.stdout is not None  # noqa: S101 - opened as a pipe
        while b"\n" not in self._read:
            if not select.select([self._process.stdout], [], [], PATIENCE_S)[0]:
                raise TimedOut(f"expected a reply within {PATIENCE_S} s; the bot waits for more input, or never ends")
            more = self._process.stdout.read(PIPE_BYTES)
            if not more:
                raise Crashed(f"expected a reply, but the bot closed its output{self._last_words()}")
            self._read += more
        line, _, self._read = self._read.partition(b"\n")
        return line.removesuffix(b"\r")

    def _last_words(self) -> str:
        """Of a bot that ended: the last line of its standard error, where an exception is, and its place."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(LAST_WORDS_S)
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        place = next((found[1] for line in reversed(lines) if (found := RAISED_AT.search(line))), "")
        return f": {lines[-1][:MESSAGE_CHARACTERS]}{place and f' (line {place})'}" if lines else ""

    def log(self) -> str:
        """Nothing: what it wrote to standard error is reported if it ends."""
        return ""


@dataclass
class Scripted:
    """Replies in turn, then the last one for ever; from turn `fails_at` of its own on, a fault."""

    replies: Sequence[str]
    fault: BotFault | None = None
    fails_at: int = 1
    asked: int = field(default=0, init=False)

    def ask(self, prompt: str, seconds: float) -> Reply:
        """Raises: BotFault, and CheckFailed where the game must not have asked, or not so."""
        expect(prompt.endswith("\n"), f"expected each prompt to end with a line end; got {prompt[-40:]!r}")
        self.asked += 1
        if self.fault is not None and self.asked >= self.fails_at:
            expect(self.asked == self.fails_at, "a seat whose channel failed was asked again")
            raise self.fault
        return Reply(self.replies[min(self.asked, len(self.replies)) - 1])

    def log(self) -> str:
        """Nothing."""
        return ""


@dataclass
class Subject:
    """A game at the size that it has for tests. `build`: a folder for what is compiled.

    `building`: held while something is made that another check needs, too. Checks by programs run at the same time.
    """

    game: Game
    folder: Path
    build: Path
    building: RLock = field(default_factory=RLock)
    _records: dict[tuple[tuple[str, ...], int, int], Record] = field(default_factory=dict)

    def record(self, seats: int, level: int | None = None) -> Record:
        """A match of the first starter against itself. Raises: CheckFailed, if it has no proper end."""
        return self.played([self.game.starters[0]] * seats, self.game.top_level if level is None else level)

    def played(self, files: Sequence[str], level: int, seed: int = SEED) -> Record:
        """A match of bots of the game's, by seat; it is played once. Raises: CheckFailed."""
        wanted = (tuple(files), level, seed)
        with self.building:
            if wanted not in self._records:
                with self._piped(files) as channels:
                    self._records[wanted] = self.play(channels, seed=seed, level=level)
        return self._records[wanted]

    def play(self, channels: Sequence[PipeChannel | Scripted], *, seed: int = SEED, level: int | None = None) -> Record:
        """A match. Raises: CheckFailed, where the game throws, does not end, or ends as no match can."""
        game = self.game
        league = game.top_level if level is None else level
        who = f"with {len(channels)} seats"
        try:
            record = play(game, channels, seed=seed, league=league)
        except CheckFailed as failed:
            raise CheckFailed(f"{who}: {failed}") from None
        except GameError as error:
            raise CheckFailed(f"{who}: {error}") from None
        except Exception as error:
            raise CheckFailed(f"{who}: the game raises {error_in_words(error, self.folder)}") from error
        self._expect_places(record)
        return record

    def _expect_places(self, record: Record) -> None:
        """Places and scores that the arena can count."""
        ranks, who = record.outcome.ranks, f"with {record.seats} seats"
        size = self.game.team_seats
        teams = [ranks[first : first + size] for first in range(0, record.seats, size)]
        expect(all(len(set(team)) == 1 for team in teams), f"{who}: expected one rank for each team; got {ranks}")
        places = [team[0] for team in teams]
        proper = [sum(other < place for other in places) for place in places]
        problem = f"{who}: expected places from 0 on, where ties leave out the next ones, such as {tuple(proper)}"
        expect(places == proper, f"{problem}; got {tuple(places)}")
        expect(bool(record.outcome.reason.strip()), f"{who}: expected a reason for the end; got none")

    def replies(self, record: Record, seat: Seat) -> list[str]:
        """What a seat wrote."""
        exchanges = (exchange for turn in record.turns for exchange in turn.exchanges if exchange.seat == seat)
        return [exchange.reply for exchange in exchanges if exchange.reply is not None]

    def scripted(self, seats: int, level: int | None = None) -> list[Scripted]:
        """The starters of `record` again, from a script."""
        record = self.record(seats, level)
        return [Scripted(self.replies(record, seat) or [""]) for seat in range(seats)]

    def lines(self, record: Record) -> list[str]:
        """The replay."""
        players = [Player(f"bot {seat}") for seat in range(record.seats)]
        opening = header_line(self.game, record.header, seed=record.seed, league=record.league, players=players)
        return [opening, *map(turn_line, record.turns), end_line(record.outcome)]

    @contextmanager
    def _piped(self, files: Sequence[str]) -> Iterator[list[PipeChannel]]:
        with ExitStack() as stack:
            yield [stack.enter_context(_started(self._command(file))) for file in files]

    def _command(self, file: str) -> list[str]:
        """Runs a bot. Raises: CheckSkipped without its toolchain, CheckFailed, if it does not build."""
        source, language = bot_file(self.game, file), by_ending(Path(file).suffix)
        harness = self.game.harness.get(language.id)
        if source.suffix == ".py":
            return [sys.executable, "-I", *([str(game_file(self.game, harness))] if harness else []), str(source)]
        return _built(source, self.build)


def _built(source: Path, build: Path) -> list[str]:
    import shutil  # noqa: PLC0415 - few games have compiled bots

    from hexarena.worker.sandbox.dotnet import as_here  # noqa: PLC0415 - as above
    from hexarena.worker.sandbox.root import MACHINE  # noqa: PLC0415 - as above

    language, out = as_here(by_ending(source.suffix), MACHINE), build / source.name
    missing = [program for program in language.programs if shutil.which(program) is None]
    if missing:
        raise CheckSkipped(f"{source.name} was not played: {', '.join(missing)} is not installed")
    if not out.exists():
        out.mkdir()
        shutil.copy(source, out / language.source_name)
        for name, text in language.beside:
            (out / name).parent.mkdir(exist_ok=True)
            (out / name).write_text(text)
        command = _filled_in(language.build_command([language.source_name]), out)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        expect(done.returncode == 0, f"{source.name} does not build: {done.stderr[-400:]}")
    return _filled_in(language.run_command(language.source_name), out)


def _filled_in(command: Sequence[str], folder: Path) -> list[str]:
    return [word.replace("{bot}", str(folder)).replace("{out}", str(folder)) for word in command]


@contextmanager
def _started(command: Sequence[str]) -> Iterator[PipeChannel]:
    with TemporaryFile() as errors:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, bufsize=0)
        try:
            yield PipeChannel(process, errors)
        finally:
            process.kill()
            process.communicate()
