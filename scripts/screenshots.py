"""Takes the pictures of README and docs from a real arena: `make screenshots`, or with an arena's URL.

Each picture is a function that opens its page, so that a change of the pages needs no more than a new run. Look at the
pictures before you commit them.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.request import urlopen

from own_arena import PATIENCE_S, OwnArena, chromium, finished, own_arena
from playwright.sync_api import Page, expect

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
SIZE = {"width": 1280, "height": 800}
MATCHES = 6
"""Of each game, before the first picture: boards and lists shall have something to show."""
PAINTED_MS = 2_500
EVENT_S = 5
"""Until the deadline of the event that is shown."""


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


def hold_events(page: Page, running: OwnArena) -> None:
    """Signs up an organiser, who holds a cup in pairs, then a race in heats."""
    api = f"{running.url}/api/v1"
    own = {"Origin": running.url}
    page.request.post(f"{api}/sign-up", data={"name": "Ada", "password": "correct horse battery"}, headers=own)
    running.run("user", "role", "Ada", "organiser")
    cup = [{"form": "groups", "groups": 2, "advance": 2}, {"form": "knockout", "third_place": True}]
    _hold(page, running, {"game": "yavalath", "name": "Spring cup", "stages": cup})
    race = [{"form": "heats", "rounds": 2, "games": 6, "advance": 4}, {"form": "heats", "rounds": 1, "games": 8}]
    _hold(page, running, {"game": "tron", "name": "Night race", "stages": race})


def _hold(page: Page, running: OwnArena, event: dict[str, object]) -> None:
    """An event that the game's house bots play at once. Ends when it is over."""
    api = f"{running.url}/api/v1"
    own = {"Origin": running.url}
    deadline = datetime.now(UTC) + timedelta(seconds=EVENT_S)
    asked = {**event, "deadline": deadline.isoformat()}
    made = page.request.post(f"{api}/events", data=asked, headers=own).json()["event"]["id"]
    for row in page.request.get(f"{api}/games/{event['game']}/leaderboard").json()["items"]:
        page.request.post(f"{api}/events/{made}/entries", data={"bot": row["bot_id"]}, headers=own)
    end = time.monotonic() + PATIENCE_S
    while page.request.get(f"{api}/events/{made}").json()["phase"] != "done":
        if time.monotonic() > end:
            raise SystemExit(f"The event is not over after {PATIENCE_S:.0f} s.")
        time.sleep(1)


def event_form(page: Page, url: str) -> None:
    """The form of a new event, with what its final costs."""
    page.goto("/events/new")
    page.get_by_label("Name").fill("Spring cup")
    page.get_by_label("Game").select_option("yavalath")
    page.get_by_test_id("preview").scroll_into_view_if_needed()


def event(page: Page, url: str) -> None:
    """The bracket of an event that is over."""
    page.goto("/events/1")
    page.get_by_test_id("bracket").scroll_into_view_if_needed()


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


EVENTS: dict[str, Callable[[Page, str], None]] = {
    "event-new": event_form,
    "event": event,
    "event-heats": event_heats,
    "event-show": event_show,
}
"""These need an arena of our own: only an organiser holds events."""
PICTURES: dict[str, Callable[[Page, str], None]] = {
    "home": home,
    "play": play,
    "match": match_at("ants", 0.5),
    "tryangle": match_at("tryangle", 0.5),
    "battlegrounds": match_at("battlegrounds", 0.3),
    "board": board,
    "why": why,
    **EVENTS,
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
        running = None if options.url else stack.enter_context(own_arena(MATCHES))
        url = options.url if running is None else running.url
        browser = stack.enter_context(chromium())
        chosen = options.only or [name for name in PICTURES if running or name not in EVENTS]
        signed_in = None
        if EVENTS.keys() & set(chosen):
            if running is None:
                raise SystemExit("Pictures of events need an arena of our own: leave the URL out.")
            organiser = browser.new_context(base_url=url)
            hold_events(organiser.new_page(), running)
            signed_in = organiser.storage_state()
        for name in chosen:
            state = signed_in if name in EVENTS else None
            context = browser.new_context(base_url=url, viewport=SIZE, color_scheme="light", storage_state=state)  # type: ignore[arg-type]
            page = context.new_page()
            PICTURES[name](page, url)
            page.wait_for_timeout(PAINTED_MS)
            page.screenshot(path=options.folder / f"{name}.png")
            context.close()
            print(options.folder / f"{name}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
