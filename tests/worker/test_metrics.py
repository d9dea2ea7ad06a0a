"""A running arena exposes what the dashboard and the alerts are about; its logs name matches."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from hexarena.backend.matches import life as matches
from hexarena.backend.models import MatchKind
from hexarena.backend.runtime.db import Database
from tests.api.played import house_bots
from tests.conftest import Processes, free_port, wait_until

ROOT = Path(__file__).parents[2]
MONITORING = ROOT / "docker" / "monitoring"
FILES = (MONITORING / "dashboard.json", MONITORING / "alerts.yml", ROOT / "docs" / "organisers.md")
NAME = re.compile(r"\bhexarena_[a-z_]+")
SUFFIXES = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count"), "gauge": ("",)}


def exposed(text: str) -> set[str]:
    """The names of all series that the answer of /metrics is about, by its lines of types."""
    types = re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE)
    return {name.removesuffix("_total") + suffix for name, kind in types for suffix in SUFFIXES[kind]}


def expressions(file: Path) -> Iterator[str]:
    """What is asked of Prometheus."""
    if file.suffix == ".json":
        panels = json.loads(file.read_text())["panels"]
        yield from (target["expr"] for panel in panels for target in panel.get("targets", ()))
    else:
        yield from re.findall(r"^ +expr: (.+)$", file.read_text(), re.MULTILINE)


@pytest.mark.long
@pytest.mark.sandbox
def test_what_the_dashboard_the_alerts_and_the_table_name_is_exposed(processes: Processes, database: Database) -> None:
    port = free_port()
    processes.extra = {"HEXARENA_PORT": str(port), "HEXARENA_LOGS": "json"}
    for part in ("worker.app", "worker.dispatcher", "worker.scheduler", "worker.ratings", "backend.serve"):
        processes.start(f"hexarena.{part}")
    bots = house_bots(database)
    pair = [bots[name][1] for name in sorted(bots)[:2]]
    with database.transaction() as session:
        match_id = matches.schedule(
            session, game="yavalath", kind=MatchKind.LADDER, submission_ids=pair, seed=1, league=1, priority=0
        ).id

    def scraped() -> str:
        try:
            with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
                return str(answer.read().decode())
        except OSError:
            return ""

    counted = re.compile(r'^hexarena_attempts_total\{.*kind="ladder",outcome="done"\} [1-9]', re.MULTILINE)
    refitted = re.compile(r"^hexarena_refit_seconds_count\{.*\} [1-9]", re.MULTILINE)
    rounds = re.compile(r"^hexarena_schedule_seconds_count\{.*\} [1-9]", re.MULTILINE)
    for what in (counted, refitted, rounds):
        wait_until(lambda what=what: what.search(scraped()), f"{what.pattern} is there")  # type: ignore[misc]
    text = scraped()
    known = exposed(text)
    for file in FILES[:2]:
        asked = list(expressions(file))
        assert len(asked) > 10, file
        assert {name for one in asked for name in NAME.findall(one)} <= known, file
    in_table = {
        name
        for line in FILES[2].read_text().splitlines()
        if line.startswith("| `hexarena_")
        for name in NAME.findall(line)
    }
    families = set(re.findall(r"^# TYPE (\S+) ", text, re.MULTILINE))
    assert {name for name in families if name.startswith("hexarena_")} == in_table
    log = [
        json.loads(line)
        for line in (processes.settings.data_folder / "hexarena.worker.app.log").read_text().splitlines()
    ]
    played = [line for line in log if line["event"] == "played" and line["match"] == match_id]
    assert [(line["attempt"], line["game"]) for line in played] == [(1, "yavalath")]
    assert all("submission" in line for line in log if line["event"] == "built")


def test_a_name_that_nothing_exposes_would_be_found() -> None:
    text = "# TYPE hexarena_a_total counter\n# TYPE hexarena_b histogram\n# TYPE hexarena_c gauge\n"
    assert exposed(text) == {
        "hexarena_a_total",
        "hexarena_b_bucket",
        "hexarena_b_sum",
        "hexarena_b_count",
        "hexarena_c",
    }


def test_each_alert_says_what_happened_and_what_to_do() -> None:
    alerts = re.split(r"^      - alert: ", FILES[1].read_text(), flags=re.MULTILINE)[1:]
    assert len(alerts) >= 7
    for alert in alerts:
        for field in ("expr", "for", "summary", "action"):
            assert re.search(rf"^ +{field}: \S", alert, re.MULTILINE), alert
        for field in ("summary", "action"):
            said = re.search(rf"^ +{field}: (.+)$", alert, re.MULTILINE)
            assert said is not None
            assert said[1].endswith("."), alert


def test_what_an_alert_combines_has_the_same_labels() -> None:
    for one in expressions(FILES[1]):
        sides = re.split(r" (?:and|or|unless) ", one)
        added_up = [side for side in sides if re.search(r"\b(?:sum|max|min|avg|count)\b(?: by)? ?\(", side)]
        assert len(sides) == 1 or not added_up, f"{one}: a sum has no labels, so it belongs to no series"


def test_results_of_a_ladder_that_was_never_refitted_raise_the_alert_too() -> None:
    """It has no series of its age, with which a comparison would be empty."""
    (late,) = [one for one in expressions(FILES[1]) if "hexarena_ladder_refit_age_seconds >" in one]
    _, _, never = late.partition(" or ")
    assert re.fullmatch(r"\(.*hexarena_ladder_pending_results.* > 0 unless hexarena_ladder_refit_age_seconds\)", never)
