"""The record of a match as a file: it is read as it was written, and plays the match again, byte for byte."""

from __future__ import annotations

import pytest

from hexarena.games.catalogue import all_games, find_game
from hexarena.games.contract import Crashed
from hexarena.games.ghosts import Check, Ghost, NotRepeated
from hexarena.games.lines import Player, end_line, header_line, turn_line
from hexarena.games.records import BadRecord, Saved, play_again, read, to_text
from hexarena.games.referee import Record, play
from tests.games.test_conformance import SEED, quick, starter_match
from tests.games.test_ghosts import Bot


def saved_of(record: Record) -> Saved:
    names = [f"bot {seat}" for seat in range(record.seats)]
    players = [Player(name, language="python") for name in names]
    game = quick(find_game(record.game))
    return read(to_text(record, options=game.options, bots=names, players=players).encode())


def replay_of(record: Record, players: tuple[Player, ...]) -> str:
    game = quick(find_game(record.game))
    opening = header_line(game, record.header, seed=record.seed, league=record.league, players=players)
    return "".join([opening, *map(turn_line, record.turns), end_line(record.outcome)])


@pytest.mark.parametrize("game_id", sorted(all_games()))
def test_it_plays_the_match_again_byte_for_byte(game_id: str) -> None:
    game = quick(find_game(game_id))
    record = starter_match(game_id, game.top_level)
    saved = saved_of(record)
    again, replay = play_again(game, saved)
    assert (again.digest, saved.digest) == (record.digest, record.digest)
    assert replay == replay_of(record, saved.players)
    assert saved.turns == len(record.turns)


def test_faults_cpu_times_and_stderr_are_in_it() -> None:
    game = quick(find_game("ants"))
    crash = Crashed("expected a reply; the process ended")
    crash.cpu_s = 0.012
    record = play(game, [Bot("WAIT"), Bot("WAIT", fails_at=2, fault=crash)], seed=SEED, league=game.top_level)
    saved = saved_of(record)
    again, replay = play_again(game, saved)
    assert again.faults == record.faults
    assert replay == replay_of(record, saved.players)
    assert [[one.stderr for one in turn.exchanges] for turn in again.turns] == [
        [one.stderr for one in turn.exchanges] for turn in record.turns
    ]


def test_it_can_be_played_on_from_any_turn() -> None:
    game = quick(find_game("yavalath"))
    record = starter_match("yavalath", game.top_level)
    for turn in range(len(record.turns)):
        past = saved_of(record).until(turn)
        ghosts = [Ghost(said, Bot()) for said in past.said]
        again = play(game, ghosts, seed=SEED, league=record.league, watch=Check(past))
        assert [one.frame for one in again.turns[:turn]] == [one.frame for one in record.turns[:turn]]


def test_a_record_that_ends_too_early_is_no_match() -> None:
    game = quick(find_game("yavalath"))
    record = starter_match("yavalath", game.top_level)
    text = to_text(record, options={}, bots=["a", "b"], players=[Player("a"), Player("b")])
    first, *turns, end = text.encode().splitlines()
    with pytest.raises(NotRepeated, match="no more of this seat"):
        play_again(game, read(b"\n".join([first, *turns[:-1], end])))


@pytest.mark.parametrize(
    "text",
    [b"", b"{}", b"nonsense", b"[1]\n[2]", b'{"record": 2}\n{}', b'{"v": 1}\n{"t": 1}\n{"end": true}', b"\xff\n\xff"],
)
def test_another_file_is_refused_in_words(text: bytes) -> None:
    with pytest.raises(BadRecord, match="expected a"):
        read(text)
