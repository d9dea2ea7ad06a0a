"""Where the programs and libraries of sandboxes come from: the machine's own /usr, or a root that is only theirs.

Theory of operation: `make toolchains` (scripts/toolchains.py) installs into a folder what bots are built and run with,
and writes the list of it last. HEXARENA_TOOLCHAINS names such a folder; sandboxes then contain its /usr and what of its
/etc they need, in the places of the machine's. Its links are meant to be followed inside a sandbox, so whoever looks
for a program there from outside has to resolve them by hand.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from hexarena.backend.runtime.checkout import make_target
from hexarena.worker.sandbox.errors import SandboxUnsafe

TOOL_FOLDERS = ("/usr/local/bin", "/usr/bin", "/bin")
TOP_FOLDERS = ("bin", "lib", "lib32", "lib64", "libx32", "sbin")
LIST = "hexarena-toolchains.json"
"""What is installed in a root: {"suite", "architecture", "packages", "node", "digest"}. See `digest_of`."""
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
"""The machine as the kernel names it -> as Debian does."""
MOST_LINKS = 40
"""As many symbolic links as the kernel follows for one path."""
VARIABLE = "HEXARENA_TOOLCHAINS"


@dataclass(frozen=True, slots=True)
class Root:
    """A tree with programs and libraries. `folder`: where this machine has it. `digest`: of its list."""

    folder: Path
    digest: str = ""
    suite: str = ""

    @property
    def is_machines(self) -> bool:
        """Whether it is the machine's own."""
        return self.digest == ""

    def find(self, program: str) -> Path | None:
        """A program in the folders that are on a sandbox's PATH: its path inside."""
        if self.is_machines:
            found = shutil.which(program, path=os.pathsep.join(TOOL_FOLDERS))
            return Path(found) if found else None
        for inside in (Path(folder, program) for folder in TOOL_FOLDERS):
            place = self.outside(inside)
            if place.is_file() and os.access(place, os.X_OK):
                return inside
        return None

    def resolve(self, inside: Path) -> Path:
        """The path without symbolic links, as a sandbox sees it: no link leads out of the root."""
        if self.is_machines:
            return inside.resolve()
        real, left, links = Path("/"), list(reversed(inside.parts[1:])), 0
        while left:
            part = left.pop()
            place = self._place(real / part)
            if part == "..":
                real = real.parent
            elif place.is_symlink() and links < MOST_LINKS:
                links += 1
                target = place.readlink()
                real = Path("/") if target.is_absolute() else real
                left += reversed(target.parts[1:] if target.is_absolute() else target.parts)
            else:
                real /= part
        return real

    def outside(self, inside: Path) -> Path:
        """Where this machine has what a sandbox finds at a path; there may be nothing."""
        return self._place(self.resolve(inside))

    def describe(self) -> str:
        """For people: one line."""
        if self.is_machines:
            return "the machine's own /usr"
        return f"{self.folder}, {self.suite}, list {self.digest[:12]}"

    def _place(self, real: Path) -> Path:
        return self.folder / real.relative_to("/")


MACHINE = Root(Path("/"))
"""The machine's own programs."""


def open_root(folder: Path | None, *, isolated: bool = True) -> Root:
    """The root in this folder; the machine's own for None.

    isolated: sandboxes are to use it; without isolation there is only the machine's own.
    Raises: SandboxUnsafe, which says what was expected of the folder and what was found.
    """
    if folder is None:
        return MACHINE
    if not isolated:
        expected = "expected isolation; got HEXARENA_SANDBOX=none, where bots run the machine's own programs"
        raise SandboxUnsafe(f"{VARIABLE}: {expected}")
    folder = folder.absolute()
    if not folder.exists():
        raise _unusable(folder, "there is none")
    if not folder.is_dir():
        raise _unusable(folder, "a file")
    folder = folder.resolve()
    found = _read_list(folder)
    _refuse_foreign_writers(folder)
    for name in ("usr", "etc"):
        if not (folder / name).is_dir() or (folder / name).is_symlink():
            raise _unusable(folder, f"it has a list, but no folder {name}")
    return Root(folder, str(found["digest"]), str(found.get("suite", "?")))


def digest_of(found: Mapping[str, object]) -> str:
    """The digest of a list, over everything else in it. Roots with the same digest have the same programs."""
    rest = {name: value for name, value in found.items() if name != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _read_list(folder: Path) -> Mapping[str, object]:
    try:
        found = json.loads((folder / LIST).read_text())
    except FileNotFoundError:
        names = sorted(path.name for path in folder.iterdir())[:5]
        raise _unusable(folder, f"no {LIST} in it, but {', '.join(names) or 'nothing'}") from None
    except (OSError, ValueError) as error:
        raise _unusable(folder, f"a {LIST} that cannot be read: {error}") from None
    if not isinstance(found, dict) or found.get("digest") != digest_of(found):
        raise _unusable(folder, f"a {LIST} that was changed: its digest is another one")
    wanted = ARCHITECTURES.get(os.uname().machine)
    if found.get("architecture") != wanted:
        raise _unusable(folder, f"one for {found.get('architecture')}, and this machine is {wanted}")
    return found


def _refuse_foreign_writers(folder: Path) -> None:
    """Only root and the worker's user may be able to change what every bot runs."""
    for path in (folder, folder / "usr", folder / "etc", *folder.parents):
        try:
            found = path.stat()
        except OSError as error:
            raise _unusable(folder, str(error)) from None
        inside = path not in folder.parents
        sticky = found.st_mode & stat.S_ISVTX
        if found.st_mode & (0o022 if inside else 0o002) and (inside or not sticky):
            raise _unusable(folder, f"others may write to {path} (mode {stat.S_IMODE(found.st_mode):o})")
        if inside and found.st_uid not in (0, os.geteuid()):
            raise _unusable(folder, f"{path} belongs to user {found.st_uid}, neither root nor the worker's")


def _unusable(folder: Path, found: str) -> SandboxUnsafe:
    made = f"a folder that {make_target('toolchains')} made"
    return SandboxUnsafe(f"{VARIABLE}: expected {made}; got {folder}: {found}")
