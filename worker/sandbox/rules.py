"""What a sandboxed process may call, and what the rest is answered: lists by purpose, each with its reason.

An allow-list: it has what the languages' runtimes and compilers call (recorded by scripts/record_calls.py), and what
newer versions of them, or other runtimes, call in their place. All else is refused. What is known to be dangerous
answers EPERM; what nobody needs, or nobody has looked at, answers ENOSYS as on a kernel without it, so that libraries
take another way. Some calls are many: of these, the uses are listed. `seccomp.py` makes the filter of this, and
docs/seccomp.md explains it.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Group: TypeAlias = Mapping[str, str]
"""Reason -> names of calls."""


@dataclass(frozen=True, slots=True)
class Use:
    """What a filter is for. `processes`: whether they may start processes, or only threads. `builds`: for compilers.

    timers: whether they may make timers that send signals, of which no filter can read which ones.
    cores: whether a thread that asks for certain cores is told that it has them; it is not done.
    """

    processes: bool
    builds: bool = False
    timers: bool = False
    cores: bool = False


BOTS = Use(processes=True)
SINGLE_BOTS = Use(processes=False)
"""Where the CPU time of a child that ended could not be counted: a bot is one process, with threads."""
BUILDS = Use(processes=True, builds=True, cores=True)
BUILDS_THAT_RUN_CODE = Use(processes=True, cores=True)
"""Of languages whose compilers run code of the sources: it may do what a bot may."""

# --- Allowed ---------------------------------------------------------------------------------------------------------

ALLOWED: Group = {
    "Files and folders. All that a bot can write to is in memory and its own.": """
        access faccessat faccessat2 chdir fchdir getcwd chmod fchmod fchmodat fchmodat2 close close_range
        copy_file_range creat dup dup2 dup3 fallocate stat fstat lstat newfstatat ftruncate truncate getdents getdents64
        link linkat lseek mkdir mkdirat open openat pread64 preadv pwrite64 pwritev read readlink readlinkat readv
        rename renameat renameat2 rmdir sendfile symlink symlinkat umask unlink unlinkat utime utimensat utimes
        futimesat write writev
        """,
    "Waiting: pipes, polls, events, timers on descriptors.": """
        epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 pipe pipe2 poll ppoll
        pselect6 select signalfd signalfd4 timerfd_create timerfd_gettime timerfd_settime
        """,
    "Pairs of sockets, between processes of one tree.": """
        getpeername getsockname getsockopt recvfrom recvmmsg recvmsg sendmmsg sendmsg sendto shutdown
        """,
    "Memory of the process itself; none of it can be locked.": """
        brk mlock mlock2 mlockall mprotect mremap mseal munlock munlockall munmap pkey_alloc pkey_free pkey_mprotect
        get_mempolicy
        """,
    "Processes and threads, their signals, and what they are. A limit can be lowered, but not raised.": """
        arch_prctl capget execve execveat exit exit_group getegid geteuid getgid getgroups getpgid getpgrp getpid
        getppid getpriority getresgid getresuid getrlimit getrusage getsid gettid getuid pause pidfd_open
        restart_syscall rt_sigaction rt_sigpending rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigtimedwait setpgid
        setsid sigaltstack wait4 waitid
        """,
    "Threads waiting for each other, and on which core they run.": """
        futex futex_requeue futex_wait futex_waitv futex_wake get_robust_list getcpu rseq sched_get_priority_max
        sched_get_priority_min sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval
        sched_yield set_robust_list set_tid_address
        """,
    "Clocks, timers, chance, and the kernel's version.": """
        alarm clock_getres clock_gettime clock_nanosleep getitimer getrandom gettimeofday nanosleep setitimer time
        timer_delete timer_getoverrun timer_gettime timer_settime times uname
        """,
}

ALLOWED_IN_BUILDS: Group = {
    "Compilers and the shell's tools look at files and lock their caches. No source code runs in these builds.": """
        chown fchown fchownat fgetxattr flistxattr flock fstatfs getxattr lchown lgetxattr listxattr llistxattr mincore
        statfs statx
        """,
    "How much memory there is: gcc sizes its heap by it.": "sysinfo",
}

DONE: Group = {
    "Disks: through a file of the system a bot could flush the machine's. Its own files are in memory.": """
        fdatasync fsync msync
        """,
}
"""Answered with success, and not done."""

NO_LOCKS: Group = {
    "Locks on a file of the system reach everybody, and stay while a bot is frozen: they carry messages.": """
        flock
        """,
}
"""Answered as by a file system without locks (ENOLCK), except in builds; so are the locks of fcntl, in builds too."""

# --- Refused with EPERM ---------------------------------------------------------------------------------------------

DENIED: Group = {
    "Reading and steering other processes. A bot has none to debug; these paths bypass much of the usual checks.": """
        kcmp pidfd_getfd process_madvise process_mrelease process_vm_readv process_vm_writev ptrace
        """,
    "New namespaces and mounts. In a user namespace of its own a bot would hold every capability again, and with it "
    "the large part of the kernel that only privileged code reaches. Mounts name the host's folders.": """
        chroot fsconfig fsmount fsopen fspick listmount mount mount_setattr move_mount open_tree pivot_root setns
        statmount umount2 unshare
        """,
    "Sockets: the network namespace is empty, but vsock and some families ignore it, and a Unix socket's name in a "
    "file system would be enough. A pair needs no address, no guests and no packet filters.": """
        accept accept4 bind connect listen setsockopt socket
        """,
    "Large parts of the kernel with a history of holes. io_uring also does calls that no filter sees. Moving pages "
    "between pipes and files has let readers write; a bot's own filters take memory that all share.": """
        add_key bpf fanotify_init fanotify_mark io_uring_enter io_uring_register io_uring_setup keyctl
        landlock_add_rule landlock_create_ruleset landlock_restrict_self lsm_get_self_attr lsm_list_modules
        lsm_set_self_attr map_shadow_stack memfd_secret modify_ldt perf_event_open personality remap_file_pages
        request_key seccomp splice tee userfaultfd vmsplice
        """,
    "Queues, semaphores, shared memory and attributes of files: kernel memory outside of a bot's own limits.": """
        fremovexattr fsetxattr lremovexattr lsetxattr mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend
        mq_unlink msgctl msgget msgrcv msgsnd removexattr semctl semget semop semtimedop setxattr shmat shmctl shmdt
        shmget
        """,
    "What the whole machine, or all bots of one user, share: requests of asynchronous input and output, watched files, "
    "the write-back of all disks.": """
        inotify_add_watch inotify_init inotify_init1 inotify_rm_watch io_cancel io_destroy io_getevents io_pgetevents
        io_setup io_submit sync sync_file_range syncfs
        """,
    "The page cache: it tells what others read, and from it a bot could drop what its opponent is about to start.": """
        cachestat fadvise64 mincore preadv2 pwritev2 readahead
        """,
    "The machine: its memory, load and number of processes; its disks; the numbers of its mounts.": """
        fstatfs name_to_handle_at open_by_handle_at statfs sysinfo
        """,
    "Another identity. Without capabilities there is none.": """
        capset setfsgid setfsuid setgid setgroups setregid setresgid setresuid setreuid setuid
        """,
    "The machine's own affairs. Without capabilities they fail anyway; so they fail earlier.": """
        _sysctl acct adjtimex clock_adjtime clock_settime delete_module finit_module init_module ioperm iopl
        kexec_file_load kexec_load lookup_dcookie nfsservctl quotactl quotactl_fd reboot setdomainname sethostname
        settimeofday swapoff swapon sysfs syslog uselib ustat vhangup
        """,
    "Where and how urgently threads run: a bot may not choose the referee's core, nor get in the way of others.": """
        ioprio_get ioprio_set mbind migrate_pages move_pages sched_setaffinity sched_setattr sched_setparam
        set_mempolicy set_mempolicy_home_node setpriority
        """,
}
"""Except where a use allows one of them."""

# --- Calls that are many --------------------------------------------------------------------------------------------

SIGKILL = 9
RLIMIT_CPU = 0
"""A bot that used more than the hard limit is ended by SIGKILL, which the kernel sends it."""
CLONE_THREAD = 0x1_0000
CLONE_NEW_NAMESPACES = 0x7E02_0000
"""CLONE_NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWUSER | NEWPID | NEWNET"""
AF_UNIX = 1
"""The only family that has pairs of use. Asking for another would make the kernel load its module."""
SCHED_OTHER = 0
"""What every thread of a bot has already; Mono asks for it and complains when that is denied."""
MAP_HUGETLB, MFD_HUGETLB = 0x4_0000, 0x4
"""Huge pages that the host keeps ready for somebody, its database for one; they do not count as a bot's memory."""

ALLOWED_FCNTL = (0, 1, 2, 3, 4, 1030, 1027, 1032, 1033, 1034)
"""F_DUPFD, GETFD, SETFD, GETFL, SETFL, DUPFD_CLOEXEC, DUPFD_QUERY, GETPIPE_SZ, ADD_SEALS, GET_SEALS."""
FCNTL_LOCKS = (5, 6, 7, 36, 37, 38)
"""F_GETLK, SETLK, SETLKW, and the same three for locks of an open file (OFD): see NO_LOCKS."""
F_SETLEASE, F_GETLEASE, F_NOTIFY, F_SETPIPE_SZ = 1024, 1025, 1026, 1031
DENIED_FCNTL = (F_SETLEASE, F_GETLEASE, F_NOTIFY, F_SETPIPE_SZ)
"""Leases and notices (dnotify), which tell what others open; the size of a pipe, of which all pipes of one user have a
sum: who takes it all makes everybody's new pipes small."""

ALLOWED_IOCTL = (0x5401, 0x5413, 0x540F, 0x541B, 0x5421, 0x5450, 0x5451, 0x5452)
"""TCGETS, TIOCGWINSZ, TIOCGPGRP, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX, FIOASYNC. Others, such as FIEMAP, which says
where on the disk a file is, answer ENOTTY, as by a file that does not know them."""
TIOCSTI, TIOCLINUX, TIOCSETD = 0x5412, 0x541C, 0x5423
DENIED_IOCTL = (TIOCSTI, TIOCLINUX, TIOCSETD)
"""Typing and pasting into a terminal that one shares with somebody; line disciplines, which load modules."""

ALLOWED_PRCTL = (2, 3, 4, 15, 16, 23, 29, 30, 36, 37, 38, 39, 41, 42, 0x5356_4D41)
"""PR_GET_PDEATHSIG, GET_DUMPABLE, SET_DUMPABLE, SET_NAME, GET_NAME, CAPBSET_READ, SET_TIMERSLACK, GET_TIMERSLACK,
SET_CHILD_SUBREAPER, GET_CHILD_SUBREAPER, SET_NO_NEW_PRIVS, GET_NO_NEW_PRIVS, SET_THP_DISABLE, GET_THP_DISABLE and
SET_VMA."""
PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_MM, PR_SCHED_CORE, PR_SET_MEMORY_MERGE = 1, 22, 35, 62, 67
DENIED_PRCTL = (PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_MM, PR_SCHED_CORE, PR_SET_MEMORY_MERGE)
"""Outliving a worker that is killed; filters, as above; lying about where its memory is; keeping everybody else off the
other half of its core; memory that is shared with whoever has the same in it, which shows in the time of a write."""

ALLOWED_MADVISE = (0, 1, 2, 4, 8, 9, 10, 11, 14, 15, 16, 17, 18, 19, 23, 102, 103)
"""MADV_NORMAL, RANDOM, SEQUENTIAL, DONTNEED, FREE, REMOVE, DONTFORK, DOFORK, HUGEPAGE, NOHUGEPAGE, DONTDUMP, DODUMP,
WIPEONFORK, KEEPONFORK, POPULATE_WRITE, GUARD_INSTALL, GUARD_REMOVE. Not those that read the system's files into
memory, push them out or rebuild them there (WILLNEED, POPULATE_READ, COLD, PAGEOUT, COLLAPSE), nor MERGEABLE."""
ALLOWED_MEMBARRIER = (0, 8, 16, 32, 64)
"""QUERY, and the private ones. The others interrupt, or wait for, every core of the machine."""

LAUNCHER: Group = {
    "bubblewrap makes these before the bot starts, so the part that is logged cannot refuse them.": """
        bind capset clone fcntl fork fstatfs ioctl mount pivot_root prctl setfsgid setfsuid setgid setgroups sethostname
        setresgid setresuid setuid statfs umount2 unshare vfork
        """,
    "libc tries it first for each thread, and takes clone when it is missing: a line for each thread says nothing.": """
        clone3
        """,
}
AF_NETLINK = 16
LAUNCHERS_SOCKETS = (AF_UNIX, AF_NETLINK)
"""The families of sockets that bubblewrap opens, to set up the loopback interface."""

Test: TypeAlias = Literal["equal", "any bit", "low byte"]
Answer: TypeAlias = Literal["allow", "deny", "missing", "invalid", "no terminal", "no locks", "done", "kill"]

ERRORS: Mapping[Answer, int] = {
    "deny": errno.EPERM,
    "missing": errno.ENOSYS,
    "invalid": errno.EINVAL,
    "no terminal": errno.ENOTTY,
    "no locks": errno.ENOLCK,
    "done": 0,
}


@dataclass(frozen=True, slots=True)
class Rule:
    """How a call is answered that depends on one argument: `tests` in this order, then `otherwise`."""

    argument: int
    tests: tuple[tuple[Test, tuple[int, ...], Answer], ...]
    otherwise: Answer


SPECIAL: Mapping[str, Rule] = {
    "fcntl": Rule(
        1,
        (("equal", ALLOWED_FCNTL, "allow"), ("equal", FCNTL_LOCKS, "no locks"), ("equal", DENIED_FCNTL, "deny")),
        "invalid",
    ),
    "ioctl": Rule(1, (("equal", ALLOWED_IOCTL, "allow"), ("equal", DENIED_IOCTL, "deny")), "no terminal"),
    "prctl": Rule(0, (("equal", ALLOWED_PRCTL, "allow"), ("equal", DENIED_PRCTL, "deny")), "invalid"),
    "madvise": Rule(2, (("equal", ALLOWED_MADVISE, "allow"),), "invalid"),
    "membarrier": Rule(0, (("equal", ALLOWED_MEMBARRIER, "allow"),), "invalid"),
    "mmap": Rule(3, (("any bit", (MAP_HUGETLB,), "deny"),), "allow"),
    "memfd_create": Rule(1, (("any bit", (MFD_HUGETLB,), "deny"),), "allow"),
    "sched_setscheduler": Rule(1, (("equal", (SCHED_OTHER,), "allow"),), "deny"),
    "socketpair": Rule(0, (("equal", (AF_UNIX,), "allow"),), "deny"),
}

NO_KILLS: Mapping[str, Rule] = {
    **{
        name: Rule(argument, (("equal", (SIGKILL,), "deny"),), "allow")
        for name, argument in {
            **{"kill": 1, "tkill": 1, "tgkill": 2, "rt_sigqueueinfo": 1, "rt_tgsigqueueinfo": 2},
            "pidfd_send_signal": 1,
        }.items()
    },
    "setrlimit": Rule(0, (("equal", (RLIMIT_CPU,), "deny"),), "allow"),
    "prlimit64": Rule(1, (("equal", (RLIMIT_CPU,), "deny"),), "allow"),
}
"""What could end the first process of a sandbox from inside by SIGKILL. So one that comes is from outside: see
`endings`. The kernel delivers none of a namespace to its first process, but for one with the kernel's own code, which
rt_sigqueueinfo and pidfd_send_signal write, and in the moment in which another signal (SIGSEGV) is about to end it.
There, the signal of a child that ends and that of a timer count, too: see `answers`."""


Part: TypeAlias = Literal["whole", "logged", "unlogged"]
"""Of a filter: see `part_of`."""


def names(group: Group) -> list[str]:
    """All calls of a group."""
    return [name for words in group.values() for name in words.split()]


def answers(use: Use) -> dict[str, Answer | Rule]:
    """Call -> what becomes of it. What is not in here is missing, also clone3, whose flags no filter can read.

    Nor can one read which signal a timer sends. It might be SIGKILL; or SIGCONT to a bot that is frozen by a signal. So
    bots have none, but for those whose runtime makes one as it starts: of these, no SIGKILL is certain (`endings`).

    Each thread of .NET asks for the cores that the process has already, and does not start where that fails.
    """
    found: dict[str, Answer | Rule] = dict.fromkeys(names(DENIED), "deny")
    found |= dict.fromkeys(names(NO_LOCKS), "no locks")
    found |= dict.fromkeys(names(DONE), "done")
    found |= dict.fromkeys(names(ALLOWED), "allow")
    found |= SPECIAL
    found |= dict.fromkeys(NO_KILLS, "allow") if use.builds else NO_KILLS
    found["timer_create"] = "allow" if use.builds or use.timers else "deny"
    if use.cores:
        found["sched_setaffinity"] = "done"
    namespaces: tuple[Test, tuple[int, ...], Answer] = ("any bit", (CLONE_NEW_NAMESPACES,), "deny")
    kills: tuple[Test, tuple[int, ...], Answer] = ("low byte", (SIGKILL,), "deny")
    if use.processes:
        found |= {"clone": Rule(0, (namespaces, kills), "allow"), "fork": "allow", "vfork": "allow"}
    else:
        threads = Rule(0, (namespaces, ("any bit", (CLONE_THREAD,), "allow")), "deny")
        found |= {"clone": threads, "fork": "deny", "vfork": "deny"}
    if use.builds:
        found |= dict.fromkeys(names(ALLOWED_IN_BUILDS), "allow")
    return found


def part_of(found: Mapping[str, Answer | Rule], part: Part) -> tuple[dict[str, Answer | Rule], Answer]:
    """A part of the answers, and that to calls without a rule. What either part refuses, the whole does, and no more.

    The kernel logs what a filter refuses that was loaded with a flag for it, which bubblewrap does not set. So the
    `logged` part is loaded before bubblewrap starts, and allows what bubblewrap itself calls; the `unlogged` one is
    loaded by bubblewrap, and refuses only that. Where both refuse a call, the later one answers, and nothing is logged.
    """
    launchers = names(LAUNCHER)
    if part == "whole":
        return dict(found), "missing"
    its: Mapping[Part, tuple[Answer, Answer]] = {"logged": ("allow", "deny"), "unlogged": ("deny", "allow")}
    sockets = Rule(0, (("equal", LAUNCHERS_SOCKETS, its[part][0]),), its[part][1])
    if part == "logged":
        return {**found, **dict.fromkeys(launchers, "allow"), "socket": sockets}, "missing"
    return {**{name: found.get(name, "missing") for name in launchers}, "socket": sockets}, "allow"
