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
from pathlib import Path
from urllib.request import urlopen

from own_arena import PATIENCE_S, arena, chromium, finished
from playwright.sync_api import Page, expect

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
SIZE = {"width": 1280, "height": 800}
MATCHES = 6
"""Of each game, before the first picture: boards and lists shall have something to show."""
PAINTED_MS = 2_500


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


PICTURES: dict[str, Callable[[Page, str], None]] = {
    "home": home,
    "play": play,
    "match": match_at("ants", 0.5),
    "tryangle": match_at("tryangle", 0.5),
    "battlegrounds": match_at("battlegrounds", 0.3),
    "board": board,
    "why": why,
}


def main() -> int:
    """Writes the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", nargs="?", help="an arena with matches of all games; its own if left out")
    parser.add_argument("--only", action="append", choices=PICTURES, help="these pictures only")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where they are written to")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        url = options.url or stack.enter_context(arena(MATCHES))
        browser = stack.enter_context(chromium())
        for name in options.only or PICTURES:
            context = browser.new_context(base_url=url, viewport=SIZE, color_scheme="light")  # type: ignore[arg-type]
            page = context.new_page()
            PICTURES[name](page, url)
            page.wait_for_timeout(PAINTED_MS)
            page.screenshot(path=options.folder / f"{name}.png")
            context.close()
            print(options.folder / f"{name}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
