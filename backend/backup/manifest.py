"""What a backup says about itself: its version, and each part with its size and SHA-256."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from hexarena.backend.errors import ArenaError

FORMAT = 1
"""Of the files that this code writes, and the newest that it reads."""
NAME = "manifest.json"
KEY = "secret_key"
MOST_BYTES = 64 << 20
"""Of a manifest: enough for hundreds of millions of replays."""
MOST_PART_BYTES = 1 << 30
"""Of a part with replays, whose headers a reader of tars keeps in memory."""
Name = Annotated[str, Field(pattern=r"^[a-z_0-9]{1,63}$")]
Count = Annotated[int, Field(ge=0, lt=1 << 62)]
Report = Callable[[str, int, int | None], None]
"""Called with what is being done, how much of it is, and of how much, where that is known."""


class DamagedBackup(ArenaError):
    """A file that is no backup, or not what it was when it was made."""

    slug = "damaged-backup"
    title = "The backup is damaged"


class NewerBackup(ArenaError):
    """A backup that only a newer version can read."""

    slug = "newer-backup"
    title = "The backup is of a newer version"


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class Part(_Strict):
    """A member of the zip. `bytes`: unpacked."""

    name: str = Field(pattern=r"^[a-z_0-9]{1,63}(/[a-z_0-9]{1,63}\.[a-z]{1,8})?$")
    bytes: Count
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class TablePart(Part):
    """A table's rows as COPY writes them: a line each, tabs between the columns."""

    table: Name
    columns: list[Name]
    rows: Count


class ReplaysPart(Part):
    """A tar of stored objects."""

    bytes: Annotated[int, Field(ge=0, le=MOST_PART_BYTES)]
    objects: Count


class Sequence(_Strict):
    """Where the ids of a table continue. `called`: the last value was given away."""

    table: Name
    column: Name
    last: Count
    called: bool


class Manifest(_Strict):
    """All about a backup. `replays`: null where they were left out; `missing`: results whose replay was deleted."""

    format: int
    version: str = Field(pattern=r"^[0-9a-zA-Z.+!-]{1,40}$")
    made_at: str = Field(pattern=r"^[0-9T:+.-]{1,40}$")
    revision: str = Field(pattern=r"^[0-9a-z_]{1,32}$")
    arena: str = Field(pattern=r"^[0-9a-f-]{36}$")
    tables: list[TablePart]
    sequences: list[Sequence]
    replays: list[ReplaysPart] | None
    missing: Count
    key: Part

    @model_validator(mode="after")
    def _each_part_once(self) -> Manifest:
        names = [part.name for part in self.parts()]
        if len(set(names)) < len(names) or self.key.name != KEY:
            raise ValueError("a part is there twice")
        if datetime.fromisoformat(self.made_at).tzinfo is None:
            raise ValueError("made_at has no zone")
        return self

    def parts(self) -> list[Part]:
        """All parts, in the order in which they were written."""
        return [self.key, *self.tables, *(self.replays or [])]

    def rows(self, table: str) -> int:
        """How many rows a table has; 0 if it is not there."""
        return sum(one.rows for one in self.tables if one.table == table)

    def objects(self) -> int:
        """How many objects of the store are in it."""
        return sum(one.objects for one in self.replays or [])

    def bytes(self) -> int:
        """All parts, unpacked."""
        return sum(one.bytes for one in self.parts())


def read(text: bytes) -> Manifest:
    """Raises: DamagedBackup, NewerBackup."""
    try:
        found = json.loads(text)
        form = found.get("format") if isinstance(found, dict) else None
        if type(form) is int and form > FORMAT:
            expected, got = f"format {FORMAT}", f"{form}, of Hexarena {str(found.get('version'))[:20]!r}"
            raise NewerBackup("A newer version wrote this backup.", expected=expected, got=got)
        return Manifest.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise DamagedBackup(f"The backup's {NAME} is damaged: {where} {first['msg']}.") from None
    except (ValueError, RecursionError) as error:
        raise DamagedBackup(f"The backup's {NAME} is damaged: {error}.") from None


def written(manifest: Manifest) -> bytes:
    """The manifest as it is stored."""
    return (manifest.model_dump_json(indent=1) + "\n").encode()


def counted(number: int, one: str, several: str) -> str:
    """ "1 match", "2,000 matches"."""
    return f"{number:,} {one if number == 1 else several}"
