"""The way of a newcomer, in a real browser, against real matches."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from hexarena.backend.submissions.languages import LANGUAGES
from tests.conftest import PATIENCE_S, wait_until
from tests.e2e.conftest import Arena, wait_in_page

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.sandbox]

PLAYED_MS = 1000 * PATIENCE_S
WATCHER = Path("games/yavalath/bots/watcher.py")
AXE = Path("frontend/node_modules/axe-core/axe.min.js")
TOO_NARROW = """() => [...document.querySelectorAll('main > *')]
    .filter((part) => part.getClientRects().length && getComputedStyle(part).overflowX === 'visible')
    .filter((part) => part.scrollWidth > part.clientWidth + 1).map((part) => part.outerHTML.slice(0, 200))"""
"""Parts of a page whose contents lie above their neighbours."""


def change_the_code(page: Page, line: str) -> None:
    """Adds a line at the end, as a visitor would type it."""
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("\n" + line)


@pytest.mark.parametrize("game", ["ants", "yavalath"])
def test_a_guest_writes_a_bot_watches_it_and_enters_the_ladder(page: Page, game: str) -> None:
    page.goto("/")
    expect(page.get_by_test_id("home-match").locator("canvas")).to_be_visible(timeout=PLAYED_MS)
    page.get_by_role("link", name="Write a bot").and_(page.locator(f'[href*="{game}"]')).first.click()  # click 1
    change_the_code(page, "# my first change")
    page.get_by_test_id("run").click()  # click 2: the replay of one's own first bot
    expect(page.get_by_test_id("turn")).to_have_text(re.compile(r"^[1-9]\d* / \d+$"), timeout=PLAYED_MS)
    before = page.evaluate("window.hexarena.framesPainted")
    wait_in_page(page, "before => window.hexarena.framesPainted > before + 5", before)

    page.get_by_test_id("submit").click()
    page.get_by_test_id("bot-name").fill(f"e2e {game}")
    page.get_by_test_id("submit-confirm").click()
    standing = page.get_by_test_id("standing")
    expect(standing).to_contain_text(re.compile(r"\d,?\d{3}|\d{3}"), timeout=PLAYED_MS)
    first = standing.inner_text()
    # The standing moves without a reload.
    wait_in_page(page, "first => document.querySelector('[data-testid=standing]').innerText !== first", first)
    page.goto(f"/games/{game}")
    expect(page.locator(f'[data-bot="e2e {game}"]')).to_be_visible()


def try_lesson(page: Page, code: str) -> None:
    """Plays the five matches of the first lesson with this code."""
    page.goto("/play/yavalath?lesson=1")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(code)
    page.get_by_test_id("try-lesson").click()
    expect(page.get_by_test_id("attempt")).to_have_attribute("data-over", "true", timeout=PLAYED_MS)


def test_a_lesson_says_why_code_that_crashes_lost(page: Page) -> None:
    try_lesson(page, "print(undefined)\n")
    expect(page.get_by_test_id("lesson-fault")).to_have_text(
        "Your code failed in 5 of 5 matches. Match 1: Crashed in turn 1: NameError: name 'undefined' is not defined"
    )


def test_a_lesson_marks_the_line_that_does_not_compile(page: Page) -> None:
    try_lesson(page, "move = 4 4\n")
    expect(page.locator(".cm-lint-marker-error")).to_have_count(1)


def test_learn_chooses_whom_run_plays_until_somebody_else_is_chosen(page: Page) -> None:
    page.goto("/play/yavalath")
    opponent = page.get_by_label("Opponent", exact=True)
    chosen = opponent.locator("option:checked")
    page.get_by_role("button", name="Learn", exact=True).click()
    expect(chosen).to_have_text("Pebble")
    opponent.select_option(label="Snare")
    page.get_by_test_id("try-lesson").click()
    # The lessons were read again.
    expect(page.get_by_test_id("lesson")).to_contain_text("Your best of 1 attempt", timeout=PLAYED_MS)
    expect(chosen).to_have_text("Snare")


def test_a_newcomer_learns_the_game(page: Page) -> None:
    """A bot that reads the rules passes the first lesson; what is passed is marked on the game's page."""
    page.goto("/games/yavalath")
    page.get_by_test_id("learn").get_by_role("link", name="Three loses").click()
    expect(page.get_by_role("region", name="Learn the game")).to_contain_text("Four in a row wins")
    page.get_by_test_id("try-lesson").click()
    attempt = page.get_by_test_id("attempt")
    expect(attempt.locator("li")).to_have_count(5)
    expect(attempt).to_have_attribute("data-over", "true", timeout=PLAYED_MS)
    page.get_by_test_id("run").click()
    expect(page.get_by_test_id("status")).to_contain_text("Pebble", timeout=PLAYED_MS)

    page.get_by_role("button", name="Learn", exact=True).click()
    page.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(WATCHER.read_text())
    page.get_by_test_id("try-lesson").click()
    expect(page.get_by_test_id("lesson")).to_have_attribute("data-passed", "true", timeout=PLAYED_MS)
    page.get_by_role("button", name="Next: Threats").click()
    expect(page.get_by_role("heading", name="Threats")).to_be_visible()
    page.goto("/games/yavalath")
    expect(page.get_by_test_id("learn")).to_contain_text("You passed 1 of 3")


def test_an_error_in_the_code_is_shown_with_its_line(page: Page) -> None:
    page.goto("/play/yavalath")
    change_the_code(page, "x = = 1")
    page.get_by_test_id("run").click()
    log = page.get_by_test_id("build-log")
    expect(log).to_contain_text("SyntaxError", timeout=PLAYED_MS)


def test_the_editor_offers_every_language_and_colours_those_that_can_be_run(page: Page) -> None:
    def able() -> list[str]:
        known = page.request.get("/api/v1/languages").json()
        return [one["id"] for one in known if one["available"]]

    wait_until(able, "a worker is up")
    page.goto("/play/yavalath")
    offered = page.get_by_label("Language")
    expect(offered.locator("option")).to_have_count(len(LANGUAGES))
    for id in able():
        offered.select_option(id)
        page.locator(".cm-content").click()
        page.keyboard.press("Control+A")
        page.keyboard.type(f'{"<?php " if id == "php" else ""}x = 12 + "text"')
        expect(page.locator(".cm-line span").get_by_text("12", exact=True), id).to_be_visible()


def test_your_own_bots_input_and_output_are_beside_the_picture(page: Page) -> None:
    page.goto("/play/yavalath")
    change_the_code(page, "# mine")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_test_id("result")).to_be_visible(timeout=PLAYED_MS)
    page.get_by_test_id("seek").focus()
    page.keyboard.press("Home")
    page.get_by_test_id("step-forward").click()
    expect(page.get_by_test_id("turn")).to_have_text(re.compile(r"^1 / "))
    expect(page.get_by_text("hello").first).to_be_visible()


@pytest.mark.parametrize("path", ["/", "/games/ants", "/games/yavalath", "/play/ants", "/matches", "/bots", "/nowhere"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_are_accessible(page: Page, path: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    page.goto(path)
    wait_in_page(page, "performance.getEntriesByName('ready').length > 0")
    page.evaluate(AXE.read_text())
    found = page.evaluate(
        "axe.run().then(result => result.violations.map(one => [one.id, one.nodes.map(n => n.html)]))"
    )
    # CodeMirror's scroller is reached through its content, which axe does not see.
    assert [one for one in found if one[0] != "scrollable-region-focusable"] == []


def changed_by(change: Callable[[Any], None]) -> Callable[[Route], None]:
    """Answers with what the arena says, changed."""

    def answer(route: Route) -> None:
        real = route.fetch()
        body = real.json()
        change(body)
        route.fulfill(response=real, json=body)

    return answer


def test_what_only_repeats_is_marked(page: Page) -> None:
    def repeat_pairs(found: Any) -> None:
        for pair in found["pairs"]:
            pair.update(games=2, points=2, expected=1.5, repeats=True)

    def repeat_opponents(found: Any) -> None:
        one = {"submission_id": 1, "bot": "Other", "version": 1, "games": 2, "points": 2, "expected": 1.5}
        found["against"] = [{**one, "moved": 9.0, "next_game": 0.1, "repeats": True}]

    page.route("**/api/v1/games/yavalath/ladder/matchups", changed_by(repeat_pairs))
    page.route("**/api/v1/submissions/*/rating", changed_by(repeat_opponents))
    page.route("**/api/v1/matches/1", changed_by(lambda match: match.update(repeat=True)))
    page.goto("/games/yavalath")
    page.get_by_test_id("matchups").scroll_into_view_if_needed()
    expect(page.get_by_role("region", name="Match-ups table").get_by_text("only repeats").first).to_be_visible()
    page.goto(page.get_by_role("region", name="Match-ups table").get_by_role("link").first.get_attribute("href") or "")
    page.get_by_text("Why this rating?").click()
    expect(page.get_by_title("More games of these two would only repeat earlier ones")).to_have_text("only repeats")
    page.goto("/matches/1")
    expect(page.locator("main footer").get_by_text("repeat", exact=True)).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_match_ups_of_the_first_bots_are_below_the_leaderboard(page: Page, scheme: str) -> None:
    def met() -> bool:
        found = page.request.get("/api/v1/games/yavalath/ladder/matchups").json()
        return any(pair["games"] for pair in found["pairs"])

    wait_until(met, "two bots have met")
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/games/yavalath")
    section = page.get_by_test_id("matchups")
    section.scroll_into_view_if_needed()
    board, table = (
        page.get_by_role("region", name="Leaderboard table"),
        page.get_by_role("region", name="Match-ups table"),
    )
    expect(table.get_by_role("columnheader", name="Keystone")).to_be_visible()
    expect(
        table.get_by_text(
            re.compile(r"^[\w ]+ against [\w ]+: [\d.]+ of \d+ points, \d+\.\d expected(\. More games .*)?$")
        ).first
    ).to_be_attached()
    above, below = board.bounding_box(), table.bounding_box()
    assert above is not None
    assert below is not None
    assert above["y"] + above["height"] < below["y"]
    assert table.evaluate("table => table.scrollWidth > table.clientWidth"), "it scrolls by itself"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.evaluate(AXE.read_text())
    assert section.evaluate("section => axe.run(section).then(result => result.violations.map(one => one.id))") == []


@pytest.mark.parametrize("path", ["/", "/games/ants", "/play/ants", "/matches", "/bots", "/bots/1"])
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_wider_than_the_page_nor_above_something_else(page: Page, path: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(path)
    wait_in_page(page, "performance.getEntriesByName('ready').length > 0")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(TOO_NARROW) == []


REPORTING = """
import sys
me, turn = int(input()), 0
while True:
    cells = [(x, y) for y in range(int(input())) for x, cell in enumerate(input()) if cell == "0"]
    input()
    turn += 1
    print(f"[TDATA] free = {len(cells)}", "[TDATA] mode = calm", "[TDATA]", sep="\\n", file=sys.stderr)
    print(f"[PDATA] moves = {turn}", file=sys.stderr)
    print(*cells[0])
"""


def test_your_bots_statistics_are_charts_that_go_to_a_turn(page: Page) -> None:
    page.goto("/play/yavalath")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(REPORTING)
    page.get_by_test_id("run").click()
    expect(page.get_by_test_id("result")).to_be_visible(timeout=PLAYED_MS)
    statistics = page.get_by_test_id("statistics")
    statistics.locator("summary").click()
    free, mode = statistics.get_by_test_id("statistic").all()
    chart = free.get_by_role("slider", name="free of")
    first = int(chart.get_attribute("min") or 0)
    for turn, cells in ((first, 62 - first), (first + 2, 60 - first)):
        chart.fill(str(turn))
        expect(page.get_by_test_id("turn")).to_have_text(re.compile(rf"^{turn} / "))
        expect(free.get_by_test_id("statistic-value")).to_have_text(str(cells))
    chart.press("Home")
    expect(page.get_by_test_id("turn")).to_have_text(re.compile(rf"^{first} / "))
    chart.press("ArrowUp")
    expect(page.get_by_test_id("turn")).to_have_text(re.compile(rf"^{first + 1} / "))
    expect(mode.get_by_test_id("statistic-value")).to_have_text("calm")
    expect(mode.get_by_role("slider")).to_have_count(0)
    expect(statistics).to_contain_text(re.compile(r"In the match: moves \d+"))
    expect(statistics).to_contain_text("lines ignored: expected [TDATA] key = value")
    log, charts = page.get_by_test_id("turn-io").bounding_box(), statistics.bounding_box()
    assert log
    assert charts
    assert log["y"] + log["height"] <= charts["y"] + 1
    page.get_by_role("link", name=re.compile(r"^Match \d+")).first.click()
    expect(page.get_by_test_id("statistics")).to_have_attribute("open", "")
    assert page.evaluate(TOO_NARROW) == []


def test_the_footer_leads_to_the_licences_of_what_is_bundled(page: Page) -> None:
    page.goto("/")
    expect(page.locator(".games li").first).to_be_visible()
    page.get_by_role("link", name="Licences").click()
    notice = page.locator("body")
    for bundled in ("svelte 5", "@codemirror/state 6", "SIL OPEN FONT LICENSE"):
        expect(notice).to_contain_text(bundled)


@pytest.mark.parametrize("game", ["ants", "battlegrounds", "tryangle"])
def test_the_pictures_of_the_rules_scroll_where_they_are_wider_than_a_phone(page: Page, game: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/games/{game}")
    expect(page.get_by_role("article", name="Rules")).to_be_visible()
    widest = "Math.max(...[...document.querySelectorAll('.rules img')].map(picture => picture.naturalWidth))"
    wait_in_page(page, "[...document.querySelectorAll('.rules img')].every(picture => picture.naturalWidth > 0)")
    assert page.evaluate(widest) > 390
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_an_arena_that_was_stopped_goes_on_where_it_was(tmp_path: Path, page: Page) -> None:
    arena = Arena(tmp_path / "arena")
    arena.start()
    try:
        page.goto(f"{arena.url}/play/yavalath")
        change_the_code(page, "# lasting")
        page.get_by_test_id("submit").click()
        page.get_by_test_id("bot-name").fill("lasting")
        page.get_by_test_id("submit-confirm").click()
        expect(page.get_by_test_id("standing")).to_be_visible(timeout=PLAYED_MS)
        page.goto("about:blank")
        arena.stop()
        wait_until(lambda: arena.left_over() == [], "nothing of it is left")
        arena.start()
        page.goto(f"{arena.url}/bots")
        expect(page.get_by_text("lasting").first).to_be_visible()
        page.goto("about:blank")  # its requests would end with the arena
    finally:
        arena.stop()
    assert "Stopped. Nothing is lost" in arena.said()
    wait_until(lambda: arena.left_over() == [], "nothing of it is left")


def test_a_duel_is_started_followed_and_found_again(page: Page) -> None:
    """From a bot's page to the verdict, without a reload; and its matches."""
    page.goto("/games/yavalath")
    page.get_by_role("link", name="Duel").click()
    page.locator("#duel-candidate").select_option(label="Planner v1")
    page.locator("#duel-baseline").select_option(label="Pebble v1")
    page.get_by_label("Quick").check()
    page.get_by_test_id("duel-start").click()
    expect(page.get_by_test_id("duel-verdict")).to_contain_text(
        re.compile("Planner v1 is stronger|repeat"), timeout=PLAYED_MS
    )
    expect(page.get_by_test_id("duel-elo")).to_contain_text("Elo")
    expect(page.get_by_role("link", name=re.compile(r"^\d+ won")).first).to_be_visible()
    page.get_by_role("link", name="All", exact=True).click()
    expect(page.locator("[data-match]").first).to_contain_text("duel")
    page.goto("/duels")
    expect(page.locator("[data-duel]").first).to_contain_text("Planner v1 against Pebble v1")
