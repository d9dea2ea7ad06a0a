"""A match with hidden cards in a browser, seen by all, by one seat, and by those who watched."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.conftest import PATIENCE_S
from tests.development import Development
from tests.e2e.conftest import wait_in_page

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.sandbox]
EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "tricks"
STATE = "window.hexarena.viewer.timeline.at(2).hands"
KNOWN = f"{STATE}.map(hand => hand.every(card => card !== null))"


def test_one_chooses_whose_cards_are_seen(browser: Browser, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "tricks", ignore=shutil.ignore_patterns("__pycache__"))
    running = Development(tmp_path, "tricks")
    running.start("--seats", "3", "--seed", "7")
    try:
        look_at(browser, running.url)
    finally:
        assert running.stop() == 0


def look_at(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(1000 * PATIENCE_S)
    page = context.new_page()
    page.goto(address)
    seen_by = page.get_by_test_id("seen-by")
    wait_in_page(page, "window.hexarena?.viewer?.play !== undefined")
    page.evaluate("window.hexarena.viewer.play.pause(); window.hexarena.viewer.play.seek(2)")
    expect(seen_by).to_have_value("all")
    assert page.evaluate(KNOWN) == [True, True, True]
    whole = page.evaluate(STATE)
    seen_by.select_option("1")
    wait_in_page(page, f"JSON.stringify({KNOWN}) === '[false,true,false]'")
    assert page.evaluate(STATE)[1] == whole[1]
    assert page.evaluate("window.hexarena.viewer.play.moment.turn") == 2
    seen_by.select_option("watching")
    wait_in_page(page, f"JSON.stringify({KNOWN}) === '[false,false,false]'")
    assert [len(hand) for hand in page.evaluate(STATE)] == [len(hand) for hand in whole]
    seen_by.select_option("all")
    wait_in_page(page, f"(whole) => JSON.stringify({STATE}) === JSON.stringify(whole)", whole)
    context.close()
