"""Places as rewards."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from hexarena.games.catalogue import find_game
from hexarena.games.contract import Outcome
from hexarena.games.referee import BadOutcome
from hexarena.games.rewards import of_leaving, of_the_end, rewards

TRON = find_game("tron")


@pytest.mark.parametrize(
    ("ranks", "worth"),
    [
        ((0, 1), (1, -1)),
        ((1, 0), (-1, 1)),
        ((0, 0), (0, 0)),
        ((2, 0, 1), (-1, 1, 0)),
        ((0, 1, 1), (1, -0.5, -0.5)),
        ((0, 0, 2), (0.5, 0.5, -1)),
        ((0, 3, 1, 1), (1, -1, 0, 0)),
        ((0, 0, 0, 0), (0, 0, 0, 0)),
        ((0,), (0,)),
    ],
)
def test_the_first_gets_1_the_last_minus_1_and_ties_share(ranks: tuple[int, ...], worth: tuple[float, ...]) -> None:
    assert rewards(ranks) == pytest.approx(worth)


def test_a_team_counts_as_one_whatever_its_size() -> None:
    assert rewards((1, 1, 1, 0, 0, 0), team_seats=3) == (-1, -1, -1, 1, 1, 1)
    assert rewards((0, 0, 1, 1, 1, 1), team_seats=2) == pytest.approx((1, 1, -0.5, -0.5, -0.5, -0.5))


def out(*seats: int) -> object:
    """A game of which these seats are out."""
    return replace(TRON, machine=SimpleNamespace(out=lambda state: seats))


def test_whoever_goes_out_is_behind_all_who_are_still_in_and_before_all_who_left() -> None:
    assert of_leaving(out(2), None, {}, 4) == {2: -1}
    assert of_leaving(out(2, 0), None, {2: -1}, 4) == pytest.approx({0: -1 / 3})
    assert of_leaving(out(3, 1), None, {}, 4) == pytest.approx({1: -2 / 3, 3: -2 / 3})
    assert of_leaving(out(), None, {}, 4) == {}


def test_in_teams_and_without_a_view_nobody_leaves_early() -> None:
    assert of_leaving(replace(out(2), team_seats=2), None, {}, 4) == {}
    assert of_leaving(find_game("ants"), None, {}, 2) == {}


def test_at_the_end_the_others_get_theirs() -> None:
    outcome = Outcome((0, 3, 1, 1), (9, 1, 5, 5), "over")
    assert of_the_end(TRON, outcome, {1: -1}) == {0: 1, 2: 0, 3: 0}


def test_a_wrong_place_is_a_bug_of_the_game() -> None:
    outcome = Outcome((0, 3, 1, 1), (9, 1, 5, 5), "over")
    with pytest.raises(BadOutcome, match=r"seat 2 was out, when its place was worth -1; its .* is worth 0"):
        of_the_end(TRON, outcome, {2: -1})
