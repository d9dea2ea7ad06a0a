"""A game's viewer that throws: the page says so in words, wherever a match is watched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from hexarena.backend.runtime.pages import PORTABLE, pages_folder, portable_page
from tests.conftest import PATIENCE_S

pytestmark = pytest.mark.e2e
VIEWER = """export default {{
  rate: 2,
  start: () => ({{ turn: 0 }}),
  step: (before, frame) => {{ {step}; return {{ turn: frame.t }} }},
  bounds: () => ({{ x: 0, y: 0, w: 1, h: 1 }}),
  draw: (canvas, {{ turn }}) => {{ {draw} }},
}}"""


def replay() -> str:
    players = [{"bot": name, "owner": "", "language": "python", "version": None, "rating": None} for name in "ab"]
    header = {"v": 1, "game": "odd", "rules": "1", "match": None, "seed": "1", "league": 1, "turns": 40, "ms": 100}
    lines = [header | {"first_ms": 1000, "players": players, "init": {}}, *({"t": turn} for turn in range(1, 41))]
    lines.append({"end": True, "scores": [1, 0], "ranks": [0, 1], "reason": "done"})
    return "\n".join(map(json.dumps, lines))


@pytest.mark.parametrize(
    ("step", "draw", "reported"),
    [
        ("", "if (turn === 30) throw new Error('no such piece')", "The viewer failed in turn 30: no such piece"),
        ("if (frame.t === 30) throw new Error('no such piece')", "", "no such piece"),
    ],
    ids=["draw", "step"],
)
def test_a_viewer_that_throws_in_turn_30_is_reported(
    step: str, draw: str, reported: str, browser: Browser, tmp_path: Path
) -> None:
    page = portable_page((pages_folder() / PORTABLE).read_text(), replay(), VIEWER.format(step=step, draw=draw))
    (tmp_path / "kept.html").write_text(page)
    context = browser.new_context()
    context.set_default_timeout(1000 * PATIENCE_S)
    shown = context.new_page()
    shown.goto((tmp_path / "kept.html").as_uri())
    shown.wait_for_function("window.hexarena?.viewer?.play !== undefined")
    shown.evaluate("window.hexarena.viewer.play.pause(); window.hexarena.viewer.play.seek(3)")
    expect(shown.get_by_test_id("turn")).to_have_text("3 / 40")
    expect(shown.get_by_role("alert")).to_have_count(0)
    shown.evaluate("setTimeout(() => window.hexarena.viewer.play.seek(30))")
    expect(shown.get_by_role("alert")).to_contain_text(reported)
    context.close()
