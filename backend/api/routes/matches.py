"""Practice matches, match history and replays."""

from __future__ import annotations

import gzip
import secrets
from collections.abc import Collection
from itertools import cycle, islice
from random import Random
from typing import Annotated

from fastapi import APIRouter, Header, Path, Query, Response
from sqlalchemy import select
from sqlalchemy.orm import Session

from hexarena.backend.accounts import owners
from hexarena.backend.api import match_filters, schemas, views
from hexarena.backend.api.deps import Arena, CurrentUserId, InArena, find_user, find_viewer_id, require_user
from hexarena.backend.api.middleware.limits import ClientNetwork
from hexarena.backend.api.pages.encodings import accepted
from hexarena.backend.api.parameters import IdPath
from hexarena.backend.errors import Forbidden, Invalid, NotFound
from hexarena.backend.ladder.field import nearest
from hexarena.backend.matches import history, life as matches, retention
from hexarena.backend.matches.shares import share_of
from hexarena.backend.models import (
    Match,
    MatchKind,
    Submission,
    SubmissionState,
    User,
)
from hexarena.backend.practice import forks
from hexarena.backend.submissions import life as submissions
from hexarena.backend.submissions.life import encode_source, game_named
from hexarena.games.contract import Game
from hexarena.games.seeds import random_seed

router = APIRouter(prefix="/matches", tags=["matches"])
INT64 = 2**63
SeatPath = Annotated[int, Path(ge=0, le=99)]
NDJSON = "application/x-ndjson"


@router.post("", status_code=201)
def create_match(
    arena: InArena, user_id: CurrentUserId, response: Response, network: ClientNetwork, new: schemas.NewMatch
) -> schemas.Match:
    """Plays your code against a bot, unrated. Follow it at `live_url`."""
    game = game_named(new.game)
    source = encode_source(new.source)
    if new.fork is not None:
        return _create_fork(arena, user_id, response, network, new, new.fork, source)
    seed = read_seed(new.seed)
    league = rules_level(game, new.league)
    with arena.database.transaction() as session:
        viewer = find_user(session, arena, user_id)
        others = _mixed_others(session, game, new, viewer) if new.mixed else _others(session, game, new, viewer)
        seat = read_seat(game, new.seat, (1 + len(others)) * game.team_seats)
        user = require_user(session, arena, user_id, response, network)
        draft = submissions.draft(session, user, game=game, language=new.language, source=source, quotas=arena.quotas)
        if new.mixed:
            seats = game.seated([draft.id, *others], seed)
        else:
            seats = game.side_by_side([*others[: game.team(seat)], draft.id, *others[game.team(seat) :]])
        match = matches.schedule(
            session,
            game=game.id,
            kind=MatchKind.PRACTICE,
            submission_ids=seats,
            seed=seed,
            league=league,
            requested_by_id=user.id,
            share=share_of(user),
        )
    return _seen_by_asker(arena, match)


def _seen_by_asker(arena: Arena, match: Match) -> schemas.Match:
    """In a transaction of its own: the match begins while it is read."""
    with arena.database.reading() as session:
        return views.match_by_id(session, match.id, match.requested_by_id, arena.places)


def _others(session: Session, game: Game, new: schemas.NewMatch, viewer: User | None) -> list[int]:
    """The submissions that play against the code, in the order of their seats or teams.

    Where a free-for-all has too few bots, they play several seats. Raises: Invalid, NotFound.
    """
    ids = _named(session, game, new, viewer)
    named = len(ids)
    sizes = sorted(seats // game.team_seats for seats in game.seats)
    entrants = new.entrants or (1 + len(ids) if new.opponents is not None else sizes[0])
    if game.free_for_all:
        wanted = new.entrants or max(entrants, game.ladder_entrants[0])
        ids += nearest(session, game, ids, max(0, wanted - 1 - len(ids)))
        entrants = new.entrants or max((size for size in sizes if size <= 1 + len(ids)), default=entrants)
        del ids[max(named, entrants - 1) :]
        if entrants in sizes:
            ids += islice(cycle(ids), max(0, entrants - 1 - len(ids)))
    elif len(ids) == 1:
        ids *= entrants - 1
    if entrants not in sizes or entrants != 1 + len(ids):
        raise Invalid(
            f"A match of {game.title} cannot have these entrants.",
            expected=f"{', '.join(map(str, sizes))} entrants with your code",
            got=str(entrants if entrants not in sizes else 1 + len(ids)),
        )
    return ids


def _mixed_others(session: Session, game: Game, new: schemas.NewMatch, viewer: User | None) -> list[int]:
    """The submissions that are dealt to teams with the code: as many as fill the smallest match, if none says more.

    Where the board has too few bots, they play several seats. Raises: Invalid, NotFound.
    """
    if game.team_seats == 1:
        raise Invalid("Only games with teams have mixed ones.", expected="no `mixed`", got=f"one for {game.title}")
    ids = _named(session, game, new, viewer)
    entrants = new.entrants or max(min(game.seats), 1 + len(ids))
    if not 1 + len(ids) <= entrants <= max(game.seats):
        raise Invalid(
            f"A match of {game.title} cannot have these entrants.",
            expected=f"from {1 + len(ids)} to {max(game.seats)} entrants with your code",
            got=str(entrants),
        )
    ids += nearest(session, game, ids, entrants - 1 - len(ids))
    return list(islice(cycle(ids), entrants - 1))


def _named(session: Session, game: Game, new: schemas.NewMatch, viewer: User | None) -> list[int]:
    """The opponents that a request names, in its order. Raises: NotFound."""
    named = [new.opponent] if new.opponents is None else new.opponents
    return [find_opponent(session, game, one, viewer) for one in named]


def _create_fork(
    arena: Arena,
    user_id: int | None,
    response: Response,
    network: str,
    new: schemas.NewMatch,
    fork: schemas.Fork,
    source: bytes,
) -> schemas.Match:
    with arena.database.transaction() as session:
        user = require_user(session, arena, user_id, response, network)
        match = forks.start(
            session,
            user,
            game=game_named(new.game),
            match_id=fork.match,
            turn=fork.turn,
            language=new.language,
            source=source,
            quotas=arena.quotas,
        )
    return _seen_by_asker(arena, match)


def read_seed(written: str | None) -> int:
    """The seed that a request names, or a random one. Raises: Invalid."""
    if written is None:
        return random_seed(Random(secrets.randbits(64)))
    seed = int(written)
    if not -INT64 <= seed < INT64:
        raise Invalid("This seed is too large.", expected="a signed 64-bit integer", got=written)
    return seed


def read_seat(game: Game, seat: int, seats: int) -> int:
    """The seat that a request names, in a match of so many. Raises: Invalid."""
    if seat >= seats:
        expected = f"a seat from 0 to {seats - 1}"
        raise Invalid(f"{game.title} has no such seat.", expected=expected, got=str(seat))
    return seat


def rules_level(game: Game, league: int | None) -> int:
    """The rules that a request names, or those of the full game. Raises: Invalid."""
    if league is None:
        return game.top_level
    if league not in game.levels:
        expected = "one of " + ", ".join(map(str, game.levels))
        raise Invalid(f"{game.title} has no such rules level.", expected=expected, got=str(league))
    return league


def find_opponent(session: Session, game: Game, bot_id: int | None, user: User | None) -> int:
    """The live submission of this bot, or of the boss that the user has to beat next. Raises: NotFound."""
    if bot_id is None:
        return submissions.boss(session, game, user)
    live = (Submission.bot_id == bot_id, Submission.game == game.id, Submission.state == SubmissionState.LIVE)
    found = session.scalar(select(Submission.id).where(*live))
    if found is None:
        raise NotFound(f"There is no bot {bot_id} on the ladder of {game.title}.")
    return found


@router.get("")
def list_matches(
    arena: InArena, user_id: CurrentUserId, query: Annotated[match_filters.MatchQuery, Query()]
) -> schemas.MatchPage:
    """Match history, newest first. Excludes other people's practice matches. Duels have hundreds of matches each, and
    are included only by request, with `duel` or `kind`. A page may be short although there is a next one: it says how
    far back the search came (`searched_to`).
    """
    with arena.database.transaction() as session:
        viewer_id = find_viewer_id(session, arena, user_id) or 0
        filters = match_filters.read(session, query, viewer_id)
        below = match_filters.read_cursor(session, query.after, filters)
        found = history.find(session, filters, viewer_id=viewer_id, limit=query.limit, below=below)
        items = views.match_views(session, found.ids, viewer_id, arena.places)
    following = match_filters.cursor(found.next_id, filters)
    return schemas.MatchPage(items=items, next=following, searched_to=found.searched_to)


@router.get("/{match_id}")
def get_match(arena: InArena, user_id: CurrentUserId, match_id: IdPath) -> schemas.Match:
    """A match: its seats, its progress, how it ended."""
    with arena.database.reading() as session:
        viewer_id = find_viewer_id(session, arena, user_id)
        return views.match_by_id(session, match_id, viewer_id, arena.places)


@router.get("/{match_id}/replay", response_class=Response, responses={200: {"content": {NDJSON: {}}}})
def get_replay(
    arena: InArena, user_id: CurrentUserId, match_id: IdPath, accept_encoding: Annotated[str, Header()] = ""
) -> Response:
    """The replay, as JSON lines (docs/replay-format.md). It never changes."""
    with arena.database.reading() as session:
        viewer_id = find_viewer_id(session, arena, user_id)
        match = views.match_row(session, match_id, viewer_id)
        key = replay_key_of(match)
        nameless = views.nameless_seats(match)
    cache = views.cache_control(match, 31_536_000, "immutable")
    packed = arena.blobs.gzipped(key)
    if packed is None:
        arena.store_watch.check()
        raise NotFound(no_longer_stored("This replay", retention.days_kept(arena.settings, match.kind)))
    return _lines(packed, cache=cache, gzip_accepted="gzip" in accepted(accept_encoding), nameless=nameless)


@router.get("/{match_id}/seats/{seat}/io", response_class=Response, responses={200: {"content": {NDJSON: {}}}})
def get_seat_io(
    arena: InArena,
    user_id: CurrentUserId,
    match_id: IdPath,
    seat: SeatPath,
    accept_encoding: Annotated[str, Header()] = "",
) -> Response:
    """What one of your bots read, wrote and logged each turn, and the time it took."""
    with arena.database.reading() as session:
        viewer_id = find_viewer_id(session, arena, user_id)
        match = views.match_row(session, match_id, viewer_id)
        if not 0 <= seat < len(match.seats):
            expected = f"a seat from 0 to {len(match.seats) - 1}"
            raise NotFound(f"Match {match_id} has no seat {seat}.", expected=expected, got=str(seat))
        if not owners.owns(session, viewer_id, match.seats[seat].submission.user_id):
            raise Forbidden("Only a bot's owner may see what it read and wrote.")
        key = replay_key_of(match)
    packed = arena.blobs.gzipped(key, seat)
    if packed is None:
        arena.store_watch.check()
        raise NotFound(no_longer_stored("This log", retention.days_kept(arena.settings, match.kind, log=True)))
    return _lines(packed, cache="private, no-store", gzip_accepted="gzip" in accepted(accept_encoding))


def replay_key_of(match: Match) -> str:
    """Where its replay is stored. Raises: NotFound, while it is not over."""
    if match.result is None:
        raise NotFound(f"Match {match.id} has no replay: it is {match.state}.")
    return match.result.replay_key


def no_longer_stored(what: str, days: int | None) -> str:
    """Why it is not there. `days`: how long this arena keeps it."""
    return f"{what} is no longer stored" + ("." if days is None else f": this arena keeps it for {days} days.")


def _lines(packed: bytes, *, cache: str, gzip_accepted: bool, nameless: Collection[int] = ()) -> Response:
    if nameless:
        packed = gzip.compress(views.without_names(gzip.decompress(packed).decode(), nameless).encode())
    headers = {"Cache-Control": cache, "Vary": "Accept-Encoding"}
    if gzip_accepted:
        return Response(packed, media_type=NDJSON, headers={**headers, "Content-Encoding": "gzip"})
    return Response(gzip.decompress(packed), media_type=NDJSON, headers=headers)
