"""The reverse proxy that the compose file starts: docker/Caddyfile, in a real Caddy before a real API, with TLS."""

from __future__ import annotations

import json
import os
import shutil
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2 as httpx
import pytest

from hexarena.backend.api.problems import BODY_BYTES
from tests.conftest import Processes, Servers, free_port, new_arena, wait_until

ROOT = Path(__file__).parents[2]
CADDY = shutil.which("caddy", path=os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])))
GUESTS_PER_MINUTE = 4

pytestmark = pytest.mark.skipif(CADDY is None, reason="needs Caddy: `make setup-test` gets it from Debian")


def configuration(domain: str, upstream: str, http_port: int) -> dict[str, object]:
    """The Caddyfile as Caddy reads it, but that it makes its certificate itself and leaves this machine's alone."""
    found = subprocess.run(
        [str(CADDY), "adapt", "--config", str(ROOT / "docker" / "Caddyfile"), "--adapter", "caddyfile"],
        env={**os.environ, "HEXARENA_DOMAIN": domain, "HEXARENA_UPSTREAM": upstream},
        capture_output=True,
        check=True,
    )
    adapted = json.loads(found.stdout)
    adapted["apps"]["http"]["http_port"] = http_port
    adapted["apps"]["pki"] = {"certificate_authorities": {"local": {"install_trust": False}}}
    return {**adapted, "admin": {"disabled": True}}


def answers(client: httpx.Client) -> bool:
    """Whether the arena can be reached through the proxy. A certificate takes Caddy a moment."""
    try:
        return client.get("/api/v1/health").is_success
    except httpx.TransportError:
        return False


@pytest.fixture(scope="module")
def proxied(servers: Servers, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A browser's connection to an arena behind Caddy. Asks for the arena by its public name."""
    folder, port = tmp_path_factory.mktemp("caddy"), free_port()
    with new_arena(servers, template, folder) as settings:
        settings.data_folder.mkdir()
        parts = Processes(settings.model_copy(update={"port": free_port()}))
        parts.extra = {
            "HEXARENA_PROXIES": "127.0.0.1",
            "HEXARENA_SECURE_COOKIES": "true",
            "HEXARENA_GUESTS_PER_MINUTE": str(GUESTS_PER_MINUTE),
        }
        written = configuration(f"localhost:{port}", f"127.0.0.1:{parts.settings.port}", free_port())
        (folder / "caddy.json").write_text(json.dumps(written))
        with (folder / "caddy.log").open("w") as log:
            caddy = subprocess.Popen(
                [str(CADDY), "run", "--config", str(folder / "caddy.json")],
                env={**os.environ, "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "HOME": str(folder)},
                stdout=log,
                stderr=log,
            )
        try:
            parts.start("hexarena.backend.serve")
            authority = folder / "caddy" / "pki" / "authorities" / "local" / "root.crt"
            wait_until(authority.exists, "Caddy has an authority for its certificates")
            trust = ssl.create_default_context(cafile=str(authority))
            with httpx.Client(base_url=f"https://localhost:{port}", verify=trust, timeout=60) as client:
                wait_until(lambda: answers(client), "the arena answers through Caddy")
                yield client
        finally:
            for process in parts.running:
                parts.kill(process)
            caddy.terminate()
            caddy.wait()
            print((folder / "caddy.log").read_text(), parts.logs())


@pytest.mark.long
def test_a_page_comes_with_the_headers_of_both(proxied: httpx.Client) -> None:
    page = proxied.get("/", headers={"Accept-Encoding": "gzip"})
    assert page.status_code == 200
    assert page.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]
    assert page.headers["Content-Encoding"] == "gzip"


@pytest.mark.long
def test_an_account_is_made_under_the_public_name_with_a_cookie_for_tls_only(proxied: httpx.Client) -> None:
    new = {"name": "Ada Lovelace", "password": "correct horse battery"}
    refused = proxied.post("/api/v1/sign-up", json=new, headers={"Origin": "https://elsewhere.example"})
    assert refused.status_code == 403
    made = proxied.post("/api/v1/sign-up", json=new, headers={"Origin": str(proxied.base_url).rstrip("/")})
    assert made.is_success, made.text
    assert "; Secure" in made.headers["Set-Cookie"]
    assert proxied.get("/api/v1/me").json()["name"] == "Ada Lovelace"
    proxied.cookies.clear()


def test_another_name_is_not_served(proxied: httpx.Client) -> None:
    """Caddy has no site of that name, so nothing of the arena comes back."""
    asked = proxied.get("/api/v1/games", headers={"Host": "attacker.example"})
    assert asked.headers.get("Content-Type") is None
    assert asked.content == b""


def test_clients_cannot_choose_the_address_that_they_count_for(proxied: httpx.Client) -> None:
    origin = {"Origin": str(proxied.base_url).rstrip("/")}
    asked = {"game": "yavalath", "bot": "x", "language": "python", "source": "print()"}
    answered = []
    for number in range(GUESTS_PER_MINUTE + 1):
        forged = {"X-Forwarded-For": f"203.0.{number}.1"}
        answered.append(proxied.post("/api/v1/submissions", json=asked, headers={**origin, **forged}).status_code)
        proxied.cookies.clear()
    assert answered.count(429) == 1, answered
    assert answered[-1] == 429


def test_an_event_stream_is_passed_on_at_once(proxied: httpx.Client) -> None:
    """Its first line comes while the answer goes on; a proxy that collects it would never end."""
    with proxied.stream("GET", "/api/v1/feed") as stream:
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        assert next(stream.iter_lines()) is not None


def test_a_request_that_is_too_large_is_refused_by_the_arena_which_says_how_large_it_may_be(
    proxied: httpx.Client,
) -> None:
    refused = proxied.post(
        "/api/v1/submissions",
        content=b"x" * (2 * BODY_BYTES),
        headers={"Origin": str(proxied.base_url).rstrip("/"), "Content-Type": "application/json"},
    )
    assert refused.status_code == 413, refused.text
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert f"{BODY_BYTES:,}" in refused.text
