"""Results become ratings: each counts once, whatever happens in between, and goes out again when it is annulled."""

from __future__ import annotations

import threading
import time
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from sqlalchemy import func, select, text, update

from hexarena.backend.errors import Conflict, NotFound
from hexarena.backend.ladder import explaining, fitting, pending, refits, stored_fits, tallies
from hexarena.backend.matches import life as matches, queue
from hexarena.backend.models import (
    Bot,
    Job,
    Ladder,
    Match,
    MatchKind,
    MatchState,
    PairTally,
    PendingResult,
    SeatResult,
    Standing,
    Submission,
)
from hexarena.backend.runtime.db import Database
from hexarena.backend.status import figures
from hexarena.games.catalogue import find_game
from tests.backend import scheduled
from tests.backend.ladder.ladders import (
    GAME,
    board,
    enter,
    finish,
    newcomers,
    numbers,
    play,
    recompute,
    refit,
    season,
    standing,
    user,
)


def test_a_result_waits_until_a_refit_counts_it_and_then_counts_once(database: Database) -> None:
    one, other = newcomers(database, 2)
    play(database, (one, other))
    assert standing(database, one).games == 0
    assert refit(database).counted == 1
    assert refit(database).counted == 0
    first, second = standing(database, one), standing(database, other)
    assert (first.games, first.wins, second.losses) == (1, 1, 1)
    assert first.rating > second.rating
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(PendingResult)) == 0
        assert session.scalars(select(PairTally.half_points)).all() == [2]


def test_what_is_not_rated_is_not_counted(database: Database) -> None:
    pair = newcomers(database, 2)
    before = board(database)
    for kind in (MatchKind.PRACTICE, MatchKind.CHECK):
        play(database, pair, kind=kind)
    assert refit(database).counted == 0
    assert [one[2] for one in board(database).values()] == [one[2] for one in before.values()]


def test_recomputing_gives_the_same_ratings_to_the_last_bit(database: Database) -> None:
    bots = newcomers(database, 5)
    season(database, bots, 40)
    refit(database)
    live = board(database)
    done = recompute(database)
    assert (done.counted, done.results) == (40, 40)
    assert board(database) == live
    with database.transaction() as session:
        session.execute(
            text("UPDATE standing SET rating = 1, deviation = 2, games = 0, wins = 0, draws = 0, losses = 0")
        )
        session.execute(text("DELETE FROM pair_tally"))
    recompute(database)
    assert board(database) == live


@pytest.mark.long
def test_ratings_do_not_depend_on_when_refits_happen(database: Database) -> None:
    bots = newcomers(database, 4)
    season(database, bots, 20, seed=3)
    refit(database)
    often = board(database)
    with database.transaction() as session:
        for table in ("pair_tally", "pending_result", "standing_history"):
            session.execute(text(f"DELETE FROM {table}"))  # noqa: S608 - names of our own
        for match_id in session.scalars(select(Match.id).where(Match.state == MatchState.DONE)):
            session.add(PendingResult(match_id=match_id, game=GAME.id))
        session.execute(text("UPDATE standing SET games = 0, wins = 0, draws = 0, losses = 0, rating = 0"))
    refit(database)
    assert board(database) == often


def test_the_same_result_delivered_twice_counts_once(database: Database) -> None:
    one, other = newcomers(database, 2)
    match_id = play(database, (one, other))
    refit(database)
    before = board(database)
    with database.transaction() as session:
        session.execute(update(Ladder).values(refitted_at=None))
        lease = queue.lease(session, limit=10, seconds=60, max_attempts=3)
        assert lease == [], "a finished match has no job"
    refit(database)
    assert board(database) == before
    with database.transaction() as session:
        # A message that comes again: the row says that the match is over.
        assert session.get(Job, match_id) is None


def test_many_refits_at_once_count_each_result_once(database: Database) -> None:
    bots = newcomers(database, 3)
    for number in range(12):
        play(database, (bots[number % 3], bots[(number + 1) % 3]))
    counted: list[int] = []
    barrier = threading.Barrier(4)

    def one_of_many() -> None:
        barrier.wait()
        for _ in range(4):
            with database.transaction() as session:
                done = refits.refit(session, GAME)
            counted.append(0 if done is None else done.counted)

    threads = [threading.Thread(target=one_of_many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(counted) == 12
    assert sum(one[2] for one in board(database).values()) == 24


@pytest.mark.long
def test_processes_that_remember_and_take_turns_give_what_a_recount_gives(database: Database) -> None:
    bots, memories = newcomers(database, 4), [refits.Memory(), refits.Memory()]
    random = Random(5)
    for number in range(24):
        one, other = random.sample(bots, 2)
        play(database, (one, other), (0, 1) if bots.index(one) > bots.index(other) else (1, 0))
        if number % 3 == 2:
            with database.transaction() as session:
                done = refits.refit(session, GAME, memories[random.randrange(2)])
            assert done is not None
            assert done.counted == 3
    live = board(database)
    recompute(database)
    assert board(database) == live


def test_a_refit_that_dies_counts_nothing(database: Database) -> None:
    pair = newcomers(database, 2)
    play(database, pair)
    before = board(database)

    def refit_and_die() -> None:
        with database.transaction() as session:
            assert refits.refit(session, GAME) is not None
            raise RuntimeError

    with pytest.raises(RuntimeError):
        refit_and_die()
    assert board(database) == before
    assert refit(database).counted == 1


def test_what_ends_during_a_recount_is_not_counted_by_it_and_again_by_the_next(database: Database) -> None:
    """It waits as pending, whenever its row came to be."""
    one, other = newcomers(database, 2)
    play(database, (one, other))
    refit(database)
    later = play(database, (other, one))
    with database.transaction() as session:
        found = tallies.results(session, GAME).match_id.tolist()
    assert later not in found
    assert len(found) == 1
    with database.transaction() as session:
        assert refits.recompute(session, GAME).results == 2
    assert [standing(database, bot).games for bot in (one, other)] == [2, 2]


def test_the_starter_is_the_zero_of_the_scale(database: Database) -> None:
    bots = newcomers(database, 3)
    with database.transaction() as session:
        starter = session.scalars(
            select(Submission.id)
            .join(Bot, Bot.id == Submission.bot_id)
            .where(Bot.name == "starter", Bot.game == GAME.id)
        ).one()
    for bot in bots:
        play(database, (bot, starter))
        play(database, (starter, bot), (1, 0))
    refit(database)
    assert standing(database, starter).rating == 1000.0
    assert all(standing(database, bot).rating > 1000.0 for bot in bots)


def test_a_match_that_is_annulled_after_a_refit_is_taken_out_again(database: Database) -> None:
    one, other = newcomers(database, 2)
    play(database, (one, other))
    refit(database)
    before = board(database)
    wrong = play(database, (other, one))
    refit(database)
    assert board(database) != before
    with database.transaction() as session:
        matches.annul(session, wrong, "The referee was wrong.")
    assert refit(database).results == 1
    assert board(database) == before
    with database.transaction() as session:
        assert session.get_one(Match, wrong).void_reason == "The referee was wrong."
        with pytest.raises(Conflict, match="is void"):
            matches.annul(session, wrong, "again")
        with pytest.raises(NotFound):
            matches.annul(session, 10**12, "never was")


def test_a_bot_whose_games_are_annulled_came_with_no_more_games_than_it_has(database: Database) -> None:
    """Else it would stay provisional, and in its league, for as many games as are gone."""
    one, other = newcomers(database, 2)
    ids = [play(database, (one, other)) for _ in range(6)]
    refit(database)
    with database.transaction() as session:
        came = {"entered_with": 6, "league_from": 5}
        session.execute(update(Standing).where(Standing.submission_id == one).values(came))
    refit(database)
    assert (standing(database, one).entered_with, standing(database, one).league_from) == (6, 5)
    with database.transaction() as session:
        for wrong in ids[:4]:
            matches.annul(session, wrong, "Thrown.")
    refit(database)
    assert [standing(database, one).games] * 2 == [
        standing(database, one).entered_with,
        standing(database, one).league_from,
    ]
    assert standing(database, one).games == 2
    assert standing(database, other).entered_with == 0


def test_a_match_annulled_before_it_was_counted_never_counts(database: Database) -> None:
    pair = newcomers(database, 2)
    before = board(database)
    wrong = play(database, pair)
    with database.transaction() as session:
        matches.annul(session, wrong, "The referee was wrong.")
    assert refit(database).counted == 0
    assert [one[2:] for one in board(database).values()] == [one[2:] for one in before.values()]


def test_a_clock_that_went_backwards_does_not_stop_refits(database: Database) -> None:
    pair = newcomers(database, 2)
    play(database, pair)
    with database.transaction() as session:
        session.execute(update(Ladder).values(refitted_at=func.now() + timedelta(days=3), stale=False))
        assert pending.due(session) == [GAME.id]
        session.execute(update(Ladder).values(refitted_at=func.clock_timestamp()))
        assert pending.due(session) == []


@pytest.mark.long
def test_a_refit_that_was_held_up_does_not_make_the_ladder_rest_longer(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine may be suspended in the middle of a refit, and 20 times an hour is a day without ratings."""
    held_up_s = 1.5
    store = stored_fits.store

    def slowly(*given: Any) -> None:
        time.sleep(held_up_s)
        store(*given)

    monkeypatch.setattr(stored_fits, "store", slowly)
    play(database, newcomers(database, 2))
    assert refit(database).seconds >= held_up_s
    with database.transaction() as session:
        assert session.get_one(Ladder, GAME.id).refit_s < held_up_s


def test_each_match_says_what_it_did_to_the_ratings(database: Database) -> None:
    one, other = newcomers(database, 2)
    match_id = play(database, (one, other))
    before = {key: value[0] for key, value in board(database).items()}
    refit(database)
    with database.transaction() as session:
        rows = session.scalars(
            select(SeatResult).where(SeatResult.match_id == match_id).order_by(SeatResult.seat)
        ).all()
    assert [row.rating for row in rows] == [before[one], before[other]]
    assert rows[0].rating_change is not None
    assert rows[1].rating_change is not None
    assert rows[0].rating_change > 0 > rows[1].rating_change


@pytest.mark.long
def test_ten_thousand_results_at_once(database: Database) -> None:
    bots = newcomers(database, 6)
    random = Random(5)
    with database.transaction() as session:
        rows = [(*random.sample(bots, 2), random.random() < 0.6) for _ in range(10_000)]
        session.execute(
            text(
                "WITH made AS (INSERT INTO match (game, kind, state, seed, league, started_at, finished_at)"
                " SELECT :game, 'ladder', 'done', number, 1, now(), now() FROM generate_series(1, :many) AS number"
                " RETURNING id) SELECT count(*) FROM made"
            ),
            {"game": GAME.id, "many": len(rows)},
        )
        ids = list(session.scalars(select(Match.id).order_by(Match.id)))
        seats = [
            {
                "match": match_id,
                "seat": seat,
                "submission": pair[seat],
                "rank": int(pair[2] == bool(seat)),
                "game": GAME.id,
            }
            for match_id, pair in zip(ids, rows, strict=True)
            for seat in (0, 1)
        ]
        session.execute(
            text(
                "INSERT INTO match_seat (match_id, seat, submission_id, game)"
                " VALUES (:match, :seat, :submission, :game)"
            ),
            seats,
        )
        session.execute(
            text(
                "INSERT INTO result"
                " (match_id, reason, turns, faults, attempt, worker, cpu_ms, replay_key, rules_version)"
                " SELECT id, 'because', 1, '[]', 1, 'test', 1, 'x', '1' FROM match"
            )
        )
        session.execute(
            text("INSERT INTO seat_result (match_id, seat, rank, score) VALUES (:match, :seat, :rank, 0)"), seats
        )
        session.execute(text("INSERT INTO pending_result (match_id, game) SELECT id, game FROM match"))
    assert refit(database).counted == 10_000
    live = board(database)
    assert sum(one[2] for one in live.values()) == 20_000
    recompute(database)
    assert board(database) == live


def test_everybody_draws_always(database: Database) -> None:
    bots = newcomers(database, 3)
    for number in range(9):
        play(database, (bots[number % 3], bots[(number + 1) % 3]), (0, 0))
    refit(database)
    ratings = [standing(database, bot).rating for bot in bots]
    assert max(ratings) - min(ratings) < 30
    assert all(standing(database, bot).draws == 6 for bot in bots)


@pytest.mark.long
def test_teams_of_battlegrounds_are_rated_together(database: Database) -> None:
    game = find_game("battlegrounds")
    with database.transaction() as session:
        bots = [enter(session, user(session), f"bot {next(numbers)}", game=game.id) for _ in range(4)]
    random = Random(3)
    for number in range(12):
        with database.transaction() as session:
            seats = game.side_by_side(bots) if number % 2 else game.seated(random.sample(bots, 4), number)
            match_id = matches.schedule(
                session, game=game.id, kind=MatchKind.LADDER, submission_ids=seats, seed=number, league=1, priority=0
            ).id
        strength = [
            sum(bots.index(one) for seat, one in enumerate(seats) if game.team(seat) == team) for team in range(4)
        ]
        places = [sorted(strength, reverse=True).index(one) for one in strength]
        finish(database, match_id, [places[game.team(seat)] for seat in range(len(seats))])
    with database.transaction() as session:
        done = refits.refit(session, game)
        assert done is not None
        assert (done.counted, done.results) == (12, 12)
        rated = [session.get_one(Standing, bot) for bot in bots]
        assert [one.games for one in rated] == [12] * 4
        assert rated[-1].rating > rated[0].rating
        before = {one.submission_id: (one.rating, one.deviation, one.games) for one in rated}
        refits.recompute(session, game)
        assert {one.submission_id: (one.rating, one.deviation, one.games) for one in rated} == before
        side_by_side = explaining.explain(session, bots[0]).against
        assert {(one.games, one.points) for one in side_by_side} == {(6, 0.0)}
        assert all(one.moved < 0 < one.expected < 6 for one in side_by_side)
        rated = fitting.rate(session, game)
        met = fitting.met_each_other(session, rated)
        assert (met.games == 6).all(), "mixed teams say nothing of any two"
        assert {rated.competitors[node] for node in met.first.tolist()} <= set(bots)
        weakest = rated.index[bots[0]]
        assert met.points[met.first == weakest].sum() == 0
        assert (met.games - met.points)[met.second == weakest].sum() == 0
        assert scheduled.schedule_needed(session, game, Random(1)) > 0
        assert scheduled.schedule_ladder(session, game, Random(1))


def test_what_a_game_that_is_gone_left_uncounted_keeps_nobody_awake(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(database, newcomers(database, 2))
    with database.transaction() as session:
        assert session.scalar(select(pending.is_anything()))
        assert GAME.id in {one.game for one in figures.read(session).ladders}
        monkeypatch.setattr(pending, "all_games", dict)
        monkeypatch.setattr(figures, "all_games", dict)
        assert not session.scalar(select(pending.is_anything()))
        assert figures.read(session).ladders == []
