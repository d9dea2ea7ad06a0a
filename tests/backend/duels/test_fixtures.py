"""A duel's fixtures: seeds, and who sits where. Values only: no database."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from hexarena.backend.duels.fixtures import draw, entrants_of, in_whole_trials, is_paired, seating
from hexarena.games.catalogue import find_game
from hexarena.games.contract import Game


def for_many() -> Game:
    """A free-for-all of two to four."""
    game = find_game("yavalath")
    return Game(**{name: getattr(game, name) for name in game.__slots__} | {"ladder_entrants": (4, 3, 2)})


def test_a_seed_is_played_on_both_seats_where_seats_differ() -> None:
    assert [find_game(game).mirrored_seats for game in ("yavalath", "ants")] == [False, True]
    assert [is_paired(find_game(game)) for game in ("yavalath", "ants")] == [True, False]


def test_fixtures_are_numbered_from_one_and_depend_on_the_seed_alone() -> None:
    drawn = list(draw(seed=3, paired=True, games=7))
    assert [one.number for one in drawn] == [1, 2, 3, 4, 5, 6, 7]
    assert list(draw(seed=3, paired=True, games=4)) == drawn[:4]
    assert list(draw(seed=4, paired=True, games=7)) != drawn


def test_in_pairs_each_seed_comes_twice_with_the_seats_swapped() -> None:
    drawn = list(draw(seed=3, paired=True, games=40))
    assert [one.seed for one in drawn[::2]] == [one.seed for one in drawn[1::2]]
    assert all(one.swapped != other.swapped for one, other in zip(drawn[::2], drawn[1::2], strict=True))
    assert len({one.seed for one in drawn}) == 20


def test_otherwise_each_match_has_a_seed_of_its_own_and_sides_alternate() -> None:
    drawn = list(draw(seed=3, paired=False, games=40))
    assert len({one.seed for one in drawn}) == 40
    assert sum(one.swapped for one in drawn) == 20
    assert {one.swapped for one in drawn[:2]} == {False, True}


def test_pairs_are_played_to_the_end() -> None:
    assert [in_whole_trials(games, paired=True) for games in (0, 1, 2, 3)] == [0, 2, 2, 4]
    assert [in_whole_trials(games, paired=False) for games in (0, 1, 2, 3)] == [0, 1, 2, 3]


def test_two_have_each_others_seats_where_the_fixture_is_swapped() -> None:
    game = find_game("yavalath")
    for one in draw(seed=3, paired=True, games=4):
        assert seating(game, one) == ((1, 0) if one.swapped else (0, 1))


def test_each_fills_a_team_where_teams_play() -> None:
    game = find_game("battlegrounds")
    first, second = (seating(game, one) for one in draw(seed=7, paired=is_paired(game), games=2))
    assert sorted([first, second]) == [
        (0,) * game.team_seats + (1,) * game.team_seats,
        (1,) * game.team_seats + (0,) * game.team_seats,
    ]


def test_the_seed_deals_the_teams_and_swapped_each_gets_the_others() -> None:
    game = find_game("battlegrounds")
    lines = [seating(game, one) for one in draw(seed=7, paired=True, games=40)]
    straight, swapped = lines[::2], lines[1::2]
    assert swapped == [tuple(1 - bot for bot in line) for line in straight]
    assert {line[0] for line in straight} == {0, 1}


def test_a_fixture_seats_both_among_the_field_and_swapped_ones_each_other() -> None:
    many = for_many()
    lines = [seating(many, one, 5) for one in draw(seed=3, paired=True, games=400)]
    assert {len(one) for one in lines} == {4}
    for straight, swapped in zip(lines[::2], lines[1::2], strict=True):
        assert [{0: 1, 1: 0}.get(bot, bot) for bot in straight] == list(swapped)
        assert len(set(straight)) == 4
    assert {tuple(line.index(bot) for bot in (0, 1)) for line in lines} == set(permutations(range(4), 2))
    met = np.bincount([bot for line in lines for bot in line if bot > 1], minlength=7)[2:]
    assert met.min() > 100


def test_as_many_play_as_on_the_ladder_if_the_field_has_so_many() -> None:
    assert [entrants_of(for_many(), field) for field in (0, 1, 2, 9)] == [2, 3, 4, 4]
    assert entrants_of(find_game("yavalath"), 9) == 2
    (one,) = draw(seed=3, paired=False, games=1)
    assert [sorted(seating(for_many(), one, field)) for field in (0, 1)] == [[0, 1], [0, 1, 2]]
    assert seating(for_many(), one) == seating(for_many(), one, 0), "without a field the two play alone"


def test_too_small_a_field_is_refused_with_the_least_number() -> None:
    game = find_game("tron")
    few = Game(**{name: getattr(game, name) for name in game.__slots__} | {"ladder_entrants": (6, 4)})
    assert [entrants_of(few, field) for field in (2, 3, 4)] == [4, 4, 6]
    with pytest.raises(ValueError, match=r"at least 2 other bots for Tron.*got 1"):
        entrants_of(few, 1)
