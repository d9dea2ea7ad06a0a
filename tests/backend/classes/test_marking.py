"""Marks: the version of the deadline, the ladder as it was then, late days, and more games for the marks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import pytest
from sqlalchemy import func, select, text, update
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.orm import Session

from hexarena.backend import audit, notices
from hexarena.backend.api.views.notices import notice_view
from hexarena.backend.api.views.webhooks import notice_event
from hexarena.backend.classes import assignments, life, marking, rosters, teams
from hexarena.backend.errors import Conflict, Invalid, NotFound
from hexarena.backend.ladder import fitting, past, refits, standings
from hexarena.backend.matches import life as matches, queue
from hexarena.backend.models import (
    Assignment,
    AssignmentRung,
    ClassMember,
    Job,
    Mark,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    Notice,
    NoticeKind,
    Standing,
    Submission,
    User,
)
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions import deletion, life as submissions
from hexarena.worker import ratings
from tests.backend.classes.test_classes import GAME, new_class, numbers, student, upload
from tests.backend.ladder.ladders import play, recompute, refit


def in_past(database: Database, hours: float) -> None:
    """As if everything so far had happened so many hours ago."""
    ago = timedelta(hours=hours)
    with database.transaction() as session:
        for column in ("match.created_at", "match.started_at", "match.finished_at", "submission.created_at",
                       "standing_history.at", "assignment.deadline", "assignment.next_at"):  # fmt: skip
            table, name = column.split(".")
            session.execute(text(f'UPDATE "{table}" SET {name} = {name} - :ago'), {"ago": ago})  # noqa: S608


def deadline_now(database: Database, assignment_id: int) -> None:
    with database.transaction() as session:
        row = update(Assignment).where(Assignment.id == assignment_id)
        session.execute(row.values(deadline=func.clock_timestamp(), next_at=func.clock_timestamp()))


def assign(database: Database, user: User, class_id: int) -> tuple[int, list[int]]:
    """An assignment with all bosses, and the versions of its rungs."""
    with database.transaction() as session:
        deadline = session.execute(select(func.now() + timedelta(days=1))).scalar_one()
        row = assignments.create(session, user, class_id, name="Week 1", deadline=deadline, bots=[])
        return row.id, [one.submission_id for one in assignments.rungs(session, row.id)]


def beat(database: Database, winner: int, loser: int, games: int) -> None:
    for number in range(games):
        pair, ranks = ((winner, loser), (0, 1)) if number % 2 else ((loser, winner), (1, 0))
        play(database, pair, ranks)


def play_all(database: Database, ranks: Callable[[list[int]], tuple[int, ...]]) -> None:
    """Ends all matches that are in the queue. `ranks`: of the submissions in their seats."""
    with database.transaction() as session:
        for lease in queue.lease(session, limit=100_000, seconds=600, max_attempts=3):
            claimed = queue.claim(session, lease.match_id, lease.token, seconds=600)
            assert claimed is not None
            ended = ranks([seat.submission_id for seat in claimed.seats])
            scores, digest = tuple(1.0 - rank for rank in ended), str(next(numbers))
            report = matches.Report(ended, scores, "because", 9, (), 1.0, "test", "x", "1", digest)
            assert matches.finish(session, claimed, report)


def marks(database: Database, assignment_id: int) -> dict[int, Mark]:
    """By owner."""
    with database.transaction() as session:
        return {one.owner_id: one for one in marking.marks(session, assignment_id)}


def stronger(mark: Mark) -> list[float]:
    return [rung["stronger"] for rung in mark.rungs]


def ready(database: Database, *, grouped: bool = False) -> tuple[User, int, int, list[int], list[int], list[int]]:
    """(organiser, class, assignment, rungs, students' versions, owners). Zoë and Ada have bots, Bob has none."""
    user, class_id, codes = new_class(database, grouped=grouped)
    assignment_id, rungs = assign(database, user, class_id)
    with database.transaction() as session:
        people = [student(session, code) for code in codes]
        versions = [upload(session, one, f"bot {next(numbers)}") for one in people[:2]]
        ids, owners = [one.id for one in versions], [versions[0].user_id, versions[1].user_id, people[2].id]
    return user, class_id, assignment_id, rungs, ids, owners


@pytest.mark.long
def test_a_mark_is_the_chance_to_be_stronger_than_each_rung_at_the_deadline(database: Database) -> None:
    _, _, assignment_id, rungs, (zoe, ada), owners = ready(database)
    beat(database, zoe, rungs[0], 12)
    beat(database, rungs[0], ada, 12)
    beat(database, rungs[-1], rungs[0], 12)
    refit(database)
    deadline_now(database, assignment_id)
    assert marking.mark(database, assignment_id) == 3
    found = marks(database, assignment_id)
    assert [one.submission_id for one in (found[owner] for owner in owners)] == [zoe, ada, None]
    assert found[owners[2]].problem == marking.NO_BOT
    assert stronger(found[owners[0]])[0] > 0.95
    assert stronger(found[owners[1]])[0] < 0.05
    assert (found[owners[0]].games, found[owners[0]].extra_games) == (12, 0)
    with database.transaction() as session:
        rated = fitting.rate(session, GAME)
        for owner, version in zip(owners, (zoe, ada), strict=False):
            for rung, mark in zip(rungs, found[owner].rungs, strict=True):
                assert mark["stronger"] == pytest.approx(rated.stronger(version, rung), abs=1e-6)
                assert mark["low"] < mark["elo"] < mark["high"]
            assert found[owner].rating == pytest.approx(session.get_one(Standing, version).rating, abs=1e-5)
        assert [mark["games"] for mark in found[owners[0]].rungs] == [12] + [0] * (len(rungs) - 1)


@pytest.mark.long
def test_what_happens_after_the_deadline_changes_no_mark(database: Database) -> None:
    _, _, assignment_id, rungs, (zoe, ada), owners = ready(database)
    beat(database, zoe, rungs[0], 6)
    refit(database)
    deadline_now(database, assignment_id)
    marking.mark(database, assignment_id)
    before = marks(database, assignment_id)
    beat(database, rungs[0], zoe, 20)
    beat(database, ada, rungs[0], 20)
    recompute(database)
    with database.transaction() as session:
        owner = session.get_one(User, owners[0])
        name = session.get_one(Submission, zoe, populate_existing=True)
        later = upload(session, owner, _bot_name(session, name))
    beat(database, later.id, rungs[0], 10)
    refit(database)
    marking.mark(database, assignment_id)
    after = marks(database, assignment_id)
    assert {owner: (one.submission_id, one.rungs, one.rating) for owner, one in before.items()} == {
        owner: (one.submission_id, one.rungs, one.rating) for owner, one in after.items()
    }


def _bot_name(session: Session, version: Submission) -> str:
    return str(session.scalar(text("SELECT name FROM bot WHERE id = :id"), {"id": version.bot_id}))


@pytest.mark.long
def test_the_version_is_the_one_that_was_live_or_was_received_in_time(database: Database) -> None:
    user, _, assignment_id, _, (zoe, _), owners = ready(database)
    refit(database)
    in_past(database, 48)
    with database.transaction() as session:
        owner = session.get_one(User, owners[0])
        bot = session.get_one(Submission, zoe)
        second = upload(session, owner, _bot_name(session, bot))
        assert marking.version_at(session, bot.bot_id or 0, _now(session, -24)) == zoe
        assert marking.version_at(session, bot.bot_id or 0, _now(session)) == second.id
        submissions.restore(session, owner, zoe)
    with database.transaction() as session:
        assert marking.version_at(session, bot.bot_id or 0, _now(session)) == zoe, "an older one was put back"
    in_past(database, 1)
    with database.transaction() as session:
        source = f"print({next(numbers)})".encode()
        name = _bot_name(session, bot)
        third = submissions.submit(session, owner, game=GAME, name=name, language="python", source=source)
        session.execute(text("DELETE FROM match WHERE kind = 'check'"))
    deadline_now(database, assignment_id)
    with database.transaction() as session:
        assert marking.due(session) == [], "an upload that came in time is still being checked"
    marking.mark(database, assignment_id)
    assert marks(database, assignment_id)[owners[0]].problem == marking.CHECKED
    with database.transaction() as session:
        submissions.go_live(session, third.id)
    with database.transaction() as session:
        assert marking.due(session) == [assignment_id]
    marking.mark(database, assignment_id)
    assert marks(database, assignment_id)[owners[0]].submission_id == third.id
    assert user.role == "organiser"


def _now(session: Session, hours: float = 0) -> datetime:
    return session.execute(select(func.clock_timestamp() + timedelta(hours=hours))).scalar_one()


def test_a_version_that_was_off_the_ladder_at_the_deadline_has_no_mark(database: Database) -> None:
    _, _, assignment_id, _, (zoe, ada), owners = ready(database)
    refit(database)
    with database.transaction() as session:
        standings.record_history(session, session.get_one(Standing, zoe), live_now=False)
        standings.disable(session, zoe, "Ten faults.")
    deadline_now(database, assignment_id)
    marking.mark(database, assignment_id)
    found = marks(database, assignment_id)
    assert (found[owners[0]].submission_id, found[owners[0]].problem) == (None, marking.NOT_LIVE)
    assert found[owners[1]].submission_id == ada


@pytest.mark.long
def test_late_days_are_a_ledger_that_nobody_changes(database: Database) -> None:
    user, class_id, assignment_id, rungs, (zoe, _), owners = ready(database)
    beat(database, rungs[0], zoe, 6)
    refit(database)
    in_past(database, 30)
    with database.transaction() as session:
        give = {"session": session, "user": user, "class_id": class_id, "assignment_id": assignment_id}
        assignments.extend(**give, owner_id=owners[0], hours=48, reason="Ill.")
        assignments.extend(**give, owner_id=owners[0], hours=-24, reason="A day is enough.")
        with pytest.raises(Invalid, match="fewer than none"):
            assignments.extend(**give, owner_id=owners[0], hours=-25, reason="x")
        with pytest.raises(NotFound):
            assignments.extend(**give, owner_id=10**9, hours=1, reason="x")
        ledger = assignments.ledger(session, assignment_id)
        assert [(row.hours, row.reason, by) for row, by in ledger] == [
            (48, "Ill.", user.name), (-24, "A day is enough.", user.name)
        ]  # fmt: skip
        assert [entry.action for entry, _ in audit.entries(session)][:2] == ["extend deadline"] * 2
    with pytest.raises(ProgrammingError), database.transaction() as session:
        session.execute(text("UPDATE extension SET hours = 1"))
    beat(database, zoe, rungs[0], 30)
    deadline_now(database, assignment_id)
    marking.mark(database, assignment_id)
    assert owners[0] not in marks(database, assignment_id), "his own deadline is to come"
    with database.transaction() as session:
        row = session.get_one(Assignment, assignment_id)
        assert row.next_at == row.deadline + timedelta(hours=24)
    in_past(database, 25)
    with database.transaction() as session:
        assert marking.due(session) == [assignment_id]
    marking.mark(database, assignment_id)
    found = marks(database, assignment_id)[owners[0]]
    assert (found.games, found.due_at - row.deadline) == (36, timedelta(hours=-1))
    assert stronger(found)[0] > 0.9


@pytest.mark.long
def test_more_games_are_played_by_the_marked_version_and_count_for_the_mark_alone(database: Database) -> None:
    user, class_id, assignment_id, rungs, (zoe, _), owners = ready(database)
    with database.transaction() as session, pytest.raises(Conflict, match="no marks yet"):
        marking.play_more(session, user, class_id, assignment_id, games=4)
    deadline_now(database, assignment_id)
    marking.mark(database, assignment_id)
    before = marks(database, assignment_id)[owners[0]]
    ratings_before = _ratings(database)
    with database.transaction() as session:
        upload(session, session.get_one(User, owners[0]), _bot_name(session, session.get_one(Submission, zoe)))
        assert marking.play_more(session, user, class_id, assignment_id, games=3) == 2 * len(rungs) * 4
    with database.transaction() as session:
        queued = session.scalars(select(Match).where(Match.kind == MatchKind.MARKING)).all()
        seated = session.scalars(select(MatchSeat.submission_id).where(MatchSeat.submission_id == zoe)).all()
        assert {one.state for one in queued} == {MatchState.QUEUED}
        assert len(seated) == 4 * len(rungs)
        assert marking.due(session) == [], "they are still to be played"
    play_all(database, lambda seats: (1, 0) if seats[0] in rungs else (0, 1))
    with database.transaction() as session:
        assert marking.due(session) == [assignment_id]
    ratings.mark(database, assignment_id)
    after = marks(database, assignment_id)[owners[0]]
    assert (after.submission_id, after.games, after.extra_games) == (zoe, before.games, 4 * len(rungs))
    assert all(new > old for new, old in zip(stronger(after), stronger(before), strict=True))
    assert after.rungs[0]["high"] - after.rungs[0]["low"] < before.rungs[0]["high"] - before.rungs[0]["low"]
    refit(database)
    assert {one: elo for one, elo in _ratings(database).items() if one in ratings_before} == ratings_before
    with database.transaction() as session:
        assert marking.due(session) == []


def _ratings(database: Database) -> dict[int, float]:
    with database.transaction() as session:
        refits.recompute(session, GAME)
        return {one.submission_id: one.rating for one in session.scalars(select(Standing))}


@pytest.mark.long
def test_games_of_a_version_that_came_too_late_do_not_count_once_late_days_are_taken_back(database: Database) -> None:
    user, class_id, assignment_id, rungs, (zoe, _), owners = ready(database)
    in_past(database, 30)

    def extend(hours: int) -> None:
        with database.transaction() as session:
            assignments.extend(session, user, class_id, assignment_id, owner_id=owners[0], hours=hours, reason="Ill.")

    def played(winners: Sequence[int]) -> Mark:
        with database.transaction() as session:
            marking.play_more(session, user, class_id, assignment_id, games=2)
        play_all(database, lambda seats: (0, 1) if seats[0] in winners else (1, 0))
        marking.mark(database, assignment_id)
        return marks(database, assignment_id)[owners[0]]

    marking.mark(database, assignment_id)
    first = played([zoe])
    extend(48)
    with database.transaction() as session:
        owner, bot = session.get_one(User, owners[0]), session.get_one(Submission, zoe)
        second = upload(session, owner, _bot_name(session, bot)).id
    in_past(database, 48)
    marking.mark(database, assignment_id)
    assert (late := played(rungs)).submission_id == second
    assert late.extra_games == 2 * len(rungs)
    extend(-48)
    for _ in range(2):
        marking.mark(database, assignment_id)
        again = marks(database, assignment_id)[owners[0]]
        assert (again.submission_id, again.extra_games) == (zoe, first.extra_games)
        assert [rung["games"] for rung in again.rungs] == [2] * len(rungs)


def test_late_days_that_come_after_the_mark_leave_it_until_the_next_one(database: Database) -> None:
    user, class_id, assignment_id, _, (zoe, _), owners = ready(database)
    deadline_now(database, assignment_id)
    marking.mark(database, assignment_id)
    with database.transaction() as session:
        assignments.extend(session, user, class_id, assignment_id, owner_id=owners[0], hours=24, reason="Ill.")
    marking.mark(database, assignment_id)
    before = marks(database, assignment_id)[owners[0]]
    in_past(database, 25)
    marking.mark(database, assignment_id)
    after = marks(database, assignment_id)[owners[0]]
    assert (before.submission_id, after.submission_id, before.id) == (zoe, zoe, after.id)
    with database.transaction() as session:
        assert after.due_at == session.get_one(Assignment, assignment_id).deadline + timedelta(hours=24)


def read_and_made(database: Database, assignment_id: int) -> tuple[marking._Work, list[dict[str, object]]]:
    """Marks that are made and not stored yet."""
    with database.transaction() as session:
        work = marking._read(session, assignment_id)
    assert work is not None
    return work, [row for due_at, ladder in work.ladders.items() for row in marking._marks(work, due_at, ladder)]


def test_a_deadline_that_is_moved_while_marks_are_made_is_not_marked(database: Database) -> None:
    user, class_id, assignment_id, _, _, _ = ready(database)
    deadline_now(database, assignment_id)
    work, made = read_and_made(database, assignment_id)
    with database.transaction() as session:
        moved = assignments.move(session, user, class_id, assignment_id, _now(session, 5)).deadline
    with database.transaction() as session:
        assert marking._write(session, assignment_id, work, made) == 0
    assert marks(database, assignment_id) == {}
    with database.transaction() as session:
        row = session.get_one(Assignment, assignment_id)
        assert (row.next_at, row.marked_at) == (moved, None)


@pytest.mark.parametrize("before", [False, True])
def test_late_days_that_are_given_while_marks_are_made_come_after_them(database: Database, before: bool) -> None:
    user, class_id, assignment_id, _, _, owners = ready(database)
    deadline_now(database, assignment_id)
    if before:
        marking.mark(database, assignment_id)
    work, made = read_and_made(database, assignment_id)
    with database.transaction() as session:
        assignments.extend(session, user, class_id, assignment_id, owner_id=owners[0], hours=24, reason="Ill.")
    with database.transaction() as session:
        assert marking._write(session, assignment_id, work, made) == 2
        row = session.get_one(Assignment, assignment_id)
        assert row.next_at == row.deadline + timedelta(hours=24)
    assert (owners[0] in marks(database, assignment_id)) == before, "only an earlier mark is there until then"


def test_games_that_are_asked_for_while_marks_are_made_are_marked_once_more(database: Database) -> None:
    _, _, assignment_id, _, _, _ = ready(database)
    deadline_now(database, assignment_id)
    work, made = read_and_made(database, assignment_id)
    with database.transaction() as session:
        assignments.request_marks(session, assignment_id)
    with database.transaction() as session:
        assert marking._write(session, assignment_id, work, made) == 3
    with database.transaction() as session:
        assert marking.due(session) == [assignment_id]


def test_a_team_has_one_mark_for_all_its_members(database: Database) -> None:
    _, _, assignment_id, rungs, (zoe, ada), owners = ready(database, grouped=True)
    assert owners[0] == owners[1]
    beat(database, ada, rungs[0], 8)
    refit(database)
    deadline_now(database, assignment_id)
    assert marking.mark(database, assignment_id) == 2
    found = marks(database, assignment_id)[owners[0]]
    assert (found.submission_id, len(found.members)) == (ada, 2), "of its two bots the stronger"
    assert zoe != ada


def test_who_leaves_a_team_keeps_its_mark_until_an_organiser_makes_marks_anew(database: Database) -> None:
    user, class_id, assignment_id, _, _, owners = ready(database, grouped=True)
    with database.transaction() as session:
        rows = {one.user.id: one.id for one in life.members(session, class_id)}
        first, last = session.scalars(
            select(ClassMember.user_id).where(ClassMember.team_id == owners[0]).order_by(ClassMember.id)
        )
        assignments.extend(session, user, class_id, assignment_id, owner_id=_team(session, owners[2]), hours=24,
                           reason="Ill.")  # fmt: skip
    deadline_now(database, assignment_id)
    assert marking.mark(database, assignment_id) == 1
    team = marks(database, assignment_id)[owners[0]]
    for leaving, members in ((last, 1), (first, 0)):
        with database.transaction() as session:
            teams.leave(session, session.get_one(User, leaving))
            assert len(session.scalars(select(ClassMember).where(ClassMember.team_id == owners[0])).all()) == members
        marking.mark(database, assignment_id)
        found = marks(database, assignment_id)
        assert list(found) == [owners[0]]
        assert (found[owners[0]].id, found[owners[0]].submission_id) == (team.id, team.submission_id)
        assert found[owners[0]].members == team.members == sorted([rows[first], rows[last]])
    assert marking.mark(database, assignment_id, anew=True) == 2 + 1, "two are made, that of the team is deleted"
    found = marks(database, assignment_id)
    assert {owner: (one.members, one.problem) for owner, one in found.items()} == {
        first: ([rows[first]], marking.NO_BOT), last: ([rows[last]], marking.NO_BOT)
    }  # fmt: skip


def test_a_student_who_joins_a_marked_team_has_its_mark_with_the_next_one(database: Database) -> None:
    user, class_id, assignment_id, _, _, owners = ready(database, grouped=True)
    deadline_now(database, assignment_id)
    marking.mark(database, assignment_id)
    roster = rosters.read(b"name,mail,group\nEve,eve@uni.example,A\n")
    with database.transaction() as session:
        _, (code,) = life.import_roster(session, user, class_id, roster, days=14, teams=True)
    marking.mark(database, assignment_id)
    assert marks(database, assignment_id)[owners[0]].members[2:] == [code.member_id]


def _team(session: Session, user_id: int) -> int:
    return session.scalars(select(ClassMember.team_id).where(ClassMember.user_id == user_id)).one() or user_id


def test_everybody_with_a_first_mark_gets_one_notice_of_it(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    _, class_id, assignment_id, _, _, owners = ready(database, grouped=True)
    deadline_now(database, assignment_id)
    with monkeypatch.context() as patched:
        # Their uploads came in time and are not checked yet: what they have then is no mark to read about.
        patched.setattr(marking, "NO_BOT", marking.CHECKED)
        marking.mark(database, assignment_id)
        with database.transaction() as session:
            team = session.scalars(select(ClassMember.user_id).where(ClassMember.team_id == owners[0])).all()
        assert [one.user_id for one in _of_marks(database)] == sorted(team)
    for _ in range(2):
        marking.mark(database, assignment_id)
        found = _of_marks(database)
        assert sorted(one.user_id for one in found) == sorted([*team, owners[2]])
    with database.transaction() as session:
        (notice,) = notices.newest(session, owners[2])
        seen = notice_view(notice)
        assert (seen.text, seen.link) == ("Your mark of Week 1 is there.", f"/classes/{class_id}")
        assert (seen.kind, seen.class_id, seen.bot_id, seen.seen) == (NoticeKind.MARKED, class_id, None, False)
        assert notice_event(notice).data.class_id == class_id
        session.delete(session.get_one(Assignment, assignment_id))
    assert _of_marks(database) == []


def _of_marks(database: Database) -> Sequence[Notice]:
    with database.transaction() as session:
        marked = select(Notice).where(Notice.kind == NoticeKind.MARKED)
        return session.scalars(marked.order_by(Notice.id)).all()


@pytest.mark.long
def test_the_ladder_of_now_read_as_past_is_the_ladder(database: Database) -> None:
    """The fit from single results is that of the ladder, which has tallies."""
    _, _, _, rungs, (zoe, ada), _ = ready(database)
    _season(database, [*rungs, zoe, ada])
    recompute(database)
    with database.transaction() as session:
        ladder = past.read(session, GAME, _now(session))
        elo, _ = ladder.ratings(ladder.fitted())
        for row in session.scalars(select(Standing).where(Standing.game == GAME.id)):
            assert elo[ladder.index[row.submission_id]] == pytest.approx(row.rating, abs=1e-6)


def _season(database: Database, bots: Sequence[int]) -> None:
    for number, one in enumerate(bots):
        for other in bots[:number]:
            play(database, (one, other), (0, 1))
            play(database, (other, one), (0, 0))
            play(database, (one, other), (0, 1), digest=f"same {one} {other}")
            play(database, (one, other), (0, 1), digest=f"same {one} {other}")


def test_assignments_that_make_no_sense_are_refused(database: Database) -> None:
    user, class_id, assignment_id, _, _, _ = ready(database)
    with database.transaction() as session:
        make = {"session": session, "user": user, "class_id": class_id, "name": "x"}
        with pytest.raises(Invalid, match="over"):
            assignments.create(**make, deadline=_now(session, -1), bots=[])
        with pytest.raises(NotFound, match="cannot be a rung"):
            assignments.create(**make, deadline=_now(session, 1), bots=[10**9])
        later = assignments.move(session, user, class_id, assignment_id, _now(session, 5))
        assert later.next_at == later.deadline
    deadline_now(database, assignment_id)
    marking.mark(database, assignment_id)
    with database.transaction() as session:
        with pytest.raises(Conflict, match="marks already"):
            assignments.move(session, user, class_id, assignment_id, _now(session, 5))
        assignments.remove(session, user, class_id, assignment_id)
        assert session.scalar(select(func.count()).select_from(Mark)) == 0
    assert marking.mark(database, assignment_id) == 0


@pytest.mark.parametrize("what", ["the assignment", "the class", "a mark"])
def test_what_is_queued_for_marks_is_void_when_they_are_deleted(database: Database, what: str) -> None:
    user, class_id, assignment_id, rungs, _, owners = ready(database)
    deadline_now(database, assignment_id)
    marking.mark(database, assignment_id)
    with database.transaction() as session:
        marking.play_more(session, user, class_id, assignment_id, games=2)
        if what == "the assignment":
            assignments.remove(session, user, class_id, assignment_id)
        elif what == "the class":
            life.remove(session, user, class_id)
        else:
            member = session.scalars(select(ClassMember.id).where(ClassMember.user_id == owners[0])).one()
            life.remove_member(session, user, class_id, member)
    marking.mark(database, assignment_id, anew=True)
    with database.transaction() as session:
        left = 2 * len(rungs) if what == "a mark" else 0
        assert session.scalar(select(func.count()).select_from(Job)) == left
        states = session.scalars(select(Match.state).where(Match.kind == MatchKind.MARKING)).all()
        assert Counter(states) == Counter({MatchState.QUEUED: left, MatchState.VOID: 4 * len(rungs) - left})


def test_a_rung_without_code_and_a_copy_of_a_rung_are_not_played(database: Database) -> None:
    user, class_id, assignment_id, rungs, (zoe, _), _ = ready(database)
    deadline_now(database, assignment_id)
    marking.mark(database, assignment_id)
    with database.transaction() as session:
        session.execute(
            update(Submission).where(Submission.id == rungs[0]).values(state="superseded", source_sha256=None)
        )
        session.execute(update(Standing).where(Standing.submission_id == zoe).values(competitor_id=rungs[1]))
        assert marking.play_more(session, user, class_id, assignment_id, games=2) == 2 * (2 * len(rungs) - 3)


def test_deleting_what_marks_rest_on_leaves_the_marks(database: Database) -> None:
    user, class_id, assignment_id, rungs, (zoe, _), owners = ready(database)
    deadline_now(database, assignment_id)
    marking.mark(database, assignment_id)
    with database.transaction() as session:
        assert marking.play_more(session, user, class_id, assignment_id, games=2) == 4 * len(rungs)
        deletion.delete_account(session, session.get_one(User, owners[0]))
    assert marks(database, assignment_id)[owners[0]].submission_id == zoe
    with database.transaction() as session:
        life.remove(session, user, class_id)
        assert session.scalar(select(func.count()).select_from(AssignmentRung)) == 0
        assert session.scalar(select(func.count()).where(Match.mark_id.is_not(None))) == 0
        assert session.scalar(select(func.count()).where(Match.kind == MatchKind.MARKING)) == 4 * len(rungs)
