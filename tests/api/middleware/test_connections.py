"""Slow clients and too many connections, against a real server on a real socket.

Deadlines are long; the tests let them pass by giving the server a later time, so that no machine is too slow for them.
"""

from __future__ import annotations

import asyncio
import json
import resource
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from hexarena.backend.api.middleware.connections import GuardedProtocol, GuardedServer, Limits, Waiting, protocol_of
from tests.conftest import PATIENCE_S, wait_until

Result = TypeVar("Result")
LATER_S = 1_000_000.0
PATIENT = Limits(head_s=1000, body_s=5000, pause_s=1000, read_s=1000, total=50, each=50)
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
STREAM = b"GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n"
HALF_HEAD = b"POST / HTTP/1.1\r\nHost: local"
HALF_BODY = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n12345"
BIG = 30_000_000
ENOUGH = 2_000_000
"""What a slow reader must have taken after the 1000 s of `PATIENT`, and some more."""


class Server:
    """Runs in a thread. `/` reads the body and answers, `/stream` answers in two parts, `/big` sends a lot."""

    def __init__(self, limits: Limits, tick_s: float = LATER_S) -> None:
        self.loop = asyncio.new_event_loop()
        self.go_on = asyncio.Event()
        self.clients: list[socket.socket] = []
        config = uvicorn.Config(
            self.app,
            http=protocol_of(limits),
            ws="none",
            lifespan="off",
            interface="asgi3",
            loop="asyncio",
            log_level="critical",
        )
        self.server = GuardedServer(config, tick_s=tick_s)
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.thread = threading.Thread(target=self._run)
        self.thread.start()
        wait_until(lambda: self.server.started, "the server listens")

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self.server.serve(sockets=[self.listening]))

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The application."""
        while scope["path"] == "/":
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            if not message.get("more_body"):
                break
        parts = {"/": [b"done"], "/stream": [b"begun", b"ended"], "/big": [b"x" * BIG]}[scope["path"]]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for part in parts:
            await send({"type": "http.response.body", "body": part, "more_body": True})
            if part == b"begun":
                await self.go_on.wait()
        await send({"type": "http.response.body", "body": b""})

    def do(self, what: Callable[[], Result]) -> Result:
        """Runs it in the server's thread."""

        async def in_loop() -> Result:
            return what()

        return asyncio.run_coroutine_threadsafe(in_loop(), self.loop).result(PATIENCE_S)

    def connections(self) -> list[GuardedProtocol]:
        """Those that it has."""
        found = self.do(lambda: list(self.server.server_state.connections))
        return [one for one in found if isinstance(one, GuardedProtocol)]

    def unsent(self) -> int:
        """Bytes that the kernel has not taken yet, of the only connection."""
        (one,) = self.connections()
        return one.transport.get_write_buffer_size()

    def later(self, seconds: float) -> None:
        """Lets it look at its connections as if it were so much later."""

        def look() -> None:
            for one in list(self.server.server_state.connections):
                assert isinstance(one, GuardedProtocol)
                one.check(self.loop.time() + seconds)

        self.do(look)

    def connect(self, sent: bytes = b"", waiting: Waiting | None = None) -> socket.socket:
        """A client that sent this; returns when the server is as far."""
        before = len(self.connections())
        client = socket.create_connection(self.listening.getsockname(), timeout=PATIENCE_S)
        self.clients.append(client)
        client.sendall(sent)
        if waiting is not None:
            wait_until(
                lambda: [one.waiting for one in self.connections()].count(waiting) and len(self.connections()) > before,
                f"the server waits for {waiting.value}",
            )
        return client

    def close_clients(self) -> None:
        """Closes what the test left open."""
        while self.clients:
            self.clients.pop().close()

    def stop(self) -> None:
        """Ends it and its connections."""
        self.close_clients()
        self.do(self.go_on.set)
        self.server.force_exit = True
        self.server.handle_exit(signal.SIGTERM, None)
        self.thread.join()
        self.loop.close()


@contextmanager
def serving(limits: Limits = PATIENT, tick_s: float = LATER_S) -> Iterator[Server]:
    """A server for the length of the block. Only `later` has it look at its connections, unless `tick_s` is short."""
    server = Server(limits, tick_s)
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="module")
def shared() -> Iterator[Server]:
    """One with patient limits."""
    with serving() as server:
        yield server


@pytest.fixture
def server(shared: Server) -> Iterator[Server]:
    """The same, without connections of other tests."""
    yield shared
    shared.close_clients()
    for one in shared.connections():
        shared.do(one.transport.abort)
    wait_until(lambda: not shared.connections(), "all connections are gone")


def rest(client: socket.socket) -> bytes:
    """All that comes until the server closes the connection."""
    got = b""
    try:
        while piece := client.recv(1_000_000):
            got += piece
    except ConnectionResetError:
        pass
    return got


def read_until(client: socket.socket, end: bytes) -> bytes:
    """What comes up to this."""
    got = b""
    while end not in got:
        piece = client.recv(65_536)
        assert piece, got
        got += piece
    return got


def assert_refused(client: socket.socket, status: int, *said: str) -> bytes:
    """A problem as the only answer, with the headers of any other; then the connection is closed. Returns the head."""
    head, _, body = rest(client).partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ".encode()), head
    for header in (b"content-type: application/problem+json", b"x-content-type-options: nosniff", b"connection: close"):
        assert header in head
    assert b"frame-ancestors 'none'" in head
    problem = json.loads(body)
    assert problem["status"] == status
    assert all(words in problem["detail"] for words in said), problem
    return head


def test_a_request_is_answered(server: Server) -> None:
    client = server.connect(GET)
    assert b"done" in read_until(client, b"0\r\n\r\n")


@pytest.mark.parametrize("sent", [b"", b"G", HALF_HEAD, GET[:-2]])
def test_half_a_head_has_a_deadline(server: Server, sent: bytes) -> None:
    client = server.connect(sent, Waiting.HEAD)
    server.later(900)
    assert len(server.connections()) == 1
    server.later(1001)
    assert_refused(client, 408, "the head", "1000 s")


@pytest.mark.parametrize("sent", [HALF_HEAD, b"\r\n", b"\r\n\r\n\r\n"])
def test_so_has_the_second_request_of_a_connection(server: Server, sent: bytes) -> None:
    client = server.connect(GET)
    read_until(client, b"0\r\n\r\n")
    client.sendall(sent)
    wait_until(lambda: [one.waiting for one in server.connections()] == [Waiting.HEAD], "it came")
    server.later(1001)
    assert_refused(client, 408)


def test_half_a_body_has_a_deadline_between_its_pieces(server: Server) -> None:
    client = server.connect(HALF_BODY, Waiting.BODY)
    server.later(900)
    assert len(server.connections()) == 1
    server.later(1001)
    assert_refused(client, 408, "the body", "pauses of 1000 s")


def test_a_chunked_body_that_drips_has_one_for_the_whole() -> None:
    with serving(Limits(head_s=1000, body_s=1000, pause_s=LATER_S)) as server:
        head = b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        client = server.connect(head + b"1\r\nx\r\n1\r\n", Waiting.BODY)
        server.later(900)
        client.sendall(b"x\r\n")
        assert len(server.connections()) == 1
        server.later(1001)
        assert_refused(client, 408, "within 1000 s")


def test_a_stream_has_no_deadline(server: Server) -> None:
    server.do(server.go_on.clear)
    client = server.connect(STREAM, Waiting.US)
    read_until(client, b"begun")
    server.later(LATER_S)
    server.do(server.go_on.set)
    assert b"ended" in read_until(client, b"0\r\n\r\n")


def test_a_client_that_stops_reading_is_cut_off(server: Server) -> None:
    client = server.connect(b"GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n", Waiting.US)
    wait_until(lambda: server.connections()[0].flow.write_paused, "the server waits for the client")
    server.later(900)
    assert len(server.connections()) == 1
    server.later(1001)
    wait_until(lambda: not server.connections(), "it is gone")
    assert len(rest(client)) < BIG


def test_a_client_that_reads_slowly_is_not(server: Server) -> None:
    client = server.connect(b"GET /big HTTP/1.1\r\nHost: localhost\r\n\r\n", Waiting.US)
    wait_until(lambda: server.connections()[0].flow.write_paused, "the server waits for the client")
    read = 0
    for look in (1, 2):
        enough = server.unsent() - ENOUGH
        while server.unsent() > enough:  # how much the kernel holds between the two varies
            read += len(client.recv(100_000))
        server.later(1001 * look)
    assert read + rest_length(client) >= BIG


def rest_length(client: socket.socket) -> int:
    """How much comes until the answer ends."""
    count, tail = 0, b""
    while not tail.endswith(b"0\r\n\r\n"):
        piece = client.recv(1_000_000)
        assert piece
        count, tail = count + len(piece), (tail + piece)[-5:]
    return count


def test_a_head_may_not_grow_for_ever(server: Server) -> None:
    client = server.connect(b"GET / HTTP/1.1\r\nHost: localhost\r\n", Waiting.HEAD)
    try:
        for _ in range(100):
            client.sendall(b"X-Long: " + b"x" * 10_000 + b"\r\n")
    except (ConnectionResetError, BrokenPipeError):
        return  # it closed while we were sending
    wait_until(lambda: not server.connections(), "it is gone")


@pytest.mark.parametrize(
    "sent",
    [
        b"GET http://attacker.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET http://localhost/ HTTP/1.1\r\nHost: attacker.example\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"CONNECT attacker.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET attacker.example HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"junk\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : localhost\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_what_is_no_request_is_refused_like_anything_else(server: Server, sent: bytes) -> None:
    assert_refused(server.connect(sent), 400, "RFC 9112")


def test_pipelined_requests_are_answered_but_not_without_limit(server: Server) -> None:
    client = server.connect(GET * 3)
    got = b""
    while got.count(b"done") < 3:
        got += client.recv(65_536)
    many = server.connect(GET * 50)
    assert rest(many).count(b"done") < 50
    wait_until(lambda: len(server.connections()) == 1, "the second is gone")


def test_an_upgrade_is_answered_like_any_other_request(server: Server) -> None:
    upgrade = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    key = b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    got = rest(server.connect(upgrade + key))
    assert got.startswith(b"HTTP/1.1 200 ")


def test_one_client_has_only_so_many_connections() -> None:
    with serving(Limits(head_s=1000, each=3)) as server:
        held = [server.connect(HALF_HEAD, Waiting.HEAD) for _ in range(3)]
        head = assert_refused(server.connect(GET), 429, "3 connections from one address")
        assert b"\r\nretry-after: 10\r\n" in head
        assert b'\r\nratelimit: "connections-of-address";r=0;t=10' in head
        assert b'\r\nratelimit-policy: "connections-of-address";q=3;qu="concurrent-requests"' in head
        held.pop().close()
        wait_until(lambda: len(server.connections()) == 2, "one is gone")
        assert b"done" in read_until(server.connect(GET), b"0\r\n\r\n")


def test_a_proxy_may_have_more() -> None:
    with serving(Limits(head_s=1000, each=1, proxies="127.0.0.0/8")) as server:
        held = [server.connect(HALF_HEAD, Waiting.HEAD) for _ in range(3)]
        assert b"done" in read_until(server.connect(GET), b"0\r\n\r\n")
        assert len(held) == 3


def test_who_connects_takes_the_place_of_who_waited_longest() -> None:
    with serving(Limits(head_s=1000, total=2)) as server:
        first, second = [server.connect(HALF_HEAD, Waiting.HEAD) for _ in range(2)]
        assert b"done" in read_until(server.connect(GET), b"0\r\n\r\n")
        assert rest(first) == b""
        second.sendall(b"host\r\nContent-Length: 0\r\n\r\n")
        assert b"done" in read_until(second, b"0\r\n\r\n")


def test_but_never_that_of_a_request_in_progress() -> None:
    with serving(Limits(head_s=1000, total=2)) as server:
        held = [server.connect(STREAM, Waiting.US) for _ in range(2)]
        assert_refused(server.connect(GET), 503, "2 connections")
        server.do(server.go_on.set)
        for client in held:
            assert b"ended" in read_until(client, b"0\r\n\r\n")


@pytest.mark.long
def test_the_server_looks_by_itself() -> None:
    with serving(Limits(head_s=0.01), tick_s=0.1) as server:
        assert_refused(server.connect(HALF_HEAD), 408)


@pytest.mark.long
def test_a_process_may_open_as_many_files_as_the_system_allows() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard == resource.RLIM_INFINITY or hard < 512:
        pytest.skip("this system's limit is none, or lower than the test's")
    code = (
        "import resource; from hexarena.backend.api.middleware.connections import raise_descriptors;"
        f"resource.setrlimit(resource.RLIMIT_NOFILE, (256, {hard}));"
        "print(raise_descriptors(), resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    most = min(hard, 65_536)
    assert done.stdout.split() == [str(most - 128), str(most)]
