"""Why matches and attempts are void, in few words: for figures, which must not have a value for each sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, case
from sqlalchemy.sql.elements import SQLCoreOperations

OVERLOADED = "The machine was overloaded"
NO_SANDBOX = "The worker could not run its bots."
KILLED = "A bot was ended from outside of its sandbox"
OUR_BUG = "Something on our side failed. The match does not count."
GAME_FAILED = "The game's own code failed"
"""Then what happened and where, for its author and for whoever runs the arena."""
MOST_CHARACTERS, END_CHARACTERS = 300, 60
NO_STORE = "The arena's database or its store did not answer."
NO_GAME = "The worker does not have the game."
GAME_GONE = "Its game is no longer part of this arena."
DISK_FULL = "The disk of the machine that played it was full."
NOT_REPEATED = "Its past does not repeat itself"
PAST_GONE = "It cannot be played on"
"""Then what is gone. Nothing failed: logs are deleted with code, and after the days that the arena keeps them."""
NOT_BUILT_ELSEWHERE = "The code of one of its bots could not be built by the worker that was to play it."
BUILD_STOPPED = "The code of one of its bots, which was built before, could not be built within the limits."
NO_LANGUAGE = "The worker that was to play it cannot run the language of one of its bots."
SILENT = "The worker that played it stopped responding."
NEVER_FINISHED = "and never finished."

FAILURES: Mapping[str, tuple[str, ...]] = {
    "overload": (f"{OVERLOADED}%",),
    "sandbox": (f"{NO_SANDBOX}%", f"{KILLED}%", f"{NOT_BUILT_ELSEWHERE}%", f"{BUILD_STOPPED}%", f"{NO_LANGUAGE}%"),
    "store": (NO_STORE,),
    "game": (f"{NO_GAME}%", f"{GAME_FAILED}%"),
    "disk": (DISK_FULL,),
    "bug": (f"{OUR_BUG}%", f"{NOT_REPEATED}%"),
    "silence": (f"{SILENT}%", f"%{NEVER_FINISHED}"),
}
"""Cause -> how the reasons of what failed on our side look, for LIKE."""
WITHDRAWN = "withdrawn"
"""The cause of all others: nothing failed, the match was just no longer wanted or could not be played."""


def game_failed(what: str) -> str:
    """The reason of a match whose game raises or breaks its contract. `what`: in a line, with its place."""
    if len(what) > MOST_CHARACTERS:
        # The place is at the end.
        what = f"{what[: MOST_CHARACTERS - END_CHARACTERS]} … {what[-END_CHARACTERS:]}"
    return f"{GAME_FAILED}: {what.rstrip('.')}. The match does not count."


def cause_of(reason: SQLCoreOperations[Any]) -> ColumnElement[str]:
    """The cause that a reason means: one of FAILURES, or WITHDRAWN."""
    return case(
        *((reason.like(pattern), cause) for cause, patterns in FAILURES.items() for pattern in patterns),
        else_=WITHDRAWN,
    )
