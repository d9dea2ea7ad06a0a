"""What messages advise in a checkout, and in an installed package, which has no Makefile."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hexarena.backend.runtime.checkout import is_checkout, make_target
from tests.test_contracts import PACKAGES

ROOT = Path(__file__).parents[3]
MESSAGES = """
import json, sys
from pathlib import Path
from types import SimpleNamespace
from hexarena.backend.submissions.languages import LANGUAGES
from hexarena.cli.supervisor import _without_viewer
from hexarena.worker.sandbox.errors import LanguageMissing, SandboxUnsafe
from hexarena.worker.sandbox.root import Root, open_root
from hexarena.worker.sandbox.toolchains import locate

empty = Path(sys.argv[1])
try:
    open_root(empty)
except SandboxUnsafe as unsafe:
    root = str(unsafe)
try:
    locate(LANGUAGES["python"], SimpleNamespace(root=Root(empty, digest="1")))
except LanguageMissing as missing:
    program = str(missing)
print(json.dumps([_without_viewer("Tricks"), LANGUAGES["kotlin"].install, root, program]))
"""


def messages(tmp_path: Path, package_in: Path) -> list[str]:
    """Of a game without a viewer, Kotlin, a root that is none, and a root that lacks a language."""
    (tmp_path / "empty").mkdir()
    program = [sys.executable, "-c", MESSAGES, str(tmp_path / "empty")]
    environment = {**os.environ, "PYTHONPATH": str(package_in)}
    done = subprocess.run(program, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
    return [str(one) for one in json.loads(done.stdout)]


def test_a_tree_with_a_makefile_is_a_checkout(tmp_path: Path) -> None:
    assert (is_checkout(), make_target("kotlin")) == (True, "`make kotlin`")
    assert make_target("kotlin", tmp_path) == "`make kotlin` in a checkout of Hexarena"
    (tmp_path / "Makefile").touch()
    assert make_target("kotlin", tmp_path) == "`make kotlin`"


@pytest.mark.long
def test_a_checkout_advises_make(tmp_path: Path) -> None:
    viewer, kotlin, root, program = messages(tmp_path, ROOT / "src")
    assert viewer.endswith("expected a viewer.js in its folder, or a viewer.ts and a start by `make run`.")
    assert kotlin.startswith("Kotlin's compiler in /usr/local (make kotlin), and default-jdk-headless")
    assert "expected a folder that `make toolchains` made; got" in root
    assert program.endswith("make that root anew: `make toolchains`")


@pytest.mark.long
def test_an_installed_package_advises_what_helps_there(tmp_path: Path) -> None:
    package = tmp_path / "site-packages" / "hexarena"
    ignored = shutil.ignore_patterns("__pycache__", "bots", "*.ts", "*.md", "pictures")
    for name in PACKAGES:
        shutil.copytree(ROOT / name, package / name, ignore=ignored)
    shutil.copy(ROOT / "src" / "hexarena" / "__init__.py", package)
    viewer, kotlin, root, program = messages(tmp_path, package.parent)
    assert viewer == (
        "Tricks cannot be watched: expected a viewer.js in its folder. "
        "In a checkout of Hexarena, `python frontend/build.py` makes it from a viewer.ts."
    )
    assert kotlin == (
        "Kotlin's compiler, with kotlinc in /usr/local/bin (https://kotlinlang.org/docs/command-line.html), "
        "and default-jdk-headless from the system's packages"
    )
    assert "expected a folder that `make toolchains` in a checkout of Hexarena made; got" in root
    assert program.endswith("make that root anew: `make toolchains` in a checkout of Hexarena")
