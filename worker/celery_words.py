"""What Celery says beside all logging when it is stopped: lines of JSON as well, where the log has nothing else."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime

from celery.apps import worker

from hexarena.backend.runtime.logs import Style


def log_words(style: Style) -> None:
    """Takes them over, where each line of the log is JSON."""
    if style == "json":
        worker.safe_say = _say


def _say(message: str, *_: object) -> None:
    """In a handler of a signal, where a line may be half written: so none of the streams that buffer."""
    at = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    line = {"event": message.strip(), "logger": "celery", "level": "info", "timestamp": at}
    os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, f"{json.dumps(line)}\n".encode())
