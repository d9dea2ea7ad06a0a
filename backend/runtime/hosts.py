"""The names that the arena answers to, and no others: else any page could reach it by DNS rebinding.

A page at attacker.example may let its own name point to 127.0.0.1 once it is loaded. The browser then takes the arena
for a part of that page, and neither the origin of a request nor a cookie tells them apart: only the name in `Host`
does. An address in `Host` cannot be rebound, since no name is looked up for it.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

LOOPBACK = ("localhost", "*.localhost", "127.0.0.1", "[::1]")
LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
NAME = re.compile(rf"{LABEL}(?:\.{LABEL})*", re.ASCII)
AUTHORITY = re.compile(rb"(?P<name>\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9_.-]{1,254})(?::(?P<port>[0-9]{1,5}))?")
EXPECTED_NAMES = "names such as arena.example.org, *.example.org or 192.0.2.1, separated by commas, or *"


@dataclass(frozen=True, slots=True)
class Hosts:
    """Which names are answered. `names`: in lower case; `*.example.org` matches every name below example.org."""

    names: tuple[str, ...]
    any_address: bool = False
    anything: bool = False

    def answers(self, name: str) -> bool:
        """Whether the arena answers to this name, as `host_name` gives it."""
        address = _address(name)
        if self.anything or (self.any_address and address is not None):
            return True
        if address is not None:
            return address.is_loopback or address in map(_address, self.names)
        return any(covers(pattern, name) for pattern in self.names)

    def __str__(self) -> str:
        return ", ".join([*self.names, *(["any address"] if self.any_address else [])])


def hosts_of(listens_at: str, allowed: str) -> Hosts:
    """The names of an arena that listens at this address; `allowed`: HEXARENA_HOSTS.

    Where nothing is allowed by name and the arena listens to the network, people use the machine's own name or one of
    its addresses.
    """
    names = split_names(allowed)
    if "*" in names:
        return Hosts(LOOPBACK, anything=True)
    if names or is_loopback(listens_at):
        return Hosts((*LOOPBACK, *names))
    return Hosts((*LOOPBACK, *_names_of_machine()), any_address=True)


def host_name(values: Sequence[bytes]) -> str | None:
    """The name in a request's Host headers, in lower case and without port; None unless there is exactly one."""
    found = AUTHORITY.fullmatch(values[0]) if len(values) == 1 else None
    if found is None or int(found["port"] or 0) > 65535:
        return None
    name = found["name"].decode().lower().removesuffix(".")
    return name if _address(name) or NAME.fullmatch(name) else None


def split_names(written: str) -> list[str]:
    """The names in a setting, in lower case."""
    return [name.strip().lower() for name in written.split(",") if name.strip()]


def checked_names(written: str) -> str:
    """The same text. Raises: ValueError, if something in it is no name."""
    for name in split_names(written):
        if name != "*" and not _address(name) and not NAME.fullmatch(name.removeprefix("*.")):
            raise ValueError(f"expected {EXPECTED_NAMES}, without scheme and port")
    return written


def checked_networks(written: str) -> str:
    """The same text. Raises: ValueError, if something in it is neither an address nor a network."""
    for network in split_names(written):
        try:
            ip_network(network)
        except ValueError:
            raise ValueError("expected addresses or networks such as 192.0.2.1, 10.0.0.0/8, with commas") from None
    return written


def checked_listener(written: str) -> str:
    """The same text. Raises: ValueError, if it is neither empty nor HOST:PORT."""
    host, _, port = written.rpartition(":")
    if written and not (_address(host) or NAME.fullmatch(host.lower())):
        raise ValueError("expected a host and a port such as 127.0.0.1:9100 or [::1]:9100")
    if written and not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise ValueError("expected a port from 1 to 65535 after the last colon")
    return written


def is_in(address: str, networks: str) -> bool:
    """Whether an address belongs to one of the networks of a setting."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    plain = getattr(parsed, "ipv4_mapped", None) or parsed
    return any(plain in ip_network(network) for network in split_names(networks))


def covers(pattern: str, name: str) -> bool:
    """Whether a name in a setting, such as `*.example.org`, matches this one."""
    return name.endswith(pattern[1:]) if pattern.startswith("*.") else name == pattern


def is_loopback(listens_at: str) -> bool:
    """Whether this name or address is the machine itself."""
    address = _address(listens_at)
    return listens_at == "localhost" if address is None else address.is_loopback


def _address(name: str) -> IPv4Address | IPv6Address | None:
    """The address that is written here; IPv6 in brackets or, in a setting, without."""
    try:
        address = ip_address(name[1:-1] if name.startswith("[") else name)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _names_of_machine() -> tuple[str, ...]:
    name = socket.gethostname().lower()
    if not NAME.fullmatch(name) or name == "localhost":
        return ()
    return (name,) if "." in name else (name, f"{name}.local")
