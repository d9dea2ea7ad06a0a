"""Finds a .NET SDK that sandboxes can use. No other file knows how its folder is laid out.

Theory of operation: packages put everything into one folder below /usr: the program `dotnet`, SDKs with the compiler,
runtimes, and packs, which have the libraries to compile with. Each of them has a folder named by its version, and there
may be several side by side. Nothing is asked of the program itself: it would look for settings and SDKs elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from hexarena.backend.submissions.languages import CSHARP, Language
from hexarena.backend.submissions.languages.csharp import dotnet_row
from hexarena.worker.sandbox.root import Root

OLDEST = 8
"""The oldest major version that still was supported when this was written."""
FOLDERS = ("/usr/lib/dotnet", "/usr/share/dotnet", "/usr/lib64/dotnet")
"""Where Ubuntu, Microsoft's packages and images, and Fedora put it."""
WITHIN = "/usr"
"""What sandboxes contain; what is in /opt, /snap or a home folder cannot be reached from inside."""
RELEASE = re.compile(r"\d+(\.\d+)+")
"""The name of a version's folder; those of previews continue with a minus and more words."""

Version: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sdk:
    """A complete one. All paths are those in a sandbox."""

    program: Path
    compiler: Path
    references: Path
    version: str
    runtime: str


def as_here(language: Language, root: Root, oldest: int = OLDEST) -> Language:
    """The language's row with the toolchain that this root has for it: C# by .NET where that is, else as it is."""
    sdk = find_sdk(root, oldest) if language is CSHARP else None
    if sdk is None:
        return language
    return dotnet_row(str(sdk.program), str(sdk.compiler), str(sdk.references), sdk.version, sdk.runtime)


def find_sdk(root: Root, oldest: int = OLDEST) -> Sdk | None:
    """The newest usable SDK of the first folder that has one. `oldest`: the lowest major version that counts."""
    for folder in _folders(root):
        for version in _versions(root, folder / "sdk"):
            found = _complete(root, folder, version) if version[0] >= oldest else None
            if found is not None:
                return found
    return None


def why_not(root: Root, oldest: int = OLDEST) -> str:
    """Why there is none, for people, and what to install."""
    wanted, install = f"expected a .NET SDK, {oldest} or newer", f"Ubuntu has it as dotnet-sdk-{oldest}.0"
    for folder in _folders(root):
        if sdks := _names(root, folder / "sdk"):
            return f"{wanted}, complete and no preview; {folder} has {', '.join(sdks)}; {install}"
        if runtimes := _names(root, folder / "shared/Microsoft.NETCore.App"):
            return f"{wanted}; {folder} has the runtime {', '.join(runtimes)} without an SDK; {install}"
    on_path = root.find("dotnet")
    if on_path:
        return (
            f"{wanted}, below {WITHIN}, where sandboxes see it; {on_path} leads to {root.resolve(on_path)}; {install}"
        )
    return f"{wanted}, in {', '.join(FOLDERS)}; found none; {install}"


def _folders(root: Root) -> Iterator[Path]:
    """Where .NET is, paths inside: first what `dotnet` on a sandbox's PATH leads to."""
    on_path = root.find("dotnet")
    first = [root.resolve(on_path).parent] if on_path else []
    wanted = (root.resolve(Path(folder)) for folder in FOLDERS)
    for folder in dict.fromkeys((*first, *wanted)):
        if folder.is_relative_to(WITHIN) and root.outside(folder / "dotnet").is_file():
            yield folder


def _complete(root: Root, folder: Path, version: Version) -> Sdk | None:
    """This SDK, if its compiler is there and the runtime of the same major version, which both need."""
    compiler = folder / "sdk" / _text(version) / "Roslyn/bincore/csc.dll"
    runtimes = _newest(_versions(root, folder / "shared/Microsoft.NETCore.App"), version[0])
    if runtimes is None or not root.outside(compiler).is_file():
        return None
    shared = folder / "shared/Microsoft.NETCore.App" / _text(runtimes)
    packs = folder / "packs/Microsoft.NETCore.App.Ref"
    pack = _newest(_versions(root, packs), version[0])
    wanted = sorted(root.outside(packs / _text(pack) / "ref").glob("net*")) if pack else []
    references = packs / _text(pack) / "ref" / wanted[-1].name if pack and wanted else shared
    return Sdk(folder / "dotnet", compiler, references, _text(version), _text(runtimes))


def _newest(versions: Iterable[Version], major: int) -> Version | None:
    return next((version for version in versions if version[0] == major), None)


def _versions(root: Root, folder: Path) -> list[Version]:
    """The releases in a folder, the newest first."""
    releases = filter(RELEASE.fullmatch, _names(root, folder))
    return sorted((tuple(map(int, name.split("."))) for name in releases), reverse=True)


def _names(root: Root, folder: Path) -> list[str]:
    """The folders of versions in a folder, also those of previews."""
    place = root.outside(folder)
    found = sorted(path.name for path in place.iterdir() if path.is_dir()) if place.is_dir() else []
    return [name for name in found if name[:1].isdigit()]


def _text(version: Version) -> str:
    return ".".join(map(str, version))
