"""Errors of requests. Each says what was expected and what was got; `api` renders them as RFC 9457."""

from __future__ import annotations

from dataclasses import dataclass


class ArenaError(Exception):
    """A request that cannot be fulfilled; not our fault. `title` names the class of error, `detail` this case."""

    status = 400
    slug = "bad-request"
    title = "The request cannot be done"

    def __init__(self, detail: str, *, expected: str | None = None, got: str | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.expected = expected
        self.got = got


class BadHost(ArenaError):
    """A request without a Host header that can be read, or with several."""

    slug = "bad-host"
    title = "No host name that can be read"


class WrongHost(ArenaError):
    """The request was sent to a name that this arena does not answer to."""

    status = 421
    slug = "wrong-host"
    title = "Not a name of this arena"


class NotFound(ArenaError):
    """It does not exist, or this user may not see it."""

    status = 404
    slug = "not-found"
    title = "Not found"


class Forbidden(ArenaError):
    """It exists, but belongs to somebody else."""

    status = 403
    slug = "forbidden"
    title = "Not yours"


class Conflict(ArenaError):
    """The current state does not allow it."""

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


class SignInNeeded(ArenaError):
    """Nobody is signed in, and visitors may not do this; or the token does not exist."""

    status = 401
    slug = "sign-in-needed"
    title = "Sign in first"


class SignInFailed(ArenaError):
    """A wrong name or password."""

    status = 401
    slug = "sign-in-failed"
    title = "This did not sign you in"


class NotAllowed(ArenaError):
    """This user's role, or this token's scopes, do not suffice."""

    status = 403
    slug = "not-allowed"
    title = "You may not do this"


@dataclass(frozen=True, slots=True)
class Quota:
    """A limit that a request reached. `window_s`: in so many seconds; None: at once. `unit`: if not requests."""

    name: str
    most: int
    window_s: int | None = None
    unit: str | None = None


class TooMany(ArenaError):
    """More than one user, or one network, may have. `retry_s`: trying again makes sense after so long."""

    status = 429
    slug = "too-many"
    title = "Too much at once"

    def __init__(
        self,
        detail: str,
        *,
        expected: str | None = None,
        got: str | None = None,
        retry_s: float = 10.0,
        quota: Quota | None = None,
    ) -> None:
        super().__init__(detail, expected=expected, got=got)
        self.retry_s = retry_s
        self.quota = quota


class StorageFull(ArenaError):
    """No room is left for anything new. What there is can be read, and deleted."""

    status = 507
    slug = "storage-full"
    title = "The arena's disk is full"

    def __init__(self) -> None:
        what = "Nothing new can be stored or played until there is room again."
        super().__init__(f"{what} What is stored can be read; nothing is lost.")


class Unavailable(ArenaError):
    """Something that we depend on is unavailable at the moment."""

    status = 503
    slug = "unavailable"
    title = "Not available right now"
