"""Matches that an organiser has played again: once each, counted in place of the first, on a real PostgreSQL."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.orm import joinedload

from hexarena.backend import audit
from hexarena.backend.api.streaming.renderings import batch_of
from hexarena.backend.api.views import KnownPlaces, event_stages
from hexarena.backend.errors import Conflict, NotFound
from hexarena.backend.events import draws, ladder as own_ladders, ladder_fit, life as events
from hexarena.backend.events.forms import Form, Stage
from hexarena.backend.events.ladder_memory import Ladders
from hexarena.backend.events.published import describe
from hexarena.backend.matches import backlog, life as matches, live, queue
from hexarena.backend.models import (
    Event,
    EventEntry,
    EventPairing,
    EventStanding,
    EventState,
    Job,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
    PairingState,
    PendingResult,
    Submission,
    SubmissionState,
    User,
)
from hexarena.backend.moderation import freezing, reruns, seasons
from hexarena.backend.runtime.db import Database
from tests.backend.events import (
    test_events as cups,
    test_heat_rows as heats,
    test_own_ladder as own,
    test_prizes as prizes,
)
from tests.backend.ladder.ladders import GAME, board, finish, newcomers, play, recompute, refit

WHY = "The machine stood still."
LOADED = (joinedload(Match.rerun), joinedload(Match.event))


def rerun(database: Database, match_id: int, reason: str = WHY) -> int:
    with database.transaction() as session:
        return reruns.rerun(session, cups.user(session, organises=True), match_id, reason).id


def match(database: Database, match_id: int) -> Match:
    with database.transaction() as session:
        return session.get_one(Match, match_id)


def seats(database: Database, match_id: int) -> list[int]:
    with database.transaction() as session:
        query = select(MatchSeat.submission_id).where(MatchSeat.match_id == match_id)
        return list(session.scalars(query.order_by(MatchSeat.seat)))


# --- Ladders ----------------------------------------------------------------------------------------------------------


def test_a_rerun_is_the_same_match_again_and_says_so(database: Database) -> None:
    pair = newcomers(database, 2)
    first = play(database, pair)
    again = rerun(database, first)
    was, now = match(database, first), match(database, again)
    assert (was.state, was.void_reason) == (MatchState.VOID, WHY)
    assert (now.state, now.rerun_of, now.rerun_reason) == (MatchState.QUEUED, first, WHY)
    assert (now.seed, now.kind, now.league) == (was.seed, was.kind, was.league)
    assert seats(database, first) == seats(database, again) == pair
    with database.transaction() as session:
        (entry, _), *_ = audit.entries(session)
        assert (entry.action, entry.detail) == ("rerun match", {"match": first, "rerun": again, "reason": WHY})


def test_pages_hear_of_a_match_and_of_its_rerun_at_once(database: Database) -> None:
    first = play(database, newcomers(database, 2))
    with database.transaction() as session:
        before = live.now(session)
    again = rerun(database, first)
    with database.transaction() as session:
        changes = live.changes_since(session, before, game=None)
        assert {first, again} <= {change.subject_id for change in changes if change.kind == "match"}
        reported = batch_of(session, changes, (), KnownPlaces()).chunk(None, None).decode()
    assert f'"id":{first},' in reported
    assert f'"id":{again},' in reported


@pytest.mark.long
@pytest.mark.parametrize("counted", [True, False])
def test_ratings_after_a_rerun_are_those_of_a_recount(database: Database, counted: bool) -> None:
    one, other = newcomers(database, 2)
    for _ in range(3):
        play(database, (one, other))
    first = play(database, (other, one))
    if counted:
        refit(database)
    before = board(database)
    again = rerun(database, first)
    refit(database)
    finish(database, again, (1, 0))
    refit(database)
    after = board(database)
    assert after != before
    assert recompute(database).results == 4
    assert board(database) == after


def test_an_equal_game_counts_although_the_first_one_was_equal(database: Database) -> None:
    pair = newcomers(database, 2)
    first = play(database, pair, digest="same")
    refit(database)
    before = board(database)
    finish(database, rerun(database, first), (0, 1), digest="same")
    refit(database)
    assert board(database) == before
    recompute(database)
    assert board(database) == before


@pytest.mark.long
def test_two_organisers_at_once_make_one_rerun(database: Database) -> None:
    first = play(database, newcomers(database, 2))
    barrier = threading.Barrier(4)

    def one_of_them() -> bool:
        with database.transaction() as session:
            user = cups.user(session, organises=True)
            barrier.wait()
            try:
                reruns.rerun(session, user, first, WHY)
            except Conflict:
                return False
            return True

    with ThreadPoolExecutor(4) as pool:
        made = [done.result() for done in [pool.submit(one_of_them) for _ in range(4)]]
    assert sorted(made) == [False, False, False, True]
    with database.transaction() as session:
        assert session.scalar(select(func.count()).where(Match.rerun_of == first)) == 1


def test_a_rerun_can_be_rerun_and_a_match_only_once(database: Database) -> None:
    first = play(database, newcomers(database, 2))
    again = rerun(database, first)
    with pytest.raises(Conflict, match="has a rerun already"):
        rerun(database, first)
    with pytest.raises(Conflict, match="not over"):
        rerun(database, again)
    finish(database, again, (0, 1))
    third = rerun(database, again)
    assert match(database, third).rerun_of == again
    with pytest.raises(NotFound):
        rerun(database, 10**12)


def test_a_match_that_was_annulled_or_void_is_rerun_as_well(database: Database) -> None:
    first = play(database, newcomers(database, 2))
    with database.transaction() as session:
        matches.annul(session, first, "The referee was wrong.")
    again = rerun(database, first)
    assert match(database, first).void_reason == "The referee was wrong."
    assert match(database, again).rerun_reason == WHY


def test_a_rerun_whose_worker_is_killed_is_played_by_another_one(database: Database) -> None:
    first = play(database, newcomers(database, 2))
    again = rerun(database, first)
    with database.transaction() as session:
        (lease,) = queue.lease(session, limit=9, seconds=60, max_attempts=3)
        lost = queue.claim(session, again, lease.token, seconds=60)
        assert lost is not None
        session.execute(update(Job).values(lease_until=func.now() - timedelta(seconds=1)))
    finish(database, again, (0, 1))
    with database.transaction() as session:
        late = matches.Report((1, 0), (0.0, 0.0), "late", 9, (), 1.0, "test", "x", "1", "y")
        assert not matches.finish(session, lost, late)
        assert session.scalar(select(func.count()).select_from(PendingResult)) == 1


def test_what_can_no_longer_count_is_not_rerun(database: Database) -> None:
    pair = newcomers(database, 2)
    practice, first = play(database, pair, kind=MatchKind.PRACTICE), play(database, pair)
    with pytest.raises(Conflict, match="cannot be rerun"):
        rerun(database, practice)
    by_other_rules = play(database, pair)
    with database.transaction() as session:
        session.execute(update(Match).where(Match.id == by_other_rules).values(league=GAME.top_level + 1))
        assert not reruns.may_be_rerun(session.get_one(Match, by_other_rules, options=LOADED))
    with pytest.raises(Conflict, match="rates nobody"):
        rerun(database, by_other_rules)
    with database.transaction() as session:
        organiser = cups.user(session, organises=True)
        freezing.freeze_ladder(session, organiser, GAME.id, "Marks are made.")
    with pytest.raises(Conflict, match="ladder is frozen"):
        rerun(database, first)
    with database.transaction() as session:
        freezing.thaw_ladder(session, organiser, GAME.id)
        seasons.start_season(session, organiser, GAME)
    with pytest.raises(Conflict, match="season is over"):
        rerun(database, first)
    assert match(database, first).state == MatchState.DONE
    second = play(database, pair)
    with database.transaction() as session:
        deleted = {"source_sha256": None, "state": SubmissionState.SUPERSEDED}
        session.execute(update(Submission).where(Submission.id == pair[0]).values(deleted))
    with pytest.raises(Conflict, match="was deleted"):
        rerun(database, second)


# --- Events -----------------------------------------------------------------------------------------------------------


def newer_wins(claimed: matches.ClaimedMatch) -> int:
    return 1 - cups.older_wins(claimed)


def games(database: Database, event_id: int) -> list[Match]:
    """Those that count, by pairing and game."""
    with database.transaction() as session:
        query = select(Match).join(EventPairing, EventPairing.id == Match.pairing_id)
        query = query.where(EventPairing.event_id == event_id, Match.state == MatchState.DONE)
        return list(session.scalars(query.order_by(EventPairing.number, Match.pairing_game)))


def test_the_stage_counts_the_rerun_and_not_the_first(database: Database) -> None:
    event_id = cups.begin(database, 3)
    cups.advance(database)
    for claimed in cups.claim_all(database):
        cups.finish(database, claimed, cups.older_wins(claimed))
    first = games(database, event_id)[0]
    again = rerun(database, first.id)
    now = match(database, again)
    assert (now.seed, now.pairing_id, now.pairing_game) == (first.seed, first.pairing_id, first.pairing_game)
    cups.play(database, event_id, newer_wins)
    assert cups.event(database, event_id).state == EventState.DONE
    counted = {one.id for one in games(database, event_id)}
    assert again in counted
    assert first.id not in counted
    with database.transaction() as session:
        found = describe(session, session.get_one(Event, event_id))
    published = [game for pairing in found["played"][0]["pairings"] for game in pairing["games"]]
    assert [one["reruns"] for one in published if "reruns" in one] == [[{"match": first.id, "reason": WHY}]]


def test_the_event_s_page_says_which_games_were_played_again(database: Database) -> None:
    event_id = cups.begin(database, 2)
    cups.play(database, event_id)
    first, other = games(database, event_id)
    again = rerun(database, first.id)
    with database.transaction() as session:
        event = session.get_one(Event, event_id)
        waits = event_stages.pairing_detail(session, event, first.pairing_id or 0, organises=False)
    assert [(one.match_id, one.state) for one in waits.games] == [(again, "queued"), (other.id, "done")]
    cups.play(database, event_id)
    last = rerun(database, again, "Once more.")
    cups.play(database, event_id)
    with database.transaction() as session:
        event = session.get_one(Event, event_id)
        shown = event_stages.pairing_detail(session, event, first.pairing_id or 0, organises=False)
    assert [one.match_id for one in shown.games] == [last, other.id]
    reported = [[(one.match, one.reason) for one in game.reruns] for game in shown.games]
    assert reported == [[(first.id, WHY), (again, "Once more.")], []]


def test_an_event_that_is_over_goes_on_until_the_rerun_is(database: Database) -> None:
    event_id = cups.begin(database, 2, cups.CUP)
    cups.play(database, event_id)
    before = [one.place for one in cups.entries(database, event_id)]
    assert before == [1, 2]
    again = [rerun(database, one.id) for one in games(database, event_id)]
    assert cups.event(database, event_id).state == EventState.PLAYING
    assert [one.place for one in cups.entries(database, event_id)] == [None, None]
    assert draws.commitment(cups.event(database, event_id).secret)
    cups.play(database, event_id, newer_wins)
    assert [one.place for one in cups.entries(database, event_id)] == [2, 1]
    assert {one.id for one in games(database, event_id)} == set(again)


def test_a_match_on_which_others_rest_is_not_rerun(database: Database) -> None:
    event_id = cups.begin(database, 4, cups.CUP)
    cups.play(database, event_id)
    first, *_, last = games(database, event_id)
    with pytest.raises(Conflict, match="no longer be annulled or rerun"):
        rerun(database, first.id)
    assert match(database, first.id).state == MatchState.DONE
    rerun(database, last.id)


def a_game_of(database: Database, event_id: int, part: str, round: int) -> int:
    """A match that counts, of this round of that part of the bracket."""
    with database.transaction() as session:
        query = select(Match.id).join(EventPairing, EventPairing.id == Match.pairing_id)
        which = (EventPairing.event_id == event_id) & (EventPairing.part == part) & (EventPairing.round == round)
        query = query.where(which, Match.state == MatchState.DONE).order_by(EventPairing.number, Match.id)
        return session.scalars(query.limit(1)).one()


@pytest.mark.long
def test_with_two_lives_the_other_parts_of_the_bracket_rest_on_a_pairing_too(database: Database) -> None:
    event_id = cups.begin(database, 4, Stage(Form.KNOCKOUT, best_of=2, lives=2))
    cups.play(database, event_id)
    for part, number in (("main", 1), ("main", 2), ("lower", 1), ("lower", 2)):
        with pytest.raises(Conflict, match="no longer be annulled or rerun"):
            rerun(database, a_game_of(database, event_id, part, number))
    assert cups.event(database, event_id).state == EventState.DONE
    rerun(database, a_game_of(database, event_id, "final", 1))
    cups.play(database, event_id, newer_wins)
    assert cups.event(database, event_id).state == EventState.DONE


@pytest.mark.long
def test_a_semifinal_that_has_not_begun_waits_for_whoever_wins_the_rerun(database: Database, tmp_path: Path) -> None:
    """Of five, the first has no opponent in round 1: its semifinal is known as soon as the fourth beats the fifth."""
    event_id = cups.begin(database, 5, Stage(Form.KNOCKOUT, best_of=4))
    cups.advance(database)
    running = cups.claim_all(database)
    for claimed in running[:3]:
        cups.finish(database, claimed, cups.older_wins(claimed))
        cups.advance(database)
    states = [(one.number, one.state) for one in cups.pairings(database, event_id)]
    assert states == [(1, PairingState.DONE), (4, PairingState.WAITING), (5, PairingState.PLAYING)]
    again = rerun(database, running[0].match_id)
    assert [one.number for one in cups.pairings(database, event_id)] == [1, 5]
    cups.finish(database, running[3], newer_wins(running[3]))
    cups.play(database, event_id, newer_wins)
    assert cups.event(database, event_id).state == EventState.DONE
    seeds = {one.id: one.seed for one in cups.entries(database, event_id)}
    semifinal = cups.pairings(database, event_id)[1]
    assert {seeds[semifinal.first_id or 0], seeds[semifinal.second_id or 0]} == {1, 5}
    assert prizes.wrong(prizes.file_of(database, event_id, tmp_path, prizes.nothing)) == []
    with pytest.raises(Conflict, match="no longer be annulled or rerun"):
        rerun(database, again)


@pytest.mark.long
def test_of_play_offs_at_the_same_time_any_is_rerun(database: Database) -> None:
    event_id = cups.begin(database, 3)
    cups.advance(database)
    before = [one.id for one in cups.pairings(database, event_id)]

    def level_at_first(claimed: matches.ClaimedMatch) -> int:
        is_playoff = match(database, claimed.match_id).pairing_id not in before
        return cups.older_wins(claimed) if is_playoff else -1

    cups.play(database, event_id, level_at_first)
    assert [one.playoff for one in cups.pairings(database, event_id)] == [0] * 3 + [1] * 3
    played = games(database, event_id)
    with pytest.raises(Conflict, match="no longer be annulled or rerun"):
        rerun(database, played[0].id)
    rerun(database, played[6].id)
    cups.play(database, event_id)
    assert cups.event(database, event_id).state == EventState.DONE


def test_a_dispatcher_in_between_makes_no_second_game(database: Database) -> None:
    event_id = cups.begin(database, 3)
    cups.advance(database)
    for claimed in cups.claim_all(database):
        cups.finish(database, claimed, cups.older_wins(claimed))
    chosen = games(database, event_id)[:2]
    barrier = threading.Barrier(2)

    def organise() -> None:
        barrier.wait()
        for one in chosen:
            rerun(database, one.id)

    def dispatch() -> None:
        barrier.wait()
        for _ in range(8):
            cups.advance(database)

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(organise), pool.submit(dispatch)]:
            done.result()
    cups.play(database, event_id)
    numbers = [(one.pairing_id, one.pairing_game) for one in games(database, event_id)]
    assert len(numbers) == len(set(numbers)) == 6
    with database.transaction() as session:
        assert session.scalar(select(func.count()).where(Match.rerun_of.is_not(None))) == 2


def test_a_rerun_in_an_event_that_is_paused_waits_until_it_goes_on(database: Database) -> None:
    """What was queued before is played, as a pause has it; the rerun is not begun, and keeps nobody from filling in."""
    event_id = cups.begin(database, 2)
    cups.advance(database)
    (claimed, *others) = cups.claim_all(database)
    cups.finish(database, claimed, 0)
    with database.transaction() as session:
        organiser = cups.user(session, organises=True)
        freezing.pause_event(session, organiser, event_id, "The network is down.")
    again = rerun(database, claimed.match_id)
    assert cups.advance(database) == 0
    assert cups.claim_all(database) == []
    with database.transaction() as session:
        assert backlog.count(session) == (0, 0)
    for one in others:
        cups.finish(database, one, 0)
    assert match(database, again).state == MatchState.QUEUED
    with database.transaction() as session:
        freezing.continue_event(session, organiser, event_id)
        assert backlog.count(session)[0] == 1
    (rerunning,) = cups.claim_all(database)
    assert rerunning.match_id == again
    cups.finish(database, rerunning, 0)
    cups.play(database, event_id)
    assert cups.event(database, event_id).state == EventState.DONE


@pytest.mark.parametrize("how", ["cancel", "disqualify"])
def test_a_rerun_that_waits_for_a_paused_event_ends_with_it(database: Database, how: str) -> None:
    event_id = cups.begin(database, 2)
    cups.advance(database)
    claimed, *running = cups.claim_all(database)
    cups.finish(database, claimed, 0)
    with database.transaction() as session:
        organiser = cups.user(session, organises=True)
        freezing.pause_event(session, organiser, event_id, "The network is down.")
    again = rerun(database, claimed.match_id)
    with database.transaction() as session:
        if how == "cancel":
            events.cancel(session, organiser, event_id, "Fire alarm.")
        else:
            events.disqualify(session, organiser, event_id, cups.entries(database, event_id)[0].id, "It copied.")
            freezing.continue_event(session, organiser, event_id)
    cups.advance(database)
    assert match(database, again).state == MatchState.VOID
    for one in running:
        cups.finish(database, one, 0)
    cups.advance(database)
    assert cups.event(database, event_id).state in {EventState.CANCELLED, EventState.DONE}


def test_a_rerun_of_an_event_waits_for_nobody_who_is_out(database: Database) -> None:
    event_id = cups.begin(database, 2)
    cups.advance(database)
    claimed, *_ = cups.claim_all(database)
    cups.finish(database, claimed, 0)
    with database.transaction() as session:
        organiser = cups.user(session, organises=True)
        events.disqualify(session, organiser, event_id, cups.entries(database, event_id)[0].id, "It copied.")
    with pytest.raises(Conflict, match="out of the event"):
        rerun(database, claimed.match_id)
    with database.transaction() as session:
        events.cancel(session, organiser, event_id, "Fire alarm.")
    with pytest.raises(Conflict, match="event is over"):
        rerun(database, claimed.match_id)
    assert match(database, claimed.match_id).state == MatchState.DONE


def test_a_void_match_of_an_event_is_the_dispatcher_s(database: Database) -> None:
    event_id = cups.begin(database, 2)
    cups.advance(database)
    claimed, *_ = cups.claim_all(database)
    with database.transaction() as session:
        matches.void(session, claimed, "The machine was slow.")
    with pytest.raises(Conflict, match="cannot be rerun"):
        rerun(database, claimed.match_id)
    assert cups.event(database, event_id).state == EventState.PLAYING


@pytest.mark.long
def test_a_heat_counts_the_rerun_too(database: Database) -> None:
    event_id = cups.begin(database, 4, heats.LAST, game=heats.TRON)
    heats.play(database, event_id)
    assert heats.places(database, event_id) == [1, 2, 3, 4]
    first = games(database, event_id)[0]
    again = rerun(database, first.id)
    assert seats(database, again) == seats(database, first.id)
    with database.transaction() as session:
        assert session.get_one(EventPairing, first.pairing_id).state == PairingState.PLAYING
    heats.play(database, event_id)
    assert cups.event(database, event_id).state == EventState.DONE
    assert again in {one.id for one in games(database, event_id)}
    assert heats.places(database, event_id) == [1, 2, 3, 4]
    with database.transaction() as session:
        event = session.get_one(Event, event_id)
        shown = event_stages.heat_detail(session, event, first.pairing_id or 0, organises=False)
    reported = {one.match_id: [(before.match, before.reason) for before in one.reruns] for one in shown.games}
    assert reported.pop(again) == [(first.id, WHY)]
    assert set(map(tuple, reported.values())) == {()}


def test_held_results_stay_held(database: Database) -> None:
    event_id = cups.begin(database, 2, held=True)
    cups.play(database, event_id)
    assert match(database, rerun(database, games(database, event_id)[0].id)).held


# --- An event's own ladder --------------------------------------------------------------------------------------------


def counted(database: Database, event_id: int) -> list[int]:
    """The matches of its ladder that are done, the oldest first."""
    with database.transaction() as session:
        done = (Match.event_id == event_id) & (Match.state == MatchState.DONE)
        return list(session.scalars(select(Match.id).where(done).order_by(Match.id)))


def stored(database: Database, event_id: int) -> set[tuple[float, ...]]:
    with database.transaction() as session:
        found = session.scalars(select(EventStanding).where(EventStanding.event_id == event_id)).all()
        return {(one.submission_id, one.rating, one.deviation, one.games, one.wins, one.losses) for one in found}


def anew(database: Database, event_id: int) -> set[tuple[float, ...]]:
    """The same, of all that is there, by whoever remembers nothing."""
    with database.transaction() as session:
        event = session.get_one(Event, event_id)
        there = own_ladders.entrants(session, event)
        known = ladder_fit.read(session, event, there, own_ladders.stamp_of(session, event, there))
    lines = ladder_fit.rated(known).lines
    return {(one.submission_id, one.rating, one.deviation, one.games, one.wins, one.losses) for one in lines}


def test_an_event_s_ladder_after_a_rerun_is_that_of_a_recount(database: Database) -> None:
    event_id = own.announce(database, 3)
    memory, random = own.play(database, 2), Random(1)
    before, first = stored(database, event_id), counted(database, event_id)[-1]
    again = rerun(database, first)
    was, now = match(database, first), match(database, again)
    assert (was.state, was.void_reason) == (MatchState.VOID, WHY)
    assert (now.kind, now.event_id, now.seed, now.league) == (was.kind, event_id, was.seed, was.league)
    assert seats(database, again) == seats(database, first)
    with database.transaction() as session:
        assert session.scalars(select(Job.share).where(Job.match_id == again)).one() == f"e:{event_id}"
        (entry, _), *_ = audit.entries(session, event_id=event_id)
        assert (entry.action, entry.event_id) == ("rerun match", event_id)
    own.tick(database, memory, random)
    assert stored(database, event_id) == anew(database, event_id) != before
    (claimed,) = [one for one in own.claim(database) if one.match_id == again]
    own.finish(database, claimed, own.younger_wins)
    own.tick(database, memory, random)
    assert stored(database, event_id) == anew(database, event_id) != before
    assert sum(row.games for row in own.rows(database, event_id)) == 2 * len(counted(database, event_id))
    assert again in counted(database, event_id)


def test_a_rerun_equal_to_the_first_match_counts_for_an_event_s_ladder(database: Database) -> None:
    """Nothing of the first one is left that it could repeat."""
    event_id = own.announce(database, 2)
    memory, random = Ladders(), Random(1)
    own.tick(database, memory, random)
    first, *_ = own.claim(database)
    own.finish(database, first, own.older_wins, "same")
    own.tick(database, memory, random)
    before = stored(database, event_id)
    again = rerun(database, first.match_id)
    (claimed,) = [one for one in own.claim(database) if one.match_id == again]
    own.finish(database, claimed, own.older_wins, "same")
    own.tick(database, memory, random)
    assert [row.games for row in own.rows(database, event_id)] == [1, 1]
    assert stored(database, event_id) == anew(database, event_id) == before


def test_a_void_match_of_an_event_s_ladder_is_rerun_too(database: Database) -> None:
    event_id = own.announce(database, 2)
    own.play(database, 1)
    first, *others = counted(database, event_id)
    with database.transaction() as session:
        matches.annul(session, first, "The referee was wrong.")
    again = rerun(database, first)
    (claimed,) = [one for one in own.claim(database) if one.match_id == again]
    own.finish(database, claimed, own.older_wins)
    assert counted(database, event_id) == [*others, again]


@pytest.mark.long
@pytest.mark.parametrize(
    "over",
    [
        {"ladder": False},
        {"deadline": func.now(), "opens_at": func.now() - timedelta(hours=1)},
        {"state": "cancelled", "finished_at": func.now()},
    ],
)
def test_no_match_of_an_event_s_ladder_that_is_over_or_off_is_rerun(database: Database, over: dict[str, Any]) -> None:
    event_id = own.announce(database, 2)
    own.play(database, 1)
    before = counted(database, event_id)
    own.change(database, event_id, **over)
    with pytest.raises(Conflict, match="over or off"):
        rerun(database, before[0])
    assert counted(database, event_id) == before


@pytest.mark.parametrize("how", ["submit", "withdraw"])
def test_no_match_of_an_event_s_ladder_that_no_longer_counts_is_rerun(database: Database, how: str) -> None:
    event_id = own.announce(database, 2)
    own.play(database, 1)
    before, (version, *_) = counted(database, event_id), own.versions_of(database, event_id).values()
    if how == "submit":
        own.submit_again(database, version)
    else:
        with database.transaction() as session:
            entry = session.scalars(select(EventEntry).limit(1)).one()
            events.withdraw(session, session.get_one(User, entry.user_id), event_id, entry.id)
    with pytest.raises(Conflict, match="no longer counts"):
        rerun(database, before[0])
    assert counted(database, event_id) == before


def test_a_rerun_that_is_not_over_at_the_deadline_is_void(database: Database) -> None:
    event_id = own.announce(database, 2)
    own.play(database, 1)
    again = rerun(database, counted(database, event_id)[0])
    own.pass_deadline_now(database, event_id)
    cups.advance(database)
    assert match(database, again).state == MatchState.VOID
    assert {row.games for row in own.rows(database, event_id)} == {own.MOST_WAITING - 1}


@pytest.mark.long
def test_a_rerun_in_a_paused_event_s_ladder_waits_and_keeps_nobody_waiting(database: Database) -> None:
    """Not even where it is first in turn and there is room for one: the match of another event is sent instead."""
    event_id, other = own.announce(database, 2), own.announce(database, 2)
    own.play(database, 1)
    own.claim(database)
    with database.transaction() as session:
        organiser = cups.user(session, organises=True)
        freezing.pause_event(session, organiser, event_id, "The network is down.")
    again, elsewhere = (rerun(database, counted(database, one)[0]) for one in (event_id, other))
    with database.transaction() as session:
        assert backlog.count(session)[0] == 1
        (lease,) = queue.lease(session, limit=1, quiet_limit=1, seconds=60, max_attempts=9)
        assert lease.match_id == elsewhere
        assert queue.lease(session, limit=9, seconds=60, max_attempts=9) == []
    with database.transaction() as session:
        freezing.continue_event(session, organiser, event_id)
    with database.transaction() as session:
        assert [one.match_id for one in queue.lease(session, limit=9, seconds=60, max_attempts=9)] == [again]


def test_what_can_be_rerun_is_known_in_one_place(database: Database) -> None:
    pair, event_id = newcomers(database, 2), own.announce(database, 2)
    practice, first = play(database, pair, kind=MatchKind.PRACTICE), play(database, pair)
    own.play(database, 1)
    of_event = counted(database, event_id)[0]

    def may_be() -> list[bool]:
        with database.transaction() as session:
            return [reruns.may_be_rerun(session.get_one(Match, one, options=LOADED)) for one in chosen]

    chosen = [practice, first, of_event]
    assert may_be() == [False, True, True]
    chosen = [first, rerun(database, first)]
    assert may_be() == [False, False]
    own.pass_deadline_now(database, event_id)
    cups.advance(database)
    chosen = [of_event]
    assert may_be() == [False]
