"""What can be set from outside: environment variables, each with a default that works on one machine."""

from __future__ import annotations

import fcntl
import os
import secrets
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

SOURCE_BYTES = 100_000
"""The largest source file that is taken."""


class Settings(BaseSettings):
    """Variables are named HEXARENA_*, but for DATABASE_URL and REDIS_URL. A `..._FILE` folder may hold secrets."""

    model_config = SettingsConfigDict(env_prefix="HEXARENA_", frozen=True, extra="ignore")

    database_url: str = Field(default="", validation_alias="DATABASE_URL")
    """postgresql://…; empty: `hexarena up` starts a server of its own in the data folder."""
    redis_url: str = Field(default="", validation_alias="REDIS_URL")
    """redis://… or unix://…; empty: as above."""
    database_password_file: Path | None = None
    """A file with the database password, for container secrets."""
    namespace: str = Field(default="hexarena", pattern=r"^[a-z0-9_-]{1,40}$")
    """Begins the names of our queue and streams in the broker, so that several arenas can share one."""
    data_folder: Path = Path(".hexarena")
    """Replays, build cache, key and embedded servers live here."""
    secret_key: str = ""
    """Signs the cookies. Empty: made once and kept in the data folder."""
    secret_key_file: Path | None = None
    sandbox: Literal["bwrap", "none"] = "bwrap"
    """`none` runs bots without walls: for local development only."""
    secure_cookies: bool = False
    """Send cookies over HTTPS only: for an arena behind TLS."""
    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=1, le=65535)
    worker_processes: int = Field(default=2, ge=1, le=64)
    """Matches that one worker plays at once."""
    lease_s: float = Field(default=15.0, gt=0)
    """A running match whose worker is silent for so long is played again by another. Workers renew at a third of it."""
    queue_lease_s: float = Field(default=30.0, gt=0)
    """How long a sent match may wait for a worker before it is sent again."""
    max_attempts: int = Field(default=4, ge=1)
    """A match that was started so often without an end is void."""
    fill_in_s: float = Field(default=2.0, ge=0)
    """Pause between ladder matches that nobody waits for; 0 turns them off."""

    def signing_key(self) -> str:
        """The key that signs cookies, made at the first call where none is set."""
        if self.secret_key:
            return self.secret_key
        if self.secret_key_file is not None:
            return self.secret_key_file.read_text().strip()
        return _key_in(self.data_folder / "secret_key")

    def sqlalchemy_url(self) -> str:
        """The database's address for SQLAlchemy, with the driver and, where it lies in a file, the password."""
        from_scheme = self.database_url.replace("postgres://", "postgresql://", 1)
        url = from_scheme.replace("postgresql://", "postgresql+psycopg://", 1)
        if self.database_password_file is not None:
            user, at, rest = url.partition("@")
            password = quote(self.database_password_file.read_text().strip(), safe="")
            url = f"{user}:{password}{at}{rest}"
        return url


def _key_in(path: Path) -> str:
    """Two processes may start at once: who has locked the empty file writes the key into it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        key = file.read().strip()
        if not key:
            key = secrets.token_urlsafe(32)
            file.write(key)
            file.flush()
            os.fsync(file.fileno())
        return key
