"""Games and their starters; the languages that bots may be written in."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from html import escape
from pathlib import PurePath
from typing import Annotated

import nh3
from fastapi import APIRouter, Header, Path, Response
from fastapi.responses import FileResponse
from markdown_it import MarkdownIt
from pydantic import TypeAdapter
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from hexarena.backend.api import match_filters, schemas, views
from hexarena.backend.api.deps import CurrentUserId, InArena, find_user
from hexarena.backend.api.pages.encodings import accepted
from hexarena.backend.api.views.front import top_match
from hexarena.backend.duels.fixtures import is_paired
from hexarena.backend.errors import NotFound
from hexarena.backend.ladder import boards
from hexarena.backend.matches import life as matches, workers
from hexarena.backend.models import (
    RATED,
    Bot,
    Match,
    MatchState,
    Submission,
    SubmissionState,
    User,
)
from hexarena.backend.submissions import life as submissions
from hexarena.backend.submissions.languages import LANGUAGES, by_ending
from hexarena.backend.submissions.life import game_named
from hexarena.backend.submissions.seeding import find_house_bot
from hexarena.games.catalogue import all_games, bot_file, game_file
from hexarena.games.contract import Game
from hexarena.games.house import house_bots

router = APIRouter(tags=["games"])
PICTURE = re.compile(r'(<img src="[^"]*/pictures/([a-z0-9_-]+\.svg)")')
SIZE = re.compile(r'<svg[^>]* (width="\d+" height="\d+")')
KEPT_S = 2.0
"""The list of games is the same for everybody, and every open home page asks for it again and again."""


@router.get("/languages")
def list_languages(arena: InArena) -> list[schemas.Language]:
    """The languages that bots may be written in, and which of them a worker can run right now.

    The workers say by what, so the name of C# is e.g. `C# (.NET 8)`, and only `C#` where no worker is up.
    """
    with arena.database.transaction() as session:
        able, said = workers.languages(session), workers.toolchains(session)
    return [
        schemas.Language(
            id=one.id,
            name=one.called(said.get(one.id, ())),
            ending=one.ending,
            endings=list(one.endings),
            available=one.id in able,
        )
        for one in LANGUAGES.values()
    ]


@router.get("/games", response_model=list[schemas.Game])
def list_games(arena: InArena) -> Response:
    """All games, each with its current activity."""

    def read() -> bytes:
        with arena.database.transaction() as session:
            played = matches.counts(session)
            games = [schemas.Game(**_card(session, game, played)) for game in all_games().values()]
        return TypeAdapter(list[schemas.Game]).dump_json(games)

    return Response(arena.games.get(read), media_type="application/json")


@router.get("/games/{game_id}")
def get_game(arena: InArena, user_id: CurrentUserId, game_id: str) -> schemas.GameDetail:
    """A game with its rules."""
    game = game_named(game_id)
    with arena.database.transaction() as session:
        return schemas.GameDetail(
            **_card(session, game, matches.counts(session)),
            statement_html=statement_html(game),
            house_bots=_house_bots(session, game),
            next_boss=_next_boss(session, game, find_user(session, arena, user_id)),
        )


def _next_boss(session: Session, game: Game, user: User | None) -> schemas.BotLink | None:
    """None before the arena is seeded."""
    with suppress(NotFound):
        boss = submissions.boss(session, game, user)
        named = select(Bot.id, Bot.name).join(Submission, Submission.bot_id == Bot.id)
        bot_id, name = session.execute(named.where(Submission.id == boss)).one()
        return schemas.BotLink(bot_id=bot_id, name=name)
    return None


@router.get("/games/{game_id}/endings")
def list_endings(arena: InArena, game_id: str) -> match_filters.EndingList:
    """How the game's newest matches ended, as `reason` of a list of matches wants it."""
    game = game_named(game_id)
    with arena.database.transaction() as session:
        return match_filters.endings(session, game.id)


@router.get("/games/{game_id}/starters", response_model=list[schemas.Starter])
def list_starters(game_id: str, accept_encoding: Annotated[str, Header()] = "") -> Response:
    """Code to start from, one file a language."""
    plain, packed = _starters(game_named(game_id))
    headers = {"Vary": "Accept-Encoding"}
    if "gzip" in accepted(accept_encoding):
        return Response(packed, media_type="application/json", headers={**headers, "Content-Encoding": "gzip"})
    return Response(plain, media_type="application/json", headers=headers)


@cache
def _starters(game: Game) -> tuple[bytes, bytes]:
    """All starters as JSON, and that gzipped: most of what an editor's page would load otherwise."""
    starters = [
        schemas.Starter(
            language=by_ending(PurePath(file).suffix).id, file=file, source=bot_file(game, file).read_text()
        )
        for file in game.starters
    ]
    plain = TypeAdapter(list[schemas.Starter]).dump_json(starters)
    return plain, gzip.compress(plain, mtime=0)


@router.get("/games/{game_id}/pictures/{name}", response_class=FileResponse)
def get_picture(
    game_id: str, name: Annotated[str, Path(pattern=r"^[a-z0-9_-]{1,60}\.svg$", examples=["chain.svg"])]
) -> FileResponse:
    """A picture of a game's rules page."""
    game = game_named(game_id)
    picture = game_file(game, "pictures", name)
    if not picture.is_file():
        raise NotFound(f"The rules of {game.title} have no picture {name}.")
    return FileResponse(picture, media_type="image/svg+xml", headers={"Cache-Control": "no-cache"})


@cache
def statement_html(game: Game) -> str:
    """The rules as HTML that is safe to show, below a page's own heading: without the game's title, which that one has.

    Pictures are named relative to the game's folder in the text.
    """
    return below_title(game.title, game_html(game, game_file(game, "statement.md").read_text()))


def below_title(title: str, html: str) -> str:
    """A text for a page whose heading is its title: a page has one heading of the first rank."""
    html = html.removeprefix(f"<h1>{escape(title, quote=False)}</h1>\n")
    return html.replace("<h1>", "<h2>").replace("</h1>", "</h2>")


def game_html(game: Game, markdown: str) -> str:
    """A text of a game as HTML. Its pictures come with their sizes, so that the text does not move when they load."""

    def with_size(picture: re.Match[str]) -> str:
        file = game_file(game, "pictures", picture[2])
        size = SIZE.search(file.read_text()) if file.is_file() else None
        return picture[0] if size is None else f"{picture[1]} {size[1]}"

    html = safe_html(markdown, pictures=f"/api/v1/games/{game.id}/pictures/")
    return PICTURE.sub(with_size, html)


def safe_html(markdown: str, *, pictures: str) -> str:
    """Markdown as HTML without what a page would run. `pictures`: the address of the text's folder `pictures/`."""
    rendered = MarkdownIt("commonmark").enable("table").render(markdown)
    return nh3.clean(rendered.replace('src="pictures/', f'src="{pictures}'))


def _card(session: Session, game: Game, played: Mapping[str, int]) -> dict[str, object]:
    """`played`: game -> how many of its matches are done."""
    bots = select(func.count()).where(Submission.game == game.id, Submission.state == SubmissionState.LIVE)
    return {
        "id": game.id,
        "title": game.title,
        "summary": game.summary,
        "version": game.version,
        "topics": list(game.topics),
        "seats": list(game.seats),
        "team_seats": game.team_seats,
        "ladder_entrants": list(game.ladder_entrants),
        "both_seats": is_paired(game),
        "levels": list(game.levels),
        "first_ms": round(game.clock.first_s * 1000),
        "turn_ms": round(game.clock.turn_s * 1000),
        "max_turns": game.max_turns,
        "leagues": views.leagues_view(session, game.id),
        "languages": [_language(file) for file in game.starters],
        "bots": session.scalar(bots) or 0,
        "matches": played.get(game.id, 0),
        "best": _best(session, game),
        "top_match": top_match(session, game),
        "last_match": _last_match(session, game),
        "in_person": game.in_person,
    }


def _best(session: Session, game: Game) -> schemas.Best | None:
    rows = boards.leaderboard(session, game.id, limit=1)
    if not rows:
        return None
    leader = views.standing_view(rows[0])
    return schemas.Best(bot_id=leader.bot_id, bot=leader.bot, owner=leader.owner, rating=leader.rating)


def _last_match(session: Session, game: Game) -> int | None:
    newest = select(Match.id).where(Match.game == game.id, Match.kind.in_(RATED), Match.state == MatchState.DONE)
    return session.scalar(newest.order_by(Match.id.desc()).limit(1))


def _house_bots(session: Session, game: Game) -> list[schemas.HouseBot]:
    known = [(bot, find_house_bot(session, game, bot.name)) for bot in house_bots(game)]
    return [
        schemas.HouseBot(
            bot_id=there.id, name=there.name, summary=bot.summary, language=by_ending(PurePath(bot.file).suffix).id
        )
        for bot, there in known
        if there is not None
    ]


def _language(file: str) -> str:
    return by_ending(PurePath(file).suffix).id
