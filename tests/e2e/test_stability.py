"""Nothing moves under the reader while a page is loaded and the arena plays."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from scripts.layout_shifts import MOST, OBSERVE, WIDTHS
from tests.conftest import PATIENCE_S
from tests.e2e.conftest import wait_in_page

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.sandbox]

PATHS = ("/", "/matches", "/games/ants", "/games/yavalath", "/play/ants", "/bots", "/account", "/matches/1")
MATCHES = 3
COUNT = """
window.played = new Set()
const Real = window.EventSource
window.EventSource = class extends Real {
    constructor(address) {
        super(address)
        this.addEventListener('match', event => window.played.add(JSON.parse(event.data).id))
    }
}
"""
"""Counts the matches that the page hears of."""


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("width", WIDTHS)
def test_pages_stay_still_while_matches_come(page: Page, path: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    page.add_init_script(OBSERVE + COUNT)
    page.goto(path)
    wait_in_page(page, "performance.getEntriesByName('ready').length > 0")
    wait_in_page(page, f"window.played.size >= {MATCHES}")
    shifts = page.evaluate("window.shifts")
    assert sum(shift["value"] for shift in shifts) <= MOST, shifts


def test_new_matches_wait_until_they_are_asked_for(page: Page) -> None:
    page.goto("/matches")
    rows = page.locator("[data-match]")
    expect(rows.first).to_be_visible()
    first = rows.first.get_attribute("data-match")
    fresh = page.get_by_test_id("new-matches")
    expect(fresh).to_have_text(re.compile(r"^[2-9] new matches$"), timeout=1000 * PATIENCE_S)
    assert rows.first.get_attribute("data-match") == first
    fresh.click()
    expect(page.locator(f"[data-match='{first}']")).to_be_visible()
    assert int(rows.first.get_attribute("data-match") or 0) > int(first or 0)
