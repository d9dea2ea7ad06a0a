"""Lines of logs: what they are about, and JSON wherever they come from."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

LOGS = """
import logging, sys, warnings
import structlog
from hexarena.backend.runtime.logs import about, configure_logs

configure_logs(sys.argv[1])
with about(match=7, attempt=2):
    structlog.get_logger().info("played", reason="done")
    logging.getLogger("some.library").warning("it is %s", "late")
structlog.get_logger().info("over")
raise ValueError("the end")
"""


def lines(style: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", LOGS, style], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    return done.stderr.splitlines()


def test_each_line_is_json_also_those_of_libraries_and_of_a_crash() -> None:
    played, library, over, crash = (json.loads(line) for line in lines("json"))
    assert (played["event"], played["match"], played["attempt"], played["reason"]) == ("played", 7, 2, "done")
    assert (library["event"], library["level"], library["match"]) == ("it is late", "warning", 7)
    assert library["logger"] == "some.library"
    assert (over["event"], "match" in over) == ("over", False)
    assert crash["level"] == "critical"
    assert "ValueError: the end" in crash["exception"]


def test_without_the_setting_libraries_and_crashes_speak_as_they_always_do() -> None:
    played, library, over, *crash = lines("auto")
    assert json.loads(played)["match"] == 7  # not on a terminal
    assert library == "it is late"
    assert json.loads(over)["event"] == "over"
    assert crash[-1] == "ValueError: the end"


@pytest.mark.parametrize("style", ["json", "auto"])
def test_a_full_disk_does_not_end_the_process_that_logs(style: str) -> None:
    program = LOGS.replace('raise ValueError("the end")', 'print("alive")')
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([sys.executable, "-c", program, style], stdout=subprocess.PIPE, stderr=full, check=False)
    assert done.stdout == b"alive\n"
