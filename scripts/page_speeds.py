"""Measures what pages weigh and how soon they show something: `make bench-web-pages`, or with an arena's URL.

For each page, medians of several loads in a new browser without a cache: kilobytes as transferred, of them JavaScript,
and the time to the first frame of a board (the editor's page: to the editor). On a match that plays: how long a seek
takes until it is painted, and the longest interaction (https://web.dev/articles/inp). `--before FILE` puts the figures
of an earlier run beside them, which `--json FILE` wrote.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from own_arena import GAMES, arena, chromium, finished
from playwright.sync_api import Browser, CDPSession, Page

LOADS = 5
SEEKS = 30
SETTLED_MS = 1_500
WAIT_MS = 60_000
GOALS = {
    "home kB": 200,
    "home JS kB": 65,
    "home first frame ms": 1000,
    "play kB": 300,
    "match first frame ms": 600,
    "seek ms": 50,
    "longest interaction ms": 100,
}
"""From the issue that asked for them; by the end of the name."""
FIRST_FRAME = """
const look = now => {
    if (window.hexarena?.framesPainted > 0) window.firstFrame = now
    else requestAnimationFrame(look)
}
requestAnimationFrame(look)
window.longest = 0
new PerformanceObserver(list => {
    for (const entry of list.getEntries())
        if (entry.interactionId) window.longest = Math.max(window.longest, entry.duration)
}).observe({ type: 'event', durationThreshold: 16, buffered: true })
"""
SEEK = """
turn => new Promise(resolve => {
    const seek = document.querySelector('[data-testid=seek]')
    const before = window.hexarena.framesPainted
    const began = performance.now()
    if (seek.value === String(turn)) turn -= 1  // or nothing would be painted
    seek.value = String(turn)
    seek.dispatchEvent(new Event('input', { bubbles: true }))
    const look = () => {
        if (window.hexarena.framesPainted > before) resolve(performance.now() - began)
        else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
})
"""
KEYS = ("ArrowRight", "ArrowLeft", "n", "p", "Shift+ArrowRight", "i", "i", "+", "-", "f", "Home", " ")


def weigh(session: CDPSession) -> dict[str, float]:
    """Counts what is transferred from now on: bytes by kind."""
    kinds: dict[str, str] = {}
    sums = {"all": 0.0, "Script": 0.0}

    def answered(event: Mapping[str, str]) -> None:
        kinds[event["requestId"]] = event["type"]

    def loaded(event: Mapping[str, float]) -> None:
        sums["all"] += event["encodedDataLength"]
        if kinds.get(str(event["requestId"])) == "Script":
            sums["Script"] += event["encodedDataLength"]

    session.on("Network.responseReceived", answered)
    session.on("Network.loadingFinished", loaded)
    session.send("Network.enable")
    return sums


def load(browser: Browser, url: str, path: str, *, canvas: bool) -> tuple[float, float, float]:
    """Kilobytes, those of scripts, and milliseconds to the first frame, or to the page's own mark of being ready."""
    context = browser.new_context(base_url=url, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.add_init_script(FIRST_FRAME)
    sums = weigh(context.new_cdp_session(page))
    page.goto(path)
    shown = "window.firstFrame" if canvas else "performance.getEntriesByName('ready')[0]?.startTime"
    first = waited(page, shown)
    page.wait_for_timeout(SETTLED_MS)
    context.close()
    return sums["all"] / 1000, sums["Script"] / 1000, first


def waited(page: Page, expression: str) -> float:
    """Its value, once it has one. The page's policy forbids Playwright's own way of waiting."""
    for _ in range(WAIT_MS // 50):
        value = page.evaluate(expression)
        if value is not None:
            return float(value)
        page.wait_for_timeout(50)
    raise SystemExit(f"{page.url}: nothing was shown in {WAIT_MS / 1000:.0f} s")


def seeks(browser: Browser, url: str, path: str) -> tuple[float, float]:
    """On a match that plays: the median of seeks, and the longest interaction, in milliseconds."""
    context = browser.new_context(base_url=url, viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.add_init_script(FIRST_FRAME)
    page.goto(path)
    waited(page, "window.firstFrame")
    last = int(page.evaluate("document.querySelector('[data-testid=seek]').max"))
    took = [page.evaluate(SEEK, 1 + number * 7 % last) for number in range(SEEKS)]
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    for key in KEYS * 2:
        page.keyboard.press(key)
        page.wait_for_timeout(120)
    longest = page.evaluate("window.longest")
    context.close()
    return median(took), longest


def measured(browser: Browser, url: str) -> dict[str, float]:
    """Figure -> median."""
    found: dict[str, float] = {}
    pages = {"home": "/", **{f"{game}: play": f"/play/{game}" for game in GAMES}}
    newest = {game: finished(url, game)[0]["id"] for game in GAMES}
    pages |= {f"{game}: match": f"/matches/{match}" for game, match in newest.items()}
    for name, path in pages.items():
        loads = [load(browser, url, path, canvas="play" not in name) for _ in range(LOADS)]
        what = "editor shown ms" if "play" in name else "first frame ms"
        for figure, values in zip(("kB", "JS kB", what), zip(*loads, strict=True), strict=True):
            found[f"{name} {figure}"] = median(values)
        print(f"measured: {name}", file=sys.stderr)
    for game, match in newest.items():
        found[f"{game}: seek ms"], found[f"{game}: longest interaction ms"] = seeks(browser, url, f"/matches/{match}")
    return found


def main() -> int:
    """Prints the table. Returns 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", nargs="?", help="an arena with matches of all games; its own if left out")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--before", type=Path, help="a file of an earlier run, to compare with")
    options = parser.parse_args()
    before: dict[str, float] = json.loads(options.before.read_text()) if options.before else {}
    with ExitStack() as stack:
        url = options.url or stack.enter_context(arena())
        found = measured(stack.enter_context(chromium()), url)
    missed = 0
    print(f"{'figure':40} {'now':>9} {'goal':>7} {'before':>9}")
    for name, value in found.items():
        goal = next((goal for end, goal in GOALS.items() if name.endswith(end)), None)
        missed += goal is not None and value > goal
        mark = "" if goal is None or value <= goal else "  missed"
        was = f"{before[name]:9.1f}" if name in before else f"{'–':>9}"
        print(f"{name:40} {value:9.1f} {goal or '–':>7} {was}{mark}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
