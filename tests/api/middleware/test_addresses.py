"""Which client a request counts for."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from hexarena.backend.api.middleware.addresses import behind_proxies, client_address, is_proxy, network_key
from hexarena.backend.runtime.settings import Settings


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Says who asks."""
    await PlainTextResponse(client_address(Request(scope)))(scope, receive, send)


def seen(peer: str, *forwarded: str, proxies: str = "10.0.0.1, 172.30.0.0/16") -> str:
    """What the application takes for the address of a client at this connection."""
    client = TestClient(behind_proxies(echo, proxies), client=(peer, 4000))
    return client.get("/", headers=[("X-Forwarded-For", value) for value in forwarded]).text


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:DB8:1:2::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::/64"),
        ("", "unknown"),
        ("testclient", "unknown"),
        ("192.0.2.1:80", "unknown"),
    ],
)
def test_one_client_has_one_key(address: str, key: str) -> None:
    assert network_key(address) == key


def test_without_a_proxy_the_connection_counts_whatever_the_headers_say() -> None:
    assert seen("192.0.2.7") == "192.0.2.7"
    assert seen("192.0.2.7", "203.0.113.9") == "192.0.2.7"
    assert seen("192.0.2.7", "203.0.113.9", proxies="") == "192.0.2.7"


@pytest.mark.parametrize("peer", ["10.0.0.1", "172.30.4.5"])
def test_behind_a_proxy_the_address_that_it_added_counts(peer: str) -> None:
    assert seen(peer, "203.0.113.9") == "203.0.113.9"
    assert seen(peer, "1.2.3.4, 203.0.113.9") == "203.0.113.9", "a client may send the header, too"
    assert seen(peer, "1.2.3.4", "203.0.113.9") == "203.0.113.9"
    assert seen(peer, "203.0.113.9, 10.0.0.1") == "203.0.113.9", "of two proxies"
    assert seen(peer, "2001:db8:0:1:2::3") == "2001:db8:0:1::/64"
    assert seen(peer, "junk") == "unknown"
    assert seen(peer) == peer


def test_a_proxy_is_an_address_or_in_a_network() -> None:
    assert is_proxy("10.0.0.1", "10.0.0.1,192.168.0.0/16")
    assert is_proxy("192.168.7.8", "10.0.0.1,192.168.0.0/16")
    assert not is_proxy("10.0.0.2", "10.0.0.1,192.168.0.0/16")
    assert not is_proxy("10.0.0.1", "")
    assert not is_proxy("", "10.0.0.1")


@pytest.mark.parametrize("written", ["*", "proxy.example", "10.0.0.1/8", "10.0.0.300", "10.0.0.1 10.0.0.2"])
def test_a_setting_that_is_no_list_of_networks_is_refused(written: str) -> None:
    with pytest.raises(ValidationError, match="expected addresses or networks"):
        Settings(proxies=written)
