"""What a page's head names ahead, as a real browser takes it."""

from __future__ import annotations

from collections import Counter

import pytest
from playwright.sync_api import Page, Response, Route, expect

from tests.conftest import wait_until
from tests.e2e.conftest import wait_in_page

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.sandbox]

AHEAD = "Array.from(document.querySelectorAll('link[rel=preload], link[rel=modulepreload]'), link => link.href)"


@pytest.mark.parametrize("path", ["/play/ants", "/matches/1"])
def test_what_is_named_ahead_is_asked_for_once(page: Page, path: str) -> None:
    answers: list[Response] = []

    def keep(answer: Response) -> None:
        answers.append(answer)

    page.on("response", keep)
    page.goto(path)
    wait_in_page(page, "performance.getEntriesByName('ready').length > 0")
    ahead = page.evaluate(AHEAD)
    assert len(ahead) > 6
    asked = Counter(answer.url for answer in answers)
    assert {address: asked[address] for address in ahead} == dict.fromkeys(ahead, 1)
    scripts = [answer for answer in answers if answer.request.resource_type == "script"]
    assert {answer.headers.get("content-encoding") for answer in scripts if "/base-" in answer.url} == {"br"}


def test_completion_comes_once_the_editor_has_the_focus(page: Page) -> None:
    page.goto("/play/ants")
    wait_in_page(page, "performance.getEntriesByName('ready').length > 0")
    loaded = "performance.getEntriesByType('resource').some(entry => entry.name.includes('/help-'))"
    assert not page.evaluate(loaded)
    page.locator(".cm-content").click()
    wait_in_page(page, loaded)


FOLLOW = """address => {
  const link = Object.assign(document.createElement('a'), {href: address})
  document.body.append(link)
  link.click()
}"""


@pytest.mark.parametrize(
    ("path", "slow"),
    [("/play/yavalath", "**/assets/editor-*.js"), ("/play/yavalath", "**/lessons"), ("/games/yavalath", "**/yavalath")],
)
def test_a_page_that_was_left_while_it_was_loading_changes_neither_title_nor_address(
    page: Page, path: str, slow: str
) -> None:
    page.goto("/bots")
    expect(page).to_have_title("My bots · Hexarena")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route(slow, hold)
    page.evaluate(FOLLOW, path)
    wait_until(lambda: page.evaluate("true") and held, f"{slow} is asked for")
    page.evaluate(FOLLOW, "/bots?turn=24")
    expect(page.get_by_role("heading", name="No bots yet")).to_be_visible()
    for route in held:
        route.continue_()
    page.unroute(slow)
    page.evaluate("address => fetch(address).then(answer => answer.text())", held[0].request.url)
    # What the editor would still load, and more.
    for _ in range(10):
        page.evaluate("fetch('/api/v1/games/yavalath/starters').then(answer => answer.text())")
    expect(page).to_have_title("My bots · Hexarena")
    assert page.url.endswith("/bots?turn=24")
