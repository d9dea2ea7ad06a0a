"""The HTML of a page: the same for all addresses but for its head, which has a match's preview, and what to load ahead.

A page is served without what the database would say if that does not answer.
"""

from __future__ import annotations

import re
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError
from starlette.requests import Request

from hexarena.backend.api import views
from hexarena.backend.api.deps import Arena
from hexarena.backend.api.pages import preloads
from hexarena.backend.api.pages.preview import with_preview
from hexarena.backend.api.views.front import front_match
from hexarena.backend.errors import ArenaError
from hexarena.games.catalogue import all_games

MATCH = re.compile(r"(?:embed/)?matches/([1-9][0-9]{0,15})")
"""Pages that people send each other."""
NO_GUESTS = '<meta name="guests" content="none" />'
"""So that pages say from the first moment that one needs an account here: frontend/src/lib/guests.ts."""
EDITOR = re.compile(r"play/([a-z][a-z0-9_]*)")


def page_at(root: Path, path: str, request: Request) -> str:
    """The page that `index.html` in a folder becomes at a path without a leading slash."""
    page, known = (root / "index.html").read_text(), preloads.preloads_of(root)
    if not request.app.settings.guests:
        page = page.replace("</head>", f"{NO_GUESTS}</head>", 1)
    files = known.files(path)
    if shown := MATCH.fullmatch(path):
        return _match_page(page, known, files, request, int(shown[1]))
    if path == "":
        return _home_page(page, known, files, request)
    editor = EDITOR.fullmatch(path)
    game = editor[1] if editor and editor[1] in all_games() else None
    return preloads.with_head(page, files, preloads.editor_answers(game) if game else ())


def _match_page(page: str, known: preloads.Preloads, files: list[str], request: Request, match_id: int) -> str:
    answers = [f"{preloads.API}/matches/{match_id}"]
    arena: Arena = request.app.state.arena
    try:
        with arena.database.transaction() as session:
            match = views.match_by_id(session, match_id, None, arena.places)
    except (ArenaError, SQLAlchemyError):
        return preloads.with_head(page, files, answers)
    files = [*files, *known.match(match.id, match.state, match.game)]
    return preloads.with_head(with_preview(page, request, match), files, answers)


def _home_page(page: str, known: preloads.Preloads, files: list[str], request: Request) -> str:
    answers = [f"{preloads.API}/games"]
    arena: Arena = request.app.state.arena
    try:
        front = arena.front.get(lambda: front_match(arena.database))
    except SQLAlchemyError:
        front = None
    if front is None:
        return preloads.with_head(page, files, answers)
    files = [*files, *known.match(front.match, front.state, front.game)]
    return preloads.with_head(page, files, answers, preloads.front_tag(front))
