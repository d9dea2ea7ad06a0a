"""A replay as one page, on the command line as in the browser (frontend/tests/portable.test.ts)."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from hexarena.backend.runtime.pages import portable_page, without_viewer
from hexarena.games import discovery

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"

TEMPLATE = """<title>A match</title><body><script type="application/x-ndjson" id="replay"></script></body>"""


def test_a_page_has_the_lines_as_they_were_whatever_bots_wrote_into_them() -> None:
    header = {"v": 1, "game": "ants", "players": [{"bot": "</script><b>"}, {"bot": "\\1 & more"}]}
    lines = [json.dumps(line) for line in (header, {"t": 1, "msg": "<!-- \u2028"}, {"end": True})]
    page = portable_page(TEMPLATE, "\n".join(lines) + "\n")
    found = re.search(r'id="replay">\n(.*)\n</script>', page, re.S)
    assert found is not None
    assert [json.loads(line) for line in found[1].split("\n")] == [json.loads(line) for line in lines]
    assert page.count("</script>") == 1
    assert "<!--" not in page
    assert "<title>Ants: &lt;/script&gt;&lt;b&gt; against \\1 &amp; more</title>" in page


def test_a_page_of_a_game_that_is_not_here_is_called_by_its_id() -> None:
    header = {"v": 1, "game": "gone", "players": [{"bot": "a"}, {"bot": "b"}]}
    assert "<title>gone: a against b</title>" in portable_page(TEMPLATE, json.dumps(header))


def test_a_template_without_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match=r"replay\.html"):
        portable_page("<title>A match</title>", "{}")


def test_a_game_from_outside_without_a_viewer_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    games, root = tmp_path / "games", tmp_path / "pages"
    shutil.copytree(EXAMPLES / "tricks", games / "tricks", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv(discovery.VARIABLE, str(games))
    (root / "viewers").mkdir(parents=True)
    assert without_viewer(root) == [], "there are no pages at all"
    (root / "index.html").touch()
    assert without_viewer(root) == ["Tricks"]
    (root / "viewers" / "tricks.js").touch()
    assert without_viewer(root) == [], "it was built with the pages"
    (root / "viewers" / "tricks.js").unlink()
    (games / "tricks" / "viewer.js").touch()
    assert without_viewer(root) == [], "it ships its own"
