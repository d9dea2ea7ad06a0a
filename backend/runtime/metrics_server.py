"""Serves a host's figures on a port of their own, where no API runs that could: HEXARENA_METRICS_LISTEN.

Each part that is not the API tries to listen there, and one of them does. When that one ends, another one takes over:
all of them serve the same, since the processes of a host count into the same folder.
"""

from __future__ import annotations

import socket
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import structlog

from hexarena.backend.runtime import metrics
from hexarena.backend.runtime.readers import may_read
from hexarena.backend.runtime.settings import Settings

log = structlog.get_logger()
RETRY_S = 5.0
SLOW_CLIENT_S = 10.0


def serve_metrics(settings: Settings) -> None:
    """Starts a thread that serves them for as long as this process lives; does nothing if none should."""
    if settings.metrics_listen:
        threading.Thread(target=_serve, args=(settings,), name="metrics", daemon=True).start()


def _serve(settings: Settings) -> None:
    host, _, port = settings.metrics_listen.rpartition(":")
    host = host.strip("[]")
    wait = threading.Event()
    reported = False
    while True:
        try:
            with _Server((host, int(port)), settings) as server:
                log.info("metrics are served", at=settings.metrics_listen)
                server.serve_forever()
        except OSError as error:
            if not reported:
                log.info("another process may serve the metrics", at=settings.metrics_listen, error=str(error))
            reported = True
        wait.wait(RETRY_S)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], settings: Settings) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.settings = settings
        super().__init__(address, _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = SLOW_CLIENT_S
    server_version, sys_version = "hexarena", ""

    def do_GET(self) -> None:
        settings = self.server.settings
        if self.path.partition("?")[0] != "/metrics":
            self._answer(HTTPStatus.NOT_FOUND, b"There is only /metrics here.\n")
        elif not may_read(
            settings, self.client_address[0], {name.lower(): value for name, value in self.headers.items()}
        ):
            self._answer(HTTPStatus.FORBIDDEN, b"Send the token of HEXARENA_METRICS_TOKEN as a bearer token.\n")
        else:
            figures = metrics.counted(settings.data_folder, hosts=[metrics.own_host()])
            self._answer(HTTPStatus.OK, metrics.text_of(figures), metrics.CONTENT_TYPE)

    def _answer(self, status: HTTPStatus, body: bytes, content_type: str = "text/plain; charset=utf-8") -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Scrapes are not worth a line each."""
