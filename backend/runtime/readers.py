"""Who may read the metrics: whoever has the token, and the networks of a setting."""

from __future__ import annotations

import hmac
from collections.abc import Mapping

from hexarena.backend.runtime.hosts import is_in
from hexarena.backend.runtime.settings import Settings

FORWARDED = ("x-forwarded-for", "x-real-ip", "forwarded", "via")
"""What a reverse proxy adds. One that is not in HEXARENA_PROXIES would make the whole world look like its own address;
Prometheus sends none of them."""


def may_read(settings: Settings, address: str | None, headers: Mapping[str, str]) -> bool:
    """Whether a request may read them. `address`: of the client, if it is known. `headers`: by names in lower case."""
    secret = settings.metrics_secret()
    kind, _, given = (headers.get("authorization") or "").partition(" ")
    if secret and kind.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), secret.encode()):
        return True
    passed_on = any(headers.get(name) is not None for name in FORWARDED)
    return address is not None and not passed_on and is_in(address, settings.metrics_networks)
