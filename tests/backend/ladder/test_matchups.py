"""The first bots of the board against each other, on a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from sqlalchemy import update

from hexarena.backend.ladder import boards, fitting, matchups, refits
from hexarena.backend.ladder.matchups import LEAST_GAMES, MOST_CYCLES, SHOWN, Matchup, Matchups, cycles_in
from hexarena.backend.matches import life as matches
from hexarena.backend.models import MatchKind, Standing
from hexarena.backend.rating.counts import FloatArray
from hexarena.backend.runtime.db import Database
from hexarena.games.catalogue import find_game
from tests.backend.ladder.ladders import GAME, boss_of, enter, finish, newcomers, play, refit, season, user

TEAM_GAME = find_game("battlegrounds")


def matrix(database: Database, game: str = GAME.id) -> Matchups:
    with database.transaction() as session:
        return matchups.matchups(session, find_game(game))


def of(found: Matchups, one: int, other: int) -> Matchup:
    (pair,) = (pair for pair in found.pairs if (pair.submission_id, pair.opponent_id) == (one, other))
    return pair


def listed(found: Matchups) -> list[int]:
    return [one.standing.submission_id for one in found.bots]


def beats(database: Database, one: int, other: int, games: int) -> None:
    """`one` wins all games, half of them in each seat."""
    for number in range(games):
        play(database, (one, other) if number % 2 else (other, one), (0, 1) if number % 2 else (1, 0))


@pytest.mark.long
def test_the_first_ten_of_the_board_are_compared_each_with_each(database: Database) -> None:
    bots = newcomers(database, SHOWN + 2)
    season(database, bots, 30)
    refit(database)
    found = matrix(database)
    with database.transaction() as session:
        board = [one.id for one in fitting.rate(session, GAME).on_board]
    assert len(board) > SHOWN
    assert listed(found) == board[:SHOWN]
    assert [one.rank for one in found.bots] == list(range(1, SHOWN + 1))
    pairs = [(one.submission_id, one.opponent_id) for one in found.pairs]
    assert pairs == [(one, other) for one in board[:SHOWN] for other in board[:SHOWN] if one != other]


@pytest.mark.long
def test_bots_of_the_same_code_are_one(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with database.transaction() as session:
        one, same, other = (enter(session, user(session), name, body) for name, body in (
            ("one", "print(7)"), ("same", "print(7)"), ("other", "print(8)"),
        ))  # fmt: skip
    beats(database, one, other, 6)
    refit(database)
    found = matrix(database)
    shared = {one, same} & set(listed(found))
    assert len(shared) == 1
    assert of(found, shared.pop(), other).games == 6
    with database.transaction() as session:
        ranks = {row.submission.id: row.rank for row in boards.leaderboard(session, GAME.id, limit=100)}
    assert [one.rank for one in found.bots] == [ranks[one] for one in listed(found)]
    monkeypatch.setattr(matchups, "LOOKED_AT", 2)
    assert listed(matrix(database)) == listed(found), "however much of the board is one code"


def test_points_are_scored_from_both_seats_and_both_sides_add_up(database: Database) -> None:
    one, other = newcomers(database, 2)
    play(database, (one, other), (0, 1))
    play(database, (other, one), (1, 0))
    play(database, (other, one), (0, 0))
    play(database, (other, one), (0, 1))
    refit(database)
    found = matrix(database)
    mine, theirs = of(found, one, other), of(found, other, one)
    assert (mine.games, mine.points) == (4, 2.5)
    assert (theirs.games, theirs.points) == (4, 1.5)
    assert mine.expected + theirs.expected == pytest.approx(4)
    assert mine.next_game + theirs.next_game == pytest.approx(1)


@pytest.mark.long
def test_what_is_expected_is_by_the_fit_and_the_seats_that_were_played(database: Database) -> None:
    """Whoever begins wins, so more is expected of a bot that began each time."""
    one, other, left, right = newcomers(database, 4)
    for _ in range(30):
        play(database, (left, right), (0, 1))
        play(database, (right, left), (0, 1))
    for _ in range(5):
        play(database, (one, other), (0, 1))
    with database.transaction() as session:
        # The matrix is that of the first ten.
        session.execute(update(Standing).where(Standing.submission_id.in_([one, other])).values(league=4))
    refit(database)
    with database.transaction() as session:
        rated = fitting.rate(session, GAME)
    assert rated.fit.seat > 0.1
    a, b = rated.index[one], rated.index[other]
    found = of(matrix(database), one, other)
    assert found.expected == pytest.approx(5 * rated.fit.expected(a, b, seat=True))
    assert found.next_game == pytest.approx(rated.fit.expected(a, b, seat=False))
    assert found.expected / found.games > found.next_game + 0.01


@pytest.mark.long
def test_those_who_have_not_met_have_only_a_next_game(database: Database) -> None:
    one, other, between = newcomers(database, 3)
    beats(database, one, between, 8)
    beats(database, between, other, 8)
    beats(database, other, boss_of(database, 1), 8)  # so it is among the first ten
    refit(database)
    found = of(matrix(database), one, other)
    assert (found.games, found.points, found.expected) == (0, 0, 0)
    assert found.next_game > 0.6


@pytest.mark.long
def test_a_cycle_is_found_once_and_begins_with_the_highest(database: Database) -> None:
    rock, paper, scissors, other = newcomers(database, 4)
    for winner, loser in ((rock, scissors), (scissors, paper), (paper, rock)):
        beats(database, winner, loser, LEAST_GAMES)
    beats(database, rock, other, LEAST_GAMES)
    refit(database)
    found = matrix(database)
    (cycle,) = found.cycles
    assert set(cycle.submission_ids) == {rock, paper, scissors}
    assert cycle.submission_ids[0] == min(cycle.submission_ids, key=listed(found).index)
    beaten = {rock: scissors, scissors: paper, paper: rock}
    for one, next_one in zip(cycle.submission_ids, [*cycle.submission_ids[1:], cycle.submission_ids[0]], strict=True):
        assert beaten[one] == next_one
    assert cycle.sure == pytest.approx(1 - 0.5 ** (LEAST_GAMES + 1))


@pytest.mark.long
def test_a_few_games_in_a_circle_are_no_cycle(database: Database) -> None:
    trio = newcomers(database, 3)
    for winner, loser in zip(trio, [*trio[1:], trio[0]], strict=True):
        beats(database, winner, loser, LEAST_GAMES - 1)
    refit(database)
    assert matrix(database).cycles == ()


def table(size: int, results: dict[tuple[int, int], tuple[float, int]]) -> tuple[FloatArray, FloatArray]:
    """`results`: (row, column) -> points of so many games."""
    games, points = np.zeros((2, size, size))
    for (one, other), (scored, of_games) in results.items():
        games[one, other] = games[other, one] = of_games
        points[one, other], points[other, one] = scored, of_games - scored
    return games, points


def circle(points: Sequence[float], games: int) -> list[tuple[int, int, int, float]]:
    results = {(one, (one + 1) % 3): (points[one], games) for one in range(3)}
    return cycles_in(*table(3, results))


def test_each_pair_of_a_cycle_has_to_be_clear() -> None:
    assert circle((20, 20, 20), 20)
    assert circle((20, 20, 10), 20) == circle((20, 20, 12.5), 20) == []
    (cycle,) = circle((20, 20, 15), 20)
    assert cycle[-1] == pytest.approx(0.9867, abs=1e-4)


def test_the_surest_cycles_are_listed_first() -> None:
    weak = {(one, (one + 1) % 3): (15.0, 20) for one in range(3)}
    strong = {(3 + one, 3 + (one + 1) % 3): (19.0, 20) for one in range(3)}
    found = cycles_in(*table(6, weak | strong))
    assert [cycle[:3] for cycle in found] == [(3, 4, 5), (0, 1, 2)]


def test_no_more_cycles_are_listed_than_can_be_read() -> None:
    """Each of seven beats the next three and loses to the three before."""
    results = {(one, (one + step) % 7): (12.0, 14) for one in range(7) for step in (1, 2, 3)}
    found = cycles_in(*table(7, results))
    assert len(found) == len({cycle[:3] for cycle in found}) == MOST_CYCLES
    assert all(cycle[0] == min(cycle[:3]) for cycle in found)


def test_chance_alone_rarely_makes_a_cycle() -> None:
    """Ten equal bots, 20 games between each two."""
    random = np.random.default_rng(1)
    boards, shown = 300, 0
    for _ in range(boards):
        upper = np.triu(random.binomial(20, 0.5, (SHOWN, SHOWN)), 1)
        points = upper + np.tril(20 - upper.T, -1)
        shown += bool(cycles_in(20 * (1 - np.eye(SHOWN)), points.astype(np.float64)))
    assert 0 < shown <= 0.06 * boards


def test_where_each_bot_has_a_team_the_better_place_of_two_is_a_point(database: Database) -> None:
    one, other = (board_line.standing.submission_id for board_line in matrix(database, TEAM_GAME.id).bots[:2])
    seats = [bot for bot in (one, other) for _ in range(TEAM_GAME.team_seats)]
    for _ in range(3):
        with database.transaction() as session:
            match = matches.schedule(
                session, game=TEAM_GAME.id, kind=MatchKind.LADDER, submission_ids=seats, seed=1,
                league=TEAM_GAME.top_level, priority=0,
            )  # fmt: skip
        finish(database, match.id, [int(bot == other) for bot in seats])
    with database.transaction() as session:
        assert refits.refit(session, TEAM_GAME)
    found = matrix(database, TEAM_GAME.id)
    assert found.cycles == ()
    met = of(found, one, other)
    assert met.games > 0
    assert (met.games, met.points) == (of(found, other, one).games, met.games)
    assert 0 < met.expected < met.games
    assert of(found, one, other).next_game > 0.55
    assert of(found, one, other).next_game + of(found, other, one).next_game == pytest.approx(1)
