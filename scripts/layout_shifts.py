"""Measures how much each page moves under its reader while an arena plays: `python scripts/layout_shifts.py URL`.

For each page and width it prints the cumulative layout shift (https://web.dev/articles/cls) of some seconds, and what
moved. Shifts within half a second of an input do not count, as in the browsers' own figure.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator

from playwright.sync_api import Browser, sync_playwright

PATHS = ("/", "/matches", "/bots", "/bots/1", "/account", "/play/ants", "/play/yavalath")
GAME_PATHS = ("/games/ants", "/games/tryangle", "/games/yavalath", "/games/battlegrounds", "/games/tron")
WIDTHS = {390: 844, 1280: 800, 1920: 1080}
WATCHED_MS = 8_000
MOST = 0.02
OBSERVE = """
window.shifts = []
new PerformanceObserver(list => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push({
        value: entry.value,
        what: entry.sources.map(source => {
            const node = source.node?.nodeType === 1 ? source.node : source.node?.parentElement
            return `${node?.tagName}.${node?.className} ${source.previousRect.y}->${source.currentRect.y}`
        }),
    })
}).observe({ type: 'layout-shift', buffered: true })
"""


def measure(browser: Browser, url: str, path: str, width: int) -> tuple[float, list[str]]:
    """The page's layout shift, and what moved most."""
    context = browser.new_context(base_url=url, viewport={"width": width, "height": WIDTHS[width]})
    page = context.new_page()
    page.add_init_script(OBSERVE)
    page.goto(path)
    page.wait_for_timeout(WATCHED_MS)
    shifts = page.evaluate("window.shifts")
    context.close()
    shifts.sort(key=lambda shift: -shift["value"])
    return sum(shift["value"] for shift in shifts), [
        f"{shift['value']:.3f} {'; '.join(shift['what'][:3])}" for shift in shifts[:3]
    ]


def measured(url: str, only: list[str]) -> Iterator[tuple[str, int, float, list[str]]]:
    """(path, width, shift, what moved) of each page at each width."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        for path in only or (*PATHS, *GAME_PATHS):
            for width in WIDTHS:
                yield path, width, *measure(browser, url, path, width)
        browser.close()


def main() -> int:
    """Prints the table. Returns 1 if a page moves too much."""
    worst = 0.0
    for path, width, shift, moved in measured(sys.argv[1], sys.argv[2:]):
        worst = max(worst, shift)
        print(f"{path:24} {width:5} {shift:6.3f}")
        for line in moved if shift > MOST else []:
            print(f"    {line}")
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main())
