"""What a page's head names ahead, as a real browser takes it."""

from __future__ import annotations

from collections import Counter

import pytest
from playwright.sync_api import Page, Response

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
