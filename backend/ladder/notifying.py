"""Notifies owners of what a refit changed for their bots: another league, or somebody who passed them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from hexarena.backend import notices
from hexarena.backend.ladder import rules
from hexarena.games.contract import Game


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the board. `league`: its position; `placing`: the bot has not found its place yet."""

    submission_id: int
    user_id: int
    league: int
    placing: bool


def notify_owners(session: Session, game: Game, before: Sequence[Place], after: Sequence[Place]) -> None:
    """`before`, `after`: the board from its top, of the same bots. Bots of one owner do not overtake each other."""
    was = {one.submission_id: one for one in before}
    now = {one.submission_id: one for one in after}
    for one in after:
        league = was[one.submission_id].league
        if one.league != league:
            name = game.leagues[one.league - 1].name
            notices.moved(session, one.submission_id, league=name, up=one.league > league)
    places = {one.submission_id: place for place, one in enumerate(after, start=1)}
    for passed, by in rules.overtaken(list(was), list(now)).items():
        if not now[passed].placing and now[passed].user_id != now[by].user_id:
            notices.overtaken(session, passed, by, places[passed])
