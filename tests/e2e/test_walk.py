"""A newcomer's whole way, in one go: from the landing page to a shared match of a bot on the ladder.

It prints clicks and seconds. Clicks are bounded, seconds are not, since machines differ. Writing code, choosing a name
and keys count as no click.
"""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from hexarena.games.catalogue import find_game, game_file
from tests.conftest import PATIENCE_S
from tests.e2e.conftest import Arena
from tests.e2e.test_verdict import write

pytestmark = [pytest.mark.e2e, pytest.mark.sandbox]

PLAYED_MS = 1000 * PATIENCE_S
TRIES = 5
CLICKS_TO_A_REPLAY, CLICKS_TO_THE_LADDER = 3, 4
CRASHES = """def move(board):
    return board["nothing"]

input()
while True:
    board = {"rows": [input() for _ in range(int(input()))]}
    input()
    print(*move(board))
"""
LOSES = """input()
while True:
    rows = [input() for _ in range(int(input()))]
    input()
    print("I give up")
"""
STRONG = game_file(find_game("yavalath"), "bots", "keystone.py").read_text()


class Walk:
    """Counts what a person clicks, and the time since the last step that was noted."""

    def __init__(self) -> None:
        self.clicks = 0
        self.notes: list[tuple[str, int, float]] = []
        self._began = time.monotonic()

    def click(self, target: Locator) -> None:
        target.click()
        self.clicks += 1

    def note(self, what: str) -> None:
        self.notes.append((what, self.clicks, time.monotonic() - self._began))

    def clicks_to(self, what: str) -> int:
        return next(clicks for noted, clicks, _ in self.notes if noted == what)


def run(page: Page, walk: Walk) -> str:
    """Runs the code in the editor; how it ended."""
    walk.click(page.get_by_test_id("run"))
    expect(page.get_by_test_id("status")).to_have_attribute("data-stage", "done", timeout=PLAYED_MS)
    expect(page.get_by_test_id("ending")).to_be_visible(timeout=PLAYED_MS)
    return page.get_by_test_id("ending").inner_text()


def test_a_newcomer_comes_from_the_landing_page_to_a_shared_match(page: Page, browser: Browser, arena: Arena) -> None:
    walk = Walk()
    page.goto("/")
    walk.note("landing")
    walk.click(page.locator("main").get_by_role("link", name=re.compile("Yavalath bot")).first)
    expect(page.get_by_test_id("run")).to_be_enabled(timeout=PLAYED_MS)
    walk.click(page.get_by_test_id("run"))
    expect(page.get_by_test_id("turn")).to_be_visible(timeout=PLAYED_MS)
    walk.note("first own replay")
    expect(page.get_by_test_id("ending")).to_be_visible(timeout=PLAYED_MS)
    write(page, CRASHES)
    assert "Crashed in turn" in run(page, walk)
    walk.note("crash reported")
    walk.click(page.get_by_test_id("status").get_by_role("button", name="Line 2: KeyError"))
    expect(page.locator(".cm-activeLine")).to_contain_text('board["nothing"]')
    walk.note("at the line")
    write(page, LOSES)
    assert not run(page, walk).startswith("Won")
    walk.note("lost")
    write(page, STRONG)
    walk.click(page.get_by_role("button", name="Matches", exact=True))
    walk.click(page.get_by_test_id("battles").get_by_role("button", name="Run my code here").first)
    expect(page.get_by_test_id("compare")).to_be_visible(timeout=PLAYED_MS)
    for _ in range(TRIES):
        if page.get_by_test_id("ending").inner_text().startswith("Won"):
            break
        run(page, walk)
    expect(page.get_by_test_id("ending")).to_contain_text("Won in turn")
    walk.note("won")
    before = walk.clicks
    walk.click(page.get_by_test_id("submit"))
    page.get_by_test_id("bot-name").fill("walker")
    walk.click(page.get_by_test_id("submit-confirm"))
    expect(page.get_by_test_id("rating")).to_be_visible(timeout=PLAYED_MS)
    walk.note("on the ladder")
    walk.click(page.get_by_test_id("standing").get_by_role("link", name="walker"))
    rated = page.locator("[data-match]")
    expect(rated.first).to_be_visible(timeout=PLAYED_MS)
    walk.click(rated.first)
    expect(page.get_by_test_id("turn")).to_be_visible(timeout=PLAYED_MS)
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("turn")).to_have_text(re.compile("^1 /"), timeout=PLAYED_MS)
    page.keyboard.press("s")
    expect(page).to_have_url(re.compile(r"/matches/\d+\?turn=1$"))
    walk.note("turn shared")
    stranger = browser.new_context(base_url=arena.url).new_page()
    stranger.goto(page.url)
    expect(stranger.get_by_test_id("turn")).to_have_text(re.compile("^1 /"), timeout=PLAYED_MS)
    stranger.context.close()
    walk.note("seen by a stranger")
    print(*(f"{what:20} {clicks:3} clicks {seconds:7.1f} s" for what, clicks, seconds in walk.notes), sep="\n")
    assert walk.clicks_to("first own replay") <= CLICKS_TO_A_REPLAY
    assert walk.clicks_to("on the ladder") - before <= CLICKS_TO_THE_LADDER
