"""Takes the pictures of README and docs from a real arena: `make screenshots`, or with an arena's URL.

Each picture is a function that opens its page, so that a change of the pages needs no more than a new run. Look at the
pictures before you commit them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from typing import Any, Literal
from urllib.request import urlopen

from own_arena import PATIENCE_S, chromium, finished, own_arena
from PIL import Image
from playwright.sync_api import Page, ViewportSize, expect
from shown_contests import Shown

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
SIZE: ViewportSize = {"width": 1280, "height": 800}
MATCHES = 6
"""Of each game, before the first picture: boards and lists shall have something to show."""
PAINTED_MS = 2_500
CERTIFICATE_SIZE: ViewportSize = {"width": 1123, "height": 794}
STATUS_SIZE: ViewportSize = {"width": 1280, "height": 1046}
MARGIN = 12
"""CSS pixels below the last thing that a picture shows."""


def match_at(game: str, part: float) -> Callable[[Page, str], None]:
    """The longest of the newest matches of a game, paused after this part of its turns."""

    def open_match(page: Page, url: str) -> None:
        longest = max(finished(url, game), key=lambda match: match["turns"] or 0)
        page.goto(f"/matches/{longest['id']}?turn={round(part * longest['turns'])}")
        page.wait_for_timeout(PAINTED_MS)
        page.keyboard.press("k")
        page.keyboard.press("ArrowLeft")

    return open_match


def home(page: Page, url: str) -> None:
    """While its match plays."""
    page.goto("/")
    page.wait_for_timeout(3 * PAINTED_MS)


def play(page: Page, url: str) -> None:
    """The starter has played the match that Run begins."""
    page.goto("/play/ants")
    page.get_by_test_id("run").click()
    expect(page.get_by_test_id("ending").first).to_be_visible(timeout=1000 * PATIENCE_S)
    page.wait_for_timeout(PAINTED_MS)


def board(page: Page, url: str) -> None:
    """The ladder of a game."""
    page.goto("/games/ants")
    page.get_by_role("table").first.scroll_into_view_if_needed()


def why(page: Page, url: str) -> None:
    """What moved the rating of the game's best bot."""
    with urlopen(f"{url}/api/v1/games/yavalath/leaderboard", timeout=10) as answer:  # noqa: S310 - our own
        best = json.load(answer)["items"][0]["bot_id"]
    page.goto(f"/bots/{best}")
    reason = page.get_by_text("Why this rating?").first
    reason.click()
    reason.scroll_into_view_if_needed()


def event_form(page: Page, url: str) -> None:
    """The form of a new event, with what its final costs."""
    page.goto("/events/new")
    page.get_by_label("Name").fill("Spring cup")
    page.get_by_label("Game").select_option("yavalath")
    page.get_by_test_id("preview").scroll_into_view_if_needed()


def events(page: Page, url: str) -> None:
    """All events."""
    page.goto("/events")


def event_open(page: Page, url: str) -> None:
    """The ladder of an event that is open."""
    page.goto("/events/3")
    page.get_by_test_id("event-ladder").scroll_into_view_if_needed()


def event(page: Page, url: str) -> None:
    """The bracket of an event that is over."""
    page.goto("/events/1")
    page.get_by_test_id("bracket").scroll_into_view_if_needed()


def event_groups(page: Page, url: str) -> None:
    """The bracket and the group tables of that event."""
    page.goto("/events/1")
    page.get_by_role("heading", name="Stage 2: knockout").evaluate("heading => heading.scrollIntoView()")


def event_table(page: Page, url: str) -> None:
    """The final table of that event."""
    page.goto("/events/1")
    page.get_by_role("heading", name="Final table").evaluate("heading => heading.scrollIntoView()")


def certificate(page: Page, url: str) -> None:
    """That of the winner."""
    page.set_viewport_size(CERTIFICATE_SIZE)
    entries = page.request.get("/api/v1/events/1").json()["entries"]
    winner = next(one["id"] for one in entries if one["prize_place"] == 1)
    page.goto(f"/api/v1/events/1/entries/{winner}/certificate")


def class_page(page: Page, url: str) -> None:
    """A class as its organiser sees it."""
    page.goto("/classes/1")
    board = page.get_by_test_id("class-board")
    board.wait_for()
    box = board.bounding_box()
    if box is not None:
        # As far as the board's last row.
        page.set_viewport_size({**SIZE, "height": round(box["y"] + box["height"] + MARGIN)})


def status(page: Page, url: str) -> None:
    """The arena's figures."""
    page.set_viewport_size(STATUS_SIZE)
    page.goto("/status")


def status_day(page: Page, url: str) -> None:
    """Faults of the day, and what organisers did."""
    page.set_viewport_size(STATUS_SIZE)
    page.goto("/status")
    page.get_by_role("heading", name="The newest faults").evaluate("heading => heading.scrollIntoView()")


def event_heats(page: Page, url: str) -> None:
    """The table and the last heat of an event in heats."""
    page.goto("/events/2")
    page.get_by_test_id("heat").first.click()
    page.get_by_test_id("games").wait_for()
    page.get_by_role("heading", name="Stage 2: heats").evaluate("heading => heading.scrollIntoView()")


def event_show(page: Page, url: str) -> None:
    """Who meets in the final."""
    page.goto("/events/1/show")
    page.get_by_test_id("prepare").click()
    page.locator("[data-slide=title]").wait_for(timeout=1000 * PATIENCE_S)
    for _ in range(3):
        page.keyboard.press("Space")


ORGANISED: dict[str, Callable[[Page, str], None]] = {
    "events": events,
    "event-new": event_form,
    "event-open": event_open,
    "event": event,
    "event-groups": event_groups,
    "event-table": event_table,
    "event-heats": event_heats,
    "event-show": event_show,
    "class": class_page,
    "status": status,
    "status-day": status_day,
}
"""In both themes. These need an arena of our own: only an organiser holds events and classes."""
PICTURES: dict[str, Callable[[Page, str], None]] = {
    "home": home,
    "play": play,
    "match": match_at("ants", 0.5),
    "tryangle": match_at("tryangle", 0.5),
    "battlegrounds": match_at("battlegrounds", 0.3),
    "board": board,
    "why": why,
    "certificate": certificate,
    **ORGANISED,
}


OURS = {*ORGANISED, "certificate"}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def save(page: Page, file: Path) -> None:
    """What the page shows, in 256 colours: a third of the bytes, and nobody sees a difference.

    Not while it has lost the arena's events, as may be where the arena is busy.
    """
    expect(page.get_by_text("Reconnecting")).to_have_count(0, timeout=1000 * PATIENCE_S)
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
    picture.quantize(256, dither=Image.Dither.NONE).save(file, optimize=True)
    print(f"{file}: {file.stat().st_size / 1000:.0f} kB")


def main() -> int:
    """Writes the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", nargs="?", help="an arena with matches of all games; its own if left out")
    parser.add_argument("--only", action="append", choices=PICTURES, help="these pictures only")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where they are written to")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        chosen = options.only or [name for name in PICTURES if not options.url or name not in OURS]
        matches = MATCHES if set(chosen) - OURS else 1
        running = None if options.url else stack.enter_context(own_arena(matches))
        url = options.url if running is None else running.url
        browser = stack.enter_context(chromium())
        state = None
        if OURS & set(chosen):
            if running is None:
                raise SystemExit("Pictures of events and classes need an arena of our own: leave the URL out.")
            state = Shown(browser, running).state
        for name in chosen:
            seen_by: dict[str, Any] = {
                "base_url": url,
                "viewport": SIZE,
                "storage_state": state if name in OURS else None,
            }
            for theme in THEMES if name in ORGANISED else THEMES[:1]:
                with browser.new_context(color_scheme=theme, **seen_by) as context:
                    page = context.new_page()
                    PICTURES[name](page, url)
                    page.wait_for_timeout(PAINTED_MS)
                    save(page, options.folder / f"{name}{'' if theme == 'light' else f'-{theme}'}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
