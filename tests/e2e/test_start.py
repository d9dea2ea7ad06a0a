"""An arena that says that it is up can play, and a newcomer's first opponent can be beaten."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import PATIENCE_S, wait_until
from tests.e2e.conftest import Arena

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.sandbox]


def test_a_fresh_arena_is_up_once_it_can_play(tmp_path: Path) -> None:
    arena = Arena(tmp_path / "arena")
    arena.start()
    try:
        wait_until(lambda: "Hexarena is up" in arena.said(), "it says that it is up")
        with urlopen(f"{arena.url}/api/v1/health") as health:
            assert json.load(health)["workers"] == 1
    finally:
        arena.stop()


def test_the_first_run_is_against_the_boss_of_the_lowest_league(page: Page) -> None:
    page.goto("/play/yavalath")
    expect(page.get_by_label("Opponent").locator("option").first).to_have_text("Boss: Hotspur")
    page.get_by_test_id("run").click()
    expect(page.get_by_test_id("status")).to_contain_text("against Hotspur", timeout=1000 * PATIENCE_S)
