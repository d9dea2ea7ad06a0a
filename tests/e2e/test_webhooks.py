"""The webhook on the account's page, by keyboard, with a real receiver."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from standardwebhooks import Webhook as Verifier

from tests.conftest import PATIENCE_S
from tests.e2e.conftest import Arena
from tests.e2e.test_accounts import check, form, sign_up
from tests.worker.receiving import Receiver, receiving

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.sandbox]


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    """An arena that may post to this machine."""
    running = Arena(tmp_path_factory.mktemp("arena"), HEXARENA_WEBHOOK_HOSTS="127.0.0.1")
    running.start()
    yield running
    running.stop()
    print(running.said())


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


def test_a_webhook_is_set_tested_renewed_and_removed_by_keyboard(page: Page, receiver: Receiver) -> None:
    page.on("dialog", lambda question: question.accept())
    sign_up(page, "Wanda")
    ways = form(page, "Webhook")
    address = ways.get_by_label("Address")
    ways.get_by_role("button", name="Save webhook").press("Enter")
    expect(address).to_be_focused()
    expect(ways.get_by_role("alert")).to_have_text("Enter the address of your receiver.")
    expect(ways.get_by_role("button", name="Send a test")).to_have_count(0)
    ways.get_by_label("demoted").press("Space")
    address.fill(receiver.url)
    address.press("Enter")
    shown = page.get_by_test_id("webhook-secret")
    secret = shown.get_by_test_id("secret").inner_text()
    assert secret.startswith("whsec_")
    shown.get_by_role("button", name="Done").press("Enter")

    ways.get_by_role("button", name="Send a test").press("Enter")
    log = page.get_by_test_id("webhook-messages").get_by_role("listitem")
    expect(log.first).to_contain_text("Delivered")
    body = Verifier(secret).verify(receiver.received[0].body, receiver.received[0].headers)
    assert body["type"] == "webhook.test"

    # A real notice, without a reload.
    broken = {"game": "yavalath", "bot": "Broken", "language": "python", "source": "this is no Python"}
    assert page.request.post("/api/v1/submissions", data=broken).ok
    expect(log).to_have_count(2)
    expect(log.first).to_contain_text("Delivered")
    expect(log.first).to_contain_text("notice.failed")
    reported = json.loads(receiver.received[1].body)["data"]
    assert reported["text"].startswith("Broken v1 failed.")
    assert page.request.get(reported["link"]).ok

    receiver.answer = lambda _: (500, {}, b"out of order")
    log.first.get_by_role("button").press("Enter")
    expect(log.first).to_contain_text("Failed: 500, next try")
    log.first.get_by_text("The answer").press("Enter")
    expect(log.first).to_contain_text("out of order")
    check(page)
    receiver.answer = lambda _: (200, {}, b"")
    expect(log.first).to_contain_text("Delivered after 3 tries")

    ways.get_by_role("button", name="New secret").press("Enter")
    expect(shown.get_by_test_id("secret")).not_to_have_text(secret)
    page.reload()
    expect(address).to_have_value(receiver.url)
    expect(ways.get_by_label("demoted")).not_to_be_checked()
    expect(ways.get_by_label("promoted")).to_be_checked()
    expect(page.get_by_text("whsec_")).to_have_count(0)
    ways.get_by_role("button", name="Remove webhook").press("Enter")
    expect(address).to_have_value("")
    expect(log).to_have_count(0)
    expect(ways.get_by_role("button", name="Send a test")).to_have_count(0)


def test_an_address_that_is_not_allowed_is_refused_beside_its_field(browser: Browser, arena: Arena) -> None:
    with browser.new_context(base_url=arena.url) as context:
        context.set_default_timeout(1000 * PATIENCE_S)
        page = context.new_page()
        sign_up(page, "Wilma")
        address = form(page, "Webhook").get_by_label("Address")
        address.fill("http://192.168.1.1/")
        address.press("Enter")
        expect(form(page, "Webhook").get_by_role("alert")).to_contain_text("not one of the public internet")
        expect(address).to_be_focused()
        expect(address).to_have_value("http://192.168.1.1/")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_who_is_switched_off_reads_it_and_the_section_is_accessible(
    page: Page, receiver: Receiver, scheme: str
) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    receiver.answer = lambda _: (410, {}, b"moved away")
    sign_up(page, f"Wim {scheme}")
    form(page, "Webhook").get_by_label("Address").fill(receiver.url)
    page.keyboard.press("Enter")
    form(page, "Webhook").get_by_role("button", name="Send a test").click()
    off = page.get_by_role("alert").filter(has_text="Nothing is sent since")
    expect(off).to_contain_text("It answered 410 Gone.")
    expect(page.get_by_test_id("webhook-messages")).to_contain_text("Failed: 410, given up")
    page.get_by_text("The answer").click()
    bell = page.get_by_test_id("bell")
    expect(bell).to_have_accessible_name("Notices: 1 new")
    check(page)
    bell.click()
    page.get_by_test_id("notices").get_by_role("link").click()
    expect(page).to_have_url(f"{page.url.split('/account')[0]}/account")
    receiver.answer = lambda _: (200, {}, b"")
    form(page, "Webhook").get_by_role("button", name="Save webhook").click()
    expect(off).to_have_count(0)
    form(page, "Webhook").get_by_role("button", name="Send a test").click()
    expect(page.get_by_test_id("webhook-messages").get_by_role("listitem").first).to_contain_text("Delivered")
