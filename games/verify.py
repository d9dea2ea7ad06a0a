"""Replays recordings of a reference implementation through our rules and protocol, and reports where the two differ.

Theory of operation: a recording holds every input line and every reply. The replies go through our own protocol and
rules; our input lines, who was asked, and all that the game's `trace` names are compared with the recording, turn
by turn. Pure, like all of `games`: the caller opens the files and passes their lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from traceback import extract_tb
from typing import Any, TypeAlias

from hexarena.games.contract import BotFault, Game, Json, Seat, TimedOut, Trace
from hexarena.games.referee import read_replies

SHOWN_CHARACTERS = 120

Recording: TypeAlias = Mapping[str, Json]
"""One line of a file: a game with `turns`, `init`, `final_scores`, or a map."""


class NoRecording(ValueError):
    """A line that cannot be compared: no JSON object, or of a game without a `trace`."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One mismatch. `key`: what was compared, and where in it. `turn` counts from 0, as recordings do."""

    key: str
    expected: Json
    got: Json
    turn: int | None = None
    seat: Seat | None = None

    def __str__(self) -> str:
        where = [f"turn {self.turn}"] if self.turn is not None else []
        where += [f"seat {self.seat}"] if self.seat is not None else []
        return f"{', '.join([*where, self.key])}: expected {_shown(self.expected)}, got {_shown(self.got)}"


@dataclass(frozen=True, slots=True)
class Verified:
    """One recording, replayed. `line`: its line in the file, from 1. No differences: it is identical."""

    line: int
    differences: tuple[Difference, ...]


@dataclass(slots=True)
class Tally:
    """Counts recordings over all files."""

    games: int = field(default=0)
    identical: int = field(default=0)

    def __str__(self) -> str:
        return f"{self.games} games, {self.identical} identical"


def report(
    file_name: str, lines: Iterable[str], find_game: Callable[[str], Game], tally: Tally, *, maps: bool
) -> Iterator[str]:
    """A line to print for each mismatch of a file, as they are found. Adds to `tally`."""
    for verified in verify_games(lines, find_game, file_name=file_name, maps=maps):
        tally.games += 1
        tally.identical += not verified.differences
        for difference in verified.differences:
            yield f"{file_name}:{verified.line}: {difference}"


def verify_games(
    lines: Iterable[str], find_game: Callable[[str], Game], *, file_name: str, maps: bool
) -> Iterator[Verified]:
    """Replays each line that is not blank. `maps`: compares the state before the first turn, and nothing else."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield Verified(number, _verify_line(line, find_game, file_name=file_name, maps=maps))


def game_of(recording: Recording, file_name: str) -> str:
    """The id of the game: the recording's own word, or else how the file's name begins (`tryangle_dev.jsonl.gz`)."""
    named = recording.get("game")
    return named if isinstance(named, str) else re.split(r"[_.\-]", PurePath(file_name).name)[0]


def compare_game(game: Game, recording: Recording) -> Iterator[Difference]:
    """Replays one recorded game and yields the mismatches in order.

    A recording without `final_scores` may stop before the match is over: there the reference itself crashed.
    """
    trace = _trace(game)
    state = trace.setup(recording)
    seen: set[Seat] = set()
    for turn, recorded in enumerate(recording["turns"]):
        seats = sorted(game.rules.to_act(state))
        expected_seats = [seat for seat, lines in enumerate(recorded["in"]) if lines is not None]
        if seats != expected_seats:
            yield Difference("asked", expected_seats, seats, turn)
            return
        for seat in seats:
            yield from _compare_input(game, recording, state, turn=turn, seat=seat, first=seat not in seen)
        seen.update(seats)
        moves, faults = _read_replies(game, state, {seat: recorded["out"][seat] for seat in seats})
        state = game.rules.step(state, moves, faults)
        yield from _compare(trace.expected(recording, turn), trace.got(recording, turn, state), turn)
    still_asked = sorted(game.rules.to_act(state))
    if still_asked and recording["final_scores"] is not None:
        yield Difference("asked", [], still_asked, len(recording["turns"]))


def compare_map(game: Game, recording: Recording) -> Iterator[Difference]:
    """Sets up one recorded map and yields the mismatches."""
    trace = _trace(game)
    return _compare(trace.expected_map(recording), trace.got_map(recording, trace.setup(recording)), None)


def _verify_line(line: str, find_game: Callable[[str], Game], *, file_name: str, maps: bool) -> tuple[Difference, ...]:
    """An exception here is our bug, or a broken file: it is reported as a difference, and the next line follows."""
    found: list[Difference] = []
    try:
        recording = json.loads(line)
        if not isinstance(recording, dict):
            raise NoRecording(f"expected a JSON object, got {_shown(recording)}")
        compare = compare_map if maps else compare_game
        found.extend(compare(find_game(game_of(recording, file_name)), recording))
    except Exception as error:  # noqa: BLE001
        found.append(Difference("exception", None, _describe_error(error)))
    return tuple(found)


def _trace(game: Game) -> Trace[Any]:
    if game.trace is None:
        raise NoRecording(f"expected a game with a reference implementation, got {game.id}")
    return game.trace


def _compare_input(
    game: Game, recording: Recording, state: Any, *, turn: int, seat: Seat, first: bool
) -> Iterator[Difference]:
    """A seat's first prompt holds its `init` lines too."""
    opening = (recording["init"][seat] or []) if first else []
    expected = [*opening, *recording["turns"][turn]["in"][seat]]
    prompt = game.protocol.prompt(state, seat, first)
    got = prompt.removesuffix("\n").split("\n")
    if not prompt.endswith("\n") or expected != got:
        key, expected_part, got_part = _first_mismatch("input", expected, got if prompt.endswith("\n") else prompt)
        yield Difference(key, expected_part, got_part, turn, seat)


def _read_replies(
    game: Game, state: Any, replies: Mapping[Seat, str | None]
) -> tuple[dict[Seat, Any], dict[Seat, BotFault]]:
    """As the referee does it. To the references, a line that is too long is no reply at all."""
    known = {seat: line for seat, line in replies.items() if line is not None and _fits(game, line)}
    moves, faults = read_replies(game, state, known)
    silent = {seat: TimedOut("expected a reply, got none in time") for seat in replies if seat not in known}
    return moves, faults | silent


def _fits(game: Game, line: str) -> bool:
    return len(line.encode("utf-8", "surrogatepass")) <= game.reply_bytes


def _compare(expected: Mapping[str, Json], got: Mapping[str, Json], turn: int | None) -> Iterator[Difference]:
    for key in {**expected, **got}:
        ours, theirs = got.get(key), expected.get(key)
        if ours != theirs and (ours := _as_json(ours)) != (theirs := _as_json(theirs)):
            narrowed, expected_part, got_part = _first_mismatch(key, theirs, ours)
            yield Difference(narrowed, expected_part, got_part, turn)


def _as_json(value: Json) -> Json:
    """What a recording would hold of it: lists for tuples, text for the keys of objects."""
    return json.loads(json.dumps(value))


def _first_mismatch(key: str, expected: Json, got: Json) -> tuple[str, Json, Json]:
    """Goes down into lists and objects to the first place that differs: its path and the two values there."""
    if isinstance(expected, list) and isinstance(got, list):
        for index, (theirs, ours) in enumerate(zip(expected, got, strict=False)):
            if theirs != ours:
                return _first_mismatch(f"{key}[{index}]", theirs, ours)
        shorter = min(len(expected), len(got))
        return f"{key}[{shorter}:]", expected[shorter:], got[shorter:]
    if isinstance(expected, dict) and isinstance(got, dict):
        for inner in {**expected, **got}:
            if expected.get(inner) != got.get(inner):
                return _first_mismatch(f"{key}.{inner}", expected.get(inner), got.get(inner))
    return key, expected, got


def _describe_error(error: Exception) -> str:
    """The exception and the place in the code that raised it."""
    places = extract_tb(error.__traceback__)
    where = f" ({PurePath(places[-1].filename).name}:{places[-1].lineno})" if places else ""
    return f"{type(error).__name__}: {error}{where}"


def _shown(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"
