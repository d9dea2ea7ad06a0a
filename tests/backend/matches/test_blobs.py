"""Replays and logs, in a folder and in a bucket of a real S3 server."""

from __future__ import annotations

import gzip
import stat
import zipfile
from pathlib import Path

import boto3
import pytest
from moto.server import ThreadedMotoServer

from hexarena.backend.matches.blobs import REST_S, SLOW_S, Blobs, Readers, StoreError, replay_key
from hexarena.backend.matches.store import blobs_of
from hexarena.backend.runtime.settings import Settings
from tests.small_disk import run_on_small_disk

FORMER = "replays/07/7-1.jsonl.gz"
FORMER_LOG = "replays/07/7-1.seat1.jsonl.gz"


@pytest.fixture(params=["folder", "bucket"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Blobs:
    """An empty store of each kind."""
    if request.param == "folder":
        return Blobs(tmp_path)
    request.getfixturevalue("s3")
    return blobs_of(Settings(store="s3://arena/replays-of/hexarena", data_folder=tmp_path))


def stored(folder: Path) -> set[str]:
    """Names of all files."""
    return {path.name for path in folder.rglob("*") if path.is_file()}


def test_what_was_stored_is_read_again(blobs: Blobs) -> None:
    key = replay_key(7, 1)
    blobs.put_match(key, "Zug 1\n…", ["seat 0\n", "seat 1 …\n"])
    assert blobs.text(key) == "Zug 1\n…"
    assert [blobs.text(key, seat) for seat in range(3)] == ["seat 0\n", "seat 1 …\n", None]
    assert gzip.decompress(blobs.gzipped(key) or b"").decode() == "Zug 1\n…"
    assert blobs.text(replay_key(7, 2)) is None
    assert blobs.text(replay_key(7, 2), 0) is None


def test_a_match_is_one_file_that_other_programs_can_open(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    for match_id in (4095, 4096):
        blobs.put_match(replay_key(match_id, 1), "replay", ["log"])
    files = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*"))
    assert files == ["replays/000000/4095-1.zip", "replays/000001/4096-1.zip"]
    with zipfile.ZipFile(tmp_path / files[0]) as container:
        assert container.testzip() is None
        assert container.namelist() == ["replay.jsonl.gz", "seat0.jsonl.gz"]
    assert (tmp_path / files[0]).read_bytes() == (tmp_path / files[1]).read_bytes(), "equal texts make equal bytes"


def test_the_log_of_one_seat_is_erased(blobs: Blobs) -> None:
    key = replay_key(7, 1)
    blobs.put_match(key, "replay", ["zero", "one"])
    for _ in range(2):
        blobs.erase(key, 0)
        assert [blobs.text(key), blobs.text(key, 0), blobs.text(key, 1)] == ["replay", None, "one"]
    blobs.erase_logs(key)
    assert [blobs.text(key), blobs.text(key, 1)] == ["replay", None]
    blobs.erase(key)
    blobs.erase(key)
    blobs.erase(key, 1)
    blobs.erase_logs(key)
    assert blobs.text(key) is None


def test_what_earlier_versions_stored_is_read_and_erased(blobs: Blobs) -> None:
    def store() -> None:
        for name, text in ((FORMER, "replay"), (FORMER_LOG, "one")):
            blobs.write_note(name, "")
            blobs._put(name, gzip.compress(text.encode()))

    store()
    assert [blobs.text(FORMER), blobs.text(FORMER, 0), blobs.text(FORMER, 1)] == ["replay", None, "one"]
    blobs.erase(FORMER, 1)
    assert [blobs.text(FORMER), blobs.text(FORMER, 1)] == ["replay", None]
    store()
    blobs.erase_logs(FORMER)
    assert [blobs.text(FORMER), blobs.text(FORMER, 1)] == ["replay", None]
    store()
    blobs.erase(FORMER)
    assert [blobs.text(FORMER), blobs.text(FORMER, 1)] == [None, None]


def test_an_attempt_that_does_not_count_is_forgotten_with_what_it_was_killed_in_the_midst_of(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    for attempt in (1, 2, 11):
        blobs.put_match(replay_key(7, attempt), "replay", ["log"])
    blobs.put_match(replay_key(71, 1), "another match in the same folder")
    former = tmp_path / FORMER
    former.parent.mkdir()
    for path in (tmp_path / f"{replay_key(7, 1)}#1", former, tmp_path / FORMER_LOG, Path(f"{former}#2")):
        path.write_bytes(b"hal")
    blobs.forget(7, 1)
    assert stored(tmp_path) == {"7-2.zip", "7-11.zip", "71-1.zip"}
    blobs.forget(8, 1)


def test_a_void_attempt_is_forgotten_in_a_bucket(s3: ThreadedMotoServer) -> None:
    blobs = Blobs("s3://arena/here")
    for attempt in (1, 2):
        blobs.put_match(replay_key(7, attempt), "replay", ["log"])
    blobs.forget(7, 1)
    listed = boto3.client("s3", region_name="us-east-1").list_objects_v2(Bucket="arena")
    assert [one["Key"] for one in listed["Contents"]] == [f"here/{replay_key(7, 2)}"]


@pytest.mark.long
def test_a_server_that_is_gone_is_an_error_in_words_and_nothing_is_lost(s3: ThreadedMotoServer) -> None:
    blobs = Blobs("s3://arena")
    blobs.put_match(replay_key(7, 1), "replay")
    s3.stop()
    with pytest.raises(StoreError, match="s3://arena"):
        blobs.text(replay_key(7, 1))
    with pytest.raises(StoreError, match="s3://arena"):
        blobs.put_match(replay_key(8, 1), "replay")
    with pytest.raises(StoreError):
        blobs.erase(replay_key(7, 1))


def test_a_bucket_that_does_not_exist_is_not_a_replay_that_does_not(s3: ThreadedMotoServer) -> None:
    with pytest.raises(StoreError):
        Blobs("s3://nobodys").put_match(replay_key(7, 1), "replay")


def test_a_damaged_object_is_an_error_in_words(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    key = replay_key(7, 1)
    blobs.put_match(key, "replay", ["log"])
    (tmp_path / key).write_bytes((tmp_path / key).read_bytes()[:-30])
    with pytest.raises(StoreError, match="damaged"):
        blobs.text(key)


FULL_DISK = """
import os, sys
from pathlib import Path
from hexarena.backend.matches.blobs import REST_S, SLOW_S, Blobs, Readers, StoreError, replay_key
from hexarena.backend.runtime.disk import Disk, is_disk_full
folder = Path(sys.argv[1])
blobs, disk = Blobs(folder), Disk(folder, 100_000)
blobs.put_match(replay_key(1, 1), "before")
print(disk.is_full)
(folder / "filler").write_bytes(bytes(os.statvfs(folder).f_bavail * 4096 - 8192))
print(Disk(folder, 100_000).is_full, Disk(folder, 0).is_full)
noise = os.urandom(50_000).hex()
try:
    blobs.put_match(replay_key(2, 1), noise, [noise])
except StoreError as error:
    print(is_disk_full(error), error)
print(blobs.text(replay_key(1, 1)), blobs.text(replay_key(2, 1)))
(folder / "filler").unlink()
blobs.put_match(replay_key(2, 1), noise, [noise])
print(blobs.text(replay_key(2, 1), 0) == noise)
"""


def test_nothing_of_a_match_is_stored_where_no_room_is_left(tmp_path: Path) -> None:
    said = run_on_small_disk(tmp_path, FULL_DISK)
    assert said[:2] == ["False", "True False"]
    assert said[2].startswith(f"True {tmp_path}: ")
    assert said[3:] == ["before None", "True"]


def test_a_folder_that_cannot_be_made_is_an_error_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file"):
        Blobs(tmp_path / "file" / "blobs")


@pytest.mark.parametrize("address", ["ftp://host/replays", "s3:/arena", "replays", "memory:///"])
def test_an_address_that_cannot_be_a_store_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="store"):
        Settings(store=address)


def test_files_are_readable_for_those_who_may_read_the_folder(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    blobs.put_match(replay_key(7, 1), "replay")
    assert stat.S_IMODE((tmp_path / replay_key(7, 1)).stat().st_mode) & 0o600 == 0o600


# --- A store that does not answer -------------------------------------------------------------------------------------


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_nobody_joins_those_who_wait_for_a_store_that_does_not_answer() -> None:
    clock = Clock()
    readers = Readers(4, clock)
    with readers.place("store"):
        with readers.place("store"):
            clock.now += SLOW_S + 1
        with pytest.raises(StoreError, match="does not answer others"), readers.place("store"):
            pass
    with readers.place("store"):
        clock.now += SLOW_S - 1


def test_a_store_that_has_failed_is_left_alone_for_a_while() -> None:
    clock = Clock()
    readers = Readers(4, clock)
    with pytest.raises(StoreError, match="away"), readers.place("store"):
        raise StoreError("away")
    clock.now += REST_S - 1
    with pytest.raises(StoreError, match="does not answer others"), readers.place("store"):
        pass
    clock.now += 2
    with readers.place("store"):
        pass


def test_no_more_threads_wait_for_a_store_than_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hexarena.backend.matches.blobs.PLACE_S", 0.0)
    readers = Readers(1)
    with readers.place("store"), pytest.raises(StoreError, match="too many"), readers.place("store"):
        pass
    with readers.place("store"):
        pass


def test_what_is_not_there_is_no_failure(tmp_path: Path) -> None:
    store = Blobs(tmp_path, Readers(1))
    assert (store.gzipped("replays/000000/1-1.zip"), store.gzipped("replays/000000/1-1.zip")) == (None, None)
