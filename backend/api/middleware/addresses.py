"""Where a request comes from, for limits per client.

Behind a reverse proxy the connection's address is the proxy's. `behind_proxies` puts the client's in its place, where
the proxy is one of HEXARENA_PROXIES: anybody else could write any address into `X-Forwarded-For`.
"""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any, cast

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from hexarena.backend.runtime.hosts import split_names

UNKNOWN = "unknown"
"""All clients of which no address is known share their limits."""
IPV6_BITS = 64
"""One subscriber has so long a prefix at least, and with it as many addresses as it likes."""


def client_address(request: HTTPConnection) -> str:
    """The network that counts as one client: an IPv4 address, or the first 64 bits of an IPv6 address."""
    return network_key(request.client.host) if request.client else UNKNOWN


def network_key(written: str) -> str:
    """The same key for all addresses of one client: `192.0.2.1`, `2001:db8::/64`, or UNKNOWN for what is no address."""
    try:
        address = ip_address(written.partition("%")[0])
    except ValueError:
        return UNKNOWN
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is None:
            return str(ip_network((address, IPV6_BITS), strict=False))
        address = address.ipv4_mapped
    return str(address)


def behind_proxies(app: ASGIApp, proxies: str) -> ASGIApp:
    """The app, with the client's address and scheme as these proxies give them."""
    trusted = split_names(proxies)
    if not trusted:
        return app
    return cast(ASGIApp, ProxyHeadersMiddleware(cast(Any, app), trusted_hosts=trusted))


def is_proxy(written: str, proxies: str) -> bool:
    """Whether this address belongs to a trusted proxy."""
    try:
        address = ip_address(written)
    except ValueError:
        return False
    return any(address in ip_network(proxy) for proxy in split_names(proxies))
