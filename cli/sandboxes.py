"""The sandbox of commands that need no server: as the environment says, in the data folder.

Only the settings that concern it are read: the settings' libraries take longer to load than a match to start. All
commands but `hexarena referee` check the others, too.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import get_args

from hexarena.worker import sandbox as sandbox_package
from hexarena.worker.sandbox import Mode, Sandbox, SandboxUnsafe, require_self_test

BOOT = Path("/proc/sys/kernel/random/boot_id")
PASSED = "self-test-passed"
"""A file in the sandbox's folder: on which machine, since which start, and with which sandbox the self-test passed."""


def open_sandbox(*, no_sandbox: bool = False) -> Sandbox:
    """`no_sandbox`: without isolation, and so with the machine's own programs, whatever the settings say.

    Raises: SandboxUnsafe.
    """
    settings = {name.upper(): value for name, value in os.environ.items()}
    folder = Path(settings.get("HEXARENA_DATA_FOLDER", ".hexarena")) / "local"
    wanted = settings.get("HEXARENA_SANDBOX", "bwrap")
    mode: Mode | None = next((mode for mode in get_args(Mode) if mode == wanted), None)
    if mode is None:
        raise SandboxUnsafe(f"HEXARENA_SANDBOX: expected bwrap or none; got {wanted!r}")
    if no_sandbox or mode == "none":
        return Sandbox.open("none", folder=folder)
    toolchains = settings.get("HEXARENA_TOOLCHAINS")
    logs_refused = settings.get("HEXARENA_LOG_REFUSED_CALLS", "").lower() in {"1", "on", "true", "yes"}
    return Sandbox.open(
        mode, folder=folder, toolchains=Path(toolchains) if toolchains else None, logs_refused=logs_refused
    )


def require_one_self_test(sandbox: Sandbox) -> None:
    """As `require_self_test`, but only the first time since the machine started: it takes as long as a short match.

    Without isolation there is nothing to test. Raises: SandboxUnsafe.
    """
    if sandbox.mode == "none":
        return
    path, circumstances = sandbox.folder / PASSED, _circumstances(sandbox)
    if path.is_file() and path.read_text() == circumstances:
        return
    require_self_test(sandbox)
    path.write_text(circumstances)


def _circumstances(sandbox: Sandbox) -> str:
    """A hash of all that the self-test's answer may depend on: the machine's start, its user, the sandbox's code."""
    code = sorted(Path(sandbox_package.__file__).parent.glob("*.py"))
    stamps = [(path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in code]
    known = (BOOT.read_text(), os.geteuid(), sandbox.describe(), sandbox.root.digest, stamps)
    return hashlib.sha256(repr(known).encode()).hexdigest()
