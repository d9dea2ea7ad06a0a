"""Heats as values: who meets whom, who sits where, what a game is worth, and what ties end with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings, strategies

from hexarena.backend.events import heats, stages
from hexarena.backend.events.forms import BadStage, Form, Heat, HeatOutcome, Stage
from hexarena.games.catalogue import find_game

HEATS = Stage(Form.HEATS, rounds=3, games=4)
Ranks = Callable[[Sequence[int]], Mapping[int, int]]
"""Seat -> entrant: entrant -> rank."""


def better_seed_wins(seats: Sequence[int]) -> dict[int, int]:
    return {one: place for place, one in enumerate(sorted(seats))}


def all_tie(seats: Sequence[int]) -> dict[int, int]:
    return dict.fromkeys(seats, 0)


def played(
    stage: Stage, entrants: int, ranks: Ranks, *, prizes: int = 3, most: int = 4, paired: bool = True
) -> stages.State:
    """The stage to its end. Entrants are 0, 1, 2, … in the order of the seeding."""
    state = stages.State(stage, tuple(range(entrants)), (), {}, paired, prizes, in_heat=most)
    while due := stages.due_heats(state):
        outcomes = dict(state.heat_outcomes)
        for heat in due:
            seats = [heats.order(heat, game, heat.entrants) for game in range(stage.games)]
            done = heats.outcome(heat, [ranks(one) for one in seats], games=stage.games)
            assert done is not None
            outcomes[heat.number] = done
        state = replace(state, heats=(*state.heats, *due), heat_outcomes=outcomes)
    assert stages.is_over(state)
    return state


def rounds_of(state: stages.State) -> dict[int, list[Heat]]:
    found: dict[int, list[Heat]] = {}
    for heat in state.heats:
        if not heat.playoff:
            found.setdefault(heat.round, []).append(heat)
    return found


# --- Dealing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entrants", "sizes"),
    [(2, [2]), (3, [3]), (4, [4]), (5, [3, 2]), (6, [3, 3]), (7, [4, 3]), (9, [3, 3, 3]), (10, [4, 3, 3])],
)
def test_the_sizes_of_heats_differ_by_one_at_most(entrants: int, sizes: list[int]) -> None:
    assert heats.sizes(entrants, 4) == sizes


@given(entrants=strategies.integers(2, 60), most=strategies.integers(3, 8))
def test_nobody_is_ever_alone_in_a_heat(entrants: int, most: int) -> None:
    sizes = heats.sizes(entrants, most)
    assert sum(sizes) == entrants
    assert 2 <= min(sizes) <= max(sizes) <= most
    assert max(sizes) - min(sizes) <= 1


def test_the_first_round_deals_the_seeding_to_and_fro() -> None:
    assert heats.dealt(range(8), 4) == [(0, 3, 4, 7), (1, 2, 5, 6)]
    assert heats.dealt(range(7), 4) == [(0, 3, 4, 6), (1, 2, 5)]


def test_later_rounds_bring_those_together_whose_points_are_near() -> None:
    standing = [4, 2, 0, 1, 3, 5, 6, 7]
    assert heats.by_points(standing, {}, 4) == [(4, 2, 0, 1), (3, 5, 6, 7)]
    together = {frozenset((4, 2)): 1}
    assert heats.by_points(standing, together, 4) == [(4, 0, 1, 3), (2, 5, 6, 7)]


@settings(max_examples=60)
@given(entrants=strategies.integers(2, 21), rounds=strategies.integers(1, 5), most=strategies.integers(3, 5), seed=...)
def test_everybody_plays_equally_often_in_every_round(entrants: int, rounds: int, most: int, seed: int) -> None:
    random = Random(seed)
    stage = replace(HEATS, rounds=rounds)
    state = played(stage, entrants, lambda seats: {one: random.randrange(3) for one in seats}, most=most)
    by_round = rounds_of(state)
    assert sorted(by_round) == list(range(1, rounds + 1))
    for there in by_round.values():
        assert Counter(one for heat in there for one in heat.entrants) == Counter(range(entrants))
    rows = stages.heat_table(state)
    assert {row.played for row in rows} == {rounds * stage.games}
    assert sum(row.points for row in rows) == Fraction(entrants * rounds * stage.games, 2), "the average is ½ a game"


def test_in_few_rounds_rematches_are_rare() -> None:
    random = Random(7)
    state = played(HEATS, 16, lambda seats: dict(zip(seats, random.sample(range(4), 4), strict=True)), prizes=0)
    together = heats.meetings([one for one in state.heats if not one.playoff])
    assert sum(together.values()) == 3 * 4 * 6
    assert sum(count - 1 for count in together.values()) <= 6, "72 pairs met, of 120 that there are"


@pytest.mark.parametrize("entrants", [0, 1])
def test_without_opponents_nothing_is_played(entrants: int) -> None:
    state = played(HEATS, entrants, better_seed_wins)
    assert state.heats == ()
    assert stages.ranking(state) == list(range(entrants))


# --- Seats and seeds --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 3, 4])
def test_in_twelve_games_everybody_sits_in_each_seat_equally_often(size: int) -> None:
    heat = Heat(5, 1, tuple(range(10, 10 + size)))
    seats = Counter(
        (seat, one) for game in range(12) for seat, one in enumerate(heats.order(heat, game, heat.entrants))
    )
    assert set(seats.values()) == {12 // size}
    assert len(seats) == size * size


@given(size=strategies.integers(2, 8), games=strategies.integers(1, 30), number=strategies.integers(0, 9))
def test_otherwise_the_seats_differ_by_one_game_at_most(size: int, games: int, number: int) -> None:
    heat = Heat(number, 1, tuple(range(size)))
    for one in heat.entrants:
        sat = [heats.order(heat, game, heat.entrants).index(one) for game in range(games)]
        times = [sat.count(seat) for seat in range(size)]
        assert max(times) - min(times) <= 1


def test_each_seed_is_played_once_with_everybody_in_each_seat_where_seats_differ() -> None:
    heat = Heat(0, 1, (1, 2, 3))
    assert [heats.trial_of(heat, game, paired=True) for game in range(7)] == [0, 0, 0, 1, 1, 1, 2]
    assert [heats.trial_of(heat, game, paired=False) for game in range(3)] == [0, 1, 2]


# --- What games are worth ---------------------------------------------------------------------------------------------


def test_a_game_is_worth_the_share_of_the_others_that_were_beaten() -> None:
    heat = Heat(0, 1, (1, 2, 3, 4))
    done = heats.outcome(heat, [{1: 0, 2: 1, 3: 1, 4: 3}, {1: 0, 2: 0, 3: 0, 4: 0}], games=2)
    assert done == HeatOutcome((6 + 3, 3 + 3, 3 + 3, 0 + 3), (1, 0, 0, 0))
    assert [heats.share(heat, one) for one in done.points] == [Fraction(3, 2), 1, 1, Fraction(1, 2)]
    assert heats.places(done) == [1, 2, 2, 4]
    pair = heats.outcome(Heat(1, 1, (1, 2)), [{1: 0, 2: 1}], games=1)
    assert pair is not None
    assert heats.share(Heat(1, 1, (1, 2)), pair.points[0]) == 1, "as much as in a heat of four"


def test_who_is_out_is_beaten_by_all_who_played_without_him() -> None:
    heat = Heat(0, 1, (1, 2, 3))
    with_all, without = {1: 2, 2: 1, 3: 0}, {1: 0, 2: 1}
    assert heats.outcome(heat, [with_all], games=2, out=frozenset({3})) is None, "two are left, and play"
    done = heats.outcome(heat, [with_all, without], games=2, out=frozenset({3}))
    assert done == HeatOutcome((0 + 4, 2 + 2, 4 + 0), (1, 0, 1))


def test_the_last_one_who_is_left_wins_what_was_not_played() -> None:
    heat = Heat(0, 1, (1, 2, 3))
    done = heats.outcome(heat, [{1: 2, 2: 0, 3: 1}], games=3, out=frozenset({2, 3}))
    assert done == HeatOutcome((0 + 4 + 4, 4, 2), (2, 1, 0))
    nobody = heats.outcome(heat, [], games=3, out=frozenset({1, 2, 3}))
    assert nobody == HeatOutcome((0, 0, 0), (0, 0, 0))


def test_in_mixed_teams_a_bot_has_the_place_of_its_team() -> None:
    """1 and 2 are a team, then 1 and 3: who is whose teammate is drawn in each game."""
    heat = Heat(0, 1, (1, 2, 3, 4))
    done = heats.outcome(heat, [{1: 0, 2: 0, 3: 1, 4: 1}, {1: 0, 2: 1, 3: 0, 4: 1}], games=2, mixed=True)
    assert done == HeatOutcome((5 + 5, 5 + 1, 1 + 5, 1 + 1), (2, 1, 1, 0))
    assert sum(heats.share(heat, one) for one in done.points) == 4, "a half for each in each game, as without teams"
    level = heats.outcome(heat, [dict.fromkeys(heat.entrants, 0)], games=1, mixed=True)
    assert level == HeatOutcome((3, 3, 3, 3), (0, 0, 0, 0)), "nobody has won where all are level"


def test_each_game_of_mixed_teams_deals_them_anew() -> None:
    game, stage = find_game("battlegrounds"), replace(HEATS, mixed=True)
    dealt = {seed: heats.seated(game, stage, (5, 6, 7, 8, 9, 10, 11), seed) for seed in range(20)}
    for seats in dealt.values():
        teams = [set(seats[first : first + 4]) for first in range(0, len(seats), 4)]
        assert (len(teams), set.union(*teams), set.intersection(*teams)) == (2, {5, 6, 7, 8, 9, 10, 11}, set())
    assert len({frozenset(seats[:4]) for seats in dealt.values()}) > 10
    assert heats.seated(game, HEATS, (5, 6), 1) == (5, 5, 5, 5, 6, 6, 6, 6)


# --- How it stands ----------------------------------------------------------------------------------------------------


def test_where_the_better_always_wins_the_best_come_first() -> None:
    state = played(HEATS, 16, better_seed_wins, prizes=0)
    assert stages.ranking(state)[:2] == [0, 1]
    assert stages.advancing(replace(state, stage=replace(HEATS, advance=4)))[0] == 0


def test_equal_points_are_separated_by_those_who_were_met() -> None:
    first = Heat(0, 1, (0, 1)), Heat(1, 1, (2, 3))
    second = Heat(2, 2, (0, 2)), Heat(3, 2, (1, 3))
    won = HeatOutcome((2, 0), (1, 0))
    lost = HeatOutcome((0, 2), (0, 1))
    rows = heats.table(range(4), (*first, *second), {0: won, 1: won, 2: lost, 3: won}, games=1)
    assert [(row.entrant, float(row.points), float(row.met)) for row in rows] == [
        (2, 2, 1),
        (0, 1, 3),
        (1, 1, 1),
        (3, 0, 3),
    ]
    assert [row.decided_by for row in rows] == [None, "points of those met", None, None]


def test_ties_at_a_prize_are_played_off_among_the_tied_alone() -> None:
    """In the rounds all tie; in play-offs the lower seed is better."""
    state = stages.State(replace(HEATS, rounds=1), tuple(range(4)), (), {}, True, 1, in_heat=4)
    (heat,) = stages.due_heats(state)
    level = heats.outcome(heat, [all_tie(heat.entrants)] * 4, games=4)
    assert level is not None
    state = replace(state, heats=(heat,), heat_outcomes={0: level})
    (again,) = stages.due_heats(state)
    assert (again.playoff, again.round, set(again.entrants)) == (1, 2, {0, 1, 2, 3})
    ranks = {one: max(0, 2 - one) for one in range(4)}
    half = heats.outcome(again, [ranks] * 4, games=4)
    assert half is not None
    state = replace(state, heats=(heat, again), heat_outcomes={0: level, 1: half})
    (last,) = stages.due_heats(state)
    assert (last.playoff, set(last.entrants)) == (2, {2, 3}), "the others are separated by now"
    level = heats.outcome(last, [all_tie(last.entrants)] * 4, games=4)
    assert level is not None
    state = replace(state, heats=(*state.heats, last), heat_outcomes={**state.heat_outcomes, 2: level})
    assert stages.is_over(state), "after two play-offs the seeding decides"
    rows = stages.heat_table(state)
    assert [row.entrant for row in rows] == [2, 3, 1, 0]
    assert [row.decided_by for row in rows] == ["seeding", "play-off", "play-off", None]


@pytest.mark.long
def test_more_tied_ones_than_a_heat_has_seats_are_dealt_into_several() -> None:
    state = played(replace(HEATS, rounds=1), 9, all_tie, prizes=1)
    playoffs = [one for one in state.heats if one.playoff]
    assert Counter(one.playoff for one in playoffs) == {1: 3, 2: 3}
    assert stages.ranking(state) == list(range(9))


def test_ties_that_matter_to_nobody_are_left_to_the_seeding() -> None:
    assert not [one for one in played(HEATS, 8, all_tie, prizes=0).heats if one.playoff]
    on = replace(HEATS, rounds=1, advance=4)
    state = played(on, 4, better_seed_wins, prizes=0)
    assert stages.advancing(state) == [0, 1, 2, 3]


@settings(max_examples=30)
@given(entrants=strategies.integers(2, 13), seed=...)
def test_whoever_recomputes_a_stage_comes_to_the_same(entrants: int, seed: int) -> None:
    """Heats follow from outcomes alone, also those of play-offs."""
    random = Random(seed)
    state = played(HEATS, entrants, lambda seats: {one: random.randrange(2) for one in seats})
    again = replace(state, heats=(), heat_outcomes={})
    while due := stages.due_heats(again):
        outcomes = {**again.heat_outcomes, **{one.number: state.heat_outcomes[one.number] for one in due}}
        again = replace(again, heats=(*again.heats, *due), heat_outcomes=outcomes)
    assert again == state
    assert stages.heat_table(again) == stages.heat_table(state)


# --- What can be asked for --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "sizes", "said"),
    [
        ([HEATS], (2,), "There are no heats in this game."),
        ([HEATS], (4, 2), "There are no heats in this game."),
        ([Stage(Form.ROUND_ROBIN)], (4, 3), "This game needs more than two bots"),
        ([replace(HEATS, rounds=0)], (4, 3, 2), "A stage of heats has rounds."),
        ([replace(HEATS, games=97)], (4, 3, 2), "games is out of range."),
        ([HEATS, HEATS], (4, 3, 2), "lets some advance"),
        ([replace(HEATS, mixed=True)], (4, 3, 2), "There are no mixed teams here."),
    ],
)
def test_stages_that_make_no_sense_are_refused(wanted: list[Stage], sizes: tuple[int, ...], said: str) -> None:
    with pytest.raises(BadStage, match=said):
        stages.check(wanted, sizes=sizes)


def test_heats_can_be_followed_by_a_heat_of_the_best_or_by_a_knockout() -> None:
    on = replace(HEATS, advance=4)
    stages.check([on, replace(HEATS, rounds=1)], sizes=(4, 3, 2))
    stages.check([on, Stage(Form.KNOCKOUT)], sizes=(4, 3, 2))
    counts = stages.most_games([on, replace(HEATS, rounds=1, games=12)], 6, paired=True, in_heat=4)
    assert counts == [3 * 2 * 4, 12]


def test_mixed_teams_make_larger_heats_of_games_with_teams() -> None:
    mixed = replace(HEATS, mixed=True)
    stages.check([mixed], sizes=(4, 3, 2), team_seats=4)
    with pytest.raises(BadStage, match="no mixed teams"):
        stages.check([replace(Stage(Form.KNOCKOUT), mixed=True)], sizes=(4, 3, 2), team_seats=4)
    assert stages.most_games([mixed], 17, paired=False, in_heat=4, team_seats=4) == [3 * 2 * 4]
    assert stages.most_games([HEATS], 17, paired=False, in_heat=4, team_seats=4) == [3 * 5 * 4]


def test_stages_of_older_events_are_read_as_they_were() -> None:
    before = {"form": "knockout", "seeds": 2, "groups": 1, "rounds": 0, "best_of": 3, "lives": 1}
    assert Stage.read(before) == Stage(Form.KNOCKOUT, best_of=3)
    assert Stage.read(HEATS.as_json()) == HEATS


def test_two_meet_at_most_once_a_round() -> None:
    for there in rounds_of(played(HEATS, 13, better_seed_wins)).values():
        pairs = [frozenset(pair) for heat in there for pair in combinations(heat.entrants, 2)]
        assert len(pairs) == len(set(pairs))
