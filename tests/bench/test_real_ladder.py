"""The bots of the real-ladder bench, the round robin's schedule, the independent fit, and how a board is compared."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from random import Random

import numpy as np
import pytest

from hexarena.backend.accounts.names import clean_name
from hexarena.bench.real import facts, variants
from hexarena.bench.real.comparison import Row, compare, read_row, refit
from hexarena.bench.real.fit import ELO, fit
from hexarena.bench.real.games_played import PlayedGame, by_teams, games, read_lines, shares, write_line
from hexarena.bench.real.round_robin import fixtures
from hexarena.bench.real.variants import NotInSource, Variant, source_of
from hexarena.games.catalogue import all_games, find_game

GAMES = tuple(all_games().values())
EVERY = [pytest.param(game, variant, id=variant.name) for game in GAMES for variant in variants.VARIANTS[game.id]]
BOTS = ("best", "middle", "worst")


def two(first: str, second: str, *, winner: str | None = None, seed: int = 1) -> PlayedGame:
    """A match of two seats; without a winner, a draw."""
    ranks = (0, 0) if winner is None else (int(winner != first), int(winner != second))
    return PlayedGame(0, seed, ((first,), (second,)), ranks)


ROUND_ROBIN = [
    two("best", "middle", winner="best"),
    two("middle", "best", winner="best"),
    two("best", "worst", winner="best"),
    two("worst", "best"),
    two("middle", "worst", winner="middle"),
    two("worst", "middle", winner="worst"),
]
"""best 3.5 of 4, middle 1 of 4, worst 1.5 of 4."""


# --- Variants --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_a_game_has_twenty_bots_whose_names_a_user_may_choose(game):
    names = variants.names(game)
    assert len({name.lower() for name in names}) == len(names) == variants.BOTS
    assert [clean_name(name) for name in names] == list(names)


@pytest.mark.parametrize(("game", "variant"), EVERY)
def test_a_variant_is_another_program_than_its_bot(game, variant):
    source = source_of(game, variant)
    assert source != variants.house_source(game, variant.of)
    assert len(source.encode()) < 100_000
    if variants.language_of(game, variant) == "python":
        compile(source, variant.name, "exec")


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_no_two_variants_are_the_same_program(game):
    sources = [source_of(game, variant) for variant in variants.VARIANTS[game.id]]
    assert len(set(sources)) == len(sources)


def test_a_constant_that_is_not_in_the_source_is_refused():
    with pytest.raises(NotInSource, match="expected 'DEPTH = 9' once in Keystone; got it 0 times"):
        source_of(find_game("yavalath"), Variant("deep", "Keystone", (("DEPTH = 9", "DEPTH = 10"),)))


def test_a_reply_that_stands_nowhere_cannot_go_astray():
    game = find_game("ants")
    silent = Variant("silent", "Queen", (("std::cout << commands << std::endl;", ""),), astray=0.5)
    with pytest.raises(NotInSource, match="once in Queen; got it 0 times"):
        source_of(game, silent)


@pytest.mark.parametrize("percent", [0.0, 1.0])
def test_a_bot_that_goes_astray_waits_as_often_as_it_should(percent, capsys):
    game = find_game("tryangle")
    source = source_of(game, Variant("lost", "Rover", astray=percent or 1e-9))
    speaks = source[: source.index('"""Rover')]
    exec(compile(speaks + "print('MOVE 1 2 1', flush=True)\n", "lost", "exec"), {})  # noqa: S102 - our own text
    assert capsys.readouterr().out == ("WAIT\n" if percent else "MOVE 1 2 1\n")


# --- The schedule ----------------------------------------------------------------------------------------------------


def test_each_pair_meets_in_each_round_and_the_seats_change():
    game, names = find_game("ants"), [f"bot {number}" for number in range(6)]
    planned = fixtures(game, names, 4)
    assert [fixture.number for fixture in planned] == list(range(4 * 15))
    assert Counter(frozenset(one.entrants) for one in planned) == {
        frozenset(pair): 4 for pair in combinations(names, 2)
    }
    assert set(Counter(one.entrants for one in planned).values()) == {2}


def test_the_first_two_rounds_of_a_pair_share_a_seed_and_all_others_have_their_own():
    planned = fixtures(find_game("ants"), ["a", "b", "c"], 4)
    seeds = [one.seed for one in planned if set(one.entrants) == {"a", "b"}]
    assert seeds[0] == seeds[1]
    assert len(set(seeds)) == 3


def test_more_rounds_only_add_to_the_schedule():
    game, names = find_game("yavalath"), ["a", "b", "c", "d"]
    assert fixtures(game, names, 5)[: 2 * 6] == fixtures(game, names, 2)


def test_four_teams_meet_and_everybody_sits_out_equally_often():
    game = find_game("battlegrounds")
    planned = fixtures(game, variants.names(game), 3)
    assert {len(set(one.entrants)) for one in planned} == {4}
    assert len(set(Counter(name for one in planned for name in one.entrants).values())) == 1


# --- What was played -------------------------------------------------------------------------------------------------


def test_what_is_written_is_read_again_but_for_a_line_that_was_cut_off(tmp_path: Path):
    path = tmp_path / "game.jsonl"
    assert read_lines(path) == []
    one = replace(ROUND_ROBIN[0], faults={"middle": ["timeout"]}, level=3)
    for played in (one, ROUND_ROBIN[3]):
        write_line(path, played)
    path.write_text(path.read_text() + '{"number": 7, "see')
    assert read_lines(path) == [replace(one, faults={"middle": ["timeout"]}), ROUND_ROBIN[3]]


def test_scores_are_shares_of_the_other_teams():
    assert shares(ROUND_ROBIN, BOTS) == {"best": 3.5 / 4, "middle": 1 / 4, "worst": 1.5 / 4}
    three = PlayedGame(0, 1, (("a", "b"), ("c", "c"), ("d", "d")), (1, 0, 1))
    assert shares([three], "abcd") == {"a": 0.25, "b": 0.25, "c": 1.0, "d": 0.25}
    assert games([three], "abcde") == {"a": 1, "b": 1, "c": 1, "d": 1, "e": 0}


def test_seats_are_gathered_into_teams():
    teams, ranks = by_teams(find_game("battlegrounds"), list("aabbcccc"), [1] * 4 + [0] * 4)
    assert (teams, ranks) == ([("a", "a", "b", "b"), ("c", "c", "c", "c")], [1, 0])


# --- The fit ---------------------------------------------------------------------------------------------------------


def test_two_bots_are_as_far_apart_as_their_score_says():
    played = [two("a", "b", winner="a"), two("b", "a", winner="a")] * 300 + [
        two("a", "b", winner="b"),
        two("b", "a", winner="b"),
    ] * 100
    found = fit(played, ("a", "b"))
    assert found.ratings[0] - found.ratings[1] == pytest.approx(ELO * np.log(3), abs=1.0)
    assert found.seat == pytest.approx(0, abs=1e-6)
    error_of_difference = ELO / np.sqrt(800 * 0.75 * 0.25)
    assert 2 * found.errors == pytest.approx([error_of_difference] * 2, rel=0.01)


def test_the_first_seats_advantage_is_separated_from_strength():
    played = [two("a", "b", winner="a"), two("b", "a", winner="b")] * 100
    played += [two("a", "b", winner="b"), two("b", "a", winner="a")] * 50
    found = fit(played, ("a", "b"))
    assert found.ratings == pytest.approx([0, 0], abs=1e-6)
    assert found.seat == pytest.approx(ELO * np.log(2), rel=0.02)


def test_a_draw_is_half_a_win_for_both():
    draws = fit([two("a", "b")] * 60 + [two("a", "b", winner="a")] * 20, ("a", "b"))
    wins = fit([two("a", "b", winner="a")] * 50 + [two("a", "b", winner="b")] * 30, ("a", "b"))
    assert draws.ratings == pytest.approx(wins.ratings)


def test_the_strengths_of_members_are_found_from_the_ranks_of_mixed_teams():
    random, names = Random(5), [f"bot {number}" for number in range(8)]
    strength = {name: 150.0 * number for number, name in enumerate(names)}
    played = []
    for number in range(1500):
        order = random.sample(names, 8)
        teams = [tuple(order[start : start + 2]) for start in (0, 2, 4, 6)]
        level = [sum(strength[bot] for bot in team) / 2 / ELO - np.log(random.expovariate(1)) for team in teams]
        ranks = tuple(sorted(level, reverse=True).index(one) for one in level)
        played.append(PlayedGame(number, 1, tuple(teams), ranks))
    found = fit(played, names)
    true = np.array(list(strength.values())) - np.mean(list(strength.values()))
    assert np.abs(found.ratings - true).max() < 4 * found.errors.max()
    assert found.errors.max() < 40


def test_a_bot_that_always_wins_has_a_finite_rating():
    found = fit([two("a", "b", winner="a")] * 50, ("a", "b"))
    assert 300 < found.ratings[0] < 2000


def test_nothing_to_fit_is_refused():
    with pytest.raises(ValueError, match="expected matches to fit; got none"):
        fit([], ("a", "b"))


# --- The comparison --------------------------------------------------------------------------------------------------


def test_taus_by_hand():
    board = [Row("best", 1300, 1200, 1400, 10), Row("worst", 1200, 1100, 1300, 20), Row("middle", 1250, 1150, 1350, 30)]
    found = compare(board, ROUND_ROBIN, BOTS)
    assert found.tau_order == pytest.approx(1.0)
    assert found.tau_rating == pytest.approx(1 / 3)
    assert (found.bots, found.top, found.games_mean, found.games_least, found.games_most) == (3, 3, 20, 10, 30)


def test_a_board_that_repeats_the_fit_is_covered_and_one_that_is_sure_of_the_contrary_is_not():
    fitted = fit(ROUND_ROBIN, BOTS)
    same = [Row(bot, 1000 + elo, 990 + elo, 1010 + elo, 4) for bot, elo in zip(BOTS, fitted.ratings, strict=True)]
    found = compare(same, ROUND_ROBIN, BOTS)
    assert (found.covered, found.covered_both) == (1.0, 1.0)
    assert found.rmse == pytest.approx(0, abs=1e-9)
    assert found.width == pytest.approx(10)
    contrary = [replace(row, rating=2000 - row.rating, low=1990 - row.rating, high=2010 - row.rating) for row in same]
    assert compare(contrary, ROUND_ROBIN, BOTS).covered < 1


def test_bots_that_only_one_side_has_are_left_out():
    board = [Row(bot, 1000 - number, 900, 1100, 1) for number, bot in enumerate(("best", "stranger", "worst"))]
    assert compare(board, ROUND_ROBIN, BOTS).bots == 2
    with pytest.raises(ValueError, match="got 1"):
        compare(board[1:], ROUND_ROBIN, BOTS)


def test_a_row_is_read_with_or_without_a_league():
    line = {"bot": "x", "rating": 1200.5, "low": 1100, "high": 1300, "games": 7, "placing": True, "mine": False}
    assert read_row(line) == Row("x", 1200.5, 1100, 1300, 7, "", True)
    assert read_row({**line, "league": "Gold"}).league == "Gold"
    assert read_row({**line, "league": {"name": "Gold", "position": 4}}).league == "Gold"


def test_what_a_ladder_played_is_fitted_again_and_beside_as_many_random_matches():
    board = [Row("best", 1300, 1200, 1400, 10), Row("worst", 1200, 1100, 1300, 20), Row("middle", 1250, 1150, 1350, 30)]
    found = refit(board, ROUND_ROBIN[:3], ROUND_ROBIN * 4, BOTS)
    assert found.tau == pytest.approx(1.0)
    assert found.tau_board == pytest.approx(1 / 3)
    assert 0 < found.tau_random < 1
    assert np.isnan(refit(board, ROUND_ROBIN[:4], ROUND_ROBIN, BOTS).tau_random)


# --- Facts -----------------------------------------------------------------------------------------------------------


def test_swapped_seats_that_only_repeat_the_match_are_wholly_correlated():
    played = [
        match
        for seed in range(40)
        for winner in ["a" if seed % 2 else "b"]
        for match in (two("a", "b", winner=winner, seed=seed), two("b", "a", winner=winner, seed=seed))
    ]
    found = facts.mirror(played, ("a", "b"), fit(played, ("a", "b")))
    assert found is not None
    assert (found.pairs, found.same) == (40, 1.0)
    assert found.correlation == pytest.approx(1.0)
    assert found.chance == pytest.approx(0.5)


def test_matches_on_different_seeds_are_no_mirrors():
    played = [two("a", "b", winner="a", seed=1), two("b", "a", winner="a", seed=2)]
    assert facts.mirror(played, ("a", "b"), fit(played, ("a", "b"))) is None


def test_the_lines_of_a_round_robin_begin_with_the_best_score():
    lines = facts.lines(ROUND_ROBIN, BOTS)
    assert [line.bot for line in lines] == ["best", "worst", "middle"]
    assert json.dumps(lines[0].games) == "4"
