"""The self-test at the start of a worker: a probe tries to break out of a sandbox.

What can be checked from outside is checked there as well, while the probe is frozen: inside, a probe could be deceived.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from hexarena.games.contract import BotFault
from hexarena.worker.sandbox import marks
from hexarena.worker.sandbox.bubblewrap import ENVIRONMENT
from hexarena.worker.sandbox.build import Program
from hexarena.worker.sandbox.errors import SandboxFailed, SandboxUnsafe
from hexarena.worker.sandbox.limits import MIB
from hexarena.worker.sandbox.root import Root
from hexarena.worker.sandbox.sandbox import Sandbox
from hexarena.worker.sandbox.sandboxed import Command

log = logging.getLogger(__name__)

PROBE = Path(__file__).with_name("probe.py")
PROBE_S = 10.0
REPLY_BYTES = 60_000
SMALL_MEMORY_BYTES = 64 * MIB
NAMESPACES = ("user", "pid", "mnt", "net", "ipc", "uts")
FOREIGN_FILES = ("/etc/passwd", "/etc/hostname", "/proc/self/environ", "/proc/1/cmdline", "/sys/kernel/notes")


@dataclass(frozen=True, slots=True)
class Check:
    """One property of the sandbox, and whether it holds."""

    name: str
    passed: bool
    detail: str


def require_self_test(sandbox: Sandbox) -> None:
    """Runs the self-test, and refuses to continue where it fails.

    Raises: SandboxUnsafe, which names the checks that failed. In mode "none" it only warns.
    """
    if sandbox.mode == "none":
        log.warning("HEXARENA_SANDBOX=none: %s. Run only bots that you trust.", sandbox.describe())
        return
    failed = [check for check in self_test(sandbox) if not check.passed]
    if failed:
        found = "\n".join(f"  {check.name}: {check.detail}" for check in failed)
        raise SandboxUnsafe(f"The sandbox self-test failed on this machine ({sandbox.describe()}):\n{found}")


def self_test(sandbox: Sandbox) -> list[Check]:
    """Tries to break out. Other people's bots may run here only if every check passes.

    A name may appear several times, once for each attempt.
    """
    if sandbox.mode == "none":
        return [Check("isolation", False, sandbox.describe())]
    python = sandbox.root.find("python3")
    if python is None:
        expected = "expected python3 in /usr/bin or /usr/local/bin, which runs the self-test"
        return [Check("probe", False, f"{expected}; programs are those of {sandbox.root.describe()}")]
    argv = (str(python), "-I", "-S", "{bot}/probe.py")
    command = Command(argv, PROBE.parent, files=(PROBE.name,), use=sandbox.use)
    program = Program("self-test", command, SMALL_MEMORY_BYTES)
    try:
        return list(_run_probe(sandbox, program))
    except (SandboxFailed, BotFault, OSError) as error:
        return [Check("a sandbox can be set up", False, f"{error}. {_advice()}")]


def _run_probe(sandbox: Sandbox, program: Program) -> Iterator[Check]:
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
        yield from _check_from_outside(bot.pid)
        if not sandbox.root.is_machines:
            yield _check_root(bot.pid, sandbox.root)
        yield Check("CPU time is counted", reply.cpu_s > 0, f"{reply.cpu_s * 1000:.1f} ms for the probe")
        try:
            taken = bot.ask(f"{2 * SMALL_MEMORY_BYTES}\n", PROBE_S).line
        except BotFault as fault:
            yield Check("little memory", True, fault.message)
        else:
            yield Check("little memory", False, f"a bot limited to {SMALL_MEMORY_BYTES} bytes allocated {taken}")


def _check_from_outside(pid: int) -> Iterator[Check]:
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


def _check_root(pid: int, root: Root) -> Check:
    """That its /usr is the root's, and so not the machine's."""
    theirs, wanted, machines = (Path(path).stat() for path in (f"/proc/{pid}/root/usr", root.folder / "usr", "/usr"))
    passed = os.path.samestat(theirs, wanted) and not os.path.samestat(theirs, machines)
    return Check("a root of its own", passed, f"expected {root.folder}/usr as /usr; got folder {theirs.st_ino}")


def _advice() -> str:
    """The most likely reason for the failure, as far as the kernel's settings show it."""
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
