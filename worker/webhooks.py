"""The webhooks process: posts notices to the addresses that accounts have set.

The rows of `webhook_delivery` are the queue. It leases what is due, in a short transaction, posts without one, each
message in a thread of its own, and writes down how that ended in another one. Several may run at once. One that dies
leaves leases that run out: the message is posted again, with the same id.
"""

from __future__ import annotations

import signal
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime

import psycopg
import structlog
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session
from standardwebhooks import Webhook as Signer

from hexarena.backend import notices
from hexarena.backend.api.views import webhooks as webhook_events
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.logs import configure_logs
from hexarena.backend.runtime.parent import follow_parent
from hexarena.backend.runtime.settings import Settings
from hexarena.backend.runtime.stopping import stop_on
from hexarena.backend.webhooks import queue
from hexarena.backend.webhooks.queue import Lease, Outcome
from hexarena.worker import loops
from hexarena.worker.posting import Poster

log = structlog.get_logger()
MOST_AT_ONCE = 16
SWEEP_S = 1.0
"""How late a message may be tried again. New ones are notified of."""
REST_S = 15.0
"""The longest pause while none waits."""
PRUNE_S = 600.0
KEY_CHANGED = "The arena has another key than when the secret was made. Make a new secret."
FORGOTTEN = "The notice was deleted meanwhile."
OUR_FAULT = "The arena could not send it. Its log says why."


class Webhooks:
    """What is being posted, and to whom next."""

    def __init__(self, settings: Settings, database: Database, poster: Poster | None = None) -> None:
        self._database = database
        self._off = settings.webhooks == "off"
        self._key = settings.signing_key()
        self._poster = poster or Poster(settings.webhook_hosts, https_only=settings.webhooks == "https")
        self._posting: set[Future[None]] = set()
        self._pruned_at = -PRUNE_S
        self._pause_s = SWEEP_S
        self.stopping = threading.Event()

    def run(self) -> None:
        """Runs until `stopping` is set; what is being posted then is finished. Survives restarts of the database."""
        with ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="post") as pool:

            def do_round(listener: psycopg.Connection) -> None:
                for lease in self.lease(time.monotonic()):
                    self._posting.add(pool.submit(self.deliver, lease))
                # Each end of a delivery is notified of, so that the next one of the same webhook follows at once.
                loops.wait(listener, self._pause_s, self.stopping)

            loops.run_rounds(self._database, "hexarena_webhooks", self.stopping, do_round, part="webhooks")

    def lease(self, now_s: float) -> list[Lease]:
        """What is to be posted now, no more than there are threads for. Raises: DBAPIError."""
        for ended in [one for one in self._posting if one.done()]:
            self._posting.remove(ended)
            ended.result()  # whatever it did not expect ends the process, and is in its log
        free = MOST_AT_ONCE - len(self._posting)
        with self._database.transaction() as session:
            if now_s - self._pruned_at >= PRUNE_S:
                queue.prune(session)
                self._pruned_at = now_s
            leases = [] if self._off else queue.lease(session, limit=free, key=self._key)
            due_s = None if self._off else queue.next_due_s(session)
        self._pause_s = REST_S if due_s is None else min(max(due_s, SWEEP_S), REST_S)
        return leases

    def deliver(self, lease: Lease) -> None:
        """One try, from its message to its outcome. If the database is away, the lease runs out."""
        try:
            outcome = self._try(lease)
            with self._database.transaction() as session:
                if queue.finish(session, lease, outcome):
                    notices.webhook_off(session, lease.user_id)
        except DBAPIError as error:
            log.warning("the database is unavailable", error=str(error).splitlines()[0])
            return
        log.info("posted", message=lease.name, type=lease.type, status=outcome.status, problem=outcome.problem)

    def _try(self, lease: Lease) -> Outcome:
        """Raises: DBAPIError."""
        if lease.secret is None:
            return Outcome(None, KEY_CHANGED)
        try:
            body = lease.body or self._written(lease)
            return Outcome(None, FORGOTTEN) if body is None else self._post(lease, lease.secret, body)
        except DBAPIError:
            raise
        except Exception:  # one message must not end what serves all others
            log.exception("a message could not be posted", message=lease.name)
            return Outcome(None, OUR_FAULT)

    def _post(self, lease: Lease, secret: str, body: str) -> Outcome:
        now = datetime.now(UTC)
        headers = {
            "webhook-id": lease.name,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": Signer(secret).sign(lease.name, now, body),
        }
        return self._poster.post(lease.url, body.encode(), headers)

    def _written(self, lease: Lease) -> str | None:
        with self._database.transaction() as session:
            body = _body_of(session, lease)
            return None if body is None else queue.keep_body(session, lease, body)


def _body_of(session: Session, lease: Lease) -> str | None:
    """None: the notice was deleted meanwhile, and so was the delivery."""
    if lease.notice_id is None:
        return webhook_events.test_event(lease.type, lease.at).model_dump_json()
    for notice in notices.newest(session, lease.user_id, ids=[lease.notice_id]):
        return webhook_events.notice_event(notice).model_dump_json()
    return None


def run_webhooks(settings: Settings) -> None:
    """Posts until SIGTERM."""
    configure_logs(settings.logs)
    follow_parent()
    database = Database.of(settings, pool_size=2, max_overflow=MOST_AT_ONCE)
    webhooks = Webhooks(settings, database)
    stop_on(webhooks.stopping, signal.SIGTERM)
    webhooks.run()
    database.close()


if __name__ == "__main__":
    run_webhooks(Settings())
