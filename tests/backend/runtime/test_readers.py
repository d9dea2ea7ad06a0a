"""Who may read the metrics, and the port of those parts that are not the API."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest
from pydantic import ValidationError

from hexarena.backend.runtime import metrics
from hexarena.backend.runtime.readers import may_read
from hexarena.backend.runtime.settings import Settings
from tests.conftest import free_port, wait_until

TOKEN = {"authorization": "Bearer open sesame"}


@pytest.mark.parametrize(
    ("address", "headers", "may"),
    [
        ("127.0.0.1", {}, True),
        ("127.8.9.10", {}, True),
        ("::1", {}, True),
        ("::ffff:127.0.0.1", {}, True),
        ("192.0.2.7", {}, False),
        ("testclient", {}, False),
        (None, {}, False),
        # A proxy on this machine that nobody told the arena about.
        ("127.0.0.1", {"x-forwarded-for": "192.0.2.7"}, False),
        ("127.0.0.1", {"forwarded": "for=192.0.2.7"}, False),
        ("127.0.0.1", {"via": "1.1 cache"}, False),
        ("127.0.0.1", {"x-real-ip": "192.0.2.7"}, False),
        ("192.0.2.7", TOKEN, True),
        (None, TOKEN, True),
        ("127.0.0.1", {"x-forwarded-for": "192.0.2.7", **TOKEN}, True),
        ("192.0.2.7", {"authorization": "bearer  open sesame "}, True),
        ("192.0.2.7", {"authorization": "Bearer open"}, False),
        ("192.0.2.7", {"authorization": "Basic open sesame"}, False),
        ("192.0.2.7", {"authorization": "Bearer"}, False),
    ],
)
def test_loopback_and_the_token_may_read(address: str | None, headers: dict[str, str], may: bool) -> None:
    assert may_read(Settings(metrics_token="open sesame"), address, headers) is may


def test_without_a_token_an_empty_one_opens_nothing() -> None:
    assert not may_read(Settings(), "192.0.2.7", {"authorization": "Bearer "})


def test_networks_can_be_added_and_taken_away() -> None:
    open_to = Settings(metrics_networks="10.1.0.0/16, 2001:db8::/32")
    assert may_read(open_to, "10.1.2.3", {})
    assert may_read(open_to, "2001:db8::7", {})
    assert not may_read(open_to, "10.2.2.3", {})
    assert not may_read(open_to, "127.0.0.1", {})
    assert not may_read(Settings(metrics_networks=""), "127.0.0.1", {})


def test_the_token_may_be_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("open sesame\n")
    assert may_read(Settings(metrics_token_file=tmp_path / "token"), None, TOKEN)


@pytest.mark.parametrize("wrong", ["9100", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:70000", "127.0.0.1:x", "a b:9100"])
def test_where_to_listen_is_checked(wrong: str) -> None:
    with pytest.raises(ValidationError):
        Settings(metrics_listen=wrong)
    for right in ("", "127.0.0.1:9100", "[::1]:9100", "worker-1:9100"):
        assert Settings(metrics_listen=right).metrics_listen == right


SERVES = """
import sys
from hexarena.backend.runtime import metrics
from hexarena.backend.runtime.metrics_server import serve_metrics
from hexarena.backend.runtime.settings import Settings

settings = Settings()
metrics.count_into(settings.data_folder, "worker")
metrics.meters().sent.inc(3)
serve_metrics(settings)
sys.stdin.read()
"""


def serving(folder: Path, port: int) -> subprocess.Popen[str]:
    own = {"HEXARENA_METRICS_LISTEN": f"127.0.0.1:{port}", "HEXARENA_DATA_FOLDER": str(folder)}
    return subprocess.Popen([sys.executable, "-c", SERVES], env={**os.environ, **own}, stdin=subprocess.PIPE, text=True)


def asked(port: int, path: str = "/metrics", **headers: str) -> tuple[int, str]:
    """The status, 0 if nobody listens, and what was said."""
    try:
        with urlopen(Request(f"http://127.0.0.1:{port}{path}", headers=headers), timeout=30) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        return error.code, error.read().decode()
    except URLError:
        return 0, ""


@pytest.mark.long
def test_a_part_serves_its_hosts_figures_and_another_one_takes_over(tmp_path: Path) -> None:
    port = free_port()
    first = serving(tmp_path, port)
    wait_until(lambda: asked(port)[0] == 200, "the first one serves")
    second = serving(tmp_path, port)
    sent = f'hexarena_sent_total{{host="{metrics.own_host()}"}} 6.0'
    wait_until(lambda: sent in asked(port)[1], "both are counted")
    assert asked(port, "/")[0] == 404
    assert asked(port, **{"X-Forwarded-For": "192.0.2.7"})[0] == 403
    first.communicate("")
    wait_until(lambda: asked(port)[0] == 200, "the second one serves")
    second.communicate("")
    assert asked(port)[0] == 0
