"""The life of an account: made by signing up, signed in to, renamed, perhaps given another role.

Signing up turns a guest into an account: the same row, so that all that is theirs stays theirs. Signing in to an
account that exists moves a guest's things to it (`adopt`).

An account that anybody could make, by a password alone, is as free as a guest's cookie. So it keeps the key of the
network that it was made from for its first days, and counts for this network as guests do (`matches.shares`); then
`forget_networks` makes it null. Accounts of whoever was invited, imported or sent by a provider never have one.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from hexarena.backend.accounts.names import clean_name, key_of, reserved_by, too_near
from hexarena.backend.accounts.passwords import hash_password, is_right
from hexarena.backend.accounts.sessions import end_others
from hexarena.backend.errors import ArenaError, Conflict, Invalid, NotAllowed, NotFound, SignInFailed
from hexarena.backend.models import (
    Bot,
    Duel,
    EventEntry,
    Match,
    Notice,
    OidcIdentity,
    Submission,
    Token,
    User,
    UserKind,
    UserRole,
)
from hexarena.backend.runtime.locks import AdvisoryLock, hold

EMAIL = re.compile(r"[^@\s]{1,64}@[^@\s]{1,189}")
SUFFIXES = range(2, 1000)
"""Tried when the name that an OpenID provider gives is taken."""
OF_GUESTS = (
    Bot.owner_id,
    Submission.user_id,
    Match.requested_by_id,
    Duel.requested_by_id,
    EventEntry.user_id,
    Token.user_id,
    Notice.user_id,
)
"""Whose a guest's things are: what moves to an account that they sign in to."""


@dataclass(frozen=True, slots=True)
class Claims:
    """What an OpenID provider says about somebody. `names`: what they may want to be called, best first."""

    provider: str
    subject: str
    names: tuple[str, ...]
    email: str | None


def sign_up(
    session: Session,
    guest: User | None,
    *,
    name: str,
    password: str,
    email: str | None = None,
    role: UserRole = UserRole.USER,
    network: str | None = None,
) -> User:
    """Makes an account with a password, of the guest if there is one. Raises: Invalid, Conflict (the name).

    `network`: the key of the one that the account counts for while it is new; None if it is somebody known.
    """
    tidy = clean_name(name)
    password_hash = hash_password(password, name=tidy)
    user = _new_account(session, guest, tidy, role)
    user.password_hash, user.email, user.network = password_hash, clean_email(email), network
    session.flush()
    return user


def _new_account(session: Session, guest: User | None, name: str, role: UserRole) -> User:
    check_name(session, name, but=None)
    if guest is None or guest.kind != UserKind.GUEST:
        user = User(kind=UserKind.ACCOUNT, name=name, name_key=key_of(name), role=role)
        session.add(user)
    else:
        user = guest
        user.kind, user.name, user.name_key, user.role = UserKind.ACCOUNT, name, key_of(name), role
        user.network, user.created_at = None, func.now()
    session.flush()
    return user


def forget_networks(session: Session, days: int) -> None:
    """Makes the networks of accounts null that are not new any more. `days`: for how many they are."""
    old = (User.kind == UserKind.ACCOUNT) & (User.created_at <= func.now() - timedelta(days=days))
    session.execute(update(User).where(User.network.is_not(None), old).values(network=None))


def check_name(session: Session, name: str, *, but: int | None) -> None:
    """Whether nobody but the user `but` has this name or one too near to it. Serialises those who ask.

    Raises: Invalid (reserved), Conflict (taken).
    """
    lock_names(session)
    reserved = reserved_by(name)
    if reserved is not None:
        raise too_near(name, reserved)
    other = session.scalar(select(User).where(User.name_key == key_of(name)))
    if other is not None and other.id != but:
        near = too_near(name, other.name)
        raise Conflict(near.detail, expected=near.expected, got=near.got)


def lock_names(session: Session) -> None:
    """Until this transaction ends, nobody else takes a name."""
    hold(session, AdvisoryLock.NAMES)


def role_named(written: str) -> UserRole:
    """A role as somebody writes it. Raises: Invalid."""
    try:
        return UserRole(written.strip().lower())
    except ValueError:
        raise Invalid("There is no such role.", expected="user or organiser", got=repr(written)) from None


def clean_email(email: str | None) -> str | None:
    """An address as it is stored. Raises: Invalid."""
    tidy = (email or "").strip()
    if not tidy:
        return None
    if not EMAIL.fullmatch(tidy):
        raise Invalid("This is not an email address.", expected="one like you@example.org, or none", got=tidy[:80])
    return tidy


def sign_in(session: Session, *, name: str, password: str) -> User:
    """The account of this name, if the password is right. Raises: SignInFailed, NotAllowed (banned)."""
    user = session.scalar(select(User).where(User.name_key == key_of(name[:100]), User.kind == UserKind.ACCOUNT))
    known = user is not None and " ".join(name.split()).casefold() == user.name.casefold()
    if not is_right(password, user.password_hash if user is not None and known else None) or user is None:
        raise SignInFailed("Name or password is wrong.", expected="the name and password of an account of this arena")
    if user.ban_reason is not None:
        raise NotAllowed(f"You are banned: {user.ban_reason}", expected="somebody who may take part", got="a ban")
    return user


def sign_in_by_oidc(session: Session, claims: Claims) -> User | None:
    """The account that this identity belongs to, if any."""
    identity = session.get(OidcIdentity, (claims.provider, claims.subject))
    return None if identity is None else session.get(User, identity.user_id)


def sign_up_by_oidc(session: Session, guest: User | None, claims: Claims, role: UserRole) -> User:
    """Makes an account for this identity, with a free name like the one that the provider gives."""
    user = _new_account(session, guest, _free_name(session, claims.names), role)
    try:
        user.email = clean_email(claims.email)
    except Invalid:
        user.email = None
    link(session, user, claims)
    return user


def link(session: Session, user: User, claims: Claims) -> None:
    """Lets this identity sign in to the account. Raises: Conflict where it is another account's."""
    identity = session.get(OidcIdentity, (claims.provider, claims.subject))
    if identity is not None and identity.user_id != user.id:
        raise Conflict("This identity belongs to another account.", expected="one that no account has")
    if identity is None:
        session.add(OidcIdentity(provider=claims.provider, subject=claims.subject, user_id=user.id))
    if user.kind == UserKind.ACCOUNT:
        user.network = None  # The provider knows them.
    session.flush()


def _free_name(session: Session, names: tuple[str, ...]) -> str:
    for wanted in (*names, "player"):
        letters = re.sub(r"[^\w .+-]+", " ", wanted.partition("@")[0])[:20].strip(" ._+-")
        for name in (letters, *(f"{letters} {number}" for number in SUFFIXES)):
            try:
                tidy = clean_name(name)
            except Invalid:
                break
            try:
                check_name(session, tidy, but=None)
            except ArenaError:
                continue
            return tidy
    raise Conflict("No free name was found.")


def adopt(session: Session, account: User, guest: User | None) -> None:
    """Moves all that is a guest's to an account, in this transaction, and ends the guest."""
    if guest is None or guest.kind != UserKind.GUEST or guest.id == account.id:
        return
    both = select(User).where(User.id.in_((account.id, guest.id))).order_by(User.id).with_for_update()
    there = session.scalars(both.execution_options(populate_existing=True)).all()
    if len(there) < 2 or guest.kind != UserKind.GUEST:
        return  # Another tab has signed up, or in, meanwhile.
    for owner in OF_GUESTS:
        session.execute(update(owner.class_).where(owner == guest.id).values({owner.key: account.id}))
    session.flush()
    session.execute(delete(User).where(User.id == guest.id))
    session.expunge(guest)


def guests(session: Session, ids: Collection[int]) -> set[int]:
    """Those of these users who are guests: who has signed up is none any more."""
    found = select(User.id).where(User.id.in_(ids), User.kind == UserKind.GUEST)
    return set(session.scalars(found)) if ids else set()


def change_password(session: Session, user: User, *, old: str, new: str, but_session: int | None) -> None:
    """Sets another password and ends all other sessions. `old` is not asked for where there was none.

    Raises: SignInFailed, Invalid.
    """
    if user.password_hash is not None and not is_right(old, user.password_hash):
        raise SignInFailed("The old password is wrong.", expected="the password that you sign in with")
    user.password_hash = hash_password(new, name=user.name)
    session.flush()
    end_others(session, user.id, but_session)


def rename(session: Session, user: User, name: str) -> None:
    """Gives a user another name. Raises: Invalid, Conflict."""
    tidy = clean_name(name)
    check_name(session, tidy, but=user.id)
    user.name, user.name_key = tidy, key_of(tidy)
    session.flush()


def named(session: Session, name: str) -> User:
    """The account of this name. Raises: NotFound."""
    found = session.scalar(select(User).where(User.name_key == key_of(name), User.kind == UserKind.ACCOUNT))
    if found is None or found.name.casefold() != " ".join(name.split()).casefold():
        near = "" if found is None else f" There is “{found.name}”."
        raise NotFound(f"There is no account “{name}”.{near}", got=name)
    return found


def set_role(session: Session, user_id: int, role: UserRole) -> User:
    """Gives an account a role. Raises: NotFound, Conflict (the last organiser)."""
    organisers = select(User.id).where(User.role == UserRole.ORGANISER).order_by(User.id).with_for_update()
    current = session.scalars(organisers).all()
    user = session.scalar(select(User).where(User.id == user_id, User.kind == UserKind.ACCOUNT).with_for_update())
    if user is None:
        raise NotFound(f"There is no account {user_id}.")
    if role == UserRole.USER and list(current) == [user.id]:
        raise Conflict("This is the only organiser.", expected="another organiser first")
    user.role = role
    if role == UserRole.ORGANISER:
        user.network = None
    session.flush()
    return user
