"""Event streams of one client are limited, and their places are free again once its pages are closed."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse

import pytest
from itsdangerous import URLSafeSerializer
from uvicorn import Config

from hexarena.backend.accounts import life as accounts, sessions, tokens
from hexarena.backend.accounts.permissions import Scope
from hexarena.backend.api.cookies import COOKIE, SESSION_COOKIE
from hexarena.backend.api.middleware.connections import GuardedServer, Limits, protocol_of
from hexarena.backend.api.streaming.streams import Streams
from hexarena.backend.app import make_app
from hexarena.backend.errors import TooMany
from hexarena.backend.models import User, UserKind
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.settings import Settings
from tests.conftest import PATIENCE_S, wait_until

API = "/api/v1"
HOME, ELSEWHERE = "203.0.113.9", "198.51.100.1"
PROXY = "127.0.0.1"


@contextmanager
def serving(settings: Settings, **limits: int | str) -> Iterator[int]:
    """The application on a real socket, behind a proxy on this machine unless `limits` say otherwise: its port."""
    chosen = settings.model_copy(update={"streams_each": 2, "proxies": PROXY, **limits})
    app = make_app(chosen)
    config = Config(
        app,
        http=protocol_of(Limits(proxies=PROXY)),
        ws="none",
        log_level="critical",
        proxy_headers=False,  # as in `serve`: the application reads them
        timeout_graceful_shutdown=1,
    )

    def end_streams() -> None:
        app.state.arena.end_streams()

    server = GuardedServer(config, before_shutdown=end_streams)
    listening = socket.create_server((PROXY, 0))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])))
    thread.start()
    try:
        wait_until(lambda: server.started, "the server listens")
        yield int(listening.getsockname()[1])
    finally:
        server.handle_exit(signal.SIGTERM, None)
        thread.join(PATIENCE_S)
        listening.close()


def ask(port: int, client: str, path: str = "/feed") -> tuple[HTTPConnection, HTTPResponse]:
    """As a proxy passes it on for this client. The connection stays open."""
    connection = HTTPConnection(PROXY, port, timeout=PATIENCE_S)
    connection.request("GET", f"{API}{path}", headers={"X-Forwarded-For": client, "Host": "testserver"})
    return connection, connection.getresponse()


def close(connection: HTTPConnection, answer: HTTPResponse) -> None:
    """The client goes away."""
    answer.close()
    connection.close()


def test_streams_of_one_client_are_limited_also_behind_a_proxy(settings: Settings) -> None:
    with serving(settings) as port:
        open_ones = [ask(port, HOME) for _ in range(2)]
        assert [answer.status for _, answer in open_ones] == [200, 200]
        connection, refused = ask(port, HOME)
        problem = json.loads(refused.read())
        assert (refused.status, problem["status"]) == (429, 429)
        assert problem["expected"] == "at most 2 event streams of one address at once"
        assert refused.headers["Retry-After"] == "10"
        assert refused.headers["RateLimit-Policy"] == '"event-streams";q=2;qu="concurrent-requests"'
        close(connection, refused)
        stranger = ask(port, ELSEWHERE)
        assert stranger[1].status == 200, "another client of the same proxy"

        close(*open_ones.pop())

        def admitted() -> bool:
            again = ask(port, HOME)
            if again[1].status == 200:
                open_ones.append(again)
                return True
            close(*again)
            return False

        wait_until(admitted, "the place of a stream that was closed is free")
        for one in [*open_ones, stranger]:
            close(*one)


def test_what_is_no_stream_takes_no_place(settings: Settings) -> None:
    with serving(settings) as port:
        for path in ["/matches/999/live", "/feed?game=nope"] * 3:
            connection, answer = ask(port, HOME, path)
            assert answer.status == 404
            answer.read()
            close(connection, answer)
        one = ask(port, HOME)
        assert one[1].status == 200
        close(*one)


def test_places_are_counted_for_each_client_by_itself() -> None:
    streams = Streams(1)
    with streams.place(HOME), streams.place(ELSEWHERE), pytest.raises(TooMany), streams.place(HOME):
        pytest.fail("there is one place")
    with streams.place(HOME):
        pass


def test_the_limit_of_streams_can_be_turned_off() -> None:
    streams = Streams(0)
    with streams.place(HOME), streams.place(HOME), streams.place(HOME):
        pass


def test_a_server_that_stops_ends_its_streams_in_order(settings: Settings) -> None:
    """A client that reads to the end sees the end, and no connection that broke."""
    with serving(settings) as port:
        connection, answer = ask(port, HOME)
        assert answer.readline() == b"event: hello\n"
    rest = answer.read()
    assert rest.startswith(b"data: {}\n")
    assert answer.isclosed()
    close(connection, answer)


def test_the_former_address_streams_to_whoever_accepts_a_stream(settings: Settings) -> None:
    """Until 0.3 the stream was where the list of events is now."""
    with serving(settings) as port:
        for accept, kind in (("text/event-stream", "text/event-stream"), ("*/*", "application/json")):
            connection = HTTPConnection(PROXY, port, timeout=PATIENCE_S)
            connection.request("GET", f"{API}/events", headers={"Accept": accept, "Host": "testserver"})
            answer = connection.getresponse()
            assert (answer.status, answer.headers["Content-Type"].split(";")[0]) == (200, kind)
            close(connection, answer)


@pytest.mark.long
def test_a_stream_ends_with_the_token_or_the_session_of_who_reads_it(settings: Settings, database: Database) -> None:
    with database.transaction() as session:
        user = accounts.sign_up(session, None, name="Ada", password="correct horse")
        secret = sessions.begin(session, user, "a test")
        token, token_secret = tokens.create(session, user, "script", [Scope.READ])
        user_id, token_id = user.id, token.id
    with serving(settings, streams_each=0) as port:
        streams = {
            name: watched(port, **headers)
            for name, headers in {
                "token": {"Authorization": f"Bearer {token_secret}"},
                "session": {"Cookie": f"{SESSION_COOKIE}={secret}"},
                "nobody": {},
            }.items()
        }
        with database.transaction() as session:
            tokens.revoke(session, user_id, token_id)
        streams["token"].join(PATIENCE_S)
        assert [name for name, stream in streams.items() if stream.is_alive()] == ["session", "nobody"]
        with database.transaction() as session:
            sessions.end_others(session, user_id, None)
        streams["session"].join(PATIENCE_S)
        assert [name for name, stream in streams.items() if stream.is_alive()] == ["nobody"]
    streams["nobody"].join(PATIENCE_S)


@pytest.mark.long
def test_a_guest_s_stream_ends_when_he_signs_up_and_becomes_an_account_that_has_sessions(
    settings: Settings, database: Database
) -> None:
    with database.transaction() as session:
        guest, other = User(kind=UserKind.GUEST, name="guest"), User(kind=UserKind.GUEST, name="other guest")
        session.add_all([guest, other])
        session.flush()
        signer = URLSafeSerializer(settings.signing_key(), salt="user")
        cookies = {one.name: f"{COOKIE}={signer.dumps(one.id)}" for one in (guest, other)}
    with serving(settings, streams_each=0) as port:
        streams = {name: watched(port, Cookie=cookie) for name, cookie in cookies.items()}
        with database.transaction() as session:
            accounts.sign_up(session, session.get_one(User, guest.id), name="Ada", password="correct horse")
        streams["guest"].join(PATIENCE_S)
        assert [name for name, stream in streams.items() if stream.is_alive()] == ["other guest"]
    streams["other guest"].join(PATIENCE_S)


def watched(port: int, **headers: str) -> threading.Thread:
    """A thread that reads an open stream and ends with it."""
    connection = HTTPConnection(PROXY, port, timeout=PATIENCE_S)
    connection.request("GET", f"{API}/feed", headers={"Host": "testserver", **headers})
    answer = connection.getresponse()
    assert answer.status == 200

    def read() -> None:
        answer.read()
        close(connection, answer)

    reading = threading.Thread(target=read, daemon=True)
    reading.start()
    return reading
