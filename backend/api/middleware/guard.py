"""Who may send requests at all, checked before anything else looks at one; and what browsers may do with the answers.

- The name in `Host` must be one that the arena answers to, against DNS rebinding.
- A write must not come from a page of another site: neither by its `Origin` nor by what the browser says in
  `Sec-Fetch-Site`. Programs send neither.
- A write to an arena without isolation runs code as the user who started it. It must show that it comes from that user:
  by a token that only this user can read, in a header that no other site's page can send.
"""

from __future__ import annotations

import hmac
import re
from functools import cached_property

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hexarena.backend.api.problems import problem_of, render
from hexarena.backend.errors import ArenaError, BadHost, Forbidden, WrongHost
from hexarena.backend.runtime.headers import safety_headers
from hexarena.backend.runtime.hosts import host_name, hosts_of
from hexarena.backend.runtime.settings import LOCAL_TOKEN, Settings

LOCAL_HEADER = "X-Hexarena-Local"
EMBED = re.compile(r"/embed/matches/[1-9][0-9]{0,15}")
"""The one page that other sites may show in a frame."""
READS = frozenset({"GET", "HEAD", "OPTIONS"})


class Guard:
    """Middleware: refuses requests of which the head shows that they are not meant for this arena."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self._settings = settings
        self._hosts = hosts_of(settings.host, settings.hosts)

    @cached_property
    def _token(self) -> bytes:
        return self._settings.local_token().encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers the request with the app, or with a problem."""
        if scope["type"] == "http":
            try:
                self._check(scope)
            except ArenaError as error:
                await render(problem_of(error))(scope, receive, send)
                return
        elif scope["type"] != "lifespan":
            raise NotImplementedError(f"the arena has no {scope['type']}")
        await self.app(scope, receive, send)

    def _check(self, scope: Scope) -> None:
        """Raises: BadHost, WrongHost, Forbidden."""
        self._check_host(_values(scope, b"host"))
        if scope["method"] not in READS:
            _check_origin(scope)
            if self._settings.sandbox == "none":
                self._check_local(scope)

    def _check_host(self, hosts: list[bytes]) -> None:
        name = host_name(hosts)
        if name is None:
            got = ", ".join(_shown(host) for host in hosts[:3]) or "none"
            raise BadHost("The request does not say which host it is for.", expected="one Host header", got=got)
        if not self._hosts.answers(name):
            raise WrongHost(
                f"This arena does not answer to the name {name}. If the name is yours, start the arena with "
                f"HEXARENA_HOSTS={name} (several names are separated by commas).",
                expected=str(self._hosts),
                got=_shown(hosts[0]),
            )

    def _check_local(self, scope: Scope) -> None:
        given = _values(scope, LOCAL_HEADER.lower().encode())
        if len(given) != 1 or not hmac.compare_digest(given[0], self._token):
            file = self._settings.data_folder.absolute() / LOCAL_TOKEN
            raise Forbidden(
                "This arena runs bots without isolation, so only the user who started it may write. Open the address "
                "that it printed at its start, which ends in #local=…",
                expected=f"the header {LOCAL_HEADER} with the content of {file}",
                got="another value" if given else "no such header",
            )


class SafetyHeaders:
    """Middleware: adds to every answer the headers that say what a browser may do with it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Runs the app; a header that it set itself stays."""

        async def adding(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                content_type = headers.get("content-type", "")
                framed = _is_embed(scope) and content_type.startswith("text/html")
                for name, value in safety_headers(content_type, framed=framed).items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, adding)


def _is_embed(scope: Scope) -> bool:
    return scope["method"] in READS and EMBED.fullmatch(scope["path"]) is not None


def _check_origin(scope: Scope) -> None:
    """Refuses writes from pages of other sites (CSRF). Raises: Forbidden."""
    host = _shown(_values(scope, b"host")[0])
    for origin in map(_shown, _values(scope, b"origin")):
        if origin.partition("://")[2].lower() != host.lower():
            raise Forbidden("The request comes from another site.", expected=f"an origin at {host}", got=origin)
    for site in map(_shown, _values(scope, b"sec-fetch-site")):
        if site not in {"same-origin", "none"}:
            raise Forbidden("The request comes from another site.", expected=f"a page at {host}", got=f"a {site} one")


def _values(scope: Scope, name: bytes) -> list[bytes]:
    return [value for header, value in scope["headers"] if header == name]


def _shown(value: bytes) -> str:
    return value.decode("latin-1")[:200]
