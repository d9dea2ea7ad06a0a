"""The users that hosts have at the broker: each may use the arena's queue of matches and live lines, no more.

The server forgets them when it restarts (unless it has a file for them), so the dispatcher makes them again.
"""

from __future__ import annotations

import hashlib

from redis import Redis
from redis.exceptions import NoPermissionError, ResponseError

COMMANDS = ("+@all", "-@admin", "-@dangerous", "-function")
"""Of what is left, each command reaches the keys below only. Functions have no key: they are the whole server's."""


def keys_of(namespace: str) -> tuple[str, ...]:
    """What workers use: the queue with its parts by priority, live lines, and what Celery notes beside."""
    queue = (namespace, f"{namespace}\x06*", f"_kombu.binding.{namespace}", f"_kombu.binding_permanent.{namespace}")
    return (*queue, "_kombu.binding_deadlines", "unacked*", f"{namespace}:match:*")


def admit(redis: Redis, user: str, password: str, namespace: str) -> bool:
    """Makes the user, or brings it up to date. False: this server knows no users, or we may not make any.

    Raises: RedisError.
    """
    hashed = hashlib.sha256(password.encode()).hexdigest()
    keys = [f"~{key}" for key in keys_of(namespace)]
    try:
        redis.execute_command(  # type: ignore[no-untyped-call]
            "ACL", "SETUSER", user, "on", "resetpass", f"#{hashed}", "resetkeys", *keys, "resetchannels", *COMMANDS
        )
    except (NoPermissionError, ResponseError):
        return False
    return True


def knows(redis: Redis, user: str) -> bool:
    """Whether the server has the user, or no users at all. Raises: RedisError."""
    try:
        return redis.execute_command("ACL", "GETUSER", user) is not None  # type: ignore[no-untyped-call]
    except (NoPermissionError, ResponseError):
        return True


def drop(redis: Redis, user: str) -> None:
    """Removes the user; the server ends its connections. Raises: RedisError."""
    try:
        redis.execute_command("ACL", "DELUSER", user)  # type: ignore[no-untyped-call]
    except (NoPermissionError, ResponseError):
        return
