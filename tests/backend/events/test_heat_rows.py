"""Heats on a real PostgreSQL: an event in Tron, whatever happens to its entrants, matches and dispatchers meanwhile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import pytest
from sqlalchemy import select, text, update

from hexarena.backend.errors import Conflict, Invalid
from hexarena.backend.events import heat_rows, life, playing, reopening, stages
from hexarena.backend.events.forms import Form, Stage
from hexarena.backend.matches import life as matches, queue
from hexarena.backend.models import (
    Event,
    EventEntry,
    EventHeatEntry,
    EventPairing,
    EventState,
    Match,
    MatchKind,
    MatchState,
    PairingState,
)
from hexarena.backend.runtime import migrate
from hexarena.backend.runtime.db import Database
from hexarena.games.catalogue import find_game
from tests.backend.events.test_events import (
    advance,
    begin,
    claim_all,
    entries,
    event,
    pairings,
    user,
)
from tests.backend.runtime.test_migrations import downgrade

TRON, BATTLEGROUNDS = find_game("tron"), find_game("battlegrounds")
HEATS = Stage(Form.HEATS, rounds=2, games=4, advance=4)
LAST = Stage(Form.HEATS, rounds=1, games=4)
Ranks = Callable[[matches.ClaimedMatch], Sequence[int]]
"""Seat -> rank."""


def older_wins(claimed: matches.ClaimedMatch) -> list[int]:
    versions = [seat.submission_id for seat in claimed.seats]
    ranked = sorted(set(versions))
    return [ranked.index(one) for one in versions]


def all_tie(claimed: matches.ClaimedMatch) -> list[int]:
    return [0] * len(claimed.seats)


def finish(database: Database, claimed: matches.ClaimedMatch, ranks: Ranks = older_wins) -> None:
    found = tuple(ranks(claimed))
    scores = (0.0,) * len(found)
    report = matches.Report(found, scores, "because", 9, (), 1.0, "test", "x", "1", str(claimed.match_id))
    with database.transaction() as session:
        assert matches.finish(session, claimed, report)


def play(database: Database, event_id: int, ranks: Ranks = older_wins, *, random: Random | None = None) -> None:
    """Plays until the event has nothing to play. `random`: results come in any order."""
    running: list[matches.ClaimedMatch] = []
    while True:
        advance(database)
        running += claim_all(database)
        if not running:
            break
        finish(database, running.pop(0 if random is None else random.randrange(len(running))), ranks)
    advance(database)


def places(database: Database, event_id: int) -> list[int | None]:
    """In the order of the seeding."""
    return [one.place for one in entries(database, event_id)]


def seated(database: Database, event_id: int) -> list[tuple[int, frozenset[int]]]:
    """(heat's number, who played) of each match of the first stage that is over, without play-offs."""
    with database.transaction() as session:
        query = select(EventPairing).where(EventPairing.event_id == event_id, EventPairing.stage == 0)
        rows = session.scalars(query.order_by(EventPairing.number)).all()
        there = heat_rows.played(session, rows)
        done = [(row, one.seated) for row in rows for one in there[row.id] if one.state == MatchState.DONE]
        return [(row.number, who) for row, who in done if not row.playoff]


@pytest.mark.long
@pytest.mark.parametrize("entrants", [2, 3, 5, 6, 9])
def test_heats_are_played_to_the_end_of_their_event(database: Database, entrants: int) -> None:
    event_id = begin(database, entrants, HEATS, LAST, game=TRON)
    play(database, event_id, random=Random(1))
    found = event(database, event_id)
    assert (found.state, found.problem) == (EventState.DONE, None)
    assert sorted(one or 0 for one in places(database, event_id)) == list(range(1, entrants + 1))
    assert places(database, event_id)[0] == 1, "the older one wins, and is before the others in the seeding"
    played = Counter(one for _, there in seated(database, event_id) for one in there)
    assert set(played.values()) == {2 * 4}, "everybody plays equally often"
    assert all(row.state == PairingState.DONE for row in pairings(database, event_id))


@pytest.mark.parametrize("entrants", [0, 1])
def test_heats_without_opponents_end_at_once(database: Database, entrants: int) -> None:
    event_id = begin(database, entrants, HEATS, LAST, game=TRON)
    advance(database)
    assert event(database, event_id).state == EventState.DONE
    assert places(database, event_id) == [1] * entrants


@pytest.mark.long
def test_the_order_of_results_changes_nothing(database: Database) -> None:
    """Ranks by the match's seed and the seats, which are the same in both finals."""
    rankings = []
    for order in (None, Random(3)):
        event_id = begin(database, 7, HEATS, LAST, game=TRON, prizes=2)
        with database.transaction() as session:
            session.execute(update(Event).where(Event.id == event_id).values(secret=bytes(32)))
        play(database, event_id, lambda one: [(one.seed >> seat) % 3 for seat in range(len(one.seats))], random=order)
        rankings.append(places(database, event_id))
    assert rankings[0] == rankings[1]


@pytest.mark.long
def test_what_is_stored_is_what_is_computed_from_it(database: Database) -> None:
    event_id = begin(database, 6, HEATS, LAST, game=TRON)
    play(database, event_id, all_tie)
    with database.transaction() as session:
        states = playing.states_of(session, session.get_one(Event, event_id))
    again = replace(states[0], heats=(), heat_outcomes={})
    while due := stages.due_heats(again):
        outcomes = {**again.heat_outcomes, **{one.number: states[0].heat_outcomes[one.number] for one in due}}
        again = replace(again, heats=(*again.heats, *due), heat_outcomes=outcomes)
    assert again == states[0]
    assert [one.playoff for one in states[1].heats] == [0, 1, 2], "three prizes, and all tie"


@pytest.mark.long
def test_teams_fill_a_team_each(database: Database) -> None:
    event_id = begin(database, 3, replace(LAST, games=1), game=BATTLEGROUNDS)
    advance(database)
    (claimed,) = claim_all(database)
    versions = [seat.submission_id for seat in claimed.seats]
    size = BATTLEGROUNDS.team_seats
    assert [len(set(versions[at : at + size])) for at in range(0, len(versions), size)] == [1, 1, 1]
    assert len(set(versions)) == 3
    finish(database, claimed)
    play(database, event_id)
    assert places(database, event_id) == [1, 2, 3]


@pytest.mark.long
def test_who_is_disqualified_in_a_heat_is_left_out_of_its_games_and_beaten_there(database: Database) -> None:
    event_id = begin(database, 4, LAST, game=TRON, prizes=1)
    advance(database)
    with database.transaction() as session:
        leases = queue.lease(session, limit=2, seconds=60, max_attempts=9)
        one, two = [queue.claim(session, lease.match_id, lease.token, seconds=60) for lease in leases]
    assert one is not None
    assert two is not None
    finish(database, one)
    best = entries(database, event_id)[0]
    with database.transaction() as session:
        # One match is being played; those that nobody has claimed are queued again without him.
        life.disqualify(session, user(session, organises=True), event_id, best.id, "It copied.")
    advance(database)
    finish(database, two)
    play(database, event_id)
    assert event(database, event_id).state == EventState.DONE
    assert [len(there) for _, there in seated(database, event_id)] == [4, 4, 3, 3]
    assert places(database, event_id) == [4, 1, 2, 3]
    with database.transaction() as session:
        rows = session.scalars(select(EventHeatEntry).order_by(EventHeatEntry.position)).all()
        assert [(one.points, one.wins) for one in rows] == [(12, 2), (4 + 4 + 6 + 6, 2), (2 + 2 + 4 + 4, 0), (4, 0)]


@pytest.mark.long
def test_the_last_one_who_is_left_in_a_heat_wins_it_without_playing(database: Database) -> None:
    event_id = begin(database, 3, LAST, game=TRON)
    with database.transaction() as session:
        organiser = user(session, organises=True)
        playing.advance_all(session, 0)
        for one in entries(database, event_id)[:2]:
            life.disqualify(session, organiser, event_id, one.id, "It copied.")
    play(database, event_id)
    assert event(database, event_id).state == EventState.DONE
    assert places(database, event_id) == [2, 3, 1]


@pytest.mark.long
def test_void_matches_are_played_again_until_an_organiser_must_decide(database: Database) -> None:
    event_id = begin(database, 3, replace(LAST, games=1), game=TRON)
    for _ in range(heat_rows.MOST_VOIDS + 1):
        advance(database)
        for claimed in claim_all(database):
            with database.transaction() as session:
                assert matches.void(session, claimed, "Our fault.")
    assert advance(database) == 0
    (row,) = pairings(database, event_id)
    assert row.state == PairingState.STUCK
    assert "Matches of heat 1 were void" in (event(database, event_id).problem or "")
    with database.transaction() as session:
        life.resume(session, user(session, organises=True), event_id, row.id)
    play(database, event_id)
    assert (event(database, event_id).state, event(database, event_id).problem) == (EventState.DONE, None)


@pytest.mark.long
def test_a_stuck_heat_goes_on_without_whom_it_was_about(database: Database) -> None:
    event_id = begin(database, 3, replace(LAST, games=1), game=TRON)
    advance(database)
    with database.transaction() as session:
        session.execute(update(EventPairing).values(state=PairingState.STUCK))
        life.disqualify(session, user(session, organises=True), event_id, entries(database, event_id)[1].id, "Broken.")
    play(database, event_id)
    assert event(database, event_id).state == EventState.DONE
    assert places(database, event_id) == [1, 3, 2]


def void_all(database: Database) -> None:
    """Until the event has nothing to play."""
    while running := claim_all(database):
        for claimed in running:
            with database.transaction() as session:
                assert matches.void(session, claimed, "Our fault.")
        advance(database)


@pytest.mark.long
def test_a_heat_that_is_stuck_without_whoever_is_out_waits_for_an_organiser(database: Database) -> None:
    event_id = begin(database, 4, replace(LAST, games=1), game=TRON)
    advance(database)
    organiser_needed = "Matches of heat 1 were void 4 times. An organiser must decide."

    def state() -> tuple[PairingState, str | None]:
        (row,) = pairings(database, event_id)
        return row.state, event(database, event_id).problem

    for place in (0, 1):
        void_all(database)
        assert state() == (PairingState.STUCK, organiser_needed)
        advance(database)
        assert state() == (PairingState.STUCK, organiser_needed), "not even where somebody has been out for long"
        with database.transaction() as session:
            chosen = [one for one in entries(database, event_id) if one.seed == place + 1]
            life.disqualify(session, user(session, organises=True), event_id, chosen[0].id, "Broken.")
        assert advance(database) == 1
        assert state() == (PairingState.PLAYING, None)
    play(database, event_id)
    assert event(database, event_id).state == EventState.DONE


@pytest.mark.long
def test_an_annulled_match_is_played_again_while_nothing_rests_on_it(database: Database) -> None:
    event_id = begin(database, 5, HEATS, LAST, game=TRON)
    advance(database)
    for claimed in claim_all(database):
        finish(database, claimed)
    advance(database)
    with database.transaction() as session:
        (done, *_) = session.scalars(select(EventPairing.id).where(EventPairing.state == PairingState.DONE)).all()
        annulled = session.scalars(select(Match.id).where(Match.pairing_id == done).limit(1)).one()
        reopening.annul(session, annulled, "The machine was slow.")
        points = session.scalars(select(EventHeatEntry.points).where(EventHeatEntry.pairing_id == done)).all()
        assert set(points) == {None}
    play(database, event_id)
    assert event(database, event_id).state == EventState.DONE
    with database.transaction() as session:
        first = session.scalars(select(Match.id).where(Match.state == MatchState.DONE)).first() or 0
        with pytest.raises(Conflict):
            reopening.annul(session, first, "Too late.")


def test_two_forms_exclude_each_other_by_the_game(database: Database) -> None:
    with pytest.raises(Invalid, match="There are no heats in this game"):
        begin(database, 2, LAST)
    event_id = begin(database, 2, Stage(Form.KNOCKOUT, best_of=2), game=TRON)
    play(database, event_id)
    assert event(database, event_id).state == EventState.DONE


@pytest.mark.long
def test_pairings_of_before_stay_and_events_with_heats_leave_with_the_older_schema(database: Database) -> None:
    pairs, heats = begin(database, 2), begin(database, 3, LAST, game=TRON)
    play(database, pairs, lambda one: [0, 1])
    play(database, heats)
    before = [(one.first_id, one.second_id, one.first) for one in pairings(database, pairs)]
    downgrade(database, "0032")
    with database.transaction() as session:
        assert session.scalars(text("SELECT id FROM event")).all() == [pairs]
        assert session.scalar(text("SELECT count(*) FROM event_pairing WHERE first_id IS NULL")) == 0
    migrate.upgrade(database)
    assert [(one.first_id, one.second_id, one.first) for one in pairings(database, pairs)] == before
    with database.transaction() as session:
        kinds = select(Match.kind).join(EventPairing, EventPairing.id == Match.pairing_id)
        assert set(session.scalars(kinds)) == {MatchKind.EVENT}
        assert session.get(Event, heats) is None
        assert session.scalars(select(EventEntry).where(EventEntry.event_id == heats)).all() == []
