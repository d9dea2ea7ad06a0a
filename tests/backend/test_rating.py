"""Ratings: values in, values out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.rating import START, Rated, after_match, expected_score, interval

ratings = st.floats(0, 3000)


def test_equals_expect_half_a_point() -> None:
    assert expected_score(1000, 1000) == 0.5


def test_400_points_more_expect_ten_times_the_odds() -> None:
    assert expected_score(1400, 1000) == pytest.approx(10 / 11)


def test_the_winner_gains_what_the_loser_loses() -> None:
    winner, loser = after_match([Rated(1000, 50), Rated(1100, 50)], [0, 1])
    assert winner - 1000 == pytest.approx(1100 - loser)
    assert winner > 1000


def test_a_draw_moves_the_weaker_up() -> None:
    weaker, stronger = after_match([Rated(900, 50), Rated(1200, 50)], [0, 0])
    assert weaker > 900
    assert stronger < 1200


def test_a_newcomer_moves_faster() -> None:
    newcomer, settled = after_match([Rated(1000, 0), Rated(1000, 100)], [0, 1])
    assert newcomer - 1000 > 1000 - settled


@given(st.lists(ratings, min_size=2, max_size=8), st.data())
def test_equally_settled_seats_share_out_a_constant_sum(before: list[float], data: st.DataObject) -> None:
    ranks = data.draw(st.lists(st.integers(0, 7), min_size=len(before), max_size=len(before)))
    after = after_match([Rated(rating, 100) for rating in before], ranks)
    assert sum(after) == pytest.approx(sum(before), abs=1e-6)


def test_members_of_a_team_are_not_compared() -> None:
    strong, weak, *_ = after_match([Rated(1500, 50), Rated(900, 50), Rated(1200, 50)], [0, 0, 1], [0, 0, 1])
    alone_strong, _ = after_match([Rated(1500, 50), Rated(1200, 50)], [0, 1])
    alone_weak, _ = after_match([Rated(900, 50), Rated(1200, 50)], [0, 1])
    assert (strong, weak) == (alone_strong, alone_weak)


@given(ratings, st.integers(0, 10_000))
def test_the_interval_holds_the_rating_and_narrows(rating: float, games: int) -> None:
    low, high = interval(Rated(rating, games))
    wider_low, wider_high = interval(Rated(rating, max(0, games - 1)))
    assert wider_low <= low < rating < high <= wider_high


def test_an_unplayed_bot_may_be_anywhere() -> None:
    low, high = interval(Rated(START, 0))
    assert high - low == pytest.approx(2 * 1.96 * 300)
