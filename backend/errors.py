"""Requests that cannot be done. Each error says what was expected and what was got; `api` renders them as RFC 9457."""

from __future__ import annotations


class ArenaError(Exception):
    """A request that cannot be done, through no fault of ours. `title` names the class of error, `detail` this case."""

    status = 400
    slug = "bad-request"
    title = "The request cannot be done"

    def __init__(self, detail: str, *, expected: str | None = None, got: str | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.expected = expected
        self.got = got


class NotFound(ArenaError):
    """There is no such thing, or it is not for this user's eyes."""

    status = 404
    slug = "not-found"
    title = "Not found"


class Forbidden(ArenaError):
    """It exists, but it is somebody else's."""

    status = 403
    slug = "forbidden"
    title = "Not yours"


class Conflict(ArenaError):
    """The present state does not allow it."""

    status = 409
    slug = "conflict"
    title = "Already taken or already done"


class TooLarge(ArenaError):
    """An upload beyond the limit."""

    status = 413
    slug = "too-large"
    title = "Too large"


class Invalid(ArenaError):
    """A value that can be read, but makes no sense here."""

    status = 422
    slug = "invalid"
    title = "Invalid value"


class BadCookie(ArenaError):
    """A cookie that we did not sign, or whose user is gone."""

    status = 401
    slug = "bad-cookie"
    title = "This cookie is not valid"


class TooMany(ArenaError):
    """More at once than one user may have."""

    status = 429
    slug = "too-many"
    title = "Too much at once"


class Unavailable(ArenaError):
    """Something that we depend on is away for the moment."""

    status = 503
    slug = "unavailable"
    title = "Not available right now"
