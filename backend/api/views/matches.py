"""Matches, from rows to what goes over HTTP."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple, Protocol

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session, joinedload, load_only, selectinload

from hexarena.backend.accounts import owners
from hexarena.backend.api import schemas
from hexarena.backend.errors import NotFound
from hexarena.backend.events import organisers
from hexarena.backend.matches import backlog, workers
from hexarena.backend.models import (
    Bot,
    EventPairing,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    Standing,
    Submission,
    User,
    UserKind,
    UserRole,
)
from hexarena.backend.moderation import reruns
from hexarena.games.catalogue import all_games
from hexarena.games.contract import Game
from hexarena.games.lines import without_names as header_without_names

_OF_MATCH = (
    joinedload(Match.result),
    joinedload(Match.pairing).joinedload(EventPairing.event),
    joinedload(Match.event),
    joinedload(Match.in_person),
)
_OF_SEAT = (
    joinedload(MatchSeat.result),
    # Whole rows have much that no list shows, such as build logs.
    joinedload(MatchSeat.submission).options(
        load_only(Submission.user_id, Submission.bot_id, Submission.version, Submission.language),
        joinedload(Submission.bot).load_only(Bot.name, Bot.name_key),
        joinedload(Submission.user).load_only(User.name, User.kind),
        joinedload(Submission.standing).load_only(Standing.rating),
    ),
)
_OF_RERUN = Match.rerun_of, Match.rerun_reason
FULL_MATCH = (
    *_OF_MATCH,
    selectinload(Match.void_attempts),
    selectinload(Match.seats).options(*_OF_SEAT),
    selectinload(Match.rerun).load_only(*_OF_RERUN),
)
# Made once: to make one takes as long as to run it. Of one match, all in one statement: it takes half the time of four.
_MATCH = (
    select(Match)
    .where(Match.id == bindparam("this_match"))
    .options(
        *_OF_MATCH,
        joinedload(Match.void_attempts),
        joinedload(Match.seats).options(*_OF_SEAT),
        joinedload(Match.rerun).load_only(*_OF_RERUN),
    )
    .execution_options(populate_existing=True)
)
_MATCHES = (
    select(Match).where(Match.id.in_(bindparam("these", expanding=True))).options(*FULL_MATCH).order_by(Match.id.desc())
)
PLACES_KEPT_S = 1.0
WAIT_STEPS = ((20, 5), (60, 10), (600, 60), (3600, 600))
"""(up to so many seconds, in steps of so many)."""


def match_by_id(session: Session, match_id: int, viewer_id: int | None, places: KnownPlaces) -> schemas.Match:
    """Raises: NotFound."""
    match = match_row(session, match_id, viewer_id)
    return match_view(session, match, viewer_id, places.of(session, [match]))


def find_match(session: Session, match_id: int) -> Match | None:
    """A match with everything that belongs to it, reloaded."""
    return session.execute(_MATCH, {"this_match": match_id}).unique().scalar_one_or_none()


def match_row(session: Session, match_id: int, viewer_id: int | None) -> Match:
    """A match with everything that belongs to it, reloaded. Raises: NotFound, also for somebody else's practice."""
    match = find_match(session, match_id)
    if match is None or not may_see(session, match, viewer_id):
        raise NotFound(f"There is no match {match_id}.")
    return match


class Shown(Protocol):
    """What decides who may see a match."""

    @property
    def kind(self) -> MatchKind: ...
    @property
    def requested_by_id(self) -> int | None: ...
    @property
    def held(self) -> bool: ...
    @property
    def pairing_id(self) -> int | None: ...


def may_see(session: Session, match: Shown, viewer_id: int | None) -> bool:
    """Practice matches are for the user who asked for them, or without one for nobody; those of an event whose results
    are held back, for its organisers.
    """
    if match.held:
        return viewer_id is not None and (
            is_organiser(session, viewer_id) or organisers.organises_pairing(session, viewer_id, match.pairing_id)
        )
    return match.kind != MatchKind.PRACTICE or (viewer_id is not None and match.requested_by_id == viewer_id)


def cache_control(match: Shown, seconds: int, *words: str) -> str:
    """For what of a match never changes: practice is kept by browsers alone, and what is held back by nobody."""
    if match.held:
        return "private, no-store"
    whose = "private" if match.kind == MatchKind.PRACTICE else "public"
    return ", ".join([whose, f"max-age={seconds}", *words])


def is_organiser(session: Session, user_id: int) -> bool:
    """Whether this user may organise; so may the only one of an arena without isolation."""
    organises = (User.role == UserRole.ORGANISER) | (User.kind == UserKind.LOCAL)
    return session.scalar(select(User.id).where(User.id == user_id, organises)) is not None


def match_views(session: Session, ids: Sequence[int], viewer_id: int, places: KnownPlaces) -> list[schemas.Match]:
    """These matches, newest first."""
    rows = session.scalars(_MATCHES, {"these": ids}).all()
    known = places.of(session, rows)
    return [match_view(session, match, viewer_id, known) for match in rows]


def nameless_seats(match: Match) -> list[int]:
    """The seats of bots that their owners have deleted."""
    bots = [(seat.seat, seat.submission.bot) for seat in match.seats]
    return [seat for seat, bot in bots if bot is not None and bot.is_deleted]


def without_names(replay: str, seats: Collection[int]) -> str:
    """A replay in which nobody can read what these bots were called."""
    header, newline, rest = replay.partition("\n")
    return header_without_names(header, seats).rstrip("\n") + newline + rest


class _Kept(NamedTuple):
    queue: backlog.Snapshot
    places: Mapping[int, backlog.Place]
    read_at: float


class KnownPlaces:
    """The places of the queue, read once a second for all who ask for them; what was queued since is added."""

    def __init__(self) -> None:
        self._usual = backlog.UsualSeconds()
        self._kept: _Kept | None = None

    def of(self, session: Session, matches: Sequence[Match]) -> Mapping[int, backlog.Place]:
        """The places, with those of these matches that wait."""
        queued = [match.id for match in matches if match.state == MatchState.QUEUED]
        if not queued:
            return {}
        kept, now = self._kept, time.monotonic()
        if kept is None or now - kept.read_at > PLACES_KEPT_S:
            there = workers.capacity(session)
            queue = backlog.Snapshot.read(session, there.slots, spare=there.spare, usual=self._usual)
            kept = self._kept = _Kept(queue, queue.places(), now)
        elif new := [one for one in queued if one not in kept.places]:
            queue = kept.queue.with_matches(session, new)
            kept = self._kept = _Kept(queue, queue.places(), kept.read_at)
        return kept.places


def _in_steps(wait_s: float) -> int:
    """Seconds, rounded up so that a page does not change all the time."""
    step = next((step for most, step in WAIT_STEPS if wait_s <= most), WAIT_STEPS[-1][1])
    return math.ceil(wait_s / step) * step


def hides(game_id: str) -> bool:
    """Whether something in the game's replays is hidden until the end."""
    game = all_games().get(game_id)
    return game is not None and game.hidden is not None


def shown_seed(game_id: str, seed: int, *, over: bool) -> str | None:
    """A seed as text. None while it would reveal what is hidden to anyone who has the rules."""
    return str(seed) if over or not hides(game_id) else None


def match_view(
    session: Session, match: Match, viewer_id: int | None, places: Mapping[int, backlog.Place]
) -> schemas.Match:
    """A match with everything that belongs to it (`FULL_MATCH`). `places`: see `KnownPlaces`."""
    result = match.result
    place = places.get(match.id) if match.state == MatchState.QUEUED else None
    return schemas.Match(
        id=match.id,
        game=match.game,
        kind=match.kind,
        duel_id=match.duel_id,
        state=match.state,
        seed=shown_seed(match.game, match.seed, over=match.state.is_over),
        league=match.league,
        seats=[_seat_view(session, seat, all_games().get(match.game), viewer_id) for seat in match.seats],
        reason=None if result is None else result.reason,
        turns=None if result is None else result.turns,
        repeat=result is not None and result.repeat,
        faults=[] if result is None else [schemas.Fault(**fault) for fault in result.faults],
        created_at=match.created_at,
        started_at=match.started_at,
        finished_at=match.finished_at,
        void_reason=match.void_reason,
        void_attempts=[
            schemas.VoidAttempt(attempt=one.attempt, reason=one.reason, ended_at=one.ended_at)
            for one in match.void_attempts
            if result is None or one.attempt != result.attempt
        ],
        queue_place=None if place is None else place.number,
        expected_wait_s=None if place is None or place.wait_s is None else _in_steps(place.wait_s),
        replay_url=None if result is None else f"/api/v1/matches/{match.id}/replay",
        live_url=f"/api/v1/matches/{match.id}/live",
        fork=_fork_view(match),
        person=_person_view(match),
        event=_event_view(match),
        rerun=None if match.rerun is None else _rerun_view(match.rerun.id, match.rerun.rerun_reason),
        rerun_of=None if match.rerun_of is None else _rerun_view(match.rerun_of, match.rerun_reason),
        can_rerun=reruns.may_be_rerun(match),
    )


def _rerun_view(other: int, reason: str | None) -> schemas.Rerun:
    return schemas.Rerun(match=other, reason=reason or "")


def _event_view(match: Match) -> schemas.MatchEvent | None:
    row = match.pairing
    if match.event is not None:
        return schemas.MatchEvent(id=match.event.id, name=match.event.name, pairing=None, game=None)
    if row is None or match.pairing_game is None:
        return None
    return schemas.MatchEvent(id=row.event_id, name=row.event.name, pairing=row.id, game=match.pairing_game + 1)


def _person_view(match: Match) -> schemas.OwnSeat | None:
    row = match.in_person
    return None if row is None else schemas.OwnSeat(seat=row.seat, turn=row.turn)


def _fork_view(match: Match) -> schemas.Fork | None:
    if match.fork_of is None or match.fork_turn is None:
        return None
    return schemas.Fork(match=match.fork_of, turn=match.fork_turn)


def _seat_view(session: Session, seat: MatchSeat, game: Game | None, viewer_id: int | None) -> schemas.MatchSeat:
    """`game`: None if it is no longer part of the arena."""
    submission, result = seat.submission, seat.result
    return schemas.MatchSeat(
        seat=seat.seat,
        team=seat.seat if game is None else game.team(seat.seat),
        bot_id=submission.bot_id,
        bot=submission.title,
        owner=submission.owner_name,
        language=submission.language,
        version=submission.version,
        submission_id=submission.id,
        rating=None if submission.standing is None else submission.standing.rating,
        mine=owners.owns(session, viewer_id, submission.user_id, submission.user.kind),
        rank=None if result is None else result.rank,
        score=None if result is None else result.score,
        fault=None if result is None else result.fault,
        rating_change=None if result is None else result.rating_change,
    )
