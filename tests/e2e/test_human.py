"""A person plays in the browser: by clicks, by keys and by text; each of the four games; to the end, and again."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.conftest import PATIENCE_S
from tests.e2e.conftest import Arena
from tests.e2e.test_first_visit import AXE

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.sandbox]

PLAYED_MS = 1000 * PATIENCE_S
WIDE = 40 * 3**0.5
"""Between the middles of two cells of a Yavalath row, in world units; rows are 60 apart, the world is 680 by 572."""
ROW_LENGTHS = (5, 6, 7, 8, 9, 8, 7, 6, 5)
OVERLAY = 52


def violations(page: Page) -> list[list[str]]:
    """What axe finds."""
    page.evaluate(AXE.read_text())
    found: list[list[str]] = page.evaluate(
        "axe.run().then(result => result.violations.map(one => [one.id, one.nodes[0].html]))"
    )
    return found


def begin(page: Page, game: str, opponent: str, seat: str = "First") -> None:
    """From the game's page into a match."""
    page.goto(f"/games/{game}")
    page.get_by_role("link", name="Play it yourself").click()
    option = page.locator("option", has_text=re.compile(f"^{opponent}: "))
    expect(option).to_have_count(1)
    page.get_by_label("Opponent").select_option(label=option.inner_text())
    page.get_by_label("Your seat").select_option(label=seat)
    page.get_by_test_id("start").click()
    wait_for_turn(page)


def wait_for_turn(page: Page) -> None:
    """Until the person is asked, and the board has come to rest."""
    expect(page.get_by_test_id("turn")).to_be_visible(timeout=PLAYED_MS)
    expect(page.locator("[data-testid=ask].mine, [data-testid=end]")).to_be_visible(timeout=PLAYED_MS)


def click_cell(page: Page, x: int, y: int) -> None:
    """A cell of Yavalath, as the stage lays the board out."""
    box = page.locator("canvas").bounding_box()
    assert box is not None
    top = min(OVERLAY, box["height"] * 0.16)
    zoom = min(box["width"] / 680, (box["height"] - top) / 572) * 0.94
    left = (x - (ROW_LENGTHS[y] - 1) / 2) * WIDE * zoom
    page.mouse.click(
        box["x"] + box["width"] / 2 + left, box["y"] + top + (box["height"] - top) / 2 + (y - 4) * 60 * zoom
    )


def free_cell(page: Page) -> str:
    """The first free cell of the board, from what a bot would read now."""
    lines = (page.get_by_label("Input of this turn").text_content() or "").split("\n")
    first = next(at for at, line in enumerate(lines) if len(line) == ROW_LENGTHS[0])
    rows = enumerate(lines[first : first + len(ROW_LENGTHS)])
    return next(f"{x} {y}" for y, row in rows for x, cell in enumerate(row) if cell == "0")


def turn_of(page: Page) -> int:
    """The turn that the board shows."""
    return int(page.get_by_test_id("turn").inner_text().split("/")[0])


def wait_for_answer(page: Page, before: int) -> None:
    """The person's move and the bot's have come."""
    expect(page.get_by_test_id("turn")).not_to_have_text(re.compile(rf"^({before}|{before + 1}) /"), timeout=PLAYED_MS)
    wait_for_turn(page)


def test_yavalath_by_clicks_keys_and_text_until_the_end(page: Page) -> None:
    begin(page, "yavalath", "Pebble")
    expect(page.get_by_test_id("ask")).to_contain_text("place the first stone")
    assert violations(page) == []
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("Your turn: choose anew")
    page.keyboard.press("Escape")
    click_cell(page, 0, 0)
    wait_for_answer(page, 0)

    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    wait_for_answer(page, 2)

    reply = page.get_by_label("Or write it, as a bot would")
    reply.fill(free_cell(page))
    reply.press("Enter")
    wait_for_answer(page, 4)
    expect(reply).to_be_focused()
    expect(page.locator(".viewer > p.sr")).to_contain_text(re.compile(r"^\s*Turn 6\. "))

    page.reload()
    wait_for_turn(page)
    expect(page.get_by_test_id("turn")).to_have_text(re.compile("^6 /"))
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_test_id("resign").click()
    expect(page.get_by_test_id("end")).to_have_text(re.compile(r"^You lost: guest \d+ resigned\.$"), timeout=PLAYED_MS)
    assert violations(page) == []

    page.get_by_role("link", name="Replay").click()
    expect(page.get_by_test_id("turn")).to_have_text(re.compile("/ 7$"))


def test_tron_by_arrow_keys_and_a_click(page: Page) -> None:
    begin(page, "tron", "Drifter")
    ask = page.get_by_test_id("ask")
    for turn in range(1, 4):
        free = re.search(r"Free: ([A-Z]+)", ask.inner_text())
        assert free, ask.inner_text()
        page.keyboard.press(f"Arrow{free[1].capitalize()}")
        expect(page.get_by_test_id("turn")).to_have_text(re.compile(f"^{turn} /"), timeout=PLAYED_MS)
        wait_for_turn(page)
    assert violations(page) == []
    box = page.locator("canvas").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.get_by_test_id("turn")).to_have_text(re.compile("^4 /"), timeout=PLAYED_MS)


def test_a_match_ends_by_the_rules_and_the_next_one_has_swapped_seats(page: Page) -> None:
    begin(page, "yavalath", "Pebble", seat="Second")
    while not page.get_by_test_id("end").is_visible():
        before = turn_of(page)
        reply = page.get_by_label("Or write it, as a bot would")
        reply.fill(free_cell(page))
        reply.press("Enter")
        expect(page.get_by_test_id("turn")).not_to_have_text(re.compile(rf"^{before} /"), timeout=PLAYED_MS)
        expect(page.get_by_test_id("turn")).not_to_have_text(re.compile(rf"^{before + 1} / 62"), timeout=PLAYED_MS)
        wait_for_turn(page)
    expect(page.get_by_test_id("end")).to_have_text(re.compile("^You (lost|won): .*line of"), timeout=PLAYED_MS)
    page.get_by_role("button", name="Swap seats").click()
    expect(page.get_by_test_id("ask")).to_contain_text("place the first stone", timeout=PLAYED_MS)


def test_a_refused_reply_says_why_and_another_one_counts(browser: Browser, arena: Arena) -> None:
    context = browser.new_context(base_url=arena.url)
    page = context.new_page()
    begin(page, "yavalath", "Pebble")
    reply = page.get_by_label("Or write it, as a bot would")
    reply.fill("9 9")
    reply.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Expected a cell of the board")
    expect(reply).to_have_value("9 9")
    reply.fill("4 4")
    reply.press("Enter")
    wait_for_answer(page, 0)
    expect(page.get_by_role("alert")).to_have_count(0)
    context.close()


def test_ants_by_beacons_with_undo(page: Page) -> None:
    begin(page, "ants", "Homebody")
    box = page.locator("canvas").bounding_box()
    assert box is not None
    commands = page.get_by_role("list", name="Commands of this turn")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(commands.locator("code")).to_have_text([re.compile(r"^LINE \d+ \d+ 1$")])
    page.keyboard.press("Enter")
    expect(commands.locator("code")).to_have_text([re.compile(r"^LINE \d+ \d+ 2$")])
    page.get_by_role("button", name="Undo").click()
    expect(commands.locator("code")).to_have_text([re.compile(r"^LINE \d+ \d+ 1$")])
    page.get_by_role("button", name="Beacon").click()
    page.mouse.move(box["x"] + 5, box["y"] + box["height"] - 5)
    page.locator("body").press("ArrowUp")
    page.locator("body").press("Enter")
    expect(commands.locator("code")).to_have_text([re.compile("^LINE"), re.compile(r"^BEACON \d+ 1$")])
    page.get_by_test_id("end-turn").click()
    expect(page.get_by_test_id("turn")).to_have_text(re.compile("^1 /"), timeout=PLAYED_MS)
    wait_for_turn(page)
    page.get_by_role("button", name="Same as before").click()
    expect(commands.locator("code")).to_have_count(2)
    assert violations(page) == []


def test_tryangle_by_its_commands_on_the_board(page: Page) -> None:
    begin(page, "tryangle", "Triumvir")
    commands = page.get_by_role("list", name="Commands of this turn")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("ask")).to_contain_text("Click where a unit of house")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(commands.locator("code")).to_have_text([re.compile(r"^MOVE \d+ \d+ 1$")])
    page.get_by_role("button", name="New unit").click()
    expect(page.get_by_test_id("ask")).to_have_text("You have no triangle for a new unit.")
    page.get_by_test_id("end-turn").click()
    expect(page.get_by_test_id("turn")).to_have_text(re.compile("^1 /"), timeout=PLAYED_MS)
    wait_for_turn(page)
    assert violations(page) == []


def test_back_leads_from_a_match_to_the_choice_of_another(page: Page) -> None:
    begin(page, "yavalath", "Pebble")
    page.goto("/in-person/yavalath")
    page.get_by_role("region", name="Not finished").get_by_role("link").first.click()
    wait_for_turn(page)
    page.go_back()
    expect(page.get_by_test_id("start")).to_be_visible()
    expect(page.get_by_role("region", name="Not finished").get_by_role("link").first).to_be_visible()
    page.go_forward()
    wait_for_turn(page)


def test_a_bots_page_leads_to_a_match_against_it(page: Page) -> None:
    page.goto("/games/yavalath")
    page.get_by_role("link", name="Pebble", exact=True).first.click()
    page.get_by_role("link", name="Play against it").click()
    expect(page.get_by_label("Opponent").locator("option:checked")).to_have_text(re.compile("^Pebble: "))
    page.goto("/games/battlegrounds")
    page.locator("[data-testid=leaderboard], main").get_by_role("link", name="Warden").first.click()
    expect(page.get_by_role("main")).to_contain_text("A house bot in Conway's Battlegrounds")
    expect(page.get_by_role("link", name="Play against it")).to_have_count(0)


def test_battlegrounds_is_not_played_in_person(page: Page) -> None:
    page.goto("/games/battlegrounds")
    expect(page.get_by_role("link", name="Write a bot")).to_be_visible()
    expect(page.get_by_role("link", name="Play it yourself")).to_have_count(0)
    page.goto("/in-person/battlegrounds")
    expect(page.get_by_role("main")).to_contain_text("is not played in person")
    expect(page.get_by_test_id("start")).to_have_count(0)
