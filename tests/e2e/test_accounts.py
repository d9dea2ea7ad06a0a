"""Accounts in a real browser: from a guest's bot to an account, by password and by OpenID, and out of it again."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from oidc_provider_mock import User, run_server_in_thread
from playwright.sync_api import Browser, Locator, Page, expect

from tests.conftest import PATIENCE_S, wait_until
from tests.e2e.conftest import Arena, wait_in_page
from tests.e2e.test_first_visit import AXE, PLAYED_MS, TOO_NARROW, change_the_code
from tests.e2e.test_loop import write

# The provider, a thread of this process, still uses old names of Authlib.
pytestmark = [
    pytest.mark.e2e,
    pytest.mark.long,
    pytest.mark.sandbox,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

PASSWORD = "correct horse battery"
VIOLATIONS = "axe.run().then(result => result.violations.map(one => [one.id, one.nodes.map(n => n.html)]))"
GRACE = User(sub="grace-1", claims={"preferred_username": "Grace", "email": "grace@example.org"})
BOT = """\
input()
while True:
    rows = [input() for _ in range(int(input()))]
    input()
    print(next(f"{x} {y}" for y, row in enumerate(rows) for x, stone in enumerate(row) if stone == "0"), flush=True)
"""


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    """An arena that knows a university."""
    with run_server_in_thread(user_claims=[GRACE]) as provider:
        university = {
            "id": "uni",
            "title": "University",
            "issuer": f"http://localhost:{provider.server_port}",
            "client_id": "x",
            "client_secret": "y",
        }
        running = Arena(
            tmp_path_factory.mktemp("arena"), HEXARENA_OIDC=json.dumps([university]), HEXARENA_FILL_IN_S="0"
        )
        running.start()
        yield running
        running.stop()
        print(running.said())


@pytest.fixture
def refused(browser: Browser, arena: Arena) -> Iterator[Page]:
    """A visitor of whom the arena may refuse something."""
    context = browser.new_context(base_url=arena.url, viewport={"width": 1280, "height": 800})
    context.set_default_timeout(1000 * PATIENCE_S)
    yield context.new_page()
    context.close()


def submit(page: Page, name: str) -> int:
    """Submits the starter from the editor. Returns the bot's id."""
    page.goto("/play/yavalath")
    page.get_by_test_id("submit").click()
    page.get_by_test_id("bot-name").fill(name)
    page.get_by_test_id("submit-confirm").click()
    link = page.get_by_test_id("standing").get_by_role("link", name=name)
    return int((link.get_attribute("href") or "").rpartition("/")[2])


def form(page: Page, name: str) -> Locator:
    return page.get_by_role("form", name=name)


def sign_in(page: Page, name: str) -> None:
    page.goto("/account")
    form(page, "Sign in").get_by_label("Name").fill(name)
    form(page, "Sign in").get_by_label("Password", exact=True).fill(PASSWORD)
    form(page, "Sign in").get_by_label("Password", exact=True).press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def sign_out(page: Page) -> None:
    page.goto("/account")
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_text("You are signed out.")).to_be_visible()


def sign_up(page: Page, name: str) -> None:
    page.goto("/account")
    form(page, "Sign up").get_by_label("Name").fill(name)
    form(page, "Sign up").get_by_label("Password", exact=True).fill(PASSWORD)
    form(page, "Sign up").get_by_label("Password", exact=True).press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def own_bots(page: Page) -> dict[str, int]:
    return {bot["name"]: bot["id"] for bot in page.request.get("/api/v1/bots?mine=true").json()["items"]}


def test_a_guests_bots_follow_him_into_his_account_and_leave_with_it(page: Page, tmp_path: Path) -> None:
    page.on("dialog", lambda question: question.accept())
    first = submit(page, "kept")
    page.get_by_role("link", name="Keep your bots: sign up").click()
    expect(page.get_by_role("main")).to_contain_text("Your 1 bot, your drafts and your matches come along")
    sign_up(page, "Ada Lovelace")
    expect(page.get_by_role("region", name="What you used")).to_contain_text("of 50 MB")
    assert own_bots(page) == {"kept": first}

    page.goto(f"/bots/{first}")
    page.get_by_test_id("deletion").get_by_text("Delete this bot…").click()
    page.get_by_label("Its name, to confirm").fill("not this one")
    page.get_by_role("button", name="Delete the bot").click()
    expect(page.get_by_role("alert")).to_have_text("Enter kept.")
    page.get_by_label("Its name, to confirm").fill("kept")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="No bots yet")).to_be_visible()

    other_tab = page.context.new_page()
    other_tab.goto("/matches")
    expect(other_tab.get_by_role("link", name="Ada Lovelace")).to_be_visible()
    page.get_by_role("link", name="Ada Lovelace").click()
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_text("You are signed out.")).to_be_visible()
    assert own_bots(page) == {}
    expect(other_tab.get_by_role("link", name="Sign in")).to_be_visible()
    expect(other_tab.get_by_role("link", name="Ada Lovelace")).to_have_count(0)
    other_tab.close()

    second = submit(page, "my-bot")
    expect(page.get_by_test_id("standing")).to_have_attribute("data-state", "live", timeout=PLAYED_MS)
    page.get_by_role("link", name="Sign up to keep them").click()
    page.get_by_role("link", name="Continue with University").click()
    page.get_by_role("button", name=GRACE.sub).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Grace")
    expect(page.get_by_test_id("ways")).to_have_text("University")
    assert own_bots(page) == {"my-bot": second}

    form(page, "New token").get_by_label("New token").fill("laptop")
    page.get_by_role("button", name="Make token").click()
    line = page.get_by_test_id("made").get_by_test_id("secret").nth(1).inner_text()
    (tmp_path / "bot.py").write_text(BOT)
    sent = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, check=True, timeout=PATIENCE_S)
    submission = json.loads(sent.stdout)
    assert (submission["bot_id"], submission["version"]) == (second, 2)
    page.reload()
    expect(page.locator('[data-token="laptop"]')).to_contain_text("1 request")
    expect(page.get_by_text("hxt_")).to_have_count(0)

    page.goto(f"/bots/{second}")
    page.get_by_role("button", name="Delete code of v1").click(timeout=PLAYED_MS)  # once v2 has replaced it
    expect(page.get_by_text("code deleted")).to_be_visible()

    page.goto("/account")
    page.get_by_text("Delete your account…").click()
    page.get_by_label("Your name, to confirm").fill("grace")
    page.get_by_role("button", name="Delete your account").click()
    expect(page.get_by_text("All that was yours is deleted.")).to_be_visible()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()
    page.goto(f"/bots/{second}")
    expect(page.get_by_role("heading", level=1)).to_have_text("A deleted bot")
    expect(page.get_by_text("code deleted")).to_have_count(2)


def test_what_is_wrong_is_said_beside_its_field_and_nothing_typed_is_lost(refused: Page) -> None:
    page = refused
    sign_up(page, "Taken")
    page.get_by_role("button", name="Sign out", exact=True).click()

    ways = form(page, "Sign up")
    name, password = ways.get_by_label("Name"), ways.get_by_label("Password", exact=True)
    mail = ways.get_by_label("Mail")
    ways.get_by_role("button", name="Sign up").click()
    expect(ways.get_by_role("alert")).to_have_text(["Choose a name.", "Choose a password."])
    expect(name).to_be_focused()
    name.fill("taken")
    password.fill(PASSWORD)
    mail.fill("me@example.org")
    mail.press("Enter")
    expect(name).to_have_accessible_description(re.compile("This name is taken"))
    name.fill("Free")
    password.fill("short")
    mail.press("Enter")
    expect(password).to_have_accessible_description(re.compile("8 to 200 characters"))
    expect(password).to_be_focused()
    password.fill(PASSWORD)
    mail.fill("nowhere")
    mail.press("Enter")
    expect(mail).to_have_accessible_description(re.compile("This is not an email address"))
    expect(name).to_have_value("Free")
    expect(password).to_have_value(PASSWORD)
    ways.get_by_role("button", name="I have an invitation").click()
    mail.fill("")
    ways.get_by_label("Invitation").fill("abcd-efgh-jkmn")
    ways.get_by_label("Invitation").press("Enter")
    expect(ways.get_by_label("Invitation")).to_have_accessible_description(re.compile("not valid"))

    known = form(page, "Sign in")
    known.get_by_label("Name").fill("Taken")
    known.get_by_label("Password", exact=True).fill("wrong")
    known.get_by_label("Password", exact=True).press("Enter")
    expect(known.get_by_label("Password", exact=True)).to_have_accessible_description("Name or password is wrong.")
    expect(known.get_by_label("Name")).to_have_value("Taken")

    page.goto("/account?problem=denied")
    expect(page.get_by_role("alert")).to_contain_text("Nothing has changed")


def test_an_organiser_invites_and_makes_organisers(page: Page, browser: Browser, arena: Arena) -> None:
    page.on("dialog", lambda question: question.accept())
    sign_up(page, "Olga")
    command = [sys.executable, "-m", "hexarena.cli.app", "user", "role", "Olga", "organiser"]
    subprocess.run(command, env=arena.environment(), check=True, timeout=PATIENCE_S)
    page.reload()
    page.get_by_role("link", name="Organise").click()
    form(page, "New invitation").get_by_label("Note").fill("spring class")
    page.get_by_role("button", name="Make invitation").click()
    invitation = page.get_by_test_id("made").get_by_test_id("secret").nth(1).inner_text()
    expect(page.get_by_test_id("invites")).to_contain_text("spring class")

    with browser.new_context(base_url=arena.url) as context:
        context.set_default_timeout(1000 * PATIENCE_S)
        student = context.new_page()
        student.goto(invitation)
        ways = form(student, "Sign up")
        ways.get_by_label("Name").fill("Sofia")
        ways.get_by_label("Password", exact=True).fill(PASSWORD)
        ways.get_by_role("button", name="Sign up").click()
        expect(student.get_by_role("heading", level=1)).to_have_text("Sofia")

    page.reload()
    expect(page.get_by_text("None is valid now.")).to_be_visible()
    page.get_by_label("Search").fill("sof")
    expect(page.get_by_test_id("accounts").locator("tbody tr")).to_have_count(1)
    bottoms = "row => new Set([...row.cells].map(cell => Math.round(cell.getBoundingClientRect().bottom))).size"
    assert page.locator('[data-user="Sofia"]').evaluate(bottoms) == 1, "a line of the table is straight"
    page.get_by_role("button", name="Make an organiser: Sofia").click()
    expect(page.locator('[data-user="Sofia"]')).to_contain_text("organiser")
    log = page.get_by_test_id("audit").get_by_role("listitem")
    expect(log.first).to_contain_text("change role")
    # What is done in another tab appears, too.
    with page.context.expect_page() as opened:
        page.evaluate("open('/organise')")
    other = opened.value
    other.on("dialog", lambda question: question.accept())
    other.get_by_role("button", name="Make a user: Sofia").click()
    expect(other.get_by_test_id("audit").get_by_role("listitem").first).to_contain_text("role: user")
    other.close()
    expect(log.first).to_contain_text("role: user")

    page.get_by_role("link", name="How the arena is doing").click()
    expect(page.get_by_test_id("ready")).to_have_text("Ready")
    body = {"game": "yavalath", "language": "python", "source": "print('4 4')"}
    assert page.request.post("/api/v1/matches", data=body, headers={"Origin": arena.url}).ok
    # The arena plays, and the page counts on without a reload.
    expect(page.get_by_test_id("the-last-hour").get_by_role("row").nth(1)).to_contain_text(re.compile(r"\d"))
    crash_on_the_ladder(page)
    page.reload()
    newest = page.get_by_test_id("newest-faults").get_by_role("listitem").first
    expect(newest).to_contain_text("crash")
    expect(page.get_by_test_id("faults-of-bots-in-hours").get_by_role("row").nth(1)).to_contain_text("Python")
    expect(page.get_by_test_id("deeds")).to_contain_text("Olga")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        looked_at(page, "/status")
    page.get_by_test_id("newest-faults").get_by_role("link", name=re.compile("^crash")).first.press("Enter")
    expect(page).to_have_url(re.compile(r"/matches/\d+"))


def crash_on_the_ladder(page: Page) -> None:
    """Submits a bot that ends at once, and waits for the verdict."""
    body = {"game": "yavalath", "bot": "Icarus", "language": "python", "source": "raise SystemExit('too hot')"}
    headers = {"Origin": page.url.partition("/status")[0]}
    made = page.request.post("/api/v1/submissions", data=body, headers=headers)
    assert made.ok, made.text()
    address = f"/api/v1/submissions/{made.json()['id']}"
    wait_until(lambda: page.request.get(address).json()["state"] == "failed", "it failed its check match")


def submit_a_file_without_an_account(page: Page, arena: Arena) -> None:
    """From a game's page, whose file is nowhere in the browser: signing in keeps the page open."""
    page.goto(f"{arena.url}/games/yavalath")
    chosen = page.get_by_test_id("file")
    chosen.set_input_files({"name": "bot.py", "mimeType": "text/plain", "buffer": b"# a file"})
    page.get_by_test_id("bot-name").fill("vera 1")
    expect(chosen).to_have_value("")  # the same file may be chosen again
    page.get_by_test_id("submit-confirm").click()
    refusal = page.get_by_role("alert")
    expect(refusal).to_contain_text("Sign in or sign up, then submit again.")
    expect(refusal).not_to_contain_text("kept in this browser")
    expect(refusal.get_by_role("link")).to_have_attribute("target", "_blank")


def test_where_there_are_no_guests_the_editor_leads_to_signing_in_and_back_to_the_code(
    tmp_path: Path, refused: Page
) -> None:
    page = refused
    arena = Arena(tmp_path / "arena", HEXARENA_GUESTS="false", HEXARENA_SIGN_UP="invite", HEXARENA_FILL_IN_S="0")
    arena.start()
    try:
        command = [sys.executable, "-m", "hexarena.cli.app", "user", "add", "Vera"]
        made = subprocess.run(command, env=arena.environment(), check=True, capture_output=True, timeout=PATIENCE_S)
        password = made.stdout.decode().split()[-1]
        page.goto(arena.url)
        expect(page.get_by_text("Start from working code")).to_have_text(
            "Start from working code and play your first match."
        )
        page.goto(f"{arena.url}/play/yavalath")
        expect(page.get_by_text("To run and submit bots here, sign in or sign up.")).to_be_visible()
        change_the_code(page, "# not lost")
        submit_a_file_without_an_account(page, arena)
        page.goto(f"{arena.url}/play/yavalath")
        page.get_by_test_id("submit").click()
        page.get_by_test_id("bot-name").fill("vera 1")
        page.get_by_test_id("submit-confirm").click()
        expect(page.get_by_role("alert")).to_contain_text("Sign in first. Sign in or sign up, then submit again.")
        expect(page.get_by_role("alert")).to_contain_text("Your code is kept in this browser.")
        page.get_by_role("button", name="Cancel").click()
        page.get_by_test_id("run").click()
        expect(page.get_by_test_id("status")).to_contain_text("Sign in first.")
        page.get_by_test_id("status").get_by_role("link", name="Sign in or sign up").click()
        expect(form(page, "Sign up").get_by_label("Invitation")).to_be_visible()
        form(page, "Sign in").get_by_label("Name").fill("vera")
        form(page, "Sign in").get_by_label("Password", exact=True).fill(password)
        page.keyboard.press("Enter")
        expect(page.locator(".cm-content")).to_contain_text("# not lost")
        page.get_by_test_id("submit").click()
        expect(page.get_by_test_id("bot-name")).to_have_value("vera 1")
        page.get_by_test_id("submit-confirm").click()
        expect(page.get_by_test_id("standing")).to_contain_text("vera 1")
        page.goto("about:blank")
    finally:
        arena.stop()


def test_another_computer_goes_on_with_the_code_and_neither_loses_any(browser: Browser, arena: Arena) -> None:
    here, there = (browser.new_context(base_url=arena.url, viewport={"width": 1280, "height": 800}) for _ in range(2))
    for context in (here, there):
        context.set_default_timeout(1000 * PATIENCE_S)
    home, lab = here.new_page(), there.new_page()
    sign_up(home, "Hedy")
    expect(home.get_by_role("link", name="Hedy")).to_be_visible()
    home.goto("/play/yavalath")
    write(home, "# at home")
    expect(home.get_by_test_id("status")).to_contain_text("saved in your account")
    lab.goto("/account")
    form(lab, "Sign in").get_by_label("Name").fill("Hedy")
    form(lab, "Sign in").get_by_label("Password", exact=True).fill(PASSWORD)
    form(lab, "Sign in").get_by_label("Password", exact=True).press("Enter")
    expect(lab.get_by_role("link", name="Hedy")).to_be_visible()
    lab.goto("/play/yavalath")
    expect(lab.get_by_test_id("editor")).to_contain_text("# at home")
    here.set_offline(True)
    write(home, "# on the train")
    expect(home.get_by_test_id("status")).to_contain_text("in this browser only")
    write(lab, "# at the lab")
    expect(lab.get_by_test_id("status")).to_contain_text("saved in your account")
    here.set_offline(False)
    reported = home.get_by_test_id("other-draft")
    expect(reported).to_contain_text("Another computer has other code")
    expect(home.get_by_test_id("editor")).to_contain_text("# on the train")
    reported.get_by_text("Show the other").click()
    expect(home.get_by_test_id("editor")).to_contain_text("# at the lab")
    reported.get_by_text("Show the other").click()
    expect(home.get_by_test_id("editor")).to_contain_text("# on the train")
    reported.get_by_text("Keep only this").click()
    expect(reported).to_be_hidden()
    expect(home.get_by_test_id("status")).to_contain_text("saved in your account")
    lab.reload()
    expect(lab.get_by_test_id("editor")).to_contain_text("# on the train")
    for context in (here, there):
        context.close()


def test_accounts_that_share_a_computer_have_each_their_own_code(page: Page) -> None:
    status, code = page.get_by_test_id("status"), page.get_by_test_id("editor")
    sign_up(page, "Emmy")
    page.goto("/play/yavalath")
    write(page, "# of Emmy")
    expect(status).to_contain_text("saved in your account")
    sign_out(page)
    sign_up(page, "Hypatia")
    page.goto("/play/yavalath")
    expect(status).to_contain_text("Python starter code.")
    expect(code).not_to_contain_text("# of Emmy")
    code.click()
    page.keyboard.press("Control+Z")
    expect(code).not_to_contain_text("# of Emmy")
    write(page, "# of Hypatia")
    expect(status).to_contain_text("saved in your account")
    sign_out(page)
    sign_in(page, "Emmy")
    page.goto("/play/yavalath")
    expect(code).to_contain_text("# of Emmy")
    expect(page.get_by_test_id("other-draft")).to_have_count(0)


def test_where_the_browser_has_no_room_the_code_stays_and_the_page_says_so(browser: Browser, arena: Arena) -> None:
    context = browser.new_context(base_url=arena.url, viewport={"width": 1280, "height": 800})
    context.set_default_timeout(1000 * PATIENCE_S)
    context.add_init_script(
        "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }"
    )
    page = context.new_page()
    page.goto("/play/yavalath")
    write(page, "# nowhere")
    status, code = page.get_by_test_id("status"), page.get_by_test_id("editor")
    expect(status).to_contain_text("This browser has no room: your code is not saved here.")
    sign_up(page, "Maria")
    elsewhere = {"source": "# elsewhere", "based_on": 0}
    kept = page.request.put("/api/v1/me/drafts/yavalath/python", data=elsewhere, headers={"Origin": arena.url})
    assert kept.ok, kept.text()
    page.goto("/play/yavalath")
    expect(code).to_contain_text("# elsewhere")
    write(page, "# here")
    expect(status).to_contain_text("saved in your account")
    expect(code).to_contain_text("# here")
    page.reload()
    expect(code).to_contain_text("# here")
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_accounts_pages_are_accessible_and_fit(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    looked_at(page, "/account")
    looked_at(page, "/organise")
    submit(page, f"tied {scheme}")
    looked_at(page, "/account")
    looked_at(page, "/bots")
    sign_up(page, f"Anna {scheme}")
    form(page, "New token").get_by_label("New token").fill("laptop")
    page.get_by_role("button", name="Make token").click()
    expect(page.get_by_test_id("made")).to_be_visible()
    for summary in page.locator("summary").all():
        summary.click()
    check(page)
    looked_at(page, "/account")


def looked_at(page: Page, path: str) -> None:
    page.goto(path)
    wait_in_page(page, "performance.getEntriesByName('ready').length > 0")
    expect(page.locator("[aria-busy]")).to_have_count(0)
    check(page)


def check(page: Page) -> None:
    page.evaluate(AXE.read_text())
    assert page.evaluate(VIOLATIONS) == []
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(TOO_NARROW) == []
