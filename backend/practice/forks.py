"""Forks: from a turn of one's own match, play on with other code.

A fork is a practice match of the same bots with the same seed. Up to its turn the recorded replies count
(`games.ghosts`); the worker takes them from the stored match, and notices if that does not repeat itself.
"""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from hexarena.backend.accounts import owners
from hexarena.backend.errors import Conflict, Invalid, NotFound
from hexarena.backend.matches import life as matches
from hexarena.backend.matches.quotas import NO_QUOTAS, Quotas
from hexarena.backend.matches.shares import share_of
from hexarena.backend.models import PERSON, Match, MatchKind, MatchSeat, MatchState, Submission, SubmissionState, User
from hexarena.backend.submissions import life as submissions
from hexarena.games.contract import Game


def start(
    session: Session,
    user: User,
    *,
    game: Game,
    match_id: int,
    turn: int,
    language: str,
    source: bytes,
    quotas: Quotas = NO_QUOTAS,
) -> Match:
    """Queues the fork: the code has the seats that the user's bot had. `turn`: the last one that is as it was.

    Raises: NotFound (also for a match in which the user had no seat), Invalid (the turn), Conflict (code that is gone),
    and what a practice match may raise.
    """
    played = _played(session, user, match_id)
    last = played.result.turns if played.result is not None else 0
    if not 0 <= turn < last:
        raise Invalid("There is no turn to play on from there.", expected=f"a turn from 0 to {last - 1}", got=str(turn))
    if played.game != game.id:
        raise Invalid(
            "This match is of another game.", expected=f"a match of {game.title}", got=f"one of {played.game}"
        )
    own = _own(session, played, user)
    for seat in played.seats:
        # Also of one's own, since with its code the log of what it replied was deleted.
        if seat.submission.source_sha256 is None and seat.submission.language != PERSON:
            gone = f"{seat.submission.title}, whose owner deleted it"
            raise Conflict("This match cannot be played on.", expected="bots whose code is still there", got=gone)
    draft = submissions.draft(session, user, game=game, language=language, source=source, quotas=quotas)
    return matches.schedule(
        session,
        game=game.id,
        kind=MatchKind.PRACTICE,
        submission_ids=[draft.id if seat.submission_id == own else seat.submission_id for seat in played.seats],
        seed=played.seed,
        league=played.league,
        requested_by_id=user.id,
        share=share_of(user),
        fork_of=match_id,
        fork_turn=turn,
    )


def _played(session: Session, user: User, match_id: int) -> Match:
    seated = joinedload(Match.seats).joinedload(MatchSeat.submission)
    names = (seated.joinedload(Submission.bot), seated.joinedload(Submission.user))
    query = select(Match).where(Match.id == match_id).options(*names, joinedload(Match.result))
    found = session.scalars(query).unique().one_or_none()
    if found is None or _is_hidden(found, user) or not _has_seat(session, found, user):
        raise NotFound(f"You had no seat in match {match_id}.")
    if found.state != MatchState.DONE:
        raise Conflict("Only a match that is over can be played on.", expected="a match that is done", got=found.state)
    return found


def _is_hidden(played: Match, user: User) -> bool:
    """Practice is for whoever asked for it, results that are held back for organisers: see `api.views.may_see`."""
    return played.held or (played.kind == MatchKind.PRACTICE and played.requested_by_id != user.id)


def _has_seat(session: Session, played: Match, user: User) -> bool:
    return any(owners.owns(session, user.id, seat.submission.user_id) for seat in played.seats)


def _own(session: Session, played: Match, user: User) -> int:
    """The user's submission there: of several the draft, for which the match was played, else the first."""
    own = [seat.submission for seat in played.seats if owners.owns(session, user.id, seat.submission.user_id)]
    return next((one.id for one in own if one.state == SubmissionState.DRAFT), own[0].id)
