"""`hexarena ladder …`: run as an organiser would, against a real database."""

from __future__ import annotations

import math
import os
import re
import subprocess
from itertools import combinations

import pytest
from sqlalchemy import select, update

from hexarena.backend import audit
from hexarena.backend.matches import life as matches
from hexarena.backend.models import Bot, Match, MatchState, PairTally, Standing, User, UserKind
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from hexarena.games.catalogue import find_game
from hexarena.games.house import house_bots
from tests import forking
from tests.backend.ladder.ladders import enter, newcomers, play, user

GAMES = 40
PAIRS = math.comb(len(house_bots(find_game("ants"))), 2)


def hexarena(settings: Settings, *arguments: str, columns: int = 200) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "DATABASE_URL": settings.database_url, "COLUMNS": str(columns)}
    return forking.run("hexarena.cli.app", "ladder", *arguments, env=environment)


def season(database: Database, half_points_of_first_pair: int) -> None:
    """The house bots of Ants are equally strong, but for what the first two do against each other."""
    with database.transaction() as session:
        bots = session.scalars(select(Standing.submission_id).where(Standing.game == "ants").order_by("submission_id"))
        for number, (first, second) in enumerate(combinations(bots, 2)):
            points = GAMES if number else half_points_of_first_pair
            tally = PairTally(first_id=first, second_id=second, game="ants", games=GAMES, half_points=points, draws=0)
            session.add(tally)


def test_who_gains_by_thrown_games_is_listed_with_those_who_throw_them(settings: Settings, database: Database) -> None:
    season(database, 2 * GAMES)
    found = hexarena(settings, "suspects", "ants")
    assert found.returncode == 0, found.stderr
    assert "starter v1" in found.stdout
    assert "Drifter v1" in found.stdout
    assert f" {GAMES} " in found.stdout


def test_an_honest_ladder_has_no_suspects(settings: Settings, database: Database) -> None:
    season(database, GAMES)
    found = hexarena(settings, "suspects", "ants")
    assert found.returncode == 0, found.stderr
    assert found.stdout == f"Ants: nothing that chance does not explain ({PAIRS * GAMES:,} games).\n"


def test_what_cannot_be_looked_at_is_reported_in_a_line(settings: Settings) -> None:
    refused = hexarena(settings, "suspects", "chess")
    assert refused.returncode != 0
    assert "got 'chess'" in refused.stderr + refused.stdout
    assert "Traceback" not in refused.stderr


def test_a_game_of_many_is_looked_at_by_each_two_of_a_match(settings: Settings) -> None:
    found = hexarena(settings, "suspects", "battlegrounds")
    assert found.returncode == 0, found.stderr
    assert "nothing that chance does not explain (0 games of two, of all in a match)" in found.stdout


@pytest.mark.long
def test_a_match_is_rerun_once_and_the_log_says_from_where(settings: Settings, database: Database) -> None:
    first = play(database, newcomers(database, 2))
    done = hexarena(settings, "rerun", str(first), "--reason", " The referee was wrong. ")
    assert done.returncode == 0, done.stderr
    with database.transaction() as session:
        again = session.scalars(select(Match).where(Match.rerun_of == first)).one()
        assert (again.state, again.rerun_reason) == (MatchState.QUEUED, "The referee was wrong.")
        assert session.get_one(Match, first).state == MatchState.VOID
        ((entry, by), *_) = audit.entries(session)
        assert (entry.action, entry.detail["by"], entry.detail["rerun"], by) == (
            "rerun match",
            "the command line",
            again.id,
            None,
        )
    assert done.stdout == f"Match {first} is void. Match {again.id} is queued, and counts in its place.\n"
    for arguments, said in (
        ((str(first), "--reason", "Again."), f"Expected a match without one; got match {again.id}"),
        (("999", "--reason", "Which?"), "There is no match 999."),
        ((str(first), "--reason", "  "), "Expected a sentence of 1 to 400 characters; got 0 characters"),
    ):
        refused = hexarena(settings, "rerun", *arguments)
        assert refused.returncode != 0, arguments
        assert said in refused.stderr + refused.stdout
        assert "Traceback" not in refused.stderr


@pytest.mark.long
def test_a_match_is_annulled_for_a_reason_and_the_log_says_from_where(settings: Settings, database: Database) -> None:
    match = play(database, newcomers(database, 2))
    refused = hexarena(settings, "annul", str(match), "--reason", "  ")
    assert (refused.returncode != 0, "1 to 400 characters; got 0" in refused.stderr + refused.stdout) == (True, True)
    done = hexarena(settings, "annul", str(match), "--why", " The referee was wrong. ")
    assert done.returncode == 0, done.stderr
    with database.transaction() as session:
        assert session.get_one(Match, match).state == MatchState.VOID
        ((entry, by), *_) = audit.entries(session)
        said = {"match": match, "reason": "The referee was wrong.", "by": "the command line"}
        assert (entry.action, entry.detail, by) == ("annul match", said, None)


def test_the_board_has_shared_places_and_says_what_a_place_is_worth(settings: Settings, database: Database) -> None:
    with database.transaction() as session:
        for name, body in (("Left", "print(5)"), ("Right", "print(5)"), ("Alone", "print(6)")):
            bot = session.get_one(Standing, enter(session, user(session), name, body))
            bot.rating = 3000.0 if body == "print(5)" else 2900.0
        bot.spent, bot.placing = True, False
        session.execute(
            update(User).where(User.id == select(Bot.owner_id).where(Bot.name == "Alone").scalar_subquery())
            .values(kind=UserKind.GUEST)
        )  # fmt: skip
        session.execute(update(Standing).values(league=1))
    shown = hexarena(settings, "show", "yavalath")
    assert shown.returncode == 0, shown.stderr
    begin = shown.stdout.splitlines()[1].index("remarks")
    rows = [line for line in shown.stdout.splitlines() if line.strip()[:1].isdigit()]
    assert [(*re.split(r"\s{2,}", row.strip())[:2], row[begin:].strip()) for row in rows[:3]] == [
        ("1", "Right v1", "placing, shared with 1"),
        ("1", "Left v1", "placing, shared with 1"),
        ("2", "Alone v1", "guest: does not count for others, all games repeat"),
    ]
    assert [(row.split()[0], row[begin:].strip()) for row in rows[3:5]] == [("3", "boss"), ("4", "boss")]
    narrow = hexarena(settings, "show", "yavalath", columns=80).stdout.splitlines()
    assert max(map(len, narrow)) == 80
    assert len(narrow) > len(rows)


@pytest.mark.long
def test_a_recount_counts_what_waits_first_and_finds_nothing_changed(settings: Settings, database: Database) -> None:
    pair = newcomers(database, 2)
    for _ in range(3):
        play(database, pair)
    done = hexarena(settings, "recompute", "yavalath")
    assert done.returncode == 0, done.stderr
    assert "3 results had not been counted yet" in done.stdout
    assert "3 results, " in done.stdout
    assert "all to the last bit as they were" in done.stdout
    with database.transaction() as session:
        matches.annul(
            session, session.scalars(select(Match.id).where(Match.state == MatchState.DONE)).first() or 0, "x"
        )
    done = hexarena(settings, "recompute", "yavalath")
    assert "had not been counted" not in done.stdout
    assert "2 results, " in done.stdout


@pytest.mark.long
def test_what_the_database_refuses_is_said_in_a_line(settings: Settings, database: Database) -> None:
    pair = newcomers(database, 2)
    play(database, pair)
    long = hexarena(settings, "new-season", "yavalath", "--name", "x" * 61)
    assert (long.returncode, "1 to 60 characters" in long.stderr) == (2, True), long.stderr
    nowhere = settings.model_copy(update={"database_url": "postgresql://nobody@127.0.0.1:1/none"})
    away = hexarena(nowhere, "seasons", "yavalath")
    assert (away.returncode, "The database refused" in away.stderr) == (2, True), away.stderr
    assert "Traceback" not in long.stderr + away.stderr


def test_the_name_of_a_season_is_no_markup(settings: Settings, database: Database) -> None:
    play(database, newcomers(database, 2))
    begun = hexarena(settings, "new-season", "yavalath", "--name", "[/red] [red]spring")
    assert (begun.returncode, "[/red] [red]spring began" in begun.stdout) == (0, True), begun.stderr
    assert "[/red] [red]spring" in hexarena(settings, "seasons", "yavalath").stdout
