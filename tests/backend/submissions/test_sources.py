"""What an upload holds: honest archives give their files, dishonest ones a message, and nothing else ever happens."""

from __future__ import annotations

import os
import stat
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from hexarena.backend.runtime.sizes import ARCHIVE_BYTES, SOURCE_BYTES
from hexarena.backend.submissions.languages import CPP, JAVA, JAVASCRIPT, PYTHON
from hexarena.backend.submissions.life import stored_form
from hexarena.backend.submissions.sources import (
    DEPTH,
    FILES,
    UNPACKED_BYTES,
    BadArchive,
    infer_language,
    is_archive,
    pack,
    read_archive,
    read_folder,
    unpack,
)

BOT = b"import board\nprint(board.MOVE)\n"
BOARD = b"MOVE = 'pass'\n"


def zipped(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """As an ordinary zip program packs it."""
    made = BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def of_entries(*entries: tuple[zipfile.ZipInfo, bytes]) -> bytes:
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for entry, content in entries:
            archive.writestr(entry, content)
    return made.getvalue()


def entry(name: str, *, mode: int = 0, folder: bool = False) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo("placeholder/" if folder else "placeholder")
    made.filename = name
    made.external_attr = mode << 16
    return made


# --- Honest archives ------------------------------------------------------------------------------------------------


def test_a_text_is_the_one_file_of_its_language() -> None:
    assert unpack(PYTHON, BOT) == {"bot.py": BOT}
    assert not is_archive(b"PK = 3\nprint(PK)\n")
    assert unpack(PYTHON, b"PK = 3\n") == {"bot.py": b"PK = 3\n"}


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_zip_gives_its_files(method: int) -> None:
    archive = zipped({"bot.py": BOT, "lib/board.py": BOARD, "empty.txt": b""}, method)
    assert is_archive(archive)
    assert unpack(PYTHON, archive) == {"bot.py": BOT, "lib/board.py": BOARD, "empty.txt": b""}


def test_a_zip_of_the_entry_file_alone_is_stored_as_its_text() -> None:
    """Else the same code would be two competitors, each with a chance of its own."""
    for name in ("bot.py", "main.py", "mine/main.py"):
        assert stored_form(PYTHON, zipped({name: BOT})) == stored_form(PYTHON, BOT) == BOT
    more = zipped({"bot.py": BOT, "lib/board.py": BOARD})
    assert is_archive(stored_form(PYTHON, more))
    large = BOT + b"#" * SOURCE_BYTES
    assert is_archive(stored_form(PYTHON, zipped({"bot.py": large})))


def test_a_folder_around_everything_is_taken_off_whatever_its_name() -> None:
    archive = zipped({"mein Böt (1)/": b"", "mein Böt (1)/bot.py": BOT, "mein Böt (1)/lib/board.py": BOARD})
    assert unpack(PYTHON, archive) == {"bot.py": BOT, "lib/board.py": BOARD}
    assert unpack(PYTHON, zipped({"bot/bot/bot.py": BOT})) == {"bot.py": BOT}


def test_what_systems_and_tools_leave_behind_is_left_out() -> None:
    junk = [
        *("__MACOSX/bot/._bot.py", ".DS_Store", "bot/.git/objects/a b", "bot/__pycache__/x.pyc", "bot/.idea/x.xml"),
        *("bot/.vscode/settings.json", "bot/Thumbs.db", "bot/node_modules/x/index.js", "bot/.gitignore"),
    ]
    archive = zipped({**dict.fromkeys(junk, b"\0junk"), "bot/bot.py": BOT, "bot/board.py": BOARD})
    assert unpack(PYTHON, archive) == {"bot.py": BOT, "board.py": BOARD}


def test_a_streamed_zip_whose_sizes_come_after_the_content_is_whole() -> None:
    class Pipe(BytesIO):
        def seekable(self) -> bool:
            return False

    made = Pipe()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bot.py", BOT)
    assert unpack(PYTHON, made.getvalue()) == {"bot.py": BOT}


def test_a_comment_of_64_kilobytes_changes_nothing() -> None:
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("bot.py", BOT)
        archive.comment = b"#" * 65535
    assert unpack(PYTHON, made.getvalue()) == {"bot.py": BOT}


@pytest.mark.parametrize("name", ["bot.py", "main.py", "Main.py", "Player.py", "whatever.py"])
def test_the_file_that_starts_is_found_by_name_or_because_it_is_alone(name: str) -> None:
    assert unpack(PYTHON, zipped({name: BOT, "lib/board.py": BOARD}))["bot.py"] == BOT


def test_the_language_s_own_file_name_comes_before_the_other_names() -> None:
    files = unpack(PYTHON, zipped({"main.py": BOARD, "bot.py": BOT}))
    assert files == {"bot.py": BOT, "main.py": BOARD}


def test_any_ending_of_the_language_will_do() -> None:
    assert unpack(CPP, zipped({"main.cc": b"int main() {}", "board.h": b""}))["bot.cpp"] == b"int main() {}"


def test_the_file_that_starts_loses_its_byte_order_mark() -> None:
    assert unpack(PYTHON, zipped({"main.py": b"\xef\xbb\xbf" + BOT}))["bot.py"] == BOT


def test_exactly_the_limits_are_allowed() -> None:
    deep = "/".join("abcdef"[: DEPTH - 1]) + "/" + "x" * 64
    files = {"bot.py": BOT, deep: bytes(UNPACKED_BYTES - len(BOT)), **{f"x{n}": b"" for n in range(FILES - 2)}}
    assert unpack(PYTHON, zipped(files)) == files


def test_the_largest_archive_can_be_kept() -> None:
    longest = ["/".join(["x" * 64] * (DEPTH - 1)) + f"/{number:064}" for number in range(FILES - 1)]
    files = {"bot.py": BOT, **dict.fromkeys(longest, b""), longest[0]: os.urandom(UNPACKED_BYTES - len(BOT))}
    kept = pack(files)
    assert len(kept) <= ARCHIVE_BYTES
    assert unpack(PYTHON, kept) == files


def test_equal_files_are_the_same_bytes_whoever_zipped_them() -> None:
    one = zipped({"bot.py": BOT, "board.py": BOARD}, zipfile.ZIP_STORED)
    other = zipped({"mine/": b"", "mine/board.py": BOARD, "mine/.DS_Store": b"x", "mine/bot.py": BOT})
    assert one != other
    assert pack(read_archive(one)) == pack(read_archive(other))
    assert read_archive(pack(read_archive(one))) == {"board.py": BOARD, "bot.py": BOT}


def test_the_language_is_inferred_from_the_entry_file() -> None:
    assert infer_language({"main.cpp": b"", "plot.py": b"", "board.h": b""}) is CPP
    assert infer_language({"Snake.java": b"", "notes.txt": b""}) is JAVA
    assert infer_language({"bot.js": b"", "lib/board.py": b""}) is JAVASCRIPT


@pytest.mark.parametrize("names", [["main.py", "main.cpp"], ["a.py", "b.cpp"], ["a.py", "b.py"], ["notes.txt"]])
def test_where_two_languages_could_be_meant_the_author_has_to_say(names: list[str]) -> None:
    with pytest.raises(BadArchive, match="expected one file at the top called bot or main"):
        infer_language(dict.fromkeys(names, b""))


# --- Dishonest ones -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        *("/etc/passwd", "../bot.py", "lib/../../bot.py", "lib\\board.py", "C:\\bot.py", "./bot.py", "lib//board.py"),
        *("bot.py\0.txt", ".git/../../../etc/passwd", "__MACOSX/../x.py", ".", ".."),
    ],
)
def test_a_path_that_leads_elsewhere_is_refused(name: str) -> None:
    with pytest.raises(BadArchive, match="expected paths inside the folder"):
        unpack(PYTHON, of_entries((entry("bot.py"), BOT), (entry(name), b"x")))


@pytest.mark.parametrize("name", ["my bot.py", "böt.py", "-rf", "C:", "a\nb", "x" * 65, "\x1b[2J", "a" * 60_000])
def test_a_name_that_a_tool_could_misread_is_refused(name: str) -> None:
    with pytest.raises(BadArchive, match="expected names of 1 to 64 letters") as refused:
        unpack(PYTHON, of_entries((entry("bot.py"), BOT), (entry(name), b"x")))
    assert len(str(refused.value)) < 400
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        (stat.S_IFLNK, "link"),
        (stat.S_IFIFO, "fifo"),
        (stat.S_IFSOCK, "socket"),
        (stat.S_IFCHR, "device"),
        (stat.S_IFBLK, "device"),
        (stat.S_IFDIR, "folder"),
        (0o170000, "special file"),
    ],
)
def test_only_plain_files_are_taken(kind: int, word: str) -> None:
    archive = of_entries((entry("bot.py"), BOT), (entry("x", mode=kind | 0o777), b"/etc/passwd"))
    with pytest.raises(BadArchive, match=f"'x', which is a {word}"):
        unpack(PYTHON, archive)


@pytest.mark.parametrize("twin", ["board.py", "BOARD.py"])
def test_no_file_comes_twice_not_even_in_capitals(twin: str) -> None:
    archive = zipped({"bot.py": BOT, "board.py": b"1", "BOARD.py": b"2"}).replace(b"BOARD.py", twin.encode())
    with pytest.raises(BadArchive, match="expected each file once"):
        unpack(PYTHON, archive)


def test_a_name_is_a_file_or_a_folder() -> None:
    with pytest.raises(BadArchive, match="both called 'LIB'"):
        unpack(PYTHON, zipped({"bot.py": BOT, "lib": b"", "LIB/board.py": BOARD}))
    with pytest.raises(BadArchive, match=r"both called 'bot\.py'"):
        unpack(PYTHON, zipped({"main.py": BOT, "bot.py/board.py": BOARD}))


def test_without_a_file_that_starts_the_message_says_what_to_call_it() -> None:
    with pytest.raises(BadArchive, match=r"bot\.py, main\.py, .* or the only one that ends in \.py; got a\.py, b\.py"):
        unpack(PYTHON, zipped({"a.py": BOT, "b.py": BOARD}))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe", "UTF-8 text in main.py; got byte 0xff"),
        (b"a\0b", "text in main.py; got a NUL"),
        (b" \n", "the bot's code in main.py; got an empty text"),
    ],
)
def test_the_file_that_starts_is_text(content: bytes, message: str) -> None:
    with pytest.raises(BadArchive, match=message):
        unpack(PYTHON, zipped({"main.py": content}))


def test_an_archive_of_junk_alone_is_refused() -> None:
    with pytest.raises(BadArchive, match="nothing but hidden files"):
        unpack(PYTHON, zipped({".git/config": b"x", "__MACOSX/x": b"x"}))
    with pytest.raises(BadArchive, match="expected the bot's files; got none"):
        unpack(PYTHON, of_entries((entry("folder/", folder=True), b"")))


def test_too_many_files_too_deep_or_too_large_a_zip() -> None:
    with pytest.raises(BadArchive, match="expected at most 100 files"):
        unpack(PYTHON, zipped({f"x{number}.py": b"" for number in range(FILES + 1)}))
    with pytest.raises(BadArchive, match="expected at most 5 folders in each other"):
        unpack(PYTHON, zipped({"bot.py": BOT, "/".join("abcdef") + "/x": b""}))
    with pytest.raises(BadArchive, match=r"expected a zip of at most 1,200,000 bytes; got 1,2\d\d,\d{3} bytes"):
        unpack(PYTHON, zipped({"bot.py": BOT, "x": os.urandom(ARCHIVE_BYTES)}))


@pytest.mark.long
def test_a_bomb_is_stopped_at_the_cap_and_not_when_it_has_gone_off() -> None:
    bomb = zipped({"bot.py": BOT, "x.bin": bytes(300 << 20)})
    assert len(bomb) < 400_000
    tracemalloc.start()
    try:
        with pytest.raises(BadArchive, match="expected at most 1,048,576 bytes in all files together"):
            unpack(PYTHON, bomb)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_many_files_share_the_cap() -> None:
    half = bytes(UNPACKED_BYTES // 2)
    with pytest.raises(BadArchive, match="counted up to 'c'"):
        unpack(PYTHON, zipped({"a": half, "b": half, "c": b"1"}))


def test_entries_that_share_one_content_are_refused() -> None:
    """The bomb of a few kilobytes in which every entry points to the same bytes."""
    single = zipped({"bot.py": BOT})
    end = single.rindex(b"PK\x05\x06")
    directory_at = single.index(b"PK\x01\x02")
    listed = single[directory_at:end]
    twin = listed.replace(b"bot.py", b"BOX.py")
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 2, 2, len(listed) * 2, directory_at, 0)
    with pytest.raises(BadArchive, match="is damaged"):
        unpack(PYTHON, single[:directory_at] + listed + twin + tail)
    nested = single[:directory_at].replace(b"bot.py", b"BOX.py") + listed + twin + tail
    with pytest.raises(BadArchive, match="is damaged"):
        unpack(PYTHON, nested)


def test_content_behind_the_list_of_entries_is_refused() -> None:
    single = zipped({"bot.py": BOT})
    directory_at = single.index(b"PK\x01\x02")
    end = single.rindex(b"PK\x05\x06")
    local, listed = single[:directory_at], bytearray(single[directory_at:end])
    struct.pack_into("<L", listed, 42, len(listed))  # where the entry's header stands: behind the list
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(listed), 0, len(local))
    with pytest.raises(BadArchive):
        unpack(PYTHON, local[:4] + bytes(listed) + tail + local)
    moved = bytearray(single[directory_at:end])
    struct.pack_into("<L", moved, 42, 4 + len(moved))
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(moved), 4, len(local))
    with pytest.raises(BadArchive):
        unpack(PYTHON, local[:4] + bytes(moved) + local + tail)


def lying(field: int, value: int) -> bytes:
    """A zip of one file in whose list a number of four bytes is false."""
    archive = bytearray(zipped({"bot.py": BOT}))
    struct.pack_into("<L", archive, archive.index(b"PK\x01\x02") + field, value)
    return bytes(archive)


CHECKSUM, PACKED, UNPACKED, HEADER = 16, 20, 24, 42


@pytest.mark.parametrize("field", [CHECKSUM, PACKED, UNPACKED, HEADER])
@pytest.mark.parametrize("value", [0, 1, 10, 60, 0x7FFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF])
def test_a_false_number_never_passes(field: int, value: int) -> None:
    if (field, value) == (HEADER, 0):
        assert unpack(PYTHON, lying(field, value)) == {"bot.py": BOT}
        return
    with pytest.raises(BadArchive):
        unpack(PYTHON, lying(field, value))


def test_a_size_that_hides_the_rest_of_a_file_is_found_out() -> None:
    """The checksum fits the beginning, as a reader that stops at the given size would believe."""
    archive = bytearray(zipped({"bot.py": BOT}))
    listed = archive.index(b"PK\x01\x02")
    struct.pack_into("<L", archive, listed + UNPACKED, 10)
    struct.pack_into("<L", archive, listed + CHECKSUM, zlib.crc32(BOT[:10]))
    with pytest.raises(BadArchive, match=r"'bot\.py' is damaged"):
        unpack(PYTHON, bytes(archive))


def test_a_size_of_zip64_is_not_believed() -> None:
    honest = entry("bot.py")
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive, archive.open(honest, "w", force_zip64=True) as file:
        file.write(BOT)
    assert unpack(PYTHON, made.getvalue()) == {"bot.py": BOT}

    single = bytearray(zipped({"bot.py": BOT}))
    directory_at, end = single.index(b"PK\x01\x02"), single.rindex(b"PK\x05\x06")
    listed = bytearray(single[directory_at:end])
    struct.pack_into("<L", listed, UNPACKED, 0xFFFFFFFF)
    struct.pack_into("<H", listed, 30, 12)
    listed += struct.pack("<HHQ", 1, 8, 1 << 62)
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(listed), directory_at, 0)
    with pytest.raises(BadArchive, match="is damaged"):
        unpack(PYTHON, bytes(single[:directory_at] + listed + tail))


def test_a_header_that_names_another_file_is_refused() -> None:
    archive = zipped({"bot.py": BOT})
    at = archive.index(b"PK\x01\x02")
    with pytest.raises(BadArchive, match=r"'bot\.py' is damaged"):
        unpack(PYTHON, archive[:at].replace(b"bot.py", b"xyz.py") + archive[at:])


def test_encrypted_and_strangely_packed_entries_are_refused() -> None:
    encrypted = bytearray(zipped({"bot.py": BOT}))
    encrypted[encrypted.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(BadArchive, match="expected a zip without a password"):
        unpack(PYTHON, bytes(encrypted))
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        with pytest.raises(BadArchive, match=f"packed by method {method}"):
            unpack(PYTHON, zipped({"bot.py": BOT}, method))


def test_every_truncation_and_what_only_begins_like_a_zip_is_refused() -> None:
    archive = zipped({"bot.py": BOT, "board.py": BOARD})
    for length in range(4, len(archive)):
        with pytest.raises(BadArchive):
            unpack(PYTHON, archive[:length])
    with pytest.raises(BadArchive, match="expected a whole zip"):
        unpack(PYTHON, b"PK\x03\x04 and so on")


# --- Folders --------------------------------------------------------------------------------------------------------


def test_a_folder_is_read_by_the_rules_for_its_zip(tmp_path: Path) -> None:
    for path, content in {"bot.py": BOT, "lib/board.py": BOARD, ".git/config": b"x", "lib/__pycache__/x": b""}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(content)
    assert read_folder(tmp_path) == {"bot.py": BOT, "lib/board.py": BOARD}


def test_links_and_fifos_in_a_folder_are_refused_and_never_opened(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_bytes(BOT)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadArchive, match="which is a fifo"):
        read_folder(tmp_path)
    (tmp_path / "pipe").unlink()
    (tmp_path / "loop").symlink_to(tmp_path)
    with pytest.raises(BadArchive, match="which is a link"):
        read_folder(tmp_path)


def test_a_folder_beyond_the_limits_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_bytes(BOT)
    (tmp_path / "big").write_bytes(bytes(UNPACKED_BYTES))
    with pytest.raises(BadArchive, match="expected at most 1,048,576 bytes"):
        read_folder(tmp_path)
    (tmp_path / "big").unlink()
    for number in range(FILES):
        (tmp_path / f"x{number}").touch()
    with pytest.raises(BadArchive, match="expected at most 100 files"):
        read_folder(tmp_path)
    (tmp_path / "nothing").mkdir()
    with pytest.raises(BadArchive, match="expected the bot's files; got none"):
        read_folder(tmp_path / "nothing")


# --- Anything -------------------------------------------------------------------------------------------------------

GOOD = (
    zipped({"bot.py": BOT, "lib/board.py": BOARD, "data.bin": bytes(5000)}),
    zipped({"mine/bot.py": BOT, "mine/.DS_Store": b"x", "mine/a/b/c/d.txt": b"d" * 300}, zipfile.ZIP_STORED),
)
Change = tuple[int, int, bytes]


@pytest.mark.long
@settings(max_examples=600, deadline=None)
@given(
    st.sampled_from(GOOD),
    st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 8), st.binary(max_size=8)), min_size=1, max_size=6),
)
def test_whatever_is_changed_in_a_zip_it_gives_files_within_the_limits_or_a_message(
    archive: bytes, changes: list[Change]
) -> None:
    for place, removed, added in changes:
        at = place % (len(archive) or 1)
        archive = archive[:at] + added + archive[at + removed :]
    assert_safe(archive)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200), st.binary(max_size=200))
def test_whatever_follows_the_first_bytes_of_a_zip(body: bytes, listed: bytes) -> None:
    assert_safe(
        b"PK\x03\x04"
        + body
        + b"PK\x01\x02"
        + listed
        + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(listed) + 4, len(body) + 4, 0)
    )


@pytest.mark.long
@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.text(max_size=20), st.binary(max_size=20), max_size=5))
def test_whatever_the_files_are_called(files: dict[str, bytes]) -> None:
    assert_safe(of_entries(*((entry(name), content) for name, content in files.items() if _encodable(name))))


def _encodable(name: str) -> bool:
    return name.isascii() or not any(0xD800 <= ord(one) <= 0xDFFF for one in name)


def assert_safe(archive: bytes) -> None:
    """Files within the limits, or a message that can be shown."""
    if not is_archive(archive):
        return
    files, message = read_or_message(archive)
    if message is not None:
        assert message.isprintable()
        assert len(message) < 600
        return
    assert 1 <= len(files) <= FILES
    assert sum(map(len, files.values())) <= UNPACKED_BYTES
    for path in files:
        assert path.isascii()
        assert path.isprintable()
        assert "\\" not in path
        assert not {"", ".", ".."} & set(path.split("/"))
        assert len(path.split("/")) <= DEPTH
    assert read_archive(pack(files)) == files


def read_or_message(archive: bytes) -> tuple[Mapping[str, bytes], str | None]:
    try:
        return read_archive(archive), None
    except BadArchive as refused:
        return {}, str(refused)
