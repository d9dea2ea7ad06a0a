"""The checks of a game. Each is a function of the `Subject` that returns, or raises CheckFailed or CheckSkipped."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

from hexarena.cli.check.machine import machine
from hexarena.cli.check.secrets import hidden
from hexarena.cli.check.strength import boss
from hexarena.cli.check.subject import SEED, CheckFailed, CheckSkipped, Scripted, Subject, expect
from hexarena.games.catalogue import bot_file
from hexarena.games.contract import (
    BadReply,
    BotFault,
    Crashed,
    GameError,
    Note,
    Outcome,
    Rules,
    Seat,
    TimedOut,
    TooMuchOutput,
    tells_nothing,
)
from hexarena.games.house import house_bots
from hexarena.games.manifest import problems

JUNK = (
    *("", " ", ";", "\x00", "\ud800", "WAIT", "-1 -1", "0 0", "4 4", "MOVE 0 1", "{}", "../../etc/passwd"),
    *("\U0001d7db \u0664", "\u0664", "1_0", "+1", "9" * 5_000, "- " * 4_000, ";" * 9_999, "é" * 4_999),
    *("%s%n${seat}{0}", "MESSAGE \U0001f600\r\x85\u2028"),
)
FAULTS: tuple[Callable[[str], BotFault], ...] = (TimedOut, Crashed, TooMuchOutput)
LATER = 3
"""A turn of its own in which a seat fails that failed not at once."""
MOST_SUBSETS = 16
MOST_COUNTS = 4
PURE_MODULES = frozenset(
    (
        *("__future__", "abc", "array", "base64", "binascii", "bisect", "cmath", "collections", "contextlib", "copy"),
        *("dataclasses", "decimal", "enum", "fractions", "functools", "hashlib", "heapq", "itertools", "json", "math"),
        *("numbers", "numpy", "operator", "orjson", "random", "re", "statistics", "string", "struct", "textwrap"),
        *("traceback", "types", "typing", "unicodedata", "zlib"),
    )
)
SECTIONS = {
    "what bots read": r"^## .*(input|protocol)",
    "what bots write": r"^## .*(output|protocol)",
    "the end of a match": r"^## .*(end|score|rules)",
    "the limits": r"^## .*limit",
}
EXAMPLE = re.compile(r"^```input +seats=(\d+) +seed=(\d+) +seat=(\d+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
ANSWER = re.compile(r"^```output\n(.*?)\n```", re.MULTILINE | re.DOTALL)


def manifest(subject: Subject) -> None:
    """The manifest makes sense, and the files that it names are there."""
    found = problems(subject.game, subject.game.id, subject.folder)
    expect(not found, "; ".join(found))


def every_count_of_seats(subject: Subject) -> None:
    """The starter plays itself to the end, without a fault, with every number of seats and on every level."""
    for seats in subject.game.seats:
        for level in subject.game.levels:
            record = subject.record(seats, level)
            faults = [f"seat {fault.seat}, turn {fault.turn}: {fault.message}" for fault in record.faults]
            expect(not faults, f"with {seats} seats, the starter has faults: {'; '.join(faults[:3])}")
            try:
                for line in subject.lines(record):
                    json.loads(line, parse_constant=_refuse_constant)
            except (GameError, ValueError) as error:
                raise CheckFailed(f"with {seats} seats, the replay cannot be written: {error}") from error


def _refuse_constant(name: str) -> None:
    raise ValueError(f"a number is {name}")


def deals(subject: Subject) -> None:
    """Entrants of a ladder match, and of any other, are dealt to a number of seats that the game has."""
    game = subject.game
    for entrants in {*game.ladder_entrants, *(seats // game.team_seats for seats in game.seats)}:
        side = len(game.side_by_side(range(entrants)))
        expect(side in game.seats, f"{entrants} entrants need {side} seats; the game has {game.seats}")
    for entrants in {*game.ladder_entrants, *game.seats}:
        for seed in range(8):
            dealt = game.deal(entrants, seed)
            what = f"deal({entrants}, {seed}) gives {tuple(dealt)}"
            expect(len(dealt) in game.seats, f"{what}: expected one of {game.seats} seats")
            expect(set(dealt) == set(range(entrants)), f"{what}: expected a seat for each entrant")


def house_bots_play(subject: Subject) -> None:
    """Every starter and house bot plays with the first starter without a fault, with every number of seats."""
    game, skipped = subject.game, []
    files = dict.fromkeys([*game.starters, *(bot.file for bot in house_bots(game))])
    for file in files:
        for seats in game.seats:
            try:
                record = subject.played([file, *[game.starters[0]] * (seats - 1)], game.top_level)
            except CheckSkipped as why:
                skipped.append(str(why))
                break
            faults = [fault.message for fault in record.faults if fault.seat == 0]
            expect(not faults, f"with {seats} seats, {file} has a fault: {'; '.join(faults[:2])}")
    if skipped:
        raise CheckSkipped("; ".join(skipped))


def same_input_same_match(subject: Subject) -> None:
    """The replies of a match give the same match again, also in another process with other hashes."""
    for seats in subject.game.seats:
        record = subject.record(seats)
        again = subject.play(subject.scripted(seats))
        expect(subject.lines(again) == subject.lines(record), f"with {seats} seats, a second match is another one")
    seats = subject.game.seats[-1]
    record = subject.record(seats)
    digest = hashlib.sha256("".join(subject.lines(record)).encode()).hexdigest()
    order = {
        "game": subject.game.id,
        "options": dict(subject.game.quick),
        "seed": SEED,
        "level": record.league,
        "replies": [subject.replies(record, seat) or [""] for seat in range(seats)],
    }
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-m", "hexarena.cli.check.elsewhere"],
            input=json.dumps(order),
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
        )
        expect(
            done.stdout.strip() == digest,
            f"another process plays another match{': ' * bool(done.stderr)}" + done.stderr.strip()[-300:],
        )


class _Watched:
    """The rules, with a look at each state before and after it was used."""

    def __init__(self, rules: Rules[Any, Any]) -> None:
        self._rules = rules

    def setup(self, seats: int, seed: int, league: int) -> Any:
        return self._rules.setup(seats, seed, league)

    def to_act(self, state: Any) -> Sequence[Seat]:
        return self._rules.to_act(state)

    def step(self, state: Any, moves: Mapping[Seat, Any], faults: Mapping[Seat, BotFault]) -> Any:
        before = pickle.dumps(state)
        after = self._rules.step(state, moves, faults)
        expect(pickle.dumps(state) == before and after is not state, "step changed the state that it was given")
        return after

    def notes(self, state: Any) -> Sequence[Note]:
        before = pickle.dumps(state)
        notes = self._rules.notes(state)
        expect(pickle.dumps(state) == before, "notes changed the state")
        return notes

    def outcome(self, state: Any) -> Outcome | None:
        outcome = self._rules.outcome(state)
        expect((outcome is None) == bool(self._rules.to_act(state)), "expected an outcome as soon as nobody acts")
        return outcome


def states_stay(subject: Subject) -> None:
    """No function changes a state, and there is an outcome exactly when nobody acts."""
    watched = replace(subject, game=replace(subject.game, rules=_Watched(subject.game.rules)))
    for seats in subject.game.seats:
        record = subject.record(seats)
        watched.play(subject.scripted(seats))
        state = subject.game.rules.setup(seats, SEED, record.league)
        expect(
            subject.game.rules.outcome(state) is None, f"with {seats} seats, there is an outcome before the first turn"
        )


def tell(subject: Subject) -> None:
    """What `tell` gives are whole lines, also when seats are out; the referee refuses all else."""
    if subject.game.tell is tells_nothing:
        raise CheckSkipped("the game has no `tell`")
    for seats in subject.game.seats:
        subject.play([Scripted([""]) for _ in range(seats)])
        subject.play(subject.scripted(seats))


def _some_counts(subject: Subject) -> tuple[int, ...]:
    """All numbers of seats; of many, the fewest and the most, for checks that play hundreds of matches with each."""
    counts = subject.game.seats
    return counts if len(counts) <= MOST_COUNTS else (counts[0], counts[-1])


def junk(subject: Subject) -> None:
    """Whatever a bot writes, the match ends properly, and `parse` raises BadReply or IllegalMove."""
    for seats in _some_counts(subject):
        for text in JUNK:
            for turn in (0, 2):
                channels = subject.scripted(seats)
                channels[-1].replies = [*channels[-1].replies[:turn], text]
                subject.play(channels)
        for start in range(0, len(JUNK), 5):
            texts = [*JUNK[start:], *JUNK[:start]]
            subject.play([Scripted(texts[seat % len(JUNK) :]) for seat in range(seats)], seed=start)


def failing_seats(subject: Subject) -> None:
    """A seat whose channel fails is not asked again, and the match ends: each seat, several, all, at once and later;
    and one after the other.
    """
    for seats in _some_counts(subject):
        channels = subject.scripted(seats)
        for seat, channel in enumerate(channels):
            channel.fault, channel.fails_at = TimedOut("expected a reply, got none"), 1 + seat
        subject.play(channels)
        for failing in _subsets(seats):
            for number, fails_at in enumerate((1, LATER)):
                channels = subject.scripted(seats)
                for seat in failing:
                    channels[seat].fault = FAULTS[(number + len(failing)) % len(FAULTS)]("expected a reply, got none")
                    channels[seat].fails_at = fails_at
                subject.play(channels)


def _subsets(seats: int) -> Iterator[tuple[Seat, ...]]:
    """Sets of seats: all of them where they are few, else each seat, each but one, and all."""
    sizes = range(1, seats + 1) if 2**seats <= MOST_SUBSETS else (1, seats - 1, seats)
    for size in sizes:
        yield from combinations(range(seats), size)


def failure_never_wins(subject: Subject) -> None:
    """A seat that fails at once is last, and so is its team."""
    size = subject.game.team_seats
    for seats in subject.game.seats:
        for first in range(0, seats, size):
            channels = subject.scripted(seats)
            for seat in range(first, first + size):
                channels[seat].fault = TimedOut("expected a reply, got none")
            ranks = subject.play(channels).outcome.ranks
            expect(
                ranks[first] == max(ranks) and ranks[first] > 0,
                f"with {seats} seats, seat {first} fails at once: expected the last place; got the ranks {ranks}",
            )


def statement(subject: Subject) -> None:
    """The statement has a title and the sections that bot authors need."""
    text = (subject.folder / "statement.md").read_text(encoding="utf-8")
    title = f"# {subject.game.title}"
    expect(text.startswith(title), f"expected the statement to begin with {title!r}; got {text[:40]!r}")
    for what, pattern in SECTIONS.items():
        found = re.search(pattern, text, re.MULTILINE | re.IGNORECASE)
        expect(found is not None, f"expected a section about {what}, a heading like {pattern!r}; got none")


def example(subject: Subject) -> None:
    """The statement's example is what `prompt` writes, and `parse` reads its output.

    Its input begins with ```input seats=N seed=N seat=N, its output with ```output.
    """
    text = (subject.folder / "statement.md").read_text(encoding="utf-8")
    found = EXAMPLE.search(text)
    if found is None:
        raise CheckFailed("expected an example: a block that begins with ```input seats=2 seed=1 seat=0; got none")
    seats, seed, seat = int(found[1]), int(found[2]), int(found[3])
    expect(seats in subject.game.seats, f"the example has {seats} seats; the game has {subject.game.seats}")
    state = subject.game.rules.setup(seats, seed, subject.game.top_level)
    asked = subject.game.rules.to_act(state)
    what = f"with seats={seats} seed={seed}, seat {asked[0]} is asked in the first turn"
    expect(seat in asked, f"{what}, and not the example's seat {seat}: write seat={asked[0]}")
    prompt = subject.game.protocol.prompt(state, seat, True)
    expect(found[4] == prompt, f"expected as the example's input, which seat {seat} reads:\n{prompt}got:\n{found[4]}")
    answer = ANSWER.search(text, found.end())
    if answer is None:
        raise CheckFailed("expected the example's output after its input, a block that begins with ```output; got none")
    try:
        subject.game.protocol.parse(state, seat, answer[1])
    except BadReply as bad:
        raise CheckFailed(f"the example's output {answer[1]!r} is not legal: {bad.message}") from None


def pure(subject: Subject) -> None:
    """The game imports nothing that has a clock, files, sockets, or another game."""
    bots = {
        bot_file(subject.game, file) for file in (*subject.game.starters, *(b.file for b in subject.game.house_bots))
    }
    bots |= {subject.folder / file for file in subject.game.harness.values()}
    own = f"hexarena.games.{subject.game.id}"
    common = {path.stem for path in Path(sys.modules["hexarena.games.contract"].__file__ or "").parent.glob("*.py")}
    for source in sorted(subject.folder.rglob("*.py")):
        if source in bots or "bots" in source.relative_to(subject.folder).parts:
            continue
        for module in sorted(_imported(source)):
            parts = module.split(".")
            of_ours = module.startswith(own) or (parts[:2] == ["hexarena", "games"] and set(parts[2:3]) <= common)
            packaged = subject.game.rules.__module__ if hasattr(subject.game.rules, "__module__") else ""
            fits = parts[0] in PURE_MODULES or of_ours or parts[0] == packaged.partition(".")[0] != "hexarena"
            expect(
                fits,
                f"{source.name} imports {module}: rules are pure, and import only {', '.join(sorted(PURE_MODULES))}",
            )


def _imported(source: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            module = node.module or ""
            whole = module in {"hexarena", "hexarena.games"}
            names |= {f"{module}.{alias.name}" for alias in node.names} if whole else {module}
    return names


SUITE: Mapping[str, Callable[[Subject], str | None]] = {
    "manifest": manifest,
    "seats": every_count_of_seats,
    "deals": deals,
    "bots": house_bots_play,
    "boss": boss,
    "repeats": same_input_same_match,
    "states": states_stay,
    "hidden": hidden,
    "tell": tell,
    "junk": junk,
    "failures": failing_seats,
    "losers": failure_never_wins,
    "statement": statement,
    "example": example,
    "pure": pure,
    "machine": machine,
}
"""Name -> check, in order. What a check returns is printed beside it: figures, and what it did not look at."""
