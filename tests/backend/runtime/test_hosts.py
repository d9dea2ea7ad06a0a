# ruff: noqa: S104 - nothing listens at these addresses
"""Which names an arena answers to."""

from __future__ import annotations

import socket

import pytest
from pydantic import ValidationError

from hexarena.backend.runtime.hosts import Hosts, host_name, hosts_of
from hexarena.backend.runtime.settings import Settings


def answered(hosts: Hosts, header: bytes) -> bool:
    """Whether a request with this Host header is answered."""
    name = host_name([header])
    return name is not None and hosts.answers(name)


@pytest.mark.parametrize(
    ("header", "name"),
    [
        (b"localhost", "localhost"),
        (b"localhost:8000", "localhost"),
        (b"LocalHost:8000", "localhost"),
        (b"localhost.", "localhost"),
        (b"localhost.:80", "localhost"),
        (b"arena.example.org", "arena.example.org"),
        (b"my_api:8000", "my_api"),
        (b"127.0.0.1:65535", "127.0.0.1"),
        (b"[::1]:8000", "[::1]"),
        (b"[0:0:0:0:0:0:0:1]", "[0:0:0:0:0:0:0:1]"),
        (b"xn--bcher-kva.example", "xn--bcher-kva.example"),
    ],
)
def test_the_name_is_what_stands_before_the_port(header: bytes, name: str) -> None:
    assert host_name([header]) == name


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b" ",
        b".",
        b":8000",
        b"localhost:",
        b"localhost:x",
        b"localhost:-1",
        b"localhost:65536",
        b"localhost:123456",
        b"localhost:80:80",
        b"localhost..",
        b".localhost",
        b"a..b",
        b"-a.example",
        b"user@localhost",
        b"user:word@localhost:8000",
        b"localhost, attacker.example",
        b"localhost attacker.example",
        b"localhost/",
        b"localhost?",
        b"localhost#",
        b"localhost%00",
        b"localhost\x00",
        b"localhost\t",
        b"localhost\n",
        b"http://localhost",
        b"::1",
        b"[::1",
        b"[::1]x",
        b"[::1]:x",
        b"[::g]",
        b"[1:2]",
        b"[fe80::1%25eth0]",
        b"[localhost]",
        b"[127.0.0.1]x",
        "b\u00fccher.example".encode(),
        "b\u00fccher.example".encode("latin-1"),
        b"a" * 300,
        b"a" * 64 + b".example",
    ],
)
def test_what_is_no_name_is_not_guessed_at(header: bytes) -> None:
    assert host_name([header]) is None


def test_there_must_be_one_host_header() -> None:
    assert host_name([]) is None
    assert host_name([b"localhost", b"localhost"]) is None
    assert host_name([b"localhost", b"attacker.example"]) is None


OURS = [
    b"localhost:8000",
    b"127.0.0.1",
    b"127.0.0.1:1",
    b"[::1]:8000",
    b"a.localhost",
    b"[::ffff:127.0.0.1]",
    b"LOCALHOST.",
]
FOREIGN = [
    b"attacker.example",
    b"localhost.attacker.example",
    b"127.0.0.1.attacker.example",
    b"xlocalhost",
    b"localhostx",
    b"127.1",
    b"2130706433",
    b"0x7f000001",
    b"0177.0.0.1",
]


@pytest.mark.parametrize("listens_at", ["127.0.0.1", "localhost", "::1"])
def test_an_arena_of_ones_own_answers_to_loopback_alone(listens_at: str) -> None:
    hosts = hosts_of(listens_at, "")
    assert all(answered(hosts, header) for header in OURS)
    others = [*FOREIGN, b"192.168.1.7", b"10.0.0.1:8000", b"0.0.0.0", b"[::]", b"[2001:db8::1]"]
    assert not any(answered(hosts, header) for header in [*others, socket.gethostname().encode() + b"x"])


@pytest.mark.parametrize("listens_at", ["0.0.0.0", "::", "192.168.1.7", "arena.example.org"])
def test_an_arena_for_the_network_also_answers_to_addresses_and_to_the_machines_name(listens_at: str) -> None:
    hosts = hosts_of(listens_at, "")
    machine = socket.gethostname().encode()
    ours = [*OURS, machine, machine.upper() + b":8000", b"192.168.1.7:8000", b"10.0.0.1", b"[2001:db8::1]:8000"]
    assert all(answered(hosts, header) for header in ours)
    assert not any(answered(hosts, header) for header in FOREIGN)


@pytest.mark.parametrize("listens_at", ["127.0.0.1", "0.0.0.0"])
def test_allowed_names_replace_what_was_guessed(listens_at: str) -> None:
    hosts = hosts_of(listens_at, " Arena.example.org , *.bots.example,192.0.2.1, [2001:db8::2]")
    for header in [*OURS, b"arena.example.org", b"ARENA.example.org.:443", b"a.bots.example", b"a.b.bots.example:80"]:
        assert answered(hosts, header), header
    assert answered(hosts, b"192.0.2.1")
    assert answered(hosts, b"[2001:db8:0::2]:8000")
    for header in [*FOREIGN, b"bots.example", b"xbots.example", b"x.arena.example.org", b"192.0.2.2", b"[2001:db8::3]"]:
        assert not answered(hosts, header), header


def test_a_star_turns_the_check_off_but_a_name_must_be_one() -> None:
    hosts = hosts_of("127.0.0.1", "*")
    assert answered(hosts, b"attacker.example")
    assert answered(hosts, b"192.168.1.7")
    assert not answered(hosts, b"user@localhost")


@pytest.mark.parametrize(
    "written", ["https://arena.example", "arena.example:443", "a b", "*.", "*x.example", "**", "a/b"]
)
def test_a_setting_that_is_no_list_of_names_is_refused(written: str) -> None:
    with pytest.raises(ValidationError, match=r"names such as arena\.example\.org"):
        Settings(hosts=written)
