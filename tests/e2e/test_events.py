"""A contest in a real browser: announced, entered, played, and shown on a projector without a network."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.conftest import PATIENCE_S, wait_until
from tests.e2e.conftest import Arena
from tests.e2e.test_accounts import VIOLATIONS, form, sign_up
from tests.e2e.test_first_visit import AXE, TOO_NARROW

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.sandbox]

ENTRANTS = ("Snare", "Pebble", "Hotspur", "Watcher")
MOST_SLIDES = 60


def organiser(page: Page, arena: Arena, name: str) -> None:
    """Signs up somebody who may hold events."""
    sign_up(page, name)
    command = [sys.executable, "-m", "hexarena.cli.app", "user", "role", name, "organiser"]
    subprocess.run(command, env=arena.environment(), check=True, capture_output=True)


def asked(page: Page, arena: Arena, method: str, address: str, body: object) -> None:
    """Asks the API as whoever is signed in."""
    answer = page.request.fetch(f"{arena.url}/api/v1{address}", method=method, data=body, headers={"Origin": arena.url})
    assert answer.ok, answer.text()


def slide(page: Page) -> str:
    return page.locator("[data-slide]").get_attribute("data-slide") or ""


def accessible(page: Page) -> None:
    page.evaluate(AXE.read_text())
    assert page.evaluate(VIOLATIONS) == []
    size = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate(TOO_NARROW) == []
    page.set_viewport_size(size or {"width": 1280, "height": 800})


@pytest.mark.timeout(6 * PATIENCE_S)
def test_a_contest_from_its_form_to_the_projector(page: Page, arena: Arena) -> None:
    organiser(page, arena, "Ada")
    page.goto("/events")
    page.get_by_test_id("new-event").press("Enter")
    new = form(page, "New event")
    new.get_by_test_id("save-event").press("Enter")
    expect(new.get_by_label("Name")).to_be_focused()
    expect(new.get_by_text("Enter a name.")).to_be_visible()
    accessible(page)
    new.get_by_label("Name").fill("Autumn cup")
    new.get_by_label("Game").select_option("yavalath")
    new.get_by_label("Form").select_option("knockout")
    new.get_by_label("Best of").fill("2")
    new.get_by_label("How many entrants to count with").fill(str(len(ENTRANTS)))
    expect(new.get_by_test_id("preview")).to_contain_text("At most 8 games")
    new.get_by_label("Best of").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Autumn cup")
    expect(page.get_by_test_id("countdown")).to_have_text(re.compile(r"^[67] d [0-9]+ h$"))

    address = page.url.removeprefix(arena.url)
    with urlopen(f"{arena.url}/api/v1/games/yavalath/leaderboard?limit=50") as answer:
        bots = {row["bot"]: row["bot_id"] for row in json.load(answer)["items"]}
    organise = page.get_by_test_id("organise")
    enter_house_bots(page)
    for name in ENTRANTS:
        asked(page, arena, "POST", f"{address}/entries", {"bot": bots[name]})
    organise.get_by_text("Change it").click()
    change = form(page, "Change the event")
    change.get_by_label("About it").fill("In the great hall.")
    change.get_by_test_id("save-event").press("Enter")
    expect(organise.get_by_role("status")).to_contain_text(["Saved."])
    expect(page.get_by_text("In the great hall.").first).to_be_visible()

    soon = datetime.now(UTC) + timedelta(seconds=2)
    asked(page, arena, "PATCH", address, {"deadline": soon.isoformat()})
    # The page follows by itself.
    expect(page.get_by_role("heading", name="Final table")).to_be_visible(timeout=2000 * PATIENCE_S)
    bracket = page.get_by_test_id("bracket")
    pairings = bracket.get_by_role("button")
    expect(pairings).to_have_count(4)
    accessible(page)
    final = page.get_by_test_id("games")
    open_second_pairing(page, final)
    winner = page.get_by_test_id("entrants").get_by_role("row").nth(1).get_by_role("link").first.inner_text()
    expect(final).to_contain_text(winner)
    final.get_by_role("link", name="Game 1", exact=True).click()
    rerun(page)
    page.get_by_role("link", name="Autumn cup").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Autumn cup")
    expect(page.get_by_role("heading", name="Final table")).to_be_visible(timeout=2000 * PATIENCE_S)
    again = page.get_by_test_id("game-reruns")
    open_second_pairing(page, again)
    expect(again).to_contain_text("Game 1 was played again.")
    expect(again).to_contain_text("Reason: The hall was dark.")
    expect(again.get_by_role("link")).to_have_count(2)
    accessible(page)

    page.goto(f"{address}/show")
    page.get_by_test_id("prepare").press("Enter")
    page.locator("[data-slide=title]").wait_for(timeout=1000 * PATIENCE_S)
    page.context.set_offline(True)
    kinds = ["title"]
    reported = []
    for _ in range(MOST_SLIDES):
        page.keyboard.press("Space")
        kinds.append(slide(page))
        if kinds[-1] == "game":
            # The first press ends the game, with its result on the screen; the next one continues.
            page.locator("[data-slide=game][data-ready=true]").wait_for()
            page.keyboard.press("Space")
            over = page.locator("[data-slide=game][data-over=true]")
            over.wait_for()
        if kinds[-1] == "result":
            reported.append(page.get_by_test_id("winner").inner_text())
        if kinds[-1] == "end":
            break
    assert kinds[-1] == "end"
    assert (kinds.count("meet"), kinds.count("result")) == (4, 4)
    assert kinds.count("game") >= 4
    assert reported[-1] in {f"{winner} wins", f"{winner} wins, by the seeding"}
    page.keyboard.press("ArrowLeft")
    assert slide(page) == "result"
    page.context.set_offline(False)


def open_second_pairing(page: Page, shown: Locator) -> None:
    """By the keyboard, and again where the event went on meanwhile, which draws the bracket anew."""

    def is_open() -> bool:
        if shown.count() == 0:
            page.get_by_test_id("bracket").get_by_role("button").first.focus()
            page.keyboard.press("ArrowRight")
            page.keyboard.press("Enter")
            page.wait_for_timeout(1000)
        return shown.count() > 0

    wait_until(is_open, "the pairing is open")


def enter_house_bots(page: Page) -> None:
    """One by the control of organisers, and one that is taken out again."""
    enter = form(page, "Enter a house bot")
    entrants = page.get_by_test_id("entrants")
    for name in (ENTRANTS[0], "Keystone"):
        enter.get_by_label("House bot").select_option(name)
        # While the one before is sent, it is not: keys, unlike clicks, would not wait.
        expect(enter.get_by_role("button")).to_be_enabled()
        enter.get_by_role("button").press("Enter")
        expect(entrants.get_by_role("row").filter(has_text=name)).to_contain_text("house bot, outside the prizes")
        expect(page.get_by_test_id("organise").get_by_role("status")).to_have_text(f"{name} takes part.")
    assert "Keystone" not in enter.get_by_label("House bot").inner_text()
    accessible(page)
    page.get_by_role("button", name="Withdraw Keystone").press("Enter")
    expect(entrants.get_by_role("row")).to_have_count(2)


def rerun(page: Page) -> None:
    """Has the match of this page played again, by the keyboard, and goes to its rerun, which is over."""
    first = page.url.rsplit("/", 1)[1]
    page.get_by_text("Rerun the match…").focus()
    page.keyboard.press("Enter")
    asked_for = form(page, "Rerun the match")
    asked_for.get_by_label("Reason").fill("The hall was dark.")
    accessible(page)
    asked_for.get_by_label("Reason").press("Enter")
    said = page.get_by_test_id("reruns")
    expect(said).to_contain_text("Reason: The hall was dark.")
    expect(page.get_by_text("Rerun the match…")).to_have_count(0)
    accessible(page)
    said.get_by_role("link").click()
    expect(said).to_contain_text(f"match {first} played again")
    expect(page.get_by_text("Annul the match…")).to_be_visible(timeout=1000 * PATIENCE_S)


def test_a_number_that_is_refused_is_named_below_the_form(browser: Browser, arena: Arena) -> None:
    with browser.new_context(base_url=arena.url) as context:
        context.set_default_timeout(1000 * PATIENCE_S)
        page = context.new_page()
        organiser(page, arena, "Edith")
        page.goto("/events/new")
        new = form(page, "New event")
        new.get_by_label("Name").fill("Autumn cup")
        new.get_by_label("Bots of one person").fill("-3")
        new.get_by_test_id("save-event").press("Enter")
        expect(new.get_by_role("alert")).to_contain_text("Bots of one person: Input should be greater than")
        expect(new.get_by_label("Bots of one person")).to_be_focused()
        expect(new.get_by_label("Name")).to_have_value("Autumn cup")


def test_saving_an_event_keeps_what_another_organiser_changed_meanwhile(page: Page, arena: Arena) -> None:
    organiser(page, arena, "Barbara")
    page.goto("/events/new")
    new = form(page, "New event")
    new.get_by_label("Name").fill("Winter cup")
    new.get_by_test_id("save-event").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Winter cup")
    address = page.url.removeprefix(arena.url)
    organise = page.get_by_test_id("organise")
    organise.get_by_text("Change it").click()
    change = form(page, "Change the event")
    change.get_by_label("About it").fill("In the great hall.")
    for day in (20, 21):
        deadline = f"2040-01-{day}T12:00:00Z"
        asked(page, arena, "PATCH", address, {"deadline": deadline})
        expect(page.get_by_text(f"{day} Jan 2040").first).to_be_visible()
        # It follows what others change, but what was typed stays.
        expect(change.locator("input[name=deadline]")).to_have_value(re.compile(f"^2040-01-{day}T"))
        change.get_by_label("About it").fill(f"In the great hall, until the {day}th.")
        with page.expect_response(lambda answer: answer.request.method == "PATCH") as saved:
            change.get_by_test_id("save-event").press("Enter")
        assert saved.value.request.post_data_json == {"about": f"In the great hall, until the {day}th."}
        found = page.request.get(f"/api/v1{address}").json()
        assert found["deadline"] == deadline
        assert found["about"] == f"In the great hall, until the {day}th."


def test_the_log_of_an_event_goes_on_beyond_its_first_page(page: Page, arena: Arena) -> None:
    organiser(page, arena, "Edsger")
    page.goto("/events/new")
    form(page, "New event").get_by_label("Name").fill("Autumn cup")
    form(page, "New event").get_by_test_id("save-event").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Autumn cup")

    def of_150(route: Route) -> None:
        below = int(parse_qs(urlsplit(route.request.url).query).get("before", ["151"])[0])
        found = route.fetch().json()["items"][0]
        route.fulfill(json={"items": [{**found, "id": one} for one in range(below - 1, max(below - 101, 0), -1)]})

    page.route("**/api/v1/audit?event=*", of_150)
    page.reload()
    log = page.get_by_test_id("organise").get_by_role("group").filter(has_text="What organisers did")
    log.get_by_text("What organisers did (100 or more)").click()
    expect(log.get_by_role("listitem")).to_have_count(100)
    log.get_by_role("button", name="Older").click()
    expect(log.get_by_role("listitem")).to_have_count(150)
    expect(log.get_by_role("button", name="Older")).to_have_count(0)
    expect(log.get_by_text("What organisers did (150)")).to_be_visible()


def test_visitors_see_no_way_to_organise(page: Page, arena: Arena) -> None:
    page.goto("/events")
    expect(page.get_by_role("heading", level=1)).to_have_text("Events")
    wait_until(lambda: page.title().startswith("Events"), "the page is ready")
    expect(page.get_by_test_id("new-event")).to_have_count(0)
    page.goto("/events/new")
    expect(page.get_by_text("Only organisers can hold an event.")).to_be_visible()
    expect(page.get_by_test_id("save-event")).to_have_count(0)


def test_what_organisers_do_is_on_all_open_pages_at_once(page: Page, arena: Arena) -> None:
    organiser(page, arena, "Grace")
    page.goto("/games/yavalath")
    watching = page.context.new_page()
    watching.goto("/games/yavalath")
    expect(watching.get_by_role("heading", name="Leaderboard", exact=True)).to_be_visible()
    page.goto("/organise")
    said = form(page, "Announcement")
    said.get_by_role("button", name="Announce").press("Enter")
    expect(said.get_by_role("alert")).to_have_text("Enter the announcement.")
    said.get_by_label("Announcement on all pages").fill("Pizza at six.")
    said.get_by_label("Announcement on all pages").press("Enter")
    bar = watching.get_by_test_id("announcement")
    expect(bar).to_contain_text("Pizza at six.")
    ladders = page.get_by_role("region", name="Ladders").get_by_role("listitem").filter(has_text="Yavalath")
    ladders.get_by_text("Freeze…").click()
    ladders.get_by_label("Reason").fill("Marks are made.")
    ladders.get_by_label("Reason").press("Enter")
    expect(watching.get_by_test_id("frozen")).to_contain_text("Marks are made.")
    accessible(page)
    ladders.get_by_role("button", name="Resume Yavalath").click()
    expect(watching.get_by_test_id("frozen")).to_have_count(0)
    bar.get_by_role("button", name="Hide").click()
    expect(bar).to_have_count(0)
    watching.reload()
    expect(watching.get_by_role("heading", name="Leaderboard", exact=True)).to_be_visible()
    expect(bar).to_have_count(0)
    log = page.get_by_role("region", name="What organisers did").get_by_role("listitem")
    page.reload()
    expect(log.first).to_contain_text("thaw ladder")
    expect(log.nth(2)).to_contain_text("Pizza at six.")
    page.get_by_role("button", name="Withdraw: Pizza at six.").click()
    expect(page.get_by_test_id("announcement")).to_have_count(0)


@pytest.mark.timeout(6 * PATIENCE_S)
def test_heats_from_the_form_to_the_projector(page: Page, arena: Arena) -> None:
    organiser(page, arena, "Tony")
    page.goto("/events/new")
    new = form(page, "New event")
    new.get_by_label("Game").select_option("yavalath")
    assert "Heats" not in new.get_by_label("Stage 1").inner_text()
    new.get_by_label("Game").select_option("tron")
    expect(new.get_by_label("Form")).to_have_value("heats")
    assert "Knockout" in new.get_by_label("Stage 1").inner_text()
    new.get_by_label("Name").fill("Night race")
    for stage, (rounds, games) in enumerate(((2, 3), (1, 4))):
        new.get_by_label("Rounds", exact=True).nth(stage).fill(str(rounds))
        new.get_by_label("Games of a heat").nth(stage).fill(str(games))
    expect(new.get_by_text("In heats of 2 or 4 some sit in a seat once more than others")).to_be_visible()
    new.get_by_label("How many entrants to count with").fill("6")
    expect(new.get_by_test_id("preview")).to_contain_text("At most 16 games (12 + 4)")
    accessible(page)
    new.get_by_test_id("save-event").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Night race")

    address = page.url.removeprefix(arena.url)
    with urlopen(f"{arena.url}/api/v1/games/tron/leaderboard?limit=50") as answer:
        bots = [row["bot_id"] for row in json.load(answer)["items"]]
    for bot in bots[:6]:
        asked(page, arena, "POST", f"{address}/entries", {"bot": bot})
    soon = datetime.now(UTC) + timedelta(seconds=2)
    asked(page, arena, "PATCH", address, {"deadline": soon.isoformat()})
    expect(page.get_by_role("heading", name="Final table")).to_be_visible(timeout=2000 * PATIENCE_S)
    tables = page.get_by_test_id("heat-table")
    expect(tables).to_have_count(2)
    winner = page.get_by_test_id("entrants").get_by_role("row").nth(1).get_by_role("link").first.inner_text()
    # The stage that was played last comes first.
    expect(tables.first.get_by_role("row").nth(1)).to_contain_text(winner)
    expect(tables.last.get_by_role("row")).to_have_count(7)
    heat = page.get_by_test_id("heat").first
    heat.focus()
    page.keyboard.press("Enter")
    games = page.get_by_test_id("games")
    expect(games.get_by_role("link")).to_have_count(4)
    accessible(page)
    games.get_by_role("link", name="Game 1", exact=True).click()
    page.get_by_role("link", name="Night race").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Night race")

    page.goto(f"{address}/show")
    page.get_by_test_id("prepare").press("Enter")
    page.locator("[data-slide=title]").wait_for(timeout=1000 * PATIENCE_S)
    page.context.set_offline(True)
    kinds = ["title"]
    for _ in range(MOST_SLIDES):
        page.keyboard.press("Space")
        kinds.append(slide(page))
        if kinds[-1] == "heat-game":
            page.locator("[data-slide=heat-game][data-ready=true]").wait_for()
            page.keyboard.press("Space")
            page.locator("[data-slide=heat-game][data-over=true]").wait_for()
        if kinds[-1] == "end":
            break
    assert kinds[:4] == ["title", "table", "heat", "heat-game"]
    assert kinds.count("heat-game") >= 4
    assert kinds[-3:] == ["heat-result", "table", "end"]
    page.context.set_offline(False)
