"""Which programs of a language this machine has where sandboxes can use them, and their versions."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, TypeAlias

from hexarena.backend.runtime.checkout import make_target
from hexarena.backend.runtime.node import packaged_node
from hexarena.backend.submissions.languages import Language
from hexarena.worker.sandbox.errors import LanguageMissing
from hexarena.worker.sandbox.sandboxed import Launcher

Stamp: TypeAlias = tuple[int, int, int, int]
"""Device, inode, and times in nanoseconds: when its content and when its inode changed last."""
VERSION_S = 60.0
"""How long a program may take to print its version, on a very busy machine."""


def locate(language: Language, launcher: Launcher) -> tuple[Path, ...]:
    """The programs that build and run this language here, in the order of its row, as a sandbox finds them.

    Raises: LanguageMissing, which says what to install.
    """
    return tuple(_locate(program, language, launcher) for program in language.programs)


def outside(language: Language, launcher: Launcher) -> tuple[Path, ...]:
    """Those of them outside the folders that sandboxes contain, so that they must be mounted.

    Raises: LanguageMissing.
    """
    found = zip(language.programs, locate(language, launcher), strict=True)
    return tuple(path for program, path in found if launcher.root.find(program) is None)


def version(language: Language, launcher: Launcher, known: Path) -> str:
    """The versions that the programs print, in one line.

    known: a file that keeps what they said for the next process; Kotlin's compiler takes three seconds to say it.
    Raises: LanguageMissing.
    """
    commands = zip(locate(language, launcher), language.version_commands, strict=True)
    try:
        return "; ".join(
            _version(tuple(launcher.trusted((str(path), *rest))), path.name, _stamp(launcher.root.outside(path)), known)
            for path, (_, *rest) in commands
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise LanguageMissing(f"expected {language.name}'s tools to print their versions; {error}") from None


def _locate(program: str, language: Language, launcher: Launcher) -> Path:
    root = launcher.root
    found = root.find(program)
    if not root.is_machines:
        if found is None or not launcher.can_read(root.outside(found)):
            raise LanguageMissing(
                f"expected {program} for {language.name} in {root.folder}, readable for everybody; "
                f"make that root anew: {make_target('toolchains')}"
            )
        return found
    found = found or _packaged(program)
    if found is None and not launcher.isolates:
        on_path = shutil.which(program)
        found = Path(on_path) if on_path else None
    if found is None:
        raise LanguageMissing(f"expected {program} for {language.name}; install {language.install}")
    if not launcher.can_read(found):
        raise LanguageMissing(f"expected {found} to be readable for everybody; install {language.install}")
    return found


def _packaged(program: str) -> Path | None:
    return packaged_node() if program == "node" else None


def _stamp(program: Path) -> Stamp:
    """Changes when the program is replaced, as by an upgrade while a worker runs. Raises: OSError."""
    found = program.stat()
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_ctime_ns


@functools.cache
def _version(command: tuple[str, ...], name: str, stamp: Stamp, known: Path) -> str:
    """The first line that it prints; Node and esbuild print only a number, so their names are put before it."""
    key, kept = " ".join(command), _read(known)
    if kept.get(key, {}).get("stamp") == list(stamp):
        return str(kept[key]["said"])
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=VERSION_S, cwd="/")
    said = (done.stdout or done.stderr).strip()
    line = said.splitlines()[0].strip() if said else ""
    line = line if " " in line else f"{name} {line}".strip()
    _write(known, {**_read(known), key: {"stamp": stamp, "said": line}})
    return line


def _read(known: Path) -> dict[str, dict[str, Any]]:
    """Command -> what it said, and the stamp of its program then. Empty if the file is missing or broken."""
    try:
        found = json.loads(known.read_text())
        return {key: {"stamp": one["stamp"], "said": one["said"]} for key, one in found.items()}
    except (OSError, ValueError, AttributeError, LookupError, TypeError):
        return {}


def _write(known: Path, versions: dict[str, dict[str, Any]]) -> None:
    """Replaces the file as a whole. Another process may do so at once: what it adds is then asked for again."""
    draft = known.with_suffix(f".{os.getpid()}")
    try:
        draft.write_text(json.dumps(versions))
        draft.replace(known)
    except OSError:  # a full disk, say
        draft.unlink(missing_ok=True)
