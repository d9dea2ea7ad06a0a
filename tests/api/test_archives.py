"""Bots of several files, from the upload to what their owner reads again."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from hexarena.backend.matches import queue
from hexarena.backend.models import Source, Submission
from hexarena.backend.runtime.db import Database
from hexarena.backend.runtime.sizes import ARCHIVE_BYTES
from hexarena.backend.submissions.sources import pack, read_archive

API = "/api/v1"
FILES = {"main.py": b"import board\nprint(board.MOVE)\n", "board.py": b"MOVE = '4 4'\n", "book.bin": b"\x00\xff\x10"}


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return made.getvalue()


def upload(client: TestClient, content: bytes, name: str = "bot.zip", **form: str) -> Any:
    data = {"game": "yavalath", "bot": "mine", **form}
    return client.post(f"{API}/submissions/file", data=data, files={"file": (name, content)})


def sources(database: Database) -> int:
    with database.transaction() as session:
        return session.scalar(select(func.count()).select_from(Source)) or 0


def test_a_zip_is_a_submission_whose_language_is_inferred_from_its_files(client: TestClient) -> None:
    created = upload(client, zipped({f"my bot/{path}": content for path, content in FILES.items()}))
    assert created.status_code == 201, created.text
    submission = created.json()
    assert (submission["language"], submission["archive"], submission["state"]) == ("python", True, "queued")
    assert client.get(f"{API}/bots/{submission['bot_id']}").json()["submissions"][0]["archive"] is True


def test_its_owner_can_list_its_files_and_take_it_back(client: TestClient) -> None:
    id = upload(client, zipped(FILES)).json()["id"]
    listed = client.get(f"{API}/submissions/{id}/files")
    assert listed.headers["cache-control"] == "private, no-store"
    assert listed.json()["items"] == [
        {"path": "main.py", "bytes": 31, "starts": True, "text": FILES["main.py"].decode()},
        {"path": "board.py", "bytes": 13, "starts": False, "text": FILES["board.py"].decode()},
        {"path": "book.bin", "bytes": 3, "starts": False, "text": None},
    ]
    source = client.get(f"{API}/submissions/{id}/source")
    assert source.headers["content-type"] == "application/zip"
    assert source.headers["content-disposition"] == f'attachment; filename="submission-{id}.zip"'
    assert read_archive(source.content) == FILES


def test_a_text_is_listed_as_the_one_file_that_starts(client: TestClient) -> None:
    submission = upload(client, b"print('4 4')", "mine.py").json()
    assert submission["archive"] is False
    listed = client.get(f"{API}/submissions/{submission['id']}/files").json()
    assert listed["items"] == [{"path": "bot.py", "bytes": 12, "starts": True, "text": "print('4 4')"}]
    source = client.get(f"{API}/submissions/{submission['id']}/source")
    assert source.headers["content-type"] == "text/plain; charset=utf-8"


def test_nobody_else_sees_the_files(client: TestClient) -> None:
    id = upload(client, zipped(FILES)).json()["id"]
    client.cookies.clear()
    for part in ("files", "source"):
        assert client.get(f"{API}/submissions/{id}/{part}").status_code == 403
        assert client.get(f"{API}/submissions/999999/{part}").status_code == 404


def test_the_same_files_are_stored_once_however_they_were_zipped(client: TestClient, database: Database) -> None:
    before = sources(database)
    first = upload(client, zipped(FILES), bot="one").json()
    again = zipped({"x/.DS_Store": b"1", **{f"x/{path}": FILES[path] for path in sorted(FILES)}}, zipfile.ZIP_STORED)
    second = upload(client, again, bot="two").json()
    assert sources(database) == before + 1
    assert first["bytes"] == second["bytes"] == len(pack(FILES))


def test_a_worker_gets_the_files_that_were_uploaded(client: TestClient, database: Database) -> None:
    large = {"main.py": FILES["main.py"], "weights.bin": bytes(range(256)) * 4000}
    assert upload(client, zipped(large)).status_code == 201
    with database.transaction() as session:
        (lease,) = queue.lease(session, limit=1, seconds=60, max_attempts=1)
        order = queue.claim(session, lease.match_id, lease.token, seconds=60)
    assert order is not None
    assert read_archive(order.seats[0].source) == large


@pytest.mark.long
def test_the_language_can_be_given_where_the_files_do_not_say(client: TestClient) -> None:
    both = zipped({"main.py": b"print(1)", "main.cpp": b"int main() {}"})
    assert_refused(upload(client, both), "one file at the top called bot or main")
    assert upload(client, both, language="cpp").json()["language"] == "cpp"


@pytest.mark.parametrize(
    ("content", "form", "said"),
    [
        (b"PK\x03\x04 is not all there is to a zip", {}, "a whole zip"),
        (zipped({"../main.py": b"x"}), {}, "'../main.py'"),
        (zipped({"a.py": b"x", "b.py": b"y"}), {"language": "python"}, "got a.py, b.py"),
        (zipped({"main.py": b"a\0b"}), {}, "text in main.py"),
        (zipped({"main.py": b"\n"}), {}, "an empty text"),
        (zipped({"main.py": b"x"}), {"language": "cobol"}, "cobol"),
        (zipped({"main.py": b"x", "big": bytes(2_000_000)}), {}, "at most 1,048,576 bytes in all files together"),
        (
            zipped({"main.py": b"x", "raw": b"r" * 1_210_000}, zipfile.ZIP_STORED),
            {},
            "a zip of at most 1,200,000 bytes",
        ),
        (zipped({}), {}, "a zip with the bot's files"),
        (b"print(1)", {}, "a zip with the bot's files"),
        (b"\xef\xbb\xbfPK\x03\x04 in disguise", {"language": "python"}, "begins like a zip"),
    ],
)
def test_what_cannot_be_a_bot_is_refused_and_nothing_is_stored(
    client: TestClient, database: Database, content: bytes, form: dict[str, str], said: str
) -> None:
    before = sources(database)
    assert_refused(upload(client, content, "bot.zip" if "disguise" not in str(content) else "bot.py", **form), said)
    assert sources(database) == before
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(Submission).where(Submission.version.is_(None))) == 0


def test_a_zip_named_like_a_source_file_is_a_zip_all_the_same(client: TestClient) -> None:
    assert upload(client, zipped(FILES), "bot.py").json()["archive"] is True


@pytest.mark.parametrize("path", ["/submissions", "/matches"])
def test_where_text_is_expected_a_zip_is_not_taken(client: TestClient, path: str) -> None:
    body = {"game": "yavalath", "language": "python", "source": "PK\x03\x04"}
    if path == "/submissions":
        body["bot"] = "mine"
    assert_refused(client.post(API + path, json=body), "a zip is sent as a file")


def test_a_form_beyond_all_limits_is_refused_before_it_is_read(client: TestClient) -> None:
    refused = upload(client, bytes(ARCHIVE_BYTES + 200_000))
    assert refused.status_code == 413
    assert "at most 1,300,000 bytes" in refused.text


def assert_refused(response: Any, said: str) -> None:
    assert response.status_code == 422, response.text
    assert said in json.dumps(response.json(), ensure_ascii=False)
