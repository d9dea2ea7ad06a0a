"""The seeds of a final: secret until its end, committed to before, and the same for whoever computes them. Pure.

An event has a secret of 32 random bytes. Its SHA-256 is on the event's page from the beginning; the secret itself is
published at the end. Every seed follows from it, so nobody can choose seeds once the versions are known.
"""

from __future__ import annotations

import hashlib
import hmac

SECRET_BYTES = 32
SEEDS = 2**40 - 1


def commitment(secret: bytes) -> str:
    """What is shown before the final: the secret's SHA-256, 64 hexadecimal digits."""
    return hashlib.sha256(secret).hexdigest()


def seed(secret: bytes, stage: int, pairing: int, trial: int) -> int:
    """The seed of a trial, which is one game, or two with the seats swapped: 1 to 2^40 - 1.

    All numbers count from 0. It is HMAC-SHA256 of "STAGE/PAIRING/TRIAL", keyed with the secret: the first 8 bytes,
    big-endian, modulo 2^40 - 1, plus 1.
    """
    drawn = hmac.new(secret, f"{stage}/{pairing}/{trial}".encode(), hashlib.sha256).digest()
    return 1 + int.from_bytes(drawn[:8], "big") % SEEDS
