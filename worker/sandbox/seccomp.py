"""The filter on system calls, as the bytes that the kernel takes: a deny-list, assembled here for two machines.

Theory of operation: namespaces decide what a bot can *see*; this filter takes away calls by which it might break
out of them, or that no bot needs and that have a history of holes in the kernel. Everything else is allowed, so that
any language's runtime works; docs/seccomp.md goes through both. In the order of the program: a foreign architecture,
or on x86-64 the x32 entry, kills the process, for its numbers mean other calls; calls newer than this file, or with
numbers that were not given out, answer ENOSYS, as on an older kernel; denied calls answer EPERM; a few are denied only
with certain arguments, such as `clone` with new namespaces; `clone3`, whose flags a filter cannot read, answers ENOSYS,
and libraries fall back to `clone`.

Source: linux/filter.h, linux/seccomp.h, asm/unistd.h of both machines.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

# (x86-64, aarch64); None: the machine has no such call. One group, one reason.
Numbers = tuple[int | None, int | None]

# Reading and steering other processes. A bot has none to debug; these paths bypass much of the usual checks.
OTHER_PROCESSES: Mapping[str, Numbers] = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
}

# New namespaces and mounts. In a user namespace of its own a bot would hold every capability again, and with it
# the large part of the kernel that only privileged code reaches. What is mounted would name folders of the host.
NAMESPACES: Mapping[str, Numbers] = {
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "mount_setattr": (442, 442),
    "statmount": (457, 457),
    "listmount": (458, 458),
}

# Every kind of socket: the network namespace is empty, but vsock and some families ignore it, and a Unix socket's
# name in a file system would be enough. Unix pairs (socketpair) stay: runtimes use them inside one process tree;
# but a pair needs no address, no guests and no packet filters.
SOCKETS: Mapping[str, Numbers] = {
    "socket": (41, 198),
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    "accept": (43, 202),
    "accept4": (288, 242),
    "setsockopt": (54, 208),
}

# Large subsystems with a history of holes, of no use to a bot. io_uring also does calls that no filter sees. Moving
# pages between pipes and files (splice) has let readers write; filters of a bot's own take memory that all share.
RISKY_SUBSYSTEMS: Mapping[str, Numbers] = {
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "vmsplice": (278, 75),
    "splice": (275, 76),
    "tee": (276, 77),
    "seccomp": (317, 277),
    "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
    "lsm_get_self_attr": (459, 459),
    "lsm_set_self_attr": (460, 460),
    "lsm_list_modules": (461, 461),
    "map_shadow_stack": (453, 453),
    "remap_file_pages": (216, 234),
    "memfd_secret": (447, 447),
    "fanotify_init": (300, 262),
    "personality": (135, 92),
    "modify_ldt": (154, None),
}

# System V and POSIX queues, semaphores and shared memory; attributes of files: kernel memory outside of a bot's own
# limits.
KERNEL_MEMORY: Mapping[str, Numbers] = {
    "shmget": (29, 194),
    "shmat": (30, 196),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
}

# What there is one of for the whole machine, or for all bots of one user: requests of asynchronous input and output
# (fs.aio-max-nr), watched files, the write-back of all disks, and the page cache, which tells what others read lately
# and from which a bot could drop the programs that its opponent is about to start.
SHARED: Mapping[str, Numbers] = {
    "io_setup": (206, 0),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "sync": (162, 81),
    "syncfs": (306, 267),
    "fadvise64": (221, 223),
    "cachestat": (451, 451),
}

# The machine's own affairs. Without capabilities they fail anyway; so they fail earlier.
MACHINE: Mapping[str, Numbers] = {
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "syslog": (103, 116),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "lookup_dcookie": (212, 18),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "vhangup": (153, 58),
    "nfsservctl": (180, 42),
    "uselib": (134, None),
    "iopl": (172, None),
    "ioperm": (173, None),
    "_sysctl": (156, None),
    "sysfs": (139, None),
    "ustat": (136, None),
}

# Where and how urgently threads run: a bot may not choose the referee's core, nor get in the way of others.
SCHEDULING: Mapping[str, Numbers] = {
    "sched_setaffinity": (203, 122),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "mbind": (237, 235),
    "set_mempolicy": (238, 237),
    "set_mempolicy_home_node": (450, 450),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
}

DENIED: Mapping[str, Numbers] = {
    **OTHER_PROCESSES,
    **NAMESPACES,
    **SOCKETS,
    **RISKY_SUBSYSTEMS,
    **KERNEL_MEMORY,
    **SHARED,
    **MACHINE,
    **SCHEDULING,
}

# Calls of which only some uses are denied, or that are answered otherwise.
CLONE: Numbers = (56, 220)
CLONE3: Numbers = (435, 435)
PRCTL: Numbers = (157, 167)
IOCTL: Numbers = (16, 29)
SOCKETPAIR: Numbers = (53, 199)
MMAP: Numbers = (9, 222)
MEMFD_CREATE: Numbers = (319, 279)
SCHED_SETSCHEDULER: Numbers = (144, 119)

CLONE_NEW_NAMESPACES = 0x7E02_0000
"""CLONE_NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWUSER | NEWPID | NEWNET"""
AF_UNIX = 1
"""The only family that has pairs of use. Asking for another would make the kernel load its module."""
SCHED_OTHER = 0
"""What every thread of a bot has already; Mono asks for it and complains when that is denied."""
MAP_HUGETLB, MFD_HUGETLB = 0x4_0000, 0x4
"""Huge pages that the host keeps ready for somebody, its database for one; they do not count as a bot's memory."""

PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_MM, PR_SCHED_CORE = 1, 22, 35, 62
DENIED_PRCTL = (PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_MM, PR_SCHED_CORE)
"""Outliving a worker that is killed; filters, see RISKY_SUBSYSTEMS; lying about where its memory is; keeping everybody
else off the other half of its core."""
TIOCSTI, TIOCLINUX, TIOCSETD = 0x5412, 0x541C, 0x5423
DENIED_IOCTL = (TIOCSTI, TIOCLINUX, TIOCSETD)
"""Typing and pasting into a terminal that one shares with somebody; line disciplines, which load modules."""
FIRST_UNKNOWN_CALL = 463
"""Linux 6.13 and later add calls from here on; nobody has looked at them for this file."""
FIRST_COMMON_CALL = 424
"""From here on, all machines number calls alike; few have calls of their own just below."""
X32_ENTRY = 0x4000_0000


@dataclass(frozen=True, slots=True)
class Machine:
    """`column`: of the tables above. `audit`: AUDIT_ARCH_*, as the kernel reports the caller's architecture.
    `first_free`: the number after the last call that was there before all machines numbered alike."""

    column: int
    audit: int
    first_free: int
    has_x32: bool


MACHINES: Mapping[str, Machine] = {
    "x86_64": Machine(0, 0xC000_003E, 335, has_x32=True),
    "aarch64": Machine(1, 0xC000_00B7, 295, has_x32=False),
}

# Classic BPF, as far as it is needed here.
LOAD_WORD = 0x20
JUMP_EQUAL = 0x15
JUMP_NOT_LESS = 0x35
JUMP_ANY_BIT = 0x45
RETURN = 0x06

# Offsets into struct seccomp_data; both machines are little-endian, so an argument's low half comes first.
NUMBER_AT = 0
ARCHITECTURE_AT = 4


def _argument_at(index: int) -> int:
    return 16 + 8 * index


ALLOW = 0x7FFF_0000
KILL_PROCESS = 0x8000_0000
DENY = 0x0005_0000 | errno.EPERM
MISSING = 0x0005_0000 | errno.ENOSYS


@dataclass(slots=True)
class Assembler:
    """Instructions whose jumps lead to labels further down; a label of None is the next instruction."""

    code: list[tuple[int, str | None, str | None, int]] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)

    def load(self, offset: int) -> None:
        """Loads a word of the call's description."""
        self.code.append((LOAD_WORD, None, None, offset))

    def jump(self, test: int, value: int, *, then: str | None, otherwise: str | None = None) -> None:
        """Compares what was loaded."""
        self.code.append((test, then, otherwise, value))

    def answer(self, label: str, action: int) -> None:
        """Ends the program here with this action."""
        self.label(label)
        self.code.append((RETURN, None, None, action))

    def label(self, name: str) -> None:
        """Names the next instruction."""
        self.labels[name] = len(self.code)

    def assemble(self) -> bytes:
        """The program as an array of struct sock_filter. A jump of more than 255 instructions is a ValueError."""
        parts: list[bytes] = []
        for index, (operation, then, otherwise, value) in enumerate(self.code):
            jumps = [0 if name is None else self.labels[name] - index - 1 for name in (then, otherwise)]
            if not all(0 <= jump <= 255 for jump in jumps):
                raise ValueError(f"expected jumps of 0 to 255 instructions; got {jumps} at instruction {index}")
            parts.append(struct.pack("<HBBI", operation, jumps[0], jumps[1], value))
        return b"".join(parts)


def supported(machine: str = platform.machine()) -> bool:
    """Whether there is a table for this machine."""
    return machine in MACHINES


def denylist(machine: str = platform.machine()) -> bytes:
    """The filter for `machine`, as `uname -m` names it.

    Raises: KeyError when there is no table for it.
    """
    target = MACHINES[machine]
    program = Assembler()
    program.load(ARCHITECTURE_AT)
    program.jump(JUMP_EQUAL, target.audit, then=None, otherwise="kill")
    program.load(NUMBER_AT)
    if target.has_x32:
        program.jump(JUMP_NOT_LESS, X32_ENTRY, then="kill")
    program.jump(JUMP_NOT_LESS, FIRST_UNKNOWN_CALL, then="missing")
    program.jump(JUMP_NOT_LESS, FIRST_COMMON_CALL, then="known")
    program.jump(JUMP_NOT_LESS, target.first_free, then="missing")
    program.label("known")
    for numbers in DENIED.values():
        number = numbers[target.column]
        if number is not None:
            program.jump(JUMP_EQUAL, number, then="deny")
    _answer_special_calls(program, target.column)
    program.answer("allow", ALLOW)
    program.answer("deny", DENY)
    program.answer("missing", MISSING)
    program.answer("kill", KILL_PROCESS)
    return program.assemble()


def _answer_special_calls(program: Assembler, column: int) -> None:
    """The calls that depend on an argument. Each block leaves the call's number loaded, or ends the program."""
    program.jump(JUMP_EQUAL, CLONE3[column] or 0, then="missing")
    for name, numbers, argument, test, values in (
        ("mmap", MMAP, 3, JUMP_ANY_BIT, (MAP_HUGETLB,)),
        ("clone", CLONE, 0, JUMP_ANY_BIT, (CLONE_NEW_NAMESPACES,)),
        ("memfd_create", MEMFD_CREATE, 1, JUMP_ANY_BIT, (MFD_HUGETLB,)),
        ("prctl", PRCTL, 0, JUMP_EQUAL, DENIED_PRCTL),
        ("ioctl", IOCTL, 1, JUMP_EQUAL, DENIED_IOCTL),
    ):
        program.jump(JUMP_EQUAL, numbers[column] or 0, then=None, otherwise=f"not {name}")
        program.load(_argument_at(argument))
        for value in values[:-1]:
            program.jump(test, value, then="deny")
        program.jump(test, values[-1], then="deny", otherwise="allow")
        program.label(f"not {name}")
    for name, numbers, argument, value in (
        ("sched_setscheduler", SCHED_SETSCHEDULER, 1, SCHED_OTHER),
        ("socketpair", SOCKETPAIR, 0, AF_UNIX),
    ):
        program.jump(JUMP_EQUAL, numbers[column] or 0, then=None, otherwise=f"not {name}")
        program.load(_argument_at(argument))
        program.jump(JUMP_EQUAL, value, then="allow", otherwise="deny")
        program.label(f"not {name}")
