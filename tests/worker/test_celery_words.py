"""What Celery says when it is stopped, in a log of JSON."""

from __future__ import annotations

import json
import subprocess
import sys

PROGRAM = """
from celery.apps import worker
from hexarena.worker.celery_words import log_words
log_words({style!r})
worker.safe_say("worker: Warm shutdown (MainProcess)", None)
"""


def said(style: str) -> str:
    program = [sys.executable, "-c", PROGRAM.format(style=style)]
    return subprocess.run(program, check=True, capture_output=True, text=True).stderr


def test_it_is_a_line_of_json_like_all_others() -> None:
    line = json.loads(said("json"))
    assert (line["event"], line["level"]) == ("worker: Warm shutdown (MainProcess)", "info")
    assert line["timestamp"].endswith("Z")


def test_elsewhere_it_is_left_alone() -> None:
    assert said("auto") == ""
