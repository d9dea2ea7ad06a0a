"""The proof, at the start of a worker, that the walls stand: a probe in a box tries to break out of it.

What can be seen from outside is looked at from outside as well, while the probe is frozen, since a probe that is
told lies inside would believe them.
"""

from __future__ import annotations

import json
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from games.contract import BotFault
from worker.sandbox import marks
from worker.sandbox.box import Order
from worker.sandbox.build import Program
from worker.sandbox.errors import SandboxFailed
from worker.sandbox.jail import ENVIRONMENT, find_tool
from worker.sandbox.limits import MIB

if TYPE_CHECKING:
    from worker.sandbox.sandbox import Sandbox

PROBE = Path(__file__).with_name("probe.py")
PROBE_S = 10.0
REPLY_BYTES = 60_000
SMALL_MEMORY_BYTES = 64 * MIB
NAMESPACES = ("user", "pid", "mnt", "net", "ipc", "uts")
FOREIGN_FILES = ("/etc/passwd", "/etc/hostname", "/proc/self/environ", "/proc/1/cmdline", "/sys/kernel/notes")


@dataclass(frozen=True, slots=True)
class Check:
    """One promise and whether it holds."""

    name: str
    passed: bool
    detail: str


def run(sandbox: Sandbox) -> list[Check]:
    """All checks; the names of failed ones may come several times, once for each attempt that worked."""
    if sandbox.mode == "none":
        return [Check("walls", False, sandbox.describe())]
    python = find_tool("python3")
    if python is None:
        return [Check("probe", False, "expected python3 in /usr/bin or /usr/local/bin, which runs the self-test")]
    order = Order((str(python), "-I", "-S", "{bot}/probe.py"), PROBE.parent, files=(PROBE.name,))
    program = Program("self-test", order, SMALL_MEMORY_BYTES)
    try:
        return list(_try_out(sandbox, program))
    except (SandboxFailed, BotFault, OSError) as error:
        return [Check("a box can be set up", False, f"{error}. {_advice()}")]


def _try_out(sandbox: Sandbox, program: Program) -> Iterator[Check]:
    with ExitStack() as stack:
        port = stack.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=sandbox.mark)))
        folder.chmod(0o755)
        secret = folder / "secret"
        secret.write_text("not for bots")
        listener = stack.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind(str(folder / "socket"))
        listener.listen()
        bot = stack.enter_context(sandbox.start(program, reply_bytes=REPLY_BYTES))
        expected = {
            "port": port,
            "socket": str(folder / "socket"),
            "files": [str(secret), str(PROBE), *FOREIGN_FILES],
            "environment": [*ENVIRONMENT, marks.VARIABLE, "PWD", "LC_CTYPE"],
            "processes": sandbox.limits.processes,
            "tmp_bytes": sandbox.limits.tmp_bytes,
        }
        reply = bot.ask(json.dumps(expected) + "\n", PROBE_S)
        yield from (Check(*found) for found in json.loads(reply.line))
        yield from _seen_from_outside(bot.pid)
        yield Check("CPU time is counted", reply.cpu_s > 0, f"{reply.cpu_s * 1000:.1f} ms for the probe")
        try:
            taken = bot.ask(f"{2 * SMALL_MEMORY_BYTES}\n", PROBE_S).line
        except BotFault as fault:
            yield Check("little memory", True, fault.message)
        else:
            yield Check("little memory", False, f"a bot of {SMALL_MEMORY_BYTES} bytes took {taken}")


def _seen_from_outside(pid: int) -> Iterator[Check]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    status = {name: value.split() for name, _, value in (line.partition(":") for line in lines)}
    yield Check("system calls filtered", status["Seccomp"] == ["2"], f"mode {status['Seccomp'][0]}")
    yield Check("no new privileges", status["NoNewPrivs"] == ["1"], f"NoNewPrivs {status['NoNewPrivs'][0]}")
    held = {name: int(status[name][0], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")}
    yield Check("no capabilities", not any(held.values()), str(held))
    yield Check("an unprivileged user", "0" not in status["Uid"] + status["Gid"], f"users {set(status['Uid'])}")
    for name in NAMESPACES:
        theirs, ours = (str(Path(f"/proc/{process}/ns/{name}").readlink()) for process in (pid, "self"))
        yield Check("own namespaces", theirs != ours, f"{name}: {theirs}")


def _advice() -> str:
    """What is most often the reason, where the kernel says so."""
    for file, bad, what in (
        ("/proc/sys/kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"),
        ("/proc/sys/user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=10000"),
        (
            "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
            "1",
            "an AppArmor profile that lets bwrap make user namespaces, or "
            "sysctl kernel.apparmor_restrict_unprivileged_userns=0",
        ),
    ):
        if Path(file).exists() and Path(file).read_text().strip() == bad:
            return f"This machine needs {what}."
    return (
        "The worker needs the right to make user namespaces; in a container, seccomp and AppArmor profiles "
        "that allow it (see docs/organisers.md)."
    )
