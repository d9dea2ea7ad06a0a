"""A class in a real browser: its organiser names a second one, and both do what the page offers."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.conftest import PATIENCE_S
from tests.e2e.conftest import Arena
from tests.e2e.test_accounts import form, sign_up
from tests.e2e.test_events import accessible, organiser

pytestmark = [pytest.mark.e2e]

ROSTER = b"name,mail,group\nZoe Quux,zoe@uni.example,A\nBob Ray,bob@uni.example,B\n"


def new_class(page: Page, name: str) -> str:
    """Makes a class of two students: the address of its page."""
    page.goto("/classes")
    made = form(page, "New class")
    made.get_by_label("Name").fill(name)
    made.get_by_role("button", name="Make the class").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    address = page.url.partition("/classes/")[2]
    origin = page.url.partition("/classes/")[0]
    file = {"name": "roster.csv", "mimeType": "text/csv", "buffer": ROSTER}
    answer = page.request.post(
        f"/api/v1/classes/{address}/roster", multipart={"file": file}, headers={"Origin": origin}
    )
    assert answer.ok, answer.text()
    page.reload()
    return f"/classes/{address}"


def test_a_second_organiser_is_named_sees_the_class_and_leaves_it(page: Page, browser: Browser, arena: Arena) -> None:
    organiser(page, arena, "Ada")
    address = new_class(page, "Bots 101")
    with browser.new_context(base_url=arena.url, viewport={"width": 1280, "height": 800}) as context:
        context.set_default_timeout(1000 * PATIENCE_S)
        second = context.new_page()
        sign_up(second, "Grace")
        named = form(page, "Organisers of this class")
        named.get_by_label("Name of the account").fill("Grace")
        named.get_by_label("Name of the account").press("Enter")
        expect(page.get_by_role("status").filter(has_text="Grace organises this class, too.")).to_be_visible()
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            accessible(page)

        second.goto("/classes")
        second.get_by_role("link", name="Bots 101").click()
        expect(second.get_by_text("Zoe Quux").first).to_be_visible()
        expect(second.get_by_role("button", name="Delete the class")).to_have_count(0)
        second.get_by_role("button", name="Remove Grace").press("Enter")
        expect(second.get_by_text("You are in no class.")).to_be_visible()
        second.goto(address)
        expect(second.get_by_role("alert")).to_contain_text("You have no class")
