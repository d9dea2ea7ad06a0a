"""The checks of `make chaos`: a quiet arena passes all of them, and each notices what it is for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select, text

from hexarena.backend.models import Ladder, Match, MatchKind
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.worker import ratings, tasks
from hexarena.worker.lending import MatchSlots
from scripts.chaos import checks
from scripts.chaos.__main__ import main
from scripts.chaos.checks import Found
from tests.worker.test_overload import play, queue_match

pytestmark = pytest.mark.sandbox


@pytest.fixture
def quiet(settings: Settings, database: Database) -> Iterator[Found]:
    """An arena in which two matches were played and counted, the first of them at its second attempt."""
    context = tasks.WorkerContext.open(settings.model_copy(update={"sandbox": "none"}), MatchSlots(1), MatchSlots(0))
    accepted = [queue_match(database), queue_match(database, MatchKind.PRACTICE)]
    with database.transaction() as session:
        session.execute(text("UPDATE match SET seed = id"))
    for _ in accepted:
        play(context)
    with database.transaction() as session:
        games = session.scalars(select(Ladder.game)).all()
    for game in games:
        ratings.refit(database, game)
    yield Found(database, context.blobs, accepted, store_folder=settings.data_folder / "blobs")
    context.close()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--matches", "0"), "expected a number, 10 at least; got 0"),
        (("--matches", "x"), "expected a number, 10 at least; got x"),
        (("--minutes", "-1"), "expected minutes, 0 or more; got -1"),
        (("--minutes", "nan"), "expected minutes, 0 or more; got nan"),
        (("--only", "a flood"), "invalid choice: 'a flood'"),
    ],
)
def test_chaos_in_which_nothing_happens_is_refused(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(words)
    assert said in capsys.readouterr().err


def failing(found: Found) -> list[str]:
    """The names of checks that are not met."""
    return [name for name, wrong in checks.run(found).items() if wrong]


BROKEN = {
    "a lease that nobody released": (
        "INSERT INTO job (match_id, priority, token, lease_until) "
        "SELECT id, 1, gen_random_uuid(), now() FROM match WHERE kind = 'ladder'",
        "every match is over, no lease is open",
    ),
    "a match without its result": ("DELETE FROM result", "every match ended exactly once"),
    "an attempt that was void after it had counted": (
        "INSERT INTO void_attempt (match_id, attempt, reason) "
        "SELECT id, 1, 'The machine was overloaded.' FROM match WHERE kind = 'ladder'",
        "every match ended exactly once",
    ),
    "a seat without its result": ("DELETE FROM seat_result WHERE seat = 1", "every seat has its result"),
    "a match that is gone": ("DELETE FROM match WHERE kind = 'practice'", "what the API accepted is there"),
    "an upload that nobody has checked": (
        "UPDATE submission SET state = 'checking' WHERE id = (SELECT min(id) FROM submission)",
        "uploads are judged",
    ),
    "a match that a bug of ours made void": (
        "INSERT INTO match (game, kind, state, seed, league, void_reason, finished_at) VALUES "
        "('yavalath', 'practice', 'void', 1, 1, 'Something on our side failed. The match does not count.', now())",
        "void matches are explained",
    ),
    "a bot that was killed and is blamed": ("UPDATE seat_result SET fault = 'crash'", "no bot is blamed"),
    "a result that waits for a refit": (
        "INSERT INTO pending_result (match_id, game) SELECT id, game FROM match WHERE kind = 'ladder'",
        "every rated result is counted",
    ),
    "a result that counted twice": (
        "UPDATE pair_tally SET games = 2 * games, half_points = 2 * half_points",
        "ratings follow from results, to the last bit",
    ),
    "a rating that is a bit off": (
        "UPDATE standing SET rating = rating + 1e-9",
        "ratings follow from results, to the last bit",
    ),
    "a match that was counted twice": ("UPDATE match_count SET matches = matches + 1", "counters are counts"),
    "a ladder that has missed a result": ("UPDATE ladder SET results = 0", "counters are counts"),
    "a replay of another attempt": (
        "UPDATE result SET replay_key = replace(replay_key, '-1.zip', '-2.zip')",
        "replays are whole, repeat themselves, and no others are left",
    ),
    "ranks that the replies do not lead to": (
        "UPDATE seat_result SET rank = 1 - rank",
        "replays are whole, repeat themselves, and no others are left",
    ),
    "an end that no page heard of": ("DELETE FROM change", "pages were notified of every end"),
}
"""What is wrong -> how it comes about, and which check says so."""


FILES: dict[str, Callable[[Path], object]] = {
    "a replay that is gone": Path.unlink,
    "a replay that is cut": lambda path: path.write_bytes(path.read_bytes()[:-40]),
    "a replay of an attempt that was lost": lambda path: path.with_name("1-9.zip").write_bytes(path.read_bytes()),
    "a replay that was never finished": lambda path: path.with_name(f"{path.name}#1").write_bytes(b"PK"),
}


@pytest.mark.long
def test_a_quiet_arena_passes_all_checks_and_each_of_them_notices_what_it_is_for(quiet: Found) -> None:
    """One after the other, as playing the matches takes longest."""
    assert failing(quiet) == []
    for wrong, (statement, name) in BROKEN.items():
        with quiet.database.transaction() as session:
            session.execute(text(statement))
            assert checks.CHECKS[name](session, quiet), wrong
            session.rollback()
    assert quiet.store_folder is not None
    stored = min((quiet.store_folder / "replays").rglob("*.zip"))
    content, there = stored.read_bytes(), set(stored.parent.iterdir())
    for wrong, spoil in FILES.items():
        spoil(stored)
        assert failing(quiet) == ["replays are whole, repeat themselves, and no others are left"], wrong
        for added in set(stored.parent.iterdir()) - there:
            added.unlink()
        stored.write_bytes(content)
    assert failing(replace(quiet, answers={201: 3, 503: 1, 0: 2})) == []
    assert failing(replace(quiet, answers={201: 3, 500: 1})) == ["the API accepted, or said why not"]
    with quiet.database.transaction() as session:
        session.execute(select(Match.id))
        assert failing(quiet) == ["no transaction is open"]
