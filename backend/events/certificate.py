"""A certificate of an entrant's place, as an SVG of one A4 page in landscape, for the screen and for print. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 1123, 794
"""A4 in CSS pixels."""
LINE = 44
"""The most letters of a line in the largest type."""
COLOURS = {1: "#b8860b", 2: "#7d8790", 3: "#a0622d"}
PLAIN = "#0072b2"


@dataclass(frozen=True, slots=True)
class Certificate:
    """What it says. `of`: how many bots took part. `commitment`: of the event's seeds, in hexadecimal digits."""

    event: str
    game: str
    place: int
    of: int
    bot: str
    owner: str
    version: int
    ended: datetime
    address: str
    commitment: str


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th, … 11th, …"""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def render(one: Certificate) -> str:
    """The SVG."""
    colour = COLOURS.get(one.place, PLAIN)
    large = _lines(one.event, LINE)
    top = 214 - 26 * (len(large) - 1)
    text = [_text(line, top + 52 * index, 44, "700") for index, line in enumerate(large)]
    text += [
        _text(one.game, top + 52 * len(large) - 6, 22, colour="#56616a"),
        _text(f"{ordinal(one.place)} place", 408, 84, "800", colour),
        _text(f"of {one.of} bots", 452, 22, colour="#56616a"),
        _text(_shortened(one.bot, LINE), 532, 44, "700"),
        _text(f"version {one.version}, by {_shortened(one.owner, LINE)}", 572, 22),
        _text(f"{one.ended:%d %B %Y}".lstrip("0"), 652, 18, colour="#56616a"),
        _text(one.address, 686, 14, colour="#56616a"),
        _text(f"Seeds committed to by {one.commitment}", 708, 11, colour="#56616a"),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="297mm" height="210mm" '
        'font-family="Atkinson Hyperlegible Next, Segoe UI, Helvetica, Arial, sans-serif">\n'
        f"<title>{escape(f'{one.bot}: {ordinal(one.place)} of {one.event}')}</title>\n"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>\n'
        f'<rect x="30" y="30" width="{WIDTH - 60}" height="{HEIGHT - 60}" fill="none" stroke="{colour}" '
        'stroke-width="6" rx="14"/>\n'
        f'<rect x="44" y="44" width="{WIDTH - 88}" height="{HEIGHT - 88}" fill="none" stroke="{colour}" rx="8"/>\n'
        + _hexagon(WIDTH / 2, 116, 34, colour)
        + "".join(text)
        + "</svg>\n"
    )


def _text(line: str, y: float, size: int, weight: str = "400", colour: str = "#12181c") -> str:
    return (
        f'<text x="{WIDTH // 2}" y="{y:g}" text-anchor="middle" font-size="{size}" font-weight="{weight}" '
        f'fill="{colour}">{escape(line)}</text>\n'
    )


def _hexagon(x: float, y: float, radius: float, colour: str) -> str:
    corners: Sequence[tuple[float, float]] = (
        (0, -1),
        (0.866, -0.5),
        (0.866, 0.5),
        (0, 1),
        (-0.866, 0.5),
        (-0.866, -0.5),
    )
    points = " ".join(f"{x + radius * right:.1f},{y + radius * down:.1f}" for right, down in corners)
    return f'<polygon points="{points}" fill="{colour}"/>\n'


def _shortened(text: str, letters: int) -> str:
    return text if len(text) <= letters else f"{text[: letters - 1]}…"


def _lines(text: str, letters: int) -> list[str]:
    """One line, or two that break between words, the second shortened."""
    if len(text) <= letters:
        return [text]
    at = text.rfind(" ", 0, letters + 1)
    at = at if at > 0 else letters
    return [text[:at], _shortened(text[at:].strip(), letters)]
