"""What ratings mean for a bot's way up, case by case."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from hexarena.backend.ladder import rules
from hexarena.backend.ladder.rules import (
    CRASHES_TO_DISABLE,
    LEAST_BOSS_GAMES,
    LEAST_GAMES,
    MOST_DEFENCES,
    SAFE,
    SURE,
    SURE_TO_FALL,
    Boss,
    Climber,
)
from hexarena.games.referee import Fault


def test_every_second_game_of_a_trial_is_with_a_boss_the_first_one_too() -> None:
    with_boss: list[bool] = []
    for games in range(9):
        with_boss.append(rules.meets_boss_next(games, sum(with_boss)))
    assert with_boss == [True, False] * 4 + [True]


@pytest.mark.parametrize(
    ("beaten", "games", "had_trial", "then"),
    [
        (1.0, 19, False, "open"),
        (0.95, 20, False, "promoted"),
        (0.949, 20, False, "open"),
        (0.051, 20, False, "open"),
        (1 - SURE, 20, False, "stays"),
        (0.05, 20, False, "stays"),
        (0.5, 199, False, "open"),
        (0.5, 200, False, "stays"),
        (0.989, 300, True, "stays"),
        (0.99, 300, True, "promoted"),
    ],
)
def test_a_trial_ends_when_it_is_sure_or_has_lasted_long_enough(
    beaten: float, games: int, had_trial: bool, then: str
) -> None:
    assert rules.promotion(beaten, games, had_trial=had_trial) == then


@pytest.mark.parametrize(
    ("probability", "games", "placed"), [(1.0, 11, False), (0.8, 12, True), (0.799, 199, False), (0.0, 200, True)]
)
def test_a_placement_ends_when_the_place_is_known_or_it_has_lasted_long_enough(
    probability: float, games: int, placed: bool
) -> None:
    assert rules.placed(probability, games) is placed


@pytest.mark.parametrize(
    ("boss", "league"),
    [
        (Boss(1.0, LEAST_BOSS_GAMES - 1), 1),
        (Boss(1.0, LEAST_BOSS_GAMES), 2),
        (Boss(1.0, 2, exhausted=True), 2),
        (Boss(1.0, 0, exhausted=True), 1),
        (Boss(0.9, 2, exhausted=True), 1),
    ],
)
def test_a_boss_is_passed_after_a_few_games_with_it(boss: Boss, league: int) -> None:
    assert rules.league_after(Climber(1, LEAST_GAMES, False, "open", {1: boss})) == league


@pytest.mark.parametrize("placing", [True, False])
@pytest.mark.parametrize(
    ("games", "boss", "league"),
    [
        (LEAST_GAMES, Boss(1 - SURE_TO_FALL, LEAST_BOSS_GAMES), 1),
        (LEAST_GAMES, Boss(0.0, 1, exhausted=True), 1),
        (LEAST_GAMES, Boss(0.0, LEAST_BOSS_GAMES - 1), 2),
        (LEAST_GAMES - 1, Boss(0.0, LEAST_BOSS_GAMES), 2),
        (LEAST_GAMES, Boss(1.001 - SURE_TO_FALL, LEAST_BOSS_GAMES), 2),
        (LEAST_GAMES, Boss(0.3, LEAST_BOSS_GAMES, lost=True), 1),
        (LEAST_GAMES, Boss(0.3, LEAST_BOSS_GAMES - 1, lost=True), 2),
        (LEAST_GAMES - 1, Boss(0.3, LEAST_BOSS_GAMES, lost=True), 2),
        (LEAST_GAMES, Boss(0.0, 1, earlier=LEAST_BOSS_GAMES - 1), 1),
        (LEAST_GAMES, Boss(0.0, 1, earlier=LEAST_BOSS_GAMES - 2), 2),
        (LEAST_GAMES, Boss(0.0, 0, earlier=LEAST_BOSS_GAMES), 2),
        (LEAST_GAMES - 1, Boss(0.0, 1, earlier=LEAST_BOSS_GAMES), 2),
    ],
)
def test_whoever_is_surely_weaker_than_the_boss_below_falls_back(
    games: int, boss: Boss, league: int, placing: bool
) -> None:
    climber = Climber(2, games, placing, "stays", {1: boss, 2: Boss(0.0, 0)})
    assert rules.league_after(climber) == league


def test_games_of_earlier_versions_count_for_falling_alone() -> None:
    lost = {1: Boss(0.0, 1, earlier=LEAST_BOSS_GAMES)}
    assert rules.league_after(Climber(2, 1, True, "open", lost)) == 2
    assert rules.league_after(Climber(2, 1, True, "open", lost, earlier_games=LEAST_GAMES - 1)) == 1
    won = {2: Boss(1.0, 1, earlier=LEAST_BOSS_GAMES)}
    assert rules.league_after(Climber(2, 1, True, "open", won, earlier_games=LEAST_GAMES)) == 2


def test_an_equal_of_the_boss_hardly_ever_loses_surely_and_whoever_loses_all_does_at_once() -> None:
    dice, fell = Random(5), 0
    for _ in range(1000):
        points = 0.0
        for games in range(1, MOST_DEFENCES + 1):
            points += dice.choice((0, 0.5, 1))
            if games >= LEAST_BOSS_GAMES and rules.surely_lost(games, points):
                fell += 1
                break
    assert fell < 10
    assert [rules.surely_lost(games, 0) for games in (7, 8, 9, 60)] == [False, False, True, True]
    assert not rules.surely_lost(0, 0)
    assert not rules.surely_lost(60, 60)


@pytest.mark.parametrize(
    ("beaten", "games", "defends"),
    [(SAFE, 0, False), (SAFE - 0.001, 0, True), (0.0, MOST_DEFENCES - 1, True), (0.0, MOST_DEFENCES, False)],
)
def test_a_bot_meets_the_boss_below_until_it_is_safe(beaten: float, games: int, defends: bool) -> None:
    assert rules.must_defend(beaten, games) is defends


def test_a_bot_that_had_no_trial_has_time_until_it_is_sure() -> None:
    assert rules.promotion(0.5, LEAST_GAMES) == "open"


def test_a_trial_goes_on_while_the_boss_of_the_own_league_may_be_passed() -> None:
    bosses = {1: Boss(0.5, 9), 2: Boss(0.0, 9)}
    assert rules.trial_after(Climber(1, LEAST_GAMES, False, "open", bosses)) == "open"
    assert rules.trial_after(Climber(2, LEAST_GAMES, False, "open", bosses)) == "stays"


@pytest.mark.parametrize("boss", [Boss(0.5, 9), Boss(0.98, 9)])
def test_a_trial_that_is_over_does_not_open_again(boss: Boss) -> None:
    assert rules.trial_after(Climber(1, LEAST_GAMES, False, "open", {1: boss})) == "open"
    assert rules.trial_after(Climber(1, LEAST_GAMES, False, "stays", {1: boss})) == "stays"


def test_a_version_is_disabled_after_so_many_matches_that_it_did_not_finish() -> None:
    assert [rules.must_be_disabled(CRASHES_TO_DISABLE + more) for more in (-1, 0, 1)] == [False, True, True]


def test_the_owner_of_a_disabled_version_reads_why_and_what_to_do() -> None:
    assert rules.disabled_problem(10, "timeout") == (
        "Disabled: disqualified by a fault of its own in 10 consecutive matches, most recently: timeout. "
        "The seat logs of these matches show why. Fix it and submit again, or restore an earlier version."
    )
    assert rules.disabled_problem(10, "crash", copy=True) == (
        "Disabled: disqualified by a fault of its own in 10 consecutive matches of bots with the same code, "
        "most recently: crash. Fix it and submit again, or restore an earlier version."
    )


def test_a_check_match_fails_by_the_first_fault_of_the_bots_own_seats() -> None:
    other, warning = Fault(0, 1, "crash", "gone"), Fault(1, 2, "warning", "odd")
    first, second = Fault(1, 3, "invalid", "no number"), Fault(2, 4, "timeout", "late")
    assert rules.check_problem({1, 2}, [other, warning]) is None
    assert rules.check_problem({1, 2}, [other, warning, first, second]) == (
        "In the check match, turn 3: invalid: no number"
    )


@pytest.mark.parametrize(
    ("games", "repeats", "known"), [(1, 1, False), (1, 2, True), (2, 2, True), (3, 2, False), (0, 1, False)]
)
def test_as_many_repeats_as_different_games_say_that_all_is_known(games: int, repeats: int, known: bool) -> None:
    assert rules.only_repeats(games, repeats) == known
    assert rules.only_repeats_each(np.array([games, 9]), np.array([repeats, 0])).tolist() == [known, False]


def test_a_place_is_provisional_until_it_has_twenty_games_or_no_new_ones() -> None:
    assert rules.provisional(True, 100, spent=True)
    assert rules.provisional(False, 19, spent=False)
    assert not rules.provisional(False, 20, spent=False)
    assert not rules.provisional(False, 3, spent=True)


def test_only_the_top_gets_notices_of_who_passed_it() -> None:
    last = rules.NOTIFIED_PLACES
    board = list(range(last + 2))
    swapped = [*board[: last - 2], board[last - 1], board[last - 2], *board[last:]]
    assert rules.overtaken(board, swapped) == {last - 2: last - 1}, "the last but one of the top"
    swapped = [*board[: last - 1], board[last], board[last - 1], *board[last + 1 :]]
    assert rules.overtaken(board, swapped) == {last - 1: last}, "the last of the top"
    swapped = [*board[:last], board[last + 1], board[last]]
    assert rules.overtaken(board, swapped) == {}, "one below the top"


def test_a_newcomer_passes_nobody_and_hides_nobody_who_does() -> None:
    assert rules.overtaken([1, 2], [9, 2, 1]) == {1: 2}
    assert rules.overtaken([2, 1], [9, 2, 1]) == {}
    assert rules.overtaken([1, 2, 3], [9, 1, 3, 2]) == {2: 3}
