"""House bots in an event: ranked, but outside the prizes, and the published file says by which rule."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from hexarena.backend.api.views import events as event_views
from hexarena.backend.events import checking, life, published, stages
from hexarena.backend.events.forms import Form, Heat, HeatOutcome, Outcome, Pairing, Prior, Stage
from hexarena.backend.models import Bot, Event, EventEntry, User, UserKind
from hexarena.backend.runtime import migrate
from hexarena.backend.runtime.db import Database
from tests.backend.events import test_events as cups
from tests.backend.runtime.test_migrations import downgrade

ROBIN = Stage(Form.ROUND_ROBIN, seeds=1)
LADDER = Stage(Form.LADDER, seeds=1, rounds=5)
HEATS = Stage(Form.HEATS, rounds=1, games=2)


# --- What is played about prizes --------------------------------------------------------------------------------------


def drawn(entrants: int, *, outside: Sequence[int], prizes: int) -> stages.State:
    """A round robin in which every game was a draw."""
    state = stages.State(ROBIN, tuple(range(entrants)), (), {}, True, prizes, outside=frozenset(outside))
    due = tuple(stages.due(state))
    outcomes = {one.number: Outcome(2, 2, 0, 0) for one in due}
    return stages.State(ROBIN, state.entrants, due, outcomes, True, prizes, outside=state.outside)


def met(pairings: Sequence[Pairing]) -> set[tuple[int, ...]]:
    return {tuple(sorted((one.first, one.second))) for one in pairings}


def test_only_those_who_may_take_a_prize_play_it_off() -> None:
    assert met(stages.due(drawn(4, outside=[1], prizes=1))) == {(0, 2), (0, 3), (2, 3)}
    assert met(stages.due(drawn(4, outside=[], prizes=1))) == set(combinations(range(4), 2))


def test_nothing_is_played_off_where_one_person_is_tied_with_house_bots() -> None:
    assert stages.due(drawn(3, outside=[0, 2], prizes=1)) == []
    assert stages.due(drawn(3, outside=[0, 1, 2], prizes=3)) == []


def level(entrants: int, *, outside: Sequence[int], stage: Stage) -> stages.State:
    """A stage that is not the last one, in which every game was a draw, so that the seeding ranks."""
    state = stages.State(stage, tuple(range(entrants)), (), {}, True, outside=frozenset(outside))
    due = tuple(stages.due(state))
    return replace(state, pairings=due, outcomes={one.number: Outcome(2, 2, 0, 0) for one in due})


def test_the_way_to_the_next_stage_is_played_off_by_people() -> None:
    stage = Stage(Form.ROUND_ROBIN, seeds=1, advance=1)
    assert met(stages.due(level(3, outside=[1], stage=stage))) == {(0, 2)}
    assert met(stages.due(level(3, outside=[], stage=stage))) == set(combinations(range(3), 2))


@pytest.mark.parametrize(
    ("outside", "going_on"),
    [
        ([], [0, 1]),
        ([0], [0, 1, 2]),  # ahead of the second person: advances besides
        ([1, 2], [0, 1, 2, 3]),
        ([4], [0, 1]),  # behind them: does not
        ([0, 1, 2, 3], [0, 4]),  # one person only: the best house bot fills up
        ([0, 1, 2, 3, 4], [0, 1]),
    ],
)
def test_a_house_bot_goes_on_besides_people_and_takes_nobodys_place(outside: list[int], going_on: list[int]) -> None:
    stage = Stage(Form.ROUND_ROBIN, seeds=1, advance=2)
    assert stages.advancing(level(5, outside=outside, stage=stage)) == going_on


@pytest.mark.parametrize(
    ("outside", "left", "going_on"),
    [
        ([], [0], [1, 2]),
        ([], [4], [0, 1]),
        ([0], [1], [0, 2, 3]),  # the house bot is still ahead of the second person who is there
        ([0], [0], [1, 2]),
        ([0, 1], [2, 3, 4], [0, 1]),  # no person is left: the best house bots fill up
        ([], [0, 1, 2, 3], [4]),
        ([], [0, 1, 2, 3, 4], []),
    ],
)
def test_nobody_goes_on_who_has_left(outside: list[int], left: list[int], going_on: list[int]) -> None:
    state = replace(level(5, outside=outside, stage=Stage(Form.ROUND_ROBIN, seeds=1, advance=2)), left=frozenset(left))
    assert stages.advancing(state) == going_on


def test_the_preview_counts_house_bots_as_if_all_went_on() -> None:
    final = [Stage(Form.ROUND_ROBIN, seeds=1, advance=2), Stage(Form.KNOCKOUT, best_of=1)]
    assert stages.most_games(final, 6, paired=True, outside=0)[1] == 2
    assert stages.most_games(final, 6, paired=True, outside=3)[1] == 8


def test_a_house_bot_takes_nobodys_place_in_its_group() -> None:
    """The groups are 0, 3, 4 and 1, 2, 5."""
    stage = Stage(Form.GROUPS, seeds=1, groups=2, advance=1)
    assert stages.advancing(level(6, outside=[], stage=stage)) == [0, 1]
    assert sorted(stages.advancing(level(6, outside=[0], stage=stage))) == [0, 1, 3]
    assert sorted(stages.advancing(level(6, outside=[0, 3, 4], stage=stage))) == [0, 1]


def test_heats_are_played_off_without_house_bots() -> None:
    def due(outside: Sequence[int]) -> list[tuple[int, ...]]:
        heat = Heat(0, 1, (0, 1, 2, 3))
        state = stages.State(HEATS, heat.entrants, (), {}, False, 1, heats=(heat,), in_heat=4)
        even = HeatOutcome((6, 6, 6, 6), (0, 0, 0, 0))
        state = stages.State(
            HEATS,
            heat.entrants,
            (),
            {},
            False,
            1,
            heats=(heat,),
            heat_outcomes={0: even},
            in_heat=4,
            outside=frozenset(outside),
        )
        return [tuple(sorted(one.entrants)) for one in stages.due_heats(state)]

    assert due([]) == [(0, 1, 2, 3)]
    assert due([0]) == [(1, 2, 3)]
    assert due([0, 1, 2]) == []


def test_a_ladder_is_played_on_about_the_places_of_people_alone() -> None:
    """The best is a house bot: the first prize is between the next two."""
    priors = {0: Prior(1500, 50), 1: Prior(1490, 50), 2: Prior(1480, 50), 3: Prior(500, 20)}

    def begun(outside: Sequence[int]) -> stages.State:
        return stages.State(LADDER, tuple(range(4)), (), {}, True, 1, priors, outside=frozenset(outside))

    assert (0, 1) in met(stages.due(begun([])))
    assert met(stages.due(begun([0]))) == {(1, 2)}
    assert stages.due(begun([0, 1])) == [], "sure: the other one is far below"
    (rows,) = stages.standings(begun([0, 1])).values()
    assert [(row.entrant, row.sure) for row in rows] == [(0, None), (1, None), (2, 1.0), (3, None)]


def test_prizes_go_to_the_first_who_are_no_house_bots() -> None:
    assert stages.prize_places([7, 3, 9, 1], {7, 9}) == {3: 1, 1: 2}
    assert stages.prize_places([7, 3], set()) == {7: 1, 3: 2}


# --- An event with them -----------------------------------------------------------------------------------------------


def begin(database: Database, *stage: Stage, house: int = 1, people: int = 3, **changes: Any) -> int:
    """An event whose first entrants are house bots, and whose deadline is over: its id."""
    with database.transaction() as session:
        organiser = cups.user(session, organises=True)
        made, _ = life.create(session, organiser, cups.GAME, cups.plan(*stage, **changes))
        owner = session.scalars(select(User).where(User.kind == UserKind.HOUSE)).one()
        for _ in range(house):
            life.enter(session, organiser, made.id, cups.bot(session, owner), None, organises=True)
        for _ in range(people):
            person = cups.user(session)
            life.enter(session, person, made.id, cups.bot(session, person), None)
        cups.pass_deadline(session, made.id)
        return made.id


def file_of(database: Database, event_id: int, folder: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """The published file without the matches' records."""
    with database.transaction() as session:
        described = published.describe(session, session.get_one(Event, event_id))
    described = json.loads(json.dumps(described))
    change(described)
    file = folder / "event.zip"
    with zipfile.ZipFile(file, "w") as container:
        container.writestr("event.json", json.dumps(described))
    return file


def wrong(file: Path) -> list[str]:
    opened = checking.EventFile(file)
    try:
        return checking.check(opened).wrong
    finally:
        opened.close()


def nothing(_: dict[str, Any]) -> None:
    pass


@pytest.mark.long
def test_a_house_bot_that_wins_is_first_and_takes_no_prize(database: Database) -> None:
    event_id = begin(database, cups.CUP, house=2, people=3, prizes=2)
    cups.play(database, event_id)
    with database.transaction() as session:
        found = event_views.detail(session, session.get_one(Event, event_id), None, organises=False)
    assert [one.place for one in found.entries] == [1, 2, 3, 4, 5]
    reported = [(one.outside_prizes, one.prize_place) for one in found.entries]
    assert reported == [(True, None), (True, None), (False, 1), (False, 2), (False, 3)]
    assert [(one.place, one.bot) for one in found.winners] == [
        (place, one.bot) for place, one in enumerate(found.entries[2:], start=1)
    ]


@pytest.mark.long
def test_nobody_has_a_place_for_the_prizes_while_results_are_held(database: Database) -> None:
    event_id = begin(database, held=True)
    cups.play(database, event_id)
    with database.transaction() as session:
        found = event_views.detail(session, session.get_one(Event, event_id), None, organises=False)
    assert {(one.place, one.prize_place) for one in found.entries} == {(None, None)}


@pytest.mark.long
def test_the_file_has_who_is_outside_and_is_checked_by_that_rule(database: Database, tmp_path: Path) -> None:
    event_id = begin(database, ROBIN, people=2, prizes=1)
    cups.play(database, event_id, lambda _: -1)
    assert [one.playoff for one in cups.pairings(database, event_id)] == [0, 0, 0, 1, 2], "between the two people"
    assert wrong(file_of(database, event_id, tmp_path, nothing)) == []

    def as_format_1(described: dict[str, Any]) -> None:
        assert described["format"] == 2
        described["format"] = 1

    assert any("is missing" in one for one in wrong(file_of(database, event_id, tmp_path, as_format_1)))

    def for_the_house(described: dict[str, Any]) -> None:
        house, *_ = [one for one in described["entries"] if one["outside_prizes"]]
        assert house["prize_place"] is None
        house["prize_place"] = 1

    (said,) = wrong(file_of(database, event_id, tmp_path, for_the_house))
    assert "has place 1 for the prizes, but takes none" in said


@pytest.mark.long
def test_a_final_that_began_before_is_played_and_checked_as_then(database: Database, tmp_path: Path) -> None:
    event_id = begin(database, ROBIN, people=2, prizes=1)
    with database.transaction() as session:
        session.execute(update(EventEntry).where(EventEntry.event_id == event_id).values(outside_prizes=False))
    cups.play(database, event_id, lambda _: -1)
    assert [one.playoff for one in cups.pairings(database, event_id)] == [0] * 3 + [1] * 3 + [2] * 3

    def is_as_before(described: dict[str, Any]) -> None:
        assert described["format"] == 1
        assert {"outside_prizes", "prize_place"}.isdisjoint(described["entries"][0])

    assert wrong(file_of(database, event_id, tmp_path, is_as_before)) == []
    with database.transaction() as session:
        found = event_views.detail(session, session.get_one(Event, event_id), None, organises=False)
    assert [one.prize_place for one in found.entries] == [1, 2, 3]


@pytest.mark.parametrize("frozen", [True, False])
def test_the_step_of_the_schema_changes_events_that_are_open(database: Database, frozen: bool) -> None:
    event_id = begin(database, house=2, people=1)
    if frozen:
        cups.advance(database)
    downgrade(database, "0041")
    migrate.upgrade(database)
    assert sum(one.outside_prizes for one in cups.entries(database, event_id)) == (0 if frozen else 2)


def test_a_file_is_written_anew_when_an_owner_is_called_something_else(database: Database) -> None:
    event_id = begin(database, Stage(Form.ROUND_ROBIN), people=2)
    with database.transaction() as session:
        event = session.get_one(Event, event_id)
        before = published.stamp(session, event)
        assert published.stamp(session, event) == before
        entered = select(EventEntry.user_id).where(EventEntry.event_id == event_id)
        session.execute(update(User).where(User.id == session.scalars(entered).first()).values(name="Somebody else"))
        assert published.stamp(session, event) != before


def test_a_file_does_not_say_whose_a_deleted_bot_was(database: Database) -> None:
    event_id = begin(database, Stage(Form.ROUND_ROBIN), people=2)
    with database.transaction() as session:
        event = session.get_one(Event, event_id)
        entry = session.scalars(select(EventEntry).where(EventEntry.event_id == event_id)).first()
        assert entry is not None
        session.execute(update(Bot).where(Bot.id == entry.bot_id).values(name_key=None))
        session.expire_all()
        owners = {one["id"]: one["owner"] for one in published.describe(session, event)["entries"]}
        assert owners[entry.id] == "deleted"
        assert list(owners.values()).count("deleted") == 1
