"""What the page of `hexarena dev` shows: matches and viewers by number, problems, and what is being done."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Condition

from hexarena.games.contract import Json

PROBLEM = "problem"
"""The key of a job's answer that says why there is no other one."""
KEPT = 4
"""Matches and viewers that a page may still ask for."""


@dataclass(frozen=True, slots=True)
class Shown:
    """`match`, `viewer`: numbers, 0 is none; without a viewer the page uses the one that came with it.

    `aside`: a newer match that is not shown, since bots made faults in it. `problems`: what about -> text. `note`: what
    is missing on this machine. `doing`: what is under way.
    """

    match: int = 0
    viewer: int = 0
    aside: int = 0
    problems: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    doing: str = ""


class State:
    """Shared by the thread that plays and builds, and those that serve pages."""

    def __init__(self, about: Mapping[str, Json]) -> None:
        """`about`: what the page shows beside."""
        self._about = {**about, "run": secrets.token_hex(8)}
        self._changed = Condition()
        self._shown = Shown()
        self._version = 0
        self._matches: dict[int, str] = {}
        self._viewers: dict[int, bytes] = {}

    @property
    def shown(self) -> Shown:
        """What pages show now."""
        return self._shown

    def show(self, shown: Shown) -> None:
        """Notifies all pages, if that is something new."""
        with self._changed:
            if shown != self._shown:
                self._shown = shown
                self._version += 1
                self._changed.notify_all()

    def add_match(self, replay: str) -> int:
        """Its number. It is not shown yet."""
        number = max(self._matches, default=0) + 1
        self._matches[number] = replay
        self._forget(self._matches, {self._shown.match, self._shown.aside})
        return number

    def add_viewer(self, module: bytes) -> int:
        """Its number. It is not shown yet."""
        number = max(self._viewers, default=0) + 1
        self._viewers[number] = module
        self._forget(self._viewers, {self._shown.viewer})
        return number

    @staticmethod
    def _forget(numbered: dict[int, str] | dict[int, bytes], needed: set[int]) -> None:
        for number in sorted(numbered)[:-KEPT]:
            if number not in needed:
                del numbered[number]

    def match(self, number: int) -> str | None:
        """The replay; None if it is not kept."""
        return self._matches.get(number)

    def viewer(self, number: int) -> bytes | None:
        """The module; None if it is not kept."""
        return self._viewers.get(number)

    def wait(self, seen: int, seconds: float) -> tuple[int, str] | None:
        """The version and the JSON of what is shown, once the version is not `seen`; None if nothing comes in time."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._version != seen, seconds):
                return None
            shown = self._shown
            page = {
                **self._about,
                "match": shown.match,
                "viewer": shown.viewer,
                "aside": shown.aside,
                "problems": [{"about": about, "text": text} for about, text in shown.problems.items()],
                "note": shown.note,
                "doing": shown.doing,
            }
            return self._version, json.dumps(page, ensure_ascii=False)
