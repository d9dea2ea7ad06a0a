"""What a run says about the code in the editor: how it ended, where it crashed, and nothing about other code."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.conftest import PATIENCE_S

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.sandbox]
LADDER_RESTS = True

PLAYED_MS = 1000 * PATIENCE_S
CRASHING = """import sys

def move(words):
    return words[99]

def main():
    while True:
        words = [input() for _ in range(int(input()) + 2)]
        for number in range(10_000):
            print("thinking", number, file=sys.stderr)
        move(words)

main()
"""


def write(page: Page, code: str) -> None:
    """Replaces the code in the editor."""
    page.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(code)


def test_the_verdict_comes_at_once_and_leads_to_its_turn(page: Page) -> None:
    page.goto("/play/yavalath")
    write(page, page.request.get("/api/v1/games/yavalath/starters").json()[0]["source"] + "\n# mine\n")
    page.get_by_test_id("run").click()
    page.get_by_test_id("play-pause").click(timeout=PLAYED_MS)
    turn = page.get_by_test_id("turn")
    ending = page.get_by_test_id("ending")
    expect(ending).to_have_text(re.compile(r"(Won|Lost|Draw) in turn \d+"), timeout=PLAYED_MS)
    last = re.search(r"in turn (\d+)", ending.inner_text())
    assert last is not None
    expect(turn).not_to_have_text(re.compile(rf"^{last[1]} /"))  # the board is where it was
    expect(page.get_by_test_id("status")).to_contain_text(f"in turn {last[1]} against")
    ending.get_by_role("button", name="Jump to it").click()
    expect(turn).to_have_text(f"{last[1]} / {last[1]}")
    expect(ending.get_by_role("button", name="Jump to it")).to_have_count(0)


def test_a_crash_leads_to_the_line_of_the_users_own_code(page: Page) -> None:
    """Also below ten thousand lines of stderr; another language forgets the line."""
    page.goto("/play/yavalath")
    write(page, CRASHING)
    page.get_by_test_id("run").click()
    expect(page.get_by_test_id("ending")).to_contain_text(
        "Crashed in turn 1, line 4: IndexError: list index out of range", timeout=PLAYED_MS
    )
    status = page.get_by_test_id("status")
    status.get_by_role("button", name="Line 4: IndexError").click()
    expect(page.locator(".cm-activeLine")).to_have_text("    return words[99]")
    expect(page.locator("main")).not_to_contain_text("<start>")
    page.get_by_label("Language").select_option("javascript")
    expect(status.get_by_role("button")).to_have_count(0)


def test_what_did_not_build_is_forgotten_with_its_code(page: Page) -> None:
    page.goto("/play/yavalath")
    write(page, "x = = 1\n")
    page.get_by_test_id("run").click()
    log = page.get_by_test_id("build-log")
    expect(log).to_contain_text("SyntaxError", timeout=PLAYED_MS)
    page.get_by_label("Language").select_option("javascript")
    expect(log).to_have_count(0)
    expect(page.get_by_test_id("status")).not_to_contain_text("does not build")

    page.get_by_label("Language").select_option("python")
    page.get_by_test_id("run").click()
    expect(log).to_contain_text("SyntaxError", timeout=PLAYED_MS)
    write(page, "x = 1\n")
    page.get_by_test_id("submit").click()
    page.get_by_test_id("bot-name").fill("forgets errors")
    page.get_by_test_id("submit-confirm").click()
    expect(page.get_by_test_id("standing")).to_be_visible()
    expect(log).to_have_count(0)


def test_a_match_is_played_again_with_the_code_in_the_editor(page: Page) -> None:
    """Same opponent, seat and seed: two clicks from the match."""
    page.goto("/play/yavalath")
    page.get_by_test_id("run").click()
    expect(page.get_by_test_id("ending")).to_be_visible(timeout=PLAYED_MS)
    page.get_by_test_id("status").get_by_role("link", name="Match").click()
    page.get_by_role("link", name="Run my code here").click()
    expect(page.get_by_test_id("status")).to_contain_text("Run plays your code with seed")
    page.get_by_test_id("run").click()
    expect(page.get_by_test_id("ending")).to_be_visible(timeout=PLAYED_MS)
    again, first = page.request.get("/api/v1/matches?mine=true&kind=practice&limit=2").json()["items"]
    assert again["seed"] == first["seed"]
    assert [seat["bot_id"] for seat in again["seats"]] == [seat["bot_id"] for seat in first["seats"]]


def test_a_hint_of_the_check_is_shown_with_the_version_that_passed_it(page: Page) -> None:
    def with_hint(route: Route) -> None:
        real = route.fetch()
        body = real.json()
        if body.get("state") == "live":
            body["problem"] = "It seems to read the input of level 3."
        route.fulfill(response=real, json=body)

    page.route("**/api/v1/submissions/*", with_hint)
    page.route("**/api/v1/feed*", lambda route: route.abort())  # so that the page asks by itself
    page.goto("/play/yavalath")
    page.get_by_test_id("submit").click()
    page.get_by_test_id("bot-name").fill("gets a hint")
    page.get_by_test_id("submit-confirm").click()
    hint = page.get_by_test_id("standing").get_by_role("alert")
    expect(hint).to_have_text("It seems to read the input of level 3.", timeout=PLAYED_MS)
