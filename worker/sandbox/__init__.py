"""Runs other people's programs in isolation, with exact limits on what they may use.

    with Sandbox.open("bwrap", folder=data / "sandbox") as sandbox:
        sandbox.sweep()
        require_self_test(sandbox)
        program = sandbox.build(find_language("cpp"), source)
        with sandbox.start(program, reply_bytes=game.reply_bytes) as bot:
            reply = bot.ask(prompt, seconds)

Modules: `sandbox` (the public interface), `build`, `toolchains`, `dotnet`, `cache`, `process` (a bot as a
Channel), `sandboxed` (a launched process) with its launchers `bubblewrap` and `plain`, `root` (whose programs it gets),
`identity` (a root worker changes to an unprivileged user), `tree` and `cgroup` (all processes of a bot as one unit),
`slots`, `users` and `marks` (who owns what), `lines`, `endings` (who ended it), `lag`, `rest`, `limits`, `seccomp` (the
filter) with its `rules` and `calls`, `selftest` with its `probe`.
"""

from hexarena.worker.sandbox.build import Program
from hexarena.worker.sandbox.errors import (
    BotKilled,
    BuildFailed,
    HostOverloaded,
    LanguageMissing,
    SandboxError,
    SandboxFailed,
    SandboxUnsafe,
)
from hexarena.worker.sandbox.limits import BuildLimits, Limits
from hexarena.worker.sandbox.process import BotProcess
from hexarena.worker.sandbox.rest import Naps
from hexarena.worker.sandbox.sandbox import Mode, Promise, Sandbox
from hexarena.worker.sandbox.selftest import Check, require_self_test, self_test

__all__ = [
    "BotKilled",
    "BotProcess",
    "BuildFailed",
    "BuildLimits",
    "Check",
    "HostOverloaded",
    "LanguageMissing",
    "Limits",
    "Mode",
    "Naps",
    "Program",
    "Promise",
    "Sandbox",
    "SandboxError",
    "SandboxFailed",
    "SandboxUnsafe",
    "require_self_test",
    "self_test",
]
