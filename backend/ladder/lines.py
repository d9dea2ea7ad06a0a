"""A ladder's standings as plain values: a refit changes thousands of them, and stores those that it changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select, text, update
from sqlalchemy.orm import Session

from hexarena.backend.ladder import columns
from hexarena.backend.ladder.standings import RECORDED
from hexarena.backend.models import Standing, StandingHistory, TrialState


@dataclass(slots=True)
class Line:
    """A standing; see there. All that a refit reads or changes."""

    submission_id: int
    competitor_id: int
    parent_id: int | None
    game: str
    entered_with: int
    rating: float
    deviation: float
    variance: float
    games: int
    wins: int
    draws: int
    losses: int
    league: int
    league_from: int
    spent: bool
    placing: bool
    trial: TrialState
    beats_boss: float | None
    above_next: float | None
    games_left: int | None
    consecutive_faults: int


NAMES = [one.name for one in fields(Line)]
CHANGED = (
    "entered_with",
    "rating",
    "deviation",
    "variance",
    "games",
    "wins",
    "draws",
    "losses",
    "league",
    "league_from",
    "spent",
    "placing",
    "beats_boss",
    "above_next",
    "games_left",
    "consecutive_faults",
)
"""What a refit changes, besides the trial."""
NULL = {"beats_boss": np.nan, "above_next": np.nan, "games_left": -1}
"""What is staged for a null."""
_state = attrgetter(*CHANGED, "trial")


@dataclass(frozen=True, slots=True)
class Lines:
    """A game's standings by submission, in order of these, and what the database has of each.

    Without those that are settled, which refits neither need nor change.
    """

    by_id: Mapping[int, Line]
    stored: Mapping[int, tuple[Any, ...]]

    @classmethod
    def read(cls, session: Session, game: str, *, settled: bool = False) -> Lines:
        """All of them. `settled`: also those."""
        query = select(*[getattr(Standing, name) for name in NAMES]).where(Standing.game == game)
        if not settled:
            query = query.where(~Standing.settled)
        rows = [Line(*row) for row in session.execute(query.order_by(Standing.submission_id))]
        return cls({one.submission_id: one for one in rows}, {one.submission_id: _state(one) for one in rows})

    def store(self, session: Session) -> None:
        """Stores those that are not as they were."""
        changed = [one for one in self.by_id.values() if _state(one) != self.stored[one.submission_id]]
        if not changed:
            return
        values = {name: _column(changed, name) for name in ("submission_id", *CHANGED)}
        columns.stage(session, "staged_standing", Standing, values)
        sets = ", ".join(f'"{name}" = {_or_null(name)}' for name in CHANGED)
        session.execute(
            text(
                f"UPDATE standing SET {sets} FROM staged_standing new "  # noqa: S608 - names of our own
                "WHERE standing.submission_id = new.submission_id"
            )
        )
        for trial in TrialState:
            moved = [one.submission_id for one in changed if self._trial(one) != one.trial == trial]
            if moved:
                session.execute(update(Standing).where(Standing.submission_id.in_(moved)).values(trial=trial))
        for one in list(session.identity_map.values()):
            if isinstance(one, Standing):
                session.expire(one)

    def _trial(self, line: Line) -> TrialState:
        """The stored one."""
        stored: TrialState = self.stored[line.submission_id][-1]
        return stored


def record_histories(session: Session, game: str, lines: Sequence[tuple[Line, bool]]) -> None:
    """Adds lines of a game to the history, in this order, each with whether it is on the board from now on."""
    session.flush()
    if not lines:
        return
    values = {name: np.array([getattr(line, name) for line, _ in lines]) for name in RECORDED}
    live_now = np.array([one for _, one in lines])
    columns.insert(session, StandingHistory, {"game": game, **values, "live": live_now})


def _column(changed: Sequence[Line], name: str) -> NDArray[Any]:
    null, values = NULL.get(name), [getattr(one, name) for one in changed]
    return np.array([null if one is None else one for one in values])


def _or_null(name: str) -> str:
    return f"NULLIF(new.\"{name}\", '{NULL[name]}')" if name in NULL else f'new."{name}"'
