"""Rounds of the scheduler for one game, in the test's own transaction."""

from __future__ import annotations

from random import Random

from sqlalchemy.orm import Session

from hexarena.backend.ladder import memory, scheduling
from hexarena.backend.ladder.memory import LadderMemory
from hexarena.backend.ladder.roster import Roster
from hexarena.games.contract import Game

MANY = 10_000


def roster(session: Session, game: Game) -> Roster:
    """The ladder as a scheduler that begins now sees it."""
    session.flush()
    ladder = LadderMemory(game)
    ladder.read(session, memory.tokens(session)[game.id])
    return ladder.roster()


def schedule_needed(session: Session, game: Game, random: Random, *, house: bool = True) -> int:
    """Queues matches of versions in placement or on trial. Returns how many."""
    planned = scheduling.plan_needed(roster(session, game), random, most=MANY, house=house)
    return memory.queue(session, game, planned)


def schedule_ladder(session: Session, game: Game, random: Random) -> bool:
    """Queues a ladder match. False when nobody may meet anybody."""
    planned = scheduling.plan_ladder(roster(session, game), random)
    return planned is not None and memory.queue(session, game, [planned]) == 1
