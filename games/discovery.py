"""Where games are found: the folders here, those named by HEXARENA_GAMES, and installed packages.

HEXARENA_GAMES names folders, separated by `:` as in PATH. Each holds games, a folder for each, or is a game itself. A
folder is a game if it has an `__init__.py` or a `game.py`; wherever it is, it is imported as `hexarena.games.<name>`.
An installed package has an entry point of the group `hexarena.games`, `claims = "hexarena_claims.game:GAME"`.

What is found first keeps its name: the folders here, then HEXARENA_GAMES in its order, then packages. Nothing here
imports a game; `catalogue` does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from hexarena.games.manifest import ID

HERE = Path(__file__).resolve().parent
PACKAGE = "hexarena.games"
VARIABLE = "HEXARENA_GAMES"
ENTRY_POINTS = "hexarena.games"
MANIFESTS = ("__init__.py", "game.py")


@dataclass(frozen=True, slots=True)
class BrokenGame:
    """A game that is left out. `where`: its folder or entry point; `problem`: a sentence, or several."""

    name: str
    where: str
    problem: str

    def __str__(self) -> str:
        """A sentence for whoever runs the arena."""
        return f"The game {self.name} is left out: {self.problem} ({self.where})."


@dataclass(frozen=True, slots=True)
class Found:
    """Name -> folder, or name -> `module:attribute` of an entry point; and what cannot be used."""

    folders: Mapping[str, Path]
    packages: Mapping[str, str]
    broken: Sequence[BrokenGame]


def folders() -> Found:
    """What there is without packages: looking for those takes longer than a game to import."""
    return _folders(os.environ.get(VARIABLE, ""))


def everything() -> Found:
    """What there is. The value of HEXARENA_GAMES as of now counts; packages are those of the first call."""
    found = folders()
    packages: dict[str, str] = {}
    broken = list(found.broken)
    for name, target in _entry_points():
        taken = str(found.folders[name]) if name in found.folders else packages.get(name)
        if taken is None:
            packages[name] = target
        else:
            broken.append(BrokenGame(name, f"entry point {target}", _taken(name, taken)))
    return Found(found.folders, packages, tuple(broken))


@cache
def _folders(named: str) -> Found:
    own = {path.name: path for path in games_in(HERE)}
    outside: dict[str, Path] = {}
    broken = []
    for place in filter(None, named.split(os.pathsep)):
        # Path.expanduser would raise a RuntimeError for ~somebody who is not there.
        root = Path(os.path.expanduser(place)).absolute()  # noqa: PTH111
        try:
            there = [root] if is_game(root) else games_in(root)
        except OSError as error:
            why = "" if isinstance(error, FileNotFoundError | NotADirectoryError) else f"; {error.strerror}"
            broken.append(BrokenGame(root.name, str(root), f"expected a folder of games, as {VARIABLE} says{why}"))
            continue
        for path in there:
            name, taken = path.name, own.get(path.name) or outside.get(path.name)
            if taken is not None:
                if taken.resolve() != path.resolve():
                    broken.append(BrokenGame(name, str(path), _taken(name, str(taken))))
            elif not ID.fullmatch(name) or name in reserved():
                problem = "its folder needs a name of small letters, digits and _, and not that of a part of Hexarena"
                broken.append(BrokenGame(name, str(path), problem))
            else:
                outside[name] = path
    return Found({**own, **outside}, {}, tuple(broken))


def reserved() -> frozenset[str]:
    """Names that no game can have, as parts of Hexarena have them."""
    return frozenset(path.stem for path in HERE.glob("*.py"))


def _taken(name: str, taken: str) -> str:
    return f"there is a game {name!r} already, from {taken}"


def games_in(root: Path) -> list[Path]:
    """The games of a folder, by name. Raises: OSError, where it cannot be read."""
    return sorted(path for path in root.iterdir() if is_game(path) and not path.name.startswith(("_", ".")))


def is_game(path: Path) -> bool:
    """Whether the folder has a module in which its GAME may be."""
    # Not Path.is_file, which would raise an OSError in a folder of somebody else's, such as lost+found.
    return os.path.isdir(path) and any(os.path.isfile(path / name) for name in MANIFESTS)  # noqa: PTH112, PTH113


@cache
def _entry_points() -> tuple[tuple[str, str], ...]:
    """(name, module:attribute), by name."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - 30 ms, which a match of a game here need not wait for

    return tuple(sorted((one.name, one.value) for one in entry_points(group=ENTRY_POINTS)))


def package_folder(target: str) -> Path | None:
    """The folder of an entry point's module, which is not imported; the packages around it are."""
    try:
        spec = find_spec(target.partition(":")[0].strip())
    except (ImportError, ValueError):
        return None
    return None if spec is None or spec.origin is None else Path(spec.origin).resolve().parent


def outside() -> dict[str, Path]:
    """Name -> folder of all games that are not here."""
    found = everything()
    packages = {name: package_folder(target) for name, target in found.packages.items()}
    folders_outside = {name: path for name, path in found.folders.items() if path.parent != HERE}
    return folders_outside | {name: path for name, path in packages.items() if path is not None}


class _OutsideFinder(MetaPathFinder):
    """Imports `hexarena.games.<name>` from the folder that HEXARENA_GAMES has for it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """None for all that is not the package of an outside game; its modules are found through its path."""
        package, _, name = fullname.rpartition(".")
        folder = folders().folders.get(name) if package == PACKAGE else None
        if folder is None or folder.parent == HERE:
            return None
        if (folder / "__init__.py").is_file():
            return spec_from_file_location(fullname, folder / "__init__.py", submodule_search_locations=[str(folder)])
        spec = ModuleSpec(fullname, None, is_package=True)
        spec.submodule_search_locations = [str(folder)]
        return spec


def install_finder() -> None:
    """Makes outside games importable. Called once, by `catalogue`."""
    if not any(isinstance(one, _OutsideFinder) for one in sys.meta_path):
        sys.meta_path.insert(0, _OutsideFinder())


def manifests(name: str, folder: Path) -> Iterator[str]:
    """The modules that may have the GAME of a folder, in order."""
    if (folder / "__init__.py").is_file():
        yield f"{PACKAGE}.{name}"
    if (folder / "game.py").is_file():
        yield f"{PACKAGE}.{name}.game"
