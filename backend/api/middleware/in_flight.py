"""How many requests of one client may be in flight, also behind a proxy.

Behind a proxy all connections are the proxy's, so `connections` cannot count those of a client; Caddy cannot either.
Here the client is known (`addresses`), and every request counts from its head to the end of its answer: with a body
that is half here, and as an event stream that has left its request (`handover`). Each web process counts its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from hexarena.backend.api.middleware.addresses import client_address
from hexarena.backend.api.middleware.handover import HAND_OVER, Handed, Receiver, receiver_of
from hexarena.backend.api.problems import limit_headers, problem_of, render
from hexarena.backend.errors import Quota, TooMany

RETRY_S = 5.0
"""When some of the client's requests may have been answered."""


class InFlight:
    """Middleware: refuses requests beyond `most` of one client at once. 0: no limit. Used by one event loop."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self.app = app
        self._most = most
        self._counts: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Runs the app, or answers 429."""
        if scope["type"] != "http" or not self._most:
            await self.app(scope, receive, send)
            return
        network = client_address(HTTPConnection(scope))
        if self._counts[network] >= self._most:
            await self._refuse(scope, receive, send)
            return
        self._counts[network] += 1
        with ExitStack() as place:
            place.callback(self._leave, network)
            taker = receiver_of(scope)
            if taker is not None:
                scope["extensions"] = {**scope["extensions"], HAND_OVER: _with_place(taker, place)}
            await self.app(scope, receive, send)

    def _leave(self, network: str) -> None:
        self._counts[network] -= 1
        if not self._counts[network]:
            del self._counts[network]

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        error = TooMany(
            "Too many requests of your address are being answered. Wait a moment, then try again.",
            expected=f"at most {self._most} requests of one address at once",
            got="one more",
            retry_s=RETRY_S,
            quota=Quota("requests-in-flight", self._most, unit="concurrent-requests"),
        )
        response = render(problem_of(error))
        response.headers.update(limit_headers(error))
        # Else the rest of a body would keep the connection, although its request is not counted any more.
        response.headers["Connection"] = "close"
        await response(scope, receive, send)


def _with_place(taker: Receiver, place: ExitStack) -> Callable[[Handed], bool]:
    """Hands a stream over together with its request's place."""

    def take(stream: Handed) -> bool:
        if not taker(stream):
            return False
        stream.held.enter_context(place.pop_all())
        return True

    return take
