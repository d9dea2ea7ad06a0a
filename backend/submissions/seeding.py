"""Fills a fresh arena: the house's user, its bots and the leagues, from the games' manifests.

Repeating it changes only what the manifests changed: a house bot with new code gets a new version.
"""

from __future__ import annotations

import hashlib
from itertools import chain, zip_longest
from pathlib import PurePath

from sqlalchemy import func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from hexarena.backend.accounts.names import HOUSE, key_of
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
from hexarena.backend.runtime import migrate
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions import life as submissions
from hexarena.backend.submissions.languages import by_ending
from hexarena.games.catalogue import all_games, game_file
from hexarena.games.contract import Game, HouseBot
from hexarena.games.house import house_bots

SEEDING_LOCK = 0x68657862


def prepare(database: Database) -> int:
    """Migrates and seeds. Returns how many house bots are new."""
    migrate.upgrade(database)
    with database.transaction() as session:
        return seed(session)


def seed(session: Session) -> int:
    """Creates everything that is missing. Returns how many house bots entered a ladder or got a new version."""
    session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": SEEDING_LOCK})
    house = session.scalar(select(User).where(User.kind == UserKind.HOUSE))
    if house is None:
        house = User(kind=UserKind.HOUSE, name=HOUSE, name_key=key_of(HOUSE))
        session.add(house)
        session.flush()
    # Alternating between games, so that a fresh arena soon has a match of every game to show.
    by_turns = chain.from_iterable(
        zip_longest(*([(game, bot) for bot in house_bots(game)] for game in all_games().values()))
    )
    entered = sum(_enter(session, house, *one) for one in by_turns if one is not None)
    for game in all_games().values():
        _seed_leagues(session, house, game)
    return entered


def _enter(session: Session, house: User, game: Game, house_bot: HouseBot) -> bool:
    """House bots are tested with the game, so they go live unchecked."""
    body = game_file(game, "bots", house_bot.file).read_bytes()
    sha256 = hashlib.sha256(body).hexdigest()
    bot = session.scalar(select(Bot).where(Bot.game == game.id, func.lower(Bot.name) == house_bot.name.lower()))
    if bot is None:
        bot = Bot(game=game.id, owner_id=house.id, name=house_bot.name, name_key=key_of(house_bot.name))
        session.add(bot)
        session.flush()
    newest = session.scalar(
        select(Submission).where(Submission.bot_id == bot.id).order_by(Submission.version.desc()).limit(1)
    )
    if bot.owner_id != house.id or (newest is not None and newest.source_sha256 == sha256):
        return False
    submissions.keep_source(session, sha256, body)
    submission = Submission(
        user_id=house.id,
        game=game.id,
        bot_id=bot.id,
        version=1 + (0 if newest is None else newest.version or 0),
        language=by_ending(PurePath(house_bot.file).suffix).id,
        source_sha256=sha256,
        note=house_bot.summary[:200],
        state=SubmissionState.QUEUED,
    )
    session.add(submission)
    session.flush()
    submissions.go_live(session, submission.id)
    return True


def _seed_leagues(session: Session, house: User, game: Game) -> None:
    bots = dict(session.execute(select(Bot.name, Bot.id).where(Bot.game == game.id, Bot.owner_id == house.id)).all())
    for position, league in enumerate(game.leagues, start=1):
        boss = None if league.boss is None else bots[league.boss]
        values = {"name": league.name, "boss_bot_id": boss}
        row = insert(League).values(game=game.id, position=position, **values)
        session.execute(row.on_conflict_do_update(index_elements=["game", "position"], set_=values))
        bosses_standing = (
            update(Standing)
            .where(Submission.id == Standing.submission_id, Submission.bot_id == boss)
            .values(league=position, placing=False, trial=TrialState.STAYS)
        )
        session.execute(bosses_standing)
    session.execute(insert(Ladder).values(game=game.id).on_conflict_do_nothing())
