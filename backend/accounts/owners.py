"""Whose bots somebody may act on: their own and their team's. All that only an owner may do or see is decided here.

A bot has one owner, a user. Students who share bots are a team (`models.ClassTeam`), and the team is the owner: a user
of a kind of its own, that nobody signs in to. So whoever leaves a team leaves its bots behind, and nothing about a bot
changes when people come and go.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlalchemy import select
from sqlalchemy.orm import Session

from hexarena.backend.models import Class, ClassMember, User, UserKind

_KNOWN = "owned by"
"""In `Session.info`: what this transaction has read already, as lists ask for each of their rows."""


def owned_by(session: Session, user_id: int | None) -> frozenset[int]:
    """The owners whom somebody acts for: themselves and their team. None: nobody, for nobody."""
    if not user_id:
        return frozenset()
    known: dict[int, frozenset[int]] = session.info.setdefault(_KNOWN, {})
    if user_id not in known:
        team_id = session.scalar(select(ClassMember.team_id).where(ClassMember.user_id == user_id))
        known[user_id] = frozenset({user_id} if team_id is None else {user_id, team_id})
    return known[user_id]


def owns(session: Session, user_id: int | None, owner_id: int, kind: UserKind = UserKind.TEAM) -> bool:
    """Whether somebody may see and change what belongs to `owner_id`. `kind`: of that owner, if it is known."""
    return user_id == owner_id or (kind == UserKind.TEAM and owner_id in owned_by(session, user_id))


def acting_for(session: Session, owner_ids: Collection[int]) -> Mapping[int, frozenset[int]]:
    """Owner -> all who act for it: the user alone, or the user and the members, if it is a team."""
    found = {one: {one} for one in owner_ids}
    # No more than that is read: a worker elsewhere may not see names on rosters.
    for team_id, user_id in session.execute(
        select(ClassMember.team_id, ClassMember.user_id).where(ClassMember.team_id.in_(found))
    ):
        found[team_id or 0].add(user_id)
    return {owner: frozenset(people) for owner, people in found.items()}


def owner_of_new(session: Session, user: User, game: str) -> User:
    """Who owns a bot that the user submits for the first time: their team, if it is in a class for this game."""
    team = (
        select(User)
        .join(ClassMember, ClassMember.team_id == User.id)
        .join(Class, Class.id == ClassMember.class_id)
        .where(ClassMember.user_id == user.id, Class.game == game)
    )
    return session.scalar(team) or user


def teams_changed(session: Session) -> None:
    """Forgets what this transaction has read: somebody came into a team, or left one."""
    session.info.pop(_KNOWN, None)
