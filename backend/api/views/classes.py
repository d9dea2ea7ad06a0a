"""Classes as their students and their organiser see them. Names are for the organiser and the student concerned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from sqlalchemy import false, func, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import Session, joinedload

from hexarena.backend.accounts import owners
from hexarena.backend.api.schemas import classes as schemas
from hexarena.backend.classes import assignments, life, marking, organisers, teams
from hexarena.backend.errors import NotFound
from hexarena.backend.ladder import boards
from hexarena.backend.models import (
    Assignment,
    AssignmentRung,
    Bot,
    Class,
    ClassMember,
    Mark,
    Standing,
    Submission,
    SubmissionState,
    User,
)

FIXED = (
    "name", "key", "group", "pseudonym", "team", "bot", "version", "submission", "due", "late hours", "problem",
    "rating", "deviation", "games", "extra games",
)  # fmt: skip


def find(session: Session, class_id: int, user: User | None, *, may_organise: bool) -> tuple[Class, ClassMember | None]:
    """A class, for its organisers and its students; for all others it does not exist. Raises: NotFound.

    `may_organise`: whether it is for organisers to see, too; a token may not be for that.
    """
    found = session.get(Class, class_id)
    row = None
    if user is not None:
        row = session.scalar(
            select(ClassMember).where(ClassMember.class_id == class_id, ClassMember.user_id == user.id)
        )
    if user is not None and row is None and may_organise:
        return life.own(session, user, class_id), None
    if found is None or row is None:
        raise NotFound(f"You have no class {class_id}.")
    return found, row


def infos(session: Session, found: Sequence[Class], user: User | None) -> list[schemas.ClassInfo]:
    """In the same order."""
    ids = [one.id for one in found]
    counted = select(ClassMember.class_id, func.count()).where(ClassMember.class_id.in_(ids))
    members = dict(session.execute(counted.group_by(ClassMember.class_id)).all())
    names = dict(
        session.execute(select(User.id, User.name).where(User.id.in_([one.organiser_id for one in found]))).all()
    )
    mine = false() if user is None else life.organised_by(user)
    organised = session.scalars(select(Class.id).where(Class.id.in_(ids), mine)).all()
    return [
        schemas.ClassInfo(
            id=one.id,
            game=one.game,
            name=one.name,
            organiser=names[one.organiser_id],
            organised=one.id in organised,
            named=one.named,
            members=members.get(one.id, 0),
            created_at=one.created_at,
        )
        for one in found
    ]


def detail(session: Session, found: Class, user: User, row: ClassMember | None) -> schemas.ClassDetail:
    """The page of a class, for its organiser or a student (`row`)."""
    (info,) = infos(session, [found], user)
    people = _people(session, found.id)
    return schemas.ClassDetail(
        **info.model_dump(),
        you=None if row is None else _self(session, row, user),
        assignments=[_assignment(session, one, row, people) for one in assignments.of_class(session, found.id)],
        owned=found.organiser_id == user.id,
        organisers=[
            schemas.ClassOrganiserInfo(id=user_id, name=name)
            for user_id, name in (organisers.of_class(session, found.id) if info.organised else ())
        ],
        board=_board(session, found, user, people, organised=info.organised),
        now=datetime.now(UTC),
    )


def _people(session: Session, class_id: int) -> Mapping[int, list[ClassMember]]:
    """Owner of bots -> who that is."""
    found: dict[int, list[ClassMember]] = {}
    for row in life.members(session, class_id):
        found.setdefault(row.team_id or row.user_id, []).append(row)
    return found


def _self(session: Session, row: ClassMember, user: User) -> schemas.ClassSelf:
    mates: list[str] = []
    if row.team_id is not None:
        query = select(User.name).join(ClassMember, ClassMember.user_id == User.id)
        mates = list(session.scalars(query.where(ClassMember.team_id == row.team_id).order_by(User.name)))
    team = None if row.team_id is None else session.get_one(User, row.team_id).name
    return schemas.ClassSelf(
        name=row.name,
        key=row.key,
        group=row.group,
        sign_in_name=user.name,
        owner_id=row.team_id or row.user_id,
        team=team,
        team_members=mates,
    )


def _assignment(
    session: Session, row: Assignment, member: ClassMember | None, people: Mapping[int, list[ClassMember]]
) -> schemas.ClassAssignment:
    hours = assignments.extensions(session, row.id)
    owner_id = 0 if member is None else member.team_id or member.user_id
    mine = None
    if member is not None:
        # It may be that of a team that they have left.
        query = select(Mark).where(Mark.assignment_id == row.id, Mark.members.contains([member.id]))
        own = session.scalars(query.order_by(Mark.due_at.desc()).limit(1)).all()
        mine = next(iter(_marks(session, own, {one.owner_id: [member] for one in own}, hours)), None)
    bots = dict(
        session.execute(
            select(Submission.id, Submission.bot_id).where(
                Submission.id.in_([one.submission_id for one in assignments.rungs(session, row.id)])
            )
        ).all()
    )
    return schemas.ClassAssignment(
        id=row.id,
        name=row.name,
        deadline=row.deadline,
        due_at=row.deadline + timedelta(hours=hours.get(owner_id, 0)),
        marked_at=row.marked_at,
        next_at=row.next_at,
        marked=session.scalar(select(func.count()).where(Mark.assignment_id == row.id)) or 0,
        rungs=[
            schemas.ClassRung(
                position=one.position,
                name=one.name,
                bot_id=bots[one.submission_id] or 0,
                submission_id=one.submission_id,
            )
            for one in assignments.rungs(session, row.id)
        ],
        mark=mine,
    )


def marks(session: Session, row: Assignment) -> schemas.ClassMarks:
    """All marks of an assignment, with names: for the organiser."""
    hours = assignments.extensions(session, row.id)
    found = marking.marks(session, row.id)
    people = {
        one.owner_id: list(session.scalars(select(ClassMember).where(ClassMember.id.in_(one.members)))) for one in found
    }
    return schemas.ClassMarks(
        items=_marks(session, found, people, hours),
        marked_at=row.marked_at,
        next_at=row.next_at,
        playing=marking.playing(session, row.id),
    )


def _marks(
    session: Session, found: Sequence[Mark], people: Mapping[int, Sequence[ClassMember]], hours: Mapping[int, int]
) -> list[schemas.ClassMark]:
    ids = [one.submission_id for one in found if one.submission_id is not None]
    query = select(Submission).where(Submission.id.in_(ids)).options(joinedload(Submission.bot))
    versions = {one.id: one for one in session.scalars(query)}
    users = {one.id: one for one in session.scalars(select(User).where(User.id.in_([one.owner_id for one in found])))}
    rows = []
    for one in found:
        version = versions.get(one.submission_id or 0)
        members = sorted(people.get(one.owner_id, ()), key=lambda row: (row.name, row.id))
        rows.append(
            schemas.ClassMark(
                owner_id=one.owner_id,
                names=[row.name for row in members],
                keys=[row.key for row in members],
                groups=[row.group for row in members],
                pseudonym=users[one.owner_id].name,
                is_team=users[one.owner_id].kind == "team",
                bot_id=None if version is None else version.bot_id,
                bot=None if version is None or version.bot is None else version.bot.name,
                version=None if version is None else version.version,
                submission_id=one.submission_id,
                due_at=one.due_at,
                late_hours=hours.get(one.owner_id, 0),
                problem=one.problem,
                rating=one.rating,
                deviation=one.deviation,
                games=one.games,
                extra_games=one.extra_games,
                rungs=[schemas.ClassRungMark.model_validate(rung) for rung in one.rungs],
            )
        )
    return rows


def table(shown: schemas.ClassMarks, rungs: Sequence[AssignmentRung]) -> list[list[object]]:
    """The headings, then a line for each student; those of a team have the same marks."""
    of_each = ("P(stronger than {})", "Elo above {}", "Elo above {}, from", "Elo above {}, to", "games against {}")
    named = Counter(rung.name for rung in rungs)
    names = [rung.name if named[rung.name] == 1 else f"{rung.name} (rung {rung.position})" for rung in rungs]
    lines: list[list[object]] = [[*FIXED, *(text.format(name) for name in names for text in of_each)]]
    for one in shown.items:
        values: list[object] = [
            one.pseudonym if one.is_team else "", one.bot, one.version, one.submission_id, one.due_at.isoformat(),
            one.late_hours, one.problem, one.rating, one.deviation, one.games, one.extra_games,
        ]  # fmt: skip
        marks: list[object] = [
            value for rung in one.rungs for value in (rung.stronger, rung.elo, rung.low, rung.high, rung.games)
        ]
        marks += [None] * (len(of_each) * len(rungs) - len(marks))
        own = "" if one.is_team else one.pseudonym
        people = zip(one.names, one.keys, one.groups, strict=True)
        lines += [[name, key, group, own, *values, *marks] for name, key, group in people]
    return lines


def _board(
    session: Session, found: Class, user: User, people: Mapping[int, list[ClassMember]], *, organised: bool
) -> list[schemas.ClassBoardRow]:
    """The best bot of each, by its rating now."""
    query = (
        select(Bot, Submission, Standing, User.name)
        .ext(distinct_on(Bot.owner_id))
        .join(Submission, Submission.bot_id == Bot.id)
        .join(Standing, Standing.submission_id == Submission.id)
        .join(User, User.id == Bot.owner_id)
        .where(Bot.owner_id.in_(people), Bot.game == found.game, Submission.state == SubmissionState.LIVE)
        .order_by(Bot.owner_id, Standing.rating.desc(), Bot.id)
    )
    rows = sorted(session.execute(query).all(), key=lambda row: (-row[2].rating, row[0].id))
    owned = owners.owned_by(session, user.id)
    board = []
    for place, (bot, _, standing, owner) in enumerate(rows, start=1):
        mine = bot.owner_id in owned
        shown = organised or place <= found.named
        known = [row.name for row in people[bot.owner_id] if shown or row.user_id == user.id]
        low, high = boards.interval(standing.rating, standing.deviation)
        board.append(
            schemas.ClassBoardRow(
                place=place,
                bot_id=bot.id,
                bot=bot.name,
                owner=owner,
                name=", ".join(known) or None,
                rating=standing.rating,
                low=low,
                high=high,
                games=standing.games,
                mine=mine,
            )
        )
    return board


def roster(session: Session, class_id: int) -> schemas.ClassMembers:
    """All students, with names: for the organiser."""
    names = teams.names(session, class_id)
    rows = life.members(session, class_id)
    of_owner = select(Bot.owner_id, func.count()).where(Bot.name_key.is_not(None))
    ids = {row.team_id or row.user_id for row in rows}
    bots = dict(session.execute(of_owner.where(Bot.owner_id.in_(ids)).group_by(Bot.owner_id)).all())
    return schemas.ClassMembers(
        items=[
            schemas.ClassMemberRow(
                id=row.id,
                name=row.name,
                key=row.key,
                group=row.group,
                sign_in_name=row.user.name,
                owner_id=row.team_id or row.user_id,
                team_id=row.team_id,
                team=None if row.team_id is None else names[row.team_id],
                code_expires_at=row.code_expires_at,
                signed_in_at=row.signed_in_at,
                bots=bots.get(row.team_id or row.user_id, 0),
            )
            for row in rows
        ]
    )


def ledger(session: Session, row: Assignment) -> schemas.ClassExtensions:
    """The late days of an assignment, with names: for the organiser."""
    people = _people(session, row.class_id)
    return schemas.ClassExtensions(
        items=[
            schemas.ClassExtension(
                id=one.id,
                owner_id=one.owner_id,
                names=[member.name for member in people.get(one.owner_id, ())],
                hours=one.hours,
                reason=one.reason,
                by=by,
                at=one.at,
            )
            for one, by in assignments.ledger(session, row.id)
        ]
    )


def imported(found: life.Import, codes: Sequence[life.Code], *, applied: bool) -> schemas.ClassImport:
    """What a roster changes, or has changed."""
    return schemas.ClassImport(
        applied=applied,
        encoding=found.encoding,
        separator=found.separator,
        made=[
            schemas.ClassRosterLine(line=one.line, name=one.name, key=one.key, group=one.group) for one in found.made
        ],
        changed=[
            schemas.ClassRosterChange(line=one.line, key=one.key, was=list(one.was), becomes=list(one.becomes))
            for one in found.changed
        ],
        kept=found.kept,
        absent=[schemas.ClassRosterLine(line=0, name=one.name, key=one.key, group=one.group) for one in found.absent],
        teams=list(found.teams),
        problems=[
            schemas.ClassRosterProblem(line=one.line, detail=one.detail, expected=one.expected, got=one.got)
            for one in found.problems
        ],
        wrong=found.wrong,
        codes=[code_view(one) for one in codes],
    )


def code_view(one: life.Code) -> schemas.ClassCode:
    """A code, to be printed."""
    return schemas.ClassCode(
        member_id=one.member_id,
        name=one.name,
        key=one.key,
        group=one.group,
        sign_in_name=one.sign_in_name,
        code=one.code,
    )
