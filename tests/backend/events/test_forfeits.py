"""Who goes out while games run: what was begun counts, the rest is forfeited, and the published file agrees."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from hexarena.backend.events import life, playing, published
from hexarena.backend.events.forms import Form, Stage
from hexarena.backend.matches import life as matches, queue
from hexarena.backend.models import EntryState, Event, EventEntry, EventState, PairingState, User
from hexarena.backend.moderation import bans
from hexarena.backend.runtime.db import Database
from hexarena.backend.submissions import deletion
from tests.backend.events import test_events as cups, test_heat_rows as heats, test_prizes as prizes
from tests.conftest import wait_until

FOUR_GAMES = Stage(Form.ROUND_ROBIN, seeds=2)
BEST_OF_FOUR = Stage(Form.KNOCKOUT, best_of=4)


def claim(database: Database, count: int) -> list[matches.ClaimedMatch]:
    """The first so many games begin."""
    with database.transaction() as session:
        leases = queue.lease(session, limit=count, seconds=60, max_attempts=9)
        claimed = [queue.claim(session, one.match_id, one.token, seconds=60) for one in leases]
    return [one for one in claimed if one is not None]


def disqualify(database: Database, event_id: int, *places: int) -> None:
    """Those at these places of the seeding, from 0."""
    there = cups.entries(database, event_id)
    with database.transaction() as session:
        for place in places:
            life.disqualify(session, cups.user(session, organises=True), event_id, there[place].id, "It copied.")


def half_points(database: Database, event_id: int) -> tuple[int | None, int | None]:
    row, *_ = cups.pairings(database, event_id)
    return row.first, row.second


def check(database: Database, event_id: int, folder: Path) -> None:
    assert cups.event(database, event_id).state == EventState.DONE
    assert prizes.wrong(prizes.file_of(database, event_id, folder, prizes.nothing)) == []


@pytest.mark.long
@pytest.mark.parametrize(
    ("stage", "begun", "expected"),
    [
        (FOUR_GAMES, 4, (8, 0)),
        (FOUR_GAMES, 2, (4, 4)),
        (FOUR_GAMES, 1, (2, 6)),
        (BEST_OF_FOUR, 3, (6, 0)),
        (BEST_OF_FOUR, 2, (4, 4)),
    ],
)
def test_games_that_run_still_count(
    database: Database, tmp_path: Path, stage: Stage, begun: int, expected: tuple[int, int]
) -> None:
    """Who goes out wins all that was begun; the other one gets the games that were not."""
    event_id = cups.begin(database, 2, stage)
    cups.advance(database)
    first, *running = claim(database, begun)
    cups.finish(database, first, cups.older_wins(first))
    disqualify(database, event_id, 0)
    assert cups.advance(database) == 0
    assert cups.claim_all(database) == []
    for one in running:
        assert cups.pairings(database, event_id)[0].state == PairingState.PLAYING
        cups.finish(database, one, cups.older_wins(one))
        cups.advance(database)
    assert half_points(database, event_id) == expected
    check(database, event_id, tmp_path)
    assert [one.place for one in cups.entries(database, event_id)] == [2, 1]


@pytest.mark.long
def test_games_after_one_that_was_void_do_not_count(database: Database, tmp_path: Path) -> None:
    event_id = cups.begin(database, 2, FOUR_GAMES)
    cups.advance(database)
    first, second, *others = claim(database, 4)
    cups.finish(database, first, cups.older_wins(first))
    with database.transaction() as session:
        assert matches.void(session, second, "Our fault.")
    disqualify(database, event_id, 0)
    for one in others:
        cups.advance(database)
        cups.finish(database, one, cups.older_wins(one))
    cups.play(database, event_id)
    assert half_points(database, event_id) == (2, 6)
    check(database, event_id, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("stage", [FOUR_GAMES, BEST_OF_FOUR])
def test_nothing_is_forfeited_where_all_was_played_before(database: Database, tmp_path: Path, stage: Stage) -> None:
    event_id = cups.begin(database, 2, stage)
    cups.advance(database)
    for one in claim(database, 3 if stage == BEST_OF_FOUR else 4):
        cups.finish(database, one, cups.older_wins(one))
    disqualify(database, event_id, 0)
    cups.advance(database)
    assert half_points(database, event_id) == ((6, 0) if stage == BEST_OF_FOUR else (8, 0))
    check(database, event_id, tmp_path)


@pytest.mark.long
def test_the_last_one_who_is_left_in_a_heat_waits_for_what_runs(database: Database, tmp_path: Path) -> None:
    event_id = cups.begin(database, 3, replace(heats.LAST, games=4), game=heats.TRON)
    cups.advance(database)
    first, *running = claim(database, 3)

    def finish(one: matches.ClaimedMatch) -> None:
        ranks: Sequence[int] = heats.older_wins(one)
        assert len(ranks) == 3
        heats.finish(database, one)

    finish(first)
    disqualify(database, event_id, 0, 1)
    assert cups.advance(database) == 0
    assert cups.pairings(database, event_id)[0].state == PairingState.PLAYING
    for one in running:
        finish(one)
    heats.play(database, event_id)
    check(database, event_id, tmp_path)
    assert heats.places(database, event_id) == [2, 3, 1]


@pytest.mark.parametrize("stage", [cups.CUP, Stage(Form.KNOCKOUT, best_of=2, lives=2), cups.LADDER, cups.ROBIN])
def test_nobody_waits_for_games_of_bots_that_are_out(database: Database, tmp_path: Path, stage: Stage) -> None:
    """Not even for play-offs among them."""
    event_id = cups.begin(database, 4, stage, prizes=3)
    with database.transaction() as session:
        playing.advance_all(session, 0)
    disqualify(database, event_id, 0, 1, 2, 3)
    assert cups.advance(database) == 0
    check(database, event_id, tmp_path)


@pytest.mark.parametrize("stage", [cups.CUP, cups.ROBIN])
def test_who_goes_out_after_winning_by_forfeit_keeps_what_was_won(
    database: Database, tmp_path: Path, stage: Stage
) -> None:
    event_id = cups.begin(database, 4, stage)
    with database.transaction() as session:
        playing.advance_all(session, 0)
    disqualify(database, event_id, 3)
    cups.advance(database)
    disqualify(database, event_id, 0)
    cups.play(database, event_id)
    first, last = cups.entries(database, event_id)[0].id, cups.entries(database, event_id)[3].id
    (met,) = [one for one in cups.pairings(database, event_id) if {one.first_id, one.second_id} == {first, last}]
    assert sorted((met.first or 0, met.second or 0))[0] == 0 < sorted((met.first or 0, met.second or 0))[1]
    check(database, event_id, tmp_path)


@pytest.mark.parametrize(
    ("first", "left_in"),
    [
        (Stage(Form.ROUND_ROBIN, seeds=1, advance=2), 0),
        (Stage(Form.GROUPS, seeds=1, groups=2, advance=1), 0),
        (Stage(Form.ROUND_ROBIN, seeds=1, advance=2), 1),
    ],
)
def test_the_place_of_whoever_went_out_goes_to_the_next(
    database: Database, tmp_path: Path, first: Stage, left_in: int
) -> None:
    """It has won all its games. Where the next stage has begun, its opponents win what is left."""
    event_id = cups.begin(database, 5, first, Stage(Form.KNOCKOUT, best_of=1))
    running: list[matches.ClaimedMatch] = []

    def is_time() -> bool:
        open_now = [one for one in cups.pairings(database, event_id) if one.state != PairingState.DONE]
        of_first_stage = [one for one in open_now if one.stage == 0]
        if left_in:
            return bool(open_now) and not of_first_stage
        return bool(of_first_stage) and all(gone not in (one.first_id, one.second_id) for one in of_first_stage)

    cups.advance(database)
    gone, *others = (one.id for one in cups.entries(database, event_id))
    version = cups.entries(database, event_id)[0].submission_id
    while not is_time():
        running += cups.claim_all(database)
        running.sort(key=lambda one: version not in {seat.submission_id for seat in one.seats})
        one = running.pop(0)
        cups.finish(database, one, cups.older_wins(one))
        cups.advance(database)
    disqualify(database, event_id, 0)
    for one in running:
        cups.finish(database, one, cups.older_wins(one))
    cups.play(database, event_id)
    check(database, event_id, tmp_path)
    with database.transaction() as session:
        entrants = playing.states_of(session, session.get_one(Event, event_id))[1].entrants
        described = published.describe(session, session.get_one(Event, event_id))
    assert (gone in entrants, len(entrants)) == (left_in == 1, 2)
    assert others[0] in entrants
    assert cups.entries(database, event_id)[0].out_stage == left_in
    assert described["format"] == 4

    def hidden(described: dict[str, Any]) -> None:
        described["entries"][0]["out_stage"] = None

    said = prizes.wrong(prizes.file_of(database, event_id, tmp_path, hidden))
    assert any("others should have come into it" in one for one in said) == (left_in == 0)


# --- While the versions are frozen ------------------------------------------------------------------------------------


def delete(session: Session, owner: User, bot_id: int) -> None:
    deletion.delete_bot(session, owner, bot_id)


def leave(session: Session, owner: User, _: int) -> None:
    deletion.delete_account(session, owner)


def ban(session: Session, owner: User, _: int) -> None:
    bans.ban(session, cups.user(session, organises=True), owner.id, "Spam.")


@pytest.mark.long
@pytest.mark.parametrize("go", [delete, leave, ban])
def test_who_leaves_while_the_deadline_freezes_is_out(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, go: Callable[[Session, User, int], None]
) -> None:
    event_id = cups.begin(database, 3)
    leaving = cups.entries(database, event_id)[0]
    freezing, gone = threading.Event(), threading.Event()
    by_own_ladder = playing._by_own_ladder

    def waits_or_is_gone() -> bool:
        with database.transaction() as session:
            return gone.is_set() or bool(session.scalar(text("SELECT count(*) FROM pg_locks WHERE NOT granted")))

    def freeze_slowly(*given: Any) -> dict[int, playing.Frozen]:
        freezing.set()
        wait_until(waits_or_is_gone, "the other transaction")
        return by_own_ladder(*given)

    def go_meanwhile() -> None:
        freezing.wait()
        with database.transaction() as session:
            go(session, session.get_one(User, leaving.user_id), leaving.bot_id)
        gone.set()

    monkeypatch.setattr(playing, "_by_own_ladder", freeze_slowly)
    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(go_meanwhile), pool.submit(cups.advance, database)]:
            done.result()
    cups.play(database, event_id)
    found = {one.id: one for one in cups.entries(database, event_id)}[leaving.id]
    assert (found.state, found.place) == (EntryState.OUT, 3)
    assert found.reason != playing.LEFT, "the event was locked"
    check(database, event_id, tmp_path)


@pytest.mark.long
def test_a_final_goes_on_without_a_version_whose_bot_was_withdrawn_meanwhile(
    database: Database, tmp_path: Path
) -> None:
    event_id = cups.begin(database, 3)
    cups.advance(database)
    first = cups.entries(database, event_id)[0]
    with database.transaction() as session:
        session.get_one(EventEntry, first.id).state = EntryState.WITHDRAWN
    cups.play(database, event_id)
    found = {one.id: one for one in cups.entries(database, event_id)}[first.id]
    assert (found.state, found.reason, found.place) == (EntryState.OUT, playing.LEFT, 3)
    check(database, event_id, tmp_path)
