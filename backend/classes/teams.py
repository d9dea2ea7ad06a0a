"""Teams: students who share bots. A team owns its bots, so that who leaves it leaves them behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from hexarena.backend import audit
from hexarena.backend.accounts import owners
from hexarena.backend.classes import life
from hexarena.backend.errors import Conflict, Invalid, NotFound
from hexarena.backend.ladder import standings
from hexarena.backend.models import (
    PENDING,
    Bot,
    Class,
    ClassMember,
    ClassTeam,
    Event,
    EventEntry,
    EventState,
    Submission,
    User,
)


def create(session: Session, user: User, class_id: int, member_ids: Sequence[int]) -> int:
    """A team of these members, who leave the ones that they are in. Returns its id. Raises: NotFound, Invalid."""
    found = life.own(session, user, class_id, lock=True)
    if not 1 <= len(set(member_ids)) <= life.MOST_IN_TEAM:
        expected = f"1 to {life.MOST_IN_TEAM} members"
        raise Invalid("A team has members.", expected=expected, got=f"{len(set(member_ids))}")
    rows = [life.member(session, found, one) for one in sorted(set(member_ids))]
    (team_id,) = life.new_teams(session, found, 1)
    for row in rows:
        row.team_id = team_id
    session.flush()
    owners.teams_changed(session)
    audit.record(session, user, "make team", None, class_id=class_id, team=team_id, members=[row.id for row in rows])
    return team_id


def move(session: Session, user: User, class_id: int, member_id: int, team_id: int | None) -> None:
    """Puts a member into another team, or none. What they submitted as a team stays the team's.

    Raises: NotFound, Invalid (the team is full).
    """
    found = life.own(session, user, class_id, lock=True)
    row = life.member(session, found, member_id)
    if team_id is not None and team_id != row.team_id:
        team(session, found, team_id)
        others = session.scalars(select(ClassMember.id).where(ClassMember.team_id == team_id)).all()
        if len(others) >= life.MOST_IN_TEAM:
            raise Invalid(
                "The team is full.", expected=f"at most {life.MOST_IN_TEAM} members", got=f"{len(others) + 1}"
            )
    row.team_id, before = team_id, row.team_id
    session.flush()
    owners.teams_changed(session)
    moved = {"member": member_id, "from": before, "to": team_id}
    audit.record(session, user, "move to team", None, class_id=class_id, **moved)


def leave(session: Session, user: User) -> None:
    """Takes a student out of their team. Its bots stay the team's. Raises: NotFound (they are in none)."""
    row = session.scalar(select(ClassMember).where(ClassMember.user_id == user.id).with_for_update())
    if row is None or row.team_id is None:
        raise NotFound("You are not in a team.")
    audit.record(session, user, "leave team", None, class_id=row.class_id, member=row.id, **{"from": row.team_id})
    row.team_id = None
    session.flush()
    owners.teams_changed(session)


def team(session: Session, found: Class, team_id: int) -> ClassTeam:
    """A team of the class. Raises: NotFound."""
    row = session.get(ClassTeam, team_id)
    if row is None or row.class_id != found.id:
        raise NotFound(f"There is no team {team_id} in this class.")
    return row


def names(session: Session, class_id: int) -> Mapping[int, str]:
    """Team -> its name."""
    query = select(User.id, User.name).join(ClassTeam, ClassTeam.user_id == User.id)
    return dict(session.execute(query.where(ClassTeam.class_id == class_id)).all())


def give_bot(session: Session, user: User, bot_id: int) -> Bot:
    """Gives one's own bot to one's team, with all its versions. Raises: NotFound, Conflict."""
    bot = session.scalar(select(Bot).where(Bot.id == bot_id, Bot.owner_id == user.id, Bot.name_key.is_not(None)))
    if bot is None:
        raise NotFound(f"You have no bot {bot_id}.")
    standings.lock_ladder(session, bot.game)  # before the member: a ban has the ladder when it takes a bot off
    of_user = select(ClassMember).where(ClassMember.user_id == user.id).with_for_update()
    row = session.scalar(of_user.execution_options(populate_existing=True))
    found = session.get(Class, row.class_id) if row is not None else None
    if row is None or row.team_id is None or found is None or found.game != bot.game:
        raise Conflict(
            "You have no team to give it to.", expected=f"to be in a team that plays {bot.game}", got=bot.name
        )
    session.refresh(bot, with_for_update=True)
    if bot.owner_id != user.id or bot.is_deleted:
        raise NotFound(f"You have no bot {bot_id}.")
    pending = select(Submission.version).where(Submission.bot_id == bot_id, Submission.state.in_(PENDING))
    if (version := session.scalar(pending)) is not None:
        raise Conflict("A version of it is being checked.", expected="to wait for it", got=f"version {version}")
    running = (EventEntry.bot_id == bot_id) & Event.state.in_((EventState.OPEN, EventState.PLAYING))
    entered = select(Event.name).join(EventEntry, EventEntry.event_id == Event.id).where(running).limit(1)
    if (name := session.scalar(entered)) is not None:
        raise Conflict("It takes part in an event.", expected="a bot that no running event has", got=name)
    session.execute(update(Submission).where(Submission.bot_id == bot_id).values(user_id=row.team_id))
    bot.owner_id = row.team_id
    session.flush()
    audit.record(session, user, "give bot to team", None, class_id=row.class_id, bot=bot_id, team=row.team_id)
    standings.resume_oldest(session, row.team_id)
    standings.publish_owner(session, row.team_id)
    return bot
