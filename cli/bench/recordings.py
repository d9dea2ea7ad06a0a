"""Matches as a bench replays them: a first state, and the lines that were written, turn by turn."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from hexarena.games.catalogue import FOLDER, UnknownGame, find_game
from hexarena.games.contract import BotFault, Game, Seat, TimedOut
from hexarena.games.referee import read_replies
from hexarena.games.verify import Recording, game_of

GOLDEN = FOLDER.parent / "tests" / "games" / "golden"
"""The recordings of the original referees, in a checked-out tree."""

Replies = Mapping[Seat, str | None]
"""Seat -> its line, or None for no line in time."""


@dataclass(frozen=True, slots=True)
class Script:
    """One match. `start` makes its first state; `bots`: who played, by the recording's names."""

    game: Game
    bots: tuple[str, ...]
    level: int
    turns: tuple[Replies, ...]
    recording: Recording

    def start(self) -> Any:
        """The state before the first turn."""
        if self.game.trace is None:
            return self.game.rules.setup(self.recording["seats"], self.recording["seed"], self.level)
        return self.game.trace.setup(self.recording)


def read_files(files: Iterable[Path]) -> Iterator[tuple[Path, list[Recording]]]:
    """The recordings of each file, by game; other files are skipped."""
    for file in files:
        with _open_text(file) as lines:
            yield file, [recording for recording in map(json.loads, lines) if isinstance(recording, dict)]


def scripts_of(file: Path, recordings: Iterable[Recording]) -> Iterator[Script]:
    """Those recordings that are whole games of a game that is in the catalogue."""
    for recording in recordings:
        game = recorded_game(file, recording)
        if game is not None and "turns" in recording:
            turns = tuple(
                {seat: line for seat, line in enumerate(turn["out"]) if turn["in"][seat] is not None}
                for turn in recording["turns"]
            )
            bots = tuple(map(str, recording["bots"]))
            yield Script(game, bots, recording.get("league", game.top_level), turns, recording)


def recorded_game(file: Path, recording: Recording) -> Game | None:
    """The game of a recording, if it is in the catalogue."""
    try:
        return find_game(game_of(recording, file.name))
    except UnknownGame:
        return None


def prompts(game: Game, state: Any, seats: Sequence[Seat], seen: set[Seat]) -> list[str]:
    """The prompts of all seats that act. Adds the seats to `seen`."""
    texts = [game.protocol.prompt(state, seat, seat not in seen) for seat in seats]
    seen.update(seats)
    return texts


def step_turn(game: Game, state: Any, replies: Replies) -> Any:
    """The next state."""
    moves, faults = read_replies(game, state, {seat: line for seat, line in replies.items() if line is not None})
    silent: dict[Seat, BotFault] = {
        seat: TimedOut("expected a reply, got none in time") for seat, line in replies.items() if line is None
    }
    return game.rules.step(state, moves, faults | silent)


def _open_text(path: Path) -> IO[str]:
    return gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")
