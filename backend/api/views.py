"""From rows to what goes over HTTP. `viewer_id`: the requesting user, for `mine` and for what only owners see."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Protocol

from sqlalchemy import ColumnElement, SmallInteger, func, select, true, type_coerce
from sqlalchemy.orm import Session, joinedload, selectinload

from hexarena.backend.accounts import owners
from hexarena.backend.api import schemas
from hexarena.backend.errors import NotFound
from hexarena.backend.events import organisers
from hexarena.backend.ladder import standings
from hexarena.backend.ladder.rules import provisional
from hexarena.backend.matches import queue, workers
from hexarena.backend.models import (
    Bot,
    Duel,
    DuelState,
    EventPairing,
    League,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    Season,
    SeatResult,
    Source,
    Standing,
    Submission,
    SubmissionState,
    TrialState,
    User,
    UserKind,
    UserRole,
)
from hexarena.backend.moderation import reruns
from hexarena.backend.rating import sprt
from hexarena.backend.submissions.sources import LOCAL_MAGIC
from hexarena.games.catalogue import all_games, find_game
from hexarena.games.contract import Game
from hexarena.games.lines import without_names as header_without_names

IS_ARCHIVE = func.substring(Source.body, 1, len(LOCAL_MAGIC)) == LOCAL_MAGIC
FULL_MATCH = (
    joinedload(Match.result),
    joinedload(Match.pairing).joinedload(EventPairing.event),
    joinedload(Match.event),
    joinedload(Match.in_person),
    selectinload(Match.rerun).load_only(Match.rerun_of, Match.rerun_reason),
    selectinload(Match.void_attempts),
    selectinload(Match.seats).options(
        joinedload(MatchSeat.result),
        joinedload(MatchSeat.submission).options(
            joinedload(Submission.bot).joinedload(Bot.owner),
            joinedload(Submission.user),
            joinedload(Submission.standing),
        ),
    ),
)

FULL_DUEL = (
    joinedload(Duel.candidate).joinedload(Submission.bot).joinedload(Bot.owner),
    joinedload(Duel.baseline).joinedload(Submission.bot).joinedload(Bot.owner),
)
DUEL_MATCHES_SHOWN = 20
MOST_VERSIONS = 100
"""Of a bot, the newest ones."""
PLACES_KEPT_S = 1.0
WAIT_STEPS = ((20, 5), (60, 10), (600, 60), (3600, 600))
"""(up to so many seconds, in steps of so many)."""


def match_by_id(session: Session, match_id: int, viewer_id: int | None) -> schemas.Match:
    """Raises: NotFound."""
    return match_view(session, match_row(session, match_id, viewer_id), viewer_id)


def match_row(session: Session, match_id: int, viewer_id: int | None) -> Match:
    """A match with everything that belongs to it, reloaded. Raises: NotFound, also for somebody else's practice."""
    query = select(Match).where(Match.id == match_id).options(*FULL_MATCH)
    match = session.scalar(query.execution_options(populate_existing=True))
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
    """Practice matches are for whoever asked for them, and without him for nobody; those of an event whose results are
    held back for its organisers.
    """
    if match.held:
        return viewer_id is not None and (
            is_organiser(session, viewer_id) or organisers.organises_pairing(session, viewer_id, match.pairing_id)
        )
    return match.kind != MatchKind.PRACTICE or (viewer_id is not None and match.requested_by_id == viewer_id)


def is_organiser(session: Session, user_id: int) -> bool:
    """Whether this user may organise; so may the only one of an arena without isolation."""
    organises = (User.role == UserRole.ORGANISER) | (User.kind == UserKind.LOCAL)
    return session.scalar(select(User.id).where(User.id == user_id, organises)) is not None


def match_views(session: Session, ids: Sequence[int], viewer_id: int) -> list[schemas.Match]:
    """These matches, newest first."""
    query = select(Match).where(Match.id.in_(ids)).options(*FULL_MATCH).order_by(Match.id.desc())
    rows = session.scalars(query).all()
    queued = any(match.state == MatchState.QUEUED for match in rows)
    places = queue_places(session) if queued else {}
    return [match_view(session, match, viewer_id, places) for match in rows]


def nameless_seats(match: Match) -> list[int]:
    """The seats of bots that their owners have deleted."""
    bots = [(seat.seat, seat.submission.bot) for seat in match.seats]
    return [seat for seat, bot in bots if bot is not None and bot.name_key is None]


def without_names(replay: str, seats: Collection[int]) -> str:
    """A replay in which nobody can read what these bots were called."""
    header, newline, rest = replay.partition("\n")
    return header_without_names(header, seats).rstrip("\n") + newline + rest


def queue_places(session: Session) -> Mapping[int, queue.Place]:
    """See `queue.places`."""
    return queue.places(session, workers.slots(session))


class KnownPlaces:
    """The queue's places, read once a second for all who watch it."""

    def __init__(self) -> None:
        self._places: Mapping[int, queue.Place] = {}
        self._read_at = -math.inf

    def including(self, session: Session, match_id: int) -> Mapping[int, queue.Place]:
        """The places, with that of this match if it waits."""
        now = time.monotonic()
        if now - self._read_at > PLACES_KEPT_S or match_id not in self._places:
            self._places, self._read_at = queue_places(session), now
        return self._places


def _in_steps(wait_s: float) -> int:
    """Seconds, rounded up so that a page does not change all the time."""
    step = next((step for most, step in WAIT_STEPS if wait_s <= most), WAIT_STEPS[-1][1])
    return math.ceil(wait_s / step) * step


def hides(game_id: str) -> bool:
    """Whether something in the game's replays is hidden until the end."""
    game = all_games().get(game_id)
    return game is not None and game.hidden is not None


def shown_seed(game_id: str, seed: int, *, over: bool) -> str | None:
    """A seed as text. None while it would tell what is hidden, to whoever has the rules."""
    return str(seed) if over or not hides(game_id) else None


def match_view(
    session: Session, match: Match, viewer_id: int | None, places: Mapping[int, queue.Place] | None = None
) -> schemas.Match:
    """A match with everything that belongs to it (`FULL_MATCH`). `places`: those of the queue, if they are known."""
    result = match.result
    place = None
    if match.state == MatchState.QUEUED:
        place = (queue_places(session) if places is None else places).get(match.id)
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
        owner=submission.user.name,
        language=submission.language,
        version=submission.version,
        submission_id=submission.id,
        rating=None if submission.standing is None else submission.standing.rating,
        mine=owners.owns(session, viewer_id, submission.user_id),
        rank=None if result is None else result.rank,
        score=None if result is None else result.score,
        fault=None if result is None else result.fault,
        rating_change=None if result is None else result.rating_change,
    )


def leagues_view(session: Session, game: str) -> list[schemas.LeagueInfo]:
    """The leagues of a ladder, lowest first, and how many bots are in each."""
    members = (
        select(Standing.league, func.count().label("bots"))
        .join(Submission, Submission.id == Standing.submission_id)
        .join(User, User.id == Submission.user_id)
        .where(standings.on_board(game))
        .group_by(Standing.league)
        .subquery()
    )
    rows = session.execute(
        select(League, Bot.name, func.coalesce(members.c.bots, 0))
        .outerjoin(Bot, Bot.id == League.boss_bot_id)
        .outerjoin(members, members.c.league == League.position)
        .where(League.game == game)
        .order_by(League.position)
    )
    return [
        schemas.LeagueInfo(
            position=league.position,
            name=league.name,
            rules_level=find_game(game).top_level,
            boss=None if league.boss_bot_id is None else schemas.BotLink(bot_id=league.boss_bot_id, name=name),
            bots=bots,
        )
        for league, name, bots in rows
    ]


def standing_view(row: standings.Row, owned: Collection[int] = ()) -> schemas.LeaderboardRow:
    """A line of the board. `owned`: by whoever looks at it."""
    submission, standing = row.submission, row.standing
    bot = submission.bot
    assert bot is not None  # noqa: S101 - only submissions with a bot have a standing
    low, high = standings.interval(standing.rating, standing.deviation)
    house = bot.owner.kind == UserKind.HOUSE
    return schemas.LeaderboardRow(
        rank=row.rank,
        bot_id=bot.id,
        bot=bot.name,
        owner_id=bot.owner_id,
        owner=bot.owner.name,
        language=submission.language,
        version=submission.version or 0,
        submission_id=submission.id,
        rating=standing.rating,
        low=low,
        high=high,
        games=standing.games,
        wins=standing.wins,
        draws=standing.draws,
        losses=standing.losses,
        placing=standing.placing,
        provisional=not house
        and provisional(standing.placing, standing.games - standing.entered_with, spent=standing.spent),
        all_repeat=standing.spent,
        house=house,
        guest=bot.owner.kind == UserKind.GUEST,
        shared_with=row.shared_with,
        league=row.league,
        league_position=standing.league,
        on_trial=standing.trial == TrialState.OPEN and standing.beats_boss is not None,
        beats_boss=standing.beats_boss,
        above_next=standing.above_next,
        games_left=standing.games_left,
        boss_of=row.boss_of,
        mine=bot.owner_id in owned,
        last_match_id=row.last_match_id,
        trend=list(row.trend),
        places=list(row.places),
        last_change=row.trend[-1] - row.trend[-2] if len(row.trend) > 1 else None,
    )


def season_view(row: Season) -> schemas.SeasonInfo:
    """A season, without its table."""
    return schemas.SeasonInfo(number=row.number, name=row.name, started_at=row.started_at, ended_at=row.ended_at)


def past_standing_view(row: standings.PastRow) -> schemas.PastStanding:
    """A line of an earlier board."""
    low, high = standings.interval(row.rating, row.deviation)
    return schemas.PastStanding(
        rank=row.rank,
        bot_id=row.bot_id,
        bot=row.bot,
        owner_id=row.owner_id,
        owner=row.owner,
        language=row.language,
        version=row.version,
        submission_id=row.submission_id,
        league=row.league,
        rating=row.rating,
        low=low,
        high=high,
        games=row.games,
        wins=row.wins,
        draws=row.draws,
        losses=row.losses,
        since=row.since,
    )


def standings_of(
    session: Session, game: str, submission_ids: Sequence[int], viewer_id: int | None
) -> list[schemas.LeaderboardRow]:
    """The board's lines of these submissions, as far as they are live."""
    if not submission_ids:
        return []
    rows = standings.leaderboard(session, game, limit=len(submission_ids), only=submission_ids)
    owned = owners.owned_by(session, viewer_id)
    return [standing_view(row, owned) for row in rows]


def submission_views(
    session: Session, where: ColumnElement[bool], viewer_id: int | None, *, limit: int = MOST_VERSIONS
) -> list[schemas.Submission]:
    """Submissions, newest first."""
    rows = session.execute(
        select(Submission, func.octet_length(Source.body), IS_ARCHIVE)
        .outerjoin(Source, Source.sha256 == Submission.source_sha256)
        .where(where)
        .options(joinedload(Submission.bot).joinedload(Bot.owner), joinedload(Submission.standing))
        .order_by(Submission.id.desc())
        .limit(limit)
        .execution_options(populate_existing=True)
    ).all()
    owned = owners.owned_by(session, viewer_id)
    return [_submission_view(row, size, archive=archive, mine=row.user_id in owned) for row, size, archive in rows]


def _submission_view(row: Submission, size: int | None, *, archive: bool | None, mine: bool) -> schemas.Submission:
    return schemas.Submission(
        id=row.id,
        game=row.game,
        bot_id=row.bot_id,
        bot=None if row.bot is None else row.bot.name,
        version=row.version,
        language=row.language,
        note=row.note,
        tag=row.tag or "",
        state=row.state,
        problem=row.problem,
        build_log=row.build_log if mine else None,
        check_match_id=row.check_match_id,
        created_at=row.created_at,
        bytes=size or 0,
        archive=bool(archive),
        deleted=row.source_sha256 is None,
        rating=None if row.standing is None else row.standing.rating,
    )


def submission_by_id(session: Session, submission_id: int, viewer_id: int | None) -> schemas.Submission:
    """Raises: NotFound; drafts are there for their owner only."""
    visible = (Submission.state != SubmissionState.DRAFT) | Submission.user_id.in_(owners.owned_by(session, viewer_id))
    found = submission_views(session, (Submission.id == submission_id) & visible, viewer_id)
    if not found:
        raise NotFound(f"There is no submission {submission_id}.")
    return found[0]


def bot_views(session: Session, bots: Sequence[Bot], viewer_id: int | None) -> list[schemas.Bot]:
    """Bots, each with its newest versions. Need `bot.owner`."""
    newest = (
        select(Submission.id)
        .where(Submission.bot_id == Bot.id)
        .order_by(Submission.id.desc())
        .limit(MOST_VERSIONS)
        .correlate(Bot)
        .lateral()
    )
    ids = select(newest.c.id).select_from(Bot).join(newest, true()).where(Bot.id.in_([bot.id for bot in bots]))
    found = submission_views(session, Submission.id.in_(ids), viewer_id, limit=MOST_VERSIONS * len(bots))
    versions: dict[int | None, list[schemas.Submission]] = {}
    for one in found:
        versions.setdefault(one.bot_id, []).append(one)
    live = {one.bot_id: one for one in found if one.state == SubmissionState.LIVE}
    lines: dict[int | None, schemas.LeaderboardRow] = {}
    for game in sorted({bot.game for bot in bots}):
        its = [one.id for one in live.values() if one.game == game]
        lines |= {row.bot_id: row for row in standings_of(session, game, its, viewer_id)}
    owned = owners.owned_by(session, viewer_id)
    return [_bot_view(bot, versions.get(bot.id, []), live.get(bot.id), lines.get(bot.id), owned) for bot in bots]


def _bot_view(
    bot: Bot,
    versions: list[schemas.Submission],
    live: schemas.Submission | None,
    standing: schemas.LeaderboardRow | None,
    owned: Collection[int],
) -> schemas.Bot:
    return schemas.Bot(
        id=bot.id,
        game=bot.game,
        name=bot.name,
        owner_id=bot.owner_id,
        owner=bot.owner.name,
        house=bot.owner.kind == UserKind.HOUSE,
        mine=bot.owner_id in owned,
        language=None if live is None else live.language,
        live_submission_id=None if live is None else live.id,
        standing=standing,
        submissions=versions,
        created_at=bot.created_at,
    )


def duel_by_id(session: Session, duel_id: int, viewer_id: int | None) -> schemas.DuelStatus:
    """Raises: NotFound."""
    query = select(Duel).where(Duel.id == duel_id).options(*FULL_DUEL)
    found = session.scalar(query.execution_options(populate_existing=True))
    if found is None:
        raise NotFound(f"There is no duel {duel_id}.")
    return duel_view(session, found, viewer_id)


def duel_view(session: Session, row: Duel, viewer_id: int | None) -> schemas.DuelStatus:
    """The current state of a duel. Needs `FULL_DUEL`."""
    question = sprt.QUESTIONS[row.preset]
    reached = _standing_of(tuple(row.counts), question)
    # It may have been decided by an earlier version of the test.
    reached = replace(reached, verdict=row.verdict or reached.verdict)
    owned = owners.owned_by(session, viewer_id)
    candidate, baseline = _side_view(row.candidate, owned), _side_view(row.baseline, owned)
    names = [f"{side.bot} v{side.version}" for side in (candidate, baseline)]
    running = row.state == DuelState.RUNNING
    return schemas.DuelStatus(
        id=row.id,
        game=row.game,
        league=row.league,
        candidate=candidate,
        baseline=baseline,
        one=candidate,
        other=baseline,
        preset=row.preset,
        margin_elo=question.margin_elo,
        paired=row.paired,
        seed=shown_seed(row.game, row.seed, over=not running),
        state=row.state,
        games=row.games,
        most_games=row.most_games,
        won=row.wins,
        drawn=row.draws,
        lost=row.losses,
        counts=row.counts,
        score=reached.score,
        llr=reached.llr,
        llr_decides=question.decided,
        elo=finite(reached.elo),
        elo_low=finite(reached.elo_low),
        elo_high=finite(reached.elo_high),
        verdict=reached.verdict,
        sentence=row.void_reason
        or (
            sprt.repeats_in_words(row.games, len(row.digests))
            if row.repeats
            else sprt.in_words(reached, names[0], names[1], question)
        ),
        repeats=row.repeats,
        progress=sprt.progress(reached, question, row.games, row.most_games) if running else 1.0,
        mine=row.requested_by_id == viewer_id,
        void_reason=row.void_reason,
        created_at=row.created_at,
        finished_at=row.finished_at,
        paused_until=row.paused_until,
        matches=_duel_matches(session, row),
        field=_field(session, row.field),
        events_url=f"/api/v1/feed?game={row.game}",
    )


@lru_cache(maxsize=256)
def _standing_of(counts: tuple[int, ...], question: sprt.Question) -> sprt.Estimate:
    """Cached: everybody who watches a duel sees the same."""
    return sprt.estimate(counts, question)


def finite(number: float) -> float | None:
    """The number; null, as JSON has nothing else, for an infinite one."""
    return number if math.isfinite(number) else None


def _side_view(version: Submission, owned: Collection[int]) -> schemas.DuelSide:
    bot = version.bot
    assert bot is not None  # noqa: S101 - drafts are in no duel
    return schemas.DuelSide(
        submission_id=version.id,
        bot_id=bot.id,
        bot=bot.name,
        version=version.version or 0,
        owner=bot.owner.name,
        language=version.language,
        mine=version.user_id in owned,
    )


def _field(session: Session, submission_ids: Sequence[int]) -> list[schemas.FieldBot]:
    """In this order."""
    query = select(Submission).where(Submission.id.in_(submission_ids)).options(joinedload(Submission.bot))
    found = {row.id: row for row in session.scalars(query)}
    return [
        schemas.FieldBot(submission_id=row.id, bot_id=row.bot_id or 0, bot=row.title, version=row.version or 0)
        for row in (found[one] for one in submission_ids)
    ]


def _duel_matches(session: Session, row: Duel) -> list[schemas.DuelMatch]:
    newest = (
        select(Match.id)
        .where(Match.duel_id == row.id, Match.state == MatchState.DONE)
        .order_by(Match.duel_game.desc())
        .limit(DUEL_MATCHES_SHOWN)
    )
    number = type_coerce(Match.duel_game, SmallInteger)  # never null in a duel's match
    query = (
        select(
            Match.id,
            number,
            func.min(SeatResult.rank).filter(MatchSeat.submission_id == row.candidate_id),
            func.min(SeatResult.rank).filter(MatchSeat.submission_id == row.baseline_id),
        )
        .join(MatchSeat, MatchSeat.match_id == Match.id)
        .join(SeatResult, (SeatResult.match_id == MatchSeat.match_id) & (SeatResult.seat == MatchSeat.seat))
        .where(Match.id.in_(newest))
        .group_by(Match.id)
        .order_by(number.desc())
    )
    return [
        schemas.DuelMatch(
            match_id=match_id, number=game + 1, points=sprt.points(rank, other_rank), counted=game < row.games
        )
        for match_id, game, rank, other_rank in session.execute(query)
    ]
