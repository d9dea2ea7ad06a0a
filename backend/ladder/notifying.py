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
    competitor_id: int
    user_id: int
    league: int
    placing: bool


def notify_owners(session: Session, game: Game, before: Sequence[Place], after: Sequence[Place]) -> None:
    """`before`, `after`: the board from its top, of the same bots. Bots of one owner do not overtake each other, nor do
    those of the same code, which share a place.
    """
    was = {one.submission_id: one for one in before}
    lines: dict[int, list[Place]] = {}
    for one in after:
        lines.setdefault(one.competitor_id, []).append(one)
        league = was[one.submission_id].league
        if one.league != league:
            name = game.leagues[one.league - 1].name
            notices.moved(session, one.submission_id, league=name, up=one.league > league)
    places = {competitor: place for place, competitor in enumerate(lines, start=1)}
    first = dict.fromkeys(one.competitor_id for one in before)
    for passed, by in rules.overtaken(list(first), list(lines)).items():
        winners = {one.user_id for one in lines[by]}
        for one in lines[passed]:
            if not one.placing and one.user_id not in winners:
                notices.overtaken(session, one.submission_id, lines[by][0].submission_id, places[passed])
