"""Sandboxes for the tests. Times and memory are small, so that the tests are quick; nothing measures them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from hexarena.backend.submissions.languages import CSHARP, PYTHON, Language
from hexarena.worker.sandbox import BotProcess, BuildLimits, LanguageMissing, Limits, Sandbox
from hexarena.worker.sandbox.dotnet import why_not
from hexarena.worker.sandbox.limits import MIB
from tests.conftest import PATIENCE_S

SMALL = Limits(
    stderr_turn_bytes=200, stderr_match_bytes=500, stderr_flood_bytes=200_000, wall_factor=2.0, wall_first_s=2.0
)
SLOWER = float(os.environ.get("HEXARENA_TEST_SLOWER", "1"))
"""How much more time builds get, for scripts/record_calls.py, which follows each of their calls."""
SMALL_BUILD = BuildLimits(
    cpu_s=3.0 * SLOWER, wall_s=PATIENCE_S * SLOWER, memory_bytes=512 * MIB, artefact_bytes=4 * MIB, log_bytes=2000
)

TOOLCHAINS = Path(os.environ["HEXARENA_TEST_TOOLCHAINS"]) if os.environ.get("HEXARENA_TEST_TOOLCHAINS") else None
"""A root that `make toolchains` made: isolated sandboxes of these tests then use its programs. None: the machine's."""

Start = Callable[..., BotProcess]


def need(sandbox: Sandbox, language: Language) -> None:
    """Skips the test where the language's tools are missing, with what to install."""
    try:
        sandbox.version(language)
    except LanguageMissing as missing:
        pytest.skip(str(missing))


def need_mono(sandbox: Sandbox) -> None:
    """Skips the test where C# is not Mono's, whose own words and limits it is about."""
    need(sandbox, CSHARP)
    if sandbox.here(CSHARP) is not CSHARP:
        pytest.skip("C# is built by .NET here")


def need_dotnet(sandbox: Sandbox) -> None:
    """Skips the test where C# is Mono's or missing."""
    if sandbox.here(CSHARP) is CSHARP:
        pytest.skip(f"toolchain missing: {why_not(sandbox.root)}")
    need(sandbox, CSHARP)


def patient(sandbox: Sandbox) -> Sandbox:
    """The same with the time and memory that real builds have."""
    usual = BuildLimits(wall_s=PATIENCE_S * SLOWER)
    return replace(sandbox, build_limits=replace(usual, cpu_s=usual.cpu_s * SLOWER))


def need_children(sandbox: Sandbox) -> None:
    """Skips the test where bots are single processes."""
    if "isolation" in sandbox.promises and "memory" not in sandbox.promises:
        pytest.skip("without control groups an isolated bot has no child processes")


@pytest.fixture(scope="session")
def isolated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """The real thing."""
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap")
    folder = tmp_path_factory.mktemp("isolated")
    with Sandbox.open("bwrap", folder=folder, toolchains=TOOLCHAINS, limits=SMALL, build_limits=SMALL_BUILD) as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """Mode "none"."""
    folder = tmp_path_factory.mktemp("plain")
    with Sandbox.open("none", folder=folder, limits=SMALL, build_limits=SMALL_BUILD) as sandbox:
        yield sandbox


@pytest.fixture(params=["bwrap", "none"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Both, one after the other: bots must not notice a difference unless they attack."""
    opened: Sandbox = request.getfixturevalue("isolated" if request.param == "bwrap" else "plain")
    return opened


@pytest.fixture
def start(sandbox: Sandbox) -> Iterator[Start]:
    """Starts a Python bot from its source; all are closed in the end."""
    with ExitStack() as stack:

        def start_bot(source: str, *, reply_bytes: int = 100) -> BotProcess:
            program = sandbox.build(PYTHON, source.encode())
            return stack.enter_context(sandbox.start(program, reply_bytes=reply_bytes))

        yield start_bot


@pytest.fixture
def descriptors() -> Callable[[], set[str]]:
    """What this process has open, but for the groups that slots keep for their next bots."""

    def opened() -> set[str]:
        links = [path for path in Path("/proc/self/fd").iterdir() if path.is_symlink()]
        found = {f"{path.name} {path.readlink()}" for path in links}
        return {one for one in found if "/hexarena." not in one}

    return opened
