"""A certificate of an entrant's place, one A4 page in landscape: what is on it, and as an SVG. Pure.

`events.certificate_pdf` draws the same page as a PDF.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 1123, 794
"""A4 in CSS pixels."""
LINE = 44
"""The most letters of a line in the largest type."""
COLOURS = {1: "#b8860b", 2: "#7d8790", 3: "#a0622d"}
PLAIN, SOFT = "#0072b2", "#56616a"


@dataclass(frozen=True, slots=True)
class Certificate:
    """What it says. `of`: how many bots took part, `without` so many of the house's, which are outside the prizes.
    `commitment`: of the event's seeds, in hexadecimal digits.
    """

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
    without: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """A centred line of text. `y`: its baseline, `size`: of the type, both in CSS pixels. `weight`: from 400 to 800."""

    text: str
    y: float
    size: int
    weight: int = 400
    colour: str = "#12181c"


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd, 4th, … 11th, …"""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def colour_of(one: Certificate) -> str:
    """Of its frame: gold, silver, bronze, or blue."""
    return COLOURS.get(one.place, PLAIN)


def title_of(one: Certificate) -> str:
    """What it is, in a line."""
    return f"{one.bot}: {ordinal(one.place)} of {one.event}"


def lines_of(one: Certificate) -> list[Line]:
    """All that is written on it, from the top."""
    large = _lines(one.event, LINE)
    top = 214 - 26 * (len(large) - 1)
    return [
        *(Line(line, top + 52 * index, 44, 700) for index, line in enumerate(large)),
        Line(one.game, top + 52 * len(large) - 6, 22, colour=SOFT),
        Line(f"{ordinal(one.place)} place", 408, 84, 800, colour_of(one)),
        Line(f"of {one.of} bots{', house bots left out' if one.without else ''}", 452, 22, colour=SOFT),
        Line(_shortened(one.bot, LINE), 532, 44, 700),
        Line(f"version {one.version}, by {_shortened(one.owner, LINE)}", 572, 22),
        Line(f"{one.ended:%d %B %Y}".lstrip("0"), 652, 18, colour=SOFT),
        Line(one.address, 686, 14, colour=SOFT),
        Line(f"Seeds committed to by {one.commitment}", 708, 11, colour=SOFT),
    ]


def render(one: Certificate) -> str:
    """The SVG."""
    colour = colour_of(one)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="297mm" height="210mm" '
        'font-family="Atkinson Hyperlegible Next, Segoe UI, Helvetica, Arial, sans-serif">\n'
        f"<title>{escape(title_of(one))}</title>\n"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>\n'
        f'<rect x="30" y="30" width="{WIDTH - 60}" height="{HEIGHT - 60}" fill="none" stroke="{colour}" '
        'stroke-width="6" rx="14"/>\n'
        f'<rect x="44" y="44" width="{WIDTH - 88}" height="{HEIGHT - 88}" fill="none" stroke="{colour}" rx="8"/>\n'
        + _hexagon(colour)
        + "".join(map(_text, lines_of(one)))
        + "</svg>\n"
    )


def _text(line: Line) -> str:
    return (
        f'<text x="{WIDTH // 2}" y="{line.y:g}" text-anchor="middle" font-size="{line.size}" '
        f'font-weight="{line.weight}" fill="{line.colour}">{escape(line.text)}</text>\n'
    )


def hexagon() -> list[tuple[float, float]]:
    """The corners of the mark at the top."""
    corners = ((0, -1), (0.866, -0.5), (0.866, 0.5), (0, 1), (-0.866, 0.5), (-0.866, -0.5))
    return [(WIDTH / 2 + 34 * right, 116 + 34 * down) for right, down in corners]


def _hexagon(colour: str) -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in hexagon())
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
