"""The records of matches in the published file of an event, from replays and seat logs as they are stored."""

from __future__ import annotations

from hexarena.backend.events.published import record_of
from hexarena.games import records
from hexarena.games.catalogue import find_game
from hexarena.games.referee import play
from tests.games.test_conformance import SEED, quick
from tests.games.test_ghosts import Bot, stored


def test_a_reply_may_have_characters_at_which_python_splits_lines() -> None:
    game = quick(find_game("ants"))
    line = "WAIT;MESSAGE one\u2028two\u2029three\x85four\x0bfive"
    played = play(game, [Bot(line), Bot(line)], seed=SEED, league=game.top_level)
    text = record_of(*stored(game, played), played.digest)
    assert text is not None
    saved = records.read(text.encode())
    assert {said.line for of_seat in saved.said for _, said in of_seat} == {line}
    again, _ = records.play_again(game, saved)
    assert again.digest == played.digest
