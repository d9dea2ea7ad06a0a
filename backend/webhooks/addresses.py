"""Which addresses a webhook may have: those of the public internet, and hosts that the arena's settings name.

Whoever sets a webhook makes the arena send requests. So none may go to the machines around it (SSRF). What a name
stands for is looked up once, checked, and connected to: a name that stands for another address a moment later (DNS
rebinding) changes nothing.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Literal

import httpx2

from hexarena.backend.errors import Conflict, Invalid
from hexarena.backend.runtime.hosts import NAME, covers, split_names
from hexarena.backend.runtime.settings import Settings

MOST_CHARACTERS = 2000
LOWEST_FREE_PORT = 1024
"""Below it are services of the system, which a webhook has no business with, but for HTTP and HTTPS."""
HIGHEST_PORT = 65535
SCHEMES = {"http": 80, "https": 443}
Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Sequence[str]]
"""Name, port -> addresses. Raises: OSError, UnicodeError."""
NOT_PUBLIC = tuple(
    ip_network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # of providers
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocols
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
        "2001::/23",  # protocols; among them Teredo, which holds an IPv4 address
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, which holds an IPv4 address
        "3fff::/20",  # documentation
    )
)
"""Source: IANA's registries of special-purpose addresses. A list of our own: `is_global` says yes to multicast and to
addresses that hold another one, and differs between versions of Python."""
IPV6_UNICAST = ip_network("2000::/3")
"""All else is none, or local, or holds an IPv4 address (`::ffff:0:0/96`, `64:ff9b::/96`)."""


class AddressRefused(Exception):
    """Nothing is sent there. The message says why."""


@dataclass(frozen=True, slots=True)
class Target:
    """A webhook's address in parts. `host`: as it is looked up; `authority`: as the header `Host` has it."""

    url: httpx2.URL
    host: str
    port: int
    authority: str


def is_public(address: Address) -> bool:
    """Whether it is a unicast address of the public internet, and says so itself."""
    if isinstance(address, IPv6Address) and address not in IPV6_UNICAST:
        return False
    return not any(address in network for network in NOT_PUBLIC)


def target_of(url: str) -> Target:
    """Raises: AddressRefused."""
    try:
        parsed = httpx2.URL(url)
    except (httpx2.InvalidURL, UnicodeError):
        raise AddressRefused("This is not the address of a web server.") from None
    if parsed.scheme not in SCHEMES or not parsed.host:
        raise AddressRefused("The address does not begin with https:// or http:// and a name.")
    if parsed.userinfo:
        raise AddressRefused("The address has a user name or password in it.")
    port = parsed.port or SCHEMES[parsed.scheme]
    if port not in SCHEMES.values() and not LOWEST_FREE_PORT <= port <= HIGHEST_PORT:
        raise AddressRefused(f"Port {port} is neither 80, nor 443, nor {LOWEST_FREE_PORT} to {HIGHEST_PORT}.")
    host = parsed.raw_host.decode().strip("[]")
    if not (NAME.fullmatch(host.lower().removesuffix(".")) or _is_address(host)):
        raise AddressRefused(f"{host[:80]} is no name of a server.")
    return Target(parsed, host, port, parsed.netloc.decode())


def resolved(target: Target, allowed_hosts: str, resolve: Resolve) -> list[str]:
    """The addresses to connect to, in the order to try them. `allowed_hosts`: HEXARENA_WEBHOOK_HOSTS.

    One address that is not public is enough to refuse them all. Raises: AddressRefused.
    """
    try:
        found = list(dict.fromkeys(resolve(target.host, target.port)))
    except (OSError, UnicodeError):
        raise AddressRefused(f"The name {target.host} was not found.") from None
    if not is_allowed_host(target.host, allowed_hosts):
        for address in found:
            _check_public(address)
    return found


def look_up(host: str, port: int) -> list[str]:
    """Asks the system, as every program does."""
    return [str(one[4][0]) for one in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def is_allowed_host(host: str, allowed_hosts: str) -> bool:
    """Whether the settings name it, so that it may have any address."""
    return any(covers(pattern, host.lower().removesuffix(".")) for pattern in split_names(allowed_hosts))


def _check_public(address: str) -> None:
    if not is_public(ip_address(address.partition("%")[0])):
        raise AddressRefused(f"The address {address} is not one of the public internet.")


def checked(url: str, settings: Settings) -> str:
    """The address, written as it is used, if an account may set it. Raises: Conflict, Invalid.

    What a name stands for is checked with each delivery, not here: it may change.
    """
    accepted: Literal["http", "https", "off"] = settings.webhooks
    if accepted == "off":
        raise Conflict("This arena has no webhooks.", expected="an arena whose organisers allow them")
    expected = (
        "https://… of the public internet" if accepted == "https" else "https://… or http://… of the public internet"
    )
    try:
        target = target_of(url.strip())
        if target.url.scheme == "http" and accepted == "https":
            raise AddressRefused("This arena sends to https:// only.")
        _check_written(target, settings.webhook_hosts)
    except AddressRefused as refused:
        raise Invalid(f"This webhook cannot be used: {refused}", expected=expected, got=url[:200]) from None
    written = str(target.url.copy_with(fragment=None))
    if len(written) > MOST_CHARACTERS:
        raise Invalid("This webhook cannot be used: it is too long.", expected=f"at most {MOST_CHARACTERS} characters")
    return written


def _check_written(target: Target, allowed_hosts: str) -> None:
    """An address in place of a name is known already."""
    if _is_address(target.host) and not is_allowed_host(target.host, allowed_hosts):
        _check_public(target.host)
