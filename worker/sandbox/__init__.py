"""Runs other people's programs behind walls, and says exactly what they may use.

    with Sandbox.open("bwrap", folder=data / "sandbox") as sandbox:
        sandbox.sweep()
        sandbox.require()
        program = sandbox.build(find_language("cpp"), source)
        with sandbox.start(program, reply_bytes=game.reply_bytes) as bot:
            reply = bot.ask(prompt, seconds)

Rooms: `sandbox` (this door), `build`, `toolchains`, `cache`, `process` (a bot as a Channel), `box` with its makers
`jail` and `plain`, `identity` (a root worker becomes nobody), `tree` and `cgroup` (all processes of a bot as one
thing), `slots` and `marks` (who owns what), `lines`, `lag`, `limits`, `seccomp`, `selftest` with its `probe`.
"""

from worker.sandbox.build import Program
from worker.sandbox.errors import (
    BuildFailed,
    HostOverloaded,
    LanguageMissing,
    SandboxError,
    SandboxFailed,
    SandboxUnsafe,
)
from worker.sandbox.limits import BuildLimits, Limits
from worker.sandbox.process import BotProcess
from worker.sandbox.sandbox import Mode, Promise, Sandbox
from worker.sandbox.selftest import Check

__all__ = [
    "BotProcess",
    "BuildFailed",
    "BuildLimits",
    "Check",
    "HostOverloaded",
    "LanguageMissing",
    "Limits",
    "Mode",
    "Program",
    "Promise",
    "Sandbox",
    "SandboxError",
    "SandboxFailed",
    "SandboxUnsafe",
]
