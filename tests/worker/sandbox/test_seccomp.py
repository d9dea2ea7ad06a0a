"""The filter: its numbers are those of the kernel's headers, and denied calls fail inside a box."""

from __future__ import annotations

import errno
import json
import platform
import re
import struct
from collections.abc import Mapping
from pathlib import Path

import pytest

from backend.languages import PYTHON
from games.contract import Crashed
from worker.sandbox import Sandbox, seccomp
from worker.sandbox.seccomp import ALLOW, CLONE, CLONE3, DENIED, DENY, KILL_PROCESS, MACHINES, MISSING, denylist

SPECIAL = {
    "clone": seccomp.CLONE,
    "clone3": seccomp.CLONE3,
    "prctl": seccomp.PRCTL,
    "ioctl": seccomp.IOCTL,
    "socketpair": seccomp.SOCKETPAIR,
    "mmap": seccomp.MMAP,
    "memfd_create": seccomp.MEMFD_CREATE,
    "sched_setscheduler": seccomp.SCHED_SETSCHEDULER,
}
AF_INET, AF_TIPC = 2, 30
SCHED_FIFO, SCHED_IDLE = 1, 5
PIPE_BYTES = 4096
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
    for number in (*range(MACHINES[machine].first_free), *range(seccomp.FIRST_COMMON_CALL, seccomp.FIRST_UNKNOWN_CALL)):
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
    for number in range(MACHINES[machine].first_free, seccomp.FIRST_COMMON_CALL):
        assert run(machine, number) == MISSING, number
    assert run("x86_64", x32 + 1) == KILL_PROCESS


@pytest.mark.parametrize("machine", MACHINES)
def test_the_filter_fits_into_the_smallest_pipe(machine: str) -> None:
    """It is written before anybody reads, and a user with many pipes gets small ones."""
    assert len(denylist(machine)) <= PIPE_BYTES


@pytest.mark.parametrize("machine", MACHINES)
def test_some_uses_of_calls_are_denied(machine: str) -> None:
    def answer(numbers: seccomp.Numbers, *arguments: int) -> int:
        return run(machine, numbers[MACHINES[machine].column] or 0, *arguments)

    assert answer(seccomp.PRCTL, 15) == ALLOW
    assert answer(seccomp.IOCTL, 0, 0x5401) == ALLOW
    for operation in seccomp.DENIED_PRCTL:
        assert answer(seccomp.PRCTL, operation) == DENY
        assert answer(seccomp.PRCTL, 1 << 32 | operation) == DENY, "the kernel looks at the low half only"
    for operation in seccomp.DENIED_IOCTL:
        assert answer(seccomp.IOCTL, 0, operation) == DENY
    assert answer(seccomp.SOCKETPAIR, seccomp.AF_UNIX, 1) == ALLOW
    assert answer(seccomp.SOCKETPAIR, AF_TIPC, 1) == DENY
    assert answer(seccomp.SCHED_SETSCHEDULER, 0, seccomp.SCHED_OTHER) == ALLOW
    assert answer(seccomp.SCHED_SETSCHEDULER, 0, SCHED_FIFO) == DENY
    assert answer(seccomp.MMAP, 0, 4096, 3, 0x22) == ALLOW
    assert answer(seccomp.MMAP, 0, 4096, 3, 0x22 | seccomp.MAP_HUGETLB) == DENY
    assert answer(seccomp.MEMFD_CREATE, 0, 3) == ALLOW
    assert answer(seccomp.MEMFD_CREATE, 0, 3 | seccomp.MFD_HUGETLB) == DENY


CALLER = """
import ctypes, errno, json
call = ctypes.CDLL(None, use_errno=True).syscall
found = {}
for name, words in json.loads(input()).items():
    ctypes.set_errno(0)
    result = call(*map(ctypes.c_long, (words + [0] * 7)[:7]))
    found[name] = errno.errorcode.get(ctypes.get_errno(), 'worked') if result == -1 else 'worked'
print(json.dumps(found))
"""


def made_inside_a_box(jail: Sandbox, calls: Mapping[str, list[int]]) -> dict[str, str]:
    """What each call, a number and its arguments, answered: the name of its error, or "worked"."""
    with jail.start(jail.build(PYTHON, CALLER.encode()), reply_bytes=10_000) as bot:
        answers: dict[str, str] = json.loads(bot.ask(json.dumps(calls) + "\n", 5.0).line)
        return answers


def test_denied_calls_fail_inside_a_box(jail: Sandbox) -> None:
    column = MACHINES[platform.machine()].column
    calls = {name: [number, -1] for name, numbers in DENIED.items() if (number := numbers[column]) is not None}
    assert made_inside_a_box(jail, calls) == dict.fromkeys(calls, errno.errorcode[errno.EPERM])


def test_calls_that_are_new_or_were_never_given_out_are_missing_inside_a_box(jail: Sandbox) -> None:
    machine = MACHINES[platform.machine()]
    # Not the very first ones: on x86-64, Linux 6.11 made them the ends of probes, which no filter sees, and which
    # end with SIGILL whoever calls them otherwise.
    numbers = [machine.first_free + 10, seccomp.FIRST_COMMON_CALL - 1, CLONE3[machine.column] or 0]
    numbers += range(seccomp.FIRST_UNKNOWN_CALL, seccomp.FIRST_UNKNOWN_CALL + 20)
    calls = {str(number): [number, 0] for number in numbers}
    assert made_inside_a_box(jail, calls) == dict.fromkeys(calls, "ENOSYS")


def test_some_uses_of_calls_fail_inside_a_box(jail: Sandbox) -> None:
    def number(numbers: seccomp.Numbers) -> int:
        return numbers[MACHINES[platform.machine()].column] or 0

    anonymous, both_ways = 0x22, 3
    calls = {
        "a pair of TIPC sockets": [number(seccomp.SOCKETPAIR), AF_TIPC, 5],
        "a pair of internet sockets": [number(seccomp.SOCKETPAIR), AF_INET, 1],
        "a user namespace": [number(CLONE), 0x1000_0000 | 17],
        "huge pages": [number(seccomp.MMAP), 0, 1 << 21, both_ways, anonymous | seccomp.MAP_HUGETLB, -1],
        "a file of huge pages": [number(seccomp.MEMFD_CREATE), 0, seccomp.MFD_HUGETLB],
        "outliving the worker": [number(seccomp.PRCTL), seccomp.PR_SET_PDEATHSIG],
        "a filter": [number(seccomp.PRCTL), seccomp.PR_SET_SECCOMP, 2],
        "a core for itself": [number(seccomp.PRCTL), seccomp.PR_SCHED_CORE, 1],
        "another urgency": [number(seccomp.SCHED_SETSCHEDULER), 0, SCHED_IDLE],
        "a line discipline": [number(seccomp.IOCTL), 0, seccomp.TIOCSETD],
    }
    assert made_inside_a_box(jail, calls) == dict.fromkeys(calls, "EPERM")


def test_what_runtimes_need_works_inside_a_box(jail: Sandbox) -> None:
    source = b"""
import asyncio, mmap, multiprocessing, os, signal, socket, subprocess, tempfile, threading
input()
async def answer():
    return (await asyncio.to_thread(os.getpid)) == os.getpid()
found = [asyncio.run(answer())]
one, other = socket.socketpair()
one.sendall(b'x')
found.append(other.recv(1) == b'x')
found.append(subprocess.run(['true']).returncode == 0)
reading, writing = multiprocessing.Pipe()
child = multiprocessing.Process(target=writing.send, args=('hello',))
child.start()
found.append(reading.recv() == 'hello')
child.join()
with tempfile.TemporaryFile() as file:
    file.write(b'x' * 4096)
    file.flush()
    found.append(mmap.mmap(file.fileno(), 4096)[:1] == b'x')
found.append(os.memfd_create('a') > 2)
signal.setitimer(signal.ITIMER_REAL, 100)
print(found)
"""
    with jail.start(jail.build(PYTHON, source), reply_bytes=1000) as bot:
        assert bot.ask("\n", 5.0).line == str([True] * 6)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the x32 entry is a thing of x86-64")
def test_the_x32_entry_ends_a_bot(jail: Sandbox) -> None:
    source = b"import ctypes\ninput()\nctypes.CDLL(None).syscall(0x40000000 + 39)\nprint('worked')\n"
    with (
        jail.start(jail.build(PYTHON, source), reply_bytes=100) as bot,
        pytest.raises(Crashed, match=r"ended by signal 31 \(SIGSYS\)"),
    ):
        bot.ask("\n", 5.0)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the 32-bit entry is a thing of x86-64")
def test_the_32_bit_entry_ends_a_bot(jail: Sandbox) -> None:
    """By the filter, or by a kernel that was built without it."""
    source = b"""
import ctypes, mmap
input()
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes.fromhex('b814000000cd80c3'))  # getpid through int 0x80
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
print('worked')
"""
    with jail.start(jail.build(PYTHON, source), reply_bytes=100) as bot, pytest.raises(Crashed, match=r"SIG(SYS|SEGV)"):
        bot.ask("\n", 5.0)
