"""Pages of people, and the bell with notices of what happened to one's bots, in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import wait_until
from tests.e2e.test_accounts import check, submit

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.sandbox]
LADDER_RESTS = True


def test_the_bell_rings_for_a_version_that_fails_and_leads_to_it(page: Page) -> None:
    page.goto("/")
    expect(page.get_by_test_id("bell")).to_have_count(0)
    broken = {"game": "yavalath", "bot": "Broken", "language": "python", "source": "this is no Python"}
    assert page.request.post("/api/v1/submissions", data=broken).ok
    page.goto("/bots")
    bell = page.get_by_test_id("bell")
    # Without a reload.
    expect(bell).to_have_accessible_name("Notices: 1 new")
    bell.press("Enter")
    listed = page.get_by_test_id("notices")
    expect(listed).to_contain_text("Broken v1 failed.")
    expect(bell).to_have_attribute("aria-expanded", "true")
    check(page)
    page.keyboard.press("Escape")
    expect(listed).to_be_hidden()
    expect(bell).to_have_accessible_name("Notices")
    page.reload()
    bell.click()
    expect(listed).not_to_contain_text("new")
    listed.get_by_role("link").click()
    expect(page).to_have_url(re.compile(r"/bots/\d+$"))
    expect(listed).to_be_hidden()


def test_a_version_gets_a_tag_by_keyboard(page: Page) -> None:
    page.goto("/")
    bot = submit(page, "Tagged")
    page.goto(f"/bots/{bot}")
    edit = page.get_by_role("button", name="Edit tag and note of v1")
    edit.press("Enter")
    form = page.get_by_role("form", name="Tag and note of v1")
    page.get_by_label("Tag", exact=True).fill("stable")
    page.get_by_label("Note", exact=True).fill("Keeps the middle.")
    check(page)
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("tag")).to_have_text("stable")
    expect(page.locator(".versions")).to_contain_text("Keeps the middle.")
    expect(edit).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(form).to_have_count(0)


def test_from_a_bot_to_its_owner_and_on_to_the_board(page: Page) -> None:
    page.goto("/")
    bot = submit(page, "Ranger")
    page.goto(f"/bots/{bot}")
    wait_until(lambda: page.request.get(f"/api/v1/bots/{bot}").json()["standing"], "it is on the ladder")
    page.reload()
    page.locator("main header").get_by_role("link", name=re.compile("^guest ")).click()
    expect(page).to_have_url(re.compile(r"/people/\d+$"))
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(r"^guest \d+$"))
    row = page.get_by_test_id("leaderboard").locator("tr[data-bot=Ranger]")
    expect(row).to_be_visible()
    check(page)
    row.get_by_role("button", name="Compare all with Ranger").click()
    expect(page).to_have_url(re.compile(rf"/games/yavalath\?versus={bot}$"))
    board = page.get_by_test_id("leaderboard")
    expect(board.locator("tr[data-bot=Ranger] a", has_text="guest")).to_have_attribute("href", re.compile("^/people/"))
