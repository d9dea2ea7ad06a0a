"""A class in a real browser: a second organiser, and a report of sources that are alike."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Dialog, FilePayload, Page, Route, expect

from tests.conftest import PATIENCE_S, wait_until
from tests.e2e.conftest import Arena
from tests.e2e.test_accounts import form, sign_out, sign_up
from tests.e2e.test_events import accessible, asked, organiser

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.sandbox]
LADDER_RESTS = True

ROSTER = b"name,mail,group\nZoe Quux,zoe@uni.example,A\nBob Ray,bob@uni.example,B\n"


BOT = """\
import sys

# {name}'s bot.

def {scan}({board}):
    best, {value} = None, -1
    for y, line in enumerate({board}):
        for x, cell in enumerate(line):
            if cell == "0" and len(line) - abs(x - 4) - abs(y - 4) > {value}:
                best, {value} = (x, y), len(line) - abs(x - 4) - abs(y - 4)
    return best

input()
while True:
    {board} = [input() for _ in range(int(input()))]
    input()
    print(*{scan}({board}), flush=True)
"""
"""Two students' code with other names in it."""
WORDS = (
    {"name": "Zoe", "scan": "nearest", "board": "rows", "value": "score"},
    {"name": "Bob", "scan": "find_cell", "board": "grid", "value": "most"},
)


def new_class(page: Page, name: str) -> tuple[str, list[str]]:
    """Makes a class of two students: the address of its page, and their codes."""
    page.goto("/classes")
    made = form(page, "New class")
    made.get_by_label("Name").fill(name)
    made.get_by_label("Game").select_option("yavalath")
    made.get_by_role("button", name="Make the class").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    address = page.url.partition("/classes/")[2]
    origin = page.url.partition("/classes/")[0]
    file = {"name": "roster.csv", "mimeType": "text/csv", "buffer": ROSTER}
    answer = page.request.post(
        f"/api/v1/classes/{address}/roster", multipart={"file": file}, headers={"Origin": origin}
    )
    assert answer.ok, answer.text()
    page.reload()
    return f"/classes/{address}", [one["code"] for one in answer.json()["codes"]]


def submit(browser: Browser, arena: Arena, code: str, words: dict[str, str]) -> None:
    """A student signs in with his code and has a bot on the ladder."""
    with browser.new_context(base_url=arena.url) as context:
        headers = {"Origin": arena.url}
        given = {"code": code, "password": "correct horse"}
        signed_in = context.request.post("/api/v1/sign-in/code", data=given, headers=headers)
        assert signed_in.ok, signed_in.text()
        bot = {"game": "yavalath", "bot": words["name"], "language": "python", "source": BOT.format(**words)}
        made = context.request.post("/api/v1/submissions", data=bot, headers=headers)
        assert made.ok, made.text()
        address = f"/api/v1/submissions/{made.json()['id']}"
        wait_until(lambda: context.request.get(address).json()["state"] == "live", "the bot is on the ladder")


def test_a_second_organiser_is_named_sees_the_class_and_leaves_it(page: Page, browser: Browser, arena: Arena) -> None:
    organiser(page, arena, "Ada")
    address, _ = new_class(page, "Bots 101")
    with browser.new_context(base_url=arena.url, viewport={"width": 1280, "height": 800}) as context:
        context.set_default_timeout(1000 * PATIENCE_S)
        second = context.new_page()
        sign_up(second, "Grace")
        named = form(page, "Organisers of this class")
        named.get_by_label("Name of the account").fill("Grace")
        named.get_by_label("Name of the account").press("Enter")
        expect(page.get_by_role("status").filter(has_text="Grace organises this class, too.")).to_be_visible()
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            accessible(page)

        second.goto("/classes")
        second.get_by_role("link", name="Bots 101").click()
        expect(second.get_by_text("Zoe Quux").first).to_be_visible()
        expect(second.get_by_role("button", name="Delete the class")).to_have_count(0)
        second.get_by_role("button", name="Remove Grace").press("Enter")
        expect(second.get_by_text("You are not in a class.")).to_be_visible()
        second.goto(address)
        expect(second.get_by_role("alert")).to_contain_text("You have no class")


def test_sources_that_are_alike_are_reported_and_shown_side_by_side(page: Page, browser: Browser, arena: Arena) -> None:
    organiser(page, arena, "Olga")
    address, codes = new_class(page, "Bots 102")
    for code, words in zip(codes, WORDS, strict=True):
        submit(browser, arena, code, words)
    page.get_by_role("button", name="Compare sources").press("Enter")
    pairs = page.get_by_test_id("similar").get_by_role("row")
    expect(pairs).to_have_count(2, timeout=1000 * PATIENCE_S)
    expect(pairs.nth(1)).to_contain_text("Zoe Quux")
    expect(pairs.nth(1)).to_contain_text("Bob Ray")
    accessible(page)
    pairs.nth(1).get_by_role("link", name="side by side").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Similar sources")
    for student, words in zip(("Zoe Quux", "Bob Ray"), WORDS, strict=True):
        expect(page.get_by_role("region", name=f"Code of {student}")).to_contain_text(f"def {words['scan']}")
    run = page.get_by_role("button", name="Common run 1: show it in both")
    expect(run).to_have_count(2)
    run.first.press("Enter")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        accessible(page)
    page.get_by_role("link", name="The class").press("Enter")
    expect(page).to_have_url(f"{arena.url}{address}")


def test_the_link_to_a_class_leads_a_student_to_his_code_and_back(page: Page, browser: Browser, arena: Arena) -> None:
    organiser(page, arena, "Lin")
    address, codes = new_class(page, "Bots 303")
    with browser.new_context(base_url=arena.url, viewport={"width": 390, "height": 844}) as context:
        context.set_default_timeout(1000 * PATIENCE_S)
        student = context.new_page()
        student.goto(address)
        expect(student.get_by_role("heading", level=1)).to_have_text("Sign in to your class")
        student.locator("main").get_by_role("link", name="Sign in").click()
        ways = student.locator("main form h2")
        expect(ways).to_have_text(["Sign in", "Code from your course", "Sign up"])
        # The printed slip names the account page alone.
        student.goto(f"/account?code={codes[0]}")
        expect(ways).to_have_text(["Code from your course", "Sign in", "Sign up"])
        form(student, "Code from your course").get_by_label("New password").fill("correct horse")
        student.get_by_role("button", name="Sign in with the code").click()
        expect(student.get_by_role("heading", level=1)).to_have_text("Bots 303")


def test_a_class_follows_who_signs_in_and_out_in_another_tab(page: Page, browser: Browser, arena: Arena) -> None:
    organiser(page, arena, "Tim")
    address, codes = new_class(page, "Bots 304")
    with browser.new_context(base_url=arena.url, viewport={"width": 1280, "height": 800}) as context:
        context.set_default_timeout(1000 * PATIENCE_S)
        student, other = context.new_page(), context.new_page()
        heading = student.get_by_role("heading", level=1)
        student.goto(address)
        expect(heading).to_have_text("Sign in to your class")
        other.goto(f"/account?code={codes[0]}")
        form(other, "Code from your course").get_by_label("New password").fill("correct horse")
        other.get_by_role("button", name="Sign in with the code").click()
        expect(other.get_by_role("heading", level=1)).to_have_text("Bots 304")
        expect(heading).to_have_text("Bots 304")
        sign_out(other)
        expect(heading).to_have_text("Sign in to your class")
        sign_up(other, "Kathleen")
        expect(heading).to_have_text("Not found")


def test_a_deadline_is_moved_and_an_assignment_deleted(page: Page, arena: Arena) -> None:
    organiser(page, arena, "Dot")
    new_class(page, "Bots 404")
    new = form(page, "New assignment")
    new.get_by_label("Name").fill("Week 1")
    made = new.get_by_role("button", name="Make the assignment")
    new.get_by_label("Deadline").fill("2040-01-01T10:00")
    made.press("Enter")
    card = page.get_by_role("article").filter(has_text="Week 1")
    expect(card).to_contain_text("1 Jan 2040, 10:00")
    expect(made).to_be_focused()

    card.get_by_text("Late days", exact=True).press("Enter")
    late = card.get_by_role("form", name="Late days")
    late.get_by_label("For").select_option(label="Zoe Quux")
    late.get_by_label("Why").fill("moved house")
    late.get_by_role("button", name="Extend").press("Enter")
    expect(card).to_contain_text("Zoe Quux: the deadline is now 2 Jan 2040, 10:00.")
    expect(late.get_by_role("button", name="Extend")).to_be_focused()

    card.get_by_text("Move the deadline, or delete").press("Enter")
    accessible(page)
    card.get_by_label("Deadline for everybody").fill("2041-01-01T10:00")
    card.get_by_role("button", name="Move the deadline").press("Enter")
    expect(card).to_contain_text("The deadline is now 1 Jan 2041, 10:00.")
    page.clock.set_fixed_time("2050-01-01")  # of this computer alone
    page.reload()
    expect(card).to_contain_text("Deadline 1 Jan 2041, 10:00. What counts")
    card.get_by_text("Move the deadline, or delete").press("Enter")
    page.once("dialog", lambda dialog: dialog.accept())
    card.get_by_role("button", name="Delete the assignment").press("Enter")
    expect(card).to_have_count(0)


def version(page: Page, arena: Arena, source: str) -> int:
    """Submits a version of a bot of whoever is signed in: its id, once it is on the ladder."""
    bot = {"game": "yavalath", "bot": "Eve1", "language": "python", "source": source}
    made = page.request.post("/api/v1/submissions", data=bot, headers={"Origin": arena.url})
    assert made.ok, made.text()
    id = int(made.json()["id"])
    address = f"/api/v1/submissions/{id}"
    wait_until(lambda: page.request.get(address).json()["state"] == "live", "the version is on the ladder")
    return id


def test_what_changed_between_two_versions_fits_a_phone(page: Page, arena: Arena) -> None:
    sign_up(page, "Eve")
    long = f"# {'why ' * 60}\n"
    first, second = (version(page, arena, begin + BOT.format(**WORDS[0])) for begin in ("", long))
    met = [{"opponent_id": 1, "opponent": "Somebody with a long name", "won": 13, "drawn": 10, "lost": 14}]
    page.route("**/api/v1/bots/*/opponents*", lambda route: route.fulfill(json={"items": met}))
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/diff?old={first}&new={second}")
    for name in ("Results before and after", "Changes of bot.py"):
        shown = page.get_by_role("region", name=name)
        expect(shown).to_be_visible()
        assert shown.evaluate("box => box.scrollWidth <= box.clientWidth"), name
    accessible(page)


def csv(name: str, rows: str) -> FilePayload:
    """A roster to choose."""
    return {"name": name, "mimeType": "text/csv", "buffer": f"name,mail,group\n{rows}".encode()}


def test_what_is_imported_is_the_roster_that_was_previewed_last(page: Page, arena: Arena) -> None:
    organiser(page, arena, "Fay")
    new_class(page, "Bots 505")
    held: list[Route] = []

    def hold_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)

    page.route("**/roster", hold_first)
    chosen = page.get_by_test_id("roster-file")
    chosen.set_input_files([csv("first.csv", "Kim Poe,kim@uni.example,A\nLou Fox,lou@uni.example,A\n")])
    wait_until(lambda: page.title() and held, "the first preview is under way")
    chosen.set_input_files([csv("second.csv", "Max Orr,max@uni.example,B\n")])
    plan = page.get_by_test_id("plan")
    expect(plan).to_contain_text("second.csv, read as")
    expect(plan).to_contain_text("1 new")
    with page.expect_response("**/roster"):
        held[0].continue_()
    expect(plan).to_contain_text("1 new")
    page.get_by_test_id("import").press("Enter")
    expect(page.get_by_role("status").filter(has_text="1 student added")).to_be_visible()
    members = page.get_by_test_id("members")
    expect(members).to_contain_text("Max Orr")
    expect(members).not_to_contain_text("Kim Poe")


def test_students_who_are_gone_already_stop_neither_a_removal_nor_a_move(browser: Browser, arena: Arena) -> None:
    with browser.new_context(base_url=arena.url) as context:
        context.set_default_timeout(1000 * PATIENCE_S)
        page = context.new_page()
        organiser(page, arena, "Gil")
        address, _ = new_class(page, "Bots 606")
        answer = page.request.get(f"/api/v1{address}/members")
        ids = {one["name"]: one["id"] for one in answer.json()["items"]}

        def choose_both_while_one_goes(name: str) -> None:
            page.get_by_label("Choose Bob Ray").check()
            page.get_by_label("Choose Zoe Quux").check()
            asked(page, arena, "DELETE", f"{address}/members/{ids[name]}", {})

        def import_again() -> None:
            page.get_by_test_id("roster-file").set_input_files([csv("roster.csv", ROSTER.decode().split("\n", 1)[1])])
            expect(page.get_by_test_id("import")).to_be_enabled()
            page.get_by_test_id("import").press("Enter")
            expect(page.get_by_label("Choose Bob Ray")).to_be_visible()

        page.on("dialog", lambda dialog: dialog.accept())
        choose_both_while_one_goes("Bob Ray")
        page.get_by_role("button", name="Move", exact=True).press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("There is no member")
        expect(page.get_by_label("Choose Bob Ray")).to_have_count(0)
        expect(page.get_by_text("Move the 1 chosen to")).to_be_visible()
        page.get_by_role("button", name="Move", exact=True).press("Enter")
        expect(page.get_by_role("status").filter(has_text="1 student moved to no team.")).to_be_visible()

        import_again()
        answer = page.request.get(f"/api/v1{address}/members")
        ids = {one["name"]: one["id"] for one in answer.json()["items"]}
        choose_both_while_one_goes("Bob Ray")
        page.get_by_role("button", name="Remove", exact=True).press("Enter")
        expect(page.get_by_role("status").filter(has_text="2 students taken off the roster.")).to_be_visible()
        expect(page.get_by_text("No students yet.")).to_be_visible()


def test_who_is_chosen_stays_so_while_others_are_sought(page: Page, arena: Arena) -> None:
    organiser(page, arena, "Una")
    new_class(page, "Bots 1212")
    page.get_by_label("Choose Bob Ray").check()
    sought = page.get_by_label("Find")
    sought.fill("zoe")
    expect(page.get_by_label("Choose Bob Ray")).to_have_count(0)
    page.get_by_label("Choose Zoe Quux").check()
    expect(page.get_by_role("button", name="New codes for the 2 chosen")).to_be_visible()
    expect(page.get_by_text("1 of the 2 chosen is not shown.")).to_be_visible()
    page.get_by_label("Choose Zoe Quux").uncheck()
    sought.fill("")
    expect(page.get_by_label("Choose Bob Ray")).to_be_checked()
    expect(page.get_by_label("Choose Zoe Quux")).not_to_be_checked()
    expect(page.get_by_text("not shown.")).to_have_count(0)


def test_codes_that_are_still_valid_are_not_replaced_without_a_question(
    page: Page, browser: Browser, arena: Arena
) -> None:
    organiser(page, arena, "Hal")
    _, codes = new_class(page, "Bots 707")
    asked_for: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        asked_for.append(dialog.message)
        dialog.dismiss()

    page.once("dialog", dismiss)
    renew = page.get_by_role("button", name="New codes for the 2 who have not signed in")
    renew.press("Enter")
    expect(renew).to_be_enabled()
    assert asked_for == [
        "Make new codes? 2 students have codes that are still valid: with a new one the one before stops working."
    ]
    with browser.new_context(base_url=arena.url) as context:
        given = {"code": codes[0], "password": "correct horse"}
        answer = context.request.post("/api/v1/sign-in/code", data=given, headers={"Origin": arena.url})
        assert answer.ok, answer.text()
    page.reload()
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="New codes for the 1 who have not signed in").press("Enter")
    expect(page.get_by_test_id("codes").get_by_role("listitem")).to_have_count(1)
    expect(page.get_by_test_id("codes")).not_to_contain_text(codes[1])
