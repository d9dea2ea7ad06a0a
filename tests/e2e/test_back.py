"""Back finds a list as it was left, and an address says what a list shows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.conftest import PATIENCE_S, wait_until
from tests.e2e.conftest import Arena, wait_in_page

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.sandbox]

MATCH = "main ol a[data-match]"
NEAR_PX = 3


@pytest.fixture
def narrow(browser: Browser, arena: Arena) -> Iterator[Page]:
    """A phone, on which lists are long."""
    context = browser.new_context(base_url=arena.url, viewport={"width": 390, "height": 700})
    context.set_default_timeout(1000 * PATIENCE_S)
    yield context.new_page()
    context.close()


def shown(page: Page) -> list[str | None]:
    return [row.get_attribute("data-match") for row in page.locator(MATCH).all()]


@pytest.mark.parametrize("reloaded", [False, True])
def test_back_from_a_match_finds_as_many_rows_at_the_same_place(narrow: Page, reloaded: bool) -> None:
    wait_until(lambda: narrow.request.get("/api/v1/matches?limit=50").json()["next"], "there are fifty matches")
    narrow.goto("/matches")
    narrow.get_by_role("button", name="Load more").click()
    wait_in_page(narrow, f"document.querySelectorAll('{MATCH}').length > 30")
    rows = shown(narrow)
    chosen = narrow.locator(MATCH).nth(len(rows) - 5)
    chosen.scroll_into_view_if_needed()
    before = narrow.evaluate("scrollY")
    assert before > 0
    chosen.click()
    # It may still be in the queue.
    expect(narrow.get_by_role("heading", level=2)).to_be_visible()
    if reloaded:
        narrow.reload()
        expect(narrow.get_by_role("heading", level=2)).to_be_visible()
    narrow.go_back()
    wait_in_page(narrow, f"document.querySelectorAll('{MATCH}').length > 30")
    assert shown(narrow) == rows
    wait_in_page(narrow, f"Math.abs(scrollY - {before}) < {NEAR_PX}")


def test_a_new_visit_begins_at_the_top_with_the_newest(narrow: Page) -> None:
    wait_until(lambda: narrow.request.get("/api/v1/matches?limit=50").json()["next"], "there are fifty matches")
    narrow.goto("/matches")
    narrow.get_by_role("button", name="Load more").click()
    wait_in_page(narrow, f"document.querySelectorAll('{MATCH}').length > 30")
    narrow.evaluate("scrollTo(0, 900)")
    narrow.get_by_role("link", name="Games", exact=True).click()
    wait_in_page(narrow, "scrollY === 0")
    narrow.get_by_role("link", name="Matches", exact=True).first.click()
    wait_in_page(narrow, f"document.querySelectorAll('{MATCH}').length === 30")
    assert narrow.evaluate("scrollY") == 0


def test_the_search_of_a_leaderboard_is_in_its_address(page: Page) -> None:
    page.goto("/games/yavalath")
    rows = page.get_by_test_id("leaderboard").locator("tbody tr")
    wait_in_page(page, "document.querySelectorAll('[data-testid=leaderboard] tbody tr').length > 1")
    entries = page.evaluate("history.length")
    page.get_by_label("Search").press_sequentially("snar")
    expect(rows).to_have_count(1)
    assert page.url.endswith("?find=snar")
    assert page.evaluate("history.length") == entries
    page.reload()
    expect(rows).to_have_count(1)
    expect(page.get_by_label("Search")).to_have_value("snar")
    rows.get_by_role("link").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Snare")
    page.go_back()
    expect(rows).to_have_count(1)
    expect(page.get_by_label("Search")).to_have_value("snar")
    page.get_by_label("Search").fill("")
    wait_in_page(page, "document.querySelectorAll('[data-testid=leaderboard] tbody tr').length > 1")
    assert "find" not in page.url


def test_a_board_that_could_not_be_loaded_leaves_no_other_ones_rows(page: Page) -> None:
    then = "2020-01-01T00:00:00Z"
    numbers = dict.fromkeys(("rank", "bot_id", "owner_id", "version", "submission_id", "games", "wins"), 1)
    words = {"bot": "Old Hand", "owner": "Ada", "language": "python", "league": None, "since": then}
    row = {**numbers, **words, "draws": 0, "losses": 0, "rating": 1500, "low": 1400, "high": 1600}
    page.route("**/yavalath/leaderboard/at?*", lambda route: route.fulfill(json={"at": then, "items": [row]}))

    def long_ago(route: Route) -> None:
        route.fulfill(json={**route.fetch().json(), "since": then})

    page.route("**/yavalath/leaderboard?*", long_ago)
    page.goto("/games/yavalath?at=2021-01-01T00:00:00Z")
    old = page.locator("[data-bot='Old Hand']")
    expect(old).to_be_visible()
    page.route("**/yavalath/leaderboard/at?*", lambda route: route.abort())
    page.get_by_label("Time of the board").fill("100")
    expect(page.get_by_role("alert")).to_contain_text("Could not load the board of that day")
    expect(old).to_have_count(0)

    page.get_by_role("button", name="Back to now").click()
    expect(page.locator("[data-bot=Snare]")).to_be_visible()
    page.route("**/yavalath/leaderboard?*", lambda route: route.abort())
    page.get_by_label("League").select_option(index=1)
    expect(page.get_by_role("alert")).to_contain_text("Could not load the leaderboard")
    expect(page.locator("[data-bot=Snare]")).to_have_count(0)


def test_load_more_is_pressed_once_however_slow_the_arena_is(page: Page) -> None:
    wait_until(lambda: page.request.get("/api/v1/matches?limit=50").json()["next"], "there are fifty matches")
    page.goto("/matches")
    asked: list[str] = []
    held: list[Route] = []

    def hold(route: Route) -> None:
        asked.append(route.request.url)
        held.append(route)

    page.route("**/api/v1/matches?*after=*", hold)
    more = page.get_by_role("button", name="Load more")
    more.click()
    waiting = page.get_by_role("button", name="Searching…")
    expect(waiting).to_be_disabled()
    waiting.dispatch_event("click")
    held[0].continue_()
    wait_in_page(page, f"document.querySelectorAll('{MATCH}').length > 30")
    assert len(asked) == 1


def test_a_tab_that_was_hidden_keeps_its_rows(page: Page) -> None:
    wait_until(lambda: page.request.get("/api/v1/matches?limit=50").json()["next"], "there are fifty matches")
    page.goto("/matches")
    page.get_by_role("button", name="Load more").click()
    wait_in_page(page, f"document.querySelectorAll('{MATCH}').length > 30")
    rows = shown(page)
    hide = "Object.defineProperty(document, 'hidden', {value: %s, configurable: true});"
    hide += "document.dispatchEvent(new Event('visibilitychange'))"
    page.evaluate(hide % "true")
    with page.expect_response(lambda answer: "/api/v1/matches?" in answer.url):
        page.evaluate(hide % "false")
    wait_in_page(page, f"document.querySelectorAll('{MATCH}').length >= {len(rows)}")
    assert shown(page) == rows
