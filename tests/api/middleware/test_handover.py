"""Event streams that their connection has taken over, against a real server on a real socket."""

from __future__ import annotations

import gc
import signal
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from hexarena.backend.api.middleware.connections import Waiting
from hexarena.backend.api.streaming.sse import EventStream
from tests.api.middleware.test_connections import BIG, PATIENT, Server, read_until, rest
from tests.conftest import wait_until

END = b"0\r\n\r\n"


class Streams(Server):
    """`/waits` sends one chunk and waits for `go_on` or its client's leaving; `/ends` ends, `/breaks` raises, `/big`
    sends a lot. Counts the streams that are inside of their requests, and what is held.
    """

    def __init__(self) -> None:
        self.inside = 0
        self.held = 0
        super().__init__(PATIENT)

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The application."""
        self.inside += 1
        held = AsyncExitStack()
        self.held += 1
        held.callback(self._give_back)
        await EventStream(self._chunks(scope["path"]), self.go_on.set, held)(scope, receive, send)
        self.inside -= 1

    def _give_back(self) -> None:
        self.held -= 1

    async def _chunks(self, path: str) -> AsyncGenerator[bytes]:
        yield b"begun"
        if path == "/waits":
            await self.go_on.wait()
            yield b"woken"
        elif path == "/big":
            for _ in range(BIG // 100_000):
                yield b"x" * 100_000
        elif path == "/breaks":
            raise RuntimeError("a bug of ours")


@pytest.fixture
def server() -> Iterator[Streams]:
    """A server for one test."""
    made = Streams()
    yield made
    made.stop()


def get(path: str, more: bytes = b"") -> bytes:
    """A request."""
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n".encode() + more + b"\r\n"


def until(server: Streams, condition: Callable[[], bool], what: str) -> None:
    """Waits for it, as the server's thread sees it."""
    wait_until(lambda: server.do(condition), what)


def pipeline(server: Streams) -> bool:
    """Whether a request waits behind another one. Called in the server's thread."""
    return any(bool(getattr(one, "pipeline", None)) for one in server.server.server_state.connections)


def test_the_request_of_a_stream_is_over_while_the_stream_goes_on(server: Streams) -> None:
    client = server.connect(get("/waits"), Waiting.US)
    head = read_until(client, b"5\r\nbegun\r\n")
    assert b"transfer-encoding: chunked" in head
    until(server, lambda: server.inside == 0, "the request is over")
    assert server.held == 1, "not so the stream"
    server.do(server.go_on.set)
    assert read_until(client, END) == b"5\r\nwoken\r\n" + END
    until(server, lambda: server.held == 0, "what it held is free")


def has_mark(headers: list[Any]) -> bool:
    """Looks at types first: lists of other tests may hold arrays, which have no answer to whether they are equal."""
    pairs = (one for one in headers if type(one) is tuple and len(one) == 2 and type(one[0]) is bytes)
    return any(name == b"x-mark" for name, _ in pairs)


@pytest.mark.long
def test_nothing_is_left_of_the_request(server: Streams) -> None:
    client = server.connect(get("/waits", b"X-Mark: of-this-request\r\n"), Waiting.US)
    read_until(client, b"begun\r\n")
    until(server, lambda: server.inside == 0, "the request is over")
    gc.collect()
    assert not any(type(one) is list and has_mark(one) for one in gc.get_objects())


def test_a_connection_is_used_again_after_a_stream(server: Streams) -> None:
    client = server.connect(get("/ends"))
    for _ in range(3):
        assert read_until(client, END).endswith(b"5\r\nbegun\r\n" + END)
        wait_until(lambda: [one.waiting for one in server.connections()] == [Waiting.NEXT], "it is free")
        client.sendall(get("/ends"))


def test_but_not_if_its_client_wants_it_closed(server: Streams) -> None:
    assert rest(server.connect(get("/ends", b"Connection: close\r\n"))).endswith(b"begun\r\n" + END)


def test_a_request_that_comes_during_a_stream_is_answered_after_it(server: Streams) -> None:
    client = server.connect(get("/waits"), Waiting.US)
    read_until(client, b"begun\r\n")
    until(server, lambda: server.inside == 0, "the request is over")
    client.sendall(get("/ends", b"Connection: close\r\n"))
    until(server, lambda: pipeline(server), "it came")
    server.do(server.go_on.set)
    got = rest(client)
    assert got.startswith(b"5\r\nwoken\r\n" + END + b"HTTP/1.1 200 OK\r\n")
    assert got.endswith(b"5\r\nbegun\r\n" + END)


def test_so_is_one_that_came_before_its_head(server: Streams) -> None:
    server.do(server.go_on.set)
    got = rest(server.connect(get("/waits") + get("/ends", b"Connection: close\r\n")))
    assert got.count(b"HTTP/1.1 200 OK") == got.count(END) == 2
    until(server, lambda: (server.inside, server.held) == (0, 0), "both are over")


def test_a_stream_whose_client_leaves_is_over(server: Streams) -> None:
    client = server.connect(get("/waits"), Waiting.US)
    read_until(client, b"begun\r\n")
    until(server, lambda: server.inside == 0, "the request is over")
    server.close_clients()
    until(server, lambda: server.go_on.is_set() and server.held == 0, "the stream is over")


def test_a_stream_that_breaks_ends_without_an_end(server: Streams) -> None:
    got = rest(server.connect(get("/breaks")))
    assert got.endswith(b"5\r\nbegun\r\n")
    until(server, lambda: server.held == 0, "what it held is free")


def test_a_stream_waits_for_a_client_that_does_not_keep_up(server: Streams) -> None:
    server.connect(get("/big"), Waiting.US)
    wait_until(lambda: server.connections()[0].flow.write_paused, "the server waits for the client")
    assert server.do(server.connections()[0].transport.get_write_buffer_size) < BIG // 2
    server.later(1001)
    wait_until(lambda: not server.connections(), "it is cut off")
    until(server, lambda: server.held == 0, "what it held is free")


def test_a_stream_whose_request_still_comes_stays_inside_of_it(server: Streams) -> None:
    client = server.connect(b"POST /waits HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n1", Waiting.BODY)
    read_until(client, b"begun\r\n")
    assert (server.inside, server.held) == (1, 1)
    client.sendall(b"2")
    server.do(server.go_on.set)
    assert read_until(client, END).endswith(b"woken\r\n" + END)


def test_a_server_that_stops_waits_for_the_ends_of_its_streams() -> None:
    server = Streams()
    client = server.connect(get("/waits"), Waiting.US)
    read_until(client, b"begun\r\n")
    server.server.handle_exit(signal.SIGTERM, None)
    server.do(server.go_on.set)
    assert rest(client) == b"5\r\nwoken\r\n" + END
    server.thread.join()
    assert server.held == 0
    server.close_clients()
    server.loop.close()
