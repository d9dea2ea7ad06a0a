"""The sandbox of commands that need no server: as the settings say, in the data folder."""

from __future__ import annotations

from hexarena.backend.runtime.settings import Settings
from hexarena.worker.sandbox import Sandbox


def open_sandbox(*, no_sandbox: bool = False) -> Sandbox:
    """`no_sandbox`: without isolation, and so with the machine's own programs, whatever the settings say.

    Raises: SandboxUnsafe.
    """
    settings = Settings()
    folder = settings.data_folder / "local"
    if no_sandbox:
        return Sandbox.open("none", folder=folder)
    return Sandbox.open(settings.sandbox, folder=folder, toolchains=settings.toolchains)
