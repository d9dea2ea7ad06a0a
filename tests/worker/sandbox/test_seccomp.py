"""The filter: its numbers are those of the kernel's headers, and denied calls fail inside a box."""

from __future__ import annotations

import errno
import json
import platform
import re
import struct
from pathlib import Path

import pytest

from backend.languages import PYTHON
from games.contract import Crashed
from worker.sandbox import Sandbox, seccomp
from worker.sandbox.seccomp import ALLOW, CLONE, CLONE3, DENIED, DENY, KILL_PROCESS, MACHINES, MISSING, denylist

SPECIAL = {"clone": seccomp.CLONE, "clone3": seccomp.CLONE3, "prctl": seccomp.PRCTL, "ioctl": seccomp.IOCTL}
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}


def run(machine: str, number: int, *arguments: int, audit: int | None = None) -> int:
    """What the filter answers: our own small reading of its instructions."""
    words = struct.pack(
        "<iIQ6Q",
        number,
        MACHINES[machine].audit if audit is None else audit,
        0,
        *arguments,
        *[0] * (6 - len(arguments)),
    )
    program = list(struct.iter_unpack("<HBBI", denylist(machine)))
    at, loaded = 0, 0
    while True:
        operation, then, otherwise, value = program[at]
        if operation == seccomp.RETURN:
            return int(value)
        if operation == seccomp.LOAD_WORD:
            loaded = struct.unpack_from("<I", words, value)[0]
            at += 1
            continue
        truth = {
            seccomp.JUMP_EQUAL: loaded == value,
            seccomp.JUMP_NOT_LESS: loaded >= value,
            seccomp.JUMP_ANY_BIT: bool(loaded & value),
        }[operation]
        at += 1 + (then if truth else otherwise)


@pytest.mark.parametrize("machine", MACHINES)
def test_the_numbers_are_those_of_the_kernels_headers(machine: str) -> None:
    if not HEADERS[machine].exists():
        pytest.skip("needs the kernel's headers")
    defined = dict(re.findall(r"#define __NR(?:3264)?_(\w+) (\d+)", HEADERS[machine].read_text()))
    column = MACHINES[machine].column
    for name, numbers in {**DENIED, **SPECIAL}.items():
        number = numbers[column]
        if number is not None and name in defined:
            assert number == int(defined[name]), name


@pytest.mark.parametrize("machine", MACHINES)
def test_denied_calls_answer_eperm_and_others_are_allowed(machine: str) -> None:
    column = MACHINES[machine].column
    denied = {numbers[column] for numbers in DENIED.values()}
    special = {numbers[column] for numbers in SPECIAL.values()}
    for number in range(seccomp.FIRST_UNKNOWN_CALL):
        if number not in special:
            assert run(machine, number) == (DENY if number in denied else ALLOW), number


@pytest.mark.parametrize("machine", MACHINES)
def test_clone_makes_threads_but_no_namespaces(machine: str) -> None:
    column = MACHINES[machine].column
    clone, clone3 = CLONE[column] or 0, CLONE3[column] or 0
    threads = 0x3D0F00
    assert run(machine, clone, threads) == ALLOW
    for bit in (0x20000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000):
        assert run(machine, clone, threads | bit) == DENY, hex(bit)
    assert run(machine, clone3) == MISSING


@pytest.mark.parametrize("machine", MACHINES)
def test_a_foreign_entry_kills_and_an_unknown_call_is_missing(machine: str) -> None:
    i386, x32 = 0x4000_0003, 0x4000_0000
    assert run(machine, 1, audit=i386) == KILL_PROCESS
    assert run(machine, seccomp.FIRST_UNKNOWN_CALL) == MISSING
    assert run("x86_64", x32 + 1) == KILL_PROCESS


@pytest.mark.parametrize("machine", MACHINES)
def test_some_uses_of_prctl_and_ioctl_are_denied(machine: str) -> None:
    column = MACHINES[machine].column
    prctl, ioctl = seccomp.PRCTL[column] or 0, seccomp.IOCTL[column] or 0
    assert run(machine, prctl, 15) == ALLOW
    assert run(machine, prctl, seccomp.PR_SET_PDEATHSIG) == DENY
    assert run(machine, ioctl, 0, 0x5401) == ALLOW
    assert run(machine, ioctl, 0, seccomp.TIOCSTI) == DENY


CALLER = """
import ctypes, errno, json
call = ctypes.CDLL(None, use_errno=True).syscall
found = {}
for name, number in json.loads(input()).items():
    ctypes.set_errno(0)
    result = call(number, -1, 0, 0, 0, 0, 0)
    found[name] = errno.errorcode.get(ctypes.get_errno(), 'worked') if result == -1 else 'worked'
print(json.dumps(found))
"""


def test_denied_calls_fail_inside_a_box(jail: Sandbox) -> None:
    column = MACHINES[platform.machine()].column
    calls = {name: numbers[column] for name, numbers in DENIED.items() if numbers[column] is not None}
    calls["clone3"] = CLONE3[column]
    expected = {name: "ENOSYS" if name == "clone3" else errno.errorcode[errno.EPERM] for name in calls}
    with jail.start(jail.build(PYTHON, CALLER.encode()), reply_bytes=10_000) as bot:
        assert json.loads(bot.ask(json.dumps(calls) + "\n", 5.0).line) == expected


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the x32 entry is a thing of x86-64")
def test_the_x32_entry_ends_a_bot(jail: Sandbox) -> None:
    source = b"import ctypes\ninput()\nctypes.CDLL(None).syscall(0x40000000 + 39)\nprint('worked')\n"
    with (
        jail.start(jail.build(PYTHON, source), reply_bytes=100) as bot,
        pytest.raises(Crashed, match=r"ended by signal 31 \(SIGSYS\)"),
    ):
        bot.ask("\n", 5.0)
