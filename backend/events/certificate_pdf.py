"""Certificates as a PDF with embedded fonts, a page each. Pure, but for reading the fonts.

The fonts are made by `scripts/certificate_fonts.py`, for each weight a file: that of the pages, and for lines with
letters that it lacks Noto Sans, which has Vietnamese, Greek and Cyrillic, too. What neither has is written without its
marks if that helps (𝓐 becomes A), else as a question mark, and a line says so and where the whole name is.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hexarena.backend.events.certificate import (
    HEIGHT,
    SOFT,
    WIDTH,
    Certificate,
    Line,
    colour_of,
    hexagon,
    lines_of,
    title_of,
)

if TYPE_CHECKING:
    from fpdf import FPDF

FONTS = Path(__file__).parent / "fonts"
FAMILIES = ("atkinson-hyperlegible-next", "noto-sans")
"""The first one that has all letters of a line is taken."""
FILES = {"": "regular", "B": "bold"}
BOLD = 700
POINTS = 72 / 96
"""Of a CSS pixel."""
MOST_WIDTH = WIDTH - 140
"""Of a line, CSS pixels; a longer one is set in smaller type."""
MISSING = "?"
LETTERS_LEFT_OUT = "The font of this file lacks some of the letters: they are plain here, or “?”. The SVG has them."


def render(certificates: Sequence[Certificate]) -> bytes:
    """The PDF, with as many pages as there are certificates; at least one."""
    from fpdf import FPDF  # noqa: PLC0415 - it takes .3 s, and most processes make no PDF

    pdf = FPDF(orientation="landscape", unit=POINTS, format=(HEIGHT, WIDTH))
    pdf.set_auto_page_break(False)
    pdf.set_margin(0)
    first = certificates[0]
    pdf.set_title(title_of(first) if len(certificates) == 1 else f"Certificates of {first.event}")
    pdf.set_creator("Hexarena")
    pdf.set_lang("en")
    pdf.set_creation_date(first.ended)
    pdf.set_display_mode("fullpage")
    for one in certificates:
        _page(pdf, one)
    written = bytes(pdf.output())
    _close(pdf)
    return written


@functools.cache
def letters_of(family: str) -> frozenset[int]:
    """The code points that all weights have."""
    from fpdf import FPDF  # noqa: PLC0415 - as above
    from fpdf.fonts import TTFFont  # noqa: PLC0415

    pdf = FPDF()
    for style in FILES:
        _add(pdf, family, style)
    fonts = [one for one in pdf.fonts.values() if isinstance(one, TTFFont)]
    _close(pdf)
    return frozenset.intersection(*(frozenset(one.cmap) for one in fonts))


def _add(pdf: FPDF, family: str, style: str) -> None:
    if f"{family}{style}" not in pdf.fonts:
        pdf.add_font(family, style, FONTS / f"{family}-{FILES[style]}.ttf")


def _close(pdf: FPDF) -> None:
    """Its fonts' files, which the library leaves open."""
    for font in pdf.fonts.values():
        if hasattr(font, "ttfont"):
            font.ttfont.close()


def _page(pdf: FPDF, one: Certificate) -> None:
    pdf.add_page()
    pdf.set_draw_color(colour_of(one))
    pdf.set_fill_color(colour_of(one))
    for inset, width, radius in ((30, 6, 14), (44, 1, 8)):
        pdf.set_line_width(width)
        box = (inset, inset, WIDTH - 2 * inset, HEIGHT - 2 * inset)
        pdf.rect(*box, round_corners=True, corner_radius=radius)
    pdf.polygon(hexagon(), style="F")
    lines = lines_of(one)
    complete = [_write(pdf, line) for line in lines]
    if not all(complete):
        _write(pdf, Line(LETTERS_LEFT_OUT, 730, 11, colour=SOFT))


def _write(pdf: FPDF, line: Line) -> bool:
    """Whether the fonts have all letters of the line."""
    whole = unicodedata.normalize("NFC", line.text)
    tried = [(family, shown_with(whole, letters_of(family))) for family in FAMILIES]
    family, text = next(((family, text) for family, text in tried if text == whole), tried[-1])
    style = "B" if line.weight >= BOLD else ""
    _add(pdf, family, style)
    pdf.set_text_color(line.colour)
    pdf.set_font(family, style, line.size * POINTS)
    width = pdf.get_string_width(text)
    if width > MOST_WIDTH:
        pdf.set_font_size(line.size * POINTS * MOST_WIDTH / width)
        width = MOST_WIDTH
    pdf.text((WIDTH - width) / 2, line.y, text)
    return text == whole


def shown_with(text: str, letters: frozenset[int]) -> str:
    """A text in a font that has these letters. What it lacks is left without its marks, or a question mark."""
    return "".join(_letter(one, letters) for one in unicodedata.normalize("NFC", text))


def _letter(one: str, letters: frozenset[int]) -> str:
    if ord(one) in letters:
        return one
    plain = "".join(part for part in unicodedata.normalize("NFKD", one) if not unicodedata.combining(part))
    if plain and all(ord(part) in letters for part in plain):
        return plain
    return "" if unicodedata.category(one) in {"Mn", "Cf"} else MISSING
