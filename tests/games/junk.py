"""Lines that no bot should write, and matches that are made of them. For the tests here and for `bench/fuzz`.

A walk starts from a state of a real match and takes turn after turn with lines that were mutated, put together from
the game's own words, or made of raw bytes as the channel decodes them. `parse` must return a move or raise BadReply;
nothing else may ever raise.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from hexarena.cli.bench.recordings import Script, scripts_of, step_turn
from hexarena.games.contract import BadReply, BotFault, Crashed, Game, Seat, TimedOut, TooMuchOutput
from tests.games.test_conformance import SEED, starter_match

GOLDEN = Path(__file__).parent / "golden"
RECORDINGS = 12
"""Of each golden file; their lines are as odd as ours, but came from somebody else's head."""
STATES_OF_A_MATCH = 8
LONGEST_WALK = 40
FAULT_CHANCE = 0.01
ODD_NUMBERS = (
    "0", "-0", "+1", "-1", "007", "1.0", "1e3", "0x10", "1_000", "2147483647", "2147483648", "-2147483648",
    "-2147483649", "4294967296", "9" * 19, "9" * 400, "NaN", "Infinity", "٤", "१२", "𝟗", "²", "Ⅷ", "１", "−1", "",
)  # fmt: skip
ODD_CHARACTERS = (
    " ", "  ", "\t", "\x00", "\x0b", "\x0c", "\x1c", "\x7f", "\x85", "\xa0", "\u2028", "\u2029", "\u3000", "\ufeff",
    "\ufffd", "\ud800", "\udfff", "\U0001f600", "é", "e\u0301", "ß", "ı", "İ", "ſ", "\u212a", ";", ";;", ",", "|", "-",
    "+", "%s", "{0}", "${seat}", "$0", "\\n", '"', "'", "<b>", "NaN", "say ", "fault ",
)  # fmt: skip


def walk(game: Game, level: int, lines: Iterator[str], random: Random) -> int:
    """One match on junk, with a few faults of channels. How many lines were read."""
    return follow(game, random.choice(states_of(game, level)), lines, faults=random)


def follow(game: Game, state: Any, lines: Iterator[str], faults: Random | None = None) -> int:
    """A match from a state on, until it ends, the lines do or it has gone on for long enough. How many were read."""
    read = 0
    for _ in range(LONGEST_WALK):
        seats = game.rules.to_act(state)
        if not seats:
            break
        for seat in seats:
            assert game.protocol.prompt(state, seat, False).endswith("\n")
        replies = dict(zip(seats, islice(lines, len(seats)), strict=False))
        if len(replies) < len(seats):
            break
        state = _after(game, state, replies, faults)
        read += len(replies)
    return read


def line_maker(game: Game) -> Callable[[Random], str]:
    """Makes lines. What the channel would never let through, such as an overlong line, it does not make."""
    corpus = corpus_of(game)
    words = sorted({word for line in corpus for word in line.replace(";", " ").split(" ") if len(word) < 20})
    makers = (_as_written, _as_written, _as_written, _mutated, _mutated, _mutated, _put_together, _raw, _repeated)

    def make(random: Random) -> str:
        line = makers[random.randrange(len(makers))](corpus, words, random)
        fits = line.encode("utf-8", "surrogatepass")[: game.reply_bytes].decode("utf-8", "replace")
        line = line if len(fits) >= len(line) else fits
        return line.replace("\n", " ").replace("\r", " ") if random.random() < 0.99 else f"{line}\r"

    return make


# --- What lines are made of ------------------------------------------------------------------------------------------


@cache
def corpus_of(game: Game) -> tuple[str, ...]:
    """Lines that bots really wrote: the starter's, and those of the recordings."""
    lines = {reply for level in game.levels for turn in starter_turns(game, level) for reply in turn.values() if reply}
    lines |= {reply for script in recorded(game) for turn in script.turns for reply in turn.values() if reply}
    return tuple(sorted(lines))


@cache
def states_of(game: Game, level: int) -> tuple[Any, ...]:
    """States of real matches in which somebody acts, from the first turn on."""
    level_scripts = [script for script in recorded(game) if script.level == level]
    starts = [(game.rules.setup(game.seats[0], SEED, level), starter_turns(game, level))]
    starts += [(script.start(), script.turns) for script in level_scripts]
    states: list[Any] = []
    for state, turns in starts:
        on_the_way = list(_on_the_way(game, state, turns))
        states += on_the_way[:: max(1, len(on_the_way) // STATES_OF_A_MATCH)]
    return tuple(states)


@cache
def recorded(game: Game) -> tuple[Script, ...]:
    """The first recordings of each of the game's golden files; they say which states and lines a match can have."""
    scripts: list[Script] = []
    for file in sorted(GOLDEN.glob(f"{game.id}*.jsonl.gz")) if game.trace is not None else ():
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            scripts += scripts_of(file, map(json.loads, islice(lines, RECORDINGS)))
    return tuple(scripts)


@cache
def starter_turns(game: Game, level: int) -> tuple[Mapping[Seat, str | None], ...]:
    """Turn -> seat -> line, of a match of the first starter against itself."""
    turns = starter_match(game.id, level).turns
    return tuple({exchange.seat: exchange.reply for exchange in turn.exchanges} for turn in turns)


def _on_the_way(game: Game, state: Any, turns: Iterable[Mapping[Seat, str | None]]) -> Iterator[Any]:
    for replies in turns:
        if not game.rules.to_act(state):
            return
        yield state
        state = step_turn(game, state, replies)


def _as_written(corpus: Sequence[str], words: Sequence[str], random: Random) -> str:
    """A line that a bot wrote, mostly in another match: it lets a match go on."""
    return random.choice(corpus)


def _mutated(corpus: Sequence[str], words: Sequence[str], random: Random) -> str:
    """A line that a bot wrote, with a few things changed."""
    line = random.choice(corpus)
    for _ in range(random.randint(1, 3)):
        at, until = sorted((random.randint(0, len(line)), random.randint(0, len(line))))
        match random.randrange(8):
            case 0:
                line = line[:at] + random.choice(ODD_CHARACTERS) + line[at:]
            case 1:
                line = line[:at] + line[min(until, at + 5) :]
            case 2:
                line = _with_word(line, random.choice(ODD_NUMBERS), random)
            case 3:
                line = _with_word(line, random.choice(words), random)
            case 4:
                line = f"{line};{random.choice(corpus)}"
            case 5:
                line = (
                    line.swapcase() if random.random() < 0.3 else line[:at] + line[at:until].swapcase() + line[until:]
                )
            case 6:
                line = _with_word(
                    line, str(random.choice((-1, 1)) * random.getrandbits(random.choice((3, 7, 31, 70)))), random
                )
            case _:
                line = line[:at] + random.choice(ODD_CHARACTERS) + line[until:]
    return line


def _with_word(line: str, word: str, random: Random) -> str:
    """One of the line's words replaced."""
    found = line.split(" ")
    found[random.randrange(len(found))] = word
    return " ".join(found)


def _put_together(corpus: Sequence[str], words: Sequence[str], random: Random) -> str:
    """The game's words and numbers, in any order."""
    sources = (words, words, ODD_NUMBERS, ODD_CHARACTERS, tuple(map(str, range(70))))
    between = random.choice((" ", " ", " ", ";", "; ", "\t"))
    return between.join(random.choice(random.choice(sources)) for _ in range(random.randint(0, 12)))


def _raw(corpus: Sequence[str], words: Sequence[str], random: Random) -> str:
    """Any bytes."""
    return random.randbytes(random.choice((0, 1, 3, 10, 40))).decode("utf-8", "replace")


def _repeated(corpus: Sequence[str], words: Sequence[str], random: Random) -> str:
    """The same over and over; seldom as long as a line may be."""
    part = random.choice((random.choice(corpus)[:40], random.choice(words), random.choice(ODD_CHARACTERS)))
    times = random.choice((2, 9, 9, 9, 60, 60, 3000)) if random.random() < 0.2 else 3
    return (part + random.choice(("", " ", ";"))) * times


# --- A turn ----------------------------------------------------------------------------------------------------------


def _after(game: Game, state: Any, replies: dict[Seat, str], faults_of_channels: Random | None) -> Any:
    """The next state, as the referee makes it; all that is said of it can be written down."""
    moves: dict[Seat, Any] = {}
    faults: dict[Seat, BotFault] = {}
    for seat, line in replies.items():
        if faults_of_channels is not None and faults_of_channels.random() < FAULT_CHANCE:
            faults[seat] = faults_of_channels.choice((TimedOut, Crashed, TooMuchOutput))("expected a reply, got none")
            continue
        try:
            moves[seat] = game.protocol.parse(state, seat, line)
        except BadReply as fault:
            faults[seat] = fault
            if fault.partial is not None:
                moves[seat] = fault.partial
            fault.message.encode()
        except Exception as error:
            error.add_note(f"{game.id}: a line of seat {seat} was {line!a}, the state {state!a}")
            raise
    after = game.rules.step(state, moves, faults)
    frame = {
        **game.replay.frame(after),
        "notes": [(note.seat, note.kind, note.message) for note in game.rules.notes(after)],
    }
    json.dumps(frame, ensure_ascii=False, allow_nan=False).encode()
    assert (game.rules.outcome(after) is None) == bool(game.rules.to_act(after))
    return after
