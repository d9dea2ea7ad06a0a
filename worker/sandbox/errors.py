"""What can go wrong that is not a bot's fault during a match."""

from __future__ import annotations


class SandboxError(RuntimeError):
    """The family of what is the fault of neither a bot nor its author. The message is for who runs the worker."""


class SandboxUnsafe(SandboxError):
    """The walls do not stand, or cannot be built here."""


class SandboxFailed(SandboxError):
    """A box could not be set up although the walls stand: our fault, so the match is void."""


class HostOverloaded(SandboxFailed):
    """The machine kept a bot, or the worker itself, from running for so long that a verdict on time could be ours."""


class LanguageMissing(SandboxError):
    """The language is in the table, but this worker's machine lacks its tools: the message says what to install."""


class BuildFailed(Exception):
    """The source does not build. `log`: what the author needs to read."""

    def __init__(self, log: str) -> None:
        super().__init__(log)
        self.log = log
