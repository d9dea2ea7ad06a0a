"""Explanations from the fit that a refit kept are those of a ladder that is fitted from scratch, to the last bit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from sqlalchemy import func, select

from hexarena.backend.ladder import explaining, fitting, placement, refits, standings, stored_fits
from hexarena.backend.ladder.lines import Line
from hexarena.backend.models import Bot, LadderFit, Standing, Submission, SubmissionState
from hexarena.backend.rating import fit as rating, influences
from hexarena.backend.runtime.db import Database
from hexarena.bench.web import loading
from hexarena.bench.web.world import Plan
from hexarena.games.catalogue import find_game
from tests.conftest import Servers, new_arena

GAME = find_game("yavalath")
LARGE = Plan(matches=15_000, bots=11_000)
"""More competitors in each game than a fit keeps a covariance matrix for."""
LOOKED_AT = 12


@pytest.fixture(scope="module")
def large(servers: Servers, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """A large ladder after a refit. The tests change nothing."""
    with new_arena(servers, template, tmp_path_factory.mktemp("large")) as settings:
        database = Database.of(settings)
        loading.load(database, LARGE)
        with database.transaction() as session:
            refits.recompute(session, GAME)
        yield database
        database.close()


def moved_by(rated: fitting.Rated, own: Line) -> dict[int, tuple[float, float, float]]:
    """Opponent -> games, Elo, and what the next game would tell, from all tallies of the ladder."""
    me, counts = rated.index[own.submission_id], rated.counts
    influence = influences.influences(rated.fit, rated.weighed, me)
    found: dict[int, tuple[float, float, float]] = defaultdict(lambda: (0.0, 0.0, 0.0))
    for row in np.flatnonzero((counts.first == me) | (counts.second == me)):
        other = counts.second[row] if counts.first[row] == me else counts.first[row]
        games, elo, reported = found[rated.competitors[other]]
        more = float(influence.elo[row]), float(influence.next_game[row])
        found[rated.competitors[other]] = games + counts.games[row], elo + more[0], max(reported, more[1])
    return found


def beside(rated: fitting.Rated, own: Line) -> list[tuple[int, float, int] | None]:
    """Those above and below: submission, P(stronger), games."""
    board = [one.id for one in rated.on_board]
    if own.submission_id not in board:
        return [None, None]
    at, me = board.index(own.submission_id), rated.index[own.submission_id]
    next_to = [board[at - 1] if at else None, board[at + 1] if at + 1 < len(board) else None]
    return [
        None
        if one is None
        else (
            one,
            rated.stronger(own.submission_id, one),
            placement.games_to_tell_apart(rated.fit, me, rated.index[one]),
        )
        for one in next_to
    ]


@pytest.mark.long
def test_the_kept_fit_is_the_one_that_was_made(large: Database) -> None:
    with large.transaction() as session:
        kept, rated = stored_fits.stored(session, GAME.id), fitting.rate(session, GAME)
        assert kept is not None
        assert tuple(kept.competitors) == rated.competitors
        assert rated.fit.covariance is None
        for one in fields(rating.Fit):
            was, now = getattr(kept.fit, one.name), getattr(rated.fit, one.name)
            assert np.array_equal(np.asarray(was), np.asarray(now)), one.name


@pytest.mark.long
def test_explanations_are_those_of_a_ladder_that_is_fitted_from_scratch(large: Database) -> None:
    with large.transaction() as session:
        rated = fitting.rate(session, GAME)
        shared = np.flatnonzero(rated.weighed.games != rated.counts.games)[-LOOKED_AT:]
        of_many = [rated.competitors[one] for end in (rated.counts.first, rated.counts.second) for one in end[shared]]
        assert of_many
        busiest = select(Standing.submission_id).where(Standing.game == GAME.id).order_by(Standing.games.desc())
        former = [one for one in rated.standings if one not in {row.id for row in rated.on_board}]
        ends = [rated.on_board[0].id, rated.on_board[-1].id]
        for submission_id in {*ends, *of_many, *former[-LOOKED_AT:], *session.scalars(busiest.limit(LOOKED_AT))}:
            own, found = rated.standings[submission_id], explaining.explain(session, submission_id)
            expected = moved_by(rated, own)
            shown = {one.submission_id: (one.games, one.moved, one.next_game) for one in found.against}
            assert shown == {one: expected[one] for one in shown}
            assert len(shown) == min(len(expected), explaining.SHOWN)
            least = min((abs(one.moved) for one in found.against), default=0.0)
            assert all(abs(elo) <= least for one, (_, elo, _) in expected.items() if one not in shown)
            neighbours = [
                None if one is None else (one.standing.submission_id, one.above, one.games_to_tell)
                for one in (found.above, found.below)
            ]
            assert neighbours == beside(rated, own)
            boss = rated.bosses.get(own.league)
            assert found.boss == (None if boss is None else boss.id)


def test_of_a_small_ladder_no_fit_is_kept_and_whoever_is_new_is_explained_too(database: Database) -> None:
    with database.transaction() as session:
        refits.recompute(session, GAME)
        assert session.scalar(select(func.count()).select_from(LadderFit)) == 0
        first = session.scalars(select(Submission).where(Submission.game == GAME.id).order_by(Submission.id)).first()
        assert first is not None
        assert explaining.explain(session, first.id).standing.submission_id == first.id
        bot = Bot(game=GAME.id, owner_id=first.user_id, name="new", name_key="new")
        session.add(bot)
        session.flush()
        same = {"user_id": first.user_id, "game": GAME.id, "language": "ruby", "source_sha256": first.source_sha256}
        new = Submission(**same, bot_id=bot.id, version=1, state=SubmissionState.LIVE)
        session.add(new)
        session.flush()
        standings.enter(session, new, None)
        assert explaining.explain(session, new.id).standing.submission_id == new.id


def test_requests_that_come_together_make_one_fit(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a ladder of which none is stored. Counted is what the ladder's own code does."""
    with database.transaction() as session:
        refits.recompute(session, GAME)
        first = session.scalars(select(Submission.id).where(Submission.game == GAME.id).order_by(Submission.id)).first()
    assert first is not None
    made, together, rate = [], Barrier(4), fitting.rate

    def counted(*words: Any, **named: Any) -> fitting.Rated:
        made.append(1)
        return rate(*words, **named)

    def ask(_: int) -> int:
        with database.transaction() as session:
            session.get_one(Standing, first)
            together.wait()
            return explaining.explain(session, first).standing.submission_id

    monkeypatch.setattr(fitting, "rate", counted)
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(ask, range(4))) == {first}
    assert len(made) == 1
