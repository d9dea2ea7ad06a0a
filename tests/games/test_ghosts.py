"""Playing on from a turn of a played match: what counts, what the new bot sees, and what does not repeat itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import orjson
import pytest

from hexarena.games.catalogue import all_games, find_game
from hexarena.games.contract import BotFault, Crashed, Game, Reply, TimedOut
from hexarena.games.ghosts import Check, Ghost, NotRepeated, Recorded, recorded
from hexarena.games.lines import IO_TURN_CHARACTERS, SeatLog
from hexarena.games.referee import Record, play
from tests.games.test_conformance import SEED, lines_of, quick, starter_match


@dataclass
class Bot:
    """Replies the same line for ever, and writes down its prompts; a fault instead in the given one of its turns."""

    line: str = "nonsense"
    fails_at: int = 0
    fault: BotFault = field(default_factory=lambda: Crashed("expected a reply; the process ended"))
    prompts: list[str] = field(default_factory=list)

    def ask(self, prompt: str, seconds: float) -> Reply:
        assert len(self.prompts) != self.fails_at or not self.fails_at, "asked again after a fault"
        self.prompts.append(prompt)
        if len(self.prompts) == self.fails_at:
            raise self.fault
        return Reply(self.line, cpu_s=0.01, stderr="mine")

    def log(self) -> str:
        return "last words"


def stored(game: Game, record: Record) -> tuple[str, list[str]]:
    """The replay and the seat logs, as the arena stores them."""
    logs = [SeatLog() for _ in range(record.seats)]
    lines: list[str] = [""] * record.seats
    for turn in record.turns:
        for exchange in turn.exchanges:
            lines[exchange.seat] += logs[exchange.seat].line(turn.number, exchange)
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines_of(game, record)), lines


def full_match(game_id: str) -> tuple[Game, Record]:
    game = quick(find_game(game_id))
    return game, starter_match(game.id, game.top_level)


def play_on(game: Game, past: Recorded, bots: Sequence[Bot | None], *, league: int) -> Record:
    ghosts = [Ghost(said, bot) for said, bot in zip(past.said, bots, strict=True)]
    return play(game, ghosts, seed=SEED, league=league, watch=Check(past))


@pytest.mark.parametrize("game_id", sorted(all_games()))
def test_a_whole_record_repeats_the_match_reply_by_reply(game_id: str) -> None:
    game, record = full_match(game_id)
    past = recorded(*stored(game, record), len(record.turns))
    again = play_on(game, past, [None] * record.seats, league=record.league)
    assert (again.digest, again.outcome) == (record.digest, record.outcome)


@pytest.mark.parametrize("game_id", sorted(all_games()))
def test_up_to_the_turn_the_record_counts_and_then_the_bots(game_id: str) -> None:
    game, record = full_match(game_id)
    middle = len(record.turns) // 2
    past = recorded(*stored(game, record), middle)
    again = play_on(game, past, [Bot() for _ in range(record.seats)], league=record.league)
    before = [turn.frame for turn in record.turns[:middle]]
    assert [turn.frame for turn in again.turns[:middle]] == before
    later = [exchange.reply for turn in again.turns[middle:] for exchange in turn.exchanges]
    assert set(later) == {"nonsense"}


@pytest.mark.parametrize("game_id", sorted(all_games()))
def test_a_bot_is_told_all_that_its_seat_was_told(game_id: str) -> None:
    game, record = full_match(game_id)
    middle = len(record.turns) // 2
    bots = [Bot() for _ in range(record.seats)]
    play_on(game, recorded(*stored(game, record), middle), bots, league=record.league)
    for seat, bot in enumerate(bots):
        reported = [one.prompt for turn in record.turns[:middle] for one in turn.exchanges if one.seat == seat]
        assert bot.prompts[: len(reported)] == reported


def test_what_a_bot_logs_and_uses_while_it_catches_up_is_its_own() -> None:
    game, record = full_match("yavalath")
    past = recorded(*stored(game, record), 2)
    again = play_on(game, past, [Bot(), Bot()], league=record.league)
    first = again.turns[0].exchanges[0]
    assert (first.stderr, first.cpu_s) == ("mine", 0.01)
    assert first.reply == record.turns[0].exchanges[0].reply


def test_a_fault_while_it_catches_up_counts_when_the_bot_takes_over() -> None:
    game, record = full_match("yavalath")
    past = recorded(*stored(game, record), 4)
    again = play_on(game, past, [Bot(fails_at=1), Bot()], league=record.league)
    assert [(fault.seat, fault.turn, fault.kind) for fault in again.faults] == [(0, 5, "crash")]


def test_a_recorded_fault_is_repeated_with_its_words() -> None:
    game = quick(find_game("ants"))
    slow = Bot(fails_at=2, fault=TimedOut("expected a reply within 50 ms of CPU time; got 51 ms"), line="WAIT")
    record = play(game, [Bot("WAIT"), slow], seed=SEED, league=game.top_level)
    assert record.faults[0].kind == "timeout"
    past = recorded(*stored(game, record), len(record.turns))
    again = play_on(game, past, [None, None], league=record.league)
    assert again.faults == record.faults


def test_a_reply_may_have_characters_at_which_python_splits_lines() -> None:
    game = quick(find_game("ants"))
    line = "WAIT;MESSAGE one\u2028two\u2029three\x85four\x0bfive"
    record = play(game, [Bot(line), Bot(line)], seed=SEED, league=game.top_level)
    past = recorded(*stored(game, record), len(record.turns))
    assert {said.line for of_seat in past.said for said in of_seat} == {line}
    again = play_on(game, past, [None, None], league=record.league)
    assert again.digest == record.digest


def test_a_reply_that_was_stored_otherwise_is_noticed() -> None:
    game, record = full_match("yavalath")
    replay, logs = stored(game, record)
    first, *rest = logs[0].splitlines()
    changed = orjson.loads(first)
    changed["o"] = "0 1" if changed["o"].split()[:2] == ["0", "0"] else "0 0"
    logs[0] = "\n".join([orjson.dumps(changed).decode(), *rest])
    with pytest.raises(NotRepeated, match="turn 1 did not come out as it was recorded"):
        play_on(game, recorded(replay, logs, 3), [Bot(), Bot()], league=record.league)


def test_a_reply_that_was_stored_cut_is_named() -> None:
    game = quick(find_game("yavalath"))
    long = Bot(f"nonsense {'x' * IO_TURN_CHARACTERS}")
    record = play(game, [Bot("4 4"), long], seed=SEED, league=game.top_level)
    past = recorded(*stored(game, record), len(record.turns))
    assert past.cut == 2
    with pytest.raises(NotRepeated, match=r"turn 2 did .* recorded: a reply in turn 2 was too long to be kept whole"):
        play_on(game, past, [None, None], league=record.league)
    assert recorded(*stored(game, record), 1).cut is None


def test_a_turn_that_was_not_played_is_refused() -> None:
    game, record = full_match("yavalath")
    with pytest.raises(NotRepeated, match=f"up to {len(record.turns)}"):
        recorded(*stored(game, record), len(record.turns) + 1)


def test_turn_zero_is_the_match_from_its_start() -> None:
    game, record = full_match("yavalath")
    past = recorded(*stored(game, record), 0)
    assert past.said == ((), ())
    again = play_on(game, past, [Bot("4 4"), Bot("0 0")], league=record.league)
    assert again.turns[0].exchanges[0].reply == "4 4"
