"""Play it yourself: a person has a seat against a bot, unrated and without a clock.

The person's seat is a draft without code, so that lists, replays, forks and deletion treat the match as they treat any
practice match. A reply is read by the game's own protocol before it counts; one that would be a fault is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from hexarena.backend.accounts.locks import lock
from hexarena.backend.errors import Conflict, Invalid, NotFound, Quota, TooMany
from hexarena.backend.matches import in_person, life as matches
from hexarena.backend.matches.quotas import NO_QUOTAS, Quotas, check_budget, check_queue
from hexarena.backend.matches.shares import share_of
from hexarena.backend.models import PERSON, InPerson, Job, Match, MatchKind, Submission, SubmissionState, User
from hexarena.backend.submissions.life import game_named
from hexarena.games.contract import BadReply, Game, quote
from hexarena.games.ghosts import Ghost
from hexarena.games.referee import replayed

OPEN_EACH = 2
"""Matches in person that somebody may have open at once."""
OPEN_PER_SHARE = 80
"""The same for all guests and new accounts of one network: two each for forty."""
UNWRITTEN = "\n\r\0"


def start(
    session: Session,
    user: User,
    *,
    game: Game,
    opponent_id: int,
    seat: int,
    seed: int,
    league: int,
    quotas: Quotas = NO_QUOTAS,
) -> Match:
    """Queues a match of the user, in this seat, against the opponent.

    Raises: Invalid (a game that nobody plays in person), TooMany.
    """
    if not game.in_person:
        raise Invalid(
            f"{game.title} is not played in person: only bots can play it.", expected="another game", got=game.title
        )
    lock(session, user)
    check_queue(session, user, quotas)
    _check_open(session, Match.requested_by_id == user.id, OPEN_EACH, "You have")
    _check_open(session, Job.share == share_of(user), OPEN_PER_SHARE, "Your network has")
    check_budget(session, user, quotas)
    own = Submission(user_id=user.id, game=game.id, language=PERSON, state=SubmissionState.DRAFT)
    session.add(own)
    session.flush()
    match = matches.schedule(
        session,
        game=game.id,
        kind=MatchKind.PRACTICE,
        submission_ids=[own.id if number == seat else opponent_id for number in range(game.seats[0])],
        seed=seed,
        league=league,
        requested_by_id=user.id,
        share=share_of(user),
    )
    session.add(InPerson(match_id=match.id, seat=seat))
    session.flush()
    return match


def _check_open(session: Session, whose: ColumnElement[bool], most: int, who: str) -> None:
    open_now = select(func.count()).select_from(Job).join(InPerson, InPerson.match_id == Job.match_id)
    count = session.scalar(open_now.join(Match, Match.id == Job.match_id).where(whose)) or 0
    if count >= most:
        raise TooMany(
            f"{who} {count} open matches in person. Finish one, or resign.",
            expected=f"fewer than {most} of them",
            got=str(count),
            quota=Quota("in-person", most, unit="concurrent-requests"),
        )


def open_matches(session: Session, user_id: int) -> Sequence[int]:
    """The ids of those that are not over, newest first."""
    query = select(Job.match_id).join(InPerson, InPerson.match_id == Job.match_id)
    mine = query.join(Match, Match.id == Job.match_id).where(Match.requested_by_id == user_id)
    return session.scalars(mine.order_by(Job.match_id.desc())).all()


def own_match(session: Session, user: User | None, match_id: int) -> tuple[Match, InPerson]:
    """Raises: NotFound, also for somebody else's, and for matches without a person."""
    query = select(Match, InPerson).join(InPerson, InPerson.match_id == Match.id).where(Match.id == match_id)
    found = session.execute(query.execution_options(populate_existing=True)).first()
    if found is None or user is None or found[0].requested_by_id != user.id:
        raise NotFound(f"You play no match {match_id} in person.")
    return found[0], found[1]


def reply(session: Session, user: User, match_id: int, turn: int, line: str, *, quotas: Quotas = NO_QUOTAS) -> None:
    """Answers for the user. Raises: NotFound, Conflict (not asked, or answered already), Invalid, TooMany."""
    match, row = own_match(session, user, match_id)
    _check_played(match)
    check_budget(session, user, quotas)
    in_person.expect_reply(session, match_id, turn)
    check(session, game_named(match.game), match, row.seat, line)
    in_person.reply(session, match_id, line)


def check(session: Session, game: Game, match: Match, seat: int, line: str) -> None:
    """Reads a line as the referee will. Raises: Invalid, in the game's own words."""
    if any(sign in UNWRITTEN for sign in line):
        raise Invalid("A reply is one line of text.", expected="one line of text", got=quote(line))
    size = len(line.encode())
    if size > game.reply_bytes:
        raise Invalid("This reply is too long.", expected=f"at most {game.reply_bytes:,} bytes", got=f"{size:,}")
    state = _state(session, game, match)
    try:
        move = game.protocol.parse(state, seat, line)
    except BadReply as fault:
        raise Invalid(_sentence(fault.message)) from None
    problems = game.objections(state, seat, move)
    if problems:
        raise Invalid(_sentence("; ".join(problems)))


def _state(session: Session, game: Game, match: Match) -> Any:
    """The rules' state before the turn that the user is asked for."""
    past = in_person.past(session, match.id, game.seats[0])
    ghosts = [Ghost(said) for said in past.said]
    return replayed(game, ghosts, past.turn, seed=match.seed, league=match.league)


def _sentence(words: str) -> str:
    """A message of a game, which writes bots' messages without a capital and a full stop."""
    return f"{words[:1].upper()}{words[1:]}."


def resign(session: Session, user: User, match_id: int) -> None:
    """Gives the match up. Idempotent. Raises: NotFound, Conflict (it is over)."""
    match, _ = own_match(session, user, match_id)
    _check_played(match)
    in_person.resign(session, match_id)


def _check_played(match: Match) -> None:
    if match.state.is_over:
        raise Conflict("This match is over.", expected="a match that you still play", got=f"one that is {match.state}")
