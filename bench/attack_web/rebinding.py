"""Writes under names that are not the arena's, and from pages of other sites."""

from __future__ import annotations

from hexarena.bench.attack_web.attacks import Attack, Outcome, Target

BODY = b'{"game": "chess", "language": "python", "source": "1"}'
"""There is no such game: a request that is let in is answered with 404, and nothing is queued."""
LET_IN = 404
EVIL = (
    (b"attacker.example", b"http://attacker.example"),
    (b"attacker.example:%d", b"http://attacker.example:%d"),
    (b"ATTACKER.EXAMPLE.", b"http://attacker.example"),
    (b"localhost.attacker.example", b"http://localhost.attacker.example"),
    (b"127.0.0.1.attacker.example", b"http://127.0.0.1.attacker.example"),
    (b"localhost@attacker.example", b"http://localhost@attacker.example"),
    (b"attacker.example@localhost", b"http://attacker.example@localhost"),
    (b"localhost, attacker.example", b"http://attacker.example"),
    (b"localhost:x", b"http://localhost:x"),
    (b"2130706433", b"http://2130706433"),
    (b"", b"http://"),
)
"""Host and an Origin that goes with it."""
CROSS = (b"http://attacker.example", b"null", b"http://localhost.attacker.example", b"https://localhost:1", b"")
GOOD = (b"localhost", b"localhost:%d", b"LOCALHOST", b"127.0.0.1:%d", b"[::1]:%d", b"a.localhost")


def _post(*headers: bytes, version: bytes = b"1.1") -> bytes:
    common = (b"Content-Type: application/json", b"Content-Length: %d" % len(BODY), b"Connection: close")
    lines = b"\r\n".join([*headers, *common])
    return b"POST /api/v1/matches HTTP/" + version + b"\r\n" + lines + b"\r\n\r\n" + BODY


def _filled(text: bytes, port: int) -> bytes:
    return text % port if b"%d" in text else text


def _let_in(target: Target, requests: list[bytes]) -> int:
    return sum(target.status(request) == LET_IN for request in requests)


def rebound(target: Target) -> Outcome:
    """A page whose own name points to this machine: Host and Origin agree."""
    pairs = [(_filled(host, target.port), _filled(origin, target.port)) for host, origin in EVIL]
    requests = [_post(b"Host: " + host, b"Origin: " + origin) for host, origin in pairs]
    requests.append(_post(b"Host: localhost", b"Host: attacker.example", b"Origin: http://attacker.example"))
    requests.append(_post(b"Host: attacker.example", b"Host: localhost", b"Origin: http://localhost"))
    requests.append(_post(b"Origin: http://attacker.example", version=b"1.0"))
    target_uri = _post(b"Host: localhost").replace(b"POST /", b"POST http://attacker.example/", 1)
    requests.append(target_uri)
    let_in = _let_in(target, requests)
    return Outcome(f"{let_in} of {len(requests)} let in", let_in == 0)


def cross_site(target: Target) -> Outcome:
    """A page of another site that sends to our name."""
    requests = [_post(b"Host: localhost", b"Origin: " + origin) for origin in CROSS]
    requests.append(_post(b"Host: localhost", b"Sec-Fetch-Site: cross-site"))
    let_in = _let_in(target, requests)
    return Outcome(f"{let_in} of {len(requests)} let in", let_in == 0)


def at_home(target: Target) -> Outcome:
    """No attack: our own page, and programs without an Origin."""
    names = [_filled(name, target.port) for name in GOOD]
    requests = [_post(b"Host: " + name, b"Origin: http://" + name, b"Sec-Fetch-Site: same-origin") for name in names]
    requests += [_post(b"Host: " + name) for name in names]
    let_in = _let_in(target, requests)
    return Outcome(f"{let_in} of {len(requests)} let in", let_in == len(requests))


ATTACKS = (
    Attack("writes under foreign names", "10 of 15 let in", "0 let in", rebound),
    Attack("writes from other sites", "1 of 6 let in", "0 let in", cross_site),
    Attack("writes of our own page", "all let in", "all let in", at_home),
)
