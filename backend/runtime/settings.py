"""The settings: environment variables, each with a default that works on one machine."""

from __future__ import annotations

import fcntl
import os
import secrets
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import quote

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from hexarena.backend.runtime.hosts import checked_listener, checked_names, checked_networks

MOST_PROCESSES = 64
"""Of a worker, each with a sandbox: a machine has users for as many (`worker/sandbox/users.py`)."""
SECRET_KEY = "secret_key"  # noqa: S105 - a file name
LOCAL_TOKEN = "local_token"  # noqa: S105 - a file name
"""A file in the data folder, readable for its owner only."""


class OidcProvider(BaseModel):
    """An OpenID provider that people may sign in with. `issuer`: its address, where it describes itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=r"^[a-z0-9-]{1,40}$")
    title: str = Field(min_length=1, max_length=60)
    issuer: str = Field(pattern=r"^https?://")
    client_id: str
    client_secret: str = ""
    scope: str = "openid profile email"


class UnreadableSecret(Exception):
    """A file that should hold a secret."""


class Settings(BaseSettings):
    """Variables are named HEXARENA_*, except for DATABASE_URL and REDIS_URL. A `..._FILE` folder may hold secrets."""

    model_config = SettingsConfigDict(env_prefix="HEXARENA_", frozen=True, extra="ignore")

    database_url: str = Field(default="", validation_alias="DATABASE_URL")
    """postgresql://…; empty: `hexarena up` starts a server of its own in the data folder."""
    redis_url: str = Field(default="", validation_alias="REDIS_URL")
    """redis://… or unix://…; empty: as above."""
    database_password_file: Path | None = None
    """A file with the database password, for container secrets."""
    namespace: str = Field(default="hexarena", pattern=r"^[a-z0-9_-]{1,40}$")
    """Prefix of our queue and streams in the broker, so that several arenas can share one."""
    data_folder: Path = Path(".hexarena")
    """Replays, build cache, key and embedded servers live here."""
    store: str = Field(default="", pattern=r"^(|(s3|gs|az)://.+)$")
    """Where replays and seat logs are, such as s3://bucket/arena; empty: the folder `blobs` in the data folder."""
    keep_replays_days: int = Field(default=0, ge=0)
    """Replays of rated matches, checks and duels are deleted after so many days. 0: never."""
    keep_practice_days: int = Field(default=0, ge=0)
    """The same for practice matches. 0: never."""
    keep_logs_days: int = Field(default=0, ge=0)
    """Seat logs of all matches (what bots read, wrote and logged) are deleted after so many days. 0: never."""
    disk_reserve_bytes: int = Field(default=300_000_000, ge=0)
    """With less room than this on the data folder's disk, nothing new begins, and what runs can end. 0: no limit."""
    secret_key: str = ""
    """Signs the cookies. Empty: generated once and kept in the data folder."""
    secret_key_file: Path | None = None
    sandbox: Literal["bwrap", "none"] = "bwrap"
    """`none` runs bots without isolation: for local development only."""
    toolchains: Annotated[Path | None, BeforeValidator(lambda text: text or None)] = None
    """A root that `make toolchains` made, with the programs that sandboxes get; the machine's own if empty."""
    log_refused_calls: bool = False
    """Whether the kernel logs the system calls that sandboxes are refused, and workers that may read its log, too."""
    sign_up: Literal["open", "invite", "oidc", "closed"] = "open"
    """Who may make an account: everybody, whoever has an invitation, whoever an OpenID provider knows, nobody.
    Invitations are always good for one."""
    guests: bool = True
    """Whether visitors may play and submit without an account."""
    oidc: tuple[OidcProvider, ...] = ()
    """OpenID providers to sign in with, as JSON: docs/accounts.md has examples."""
    secure_cookies: bool = False
    """Send cookies over HTTPS only: for an arena behind TLS."""
    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=1, le=65535)
    hosts: Annotated[str, AfterValidator(checked_names)] = ""
    """The names that this arena answers to besides those of loopback, with commas: `backend/runtime/hosts.py`."""
    proxies: Annotated[str, AfterValidator(checked_networks)] = ""
    """The addresses or networks of reverse proxies whose `X-Forwarded-For` is believed.

    See `backend/api/middleware/addresses.py`.
    """
    connections: int = Field(default=1_000, ge=10, le=60_000)
    """Connections to the API at most, event streams included; fewer where the system allows fewer open files."""
    connections_each: int = Field(default=100, ge=1)
    """Connections of one client at most; proxies have no limit."""
    requests_each: int = Field(default=160, ge=0)
    """Requests of one client in flight in each web process, event streams included, also behind proxies: four each for
    forty. 0: no limit."""
    streams_each: int = Field(default=80, ge=0)
    """Event streams of one client in each web process, also behind proxies: two each for forty. 0: no limit."""
    canvas: Annotated[Path | None, BeforeValidator(lambda text: text or None)] = None
    """Where npm installed `@napi-rs/canvas`, with which pictures of matches are drawn; a checkout has it already."""
    logs: Literal["auto", "json"] = "auto"
    """`json`: each line of a log is JSON, those of libraries included. `auto`: lines for people on a terminal."""
    metrics_token: str = ""
    """Who sends it as `Authorization: Bearer …` may read `/metrics`, wherever the request comes from."""
    metrics_token_file: Path | None = None
    metrics_networks: Annotated[str, AfterValidator(checked_networks)] = "127.0.0.0/8,::1"
    """The addresses or networks that may read `/metrics` without the token."""
    metrics_listen: Annotated[str, AfterValidator(checked_listener)] = ""
    """Where parts other than the API serve this host's figures, HOST:PORT: `backend/runtime/metrics_server.py`."""
    worker_processes: int = Field(default=2, ge=1, le=MOST_PROCESSES)
    """Matches that one worker plays at once."""
    spare_processes: int = Field(default=2, ge=0, le=16)
    """Matches that it holds beyond these: so many slots can be lent out."""
    keep_bots_s: float = Field(default=20.0, ge=0)
    """How long a match keeps its bots while a person thinks; then they start again with the reply. 0: never."""
    person_patience_s: float = Field(default=3600.0, ge=1)
    """How long a match waits for a person's reply before it is abandoned."""
    lease_s: float = Field(default=15.0, gt=0)
    """A running match whose lease was not renewed for this long is played again. Workers renew after a third of it."""
    queue_lease_s: float = Field(default=30.0, gt=0)
    """How long a sent match may wait for a worker before it is sent again."""
    max_attempts: int = Field(default=4, ge=1)
    """A match that was started this often without a result is void."""
    transaction_idle_s: float = Field(default=5.0, ge=0.1)
    """A transaction whose process sleeps loses its locks after so long. Longer where the machine is very busy."""
    fill_in_s: float = Field(default=2.0, ge=0)
    """Pause between ladder matches that nobody waits for; 0 turns them off."""

    join_database_url: str = Field(default="", pattern=r"^(|postgres(ql)?://.+)$")
    """The database's address as hosts elsewhere see it, without user and password; empty: DATABASE_URL's."""
    join_redis_url: str = Field(default="", pattern=r"^(|rediss?://.+)$")
    """The same of the broker."""
    join_store: dict[str, str] = Field(default={})
    """Variables by which hosts elsewhere reach the store, as JSON; empty: those of the API itself (AWS_… and so on)."""

    webhooks: Literal["http", "https", "off"] = "http"
    """Where webhooks may be: anywhere, where connections are encrypted, nowhere."""
    webhook_hosts: Annotated[str, AfterValidator(checked_names)] = ""
    """Names whose addresses need not be public, with commas: `backend/webhooks/addresses.py`."""

    guests_per_minute: int = Field(default=60, ge=0)
    """New guests from one address in a minute, and twice as many from the network around it (/24, IPv6: /48); so many
    new accounts, too. 0: no limit."""
    new_account_days: int = Field(default=7, ge=0, le=3650)
    """An account that anybody could make counts for its address so long, as a guest does. 0: never."""
    queue_per_network: int = Field(default=120, ge=0)
    """Practice and check matches of all guests and new accounts of one address in the queue: three each for forty.
    Twice as many of the network around it. 0: no limit."""
    guest_cpu_s: float = Field(default=14_400.0, ge=0)
    """CPU seconds a day for the matches of all guests and new accounts of one address. 0: no limit."""
    account_cpu_s: float = Field(default=21_600.0, ge=0)
    """CPU seconds a day for the matches of one account. 0: no limit."""
    guest_bytes: int = Field(default=2_000_000, ge=0)
    """Source code of one guest: all that was submitted, and drafts of the last day. 0: no limit."""
    network_bytes: int = Field(default=8_000_000, ge=0)
    """The same of all guests and new accounts of one address. 0: no limit."""
    account_bytes: int = Field(default=50_000_000, ge=0)
    """The same of one account. 0: no limit."""
    bots_each: int = Field(default=3, ge=0)
    """Bots of one owner on the ladder of one game. Those that are there when it is lowered stay. 0: no limit."""
    versions_a_day: int = Field(default=20, ge=0)
    """Versions of one owner that enter the ladder of one game in 24 hours. 0: no limit."""

    @field_validator("spare_processes")
    @classmethod
    def _fit_beside_others(cls, spare: int, info: ValidationInfo) -> int:
        processes = info.data.get("worker_processes", 1)
        if processes + spare > MOST_PROCESSES:
            raise ValueError(f"expected at most {MOST_PROCESSES - processes} beside {processes} worker processes")
        return spare

    def signing_key(self) -> str:
        """The key that signs cookies, made at the first call where none is set."""
        return self.given_key() or _read_or_make_key(self.data_folder / SECRET_KEY)

    def given_key(self) -> str:
        """The key that was set; empty: the arena makes its own."""
        if self.secret_key or self.secret_key_file is None:
            return self.secret_key
        return _secret_in(self.secret_key_file, "HEXARENA_SECRET_KEY_FILE")

    def made_key(self) -> str:
        """The key that the arena made; empty: it has not yet."""
        path = self.data_folder / SECRET_KEY
        return path.read_text().strip() if path.exists() else ""

    def keep_key(self, key: str) -> None:
        """Makes a restored key the arena's own, unless it has one."""
        _read_or_make_key(self.data_folder / SECRET_KEY, key)

    def local_token(self) -> str:
        """What a write to an arena without isolation must show, made at the first call.

        See `backend/api/middleware/guard.py`.
        """
        return _read_or_make_key(self.data_folder / LOCAL_TOKEN)

    def metrics_secret(self) -> str:
        """The token that lets one read the metrics; empty: there is none."""
        if self.metrics_token_file is not None and not self.metrics_token:
            return _secret_in(self.metrics_token_file, "HEXARENA_METRICS_TOKEN_FILE")
        return self.metrics_token

    def sqlalchemy_url(self) -> str:
        """The database's address for SQLAlchemy, with the driver and, where it is in a file, the password."""
        from_scheme = self.database_url.replace("postgres://", "postgresql://", 1)
        url = from_scheme.replace("postgresql://", "postgresql+psycopg://", 1)
        if self.database_password_file is not None:
            user, at, rest = url.partition("@")
            secret = _secret_in(self.database_password_file, "HEXARENA_DATABASE_PASSWORD_FILE")
            password = quote(secret, safe="")
            url = f"{user}:{password}{at}{rest}"
        return url


def _secret_in(path: Path, variable: str) -> str:
    """Raises: UnreadableSecret."""
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise UnreadableSecret(f"{variable}: expected a file that can be read; got {path}: {why}") from None


def _read_or_make_key(path: Path, new: str = "") -> str:
    """Two processes may start at once: the one that locks the empty file writes the key into it, `new` if given."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        key = file.read().strip()
        if not key:
            key = new or secrets.token_urlsafe(32)
            file.write(key)
            file.flush()
            os.fsync(file.fileno())
        return key
