"""Many accounts at once: all are made, or none. Nobody who signs up meanwhile waits for it.

Theory of operation. A transaction that takes a name holds the lock on all names until it ends, and a password takes a
quarter of a second to hash. So the rows are checked first, in a transaction of its own; then passwords are hashed, in
none; then the rows are checked once more, as somebody may have taken a name, and stored by one statement.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import ARRAY, String, func, insert, literal, select
from sqlalchemy.orm import Session

from hexarena.backend.accounts.life import clean_email, lock_names, role_named
from hexarena.backend.accounts.names import clean_name, key_of, reserved_by, too_near
from hexarena.backend.accounts.passwords import AT_ONCE_MOST, check_password, hash_password
from hexarena.backend.errors import ArenaError, Conflict, Invalid
from hexarena.backend.models import User, UserKind

SHOWN = 20
"""Problems that are listed one by one."""


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A row as it was written. `line`: its number in the file, for messages."""

    line: int
    name: str
    password: str
    email: str | None = None
    role: str = "user"


def check(session: Session, people: Sequence[Newcomer]) -> None:
    """Raises: Conflict, which says what is wrong in which lines."""
    taken = _taken(session, people)
    problems = []
    for one in people:
        try:
            _check(one, taken)
        except ArenaError as error:
            got = f"; got {error.got}" if error.got else ""
            problems.append(f"line {one.line}, {one.name!r}: {error.detail} Expected {error.expected}{got}")
    if problems:
        shown = "\n".join(problems[:SHOWN])
        more = f"\n… and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
        raise Conflict(f"No account was made, as {len(problems)} of {len(people)} rows are wrong:\n{shown}{more}")


def hashes(people: Iterable[Newcomer]) -> Iterator[str]:
    """The passwords as they are kept, in this order. A quarter of a second of CPU time each. Raises: Invalid."""
    with ThreadPoolExecutor(AT_ONCE_MOST) as pool:
        yield from pool.map(lambda one: hash_password(one.password, name=clean_name(one.name)), people)


def make(session: Session, people: Sequence[Newcomer], hashed: Sequence[str]) -> list[str]:
    """Makes the accounts, of which no network has any (`User.network`). Returns their names.

    Raises: Conflict, when a name was taken since the last check.
    """
    lock_names(session)
    check(session, people)
    rows = [
        {
            "kind": UserKind.ACCOUNT,
            "name": (name := clean_name(one.name)),
            "name_key": key_of(name),
            "password_hash": password_hash,
            "email": clean_email(one.email),
            "role": role_named(one.role),
        }
        for one, password_hash in zip(people, hashed, strict=True)
    ]
    session.execute(insert(User), rows)
    return [str(row["name"]) for row in rows]


def _taken(session: Session, people: Sequence[Newcomer]) -> dict[str, str]:
    """Key -> name, of all accounts' names that these people's may be too near to."""
    keys = set()
    for one in people:
        with suppress(Invalid):
            keys.add(key_of(clean_name(one.name)))
    known = User.name_key == func.any(literal(sorted(keys), ARRAY(String)))
    rows = session.execute(select(User.name_key, User.name).where(known))
    return {key: name for key, name in rows if key is not None}


def _check(one: Newcomer, taken: dict[str, str]) -> None:
    """Adds the name to `taken`. Raises: Invalid."""
    name = clean_name(one.name)
    check_password(one.password, name=name)
    clean_email(one.email)
    role_named(one.role)
    other = reserved_by(name) or taken.get(key_of(name))
    if other is not None:
        raise too_near(name, other)
    taken[key_of(name)] = name
