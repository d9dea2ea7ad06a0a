"""Work that tests share, since each of them would do it anew in its own arena: compiled SQL, and cheap passwords."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher
from sqlalchemy import Engine, create_engine

from hexarena.backend.accounts import passwords
from hexarena.backend.runtime import db

CHEAP_HASHES = PasswordHash((Argon2Hasher(time_cost=1, memory_cost=64, parallelism=1),))


class CompiledSql(dict[tuple[Any, ...], Any]):
    """Statement -> its SQL, for all engines of a process: SQLAlchemy's `compiled_cache`.

    SQLAlchemy's keys begin with the engine's dialect, and each engine has one of its own. All of them are alike here,
    so that the keys go without it.
    """

    MOST = 3_000

    def get(self, key: tuple[Any, ...], default: Any = None) -> Any:
        """What was compiled for it by whichever engine."""
        return super().get(key[1:], default)

    def __setitem__(self, key: tuple[Any, ...], value: Any) -> None:
        if len(self) >= self.MOST:
            self.clear()
        super().__setitem__(key[1:], value)


COMPILED = CompiledSql()


def _engine(*args: Any, **options: Any) -> Engine:
    return create_engine(*args, **options, execution_options={"compiled_cache": COMPILED})


@contextmanager
def shared_work() -> Iterator[None]:
    """In the block, engines compile a statement once a process, and hashing a password costs next to nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(db, "create_engine", _engine)
        patch.setattr(passwords, "_hashes", lambda: CHEAP_HASHES)
        yield
