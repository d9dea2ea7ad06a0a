"""Certificates: whatever a name is, they stay one page of readable text."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any
from unicodedata import normalize
from xml.etree import ElementTree

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.ttLib import TTCollection
from hypothesis import given, settings, strategies as st
from pypdf import PageObject, PdfReader

from hexarena.backend.events import certificate_pdf
from hexarena.backend.events.certificate import LINE, Certificate, ordinal, render

ONE = Certificate(
    event="Cup",
    game="Ants",
    place=1,
    of=8,
    bot="Keystone",
    owner="Ada",
    version=3,
    ended=datetime(2026, 5, 1, tzinfo=UTC),
    address="https://arena.example/events/1",
    commitment="ab" * 32,
)
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn")), min_size=1, max_size=80)


def lines(certificate: Certificate) -> list[str]:
    root = ElementTree.fromstring(render(certificate))  # noqa: S314 - our own
    return [one.text or "" for one in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (1, "1st"),
        (2, "2nd"),
        (3, "3rd"),
        (4, "4th"),
        (11, "11th"),
        (12, "12th"),
        (13, "13th"),
        (21, "21st"),
        (112, "112th"),
    ],
)
def test_places_are_ordinals(number: int, text: str) -> None:
    assert ordinal(number) == text
    assert f"{text} place" in lines(replace(ONE, place=number))


def test_a_date_has_no_zero_before_it() -> None:
    assert "1 May 2026" in lines(ONE)


@given(event=TEXT, bot=TEXT, owner=TEXT)
def test_no_name_breaks_it(event: str, bot: str, owner: str) -> None:
    shown = lines(replace(ONE, event=event, bot=bot, owner=owner))
    assert all(len(line) <= LINE for line in shown if line not in shown[-4:])
    if len(event) <= LINE:
        assert shown[0] == event


def test_a_long_name_breaks_between_words() -> None:
    shown = lines(replace(ONE, event="The seventeenth programming contest of the university of somewhere far away"))
    assert shown[:2] == ["The seventeenth programming contest of the", "university of somewhere far away"]


# --- As a PDF ---------------------------------------------------------------------------------------------------------


def read(*certificates: Certificate) -> PdfReader:
    return PdfReader(BytesIO(certificate_pdf.render(certificates)), strict=True)


def text(page: PageObject) -> list[str]:
    return [line.strip() for line in page.extract_text().splitlines() if line.strip()]


@pytest.mark.long
def test_a_pdf_is_one_page_of_a4_with_the_same_lines_and_its_own_fonts() -> None:
    (page,) = (found := read(ONE)).pages
    assert text(page) == [line.strip() for line in lines(ONE)]
    assert (float(page.mediabox.width), float(page.mediabox.height)) == pytest.approx((841.9, 595.3), abs=0.5)
    assert found.metadata is not None
    assert found.metadata.title == "Keystone: 1st of Cup"
    fonts = [one.get_object() for one in page["/Resources"]["/Font"].values()]  # type: ignore[index]
    assert len(fonts) == 2
    for font in fonts:
        (inner,) = font["/DescendantFonts"]
        assert "/FontFile2" in inner.get_object()["/FontDescriptor"]


@pytest.mark.long
def test_many_certificates_are_one_file_with_a_page_each() -> None:
    found = read(*(replace(ONE, place=place, bot=f"bot {place}") for place in range(1, 65)))
    assert [text(page)[2] for page in found.pages][:3] == ["1st place", "2nd place", "3rd place"]
    assert len(found.pages) == 64
    assert found.metadata is not None
    assert found.metadata.title == "Certificates of Cup"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Łukasz Őry-Žižek", "Łukasz Őry-Žižek"),
        ("Zoe\u0308", "Zoë"),
        ("Nguyễn", "Nguyễn"),
        ("王小明", "???"),
        ("Дима", "Дима"),
        ("Ελένη Łė", "Ελένη Łė"),
        ("Дима 王", "Дима ?"),
        ("𝓐da", "Ada"),
        ("a\u200bb", "ab"),
    ],
)
def test_letters_that_the_font_lacks_are_plain_or_question_marks_and_a_line_says_so(name: str, shown: str) -> None:
    reported = text(PdfReader(BytesIO(certificate_pdf.render([replace(ONE, bot=name)], folders=()))).pages[0])
    assert shown in reported
    why = certificate_pdf.PACKAGE_MISSING if "王" in name else certificate_pdf.LETTERS_LEFT_OUT
    left_out = {certificate_pdf.PACKAGE_MISSING, certificate_pdf.LETTERS_LEFT_OUT} & set(reported)
    assert left_out == (set() if shown == normalize("NFC", name) else {why})


def cjk_fonts(folder: Path, letters: str) -> Path:
    """A folder as Debian's package fills it: a collection for each weight, with a box for each of these letters."""
    for name in certificate_pdf.EAST_ASIAN_FILES.values():
        collection = TTCollection()
        for _ in range(3):
            glyphs = {".notdef": None, **{f"u{ord(one):x}": ord(one) for one in letters}}
            pen = T2CharStringPen(500, None)
            for move, *at in ((pen.moveTo, (50, 0)), (pen.lineTo, (450, 0)), (pen.lineTo, (450, 700))):
                move(*at)
            pen.closePath()
            made = FontBuilder(1000, isTTF=False)
            made.setupGlyphOrder(list(glyphs))
            made.setupCharacterMap({code: glyph for glyph, code in glyphs.items() if code is not None})
            made.setupCFF("Boxes", {}, dict.fromkeys(glyphs, pen.getCharString()), {})
            made.setupHorizontalMetrics(dict.fromkeys(glyphs, (500, 50)))
            made.setupHorizontalHeader(ascent=800, descent=-200)
            made.setupNameTable({"familyName": "Boxes", "styleName": "Regular"})
            made.setupOS2()
            made.setupPost()
            collection.fonts.append(made.font)
        collection.save(folder / name)
    return folder


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("王小明", certificate_pdf.CHINESE),
        ("明さくら", certificate_pdf.JAPANESE),
        ("김철수 王", certificate_pdf.KOREAN),
    ],
)
def test_east_asian_names_are_written_with_the_machine_s_font(name: str, number: int, tmp_path: Path) -> None:
    folder = cjk_fonts(tmp_path, "王小明さくら김철수 version3,by")
    found = certificate_pdf.render([replace(ONE, bot=name, owner="王")], folders=(tmp_path / "nothing", folder))
    reported = text(PdfReader(BytesIO(found)).pages[0])
    assert name in reported
    assert "version 3, by 王" in reported
    assert not {certificate_pdf.PACKAGE_MISSING, certificate_pdf.LETTERS_LEFT_OUT} & set(reported)
    assert certificate_pdf.east_asian(name, folder).number == number
    assert len(found) < 100_000, "only the letters that are used are in it"


def test_what_that_font_lacks_is_a_question_mark_still(tmp_path: Path) -> None:
    folder = cjk_fonts(tmp_path, "王?")
    reported = text(PdfReader(BytesIO(certificate_pdf.render([replace(ONE, bot="王小")], folders=[folder]))).pages[0])
    assert certificate_pdf.LETTERS_LEFT_OUT in reported, "the package is there, and does not help"
    assert "王?" in reported


def test_a_font_that_is_broken_is_as_if_it_were_not_there(tmp_path: Path) -> None:
    for name in certificate_pdf.EAST_ASIAN_FILES.values():
        (tmp_path / name).write_bytes(b"no font")
    reported = text(PdfReader(BytesIO(certificate_pdf.render([replace(ONE, bot="王")], folders=[tmp_path]))).pages[0])
    assert "?" in reported
    assert certificate_pdf.LETTERS_LEFT_OUT in reported


def test_the_widest_names_stay_within_the_frame() -> None:
    begins: list[float] = []
    wide = replace(ONE, event="W" * 90, bot="W" * 60, owner="W" * 60)

    def note(part: str, _cm: Any, matrix: list[float], *_: Any) -> None:
        if part.strip():
            begins.append(matrix[4])

    read(wide).pages[0].extract_text(visitor_text=note)
    assert min(begins) > 44 * 0.75, "all lines are centred"


@pytest.mark.long
@settings(max_examples=20, deadline=None)
@given(event=TEXT, bot=TEXT, owner=TEXT)
def test_no_name_breaks_a_pdf(event: str, bot: str, owner: str) -> None:
    assert len(read(replace(ONE, event=event, bot=bot, owner=owner)).pages) == 1
