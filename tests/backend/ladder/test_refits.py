"""A refit changes the same rows as the plain computation does, to the last bit, on ladders that were shuffled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from hexarena.backend.ladder import refits
from hexarena.backend.models import Ladder
from hexarena.backend.rating import fit, newton, plackett_luce
from hexarena.backend.runtime.db import Database
from hexarena.bench.web import loading
from hexarena.bench.web.world import Plan
from hexarena.games.catalogue import find_game
from tests.backend.ladder import plain_refits
from tests.conftest import Servers, new_arena

SMALL = Plan(matches=2_500, bots=160, shares={"yavalath": 0.6, "battlegrounds": 0.4})
LARGE = Plan(matches=2_000, bots=900, shares={"yavalath": 0.6, "battlegrounds": 0.4})
"""More competitors than a fit keeps a covariance matrix for, where that is `FEW`."""
FEW = 250
GAMES = ("yavalath", "battlegrounds")
WHAT = {
    "ladders": "SELECT game, stale, refits, recount, results, seat_elo, draw_nu, dispersion, matchup_variance, "
    "prior_variance FROM ladder ORDER BY game",
    "standings": "SELECT submission_id, competitor_id, rating, deviation, variance, games, wins, draws, losses, "
    'league, league_from, entered_with, spent, "placing", trial, beats_boss, above_next, games_left, '
    "consecutive_faults FROM standing ORDER BY submission_id",
    "tallies": "SELECT first_id, second_id, game, games, half_points, draws, repeats, refit "
    "FROM pair_tally ORDER BY 1, 2",
    "history": "SELECT submission_id, game, rating, deviation, games, wins, draws, losses, league, live "
    "FROM standing_history ORDER BY id",
    "seats": "SELECT match_id, seat, rating, rating_change FROM seat_result ORDER BY 1, 2",
    "repeats": "SELECT match_id, repeat FROM result ORDER BY 1",
    "pending": "SELECT match_id FROM pending_result ORDER BY 1",
    "notices": "SELECT user_id, kind, submission_id, other_id, place, league FROM notice ORDER BY id",
    "changes": "SELECT game, kind, subject_id FROM change WHERE kind <> 'notice' ORDER BY id",
    "submissions": "SELECT id, state, problem FROM submission ORDER BY id",
    "fits": "SELECT game, arrays FROM ladder_fit ORDER BY game",
}
CHANCE = """
CREATE OR REPLACE FUNCTION pg_temp.chance(id bigint, number int) RETURNS double precision IMMUTABLE
LANGUAGE sql AS 'SELECT (hashint8extended(id, %d * 100 + number) & 1048575) / 1048576.0'
"""
"""0 to 1 for each id, whatever the order of rows."""
SHUFFLED = (
    # Bots are here and there on their leagues, on trial or not, known or new.
    """UPDATE standing SET
         league = 1 + floor(pg_temp.chance(submission_id, 1) * 4),
         league_from = floor(games * pg_temp.chance(submission_id, 2) * 0.5),
         "placing" = pg_temp.chance(submission_id, 3) < 0.5,
         trial = CASE WHEN pg_temp.chance(submission_id, 4) < 0.6 THEN 'open' ELSE 'stays' END,
         entered_with = floor(games * pg_temp.chance(submission_id, 5)),
         consecutive_faults = floor(pg_temp.chance(submission_id, 6) * 11),
         rating = 1000 + 300 * pg_temp.chance(submission_id, 7),
         deviation = 200 * pg_temp.chance(submission_id, 8),
         beats_boss = NULL, games_left = 7
       WHERE game = :game AND submission_id NOT IN (
         SELECT submission.id FROM submission JOIN league ON league.boss_bot_id = submission.bot_id)""",
    # Some are the same code.
    """UPDATE standing SET competitor_id = (
         SELECT min(submission_id) FROM standing first WHERE first.game = :game AND first.submission_id % 25 = 0)
       WHERE game = :game AND submission_id % 25 = 0""",
    # Many have met the bosses, so that there is something to decide.
    """UPDATE match_seat SET submission_id = boss.id
       FROM (SELECT row_number() OVER (ORDER BY submission.id) AS number, submission.id
             FROM submission JOIN league ON league.boss_bot_id = submission.bot_id WHERE league.game = :game) boss
       WHERE match_seat.game = :game AND match_seat.seat = 0 AND match_seat.match_id % 4 = boss.number
       AND EXISTS (SELECT FROM match WHERE match.id = match_id AND kind IN ('ladder', 'placement', 'promotion'))
       AND NOT EXISTS (SELECT FROM match_seat other
                       WHERE other.match_id = match_seat.match_id AND other.submission_id = boss.id)""",
    # Some games are like others, and some are from before that was noticed.
    """UPDATE result SET digest = 'same ' || match_id % 3 WHERE pg_temp.chance(match_id, 9) < 0.3
       AND match_id IN (SELECT id FROM match WHERE game = :game)""",
    "UPDATE result SET digest = NULL WHERE pg_temp.chance(match_id, 10) < 0.1",
    """UPDATE seat_result SET fault = CASE WHEN pg_temp.chance(match_id * 16 + seat, 11) < 0.5 THEN 'crash' END
       WHERE match_id % 3 = 0""",
    """UPDATE match SET finished_at = finished_at - pg_temp.chance(id, 12) * interval '1 day'
       WHERE state = 'done' AND game = :game""",
    "UPDATE match SET league = 8 WHERE game = :game AND pg_temp.chance(id, 13) < 0.02",
    """UPDATE "user" SET kind = 'guest', name_key = NULL
       WHERE kind = 'account' AND pg_temp.chance(id, 14) < :guests""",
    "UPDATE ladder SET stale = true WHERE game = :game",
)
LATER = 9
"""In place of a league of the game: of matches that are yet to be played."""
HELD_BACK = "UPDATE match SET league = :later WHERE game = :game AND league <> 8 AND pg_temp.chance(id, 15) < 0.06"
PENDING = """
WITH played AS (
  UPDATE match SET league = :top WHERE game = :game AND league = :later AND pg_temp.chance(id, 16) < :share
  RETURNING id, game, state, kind)
INSERT INTO pending_result (match_id, game)
SELECT id, game FROM played WHERE state = 'done' AND kind IN ('ladder', 'placement', 'promotion')
"""


EITHER = pytest.mark.parametrize("arena", [SMALL, LARGE], indirect=True, ids=["small", "large"])


@pytest.fixture(scope="module")
def arena(
    request: pytest.FixtureRequest, servers: Servers, template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Database]:
    """A made-up arena. The tests leave it as it was."""
    with (
        new_arena(servers, template, tmp_path_factory.mktemp("refits")) as settings,
        pytest.MonkeyPatch.context() as patch,
    ):
        if request.param is LARGE:
            for module in (fit, newton, plackett_luce):
                patch.setattr(module, "DENSE_NODES", FEW)
        database = Database(settings.sqlalchemy_url(), idle_s=600)
        loading.load(database, request.param)
        yield database
        database.close()


@contextmanager
def undone(database: Database) -> Iterator[Session]:
    """A transaction that never was."""
    with Session(database.engine, expire_on_commit=False) as session:
        yield session
        session.rollback()


def rows(session: Session) -> dict[str, list[tuple[object, ...]]]:
    """All that a refit may change."""
    session.flush()
    return {name: [tuple(row) for row in session.execute(text(query))] for name, query in WHAT.items()}


def shuffle(session: Session, game: str, seed: int, guests: float) -> None:
    session.execute(text(CHANCE % seed))
    for statement in SHUFFLED:
        session.execute(text(statement), {"game": game, "guests": guests})
    session.execute(text(HELD_BACK), {"game": game, "later": LATER})


def add_pending(session: Session, game: str, share: float) -> None:
    """`share`: of what was held back, those before included."""
    top = find_game(game).top_level
    session.execute(text(PENDING), {"game": game, "share": share, "later": LATER, "top": top})


@pytest.mark.long
@pytest.mark.parametrize("game_id", GAMES)
@pytest.mark.parametrize(
    ("arena", "seed", "guests"),
    [(SMALL, 1, 0.0), (SMALL, 2, 0.3), (LARGE, 3, 0.2)],
    indirect=["arena"],
    ids=["small", "small, guests", "large, guests"],
)
def test_a_refit_does_what_the_plain_computation_does(arena: Database, game_id: str, guests: float, seed: int) -> None:
    """Once for all results, then for some that are pending."""
    game, found = find_game(game_id), []
    for refit in (plain_refits.refit, refits.refit):
        with undone(arena) as session:
            shuffle(session, game_id, seed, guests)
            seen = []
            for share in (None, 0.6):
                if share is not None:
                    add_pending(session, game_id, share)
                done = refit(session, game)
                assert done is not None
                seen.append((done.counted, done.results, done.competitors, done.promoted, rows(session)))
            found.append(seen)
    for plain, new in zip(*found, strict=True):
        assert new[:4] == plain[:4]
        for name in WHAT:
            assert new[4][name] == plain[4][name], name
    first, second = (one[4] for one in found[0])
    assert {row[14] for row in first["standings"]} == {"open", "stays"}
    assert any(row[1] for row in first["repeats"]) or game_id == "battlegrounds"
    assert len(first["notices"]) > 0
    assert found[0][1][0] > 0
    assert len(second["history"]) > len(first["history"])


@pytest.mark.long
@EITHER
@pytest.mark.parametrize("game_id", GAMES)
def test_a_process_that_remembers_does_the_same_as_one_that_does_not(arena: Database, game_id: str) -> None:
    game, found = find_game(game_id), []
    for memory in (None, refits.Memory()):
        with undone(arena) as session:
            shuffle(session, game_id, 5, 0.0)
            seen = []
            for share in (0.0, 0.5, 1.0):
                if share:
                    add_pending(session, game_id, share)
                assert refits.refit(session, game, memory) is not None
                seen.append(rows(session))
            found.append(seen)
    assert found[0] == found[1]


@pytest.mark.long
@pytest.mark.parametrize("arena", [SMALL], indirect=True)
def test_what_was_rolled_back_is_not_remembered(arena: Database) -> None:
    game, memory = find_game("yavalath"), refits.Memory()
    with undone(arena) as session:
        shuffle(session, game.id, 7, 0.0)
        assert refits.refit(session, game, memory) is not None
        add_pending(session, game.id, 0.3)
        session.flush()
        with session.begin_nested() as inner:
            assert refits.refit(session, game, memory) is not None
            inner.rollback()
        session.expire_all()
        # Another process counts other results, so that numbers are the same again, and nothing else.
        add_pending(session, game.id, 0.6)
        other = select(Ladder.refits).where(Ladder.game == game.id)
        before = session.scalar(other)
        assert refits.refit(session, game) is not None
        assert session.scalar(other) == (before or 0) + 1
        add_pending(session, game.id, 1.0)
        assert refits.refit(session, game, memory) is not None
        with_memory = rows(session)["standings"]
        session.expire_all()
        assert refits.refit(session, game) is not None
        anew = rows(session)["standings"]
        # Without deviations, which are from the board's mean: the refit before has disabled bots.
        assert [(*row[:3], *row[4:9]) for row in anew] == [(*row[:3], *row[4:9]) for row in with_memory]
