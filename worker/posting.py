"""Posts a message to an address that somebody else chose.

The name is looked up once, and the connection goes to what was found and checked; the name itself is only in `Host` and
in the TLS handshake, where the certificate must be for it. All of it together has a deadline, redirects are not
followed, no more than a few kilobytes of the answer are read, and no proxy or password of the machine is used.

The system's look-up has no deadline of ours, so it runs in a thread that is left to itself when the time is over.
"""

from __future__ import annotations

import asyncio
import ssl
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, TimeoutError as FutureTimeout
from functools import partial
from http import HTTPStatus
from ipaddress import IPv6Address, ip_address

import httpx2

from hexarena.backend.webhooks import addresses
from hexarena.backend.webhooks.addresses import AddressRefused, Resolve, Target
from hexarena.backend.webhooks.queue import Outcome

TIMEOUT_S = 10.0
READ_BYTES = 4096
AGENT = "Hexarena-Webhooks"
MOST_LOOK_UPS = 64
"""At once, those included that nobody waits for any more."""


class Poster:
    """Posts. `allowed_hosts`: HEXARENA_WEBHOOK_HOSTS. `resolve`: looks names up. `trust`: whose certificates count."""

    def __init__(
        self,
        allowed_hosts: str,
        *,
        https_only: bool = False,
        resolve: Resolve = addresses.look_up,
        trust: ssl.SSLContext | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._allowed_hosts = allowed_hosts
        self._https_only = https_only
        self._resolve = resolve
        self._trust = trust or httpx2.create_ssl_context()
        self._timeout_s = timeout_s
        self._free_look_ups = threading.BoundedSemaphore(MOST_LOOK_UPS)

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Outcome:
        """One try. Never raises for what the address, the network or the receiver do."""
        deadline = time.monotonic() + self._timeout_s
        try:
            target = addresses.target_of(url)
            if self._https_only and target.url.scheme != "https":
                raise AddressRefused("This arena sends to https:// only.")
            found = addresses.resolved(target, self._allowed_hosts, partial(self._look_up, deadline))
        except AddressRefused as refused:
            return Outcome(None, str(refused))
        return asyncio.run(self._post_in_time(target, found, body, headers, deadline - time.monotonic()))

    def _look_up(self, deadline: float, host: str, port: int) -> Sequence[str]:
        """See Resolve. Raises: AddressRefused, where nothing was found in time."""
        late = AddressRefused(f"The name {host} was not found within {self._timeout_s:g} s.")
        if not self._free_look_ups.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise late
        look_up: Future[Sequence[str]] = Future()

        def run() -> None:
            try:
                look_up.set_result(self._resolve(host, port))
            except Exception as error:  # noqa: BLE001 - whoever waits gets it
                look_up.set_exception(error)
            finally:
                self._free_look_ups.release()

        try:
            threading.Thread(target=run, name=f"look up {host}", daemon=True).start()
        except RuntimeError:  # no more threads
            self._free_look_ups.release()
            raise late from None
        try:
            return look_up.result(deadline - time.monotonic())
        except FutureTimeout:
            raise late from None

    async def _post_in_time(
        self, target: Target, found: Sequence[str], body: bytes, headers: Mapping[str, str], seconds: float
    ) -> Outcome:
        try:
            async with asyncio.timeout(seconds):
                return await self._post_to_first(target, found, body, headers)
        except TimeoutError:
            return Outcome(None, f"It did not answer within {self._timeout_s:g} s.")
        except httpx2.HTTPError as error:
            return Outcome(None, _words(error))

    async def _post_to_first(
        self, target: Target, found: Sequence[str], body: bytes, headers: Mapping[str, str]
    ) -> Outcome:
        """To the first of the addresses that can be connected to."""
        options = httpx2.AsyncHTTPTransport(verify=self._trust, trust_env=False, http2=False)
        async with httpx2.AsyncClient(
            transport=options, trust_env=False, follow_redirects=False, timeout=None
        ) as client:
            for address in found[:-1]:
                try:
                    return await _post_to(client, address, target, body, headers)
                except httpx2.ConnectError:
                    continue
            return await _post_to(client, found[-1], target, body, headers)


async def _post_to(
    client: httpx2.AsyncClient, address: str, target: Target, body: bytes, headers: Mapping[str, str]
) -> Outcome:
    plain = address.partition("%")[0]
    where = target.url.copy_with(host=f"[{plain}]" if isinstance(ip_address(plain), IPv6Address) else plain)
    own = {
        **headers,
        "host": target.authority,
        "content-type": "application/json",
        "user-agent": AGENT,
        "accept": "*/*",
        "accept-encoding": "identity",
    }
    request = client.build_request("POST", where, content=body, headers=own, extensions={"sni_hostname": target.host})
    answer = await client.send(request, stream=True)
    try:
        return _outcome(answer.status_code, await _beginning(answer))
    finally:
        await answer.aclose()


async def _beginning(answer: httpx2.Response) -> bytes:
    read = b""
    async for chunk in answer.aiter_raw():
        read += chunk
        if len(read) >= READ_BYTES:
            break
    return read[:READ_BYTES]


def _outcome(status: int, beginning: bytes) -> Outcome:
    excerpt = _printable(beginning.decode("utf-8", "replace"))
    if HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES:
        return Outcome(status, "", excerpt)
    try:
        words = f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        words = str(status)
    followed = " Redirects are not followed." if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST else ""
    return Outcome(status, f"It answered {words}.{followed}", excerpt)


def _printable(text: str) -> str:
    return "".join(one if one.isprintable() or one == "\n" else " " for one in text).strip()


def _words(error: httpx2.HTTPError) -> str:
    if isinstance(error, httpx2.ConnectError):
        return f"No connection: {_printable(str(error))}."
    return f"The connection broke: {_printable(str(error)) or type(error).__name__}."
