"""The loop that makes bots better: read the console, play a lost match again, compare, play a batch."""

from __future__ import annotations

import base64
import json
import re
import struct
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.conftest import PATIENCE_S, wait_until
from tests.e2e.conftest import Arena, wait_in_page
from tests.e2e.test_first_visit import AXE
from tests.e2e.test_verdict import write

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.sandbox]

PLAYED_MS = 1000 * PATIENCE_S
TALKING = """import sys

my_id = int(input())
turn = 0
while True:
    rows = [input() for _ in range(int(input()))]
    last = input()
    turn += 1
    print("turn", turn, file=sys.stderr)
    print("secret" if turn == 2 else "plain", file=sys.stderr)
    free = [(x, y) for y, row in enumerate(rows) for x, cell in enumerate(row) if cell == "0"]
    print(*free[{choice}])
"""


def wait_for_matches(page: Page, count: int) -> list[int]:
    """Ids of finished matches that everybody may see; the ladder plays them by itself."""

    def found() -> list[int]:
        answer = page.request.get(f"/api/v1/matches?state=done&limit={count}")
        return [match["id"] for match in answer.json()["items"]]

    wait_until(lambda: len(found()) == count, "the ladder has played")
    return found()


def violations(page: Page) -> list[list[str]]:
    """What axe finds."""
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run().then(result => result.violations.map(one => [one.id, one.nodes[0].html]))")
    return [one for one in found if one[0] != "scrollable-region-focusable"]


def run(page: Page, code: str) -> None:
    """Writes the code and plays it to its end."""
    write(page, code)
    page.get_by_test_id("run").click()
    expect(page.get_by_test_id("ending")).to_be_visible(timeout=PLAYED_MS)


def leave_field(page: Page) -> None:
    """Keys are shortcuts again."""
    page.evaluate("document.activeElement.blur()")


def test_the_console_has_all_turns_and_keeps_step_with_the_board(page: Page) -> None:
    page.goto("/play/yavalath")
    run(page, TALKING.format(choice="0").replace('"plain"', '3 * "plain\\n"'))
    page.get_by_test_id("console-tab").click()
    console = page.get_by_test_id("console")
    expect(console).to_contain_text("turn 3")
    console.get_by_label("Show only lines with").fill("SECRET")
    expect(console.locator("mark")).to_have_text(["secret"])
    second = console.get_by_role("button", name=re.compile(r"Go to turn \d+"))
    expect(second).to_have_count(1)
    wanted = int(second.inner_text())
    second.click()
    expect(page.get_by_test_id("turn")).to_have_text(re.compile(rf"^{wanted} /"))
    console.get_by_label("Show only lines with").fill("")
    leave_field(page)
    page.locator("body").press("Home")
    expect(console.locator("[aria-current=true]")).to_have_count(0)
    page.locator("body").press("ArrowRight")
    page.locator("body").press("ArrowRight")
    expect(console.locator("[aria-current=true]")).to_have_text(re.compile("^[12]$"))
    for turn in range(3, int(page.get_by_test_id("turn").inner_text().split("/ ")[1]) + 1):
        page.locator("body").press("ArrowRight")
        expect(page.get_by_test_id("turn")).to_have_text(re.compile(rf"^{turn} /"))
        expect(console.locator(".now")).to_be_in_viewport(ratio=0.9)
    console.get_by_role("button", name="stderr").click()
    expect(console).not_to_contain_text("plain")
    page.reload()
    run(page, TALKING.format(choice="0") + "# again\n")
    expect(page.get_by_test_id("console")).to_be_visible()


def test_a_played_match_is_played_again_with_other_code_and_compared(page: Page) -> None:
    page.goto("/play/yavalath")
    run(page, TALKING.format(choice="0"))
    first = page.get_by_test_id("status").get_by_role("link", name=re.compile("^Match")).inner_text().split()[-1]
    write(page, TALKING.format(choice="-1"))
    page.get_by_role("button", name="Matches", exact=True).click()
    page.get_by_test_id("battles").get_by_role("button", name="Run my code here").first.click()
    compare = page.get_by_test_id("compare")
    expect(compare).to_be_visible(timeout=PLAYED_MS)
    expect(page.get_by_test_id("status")).to_contain_text(re.compile(rf"Differs from match {first} from turn [12] on"))
    compare.click()
    expect(page.get_by_test_id("difference")).to_contain_text(re.compile("They differ from turn [12] on"))
    turns = page.get_by_test_id("turn")
    expect(turns).to_have_count(2)
    assert violations(page) == []
    before = turns.first.inner_text().split(" /")[0]
    page.locator("body").press("ArrowRight")
    for board in (turns.first, turns.last):
        expect(board).to_have_text(re.compile(rf"^{int(before) + 1} /"))
    # The shorter match does not hold the longer one back.
    for which in (0, 1):
        page.get_by_role("button", name=re.compile("^Last turn")).nth(which).click()
        expect(turns.nth(which)).to_have_text(re.compile(r"^(\d+) / \1$"))


def test_from_a_turn_of_a_match_other_code_plays_on(page: Page) -> None:
    page.goto("/play/yavalath")
    run(page, TALKING.format(choice="0"))
    first = page.get_by_test_id("status").get_by_role("link", name=re.compile("^Match")).inner_text().split()[-1]
    leave_field(page)
    page.locator("body").press("Home")
    for turn in (1, 2, 3):
        page.locator("body").press("ArrowRight")
        expect(page.get_by_test_id("turn")).to_have_text(re.compile(rf"^{turn} /"))
    write(page, TALKING.format(choice="-1"))
    page.get_by_test_id("play-on").click()
    expect(page.get_by_test_id("fork")).to_have_text("From turn 3 ×")
    status = page.get_by_test_id("status")
    expect(status.get_by_test_id("compare")).to_be_visible(timeout=PLAYED_MS)
    differs = re.search(rf"Differs from match {first} from turn (\d+) on", status.inner_text())
    assert differs is not None
    assert int(differs[1]) > 3
    second = status.get_by_role("link", name=re.compile("^Match")).inner_text().split()[-1]
    old, new = (page.request.get(f"/api/v1/matches/{one}/replay").text().splitlines() for one in (first, second))
    assert [{**json.loads(line), "cpu": 0} for line in old[1:4]] == [
        {**json.loads(line), "cpu": 0} for line in new[1:4]
    ]
    page.goto(f"/matches/{second}")
    expect(page.locator("main")).to_contain_text(f"Plays on from turn 3 of match {first}")


def test_from_a_list_the_keys_lead_from_match_to_match(page: Page) -> None:
    wait_for_matches(page, 3)
    page.goto("/matches")
    rows = page.locator("[data-match]")
    expect(rows.nth(2)).to_be_visible(timeout=PLAYED_MS)
    rows.nth(1).click()
    onward = page.get_by_role("link", name="Next →")
    expect(onward).to_be_visible()
    here, there = page.url, onward.get_attribute("href")
    page.locator("body").press(">")
    expect(page).to_have_url(re.compile(rf"{there}$"))
    expect(page.get_by_role("link", name="← Previous")).to_be_visible()
    page.locator("body").press("<")
    expect(page).to_have_url(here)


def test_two_tabs_with_one_draft_are_warned_and_lose_nothing(page: Page) -> None:
    page.goto("/play/yavalath")
    write(page, "# the first tab\n")
    expect(page.get_by_test_id("status")).to_contain_text("Draft saved")
    second = page.context.new_page()
    second.goto("/play/yavalath")
    write(second, "# the second tab\n")
    reported = page.get_by_test_id("other-draft")
    expect(reported).to_be_visible(timeout=PLAYED_MS)
    second.close()
    page.reload()
    code = page.locator(".cm-content")
    shown = {"# the first tab", "# the second tab"}
    now = code.inner_text().strip()
    assert now in shown
    page.get_by_test_id("other-draft").get_by_role("button", name="Show the other").click()
    expect(code).to_have_text((shown - {now}).pop())
    page.get_by_test_id("other-draft").get_by_role("button", name="Show the other").click()
    expect(code).to_have_text(now)
    page.get_by_test_id("other-draft").get_by_role("button", name="Keep only this").click()
    expect(page.get_by_test_id("other-draft")).to_have_count(0)
    page.reload()
    expect(code).to_have_text(now)
    expect(page.get_by_test_id("other-draft")).to_have_count(0)


def test_a_version_is_opened_beside_the_code_that_was_not_submitted(page: Page) -> None:
    page.goto("/play/yavalath")
    page.get_by_test_id("submit").click()
    page.get_by_test_id("bot-name").fill("Heron")
    page.get_by_test_id("submit-confirm").click()
    expect(page.get_by_test_id("standing")).to_be_visible()
    write(page, "# mine")
    expect(page.get_by_test_id("status")).to_contain_text("Draft saved")
    page.goto("/bots")
    page.get_by_role("link", name="Edit").click()
    code, other = page.locator(".cm-content"), page.get_by_test_id("other-draft")
    expect(other).to_contain_text("You had other code in this draft. Both are kept.")
    expect(code).not_to_contain_text("# mine")
    other.get_by_role("button", name="Show the other").click()
    expect(code).to_have_text("# mine")


def test_undoing_ends_where_the_code_was_opened(page: Page) -> None:
    page.goto("/play/yavalath")
    code = page.locator(".cm-content")
    write(page, "# in Python")
    page.get_by_label("Language").select_option("cpp")
    expect(code).to_contain_text("#include")
    code.click()
    page.keyboard.press("Control+Z")
    expect(code).to_contain_text("#include")
    expect(code).not_to_contain_text("# in Python")
    page.get_by_label("Language").select_option("python")
    expect(page.get_by_test_id("status")).to_contain_text("Draft saved")
    page.reload()
    expect(code).to_have_text("# in Python")
    code.click()
    page.keyboard.press("Control+Z")
    write(page, "# typed")
    expect(code).to_have_text("# typed")
    page.keyboard.press("Control+Z")
    expect(code).to_have_text("# in Python")


def test_what_replaced_the_code_is_undone(page: Page) -> None:
    page.goto("/play/yavalath")
    code = page.locator(".cm-content")
    write(page, "# before")
    page.locator("input[type=file]").first.set_input_files(
        {"name": "bot.py", "mimeType": "text/plain", "buffer": b"# from a file"}
    )
    expect(code).to_have_text("# from a file")
    code.click()
    page.keyboard.press("Control+Z")
    expect(code).to_have_text("# before")


def test_a_batch_fills_its_table_and_can_be_stopped(page: Page) -> None:
    page.goto("/play/yavalath")
    write(page, TALKING.format(choice="0"))
    page.get_by_test_id("batch-tab").click()
    expect(page.get_by_test_id("batch-start")).to_have_text("Play 18 matches")
    page.get_by_label("Seeds").select_option("1")
    leave_field(page)
    page.locator("body").press("Control+Shift+Enter")
    batch = page.get_by_test_id("batch")
    expect(batch).to_have_attribute("data-over", "true", timeout=PLAYED_MS)
    expect(batch).to_contain_text("6 matches played.")
    assert violations(page) == []
    expect(batch.get_by_role("link", name=re.compile("as (first|second) with seed"))).to_have_count(6)
    page.get_by_label("Seeds").select_option("3")
    page.get_by_test_id("batch-start").click()
    page.get_by_test_id("batch-stop").click()
    expect(batch).to_have_attribute("data-over", "true", timeout=PLAYED_MS)
    page.reload()
    page.get_by_test_id("batch-tab").click()
    expect(page.get_by_test_id("batch")).to_have_attribute("data-over", "true")


def test_a_batch_that_is_too_large_says_so_before_it_is_sent(page: Page) -> None:
    page.goto("/play/ants")
    page.get_by_test_id("batch-tab").click()
    page.get_by_label("Seeds").select_option("50")
    expect(page.get_by_test_id("batch-start")).to_be_disabled()
    expect(page.get_by_label("Batch", exact=True)).to_contain_text("A batch of yours has at most 20")


def test_a_match_plays_in_a_frame_of_another_site(page: Page, arena: Arena, tmp_path: Path) -> None:
    [match] = wait_for_matches(page, 1)
    html = f"""<link rel="icon" href="data:,"><script>
        window.heard = []
        addEventListener('message', event => window.heard.push(event.data))
    </script><iframe src="{arena.url}/embed/matches/{match}?turn=3" width="640" height="520"></iframe>"""
    (tmp_path / "course.html").write_text(html)
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as site:
        Thread(target=site.serve_forever, daemon=True).start()
        page.goto(f"http://localhost:{site.server_port}/course.html")
        frame = page.frame_locator("iframe")
        expect(frame.get_by_test_id("turn")).to_be_visible(timeout=PLAYED_MS)
        page.evaluate("document.querySelector('iframe').contentWindow.postMessage({ hexarena: 'seek', turn: 2 }, '*')")
        expect(frame.get_by_test_id("turn")).to_have_text(re.compile("^2 /"))
        wait_in_page(
            page, f"window.heard.some(one => one.hexarena === 'turn' && one.match === {match} && one.turn === 2)"
        )
        with page.expect_popup() as popup:
            frame.locator(".score a").first.click()
        expect(popup.value).to_have_url(re.compile("/bots/[0-9]+$"))
        expect(frame.get_by_test_id("turn")).to_have_text(re.compile("^2 /"))
        page.evaluate("document.querySelector('iframe').contentWindow.postMessage({ hexarena: 'play' }, '*')")
        wait_in_page(page, "window.heard.filter(one => one.playing).length > 2")
        heard = page.evaluate("window.heard.map(one => JSON.stringify(one))")
        assert all(one != following for one, following in pairwise(heard))
        site.shutdown()


def test_a_tap_says_what_is_there_and_only_the_first_button_drags(page: Page, browser: Browser, arena: Arena) -> None:
    matches = "/api/v1/matches?state=done&game=yavalath&limit=1"
    wait_until(lambda: page.request.get(matches).json()["items"], "the ladder has played Yavalath")
    match = page.request.get(matches).json()["items"][0]["id"]
    context = browser.new_context(base_url=arena.url, viewport={"width": 360, "height": 700}, has_touch=True)
    phone = context.new_page()
    phone.goto(f"/matches/{match}?turn=3")
    expect(phone.get_by_test_id("turn")).to_have_text(re.compile("^3 /"))
    board = phone.locator(".stage canvas").bounding_box()
    assert board is not None
    for part in (0.3, 0.5, 0.7):
        phone.touchscreen.tap(board["x"] + part * board["width"], board["y"] + 0.55 * board["height"])
        expect(phone.locator(".tip")).to_be_visible()
        tip = phone.locator(".tip").bounding_box()
        assert tip is not None
        assert board["x"] <= tip["x"]
        assert tip["x"] + tip["width"] <= board["x"] + board["width"]
    fit = phone.get_by_role("button", name="Fit board")
    for button in ("right", "left"):
        phone.mouse.move(board["x"] + 100, board["y"] + 100)
        phone.mouse.down(button=button)
        phone.mouse.move(board["x"] + 150, board["y"] + 150)
        phone.mouse.up(button=button)
        expect(fit).to_be_enabled(enabled=button == "left")
    context.close()


def test_a_match_is_kept_as_a_page_that_opens_offline(page: Page, browser: Browser, tmp_path: Path) -> None:
    (match_id,) = wait_for_matches(page, 1)
    page.goto(f"/matches/{match_id}")
    turns = page.get_by_test_id("turn").inner_text().split("/ ")[1]
    with page.expect_download() as download:
        page.get_by_role("button", name="page that opens offline").click()
    assert download.value.suggested_filename == f"match-{match_id}.html"
    kept = tmp_path / "kept.html"
    download.value.save_as(kept)
    context = browser.new_context(offline=True)
    asked: list[str] = []
    alone = context.new_page()
    alone.on("request", lambda request: asked.append(request.url))
    alone.on("console", lambda line: asked.append(line.text))
    alone.goto(kept.as_uri())
    expect(alone.get_by_test_id("turn")).to_be_visible()
    alone.locator("body").press("End")
    expect(alone.get_by_test_id("turn")).to_have_text(f"{turns} / {turns}")
    assert [one for one in asked if not one.startswith(("file:", "data:"))] == []
    context.close()


def test_a_turn_is_kept_as_a_picture_and_a_match_as_a_clip(page: Page, tmp_path: Path) -> None:
    (match_id,) = wait_for_matches(page, 1)
    page.goto(f"/matches/{match_id}?turn=3")
    expect(page.get_by_test_id("turn")).to_have_text(re.compile("^3 /"))
    with page.expect_download() as download:
        page.get_by_role("button", name="picture of this turn").click()
    assert download.value.suggested_filename == f"match-{match_id}-turn-3.png"
    download.value.save_as(tmp_path / "turn.png")
    width, height = struct.unpack(">II", (tmp_path / "turn.png").read_bytes()[16:24])
    assert (width, height) == (1200, 630)
    page.get_by_test_id("step-back").click()
    with page.expect_download(timeout=PLAYED_MS) as download:
        page.get_by_role("button", name="clip from here").click()
    assert download.value.suggested_filename == f"match-{match_id}-from-turn-2.webm"
    download.value.save_as(tmp_path / "clip.webm")
    clip = base64.b64encode((tmp_path / "clip.webm").read_bytes()).decode()
    with page.expect_download(timeout=PLAYED_MS) as download:
        page.get_by_role("button", name="GIF").click()
    assert download.value.suggested_filename == f"match-{match_id}-from-turn-2.gif"
    download.value.save_as(tmp_path / "clip.gif")
    moving = (tmp_path / "clip.gif").read_bytes()
    assert (moving[:6], struct.unpack("<HH", moving[6:10])) == (b"GIF89a", (640, 360))
    assert b"NETSCAPE2.0" in moving, "it plays again and again"
    assert moving.count(b"\x21\xf9\x04") > 15, "a frame each tenth of a second"
    page.goto("about:blank")
    page.set_content(f'<img src="data:image/gif;base64,{base64.b64encode(moving).decode()}">')
    wait_in_page(page, "document.querySelector('img').naturalWidth === 640")
    page.set_content(f'<video src="data:video/webm;base64,{clip}" muted></video>')
    wait_in_page(page, "document.querySelector('video').duration > 1")
    assert page.evaluate(
        "[document.querySelector('video').videoWidth, document.querySelector('video').videoHeight]"
    ) == [
        1280,
        720,
    ]
