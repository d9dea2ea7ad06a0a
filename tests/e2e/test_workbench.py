"""The editor's layout: one toolbar row, panes with splitters, and everything within reach on a phone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import PATIENCE_S
from tests.e2e.conftest import wait_in_page

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.sandbox]

PLAYED_MS = 1000 * PATIENCE_S
HEIGHTS = {390: 844, 1024: 768, 1280: 800, 1440: 900, 1920: 1080}


def open_editor(page: Page, width: int, game: str = "yavalath") -> None:
    page.set_viewport_size({"width": width, "height": HEIGHTS[width]})
    page.goto(f"/play/{game}")
    expect(page.locator(".cm-content")).to_be_visible()


def run(page: Page) -> None:
    page.get_by_test_id("run").click()
    expect(page.get_by_test_id("turn")).to_be_visible(timeout=PLAYED_MS)


def box(page: Page, selector: str) -> dict[str, float]:
    found = page.locator(selector).bounding_box()
    assert found is not None, selector
    return dict(found)


@pytest.mark.parametrize("width", [1024, 1280, 1440, 1920])
@pytest.mark.parametrize("game", ["battlegrounds", "yavalath"])
def test_the_toolbar_is_one_row_with_run_beside_submit(page: Page, width: int, game: str) -> None:
    open_editor(page, width, game)
    submit, start = box(page, "[data-testid=submit]"), box(page, "[data-testid=run]")
    assert submit["y"] == start["y"]
    assert 0 < start["x"] - (submit["x"] + submit["width"]) < 20
    for name in ("Language", "Opponent"):
        found = page.get_by_label(name).bounding_box()
        assert found is not None
        assert abs(found["y"] + found["height"] / 2 - start["y"] - start["height"] / 2) < 2
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("width", "at_once"), [(390, True), (1024, False), (1280, False), (1440, True), (1920, True)])
def test_the_rules_are_within_reach_beside_a_running_match(page: Page, width: int, at_once: bool) -> None:
    open_editor(page, width)
    rules = page.get_by_role("region", name="Rules")
    expect(rules).to_be_visible()
    run(page)
    if not at_once:
        expect(rules).to_have_count(0)
        page.get_by_role("button", name="Rules", exact=True).click()
    expect(rules).to_be_visible()
    expect(page.get_by_test_id("turn")).to_be_visible()
    if width > 860:
        code, match, beside = (box(page, f"section[aria-label={name}]") for name in ("Code", "Match", "Rules"))
        assert code["x"] + code["width"] <= match["x"] + 1
        assert match["x"] + match["width"] <= beside["x"] + 1
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_arrow_keys_scroll_the_rules_beside_a_match_while_they_have_the_focus(page: Page) -> None:
    open_editor(page, 1440)
    run(page)
    rules = page.get_by_role("region", name="Rules")
    speed = page.get_by_label("Speed", exact=True)
    before = speed.input_value()
    rules.focus()
    page.keyboard.press("ArrowDown")
    wait_in_page(page, "document.querySelector('section[aria-label=Rules]').scrollTop > 0")
    assert speed.input_value() == before
    page.keyboard.press("[")
    expect(speed).not_to_have_value(before)


def test_splitters_move_by_keyboard_and_pointer_and_stay(page: Page) -> None:
    open_editor(page, 1440)
    run(page)
    splitter = page.get_by_role("separator", name="Width of the code")
    before = box(page, "section[aria-label=Code]")["width"]
    splitter.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    wider = box(page, "section[aria-label=Code]")["width"]
    assert wider > before
    page.keyboard.press("ArrowLeft")
    assert box(page, "section[aria-label=Code]")["width"] < wider
    at = splitter.bounding_box()
    assert at is not None
    page.mouse.move(at["x"] + 4, at["y"] + 200)
    page.mouse.down()
    page.mouse.move(700, at["y"] + 200)
    page.mouse.up()
    assert abs(box(page, "section[aria-label=Code]")["width"] - 700) < 6
    panel = page.get_by_role("separator", name="Height of the turn details")
    panel.focus()
    height = box(page, "aside[aria-label='Turn details']")["height"]
    page.keyboard.press("ArrowUp")
    assert box(page, "aside[aria-label='Turn details']")["height"] > height
    page.reload()
    expect(page.locator(".cm-content")).to_be_visible()
    assert abs(box(page, "section[aria-label=Code]")["width"] - 700) < 6


@pytest.mark.parametrize(("game", "foot"), [("ants", 0), ("tryangle", 42)])
def test_a_phone_shows_the_board_without_empty_space_and_all_controls(page: Page, game: str, foot: int) -> None:
    """`foot`: the pixels below the board in which a game's bots say something."""
    open_editor(page, 390, game)
    run(page)
    for name in ("First turn", "Last turn", "Full screen", "Keyboard shortcuts"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
    ratio = float(page.locator(".board").evaluate("board => board.style.getPropertyValue('--ratio')"))
    stage = box(page, ".board")
    assert stage["height"] <= max(240, 390 * ratio + 50 + foot)
    page.get_by_role("button", name="Last turn").click()
    expect(page.get_by_test_id("turn")).to_have_text(re.compile(r"^(\d+) / "))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_lesson_begins_at_one_left_edge(page: Page) -> None:
    open_editor(page, 1280)
    page.get_by_role("button", name="Learn", exact=True).click()
    expect(page.locator("section.side h2").first).to_be_visible()
    edges = page.locator("section.side > *").evaluate_all("all => all.map(one => one.getBoundingClientRect().left)")
    assert max(edges) - min(edges) < 1, edges


@pytest.mark.parametrize("pane", ["Rules", "Learn"])
def test_a_phone_shows_the_pane_below_the_code_before_the_first_run(page: Page, pane: str) -> None:
    open_editor(page, 390)
    if pane != "Rules":
        page.get_by_role("button", name=pane, exact=True).click()
    side = page.locator("section.side")
    expect(side.locator("h1, h2").first).to_be_attached()
    assert side.evaluate("side => side.scrollHeight <= side.clientHeight + 1"), "all of it is shown, none in a slit"
    assert box(page, "section.side")["height"] > 200


LOGGING = """import sys

while True:
    try:
        rows = [input() for _ in range(int(input()) + 1)]
    except ValueError:
        continue
    print("\\n".join(f"line {number}" for number in range(12)), file=sys.stderr, flush=True)
    print("4 4", flush=True)
"""


def test_at_least_five_lines_of_stderr_are_seen_below_the_board(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto("/play/yavalath")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(LOGGING)
    page.get_by_test_id("run").click()
    log = page.get_by_test_id("stderr")
    expect(log).to_contain_text("line 1", timeout=PLAYED_MS)
    assert log.evaluate("log => log.clientHeight / parseFloat(getComputedStyle(log).lineHeight)") >= 5


def test_matches_have_columns_and_are_named_by_their_game(page: Page) -> None:
    page.goto("/matches")
    expect(page.locator("[data-match]").nth(3)).to_be_visible(timeout=PLAYED_MS)
    for column in (".seats", ".why", ".about", ".when"):
        places = page.locator(f"[data-match] {column}").evaluate_all(
            "cells => cells.map(cell => Math.round(cell.getBoundingClientRect().x))"
        )
        assert len(set(places)) == 1, column
    page.goto("/matches/1")
    expect(page.locator("main footer")).to_contain_text(
        re.compile(r"of (Ants|TryAngle Catch|Yavalath|Conway’s|Conway's)")
    )


def test_a_free_for_all_is_run_with_whom_and_how_many_one_chooses(page: Page) -> None:
    open_editor(page, 1280, "tron")
    page.get_by_text("Options", exact=True).click()
    also = page.get_by_label("Also plays")
    expect(also).to_have_count(2)
    page.get_by_test_id("entrants").select_option("3")
    expect(also).to_have_count(1)
    also.select_option(label="Roamer")
    page.get_by_label("Your seat").select_option("2")
    page.keyboard.press("Escape")
    run(page)
    (match,) = page.request.get("/api/v1/matches?game=tron&kind=practice").json()["items"]
    assert [seat["bot"] for seat in match["seats"]][:2] == ["Drifter", "Roamer"]
    assert [seat["mine"] for seat in match["seats"]] == [False, False, True]
    expect(page.get_by_test_id("result")).to_contain_text(re.compile("riding|same turn"), timeout=PLAYED_MS)


def test_mixed_teams_are_run_from_the_options(page: Page) -> None:
    open_editor(page, 1280, "battlegrounds")
    page.get_by_text("Options", exact=True).click()
    page.get_by_test_id("mixed").check()
    expect(page.get_by_label("Your seat")).to_have_count(0)
    page.get_by_test_id("entrants").select_option("3")
    expect(page.get_by_label("Mixed teams: 12 bots")).to_be_checked()
    page.keyboard.press("Escape")
    run(page)
    (match,) = page.request.get("/api/v1/matches?game=battlegrounds&kind=practice").json()["items"]
    assert (len(match["seats"]), [seat["mine"] for seat in match["seats"]].count(True)) == (12, 1)
    assert {seat["team"] for seat in match["seats"]} == {0, 1, 2}
    (mine,) = (seat["team"] for seat in match["seats"] if seat["mine"])
    others = {seat["bot"] for seat in match["seats"] if seat["team"] != mine}
    status = page.get_by_test_id("status")
    expect(status).to_have_attribute("data-stage", "done", timeout=PLAYED_MS)
    met = re.search(r"against ([^.:]+)", status.inner_text())
    assert met is not None
    assert set(re.split(" and |, ", met[1])) == others
