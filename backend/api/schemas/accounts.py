"""Bodies about accounts, sessions, tokens and invites."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from hexarena.backend.accounts.permissions import Scope
from hexarena.backend.api.schemas.base import Schema
from hexarena.backend.api.schemas.fields import Name, Note, Password, Short
from hexarena.backend.models import UserKind, UserRole


class Usage(Schema):
    """What you used in the last 24 hours, and what you may use; null: no limit.

    `cpu_s`: CPU seconds of your matches, for guests and new accounts of those of all of them in your network; at
    `cpu_again_at` there is more. `bytes`: stored source code, all that you submitted and the drafts of the last day.
    """

    cpu_s: float
    cpu_budget_s: float | None
    cpu_again_at: datetime | None
    bytes: int
    bytes_quota: int | None


class Me(Schema):
    """Who you are. `kind` none: nobody yet; the first upload makes a guest of you, where the arena has guests.

    `has_password`: you can sign in with one. `providers`: those that you can sign in with. `organises`: the arena, or
    an event or class that you were named for.
    """

    id: int | None
    name: str
    kind: UserKind | Literal["none"]
    bots: int
    role: UserRole = UserRole.USER
    organises: bool = False
    email: str | None = None
    has_password: bool = False
    providers: list[str] = Field(default=[])
    created_at: datetime | None = None
    usage: Usage | None = None


class ChangeMe(Schema):
    """Another name or mail address; what is left out stays. An empty address removes it."""

    name: Name | None = None
    email: Short | None = None


class SignInOptions(Schema):
    """How one gets in here. `sign_up`: who may make an account. `providers`: OpenID providers, id and title."""

    sign_up: Literal["open", "invite", "oidc", "closed"]
    guests: bool
    providers: list[Provider]


class Provider(Schema):
    """An OpenID provider. Begin at `url`."""

    id: str
    title: str
    url: str


class SignUp(Schema):
    """A new account. If you are a guest, it takes over all that is yours."""

    name: Name
    password: Password
    email: Short | None = None
    invite: Short | None = None


class SignIn(Schema):
    """If you are a guest, all that is yours moves to the account."""

    name: Short
    password: Password


class ChangePassword(Schema):
    """`old` is not needed where there was none. All other sessions end."""

    old: Password = ""
    new: Password


class DeleteMe(Schema):
    """The account's name, as a confirmation, and its password if it has one."""

    name: Short
    password: Password = ""


class SignedInSession(Schema):
    """A browser in which you are signed in. `current`: this one."""

    id: int
    browser: str
    created_at: datetime
    seen_at: datetime
    expires_at: datetime
    current: bool


class SessionList(Schema):
    """Your sessions, last seen first."""

    items: list[SignedInSession]


class NewToken(Schema):
    """`name`: what it is for. `scopes`: what it may be used for."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=60)]
    scopes: Annotated[list[Scope], Field(min_length=1, max_length=10)]


class Token(Schema):
    """A personal token. `uses`: requests that it was used for."""

    id: int
    name: str
    scopes: list[Scope]
    created_at: datetime
    used_at: datetime | None
    uses: int


class CreatedToken(Token):
    """`token` is shown only now: send it as `Authorization: Bearer …`."""

    token: str


class TokenList(Schema):
    """Your tokens, newest first."""

    items: list[Token]


class UserInfo(Schema):
    """An account, as organisers see it."""

    id: int
    name: str
    kind: UserKind
    role: UserRole
    email: str | None
    bots: int
    banned_at: datetime | None
    ban_reason: str | None
    created_at: datetime
    seen_at: datetime | None


class UserPage(Schema):
    """Accounts, newest first. `next`: for `after`."""

    items: list[UserInfo]
    next: str | None


class ChangeUser(Schema):
    """Another role for an account."""

    role: UserRole


class NewInvite(Schema):
    """A code with which so many people can sign up."""

    uses: Annotated[int, Field(ge=1, le=10_000)] = 1
    days: Annotated[int, Field(ge=1, le=365)] = 14
    note: Annotated[Note, Field(description="A line of text without control characters, for organisers.")] = ""
    role: UserRole = UserRole.USER


class Invite(Schema):
    """An invitation that is still valid."""

    id: int
    note: str
    role: UserRole
    uses_left: int
    created_at: datetime
    expires_at: datetime


class CreatedInvite(Invite):
    """`code` is shown only now."""

    code: str


class InviteList(Schema):
    """Valid invitations, newest first."""

    items: list[Invite]
