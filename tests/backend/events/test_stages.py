"""Stages as values: who meets whom, who advances, and what ties end with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings, strategies

from hexarena.backend.events import brackets, draws, games, stages
from hexarena.backend.events.forms import BadStage, Form, Outcome, Pairing, Stage, group_name

ROBIN = Stage(Form.ROUND_ROBIN, seeds=1)
GROUPS = Stage(Form.GROUPS, seeds=1, groups=4, advance=2)
SWISS = Stage(Form.SWISS, seeds=1, rounds=5)
KNOCKOUT = Stage(Form.KNOCKOUT, best_of=3)
DOUBLE = Stage(Form.KNOCKOUT, best_of=1, lives=2)
LADDER = Stage(Form.LADDER, seeds=1, rounds=9)
Result = Callable[[Pairing], int]
"""Half points of the first entrant in a game."""


def better_seed_wins(pairing: Pairing) -> int:
    return 2 if pairing.first < pairing.second else 0


def always_drawn(_: Pairing) -> int:
    return 1


def played(stage: Stage, entrants: int, result: Result, *, prizes: int = 3, paired: bool = False) -> stages.State:
    """The stage to its end. Entrants are 0, 1, 2, … in the order of the seeding."""
    state = stages.State(stage, tuple(range(entrants)), (), {}, paired, prizes)
    while due := stages.due(state):
        outcomes = dict(state.outcomes)
        for pairing in due:
            points: list[int] = []
            while (done := outcome(stage, pairing, points, paired=paired)) is None:
                points.append(result(pairing))
            outcomes[pairing.number] = done
        state = stages.State(stage, state.entrants, (*state.pairings, *due), outcomes, paired, prizes)
    assert stages.is_over(state)
    return state


def outcome(stage: Stage, pairing: Pairing, points: Sequence[int], *, paired: bool = False) -> Outcome | None:
    return games.outcome(stage, pairing, points, paired=paired, better_seed=min(pairing.first, pairing.second))


@pytest.mark.long
@pytest.mark.parametrize("stage", [ROBIN, GROUPS, SWISS, KNOCKOUT, DOUBLE, LADDER])
@pytest.mark.parametrize("entrants", [0, 1, 2, 3, 5, 8, 13, 16])
def test_every_stage_ends_and_ranks_everybody(stage: Stage, entrants: int) -> None:
    state = played(stage, entrants, better_seed_wins)
    assert sorted(stages.ranking(state)) == list(range(entrants))
    assert all(pairing.first != pairing.second for pairing in state.pairings)


@pytest.mark.parametrize("stage", [ROBIN, SWISS, KNOCKOUT, DOUBLE])
def test_where_the_better_always_wins_the_best_are_first(stage: Stage) -> None:
    assert stages.ranking(played(stage, 16, better_seed_wins))[:2] == [0, 1]


def test_in_a_round_robin_each_meets_each_once_in_rounds() -> None:
    state = played(ROBIN, 7, better_seed_wins)
    assert {frozenset((one.first, one.second)) for one in state.pairings} == {
        frozenset(pair) for pair in combinations(range(7), 2)
    }
    for number in range(1, 8):
        playing = [who for one in state.pairings if one.round == number for who in (one.first, one.second)]
        assert len(playing) == len(set(playing)) == 6, "one rests in each round"


def test_groups_are_dealt_to_and_fro_and_seconds_meet_winners_of_other_groups() -> None:
    state = played(GROUPS, 16, better_seed_wins, prizes=0)
    assert stages.members(state) == {"A": [0, 7, 8, 15], "B": [1, 6, 9, 14], "C": [2, 5, 10, 13], "D": [3, 4, 11, 12]}
    following = stages.advancing(state)
    assert following[:4] == [0, 1, 2, 3]
    assert sorted(following[4:]) == [4, 5, 6, 7]
    first_round = [one for one in played(KNOCKOUT, 8, better_seed_wins).pairings if one.round == 1]
    group_of = {who: name for name, group in stages.members(state).items() for who in group}
    for pairing in first_round:
        assert group_of[following[pairing.first]] != group_of[following[pairing.second]]


@pytest.mark.parametrize("entrants", [8, 9])
def test_in_a_swiss_stage_nobody_meets_the_same_twice_and_has_one_bye_at_most(entrants: int) -> None:
    random = Random(4)
    state = played(SWISS, entrants, lambda _: random.choice([0, 1, 2]), prizes=0)
    pairs = [frozenset((one.first, one.second)) for one in state.pairings]
    assert len(set(pairs)) == len(pairs) == 5 * (entrants // 2)
    (rows,) = stages.standings(state).values()
    rounds_missed = [5 - row.played for row in rows]
    assert max(rounds_missed, default=0) <= 1
    assert sum(rounds_missed) == (5 if entrants % 2 else 0)
    assert sum(row.points for row in rows) == 5 * 2 * (entrants // 2) + 2 * sum(rounds_missed), "a bye is a win"


def test_byes_go_to_the_best_seeds() -> None:
    first = [one for one in played(KNOCKOUT, 5, better_seed_wins).pairings if one.round == 1]
    assert [(one.first, one.second) for one in first] == [(3, 4)]


def test_one_and_two_can_only_meet_in_the_final() -> None:
    assert brackets.seeding(8) == [0, 7, 3, 4, 1, 6, 2, 5]
    nodes = brackets.bracket(8)
    assert [node.part for node in nodes] == ["main"] * 7
    final = played(KNOCKOUT, 8, better_seed_wins).pairings[-1]
    assert {final.first, final.second} == {0, 1}


def test_the_losers_of_the_semifinals_play_for_the_third_place() -> None:
    third = Stage(Form.KNOCKOUT, best_of=1, third_place=True)
    upset = played(third, 4, lambda one: 0 if one.part == "third" else better_seed_wins(one))
    assert [one.part for one in upset.pairings].count("third") == 1
    assert stages.ranking(upset)[:2] == [0, 1]
    (game,) = [one for one in upset.pairings if one.part == "third"]
    assert stages.ranking(upset)[2:] == [game.second, game.first]


@pytest.mark.parametrize("entrants", [2, 3, 4, 6, 8, 11, 16])
def test_with_two_lives_only_the_second_defeat_ends_it(entrants: int) -> None:
    random = Random(entrants)
    state = played(DOUBLE, entrants, lambda _: random.choice([0, 2]))
    defeats = dict.fromkeys(range(entrants), 0)
    for pairing in state.pairings:
        won = state.outcomes[pairing.number].winner
        defeats[pairing.second if won == pairing.first else pairing.first] += 1
    champion, *others = stages.ranking(state)
    assert defeats[champion] <= 1
    assert all(defeats[one] == 2 for one in others)


def test_who_comes_from_the_lower_part_must_win_the_final_twice() -> None:
    def result(pairing: Pairing) -> int:
        return 0 if pairing.part == "final" and pairing.round == 1 else better_seed_wins(pairing)

    state = played(DOUBLE, 4, result)
    assert [one.round for one in state.pairings if one.part == "final"] == [1, 2]
    assert [one.round for one in played(DOUBLE, 4, better_seed_wins).pairings if one.part == "final"] == [1]


def test_a_tie_at_a_prize_is_decided_by_play_and_only_then_by_the_seeding() -> None:
    state = played(ROBIN, 4, always_drawn, prizes=1)
    assert [one.playoff for one in state.pairings] == [0] * 6 + [1] * 6 + [2] * 6
    assert stages.ranking(state) == [0, 1, 2, 3]
    decided = played(ROBIN, 4, lambda one: 1 if not one.playoff else 2 - better_seed_wins(one), prizes=1)
    assert max(one.playoff for one in decided.pairings) == 1
    assert stages.ranking(decided) == [3, 2, 1, 0]
    assert stages.standings(decided)["A"][0].decided_by == "play-off"


def test_a_tie_that_no_prize_hangs_on_is_left_to_the_written_order() -> None:
    def last_two_draw(pairing: Pairing) -> int:
        return 1 if {pairing.first, pairing.second} == {2, 3} else better_seed_wins(pairing)

    state = played(ROBIN, 4, last_two_draw, prizes=2)
    assert not any(one.playoff for one in state.pairings)
    assert stages.ranking(state) == [0, 1, 2, 3]
    assert stages.standings(state)["A"][2].decided_by == "seeding"


def test_direct_encounters_come_before_sonneborn_berger() -> None:
    results = {(0, 1): 0, (0, 2): 2, (0, 3): 2, (1, 2): 0, (1, 3): 2, (2, 3): 1}

    def result(one: Pairing) -> int:
        known = results.get((one.first, one.second))
        return 2 - results[one.second, one.first] if known is None else known

    rows = stages.standings(played(ROBIN, 4, result, prizes=0))["A"]
    assert [row.points for row in rows] == [4, 4, 3, 1]
    assert [row.entrant for row in rows] == [1, 0, 2, 3], "1 beat 0"
    assert rows[0].decided_by == "direct encounters"


ONE = Pairing(0, 1, "main", 0, 1)


@pytest.mark.parametrize(
    ("points", "ends"),
    [
        ([2], None),
        ([2, 2], (4, 0, 0)),
        ([2, 0], None),
        ([2, 1, 1], (4, 2, 0)),
        ([1, 1, 1], None),
        ([1, 1, 1, 0], (3, 5, 1)),
        ([1, 1, 1, 1, 1], None),
        ([1, 1, 1, 1, 1, 1], (6, 6, 0)),
    ],
)
def test_a_knockout_pairing_ends_when_it_is_decided(points: list[int], ends: tuple[int, int, int] | None) -> None:
    done = outcome(KNOCKOUT, ONE, points)
    assert (None if done is None else (done.first, done.second, done.winner)) == ends


def test_where_seats_differ_a_tie_is_only_broken_after_both_seats() -> None:
    four = Stage(Form.KNOCKOUT, best_of=4)
    assert outcome(four, ONE, [2, 0, 2, 0, 2], paired=True) is None
    broken = outcome(four, ONE, [2, 0, 2, 0, 2, 1], paired=True)
    assert broken is not None
    assert broken.winner == 0


def test_a_pairing_may_end_when_the_test_is_sure() -> None:
    long = Stage(Form.KNOCKOUT, best_of=99)
    sure = Stage(Form.KNOCKOUT, best_of=99, stop_when_sure=True)
    wins = [2] * 30
    assert outcome(long, ONE, wins) is None
    ended = next(count for count in range(1, 31) if outcome(sure, ONE, wins[:count]) is not None)
    assert ended < 30


@pytest.mark.parametrize("out", [{0}, {1}, {0, 1}])
def test_what_was_played_counts_and_the_rest_is_forfeited(out: set[int]) -> None:
    stage = Stage(Form.ROUND_ROBIN, seeds=4)
    done = games.outcome(stage, ONE, [2, 0], paired=False, better_seed=0, forfeits=frozenset(out))
    assert (
        done
        == {
            (0,): Outcome(2, 6, 1, 3),
            (1,): Outcome(6, 2, 3, 1),
            (0, 1): Outcome(2, 2, 1, 1),
        }[tuple(sorted(out))]
    )


@settings(max_examples=60, deadline=None)
@given(
    strategies.sampled_from([ROBIN, SWISS, KNOCKOUT, DOUBLE, GROUPS]), strategies.integers(2, 12), strategies.integers()
)
def test_no_pairing_is_played_twice_whatever_happens(stage: Stage, entrants: int, seed: int) -> None:
    random = Random(seed)
    state = played(stage, entrants, lambda _: random.choice([0, 1, 2]), paired=True)
    numbers = [one.number for one in state.pairings]
    assert len(set(numbers)) == len(numbers)
    planned = stages.most_games([stage], entrants, paired=True)[0]
    regular = [one for one in state.pairings if not one.playoff]
    assert len(regular) * games.planned(stage, paired=True) <= planned


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ([], "1 to 4"),
        ([Stage(Form.SWISS)], "rounds of 1 to 30"),
        ([GROUPS, Stage(Form.GROUPS, groups=1)], "2 groups or more"),
        ([ROBIN, KNOCKOUT], "2 or more who advance"),
        ([Stage(Form.KNOCKOUT, best_of=0)], "1 to 99"),
    ],
)
def test_stages_that_cannot_be_played_are_refused(wanted: list[Stage], expected: str) -> None:
    with pytest.raises(BadStage) as refused:
        stages.check(wanted, sizes=(2,))
    assert refused.value.expected == expected


def test_too_many_pairings_are_refused() -> None:
    assert stages.most_games([ROBIN], 282, paired=False) == [282 * 281 // 2]
    with pytest.raises(BadStage):
        stages.most_games([ROBIN], 284, paired=False)


def test_seeds_follow_from_the_secret_alone() -> None:
    """The digest is what openssl says of "0/1/2", keyed with 32 zero bytes."""
    secret = bytes(32)
    assert draws.seed(secret, 0, 1, 2) == 1 + 0xEFA7181F98A67E80 % (2**40 - 1)
    assert draws.commitment(secret) == "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"
    seeds = {draws.seed(secret, stage, pairing, trial) for stage in (0, 1) for pairing in (0, 1) for trial in (0, 1)}
    assert len(seeds) == 8
    assert all(0 < seed < 2**40 for seed in seeds)


def test_groups_have_letters() -> None:
    assert [group_name(index) for index in (0, 25, 26, 51, 52)] == ["A", "Z", "AA", "AZ", "BA"]
