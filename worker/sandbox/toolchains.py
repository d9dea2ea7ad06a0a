"""Which programs of a language this machine has where sandboxes can use them, and their versions."""

from __future__ import annotations

import functools
import shutil
import subprocess
from pathlib import Path

from hexarena.backend.runtime.node import packaged_node
from hexarena.backend.submissions.languages import Language
from hexarena.worker.sandbox.errors import LanguageMissing
from hexarena.worker.sandbox.sandboxed import Launcher

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


def version(language: Language, launcher: Launcher) -> str:
    """The versions that the programs print, in one line.

    Raises: LanguageMissing.
    """
    commands = zip(locate(language, launcher), language.version_commands, strict=True)
    try:
        return "; ".join(
            _version(tuple(launcher.trusted((str(path), *rest))), path.name, _stamp(launcher.root.outside(path)))
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
                "make that root anew: make toolchains"
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


def _stamp(program: Path) -> tuple[int, int]:
    """Changes when the program is replaced, as by an upgrade while a worker runs. Raises: OSError."""
    found = program.stat()
    return found.st_ino, found.st_mtime_ns


@functools.cache
def _version(command: tuple[str, ...], name: str, _: tuple[int, int]) -> str:
    """The first line that it prints; Node and esbuild print only a number, so their names are put before it."""
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=VERSION_S, cwd="/")
    said = (done.stdout or done.stderr).strip()
    line = said.splitlines()[0].strip() if said else ""
    return line if " " in line else f"{name} {line}".strip()
