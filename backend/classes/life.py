"""A class: made by an organiser, filled from a roster, whose students sign in with codes.

Nobody but the class's organisers and the student concerned learns who is who: accounts have pseudonyms for names, and
the name on the roster is kept here alone. So no board, export, event or API that shows an account's name has to hide
it.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import ColumnElement, delete, func, insert, select, update
from sqlalchemy.orm import Session, joinedload

from hexarena.backend import audit
from hexarena.backend.accounts import owners, sessions
from hexarena.backend.accounts.names import key_of
from hexarena.backend.accounts.passwords import hash_password
from hexarena.backend.accounts.secrets import new_code, sha256_of
from hexarena.backend.classes import pseudonyms
from hexarena.backend.classes.rosters import MOST_PROBLEMS, Problem, Roster, Student
from hexarena.backend.errors import Conflict, Forbidden, Invalid, NotAllowed, NotFound
from hexarena.backend.matches import life as matches
from hexarena.backend.models import (
    Assignment,
    Class,
    ClassMember,
    ClassOrganiser,
    ClassTeam,
    Mark,
    Match,
    MatchState,
    User,
    UserKind,
    UserRole,
)

MOST_DAYS = 180
"""That a code is valid."""
MOST_MEMBERS = 10_000
MOST_IN_TEAM = 20
AT_ONCE = 10_000
"""Matches in one statement, which takes 65,535 values at most."""


@dataclass(frozen=True, slots=True)
class Code:
    """The code of a student, which is shown only now. `sign_in_name`: their account's name, a pseudonym."""

    member_id: int
    name: str
    key: str
    group: str
    sign_in_name: str
    code: str


@dataclass(frozen=True, slots=True)
class Change:
    """A student whose line differs from what the class has. `was`, `becomes`: name and group."""

    line: int
    key: str
    was: tuple[str, str]
    becomes: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Import:
    """What a roster would change, or has changed. `absent`: members that it does not mention; they stay.

    `problems`: lines that cannot be used; with any of them, nothing is changed. `wrong`: how many there are. `teams`:
    names of groups that become teams.
    """

    encoding: str
    separator: str
    made: Sequence[Student]
    changed: Sequence[Change]
    kept: int
    absent: Sequence[ClassMember]
    problems: Sequence[Problem]
    wrong: int
    teams: Sequence[str]


# --- The class --------------------------------------------------------------------------------------------------------


def create(session: Session, user: User, *, game: str, name: str) -> Class:
    """A new class without students. Raises: Invalid."""
    found = Class(game=game, name=_tidy(name), organiser_id=user.id)
    session.add(found)
    session.flush()
    session.refresh(found)
    audit.record(session, user, "create class", None, class_id=found.id, game=game)
    return found


def _tidy(name: str) -> str:
    tidy = " ".join(name.split())
    if not 1 <= len(tidy) <= 80:
        raise Invalid("A class has a name.", expected="1 to 80 characters", got=f"{len(tidy)}")
    return tidy


def change(
    session: Session,
    user: User,
    class_id: int,
    *,
    name: str | None = None,
    named: int | None = None,
    organiser_id: int | None = None,
) -> Class:
    """Renames a class, names its first so many, or hands it over to another organiser.

    Raises: NotFound, Invalid, Forbidden (only whom it belongs to hands it over).
    """
    found = own(session, user, class_id, lock=True) if organiser_id is None else _belonging_to(session, user, class_id)
    if name is not None:
        found.name = _tidy(name)
    if named is not None:
        found.named = named
        audit.record(session, user, "name the top of a class", None, class_id=found.id, named=named)
    if organiser_id is not None and organiser_id != found.organiser_id:
        # Locked, so that nobody deletes the account, or takes the role, until the class is theirs.
        other = session.get(User, organiser_id, with_for_update={"read": True}, populate_existing=True)
        if other is None or other.role != UserRole.ORGANISER:
            raise Invalid("A class belongs to an organiser.", expected="an organiser's id", got=str(organiser_id))
        found.organiser_id = other.id
        beside = (ClassOrganiser.class_id == found.id) & (ClassOrganiser.user_id == other.id)
        session.execute(delete(ClassOrganiser).where(beside))
        audit.record(session, user, "hand over class", None, class_id=found.id, to=other.id)
    session.flush()
    return found


def remove(session: Session, user: User, class_id: int) -> None:
    """Deletes a class: roster, codes, teams, marks. Accounts and bots stay, with their pseudonyms.

    The bots of a team become those of nobody. Raises: NotFound, Forbidden.
    """
    found = _belonging_to(session, user, class_id)
    end_games(session, Mark.assignment_id.in_(select(Assignment.id).where(Assignment.class_id == found.id)))
    # The members first: they refer to the teams.
    session.execute(delete(ClassMember).where(ClassMember.class_id == found.id))
    session.execute(delete(Class).where(Class.id == found.id))
    session.expunge(found)
    audit.record(session, user, "delete class", None, class_id=class_id)


def end_games(session: Session, which: ColumnElement[bool]) -> None:
    """Makes void what is queued for these marks, before they are deleted: a match would no longer tell whose it was."""
    query = select(Match.id).join(Mark, Mark.id == Match.mark_id).where(which, Match.state == MatchState.QUEUED)
    queued = session.scalars(query).all()
    for first in range(0, len(queued), AT_ONCE):
        some = queued[first : first + AT_ONCE]
        matches.void_queued_matches(session, some, "The mark that it was to be played for was deleted.")


def own(session: Session, user: User, class_id: int, *, lock: bool = False) -> Class:
    """A class that the user organises. For others, organisers too, it does not exist. Raises: NotFound."""
    query = select(Class).where(Class.id == class_id, organised_by(user))
    found = session.scalar(query.with_for_update() if lock else query)
    if found is None:
        raise NotFound(f"You have no class {class_id}.")
    return found


def organised_by(user: User) -> ColumnElement[bool]:
    """Which classes a user organises: their own, as an organiser of the arena, and those they were named for."""
    named = Class.id.in_(select(ClassOrganiser.class_id).where(ClassOrganiser.user_id == user.id))
    if user.role != UserRole.ORGANISER and user.kind != UserKind.LOCAL:
        return named
    return (Class.organiser_id == user.id) | named


def _belonging_to(session: Session, user: User, class_id: int) -> Class:
    """A class of the user's own, locked. Raises: NotFound; Forbidden, for those who were only named for it.

    It is theirs, also when they organise the arena no longer: before they are rid of it, their account cannot go.
    """
    found = session.scalar(select(Class).where(Class.id == class_id, Class.organiser_id == user.id).with_for_update())
    if found is None:
        own(session, user, class_id)
        raise Forbidden("Only the class's first organiser may do this.", expected="its first organiser", got=user.name)
    return found


def of_user(session: Session, user: User | None) -> tuple[Sequence[Class], ClassMember | None]:
    """The classes that somebody organises, newest first; and the membership of a student."""
    if user is None:
        return [], None
    organised = session.scalars(select(Class).where(organised_by(user)).order_by(Class.id.desc())).all()
    return organised, session.scalar(select(ClassMember).where(ClassMember.user_id == user.id))


def members(session: Session, class_id: int) -> Sequence[ClassMember]:
    """The students, by name, with their accounts."""
    query = select(ClassMember).where(ClassMember.class_id == class_id).options(joinedload(ClassMember.user))
    return sorted(session.scalars(query), key=_place_in_list)


def _place_in_list(row: ClassMember) -> tuple[str, str, int]:
    """Names as a register has them, whatever order the database has: Çelik beside Celik, von Braun beside Vogel."""
    parts = unicodedata.normalize("NFKD", row.name.casefold())
    return "".join(one for one in parts if not unicodedata.combining(one)), row.name, row.id


def member(session: Session, found: Class, member_id: int) -> ClassMember:
    """One of them, locked. Raises: NotFound."""
    query = select(ClassMember).where(ClassMember.id == member_id, ClassMember.class_id == found.id)
    row = session.scalar(query.with_for_update())
    if row is None:
        raise NotFound(f"There is no member {member_id} in this class.")
    return row


def remove_member(session: Session, user: User, class_id: int, member_id: int) -> None:
    """Takes a student off the roster. Their account stays, and so do their marks. Raises: NotFound."""
    found = own(session, user, class_id, lock=True)
    row = member(session, found, member_id)
    session.delete(row)
    session.flush()
    audit.record(session, user, "remove from class", None, class_id=class_id, member=member_id)


# --- The roster -------------------------------------------------------------------------------------------------------


def plan(session: Session, found: Class, roster: Roster, *, teams: bool = False) -> Import:
    """What a roster would change. Changes nothing."""
    known = {row.key_folded: row for row in members(session, found.id)}
    made, changed, kept = [], [], 0
    for student in roster.students:
        row = known.get(student.folded)
        if row is None:
            made.append(student)
        elif (row.name, row.group) != (student.name, student.group):
            becomes = (student.name, student.group)
            changed.append(Change(student.line, row.key, (row.name, row.group), becomes))
        else:
            kept += 1
    here = {student.folded for student in roster.students}
    absent = [row for key, row in known.items() if key not in here]
    too_large = _too_large_teams(roster, known) if teams else []
    return Import(
        roster.encoding,
        roster.separator,
        made,
        changed,
        kept,
        absent,
        [*roster.problems, *too_large][:MOST_PROBLEMS],
        roster.wrong + len(too_large),
        _new_teams(roster, known) if teams else [],
    )


def _new_teams(roster: Roster, known: Mapping[str, ClassMember]) -> list[str]:
    """The groups that have somebody who is in no team yet."""
    without = {
        one.group
        for one in roster.students
        if one.group and (known.get(one.folded) is None or known[one.folded].team_id is None)
    }
    return sorted(without)


def _too_large_teams(roster: Roster, known: Mapping[str, ClassMember]) -> list[Problem]:
    """The groups that would make a team too large, by their first lines; those that are not in the file by line 1."""
    group_of = {row.key_folded: row.group for row in known.values()}
    group_of |= {one.folded: one.group for one in roster.students}
    team_of: dict[str, int] = {}
    for row in sorted(known.values(), key=lambda row: row.id):
        if row.team_id is not None and group_of[row.key_folded]:
            team_of.setdefault(group_of[row.key_folded], row.team_id)
    sizes: Counter[int | str] = Counter(row.team_id for row in known.values() if row.team_id is not None)
    joining = [group for key, group in group_of.items() if group and (key not in known or not known[key].team_id)]
    for group in joining:
        sizes[team_of.get(group, group)] += 1
    lines: dict[str, int] = {}
    for one in roster.students:
        lines.setdefault(one.group, one.line)
    expected = f"at most {MOST_IN_TEAM} members"
    return [
        Problem(lines.get(group, 1), "The group is too large for a team.", expected, f"{size} with group {group}")
        for group in dict.fromkeys(joining)
        if (size := sizes[team_of.get(group, group)]) > MOST_IN_TEAM
    ]


def import_roster(
    session: Session, user: User, class_id: int, roster: Roster, *, days: int, teams: bool = False
) -> tuple[Import, list[Code]]:
    """Makes an account and a code for each new student, all or none. Idempotent.

    A student who is a member already keeps account, code and team; the name and group become those of the roster.
    `teams`: a student who is in no team joins that of their group.

    Raises: NotFound, Invalid (lines with problems, too many students, or a group too large for a team).
    """
    found = own(session, user, class_id, lock=True)
    planned = plan(session, found, roster, teams=teams)
    if planned.wrong:
        raise Invalid(
            f"Nothing was imported: {planned.wrong:,} lines cannot be used. " + _in_words(planned.problems[:5]),
            expected="a roster without problems; a dry run lists them all",
            got=f"{planned.wrong:,} lines with a problem",
        )
    count = session.scalar(select(func.count()).where(ClassMember.class_id == found.id)) or 0
    if count + len(planned.made) > MOST_MEMBERS:
        got = f"{count + len(planned.made):,}"
        raise Invalid("The class is too large.", expected=f"at most {MOST_MEMBERS:,} students", got=got)
    codes = _make(session, found, planned.made, days)
    for one in planned.changed:
        row = update(ClassMember).where(ClassMember.class_id == found.id, ClassMember.key == one.key)
        session.execute(row.values(name=one.becomes[0], group=one.becomes[1]))
    if teams:
        _join_groups(session, found)
    audit.record(
        session, user, "import roster", None, class_id=found.id, made=len(planned.made), changed=len(planned.changed)
    )
    return planned, codes


def _in_words(problems: Sequence[Problem]) -> str:
    return " ".join(f"Line {one.line}: {one.detail} Expected {one.expected}; got {one.got}." for one in problems)


def _make(session: Session, found: Class, students: Sequence[Student], days: int) -> list[Code]:
    if not students:
        return []
    names = pseudonyms.new_names(session, len(students))
    users = session.scalars(
        insert(User).returning(User.id, sort_by_parameter_order=True),
        [{"kind": UserKind.ACCOUNT, "name": name, "name_key": key_of(name)} for name in names],
    ).all()
    codes = [new_code() for _ in students]
    expires = session.scalar(select(func.now() + timedelta(days=days)))
    rows = [
        {
            "class_id": found.id,
            "user_id": user_id,
            "key": one.key,
            "key_folded": one.folded,
            "name": one.name,
            "group": one.group,
            "code_sha256": sha256_of(code),
            "code_expires_at": expires,
        }
        for one, user_id, code in zip(students, users, codes, strict=True)
    ]
    ids = session.scalars(insert(ClassMember).returning(ClassMember.id, sort_by_parameter_order=True), rows).all()
    return [
        Code(member_id, one.name, one.key, one.group, name, code)
        for one, member_id, name, code in zip(students, ids, names, codes, strict=True)
    ]


def _join_groups(session: Session, found: Class) -> None:
    """Puts everybody who has a group but no team into the team that most of their group are in, or a new one."""
    rows = session.scalars(
        select(ClassMember).where(ClassMember.class_id == found.id, ClassMember.group != "").order_by(ClassMember.id)
    ).all()
    team_of: dict[str, int] = {}
    for row in rows:  # as `_too_large_teams` does
        if row.team_id is not None:
            team_of.setdefault(row.group, row.team_id)
    waiting = [row for row in rows if row.team_id is None]
    new = sorted({row.group for row in waiting} - team_of.keys())
    team_of |= dict(zip(new, new_teams(session, found, len(new)), strict=True))
    for row in waiting:
        row.team_id = team_of[row.group]
    session.flush()
    owners.teams_changed(session)


def new_teams(session: Session, found: Class, how_many: int) -> list[int]:
    """So many teams without members: their ids."""
    if not how_many:
        return []
    names = pseudonyms.new_names(session, how_many, "Team")
    ids = session.scalars(
        insert(User).returning(User.id, sort_by_parameter_order=True),
        [{"kind": UserKind.TEAM, "name": name, "name_key": key_of(name)} for name in names],
    ).all()
    session.execute(insert(ClassTeam), [{"user_id": one, "class_id": found.id} for one in ids])
    return list(ids)


# --- Codes ------------------------------------------------------------------------------------------------------------


def renew_codes(
    session: Session, user: User, class_id: int, *, member_ids: Collection[int] | None, days: int
) -> list[Code]:
    """New codes; the ones before are no longer valid. `member_ids`: None for all who have not signed in yet.

    A student who has a password keeps it until they use the code. Of all, those whose account was deleted or is an
    organiser's are left out. Raises: NotFound, Conflict (one of the named accounts is such a one).
    """
    found = own(session, user, class_id, lock=True)
    query = select(ClassMember).where(ClassMember.class_id == found.id).options(joinedload(ClassMember.user))
    query = query.where(ClassMember.signed_in_at.is_(None) if member_ids is None else ClassMember.id.in_(member_ids))
    locked = session.scalars(query.order_by(ClassMember.id).with_for_update(of=ClassMember))
    rows = sorted(locked, key=_place_in_list)
    if member_ids is not None and len(rows) < len(set(member_ids)):
        unknown = sorted(set(member_ids) - {row.id for row in rows})
        raise NotFound(f"There is no member {unknown[0]} in this class.")
    codes = []
    for row in rows:
        if not _takes_codes(row.user):
            if member_ids is None:
                continue
            raise _no_code(row)
        code = new_code()
        row.code_sha256, row.code_expires_at = sha256_of(code), func.now() + timedelta(days=days)
        codes.append(Code(row.id, row.name, row.key, row.group, row.user.name, code))
    session.flush()
    audit.record(session, user, "renew codes", None, class_id=found.id, members=[row.id for row in rows][:200])
    return codes


def _takes_codes(user: User) -> bool:
    """Whoever organises a class need not organise the arena, so no code of theirs leads into an organiser's account."""
    return user.kind == UserKind.ACCOUNT and user.role != UserRole.ORGANISER


def _no_code(row: ClassMember) -> Conflict:
    if row.user.role == UserRole.ORGANISER:
        expected = "a member who is no organiser; those get another password with `hexarena user password NAME`"
        return Conflict("This member organises the arena and signs in without a code.", expected=expected, got=row.key)
    return Conflict("This student has deleted their account.", expected="a member with an account", got=row.key)


def sign_in_by_code(
    session: Session, code: str, password: str, *, lock_first: Callable[[User], object] = lambda _: None
) -> User:
    """The student of a code, who gets this password; the code is used up, and their other sessions end.

    `lock_first`: locks what the caller changes afterwards and what goes before users, such as ladders.

    Raises: Forbidden (the code), Invalid (the password; the code stays valid), NotAllowed (they are banned).
    """
    tidy = code.strip().lower()
    valid = (ClassMember.code_sha256 == sha256_of(tidy)) & (ClassMember.code_expires_at > func.now())
    _, user = _of_code(session, valid, code)
    password_hash = hash_password(password, name=user.name)
    lock_first(user)
    row, user = _of_code(session, valid, code, lock=True)
    user.password_hash = password_hash
    row.code_sha256, row.code_expires_at, row.signed_in_at = None, None, func.now()
    session.flush()
    sessions.end_others(session, user.id, None)
    return user


def _of_code(
    session: Session, valid: ColumnElement[bool], code: str, *, lock: bool = False
) -> tuple[ClassMember, User]:
    """The member of a code and their account. Raises: Forbidden, NotAllowed."""
    member_query = select(ClassMember).where(valid).execution_options(populate_existing=True)
    row = session.scalar(member_query.with_for_update() if lock else member_query)
    user_query = select(User).where(User.id == (None if row is None else row.user_id))
    user_query = user_query.execution_options(populate_existing=True)
    # Locked, so that nobody makes them an organiser until their password is stored. Refits may write notices to them.
    user = session.scalar(user_query.with_for_update(key_share=True) if lock else user_query)
    if user is not None and user.ban_reason is not None:
        raise NotAllowed(f"You are banned: {user.ban_reason}", expected="somebody who may take part", got="a ban")
    if row is None or user is None or not _takes_codes(user):
        raise Forbidden(
            "This code is not valid: it does not exist, was used already, or has expired.",
            expected="a code like abcd-efgh-jkmn from your organiser, who can give you a new one",
            got=code[:40],
        )
    return row, user
