"""The only file of the backend that knows the broker: sends the ids of matches and ladders to workers, by task name.

Messages are hints. The rows of `job` are the truth, so a message may be lost, late or duplicated (docs/decisions/0002).
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from celery import Celery

PLAY = "hexarena.play"
REFIT = "hexarena.refit"
MARK = "hexarena.mark"
COMPARE = "hexarena.compare"
RATINGS = "-ratings"
"""What the name of the refits' queue ends with: processes of their own take from it, so that no refit waits for a match
or keeps one waiting."""


def make_celery(redis_url: str, namespace: str) -> Celery:
    """The Celery app; `namespace` names its queue.

    Its settings were tested by killing workers, broker and database (docs/decisions/0002).
    """
    app = Celery("hexarena", broker=broker_url(redis_url))
    app.conf.update(
        task_default_queue=namespace,
        task_ignore_result=True,
        task_acks_late=False,
        task_serializer="json",
        accept_content=["json"],
        worker_prefetch_multiplier=1,
        worker_send_task_events=False,
        worker_enable_remote_control=False,
        worker_hijack_root_logger=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options=_transport_options(),
        task_publish_retry=True,
        task_publish_retry_policy={"max_retries": 2, "interval_start": 0.1, "interval_step": 0.2, "interval_max": 0.5},
    )
    return app


def _transport_options() -> dict[str, Any]:
    """`polling_interval`: how long a worker waits for a message until it asks again; a message comes at once."""
    return {
        "socket_timeout": 10,
        "socket_connect_timeout": 5,
        "socket_keepalive": True,
        "health_check_interval": 10,
        "polling_interval": 5,
    }


def broker_url(redis_url: str) -> str:
    """Celery's name for the address: it calls a Unix socket `redis+socket://`."""
    return redis_url.replace("unix://", "redis+socket://", 1).replace("?db=", "?virtual_host=")


def send_match(app: Celery, match_id: int, token: UUID, *, awaited: bool = False) -> None:
    """Sends a leased match to some worker. `awaited`: somebody waits for it.

    Raises: kombu's OperationalError when the broker is unavailable.
    """
    app.send_task(PLAY, args=(match_id, str(token), awaited))


def send_refit(app: Celery, game: str) -> None:
    """Sends a refit to the ratings process. Raises: kombu's OperationalError when the broker is unavailable."""
    app.send_task(REFIT, args=(game,), queue=app.conf.task_default_queue + RATINGS)


def send_mark(app: Celery, assignment_id: int) -> None:
    """Has the ratings process make the marks of an assignment. Raises: kombu's OperationalError, as above."""
    app.send_task(MARK, args=(assignment_id,), queue=app.conf.task_default_queue + RATINGS)


def send_comparison(app: Celery, report_id: int) -> None:
    """Has some worker make a similarity report. Raises: kombu's OperationalError, as above."""
    app.send_task(COMPARE, args=(report_id,))
