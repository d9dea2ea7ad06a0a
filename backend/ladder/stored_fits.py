"""The fit of a large ladder's last refit, stored, so that nobody has to fit a whole ladder to explain one rating.

Only of ladders that are too large for a covariance matrix: without it a fit is some numbers for each competitor; with
it, it would be as large as the matrix, and such a fit is made again quickly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from io import BytesIO
from typing import Any

import numpy as np
from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from hexarena.backend.models import Ladder, LadderFit
from hexarena.backend.rating import fit as rating

NAMES = [one.name for one in fields(rating.Fit)]


@dataclass(frozen=True, slots=True)
class Fitted:
    """A fit, and whom it is of. `node_of`: competitor -> node."""

    fit: rating.Fit
    competitors: Sequence[int]
    node_of: Mapping[int, int]

    @classmethod
    def of(cls, fit: rating.Fit, competitors: Sequence[int]) -> Fitted:
        """`competitors`: in the order of the fit's arrays."""
        return cls(fit, competitors, {one: node for node, one in enumerate(competitors)})


_kept: dict[str, tuple[datetime | None, Fitted]] = {}
"""Game -> (its refit, fit): the newest that this process has read."""


def store(session: Session, game: str, fitted: Fitted) -> None:
    """Keeps the fit in place of the former one; of a small ladder nothing is kept."""
    session.execute(delete(LadderFit).where(LadderFit.game == game))
    if fitted.fit.covariance is None:
        session.execute(insert(LadderFit).values(game=game, arrays=_packed(fitted)))


def stored(session: Session, game: str) -> Fitted | None:
    """The fit of the last refit, if it was kept."""
    refitted_at = session.scalar(select(Ladder.refitted_at).where(Ladder.game == game))
    known = _kept.get(game)
    if known is not None and known[0] == refitted_at:
        return known[1]
    arrays = session.scalar(select(LadderFit.arrays).where(LadderFit.game == game))
    if arrays is None:
        return None
    _kept[game] = (refitted_at, _unpacked(arrays))
    return _kept[game][1]


def _packed(fitted: Fitted) -> bytes:
    """All that is known, as numpy's npz without pickles."""
    known = {name: value for name in NAMES if (value := getattr(fitted.fit, name)) is not None}
    arrays: dict[str, Any] = {name: np.asarray(value) for name, value in known.items()}
    found = BytesIO()
    np.savez(found, competitors=np.array(fitted.competitors, np.int64), **arrays)
    return found.getvalue()


def _unpacked(arrays: bytes) -> Fitted:
    found = np.load(BytesIO(arrays), allow_pickle=False)
    there = {name: found.get(name) for name in NAMES}
    values: dict[str, Any] = {name: one if one is None or one.ndim else one.item() for name, one in there.items()}
    return Fitted.of(rating.Fit(**values), found["competitors"].tolist())
