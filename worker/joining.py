"""A worker on another machine joins an arena: with nothing but the arena's address and the token of its host.

The answer says where database, broker and store are, with credentials of the host's own. Both servers are tried before
anything starts, so that a wrong address or a firewall is reported at once. A worker whose database refuses it later
asks the arena again: where its host was removed, it ends.
"""

from __future__ import annotations

import http.client
import json
import os
from dataclasses import dataclass, field
from http import HTTPStatus
from importlib.metadata import version
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import structlog
from redis import Redis
from redis.exceptions import RedisError
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from hexarena.backend.hosts.joining import SHARED
from hexarena.backend.runtime import migrate
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.hosts import is_loopback
from hexarena.backend.runtime.settings import Settings
from hexarena.worker.identity import Identity

log = structlog.get_logger()
PATIENCE_S = 20.0
MOST_BYTES = 1 << 20
NO_ADDRESS = "Expected the address of an arena, such as https://arena.example.org; got {}"
REFUSALS = (HTTPStatus.UNAUTHORIZED, HTTPStatus.CONFLICT)


class JoinFailed(Exception):
    """The worker cannot join. The message says why, and never has the token or a password."""


class Refused(JoinFailed):
    """The arena answered, and does not want this worker: its token, its version."""


@dataclass
class Membership:
    """Of a worker that has joined. `joined`: the settings that it got. `left`: why it no longer belongs to the arena;
    empty while it does.
    """

    address: str
    token: str = field(repr=False)
    joined: Settings = field(repr=False)
    left: str = ""

    def ask(self) -> str:
        """Asks the arena whether the worker still belongs to it, and keeps the answer in `left`, which it returns.

        An arena that does not answer has not said that it does not.
        """
        try:
            welcome = _asked(self.address, self.token)
        except Refused as refusal:
            self.left = str(refusal)
        except JoinFailed:
            pass
        else:
            own = self.joined.database_url, self.joined.redis_url
            if (welcome.get("database_url"), welcome.get("redis_url")) != own:
                self.left = (
                    f"{self.address} has other servers or credentials for this host now. Start the worker again."
                )
        return self.left


class NoRedirects(HTTPRedirectHandler):
    """A redirect would send the token to whoever it names."""

    def redirect_request(self, *_: Any) -> None:
        return None


def join(address: str, token: str, settings: Settings) -> tuple[Settings, Identity]:
    """Joins the arena at this address. Returns the settings of a worker of that arena, and who it is there.

    The store's variables go into this process' environment, where its client looks for them. Raises: JoinFailed.
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        raise JoinFailed(NO_ADDRESS.format(address)) from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise JoinFailed(NO_ADDRESS.format(address))
    if not (token.strip().isascii() and token.strip().isprintable()):
        raise JoinFailed("Expected the token as `hexarena host add` printed it; got other characters, such as a “…”.")
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        log.warning("the token and all credentials cross the network unencrypted", address=address)
    welcome = _asked(address, token)
    try:
        os.environ.update({str(name): str(value) for name, value in welcome["store_variables"].items()})
        shared = {name: welcome["settings"][name] for name in SHARED}
        own = {"database_password_file": None, "secret_key": "", "secret_key_file": None}
        addresses = {"database_url": str(welcome["database_url"]), "redis_url": str(welcome["redis_url"])}
        joined = settings.model_copy(update=shared | own | addresses)
        identity = Identity.of_this_process(str(welcome["host"]), int(welcome["host_id"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise JoinFailed(f"{address} answered something else than an arena does ({type(error).__name__}).") from None
    _try_database(joined)
    _try_broker(joined)
    if not welcome.get("limited"):
        log.warning("the broker of this arena knows no users: this worker has all rights there")
    return joined, identity


def _asked(address: str, token: str) -> dict[str, Any]:
    body = json.dumps({"version": version("hexarena"), "revision": migrate.newest_revision()}).encode()
    headers = {"Authorization": f"Bearer {token.strip()}", "Content-Type": "application/json"}
    request = Request(f"{address.rstrip('/')}/api/v1/hosts/join", data=body, headers=headers, method="POST")  # noqa: S310 - checked above
    try:
        with build_opener(NoRedirects).open(request, timeout=PATIENCE_S) as answer:
            text_answered = answer.read(MOST_BYTES)
    except HTTPError as error:
        raise (Refused if error.code in REFUSALS else JoinFailed)(f"{address} refused: {_problem(error)}") from None
    except (URLError, OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise JoinFailed(f"No arena answers at {address}: {reason}") from None
    except ValueError:  # a name that there cannot be
        raise JoinFailed(NO_ADDRESS.format(address)) from None
    try:
        answered = json.loads(text_answered)
    except ValueError:
        raise JoinFailed(f"{address} answered something else than an arena does.") from None
    if not isinstance(answered, dict):
        raise JoinFailed(f"{address} answered something else than an arena does.")
    return answered


def _problem(error: HTTPError) -> str:
    try:
        found = json.loads(error.read(MOST_BYTES))
        expected = f" Expected {found['expected']}" if found.get("expected") else ""
        got = f"; got {found['got']}" if expected and found.get("got") else ""
        return f"{found['detail']}{expected}{got}"
    except (ValueError, KeyError, TypeError, AttributeError):
        return f"{error.code} {error.reason}"


def _try_database(settings: Settings) -> None:
    database = Database.of(settings, pool_size=1)
    try:
        with database.transaction() as session:
            session.execute(text("SELECT 1"))
    except SQLAlchemyError as error:
        raise JoinFailed(_unreachable("database", settings.database_url, "DATABASE", error)) from None
    finally:
        database.close()


def _try_broker(settings: Settings) -> None:
    try:
        with Redis.from_url(settings.redis_url, socket_timeout=5, socket_connect_timeout=5) as redis:
            redis.ping()
    except RedisError as error:
        raise JoinFailed(_unreachable("broker", settings.redis_url, "REDIS", error)) from None


def _unreachable(what: str, url: str, variable: str, error: Exception) -> str:
    parts = urlsplit(url)
    place = f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)
    why = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
    return (
        f"The arena's {what} at {place} cannot be used from here: {why}. "
        f"If other machines know it by another address, set HEXARENA_JOIN_{variable}_URL where the API runs."
    )
