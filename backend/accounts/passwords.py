"""Passwords: argon2id with pwdlib, and what a password must be."""

from __future__ import annotations

import threading
from functools import lru_cache

from precis_i18n import get_profile
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from hexarena.backend.errors import Invalid

LEAST_CHARACTERS = 8
MOST_CHARACTERS = 200
AT_ONCE_MOST = 2
AT_ONCE = threading.BoundedSemaphore(AT_ONCE_MOST)
"""Each hash takes 64 MiB and some 50 ms of a core: a flood of attempts waits here, not in the memory."""
_OPAQUE = get_profile("OpaqueString")


@lru_cache(maxsize=1)
def _hashes() -> PasswordHash:
    return PasswordHash((Argon2Hasher(),))


@lru_cache(maxsize=1)
def _hash_of_nothing() -> str:
    return _hashes().hash("nobody has this password")


def hash_password(password: str, *, name: str) -> str:
    """A new password as it is kept. Raises: Invalid."""
    prepared = check_password(password, name=name)
    with AT_ONCE:
        return _hashes().hash(prepared)


def check_password(password: str, *, name: str) -> str:
    """A new password in the form that is hashed, if it may be one. Raises: Invalid."""
    prepared = _prepared(password)
    if not LEAST_CHARACTERS <= len(prepared) <= MOST_CHARACTERS:
        expected = f"{LEAST_CHARACTERS} to {MOST_CHARACTERS} characters"
        raise Invalid("This password cannot be used.", expected=expected, got=f"{len(prepared)}")
    if len(set(prepared)) < 4 or prepared.casefold() in {name.casefold(), "password", "12345678", "hexarena"}:
        raise Invalid("This password is too easy to guess.", expected="one that is not like your name or a row of keys")
    return prepared


def is_right(password: str, kept: str | None) -> bool:
    """Whether it is the password. Takes as long where there is none, so that nobody can tell accounts by time."""
    try:
        prepared = _prepared(password)
    except Invalid:
        prepared = ""
    with AT_ONCE:
        right = _hashes().verify(prepared[:MOST_CHARACTERS], kept or _hash_of_nothing())
    return right and kept is not None


def _prepared(password: str) -> str:
    """RFC 8265: what looks alike is alike, whatever keyboard it came from. Raises: Invalid."""
    try:
        return str(_OPAQUE.enforce(password))
    except UnicodeEncodeError:
        raise Invalid("This password cannot be used.", expected="text without control characters") from None
