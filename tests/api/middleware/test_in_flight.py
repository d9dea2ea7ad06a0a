"""Requests of one client in flight are limited, also behind a proxy, where all connections are the proxy's."""

from __future__ import annotations

import json
import socket

import pytest

from hexarena.backend.runtime.settings import Settings
from tests.api.streaming.test_streams import API, ELSEWHERE, HOME, PROXY, ask, close, serving
from tests.conftest import PATIENCE_S, wait_until

MOST = 3


def half_body(port: int, client: str) -> socket.socket:
    """As a proxy passes it on: the head of a request and the first byte of its body."""
    head = f"POST {API}/matches HTTP/1.1\r\nHost: testserver\r\nX-Forwarded-For: {client}\r\n"
    connection = socket.create_connection((PROXY, port), timeout=PATIENCE_S)
    connection.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{".encode())
    return connection


def status(port: int, client: str) -> int:
    """Of an ordinary request of this client."""
    connection, answer = ask(port, client, "/languages")
    answer.read()
    close(connection, answer)
    return answer.status


def wait_for(port: int, wanted: int) -> None:
    """Until the server has seen what was sent, or what was closed."""
    wait_until(lambda: status(port, HOME) == wanted, f"the answer is {wanted}")


def test_half_sent_bodies_count_for_the_client_that_the_proxy_names(settings: Settings) -> None:
    with serving(settings, requests_each=MOST) as port:
        held = [half_body(port, HOME) for _ in range(MOST)]
        wait_for(port, 429)
        connection, refused = ask(port, HOME)
        problem = json.loads(refused.read())
        assert refused.headers["Content-Type"] == "application/problem+json"
        assert problem["expected"] == "at most 3 requests of one address at once"
        assert refused.headers["Retry-After"] == "5"
        assert refused.headers["RateLimit"] == '"requests-in-flight";r=0;t=5'
        assert refused.headers["RateLimit-Policy"] == '"requests-in-flight";q=3;qu="concurrent-requests"'
        assert "frame-ancestors 'none'" in refused.headers["Content-Security-Policy"]
        assert len(problem["request_id"]) == 32
        close(connection, refused)
        assert status(port, ELSEWHERE) == 200, "another client of the same proxy"
        held.pop().close()
        wait_for(port, 200)
        for one in held:
            one.close()


def test_a_refused_body_does_not_keep_its_connection(settings: Settings) -> None:
    with serving(settings, requests_each=MOST) as port:
        held = [half_body(port, HOME) for _ in range(MOST)]
        wait_for(port, 429)
        with half_body(port, HOME) as refused:
            got = b""
            while piece := refused.recv(65_536):  # to the end, which the server makes
                got += piece
        assert got.startswith(b"HTTP/1.1 429 ")
        for one in held:
            one.close()


@pytest.mark.parametrize("proxies", [PROXY, ""])
def test_event_streams_count_as_long_as_they_are_open(settings: Settings, proxies: str) -> None:
    """With a proxy or without one, where the connection's own address counts."""
    with serving(settings, requests_each=MOST, streams_each=0, proxies=proxies) as port:
        streams = [ask(port, HOME) for _ in range(MOST)]
        assert [answer.status for _, answer in streams] == [200] * MOST
        assert status(port, HOME) == 429
        assert status(port, ELSEWHERE) == (200 if proxies else 429)
        close(*streams.pop())
        wait_for(port, 200)
        for one in streams:
            close(*one)


def test_there_need_be_no_limit(settings: Settings) -> None:
    with serving(settings, requests_each=0, streams_each=0) as port:
        streams = [ask(port, HOME) for _ in range(MOST * 2)]
        assert {answer.status for _, answer in streams} == {200}
        for one in streams:
            close(*one)
