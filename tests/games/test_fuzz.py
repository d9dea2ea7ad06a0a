"""Whatever bots write ends in a move or in a fault that is theirs: 20,000 lines and more for each game's protocol."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from hexarena.games.catalogue import all_games, find_game
from hexarena.games.contract import BadReply, Game, Seat, TextProtocol
from tests.games.junk import line_maker, states_of, walk
from tests.games.test_conformance import quick

EXAMPLES = 40
LINES = 500
"""In each example at least so many: 40 * 500 are 20,000 lines for a game."""


@pytest.fixture(scope="module", params=all_games())
def game(request: pytest.FixtureRequest) -> Game:
    return quick(find_game(request.param))


def lines_for_ever(game: Game, random: Random) -> Iterator[str]:
    make = line_maker(game)
    while True:
        yield make(random)


@pytest.mark.long
@settings(max_examples=EXAMPLES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**64 - 1))
def test_matches_on_junk_end_in_nothing_but_faults(game: Game, seed: int) -> None:
    random = Random(seed)
    lines = lines_for_ever(game, random)
    read = 0
    while read < LINES:
        read += walk(game, random.choice(game.levels), lines, random)


class Careless:
    """A protocol that trips over one sort of line."""

    def __init__(self, protocol: TextProtocol[Any, Any]) -> None:
        self._protocol = protocol

    def prompt(self, state: Any, seat: Seat, first: bool) -> str:
        return self._protocol.prompt(state, seat, first)

    def parse(self, state: Any, seat: Seat, reply: str) -> Any:
        if not reply.isascii():
            raise IndexError("expected ASCII")
        return self._protocol.parse(state, seat, reply)


def test_a_protocol_that_raises_anything_else_is_found(game: Game) -> None:
    careless = replace(game, protocol=Careless(game.protocol))
    random = Random(1)
    lines = lines_for_ever(game, random)
    with pytest.raises(IndexError, match="expected ASCII") as caught:
        any(walk(careless, game.top_level, lines, random) < 0 for _ in range(1000))
    assert "a line of seat" in caught.value.__notes__[0]


@pytest.mark.long
@settings(max_examples=500, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_line_of_any_characters_is_a_move_or_a_bad_reply(game: Game, data: st.DataObject) -> None:
    raw = st.binary(max_size=60).map(lambda text: text.decode("utf-8", "replace"))
    line = data.draw(raw | st.text(st.characters(exclude_characters="\n\r"), max_size=40))
    states = states_of(game, game.top_level)
    state = states[data.draw(st.integers(0, len(states) - 1))]
    with suppress(BadReply):
        game.protocol.parse(state, game.rules.to_act(state)[0], line)
