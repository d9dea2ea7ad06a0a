"""Secrets that somebody shows to be recognised: of each the database has only the SHA-256."""

from __future__ import annotations

import hashlib
import secrets

ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
"""Of codes that people copy by hand: nothing that looks like something else."""


def new_secret(prefix: str) -> str:
    """A secret of 256 bits; the prefix lets people and scanners see what it is."""
    return prefix + secrets.token_urlsafe(32)


def new_code() -> str:
    """A code of 59 bits to copy by hand: `abcd-efgh-jkmn`."""
    return "-".join("".join(secrets.choice(ALPHABET) for _ in range(4)) for _ in range(3))


def sha256_of(secret: str) -> str:
    """What is kept of a secret. Secrets are random, so that no slow hash is needed."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
