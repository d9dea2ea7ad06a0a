"""Stages as values: who meets whom, who advances, and what ties end with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings, strategies

from hexarena.backend.events import brackets, draws, games, stages, swiss
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


@pytest.mark.long
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
    assert following == [0, 1, 2, 3, 6, 7, 4, 5]
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


def test_of_very_many_in_a_swiss_stage_nobody_meets_the_same_twice_and_scores_are_near() -> None:
    entrants, random = swiss.MOST_WHOLE + 17, Random(3)
    points, met = dict.fromkeys(range(entrants), 0), set()
    for number in range(4):
        standing = sorted(points.items(), key=lambda one: (-one[1], one[0]))
        pairs, bye = swiss.pair(standing, met, [])
        assert sorted([bye, *(one for pair in pairs for one in pair)]) == list(range(entrants)), number
        assert not met & {frozenset(pair) for pair in pairs}
        assert max(abs(points[one] - points[other]) for one, other in pairs) <= 1
        met |= {frozenset(pair) for pair in pairs}
        for one, other in pairs:
            won = random.choice([0, 1, 2])
            points[one], points[other] = points[one] + won, points[other] + 2 - won
    first = swiss.pair([(one, 0) for one in range(entrants - 1)], [], [])[0]
    half = (entrants - 1) // 2
    assert first == [(one, one + half) for one in range(half)], "the upper half meets the lower half"


def test_a_swiss_stage_is_one_table_and_every_bye_counts() -> None:
    state = played(replace(SWISS, rounds=6), 3, always_drawn, prizes=0)
    assert {one.part for one in state.pairings} == {""}
    assert list(stages.standings(state)) == [""]
    assert [row.played for row in stages.standings(state)[""]] == [4, 4, 4]
    assert [row.points for row in stages.standings(state)[""]] == [8, 8, 8], "four drawn games and two byes"


@pytest.mark.parametrize(
    ("half_points", "met", "pairs"),
    [
        ([4, 4, 4, 4, 4, 4], [], [(0, 3), (1, 4), (2, 5)]),
        ([6, 6, 0, 0], [], [(0, 1), (2, 3)]),
        ([4, 4, 4, 2], [], [(0, 1), (2, 3)]),
        ([4, 3, 1, 0], [(0, 1)], [(0, 2), (1, 3)]),
        ([4, 4, 0, 0], [(0, 1), (0, 2), (0, 3)], [(0, 1), (2, 3)]),
    ],
    ids=["halves meet", "scores are near", "an odd one", "nobody meets twice", "but where it must be"],
)
def test_a_round_pairs_those_near_each_other_who_have_not_met(
    half_points: list[int], met: list[tuple[int, int]], pairs: list[tuple[int, int]]
) -> None:
    assert swiss.pair(list(enumerate(half_points)), set(map(frozenset, met)), []) == (pairs, None)


def test_the_bye_is_the_last_one_s_who_had_none_and_then_the_last_one_s() -> None:
    standing = [(7, 2), (8, 1), (9, 0)]
    assert swiss.pair(standing, set(), [9])[1] == 8
    assert swiss.pair(standing, set(), [7, 8, 9])[1] == 9


def test_only_a_tie_where_some_advance_is_played_off() -> None:
    among_four = replace(ROBIN, advance=2)
    assert any(one.playoff for one in played(among_four, 4, always_drawn, prizes=0).pairings)
    apart = played(among_four, 4, lambda one: 1 if max(one.first, one.second) < 2 else better_seed_wins(one), prizes=0)
    assert not any(one.playoff for one in apart.pairings), "0 and 1 tie, and both advance"


@pytest.mark.parametrize(
    ("outside", "advance"),
    [({1}, [0, 1, 2]), ({2}, [0, 1]), ({0, 1}, [0, 1, 2, 3]), ({1, 2, 3}, [0, 1])],
    ids=["ahead of the last", "behind it", "two ahead", "too few others"],
)
def test_who_takes_no_prize_takes_no_place_either(outside: set[int], advance: list[int]) -> None:
    state = played(replace(ROBIN, advance=2), 4, better_seed_wins, prizes=0)
    assert stages.advancing(replace(state, outside=frozenset(outside))) == advance


def test_byes_go_to_the_best_seeds() -> None:
    first = [one for one in played(KNOCKOUT, 5, better_seed_wins).pairings if one.round == 1]
    assert [(one.first, one.second) for one in first] == [(3, 4)]


def test_one_and_two_can_only_meet_in_the_final() -> None:
    assert brackets.seeding(8) == [0, 7, 3, 4, 1, 6, 2, 5]
    nodes = brackets.bracket(8)
    assert [node.part for node in nodes] == ["main"] * 7
    final = played(KNOCKOUT, 8, better_seed_wins).pairings[-1]
    assert {final.first, final.second} == {0, 1}


def test_what_rests_on_a_pairing_is_behind_it_in_the_bracket() -> None:
    eight = brackets.bracket(8)
    assert brackets.resting_on(eight, 0) == {4, 6}
    assert brackets.resting_on(eight, 5) == {6}
    assert brackets.resting_on(eight, 6) == set()
    assert brackets.resting_on(brackets.bracket(4, third_place=True), 1) == {2, 3}
    double = brackets.bracket(4, lives=2)
    parts = [(node.part, node.round) for node in double]
    assert {parts[one] for one in brackets.resting_on(double, 2)} == {("lower", 2), ("final", 1), ("final", 2)}


@pytest.mark.parametrize("lives", [1, 2])
@pytest.mark.parametrize("entrants", [2, 3, 5, 8, 11])
def test_nobody_else_s_opponent_depends_on_a_pairing(entrants: int, lives: int) -> None:
    stage = Stage(Form.KNOCKOUT, best_of=1, lives=lives)
    random = Random(entrants)
    state = played(stage, entrants, lambda _: random.choice([0, 2]))
    nodes, known = stages.bracket_of(state), stages.winners(state)
    before = brackets.resolve(nodes, state.entrants, known)
    for one in state.pairings:
        other = {**known, one.number: one.second if known[one.number] == one.first else one.first}
        after = brackets.resolve(nodes, state.entrants, other)
        changed = {number for number, held in after.items() if held != before[number]}
        assert changed <= brackets.resting_on(nodes, one.number)


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
    for points in (wins, [0] * 30):
        ended = next(count for count in range(1, 31) if outcome(sure, ONE, points[:count]) is not None)
        assert ended < 30


def test_a_pairing_ends_with_its_last_game() -> None:
    assert outcome(ROBIN, ONE, [2]) == Outcome(2, 0, 1, 0)
    assert outcome(DOUBLE, ONE, [0]) == Outcome(0, 2, 0, 1, winner=1)


def test_where_seats_differ_the_test_is_sure_only_after_both_seats() -> None:
    sure = Stage(Form.KNOCKOUT, best_of=98, stop_when_sure=True)
    ends = next(count for count in range(1, 99) if outcome(sure, ONE, [2] * count, paired=True) is not None)
    assert 2 < ends < 50
    assert ends % 2 == 0


def test_a_tie_that_nothing_breaks_is_the_better_seed_s() -> None:
    four = Stage(Form.KNOCKOUT, best_of=3)
    assert outcome(four, ONE, [1] * 7, paired=True) is None
    assert outcome(four, ONE, [1] * 8, paired=True) == Outcome(8, 8, 0, 0, winner=0)


@pytest.mark.parametrize("stays", [0, 1])
def test_in_a_knockout_who_is_still_there_advances(stays: int) -> None:
    done = games.outcome(KNOCKOUT, ONE, [1], paired=False, better_seed=0, forfeits=frozenset({1 - stays}))
    assert done is not None
    assert done.winner == stays


def test_where_both_are_out_the_better_seed_advances() -> None:
    out = frozenset((0, 1))
    for seed in (0, 1):
        done = games.outcome(KNOCKOUT, ONE, [], paired=False, better_seed=seed, forfeits=out)
        assert done == Outcome(0, 0, 0, 0, winner=seed)


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
    ("wanted", "said", "expected", "got"),
    [
        ([], "A final has stages.", "1 to 4", "0"),
        ([KNOCKOUT] * 5, "A final has stages.", "1 to 4", "5"),
        ([Stage(Form.SWISS)], "A Swiss stage has rounds.", "rounds of 1 to 30", "0"),
        ([Stage(Form.LADDER)], "A ladder that is played on has rounds.", "rounds of 1 to 30", "0"),
        ([GROUPS, Stage(Form.GROUPS, groups=1)], "One group is a round robin.", "2 groups or more", "1"),
        ([ROBIN, KNOCKOUT], "A stage that is not the last one lets some advance.", "2 or more who advance", "0"),
        (
            [Stage(Form.ROUND_ROBIN, groups=4, advance=1), KNOCKOUT],
            "A stage that is not the last one lets some advance.",
            "2 or more who advance",
            "1",
        ),
        ([Stage(Form.KNOCKOUT, best_of=0)], "best_of is out of range.", "1 to 99", "0"),
        ([Stage(Form.KNOCKOUT, games=97)], "games is out of range.", "1 to 96", "97"),
        (
            [Stage(Form.KNOCKOUT, lives=2, third_place=True)],
            "third_place and two lives do not go together.",
            "either of them: in a double elimination the third place follows from the bracket",
            "both",
        ),
        (
            [Stage(Form.HEATS, rounds=1)],
            "There are no heats in this game.",
            "a game that two, three and more can play, without a gap",
            "a game for 2",
        ),
    ],
)
def test_stages_that_cannot_be_played_are_refused(wanted: list[Stage], said: str, expected: str, got: str) -> None:
    with pytest.raises(BadStage) as refused:
        stages.check(wanted, sizes=(2,))
    assert (str(refused.value), refused.value.expected, refused.value.got) == (said, expected, got)


def test_a_game_for_four_has_no_pairs() -> None:
    with pytest.raises(BadStage, match=r"^This game needs more than two bots, so it has no knockout\.$") as refused:
        stages.check([KNOCKOUT], sizes=(4, 3))
    assert (refused.value.expected, refused.value.got) == ("heats, or a game for two", "a game for 3, 4")


def test_one_of_each_group_may_advance() -> None:
    stages.check([Stage(Form.GROUPS, groups=2, advance=1), KNOCKOUT], sizes=(2,))


def test_a_stage_is_read_as_it_was_written_and_what_is_none_refused() -> None:
    assert DOUBLE.as_json()["form"] == "knockout"
    assert Stage.read({**DOUBLE.as_json(), "of a later version": 1}) == DOUBLE
    with pytest.raises(BadStage, match=r"^This is not a stage\.$") as refused:
        Stage.read({"form": "chess"})
    assert (refused.value.expected, refused.value.got) == ("a form and its options", "'chess' is not a valid Form")


def test_too_many_pairings_are_refused() -> None:
    assert stages.most_games([ROBIN], 282, paired=False) == [282 * 281 // 2]
    with pytest.raises(BadStage, match="This is too much") as refused:
        stages.most_games([ROBIN], 284, paired=False)
    assert (refused.value.expected, refused.value.got) == (
        "at most 40,000 pairings of 1,024 entrants",
        "40,186 of 284",
    )


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
