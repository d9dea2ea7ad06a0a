"""Environments need an extra; nothing else does."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import metadata, requires

import pytest

LIBRARIES = ("gymnasium", "pettingzoo")


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("call", ["env('tron')", "gym_env('tron', min)"])
def test_without_the_extra_the_error_says_what_to_install(library: str, call: str) -> None:
    done = run(f"import sys; sys.modules['{library}'] = None\nimport hexarena; hexarena.{call}")
    last = done.stderr.strip().splitlines()[-1]
    assert last.endswith(f"MissingExtra: expected the extra: pip install 'hexarena[env]'; not installed: {library}")


def test_the_base_install_has_neither() -> None:
    wanted = [one for one in requires("hexarena") or [] if one.startswith(LIBRARIES)]
    assert len(wanted) == len(LIBRARIES)
    assert all(one.endswith("extra == 'env'") for one in wanted)
    assert "env" in metadata("hexarena").get_all("Provides-Extra", [])


def test_neither_the_package_nor_a_game_nor_the_command_line_imports_them() -> None:
    loaded = f"[name for name in {(*LIBRARIES, 'numpy', 'hexarena.environments')} if name in sys.modules]"
    program = f"""
import sys, hexarena, hexarena.cli.app, hexarena.cli.match
from hexarena.games.catalogue import find_game
find_game("tron"), find_game("yavalath")
print({loaded})"""
    assert run(program).stdout.strip() == "[]"
