"""Where webhooks may be: the public internet, and what the settings name."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from hexarena.backend.errors import Conflict, Invalid
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.webhooks.addresses import AddressRefused, checked, is_public, resolved, target_of

PUBLIC = ("1.1.1.1", "93.184.215.14", "172.15.0.1", "172.32.0.1", "100.63.0.1", "2606:4700::1111", "2a00:1450::1")
NOT_PUBLIC = {
    "this network": "0.0.0.0",  # noqa: S104 - nothing listens here
    "loopback": "127.0.0.1",
    "all of loopback": "127.9.9.9",
    "private 10": "10.0.0.1",
    "private 172, first": "172.16.0.0",
    "private 172, last": "172.31.255.255",
    "private 192": "192.168.1.1",
    "of providers": "100.64.0.1",
    "of providers, last": "100.127.255.255",
    "link-local, with the cloud's metadata": "169.254.169.254",
    "protocols": "192.0.0.8",
    "documentation 1": "192.0.2.1",
    "documentation 2": "198.51.100.1",
    "documentation 3": "203.0.113.1",
    "6to4 relay": "192.88.99.1",
    "benchmarks": "198.19.0.1",
    "multicast": "224.0.1.1",
    "multicast, scoped": "239.255.255.250",
    "reserved": "240.0.0.1",
    "broadcast": "255.255.255.255",
    "none, 6": "::",
    "loopback, 6": "::1",
    "mapped": "::ffff:127.0.0.1",
    "mapped, public": "::ffff:1.1.1.1",
    "compatible": "::127.0.0.1",
    "translated": "64:ff9b::7f00:1",
    "translated, local": "64:ff9b:1::1",
    "discard": "100::1",
    "6to4": "2002:7f00:1::1",
    "Teredo": "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "ORCHID": "2001:20::1",
    "documentation, 6": "2001:db8::1",
    "documentation, new": "3fff::1",
    "unique local": "fd00::1",
    "link-local, 6": "fe80::1",
    "site-local": "fec0::1",
    "multicast, 6": "ff02::1",
    "segment routing": "5f00::1",
}


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_public(address: str) -> None:
    assert is_public(ip_address(address))
    assert resolved(target_of("https://hooks.example"), "", lambda *_: [address]) == [address]


@pytest.mark.parametrize("address", NOT_PUBLIC.values(), ids=NOT_PUBLIC.keys())
def test_no_other_address_is_connected_to(address: str) -> None:
    assert not is_public(ip_address(address))
    target = target_of("https://hooks.example")
    with pytest.raises(AddressRefused, match="not one of the public internet"):
        resolved(target, "", lambda *_: [address])
    with pytest.raises(AddressRefused):  # one that is public does not help
        resolved(target, "", lambda *_: ["1.1.1.1", address])
    with pytest.raises(Invalid):
        checked(f"http://{f'[{address}]' if ':' in address else address}/", Settings())


def test_a_zone_does_not_hide_an_address() -> None:
    with pytest.raises(AddressRefused):
        resolved(target_of("https://hooks.example"), "", lambda *_: ["fe80::1%eth0"])


@pytest.mark.parametrize("written", ["2130706433", "0x7f000001", "127.1", "0177.0.0.1", "localhost"])
def test_other_ways_to_write_loopback_are_found_out_when_they_are_looked_up(written: str) -> None:
    from hexarena.backend.webhooks.addresses import look_up

    with pytest.raises(AddressRefused):
        resolved(target_of(f"http://{written}/"), "", look_up)


def test_hosts_of_the_settings_may_have_any_address() -> None:
    for allowed in ("hooks.class", "*.class", "other, HOOKS.class"):
        assert resolved(target_of("http://hooks.class:8080/"), allowed, lambda *_: ["10.0.0.7"]) == ["10.0.0.7"]
    for allowed in ("", "class", "*.hooks.class", "hooks.class.example"):
        with pytest.raises(AddressRefused):
            resolved(target_of("http://hooks.class:8080/"), allowed, lambda *_: ["10.0.0.7"])
    assert checked("http://127.0.0.1:9000/a", Settings(webhook_hosts="127.0.0.1")) == "http://127.0.0.1:9000/a"


def test_a_name_that_is_not_found_is_refused_in_words() -> None:
    def unknown(*_: object) -> list[str]:
        raise OSError("Name or service not known")

    with pytest.raises(AddressRefused, match=r"The name hooks\.example was not found"):
        resolved(target_of("https://hooks.example"), "", unknown)


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("ftp://hooks.example/", "does not begin with"),
        ("hooks.example/a", "does not begin with"),
        ("https:///a", "does not begin with"),
        ("file:///etc/passwd", "does not begin with"),
        ("https://user:secret@hooks.example/", "user name or password"),
        ("http://hooks.example:22/", "Port 22"),
        ("http://hooks.example:1023/", "Port 1023"),
        ("http://hooks.example:65536/", "Port 65536"),
        ("http://[::1", "not the address"),
        ("http://*.example/", "no name of a server"),
        ("http://hooks example/", "no name of a server"),
        ("http://hooks..example/", "no name of a server"),
        ("http://hooks.example/\0", "not the address"),
        ("http://hooks.example/\ud800", "not the address"),
        ("https://hooks.example/" + 2000 * "a", "too long"),
    ],
)
def test_what_is_no_address_of_a_web_server_is_refused(url: str, complaint: str) -> None:
    with pytest.raises(Invalid, match=complaint):
        checked(url, Settings())


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        (" https://hooks.example/a?b=c#d ", "https://hooks.example/a?b=c"),
        ("http://hooks.example:80/", "http://hooks.example/"),
        ("https://hooks.example:1024/", "https://hooks.example:1024/"),
        ("https://HOOKS.example", "https://hooks.example"),
        ("https://münchen.example/", "https://xn--mnchen-3ya.example/"),
    ],
)
def test_addresses_are_kept_as_they_are_used(url: str, kept: str) -> None:
    assert str(target_of(checked(url, Settings())).url) == str(target_of(kept).url)
    assert target_of(checked(url, Settings())).host == target_of(kept).host


def test_an_arena_may_want_https_or_nothing() -> None:
    assert checked("https://hooks.example/", Settings(webhooks="https"))
    with pytest.raises(Invalid, match="https:// only"):
        checked("http://hooks.example/", Settings(webhooks="https"))
    with pytest.raises(Conflict):
        checked("https://hooks.example/", Settings(webhooks="off"))
