"""Refused system calls in the logs: the same calls are refused, and those that can be are logged."""

from __future__ import annotations

import platform
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from hexarena.worker.app import log_refused_calls
from hexarena.worker.sandbox import Sandbox, require_self_test, rules
from hexarena.worker.sandbox.calls import MACHINES, NUMBERS
from hexarena.worker.sandbox.refused import KERNEL_LOG, RefusedCall, refused_call
from tests.conftest import wait_until
from tests.worker.sandbox.conftest import SMALL, SMALL_BUILD, TOOLCHAINS
from tests.worker.sandbox.test_seccomp import made_inside_a_box

COLUMN = MACHINES[platform.machine()].column
LINE = (
    "audit: type=1326 audit(1795730806.552:6): auid=4294967295 uid=61320 gid=61320 ses=4294967295 pid=7413 "
    'comm="python3" exe="/usr/bin/python3.11" sig=0 arch=c000003e syscall={call} compat=0 ip=0x7f1c code={code}'
)


@pytest.fixture
def logging_(isolated: Sandbox, tmp_path: Path) -> Iterator[Sandbox]:
    """A sandbox whose refused calls the kernel logs."""
    with Sandbox.open(
        "bwrap", folder=tmp_path, toolchains=TOOLCHAINS, limits=SMALL, build_limits=SMALL_BUILD, logs_refused=True
    ) as sandbox:
        yield sandbox


def no_lines() -> str | None:
    """Why the kernel's log has no refused calls here; None if it has."""
    try:
        KERNEL_LOG.open("rb").close()
    except OSError as error:
        return f"the kernel's log cannot be read here: {error}"
    if "errno" not in Path("/proc/sys/kernel/seccomp/actions_logged").read_text().split():
        return "this kernel logs no refused calls"
    if "audit=0" in Path("/proc/cmdline").read_text().split():
        return "this kernel was started without its audit"
    if any(path.read_text() == "auditd\n" for path in Path("/proc").glob("[0-9]*/comm") if path.exists()):
        return "auditd takes the lines"
    return None


@contextmanager
def logged() -> Iterator[None]:
    """The worker's thread that reads the kernel's log."""
    stop = threading.Event()
    reader = threading.Thread(target=log_refused_calls, args=(stop,))
    reader.start()
    yield
    stop.set()
    reader.join()


def test_a_sandbox_that_logs_refuses_the_same_calls(isolated: Sandbox, logging_: Sandbox) -> None:
    names = [*rules.names(rules.DENIED), *rules.names(rules.NO_LOCKS), "clone3", "statx", "mknodat", "userfaultfd"]
    calls = {name: [number, -1] for name in names if (number := NUMBERS[name][COLUMN]) is not None}
    assert made_inside_a_box(logging_, calls) == made_inside_a_box(isolated, calls)


def test_a_sandbox_that_logs_passes_the_self_test_and_says_so(isolated: Sandbox, logging_: Sandbox) -> None:
    require_self_test(logging_)
    assert "system calls filtered and logged where they are refused" in logging_.describe()
    assert "logged" not in isolated.describe()


def test_a_worker_logs_what_a_bot_is_refused(logging_: Sandbox) -> None:
    """Again until it is seen: the kernel leaves lines out where there are many."""
    if why := no_lines():
        pytest.skip(why)

    def seen() -> bool:
        made_inside_a_box(logging_, {"ptrace": [NUMBERS["ptrace"][COLUMN] or 0, 0]})
        return any(one.get("call") == "ptrace" for one in said)

    with capture_logs() as said, logged():
        wait_until(seen, "the worker logs the refused call")
    found = next(one for one in said if one.get("call") == "ptrace")
    assert (found["event"], found["program"]) == ("system call refused", "python3")


def test_where_the_log_cannot_be_read_the_worker_says_so() -> None:
    try:
        KERNEL_LOG.open("rb").close()
    except OSError:
        with capture_logs() as said, logged():
            pass
        assert [one["event"] for one in said] == ["refused system calls are in the kernel's log alone"]
    else:
        pytest.skip("the kernel's log can be read here")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (LINE.format(call=NUMBERS["ptrace"][COLUMN], code="0x50001"), RefusedCall("ptrace", "python3", 61320, 7413)),
        (LINE.format(call=9999, code="0x50026"), RefusedCall("9999", "python3", 61320, 7413)),
        # "a b": the kernel writes names in hexadecimal that have blanks.
        (
            LINE.replace('"python3"', "612062").format(call=NUMBERS["bpf"][COLUMN], code="0x50001"),
            RefusedCall("bpf", "a b", 61320, 7413),
        ),
        (LINE.format(call=101, code="0x80000000"), None),  # a process was killed
        ("audit: type=1400 apparmor denied", None),
        ("", None),
    ],
)
def test_lines_of_the_kernels_log(line: str, found: RefusedCall | None) -> None:
    assert refused_call(line) == found
