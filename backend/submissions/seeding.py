"""Fills a fresh arena: the house's user, its bots and the leagues, from the games' manifests.

Repeating it changes only what the manifests changed: a house bot with new code gets a new version.
"""

from __future__ import annotations

import hashlib
from itertools import chain, zip_longest
from pathlib import PurePath

from sqlalchemy import case, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from hexarena.backend.accounts.names import HOUSE, key_of
from hexarena.backend.ladder import standings
from hexarena.backend.models import (
    Bot,
    DailyBoard,
    Ladder,
    League,
    Season,
    SeasonStanding,
    Standing,
    StandingHistory,
    Submission,
    SubmissionState,
    TrialState,
    User,
    UserKind,
)
from hexarena.backend.runtime import migrate
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.locks import AdvisoryLock, hold
from hexarena.backend.submissions import life as submissions
from hexarena.backend.submissions.languages import by_ending
from hexarena.games.catalogue import all_games, bot_file
from hexarena.games.contract import Game, HouseBot
from hexarena.games.house import house_bots

SECOND = " #2"
"""After the name of a house bot that came to an arena where somebody had taken it. People's names have no #."""


def prepare(database: Database) -> int:
    """Migrates and seeds, also a database that was moved. Returns how many house bots are new."""
    migrate.upgrade(database)
    with database.transaction() as session:
        return seed(session)


def seed(session: Session) -> int:
    """Creates everything that is missing. Returns how many house bots entered a ladder or got a new version."""
    hold(session, AdvisoryLock.SEEDING)
    for game_id in sorted(all_games()):
        standings.lock_ladder(session, game_id)  # before standings, as refits do
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
        _seed_leagues(session, game)
    return entered


def _enter(session: Session, house: User, game: Game, house_bot: HouseBot) -> bool:
    """House bots are tested with the game, so they go live unchecked."""
    body = bot_file(game, house_bot.file).read_bytes()
    sha256 = hashlib.sha256(body).hexdigest()
    bot = find_house_bot(session, game, house_bot.name) or _new_house_bot(session, house, game, house_bot.name)
    newest = session.scalar(
        select(Submission).where(Submission.bot_id == bot.id).order_by(Submission.version.desc()).limit(1)
    )
    if newest is not None and newest.source_sha256 == sha256:
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


def find_house_bot(session: Session, game: Game, name: str) -> Bot | None:
    """The house bot that the manifest calls so; it may have another name here, if this one was taken."""
    house = select(User.id).where(User.kind == UserKind.HOUSE).scalar_subquery()
    query = select(Bot).where(
        Bot.game == game.id, Bot.owner_id == house, func.lower(Bot.name).in_([name.lower(), (name + SECOND).lower()])
    )
    return session.scalar(query.order_by(Bot.id).limit(1))


def _new_house_bot(session: Session, house: User, game: Game, name: str) -> Bot:
    """People keep the names that they had first."""
    taken = select(Bot.id).where(Bot.game == game.id, func.lower(Bot.name) == name.lower())
    free = name if session.scalar(taken) is None else name + SECOND
    bot = Bot(game=game.id, owner_id=house.id, name=free, name_key=key_of(free))
    session.add(bot)
    session.flush()
    return bot


def _seed_leagues(session: Session, game: Game) -> None:
    bosses = [None if one.boss is None else find_house_bot(session, game, one.boss) for one in game.leagues]
    wanted = [(one.name, None if boss is None else boss.id) for one, boss in zip(game.leagues, bosses, strict=True)]
    there = select(League.name, League.boss_bot_id).where(League.game == game.id).order_by(League.position)
    existing = [(row.name, row.boss_bot_id) for row in session.execute(there)]
    if existing != wanted:
        _change_leagues(session, game, [name for name, _ in existing], wanted)
    session.execute(insert(Ladder).values(game=game.id).on_conflict_do_nothing())
    # Results by other rules than those of the full game do not count any more, and those of before that do.
    other = (Ladder.game == game.id) & Ladder.level.is_distinct_from(game.top_level)
    session.execute(update(Ladder).where(other).values(level=game.top_level, stale=True))


def _change_leagues(session: Session, game: Game, old: list[str], wanted: list[tuple[str, int | None]]) -> None:
    """Bots stay in the league of the same name, or at the same height, and are tried anew by its boss.

    Whoever was in the lowest league has passed no boss, and stays in the lowest.
    """
    names = [name for name, _ in wanted]
    session.execute(delete(League).where(League.game == game.id))
    session.add_all(
        League(game=game.id, position=position, name=name, boss_bot_id=boss)
        for position, (name, boss) in enumerate(wanted, start=1)
    )
    session.flush()
    moves = {
        position: names.index(name) + 1 if name in names else min(position, len(names))
        for position, name in enumerate(old, start=1)
    } | ({1: 1} if old else {})
    for table in (Standing, StandingHistory) if moves else ():
        moved = case(moves, value=table.league, else_=table.league)
        session.execute(update(table).where(table.game == game.id).values(league=moved))
    if moves:
        of_game = SeasonStanding.season_id.in_(select(Season.id).where(Season.game == game.id))
        moved = case(moves, value=SeasonStanding.league, else_=SeasonStanding.league)
        session.execute(update(SeasonStanding).where(of_game).values(league=moved))
    session.execute(delete(DailyBoard).where(DailyBoard.game == game.id))  # their order was that of the leagues
    anew = {"league_from": Standing.games, "trial": TrialState.OPEN}
    session.execute(update(Standing).where(Standing.game == game.id).values(anew))
    for position, (_, boss) in enumerate(wanted, start=1):
        bosses_standing = (
            update(Standing)
            .where(Submission.id == Standing.submission_id, Submission.bot_id == boss)
            .values(league=position, placing=False, trial=TrialState.STAYS)
        )
        session.execute(bosses_standing)
    session.execute(update(Ladder).where(Ladder.game == game.id).values(stale=True))
