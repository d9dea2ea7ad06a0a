"""New house bots and other leagues come to an arena that has been running for long."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from hexarena.backend.accounts.names import key_of
from hexarena.backend.ladder import standings
from hexarena.backend.models import (
    Bot,
    Ladder,
    League,
    Standing,
    Submission,
    SubmissionState,
    TrialState,
    User,
    UserKind,
)
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions import life as submissions, seeding
from hexarena.games import catalogue
from hexarena.games.catalogue import find_game
from hexarena.games.contract import Game, HouseBot, League as Rung
from tests.conftest import is_anybody_waiting, wait_until

GAME = find_game("yavalath")
OLD = (Rung("Bronze", "Planner"), Rung("Silver", "Keystone"), Rung("Gold"))
NEW = (
    Rung("Wood", "Pebble"),
    Rung("Bronze", "Watcher"),
    Rung("Silver", "Planner"),
    Rung("Gold", "Keystone"),
    Rung("Top"),
)


def seed_with(monkeypatch: pytest.MonkeyPatch, session: Session, game: Game) -> None:
    games = {**catalogue.all_games(), game.id: game}
    monkeypatch.setattr(seeding, "all_games", lambda: games)
    seeding.seed(session)
    session.flush()
    session.expire_all()


def enter(session: Session, name: str, league: int) -> Standing:
    """A bot of a guest's, in this league since its 40th game."""
    user = User(kind=UserKind.GUEST, name=f"guest {name}")
    session.add(user)
    session.flush()
    bot = Bot(game=GAME.id, owner_id=user.id, name=name, name_key=key_of(name))
    session.add(bot)
    session.flush()
    body = name.encode()
    submissions.keep_source(session, key_of(name).ljust(64, "0")[:64], body)
    submission = Submission(
        user_id=user.id, game=GAME.id, bot_id=bot.id, version=1, language="python",
        source_sha256=key_of(name).ljust(64, "0")[:64], state=SubmissionState.QUEUED,
    )  # fmt: skip
    session.add(submission)
    session.flush()
    submissions.go_live(session, submission.id)
    standing = session.get_one(Standing, submission.id)
    standing.league, standing.league_from, standing.trial = league, 40, TrialState.STAYS
    standing.games = standing.wins = 60
    standing.placing = False
    session.flush()
    return standing


def leagues(session: Session) -> list[tuple[str, str | None]]:
    query = select(League.name, Bot.name).outerjoin(Bot, Bot.id == League.boss_bot_id).where(League.game == GAME.id)
    return [(name, boss) for name, boss in session.execute(query.order_by(League.position))]


def test_bots_stay_in_the_league_of_the_same_name_and_are_tried_anew(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.transaction() as session:
        seed_with(monkeypatch, session, replace(GAME, leagues=OLD))
        low, middle, top = enter(session, "low", 1), enter(session, "middle", 2), enter(session, "top", 3)
        seed_with(monkeypatch, session, replace(GAME, leagues=NEW))
        assert leagues(session) == [(one.name, one.boss) for one in NEW]
        assert [one.league for one in (low, middle, top)] == [1, 3, 4]
        assert {(one.trial, one.league_from) for one in (low, middle, top)} == {(TrialState.OPEN, 60)}
        guards = dict(
            session.execute(
                select(Bot.name, Standing.league)
                .join(Submission, Submission.bot_id == Bot.id)
                .join(Standing, Standing.submission_id == Submission.id)
                .where(Bot.game == GAME.id, Standing.trial == TrialState.STAYS)
            ).all()
        )
        assert guards == {"Pebble": 1, "Watcher": 2, "Planner": 3, "Keystone": 4}
        assert session.get_one(Ladder, GAME.id).stale


def test_fewer_leagues_keep_everybody(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with database.transaction() as session:
        seed_with(monkeypatch, session, replace(GAME, leagues=NEW))
        highest = enter(session, "highest", 5)
        seed_with(monkeypatch, session, replace(GAME, leagues=OLD))
        assert leagues(session) == [(one.name, one.boss) for one in OLD]
        assert highest.league == 3


def test_a_second_start_changes_nothing(database: Database) -> None:
    with database.transaction() as session:
        standing = enter(session, "settled", 1)
        assert seeding.seed(session) == 0
        session.refresh(standing)
        assert (standing.trial, standing.league_from) == (TrialState.STAYS, 40)


def test_a_ladder_counts_anew_when_the_full_game_has_other_rules(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.transaction() as session:
        ladder = session.get_one(Ladder, GAME.id)
        assert ladder.level == GAME.top_level
        ladder.stale = False
        seed_with(monkeypatch, session, GAME)
        session.refresh(ladder)
        assert not ladder.stale
        seed_with(monkeypatch, session, replace(GAME, levels=(1, 2)))
        session.refresh(ladder)
        assert (ladder.level, ladder.stale) == (2, True)


def test_people_keep_the_names_that_a_new_house_bot_wants(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with database.transaction() as session:
        theirs = enter(session, "Newcomer", 1)
        bots = (*GAME.house_bots, HouseBot("Newcomer", "pebble.py", "It came late."))
        rungs = (Rung("Wood", "Newcomer"), *GAME.leagues[1:])
        seed_with(monkeypatch, session, replace(GAME, house_bots=bots, leagues=rungs))
        assert leagues(session)[0] == ("Wood", "Newcomer #2")
        seed_with(monkeypatch, session, replace(GAME, house_bots=bots, leagues=rungs))
        named = session.scalars(select(Bot.name).where(Bot.name.startswith("Newcomer")).order_by(Bot.id)).all()
        assert named == ["Newcomer", "Newcomer #2"]
        assert session.get_one(Submission, theirs.submission_id).state == SubmissionState.LIVE


def test_seeding_has_the_ladders_before_it_changes_anything(database: Database) -> None:
    """A refit has its ladder when it writes standings: the other way round, each waits for the other."""

    def seed_anew() -> None:
        with database.transaction() as session, pytest.MonkeyPatch.context() as patch:
            seed_with(patch, session, replace(GAME, leagues=NEW))

    with ThreadPoolExecutor(1) as pool:
        with database.transaction() as session:
            standings.lock_ladder(session, GAME.id)
            done = pool.submit(seed_anew)
            wait_until(lambda: is_anybody_waiting(database) or done.done(), "it waits for the ladder")
            assert not done.done()
            rows = select(Standing.submission_id).where(Standing.game == GAME.id).with_for_update(nowait=True)
            assert session.scalars(rows).all()
        done.result()
