"""Clients that send half a request and wait, and clients that keep more connections than they need."""

from __future__ import annotations

import time
from itertools import cycle, islice

from hexarena.bench.attack_web.attacks import TRUSTED, Attack, Outcome, Target

MANY = 700
MORE_THAN_DESCRIPTORS = 1_150
CLIENTS = 60
MOST_LEFT = 100
"""One client's connections (HEXARENA_CONNECTIONS_EACH)."""
MOST_IN_FLIGHT = 160
"""One client's requests (HEXARENA_REQUESTS_EACH)."""
CLIENT = "203.0.113.9"
"""As the proxy names it."""
HALF_HEAD = b"POST /api/v1/matches HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
HALF_BODY = (
    b"POST /api/v1/matches HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: 1000\r\n\r\n{"
)
STREAM = b"GET /api/v1/feed HTTP/1.1\r\nHost: localhost\r\n\r\n"


def _addresses(clients: int) -> list[str]:
    return [f"127.0.1.{1 + number}" for number in range(clients)]


def _held(target: Target, sent: bytes, *, count: int, clients: int, seconds: float) -> Outcome:
    """Connections of so many clients that send this and wait: are visitors served, and when are all of them gone?"""
    for source in islice(cycle(_addresses(clients)), count):
        target.connect(sent, source=source)
    served = target.serves_visitors()
    left, after = target.gone_within(seconds)
    words = f"{left} of {count} open after {after:.0f} s, visitors {'served' if served else 'NOT served'}"
    return Outcome(words, served and left == 0)


def half_heads(target: Target) -> Outcome:
    """Of several clients, so that the limit of connections does not help."""
    return _held(target, HALF_HEAD, count=MANY, clients=10, seconds=25)


def half_bodies(target: Target) -> Outcome:
    """The same with the first byte of a body."""
    return _held(target, HALF_BODY, count=MANY, clients=10, seconds=30)


def behind_proxy(target: Target) -> Outcome:
    """Half-sent bodies of one client, through a trusted proxy that has no limit: what Caddy passes on."""
    count = 700
    sent = HALF_BODY.replace(b"\r\n\r\n", f"\r\nX-Forwarded-For: {CLIENT}\r\n\r\n".encode())
    for _ in range(count):
        target.connect(sent, source=TRUSTED)
    served = target.serves_visitors()
    time.sleep(3)
    left = target.open_connections()
    words = f"{left} of {count} open after 3 s, visitors {'served' if served else 'NOT served'}"
    return Outcome(words, served and left <= MOST_IN_FLIGHT)


def exhaustion(target: Target) -> Outcome:
    """More connections than the server has descriptors by default."""
    return _held(target, HALF_HEAD, count=MORE_THAN_DESCRIPTORS, clients=CLIENTS, seconds=25)


def drip(target: Target) -> Outcome:
    """One more byte of the head each second, so that the connections never pause."""
    count, seconds = 50, 20
    for _ in range(count):
        target.connect(HALF_HEAD)
    for _ in range(seconds):
        time.sleep(1)
        for client in target.connections:
            try:
                client.send(b"x")
            except OSError:
                continue
    left = target.open_connections()
    return Outcome(f"{left} of {count} open after {seconds} s", left == 0)


def hoarding(target: Target) -> Outcome:
    """One client opens event streams, which have no time limit."""
    for _ in range(MORE_THAN_DESCRIPTORS):
        target.connect(STREAM)
    served = target.serves_visitors()
    time.sleep(3)
    left = target.open_connections()
    words = f"{left} streams of one client, visitors {'served' if served else 'NOT served'}"
    return Outcome(words, served and left <= MOST_LEFT)


def no_reader(target: Target) -> Outcome:
    """Clients that ask for a file and do not read it."""
    count = 50
    ask = b"GET /vendor/swagger-ui-bundle.js HTTP/1.1\r\nHost: localhost\r\n\r\n" * 8
    for _ in range(count):
        target.connect(ask, buffer_bytes=4096)
    time.sleep(45)
    left = target.held_by_server()
    return Outcome(f"{left} of {count} open after 45 s", left == 0)


def streams_last(target: Target) -> Outcome:
    """No attack: the time limits must not end an event stream."""
    target.connect(STREAM)
    time.sleep(40)
    return Outcome(f"{target.open_connections()} of 1 open after 40 s", target.open_connections() == 1)


ATTACKS = (
    Attack("700 half-sent heads", "700 open after 25 s", "all closed in 25 s, visitors served", half_heads),
    Attack("700 half-sent bodies", "700 open after 30 s", "all closed in 30 s, visitors served", half_bodies),
    Attack(
        "700 half-sent bodies of one client behind a proxy",
        "700 open after 3 s",
        "at most 160 open after 3 s, visitors served",
        behind_proxy,
    ),
    Attack(
        "1,150 half-sent heads",
        "1,009 open after 25 s, visitors not served",
        "all closed in 25 s, visitors served",
        exhaustion,
    ),
    Attack("heads that drip", "50 of 50 open after 20 s", "all closed in 20 s", drip),
    Attack("1,150 event streams of one client", "1,150, visitors not served", "at most 100, visitors served", hoarding),
    Attack("50 clients that do not read", "– (another file)", "all closed in 45 s", no_reader),
    Attack("an honest event stream", "open", "open after 40 s", streams_last),
)
