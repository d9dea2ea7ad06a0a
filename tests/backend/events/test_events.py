"""Events on a real PostgreSQL: entering, the deadline, the final, and what organisers do in between."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import count
from random import Random
from typing import Any

import pytest
from sqlalchemy import delete, func, literal, select, text, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from hexarena.backend import audit, notices
from hexarena.backend.accounts.names import key_of
from hexarena.backend.api.views import events as event_views
from hexarena.backend.api.views.notices import notice_view
from hexarena.backend.errors import Conflict, Forbidden, Invalid, NotFound
from hexarena.backend.events import heat_rows, life, playing, reopening, stages
from hexarena.backend.events.forms import Form, Stage
from hexarena.backend.matches import history, life as matches, queue
from hexarena.backend.models import (
    Bot,
    ChangeRow,
    EntryState,
    Event,
    EventEntry,
    EventPairing,
    EventState,
    Job,
    Match,
    MatchKind,
    MatchState,
    Notice,
    NoticeKind,
    PairingState,
    Submission,
    User,
    UserKind,
    UserRole,
)
from hexarena.backend.moderation import bans
from hexarena.backend.runtime import locks
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions import deletion, life as submissions
from hexarena.games.catalogue import find_game
from hexarena.games.contract import Game
from tests.conftest import is_anybody_waiting, wait_until

GAME = find_game("yavalath")
ROBIN = Stage(Form.ROUND_ROBIN, seeds=1)
CUP = Stage(Form.KNOCKOUT, best_of=2)
GROUPS = Stage(Form.GROUPS, seeds=1, groups=2, advance=1)
LADDER = Stage(Form.LADDER, seeds=1, rounds=8)
numbers = count(1)
Winner = Callable[[matches.ClaimedMatch], int]
"""The seat that wins a match; -1: a draw."""


def user(session: Session, *, organises: bool = False) -> User:
    role = UserRole.ORGANISER if organises else UserRole.USER
    somebody = User(kind=UserKind.ACCOUNT, role=role, name=f"user {next(numbers)}")
    session.add(somebody)
    session.flush()
    return somebody


def upload(session: Session, owner: User, name: str, *, game: Game = GAME) -> Submission:
    source = f"print({next(numbers)})".encode()
    submission = submissions.submit(session, owner, game=game, name=name, language="python", source=source)
    session.execute(delete(Match).where(Match.kind == MatchKind.CHECK))
    return submission


def bot(session: Session, owner: User, *, game: Game = GAME) -> int:
    """A bot with a version on the ladder: its id."""
    submission = upload(session, owner, f"bot {next(numbers)}", game=game)
    submissions.go_live(session, submission.id)
    session.execute(delete(Match).where(Match.kind == MatchKind.PLACEMENT))
    return submission.bot_id or 0


def plan(*stages: Stage, **changes: Any) -> life.Plan:
    usual: dict[str, Any] = {
        "name": "Cup",
        "about": "",
        "opens_at": None,
        "deadline": datetime.now(UTC) + timedelta(hours=1),
        "invited": False,
        "bots_each": 1,
        "languages": None,
        "stages": stages or (ROBIN,),
        "prizes": 1,
        "held": False,
    }
    return life.Plan(**usual | changes)


def begin(database: Database, entrants: int, *stages: Stage, game: Game = GAME, **changes: Any) -> int:
    """An event with so many entrants, whose deadline is over: its id."""
    with database.transaction() as session:
        event, _ = life.create(session, user(session, organises=True), game, plan(*stages, **changes))
        for _ in range(entrants):
            owner = user(session)
            life.enter(session, owner, event.id, bot(session, owner, game=game), None)
        pass_deadline(session, event.id)
        return event.id


def pass_deadline(session: Session, event_id: int) -> None:
    """As if the event were an hour old."""
    hour = {"opens_at": func.now() - timedelta(hours=1), "deadline": func.clock_timestamp()}
    session.execute(update(Event).where(Event.id == event_id).values(**hour))


def advance(database: Database) -> int:
    with database.transaction() as session:
        return playing.advance_all(session, 2)


def event(database: Database, event_id: int) -> Event:
    with database.transaction() as session:
        return session.get_one(Event, event_id)


def entries(database: Database, event_id: int) -> list[EventEntry]:
    with database.transaction() as session:
        query = select(EventEntry).where(EventEntry.event_id == event_id)
        return list(session.scalars(query.order_by(EventEntry.seed.nulls_last(), EventEntry.id)))


def pairings(database: Database, event_id: int) -> list[EventPairing]:
    with database.transaction() as session:
        query = select(EventPairing).where(EventPairing.event_id == event_id)
        return list(session.scalars(query.order_by(EventPairing.stage, EventPairing.number)))


def claim_all(database: Database) -> list[matches.ClaimedMatch]:
    with database.transaction() as session:
        leases = queue.lease(session, limit=1000, seconds=60, max_attempts=9)
        claimed = [queue.claim(session, one.match_id, one.token, seconds=60) for one in leases]
    return [one for one in claimed if one is not None and one.kind == MatchKind.EVENT]


def finish(database: Database, claimed: matches.ClaimedMatch, winner: int) -> None:
    ranks = (0, 0) if winner < 0 else (winner, 1 - winner)
    report = matches.Report(ranks, (0.0, 0.0), "because", 9, (), 1.0, "test", "x", "1", str(claimed.match_id))
    with database.transaction() as session:
        assert matches.finish(session, claimed, report)


def older_wins(claimed: matches.ClaimedMatch) -> int:
    first, second = (seat.submission_id for seat in claimed.seats)
    return 0 if first < second else 1


def play(database: Database, event_id: int, winner: Winner = older_wins, *, random: Random | None = None) -> None:
    """Plays until the event has nothing to play. `random`: results come in any order."""
    running: list[matches.ClaimedMatch] = []
    while True:
        advance(database)
        running += claim_all(database)
        if not running:
            break
        one = running.pop(0 if random is None else random.randrange(len(running)))
        finish(database, one, winner(one))
    assert event(database, event_id).state in {EventState.DONE, EventState.CANCELLED, EventState.PLAYING}


@pytest.mark.long
@pytest.mark.parametrize(
    "stages", [(ROBIN,), (CUP,), (GROUPS, CUP), (Stage(Form.SWISS, seeds=1, rounds=3),), (LADDER,)]
)
@pytest.mark.parametrize("entrants", [2, 5])
def test_a_final_is_played_to_its_end(database: Database, stages: tuple[Stage, ...], entrants: int) -> None:
    event_id = begin(database, entrants, *stages)
    play(database, event_id, random=Random(1))
    found = event(database, event_id)
    assert (found.state, found.problem) == (EventState.DONE, None)
    assert sorted(one.place or 0 for one in entries(database, event_id)) == list(range(1, entrants + 1))
    (best,) = [one for one in entries(database, event_id) if one.place == 1]
    assert best.seed == 1, "the older one wins, and is before the others in the seeding"


@pytest.mark.long
def test_the_order_of_results_changes_nothing(database: Database) -> None:
    """A winner by the match's seed, which is the same in both finals."""
    rankings = []
    for order in (None, Random(3)):
        event_id = begin(database, 6, GROUPS, CUP, prizes=2)
        with database.transaction() as session:
            session.execute(update(Event).where(Event.id == event_id).values(secret=bytes(32)))
        play(database, event_id, lambda one: one.seed % 3 - 1, random=order)
        rankings.append([one.place for one in entries(database, event_id)])
    assert rankings[0] == rankings[1]


@pytest.mark.parametrize("entrants", [0, 1])
def test_an_event_without_opponents_ends_at_once(database: Database, entrants: int) -> None:
    event_id = begin(database, entrants, GROUPS, CUP)
    advance(database)
    assert event(database, event_id).state == EventState.DONE
    assert [one.place for one in entries(database, event_id)] == [1] * entrants


@pytest.mark.long
def test_two_dispatchers_play_every_game_once(database: Database) -> None:
    event_id = begin(database, 5)
    barrier = threading.Barrier(2)

    def one_of_two() -> None:
        barrier.wait()
        for _ in range(5):
            advance(database)

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(one_of_two) for _ in range(2)]:
            done.result()
    play(database, event_id)
    with database.transaction() as session:
        games = session.execute(select(Match.pairing_id, Match.pairing_game).where(Match.kind == MatchKind.EVENT)).all()
    assert len(set(games)) == len(games)


def test_a_final_goes_before_the_placements_of_many_new_bots(database: Database) -> None:
    event_id = begin(database, 2)
    with database.transaction() as session:
        pair = [upload(session, user(session), f"bot {next(numbers)}").id for _ in range(2)]
        for seed in range(8):
            matches.schedule(
                session, game=GAME.id, kind=MatchKind.PLACEMENT, submission_ids=pair, seed=seed, league=GAME.top_level
            )
    advance(database)
    with database.transaction() as session:
        (lease,) = queue.lease(session, limit=1, seconds=60, max_attempts=9)
        assert session.get_one(Match, lease.match_id).kind == MatchKind.EVENT
    assert event(database, event_id).state == EventState.PLAYING


# --- The deadline -----------------------------------------------------------------------------------------------------


def two_entered(session: Session) -> tuple[int, User, Bot]:
    """An event that two bots have entered: its id, and one of the owners with his bot."""
    held = life.create(session, user(session, organises=True), GAME, plan())[0].id
    owner, other = user(session), user(session)
    mine = bot(session, owner)
    life.enter(session, owner, held, mine, None)
    life.enter(session, other, held, bot(session, other), None)
    return held, owner, session.get_one(Bot, mine)


def test_what_was_received_in_time_counts_however_long_its_build_takes(database: Database) -> None:
    with database.transaction() as session:
        held, owner, mine = two_entered(session)
        in_time = upload(session, owner, mine.name).id
        pass_deadline(session, held)
        # It came a minute before the deadline, and another one a minute after it.
        minute = timedelta(minutes=1)
        session.execute(update(Submission).where(Submission.id == in_time).values(created_at=func.now() - minute))
    advance(database)
    assert event(database, held).state == EventState.OPEN
    assert "still being checked" in (event(database, held).problem or "")
    with database.transaction() as session:
        submissions.go_live(session, in_time)
        late = upload(session, session.get_one(User, owner.id), mine.name).id
        session.execute(update(Submission).where(Submission.id == late).values(created_at=func.now() + minute))
        submissions.go_live(session, late)
    advance(database)
    (entry,) = [one for one in entries(database, held) if one.bot_id == mine.id]
    assert entry.submission_id == in_time
    assert event(database, held).state == EventState.PLAYING


def test_an_upload_that_is_being_stored_at_the_deadline_counts(database: Database) -> None:
    with database.transaction() as session:
        held, owner, mine = two_entered(session)
    with database.transaction() as session:
        in_time = upload(session, session.get_one(User, owner.id), mine.name)
        with database.transaction() as another:
            # The deadline is when the upload has come, but is not committed.
            another.execute(update(Event).where(Event.id == held).values(deadline=func.clock_timestamp()))
        advance(database)
        assert event(database, held).state == EventState.OPEN
        submissions.go_live(session, in_time.id)
    advance(database)
    (entry,) = [one for one in entries(database, held) if one.bot_id == mine.id]
    assert entry.submission_id == in_time.id


def test_an_upload_after_the_deadline_holds_nothing_up(database: Database) -> None:
    with database.transaction() as session:
        deadline = session.execute(select(func.clock_timestamp())).scalar_one()
    with database.transaction() as session:
        upload(session, user(session), f"bot {next(numbers)}")
        now = session.execute(select(func.clock_timestamp())).scalar_one()
        with database.transaction() as another:
            held = [locks.is_held_since(locks.AdvisoryLock.UPLOADS, literal(moment)) for moment in (deadline, now)]
            assert [another.scalar(select(one)) for one in held] == [False, True]


def test_a_bot_without_a_version_that_is_ready_is_out(database: Database) -> None:
    with database.transaction() as session:
        held = life.create(session, user(session, organises=True), GAME, plan())[0].id
        owner = user(session)
        failed = upload(session, owner, f"bot {next(numbers)}")
        life.enter(session, owner, held, failed.bot_id or 0, None)
        submissions.fail(session, failed.id, "It does not build.")
        for _ in range(2):
            other = user(session)
            life.enter(session, other, held, bot(session, other), None)
        pass_deadline(session, held)
    play(database, held)
    assert [(one.state, one.place) for one in entries(database, held)] == [
        (EntryState.ENTERED, 1),
        (EntryState.ENTERED, 2),
        (EntryState.OUT, None),
    ]


def test_only_the_languages_of_the_event_play(database: Database) -> None:
    event_id = begin(database, 2, languages=["rust"])
    advance(database)
    assert {one.reason for one in entries(database, event_id)} == {playing.NO_VERSION}
    assert [kind for kind, _ in reported(database)] == [NoticeKind.OUT] * 2
    assert playing.NO_VERSION in reported(database)[0][1]


# --- Entering ---------------------------------------------------------------------------------------------------------


def opened(database: Database, **changes: Any) -> tuple[int, str | None]:
    with database.transaction() as session:
        event_row, code = life.create(session, user(session, organises=True), GAME, plan(**changes))
        return event_row.id, code


def test_one_enters_once_and_may_withdraw_and_return(database: Database) -> None:
    event_id, _ = opened(database)
    with database.transaction() as session:
        owner = user(session)
        mine, another = bot(session, owner), bot(session, owner)
        entry = life.enter(session, owner, event_id, mine, None)
        assert life.enter(session, owner, event_id, mine, None).id == entry.id
        with pytest.raises(Conflict):
            life.enter(session, owner, event_id, another, None)
        life.withdraw(session, owner, event_id, entry.id)
        assert life.withdraw(session, owner, event_id, entry.id).state == EntryState.WITHDRAWN
        life.enter(session, owner, event_id, another, None)
        with pytest.raises(Conflict):
            life.enter(session, owner, event_id, mine, None)


def test_who_is_disqualified_does_not_come_back_by_withdrawing(database: Database) -> None:
    with database.transaction() as session:
        organiser, owner = user(session, organises=True), user(session)
        made, _ = life.create(session, organiser, GAME, plan())
        entry = life.enter(session, owner, made.id, bot(session, owner), None)
        life.disqualify(session, organiser, made.id, entry.id, "It copied.")
        with pytest.raises(Conflict, match="disqualified"):
            life.withdraw(session, owner, made.id, entry.id)
        with pytest.raises(Conflict, match="disqualified"):
            life.enter(session, owner, made.id, entry.bot_id, None)
        assert entry.state == EntryState.OUT


def test_many_at_once_do_not_enter_more_than_one_may(database: Database) -> None:
    event_id, _ = opened(database)
    with database.transaction() as session:
        owner = user(session)
        bots = [bot(session, owner) for _ in range(6)]
        owner_id = owner.id

    def enter(bot_id: int) -> bool:
        try:
            with database.transaction() as session:
                life.enter(session, session.get_one(User, owner_id), event_id, bot_id, None)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(enter, bots)) == 1


def test_no_more_bots_come_in_than_the_stages_can_have(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "MOST_PAIRINGS", 3)
    event_id, _ = opened(database, stages=(ROBIN,))
    with database.transaction() as session:
        for _ in range(3):
            owner = user(session)
            life.enter(session, owner, event_id, bot(session, owner), None)
        owner = user(session)
        with pytest.raises(Conflict, match="too long for so many bots") as refused:
            life.enter(session, owner, event_id, bot(session, owner), None)
        assert refused.value.got == "6 of 4"
        life.change(session, user(session, organises=True), event_id, {"stages": [CUP]})
        life.enter(session, owner, event_id, bot(session, owner), None)
        with pytest.raises(Conflict, match="too long for so many bots"):
            life.change(session, user(session, organises=True), event_id, {"stages": [ROBIN]})


def test_an_event_that_is_too_long_says_so_and_waits(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    event_id = begin(database, 4, ROBIN)
    monkeypatch.setattr(stages, "MOST_PAIRINGS", 3)
    assert advance(database) == 0
    assert event(database, event_id).state == EventState.OPEN
    assert "6 of 4" in (event(database, event_id).problem or "")
    with database.transaction() as session:
        life.change(session, user(session, organises=True), event_id, {"stages": [CUP]})
    assert advance(database) > 0
    assert event(database, event_id).problem is None


def test_a_pairing_that_is_computed_for_long_keeps_its_transaction(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    event_id = begin(database, 2, ROBIN)
    due = stages.due
    seen: list[str] = []

    def slow(state: stages.State) -> Any:
        seen.append(idle())
        return due(state)

    with database.transaction() as session:

        def idle() -> str:
            return session.scalars(text("SHOW idle_in_transaction_session_timeout")).one()

        before = idle()
        monkeypatch.setattr(stages, "due", slow)
        playing.advance_all(session, 4)
        assert (set(seen), idle()) == ({"10min"}, before)
    assert event(database, event_id).state == EventState.PLAYING


def test_an_invitation_needs_its_code(database: Database) -> None:
    event_id, code = opened(database, invited=True)
    assert code is not None
    with database.transaction() as session:
        owner = user(session)
        mine = bot(session, owner)
        for wrong in (None, "", "abcd-efgh-jkmn"):
            with pytest.raises(Forbidden):
                life.enter(session, owner, event_id, mine, wrong)
        fresh = life.renew_code(session, user(session, organises=True), event_id)
        with pytest.raises(Forbidden):
            life.enter(session, owner, event_id, mine, code)
        life.enter(session, owner, event_id, mine, f"  {fresh.upper()} ")


def test_only_those_on_the_list_enter(database: Database) -> None:
    with database.transaction() as session:
        ada, eve = user(session), user(session)
        ada.name_key, eve.name_key = key_of("Ada Lovelace"), key_of("Eve")
        organiser = user(session, organises=True)
        names = ["ada  LOVELACE".replace("  ", " "), "Ada Lovelace", "Nobody yet"]
        event, _ = life.create(session, organiser, GAME, plan(listed=names))
        assert event.listed == ["ada LOVELACE", "Nobody yet"]
        life.enter(session, ada, event.id, bot(session, ada), None)
        theirs = bot(session, eve)
        with pytest.raises(Forbidden, match="Not everybody"):
            life.enter(session, eve, event.id, theirs, None)
        life.enter(session, organiser, event.id, theirs, None, organises=True)
        life.change(session, organiser, event.id, {"listed": None})
        assert life.is_listed(session, event, eve.id)
        with pytest.raises(Invalid, match="a code or a list"):
            life.create(session, organiser, GAME, plan(listed=names, invited=True))


def test_others_bots_and_other_games_cannot_be_entered(database: Database) -> None:
    event_id, _ = opened(database)
    with database.transaction() as session:
        owner, stranger = user(session), user(session)
        mine = bot(session, owner)
        with pytest.raises(Forbidden):
            life.enter(session, stranger, event_id, mine, None)
        ants = session.scalars(select(Bot.id).where(Bot.game == "ants").limit(1)).one()
        with pytest.raises(NotFound):
            life.enter(session, owner, event_id, ants, None, organises=True)
        with pytest.raises(NotFound):
            life.enter(session, owner, 999, mine, None)


@pytest.mark.parametrize("organises", [False, True])
def test_a_bot_of_somebody_who_is_banned_cannot_be_entered(database: Database, organises: bool) -> None:
    event_id, _ = opened(database)
    with database.transaction() as session:
        owner, organiser = user(session), user(session, organises=True)
        mine = bot(session, owner)
        bans.ban(session, organiser, owner.id, "cheating")
    with database.transaction() as session, pytest.raises(Conflict, match="The owner of this bot is banned"):
        life.enter(session, organiser if organises else owner, event_id, mine, None, organises=organises)
    assert entries(database, event_id) == []


def test_a_bot_is_not_entered_while_its_owner_is_being_banned(database: Database) -> None:
    event_id, _ = opened(database)
    with database.transaction() as session:
        owner, organiser = user(session), user(session, organises=True)
        mine = bot(session, owner)

    def enter() -> None:
        with database.transaction() as session:
            life.enter(session, owner, event_id, mine, None)

    with ThreadPoolExecutor(1) as pool:
        with database.transaction() as session:
            bans.ban(session, organiser, owner.id, "cheating")
            entered = pool.submit(enter)
            wait_until(lambda: is_anybody_waiting(database) or entered.done(), "it waits for the ban")
        with pytest.raises(Conflict, match="The owner of this bot is banned"):
            entered.result()
    assert entries(database, event_id) == []


@pytest.mark.parametrize(("opens", "deadline"), [(1, 2), (-2, -1)])
def test_bots_are_entered_between_opening_and_deadline(database: Database, opens: int, deadline: int) -> None:
    event_id, _ = opened(database)
    with database.transaction() as session:
        hours = {name: func.now() + timedelta(hours=at) for name, at in (("opens_at", opens), ("deadline", deadline))}
        session.execute(update(Event).where(Event.id == event_id).values(**hours))
        owner = user(session)
        with pytest.raises(Conflict):
            life.enter(session, owner, event_id, bot(session, owner), None)


def test_a_deadline_in_the_past_is_refused_and_can_be_moved_until_the_freeze(database: Database) -> None:
    now = datetime.now(UTC)
    with database.transaction() as session:
        organiser = user(session, organises=True)
        for wrong in (
            plan(deadline=now - timedelta(seconds=1)),
            plan(opens_at=now + timedelta(hours=2)),
            plan(Stage(Form.SWISS)),
        ):
            with pytest.raises(Invalid):
                life.create(session, organiser, GAME, wrong)
    event_id = begin(database, 2)
    with database.transaction() as session:
        organiser = user(session, organises=True)
        session.get_one(Event, event_id).problem = "Uploads are still being checked."
        later = now + timedelta(days=1)
        changed = life.change(session, organiser, event_id, {"deadline": later})
        assert (changed.deadline, changed.problem) == (later, None)
        pass_deadline(session, event_id)
    advance(database)
    with database.transaction() as session, pytest.raises(Conflict):
        life.change(session, user(session, organises=True), event_id, {"deadline": later})


# --- While it is played -----------------------------------------------------------------------------------------------


def test_who_is_disqualified_forfeits_what_is_left(database: Database) -> None:
    event_id = begin(database, 4)
    advance(database)
    (one, *running) = claim_all(database)
    finish(database, one, older_wins(one))
    first = entries(database, event_id)[0]
    with database.transaction() as session:
        life.disqualify(session, user(session, organises=True), event_id, first.id, "It copied.")
    for claimed in running:
        finish(database, claimed, older_wins(claimed))
    play(database, event_id)
    assert event(database, event_id).state == EventState.DONE
    places = {one.id: one.place for one in entries(database, event_id)}
    assert places[first.id] == 4
    assert not [row for row in pairings(database, event_id) if row.state != PairingState.DONE]


def test_deleted_code_forfeits_and_frozen_code_cannot_be_deleted_by_mistake(database: Database) -> None:
    event_id = begin(database, 3)
    advance(database)
    entry = entries(database, event_id)[0]
    with database.transaction() as session:
        owner = session.get_one(User, entry.user_id)
        newer = upload(session, owner, session.get_one(Bot, entry.bot_id).name)
        submissions.go_live(session, newer.id)
        with pytest.raises(Conflict):
            deletion.delete_source(session, owner, entry.submission_id or 0)
        deletion.delete_bot(session, owner, entry.bot_id)
    play(database, event_id)
    found = entries(database, event_id)
    assert event(database, event_id).state == EventState.DONE
    assert {one.id: one.place for one in found}[entry.id] == 3


def test_a_deleted_bot_leaves_open_events_which_are_told_and_stays_disqualified(database: Database) -> None:
    with database.transaction() as session:
        held, owner, mine = two_entered(session)
        out, *_ = two_entered(session)
        life.enter(session, owner, out, mine.id, None)
        query = select(EventEntry).where(EventEntry.event_id == out, EventEntry.bot_id == mine.id)
        entry = session.scalars(query).one()
        life.disqualify(session, user(session, organises=True), out, entry.id, "It copied.")
        told = set(session.scalars(select(ChangeRow.id)))
    with database.transaction() as session:
        deletion.delete_bot(session, session.get_one(User, owner.id), mine.id)
        changed = select(ChangeRow.subject_id).where(ChangeRow.kind == "event", ChangeRow.id.not_in(told))
        assert list(session.scalars(changed)) == [held]
        states = select(EventEntry.event_id, EventEntry.state).where(EventEntry.bot_id == mine.id)
        assert dict(session.execute(states).all()) == {held: EntryState.WITHDRAWN, out: EntryState.OUT}


def test_a_pairing_whose_matches_are_void_waits_for_an_organiser(database: Database) -> None:
    event_id = begin(database, 2)
    for _ in range(heat_rows.MOST_VOIDS + 1):
        advance(database)
        for claimed in claim_all(database):
            with database.transaction() as session:
                assert matches.void(session, claimed, "Our fault.")
    advance(database)
    (row,) = pairings(database, event_id)
    assert row.state == PairingState.STUCK
    assert "An organiser must decide" in (event(database, event_id).problem or "")
    assert advance(database) == 0
    with database.transaction() as session:
        life.resume(session, user(session, organises=True), event_id, row.id)
    play(database, event_id)
    assert event(database, event_id).state == EventState.DONE
    assert event(database, event_id).problem is None


def test_an_event_is_no_longer_stuck_once_somebody_of_the_pairing_is_out(database: Database) -> None:
    event_id = begin(database, 3)
    while advance(database):
        for claimed in claim_all(database):
            with database.transaction() as session:
                assert matches.void(session, claimed, "Our fault.")
    assert "pairing 1, 2, 3 were void" in (event(database, event_id).problem or "")
    for place, problem in ((0, "pairing 1 were void 4 times"), (1, None)):
        with database.transaction() as session:
            chosen = entries(database, event_id)[place].id
            life.disqualify(session, user(session, organises=True), event_id, chosen, "Broken.")
        advance(database)
        assert (problem or "") in (event(database, event_id).problem or "")
    assert (event(database, event_id).state, event(database, event_id).problem) == (EventState.DONE, None)


def test_an_annulled_match_is_played_again_while_nothing_rests_on_it(database: Database) -> None:
    event_id = begin(database, 3)
    advance(database)
    for claimed in claim_all(database):
        finish(database, claimed, older_wins(claimed))
    with database.transaction() as session:
        annulled = session.scalars(select(Match.id).where(Match.state == MatchState.DONE).limit(1)).one()
        reopening.annul(session, annulled, "The machine was slow.")
    play(database, event_id)
    assert event(database, event_id).state == EventState.DONE
    with database.transaction() as session:
        done = session.scalars(select(Match.id).where(Match.state == MatchState.DONE)).first() or 0
        with pytest.raises(Conflict):
            reopening.annul(session, done, "Too late.")


def test_a_cancelled_event_plays_no_more(database: Database) -> None:
    event_id = begin(database, 4)
    advance(database)
    with database.transaction() as session:
        life.cancel(session, user(session, organises=True), event_id, "Fire alarm.")
        assert session.scalar(select(func.count()).select_from(Job)) == 0
        with pytest.raises(Conflict):
            life.cancel(session, user(session, organises=True), event_id, "Again.")
    assert advance(database) == 0
    assert event(database, event_id).problem == "Fire alarm."
    assert [kind for kind, _ in reported(database)] == [NoticeKind.FROZEN] * 4 + [NoticeKind.OUT] * 4
    assert reported(database)[4][1].endswith("is out of Cup. The event was cancelled. Fire alarm.")


def test_held_results_are_in_no_list_until_they_are_released(database: Database) -> None:
    event_id = begin(database, 2, held=True)
    play(database, event_id)

    def listed() -> int:
        with database.transaction() as session:
            found = history.find(session, history.Filters(kind=MatchKind.EVENT), viewer_id=0, limit=50, below=None)
            return len(found.ids)

    assert listed() == 0
    with database.transaction() as session:
        life.release(session, user(session, organises=True), event_id)
    assert listed() > 0


# --- The audit log ----------------------------------------------------------------------------------------------------


def test_what_organisers_do_is_noted_and_nobody_can_change_it(database: Database) -> None:
    event_id = begin(database, 1)
    with database.transaction() as session:
        life.disqualify(session, user(session, organises=True), event_id, _first(session, event_id), "It copied.")
        noted = [entry.action for entry, _ in audit.entries(session, event_id=event_id)]
    assert noted == ["disqualify", "create event"]
    for change in ("UPDATE audit_entry SET action = 'x'", "DELETE FROM audit_entry", "TRUNCATE audit_entry"):
        with pytest.raises(DBAPIError, match="never changed"), database.transaction() as session:
            session.execute(text(change))


def _first(session: Session, event_id: int) -> int:
    return session.scalars(select(EventEntry.id).where(EventEntry.event_id == event_id).limit(1)).one()


def test_a_live_version_is_frozen_even_if_it_is_no_longer_the_newest(database: Database) -> None:
    """An owner who went back to an earlier version wants that one to play."""
    with database.transaction() as session:
        held = life.create(session, user(session, organises=True), GAME, plan())[0].id
        owner = user(session)
        mine = bot(session, owner)
        life.enter(session, owner, held, mine, None)
        name = session.get_one(Bot, mine).name
        submissions.go_live(session, upload(session, owner, name).id)
        first = session.scalars(select(Submission.id).where(Submission.bot_id == mine, Submission.version == 1)).one()
        submissions.restore(session, owner, first)
    with database.transaction() as session:
        pass_deadline(session, held)
    with database.transaction() as session:
        # While the event is paused, or uploads of others are checked.
        late = upload(session, session.get_one(User, owner.id), name)
        submissions.go_live(session, late.id)
        found = event_views.detail(session, session.get_one(Event, held), None, organises=False)
        assert [one.submission_id for one in found.entries] == [first]
    advance(database)
    assert [one.submission_id for one in entries(database, held)] == [first]


def reported(database: Database) -> list[tuple[NoticeKind, str]]:
    """(kind, what it says) of all notices about events, the oldest first."""
    with database.transaction() as session:
        people = session.scalars(select(Notice.user_id).where(Notice.event_id.is_not(None)).order_by(Notice.id)).all()
        found = [one for person in dict.fromkeys(people) for one in notices.newest(session, person)]
        return [(one.kind, notice_view(one).text) for one in sorted(found, key=lambda one: one.id)]


@pytest.mark.long
def test_owners_get_notices_of_what_plays_what_is_out_and_what_place_it_has(database: Database) -> None:
    event_id = begin(database, 3, ROBIN)
    advance(database)
    assert [kind for kind, _ in reported(database)] == [NoticeKind.FROZEN] * 3
    assert all("v1 plays the final of" in text for _, text in reported(database))
    with database.transaction() as session:
        worst = session.scalars(
            select(EventEntry.id).where(EventEntry.event_id == event_id, EventEntry.seed == 3)
        ).one()
        life.disqualify(session, user(session, organises=True), event_id, worst, "It copied.")
    play(database, event_id)
    kinds = [kind for kind, _ in reported(database)]
    assert kinds[3:] == [NoticeKind.OUT, *[NoticeKind.PLACED] * 3]
    assert "It copied." in reported(database)[3][1]
    assert [text.rpartition(" ")[2] for _, text in reported(database)[4:]] == ["1.", "2.", "3."]


def test_nobody_learns_a_place_before_the_results_are_released(database: Database) -> None:
    event_id = begin(database, 2, ROBIN, held=True)
    play(database, event_id)
    assert {kind for kind, _ in reported(database)} == {NoticeKind.FROZEN}
    for _ in range(2):
        with database.transaction() as session:
            life.release(session, user(session, organises=True), event_id)
    assert [kind for kind, _ in reported(database)][2:] == [NoticeKind.PLACED] * 2


def test_places_that_a_rerun_does_not_change_are_told_once(database: Database) -> None:
    event_id = begin(database, 2, ROBIN)
    play(database, event_id)
    told = [text for kind, text in reported(database) if kind == NoticeKind.PLACED]
    with database.transaction() as session:
        event = session.get_one(Event, event_id)
        playing.tell_places(session, event)
        session.flush()
        (second,) = session.scalars(select(EventEntry).where(EventEntry.event_id == event_id, EventEntry.place == 2))
        second.place = 3
        session.flush()
        playing.tell_places(session, event)
    again = [text for kind, text in reported(database) if kind == NoticeKind.PLACED]
    assert again[: len(told)] == told
    assert [text.rpartition(" ")[2] for text in again[len(told) :]] == ["3."]


def test_an_event_says_that_it_is_stuck_until_nothing_is(database: Database) -> None:
    event_id = begin(database, 3, ROBIN)
    advance(database)
    with database.transaction() as session:
        stuck = session.scalars(select(EventPairing).where(EventPairing.event_id == event_id).limit(2)).all()
        for one in stuck:
            one.state = PairingState.STUCK
        session.get_one(Event, event_id).problem = "Two pairings are stuck."
    for one, problem in zip(stuck, ("Two pairings are stuck.", None), strict=True):
        with database.transaction() as session:
            life.resume(session, user(session, organises=True), event_id, one.id)
        assert event(database, event_id).problem == problem
