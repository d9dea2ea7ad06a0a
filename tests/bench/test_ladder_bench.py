"""The simulated arena: its truth, the other products' formulas, the experiments on little, and the goals' table."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import combinations
from pathlib import Path

import choix
import numpy as np
import pytest

from hexarena.bench.ladder import (
    cost,
    duels,
    goals,
    guests,
    jobs,
    leagues,
    newcomer,
    promotion,
    season,
    shuffled,
    static,
    suspects,
    teams,
)
from hexarena.bench.ladder.catalogue import contestant
from hexarena.bench.ladder.goals import KINDS, NAMES, Goal, Row, rows
from hexarena.bench.ladder.jobs import HELD_OUT, OURS, PUBLISHED, Found, Job, Repetitions, Setting, mean_of, run_all
from hexarena.bench.ladder.pairers import (
    AnyPairer,
    HalitePairer,
    LeastMetPairer,
    NeighbourPairer,
    Pairer,
    RoundRobinPairer,
    Seen,
    places,
)
from hexarena.bench.ladder.product import Product
from hexarena.bench.ladder.raters import EloRater, PlainBradleyTerry, Rater, TrueSkillRater
from hexarena.bench.ladder.rivals import RIVALS, rival
from hexarena.bench.ladder.static import Size, games_to
from hexarena.bench.ladder.teams import OPENSKILL, OpenSkill
from hexarena.bench.ladder.world import ELO_PER_LOGIT, LOGITS_PER_ELO, Pairs, Parameters, Results, World
from tests.cli.test_cli import hexarena

PLAIN = Parameters(copies=0, nontransitive=0, draws=0, seat=0, map_seat=0, map_style=0)
"""Nothing but strengths."""
EVERYBODY = (OURS, *RIVALS)


@pytest.fixture(autouse=True)
def _importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))


def game(points: float) -> Results:
    """Bot 0 in the first seat against bot 1."""
    return Results(np.array([0]), np.array([1]), np.array([points]))


def everybody_meets(bots: int, times: int) -> Pairs:
    return np.array(list(combinations(range(bots), 2)) * times)


# --- The world -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("setting", [PUBLISHED, HELD_OUT])
def test_the_true_order_is_that_of_the_points_to_be_expected_in_a_round_robin(setting: Setting) -> None:
    world = World(40, 3, setting.parameters)
    everybody = np.arange(40)
    points = world.expected(everybody, everybody).sum(1)
    assert (np.argsort(world.truth()) == np.argsort(points)).all()
    some = everybody[5:15]
    assert (np.argsort(world.truth(some)) == np.argsort(world.expected(some, some).sum(1))).all()


@pytest.mark.parametrize("setting", [PUBLISHED, HELD_OUT])
def test_games_end_as_is_to_be_expected(setting: Setting) -> None:
    world = World(3, 4, setting.parameters)
    expected = world.expected(np.array([0]), np.array([1]))[0, 0]
    played = world.play(np.tile([0, 1], (40_000, 1)))
    share = np.where(played.first == 0, played.points, 1 - played.points).mean()
    swapped = world.play_swapped(np.tile([0, 1], (20_000, 1))).mean() / 2
    assert share == pytest.approx(expected, abs=0.01)
    assert swapped == pytest.approx(expected, abs=0.01)
    assert np.mean(played.first == 0) == pytest.approx(0.5, abs=0.01)


def test_without_effects_the_truth_is_the_strengths() -> None:
    world = World(10, 1, PLAIN)
    assert world.truth() - world.truth()[0] == pytest.approx(world.strengths - world.strengths[0], abs=0.1)


def test_half_of_equal_games_may_be_draws_and_the_first_seat_may_win_more() -> None:
    world = World(2, 1, Parameters(0, 0, 0, 0, draws=0.5, seat=100, map_seat=0, map_style=0))
    played = world.play(np.tile([0, 1], (40_000, 1)))
    win, loss = math.exp(50 * LOGITS_PER_ELO), math.exp(-50 * LOGITS_PER_ELO)
    total = win + loss + 2.0
    assert np.mean(played.points == 0.5) == pytest.approx(2.0 / total, abs=0.01)
    assert np.mean(played.points == 1.0) == pytest.approx(win / total, abs=0.01)


def test_a_newcomers_rating_is_the_one_it_would_have_as_one_of_them() -> None:
    world = World(12, 2, PUBLISHED.parameters)
    others, truth = np.arange(11), world.truth(np.arange(11))
    world.strengths[11] = world.strengths[4]
    world._styles[11], world._tastes[11] = world._styles[4], world._tastes[4]
    without = np.delete(others, 4)
    assert world.rating_among(11, without, truth[without]) == pytest.approx(truth[4], abs=0.01)


def test_a_branch_leaves_the_world_as_it_is() -> None:
    world = World(5, 1, PUBLISHED.parameters)
    before = world.truth()
    there = world.branch(np.random.default_rng(1))
    there.enter(400.0, parent=2)
    there.play(everybody_meets(6, 1))
    assert (len(there), len(world)) == (6, 5)
    assert (world.truth() == before).all()
    alone = World(5, 1, PUBLISHED.parameters).play(everybody_meets(5, 1))
    assert (world.play(everybody_meets(5, 1)).points == alone.points).all()


# --- Raters ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("points", "means", "sigmas"),
    [(1.0, (29.396, 20.604), (7.171, 7.171)), (0.0, (20.604, 29.396), (7.171, 7.171)), (0.5, (25, 25), (6.458, 6.458))],
)
def test_trueskill_gives_the_published_ratings_after_one_game(
    points: float, means: tuple[float, float], sigmas: tuple[float, float]
) -> None:
    rater = TrueSkillRater(2, tau=25 / 300, draws=0.1, below=3)
    rater.learn(game(points))
    assert rater.means == pytest.approx(means, abs=0.001)
    assert rater.sigmas == pytest.approx(sigmas, abs=0.001)
    assert rater.board() == pytest.approx(np.array(means) - 3 * np.array(sigmas), abs=0.01)


def test_a_unit_of_trueskill_has_as_many_elo_as_make_the_win_curves_equally_steep() -> None:
    rater = TrueSkillRater(2, tau=0, draws=1e-4, below=0)
    rater.means[:] = [25.1, 25.0]
    by_trueskill = 0.5 + 0.1 / (math.sqrt(2 * math.pi) * math.sqrt(2) * 25 / 6)
    gap = rater.elo()[0] - rater.elo()[1]
    assert 1 / (1 + 10 ** (-gap / 400)) == pytest.approx(by_trueskill, abs=1e-5)


def test_elo_moves_by_whole_numbers() -> None:
    rater = EloRater(2, 8, whole=True)
    rater.learn(game(1.0))
    assert rater.elo().tolist() == [1504.0, 1496.0]
    rater.learn(game(0.0))
    assert rater.elo().tolist() == [1500.0, 1500.0]
    rater = EloRater(2, 8, whole=False)
    rater._ratings[:] = [1700.0, 1300.0]
    rater.learn(game(0.5))
    assert rater.elo() == pytest.approx([1700 + 8 * (0.5 - 10 / 11), 1300 - 8 * (0.5 - 10 / 11)])


def test_cgarenas_ratings_are_those_of_choix_with_the_same_prior() -> None:
    wins = [(0, 1), (0, 1), (1, 0), (2, 1), (2, 0), (3, 2), (0, 3), (3, 1), (2, 3), (1, 3), (3, 0), (0, 2)]
    rater = PlainBradleyTerry(4)
    rater.learn(Results(*(np.array(side) for side in zip(*wins, strict=True)), np.ones(len(wins))))
    expected = choix.opt_pairwise(4, wins, alpha=1 / (2 * (300 * LOGITS_PER_ELO) ** 2))
    ratings = rater.elo() / ELO_PER_LOGIT
    assert ratings - ratings.mean() == pytest.approx(expected - expected.mean(), abs=1e-4)
    assert rater.board() == pytest.approx(rater.elo() - 3 * rater.deviations())


def test_openskill_rates_teams_as_the_library_does() -> None:
    """The numbers are those of openskill 6.2's PlackettLuce(tau=0.002)."""
    rater = OpenSkill(8, np.random.default_rng(1))
    rater.learn([np.array([[0, 1], [2, 3], [4, 5], [6, 7]]), np.array([[4, 0], [1, 6], [2, 7], [3, 5]])])
    means = [29.11682, 28.28163, 26.10179, 23.01924, 26.75121, 21.67234, 23.1591, 21.93586]
    sigmas = [8.24895, 8.20312, 8.10359, 8.0978, 8.14634, 8.04539, 8.10223, 8.05106]
    assert rater.means == pytest.approx(means, abs=1e-5)
    assert rater.sigmas == pytest.approx(sigmas, abs=1e-5)


@pytest.mark.parametrize("name", [OURS, "cgarena"])
def test_very_many_games_show_the_true_order(name: str) -> None:
    world = World(8, 6, PLAIN)
    ladder = contestant(name, 8, 1)
    ladder.learn(world.play(everybody_meets(8, 4000)))
    assert (places(ladder.board()) == places(world.truth())).all()
    off = ladder.elo() - ladder.elo().mean() - world.truth() + world.truth().mean()
    assert np.abs(off).max() < 12


@pytest.mark.parametrize(("name", "keeps"), [("AI-Arena-like", True), ("CodinGame-like", False), (OURS, True)])
def test_a_new_version_begins_where_its_predecessor_stands_if_the_product_says_so(name: str, keeps: bool) -> None:
    ladder = contestant(name, 4, 1)
    ladder.learn(World(4, 9, PLAIN).play(everybody_meets(4, 50)))
    best = int(ladder.board().argmax())
    ladder.enter(best)
    ladder.enter()
    assert bool(abs(ladder.elo()[4] - ladder.elo()[best]) < 1e-6) is keeps
    assert ladder.elo()[5] < ladder.elo()[best] - 50
    assert ladder.games.tolist() == [150, 150, 150, 150, 0, 0]


@pytest.mark.parametrize("name", EVERYBODY)
def test_a_branch_of_a_ladder_goes_on_by_itself(name: str) -> None:
    world, ladder = World(7, 1, PLAIN), contestant(name, 6, 1)
    ladder.learn(world.play(everybody_meets(6, 3)))
    before = ladder.board()
    other = ladder.branch(np.random.default_rng(1))
    other.enter(2)
    other.learn(world.play(np.array([[6, 0], [6, 1], [6, 2]])))
    assert (ladder.board() == before).all()
    assert (len(other.board()), other.games[6], ladder.games.sum()) == (7, 3, 90)


# --- Pairers ---------------------------------------------------------------------------------------------------------


def seen(bots: int, *, games: list[int] | None = None, rater: Rater | None = None) -> Seen:
    played = np.zeros(bots, dtype=np.int64) if games is None else np.array(games)
    return Seen(np.arange(bots), played, rater or EloRater(bots, 8, whole=True), np.random.default_rng(5))


@pytest.mark.parametrize("pairer", [RoundRobinPairer(), LeastMetPairer()])
@pytest.mark.parametrize("bots", [7, 8])
def test_everybody_meets_everybody_before_anybody_meets_again(pairer: Pairer, bots: int) -> None:
    field, every = seen(bots), bots * (bots - 1) // 2
    met = Counter(frozenset(pair) for _ in range(2) for pair in pairer.pairs(field, every).tolist())
    assert sorted(met.values()) == [2] * every


def test_a_round_robin_begins_anew_when_somebody_comes() -> None:
    pairer = RoundRobinPairer()
    pairer.pairs(seen(6), 4)
    assert 6 in pairer.pairs(seen(7), 21)


@pytest.mark.parametrize("pairer", [AnyPairer(None), AnyPairer(5), NeighbourPairer(2), HalitePairer()])
@pytest.mark.parametrize("count", [4, 25])
def test_nobody_plays_himself(pairer: Pairer, count: int) -> None:
    pairs = pairer.pairs(seen(9), count)
    assert pairs.shape == (count, 2)
    assert (pairs[:, 0] != pairs[:, 1]).all()


def test_psyleague_plays_first_who_has_played_too_little() -> None:
    pairs = AnyPairer(10).pairs(seen(5, games=[10, 3, 12, 9, 10]), 50)
    assert set(pairs[:, 0].tolist()) == {1, 3}


def test_neighbours_are_few_places_apart_and_who_has_played_least_comes_first() -> None:
    rater = EloRater(20, 8, whole=True)
    rater._ratings[:] = np.random.default_rng(3).normal(1500, 100, 20).tolist()
    pairs = NeighbourPairer(3).pairs(seen(20, games=[0] * 5 + [9] * 15, rater=rater), 5)
    place = places(rater.board())
    assert set(pairs[:, 0].tolist()) == {0, 1, 2, 3, 4}
    assert np.abs(place[pairs[:, 0]] - place[pairs[:, 1]]).max() <= 3


def test_halites_opponents_are_mostly_near_in_rating() -> None:
    rater = EloRater(60, 8, whole=True)
    rater._ratings[:] = [1500.0 + 10 * bot for bot in range(60)]
    opponents = HalitePairer().opponents(seen(59, rater=rater), 59, 300)
    assert np.median(59 - opponents) < 10


# --- The experiments, on little --------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("name", EVERYBODY)
def test_a_field_is_put_in_order_and_the_same_seed_gives_the_same_numbers(name: str) -> None:
    size = Size(12, 40, 40, 1, Repetitions(1, 1))
    found = static.play(PUBLISHED, name, size, 0)
    assert found["tau 40"] > 0.6
    assert math.isnan(found["covered 40"]) is (name == "AI-Arena-like")
    assert static.play(PUBLISHED, name, size, 0) == pytest.approx(found, nan_ok=True, abs=0)
    assert static.play(PUBLISHED, name, size, 1) != found


@pytest.mark.long
def test_a_newcomer_is_known_sooner_where_its_predecessors_rating_is_kept() -> None:
    unknown = newcomer.play(PUBLISHED, "AI-Arena-like", 0, (4,), False)["within 4"]
    version = newcomer.play(PUBLISHED, "AI-Arena-like", 0, (4,), True)["within 4"]
    assert version > unknown + 0.2


def test_a_seasons_board_is_looked_at_while_it_lasts() -> None:
    found = season.play(PUBLISHED, "CodinGame-like", 0, games=3000)
    assert 0.3 < found["worst"] < found["tau"] < 1


def test_shuffled_games_move_elo_ratings_but_not_ours() -> None:
    assert shuffled.play(PUBLISHED, OURS, 2)["elo"] < 0.1
    assert shuffled.play(PUBLISHED, "AI-Arena-like", 2)["elo"] > 5


def test_a_bot_is_promoted_for_being_much_stronger_than_the_boss() -> None:
    found = promotion.play(PUBLISHED, OURS, 0, submissions=1, above=(-300, 300))
    assert (found["promoted -300"], found["promoted 300"]) == (0, 1)
    assert 20 <= found["games 300"] < 60
    assert 20 <= found["games -300"] < 60
    theirs = promotion.play(PUBLISHED, promotion.CODINGAME, 0, submissions=1, above=(300,))
    assert theirs == {"promoted 300": 1, "games 300": promotion.CODINGAME_GAMES}


def test_a_bot_is_made_so_strong_that_its_rating_is_right() -> None:
    world = World(promotion.BOTS, 1, PUBLISHED.parameters)
    truth = world.truth()
    world.enter(0.0)
    promotion._make_so_strong(world, 1580.0, truth)
    assert world.rating_among(promotion.BOTS, np.arange(promotion.BOTS), truth) == pytest.approx(1580, abs=1)


def test_guests_who_throw_their_games_move_a_bot_only_where_they_rate_others() -> None:
    found = guests.play(PUBLISHED, 0, settled=20, games=2)
    assert found["thrown"] >= guests.MEETINGS * guests.GUESTS
    assert abs(found["gained"]) <= 5
    assert found["plain"] >= 10


@pytest.mark.long
def test_who_throws_games_in_matches_of_many_is_named() -> None:
    found = suspects.play_many(PUBLISHED, 0, games=120)
    assert found["alarm"] == 0
    assert found["found"] == 1
    assert found["named"] > 0.5


def test_guests_rate_nobody_else() -> None:
    world = World(8, 3, PLAIN)
    alone, with_guest = Product(8, 1), Product(8, 1)
    for ladder in (alone, with_guest):
        ladder.learn(World(8, 3, PLAIN).play(everybody_meets(8, 4)))
    world.enter(500.0)
    with_guest.enter(guest=True)
    with_guest.learn(world.play(np.array([[8, one] for one in range(8)] * 5)))
    assert with_guest.elo()[:8] == pytest.approx(alone.elo())
    assert with_guest.plain().strengths[:8] != pytest.approx(alone.shown().strengths)


def test_a_duel_finds_the_stronger_more_often_than_an_equal() -> None:
    found = duels.play(PUBLISHED, 0, duels=20)
    assert found[f"stronger {duels.STRONGER_ELO}"] > found["stronger 0"] + 0.5
    assert 16 <= found["games 0"] <= 2000


@pytest.mark.long
@pytest.mark.parametrize("name", [OURS, OPENSKILL])
def test_teams_tell_who_is_strong(name: str) -> None:
    found = teams.play(PUBLISHED, name, 0, checks=(4, 40))
    assert found["tau 40"] > 0.6
    assert found["tau 40"] > found["tau 4"]


@pytest.mark.long
def test_teams_have_a_row_for_each_line_of_the_table_also_where_a_ladder_has_no_intervals() -> None:
    found = {name: [teams.play(PUBLISHED, name, 0)] for name in (OURS, OPENSKILL)}
    table = rows({"teams": Found(found, {OURS: 1.0})}, PUBLISHED)
    assert [row.name for row in table] == [kind.name for kind in KINDS if kind.experiment == "teams"]
    intervals = [row.figures for row in table if "intervals" in row.name]
    assert intervals
    assert all(0.8 <= one[OURS] <= 1 and math.isnan(one[OPENSKILL]) for one in intervals)


def test_who_else_is_there_changes_a_bot_by_what_its_matchups_say() -> None:
    own = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    against = np.zeros((5, 5))
    against[0, 4], against[4, 0] = 6.0, -6.0
    skills = leagues.Skills(own, against)
    assert skills.of(np.array([[0, 1, 2, 3], [4, 2, 1, 0]])).tolist() == [[0, 1, 2, 3], [2, 2, 1, 2]]
    assert (np.argsort(leagues.Skills(own, np.zeros((5, 5))).truth(np.random.default_rng(1))) == np.arange(5)).all()
    truth = skills.truth(np.random.default_rng(1))
    assert truth[4] < truth[3], "it loses to the weakest, which is there three times out of four"
    assert truth.mean() == pytest.approx(1.5, abs=0.01), "each ends above half of the others"


def test_the_place_in_a_simulated_match_follows_from_the_strengths() -> None:
    skills, random = leagues.Skills(np.array([0.0, 20.0, 40.0, 60.0]), np.zeros((4, 4))), np.random.default_rng(1)
    assert skills.play(np.array([1, 3, 0, 2]), random).tolist() == [3, 2, 1, 0]


def test_what_very_many_line_ups_show_is_the_strengths_that_bots_have() -> None:
    skills = leagues.Skills(np.array([-1.0, -0.5, 0.0, 0.5, 1.0]), np.zeros((5, 5)))
    np.testing.assert_allclose(skills.shown(np.random.default_rng(1)), skills.own, atol=0.1)


@pytest.mark.long
def test_a_ladder_of_leagues_puts_bots_in_order_and_in_leagues() -> None:
    skills, random = leagues.Skills(np.linspace(-4, 4, 12), np.zeros((12, 12))), np.random.default_rng(1)
    ladder = leagues.Ladder(12, (3, 6, 9), random)
    for _ in range(60):
        ladder.learn([skills.play(line_up, random) for line_up in ladder.line_ups(leagues.BATCH)])
    assert ladder.games.sum() == 60 * leagues.BATCH * leagues.GAME.ladder_entrants[0]
    above = np.round(ladder.order() / leagues.ANOTHER_LEAGUE)
    assert above[[3, 6, 9]].tolist() == [1, 2, 3], "bosses stay"
    assert above[0] == 1
    assert above[11] == 4
    assert np.abs(np.argsort(np.argsort(ladder.order())) - np.arange(12)).max() <= 2


def test_costs_are_measured() -> None:
    found = [cost.measure(PUBLISHED, bots=30, games=600), cost.decide(PUBLISHED, bots=60, pairs=600)]
    assert all(value > 0 for one in found for value in one.values())


def test_our_ladder_pairs_bots_of_the_active_field_only() -> None:
    ladder = Product(7, 1)
    ladder.learn(World(7, 1, PLAIN).play(everybody_meets(7, 2)))
    ladder.pairs(np.arange(7), 3)
    ladder.enter(5)
    active = np.array([1, 3, 4, 6])
    assert set(ladder.pairs(active, 30).ravel().tolist()) == {1, 3, 4, 6}
    assert set(ladder.opponents(7, active, 4).tolist()) == {1, 3, 4, 6}


# --- Jobs and goals --------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_jobs_find_the_same_in_any_number_of_processes() -> None:
    some = [Job("duel", OURS, duels.play, (PUBLISHED, repetition, 3)) for repetition in range(3)]
    reported: list[Job] = []
    found = run_all(some, 2, reported.append)
    assert found["duel"].outcomes[OURS] == [job.run(*job.arguments) for job in some]
    assert found["duel"].cpu_s[OURS] > 0
    assert sorted(job.arguments[1] for job in reported) == [0, 1, 2]


def test_the_jackknife_of_a_mean_is_its_standard_error() -> None:
    outcomes = [{"x": value} for value in (1.0, 2.0, 4.0, 9.0)]
    values = np.array([1.0, 2.0, 4.0, 9.0])
    assert jobs.standard_error(mean_of("x"), outcomes) == pytest.approx(values.std(ddof=1) / 2)
    assert math.isnan(jobs.standard_error(mean_of("x"), outcomes[:1]))


def test_games_to_a_tau_lie_between_two_looks_on_a_log_scale() -> None:
    outcomes = [{"tau 10": 0.7, "tau 20": 0.9, "covered 20": 1.0}, {"tau 10": 0.9, "tau 20": 0.9, "covered 20": 1.0}]
    assert games_to(0.85)(outcomes) == pytest.approx(10 * math.sqrt(2))
    assert games_to(0.8)(outcomes) == pytest.approx(10)
    assert games_to(0.5)(outcomes) == 10
    assert games_to(0.95)(outcomes) == math.inf


@pytest.mark.parametrize(
    ("goal", "good", "bad", "text"),
    [
        (Goal(0, most=78), (78.4, 5.0), (78.6, math.inf, math.nan), "<= 78"),
        (Goal(3, least=0.94), (0.9396, 1.0), (0.9394, math.nan), ">= 0.940"),
        (Goal(2, 0.93, 0.97), (0.93, 0.97), (0.92, 0.98, math.nan), "0.93 to 0.97"),
        (Goal(0, most=78).as_good_as([math.inf, 90.2]), (90.4,), (91.0, math.inf), "<= 90"),
        (Goal(0, most=78).as_good_as([math.inf, math.nan]), (500.0,), (math.inf, math.nan), "at all"),
        (Goal(3, least=0.5).as_good_as([0.7, 0.8]), (0.8,), (0.7, math.nan), ">= 0.800"),
    ],
)
def test_a_goal_is_met_by_what_the_table_prints(
    goal: Goal, good: tuple[float, ...], bad: tuple[float, ...], text: str
) -> None:
    assert [goal.met(figure) for figure in good] == [True] * len(good)
    assert [goal.met(figure) for figure in bad] == [False] * len(bad)
    assert str(goal) == text


@pytest.mark.parametrize(
    ("figure", "error", "verdict"),
    [
        (78.0, math.nan, "pass"),
        (80.0, 3.0, "near"),
        (80.0, 1.0, "FAIL"),
        (80.0, math.nan, "FAIL"),
        (math.inf, 9.0, "FAIL"),
        (math.nan, 9.0, "FAIL"),
    ],
)
def test_a_goal_that_is_missed_by_less_than_an_error_is_near(figure: float, error: float, verdict: str) -> None:
    assert Row("static-20", "games", Goal(0, most=78), {OURS: figure}, error, 0.0).verdict == verdict
    assert Row("static-20", "score", Goal(0, least=-78), {OURS: -figure}, error, 0.0).verdict == verdict


def of_static_20(setting: Setting, ours: float, theirs: float) -> Row:
    """A table's only line: games until tau .9, which are 10 at tau .9 and more below."""
    outcomes = {OURS: [{"tau 10": ours, "tau 100": 1.0}], "psyleague": [{"tau 10": theirs, "tau 100": 1.0}]}
    (row,) = rows({"static-20": Found(outcomes, {OURS: 2.5})}, setting)
    return row


def test_the_published_goals_hold_in_the_published_world_and_the_best_other_ladder_elsewhere() -> None:
    assert of_static_20(PUBLISHED, 0.8, 0.9).met
    assert not of_static_20(PUBLISHED, 0.0, -0.5).met
    assert not of_static_20(HELD_OUT, 0.8, 0.9).met
    assert of_static_20(HELD_OUT, 0.0, -0.5).met
    assert str(of_static_20(HELD_OUT, 0.8, 0.9).goal) == "<= 10"
    assert of_static_20(PUBLISHED, 0.8, 0.9).cpu_s == 2.5


def test_every_line_of_the_table_has_its_jobs() -> None:
    every = goals.jobs(PUBLISHED, quick=False, only=())
    of_worlds = {kind.experiment for kind in goals.OF_WORLDS}
    names = (set(NAMES) - {goals.WORLDS}) | of_worlds
    assert {job.experiment for job in every} == names
    assert {(job.experiment, job.contestant) for job in every} >= {(name, OURS) for name in names}
    quick = goals.jobs(PUBLISHED, quick=True, only=())
    large = {name for name in of_worlds if name.endswith("100 bots")}
    assert {job.experiment for job in quick} == names - {"static-1000"} - large
    assert {job.experiment for job in goals.jobs(PUBLISHED, quick=False, only=[goals.WORLDS])} == of_worlds
    assert {job.experiment for job in goals.jobs(PUBLISHED, quick=True, only=["duel", "cost"])} == {"duel", "cost"}
    assert len({kind.name for kind in KINDS}) == len(KINDS)


def test_the_held_out_world_shares_neither_seeds_nor_parameters() -> None:
    mine, other = PUBLISHED.parameters, HELD_OUT.parameters
    assert HELD_OUT.seed > PUBLISHED.seed + 10_000
    assert mine.spread != other.spread
    assert mine.nontransitive != other.nontransitive
    assert mine.draws != other.draws


def test_unknown_ladders_are_refused() -> None:
    with pytest.raises(ValueError, match="expected one of psyleague"):
        rival("nobody", 3, 1)


# --- The command -----------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_the_bench_prints_a_table_and_writes_its_figures(tmp_path: Path) -> None:
    words = ("bench", "ladder", "--quick", "--only", "shuffled", "--json", "out.json")
    done = hexarena(tmp_path, *words, "--world", "held-out")
    assert done.returncode == 0, done.stderr
    assert "held-out world, quick: few repetitions" in done.stdout
    assert "games shuffled: a rating moves" in done.stdout
    assert "pass" in done.stdout
    assert "CPU time" in done.stderr
    written = json.loads((tmp_path / "out.json").read_text())
    by_name = {row["name"]: row for row in written["rows"]}
    moved = by_name["games shuffled: a rating moves, at most, Elo"]
    assert moved["met"] is True
    assert moved["figures"]["psyleague"] > 1 > moved["figures"][OURS]
    assert moved["error"] is None
    assert set(written["experiments"]) == {"shuffled"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--only", "nothing"), "expected one of"),
        (("--world", "mine"), "expected one of"),
        (("--quick", "--only", "static-1000"), "expected an experiment that --quick does not leave out"),
    ],
)
def test_what_is_not_there_is_refused(tmp_path: Path, words: tuple[str, ...], expected: str) -> None:
    done = hexarena(tmp_path, "bench", "ladder", *words)
    assert done.returncode == 2
    assert expected in done.stderr
