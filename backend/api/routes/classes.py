"""Classes: rosters, codes, teams, assignments and marks."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, File, Form, Header, Query, Request, Response, UploadFile
from sqlalchemy.orm import Session

from hexarena.backend.api.deps import Arena, CurrentVisitor, InArena, Visitor, find_user
from hexarena.backend.api.middleware.limits import ClientNetwork
from hexarena.backend.api.parameters import IdPath
from hexarena.backend.api.routes.accounts import begin_session, me
from hexarena.backend.api.schemas import Me, classes as schemas
from hexarena.backend.api.views import classes as views
from hexarena.backend.api.views.tables import csv_of_rows, wants_csv
from hexarena.backend.classes import assignments, life, marking, organisers, rosters, teams
from hexarena.backend.errors import Conflict, Invalid, SignInNeeded
from hexarena.backend.models import Class, User
from hexarena.backend.submissions.adoption import adopt, lock_for
from hexarena.backend.submissions.life import game_named

router = APIRouter(tags=["classes"])


def _user(session: Session, arena: Arena, visitor: Visitor) -> User:
    user = find_user(session, arena, visitor.user_id)
    if user is None:
        raise SignInNeeded("Sign in first.", expected="an account", got="a visitor")
    return user


# --- Classes ----------------------------------------------------------------------------------------------------------


@router.get("/classes")
def list_classes(arena: InArena, visitor: CurrentVisitor) -> schemas.ClassList:
    """Those that you organise, newest first, and the one that you are a student of."""
    with arena.database.transaction() as session:
        user = find_user(session, arena, visitor.user_id)
        organised, row = life.of_user(session, user)
        found = list(organised) if visitor.may_organise else []
        if row is not None:
            found.append(session.get_one(Class, row.class_id))
        return schemas.ClassList(items=views.infos(session, found, user))


@router.post("/classes", status_code=201)
def create_class(arena: InArena, visitor: CurrentVisitor, new: schemas.NewClass) -> schemas.ClassDetail:
    """A new class, which you organise. Only you see who is who in it, and whom you name for it."""
    game = game_named(new.game)
    with arena.database.transaction() as session:
        user = _user(session, arena, visitor)
        return views.detail(session, life.create(session, user, game=game.id, name=new.name), user, None)


@router.get("/classes/{class_id}")
def get_class(arena: InArena, visitor: CurrentVisitor, class_id: IdPath) -> schemas.ClassDetail:
    """A class of yours: its assignments and its board; for students with their own marks alone."""
    with arena.database.transaction() as session:
        user = find_user(session, arena, visitor.user_id)
        found, row = views.find(session, class_id, user, may_organise=visitor.may_organise)
        return views.detail(session, found, _user(session, arena, visitor), row)


@router.patch("/classes/{class_id}")
def change_class(
    arena: InArena, visitor: CurrentVisitor, class_id: IdPath, changed: schemas.ClassChange
) -> schemas.ClassInfo:
    """Renames a class, names the first so many of its board, or hands it over."""
    with arena.database.transaction() as session:
        user = _user(session, arena, visitor)
        found = life.change(
            session, user, class_id, name=changed.name, named=changed.named, organiser_id=changed.organiser
        )
        return views.infos(session, [found], user)[0]


@router.delete("/classes/{class_id}", status_code=204)
def delete_class(arena: InArena, visitor: CurrentVisitor, class_id: IdPath) -> None:
    """Deletes a class: names, codes, teams, marks. Accounts and bots stay, with their pseudonyms."""
    with arena.database.transaction() as session:
        life.remove(session, _user(session, arena, visitor), class_id)


@router.post("/classes/{class_id}/organisers")
def name_class_organiser(
    arena: InArena, visitor: CurrentVisitor, class_id: IdPath, new: schemas.NewClassOrganiser
) -> schemas.ClassDetail:
    """Lets somebody do all with this class that you may, but delete it and hand it over; nothing else of the arena.
    Idempotent.
    """
    with arena.database.transaction() as session:
        user = _user(session, arena, visitor)
        organisers.name(session, user, class_id, new.name)
        return views.detail(session, life.own(session, user, class_id), user, None)


@router.delete("/classes/{class_id}/organisers/{user_id}", status_code=204)
def remove_class_organiser(arena: InArena, visitor: CurrentVisitor, class_id: IdPath, user_id: IdPath) -> None:
    """Somebody organises this class no longer. Idempotent."""
    with arena.database.transaction() as session:
        organisers.remove(session, _user(session, arena, visitor), class_id, user_id)


# --- The roster -------------------------------------------------------------------------------------------------------


@router.post("/classes/{class_id}/roster")
def import_roster(
    arena: InArena,
    visitor: CurrentVisitor,
    response: Response,
    class_id: IdPath,
    file: Annotated[UploadFile, File(description="CSV with a line of headings: name, mail (or id), group.")],
    dry_run: Annotated[bool, Form(description="Only say what would change.")] = False,
    days: Annotated[int, Form(ge=1, le=life.MOST_DAYS, description="How long codes are valid.")] = 14,
    teams: Annotated[bool, Form(description="Each group becomes a team.")] = False,
) -> schemas.ClassImport:
    """Makes an account and a code for each new student of a roster, all or none. Repeating it changes nothing."""
    response.headers["Cache-Control"] = "private, no-store"
    try:
        roster = rosters.read(file.file.read(rosters.MOST_BYTES + 1))
    except rosters.BadRoster as bad:
        raise Invalid(bad.detail, expected=bad.expected, got=bad.got) from None
    with arena.database.transaction() as session:
        user = _user(session, arena, visitor)
        if dry_run:
            planned = life.plan(session, life.own(session, user, class_id), roster, teams=teams)
            return views.imported(planned, [], applied=False)
        done, codes = life.import_roster(session, user, class_id, roster, days=days, teams=teams)
        return views.imported(done, codes, applied=True)


@router.get("/classes/{class_id}/members")
def list_class_members(
    arena: InArena, visitor: CurrentVisitor, response: Response, class_id: IdPath
) -> schemas.ClassMembers:
    """The roster, with names and pseudonyms."""
    response.headers["Cache-Control"] = "private, no-store"
    with arena.database.transaction() as session:
        return views.roster(session, life.own(session, _user(session, arena, visitor), class_id).id)


@router.patch("/classes/{class_id}/members/{member_id}", status_code=204)
def move_class_member(
    arena: InArena, visitor: CurrentVisitor, class_id: IdPath, member_id: IdPath, changed: schemas.ClassMemberChange
) -> None:
    """Moves a student to another team, or to none. The team's bots stay the team's."""
    with arena.database.transaction() as session:
        teams.move(session, _user(session, arena, visitor), class_id, member_id, changed.team)


@router.delete("/classes/{class_id}/members/{member_id}", status_code=204)
def remove_class_member(arena: InArena, visitor: CurrentVisitor, class_id: IdPath, member_id: IdPath) -> None:
    """Takes a student off the roster. Their account stays."""
    with arena.database.transaction() as session:
        life.remove_member(session, _user(session, arena, visitor), class_id, member_id)


@router.post("/classes/{class_id}/codes")
def renew_class_codes(
    arena: InArena, visitor: CurrentVisitor, response: Response, class_id: IdPath, new: schemas.NewClassCodes
) -> schemas.ClassCodes:
    """New codes, shown only now: for those who lost theirs, or forgot their password."""
    response.headers["Cache-Control"] = "private, no-store"
    with arena.database.transaction() as session:
        user = _user(session, arena, visitor)
        codes = life.renew_codes(session, user, class_id, member_ids=new.members, days=new.days)
        return schemas.ClassCodes(items=[views.code_view(one) for one in codes])


@router.post("/sign-in/code", tags=["me"])
def sign_in_by_code(
    arena: InArena,
    visitor: CurrentVisitor,
    network: ClientNetwork,
    request: Request,
    response: Response,
    given: schemas.SignInByCode,
) -> Me:
    """Signs a student in with the code of their class, once, and sets their password. What is yours as a guest moves
    to the account.
    """
    if arena.settings.sandbox == "none":
        raise Conflict("This arena has no accounts.", expected="an arena with isolation")
    arena.limiter.admit_sign_in(network, f"code {given.code.strip().lower()}")
    with arena.database.transaction() as session:
        guest = find_user(session, arena, visitor.user_id)
        lock_first = partial(lock_for, session, guest=guest)
        user = life.sign_in_by_code(session, given.code, given.password, lock_first=lock_first)
        adopt(session, user, guest, arena.quotas)
        begin_session(session, arena, user, request, response)
        return me(session, arena, user)


# --- Teams ------------------------------------------------------------------------------------------------------------


@router.post("/classes/{class_id}/teams", status_code=201)
def create_class_team(
    arena: InArena, visitor: CurrentVisitor, class_id: IdPath, new: schemas.NewClassTeam
) -> schemas.ClassMembers:
    """Makes a team of some members. Answers with the roster."""
    with arena.database.transaction() as session:
        teams.create(session, _user(session, arena, visitor), class_id, new.members)
        return views.roster(session, class_id)


@router.post("/me/team/leave", status_code=204)
def leave_team(arena: InArena, visitor: CurrentVisitor) -> None:
    """Takes you out of your team. Its bots stay the team's."""
    with arena.database.transaction() as session:
        teams.leave(session, _user(session, arena, visitor))


@router.post("/me/team/bots", status_code=204)
def give_bot_to_team(arena: InArena, visitor: CurrentVisitor, given: schemas.GivenBot) -> None:
    """Gives a bot of yours to your team, with all its versions. Its matches and its rating stay."""
    with arena.database.transaction() as session:
        teams.give_bot(session, _user(session, arena, visitor), given.bot)


# --- Assignments ------------------------------------------------------------------------------------------------------


@router.post("/classes/{class_id}/assignments", status_code=201)
def create_assignment(
    arena: InArena, visitor: CurrentVisitor, class_id: IdPath, new: schemas.NewAssignment
) -> schemas.ClassDetail:
    """A new assignment. Its rungs are the versions of now, and stay the same."""
    with arena.database.transaction() as session:
        user = _user(session, arena, visitor)
        assignments.create(session, user, class_id, name=new.name, deadline=new.deadline, bots=new.bots)
        return views.detail(session, life.own(session, user, class_id), user, None)


@router.patch("/classes/{class_id}/assignments/{assignment_id}")
def move_assignment(
    arena: InArena, visitor: CurrentVisitor, class_id: IdPath, assignment_id: IdPath, changed: schemas.AssignmentChange
) -> schemas.ClassDetail:
    """Gives an assignment another deadline, as long as there are no marks."""
    with arena.database.transaction() as session:
        user = _user(session, arena, visitor)
        assignments.move(session, user, class_id, assignment_id, changed.deadline)
        return views.detail(session, life.own(session, user, class_id), user, None)


@router.delete("/classes/{class_id}/assignments/{assignment_id}", status_code=204)
def delete_assignment(arena: InArena, visitor: CurrentVisitor, class_id: IdPath, assignment_id: IdPath) -> None:
    """Deletes an assignment with its marks."""
    with arena.database.transaction() as session:
        assignments.remove(session, _user(session, arena, visitor), class_id, assignment_id)


@router.post("/classes/{class_id}/assignments/{assignment_id}/extensions", status_code=201)
def extend_assignment(
    arena: InArena, visitor: CurrentVisitor, class_id: IdPath, assignment_id: IdPath, new: schemas.NewExtension
) -> schemas.ClassExtensions:
    """Gives a team or a student more time. Answers with the ledger."""
    with arena.database.transaction() as session:
        user = _user(session, arena, visitor)
        assignments.extend(
            session, user, class_id, assignment_id, owner_id=new.owner_id, hours=new.hours, reason=new.reason
        )
        found = life.own(session, user, class_id)
        return views.ledger(session, assignments.by_id(session, found, assignment_id))


@router.get("/classes/{class_id}/assignments/{assignment_id}/extensions")
def list_extensions(
    arena: InArena, visitor: CurrentVisitor, class_id: IdPath, assignment_id: IdPath
) -> schemas.ClassExtensions:
    """The ledger of late days."""
    with arena.database.transaction() as session:
        found = life.own(session, _user(session, arena, visitor), class_id)
        return views.ledger(session, assignments.by_id(session, found, assignment_id))


@router.get("/classes/{class_id}/assignments/{assignment_id}/marks", response_model=schemas.ClassMarks)
def get_marks(
    arena: InArena,
    visitor: CurrentVisitor,
    response: Response,
    class_id: IdPath,
    assignment_id: IdPath,
    file_format: Annotated[str | None, Query(alias="format", pattern="^(json|csv)$")] = None,
    accept: Annotated[str, Header()] = "",
) -> Response | schemas.ClassMarks:
    """All marks, with names; as CSV (`format=csv`) a line for each student."""
    with arena.database.transaction() as session:
        found = life.own(session, _user(session, arena, visitor), class_id)
        row = assignments.by_id(session, found, assignment_id)
        shown = views.marks(session, row)
        table = views.table(shown, assignments.rungs(session, row.id))
    if wants_csv(file_format, accept):
        answer = csv_of_rows(table, f"marks-{assignment_id}.csv")
        answer.headers["Cache-Control"] = "private, no-store"
        return answer
    response.headers["Cache-Control"] = "private, no-store"
    return shown


@router.post("/classes/{class_id}/assignments/{assignment_id}/marks")
def make_marks(arena: InArena, visitor: CurrentVisitor, class_id: IdPath, assignment_id: IdPath) -> schemas.ClassMarks:
    """Makes the marks of all whose deadline is over, now: after members moved, or matches were annulled."""
    with arena.database.transaction() as session:
        user = _user(session, arena, visitor)
        assignments.by_id(session, life.own(session, user, class_id), assignment_id)
    if not marking.mark(arena.database, assignment_id, anew=True):
        raise Conflict(
            "Nobody's deadline is over.", expected="an assignment whose deadline is over", got="none to mark"
        )
    with arena.database.transaction() as session:
        found = life.own(session, user, class_id)
        return views.marks(session, assignments.by_id(session, found, assignment_id))


@router.post("/classes/{class_id}/assignments/{assignment_id}/games")
def play_for_marks(
    arena: InArena, visitor: CurrentVisitor, class_id: IdPath, assignment_id: IdPath, more: schemas.MoreGames
) -> schemas.QueuedGames:
    """Queues matches of each marked version against each rung. When they are over, marks are made again."""
    with arena.database.transaction() as session:
        user = _user(session, arena, visitor)
        queued = marking.play_more(session, user, class_id, assignment_id, games=more.games)
    return schemas.QueuedGames(matches=queued)
