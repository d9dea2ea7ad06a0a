"""What can go wrong that is not a bot's fault during a match."""

from __future__ import annotations


class SandboxError(RuntimeError):
    """Base class of errors that are the fault of neither a bot nor its author. The message is for the operator."""


class SandboxUnsafe(SandboxError):
    """The self-test failed, or isolation is not possible on this machine."""


class SandboxFailed(SandboxError):
    """A sandbox could not be set up although the self-test passed: our fault, so the attempt is void."""


class HostOverloaded(SandboxFailed):
    """The machine kept a bot, or the worker, from running for so long that a timeout may be our fault."""


class BotKilled(SandboxFailed):
    """Something outside of its sandbox ended a bot, or its build: an operator, or a kernel without memory left."""


class LanguageMissing(SandboxError):
    """The language is in the table, but this worker's machine lacks its tools: the message says what to install."""


class BuildFailed(Exception):
    """The build failed. `log`: what the author needs to read. `stopped`: a limit ended it, which the same code need not
    reach elsewhere, or later.
    """

    def __init__(self, log: str, *, stopped: bool = False) -> None:
        super().__init__(log)
        self.log = log
        self.stopped = stopped
