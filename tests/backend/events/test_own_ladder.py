"""The ladder of an event's own on a real PostgreSQL: who meets whom, what counts, and what ends it."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from itertools import count
from random import Random
from typing import Any

import pytest
from sqlalchemy import delete, func, select, update
from sqlalchemy.exc import DBAPIError

from hexarena.backend.api.schemas.events import EventLadder, EventLadderRow
from hexarena.backend.api.views import events as event_views
from hexarena.backend.errors import NotFound
from hexarena.backend.events import ladder, life
from hexarena.backend.events.forms import Form, Stage
from hexarena.backend.events.ladder_fit import FIRST_MATCHES
from hexarena.backend.events.ladder_memory import MOST_WAITING, Ladders
from hexarena.backend.matches import life as matches, queue
from hexarena.backend.models import (
    Bot,
    EntryState,
    Event,
    EventEntry,
    EventStanding,
    EventState,
    Job,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    Source,
    Standing,
    Submission,
    User,
)
from hexarena.backend.runtime import migrate
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions import life as submissions
from hexarena.games.catalogue import find_game
from hexarena.games.contract import Game
from tests.backend.events.test_events import advance, bot, entries, event, pass_deadline, plan, user
from tests.backend.runtime.test_migrations import downgrade

GAME = find_game("yavalath")
PLAYED_ON = Stage(Form.LADDER, seeds=1, rounds=2)
clock = count(0, 1_000_000)
"""Seconds, so far apart that no fit's rest reaches the next round, however slow the machine is."""
Ranks = Callable[[matches.ClaimedMatch], Sequence[int]]


def older_wins(claimed: matches.ClaimedMatch) -> list[int]:
    versions = [seat.submission_id for seat in claimed.seats]
    return [sorted(set(versions)).index(one) for one in versions]


def announce(database: Database, entrants: int, *stages: Stage, game: Game = GAME, **changes: Any) -> int:
    """An open event with so many entrants: its id."""
    with database.transaction() as session:
        made, _ = life.create(session, user(session, organises=True), game, plan(*stages, **changes))
        for _ in range(entrants):
            owner = user(session)
            life.enter(session, owner, made.id, bot(session, owner, game=game), None)
        return made.id


def tick(database: Database, memory: Ladders, random: Random, *, now_s: float | None = None) -> int:
    """A round of the scheduler, as far as events are concerned. `now_s`: a time; by default a later one each time."""
    now_s = float(next(clock)) if now_s is None else now_s
    with database.transaction() as session:
        memory.read(session, now_s)
    memory.rate(now_s)
    planned = memory.plan(random)
    with database.transaction() as session:
        return memory.write(session, planned)


def waiting(database: Database) -> list[tuple[int, ...]]:
    """The submissions of each match that waits, by seat."""
    with database.transaction() as session:
        query = select(func.array_agg(MatchSeat.submission_id)).join(Match, Match.id == MatchSeat.match_id)
        of_ladder = (Match.kind == MatchKind.EVENT_LADDER) & (Match.state == MatchState.QUEUED)
        return [tuple(one) for one in session.scalars(query.where(of_ladder).group_by(Match.id))]


def claim(database: Database) -> list[matches.ClaimedMatch]:
    with database.transaction() as session:
        leases = queue.lease(session, limit=1000, seconds=60, max_attempts=9)
        claimed = [queue.claim(session, one.match_id, one.token, seconds=60) for one in leases]
    return [one for one in claimed if one is not None]


def finish(database: Database, claimed: matches.ClaimedMatch, ranks: Ranks, digest: str | None = None) -> None:
    found = tuple(ranks(claimed))
    record = digest or str(claimed.match_id)
    report = matches.Report(found, (0.0,) * len(found), "because", 9, (), 1.0, "test", "x", "1", record)
    with database.transaction() as session:
        assert matches.finish(session, claimed, report)


def play(database: Database, rounds: int, *, ranks: Ranks = older_wins, digest: str | None = None) -> Ladders:
    """So many rounds of the scheduler, each played out."""
    memory, random = Ladders(), Random(1)
    for _ in range(rounds):
        tick(database, memory, random)
        for one in claim(database):
            finish(database, one, ranks, digest)
    tick(database, memory, random)
    return memory


def board(database: Database, event_id: int) -> EventLadder:
    with database.transaction() as session:
        return event_views.ladder(session, session.get_one(Event, event_id))


def rows(database: Database, event_id: int) -> list[EventLadderRow]:
    return list(board(database, event_id).items)


def versions_of(database: Database, event_id: int) -> dict[int, int]:
    """Entry -> its live version."""
    return {row.entry: row.submission_id or 0 for row in rows(database, event_id)}


def change(database: Database, event_id: int, **values: Any) -> None:
    with database.transaction() as session:
        session.execute(update(Event).where(Event.id == event_id).values(**values))


def submit_again(database: Database, submission_id: int) -> int:
    """A new version of a bot, live: its submission."""
    with database.transaction() as session:
        old = session.get_one(Submission, submission_id)
        owner, name = session.get_one(User, old.user_id), session.get_one(Bot, old.bot_id or 0).name
        source = f"print('again {submission_id}')".encode()
        new = submissions.submit(session, owner, game=GAME, name=name, language="python", source=source)
        session.execute(delete(Match).where(Match.kind == MatchKind.CHECK))
        submissions.go_live(session, new.id)
        return new.id


# --- Who meets whom ---------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_entrants_meet_each_other_and_are_ranked(database: Database) -> None:
    ants = find_game("ants")
    with database.transaction() as session:
        outsider = bot(session, user(session), game=ants)
        stranger = session.scalars(select(Submission.id).where(Submission.bot_id == outsider)).one()
    event_id = announce(database, 3, game=ants)
    play(database, 5)
    found = rows(database, event_id)
    assert [row.place for row in found] == [1, 2, 3]
    assert [row.submission_id for row in found] == sorted(versions_of(database, event_id).values())
    assert all(row.low is not None and row.low < (row.rating or 0) < (row.high or 0) for row in found)
    assert sum(row.games for row in found) == 2 * 5 * MOST_WAITING
    assert all(row.games == row.wins + row.draws + row.losses for row in found)
    with database.transaction() as session:
        of_ladder = select(Match.id).where(Match.kind == MatchKind.EVENT_LADDER)
        seated = set(session.scalars(select(MatchSeat.submission_id).where(MatchSeat.match_id.in_(of_ladder))))
        assert seated == {row.submission_id for row in found}, "nobody else"
        assert stranger not in seated
        played = session.scalars(select(Match).where(Match.kind == MatchKind.EVENT_LADDER)).all()
        assert {one.league for one in played} == {ants.top_level}, "at full rules"
        unrated = select(Standing.games).where(Standing.submission_id.in_(seated))
        assert set(session.scalars(unrated)) == {0}, "the game's ladder does not count them"


def test_few_matches_wait_at_once_and_those_end_that_have_played(database: Database) -> None:
    announce(database, 6)
    memory, random = Ladders(), Random(2)
    assert tick(database, memory, random) == MOST_WAITING
    assert memory.playing == [], "there is no room for further ones"
    assert tick(database, memory, random) == 0
    assert len(claim(database)) == MOST_WAITING
    assert tick(database, memory, random) == MOST_WAITING, "what is being played does not wait"


@pytest.mark.long
def test_what_has_ended_since_the_last_fit_counts_for_who_comes_next(database: Database) -> None:
    """The clock stands still after the first fit, so that no other follows."""
    event_id = announce(database, 12)
    memory, random = Ladders(), Random(3)
    for _ in range(6):
        tick(database, memory, random, now_s=0.0)
        for one in claim(database):
            finish(database, one, older_wins)
    with database.transaction() as session:
        of_event = select(MatchSeat.submission_id).join(Match, Match.id == MatchSeat.match_id)
        had = Counter(session.scalars(of_event.where(Match.event_id == event_id)))
    assert sum(had.values()) == 2 * 6 * MOST_WAITING
    assert len(had) == 12
    assert set(had.values()) <= {3, 4, 5}, "all about as many"


@pytest.mark.long
def test_matches_that_become_void_are_played_by_others_without_a_new_fit(database: Database) -> None:
    announce(database, 2)
    memory, random = Ladders(), Random(3)
    for _ in range(3):
        assert tick(database, memory, random, now_s=0.0) == MOST_WAITING
        for one in claim(database):
            with database.transaction() as session:
                matches.void(session, one, "The machine was slow.")


@pytest.mark.long
def test_who_has_played_enough_waits_for_idle_workers(database: Database) -> None:
    event_id = announce(database, 2)
    memory = play(database, FIRST_MATCHES // MOST_WAITING)
    assert {row.games for row in rows(database, event_id)} == {FIRST_MATCHES}
    assert waiting(database) == []
    (of_event,) = memory.playing
    further = memory.plan_further(of_event, Random(1))
    assert further is not None
    assert set(further.submission_ids) == set(versions_of(database, event_id).values())


@pytest.mark.parametrize("entrants", [0, 1])
def test_nobody_to_meet_is_no_failure(database: Database, entrants: int) -> None:
    event_id = announce(database, entrants)
    memory = play(database, 2)
    assert [row.place for row in rows(database, event_id)] == [None] * entrants
    assert memory.plan_further(event_id, Random(1)) is None


def test_bots_of_one_person_do_not_meet(database: Database) -> None:
    event_id = announce(database, 1, bots_each=2)
    with database.transaction() as session:
        owner = session.get_one(User, session.scalars(select(EventEntry.user_id)).one())
        life.enter(session, owner, event_id, bot(session, owner), None)
    play(database, 2)
    assert [row.games for row in rows(database, event_id)] == [0, 0]


@pytest.mark.long
def test_more_than_two_meet_where_the_game_s_ladder_does(database: Database) -> None:
    tron = find_game("tron")
    event_id = announce(database, 5, Stage(Form.HEATS, rounds=1, games=4), game=tron)
    play(database, 3)
    with database.transaction() as session:
        of_event = select(Match.id).where(Match.event_id == event_id)
        seats = select(func.count()).where(MatchSeat.match_id.in_(of_event)).group_by(MatchSeat.match_id)
        assert set(session.scalars(seats)) == {tron.ladder_entrants[0]}
    best, *_, last = rows(database, event_id)
    assert best.submission_id == min(versions_of(database, event_id).values())
    assert last.submission_id == max(versions_of(database, event_id).values())


@pytest.mark.long
def test_matches_that_repeat_others_count_once_and_end(database: Database) -> None:
    """Bots without chance play one game in each seat order, however often they are asked."""
    event_id = announce(database, 2)
    play(database, 8, digest="the same")
    assert [row.games for row in rows(database, event_id)] == [2, 2], "one in each order of the seats"
    with database.transaction() as session:
        played = session.scalar(select(func.count()).where(Match.event_id == event_id))
    assert played is not None
    assert played <= 8, "nobody asks for the same game again and again"


# --- What counts ------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_new_version_begins_with_no_evidence(database: Database) -> None:
    event_id = announce(database, 3)
    play(database, 3)
    best, second, _ = rows(database, event_id)
    memory, random = Ladders(), Random(4)
    tick(database, memory, random)
    assert len(waiting(database)) == MOST_WAITING
    with_best = sum(best.submission_id in pair for pair in waiting(database))
    new = submit_again(database, best.submission_id or 0)
    assert tick(database, memory, random) >= with_best, "what waited with the old version is void"
    assert all(best.submission_id not in pair for pair in waiting(database))
    assert any(new in pair for pair in waiting(database))
    found = {row.entry: row for row in rows(database, event_id)}
    assert (found[best.entry].games, found[best.entry].rating, found[best.entry].version) == (0, None, 2)
    assert found[second.entry].games < second.games, "its matches against the old version are gone, too"


def test_a_version_that_is_replaced_while_it_plays_changes_nothing(database: Database) -> None:
    event_id = announce(database, 2)
    memory, random = Ladders(), Random(4)
    tick(database, memory, random)
    running = claim(database)
    older = min(versions_of(database, event_id).values())
    submit_again(database, older)
    for one in running:
        finish(database, one, older_wins)
    tick(database, memory, random)
    assert [row.games for row in rows(database, event_id)] == [0, 0]
    assert all(older not in pair for pair in waiting(database))


@pytest.mark.long
def test_who_withdraws_takes_his_matches_along_and_back(database: Database) -> None:
    event_id = announce(database, 3)
    play(database, 3)
    before = rows(database, event_id)
    with database.transaction() as session:
        entry = session.get_one(EventEntry, before[0].entry)
        life.withdraw(session, session.get_one(User, entry.user_id), event_id, entry.id)
    memory, random = Ladders(), Random(1)
    tick(database, memory, random)
    left = rows(database, event_id)
    assert [row.entry for row in left] == [row.entry for row in before[1:]]
    assert all(row.games < old.games for row, old in zip(left, before[1:], strict=True))
    assert all(before[0].submission_id not in pair for pair in waiting(database))
    with database.transaction() as session:
        entry = session.get_one(EventEntry, before[0].entry)
        life.enter(session, session.get_one(User, entry.user_id), event_id, entry.bot_id, None)
    tick(database, memory, random)
    assert rows(database, event_id) == before


def test_a_bot_that_is_disqualified_or_not_allowed_plays_no_more(database: Database) -> None:
    event_id = announce(database, 4)
    out, other, *_ = sorted(versions_of(database, event_id).items())
    memory, random = Ladders(), Random(1)
    tick(database, memory, random)
    with database.transaction() as session:
        life.disqualify(session, user(session, organises=True), event_id, out[0], "Copied.")
    tick(database, memory, random)
    assert waiting(database)
    assert all(out[1] not in pair for pair in waiting(database))
    with database.transaction() as session:
        session.execute(update(Submission).where(Submission.id == other[1]).values(language="c"))
    change(database, event_id, languages=["python"])
    tick(database, memory, random)
    assert waiting(database)
    assert all(other[1] not in pair for pair in waiting(database))
    assert len(rows(database, event_id)) == 3


@pytest.mark.long
def test_the_same_code_shares_its_matches(database: Database) -> None:
    event_id = announce(database, 2)
    with database.transaction() as session:
        copied = session.get_one(Submission, min(versions_of(database, event_id).values()))
        thief = user(session)
        source = session.execute(select(Submission.source_sha256).where(Submission.id == copied.id)).scalar_one()
        body = session.get_one(Source, source or "").body
        copy = submissions.submit(session, thief, game=GAME, name="copy", language="python", source=body)
        session.execute(delete(Match).where(Match.kind == MatchKind.CHECK))
        submissions.go_live(session, copy.id)
        life.enter(session, thief, event_id, copy.bot_id or 0, None)
    play(database, 3)
    original, twin = [row for row in rows(database, event_id) if row.wins]
    assert (original.rating, original.games) == (twin.rating, twin.games)
    assert (original.shared_with, twin.shared_with) == ([twin.entry], [original.entry])
    assert [row.shared_with for row in rows(database, event_id) if not row.wins] == [[]]


def test_a_match_that_is_annulled_no_longer_counts(database: Database) -> None:
    event_id = announce(database, 2)
    memory = play(database, 1)
    with database.transaction() as session:
        done = (Match.event_id == event_id) & (Match.state == MatchState.DONE)
        matches.annul(session, session.scalars(select(Match.id).where(done)).first() or 0, "for a test")
    tick(database, memory, Random(1))
    assert {row.games for row in rows(database, event_id)} == {MOST_WAITING - 1}


@pytest.mark.long
def test_matches_of_one_event_do_not_count_in_another(database: Database) -> None:
    event_id = announce(database, 2)
    other = announce(database, 0)
    with database.transaction() as session:
        for entry in session.scalars(select(EventEntry).where(EventEntry.event_id == event_id)).all():
            life.enter(session, session.get_one(User, entry.user_id), other, entry.bot_id, None)
    change(database, other, ladder=False)
    play(database, 2)
    change(database, other, ladder=True)
    tick(database, Ladders(), Random(1))
    assert [row.games for row in rows(database, event_id)] == [2 * MOST_WAITING] * 2
    assert [row.games for row in rows(database, other)] == [0, 0]


@pytest.mark.long
def test_placements_of_the_game_do_not_keep_an_event_s_ladder_waiting(database: Database) -> None:
    """At the beginning of a contest all entrants are in placement at once: hundreds of matches, all of them older."""
    event_id = announce(database, 3)
    pair = sorted(versions_of(database, event_id).values())[:2]
    with database.transaction() as session:
        for seed in range(60):
            matches.schedule(session, game=GAME.id, kind=MatchKind.PLACEMENT, submission_ids=pair, seed=seed, league=1)
    tick(database, Ladders(), Random(1))
    with database.transaction() as session:
        leased = [queue.lease(session, limit=1, seconds=60, max_attempts=9)[0].match_id for _ in range(30)]
        kinds = Counter(session.scalars(select(Match.kind).where(Match.id.in_(leased))))
    assert kinds[MatchKind.EVENT_LADDER] == MOST_WAITING
    assert kinds[MatchKind.PLACEMENT] == 30 - MOST_WAITING


# --- What ends it -----------------------------------------------------------------------------------------------------


def test_a_paused_event_schedules_nothing_but_counts_what_is_played(database: Database) -> None:
    event_id = announce(database, 3)
    memory, random = Ladders(), Random(1)
    tick(database, memory, random)
    change(database, event_id, paused_at=func.now(), paused_reason="Lunch.")
    for one in claim(database):
        finish(database, one, older_wins)
    with database.transaction() as session:
        memory.read(session, float(next(clock)))
    assert memory.playing == []
    assert memory.plan(random) == {}
    assert tick(database, memory, random) == 0
    assert sum(row.games for row in rows(database, event_id)) == 2 * MOST_WAITING
    change(database, event_id, paused_at=None, paused_reason=None)
    assert tick(database, memory, random) == MOST_WAITING


@pytest.mark.long
@pytest.mark.parametrize(
    "over",
    [
        {"ladder": False},
        {"deadline": func.now(), "opens_at": func.now() - timedelta(hours=1)},
        {"opens_at": func.now() + timedelta(minutes=1)},
        {"state": "cancelled", "finished_at": func.now()},
    ],
)
def test_what_waits_is_void_where_the_ladder_is_over_or_off(database: Database, over: dict[str, Any]) -> None:
    event_id = announce(database, 3)
    memory, random = Ladders(), Random(1)
    tick(database, memory, random)
    change(database, event_id, **over)
    assert tick(database, memory, random) == 0
    assert waiting(database) == []
    with database.transaction() as session:
        void = session.scalars(select(Match.void_reason).where(Match.event_id == event_id)).all()
        assert void == [ladder.NO_LONGER] * MOST_WAITING
        assert session.scalar(select(func.count()).select_from(Job)) == 0


def test_an_event_without_a_ladder_has_none(database: Database) -> None:
    event_id = announce(database, 3, ladder=False)
    play(database, 2)
    with database.transaction() as session:
        assert session.scalar(select(func.count()).where(Match.event_id == event_id)) == 0
    with pytest.raises(NotFound, match="no ladder of its own"):
        board(database, event_id)


def test_a_game_that_is_gone_stops_its_event_only(database: Database) -> None:
    gone, other = announce(database, 2), announce(database, 2)
    change(database, gone, game="halma")
    play(database, 1)
    assert [row.games for row in rows(database, gone)] == [0, 0]
    assert [row.games for row in rows(database, other)] == [MOST_WAITING] * 2


@pytest.mark.long
def test_the_board_stays_as_it_was_at_the_deadline(database: Database) -> None:
    event_id = announce(database, 3)
    memory, random = play(database, 3), Random(1)
    running = claim(database)
    pass_deadline_now(database, event_id)
    before = rows(database, event_id)
    advance(database)
    for one in running:
        finish(database, one, older_wins)
    tick(database, memory, random)
    found = board(database, event_id)
    assert found.over
    assert [(row.entry, row.games, row.place) for row in found.items] == [
        (row.entry, row.games, row.place) for row in before
    ]


def pass_deadline_now(database: Database, event_id: int) -> None:
    with database.transaction() as session:
        pass_deadline(session, event_id)


def younger_wins(claimed: matches.ClaimedMatch) -> list[int]:
    return [1 - rank for rank in older_wins(claimed)]


@pytest.mark.long
def test_a_final_that_plays_the_ladder_on_begins_from_the_event_s_own(database: Database) -> None:
    """Ratings, and so the seeding, are those of the event's ladder; on the game's the older one is first."""
    event_id = announce(database, 2, PLAYED_ON)
    play(database, 3, ranks=younger_wins)
    known = {row.entry: row for row in rows(database, event_id)}
    pass_deadline_now(database, event_id)
    advance(database)
    first, second = entries(database, event_id)
    assert (first.submission_id or 0) > (second.submission_id or 0), "the younger one won"
    assert first.rating == pytest.approx(known[first.id].rating)
    assert 1.96 * (first.deviation or 0) == pytest.approx((known[first.id].high or 0) - (first.rating or 0), rel=1e-3)


def test_late_results_do_not_move_the_final(database: Database) -> None:
    event_id = announce(database, 2, PLAYED_ON)
    memory, random = Ladders(), Random(1)
    tick(database, memory, random)
    running = claim(database)
    pass_deadline_now(database, event_id)
    for one in running:
        finish(database, one, younger_wins)
    older, younger = sorted(versions_of(database, event_id).values())
    with database.transaction() as session:
        session.execute(update(Standing).where(Standing.submission_id == younger).values(rating=1234.0))
    advance(database)
    found = [(one.submission_id, one.rating) for one in entries(database, event_id)]
    assert found == [(younger, 1234.0), (older, 1000.0)], "as on the game's ladder, since nothing counts"


@pytest.mark.long
def test_other_finals_are_seeded_by_the_game_s_ladder(database: Database) -> None:
    event_id = announce(database, 2)
    play(database, 3, ranks=younger_wins)
    assert waiting(database)
    pass_deadline_now(database, event_id)
    advance(database)
    assert waiting(database) == []
    first, second = entries(database, event_id)
    assert (first.submission_id or 0) < (second.submission_id or 0)


@pytest.mark.long
def test_a_version_that_came_too_late_leaves_the_one_before_its_matches(database: Database) -> None:
    event_id = announce(database, 2, PLAYED_ON)
    play(database, 3, ranks=younger_wins)
    before = {row.entry: row.submission_id for row in rows(database, event_id)}
    pass_deadline_now(database, event_id)
    submit_again(database, max(before.values(), key=lambda one: one or 0) or 0)
    advance(database)
    first, _ = entries(database, event_id)
    assert first.submission_id == before[first.id]
    assert {row.games for row in rows(database, event_id)} == {3 * MOST_WAITING}


# --- Several at once --------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_two_schedulers_at_once_store_what_one_would(database: Database) -> None:
    """One of them lost its lock and has not noticed yet: standings are whole, and the next round makes them right."""
    event_id = announce(database, 4)
    play(database, 2)
    barrier = threading.Barrier(2)

    def one_of_two(seed: int) -> None:
        memory, random = Ladders(), Random(seed)
        barrier.wait()
        for _ in range(3):
            tick(database, memory, random)
            for one in claim(database):
                finish(database, one, older_wins)

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(one_of_two, seed) for seed in range(2)]:
            done.result()
    memory = Ladders()
    tick(database, memory, Random(1))
    with database.transaction() as session:
        done_now = (Match.event_id == event_id) & (Match.state == MatchState.DONE)
        counted = session.scalar(select(func.count()).where(done_now))
        stored = session.scalars(select(EventStanding).where(EventStanding.event_id == event_id)).all()
    assert len(stored) == 4
    assert sum(one.games for one in stored) == 2 * (counted or 0)


@pytest.mark.long
def test_a_scheduler_that_dies_in_mid_step_leaves_nothing_half(database: Database) -> None:
    event_id = announce(database, 3)
    play(database, 2)
    before = rows(database, event_id)
    submit_again(database, before[0].submission_id or 0)
    memory = Ladders()
    with database.transaction() as session:
        memory.read(session, float(next(clock)))
    memory.rate(0.0)

    def die() -> None:
        with database.transaction() as session:
            memory.write(session, memory.plan(Random(1)))
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        die()
    with database.transaction() as session:
        stored = set(session.scalars(select(EventStanding.submission_id).where(EventStanding.event_id == event_id)))
    assert stored == {row.submission_id for row in before}, "as before"
    tick(database, Ladders(), Random(1))
    assert {row.entry for row in rows(database, event_id) if row.games == 0} == {before[0].entry}


def test_an_event_that_changes_while_it_is_rated_is_left_alone(database: Database) -> None:
    event_id = announce(database, 3)
    memory = Ladders()
    with database.transaction() as session:
        memory.read(session, float(next(clock)))
    memory.rate(0.0)
    planned = memory.plan(Random(1))
    with database.transaction() as session:
        life.change(session, user(session, organises=True), event_id, {"ladder": False})
    with database.transaction() as session:
        assert memory.write(session, planned) == 0
        assert session.scalars(select(EventStanding)).all() == []


@pytest.mark.long
@pytest.mark.parametrize("how", ["pause", "withdraw"])
def test_what_happens_between_plan_and_queue_is_heeded(database: Database, how: str) -> None:
    event_id = announce(database, 2)
    memory = Ladders()
    with database.transaction() as session:
        memory.read(session, float(next(clock)))
    memory.rate(0.0)
    planned = memory.plan(Random(1))
    assert len(planned[event_id]) == MOST_WAITING
    if how == "pause":
        change(database, event_id, paused_at=func.now(), paused_reason="Lunch.")
    else:
        with database.transaction() as session:
            entry = session.scalars(select(EventEntry).limit(1)).one()
            life.withdraw(session, session.get_one(User, entry.user_id), event_id, entry.id)
    with database.transaction() as session:
        assert memory.write(session, planned) == 0


def test_two_organisers_who_switch_it_at_once_are_one_after_the_other(database: Database) -> None:
    event_id = announce(database, 2)
    barrier = threading.Barrier(2)

    def switch(on: bool) -> None:
        barrier.wait()
        with database.transaction() as session:
            life.change(session, user(session, organises=True), event_id, {"ladder": on})

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(switch, on) for on in (False, True)]:
            done.result()
    tick(database, Ladders(), Random(1))
    assert bool(waiting(database)) == event(database, event_id).ladder


# --- Rows -------------------------------------------------------------------------------------------------------------


def test_only_a_match_of_an_event_s_ladder_names_the_event(database: Database) -> None:
    event_id = announce(database, 2)
    tick(database, Ladders(), Random(1))
    with pytest.raises(DBAPIError, match="of_an_events_ladder"), database.transaction() as session:
        session.execute(update(Match).where(Match.event_id == event_id).values(kind=MatchKind.LADDER))


@pytest.mark.long
def test_events_that_were_there_before_have_no_ladder(database: Database) -> None:
    event_id = announce(database, 2)
    play(database, 1)
    downgrade(database, "0037")
    migrate.upgrade(database)
    found = event(database, event_id)
    assert (found.ladder, found.ladder_stamp) == (False, None)
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(Match)) == 0
        assert Counter(session.scalars(select(EventEntry.state))) == {EntryState.ENTERED: 2}


# --- Whatever comes in -----------------------------------------------------------------------------------------------


@pytest.mark.long
def test_code_that_is_older_than_its_submission_is_rated_too(database: Database) -> None:
    """Somebody sends code that is on the game's ladder already: it is the same competitor, with a lower number."""
    event_id = announce(database, 2)
    with database.transaction() as session:
        house = select(Submission).join(Standing, Standing.submission_id == Submission.id)
        known = session.scalars(house.where(Submission.game == GAME.id).order_by(Submission.id)).first()
        assert known is not None
        owner = user(session)
        entered = bot(session, owner)
        version = session.scalar(select(Submission.id).where(Submission.bot_id == entered))
        standing = session.scalars(select(Standing).where(Standing.submission_id == version)).one()
        standing.competitor_id = known.id
        life.enter(session, owner, event_id, entered, None)
    play(database, 3)
    found = rows(database, event_id)
    assert [row.games > 0 for row in found] == [True] * 3
    assert [row.submission_id for row in found] == sorted(row.submission_id or 0 for row in found), "the older one wins"


@pytest.mark.long
def test_an_event_that_fails_keeps_neither_the_others_nor_the_arena_from_going_on(database: Database) -> None:
    broken, sound = announce(database, 2), announce(database, 2)
    change(database, broken, stages=[{"form": "no such form"}])
    for event_id in (broken, sound):
        with database.transaction() as session:
            pass_deadline(session, event_id)
    assert advance(database) > 0
    failed = event(database, broken)
    assert failed.state == EventState.OPEN
    assert failed.problem is not None
    assert "an error of the arena's own" in failed.problem
    assert event(database, sound).state == EventState.PLAYING
    change(database, broken, stages=event(database, sound).stages)
    advance(database)
    mended = event(database, broken)
    assert (mended.state, mended.problem) == (EventState.PLAYING, None)


def test_a_ladder_that_cannot_be_rated_keeps_no_other_from_being_played(database: Database) -> None:
    broken, sound = announce(database, 2), announce(database, 2)
    memory = Ladders()
    with database.transaction() as session:
        memory.read(session, 0.0)
    known = memory._open[broken].known
    assert known is not None
    memory._open[broken].known = replace(known, entrants=(None, None))  # type: ignore[arg-type]
    memory.rate(0.0)
    assert set(memory.plan(Random(1))) == {sound}
    for now_s in (59.0, 61.0):
        with database.transaction() as session:
            memory.read(session, now_s)
        memory.rate(now_s)
        assert (broken in memory.plan(Random(1))) == (now_s > 60)
