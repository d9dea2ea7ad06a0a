"""The browser itself says whether the pages keep to their content security policy."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.conftest import PATIENCE_S
from tests.e2e.conftest import Arena, wait_in_page

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.sandbox]

LISTEN = """
window.violations = []
addEventListener('securitypolicyviolation', event => {
    window.violations.push(`${event.violatedDirective}: ${event.blockedURI}`)
})
"""


@pytest.mark.parametrize(
    "path", ["/", "/games/ants", "/games/tryangle", "/play/ants", "/matches", "/bots", "/bots/1", "/nowhere"]
)
def test_no_page_breaks_its_policy(page: Page, path: str) -> None:
    page.add_init_script(LISTEN)
    page.goto(path)
    wait_in_page(page, "performance.getEntriesByName('ready').length > 0")
    if path.startswith("/play"):
        page.locator(".cm-content").click()
        page.keyboard.type("x = 1")
        page.keyboard.press("Control+f")
        expect(page.locator(".cm-search")).to_be_visible()
    assert page.evaluate("window.violations") == []


def test_the_documentation_works_and_keeps_to_its_policy(page: Page) -> None:
    page.add_init_script(LISTEN)
    page.goto("/api/v1/docs")
    operation = page.locator("#operations-games-list_games")
    operation.locator("button").first.click()
    operation.get_by_role("button", name="Try it out").click()
    operation.get_by_role("button", name="Execute").click()
    expect(operation.locator(".live-responses-table")).to_contain_text("yavalath")
    assert page.evaluate("window.violations") == []
    loaded = page.evaluate("performance.getEntriesByType('resource').map(one => new URL(one.name).origin)")
    assert set(loaded) == {page.evaluate("location.origin")}


def test_the_browser_keeps_scripts_that_are_not_ours_from_running(browser: Browser, arena: Arena) -> None:
    """Else the tests above could not fail."""
    context = browser.new_context(base_url=arena.url)
    context.set_default_timeout(1000 * PATIENCE_S)
    visited = context.new_page()
    visited.add_init_script(LISTEN)
    visited.goto("/nowhere")
    visited.evaluate("""() => {
        const script = document.createElement('script')
        script.textContent = 'window.ran = true'
        document.body.append(script)
    }""")
    wait_in_page(visited, "window.violations.length > 0")
    assert visited.evaluate("window.violations") == ["script-src-elem: inline"]
    assert visited.evaluate("window.ran") is None
    context.close()
