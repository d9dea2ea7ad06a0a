"""The kept builds: whole or not there, never gone while somebody needs them, never too many; and disks that fail."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hexarena.backend.submissions.languages import PYTHON
from hexarena.worker.sandbox import Sandbox, SandboxFailed
from hexarena.worker.sandbox.cache import KEPT_S, LOCKED_BUILDS, BuildCache
from tests.conftest import PATIENCE_S
from tests.small_disk import run_on_small_disk

ROOT = Path(__file__).parents[3]
OpenCache = Callable[..., BuildCache]


@pytest.fixture
def open_cache(tmp_path: Path) -> OpenCache:
    """Caches of several workers on one folder."""

    def opened(worker: str, kept_bytes: int = 1000) -> BuildCache:
        (tmp_path / "scratch" / worker).mkdir(parents=True, exist_ok=True)
        return BuildCache(tmp_path / "builds", tmp_path / "scratch" / worker, kept_bytes=kept_bytes)

    return opened


@pytest.fixture
def cache(open_cache: OpenCache) -> BuildCache:
    """One of them."""
    return open_cache("a")


def kept(tmp_path: Path) -> list[str]:
    """The keys that are there. Nothing half done is ever left."""
    assert list((tmp_path / "scratch").glob("*/*")) == []
    return sorted(home.name for home in (tmp_path / "builds").iterdir())


def grow_older(tmp_path: Path, *keys: str, seconds: float = 3600) -> None:
    """As if they had been used one after the other, so long ago."""
    for when, key in enumerate(keys, start=round(time.time() - seconds)):
        os.utime(tmp_path / "builds" / key, (when, when))


def test_a_kept_build_is_found_with_all_of_its_files(cache: BuildCache, tmp_path: Path) -> None:
    assert cache.find("key") is None
    home = cache.store("key", {"bot": b"program", "lib/words.txt": b"ant"})
    assert cache.find("key") == home
    assert {path.relative_to(home).as_posix() for path in home.rglob("*")} == {"bot", "lib", "lib/words.txt"}
    assert ((home / "bot").read_bytes(), (home / "lib" / "words.txt").read_bytes()) == (b"program", b"ant")
    assert kept(tmp_path) == ["key"]


def test_two_workers_may_keep_the_same_build(cache: BuildCache, open_cache: OpenCache, tmp_path: Path) -> None:
    other = open_cache("b")
    assert cache.store("key", {"bot": b"program"}) == other.store("key", {"bot": b"program"})
    assert cache.find("key") == other.find("key")
    assert kept(tmp_path) == ["key"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda home: os.truncate(home / "bot", 3),
        lambda home: os.truncate(home / "bot", 0),
        lambda home: (home / "bot").write_bytes(b"proXram"),
        lambda home: (home / "bot").unlink(),
        lambda home: (home / "bot").chmod(0o644),
        lambda home: (home / "more").write_bytes(b""),
        lambda home: os.truncate(home.parent / "seal", 0),
        shutil.rmtree,
    ],
    ids=["truncated", "empty", "changed", "gone", "not executable", "with more", "seal empty", "all gone"],
)
def test_a_damaged_build_is_built_again(
    cache: BuildCache, open_cache: OpenCache, caplog: pytest.LogCaptureFixture, damage: Callable[[Path], object]
) -> None:
    files = {"bot": b"program"}
    damage(cache.store("key", files))
    other = open_cache("b")
    assert other.find("key") is None
    assert "is damaged and is built again" in caplog.text
    assert (other.store("key", files) / "bot").read_bytes() == b"program"
    assert other.find("key") is not None
    assert cache.find("key") == other.find("key")


def test_a_build_of_before_there_were_seals_is_built_again_without_a_warning(
    cache: BuildCache, open_cache: OpenCache, caplog: pytest.LogCaptureFixture
) -> None:
    (cache.store("key", {"bot": b"program"}).parent / "seal").unlink()
    other = open_cache("b")
    assert other.find("key") is None
    assert not caplog.records
    assert (other.store("key", {"bot": b"program"}) / "bot").read_bytes() == b"program"
    assert other.find("key") is not None


def test_a_damaged_build_that_another_worker_uses_does_not_stand_in_the_way(
    cache: BuildCache, open_cache: OpenCache
) -> None:
    home = cache.store("key", {"bot": b"program"})
    os.truncate(home / "bot", 0)
    assert (open_cache("b").store("key", {"bot": b"program"}) / "bot").read_bytes() == b"program"


def test_a_build_that_somebody_removed_is_not_found(cache: BuildCache, tmp_path: Path) -> None:
    cache.store("key", {"bot": b"program"})
    shutil.rmtree(tmp_path / "builds" / "key")
    assert cache.find("key") is None
    cache.store("key", {"bot": b"program"})
    assert cache.find("key") is not None


# --- How many ------------------------------------------------------------------------------------------------------


def test_builds_that_were_not_used_for_longest_go_first(
    cache: BuildCache, open_cache: OpenCache, tmp_path: Path
) -> None:
    for key in ("a", "b", "c", "d"):
        cache.store(key, {"bot": bytes(300)})
    cache.close()
    grow_older(tmp_path, "c", "a", "d", "b")
    later = open_cache("b", kept_bytes=1200)
    assert later.find("c") is not None, "now it is the last that was used"
    later.close()
    later.sweep()
    assert kept(tmp_path) == ["b", "c", "d"]


def test_what_nobody_has_used_for_a_day_is_removed_by_a_worker_that_runs(
    cache: BuildCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its code may have been deleted, and its locks must not keep it."""
    for key in ("deleted", "used", "newer"):
        cache.store(key, {"bot": b"code"})
    grow_older(tmp_path, "deleted", "used", seconds=KEPT_S + 60)
    grow_older(tmp_path, "newer", seconds=KEPT_S - 60)
    cache.find("used")
    assert kept(tmp_path) == ["deleted", "newer", "used"], "not at each match"
    monkeypatch.setattr("hexarena.worker.sandbox.cache.SWEEP_S", 0.0)
    cache.find("used")
    assert kept(tmp_path) == ["newer", "used"]


def test_too_many_builds_are_noticed_while_a_worker_runs(cache: BuildCache, tmp_path: Path) -> None:
    last = LOCKED_BUILDS + 20
    for number in range(last + 1):
        cache.store(str(number), {"bot": bytes(400)})
    assert len(kept(tmp_path)) <= LOCKED_BUILDS + 1
    assert str(last) in kept(tmp_path)


def test_what_a_worker_has_found_is_not_removed_by_another(
    cache: BuildCache, open_cache: OpenCache, tmp_path: Path
) -> None:
    open_cache("a").store("key", {"bot": bytes(400)})
    home = cache.find("key")
    assert home is not None
    grow_older(tmp_path, "key")
    open_cache("b", kept_bytes=0).sweep()
    assert (home / "bot").stat().st_size == 400
    cache.close()
    open_cache("b", kept_bytes=0).sweep()
    assert kept(tmp_path) == []


def test_a_worker_holds_on_to_as_many_builds_as_a_match_has_seats(
    cache: BuildCache, descriptors: Callable[[], set[str]]
) -> None:
    before = descriptors()
    for number in range(LOCKED_BUILDS + 9):
        cache.store(str(number), {"bot": b""})
        cache.find(str(number))
    assert len(descriptors() - before) == LOCKED_BUILDS
    cache.close()
    assert descriptors() == before


RACER = """
import sys
from pathlib import Path
from hexarena.worker.sandbox.cache import BuildCache
folder, name = Path(sys.argv[1]), sys.argv[2]
(folder / "scratch" / name).mkdir(parents=True)
cache = BuildCache(folder / "builds", folder / "scratch" / name, kept_bytes=0)
for number in range(300):
    key = str(number % 3)
    home = cache.find(key) or cache.store(key, {"bot": key.encode()})
    assert (home / "bot").read_text() == key, key
    if number % 7 == 0:
        cache.close()
        cache = BuildCache(folder / "builds", folder / "scratch" / name, kept_bytes=0)
    cache.sweep()
"""


def test_workers_that_build_find_and_sweep_at_once_never_lose_what_they_use(tmp_path: Path) -> None:
    racers = [subprocess.Popen([sys.executable, "-c", RACER, tmp_path, name], cwd=ROOT) for name in "abcd"]
    assert [racer.wait(PATIENCE_S) for racer in racers] == [0, 0, 0, 0]
    BuildCache(tmp_path / "builds", tmp_path / "scratch" / "a", kept_bytes=0).sweep()
    assert kept(tmp_path) == []


# --- What the machine refuses --------------------------------------------------------------------------------------

FULL_DISK = """
import os, sys
from pathlib import Path
from hexarena.backend.submissions.languages import PYTHON
from hexarena.worker.sandbox import Sandbox
from hexarena.worker.sandbox import SandboxFailed
folder = Path(sys.argv[1])
with Sandbox.open("none", folder=folder) as sandbox:
    (folder / "filler").write_bytes(bytes(os.statvfs(folder).f_bavail * 4096 - 8192))
    try:
        sandbox.build(PYTHON, b"# " + b"x" * 50_000)
    except SandboxFailed as failure:
        print(failure)
    print([path.name for path in folder.glob("scratch/*/*")])
    (folder / "filler").unlink()
    with sandbox.start(sandbox.build(PYTHON, b"print(input())"), reply_bytes=9) as bot:
        print(bot.ask("played\\n", 9.0).line)
"""


def test_a_full_disk_is_not_the_bots_fault(tmp_path: Path) -> None:
    said = run_on_small_disk(tmp_path, FULL_DISK)
    assert said[0].startswith(f"expected to write a build in {tmp_path}; got [Errno 28] No space left on device")
    assert said[1:] == ["[]", "played"]


def test_a_build_that_went_away_before_its_bot_starts_is_our_failure(
    sandbox: Sandbox, descriptors: Callable[[], set[str]]
) -> None:
    source = b"print(input())  # removed by hand"
    program = sandbox.build(PYTHON, source)
    before = descriptors()
    shutil.rmtree(program.command.home.parent)
    with pytest.raises(SandboxFailed, match="No such file"), sandbox.start(program, reply_bytes=9) as bot:
        bot.ask("1\n", 5.0)
    assert len(descriptors()) == len(before)
    with sandbox.start(sandbox.build(PYTHON, source), reply_bytes=9) as bot:
        assert bot.ask("again\n", 5.0).line == "again"


def test_a_launcher_that_went_away_is_our_failure(tmp_path: Path, descriptors: Callable[[], set[str]]) -> None:
    with Sandbox.open("bwrap", folder=tmp_path) as sandbox:
        program = sandbox.command(["cat"], ROOT)
        before = descriptors()
        sandbox._launcher._bwrap = "/no/such/bwrap"  # type: ignore[attr-defined]
        for _ in range(70):
            with pytest.raises(SandboxFailed, match=r"expected to launch a sandbox; got .*No such file"):
                sandbox.start(program, reply_bytes=9)
        assert descriptors() == before


READ_ONLY_GROUPS = """
import subprocess, sys
from pathlib import Path
from hexarena.worker.sandbox import Sandbox
from hexarena.worker.sandbox import SandboxFailed
with Sandbox.open("bwrap", folder=Path(sys.argv[1])) as sandbox:
    program = sandbox.command(["cat"], Path("/usr/share"))
    with sandbox.start(program, reply_bytes=9) as bot:
        print(bot.ask("1\\n", 9.0).line)
    waiting = sandbox.start(program, reply_bytes=9)
    for place in {folder.parent for folder in sandbox._slots.hierarchies.folders("any")}:
        subprocess.run(["mount", "--bind", place, place], check=True)
        subprocess.run(["mount", "-o", "remount,ro,bind", place], check=True)
    for attempt in (lambda: waiting.ask("2\\n", 9.0), lambda: sandbox.start(program, reply_bytes=9)):
        try:
            attempt()
        except SandboxFailed as failure:
            print(failure)
    waiting.close()
"""


def test_control_groups_that_become_read_only_are_our_failure(tmp_path: Path, isolated: Sandbox) -> None:
    if isolated._slots.hierarchies is None or os.geteuid() != 0:
        pytest.skip("needs control groups, and root to take them away")
    command = ["unshare", "--mount", "--propagation", "private", sys.executable, "-c", READ_ONLY_GROUPS, tmp_path]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    assert said[0] == "1"
    assert said[1].startswith("expected to set the limits of a sandbox; got [Errno 30] Read-only file system")
    assert said[2].startswith("expected a control group for a bot; got [Errno 30] Read-only file system")
