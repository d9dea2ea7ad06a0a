"""The filter: its numbers are those of the kernel's headers, its list is what was recorded, and the rest is refused."""

from __future__ import annotations

import errno
import fcntl
import json
import mmap
import platform
import re
import resource
import socket
import struct
import termios
from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pytest

from hexarena.backend.submissions.languages import PYTHON
from hexarena.games.contract import Crashed
from hexarena.worker.sandbox import Sandbox, rules, seccomp
from hexarena.worker.sandbox.calls import FIRST_COMMON_CALL, FIRST_UNKNOWN_CALL, MACHINES, NUMBERS
from hexarena.worker.sandbox.rules import BOTS, BUILDS, SINGLE_BOTS, Part, Rule, Use, answers
from hexarena.worker.sandbox.seccomp import ACTIONS, make_filter
from scripts.record_calls import BUILD, COMMANDS, RECORDING as RECORDING_FILE
from tests.worker.sandbox.conftest import need_children

PARTS: tuple[Part, ...] = ("whole", "logged", "unlogged")
ALLOW, DENY, MISSING, KILL = (ACTIONS[answer] for answer in ("allow", "deny", "missing", "kill"))
USES = {
    **{"bots": BOTS, "bots with timers": replace(BOTS, timers=True), "bots with cores": replace(BOTS, cores=True)},
    **{"single bots": SINGLE_BOTS, "builds": BUILDS},
}
RECORDING: Mapping[str, str] = json.loads(RECORDING_FILE.read_text())
REFUSED: Mapping[str, str] = {
    "clone3": "a filter cannot read its flags; libraries take clone",
    "fadvise64": "advice of tools, which do not look whether it was taken",
    "ioctl:BTRFS_IOC_CLONE": "cp copies where it cannot share; /tmp could not",
    "socket": "logs and name services, of which there are none",
    "statx": "bots' runtimes take newfstatat; builds may",
    "timer_create": "nobody could check which signals they send; only Ruby's have them",
    "sysinfo": "the machine's memory: libc and runtimes go without; builds may",
}
"""Call -> why it is not allowed although runtimes make it."""
AF_INET, AF_TIPC = 2, 30
SCHED_FIFO, SCHED_IDLE = 1, 5
PIPE_BYTES = 4096
DETAILS = {
    **{"thread": 0x3D0F00, "process": 17, "ARCH_SET_FS": 0x1002, "PR_SET_NAME": 15, "PR_SET_THP_DISABLE": 41},
    **{"PR_SET_VMA": 0x5356_4D41, "BTRFS_IOC_CLONE": 0x4004_9409, "MADV_DONTFORK": 10},
}
"""What this Python has no name for."""
BY_USE = ("clone", "fork", "vfork", "timer_create", *rules.NO_KILLS)
"""Calls whose answers depend on whose they are."""
PLAIN = {"prlimit64": (0, resource.RLIMIT_STACK)}
"""The arguments of a call that was recorded without them; else 0."""
OF_32_BITS = {*range(403, 424), 244, 259, 38, 84, 79, 80, 25, 62}
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}


def run(use: Use, machine: str, number: int, *arguments: int, audit: int | None = None, part: Part = "whole") -> int:
    """What the filter answers: our own small reading of its instructions."""
    words = struct.pack(
        "<IIQ6Q",
        number & 0xFFFF_FFFF,
        MACHINES[machine].audit if audit is None else audit,
        0,
        *arguments,
        *[0] * (6 - len(arguments)),
    )
    program = list(struct.iter_unpack("<HBBI", make_filter(use, machine, part)))
    at, loaded = 0, 0
    while True:
        operation, then, otherwise, value = program[at]
        if operation == seccomp.AND:
            loaded &= value
            at += 1
            continue
        if operation == seccomp.RETURN:
            return int(value)
        if operation == seccomp.LOAD_WORD:
            loaded = struct.unpack_from("<I", words, value)[0]
            at += 1
            continue
        if operation == seccomp.JUMP:
            at += 1 + value
            continue
        truth = {
            seccomp.JUMP_EQUAL: loaded == value,
            seccomp.JUMP_NOT_LESS: loaded >= value,
            seccomp.JUMP_ANY_BIT: bool(loaded & value),
        }[operation]
        at += 1 + (then if truth else otherwise)


def answer(use: Use, machine: str, name: str, *arguments: int) -> int | None:
    """What becomes of a call; None: the machine has none of this name."""
    number = NUMBERS[name][MACHINES[machine].column]
    return None if number is None else run(use, machine, number, *arguments)


@pytest.fixture(params=[(use, machine) for use in USES for machine in MACHINES], ids=" on ".join)
def where(request: pytest.FixtureRequest) -> tuple[Use, str]:
    """Each use on each machine."""
    use, machine = request.param
    return USES[use], machine


# --- The tables ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("machine", MACHINES)
def test_the_numbers_are_those_of_the_kernels_headers(machine: str) -> None:
    if not HEADERS[machine].exists():
        pytest.skip("needs the kernel's headers")
    defined = dict(re.findall(r"#define __NR(?:3264)?_(\w+) (\d+)", HEADERS[machine].read_text()))
    column = MACHINES[machine].column
    for name, numbers in NUMBERS.items():
        number = numbers[column]
        if number is not None and name in defined:
            assert number == int(defined[name]), name
    of_headers = {int(number) for number in defined.values() if int(number) < FIRST_UNKNOWN_CALL}
    assert of_headers - {numbers[column] for numbers in NUMBERS.values()} <= OF_32_BITS, "somebody looked at every call"


def test_a_call_is_in_one_group() -> None:
    groups = (rules.ALLOWED, rules.DENIED, rules.DONE, rules.NO_LOCKS)
    once = [name for group in groups for name in rules.names(group)] + list(rules.SPECIAL) + [*BY_USE]
    assert len(once) == len(set(once))
    assert set(once) <= set(NUMBERS)


@pytest.mark.parametrize("machine", MACHINES)
def test_what_was_recorded_is_allowed(machine: str) -> None:
    """By scripts/record_calls.py; or there is a reason why not, and libraries have another way."""
    refused = {
        call
        for call, makers in RECORDING.items()
        for use in ({BUILDS} if BUILD in makers else set()) | ({BOTS, SINGLE_BOTS} if makers != BUILD else set())
        if answer(use, machine, *recorded(call)) not in (ALLOW, None)
    }
    assert refused == set(REFUSED)


def recorded(call: str) -> tuple[str, *tuple[int, ...]]:
    """(name, arguments) of a call in the recording."""
    name, _, detail = call.partition(":")
    if not detail:
        return name, *PLAIN.get(name, (0,))
    values = (getattr(module, detail, None) for module in (fcntl, termios, mmap, socket))
    value = next((value for value in values if value is not None), None)
    value = DETAILS[detail] if value is None else int(value)
    return name, *[0] * COMMANDS.get(name, 0), value


# --- The programs ----------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_each_call_is_answered_by_its_group_and_all_others_are_missing(where: tuple[Use, str]) -> None:
    use, machine = where
    found = answers(use)
    by_number = {NUMBERS[name][MACHINES[machine].column]: answer for name, answer in found.items()}
    for number in range(FIRST_UNKNOWN_CALL + 200):
        expected = by_number.get(number, "missing")
        if not isinstance(expected, Rule):
            assert run(use, machine, number) == ACTIONS[expected], number


def test_a_foreign_entry_kills(where: tuple[Use, str]) -> None:
    use, machine = where
    i386, x32 = 0x4000_0003, 0x4000_0000
    assert run(use, machine, 1, audit=i386) == KILL
    if MACHINES[machine].has_x32:
        assert (
            run(use, machine, x32 + 1) == run(use, machine, x32 + FIRST_UNKNOWN_CALL) == run(use, machine, -1) == KILL
        )


def test_clone_makes_threads_but_no_namespaces(where: tuple[Use, str]) -> None:
    use, machine = where
    threads, child = 0x3D0F00, 17
    assert answer(use, machine, "clone", threads) == ALLOW
    for bit in (0x20000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000):
        assert answer(use, machine, "clone", threads | bit) == DENY, hex(bit)
        assert answer(use, machine, "clone", child | bit) == DENY, hex(bit)
    assert answer(use, machine, "clone3") == MISSING


def test_a_single_bot_has_threads_and_no_children(where: tuple[Use, str]) -> None:
    use, machine = where
    child, spawned = 17, 0x4000 | 0x100 | 17
    expected = ALLOW if use.processes else DENY
    for flags in (child, spawned, 0x8000 | child):
        assert answer(use, machine, "clone", flags) == expected
    for name in ("fork", "vfork"):
        assert answer(use, machine, name) in (expected, None)


def test_who_asks_for_cores_is_refused_or_told_a_success_but_never_gets_them(where: tuple[Use, str]) -> None:
    use, machine = where
    assert answer(use, machine, "sched_setaffinity") == (ACTIONS["done"] if use.cores else DENY)
    assert answer(use, machine, "sched_setscheduler", 0, SCHED_FIFO) == DENY


def test_nothing_that_a_bot_asks_for_sends_sigkill(where: tuple[Use, str]) -> None:
    use, machine = where
    expected = ALLOW if use.builds else DENY
    calls: dict[str, list[int]] = {
        **{"kill": [1, 9], "tkill": [1, 9], "tgkill": [1, 1, 9], "pidfd_send_signal": [3, 9]},
        **{"rt_sigqueueinfo": [1, 9], "rt_tgsigqueueinfo": [1, 1, 9]},
        **{"setrlimit": [resource.RLIMIT_CPU], "prlimit64": [0, resource.RLIMIT_CPU], "timer_create": [1]},
    }
    for name, arguments in calls.items():
        allowed = use.timers and name == "timer_create"
        assert answer(use, machine, name, *arguments) == (ALLOW if allowed else expected), name
        if name != "timer_create":
            assert answer(use, machine, name, *arguments[:-1], 15) == ALLOW, name
            assert answer(use, machine, name, *arguments[:-1], arguments[-1] | 1 << 40) == expected, name
    for flags in (9, 0x4000 | 0x100 | 9):
        assert answer(use, machine, "clone", flags) == DENY


def test_the_filter_fits_into_the_smallest_pipe(where: tuple[Use, str]) -> None:
    """It is written before anybody reads, and a user with many pipes gets small ones."""
    assert len(make_filter(*where)) <= PIPE_BYTES


USES_OF_CALLS = (
    ("prctl", 15, "allow"),
    ("prctl", 999, "invalid"),
    *(("prctl", command, "deny") for command in rules.DENIED_PRCTL),
    *(("prctl", 1 << 32 | command, "deny") for command in rules.DENIED_PRCTL),  # the kernel looks at the low half only
    ("ioctl", 0x5401, "allow"),
    *(("ioctl", command, "deny") for command in rules.DENIED_IOCTL),
    *(("ioctl", command, "no terminal") for command in (1, 0xC020_660B, 0x8008_6601, 0x4004_9409)),
    *(("fcntl", command, "allow") for command in range(5)),
    *(("fcntl", command, "no locks") for command in rules.FCNTL_LOCKS),
    *(("fcntl", command, "deny") for command in rules.DENIED_FCNTL),
    ("fcntl", 9999, "invalid"),
    *(("madvise", advice, "allow") for advice in (4, 8, 14)),
    *(("madvise", advice, "invalid") for advice in (3, 12, 20, 21, 22, 100, 101)),
    ("membarrier", 8, "allow"),
    *(("membarrier", command, "invalid") for command in (1, 2, 4)),
    ("socketpair", rules.AF_UNIX, "allow"),
    ("socketpair", AF_TIPC, "deny"),
    ("sched_setscheduler", rules.SCHED_OTHER, "allow"),
    ("sched_setscheduler", SCHED_FIFO, "deny"),
    ("mmap", 0x22, "allow"),
    ("mmap", 0x22 | rules.MAP_HUGETLB, "deny"),
    ("memfd_create", 3, "allow"),
    ("memfd_create", 3 | rules.MFD_HUGETLB, "deny"),
)
"""(call, the argument that its rule looks at, the answer)."""


def test_some_uses_of_calls_are_refused(where: tuple[Use, str]) -> None:
    for name, value, expected in USES_OF_CALLS:
        arguments = [0] * rules.SPECIAL[name].argument + [value]
        assert answer(*where, name, *arguments) == ACTIONS[expected], (name, value)


@pytest.mark.long
def test_both_parts_refuse_what_the_whole_does_and_neither_twice(where: tuple[Use, str]) -> None:
    """Of what both refuse the kernel would log nothing, as the later one answers."""
    use, machine = where
    words = {
        name: [(0,) * rules.SPECIAL[name].argument + (value,) for _, value, _ in group]
        for name, group in groupby(sorted(USES_OF_CALLS), key=lambda one: one[0])
    }
    words["socket"] = [(family,) for family in range(50)]
    words["clone"] = [(flags,) for flags in (0, 17, rules.SIGKILL, rules.CLONE_THREAD, rules.CLONE_NEW_NAMESPACES)]
    names = {NUMBERS[name][MACHINES[machine].column]: name for name in NUMBERS}
    for number in range(FIRST_UNKNOWN_CALL + 50):
        for arguments in words.get(names.get(number, ""), [(0,)]):
            whole, *parts = (run(use, machine, number, *arguments, part=part) for part in PARTS)
            assert sorted(parts) == sorted([ALLOW, whole]), (names.get(number, number), arguments)


def test_what_bubblewrap_calls_is_not_refused_before_it_starts(where: tuple[Use, str]) -> None:
    use, machine = where
    for name in rules.names(rules.LAUNCHER):
        number = NUMBERS[name][MACHINES[machine].column]
        assert number is None or run(use, machine, number, part="logged") == ALLOW, name


# --- Inside a sandbox ------------------------------------------------------------------------------------------------


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


def made_inside_a_box(isolated: Sandbox, calls: Mapping[str, list[int]]) -> dict[str, str]:
    """What each call, a number and its arguments, answered: the name of its error, or "worked"."""
    with isolated.start(isolated.build(PYTHON, CALLER.encode()), reply_bytes=10_000) as bot:
        answers: dict[str, str] = json.loads(bot.ask(json.dumps(calls) + "\n", 5.0).line)
        return answers


def test_denied_calls_fail_inside_a_sandbox(isolated: Sandbox) -> None:
    column = MACHINES[platform.machine()].column
    calls = {name: [number, -1] for name in rules.names(rules.DENIED) if (number := NUMBERS[name][column]) is not None}
    assert made_inside_a_box(isolated, calls) == dict.fromkeys(calls, errno.errorcode[errno.EPERM])


def test_calls_that_are_new_or_unassigned_or_unlisted_are_missing_inside_a_sandbox(isolated: Sandbox) -> None:
    machine = MACHINES[platform.machine()]
    # Not the very first ones: on x86-64, Linux 6.11 made them the ends of probes, which no filter sees, and which
    # end with SIGILL whoever calls them otherwise.
    numbers = [machine.first_free + 10, FIRST_COMMON_CALL - 1]
    numbers += range(FIRST_UNKNOWN_CALL, FIRST_UNKNOWN_CALL + 20)
    numbers += [NUMBERS[name][machine.column] or 0 for name in ("clone3", "statx", "openat2", "mknodat")]
    calls = {str(number): [number, 0] for number in numbers}
    assert made_inside_a_box(isolated, calls) == dict.fromkeys(calls, "ENOSYS")


def test_some_uses_of_calls_fail_inside_a_sandbox(isolated: Sandbox) -> None:
    def number(name: str) -> int:
        return NUMBERS[name][MACHINES[platform.machine()].column] or 0

    anonymous, both_ways = 0x22, 3
    denied = {
        "a pair of TIPC sockets": [number("socketpair"), AF_TIPC, 5],
        "a pair of internet sockets": [number("socketpair"), AF_INET, 1],
        "a user namespace": [number("clone"), 0x1000_0000 | 17],
        "huge pages": [number("mmap"), 0, 1 << 21, both_ways, anonymous | rules.MAP_HUGETLB, -1],
        "a file of huge pages": [number("memfd_create"), 0, rules.MFD_HUGETLB],
        "outliving the worker": [number("prctl"), rules.PR_SET_PDEATHSIG],
        "a filter": [number("prctl"), rules.PR_SET_SECCOMP, 2],
        "a core for itself": [number("prctl"), rules.PR_SCHED_CORE, 1],
        "memory shared with others": [number("prctl"), rules.PR_SET_MEMORY_MERGE, 1],
        "another urgency": [number("sched_setscheduler"), 0, SCHED_IDLE],
        "a line discipline": [number("ioctl"), 0, rules.TIOCSETD],
        "a notice": [number("fcntl"), 0, rules.F_NOTIFY, 1],
    }
    others = {
        "a lock": ([number("flock"), 0, 2], "ENOLCK"),
        "a lock of a part": ([number("fcntl"), 0, 6, 0], "ENOLCK"),
        "the place on the disk": ([number("ioctl"), 0, 0xC020_660B, 0], "ENOTTY"),
        "pushing out memory": ([number("madvise"), 0, 4096, 21], "EINVAL"),
        "a flush of no file": ([number("fsync"), 9999], "worked"),
    }
    calls = {**denied, **{name: words for name, (words, _) in others.items()}}
    expected = {**dict.fromkeys(denied, "EPERM"), **{name: error for name, (_, error) in others.items()}}
    assert made_inside_a_box(isolated, calls) == expected


def test_what_runtimes_need_works_inside_a_sandbox(isolated: Sandbox) -> None:
    source = b"""
import asyncio, mmap, os, socket, tempfile, threading
input()
async def answer():
    return (await asyncio.to_thread(os.getpid)) == os.getpid()
found = [asyncio.run(answer())]
one, other = socket.socketpair()
one.sendall(b'x')
found.append(other.recv(1) == b'x')
with tempfile.TemporaryFile() as file:
    file.write(b'x' * 4096)
    file.flush()
    found.append(mmap.mmap(file.fileno(), 4096)[:1] == b'x')
found.append(os.memfd_create('a') > 2)
print(found)
"""
    with isolated.start(isolated.build(PYTHON, source), reply_bytes=1000) as bot:
        assert bot.ask("\n", 5.0).line == str([True] * 4)


def test_what_runtimes_of_several_processes_need_works_inside_a_sandbox(isolated: Sandbox) -> None:
    need_children(isolated)
    source = b"""
import multiprocessing, signal, subprocess
input()
found = [subprocess.run(['true']).returncode == 0]
reading, writing = multiprocessing.Pipe()
child = multiprocessing.Process(target=writing.send, args=('hello',))
child.start()
found.append(reading.recv() == 'hello')
child.join()
signal.setitimer(signal.ITIMER_REAL, 100)
print(found)
"""
    with isolated.start(isolated.build(PYTHON, source), reply_bytes=1000) as bot:
        assert bot.ask("\n", 5.0).line == str([True] * 2)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the x32 entry is a thing of x86-64")
def test_the_x32_entry_ends_a_bot(isolated: Sandbox) -> None:
    source = b"import ctypes\ninput()\nctypes.CDLL(None).syscall(0x40000000 + 39)\nprint('worked')\n"
    with (
        isolated.start(isolated.build(PYTHON, source), reply_bytes=100) as bot,
        pytest.raises(Crashed, match=r"ended by signal 31 \(SIGSYS\)"),
    ):
        bot.ask("\n", 5.0)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the 32-bit entry is a thing of x86-64")
def test_the_32_bit_entry_ends_a_bot(isolated: Sandbox) -> None:
    """By the filter, or by a kernel that was built without it."""
    source = b"""
import ctypes, mmap
input()
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes.fromhex('b814000000cd80c3'))  # getpid through int 0x80
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
print('worked')
"""
    with (
        isolated.start(isolated.build(PYTHON, source), reply_bytes=100) as bot,
        pytest.raises(Crashed, match=r"SIG(SYS|SEGV)"),
    ):
        bot.ask("\n", 5.0)
