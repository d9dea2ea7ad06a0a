"""What pages say and do when the network or the arena goes away, and when it is back."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FilePayload, Page, Route, expect

from tests.conftest import Processes, free_port, wait_until
from tests.e2e.conftest import Arena, wait_in_page
from tests.e2e.test_accounts import form
from tests.e2e.test_classes import new_class
from tests.e2e.test_events import organiser
from tests.e2e.test_first_visit import changed_by

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


def test_trying_again_offers_the_bots_that_may_be_rungs(visitor: Page, arena: Arena) -> None:
    organiser(visitor, arena, "Alan")
    address, _ = new_class(visitor, "Bots 102")
    bot = {"id": 7, "name": "Heron", "game": "yavalath", "live_submission_id": 9}
    visitor.route("**/api/v1/bots?*", lambda route: route.fulfill(json={"items": [bot]}))
    try_again(visitor, address, "**/api/v1/bots?mine=*")
    expect(form(visitor, "New assignment").get_by_label("Heron")).to_be_visible()
    expect(visitor.get_by_role("alert")).to_have_count(0)
    visitor.context.close()


def test_the_form_that_submits_a_bot_stays_until_the_arena_has_answered(visitor: Page) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    visitor.goto("/play/yavalath")
    visitor.route("**/api/v1/submissions", hold)
    visitor.get_by_test_id("submit").click()
    dialog = visitor.get_by_role("dialog")
    dialog.get_by_test_id("bot-name").fill("Heron")
    with visitor.expect_request("**/api/v1/submissions"):
        dialog.get_by_test_id("submit-confirm").click()
    cancel = dialog.get_by_role("button", name="Cancel")
    expect(cancel).to_have_attribute("aria-disabled", "true")
    cancel.press("Enter")
    # Of two in a row the browser asks the page about the first only.
    for _ in range(3):
        visitor.keyboard.press("Escape")
    expect(dialog.get_by_test_id("submit-confirm")).to_have_text("Submitting…")
    held[0].fulfill(status=503, body="Busy")
    expect(dialog.get_by_role("alert")).to_contain_text("503")
    cancel.press("Enter")
    expect(dialog).to_have_count(0)
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


def test_trying_again_gives_a_page_its_title(visitor: Page) -> None:
    bot = visitor.request.get("/api/v1/bots/1").json()
    titles = {"/games/ants": "Ants", "/bots/1": bot["name"], f"/people/{bot['owner_id']}": bot["owner"]}
    for path, title in titles.items():
        try_again(visitor, path, f"**/api/v1{path}")
        expect(visitor).to_have_title(f"{title} · Hexarena")
    visitor.context.close()


def finished_match(page: Page) -> int:
    """A match that can be watched."""
    found: list[int] = []

    def look() -> bool:
        found[:] = [match["id"] for match in page.request.get("/api/v1/matches?state=done").json()["items"]]
        return bool(found)

    wait_until(look, "a match is over")
    return found[0]


def test_a_replay_that_breaks_off_says_so_and_is_read_again(visitor: Page) -> None:
    match = finished_match(visitor)
    replay = f"**/api/v1/matches/{match}/replay"
    lines = visitor.request.get(f"/api/v1/matches/{match}/replay").text().splitlines(keepends=True)
    visitor.route(replay, lambda route: route.fulfill(body="".join(lines[:4])))
    visitor.goto(f"/matches/{match}?turn=0")
    expect(visitor.get_by_role("alert")).to_contain_text("The replay is incomplete.")
    expect(visitor.get_by_test_id("turn")).to_have_text("0 / 3")
    expect(visitor.locator(".chip.live")).to_have_count(0)
    visitor.unroute(replay)
    visitor.get_by_role("button", name="Try again").click()
    expect(visitor.get_by_test_id("turn")).to_have_text(f"0 / {len(lines) - 2}")
    expect(visitor.get_by_role("alert")).to_have_count(0)
    visitor.context.close()


def test_a_replay_that_could_not_be_sent_is_asked_for_again(visitor: Page) -> None:
    match = finished_match(visitor)
    try_again(visitor, f"/matches/{match}?turn=0", f"**/api/v1/matches/{match}/replay")
    expect(visitor.get_by_test_id("turn")).to_have_text(re.compile("^0 / [1-9]"))
    visitor.context.close()


def test_matches_of_which_one_is_not_there_are_not_compared(visitor: Page) -> None:
    match = finished_match(visitor)
    replay = f"**/api/v1/matches/{match}/replay"
    asked: list[Route] = []

    def answer_first(route: Route) -> None:
        asked.append(route)
        if len(asked) == 1:
            route.fallback()
        else:
            route.fulfill(status=404, json={"detail": "This replay is no longer stored."})

    visitor.route(replay, answer_first)
    visitor.goto(f"/compare?old={match}&new={match}")
    expect(visitor.get_by_test_id("difference")).to_have_text(re.compile("They cannot be compared"))
    expect(visitor.get_by_role("alert")).to_contain_text("This replay is no longer stored.")
    expect(visitor.get_by_role("button", name="Try again")).to_have_count(0)
    visitor.unroute(replay)
    visitor.reload()
    expect(visitor.get_by_test_id("difference")).to_have_text(re.compile("Both matches are the same"))
    visitor.context.close()


def test_a_bots_results_are_those_of_the_version_that_plays(visitor: Page) -> None:
    faults = visitor.get_by_role("heading", name=re.compile("^Faults of v"))
    # A stream that says nothing, and breaks again and again.
    stream = "event: hello\ndata: {}\n\n"
    visitor.route("**/api/v1/feed*", lambda route: route.fulfill(content_type="text/event-stream", body=stream))
    visitor.goto("/bots/1")
    expect(faults).to_have_text("Faults of v1")
    answer = {"version": 2, "items": [], "next": None}
    about = re.compile(r"/bots/1/opponents\?version=2$|/matches\?bot=1&version=2&fault=any")
    visitor.route(about, lambda route: route.fulfill(json=answer))
    visitor.route("**/api/v1/bots/1", changed_by(lambda bot: bot["standing"].update(version=2)))
    expect(faults).to_have_text("Faults of v2")
    expect(visitor.get_by_text("No rated games of its own yet.")).to_be_visible()
    visitor.context.close()


def test_who_organises_an_event_may_annul_its_matches_once_the_arena_says_who_looks(visitor: Page) -> None:
    match = finished_match(visitor)
    event = {"id": 7, "name": "Cup", "game": None}
    asked: list[Route] = []

    def hold(route: Route) -> None:
        asked.append(route)

    visitor.route("**/api/v1/me", hold)
    visitor.route(f"**/api/v1/matches/{match}", changed_by(lambda found: found.update(event=event)))
    visitor.route("**/api/v1/events/7", lambda route: route.fulfill(json=event | {"organised": True}))
    visitor.goto(f"/matches/{match}")
    expect(visitor.get_by_role("link", name="Cup")).to_be_visible()
    annul = visitor.get_by_text("Annul the match…")
    expect(annul).to_have_count(0)
    for route in asked:
        changed_by(lambda me: me.update(id=1, kind="account", name="Ada"))(route)
    expect(annul).to_be_visible()
    visitor.context.close()


def test_a_local_replay_is_watched_without_an_arena(visitor: Page) -> None:
    asked: list[str] = []
    visitor.on("request", lambda request: asked.append(request.url))
    visitor.goto("/watch")
    expect(visitor.get_by_role("heading", level=1)).to_have_text("Watch a replay")
    wait_in_page(visitor, "performance.getEntriesByName('ready').length > 0")
    assert [address for address in asked if "/api/" in address] == []
    visitor.context.close()


def test_a_replay_that_is_not_there_or_is_none_says_so_and_another_one_can_be_chosen(visitor: Page) -> None:
    visitor.route(re.compile(r"^[^?]*/kept/match\.jsonl$"), lambda route: route.fulfill(status=404))
    visitor.goto("/watch?src=/kept/match.jsonl")
    alert = visitor.get_by_role("alert")
    expect(alert).to_have_text("There is no replay at /kept/match.jsonl.")
    wait_in_page(visitor, "performance.getEntriesByName('ready').length > 0")
    file = visitor.get_by_label("Choose a file")
    file.set_input_files(FilePayload(name="notes.txt", mimeType="", buffer=b"hello"))
    expect(alert).to_contain_text("not valid JSON")
    replay = visitor.request.get(f"/api/v1/matches/{finished_match(visitor)}/replay").body()
    file.set_input_files(FilePayload(name="match.jsonl", mimeType="", buffer=replay))
    expect(visitor.get_by_test_id("turn")).to_be_visible()
    visitor.context.close()


@pytest.mark.parametrize("path", ["/bots/1", "/games/yavalath"])
def test_matches_that_could_not_be_loaded_are_not_called_none(visitor: Page, path: str) -> None:
    finished_match(visitor)
    newest = re.compile(r"/matches\?(bot=1|game=yavalath)&limit=")
    visitor.route(newest, lambda route: route.fulfill(status=503, json={"detail": "Busy."}))
    visitor.goto(path)
    failed = visitor.get_by_role("alert").filter(has_text="Busy.")
    expect(failed).to_be_visible()
    expect(visitor.get_by_text("No matches yet.")).to_have_count(0)
    visitor.unroute(newest)
    failed.get_by_role("button", name="Try again").click()
    expect(failed).to_have_count(0)
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
