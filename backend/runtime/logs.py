"""Logging: one line an event on stderr, readable on a terminal, JSON elsewhere.

What a line is about beyond its own words is bound for a while: the id of a request
(`backend/api/requests.py`), a match and its attempt (`about`), the submission that is built.
"""

from __future__ import annotations

import logging
import sys
from contextlib import AbstractContextManager, suppress
from types import TracebackType
from typing import Literal, TextIO, cast

import structlog
from structlog.typing import Processor

Style = Literal["auto", "json"]
SHARED: tuple[Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)


class Unfailing:
    """A stream whose lines are lost while it takes none. A full disk must not end the process that wants to say so."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Returns how many characters there are."""
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Writes what is kept back, if that is possible."""
        with suppress(OSError):
            self._stream.flush()


def configure_logs(style: Style = "auto") -> None:
    """For long-running processes, once at their start. `json`: also the lines of libraries, and of a crash."""
    for_people = style == "auto" and sys.stderr.isatty()
    renderer = structlog.dev.ConsoleRenderer() if for_people else structlog.processors.JSONRenderer()
    structlog.configure(
        processors=[*SHARED, structlog.processors.format_exc_info, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(cast(TextIO, Unfailing(sys.stderr))),
    )
    if style == "json":
        _take_over_libraries()


def about(**what: object) -> AbstractContextManager[None]:
    """Until the end of the block, all lines of this thread or task say what they are about."""
    return structlog.contextvars.bound_contextvars(**what)


def _take_over_libraries() -> None:
    """What Celery, uvicorn and others log is a line of JSON, too; so is a crash."""
    handler = logging.StreamHandler(Unfailing(sys.stderr))
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*SHARED, structlog.stdlib.add_logger_name],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.captureWarnings(True)
    sys.excepthook = _log_crash


def _log_crash(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    structlog.get_logger().critical("the process crashed", exc_info=(kind, error, trace))
