"""The made-up arena: like one that grew, as far as the product can tell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import func, select

from hexarena.backend.ladder import refits
from hexarena.backend.matches import life as matches
from hexarena.backend.models import Match, MatchCount, MatchKind, MatchState, PairTally, Standing
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.bench.web import loading
from hexarena.bench.web.arena import House, Seeded, arena_of
from hexarena.bench.web.rows import tables
from hexarena.bench.web.world import Plan
from hexarena.games.catalogue import all_games
from tests.backend.runtime.test_migrations import differences
from tests.cli.test_cli import hexarena
from tests.conftest import Servers, new_arena, new_template

END = datetime(2026, 11, 1, tzinfo=UTC)
SMALL = Plan(matches=2_000, bots=120)


def seeded() -> Seeded:
    """As after seeding, with two house bots a game."""
    games = tuple(all_games().values())
    house = tuple(tuple(House(2 * game + one, 2 * game + one, 1) for one in (1, 2)) for game in range(len(games)))
    first = 2 * len(games) + 1
    return Seeded(games, house, 1, dict.fromkeys(loading.NUMBERED, first))


def written(plan: Plan) -> dict[str, str]:
    """Table -> its rows as text."""
    arena = arena_of(plan, seeded(), END)
    return {
        rows.table: repr({name: np.asarray(one).tolist() for name, one in rows.values.items()})
        for rows in tables(arena)
    }


def test_the_same_seed_makes_the_same_arena_and_another_one_does_not() -> None:
    once, again, other = written(SMALL), written(SMALL), written(Plan(matches=2_000, bots=120, seed=2))
    assert once == again
    assert [table for table in once if once[table] == other[table]] in ([], ["user"])


@pytest.fixture(scope="module")
def full(servers: Servers, template: str) -> Iterator[str]:
    """A template with 2,000 matches."""
    with new_template(servers, template, lambda database: loading.load(database, SMALL)) as name:
        yield name


@pytest.fixture
def filled(servers: Servers, full: str, tmp_path: Path) -> Iterator[Database]:
    """A database with 2,000 matches."""
    with (
        new_arena(servers, full, tmp_path) as settings,
        closing(Database.of(settings)) as database,
    ):
        yield database


@pytest.mark.long
def test_all_matches_are_there_and_nothing_of_the_schema_is_missing(filled: Database) -> None:
    assert differences(filled) == []
    with filled.transaction() as session:
        assert session.scalar(select(func.count()).select_from(Match)) == SMALL.matches
        played = set(session.execute(select(Match.game, Match.kind).distinct()))
        assert {kind for _, kind in played} == set(MatchKind)
        assert {game for game, _ in played} == set(all_games())
        public = Match.kind.not_in(matches.UNCOUNTED) & (Match.state == MatchState.DONE)
        counted = session.execute(select(Match.game, func.count()).where(public).group_by(Match.game))
        kept = session.execute(select(MatchCount.game, MatchCount.matches))
        assert dict(counted.all()) == dict(kept.all())


@pytest.mark.long
@pytest.mark.parametrize("game", ["yavalath", "battlegrounds"])
def test_a_refit_that_counts_everything_counts_what_was_made_up(filled: Database, game: str) -> None:
    tally = (PairTally.first_id, PairTally.second_id, PairTally.games, PairTally.half_points, PairTally.draws)
    tallies = select(*tally).where(PairTally.game == game).order_by(*tally[:2])
    standing = (Standing.submission_id, Standing.games, Standing.wins, Standing.draws, Standing.losses)
    standings = select(*standing).where(Standing.game == game).order_by(Standing.submission_id)
    with filled.transaction() as session:
        before = session.execute(tallies).all(), session.execute(standings).all()
        guessed = dict(session.execute(select(Standing.submission_id, Standing.rating)).all())
        refits.recompute(session, all_games()[game])
        assert (session.execute(tallies).all(), session.execute(standings).all()) == before
        often = select(Standing).where(Standing.game == game, Standing.games >= 15)
        found = [(guessed[one.submission_id], one.rating) for one in session.scalars(often)]
    assert np.corrcoef(np.array(found).T)[0, 1] > 0.3


def test_the_arena_goes_on_after_the_last_id_that_was_made_up(filled: Database) -> None:
    with filled.transaction() as session:
        newest = session.scalar(select(func.max(Match.id)))
        pair = session.scalars(select(Standing.submission_id).where(Standing.game == "ants").limit(2)).all()
        new = matches.schedule(session, game="ants", kind=MatchKind.LADDER, submission_ids=pair, seed=1, league=4)
        assert new.id == (newest or 0) + 1


def test_a_database_with_matches_is_not_filled_again(filled: Database) -> None:
    with pytest.raises(loading.NotEmpty):
        loading.load(filled, SMALL)


@pytest.mark.long
def test_each_kind_of_request_is_measured(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    monkeypatch.setenv("DATABASE_URL", settings.database_url)
    monkeypatch.setenv("REDIS_URL", settings.redis_url)
    words = ("--matches", "2000", "--bots", "120", "--rate", "20", "--seconds", "0.5", "--json", "out.json")
    done = hexarena(tmp_path, "bench", "web", *words)
    assert done.returncode == 0, done.stderr
    kinds = json.loads((tmp_path / "out.json").read_text())
    assert {"leaderboard, 50 rows", "home", "board at a date", "why this rating"} <= {one["what"] for one in kinds}
    assert [(one["requests"], one["failed"]) for one in kinds] == [(10, 0)] * len(kinds)
    assert sum(one["api_ms"] for one in kinds) > 0
    assert sum(one["database_ms"] for one in kinds) > 0
    assert "leaderboard, 50 rows" in done.stdout
