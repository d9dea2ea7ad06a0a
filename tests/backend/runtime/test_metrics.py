"""What processes count, each for itself, and whoever asks gets as a sum: real processes, files and kills."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hexarena.backend.runtime import metrics

COUNTS = """
import sys
from pathlib import Path
from hexarena.backend.runtime import metrics

metrics.count_into(Path(sys.argv[1]), sys.argv[2])
metrics.meters().requests.labels("GET", "/x", "200").inc(int(sys.argv[3]))
metrics.meters().request_seconds.labels("/x").observe(0.02)
metrics.meters().streams.inc()
print("counts", flush=True)
sys.stdin.read()
"""


BROKEN = b"\xff\x00\x00\x00\x00\x00\x00\x00\x70\x00\x00\x00" + b"x" * 60


def counting(folder: Path, part: str, count: int) -> subprocess.Popen[str]:
    """A process that has counted `count` requests and has a stream open, until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", COUNTS, str(folder), part, str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert "counts\n" in process.stdout
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.communicate("")
    assert process.returncode == 0


def total(folder: Path, name: str) -> float:
    return metrics.total(metrics.counted(folder), name)


def files(folder: Path) -> set[str]:
    return {path.name for path in (folder / "metrics" / metrics.own_host()).iterdir()}


@pytest.mark.long
def test_the_figures_of_several_processes_are_added_up(tmp_path: Path) -> None:
    before = total(tmp_path, "hexarena_requests_total")  # what this process counted in memory, in other tests
    one, other, third = (counting(tmp_path, part, count) for part, count in (("api", 1), ("api", 2), ("worker", 4)))
    assert total(tmp_path, "hexarena_requests_total") == before + 7
    assert total(tmp_path, "hexarena_streams") == 3
    assert {"counter_api-0.db", "counter_api-1.db", "counter_worker-0.db"} <= files(tmp_path)
    for process in (one, other, third):
        end(process)
    assert total(tmp_path, "hexarena_requests_total") == before + 7
    assert total(tmp_path, "hexarena_streams") == 0


def test_a_process_that_counts_nothing_itself_names_no_figure_twice(tmp_path: Path) -> None:
    """As the first process of a worker, whose pool counts into files, and which serves the figures."""
    process = counting(tmp_path, "worker", 4)
    said = metrics.text_of(metrics.counted(tmp_path)).decode().splitlines()
    end(process)
    named = [line.rpartition(" ")[0] for line in said if not line.startswith("#")]
    assert len(named) == len(set(named))


@pytest.mark.long
def test_who_comes_after_a_killed_process_goes_on_counting_in_its_files(tmp_path: Path) -> None:
    first = counting(tmp_path, "worker", 5)
    first.kill()
    first.communicate()
    assert total(tmp_path, "hexarena_streams") == 0
    second = counting(tmp_path, "worker", 3)
    ours = [one for one in metrics.counted(tmp_path) if one.name == "hexarena_requests"]
    counted = [one.value for one in ours[0].samples if one.labels.get("route") == "/x"]
    assert counted == [8]
    assert total(tmp_path, "hexarena_streams") == 1
    assert sorted(name for name in files(tmp_path) if name.endswith(".lock")) == ["worker-0.lock"]
    end(second)


def test_each_host_has_a_label_and_a_host_without_life_is_forgotten_after_a_day(tmp_path: Path) -> None:
    end(counting(tmp_path, "worker", 5))
    own = tmp_path / "metrics" / metrics.own_host()
    gone = own.with_name("gone.example.org")
    own.rename(gone)
    end(counting(tmp_path, "worker", 3))

    def by_host() -> dict[str, float]:
        return {
            one.labels["host"]: one.value
            for metric in metrics.counted(tmp_path)
            for one in metric.samples
            if one.name == "hexarena_requests_total" and one.labels["route"] == "/x"
        }

    assert by_host() == {metrics.own_host(): 3, "gone.example.org": 5}
    long_ago = time.time() - metrics.FORGOTTEN_S - 1
    for file in gone.iterdir():
        os.utime(file, (long_ago, long_ago))
    assert by_host() == {metrics.own_host(): 3}
    assert not gone.exists()


def test_histograms_of_several_processes_are_one(tmp_path: Path) -> None:
    for _ in range(2):
        end(counting(tmp_path, "api", 1))
    text = metrics.text_of(metrics.counted(tmp_path)).decode()
    host = metrics.own_host()
    assert f'hexarena_request_seconds_bucket{{host="{host}",le="0.025",route="/x"}} 2.0' in text
    assert f'hexarena_request_seconds_bucket{{host="{host}",le="0.01",route="/x"}} 0.0' in text
    assert "_created" not in text


def test_a_broken_file_costs_the_figures_of_its_host_and_no_more(tmp_path: Path) -> None:
    end(counting(tmp_path, "api", 1))
    own = tmp_path / "metrics" / metrics.own_host()
    other = own.with_name("other")
    own.rename(other)
    (other / "counter_api-0.db").write_bytes(BROKEN)
    end(counting(tmp_path, "api", 1))
    found = [
        one
        for metric in metrics.counted(tmp_path)
        for one in metric.samples
        if one.name == "hexarena_requests_total" and one.labels["route"] == "/x"
    ]
    assert [(one.labels["host"], one.value) for one in found] == [(metrics.own_host(), 1)]


def test_a_folder_that_cannot_be_written_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file, where the data folder should be")
    end(counting(tmp_path / "data", "api", 1))


def test_figures_of_another_user_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, mine = "hexarena_requests_total", total(tmp_path, "hexarena_requests_total")
    end(counting(tmp_path, "api", 3))
    end(counting(tmp_path, "worker", 2))
    assert total(tmp_path, name) == mine + 5
    open_, access = os.open, os.access
    theirs = "worker"

    def refuse(path: str | Path, *more: int) -> int:
        if theirs in Path(path).name:
            raise PermissionError(13, "Permission denied", str(path))
        return open_(path, *more)

    monkeypatch.setattr(metrics.os, "open", refuse)
    monkeypatch.setattr(metrics.os, "access", lambda path, how: theirs not in Path(path).name and access(path, how))
    assert total(tmp_path, name) == mine + 3
    theirs = ""
    assert total(tmp_path, name) == mine


def test_a_process_whose_file_is_broken_begins_a_new_one(tmp_path: Path) -> None:
    end(counting(tmp_path, "api", 5))
    (tmp_path / "metrics" / metrics.own_host() / "counter_api-0.db").write_bytes(BROKEN)
    end(counting(tmp_path, "api", 2))
    found = [one for one in metrics.counted(tmp_path) if one.name == "hexarena_requests"]
    assert [one.value for one in found[0].samples if one.labels["route"] == "/x"] == [2]


def test_all_figures_can_be_forgotten(tmp_path: Path) -> None:
    before = total(tmp_path, "hexarena_requests_total")
    end(counting(tmp_path, "api", 7))
    metrics.forget_all(tmp_path)
    assert total(tmp_path, "hexarena_requests_total") == before
    metrics.forget_all(tmp_path)
