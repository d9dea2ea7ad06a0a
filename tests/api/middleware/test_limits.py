"""Limits over HTTP: each refusal says why, what the limit is, and when to try again."""

from __future__ import annotations

import hashlib
import io
import random
import re
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier
from typing import Any

import pytest
from fastapi.testclient import TestClient
from redis import Redis
from sqlalchemy import func, select
from starlette.requests import Request

from hexarena.backend.api.middleware import limits
from hexarena.backend.api.middleware.addresses import client_address
from hexarena.backend.api.middleware.guard import LOCAL_HEADER
from hexarena.backend.api.middleware.limits import (
    LATELY_S,
    SIGN_INS_OF_NAME_THERE,
    Limiter,
    network_key,
    wide_network,
)
from hexarena.backend.app import make_app
from hexarena.backend.errors import TooMany
from hexarena.backend.models import Job, Usage, User
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings

API = "/api/v1"
RIGHT, WRONG = "correct horse", "wrong password"
HOME, NEIGHBOUR, ELSEWHERE = "192.0.2.7", "192.0.2.8", "198.51.100.1"


def visitor(settings: Settings, address: str = HOME, **changes: Any) -> TestClient:
    """Somebody without a cookie; use it as a context manager."""
    app = make_app(settings.model_copy(update=changes))
    return TestClient(app, base_url="http://testserver", client=(address, 50_000))


def practise(client: TestClient, source: str = "print('4 4')") -> Any:
    return client.post(f"{API}/matches", json={"game": "yavalath", "language": "python", "source": source})


def practise_as_new_guest(client: TestClient) -> Any:
    client.cookies.clear()
    return practise(client)


def zipped(size: int) -> bytes:
    """A bot that plays, beside a file of noise that does not get smaller."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("bot.py", "print('4 4')")
        archive.writestr("noise.txt", random.Random(size).randbytes(size // 2).hex())
    return packed.getvalue()


def asked_from(address: str) -> str:
    return client_address(Request({"type": "http", "client": (address, 1), "headers": []}))


def test_a_network_is_an_address_or_the_half_of_one_that_a_home_has() -> None:
    assert asked_from(HOME) == HOME
    assert asked_from("2001:db8:1:2:3::4") == asked_from("2001:db8:1:2:ffff::1") == "2001:db8:1:2::/64"
    assert asked_from("::ffff:192.0.2.7") == HOME
    assert asked_from("fe80::1%eth0") == "fe80::/64"
    assert asked_from("testclient") == "unknown"
    assert client_address(Request({"type": "http", "client": None, "headers": []})) == "unknown"


def test_around_a_network_is_what_a_provider_gives_out() -> None:
    assert wide_network(HOME) == wide_network(NEIGHBOUR) == "192.0.2.0/24"
    assert wide_network("2001:db8:1:2::/64") == wide_network("2001:db8:1:ffff::/64") == "2001:db8:1::/48"
    assert wide_network("testclient") == "testclient"


def test_guests_who_come_at_once_are_counted_one_by_one(settings: Settings) -> None:
    with closing(Limiter(settings.model_copy(update={"guests_per_minute": 5}))) as limiter:
        everybody_asked = Barrier(20)

        def come(_: int) -> bool:
            everybody_asked.wait()
            try:
                limiter.admit(HOME)
            except TooMany:
                return False
            return True

        with ThreadPoolExecutor(20) as pool:
            assert sum(pool.map(come, range(20))) == 5


def test_addresses_are_not_stored(settings: Settings, database: Database) -> None:
    with visitor(settings) as client:
        practise(client)
    with database.transaction() as session:
        stored = session.scalars(select(User.network).where(User.network.is_not(None))).one()
    assert stored == network_key("for tests only", HOME)
    assert stored not in {network_key("another key", HOME), hashlib.blake2b(HOME.encode(), digest_size=12).hexdigest()}


def test_new_guests_of_an_address_are_limited(settings: Settings) -> None:
    with visitor(settings, guests_per_minute=3) as client:
        assert [practise_as_new_guest(client).status_code for _ in range(3)] == [201] * 3
        refused = practise_as_new_guest(client)
    assert refused.status_code == 429
    assert refused.json()["expected"] == "at most 3 new guests a minute from one address"
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert refused.headers["RateLimit-Policy"] == '"guests-of-address";q=3;w=60'
    assert re.fullmatch(r'"guests-of-address";r=0;t=\d+', refused.headers["RateLimit"])
    assert "set-cookie" not in refused.headers
    with visitor(settings, ELSEWHERE, guests_per_minute=3) as stranger:
        assert practise(stranger).status_code == 201


def test_a_guest_of_a_crowded_address_is_still_served(settings: Settings) -> None:
    with visitor(settings, guests_per_minute=1) as client:
        assert practise(client).status_code == 201
        assert practise(client).status_code == 201, "only new guests are counted"


def test_new_guests_of_the_network_around_an_address_are_limited(settings: Settings) -> None:
    codes = []
    for last in range(3):
        with visitor(settings, f"192.0.2.{last + 1}", guests_per_minute=1) as client:
            codes.append(practise(client))
    assert [one.status_code for one in codes] == [201, 201, 429]
    assert codes[2].json()["expected"] == "at most 2 new guests a minute from one network"


def test_the_limit_can_be_turned_off(settings: Settings) -> None:
    limiter = Limiter(settings.model_copy(update={"guests_per_minute": 0}))
    for _ in range(100):
        limiter.admit(HOME)


def test_an_arena_without_broker_goes_on(settings: Settings) -> None:
    limiter = Limiter(settings.model_copy(update={"redis_url": "redis://127.0.0.1:1", "guests_per_minute": 1}))
    for _ in range(3):
        limiter.admit(HOME)


def test_guests_are_counted_for_each_arena_by_itself(settings: Settings) -> None:
    here = settings.model_copy(update={"guests_per_minute": 1})
    Limiter(here).admit(HOME)
    with pytest.raises(TooMany):
        Limiter(here).admit(HOME)
    Limiter(here.model_copy(update={"namespace": f"{settings.namespace}-other"})).admit(HOME)


def test_matches_in_the_queue_are_limited_for_all_guests_of_a_network(settings: Settings, database: Database) -> None:
    with visitor(settings, queue_per_network=4) as client:
        assert [practise_as_new_guest(client).status_code for _ in range(4)] == [201] * 4
        refused = practise_as_new_guest(client)
    assert refused.status_code == 429
    assert refused.json()["expected"] == "fewer than 4 matches of your network in the queue"
    assert refused.headers["RateLimit-Policy"] == '"matches-of-network";q=4;qu="concurrent-requests"'
    with visitor(settings, NEIGHBOUR, queue_per_network=4) as stranger:
        found = practise(stranger)
    assert found.status_code == 201
    assert found.json()["queue_place"] == 2, "after the first match of the others, before all the rest"
    with database.transaction() as session:
        assert session.scalar(select(func.count(Job.share.distinct()))) == 2


def test_a_day_has_a_budget_and_everybody_can_see_it(settings: Settings, database: Database) -> None:
    with visitor(settings, guest_cpu_s=100) as client:
        assert client.get(f"{API}/me").json()["usage"] is None
        assert practise(client).status_code == 201
        with database.transaction() as session:
            share = session.scalars(select(Job.share)).one()
            minute = func.date_trunc("minute", func.now())
            session.add(Usage(share=share, minute=session.scalar(select(minute)), slot_s=200, cpu_s=120))
        refused = practise(client)
        usage = client.get(f"{API}/me").json()["usage"]
    assert refused.status_code == 429
    assert (refused.json()["expected"], refused.json()["got"]) == ("less than 100 s of CPU time in 24 hours", "120 s")
    assert " UTC." in refused.json()["detail"]
    assert 23 * 3600 < int(refused.headers["Retry-After"]) <= 24 * 3600
    assert refused.headers["RateLimit-Policy"] == '"cpu-seconds";q=100;qu="cpu-seconds";w=86400'
    assert (usage["cpu_s"], usage["cpu_budget_s"]) == (120, 100)
    assert usage["cpu_again_at"]


def submit_zip(client: TestClient, size: int) -> Any:
    data = {"game": "yavalath", "bot": f"bot {size}"}
    return client.post(f"{API}/submissions/file", data=data, files={"file": ("bot.zip", zipped(size))})


def test_source_code_is_limited_for_each_guest(settings: Settings) -> None:
    with visitor(settings, guest_bytes=100_000) as client:
        assert submit_zip(client, 90_000).status_code == 201
        refused = submit_zip(client, 90_001)
        again = submit_zip(client, 90_000)
        usage = client.get(f"{API}/me").json()["usage"]
    assert refused.status_code == 429
    assert refused.json()["expected"] == "at most 100,000 bytes in all"
    assert refused.headers["RateLimit-Policy"] == '"bytes-of-yours";q=100000;qu="content-bytes"'
    assert again.status_code == 409, "the same code takes no more room; but it is still being checked"
    assert 0 < usage["bytes"] <= usage["bytes_quota"] == 100_000


def test_source_code_is_limited_for_all_guests_of_a_network(settings: Settings) -> None:
    codes = []
    with visitor(settings, network_bytes=150_000) as client:
        for size in (90_000, 90_001):
            client.cookies.clear()
            codes.append(submit_zip(client, size))
    assert [one.status_code for one in codes] == [201, 429]
    assert codes[1].headers["RateLimit-Policy"] == '"bytes-of-network";q=150000;qu="content-bytes"'
    with visitor(settings, ELSEWHERE, network_bytes=150_000) as stranger:
        assert submit_zip(stranger, 90_002).status_code == 201


def test_drafts_of_practice_matches_take_room_for_a_day(settings: Settings, database: Database) -> None:
    with visitor(settings, guest_bytes=100) as client:
        assert practise(client, "print('4 4')" + " " * 70).status_code == 201
        assert practise(client, "print('3 3')" + " " * 70).status_code == 429
        with database.transaction() as session:
            session.execute(select(func.now()))
            session.connection().exec_driver_sql("UPDATE submission SET created_at = now() - interval '25 hours'")
        assert practise(client, "print('3 3')" + " " * 70).status_code == 201


def test_the_only_user_of_an_arena_without_isolation_has_no_limits(settings: Settings) -> None:
    least = {"guests_per_minute": 1, "queue_per_network": 1, "guest_cpu_s": 1, "guest_bytes": 1, "network_bytes": 1}
    with visitor(settings, sandbox="none", **least) as client:
        client.headers[LOCAL_HEADER] = settings.local_token()
        assert [practise_as_new_guest(client).status_code for _ in range(3)] == [201] * 3
        usage = client.get(f"{API}/me").json()["usage"]
    assert (usage["cpu_budget_s"], usage["bytes_quota"]) == (None, None)


def attempt(settings: Settings, address: str, name: str = "Ada", password: str = WRONG) -> Any:
    """To sign in, once."""
    with visitor(settings, address) as somebody:
        return somebody.post(f"{API}/sign-in", json={"name": name, "password": password})


def codes_of(answers: list[Any]) -> list[int]:
    return [one.status_code for one in answers]


@pytest.fixture
def ada(settings: Settings) -> None:
    """Has an account, and signed up at home."""
    with visitor(settings) as client:
        assert client.post(f"{API}/sign-up", json={"name": "Ada", "password": RIGHT}).status_code == 201


@pytest.mark.usefixtures("ada")
def test_passwords_cannot_be_guessed_quickly_from_one_address(settings: Settings) -> None:
    """However the name is written."""
    ways = ["Ada", "ada", " Ada", "ADA  "] * 3
    answers = [attempt(settings, ELSEWHERE, name) for name in ways]
    assert codes_of(answers) == [401] * SIGN_INS_OF_NAME_THERE + [429] * (12 - SIGN_INS_OF_NAME_THERE)
    assert answers[-1].json()["expected"] == "at most 10 a minute for one name from one address"
    assert answers[-1].headers["RateLimit-Policy"] == '"sign-ins-of-name-there";q=10;w=60'
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 60
    assert attempt(settings, ELSEWHERE, password=RIGHT).status_code == 429


@pytest.mark.long
@pytest.mark.usefixtures("ada")
def test_nobody_elsewhere_keeps_the_owner_of_a_name_out(settings: Settings) -> None:
    assert attempt(settings, ELSEWHERE).status_code == 401
    for _ in range(SIGN_INS_OF_NAME_THERE + 2):
        refused = attempt(settings, ELSEWHERE)
    assert refused.status_code == 429
    assert attempt(settings, HOME, password=RIGHT).status_code == 200
    assert attempt(settings, "203.0.113.9", password=RIGHT).status_code == 200, "from an address that is new, too"


@pytest.mark.usefixtures("ada")
def test_passwords_cannot_be_guessed_quickly_from_many_addresses(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The owner gets in all the same where he signed in before."""
    monkeypatch.setattr(limits, "SIGN_INS_OF_NAME", 5)
    answers = [attempt(settings, f"198.51.100.{last + 1}") for last in range(7)]
    assert codes_of(answers) == [401] * 5 + [429] * 2
    assert answers[-1].json()["expected"] == "at most 5 a minute for one name"
    assert attempt(settings, HOME, password=RIGHT).status_code == 200
    assert attempt(settings, NEIGHBOUR, password=RIGHT).status_code == 429
    assert attempt(settings, HOME).status_code == 401


@pytest.mark.long
@pytest.mark.usefixtures("ada")
def test_only_failed_attempts_count_for_a_name_at_an_address(settings: Settings) -> None:
    for _ in range(SIGN_INS_OF_NAME_THERE + 2):
        assert attempt(settings, HOME, password=RIGHT).status_code == 200


def test_many_names_cannot_be_tried_quickly_from_one_address(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SIGN_INS_OF_ADDRESS", 5)
    answers = [attempt(settings, ELSEWHERE, f"Somebody {number}") for number in range(6)]
    assert codes_of(answers) == [401] * 5 + [429]
    assert answers[-1].json()["expected"] == "at most 5 a minute for one address"


def test_where_somebody_signed_in_is_kept_as_a_hash_and_for_30_days(settings: Settings, ada: None) -> None:
    with Redis.from_url(settings.redis_url, decode_responses=True) as broker:
        keys = list(broker.scan_iter(f"{settings.namespace}:signed-in:*"))
        left_s = broker.ttl(keys[0])
    assert re.fullmatch(rf"{re.escape(settings.namespace)}:signed-in:[0-9a-f]+", "".join(keys))
    assert 0 < left_s <= LATELY_S


def test_people_sign_in_to_an_arena_without_broker(settings: Settings) -> None:
    limiter = Limiter(settings.model_copy(update={"redis_url": "redis://127.0.0.1:1"}))
    for _ in range(SIGN_INS_OF_NAME_THERE + 1):
        limiter.admit_sign_in(HOME, "Ada")
    limiter.remember_sign_in(HOME, "Ada")
