"""How many guests and how many accounts may be new in a minute, from one address and from the network around it; how
often one may try to sign in, and ask for messages to one's webhook.

The counters are in the broker, under the arena's namespace. An arena whose broker is away admits everybody: what
guests and new accounts can do is limited by rows as well (`matches.quotas`).
"""

from __future__ import annotations

import time
from hashlib import blake2b
from ipaddress import ip_address, ip_network
from typing import Annotated

import structlog
from fastapi import Depends, Request
from limits import RateLimitItemPerMinute
from limits.errors import StorageError
from limits.storage import RedisStorage
from limits.strategies import MovingWindowRateLimiter
from redis.exceptions import RedisError

from hexarena.backend.api.middleware.addresses import client_address
from hexarena.backend.errors import Quota, TooMany
from hexarena.backend.matches.shares import AROUND_DIGITS
from hexarena.backend.runtime.settings import Settings

log = structlog.get_logger()
MINUTE_S = 60
WIDE_BITS = {4: 24, 6: 48}
"""How many bits the addresses of one provider's customer have in common at least."""
WIDER = 2
"""So many times as many guests may come from all addresses of such a network together."""
NETWORK_DIGITS = 2 * AROUND_DIGITS
ANSWER_S = 1.0
SIGN_INS_OF_ADDRESS = 60
"""Attempts to sign in or up a minute. A class behind one address signs in within a minute; whoever guesses passwords
does not get far."""
SIGN_INS_OF_NAME_THERE = 10
"""Failed ones for one name from one address in a minute. So nobody elsewhere can keep the owner of the name out."""
SIGN_INS_OF_NAME = 100
"""Those for one name from all addresses together from which its account has not signed in lately."""
LATELY_S = 30 * 24 * 3600
"""As long as a session lasts without a visit."""

MESSAGES_ASKED = 10
"""Tests and repeated messages to one webhook in a minute."""


async def _client_network(request: Request) -> str:
    return client_address(request)


ClientNetwork = Annotated[str, Depends(_client_network)]
"""See `addresses.client_address`."""


def wide_network(network: str) -> str:
    """The network around an address: /24, or /48 of IPv6."""
    try:
        address = ip_address(network.partition("/")[0])
    except ValueError:
        return network
    return str(ip_network((address, WIDE_BITS[address.version]), strict=False))


def network_key(signing_key: str, network: str) -> str:
    """What is stored in place of an address: without the arena's key nobody can find the address by trying.

    It begins with `shares.AROUND_DIGITS` digits that all addresses of the network around it have in common.
    """
    return _hash(signing_key, f"around {wide_network(network)}") + _hash(signing_key, network)


def _hash(signing_key: str, text: str) -> str:
    return blake2b(text.encode(), key=signing_key.encode()[:64], digest_size=AROUND_DIGITS // 2).hexdigest()


class Limiter:
    """Counts new guests, new accounts, attempts to sign in, and messages to webhooks."""

    def __init__(self, settings: Settings) -> None:
        self._per_minute = settings.guests_per_minute
        self._key = settings.signing_key()
        self._namespace = settings.namespace
        storage = RedisStorage(
            settings.redis_url.replace("unix://", "redis+unix://", 1),
            key_prefix=f"{settings.namespace}:limits",
            wrap_exceptions=True,
            socket_timeout=ANSWER_S,
            socket_connect_timeout=ANSWER_S,
        )
        self._storage = storage
        self._limiter = MovingWindowRateLimiter(storage)

    def key(self, network: str) -> str:
        """What is stored of the address of a guest or a new account."""
        return network_key(self._key, network)

    def admit(self, network: str) -> None:
        """Counts a new guest from this network. Raises: TooMany."""
        self._admit_new("guests", network)

    def admit_account(self, network: str) -> None:
        """Counts a new account that anybody could make, from this network. Raises: TooMany."""
        self._admit_new("accounts", network)

    def _admit_new(self, whats: str, network: str) -> None:
        if not self._per_minute:
            return
        wide = self._per_minute * WIDER
        narrow_item, wide_item = RateLimitItemPerMinute(self._per_minute), RateLimitItemPerMinute(wide)
        narrow_key = self.key(network)
        wide_key = narrow_key[:AROUND_DIGITS]
        try:
            for where, item, key in (("address", narrow_item, narrow_key), ("network", wide_item, wide_key)):
                if not self._limiter.hit(item, whats, key):  # counted at once: many may ask at the same time
                    again_at = self._limiter.get_window_stats(item, whats, key).reset_time
                    raise _too_many_new(whats, where, item.amount, max(1.0, again_at - time.time()))
        except StorageError as error:
            log.warning(f"the broker does not answer: new {whats} are not counted", error=str(error))

    def admit_sign_in(self, network: str, name: str) -> None:
        """Counts an attempt to sign in or up. `remember_sign_in` takes one that succeeds back. Raises: TooMany."""
        there = self._name_there(network, name)
        try:
            self._admit_attempt("one address", "address", SIGN_INS_OF_ADDRESS, self.key(network))
            self._admit_attempt("one name from one address", "name-there", SIGN_INS_OF_NAME_THERE, there)
            if not self._storage.storage.exists(self._known_key(there)):
                self._admit_attempt("one name", "name", SIGN_INS_OF_NAME, self.key(f"name {_plain(name)}"))
        except (StorageError, RedisError) as error:
            log.warning("the broker does not answer: attempts to sign in are not counted", error=str(error))

    def _admit_attempt(self, whose: str, which: str, most: int, key: str) -> None:
        item = RateLimitItemPerMinute(most)
        if not self._limiter.hit(item, "sign-ins", key):
            again_at = self._limiter.get_window_stats(item, "sign-ins", key).reset_time
            raise TooMany(
                "Too many attempts to sign in. Wait a moment, then try again.",
                expected=f"at most {most} a minute for {whose}",
                got="one more",
                retry_s=max(1.0, again_at - time.time()),
                quota=Quota(f"sign-ins-of-{which}", most, window_s=MINUTE_S),
            )

    def remember_sign_in(self, network: str, name: str) -> None:
        """Somebody of this name signed in from this network. Attempts by others elsewhere do not keep them out."""
        there = self._name_there(network, name)
        try:
            self._limiter.clear(RateLimitItemPerMinute(SIGN_INS_OF_NAME_THERE), "sign-ins", there)
            self._storage.storage.set(self._known_key(there), 1, ex=LATELY_S)
        except (StorageError, RedisError) as error:
            log.warning("the broker does not answer: where somebody signed in is not remembered", error=str(error))

    def _name_there(self, network: str, name: str) -> str:
        """A name and a network as one key, from which neither can be found."""
        return self.key(f"name {_plain(name)} at {network}")

    def _known_key(self, there: str) -> str:
        return f"{self._namespace}:signed-in:{there}"

    def admit_message(self, user_id: int) -> None:
        """Counts a message that somebody asks to be sent to their webhook. Raises: TooMany."""
        item, key = RateLimitItemPerMinute(MESSAGES_ASKED), str(user_id)
        try:
            if not self._limiter.hit(item, "webhook-messages", key):
                again_at = self._limiter.get_window_stats(item, "webhook-messages", key).reset_time
                raise TooMany(
                    "Too many messages to your webhook were asked for in the last minute. Wait a moment.",
                    expected=f"at most {item.amount} a minute",
                    got="one more",
                    retry_s=max(1.0, again_at - time.time()),
                    quota=Quota("webhook-messages", item.amount, window_s=MINUTE_S),
                )
        except StorageError as error:
            log.warning("the broker does not answer: messages to webhooks are not counted", error=str(error))

    def close(self) -> None:
        """Closes the connections."""
        self._storage.storage.close()


def _plain(name: str) -> str:
    """Equal for what signs in to the same account (`accounts.life.sign_in`)."""
    return " ".join(name.split()).casefold()


def _too_many_new(whats: str, where: str, most: int, retry_s: float) -> TooMany:
    return TooMany(
        f"Too many new {whats} came from your {where} in the last minute. Wait a moment, then try again.",
        expected=f"at most {most} new {whats} a minute from one {where}",
        got="one more",
        retry_s=retry_s,
        quota=Quota(f"{whats}-of-{where}", most, window_s=MINUTE_S),
    )
