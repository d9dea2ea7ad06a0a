"""`hexarena check` on hidden information: what is given away is found and named, and a sound game is not blamed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hexarena.cli.check.secrets import hidden
from hexarena.cli.check.subject import CheckFailed, CheckSkipped, Subject
from hexarena.games.catalogue import find_game, game_folder
from hexarena.games.contract import Game, Json, Seat

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.fixture
def tricks(monkeypatch: pytest.MonkeyPatch) -> Game:
    monkeypatch.setenv("HEXARENA_GAMES", str(EXAMPLES))
    return find_game("tricks")


def check(game: Game) -> str:
    return hidden(Subject(game, game_folder("tricks"), Path()))


class Leaky:
    """The example's frames and prompts, with more in them."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def more(self, state: Any) -> Mapping[str, Json]:
        """In the header."""
        return {}

    def each_turn(self, state: Any) -> Mapping[str, Json]:
        """In each frame."""
        return {}

    def header(self, state: Any) -> Json:
        return {**self.game.replay.header(state), **self.more(state)}

    def frame(self, state: Any) -> Mapping[str, Json]:
        return {**self.game.replay.frame(state), **self.each_turn(state)}


class Hands(Leaky):
    def more(self, state: Any) -> Mapping[str, Json]:
        return {"hands": [sorted(hand) for hand in state.hands]}


class OneCard(Leaky):
    def more(self, state: Any) -> Mapping[str, Json]:
        return {"best": {"of": state.hands[1][0]}}


class InOtherWords(Leaky):
    def more(self, state: Any) -> Mapping[str, Json]:
        return {"hint": 7 * state.hands[0][2] + 3}


class Pack(Leaky):
    def more(self, state: Any) -> Mapping[str, Json]:
        return {"next": [pack[0] for pack in state.pack]}


class Drawn(Leaky):
    def each_turn(self, state: Any) -> Mapping[str, Json]:
        return {"drew": state.drawn}


class HandsEachTurn(Leaky):
    """In an order in which no card has a place of its own."""

    def each_turn(self, state: Any) -> Mapping[str, Json]:
        return {"cards": [sorted(hand) for hand in state.hands]}


class NothingNew:
    """All is dealt in the beginning."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def hidden_header(self, state: Any) -> Mapping[Seat | None, Json]:
        return {seat: [*hand, *state.pack[seat]] for seat, hand in enumerate(state.hands)}

    def hidden_frame(self, state: Any) -> Mapping[Seat | None, Json]:
        return {}


class DealtHandsEachTurn(Leaky):
    def each_turn(self, state: Any) -> Mapping[str, Json]:
        return {"cards": [sorted((*hand, *pack)) for hand, pack in zip(state.hands, state.pack, strict=True)]}


@pytest.mark.long
@pytest.mark.parametrize(
    ("leaky", "says"),
    [
        (Hands, "with 2 seats, the header has under 'hands.0' what only seat 0 may see: ["),
        (OneCard, "with 2 seats, the header has under 'best.of' what only seat 1 may see (its '0')"),
        (InOtherWords, "with 2 seats, the header has under 'hint' what reveals what only seat 0 may see (its '2')"),
        (Pack, "with 2 seats, the header has under 'next.0' what no seat may see (its '0.0')"),
        (Drawn, "with 3 seats, the frame has under 'drew.0.1' what only seat 0 may see"),
        (HandsEachTurn, "with 3 seats, the frame has under 'cards.0' among others what only seat 0 may see"),
    ],
)
def test_what_everybody_finds_is_reported_with_its_place(tricks: Game, leaky: type[Leaky], says: str) -> None:
    with pytest.raises(CheckFailed) as found:
        check(replace(tricks, replay=leaky(tricks)))
    assert str(found.value).startswith(says)


@pytest.mark.long
def test_a_hand_that_was_dealt_before_is_found_in_frames(tricks: Game) -> None:
    with pytest.raises(CheckFailed, match=r"the first frame has under 'cards\.0' what only seat 0 may see"):
        check(replace(tricks, hidden=NothingNew(tricks), replay=DealtHandsEachTurn(tricks)))
    check(replace(tricks, hidden=NothingNew(tricks)))


def test_what_another_seat_reads_is_found_too(tricks: Game) -> None:
    class Told:
        parse = tricks.protocol.parse

        def prompt(self, state: Any, seat: Seat, first: bool) -> str:
            own = tricks.protocol.prompt(state, seat, first)
            return f"{own[:-1]} {' '.join(map(str, state.hands[0][1:2]))}\n"

    with pytest.raises(CheckFailed, match=r"the first prompt of seat 1 has under 'line 1\.3' what only seat 0 may see"):
        check(replace(tricks, protocol=Told()))


class Repeated:
    """Whole hands in every frame, as some games keep them."""

    def __init__(self, game: Game) -> None:
        assert game.hidden is not None
        self.hidden_header = game.hidden.hidden_header

    def hidden_frame(self, state: Any) -> Mapping[Seat | None, Json]:
        return dict(enumerate(state.hands))


class Harmless(Leaky):
    """Chance that everybody sees, small numbers, and what follows from moves."""

    def more(self, state: Any) -> Mapping[str, Json]:
        return {"board": [Random(hash(state.hands)).randint(1, 24) for _ in range(25)], "order": [0, 1, 2]}

    def each_turn(self, state: Any) -> Mapping[str, Json]:
        gone = {card for _, card in state.played}
        out = sorted({card for one in (*state.hands, *state.pack) for card in one} - gone)
        return {"last": [card for _, card in state.played], "sums": state.points, "turn": state.trick, "out": out}


@pytest.mark.long
def test_a_game_that_keeps_its_secrets_is_not_blamed(tricks: Game) -> None:
    assert "this check cannot see" in check(tricks)
    check(replace(tricks, hidden=Repeated(tricks)))
    check(replace(tricks, replay=Harmless(tricks)))
    check(replace(tricks, hidden=Repeated(tricks), replay=Harmless(tricks)))
    check(replace(tricks, hidden=NothingNew(tricks), replay=Harmless(tricks)))


def test_a_game_that_hides_nothing_is_not_said_to_pass(tricks: Game) -> None:
    with pytest.raises(CheckSkipped, match="hides nothing"):
        check(replace(tricks, hidden=None))
