"""Bodies about the arena itself."""

from __future__ import annotations

from typing import Literal

from hexarena.backend.api.schemas.base import Schema


class Retention(Schema):
    """For how many days after a match its texts are kept; null: for ever. Seat logs never outlive their replay."""

    replays: int | None
    practice_replays: int | None
    seat_logs: int | None


class Health(Schema):
    """What is up. `workers`: those with a heartbeat in the last 30 s.

    `late_ms`: how late a timer fired at worst on a worker's machine in the last seconds. `cpu_wait`: the share of that
    time, 0 to 1, in which something there waited for a CPU; null where no kernel reports it. `disk_free_bytes`: room on
    the disk of the data folder. `disk_full`: less than the reserve, so nothing new is taken or played.
    """

    ok: bool
    database: bool
    broker: bool
    workers: int
    late_ms: float
    cpu_wait: float | None
    disk_free_bytes: int
    disk_full: bool


class Ready(Schema):
    """The arena can play. Where it cannot, a problem says why."""

    ready: Literal[True]
