"""The files of an upload: one source file, or a zip of several. Read in memory; nothing here writes to a disk.

A zip is read strictly, because its author may be hostile: the standard library lists its entries, but every path, kind,
place, size and checksum is checked here, and bytes are counted while they are unpacked, never taken from a header. The
limit on unpacked bytes is absolute, whatever the compression ratio. `pack` writes the canonical zip of given files:
the same files give the same bytes, thus the same hash, whoever zipped them and when.
"""

from __future__ import annotations

import json
import re
import stat
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from itertools import compress
from pathlib import Path, PurePosixPath
from typing import TypeAlias
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from hexarena.backend.runtime.sizes import ARCHIVE_BYTES
from hexarena.backend.submissions.languages import LANGUAGES, MIB, Language

Files: TypeAlias = Mapping[str, bytes]
"""Path -> content. Paths are relative, with / between names; there is at least one."""

FILES = 100
UNPACKED_BYTES = MIB
"""All files together."""
DEPTH = 6
"""Names in a path, the file's included."""
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
JUNK = frozenset({"__macosx", "__pycache__", "node_modules", "thumbs.db", "desktop.ini"})
"""What systems and tools leave in folders, besides hidden files. It is left out."""
ENTRY_STEMS = ("main", "Main", "Player")
"""Names of the entry file, after the one it has in the sandbox."""

LOCAL_MAGIC = b"PK\x03\x04"
LOCAL_HEADER = struct.Struct("<4s22xHH")
"""What precedes an entry's content: magic, versions and sizes, length of the name, length of the extra field."""
ENCRYPTED = 0x0001 | 0x0040 | 0x2000
"""Flags: encrypted, strongly encrypted, directory encrypted."""
FIXED_DATE = (1980, 1, 1, 0, 0, 0)
SHOWN_CHARACTERS = 100
WHOLE = "a whole zip, so pack and send it again"


class BadSource(ValueError):
    """An upload that is not a bot's code. The message says what was expected and what was got."""

    def __init__(self, expected: str, got: str) -> None:
        super().__init__(f"expected {expected}; got {got}")
        self.expected = expected
        self.got = got


class BadArchive(BadSource):
    """A zip, or a folder, that cannot be used as a bot's files."""


def is_archive(upload: bytes) -> bool:
    """Whether an upload claims to be a zip. No text begins so."""
    return upload.startswith(LOCAL_MAGIC)


def text_of(content: bytes) -> str:
    """A source file as text, without a byte order mark.

    Raises: BadSource.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadSource("UTF-8 text", f"byte 0x{content[error.start]:02x} at position {error.start:,}") from None
    if "\0" in text:
        raise BadSource("text", f"a NUL at position {text.index(chr(0)):,}")
    if is_archive(text.encode()):
        raise BadSource("text, or a zip sent as a file", "something that begins like a zip")
    if not text.strip():
        raise BadSource("the bot's code", "an empty text")
    return text


def unpack(language: Language, upload: bytes) -> Files:
    """An upload as the files that a build begins with; the file that starts is named `language.source_name`.

    Raises: BadArchive.
    """
    if not is_archive(upload):
        return {language.source_name: upload}
    return lay_out(language, read_archive(upload))


def lay_out(language: Language, files: Files) -> Files:
    """The files, with the entry file under its name in the sandbox and checked to be text.

    Raises: BadArchive.
    """
    entry = entry_of(language, files)
    if entry is None:
        raise BadArchive(_expected_entry(language), _list_top(files))
    try:
        source = text_of(files[entry]).encode()
    except BadSource as bad:
        raise BadArchive(f"{bad.expected} in {entry}", bad.got) from None
    others = {path: content for path, content in files.items() if path != entry}
    place = entry if "/" in entry else language.source_name
    _refuse_collisions([place, *others])
    return {place: source, **others}


def as_one_text(language: Language, body: bytes) -> str:
    """What somebody wrote, as one text: the source, or all sources of a zip, each under a line with its path.

    Raises: BadArchive.
    """
    if not is_archive(body):
        return _lines_of(body)
    files = read_archive(body)
    entry = entry_of(language, files)
    paths = sorted(filter(language.is_source, files), key=lambda path: (path != entry, path))
    return "\n".join(f"{path}:\n{_lines_of(files[path])}" for path in paths)


def _lines_of(content: bytes) -> str:
    """As text that has the same lines for everybody who splits it."""
    text = content.decode("utf-8-sig", "replace").replace("\0", "\ufffd")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def entry_of(language: Language, files: Files) -> str | None:
    """The file that starts; see `_entries`."""
    return next((entry for entry in _entries(language, files) if entry is not None), None)


def infer_language(files: Files) -> Language:
    """The language whose entry file is the surest; see `_entries`.

    Raises: BadArchive.
    """
    entries = {row: _entries(row, files) for row in LANGUAGES.values()}
    ranks = zip(*entries.values(), strict=True)
    candidates = next((list(compress(entries, found)) for found in ranks if any(found)), [])
    if len(candidates) != 1:
        endings = ", ".join(row.ending for row in LANGUAGES.values())
        expected = f"one file at the top called bot or main, whose ending gives the language ({endings})"
        raise BadArchive(expected, _list_top(files))
    return candidates[0]


def read_archive(upload: bytes) -> Files:
    """The files of a zip, sorted by path: without junk, and without folders that hold everything.

    Raises: BadArchive.
    """
    if len(upload) > ARCHIVE_BYTES:
        raise BadArchive(f"a zip of at most {ARCHIVE_BYTES:,} bytes", f"{len(upload):,} bytes")
    listed, directory_at = _directory(upload)
    entries = [entry for entry in listed if not entry.orig_filename.endswith("/")]
    places = _kept_paths([entry.orig_filename for entry in entries])
    kept = sorted((place, entry) for place, entry in zip(places, entries, strict=True) if place is not None)
    for _, entry in kept:
        _refuse_kind(entry)
    starts = [_content_at(upload, entry) for _, entry in kept]
    _refuse_overlaps([entry for _, entry in kept], starts, directory_at)
    files: dict[str, bytes] = {}
    left = UNPACKED_BYTES
    for (path, entry), start in zip(kept, starts, strict=True):
        files[path] = _content(upload, entry, start, left)
        left -= len(files[path])
    return files


def read_folder(folder: Path) -> Files:
    """The files of a folder on this machine, by the rules for a zip of it.

    Raises: BadArchive. OSError.
    """
    found = list(_walk(folder))
    places = _kept_paths([path.relative_to(folder).as_posix() for path in found])
    files: dict[str, bytes] = {}
    left = UNPACKED_BYTES
    for place, path in sorted((place, path) for place, path in zip(places, found, strict=True) if place is not None):
        with path.open("rb") as file:
            files[place] = file.read(left + 1)
        left -= len(files[place])
        if left < 0:
            raise _too_large(place)
    return files


def pack(files: Files) -> bytes:
    """The canonical zip of these files: sorted, not compressed, without dates."""
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_STORED) as archive:
        for path, content in sorted(files.items()):
            entry = ZipInfo(path, FIXED_DATE)
            entry.create_system = 3
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, content)
    return packed.getvalue()


# --- Which file starts -----------------------------------------------------------------------------------------------


def _entry_names(language: Language) -> Sequence[str]:
    stems = (PurePosixPath(language.source_name).stem, *ENTRY_STEMS)
    return [stem + ending for stem in stems for ending in language.endings]


def _entries(language: Language, files: Files) -> Sequence[str | None]:
    """The file that starts, by one rule after another, the surest first: the one that a manifest names; by its name, at
    the top, then in src/; the only one with the language's ending at the top, then in src/bin/ or src/; the only one
    with the name of an entry file in any folder, such as src/main/java/Player.java."""
    alike = [path for path in files if PurePosixPath(path).suffix.lower() in language.endings]
    names = _entry_names(language)

    def named(folder: str) -> str | None:
        return next((folder + name for name in names if folder + name in alike), None)

    def alone(folder: str) -> str | None:
        found = [path for path in alike if path.rpartition("/")[0] == folder]
        return found[0] if len(found) == 1 else None

    deep = [path for path in alike if PurePosixPath(path).name in names]
    return (
        _by_manifest(language, files),
        *(named(""), named("src/"), alone(""), alone("src/bin"), alone("src")),
        deep[0] if len(deep) == 1 else None,
    )


def _by_manifest(language: Language, files: Files) -> str | None:
    """The file that a manifest such as package.json names, if it is there and in this language."""
    if language.manifest is None or language.manifest not in files:
        return None
    try:
        found = json.loads(files[language.manifest])
    except (ValueError, RecursionError):
        return None
    main = found.get("main") if isinstance(found, dict) else None
    path = PurePosixPath(main).as_posix() if isinstance(main, str) else ""
    return path if path in files and PurePosixPath(path).suffix.lower() in language.endings else None


def _expected_entry(language: Language) -> str:
    names = ", ".join(stem + language.ending for stem in ENTRY_STEMS)
    return (
        f"the {language.name} file that starts, at the top: {language.source_name}, {names}, "
        f"or the only one that ends in {language.ending}"
    )


def _list_top(files: Files) -> str:
    """The files at the top and folders, for a message."""
    top = sorted({path if "/" not in path else path.partition("/")[0] + "/" for path in files})
    return ", ".join(top[:8]) + (f" and {len(top) - 8} more" if len(top) > 8 else "")


# --- Paths -----------------------------------------------------------------------------------------------------------


def _kept_paths(names: Sequence[str]) -> Sequence[str | None]:
    """Name by name: the path at which the file is stored, or None for junk."""
    parts = [None if _is_junk(split) else split for split in map(_split, names)]
    kept = [split for split in parts if split is not None]
    if not kept:
        raise BadArchive("the bot's files", "none" if not names else "nothing but hidden files and such")
    if len(kept) > FILES:
        raise BadArchive(f"at most {FILES} files, so leave out what the bot does not read", f"{len(kept):,}")
    around = _common_folders(kept)
    for split in kept:
        _refuse_names(split[around:])
    places = [None if split is None else "/".join(split[around:]) for split in parts]
    _refuse_collisions([place for place in places if place is not None])
    return places


def _common_folders(paths: Sequence[Sequence[str]]) -> int:
    """How many nested folders contain everything."""
    count = 0
    while all(len(path) > count + 1 for path in paths) and len({path[count] for path in paths}) == 1:
        count += 1
    return count


def _split(name: str) -> Sequence[str]:
    parts = name.split("/")
    if "\\" in name or "\0" in name or {"", ".", ".."} & set(parts):
        raise BadArchive("paths inside the folder, with / between names, such as lib/board.py", _shown(name))
    return parts


def _is_junk(parts: Sequence[str]) -> bool:
    return any(part.startswith(".") or part.lower() in JUNK for part in parts)


def _refuse_names(parts: Sequence[str]) -> None:
    path = "/".join(parts)
    if len(parts) > DEPTH:
        raise BadArchive(f"at most {DEPTH - 1} folders in each other", _shown(path))
    if not all(map(NAME.fullmatch, parts)):
        expected = "names of 1 to 64 letters a-z, digits, _ . or - that begin with a letter, digit or _"
        raise BadArchive(f"{expected}, so rename this file", _shown(path))


def _refuse_collisions(paths: Sequence[str]) -> None:
    """Refuses two files at one path, also where only upper and lower case differ."""
    seen: set[str] = set()
    for path in paths:
        if path.lower() in seen:
            raise BadArchive("each file once, whatever its upper and lower case", f"{_shown(path)} twice")
        seen.add(path.lower())
    for path in paths:
        folder = next((str(one) for one in PurePosixPath(path).parents if str(one).lower() in seen), None)
        if folder is not None:
            raise BadArchive("a file or a folder of one name", f"both called {_shown(folder)}")


def _shown(name: str) -> str:
    return repr(name if len(name) <= SHOWN_CHARACTERS else name[:SHOWN_CHARACTERS] + "…")


# --- The zip itself --------------------------------------------------------------------------------------------------


def _directory(upload: bytes) -> tuple[Sequence[ZipInfo], int]:
    """The entries, and where their list begins."""
    try:
        with ZipFile(BytesIO(upload)) as archive:
            return archive.infolist(), archive.start_dir
    except (BadZipFile, NotImplementedError, ValueError, OverflowError) as error:
        raise BadArchive(WHOLE, f"one that cannot be read ({error})") from None


def _refuse_kind(entry: ZipInfo) -> None:
    name, kind = _shown(entry.orig_filename), stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG):
        raise BadArchive("plain files and folders", f"{name}, which is a {_KINDS.get(kind, 'special file')}")
    if entry.flag_bits & ENCRYPTED:
        raise BadArchive("a zip without a password", f"{name}, which is encrypted")
    if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        expected = "entries that are stored or deflated, as ordinary zip programs do"
        raise BadArchive(expected, f"{name}, which is packed by method {entry.compress_type}")


_KINDS: Mapping[int, str] = {
    stat.S_IFLNK: "link",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
    stat.S_IFDIR: "folder",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


def _content_at(upload: bytes, entry: ZipInfo) -> int:
    """Where an entry's content begins: behind a header that must be there and name the same file."""
    offset = entry.header_offset
    if not 0 <= offset <= len(upload) - LOCAL_HEADER.size:
        raise _damaged(entry)
    magic, name_bytes, extra_bytes = LOCAL_HEADER.unpack_from(upload, offset)
    name_at = offset + LOCAL_HEADER.size
    # Only the last part is certain to be ASCII: the folder around everything may have any name.
    last_name = PurePosixPath(entry.orig_filename).name.encode()
    if magic != LOCAL_MAGIC or not upload[name_at : name_at + name_bytes].endswith(last_name):
        raise _damaged(entry)
    return int(name_at + name_bytes + extra_bytes)


def _refuse_overlaps(entries: Sequence[ZipInfo], starts: Sequence[int], directory_at: int) -> None:
    """Refuses entries that share bytes: zip bombs of a few kilobytes let many entries share one content."""
    free_from = 0
    for entry, start in sorted(zip(entries, starts, strict=True), key=lambda pair: pair[1]):
        if entry.header_offset < free_from or start + entry.compress_size > directory_at:
            raise _damaged(entry)
        free_from = start + entry.compress_size


def _content(upload: bytes, entry: ZipInfo, start: int, left: int) -> bytes:
    """One file, unpacked. `left`: bytes that all further files may have together."""
    content, whole = upload[start : start + entry.compress_size], True
    if entry.compress_type == ZIP_DEFLATED:
        inflater = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            content = inflater.decompress(content, left + 1)
        except zlib.error:
            raise _damaged(entry) from None
        whole = inflater.eof and not inflater.unused_data
    if len(content) > left:
        raise _too_large(entry.orig_filename)
    if not whole or len(content) != entry.file_size or zlib.crc32(content) != entry.CRC:
        raise _damaged(entry)
    return content


def _damaged(entry: ZipInfo) -> BadArchive:
    return BadArchive(WHOLE, f"one in which {_shown(entry.orig_filename)} is damaged")


def _too_large(name: str) -> BadArchive:
    return BadArchive(f"at most {UNPACKED_BYTES:,} bytes in all files together", f"more, counted up to {_shown(name)}")


# --- A folder --------------------------------------------------------------------------------------------------------


def _walk(folder: Path) -> Iterator[Path]:
    """The plain files in a folder and its folders, junk left out; one too many at most, however full the folder is."""
    found, folders = 0, [folder]
    while folders:
        for path in sorted(folders.pop().iterdir()):
            if _is_junk((path.name,)):
                continue
            mode = path.lstat().st_mode
            if stat.S_ISDIR(mode):
                folders.append(path)
            elif stat.S_ISREG(mode):
                yield path
                found += 1
                if found > FILES:
                    return
            else:
                kind = _KINDS.get(stat.S_IFMT(mode), "special file")
                raise BadArchive("plain files and folders", f"{_shown(str(path))}, which is a {kind}")
