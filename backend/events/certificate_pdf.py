"""Certificates as a PDF with embedded fonts, a page each. Pure, but for reading the fonts.

The fonts are those of the pages, for each weight a file, made by `scripts/certificate_fonts.py`. They have the letters
of European languages in Latin script. A letter that they lack is written without its marks if that helps (ễ becomes e),
else as a question mark, and a line says so and where the whole name is.
"""

from __future__ import annotations

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
FAMILY = "Atkinson Hyperlegible Next"
FILES = {"": "atkinson-hyperlegible-next-regular.ttf", "B": "atkinson-hyperlegible-next-bold.ttf"}
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
    for style, name in FILES.items():
        pdf.add_font(FAMILY, style, FONTS / name)
    first = certificates[0]
    pdf.set_title(title_of(first) if len(certificates) == 1 else f"Certificates of {first.event}")
    pdf.set_creator("Hexarena")
    pdf.set_lang("en")
    pdf.set_creation_date(first.ended)
    pdf.set_display_mode("fullpage")
    letters = _letters(pdf)
    for one in certificates:
        _page(pdf, one, letters)
    return bytes(pdf.output())


def _letters(pdf: FPDF) -> frozenset[int]:
    """The code points that all weights have."""
    from fpdf.fonts import TTFFont  # noqa: PLC0415 - as above

    return frozenset.intersection(*(frozenset(one.cmap) for one in pdf.fonts.values() if isinstance(one, TTFFont)))


def _page(pdf: FPDF, one: Certificate, letters: frozenset[int]) -> None:
    pdf.add_page()
    pdf.set_draw_color(colour_of(one))
    pdf.set_fill_color(colour_of(one))
    for inset, width, radius in ((30, 6, 14), (44, 1, 8)):
        pdf.set_line_width(width)
        box = (inset, inset, WIDTH - 2 * inset, HEIGHT - 2 * inset)
        pdf.rect(*box, round_corners=True, corner_radius=radius)
    pdf.polygon(hexagon(), style="F")
    lines = lines_of(one)
    shown = [shown_with(line.text, letters) for line in lines]
    for line, text in zip(lines, shown, strict=True):
        _write(pdf, line, text)
    if any(text != unicodedata.normalize("NFC", line.text) for line, text in zip(lines, shown, strict=True)):
        _write(pdf, Line("", 730, 11, colour=SOFT), LETTERS_LEFT_OUT)


def _write(pdf: FPDF, line: Line, text: str) -> None:
    pdf.set_text_color(line.colour)
    pdf.set_font(FAMILY, "B" if line.weight >= BOLD else "", line.size * POINTS)
    width = pdf.get_string_width(text)
    if width > MOST_WIDTH:
        pdf.set_font_size(line.size * POINTS * MOST_WIDTH / width)
        width = MOST_WIDTH
    pdf.text((WIDTH - width) / 2, line.y, text)


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
