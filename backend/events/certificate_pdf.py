"""Certificates as a PDF with embedded fonts, a page each. Pure, but for reading the fonts.

The fonts are made by `scripts/certificate_fonts.py`, for each weight a file: that of the pages, and for lines with
letters that it lacks Noto Sans, which has Vietnamese, Greek and Cyrillic, too. Chinese, Japanese and Korean letters are
those of Noto Sans CJK, if the machine has it: two files of 20 MB, too large to come along. Only the letters that are
used go into the PDF. What no font has is written without its marks if that helps (𝓐 becomes A), else as a question
mark, and a line says so and where the whole name is.
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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
EAST_ASIAN_FOLDERS = tuple(
    Path("/usr/share/fonts") / folder
    for folder in ("opentype/noto", "noto-cjk", "google-noto-sans-cjk-fonts", "google-noto-cjk")
)
"""Where Debian and Ubuntu, Arch, and Fedora install Noto Sans CJK."""
EAST_ASIAN_FILES = {"": "NotoSansCJK-Regular.ttc", "B": "NotoSansCJK-Bold.ttc"}
JAPANESE, KOREAN, CHINESE = 0, 1, 2
"""The fonts of such a file. All have all letters, in the shapes that are usual in Japan, Korea or China."""
EAST_ASIAN = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "IDEOGRAPHIC", "BOPOMOFO", "FULLWIDTH", "HALFWIDTH")
"""How Unicode names of such letters begin."""
PACKAGE_MISSING = (
    "The letters “?” are Chinese, Japanese or Korean: with Debian’s package fonts-noto-cjk on the arena’s machine this "
    "file has them. The SVG has them now."
)
LETTERS_LEFT_OUT = "The font of this file lacks some of the letters: they are plain here, or “?”. The SVG has them."


@dataclass(frozen=True, slots=True)
class Face:
    """A font of the PDF in its weights. `files`: style -> file. `number`: of the font in a file of several."""

    family: str
    files: tuple[tuple[str, Path], ...]
    number: int = 0


OWN = tuple(Face(one, tuple((style, FONTS / f"{one}-{name}.ttf") for style, name in FILES.items())) for one in FAMILIES)


def render(certificates: Sequence[Certificate], folders: Iterable[Path] = EAST_ASIAN_FOLDERS) -> bytes:
    """The PDF, with as many pages as there are certificates; at least one. `folders`: where Noto Sans CJK may be."""
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
    more = next((one for one in folders if all((one / name).is_file() for name in EAST_ASIAN_FILES.values())), None)
    for one in certificates:
        _page(pdf, one, more)
    written = bytes(pdf.output())
    _close(pdf)
    return written


@functools.lru_cache(maxsize=16)
def letters_of(face: Face) -> frozenset[int]:
    """The code points that all weights have; none where a file cannot be read."""
    from fontTools.ttLib import TTFont, TTLibError  # noqa: PLC0415 - as above

    found = []
    try:
        for _, file in face.files:
            with file.open("rb") as opened, TTFont(opened, fontNumber=face.number, lazy=True) as font:
                found.append(frozenset(font.getBestCmap()))
    except (TTLibError, OSError):
        return frozenset()
    return frozenset.intersection(*found)


def _add(pdf: FPDF, face: Face, style: str) -> None:
    if f"{face.family}{style}" not in pdf.fonts:
        pdf.add_font(face.family, style, dict(face.files)[style], collection_font_number=face.number)


def _close(pdf: FPDF) -> None:
    """Its fonts' files, which the library leaves open."""
    for font in pdf.fonts.values():
        if hasattr(font, "ttfont"):
            font.ttfont.close()


def _page(pdf: FPDF, one: Certificate, more: Path | None) -> None:
    """`more`: the folder of Noto Sans CJK."""
    pdf.add_page()
    pdf.set_draw_color(colour_of(one))
    pdf.set_fill_color(colour_of(one))
    for inset, width, radius in ((30, 6, 14), (44, 1, 8)):
        pdf.set_line_width(width)
        box = (inset, inset, WIDTH - 2 * inset, HEIGHT - 2 * inset)
        pdf.rect(*box, round_corners=True, corner_radius=radius)
    pdf.polygon(hexagon(), style="F")
    lines = lines_of(one)
    broken = [line.text for line in lines if not _write(pdf, line, more)]
    if broken:
        helps = more is None and any(map(is_east_asian, "".join(broken)))
        _write(pdf, Line(PACKAGE_MISSING if helps else LETTERS_LEFT_OUT, 730, 11, colour=SOFT), None)


def _write(pdf: FPDF, line: Line, more: Path | None) -> bool:
    """Whether the fonts have all letters of the line."""
    whole = unicodedata.normalize("NFC", line.text)
    face, text = _best(whole, OWN)
    if more is not None and any(map(is_east_asian, whole)):
        face, text = _best(whole, (*OWN, east_asian(whole, more)))
    style = "B" if line.weight >= BOLD else ""
    _add(pdf, face, style)
    pdf.set_text_color(line.colour)
    pdf.set_font(face.family, style, line.size * POINTS)
    width = pdf.get_string_width(text)
    if width > MOST_WIDTH:
        pdf.set_font_size(line.size * POINTS * MOST_WIDTH / width)
        width = MOST_WIDTH
    pdf.text((WIDTH - width) / 2, line.y, text)
    return text == whole


def _best(whole: str, faces: Sequence[Face]) -> tuple[Face, str]:
    """The first font that has all letters, else the last of those that lack fewest; and what it shows.

    Fonts that cannot be read are left out.
    """
    tried = [(face, shown_with(whole, letters)) for face in faces if (letters := letters_of(face))]
    complete = next((one for one in tried if one[1] == whole), None)
    return complete or min(reversed(tried), key=lambda one: one[1].count(MISSING))


def east_asian(text: str, folder: Path) -> Face:
    """Noto Sans CJK in the shapes of the language that a text seems to be in."""
    names = [unicodedata.name(letter, "") for letter in text]
    number = CHINESE
    if any(name.startswith("HANGUL") for name in names):
        number = KOREAN
    if any(name.startswith(("HIRAGANA", "KATAKANA")) for name in names):
        number = JAPANESE
    files = tuple((style, folder / name) for style, name in EAST_ASIAN_FILES.items())
    return Face(f"noto-sans-cjk-{number}", files, number)


def is_east_asian(letter: str) -> bool:
    """Whether a letter is a Chinese, Japanese or Korean one."""
    return unicodedata.name(letter, "").startswith(EAST_ASIAN)


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
