"""Backups that were changed by hand."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hexarena.backend.backup.manifest import NAME

Change = Callable[[dict[str, Any], dict[str, bytes]], None]
"""Gets the manifest and the other members, and changes them."""


def rewrite(path: Path, change: Change, *, honest: bool = False) -> None:
    """Writes a backup anew. `honest`: the manifest gets the sizes and digests of what was changed."""
    with zipfile.ZipFile(path) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    found = json.loads(parts.pop(NAME))
    change(found, parts)
    for part in [found["key"], *found["tables"], *(found["replays"] or [])] if honest else []:
        if part["name"] in parts:
            content = parts[part["name"]]
            part |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in {**parts, NAME: json.dumps(found).encode()}.items():
            new.writestr(name, content)
