"""What the processes of an arena count: requests, rounds, matches, builds, refits. For Prometheus.

Theory of operation. Each process writes its figures into files of its own, mapped into memory, below `metrics` in the
data folder; whoever is asked for the figures adds up those of all processes (prometheus-client calls this its
multiprocess mode). A process takes the first name that is free, `worker-0`, `worker-1` …, by locking a file. When it
ends, however it ends, the next one takes the name and continues counting in the same files: no figure jumps back, and a
part that keeps dying leaves no heap of files behind.

Each host has a folder, and each figure the label `host`. A process that was not asked to count into files, as in
a test, counts in memory.
"""

from __future__ import annotations

import fcntl
import itertools
import os
import re
import shutil
import socket
import struct
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, values
from prometheus_client.metrics_core import Metric
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

log = structlog.get_logger()
FOLDER = "metrics"
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
FILES = {"counter": 1 << 18, "histogram": 1 << 20, "gauge_livesum": 1 << 16}
"""A process' files, and their sizes in bytes: more than all figures of a process need."""
UNREADABLE = (OSError, RuntimeError, ValueError, struct.error)
FORGOTTEN_S = 24 * 3600
"""A host none of whose processes live is forgotten after so long."""
QUICK = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
SLOW = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 60.0, 120.0, 300.0, 900.0)
"""Upper ends of the histograms' buckets, in seconds: of requests and rounds; of matches, builds and refits."""


class Meters:
    """All that some process counts. Labels have few values: never a path, a name or a number."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()

        def counter(name: str, about: str, *labels: str) -> Counter:
            return Counter(f"hexarena_{name}", about, labels, registry=registry)

        def histogram(name: str, about: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
            return Histogram(f"hexarena_{name}", about, labels, registry=registry, buckets=buckets)

        self.requests = counter("requests", "Answered requests.", "method", "route", "status")
        self.request_seconds = histogram(
            "request_seconds", "Time of requests; of event streams, until they begin.", QUICK, "route"
        )
        self.streams = Gauge("hexarena_streams", "Open event streams.", registry=registry, multiprocess_mode="livesum")
        self.dispatch_seconds = histogram("dispatch_seconds", "Time of the dispatcher's rounds.", QUICK)
        self.sent = counter("sent", "Matches that the dispatcher sent, repeated ones included.")
        self.schedule_seconds = histogram("schedule_seconds", "Time of the scheduler's rounds.", QUICK)
        self.scheduled = counter("scheduled", "Matches that the scheduler queued.")
        self.refit_seconds = histogram("refit_seconds", "Time of refits.", SLOW, "game")
        self.attempts = counter("attempts", "Attempts at matches, by how they ended.", "game", "kind", "outcome")
        self.match_seconds = histogram("match_seconds", "Time of played matches, without builds.", SLOW, "game")
        self.build_seconds = histogram(
            "build_seconds", "Time of builds, without those that the cache had.", SLOW, "language"
        )
        self.failed_builds = counter("failed_builds", "Builds that failed.", "language")
        self.bot_faults = counter("bot_faults", "First faults of bots in played matches.", "game", "fault")
        self.sandbox_faults = counter("sandbox_faults", "Attempts that the worker's machine spoiled.", "cause")


class _Counting:
    """What this process counts with. `files`: where, if into files; `lock`: what keeps the name taken."""

    meters = Meters()
    files: Path | None = None
    lock: int | None = None


def meters() -> Meters:
    """What this process counts with."""
    return _Counting.meters


def count_into(data_folder: Path, part: str) -> None:
    """Lets this process count into files from now on; call it after any fork, once. `part`: without underscores.

    An arena whose files cannot be written continues, and this process counts in memory.
    """
    folder = data_folder / FOLDER / _host()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        name, _Counting.lock = _take_name(folder, part)
        _drop_live(folder, name)
        _allocate(folder, name)
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
        values.ValueClass = values.MultiProcessValue(lambda: name)  # type: ignore[no-untyped-call]
        _Counting.meters, _Counting.files = Meters(), folder
    except OSError as error:
        log.warning("figures are counted in memory only", error=str(error))
        values.ValueClass = values.MutexValue
        _Counting.meters, _Counting.files = Meters(), None


def forget_all(data_folder: Path) -> None:
    """Removes all figures. Call it only while none of the arena's processes run."""
    shutil.rmtree(data_folder / FOLDER, ignore_errors=True)


def counted(data_folder: Path, *, hosts: Iterable[str] | None = None) -> list[Metric]:
    """The figures of all processes that count into this data folder, and of this one if it counts in memory.

    `hosts`: of these alone. Files of another user, which we may not read, are left out.
    """
    root = data_folder / FOLDER
    wanted = None if hosts is None else set(hosts)
    found: dict[str, Metric] = {}
    for metric in _Counting.meters.registry.collect():  # all are named, also those of which there was none yet
        found[metric.name] = Metric(metric.name, metric.documentation, metric.type)
    try:
        folders = sorted(root.iterdir()) if root.is_dir() else []
    except PermissionError:
        folders = []
    for folder in folders:
        with suppress(PermissionError):
            if (wanted is None or folder.name in wanted) and folder.is_dir() and not _forgotten(folder):
                _add(found, _merged(folder), folder.name)
    if _Counting.files is None:
        _add(found, _Counting.meters.registry.collect(), _host())
    return list(found.values())


def own_host() -> str:
    """The name under which this host's processes count."""
    return _host()


def total(metrics: Iterable[Metric], sample: str) -> float:
    """The sum over all samples of this name."""
    return sum(one.value for metric in metrics for one in metric.samples if one.name == sample)


def text_of(metrics: Iterable[Metric]) -> bytes:
    """The metrics as Prometheus reads them."""
    registry = CollectorRegistry()
    registry.register(_Fixed(list(metrics)))
    return generate_latest(registry)


class _Fixed(Collector):
    def __init__(self, metrics: list[Metric]) -> None:
        self._metrics = metrics

    def collect(self) -> Iterator[Metric]:
        return iter(self._metrics)


def _host() -> str:
    return re.sub(r"[^A-Za-z0-9.-]", "-", socket.gethostname()) or "unknown"


def _take_name(folder: Path, part: str) -> tuple[str, int]:
    for number in itertools.count():
        name = f"{part}-{number}"
        lock = _lock(folder / f"{name}.lock")
        if lock is not None:
            return name, lock
    raise AssertionError("unreachable")


def _lock(path: Path) -> int | None:
    """An open file that is locked by us, None if another process has locked it."""
    opened = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(opened)
        return None
    return opened


def _allocate(folder: Path, name: str) -> None:
    """Takes the space of the files now, where a disk that is full is an error: a page that is mapped and cannot be
    written later would kill the process. A file that cannot be read begins anew. Raises: OSError.
    """
    for kind, size in FILES.items():
        path = folder / f"{kind}_{name}.db"
        if path.exists():
            try:
                list(MmapedDict.read_all_values_from_file(str(path)))  # type: ignore[no-untyped-call]
            except UNREADABLE as error:
                log.warning("figures were lost: their file cannot be read", file=path.name, error=str(error))
                path.unlink()
        with path.open("ab") as file:
            os.posix_fallocate(file.fileno(), 0, size)


def _drop_live(folder: Path, name: str) -> None:
    """Removes figures that end with their process."""
    for file in folder.glob(f"gauge_live*_{name}.db"):
        file.unlink(missing_ok=True)


def _merged(folder: Path) -> Iterable[Metric]:
    for file in folder.glob("*.lock"):
        try:
            lock = _lock(file)
        except PermissionError:  # of another user, and left as it is
            continue
        if lock is not None:
            _drop_live(folder, file.stem)
            os.close(lock)
    files = [str(file) for file in folder.glob("*.db") if _size(file) and os.access(file, os.R_OK)]
    try:
        merged: Iterable[Metric] = MultiProcessCollector.merge(files)  # type: ignore[no-untyped-call]
    except UNREADABLE as error:
        log.warning("figures of a host cannot be read", host=folder.name, error=str(error))
        return ()
    return merged


def _size(file: Path) -> int:
    """0 of one that is gone: another reader may remove the figures of a process that has ended."""
    with suppress(FileNotFoundError):
        return file.stat().st_size
    return 0


def _forgotten(folder: Path) -> bool:
    """Whether a host's folder was removed, because nothing there has lived for a day."""
    if folder.name == _host():
        return False
    try:
        newest = max((file.stat().st_mtime for file in folder.iterdir()), default=0.0)
    except FileNotFoundError:
        return False  # Somebody is removing it, or a process there begins.
    if time.time() - newest < FORGOTTEN_S:
        return False
    held = [_lock(file) for file in folder.glob("*.lock")]
    alive = None in held
    if not alive:
        shutil.rmtree(folder, ignore_errors=True)
    for lock in held:
        if lock is not None:
            os.close(lock)
    return not alive


def _add(found: dict[str, Metric], metrics: Iterable[Metric], host: str) -> None:
    """Adds up what is counted in files and in memory: a worker's first process has the names of its pool's figures."""
    for metric in metrics:
        whole = found.setdefault(metric.name, Metric(metric.name, metric.documentation, metric.type))
        known = {(one.name, tuple(sorted(one.labels.items()))): index for index, one in enumerate(whole.samples)}
        for sample in metric.samples:
            if sample.name.endswith("_created"):
                continue
            labels = {**sample.labels, "host": host}
            index = known.get((sample.name, tuple(sorted(labels.items()))))
            if index is None:
                whole.samples.append(sample._replace(labels=labels))
            else:
                there = whole.samples[index]
                whole.samples[index] = there._replace(value=there.value + sample.value)
