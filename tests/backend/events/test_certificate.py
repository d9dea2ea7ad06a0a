"""Certificates: whatever a name is, they stay one page of readable text."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from xml.etree import ElementTree

import pytest
from hypothesis import given, strategies as st

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
