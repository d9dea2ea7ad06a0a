"""The life of a class: imports that lose nothing, codes that work once, teams that own their bots."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import count

import pytest
from sqlalchemy import func, select, text, update
from sqlalchemy.orm import Session

from hexarena.backend import audit
from hexarena.backend.accounts import life as accounts, owners
from hexarena.backend.accounts.names import key_of
from hexarena.backend.classes import life, organisers, rosters, teams
from hexarena.backend.errors import Conflict, Forbidden, Invalid, NotAllowed, NotFound
from hexarena.backend.models import (
    Bot,
    Class,
    ClassMember,
    ClassTeam,
    Match,
    Notice,
    NoticeKind,
    Standing,
    Submission,
    SubmissionState,
    User,
    UserKind,
    UserRole,
)
from hexarena.backend.moderation import bans
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions import deletion, life as submissions
from hexarena.games.catalogue import find_game

GAME = find_game("yavalath")
numbers = count(1)
ROSTER = "name,mail,group\nZoë Ångström,zoe@uni.example,A\nAda King,ada@uni.example,A\nBob Ray,bob@uni.example,B\n"


def organiser(session: Session) -> User:
    somebody = User(kind=UserKind.ACCOUNT, role=UserRole.ORGANISER, name=f"organiser {next(numbers)}")
    session.add(somebody)
    session.flush()
    return somebody


def new_class(database: Database, roster: str = ROSTER, *, grouped: bool = False) -> tuple[User, int, list[life.Code]]:
    """Its organiser, its id, and the codes of its students."""
    with database.transaction() as session:
        user = organiser(session)
        found = life.create(session, user, game=GAME.id, name="Bots 101")
        _, codes = life.import_roster(session, user, found.id, rosters.read(roster.encode()), days=14, teams=grouped)
        return user, found.id, codes


def student(session: Session, code: life.Code) -> User:
    return session.scalars(select(User).join(ClassMember).where(ClassMember.id == code.member_id)).one()


def upload(session: Session, user: User, name: str) -> Submission:
    source = f"print({next(numbers)})".encode()
    found = submissions.submit(session, user, game=GAME, name=name, language="python", source=source)
    session.execute(text("DELETE FROM match WHERE kind = 'check'"))
    submissions.go_live(session, found.id)
    session.refresh(found)
    return found


# --- Imports ----------------------------------------------------------------------------------------------------------


def test_an_import_makes_accounts_whose_names_tell_nothing(database: Database) -> None:
    user, class_id, codes = new_class(database)
    assert [code.name for code in codes] == ["Zoë Ångström", "Ada King", "Bob Ray"]
    with database.transaction() as session:
        rows = life.members(session, class_id)
        everything = session.scalars(select(User.name)).all()
        assert not {"Zoë", "Ångström", "King", "Ray", "uni.example"} & set(" ".join(everything).split())
        assert {row.user.kind for row in rows} == {UserKind.ACCOUNT}
        assert {row.user.email for row in rows} == {None}
        assert len({row.user.name_key for row in rows}) == 3
        stored = session.execute(text('SELECT class_member::text, "user".name FROM class_member, "user"')).all()
        assert not any(code.code in " ".join(row) for code in codes for row in stored)
        log = " ".join(str(entry.detail) for entry, _ in audit.entries(session))
        assert "Ada" not in log
        assert "uni.example" not in log
    assert user.role == UserRole.ORGANISER


def test_importing_again_changes_nothing_and_later_rows_are_added(database: Database) -> None:
    user, class_id, codes = new_class(database)
    more = ROSTER.replace("Bob Ray", "Robert Ray").replace("ada@", "ADA@") + "Eve,eve@uni.example,B\n"
    shorter = "\n".join(more.splitlines()[:1] + more.splitlines()[2:])
    with database.transaction() as session:
        again, none = life.import_roster(session, user, class_id, rosters.read(ROSTER.encode()), days=14)
        assert (again.made, again.changed, again.kept, none) == ([], [], 3, [])
    with database.transaction() as session:
        roster = rosters.read(shorter.encode())
        planned = life.plan(session, session.get_one(Class, class_id), roster)
        assert [one.name for one in planned.made] == ["Eve"]
        assert [(one.was, one.becomes) for one in planned.changed] == [(("Bob Ray", "B"), ("Robert Ray", "B"))]
        assert (planned.kept, [one.name for one in planned.absent]) == (1, ["Zoë Ångström"])
        assert len(life.members(session, class_id)) == 3, "a plan changes nothing"
    with database.transaction() as session:
        _, added = life.import_roster(session, user, class_id, roster, days=14)
        assert [code.name for code in added] == ["Eve"]
        names = {row.key: (row.name, row.id) for row in life.members(session, class_id)}
        assert names["bob@uni.example"] == ("Robert Ray", codes[2].member_id)
        assert "zoe@uni.example" in names, "whom a roster does not mention stays"


def test_names_are_in_the_order_of_a_register(database: Database) -> None:
    names = ["Pat O'Brien", "çelik Özgür", "Zoë Ray", "Aron Özil", "Ömer Can", "Dora Ott"]
    roster = "name,mail\n" + "".join(f"{name},{number}@uni.example\n" for number, name in enumerate(names))
    user, class_id, _ = new_class(database, roster)
    ordered = ["Aron Özil", "çelik Özgür", "Dora Ott", "Ömer Can", "Pat O'Brien", "Zoë Ray"]
    with database.transaction() as session:
        assert [row.name for row in life.members(session, class_id)] == ordered
        codes = life.renew_codes(session, user, class_id, member_ids=None, days=14)
        assert [code.name for code in codes] == ordered


def test_one_wrong_line_and_nothing_is_imported(database: Database) -> None:
    user, class_id, _ = new_class(database)
    before = count_rows(database)
    roster = rosters.read(b"name,id\nNew,1\nNew,1\nOther,2\n")
    with database.transaction() as session, pytest.raises(Invalid, match="Line 3: This student is there twice"):
        life.import_roster(session, user, class_id, roster, days=14)
    assert count_rows(database) == before


def test_no_import_makes_a_team_that_is_too_large(database: Database) -> None:
    def grouped(*names: str, group: str = "A") -> str:
        return "".join(f"{name},{name}@uni.example,{group}\n" for name in names)

    heading, some = "name,mail,group\n", [f"s{number}" for number in range(life.MOST_IN_TEAM)]
    user, class_id, _ = new_class(database, heading + grouped(*some), grouped=True)
    before = count_rows(database)
    more = rosters.read((heading + grouped("ok", group="B") + grouped("eve", "mallory")).encode())
    with database.transaction() as session:
        planned = life.plan(session, session.get_one(Class, class_id), more, teams=True)
        got = f"{life.MOST_IN_TEAM + 2} with group A"
        expected = f"at most {life.MOST_IN_TEAM} members"
        assert planned.problems == [rosters.Problem(3, "The group is too large for a team.", expected, got)]
        assert planned.wrong == 1
        with pytest.raises(Invalid, match="Line 3: The group is too large for a team"):
            life.import_roster(session, user, class_id, more, days=14, teams=True)
    assert count_rows(database) == before
    with database.transaction() as session:
        assert life.plan(session, session.get_one(Class, class_id), more).wrong == 0, "sections may be as large"
        life.import_roster(session, user, class_id, more, days=14)
    with database.transaction() as session:
        again = rosters.read((heading + grouped("new", group="C")).encode())
        (problem,) = life.plan(session, session.get_one(Class, class_id), again, teams=True).problems
        assert (problem.line, problem.got) == (1, got), "those of the last import would join, too"


def count_rows(database: Database) -> tuple[int, int]:
    with database.transaction() as session:
        return (
            session.scalars(select(func.count()).select_from(User)).one(),
            session.scalars(select(func.count()).select_from(ClassMember)).one(),
        )


def test_two_imports_at_once_make_everybody_once(database: Database) -> None:
    with database.transaction() as session:
        user = organiser(session)
        class_id = life.create(session, user, game=GAME.id, name="Bots 101").id
    roster = rosters.read(("name,id\n" + "".join(f"S {n},{n}\n" for n in range(100))).encode())
    made: list[int] = []

    def run() -> None:
        with database.transaction() as session:
            made.append(len(life.import_roster(session, user, class_id, roster, days=14)[1]))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(made) == [0, 0, 0, 100]
    assert count_rows(database)[1] == 100


@pytest.mark.long
def test_five_thousand_students_come_in_one_import(database: Database) -> None:
    roster = "name;id;group\n" + "".join(f"Student {n};{n};{n // 3}\n" for n in range(5_000))
    _, class_id, codes = new_class(database, roster, grouped=True)
    assert len({code.code for code in codes}) == len({code.sign_in_name for code in codes}) == 5_000
    with database.transaction() as session:
        assert session.scalar(select(func.count()).where(ClassTeam.class_id == class_id)) == 1_667
        sizes = select(func.count()).where(ClassMember.class_id == class_id).group_by(ClassMember.team_id)
        assert max(session.scalars(sizes)) == 3


# --- Codes ------------------------------------------------------------------------------------------------------------


def test_a_code_sets_a_password_once(database: Database) -> None:
    _, _, codes = new_class(database)
    with database.transaction() as session, pytest.raises(Invalid):
        life.sign_in_by_code(session, codes[0].code, "short")
    with database.transaction() as session:
        user = life.sign_in_by_code(session, f" {codes[0].code.upper()} ", "correct horse")
        assert user.name == codes[0].sign_in_name
    with database.transaction() as session:
        assert accounts.sign_in(session, name=codes[0].sign_in_name, password="correct horse").id == user.id
        with pytest.raises(Forbidden, match="used already"):
            life.sign_in_by_code(session, codes[0].code, "another horse")


def test_codes_expire_and_are_renewed(database: Database) -> None:
    user, class_id, codes = new_class(database)
    with database.transaction() as session:
        session.execute(update(ClassMember).values(code_expires_at=func.now() - timedelta(seconds=1)))
        with pytest.raises(Forbidden):
            life.sign_in_by_code(session, codes[0].code, "correct horse")
    with database.transaction() as session:
        ids = [codes[0].member_id]
        (first,) = life.renew_codes(session, user, class_id, member_ids=ids, days=1)
        (second,) = life.renew_codes(session, user, class_id, member_ids=ids, days=1)
        with pytest.raises(Forbidden):
            life.sign_in_by_code(session, first.code, "correct horse")
        life.sign_in_by_code(session, second.code, "correct horse")
        rest = life.renew_codes(session, user, class_id, member_ids=None, days=1)
        assert {one.member_id for one in rest} == {codes[1].member_id, codes[2].member_id}
        with pytest.raises(NotFound):
            life.renew_codes(session, user, class_id, member_ids=[10**9], days=1)


def test_a_deleted_account_is_not_brought_back_by_a_code(database: Database) -> None:
    user, class_id, codes = new_class(database)
    with database.transaction() as session:
        deletion.delete_account(session, student(session, codes[0]))
    with database.transaction() as session:
        with pytest.raises(Forbidden):
            life.sign_in_by_code(session, codes[0].code, "correct horse")
        with pytest.raises(NotFound):
            life.renew_codes(session, user, class_id, member_ids=[codes[0].member_id], days=1)


def test_no_code_leads_into_the_account_of_an_organiser_of_the_arena(database: Database) -> None:
    user, class_id, codes = new_class(database)
    with database.transaction() as session:
        zoe = student(session, codes[0])
        accounts.set_role(session, zoe.id, UserRole.ORGANISER)
    with database.transaction() as session:
        with pytest.raises(Forbidden, match="not valid"):
            life.sign_in_by_code(session, codes[0].code, "correct horse")
        with pytest.raises(Conflict, match="organises the arena"):
            life.renew_codes(session, user, class_id, member_ids=[codes[0].member_id], days=1)
        rest = life.renew_codes(session, user, class_id, member_ids=None, days=1)
        assert {one.member_id for one in rest} == {codes[1].member_id, codes[2].member_id}
        assert session.get_one(User, zoe.id).password_hash is None


def test_a_class_is_its_organisers_alone_until_he_hands_it_over(database: Database) -> None:
    user, class_id, _ = new_class(database)
    with database.transaction() as session:
        other = organiser(session)
        with pytest.raises(NotFound):
            life.own(session, other, class_id)
        with pytest.raises(Conflict, match="class"):
            deletion.delete_account(session, session.get_one(User, user.id))
        life.change(session, user, class_id, organiser_id=other.id)
        assert life.own(session, other, class_id).name == "Bots 101"
        with pytest.raises(NotFound):
            life.own(session, user, class_id)
        life.remove(session, other, class_id)
    assert count_rows(database)[1] == 0


def test_whoever_is_banned_organises_no_class_and_signs_in_with_no_code(database: Database) -> None:
    user, class_id, codes = new_class(database)
    with database.transaction() as session:
        other = User(kind=UserKind.ACCOUNT, name="Grace", name_key="grace")
        session.add(other)
        session.flush()
        organisers.name(session, user, class_id, "Grace")
        by = session.get_one(User, user.id)
        bans.ban(session, by, other.id, "Spam.")
        assert organisers.of_class(session, class_id) == []
        student = session.scalars(select(ClassMember.user_id).where(ClassMember.id == codes[0].member_id)).one()
        bans.ban(session, by, student, "Spam.")
    with pytest.raises(NotAllowed, match="banned: Spam"), database.transaction() as session:
        life.sign_in_by_code(session, codes[0].code, "correct horse")


def test_a_named_organiser_leaves_with_his_account_and_an_owner_without_the_role_is_none(database: Database) -> None:
    user, class_id, _ = new_class(database)
    with database.transaction() as session:
        other = User(kind=UserKind.ACCOUNT, name="Grace", name_key="grace")
        session.add(other)
        session.flush()
        organisers.name(session, user, class_id, "Grace")
        assert life.own(session, other, class_id).id == class_id
        with pytest.raises(Forbidden):
            life.remove(session, other, class_id)
        deletion.delete_account(session, other)
        assert organisers.of_class(session, class_id) == []
        found = session.get_one(User, user.id)
        found.role = UserRole.USER
        session.flush()
        with pytest.raises(NotFound):
            life.own(session, found, class_id)


@pytest.mark.parametrize("way", ["hand over", "delete"])
def test_who_organises_the_arena_no_longer_gets_rid_of_a_class_and_then_of_the_account(
    database: Database, way: str
) -> None:
    user, class_id, _ = new_class(database)
    with database.transaction() as session:
        other = organiser(session)
        found = accounts.set_role(session, user.id, UserRole.USER)
        with pytest.raises(NotFound):
            life.change(session, found, class_id, name="Still mine")
        with pytest.raises(Conflict, match="class"):
            deletion.delete_account(session, found)
        if way == "delete":
            life.remove(session, found, class_id)
        else:
            life.change(session, found, class_id, organiser_id=other.id)
            assert life.own(session, other, class_id).organiser_id == other.id
            with pytest.raises(NotFound):
                life.remove(session, found, class_id)
        deletion.delete_account(session, found)
        assert found.kind == UserKind.DELETED


def test_whoever_gets_the_class_is_no_longer_named_beside(database: Database) -> None:
    user, class_id, _ = new_class(database)
    with database.transaction() as session:
        other = organiser(session)
        other.name_key = key_of(other.name)
        session.flush()
        organisers.name(session, user, class_id, other.name)
        life.change(session, user, class_id, organiser_id=other.id)
        assert organisers.of_class(session, class_id) == []
        with pytest.raises(NotFound):
            life.own(session, user, class_id)


def test_naming_somebody_twice_at_once_names_him_once(database: Database) -> None:
    user, class_id, _ = new_class(database)
    with database.transaction() as session:
        session.add(User(kind=UserKind.ACCOUNT, name="Grace", name_key="grace"))
    barrier = threading.Barrier(2)

    def one_of_two() -> None:
        barrier.wait()
        with database.transaction() as session:
            organisers.name(session, user, class_id, "Grace")

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(one_of_two) for _ in range(2)]:
            done.result()
    with database.transaction() as session:
        assert len(organisers.of_class(session, class_id)) == 1


# --- Teams ------------------------------------------------------------------------------------------------------------


def test_the_members_of_a_team_share_its_bots_and_nobody_else_does(database: Database) -> None:
    _, _, codes = new_class(database, grouped=True)
    with database.transaction() as session:
        zoe, ada, bob = (student(session, code) for code in codes)
        first = upload(session, zoe, "ours")
        second = upload(session, ada, "ours")
        assert (first.bot_id, second.version) == (second.bot_id, 2)
        owner = session.get_one(User, session.get_one(Bot, first.bot_id).owner_id)
        assert owner.kind == UserKind.TEAM
        assert owner.name.startswith("Team ")
        assert first.user_id == second.user_id == owner.id
        with pytest.raises(Forbidden):
            submissions.submit(session, bob, game=GAME, name="ours", language="python", source=b"1")
        with pytest.raises(Forbidden):
            submissions.restore(session, bob, first.id)
        assert submissions.restore(session, zoe, first.id).state == SubmissionState.LIVE
        with pytest.raises(NotFound):
            deletion.delete_source(session, bob, second.id)
        assert deletion.delete_source(session, zoe, second.id).source_sha256 is None
        reported = session.scalars(select(Notice.user_id).where(Notice.kind == NoticeKind.FAILED)).all()
        submissions.fail(session, _pending(session, ada).id, "It does not build.")
        reported = session.scalars(select(Notice.user_id).where(Notice.kind == NoticeKind.FAILED)).all()
        assert sorted(reported) == sorted([zoe.id, ada.id])


def test_a_new_bot_in_another_game_than_the_classs_is_its_authors_alone(database: Database) -> None:
    _, _, codes = new_class(database, grouped=True)
    with database.transaction() as session:
        zoe = student(session, codes[0])
        assert owners.owner_of_new(session, zoe, GAME.id).kind == UserKind.TEAM
        assert owners.owner_of_new(session, zoe, "ants") is zoe


def _pending(session: Session, user: User) -> Submission:
    source = f"print({next(numbers)})".encode()
    return submissions.submit(session, user, game=GAME, name="ours", language="python", source=source)


def test_who_leaves_a_team_leaves_its_bots_and_who_joins_gets_them(database: Database) -> None:
    user, class_id, codes = new_class(database, grouped=True)
    with database.transaction() as session:
        zoe, ada, bob = (student(session, code) for code in codes)
        bot = upload(session, zoe, "ours")
        team_id = bot.user_id
        teams.leave(session, zoe)
        assert not owners.owns(session, zoe.id, team_id)
        assert owners.owns(session, ada.id, team_id)
        with pytest.raises(Forbidden):
            submissions.restore(session, zoe, bot.id)
        assert upload(session, zoe, "mine").user_id == zoe.id
        teams.move(session, user, class_id, codes[2].member_id, team_id)
        assert submissions.restore(session, bob, bot.id).id == bot.id
        teams.move(session, user, class_id, codes[2].member_id, None)
        with pytest.raises(NotFound):
            teams.leave(session, bob)
        actions = [entry.action for entry, _ in audit.entries(session)]
        assert actions[:3] == ["move to team", "move to team", "leave team"]


def test_a_student_gives_his_bot_to_his_team(database: Database) -> None:
    user, class_id, codes = new_class(database)
    with database.transaction() as session:
        zoe, ada, _ = (student(session, code) for code in codes)
        mine = upload(session, zoe, "mine")
        with pytest.raises(Conflict, match="no team"):
            teams.give_bot(session, zoe, mine.bot_id or 0)
        team_id = teams.create(session, user, class_id, [codes[0].member_id, codes[1].member_id])
        with pytest.raises(NotFound):
            teams.give_bot(session, ada, mine.bot_id or 0)
        # His own bot stays his until he gives it.
        assert upload(session, zoe, "mine").user_id == zoe.id
        oldest = session.get_one(Standing, mine.id)
        oldest.settled = True
        teams.give_bot(session, zoe, mine.bot_id or 0)
        assert not oldest.settled, "the team's bots with new names follow it"
        versions = session.scalars(select(Submission).where(Submission.bot_id == mine.bot_id)).all()
        session.expire_all()
        assert {one.user_id for one in versions} == {team_id}
        assert upload(session, ada, "mine").version == 3


def test_a_team_of_another_class_cannot_be_joined(database: Database) -> None:
    user, class_id, codes = new_class(database)
    _, _, others = new_class(database, grouped=True)
    with database.transaction() as session:
        foreign = session.get_one(ClassMember, others[0].member_id).team_id
        with pytest.raises(NotFound):
            teams.move(session, user, class_id, codes[0].member_id, foreign)
        with pytest.raises(NotFound):
            teams.create(session, user, class_id, [others[0].member_id])
        assert session.scalar(select(func.count()).select_from(Match)) == 0
