"""Versions: what a new one inherits, going back, being disabled, and how many there may be."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import func, select, text, update
from sqlalchemy.orm import Session

from hexarena.backend.errors import Conflict, Forbidden, NotFound, TooMany
from hexarena.backend.ladder import boards, refits, standings
from hexarena.backend.ladder.rules import CRASHES_TO_DISABLE, LEAST_SINCE
from hexarena.backend.matches import life as matches, live, queue
from hexarena.backend.matches.quotas import Quotas
from hexarena.backend.models import (
    Bot,
    Match,
    MatchKind,
    MatchSeat,
    Notice,
    NoticeKind,
    Source,
    Standing,
    StandingHistory,
    Submission,
    SubmissionState,
    TrialState,
    User,
)
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions import deletion, life as submissions
from hexarena.games.catalogue import find_game
from hexarena.games.referee import Fault
from tests.backend import scheduled
from tests.backend.ladder.ladders import CRASH, GAME, enter, newcomers, now, numbers, play, refit, shown, standing, user


def test_the_same_code_again_is_no_new_roll_of_the_dice(database: Database) -> None:
    with database.transaction() as session:
        owner = user(session)
        first = enter(session, owner, "twice", "print('same')")
    (other,) = newcomers(database, 1)
    for _ in range(3):
        play(database, (other, first))
    refit(database)
    with database.transaction() as session:
        again = enter(session, session.get_one(User, owner.id), "twice", "print('same')")
    assert standing(database, again).competitor_id == first
    assert standing(database, again).rating == standing(database, first).rating
    play(database, (again, other))
    refit(database)
    assert standing(database, again).games == standing(database, first).games == 4
    with database.transaction() as session:
        stranger = enter(session, user(session), "copy", "print('same')")
    assert standing(database, stranger).competitor_id == first, "somebody else's copy is no new roll either"
    assert standing(database, stranger).games == 4


def test_a_copy_is_the_same_competitor_also_when_the_first_one_was_deleted(database: Database) -> None:
    with database.transaction() as session:
        owner = user(session)
        first = enter(session, owner, "first", "print('shared')")
        copy = enter(session, user(session), "copy", "print('shared')")
    (other,) = newcomers(database, 1)
    play(database, (other, first))
    refit(database)
    with database.transaction() as session:
        deletion.delete_account(session, session.get_one(User, owner.id))
    with database.transaction() as session:
        third = enter(session, user(session), "third", "print('shared')")
    assert standing(database, third).competitor_id == standing(database, copy).competitor_id == first
    assert standing(database, third).games == 1


def test_pages_hear_that_a_bot_left_the_board(database: Database) -> None:
    (bot,) = newcomers(database, 1)
    with database.transaction() as session:
        before = live.now(session)
    with database.transaction() as session:
        standings.disable(session, bot, "It crashes.")
    with database.transaction() as session:
        changes = {(one.kind, one.game) for one in live.changes_since(session, before, game=None)}
    assert changes == {("submission", GAME.id), ("ladder", GAME.id)}


def test_a_fixed_version_inherits_from_the_newest_disabled_one(database: Database) -> None:
    with database.transaction() as session:
        owner = user(session)
        for rating in (1100.0, 1300.0):
            broken = enter(session, owner, "often mended")
            session.get_one(Standing, broken).rating = rating
            session.flush()
            standings.disable(session, broken, "It crashes.")
        mended = session.get_one(Standing, enter(session, owner, "often mended"))
        assert (mended.parent_id, mended.rating) == (broken, 1300.0)


def test_the_check_match_plays_the_full_game(database: Database) -> None:
    ants = find_game("ants")
    assert ants.levels[0] < ants.top_level
    with database.transaction() as session:
        new = submissions.submit(
            session, user(session), game=ants, name="beginner", language="python", source=b"print(1)"
        )
        check = select(Match.league).join(MatchSeat, MatchSeat.match_id == Match.id)
        assert session.scalars(check.where(MatchSeat.submission_id == new.id)).one() == ants.top_level


def test_going_back_to_an_earlier_version(database: Database) -> None:
    with database.transaction() as session:
        owner = user(session)
        first = enter(session, owner, "rolled")
    (other,) = newcomers(database, 1)
    play(database, (first, other))
    refit(database)
    with database.transaction() as session:
        second = enter(session, session.get_one(User, owner.id), "rolled")
    with database.transaction() as session:
        mine = session.get_one(User, owner.id)
        with pytest.raises(Forbidden):
            submissions.restore(session, user(session), first)
        with pytest.raises(NotFound):
            submissions.restore(session, mine, 10**12)
        submissions.restore(session, mine, first)
        submissions.restore(session, mine, first)
    with database.transaction() as session:
        assert session.get_one(Submission, first).state == SubmissionState.LIVE
        assert session.get_one(Submission, second).state == SubmissionState.SUPERSEDED
        live = [row.submission.id for row in boards.leaderboard(session, GAME.id, limit=100)]
    assert first in live
    assert second not in live
    assert standing(database, first).games == 1


def test_whoever_goes_back_to_code_that_others_have_too_gets_games_at_once(database: Database) -> None:
    with database.transaction() as session:
        owner = user(session)
        first = enter(session, owner, "shared", "print('shared')")
        copy = enter(session, user(session), "copy", "print('shared')")
        rows = update(Standing).where(Standing.submission_id.in_([first, copy]))
        session.execute(rows.values(games=40, wins=40, placing=False, trial=TrialState.STAYS))
        enter(session, owner, "shared")
        submissions.restore(session, session.get_one(User, owner.id), first)
    with database.transaction() as session:
        one = next(one for one in scheduled.roster(session, GAME).entrants if one.competitor_id == first)
    assert shown(database, first).provisional
    assert not shown(database, copy).provisional
    assert one.provisional, "whichever of the two plays"


@pytest.mark.long
def test_a_version_disqualified_in_ten_consecutive_matches_is_disabled_and_can_come_back(database: Database) -> None:
    with database.transaction() as session:
        owner = user(session)
        bad = enter(session, owner, "crasher")
    (other,) = newcomers(database, 1)
    for number in range(CRASHES_TO_DISABLE + 3):
        fine, last = number == 2, number == CRASHES_TO_DISABLE + 2
        fault = Fault(0, 3, "crash", CRASH) if last else Fault(0, 3, "timeout", "slow")
        play(database, (bad, other), (1, 0), faults=[] if fine else [fault])
        refit(database)
        with database.transaction() as session:
            state = session.get_one(Submission, bad).state
        assert state == (SubmissionState.DISABLED if number == CRASHES_TO_DISABLE + 2 else SubmissionState.LIVE)
    with database.transaction() as session:
        reported = session.scalars(select(Notice).where(Notice.user_id == owner.id, Notice.kind == NoticeKind.DISABLED))
        assert [one.submission_id for one in reported] == [bad]
        problem = session.get_one(Submission, bad).problem or ""
        assert f"in {CRASHES_TO_DISABLE} consecutive matches" in problem
        assert "most recently: crash" in problem
        assert bad not in [row.submission.id for row in boards.leaderboard(session, GAME.id, limit=100)]
        assert bad not in [one.submission_id for one in scheduled.roster(session, GAME).entrants]
        history = session.scalars(
            select(StandingHistory.live).where(StandingHistory.submission_id == bad).order_by(StandingHistory.id.desc())
        ).first()
        assert history is False
        submissions.restore(session, session.get_one(User, owner.id), bad)
    refit(database)
    with database.transaction() as session:
        refits.recompute(session, GAME)
    with database.transaction() as session:
        assert session.get_one(Submission, bad).state == SubmissionState.LIVE, "a recount knows that it came back"


@pytest.mark.long
def test_the_same_code_again_after_it_was_disabled_has_another_ten_matches(database: Database) -> None:
    with database.transaction() as session:
        owner = user(session)
        bad = enter(session, owner, "crasher", "print('again')")
    (other,) = newcomers(database, 1)
    for _ in range(CRASHES_TO_DISABLE):
        play(database, (bad, other), (1, 0), faults=[Fault(0, 3, "crash", CRASH)])
    refit(database)
    with database.transaction() as session:
        assert session.get_one(Submission, bad).state == SubmissionState.DISABLED
        again = enter(session, session.get_one(User, owner.id), "crasher", "print('again')")
        assert session.get_one(Standing, again).competitor_id == bad
    refit(database)
    for version, others in ((again, None), (bad, again)):
        with database.transaction() as session:
            if others is not None:
                submissions.restore(session, session.get_one(User, owner.id), version)
        play(database, (version, other), (1, 0), faults=[Fault(0, 3, "crash", CRASH)])
        refit(database)
        with database.transaction() as session:
            assert session.get_one(Submission, version).state == SubmissionState.LIVE


@pytest.mark.long
def test_the_owner_of_a_copy_learns_that_others_played_the_matches_that_disabled_it(database: Database) -> None:
    with database.transaction() as session:
        played, copy = (enter(session, user(session), name, "print('crash')") for name in ("played", "copy"))
    (other,) = newcomers(database, 1)
    for _ in range(CRASHES_TO_DISABLE):
        play(database, (played, other), (1, 0), faults=[Fault(0, 3, "crash", CRASH)])
    refit(database)
    with database.transaction() as session:
        own, theirs = (session.get_one(Submission, one).problem or "" for one in (played, copy))
    assert "10 consecutive matches, most recently: crash. The seat logs of these matches show why." in own
    assert "10 consecutive matches of bots with the same code, most recently: crash. Fix it" in theirs


def test_going_back_into_a_higher_league_begins_a_trial_there(database: Database) -> None:
    with database.transaction() as session:
        owner = user(session)
        first = enter(session, owner, "climber")
        row = session.get_one(Standing, first)
        row.games = row.wins = 200
        row.trial = TrialState.STAYS
        session.flush()
        second = enter(session, owner, "climber")
        session.get_one(Standing, second).league = 2
        session.flush()
        submissions.restore(session, owner, first)
        assert (row.league, row.league_from, row.trial) == (2, 200, TrialState.OPEN)


def test_a_live_version_that_builds_no_more_is_disabled(database: Database) -> None:
    """Its matches would be void, and scheduled again, for ever."""
    one, other = newcomers(database, 2)
    for build_log, state in ((None, SubmissionState.LIVE), ("error: gone", SubmissionState.DISABLED)):
        with database.transaction() as session:
            match_id = matches.schedule(
                session, game=GAME.id, kind=MatchKind.LADDER, submission_ids=(one, other), seed=1, league=1
            ).id
            (lease,) = (
                lease
                for lease in queue.lease(session, limit=1000, seconds=60, max_attempts=3)
                if lease.match_id == match_id
            )
            order = queue.claim(session, match_id, lease.token, seconds=60)
            assert order is not None
            assert submissions.record_failed_build(session, order, one, problem="Build failed.", build_log=build_log)
        with database.transaction() as session:
            assert session.get_one(Submission, one).state == state
    with database.transaction() as session:
        assert one not in [row.submission_id for row in boards.board_of(session, GAME.id, now(session), limit=99)]


def test_sources_are_kept_once(database: Database) -> None:
    with database.transaction() as session:
        enter(session, user(session), "one", "print('kept')")
        enter(session, user(session), "two", "print('kept')")
        assert session.scalar(select(func.count()).where(Source.body == b"print('kept')")) == 1


def submit_with(session: Session, owner: User, name: str, quotas: Quotas) -> Submission:
    session.execute(text("DELETE FROM match"))
    body = f"print({next(numbers)})".encode()
    return submissions.submit(session, owner, game=GAME, name=name, language="python", source=body, quotas=quotas)


def test_an_owner_has_so_many_bots_in_a_game(database: Database) -> None:
    quotas = Quotas(bots_each=2)
    with database.transaction() as session:
        owner = user(session)
        for name in ("first", "second"):
            submissions.go_live(session, submit_with(session, owner, name, quotas).id)
    with pytest.raises(Conflict) as refused, database.transaction() as session:
        submit_with(session, session.get_one(User, owner.id), "third", quotas)
    assert (refused.value.expected, refused.value.got) == ("at most 2 bots of yours on this ladder", "3")
    with database.transaction() as session:
        mine = session.get_one(User, owner.id)
        assert submit_with(session, mine, "second", quotas).version == 2, "a new version of one of them"
        assert not session.scalars(select(Bot).where(Bot.name == "third")).all()
        assert submit_with(session, user(session), "third", quotas), "somebody else has his own"


def test_a_bot_gets_new_versions_even_if_its_owner_has_too_many(database: Database) -> None:
    with database.transaction() as session:
        owner = user(session)
        for name in ("first", "second"):
            submissions.go_live(session, submit_with(session, owner, name, Quotas(bots_each=2)).id)
        lowered = Quotas(bots_each=1)
        assert submit_with(session, owner, "second", lowered).version == 2
        with pytest.raises(Conflict):
            submit_with(session, owner, "third", lowered)


def test_a_bot_comes_back_only_if_its_owner_may_have_one_more(database: Database) -> None:
    quotas = Quotas(bots_each=2, versions_a_day=3)
    with database.transaction() as session:
        owner = user(session)
        first, second = (submit_with(session, owner, name, quotas).id for name in ("first", "second"))
        for one in (first, second):
            submissions.go_live(session, one)
        standings.disable(session, first, "It crashes.")
        third = submit_with(session, owner, "third", quotas).id
    for state in ("pending", "live"):
        with pytest.raises(Conflict) as refused, database.transaction() as session:
            submissions.restore(session, session.get_one(User, owner.id), first, quotas=quotas)
        assert (refused.value.expected, refused.value.got) == ("at most 2 bots of yours on this ladder", "3"), state
        if state == "pending":
            with database.transaction() as session:
                submissions.go_live(session, third)
    with database.transaction() as session:
        assert session.get_one(Submission, first).state == SubmissionState.DISABLED
        standings.disable(session, second, "It crashes, too.")
        back = submissions.restore(session, session.get_one(User, owner.id), first, quotas=quotas)
        assert back.state == SubmissionState.LIVE, "a restored version is no new one, of which there were three today"
        submissions.restore(session, session.get_one(User, owner.id), first, quotas=quotas)


def test_so_many_versions_enter_a_ladder_in_a_day(database: Database) -> None:
    quotas = Quotas(versions_a_day=2)
    with database.transaction() as session:
        owner = user(session)
        failed = submit_with(session, owner, "eager", quotas)
        submissions.fail(session, failed.id, "It crashed in the check match.")
        for _ in range(2):
            submissions.go_live(session, submit_with(session, owner, "eager", quotas).id)
    with pytest.raises(TooMany) as refused, database.transaction() as session:
        submit_with(session, session.get_one(User, owner.id), "eager", quotas)
    assert refused.value.expected == "at most 2 versions in 24 hours"
    assert 23 * 3600 < (refused.value.retry_s or 0) <= 24 * 3600
    with database.transaction() as session:
        earlier = update(Submission).where(Submission.user_id == owner.id)
        session.execute(earlier.values(created_at=func.now() - timedelta(hours=24)))
    with database.transaction() as session:
        assert submit_with(session, session.get_one(User, owner.id), "eager", quotas)


@pytest.mark.long
def test_an_earlier_version_that_comes_back_is_provisional_for_twenty_games(database: Database) -> None:
    with database.transaction() as session:
        owner = user(session)
        lucky = enter(session, owner, "lucky")
    (other,) = newcomers(database, 1)
    for _ in range(LEAST_SINCE):
        play(database, (lucky, other))
    refit(database)
    with database.transaction() as session:
        session.get_one(Standing, lucky).placing = False
    assert not shown(database, lucky).provisional
    with database.transaction() as session:
        enter(session, session.get_one(User, owner.id), "lucky")
        submissions.restore(session, session.get_one(User, owner.id), lucky)
    assert shown(database, lucky).provisional
    for _ in range(LEAST_SINCE - 1):
        play(database, (lucky, other))
    refit(database)
    assert shown(database, lucky).provisional
    with database.transaction() as session:
        everybody = scheduled.roster(session, GAME)
        index = next(place for place, one in enumerate(everybody.entrants) if one.submission_id == lucky)
        assert everybody.wants_more(index), "so it gets these games"
    play(database, (lucky, other))
    refit(database)
    assert not shown(database, lucky).provisional
