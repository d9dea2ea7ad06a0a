"""Replays and logs in the data folder."""

from __future__ import annotations

from pathlib import Path

from hexarena.backend.matches.blobs import Blobs, replay_key, seat_log_key


def stored(folder: Path) -> set[str]:
    """Names of all files."""
    return {path.name for path in folder.rglob("*") if path.is_file()}


def test_what_was_stored_is_read_again(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    blobs.put_text(replay_key(7, 1), "Zug 1\n…")
    assert blobs.get_text(replay_key(7, 1)) == "Zug 1\n…"
    assert blobs.get_text(replay_key(7, 2)) is None


def test_an_attempt_that_does_not_count_is_forgotten_with_what_it_was_killed_in_the_midst_of(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path)
    for attempt in (1, 2, 11):
        blobs.put_text(replay_key(7, attempt), "replay")
        blobs.put_text(seat_log_key(replay_key(7, attempt), 0), "log")
    (tmp_path / f"{replay_key(7, 1)}#1").write_bytes(b"hal")
    blobs.put_text(replay_key(7 + 256, 1), "another match in the same folder")
    blobs.forget(7, 1)
    assert stored(tmp_path) == {
        *("7-2.jsonl.gz", "7-2.seat0.jsonl.gz", "7-11.jsonl.gz", "7-11.seat0.jsonl.gz"),
        "263-1.jsonl.gz",
    }
    blobs.forget(8, 1)
