"""One score everywhere: what a match's header shows at its end is what lists and the API say."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import PATIENCE_S, wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.sandbox]


def played(page: Page, game: str) -> dict[str, Any]:
    """A finished match without faults."""
    found: list[dict[str, Any]] = []

    def look() -> bool:
        items = page.request.get(f"/api/v1/matches?game={game}&state=done&limit=50").json()["items"]
        found[:] = [match for match in items if not any(seat["fault"] for seat in match["seats"])]
        return bool(found)

    wait_until(look, f"a match of {game} is over")
    return found[0]


@pytest.mark.parametrize("game", ["ants", "tryangle", "yavalath", "battlegrounds", "tron"])
def test_the_header_of_a_match_ends_with_its_score(page: Page, game: str) -> None:
    match = played(page, game)
    teams = sorted({seat["team"] for seat in match["seats"]})
    scores = [max(seat["score"] for seat in match["seats"] if seat["team"] == team) for team in teams]
    page.goto(f"/matches/{match['id']}?turn=0")
    expect(page.get_by_test_id("turn")).to_have_text(re.compile(r"^0 / [1-9]"), timeout=1000 * PATIENCE_S)
    page.get_by_role("button", name="Last turn").click()
    points = page.locator(".points")
    for team, score in enumerate(scores):
        expect(points.nth(team)).to_contain_text(re.compile(rf"^\s*Score\s*{score:g}(\D|$)"))
    notes = page.locator(".note")
    for note in notes.all_inner_texts():
        assert note == "" or re.search(r"[a-z]", note), "a second figure has words"
