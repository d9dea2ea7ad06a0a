"""Logs of an arena stay small while their writers go on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from hexarena.cli.log_files import rotate
from tests.small_disk import run_on_small_disk


def test_a_large_log_moves_aside_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "worker.log"
    (tmp_path / "small.log").write_text("kept\n")
    script = "for line in open(0): print(line, end='', flush=True)"
    with (
        path.open("ab") as log,
        subprocess.Popen([sys.executable, "-uc", script], stdin=subprocess.PIPE, stdout=log, text=True) as writer,
    ):
        assert writer.stdin is not None
        for number in range(4):
            size = path.stat().st_size
            writer.stdin.write(f"{number}" * 2000 + "\n")
            writer.stdin.flush()
            while path.stat().st_size == size:
                pass
            assert rotate(tmp_path, largest_bytes=1000) == [path]
            assert path.stat().st_size == 0
        writer.stdin.write("last\n")
    assert path.read_text() == "last\n", "without a hole of zeros before it"
    assert [(tmp_path / f"worker.log.{number}").read_text()[:2] for number in (1, 2)] == ["33", "22"]
    assert not (tmp_path / "worker.log.3").exists()
    assert rotate(tmp_path, largest_bytes=1000) == []
    assert (tmp_path / "small.log").read_text() == "kept\n"


FULL_DISK = """
import os, sys
from pathlib import Path
from hexarena.cli.log_files import rotate
folder = Path(sys.argv[1])
(folder / "worker.log").write_bytes(bytes(os.statvfs(folder).f_bavail * 4096 - 8192))
rotate(folder, 1000)
print(sorted((path.name, path.stat().st_size) for path in folder.iterdir()))
"""


def test_on_a_full_disk_a_log_is_emptied(tmp_path: Path) -> None:
    assert run_on_small_disk(tmp_path, FULL_DISK) == ["[('worker.log', 0)]"]
