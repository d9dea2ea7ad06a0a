"""An account that anybody could make counts for its address while it is new, as guests do; others never do."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select, update

from hexarena.backend.accounts import invites, life as accounts
from hexarena.backend.accounts.life import Claims
from hexarena.backend.api.middleware.limits import network_key
from hexarena.backend.duels import life as duels
from hexarena.backend.matches.shares import AROUND_DIGITS, share_of
from hexarena.backend.models import Job, User, UserKind, UserRole
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from tests.api.middleware.test_limits import (
    API,
    ELSEWHERE,
    HOME,
    NEIGHBOUR,
    practise,
    practise_as_new_guest,
    submit_zip,
    visitor,
)
from tests.api.test_accounts import PASSWORD

KEY = network_key("for tests only", HOME)


def sign_up(client: TestClient, name: str, **more: Any) -> Any:
    return client.post(f"{API}/sign-up", json={"name": name, "password": PASSWORD, **more})


def as_new_account(client: TestClient, name: str, **more: Any) -> TestClient:
    """The same browser, without cookies, as somebody who has just signed up."""
    client.cookies.clear()
    answer = sign_up(client, name, **more)
    assert answer.status_code == 201, answer.text
    return client


def network_of(database: Database, name: str) -> str | None:
    with database.transaction() as session:
        return session.scalars(select(User.network).where(User.name == name)).one()


def age(database: Database, days: int) -> None:
    """All accounts are so many days older."""
    with database.transaction() as session:
        session.execute(update(User).values(created_at=User.created_at - timedelta(days=days)))


def forget(database: Database, days: int = 7) -> None:
    with database.transaction() as session:
        accounts.forget_networks(session, days)


@pytest.mark.long
def test_guests_and_new_accounts_of_an_address_share_its_places_in_the_queue(
    settings: Settings, database: Database
) -> None:
    with visitor(settings, queue_per_network=4) as client:
        assert [practise_as_new_guest(client).status_code for _ in range(2)] == [201] * 2
        assert [practise(as_new_account(client, name)).status_code for name in ("Ada", "Grace")] == [201] * 2
        refused = practise(as_new_account(client, "Hedy"))
    assert refused.status_code == 429
    assert refused.json()["expected"] == "fewer than 4 matches of your network in the queue"
    with visitor(settings, ELSEWHERE, queue_per_network=4) as stranger:
        found = practise(as_new_account(stranger, "Stranger"))
    assert found.json()["queue_place"] == 2, "the others are one share, and one of theirs is first"
    with database.transaction() as session:
        assert session.scalar(select(func.count(Job.share.distinct()))) == 2


@pytest.mark.long
def test_the_network_around_an_address_has_twice_its_places_in_the_queue(settings: Settings) -> None:
    codes = []
    for last in (1, 1, 2, 2, 3):
        with visitor(settings, f"192.0.2.{last}", queue_per_network=2) as client:
            codes.append(practise(client))
    assert [one.status_code for one in codes] == [201] * 4 + [429]
    assert codes[-1].json()["expected"] == "fewer than 4 matches of the network around yours in the queue"
    assert codes[-1].headers["RateLimit-Policy"] == '"matches-of-wider-network";q=4;qu="concurrent-requests"'
    with visitor(settings, ELSEWHERE, queue_per_network=2) as stranger:
        assert practise(stranger).status_code == 201


def test_the_key_of_an_address_begins_with_that_of_the_network_around_it() -> None:
    neighbour, elsewhere = (network_key("for tests only", one) for one in (NEIGHBOUR, ELSEWHERE))
    assert KEY[:AROUND_DIGITS] == neighbour[:AROUND_DIGITS] != elsewhere[:AROUND_DIGITS]
    assert len({KEY, neighbour, elsewhere}) == 3
    assert len(KEY) == 2 * AROUND_DIGITS


def test_a_guest_known_by_an_older_kind_of_key_gets_one_of_today(settings: Settings, database: Database) -> None:
    with visitor(settings) as client:
        assert practise(client).status_code == 201
        with database.transaction() as session:
            session.execute(update(User).where(User.kind == UserKind.GUEST).values(network="0123456789abcdef01234567"))
        assert practise(client).status_code == 201
    with database.transaction() as session:
        assert session.scalars(select(User.network).where(User.kind == UserKind.GUEST)).one() == KEY


def test_new_accounts_of_an_address_and_of_the_network_around_it_are_limited(settings: Settings) -> None:
    with visitor(settings, guests_per_minute=1) as client:
        as_new_account(client, "Ada")
        client.cookies.clear()
        refused = sign_up(client, "Grace")
    assert refused.status_code == 429
    assert refused.json()["expected"] == "at most 1 new accounts a minute from one address"
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert refused.headers["RateLimit-Policy"] == '"accounts-of-address";q=1;w=60'
    assert re.fullmatch(r'"accounts-of-address";r=0;t=\d+', refused.headers["RateLimit"])
    with visitor(settings, NEIGHBOUR, guests_per_minute=1) as neighbour:
        as_new_account(neighbour, "Hedy")
    with visitor(settings, "192.0.2.9", guests_per_minute=1) as third:
        beyond = sign_up(third, "Joan")
    assert beyond.status_code == 429
    assert beyond.json()["expected"] == "at most 2 new accounts a minute from one network"


def test_whoever_was_invited_is_neither_limited_nor_counted_for_the_address(
    settings: Settings, database: Database
) -> None:
    with database.transaction() as session:
        _, code = invites.create(session, uses=3, days=1, note="class of 2026", role=UserRole.USER)
    with visitor(settings, guests_per_minute=1, queue_per_network=1) as client:
        for name in ("Ada", "Grace", "Hedy"):
            assert practise(as_new_account(client, name, invite=code)).status_code == 201
    assert network_of(database, "Ada") is None


def test_who_is_known_by_a_provider_or_made_by_an_organiser_counts_for_himself(database: Database) -> None:
    claims = Claims("uni", "7", ("Ada",), None)
    with database.transaction() as session:
        guest = User(kind=UserKind.GUEST, name="guest", network=KEY)
        session.add(guest)
        session.flush()
        assert accounts.sign_up_by_oidc(session, guest, claims, UserRole.USER).network is None
        assert accounts.sign_up(session, None, name="Imported", password=PASSWORD).network is None
        linked = accounts.sign_up(session, None, name="Grace", password=PASSWORD, network=KEY)
        assert share_of(linked) == f"n:{KEY}"
        accounts.link(session, linked, Claims("uni", "8", ("Grace",), None))
        assert share_of(linked) == f"u:{linked.id}"
        chosen = accounts.sign_up(session, None, name="Olga", password=PASSWORD, network=KEY)
        assert accounts.set_role(session, chosen.id, UserRole.ORGANISER).network is None


def test_after_its_first_days_an_account_is_a_share_of_its_own_and_its_address_is_forgotten(
    settings: Settings, database: Database
) -> None:
    with visitor(settings, queue_per_network=1) as client:
        assert practise(as_new_account(client, "Ada")).status_code == 201
        assert network_of(database, "Ada") == KEY
        assert practise(client).status_code == 429
        age(database, days=6)
        forget(database)
        assert practise(client).status_code == 429
        age(database, days=1)
        forget(database)
        assert network_of(database, "Ada") is None
        assert practise(client).status_code == 201


def test_a_guests_address_is_not_forgotten(settings: Settings, database: Database) -> None:
    with visitor(settings) as client:
        practise(client)
    age(database, days=30)
    forget(database)
    with database.transaction() as session:
        assert session.scalars(select(User.network).where(User.kind == UserKind.GUEST)).one() == KEY


def test_an_account_is_new_from_the_day_on_which_the_guest_signed_up(settings: Settings, database: Database) -> None:
    with visitor(settings) as client:
        practise(client)
        age(database, days=30)
        assert sign_up(client, "Ada").status_code == 201
    forget(database)
    assert network_of(database, "Ada") == KEY


def test_no_days_no_address(settings: Settings, database: Database) -> None:
    with visitor(settings, new_account_days=0, queue_per_network=1) as client:
        assert practise(as_new_account(client, "Ada")).status_code == 201
        assert practise(as_new_account(client, "Grace")).status_code == 201
    assert network_of(database, "Ada") is None


def test_a_guest_who_signs_up_keeps_his_matches_in_the_queue(settings: Settings, database: Database) -> None:
    with visitor(settings, queue_per_network=2) as client:
        match = practise(client).json()
        assert sign_up(client, "Ada").status_code == 201
        assert client.get(f"{API}/matches/{match['id']}").json()["state"] == "queued"
        assert practise(client).status_code == 201
        assert practise(client).status_code == 429, "the one that he brought along counts, too"
    with database.transaction() as session:
        assert session.scalars(select(Job.share).distinct()).all() == [f"n:{KEY}"]


@pytest.mark.long
def test_source_code_is_limited_for_all_new_accounts_and_guests_of_a_network(settings: Settings) -> None:
    with visitor(settings, network_bytes=150_000) as client:
        assert submit_zip(client, 90_000).status_code == 201
        refused = submit_zip(as_new_account(client, "Ada"), 90_001)
        draft = f"{API}/me/drafts/yavalath/python"
        kept = client.put(draft, json={"source": "#" * 40_000, "based_on": 0})
        changed = client.put(draft, json={"source": "#" * 50_000, "based_on": 1})
        beyond = as_new_account(client, "Grace").put(draft, json={"source": "#" * 40_000, "based_on": 0})
    assert refused.status_code == 429
    assert refused.headers["RateLimit-Policy"] == '"bytes-of-network";q=150000;qu="content-bytes"'
    assert (kept.status_code, changed.status_code, beyond.status_code) == (200, 200, 429)
    with visitor(settings, ELSEWHERE, network_bytes=150_000) as stranger:
        assert submit_zip(as_new_account(stranger, "Hedy"), 90_002).status_code == 201


def test_running_duels_are_limited_for_all_new_accounts_of_a_network(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duels, "RUNNING_PER_SHARE", 2)
    with visitor(settings) as client:
        board = client.get(f"{API}/games/yavalath/leaderboard?limit=2").json()["items"]
        candidate, baseline = (one["submission_id"] for one in board)
        body = {"game": "yavalath", "candidate": candidate, "baseline": baseline, "preset": "fine"}
        answers = [as_new_account(client, name).post(f"{API}/duels", json=body) for name in ("Ada", "Grace", "Hedy")]
    assert [one.status_code for one in answers] == [201, 201, 429]
    assert answers[-1].json()["expected"] == "fewer than 2 running duels of your network"
    with visitor(settings, ELSEWHERE) as stranger:
        assert as_new_account(stranger, "Joan").post(f"{API}/duels", json=body).status_code == 201
