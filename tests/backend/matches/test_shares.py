"""Shares on a real PostgreSQL: what they used, whose turn it is, and when a budget is used up."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from hexarena.backend.errors import TooMany
from hexarena.backend.matches import backlog, life as matches, queue, quotas, shares
from hexarena.backend.matches.shares import DAY, Budgets, spent_of
from hexarena.backend.models import (
    Duel,
    Job,
    Match,
    MatchKind,
    Submission,
    SubmissionState,
    Usage,
    User,
    UserKind,
)
from hexarena.backend.rating.sprt import no_trials
from hexarena.backend.runtime.db import Database

LONG_S = 60.0
NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


def pair(session: Session) -> list[int]:
    live = select(Submission.id).where(Submission.game == "yavalath", Submission.state == SubmissionState.LIVE)
    return list(session.scalars(live.order_by(Submission.id).limit(2)))


def a_guest(session: Session, network: str | None = "home") -> User:
    guest = User(kind=UserKind.GUEST, name="guest", network=network)
    session.add(guest)
    session.flush()
    return guest


def ask(database: Database, network: str) -> int:
    """A practice match that a new guest of this network asks for."""
    with database.transaction() as session:
        guest = a_guest(session, network)
        return matches.schedule(
            session,
            game="yavalath",
            kind=MatchKind.PRACTICE,
            submission_ids=pair(session),
            seed=1,
            league=1,
            requested_by_id=guest.id,
            share=shares.share_of(guest),
        ).id


def ask_in_duel(database: Database, network: str) -> int:
    """A match of a new duel that a new guest of this network asks for."""
    with database.transaction() as session:
        guest = a_guest(session, network)
        candidate, baseline = pair(session)
        duel = Duel(
            game="yavalath",
            requested_by_id=guest.id,
            candidate_id=candidate,
            baseline_id=baseline,
            league=1,
            preset="quick",
            paired=True,
            seed=1,
            most_games=4,
            counts=list(no_trials(True)),
        )
        session.add(duel)
        session.flush()
        return matches.schedule(
            session,
            game="yavalath",
            kind=MatchKind.DUEL,
            submission_ids=[candidate, baseline],
            seed=1,
            league=1,
            duel_id=duel.id,
            duel_game=0,
            share=shares.share_of(guest),
        ).id


def lease(database: Database, *, slots: int = 2) -> list[queue.Lease]:
    with database.transaction() as session:
        return queue.lease(session, limit=slots, seconds=LONG_S, max_attempts=3, share_limit=backlog.share_limit(slots))


def leased(database: Database, *, slots: int = 2) -> list[int]:
    return [one.match_id for one in lease(database, slots=slots)]


def claim(database: Database, one: queue.Lease, took_s: float = 0.0) -> matches.ClaimedMatch:
    """`took_s`: so long ago."""
    with database.transaction() as session:
        claimed = queue.claim(session, one.match_id, one.token, seconds=LONG_S)
        assert claimed is not None
        began = func.now() - timedelta(seconds=took_s)
        session.execute(update(Match).where(Match.id == one.match_id).values(started_at=began))
        return claimed


def report(cpu_s: float) -> matches.Report:
    return matches.Report((0, 1), (1.0, 0.0), "because", 9, (), cpu_s * 1000, "test", "x", "1", "d")


def play(database: Database, network: str, *, cpu_s: float = 1.0, took_s: float = 5.0) -> None:
    """One match of the network, from the request to the result."""
    asked = ask(database, network)
    sent = next(one for one in lease(database, slots=9) if one.match_id == asked)
    claimed = claim(database, sent, took_s)
    with database.transaction() as session:
        assert matches.finish(session, claimed, report(cpu_s))


def test_guests_and_new_accounts_of_a_network_are_one_share_and_an_account_is_its_own() -> None:
    assert shares.share_of(User(id=1, kind=UserKind.GUEST, network="abc")) == "n:abc"
    assert shares.share_of(User(id=2, kind=UserKind.GUEST, network=None)) == "u:2"
    assert shares.share_of(User(id=3, kind=UserKind.ACCOUNT, network=None)) == "u:3"
    assert shares.share_of(User(id=4, kind=UserKind.ACCOUNT, network="abc")) == "n:abc"
    assert shares.share_of(User(id=5, kind=UserKind.TEAM, network=None)) == "u:5"


def test_one_who_floods_waits_behind_himself_only(database: Database) -> None:
    flood = [ask(database, "flood") for _ in range(5)]
    stranger = ask(database, "elsewhere")
    assert leased(database) == [flood[0], stranger]
    assert leased(database) == [], "the flood has what one share may have"
    late = ask(database, "third")
    assert leased(database) == [late]


@pytest.mark.parametrize(("took_s", "slots"), [(None, 1), (5.0, 1), (0.2, 2)])
def test_a_share_takes_every_slot_only_with_matches_that_are_known_to_be_short(
    database: Database, took_s: float | None, slots: int
) -> None:
    """`took_s`: how long the last match took; None: there was none yet."""
    if took_s is not None:
        play(database, "other", took_s=took_s)
    asked = [ask(database, "home") for _ in range(3)]
    assert leased(database) == asked[:slots]


def test_who_used_less_lately_goes_first(database: Database) -> None:
    play(database, "busy")
    busy, fresh = ask(database, "busy"), ask(database, "fresh")
    assert leased(database) == [fresh, busy]


def test_what_was_used_longer_ago_is_forgotten(database: Database) -> None:
    play(database, "busy")
    with database.transaction() as session:
        session.execute(update(Usage).values(minute=func.now() - timedelta(minutes=11)))
    busy, fresh = ask(database, "busy"), ask(database, "fresh")
    assert leased(database) == [busy, fresh]


def test_a_duel_may_have_every_slot_and_its_matches_are_waited_for_by_nobody(database: Database) -> None:
    mine = [ask_in_duel(database, "many") for _ in range(3)]
    leases = lease(database)
    assert [one.match_id for one in leases] == mine[:2]
    assert not any(one.awaited for one in leases)
    claimed = claim(database, leases[0])
    assert not claimed.awaited
    watched = ask(database, "many")
    (first,) = lease(database, slots=1)
    assert (first.match_id, first.awaited) == (watched, True), "whoever has them may watch a match all the same"
    assert claim(database, first).awaited


def test_duels_take_turns_between_shares_and_come_after_practice(database: Database) -> None:
    first, *_ = [ask_in_duel(database, "many") for _ in range(3)]
    other = ask_in_duel(database, "one")
    practice = ask(database, "many")
    found = leased(database, slots=3)
    assert found[0] == practice
    assert set(found[1:]) == {first, other}


def test_what_a_match_used_is_counted_once_for_its_share(database: Database) -> None:
    play(database, "home", cpu_s=1.5, took_s=5)
    play(database, "home", cpu_s=2.0, took_s=7)
    ask(database, "home")
    with database.transaction() as session:
        assert session.scalar(select(func.sum(Usage.cpu_s))) == 3.5
        assert set(session.scalars(select(Usage.share))) == {"n:home"}
        assert shares.recent_s(session)["n:home"] >= 12
        assert shares.spent(session, "n:home", 0).cpu_s == 3.5


def test_a_match_that_nobody_asked_for_is_counted_for_nobody(database: Database) -> None:
    with database.transaction() as session:
        matches.schedule(
            session, game="yavalath", kind=MatchKind.LADDER, submission_ids=pair(session), seed=1, league=1
        )
    claimed = claim(database, lease(database)[0])
    with database.transaction() as session:
        assert matches.finish(session, claimed, report(9))
        assert session.scalars(select(Usage.share)).all() == []


def test_an_attempt_that_we_failed_costs_no_budget_and_a_build_does(database: Database) -> None:
    ask(database, "home")
    claimed = claim(database, lease(database)[0])
    with database.transaction() as session:
        assert queue.hand_back(session, claimed, "The machine was overloaded.", max_attempts=3)
        assert session.scalars(select(Usage.cpu_s)).all() == [0]
    claimed = claim(database, lease(database)[0], took_s=5)
    with database.transaction() as session:
        assert matches.void(session, claimed, "The code could not be built.")
        assert (session.scalar(select(func.sum(Usage.cpu_s))) or 0) >= 5


def test_old_usage_is_deleted(database: Database) -> None:
    play(database, "home")
    with database.transaction() as session:
        shares.prune(session)
        assert session.scalar(select(func.count()).select_from(Usage)) == 1
        session.execute(update(Usage).values(minute=func.now() - timedelta(hours=25)))
        shares.prune(session)
        assert session.scalar(select(func.count()).select_from(Usage)) == 0


def test_a_budget_is_over_when_it_is_used_up_until_enough_of_it_is_a_day_old() -> None:
    minutes = [(NOON + timedelta(hours=hour), 10.0) for hour in range(4)]
    assert spent_of(minutes, 0).again_at is None
    assert spent_of(minutes, 41).again_at is None
    assert spent_of(minutes, 40).again_at == NOON + DAY
    assert spent_of(minutes, 25).again_at == NOON + timedelta(hours=1) + DAY
    assert spent_of(minutes, 1).again_at == NOON + timedelta(hours=3) + DAY
    assert spent_of(minutes, 1).cpu_s == 40


def test_whose_budget_is_used_up_may_ask_for_no_more(database: Database) -> None:
    play(database, "home", cpu_s=30)
    little = quotas.Quotas(budgets=Budgets(guest_s=20, account_s=50))
    with database.transaction() as session:
        quotas.check_budget(session, a_guest(session, "elsewhere"), little)
        with pytest.raises(TooMany) as refused:
            quotas.check_budget(session, a_guest(session, "home"), little)
    assert (refused.value.expected, refused.value.got) == ("less than 20 s of CPU time in 24 hours", "30 s")
    assert 23 * 3600 < refused.value.retry_s <= 24 * 3600
    when = re.search(r"more from (\S+ \S+) UTC\.", refused.value.detail)
    assert when
    again = datetime.strptime(when[1], "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
    assert timedelta(hours=23) < again - datetime.now(UTC) <= timedelta(hours=24), "tomorrow"


def test_places_and_waits_follow_the_fair_order(database: Database) -> None:
    flood = [ask(database, "flood") for _ in range(3)]
    stranger = ask(database, "elsewhere")
    with database.transaction() as session:
        ladder = matches.schedule(
            session, game="yavalath", kind=MatchKind.LADDER, submission_ids=pair(session), seed=1, league=1
        ).id
        found = backlog.Snapshot.read(session, 2).places()
        unknown = backlog.Snapshot.read(session, 0).places()
    assert [found[one].number for one in (flood[0], stranger, flood[1], flood[2], ladder)] == [1, 2, 3, 4, 5]
    waits = [found[one].wait_s or 0 for one in (flood[0], stranger, flood[1], flood[2])]
    assert waits[:2] == [0, 0]
    assert 0 < waits[2] < waits[3]
    assert found[ladder].wait_s is None
    assert unknown[stranger].wait_s is None, "no worker is up"


def test_a_match_that_was_queued_since_has_the_place_that_a_new_look_would_find(database: Database) -> None:
    first = [ask(database, "flood") for _ in range(3)]
    with database.transaction() as session:
        queue = backlog.Snapshot.read(session, 2)
        assert queue.with_matches(session, [10**9]) is queue, "of no such match"
    stranger, again = ask(database, "elsewhere"), ask(database, "flood")
    assert set(queue.places()) == set(first)
    with database.transaction() as session:
        queue = queue.with_matches(session, [again, stranger])
        assert queue.places() == backlog.Snapshot.read(session, 2).places()
        assert queue.places()[stranger].number == 2


def test_matches_that_sleep_lend_out_their_slots_but_not_to_their_own_share(database: Database) -> None:
    sleeping = [ask(database, "a"), ask(database, "b")]
    for one in lease(database):
        claim(database, one)
    ask(database, "a")
    ask(database, "b")
    stranger = ask(database, "c")
    with database.transaction() as session:
        assert backlog.in_flight(session) == (2, 0)
        session.execute(update(Job).where(Job.match_id.in_(sleeping)).values(asleep=True))
    with database.transaction() as session:
        assert backlog.in_flight(session, spare=1) == (1, 0), "only as many as there are processes for"
        assert backlog.in_flight(session, spare=2) == (0, 0)
    assert leased(database) == [stranger]
