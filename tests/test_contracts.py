"""The import contracts of pyproject.toml: every module stands under them from its first line."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("backend", "bench", "cli", "environments", "games", "migrations", "worker")


def contracts() -> dict[str, dict[str, Any]]:
    """Name -> contract."""
    found = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    return {contract["name"]: contract for contract in found}


def parts(folder: Path) -> set[str]:
    """What can be imported from a folder: its modules and packages."""
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    return modules | {path.parent.name for path in folder.glob("*/__init__.py")}


def parts_named(sources: Iterable[str]) -> set[str]:
    """The parts of `hexarena` and of `hexarena.backend` that a contract names as a whole."""
    return {name.removeprefix("hexarena.").removeprefix("backend.") for name in sources}


def linted(folder: Path, stray: str, text: str) -> tuple[int, str]:
    """What lint-imports says of the package with one more module: its exit code and its output."""
    package = folder / "src" / "hexarena"
    ignored = shutil.ignore_patterns("__pycache__", "bots", "*.ts", "*.md", "pictures")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, package / name, ignore=ignored)
    shutil.copy(ROOT / "src" / "hexarena" / "__init__.py", package)
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "contracts.py", folder / "scripts")
    (package / stray).parent.mkdir(exist_ok=True)
    (package / stray).write_text(text)
    program = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [program, "--no-cache"], cwd=folder, env={"PYTHONPATH": "src"}, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_each_link_of_the_package_leads_to_a_folder_of_the_tree() -> None:
    links = {path.name: path.resolve() for path in (ROOT / "src" / "hexarena").iterdir() if path.is_symlink()}
    assert links == {name: ROOT / name for name in PACKAGES}


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("Only the API, its app and its server know FastAPI", {"api", "app", "serve"}),
        ("Only matches.broker and the worker know Celery", {"worker"}),
    ],
)
def test_whoever_may_not_know_a_library_is_named(name: str, allowed: set[str]) -> None:
    everything = parts(ROOT / "backend") | (set(PACKAGES) - {"backend"})
    assert parts_named(contracts()[name]["source_modules"]) == everything - allowed


@pytest.mark.parametrize(
    ("stray", "imports", "says"),
    [
        ("backend/stray.py", "hexarena.backend.models", "hexarena.backend.stray"),
        ("stray/__init__.py", "hexarena.backend.models", "hexarena.stray"),
        ("backend/rating/stray.py", "hexarena.backend.models", "hexarena.backend.rating.stray"),
        ("games/stray/__init__.py", "hexarena.games.ants.rules", "hexarena.games.stray is not allowed to import"),
        ("games/stray/__init__.py", "hexarena.games.battle", "Contracts: 10 kept, 0 broken"),
    ],
)
def test_a_new_module_is_under_the_contracts(tmp_path: Path, stray: str, imports: str, says: str) -> None:
    """On no layer, or on one whose promise its import breaks; a game may import what games share."""
    code, output = linted(tmp_path, stray, f"import {imports}\n")
    assert code == (0 if "0 broken" in says else 1)
    assert says in output


def test_a_game_has_no_clock_no_net_and_no_process_of_its_own(tmp_path: Path) -> None:
    """Each import breaks the contract by itself; what a game computes with does not."""
    impure = (
        "asyncio", "concurrent.futures", "datetime", "http.client", "multiprocessing", "socket", "subprocess",
        "threading", "time", "urllib.request",
    )  # fmt: skip
    pure = ("collections", "functools", "hashlib", "itertools", "json", "math", "numpy", "random", "re")
    code, output = linted(tmp_path, "games/stray/__init__.py", "".join(f"import {name}\n" for name in impure + pure))
    assert code == 1
    refused = re.findall(r"hexarena\.games\.stray -> (\w+)", output)
    assert sorted(set(refused)) == sorted(name.partition(".")[0] for name in impure)


def test_statistics_have_no_database_no_clock_no_net_and_no_process(tmp_path: Path) -> None:
    """Each import breaks the contract by itself; what statistics compute with does not."""
    impure = (
        "asyncio", "celery", "concurrent.futures", "datetime", "fastapi", "http.client", "httpx2", "kombu",
        "multiprocessing", "psycopg", "pydantic", "redis", "socket", "sqlalchemy", "subprocess", "threading", "time",
        "urllib.request",
    )  # fmt: skip
    pure = ("functools", "math", "numpy", "random", "scipy")
    text = "".join(f"import {name}\n" for name in impure + pure)
    code, output = linted(tmp_path, "backend/rating/stray.py", text)
    assert code == 1
    refused = re.findall(r"hexarena\.backend\.rating\.stray -> (\w+)", output)
    assert set(refused) == {name.partition(".")[0] for name in impure}


@pytest.mark.long
def test_parts_that_rate_nothing_load_neither_numpy_nor_scipy() -> None:
    """They take 26 MB and a third of a second at the start of each; whoever needs them once imports them then."""
    modules = "hexarena.backend.serve, hexarena.worker.app, hexarena.worker.dispatcher, hexarena.worker.webhooks"
    program = f"import sys, {modules}; print({{'numpy', 'scipy'}} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_no_game_loads_numpy() -> None:
    """The base install plays them all, and has none (docs/decisions/0022)."""
    games = "from hexarena.games.catalogue import all_games, broken_games; print(len(all_games()), broken_games())"
    program = f"import sys; sys.modules['numpy'] = None; {games}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "5 ()"


@pytest.mark.long
def test_no_part_of_an_arena_loads_alembic() -> None:
    """It takes 7 MB of each, and a status needs no more than the name of the newest revision."""
    program = "import sys; from hexarena.cli.parts import import_all; import_all(); print('alembic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
