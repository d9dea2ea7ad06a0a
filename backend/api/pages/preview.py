"""What other sites show of a link to a match: its title and a sentence, in the page's head (Open Graph).

Only of matches that everybody may see.
"""

from __future__ import annotations

from html import escape

from starlette.requests import Request

from hexarena.backend.api import schemas
from hexarena.backend.api.deps import Arena
from hexarena.backend.models import MatchState
from hexarena.games.catalogue import all_games

TITLE = "<title>Hexarena</title>"
WIDTH, HEIGHT = 1200, 630
"""Of a picture: frontend/src/viewer/picture.ts."""


def with_preview(page: str, request: Request, match: schemas.Match) -> str:
    """The page with a match in its head, which must be for everybody."""
    arena: Arena = request.app.state.arena
    title, about = title_of(match), about_match(match)
    turn = request.query_params.get("turn", "")
    at = f"?turn={turn}" if turn.isascii() and turn.isdigit() and len(turn) < 5 else ""
    address = f"{request.url.scheme}://{request.url.netloc}/matches/{match.id}{at}"
    tags = {
        "og:site_name": "Hexarena",
        "og:type": "website",
        "og:title": title,
        "og:description": about,
        "og:url": address,
    }
    pictured = match.state == MatchState.DONE and arena.pictures.can_draw
    if pictured:
        tags |= {
            "og:image": f"{request.url.scheme}://{request.url.netloc}/api/v1/matches/{match.id}/picture{at}",
            "og:image:type": "image/png",
            "og:image:width": str(WIDTH),
            "og:image:height": str(HEIGHT),
            "og:image:alt": f"{title}, after turn {turn}" if at else f"{title}, the final position",
        }
    meta = "".join(f'<meta property="{name}" content="{escape(value)}" />' for name, value in tags.items())
    meta += f'<meta name="twitter:card" content="{"summary_large_image" if pictured else "summary"}" />'
    return page.replace(TITLE, f"<title>{escape(title)} · Hexarena</title>{meta}", 1)


def title_of(match: schemas.Match) -> str:
    """ "Queen beat Regent 82 : 61", or who plays."""
    teams: dict[int, list[schemas.MatchSeat]] = {}
    for seat in match.seats:
        teams.setdefault(seat.team, []).append(seat)
    named = {team: ", ".join(dict.fromkeys(seat.bot for seat in seats)) for team, seats in teams.items()}
    ranks = {team: seats[0].rank for team, seats in teams.items()}
    first = [team for team, rank in ranks.items() if rank == 0]
    if match.state != MatchState.DONE or len(named) != 2 or len(first) != 1:
        return " against ".join(named.values())
    other = next(team for team in named if team != first[0])
    scores = [max(seat.score or 0.0 for seat in teams[team]) for team in (first[0], other)]
    return f"{named[first[0]]} beat {named[other]} {scores[0]:g} : {scores[1]:g}"


def about_match(match: schemas.Match) -> str:
    """A sentence: the game, how long it was, when."""
    game = all_games()[match.game].title if match.game in all_games() else match.game
    if match.state == MatchState.VOID:
        return f"{game}, a {match.kind} match. It is void and does not count."
    if match.state != MatchState.DONE:
        return f"{game}, a {match.kind} match. Watch it live."
    return f"{game}, a {match.kind} match of {match.turns} turns. Watch it turn by turn."
