"""What every game must keep, and what a new one gets tested for free: it only has to be in the catalogue.

The legal replies come from a real match of the starter against itself; other matches are scripted from its record.
"""

from __future__ import annotations

import ast
import hashlib
import json
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from hexarena.backend.submissions.languages import by_ending
from hexarena.cli.check.subject import Subject
from hexarena.cli.check.suite import SUITE
from hexarena.games.catalogue import FOLDER, all_games, bot_file, find_game, game_file, game_folder
from hexarena.games.contract import (
    BotFault,
    Channel,
    Crashed,
    Game,
    Json,
    Note,
    Outcome,
    Reply,
    Rules,
    Seat,
    TimedOut,
    TooMuchOutput,
    tells_nothing,
)
from hexarena.games.house import house_bots
from hexarena.games.lines import Player, end_line, header_line, turn_line
from hexarena.games.referee import Event, Opening, Record, Turn, play
from tests.games.pipes import can_run, command_of, piped

SEED = 20_240_229
JUNK = (
    "",
    " ",
    ";",
    "\x00",
    "\ud800",
    "WAIT",
    "wait;WAIT;;",
    "-1 -1",
    "0 0",
    "4 4",
    "MOVE 0 1",
    "LINE 0 1 99999999999999999999",
    "MESSAGE \U0001f600\r\x85\u2028",
    "\U0001d7db \u0664",
    "9" * 5_000,
    "- " * 4_000,
    ";" * 9_999,
    "é" * 4_999,
    "{}",
    "../../etc/passwd",
    "%s%n${seat}{0}",
)
FAULTS: tuple[Callable[[str], BotFault], ...] = (TimedOut, Crashed, TooMuchOutput)


def quick(game: Game) -> Game:
    """The game at the size that it gives to tests."""
    return game.with_options(**game.quick)


@pytest.fixture(params=all_games())
def game(request: pytest.FixtureRequest) -> Game:
    return quick(find_game(request.param))


# --- Scripted matches ------------------------------------------------------------------------------------------------


@dataclass
class Scripted:
    """Gives its replies in turn, then the last one for ever; from turn `fails_at` of its own on, a fault."""

    replies: Sequence[str]
    fault: BotFault | None = None
    fails_at: int = 1
    asked: int = field(default=0, init=False)

    def ask(self, prompt: str, seconds: float) -> Reply:
        assert prompt.endswith("\n")
        assert seconds > 0
        self.asked += 1
        if self.fault is not None and self.asked >= self.fails_at:
            assert self.asked == self.fails_at, "a seat whose channel failed was asked again"
            raise self.fault
        return Reply(self.replies[min(self.asked, len(self.replies)) - 1])

    def log(self) -> str:
        return ""


LATEST_FAILURE = 3  # the last of a seat's own turns in which a scripted fault strikes


@cache
def starter_match(game_id: str, level: int) -> Record:
    """A real match of the first starter against itself, in which each seat replies `LATEST_FAILURE` times or more.

    A starter may play at random, and so lose before that: it is then asked for another match.
    """
    game = quick(find_game(game_id))
    with TemporaryDirectory() as build:
        command = command_in(game, game.starters[0], Path(build))
        for _ in range(20):
            with piped([command] * game.seats[0]) as channels:
                record = play(game, channels, seed=SEED, league=level)
            if all(len(replies_of(record, seat)) >= LATEST_FAILURE for seat in range(record.seats)):
                return record
    raise AssertionError(f"the starter of {game_id} never lasts {LATEST_FAILURE} turns")


def command_in(game: Game, file: str, build: Path) -> list[str]:
    """What runs a bot that ships with the game."""
    source = bot_file(game, file)
    harness = game.harness.get(by_ending(source.suffix).id)
    return command_of(source, build, game_file(game, harness) if harness else None)


def replies_of(record: Record, seat: Seat) -> list[str]:
    exchanges = (exchange for turn in record.turns for exchange in turn.exchanges if exchange.seat == seat)
    return [exchange.reply for exchange in exchanges if exchange.reply is not None]


def legal_channels(game: Game, level: int) -> list[Scripted]:
    record = starter_match(game.id, level)
    return [Scripted(replies_of(record, seat)) for seat in range(record.seats)]


def full_game(game: Game) -> int:
    return game.top_level


def lines_of(game: Game, record: Record) -> list[str]:
    players = [Player(f"bot {seat}") for seat in range(record.seats)]
    opening = header_line(game, record.header, seed=record.seed, league=record.league, players=players)
    return [opening, *map(turn_line, record.turns), end_line(record.outcome)]


def assert_valid(game: Game, record: Record) -> None:
    """An outcome that the arena can count, and lines that it can write."""
    outcome = record.outcome
    assert len(outcome.ranks) == len(outcome.scores) == record.seats
    for team in range(0, record.seats, game.team_seats):
        assert len(set(outcome.ranks[team : team + game.team_seats])) == 1
    assert min(outcome.ranks) == 0
    assert max(outcome.ranks) < record.seats // game.team_seats
    assert outcome.reason
    assert outcome.reason == outcome.reason.strip()
    assert 1 <= len(record.turns) <= game.max_turns
    for line in lines_of(game, record):
        json.loads(line, parse_constant=pytest.fail)


# --- The manifest ----------------------------------------------------------------------------------------------------


def test_the_manifest_makes_sense(game: Game) -> None:
    assert game.id == game.id.lower()
    assert game.id.isidentifier()
    assert game.title
    assert game.summary
    assert game.clock.first_s >= game.clock.turn_s > 0
    assert game.max_turns > 0
    assert game.reply_bytes > 0
    assert list(game.levels) == sorted(set(game.levels))
    assert all(seats % game.team_seats == 0 for seats in game.seats)
    assert game.quick.keys() <= game.options.keys()
    for file in game.harness.values():
        assert game_file(game, file).is_file()


def test_options_that_make_no_sense_are_refused(game: Game) -> None:
    with pytest.raises(ValueError, match=r"expected (no )?options.* got no_such_option"):
        game.with_options(no_such_option=1)
    for option in game.options:
        with pytest.raises(ValueError, match=f"expected {option}"):
            game.with_options(**{option: -1})


def test_lessons_lead_to_the_full_game(game: Game) -> None:
    known = {bot.name for bot in house_bots(game)}
    assert 3 <= len(game.lessons) <= 9
    assert len({lesson.title for lesson in game.lessons}) == len(game.lessons)
    levels = [lesson.level for lesson in game.lessons]
    assert levels == sorted(levels)
    assert set(levels) == set(game.levels)
    for number, lesson in enumerate(game.lessons, start=1):
        assert lesson.boss in known
        text = game_file(game, "lessons", f"{number}.md").read_text()
        assert 200 < len(text) < 1_800, f"lesson {number}: {len(text)} characters, more than a minute's reading"
        assert "**Try**" in text
        for picture in re.findall(r"\(\.\./pictures/([^)]+)\)", text):
            assert game_file(game, "pictures", picture).is_file()


def test_every_league_but_the_top_has_a_boss(game: Game) -> None:
    names = [bot.name for bot in game.house_bots]
    assert len(set(names)) == len(names)
    assert game.leagues
    *guarded, top = game.leagues
    assert all(league.boss in names for league in guarded)
    assert top.boss is None or top.boss in names


def test_the_files_that_the_manifest_names_are_there(game: Game) -> None:
    files = [*game.starters, *(bot.file for bot in game.house_bots)]
    assert len(set(game.starters)) == len(game.starters) > 0
    for file in files:
        source = bot_file(game, file)
        assert by_ending(source.suffix)
        assert source.read_text(encoding="utf-8").strip()
    assert game_file(game, "statement.md").read_text(encoding="utf-8").startswith(f"# {game.title}")


def test_seats_are_dealt_to_every_entrant(game: Game) -> None:
    for seats in game.seats:
        teams = seats // game.team_seats
        for entrants in {teams, seats}:
            dealt = game.deal(entrants, SEED)
            assert set(dealt) <= set(range(entrants))


# --- Bots that we ship -----------------------------------------------------------------------------------------------


PLAIN_STARTERS = {"ants", "tryangle"}
"""Games whose starters leave nothing to chance."""


def replies(record: Record) -> list[list[str]]:
    """Turn -> the seats' replies, without a last separator."""
    return [[(exchange.reply or "").rstrip(";") for exchange in turn.exchanges] for turn in record.turns]


def shipped(of_game: Callable[[Game], Sequence[str]]) -> list[Any]:
    return [
        pytest.param(quick(game), file, id=f"{game.id}-{file}")
        for game in all_games().values()
        for file in of_game(game)
    ]


@pytest.mark.long
@pytest.mark.parametrize(("game", "file"), shipped(lambda game: game.starters))
def test_a_starter_plays_itself_on_every_level_without_a_fault(game: Game, file: str, tmp_path: Path) -> None:
    source = bot_file(game, file)
    if not can_run(source):
        pytest.skip(f"no compiler or runtime for {source.suffix}")
    command = command_in(game, file, tmp_path)
    for level in game.levels:
        with piped([command] * game.seats[0]) as channels:
            record = play(game, channels, seed=SEED, league=level)
        assert record.faults == ()
        assert_valid(game, record)
        if game.id in PLAIN_STARTERS:
            assert replies(record) == replies(starter_match(game.id, level)), "in every language the same bot"


@pytest.mark.long
@pytest.mark.parametrize(("game", "file"), shipped(lambda game: [bot.file for bot in game.house_bots]))
def test_a_house_bot_plays_the_starter_without_a_fault(game: Game, file: str, tmp_path: Path) -> None:
    source = bot_file(game, file)
    if not can_run(source):
        pytest.skip(f"no compiler or runtime for {source.suffix}")
    starter = command_in(game, game.starters[0], tmp_path)
    seats = [command_in(game, file, tmp_path), *[starter] * (game.seats[0] - 1)]
    with piped(seats) as channels:
        record = play(game, channels, seed=SEED, league=full_game(game))
    assert [fault for fault in record.faults if fault.seat == 0] == []
    assert_valid(game, record)


# --- The same input gives the same match -----------------------------------------------------------------------------


def test_the_replies_of_a_record_give_the_same_record(game: Game) -> None:
    for level in game.levels:
        first = starter_match(game.id, level)
        again = play(game, legal_channels(game, level), seed=SEED, league=level)
        assert lines_of(game, again) == lines_of(game, first)
        assert [turn.exchanges for turn in again.turns] == [
            tuple(exchange._replace(stderr="", cpu_s=0.0, wall_s=0.0) for exchange in turn.exchanges)
            for turn in first.turns
        ]


REPLAY_ELSEWHERE = """
import hashlib, json, sys
from hexarena.games.catalogue import find_game
from hexarena.games.referee import play
from tests.games.test_conformance import Scripted, lines_of, quick
order = json.load(sys.stdin)
game = quick(find_game(order["game"]))
record = play(game, [Scripted(replies) for replies in order["replies"]], seed=order["seed"], league=order["league"])
print(hashlib.sha256("".join(lines_of(game, record)).encode("utf-8")).hexdigest())
"""


@pytest.mark.long
@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_another_process_with_other_hashes_gives_the_same_record(game: Game, hash_seed: str) -> None:
    record = starter_match(game.id, full_game(game))
    replies = [replies_of(record, seat) for seat in range(record.seats)]
    order = {"game": game.id, "seed": SEED, "league": record.league, "replies": replies}
    done = subprocess.run(
        [sys.executable, "-c", REPLAY_ELSEWHERE],
        input=json.dumps(order),
        capture_output=True,
        text=True,
        check=True,
        cwd=FOLDER.parent,
        env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(FOLDER.parent)},
    )
    assert done.stdout.strip() == hashlib.sha256("".join(lines_of(game, record)).encode("utf-8")).hexdigest()


def test_a_viewer_that_spoils_the_frames_it_is_given_spoils_nothing_else(game: Game) -> None:
    lines: list[str] = []

    def spoil_after_reading(event: Event) -> None:
        if isinstance(event, Turn):
            lines.append(turn_line(event))
            spoil(event.frame)
        elif isinstance(event, Opening):
            spoil(event.header)

    play(game, legal_channels(game, full_game(game)), seed=SEED, league=full_game(game), watch=spoil_after_reading)
    assert lines == [turn_line(turn) for turn in starter_match(game.id, full_game(game)).turns]


def spoil(value: Json) -> None:
    """Empties every list and every object in a JSON value."""
    if isinstance(value, dict):
        for inner in value.values():
            spoil(inner)
        value.clear()
    elif isinstance(value, list | tuple):
        for inner in value:
            spoil(inner)
        if isinstance(value, list):
            value.clear()


class Watched:
    """The game's own rules, with a look at each state before and after it was used."""

    def __init__(self, rules: Rules[Any, Any]) -> None:
        self._rules = rules

    def setup(self, seats: int, seed: int, league: int) -> Any:
        return self._rules.setup(seats, seed, league)

    def to_act(self, state: Any) -> Sequence[Seat]:
        return self._rules.to_act(state)

    def step(self, state: Any, moves: Mapping[Seat, Any], faults: Mapping[Seat, BotFault]) -> Any:
        before = pickle.dumps(state)
        after = self._rules.step(state, moves, faults)
        assert pickle.dumps(state) == before, "a step changed the state that it was given"
        assert after is not state
        return after

    def notes(self, state: Any) -> Sequence[Note]:
        before = pickle.dumps(state)
        notes = self._rules.notes(state)
        assert pickle.dumps(state) == before
        return notes

    def outcome(self, state: Any) -> Outcome | None:
        outcome = self._rules.outcome(state)
        assert (outcome is None) == bool(self._rules.to_act(state)), "there is an outcome as soon as nobody acts"
        return outcome


@pytest.mark.long
def test_states_are_not_changed_by_what_is_done_with_them(game: Game) -> None:
    watched = replace(game, rules=Watched(game.rules))
    for level in game.levels:
        play(watched, legal_channels(game, level), seed=SEED, league=level)
        junk: list[Channel] = [Scripted(["WAIT", "0 0", text]) for text in JUNK[: game.seats[0]]]
        play(watched, junk, seed=SEED, league=level)


# --- Bots that do wrong ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", JUNK, ids=lambda text: ascii(text[:12]))
def test_junk_ends_the_match_and_raises_nothing(game: Game, text: str) -> None:
    for at_once in (True, False):
        channels = legal_channels(game, full_game(game))
        channels[0].replies = [text] if at_once else [*channels[0].replies[:2], text]
        record = play(game, channels, seed=SEED, league=full_game(game))
        assert_valid(game, record)


@pytest.mark.long
def test_junk_of_all_kinds_from_all_seats(game: Game) -> None:
    for start in range(len(JUNK)):
        texts = [*JUNK[start:], *JUNK[:start]]
        channels = [Scripted(texts[seat:]) for seat in range(game.seats[0])]
        assert_valid(game, play(game, channels, seed=start, league=full_game(game)))


def subsets(game: Game) -> Iterator[tuple[Seat, ...]]:
    """Every set of seats; with teams, every set within the first team, alone and together with all other seats."""
    others = tuple(range(game.team_seats, game.seats[0])) if game.team_seats > 1 else ()
    seats = range(game.seats[0] - len(others))
    for size in range(1, len(seats) + 1):
        yield from combinations(seats, size)
    if others:
        yield from (failing + others for size in range(len(seats) + 1) for failing in combinations(seats, size))


@pytest.mark.parametrize("fails_at", [1, LATEST_FAILURE])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_seat_that_fails_is_not_asked_again_and_the_match_ends(
    game: Game, fault: Callable[[str], BotFault], fails_at: int
) -> None:
    for failing in subsets(game):
        channels = legal_channels(game, full_game(game))
        for seat in failing:
            channels[seat].fault = fault("expected a reply, got none")
            channels[seat].fails_at = fails_at
        record = play(game, channels, seed=SEED, league=full_game(game))
        assert_valid(game, record)
        failed = {written.seat for written in record.faults if written.kind == fault.kind}  # type: ignore[attr-defined]
        assert failed
        assert failed <= set(failing)


def test_a_lone_failure_never_wins(game: Game) -> None:
    """A seat's; of a team, that of all its seats."""
    for first in range(0, game.seats[0], game.team_seats):
        channels = legal_channels(game, full_game(game))
        for seat in range(first, first + game.team_seats):
            channels[seat].fault = TimedOut("expected a reply, got none")
        outcome = play(game, channels, seed=SEED, league=full_game(game)).outcome
        assert outcome.ranks[first] == max(outcome.ranks)


# --- With every number of seats, and in the statement -------------------------------------------------------------


EXAMPLE_OF_ITS_OWN = {"ants", "battlegrounds", "tryangle", "yavalath"}
"""Games whose statement shows a position that no seed has: tests of their own play it."""
ELSEWHERE = {"bots", "boss"}
"""Checks that the tests above make, for each bot, and one that plays for a long time where bosses are many."""


def applies(check: str, game: Game) -> bool:
    """Whether the game has what the check is about; else `hexarena check` skips it."""
    has = {
        "hidden": game.hidden is not None,
        "tell": game.tell is not tells_nothing,
        "machine": game.machine is not None,
    }
    return has.get(check, True)


def checks() -> Iterator[Any]:
    for name, game in all_games().items():
        for check in SUITE.keys() - ELSEWHERE - ({"example"} if name in EXAMPLE_OF_ITS_OWN else set()):
            if applies(check, game):
                yield pytest.param(name, check, id=f"{name}-{check}")


MANY_COUNTS = 5
PLAYS_NO_MATCH = {"deals", "manifest"}


@cache
def subject(game_id: str) -> Subject:
    """The checks of a game share its matches. No check here compiles a bot."""
    return Subject(quick(find_game(game_id)), game_folder(game_id), Path())


def with_few_counts(whole: Subject) -> Subject:
    """Of many numbers of seats, the fewest and the most stand for all: each takes a match of real bots."""
    seats = whole.game.seats
    few = seats if len(seats) < MANY_COUNTS else (*seats[:2], seats[-1])
    return replace(whole, game=replace(whole.game, seats=few))


@pytest.mark.long
@pytest.mark.parametrize(("game_id", "check"), sorted(checks(), key=lambda one: one.id))
def test_what_hexarena_check_wants_holds_for_our_own_games(game_id: str, check: str) -> None:
    whole = subject(game_id)
    SUITE[check](whole if check in PLAYS_NO_MATCH else with_few_counts(whole))


# --- Purity ----------------------------------------------------------------------------------------------------------

PURE_MODULES = {
    "__future__", "base64", "bisect", "collections", "dataclasses", "enum", "functools", "hashlib", "heapq",
    "hexarena.games", "itertools", "json", "math", "operator", "orjson", "random", "re", "string", "struct",
    "traceback", "types", "typing", "unicodedata",
}  # fmt: skip
FINDING_GAMES = {
    "catalogue.py": {"importlib", "os", "pathlib"},
    "discovery.py": {"importlib", "os", "pathlib", "sys"},
    "manifest.py": {"pathlib"},
    "verify.py": {"pathlib"},
}
"""What finds games and reads recordings, and no part of a game."""


def imported_modules(source: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    return {".".join(name.split(".")[: 2 if name.startswith("hexarena.") else 1]) for name in names}


HARNESSES = {game_file(game, file) for game in all_games().values() for file in game.harness.values()}
"""They run in the bots' processes, never in ours."""


@pytest.mark.parametrize(
    "source",
    sorted({path for path in FOLDER.rglob("*.py") if "bots" not in path.relative_to(FOLDER).parts} - HARNESSES),
    ids=lambda path: str(path.relative_to(FOLDER)),
)
def test_games_import_nothing_that_has_a_clock_files_or_sockets(source: Path) -> None:
    found = FINDING_GAMES.get(source.name, set()) if source.parent == FOLDER else set()
    assert imported_modules(source) <= PURE_MODULES | found
