"""What pages say and do when the network or the arena goes away, and when it is back."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.conftest import Processes, free_port, wait_until
from tests.e2e.conftest import Arena, wait_in_page
from tests.e2e.test_accounts import form
from tests.e2e.test_classes import new_class
from tests.e2e.test_events import organiser

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.sandbox]

PAGES = ("/", "/games/ants", "/matches", "/bots", "/play/ants", "/account")


@pytest.fixture
def visitor(browser: Browser, arena: Arena) -> Page:
    """Somebody whose connection may break: failed loads are what these tests are about."""
    context = browser.new_context(base_url=arena.url, viewport={"width": 1280, "height": 800})
    return context.new_page()


def follow(page: Page, path: str) -> None:
    """As a click on a link does, also where the page has no such link."""
    page.evaluate(
        """path => {
            const link = document.createElement('a')
            link.href = path
            document.body.append(link)
            link.click()
            link.remove()
        }""",
        path,
    )


@pytest.mark.parametrize("path", PAGES)
def test_one_lamp_on_all_pages_says_whether_they_are_up_to_date(visitor: Page, path: str) -> None:
    visitor.goto(path)
    lamp = visitor.get_by_test_id("lamp")
    expect(lamp).to_have_text("Live")
    visitor.context.set_offline(True)
    expect(lamp).to_contain_text("Offline since")
    visitor.context.set_offline(False)
    expect(lamp).to_have_text("Live")
    visitor.context.close()


def test_a_page_that_was_opened_offline_is_loaded_when_the_network_is_back(visitor: Page) -> None:
    visitor.goto("/matches")
    expect(visitor.locator("[data-match]").first).to_be_visible()
    follow(visitor, "/play/ants")
    expect(visitor.locator(".cm-content")).to_be_visible()
    follow(visitor, "/matches")
    expect(visitor.locator("[data-match]").first).to_be_visible()
    visitor.context.set_offline(True)
    follow(visitor, "/play/ants")
    expect(visitor.get_by_role("alert")).to_contain_text("Could not load the editor")
    visitor.context.set_offline(False)
    expect(visitor.locator(".cm-content")).to_be_visible()
    expect(visitor.get_by_role("alert")).to_have_count(0)
    # Here not even the page's own code could be fetched.
    visitor.context.set_offline(True)
    follow(visitor, "/games/yavalath")
    expect(visitor.get_by_role("heading", level=1)).to_have_text("This page could not be loaded")
    visitor.context.set_offline(False)
    expect(visitor.get_by_role("heading", level=1)).to_have_text("Yavalath")
    visitor.context.close()


def try_again(page: Page, path: str, failing: str) -> None:
    """Opens a page while what it asks first fails, and lets it try again once that works."""
    page.route(failing, lambda route: route.fulfill(status=503, body="Busy"))
    page.goto(path)
    again = page.get_by_role("button", name="Try again")
    expect(again).to_be_visible()
    page.unroute(failing)
    again.click()


def test_trying_again_loads_all_of_the_matches(visitor: Page) -> None:
    try_again(visitor, "/matches", "**/api/v1/matches?*")
    expect(visitor.locator("[data-match]").first).to_be_visible()
    visitor.context.close()


def test_trying_again_loads_all_of_a_class(visitor: Page, arena: Arena) -> None:
    organiser(visitor, arena, "Ada")
    address, _ = new_class(visitor, "Bots 101")
    try_again(visitor, address, f"**/api/v1{address}")
    expect(visitor.get_by_test_id("members").get_by_role("row")).to_have_count(3)
    expect(visitor).to_have_title(re.compile("^Bots 101"))
    visitor.context.close()


def test_trying_again_loads_all_of_the_pages_for_organisers(visitor: Page, arena: Arena) -> None:
    organiser(visitor, arena, "Grace")
    try_again(visitor, "/status", "**/api/v1/me")
    expect(visitor.get_by_test_id("ready")).to_be_visible()
    try_again(visitor, "/organise", "**/api/v1/me")
    expect(visitor.get_by_role("region", name="Ladders")).to_be_visible()
    try_again(visitor, "/classes", "**/api/v1/classes")
    expect(form(visitor, "New class").get_by_label("Game")).not_to_have_value("")
    visitor.context.close()


def test_on_a_phone_the_lamp_covers_no_bots_name(visitor: Page) -> None:
    visitor.set_viewport_size({"width": 390, "height": 844})
    visitor.goto("/matches/1")
    expect(visitor.get_by_test_id("lamp")).to_have_text("Live")
    visitor.context.set_offline(True)
    said = visitor.get_by_text("Offline since")
    expect(said).to_be_visible()
    chip = said.bounding_box()
    names = visitor.locator("main b").first.bounding_box()
    assert chip is not None
    assert names is not None
    assert chip["y"] + chip["height"] <= names["y"]
    visitor.context.close()


def test_games_have_their_titles_once_the_network_is_back(visitor: Page) -> None:
    titles = "**/api/v1/games"
    visitor.route(titles, lambda route: route.abort())
    visitor.goto("/matches/1")
    expect(visitor.get_by_test_id("lamp")).to_have_text("Live")
    heading = visitor.get_by_role("heading", level=1)
    expect(heading).to_have_text(re.compile("^Match 1 of [a-z]"))
    visitor.context.set_offline(True)
    expect(visitor.get_by_test_id("lamp")).to_contain_text("Offline")
    visitor.unroute(titles)
    visitor.context.set_offline(False)
    expect(heading).to_have_text(re.compile("^Match 1 of [A-Z]"))
    visitor.context.close()


def test_the_lamp_is_out_while_the_arena_is_stopped(tmp_path: Path, browser: Browser) -> None:
    arena = Arena(tmp_path / "arena")
    arena.start()
    page = browser.new_context(base_url=arena.url).new_page()
    try:
        page.goto("/games/ants")
        wait_in_page(page, "performance.getEntriesByName('ready').length > 0")
        lamp = page.get_by_test_id("lamp")
        expect(lamp).to_have_text("Live")
        arena.stop()
        expect(lamp).to_contain_text("Reconnecting since")
        follow(page, "/matches")
        arena.start()
        expect(lamp).to_have_text("Live")
        expect(page.get_by_role("heading", level=1)).to_have_text("Matches")
    finally:
        page.context.close()
        arena.stop()


def test_pages_say_while_the_disk_is_full_and_take_it_back(browser: Browser, processes: Processes) -> None:
    port = free_port()
    processes.extra |= {"HEXARENA_PORT": str(port), "HEXARENA_DISK_RESERVE_BYTES": str(10**18)}
    api = processes.start("hexarena.backend.serve")
    wait_until(lambda: is_answered(port), "the API answers")
    visitor = browser.new_page(base_url=f"http://127.0.0.1:{port}", viewport={"width": 390, "height": 844})
    visitor.goto("/")
    expect(visitor.get_by_test_id("disk-full")).to_contain_text("Nothing is lost")
    visitor.goto("/play/yavalath")
    expect(visitor.get_by_test_id("disk-full")).to_be_visible()
    visitor.get_by_role("button", name="Run").first.click()
    expect(visitor.get_by_text("Nothing new can be stored or played").first).to_be_visible()
    processes.kill(api)
    processes.extra["HEXARENA_DISK_RESERVE_BYTES"] = "0"
    processes.start("hexarena.backend.serve")
    expect(visitor.get_by_test_id("lamp")).to_have_attribute("data-reach", "live")
    expect(visitor.get_by_test_id("disk-full")).to_have_count(0)
    visitor.close()


def is_answered(port: int) -> bool:
    """Whether an API listens there."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
