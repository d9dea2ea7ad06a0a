"""`hexarena dev` in a browser: what is saved is seen, at the same turn; what is broken is reported; the rest stays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.conftest import PATIENCE_S
from tests.development import Development
from tests.e2e.conftest import wait_in_page

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.sandbox]
PLAY = "window.hexarena.viewer.play"
TIMELINE = "window.hexarena.viewer.timeline"


@pytest.fixture
def developed(tmp_path: Path) -> Iterator[Development]:
    """The command on a new game, with four seats."""
    running = Development(tmp_path)
    running.start("--seats", "4", "--seed", "7")
    yield running
    assert running.stop() == 0
    print(running.said())


@pytest.fixture
def page(browser: Browser, developed: Development) -> Iterator[Page]:
    """Its page, paused at turn 3."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(1000 * PATIENCE_S)
    opened = context.new_page()
    opened.goto(developed.url)
    expect(shown(opened)).to_have_attribute("data-shown", "1 1")
    wait_in_page(opened, f"{PLAY} !== undefined")
    opened.evaluate(f"{PLAY}.pause(); {PLAY}.seek(3)")
    yield opened
    context.close()


def shown(page: Page) -> Locator:
    """The viewer."""
    return page.get_by_test_id("shown")


def test_saved_rules_and_a_saved_viewer_are_seen_at_the_same_turn(page: Page, developed: Development) -> None:
    assert page.evaluate(f"{TIMELINE}.header.seed") == "7"
    before = page.evaluate(f"{TIMELINE}.header.init.values")
    developed.edit("game.py", "random.randint(1, 9)", "100 + random.randint(1, 9)")
    expect(shown(page)).to_have_attribute("data-shown", "2 1")
    wait_in_page(page, f"{TIMELINE}.header.init.values[0] > 100")
    assert page.evaluate(f"{TIMELINE}.header.init.values") == [100 + value for value in before]
    assert page.evaluate(f"{PLAY}.moment.turn") == 3
    expect(page.get_by_text("Points: ")).to_be_attached()
    developed.edit("viewer.ts", "`Points: ", "`Riches: ")
    expect(shown(page)).to_have_attribute("data-shown", "2 2")
    expect(page.get_by_text("Turn 3. Riches: ")).to_be_attached()
    assert page.evaluate(f"{PLAY}.moment.turn") == 3
    expect(page.get_by_test_id("problem")).to_have_count(0)


OWNERS = "        owners = list(state.owners)\n"
STEP = "    const owners = [...before.owners]\n"
BROKEN = {
    "a syntax error": ("game.py", "class State:", "class State", "SyntaxError: expected ':' (game.py:"),
    "rules that raise": ("game.py", OWNERS, OWNERS + "        1 // (state.turn - 2)\n", "ZeroDivisionError"),
    "a wrong type": ("viewer.ts", "rate: 2", "rate: '2'", "viewer.ts(21,3): error TS2322"),
    "no TypeScript at all": ("viewer.ts", "rate: 2", "rate: 2 2", "error TS1"),
    "a viewer that throws": (
        "viewer.ts",
        STEP,
        STEP + "    if (frame.t === 5) throw new Error('too late')\n",
        "too late",
    ),
    "a bot that crashes": ("boss.py", "while True:", "assert me < 0, 'not me'\nwhile True:", "not me"),
}
"""What is saved -> file, change, and what is reported of it."""


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_save_is_reported_and_what_was_sound_stays(broken: str, page: Page, developed: Development) -> None:
    file, old, new, output = BROKEN[broken]
    developed.edit(file, old, new)
    problem = page.get_by_test_id("problem")
    expect(problem).to_contain_text(output)
    expect(page.get_by_test_id("doing")).to_have_text("")
    assert output in developed.said()
    expect(shown(page)).to_have_attribute("data-shown", "1 1")
    assert page.evaluate(f"{PLAY}.moment.turn") == 3
    developed.edit(file, new, old)
    expect(problem).to_have_count(0)
    expect(page.get_by_test_id("doing")).to_have_text("")
    assert page.evaluate(f"{PLAY}.moment.turn") == 3
    expect(page.get_by_text("Turn 3. Points: ")).to_be_attached()


def test_a_match_with_faults_can_be_looked_at(page: Page, developed: Development) -> None:
    developed.edit("boss.py", "while True:", "assert me < 0, 'not me'\nwhile True:")
    page.get_by_role("button", name="Show the match with these faults").click()
    expect(shown(page)).to_have_attribute("data-shown", "2 1")
    wait_in_page(page, f"JSON.stringify({TIMELINE}.frames[0]).includes('crash')")
    page.get_by_role("button", name="Show the match before").click()
    expect(shown(page)).to_have_attribute("data-shown", "1 1")


def test_frames_that_the_viewer_does_not_know_yet_wait_for_it(page: Page, developed: Development) -> None:
    developed.edit("game.py", '{"picks": [[', '{"choices": [[')
    expect(page.get_by_test_id("problem")).to_contain_text("picks is not iterable")
    expect(shown(page)).to_have_attribute("data-shown", "1 1")
    source = developed.folder / "viewer.ts"
    source.write_text(source.read_text().replace("frame.picks", "frame.choices").replace("  picks:", "  choices:"))
    expect(shown(page)).to_have_attribute("data-shown", "2 2")
    expect(page.get_by_test_id("problem")).to_have_count(0)


def test_the_page_says_that_the_command_has_ended(page: Page, developed: Development) -> None:
    developed.stop()
    expect(page.get_by_test_id("doing")).to_have_text("hexarena dev has ended")
    developed.start("--seats", "4", "--port", page.url.split(":")[2].partition("/")[0])
    expect(page.get_by_test_id("doing")).to_have_text("")
