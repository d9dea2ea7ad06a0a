"""The arena's state as metrics for Prometheus. What the processes count themselves is in `runtime/metrics.py`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from prometheus_client.metrics_core import GaugeMetricFamily, Metric

from hexarena.backend.matches.causes import FAILURES, WITHDRAWN
from hexarena.backend.matches.parts import NAMES, PartStatus
from hexarena.backend.models import MatchKind
from hexarena.backend.status.arena import NO_BROKER, NO_DATABASE, NO_STORE, ArenaStatus
from hexarena.backend.status.figures import (
    FAULTS,
    Figures,
    LadderStatus,
    QueueStatus,
    RecentMatches,
    WorkerStatus,
)


def metrics_of(status: ArenaStatus) -> list[Metric]:
    """All of them; where the database is away, those that need none."""
    found = status.figures
    whole = [
        _gauge("build_info", "The version that answers; always 1.", {status.version: 1}, "version"),
        _one("ready", "1 if the arena can play: database, schema, broker, store, dispatcher and worker.", status.ready),
        _one("database_up", "1 if the database answers.", NO_DATABASE not in status.missing),
        _one("broker_up", "1 if the broker answers.", NO_BROKER not in status.missing),
        _one("store_up", "1 if the store of replays answers.", NO_STORE not in status.missing),
        _one("disk_free_bytes", "Free space of the data folder's disk.", status.disk_free_bytes),
        _one("disk_size_bytes", "Size of the data folder's disk.", status.disk_size_bytes),
    ]
    return whole if found is None else [*whole, *_of(found)]


def _of(found: Figures) -> Iterable[Metric]:
    yield from _queue(found.queue)
    pending = {state: found.submissions.get(state, 0) for state in ("queued", "building", "checking")}
    yield _gauge("submissions_pending", "Submissions before their first verdict, by state.", pending, "state")
    yield from _recent(found.recent)
    yield from _workers(found.workers)
    yield from _parts(found.parts)
    yield from _ladders(found.ladders)
    yield _one(
        "event_lag_seconds", "Since when something has changed that no page could be notified of.", found.event_lag_s
    )
    yield _one("status_seconds", "Time that the queries for these figures took.", found.took_s)


def _queue(queue: Sequence[QueueStatus]) -> Iterable[Metric]:
    matches = _family("queue_matches", "Matches that are not over.", "kind", "game", "state")
    oldest = _family("queue_oldest_seconds", "How long the first match that waits has waited.", "kind", "game")
    for one in queue:
        for state, count in (("waiting", one.waiting), ("playing", one.playing), ("paused", one.paused)):
            matches.add_metric([one.kind, one.game, state], count)
        oldest.add_metric([one.kind, one.game], one.oldest_s or 0.0)
    by_kind = {kind.value: 0.0 for kind in MatchKind}
    for one in queue:
        by_kind[one.kind] = max(by_kind[one.kind], one.oldest_s or 0.0)
    yield matches
    yield oldest
    yield _one("queue_waiting", "Matches that wait for a worker.", sum(one.waiting for one in queue))
    yield _gauge("queue_age_seconds", "How long the first match of a kind has waited.", by_kind, "kind")


def _recent(recent: RecentMatches) -> Iterable[Metric]:
    matches = _family("recent_matches", "Matches that ended in the window, by how.", "game", "state")
    for one in recent.games:
        for state, count in (("done", one.done), ("void", one.void), (WITHDRAWN, one.withdrawn)):
            matches.add_metric([one.game, state], count)
    yield matches
    causes = {cause: recent.causes.get(cause, 0) for cause in (*FAILURES, WITHDRAWN)}
    attempts = {cause: recent.void_attempts.get(cause, 0) for cause in (*FAILURES, WITHDRAWN)}
    faults = {fault: recent.faults.get(fault, 0) for fault in FAULTS}
    ended = sum(one.done + one.void for one in recent.games)
    yield _one("recent_window_seconds", "How far back the recent figures go, an hour at most.", recent.window_s)
    yield _one("recent_ended", "Matches that were played or void by our failure in the window.", ended)
    yield _one("recent_void_ratio", "Share of these that is void because we failed.", recent.void_rate or 0.0)
    yield _gauge("recent_void_matches", "Void matches in the window, by cause.", causes, "cause")
    yield _gauge("recent_void_attempts", "Attempts in the window that do not count, by cause.", attempts, "cause")
    yield _gauge("recent_faults", "Bots that ended a match by a fault in the window.", faults, "fault")
    yield _one("matches_per_minute", "Matches with a result, over five minutes.", recent.per_minute)


def _workers(workers: Sequence[WorkerStatus]) -> Iterable[Metric]:
    hosts = sorted({one.host for one in workers})
    up = {host: [one for one in workers if one.host == host and one.up] for host in hosts}
    yield _one("workers_up", "Workers that are up.", sum(map(len, up.values())))
    yield _gauge("workers", "Workers that are up.", {host: len(up[host]) for host in hosts}, "host")
    slots = {host: sum(one.slots for one in up[host]) for host in hosts}
    yield _gauge("worker_slots", "Matches that they play at once.", slots, "host")
    late = {host: max((one.late_s for one in up[host]), default=0.0) for host in hosts}
    yield _gauge("worker_late_seconds", "How late a timer fired at worst in the last seconds.", late, "host")
    wait = {host: max((one.cpu_wait or 0.0 for one in up[host]), default=0.0) for host in hosts}
    off = {host: max((one.clock_off_s for one in up[host]), key=abs, default=0.0) for host in hosts}
    yield _gauge("worker_clock_off_seconds", "How far its clock is ahead of the database's.", off, "host")
    yield _gauge("worker_cpu_wait", "Share of time in which something waited for a CPU.", wait, "host")
    known = {host: [one.disk_free_bytes for one in up[host] if one.disk_free_bytes is not None] for host in hosts}
    free: dict[str, float] = {host: min(bytes_) for host, bytes_ in known.items() if bytes_}
    yield _gauge("worker_disk_free_bytes", "Free space of the disk of its data folder.", free, "host")
    full: dict[str, float] = {host: sum(one.disk_full for one in up[host]) for host in hosts}
    yield _gauge("worker_disk_full", "Workers that begin no match for want of room.", full, "host")


def _parts(found: Sequence[PartStatus]) -> Iterable[Metric]:
    up: dict[str, float] = {name: sum(one.up for one in found if one.name == name) for name in NAMES}
    ending: dict[str, float] = {name: sum(one.keeps_ending for one in found if one.name == name) for name in NAMES}
    yield _gauge("parts_up", "Parts besides workers that are up.", up, "part")
    yield _gauge("parts_ending", "Parts that end again and again soon after their start.", ending, "part")


def _ladders(ladders: Sequence[LadderStatus]) -> Iterable[Metric]:
    by_game = {one.game: one for one in ladders}

    def each(name: str, about: str, pick: str) -> Metric:
        return _gauge(name, about, {game: getattr(one, pick) or 0 for game, one in by_game.items()}, "game")

    yield each("ladder_competitors", "Bots on the ladder.", "competitors")
    yield each("ladder_placing", "Bots whose place is not found yet.", "placing")
    yield each("ladder_pending_results", "Results that no refit has counted.", "pending")
    yield each("ladder_refit_cpu_seconds", "CPU time of the last refit.", "refit_s")
    ages = {game: one.refitted_s for game, one in by_game.items() if one.refitted_s is not None}
    yield _gauge("ladder_refit_age_seconds", "How long ago the last refit was.", ages, "game")


def _family(name: str, about: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"hexarena_{name}", about, labels=labels)


def _one(name: str, about: str, value: float) -> Metric:
    return GaugeMetricFamily(f"hexarena_{name}", about, value=value)


def _gauge(name: str, about: str, values: Mapping[str, float], label: str) -> Metric:
    family = _family(name, about, label)
    for key, value in values.items():
        family.add_metric([key], value)
    return family
