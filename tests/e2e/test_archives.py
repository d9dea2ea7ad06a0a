"""A bot of several files in a real browser: dropped as a zip, checked and placed, and its files shown to its owner."""

from __future__ import annotations

import base64
import re
import zipfile
from io import BytesIO

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.conftest import PATIENCE_S

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.sandbox]
LADDER_RESTS = True

PLAYED_MS = 1000 * PATIENCE_S
MAIN = """\
from lib.board import first_empty

input()
while True:
    rows = [input() for _ in range(int(input()))]
    input()
    print(*first_empty(rows), flush=True)
"""
BOARD = """\
def first_empty(rows):
    return next((x, y) for y, row in enumerate(rows) for x, stone in enumerate(row) if stone == "0")
"""
DROP = """([name, content, target]) => {
    const bytes = Uint8Array.from(atob(content), (one) => one.charCodeAt(0))
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([bytes], name))
    const event = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })
    document.querySelector(target).dispatchEvent(event)
}"""


def zipped(files: dict[str, str]) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return made.getvalue()


def drop(page: Page, name: str, content: bytes, target: str = "main") -> None:
    page.evaluate(DROP, [name, base64.b64encode(content).decode(), target])


def test_a_zip_is_dropped_enters_the_ladder_and_its_files_are_shown(page: Page) -> None:
    page.goto("/play/yavalath")
    expect(page.locator(".cm-content")).to_be_visible()
    drop(
        page,
        "several.zip",
        zipped({"several/main.py": MAIN, "several/lib/board.py": BOARD, "several/notes": "long " * 200}),
    )
    expect(page.get_by_test_id("zip")).to_contain_text("several.zip")
    page.get_by_test_id("bot-name").fill("several files")
    page.get_by_test_id("submit-confirm").click()
    standing = page.get_by_test_id("standing")
    expect(standing).to_have_attribute("data-state", "live", timeout=PLAYED_MS)
    standing.get_by_role("link", name="several files").click()
    page.get_by_test_id("files").get_by_text("Files", exact=True).click()
    files = page.get_by_test_id("source-files")
    expect(files.locator("code")).to_have_text(["main.py", "lib/board.py", "notes"])
    expect(files.get_by_role("region", name="main.py")).to_have_text(MAIN)
    files.get_by_text("lib/board.py").click()
    expect(files.get_by_role("region", name="lib/board.py")).to_have_text(BOARD)
    files.get_by_text("notes").click()
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download zip").click()
    assert re.fullmatch(r"submission-\d+\.zip", download.value.suggested_filename)


def test_errors_of_a_zip_are_not_marked_in_the_code_in_the_editor(page: Page) -> None:
    page.goto("/play/yavalath")
    expect(page.locator(".cm-content")).to_be_visible()
    drop(page, "broken.zip", zipped({"main.py": "move = 4 4\n"}))
    page.get_by_test_id("bot-name").fill("broken zip")
    page.get_by_test_id("submit-confirm").click()
    standing = page.get_by_test_id("standing")
    expect(standing).to_have_attribute("data-state", "failed", timeout=PLAYED_MS)
    expect(standing.get_by_test_id("build-log")).to_contain_text("SyntaxError")
    expect(page.locator(".cm-lint-marker-error")).to_have_count(0)


def test_a_file_that_is_dropped_on_the_code_takes_its_place(page: Page) -> None:
    page.goto("/play/yavalath")
    code = page.locator(".cm-content")
    expect(code).to_contain_text("while True:")
    drop(page, "mine.py", b"print('4 4')", ".cm-content")
    expect(code).to_have_text("print('4 4')")
    page.reload()
    expect(code).to_have_text("print('4 4')")


def test_what_cannot_be_taken_says_why_and_leaves_the_code_alone(page: Page) -> None:
    page.goto("/play/yavalath")
    before = page.locator(".cm-content").inner_text()
    status = page.get_by_test_id("status")
    for name, content, said in (
        ("empty.zip", zipped({}), "empty.zip is empty or not a zip"),
        ("a.out", b"\x7fELF\xff", "not UTF-8 text"),
        ("notes.txt", b"text", "Expected a source file ending in .py"),
        ("big.zip", b"PK\x03\x04" + bytes(2_000_000), "The limit for a zip is 1,200,000"),
    ):
        page.get_by_text("Options").click()
        page.get_by_test_id("file").set_input_files(FilePayload(name=name, mimeType="", buffer=content))
        expect(status).to_contain_text(said)
        page.get_by_text("Options").click()
    assert page.locator(".cm-content").inner_text() == before
